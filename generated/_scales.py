# SPDX-License-Identifier: Apache-2.0
"""The scales that a lane promotes with."""

from typing import Any

import flydsl.expr as fx

from . import _shim
from ._geometry import BLOCK, Geometry
from ._tile import Lane, Tile

#: An fp32 scale's sign and exponent, which is what E8M0 keeps of it.
_EXPONENT = -0x800000


class Scales:
    """x_scale of the rows and w_scale of the columns that a lane computes. Rows past M have the last row's.

    counted: whether waits count the loads of x_scale, so that LLVM must not merge two of them; gathers: whether each
    lane loads the x_scale of its own rows.
    """

    def __init__(
        self,
        g: Geometry,
        tile: Tile,
        lane: Lane,
        xs_rsrc: Any,
        ws_rsrc: Any,
        *,
        counted: bool = False,
        gathers: bool = True,
    ) -> None:
        self._g, self._tile, self._lane = g, tile, lane
        self._xs_rsrc, self._ws_rsrc = xs_rsrc, ws_rsrc
        self._load = fx.make_copy_atom(fx.rocdl.BufferCopy32b(), fx.Float32)
        self._sources = []
        for mt in range(g.m_tiles if g.scale_rows == 1 and gathers else 0):
            m = self._x_scale_row(mt)
            index = m if g.k_major else m * g.blocks
            # Equal for no two rows, as far as LLVM can see.
            self._sources.append(xs_rsrc + (_shim.opaque(index) if counted and g.variant.tell_rows_apart else index))
        n0 = tile.n0 if g.variant.fault != "raw-workgroup" else fx.block_idx.x % g.grid_n * g.tile_n
        self._ws_row = (n0 + lane.first_column) // BLOCK
        if g.ragged:
            self._ws_row = fx.min(self._ws_row, (g.N - 1) // BLOCK)

    def _x_scale_row(self, mt: int) -> Any:
        if self._g.variant.fault == "one-row-scale":
            return self._tile.M - 1
        return fx.min(self._lane.m_row(mt, self._tile.m0), self._tile.M - 1)

    @property
    def loads(self) -> int:
        """Vector loads of one block; a scale that all lanes share goes through the scalar cache."""
        return len(self._sources)

    def load(self, kb: Any) -> tuple[list[Any], Any]:
        """([x_scale of each M tile], w_scale) of block kb."""
        g, ws = self._g, self._w_scale(kb)
        if g.scale_rows == 1:
            return [self._row(source, kb) for source in self._sources], ws
        return [self._scalar(self._xs_rsrc, self._shared_index(kb))] * g.m_tiles, ws

    def load_of_run(self, kb: Any, place: int, count: int) -> Any:
        """What `of_run` takes of block kb, which is number `place` of a run of `count` blocks, loaded in order."""
        return self.load(kb)

    def of_run(self, loaded: Any, place: int, count: int) -> tuple[list[Any], Any]:
        """As of `load`, from what `load_of_run` gave."""
        scales: tuple[list[Any], Any] = loaded
        return scales

    def _w_scale(self, kb: Any) -> Any:
        g = self._g
        ws_block = (kb + 1) % g.blocks if g.variant.fault == "neighbour-scale" else kb
        return self._scalar(self._ws_rsrc, self._ws_row * g.blocks + ws_block)

    def _row(self, source: Any, kb: Any) -> Any:
        return self._loaded(source, kb * self._tile.M if self._g.k_major else kb)

    def _loaded(self, source: Any, soffset: Any) -> Any:
        scale = fx.make_rmem_tensor(1, fx.Float32)
        fx.copy(self._load, fx.make_view(source, fx.make_layout(1, 1)), scale, soffset=soffset)
        return scale.load()[0]

    def _shared_index(self, kb: Any) -> Any:
        g, rows = self._g, self._tile.x_scale_rows
        row = (self._tile.m0 + self._lane.first_row) // g.scale_rows
        if g.waves_n < g.waves:
            row = fx.min(row, rows - 1)  # a wave may lie past M
        return kb * rows + row if g.k_major else row * g.blocks + kb

    def _scalar(self, rsrc: Any, index: Any) -> Any:
        bits = fx.rocdl.s_buffer_load(rsrc, index)
        if self._g.variant.fault == "power-of-two-scale":
            bits = bits & _EXPONENT
        return fx.Vector.filled(1, bits, fx.Int32).bitcast(fx.Float32)[0]
