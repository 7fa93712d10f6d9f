# SPDX-License-Identifier: Apache-2.0
"""Names of plain XDL instances; those of 2025 leave the wave map out."""

from __future__ import annotations

from functools import partial

from porter.ck_parser.names import xdl
from porter.ck_parser.names.grammar import Grammar, numbers
from porter.problem import Family

GRAMMAR = Grammar(
    text=(
        "a8w8_blockscale_{ScaleBlock MxNxK}_{BLOCK_SIZE}x{tile MxNxK}_{AK1}x{BK1}_{MPerXDL}x{NPerXDL}"
        "[_{MXdlPerWave}x{NXdlPerWave}]_" + xdl.TEXT_AFTER_WAVE_MAP
    ),
    start="a8w8_blockscale_(?!bpreshuffle_|cktile_)",
    steps=(
        ("the prefix a8w8_blockscale", "a8w8_blockscale_"),
        *xdl.BEFORE_WAVE_MAP,
        ("MXdlPerWave x NXdlPerWave", f"(?:{numbers('wave_map', 2)})?"),
        *xdl.AFTER_WAVE_MAP,
    ),
    build=partial(xdl.build, Family.PLAIN),
)
