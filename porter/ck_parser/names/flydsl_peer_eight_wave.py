# SPDX-License-Identifier: Apache-2.0
"""Names of a peer tuner's 8-wave FlyDSL kernels with fp32 block scales.

Source: docs/notes/downstream.md#names-of-other-tuners.

wpe: waves_per_eu; xcd: raster remap.
"""

from porter.ck_parser.names.grammar import NUMBER, Grammar, numbers, opaque
from porter.problem import Family

GRAMMAR = Grammar(
    text="flydsl8w_blockscale_bpreshuffle_{BLOCK_M}x{BLOCK_N}_wpe{n}_xcd{n}",
    start="flydsl8w_",
    steps=(
        ("the prefix flydsl8w_blockscale_bpreshuffle", "flydsl8w_blockscale_bpreshuffle_"),
        ("BLOCK_M x BLOCK_N", numbers("block", 2)),
        ("wpe and a number", f"wpe(?P<waves_per_eu>{NUMBER})_"),
        ("xcd and a number, and the end", rf"xcd(?P<xcd_remap>{NUMBER})\Z"),
    ),
    build=opaque("flydsl8w", Family.BPRESHUFFLE),
)
