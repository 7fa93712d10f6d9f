# SPDX-License-Identifier: Apache-2.0
"""Names of an older aiter branch's 4-wave FlyDSL kernels with fp32 block scales (users.md 0.4)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from porter.ck_parser.names.grammar import NUMBER, POSITIVE, Grammar, numbers, split_numbers
from porter.problem import Family


@dataclass(frozen=True, slots=True)
class BranchFourWaveKernel:
    """A 4-wave kernel.

    tile_mnk: elements per workgroup; scale_block_k: elements of K per scale; cshuffle: the epilogue goes through LDS;
    async_copy: A goes to LDS by DMA; waves_per_eu: 0 = no hint; xcd_swizzle: raster group height, None = not written.
    """

    tile_mnk: tuple[int, ...]
    scale_block_k: int
    cshuffle: bool
    async_copy: bool
    waves_per_eu: int
    xcd_swizzle: int | None

    @property
    def libtype(self) -> str:
        return "flydsl"

    @property
    def family(self) -> Family:
        return Family.BPRESHUFFLE

    @property
    def name(self) -> str:
        xcd = "" if self.xcd_swizzle is None else f"_xcd{self.xcd_swizzle}"
        return (
            f"flydsl_blockscale_bpreshuffle_{'x'.join(map(str, self.tile_mnk))}_sbk{self.scale_block_k}_B16"
            f"_{self.cshuffle:d}x{self.async_copy:d}x{self.waves_per_eu}_default{xcd}"
        )


def _build(values: Mapping[str, str]) -> BranchFourWaveKernel:
    return BranchFourWaveKernel(
        tile_mnk=split_numbers(values["tile"]),
        scale_block_k=int(values["scale_block_k"]),
        cshuffle=values["cshuffle"] == "1",
        async_copy=values["async_copy"] == "1",
        waves_per_eu=int(values["waves_per_eu"]),
        xcd_swizzle=int(values["xcd_swizzle"]) if "xcd_swizzle" in values else None,
    )


GRAMMAR = Grammar(
    text="flydsl_blockscale_bpreshuffle_{tile MxNxK}_sbk{n}_B16_{csh}x{async}x{wpe}_default[_xcd{n}]",
    start="flydsl_blockscale_bpreshuffle_[0-9x]*_sbk[0-9]*_B16_",
    steps=(
        ("the prefix flydsl_blockscale_bpreshuffle", "flydsl_blockscale_bpreshuffle_"),
        ("the tile MxNxK", numbers("tile", 3)),
        ("sbk and a number", f"sbk(?P<scale_block_k>{POSITIVE})_"),
        ("the output dtype B16", "B16_"),
        ("{csh}x{async}x{wpe}", f"(?P<cshuffle>[01])x(?P<async_copy>[01])x(?P<waves_per_eu>{NUMBER})_"),
        ("default", r"default(?=_|\Z)"),
        ("the end of the name, or xcd and a number", rf"(?:_xcd(?P<xcd_swizzle>{NUMBER}))?\Z"),
    ),
    build=_build,
)
