# SPDX-License-Identifier: Apache-2.0
"""What an example is, and the kernel around it."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass

import numpy as np

from ..memory import Memory
from ..program import Mode, load
from ..report import Finding

#: Registers of every example: s[4:5] C and s[6:7] A, 64 dwords each; v0 the work item, v2 = 4 * v0; s2 the workgroup.
HEAD = """
s_load_dwordx4 s[4:7], s[0:1], 0x0
v_lshlrev_b32_e32 v2, 2, v0
s_waitcnt lgkmcnt(0)
"""
DWORDS, LDS_BYTES, SCRATCH_BYTES, LANES = 64, 1024, 16, 64

#: s[8:11] as a raw buffer descriptor of C or A, 256 bytes.
DESCRIPTOR_OF_C = """
s_mov_b32 s8, s4
s_mov_b32 s9, s5
s_movk_i32 s10, 0x100
s_mov_b32 s11, 0x27000
"""
DESCRIPTOR_OF_A = DESCRIPTOR_OF_C.replace("s4", "s6").replace("s5", "s7")


@dataclass(frozen=True, slots=True)
class Example:
    """A program that has the fault, and its twin that has not.

    what: the case in a few words; faulty, repaired: instructions, one a line, after HEAD; waves: of a workgroup;
    workgroups: in the grid.
    """

    what: str
    faulty: str
    repaired: str
    waves: int = 1
    workgroups: int = 1


@dataclass(frozen=True, slots=True)
class Check:
    """A finding's code, what hardware would do, and at least one example."""

    code: str
    why: str
    examples: tuple[Example, ...]


@dataclass(frozen=True, slots=True)
class Distance:
    """Two instructions that need `need` wait states between them; one less is found as `code`."""

    code: str
    what: str
    first: str
    need: int
    second: str
    arch: str = "gfx950"

    def text(self, states: int) -> str:
        """The two instructions with that many wait states between."""
        gap = [f"s_nop {min(16, states - done) - 1}" for done in range(0, states, 16)]
        return "\n".join([self.first, *gap, self.second])


def kernel_text(
    body: str,
    *,
    arch: str = "gfx950",
    lds: int = 65536,
    scratch: int = 0,
    kernarg: int = 64,
    mode: str = "",
    vgprs: int = 512,
) -> str:
    """A kernel `k` around `body` (one instruction a line): s[0:1] kernarg, s2 workgroup id, v0 work item."""
    return f"""
\t.amdgcn_target "amdgcn-amd-amdhsa--{arch}"
\t.text
k:
{body}
\ts_endpgm
\t.section .rodata
\t.amdhsa_kernel k
\t\t.amdhsa_group_segment_fixed_size {lds}
\t\t.amdhsa_private_segment_fixed_size {scratch}
\t\t.amdhsa_kernarg_size {kernarg}
\t\t.amdhsa_user_sgpr_kernarg_segment_ptr 1
\t\t.amdhsa_system_sgpr_workgroup_id_x 1
\t\t.amdhsa_next_free_vgpr {vgprs}
\t\t.amdhsa_next_free_sgpr 96
\t\t.amdhsa_accum_offset 256
\t\t.amdhsa_float_denorm_mode_32 3
{mode}
\t.end_amdhsa_kernel
"""


def find(body: str, waves: int = 1, workgroups: int = 1, mode: Mode | None = None) -> tuple[Finding, ...]:
    """Run a program of an example and return its findings.

    C is writable and holds nothing yet, A is read-only; both are 64 dwords. LDS has 1024 bytes, a lane 16 of scratch.
    """
    memory = Memory()
    c = memory.place(np.zeros(DWORDS, np.uint32), "C", initialised=False)
    a = memory.place(np.arange(DWORDS, dtype=np.uint32), "A", writable=False)
    kernarg = c.to_bytes(8, "little") + a.to_bytes(8, "little")
    text = HEAD + textwrap.dedent(body).strip()
    program = load(kernel_text(text, lds=LDS_BYTES, scratch=SCRATCH_BYTES, kernarg=16))
    return program.launch((workgroups,), (waves * LANES,), kernarg, memory, mode or Mode(checks=True)).findings
