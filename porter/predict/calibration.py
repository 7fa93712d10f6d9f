# SPDX-License-Identifier: Apache-2.0
"""Fitted models as a file: numbers and where they come from, none of the rows themselves.

One made from aiter's tuned tables lies beside this module; `porter predict --fit` makes another.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from porter import __version__, records
from porter.ck_parser import CkInstance, ReadResult, parse_kernel_name
from porter.errors import InputError
from porter.predict import fit as fitting
from porter.predict.model import Constants, Work, microseconds
from porter.problem import GemmShape
from porter.records import Amount, Count, Digest, Record, Size
from porter.write.output import replace_file

FORM = "porter/calibration/1"

#: The one that is used where none is named.
DEFAULT = Path(__file__).with_name("calibration.json")

_HINT = "porter predict --fit TUNED.csv... --out FILE writes one"


class Figure(Record, frozen=True):
    """A fitted number, with the interval that 80 % of the draws of shapes of B fall into."""

    value: Amount
    low: Amount
    high: Amount


class Range(Record, frozen=True):
    """Sizes that a fit has seen."""

    low: Size
    high: Size


class Errors(Record, frozen=True):
    """Relative errors of times. fit: median, all rows seen; median, p90: of rows whose (N, K) the fit had not seen;
    bar: what predictions carry: p90, and no less than kin usually miss by where there are few rows."""

    fit: Amount
    median: Amount
    p90: Amount
    bar: Amount


class KernelModel(Record, frozen=True):
    """The model of one kernel on one chip.

    kernel: kernelName; rows, shapes_of_b: that it was fitted to; m, n, k: their ranges; launch, fix: us; slope: us a K
    tile of a workgroup; bandwidth: TB/s; rest: share.
    """

    gfx: str
    cu_num: Size
    kernel: str
    rows: Count
    shapes_of_b: Count
    m: Range
    n: Range
    k: Range
    launch: Figure
    fix: Figure
    slope: Figure
    bandwidth: Figure
    rest: Figure
    errors: Errors

    @property
    def constants(self) -> Constants:
        return Constants(*(figure.value for figure in (self.launch, self.fix, self.slope, self.bandwidth, self.rest)))

    def instance(self) -> CkInstance:
        """What the name says. Raises InputError CKF002 for a name that no list of CK's has."""
        kernel = parse_kernel_name(self.kernel)
        if not isinstance(kernel, CkInstance):
            raise InputError("CKF002", f"the calibration names {self.kernel!r}, which is no instance of CK's")
        return kernel

    def seen(self, shape: GemmShape) -> bool:
        """Whether a shape lies in the ranges; else what is said of it is *extrapolated*."""
        sizes = ((shape.m, self.m), (shape.n, self.n), (shape.k, self.k))
        return all(seen.low <= size <= seen.high for size, seen in sizes)

    def times(self, shapes: Sequence[tuple[GemmShape, int]]) -> list[float]:
        """Microseconds of shapes, each with its KBatch."""
        work = Work.of(shapes, self.instance().tile_mnk, self.cu_num)
        return [float(us) for us in microseconds(self.constants.values, work)]


class Source(Record, frozen=True):
    """A file whose rows were fitted."""

    name: str
    sha256: Digest
    rows: Count


class CalibrationFile(Record, frozen=True, tag_field="schema", tag=FORM):
    """Models of the times of CK's kernels: fitted to measured rows, with errors on shapes that they had not seen."""

    porter: str
    sources: tuple[Source, ...]
    kernels: tuple[KernelModel, ...]


@dataclass(frozen=True)
class Calibration:
    """Models by chip and kernel."""

    file: CalibrationFile

    @cached_property
    def by_kernel(self) -> dict[tuple[str, int, str], KernelModel]:
        return {(model.gfx, model.cu_num, model.kernel): model for model in self.file.kernels}

    def of(self, gfx: str, cu_num: int, kernel: str) -> KernelModel | None:
        return self.by_kernel.get((gfx, cu_num, kernel))


def read(path: Path = DEFAULT) -> Calibration:
    """The models of a file. Raises InputError: CKF001 for one that cannot be read, or is of another form."""
    try:
        return Calibration(records.read(CalibrationFile, path.read_bytes()))
    except (OSError, ValueError, RecursionError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise InputError("CKF001", f"no calibration in {path}: {reason}", hint=_HINT) from error


def write(path: Path, file: CalibrationFile) -> None:
    """Write a file by a rename. Raises InputError CKP060."""
    replace_file(path, records.laid_out(records.plain(file)) + "\n")


def fit(found: ReadResult, step: Callable[[fitting.Rows], None] = lambda _: None) -> CalibrationFile:
    """Models of everything that was read. Raises InputError CKF003 where no row has a time and an instance of CK's."""
    groups = fitting.groups(found.rows)
    if not groups:
        raise InputError("CKF003", "no row has both a time and an instance of CK's", hint="give tuned tables")
    return CalibrationFile(__version__, _sources(found, groups), tuple(map(_model, fitting.fit(groups, step))))


def _sources(found: ReadResult, groups: Iterable[fitting.Rows]) -> tuple[Source, ...]:
    used: dict[str, int] = {}
    for group in groups:
        for row in group.rows:
            used[row.where.path] = used.get(row.where.path, 0) + 1
    return tuple(
        Source(os.path.basename(path), hashlib.sha256(Path(path).read_bytes()).hexdigest(), used[path])
        for path in (report.path for report in found.files)
        if path in used
    )


def _model(found: fitting.Fitted) -> KernelModel:
    rows = found.of
    shapes = [row.shape for row in rows.rows]
    m, n, k = (_range(sizes) for sizes in zip(*((shape.m, shape.n, shape.k) for shape in shapes), strict=True))
    launch, fix, slope, bandwidth, rest = map(_figure, found.constants.values, found.low.values, found.high.values)
    return KernelModel(
        *(rows.gfx, rows.cu_num, rows.rows[0].kernel_name, len(shapes), len({(each.n, each.k) for each in shapes})),
        *(m, n, k),
        *(launch, fix, slope, bandwidth, rest),
        Errors(*map(_short, (found.fit_median, found.median, found.p90, found.bar))),
    )


def _range(sizes: tuple[int, ...]) -> Range:
    return Range(min(sizes), max(sizes))


def _figure(value: float, low: float, high: float) -> Figure:
    """The fit to all rows may lie outside what its draws found, which each lack some."""
    return Figure(*map(_short, (value, min(low, value), max(high, value))))


def _short(value: float) -> float:
    return float(f"{value:.4g}")
