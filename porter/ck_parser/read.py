# SPDX-License-Identifier: Apache-2.0
"""Reading: files, folders and kernel names of any known form in, one account of every row out."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from porter.ck_parser.folders import files_within
from porter.ck_parser.quoting import quote
from porter.ck_parser.readers import readers
from porter.ck_parser.readers.contents import MAX_ROWS, FileContents, ReadOptions
from porter.ck_parser.readers.placing import GFX
from porter.ck_parser.reconcile import disagreements
from porter.ck_parser.rows import ERR_RATIO, BadRow, FileReport, ReadResult, Superseded, TunedRow
from porter.ck_parser.shapes import Shapes, join, read_shapes
from porter.ck_parser.symbols import read_name
from porter.ck_parser.text import first_line, open_source
from porter.errors import InputError, SourceSpan
from porter.problem import Family

_NAME_FORM = "kernel name"
_UNKNOWN_FORM = "CKP004"


def read_files(
    paths: Iterable[str | Path],
    *,
    arch: str = "gfx950",
    layout: Family | str | None = None,
    by_shape: bool = False,
    instance_lists: Iterable[str | Path] = (),
    shapes: str | Path | None = None,
    err_ratio: float = ERR_RATIO,
) -> ReadResult:
    """Read CK text: files and folders, each recognised by its content, and kernel names.

    arch: chip of rows that do not name one; layout: family of rows that nothing else decides; by_shape: rows of other
    libraries are read for their shape instead of being unsupported; instance_lists: further instance lists to hold
    kernelIds against, whose rows are not part of the result; shapes: a table of M, N, K that every instance without a
    shape is joined to; err_ratio: a row with a larger errRatio loses to another of its key. In a folder, files of no
    known form are passed over.

    A damaged row never stops the rest: it is in `bad`, and so is a damaged file of a folder. Raises InputError (CKP)
    for what makes a whole argument unusable.
    """
    options = _options(arch, layout, by_shape, err_ratio)
    with_shapes = read_shapes(shapes) if shapes is not None else None
    contents, files = [], []
    for found, form in _read_all(paths, options):
        _join(found, with_shapes, options)
        contents.append(found)
        files.append(_report(found, form))
        if sum(report.data_rows for report in files) > MAX_ROWS:
            raise InputError("CKP008", f"more than {MAX_ROWS} rows in all files together", SourceSpan(found.path, 1))
    if with_shapes and with_shapes.bad:
        found = FileContents(with_shapes.path, len(with_shapes.bad), bad=list(with_shapes.bad))
        contents.append(found)
        files.append(_report(found, "shapes"))
    rows = [row for found in contents for row in found.rows]
    instances = [entry for found in contents for entry in found.instances]
    listed = [entry for found, _ in _read_all(instance_lists, options) for entry in found.instances]
    winners, superseded = _compete(rows)
    return ReadResult(
        rows=tuple(winners),
        superseded=tuple(superseded),
        instances=tuple(instances),
        unsupported=tuple(row for found in contents for row in found.unsupported),
        others=tuple(item for found in contents for item in found.others.values()),
        bad=tuple(row for found in contents for row in found.bad),
        disagreements=tuple(disagreements(rows, instances + listed)),
        files=tuple(files),
    )


def _options(arch: str, layout: Family | str | None, by_shape: bool, err_ratio: float) -> ReadOptions:
    if not GFX.fullmatch(arch):
        raise InputError("CKP009", f"arch: {quote(arch)} where a chip such as gfx950 was expected")
    try:
        family = Family(layout) if layout else None
    except ValueError as error:
        raise InputError("CKP009", f"layout: {quote(str(layout))} where plain or bpreshuffle was expected") from error
    # A nan compares false with every limit.
    if not err_ratio >= 0:
        raise InputError("CKP009", f"err_ratio: {err_ratio} where a fraction from 0 was expected")
    return ReadOptions(arch, family, by_shape, err_ratio)


def _read_all(paths: Iterable[str | Path], options: ReadOptions) -> Iterator[tuple[FileContents, str]]:
    """Each argument's contents and form; a folder gives those of each of its files."""
    for path in paths:
        if os.path.isdir(path):
            yield from _read_folder(path, options)
        elif named := _read_as_name(str(path)):
            yield named, _NAME_FORM
        else:
            yield _read_file(path, options)


def _read_folder(folder: str | Path, options: ReadOptions) -> Iterator[tuple[FileContents, str]]:
    empty = True
    for path in files_within(folder):
        try:
            yield _read_file(path, options)
            empty = False
        except InputError as error:
            if error.code == _UNKNOWN_FORM:
                continue
            empty = False
            bad = BadRow(error.code, error.message, error.where or SourceSpan(path, 1), error.hint)
            yield FileContents(path, data_rows=1, bad=[bad]), "damaged"
    if empty:
        forms = ", ".join(reader.FORM for reader in readers())
        raise InputError(
            "CKP025", "no file of a known form in the folder", SourceSpan(str(folder), 1), f"known forms: {forms}"
        )


def _read_as_name(argument: str) -> FileContents | None:
    """The kernel that an argument names, where it is no file."""
    if os.sep in argument or "\0" in argument or os.path.lexists(argument):
        return None
    return read_name(argument)


def _read_file(path: str | Path, options: ReadOptions) -> tuple[FileContents, str]:
    with open_source(path) as source:
        for reader in readers():
            if reader.recognises(source.path, source.head):
                return reader.read(source, options), reader.FORM
        shown = quote(first_line(source.head))
        forms = ", ".join(reader.FORM for reader in readers())
        hint = f"known forms: {forms}; a table is comma-separated and its header has M, N and K"
        raise InputError(_UNKNOWN_FORM, f"no known form begins with {shown}", SourceSpan(source.path, 1), hint)


def _join(found: FileContents, shapes: Shapes | None, options: ReadOptions) -> None:
    """Make rows of the file's instances, and count them as what they became."""
    if not found.instances:
        return
    joined = join(found.instances, shapes, options)
    found.data_rows += len(joined.rows) + len(joined.unsupported) - len(found.instances)
    found.rows.extend(joined.rows)
    found.unsupported.extend(joined.unsupported)
    found.unsupported.sort(key=lambda row: row.where.line)


def _report(found: FileContents, form: str) -> FileReport:
    return FileReport(
        path=found.path,
        form=form,
        data_rows=found.data_rows,
        read=len(found.rows),
        unsupported=len(found.unsupported),
        other=sum(item.rows for item in found.others.values()),
        bad=len(found.bad),
    )


def _compete(rows: list[TunedRow]) -> tuple[list[TunedRow], list[Superseded]]:
    """One winner for each key: one that does not err, the lowest `us`, an unmeasured row last, the first of equals."""
    best: dict[object, TunedRow] = {}
    for row in rows:
        rival = best.setdefault(row.key, row)
        if (row.errs, _time(row)) < (rival.errs, _time(rival)):
            best[row.key] = row
    winners, superseded = [], []
    for row in rows:
        winner = best[row.key]
        if winner is row:
            winners.append(row)
        else:
            superseded.append(Superseded(row, winner))
    return winners, superseded


def _time(row: TunedRow) -> float:
    return float("inf") if row.us is None else row.us
