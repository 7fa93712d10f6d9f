# SPDX-License-Identifier: Apache-2.0
"""The proof of one kernel: run its machine code on the machine, compare every bit with the contract.

The only room where kernels and reference meet. It knows a kernel through `KernelUnderTest` alone: machine code, launch
geometry, layouts and the numeric contract; nothing of CSVs, templates or FlyDSL.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np
import numpy.typing as npt

from oracle import machine
from oracle.compare import Comparison, canaries, compare
from oracle.datasets import DatasetName, dataset
from oracle.kernarg import KernargLayout
from oracle.reference import (
    Contract,
    Conversion,
    Denormals,
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
    w_scale and workspace (device pointers), M, N and K (i32). A kernel with another kernarg segment has a layout: args
    are then the operands it is handed, fields the names of these in the layout, and values all that its other fields
    hold.
    """

    kernel: str
    grid: tuple[int, int, int]
    block: tuple[int, int, int]
    args: tuple[str, ...]
    layout: KernargLayout | None = None
    fields: Mapping[str, str] = field(default_factory=dict)
    values: Mapping[str, int] = field(default_factory=dict)

    def kernarg(self, operands: Mapping[str, int]) -> bytes | list[machine.Value]:
        """What a launch takes; operands: address or number of everything that args may name."""
        if self.layout is None:
            return [operands[name] for name in self.args]
        return self.layout.pack({**self.values, **{self.fields[name]: operands[name] for name in self.args}})


@dataclass(frozen=True, slots=True)
class KernelUnderTest:
    """Everything the proof needs of a kernel.

    isa: ISA text, or the path of a code object; n, k: sizes that are compiled in; steps: the launches of one call for
    M rows, in order; split_k: K slices, which also size the workspace, fp32 [split_k, M, N]; k_slices: K indices that
    chained MFMAs take; e8m0:
    scales that the kernel takes as E8M0 codes, as kernels do that porter rewrites; a_stride, b_stride: bytes from one
    row of A and of row-major B to the next, None for rows without padding; fp32_denormals, conversion: as of
    `oracle.reference.reference`.
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
    k_slices: KSlices | int = "contiguous"
    a_stride: int | None = None
    b_stride: int | None = None
    fp32_denormals: Denormals = "keep"
    conversion: Conversion = "nearest"


@dataclass(frozen=True, slots=True)
class Window:
    """The last rows of a launch that is too large to run.

    first: no row before it is in memory, a multiple of scale_block_m; workgroups: of each launch, those that run.
    """

    first: int
    workgroups: tuple[tuple[int, ...], ...]


@dataclass(frozen=True, slots=True)
class Case:
    """One run: rows of A, data set, and how the machine behaves.

    calls: the kernel is called that often over one workspace, and the last result counts: what a call leaves behind
    must not change the next; window: which rows are computed and compared, all of them without one.
    """

    m: int
    data: DatasetName
    mode: machine.Mode
    calls: int = 1
    window: Window | None = None

    @property
    def rows(self) -> int:
        """Rows that are computed and compared, the last of the m."""
        return self.m - (self.window.first if self.window else 0)

    @property
    def label(self) -> str:
        """The mode in words: landing of loads, range rule, order, whether hazards are checked, which call."""
        mode = self.mode
        orders = dict.fromkeys((mode.wave_order, mode.workgroup_order))
        words = [mode.landing, mode.buffer_range, *(order for order in orders if order != "ascending")]
        words += ["checked"] * mode.checks + [f"call {self.calls}"] * (self.calls > 1)
        return " ".join(words + ([f"last {self.rows} rows"] if self.window else []))


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


def as_run(kernel: KernelUnderTest, case: Case) -> Case:
    """The case as it runs: called once where the kernel has no workspace to leave state in."""
    once = case.calls > 1 and not any("workspace" in step.args for step in kernel.steps(case.m))
    return replace(case, calls=1) if once else case


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
    for asked in cases:
        start, case = time.perf_counter(), as_run(kernel, asked)
        if problem is None or expected is None or last != (case.rows, case.data):
            last = (case.rows, case.data)
            problem = dataset(case.data, case.rows, kernel.n, kernel.k, kernel.flavour, kernel.scale_block_m, seed)
            expected = expected_bits(kernel, problem)
        actual, reports = execute(kernel, program, problem, case.mode, case.calls, case.window)
        result = CaseResult(case, compare(actual, expected, kernel.out), reports, time.perf_counter() - start)
        if progress is not None:
            progress(result)
        yield result


def expected_bits(kernel: KernelUnderTest, problem: Problem) -> npt.NDArray[np.uint16]:
    """The contract's result for the problem: bit patterns [M, N]."""
    bits: npt.NDArray[np.uint16] = reference(
        problem,
        kernel.mfma,
        kernel.contract,
        kernel.split_k,
        kernel.out,
        kernel.fp32_denormals,
        k_slices=kernel.k_slices,
        conversion=kernel.conversion,
    ).numpy()
    return bits


