# SPDX-License-Identifier: Apache-2.0
"""Rows of aiter's tuned CSVs that name our kernels, each in the place of the row that has its key.

Two rows of one key break aiter's look-up (`DataFrame index must be unique`), so a row is replaced, never added beside
another. `us` decides merges there: it comes from a bench file or stays empty, which a merge sorts behind every time.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from porter.ck_parser.names import parse_kernel_name
from porter.export import aiter_tables, common
from porter.export.aiter_tables import KEY, TABLES, OldRow
from porter.export.bench import Time, Times
from porter.export.common import Account, Kernel, Served
from porter.kernel_spec import KernelSpec

#: The header of the newer generation's tables.
COLUMNS = (*KEY, "libtype", "kernelId", "splitK", "us", "kernelName", "tflops", "bw", "errRatio")


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
    accounts: one a row."""

    tables: dict[str, str]
    edited: dict[str, tuple[str, str]] = field(default_factory=dict)
    accounts: tuple[Account, ...] = ()


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
    tables = {
        path: aiter_tables.text_of([list(COLUMNS), *sorted(rows, key=_order)])
        for path, rows in sorted(by_table.items())
    }
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
    tables = aiter_tables.Tables(root)
    accounts = []
    for kernel in kernels:
        for row in kernel.served:
            time = _time(kernel.spec, row, naming, times)
            cells = _cells(kernel.spec, row, naming, time)
            found = tables.find(kernel.spec.family, row)
            for old in found:
                verdict = _verdict(old, time, unmeasured)
                if verdict == "replaced":
                    tables.replace(old, cells)
                accounts.append(_account(kernel.spec, row, time, verdict, old.where, old))
            if not found:
                verdict = "kept out: no time in the bench file"
                if time is not None or unmeasured:
                    verdict = tables.add(kernel.spec.family, row, cells)
                accounts.append(_account(kernel.spec, row, time, verdict, TABLES[kernel.spec.family]))
    return Rows(candidates(kernels, naming, times).tables, tables.edited(), tuple(accounts))


def _verdict(old: OldRow, time: Time | None, unmeasured: bool) -> str:
    if unmeasured:
        return "replaced"
    unread = "" if old.readable else "the row cannot be read, and "
    if time is None:
        return f"kept: {unread}{'there is ' if unread else ''}no time in the bench file"
    if old.us is not None and old.us <= time.us:
        return f"kept: {unread}{old.us} us is not slower"
    return "replaced"


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
    return times.best({spec.name, naming.names[spec]}, row.shape, row.gfx, row.cu_num)


def _account(
    spec: KernelSpec, row: Served, time: Time | None, verdict: str, where: str = "", old: OldRow | None = None
) -> Account:
    return Account(
        family=spec.family,
        gfx=row.gfx,
        cu_num=row.cu_num,
        shape=str(row.shape),
        kernel=spec.name,
        us=time.us if time else None,
        verdict=verdict,
        where=where,
        old_kernel=old.kernel_name if old else "",
        old_us=old.us if old else None,
    )


def _order(cells: list[str]) -> tuple[str, int, int, int, int]:
    return (cells[0], int(cells[1]), int(cells[3]), int(cells[4]), int(cells[2]))
