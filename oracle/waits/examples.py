# SPDX-License-Identifier: Apache-2.0
"""What every finding of the static check means, and small programs with the fault beside their repaired twins.

Most faults are those of the machine's checks, whose examples serve here too; only those of other paths stand here.
"""

from __future__ import annotations

import textwrap

from oracle.machine import load
from oracle.machine.check_examples import Check, Example, kernel_text
from oracle.machine.check_examples.example import DESCRIPTOR_OF_A, HEAD

from . import WaitReport, check

_LDS_BYTES, _LANES = 1024, 64

#: Every wave's DMA goes to its own 256 bytes; v3 is its own byte offset in them, v4 that of the other of two waves.
_DMA = f"""
v_readfirstlane_b32 s12, v0
s_lshl_b32 s12, s12, 2
s_mov_b32 m0, s12
{DESCRIPTOR_OF_A.strip()}
v_and_b32_e32 v3, 0xff, v2
v_xor_b32_e32 v4, 0x100, v2
"""
_LOOP_OF_LOADS = """
s_load_dword s8, s[6:7], 0xc
v_mov_b32_e32 v5, 0
s_waitcnt lgkmcnt(0)
again:
v_add_u32_e32 v6, 1, v5
global_load_dword v5, v2, s[6:7]
s_sub_u32 s8, s8, 1
s_cmp_lg_u32 s8, 0
s_cbranch_scc1 again
s_waitcnt vmcnt(0)
"""


def _dma_behind(loads: int, wait: int) -> str:
    behind = "\n".join(f"global_load_dword v{10 + n}, v2, s[6:7]" for n in range(loads))
    return f"""
{_DMA.strip()}
buffer_load_dword v3, s[8:11], 0 offen lds
{behind}
s_waitcnt vmcnt({wait})
s_barrier
ds_read_b32 v5, v4
s_waitcnt vmcnt(0) lgkmcnt(0)
"""


def _own_read(between: str) -> str:
    return f"""
s_mov_b32 m0, 0
{DESCRIPTOR_OF_A.strip()}
ds_read_b32 v5, v2
{between}
buffer_load_dword v2, s[8:11], 0 offen lds
s_waitcnt vmcnt(0) lgkmcnt(0)
"""


#: Checks of the machine, and what this check calls the faults in their examples, which it finds without running them.
TWINS = {
    "CKM201": {"CKM261"},
    "CKM202": {"CKM262"},
    "CKM203": {"CKM263"},
    "CKM204": {"CKM264"},
    "CKM205": {"CKM265"},
    "CKM206": {"CKM266"},
    "CKM207": {"CKM267"},
    "CKM208": {"CKM266", "CKM268"},
    "CKM234": {"CKM267"},
    "CKM244": {"CKM266"},
}
#: Every finding, with the examples that the machine's checks have not.
CHECKS = (
    Check(
        "CKM261",
        "As CKM201, for every path that the branches allow, whether a run takes it or not.",
        (
            Example(
                "the wait stands on one of two ways",
                """
                s_load_dword s8, s[6:7], 0x0
                global_load_dword v5, v2, s[6:7]
                s_waitcnt lgkmcnt(0)
                s_cmp_eq_u32 s8, 0
                s_cbranch_scc1 join
                s_waitcnt vmcnt(0)
                join:
                v_add_u32_e32 v6, 1, v5
                """,
                """
                s_load_dword s8, s[6:7], 0x0
                global_load_dword v5, v2, s[6:7]
                s_waitcnt lgkmcnt(0)
                s_cmp_eq_u32 s8, 0
                s_cbranch_scc1 join
                v_mov_b32_e32 v7, 0
                join:
                s_waitcnt vmcnt(0)
                v_add_u32_e32 v6, 1, v5
                """,
            ),
            Example(
                "the second trip of a loop reads what the first began to load",
                _LOOP_OF_LOADS,
                _LOOP_OF_LOADS.replace("again:\n", "again:\ns_waitcnt vmcnt(0)\n"),
            ),
        ),
    ),
    Check("CKM262", "As CKM202. Scalar loads return in any order: only `lgkmcnt(0)` covers one.", ()),
    Check("CKM263", "As CKM203: the load may land after the write and undo it.", ()),
    Check(
        "CKM264",
        "As CKM204: a DMA is covered by a wait of its own wave, and for other waves by a barrier behind that wait.",
        (
            Example(
                "a count of the loads that stood behind the DMA in the source, of which the compiler merged two",
                _dma_behind(2, 4),
                _dma_behind(4, 4),
                waves=2,
            ),
        ),
    ),
    Check("CKM265", "As CKM205: without a wait and then a barrier the reader may be first.", ()),
    Check(
        "CKM266",
        "As CKM206: the next tile may overwrite what a slower wave has still to read.",
        (
            Example(
                "a DMA that may overtake the wave's own read",
                _own_read("s_nop 0"),
                _own_read("s_waitcnt lgkmcnt(0)"),
            ),
        ),
    ),
    Check(
        "CKM267",
        "As CKM207 and CKM234: which of two waves, or of a wave's DMA and its LDS write, is last is chance.",
        (),
    ),
    Check(
        "CKM268",
        "As CKM208: a read that was issued before the barrier but not waited for, and another wave's DMA behind it. "
        "A DMA takes memory's time, longer than LDS takes to answer, but nothing in the ISA promises it. An LDS write "
        "in its place is CKM266.",
        (),
    ),
)


def find(body: str, waves: int = 1) -> WaitReport:
    """Check a program of an example: `waves` waves, s[4:5] and s[6:7] pointers, v2 = 4 * v0, 1024 bytes of LDS."""
    text = HEAD + textwrap.dedent(body).strip()
    return check(load(kernel_text(text, lds=_LDS_BYTES, kernarg=16)), block=(waves * _LANES, 1, 1))
