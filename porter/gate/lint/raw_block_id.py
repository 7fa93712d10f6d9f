# SPDX-License-Identifier: Apache-2.0
"""CKG013: the raw block id behind an XCD remap (users.md 3, row 13: scales of another tile, silently)."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from porter.gate.lint.module import LintModule
from porter.gate.lint.names import used
from porter.gate.result import GateFinding

RULE = "CKG013"
_HEAD = (
    "import flydsl.compiler as flyc\nimport flydsl.expr as fx\n\n\n@flyc.kernel\n"
    "def k(A: fx.Pointer, M: fx.Int32):\n"
)
VALID = (
    f"{_HEAD}    row = fx.block_idx.x // 4\n    column = fx.block_idx.x % 4\n    return row, column\n",
    f"{_HEAD}    die, slot = fx.block_idx.x % 8, fx.block_idx.x // 8\n    block = die * 4 + slot\n    return block\n",
    f"{_HEAD}    pid = fx.block_idx.x\n    block = pid % 8 * 4 + pid // 8\n    return block\n",
)
INVALID = (
    (
        f"{_HEAD}    die, slot = fx.block_idx.x % 8, fx.block_idx.x // 8\n    block = die * 4 + slot\n"
        "    return block, fx.block_idx.x % 2 * 256\n",
        9,
    ),
    (f"{_HEAD}    pid = fx.block_idx.x\n    block = pid % 8 * 4 + pid // 8\n    return block, pid * 128\n", 9),
)


def check(module: LintModule) -> Iterator[GateFinding]:
    """Uses of `block_idx.x`, or of a name that only renames it, behind the statement that deals it out over dies.

    That statement is the first one that takes the raw id both modulo and divided by the same number, and then adds
    the two up again somewhere; a plain split into row and column never does.
    """
    for kernel in module.kernels:
        raw = {
            target.id
            for node in ast.walk(kernel)
            if isinstance(node, ast.Assign) and _is_raw(module, node.value, set())
            for target in node.targets
            if isinstance(target, ast.Name)
        }
        remap = _remap(module, kernel, raw)
        if remap is None:
            continue
        last = remap.end_lineno or remap.lineno
        seen: set[int] = set()
        for node in ast.walk(kernel):
            if isinstance(node, ast.expr) and _is_raw(module, node, raw) and node.lineno > last:
                if node.lineno not in seen:
                    yield module.finding(RULE, "the raw block id is used behind its remap", node.lineno)
                seen.add(node.lineno)


def _is_raw(module: LintModule, node: ast.expr, aliases: set[str]) -> bool:
    if isinstance(node, ast.Name):
        return node.id in aliases and isinstance(node.ctx, ast.Load)
    return isinstance(node, ast.Attribute) and module.names.of(node) == "flydsl.expr.block_idx.x"


def _remap(module: LintModule, kernel: ast.FunctionDef, raw: set[str]) -> ast.stmt | None:
    """The last statement of the remap's first step, or None where nothing is remapped."""
    parts: dict[tuple[str, str], tuple[ast.Assign, set[str]]] = {}
    for statement in sorted((n for n in ast.walk(kernel) if isinstance(n, ast.Assign)), key=lambda n: n.lineno):
        for target, value in _pairs(statement):
            for operation in ast.walk(value):
                if isinstance(operation, ast.BinOp) and _is_raw(module, operation.left, raw):
                    kind = {ast.Mod: "%", ast.FloorDiv: "//"}.get(type(operation.op))
                    if kind:
                        parts.setdefault((kind, ast.dump(operation.right)), (statement, used(target)))
    for (kind, divisor), (statement, low) in parts.items():
        other = parts.get(("//", divisor))
        if kind != "%" or other is None:
            continue
        last = max(statement, other[0], key=lambda item: item.lineno)
        if statement is other[0] and low == other[1]:
            return last  # both in one expression, so they are put together there
        for node in ast.walk(kernel):
            if isinstance(node, ast.BinOp) and used(node) >= low | other[1] and node.lineno > last.lineno:
                return last
    return None


def _pairs(statement: ast.Assign) -> Iterator[tuple[ast.expr, ast.expr]]:
    target, value = statement.targets[0], statement.value
    if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple) and len(target.elts) == len(value.elts):
        yield from zip(target.elts, value.elts, strict=True)
    else:
        yield target, value
