# SPDX-License-Identifier: Apache-2.0
"""Parameters by name to instances: the one place that knows which parameters make an instance.

Every form that spells parameters out (table rows, Python calls, C++ templates) gives them as text under aiter's names.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TypeVar

from porter.ck_parser.instance import CkInstance, CkTileInstance, Scheduler, XdlInstance
from porter.ck_parser.names.grammar import numbers, split_numbers
from porter.ck_parser.quoting import quote
from porter.ck_parser.table import CellError, required, size, word
from porter.problem import Family

I = TypeVar("I", bound=CkInstance)

#: aiter's parameters of an XDL instance, in the order of its `kernelInstance`.
XDL_PARAMETERS = (
    "BLOCK_SIZE",
    "ScaleBlockM",
    "ScaleBlockN",
    "ScaleBlockK",
    "MPerBLOCK",
    "NPerBLOCK",
    "KPerBLOCK",
    "AK1",
    "BK1",
    "MPerXDL",
    "NPerXDL",
    "WAVE_MAP_M",
    "WAVE_MAP_N",
    "ABLOCK_TRANSFER",
    "BBLOCK_TRANSFER",
    "CSHUFFLE_MX_PER_WAVE_PERSHUFFLE",
    "CSHUFFLE_NX_PER_WAVE_PERSHUFFLE",
    "CBLOCK_TRANSFER",
    "CBLOCK_SPV",
    "PIPELINE_Sched",
    "PIPELINE_VERSION",
)

#: aiter's parameters of a CK-Tile instance, in the order of its `TileKernelInstance`.
CKTILE_PARAMETERS = (
    "M_Tile",
    "N_Tile",
    "K_Tile",
    "M_Warp",
    "N_Warp",
    "K_Warp",
    "M_Warp_Tile",
    "N_Warp_Tile",
    "K_Warp_Tile",
    "Scheduler",
    "TiledMMAPermuteN",
    "TransposeC",
    "UsePersistentKernel",
    "BlockPerCu",
)

#: Parameters that only some generations of `TileKernelInstance` have.
CKTILE_OPTIONAL = ("AQRowMajor", "DoubleSmemBuffer")


def xdl_instance(values: Mapping[str, str], family: Family) -> XdlInstance:
    """The instance of these parameters; CellError CKP013, CKP014 or CKP015."""
    a0, a1, a2 = _cluster(values, "ABLOCK_TRANSFER", 3)
    b0, b1, b2 = _cluster(values, "BBLOCK_TRANSFER", 3)
    c0, c1, c2, c3 = _cluster(values, "CBLOCK_TRANSFER", 4)
    return XdlInstance(
        family=family,
        scale_block_mnk=(size(values, "ScaleBlockM"), size(values, "ScaleBlockN"), size(values, "ScaleBlockK")),
        block_size=size(values, "BLOCK_SIZE"),
        tile_mnk=(size(values, "MPerBLOCK"), size(values, "NPerBLOCK"), size(values, "KPerBLOCK")),
        ak1=size(values, "AK1"),
        bk1=size(values, "BK1"),
        xdl_mn=(size(values, "MPerXDL"), size(values, "NPerXDL")),
        xdl_per_wave_mn=(size(values, "WAVE_MAP_M"), size(values, "WAVE_MAP_N")),
        a_block_transfer=(a0, a1, a2),
        b_block_transfer=(b0, b1, b2),
        c_block_transfer=(c0, c1, c2, c3),
        c_block_spv=size(values, "CBLOCK_SPV"),
        cshuffle_xdl_per_wave_mn=(
            size(values, "CSHUFFLE_MX_PER_WAVE_PERSHUFFLE"),
            size(values, "CSHUFFLE_NX_PER_WAVE_PERSHUFFLE"),
        ),
        pipeline_sched=_scheduler(values, "PIPELINE_Sched"),
        pipeline_version=size(values, "PIPELINE_VERSION"),
    )


def cktile_instance(values: Mapping[str, str]) -> CkTileInstance:
    """The instance of these parameters; CellError CKP013, CKP014 or CKP015."""
    return CkTileInstance(
        tile_mnk=(size(values, "M_Tile"), size(values, "N_Tile"), size(values, "K_Tile")),
        warp_mnk=(size(values, "M_Warp"), size(values, "N_Warp"), size(values, "K_Warp")),
        warp_tile_mnk=(size(values, "M_Warp_Tile"), size(values, "N_Warp_Tile"), size(values, "K_Warp_Tile")),
        scheduler=_scheduler(values, "Scheduler"),
        tiled_mma_permute_n=_flag(values, "TiledMMAPermuteN"),
        transpose_c=_flag(values, "TransposeC"),
        use_persistent_kernel=_flag(values, "UsePersistentKernel"),
        block_per_cu=size(values, "BlockPerCu"),
        aq_row_major=values.get("AQRowMajor", "") != "" and _flag(values, "AQRowMajor"),
        double_smem_buffer=_flag(values, "DoubleSmemBuffer") if "DoubleSmemBuffer" in values else None,
    )


def possible(instance: I) -> I:
    """The instance itself; CellError CKP033 where it contradicts itself."""
    if instance.contradiction:
        raise CellError("CKP033", instance.contradiction)
    return instance


def _cluster(values: Mapping[str, str], column: str, count: int) -> tuple[int, ...]:
    """A thread cluster: `count` numbers joined by x."""
    cell = required(values, column)
    if not re.fullmatch(numbers("cluster", count, separator=""), cell):
        message = f"{column}: {quote(cell)} where {count} numbers joined by x were expected"
        raise CellError("CKP014", message, column)
    return split_numbers(cell)


def _scheduler(values: Mapping[str, str], column: str) -> Scheduler:
    required(values, column)
    return Scheduler(word(values, column, tuple(Scheduler)))


def _flag(values: Mapping[str, str], column: str) -> bool:
    """A truth value as Python or C++ writes it."""
    required(values, column)
    return word(values, column, ("true", "false", "1", "0")) in ("true", "1")
