# SPDX-License-Identifier: Apache-2.0
"""Names of aiter's gfx950 FlyDSL kernels with E8M0 block scales: scaled MFMA, different numbers from fp32 scales.

wpe: waves_per_eu; xcd: raster swizzle; 0 = off.
"""

from porter.ck_parser.names.grammar import NUMBER, Grammar, numbers, opaque
from porter.problem import Family

GRAMMAR = Grammar(
    text="flydsl_mxfp8_128_bpreshuffle_mfma_t{tile MxNxK}_wpe{n}_xcd{n}",
    start="flydsl_mxfp8_128_bpreshuffle_mfma_",
    steps=(
        ("the prefix flydsl_mxfp8_128_bpreshuffle_mfma", "flydsl_mxfp8_128_bpreshuffle_mfma_"),
        ("t and the tile MxNxK", "t" + numbers("tile", 3)),
        ("wpe and a number", f"wpe(?P<waves_per_eu>{NUMBER})_"),
        ("xcd and a number, and the end", rf"xcd(?P<xcd_swizzle>{NUMBER})\Z"),
    ),
    build=opaque("flydsl", Family.BPRESHUFFLE),
)
