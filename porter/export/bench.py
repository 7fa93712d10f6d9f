# SPDX-License-Identifier: Apache-2.0
"""Times that somebody measured on hardware, from a CSV; porter has none of its own."""

from __future__ import annotations

import csv
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from porter.errors import InputError, SourceSpan
from porter.problem import GemmShape

_COLUMNS = ("kernelName", "M", "N", "K", "us")


@dataclass(frozen=True, slots=True)
class Time:
    """us: microseconds of one call; err_ratio: fraction of failing elements as written, empty where not given."""

    us: float
    err_ratio: str = ""


@dataclass(frozen=True, slots=True)
class Times:
    """Measurements by kernel name, shape and compute units, None where the file does not say on how many."""

    measured: Mapping[tuple[str, GemmShape, int | None], Time] = field(default_factory=dict)

    def best(self, names: Iterable[str], shape: GemmShape, cu_num: int) -> Time | None:
        """The lowest time of a kernel under any of its names, on a chip of this size or on one of unsaid size."""
        found = (self.measured.get((name, shape, cus)) for name in names for cus in (cu_num, None))
        return min((time for time in found if time), key=lambda time: time.us, default=None)


def read(path: Path) -> Times:
    """The times of a file; of several of one key the lowest.

    It has the columns kernelName, M, N, K and us, and may have cu_num and errRatio: a row is a measurement of that
    kernel and of no other. Raises InputError CKG094 for a file, column or number that cannot be used, with its place.
    """
    hint = f"needed: {', '.join(_COLUMNS)}"
    try:
        with path.open(encoding="utf-8-sig", newline="") as stream:
            reader = csv.DictReader(stream, skipinitialspace=True)
            missing = [column for column in _COLUMNS if column not in (reader.fieldnames or ())]
            if missing:
                raise InputError("CKG094", f"no column {', '.join(missing)}", SourceSpan(str(path), 1), hint)
            times: dict[tuple[str, GemmShape, int | None], Time] = {}
            for row in reader:
                key, time = _row(row, SourceSpan(str(path), reader.line_num))
                if key not in times or time.us < times[key].us:
                    times[key] = time
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise InputError("CKG094", f"{path}: cannot read: {error}", hint=hint) from error
    return Times(times)


def _row(row: dict[str, str], where: SourceSpan) -> tuple[tuple[str, GemmShape, int | None], Time]:
    cells = {name: (row[name] or "").strip() for name in _COLUMNS}
    try:
        shape = GemmShape(int(cells["M"]), int(cells["N"]), int(cells["K"]))
        us = float(cells["us"])
        cu_num = int(row["cu_num"]) if row.get("cu_num") else None
    except ValueError as error:
        raise InputError(
            "CKG094", f"{error}", where, "M, N, K and cu_num are whole numbers, us is microseconds"
        ) from error
    if not (0 < us < math.inf) or min(shape.m, shape.n, shape.k) < 1:
        raise InputError("CKG094", f"{shape} took {cells['us']} us: not a measurement", where, "leave the row out")
    return (cells["kernelName"], shape, cu_num), Time(us, (row.get("errRatio") or "").strip())
