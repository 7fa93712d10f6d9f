# SPDX-License-Identifier: Apache-2.0
"""CKG012: buffer descriptors that M does not bound (users.md 3, row 20: rows past the end were read as garbage)."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from porter.gate.lint.module import LintModule
from porter.gate.lint.names import used
from porter.gate.result import GateFinding

RULE = "CKG012"
_MAKERS = frozenset(f"flydsl.expr.rocdl.make_buffer_{kind}" for kind in ("ptr", "tensor"))
#: Operands whose size does not depend on M, as kernels call them.
_WEIGHTS = frozenset({"B", "WS", "W", "w_scale", "ws", "b", "w"})
_HEAD = (
    "import flydsl.compiler as flyc\nimport flydsl.expr as fx\n\n\n@flyc.kernel\n"
    "def k(A: fx.Pointer, B: fx.Pointer, M: fx.Int32):\n"
)
VALID = (
    f"{_HEAD}    rows = fx.min(M - 3, 64)\n    a = fx.rocdl.make_buffer_ptr(A + 3, num_records_bytes=rows * 128)\n",
    f"{_HEAD}    b = fx.rocdl.make_buffer_ptr(B, num_records_bytes=4096)\n",
    f"{_HEAD}    a = fx.rocdl.make_buffer_ptr(A + fx.block_idx.x * N, num_records_bytes=2 * N)\n",
)
INVALID = (
    (f"{_HEAD}    a = fx.rocdl.make_buffer_ptr(A + fx.block_idx.x * N, num_records_bytes=64 * N)\n", 7),
    (f"{_HEAD}    a = fx.rocdl.make_buffer_ptr(A, num_records_bytes=1 << 30)\n", 7),
    (f"{_HEAD}    a = fx.rocdl.make_buffer_ptr(A, max_size=True)\n", 7),
    (f"{_HEAD}    b = fx.rocdl.make_buffer_ptr(B)\n", 7),
)


def check(module: LintModule) -> Iterator[GateFinding]:
    """Descriptors without a size, and those of A, C and x_scale whose size does not come from the kernel's M."""
    for kernel in module.kernels:
        parameters = {argument.arg for argument in kernel.args.args}
        from_m, roots = _flow(kernel, parameters)
        for call in ast.walk(kernel):
            if not isinstance(call, ast.Call) or module.names.of(call.func) not in _MAKERS or not call.args:
                continue
            size = next((item.value for item in call.keywords if item.arg == "num_records_bytes"), None)
            pointers = set().union(*(roots.get(name, {name}) for name in used(call.args[0]))) & parameters - {"M"}
            if size is None:
                yield module.finding(RULE, "this descriptor has no num_records_bytes", call.lineno)
            elif pointers - _WEIGHTS and "M" in parameters and not (used(size) & from_m or _one_row(size)):
                what = ", ".join(sorted(pointers - _WEIGHTS))
                yield module.finding(RULE, f"the size of this descriptor of {what} does not depend on M", call.lineno)


def _one_row(size: ast.expr) -> bool:
    """`2 * N`: a workgroup that takes one row of a grid of M rows needs no other bound."""
    constants = [node.value for node in ast.walk(size) if isinstance(node, ast.Constant)]
    return bool(used(size)) and used(size) <= {"N", "K", "blocks"} and all(value in (1, 2, 4) for value in constants)


def _flow(kernel: ast.FunctionDef, parameters: set[str]) -> tuple[set[str], dict[str, set[str]]]:
    """Names computed from M, and for each name the parameters that it comes from; assignments in textual order."""
    from_m, roots = {"M"}, {name: {name} for name in parameters}
    assignments = [node for node in ast.walk(kernel) if isinstance(node, ast.Assign)]
    for node in sorted(assignments, key=lambda item: item.lineno):
        sources = used(node.value)
        origin = set().union(*(roots.get(name, set()) for name in sources))
        for target in node.targets:
            for name in used(target):
                roots[name] = roots.get(name, set()) | origin
                if sources & from_m:
                    from_m.add(name)
    return from_m, roots
