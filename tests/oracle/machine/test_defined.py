# SPDX-License-Identifier: Apache-2.0
"""What compilers leave undefined, and how far it may go: bits of lane masks, spilled registers, loads behind loads."""

from __future__ import annotations

import pytest

from oracle.machine import Mode, Severity
from oracle.machine.check_examples import find

#: s[20:21] with the bits of lanes 0 to 3 alone: of them lane 3 is set.
MASK = """s_mov_b64 exec, 15
v_cmp_lt_u32_e64 s[8:9], 2, v0
s_andn2_b64 s[20:21], s[20:21], exec
s_or_b64 s[20:21], s[20:21], s[8:9]
s_mov_b64 vcc, 0
"""
EMPTY = MASK.replace("v_cmp_lt_u32_e64 s[8:9], 2, v0", "s_mov_b64 s[8:9], 0")
WHOLE = "s_mov_b64 exec, -1\n"


def codes(body: str, landing: str = "late") -> list[str]:
    return sorted({f.code for f in find(body, mode=Mode(checks=True, landing=landing)) if f.severity is Severity.HIGH})


@pytest.mark.parametrize(
    ("body", "where"),
    [
        ("s_mov_b64 s[22:23], s[20:21]", None),
        ("s_mov_b32 s22, s21", None),
        ("s_not_b64 s[22:23], s[20:21]\nv_cndmask_b32_e64 v5, v0, v2, s[22:23]", None),
        ("s_xor_b64 s[22:23], s[20:21], -1\nv_cndmask_b32_e64 v5, v0, v2, s[22:23]", None),
        ("s_and_b32 s22, s20, 15\ns_add_u32 s22, s22, 1", None),
        ("s_and_b32 s22, s20, 31\ns_add_u32 s22, s22, 1", "s22"),
        ("s_or_b32 s22, s20, -16\ns_add_u32 s22, s22, 1", None),
        ("s_nand_b32 s22, s20, 15\ns_add_u32 s22, s22, 1", None),
        ("s_nor_b32 s22, s20, -16\ns_add_u32 s22, s22, 1", None),
        ("s_orn2_b64 s[22:23], s[20:21], exec\ns_mov_b64 exec, s[22:23]", None),
        ("s_xnor_b64 s[22:23], s[20:21], exec\ns_mov_b64 exec, s[22:23]", "s22"),
        ("s_add_u32 s22, s20, 1", "s20"),
        ("s_lshr_b64 s[22:23], s[20:21], 1", "s20"),
        ("v_mov_b32_e32 v5, s20", "s20"),
        ("s_mov_b32 m0, s20\ns_mov_b32 s22, m0\ns_bcnt1_i32_b32 s22, s22", "s22"),
        ("s_and_b64 exec, exec, s[20:21]", None),
        ("s_or_b64 exec, exec, s[20:21]", "s20"),
        ("s_mov_b64 exec, s[20:21]", "s20"),
        ("s_mov_b32 exec_hi, s21", "s21"),
        ("s_and_saveexec_b64 s[22:23], s[20:21]", None),
        ("s_andn1_saveexec_b64 s[22:23], s[20:21]", None),
        ("s_or_saveexec_b64 s[22:23], s[20:21]", "s20"),
        ("s_andn2_saveexec_b64 s[22:23], s[20:21]", "s20"),
        ("s_cmp_eq_u32 s2, s2\ns_cselect_b64 s[22:23], 0, s[20:21]\ns_bcnt1_i32_b64 s22, s[22:23]", None),
        ("s_cmp_eq_u32 s2, s2\ns_cselect_b64 s[22:23], s[20:21], 0\ns_bcnt1_i32_b64 s22, s[22:23]", "s22"),
        ("v_cndmask_b32_e64 v5, v0, v2, s[20:21]", None),
        (WHOLE + "v_cndmask_b32_e64 v5, v0, v2, s[20:21]", "s20"),
        ("v_addc_co_u32_e64 v5, s[22:23], v0, v2, s[20:21]\ns_mov_b64 exec, s[22:23]", None),
        (WHOLE + "v_addc_co_u32_e64 v5, s[22:23], v0, v2, s[20:21]", "s20"),
        ("s_mov_b64 vcc, s[20:21]\ns_cbranch_vccnz end\nend:", None),
        ("s_mov_b64 s[20:21], s[24:25]\ns_mov_b64 vcc, s[20:21]\ns_cbranch_vccnz end\nend:", "vcc_lo"),
        ("s_and_b64 vcc, exec, s[20:21]\ns_cbranch_vccz end\nend:", None),
        ("s_or_b64 s[22:23], s[20:21], 0\ns_cbranch_scc1 end\nend:", None),
        ("s_and_b64 s[22:23], s[20:21], 48\ns_cbranch_scc1 end\nend:", "scc"),
        ("s_and_b64 s[22:23], s[20:21], 48\ns_cselect_b32 s22, 1, 0", "scc"),
        ("s_and_b64 s[22:23], s[20:21], 48\ns_addc_u32 s22, s2, 0", "scc"),
        ("s_and_b64 s[22:23], s[20:21], 48\ns_cmov_b32 s22, 0", "scc"),
        ("s_and_b64 s[22:23], s[20:21], 48\ns_mov_b32 s22, 0\ns_cbranch_scc0 end\nend:", "scc"),
        ("s_and_b64 s[22:23], s[20:21], 48\ns_cmp_eq_u32 s2, s2\ns_cbranch_scc1 end\nend:", None),
    ],
)
def test_a_missing_bit_is_a_fault_where_it_counts(body: str, where: str | None) -> None:
    found = [f for f in find(MASK + body) if f.severity]
    assert [(f.code, f.explanation.split()[0]) for f in found] == ([("CKM212", where)] if where else [])


