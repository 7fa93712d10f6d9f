# SPDX-License-Identifier: Apache-2.0
"""Names of aiter's prebuilt assembly kernels: Itanium-mangled symbols, bpreshuffle only; MxN is the tile."""

from __future__ import annotations

from collections.abc import Mapping

from porter.ck_parser.names.grammar import POSITIVE, Grammar, OpaqueKernel
from porter.errors import KernelNameError
from porter.problem import Family


def _build(values: Mapping[str, str]) -> OpaqueKernel:
    symbol = values["name"].removeprefix(f"_ZN5aiter{values['length']}").removesuffix("E")
    if values["length"] != str(len(symbol)):
        right = f"_ZN5aiter{len(symbol)}{symbol}E"
        message = f"kernel name {right!r}: mangled length {values['length']} where {len(symbol)} was expected"
        raise KernelNameError("CKP033", message)
    return OpaqueKernel("asm", values["name"], Family.BPRESHUFFLE)


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
