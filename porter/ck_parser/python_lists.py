# SPDX-License-Identifier: Apache-2.0
"""Instance lists of a Python file, read from its syntax tree; nothing of the file is ever imported or run.

What aiter's sources hold is read: dicts of calls of a dataclass, their arguments literals; copies of such a dict, as it
is or by `expand_blockpercu`; a choice by the chip. A new name for anything else is passed over; every other statement
about a list or an instance is refused.
"""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple

from porter.ck_parser.quoting import quote
from porter.ck_parser.table import CellError
from porter.errors import InputError, SourceSpan

#: Longer sources are refused: the largest real one has 40 kB, and a syntax tree takes 50 times its source.
MAX_CHARS = 2**20
_MAX_ENTRIES = 200_000
_TOO_MANY = f"the file's lists hold more than {_MAX_ENTRIES} instances"
_MAX_INTEGER = 2**63

#: Which parameter aiter's `expand_blockpercu` counts up, the constant that says how far, and more than any real file.
_COUNTED, _MAX_COUNT, _HIGHEST_COUNT = "BlockPerCu", "BLOCK_PER_CU_MAX", 64

#: aiter's helpers that give the chip which the code runs on.
_CHIP_CALL = re.compile("get_(gfx|arch)[a-z_]*")
_INSTANCE_CLASS = re.compile("[A-Za-z_]*kernelinstance[A-Za-z0-9_]*", re.IGNORECASE)
_SCALARS = (bool, int, float, str, type(None))


@dataclass(frozen=True, slots=True)
class ClassShape:
    """A class with annotated fields.

    fields: in the order of its parameters; defaults: of those that have one; prefix: the first words of the name that
    its `name` property builds, empty where it builds none.
    """

    name: str
    fields: tuple[str, ...]
    defaults: dict[str, ast.expr]
    prefix: str


@dataclass(frozen=True, slots=True, eq=False)
class Made:
    """An instance that a call makes; parts: the nodes of its arguments by field."""

    shape: ClassShape
    values: dict[str, object]
    call: ast.Call
    parts: dict[str, ast.expr]


class Listed(NamedTuple):
    """An instance in the list that a module-level name holds, and its key there."""

    made: Made
    list_name: str
    kernel_id: int


class Unread(NamedTuple):
    """What is not read and why: an instance, or a statement about a list; list_name: empty where no name gets it."""

    node: ast.expr | ast.stmt
    reason: str
    shape: ClassShape
    list_name: str


class Lists(NamedTuple):
    """What one reading of a module for one chip gives; depends_on_chip: whether the file asks for the chip."""

    listed: list[Listed]
    unread: list[Unread]
    depends_on_chip: bool


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


def read_lists(tree: ast.Module, chip: str, assumed: Callable[[str], ClassShape]) -> Lists:
    """The instances that the module's names hold where it runs on `chip`, and what cannot be read.

    assumed: the shape of an instance class that the file imports, from its name.
    Raises CellError CKP021 where the file's lists are longer, or nest deeper, than any real one.
    """
    reading = _Reading(chip, assumed)
    try:
        reading.block(tree.body)
    except RecursionError as error:
        raise CellError("CKP021", "the file's expressions are nested too deeply") from error
    # Also those where the reading did not come by: the branch of a chip that porter does not know.
    reading.refuse_calls(tree, "")
    listed = [Listed(made, name, key) for name, held in reading.lists.items() for key, made in held.items()]
    return Lists(listed, list(reading.unread.values()), reading.asked_chip)


class _Refused(Exception):
    def __init__(self, reason: str, node: ast.expr) -> None:
        super().__init__(reason)
        self.reason, self.node = reason, node


