# SPDX-License-Identifier: Apache-2.0
"""The proof of one kernel: run its machine code on the machine, compare every bit with the contract.

The only room where kernels and reference meet. It knows a kernel through `KernelUnderTest` alone: machine code, launch
geometry, layouts and the numeric contract; nothing of CSVs, templates or FlyDSL.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from oracle import machine
from oracle.compare import Comparison, canaries, compare
from oracle.datasets import DatasetName, dataset
from oracle.reference import (
    Contract,
    Flavour,
    KSlices,
    Mfma,
    OutDtype,
    Problem,
    reference,
    shuffle_weight,
    x_scale_to_k_major,
)
from oracle.reference.fp8 import NAN_CODES

BLayout = Literal["row_major", "shuffled_16x16"]
ScaleLayout = Literal["row_major", "k_major"]


@dataclass(frozen=True, slots=True)
class Step:
    """One kernel launch.

    kernel: symbol; grid: workgroups; block: work-items; args: what each kernel argument is: one of C, A, B, x_scale,
    w_scale and workspace (device pointers), M, N and K (i32).
    """

    kernel: str
    grid: tuple[int, int, int]
    block: tuple[int, int, int]
    args: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class KernelUnderTest:
    """Everything the proof needs of a kernel.

    isa: ISA text; n, k: sizes that are compiled in; steps: the launches of one call for M rows, in order; split_k: K
    slices, which also size the workspace, fp32 [split_k, M, N]; k_slices: K indices that chained MFMAs take; e8m0:
    scales that the kernel takes as E8M0 codes, as kernels do that porter rewrites; a_stride, b_stride: bytes from one
    row of A and of row-major B to the next, None for rows without padding.
    """

    name: str
    isa: str
    arch: str
    steps: Callable[[int], Sequence[Step]]
    n: int
    k: int
    b_layout: BLayout
    scale_layout: ScaleLayout
    scale_block_m: int
    flavour: Flavour
    contract: Contract
    mfma: Mfma
    split_k: int
    out: OutDtype
    e8m0: frozenset[str] = frozenset()
    k_slices: KSlices = "contiguous"
    a_stride: int | None = None
    b_stride: int | None = None


@dataclass(frozen=True, slots=True)
class Case:
    """One run: rows of A, data set, and how the machine behaves.

    calls: the kernel is called that often over one workspace, and the last result counts: what a call leaves behind
    must not change the next.
    """

    m: int
    data: DatasetName
    mode: machine.Mode
    calls: int = 1

    @property
    def label(self) -> str:
        """The mode in words: landing of loads, range rule, order, whether hazards are checked, which call."""
        mode = self.mode
        orders = dict.fromkeys((mode.wave_order, mode.workgroup_order))
        words = [mode.landing, mode.buffer_range, *(order for order in orders if order != "ascending")]
        return " ".join(words + ["checked"] * mode.checks + [f"call {self.calls}"] * (self.calls > 1))


@dataclass(frozen=True, slots=True)
class CaseResult:
    """What one run showed. reports: the machine's, one a step; seconds: reference and comparison included."""

    case: Case
    comparison: Comparison
    reports: tuple[machine.Report, ...]
    seconds: float

    @property
    def severe(self) -> tuple[machine.Finding, ...]:
        """Findings that are wrong on hardware, or undefined."""
        return tuple(
            finding
            for report in self.reports
            for finding in report.findings
            if finding.severity is machine.Severity.HIGH
        )

    @property
    def proved(self) -> bool:
        """Equal in every bit, and no finding of high severity."""
        return self.comparison.equal and not self.severe


def proof_cases(ms: Iterable[int], data: Sequence[DatasetName], threads: int) -> list[Case]:
    """The proof recipe (docs/concepts.md#the-proof).

    `exact` data lands eagerly and as late as the waits allow, under each of the three range rules; every other set runs
    eagerly and late under the first. The orders of waves and workgroups go round over the runs. The first run of each M
    is the second call over one workspace. Hazards are checked in every run.
    """
    cases: list[Case] = []
    for m in ms:
        first = len(cases)
        for name in data:
            rules = machine.BUFFER_RANGES if name == "exact" else machine.BUFFER_RANGES[:1]
            for rule in rules:
                for landing in machine.LANDINGS:
                    turn = len(cases)
                    order = machine.ORDERS[turn % len(machine.ORDERS)]
                    mode = machine.Mode(landing, rule, order, order, turn, checks=True, threads=threads)
                    cases.append(Case(m, name, mode, calls=2 if turn == first else 1))
    return cases


