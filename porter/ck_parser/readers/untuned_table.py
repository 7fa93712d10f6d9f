# SPDX-License-Identifier: Apache-2.0
"""Untuned CSVs: bare shapes. A row names no kernel; its shape, chip and family are all that selection needs."""

from __future__ import annotations

from porter.ck_parser.operations import SHAPE_COLUMNS, of_file_name, of_table
from porter.ck_parser.readers.contents import FileContents, ReadOptions
from porter.ck_parser.readers.placing import FAMILY_UNKNOWN, family_of_file, named_family, place_row
from porter.ck_parser.readers.tuned_table import recognises as is_tuned_table
from porter.ck_parser.rows import Origin, TunedRow
from porter.ck_parser.table import CellError, UnsupportedError, open_table, read_header
from porter.ck_parser.text import Source

FORM = "untuned table"


def recognises(path: str, head: str) -> bool:
    """A header with M, N or K that is not a tuned table's, nor another operation's."""
    columns = read_header(head)
    return bool(SHAPE_COLUMNS & set(columns)) and not is_tuned_table(path, head) and not of_table(path, columns)


def read(source: Source, options: ReadOptions) -> FileContents:
    """Read every shape."""
    table = open_table(source)
    table.require("M", "N", "K")
    contents = FileContents(source.path)
    of_file = family_of_file((), source.path, options)
    named_after = of_file_name(source.path)
    for record in table.records():
        contents.count(record.place.line)
        try:
            if record.error:
                raise record.error
            placement = place_row(record.cells, options)
            told = named_family(None, placement.layout) or of_file
            if named_after and not placement.layout:
                contents.leave(record.place, named_after)
                continue
            if not told:
                raise UnsupportedError(FAMILY_UNKNOWN)
        except CellError as error:
            contents.refuse(record.place, error)
            continue
        except UnsupportedError as error:
            contents.set_aside(record.place, error.reason)
            continue
        row = TunedRow(
            shape=placement.shape,
            family=told[0],
            gfx=placement.gfx,
            cu_num=placement.cu_num,
            libtype="",
            kernel=None,
            kernel_name="",
            kernel_id=None,
            split_k=0,
            us=None,
            err_ratio=None,
            provenance=placement.provenance(told[1], Origin.CELL),
            place=record.place,
        )
        contents.rows.append(row)
    return contents
