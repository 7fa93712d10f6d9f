# SPDX-License-Identifier: Apache-2.0
"""Every check: a program that has the fault is found, its repaired twin is clean."""

from __future__ import annotations

import numpy as np
import pytest

from oracle.machine import Mode, Report, Severity
from tests.oracle.machine.bench import launch

HEAD = """
\ts_load_dwordx4 s[4:7], s[0:1], 0x0
\tv_lshlrev_b32_e32 v2, 2, v0
\ts_waitcnt lgkmcnt(0)
"""
DESCRIPTOR = """
\ts_mov_b32 s8, s4
\ts_mov_b32 s9, s5
\ts_movk_i32 s10, 0x100
\ts_mov_b32 s11, 0x27000
"""

# code: (faulty body, repaired body, work items)
CASES: dict[str, tuple[str, str, int]] = {
    "CKM201 vmcnt": (
        "global_load_dword v5, v2, s[6:7]\n v_add_u32_e32 v6, 1, v5",
        "global_load_dword v5, v2, s[6:7]\n s_waitcnt vmcnt(0)\n v_add_u32_e32 v6, 1, v5",
        64,
    ),
    "CKM201 lgkmcnt": (
        "ds_write_b32 v2, v0\n ds_read_b32 v5, v2\n s_waitcnt lgkmcnt(1)\n v_mov_b32_e32 v6, v5",
        "ds_write_b32 v2, v0\n ds_read_b32 v5, v2\n s_waitcnt lgkmcnt(0)\n v_mov_b32_e32 v6, v5",
        64,
    ),
    "CKM201 store data": (
        "global_load_dword v5, v2, s[6:7]\n global_store_dword v2, v5, s[4:5]",
        "global_load_dword v5, v2, s[6:7]\n s_waitcnt vmcnt(0)\n global_store_dword v2, v5, s[4:5]",
        64,
    ),
    "CKM202": (
        "s_load_dword s8, s[6:7], 0x0\n s_add_u32 s9, s8, 1\n s_waitcnt lgkmcnt(0)",
        "s_load_dword s8, s[6:7], 0x0\n s_waitcnt lgkmcnt(0)\n s_add_u32 s9, s8, 1",
        64,
    ),
    "CKM202 unordered": (
        "s_load_dword s8, s[6:7], 0x0\n s_load_dword s9, s[6:7], 0x4\n s_waitcnt lgkmcnt(1)\n s_mov_b32 s10, s8\n"
        " s_waitcnt lgkmcnt(0)",
        "s_load_dword s8, s[6:7], 0x0\n s_load_dword s9, s[6:7], 0x4\n s_waitcnt lgkmcnt(0)\n s_mov_b32 s10, s8",
        64,
    ),
    "CKM203": (
        "global_load_dword v5, v2, s[6:7]\n v_mov_b32_e32 v5, 0\n s_waitcnt vmcnt(0)",
        "global_load_dword v5, v2, s[6:7]\n s_waitcnt vmcnt(0)\n v_mov_b32_e32 v5, 0",
        64,
    ),
    "CKM204 own": (
        "s_mov_b32 m0, 0\n" + DESCRIPTOR + "buffer_load_dword v2, s[8:11], 0 offen lds\n ds_read_b32 v5, v2\n"
        " s_waitcnt vmcnt(0) lgkmcnt(0)",
        "s_mov_b32 m0, 0\n" + DESCRIPTOR + "buffer_load_dword v2, s[8:11], 0 offen lds\n s_waitcnt vmcnt(0)\n"
        " ds_read_b32 v5, v2\n s_waitcnt lgkmcnt(0)",
        64,
    ),
    "CKM204 other wave": (
        "v_readfirstlane_b32 s12, v0\n s_lshl_b32 s12, s12, 2\n s_mov_b32 m0, s12\n"
        + DESCRIPTOR
        + "v_and_b32_e32 v3, 0xff, v2\n buffer_load_dword v3, s[8:11], 0 offen lds\n s_barrier\n"
        " v_xor_b32_e32 v4, 0x100, v2\n ds_read_b32 v5, v4\n s_waitcnt vmcnt(0) lgkmcnt(0)",
        "v_readfirstlane_b32 s12, v0\n s_lshl_b32 s12, s12, 2\n s_mov_b32 m0, s12\n"
        + DESCRIPTOR
        + "v_and_b32_e32 v3, 0xff, v2\n buffer_load_dword v3, s[8:11], 0 offen lds\n s_waitcnt vmcnt(0)\n s_barrier\n"
        " v_xor_b32_e32 v4, 0x100, v2\n ds_read_b32 v5, v4\n s_waitcnt vmcnt(0) lgkmcnt(0)",
        128,
    ),
    "CKM205": (
        "ds_write_b32 v2, v0\n s_waitcnt lgkmcnt(0)\n v_xor_b32_e32 v3, 0x100, v2\n s_nop 0\n ds_read_b32 v5, v3\n"
        " s_waitcnt lgkmcnt(0)",
        "ds_write_b32 v2, v0\n s_waitcnt lgkmcnt(0)\n v_xor_b32_e32 v3, 0x100, v2\n s_barrier\n ds_read_b32 v5, v3\n"
        " s_waitcnt lgkmcnt(0)",
        128,
    ),
    "CKM205 write not waited": (
        "ds_write_b32 v2, v0\n v_xor_b32_e32 v3, 0x100, v2\n s_barrier\n ds_read_b32 v5, v3\n s_waitcnt lgkmcnt(0)",
        "ds_write_b32 v2, v0\n v_xor_b32_e32 v3, 0x100, v2\n s_waitcnt lgkmcnt(0)\n s_barrier\n ds_read_b32 v5, v3\n"
        " s_waitcnt lgkmcnt(0)",
        128,
    ),
    "CKM206": (
        "ds_write_b32 v2, v0\n s_waitcnt lgkmcnt(0)\n s_barrier\n v_xor_b32_e32 v3, 0x100, v2\n ds_read_b32 v5, v3\n"
        " s_waitcnt lgkmcnt(0)\n ds_write_b32 v2, v5\n s_waitcnt lgkmcnt(0)",
        "ds_write_b32 v2, v0\n s_waitcnt lgkmcnt(0)\n s_barrier\n v_xor_b32_e32 v3, 0x100, v2\n ds_read_b32 v5, v3\n"
        " s_waitcnt lgkmcnt(0)\n s_barrier\n ds_write_b32 v2, v5\n s_waitcnt lgkmcnt(0)",
        128,
    ),
    "CKM207": (
        "v_and_b32_e32 v3, 0xff, v2\n ds_write_b32 v3, v0\n s_waitcnt lgkmcnt(0)",
        "ds_write_b32 v2, v0\n s_waitcnt lgkmcnt(0)",
        128,
    ),
    "CKM211": ("v_add_u32_e32 v6, 1, v5", "v_mov_b32_e32 v5, 0\n v_add_u32_e32 v6, 1, v5", 64),
    "CKM211 inactive lanes": (
        "s_mov_b64 exec, 1\n v_mov_b32_e32 v5, 0\n s_mov_b64 exec, 3\n v_mov_b32_e32 v6, v5",
        "s_mov_b64 exec, 3\n v_mov_b32_e32 v5, 0\n s_mov_b64 exec, 1\n v_mov_b32_e32 v6, v5",
        64,
    ),
    "CKM212": ("s_add_u32 s9, s20, 1", "s_mov_b32 s20, 0\n s_add_u32 s9, s20, 1", 64),
    "CKM213": (
        "ds_read_b32 v5, v2\n s_waitcnt lgkmcnt(0)",
        "ds_write_b32 v2, v0\n ds_read_b32 v5, v2\n s_waitcnt lgkmcnt(0)",
        64,
    ),
    "CKM214": (
        "global_load_dword v5, v2, s[4:5]\n s_waitcnt vmcnt(0)",
        "global_store_dword v2, v0, s[4:5]\n s_waitcnt vmcnt(0)\n global_load_dword v5, v2, s[4:5]\n"
        " s_waitcnt vmcnt(0)",
        64,
    ),
    "CKM221": (
        "global_load_dword v5, v2, s[6:7] offset:4\n s_waitcnt vmcnt(0)",
        "global_load_dword v5, v2, s[6:7]\n s_waitcnt vmcnt(0)",
        64,
    ),
    "CKM221 inside the descriptor": (
        DESCRIPTOR + "s_movk_i32 s10, 0x104\n buffer_store_dword v0, v2, s[8:11], 0 offen offset:4",
        DESCRIPTOR + "buffer_store_dword v0, v2, s[8:11], 0 offen offset:4",
        64,
    ),
    "CKM222": (
        DESCRIPTOR + "s_movk_i32 s12, 0x104\n buffer_store_dword v0, v2, s[8:11], s12 offen",
        DESCRIPTOR + "v_add_u32_e32 v3, 0x104, v2\n buffer_store_dword v0, v3, s[8:11], 0 offen",
        64,
    ),
    "CKM223": (
        "s_add_u32 s6, s6, 2\n s_load_dword s8, s[6:7], 0x0\n s_waitcnt lgkmcnt(0)",
        "s_load_dword s8, s[6:7], 0x0\n s_waitcnt lgkmcnt(0)",
        64,
    ),
    "CKM224": (
        "v_mov_b32_e32 v3, 0xfffd\n ds_write_b32 v3, v0\n s_waitcnt lgkmcnt(0)",
        "v_mov_b32_e32 v3, 0xfffc\n s_mov_b64 exec, 1\n ds_write_b32 v3, v0\n s_waitcnt lgkmcnt(0)",
        64,
    ),
    "CKM234": (
        "s_mov_b32 m0, 0\n" + DESCRIPTOR + "buffer_load_dword v2, s[8:11], 0 offen lds\n ds_write_b32 v2, v0\n"
        " s_waitcnt vmcnt(0) lgkmcnt(0)",
        "s_mov_b32 m0, 0\n" + DESCRIPTOR + "buffer_load_dword v2, s[8:11], 0 offen lds\n s_waitcnt vmcnt(0)\n"
        " ds_write_b32 v2, v0\n s_waitcnt lgkmcnt(0)",
        64,
    ),
}


