# SPDX-License-Identifier: Apache-2.0
"""Order between waves and workgroups, waits and barriers that order nothing, and what a report cannot hold."""

from __future__ import annotations

from .example import Check, Example

ORDER = (
    Check(
        "CKM231",
        "Hardware counts arrivals, not places, so this runs; but barriers that were written apart now mean each other.",
        (
            Example(
                "two waves wait at two barriers",
                """
                v_readfirstlane_b32 s8, v0
                s_cmp_eq_u32 s8, 0
                s_cbranch_scc1 .Lfirst
                s_barrier
                s_branch .Lend
                .Lfirst:
                s_barrier
                .Lend:
                """,
                "s_barrier",
                waves=2,
            ),
        ),
    ),
    Check(
        "CKM232",
        "Workgroups run in any order and at the same time: which value stays is chance.",
        (
            Example(
                "two workgroups store the same 64 dwords",
                "global_store_dword v2, v0, s[4:5]",
                """
                s_lshl_b32 s8, s2, 6
                v_add_u32_e32 v3, s8, v0
                global_store_byte v3, v0, s[4:5]
                """,
                workgroups=2,
            ),
        ),
    ),
    Check(
        "CKM241",
        "Not wrong. It is also how the mutation test of waits (`porter mutants`) knows that a wait may be deleted.",
        (
            Example(
                "nothing is in flight",
                "s_waitcnt vmcnt(0)",
                """
                global_load_dword v5, v2, s[6:7]
                s_waitcnt vmcnt(0)
                """,
            ),
        ),
    ),
    Check(
        "CKM242",
        "Not wrong, and the same for barriers.",
        (
            Example(
                "two waves that share nothing",
                "s_barrier",
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
        "CKM243",
        "A thread of the machine keeps 1024 kinds of finding (code and instructions). Later ones are not listed: "
        "repair what is listed and run again.",
        (
            Example(
                "1100 instructions read a register that was never written",
                "\n".join(["v_mov_b32_e32 v6, v5"] * 1100),
                "\n".join(["v_mov_b32_e32 v5, 0", *["v_mov_b32_e32 v6, v5"] * 1100]),
            ),
        ),
    ),
)
