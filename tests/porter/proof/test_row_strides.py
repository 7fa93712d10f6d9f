# SPDX-License-Identifier: Apache-2.0
"""Padded rows of A and of plain B: every bit as the contract says, with fp8 NaN between the rows."""

from __future__ import annotations

from dataclasses import replace

import pytest

from oracle.machine import Mode
from oracle.verify import Case, CaseResult, prove
from porter.errors import ToolchainError
from porter.kernel_spec import Core, KernelSpec
from porter.problem import Family
from porter.proof.kernels import under_test
from porter.toolchain import CompileRequest, compile_kernel
from tests.porter.kernels import rendered, source
from tests.porter.specs import DECODE, EIGHT_WAVE, FOUR_WAVE, FOUR_WAVE_PLAIN

K, A_STRIDE, B_STRIDE = 384, 384 + 16, 384 + 256  # 256: what vLLM pads weights by

SPECS = {
    "4w": FOUR_WAVE_PLAIN,
    "4w bpreshuffle": FOUR_WAVE,
    "8w": replace(FOUR_WAVE_PLAIN, core=Core.EIGHT_WAVE, tile_m=128),
    "8w bpreshuffle": EIGHT_WAVE,
    "dec": DECODE,
    "dec split": replace(DECODE, split_k=3),
    "4w gfx942": replace(FOUR_WAVE_PLAIN, arch="gfx942", mfma="16x16x32"),
    "dec gfx942": replace(DECODE, arch="gfx942", mfma="16x16x32"),
}


def results(spec: KernelSpec, text: str = "", a_stride: int = A_STRIDE) -> list[CaseResult]:
    """Runs with a partial tile in M and in N, and one of a single row, which has no padding."""
    b_stride = B_STRIDE if spec.family is Family.PLAIN else K
    n = spec.tile_n + 48
    request = CompileRequest(source(spec, text), n, K, spec.arch, a_stride=a_stride, b_stride=b_stride)
    mode = Mode(landing="late", checks=True, threads=2)
    cases = [Case(m, "general", mode) for m in (spec.tile_m + 5, 1)]
    return list(prove(under_test(spec, compile_kernel(request)), cases))


@pytest.mark.parametrize("name", SPECS)
def test_padded_rows_are_proved(name: str) -> None:
    for result in results(SPECS[name]):
        assert result.proved, (result.comparison, result.severe)


@pytest.mark.parametrize(
    ("name", "right", "wrong"),
    [
        ("4w", "rows - 1) * a_stride", "rows - 1) * K"),
        ("4w", "b_row * b_stride", "b_row * K"),
        ("8w", "limit - 1) * stride", "limit - 1) * K"),
        ("dec", "A + fx.Int64(m0) * a_stride", "A + fx.Int64(m0) * K"),
        ("dec", "B + fx.Int64(n0) * b_stride", "B + fx.Int64(n0) * K"),
        ("dec", "fx.Int64(columns) * b_stride", "fx.Int64(columns) * K"),
    ],
)
def test_a_kernel_that_forgets_a_stride_fails(name: str, right: str, wrong: str) -> None:
    text = rendered(SPECS[name])
    assert text.count(right) == 1
    assert not all(result.proved for result in results(SPECS[name], text.replace(right, wrong)))


@pytest.mark.parametrize(
    ("spec", "a_stride", "b_stride", "message"),
    [
        (DECODE, 384 + 8, 384, "a_stride = 392: expected a multiple of 16 bytes, at least K = 384"),
        (DECODE, 368, 384, "a_stride = 368: expected a multiple of 16 bytes, at least K = 384"),
        (DECODE, 384, 1 << 25, "b_stride = 33554432: a tile of A, B or C spans 2 GiB or more"),
        (DECODE, 1 << 27, 384, "a_stride = 134217728, b_stride = 384: a tile of A, B or C spans 2 GiB or more"),
        (FOUR_WAVE, 384, 400, "b_stride = 400: shuffled weights have no rows, expected K = 384"),
    ],
)
def test_strides_that_no_kernel_reads_are_refused(spec: KernelSpec, a_stride: int, b_stride: int, message: str) -> None:
    request = CompileRequest(source(spec), 256, K, spec.arch, a_stride=a_stride, b_stride=b_stride)
    with pytest.raises(ToolchainError, match=message):
        compile_kernel(request)


def test_strides_are_part_of_what_is_compiled() -> None:
    requests = [CompileRequest(source(DECODE), 256, K, "gfx950", a_stride=stride) for stride in (None, K, A_STRIDE)]
    plain, same, padded = (compile_kernel(request).isa for request in requests)
    assert plain == same != padded
