# SPDX-License-Identifier: Apache-2.0
"""What came of a proof: every run, every kernel at one shape of B, and all of it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from msgspec import Meta, field

from oracle.datasets import DatasetName
from porter.errors import ExitCode
from porter.records import Count, Record, Size, made

if TYPE_CHECKING:
    from oracle.compare import Mismatch


@dataclass(frozen=True, slots=True)
class CaseOutcome:
    """One run, as it is reported. mode: landing, range rule and wave order of the machine; findings: of high severity;
    kept: it was proved by an earlier run on equal machine code; kind: the class of its shape, of `shapes.CLASSES`."""

    m: int
    data: str
    mode: str
    mismatches: int
    max_ulp: int
    findings: int
    first_mismatch: Mismatch | None
    proved: bool
    seconds: float
    kept: bool = False
    kind: str = ""


class MismatchOutput(Record, frozen=True):
    """One element that differs: row, column, both values, and the ULP distance. What JSON has no number for is text:
    nan, inf, -inf."""

    m: Count
    n: Count
    actual: float | str
    expected: float | str
    ulp: Count

    @classmethod
    def of(cls, first: Mismatch) -> MismatchOutput:
        return made(cls, first, actual=_number(first.actual), expected=_number(first.expected))


def _number(value: float) -> float | str:
    return value if math.isfinite(value) else str(value)


class CaseOutput(Record, frozen=True):
    """One run; members as in `CaseOutcome`."""

    m: Size
    kind: str = field(name="class")
    data: DatasetName
    mode: str
    mismatches: Count
    max_ulp: Count
    findings: Count
    proved: bool
    first_mismatch: MismatchOutput | None

    @classmethod
    def of(cls, case: CaseOutcome) -> CaseOutput:
        first = case.first_mismatch
        return made(cls, case, first_mismatch=MismatchOutput.of(first) if first else None)


@dataclass(frozen=True, slots=True)
class KernelOutcome:
    """All runs of one kernel at one shape of B.

    error: why it could not be run; details: findings and tile maps; code: hash of the machine code and of what is
    launched, empty where nothing was compiled; static: findings of the check of waits on that code; undecided: what
    that check could not decide; notes: findings of low severity on the code that no run can confirm;
    padding: bytes between rows of A and of B.
    """

    name: str
    n: int
    k: int
    cases: tuple[CaseOutcome, ...]
    error: str
    details: tuple[str, ...]
    seconds: float
    code: str = ""
    static: tuple[str, ...] = ()
    undecided: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    padding: tuple[int, int] = (0, 0)

    @property
    def a_stride(self) -> int:
        """Bytes from one row of A to the next."""
        return self.k + self.padding[0]

    @property
    def b_stride(self) -> int:
        """Bytes from one row of B to the next."""
        return self.k + self.padding[1]

    @property
    def proved(self) -> bool:
        """Every run was equal in every bit, there was a run, and no wait is missing on any path."""
        return not self.error and not self.static and bool(self.cases) and all(case.proved for case in self.cases)


class KernelOutput(Record, frozen=True):
    """All runs of one kernel at one shape of B; members as in `KernelOutcome`."""

    name: str
    n: Size
    k: Size
    padding: tuple[int, ...]
    code: Annotated[str, Meta(pattern="^([0-9a-f]{64})?$")]
    proved: bool
    error: str
    static: tuple[str, ...]
    undecided: tuple[str, ...]
    notes: tuple[str, ...]
    details: tuple[str, ...]
    cases: tuple[CaseOutput, ...]

    @classmethod
    def of(cls, kernel: KernelOutcome) -> KernelOutput:
        return made(cls, kernel, cases=list(map(CaseOutput.of, kernel.cases)))


class VerifyOutput(Record, frozen=True, tag_field="schema", tag="porter/verify/1"):
    """porter verify: every run of the proof: rows, data set, machine mode, mismatches and findings."""

    proved: bool
    kernels: tuple[KernelOutput, ...]


@dataclass(frozen=True, slots=True)
class Outcome:
    """The whole proof."""

    kernels: tuple[KernelOutcome, ...]

    @property
    def exit_code(self) -> ExitCode:
        good = bool(self.kernels) and all(kernel.proved for kernel in self.kernels)
        return ExitCode.GOOD if good else ExitCode.FINDINGS

    @property
    def sentence(self) -> str:
        """The last line of the report."""
        names = {kernel.name for kernel in self.kernels}
        failed = {kernel.name for kernel in self.kernels if not kernel.proved}
        runs = sum(len(kernel.cases) for kernel in self.kernels)
        kept = sum(case.kept for kernel in self.kernels for case in kernel.cases)
        state = "every bit as the contract says" if not failed else f"{len(failed)} FAILED"
        known = f" ({kept} known from equal machine code)" if kept else ""
        return f"porter verify: {len(names)} kernels, {len(self.kernels)} shapes of B, {runs} runs{known}: {state}"

    @property
    def output(self) -> VerifyOutput:
        return VerifyOutput(self.exit_code is ExitCode.GOOD, tuple(map(KernelOutput.of, self.kernels)))
