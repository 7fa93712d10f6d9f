# SPDX-License-Identifier: Apache-2.0
"""The decode core: A and B straight to registers, several scale blocks ahead; no LDS and no barrier."""

from dataclasses import dataclass
from typing import Any

import flydsl.expr as fx

from . import _shim
from ._fragments import Fragments
from ._geometry import Geometry
from ._mfma import Mfma
from ._promote import promote_of
from ._scales import Scales
from ._schedule import SCHEDULES, multiply_rows


@dataclass(frozen=True)
class Stages:
    """How a run of `count` scale blocks is loaded and multiplied."""

    g: Geometry
    count: int

    @property
    def depth(self) -> int:
        """Blocks in flight: as many as fit 96 registers, 2 to 4.

        An A or B tile of 16 rows is 8 registers a block; at 128 registers LLVM spills. Not tuned: nothing was timed.
        """
        registers = 8 * (self.g.m_tiles + self.g.n_tiles)
        return self.g.variant.stages or max(2, min(4, 96 // registers))

    @property
    def ahead(self) -> int:
        """Blocks that are loaded before the loop."""
        return min(self.depth, self.count)

    def run_of(self, block: int) -> int:
        """Blocks that are loaded in a run with this one."""
        return min(self.depth, self.count - block // self.depth * self.depth)

    @property
    def looped(self) -> int:
        """Blocks of the run-time loop, `depth` a trip."""
        return max(0, (self.count - self.depth) // self.depth) * self.depth

    @property
    def tail(self) -> range:
        """Blocks behind the loop."""
        return range(self.looped, self.count - (self.g.variant.fault == "dropped-block"))


class Decode:
    """Loads, MFMAs and promotes of a wave. A stage is what is loaded of one scale block: (a, b, scales)."""

    def __init__(self, g: Geometry, a: Fragments, b: Fragments, scales: Scales, mfma: Mfma) -> None:
        self._a, self._b, self._scales, self._promote = a, b, scales, promote_of(g, mfma)
        self._order = SCHEDULES[g.spec["schedule"]]
        self._loads = g.variant.loads

    def load(self, kb: Any, place: int = 0, run: int = 1) -> tuple[Any, Any, Any]:
        """Stage of block kb, number `place` of a run of blocks."""
        return self._a.load(kb), self._b.load(kb), self._scales.load_of_run(kb, place, run)

    def reload(self, stage: tuple[Any, Any, Any], kb: Any, place: int, run: int) -> tuple[Any, Any, Any]:
        """Stage of block kb in the loop, in place of one that was multiplied."""
        if self._loads:
            return self.load(kb, place, run)
        a, b, scales = stage
        return _anew(a), _anew(b), scales

    def multiply(
        self, stage: tuple[Any, Any, Any], accumulators: list[list[Any]], place: int = 0, run: int = 1
    ) -> list[list[Any]]:
        """The accumulators with a stage multiplied and promoted, and settled: nothing of this block stays in registers
        but the sums, and nothing behind is loaded earlier."""
        a, b, loaded = stage
        scales = self._scales.of_run(loaded, place, run)
        sums = multiply_rows(self._order, self._promote, a, b, scales, accumulators)
        settled = [[_shim.pin(tile) for tile in tiles] for tiles in sums]
        _shim.sched_fence()
        return settled


def _anew(fragments: Any) -> Any:
    """The same registers, which LLVM has to take for new ones: else it moves the MFMAs out of the loop."""
    if isinstance(fragments, list | tuple):
        return [_anew(part) for part in fragments]
    return _shim.pin(fragments.bitcast(fx.Float32)).bitcast(fx.Int32)
