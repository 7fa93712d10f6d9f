# SPDX-License-Identifier: Apache-2.0
"""Models of times: what is put in comes out, errors are of what a fit did not see, and kin help those with few rows."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import numpy as np
import pytest

from porter.ck_parser import TunedRow, read_files
from porter.predict import fit
from porter.predict.model import Constants, Work, microseconds
from porter.problem import GemmShape

TRUTH = Constants(5.0, 1.2, 0.6, 3.5, 0.6)
TILE, CUS = (64, 64, 256), 256
KERNEL = "a8w8_blockscale_1x128x128_256x64x64x256_16x16_32x32_1x1_16x16x1_16x16x1_1x32x1x8_8_1x1_intrawave_v1"
KIN = KERNEL.replace("64x64x256", "64x128x256").replace("1x1_16x16x1", "2x1_16x16x1")
HEADER = "gfx,cu_num,M,N,K,libtype,kernelId,splitK,us,kernelName,errRatio"


def times(shapes: list[GemmShape], tile: tuple[int, int, int] = TILE, truth: Constants = TRUTH) -> list[float]:
    return list(microseconds(truth.values, Work.of([(shape, 1) for shape in shapes], tile, CUS)))


def shapes(ms: tuple[int, ...] = (16, 64, 200, 512, 1000, 2048, 4096, 8192)) -> list[GemmShape]:
    bs = ((512, 7168), (2048, 7168), (7168, 768), (7168, 2304), (4608, 7168), (1536, 2048), (24576, 1536), (1024, 512))
    return [GemmShape(m, n, k) for m, (n, k) in product(ms, bs)]


def rows(path: Path, text: list[tuple[GemmShape, float, str]]) -> list[TunedRow]:
    lines = [f"gfx950,{CUS},{s.m},{s.n},{s.k},ck,0,0,{us},{kernel},0" for s, us, kernel in text]
    path.write_text("\n".join((HEADER, *lines)) + "\n")
    found = read_files([str(path)])
    assert not found.bad and not found.unsupported
    return [*found.rows]


def noisy(of: list[float], sigma: float) -> list[float]:
    return [
        us * factor for us, factor in zip(of, np.exp(np.random.default_rng(3).normal(0, sigma, len(of))), strict=True)
    ]


def test_constants_come_back_from_noisy_times(tmp_path: Path) -> None:
    measured = noisy(times(shapes()), 0.02)
    table = rows(tmp_path / "t.csv", [(s, us, KERNEL) for s, us in zip(shapes(), measured, strict=True)])
    (found,) = fit.fit(fit.groups(table))
    assert found.constants.values == pytest.approx(TRUTH.values, rel=0.15)
    assert found.median < 0.03 and found.p90 < 0.06 and found.bar == found.p90
    inside = [
        low <= true <= high for low, true, high in zip(found.low.values, TRUTH.values, found.high.values, strict=True)
    ]
    assert sum(inside) >= 3, "intervals of 80 %"


def test_errors_are_of_shapes_that_a_fit_did_not_see(tmp_path: Path) -> None:
    """A shape of B that takes twice as long than any model says stands out, whatever the fit makes of it."""
    odd = {(7168, 768)}
    doubled = [us * (2 if (s.n, s.k) in odd else 1) for s, us in zip(shapes(), times(shapes()), strict=True)]
    table = rows(tmp_path / "t.csv", [(s, us, KERNEL) for s, us in zip(shapes(), doubled, strict=True)])
    (found,) = fit.fit(fit.groups(table))
    of_odd = np.array([(row.shape.n, row.shape.k) in odd for row in found.of.rows])
    assert found.errors[of_odd] == pytest.approx(0.5, abs=0.1)
    assert np.median(found.errors[~of_odd]) < 0.05


def test_kin_help_a_kernel_with_few_rows(tmp_path: Path) -> None:
    """Three rows of one B cannot tell launch from loop; the pipeline's other kernel, and what a request costs, can."""
    few = shapes((512, 1000, 2048))[:1] + shapes((1000, 2048))[:1]
    other = Constants(5.0, 1.2, 0.6 * fit.requests(_instance(KIN)) / fit.requests(_instance(KERNEL)), 3.5, 0.6)
    of_kin = times(shapes(), (64, 128, 256), other)
    text = [(s, us, KIN) for s, us in zip(shapes(), of_kin, strict=True)]
    text += [(s, us, KERNEL) for s, us in zip(few, times(few), strict=True)]
    large, small = fit.fit(fit.groups(rows(tmp_path / "t.csv", text)))
    assert len(large.of.rows) > len(small.of.rows) == 2
    unseen = shapes()
    said = microseconds(small.constants.values, Work.of([(s, 1) for s in unseen], TILE, CUS))
    assert np.median(np.abs(said / np.array(times(unseen)) - 1)) < 0.1
    assert small.bar >= small.p90


def test_rows_without_time_or_that_fail_are_left_out(tmp_path: Path) -> None:
    text = [HEADER, f"gfx950,256,16,512,7168,ck,0,0,5.5,{KERNEL},0.9", f"gfx950,256,32,512,7168,ck,0,0,0,{KERNEL},0"]
    path = tmp_path / "t.csv"
    path.write_text("\n".join(text) + "\n")
    assert fit.groups(read_files([str(path)]).rows) == []


def _instance(name: str) -> fit.CkInstance:
    from porter.ck_parser import CkInstance, parse_kernel_name

    kernel = parse_kernel_name(name)
    assert isinstance(kernel, CkInstance)
    return kernel


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("a8w8_blockscale_1x128x128_256x128x128x128_16x16_32x32_2x2_8x32x1_8x32x1_1x32x1x8_8_1x1_intrawave_v3", 768),
        (KERNEL, 640),
        (
            "a8w8_blockscale_bpreshuffle_1x128x128_256x64x256x128_16x16_16x16_8x32x1_8x32x1_1x32x1x8_8_2x1_intrawave_v1",
            640,
        ),
    ],
)
def test_requests_are_those_that_were_counted(name: str, expected: int) -> None:
    """772, 644 and 664 were counted in all: a few contiguous scales are left out."""
    assert fit.requests(_instance(name)) == expected
