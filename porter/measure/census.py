# SPDX-License-Identifier: Apache-2.0
"""What stands in a kernel's hot loop, counted in its ISA text, and the resources that its metadata states.

Count the loop, not the kernel (docs/notes/tuning.md#diagnosis): prologue and epilogue run once. Counts are instructions
of one wave and one trip of the loop; nothing here is a time.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from msgspec import UNSET

from porter.census import CountedKernel, KernelCensus, Limit, Loop, PerTwoBlocks, Resources
from porter.errors import InputError
from porter.kernel_spec import KernelSpec
from porter.problem import TARGETS, WAVE_SIZE
from porter.runtime._serving import SCALE_BLOCK
from porter.select.legality import LANES_OF_CU, MAX_WAVES_PER_EU, SIMDS, VGPRS_PER_SIMD

if TYPE_CHECKING:
    from oracle.machine.metadata import Kernel
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
_MFMA = ("v_mfma", "v_smfmac")
_SHAPE = re.compile(r"\d+x\d+x\d+")
_WAIT = re.compile(r"(\w+)\((\d+)\)")


def reference_nk(spec: KernelSpec) -> tuple[int, int]:
    """The shape of B that a census is compiled for when nothing else is asked.

    N is two whole tiles, so nothing is masked; K gives every slice 32 blocks, so that each core has its run-time
    loop.
    """
    return 2 * spec.tile_n, 32 * SCALE_BLOCK * spec.split_k


class Tiled(Protocol):
    """What tells how many MFMAs a K block takes: a workgroup's tile and threads, the MFMA as `16x16x128`."""

    @property
    def tile(self) -> tuple[int, int, int]: ...
    @property
    def threads(self) -> int: ...
    @property
    def mfma(self) -> str: ...


@dataclass(frozen=True, slots=True)
class Code:
    """Machine code to count. path: as errors name it; kernels: by symbol, which is a label of the listing; arch: of
    TARGETS."""

    path: str
    listing: Listing
    kernels: dict[str, Kernel]
    arch: str


def read(isa: str, path: str = "") -> Code:
    """An ISA text (FlyDSL's or LLVM's).

    Raises InputError: CKT020 unreadable text, CKT021 no kernel with metadata or descriptor, CKT022 unknown chip.
    """
    from oracle.machine import MachineError
    from oracle.machine.metadata import kernels
    from oracle.machine.text import read as listed

    try:
        listing = listed(isa, path)
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
    return Code(path, listing, found, arch)


def take(isa: str, path: str = "", spec: KernelSpec | None = None) -> tuple[KernelCensus, ...]:
    """The census of every kernel of an ISA text, the one with most MFMAs first.

    spec: of the kernel, for the K blocks of a trip; found from the kernel's name where it is one of porter's.
    Raises InputError as `read`.
    """
    return tuple(found.census for found in _counted(read(isa, path), spec))


def count(code: Code, tiled: Tiled | None = None) -> tuple[CountedKernel, ...]:
    """Every kernel of a code as `porter census` shows it, the one with most MFMAs first; `tiled` as in `take`."""
    return tuple(_described(code, found) for found in _counted(code, tiled))


@dataclass(frozen=True, slots=True)
class _Counted:
    """A census, and what it was made of. others: loops with MFMAs that were not counted."""

    census: KernelCensus
    tiled: Tiled | None
    lines: Sequence[Line]
    others: tuple[str, ...]


def _counted(code: Code, tiled: Tiled | None) -> list[_Counted]:
    starts = sorted(code.listing.labels[symbol] for symbol in code.kernels if symbol in code.listing.labels)
    counted = []
    for symbol, kernel in code.kernels.items():
        start = code.listing.labels.get(symbol, 0)
        end = min((other for other in starts if other > start), default=len(code.listing.lines))
        of = tiled or _named(kernel.name)
        loop, lines, others = _loop(code.listing, start, end, of)
        census = KernelCensus(kernel.name, _resources(kernel, TARGETS[code.arch].lds_bytes), loop)
        counted.append(_Counted(census, of, lines, others))
    return sorted(counted, key=lambda found: -found.census.loop.mfma)


