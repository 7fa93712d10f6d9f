# SPDX-License-Identifier: Apache-2.0
"""Every check: a program that has the fault is found, its repaired twin is clean."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from oracle.machine import Memory, Mode, Report, Severity, causes
from oracle.machine.check_examples import CHECKS, DISTANCES, Example, find, page
from oracle.machine.check_examples.example import HEAD
from oracle.machine.report import CODES
from oracle.machine.tables.records import Code
from tests.oracle.machine.bench import launch, program

SEVERITIES = {f"CKM{code}": severity for code, (severity, _, _) in CODES.items()}
CASES = [
    pytest.param(check.code, example, id=f"{check.code} {example.what}")
    for check in CHECKS
    for example in check.examples
]
RACES = [
    pytest.param(example, id=f"{check.code} {example.what}")
    for check in CHECKS
    for example in check.examples
    if example.waves == 2 and SEVERITIES[check.code] is Severity.HIGH
]


def examples(code: str) -> tuple[Example, ...]:
    return next(check.examples for check in CHECKS if check.code == code)


def run(body: str, mode: Mode | None = None, grid: int = 1) -> Report:
    arrays = [np.zeros(64, np.uint32), np.arange(64, dtype=np.uint32)]
    return launch(HEAD + body, arrays, grid=(grid,), mode=mode or Mode(checks=True))


@pytest.mark.parametrize(("code", "example"), CASES)
def test_fault_is_found_and_its_repaired_twin_is_clean(code: str, example: Example) -> None:
    faulty = find(example.faulty, example.waves, example.workgroups)
    assert (code, SEVERITIES[code]) in {(f.code, f.severity) for f in faulty}
    repaired = find(example.repaired, example.waves, example.workgroups)
    assert code not in {f.code for f in repaired}
    assert [str(f) for f in repaired if f.severity is not Severity.NOTE] == []


@pytest.mark.parametrize("order", ["ascending", "descending", "seeded"])
@pytest.mark.parametrize("example", RACES)
def test_races_are_found_in_every_wave_order(example: Example, order: str) -> None:
    mode = Mode(checks=True, wave_order=order, seed=3)
    assert any(f.severity is Severity.HIGH for f in find(example.faulty, 2, mode=mode))
    assert all(f.severity is Severity.NOTE for f in find(example.repaired, 2, mode=mode))


def test_every_code_that_running_code_can_trip_has_an_example() -> None:
    codes = [check.code for check in CHECKS]
    assert codes == sorted({f"CKM{code}" for code in CODES})
    assert codes == [f"CKM{code.value}" for code in Code if code]
    assert not {d.code for d in DISTANCES} & set(codes)


def test_the_page_is_fresh(repository: Path) -> None:
    assert (repository / page.PAGE).read_text() == page.page(), "run: make generate"


def test_finding_names_both_parties() -> None:
    (finding,) = find(examples("CKM201")[0].faulty)
    assert finding.party.text == "v_add_u32_e32 v6, 1, v5"
    assert finding.other is not None
    assert finding.other.text == "global_load_dword v5, v2, s[6:7]"
    assert finding.line == finding.other.line + 1
    assert "v5" in finding.explanation


def test_every_reader_counts_not_only_two() -> None:
    """Of four readers in flight at the barrier three wait behind it; the fourth alone still races with the write."""
    body = """ds_write_b32 v2, v0
    s_waitcnt lgkmcnt(0)
    s_barrier
    v_mov_b32_e32 v3, 0
    v_lshrrev_b32_e32 v4, 6, v0
    v_readfirstlane_b32 s8, v4
    ds_read_b32 v5, v3
    s_barrier
    s_cmp_eq_u32 s8, 3
    s_cbranch_scc1 late
    s_waitcnt lgkmcnt(0)
late:
    s_barrier
    s_cmp_lg_u32 s8, 0
    s_cbranch_scc1 done
    ds_write_b32 v3, v0
