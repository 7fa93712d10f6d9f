# SPDX-License-Identifier: Apache-2.0
"""CKG013: the raw block id behind an XCD remap (scales of another tile, silently).

Source: CUTLASS#3394.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from porter.gate.lint.module import LintModule
from porter.gate.lint.names import assigned, used
from porter.gate.result import GateFinding
from porter.gate.rule import GateRule

RULE = GateRule(
    "CKG013",
    "raw-block-id",
    "Scales or stores are indexed with the raw block id although the kernel remaps it.",
    "Use the remapped block for every index that follows the tile.",
)
_HEAD = (
    "import flydsl.compiler as flyc\nimport flydsl.expr as fx\n\n\n@flyc.kernel\n"
    "def k(A: fx.Pointer, M: fx.Int32):\n"
)
VALID = (
    f"{_HEAD}    row = fx.block_idx.x // 4\n    column = fx.block_idx.x % 4\n    return row, column\n",
    f"{_HEAD}    die, slot = fx.block_idx.x % 8, fx.block_idx.x // 8\n    block = die * 4 + slot\n    return block\n",
    f"{_HEAD}    pid = fx.block_idx.x\n    block = pid % 8 * 4 + pid // 8\n    return block\n",
    f"{_HEAD}    pid = fx.block_idx.x\n    pid = pid % 8 * 4 + pid // 8\n    return pid * 128\n",
    f"{_HEAD}    pid = fx.block_idx.x\n    row, column = divmod(pid, 8)\n    return row, column, pid\n",
    f"{_HEAD}    pid = fx.block_idx.x\n    place = pid // 8, pid % 8\n    return place, pid\n",
    f"{_HEAD}    pid = fx.block_idx.x\n    block = (pid & 3) * 4 + (pid >> 3)\n    return block, pid\n",
    f"{_HEAD}    p = fx.block_idx.x\n    at = p * 4\n    p = p % 8 * 4 + p // 8\n    at = p * 4\n    return at\n",
)
INVALID = (
    (
        f"{_HEAD}    die, slot = fx.block_idx.x % 8, fx.block_idx.x // 8\n    block = die * 4 + slot\n"
        "    return block, fx.block_idx.x % 2 * 256\n",
        9,
    ),
    *(
        (f"{_HEAD}    {bind}\n    {remap}\n    return block, {use}\n", 9)
        for bind, remap, use in (
            ("pid = fx.block_idx.x", "block = pid % 8 * 4 + pid // 8", "pid * 128"),
            ("pid: fx.Int32 = fx.block_idx.x", "block: fx.Int32 = pid % 8 * 4 + pid // 8", "pid"),
            ("pid, one = fx.block_idx.x, 1", "block = pid % 8 * 4 + pid // 8", "pid"),
            ("bi = fx.block_idx; p = bi.x; q = p", "block = q % 8 * 4 + p // 8", "bi.x"),
            ("p = fx.block_idx.x", "slot, die = divmod(p, 8); block = die * 4 + slot", "p"),
            ("p = fx.block_idx.x", "place = divmod(p, 8); block = place[1] * 4 + place[0]", "p"),
            ("p = fx.block_idx.x", "block = (p & 7) * 4 + (p >> 3)", "p"),
            ("p, X = fx.block_idx.x, 8", "block = (p & (X - 1)) * 4 + p // X", "p"),
            ("p, X = fx.block_idx.x, 8", "block = p % X * 4 + (p >> 3)", "p"),
            ("p = fx.block_idx.x; offset = p * 128", "block = p % 8 * 4 + p // 8", "offset"),
        )
    ),
)


@dataclass(frozen=True, slots=True)
class _Part:
    """One half of a split of the raw id: `%` or `//`, by what, and the expression and names that hold it."""

    kind: str
    divisor: str
    node: ast.expr
    names: frozenset[str]
    statement: ast.stmt | ast.NamedExpr


class _RawIds:
    """Which expressions of a kernel are the raw block id, each at its place: a name may be bound anew."""

    def __init__(self, module: LintModule, kernel: ast.FunctionDef) -> None:
        self._module = module
        self._bound: dict[str, list[tuple[tuple[int, int], str]]] = {}
        for statement, target, value in assigned(kernel):
            kind = "raw" if self.holds(value) else "product" if self._multiplies(value) else ""
            for name in used(target):
                self._bound.setdefault(name, []).append((_end(statement), kind))
        values = ((target, value) for _, target, value in assigned(module.tree) if isinstance(value, ast.Constant))
        self._numbers = {target.id: ast.unparse(value) for target, value in values if isinstance(target, ast.Name)}

    def holds(self, node: ast.expr) -> bool:
        """Whether an expression is the raw block id itself."""
        if isinstance(node, ast.Name):
            return self._binding(node)[1] == "raw"
        return isinstance(node, ast.Attribute) and self._module.names.of(node) == "flydsl.expr.block_idx.x"

    def stale(self, node: ast.expr, remap: tuple[int, int]) -> bool:
        """Whether a name is a product of the raw id, such as an offset, that was computed before the remap."""
        end, kind = self._binding(node) if isinstance(node, ast.Name) else (remap, "")
        return kind == "product" and end <= remap

    def number(self, node: ast.expr) -> str:
        """An expression's text, or the number that the module binds to it."""
        return self._numbers.get(ast.unparse(node), ast.unparse(node))

    def _binding(self, node: ast.Name) -> tuple[tuple[int, int], str]:
        """The end and the kind of the last binding before a use."""
        place = (node.lineno, node.col_offset)
        before = [item for item in self._bound.get(node.id, ()) if item[0] <= place]
        return before[-1] if before and isinstance(node.ctx, ast.Load) else (place, "")

    def _multiplies(self, value: ast.expr) -> bool:
        products = [node for node in ast.walk(value) if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult)]
        return any(self.holds(side) for node in products for side in (node.left, node.right))