def _described(code: Code, found: _Counted) -> CountedKernel:
    census, tiled = found.census, found.tiled
    names = (line.mnemonic for line in found.lines if line.mnemonic.startswith(_MFMA))
    shapes = {shape[0] for name in names if (shape := _SHAPE.search(name))}
    return CountedKernel(
        name=census.name,
        path=code.path,
        arch=code.arch,
        tile=tiled.tile if tiled else None,
        mfma=tuple(sorted(shapes)),
        limits=limits(census.resources, TARGETS[code.arch].lds_bytes),
        k_tiles="",
        other_loops=found.others,
        resources=census.resources,
        loop=census.loop,
    )


def _named(name: str) -> KernelSpec | None:
    from porter.errors import KernelNameError

    try:
        return KernelSpec.of_kernel_or_twin(name)
    except KernelNameError:
        return None


def _resources(kernel: Kernel, lds_of_cu: int) -> Resources:
    # Assembly's metadata may leave AGPRs out: the descriptor says where they start.
    agprs = kernel.agprs or max(0, kernel.vgprs - kernel.descriptor.accum_offset)
    threads = kernel.max_flat_workgroup_size
    workgroups = min(_room(kernel.vgprs, kernel.lds_bytes, threads, lds_of_cu).values())
    return Resources(
        vgprs=kernel.vgprs,
        agprs=agprs,
        sgprs=kernel.sgprs,
        vgpr_spills=kernel.spills[0],
        sgpr_spills=kernel.spills[1],
        scratch_bytes=kernel.scratch_bytes,
        lds_bytes=kernel.lds_bytes,
        threads=threads,
        workgroups_per_cu=workgroups,
        waves_per_simd=workgroups * threads // LANES_OF_CU,
    )


