# SPDX-License-Identifier: Apache-2.0
"""Instance lists in aiter's Python sources: dataclass calls in dicts and lists, read as data and never imported."""

from __future__ import annotations

import ast
import re
from pathlib import PurePath

from porter.ck_parser.instance import CkInstance
from porter.ck_parser.parameters import (
    CKTILE_OPTIONAL,
    CKTILE_PARAMETERS,
    XDL_PARAMETERS,
    cktile_instance,
    possible,
    xdl_instance,
)
from porter.ck_parser.python_lists import MAX_CHARS, ClassShape, Listed, Lists, Unread, parse, read_lists
from porter.ck_parser.readers.contents import FileContents, ReadOptions, SourcePlace
from porter.ck_parser.readers.placing import FAMILY_UNKNOWN, family_of_file
from porter.ck_parser.rows import InstanceEntry
from porter.ck_parser.table import CellError, Reason, UnsupportedError
from porter.ck_parser.text import Source
from porter.errors import InputError, SourceSpan
from porter.problem import TARGETS, Family

FORM = "Python instance list"
SUFFIXES = (".py",)

_HINT = "write the list as a dict: whole number -> a call whose arguments are literals; or as a table"
_MARK = re.compile(r"^[^#,]*[kK]ernelInstance\w*\s*\(", re.MULTILINE)
_OPERATOR = "a8w8_blockscale"
#: A CK-Tile generation of 2025 whose third flag says that the weights' scales are shuffled too.
_SHUFFLED_SCALES = ("PreshuffleQuant", "PreshuffleQuantB")


def recognises(path: str, head: str) -> bool:
    """A Python file, or text without a suffix that calls a kernelInstance."""
    suffix = PurePath(path).suffix.lower()
    return suffix in SUFFIXES or (not suffix and _MARK.search(head) is not None and "," not in head.split("(")[0])


def read(source: Source, options: ReadOptions) -> FileContents:
    """Read every instance of every list; lists of other operators are one unsupported row each.

    A file that asks for its chip is read once for each chip that porter knows. Raises InputError: CKP019, CKP020,
    CKP021, and CKP004 where the file makes no instance.
    """
    tree = parse(source.whole(MAX_CHARS), source.path)
    contents = FileContents(source.path)
    chips = tuple(TARGETS)
    try:
        readings = {chips[0]: read_lists(tree, chips[0], _assumed)}
        if readings[chips[0]].depends_on_chip:
            readings |= {chip: read_lists(tree, chip, _assumed) for chip in chips[1:]}
    except CellError as error:
        raise InputError(error.code, error.message, SourceSpan(source.path, 1)) from error
    refused: set[tuple[str, str]] = set()
    items: list[tuple[Listed | Unread, str]] = [*_merge(readings), *((item, "") for item in _unread(readings))]
    for item, arch in items:
        shape = item.made.shape if isinstance(item, Listed) else item.shape
        other = _other_operator(shape, item.list_name)
        if other and (shape.name, item.list_name) in refused:
            continue
        place = _place(source.path, item)
        contents.count(place.line)
        try:
            if other:
                refused.add((shape.name, item.list_name))
                raise UnsupportedError(other)
            if isinstance(item, Unread):
                raise CellError("CKP021", item.reason, hint=_HINT)
            contents.instances.append(_entry(item, arch, place, options))
        except CellError as error:
            contents.refuse(place, error)
        except UnsupportedError as error:
            contents.set_aside(place, error.reason)
    if not contents.data_rows:
        hint = "a list makes its instances by calling a kernelInstance class"
        raise InputError("CKP004", "no instance list in the file", SourceSpan(source.path, 1), hint)
    contents.bad.sort(key=lambda row: row.where.line)
    return contents


def _assumed(name: str) -> ClassShape:
    """The parameters of a class that the file imports, as aiter has them today."""
    if "tile" in name.lower():
        return ClassShape(name, (*CKTILE_PARAMETERS, "AQRowMajor"), {"AQRowMajor": ast.Constant(False)}, "")
    return ClassShape(name, XDL_PARAMETERS, {}, "")


def _merge(readings: dict[str, Lists]) -> list[tuple[Listed, str]]:
    """Every entry once, with the chip that it is for: none where it is in the file's lists on every chip.

    An entry that a chip-dependent name holds is that chip's, and its base list does not list it again.
    """
    held: dict[tuple[object, ...], dict[str, dict[str, Listed]]] = {}
    for chip, reading in readings.items():
        for listed in reading.listed:
            # One call makes several instances in an expansion.
            call, values = listed.made.call, repr(listed.made.values)
            key = (call.lineno, call.col_offset, values, listed.kernel_id)
            held.setdefault(key, {}).setdefault(listed.list_name, {})[chip] = listed
    merged: list[tuple[Listed, str]] = []
    for by_name in held.values():
        partial = next((by_chip for by_chip in by_name.values() if len(by_chip) < len(readings)), None)
        if partial:
            merged.extend((listed, chip) for chip, listed in partial.items())
        else:
            # Later names are finished lists, earlier ones their parts.
            merged.append((next(iter(list(by_name.values())[-1].values())), ""))
    return merged