def execute(
    kernel: KernelUnderTest,
    program: machine.Program,
    problem: Problem,
    mode: machine.Mode,
    calls: int = 1,
    window: Window | None = None,
) -> tuple[npt.NDArray[np.uint16], tuple[machine.Report, ...]]:
    """Launch every step of the kernel over a problem; again for every call, where it has a workspace to leave state in.

    window: the problem's rows are the last of a launch. Returns C [M, N] of the last call, pre-filled with canaries,
    and the report of each launch. Writes past C are findings of the machine, whose allocations have guard zones.
    """
    first = window.first if window else 0
    m = first + problem.m
    inputs = _inputs(kernel, problem, first)
    outputs = {"C": _Operand.of(canaries(problem.m, kernel.n, kernel.out), first)}
    steps = kernel.steps(m)
    chosen: Sequence[Sequence[int] | None] = window.workgroups if window else [mode.workgroups] * len(steps)
    if any("workspace" in step.args for step in steps):
        slices = np.full((kernel.split_k, problem.m, kernel.n), np.nan, dtype=np.float32)
        outputs["workspace"] = _Operand.of(slices, first)
    reports = []
    for index in range(len(steps) * (calls if "workspace" in outputs else 1)):
        number = index % len(steps)
        if number == 0:
            outputs["C"] = _Operand.of(canaries(problem.m, kernel.n, kernel.out), first)
        memory = machine.Memory()
        written = _written(steps, index)
        addresses = {
            name: memory.place_parts(operand.parts, operand.size, name, initialised=name in written)
            for name, operand in outputs.items()
        }
        addresses |= {
            name: memory.place_parts(operand.parts, operand.size, name, writable=False)
            for name, operand in inputs.items()
        }
        values = {**addresses, "M": m, "N": kernel.n, "K": kernel.k}
        step, limited = steps[number], replace(mode, workgroups=chosen[number])
        reports.append(program.launch(step.grid, step.block, step.kernarg(values), memory, limited, kernel=step.kernel))
    return outputs["C"].array.view(np.uint16), tuple(reports)


def _written(steps: Sequence[Step], index: int) -> set[str]:
    """Outputs that the launch of this number may read: those that an earlier one of its call was handed, as what that
    left out is still NaN; of an earlier call the workspace alone."""
    earlier = {name for step in steps[: index % len(steps)] for name in step.args}
    return earlier | {"workspace"} if index >= len(steps) else earlier


@dataclass(frozen=True, slots=True)
class _Operand:
    """An operand in memory, all of it or the last rows. size: bytes of all of it; parts: as Memory takes them."""

    array: npt.NDArray[np.generic]
    size: int
    parts: list[tuple[int, npt.NDArray[np.generic]]]

    @classmethod
    def of(cls, array: npt.NDArray[np.generic], missing: int = 0) -> _Operand:
        """array: [rows, columns] or [slices, rows, columns]; missing: rows in front, of every slice."""
        if not missing:
            return cls(array, array.nbytes, [(0, array)])
        slices = array.reshape(-1, *array.shape[-2:])
        row = slices[0, 0].nbytes
        stride = (missing + slices.shape[1]) * row
        parts = [(index * stride + missing * row, part) for index, part in enumerate(slices)]
        return cls(array, len(slices) * stride, parts)


def _inputs(kernel: KernelUnderTest, problem: Problem, first: int) -> dict[str, _Operand]:
    """Operands that the kernel reads, as it takes them; of A and x_scale, rows before `first` are missing."""
    w = shuffle_weight(problem.w) if kernel.b_layout == "shuffled_16x16" else problem.w
    xs = problem.xs.numpy()
    if kernel.scale_layout == "k_major":
        xs = x_scale_to_k_major(problem.xs).numpy()[:, :, None]
    scales = {"x_scale": xs, "w_scale": problem.ws.numpy()}
    scales |= {name: _e8m0_codes(scales[name]) for name in kernel.e8m0}
    a_stride = kernel.a_stride or kernel.k
    a = _padded(problem.x.numpy(), a_stride, problem.flavour)
    b = _padded(w.numpy(), kernel.b_stride or kernel.k, problem.flavour)
    return {
        "A": _Operand(a, first * a_stride + a.nbytes, [(first * a_stride, a)]),
        "B": _Operand.of(b),
        "x_scale": _Operand.of(scales["x_scale"], first // kernel.scale_block_m),
        "w_scale": _Operand.of(scales["w_scale"]),
    }


def _padded(matrix: npt.NDArray[np.uint8], stride: int, flavour: Flavour) -> npt.NDArray[np.uint8]:
    """The rows `stride` bytes apart, fp8 NaN between them and nothing behind the last, as a flat array."""
    rows, columns = matrix.shape
    if stride == columns:
        return matrix
    padded = np.full((rows, stride), max(NAN_CODES[flavour]), dtype=np.uint8)
    padded[:, :columns] = matrix
    return padded.reshape(-1)[: rows * stride - (stride - columns)]


def _e8m0_codes(scales: npt.NDArray[np.float32]) -> npt.NDArray[np.uint8]:
    """The nearest powers of two, ties upwards, as biased exponents: what a host that folds scales hands over."""
    magnitudes = np.abs(scales).view(np.uint32).astype(np.uint64)
    codes: npt.NDArray[np.uint8] = ((magnitudes + 0x400000) >> 23).astype(np.uint8)
    return codes
