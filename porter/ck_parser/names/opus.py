# SPDX-License-Identifier: Apache-2.0
"""Names of aiter's opus kernels of this family."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from porter.ck_parser.names.grammar import Grammar, numbers, split_numbers
from porter.problem import Family


@dataclass(frozen=True, slots=True)
class OpusKernel:
    """An opus kernel.

    arch: chip that it is written for; variant: tags between the family and the tile; block_size: work-items; tile_mnk,
    mfma_mnk and scale_block_mnk: elements; waves_mn: waves along M and N.
    """

    arch: str
    variant: str
    block_size: int
    tile_mnk: tuple[int, ...]
    waves_mn: tuple[int, ...]
    mfma_mnk: tuple[int, ...]
    scale_block_mnk: tuple[int, ...]

    @property
    def libtype(self) -> str:
        return "opus"

    @property
    def family(self) -> Family:
        return Family.BPRESHUFFLE

    @property
    def name(self) -> str:
        groups = ((self.block_size, *self.tile_mnk), self.waves_mn, self.mfma_mnk, self.scale_block_mnk)
        numbers_text = "_".join("x".join(map(str, group)) for group in groups)
        return f"opus_gemm_{self.arch}_a8w8_bs_bpreshuf_{self.variant}_{numbers_text}"


def _build(values: Mapping[str, str]) -> OpusKernel:
    block_size, *tile = split_numbers(values["block"])
    return OpusKernel(
        arch=values["arch"],
        variant=values["variant"],
        block_size=block_size,
        tile_mnk=tuple(tile),
        waves_mn=split_numbers(values["waves"]),
        mfma_mnk=split_numbers(values["mfma"]),
        scale_block_mnk=split_numbers(values["scale_block"]),
    )


GRAMMAR = Grammar(
    text="opus_gemm_{arch}_a8w8_bs_bpreshuf_{tags}_{threads}x{tile MxNxK}_{waves MxN}_{MFMA MxNxK}_{ScaleBlock MxNxK}",
    start="opus_gemm_",
    steps=(
        ("the prefix opus_gemm", "opus_gemm_"),
        ("the arch", "(?P<arch>gfx[0-9a-f]+)_"),
        ("the family a8w8_bs_bpreshuf", "a8w8_bs_bpreshuf_"),
        ("variant tags", "(?P<variant>[a-z][a-z0-9]*(?:_[a-z][a-z0-9]*)*)_"),
        ("BLOCK_SIZE and the tile MxNxK", numbers("block", 4)),
        ("the waves MxN", numbers("waves", 2)),
        ("the MFMA shape MxNxK", numbers("mfma", 3)),
        ("the scale block MxNxK and the end", numbers("scale_block", 3, separator=r"\Z")),
    ),
    build=_build,
)
