# SPDX-License-Identifier: Apache-2.0
"""Comma-separated tables as aiter ships them: one header, rows with the place of every cell.

Not the csv module: it reads a whole record before it can be refused, and it forgets where a cell stood.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from porter.ck_parser.quoting import quote
from porter.ck_parser.text import MAX_LINE_CHARS, Source, first_line, not_text
from porter.errors import InputError, SourceSpan

#: i32: what the kernels' M and aiter's own code can carry.
MAX_SIZE = 2**31 - 1
_BLANKS = " \t"


@dataclass(frozen=True, slots=True)
class Header:
    """The columns of one file, in order, as the file spells them."""

    path: str
    columns: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RowPlace:
    """Where a row stands; the span of a cell is worked out when somebody asks.

    cuts: start and end offset of each cell's content in the line, flat; shared between rows of equal widths.
    """

    header: Header
    line: int
    cuts: tuple[int, ...]

    def span(self, column: str = "") -> SourceSpan:
        """The cell of that column, or the whole line where the column has no cell."""
        path = self.header.path
        if column not in self.header.columns:
            return SourceSpan(path, self.line)
        at = 2 * self.header.columns.index(column)
        if at + 1 >= len(self.cuts):
            return SourceSpan(path, self.line)
        return SourceSpan(path, self.line, self.cuts[at] + 1, self.cuts[at + 1] + 1)


class CellError(Exception):
    """Why a row is bad: a code, words, and the column that is to blame (empty: the whole line)."""

    def __init__(self, code: str, message: str, column: str = "", hint: str = "") -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.column = column
        self.hint = hint


@dataclass(frozen=True, slots=True)
class Reason:
    """Why a good row is not for us: a code, words, and the way out."""

    code: str
    text: str
    hint: str = ""


class UnsupportedError(Exception):
    """A good row that is not for us."""

    def __init__(self, reason: Reason) -> None:
        super().__init__(reason.text)
        self.reason = reason


@dataclass(frozen=True, slots=True)
class Record:
    """One data row: its place, its cells by column, and why it cannot be read at all, if so."""

    place: RowPlace
    cells: dict[str, str]
    error: CellError | None = None


@dataclass(frozen=True, slots=True)
class Table:
    """A header and the rows below it."""

    header: Header
    source: Source

    def require(self, *names: str) -> None:
        """InputError CKP005 unless the header has every one of these columns."""
        for name in names:
            if name not in self.header.columns:
                near = [column for column in self.header.columns if column.lower() == name.lower()]
                found = f"{near[0]!r} is spelled otherwise" if near else f"found {quote(','.join(self.header.columns))}"
                raise InputError("CKP005", f"required column {name} is missing", self._where(), hint=found)

    def records(self) -> Iterator[Record]:
        """Every row that is not blank, good or bad."""
        header = self.header
        columns = header.columns
        shared: dict[tuple[int, ...], tuple[int, ...]] = {}
        seen_header = False
        for line in self.source.lines():
            text = line.text
            if text is not None and (not text or text.isspace()):
                continue
            if not seen_header:
                seen_header = True
                continue
            if text is None:
                place = RowPlace(header, line.number, ())
                reason = f"the line is longer than {MAX_LINE_CHARS} characters"
                yield Record(place, {}, CellError("CKP010", reason))
                continue
            if trouble := not_text(text):
                error = CellError("CKP016", f"the line holds {trouble}", hint="save the file as UTF-8 text")
                yield Record(RowPlace(header, line.number, ()), {}, error)
                continue
            try:
                cells, cuts = split_cells(text)
            except CellError as error:
                yield Record(RowPlace(header, line.number, ()), {}, error)
                continue
            place = RowPlace(header, line.number, shared.setdefault(cuts, cuts))
            surplus = [cell for cell in cells[len(columns) :] if cell]
            if surplus:
                message = (
                    f"{len(cells)} cells where the header has {len(columns)}; the first one over is {quote(surplus[0])}"
                )
                yield Record(place, {}, CellError("CKP011", message, hint="a cell that holds a comma must be quoted"))
                continue
            yield Record(place, dict(zip(columns, cells, strict=False)))

    def _where(self) -> SourceSpan:
        return SourceSpan(self.header.path, 1)


def split_cells(text: str) -> tuple[list[str], tuple[int, ...]]:
    """The cells of one line, stripped and unquoted, and the flat offsets of their contents.

    CellError CKP012 where a quoted cell does not end on its line.
    """
    if '"' in text:
        return _split_quoted(text)
    written = text.split(",")
    if " " not in text and "\t" not in text:
        return written, _cuts(tuple(map(len, written)), (0,) * len(written))
    cells = [cell.strip(_BLANKS) for cell in written]
    indents = tuple(len(cell) - len(cell.lstrip(_BLANKS)) for cell in written)
    ends = _cuts(tuple(map(len, written)), indents)
    return cells, tuple(at for start, cell in zip(ends[::2], cells, strict=True) for at in (start, start + len(cell)))


@lru_cache(maxsize=4096)
def _cuts(widths: tuple[int, ...], indents: tuple[int, ...]) -> tuple[int, ...]:
    """Flat start and end offsets of cells of these widths, joined by commas, each start moved by its indent."""
    cuts: list[int] = []
    at = 0
    for width, indent in zip(widths, indents, strict=True):
        cuts += (at + indent, at + width)
        at += width + 1
    return tuple(cuts)


def _split_quoted(text: str) -> tuple[list[str], tuple[int, ...]]:
    """`split_cells` for a line with quotes; two quotes inside a quoted cell are one."""
    cells: list[str] = []
    cuts: list[int] = []
    at = 0
    while True:
        start = at
        while start < len(text) and text[start] in _BLANKS:
            start += 1
        if start < len(text) and text[start] == '"':
            end = start + 1
            while True:
                end = text.find('"', end)
                if end < 0:
                    message = f"the quoted cell that begins in column {start + 1} does not end on its line"
                    raise CellError("CKP012", message)
                if text.startswith('""', end):
                    end += 2
                    continue
                break
            cells.append(text[start + 1 : end].replace('""', '"').strip(_BLANKS))
            cuts += (start + 1, end)
            at = end + 1
            while at < len(text) and text[at] in _BLANKS:
                at += 1
            if at < len(text) and text[at] != ",":
                message = f"{quote(text[at : at + 20])} after a quoted cell where a comma was expected"
                raise CellError("CKP012", message)
        else:
            comma = text.find(",", at)
            at = len(text) if comma < 0 else comma
            content = text[start:at].strip(_BLANKS)
            cells.append(content)
            cuts += (start, start + len(content))
        if at >= len(text):
            return cells, tuple(cuts)
        at += 1


def read_header(head: str) -> tuple[str, ...]:
    """The column names in the first line of a file's head that is not blank; empty when it has none."""
    try:
        return tuple(split_cells(first_line(head))[0])
    except CellError:
        return ()


