# SPDX-License-Identifier: Apache-2.0
"""The block-scale tables of an aiter checkout, line by line: which rows have a key, and lines put in or replaced.

Keys are read from the cells as pandas compares them (16.0 is 16), whatever else a row holds: a row that porter's
parser refuses still breaks aiter's look-up when another of its key stands beside it.
"""

from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from porter.ck_parser import read_files
from porter.errors import InputError, SourceSpan
from porter.export.common import Served
from porter.problem import TARGETS, Family

#: What a row answers for.
KEY = ("gfx", "cu_num", "M", "N", "K")
#: The table that each family's look-up starts from; a model's own tables lie in folders below.
TABLES = {
    Family.PLAIN: "aiter/configs/a8w8_blockscale_tuned_gemm.csv",
    Family.BPRESHUFFLE: "aiter/configs/a8w8_blockscale_bpreshuffle_tuned_gemm.csv",
}

_TABLE = re.compile(r".*a8w8_blockscale(_bpreshuffle)?_tuned_gemm.*\.csv\Z")
_BOM = "\ufeff"


@dataclass(frozen=True, slots=True)
class OldRow:
    """A row that has a key.

    table: path below the checkout; line: from 1; chip: its gfx and cu_num as written, empty where the table has none;
    us: microseconds, None where the cell holds no time; readable: porter's parser takes the row.
    """

    table: str
    line: int
    chip: tuple[str, str]
    kernel_name: str
    us: float | None
    readable: bool

    @property
    def where(self) -> str:
        return f"{self.table}:{self.line}"

    def is_of(self, row: Served) -> bool:
        """Whether the row is of this chip: a gfx that it leaves out is any, a cu_num that of the whole chip."""
        gfx, cu_num = self.chip
        whole = TARGETS[row.gfx].cus if row.gfx in TARGETS else None
        return gfx in ("", row.gfx) and (number(cu_num) if cu_num else whole) == row.cu_num


class Tables:
    """Every block-scale table of a checkout, read once, and what becomes of its lines; nothing is written."""

    def __init__(self, root: Path) -> None:
        """Raises InputError (CKP) for a table that cannot be read."""
        self._root = root
        self._rows: dict[tuple[Family, float | None, float | None, float | None], list[OldRow]] = {}
        self._texts: dict[str, list[str]] = {}
        found = sorted((root / "aiter" / "configs").rglob("*.csv"))
        paths = {path: match for path in found if (match := _TABLE.match(path.name))}
        if not paths:
            return
        result = read_files(list(paths), by_shape=True)
        readable = {
            (row.where.path, row.where.line) for row in (*result.rows, *(loser.row for loser in result.superseded))
        }
        for path, match in paths.items():
            family = Family.BPRESHUFFLE if match[1] else Family.PLAIN
            # Only a line that is edited has to be text.
            lines = _lines(path.read_bytes().decode("utf-8", errors="backslashreplace"))
            start = _header(lines)
            columns = split(lines[start])
            for index in range(start + 1, len(lines)):
                cells = dict(zip(columns, split(lines[index]), strict=False))
                self._keep(family, path, index + 1, cells, (str(path), index + 1) in readable)

    def _keep(self, family: Family, path: Path, line: int, cells: Mapping[str, str], readable: bool) -> None:
        old = OldRow(
            path.relative_to(self._root).as_posix(),
            line,
            (cells.get("gfx", ""), cells.get("cu_num", "")),
            cells.get("kernelName", ""),
            _time(cells.get("us", "")),
            readable,
        )
        m, n, k = (number(cells.get(column, "")) for column in "MNK")
        self._rows.setdefault((family, m, n, k), []).append(old)

    def find(self, family: Family, row: Served) -> list[OldRow]:
        """The rows of a key in the family's tables, whatever they name."""
        shape = row.shape
        return [old for old in self._rows.get((family, shape.m, shape.n, shape.k), ()) if old.is_of(row)]

    def replace(self, old: OldRow, ours: Mapping[str, str]) -> None:
        """Put our kernel into a row, in the columns and the line ending of its table.

        Raises InputError CKP016 for a table that is not UTF-8 text.
        """
        lines = self._edit(old.table)
        lines[old.line - 1] = _line(lines[_header(lines)], lines[old.line - 1], ours)

    def add(self, family: Family, row: Served, ours: Mapping[str, str]) -> str:
        """Put a row at the end of the family's table, if it is of the newer generation; what became of it.

        Raises InputError CKP016.
        """
        path = TABLES[family]
        lines = self._edit(path)
        header = lines[_header(lines)] if lines else ""
        columns = split(header)
        if "libtype" not in columns:
            return "kept out: a table without libtype takes no row that CK does not have"
        ending = _ending(header) or "\n"
        lines[-1] = lines[-1].rstrip("\r\n") + ending
        lines.append(text_of([[ours.get(column, "") for column in columns]]).rstrip("\n") + ending)
        self._keep(family, self._root / path, len(lines), ours, True)
        return "added"

    def edited(self) -> dict[str, tuple[str, str]]:
        """path -> (old, new text) of every table that differs."""
        texts = {path: (self._text(path), "".join(lines)) for path, lines in self._texts.items()}
        return {path: (old, new) for path, (old, new) in texts.items() if old != new}

    def _edit(self, path: str) -> list[str]:
        if path not in self._texts:
            self._texts[path] = _lines(self._text(path))
        return self._texts[path]

    def _text(self, path: str) -> str:
        if not (self._root / path).exists():
            return ""
        content = (self._root / path).read_bytes()
        try:
            return content.decode("utf-8")
        except UnicodeDecodeError as error:
            line = len(_lines(content[: error.start].decode("utf-8") + "."))
            raise InputError(
                "CKP016",
                f"the line is not UTF-8 text: {error.reason}",
                SourceSpan(str(self._root / path), line),
                "a row of this table is to be replaced or added: save it as UTF-8 text",
            ) from error


def number(cell: str) -> float | None:
    """What a cell says as a number, None where it says none."""
    try:
        return float(cell)
    except ValueError:
        return None


def text_of(rows: Iterable[Sequence[str]]) -> str:
    """Rows as lines of a CSV."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue()


def split(line: str) -> list[str]:
    """The cells of a line."""
    text = line.rstrip("\r\n").removeprefix(_BOM)
    try:
        return [cell.strip() for cell in next(csv.reader([text]), [])]
    except csv.Error:
        # A NUL byte or an endless cell: the key still stands between commas.
        return [cell.strip() for cell in text.split(",")]


def _line(header: str, old: str, ours: Mapping[str, str]) -> str:
    columns, cells = split(header), split(old)
    changed = {column: cell for column, cell in ours.items() if column != "gfx"}
    changed["err_ratio"] = changed["errRatio"]
    if "libtype" not in columns:
        del changed["kernelId"], changed["splitK"]
    padded = [*cells, *[""] * (len(columns) - len(cells))]
    # Surplus cells have no column.
    line = text_of([[changed.get(column, cell) for column, cell in zip(columns, padded, strict=False)]])
    return line.rstrip("\n") + _ending(old)


def _time(cell: str) -> float | None:
    us = number(cell)
    return us if us is not None and 0 < us < math.inf else None


def _header(lines: Sequence[str]) -> int:
    """Index of the first line that is not blank; 0 where every one is."""
    return next((index for index, line in enumerate(lines) if line.removeprefix(_BOM).strip()), 0)


def _lines(text: str) -> list[str]:
    """Lines as a reader of CSV sees them, each with its end: LF, CRLF or CR."""
    return re.findall(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+\Z", text)


def _ending(line: str) -> str:
    return line[len(line.rstrip("\r\n")) :]
