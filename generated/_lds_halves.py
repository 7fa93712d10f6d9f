# SPDX-License-Identifier: Apache-2.0
"""A and B of the 8-wave core: two scale blocks of each in LDS, as two halves, moved by DMA."""

from collections.abc import Callable
from typing import Any

import flydsl.expr as fx

from . import _shim
from ._geometry import BLOCK, LANES, Geometry
from ._mfma import Mfma
from ._tile import Lane, Tile
from ._vmem_queue import VmemQueue


class LdsHalves:
    """One operand. Half h of a block has rows 32 * h .. 32 * h + 31 of every wave's 64: what a quadrant reads.

    name: of the operand in the queue; sources: [half][step], where a lane's bytes of a DMA come from; reads: offsets of
    a lane's parts in a half; block_bytes: from one scale block of the operand to the next.
    """

    def __init__(
        self,
        g: Geometry,
        lane: Lane,
        name: str,
        queue: VmemQueue,
        base: Any,
        sources: list[list[Any]],
        reads: list[list[Any]],
        block_bytes: int,
    ) -> None:
        self._g, self._lane, self._name, self._queue = g, lane, name, queue
        self._base, self._sources, self._reads, self._block_bytes = base, sources, reads, block_bytes
        self._half_bytes = len(sources[0]) * _step(g)
        self._copy = fx.make_copy_atom(fx.rocdl.cdna4.BufferLoadAsyncLDS128b(), 128)
        self._pointer = fx.PointerType.get(fx.Int8.ir_type, fx.AddressSpace.Shared, g.chunk)
        self._view = fx.make_layout(g.chunk, 1)

    def refill(self, half: int, buffer: int, kb: Any) -> None:
        """DMA one half of block kb into LDS. Whoever read that half before has met two barriers since."""
        start = (2 * buffer + half) * self._half_bytes
        for step, source in enumerate(self._sources[half]):
            offset = start + step * _step(self._g) + self._lane.wave * (LANES * self._g.chunk)
            target = fx.inttoptr(self._pointer, fx.Int32(fx.ptrtoint(self._base)) + offset)
            view = fx.make_view(target, self._view)
            fx.copy(self._copy, fx.make_view(source, self._view), view, soffset=kb * self._block_bytes)
        self._queue.issue((self._name, half, buffer), len(self._sources[half]))
        # Waits count the loads behind this one, so none may move ahead of it.
        _shim.sched_fence()

    def wait(self, half: int, buffer: int) -> None:
        """Wait until this wave's share of a half has landed."""
        self._queue.wait((self._name, half, buffer))

    def read(self, mfma: Mfma, half: int, buffer: int) -> list[Any]:
        """The two fragments of a quadrant."""
        start = self._base + (2 * buffer + half) * self._half_bytes
        return [mfma.join([self._part(start + offset) for offset in offsets]) for offsets in self._reads]

    def _part(self, pointer: Any) -> Any:
        return fx.make_view(pointer, self._view).load().bitcast(fx.Int32)


def lds_halves(
    g: Geometry, tile: Tile, lane: Lane, a_rsrc: Any, b_rsrc: Any, allocator: Any
) -> tuple[VmemQueue, LdsHalves, LdsHalves]:
    """The queue of the loads, A and B.

    Preshuffled B keeps its order in LDS; of the others, chunk c of row r stands at c ^ (r / 2 % 8), so that the 16 rows
    that one ds_read_b128 touches cover all 64 banks. A DMA writes linearly, so its global address carries the swizzle.
    """
    queue = VmemQueue()
    a_base, b_base = (
        allocator.allocate(fx.Array[fx.Int8, 2 * size * BLOCK, 1024]).peek().ptr for size in (g.tile_m, g.tile_n)
    )

    def a_source(half: int, step: int) -> Any:
        return a_rsrc + _row_source(g, lane, g.a_stride, tile.rows, half, step)

    def b_source(half: int, step: int) -> Any:
        if g.preshuffled:
            return b_rsrc + _shuffled_source(g, tile, half, step)
        return b_rsrc + _row_source(g, lane, g.b_stride, tile.columns, half, step)

    a_sources, b_sources = _of_halves(g, g.tile_m, a_source), _of_halves(g, g.tile_n, b_source)
    a_reads = _row_reads(g, lane, lane.wave_m * 32)
    b_reads = _shuffled_reads(g, lane) if g.preshuffled else _row_reads(g, lane, lane.wave_n * 32)
    a = LdsHalves(g, lane, "a", queue, a_base, a_sources, a_reads, BLOCK)
    b = LdsHalves(g, lane, "b", queue, b_base, b_sources, b_reads, 16 * BLOCK if g.preshuffled else BLOCK)
    return queue, a, b


def _step(g: Geometry) -> int:
    """Bytes that the workgroup moves per DMA instruction."""
    return g.waves * LANES * g.chunk


def _of_halves(g: Geometry, size: int, source: Callable[[int, int], Any]) -> list[list[Any]]:
    steps = size // 2 * BLOCK // _step(g)
    return [[source(half, step) for step in range(steps)] for half in (0, 1)]


def _row_source(g: Geometry, lane: Lane, stride: int, limit: Any, half: int, step: int) -> Any:
    half_row = step * (_step(g) // BLOCK) + fx.thread_idx.x // 8
    tile_row = half_row // 32 * 64 + half * 32 + half_row % 32
    chunk = (lane.index % 8) ^ (half_row // 2 % 8)
    return fx.min(tile_row, limit - 1) * stride + chunk * g.chunk


def _shuffled_source(g: Geometry, tile: Tile, half: int, step: int) -> Any:
    # shuffle_weight (16, 16): a 16-row group of a block is 2 KiB; groups are 16 * K bytes apart.
    position = step * _step(g) + fx.thread_idx.x * g.chunk
    half_group = position // (16 * BLOCK)
    tile_group = half_group // 2 * 4 + half * 2 + half_group % 2
    if g.ragged:
        tile_group = fx.min(tile_group, tile.columns // 16 - 1)
    return tile_group * (16 * g.K) + position % (16 * BLOCK)


def _row_reads(g: Geometry, lane: Lane, first: Any) -> list[list[Any]]:
    row, group = lane.row, lane.group
    return [
        [(first + 16 * t + row) * BLOCK + ((group + 4 * part) ^ (row // 2)) * g.chunk for part in range(2)]
        for t in range(2)
    ]


def _shuffled_reads(g: Geometry, lane: Lane) -> list[list[Any]]:
    return [
        [(lane.wave_n * 2 + t) * (16 * BLOCK) + part * (8 * BLOCK) + lane.index * g.chunk for part in range(2)]
        for t in range(2)
    ]
