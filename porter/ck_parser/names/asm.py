# SPDX-License-Identifier: Apache-2.0
"""Names of aiter's prebuilt assembly kernels: Itanium-mangled symbols, bpreshuffle only."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from porter.ck_parser.names.grammar import POSITIVE, Grammar
from porter.errors import KernelNameError
from porter.problem import Family


@dataclass(frozen=True, slots=True)
class AsmKernel:
    """`fp8gemm_{out_dtype}_blockscale_BpreShuffle_{M}x{N}` in namespace aiter; tile_mn: elements per workgroup."""

    out_dtype: str
    tile_mn: tuple[int, int]

    @property
    def libtype(self) -> str:
        return "asm"

    @property
    def family(self) -> Family:
        return Family.BPRESHUFFLE

    @property
    def name(self) -> str:
        symbol = f"fp8gemm_{self.out_dtype}_blockscale_BpreShuffle_{self.tile_mn[0]}x{self.tile_mn[1]}"
        return f"_ZN5aiter{len(symbol)}{symbol}E"


def _build(values: Mapping[str, str]) -> AsmKernel:
    kernel = AsmKernel(values["out_dtype"], (int(values["tile_m"]), int(values["tile_n"])))
    right = kernel.name.removeprefix("_ZN5aiter").split("fp8gemm", 1)[0]
    if values["length"] != right:
        message = f"kernel name {kernel.name!r}: mangled length {values['length']} where {right} was expected"
        raise KernelNameError("CKP033", message)
    return kernel


GRAMMAR = Grammar(
    text="_ZN5aiter{length}fp8gemm_{bf16|fp16}_blockscale_BpreShuffle_{M}x{N}E",
    start="_ZN5aiter[0-9]+fp8gemm_",
    steps=(
        ("namespace aiter and the symbol's length", "_ZN5aiter(?P<length>[1-9][0-9]{0,3})"),
        ("fp8gemm", "fp8gemm_"),
        ("the output dtype (bf16 or fp16)", "(?P<out_dtype>bf16|fp16)_"),
        ("blockscale_BpreShuffle", "blockscale_BpreShuffle_"),
        ("the tile MxN and E", rf"(?P<tile_m>{POSITIVE})x(?P<tile_n>{POSITIVE})E\Z"),
    ),
    build=_build,
)
