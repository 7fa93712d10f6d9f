# SPDX-License-Identifier: Apache-2.0
"""Kernels that are wrong on one class of M, or of what a listed (N, K) alone shows: which run of a proof finds them."""

from __future__ import annotations

from pathlib import Path

import pytest

from porter.proof.plan import Job, Plan
from porter.proof.recipe import DEFAULT_DATA
from porter.proof.shapes import Depth, whole
from porter.proof.verify import prove_job
from tests.porter.kernels import rendered, written
from tests.porter.specs import DECODE

SCALE = "fx.Vector.filled(4, xs[mt] * ws, fx.Float32)"
#: The listed shape: fewer rows than a tile, so that only more of them are several workgroups high.
LISTED = (8, 640, 512)
TWICE = "fx.Vector.filled(4, xs[mt] * ws * {}.select(fx.Float32(2.0), fx.Float32(1.0)), fx.Float32)"
#: Depth of the run that must find it -> the promote's scale, and what becomes of the partial in front of it.
FAULTS = {
    "a number of rows that no boundary has": (Depth.ROWS, TWICE.format("(M % TILE_M == 7)"), "p"),
    "over 4096 rows": (Depth.FAR, TWICE.format("(M > 4096)"), "p"),
    "rows behind the first tile at a listed (N, K)": (Depth.LISTED, TWICE.format("(fx.block_idx.x >= 5)"), "p"),
    "the order of the promote at a listed (N, K)": (
        Depth.LISTED,
        "fx.Vector.filled(4, ws, fx.Float32)",
        "p * fx.Vector.filled(4, xs[mt], fx.Float32)",
    ),
}


@pytest.mark.parametrize("fault", ["none", *FAULTS])
def test_the_run_that_is_there_for_it_finds_it(fault: str, tmp_path: Path) -> None:
    depth, scale, partial = FAULTS.get(fault, (Depth.LISTED, SCALE, "p"))
    path = written(DECODE, tmp_path)
    text = rendered(DECODE)
    assert text.count(SCALE) == text.count("fx.math.fma(scale, p, acc)") == 1
    path.write_text(text.replace(SCALE, scale).replace("fma(scale, p,", f"fma(scale, {partial},"))
    (work,) = [work for work in whole(DECODE, [LISTED]) if any(run.depth is depth for run in work.runs)]
    job = Job(path, DECODE, work)
    outcome = prove_job(job, Plan((job,), DEFAULT_DATA[:1], 1, 180.0), 1)
    assert outcome.proved is (fault == "none"), outcome.error
    assert not outcome.error or fault == "none"
