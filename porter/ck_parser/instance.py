# SPDX-License-Identifier: Apache-2.0
"""One kernel instance as Composable Kernel says it: pure values, no ids and no places.

Every textual form of an instance (name, table row, later dicts and C++ tuples) builds the same value, so forms compare
equal. Fields are CK's and aiter's template parameters in lower case; sizes are in elements unless said otherwise.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from enum import Enum

from porter.kernel_spec import Contract
from porter.problem import WAVE_SIZE, Family

Pair = tuple[int, int]
Triple = tuple[int, int, int]
Quad = tuple[int, int, int, int]


class Scheduler(str, Enum):
    """CK's block GEMM pipeline scheduler: a hint for the schedule, never for the bits."""

    INTRAWAVE = "intrawave"
    INTERWAVE = "interwave"
    DEFAULT = "default"


@dataclass(frozen=True, slots=True)
class NumericContract:
    """The rounding order of an instance; assumed: no CK machine code of this layout was executed to confirm it."""

    order: Contract
    assumed: bool = False


@dataclass(frozen=True, slots=True)
class XdlInstance:
    """An instance of CK's XDL device operations.

    plain: `DeviceGemmMultiD_ABScale_Xdl_CShuffle_V3`; bpreshuffle:
    `DeviceGemmMultiD_BlockScale_Xdl_CShuffle_V3_BPreshuffle`.

    scale_block_mnk: elements that share one scale; block_size: work-items; tile_mnk: MPerBlock, NPerBlock, KPerBlock;
    ak1, bk1: elements of one K vector; xdl_mn: MPerXDL, NPerXDL; xdl_per_wave_mn: MXdlPerWave, NXdlPerWave (aiter's
    WAVE_MAP: MFMAs per wave, not waves); a_block_transfer, b_block_transfer, c_block_transfer: thread clusters;
    cshuffle_xdl_per_wave_mn: MFMAs per wave and shuffle; c_block_spv: elements of one C store.
    wave_map_assumed: the text leaves out xdl_per_wave_mn and it was assumed (see `assumed_xdl_per_wave`).
    """

    family: Family
    scale_block_mnk: Triple
    block_size: int
    tile_mnk: Triple
    ak1: int
    bk1: int
    xdl_mn: Pair
    xdl_per_wave_mn: Pair
    a_block_transfer: Triple
    b_block_transfer: Triple
    c_block_transfer: Quad
    c_block_spv: int
    cshuffle_xdl_per_wave_mn: Pair
    pipeline_sched: Scheduler
    pipeline_version: int
    wave_map_assumed: bool = field(default=False, compare=False)

    @property
    def libtype(self) -> str:
        """aiter's libtype."""
        return "ck"

    @property
    def waves_mn(self) -> Pair:
        """Waves of a workgroup along M and N."""
        return (
            self.tile_mnk[0] // (self.xdl_mn[0] * self.xdl_per_wave_mn[0]),
            self.tile_mnk[1] // (self.xdl_mn[1] * self.xdl_per_wave_mn[1]),
        )

    @property
    def name(self) -> str:
        """The kernelName as aiter spells it today: plain names carry the wave map, bpreshuffle names never did."""
        plain = self.family is Family.PLAIN
        parts = [
            "a8w8_blockscale" if plain else "a8w8_blockscale_bpreshuffle",
            _x(self.scale_block_mnk),
            _x((self.block_size, *self.tile_mnk)),
            _x((self.ak1, self.bk1)),
            _x(self.xdl_mn),
            *([_x(self.xdl_per_wave_mn)] if plain else []),
            _x(self.a_block_transfer),
            _x(self.b_block_transfer),
            _x(self.c_block_transfer),
            str(self.c_block_spv),
            _x(self.cshuffle_xdl_per_wave_mn),
            self.pipeline_sched.value,
            f"v{self.pipeline_version}",
        ]
        return "_".join(parts)

    @property
    def contradiction(self) -> str:
        """What in the text contradicts itself, or nothing.

        Source: CK, static asserts of its device operations: waves tile the block exactly, and each thread cluster uses
        every work-item.
        """
        waves_m, waves_n = self.waves_mn
        covered = (
            waves_m * self.xdl_mn[0] * self.xdl_per_wave_mn[0],
            waves_n * self.xdl_mn[1] * self.xdl_per_wave_mn[1],
        )
        if covered != self.tile_mnk[:2] or waves_m * waves_n * WAVE_SIZE != self.block_size:
            return (
                f"a tile of {_x(self.tile_mnk[:2])} by {self.block_size} threads, with {_x(self.xdl_mn)} MFMAs and "
                f"{_x(self.xdl_per_wave_mn)} of them per wave, is not covered by whole waves"
            )
        clusters = (self.a_block_transfer, self.b_block_transfer, self.c_block_transfer)
        for side, cluster in zip("ABC", clusters, strict=True):
            if math.prod(cluster) != self.block_size:
                return f"the {side} thread cluster {_x(cluster)} does not use {self.block_size} threads"
        return ""

    def mfma(self, arch: str) -> str:
        """`MxNxK` of the MFMA instruction that CK issues on `arch` (docs/notes/ck.md#mfma-and-k-slices)."""
        square = _x(self.xdl_mn)
        widths = {"16x16": 128, "32x32": 64} if arch == "gfx950" else {"16x16": 32, "32x32": 16}
        return f"{square}x{widths[square]}" if square in widths else square

    def contract(self, family: Family) -> NumericContract:
        """Every plain and bpreshuffle XDL instance rounds in the order `ck` (docs/contract.md#variants)."""
        return NumericContract(Contract.CK)


