# SPDX-License-Identifier: Apache-2.0
"""What a check of the gate is: of files, of the machine code of a kernel, or of what that code computes."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from porter.gate.result import Check, GateFinding
from porter.gate.rule import GateRule

if TYPE_CHECKING:
    from porter.gate.context import Context, KernelContext


class NotRun(Exception):
    """A check cannot run; its text says why."""


@dataclass(frozen=True, slots=True)
class Judged:
    """What a check of a kernel found. note: what it did in a few words; seconds: None for what judging took."""

    findings: Sequence[GateFinding]
    note: str = ""
    seconds: float | None = None


class CheckKind(ABC):
    """One check. NAME: as in the log and in `allow-missing`; RULES: what its findings say, each under its own id."""

    NAME: ClassVar[str]
    RULES: ClassVar[tuple[GateRule, ...]] = ()


class FilesCheck(CheckKind):
    """A check that compiles nothing, run once."""

    @abstractmethod
    def run(self, context: Context) -> Iterator[Check]:
        """One result for each subject that it looks at. Raises InputError for what the user gave wrongly."""


class KernelCheck(CheckKind):
    """A check of every kernel that says what its arguments mean.

    NEEDS: the check that this one follows; where that could not run, neither can this; where it failed, this is left
    out, and BROKEN of the failed check says why. A check that found nothing is remembered with all others of its kind,
    under the kernel's bytes, porter's own, flydsl's version, and what `decides` adds.
    """

    NEEDS: ClassVar[str] = "compile"
    BROKEN: ClassVar[str] = "a check before it failed"
    #: Note of a remembered check; empty: the note of then.
    REMEMBERED: ClassVar[str] = ""

    @abstractmethod
    def judge(self, at: KernelContext) -> Judged:
        """Look at one kernel. Raises NotRun."""

    def decides(self, at: KernelContext) -> Mapping[str, Any]:
        """What else decides the check than the kernel: JSON values from the configuration."""
        return {}

    def always(self, at: KernelContext) -> tuple[GateFinding, ...]:
        """Findings on what is not remembered: looked for each time that the check passes."""
        return ()


class CodeCheck(KernelCheck):
    """A check of `at.compiled`, the kernel's machine code at one (N, K): the first of its manifest or declaration."""

    REMEMBERED = "as before"


class ProofCheck(KernelCheck):
    """A check that executes the kernel: kernels that `--changed-since` leaves out, and those at which `time-limit` is
    over, are not judged."""
