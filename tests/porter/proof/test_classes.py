# SPDX-License-Identifier: Apache-2.0
"""Kernels that are wrong on one class of M, or of what a listed (N, K) alone shows: which run of a proof finds them."""

from __future__ import annotations

from pathlib import Path

import pytest

from porter.proof.plan import Job, ProofPlan
from porter.proof.recipe import DEFAULT_DATA
from porter.proof.shapes import Depth, whole
from porter.proof.verify import prove_job
from tests.porter.kernels import written
from tests.porter.proof.test_planted import DOUBLED
from tests.porter.specs import DECODE

#: The listed shape: fewer rows than a tile, so that only more of them are several workgroups high.
LISTED = (8, 640, 512)


def doubled(condition: str) -> dict[str, str]:
    return {"_store.py": DOUBLED.replace("FACTOR", f"({condition}).select(fx.Float32(2.0), fx.Float32(1.0))")}


#: Depth of the run that must find it -> what is planted in the blocks.
FAULTS = {
    "a number of rows that no boundary has": (Depth.ROWS, doubled("tile.M % g.tile_m == 7")),
    "over 4096 rows": (Depth.FAR, doubled("tile.M > 4096")),
    "rows behind the first tile at a listed (N, K)": (Depth.LISTED, doubled("fx.block_idx.x >= 5")),
    "the order of the promote at a listed (N, K)": (
        Depth.LISTED,
        {"_promote.py": '_PROMOTES["ck", "packed"] = CkTilePromote\n'},
    ),
}


@pytest.mark.parametrize("fault", ["none", *FAULTS])
def test_the_run_that_is_there_for_it_finds_it(fault: str, tmp_path: Path) -> None:
    depth, more = FAULTS.get(fault, (Depth.LISTED, {}))
    path = written(DECODE, tmp_path, more=more)
    (work,) = [work for work in whole(DECODE, [LISTED]) if any(run.depth is depth for run in work.runs)]
    job = Job(path, DECODE, work)
    outcome = prove_job(job, ProofPlan((job,), DEFAULT_DATA[:1], 1, 180.0), 1)
    assert outcome.proved is (fault == "none"), outcome.error
    assert not outcome.error or fault == "none"


_COLUMNS_FIRST = """
def tile_of(g, M, workgroup):
    grid_m = (M + (g.tile_m - 1)) // g.tile_m
    return workgroup % grid_m, workgroup // grid_m
"""


def test_a_kernel_of_another_raster_than_its_name_has_is_told_so(tmp_path: Path) -> None:
    path = written(DECODE, tmp_path, more={"_raster.py": _COLUMNS_FIRST})
    (work,) = [work for work in whole(DECODE, [LISTED]) if (work.n, work.k) == LISTED[1:]]
    job = Job(path, DECODE, work)
    outcome = prove_job(job, ProofPlan((job,), DEFAULT_DATA[:1], 1, 180.0), 1)
    one_tile, several = outcome.cases
    assert one_tile.proved and not several.proved
    assert any("for the workgroups that the raster of its name gives" in text for text in outcome.details)
