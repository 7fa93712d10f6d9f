# SPDX-License-Identifier: Apache-2.0
"""The last rows of the largest M: offsets that need more than 32 bits, and kernels that do not have them."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oracle.verify import CaseResult, prove
from porter.kernel_spec import KernelSpec
from porter.measure.under_test import under_test
from porter.problem import TARGETS, GemmShape
from porter.proof.raster import GROUP_M, workgroup
from porter.proof.recipe import cases
from porter.proof.shapes import Depth, Work, far, recipe_nks, whole
from porter.runtime._serving import SCALE_BLOCK
from porter.select.legality import legality
from tests.porter.kernels import compiled
from tests.porter.specs import DECODE, EIGHT_WAVE, FOUR_WAVE, FOUR_WAVE_PLAIN, VARIED

SPLIT_K = replace(DECODE, split_k=4)


@pytest.mark.parametrize("spec", VARIED, ids=lambda spec: spec.name)
def test_the_last_tile_of_the_largest_m_lies_past_what_32_bits_reach(spec: KernelSpec) -> None:
    ((n, k, run),) = [(work.n, work.k, run) for work in whole(spec, ()) for run in work.runs if run.depth is Depth.FAR]
    assert not legality(spec, GemmShape(run.m, n, k), TARGETS[spec.arch])
    assert legality(spec, GemmShape(run.m + 2 * spec.tile_m, n, k), TARGETS[spec.arch]), "a larger one is"
    assert run.window is not None
    first = run.window.first
    assert first % spec.tile_m == first % spec.scale_block_m == 0
    assert run.m % spec.tile_m and run.m - first < max(spec.tile_m, spec.scale_block_m)
    assert min(first * k, 2 * first * n) > 1 << 32
    rows_of_tiles, columns = -(-(run.m - first) // spec.tile_m), -(-n // spec.tile_n)
    gemm, *second = run.window.workgroups
    assert len(set(gemm)) == rows_of_tiles * columns * spec.split_k and len(second) == (spec.split_k > 1)


@given(st.integers(1, 40), st.integers(1, 9), st.sampled_from([0, 8]))
def test_every_workgroup_has_the_tile_that_the_templates_give_it(rows: int, columns: int, xcds: int) -> None:
    spec, total = replace(FOUR_WAVE, xcds=xcds), rows * columns
    for index in range(total):
        if not xcds:
            assert workgroup(spec, divmod(index, columns), (rows, columns)) == index
            continue
        die, slot = index % xcds, index // xcds
        walked = die * (total // xcds) + min(die, total % xcds) + slot
        first, local = walked // (GROUP_M * columns) * GROUP_M, walked % (GROUP_M * columns)
        height = min(rows - first, GROUP_M)
        assert workgroup(spec, (first + local % height, local // height), (rows, columns)) == index


#: Blocks whose byte offsets are computed in 32 bits.
A = (
    "_tile.py",
    """
def operands(self, A, B):
    g = self.g
    a_rsrc = fx.rocdl.make_buffer_ptr(A + fx.Int64(self.m0 * g.a_stride), num_records_bytes=fx.Int64(self.rows) * g.K)
    return a_rsrc, right(self, A, B)[1]


right, Tile.operands = Tile.operands, operands
""",
)
C = (
    "_tile.py",
    """
def result(self, C):
    N = self.g.N
    return fx.rocdl.make_buffer_ptr(C + fx.Int64(self.m0 * N), num_records_bytes=fx.Int64(self.rows) * (2 * N))


Tile.result = result
""",
)
WORKSPACE = (
    "_tile.py",
    """
def partial_result(self, W, k_slice):
    N = self.g.N
    start = W + fx.Int64((k_slice * self.M + self.m0) * N)
    return fx.rocdl.make_buffer_ptr(start, num_records_bytes=fx.Int64(self.rows) * (4 * N))


Tile.partial_result = partial_result
""",
)
RESULT = (
    "_split_k.py",
    """
right = SplitK._store_row
SplitK._store_row = lambda self, C, m, *rest: right(self, C + fx.Int64(m * self.g.N), fx.Int32(0), *rest)
""",
)


def last_rows(spec: KernelSpec, fault: tuple[str, str] = ("_tile.py", "")) -> CaseResult:
    n, k = recipe_nks(spec)[-1]
    kernel = under_test(spec, compiled(spec, n, k, more=dict([fault])))
    (result,) = prove(kernel, cases(Work(n, k, (far(spec, n, k),)), ("exact",), 2))
    return result


def fails(spec: KernelSpec, fault: tuple[str, str]) -> bool:
    wrong = last_rows(spec, fault)
    # It leaves the rows that are there, and so does not write them either.
    return not wrong.comparison.equal and "CKM221" in {finding.code for finding in wrong.severe}


@pytest.mark.parametrize(("spec", "fault"), [(DECODE, C), (SPLIT_K, WORKSPACE)], ids=["decode", "split_k"])
def test_an_offset_in_32_bits_fails(spec: KernelSpec, fault: tuple[str, str]) -> None:
    assert fails(spec, fault)


FAULTS = [(DECODE, A), (SPLIT_K, RESULT), (EIGHT_WAVE, A), (EIGHT_WAVE, C), (FOUR_WAVE, A), (FOUR_WAVE, C)]


@pytest.mark.proof
@pytest.mark.parametrize(("spec", "fault"), FAULTS)
def test_every_offset_in_32_bits_fails(spec: KernelSpec, fault: tuple[str, str]) -> None:
    assert fails(spec, fault)


@pytest.mark.proof
@pytest.mark.parametrize("spec", VARIED, ids=lambda spec: spec.name)
def test_every_core_reaches_its_last_rows(spec: KernelSpec) -> None:
    assert last_rows(spec).proved


def test_x_scale_ends_just_below_what_its_descriptor_can_hold() -> None:
    run = far(FOUR_WAVE_PLAIN, *recipe_nks(FOUR_WAVE_PLAIN)[-1])
    size = 4 * run.m * (recipe_nks(FOUR_WAVE_PLAIN)[-1][1] // SCALE_BLOCK)
    assert 0.999 < size / (1 << 31) < 1
