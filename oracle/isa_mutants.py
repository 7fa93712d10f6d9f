# SPDX-License-Identifier: Apache-2.0
"""Small faults in a kernel's machine code, and whether the proof sees them.

Each mutant changes one instruction: a wait or barrier deleted, a wait weakened by one, an LDS DMA or MFMA deleted, MFMA
factors swapped, an LDS offset shifted. It is killed by wrong values (eager or late), by a check, or by an error; or it
is equivalent, with a reason that the machine derives; or it stays open, which is a gap of the proof.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal

from oracle import machine
from oracle.compare import compare
from oracle.datasets import DatasetName, dataset
from oracle.verify import KernelUnderTest, execute, expected_bits

Kind = Literal["wait", "barrier", "dma", "mfma", "operand", "lds_offset"]
Verdict = Literal["killed", "equivalent", "open"]

#: Keeps the distance between the instructions around a deleted one.
_NOTHING = "s_nop 0"
_COUNTER = re.compile(r"(vmcnt|lgkmcnt)\((\d+)\)")
#: Largest count of each counter; waiting for it waits for nothing (gfx9 encoding).
_MOST = {"vmcnt": 63, "lgkmcnt": 15}
_MFMA = re.compile(r"(v_mfma_\S+ +[va]\[[\d:]+\], )([va]\[[\d:]+\])(, )([va]\[[\d:]+\])(.*)")
_LDS_ACCESS = re.compile(r"ds_(?:read|write)\w* ")
_OFFSET = re.compile(r" offset:(\d+)")
#: Bytes that an LDS offset is shifted by: one slot of the swizzle.
_SHIFT = 16
_LARGEST_OFFSET = 65535


@dataclass(frozen=True, slots=True)
class IsaMutant:
    """One changed instruction. line: of the ISA text, 1-based; was, now: instruction texts; isa: the whole text."""

    kind: Kind
    line: int
    was: str
    now: str
    isa: str


@dataclass(frozen=True, slots=True)
class Judgement:
    """What became of a mutant. by: `eager values`, `late values`, a check's code or an error's; or the reason."""

    mutant: IsaMutant
    verdict: Verdict
    by: str


def mutants(isa: str) -> Iterator[IsaMutant]:
    """Every mutant of an ISA text, in the order of its lines."""
    lines = isa.split("\n")
    for index, line in enumerate(lines):
        body = line.split(";")[0].rstrip()
        was = body.strip()
        for kind, now in _changes(was):
            changed = [*lines[:index], body.replace(was, now), *lines[index + 1 :]]
            yield IsaMutant(kind, index + 1, was, now, "\n".join(changed))


def _changes(was: str) -> Iterator[tuple[Kind, str]]:
    if was.startswith("s_waitcnt "):
        yield "wait", _NOTHING
        for match in _COUNTER.finditer(was):
            name, count = match.group(1), int(match.group(2))
            if count < _MOST[name]:
                yield "wait", f"{was[: match.start()]}{name}({count + 1}){was[match.end() :]}"
    elif was == "s_barrier":
        yield "barrier", _NOTHING
    elif was.startswith("buffer_load_") and was.endswith(" lds"):
        yield "dma", _NOTHING
    elif was.startswith("v_mfma_"):
        yield "mfma", _NOTHING
        mfma = _MFMA.fullmatch(was)
        if mfma is not None and mfma.group(2) != mfma.group(4):
            yield "operand", "".join(mfma.group(part) for part in (1, 4, 3, 2, 5))
    elif _LDS_ACCESS.match(was):
        written = _OFFSET.search(was)
        if written is None:
            yield "lds_offset", f"{was} offset:{_SHIFT}"
        else:
            offset = int(written.group(1))
            shifted = offset + _SHIFT if offset + _SHIFT <= _LARGEST_OFFSET else offset - _SHIFT
            yield "lds_offset", was.replace(written.group(), f" offset:{shifted}")


def judge(
    kernel: KernelUnderTest,
    m: int,
    data: DatasetName = "general",
    threads: int = 1,
    kinds: frozenset[Kind] | None = None,
    progress: Callable[[Judgement], None] | None = None,
) -> Iterator[Judgement]:
    """Try every mutant of a kernel on M rows of one data set.

    Raises ValueError when the kernel itself is not clean: nothing could be concluded then.
    """
    problem = dataset(data, m, kernel.n, kernel.k, kernel.flavour, kernel.scale_block_m)
    expected = expected_bits(kernel, problem)
    modes = {landing: machine.Mode(landing=landing, checks=True, threads=threads) for landing in machine.LANDINGS}

    def run(program: machine.Program, landing: str) -> tuple[bool, tuple[machine.Finding, ...]]:
        actual, reports = execute(kernel, program, problem, modes[landing])
        findings = tuple(finding for report in reports for finding in report.findings)
        return compare(actual, expected, kernel.out).equal, findings

    notes: set[tuple[str, int]] = set()
    program = machine.load(kernel.isa, kernel.arch)
    for landing in machine.LANDINGS:
        equal, findings = run(program, landing)
        if not equal or any(finding.severity is machine.Severity.HIGH for finding in findings):
            raise ValueError(f"{kernel.name} itself is not clean ({landing}): prove it before its mutants")
        notes = {(finding.code, finding.line) for finding in findings}

    for mutant in mutants(kernel.isa):
        if kinds is None or mutant.kind in kinds:
            result = _judge(kernel.arch, mutant, run, notes)
            if progress is not None:
                progress(result)
            yield result


def _judge(
    arch: str,
    mutant: IsaMutant,
    run: Callable[[machine.Program, str], tuple[bool, tuple[machine.Finding, ...]]],
    notes: set[tuple[str, int]],
) -> Judgement:
    try:
        program = machine.load(mutant.isa, arch)
    except machine.MachineError as error:
        return Judgement(mutant, "killed", error.code)
    for landing in machine.LANDINGS:
        try:
            equal, findings = run(program, landing)
        except machine.MachineError as error:
            return Judgement(mutant, "killed", error.code)
        if not equal:
            return Judgement(mutant, "killed", f"{landing} values")
        severe = [finding.code for finding in findings if finding.severity is machine.Severity.HIGH]
        if severe:
            return Judgement(mutant, "killed", severe[0])
    reason = _equivalence(mutant, notes)
    return Judgement(mutant, "equivalent" if reason else "open", reason)


def _equivalence(mutant: IsaMutant, notes: set[tuple[str, int]]) -> str:
    """Why a survivor changes nothing, from what the machine saw; empty when it cannot tell."""
    if mutant.kind == "wait":
        if ("CKM241", mutant.line) in notes:
            return "nothing was in flight that this wait could retire"
        # With checks on, every access to a register, LDS byte or buffer that an operation in flight may still change
        # is a finding, and loads landed as late as the remaining waits allow.
        return "no dependence crosses it: late landing met no access to anything still in flight"
    if mutant.kind == "barrier" and ("CKM242", mutant.line) in notes:
        return "no LDS dependence between waves is ordered by this barrier alone"
    return ""
