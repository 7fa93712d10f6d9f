# SPDX-License-Identifier: Apache-2.0
"""What a launch returns: typed findings, counters, time."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from enum import IntEnum

from .encode import DST, LDS, SRC2, Instruction
from .operands import NAMED_SGPRS
from .tables.records import Count, FindingRecord, Request


class Severity(IntEnum):
    """high: wrong on hardware, or undefined. low: safe only by circumstance. note: worth knowing."""

    NOTE = 0
    LOW = 1
    HIGH = 2


@dataclass(frozen=True, slots=True)
class Party:
    """One side of a finding: the instruction, its line in the source text (1-based), and who executed it."""

    text: str
    line: int
    pc: int
    wave: int
    lane: int

    def __str__(self) -> str:
        return f"line {self.line}: {self.text} (wave {self.wave}, lane {self.lane})"


@dataclass(frozen=True, slots=True)
class Finding:
    """One kind of fault at one pair of instructions. count: how often it was seen; workgroup: the lowest one."""

    code: str
    severity: Severity
    title: str
    explanation: str
    party: Party
    other: Party | None
    workgroup: int
    count: int

    @property
    def line(self) -> int:
        return self.party.line

    def __str__(self) -> str:
        parties = f"{self.party}; {self.other}" if self.other else str(self.party)
        place = f"workgroup {self.workgroup}, {self.count}x"
        return f"{self.code} {self.severity.name.lower()}: {self.explanation} [{parties}; {place}]"


@dataclass(frozen=True, slots=True)
class Cause:
    """Findings that differ only in the registers and the place: the same code at the same pair of mnemonics."""

    findings: tuple[Finding, ...]

    @property
    def first(self) -> Finding:
        """The worst and earliest: the example."""
        return self.findings[0]

    def __str__(self) -> str:
        rest = len(self.findings) - 1
        if not rest:
            return str(self.first)
        lines = sorted({finding.line for finding in self.findings[1:]})
        span = f"line {lines[0]}" if lines[0] == lines[-1] else f"lines {lines[0]} to {lines[-1]}"
        return f"{self.first}; and {rest} more of {' and '.join(_mnemonics(self.first))}, {span}"


def causes(findings: Iterable[Finding]) -> tuple[Cause, ...]:
    """Findings by cause, in the order of each cause's first: one wait that is missing shows at many readers."""
    groups: dict[tuple[str, tuple[str, ...]], list[Finding]] = {}
    for finding in findings:
        groups.setdefault((finding.code, _mnemonics(finding)), []).append(finding)
    return tuple(Cause(tuple(group)) for group in groups.values())


def _mnemonics(finding: Finding) -> tuple[str, ...]:
    parties = (finding.party, finding.other)
    return tuple(party.text.split()[0] for party in parties if party is not None)


_SGPR_NAMES = {number: name for name, (number, dwords) in NAMED_SGPRS.items() if dwords == 1} | {253: "scc"}


def register_name(number: int) -> str:
    """Row number as the core counts: VGPRs, AGPRs from 256, SGPRs from 1024."""
    if number >= 1024:
        return _SGPR_NAMES.get(number - 1024, f"s{number - 1024}")
    return f"a{number - 256}" if number >= 256 else f"v{number}"