@pytest.mark.parametrize("test", ["s_cbranch_vccnz", "s_cbranch_vccz"])
def test_a_mask_without_a_set_bit_says_nothing_of_the_missing_ones(test: str) -> None:
    assert codes(EMPTY + f"s_mov_b64 vcc, s[20:21]\n{test} end\nend:") == ["CKM212"]
    assert codes(EMPTY + f"s_and_b64 vcc, s[20:21], exec\n{test} end\nend:") == []


def test_a_lane_mask_is_merged_round_a_loop() -> None:
    """As LLVM merges the conditions of a loop's exits: on entry the mask is what the register held."""
    body = """s_mov_b64 exec, 15
s_mov_b32 s22, 0
again:
v_cmp_lt_u32_e64 s[8:9], s22, v0
s_andn2_b64 s[20:21], s[20:21], exec
s_and_b64 s[8:9], s[8:9], exec
s_or_b64 s[20:21], s[20:21], s[8:9]
s_add_u32 s22, s22, 1
s_cmp_lt_u32 s22, 3
s_cbranch_scc1 again
{0}s_and_saveexec_b64 s[24:25], s[20:21]
s_cbranch_execz end
v_mov_b32_e32 v5, 0
end:"""
    assert codes(body.format("")) == []
    assert codes(body.format(WHOLE)) == ["CKM212"]


@pytest.mark.parametrize("landing", ["late", "eager"])
@pytest.mark.parametrize(
    ("load", "counter"),
    [
        ("global_load_dword v5, v2, s[6:7]", "vmcnt"),
        ("scratch_load_dword v5, off, off", "vmcnt"),
        ("ds_read_b32 v5, v2", "lgkmcnt"),
    ],
)
def test_a_wait_for_the_newer_of_two_loads_is_enough(load: str, counter: str, landing: str) -> None:
    body = "ds_write_b32 v2, v0\nscratch_store_dword off, v0, off\ns_waitcnt vmcnt(0) lgkmcnt(0)\n" + f"{load}\n" * 2
    use = "v_add_u32_e32 v6, 1, v5"
    assert codes(f"{body}s_waitcnt {counter}(0)\n{use}", landing) == []
    assert codes(f"{body}s_waitcnt {counter}(1)\n{use}", landing) == ["CKM201"]


@pytest.mark.parametrize("landing", ["late", "eager"])
def test_a_load_that_is_issued_again_is_in_flight_again(landing: str) -> None:
    body = """s_mov_b32 s22, 0
again:
global_load_dword v5, v2, s[6:7]
s_add_u32 s22, s22, 1
s_cmp_lt_u32 s22, 3
s_cbranch_scc1 again
s_waitcnt vmcnt({0})
v_add_u32_e32 v6, 1, v5
"""
    assert codes(body.format(0), landing) == []
    assert codes(body.format(1), landing) == ["CKM201"]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("flat_load_dword v5, v[8:9]", "global_load_dword v5, v2, s[6:7]"),
        ("global_load_dword v5, v2, s[6:7]", "flat_load_dword v5, v[8:9]"),
        ("global_load_dword v5, v2, s[6:7]", "ds_read_b32 v5, v2"),
        ("ds_read_b32 v5, v2", "global_load_dword v5, v2, s[6:7]"),
        ("s_load_dword s22, s[6:7], 0x0", "s_load_dword s22, s[6:7], 0x4"),
    ],
)
def test_loads_of_two_kinds_land_in_any_order(first: str, second: str) -> None:
    start = "v_mov_b32_e32 v8, s6\nv_mov_b32_e32 v9, s7\nds_write_b32 v2, v0\ns_waitcnt lgkmcnt(0)\n"
    end = "\ns_waitcnt vmcnt(0) lgkmcnt(0)"
    assert codes(f"{start}{first}\n{second}{end}") == ["CKM203"]
    assert codes(f"{start}{first}{end}\n{second}{end}") == []


