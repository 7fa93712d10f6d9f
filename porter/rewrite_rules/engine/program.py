# SPDX-License-Identifier: Apache-2.0
"""Source files as a program: which variable a name means, what is assigned to it, which function a call reaches.

Text only: nothing of a file is imported or executed.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import PurePath
from typing import Any, cast

import libcst as cst
from libcst.metadata import (
    CodeRange,
    ImportAssignment,
    MetadataWrapper,
    PositionProvider,
    Scope,
    ScopeProvider,
)

from porter.errors import SourceSpan

#: One step into a container: a constant index, or ANY.
Index = int | str
ANY = "*"
Path = tuple[Index, ...]


@dataclass(frozen=True, slots=True)
class Var:
    """A variable: its name and the scope that owns it."""

    scope: Scope
    name: str


@dataclass(frozen=True, slots=True)
class Binding:
    """One way a variable, or the part of it at `at`, gets a value.

    kind: "value" (the part of `node`'s value at `path`), "param", "function", "class", "import" or "opaque".
    """

    kind: str
    node: cst.CSTNode
    path: Path = ()
    at: Path = ()


@dataclass(frozen=True, slots=True)
class Function:
    """A function, method or lambda. owner: the class of a method; returns: what it returns, where that is written."""

    node: cst.FunctionDef | cst.Lambda
    module: Module
    owner: cst.ClassDef | None
    returns: tuple[cst.BaseExpression, ...]

    @property
    def name(self) -> str:
        return self.node.name.value if isinstance(self.node, cst.FunctionDef) else "<lambda>"

    @property
    def params(self) -> list[cst.Param]:
        """Positional and keyword parameters, `self` of a method included."""
        p = self.node.params
        return [*p.posonly_params, *p.params, *p.kwonly_params]

    @property
    def variadic(self) -> bool:
        """Whether it takes `*args` or `**kwargs`, through which arguments cannot be followed."""
        return isinstance(self.node.params.star_arg, cst.Param) or self.node.params.star_kwarg is not None

    def decorators(self) -> tuple[str, ...]:
        """Qualified names of the decorators."""
        if isinstance(self.node, cst.Lambda):
            return ()
        heads = (d.decorator.func if isinstance(d.decorator, cst.Call) else d.decorator for d in self.node.decorators)
        return tuple(self.module.qualified(head) for head in heads)


class Module:
    """One parsed file, with scopes, positions and everything its names are bound to."""

    def __init__(self, path: str, text: str) -> None:
        """Raises libcst.ParserSyntaxError when the text is not Python."""
        self.path = path
        self.text = text
        self.name = PurePath(path).stem
        self._wrapper = MetadataWrapper(cst.parse_module(text), unsafe_skip_copy=True)
        self.tree = self._wrapper.module
        self._scopes = cast("dict[cst.CSTNode, Scope | None]", self._wrapper.resolve(ScopeProvider))
        self._parents: dict[cst.CSTNode, cst.CSTNode] = {}
        self._order: dict[cst.CSTNode, int] = {}
        self.bindings: dict[Var, list[Binding]] = defaultdict(list)
        self.reads: dict[Var, list[cst.Name]] = defaultdict(list)
        self.fields: dict[str, list[tuple[cst.BaseExpression, Binding]]] = defaultdict(list)
        self.functions: dict[cst.CSTNode, Function] = {}
        self.calls: list[cst.Call] = []
        self.classes: list[cst.ClassDef] = []
        self.attributes: dict[str, list[cst.Attribute]] = defaultdict(list)
        self.tree.visit(_Reader(self, self._parents, self._order))

    def __contains__(self, node: cst.CSTNode) -> bool:
        return node in self._parents or node is self.tree

    @cached_property
    def _positions(self) -> dict[cst.CSTNode, CodeRange]:
        # Late, because a file without a site never asks.
        return cast("dict[cst.CSTNode, CodeRange]", self._wrapper.resolve(PositionProvider))

    def span(self, node: cst.CSTNode) -> SourceSpan:
        """Where the node stands; end_column only where it ends on its first line."""
        place = self._positions[node]
        one_line = place.end.line == place.start.line
        return SourceSpan(self.path, place.start.line, place.start.column + 1, place.end.column + 1 if one_line else 0)

    def parent(self, node: cst.CSTNode) -> cst.CSTNode | None:
        return self._parents.get(node)

    def parents(self, node: cst.CSTNode) -> Iterator[cst.CSTNode]:
        """From the nearest to the module."""
        current = self._parents.get(node)
        while current is not None:
            yield current
            current = self._parents.get(current)

    def function_of(self, node: cst.CSTNode) -> Function | None:
        """The innermost function whose body holds the node."""
        for parent in self.parents(node):
            if parent in self.functions:
                return self.functions[parent]
        return None

    def statement(self, node: cst.CSTNode) -> tuple[cst.BaseStatement, Sequence[cst.BaseStatement]] | None:
        """The innermost statement of a block that holds a node, and that block's statements."""
        child = node
        for parent in self.parents(node):
            if isinstance(parent, cst.IndentedBlock | cst.Module) and isinstance(child, cst.BaseStatement):
                return child, parent.body
            child = parent
        return None

    def order(self, node: cst.CSTNode) -> int:
        """Position for sorting, in the order of the text."""
        return self._order[node]

    def fresh(self, stem: str) -> str:
        """`stem`, or with the first number that no name of the file has."""
        names = {var.name for var in self.bindings}
        return next(name for name in (stem, *(f"{stem}_{i}" for i in range(len(names) + 1))) if name not in names)

    def code(self, node: cst.CSTNode) -> str:
        return self.tree.code_for_node(node)

    def scope(self, node: cst.CSTNode) -> Scope | None:
        return self._scopes.get(node)

    def var(self, name: cst.Name) -> Var | None:
        """The variable that a name means where it stands; None for builtins and unknown names."""
        scope = self._scopes.get(name)
        return None if scope is None else self.var_at(scope, name.value)

    def var_at(self, scope: Scope, name: str) -> Var | None:
        """The variable that `name` means in a scope."""
        try:
            assignments = scope[name]
        except KeyError:
            return None
        for assignment in assignments:
            var = Var(assignment.scope, name)
            if var in self.bindings:
                return var
        return None

    def reaching(self, read: cst.Name, var: Var) -> list[Binding]:
        """The bindings that may be what a name means where it is read; all of them where that is not clear.

        A plain assignment earlier in the same block, or in a block around it, hides every other, as long as nothing
        in between and no loop around the read binds the name too.
        """
        bindings = self.bindings.get(var, [])
        if len(bindings) < 2 or self.scope(read) is not var.scope:
            return bindings
        node: cst.CSTNode = read
        while True:
            found = self.statement(node)
            if found is None:
                return bindings
            statement, block = found
            for earlier in reversed(list(block)[: list(block).index(statement)]):
                inside = [binding for binding in bindings if earlier in self.parents(binding.node)]
                if inside:
                    simple = isinstance(earlier, cst.SimpleStatementLine) and len(earlier.body) == 1
                    plain = len(inside) == 1 and inside[0].kind == "value" and not inside[0].at
                    return inside if simple and plain else bindings
            around = self.parent(next(parent for parent in self.parents(statement)))
            if not isinstance(around, cst.For | cst.While | cst.If | cst.With | cst.Else):
                return bindings
            if any(around in self.parents(binding.node) for binding in bindings):
                return bindings
            node = around

    def qualified(self, node: cst.CSTNode) -> str:
        """Full dotted name of what an expression names, through imports, aliases and module constants; else ""."""
        if isinstance(node, cst.Attribute):
            base = self.qualified(node.value)
            return f"{base}.{node.attr.value}" if base else ""
        if not isinstance(node, cst.Name):
            return ""
        var = self.var(node)
        if var is not None:
            bindings = self.bindings[var]
            if len(bindings) != 1 or bindings[0].at:
                return ""
            only = bindings[0]
            if only.kind == "value" and not only.path and only.node is not node:
                return self.qualified(only.node)
            if only.kind == "value" and isinstance(only.node, cst.Tuple | cst.List) and len(only.path) == 1:
                index = only.path[0]
                elements = only.node.elements
                return self.qualified(elements[index].value) if isinstance(index, int) and index < len(elements) else ""
            if only.kind != "import":
                return ""
        scope = self._scopes.get(node)
        # What libcst's QualifiedNameProvider gives, asked for the few names that matter.
        names = scope.get_qualified_names_for(node) if scope is not None else ()
        return next((name.name for name in names), "")

    def imported(self, var: Var) -> str:
        """Qualified name behind an import's variable, else ""."""
        for assignment in var.scope[var.name]:
            if isinstance(assignment, ImportAssignment):
                return next((q.name for q in assignment.get_qualified_names_for(var.name)), "")
        return ""


class Program:
    """The files of one rewrite, resolved against each other."""

    def __init__(self, modules: list[Module]) -> None:
        self.modules = modules
        self._by_name = {module.name: module for module in modules}
        self._callees: dict[cst.Call, list[Function]] = {}
        self._call_sites: dict[cst.CSTNode, list[cst.Call] | None] = {}

    def module(self, node: cst.CSTNode) -> Module:
        """The module that holds a node."""
        return next(module for module in self.modules if node in module)

    def sibling(self, qualified: str) -> tuple[Module, Var] | None:
        """The module and module-level variable behind `package.module.name`, when that module was given."""
        parts = qualified.split(".")
        if len(parts) < 2 or parts[-2] not in self._by_name:
            return None
        module = self._by_name[parts[-2]]
        scope = module.scope(module.tree)
        var = module.var_at(scope, parts[-1]) if scope is not None else None
        return (module, var) if var is not None else None

    def bindings(self, module: Module, var: Var, read: cst.Name | None = None) -> list[tuple[Module, Binding]]:
        """Every binding of a variable, an import from a given file replaced by what that file binds.

        read: where it is read; bindings that do not reach it are left out.
        """
        found: list[tuple[Module, Binding]] = []
        for binding in module.bindings.get(var, ()) if read is None else module.reaching(read, var):
            other = self.sibling(module.imported(var)) if binding.kind == "import" else None
            if other is not None and other != (module, var):
                found += self.bindings(*other)
            else:
                found.append((module, binding))
        return found

    def callees(self, call: cst.Call) -> list[Function]:
        """The functions of the program that a call may reach; empty for anything else."""
        if call not in self._callees:
            self._callees[call] = self.functions_of(self.module(call), call.func)
        return self._callees[call]

    def functions_of(self, module: Module, func: cst.BaseExpression) -> list[Function]:
        """The functions of the program that an expression may be."""
        if isinstance(func, cst.Call):
            # A launcher that a builder returns, compiled or not.
            if module.qualified(func.func) == "flydsl.compiler.compile" and func.args:
                return self.functions_of(module, func.args[0].value)
            made = [(f.module, returned) for f in self.callees(func) for returned in f.returns]
            return [function for owner, returned in made for function in self.functions_of(owner, returned)]
        if isinstance(func, cst.Name):
            var = module.var(func)
            found: list[Function] = []
            for owner, binding in self.bindings(module, var) if var else ():
                if binding.kind == "function" or isinstance(binding.node, cst.Lambda):
                    found.append(owner.functions[binding.node])
                elif (
                    binding.kind == "value" and not binding.path and isinstance(binding.node, cst.Name | cst.Attribute)
                ):
                    found += self.functions_of(owner, binding.node)
            return found
        called = self.class_of(module, func)
        if called is not None:
            return self._methods(called, "__call__")
        if isinstance(func, cst.Attribute):
            other = self.sibling(module.qualified(func))
            if other is not None:
                return [m.functions[b.node] for m, b in self.bindings(*other) if b.kind == "function"]
            instance = self.class_of(module, func.value)
            if instance is not None:
                return self._methods(instance, func.attr.value)
        return []

    def _methods(self, owner: cst.ClassDef, name: str) -> list[Function]:
        return [f for m in self.modules for f in m.functions.values() if f.owner is owner and f.name == name]

    def class_of(self, module: Module, node: cst.BaseExpression, depth: int = 8) -> cst.ClassDef | None:
        """The class of the program that an expression is an instance of, where that can be read off."""
        if depth == 0:
            return None
        if isinstance(node, cst.Call):
            if isinstance(node.func, cst.Name):
                var = module.var(node.func)
                for _, binding in self.bindings(module, var) if var else ():
                    if isinstance(binding.node, cst.ClassDef):
                        return binding.node
            return None
        if isinstance(node, cst.Attribute):
            values = self.field_values(module, node, depth - 1)
            classes = {self.class_of(m, cast("cst.BaseExpression", b.node), depth - 1) for m, b in values}
            return classes.pop() if len(classes) == 1 else None
        if not isinstance(node, cst.Name):
            return None
        var = module.var(node)
        found: set[cst.ClassDef | None] = set()
        for owner, binding in self.bindings(module, var) if var else ():
            if binding.kind == "param":
                function = owner.function_of(binding.node)
                first = function is not None and function.owner is not None and function.params[0] is binding.node
                found.add(function.owner if first and function else None)
            elif binding.kind == "value" and not binding.path:
                found.add(self.class_of(owner, cast("cst.BaseExpression", binding.node), depth - 1))
            else:
                found.add(None)
        return found.pop() if len(found) == 1 else None

    def field_values(self, module: Module, node: cst.Attribute, depth: int = 8) -> list[tuple[Module, Binding]]:
        """What is assigned to the field that `object.field` reads, in every method of the object's class."""
        owner = self.class_of(module, node.value, depth)
        if owner is None:
            return []
        return [
            (m, binding)
            for m in self.modules
            for base, binding in m.fields.get(node.attr.value, ())
            if self.class_of(m, base, depth) is owner
        ]

    def call_sites(self, function: Function) -> list[cst.Call] | None:
        """Every call that may reach a function, or None where the function escapes and callers are unknown."""
        if function.node not in self._call_sites:
            self._call_sites[function.node] = self._find_call_sites(function)
        return self._call_sites[function.node]

    def _find_call_sites(self, function: Function) -> list[cst.Call] | None:
        calls = [(module, call) for module in self.modules for call in module.calls]
        sites = [call for _, call in calls if any(f is function for f in self.callees(call))]
        if function.owner is not None and function.name == "__init__":
            sites += [call for module, call in calls if self.class_of(module, call) is function.owner]
        heads = {site.func for site in sites}
        if function.owner is None and isinstance(function.node, cst.FunctionDef):
            for module in self.modules:
                for var in self._names_of(module, function):
                    for read in module.reads[var]:
                        if read not in heads and not self._is_handed_on(module, read, function):
                            return None
        return sites

    def _names_of(self, module: Module, function: Function) -> list[Var]:
        return [
            var
            for var in list(module.bindings)
            if any(binding.node is function.node for _, binding in self.bindings(module, var))
        ]

    @staticmethod
    def _is_handed_on(module: Module, read: cst.Name, function: Function) -> bool:
        """Whether a read only gives the function another name, or hands a launcher to whoever asked for one."""
        parent = module.parent(read)
        launcher = "flydsl.compiler.jit" in function.decorators()
        return (isinstance(parent, cst.Assign) and parent.value is read) or (
            launcher and isinstance(parent, cst.Return)
        )

    def argument(self, function: Function, call: cst.Call, param: cst.Param) -> cst.BaseExpression | None:
        """The expression that a call passes for a parameter, its default where it passes none, None if unknown."""
        if any(arg.star for arg in call.args):
            return None
        for arg in call.args:
            if arg.keyword is not None and arg.keyword.value == param.name.value:
                return arg.value
        positional = [arg.value for arg in call.args if arg.keyword is None]
        p = function.node.params
        names = [*p.posonly_params, *p.params]
        if function.owner is not None and "builtins.staticmethod" not in function.decorators():
            names = names[1:]  # `self` is before the dot, or what is called
        for name, value in zip(names, positional, strict=False):
            if name is param:
                return value
        return param.default


def index_of(node: cst.CSTNode) -> Index:
    """The index of a subscript: an int where it is written as one, else ANY."""
    if isinstance(node, cst.Integer):
        return int(node.evaluated_value)
    return ANY


def subscript(node: cst.Subscript) -> cst.BaseExpression | None:
    """The single index of `base[index]`, None for slices and several indices."""
    if len(node.slice) == 1 and isinstance(node.slice[0].slice, cst.Index):
        return node.slice[0].slice.value
    return None


def element_at(node: cst.CSTNode, path: Path) -> cst.BaseExpression | None:
    """The part of an expression at a path, where it is written out as lists and tuples."""
    for index in path:
        if not isinstance(node, cst.Tuple | cst.List) or not isinstance(index, int) or index >= len(node.elements):
            return None
        node = node.elements[index].value
    return node if isinstance(node, cst.BaseExpression) else None


def names_in(nodes: Sequence[cst.CSTNode]) -> set[str]:
    """Every name written in some nodes, attributes and keywords included."""
    found = _NameCollector()
    for node in nodes:
        node.visit(found)
    return found.names


def written_by(node: cst.CSTNode) -> set[str]:
    """Names that a statement sets, or whose parts it sets."""
    found = _TargetCollector()
    node.visit(found)
    return found.names


class _NameCollector(cst.CSTVisitor):
    def __init__(self) -> None:
        self.names: set[str] = set()

    def visit_Name(self, node: cst.Name) -> None:
        self.names.add(node.value)


class _TargetCollector(cst.CSTVisitor):
    def __init__(self) -> None:
        self.names: set[str] = set()

    def visit_AssignTarget(self, node: cst.AssignTarget) -> None:
        self.names |= names_in([node.target])

    def visit_AnnAssign(self, node: cst.AnnAssign) -> None:
        self.names |= names_in([node.target])

    def visit_NamedExpr(self, node: cst.NamedExpr) -> None:
        self.names |= names_in([node.target])

    def visit_For(self, node: cst.For) -> None:
        self.names |= names_in([node.target])

    def visit_AugAssign(self, node: cst.AugAssign) -> None:
        self.names |= names_in([node.target])


class _Reader(cst.CSTVisitor):
    """Fills a Module's tables in one walk."""

    def __init__(self, module: Module, parents: dict[cst.CSTNode, cst.CSTNode], order: dict[cst.CSTNode, int]) -> None:
        super().__init__()
        self._module = module
        self._parents = parents
        self._order = order
        self._open: list[cst.CSTNode] = []
        #: Names and fields that are written where they stand, not read.
        self._written: set[cst.CSTNode] = set()
        self._classes: list[cst.ClassDef | None] = []
        self._returns: list[list[cst.BaseExpression]] = []

    def on_visit(self, node: cst.CSTNode) -> bool:
        """Remember the parent and the order, then read the node."""
        self._order[node] = len(self._order)
        if self._open:
            self._parents[node] = self._open[-1]
        self._open.append(node)
        return super().on_visit(node)

    def on_leave(self, original_node: cst.CSTNode) -> None:
        """Go back to the parent."""
        super().on_leave(original_node)
        self._open.pop()

    def _bind(self, target: cst.BaseExpression, value: cst.CSTNode, path: Path = (), at: Path = ()) -> None:
        module = self._module
        self._written.add(target)
        if isinstance(target, cst.Name):
            scope = module.scope(target)
            if scope is not None:
                owner = next((a.scope for a in scope[target.value]), scope) if target.value in scope else scope
                module.bindings[Var(owner, target.value)].append(Binding("value", value, path, at))
        elif isinstance(target, cst.Tuple | cst.List) and not at:
            for i, element in enumerate(target.elements):
                starred = isinstance(element, cst.StarredElement)
                self._bind(element.value, value, (*path, ANY if starred else i))
        elif isinstance(target, cst.Subscript):
            index = subscript(target)
            self._bind(target.value, value, path, (index_of(index) if index is not None else ANY, *at))
        elif isinstance(target, cst.Attribute):
            module.fields[target.attr.value].append((target.value, Binding("value", value, path, at)))

    def _bind_name(self, name: cst.Name, binding: Binding, of: cst.CSTNode | None = None) -> None:
        self._written.add(name)
        scope = self._module.scope(of if of is not None else name)
        if scope is not None:
            self._module.bindings[Var(scope, name.value)].append(binding)

    def visit_Assign(self, node: cst.Assign) -> None:
        for target in node.targets:
            self._bind(target.target, node.value)

    def visit_AnnAssign(self, node: cst.AnnAssign) -> None:
        if node.value is not None:
            self._bind(node.target, node.value)

    def visit_AugAssign(self, node: cst.AugAssign) -> None:
        if isinstance(node.target, cst.Name):
            self._bind_name(node.target, Binding("opaque", node))
            self._written.discard(node.target)  # it is read as well

    def visit_Arg(self, node: cst.Arg) -> None:
        if node.keyword is not None:
            self._written.add(node.keyword)

    def visit_NamedExpr(self, node: cst.NamedExpr) -> None:
        self._bind(node.target, node.value)

    def visit_For(self, node: cst.For) -> None:
        self._bind(node.target, node.iter, (ANY,))

    def visit_CompFor(self, node: cst.CompFor) -> None:
        self._bind(node.target, node.iter, (ANY,))

    def visit_AsName(self, node: cst.AsName) -> None:
        if isinstance(node.name, cst.Name) and self._module.scope(node.name) is not None:
            self._bind_name(node.name, Binding("opaque", node))

    def visit_Import(self, node: cst.Import) -> None:
        self._imports(node, node.names)

    def visit_ImportFrom(self, node: cst.ImportFrom) -> None:
        if not isinstance(node.names, cst.ImportStar):
            self._imports(node, node.names)

    def _imports(self, node: cst.CSTNode, names: Any) -> None:
        for alias in names:
            bound = alias.asname.name if alias.asname else alias.name
            while isinstance(bound, cst.Attribute):
                bound = bound.value
            self._bind_name(bound, Binding("import", alias), of=node)

    def visit_ClassDef(self, node: cst.ClassDef) -> None:
        self._bind_name(node.name, Binding("class", node))
        self._module.classes.append(node)
        self._classes.append(node)

    def leave_ClassDef(self, original_node: cst.ClassDef) -> None:
        self._classes.pop()

    def visit_FunctionDef(self, node: cst.FunctionDef) -> None:
        self._bind_name(node.name, Binding("function", node))
        self._classes.append(None)
        self._returns.append([])

    def leave_FunctionDef(self, original_node: cst.FunctionDef) -> None:
        self._classes.pop()
        owner = self._classes[-1] if self._classes else None
        returns = tuple(self._returns.pop())
        self._module.functions[original_node] = Function(original_node, self._module, owner, returns)

    def visit_Lambda(self, node: cst.Lambda) -> None:
        self._module.functions[node] = Function(node, self._module, None, (node.body,))

    def visit_Param(self, node: cst.Param) -> None:
        self._bind_name(node.name, Binding("param", node))

    def visit_Return(self, node: cst.Return) -> None:
        if node.value is not None and self._returns:
            self._returns[-1].append(node.value)

    def visit_Call(self, node: cst.Call) -> None:
        self._module.calls.append(node)
        func = node.func
        if isinstance(func, cst.Attribute) and func.attr.value in ("append", "insert", "extend") and node.args:
            # A list grows: whatever stands in it may be read at any index.
            at: Path = () if func.attr.value == "extend" else (ANY,)
            self._bind(func.value, node.args[-1].value, (), at)
            self._written.discard(func.value)

    def visit_Attribute(self, node: cst.Attribute) -> None:
        self._module.attributes[node.attr.value].append(node)

    def visit_Name(self, node: cst.Name) -> None:
        var = None
        scope = self._module.scope(node)
        if scope is not None and node.value in scope:
            for assignment in scope[node.value]:
                var = Var(assignment.scope, node.value)
        if var is not None:
            self._module.reads[var].append(node)

    def leave_Module(self, original_node: cst.Module) -> None:
        tables: tuple[dict[Any, list[Any]], ...] = (self._module.reads, self._module.attributes)
        for table in tables:
            for nodes in table.values():
                nodes[:] = [node for node in nodes if node not in self._written]
