# SPDX-License-Identifier: Apache-2.0
"""Names of an older aiter branch's 4-wave FlyDSL kernels with fp32 block scales.

Source: docs/notes/downstream.md#names-of-other-tuners.

csh: the epilogue goes through LDS; async: A goes to LDS by DMA; wpe: waves_per_eu, 0 = no hint; xcd: raster group
height.
"""

from porter.ck_parser.names.grammar import NUMBER, POSITIVE, Grammar, numbers, opaque
from porter.problem import Family

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
    build=opaque("flydsl", Family.BPRESHUFFLE),
)
