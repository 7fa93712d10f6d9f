# SPDX-License-Identifier: Apache-2.0
"""What the gate found, apart from how it is shown: findings, checks and the verdict."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from typing import Annotated, Literal

from msgspec import Meta

from porter.errors import ExitCode, SourceSpan
from porter.gate.rule import LEVELS, GateRule
from porter.gate.text import clean, one_line
from porter.records import Amount, Record, Size, made


@dataclass(frozen=True, slots=True)
class GateFinding:
    """One failure.

    rule: an id of `porter.gate.rules`; where: path relative to the repository's root, 1-based line; kernel: the
    kernel's name, empty for a finding on a row; key: what tells this finding from others of the same rule and file,
    and stays when lines move (the text of the line, a row's shape); detail: lines for the log, such as a tile map;
    configured: the level that the configuration sets in place of the rule's own. All text is made fit for every output
    (`porter.gate.text`); path and kernel are one line.
    """

    rule: str
    message: str
    where: SourceSpan
    kernel: str = ""
    key: str = ""
    detail: str = ""
    configured: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "message", clean(self.message))
        object.__setattr__(self, "where", replace(self.where, path=one_line(self.where.path)))
        object.__setattr__(self, "kernel", one_line(self.kernel))
        object.__setattr__(self, "key", clean(self.key))
        object.__setattr__(self, "detail", clean(self.detail))

    @property
    def about(self) -> GateRule:
        from porter.gate.rules import RULES  # they are made of rules that make findings

        return RULES[self.rule]

    @property
    def level(self) -> str:
        """How bad it is, one of LEVELS."""
        return self.configured or self.about.level

    @property
    def fingerprint(self) -> str:
        """32 hex digits that stay the same while only line numbers move."""
        parts = (self.rule, self.where.path, self.kernel, self.key)
        return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:32]


class FindingOutput(Record, frozen=True):
    """One failure; hint: how to repair it."""

    rule: Annotated[str, Meta(pattern="^CKG[0-9]{3}$")]
    name: str
    level: Literal["error", "warning", "note"]
    message: str
    path: str
    line: Size
    kernel: str
    fingerprint: Annotated[str, Meta(pattern="^[0-9a-f]{32}$")]
    detail: str
    hint: str

    @classmethod
    def of(cls, finding: GateFinding) -> FindingOutput:
        return made(cls, finding, finding.about, finding.where, rule=finding.rule, hint=finding.about.help)


class Status(Enum):
    """How a check ended.

    passed; failed: it has findings; not run: it could not, which fails the gate; allowed: it could not, and the
    configuration says that it need not; left out: there was no need or no sense, as its note says.
    """

    PASSED = "passed"
    FAILED = "failed"
    NOT_RUN = "not run"
    ALLOWED = "not run, allowed"
    LEFT_OUT = "left out"


@dataclass(frozen=True, slots=True)
class Check:
    """One check of one subject.

    name: of a check of `porter.gate.checks`, or scope; subject: a kernel's name or a file; seconds: what it took,
    0 from the cache; note: why it was not run, or what it did in a few words, on one line.
    """

    name: str
    subject: str
    status: Status
    findings: tuple[GateFinding, ...] = ()
    seconds: float = 0.0
    note: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "subject", one_line(self.subject))
        object.__setattr__(self, "note", one_line(self.note))


class CheckOutput(Record, frozen=True):
    """One check of one subject; members as in `Check`."""

    name: str
    subject: str
    status: Status
    seconds: Amount
    note: str
    findings: tuple[FindingOutput, ...]

    @classmethod
    def of(cls, check: Check) -> CheckOutput:
        findings = list(map(FindingOutput.of, check.findings))
        return made(cls, check, seconds=round(check.seconds, 3), findings=findings)


class CiOutput(Record, frozen=True, tag_field="schema", tag="porter/ci/1"):
    """porter ci --format json: every check of one run of the gate, with its findings, in the order in which they
    ran."""

    verdict: Literal["passed", "failed"]
    seconds: Amount
    checks: tuple[CheckOutput, ...]
    sentence: str


def ended(name: str, subject: str, findings: Sequence[GateFinding], seconds: float = 0.0, note: str = "") -> Check:
    """The result of a check that ran: it failed where a finding is an error, and then the note is left out."""
    failed = any(finding.level == "error" for finding in findings)
    status = Status.FAILED if failed else Status.PASSED
    return Check(name, subject, status, tuple(findings), seconds, "" if failed else note)


@dataclass(frozen=True, slots=True)
class GateResult:
    """Every check of one run, in the order in which they ran."""

    checks: tuple[Check, ...]
    seconds: float = 0.0

    @property
    def findings(self) -> tuple[GateFinding, ...]:
        """All findings; the worst level first, otherwise in the order of the checks."""
        found = [finding for check in self.checks for finding in check.findings]
        return tuple(sorted(found, key=lambda finding: LEVELS.index(finding.level)))

    def grouped(self) -> Iterator[tuple[str, list[Check]]]:
        """The checks by name, in the order in which the names first ran."""
        for name in dict.fromkeys(check.name for check in self.checks):
            yield name, [check for check in self.checks if check.name == name]

    @property
    def counts(self) -> Counter[Status]:
        return Counter(check.status for check in self.checks)

    @property
    def exit_code(self) -> ExitCode:
        """1 for any failed check, any that did not run and was not allowed to, or a run that checked nothing."""
        counts = self.counts
        if counts[Status.FAILED] or counts[Status.NOT_RUN] or not counts[Status.PASSED]:
            return ExitCode.FINDINGS
        return ExitCode.GOOD

    @property
    def sentence(self) -> str:
        """The last sentence of the log."""
        counts = self.counts
        if not counts[Status.PASSED] and not counts[Status.FAILED]:
            return "porter ci FAILED: nothing was checked."
        kernels = len({finding.kernel for finding in self.findings if finding.kernel})
        parts = [f"{counts[Status.PASSED]} of {len(self.checks)} checks passed"]
        if self.findings:
            rules = ", ".join(sorted({finding.rule for finding in self.findings}))
            where = f" in {_number(kernels, 'kernel')}" if kernels else ""
            parts.append(f"{_number(len(self.findings), 'finding')} ({rules}){where}")
        if counts[Status.NOT_RUN]:
            parts.append(f"{counts[Status.NOT_RUN]} not run")
        if counts[Status.ALLOWED]:
            parts.append(f"{counts[Status.ALLOWED]} not run but allowed")
        if counts[Status.LEFT_OUT]:
            parts.append(f"{counts[Status.LEFT_OUT]} left out")
        verdict = "passed" if self.exit_code is ExitCode.GOOD else "FAILED"
        return f"porter ci {verdict}: {', '.join(parts)}, in {self.seconds:.0f} s."

    @property
    def output(self) -> CiOutput:
        return made(
            CiOutput,
            self,
            verdict="passed" if self.exit_code is ExitCode.GOOD else "failed",
            seconds=round(self.seconds, 3),
            checks=list(map(CheckOutput.of, self.checks)),
        )


def _number(count: int, what: str) -> str:
    return f"{count} {what}" if count == 1 else f"{count} {what}s"
