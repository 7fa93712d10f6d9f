# SPDX-License-Identifier: Apache-2.0
"""Names of aiter's gfx1250 FlyDSL kernels: E8M0 block scales and WMMA, a different machine and different numbers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from porter.ck_parser.names.grammar import POSITIVE, Grammar, numbers, split_numbers
from porter.problem import Family


@dataclass(frozen=True, slots=True)
class WmmaKernel:
    """A gfx1250 kernel.

    scales: `mxfp8_128` and `mxfp8_32` (E8M0, per 128 or 32 elements of K) or `blockscale`; compute: the compute-bound
    variant; tile_mnk: elements per workgroup; waves_mn: waves along M and N; buffers: LDS stages; split_k: K slices;
    cluster_mn: workgroups of a cluster; suffixes: further knobs as written.
    """

    scales: str
    compute: bool
    tile_mnk: tuple[int, ...]
    waves_mn: tuple[int, int]
    buffers: int
    split_k: int
    cluster_mn: tuple[int, int]
    suffixes: str

    @property
    def libtype(self) -> str:
        return "flydsl"

    @property
    def family(self) -> Family:
        return Family.BPRESHUFFLE

    @property
    def name(self) -> str:
        return (
            f"flydsl_{self.scales}_bpreshuffle_{'compute_' if self.compute else ''}wmma"
            f"_t{'x'.join(map(str, self.tile_mnk))}_mw{self.waves_mn[0]}_nw{self.waves_mn[1]}_nb{self.buffers}"
            f"_sk{self.split_k}_cm{self.cluster_mn[0]}_cn{self.cluster_mn[1]}{self.suffixes}"
        )


def _build(values: Mapping[str, str]) -> WmmaKernel:
    return WmmaKernel(
        scales=values["scales"],
        compute="compute" in values,
        tile_mnk=split_numbers(values["tile"]),
        waves_mn=(int(values["mw"]), int(values["nw"])),
        buffers=int(values["nb"]),
        split_k=int(values["sk"]),
        cluster_mn=(int(values["cm"]), int(values["cn"])),
        suffixes=values["suffixes"],
    )


GRAMMAR = Grammar(
    text=(
        "flydsl_{mxfp8_128|mxfp8_32|blockscale}_bpreshuffle_[compute_]wmma_t{tile MxNxK}_mw{n}_nw{n}_nb{n}_sk{n}"
        "_cm{n}_cn{n}[_fsk][_apre][_ps{n}]"
    ),
    start="flydsl_(?:mxfp8_128|mxfp8_32|blockscale)_bpreshuffle_(?:compute_)?wmma_",
    steps=(
        ("flydsl and mxfp8_128, mxfp8_32 or blockscale", "flydsl_(?P<scales>mxfp8_128|mxfp8_32|blockscale)_"),
        ("bpreshuffle", "bpreshuffle_"),
        ("wmma or compute_wmma", "(?:(?P<compute>compute)_)?wmma_"),
        ("t and the tile MxNxK", "t" + numbers("tile", 3)),
        ("mw and a number", f"mw(?P<mw>{POSITIVE})_"),
        ("nw and a number", f"nw(?P<nw>{POSITIVE})_"),
        ("nb and a number", f"nb(?P<nb>{POSITIVE})_"),
        ("sk and a number", f"sk(?P<sk>{POSITIVE})_"),
        ("cm and a number", f"cm(?P<cm>{POSITIVE})_"),
        ("cn and a number", rf"cn(?P<cn>{POSITIVE})(?=_|\Z)"),
        ("fsk, apre, ps and a number, or the end", rf"(?P<suffixes>(?:_(?:fsk|apre|ps{POSITIVE}))*)\Z"),
    ),
    build=_build,
)
