# SPDX-License-Identifier: Apache-2.0
"""What the instance tables of both CK generations share: one instance a row, its id, its parameters and its name."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import fields
from pathlib import PurePath
from typing import TypeVar

from porter.ck_parser.codes import quote
from porter.ck_parser.instance import CkTileInstance, Scheduler, XdlInstance
from porter.ck_parser.names import parse_kernel_name
from porter.ck_parser.readers.contents import FileContents
from porter.ck_parser.rows import MAX_KERNEL_ID, InstanceEntry
from porter.ck_parser.table import CellError, Reason, open_table, required, whole, word
from porter.ck_parser.text import Source
from porter.errors import KernelNameError

_NO_SHAPE = Reason("CKP041", "an instance without a shape", hint="--shapes FILE gives the shapes")

I = TypeVar("I", XdlInstance, CkTileInstance)


def read_list(
    source: Source, columns: Sequence[str], kind: type[I], build: Callable[[dict[str, str], I], I]
) -> FileContents:
    """Read every instance of a table; each is an entry, and unsupported as a row because it has no shape.

    build: cells and the instance that the kernelName gives to the instance that the parameters give.
    """
    table = open_table(source)
    table.require("kernelName", *columns)
    chip = re.search("gfx[0-9a-f]+", PurePath(source.path).name)
    arch = chip.group() if chip else ""
    contents = FileContents(source.path)
    for record in table.records():
        contents.count(record.place.line)
        try:
            if record.error:
                raise record.error
            named = _named(record.cells, kind)
            instance = build(record.cells, named)
            _agree(instance, named)
            kernel_id = whole(record.cells, "kernelId", -MAX_KERNEL_ID, MAX_KERNEL_ID)
        except CellError as error:
            contents.refuse(record.place, error)
            continue
        contents.instances.append(InstanceEntry(instance, kernel_id, arch, record.place.span("kernelName")))
        contents.set_aside(record.place, _NO_SHAPE, instance.name)
    return contents


def _named(cells: dict[str, str], kind: type[I]) -> I:
    name = required(cells, "kernelName")
    try:
        named = parse_kernel_name(name)
    except KernelNameError as error:
        raise CellError(error.code, error.message, "kernelName", error.hint) from error
    if not isinstance(named, kind):
        raise CellError("CKP017", f"kernelName {quote(name)} is not of this table's kind of instance", "kernelName")
    return named


def _agree(instance: I, named: I) -> None:
    """CellError unless parameters and kernelName give the same instance, and one that CK can build."""
    for parameter in fields(instance):
        told, listed = getattr(named, parameter.name), getattr(instance, parameter.name)
        unsaid = parameter.name == "xdl_per_wave_mn" and isinstance(named, XdlInstance) and named.wave_map_assumed
        if parameter.compare and told != listed and not unsaid:
            message = f"{parameter.name} is {listed} in the columns and {told} in the kernelName"
            raise CellError("CKP017", message, "kernelName")
    if instance.contradiction:
        raise CellError("CKP033", instance.contradiction)


def cluster(cells: dict[str, str], column: str, count: int) -> tuple[int, ...]:
    """A thread cluster: `count` numbers joined by x; CellError CKP014 or CKP015."""
    cell = required(cells, column)
    if not re.fullmatch("x".join(["[1-9][0-9]{0,5}"] * count), cell):
        message = f"{column}: {quote(cell)} where {count} numbers joined by x were expected"
        raise CellError("CKP014", message, column)
    return tuple(map(int, cell.split("x")))


def scheduler(cells: dict[str, str], column: str) -> Scheduler:
    """The scheduler; CellError CKP014 or CKP015."""
    required(cells, column)
    return Scheduler(word(cells, column, tuple(Scheduler)))


def flag(cells: dict[str, str], column: str) -> bool:
    """A truth value as Python or C++ writes it; CellError CKP014 or CKP015."""
    required(cells, column)
    return word(cells, column, ("true", "false", "1", "0")) in ("true", "1")
