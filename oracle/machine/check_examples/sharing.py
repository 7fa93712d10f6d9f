# SPDX-License-Identifier: Apache-2.0
"""Global memory that waves or workgroups share: who may see what, and when."""

from __future__ import annotations

import textwrap

from .example import Check, Example

#: v3: a byte of C of the work-item's own; v4: one of the other workgroup's.
_BYTES_OF_WORKGROUP = """
s_lshl_b32 s8, s2, 6
v_add_u32_e32 v3, s8, v0
v_xor_b32_e32 v4, 64, v3
"""
_LAST_ARRIVAL = """
{bytes}
global_store_byte v3, v0, s[4:5]
{release}
s_mov_b64 exec, 1
v_mov_b32_e32 v5, 0
v_mov_b32_e32 v6, 1
global_atomic_add v7, v5, v6, s[4:5] offset:252 sc0
s_waitcnt vmcnt(0)
v_readfirstlane_b32 s9, v7
s_mov_b64 exec, -1
s_cmp_eq_u32 s9, 1
s_cbranch_scc0 .Lend
{acquire}
global_load_ubyte v8, v4, s[4:5]{scope}
s_waitcnt vmcnt(0)
.Lend:
"""
_RELEASE = "buffer_wbl2 sc1\ns_waitcnt vmcnt(0)"
_ACQUIRE = "buffer_inv sc1"
_SUM = """
v_mov_b32_e32 v5, {term}
global_atomic_add_f32 v2, v5, s[4:5]
"""


def _last_arrival(release: str = _RELEASE, acquire: str = _ACQUIRE, scope: str = "", store: str = "") -> str:
    """Two workgroups store 64 bytes each; the second to count itself reads those of the first."""
    text = _LAST_ARRIVAL.format(bytes=_BYTES_OF_WORKGROUP.strip(), release=release, acquire=acquire, scope=scope)
    text = text.replace("global_store_byte v3, v0, s[4:5]", f"global_store_byte v3, v0, s[4:5]{store}")
    return "\n".join(line for line in text.splitlines() if line)


def _own_and_other(between: str) -> str:
    """Each of two waves stores 64 bytes and loads those of the other."""
    return textwrap.dedent(f"""
        v_xor_b32_e32 v3, 64, v0
        global_store_byte v0, v0, s[4:5]
        {between}
        global_load_ubyte v5, v3, s[4:5]
        s_waitcnt vmcnt(0)
        """).strip()


SHARING = (
    Check(
        "CKM235",
        "Workgroups run in any order and at the same time: whether the old or the new value is read is chance. This is "
        "for launches without atomics and cache control, in which nothing can order workgroups.",
        (
            Example(
                "each workgroup reads the bytes that the other stores",
                _BYTES_OF_WORKGROUP.strip()
                + "\nglobal_store_byte v3, v0, s[4:5]\nglobal_load_ubyte v5, v4, s[4:5]\ns_waitcnt vmcnt(0)",
                _BYTES_OF_WORKGROUP.strip()
                + "\nglobal_store_byte v3, v0, s[4:5]\nglobal_load_ubyte v5, v3, s[4:5]\ns_waitcnt vmcnt(0)",
                workgroups=2,
            ),
        ),
    ),
    Check(
        "CKM236",
        "Another workgroup sees a store only after a release that it acquired: the store written back (`buffer_wbl2 "
        "sc1`, or `sc1` on the store), `vmcnt(0)`, an atomic; then, where that atomic's effect was read, a wait and "
        "`buffer_inv sc1` (or `sc1` on the load). Before that the memory may hold the old bytes, and with late landing "
        "the machine reads them. An order through a third workgroup and another atomic is not followed. The rules "
        "are those of LLVM's memory model for gfx942 at agent scope.",
        (
            Example(
                "a store that was not waited for before the atomic",
                _last_arrival(release="buffer_wbl2 sc1"),
                _last_arrival(),
                workgroups=2,
            ),
            Example(
                "a store that was not written back", _last_arrival("s_waitcnt vmcnt(0)"), _last_arrival(), workgroups=2
            ),
            Example("a load that caches may answer", _last_arrival(acquire="s_nop 0"), _last_arrival(), workgroups=2),
            Example(
                "the same with store and load past the caches, but no wait",
                _last_arrival("s_nop 0", "s_nop 0", " sc1", " sc1"),
                _last_arrival("s_waitcnt vmcnt(0)", "s_nop 0", " sc1", " sc1"),
                workgroups=2,
            ),
        ),
    ),
    Check(
        "CKM237",
        "Waves run in any order between barriers.",
        (
            Example(
                "a wave reads what another stores, without a barrier",
                _own_and_other("s_waitcnt vmcnt(0)"),
                _own_and_other("s_waitcnt vmcnt(0)\ns_barrier"),
                waves=2,
            ),
            Example(
                "one wave clears what both store",
                """
                v_readfirstlane_b32 s8, v0
                v_mov_b32_e32 v3, 0
                s_cmp_eq_u32 s8, 0
                s_cbranch_scc0 .Lstore
                global_store_dword v2, v3, s[4:5]
                .Lstore:
                s_waitcnt vmcnt(0)
                global_store_byte v0, v0, s[4:5]
                """,
                """
                v_readfirstlane_b32 s8, v0
                v_mov_b32_e32 v3, 0
                s_cmp_eq_u32 s8, 0
                s_cbranch_scc0 .Lstore
                global_store_dword v2, v3, s[4:5]
                .Lstore:
                s_waitcnt vmcnt(0)
                s_barrier
                global_store_byte v0, v0, s[4:5]
                """,
                waves=2,
            ),
        ),
    ),
    Check(
        "CKM238",
        "The waves of a workgroup share an L1 that takes their operations in order, so the barrier suffices; not where "
        "a workgroup is split over CUs, and not for a release to other workgroups by another wave.",
        (
            Example(
                "a barrier without a wait before it",
                _own_and_other("s_barrier"),
                _own_and_other("s_waitcnt vmcnt(0)\ns_barrier"),
                waves=2,
            ),
        ),
    ),
    Check(
        "CKM239",
        "fp addition is not associative: the bits differ from run to run, so such a kernel has a tolerance and no "
        "proof by bits. Sums of two terms and sums that never round are not reported.",
        (
            Example(
                "three workgroups add to the same 64 floats",
                _SUM.format(term="0x3f800001"),
                _SUM.format(term="1.0"),
                workgroups=3,
            ),
        ),
    ),
)
