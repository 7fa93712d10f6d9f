# SPDX-License-Identifier: Apache-2.0
"""Order of global memory: what workgroups see of one another, in every order, and what the machine says of it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

from oracle.machine import ORDERS, ExecutionError, Memory, Mode, Report, Severity
from oracle.machine.check_examples.example import HEAD
from tests.oracle.machine.bench import Words, program

#: s12: this workgroup's 256 bytes of the workspace at s[4:5]; s[6:7]: the counter, then the result at byte 256.
START = f"""{HEAD}
s_lshl_b32 s12, s2, 8
v_add_u32_e32 v3, s12, v2
v_lshrrev_b32_e32 v4, 6, v0
v_readfirstlane_b32 s13, v4
s_lshl_b32 s14, s13, 8
v_mov_b32_e32 v10, 0
v_mov_b32_e32 v11, 1
v_add_u32_e32 v12, 1, v0
"""
COUNT = """
s_mov_b64 exec, 1
global_atomic_add v13, v10, v11, s[6:7] sc0
s_waitcnt vmcnt(0)
v_readfirstlane_b32 s15, v13
s_mov_b64 exec, -1
s_cmp_eq_u32 s15, {last}
s_cbranch_scc0 .Lend
"""
SUM = """
v_mov_b32_e32 v14, 0
{loads}
global_store_dword v2, v14, s[6:7] offset:256
.Lend:
"""
RELEASE, ACQUIRE = "buffer_wbl2 sc1\ns_waitcnt vmcnt(0)", "buffer_inv sc1"


@dataclass(frozen=True)
class Outcome:
    """What a launch left behind: its report, the workspace and the counter's region."""

    report: Report
    workspace: Words
    result: Words

    @property
    def codes(self) -> set[str]:
        """Findings but for the distances between instructions, which these texts do not keep."""
        return {f.code for f in self.report.findings if f.severity is not Severity.NOTE and f.code[:5] != "CKM25"}


def run(body: str, groups: int = 3, waves: int = 1, mode: Mode | None = None) -> Outcome:
    memory = Memory()
    workspace, result = np.full(64 * 16, 7, np.uint32), np.zeros(64 * 16, np.uint32)
    addresses = [memory.place(workspace, "workspace"), memory.place(result, "result")]
    kernarg = b"".join(a.to_bytes(8, "little") for a in addresses).ljust(64, b"\0")
    chosen = mode or Mode(landing="late", checks=True)
    report = program(START + body).launch((groups,), (64 * waves,), kernarg, memory, chosen)
    return Outcome(report, workspace, result)


def split_k(release: str = RELEASE, acquire: str = ACQUIRE, groups: int = 3) -> str:
    """Each workgroup stores v0 + 1; the last to arrive sums them all."""
    loads = "\n".join(
        f"global_load_dword v15, v2, s[4:5] offset:{256 * g}\ns_waitcnt vmcnt(0)\nv_add_u32_e32 v14, v14, v15"
        for g in range(groups)
    )
    count = COUNT.format(last=groups - 1)
    return f"global_store_dword v3, v12, s[4:5]\n{release}\n{count}\n{acquire}\n{SUM.format(loads=loads)}"


@pytest.mark.parametrize("order", ORDERS)
def test_split_k_by_the_last_arrival(order: str) -> None:
    late = Mode(landing="late", workgroup_order=order, seed=5, checks=True)
    good = run(split_k(), mode=late)
    assert good.codes == set()
    assert (good.result[64:128] == 3 * np.arange(1, 65)).all()
    for broken in (
        split_k(release="buffer_wbl2 sc1"),
        split_k(release="s_waitcnt vmcnt(0)"),
        split_k(release="buffer_wbl2 sc0\ns_waitcnt vmcnt(0)"),
        split_k(acquire=""),
        split_k(acquire="buffer_inv sc0"),
    ):
        bad = run(broken, mode=late)
        assert "CKM236" in bad.codes
        # The last arrival sees its own store, and of the others what was there before the launch.
        assert (bad.result[64:128] == np.arange(1, 65) + 2 * 7).all()


def test_a_launch_is_a_release_and_an_acquire() -> None:
    memory = Memory()
    workspace, result = np.zeros(64 * 3, np.uint32), np.zeros(64 * 3, np.uint32)
    raw = b"".join(memory.place(a, n).to_bytes(8, "little") for a, n in ((workspace, "w"), (result, "r"))).ljust(
        64, b"\0"
    )
    store = program(START + "global_store_dword v3, v12, s[4:5]")
    read = program(
        START
        + "v_xor_b32_e32 v3, 0x100, v3\nglobal_load_dword v5, v3, s[4:5]\n"
        + "s_waitcnt vmcnt(0)\nglobal_store_dword v3, v5, s[6:7]"
    )
    mode = Mode(landing="late", checks=True)
    for code in (store, read):
        found = code.launch((2,), (64,), raw, memory, mode).findings
        assert {f.code for f in found if f.severity is Severity.HIGH} <= {"CKM252"}
    assert (result[:128] == np.tile(np.arange(1, 65), 2)).all()