def run(body: str, block: int, mode: Mode | None = None, grid: int = 1) -> Report:
    # The first array is written before it is read in every repaired case, except where a load is only read from it.
    uninitialised = "global_load_dword v5, v2, s[4:5]" in body
    text = HEAD + "\n".join("\t" + line.strip() for line in body.splitlines())
    arrays = [np.zeros(64, np.uint32), np.arange(64, dtype=np.uint32)]
    return launch(
        text, arrays, block=(block,), grid=(grid,), mode=mode or Mode(checks=True), initialised=not uninitialised
    )


@pytest.mark.parametrize("name", CASES)
def test_fault_is_found(name: str) -> None:
    faulty, _, block = CASES[name]
    report = run(faulty, block)
    found = {f.code for f in report.findings if f.severity is Severity.HIGH}
    assert name.split()[0] in found


@pytest.mark.parametrize("name", CASES)
def test_repaired_twin_is_clean(name: str) -> None:
    _, repaired, block = CASES[name]
    report = run(repaired, block)
    assert [str(f) for f in report.findings if f.severity is not Severity.NOTE] == []


@pytest.mark.parametrize("order", ["ascending", "descending", "seeded"])
@pytest.mark.parametrize("name", [name for name, case in CASES.items() if case[2] == 128])
def test_races_are_found_in_every_wave_order(name: str, order: str) -> None:
    faulty, repaired, block = CASES[name]
    mode = Mode(checks=True, wave_order=order, seed=3)
    assert any(f.severity is Severity.HIGH for f in run(faulty, block, mode).findings)
    assert all(f.severity is Severity.NOTE for f in run(repaired, block, mode).findings)


