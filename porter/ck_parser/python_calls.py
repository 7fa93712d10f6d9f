# SPDX-License-Identifier: Apache-2.0
"""What calls in a list of instances give: the few built-ins and methods that such files use, and aiter's expansion."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

#: aiter's helper that lists every configuration once for each BlockPerCu, and the constant with the highest.
EXPANSION = "expand_blockpercu"
_MAX_BLOCK_PER_CU = "BLOCK_PER_CU_MAX"
_HIGHEST_BLOCK_PER_CU = 64

SCALARS = (bool, int, float, str, type(None))
#: Counts work; raises where the file asks for too much.
Spend = Callable[[int], None]


class NotKnown(Exception):
    """A call that has no constant value here."""


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


@dataclass(slots=True, eq=False)
class Made:
    """An instance that a call makes; parts: the nodes of its arguments by field."""

    shape: ClassShape
    values: dict[str, object]
    call: ast.Call
    parts: dict[str, ast.expr]


def is_key(value: object) -> bool:
    """Plain values and flat tuples of them: nested ones could take for ever to hash."""
    return isinstance(value, SCALARS) or (isinstance(value, tuple) and all(isinstance(item, SCALARS) for item in value))


def changed(made: Made, values: Mapping[str, object]) -> Made:
    """A copy with other values; it stands where the first one stands."""
    return Made(made.shape, made.values | dict(values), made.call, made.parts)


def expand(args: Sequence[object], keywords: Mapping[str, object], names: Mapping[str, object], spend: Spend) -> object:
    """aiter's `expand_blockpercu(base_dict, max_bpc, field_name)`: each configuration for every BlockPerCu from 1 up.

    The base keeps its ids; what it lacks follows, configuration by configuration.
    """
    given = dict(zip(("base_dict", "max_bpc", "field_name"), args, strict=False)) | dict(keywords)
    base = given.get("base_dict")
    most = given.get("max_bpc", names.get(_MAX_BLOCK_PER_CU))
    name = given.get("field_name", "BlockPerCu")
    if not isinstance(base, dict) or not isinstance(most, int) or not isinstance(name, str):
        raise NotKnown(f"{EXPANSION} of something that is not a list of instances")
    if not 0 < most <= _HIGHEST_BLOCK_PER_CU:
        raise NotKnown(f"{EXPANSION} up to {most} where 1 to {_HIGHEST_BLOCK_PER_CU} was expected")
    groups: dict[tuple[str, ...], list[Made]] = {}
    for made in base.values():
        if not isinstance(made, Made) or name not in made.values:
            raise NotKnown(f"{EXPANSION} of something that is not a list of instances")
        key = tuple(repr(value) for parameter, value in made.values.items() if parameter != name)
        groups.setdefault(key, []).append(made)
    expanded = dict(base)
    next_id = max((key for key in base if isinstance(key, int)), default=-1) + 1
    for group in groups.values():
        present = {made.values[name] for made in group}
        # aiter copies the last of the instances that share the group's first BlockPerCu.
        template = [made for made in group if made.values[name] == group[0].values[name]][-1]
        for count in range(1, most + 1):
            spend(len(template.values))
            if count not in present:
                expanded[next_id] = changed(template, {name: count})
                next_id += 1
    return expanded


def method(holder: object, name: str, args: Sequence[object], spend: Spend) -> object:
    """A method of a dict, a list or a string; dicts and lists change in place."""
    first = args[0] if args else None
    if isinstance(holder, (dict, list, str)):
        spend(len(holder))
    if isinstance(holder, dict):
        if not args and name in ("items", "keys", "values", "copy"):
            return dict(holder) if name == "copy" else list(getattr(holder, name)())
        if name == "update" and isinstance(first, dict):
            spend(len(first))
            holder.update(first)
            return None
        if name == "get" and is_key(first):
            return holder.get(first, args[1] if len(args) > 1 else None)
    if isinstance(holder, list):
        if name == "copy":
            return list(holder)
        if name == "append" and len(args) == 1:
            holder.append(first)
            return None
        if name == "extend" and isinstance(first, (list, tuple)):
            spend(len(first))
            holder.extend(first)
            return None
    if isinstance(holder, str):
        if not args and name in ("lower", "upper", "capitalize", "strip"):
            return str(getattr(holder, name)())
        if isinstance(first, str) and name in ("startswith", "endswith"):
            return holder.startswith(first) if name == "startswith" else holder.endswith(first)
        if name == "join" and isinstance(first, list):
            words = [item for item in first if isinstance(item, str)]
            spend(sum(map(len, words)) + len(holder) * len(words))
            if len(words) == len(first):
                return holder.join(words)
    raise NotKnown(f"method {name} is not constant")


def builtin(name: str, args: Sequence[object], keywords: Mapping[str, object], spend: Spend) -> object:
    """A built-in function, or `copy` and `replace` of an instance."""
    first = args[0] if args else None
    if isinstance(first, Made) and name in ("copy", "deepcopy", "replace"):
        return changed(first, keywords)
    if isinstance(first, SCALARS) and len(args) == 1 and name in _CONVERSIONS:
        return _CONVERSIONS[name](first)
    numbers = [arg for arg in args if isinstance(arg, int)]
    if name == "range" and 1 <= len(args) <= 3 and len(numbers) == len(args):
        return range(*numbers)
    sized = isinstance(first, (list, tuple, dict, range, str))
    if isinstance(first, (list, tuple, dict, range, str)):
        spend(len(first))
    items: list[object] = list(first) if isinstance(first, (list, tuple, dict, range, str)) else list(args)
    if name == "dict" and (sized or not args):
        made: dict[object, object] = dict(first) if isinstance(first, dict) else _pairs(items)
        made.update(keywords)
        return made
    if sized or not args:
        if name == "tuple":
            return tuple(items)
        if name in ("copy", "deepcopy") and isinstance(first, (dict, tuple)):
            return dict(first) if isinstance(first, dict) else first
        if name in ("list", "set", "frozenset", "copy", "deepcopy"):
            return items
    if name == "len" and sized:
        return len(items)
    if name == "enumerate" and sized:
        start = args[1] if len(args) > 1 else keywords.get("start", 0)
        if isinstance(start, int):
            return [(start + index, item) for index, item in enumerate(items)]
    if name == "zip" and sized:
        columns = [list(arg) for arg in args if isinstance(arg, (list, tuple, range, str))]
        spend(sum(map(len, columns)))
        if len(columns) == len(args):
            return list(zip(*columns, strict=False))
    values = [item for item in items if isinstance(item, (int, float))]
    if name in _OF_NUMBERS and values and len(values) == len(items):
        return _OF_NUMBERS[name](values)
    raise NotKnown(f"{name or 'a call'}() is not a constant of this file")


_CONVERSIONS: dict[str, Callable[[object], object]] = {
    "int": lambda value: int(value) if isinstance(value, (int, float, str)) else 0,
    "float": lambda value: float(value) if isinstance(value, (int, float, str)) else 0.0,
    "bool": bool,
    "str": str,
}
_OF_NUMBERS: dict[str, Callable[[list[int | float]], object]] = {"max": max, "min": min, "sum": sum, "sorted": sorted}


def _pairs(items: Sequence[object]) -> dict[object, object]:
    made: dict[object, object] = {}
    for item in items:
        if not isinstance(item, (tuple, list)) or len(item) != 2 or not is_key(item[0]):
            raise NotKnown("dict() of something that is not pairs")
        made[item[0]] = item[1]
    return made
