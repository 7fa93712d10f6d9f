# SPDX-License-Identifier: Apache-2.0
"""Row-major x_scale without LDS: the lanes that share a row fetch neighbouring blocks and hand them to one another."""

from typing import Any

import flydsl.expr as fx

from . import _shim
from ._geometry import Geometry
from ._scales import Scales
from ._tile import Lane, Tile

#: Blocks from which on less memory is worth the handing over.
SHORTEST_RUN = 3


class GroupScales(Scales):
    """x_scale of up to four blocks in one register for each M tile: group g of the lanes has block g of them."""

    def __init__(self, g: Geometry, tile: Tile, lane: Lane, xs_rsrc: Any, ws_rsrc: Any) -> None:
        super().__init__(g, tile, lane, xs_rsrc, ws_rsrc)
        self._group: list[Any] = []

    def load_of_run(self, kb: Any, place: int, count: int) -> tuple[Any, Any]:
        """(x_scale of the run, w_scale of block kb)."""
        if place == 0:
            block = fx.min(self._lane.group, count - 1) if count > 1 else 0
            self._group = [self._loaded(source + block, kb) for source in self._sources]
        return self._group, self._w_scale(kb)

    def of_run(self, loaded: Any, place: int, count: int) -> tuple[list[Any], Any]:
        group, ws = loaded
        if count == 1:
            return group, ws
        lane = self._lane.row + 16 * place
        return [_shim.from_lane(scale, lane) for scale in group], ws


def scales(g: Geometry, tile: Tile, lane: Lane, xs_rsrc: Any, ws_rsrc: Any, run: int) -> Scales:
    """Scales for runs of blocks, the way that the layout of x_scale asks for; nobody reads it where K is chained
    through the MFMAs."""
    gathered = g.scale_rows == 1 and not g.k_major and g.variant.promote != "chained" and run in range(SHORTEST_RUN, 5)
    return (GroupScales if gathered else Scales)(g, tile, lane, xs_rsrc, ws_rsrc)
