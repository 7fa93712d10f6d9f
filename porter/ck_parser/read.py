# SPDX-License-Identifier: Apache-2.0
"""Reading: files of any known form in, one account of every row out."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from porter.ck_parser.codes import quote
from porter.ck_parser.readers import readers
from porter.ck_parser.readers.contents import MAX_ROWS, FileContents, ReadOptions
from porter.ck_parser.reconcile import disagreements
from porter.ck_parser.rows import FileReport, ReadResult, Superseded, TunedRow
from porter.ck_parser.text import first_line, open_source
from porter.errors import InputError, SourceSpan
from porter.problem import Family

_ARCH = re.compile("gfx[0-9a-f]{2,8}")


def read_files(
    paths: Iterable[str | Path],
    *,
    arch: str = "gfx950",
    layout: Family | str | None = None,
    by_shape: bool = False,
    instance_lists: Iterable[str | Path] = (),
) -> ReadResult:
    """Read CK text files, each recognised by its content.

    arch: chip of rows that do not name one; layout: family of rows that nothing else decides; by_shape: rows of other
    libraries are read for their shape instead of being unsupported; instance_lists: further instance lists to hold
    kernelIds against, whose rows are not part of the result.

    A damaged row never stops the rest: it is in `bad`. Raises InputError (CKP) for what makes a whole file unusable.
    """
    options = _options(arch, layout, by_shape)
    contents, files = [], []
    for path in paths:
        found, form = _read_file(path, options)
        contents.append(found)
        files.append(_report(found, form))
        if sum(report.data_rows for report in files) > MAX_ROWS:
            raise InputError("CKP008", f"more than {MAX_ROWS} rows in all files together", SourceSpan(str(path), 1))
    rows = [row for found in contents for row in found.rows]
    instances = [entry for found in contents for entry in found.instances]
    listed = [entry for path in instance_lists for entry in _read_file(path, options)[0].instances]
    winners, superseded = _compete(rows)
    return ReadResult(
        rows=tuple(winners),
        superseded=tuple(superseded),
        instances=tuple(instances),
        unsupported=tuple(row for found in contents for row in found.unsupported),
        bad=tuple(row for found in contents for row in found.bad),
        disagreements=tuple(disagreements(rows, instances + listed)),
        files=tuple(files),
    )


def _options(arch: str, layout: Family | str | None, by_shape: bool) -> ReadOptions:
    if not _ARCH.fullmatch(arch):
        raise InputError("CKP009", f"arch: {quote(arch)} where a chip such as gfx950 was expected")
    try:
        family = Family(layout) if layout else None
    except ValueError as error:
        raise InputError("CKP009", f"layout: {quote(str(layout))} where plain or bpreshuffle was expected") from error
    return ReadOptions(arch, family, by_shape)


def _read_file(path: str | Path, options: ReadOptions) -> tuple[FileContents, str]:
    with open_source(path) as source:
        for reader in readers():
            if reader.recognises(source.path, source.head):
                return reader.read(source, options), reader.FORM
        shown = quote(first_line(source.head))
        forms = ", ".join(reader.FORM for reader in readers())
        hint = f"known forms: {forms}; a table is comma-separated and its header has M, N and K"
        raise InputError("CKP004", f"no known form begins with {shown}", SourceSpan(source.path, 1), hint)


def _report(found: FileContents, form: str) -> FileReport:
    return FileReport(
        path=found.path,
        form=form,
        data_rows=found.data_rows,
        read=len(found.rows),
        unsupported=len(found.unsupported),
        bad=len(found.bad),
    )


def _compete(rows: list[TunedRow]) -> tuple[list[TunedRow], list[Superseded]]:
    """One winner for each key: the lowest `us`, an unmeasured row last, the first of equals."""
    best: dict[object, TunedRow] = {}
    for row in rows:
        rival = best.setdefault(row.key, row)
        if _time(row) < _time(rival):
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
