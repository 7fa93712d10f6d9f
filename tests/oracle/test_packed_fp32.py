# SPDX-License-Identifier: Apache-2.0
"""Packed fp32 arithmetic by form, and the form that is reported to fail."""

from __future__ import annotations

import pytest

from oracle.machine import Severity
from oracle.machine.text import read
from oracle.packed_fp32 import CODE, forms, reported

LOSES = "v_pk_fma_f32 v[0:1], v[2:3], v[4:5], v[6:7] op_sel:[0,1,0]"
TEXT = f"""
    v_pk_fma_f32 v[0:1], v[2:3], v[4:5], v[6:7] op_sel_hi:[0,1,1]
    v_pk_fma_f32 v[0:1], v[2:3], v[4:5], v[6:7] op_sel:[1,0,0]
    v_pk_mul_f32 v[0:1], v[2:3], v[4:5] op_sel:[0,0] op_sel_hi:[1,1]
    v_pk_add_f32 v[0:1], v[2:3], v[4:5]
    v_pk_mul_f32 v[0:1], v[2:3], v[4:5]
    v_pk_mov_b32 v[0:1], v[2:3], v[4:5] op_sel:[0,1]
    {LOSES}
    {LOSES} op_sel_hi:[1,0,1]
    v_fma_f32 v0, v1, v2, v3
"""


def test_forms_are_counted_without_what_is_usual() -> None:
    assert forms(read(TEXT).lines) == {
        "v_pk_mul_f32": 2,
        "v_pk_add_f32": 1,
        "v_pk_fma_f32 op_sel:[0,1,0]": 1,
        "v_pk_fma_f32 op_sel:[0,1,0] op_sel_hi:[1,0,1]": 1,
        "v_pk_fma_f32 op_sel:[1,0,0]": 1,
        "v_pk_fma_f32 op_sel_hi:[0,1,1]": 1,
    }


def test_the_reported_form_is_one_finding_at_its_first_place() -> None:
    (finding,) = reported(TEXT, "gfx950")
    assert (finding.code, finding.severity, finding.count, finding.line) == (CODE, Severity.LOW, 2, 8)
    assert "op_sel:[0,1,0]" in finding.explanation and "gfx950" in finding.explanation


@pytest.mark.parametrize(
    ("text", "arch"),
    [
        (TEXT, "gfx942"),
        (TEXT.replace("op_sel:[0,1,0]", "op_sel:[0,0,1]"), "gfx950"),
        ("v_pk_mul_f32 v[0:1], v[2:3], v[4:5] op_sel:[0,1]\n", "gfx950"),
    ],
)
def test_other_chips_and_forms_raise_nothing(text: str, arch: str) -> None:
    assert reported(text, arch) == ()
