# SPDX-License-Identifier: Apache-2.0
"""The tokens that the plain and the bpreshuffle XDL names share, and the instance that they spell."""

from __future__ import annotations

from collections.abc import Mapping

from porter.ck_parser.instance import Scheduler, XdlInstance, assumed_xdl_per_wave
from porter.ck_parser.names.grammar import POSITIVE, numbers, split_numbers
from porter.errors import KernelNameError
from porter.problem import Family

#: From ScaleBlock to MPerXDL x NPerXDL.
BEFORE_WAVE_MAP: tuple[tuple[str, str], ...] = (
    ("ScaleBlockM x ScaleBlockN x ScaleBlockK", numbers("scale_block", 3)),
    ("BLOCK_SIZE x MPerBlock x NPerBlock x KPerBlock", numbers("block", 4)),
    ("AK1 x BK1", numbers("k1", 2)),
    ("MPerXDL x NPerXDL", numbers("xdl", 2)),
)

#: From the thread clusters to the end.
AFTER_WAVE_MAP: tuple[tuple[str, str], ...] = (
    ("the A thread cluster K0xMxK1", numbers("a_cluster", 3)),
    ("the B thread cluster K0xNxK1", numbers("b_cluster", 3)),
    ("the C thread cluster of four numbers", numbers("c_cluster", 4)),
    ("the C store vector CBLOCK_SPV", rf"(?P<c_vector>{POSITIVE})_"),
    ("CShuffle MXdlPerWave x NXdlPerWave", numbers("cshuffle", 2)),
    ("the scheduler (intrawave or interwave)", "(?P<scheduler>intrawave|interwave)_"),
    ("the pipeline version (v1 to v5) and the end", r"v(?P<version>[1-5])\Z"),
)

TEXT_AFTER_WAVE_MAP = (
    "{A cluster}_{B cluster}_{C cluster}_{CBLOCK_SPV}_{CShuffle MxN}_{intrawave|interwave}_v{pipeline}"
)


def build(family: Family, values: Mapping[str, str]) -> XdlInstance:
    """The instance that the tokens spell; KernelNameError CKP033 when they contradict each other."""
    block_size, *tile = split_numbers(values["block"])
    tile_m, tile_n, tile_k = tile
    ak1, bk1 = split_numbers(values["k1"])
    xdl_m, xdl_n = split_numbers(values["xdl"])
    scale_m, scale_n, scale_k = split_numbers(values["scale_block"])
    a0, a1, a2 = split_numbers(values["a_cluster"])
    b0, b1, b2 = split_numbers(values["b_cluster"])
    c0, c1, c2, c3 = split_numbers(values["c_cluster"])
    shuffle_m, shuffle_n = split_numbers(values["cshuffle"])
    version = int(values["version"])
    written = values.get("wave_map")
    if written:
        map_m, map_n = split_numbers(written)
    else:
        assumed = assumed_xdl_per_wave(family, block_size, (tile_m, tile_n), (xdl_m, xdl_n), version)
        if assumed is None:
            raise KernelNameError(
                "CKP033",
                f"kernel name: no layout of {block_size} threads in whole waves covers a {tile_m}x{tile_n} tile "
                f"with {xdl_m}x{xdl_n} MFMAs",
            )
        map_m, map_n = assumed
    instance = XdlInstance(
        family=family,
        scale_block_mnk=(scale_m, scale_n, scale_k),
        block_size=block_size,
        tile_mnk=(tile_m, tile_n, tile_k),
        ak1=ak1,
        bk1=bk1,
        xdl_mn=(xdl_m, xdl_n),
        xdl_per_wave_mn=(map_m, map_n),
        a_block_transfer=(a0, a1, a2),
        b_block_transfer=(b0, b1, b2),
        c_block_transfer=(c0, c1, c2, c3),
        c_block_spv=int(values["c_vector"]),
        cshuffle_xdl_per_wave_mn=(shuffle_m, shuffle_n),
        pipeline_sched=Scheduler(values["scheduler"]),
        pipeline_version=version,
        wave_map_assumed=not written,
    )
    if instance.contradiction:
        raise KernelNameError("CKP033", f"kernel name {instance.name!r}: {instance.contradiction}")
    return instance
