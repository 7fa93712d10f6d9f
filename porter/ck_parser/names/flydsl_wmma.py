# SPDX-License-Identifier: Apache-2.0
"""Names of aiter's gfx1250 FlyDSL kernels: E8M0 block scales and WMMA, a different machine and different numbers.

mxfp8_128 and mxfp8_32: E8M0 per 128 or 32 elements of K; mw, nw: waves along M and N; nb: LDS stages; sk: K slices;
cm, cn: workgroups of a cluster.
"""

from porter.ck_parser.names.grammar import POSITIVE, Grammar, numbers, opaque
from porter.problem import Family

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
    build=opaque("flydsl", Family.BPRESHUFFLE),
)