#: Two waves store; wave 0 alone writes back and counts, wave 1 of the last workgroup alone reads.
BY_WAVES = """
v_lshl_add_u32 v3, s2, 7, v0
v_lshlrev_b32_e32 v3, 2, v3
global_store_dword v3, v12, s[4:5]
{wait}
s_barrier
v_mov_b32_e32 v16, 0
s_cmp_eq_u32 s13, 0
s_cbranch_scc0 .Lwait
{writeback}
s_mov_b64 exec, 1
global_atomic_add v13, v10, v11, s[6:7] sc0
s_waitcnt vmcnt(0)
ds_write_b32 v10, v13
s_waitcnt lgkmcnt(0)
s_mov_b64 exec, -1
{invalidate}
.Lwait:
s_barrier
ds_read_b32 v16, v10
s_waitcnt lgkmcnt(0)
v_readfirstlane_b32 s15, v16
s_cmp_eq_u32 s15, 1
s_cbranch_scc0 .Lend
s_cmp_eq_u32 s13, 1
s_cbranch_scc0 .Lend
s_xor_b32 s16, s2, 1
s_lshl_b32 s16, s16, 9
v_add_u32_e32 v17, s16, v2
global_load_dword v18, v17, s[4:5]
s_waitcnt vmcnt(0)
.Lend:
"""


@pytest.mark.parametrize(
    ("wait", "writeback", "invalidate", "found"),
    [
        ("s_waitcnt vmcnt(0)", RELEASE, ACQUIRE, set()),
        ("s_nop 0", RELEASE, ACQUIRE, {"CKM236"}),
        ("s_waitcnt vmcnt(0)", "s_nop 0", ACQUIRE, {"CKM236"}),
        ("s_waitcnt vmcnt(0)", RELEASE, "s_nop 0", {"CKM236"}),
        (RELEASE, "s_nop 0", ACQUIRE, set()),
    ],
)
@pytest.mark.parametrize("order", ORDERS)
def test_barriers_hand_on_releases_and_acquires(
    wait: str, writeback: str, invalidate: str, found: set[str], order: str
) -> None:
    mode = Mode(landing="late", wave_order=order, workgroup_order=order, seed=2, checks=True)
    assert run(BY_WAVES.format(wait=wait, writeback=writeback, invalidate=invalidate), 2, 2, mode).codes == found


def test_a_flag_that_is_set_and_seen_orders_stores() -> None:
    """Workgroup 1 looks whether workgroup 0, which has run, has set its flag."""
    body = """
    s_cmp_eq_u32 s2, 0
    s_cbranch_scc0 .Lread
    global_store_dword v2, v12, s[4:5]
    {release}
    s_mov_b64 exec, 1
    global_store_dword v10, v11, s[6:7]{scope}
    s_branch .Lend
.Lread:
    s_mov_b64 exec, 1
    global_load_dword v13, v10, s[6:7] sc1
    s_waitcnt vmcnt(0)
    buffer_inv sc1
    s_mov_b64 exec, -1
    global_load_dword v14, v2, s[4:5]
    s_waitcnt vmcnt(0)
.Lend:
    """
    assert run(body.format(release=RELEASE, scope=" sc1"), 2).codes == set()
    assert run(body.format(release="", scope=" sc1"), 2).codes == {"CKM236"}
    assert run(body.format(release=RELEASE, scope=""), 2).codes == {"CKM236"}


def test_a_read_that_a_later_workgroup_overwrites() -> None:
    """The reader must be done, and the writer must know, before the bytes change."""
    body = """
    global_load_dword v5, v2, s[4:5]
    {wait}
    """ + COUNT.format(last=1) + "global_store_dword v2, v12, s[4:5]\n.Lend:\ns_waitcnt vmcnt(0)"
    assert run(body.format(wait="s_waitcnt vmcnt(0)"), 2).codes == set()
    assert run(body.format(wait=""), 2).codes == {"CKM236"}


