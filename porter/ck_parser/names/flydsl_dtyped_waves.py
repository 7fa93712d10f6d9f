# SPDX-License-Identifier: Apache-2.0
"""Names of aiter's 4- and 8-wave FlyDSL block-scale tune space for CDNA, which write the dtypes out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from porter.ck_parser.names.grammar import POSITIVE, Grammar, numbers, split_numbers
from porter.problem import Family


@dataclass(frozen=True, slots=True)
class DtypedWavesKernel:
    """A kernel of 4 or 8 waves; None: older names leave the knob out.

    tile_mnk: elements per workgroup; scale_block_k: elements of K per scale; async_copy: A goes to LDS by DMA;
    cshuffle: the epilogue goes through LDS.
    """

    tile_mnk: tuple[int, ...]
    dtypes: str
    scale_block_k: int
    scheduler: str
    waves: int | None
    async_copy: bool | None
    cshuffle: bool | None

    @property
    def libtype(self) -> str:
        return "flydsl"

    @property
    def family(self) -> Family:
        return Family.BPRESHUFFLE

    @property
    def name(self) -> str:
        waves = "" if self.waves is None else f"_w{self.waves}"
        copy = "" if self.async_copy is None else f"_ac{self.async_copy:d}"
        shuffle = "" if self.cshuffle is None else f"_cs{self.cshuffle:d}"
        return (
            f"flydsl_blockscale_bpreshuffle_{'x'.join(map(str, self.tile_mnk))}_{self.dtypes}_sbk{self.scale_block_k}"
            f"_{self.scheduler}{waves}{copy}{shuffle}"
        )


def _build(values: Mapping[str, str]) -> DtypedWavesKernel:
    return DtypedWavesKernel(
        tile_mnk=split_numbers(values["tile"]),
        dtypes=values["dtypes"],
        scale_block_k=int(values["scale_block_k"]),
        scheduler=values["scheduler"],
        waves=int(values["waves"]) if "waves" in values else None,
        async_copy=values["async_copy"] == "1" if "async_copy" in values else None,
        cshuffle=values["cshuffle"] == "1" if "cshuffle" in values else None,
    )


GRAMMAR = Grammar(
    text="flydsl_blockscale_bpreshuffle_{tile MxNxK}_F8_F8_{B16|F16}_sbk{n}_{scheduler}[_w{n}][_ac{b}][_cs{b}]",
    start="flydsl_blockscale_bpreshuffle_[0-9x]*_F8_",
    steps=(
        ("the prefix flydsl_blockscale_bpreshuffle", "flydsl_blockscale_bpreshuffle_"),
        ("the tile MxNxK", numbers("tile", 3)),
        ("the dtypes F8_F8_B16 or F8_F8_F16", "(?P<dtypes>F8_F8_(?:B16|F16))_"),
        ("sbk and a number", f"sbk(?P<scale_block_k>{POSITIVE})_"),
        ("the scheduler", r"(?P<scheduler>[a-z]+)(?=_|\Z)"),
        (
            "w and a number, ac and a flag, cs and a flag, or the end",
            r"(?:_w(?P<waves>[1-9]))?(?:_ac(?P<async_copy>[01]))?(?:_cs(?P<cshuffle>[01]))?\Z",
        ),
    ),
    build=_build,
)
