# SPDX-License-Identifier: Apache-2.0
"""Edits on a syntax tree: replacements by node, helper functions, and the removal of what nothing uses any more."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import TypeVar

import libcst as cst
from libcst.metadata import ClassScope

from porter.rewrite_rules.engine.names import number_type, short
from porter.rewrite_rules.engine.program import Binding, Module, Var

_Node = TypeVar("_Node", bound=cst.CSTNode)
#: From a node whose parts are already edited to what takes its place.
Edit = Callable[[cst.CSTNode], "cst.CSTNode | cst.RemovalSentinel | cst.FlattenSentinel[cst.BaseStatement]"]


class Edits(cst.CSTTransformer):
    """The edits of one file."""

    def __init__(self, module: Module) -> None:
        super().__init__()
        self.module = module
        self.edits: dict[cst.CSTNode, list[Edit]] = {}
        self.helpers: dict[str, str] = {}

    def __bool__(self) -> bool:
        return bool(self.edits)

    def add(self, node: cst.CSTNode, edit: Edit) -> None:
        """Edit a node; several edits of one node run in the order in which they were added."""
        self.edits.setdefault(node, []).append(edit)

    def put(self, node: cst.BaseExpression, text: str) -> None:
        """Put an expression, given as text, in a node's place."""
        self.add(node, lambda _: cst.parse_expression(text))

    def replace(self, node: cst.BaseExpression, by: cst.BaseExpression) -> None:
        """Put another expression of this file, with its own edits, in a node's place."""
        parent = self.module.parent(node)

        def edit(_: cst.CSTNode) -> cst.CSTNode:
            moved = edited(self, by)
            bare = isinstance(moved, cst.Name | cst.Call | cst.Subscript | cst.Attribute | cst.List | cst.Tuple)
            inside = isinstance(parent, cst.BaseExpression | cst.ComparisonTarget)
            return moved if bare or not inside or moved.lpar else parenthesized(moved)

        self.add(node, edit)

    def on_leave(self, original_node: cst.CSTNode, updated_node: cst.CSTNode) -> cst.CSTNode:  # type: ignore[override]
        """Apply the edits of a node after those of its parts."""
        result: cst.CSTNode = super().on_leave(original_node, updated_node)  # type: ignore[assignment]
        for edit in self.edits.get(original_node, ()):
            result = edit(result)  # type: ignore[assignment]
        return result

    def apply(self) -> str:
        """The file's text after all edits, with its helpers in front of the first function or class."""
        tree = self.module.tree.visit(self)
        for name, text in self.helpers.items():
            if not any(isinstance(s, cst.FunctionDef) and s.name.value == name for s in tree.body):
                tree = _insert_helper(tree, text)
        return tree.code


def edited(edits: Edits, node: _Node) -> _Node:
    """A copy of a node with the edits of its parts, and of itself."""
    copy = node.visit(edits)
    assert isinstance(copy, cst.CSTNode)
    return copy.deep_clone()


def parenthesized(node: cst.BaseExpression) -> cst.BaseExpression:
    return node.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()])


def _insert_helper(tree: cst.Module, text: str) -> cst.Module:
    helper = cst.parse_module(text).body[0]
    body = list(tree.body)
    at = next((i for i, s in enumerate(body) if isinstance(s, cst.FunctionDef | cst.ClassDef)), len(body))
    blank = [cst.EmptyLine(indent=False), cst.EmptyLine(indent=False)]
    if at < len(body):
        following = body[at]
        assert isinstance(following, cst.FunctionDef | cst.ClassDef)
        lines = list(following.leading_lines)
        while lines and lines[0].comment is None:
            lines.pop(0)
        body[at] = following.with_changes(leading_lines=[*blank, *lines])
    assert isinstance(helper, cst.FunctionDef)
    body.insert(at, helper.with_changes(leading_lines=blank))
    return tree.with_changes(body=body)


