# SPDX-License-Identifier: Apache-2.0
"""Hazard distances: one wait state short is found, the right distance is not, and compiled code is clean."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from oracle.machine import hazards, load
from oracle.machine.check_examples import DISTANCES, Distance
from tests.oracle.machine.bench import program

KERNELS = sorted((Path(__file__).parent / "kernels").glob("*.s"))
MFMA = "v_mfma_f32_16x16x128_f8f6f4 v[0:3], v[8:15], v[16:23], 0"


def found(distance: Distance, states: int) -> list[str]:
    return [f.code for f in program("\t" + distance.text(states), arch=distance.arch).hazards]


@pytest.mark.parametrize("distance", DISTANCES, ids=lambda d: d.what)
def test_distance(distance: Distance) -> None:
    assert found(distance, distance.need) == []
    assert found(distance, distance.need - 1) == [distance.code]


def test_every_rule_has_an_example() -> None:
    written = set(re.findall(r'yield "(CKM\d+)", [^"\n]*"([^"]+)"', Path(hazards.__file__).read_text()))
    shown = set()
    for distance in DISTANCES:
        (finding,) = program(distance.text(distance.need - 1), arch=distance.arch).hazards
        shown.add((finding.code, finding.explanation.partition(" after ")[0]))
    assert len(written) > 15 and shown == written
    assert {code for code, _ in written} == set(hazards.TITLES)


def test_same_addend_needs_no_distance() -> None:
    chained = "v_mfma_f32_16x16x128_f8f6f4 v[0:3], v[8:15], v[16:23], v[0:3]"
    assert found(Distance("", "", MFMA, 0, chained), 0) == []


def test_branches_are_followed() -> None:
    body = f".Lloop:\n\tv_mov_b32_e32 v30, v3\n\ts_nop 8\n\ts_nop 0\n\t{MFMA}\n\ts_cbranch_scc1 .Lloop"
    (finding,) = program(body).hazards
    assert finding.party.text == "v_mov_b32_e32 v30, v3"
    assert finding.other is not None and finding.other.text == MFMA


@pytest.mark.parametrize("path", KERNELS, ids=lambda p: p.stem)
def test_compiled_kernels_are_clean(path: Path) -> None:
    assert load(path).hazards == ()


def test_a_result_that_was_overwritten_between_is_no_producer_any_more() -> None:
    # As LLVM 24 schedules chained fp8 MFMAs on gfx942: the second takes another extent, the third its own result.
    first, second, third = (
        "\tv_mfma_f32_16x16x32_fp8_fp8 v[30:33], v[46:47], v[70:71], 0\n",
        "\tv_mfma_f32_16x16x32_fp8_fp8 v[28:31], v[90:91], v[72:73], v[30:33]\n",
        "\tv_mfma_f32_16x16x32_fp8_fp8 v[28:31], v[92:93], v[74:75], v[28:31]\n",
    )
    assert [f.code for f in program(first + second + third, arch="gfx942").hazards] == []
    assert [f.code for f in program(first + third, arch="gfx942").hazards] == ["CKM251"]
