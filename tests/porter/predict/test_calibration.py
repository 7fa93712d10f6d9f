# SPDX-License-Identifier: Apache-2.0
"""The committed models, against the rows that they were fitted to, and files that are none."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from porter.ck_parser import read_files
from porter.errors import InputError
from porter.predict import calibration
from porter.predict.fit import ENOUGH, groups
from porter.problem import GemmShape
from tests.porter.command import porter, valid


def test_the_committed_models_say_what_was_measured(real_data: Path) -> None:
    models = calibration.read()
    found = groups(read_files(sorted(map(str, (real_data / "aiter").glob("*_tuned_gemm*.csv")))).rows)
    assert len(found) == len(models.file.kernels)
    errors = []
    for rows in found:
        model = models.of(rows.gfx, rows.cu_num, rows.rows[0].kernel_name)
        assert model is not None and model.rows == len(rows.rows)
        assert all(model.seen(row.shape) for row in rows.rows)
        times = model.times([(row.shape, row.kbatch) for row in rows.rows])
        mine = np.abs(np.array(times) / rows.us - 1)
        assert np.median(mine) == pytest.approx(model.errors.fit, abs=2e-3)
        errors += mine.tolist() if len(rows.rows) >= ENOUGH else []
    assert np.median(errors) < 0.03, "of rows that were seen"


def test_every_model_carries_its_bar(repository: Path) -> None:
    models = calibration.read().file
    assert sum(source.rows for source in models.sources) == sum(model.rows for model in models.kernels)
    for model in models.kernels:
        assert model.errors.bar >= model.errors.p90 >= model.errors.median
        few = model.rows < ENOUGH
        assert not few or model.errors.bar > 0.15, "kin miss by more"
        for figure in (model.launch, model.fix, model.slope, model.bandwidth, model.rest):
            assert figure.low <= figure.value <= figure.high


def test_another_shape_is_extrapolated() -> None:
    (model,) = [item for item in calibration.read().file.kernels if item.rows > 10_000]
    assert model.seen(GemmShape(4096, 2048, 7168))
    assert not model.seen(GemmShape(4096, 2048, 10**6))


@pytest.mark.parametrize("text", ["", "{}", '{"schema": "porter/calibration/1"}', "[1]"])
def test_another_file_is_no_calibration(text: str, tmp_path: Path) -> None:
    (tmp_path / "c.json").write_text(text)
    with pytest.raises(InputError, match="CKF001"):
        calibration.read(tmp_path / "c.json")


def test_the_command_writes_what_it_prints(real_data: Path, repository: Path, tmp_path: Path) -> None:
    table = real_data / "aiter" / "a8w8_blockscale_bpreshuffle_tuned_gemm_dsv3.csv"
    out = tmp_path / "c.json"
    result = porter("predict", "--fit", table, "--out", out, "--format", "json")
    assert result.exit_code == 0
    printed = valid(result, "calibration", repository)
    assert printed == json.loads(out.read_text()) and printed["kernels"]
    assert calibration.read(out).file.sources[0].name == table.name


def test_a_table_without_times_writes_nothing(repository: Path, tmp_path: Path) -> None:
    out = tmp_path / "c.json"
    result = porter("predict", "--fit", repository / "examples" / "ck_instances.csv", "--out", out)
    assert result.exit_code == 2 and "CKF003" in result.output and not out.exists()
