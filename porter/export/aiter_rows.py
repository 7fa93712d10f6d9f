# SPDX-License-Identifier: Apache-2.0
"""Rows of aiter's tuned CSVs that name our kernels, each in the place of the row that has its key.

Two rows of one key break aiter's look-up (`DataFrame index must be unique`), so a row is replaced, never added beside
another. `us` decides merges there: it comes from a bench file or stays empty, which a merge sorts behind every time.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from porter.ck_parser import TunedRow, read_files
from porter.ck_parser.names import parse_kernel_name
from porter.export import common
from porter.export.bench import Time, Times
from porter.export.common import Kernel, Served, lines_of
from porter.kernel_spec import KernelSpec
from porter.problem import Family, GemmShape

#: What a row answers for, and the header of the newer generation's tables.
KEY = ("gfx", "cu_num", "M", "N", "K")
COLUMNS = (*KEY, "libtype", "kernelId", "splitK", "us", "kernelName", "tflops", "bw", "errRatio")
#: The table that each family's look-up starts from; a model's own tables lie in folders below.
TABLES = {
    Family.PLAIN: "aiter/configs/a8w8_blockscale_tuned_gemm.csv",
    Family.BPRESHUFFLE: "aiter/configs/a8w8_blockscale_bpreshuffle_tuned_gemm.csv",
}

_TABLE = re.compile(r".*a8w8_blockscale(_bpreshuffle)?_tuned_gemm.*\.csv\Z")


@dataclass(frozen=True, slots=True)
class Naming:
    """How rows name kernels: ids are those of the instance table, names are porter's or, where asked, a peer's."""

    ids: Mapping[KernelSpec, int]
    names: Mapping[KernelSpec, str]

    def libtype(self, spec: KernelSpec) -> str:
        """`flydsl`, or the libtype that goes with the peer's grammar."""
        return parse_kernel_name(self.names[spec]).libtype


@dataclass(frozen=True, slots=True)
class Rows:
    """tables: path -> text of the candidate tables; edited: path -> (old, new text) of tables of the checkout;
    accounts: one a row, as plain data."""

    tables: dict[str, str]
    edited: dict[str, tuple[str, str]] = field(default_factory=dict)
    accounts: tuple[dict[str, Any], ...] = ()


def candidates(kernels: Iterable[Kernel], naming: Naming, times: Times) -> Rows:
    """A table a family of every row that the kernels serve, in the newer generation's form."""
    by_table: dict[str, list[list[str]]] = {}
    accounts = []
    for kernel in kernels:
        for row in kernel.served:
            time = _time(kernel.spec, row, naming, times)
            cells = _cells(kernel.spec, row, naming, time)
            by_table.setdefault(f"{common.TABLES}/{Path(TABLES[kernel.spec.family]).name}", []).append(
                [cells[column] for column in COLUMNS]
            )
            accounts.append(_account(kernel.spec, row, time, "candidate"))
    tables = {path: _table([list(COLUMNS), *sorted(rows, key=_order)]) for path, rows in sorted(by_table.items())}
    return Rows(tables, accounts=tuple(accounts))


def replace(
    root: Path,
    kernels: Iterable[Kernel],
    naming: Naming,
    times: Times,
    *,
    unmeasured: bool,
) -> Rows:
    """The same, and the tables of a checkout with the rows of those keys replaced.

    A row is replaced when ours has a lower `us`; with `unmeasured` whatever its time, and without any. Where no row has
    the key, ours is put behind the last one of the family's table. A table of the older generation has no libtype, and
    its build reads kernelId: those cells stay as they are, so CK's own kernel serves what ours does not, and no row is
    put there. Raises InputError (CKP) for a table that cannot be read.
    """
    kernels = tuple(kernels)
    existing = _existing(root)
    texts: dict[str, list[str]] = {}
    accounts = []
    for kernel in kernels:
        for row in kernel.served:
            time = _time(kernel.spec, row, naming, times)
            cells = _cells(kernel.spec, row, naming, time)
            found = existing.get((kernel.spec.family, row.gfx, row.cu_num, row.shape), [])
            for old in found:
                path = Path(old.where.path).relative_to(root).as_posix()
                verdict = _verdict(old, time, unmeasured)
                if verdict == "replaced":
                    lines = texts.setdefault(path, _lines(root / path))
                    lines[old.where.line - 1] = _line(lines[0], lines[old.where.line - 1], cells)
                accounts.append(_account(kernel.spec, row, time, verdict, f"{path}:{old.where.line}", old))
            if not found:
                path = TABLES[kernel.spec.family]
                verdict = "kept out: no time in the bench file"
                if time is not None or unmeasured:
                    lines = texts.setdefault(path, _lines(root / path))
                    verdict = _add(lines, cells)
                accounts.append(_account(kernel.spec, row, time, verdict, path))
    edited = {path: ("".join(_lines(root / path)), "".join(lines)) for path, lines in texts.items()}
    changed = {path: (old, new) for path, (old, new) in edited.items() if old != new}
    return Rows(candidates(kernels, naming, times).tables, changed, tuple(accounts))