def test_clearing_what_others_add_to_needs_an_order() -> None:
    body = """
    s_cmp_eq_u32 s2, 0
    s_cbranch_scc0 .Ladd
    global_store_dword v2, v10, s[4:5]
    .Ladd:
    global_atomic_add v2, v12, s[4:5]
    """
    assert run(body, 2).codes == {"CKM236"}
    assert run("global_atomic_add v2, v12, s[4:5]", 4).codes == set()


def test_read_and_write_of_two_workgroups_by_byte() -> None:
    body = """
    v_lshl_add_u32 v3, s2, 6, v0
    global_store_byte v3, v0, s[4:5]
    v_add_u32_e32 v4, {skip}, v3
    global_load_ubyte v5, v4, s[4:5]
    """
    (finding,) = [f for f in run(body.format(skip=1), 2).report.findings if f.code == "CKM235"]
    assert "workspace + 64 (of 4096) is read by workgroup 0 and written by workgroup 1" in finding.explanation
    assert finding.count == 1
    assert run(body.format(skip=0), 2).codes == set()


def test_the_report_does_not_depend_on_threads_or_order() -> None:
    body = """
    global_store_dword v3, v12, s[4:5]
    v_xor_b32_e32 v4, 0x100, v3
    global_load_dword v5, v4, s[4:5]
    s_waitcnt vmcnt(0)
    """
    modes = [Mode(checks=True, threads=n, workgroup_order=order) for n in (1, 2, 3) for order in ORDERS]
    found = {str([f for f in run(body, 16, mode=mode).report.findings if f.code == "CKM235"]) for mode in modes}
    assert len(found) == 1 and "CKM235" in found.pop()


def test_fp_atomics_give_other_bits_in_another_order() -> None:
    """1, 2^-24 and 2^-24: the small ones count only if they meet first."""
    body = """
    s_cmp_eq_u32 s2, 0
    s_cselect_b32 s16, 1.0, 0x33800000
    v_mov_b32_e32 v5, s16
    v_mov_b32_e32 v6, 0
    s_cmp_lt_u32 s2, {most}
    s_cbranch_scc0 .Lend
    global_atomic_add_f32 v2, v5, s[6:7]
    .Lend:
    """
    seen = [
        run(body.format(most=3), mode=Mode(checks=True, workgroup_order=order)) for order in ("ascending", "descending")
    ]
    assert (seen[0].result[:64] != seen[1].result[:64]).all()
    # The ascending order rounds both times; the other one never does, and so has no finding: the recipe runs several.
    assert [outcome.codes for outcome in seen] == [{"CKM239"}, set()]
    two = run(body.format(most=2), mode=Mode(checks=True))
    assert two.codes == set()


def test_a_wait_for_another_workgroup_is_named() -> None:
    body = """
    .Lagain:
    global_load_dword v5, v10, s[6:7] sc1
    s_waitcnt vmcnt(0)
    v_readfirstlane_b32 s15, v5
    s_cmp_eq_u32 s15, 0
    s_cbranch_scc1 .Lagain
    """
    with pytest.raises(ExecutionError, match="another workgroup") as raised:
        run(body, 1, mode=Mode(budget=1000))
    assert raised.value.code == "CKM113"


def test_every_chosen_workgroup_runs_in_every_order() -> None:
    for order in ORDERS:
        mode = Mode(workgroups=[5, 1, 3], workgroup_order=order, checks=True)
        stored = run("global_store_dword v3, v12, s[4:5]", 8, mode=mode).workspace.reshape(-1, 64)
        assert [g for g in range(8) if (stored[g] == np.arange(1, 65)).all()] == [1, 3, 5]


@pytest.mark.parametrize(
    ("add", "rounds", "exact"),
    [
        ("global_atomic_add_f32 v4, v5, s[6:7]", 0x3F800001, 0x3F800000),
        ("global_atomic_pk_add_bf16 v4, v5, s[6:7]", 0x3F813F80, 0x3F803F80),
        ("global_atomic_pk_add_f16 v4, v5, s[6:7]", 0x3C003C01, 0x3C003C00),
        ("global_atomic_add_f64 v4, v[5:6], s[6:7]", 1, 0),
        ("global_atomic_add v4, v5, s[6:7]", 0x3F800001, 0),
    ],
)
def test_every_fp_sum_is_looked_at(add: str, rounds: int, exact: int) -> None:
    body = "v_lshlrev_b32_e32 v4, 3, v0\nv_mov_b32_e32 v6, 0x3ff00000\nv_mov_b32_e32 v5, {}\n" + add
    assert run(body.format(exact)).codes == set()
    assert run(body.format(rounds)).codes == ({"CKM239"} if "_add v4" not in add else set())
    # One workgroup alone adds in its own order.
    assert run("\n".join([body.format(rounds), add, add]), 1).codes == set()
