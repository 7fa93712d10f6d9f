# SPDX-License-Identifier: Apache-2.0
"""A of the 4-wave core: staged in LDS, double-buffered, read by all waves."""

from abc import ABC, abstractmethod
from typing import Any

import flydsl.expr as fx

from . import _shim
from ._geometry import BLOCK, LANES, Geometry
from ._mfma import Mfma
from ._tile import Lane, Tile

#: Bytes that a lane moves into LDS at once.
SLOT = 16


class LdsRows(ABC):
    """The tile's rows of A, one scale block a slot of LDS; block kb lies in slot kb % (2 * tile_blocks).

    A slot holds rows of 128 bytes, whole steps of the workgroup: nobody reads those past TILE_M. Chunk c of row r
    stands at c ^ (r / 2 % 8), so that the 16 rows that one ds_read touches cover all banks.
    """

    def __init__(self, g: Geometry, mfma: Mfma, tile: Tile, lane: Lane, a_rsrc: Any, allocator: Any) -> None:
        self._g, self._mfma = g, mfma
        step = g.waves * LANES * SLOT  # bytes that the workgroup moves at once
        steps = -(-g.tile_m * BLOCK // step)
        # Multiples of 1024 bytes.
        self._slots = [
            allocator.allocate(fx.Array[fx.Int8, steps * step, 1024]).peek().ptr for _ in range(2 * g.tile_blocks)
        ]
        self._sources, self._targets = [], []
        for index in range(steps):
            row = index * (step // BLOCK) + fx.thread_idx.x // 8
            chunk = (lane.index % 8) ^ (row // 2 % 8)
            self._sources.append(a_rsrc + (fx.min(row, tile.rows - 1) * g.a_stride + chunk * SLOT))
            self._targets.append(index * step + self._lane_offset(lane))
        self._reads = [[self._read_offset(lane, mt, part) for part in range(g.parts)] for mt in range(g.m_tiles)]
        self._chunk_view, self._slot_view = fx.make_layout(g.chunk, 1), fx.make_layout(SLOT, 1)

    @abstractmethod
    def start(self, kb: Any, slot: int) -> Any:
        """Begin to move block kb into a slot; returns what `finish` needs."""

    @abstractmethod
    def finish(self, started: Any, slot: int) -> None:
        """Hand over to LDS what `start` loaded."""

    def read(self, slot: int) -> list[Any]:
        """Fragments of all M tiles."""
        start = self._slots[slot]
        return [self._mfma.join([self._load(start + offset) for offset in offsets]) for offsets in self._reads]

    def _load(self, pointer: Any) -> Any:
        return fx.make_view(pointer, self._chunk_view).load().bitcast(fx.Int32)

    @abstractmethod
    def _lane_offset(self, lane: Lane) -> Any:
        """Where this lane's bytes of a step go."""

    def _read_offset(self, lane: Lane, mt: int, part: int) -> Any:
        row, group = lane.row, lane.group
        if self._g.narrow:
            slot = (16 * mt + row) * BLOCK + ((group // 2 + 2 * part) ^ (row // 2)) * SLOT
            return slot + group % 2 * self._g.chunk
        return (16 * mt + row) * BLOCK + ((group + 4 * part) ^ (row // 2)) * SLOT


class DmaRows(LdsRows):
    """A moves by DMA, which writes linearly, so its global address carries the swizzle."""

    def __init__(self, g: Geometry, mfma: Mfma, tile: Tile, lane: Lane, a_rsrc: Any, allocator: Any) -> None:
        super().__init__(g, mfma, tile, lane, a_rsrc, allocator)
        self._copy = fx.make_copy_atom(fx.rocdl.cdna4.BufferLoadAsyncLDS128b(), 128)
        self._pointer = fx.PointerType.get(fx.Int8.ir_type, fx.AddressSpace.Shared, SLOT)

    def start(self, kb: Any, slot: int) -> None:
        for source, offset in zip(self._sources, self._targets, strict=True):
            target = fx.inttoptr(self._pointer, fx.Int32(fx.ptrtoint(self._slots[slot])) + offset)
            view = fx.make_view(target, self._slot_view)
            fx.copy(self._copy, fx.make_view(source, self._slot_view), view, soffset=kb * BLOCK)
        # The core waits for a load behind this DMA, and loads land in the order of issue: so the DMA has landed,
        # however many loads LLVM leaves. None may move ahead of it.
        if self._g.variant.dma_wait == "asyncmark":
            fx.rocdl.asyncmark()
        else:
            _shim.sched_fence()

    def finish(self, started: Any, slot: int) -> None:
        """The DMA writes LDS itself."""

    def _lane_offset(self, lane: Lane) -> Any:
        return lane.wave * (LANES * SLOT)


class RegisterRows(LdsRows):
    """A passes through registers, where there is no 16-byte DMA into LDS."""

    def __init__(self, g: Geometry, mfma: Mfma, tile: Tile, lane: Lane, a_rsrc: Any, allocator: Any) -> None:
        super().__init__(g, mfma, tile, lane, a_rsrc, allocator)
        self._copy = fx.make_copy_atom(fx.rocdl.BufferCopy128b(), fx.Int8)

    def start(self, kb: Any, slot: int) -> list[Any]:
        chunks = []
        for source in self._sources:
            chunk = fx.make_rmem_tensor(SLOT, fx.Int8)
            fx.copy(self._copy, fx.make_view(source, self._slot_view), chunk, soffset=kb * BLOCK)
            chunks.append(chunk.load())
        return chunks

    def finish(self, started: list[Any], slot: int) -> None:
        for chunk, offset in zip(started, self._targets, strict=True):
            fx.make_view(self._slots[slot] + offset, self._slot_view).store(chunk)

    def _lane_offset(self, lane: Lane) -> Any:
        return fx.thread_idx.x * SLOT


def lds_rows(g: Geometry, mfma: Mfma, tile: Tile, lane: Lane, a_rsrc: Any, allocator: Any) -> LdsRows:
    """A in LDS, the way that the chip has."""
    return (RegisterRows if g.narrow else DmaRows)(g, mfma, tile, lane, a_rsrc, allocator)
