# SPDX-License-Identifier: Apache-2.0
"""Distances that hardware does not interlock, checked on the text: MFMA results, VALU to scalar, transcendental, M0.

Rules are those of LLVM's GCNHazardRecognizer for gfx940 and gfx950 (checkMAIHazards90A, checkMAIVALUHazards and the
VALU, VMEM and M0 checks). A distance is counted in wait states: one an instruction, n + 1 for `s_nop n`; an MFMA on the
way issues when the one before it has passed its passes. Compilers keep these distances; hand-written code may not.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from .encode import ALL_LANES, DPP, DST, DST2, LDS, READ_DST, SDWA, SRC0, SRC1, SRC2, SRC3, SRC4, Instruction
from .operands import SGPR, VGPR
from .report import Finding, Severity, party

#: Every code of this module, and its finding's title; the rule that is broken is the finding's explanation.
TITLES = {
    "CKM251": "too close to an MFMA",
    "CKM252": "SGPR, VCC, EXEC or lane read too close behind the VALU",
    "CKM253": "DPP, M0, transcendental, partial register or store data too close",
}
#: Rules that LLVM keeps and AMD's manuals do not list (CDNA4 ISA 4.5, 7.6); shipped hand-written kernels break them.
UNDOCUMENTED = frozenset(
    {
        "M0 is written just before it is used",
        "SGPR written by VALU read by VALU",
        "VGPR written by VALU read by a lane read",
    }
)
FARTHEST = 20  # wait states; no rule reaches farther
#: LLVM's own rules ask for 20 behind 16 passes on gfx950 (pull requests 126132, 126727, 126732), but its search goes
#: back by 19. Tried with llc 22.1.8: it adds two wait states at a distance of 18, none at 19.
_LLVM_SEARCHES = 19
_EXEC = frozenset({126, 127})
_M0 = 124
_VMEM = ("buffer", "flat", "global", "scratch")
#: They have hazards of their own, and hardware may round their last bit differently.
TRANSCENDENTAL = re.compile(r"v_(exp|log|rcp|rcp_iflag|rsq|sqrt|sin|cos)(_legacy)?_(f16|f32|f64)$")
# Passes (4 clocks) of an MFMA: LLVM's scheduling model. f8f6f4 takes the longer time when an operand is 8-bit.
_PASSES = (
    (re.compile(r"v_mfma_(scale_)?f32_16x16x128"), 8, 4),
    (re.compile(r"v_mfma_(scale_)?f32_32x32x64"), 16, 8),
    (re.compile(r"v_mfma_\w+_16x16x"), 4, 4),
    (re.compile(r"v_mfma_\w+_32x32x"), 8, 8),
)


@dataclass(frozen=True, slots=True)
class _Registers:
    """Rows and SGPRs that one instruction reads and writes; a, b and c apart for MFMA."""

    reads: frozenset[tuple[str, int]]
    writes: frozenset[tuple[str, int]]
    factors: frozenset[tuple[str, int]]
    addend: tuple[tuple[str, int], ...]
    result: tuple[tuple[str, int], ...]


def _span(ins: Instruction, places: Sequence[int]) -> tuple[tuple[str, int], ...]:
    found = []
    for place in places:
        if place in ins.operands:
            value, _ = ins.operands[place]
            if value.kind in (VGPR, SGPR):
                found += [(value.kind, value.number + n) for n in range(value.dwords)]
    return tuple(found)


def _registers(ins: Instruction) -> _Registers:
    sources = _span(ins, (SRC0, SRC1, SRC2, SRC3, SRC4))
    written = _span(ins, (DST, DST2))
    if ins.flags & READ_DST:
        sources += _span(ins, (DST,))
    if "swap" in ins.opcode.flags:
        written += _span(ins, (SRC0,))
    if "exec" in ins.opcode.flags:
        written += ((SGPR, 126), (SGPR, 127))
    matrix = bool(ins.flags & ALL_LANES)
    return _Registers(
        frozenset(sources),
        frozenset(written),
        frozenset(_span(ins, (SRC0, SRC1, SRC3, SRC4))) if matrix else frozenset(),
        _span(ins, (SRC2,)) if matrix else (),
        _span(ins, (DST,)) if matrix else (),
    )


def _passes(ins: Instruction) -> int:
    for pattern, eight_bit, smaller in _PASSES:
        if pattern.match(ins.mnemonic):
            return eight_bit if ins.cbsz < 2 or ins.blgp < 2 else smaller
    return 2


def _states(ins: Instruction) -> int:
    return ins.target + 1 if ins.mnemonic == "s_nop" else 1


def _byte_selected(ins: Instruction) -> bool:
    """Whether a conversion to 8 bits or to a pair of FP4 writes another byte than the lowest."""
    return "byte-destination" in ins.opcode.flags and bool(ins.op_sel >> 2 & 3 or ins.cbsz)


def _valu(ins: Instruction) -> bool:
    return ins.opcode.family in ("valu", "vopc", "vop3p")


def _matrix(ins: Instruction) -> bool:
    return ins.opcode.family == "mfma"


def _memory(ins: Instruction) -> bool:
    return ins.opcode.family in (*_VMEM, "ds")


class _Pair:
    """Producer, then a consumer; `need` is the number of wait states that must lie between."""

    def __init__(
        self,
        first: Instruction,
        a: _Registers,
        second: Instruction,
        b: _Registers,
        arch: str,
        live: frozenset[tuple[str, int]],
    ) -> None:
        self.first, self.a, self.second, self.b, self.arch = first, a, second, b, arch
        self.live = live  # what the producer wrote and nothing between has overwritten: LLVM looks at the nearest write

    def rules(self) -> Iterator[tuple[str, int, str]]:
        """(code, wait states needed, rule) of every rule that applies."""
        if _matrix(self.first):
            yield from self._after_matrix()
        if _valu(self.first):
            yield from self._after_valu()
        first, second = self.first, self.second
        writes_m0 = (SGPR, _M0) in self.a.writes and first.opcode.family == "salu"
        if writes_m0 and (second.memory & LDS or second.mnemonic == "s_sendmsg"):
            yield "CKM253", 1, "M0 is written just before it is used"
        if self._wide_store(first) and _valu(second) and self._data(first) & self.b.writes:
            if self._offset_in_sgpr(first):  # measured on gfx950 by others (LLVM#197267)
                yield "CKM253", 1, "store data of three dwords or more, with an SGPR offset, is overwritten by VALU"
            else:
                yield "CKM253", 2, "store data of three dwords or more is overwritten by VALU"

    def _after_matrix(self) -> Iterator[tuple[str, int, str]]:
        passes = _passes(self.first)
        longer = self.arch == "gfx950" and passes != 2
        result, second = frozenset(self.a.result) & self.live, self.second
        if _matrix(second):
            if result & self.b.factors:
                yield "CKM251", passes + 3 + longer, "MFMA result read as a factor"
            if result & frozenset(self.b.addend) and self.a.result != self.b.addend:
                yield "CKM251", passes + 1 + longer, "MFMA result read as an addend of another extent"
            return
        if not _valu(second) and not _memory(second):
            return
        if result & self.b.reads:
            yield "CKM251", passes + 3 + longer, "MFMA result read"
        if result & self.b.writes:
            yield "CKM251", passes + 3 + longer, "MFMA result overwritten"
        if frozenset(self.a.addend) & self.b.writes and _valu(second):
            yield "CKM251", passes - 1, "MFMA addend overwritten"

    def _after_valu(self) -> Iterator[tuple[str, int, str]]:
        first, second = self.first, self.second
        shared = self.live & self.b.reads
        scalars = frozenset(r for r in shared if r[0] == SGPR)
        vectors = shared - scalars
        exec_written = bool(self.live & {(SGPR, n) for n in _EXEC})
        if _matrix(second):
            if vectors and "dot" not in first.mnemonic:
                yield "CKM251", 2, "VALU result read by MFMA"
            if exec_written:
                yield "CKM252", 4, "EXEC written by VALU before MFMA"
        if second.opcode.family in _VMEM and scalars:
            yield "CKM252", 5, "SGPR written by VALU read by vector memory"
        lane_select = second.mnemonic in ("v_readlane_b32", "v_writelane_b32")
        if lane_select and frozenset(_span(second, (SRC1,))) & scalars:
            yield "CKM252", 4, "lane number written by VALU"
        elif _valu(second) and scalars:
            yield "CKM252", 2, "SGPR written by VALU read by VALU"
        if "permlane" in second.mnemonic:
            if vectors:
                yield "CKM252", 2, "VALU result read by a permlane"
            if exec_written and first.opcode.family == "vopc":
                yield "CKM252", 4, "EXEC written by a comparison before a permlane"
        if "vcc-source" in second.opcode.flags and (SGPR, 106) in self.a.writes:
            yield "CKM252", 4, "VCC written by VALU read by v_div_fmas"
        if second.mnemonic in ("v_readlane_b32", "v_readfirstlane_b32") and vectors:
            yield "CKM252", 1, "VGPR written by VALU read by a lane read"
        if second.flags & DPP:
            if frozenset(_span(second, (SRC0,))) & vectors:
                yield "CKM253", 2, "VALU result read through DPP"
            if exec_written:
                yield "CKM253", 5, "EXEC written by VALU before DPP"
        if (
            TRANSCENDENTAL.match(first.mnemonic)
            and _valu(second)
            and not TRANSCENDENTAL.match(second.mnemonic)
            and vectors
        ):
            yield "CKM253", 1, "transcendental result read by VALU"
        partial = (first.flags & SDWA and first.dst_select != 6) or first.op_sel & 8 or _byte_selected(first)
        if partial and (_valu(second) or _memory(second)) and vectors:
            yield "CKM253", 1, "result placed into part of a register read at once"

    @staticmethod
    def _wide_store(ins: Instruction) -> bool:
        return ins.opcode.family in _VMEM and "store" in ins.opcode.flags and ins.width >= 12

    @staticmethod
    def _offset_in_sgpr(ins: Instruction) -> bool:
        return ins.opcode.family == "buffer" and ins.operands[SRC3][0].kind == SGPR

    @staticmethod
    def _data(ins: Instruction) -> frozenset[tuple[str, int]]:
        return frozenset(_span(ins, (SRC0,)))


def hazards(instructions: Sequence[Instruction], arch: str) -> tuple[Finding, ...]:
    """Every pair on some path of the program that stands closer than its rule allows."""
    registers = [_registers(ins) for ins in instructions]
    found: dict[tuple[int, int, str], Finding] = {}
    for start, first in enumerate(instructions):
        producer = _matrix(first) or _valu(first) or _Pair._wide_store(first) or (SGPR, _M0) in registers[start].writes
        if not producer:
            continue
        for index, distance, live in _following(instructions, registers, start):
            second = instructions[index]
            pair = _Pair(first, registers[start], second, registers[index], arch, live)
            for code, need, rule in pair.rules():
                if distance < need:
                    words = f"{rule} after {distance} wait states, {need} are needed"
                    severity = Severity.HIGH
                    if distance == _LLVM_SEARCHES:
                        words += "; LLVM 22 asks for as many, but looks back by 19 only"
                    if rule in UNDOCUMENTED:
                        severity = Severity.LOW
                        words = f"{rule} after {distance} wait states; LLVM keeps {need}, no manual asks for them"
                    found.setdefault(
                        (start, index, rule),
                        Finding(
                            code,
                            severity,
                            TITLES[code],
                            words,
                            party(second, 0, 0),
                            party(first, 0, 0),
                            0,
                            1,
                        ),
                    )
    return tuple(found.values())


def _following(
    instructions: Sequence[Instruction], registers: Sequence[_Registers], start: int
) -> Iterator[tuple[int, int, frozenset[tuple[str, int]]]]:
    """(index, wait states since `start`, writes of `start` that survive) of what may execute within FARTHEST.

    Each way to arrive with other survivors, or with the matrix core busy for longer, is a visit of its own, at its
    nearest. An MFMA waits until the one before it has passed: what follows is farther away by that much. The MFMA
    itself is taken as near as it stands, since the rules say what must stand before it.
    """
    busy = _passes(instructions[start]) - 1 if _matrix(instructions[start]) else 0
    best: dict[tuple[int, frozenset[tuple[str, int]], int], int] = {}
    open_ = [(n, 0, registers[start].writes, busy) for n in _successors(instructions, start)]
    while open_:
        index, distance, live, busy = open_.pop()
        key = index, live, max(0, busy - distance)
        if distance >= FARTHEST or best.get(key, FARTHEST) <= distance:
            continue
        best[key] = distance
        ins = instructions[index]
        after, survivors = distance + _states(ins), live - registers[index].writes
        if _matrix(ins):
            issued = max(distance, busy)
            after, busy = issued + 1, issued + _passes(ins)
        open_ += [(n, after, survivors, busy) for n in _successors(instructions, index)]
    for (index, live, _), distance in best.items():
        yield index, distance, live


def _successors(instructions: Sequence[Instruction], index: int) -> list[int]:
    ins = instructions[index]
    following = []
    if ins.mnemonic not in ("s_endpgm", "s_branch", "s_setpc_b64") and index + 1 < len(instructions):
        following.append(index + 1)
    if "branch" in ins.opcode.flags:
        following.append(ins.target)
    return following
