# SPDX-License-Identifier: Apache-2.0
"""Hazard distances: one wait state short is found, the right distance is not, and compiled code is clean."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from oracle.machine import Severity, hazards, load
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
    assert {rule for _, rule in written} > hazards.UNDOCUMENTED
    shown = set()
    for distance in DISTANCES:
        (finding,) = program(distance.text(distance.need - 1), arch=distance.arch).hazards
        shown.add((finding.code, finding.explanation.partition(" after ")[0]))
    assert len(written) > 15 and shown == written
    assert {code for code, _ in written} == set(hazards.TITLES)


def test_same_addend_needs_no_distance() -> None:
    chained = "v_mfma_f32_16x16x128_f8f6f4 v[0:3], v[8:15], v[16:23], v[0:3]"
    assert found(Distance("", "", MFMA, 0, chained), 0) == []


WIDE = "\tv_mfma_f32_32x32x64_f8f6f4 v[{0}:{1}], v[100:107], v[108:115], 0\n"


@pytest.mark.parametrize(
    ("between", "nops", "codes"), [(0, 19, ["CKM251"]), (0, 20, []), (1, 3, ["CKM251"]), (1, 4, [])]
)
def test_an_mfma_between_counts_for_as_long_as_it_waits(between: int, nops: int, codes: list[str]) -> None:
    """The second MFMA issues 16 passes behind the first, so 4 of the 20 wait states are left for `s_nop`."""
    body = WIDE.format(0, 15) + WIDE.format(16, 31) * between + "\ts_nop 0\n" * nops + "\tv_mov_b32_e32 v40, v3"
    assert [f.code for f in program(body).hazards] == codes


@pytest.mark.parametrize(("nops", "overlooked"), [(18, False), (19, True)])
def test_a_finding_says_what_llvm_overlooks(nops: int, overlooked: bool) -> None:
    """llc 22.1.8 behind 16 passes on gfx950 adds s_nop up to 18 wait states, none at 19, though its rule says 20."""
    body = WIDE.format(0, 15) + "\ts_nop 0\n" * nops + "\tv_mov_b32_e32 v40, v3"
    (finding,) = program(body).hazards
    assert finding.severity is Severity.HIGH
    assert ("LLVM 22" in finding.explanation) == overlooked


def test_an_mfma_that_need_not_wait_counts_as_one_instruction() -> None:
    """A VALU result is no nearer to its reader through an MFMA behind it, however long that one takes."""
    body = (
        "\tv_cmpx_eq_u32_e32 vcc, v50, v51\n\ts_nop 3\n{0}\tv_mov_b32_dpp v2, v1 row_mirror row_mask:0xf bank_mask:0xf"
    )
    assert not program(body.format(WIDE.format(16, 31))).hazards
    assert [f.code for f in program(body.format("")).hazards] == ["CKM253"]


@pytest.mark.parametrize("distance", DISTANCES, ids=lambda d: d.what)
def test_only_what_a_manual_lists_or_somebody_measured_is_high(distance: Distance) -> None:
    (finding,) = program("\t" + distance.text(distance.need - 1), arch=distance.arch).hazards
    undocumented = finding.explanation.partition(" after ")[0] in hazards.UNDOCUMENTED
    assert (finding.severity is Severity.LOW) == undocumented == ("LLVM keeps" in finding.explanation)


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
