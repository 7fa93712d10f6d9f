# SPDX-License-Identifier: Apache-2.0
"""Follows a value backwards to where it is made: through names, tuples, lists, fields, parameters and returns.

The answer is conservative: assignments count whatever their order, and an index that is not written as a number means
every element. What moves a value without changing it is followed; the first expression that computes is a terminal.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import libcst as cst

from porter.rewrite_rules.engine.program import (
    ANY,
    Binding,
    Function,
    Index,
    Module,
    Path,
    Program,
    Var,
    index_of,
    subscript,
)

#: The calls that lead to an expression, outermost first: which call each enclosing function was entered by.
Context = tuple[tuple[Function, cst.Call], ...]


@dataclass(frozen=True, slots=True)
class Value:
    """An expression, the part of its value that is meant, and the calls that lead there."""

    module: Module
    node: cst.BaseExpression
    path: Path = ()
    context: Context = ()


@dataclass(slots=True)
class Trail:
    """Everything between a value and its terminals.

    nodes: every expression passed; carriers: variables that hold the value, with the parts that do; bound: ids of the
    bindings that gave them it; fields: object fields likewise; entered: functions passed by way of what they return;
    types: number types that are written for the value on the way; rules: ids of the rules whose steps were taken.
    """

    terminals: list[Value] = field(default_factory=list)
    nodes: set[cst.CSTNode] = field(default_factory=set)
    carriers: dict[Var, set[Path]] = field(default_factory=dict)
    owners: dict[Var, Module] = field(default_factory=dict)
    fields: set[str] = field(default_factory=set)
    bound: set[int] = field(default_factory=set)
    entered: list[Function] = field(default_factory=list)
    types: set[cst.BaseExpression] = field(default_factory=set)
    rules: set[str] = field(default_factory=set)


#: A rule's step: follow a value that the Tracer does not know how to follow; True when it did.
Step = Callable[["Tracer", Trail, Value], bool]
#: Whether a call to a function of the program ends the way, because the call as a whole computes.
Ends = Callable[[Value], bool]


class Tracer:
    """Follows values through one program."""

    def __init__(self, program: Program, steps: tuple[Step, ...], ends: Ends) -> None:
        self.program = program
        self._steps = steps
        self._ends = ends

    def trace(self, value: Value) -> Trail:
        """The trail from a value to its terminals."""
        trail = Trail()
        self._seen: set[tuple[int, Path, tuple[int, ...]]] = set()
        self.follow(trail, value)
        return trail

    def follow(self, trail: Trail, value: Value) -> None:
        """Continue a trail at a value."""
        key = (id(value.node), value.path, tuple(id(call) for _, call in value.context))
        if key in self._seen:
            return
        self._seen.add(key)
        trail.nodes.add(value.node)
        if any(step(self, trail, value) for step in self._steps):
            return
        node, path = value.node, value.path
        at = _Here(self, trail, value)
        if isinstance(node, cst.Name):
            self._name(trail, value, node)
        elif isinstance(node, cst.Tuple | cst.List):
            at.elements(node)
        elif isinstance(node, cst.ListComp | cst.GeneratorExp):
            at.go(node.elt, path[1:])
        elif isinstance(node, cst.Subscript):
            index = subscript(node)
            at.go(node.value, ((ANY if index is None else self.index(value, index)), *path))
        elif isinstance(node, cst.IfExp):
            at.go(node.body, path)
            at.go(node.orelse, path)
        elif isinstance(node, cst.BinaryOperation) and at.repeats(node):
            pass
        elif isinstance(node, cst.Attribute):
            self._field(trail, value, node)
        elif isinstance(node, cst.Call):
            self._call(trail, value, node)
        else:
            trail.terminals.append(value)

    def index(self, value: Value, node: cst.BaseExpression) -> Index:
        """The index that an expression is: a number where it is one, or a module constant that is one."""
        if isinstance(node, cst.Name):
            var = value.module.var(node)
            bindings = self.program.bindings(value.module, var) if var else []
            if len(bindings) == 1 and bindings[0][1].kind == "value" and not bindings[0][1].path:
                return index_of(bindings[0][1].node)
        return index_of(node)

    def _name(self, trail: Trail, value: Value, node: cst.Name) -> None:
        module, path = value.module, value.path
        var = module.var(node)
        if var is None:
            trail.terminals.append(value)
            return
        trail.carriers.setdefault(var, set()).add(path)
        trail.owners[var] = module
        bindings = self.program.bindings(module, var, node)
        trail.bound.update(id(binding) for binding in module.reaching(node, var))
        if not bindings:
            trail.terminals.append(value)
        for owner, binding in bindings:
            rest = _beyond(path, binding.at)
            if rest is not None:
                self._binding(trail, value, owner, binding, rest)

    def _binding(self, trail: Trail, value: Value, owner: Module, binding: Binding, path: Path) -> None:
        context = unwind(value.context, owner, binding.node)
        if binding.kind == "value" and isinstance(binding.node, cst.BaseExpression):
            if isinstance(binding.node, cst.List) and not binding.node.elements:
                return  # an empty list that grows: its elements are bindings of their own
            self.follow(trail, Value(owner, binding.node, (*binding.path, *path), context))
        elif binding.kind == "param" and isinstance(binding.node, cst.Param):
            self._param(trail, value, owner, binding.node, path, context)
        else:
            trail.terminals.append(value)

    def _param(
        self, trail: Trail, value: Value, module: Module, param: cst.Param, path: Path, context: Context
    ) -> None:
        function = module.function_of(param)
        if function is None or function.variadic:
            trail.terminals.append(value)
            return
        if context and context[-1][0] is function:
            calls: list[cst.Call] | None = [context[-1][1]]
            context = context[:-1]
        else:
            calls, context = self.program.call_sites(function), ()
        if not calls:
            trail.terminals.append(value)
            return
        for call in calls:
            argument = self.program.argument(function, call, param)
            if argument is None:
                trail.terminals.append(value)
            else:
                self.follow(trail, Value(self.program.module(argument), argument, path, context))

    def _field(self, trail: Trail, value: Value, node: cst.Attribute) -> None:
        fields = self.program.field_values(value.module, node)
        trail.fields.add(node.attr.value)
        if not fields:
            trail.terminals.append(value)
        for owner, binding in fields:
            rest = _beyond(value.path, binding.at)
            if rest is not None:
                # Which call ran the assigning method is not known.
                self._binding(trail, Value(owner, value.node, value.path, ()), owner, binding, rest)

    def _call(self, trail: Trail, value: Value, node: cst.Call) -> None:
        at = _Here(self, trail, value)
        name = value.module.qualified(node.func)
        if name in ("builtins.list", "builtins.tuple", "builtins.reversed", "builtins.sorted") and len(node.args) == 1:
            path = value.path
            at.go(node.args[0].value, (ANY, *path[1:]) if name.endswith(("reversed", "sorted")) and path else path)
        elif name == "builtins.zip" and len(value.path) > 1:
            for i, arg in enumerate(node.args):
                if value.path[1] in (i, ANY):
                    at.go(arg.value, (value.path[0], *value.path[2:]))
        elif name == "builtins.enumerate" and len(value.path) > 1 and value.path[1] == 1:
            at.go(node.args[0].value, (value.path[0], *value.path[2:]))
        else:
            callees = self.program.callees(node)
            if not callees or self._ends(value) or any(value.context.count((f, node)) for f in callees):
                trail.terminals.append(value)
                return
            for function in callees:
                if function not in trail.entered:
                    trail.entered.append(function)
                if not function.returns:
                    trail.terminals.append(value)
                for returned in function.returns:
                    context = (*value.context, (function, node))
                    self.follow(trail, Value(function.module, returned, value.path, context))


@dataclass(frozen=True, slots=True)
class _Here:
    """Continues a trail from one expression to its parts, in the same file and context."""

    tracer: Tracer
    trail: Trail
    value: Value

    def go(self, node: cst.BaseExpression, path: Path) -> None:
        self.tracer.follow(self.trail, Value(self.value.module, node, path, self.value.context))

    def elements(self, node: cst.Tuple | cst.List) -> None:
        path = self.value.path
        wanted: Index = path[0] if path else ANY
        for i, element in enumerate(node.elements):
            if isinstance(element, cst.StarredElement):
                self.go(element.value, (ANY, *path[1:]))
            elif wanted in (i, ANY):
                self.go(element.value, path[1:])

    def repeats(self, node: cst.BinaryOperation) -> bool:
        """`[v] * n` and `list + list` move values; follow them."""
        if isinstance(node.operator, cst.Multiply) and isinstance(node.left, cst.List):
            self.go(node.left, (ANY, *self.value.path[1:]))
            return True
        if isinstance(node.operator, cst.Add) and isinstance(node.right, cst.List):
            self.go(node.left, (ANY, *self.value.path[1:]))
            self.go(node.right, (ANY, *self.value.path[1:]))
            return True
        return False


def unwind(context: Context, module: Module, node: cst.CSTNode) -> Context:
    """The part of a context that holds for a node: up to the call that entered the function around it."""
    around = module.function_of(node)
    while around is not None:
        for depth in range(len(context), 0, -1):
            if context[depth - 1][0] is around:
                return context[:depth]
        around = module.function_of(around.node)
    return ()


def _beyond(path: Path, at: Path) -> Path | None:
    """What of `path` lies beyond `at`; None when a binding at `at` is another element."""
    for mine, theirs in zip(path, at, strict=False):
        if mine != theirs and ANY not in (mine, theirs):
            return None
    return path[len(at) :]
