# SPDX-License-Identifier: Apache-2.0
"""Kernel specs that several tests use."""

from __future__ import annotations

from dataclasses import replace

from porter.kernel_spec import Contract, Core, KernelSpec, ScaleLayout, Schedule
from porter.problem import Family

FOUR_WAVE = KernelSpec(
    family=Family.BPRESHUFFLE,
    arch="gfx950",
    scale_block_m=1,
    core=Core.FOUR_WAVE,
    tile_m=64,
    tile_n=256,
    tile_k=128,
    mfma="16x16x128",
    schedule=Schedule.CLUSTER,
    waves_per_eu=2,
    xcds=8,
    split_k=1,
    scale_layout=ScaleLayout.K_MAJOR,
    out_dtype="bf16",
)
FOUR_WAVE_PLAIN = replace(FOUR_WAVE, family=Family.PLAIN, scale_layout=ScaleLayout.ROW_MAJOR, xcds=0)
FOUR_WAVE_WIDE_K = replace(FOUR_WAVE, tile_k=256)
EIGHT_WAVE = replace(FOUR_WAVE, core=Core.EIGHT_WAVE, tile_m=128, xcds=0)
DECODE = replace(FOUR_WAVE_PLAIN, core=Core.DECODE, tile_m=16, tile_n=128)

_GFX950: tuple[KernelSpec, ...] = (
    FOUR_WAVE,
    FOUR_WAVE_PLAIN,
    replace(FOUR_WAVE, schedule=Schedule.INLINE, tile_m=32, tile_n=128, scale_block_m=128),
    replace(FOUR_WAVE_PLAIN, schedule=Schedule.SKEW, contract=Contract.CKTILE, out_dtype="fp16", xcds=8),
    replace(FOUR_WAVE_PLAIN, scale_block_m=128, tile_m=128, tile_n=128),
    replace(FOUR_WAVE_PLAIN, tile_m=16, tile_n=128),
    replace(FOUR_WAVE, tile_m=48, tile_n=128, tile_k=256, schedule=Schedule.SKEW),
    EIGHT_WAVE,
    replace(EIGHT_WAVE, schedule=Schedule.INLINE, tile_m=256, tile_n=128, contract=Contract.CKTILE),
    replace(FOUR_WAVE_PLAIN, core=Core.EIGHT_WAVE, tile_m=128, schedule=Schedule.SKEW, xcds=8, scale_block_m=128),
    DECODE,
    replace(DECODE, schedule=Schedule.SKEW, tile_m=32, split_k=3),
    replace(FOUR_WAVE, core=Core.DECODE, tile_m=64, tile_n=64, xcds=0, split_k=4, schedule=Schedule.INLINE),
)

#: One spec for every branch of every template; gfx942 has no 8-wave core.
VARIED = _GFX950 + tuple(
    replace(spec, arch="gfx942", mfma="16x16x32") for spec in _GFX950 if spec.core is not Core.EIGHT_WAVE
)
