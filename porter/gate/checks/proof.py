# SPDX-License-Identifier: Apache-2.0
"""The proof of a kernel on the machine: every value, no fault, and what its host function launches."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any

from porter.errors import SourceSpan, ToolchainError
from porter.gate.checks.compile import not_compiled
from porter.gate.checks.kind import Judged, NotRun, ProofCheck
from porter.gate.context import KernelContext
from porter.gate.locate import PROMOTE, WAIT
from porter.gate.result import GateFinding
from porter.gate.rule import GateRule
from porter.gate.work import data_sets, in_words, kernel_under_test
from porter.proof.coverage import FILE, out_of_date
from porter.proof.host import host_differs
from porter.proof.recipe import cases
from porter.proof.shapes import Work, whole
from porter.proof.verify import prove_compiled
from porter.toolchain import CompiledKernel

if TYPE_CHECKING:
    from oracle.verify import CaseResult, KernelUnderTest

VALUES = GateRule(
    "CKG040",
    "values",
    "The kernel's output differs from CK's contract.",
    "The map in the log shows where. The promote must be `acc = fma(a_scale * b_scale, partial, acc)` in fp32, "
    "and a hand-written kernel must declare its layouts as they are.",
)
MACHINE = GateRule(
    "CKG041",
    "machine",
    "The machine found a fault in the kernel's code that a lucky run hides.",
    "The log names both instructions; docs/machine-checks.md explains the code.",
)
ROUNDED_SCALES = GateRule(
    "CKG042",
    "rounded-scales",
    "The output is that of scales rounded to powers of two.",
    "Keep the scales in fp32 and promote in software.",
)
HOST = GateRule(
    "CKG046",
    "host",
    "The kernel's host function does not launch what was proved.",
    "The message says what it hands to the launcher; operands must arrive as SPEC's args name them.",
)
COVERAGE = GateRule(
    "CKG051",
    "coverage",
    "proofs.json, which dispatch goes by, does not say what is proved.",
    "`porter verify` writes it anew; machine code that passed is not run again.",
)


class Proof(ProofCheck):
    """Bit-equal at every shape, in the words of docs/concepts.md."""

    NAME = "proof"
    RULES = (VALUES, MACHINE, ROUNDED_SCALES, HOST, COVERAGE)
    BROKEN = "nothing was proved"

    def decides(self, at: KernelContext) -> Mapping[str, Any]:
        return {"shapes": [asdict(item) for item in at.work[0]], "data": data_sets(at.run.config)}

    def judge(self, at: KernelContext) -> Judged:
        work, note = at.work
        if not work:
            raise NotRun(note)
        try:
            findings = _findings(at, work)
        except MemoryError as error:
            raise NotRun(f"{at.kernel.name} on {in_words(work)} needs more memory than there is") from error
        return Judged(findings, f"bit-equal on {in_words(work)}" + (f"; {note}" if note else ""))

    def always(self, at: KernelContext) -> tuple[GateFinding, ...]:
        """Whether `proofs.json` says of a generated kernel what is proved of it, configured shapes aside."""
        kernel = at.kernel
        nks = [(item.n, item.k) for item in whole(kernel.spec, kernel.listed)] if kernel.spec else []
        wrong = out_of_date(kernel.path.parent, kernel.name, nks) if nks else ""
        if not wrong:
            return ()
        where = SourceSpan(posixpath.join(at.run.config.out, FILE), 1)
        return (GateFinding(COVERAGE.id, f"{FILE} {wrong}", where, kernel.name, FILE),)


def _findings(at: KernelContext, work: Sequence[Work]) -> list[GateFinding]:
    """What is wrong at the first shape of B; where nothing is, at any of the others."""
    first, *others = work
    jobs = at.run.jobs
    findings = _at_shape(at, first, jobs) or list(_host(at, first))
    if findings or not others:
        return findings
    with ThreadPoolExecutor(jobs) as pool:
        each = list(pool.map(lambda item: _at_shape(at, item, 1), others))
    # One report of a kind is enough; shapes of B fail alike.
    unique = {(item.rule, item.key): item for found in reversed(each) for item in reversed(found)}
    return list(unique.values())


def _at_shape(at: KernelContext, work: Work, threads: int) -> list[GateFinding]:
    from oracle.machine import MachineError

    result = at.compile(work.n, work.k)
    if isinstance(result, ToolchainError):
        return [not_compiled(at, result)]
    try:
        return _prove(at, result, work, threads)
    except ToolchainError as error:
        return [not_compiled(at, error)]
    except MachineError as error:
        text = f"the machine cannot run it: {error}"
        return [GateFinding(MACHINE.id, text, at.find(*PROMOTE), at.kernel.name, "run")]


def _host(at: KernelContext, work: Work) -> Iterator[GateFinding]:
    """What its host function does otherwise than the proof took it to, at one shape of B."""
    kernel, compiled = at.kernel, at.compile(work.n, work.k)
    if not kernel.host or isinstance(compiled, ToolchainError):
        return
    try:
        others = [nk for nk in kernel.weights if nk != (work.n, work.k)]
        said = host_differs(compiled, kernel.host, kernel.spec, others)
    except ToolchainError as error:
        said = f"{error.message} [{error.code}]"
    if said:
        yield GateFinding(HOST.id, said, at.find(rf"^\s*def {kernel.host}\b"), kernel.name, "host")


def _prove(at: KernelContext, compiled: CompiledKernel, work: Work, threads: int) -> list[GateFinding]:
    """Run what is to run at one shape of B; a finding for the first wrong result of each data set and for each fault of
    the machine.

    Raises machine.MachineError where the code cannot be executed at all.
    """
    kernel, name = kernel_under_test(at.kernel, compiled), at.kernel.name
    findings: dict[tuple[str, str], GateFinding] = {}

    def failed(result: CaseResult) -> None:
        for finding in result.severe:
            text = f"{finding.code} {finding.title}: {finding.explanation}"
            where, seen = at.find(*WAIT), f"{_head(kernel, result)}: {finding}"
            gate_finding = GateFinding(MACHINE.id, text, where, name, finding.code, seen)
            findings.setdefault(("machine", finding.code), gate_finding)
        if not result.comparison.equal and ("values", result.case.data) not in findings:
            findings["values", result.case.data] = _wrong_values(at, kernel, result)

    outcome = prove_compiled(kernel, compiled, cases(work, data_sets(at.run.config), threads), failed=failed)
    for said in outcome.static[:1]:
        text, seen = f"a wait is missing on some path through the code: {said}", f"N={work.n} K={work.k}"
        findings["waits", ""] = GateFinding(MACHINE.id, text, at.find(*WAIT), name, "waits", seen)
    return list(findings.values())


def _head(kernel: KernelUnderTest, result: CaseResult) -> str:
    return f"{result.case.m}x{kernel.n}x{kernel.k} {result.case.data} ({result.case.label})"


def _wrong_values(at: KernelContext, kernel: KernelUnderTest, result: CaseResult) -> GateFinding:
    comparison = result.comparison
    rule, cause = _diagnosis(kernel, result)
    wrong = comparison.mismatches + comparison.overwritten
    message = f"{wrong} of {comparison.elements} outputs differ on {_head(kernel, result)}: {comparison.first}{cause}"
    return GateFinding(rule, message, at.find(*PROMOTE), at.kernel.name, result.case.data, comparison.tile_map)


def _diagnosis(kernel: KernelUnderTest, result: CaseResult) -> tuple[str, str]:
    """(rule, what else it is) of a wrong result: that of scales rounded to powers of two has a rule of its own."""
    from oracle import machine
    from oracle.compare import compare
    from oracle.datasets import dataset
    from oracle.verify import execute
    from oracle.wrong_kernels import POWER_OF_TWO_SCALE, wrong_results

    case = result.case
    problem = dataset(case.data, case.rows, kernel.n, kernel.k, kernel.flavour, kernel.scale_block_m)
    program, mode = machine.load(kernel.isa, kernel.arch), replace(case.mode, checks=False)
    bits, _ = execute(kernel, program, problem, mode, window=case.window)
    for name, wrong in wrong_results(kernel, problem, None):
        if compare(bits, wrong, kernel.out).equal:
            rule = ROUNDED_SCALES if name == POWER_OF_TWO_SCALE else VALUES
            return rule.id, f"; they are those of the mutant {name}"
    return VALUES.id, ""
