# SPDX-License-Identifier: Apache-2.0
"""Instance tables of CK's XDL device operations, plain and bpreshuffle."""

from __future__ import annotations

from porter.ck_parser.instance import XdlInstance
from porter.ck_parser.readers.contents import FileContents, ReadOptions
from porter.ck_parser.readers.instance_list import cluster, read_list, scheduler
from porter.ck_parser.table import read_header, size
from porter.ck_parser.text import Source

FORM = "XDL instance table"

_COLUMNS = [
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
]


def recognises(path: str, head: str) -> bool:
    """A header with BLOCK_SIZE."""
    return "BLOCK_SIZE" in read_header(head)


def read(source: Source, options: ReadOptions) -> FileContents:
    """Read every instance."""
    return read_list(source, _COLUMNS, XdlInstance, _build)


def _build(cells: dict[str, str], named: XdlInstance) -> XdlInstance:
    a0, a1, a2 = cluster(cells, "ABLOCK_TRANSFER", 3)
    b0, b1, b2 = cluster(cells, "BBLOCK_TRANSFER", 3)
    c0, c1, c2, c3 = cluster(cells, "CBLOCK_TRANSFER", 4)
    return XdlInstance(
        family=named.family,
        scale_block_mnk=(size(cells, "ScaleBlockM"), size(cells, "ScaleBlockN"), size(cells, "ScaleBlockK")),
        block_size=size(cells, "BLOCK_SIZE"),
        tile_mnk=(size(cells, "MPerBLOCK"), size(cells, "NPerBLOCK"), size(cells, "KPerBLOCK")),
        ak1=size(cells, "AK1"),
        bk1=size(cells, "BK1"),
        xdl_mn=(size(cells, "MPerXDL"), size(cells, "NPerXDL")),
        xdl_per_wave_mn=(size(cells, "WAVE_MAP_M"), size(cells, "WAVE_MAP_N")),
        a_block_transfer=(a0, a1, a2),
        b_block_transfer=(b0, b1, b2),
        c_block_transfer=(c0, c1, c2, c3),
        c_block_spv=size(cells, "CBLOCK_SPV"),
        cshuffle_xdl_per_wave_mn=(
            size(cells, "CSHUFFLE_MX_PER_WAVE_PERSHUFFLE"),
            size(cells, "CSHUFFLE_NX_PER_WAVE_PERSHUFFLE"),
        ),
        pipeline_sched=scheduler(cells, "PIPELINE_Sched"),
        pipeline_version=size(cells, "PIPELINE_VERSION"),
    )
