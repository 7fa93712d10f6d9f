# SPDX-License-Identifier: Apache-2.0
"""Names of aiter's gfx950 FlyDSL kernels with E8M0 block scales: scaled MFMA, different numbers from fp32 scales."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from porter.ck_parser.names.grammar import NUMBER, Grammar, numbers, split_numbers
from porter.problem import Family


@dataclass(frozen=True, slots=True)
class Mxfp8MfmaKernel:
    """A scaled-MFMA kernel; tile_mnk: elements per workgroup; waves_per_eu, xcd_swizzle: 0 = off."""

    tile_mnk: tuple[int, ...]
    waves_per_eu: int
    xcd_swizzle: int

    @property
    def libtype(self) -> str:
        return "flydsl"

    @property
    def family(self) -> Family:
        return Family.BPRESHUFFLE

    @property
    def name(self) -> str:
        tile = "x".join(map(str, self.tile_mnk))
        return f"flydsl_mxfp8_128_bpreshuffle_mfma_t{tile}_wpe{self.waves_per_eu}_xcd{self.xcd_swizzle}"


def _build(values: Mapping[str, str]) -> Mxfp8MfmaKernel:
    return Mxfp8MfmaKernel(split_numbers(values["tile"]), int(values["waves_per_eu"]), int(values["xcd_swizzle"]))


GRAMMAR = Grammar(
    text="flydsl_mxfp8_128_bpreshuffle_mfma_t{tile MxNxK}_wpe{n}_xcd{n}",
    start="flydsl_mxfp8_128_bpreshuffle_mfma_",
    steps=(
        ("the prefix flydsl_mxfp8_128_bpreshuffle_mfma", "flydsl_mxfp8_128_bpreshuffle_mfma_"),
        ("t and the tile MxNxK", "t" + numbers("tile", 3)),
        ("wpe and a number", f"wpe(?P<waves_per_eu>{NUMBER})_"),
        ("xcd and a number, and the end", rf"xcd(?P<xcd_swizzle>{NUMBER})\Z"),
    ),
    build=_build,
)
