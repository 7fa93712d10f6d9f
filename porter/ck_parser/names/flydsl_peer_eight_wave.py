# SPDX-License-Identifier: Apache-2.0
"""Names of a peer tuner's 8-wave FlyDSL kernels with fp32 block scales (users.md 0.4)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from porter.ck_parser.names.grammar import NUMBER, Grammar, numbers, split_numbers
from porter.problem import Family


@dataclass(frozen=True, slots=True)
class PeerEightWaveKernel:
    """An 8-wave kernel; block_mn: elements per workgroup; waves_per_eu: occupancy hint; xcd_remap: raster remap."""

    block_mn: tuple[int, ...]
    waves_per_eu: int
    xcd_remap: int

    @property
    def libtype(self) -> str:
        return "flydsl8w"

    @property
    def family(self) -> Family:
        return Family.BPRESHUFFLE

    @property
    def name(self) -> str:
        block = "x".join(map(str, self.block_mn))
        return f"flydsl8w_blockscale_bpreshuffle_{block}_wpe{self.waves_per_eu}_xcd{self.xcd_remap}"


def _build(values: Mapping[str, str]) -> PeerEightWaveKernel:
    return PeerEightWaveKernel(split_numbers(values["block"]), int(values["waves_per_eu"]), int(values["xcd_remap"]))


GRAMMAR = Grammar(
    text="flydsl8w_blockscale_bpreshuffle_{BLOCK_M}x{BLOCK_N}_wpe{n}_xcd{n}",
    start="flydsl8w_",
    steps=(
        ("the prefix flydsl8w_blockscale_bpreshuffle", "flydsl8w_blockscale_bpreshuffle_"),
        ("BLOCK_M x BLOCK_N", numbers("block", 2)),
        ("wpe and a number", f"wpe(?P<waves_per_eu>{NUMBER})_"),
        ("xcd and a number, and the end", rf"xcd(?P<xcd_remap>{NUMBER})\Z"),
    ),
    build=_build,
)