def remove_unused(before: Module, module: Module, lost: Collection[str] = ()) -> str:
    """The text of a module without the imports, undecorated functions and pure assignments that lost their readers.

    before: the module before the edits; lost: names of the module that other files no longer import.
    What had no reader before the edits stays: it is the author's.
    """
    used_before = {_key(before, var, bindings[0]) for var, bindings in before.bindings.items() if before.reads[var]}
    used_before.update((name, "") for name in lost)
    drop: set[cst.CSTNode] = set()
    candidates = {
        var: bindings
        for var, bindings in module.bindings.items()
        if not isinstance(var.scope, ClassScope)
        and _key(module, var, bindings[0]) in used_before
        and all(_removable(module, binding) for binding in bindings)
    }
    drop.update(
        function.node
        for function in module.functions.values()
        if function.owner is not None
        and not function.decorators()
        and before.attributes.get(function.name)
        and not module.attributes.get(function.name)
    )
    while True:
        unread = [
            var
            for var in candidates
            if all(drop.intersection((read, *module.parents(read))) for read in module.reads[var])
        ]
        if not unread:
            break
        for var in unread:
            drop.update(binding.node for binding in candidates.pop(var))
    return module.tree.visit(_Remove(drop)).code if drop else module.text


def _key(module: Module, var: Var, binding: Binding) -> tuple[str, ...]:
    around: list[str] = []
    node: cst.CSTNode | None = binding.node
    while node is not None:
        function = module.function_of(node)
        node = function.node if function else None
        around.append(function.name if function else "")
    return (var.name, *around)


def _removable(module: Module, binding: Binding) -> bool:
    node = binding.node
    if binding.kind == "import":
        return True
    if binding.kind == "function":
        return isinstance(node, cst.FunctionDef) and not node.decorators
    if binding.kind != "value" or binding.path or binding.at or not isinstance(node, cst.BaseExpression):
        return False
    parent = module.parent(node)
    single = (
        isinstance(parent, cst.Assign) and len(parent.targets) == 1 and isinstance(parent.targets[0].target, cst.Name)
    )
    return single and _pure(module, node)


def _pure(module: Module, node: cst.CSTNode) -> bool:
    if isinstance(node, cst.Call):
        name = short(module.qualified(node.func))
        method = node.func.attr.value if isinstance(node.func, cst.Attribute) and not name else ""
        known = number_type(name) or name in ("min", "max", "Vector.filled", "Vector.from_elements")
        if not known and not name.startswith("math.") and method not in ("bitcast", "to", "select", "load", "view"):
            return False
    return all(_pure(module, child) for child in node.children)


class _Remove(cst.CSTTransformer):
    def __init__(self, drop: set[cst.CSTNode]) -> None:
        super().__init__()
        self._drop = drop

    def leave_FunctionDef(
        self, original_node: cst.FunctionDef, updated_node: cst.FunctionDef
    ) -> cst.FunctionDef | cst.RemovalSentinel:
        return cst.RemoveFromParent() if original_node in self._drop else updated_node

    def leave_Assign(self, original_node: cst.Assign, updated_node: cst.Assign) -> cst.Assign | cst.RemovalSentinel:
        return cst.RemoveFromParent() if original_node.value in self._drop else updated_node

    def leave_Import(self, original_node: cst.Import, updated_node: cst.Import) -> cst.Import | cst.RemovalSentinel:
        keep = [n for o, n in zip(original_node.names, updated_node.names, strict=True) if o not in self._drop]
        return updated_node.with_changes(names=_last_bare(keep)) if keep else cst.RemoveFromParent()

    def leave_ImportFrom(
        self, original_node: cst.ImportFrom, updated_node: cst.ImportFrom
    ) -> cst.ImportFrom | cst.RemovalSentinel:
        if isinstance(original_node.names, cst.ImportStar) or isinstance(updated_node.names, cst.ImportStar):
            return updated_node
        keep = [n for o, n in zip(original_node.names, updated_node.names, strict=True) if o not in self._drop]
        return updated_node.with_changes(names=_last_bare(keep)) if keep else cst.RemoveFromParent()


def _last_bare(names: list[cst.ImportAlias]) -> list[cst.ImportAlias]:
    return [*names[:-1], names[-1].with_changes(comma=cst.MaybeSentinel.DEFAULT)]
