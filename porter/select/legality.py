# SPDX-License-Identifier: Apache-2.0
"""The one predicate that says whether a kernel can serve a shape on a target, and if not, every reason why.

It judges what can be known before compiling. What only the compiler can show (spills, scratch) is not its business.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from porter.kernel_spec import SCALE_LAYOUTS, Core, KernelSpec, Schedule
from porter.problem import SCALE_BLOCK, WAVE_SIZE, Family, GemmShape, Target

#: Cores and chips that porter can write kernels for today.
BUILT_CORES = frozenset(Core)
BUILT_ARCHS = frozenset({"gfx950", "gfx942"})
#: Cores that need an instruction of one chip: the 8-wave core stages A and B by 16-byte DMA into LDS, gfx950 only, and
#: its 96 KiB of LDS are more than gfx942 has.
CORE_ARCHS = {Core.EIGHT_WAVE: frozenset({"gfx950"})}
#: The MFMA shape of every core, by chip: one instruction a scale block, at full rate (flydsl.md B1); gfx942 has none.
MFMA_OF_ARCH = {"gfx950": "16x16x128", "gfx942": "16x16x32"}
#: Output types; aiter asserts the same two (users.md 2.1).
OUT_DTYPES = frozenset({"bf16", "fp16"})

#: What N must be a multiple of: a lane stores 4 columns at once, as aiter's plain instances with the narrower C vector
#: do (ck.md A4; real rows have N = 100); a preshuffled B is whole groups of 16 rows (ck.md A5).
N_MULTIPLE = {Family.PLAIN: 4, Family.BPRESHUFFLE: 16}
#: Work-items of a workgroup; flydsl.md P4.
MAX_THREADS = 1024
#: 32-bit registers of a lane that the waves of a SIMD share, AGPRs included; hardware.md 1.
VGPRS_PER_SIMD = 512
#: SIMDs of a CU, on both chips (hardware.md 1), and work-items that one wave on each of them holds.
SIMDS = 4
LANES_OF_CU = SIMDS * WAVE_SIZE
#: Of a wave's registers, the part that fp32 accumulators may fill: 64 of 256 compile without spills, 96 and 128 spill
#: (flydsl.md B4.1); one wave with 512 registers holds 128, three waves spill at 64 (B3), so the share is kept.
ACCUMULATOR_SHARE = 4
#: Waves of one SIMD, the hardware's maximum; flydsl.md A1.
MAX_WAVES_PER_EU = 8
#: Bytes that a work-item moves in one DMA instruction into LDS. A tile of A that is not whole steps of the workgroup
#: gets more rows in LDS, else rows are silently left out (users.md 3: FlyDSL #1007, and NaN at tile_m 16).
DMA_BYTES = 16
#: K widths of the 4-wave core's tile: one scale block, or two of which each has its promote. An odd last block is half
#: a tile, so K may be any multiple of a scale block.
FOUR_WAVE_TILE_KS = (SCALE_BLOCK, 2 * SCALE_BLOCK)
#: LDS buffers of every staged tile; the 4-wave core stages A, the 8-wave core A and B (flydsl.md B2), decode nothing.
BUFFERS = 2
#: Waves of the 4-wave and decode cores, side by side in N; each needs one w_scale at a time, a scalar (flydsl.md B2).
WAVES_IN_N = 4
#: Tiles of the 8-wave core, rows x columns: eight waves of 64x64, and halves of A and of B that are whole DMA steps.
EIGHT_WAVE_TILES = ((128, 256), (256, 128))
#: What a 32-bit signed byte offset and an i32 argument can hold; flydsl.md A2. Descriptors are rebased to the tile, so
#: only what one descriptor covers has to stay below: a tile's rows of A, B and C, and all of both scales.
INT32_LIMIT = 1 << 31
#: Work-items of one launch in a dimension, which HIP wants below 2^32 (HIP API reference, hipModuleLaunchKernel).
GRID_LIMIT = 1 << 32
#: Columns that a work-item of split-K's second pass adds up.
REDUCED_COLUMNS = 4


@dataclass(frozen=True, slots=True)
class Reason:
    """Why not. code: CKS1xx; text: one sentence with every number; hint: the way out, or empty."""

    code: str
    text: str
    hint: str = ""

    def __str__(self) -> str:
        return f"{self.text} [{self.code}]"


def legality(spec: KernelSpec, shape: GemmShape, target: Target) -> tuple[Reason, ...]:
    """Every reason why `spec` cannot serve `shape` on `target`; empty when it can."""
    kernel = (reason for check in (_built, _consistent, _tiles, _resources) for reason in check(spec, target))
    return (*kernel, *_shape(spec, shape))


def _built(spec: KernelSpec, target: Target) -> Iterator[Reason]:
    if spec.core not in BUILT_CORES:
        built = ", ".join(sorted(core.value for core in BUILT_CORES))
        yield Reason("CKS101", f"the {spec.core.value} core is not built yet; built: {built}")
    elif spec.core in CORE_ARCHS and target.arch not in CORE_ARCHS[spec.core]:
        built = ", ".join(sorted(CORE_ARCHS[spec.core]))
        yield Reason("CKS102", f"the {spec.core.value} core is not built for {target.arch}; built: {built}")
    if target.arch not in BUILT_ARCHS:
        built = ", ".join(sorted(BUILT_ARCHS))
        yield Reason("CKS102", f"{target.arch} (fp8 {target.fp8}) is not built yet; built: {built}")
    if spec.split_k != 1 and spec.core is not Core.DECODE:
        yield Reason(
            "CKS103",
            f"split_k {spec.split_k}: the {spec.core.value} core does not split K, the decode core does",
            "port the row with split_k 1: all of K in one fp32 accumulation",
        )


def _consistent(spec: KernelSpec, target: Target) -> Iterator[Reason]:
    if spec.arch != target.arch:
        yield Reason("CKS104", f"the kernel is for {spec.arch}, the target is {target.arch}")
    wanted = SCALE_LAYOUTS[spec.family]
    if spec.scale_layout is not wanted:
        yield Reason(
            "CKS105",
            f"the {spec.family.value} family stores x_scale {wanted.value}, the kernel reads {spec.scale_layout.value}",
        )
    if spec.out_dtype not in OUT_DTYPES:
        yield Reason("CKS106", f"output {spec.out_dtype} is not one of {', '.join(sorted(OUT_DTYPES))}")
    if spec.xcds not in (0, target.xcds):
        yield Reason("CKS107", f"a raster over {spec.xcds} dies; {target.arch} has {target.xcds}, 0 is no remap")
    if spec.scale_block_m not in (1, SCALE_BLOCK):
        yield Reason("CKS108", f"ScaleBlockM {spec.scale_block_m} is neither 1 nor {SCALE_BLOCK}")
    elif spec.scale_block_m == SCALE_BLOCK and spec.core is not Core.EIGHT_WAVE and SCALE_BLOCK % max(1, spec.tile_m):
        # The 8-wave core's waves are 64 rows high, so each has one x_scale whatever the tile.
        yield Reason(
            "CKS108", f"tile M {spec.tile_m} does not divide ScaleBlockM {SCALE_BLOCK}: a wave needs one x_scale"
        )


def _tiles(spec: KernelSpec, target: Target) -> Iterator[Reason]:
    wanted = MFMA_OF_ARCH.get(target.arch)
    if spec.mfma != wanted:
        yield Reason("CKS110", f"MFMA {spec.mfma} is not the {wanted} that {target.arch} kernels are built from")
        return
    mfma_m, mfma_n, _ = map(int, spec.mfma.split("x"))
    if spec.core is Core.EIGHT_WAVE:
        if (spec.tile_m, spec.tile_n) not in EIGHT_WAVE_TILES:
            known = ", ".join(f"{m}x{n}" for m, n in EIGHT_WAVE_TILES)
            yield Reason("CKS111", f"tile {spec.tile_m}x{spec.tile_n} is not one of the 8w core's {known}")
    else:
        unit_n = WAVES_IN_N * mfma_n
        for axis, size, unit in (("M", spec.tile_m, mfma_m), ("N", spec.tile_n, unit_n)):
            if size < 1 or size % unit:
                yield Reason(
                    "CKS111",
                    f"tile {axis} {size} is not a positive multiple of {unit}: {spec.mfma} MFMAs, 4 waves in N",
                )
        columns = spec.tile_n // WAVES_IN_N
        if columns and SCALE_BLOCK % columns:
            yield Reason("CKS113", f"{columns} columns a wave do not divide {SCALE_BLOCK}: a wave needs one w_scale")
    if spec.core is Core.FOUR_WAVE:
        if spec.tile_k not in FOUR_WAVE_TILE_KS:
            yield Reason(
                "CKS112",
                f"tile K {spec.tile_k} is neither {SCALE_BLOCK} nor {2 * SCALE_BLOCK}, one or two scale blocks",
            )
    elif spec.tile_k != SCALE_BLOCK:
        yield Reason("CKS112", f"tile K {spec.tile_k} is not {SCALE_BLOCK}, one scale block")


def _resources(spec: KernelSpec, target: Target) -> Iterator[Reason]:
    if spec.threads > MAX_THREADS:
        yield Reason("CKS120", f"{spec.threads} work-items a workgroup, more than {MAX_THREADS}")
    if not 1 <= spec.waves_per_eu <= MAX_WAVES_PER_EU:
        yield Reason("CKS121", f"waves_per_eu {spec.waves_per_eu} is not within 1..{MAX_WAVES_PER_EU}")
    else:
        # A workgroup's own waves share the SIMDs too, whatever waves_per_eu asks for.
        budget = VGPRS_PER_SIMD // max(spec.waves_per_eu, spec.threads // LANES_OF_CU)
        if spec.accumulators > budget // ACCUMULATOR_SHARE:
            yield Reason(
                "CKS122",
                f"{spec.tile_m}x{spec.tile_n} over {spec.threads} work-items is {spec.accumulators} accumulator "
                f"VGPRs a wave, more than {budget // ACCUMULATOR_SHARE} at a budget of {budget}: it would spill",
                "a smaller tile, or fewer waves_per_eu",
            )
        elif _inline_spills(spec) and spec.accumulators * ACCUMULATOR_SHARE >= budget:
            yield Reason(
                "CKS124",
                f"{spec.accumulators} accumulator VGPRs a wave are a quarter of the budget of {budget}: with promotes "
                f"beside chained {spec.mfma} MFMAs and an x_scale a row, that spills (9 registers at 64x256, 11 at "
                "128x128)",
                "schedule cluster or skew",
            )
        held = _held_for_two_blocks(spec)
        # Partials, the A of a block and scales need the rest; `inline` keeps more partials alive. As compiled: 104 fits
        # and 120 does not, in the other orders 128 fits and 144 does not.
        limit = budget * (7 if spec.schedule is Schedule.INLINE else 8) // 16
        if held > limit:
            yield Reason(
                "CKS125",
                f"tile K {spec.tile_k} of {spec.tile_m}x{spec.tile_n} holds {held} VGPRs of accumulators, of B for two "
                f"blocks and of A on its way to LDS, more than {limit} at a budget of {budget}: it would spill",
                f"tile K {SCALE_BLOCK}, or a smaller tile",
            )
    staged = {Core.FOUR_WAVE: _whole_steps(spec), Core.EIGHT_WAVE: spec.tile_m + spec.tile_n, Core.DECODE: 0}[spec.core]
    lds = BUFFERS * staged * spec.tile_k
    if lds > target.lds_bytes:
        yield Reason(
            "CKS123",
            f"{BUFFERS} buffers of {staged} rows x {spec.tile_k} bytes are {lds} bytes of LDS, "
            f"more than the {target.lds_bytes} of {target.arch}",
        )


def _whole_steps(spec: KernelSpec) -> int:
    """Rows of A that the 4-wave core keeps in LDS for a block: the workgroup moves whole DMA steps."""
    rows = spec.threads * DMA_BYTES // SCALE_BLOCK
    return -(-spec.tile_m // rows) * rows


def _held_for_two_blocks(spec: KernelSpec) -> int:
    """Registers of a lane that a 256-wide K tile holds all along where A passes through registers (gfx942); else 0."""
    if spec.core is not Core.FOUR_WAVE or spec.tile_k == SCALE_BLOCK or spec.mfma != MFMA_OF_ARCH["gfx942"]:
        return 0
    loaded = (_whole_steps(spec) + spec.tile_n) * spec.tile_k // spec.threads  # bytes a lane
    return spec.accumulators + loaded // 4


def _inline_spills(spec: KernelSpec) -> bool:
    """Whether LLVM keeps more alive than accumulators and partials: it starts the chains of several tiles at once."""
    return spec.schedule is Schedule.INLINE and spec.mfma == MFMA_OF_ARCH["gfx942"] and spec.scale_block_m == 1


def _shape(spec: KernelSpec, shape: GemmShape) -> Iterator[Reason]:
    for axis, size in (("M", shape.m), ("N", shape.n), ("K", shape.k)):
        if size < 1:
            yield Reason("CKS130", f"{axis} {size} is less than 1")
    if min(shape.m, shape.n, shape.k) < 1:
        return
    blocks, rest = divmod(shape.k, SCALE_BLOCK)
    if rest:
        yield Reason(
            "CKS131",
            f"K {shape.k} is not a multiple of {SCALE_BLOCK}, the scale block",
            f"pad A and B with zeros to K {(blocks + 1) * SCALE_BLOCK}",
        )
    elif spec.split_k > blocks:
        yield Reason("CKS132", f"split_k {spec.split_k} is more than the {blocks} blocks of {SCALE_BLOCK} in K")
    multiple = N_MULTIPLE[spec.family]
    if shape.n % multiple:
        yield Reason(
            "CKS134",
            f"N {shape.n} is not a multiple of {multiple}, which the {spec.family.value} family needs",
            f"pad B with zero rows to N {-(-shape.n // multiple) * multiple} and drop the columns",
        )
    yield from _addresses(spec, shape, blocks + bool(rest))


def _addresses(spec: KernelSpec, shape: GemmShape, blocks: int) -> Iterator[Reason]:
    width = 2 if spec.split_k == 1 else 4  # bytes of an element: C, or the fp32 workspace
    xs_rows, ws_rows = -(-shape.m // max(1, spec.scale_block_m)), -(-shape.n // SCALE_BLOCK)
    for what, size in (
        (f"a tile of A, {spec.tile_m} rows x {shape.k} bytes,", spec.tile_m * shape.k),
        (f"a tile of B, {spec.tile_n} rows x {shape.k} bytes,", spec.tile_n * shape.k),
        (f"a tile of the result, {spec.tile_m} rows x {width * shape.n} bytes,", spec.tile_m * width * shape.n),
        (f"x_scale, {xs_rows} x {blocks} x 4 bytes,", xs_rows * blocks * 4),
        (f"w_scale, {ws_rows} x {blocks} x 4 bytes,", ws_rows * blocks * 4),
    ):
        if size >= INT32_LIMIT:
            yield Reason(
                "CKS140", f"{what} is {size} bytes, not below {INT32_LIMIT}: 32-bit offsets cannot reach all of it"
            )
    if shape.m > INT32_LIMIT - spec.tile_m:
        # The launcher rounds M up to whole tiles in i32.
        most = INT32_LIMIT - spec.tile_m
        yield Reason("CKS141", f"M {shape.m} does not fit the kernel's i32 argument, {most} at most")
    for what, workgroups in _launches(spec, shape):
        if workgroups * spec.threads >= GRID_LIMIT:
            yield Reason(
                "CKS142",
                f"{what} of {workgroups} workgroups x {spec.threads} work-items is not below {GRID_LIMIT}, "
                "the most that HIP launches",
                "fewer rows a call",
            )


def _launches(spec: KernelSpec, shape: GemmShape) -> Iterator[tuple[str, int]]:
    """Workgroups of every launch; none of a kernel without tiles, which has its own reasons."""
    if min(spec.tile_m, spec.tile_n) < 1:
        return
    yield "a launch", shape.tiles(spec.tile_m, spec.tile_n) * spec.split_k
    if spec.split_k > 1:
        yield "the second pass", shape.m * -(-shape.n // (REDUCED_COLUMNS * spec.threads))
