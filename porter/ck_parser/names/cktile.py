# SPDX-License-Identifier: Apache-2.0
"""Names of CK-Tile instances; those of 2025 carry a fourth flag, DoubleSmemBuffer, before the persistent one."""

from __future__ import annotations

from collections.abc import Mapping

from porter.ck_parser.instance import CkTileInstance, Scheduler
from porter.ck_parser.names.grammar import POSITIVE, Grammar, numbers, split_numbers
from porter.errors import KernelNameError


def _build(values: Mapping[str, str]) -> CkTileInstance:
    tile_m, tile_n, tile_k = split_numbers(values["tile"])
    warp_m, warp_n, warp_k = split_numbers(values["warp"])
    width_m, width_n, width_k = split_numbers(values["warp_tile"])
    double_smem_buffer = values.get("double_smem_buffer")
    instance = CkTileInstance(
        tile_mnk=(tile_m, tile_n, tile_k),
        warp_mnk=(warp_m, warp_n, warp_k),
        warp_tile_mnk=(width_m, width_n, width_k),
        scheduler=Scheduler(values["scheduler"]),
        tiled_mma_permute_n=values["permute_n"] == "1",
        transpose_c=values["transpose_c"] == "1",
        use_persistent_kernel=values["persistent"] == "1",
        block_per_cu=int(values["block_per_cu"]),
        aq_row_major="aqrm" in values,
        double_smem_buffer=None if double_smem_buffer is None else double_smem_buffer == "1",
    )
    if instance.contradiction:
        raise KernelNameError("CKP033", f"kernel name {instance.name!r}: {instance.contradiction}")
    return instance


GRAMMAR = Grammar(
    text=(
        "a8w8_blockscale_cktile_{tile MxNxK}_{warps MxNxK}_{warp tile MxNxK}_{intrawave|interwave|default}"
        "_{PermuteN}x{TransposeC}[x{DoubleSmemBuffer}]x{Persistent}_{BlockPerCu}[_aqrm]"
    ),
    start="a8w8_blockscale_cktile_",
    steps=(
        ("the prefix a8w8_blockscale_cktile", "a8w8_blockscale_cktile_"),
        ("M_Tile x N_Tile x K_Tile", numbers("tile", 3)),
        ("M_Warp x N_Warp x K_Warp", numbers("warp", 3)),
        ("M_Warp_Tile x N_Warp_Tile x K_Warp_Tile", numbers("warp_tile", 3)),
        ("the scheduler (intrawave, interwave or default)", "(?P<scheduler>intrawave|interwave|default)_"),
        (
            "three or four flags of 0 or 1 joined by x",
            "(?P<permute_n>[01])x(?P<transpose_c>[01])(?:x(?P<double_smem_buffer>[01]))?x(?P<persistent>[01])_",
        ),
        ("BlockPerCu", rf"(?P<block_per_cu>{POSITIVE})(?=_|\Z)"),
        ("the end of the name, or aqrm", r"(?:_(?P<aqrm>aqrm))?\Z"),
    ),
    build=_build,
)
