# SPDX-License-Identifier: Apache-2.0
"""The machine and a second interpreter, written apart from it, give the same bits for whole kernels."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any, cast

import numpy as np
import pytest

from oracle.datasets import dataset
from oracle.machine import Mode, load
from oracle.verify import execute, expected_bits
from porter.kernel_spec import KernelSpec
from porter.measure import under_test as proving
from tests.oracle.machine.numpy_interpreter import Interpreter
from tests.porter.kernels import compiled
from tests.porter.specs import DECODE, EIGHT_WAVE, FOUR_WAVE, FOUR_WAVE_PLAIN, VARIED

OLDER = [spec for spec in VARIED if spec.arch == "gfx942"]
#: One of each core and architecture; split K has two launches and a workspace.
KERNELS = [
    FOUR_WAVE,
    replace(FOUR_WAVE_PLAIN, out_dtype="fp16"),
    EIGHT_WAVE,
    replace(DECODE, split_k=2),
    next(spec for spec in OLDER if spec.core is FOUR_WAVE.core),
    next(spec for spec in OLDER if spec.core is DECODE.core),
]


@pytest.mark.parametrize("spec", KERNELS, ids=lambda spec: spec.name)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_two_interpreters_give_the_same_bits(spec: KernelSpec, tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PORTER_CACHE_DIR", str(tmp_path))
    n, k, m = spec.tile_n, 384, spec.tile_m + 5
    kernel = proving.under_test(spec, compiled(spec, n, k))
    program = load(kernel.isa, kernel.arch)
    slow = cast("Any", Interpreter(program))
    for data in ("general", "wide"):
        problem = dataset(data, m, n, k, kernel.flavour, kernel.scale_block_m, 7)
        expected, _ = execute(kernel, slow, problem, Mode())
        assert len(np.unique(expected)) > (500 if data == "general" else 5)
        assert np.array_equal(expected, expected_bits(kernel, problem))
        for mode in (Mode(dot="double"), Mode(landing="late", wave_order="descending", checks=True)):
            actual, _ = execute(kernel, program, problem, mode)
            assert np.array_equal(actual, expected), np.argwhere(actual != expected)[:5]


def test_a_changed_kernel_gives_other_bits(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    # The comparison can fail: an operand swapped in the text that only one of them runs.
    monkeypatch.setenv("PORTER_CACHE_DIR", str(tmp_path))
    kernel = proving.under_test(DECODE, compiled(DECODE, DECODE.tile_n, 256))
    problem = dataset("general", 16, DECODE.tile_n, 256, kernel.flavour, kernel.scale_block_m, 7)
    swapped = re.sub(r"(v_cvt_pk_bf16_f32 v\d+), (v\d+), (v\d+)", r"\1, \3, \2", kernel.isa, count=1)
    assert swapped != kernel.isa
    expected, _ = execute(kernel, load(kernel.isa), problem, Mode())
    actual, _ = execute(kernel, cast("Any", Interpreter(load(swapped))), problem, Mode())
    assert 0 < np.count_nonzero(actual != expected) < actual.size
