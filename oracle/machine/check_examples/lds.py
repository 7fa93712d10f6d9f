# SPDX-License-Identifier: Apache-2.0
"""LDS: order between waves and with DMA, and bytes that are not there."""

from __future__ import annotations

import textwrap

from .example import DESCRIPTOR_OF_A, Check, Example

#: 64 dwords of A to LDS byte 0.
_DMA = f"""
s_mov_b32 m0, 0
{DESCRIPTOR_OF_A.strip()}
buffer_load_dword v2, s[8:11], 0 offen lds
"""
#: Each of two waves moves 64 dwords of A to its own half of LDS bytes 0..511.
_DMA_OF_TWO_WAVES = f"""
v_readfirstlane_b32 s12, v0
s_lshl_b32 s12, s12, 2
s_mov_b32 m0, s12
{DESCRIPTOR_OF_A.strip()}
v_and_b32_e32 v3, 0xff, v2
v_xor_b32_e32 v4, 0x100, v2
buffer_load_dword v3, s[8:11], 0 offen lds
"""

#: Each wave reads the other's half, then moves its own anew behind a barrier.
_LATE_READ = """
s_waitcnt vmcnt(0)
s_barrier
ds_read_b32 v5, v4
{wait}
s_barrier
"""
_AGAIN = "buffer_load_dword v3, s[8:11], 0 offen lds"


def _after(start: str, rest: str) -> str:
    return start.strip() + "\n" + textwrap.dedent(rest).strip()


