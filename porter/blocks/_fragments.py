# SPDX-License-Identifier: Apache-2.0
"""Operands that go straight from global memory to registers."""

from typing import Any

import flydsl.expr as fx

from ._geometry import BLOCK, Geometry
from ._mfma import Mfma
from ._tile import Lane, Tile


class Fragments:
    """Loads of a lane's share of one scale block: of each row that it holds, the parts that make an MFMA operand.

    sources: where the rows start; block_bytes: from one scale block of a row to the next.
    """

    def __init__(self, g: Geometry, mfma: Mfma, sources: list[Any], block_bytes: int = BLOCK) -> None:
        self._mfma, self._sources, self._block_bytes = mfma, sources, block_bytes
        self._chunk, self._parts = g.chunk, g.parts
        atom = fx.rocdl.BufferCopy64b() if g.narrow else fx.rocdl.BufferCopy128b()
        self._load = fx.make_copy_atom(atom, fx.Int8)
        self._view = fx.make_layout(g.chunk, 1)

    def load(self, kb: Any, first: int = 0) -> list[Any]:
        """Fragments of block kb, from row `first` on."""
        return [self._row(source, kb) for source in self._sources[first:]]

    def load_first(self, kb: Any) -> Any:
        """The fragment of the first row alone."""
        return self._row(self._sources[0], kb)

    def _row(self, source: Any, kb: Any) -> Any:
        soffset, step = kb * self._block_bytes, self._block_bytes // self._parts
        return self._mfma.join([self._part(source + part * step, soffset) for part in range(self._parts)])

    def _part(self, source: Any, soffset: Any) -> Any:
        chunk = fx.make_rmem_tensor(self._chunk, fx.Int8)
        fx.copy(self._load, fx.make_view(source, self._view), chunk, soffset=soffset)
        return chunk.load().bitcast(fx.Int32)


def rows_of_a(g: Geometry, mfma: Mfma, tile: Tile, lane: Lane, a_rsrc: Any) -> Fragments:
    """Rows of A for every M tile of the wave. Those past M repeat the last; they are computed and never stored."""
    sources = [
        a_rsrc + (fx.min(lane.m_row(mt), tile.rows - 1) * g.a_stride + lane.group * g.chunk) for mt in range(g.m_tiles)
    ]
    return Fragments(g, mfma, sources)


def rows_of_b(g: Geometry, mfma: Mfma, tile: Tile, lane: Lane, b_rsrc: Any) -> Fragments:
    """Rows of B for every N tile of the wave; those past N repeat the last."""
    find = _shuffled_row if g.preshuffled else _plain_row
    sources = [b_rsrc + find(g, tile, lane, nt) for nt in range(g.n_tiles)]
    return Fragments(g, mfma, sources, 16 * BLOCK if g.preshuffled else BLOCK)


def _plain_row(g: Geometry, tile: Tile, lane: Lane, nt: int) -> Any:
    row = lane.first_column + 16 * nt + lane.row
    if g.ragged:
        row = fx.min(row, tile.columns - 1)
    return row * g.b_stride + lane.group * g.chunk


def _shuffled_row(g: Geometry, tile: Tile, lane: Lane, nt: int) -> Any:
    # shuffle_weight (16, 16): 16 rows x 16 bytes are contiguous, 16-row groups are 16 * K bytes apart.
    start = lane.wave * g.n_tiles + nt
    if g.ragged:
        start = fx.min(start, tile.columns // 16 - 1)
    if g.narrow:
        return start * (16 * g.K) + lane.group // 2 * 256 + lane.row * 16 + lane.group % 2 * g.chunk
    return start * (16 * g.K) + lane.group * 256 + lane.row * g.chunk
