# SPDX-License-Identifier: Apache-2.0
"""From rows with times to a model for every kernel that they name.

Robust least squares on log(us). A kernel's constants are drawn towards those of its kin, which were fitted without it:
all kernels of the chip, those of its pipeline, those of its tile, each drawn towards the one before. Of many rows the
pull is nothing; a kernel with three rows mostly has its kin's constants, and a wider bar. Errors are of shapes of B
that the fit did not see, intervals from resampling these shapes.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING

from porter.ck_parser import CkInstance, TunedRow, XdlInstance
from porter.predict.model import Constants, Work, microseconds
from porter.problem import Family

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from porter.predict.model import Numbers

#: What a constant can be: us, us, us a 64-byte request of a K tile, TB/s, a share.
_LOWEST = (0.5, 0.0, 2e-5, 0.3, 0.0)
_HIGHEST = (30.0, 30.0, 0.05, 8.0, 1.0)
#: Where a fit without kin begins: a kernel that computes, and one that memory feeds.
_STARTS = ((5.0, 0.5, 9e-4, 4.0, 0.5), (3.0, 0.01, 6e-4, 6.0, 0.05))

#: Errors of log(us) beyond this count less than their square.
_ROBUST = 0.05
#: Rows of one (N, K) count together as their number to the power of 1 - 2 * this: ten thousand rows of one weight are
#: not ten thousand opinions.
_CROWDING = 0.25
#: How far kin differ: a factor for times, TB/s and a share of rest; and as how many rows their opinion counts.
_SPREAD = (0.4, 1.0, 0.35, 0.5, 0.4)
_OPINION = 6.0
#: Rows of one kernel that its kin hear of.
_HEARD = 300

#: Shapes of B are left out in so many parts; constants are refitted to so many draws of them; seeds of both.
FOLDS, DRAWS = 8, 24
#: From so many rows on a kernel's own errors say how good its model is.
ENOUGH = 40


@dataclass(frozen=True)
class Rows:
    """What was measured of one kernel on one chip. instance: from its name; us: microseconds of each row."""

    gfx: str
    cu_num: int
    instance: CkInstance
    rows: tuple[TunedRow, ...]

    @cached_property
    def us(self) -> Numbers:
        import numpy as np

        return np.array([row.us for row in self.rows], dtype=np.float64)

    @cached_property
    def work(self) -> Work:
        """With steps counted in requests, which is what a K tile costs kernels of any tile."""
        found = Work.of([(row.shape, row.kbatch) for row in self.rows], self.instance.tile_mnk, self.cu_num)
        return Work(found.rounds, found.whole, found.steps * requests(self.instance), found.megabytes)

    @cached_property
    def shape_of_b(self) -> npt.NDArray[np.intp]:
        """The number of each row's (N, K)."""
        import numpy as np

        numbers = {nk: i for i, nk in enumerate(sorted({(row.shape.n, row.shape.k) for row in self.rows}))}
        return np.array([numbers[row.shape.n, row.shape.k] for row in self.rows])

    @cached_property
    def weights(self) -> Numbers:
        import numpy as np

        counts = np.bincount(self.shape_of_b)[self.shape_of_b]
        found: Numbers = counts.astype(np.float64) ** -_CROWDING
        found /= found.mean()
        return found

    @property
    def kinship(self) -> tuple[tuple[object, ...], ...]:
        """Keys that kin share: chip, pipeline, tile."""
        instance = self.instance
        pipeline: tuple[object, ...] = ("cktile", instance.tile_mnk[2])
        if isinstance(instance, XdlInstance):
            pipeline = (instance.family, instance.pipeline_version)
        chip = (self.gfx, self.cu_num)
        return chip, (*chip, *pipeline), (*chip, *pipeline, instance.tile_mnk)


@dataclass(frozen=True)
class Fitted:
    """A kernel's model. constants: slope in us a K tile; low, high: 10 and 90 % of the draws; errors: relative, of
    each row, by a fit that did not see its (N, K); median, p90: of these; fit_median: with all rows seen."""

    of: Rows
    constants: Constants
    low: Constants
    high: Constants
    errors: Numbers
    fit_median: float
    bar: float

    @property
    def median(self) -> float:
        import numpy as np

        return float(np.median(self.errors))

    @property
    def p90(self) -> float:
        import numpy as np

        return float(np.quantile(self.errors, 0.9))


def requests(instance: CkInstance) -> float:
    """64-byte requests of one K tile of a workgroup: bytes of A and B, and one for each row of a row-major x_scale and
    wave that gathers it (measured: TR = 0.91 ns a request over twelve kernels, docs/prediction.md)."""
    tile_m, tile_n, tile_k = instance.tile_mnk
    gathered = 0
    if isinstance(instance, XdlInstance) and instance.family is Family.PLAIN:
        gathered = tile_m * instance.waves_mn[1]
    return (tile_m + tile_n) * tile_k / 64 + gathered


def groups(rows: Iterable[TunedRow]) -> list[Rows]:
    """Rows with a time, by chip and kernel, the largest group first; those of one key in the order of the files."""
    found: defaultdict[tuple[str, int, str], list[TunedRow]] = defaultdict(list)
    for row in rows:
        if row.us and row.instance and not row.errs:
            found[row.gfx, row.cu_num, row.kernel_name].append(row)
    result = [Rows(gfx, cu, _instance(mine), tuple(mine)) for (gfx, cu, _), mine in found.items()]
    return sorted(result, key=lambda group: (-len(group.rows), group.gfx, group.instance.name))


def _instance(rows: Sequence[TunedRow]) -> CkInstance:
    instance = rows[0].instance
    assert instance is not None, "rows without one are left out"
    return instance


