# SPDX-License-Identifier: Apache-2.0
"""The epilogue: sums of a wave to memory, converted once."""

from typing import Any

import flydsl.expr as fx

from ._geometry import Geometry
from ._scales import Scales
from ._tile import Lane, Tile

_OUT = {"bf16": fx.BFloat16, "fp16": fx.Float16}
#: Elements past any descriptor, where stores drop.
_DROPPED_16B, _DROPPED_32B = 0x3FFFFFFF, 0x1FFFFFFF


def out_type(g: Geometry) -> Any:
    """FlyDSL's type of C."""
    return _OUT[g.spec["out_dtype"]]


def converted(g: Geometry, sums: Any) -> Any:
    """Four fp32 sums as C has them: one RNE conversion."""
    if g.variant.fault == "zero-output":
        sums = sums * 0.0
    return sums.to(out_type(g))


def store_tile(g: Geometry, tile: Tile, lane: Lane, c_rsrc: Any, acc: list[list[Any]], scales: Scales) -> None:
    """The wave's sums to C."""
    row_scale: list[Any] = []
    if g.variant.row_scale:
        xs, ws = scales.load(fx.Int32(0))
        row_scale = [fx.Vector.filled(4, scale * ws, fx.Float32) for scale in xs]
    atom = fx.make_copy_atom(fx.rocdl.BufferCopy64b(), out_type(g))
    for mt, sums_of_row in enumerate(acc):
        for nt, sums in enumerate(sums_of_row):
            offset = _offset(g, tile, lane, mt, nt, _DROPPED_16B)
            sums = sums * row_scale[mt] if row_scale else sums
            store_four(atom, c_rsrc + offset, converted(g, sums), out_type(g))


def store_partial(g: Geometry, tile: Tile, lane: Lane, w_rsrc: Any, acc: list[list[Any]]) -> None:
    """The wave's sums to its slice of the workspace, in fp32."""
    atom = fx.make_copy_atom(fx.rocdl.BufferCopy128b(), fx.Float32)
    for mt, sums_of_row in enumerate(acc):
        for nt, sums in enumerate(sums_of_row):
            store_four(atom, w_rsrc + _offset(g, tile, lane, mt, nt, _DROPPED_32B), sums, fx.Float32)


def _offset(g: Geometry, tile: Tile, lane: Lane, mt: int, nt: int, dropped: int) -> Any:
    """Elements from the first row of the tile to a lane's four results of an MFMA tile."""
    column = lane.first_column + 16 * nt + 4 * lane.group
    offset = lane.m_row(mt) * g.N + tile.n0 + column
    if g.ragged:
        # A column past N would land in the next row: send it past the descriptor.
        offset = (column < tile.columns).select(offset, dropped)
    return offset


def store_four(atom: Any, target: Any, values: Any, kind: Any) -> None:
    """Four neighbours in N, of FlyDSL's type `kind`."""
    packed = fx.make_rmem_tensor(4, kind)
    packed.store(values)
    fx.copy(atom, packed, fx.make_view(target, fx.make_layout(4, 1)))