class _Reading:
    """One pass over a module: the lists that its names hold, statement by statement."""

    def __init__(self, chip: str, assumed: Callable[[str], ClassShape]) -> None:
        self.chip, self.assumed = chip, assumed
        self.shapes: dict[str, ClassShape] = {}
        self.lists: dict[str, dict[int, Made]] = {}
        self.chip_names: set[str] = set()
        self.asked_chip = False
        self.max_count = 0
        self.entries = 0
        self.met: set[ast.AST] = set()
        self.unread: dict[ast.AST, Unread] = {}

    def block(self, body: list[ast.stmt]) -> None:
        for node in body:
            match node:
                case ast.ClassDef():
                    self._class(node)
                case ast.Assign(targets=[ast.Name(id=name)], value=value):
                    self._assign(name, value, node)
                case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value):
                    self._assign(name, value, node)
                case ast.If() if (holds := self._chip_test(node.test)) is not None:
                    self.block(node.body if holds else node.orelse)
                case _:
                    self._pass_over(node, "")

    def refuse_calls(self, node: ast.AST, list_name: str) -> bool:
        """Refuse the instances of a part of the module that the reading has not met; whether there are any."""
        calls = [part for part in _outside_functions(node) if isinstance(part, ast.Call) and part not in self.met]
        shapes = {call: shape for call in calls if (shape := self._shape_of(call))}
        for call, shape in shapes.items():
            self._refuse(call, _Refused(f"{shape.name}() outside a dict of instances", call), shape, list_name)
        return bool(shapes)

    def _refuse(self, about: ast.AST, why: _Refused, shape: ClassShape, list_name: str) -> None:
        self.unread.setdefault(about, Unread(why.node, why.reason, shape, list_name))

    def _class(self, node: ast.ClassDef) -> None:
        fields: dict[str, ast.expr | None] = {}
        prefix = ""
        for item in node.body:
            if isinstance(item, ast.AnnAssign) and isinstance(item.target, ast.Name):
                fields[item.target.id] = item.value
            elif isinstance(item, ast.FunctionDef) and item.name == "name":
                prefix = _name_prefix(item)
        if fields:
            defaults = {name: value for name, value in fields.items() if value}
            self.shapes[node.name] = ClassShape(node.name, tuple(fields), defaults, prefix)

    def _assign(self, name: str, value: ast.expr, node: ast.stmt) -> None:
        if name == _MAX_COUNT and isinstance(value, ast.Constant) and isinstance(value.value, int):
            self.max_count = value.value
        elif self._is_chip(value):
            self.chip_names.add(name)
        elif (found := self._list(value, name)) is None:
            self._pass_over(node, "" if name in self.lists else name)
        else:
            self.entries += len(found)
            if self.entries > _MAX_ENTRIES:
                raise CellError("CKP021", _TOO_MANY)
            self.lists[name] = found

    def _pass_over(self, node: ast.stmt, new_name: str) -> None:
        """Only a new name for something leaves the lists as they are."""
        if self.refuse_calls(node, new_name) or new_name:
            return
        names = {part.id for part in _outside_functions(node) if isinstance(part, ast.Name)}
        for name in sorted(name for name in names if self.lists.get(name)):
            shape = next(iter(self.lists[name].values())).shape
            self.unread.setdefault(node, Unread(node, f"what this does with {name} is not read", shape, name))

    def _is_chip(self, node: ast.expr) -> bool:
        if isinstance(node, ast.Call) and not node.args and not node.keywords:
            return _CHIP_CALL.fullmatch(_called(node)) is not None
        return isinstance(node, ast.Name) and node.id in self.chip_names

    def _chip_test(self, test: ast.expr) -> bool | None:
        """Whether a test of the chip holds; None for any other test."""
        match test:
            case ast.Call(func=ast.Attribute(value=asked, attr="startswith"), args=[ast.Constant(value=str(word))]):
                holds = self.chip.startswith(word)
            case ast.Compare(left=asked, ops=[ast.Eq()], comparators=[ast.Constant(value=str(word))]):
                holds = self.chip == word
            case _:
                return None
        if not self._is_chip(asked):
            return None
        self.asked_chip = True
        return holds

    def _shape_of(self, node: ast.AST) -> ClassShape | None:
        """The class of which a node makes an instance."""
        name = _called(node)
        if name in self.shapes:
            return self.shapes[name]
        return self.assumed(name) if _INSTANCE_CLASS.fullmatch(name) else None

    def _list(self, node: ast.expr, name: str) -> dict[int, Made] | None:
        """The list that an expression makes or copies; None where it does neither."""
        match node:
            case ast.Name():
                return self.lists.get(node.id)
            case ast.Dict() if any(map(self._shape_of, node.values)):
                return self._dict(node, name)
            case ast.Call(func=ast.Name(id="dict"), args=[inner], keywords=[]):
                return self._list(inner, name)
            case ast.Call(func=ast.Name(id="expand_blockpercu"), args=[inner, *_]):
                base = self._list(inner, name)
                return base and self._expanded(base, node, name)
        return None

    def _dict(self, node: ast.Dict, name: str) -> dict[int, Made]:
        found: dict[int, Made] = {}
        shapes = list(map(self._shape_of, node.values))
        for key, item, shape in zip(node.keys, node.values, shapes, strict=True):
            try:
                number = _literal(key or item)
                if not isinstance(number, int):
                    raise _Refused("a key that is not a whole number", key or item)
                if not isinstance(item, ast.Call) or not shape:
                    raise _Refused("an entry that is not an instance", item)
                found[number] = _made(shape, item)
            except _Refused as why:
                self._refuse(item, why, shape or next(filter(None, shapes)), name)
            self.met.update(ast.walk(item))
        return found

    def _expanded(self, base: dict[int, Made], node: ast.Call, name: str) -> dict[int, Made]:
        reason = ""
        if node.args[1:] or node.keywords or any(_COUNTED not in made.values for made in base.values()):
            reason = f"expand_blockpercu of anything but one list of instances with {_COUNTED}"
        elif not 0 < self.max_count <= _HIGHEST_COUNT:
            reason = f"expand_blockpercu without {_MAX_COUNT} from 1 to {_HIGHEST_COUNT}"
        if reason:
            self._refuse(node, _Refused(reason, node), next(iter(base.values())).shape, name)
            return base
        if len(base) * self.max_count > _MAX_ENTRIES:
            raise CellError("CKP021", _TOO_MANY)
        return _expand(base, self.max_count)


