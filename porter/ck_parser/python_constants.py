# SPDX-License-Identifier: Apache-2.0
"""Constants of a Python file, worked out from its syntax tree; nothing of the file is ever imported or run.

Only what lists of instances use: literals, names of the module, arithmetic, displays, unpacking, comprehensions,
f-strings, a few methods and built-ins, and calls of the classes that the file's dataclasses describe. Work and sizes
are bounded, so that no file can hang the reader.
"""

from __future__ import annotations

import ast
import operator
import re
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from porter.ck_parser import python_calls
from porter.ck_parser.python_calls import SCALARS, ClassShape, Made, is_key
from porter.ck_parser.table import CellError
from porter.errors import InputError, SourceSpan

#: Longer sources are refused: the largest real one has 40 kB, and a syntax tree takes 50 times its source.
MAX_CHARS = 2**20
_MAX_STEPS = 2_000_000
_MAX_INTEGER = 2**63
_MAX_DEPTH = 200

#: aiter's helpers that give the chip which the code runs on.
_CHIP_CALL = re.compile("get_(gfx|arch)[a-z_]*")
_INSTANCE_CLASS = re.compile("[A-Za-z_]*kernelinstance[A-Za-z0-9_]*", re.IGNORECASE)


class NotConstant(Exception):
    """Why an expression has no constant value, and where."""

    def __init__(self, reason: str, node: ast.AST) -> None:
        super().__init__(reason)
        self.reason = reason
        self.node = node


class _Unreadable(NotConstant):
    """An instance that cannot be worked out; the list around it goes on without it."""


class _OverBudget(Exception):
    """The file asks for more work than any list of instances needs."""


@dataclass(frozen=True, slots=True)
class Listed:
    """An instance in a list.

    list_name: the module-level name that holds it, empty where none does; kernel_id: its key there where that is a
    number; nested: the name holds it in a list of lists.
    """

    made: Made
    list_name: str
    kernel_id: int | None
    nested: bool = False


@dataclass(slots=True)
class Constants:
    """What one reading of a module for one chip gives.

    listed: instances in module-level names; failures: calls that could not be worked out; depends_on_chip: whether the
    file asks for the chip at all.
    """

    listed: list[Listed] = field(default_factory=list)
    failures: dict[ast.Call, NotConstant] = field(default_factory=dict)
    depends_on_chip: bool = False


def parse(text: str, path: str) -> ast.Module:
    """The syntax tree; InputError CKP020 where the text is not Python."""
    text = re.sub("[\ud800-\udfff]", "?", text)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(text)
    except SyntaxError as error:
        where = SourceSpan(path, max(1, error.lineno or 1), max(0, error.offset or 0))
        raise InputError("CKP020", f"not Python: {error.msg}", where) from error
    except (ValueError, RecursionError, MemoryError) as error:
        raise InputError("CKP020", f"not Python: {error or 'nested too deeply'}", SourceSpan(path, 1)) from error


def evaluate(tree: ast.Module, chip: str, assumed: Callable[[str], ClassShape]) -> Constants:
    """The instances that the module's names hold where it runs on `chip`.

    assumed: the shape of an instance class that the file imports, from its name.
    Raises CellError CKP021 where the file asks for more work than any list needs.
    """
    reading = _Reading(chip, assumed)
    try:
        reading.run(tree)
        return reading.result(tree)
    except _OverBudget as error:
        raise CellError("CKP021", "the file's constants take more work than any instance list needs") from error
    except RecursionError as error:
        raise CellError("CKP021", "the file's expressions are nested too deeply") from error


