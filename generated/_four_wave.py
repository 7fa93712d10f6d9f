# SPDX-License-Identifier: Apache-2.0
"""The 4-wave core: A through LDS, double-buffered; B straight to registers; one barrier a K tile."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import flydsl.expr as fx

from . import _shim
from ._fragments import Fragments
from ._geometry import Geometry
from ._lds_rows import LdsRows
from ._lds_scales import PAIR, LdsScales
from ._mfma import Mfma
from ._promote import promote_of
from ._scales import Scales
from ._schedule import SCHEDULES, multiply_rows


@dataclass(frozen=True)
class KTiles:
    """K tiles of one or two scale blocks: pairs in a run-time loop, the last one or two whole tiles and what is left
    of one behind it."""

    g: Geometry

    @property
    def looped(self) -> int:
        """Blocks of the run-time loop."""
        size = self.g.tile_blocks
        return max(0, self.g.blocks // size - 1) // 2 * 2 * size

    @property
    def tail(self) -> Iterator[tuple[int, int, int, int]]:
        """(buffer, first block, blocks here, blocks ahead) of the tiles behind the loop."""
        size = self.g.tile_blocks
        blocks = self.g.blocks - (self.g.variant.fault == "dropped-block")
        for kb in range(self.looped, blocks, size):
            yield kb // size % 2, kb, min(size, blocks - kb), min(size, max(0, blocks - kb - size))


class FourWave:
    """Loads, MFMAs and promotes of a wave.

    Scales on their way to a tile are (x_scale of each M tile, w_scale), where x_scale goes through LDS ([], w_scale);
    between the two tiles of a pair of one block each (what LDS has no longer of the second, what was fetched of the
    next pair).
    """

    def __init__(self, g: Geometry, a: LdsRows, b: Fragments, scales: Scales, mfma: Mfma) -> None:
        self._g, self._a, self._b, self._scales, self._promote = g, a, b, scales, promote_of(g, mfma)
        self._order = SCHEDULES[g.spec["schedule"]]
        self._staged = scales if isinstance(scales, LdsScales) else None
        #: Where A goes by DMA, what a wave loads right behind it: the scales of A where it loads them itself, else a
        #: row of B.
        self._scales_first = scales.loads > 0

    def prologue(self) -> tuple[list[Any], Any]:
        """Start the first K tile; returns B and scales of its first block."""
        fetched = self._staged.fetch(fx.Int32(0)) if self._staged else None
        for block in range(min(self._g.tile_blocks, self._g.blocks)):
            self._a.finish(self._a.start(fx.Int32(block), block), block)
        loaded = self._load_rest(fx.Int32(0), self._load_first(fx.Int32(0)))
        self._put(fetched, 0)
        return loaded

    def multiply(
        self,
        buffer: int,
        b: list[Any],
        scales: Any,
        accumulators: list[list[Any]],
        kb: Any,
        here: int,
        ahead: int,
        more: bool = True,
    ) -> tuple[list[Any], Any, list[list[Any]]]:
        """One K tile of `here` scale blocks from kb on: wait for this wave's share of A, meet the other waves, start
        the loads of the next tile, `ahead` blocks, then MFMA and promote. more: there is a tile behind that one.
        Returns B and scales of the next tile, and the accumulators."""
        size, slot = self._g.tile_blocks, self._g.tile_blocks * buffer
        other = self._g.tile_blocks * (1 - buffer)
        ahead = ahead if self._g.variant.loads else 0
        self._await_a(b, scales)
        self._await_scales(buffer)
        fx.barrier()
        second = b, scales
        if here == 2 and self._g.variant.loads:
            second = self._b.load(kb + 1), self._scales.load(kb + 1)
        fetched, kept = None, scales
        if self._staged and ahead and (size == 2 or (buffer == 0 and more)):
            fetched = self._staged.fetch(kb + PAIR)
        started = [self._a.start(kb + (size + block), other + block) for block in range(ahead)]
        first = self._load_first(kb + size) if ahead else None
        if self._staged:
            (x, x_second), (_, w), (b_second, (_, w_second)) = self._take(buffer, scales), scales, second
            scales, second = (x, w), (b_second, (x_second, w_second))
            kept = ((x_second, fetched) if size == 1 and buffer == 0 else []), w
        following = b, kept
        if ahead and size == 1:
            following = self._load_rest(kb + size, first)
        accumulators = self._multiply_block(slot, b, scales, accumulators)
        if ahead and size == 2:
            following = self._load_rest(kb + size, first)
        if here == 2:
            accumulators = self._multiply_block(slot + 1, *second, accumulators)
        for block, chunks in enumerate(started):
            self._a.finish(chunks, other + block)
        if self._staged:
            following = following[0], (kept[0], following[1][1])
            if size == 2:
                self._put(fetched, 1 - buffer)
        return *following, accumulators

    def _take(self, buffer: int, scales: Any) -> tuple[Any, Any]:
        """x_scale, which LDS has for two blocks, of the first one here and of the next.

        A pair of tiles of one block each shares a slot, whose next content can go there once all waves have read it:
        behind the barrier of the second tile. Larger tiles have a slot each."""
        assert self._staged
        if self._g.tile_blocks == 1 and buffer == 1:
            x, fetched = scales[0]
            self._put(fetched, 0)
            return x, x
        slot = buffer if self._g.tile_blocks == 2 else 0
        return self._staged.get(slot, 0), self._staged.get(slot, 1)

    def _put(self, fetched: Any, slot: int) -> None:
        if self._staged and fetched is not None:
            self._staged.put(fetched, slot)

    def _await_scales(self, buffer: int) -> None:
        """Wait for what this wave has written of x_scale to LDS, which the barrier alone may not do: see `_await_a`."""
        if self._staged and not self._g.narrow and (self._g.tile_blocks == 2 or buffer == 0):
            fx.rocdl.s_waitcnt(lgkmcnt=0)

    def _multiply_block(self, slot: int, b: list[Any], scales: Any, accumulators: list[list[Any]]) -> list[list[Any]]:
        sums = multiply_rows(self._order, self._promote, self._a.read(slot), b, scales, accumulators)
        if self._order.fence_promotes:
            _shim.sched_fence()
        return sums

    def _await_a(self, b: list[Any], scales: Any) -> None:
        """Wait for a load behind the DMA of A, so for the DMA; or for this wave's writes of A to LDS."""
        if self._g.narrow:
            # LLVM may drop the barrier's own wait at the head of a loop, if nothing is on its way when the loop is
            # entered (LLVM#211684).
            fx.rocdl.s_waitcnt(lgkmcnt=0)
        elif self._g.variant.dma_wait == "asyncmark":
            fx.rocdl.wait_asyncmark(0)
        elif self._g.variant.dma_wait == "counted":
            fx.rocdl.s_waitcnt(vmcnt=self._g.parts * self._g.n_tiles + self._scales.loads)
        else:
            _shim.await_load(scales[0][0] if self._scales_first else b[0])

    def _load_first(self, kb: Any) -> Any:
        """What `_await_a` waits for. Alone, or the wait would cover more than this and the DMA in front of it."""
        if self._g.narrow or self._g.variant.dma_wait == "counted":
            return None
        first = self._scales.load(kb) if self._scales_first else self._b.load_first(kb)
        _shim.sched_fence()
        return first

    def _load_rest(self, kb: Any, first: Any) -> tuple[list[Any], Any]:
        """B and scales of a block, of which `first` is on its way."""
        if first is None:
            return self._b.load(kb), self._scales.load(kb)
        if self._scales_first:
            return self._b.load(kb), first
        return [first, *self._b.load(kb, 1)], self._scales.load(kb)
