# SPDX-License-Identifier: Apache-2.0
"""Memory: accesses outside of what is there, misaligned, or decided by a range rule that is not settled."""

from __future__ import annotations

from .example import DESCRIPTOR_OF_A, DESCRIPTOR_OF_C, Check, Example

_OF_A, _OF_C = DESCRIPTOR_OF_A.strip(), DESCRIPTOR_OF_C.strip()

MEMORY = (
    Check(
        "CKM214",
        "The result depends on what the allocator left there. Buffers that are placed as holding nothing are followed "
        "byte by byte.",
        (
            Example(
                "the output read before it is written",
                """
                global_load_dword v5, v2, s[4:5]
                s_waitcnt vmcnt(0)
                """,
                """
                global_store_dword v2, v0, s[4:5]
                s_waitcnt vmcnt(0)
                global_load_dword v5, v2, s[4:5]
                s_waitcnt vmcnt(0)
                """,
            ),
        ),
    ),
    Check(
        "CKM221",
        "A page fault, or somebody else's memory. Allocations lie 1 TiB apart in the machine, so no offset leads from "
        "one into another.",
        (
            Example(
                "one dword past the end",
                """
                global_load_dword v5, v2, s[6:7] offset:4
                s_waitcnt vmcnt(0)
                """,
                """
                global_load_dword v5, v2, s[6:7]
                s_waitcnt vmcnt(0)
                """,
            ),
            Example(
                "a descriptor that is larger than its buffer",
                f"{_OF_C}\ns_movk_i32 s10, 0x104\nbuffer_store_dword v0, v2, s[8:11], 0 offen offset:4",
                f"{_OF_C}\nbuffer_store_dword v0, v2, s[8:11], 0 offen offset:4",
            ),
        ),
    ),
    Check(
        "CKM222",
        "AMD's manual leaves soffset out of the range check (CDNA4 ISA 9.1), AMD's emulator counts it. The store is "
        "dropped under one rule and made under another, or a load leaves its buffer under one of them.",
        (
            Example(
                "an offset past the end, given as soffset",
                f"{_OF_C}\ns_movk_i32 s12, 0x104\nbuffer_store_dword v0, v2, s[8:11], s12 offen",
                f"{_OF_C}\nv_add_u32_e32 v3, 0x104, v2\nbuffer_store_dword v0, v3, s[8:11], 0 offen",
            ),
        ),
    ),
    Check(
        "CKM223",
        "The instruction cannot reach such an address: a scalar load ignores the two low bits, an atomic needs its "
        "natural alignment.",
        (
            Example(
                "a scalar load from the middle of a dword",
                """
                s_add_u32 s6, s6, 2
                s_load_dword s8, s[6:7], 0x0
                s_waitcnt lgkmcnt(0)
                """,
                """
                s_add_u32 s6, s6, 4
                s_load_dword s8, s[6:7], 0x0
                s_waitcnt lgkmcnt(0)
                """,
            ),
        ),
    ),
    Check(
        "CKM225",
        "A GEMM must not change its operands; the machine drops the store.",
        (
            Example(
                "a store to A",
                "global_store_dword v2, v0, s[6:7]",
                "global_store_dword v2, v0, s[4:5]",
            ),
        ),
    ),
    Check(
        "CKM226",
        "Each 32-bit word of a buffer access is checked by itself: those inside are made, so the access is defined. "
        "Worth knowing where the overhang was not meant.",
        (
            Example(
                "the last of 32 lanes has one dword inside and one outside",
                f"{_OF_A}\ns_movk_i32 s10, 0xfc\nv_lshlrev_b32_e32 v3, 3, v0\ns_mov_b32 exec_hi, 0\n"
                "buffer_load_dwordx2 v[6:7], v3, s[8:11], 0 offen\ns_waitcnt vmcnt(0)",
                f"{_OF_A}\nv_lshlrev_b32_e32 v3, 3, v0\ns_mov_b32 exec_hi, 0\n"
                "buffer_load_dwordx2 v[6:7], v3, s[8:11], 0 offen\ns_waitcnt vmcnt(0)",
            ),
        ),
    ),
    Check(
        "CKM227",
        "Each lane has its own private segment; behind it is another lane's.",
        (
            Example(
                "a dword behind the segment of 16 bytes",
                "v_mov_b32_e32 v3, 16\nscratch_store_dword v3, v0, off\ns_waitcnt vmcnt(0)",
                "v_mov_b32_e32 v3, 12\nscratch_store_dword v3, v0, off\ns_waitcnt vmcnt(0)",
            ),
        ),
    ),
    Check(
        "CKM228",
        "As CKM222, but every rule stays inside the buffer: the load gives zero under one rule and data under another. "
        "Harmless where the value is not used, which is why `porter verify` runs all three rules.",
        (
            Example(
                "a descriptor of half the buffer, and an offset given as soffset",
                f"{_OF_A}\ns_movk_i32 s10, 0x80\ns_movk_i32 s12, 0x40\n"
                "buffer_load_dword v5, v2, s[8:11], s12 offen\ns_waitcnt vmcnt(0)",
                f"{_OF_A}\ns_movk_i32 s10, 0x80\nv_add_u32_e32 v3, 0x40, v2\n"
                "buffer_load_dword v5, v3, s[8:11], 0 offen\ns_waitcnt vmcnt(0)",
            ),
        ),
    ),
    Check(
        "CKM233",
        "Legal only where the unaligned access mode is on, which code cannot show.",
        (
            Example(
                "a dword from byte 2",
                "v_mov_b32_e32 v3, 2\nglobal_load_dword v5, v3, s[6:7]\ns_waitcnt vmcnt(0)",
                "v_mov_b32_e32 v3, 4\nglobal_load_dword v5, v3, s[6:7]\ns_waitcnt vmcnt(0)",
            ),
        ),
    ),
    Check(
        "CKM271",
        "The sum of voffset and the instruction's offset is taken modulo 2^32, as AMD's own emulator says of hardware. "
        "A voffset that stands for *outside* (-1, say) then reaches the front of the buffer.",
        (
            Example(
                "-4 as a mark for lanes that shall not load, and an offset of 16",
                f"{_OF_A}\nv_mov_b32_e32 v3, -4\nbuffer_load_dword v5, v3, s[8:11], 0 offen offset:16\n"
                "s_waitcnt vmcnt(0)",
                f"{_OF_A}\nv_bfrev_b32_e32 v3, 1\nbuffer_load_dword v5, v3, s[8:11], 0 offen offset:16\n"
                "s_waitcnt vmcnt(0)",
            ),
        ),
    ),
    Check(
        "CKM272",
        "Whether hardware makes the bytes of a word that are inside the range is not public; the machine drops the "
        "word.",
        (
            Example(
                "a range of 254 bytes under dword stores",
                f"{_OF_C}\ns_movk_i32 s10, 0xfe\nbuffer_store_dword v0, v2, s[8:11], 0 offen",
                f"{_OF_C}\nbuffer_store_dword v0, v2, s[8:11], 0 offen",
            ),
        ),
    ),
)
