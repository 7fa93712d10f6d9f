# SPDX-License-Identifier: Apache-2.0
"""CKG012: buffer descriptors that M does not bound (rows past the end were read as garbage).

Source: docs/notes/downstream.md#reports, a commit of aiter.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from porter.gate.lint.module import LintModule
from porter.gate.lint.names import assigned, used
from porter.gate.result import GateFinding
from porter.gate.rule import GateRule

RULE = GateRule(
    "CKG012",
    "unbounded-descriptor",
    "A buffer descriptor is not bounded by M, so rows past the end are read or written.",
    "Give the resource the bytes of M rows as its size.",
)
_MAKERS = frozenset(f"flydsl.expr.rocdl.make_buffer_{kind}" for kind in ("ptr", "tensor"))
#: Operands whose size does not depend on M, as kernels call them.
_WEIGHTS = frozenset({"B", "WS", "W", "w_scale", "ws", "b", "w"})
_HEAD = (
    "import flydsl.compiler as flyc\nimport flydsl.expr as fx\n\n\n@flyc.kernel\n"
    "def k(A: fx.Pointer, B: fx.Pointer, M: fx.Int32):\n"
)
_PTR = "fx.rocdl.make_buffer_ptr"
_NAMED = _HEAD.replace("M: fx.Int32", "N: fx.Int32, count: fx.Int32")
VALID = (
    f"{_HEAD}    rows = fx.min(M - 3, 64)\n    a = fx.rocdl.make_buffer_ptr(A + 3, num_records_bytes=rows * 128)\n",
    f"{_HEAD}    b = fx.rocdl.make_buffer_ptr(B, num_records_bytes=4096)\n",
    f"{_HEAD}    a = fx.rocdl.make_buffer_ptr(A + fx.block_idx.x * N, num_records_bytes=2 * N)\n",
    f"{_HEAD}    a = {_PTR}(A, M * K)\n",
    f"{_HEAD}    size: int = M * K\n    a = {_PTR}(A, num_records_bytes=size)\n",
    f"{_HEAD}    size = K\n    size *= M\n    a = {_PTR}(A, size)\n",
    f"{_HEAD}    cap, rows = 1 << 30, M\n    a = {_PTR}(A, rows * K)\n",
    f"{_HEAD}    size = bytes_of(M)\n    a = {_PTR}(A, size)\n",
    f"{_HEAD}    def size():\n        return M * K\n\n    a = {_PTR}(A, size())\n",
    f"{_NAMED}    a = {_PTR}(A + N, count * K)\n    b = {_PTR}(B + N, 64 * K)\n",
    f"{_HEAD.replace(', M: fx.Int32', '')}    a = {_PTR}(A, 1 << 30)\n",
)
INVALID = (
    (f"{_HEAD}    a = fx.rocdl.make_buffer_ptr(A + fx.block_idx.x * N, num_records_bytes=64 * N)\n", 7),
    (f"{_HEAD}    a = fx.rocdl.make_buffer_ptr(A, num_records_bytes=1 << 30)\n", 7),
    (f"{_HEAD}    a = fx.rocdl.make_buffer_ptr(A, max_size=True)\n", 7),
    (f"{_HEAD}    b = fx.rocdl.make_buffer_ptr(B)\n", 7),
    (f"{_HEAD}    b = {_PTR}(B, None)\n", 7),
    (f"{_HEAD}    a = {_PTR}(ptr=A, num_records_bytes=1 << 30)\n", 7),
    (f"{_HEAD}    a = {_PTR}(A, 1 << 30)\n", 7),
    (f"{_HEAD}    a = fx.rocdl.make_buffer_tensor(tensor=A, num_records_bytes=1 << 30)\n", 7),
    (f"{_HEAD}    a = fx.rocdl.make_buffer_tensor(A, M)\n", 7),
    (f"{_HEAD}    rows, cap = M, 1 << 30\n    a = {_PTR}(A, num_records_bytes=cap)\n", 8),
    (f"{_HEAD}    size: int = 1 << 30\n    p: fx.Pointer = A + 1\n    a = {_PTR}(p, num_records_bytes=size)\n", 9),
    (f"{_HEAD}    make = {_PTR}\n    a = make(A, 64 * K)\n", 8),
    (f"{_NAMED}    a = {_PTR}(A, num_records_bytes=N * 64)\n", 7),
    (f"{_HEAD}    def desc(p):\n        return {_PTR}(p, num_records_bytes=1 << 30)\n\n    a = desc(A + 3)\n", 8),
)


def check(module: LintModule) -> Iterator[GateFinding]:
    """Descriptors without a size, and those of A, C and x_scale whose size does not come from the kernel's M.

    M is every i32 parameter that is not N or K: the ABI has no other.
    """
    for kernel in module.kernels:
        arguments = [*kernel.args.posonlyargs, *kernel.args.args, *kernel.args.kwonlyargs]
        numbers = {item.arg for item in arguments if item.arg == "M" or _is_i32(module, item)}
        rows = numbers - {"N", "K"}
        parameters = {item.arg for item in arguments} - numbers
        from_m, roots = _flow(kernel, parameters, rows)
        for call in ast.walk(kernel):
            if not isinstance(call, ast.Call) or module.names.of(call.func) not in _MAKERS:
                continue
            pointer, size = _operands(call, module.names.of(call.func))
            pointers = set().union(*(roots.get(name, set()) for name in used(pointer))) - _WEIGHTS
            if size is None:
                yield module.finding(RULE.id, "this descriptor has no num_records_bytes", call.lineno)
            elif pointers and rows and not (used(size) & from_m or _one_row(size)):
                what = ", ".join(sorted(pointers))
                yield module.finding(
                    RULE.id, f"the size of this descriptor of {what} does not depend on M", call.lineno
                )


def _is_i32(module: LintModule, argument: ast.arg) -> bool:
    return argument.annotation is not None and module.names.of(argument.annotation).endswith(".Int32")


def _operands(call: ast.Call, maker: str) -> tuple[ast.expr, ast.expr | None]:
    """Of make_buffer_ptr(ptr, num_records_bytes) or make_buffer_tensor(tensor, max_size, *, num_records_bytes)."""
    given = {item.arg: item.value for item in call.keywords}
    pointer = call.args[0] if call.args else given.get("ptr", given.get("tensor", call))
    size = given.get("num_records_bytes")
    if maker.endswith("_ptr") and len(call.args) > 1:
        size = call.args[1]
    return pointer, None if isinstance(size, ast.Constant) and size.value is None else size


def _one_row(size: ast.expr) -> bool:
    """`2 * N`: a workgroup that takes one row of a grid of M rows needs no other bound."""
    constants = [node.value for node in ast.walk(size) if isinstance(node, ast.Constant)]
    return bool(used(size)) and used(size) <= {"N", "K", "blocks"} and all(value in (1, 2, 4) for value in constants)


def _flow(kernel: ast.FunctionDef, parameters: set[str], rows: set[str]) -> tuple[set[str], dict[str, set[str]]]:
    """Names computed from M, and for each name the pointers that it comes from."""
    from_m, roots = set(rows), {name: {name} for name in parameters}
    edges, before = list(_edges(kernel)), -1
    while before != (before := len(from_m) + sum(map(len, roots.values()))):
        for names, sources in edges:
            origin = set().union(*(roots.get(name, set()) for name in sources))
            for name in names:
                roots[name] = roots.get(name, set()) | origin
            if sources & from_m:
                from_m |= names
    return from_m, roots


def _edges(kernel: ast.FunctionDef) -> Iterator[tuple[set[str], set[str]]]:
    """(Names, names that they are computed from) of assignments, local functions and the arguments these get."""
    for _, target, value in assigned(kernel):
        yield used(target), used(value)
    local = {node.name: node for node in ast.walk(kernel) if isinstance(node, ast.FunctionDef) and node is not kernel}
    for name, function in local.items():
        for node in ast.walk(function):
            if isinstance(node, ast.Return) and node.value is not None:
                yield {name}, used(node.value)
    for node in ast.walk(kernel):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in local:
            parameters = [item.arg for item in local[node.func.id].args.args]
            given = [*zip(parameters, node.args, strict=False), *((item.arg, item.value) for item in node.keywords)]
            yield from (({name}, used(value)) for name, value in given if name)