def _existing(root: Path) -> dict[tuple[Family, str, int, GemmShape], list[TunedRow]]:
    """Every row of the checkout's block-scale tables by key, whatever library it names."""
    paths = [path for path in sorted((root / "aiter" / "configs").rglob("*.csv")) if _TABLE.match(path.name)]
    found: dict[tuple[Family, str, int, GemmShape], list[TunedRow]] = {}
    if paths:
        result = read_files(paths, by_shape=True)
        for row in (*result.rows, *(loser.row for loser in result.superseded)):
            found.setdefault((row.family, row.gfx, row.cu_num, row.shape), []).append(row)
    return found


def _verdict(old: TunedRow, time: Time | None, unmeasured: bool) -> str:
    if unmeasured:
        return "replaced"
    if time is None:
        return "kept: no time in the bench file"
    if old.us is not None and old.us <= time.us:
        return f"kept: {old.us} us is not slower"
    return "replaced"


def _line(header: str, old: str, ours: Mapping[str, str]) -> str:
    """One line with our kernel in it, in the columns and the line ending of its file."""
    columns, cells = _split(header), _split(old)
    changed = {column: cell for column, cell in ours.items() if column not in KEY}
    changed["err_ratio"] = changed["errRatio"]
    if "libtype" not in columns:
        del changed["kernelId"], changed["splitK"]
    padded = [*cells, *[""] * (len(columns) - len(cells))]
    line = _table([[changed.get(column, cell) for column, cell in zip(columns, padded, strict=True)]])
    return line.rstrip("\n") + old[len(old.rstrip("\r\n")) :]


def _add(lines: list[str], ours: Mapping[str, str]) -> str:
    """Put a row at the end of a table of the newer generation; what became of it."""
    columns = _split(lines[0]) if lines else []
    if "libtype" not in columns:
        return "kept out: a table without libtype takes no row that CK does not have"
    ending = lines[0][len(lines[0].rstrip("\r\n")) :] or "\n"
    lines[-1] = lines[-1].rstrip("\r\n") + ending
    lines.append(_table([[ours.get(column, "") for column in columns]]).rstrip("\n") + ending)
    return "added"


def _cells(spec: KernelSpec, row: Served, naming: Naming, time: Time | None) -> dict[str, str]:
    """Column -> cell. Without a time `us` and what follows from it are empty."""
    m, n, k = row.shape.m, row.shape.n, row.shape.k
    measured = {"us": "", "tflops": "", "bw": "", "errRatio": ""}
    if time is not None:
        # aiter's own arithmetic: bytes are 1 for fp8 and 2 for the output (GemmCommonTuner.calculate).
        measured = {
            "us": f"{time.us:.4f}",
            "tflops": f"{2 * m * n * k / time.us / 1e6:.2f}",
            "bw": f"{(m * k + n * k + 2 * m * n) / time.us / 1e3:.2f}",
            "errRatio": time.err_ratio,
        }
    return {
        "gfx": row.gfx,
        "cu_num": str(row.cu_num),
        **dict(zip("MNK", map(str, (m, n, k)), strict=True)),
        "libtype": naming.libtype(spec),
        "kernelId": str(naming.ids[spec]),
        # The split is part of the kernel.
        "splitK": "0",
        "kernelName": naming.names[spec],
        **measured,
    }


def _time(spec: KernelSpec, row: Served, naming: Naming, times: Times) -> Time | None:
    return times.best({spec.name, naming.names[spec]}, row.shape, row.cu_num)


def _account(
    spec: KernelSpec, row: Served, time: Time | None, verdict: str, where: str = "", old: TunedRow | None = None
) -> dict[str, Any]:
    return {
        "family": spec.family.value,
        "gfx": row.gfx,
        "cu_num": row.cu_num,
        "shape": str(row.shape),
        "kernel": spec.name,
        "us": time.us if time else None,
        "verdict": verdict,
        "where": where,
        "old_kernel": old.kernel_name if old else "",
        "old_us": old.us if old else None,
    }


def _order(cells: list[str]) -> tuple[str, int, int, int, int]:
    return (cells[0], int(cells[1]), int(cells[3]), int(cells[4]), int(cells[2]))


def _table(rows: list[list[str]]) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue()


def _split(line: str) -> list[str]:
    return [cell.strip() for cell in next(csv.reader([line.rstrip("\r\n")]))]


def _lines(path: Path) -> list[str]:
    return [] if not path.exists() else lines_of(path.read_bytes().decode("utf-8"))
