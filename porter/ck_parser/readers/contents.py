# SPDX-License-Identifier: Apache-2.0
"""What goes into a reader and what comes out of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Protocol

from porter.ck_parser.rows import ERR_RATIO, BadRow, InstanceEntry, OtherOperation, TunedRow, Unsupported
from porter.ck_parser.table import CellError, Reason
from porter.errors import InputError, SourceSpan
from porter.problem import Family

#: A file with more rows than this, or more bad ones, is refused: memory stays bounded, and nobody reads more reports.
MAX_ROWS = 2_000_000
MAX_BAD_ROWS = 100_000


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """What the caller decides.

    arch: gfx of rows that do not say; layout: family of rows that nothing else decides; by_shape: rows of libtypes
    that are not CK are read for their shape; err_ratio: what a row's errRatio may be before its duplicates win.
    """

    arch: str
    layout: Family | None
    by_shape: bool
    err_ratio: float = ERR_RATIO


class Place(Protocol):
    """Where a row stands."""

    @property
    def line(self) -> int: ...

    def span(self, column: str = "") -> SourceSpan:
        """Where the value of a column stands, or the whole row."""
        ...


@dataclass(frozen=True, slots=True)
class SourcePlace:
    """Where an instance of a source file stands; parts: its parameters that have a place of their own."""

    where: SourceSpan
    parts: Mapping[str, SourceSpan] = field(default_factory=dict)

    @property
    def line(self) -> int:
        return self.where.line

    def span(self, column: str = "") -> SourceSpan:
        return self.parts.get(column, self.where)


@dataclass(slots=True)
class FileContents:
    """What a reader found in one file, filled as it goes.

    data_rows: rows, instances and lists that the file holds, the good and the bad; instances become rows of their own
    when the shapes are known.
    """

    path: str
    data_rows: int = 0
    rows: list[TunedRow] = field(default_factory=list)
    instances: list[InstanceEntry] = field(default_factory=list)
    unsupported: list[Unsupported] = field(default_factory=list)
    bad: list[BadRow] = field(default_factory=list)
    others: dict[str, OtherOperation] = field(default_factory=dict)

    def count(self, line: int) -> None:
        """One more data row; InputError CKP008 over the limit."""
        self.data_rows += 1
        if self.data_rows > MAX_ROWS:
            raise InputError("CKP008", f"more than {MAX_ROWS} rows", SourceSpan(self.path, line), "split the file")

    def set_aside(self, place: Place, reason: Reason, kernel_name: str = "") -> None:
        """One more unsupported row."""
        self.unsupported.append(Unsupported(reason.code, reason.text, place.span(), reason.hint, kernel_name))

    def leave(self, place: Place, operation: str) -> None:
        """One more row of another operation."""
        before = self.others.get(operation) or OtherOperation(operation, 0, place.span())
        self.others[operation] = replace(before, rows=before.rows + 1)

    def leave_damaged(self, operation: str) -> None:
        """The bad rows are of another operation, and nobody here can say what is wrong with them."""
        for bad in self.bad:
            self.leave(SourcePlace(bad.where), operation)
        self.bad.clear()

    def refuse(self, place: Place, error: CellError) -> None:
        """One more bad row; InputError CKP008 over the limit."""
        if len(self.bad) == MAX_BAD_ROWS:
            message = f"more than {MAX_BAD_ROWS} bad rows; the first: {self.bad[0].message}"
            raise InputError("CKP008", message, SourceSpan(self.path, place.line), "is this the right file?")
        self.bad.append(BadRow(error.code, error.message, place.span(error.column), error.hint))
