# SPDX-License-Identifier: Apache-2.0
"""Whether a module's host side is what the proof took it for: SPEC says what the kernel's name says, and the host
function launches what was proved, with every operand in its place, whatever was called before."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from porter.kernel_spec import KernelSpec, ScaleLayout
from porter.proof.kept import digest_of, keep, recall
from porter.runtime._serving import N_MULTIPLE, SCALE_BLOCK
from porter.toolchain import CompiledKernel, record_host
from porter.toolchain.cache import key_of
from porter.toolchain.host_calls import HostCall, Way
from porter.write.emitter import spec_literal

#: Rows of A: one; more than a tile, with a ragged last one; more than 16 bits count; the first again, so that a second
#: call shows too.
_MS = (1, 301, 70001, 1)
#: The kind of host functions that passed.
_KIND = "hosts"


def host_differs(
    compiled: CompiledKernel, function: str, spec: KernelSpec | None, others: Sequence[tuple[int, int]] = ()
) -> str:
    """What the host side does otherwise than the proof took it to, in words; empty for nothing.

    The function must launch the proved launcher once a call, on the current stream, with the operands that SPEC's args
    name, and return the output. spec: of a kernel that porter writes, whose module has `HOST` and says no to operands
    that it cannot take; None for a hand-written one, and others: other (N, K) that this one takes. Raises
    ToolchainError CKT018 where the function raises.
    """
    request = compiled.request
    if spec is not None and (said := _misdeclared(compiled, spec)):
        return said
    calls = list(_calls(compiled, spec, others))
    wanted = [arg["name"] for arg in compiled.spec["args"]]
    # Any text of the module may take part in what the host function does.
    texts = {"source": request.source.text, "support": request.source.support, "function": function}
    asked = {"calls": [call.to_json() for call in calls], "wanted": wanted}
    key = key_of({"launcher": compiled.identity, **texts, **asked, "recorder": digest_of("porter.toolchain")})
    if request.source.self_contained and recall(_KIND, key):
        return ""
    for call, record in zip(calls, record_host(compiled, function, calls), strict=True):
        if said := _differs(call, record, compiled, wanted):
            return f"{function} for {call}: {said}"
    if request.source.self_contained:
        keep(_KIND, key, True)
    return ""


def _misdeclared(compiled: CompiledKernel, spec: KernelSpec) -> str:
    """SPEC decides what the host function allocates and takes, and the proof goes by the kernel's name."""
    for key, named in spec_literal(spec).items():
        said = compiled.spec.get(key)
        if said != named:
            return f"SPEC says {key} = {said!r}, and the kernel's name says {named!r}"
    return ""


def _calls(compiled: CompiledKernel, spec: KernelSpec | None, others: Sequence[tuple[int, int]]) -> Iterator[HostCall]:
    request = compiled.request
    n, k = request.n, request.k
    padding = ((request.a_stride or k) - k, (request.b_stride or k) - k)
    if any(padding):
        # A single row has no next one, so it is not padded.
        yield from (HostCall(m, n, k, padding=padding) for m in _MS if m > 1)
        return
    if spec is not None:
        others = ((n + N_MULTIPLE[spec.family.value], k), (n, k + SCALE_BLOCK))
    # Other weights first: what a module keeps of them must not change what it launches for these.
    yield from (HostCall(1, *other) for other in others)
    yield from (HostCall(m, n, k) for m in _MS)
    if spec is not None:
        ways = [way for way in Way if way is not Way.K_MAJOR or spec.scale_layout is ScaleLayout.K_MAJOR]
        yield from (HostCall(301, n, k, way) for way in ways)


def _differs(call: HostCall, record: dict[str, Any], compiled: CompiledKernel, wanted: list[str]) -> str:
    if call.way.refused:
        return "launches a kernel where it must raise ValueError" if record["calls"] else ""
    if len(record["calls"]) != 1:
        return f"launches {len(record['calls'])} times, expected once"
    ((identity, arguments),) = record["calls"]
    *given, stream = arguments if arguments else [None]
    sizes = {"M": call.m, "N": call.n, "K": call.k}
    expected = [sizes.get(name, name) for name in wanted]
    if given != expected:
        return f"hands ({', '.join(map(str, given))}) to a launcher of ({', '.join(wanted)})"
    if stream != "stream":
        return "does not launch on the current stream"
    if (call.n, call.k) == (compiled.request.n, compiled.request.k) and identity != compiled.identity:
        return "compiles another launcher than the one that was proved, or with other compile hints"
    return "" if record["returned"] else f"does not return the output [{call.m}, {call.n}]"