def check(module: LintModule) -> Iterator[GateFinding]:
    """Uses of `block_idx.x`, of a name that only renames it or of a product of it, behind the statement that deals it
    out over dies.

    That statement is the first one that takes the raw id both modulo and divided by the same number, and then adds
    the two up again somewhere; a plain split into row and column never does.
    """
    for kernel in module.kernels:
        raw = _RawIds(module, kernel)
        remap = _remap(raw, kernel)
        if remap is None:
            continue
        lines = {
            node.lineno
            for node in ast.walk(kernel)
            if isinstance(node, ast.expr) and (node.lineno, node.col_offset) >= remap
            if raw.holds(node) or raw.stale(node, remap)
        }
        for line in sorted(lines):
            yield module.finding(RULE.id, "the raw block id is used behind its remap", line)


def _end(node: ast.stmt | ast.expr) -> tuple[int, int]:
    return node.end_lineno or node.lineno, node.end_col_offset or 0


def _remap(raw: _RawIds, kernel: ast.FunctionDef) -> tuple[int, int] | None:
    """Where the remap's first step ends, or None where nothing is remapped."""
    parts = list(_parts(raw, kernel))
    sums = [node for node in ast.walk(kernel) if isinstance(node, ast.BinOp)]
    for low in parts:
        for high in parts:
            if (low.kind, high.kind) == ("%", "//") and low.divisor == high.divisor:
                last = max(_end(low.statement), _end(high.statement))
                if any(_joins(node, low, high, last) or _joins(node, high, low, last) for node in sums):
                    return last
    return None


def _joins(node: ast.BinOp, left: _Part, right: _Part, last: tuple[int, int]) -> bool:
    return _carries(node.left, left, last) and _carries(node.right, right, last)


def _carries(node: ast.expr, part: _Part, last: tuple[int, int]) -> bool:
    """Whether an expression computes a part itself or, behind both parts, names it."""
    behind = (node.lineno, node.col_offset) >= last
    return any(item is part.node for item in ast.walk(node)) or (behind and bool(used(node) & part.names))


def _parts(raw: _RawIds, kernel: ast.FunctionDef) -> Iterator[_Part]:
    for statement, target, value in assigned(kernel):
        names = frozenset(used(target))
        for node in ast.walk(value):
            match node:
                case ast.BinOp(left=left, op=operator, right=right) if raw.holds(left):
                    if split := _split(raw, operator, right):
                        yield _Part(*split, node, names, statement)
                case ast.Call(func=ast.Name(id="divmod"), args=[left, right]) if raw.holds(left):
                    several = isinstance(target, ast.Tuple) and len(target.elts) == 2 and node is value
                    each = map(used, target.elts) if several else (names, names)  # type: ignore[attr-defined]
                    for kind, its in zip(("//", "%"), each, strict=True):
                        yield _Part(kind, raw.number(right), node, frozenset(its), statement)


def _split(raw: _RawIds, operator: ast.operator, right: ast.expr) -> tuple[str, str] | None:
    """(Kind, divisor) of what the raw id is put through; `& 7` is `% 8`, and `>> 3` is `// 8`."""
    match operator, right:
        case ast.Mod(), _:
            return "%", raw.number(right)
        case ast.FloorDiv(), _:
            return "//", raw.number(right)
        case ast.BitAnd(), ast.Constant(value=int(mask)):
            return "%", str(mask + 1)
        case ast.BitAnd(), ast.BinOp(left=divisor, op=ast.Sub(), right=ast.Constant(value=1)):
            return "%", raw.number(divisor)
        case ast.RShift(), ast.Constant(value=int(shift)) if 0 <= shift < 32:
            return "//", str(1 << shift)
    return None
