# SPDX-License-Identifier: Apache-2.0
"""The measured half of legality: what only the compiler can show of a kernel, and why that refuses it.

`porter.select.legality` judges before compiling; a kernel that passes there can still spill. Registers alone say
nothing, since LLVM fills whatever budget it is given: spills, scratch and AGPR moves are the signal
(docs/notes/flydsl.md#registers-and-spills).
"""

from __future__ import annotations

from collections.abc import Iterator

from porter.census import KernelCensus
from porter.problem import Target
from porter.select.legality import Reason


def guard(census: KernelCensus, target: Target) -> tuple[Reason, ...]:
    """Every reason why the compiled kernel must not be used, with its numbers; empty when it may.

    CKS160 spilled registers, CKS161 scratch, CKS162 AGPR moves in the loop, CKS163 LDS (the compiler only prints that,
    docs/notes/flydsl.md#silent-failures), CKS164 native E8M0 scaling, CKS165 no workgroup fits a CU.
    """
    return tuple(_reasons(census, target))


def _reasons(census: KernelCensus, target: Target) -> Iterator[Reason]:
    resources, loop = census.resources, census.loop
    smaller = "a smaller tile, or fewer waves_per_eu"
    if resources.vgpr_spills or resources.sgpr_spills:
        yield Reason(
            "CKS160",
            f"{resources.vgpr_spills} VGPRs and {resources.sgpr_spills} SGPRs spill at {resources.vgprs} VGPRs",
            smaller,
        )
    if resources.scratch_bytes:
        yield Reason(
            "CKS161",
            f"{resources.scratch_bytes} bytes of scratch a lane, {loop.scratch} scratch instructions in the loop",
            smaller,
        )
    if loop.agpr_moves:
        yield Reason(
            "CKS162",
            f"{loop.agpr_moves} of {loop.instructions} instructions of the loop move AGPRs "
            f"({resources.agprs} of {resources.vgprs} registers are AGPRs)",
            smaller,
        )
    if resources.lds_bytes > target.lds_bytes:
        yield Reason("CKS163", f"{resources.lds_bytes} bytes of LDS, {target.arch} has {target.lds_bytes}")
    if loop.native_scales:
        yield Reason(
            "CKS164",
            f"{loop.native_scales} MFMAs of the loop take E8M0 scales, which round CK's fp32 scales",
            "porter rewrite",
        )
    if not resources.workgroups_per_cu:
        yield Reason(
            "CKS165", f"no workgroup of {resources.threads} work-items with {resources.vgprs} registers fits a CU"
        )
