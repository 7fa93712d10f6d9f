# SPDX-License-Identifier: Apache-2.0
"""The census: what a compiled kernel takes, and what stands in its hot loop. Pure data; `porter.measure` counts it.

These are records: the manifest and `porter census --format json` have them as they are.
"""

from __future__ import annotations

from dataclasses import dataclass

from msgspec import UNSET, UnsetType

from porter.records import Amount, Count, Record, Size


@dataclass(frozen=True, slots=True)
class Resources:
    """What the kernel needs of a CU.

    vgprs: VGPRs and AGPRs of a lane together; agprs: of these; vgpr_spills, sgpr_spills: registers; scratch_bytes: a
    lane; lds_bytes: a workgroup; threads: work-items a workgroup; workgroups_per_cu: that fit, by registers and LDS;
    waves_per_simd: of those workgroups.
    """

    vgprs: Count
    agprs: Count
    sgprs: Count
    vgpr_spills: Count
    sgpr_spills: Count
    scratch_bytes: Count
    lds_bytes: Count
    threads: Count
    workgroups_per_cu: Count
    waves_per_simd: Count


@dataclass(frozen=True, slots=True)
class PerTwoBlocks:
    """Counts of a loop scaled to two K blocks: the unrolled loops of the 4-wave and 8-wave cores do two a trip."""

    instructions: Amount
    valu: Amount
    nop_wait_states: Amount


@dataclass(frozen=True, slots=True)
class Loop:
    """Instructions of one trip, by what they occupy.

    taken: which lines were counted, and why these; lines: first and last of the text, 1-based; blocks: K blocks of 128
    a trip, 0 where the kernel's spec is not known; waits: wait and how often it stands; barriers: s_barrier; nops:
    s_nop instructions, nop_wait_states what they wait together; packed: packed fp32 arithmetic by operand selection
    (`oracle.packed_fp32`); agpr_moves: v_accvgpr_*, which are VALU `other` too; scratch: loads and stores of spilled
    registers; branches_back: is it a loop at all; valu_per_mfma: VALU instructions for every MFMA, 0 without MFMAs;
    per_two_blocks: only where `blocks` is known.
    """

    taken: str
    lines: tuple[Count, Count]
    branches_back: bool
    blocks: Count
    instructions: Count
    mfma: Count
    valu: dict[str, Count]
    agpr_moves: Count
    lds_reads: Count
    lds_writes: Count
    lds_dma: Count
    global_loads: Count
    global_stores: Count
    scalar_loads: Count
    scratch: Count
    waits: dict[str, Count]
    barriers: Count
    nops: Count
    nop_wait_states: Count
    native_scales: Count
    packed: dict[str, Count]
    valu_total: Count
    valu_per_mfma: Amount
    per_two_blocks: PerTwoBlocks | UnsetType = UNSET


@dataclass(frozen=True, slots=True)
class KernelCensus:
    """One kernel of a text."""

    name: str
    resources: Resources
    loop: Loop


@dataclass(frozen=True, slots=True)
class Census:
    """A module compiled for B of this N and K; kernels: of its text, the one with the MFMAs first."""

    n: Size
    k: Size
    kernels: tuple[KernelCensus, ...]


class CensusOutput(Record, frozen=True, tag_field="schema", tag="porter/census/1"):
    """porter census: what stands in the hot loop of a kernel, by class of instruction, and the resources it takes."""

    kernels: tuple[KernelCensus, ...]
