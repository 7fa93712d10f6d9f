# SPDX-License-Identifier: Apache-2.0
"""What the instance tables of both CK generations share: one instance a row, its id, its parameters and its name."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from pathlib import PurePath
from typing import TypeVar

from porter.ck_parser.instance import CkTileInstance, XdlInstance
from porter.ck_parser.names import parse_kernel_name
from porter.ck_parser.parameters import possible
from porter.ck_parser.quoting import quote
from porter.ck_parser.readers.contents import FileContents
from porter.ck_parser.rows import MAX_KERNEL_ID, InstanceEntry
from porter.ck_parser.table import CellError, open_table, required, whole
from porter.ck_parser.text import Source
from porter.errors import KernelNameError

I = TypeVar("I", XdlInstance, CkTileInstance)


def read_list(
    source: Source, columns: Sequence[str], kind: type[I], build: Callable[[Mapping[str, str], I], I]
) -> FileContents:
    """Read every instance of a table.

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
            possible(instance)
            kernel_id = whole(record.cells, "kernelId", -MAX_KERNEL_ID, MAX_KERNEL_ID)
        except CellError as error:
            contents.refuse(record.place, error)
            continue
        contents.instances.append(InstanceEntry(instance, kernel_id, arch, record.place.span("kernelName")))
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
    """CellError CKP017 unless parameters and kernelName give the same instance."""
    for parameter in fields(instance):
        told, listed = getattr(named, parameter.name), getattr(instance, parameter.name)
        unsaid = parameter.name == "xdl_per_wave_mn" and isinstance(named, XdlInstance) and named.wave_map_assumed
        if parameter.compare and told != listed and not unsaid:
            message = f"{parameter.name} is {listed} in the columns and {told} in the kernelName"
            raise CellError("CKP017", message, "kernelName")
