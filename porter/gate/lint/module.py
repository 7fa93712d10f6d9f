# SPDX-License-Identifier: Apache-2.0
"""One kernel module as the lint rules see it: text and syntax tree, never imported."""

from __future__ import annotations

import ast
import copy
import re
from dataclasses import dataclass, field
from functools import cached_property

from porter.errors import SourceSpan
from porter.gate.lint.names import Names
from porter.gate.result import GateFinding


@dataclass(frozen=True)
class LintModule:
    """A kernel module.

    path: as findings show it; kernel: its name; siblings: other modules that are read with it, file name -> text; shim:
    whether it is the one place where unstable FlyDSL names may stand. Texts lose a byte order mark; lines end in \\n.
    """

    path: str
    kernel: str
    text: str
    siblings: dict[str, str] = field(default_factory=dict)
    shim: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "text", _plain(self.text))
        object.__setattr__(self, "siblings", {name: _plain(text) for name, text in self.siblings.items()})

    @cached_property
    def tree(self) -> ast.Module:
        """`x *= y` is read as `x = x * y`. Raises SyntaxError; RecursionError or MemoryError for deep nesting."""
        try:
            tree = ast.parse(self.text)
        except ValueError as error:  # NUL bytes, on some versions, and lone surrogates
            raise SyntaxError(str(error)) from error
        _spell_out(tree)
        return tree

    @cached_property
    def names(self) -> Names:
        return Names(self.tree)

    @cached_property
    def kernels(self) -> list[ast.FunctionDef]:
        """Functions that FlyDSL compiles for the device: those decorated with `flydsl.compiler.kernel`."""
        return [
            node
            for node in ast.walk(self.tree)
            if isinstance(node, ast.FunctionDef) and any(self._is_kernel(item) for item in node.decorator_list)
        ]

    def _is_kernel(self, decorator: ast.expr) -> bool:
        called = decorator.func if isinstance(decorator, ast.Call) else decorator
        return self.names.of(called) == "flydsl.compiler.kernel"

    def finding(self, rule: str, message: str, line: int) -> GateFinding:
        """A finding on a line, told from others by the line's text."""
        lines = self.text.split("\n")
        key = lines[line - 1].strip() if 0 < line <= len(lines) else ""
        return GateFinding(rule, message, SourceSpan(self.path, line), self.kernel, key)


def _plain(text: str) -> str:
    return re.sub("\r\n?", "\n", text.removeprefix("\ufeff"))


def _spell_out(tree: ast.Module) -> None:
    """Augmented assignments become plain ones; without recursion, as long sums nest deep."""
    for node in ast.walk(tree):
        for field_name in ("body", "orelse", "finalbody"):
            block = getattr(node, field_name, None)
            if isinstance(block, list):
                block[:] = [_spelt(item) if isinstance(item, ast.AugAssign) else item for item in block]


def _spelt(node: ast.AugAssign) -> ast.Assign:
    before = copy.copy(node.target)
    before.ctx = ast.Load()
    value = ast.copy_location(ast.BinOp(before, node.op, node.value), node)
    return ast.copy_location(ast.Assign([node.target], value), node)