def test_finding_names_both_parties() -> None:
    faulty, _, block = CASES["CKM201 vmcnt"]
    (finding,) = [f for f in run(faulty, block).findings if f.code == "CKM201"]
    assert finding.party.text == "v_add_u32_e32 v6, 1, v5"
    assert finding.other is not None
    assert finding.other.text == "global_load_dword v5, v2, s[6:7]"
    assert finding.line == finding.other.line + 1
    assert "v5" in finding.explanation


def test_late_lds_read_is_low() -> None:
    body = """ds_write_b32 v2, v0
    s_waitcnt lgkmcnt(0)
    s_barrier
    v_xor_b32_e32 v3, 0x100, v2
    ds_read_b32 v5, v3
    s_barrier
    ds_write_b32 v2, v0
    s_waitcnt lgkmcnt(0)"""
    report = run(body, 128)
    assert {(f.code, f.severity) for f in report.findings if f.severity is not Severity.NOTE} == {
        ("CKM208", Severity.LOW)
    }


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
    (finding,) = [f for f in run(body, 256).findings if f.code == "CKM208"]
    assert finding.other is not None
    assert finding.other.wave == 3
    assert "CKM208" not in {f.code for f in run(body.replace("s_cmp_eq_u32 s8, 3", "s_cmp_eq_u32 s8, 4"), 256).findings}


