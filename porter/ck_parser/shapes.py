# SPDX-License-Identifier: Apache-2.0
"""Instances without a shape, joined to the shapes of another file: each instance serves every shape."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from porter.ck_parser.readers.contents import MAX_ROWS, FileContents, ReadOptions
from porter.ck_parser.readers.placing import FAMILY_UNKNOWN, Placement, family_of_file, place_row
from porter.ck_parser.rows import BadRow, InstanceEntry, Origin, TunedRow, Unsupported
from porter.ck_parser.table import CellError, Header, Reason, Record, RowPlace, UnsupportedError, open_table
from porter.ck_parser.text import open_source
from porter.errors import InputError
from porter.problem import Family, GemmShape

NO_SHAPE = Reason("CKP041", "an instance without a shape", hint="--shapes FILE gives the shapes")


@dataclass(frozen=True, slots=True)
class Shapes:
    """The shapes of one file, each once, in the order of their lines; bad: its damaged rows."""

    path: str
    records: tuple[Record, ...]
    bad: tuple[BadRow, ...]


@dataclass(frozen=True, slots=True)
class Joined:
    """What became of instances: rows that selection can use, and the instances that give none."""

    rows: tuple[TunedRow, ...]
    unsupported: tuple[Unsupported, ...]


def read_shapes(path: str | Path) -> Shapes:
    """Read any CSV with M, N and K, tuned or not; gfx and cu_num count where it has them.

    Raises InputError (CKP) where the file as a whole is unusable.
    """
    options = ReadOptions("gfx950", None, False)
    with open_source(path) as source:
        table = open_table(source)
        table.require("M", "N", "K")
        contents = FileContents(source.path)
        records: dict[tuple[object, ...], Record] = {}
        for record in table.records():
            contents.count(record.place.line)
            try:
                if record.error:
                    raise record.error
                placement = place_row(record.cells, options)
            except CellError as error:
                contents.refuse(record.place, error)
                continue
            except UnsupportedError:
                continue
            records.setdefault((placement.shape, record.cells.get("gfx", ""), record.cells.get("cu_num", "")), record)
    return Shapes(str(path), tuple(records.values()), tuple(contents.bad))


def join(entries: Iterable[InstanceEntry], shapes: Shapes | None, options: ReadOptions) -> Joined:
    """Every instance with every shape of its chip; without shapes each instance is unsupported (CKP041).

    The chip is the shape's, else that of the instance's list, else the arch argument. Raises InputError CKP008 over
    the limit of rows.
    """
    rows: list[TunedRow] = []
    unsupported: list[Unsupported] = []
    placed: dict[str, list[tuple[Placement, Record]]] = {}
    for entry in entries:
        family = entry.instance.family, Origin.NAME
        told = family if family[0] else family_of_file((), entry.where.path, options)
        reason = entry.refusal or (NO_SHAPE if shapes is None else None if told else FAMILY_UNKNOWN)
        here: list[tuple[Placement, Record]] = []
        if shapes and told and not reason:
            if entry.arch not in placed:
                placed[entry.arch] = _placements(shapes, entry.arch, options)
            here = placed[entry.arch]
            if not here:
                reason = Reason("CKP041", f"no shape for {entry.arch or 'it'} in {shapes.path}", hint=NO_SHAPE.hint)
        if reason:
            unsupported.append(
                Unsupported(reason.code, reason.text, entry.where, reason.hint, kernel_name=entry.instance.name)
            )
        elif told and told[0]:
            if len(rows) + len(here) > MAX_ROWS:
                raise InputError("CKP008", f"more than {MAX_ROWS} pairs of an instance and a shape", entry.where)
            rows.extend(_row(entry, placement, record, told[0], told[1]) for placement, record in here)
    return Joined(tuple(rows), tuple(unsupported))


def join_shapes(
    instances: Iterable[InstanceEntry],
    shapes_file: str | Path,
    *,
    arch: str = "gfx950",
    layout: Family | None = None,
) -> Joined:
    """`join` with the shapes of a file; arch and layout as in `read_files`. Damaged rows of the file give no shape."""
    return join(instances, read_shapes(shapes_file), ReadOptions(arch, layout, False))


def join_at(
    entry: InstanceEntry, shape: GemmShape, *, arch: str = "gfx950", layout: Family | None = None
) -> TunedRow | Unsupported:
    """One instance with one shape that no file holds."""
    columns = ("M", "N", "K")
    sizes = (str(shape.m), str(shape.n), str(shape.k))
    place = RowPlace(Header("shape", columns), 1, (0, 0) * len(columns))
    shapes = Shapes("shape", (Record(place, dict(zip(columns, sizes, strict=True))),), ())
    joined = join([entry], shapes, ReadOptions(arch, layout, False))
    return joined.rows[0] if joined.rows else joined.unsupported[0]


def _placements(shapes: Shapes, list_arch: str, options: ReadOptions) -> list[tuple[Placement, Record]]:
    """Where each shape goes for a list of that chip; shapes of other chips are left out."""
    found = []
    for record in shapes.records:
        try:
            placement = place_row(record.cells, replace(options, arch=list_arch or options.arch))
        except UnsupportedError:
            # cu_num is missing and the chip is not known.
            continue
        if list_arch and placement.gfx != list_arch:
            continue
        if list_arch and placement.gfx_origin is Origin.ARCH_ARGUMENT:
            placement = replace(placement, gfx_origin=Origin.INSTANCE_LIST)
        found.append((placement, record))
    return found


def _row(entry: InstanceEntry, placement: Placement, record: Record, family: Family, origin: Origin) -> TunedRow:
    return TunedRow(
        shape=placement.shape,
        family=family,
        gfx=placement.gfx,
        cu_num=placement.cu_num,
        libtype=entry.instance.libtype,
        kernel=entry.instance,
        kernel_name=entry.instance.name,
        kernel_id=None,
        split_k=0,
        us=None,
        err_ratio=None,
        provenance=placement.provenance(origin, Origin.CELL),
        place=record.place,
        instance_at=entry.where,
    )
