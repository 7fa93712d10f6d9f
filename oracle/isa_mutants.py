# SPDX-License-Identifier: Apache-2.0
"""Small faults in a kernel's machine code, and whether the proof sees them.

Each mutant changes one instruction: a wait or barrier deleted, a wait weakened by one or moved behind the next
barrier, an LDS DMA or MFMA deleted, MFMA factors swapped, an LDS offset shifted; or it leaves out a launch. It is
killed by wrong values (eager or late), by a check of any severity that the kernel itself does not trip, or by an error;
or it is equivalent, with a reason that the machine derives; or it stays open, which is a gap of the proof.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from oracle import machine
from oracle.compare import compare
from oracle.datasets import DatasetName, dataset
from oracle.verify import KernelUnderTest, Step, execute, expected_bits

Kind = Literal["wait", "moved_wait", "barrier", "dma", "mfma", "operand", "lds_offset", "launch"]
Verdict = Literal["killed", "equivalent", "open"]

#: Keeps the distance between the instructions around a deleted one.
_NOTHING = "s_nop 0"
_COUNTER = re.compile(r"(vmcnt|lgkmcnt)\((\d+)\)")
#: Largest count of each counter; waiting for it waits for nothing (gfx9 encoding).
_MOST = {"vmcnt": 63, "lgkmcnt": 15}
_MFMA = re.compile(r"(v_mfma_\S+ +[va]\[[\d:]+\], )([va]\[[\d:]+\])(, )([va]\[[\d:]+\])(.*)")
#: Ends a basic block: a label or a branch.
_BLOCK_END = re.compile(r"\S+:|s_c?branch|s_endpgm|s_setpc")
_LDS_ACCESS = re.compile(r"ds_(?:read|write)\w* ")
_OFFSET = re.compile(r" offset:(\d+)")
#: Bytes that an LDS offset is shifted by: one slot of the swizzle.
_SHIFT = 16
_LARGEST_OFFSET = 65535


@dataclass(frozen=True, slots=True)
class IsaMutant:
    """One changed instruction. line: of the ISA text, 1-based; was, now: instruction texts; isa: the whole text.

    without: which launch is left out, counted from 0; then nothing else is changed, and line is 0.
    """

    kind: Kind
    line: int
    was: str
    now: str
    isa: str
    without: int | None = None


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
        barrier = _barrier_behind(lines, index) if was.startswith("s_waitcnt ") else None
        if barrier is not None:
            moved = [*lines[:index], f"\t{_NOTHING}", *lines[index + 1 : barrier + 1], body, *lines[barrier + 1 :]]
            yield IsaMutant("moved_wait", index + 1, was, f"s_barrier; {was}", "\n".join(moved))


def _barrier_behind(lines: list[str], wait: int) -> int | None:
    """The line of the barrier that follows a wait in its basic block, with no other wait in between."""
    for index in range(wait + 1, len(lines)):
        text = lines[index].split(";")[0].strip()
        if text == "s_barrier":
            return index
        if text.startswith("s_waitcnt") or _BLOCK_END.match(text):
            return None
    return None


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


def launch_mutants(kernel: KernelUnderTest, m: int) -> Iterator[IsaMutant]:
    """The kernel without one of its launches, for every one."""
    for index, step in enumerate(kernel.steps(m)):
        yield IsaMutant("launch", 0, f"launch of {step.kernel}", "", kernel.isa, index)


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

    def run(program: machine.Program, landing: str, without: int | None) -> tuple[bool, tuple[machine.Finding, ...]]:
        shown = kernel if without is None else replace(kernel, steps=_without(kernel.steps, without))
        actual, reports = execute(shown, program, problem, modes[landing])
        findings = tuple(finding for report in reports for finding in report.findings)
        return compare(actual, expected, kernel.out).equal, findings

    own: dict[str, tuple[machine.Finding, ...]] = {}
    program = machine.load(kernel.isa, kernel.arch)
    for landing in machine.LANDINGS:
        equal, own[landing] = run(program, landing, None)
        if not equal or any(finding.severity is machine.Severity.HIGH for finding in own[landing]):
            raise ValueError(f"{kernel.name} itself is not clean ({landing}): prove it before its mutants")

    for mutant in (*mutants(kernel.isa), *launch_mutants(kernel, m)):
        if kinds is None or mutant.kind in kinds:
            result = _judge(kernel.arch, mutant, run, own)
            if progress is not None:
                progress(result)
            yield result


def _without(steps: Callable[[int], Sequence[Step]], index: int) -> Callable[[int], Sequence[Step]]:
    return lambda m: [step for number, step in enumerate(steps(m)) if number != index]


def _faults(findings: Iterable[machine.Finding]) -> Counter[tuple[str, str, str]]:
    """Findings that are more than a note, by code and instructions: lines may have moved."""
    return Counter(
        (finding.code, finding.party.text, finding.other.text if finding.other else "")
        for finding in findings
        if finding.severity is not machine.Severity.NOTE
    )


def _judge(
    arch: str,
    mutant: IsaMutant,
    run: Callable[[machine.Program, str, int | None], tuple[bool, tuple[machine.Finding, ...]]],
    own: dict[str, tuple[machine.Finding, ...]],
) -> Judgement:
    try:
        program = machine.load(mutant.isa, arch)
    except machine.MachineError as error:
        return Judgement(mutant, "killed", error.code)
    for landing in machine.LANDINGS:
        try:
            equal, findings = run(program, landing, mutant.without)
        except machine.MachineError as error:
            return Judgement(mutant, "killed", error.code)
        if not equal:
            return Judgement(mutant, "killed", f"{landing} values")
        # The machine lists the severest first.
        new = [code for code, _, _ in _faults(findings) - _faults(own[landing])]
        if new:
            return Judgement(mutant, "killed", new[0])
    reason = _equivalence(mutant, {(finding.code, finding.line) for finding in own["late"]})
    return Judgement(mutant, "equivalent" if reason else "open", reason)


def _equivalence(mutant: IsaMutant, notes: set[tuple[str, int]]) -> str:
    """Why a survivor changes nothing, from what the machine saw; empty when it cannot tell."""
    if mutant.kind in ("wait", "moved_wait") and ("CKM241", mutant.line) in notes:
        return "nothing was in flight that this wait could retire"
    if mutant.kind == "wait":
        # With checks on, every access to a register, LDS byte or buffer that an operation in flight may still change
        # is a finding, and loads landed as late as the remaining waits allow.
        return "no dependence crosses it: late landing met no access to anything still in flight"
    if mutant.kind == "moved_wait":
        # The same, and every access that another wave's operation in flight at a barrier may still meet.
        return "no other wave depends on it: what was in flight at the barrier met no access of another wave"
    if mutant.kind == "barrier" and ("CKM242", mutant.line) in notes:
        return "no dependence between waves is ordered by this barrier alone"
    return ""