def _room(vgprs: int, lds: int, threads: int, lds_of_cu: int) -> dict[Limit, int]:
    """Workgroups that a CU has room for, by what they take: docs/notes/hardware.md#registers-and-waves."""
    waves = max(1, -(-threads // WAVE_SIZE))
    by_registers = VGPRS_PER_SIMD // max(VGPR_GRANULE, -(-vgprs // VGPR_GRANULE) * VGPR_GRANULE)
    room: dict[Limit, int] = {"waves": SIMDS * MAX_WAVES_PER_EU // waves, "vgprs": SIMDS * by_registers // waves}
    return {**room, "lds": lds_of_cu // lds} if lds > 0 else room


def limits(resources: Resources, lds_of_cu: int) -> tuple[Limit, ...]:
    """What leaves no room for one more workgroup on a CU."""
    room = _room(resources.vgprs, resources.lds_bytes, resources.threads, lds_of_cu)
    return tuple(limit for limit, workgroups in room.items() if workgroups == resources.workgroups_per_cu)


@dataclass(frozen=True, slots=True)
class _Candidate:
    """An innermost loop, by its first and last instruction. depth: loops around it."""

    first: int
    last: int
    depth: int
    mfmas: int

    @property
    def rank(self) -> tuple[int, int, int]:
        return self.depth, self.mfmas, -self.first


def _loop(listing: Listing, start: int, end: int, tiled: Tiled | None) -> tuple[Loop, Sequence[Line], tuple[str, ...]]:
    """Count one loop of the instructions start .. end - 1, or all where none has an MFMA; with its instructions, and
    the loops with MFMAs that it is not.

    It is an innermost one. Of several with MFMAs it is that with the most loops around it, which runs most often, then
    that with the most MFMAs, then the first.
    """
    innermost = sorted(_innermost(listing, start, end), key=lambda loop: loop.rank, reverse=True)
    loops = [loop for loop in innermost if loop.mfmas]
    if not loops:
        ends = [index for index in range(start, end) if listing.lines[index].mnemonic == "s_endpgm"]
        last = max(ends, default=end - 1)  # what follows fills up to the next kernel
        taken = f"{_place(listing, start, last)}: no loop holds an MFMA, so the whole kernel"
        lines = listing.lines[start : last + 1]
        return _count(lines, taken, looping=False, blocks=0), lines, ()
    loop = loops[0]
    which = "the one with the most MFMAs" if len(loops) == 1 else "the most nested, then the one with the most MFMAs"
    taken = f"{_place(listing, loop.first, loop.last)}: of {len(innermost)} innermost loop(s) {which}"
    others = tuple(f"{_place(listing, other.first, other.last)}: {other.mfmas} MFMAs" for other in loops[1:])
    lines = listing.lines[loop.first : loop.last + 1]
    return _count(lines, taken, looping=True, blocks=_blocks(loop.mfmas, tiled) if tiled else 0), lines, others


def _place(listing: Listing, first: int, last: int) -> str:
    """Where instructions stand: lines of a text, addresses of an object."""
    one, other = listing.lines[first], listing.lines[last]
    if one.pc is not None and other.pc is not None:
        return f"{one.pc:#x}-{other.pc:#x}"
    return f"lines {one.number}-{other.number}"


def _innermost(listing: Listing, start: int, end: int) -> Iterator[_Candidate]:
    backward = set(_backward(listing, start, end))
    for first, last in backward:
        if not any((f, l) != (first, last) and first <= f and l <= last for f, l in backward):
            around = {f for f, l in backward if f < first and last <= l}
            yield _Candidate(first, last, len(around), _mfmas(listing.lines[first : last + 1]))


def _blocks(mfmas: int, tiled: Tiled) -> int:
    """K blocks of 128 that this many MFMAs of one wave finish; 0 when they are not whole blocks."""
    mfma_m, mfma_n, mfma_k = map(int, tiled.mfma.split("x"))
    tile_m, tile_n, _ = tiled.tile
    tiles = tile_m * tile_n // (tiled.threads // WAVE_SIZE) // (mfma_m * mfma_n)
    blocks, rest = divmod(mfmas, tiles * (SCALE_BLOCK // mfma_k))
    return 0 if rest else blocks


def _backward(listing: Listing, start: int, end: int) -> Iterable[tuple[int, int]]:
    """(first, last) instruction of every loop: where a branch back goes to, and the branch."""
    by_pc = {line.pc: index for index, line in enumerate(listing.lines) if line.pc is not None}
    for index in range(start, end):
        line = listing.lines[index]
        if not (line.mnemonic.startswith(("s_cbranch", "s_branch")) and line.operands):
            continue
        to = listing.place(line.operands[0], index)
        if to is None and line.pc is not None and line.operands[0].isdigit():
            # llvm-objdump prints the field: a signed count of dwords from the next instruction.
            dwords = (int(line.operands[0]) + 0x8000 & 0xFFFF) - 0x8000
            to = by_pc.get(line.pc + 4 + 4 * dwords)
        if to is not None and start <= to <= index:
            yield to, index


def _mfmas(lines: Iterable[Line]) -> int:
    return sum(line.mnemonic.startswith(_MFMA) for line in lines)


def _count(lines: Sequence[Line], taken: str, looping: bool, blocks: int) -> Loop:
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
            wait_states += _wait_states(line)
    total = sum(valu.values())
    return Loop(
        taken=taken,
        lines=(lines[0].number, lines[-1].number),
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


def _wait_states(nop: Line) -> int:
    """Of an s_nop. Raises InputError CKT020 for one without a number."""
    try:
        return int(nop.operands[0], 0) + 1
    except (IndexError, ValueError):
        raise InputError("CKT020", f"line {nop.number}: how long {nop.text!r} waits cannot be read") from None


def kind_of(line: Line) -> str:
    """What an instruction occupies. The order matters: an MFMA is spelt as a VALU instruction."""
    name = line.mnemonic
    if name.startswith(_MFMA):
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
