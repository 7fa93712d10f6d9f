# SPDX-License-Identifier: Apache-2.0
"""Waits of the cores cover what they must, whatever loads LLVM merges: found on shapes with one column of tiles."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pytest

from oracle import machine, waits
from oracle.verify import Case, prove
from porter.blocks._variant import Variant
from porter.kernel_spec import Contract, Core, KernelSpec, Schedule
from porter.measure.under_test import under_test
from porter.problem import TARGETS, Family, GemmShape
from porter.select.legality import legality
from tests.porter.kernels import compiled, rendered
from tests.porter.specs import EIGHT_WAVE, FOUR_WAVE, FOUR_WAVE_PLAIN, VARIED

pytestmark = pytest.mark.usefixtures("own_cache")
SHUFFLED = replace(FOUR_WAVE, xcds=0)


def said(spec: KernelSpec, n: int, k: int, text: str = "", more: Mapping[str, str] | None = None) -> list[str]:
    """What the static check says of a kernel's code, undecided places included."""
    report = waits.check(machine.load(compiled(spec, n, k, text, more).isa, spec.arch))
    return [str(item) for item in (*report.severe, *report.undecided)]


@pytest.mark.parametrize(
    ("spec", "n", "k"),
    [
        (SHUFFLED, 16, 128),
        (SHUFFLED, 32, 1024),
        (replace(SHUFFLED, contract=Contract.CKTILE), 48, 384),
        (replace(SHUFFLED, tile_k=256), 32, 640),
        (FOUR_WAVE_PLAIN, 8, 256),
        (FOUR_WAVE_PLAIN, 24, 256),
        (FOUR_WAVE_PLAIN, 32, 512),
        (replace(FOUR_WAVE_PLAIN, scale_block_m=128), 32, 128),
    ],
    ids=lambda value: value.name if isinstance(value, KernelSpec) else str(value),
)
def test_a_is_waited_for_where_loads_of_b_merge(spec: KernelSpec, n: int, k: int) -> None:
    assert said(spec, n, k) == []
    case = Case(77, "general", machine.Mode(landing="late", checks=True))
    (result,) = prove(under_test(spec, compiled(spec, n, k)), [case])
    assert result.proved, result.severe


@pytest.mark.parametrize(
    ("spec", "n", "k"),
    [
        (replace(FOUR_WAVE_PLAIN, tile_m=16, tile_n=128), 8, 640),
        (replace(FOUR_WAVE, tile_m=48, tile_n=128, tile_k=256, schedule=Schedule.SKEW), 32, 4096),
    ],
    ids=lambda value: value.name if isinstance(value, KernelSpec) else str(value),
)
def test_writes_of_a_are_waited_for_where_the_barrier_does_not(spec: KernelSpec, n: int, k: int) -> None:
    """On gfx942 A goes to LDS by ds_write. If the barrier itself waits again, LLVM is mended, and our wait may go."""
    spec = replace(spec, arch="gfx942", mfma="16x16x32")
    assert said(spec, n, k) == []
    without = {"_four_wave.py": "FourWave._await_a = lambda *_: None\n"}
    assert any("CKM265" in text for text in said(spec, n, k, more=without))


def test_loads_of_scales_never_merge_in_the_8_wave_core() -> None:
    one_row = Variant(fault="one-row-scale")
    assert said(EIGHT_WAVE, 512, 1024, rendered(EIGHT_WAVE, one_row)) == []
    # Without it LLVM sees four loads of one address, and the waits count three that are not there.
    seen_through = rendered(EIGHT_WAVE, replace(one_row, tell_rows_apart=False))
    assert any("CKM264" in text for text in said(EIGHT_WAVE, 512, 1024, seen_through))


#: The orders of promotes, tiles, scale blocks, chips and rasters of `VARIED`, and what of them it has no pair of.
SWEPT = (
    *VARIED,
    SHUFFLED,
    replace(SHUFFLED, contract=Contract.CKTILE),
    replace(FOUR_WAVE_PLAIN, tile_m=32, tile_n=128),
)


@pytest.mark.proof
@pytest.mark.parametrize("spec", SWEPT, ids=lambda spec: spec.name)
@pytest.mark.parametrize("k", [128, 256, 384, 512, 640, 1024, 4096])
def test_every_wait_is_there_at_small_n(spec: KernelSpec, k: int) -> None:
    step = 16 if spec.family is Family.BPRESHUFFLE else 8
    shapes = [GemmShape(77, n, k) for n in range(step, 129, step)]
    legal = [shape for shape in shapes if not legality(spec, shape, TARGETS[spec.arch])]
    assert legal or (spec.core is Core.DECODE and spec.split_k > k // 128)
    assert {shape.n: texts for shape in legal if (texts := said(spec, shape.n, k))} == {}
