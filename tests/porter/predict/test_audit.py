# SPDX-License-Identifier: Apache-2.0
"""Rows that look mistuned: one planted fault of each kind is found, and a table that obeys its model has none."""

from __future__ import annotations

from pathlib import Path

import pytest

from porter.ck_parser import read_files
from porter.predict import calibration
from porter.predict.audit import AuditOutput, audit
from porter.predict.calibration import KernelModel
from porter.problem import GemmShape
from tests.porter.command import porter, valid

HEADER = "gfx,cu_num,M,N,K,libtype,kernelId,splitK,us,kernelName,errRatio"
MS = (256, 512, 1024, 2048, 4096)


@pytest.fixture(scope="module")
def model() -> KernelModel:
    (found,) = [item for item in calibration.read().file.kernels if item.rows > 10_000]
    return found


def table(path: Path, model: KernelModel, factors: dict[int, float], more: tuple[str, ...] = ()) -> AuditOutput:
    """Rows whose times are the model's, times a factor for some M."""
    times = model.times([(GemmShape(m, 4608, 7168), 1) for m in MS])
    lines = [
        f"gfx950,256,{m},4608,7168,ck,0,0,{us * factors.get(m, 1)},{model.kernel},0"
        for m, us in zip(MS, times, strict=True)
    ]
    path.write_text("\n".join((HEADER, *lines, *more)) + "\n")
    return audit(read_files([str(path)]), calibration.read())


def test_times_of_the_model_are_well(model: KernelModel, tmp_path: Path) -> None:
    found = table(tmp_path / "t.csv", model, {})
    assert found.judged == found.rows == len(MS)
    assert [item for item in found.findings if item.code != "CKF102"] == []


def test_a_disturbed_measurement_stands_out(model: KernelModel, tmp_path: Path) -> None:
    found = table(tmp_path / "t.csv", model, {1024: 1.6})
    own = [item for item in found.findings if item.code == "CKF101"]
    assert [(item.m, item.line) for item in own] == [(1024, 4)]
    assert own[0].ratio == pytest.approx(1.6, rel=0.01)


def test_a_row_slower_than_a_larger_one_stands_out(model: KernelModel, tmp_path: Path) -> None:
    found = table(tmp_path / "t.csv", model, {256: 20.0})
    assert {item.m for item in found.findings if item.code == "CKF104"} == {256}


def test_two_measurements_that_differ_stand_out(model: KernelModel, tmp_path: Path) -> None:
    (us,) = model.times([(GemmShape(512, 4608, 7168), 1)])
    again = f"gfx950,256,512,4608,7168,ck,0,0,{us * 1.5},{model.kernel},0"
    found = table(tmp_path / "t.csv", model, {}, (again,))
    assert [(item.code, item.line) for item in found.findings if item.code == "CKF103"] == [("CKF103", 7)]


def test_a_kernel_too_large_for_its_shape_stands_out(tmp_path: Path) -> None:
    """96 rows in one tile of 128, at what its own model says: kernels with more workgroups promise far less."""
    (large,) = [item for item in calibration.read().file.kernels if item.rows > 10_000]
    shape = GemmShape(large.m.low, 512, 7168)
    (us,) = large.times([(shape, 1)])
    (tmp_path / "t.csv").write_text(f"{HEADER}\ngfx950,256,{shape.m},512,7168,ck,0,0,{us},{large.kernel},0\n")
    found = audit(read_files([str(tmp_path / "t.csv")]), calibration.read())
    assert found.judged == 1
    assert [item.code for item in found.findings] == ["CKF102"]


def test_the_command(real_data: Path, repository: Path) -> None:
    path = real_data / "aiter" / "dsv4_a8w8_blockscale_bpreshuffle_tuned_gemm.csv"
    result = porter("audit", path, "--format", "json", "--strict")
    found = valid(result, "audit", repository)
    assert result.exit_code == 1
    known = [item for item in found["findings"] if (item["m"], item["n"], item["k"]) == (608, 7168, 768)]
    assert {item["code"] for item in known} >= {"CKF102", "CKF104"}, "36.0 us, where M = 640 takes 13.3"
    assert porter("audit", path).exit_code == 0
