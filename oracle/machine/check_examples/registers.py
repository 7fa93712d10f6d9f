# SPDX-License-Identifier: Apache-2.0
"""Registers: read before a load has landed, overwritten while one may land, or never written."""

from __future__ import annotations

from .example import Check, Example

REGISTERS = (
    Check(
        "CKM201",
        "A load only starts when it is issued; until a wait covers it, the register holds its old value on some runs "
        "and the new one on others.",
        (
            Example(
                "a global load without its wait",
                """
                global_load_dword v5, v2, s[6:7]
                v_add_u32_e32 v6, 1, v5
                """,
                """
                global_load_dword v5, v2, s[6:7]
                s_waitcnt vmcnt(0)
                v_add_u32_e32 v6, 1, v5
                """,
            ),
            Example(
                "a wait that allows one operation too many",
                """
                ds_write_b32 v2, v0
                ds_read_b32 v5, v2
                s_waitcnt lgkmcnt(1)
                v_mov_b32_e32 v6, v5
                """,
                """
                ds_write_b32 v2, v0
                ds_read_b32 v5, v2
                s_waitcnt lgkmcnt(0)
                v_mov_b32_e32 v6, v5
                """,
            ),
            Example(
                "a store of what has not landed",
                """
                global_load_dword v5, v2, s[6:7]
                global_store_dword v2, v5, s[4:5]
                """,
                """
                global_load_dword v5, v2, s[6:7]
                s_waitcnt vmcnt(0)
                global_store_dword v2, v5, s[4:5]
                """,
            ),
        ),
    ),
    Check(
        "CKM202",
        "The same for scalar loads. They return in any order, so only `lgkmcnt(0)` says that one of several is there.",
        (
            Example(
                "a scalar load without its wait",
                """
                s_load_dword s8, s[6:7], 0x0
                s_add_u32 s9, s8, 1
                s_waitcnt lgkmcnt(0)
                """,
                """
                s_load_dword s8, s[6:7], 0x0
                s_waitcnt lgkmcnt(0)
                s_add_u32 s9, s8, 1
                """,
            ),
            Example(
                "a count that trusts the order of scalar loads",
                """
                s_load_dword s8, s[6:7], 0x0
                s_load_dword s9, s[6:7], 0x4
                s_waitcnt lgkmcnt(1)
                s_mov_b32 s10, s8
                s_waitcnt lgkmcnt(0)
                """,
                """
                s_load_dword s8, s[6:7], 0x0
                s_load_dword s9, s[6:7], 0x4
                s_waitcnt lgkmcnt(0)
                s_mov_b32 s10, s8
                """,
            ),
        ),
    ),
    Check(
        "CKM203",
        "The load may land after the write and undo it. Loads of one kind (buffer, global and scratch; LDS) land in "
        "the order of issue, so that the newer one comes last; a flat load may be of either kind, and scalar loads "
        "come in any order.",
        (
            Example(
                "a register that is cleared while its load is in flight",
                """
                global_load_dword v5, v2, s[6:7]
                v_mov_b32_e32 v5, 0
                s_waitcnt vmcnt(0)
                """,
                """
                global_load_dword v5, v2, s[6:7]
                s_waitcnt vmcnt(0)
                v_mov_b32_e32 v5, 0
                """,
            ),
            Example(
                "loads of two kinds into one register",
                """
                ds_write_b32 v2, v0
                global_load_dword v5, v2, s[6:7]
                ds_read_b32 v5, v2
                s_waitcnt vmcnt(0) lgkmcnt(0)
                v_mov_b32_e32 v6, v5
                """,
                """
                v_mov_b32_e32 v3, 0
                global_load_dwordx2 v[4:5], v3, s[6:7]
                global_load_dword v5, v2, s[6:7]
                s_waitcnt vmcnt(0)
                v_mov_b32_e32 v6, v5
                """,
            ),
        ),
    ),
    Check(
        "CKM211",
        "A register holds what the last kernel left in it. Each lane counts for itself.",
        (
            Example(
                "a register that nobody wrote",
                "v_add_u32_e32 v6, 1, v5",
                """
                v_mov_b32_e32 v5, 0
                v_add_u32_e32 v6, 1, v5
                """,
            ),
            Example(
                "a lane that was switched off when the register was written",
                """
                s_mov_b64 exec, 1
                v_mov_b32_e32 v5, 0
                s_mov_b64 exec, 3
                v_mov_b32_e32 v6, v5
                """,
                """
                s_mov_b64 exec, 3
                v_mov_b32_e32 v5, 0
                s_mov_b64 exec, 1
                v_mov_b32_e32 v6, v5
                """,
            ),
            Example(
                "a register that nobody wrote, by way of private memory",
                """
                v_mov_b32_e32 v4, 0
                scratch_store_dwordx2 off, v[4:5], off
                s_waitcnt vmcnt(0)
                scratch_load_dwordx2 v[6:7], off, off
                s_waitcnt vmcnt(0)
                v_add_u32_e32 v8, 1, v7
                """,
                """
                v_mov_b32_e32 v4, 0
                scratch_store_dwordx2 off, v[4:5], off
                s_waitcnt vmcnt(0)
                scratch_load_dwordx2 v[6:7], off, off
                s_waitcnt vmcnt(0)
                v_add_u32_e32 v8, 1, v6
                """,
            ),
        ),
    ),
    Check(
        "CKM212",
        "As CKM211. An SGPR that the launch sets (kernel arguments, workgroup ids) counts as written. Each bit counts "
        "for itself: compilers merge masks of lanes by AND and OR and leave bits of lanes undefined that are not "
        "active.",
        (
            Example(
                "an SGPR that nobody wrote",
                "s_add_u32 s9, s20, 1",
                """
                s_mov_b32 s20, 0
                s_add_u32 s9, s20, 1
                """,
            ),
            Example(
                "a mask of lanes that was never set for some of those that use it",
                """
                s_mov_b64 exec, 15
                v_cmp_lt_u32_e64 s[8:9], 2, v0
                s_andn2_b64 s[20:21], s[20:21], exec
                s_or_b64 s[20:21], s[20:21], s[8:9]
                s_mov_b64 exec, -1
                v_cndmask_b32_e64 v5, v0, v2, s[20:21]
                """,
                """
                s_mov_b64 exec, 15
                v_cmp_lt_u32_e64 s[8:9], 2, v0
                s_andn2_b64 s[20:21], s[20:21], exec
                s_or_b64 s[20:21], s[20:21], s[8:9]
                v_cndmask_b32_e64 v5, v0, v2, s[20:21]
                """,
            ),
        ),
    ),
)
