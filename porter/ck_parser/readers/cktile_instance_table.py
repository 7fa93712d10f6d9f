# SPDX-License-Identifier: Apache-2.0
"""Instance tables of CK-Tile kernels; their ids depend on the chip, which the file name tells."""

from __future__ import annotations

from porter.ck_parser.instance import CkTileInstance
from porter.ck_parser.readers.contents import FileContents, ReadOptions
from porter.ck_parser.readers.instance_list import flag, read_list, scheduler
from porter.ck_parser.table import read_header, size
from porter.ck_parser.text import Source

FORM = "CK-Tile instance table"

_COLUMNS = [
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
]


def recognises(path: str, head: str) -> bool:
    """A header with M_Tile."""
    return "M_Tile" in read_header(head)


def read(source: Source, options: ReadOptions) -> FileContents:
    """Read every instance."""
    return read_list(source, _COLUMNS, CkTileInstance, _build)


def _build(cells: dict[str, str], named: CkTileInstance) -> CkTileInstance:
    return CkTileInstance(
        tile_mnk=(size(cells, "M_Tile"), size(cells, "N_Tile"), size(cells, "K_Tile")),
        warp_mnk=(size(cells, "M_Warp"), size(cells, "N_Warp"), size(cells, "K_Warp")),
        warp_tile_mnk=(size(cells, "M_Warp_Tile"), size(cells, "N_Warp_Tile"), size(cells, "K_Warp_Tile")),
        scheduler=scheduler(cells, "Scheduler"),
        tiled_mma_permute_n=flag(cells, "TiledMMAPermuteN"),
        transpose_c=flag(cells, "TransposeC"),
        use_persistent_kernel=flag(cells, "UsePersistentKernel"),
        block_per_cu=size(cells, "BlockPerCu"),
        aq_row_major=cells.get("AQRowMajor", "") != "" and flag(cells, "AQRowMajor"),
        double_smem_buffer=flag(cells, "DoubleSmemBuffer") if "DoubleSmemBuffer" in cells else None,
    )