def open_table(source: Source) -> Table:
    """The table of a source; InputError CKP006 where a column is named twice."""
    columns = read_header(source.head)
    repeated = [name for name, count in Counter(columns).items() if name and count > 1]
    if repeated:
        raise InputError("CKP006", f"the header names column {quote(repeated[0])} twice", SourceSpan(source.path, 1))
    return Table(Header(source.path, columns), source)


def required(cells: Mapping[str, str], column: str) -> str:
    """A cell that may not be empty; CellError CKP015."""
    cell = cells.get(column, "")
    if not cell:
        raise CellError("CKP015", f"{column} is empty", column)
    return cell


def size(cells: Mapping[str, str], column: str) -> int:
    """A positive whole number up to 2147483647; CellError CKP013 or CKP015."""
    value = _size(required(cells, column))
    if value is None:
        message = f"{column}: {quote(cells[column])} where a whole number from 1 to {MAX_SIZE} was expected"
        raise CellError("CKP013", message, column)
    return value


def whole(cells: Mapping[str, str], column: str, lowest: int, highest: int) -> int | None:
    """A whole number in a range, None where the cell is empty or absent; CellError CKP014."""
    cell = cells.get(column, "")
    if not cell:
        return None
    value = _whole(cell)
    if value is None or not lowest <= value <= highest:
        message = f"{column}: {quote(cell)} where a whole number from {lowest} to {highest} was expected"
        raise CellError("CKP014", message, column)
    return value


def real(cells: Mapping[str, str], column: str) -> float | None:
    """A decimal number, inf and nan among them, None where the cell is empty or absent; CellError CKP014."""
    cell = cells.get(column, "")
    if not cell:
        return None
    try:
        if not cell.isascii() or "_" in cell:
            raise ValueError(cell)
        return float(cell)
    except ValueError as error:
        raise not_a_number(cell, column) from error


def not_a_number(cell: str, column: str) -> CellError:
    """CKP014 for a cell that is no number, or none that its column may hold."""
    return CellError("CKP014", f"{column}: {quote(cell)} where a number was expected", column)


def word(cells: Mapping[str, str], column: str, known: Sequence[str]) -> str:
    """One of the known words, in any case, or empty; CellError CKP014."""
    cell = cells.get(column, "")
    if cell and cell.lower() not in known:
        raise CellError("CKP014", f"{column}: {quote(cell)} where {' or '.join(known)} was expected", column)
    return cell.lower()


@lru_cache(maxsize=4096)
def _size(cell: str) -> int | None:
    value = _whole(cell)
    return value if value is not None and 1 <= value <= MAX_SIZE else None


@lru_cache(maxsize=4096)
def _whole(cell: str) -> int | None:
    digits = cell.removeprefix("-")
    if len(digits) > 10 or not digits.isascii() or not digits.isdigit():
        return None
    return int(cell)
