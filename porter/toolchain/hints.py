# SPDX-License-Identifier: Apache-2.0
"""The compile hints that a module's own host code hands to FlyDSL, read from its text.

`build` returns a launcher, and what it carries is seen on it; `flyc.compile[{...}]` in a host function is not, as that
function does not run when a kernel is compiled for a proof.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from porter.errors import ToolchainError
from porter.toolchain.syntax import nodes

_COMPILER = "flydsl.compiler"
#: Without one of these words no text gives hints; most texts have neither, and need not be parsed.
_MENTIONED = re.compile(r"\bcompile(_hints)?\b")


def effective_hints(carried: Mapping[str, Any], texts: Iterable[str]) -> dict[str, Any]:
    """The hints that the modules compile with: those that the launcher carries and those that the texts add.

    Raises ToolchainError CKT012 where that cannot be told: hints that are no literals, or that differ between calls.
    """
    found: list[dict[str, Any]] = []
    plain = False
    for text in filter(_MENTIONED.search, texts):
        for hints in _calls(nodes(text)):
            plain |= hints is None
            found += [hints] if hints and hints not in found else []
    added = [hints for hints in found if any(carried.get(key) != value for key, value in hints.items())]
    if len(added) > 1 or (added and plain):
        raise _unclear(f"the module compiles with different ones: {', '.join(map(str, found))}{' and none' * plain}")
    return {**carried, **(added[0] if added else {})}


def _calls(module: tuple[ast.AST, ...]) -> Iterator[dict[str, Any] | None]:
    """The hints of every use of `flyc.compile`, None for one without, and of every other place that sets hints."""
    compilers, functions = _names(module)
    subscripted = set()
    for node in module:
        if isinstance(node, ast.Subscript) and _is_compile(node.value, compilers, functions):
            subscripted.add(node.value)
            yield _literal(node.slice)
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "compile_hints":
            yield _literal(node.args[0] if node.args else node)
        elif isinstance(node, ast.Assign | ast.AnnAssign | ast.AugAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            for target in targets:
                if isinstance(target, ast.Attribute) and target.attr == "compile_hints":
                    yield _literal(node.value)
                elif isinstance(target, ast.Subscript) and _ends_in_hints(target.value):
                    yield {_text(target.slice): _value(node.value)}
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and _ends_in_hints(node.func.value):
            raise _unclear(f"line {node.lineno} changes them")
    for node in module:
        if isinstance(node, ast.Call) and node.func not in subscripted and _is_compile(node.func, compilers, functions):
            yield None


def _names(module: tuple[ast.AST, ...]) -> tuple[set[str], set[str]]:
    """(names of flydsl.compiler, names of its `compile`) that a module imports."""
    compilers, functions = {_COMPILER}, set()
    for node in module:
        if isinstance(node, ast.Import):
            compilers |= {alias.asname for alias in node.names if alias.name == _COMPILER and alias.asname}
        elif isinstance(node, ast.ImportFrom) and node.module == "flydsl":
            compilers |= {alias.asname or alias.name for alias in node.names if alias.name == "compiler"}
        elif isinstance(node, ast.ImportFrom) and node.module == _COMPILER:
            functions |= {alias.asname or alias.name for alias in node.names if alias.name == "compile"}
    return compilers, functions


def _is_compile(node: ast.expr, compilers: set[str], functions: set[str]) -> bool:
    if isinstance(node, ast.Attribute):
        return node.attr == "compile" and ast.unparse(node.value) in compilers
    return isinstance(node, ast.Name) and node.id in functions


def _ends_in_hints(node: ast.expr) -> bool:
    return isinstance(node, ast.Attribute) and node.attr == "compile_hints"


def _literal(node: ast.expr | None) -> dict[str, Any]:
    value = _value(node)
    if not isinstance(value, dict):
        raise _unclear(f"line {getattr(node, 'lineno', 0)} gives no dict of literals")
    return value


def _text(node: ast.expr) -> str:
    return str(_value(node))


def _value(node: ast.expr | None) -> Any:
    try:
        return ast.literal_eval(node) if node is not None else None
    except (ValueError, TypeError, SyntaxError) as error:
        raise _unclear(f"line {getattr(node, 'lineno', 0)} gives no literal") from error


def _unclear(what: str) -> ToolchainError:
    hint = "give them as literals, the same at every call, or as attributes of the kernel (value_attrs)"
    return ToolchainError("CKT012", f"which compile hints the module uses cannot be told: {what}", hint=hint)