LDS = (
    Check(
        "CKM204",
        "A load with `lds` writes LDS by itself and is counted by vmcnt. Until a wait covers it, in the wave that "
        "issued it and before the barrier, LDS holds the old bytes.",
        (
            Example(
                "the wave's own DMA",
                _after(
                    _DMA,
                    """
                    ds_read_b32 v5, v2
                    s_waitcnt vmcnt(0) lgkmcnt(0)
                    """,
                ),
                _after(
                    _DMA,
                    """
                    s_waitcnt vmcnt(0)
                    ds_read_b32 v5, v2
                    s_waitcnt lgkmcnt(0)
                    """,
                ),
            ),
            Example(
                "the DMA of another wave, behind a barrier but not waited for",
                _after(
                    _DMA_OF_TWO_WAVES,
                    """
                    s_barrier
                    ds_read_b32 v5, v4
                    s_waitcnt vmcnt(0) lgkmcnt(0)
                    """,
                ),
                _after(
                    _DMA_OF_TWO_WAVES,
                    """
                    s_waitcnt vmcnt(0)
                    s_barrier
                    ds_read_b32 v5, v4
                    s_waitcnt lgkmcnt(0)
                    """,
                ),
                waves=2,
            ),
        ),
    ),
    Check(
        "CKM205",
        "Waves run at their own pace: without a wait and then a barrier the reader may be first.",
        (
            Example(
                "no barrier",
                """
                v_xor_b32_e32 v3, 0x100, v2
                ds_write_b32 v2, v0
                s_waitcnt lgkmcnt(0)
                ds_read_b32 v5, v3
                s_waitcnt lgkmcnt(0)
                """,
                """
                v_xor_b32_e32 v3, 0x100, v2
                ds_write_b32 v2, v0
                s_waitcnt lgkmcnt(0)
                s_barrier
                ds_read_b32 v5, v3
                s_waitcnt lgkmcnt(0)
                """,
                waves=2,
            ),
            Example(
                "a barrier, but the write was not waited for in front of it",
                """
                v_xor_b32_e32 v3, 0x100, v2
                ds_write_b32 v2, v0
                s_barrier
                ds_read_b32 v5, v3
                s_waitcnt lgkmcnt(0)
                """,
                """
                v_xor_b32_e32 v3, 0x100, v2
                ds_write_b32 v2, v0
                s_waitcnt lgkmcnt(0)
                s_barrier
                ds_read_b32 v5, v3
                s_waitcnt lgkmcnt(0)
                """,
                waves=2,
            ),
        ),
    ),
    Check(
        "CKM206",
        "The next tile may overwrite what a slower wave has still to read.",
        (
            Example(
                "one buffer, and only one of its two barriers",
                """
                v_xor_b32_e32 v3, 0x100, v2
                ds_write_b32 v2, v0
                s_waitcnt lgkmcnt(0)
                s_barrier
                ds_read_b32 v5, v3
                s_waitcnt lgkmcnt(0)
                ds_write_b32 v2, v5
                s_waitcnt lgkmcnt(0)
                """,
                """
                v_xor_b32_e32 v3, 0x100, v2
                ds_write_b32 v2, v0
                s_waitcnt lgkmcnt(0)
                s_barrier
                ds_read_b32 v5, v3
                s_waitcnt lgkmcnt(0)
                s_barrier
                ds_write_b32 v2, v5
                s_waitcnt lgkmcnt(0)
                """,
                waves=2,
            ),
        ),
    ),
    Check(
        "CKM207",
        "Which wave is last is chance.",
        (
            Example(
                "two waves write the same 64 dwords",
                """
                v_and_b32_e32 v3, 0xff, v2
                ds_write_b32 v3, v0
                s_waitcnt lgkmcnt(0)
                """,
                """
                ds_write_b32 v2, v0
                s_waitcnt lgkmcnt(0)
                """,
                waves=2,
            ),
        ),
    ),
    Check(
        "CKM208",
        "The read was issued before the barrier, and LDS answers long before memory can overwrite it; nothing in the "
        "ISA promises that.",
        (
            Example(
                "a read that the barrier does not cover, and DMA",
                _after(_DMA_OF_TWO_WAVES, _LATE_READ.format(wait="") + _AGAIN),
                _after(_DMA_OF_TWO_WAVES, _LATE_READ.format(wait="s_waitcnt lgkmcnt(0)") + _AGAIN),
                waves=2,
            ),
            Example(
                "the wave's own read",
                _after(
                    _DMA,
                    "s_waitcnt vmcnt(0)\nds_read_b32 v5, v2\ns_barrier\nbuffer_load_dword v2, s[8:11], 0 offen lds",
                ),
                _after(
                    _DMA,
                    """
                    s_waitcnt vmcnt(0)
                    ds_read_b32 v5, v2
                    s_waitcnt lgkmcnt(0)
                    buffer_load_dword v2, s[8:11], 0 offen lds
                    """,
                ),
            ),
        ),
    ),
    Check(
        "CKM213",
        "LDS holds what the last workgroup on this CU left in it.",
        (
            Example(
                "a read before any write",
                """
                ds_read_b32 v5, v2
                s_waitcnt lgkmcnt(0)
                """,
                """
                ds_write_b32 v2, v0
                ds_read_b32 v5, v2
                s_waitcnt lgkmcnt(0)
                """,
            ),
        ),
    ),
    Check(
        "CKM224",
        "Nothing of the workgroup's lies there: the machine drops a write and reads zero.",
        (
            Example(
                "64 dwords from byte 1024 on, the end of the allocation",
                """
                ds_write_b32 v2, v0 offset:1024
                s_waitcnt lgkmcnt(0)
                """,
                """
                ds_write_b32 v2, v0 offset:768
                s_waitcnt lgkmcnt(0)
                """,
            ),
        ),
    ),
    Check(
        "CKM234",
        "DMA is counted by vmcnt and LDS writes by lgkmcnt: nothing orders the two but a wait.",
        (
            Example(
                "an LDS write behind the wave's own DMA",
                _after(
                    _DMA,
                    """
                    ds_write_b32 v2, v0
                    s_waitcnt vmcnt(0) lgkmcnt(0)
                    """,
                ),
                _after(
                    _DMA,
                    """
                    s_waitcnt vmcnt(0)
                    ds_write_b32 v2, v0
                    s_waitcnt lgkmcnt(0)
                    """,
                ),
            ),
        ),
    ),
    Check(
        "CKM244",
        "As CKM208, but an LDS write is as fast as the read that it overtakes.",
        (
            Example(
                "a read that the barrier does not cover, and an LDS write",
                """
                v_xor_b32_e32 v3, 0x100, v2
                ds_write_b32 v2, v0
                s_waitcnt lgkmcnt(0)
                s_barrier
                ds_read_b32 v5, v3
                s_barrier
                ds_write_b32 v2, v0
                s_waitcnt lgkmcnt(0)
                """,
                """
                v_xor_b32_e32 v3, 0x100, v2
                ds_write_b32 v2, v0
                s_waitcnt lgkmcnt(0)
                s_barrier
                ds_read_b32 v5, v3
                s_waitcnt lgkmcnt(0)
                s_barrier
                ds_write_b32 v2, v0
                s_waitcnt lgkmcnt(0)
                """,
                waves=2,
            ),
        ),
    ),
)