SPILL = "v_mov_b32_e32 v4, 0\nv_mov_b32_e32 v9, 4\n"
RELOAD = "s_waitcnt vmcnt(0)\nscratch_load_dwordx2 v[6:7], off, off\ns_waitcnt vmcnt(0)\n"


@pytest.mark.parametrize("landing", ["late", "eager"])
@pytest.mark.parametrize(
    ("store", "used", "expected"),
    [
        ("scratch_store_dwordx2 off, v[4:5], off", "v6", []),
        ("scratch_store_dwordx2 off, v[4:5], off", "v7", ["CKM211"]),
        ("scratch_store_dword off, v4, off", "v7", ["CKM211"]),  # the other half was never stored
        ("scratch_store_dword v9, v4, off", "v7", []),
        ("scratch_store_dword v9, v5, off", "v7", ["CKM211"]),
        ("scratch_store_dwordx2 off, v[4:5], off\nscratch_store_dword off, v4, off offset:4", "v7", []),
        ("s_mov_b64 exec, 1\nscratch_store_dword v9, v4, off\n" + WHOLE, "v7", ["CKM211"]),
        ("scratch_store_byte v9, v4, off", "v7", []),  # the other bytes may be cut off later
    ],
)
def test_a_spilled_register_holds_as_much_when_it_comes_back(
    store: str, used: str, expected: list[str], landing: str
) -> None:
    assert codes(f"{SPILL}{store}\n{RELOAD}v_add_u32_e32 v8, 1, {used}", landing) == expected


def test_what_is_stored_for_others_must_hold_a_value() -> None:
    assert codes("global_store_dword v2, v5, s[4:5]") == ["CKM211"]
    assert codes("ds_write_b32 v2, v5") == ["CKM211"]


@pytest.mark.parametrize(
    ("used", "expected"),
    [
        ("s_and_saveexec_b64 s[26:27], s[24:25]", []),
        ("s_mov_b64 exec, s[24:25]", ["CKM212"]),
        ("s_mov_b32 s24, 0\ns_mov_b64 exec, s[24:25]", ["CKM212"]),
        ("v_readlane_b32 s24, v9, 5\ns_add_u32 s24, s24, 1", ["CKM212"]),  # a lane that nobody wrote
        ("v_writelane_b32 v9, 0, 2\nv_readlane_b32 s24, v9, 2\ns_add_u32 s24, s24, 1", []),
        (WHOLE + "v_mov_b32_e32 v9, v0\nv_readlane_b32 s24, v9, 2\ns_add_u32 s24, s24, 1", []),
        (WHOLE + "v_add_u32_e32 v10, 1, v9", ["CKM211"]),
    ],
)
def test_a_lane_mask_is_spilled_to_lanes(used: str, expected: list[str]) -> None:
    spill = "v_writelane_b32 v9, s20, 2\nv_writelane_b32 v9, s21, 3\n"
    reload = "v_readlane_b32 s24, v9, 2\nv_readlane_b32 s25, v9, 3\n"
    assert codes(MASK + spill + reload + used) == expected


def test_what_the_first_lane_lacks_its_sgpr_lacks() -> None:
    body = "s_mov_b64 exec, 12\nv_mov_b32_e32 v9, 0\n{}v_readfirstlane_b32 s24, v9\ns_add_u32 s24, s24, 1"
    assert codes(body.format("")) == []
    assert codes(body.format(WHOLE)) == ["CKM212"]


@pytest.mark.parametrize(
    ("used", "expected"), [("v10", []), ("v11", ["CKM211"]), (f"v10\n{WHOLE}v_not_b32_e32 v12, v10", ["CKM211"])]
)
def test_a_register_is_spilled_to_an_accumulation_register(used: str, expected: list[str]) -> None:
    body = """s_mov_b64 exec, 15
v_mov_b32_e32 v4, 0
v_accvgpr_write_b32 a0, v4
v_accvgpr_write_b32 a1, v5
s_nop 4
v_accvgpr_read_b32 v10, a0
v_accvgpr_read_b32 v11, a1
v_not_b32_e32 v12, """
    assert codes(body + used) == expected