done:
    s_waitcnt lgkmcnt(0)"""
    (finding,) = [f for f in find(body, 4) if f.code == "CKM244"]
    assert finding.other is not None
    assert finding.other.wave == 3
    assert "CKM244" not in {f.code for f in find(body.replace("s_cmp_eq_u32 s8, 3", "s_cmp_eq_u32 s8, 4"), 4)}


def test_two_workgroups_on_one_address() -> None:
    store = "global_store_dword v2, v0, s[4:5]\n"
    (finding,) = [f for f in run(store, grid=3).findings if f.code == "CKM232"]
    assert "workgroups 0 and 1" in finding.explanation
    assert finding.count == 2 * 256
    atomic = "global_atomic_add v2, v0, s[4:5]\n"
    assert run(atomic, grid=3).findings == ()


def test_conflict_report_does_not_depend_on_threads() -> None:
    store = "global_store_dword v2, v0, s[4:5]\n"
    reports = {str(run(store, Mode(checks=True, threads=n), grid=40).findings) for n in (1, 2, 3)}
    assert len(reports) == 1


def test_partial_range_names_the_lane() -> None:
    (example,) = examples("CKM226")
    assert [(f.code, f.party.lane) for f in find(example.faulty)] == [("CKM226", 31)]


def test_store_to_read_only_memory_is_dropped() -> None:
    memory = Memory()
    array = np.zeros(64, np.uint32)
    address = memory.place(array, "constant", writable=False)
    body = HEAD + "global_store_dword v2, v0, s[4:5]"
    report = program(body).launch((1,), (64,), address.to_bytes(8, "little").ljust(64, b"\0"), memory)
    assert [f.code for f in report.findings] == ["CKM225"]
    assert not array.any()


def test_a_cause_is_said_once() -> None:
    """One missing wait behind four loads and eight readers: one cause, which counts the rest."""
    loads = "".join(f"global_load_dword v{10 + n}, v2, s[6:7]\n" for n in range(4))
    reads = "".join(f"v_add_u32_e32 v{20 + n}, 1, v{10 + n % 4}\n" for n in range(8))
    late = "ds_write_b32 v2, v0\nds_read_b32 v30, v2\nv_mov_b32_e32 v31, v30\n"
    findings = [f for f in find(loads + reads + late) if f.severity is Severity.HIGH]
    assert len(findings) == 9
    found = causes(findings)
    assert [len(cause.findings) for cause in found] == [8, 1]
    assert str(found[0]).startswith(str(findings[0])) and "and 7 more of v_add_u32_e32 and global_load_dword" in str(
        found[0]
    )
    assert str(found[1]) == str(found[1].first)


def test_an_access_that_leaves_its_allocation_says_how_long_it_is() -> None:
    (finding,) = [f for f in find("global_load_dwordx4 v[4:7], v2, s[6:7]\ns_waitcnt vmcnt(0)") if f.code == "CKM221"]
    assert finding.explanation == "16 bytes at A + 244 (of 256) lie in no allocation as a whole"


@pytest.mark.parametrize(
    ("write", "wait"), [("buffer_load_dword v2, s[8:11], 0 offen lds", "vmcnt"), ("ds_write_b32 v2, v0", "lgkmcnt")]
)
def test_a_race_names_the_wait_that_is_missing(write: str, wait: str) -> None:
    """The barrier is there; the writing wave did not wait before it."""
    descriptor = "s_mov_b32 s8, s6\ns_mov_b32 s9, s7\ns_movk_i32 s10, 0x100\ns_mov_b32 s11, 0x27000\ns_mov_b32 m0, 0\n"
    body = f"""
v_readfirstlane_b32 s14, v0
s_cmp_lg_u32 s14, 0
s_cbranch_scc1 1f
{write}
1:
s_barrier
v_and_b32_e32 v3, 63, v0
v_lshlrev_b32_e32 v3, 2, v3
s_cmp_lg_u32 s14, 0
s_cbranch_scc0 2f
ds_read_b32 v5, v3
s_waitcnt lgkmcnt(0)
2:
s_waitcnt vmcnt(0) lgkmcnt(0)"""
    races = [f for f in find(descriptor + body, waves=2) if f.code == "CKM205"]
    assert races and all(
        f"is read without {wait} and then a barrier after another wave's" in f.explanation for f in races
    )
