# SPDX-License-Identifier: Apache-2.0
"""What came of a proof: every run, every kernel at one shape of B, and all of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from porter.errors import ExitCode

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

    def to_json(self) -> dict[str, Any]:
        first = self.first_mismatch
        return {
            "m": self.m,
            "class": self.kind,
            "data": self.data,
            "mode": self.mode,
            "mismatches": self.mismatches,
            "max_ulp": self.max_ulp,
            "findings": self.findings,
            "proved": self.proved,
            "first_mismatch": (
                None
                if first is None
                else {"m": first.m, "n": first.n, "actual": first.actual, "expected": first.expected, "ulp": first.ulp}
            ),
        }


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

    def to_json(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "n": self.n,
            "k": self.k,
            "padding": list(self.padding),
            "code": self.code,
            "proved": self.proved,
            "error": self.error,
            "static": list(self.static),
            "undecided": list(self.undecided),
            "notes": list(self.notes),
            "details": list(self.details),
            "cases": [case.to_json() for case in self.cases],
        }


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

    def to_json(self) -> dict[str, Any]:
        """The object of `porter verify --format json`; schema in docs/schemas/verify.json."""
        return {
            "schema": "porter/verify/1",
            "proved": self.exit_code is ExitCode.GOOD,
            "kernels": [kernel.to_json() for kernel in self.kernels],
        }