def _unread(readings: dict[str, Lists]) -> list[Unread]:
    """What no reading could read."""
    unread = [{item.node: item for item in reading.unread} for reading in readings.values()]
    return [item for node, item in unread[0].items() if all(node in others for others in unread)]


def _other_operator(shape: ClassShape, list_name: str) -> Reason | None:
    """Why a list is not of this operator, from the parameters of its class and the beginning of the names it makes."""
    named = f"list {list_name}" if list_name else f"a call of {shape.name}"
    if "moe" in shape.prefix.lower() or "MWaves" in shape.fields:
        hint = "porter ports plain GEMMs; the grouped GEMMs of MoE layers are another operator"
        return Reason("CKP046", f"{named}: {shape.name} is a grouped GEMM of MoE layers", hint)
    if shape.prefix and not shape.prefix.startswith(_OPERATOR):
        return Reason("CKP046", f"{named}: its kernels are named {shape.prefix}..., not {_OPERATOR}...")
    if "M_Tile" in shape.fields or set(XDL_PARAMETERS) <= set(shape.fields):
        return None
    missing = next(name for name in XDL_PARAMETERS if name not in shape.fields)
    return Reason("CKP046", f"{named}: {shape.name} has no {missing}, so it is no block-scale GEMM")


def _entry(listed: Listed, arch: str, place: SourcePlace, options: ReadOptions) -> InstanceEntry:
    """The entry of one call; CellError for damage, UnsupportedError for what porter cannot port."""
    shape = listed.made.shape
    values = {name: _cell(value) for name, value in listed.made.values.items()}
    refusal: Reason | None = None
    instance: CkInstance
    if "M_Tile" in shape.fields:
        _known_generation(shape)
        if not shape.prefix and not _family(listed, place, options):
            raise UnsupportedError(FAMILY_UNKNOWN)
        shuffled = next((name for name in _SHUFFLED_SCALES if name in values), "")
        if shuffled:
            # It stands in the name where another generation has DoubleSmemBuffer.
            values["DoubleSmemBuffer"] = values[shuffled]
        instance = cktile_instance(values)
        if shuffled and instance.double_smem_buffer:
            refusal = Reason("CKP047", f"{shuffled}: w_scale is shuffled too, which porter does not know")
    else:
        family = _family(listed, place, options)
        if family is None:
            raise UnsupportedError(FAMILY_UNKNOWN)
        instance = xdl_instance(values, family)
    return InstanceEntry(
        instance=possible(instance),
        kernel_id=listed.kernel_id,
        arch=arch,
        where=place.where,
        list_name=listed.list_name,
        refusal=refusal,
    )


def _known_generation(shape: ClassShape) -> None:
    known = (*CKTILE_PARAMETERS, *CKTILE_OPTIONAL, *_SHUFFLED_SCALES)
    strange = [name for name in shape.fields if name not in known]
    missing = [name for name in CKTILE_PARAMETERS if name not in shape.fields]
    if strange or missing:
        what = f"has {strange[0]}" if strange else f"has no {missing[0]}"
        raise UnsupportedError(Reason("CKP047", f"{shape.name} {what}: a generation that porter does not know"))


def _family(listed: Listed, place: SourcePlace, options: ReadOptions) -> Family | None:
    """From the names that the class makes; else from the list's name, the file's name or the layout argument."""
    prefix = listed.made.shape.prefix
    if prefix.startswith(_OPERATOR):
        return Family.BPRESHUFFLE if "bpreshuf" in prefix else Family.PLAIN
    if "bpreshuf" in listed.list_name:
        return Family.BPRESHUFFLE
    told = family_of_file((), place.where.path, options)
    return told[0] if told else None


def _cell(value: object) -> str:
    """A value as a table cell has it: the numbers of a sequence joined by x."""
    return "x".join(map(str, value)) if isinstance(value, (list, tuple)) else str(value)


def _place(path: str, item: Listed | Unread) -> SourcePlace:
    if isinstance(item, Unread):
        return SourcePlace(_span(path, item.node))
    return SourcePlace(_span(path, item.made.call), {name: _span(path, node) for name, node in item.made.parts.items()})


def _span(path: str, node: ast.expr | ast.stmt) -> SourceSpan:
    end = node.end_col_offset or node.col_offset
    same_line = node.end_lineno == node.lineno
    return SourceSpan(path, node.lineno, node.col_offset + 1, end + 1 if same_line else 0)
