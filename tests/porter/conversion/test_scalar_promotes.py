# SPDX-License-Identifier: Apache-2.0
"""Kernels without packed fp32: asked for by an option, proved as any other, and held to by `--check` and the gate."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import Result

from porter import manifest
from tests.porter.command import porter

SELECT = "*_dec_16x128*_ks1_*"


def convert(repository: Path, out: Path, *options: str) -> Result:
    rows = repository / "examples" / "ck_instances.csv"
    return porter("convert", rows, "--out", out, "--select", SELECT, "--census", *options)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, repository: Path) -> Path:
    out = tmp_path_factory.mktemp("scalar")
    assert convert(repository, out, "--scalar-promotes").exit_code == 0
    return out


def test_convert_writes_kernels_without_packed_fp32_where_it_is_told(folder: Path, repository: Path) -> None:
    assert convert(repository, folder, "--scalar-promotes", "--check").exit_code == 0
    assert convert(repository, folder, "--check").exit_code == 1
    (kernel,) = manifest.read(folder / "manifest.json").kernels
    assert kernel.census is not None
    valu = kernel.census.kernels[0].loop.valu
    assert valu["pk_fma"] == valu["pk_mul"] == 0 < valu["fma"]


def test_they_are_proved_as_any_other(folder: Path) -> None:
    options = ("--data", "general", "--shape", "17x256x768")
    verified = porter("verify", "--manifest", folder / "manifest.json", *options)
    assert verified.exit_code == 0, verified.output


def test_the_gate_takes_them_where_it_is_told(folder: Path, repository: Path, tmp_path: Path) -> None:
    rows = repository / "examples" / "ck_instances.csv"
    text = (
        f'[tool.porter]\ninputs = ["{rows}"]\nout = "{folder}"\nselect = ["{SELECT}"]\ncensus = true\n'
        'shapes = ["17x256x768"]\ndata = ["general", "cancel"]\nallow-missing = ["strength"]\n'
    )
    config = tmp_path / "pyproject.toml"
    config.write_text(f"{text}scalar-promotes = true\n")
    gate = porter("ci", "--config", config)
    assert gate.exit_code == 0, gate.output
