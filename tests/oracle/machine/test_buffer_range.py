# SPDX-License-Identifier: Apache-2.0
"""The range check of buffer accesses, 32-bit word by word, against a description in numpy."""

from __future__ import annotations

import numpy as np
import pytest

from oracle.machine import Mode, Report, Severity
from tests.oracle.machine.bench import LANES, launch

SIZE = 1024  # bytes of the buffer
MARK = 0x5A5A5A5A
HEAD = """
\ts_load_dwordx4 s[4:7], s[0:1], 0x0
\ts_waitcnt lgkmcnt(0)
\ts_mov_b32 s8, {low}
\ts_mov_b32 s9, {high}
\ts_movk_i32 s10, {records}
\ts_mov_b32 s11, 0x27000
\ts_movk_i32 s12, {soffset}
\tv_mul_u32_u24_e32 v3, {step}, v0
\tv_add_u32_e32 v3, {start}, v3
\tv_lshlrev_b32_e32 v2, 4, v0
\ts_mov_b32 s13, 0x5a5a5a5a
\tv_mov_b32_e32 v4, s13
\tv_mov_b32_e32 v5, s13
\tv_mov_b32_e32 v6, s13
\tv_mov_b32_e32 v7, s13
"""


def body(text: str, *, of_c: bool, records: int, step: int, start: int = 0, soffset: int = 0) -> str:
    low, high = ("s4", "s5") if of_c else ("s6", "s7")
    head = HEAD.format(low=low, high=high, records=records, step=step, start=start, soffset=soffset)
    return head + text