def test_findings_that_do_not_fit_are_named() -> None:
    reads = "\n".join(["v_mov_b32_e32 v6, v5"] * 1100)
    assert "CKM243" in {f.code for f in run(reads, 64).findings}
    assert "CKM243" not in {f.code for f in run("\n".join(["v_mov_b32_e32 v6, v5"] * 1000), 64).findings}


def test_two_workgroups_on_one_address() -> None:
    store = "global_store_dword v2, v0, s[4:5]\n"
    (finding,) = [f for f in run(store, 64, grid=3).findings if f.code == "CKM232"]
    assert "workgroups 0 and 1" in finding.explanation
    assert finding.count == 2 * 256
    atomic = "global_atomic_add v2, v0, s[4:5]\n"
    assert run(atomic, 64, grid=3).findings == ()


def test_conflict_report_does_not_depend_on_threads() -> None:
    store = "global_store_dword v2, v0, s[4:5]\n"
    reports = {str(run(store, 64, Mode(checks=True, threads=n), grid=40).findings) for n in (1, 2, 3)}
    assert len(reports) == 1


def test_idle_wait_and_barrier_are_notes() -> None:
    report = run("s_waitcnt vmcnt(0)\n s_barrier", 128)
    assert {(f.code, f.severity) for f in report.findings} == {("CKM241", Severity.NOTE), ("CKM242", Severity.NOTE)}


def test_needed_barrier_is_no_note() -> None:
    _, repaired, block = CASES["CKM205"]
    assert "CKM242" not in {f.code for f in run(repaired, block).findings}


def test_partial_range_is_low() -> None:
    body = DESCRIPTOR + "s_movk_i32 s10, 0xfc\n v_lshlrev_b32_e32 v3, 3, v0\n s_mov_b32 exec_hi, 0\n"
    body += "buffer_load_dwordx2 v[6:7], v3, s[8:11], 0 offen\n s_waitcnt vmcnt(0)"
    findings = run(body, 64).findings
    assert [(f.code, f.party.lane) for f in findings] == [("CKM226", 31)]


def test_store_to_read_only_memory() -> None:
    from oracle.machine import Memory
    from tests.oracle.machine.bench import program

    memory = Memory()
    array = np.zeros(64, np.uint32)
    address = memory.place(array, "constant", writable=False)
    body = HEAD + "\tglobal_store_dword v2, v0, s[4:5]"
    report = program(body).launch((1,), (64,), address.to_bytes(8, "little").ljust(64, b"\0"), memory)
    assert [f.code for f in report.findings] == ["CKM225"]
    assert not array.any()


def test_scratch_outside_its_segment() -> None:
    body = HEAD + "\tv_mov_b32_e32 v3, 16\n\tscratch_store_dword v3, v0, off\n\ts_waitcnt vmcnt(0)"
    report = launch(body, [np.zeros(64, np.uint32)] * 1, mode=Mode(checks=True), scratch=16)
    assert "CKM227" in {f.code for f in report.findings}
