# SPDX-License-Identifier: Apache-2.0
"""Kernels without packed fp32: asked for by an option, proved as any other, and held to by `--check` and the gate."""

from __future__ import annotations

import json
from pathlib import Path

from tests.porter.command import porter

SELECTED = ("--select", "*_dec_16x128*_ks1_*")


def test_kernels_with_scalar_promotes_are_kernels_in_use(tmp_path: Path, repository: Path) -> None:
    rows = repository / "examples" / "ck_instances.csv"
    convert = ("convert", rows, "--out", tmp_path, *SELECTED)
    assert porter(*convert, "--census", "--scalar-promotes").exit_code == 0
    assert porter(*convert, "--census", "--scalar-promotes", "--check").exit_code == 0
    assert porter(*convert, "--census", "--check").exit_code == 1
    (kernel,) = json.loads((tmp_path / "manifest.json").read_text())["kernels"]
    valu = kernel["census"]["kernels"][0]["loop"]["valu"]
    assert valu["pk_fma"] == valu["pk_mul"] == 0 < valu["fma"]
    options = ("--data", "general", "--shape", "17x256x768")
    verified = porter("verify", "--manifest", tmp_path / "manifest.json", *options)
    assert verified.exit_code == 0, verified.output
    (tmp_path / "pyproject.toml").write_text(
        f'[tool.porter]\ninputs = ["{rows}"]\nout = "."\nselect = ["{SELECTED[1]}"]\ncensus = true\n'
        'scalar-promotes = true\nshapes = ["17x256x768"]\ndata = ["general", "cancel"]\nallow-missing = ["strength"]\n'
    )
    gate = porter("ci", "--config", tmp_path / "pyproject.toml")
    assert gate.exit_code == 0, gate.output
