# SPDX-License-Identifier: Apache-2.0
"""Names of bpreshuffle XDL instances; they never carry the wave map."""

from __future__ import annotations

from functools import partial

from porter.ck_parser.names import xdl
from porter.ck_parser.names.grammar import Grammar
from porter.problem import Family

GRAMMAR = Grammar(
    text=(
        "a8w8_blockscale_bpreshuffle_{ScaleBlock MxNxK}_{BLOCK_SIZE}x{tile MxNxK}_{AK1}x{BK1}_{MPerXDL}x{NPerXDL}_"
        + xdl.TEXT_AFTER_WAVE_MAP
    ),
    start="a8w8_blockscale_bpreshuffle_",
    steps=(
        ("the prefix a8w8_blockscale_bpreshuffle", "a8w8_blockscale_bpreshuffle_"),
        *xdl.BEFORE_WAVE_MAP,
        *xdl.AFTER_WAVE_MAP,
    ),
    build=partial(xdl.build, Family.BPRESHUFFLE),
)