def fit(all_rows: Sequence[Rows], step: Callable[[Rows], None] = lambda _: None) -> Iterator[Fitted]:
    """A model for every group, in their order; `step` is told of each."""
    import numpy as np

    found = []
    for rows in all_rows:
        kin = _kin(rows, all_rows)
        best = _best(rows.work, rows.us, rows.weights, kin)
        alone = microseconds(kin, rows.work) / rows.us - 1 if kin is not None else None
        errors = np.abs(_unseen(rows, kin))
        draws = _draws(rows, kin, best)
        low, high = np.quantile(draws, (0.1, 0.9), axis=0)
        fit_median = float(np.median(np.abs(microseconds(best, rows.work) / rows.us - 1)))
        found.append((rows, best, low, high, errors, fit_median, alone))
        step(rows)
    # What kin alone would have said, of all kernels: the bar of those that have too little of their own to tell.
    missed = [float(np.quantile(np.abs(alone), 0.9)) for *_, alone in found if alone is not None]
    kin_bar = float(np.median(missed)) if missed else math.inf
    for rows, best, low, high, errors, fit_median, _ in found:
        own = float(np.quantile(errors, 0.9))
        bar = own if len(rows.rows) >= ENOUGH else max(own, kin_bar)
        constants, lowest, highest = (_constants(rows, each) for each in (best, low, high))
        yield Fitted(rows, constants, lowest, highest, errors, fit_median, bar)


def _constants(rows: Rows, values: Numbers) -> Constants:
    launch, fix, slope, bandwidth, rest = values
    return Constants.of((launch, fix, slope * requests(rows.instance), bandwidth, rest))


def _kin(rows: Rows, all_rows: Sequence[Rows]) -> Numbers | None:
    """Constants of a kernel's kin, or None where it has none."""
    found = None
    for level, key in enumerate(rows.kinship):
        kin = [other for other in all_rows if other is not rows and other.kinship[level] == key]
        if kin:
            heard = [_spread(len(other.rows)) for other in kin]
            work = Work(
                *(
                    _joined([getattr(other.work, field)[chosen] for other, chosen in zip(kin, heard, strict=True)])
                    for field in ("rounds", "whole", "steps", "megabytes")
                )
            )
            us = _joined([other.us[chosen] for other, chosen in zip(kin, heard, strict=True)])
            weights = _joined([other.weights[chosen] for other, chosen in zip(kin, heard, strict=True)])
            found = _best(work, us, weights, found)
    return found


def _joined(parts: Sequence[Numbers]) -> Numbers:
    import numpy as np

    return np.concatenate(parts)


def _spread(count: int) -> npt.NDArray[np.intp]:
    """At most _HEARD numbers below count, evenly."""
    import numpy as np

    return np.unique(np.linspace(0, count - 1, min(count, _HEARD)).astype(np.intp))


def _best(work: Work, us: Numbers, weights: Numbers, kin: Numbers | None, starts: Sequence[Numbers] = ()) -> Numbers:
    """The constants of least cost, slope in us a request."""
    import numpy as np
    from scipy.optimize import least_squares

    logs = np.log(us)

    def residuals(values: Numbers) -> Numbers:
        errors: Numbers = weights * (np.log(microseconds(values, work)) - logs)
        return errors if kin is None else np.concatenate((errors, _pull(values, kin)))

    begin = [*starts] or [*map(np.array, _STARTS), *([] if kin is None else [kin])]
    inside = [np.clip(start, np.add(_LOWEST, 1e-9), np.subtract(_HIGHEST, 1e-9)) for start in begin]
    ended = [
        least_squares(residuals, start, bounds=(_LOWEST, _HIGHEST), loss="soft_l1", f_scale=_ROBUST, x_scale=_STARTS[0])
        for start in inside
    ]
    best: Numbers = min(ended, key=lambda result: float(result.cost)).x
    return best


def _pull(values: Numbers, kin: Numbers) -> Numbers:
    """How far constants are from the kin's, as errors of rows."""
    import numpy as np

    scale = np.array(_SPREAD) * (kin[0], max(kin[1], 0.5), kin[2], kin[3], 1.0)
    pull: Numbers = _ROBUST * math.sqrt(_OPINION) * (values - kin) / scale
    return pull


def _unseen(rows: Rows, kin: Numbers | None) -> Numbers:
    """Relative error of every row, by fits that did not see its (N, K)."""
    import numpy as np

    shapes = int(rows.shape_of_b.max()) + 1
    order = np.random.default_rng(0).permutation(shapes)
    part = order[rows.shape_of_b] % min(shapes, FOLDS)
    errors = np.full(len(rows.rows), np.nan)
    for number in range(min(shapes, FOLDS)):
        out = part == number
        seen = ~out
        values = _best(rows.work.at(seen), rows.us[seen], rows.weights[seen], kin) if seen.any() else kin
        if values is not None:
            errors[out] = microseconds(values, rows.work.at(out)) / rows.us[out] - 1
    return errors


def _draws(rows: Rows, kin: Numbers | None, best: Numbers) -> Numbers:
    """Constants of fits to shapes of B that were drawn with replacement."""
    import numpy as np

    random = np.random.default_rng(1)
    shapes = int(rows.shape_of_b.max()) + 1
    found = []
    for _ in range(DRAWS):
        times = Counter(random.integers(shapes, size=shapes).tolist())
        chosen = np.array(list(chain.from_iterable([i] * times[b] for i, b in enumerate(rows.shape_of_b.tolist()))))
        found.append(_best(rows.work.at(chosen), rows.us[chosen], rows.weights[chosen], kin, [best]))
    return np.array(found)