_BINARY: dict[type[ast.operator], Callable[[int | float, int | float], int | float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.FloorDiv: operator.floordiv,
    ast.Div: operator.truediv,
    ast.Mod: operator.mod,
}
_INTEGER_BINARY: dict[type[ast.operator], Callable[[int, int], int]] = {
    ast.LShift: operator.lshift,
    ast.RShift: operator.rshift,
    ast.BitOr: operator.or_,
    ast.BitAnd: operator.and_,
    ast.BitXor: operator.xor,
    ast.Pow: operator.pow,
}
_COMPARE: dict[type[ast.cmpop], Callable[[object, object], bool]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Is: operator.eq,
    ast.IsNot: operator.ne,
}
_ORDER: dict[type[ast.cmpop], Callable[[float, float], bool]] = {
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}


@dataclass(frozen=True, slots=True)
class _Namespace:
    """A class of the file, for the constants in its body."""

    constants: dict[str, object]


class _Reading:
    """One pass over a module: names and what they hold, statement by statement."""

    def __init__(self, chip: str, assumed: Callable[[str], ClassShape]) -> None:
        self.chip = chip
        self.assumed = assumed
        self.names: dict[str, object] = {}
        self.shapes: dict[str, ClassShape] = {}
        self.failures: dict[ast.Call, NotConstant] = {}
        self.made: dict[ast.Call, Made] = {}
        self.replaced: set[ast.Call] = set()
        self.asked_chip = False
        self.steps = 0
        self.depth = 0

    # --- statements

    def run(self, tree: ast.Module) -> None:
        self._block(tree.body)

    def result(self, tree: ast.Module) -> Constants:
        constants = Constants(failures=self.failures, depends_on_chip=self.asked_chip)
        for name, value in self.names.items():
            constants.listed.extend(self._instances(name, value, None, 0, set()))
        held = {listed.made.call for listed in constants.listed}
        for call in _module_calls(tree):
            if not self._shape_of(call) or call in held or call in self.replaced:
                continue
            if call not in self.made and call not in self.failures:
                # Written where the reading did not come by: the other branch, or inside an unknown call.
                self._try(call)
            if call in self.made:
                constants.listed.append(Listed(self.made[call], "", None))
        return constants

    def _instances(self, name: str, value: object, key: int | None, depth: int, seen: set[int]) -> Iterator[Listed]:
        if isinstance(value, Made):
            yield Listed(value, name, key, depth > 1)
        elif isinstance(value, (dict, list, tuple)) and id(value) not in seen:
            seen.add(id(value))
            # Only a dict's keys are ids: positions change whenever lists are put together.
            items = value.items() if isinstance(value, dict) else ((None, item) for item in value)
            for inner, item in items:
                number = inner if isinstance(inner, int) and not isinstance(inner, bool) else None
                yield from self._instances(name, item, number, depth + 1, seen)

    def _block(self, body: list[ast.stmt]) -> None:
        for statement in body:
            self._statement(statement)

    def _statement(self, node: ast.stmt) -> None:
        self._spend(1)
        if isinstance(node, ast.ClassDef):
            self._class(node)
        elif isinstance(node, ast.Assign):
            self._assign(node.targets, node.value)
        elif isinstance(node, ast.AnnAssign) and node.value:
            self._assign([node.target], node.value)
        elif isinstance(node, ast.AugAssign):
            whole = ast.copy_location(ast.BinOp(_as_load(node.target), node.op, node.value), node)
            self._assign([node.target], whole)
        elif isinstance(node, ast.Expr):
            self._try(node.value)
        elif isinstance(node, ast.If):
            self._if(node)
        elif isinstance(node, ast.For):
            self._for(node)
        elif isinstance(node, ast.Try):
            self._block(node.body + node.orelse + node.finalbody)
        elif isinstance(node, ast.With):
            self._block(node.body)

    def _class(self, node: ast.ClassDef) -> None:
        fields: dict[str, None] = {}
        defaults: dict[str, ast.expr] = {}
        prefix = ""
        for base in node.bases:
            inherited = self.shapes.get(base.id) if isinstance(base, ast.Name) else None
            if inherited:
                fields |= dict.fromkeys(inherited.fields)
                defaults |= inherited.defaults
                prefix = inherited.prefix
        constants: dict[str, object] = {}
        for item in node.body:
            if isinstance(item, ast.AnnAssign) and isinstance(item.target, ast.Name):
                fields[item.target.id] = None
                if item.value:
                    defaults[item.target.id] = item.value
            elif isinstance(item, ast.Assign):
                value = self._try(item.value)
                constants |= {target.id: value for target in item.targets if isinstance(target, ast.Name)}
            elif isinstance(item, ast.FunctionDef) and item.name == "name":
                prefix = _name_prefix(item)
        if fields:
            self.shapes[node.name] = ClassShape(node.name, tuple(fields), defaults, prefix)
        self.names[node.name] = _Namespace(constants)

    def _assign(self, targets: list[ast.expr], value: ast.expr) -> None:
        found = self._try(value)
        for target in targets:
            self._bind(target, found)

    def _bind(self, target: ast.expr, value: object) -> None:
        if isinstance(target, ast.Name):
            self.names[target.id] = value
        elif isinstance(target, (ast.Tuple, ast.List)):
            items = value if isinstance(value, (tuple, list)) and len(value) == len(target.elts) else None
            for index, inner in enumerate(target.elts):
                unknown = value if isinstance(value, NotConstant) else NotConstant("cannot be unpacked", target)
                self._bind(inner, unknown if items is None else items[index])
        elif isinstance(target, ast.Subscript):
            holder, key = self._try(target.value), self._try(target.slice)
            if isinstance(holder, dict) and is_key(key) and not isinstance(value, NotConstant):
                holder[key] = value
        elif isinstance(target, ast.Attribute):
            made = self._try(target.value)
            if isinstance(made, Made) and target.attr in made.values and is_key(value):
                made.values[target.attr] = value

    def _if(self, node: ast.If) -> None:
        test = self._try(node.test)
        if isinstance(test, NotConstant):
            # Nobody knows which branch runs: instances of both are written in the file.
            self._block(node.body + node.orelse)
        else:
            self._block(node.body if test else node.orelse)

    def _for(self, node: ast.For) -> None:
        items = self._try(node.iter)
        if isinstance(items, NotConstant) or not isinstance(items, (list, tuple, dict, range, str)):
            return
        for item in items:
            self._spend(1)
            self._bind(node.target, item)
            self._block(node.body)

    # --- expressions

    def _try(self, node: ast.expr) -> object:
        """The value, or the NotConstant that says why there is none."""
        try:
            return self.value(node)
        except NotConstant as error:
            return error

    def value(self, node: ast.expr) -> object:
        """The value of an expression; raises NotConstant."""
        self._spend(1)
        self.depth += 1
        try:
            if self.depth > _MAX_DEPTH:
                raise NotConstant("nested too deeply", node)
            value = self._dispatch(node)
            if isinstance(value, int) and abs(value) >= _MAX_INTEGER:
                raise NotConstant("the number is too large", node)
            return value
        except NotConstant:
            raise
        except python_calls.NotKnown as error:
            raise NotConstant(str(error), node) from error
        except (TypeError, ValueError, KeyError, IndexError, ArithmeticError) as error:
            raise NotConstant(f"{type(error).__name__}: {str(error)[:80]}", node) from error
        finally:
            self.depth -= 1

    def _dispatch(self, node: ast.expr) -> object:
        match node:
            case ast.Constant():
                return self._constant(node)
            case ast.Name():
                return self._name(node)
            case ast.List() | ast.Set():
                return self._sequence(node)
            case ast.Tuple():
                return tuple(self._sequence(node))
            case ast.Dict():
                return self._dict(node)
            case ast.ListComp() | ast.SetComp() | ast.GeneratorExp():
                return self._comprehension(node)
            case ast.DictComp():
                return self._dict_comprehension(node)
            case ast.BinOp():
                return self._binary(node)
            case ast.UnaryOp():
                return self._unary(node)
            case ast.BoolOp():
                return self._bool(node)
            case ast.Compare():
                return self._compare(node)
            case ast.IfExp():
                return self.value(node.body if self.value(node.test) else node.orelse)
            case ast.Subscript():
                return self._subscript(node)
            case ast.Attribute():
                return self._attribute(node)
            case ast.JoinedStr():
                return self._formatted(node)
            case ast.Call():
                return self._call(node)
        raise NotConstant(f"{type(node).__name__} is not constant", node)

    def _spend(self, steps: int) -> None:
        self.steps += steps
        if self.steps > _MAX_STEPS:
            raise _OverBudget

    def _constant(self, node: ast.Constant) -> object:
        if not isinstance(node.value, SCALARS):
            raise NotConstant("not a number, a word or a truth value", node)
        return node.value

    def _name(self, node: ast.Name) -> object:
        if node.id not in self.names:
            raise NotConstant(f"{node.id} is not a constant of this file", node)
        value = self.names[node.id]
        if isinstance(value, NotConstant):
            raise NotConstant(f"{node.id}: {value.reason}", node)
        return value

    def _sequence(self, node: ast.List | ast.Tuple | ast.Set) -> list[object]:
        items: list[object] = []
        for element in node.elts:
            try:
                if isinstance(element, ast.Starred):
                    items.extend(self._iterable(element.value))
                else:
                    items.append(self.value(element))
            except _Unreadable:
                continue
        self._spend(len(items))
        return items

    def _dict(self, node: ast.Dict) -> object:
        result: dict[object, object] = {}
        for key, item in zip(node.keys, node.values, strict=True):
            try:
                if key is None:
                    other = self.value(item)
                    if not isinstance(other, dict):
                        raise NotConstant("** of something that is not a dict", item)
                    result |= other
                    self._spend(len(other))
                else:
                    name = self._key(key)
                    replaced = result.get(name)
                    result[name] = self.value(item)
                    if isinstance(replaced, Made):
                        # The id is written twice, and Python keeps the later entry.
                        self.replaced.add(replaced.call)
            except _Unreadable:
                continue
        return result

    def _key(self, node: ast.expr) -> object:
        key = self.value(node)
        if not is_key(key):
            raise NotConstant("not a plain key", node)
        return key

    def _iterable(self, node: ast.expr) -> list[object]:
        value = self.value(node)
        if not isinstance(value, (list, tuple, dict, range, str)):
            raise NotConstant("cannot be iterated", node)
        self._spend(len(value))
        return list(value)

    def _comprehension(self, node: ast.ListComp | ast.SetComp | ast.GeneratorExp) -> object:
        items: list[object] = []
        self._loops(node.generators, lambda: items.append(self.value(node.elt)))
        return items

    def _dict_comprehension(self, node: ast.DictComp) -> object:
        result: dict[object, object] = {}

        def put() -> None:
            result[self._key(node.key)] = self.value(node.value)

        self._loops(node.generators, put)
        return result

    def _loops(self, generators: list[ast.comprehension], put: Callable[[], None]) -> None:
        if not generators:
            try:
                put()
            except _Unreadable:
                return
            return
        first, *rest = generators
        outer = dict(self.names)
        self._spend(len(outer))
        for item in self._iterable(first.iter):
            self._spend(1)
            self._bind(first.target, item)
            if all(self.value(test) for test in first.ifs):
                self._loops(rest, put)
        self.names = outer

    def _binary(self, node: ast.BinOp) -> object:
        left, right = self.value(node.left), self.value(node.right)
        kind = type(node.op)
        if isinstance(left, dict) and isinstance(right, dict) and kind is ast.BitOr:
            self._spend(len(left) + len(right))
            return left | right
        if kind is ast.Add:
            for sequence in (str, list, tuple):
                if isinstance(left, sequence) and isinstance(right, sequence):
                    self._spend(len(left) + len(right))
                    return left + right  # type: ignore[operator]
        if kind is ast.Mult and isinstance(left, (str, list, tuple)) and isinstance(right, int):
            self._spend(max(0, len(left) * right))
            return left * right
        if isinstance(left, int) and isinstance(right, int) and kind in _INTEGER_BINARY:
            if kind in (ast.LShift, ast.Pow) and not 0 <= right <= 63:
                raise NotConstant("the number is too large", node)
            return _INTEGER_BINARY[kind](left, right)
        if isinstance(left, (int, float)) and isinstance(right, (int, float)) and kind in _BINARY:
            return _BINARY[kind](left, right)
        raise NotConstant("arithmetic of something that is not a number", node)

    def _unary(self, node: ast.UnaryOp) -> object:
        value = self.value(node.operand)
        if isinstance(node.op, ast.Not):
            return not value
        if not isinstance(value, (int, float)):
            raise NotConstant("arithmetic of something that is not a number", node)
        if isinstance(node.op, ast.Invert):
            return ~int(value)
        return -value if isinstance(node.op, ast.USub) else value

    def _bool(self, node: ast.BoolOp) -> object:
        stop = isinstance(node.op, ast.Or)
        value: object = None
        for part in node.values:
            value = self.value(part)
            if bool(value) is stop:
                break
        return value

    def _compare(self, node: ast.Compare) -> object:
        left = self.value(node.left)
        for test, part in zip(node.ops, node.comparators, strict=True):
            right = self.value(part)
            if not self._holds(test, left, right, node):
                return False
            left = right
        return True

    def _holds(self, test: ast.cmpop, left: object, right: object, node: ast.AST) -> bool:
        kind = type(test)
        if kind in (ast.In, ast.NotIn) and is_key(left) and isinstance(right, (list, tuple, dict, str, range)):
            self._spend(len(right))
            if isinstance(right, str):
                found = isinstance(left, str) and left in right
            else:
                found = left in [item for item in right if is_key(item)]
            return found is (kind is ast.In)
        if kind in _COMPARE and is_key(left) and is_key(right):
            return _COMPARE[kind](left, right)
        if kind in _ORDER and isinstance(left, (int, float)) and isinstance(right, (int, float)):
            return _ORDER[kind](left, right)
        raise NotConstant("a comparison that is not of plain values", node)

    def _subscript(self, node: ast.Subscript) -> object:
        holder = self.value(node.value)
        if isinstance(node.slice, ast.Slice):
            parts = (node.slice.lower, node.slice.upper, node.slice.step)
            bounds = [part and self.value(part) for part in parts]
            whole = [bound for bound in bounds if bound is None or isinstance(bound, int)]
            if isinstance(holder, (list, tuple, str)) and len(whole) == len(bounds):
                self._spend(len(holder))
                return holder[slice(*whole)]
            raise NotConstant("a slice of something that is not a list", node)
        key = self._key(node.slice)
        if isinstance(holder, dict):
            return holder[key]
        if isinstance(holder, (list, tuple, str)) and isinstance(key, int):
            return holder[key]
        raise NotConstant("an item of something that is not a list or a dict", node)

    def _attribute(self, node: ast.Attribute) -> object:
        holder = self.value(node.value)
        if isinstance(holder, Made) and node.attr in holder.values:
            return holder.values[node.attr]
        if isinstance(holder, _Namespace) and node.attr in holder.constants:
            value = holder.constants[node.attr]
            if isinstance(value, NotConstant):
                raise value
            return value
        if node.attr == "value" and isinstance(holder, SCALARS):
            # The value of an enumerator, which its name already gave.
            return holder
        raise NotConstant(f"attribute {node.attr} is not a constant", node)

    def _formatted(self, node: ast.JoinedStr) -> object:
        parts: list[str] = []
        for part in node.values:
            if isinstance(part, ast.FormattedValue):
                value = self.value(part.value)
                if part.format_spec is not None or not isinstance(value, SCALARS):
                    raise NotConstant("an f-string of something that is not plain", node)
                parts.append(str(value))
            else:
                parts.append(str(self.value(part)))
        text = "".join(parts)
        self._spend(len(text))
        return text

    # --- calls

    def _call(self, node: ast.Call) -> object:
        shape = self._shape_of(node)
        if shape:
            try:
                made = self._make(shape, node)
            except NotConstant as error:
                self.failures.setdefault(node, error)
                raise _Unreadable(error.reason, error.node) from error
            self.made[node] = made
            return made
        name = _called(node)
        if isinstance(node.func, ast.Attribute) and not _CHIP_CALL.fullmatch(name):
            args, _ = self._arguments(node)
            return python_calls.method(self.value(node.func.value), name, args, self._spend)
        if _CHIP_CALL.fullmatch(name) and not node.args and not node.keywords:
            self.asked_chip = True
            return self.chip
        args, keywords = self._arguments(node)
        if name == python_calls.EXPANSION:
            return python_calls.expand(args, keywords, self.names, self._spend)
        return python_calls.builtin(name, args, keywords, self._spend)

    def _shape_of(self, node: ast.Call) -> ClassShape | None:
        name = _called(node)
        if isinstance(node.func, ast.Name) and name in self.shapes:
            return self.shapes[name]
        return self.assumed(name) if _INSTANCE_CLASS.fullmatch(name) else None

    def _arguments(self, node: ast.Call) -> tuple[list[object], dict[str, object]]:
        args: list[object] = []
        for argument in node.args:
            if isinstance(argument, ast.Starred):
                args.extend(self._iterable(argument.value))
            else:
                args.append(self.value(argument))
        keywords: dict[str, object] = {}
        for keyword in node.keywords:
            value = self.value(keyword.value)
            if keyword.arg is not None:
                keywords[keyword.arg] = value
            elif isinstance(value, dict) and all(isinstance(key, str) for key in value):
                keywords |= value
            else:
                raise NotConstant("** of something that is not a dict of words", keyword.value)
        return args, keywords

    def _make(self, shape: ClassShape, node: ast.Call) -> Made:
        args, keywords = self._arguments(node)
        if len(args) > len(shape.fields):
            raise NotConstant(f"{len(args)} values where {shape.name} has {len(shape.fields)} parameters", node)
        values = dict(zip(shape.fields, args, strict=False))
        for name, value in keywords.items():
            if name not in shape.fields:
                raise NotConstant(f"{shape.name} has no parameter {name}", node)
            if name in values:
                raise NotConstant(f"{name} is given twice", node)
            values[name] = value
        for name in shape.fields:
            if name not in values:
                if name not in shape.defaults:
                    raise NotConstant(f"{name} is missing", node)
                values[name] = self.value(shape.defaults[name])
        for name, value in values.items():
            if not is_key(tuple(value) if isinstance(value, list) else value):
                raise NotConstant(f"{name} is not a plain value", node)
        parts: dict[str, ast.expr] = {}
        if not any(isinstance(argument, ast.Starred) for argument in node.args):
            parts = dict(zip(shape.fields, node.args, strict=False))
        parts |= {keyword.arg: keyword.value for keyword in node.keywords if keyword.arg}
        return Made(shape, values, node, parts)


def _called(node: ast.Call) -> str:
    """The last name of what a call calls, empty where it is not a name."""
    if isinstance(node.func, ast.Name):
        return node.func.id
    return node.func.attr if isinstance(node.func, ast.Attribute) else ""


def _as_load(target: ast.expr) -> ast.expr:
    """The target of an augmented assignment as the expression that reads it."""
    if isinstance(target, ast.Name):
        return ast.copy_location(ast.Name(target.id, ast.Load()), target)
    return target


def _name_prefix(function: ast.FunctionDef) -> str:
    """The first words that a `name` property puts together."""
    words = [
        node
        for statement in function.body
        for node in ast.walk(statement)
        if isinstance(node, ast.Constant)
        and isinstance(node.value, str)
        and re.match("[A-Za-z0-9]+_[A-Za-z0-9_]*", node.value)
    ]
    first = min(words, key=lambda node: (node.lineno, node.col_offset), default=None)
    return str(first.value) if first else ""


def _module_calls(tree: ast.Module) -> list[ast.Call]:
    """Every call that is written outside functions and classes, in the order of the text."""
    calls: list[ast.Call] = []
    nodes: list[ast.AST] = [tree]
    while nodes:
        node = nodes.pop()
        if isinstance(node, ast.Call):
            calls.append(node)
        nodes.extend(
            child
            for child in ast.iter_child_nodes(node)
            if not isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda))
        )
    return sorted(calls, key=lambda call: (call.lineno, call.col_offset))
