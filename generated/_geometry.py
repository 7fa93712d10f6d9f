# SPDX-License-Identifier: Apache-2.0
"""Sizes that a SPEC and the weights fix: ordinary numbers, known before a kernel is traced."""

from typing import Any

from ._variant import Variant

#: K width of a scale block.
BLOCK = 128
LANES = 64
#: Rows of tiles that a die walks down before it moves to the next column of tiles, where the raster is remapped.
GROUP_M = 4


class Geometry:
    """A kernel for one shape of the weights.

    spec: its SPEC; N, K: rows and columns of B; a_stride, b_stride: bytes from one row of A and of B to the next.
    """

    def __init__(self, spec: dict[str, Any], N: int, K: int, a_stride: int, b_stride: int) -> None:
        self.spec, self.variant = spec, Variant.of(spec)
        self.N, self.K, self.a_stride, self.b_stride = N, K, a_stride, b_stride
        self.tile_m, self.tile_n, tile_k = map(int, spec["tile"])  # rows of A and of B per workgroup
        self.tile_blocks = tile_k // BLOCK  # scale blocks of a K tile
        self.blocks = K // BLOCK  # scale blocks of K
        self.grid_n = -(-N // self.tile_n)  # tiles in a row of tiles
        self.ragged = N % self.tile_n != 0  # the last tile of a row has fewer columns than the others
        self.waves = int(spec["threads"]) // LANES
        # Of 4 waves each has all rows of the tile; 8 lie over it, each on 64x64.
        self.waves_n = 4 if self.waves == 4 else self.tile_n // 64
        self.wave_m, self.wave_n = self.tile_m * self.waves_n // self.waves, self.tile_n // self.waves_n
        self.m_tiles, self.n_tiles = self.wave_m // 16, self.wave_n // 16  # 16x16 MFMA tiles per wave
        self.preshuffled = spec["family"] == "bpreshuffle"  # B is in shuffle_weight (16, 16) order
        self.k_major = spec["scale_layout"] == "km"  # x_scale is [K/128, rows] in memory
        self.scale_rows = int(spec["scale_block_m"])  # rows of A that share an x_scale
        self.narrow = spec["mfma"] == "16x16x32"  # four chained MFMAs make a scale block, instead of one
        self.chunk, self.parts = (8, 4) if self.narrow else (16, 2)  # bytes of a lane's load, and loads of a block

    @property
    def staged_scales(self) -> bool:
        """Whether x_scale goes through LDS in the cores that have A there: a row-major one, if the work-items can fetch
        two blocks of it at once, and LDS has room beside A. gfx942 has 64 KiB of it: enough for three workgroups with
        slots of 8 KiB, and more than three of 32 accumulators have no registers."""
        if self.scale_rows != 1 or self.k_major or 2 * self.tile_m > self.waves * LANES:
            return False
        if self.variant.promote == "chained":  # nobody reads it
            return False
        accumulators = self.tile_m * self.tile_n // (self.waves * LANES)
        return not self.narrow or (self.tile_m * self.tile_blocks <= 64 and accumulators >= 32)
