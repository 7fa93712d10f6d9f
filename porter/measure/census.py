# SPDX-License-Identifier: Apache-2.0
"""What stands in a kernel's hot loop, counted in its ISA text, and the resources that its metadata states.

Count the loop, not the kernel (docs/notes/tuning.md#diagnosis): prologue and epilogue run once. Counts are instructions
of one wave and one trip of the loop; nothing here is a time.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from msgspec import UNSET

from porter.census import KernelCensus, Loop, PerTwoBlocks, Resources
from porter.errors import InputError
from porter.kernel_spec import KernelSpec
from porter.problem import TARGETS, WAVE_SIZE
from porter.runtime._serving import SCALE_BLOCK
from porter.select.legality import LANES_OF_CU, MAX_WAVES_PER_EU, SIMDS, VGPRS_PER_SIMD

if TYPE_CHECKING:
    from oracle.machine.text import Line, Listing

#: Registers are handed out in groups of this many (docs/notes/hardware.md#registers-and-waves).
VGPR_GRANULE = 8
#: K blocks that a census is scaled to: the unrolled loops of the 4-wave and 8-wave cores do two a trip.
BLOCKS = 2

#: fp32 arithmetic of a promote; every other VALU instruction is `other`. LLVM emits pairs of plain instructions for
#: many packed ones behind an MFMA, so `2 * packed + plain` is what compares (docs/notes/flydsl.md#packed-arithmetic).
_VALU = {
    "v_mul_f32": "mul",
    "v_fma_f32": "fma",
    "v_fmac_f32": "fma",
    "v_pk_mul_f32": "pk_mul",
    "v_pk_fma_f32": "pk_fma",
}
VALU_KINDS = ("mul", "fma", "pk_mul", "pk_fma", "other")
_WAIT = re.compile(r"(\w+)\((\d+)\)")


def reference_nk(spec: KernelSpec) -> tuple[int, int]:
    """The shape of B that a census is compiled for when nothing else is asked.

    N is two whole tiles, so nothing is masked; K gives every slice 32 blocks, so that each core has its run-time
    loop.
    """
    return 2 * spec.tile_n, 32 * SCALE_BLOCK * spec.split_k


def take(isa: str, path: str = "", spec: KernelSpec | None = None) -> tuple[KernelCensus, ...]:
    """The census of every kernel of an ISA text (FlyDSL's, LLVM's or llvm-objdump's), the one with most MFMAs first.

    spec: of the kernel, for the K blocks of a trip; found from the kernel's name where it is one of porter's.
    Raises InputError: CKT020 unreadable text, CKT021 no kernel with metadata or descriptor, CKT022 unknown chip.
    """
    from oracle.machine import MachineError
    from oracle.machine.metadata import kernels
    from oracle.machine.text import read

    try:
        listing = read(isa, path)
        found = kernels(listing.descriptors, listing.metadata)
    except MachineError as error:
        raise InputError("CKT020", f"{path or 'ISA text'}: {error}") from error
    if not found:
        hint = "porter census reads assembly text with .amdhsa_ directives, as FlyDSL and clang -S write it"
        raise InputError("CKT021", f"{path or 'ISA text'}: describes no kernel", hint=hint)
    match = re.search(r"gfx[0-9a-f]+", listing.target)
    arch = match[0] if match else ""
    if arch not in TARGETS:
        known = ", ".join(TARGETS)
        raise InputError("CKT022", f"{path or 'ISA text'}: target {listing.target or 'not named'}, expected {known}")
    starts = sorted(listing.labels[symbol] for symbol in found if symbol in listing.labels)
    censuses = []
    for symbol, kernel in found.items():
        start = listing.labels.get(symbol, 0)
        end = min((other for other in starts if other > start), default=len(listing.lines))
        resources = _resources(
            vgprs=kernel.vgprs,
            agprs=kernel.agprs,
            sgprs=kernel.sgprs,
            spills=kernel.spills,
            scratch=kernel.scratch_bytes,
            lds=kernel.lds_bytes,
            threads=kernel.max_flat_workgroup_size,
            lds_of_cu=TARGETS[arch].lds_bytes,
        )
        censuses.append(KernelCensus(kernel.name, resources, _loop(listing, start, end, spec or _named(kernel.name))))
    return tuple(sorted(censuses, key=lambda census: -census.loop.mfma))


def _named(name: str) -> KernelSpec | None:
    from porter.errors import KernelNameError

    try:
        return KernelSpec.of_kernel_or_twin(name)
    except KernelNameError:
        return None


def _resources(
    vgprs: int, agprs: int, sgprs: int, spills: tuple[int, int], scratch: int, lds: int, threads: int, lds_of_cu: int
) -> Resources:
    # docs/notes/hardware.md#registers-and-waves: registers decide the waves of a SIMD, then LDS the workgroups.
    by_registers = min(MAX_WAVES_PER_EU, VGPRS_PER_SIMD // max(VGPR_GRANULE, -(-vgprs // VGPR_GRANULE) * VGPR_GRANULE))
    waves = -(-threads // WAVE_SIZE)
    workgroups = SIMDS * by_registers // waves
    if lds:
        workgroups = min(workgroups, lds_of_cu // lds)
    return Resources(
        vgprs=vgprs,
        agprs=agprs,
        sgprs=sgprs,
        vgpr_spills=spills[0],
        sgpr_spills=spills[1],
        scratch_bytes=scratch,
        lds_bytes=lds,
        threads=threads,
        workgroups_per_cu=workgroups,
        waves_per_simd=workgroups * threads // LANES_OF_CU,
    )


def _loop(listing: Listing, start: int, end: int, spec: KernelSpec | None) -> Loop:
    """Count the innermost loop with the most MFMAs of the instructions start .. end - 1, or all where none has any."""
    backward = sorted(_backward(listing, start, end))
    innermost = [
        (first, last)
        for first, last in backward
        if not any((f, l) != (first, last) and first <= f and l <= last for f, l in backward)
    ]
    most, first, last = max(
        ((_mfmas(listing.lines[first : last + 1]), first, last) for first, last in innermost),
        default=(0, start, end - 1),
    )
    looping = most > 0
    if not looping:
        first, last = start, end - 1
    lines = listing.lines[first : last + 1]
    numbers = (lines[0].number, lines[-1].number)
    where = f"lines {numbers[0]}-{numbers[1]}"
    taken = (
        f"{where}: of {len(innermost)} innermost loop(s) the one with the most MFMAs"
        if looping
        else f"{where}: no loop holds an MFMA, so the whole kernel"
    )
    return _count(lines, taken, numbers, looping, _blocks(most, spec) if looping and spec else 0)


def _blocks(mfmas: int, spec: KernelSpec) -> int:
    """K blocks of 128 that this many MFMAs of one wave finish; 0 when they are not whole blocks."""
    mfma_m, mfma_n, mfma_k = map(int, spec.mfma.split("x"))
    tiles = spec.tile_m * spec.tile_n // (spec.threads // WAVE_SIZE) // (mfma_m * mfma_n)
    blocks, rest = divmod(mfmas, tiles * (SCALE_BLOCK // mfma_k))
    return 0 if rest else blocks


def _backward(listing: Listing, start: int, end: int) -> Iterable[tuple[int, int]]:
    """(first, last) instruction of every loop: where a branch back goes to, and the branch."""
    by_pc = {line.pc: index for index, line in enumerate(listing.lines) if line.pc is not None}
    for index in range(start, end):
        line = listing.lines[index]
        if not line.mnemonic.startswith(("s_cbranch", "s_branch")):
            continue
        to = listing.labels.get(line.operands[0])
        if to is None and line.pc is not None and line.operands[0].isdigit():
            # llvm-objdump prints the field: a signed count of dwords from the next instruction.
            dwords = (int(line.operands[0]) + 0x8000 & 0xFFFF) - 0x8000
            to = by_pc.get(line.pc + 4 + 4 * dwords)
        if to is not None and start <= to <= index:
            yield to, index


def _mfmas(lines: Iterable[Line]) -> int:
    return sum(line.mnemonic.startswith("v_mfma") for line in lines)


def _count(lines: Sequence[Line], taken: str, numbers: tuple[int, int], looping: bool, blocks: int) -> Loop:
    from oracle.packed_fp32 import forms

    counts: Counter[str] = Counter()
    valu: Counter[str] = Counter()
    waits: Counter[str] = Counter()
    wait_states = 0
    for line in lines:
        kind = kind_of(line)
        counts[kind] += 1
        if kind == "valu":
            valu[_VALU.get(line.mnemonic, "other")] += 1
            counts["agpr_moves"] += line.mnemonic.startswith("v_accvgpr")
        elif kind == "mfma":
            counts["native_scales"] += line.mnemonic.startswith("v_mfma_scale")
        elif kind == "wait":
            waits.update(f"{counter}({value})" for counter, value in _WAIT.findall(line.text))
        elif kind == "nop":
            wait_states += int(line.operands[0], 0) + 1
    total = sum(valu.values())
    return Loop(
        taken=taken,
        lines=numbers,
        branches_back=looping,
        blocks=blocks,
        instructions=len(lines),
        mfma=counts["mfma"],
        valu={kind: valu[kind] for kind in VALU_KINDS},
        agpr_moves=counts["agpr_moves"],
        lds_reads=counts["lds_read"],
        lds_writes=counts["lds_write"],
        lds_dma=counts["lds_dma"],
        global_loads=counts["global_load"],
        global_stores=counts["global_store"],
        scalar_loads=counts["scalar_load"],
        scratch=counts["scratch"],
        waits=dict(sorted(waits.items())),
        barriers=counts["barrier"],
        nops=counts["nop"],
        nop_wait_states=wait_states,
        native_scales=counts["native_scales"],
        packed=forms(lines),
        valu_total=total,
        valu_per_mfma=round(total / counts["mfma"], 3) if counts["mfma"] else 0.0,
        per_two_blocks=(
            PerTwoBlocks(*(round(count * BLOCKS / blocks, 2) for count in (len(lines), total, wait_states)))
            if blocks
            else UNSET
        ),
    )


def kind_of(line: Line) -> str:
    """What an instruction occupies. The order matters: an MFMA is spelt as a VALU instruction."""
    name = line.mnemonic
    if name.startswith(("v_mfma", "v_smfmac")):
        return "mfma"
    if name.startswith("v_"):
        return "valu"
    if name.startswith("scratch_"):
        return "scratch"
    if name.startswith(("buffer_", "global_", "flat_")):
        if "lds" in line.modifiers or "_lds_" in name:
            return "lds_dma"
        return "global_load" if "_load_" in name else "global_store" if "_store_" in name else "other"
    if name.startswith("ds_"):
        return "lds_read" if "read" in name or "load" in name else "lds_write" if "write" in name else "other"
    exact = {"s_waitcnt": "wait", "s_barrier": "barrier", "s_nop": "nop"}
    if name in exact:
        return exact[name]
    return "scalar_load" if name.startswith(("s_load", "s_buffer_load")) else "other"
