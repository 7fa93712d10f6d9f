# SPDX-License-Identifier: Apache-2.0
"""The counter of vector memory requests, against counts by hand and a description in Python."""

from __future__ import annotations

import numpy as np
import pytest

from oracle.machine import Mode, Report, Requests
from tests.oracle.machine.bench import LANES, launch

MODES = pytest.mark.parametrize("mode", [Mode(), Mode(landing="late", checks=True)], ids=["eager", "checked"])
SIZE = 16384
#: s[4:5] C, s[6:7] A; s[8:11] a buffer of A; v3 = step * lane + start.
HEAD = """
\ts_load_dwordx4 s[4:7], s[0:1], 0x0
\ts_waitcnt lgkmcnt(0)
\ts_mov_b32 s8, s6
\ts_mov_b32 s9, s7
\ts_movk_i32 s10, {records}
\ts_mov_b32 s11, 0x27000
\ts_movk_i32 s12, {step}
\tv_mul_lo_u32 v3, v0, s12
\tv_add_u32_e32 v3, {start}, v3
\tv_mov_b32_e32 v4, 0
\tv_mov_b32_e32 v5, 0
\tv_mov_b32_e32 v6, 0
\tv_mov_b32_e32 v7, 0
"""
LOAD = "\tbuffer_load_dwordx4 v[4:7], v3, s[8:11], 0 offen\n\ts_waitcnt vmcnt(0)"


def run(body: str, mode: Mode, *, step: int, start: int = 0, records: int = SIZE, waves: int = 1) -> Report:
    arrays = [np.zeros(SIZE, np.uint8), np.zeros(SIZE, np.uint8)]
    text = HEAD.format(records=records, step=step, start=start) + body
    return launch(text, arrays, mode=mode, block=(64 * waves,))


def requests(body: str, mode: Mode, **where: int) -> dict[str, Requests]:
    """Requests by allocation."""
    return run(body, mode, **where).counters.requests


@MODES
@pytest.mark.parametrize(
    ("step", "start", "records", "expected"),
    [
        (16, 0, SIZE, 16),  # coalesced
        (16, 4, SIZE, 17),  # not aligned to a segment
        (0, 0, SIZE, 1),  # all lanes at one place
        (128, 0, SIZE, 64),  # a row a lane
        (128, 56, SIZE, 128),  # each lane in two segments
        (32, 0, SIZE, 32),
        (16, 0, 256, 4),  # lanes out of range ask nothing
        (16, 0, 264, 5),  # of lane 16 two of four dwords are in range
        (16, 0, 0, 0),
    ],
)
def test_segments_of_a_load(step: int, start: int, records: int, expected: int, mode: Mode) -> None:
    found = requests(LOAD, mode, step=step, start=start, records=records)
    assert found == ({"array 1": Requests(loads=expected)} if expected else {})


@MODES
def test_lanes_that_do_not_execute_ask_nothing(mode: Mode) -> None:
    body = "\ts_mov_b64 exec, 0xff\n" + LOAD
    assert requests(body, mode, step=16) == {"array 1": Requests(loads=2)}


@MODES
def test_dma_stores_and_atomics_count_apart_and_by_allocation(mode: Mode) -> None:
    body = """
\ts_mov_b32 m0, 0
\tbuffer_load_dwordx4 v3, s[8:11], 0 offen lds
\tglobal_store_dwordx2 v3, v[4:5], s[4:5]
\ts_waitcnt vmcnt(0)
\tglobal_atomic_add v3, v4, s[4:5]
\ts_waitcnt vmcnt(0)
"""
    found = requests(body, mode, step=16)
    assert found == {"array 0": Requests(stores=16, atomics=16), "array 1": Requests(dma=16)}
    assert found["array 0"].total == 32


@MODES
def test_every_wave_asks_for_itself(mode: Mode) -> None:
    body = "\tv_and_b32_e32 v3, 0x3ff, v3\n" + LOAD
    assert requests(body, mode, step=16, waves=4) == {"array 1": Requests(loads=4 * 16)}


@MODES
def test_lanes_in_two_allocations(mode: Mode) -> None:
    """Even lanes read C, odd lanes A, a dword of 64 consecutive ones each."""
    body = """
\tv_lshlrev_b32_e32 v2, 2, v0
\tv_and_b32_e32 v8, 1, v0
\tv_cmp_eq_u32_e64 s[14:15], 1, v8
\tv_mov_b32_e32 v10, s4
\tv_mov_b32_e32 v11, s5
\tv_mov_b32_e32 v12, s6
\tv_mov_b32_e32 v13, s7
\tv_cndmask_b32_e64 v10, v10, v12, s[14:15]
\tv_cndmask_b32_e64 v11, v11, v13, s[14:15]
\tv_add_co_u32_e32 v10, vcc, v10, v2
\tv_addc_co_u32_e32 v11, vcc, 0, v11, vcc
\tglobal_load_dword v4, v[10:11], off
\ts_waitcnt vmcnt(0)
"""
    assert requests(body, mode, step=0) == {"array 0": Requests(loads=4), "array 1": Requests(loads=4)}


@pytest.mark.parametrize("threads", [1, 3])
def test_workgroups_and_threads_add_up(threads: int) -> None:
    arrays = [np.zeros(SIZE, np.uint8), np.zeros(SIZE, np.uint8)]
    text = HEAD.format(records=SIZE, step=16, start=0) + LOAD
    report = launch(text, arrays, grid=(7,), mode=Mode(threads=threads))
    assert report.counters.requests == {"array 1": Requests(loads=7 * 16)}


@pytest.mark.parametrize("seed", range(8))
def test_any_addresses(seed: int) -> None:
    """Offsets that lanes read from A, against a set of segments."""
    rng = np.random.default_rng(seed)
    offsets = rng.integers(0, 1 << int(rng.integers(5, 14)), LANES).astype(np.uint32) & ~np.uint32(3)
    a = np.zeros(SIZE, np.uint32)
    a[:LANES] = offsets
    text = HEAD.format(records=SIZE, step=4, start=0) + """
\tbuffer_load_dword v3, v3, s[8:11], 0 offen
\ts_waitcnt vmcnt(0)
""" + LOAD
    report = launch(text, [np.zeros(SIZE, np.uint8), a])
    wanted = {x // 64 for o in offsets.tolist() for x in (o, o + 15) if o + 16 <= SIZE}
    assert report.counters.requests["array 1"].loads == 4 + len(wanted)
