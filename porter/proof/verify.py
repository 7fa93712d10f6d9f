# SPDX-License-Identifier: Apache-2.0
"""`porter verify` without its words: compile, check, execute and compare every job of a plan."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from porter.errors import ToolchainError
from porter.measure.under_test import under_test
from porter.proof import recipe
from porter.proof.host import host_differs
from porter.proof.kept import Kept, Waits, code_hash, label
from porter.proof.outcome import CaseOutcome, KernelOutcome, Outcome
from porter.proof.plan import Job, ProofPlan
from porter.proof.shapes import Depth
from porter.toolchain import CompiledKernel, CompileRequest, KernelSource, compile_kernel
from porter.write.emitter import ENTRY_POINTS

if TYPE_CHECKING:
    from oracle.machine import Program
    from oracle.verify import Case, CaseResult, KernelUnderTest

#: Bytes of B from which jobs run one after the other: data sets and reference hold several copies of it.
_LARGE = 1 << 27
_large = threading.Lock()


def run(work: ProofPlan, progress: Callable[[KernelOutcome], None] | None = None) -> Outcome:
    """Prove every job, several at once; outcomes keep the plan's order."""
    # One thread of the machine a job: many small jobs side by side keep all CPUs busier than one job after the other.
    machine_threads = 1 if work.total >= work.threads else work.threads

    def one(job: Job) -> KernelOutcome:
        outcome = prove_job(job, work, machine_threads)
        if progress is not None:
            progress(outcome)
        return outcome

    with ThreadPoolExecutor(max_workers=work.threads) as pool:
        return Outcome(tuple(pool.map(one, work.jobs)))


def prove_job(job: Job, plan: ProofPlan, machine_threads: int) -> KernelOutcome:
    """Everything about one kernel at one shape of B."""
    from oracle.machine import MachineError

    start = time.perf_counter()
    n, k, padding = job.work.n, job.work.k, job.work.padding
    a_stride, b_stride = (k + bytes_ if bytes_ else None for bytes_ in padding)
    source = KernelSource.from_file(job.path)
    request = CompileRequest(source, n, k, job.spec.arch, a_stride=a_stride, b_stride=b_stride)
    outcome = KernelOutcome(job.spec.name, n, k, (), "", (), 0.0, padding=padding)
    try:
        compiled = compile_kernel(request, timeout=plan.timeout)
        kernel = under_test(job.spec, compiled)
        cases = list(recipe.cases(job.work, plan.data, machine_threads))
        outcome = prove_compiled(kernel, compiled, cases, plan.pictures)
        # It does not depend on N and K, so one shape of B is enough, and the recipe has one.
        if outcome.proved and any(item.depth is Depth.RECIPE for item in job.work.runs):
            outcome = replace(outcome, error=host_differs(compiled, ENTRY_POINTS[job.spec.family], job.spec))
    except (ToolchainError, MachineError) as failure:
        outcome = replace(outcome, error=str(failure))
    kinds = job.work.classes
    ran = tuple(replace(case, kind=kinds[case.m]) for case in outcome.cases)
    return replace(outcome, cases=ran, padding=padding, seconds=time.perf_counter() - start)


def prove_compiled(
    kernel: KernelUnderTest,
    compiled: CompiledKernel,
    cases: Iterable[Case],
    pictures: Path | None = None,
    failed: Callable[[CaseResult], None] | None = None,
) -> KernelOutcome:
    """Check the waits of the code and run the cases that are not known from equal code; `failed` is told of every
    run that proves nothing.

    Raises MachineError for code that cannot be executed.
    """
    from oracle.packed_fp32 import reported
    from oracle.verify import as_run

    code = code_hash(kernel, compiled)
    kept = Kept.of(code) if compiled.request.source.self_contained else Kept()
    known: list[Case] = []
    pending: list[Case] = []
    for case in (as_run(kernel, asked) for asked in cases):
        (known if label(case) in kept.passed else pending).append(case)
    outcomes = [CaseOutcome(case.m, case.data, case.label, 0, 0, 0, None, True, 0.0, kept=True) for case in known]
    details: list[str] = []
    passed = []
    waits = kept.waits
    if pending or waits is None:
        import torch

        from oracle.machine import load
        from oracle.verify import prove

        if pending and pending[0].mode.threads:
            # Idle threads of torch spin, on CPUs that other jobs have.
            torch.set_num_threads(pending[0].mode.threads)

        program = load(kernel.isa, kernel.arch)
        waits = waits or _waits(compiled, program)
        with _large if kernel.n * kernel.k >= _LARGE else nullcontext():
            for result in prove(kernel, pending, program=program):
                outcomes.append(_outcome(result))
                if result.proved:
                    passed.append(label(result.case))
                else:
                    details += _details(kernel, result, pictures)
                    if failed is not None:
                        failed(result)
    kept.add(passed, waits)
    return KernelOutcome(
        *(kernel.name, kernel.n, kernel.k, tuple(outcomes), "", tuple(details), 0.0, code),
        *(waits.findings, waits.undecided, tuple(map(str, reported(kernel.isa, kernel.arch)))),
    )


def _waits(compiled: CompiledKernel, program: Program) -> Waits:
    """The static check of waits, for every launch, whatever M it is for; block sizes do not depend on M."""
    from oracle.waits import check

    ones = [1] * len(compiled.spec["args"])
    reports = [check(program, launch.kernel, launch.block_size(ones)) for launch in compiled.launches]
    findings = dict.fromkeys(str(finding) for report in reports for finding in report.severe)
    undecided = dict.fromkeys(str(place) for report in reports for place in report.undecided)
    return Waits(tuple(findings), tuple(undecided))


def _outcome(result: CaseResult) -> CaseOutcome:
    comparison = result.comparison
    return CaseOutcome(
        m=result.case.m,
        data=result.case.data,
        mode=result.case.label,
        mismatches=comparison.mismatches + comparison.overwritten,
        max_ulp=comparison.max_ulp,
        findings=len(result.severe),
        first_mismatch=comparison.first,
        proved=result.proved,
        seconds=result.seconds,
    )


def _details(kernel: KernelUnderTest, result: CaseResult, pictures: Path | None) -> list[str]:
    from oracle.machine import causes

    head = f"{kernel.name} {result.case.m}x{kernel.n}x{kernel.k} {result.case.data} ({result.case.label})"
    texts = [f"{head}: {cause}" for cause in causes(result.severe)[:5]]
    if result.case.window is not None and any(finding.code == "CKM221" for finding in result.severe):
        texts.append(f"{head}: only the last rows are there, for the workgroups that the raster of its name gives them")
    if result.comparison.tile_map:
        texts.append(f"{head}:\n{result.comparison.tile_map}")
    if pictures is not None and result.comparison.tiles is not None:
        from oracle.compare import tile_picture

        pictures.mkdir(parents=True, exist_ok=True)
        label = result.case.label.replace(" ", "-")
        path = pictures / f"{kernel.name}_{result.case.m}x{kernel.n}x{kernel.k}_{result.case.data}_{label}.png"
        tile_picture(result.comparison, path)
        texts.append(f"{head}: picture of the mismatch map: {path}")
    return texts
