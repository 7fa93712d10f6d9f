# SPDX-License-Identifier: Apache-2.0
"""Times that somebody measured on hardware, from a CSV; porter has none of its own."""

from __future__ import annotations

import csv
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path
from typing import TypeAlias

from porter.ck_parser.quoting import quote
from porter.ck_parser.readers.placing import GFX
from porter.errors import InputError, SourceSpan
from porter.problem import GemmShape

_COLUMNS = ("kernelName", "M", "N", "K", "us")
#: Microseconds; no clock of a GPU tells less apart, and tables hold four digits behind the point.
_LEAST_US = 0.001

#: What a measurement is of: kernel name, shape, and gfx and compute units of the chip, None where the file says none.
_Key: TypeAlias = tuple[str, GemmShape, tuple[str | None, int | None]]


@dataclass(frozen=True, slots=True)
class Time:
    """us: microseconds of one call; err_ratio: fraction of failing elements as written, empty where not given."""

    us: float
    err_ratio: str = ""


@dataclass(frozen=True, slots=True)
class Times:
    """Measurements by kernel name, shape and chip."""

    measured: Mapping[_Key, Time] = field(default_factory=dict)

    def best(self, names: Iterable[str], shape: GemmShape, gfx: str, cu_num: int) -> Time | None:
        """The lowest time of a kernel under any of its names, on this chip or where the file leaves that open."""
        chips = tuple(product((gfx, None), (cu_num, None)))
        found = (self.measured.get((name, shape, chip)) for name in names for chip in chips)
        return min((time for time in found if time), key=lambda time: time.us, default=None)


def read(path: Path) -> Times:
    """The times of a file; of several of one key the lowest.

    It has the columns kernelName, M, N, K and us, and may have gfx, cu_num and errRatio: a row is a measurement of
    that kernel and of no other. Raises InputError CKE005 for a file, column or cell that cannot be used, with its
    place.
    """
    hint = f"needed: {', '.join(_COLUMNS)}"
    try:
        with path.open(encoding="utf-8-sig", newline="") as stream:
            reader = csv.DictReader(stream, skipinitialspace=True)
            missing = [column for column in _COLUMNS if column not in (reader.fieldnames or ())]
            if missing:
                raise InputError("CKE005", f"no column {', '.join(missing)}", SourceSpan(str(path), 1), hint)
            times: dict[_Key, Time] = {}
            for row in reader:
                key, time = _row(row, SourceSpan(str(path), reader.line_num))
                if key not in times or time.us < times[key].us:
                    times[key] = time
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise InputError("CKE005", f"{path}: cannot read: {error}", hint=hint) from error
    return Times(times)


def _row(row: dict[str, str], where: SourceSpan) -> tuple[_Key, Time]:
    cells = {name: (row.get(name) or "").strip() for name in (*_COLUMNS, "gfx", "cu_num", "errRatio")}
    try:
        shape = GemmShape(int(cells["M"]), int(cells["N"]), int(cells["K"]))
        us = float(cells["us"])
        cu_num = int(cells["cu_num"]) if cells["cu_num"] else None
        failing = float(cells["errRatio"] or 0)
    except ValueError as error:
        raise InputError(
            "CKE005", f"{error}", where, "M, N, K and cu_num are whole numbers, us is microseconds, errRatio a fraction"
        ) from error
    # ROCm writes a chip's features behind its name.
    gfx = cells["gfx"].partition(":")[0]
    if gfx and not GFX.fullmatch(gfx):
        raise InputError("CKE005", f"gfx is {quote(gfx)}, not a chip", where, "write it as gfx950, or leave it empty")
    if not (_LEAST_US <= us < math.inf) or min(shape.m, shape.n, shape.k) < 1:
        raise InputError("CKE005", f"{shape} took {cells['us']} us: not a measurement", where, "leave the row out")
    if not 0 <= failing <= 1:
        message = f"errRatio is {quote(cells['errRatio'])}, not a fraction of the elements"
        raise InputError("CKE005", message, where, "write a number from 0 to 1, or leave it empty")
    return (cells["kernelName"], shape, (gfx or None, cu_num)), Time(us, cells["errRatio"])
