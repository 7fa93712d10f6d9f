# SPDX-License-Identifier: Apache-2.0
"""Names of a peer tuner's 4-wave FlyDSL kernels with fp32 block scales.

Source: docs/notes/downstream.md#names-of-other-tuners.

csh: the epilogue goes through LDS; async: A goes to LDS by DMA; wpe: waves_per_eu, 0 = no hint; xcd: raster group
height, 0 = off; fp: the promote is fused.
"""

from porter.ck_parser.names.grammar import NUMBER, POSITIVE, Grammar, numbers, opaque
from porter.problem import Family

GRAMMAR = Grammar(
    text="flydsl_blockscale_bpreshuffle_{tile MxNxK}_sbk{n}_{csh}x{async}x{wpe}x{xcd}x{fp}",
    start="flydsl_blockscale_bpreshuffle_(?!(?:compute_)?wmma_|[0-9x]*_(?:F8_|sbk[0-9]*_B16_))",
    steps=(
        ("the prefix flydsl_blockscale_bpreshuffle", "flydsl_blockscale_bpreshuffle_"),
        ("the tile MxNxK", numbers("tile", 3)),
        ("sbk and a number", f"sbk(?P<scale_block_k>{POSITIVE})_"),
        (
            "{csh}x{async}x{wpe}x{xcd}x{fp} and the end",
            rf"(?P<cshuffle>[01])x(?P<async_copy>[01])x(?P<waves_per_eu>{NUMBER})x(?P<xcd_swizzle>{NUMBER})"
            r"x(?P<fused_promote>[01])\Z",
        ),
    ),
    build=opaque("flydsl", Family.BPRESHUFFLE),
)