# code: (severity, title, explanation with {where} an address or register, {other} the other instruction's mnemonic)
CODES: dict[int, tuple[Severity, str, str]] = {
    201: (Severity.HIGH, "vector register not waited for", "{where} is read before {other} has been waited for"),
    202: (Severity.HIGH, "scalar register not waited for", "{where} is read before {other} has been waited for"),
    203: (Severity.HIGH, "load in flight overwritten", "{where} is written while {other} may still land in it"),
    204: (Severity.HIGH, "LDS DMA not waited for", "LDS byte {raw} is read before the DMA into it has landed"),
    205: (
        Severity.HIGH,
        "LDS read-after-write race",
        "LDS byte {raw} is read without {counter} and then a barrier after another wave's {other} into it",
    ),
    206: (Severity.HIGH, "LDS write-after-read race", "LDS byte {raw} is overwritten without a barrier after a read"),
    207: (
        Severity.HIGH,
        "LDS write-after-write race",
        "LDS byte {raw} is written again without {counter} and then a barrier after another wave's {other} into it",
    ),
    208: (
        Severity.LOW,
        "LDS read waited for after the barrier",
        "LDS byte {raw} is overwritten by DMA while a read issued before the barrier has not been waited for",
    ),
    211: (Severity.HIGH, "uninitialised vector register", "{where} is read but never written in this lane"),
    212: (
        Severity.HIGH,
        "uninitialised scalar register",
        "{where} is read, but bits of it that count were never written",
    ),
    213: (Severity.HIGH, "uninitialised LDS", "LDS byte {raw} is read but never written"),
    214: (Severity.HIGH, "uninitialised memory", "{where} is read but never written"),
    221: (Severity.HIGH, "access outside the allocation", "{bytes} bytes at {where} lie in no allocation as a whole"),
    222: (
        Severity.HIGH,
        "range rules disagree",
        "{where}: the three buffer range rules differ on a store, or one lets the access leave its allocation",
    ),
    223: (Severity.HIGH, "misaligned access", "address {raw:#x} is not aligned as this instruction needs"),
    224: (Severity.HIGH, "access outside LDS", "LDS byte {raw} is outside the workgroup's allocation"),
    225: (Severity.HIGH, "store to read-only memory", "{where} may not be written"),
    226: (
        Severity.NOTE,
        "access partly in range",
        "{where}: the 32-bit words inside the range are made, those behind it read 0 or are dropped",
    ),
    227: (Severity.HIGH, "access outside scratch", "scratch byte {raw} is outside the lane's private segment"),
    228: (
        Severity.LOW,
        "range rules disagree on a load",
        "{where}: the three buffer range rules differ, all inside the allocation",
    ),
    231: (Severity.NOTE, "waves meet at different barriers", "this barrier pairs with {other}"),
    232: (
        Severity.HIGH,
        "two workgroups write one address",
        "{where} is written by workgroups {workgroup} and {other_workgroup} without atomics",
    ),
    233: (Severity.LOW, "access below its natural alignment", "address {raw:#x}: legal only in unaligned access mode"),
    235: (
        Severity.HIGH,
        "a workgroup reads what another writes",
        "{where} is read by workgroup {workgroup} and written by workgroup {other_workgroup} in one launch",
    ),
    236: (
        Severity.HIGH,
        "store of another workgroup not acquired",
        "{where}: nothing orders this access of workgroup {workgroup} after that of workgroup {other_workgroup}",
    ),
    237: (
        Severity.HIGH,
        "waves race on global memory",
        "{where}: no barrier between the accesses of two waves",
    ),
    238: (
        Severity.LOW,
        "barrier without vmcnt",
        "{where}: another wave's access was issued before the barrier, but not waited for",
    ),
    239: (
        Severity.HIGH,
        "order of floating-point atomics",
        "{where}: the sum rounds, and nothing orders its terms",
    ),
    244: (
        Severity.HIGH,
        "LDS read in flight overwritten",
        "LDS byte {raw} is overwritten while a read issued before the barrier has not been waited for",
    ),
    241: (
        Severity.NOTE,
        "wait that nothing needs",
        "nothing was in flight that {idle} could retire",
    ),
    242: (
        Severity.NOTE,
        "barrier that nothing needs",
        "no dependence between waves is ordered by this barrier alone",
    ),
    243: (
        Severity.HIGH,
        "findings lost",
        "more kinds of finding than a report holds: those listed are not all",
    ),
    271: (
        Severity.LOW,
        "buffer offset wraps",
        "{where}: voffset plus the instruction's offset passes 2^32 and starts again at the front of the buffer",
    ),
    272: (
        Severity.LOW,
        "word partly in range",
        "{where}: the range ends inside a 32-bit word or element, which this model drops whole",
    ),
    234: (
        Severity.HIGH,
        "LDS write and DMA unordered",
        "LDS byte {raw} is written by the wave's own DMA and LDS write in any order",
    ),
}


def decode(record: FindingRecord, instructions: list[Instruction], describe: Callable[[int], str]) -> Finding:
    """A core record in words."""
    severity, title, words = CODES[record.code]
    second = instructions[record.other - 1] if record.other else None
    address = record.address
    explanation = words.format(
        where=register_name(address) if record.code in (201, 202, 203, 211, 212) else describe(address),
        raw=address,
        other=second.mnemonic if second else "",
        workgroup=record.workgroup,
        other_workgroup=record.other_workgroup,
        counter="vmcnt" if second and second.memory & LDS else "lgkmcnt",
        bytes=_access_bytes(instructions[record.ins]),
        idle={1: "vmcnt", 2: "lgkmcnt", 3: "vmcnt and lgkmcnt"}.get(address, ""),
    )
    return Finding(
        f"CKM{record.code}",
        severity,
        title,
        explanation,
        party(instructions[record.ins], record.wave, record.lane),
        party(second, record.other_wave, record.other_lane) if second else None,
        record.workgroup,
        record.seen,
    )


def _access_bytes(ins: Instruction) -> int:
    """Bytes of one lane's access, or of a scalar one."""
    if ins.width:
        return ins.width
    data = SRC2 if "store" in ins.opcode.flags else DST
    return 4 * ins.operands[data][0].dwords if data in ins.operands else 4


