# SPDX-License-Identifier: Apache-2.0
"""Which dotted name an expression of a module means, as far as imports and assignments tell; nothing is imported."""

from __future__ import annotations

import ast
from collections.abc import Iterator


class Names:
    """The imported names of one module and their aliases, wherever in it they are bound."""

    def __init__(self, tree: ast.Module) -> None:
        self._meaning: dict[str, str] = {}
        for node in ast.walk(tree):
            if isinstance(node, ast.Import):
                for alias in node.names:
                    bound = alias.asname or alias.name.partition(".")[0]
                    self._meaning[bound] = alias.name if alias.asname else bound
            elif isinstance(node, ast.ImportFrom) and not node.level and node.module:
                for alias in node.names:
                    self._meaning[alias.asname or alias.name] = f"{node.module}.{alias.name}"
        self._values: dict[int, str] = {}  # of followed assignments: `r = r.rocdl` changes what its own value says
        self._follow([(target.id, value) for _, target, value in assigned(tree) if isinstance(target, ast.Name)])

    def _follow(self, pending: list[tuple[str, ast.expr]]) -> None:
        """Every assignment once, as soon as its value means something; a function may use what is bound below it."""
        before = -1
        while len(pending) != before:
            before, waiting = len(pending), pending
            pending = []
            for name, value in waiting:
                if meaning := self.of(value):
                    self._meaning[name] = self._values[id(value)] = meaning
                else:
                    pending.append((name, value))

    def of(self, node: ast.expr) -> str:
        """`fx.rocdl.make_buffer_ptr` -> `flydsl.expr.rocdl.make_buffer_ptr`; empty for what comes from no import."""
        if isinstance(node, ast.Name):
            return self._meaning.get(node.id, "")
        if id(node) in self._values:
            return self._values[id(node)]
        if isinstance(node, ast.Attribute):
            meaning = self.of(node.value)
            return f"{meaning}.{node.attr}" if meaning else ""
        return self.of(node.value) if isinstance(node, ast.NamedExpr) else ""


def imported(tree: ast.Module) -> Iterator[tuple[str, int]]:
    """Every absolute name that the module imports, with its line; `.*` ends those of a star import."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield alias.name, node.lineno
        elif isinstance(node, ast.ImportFrom) and not node.level and node.module:
            for alias in node.names:
                yield f"{node.module}.{alias.name}", node.lineno


def maximal(tree: ast.Module) -> Iterator[ast.Attribute | ast.Name]:
    """Names and attribute chains that are no part of a longer chain."""
    inner = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute | ast.Name) and id(node) not in inner:
            yield node


Assigned = tuple[ast.Assign | ast.AnnAssign | ast.NamedExpr, ast.expr, ast.expr]


def assigned(tree: ast.AST) -> list[Assigned]:
    """(Statement, target, value) of every assignment in textual order; `a, b = c, d` gives two."""
    found: list[Assigned] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign):
            found += [(node, *pair) for target in node.targets for pair in _pairs(target, node.value)]
        elif isinstance(node, ast.AnnAssign | ast.NamedExpr) and node.value is not None:
            found.append((node, node.target, node.value))
    return sorted(found, key=lambda item: (item[0].lineno, item[0].col_offset))


def _pairs(target: ast.expr, value: ast.expr) -> Iterator[tuple[ast.expr, ast.expr]]:
    several = ast.Tuple | ast.List
    if isinstance(target, several) and isinstance(value, several) and len(target.elts) == len(value.elts):
        for one, its in zip(target.elts, value.elts, strict=True):
            yield from _pairs(one, its)
    else:
        yield target, value


def used(node: ast.AST) -> set[str]:
    """Plain names that stand anywhere in an expression."""
    return {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}
