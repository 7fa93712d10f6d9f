# SPDX-License-Identifier: Apache-2.0
"""Values that are computed without running: what the machine computes, lane by lane, or unknown."""

from __future__ import annotations

import numpy as np
import pytest

from oracle.machine import load
from oracle.machine.check_examples import kernel_text
from oracle.waits.flow import graph
from oracle.waits.knowledge import Access, Choice, Group, Knowledge
from oracle.waits.values import DIVERGENT, UNIFORM, Unknown
from tests.oracle.machine.bench import launch

#: v3: seven times the work-item less 99; s10: the wave's first work-item plus 21.
SETUP = """
v_readfirstlane_b32 s10, v0
s_add_u32 s10, s10, 21
v_mul_u32_u24_e32 v3, 7, v0
v_add_u32_e32 v3, 0xffffff9d, v3
"""
VECTOR = [
    "v_mov_b32_e32 v5, v3",
    "v_not_b32_e32 v5, v3",
    "v_add_u32_e32 v5, s10, v3",
    "v_sub_u32_e32 v5, 5, v3",
    "v_subrev_u32_e32 v5, s10, v3",
    "v_and_b32_e32 v5, 0xff0, v3",
    "v_or_b32_e32 v5, s10, v3",
    "v_xor_b32_e32 v5, v0, v3",
    "v_xnor_b32_e32 v5, v0, v3",
    "v_lshlrev_b32_e32 v5, 3, v3",
    "v_lshrrev_b32_e32 v5, v0, v3",
    "v_ashrrev_i32_e32 v5, 2, v3",
    "v_mul_lo_u32 v5, v3, s10",
    "v_mul_u32_u24_e32 v5, v3, v3",
    "v_min_u32_e32 v5, s10, v3",
    "v_max_u32_e32 v5, s10, v3",
    "v_min_i32_e32 v5, s10, v3",
    "v_max_i32_e32 v5, s10, v3",
    "v_mad_u32_u24 v5, v3, 3, v0",
    "v_add3_u32 v5, v3, v0, s10",
    "v_lshl_add_u32 v5, v3, 4, v0",
    "v_add_lshl_u32 v5, v3, v0, 2",
    "v_xad_u32 v5, v3, v0, s10",
    "v_lshl_or_b32 v5, v3, 7, v0",
    "v_and_or_b32 v5, v3, s10, v0",
    "v_or3_b32 v5, v3, v0, s10",
    "v_bfi_b32 v5, v3, v0, s10",
    "v_bfe_u32 v5, v3, 3, 5",
    "v_bfe_i32 v5, v3, 3, 5",
    "v_bfe_i32 v5, v3, 3, 0",
    "v_bitop3_b32 v5, v3, v0, s10 bitop3:0x36",
    "v_bitop3_b32 v5, v3, v0, s10 bitop3:0x48",
    "v_mbcnt_lo_u32_b32 v5, -1, 0\nv_mbcnt_hi_u32_b32 v5, -1, v5",
    "v_mbcnt_lo_u32_b32 v5, 0x55, v3",
    "v_cmp_gt_i32_e32 vcc, 40, v3\nv_cndmask_b32_e32 v5, v3, v0, vcc",
    "v_cmp_le_u32_e64 s[12:13], s10, v0\nv_cndmask_b32_e64 v5, v0, v3, s[12:13]",
    "v_mov_b32_e32 v5, v3\nv_cmp_ne_u32_e32 vcc, s10, v0\ns_and_saveexec_b64 s[12:13], vcc\nv_mov_b32_e32 v5, 1\n"
    "s_mov_b64 exec, s[12:13]",
    "v_mov_b32_e32 v5, v3\nv_cmp_lt_u32_e32 vcc, 9, v0\ns_and_saveexec_b64 s[12:13], vcc\n"
    "v_readfirstlane_b32 s14, v3\ns_mov_b64 exec, s[12:13]\nv_mov_b32_e32 v5, s14",
    "v_accvgpr_write_b32 a1, v3\nv_accvgpr_read_b32 v5, a1",
]
SCALAR = [
    "s_mov_b32 s14, s10",
    "s_movk_i32 s14, -5",
    "s_not_b32 s14, s10",
    "s_add_u32 s14, s10, -3",
    "s_add_i32 s14, s10, 0x7fffffff",
    "s_sub_u32 s14, 3, s10",
    "s_and_b32 s14, s10, 0xfc",
    "s_or_b32 s14, s10, 0x400",
    "s_xor_b32 s14, s10, -1",
    "s_andn2_b32 s14, s10, 7",
    "s_orn2_b32 s14, s10, 7",
    "s_nand_b32 s14, s10, 7",
    "s_nor_b32 s14, s10, 7",
    "s_xnor_b32 s14, s10, 7",
    "s_lshl_b32 s14, s10, 9",
    "s_lshr_b32 s14, s10, 2",
    "s_sub_u32 s14, 3, s10\ns_ashr_i32 s14, s14, 2",
    "s_mul_i32 s14, s10, s10",
    "s_mov_b32 s14, s10\ns_addk_i32 s14, -9",
    "s_mov_b32 s14, s10\ns_mulk_i32 s14, -9",
    "s_min_i32 s14, s10, 50",
    "s_max_u32 s14, s10, 50",
    "s_lshl1_add_u32 s14, s10, 5",
    "s_lshl4_add_u32 s14, s10, s10",
    "s_bfe_u32 s14, s10, 0x30002",
    "s_bfe_i32 s14, s10, 0x30002",
    "s_bfe_u32 s14, s10, 0x200000",
    "s_cmp_lt_u32 s10, 64\ns_cselect_b32 s14, s10, 3",
    "s_cmp_gt_i32 s10, -1\ns_cselect_b32 s14, s10, 3",
    "s_cmpk_lg_u32 s10, 0x15\ns_cselect_b32 s14, s10, 3",
    "s_add_u32 s14, s10, 0xffffffe0\ns_cselect_b32 s14, 1, 2",
    "s_sub_u32 s14, s10, 22\ns_cselect_b32 s14, 1, 2",
    "s_and_b32 s14, s10, 64\ns_cselect_b32 s14, 1, 2",
    "s_cmp_lt_u32 s10, 64\ns_cselect_b64 s[14:15], -1, 0\ns_and_b64 s[14:15], s[14:15], exec",
    "s_cmp_lt_u32 s10, 64\ns_cselect_b64 s[14:15], -1, 0\ns_andn2_b64 vcc, exec, s[14:15]\ns_cselect_b32 s14, 1, 2",
    "s_mov_b64 s[14:15], -1\ns_xor_b64 s[14:15], s[14:15], exec\ns_cselect_b32 s14, 1, 2",
]
CASES = [*((text, "v5") for text in VECTOR), *((f"{text}\nv_mov_b32_e32 v5, s14", "v5") for text in SCALAR)]