def _expand(base: dict[int, Made], max_count: int) -> dict[int, Made]:
    """aiter's `expand_blockpercu`: each configuration for every BlockPerCu from 1 up.

    The base keeps its ids; what it lacks follows, configuration by configuration.
    """
    groups: dict[str, list[Made]] = {}
    for made in base.values():
        groups.setdefault(repr(made.values | {_COUNTED: 0}), []).append(made)
    expanded = dict(base)
    next_id = max(base) + 1
    for group in groups.values():
        present = {made.values[_COUNTED] for made in group}
        # aiter copies the last of the instances that share the group's first BlockPerCu.
        template = [made for made in group if made.values[_COUNTED] == group[0].values[_COUNTED]][-1]
        for count in range(1, max_count + 1):
            if count not in present:
                expanded[next_id] = replace(template, values=template.values | {_COUNTED: count})
                next_id += 1
    return expanded


def _made(shape: ClassShape, call: ast.Call) -> Made:
    if len(call.args) > len(shape.fields):
        raise _Refused(f"{len(call.args)} values where {shape.name} has {len(shape.fields)} parameters", call)
    parts = dict(zip(shape.fields, call.args, strict=False))
    for keyword in call.keywords:
        if keyword.arg not in shape.fields:
            raise _Refused(f"{shape.name} has no parameter {keyword.arg or '**'}", keyword.value)
        if keyword.arg in parts:
            raise _Refused(f"{keyword.arg} is given twice", keyword.value)
        parts[keyword.arg] = keyword.value
    given = {name: _literal(node) for name, node in (shape.defaults | parts).items()}
    for name in shape.fields:
        if name not in given:
            raise _Refused(f"{name} is missing", call)
    return Made(shape, {name: given[name] for name in shape.fields}, call, parts)


def _literal(node: ast.expr) -> object:
    """A number, a word, a truth value, None, or a flat list of them."""
    try:
        value = ast.literal_eval(node)
    except (ValueError, TypeError):
        raise _Refused(f"{quote(ast.unparse(node))} is not a literal", node) from None
    items = value if isinstance(value, (list, tuple)) else (value,)
    if not all(isinstance(item, _SCALARS) for item in items):
        raise _Refused(f"{quote(ast.unparse(node))} is not a plain value", node)
    if any(isinstance(item, int) and abs(item) >= _MAX_INTEGER for item in items):
        raise _Refused("the number is too large", node)
    return value


def _called(node: ast.AST) -> str:
    """The last name of what a call calls; empty for anything else."""
    match node:
        case ast.Call(func=ast.Name(id=name)) | ast.Call(func=ast.Attribute(attr=name)):
            return name
    return ""


def _name_prefix(function: ast.FunctionDef) -> str:
    """The first words that a `name` property puts together."""
    words = [
        (node.lineno, node.col_offset, node.value)
        for node in ast.walk(function)
        if isinstance(node, ast.Constant)
        and isinstance(node.value, str)
        and re.match("[A-Za-z0-9]+_[A-Za-z0-9_]*", node.value)
    ]
    return min(words)[2] if words else ""


def _outside_functions(tree: ast.AST) -> Iterator[ast.AST]:
    """Every node that stands outside functions and classes."""
    nodes = [tree]
    while nodes:
        node = nodes.pop()
        if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)):
            yield node
            nodes.extend(ast.iter_child_nodes(node))