def load(dwords: int, inst: int, register: str, mode: Mode, **where: int) -> tuple[np.ndarray, Report]:
    """Each lane's dwords [64, 4], of a buffer that holds 1, 2, 3, ...; registers beyond `dwords` keep MARK."""
    width = "" if dwords == 1 else f"x{dwords}"
    last = "v4" if dwords == 1 else f"v[4:{3 + dwords}]"
    text = f"\tbuffer_load_dword{width} {last}, v3, s[8:11], {register} offen offset:{inst}\n\ts_waitcnt vmcnt(0)\n"
    text += "\tglobal_store_dwordx4 v2, v[4:7], s[4:5]"
    result, a = np.zeros((LANES, 4), np.uint32), np.arange(1, SIZE // 4 + 1, dtype=np.uint32)
    report = launch(body(text, of_c=False, **where), [result, a], mode=mode)
    return result, report


def expected(dwords: int, offsets: np.ndarray, soffset: int, records: int) -> np.ndarray:
    result = np.full((LANES, 4), MARK, np.uint32)
    for lane, offset in enumerate(offsets.tolist()):
        for n in range(dwords):
            at = offset + soffset + 4 * n
            result[lane, n] = at // 4 + 1 if at + 4 <= records else 0
    return result


@pytest.mark.parametrize("mode", [Mode(), Mode(landing="late"), Mode(checks=True)], ids=["eager", "late", "checked"])
@pytest.mark.parametrize("dwords", [1, 2, 3, 4])
@pytest.mark.parametrize("soffset", [0, 20])
def test_each_word_of_a_load_is_checked_by_itself(dwords: int, soffset: int, mode: Mode) -> None:
    records = 4 * 64 + 12
    where = {"records": records, "step": 8, "soffset": soffset}
    got, report = load(dwords, 4, "s12", mode, **where)
    wanted = expected(dwords, np.arange(LANES) * 8 + 4, soffset, records)
    assert (got == wanted).all()
    counts = np.count_nonzero(wanted[:, :dwords], axis=1)
    partial = bool(((counts > 0) & (counts < dwords)).any())
    if mode.checks:
        found = {f.code for f in report.findings if f.severity >= Severity.NOTE}
        assert ("CKM226" in found) == partial
        assert not [f for f in report.findings if f.severity > 0 and f.code not in ("CKM222", "CKM228")]


def test_the_facts_own_case() -> None:
    """v3 = 8 and 12 bytes in range: the first dword is A[2], the second 0."""
    got, _ = load(2, 0, "0", Mode(), records=12, step=0, start=8)
    assert got[:, :2].tolist() == [[3, 0]] * LANES


@pytest.mark.parametrize("mode", [Mode(), Mode(checks=True)], ids=["eager", "checked"])
@pytest.mark.parametrize("dwords", [2, 3, 4])
def test_each_word_of_a_store_is_checked_by_itself(dwords: int, mode: Mode) -> None:
    records = 16 * 20 + 4
    width = f"\tbuffer_store_dwordx{dwords} v[4:{3 + dwords}], v3, s[8:11], 0 offen\n"
    c, a = np.zeros(SIZE // 4, np.uint32), np.zeros(1, np.uint32)
    report = launch(body(width, of_c=True, records=records, step=16), [c, a], mode=mode)
    wanted = np.zeros(SIZE // 4, np.uint32)
    for at in range(0, SIZE, 16):
        for n in range(dwords):
            wanted[at // 4 + n] = MARK if at + 4 * n + 4 <= records else 0
    assert (c == wanted).all()
    assert report.counters.out_of_range_lanes == LANES - 20
    if mode.checks:
        assert [(f.code, f.party.lane) for f in report.findings if f.severity is Severity.NOTE] == [("CKM226", 20)]


@pytest.mark.parametrize("landing", ["eager", "late"])
def test_each_word_of_an_lds_dma_is_checked_by_itself(landing: str) -> None:
    text = """
\ts_mov_b32 m0, 0
\ts_nop 0
\tbuffer_load_dwordx4 v3, s[8:11], 0 offen lds
\ts_waitcnt vmcnt(0)
\tds_read_b128 v[4:7], v2
\ts_waitcnt lgkmcnt(0)
\tglobal_store_dwordx4 v2, v[4:7], s[4:5]"""
    result, a = np.zeros((LANES, 4), np.uint32), np.arange(1, SIZE // 4 + 1, dtype=np.uint32)
    launch(body(text, of_c=False, records=16 * 40 + 4, step=16), [result, a], mode=Mode(landing=landing, checks=True))
    assert (result == expected(4, np.arange(LANES) * 16, 0, 16 * 40 + 4)).all()


def test_an_offset_wraps_and_the_wrap_is_said() -> None:
    got, report = load(1, 16, "0", Mode(checks=True), records=SIZE, step=0, start=-4)
    assert got[:, 0].tolist() == [4] * LANES
    assert "CKM271" in {f.code for f in report.findings}
    # SOFFSET is added without a wrap: past the end under the rule, at the front if it wrapped.
    got, report = load(1, 0, "s12", Mode(checks=True), records=SIZE, step=0, start=-4, soffset=16)
    assert got[:, 0].tolist() == [0] * LANES
    assert "CKM271" not in {f.code for f in report.findings}


@pytest.mark.parametrize(
    ("rule", "reach"),
    [("signed", [0, 0, 0, 0]), ("unsigned", [17, 18, 19, 20]), ("excluded", [17, 18, 19, 20])],
)
def test_the_other_rules_stay_as_options(rule: str, reach: list[int]) -> None:
    """32 bytes in range, 64 of soffset: nothing is left, unless soffset is not counted or the difference wraps."""
    got, _ = load(4, 0, "s12", Mode(buffer_range=rule), records=32, step=0, soffset=64)
    assert got.tolist() == [reach] * LANES


def test_rules_that_differ_in_some_words_only_are_said() -> None:
    """Of 16 bytes, 12 are in range with soffset left out and 8 with it counted."""
    _, report = load(4, 0, "s12", Mode(checks=True), records=12, step=0, soffset=4)
    assert {"CKM226", "CKM228"} <= {f.code for f in report.findings}
