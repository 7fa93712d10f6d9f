# SPDX-License-Identifier: Apache-2.0
"""Which dotted name an expression of a module means, as far as its imports tell; nothing is imported."""

from __future__ import annotations

import ast
from collections.abc import Iterator


class Names:
    """The imported names of one module, wherever in it they are imported."""

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

    def of(self, node: ast.expr) -> str:
        """`fx.rocdl.make_buffer_ptr` -> `flydsl.expr.rocdl.make_buffer_ptr`; empty for anything but imported names."""
        parts: list[str] = []
        while isinstance(node, ast.Attribute):
            parts.append(node.attr)
            node = node.value
        if not isinstance(node, ast.Name) or node.id not in self._meaning:
            return ""
        return ".".join([self._meaning[node.id], *reversed(parts)])


def imported(tree: ast.Module) -> Iterator[tuple[str, ast.stmt]]:
    """Every absolute name that the module imports, with its statement."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield alias.name, node
        elif isinstance(node, ast.ImportFrom) and not node.level and node.module:
            for alias in node.names:
                yield f"{node.module}.{alias.name}", node


def maximal(tree: ast.Module) -> Iterator[ast.Attribute | ast.Name]:
    """Attribute chains and names that are no part of a longer chain."""
    inner = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute | ast.Name) and id(node) not in inner:
            yield node


def used(node: ast.AST) -> set[str]:
    """Plain names that stand anywhere in an expression."""
    return {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}
