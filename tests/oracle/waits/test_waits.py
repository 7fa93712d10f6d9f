# SPDX-License-Identifier: Apache-2.0
"""The static check of waits: each kind of fault is found, its repaired twin is clean; loops, wave groups, doubts."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from oracle.machine import Severity, load
from oracle.machine import check_examples as machine_examples
from oracle.machine.check_examples import Check, Example, kernel_text
from oracle.machine.check_examples.example import DESCRIPTOR_OF_A
from oracle.waits import CODES, WaitReport, check, page
from oracle.waits.examples import CHECKS, TWINS, find

ISA = Path(__file__).parent / "isa"
CASES = [pytest.param(c.code, example, id=f"{c.code} {example.what}") for c in CHECKS for example in c.examples]
MACHINE_CASES = [
    pytest.param(check.code, example, id=f"{check.code} {example.what}")
    for check in machine_examples.CHECKS
    if check.code in TWINS
    for example in check.examples
]


def codes(report: WaitReport) -> set[str]:
    return {finding.code for finding in report.findings}


@pytest.mark.parametrize(("code", "example"), CASES)
def test_fault_is_found_and_its_repaired_twin_is_clean(code: str, example: Example) -> None:
    faulty, repaired = find(example.faulty, example.waves), find(example.repaired, example.waves)
    severity, title, _ = CODES[int(code[3:])]
    assert (code, severity, title) in {(f.code, f.severity, f.title) for f in faulty.findings}
    assert (repaired.findings, repaired.undecided) == ((), ())


@pytest.mark.parametrize(("code", "example"), CASES)
def test_the_machine_finds_nothing_in_the_repaired_twins(code: str, example: Example) -> None:
    found = machine_examples.find(example.repaired, example.waves)
    assert [f for f in found if f.code in TWINS] == []


@pytest.mark.parametrize(("code", "example"), MACHINE_CASES)
def test_what_the_machine_finds_by_running_is_found_without(code: str, example: Example) -> None:
    assert codes(find(example.faulty, example.waves)) & TWINS[code]
    repaired = find(example.repaired, example.waves)
    assert (repaired.findings, repaired.undecided) == ((), ())


def test_every_code_is_explained_and_has_an_example() -> None:
    every = {f"CKM{code}" for code in CODES}
    assert [c.code for c in CHECKS] == sorted(every)
    own = {c.code for c in CHECKS if c.examples}
    shown = {
        code for check in machine_examples.CHECKS for e in check.examples for code in codes(find(e.faulty, e.waves))
    }
    assert own | (shown & set().union(*TWINS.values())) == every


def programs(checks: tuple[Check, ...]) -> list[str]:
    return [" ".join(example.faulty.split()) for check in checks for example in check.examples]


def test_the_machines_examples_stand_in_one_place() -> None:
    own = programs(CHECKS)
    assert own and len(set(own)) == len(own) and not set(own) & set(programs(machine_examples.CHECKS))


def test_the_page_is_what_the_examples_show(repository: Path) -> None:
    assert (repository / page.PAGE).read_text(encoding="utf-8") == page.page()


# A wait that counts loads in the source, on compiled kernels of ours


def compiled(name: str) -> str:
    return (ISA / f"{name}.s").read_text(encoding="utf-8")


def of_kernel(body: str, block: int = 256) -> WaitReport:
    return check(load(kernel_text(body)), block=(block, 1, 1))


@pytest.mark.parametrize("name", ["bpreshuffle_16x128", "bpreshuffle_32x1024", "plain_24x256"])
def test_a_count_of_loads_that_the_compiler_merged_is_found(name: str) -> None:
    body = compiled(name)
    report = of_kernel(body)
    assert codes(report) == {"CKM264"} and not report.undecided
    assert {f.other.text.split()[-1] for f in report.findings if f.other} == {"lds"}
    assert all(f.party.text.startswith("ds_read") and f.severity is Severity.HIGH for f in report.findings)


@pytest.mark.parametrize("name", ["bpreshuffle_16x128", "bpreshuffle_32x1024", "plain_24x256"])
def test_waiting_for_every_load_cures_it(name: str) -> None:
    cured = re.sub(r"vmcnt\(\d+\)( lgkmcnt\(\d+\))?(?=\n\ts_barrier)", "vmcnt(0) lgkmcnt(0)", compiled(name))
    assert cured != compiled(name)
    assert of_kernel(cured).clean


@pytest.mark.parametrize("name", ["plain_48x128", "plain_xcd8_32x128"])
def test_nothing_is_raised_where_the_same_wait_suffices(name: str) -> None:
    report = of_kernel(compiled(name))
    assert (report.findings, report.undecided) == ((), ())
    without_waits = re.sub(r"s_waitcnt vmcnt\(\d+\)", "s_waitcnt vmcnt(63)", compiled(name))
    assert "CKM264" in codes(of_kernel(without_waits))


# Paths


def test_the_least_number_of_younger_loads_on_any_path_counts() -> None:
    body = """
    s_load_dword s8, s[6:7], 0x0
    s_waitcnt lgkmcnt(0)
    global_load_dword v5, v2, s[6:7]
    s_cmp_eq_u32 s8, 0
    s_cbranch_scc1 fewer
    global_load_dword v6, v2, s[6:7]
    s_branch join
    fewer:
    v_mov_b32_e32 v6, 0
    join:
    s_waitcnt vmcnt(1)
    v_mov_b32_e32 v7, v5
    """
    assert codes(find(body)) == {"CKM261"}
    other = "global_load_dword v8, v2, s[6:7]"
    assert find(body.replace("v_mov_b32_e32 v6, 0", other)).clean


def test_a_branch_that_is_never_taken_is_not_followed() -> None:
    body = """
    s_mov_b32 s8, 3
    global_load_dword v5, v2, s[6:7]
    s_cmp_lt_u32 s8, {bound}
    s_cbranch_scc1 join
    s_waitcnt vmcnt(0)
    join:
    v_mov_b32_e32 v7, v5
    """
    assert find(body.format(bound=3)).clean
    assert codes(find(body.format(bound=4))) == {"CKM261"}


RING = """
v_xor_b32_e32 v3, 0x100, v2
s_load_dword s8, s[6:7], 0x0
ds_write_b32 v2, v0
s_waitcnt lgkmcnt(0)
s_barrier
again:
ds_read_b32 v5, v3
ds_write_b32 v2, v0 offset:512
s_waitcnt lgkmcnt(0)
s_barrier
ds_read_b32 v6, v3 offset:512
{second}
ds_write_b32 v2, v0
s_waitcnt lgkmcnt(0)
{last}
s_sub_u32 s8, s8, 1
s_cmp_lg_u32 s8, 0
s_cbranch_scc1 again
"""


def test_two_buffers_in_a_loop_are_told_apart() -> None:
    assert find(RING.format(second="", last="s_barrier"), 2).clean


def test_the_next_trip_meets_what_the_last_left_open() -> None:
    report = find(RING.format(second="", last=""), 2)
    assert codes(report) == {"CKM265", "CKM266"}


def test_a_finding_counts_the_uses_and_names_the_first() -> None:
    (finding,) = find("global_load_dword v5, v2, s[6:7]\nv_mov_b32_e32 v6, v5\nv_mov_b32_e32 v7, v5").findings
    assert (finding.party.text, finding.count) == ("v_mov_b32_e32 v6, v5", 2)
    assert finding.other is not None and finding.other.text == "global_load_dword v5, v2, s[6:7]"


# Wave groups

#: Waves 2 and 3 run one barrier behind waves 0 and 1, as in kernels whose halves alternate.
STAGGERED = """
v_readfirstlane_b32 s12, v0
s_load_dword s8, s[6:7], 0x0
v_and_b32_e32 v3, 0x1ff, v2
ds_write_b32 v2, v0
s_waitcnt lgkmcnt(0)
s_cmp_lt_u32 s12, 128
s_barrier
s_cbranch_scc1 again
s_barrier
again:
{work}
s_sub_u32 s8, s8, 1
s_cmp_lg_u32 s8, 0
s_cbranch_scc1 again
"""


def test_wave_groups_keep_in_step_through_a_loop_of_unknown_trips() -> None:
    # The halves write and read one quarter each, by turns: while one writes, the other is behind or before a barrier.
    own = "ds_write_b32 v2, v0\ns_waitcnt lgkmcnt(0)\ns_barrier\nds_read_b32 v5, v2\ns_waitcnt lgkmcnt(0)\ns_barrier"
    assert find(STAGGERED.format(work=own), 4).clean
    shared = """
    s_barrier
    ds_read_b32 v5, v3
    s_waitcnt lgkmcnt(0)
    s_barrier
    """
    assert find(STAGGERED.format(work=shared), 4).clean
    written = shared.replace(
        "s_barrier\n    ds_read", "ds_write_b32 v3, v0\n    s_waitcnt lgkmcnt(0)\n    s_barrier\n    ds_read", 1
    )
    report = find(STAGGERED.format(work=written), 4)
    assert codes(report) >= {"CKM265", "CKM266"}
    waves = {(f.party.wave // 2, f.other.wave // 2) for f in report.findings if f.other}
    assert {(0, 1), (1, 0)} & waves


def test_waves_that_go_other_ways_by_their_number_are_both_checked() -> None:
    body = """
    v_readfirstlane_b32 s12, v0
    v_xor_b32_e32 v3, 0x100, v2
    s_cmp_lt_u32 s12, 64
    s_cbranch_scc0 consumer
    ds_write_b32 v2, v0
    s_waitcnt lgkmcnt({wait})
    s_barrier
    s_branch end
    consumer:
    s_barrier
    ds_read_b32 v5, v3
    s_waitcnt lgkmcnt(0)
    end:
    s_nop 0
    """
    assert find(body.format(wait=0), 2).clean
    report = find(body.format(wait=1), 2)
    assert codes(report) == {"CKM265"}
    (finding,) = report.findings
    assert finding.other is not None and (finding.party.wave, finding.other.wave) == (1, 0)


def test_lanes_that_are_known_to_be_off_touch_nothing() -> None:
    body = """
    v_and_b32_e32 v3, 0xff, v2
    v_cmp_gt_u32_e32 vcc, {lanes}, v0
    s_and_saveexec_b64 s[12:13], vcc
    ds_write_b32 v3, v0
    s_mov_b64 exec, s[12:13]
    s_waitcnt lgkmcnt(0)
    """
    assert find(body.format(lanes=64), 2).clean
    assert codes(find(body.format(lanes=65), 2)) == {"CKM267"}


# What is not decided


def test_an_address_from_memory_is_named_only_where_it_matters() -> None:
    body = """
    global_load_dword v3, v2, s[6:7]
    s_waitcnt vmcnt(0)
    ds_write_b32 v2, v0
    s_waitcnt lgkmcnt(0)
    {between}
    ds_read_b32 v5, v3
    s_waitcnt lgkmcnt(0)
    """
    assert find(body.format(between="s_barrier"), 2).clean
    report = find(body.format(between=""), 2)
    assert not report.findings
    (doubt,) = report.undecided
    assert doubt.party.text == "ds_read_b32 v5, v3" and doubt.reason == "the LDS address is not known"
    assert doubt.other is not None and doubt.other.text == "ds_write_b32 v2, v0"
    assert str(doubt).startswith("CKM269 undecided: ")


def test_m0_that_is_counted_up_in_a_loop_is_named() -> None:
    body = f"""
    s_load_dword s12, s[6:7], 0x0
    s_mov_b32 m0, 0
    {DESCRIPTOR_OF_A}
    s_waitcnt lgkmcnt(0)
    again:
    buffer_load_dword v2, s[8:11], 0 offen lds
    s_add_u32 m0, m0, 0x100
    s_sub_u32 s12, s12, 1
    s_cmp_lg_u32 s12, 0
    s_cbranch_scc1 again
    ds_read_b32 v5, v2
    s_waitcnt vmcnt(0) lgkmcnt(0)
    """
    report = find(body)
    assert {doubt.reason for doubt in report.undecided} == {"M0 is not known"} and not report.findings
    assert find(body.replace("    ds_read", "    s_waitcnt vmcnt(0)\n    ds_read")).clean


def test_waves_that_may_part_before_a_barrier_are_named() -> None:
    body = """
    global_load_dword v5, v2, s[6:7]
    s_waitcnt vmcnt(0)
    v_cmp_eq_u32_e32 vcc, 0, v5
    s_cbranch_vccz past
    s_barrier
    past:
    s_nop 0
    """
    (doubt,) = find(body, 2).undecided
    assert doubt.party.text == "s_barrier" and "part" in doubt.reason
    assert find(body, 1).clean


def test_a_jump_through_a_register_is_named() -> None:
    (doubt,) = find("s_getpc_b64 s[8:9]\ns_setpc_b64 s[8:9]").undecided
    assert doubt.party.text == "s_setpc_b64 s[8:9]"


def test_one_kernel_or_all() -> None:
    program = load(kernel_text("global_load_dword v5, v0, s[6:7]\nv_mov_b32_e32 v6, v5"))
    assert codes(check(program, "k")) == codes(check(program)) == {"CKM261"}


def test_a_program_with_too_many_ways_is_given_up_with_a_word(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("oracle.waits.order._LIMIT", 2)
    (doubt,) = find("s_barrier\ns_barrier\ns_barrier").undecided
    assert doubt.reason == "too many ways through the program"