@dataclass(frozen=True, slots=True)
class CkTileInstance:
    """An instance of aiter's CK-Tile `TileKernelInstance`; serves both families, its name does not say which.

    tile_mnk: elements per workgroup; warp_mnk: waves along M, N, K; warp_tile_mnk: elements per wave and step;
    block_per_cu: workgroups per compute unit that the launch bounds ask for; aq_row_major: x_scale is read row-major
    (the 8-wave kernel reads it column-major otherwise); double_smem_buffer: said only by 2025 names, else None.
    """

    tile_mnk: Triple
    warp_mnk: Triple
    warp_tile_mnk: Triple
    scheduler: Scheduler
    tiled_mma_permute_n: bool
    transpose_c: bool
    use_persistent_kernel: bool
    block_per_cu: int
    aq_row_major: bool = False
    double_smem_buffer: bool | None = None

    @property
    def family(self) -> None:
        """The name does not tell the family."""
        return None

    @property
    def libtype(self) -> str:
        """aiter's libtype."""
        return "cktile"

    @property
    def block_size(self) -> int:
        """Work-items of a workgroup."""
        return math.prod(self.warp_mnk) * WAVE_SIZE

    @property
    def waves_mn(self) -> Pair:
        """Waves of a workgroup along M and N."""
        return self.warp_mnk[:2]

    @property
    def name(self) -> str:
        """The kernelName as aiter spells it."""
        flags = [self.tiled_mma_permute_n, self.transpose_c, self.use_persistent_kernel]
        if self.double_smem_buffer is not None:
            flags.insert(2, self.double_smem_buffer)
        parts = [
            "a8w8_blockscale_cktile",
            _x(self.tile_mnk),
            _x(self.warp_mnk),
            _x(self.warp_tile_mnk),
            self.scheduler.value,
            _x([int(flag) for flag in flags]),
            str(self.block_per_cu),
            *(["aqrm"] if self.aq_row_major else []),
        ]
        return "_".join(parts)

    @property
    def contradiction(self) -> str:
        """What in the text contradicts itself, or nothing: whole warp tiles fill the tile."""
        for axis, tile, warps, width in zip("MNK", self.tile_mnk, self.warp_mnk, self.warp_tile_mnk, strict=True):
            if tile % (warps * width):
                return f"{axis}: a tile of {tile} is not filled by {warps} warps of {width}"
        return ""

    def mfma(self, arch: str) -> str:
        """`MxNxK` of the MFMA instruction: the warp tile where the chip has it, else the plain fp8 instruction.

        Inferred, not disassembled: gfx950 has 16x16x128 and 32x32x64; any other warp tile is a chain of the narrow one.
        """
        native = {"16x16x128", "32x32x64"} if arch == "gfx950" else set()
        whole = _x(self.warp_tile_mnk)
        square = _x(self.warp_tile_mnk[:2])
        narrow = {"16x16": "16x16x32", "32x32": "32x32x16"}
        return whole if whole in native else narrow.get(square, whole)

    def contract(self, family: Family) -> NumericContract:
        """8 warps round as `ck`, plain 1x4 as `cktile`, others are assumed to as well (docs/contract.md#variants)."""
        if self.warp_mnk == (4, 2, 1):
            return NumericContract(Contract.CK)
        seen = self.warp_mnk == (1, 4, 1) and family is Family.PLAIN
        return NumericContract(Contract.CKTILE, assumed=not seen)


#: A Composable Kernel instance of either generation; usable with isinstance.
CkInstance = XdlInstance | CkTileInstance


def assumed_xdl_per_wave(family: Family, block_size: int, tile_mn: Pair, xdl_mn: Pair, version: int) -> Pair | None:
    """MXdlPerWave, NXdlPerWave where a name leaves the wave map out; None when no map fits.

    Rule, true of every instance that aiter ever listed: v3 of the plain family lays four waves 2x2; everything else
    lays its waves along N, as far as N allows.
    """
    waves = block_size // WAVE_SIZE
    fits = [
        (waves_m, waves // waves_m)
        for waves_m in range(1, waves + 1)
        if waves % waves_m == 0
        and tile_mn[0] % (waves_m * xdl_mn[0]) == 0
        and tile_mn[1] % (waves // waves_m * xdl_mn[1]) == 0
    ]
    if not fits:
        return None
    square = (2, 2)
    chosen = square if family is Family.PLAIN and version == 3 and square in fits else fits[0]
    return tile_mn[0] // (chosen[0] * xdl_mn[0]), tile_mn[1] // (chosen[1] * xdl_mn[1])


def _x(numbers: tuple[int, ...] | list[int]) -> str:
    return "x".join(map(str, numbers))
