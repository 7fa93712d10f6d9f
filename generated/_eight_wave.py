# SPDX-License-Identifier: Apache-2.0
"""The 8-wave ping-pong core: while one half of the waves computes, the other, one barrier behind, moves data."""

from dataclasses import dataclass, field
from typing import Any

import flydsl.expr as fx

from . import _shim
from ._geometry import Geometry
from ._lds_halves import LdsHalves
from ._lds_scales import LdsScales
from ._mfma import Mfma
from ._promote import promote_of
from ._scales import Scales
from ._schedule import SCHEDULES
from ._vmem_queue import VmemQueue

#: (half of A, half of B): a wave's 64x64 is 2x2 of these.
Quadrant = tuple[int, int]


@dataclass(frozen=True)
class KPairs:
    """Scale blocks in pairs in a run-time loop, which loads two ahead, and the last ones behind it."""

    g: Geometry

    @property
    def looped(self) -> int:
        """Blocks of the run-time loop."""
        return max(0, (self.g.blocks - 2) // 2) * 2

    @property
    def tail(self) -> list[tuple[int, Any, Any]]:
        """(buffer, next block, the one after) of the blocks behind the loop; None where K ends."""
        blocks = self.g.blocks - (self.g.variant.fault == "dropped-block")
        return [(kb % 2, *(self._block(kb + distance) for distance in (1, 2))) for kb in range(self.looped, blocks)]

    def _block(self, kb: int) -> Any:
        return fx.Int32(kb) if kb < self.g.blocks else None


@dataclass
class _Block:
    """One scale block on its way through the four quadrants."""

    scales: Any
    accumulators: list[list[Any]]
    #: Quadrants whose promotes wait, with their partials.
    waiting: list[tuple[Quadrant, list[list[Any]]]] = field(default_factory=list)


class EightWave:
    """Loads, MFMAs and promotes of a wave."""

    def __init__(
        self,
        g: Geometry,
        queue: VmemQueue,
        a: LdsHalves,
        b: LdsHalves,
        scales: Scales,
        mfma: Mfma,
    ) -> None:
        self._g, self._queue, self._a, self._b, self._scales = g, queue, a, b, scales
        self._mfma, self._promote = mfma, promote_of(g, mfma)
        self._order = SCHEDULES[g.spec["schedule"]]
        self._staged = scales if isinstance(scales, LdsScales) else None
        #: x_scale of the next pair of blocks, between the two blocks of a pair.
        self._fetched: Any = None

    def prologue(self) -> Any:
        """Start the first two blocks in the order of the loop, so that its waits count right from the first trip, and
        wait for what its first step reads. Returns the scales of the first block."""
        first, second = fx.Int32(0), fx.Int32(1)
        self._fetch_pair(first)
        for operand, half in ((self._a, 0), (self._b, 0), (self._b, 1), (self._a, 1)):
            operand.refill(half, 0, first)
        scales = None if self._staged else self._load_scales(first)
        if self._g.blocks > 1:
            for operand, half in ((self._a, 0), (self._b, 0), (self._b, 1)):
                operand.refill(half, 1, second)
        self._b.wait(0, 0)
        self._put_pair()
        fx.barrier()
        return self._load_scales(first) if self._staged else scales

    def multiply(
        self, buffer: int, scales: Any, accumulators: list[list[Any]], following: Any, after: Any
    ) -> tuple[Any, list[list[Any]]]:
        """One scale block, in four steps of a memory and a compute slot each. following, after: the next two blocks,
        None where K ends. Returns the scales of the next block, and the accumulators."""
        a, b, other = self._a, self._b, 1 - buffer
        block = _Block(scales, accumulators)

        # Step 1: A half 0 x B half 0.
        a0, b0 = self._read(a, 0, buffer), self._read(b, 0, buffer)
        self._refill(a, 1, other, following)
        if buffer == 0 and self._g.variant.loads:
            self._fetch_pair(after)
        else:
            self._put_pair()
        self._wait(b, 1, buffer)
        self._compute(block, (0, 0), a0, b0)

        # Step 2: A half 0 x B half 1.
        b1 = self._read(b, 1, buffer)
        scales_next = scales if following is None else self._load_scales(following, other, scales)
        self._wait(a, 1, buffer)
        self._compute(block, (0, 1), a0, b1)

        # Step 3: A half 1 x B half 1.
        a1 = self._read(a, 1, buffer)
        self._refill(a, 0, buffer, after)
        self._refill(b, 0, buffer, after)
        self._compute(block, (1, 1), a1, b1)

        # Step 4: A half 1 x B half 0.
        self._refill(b, 1, buffer, after)
        if following is not None:
            self._wait(b, 0, other)
        self._compute(block, (1, 0), a1, b0)

        self._promote_waiting(block, 0)
        if self._order.waiting:
            _shim.sched_fence()
        return scales_next, block.accumulators

    def settle(self, accumulators: list[list[Any]]) -> list[list[Any]]:
        """The accumulators, computed here: in the unrolled tail LLVM would sink promotes and spill their partials."""
        if not self._g.variant.pin_tail:
            return accumulators
        return [[_shim.pin(tile) for tile in tiles] for tiles in accumulators]

    def _compute(self, block: _Block, quadrant: Quadrant, a: list[Any], b: list[Any]) -> None:
        """A compute slot: four MFMAs ahead of the other wave of this SIMD, and the promotes that wait no longer."""
        fx.barrier()
        _shim.raise_priority()
        block.waiting.append((quadrant, [[self._promote.partial(w, x) for w in b] for x in a]))
        self._promote_waiting(block, self._order.waiting)
        _shim.lower_priority()
        fx.barrier()

    def _promote_waiting(self, block: _Block, left: int) -> None:
        """Promote the quadrants that have waited longest, but for the last `left`, in place of their accumulators."""
        while len(block.waiting) > left:
            (top, side), partials = block.waiting.pop(0)
            promoted = [list(row) for row in block.accumulators]
            for mt, of_row in enumerate(partials, start=2 * top):
                columns = slice(2 * side, 2 * side + 2)
                promoted[mt][columns] = self._promote.promote(block.scales, mt, of_row, promoted[mt][columns])
            block.accumulators = promoted

    def _read(self, operand: LdsHalves, half: int, buffer: int) -> list[Any]:
        return operand.read(self._mfma, half, buffer)

    def _refill(self, operand: LdsHalves, half: int, buffer: int, kb: Any) -> None:
        if kb is not None and self._g.variant.loads:
            operand.refill(half, buffer, kb)

    def _wait(self, operand: LdsHalves, half: int, buffer: int) -> None:
        if self._g.variant.loads:
            operand.wait(half, buffer)
        else:
            # Something must stand between two barriers, or LLVM makes one of them.
            _shim.sched_fence()

    # LDS has x_scale of one pair of blocks. A wave reads that of the first block in step 2 of the block before it, and
    # that of the second in step 2 of the first; it writes the next pair's in step 1 of the second: six barriers behind
    # the last read and two before the next. Two are what the halves of the waves need between them.

    def _fetch_pair(self, kb: Any) -> None:
        if self._staged and kb is not None:
            self._fetched = self._staged.fetch(kb)
            self._queue.issue("scales", 1)
            _shim.sched_fence()

    def _put_pair(self) -> None:
        if self._staged and self._fetched is not None:
            self._staged.put(self._fetched, 0)
            self._fetched = None

    def _load_scales(self, kb: Any, buffer: int = 0, instead: Any = None) -> Any:
        """Scales of a block; of the variant without loads, those that are at hand."""
        scales = self._scales.load(kb) if instead is None or self._g.variant.loads else instead
        if self._staged:
            scales = self._staged.get(0, buffer), scales[1]
        # Without their use the loads go.
        self._queue.issue("scales", 0 if self._g.variant.promote == "chained" else self._scales.loads)
        _shim.sched_fence()
        return scales
