# SPDX-License-Identifier: Apache-2.0
"""Padded rows of A and of plain B: every bit as the contract says, with fp8 NaN between the rows."""

from __future__ import annotations

from dataclasses import replace

import pytest

from oracle.machine import Mode
from oracle.verify import Case, CaseResult, prove
from porter.errors import ToolchainError
from porter.kernel_spec import Core, KernelSpec
from porter.measure.under_test import under_test
from porter.problem import Family
from porter.toolchain import CompileRequest, compile_kernel
from tests.porter.kernels import source
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


def results(spec: KernelSpec, more: dict[str, str] | None = None) -> list[CaseResult]:
    """Runs with a partial tile in M and in N, and one of a single row, which has no padding."""
    b_stride = B_STRIDE if spec.family is Family.PLAIN else K
    n = spec.tile_n + 48
    request = CompileRequest(source(spec, more=more), n, K, spec.arch, a_stride=A_STRIDE, b_stride=b_stride)
    mode = Mode(landing="late", checks=True, threads=2)
    cases = [Case(m, "general", mode) for m in (spec.tile_m + 5, 1)]
    return list(prove(under_test(spec, compile_kernel(request)), cases))


@pytest.mark.parametrize("name", SPECS)
def test_padded_rows_are_proved(name: str) -> None:
    for result in results(SPECS[name]):
        assert result.proved, (result.comparison, result.severe)


#: A block that takes rows to be K bytes apart.
_WITHOUT = """
import copy

right = {function}


def {function}(g, *rest):
    g = copy.copy(g)
    g.{operand}_stride = g.K
    return right(g, *rest)
"""
_OPERANDS = """
class Tile(Tile):
    def operands(self, A, B):
        g = self.g
        a_bytes = fx.Int64(self.rows) * g.a_stride - (g.a_stride - g.K)
        b_bytes = fx.Int64(self.columns) * {bytes} - ({bytes} - g.K)
        return (
            fx.rocdl.make_buffer_ptr(A + fx.Int64(self.m0) * {a}, num_records_bytes=a_bytes),
            fx.rocdl.make_buffer_ptr(B + fx.Int64(self.n0) * {b}, num_records_bytes=b_bytes),
        )
"""
_RIGHT = {"a": "g.a_stride", "b": "g.b_stride", "bytes": "g.b_stride"}


@pytest.mark.parametrize(
    ("name", "block", "code"),
    [
        ("4w", "_lds_rows.py", _WITHOUT.format(function="lds_rows", operand="a")),
        ("4w", "_fragments.py", _WITHOUT.format(function="_plain_row", operand="b")),
        ("8w", "_lds_halves.py", _WITHOUT.format(function="lds_halves", operand="a")),
        ("8w", "_lds_halves.py", _WITHOUT.format(function="lds_halves", operand="b")),
        ("dec", "_fragments.py", _WITHOUT.format(function="rows_of_a", operand="a")),
        *(("dec", "_tile.py", _OPERANDS.format(**_RIGHT | {part: "g.K"})) for part in _RIGHT),
    ],
)
def test_a_kernel_that_forgets_a_stride_fails(name: str, block: str, code: str) -> None:
    assert not all(result.proved for result in results(SPECS[name], {block: code}))


def test_a_block_that_is_defined_anew_as_it_was_is_proved() -> None:
    assert all(result.proved for result in results(SPECS["dec"], {"_tile.py": _OPERANDS.format(**_RIGHT)}))


@pytest.mark.parametrize(
    ("spec", "a_stride", "b_stride", "message"),
    [
        (DECODE, 384 + 8, 384, "a_stride = 392: expected a multiple of 16 bytes, at least K = 384"),
        (DECODE, 368, 384, "a_stride = 368: expected a multiple of 16 bytes, at least K = 384"),
        (DECODE, 384, 1 << 25, "a tile of B, 128 rows x 33554432 bytes, is 4294967296 bytes"),
        (DECODE, 1 << 27, 384, "a tile of A, 16 rows x 134217728 bytes, is 2147483648 bytes"),
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