def party(ins: Instruction, wave: int, lane: int) -> Party:
    """One instruction as a party."""
    return Party(ins.text, ins.line.number, ins.pc, wave, lane)


@dataclass(frozen=True, slots=True)
class Requests:
    """Requests of vector memory instructions: of each wave instruction, the distinct 64-byte segments that its active
    lanes reach in range (docs/notes/hardware.md#requests). loads: to VGPRs; dma: to LDS."""

    loads: int = 0
    dma: int = 0
    stores: int = 0
    atomics: int = 0

    def __add__(self, other: Requests) -> Requests:
        return Requests(
            self.loads + other.loads, self.dma + other.dma, self.stores + other.stores, self.atomics + other.atomics
        )

    @property
    def total(self) -> int:
        return self.loads + self.dma + self.stores + self.atomics

    @classmethod
    def by_operand(cls, names: Sequence[str], counted: Sequence[Sequence[int]]) -> dict[str, Requests]:
        """From the core's rows, which `Request` numbers; names: of the allocation of each row."""
        found: dict[str, Requests] = {}
        for name, row in zip(names, counted, strict=True):
            if any(row):
                of_row = cls(row[Request.LOAD], row[Request.DMA], row[Request.STORE], row[Request.ATOMIC])
                found[name] = found.get(name, cls()) + of_row
        return found


@dataclass(frozen=True, slots=True)
class Counters:
    """Sums over every workgroup that ran. instructions: wave instructions by family; the byte counts are of active
    lanes: what the kernel asked for, not cache traffic. lds_cycles and lds_conflicts only with checks on. requests: of
    vector memory, by the name of the allocation; private memory has none."""

    instructions: dict[str, int]
    requests: dict[str, Requests]
    memory_read_bytes: int
    memory_write_bytes: int
    scalar_read_bytes: int
    lds_read_bytes: int
    lds_write_bytes: int
    lds_dma_bytes: int
    atomic_bytes: int
    scratch_bytes: int
    lds_cycles: int
    lds_conflicts: int
    out_of_range_lanes: int
    mfma_integer: int
    mfma_double: int
    mfma_wide: int

    @classmethod
    def of(cls, instructions: dict[str, int], requests: dict[str, Requests], counted: Sequence[int]) -> Counters:
        """From the core's counts, which `Count` numbers."""
        return cls(
            instructions=instructions,
            requests=requests,
            memory_read_bytes=counted[Count.VMEM_READ],
            memory_write_bytes=counted[Count.VMEM_WRITE],
            scalar_read_bytes=counted[Count.SMEM_READ],
            lds_read_bytes=counted[Count.LDS_READ],
            lds_write_bytes=counted[Count.LDS_WRITE],
            lds_dma_bytes=counted[Count.LDS_DMA],
            atomic_bytes=counted[Count.ATOMIC],
            scratch_bytes=counted[Count.SCRATCH],
            lds_cycles=counted[Count.BANK_CYCLES],
            lds_conflicts=counted[Count.BANK_CONFLICTS],
            out_of_range_lanes=counted[Count.OUT_OF_RANGE],
            mfma_integer=counted[Count.MFMA_INTEGER],
            mfma_double=counted[Count.MFMA_DOUBLE],
            mfma_wide=counted[Count.MFMA_WIDE],
        )


@dataclass(frozen=True, slots=True)
class Report:
    """The outcome of a launch. seconds: wall time inside the machine; executed: times each instruction was executed by
    a wave, in program order; useful: bits for each instruction, known with checks
    on: of a wait 1 if vmcnt and 2 if lgkmcnt retired something, of a barrier 1 if it alone orders two LDS accesses."""

    kernel: str
    findings: tuple[Finding, ...]
    counters: Counters
    seconds: float
    workgroups: int
    executed: tuple[int, ...]
    useful: tuple[int, ...]
    approximate: tuple[str, ...] = field(default=())

    @property
    def dot(self) -> str:
        """Which sums the MFMAs took: integer (16-bit fixed point, exact), double (exact, proven by a zero error term),
        wide (exact expansion); all give the same bits. Empty without MFMA."""
        c = self.counters
        used = [("integer", c.mfma_integer), ("double", c.mfma_double), ("wide", c.mfma_wide)]
        return "+".join(name for name, count in used if count)

    @property
    def causes(self) -> tuple[Cause, ...]:
        """The findings, each cause once."""
        return causes(self.findings)

    def worst(self) -> Severity | None:
        """The highest severity found."""
        return max((f.severity for f in self.findings), default=None)