def groups(body: str, waves: int = 2) -> list[Group]:
    program = load(kernel_text(body))
    flow = graph(program.instructions, program.labels["k"])
    return Knowledge(program.instructions, flow, (waves * 64, 1, 1)).groups()


def access(body: str, waves: int = 2) -> Access:
    (group,) = groups(body, waves)
    (found,) = group.accesses.values()
    return found


@pytest.mark.parametrize(("body", "register"), CASES)
def test_equal_to_what_the_machine_computes(body: str, register: str) -> None:
    address = access(f"{SETUP}\n{body}\nds_read_b32 v6, {register}").address
    assert not isinstance(address, Unknown)
    result = np.full(128, 0xABABABAB, np.uint32)
    launch(
        f"s_load_dwordx2 s[4:5], s[0:1], 0x0\n{SETUP}\n{body}\nv_lshlrev_b32_e32 v2, 2, v0\ns_waitcnt lgkmcnt(0)\n"
        f"global_store_dword v2, {register}, s[4:5]",
        [result],
        block=(128,),
    )
    assert np.array_equal(np.broadcast_to(address, (2, 64)).reshape(-1), result)


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("s_load_dword s8, s[0:1], 0x0\nv_mov_b32_e32 v5, s8", UNIFORM),
        ("s_add_u32 s8, s2, 4\nv_mov_b32_e32 v5, s8", UNIFORM),
        ("v_readfirstlane_b32 s8, v0\ns_load_dword s8, s[0:1], s8\nv_mov_b32_e32 v5, s8", DIVERGENT),
        ("v_add_u32_e32 v5, s2, v0", DIVERGENT),
        ("global_load_dword v5, v0, s[0:1]", DIVERGENT),
        ("v_mbcnt_lo_u32_b32 v5, s2, 0", DIVERGENT),
        (
            "v_cvt_f32_u32_e32 v5, s2\nv_cvt_u32_f32_e32 v5, v5\nv_readfirstlane_b32 s8, v5\nv_mov_b32_e32 v5, s8",
            UNIFORM,
        ),
        ("v_mov_b32_dpp v5, v0 quad_perm:[0,0,0,0] row_mask:0xf bank_mask:0xf", DIVERGENT),
        ("v_cmp_gt_u32_e32 vcc, s2, v0\ns_and_saveexec_b64 s[8:9], vcc\nv_mov_b32_e32 v5, 4", DIVERGENT),
    ],
)
def test_what_is_not_known_is_the_same_in_every_wave_or_is_not(body: str, expected: Unknown) -> None:
    assert access(f"{body}\nds_read_b32 v6, v5").address is expected


def test_waves_are_grouped_by_the_ways_they_take() -> None:
    body = """
    v_readfirstlane_b32 s8, v0
    s_cmp_lt_u32 s8, 128
    s_cbranch_scc1 low
    s_cmp_lg_u32 s8, 192
    s_cbranch_scc1 low
    s_nop 0
    low:
    s_nop 0
    """
    assert [group.waves for group in groups(body, 4)] == [(0, 1), (2,), (3,)]


@pytest.mark.parametrize(
    ("condition", "choice"),
    [
        ("s_cmp_lt_u32 s2, 5", Choice.TOGETHER),
        ("v_readfirstlane_b32 s8, v0\ns_mul_i32 s8, s8, s2\ns_cmp_lt_u32 s8, 5", Choice.ALONE),
    ],
)
def test_who_decides_at_a_branch(condition: str, choice: Choice) -> None:
    (group,) = groups(f"{condition}\ns_cbranch_scc1 past\ns_nop 0\npast:\ns_nop 0")
    assert list(group.choices.values()) == [choice]


def test_a_value_that_differs_by_a_common_branch_is_still_common() -> None:
    body = """
    s_mov_b32 s8, 4
    s_cmp_lt_u32 s2, 5
    s_cbranch_scc1 past
    s_mov_b32 s8, 8
    past:
    v_mov_b32_e32 v5, s8
    ds_read_b32 v6, v5
    """
    assert access(body).address is UNIFORM
    alone = body.replace("s_cmp_lt_u32 s2, 5", "v_readfirstlane_b32 s9, v0\ns_mul_i32 s9, s9, s2\ns_cmp_lt_u32 s9, 5")
    assert access(alone).address is DIVERGENT
