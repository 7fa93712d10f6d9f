# SPDX-License-Identifier: Apache-2.0
"""Whether a kernel's host function launches what was proved, with every operand in its place."""

from __future__ import annotations

from typing import Any

from porter.proof.kept import digest_of, keep, recall
from porter.toolchain import CompiledKernel, record_host
from porter.toolchain.cache import key_of

#: Rows of A: one, and more than a tile, with a ragged last one; the first again, so that a second call shows too.
_MS = (1, 301, 1)
#: The kind of host functions that passed.
_KIND = "hosts"


def host_differs(compiled: CompiledKernel, function: str) -> str:
    """What a host function does otherwise than the proof took it to, in words; empty for nothing.

    It must launch the proved launcher once a call, on the current stream, with the operands that SPEC's args name, and
    return the output. Raises ToolchainError CKT018 where it raises.
    """
    request = compiled.request
    wanted = [arg["name"] for arg in compiled.spec["args"]]
    # Any text of the module may take part in what the host function does.
    texts = {"source": request.source.text, "support": request.source.support, "function": function}
    asked = {"n": request.n, "k": request.k, "ms": _MS, "wanted": wanted}
    key = key_of({"launcher": compiled.identity, **texts, **asked, "recorder": digest_of("porter.toolchain")})
    if request.source.self_contained and recall(_KIND, key):
        return ""
    for record in record_host(compiled, function, _MS):
        said = _differs(record, compiled, wanted)
        if said:
            return f"{function} for {record['m']}x{request.n}x{request.k}: {said}"
    if request.source.self_contained:
        keep(_KIND, key, True)
    return ""


def _differs(record: dict[str, Any], compiled: CompiledKernel, wanted: list[str]) -> str:
    if len(record["calls"]) != 1:
        return f"launches {len(record['calls'])} times, expected once"
    ((identity, arguments),) = record["calls"]
    *given, stream = arguments if arguments else [None]
    sizes = {"M": record["m"], "N": compiled.request.n, "K": compiled.request.k}
    expected = [sizes.get(name, name) for name in wanted]
    if given != expected:
        return f"hands ({', '.join(map(str, given))}) to a launcher of ({', '.join(wanted)})"
    if stream != "stream":
        return "does not launch on the current stream"
    if identity != compiled.identity:
        return "compiles another launcher than the one that was proved, or with other compile hints"
    return "" if record["returned"] else f"does not return the output [{record['m']}, {compiled.request.n}]"
