# SPDX-License-Identifier: Apache-2.0
"""The census: what a compiled kernel takes, and what stands in its hot loop. Pure data; `porter.measure` counts it.

These are records: the manifest and `porter census --format json` have them as they are.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from msgspec import UNSET, UnsetType

from porter.records import Amount, Arch, Count, Record, Size

#: What leaves no room for another workgroup on a CU: registers, LDS, or the waves that a SIMD can hold.
Limit = Literal["waves", "vgprs", "lds"]
#: ours: a kernel of porter's; row: the CK instance that a row of it names; twin: one of CK's that rounds as it does.
Side = Literal["ours", "row", "twin"]


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

    taken: which lines or addresses were counted, and why these; lines: first and last of the text, or of llvm-objdump's
    of an object, 1-based; blocks: K blocks of 128
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
class RequestCensus:
    """Vector memory requests of one workgroup with a whole tile: of each wave instruction the distinct 64-byte segments
    that its lanes reach, counted by running the kernel.

    per_k_tile: what one more K tile adds; per_output: the same over the outputs of the tile; operands: of per_k_tile,
    by operand and what they are (loads, dma, stores, atomics); outside: what K does not change, prologue and epilogue.
    """

    per_k_tile: Amount
    per_output: Amount
    operands: dict[str, Amount]
    outside: dict[str, Amount]


@dataclass(frozen=True, slots=True)
class KernelCensus:
    """One kernel of a text. requests: only where the kernel was run, as its arguments have to be known."""

    name: str
    resources: Resources
    loop: Loop
    requests: RequestCensus | UnsetType = UNSET


@dataclass(frozen=True, slots=True)
class Census:
    """A module compiled for B of this N and K; kernels: of its text, the one with the MFMAs first."""

    n: Size
    k: Size
    kernels: tuple[KernelCensus, ...]


class CountedKernel(Record, frozen=True):
    """One kernel of a module, of a text or of a code object.

    path: file that it was read from; arch: chip; tile: M, N and K of a workgroup, null where neither the kernel's name
    nor the object says it; mfma: shapes of the MFMAs that were counted; limits: what leaves no room for another
    workgroup; k_tiles: of a CK instance, for which numbers of K tiles CK launches this kernel, else empty; other_loops:
    that hold MFMAs too and were not counted; resources, loop, requests: the census, of which the requests only for
    porter's own kernels.
    """

    name: str
    path: str
    arch: Arch
    tile: tuple[Size, Size, Size] | None
    mfma: tuple[str, ...]
    limits: tuple[Limit, ...]
    k_tiles: str
    other_loops: tuple[str, ...]
    resources: Resources
    loop: Loop
    requests: RequestCensus | UnsetType = UNSET


class CensusOutput(Record, frozen=True, tag_field="schema", tag="porter/census/1"):
    """porter census: what stands in the hot loop of each kernel, by class of instruction, and the resources it takes;
    errors: of files that could not be counted."""

    kernels: tuple[CountedKernel, ...]
    errors: tuple[str, ...]


class SideOutput(Record, frozen=True):
    """One kernel of a comparison. instance: CK's name for its own, else the kernel's."""

    side: Side
    instance: str
    kernel: CountedKernel


class SideBySide(Record, frozen=True):
    """A kernel of porter's, compiled for B of this N and K, and CK's own for the same shape."""

    kernel: str
    n: Size
    k: Size
    sides: tuple[SideOutput, ...]


class CensusAgainstOutput(Record, frozen=True, tag_field="schema", tag="porter/census-against/1"):
    """porter census --against ck: each kernel beside CK's own; notes: what there is no counterpart for; errors: what
    could not be built or counted."""

    pairs: tuple[SideBySide, ...]
    notes: tuple[str, ...]
    errors: tuple[str, ...]
