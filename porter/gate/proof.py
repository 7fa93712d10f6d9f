# SPDX-License-Identifier: Apache-2.0
"""The proof of one kernel on the machine, and of the proof: would wrong kernels have failed it?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, cast

from porter.errors import ToolchainError
from porter.gate.config import GateConfig
from porter.gate.locate import PROMOTE, WAIT, Locator
from porter.gate.result import GateFinding
from porter.gate.subject import Subject
from porter.problem import TARGETS, GemmShape
from porter.proof.kernels import declared_under_test, under_test
from porter.proof.raster import raster
from porter.proof.recipe import DEFAULT_DATA, cases
from porter.proof.shapes import Depth, Run, Work, boundary_ms, grouped, whole
from porter.proof.verify import prove_compiled
from porter.select.legality import legality
from porter.toolchain import CompiledKernel

if TYPE_CHECKING:
    from oracle.datasets import DatasetName
    from oracle.verify import CaseResult, KernelUnderTest

#: Data on which fewest mutants pass comes first.
_STRONGEST = ("general", "cancel", "wide", "special", "exact")


def works(subject: Subject, config: GateConfig) -> tuple[tuple[Work, ...], str]:
    """What is proved of a kernel, and why some configured shape is not.

    Configured shapes come on top of those that follow from the kernel and its manifest, never in their place.
    """
    spec = subject.spec
    assert spec is not None, "a kernel that says nothing of itself is not proved"
    refused = {}
    for shape in config.shapes:
        reasons = legality(spec, GemmShape(*shape), TARGETS[spec.arch])
        if reasons:
            refused[shape] = reasons[0].text
    note = "; ".join(f"not on {'x'.join(map(str, shape))}: {why}" for shape, why in refused.items())
    configured = grouped([shape for shape in config.shapes if shape not in refused], Depth.RECIPE)
    return (*whole(spec, subject.listed), *configured), note


def declared_works(subject: Subject, compiled: Sequence[CompiledKernel | ToolchainError]) -> tuple[Work, ...]:
    """What is proved of a hand-written kernel: the M that it declares at each (N, K), and those at which the launches
    change. compiled: for every (N, K); of one that failed only the declared M are known."""
    assert subject.declared is not None, "a kernel that says nothing of itself is not proved"
    works = []
    for (n, k), result in zip(subject.weights, compiled, strict=True):
        runs = [Run(m, Depth.RECIPE) for m in subject.declared["m"]]
        found = () if isinstance(result, ToolchainError) else boundary_ms(kernel_under_test(subject, result).steps)
        runs += [Run(m, Depth.BOUNDARY) for m in found if m not in subject.declared["m"]]
        works.append(Work(n, k, tuple(runs)))
    return tuple(works)


def kernel_under_test(subject: Subject, compiled: CompiledKernel) -> KernelUnderTest:
    return under_test(subject.spec, compiled) if subject.spec else declared_under_test(compiled)


def data_sets(config: GateConfig) -> tuple[DatasetName, ...]:
    return cast("tuple[DatasetName, ...]", config.data or DEFAULT_DATA)


def prove(
    subject: Subject, compiled: CompiledKernel, work: Work, config: GateConfig, locator: Locator, threads: int
) -> list[GateFinding]:
    """Run what is to run at one shape of B; a finding for the first wrong result of each data set and for each fault of
    the machine.

    Raises machine.MachineError where the code cannot be executed at all.
    """
    kernel = kernel_under_test(subject, compiled)
    findings: dict[tuple[str, str], GateFinding] = {}

    def failed(result: CaseResult) -> None:
        for finding in result.severe:
            text = f"{finding.code} {finding.title}: {finding.explanation}"
            where, seen = locator.find(subject, WAIT), f"{_head(kernel, result)}: {finding}"
            gate_finding = GateFinding("CKG041", text, where, subject.name, finding.code, seen)
            findings.setdefault(("machine", finding.code), gate_finding)
        if not result.comparison.equal and ("values", result.case.data) not in findings:
            findings["values", result.case.data] = _wrong_values(subject, kernel, result, locator)

    outcome = prove_compiled(kernel, compiled, cases(work, data_sets(config), threads), failed=failed)
    for said in outcome.static[:1]:
        text = f"a wait is missing on some path through the code: {said}"
        findings["waits", ""] = GateFinding(
            "CKG041", text, locator.find(subject, WAIT), subject.name, "waits", f"N={work.n} K={work.k}"
        )
    return list(findings.values())


def _head(kernel: KernelUnderTest, result: CaseResult) -> str:
    return f"{result.case.m}x{kernel.n}x{kernel.k} {result.case.data} ({result.case.label})"


def _wrong_values(subject: Subject, kernel: KernelUnderTest, result: CaseResult, locator: Locator) -> GateFinding:
    comparison = result.comparison
    rule, cause = _diagnosis(kernel, result)
    wrong = comparison.mismatches + comparison.overwritten
    message = f"{wrong} of {comparison.elements} outputs differ on {_head(kernel, result)}: {comparison.first}{cause}"
    where = locator.find(subject, PROMOTE)
    return GateFinding(rule, message, where, subject.name, result.case.data, comparison.tile_map)


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
            return "CKG042" if name == POWER_OF_TWO_SCALE else "CKG040", f"; they are those of the mutant {name}"
    return "CKG040", ""


def survivors(
    subject: Subject, kernels: Sequence[tuple[KernelUnderTest, tuple[int, ...]]], config: GateConfig
) -> tuple[list[str], int]:
    """(mutants that no proved shape and data set would have caught, how many were judged)."""
    from oracle.compare import compare
    from oracle.datasets import dataset
    from oracle.verify import expected_bits
    from oracle.wrong_kernels import wrong_results

    names = sorted(data_sets(config), key=_STRONGEST.index)
    left: set[tuple[int, str]] | None = None
    judged = 0
    for data in names:
        for kernel, ms in kernels:
            # The largest M first: with several row tiles a remap shows.
            for m in sorted(ms, reverse=True):
                problem = dataset(data, m, kernel.n, kernel.k, kernel.flavour, kernel.scale_block_m)
                expected = expected_bits(kernel, problem)
                order = raster(subject.spec, m, kernel.n) if subject.spec else None
                alive = set()
                for index, (name, bits) in enumerate(wrong_results(kernel, problem, order)):
                    judged = max(judged, index + 1)
                    if (left is None or (index, name) in left) and compare(bits, expected, kernel.out).equal:
                        alive.add((index, name))
                left = alive
                if not left:
                    return [], judged
    return sorted({name for _, name in left or ()}), judged
