# SPDX-License-Identifier: Apache-2.0
"""Where a workgroup's tile and a lane's share of it lie, and descriptors of the operands."""

from typing import Any

import flydsl.expr as fx

from . import _shim
from ._geometry import BLOCK, LANES, Geometry
from ._raster import tile_of


class Lane:
    """This lane: its wave, and the row and the chunk of K that it holds of an MFMA operand."""

    def __init__(self, g: Geometry) -> None:
        self._g = g
        self.index = fx.thread_idx.x % LANES
        self.wave = _shim.wave_uniform(fx.thread_idx.x // LANES)
        self.wave_n = self.wave
        if g.waves_n < g.waves:
            self.wave_m, self.wave_n = self.wave // g.waves_n, self.wave % g.waves_n
        self.row, self.group = self.index % 16, self.index // 16

    @property
    def first_row(self) -> Any:
        """First row of the tile that this wave computes."""
        return self.wave_m * self._g.wave_m if self._g.waves_n < self._g.waves else 0

    @property
    def first_column(self) -> Any:
        """First column of the tile that this wave computes."""
        return self.wave_n * self._g.wave_n

    def m_row(self, mt: int, above: Any = 0) -> Any:
        """Row of the tile that this lane holds of the wave's M tile `mt`, plus the rows above the tile."""
        return above + self.first_row + 16 * mt + self.row


class Tile:
    """The tile of C that this workgroup computes.

    m0, n0: its first row and column; rows, columns: how many of them are in C.
    """

    def __init__(self, g: Geometry, M: Any, workgroup: Any) -> None:
        self.g, self.M = g, M
        tile_m, tile_n = tile_of(g, M, workgroup)
        self.m0, self.n0 = tile_m * g.tile_m, tile_n * g.tile_n
        self.rows = fx.min(M - self.m0, g.tile_m)
        self.columns = fx.min(g.N - self.n0, g.tile_n)

    # Descriptors start at the tile and end with its last valid row, so offsets stay small and nothing outside the
    # operand can be touched, whichever way the hardware counts soffset in its range check. Padding behind the last row
    # of A or B is none of ours either.

    def operands(self, A: Any, B: Any) -> tuple[Any, Any]:
        """Descriptors of the tile's rows of A and B."""
        a_stride, b_stride, K = self.g.a_stride, self.g.b_stride, self.g.K
        a_bytes = fx.Int64(self.rows) * a_stride - (a_stride - K)
        b_bytes = fx.Int64(self.columns) * b_stride - (b_stride - K)
        return (
            fx.rocdl.make_buffer_ptr(A + fx.Int64(self.m0) * a_stride, num_records_bytes=a_bytes),
            fx.rocdl.make_buffer_ptr(B + fx.Int64(self.n0) * b_stride, num_records_bytes=b_bytes),
        )

    def result(self, C: Any) -> Any:
        """Descriptor of the tile's rows of C, 16-bit numbers."""
        N = self.g.N
        return fx.rocdl.make_buffer_ptr(C + fx.Int64(self.m0) * N, num_records_bytes=fx.Int64(self.rows) * (2 * N))

    def partial_result(self, W: Any, k_slice: Any) -> Any:
        """Descriptor of the tile's rows in a slice of the workspace, fp32 [slices, M, N]."""
        N = self.g.N
        return fx.rocdl.make_buffer_ptr(
            W + (fx.Int64(k_slice) * fx.Int64(self.M) + fx.Int64(self.m0)) * N,
            num_records_bytes=fx.Int64(self.rows) * (4 * N),
        )

    def scales(self, XS: Any, WS: Any) -> tuple[Any, Any]:
        """Descriptors of all of x_scale and w_scale."""
        g = self.g
        return (
            fx.rocdl.make_buffer_ptr(XS, num_records_bytes=fx.Int64(self.x_scale_rows) * (4 * g.blocks)),
            fx.rocdl.make_buffer_ptr(WS, num_records_bytes=-(-g.N // BLOCK) * (4 * g.blocks)),
        )

    @property
    def x_scale_rows(self) -> Any:
        """Rows of x_scale."""
        shared = self.g.scale_rows
        return self.M if shared == 1 else (self.M + (shared - 1)) // shared
