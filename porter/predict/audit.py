# SPDX-License-Identifier: Apache-2.0
"""Rows of tuned tables that look mistuned: what the tuner measured is held against models, twins and neighbours.

Nothing here was measured by porter: a finding says that a row deserves another measurement, and why.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from porter.ck_parser import ReadResult, TunedRow, XdlInstance
from porter.errors import ExitCode
from porter.problem import Family
from porter.records import Amount, Count, Record, Size

if TYPE_CHECKING:
    from porter.predict.calibration import Calibration, KernelModel

#: Two measurements of one row differ by 13 % in one of ten pairs (docs/prediction.md), so less says nothing.
NOISE = 0.15


class Finding(Record, frozen=True):
    """One row that looks mistuned.

    us: measured, of the row; other: us that it is held against, of what `what` says; ratio: us / other.
    """

    code: str
    path: str
    line: Size
    m: Size
    n: Size
    k: Size
    kernel: str
    us: Amount
    other: Amount
    ratio: Amount
    what: str


class AuditOutput(Record, frozen=True, tag_field="schema", tag="porter/audit/1"):
    """porter audit: rows with a measured time, how many of them a model judges, and those that look mistuned, the worst
    first."""

    rows: Count
    judged: Count
    findings: tuple[Finding, ...]

    def exit_code(self, strict: bool) -> ExitCode:
        return ExitCode.FINDINGS if strict and self.findings else ExitCode.GOOD


@dataclass(frozen=True)
class _Judged:
    """A row with its own kernel's model, and what that says."""

    row: TunedRow
    model: KernelModel
    us: float


def audit(found: ReadResult, calibration: Calibration) -> AuditOutput:
    """Every reason to measure a row again.

    CKF101: above its own kernel's model by more than its bar; CKF102: above another kernel's model and bar; CKF103: one
    key was measured twice, with times that differ by more than noise; CKF104: slower than a row of more M.
    """
    rows = [row for row in found.rows if row.us]
    judged = list(_judged(rows, calibration))
    findings = [
        *_above_their_own(judged),
        *_above_others(judged, calibration),
        *_twice(found),
        *_slower_than_more(rows),
    ]
    findings.sort(key=lambda finding: (-finding.ratio, finding.path, finding.line, finding.code))
    return AuditOutput(len(rows), len(judged), tuple(findings))


def _judged(rows: Iterable[TunedRow], calibration: Calibration) -> Iterator[_Judged]:
    """Rows in the range of their kernel's model."""
    by_model: defaultdict[tuple[str, int, str], list[TunedRow]] = defaultdict(list)
    for row in rows:
        by_model[row.gfx, row.cu_num, row.kernel_name].append(row)
    for key, mine in by_model.items():
        model = calibration.of(*key)
        if model is not None:
            seen = [row for row in mine if model.seen(row.shape)]
            times = model.times([(row.shape, row.kbatch) for row in seen]) if seen else []
            yield from (_Judged(row, model, us) for row, us in zip(seen, times, strict=True))


def _finding(code: str, row: TunedRow, other: float, what: str) -> Finding:
    assert row.us is not None, "rows without a time are left out"
    shape, where = row.shape, row.where
    sizes = (shape.m, shape.n, shape.k)
    return Finding(code, where.path, where.line, *sizes, row.kernel_name, row.us, other, row.us / other, what)


def _above_their_own(judged: Iterable[_Judged]) -> Iterator[Finding]:
    for item in judged:
        bar = max(item.model.errors.bar, NOISE)
        if item.row.us and item.row.us > item.us * (1 + bar):
            yield _finding("CKF101", item.row, item.us, f"predicted by its own kernel's model, +-{bar:.0%}")


def _above_others(judged: Sequence[_Judged], calibration: Calibration) -> Iterator[Finding]:
    """Rows for which another kernel of the family, its bar included, promises more than noise. Where the own model is
    as far below the row as the other, it is the shape that models miss, and nothing is said."""
    by_family: defaultdict[tuple[str, int, Family], list[_Judged]] = defaultdict(list)
    for item in judged:
        by_family[item.row.gfx, item.row.cu_num, item.row.family].append(item)
    for (gfx, cu_num, family), items in by_family.items():
        best: dict[int, tuple[float, KernelModel]] = {}
        for model in calibration.file.kernels:
            instance = model.instance()
            if (model.gfx, model.cu_num) != (gfx, cu_num) or not isinstance(instance, XdlInstance):
                continue
            seen = [i for i, item in enumerate(items) if instance.family is family and model.seen(items[i].row.shape)]
            for i, us in zip(seen, model.times([(items[i].row.shape, 1) for i in seen]) if seen else (), strict=True):
                if items[i].row.kernel_name != model.kernel and us * (1 + model.errors.bar) < _promised(best.get(i)):
                    best[i] = us, model
        for i, (us, model) in best.items():
            row, own = items[i].row, items[i].us
            assert row.us is not None
            if row.us > _promised((us, model)) * (1 + NOISE) and own > us * (1 + model.errors.bar):
                yield _finding("CKF102", row, us, f"predicted of {model.kernel}, +-{model.errors.bar:.0%}")


def _promised(best: tuple[float, KernelModel] | None) -> float:
    """What a model says at worst."""
    return best[0] * (1 + best[1].errors.bar) if best else float("inf")


def _twice(found: ReadResult) -> Iterator[Finding]:
    for item in found.superseded:
        row, winner = item.row, item.winner
        if row.us and winner.us and row.kernel_name == winner.kernel_name and row.us > winner.us * (1 + NOISE):
            yield _finding("CKF103", row, winner.us, f"measured of the same kernel and shape at {winner.where}")


def _slower_than_more(rows: Iterable[TunedRow]) -> Iterator[Finding]:
    """Rows that take longer than one of the same B with more rows of A, whose kernel could have served them."""
    by_b: defaultdict[tuple[object, ...], list[TunedRow]] = defaultdict(list)
    for row in rows:
        by_b[row.family, row.gfx, row.cu_num, row.shape.n, row.shape.k].append(row)
    for same in by_b.values():
        fastest: TunedRow | None = None
        for row in sorted(same, key=lambda row: -row.shape.m):
            us, least = row.us or 0.0, fastest.us or 0.0 if fastest else float("inf")
            if fastest and us > least * (1 + NOISE) and row.shape.m < fastest.shape.m:
                yield _finding("CKF104", row, least, f"measured of M = {fastest.shape.m} at {fastest.where}")
            fastest = row if us < least else fastest
