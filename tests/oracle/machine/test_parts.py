# SPDX-License-Identifier: Apache-2.0
"""Operands of which only some parts are in memory."""

from __future__ import annotations

import numpy as np
import pytest

from oracle.machine import LaunchError, Memory, Mode, load
from oracle.machine.check_examples import kernel_text

#: s[4:5] C, s[6:7] A; v2 = 4 * v0 and v[8:9] = A + 5 GiB + v2.
BODY = """
s_load_dwordx4 s[4:7], s[0:1], 0x0
v_lshlrev_b32_e32 v2, 2, v0
s_waitcnt lgkmcnt(0)
s_add_u32 s8, s6, 0x40000000
s_addc_u32 s9, s7, 1
global_load_dword v5, v2, s[8:9] offset:OFFSET
s_waitcnt vmcnt(0)
global_store_dword v2, v5, s[4:5]
"""
FAR, LANES = 5 << 30, 64


def run(offset: int) -> tuple[list[int], set[str]]:
    """Copy 64 dwords from `offset` bytes behind 5 GiB of an A of 8 GiB, of which there are those at 5 GiB."""
    c, memory = np.zeros(LANES, np.uint32), Memory()
    there = np.arange(LANES, dtype=np.uint32)
    operands = memory.place(c, "C"), memory.place_parts([(0, there), (FAR, there + 100)], 8 << 30, "A", writable=False)
    program = load(kernel_text(BODY.replace("OFFSET", str(offset)), kernarg=16))
    kernarg = b"".join(address.to_bytes(8, "little") for address in operands)
    report = program.launch((1,), (LANES,), kernarg, memory, Mode(checks=True))
    return c.tolist(), {str(finding) for finding in report.findings if finding.code == "CKM221"}


def test_a_part_past_4_gib_is_read_and_nothing_else_is_there() -> None:
    assert run(0) == (list(range(100, 100 + LANES)), set())
    copied, (found,) = run(4)
    assert copied == [*range(101, 100 + LANES), 0]
    assert f"A + {FAR + 4 * LANES} (of {8 << 30}, in no part that is there)" in found


@pytest.mark.parametrize(
    ("parts", "size"),
    [([(0, 4), (15, 1)], 64), ([(61, 1)], 64), ([(-4, 1)], 64), ([(0, 1)], 1 << 40)],
    ids=["overlap", "past the end", "before the start", "too large"],
)
def test_parts_must_fit(parts: list[tuple[int, int]], size: int) -> None:
    with pytest.raises(LaunchError, match="CKM101"):
        Memory().place_parts([(at, np.zeros(dwords, np.uint32)) for at, dwords in parts], size, "A")


def test_operands_never_meet() -> None:
    memory, part = Memory(), np.zeros(16, np.uint8)
    first = memory.place_parts([(i << 34, part) for i in range(9)], 9 << 34, "x_scale")
    second = memory.place(part, "C")
    assert second - first > 9 << 34 and len({first & 0xFFFFFFFF, second & 0xFFFFFFFF}) == 1
    assert memory.describe(second) == "C + 0 (of 16)" and memory.describe(second - 1) == "C - 1"
