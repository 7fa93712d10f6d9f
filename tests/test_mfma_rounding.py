# SPDX-License-Identifier: Apache-2.0
"""The example that asks hardware how an MFMA rounds, with the machine in the place of hardware."""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from oracle.machine import Mode, load
from oracle.verify import execute
from porter.measure.under_test import declared_under_test
from porter.toolchain import CompileRequest, KernelSource, compile_kernel


@pytest.fixture(scope="module")
def example(repository: Path) -> dict[str, Any]:
    return runpy.run_path(str(repository / "examples" / "mfma_rounding.py"))


def analyse(example: dict[str, Any], folder: Path, bits: torch.Tensor) -> int:
    np.savez(folder / "c.npz", c=bits.numpy(), device="gfx950")
    result: int = example["analyse"](str(folder / "c.npz"))
    return result


def test_the_capture_kernel_on_the_machine_rounds_as_the_contract_says(
    example: dict[str, Any], repository: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _, n, k = example["SIZES"]
    source = KernelSource.from_file(repository / "generated" / f"{example['CAPTURE']}.py")
    kernel = declared_under_test(compile_kernel(CompileRequest(source, n, k, "gfx950")))
    bits, _ = execute(kernel, load(kernel.isa, kernel.arch), example["problem"](), Mode())
    assert analyse(example, tmp_path, torch.from_numpy(bits.copy())) == 0
    assert "gfx950: one rounding for each instruction" in capsys.readouterr().out


def test_other_roundings_are_told_apart(
    example: dict[str, Any], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = example["by_element"](example["problem"]())
    assert analyse(example, tmp_path, other) == 1
    assert "gfx950: one rounding for each element" in capsys.readouterr().out
    assert example["shares"](other)["instruction"] < 0.3
    assert analyse(example, tmp_path, other ^ 1) == 1
    assert "gfx950: neither model" in capsys.readouterr().out
