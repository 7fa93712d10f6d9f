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

from oracle import machine
from oracle.compare import Comparison, canaries, compare
from oracle.datasets import DatasetName, dataset
from oracle.reference import (
    Contract,
    Flavour,
    Mfma,
    OutDtype,
    Problem,
    reference,
    shuffle_weight,
    x_scale_to_k_major,
)

BLayout = Literal["row_major", "shuffled_16x16"]
ScaleLayout = Literal["row_major", "k_major"]


@dataclass(frozen=True, slots=True)
class Step:
    """One kernel launch.

    kernel: symbol; grid: workgroups; block: work-items; args: what each kernel argument is, of C, A, B, x_scale, w_scale
    and workspace (device pointers), M, N and K (i32).
    """

    kernel: str
    grid: tuple[int, int, int]
    block: tuple[int, int, int]
    args: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class KernelUnderTest:
    """Everything the proof needs of a kernel.

    isa: ISA text; n, k: sizes that are compiled in; steps: the launches of one call for M rows, in order; split_k: K
    slices, which also size the workspace, fp32 [split_k, M, N].
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


@dataclass(frozen=True, slots=True)
class Case:
    """One run: rows of A, data set, and how the machine behaves."""

    m: int
    data: DatasetName
    mode: machine.Mode


@dataclass(frozen=True, slots=True)
class CaseResult:
    """What one run showed. report: the machine's own; seconds: reference and comparison included."""

    case: Case
    comparison: Comparison
    report: machine.Report
    seconds: float

    @property
    def proved(self) -> bool:
        """Equal in every bit, and no finding of high severity."""
        return self.comparison.equal and not any(f.severity == "high" for f in self.report.findings)


def prove(
    kernel: KernelUnderTest, cases: Iterable[Case], seed: int = 0, progress: Callable[[CaseResult], None] | None = None
) -> Iterator[CaseResult]:
    """Run the cases one by one; expected bits are computed once for each (M, data set).

    Raises machine.MachineError when the code cannot be executed.
    """
    program = machine.load(kernel.isa, kernel.arch)
    expected: dict[tuple[int, DatasetName], tuple[Problem, np.ndarray]] = {}
    for case in cases:
        start = time.perf_counter()
        at = (case.m, case.data)
        if at not in expected:
            expected.clear()
            problem = dataset(case.data, case.m, kernel.n, kernel.k, kernel.flavour, kernel.scale_block_m, seed)
            expected[at] = problem, expected_bits(kernel, problem)
        problem, bits = expected[at]
        actual, report = execute(kernel, program, problem, case.mode)
        result = CaseResult(case, compare(actual, bits, kernel.out), report, time.perf_counter() - start)
        if progress is not None:
            progress(result)
        yield result


def expected_bits(kernel: KernelUnderTest, problem: Problem) -> np.ndarray:
    """The contract's result for the problem: uint16 [M, N]."""
    bits: np.ndarray = reference(problem, kernel.mfma, kernel.contract, kernel.split_k, kernel.out).numpy()
    return bits


def execute(
    kernel: KernelUnderTest, program: machine.Program, problem: Problem, mode: machine.Mode
) -> tuple[np.ndarray, machine.Report]:
    """Launch the kernel over a problem; returns C as uint16 [M, N], pre-filled with canaries, and the report."""
    memory = machine.Memory()
    output = canaries(problem.m, kernel.n, kernel.out)
    w = shuffle_weight(problem.w) if kernel.b_layout == "shuffled_16x16" else problem.w
    xs = x_scale_to_k_major(problem.xs) if kernel.scale_layout == "k_major" else problem.xs
    operands = {
        "C": output,
        "A": problem.x.numpy(),
        "B": w.numpy(),
        "x_scale": xs.numpy(),
        "w_scale": problem.ws.numpy(),
    }
    values = {name: memory.place(array, name) for name, array in operands.items()}
    values.update(M=problem.m, N=kernel.n, K=kernel.k)
    workgroups = -(-problem.m // kernel.tile_m) * -(-kernel.n // kernel.tile_n)
    report = program.launch(
        (workgroups, 1, 1), (kernel.threads, 1, 1), [values[name] for name in kernel.args], memory, mode
    )
    return memory.read("C"), report
