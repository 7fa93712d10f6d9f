# SPDX-License-Identifier: Apache-2.0
"""Row-major x_scale through LDS: what a lane promotes with lies in as many segments of memory as it has rows."""

from typing import Any

import flydsl.expr as fx

from ._geometry import Geometry
from ._scales import Scales
from ._tile import Lane, Tile

#: Scale blocks that are fetched at once: neighbours in memory, so one request serves both.
PAIR = 2


class LdsScales(Scales):
    """Each x_scale of the tile is fetched by one lane of the workgroup, for a pair of blocks, and read by all.

    A slot of LDS has [block of the pair][row]. Nothing here waits or synchronises.
    """

    def __init__(
        self, g: Geometry, tile: Tile, lane: Lane, xs_rsrc: Any, ws_rsrc: Any, allocator: Any, slots: int
    ) -> None:
        super().__init__(g, tile, lane, xs_rsrc, ws_rsrc, gathers=False)
        self._size = PAIR * g.tile_m
        self._slots = [allocator.allocate(fx.Array[fx.Float32, self._size, 16]).peek().ptr for _ in range(slots)]
        rows = g.tile_m // g.waves  # that a wave fetches
        row, self._fetched_block = lane.wave * rows + lane.index % rows, lane.index // rows % PAIR
        self._source = fx.min(tile.m0 + row, tile.M - 1) if g.variant.fault != "one-row-scale" else tile.M - 1
        self._source = self._source * g.blocks
        self._target = self._fetched_block * g.tile_m + row
        self._read = lane.first_row + lane.row

    def fetch(self, kb: Any) -> Any:
        """This lane's x_scale of the pair of blocks from kb on; of a pair that K cuts, the last block twice."""
        g = self._g
        if g.blocks % PAIR == 0:
            return self._scale(self._source + self._fetched_block, kb)
        return self._scale(self._source + fx.min(kb + self._fetched_block, g.blocks - 1), fx.Int32(0))

    def put(self, fetched: Any, slot: int) -> None:
        """What `fetch` loaded goes to LDS."""
        view = fx.make_view(self._slots[slot] + self._target, fx.make_layout(1, 1))
        view.store(fx.Vector.filled(1, fetched, fx.Float32))

    def get(self, slot: int, block: int) -> list[Any]:
        """x_scale of each M tile in one block of the pair."""
        g = self._g
        start = self._slots[slot] + (block * g.tile_m + self._read)
        one = fx.make_layout(1, 1)
        return [fx.make_view(start + 16 * mt, one).load()[0] for mt in range(g.m_tiles)]

    def _scale(self, index: Any, soffset: Any) -> Any:
        return self._loaded(self._xs_rsrc + index, soffset)


def scales(
    g: Geometry,
    tile: Tile,
    lane: Lane,
    xs_rsrc: Any,
    ws_rsrc: Any,
    allocator: Any,
    slots: int,
    *,
    counted: bool = False,
) -> Scales:
    """Scales the way that the layout of x_scale asks for; counted: as of `Scales`."""
    if g.staged_scales:
        return LdsScales(g, tile, lane, xs_rsrc, ws_rsrc, allocator, slots)
    return Scales(g, tile, lane, xs_rsrc, ws_rsrc, counted=counted)