def prove(
    kernel: KernelUnderTest,
    cases: Iterable[Case],
    seed: int = 0,
    progress: Callable[[CaseResult], None] | None = None,
    program: machine.Program | None = None,
) -> Iterator[CaseResult]:
    """Run the cases one by one; expected bits are computed once for each run of one (M, data set).

    program: the kernel's code where it is loaded already. Raises machine.MachineError when the code cannot be executed.
    """
    program = program or machine.load(kernel.isa, kernel.arch)
    problem: Problem | None = None
    expected: npt.NDArray[np.uint16] | None = None
    last: tuple[int, DatasetName] | None = None
    for case in cases:
        start = time.perf_counter()
        if problem is None or expected is None or last != (case.m, case.data):
            last = (case.m, case.data)
            problem = dataset(case.data, case.m, kernel.n, kernel.k, kernel.flavour, kernel.scale_block_m, seed)
            expected = expected_bits(kernel, problem)
        actual, reports = execute(kernel, program, problem, case.mode, case.calls)
        result = CaseResult(case, compare(actual, expected, kernel.out), reports, time.perf_counter() - start)
        if progress is not None:
            progress(result)
        yield result


def expected_bits(kernel: KernelUnderTest, problem: Problem) -> npt.NDArray[np.uint16]:
    """The contract's result for the problem: bit patterns [M, N]."""
    options = (kernel.mfma, kernel.contract, kernel.split_k, kernel.out)
    bits: npt.NDArray[np.uint16] = reference(problem, *options, k_slices=kernel.k_slices).numpy()
    return bits


def execute(
    kernel: KernelUnderTest, program: machine.Program, problem: Problem, mode: machine.Mode, calls: int = 1
) -> tuple[npt.NDArray[np.uint16], tuple[machine.Report, ...]]:
    """Launch every step of the kernel over a problem; again for every call, where it has a workspace to leave state in.

    Returns C [M, N] of the last call, pre-filled with canaries, and the report of each launch. Writes past C are
    findings of the machine, whose allocations have guard zones.
    """
    w = shuffle_weight(problem.w) if kernel.b_layout == "shuffled_16x16" else problem.w
    xs = x_scale_to_k_major(problem.xs) if kernel.scale_layout == "k_major" else problem.xs
    a = _padded(problem.x.numpy(), kernel.a_stride, problem.flavour)
    b = _padded(w.numpy(), kernel.b_stride, problem.flavour)
    inputs = {"A": a, "B": b, "x_scale": xs.numpy(), "w_scale": problem.ws.numpy()}
    inputs |= {name: _e8m0_codes(inputs[name]) for name in kernel.e8m0}
    outputs: dict[str, npt.NDArray[np.generic]] = {"C": canaries(problem.m, kernel.n, kernel.out)}
    steps = kernel.steps(problem.m)
    if any("workspace" in step.args for step in steps):
        outputs["workspace"] = np.full((kernel.split_k, problem.m, kernel.n), np.nan, dtype=np.float32)
    reports = []
    for index, step in enumerate(list(steps) * (calls if "workspace" in outputs else 1)):
        if index % len(steps) == 0:
            outputs["C"] = canaries(problem.m, kernel.n, kernel.out)
        memory = machine.Memory()
        # What an earlier step left out is still NaN, so a later step may read everything.
        addresses = {name: memory.place(array, name, initialised=index > 0) for name, array in outputs.items()}
        addresses |= {name: memory.place(array, name, writable=False) for name, array in inputs.items()}
        values = {**addresses, "M": problem.m, "N": kernel.n, "K": kernel.k}
        arguments = [values[name] for name in step.args]
        reports.append(program.launch(step.grid, step.block, arguments, memory, mode, kernel=step.kernel))
    return outputs["C"].view(np.uint16), tuple(reports)


def _padded(matrix: npt.NDArray[np.uint8], stride: int | None, flavour: Flavour) -> npt.NDArray[np.uint8]:
    """The rows `stride` bytes apart, fp8 NaN between them and nothing behind the last, as a flat array."""
    rows, columns = matrix.shape
    if stride in (None, columns):
        return matrix
    padded = np.full((rows, stride), max(NAN_CODES[flavour]), dtype=np.uint8)
    padded[:, :columns] = matrix
    return padded.reshape(-1)[: rows * stride - (stride - columns)]


def _e8m0_codes(scales: npt.NDArray[np.float32]) -> npt.NDArray[np.uint8]:
    """The nearest powers of two, ties upwards, as biased exponents: what a host that folds scales hands over."""
    magnitudes = np.abs(scales).view(np.uint32).astype(np.uint64)
    codes: npt.NDArray[np.uint8] = ((magnitudes + 0x400000) >> 23).astype(np.uint8)
    return codes
