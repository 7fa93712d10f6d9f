# SPDX-License-Identifier: Apache-2.0
"""The text log: the checks by group, findings under their check, one last sentence."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from porter.errors import ExitCode
from porter.gate.outputs.github import escape_data
from porter.gate.result import Check, GateFinding, GateResult, Status

_MARKS = {
    Status.PASSED: ("passed ", "green"),
    Status.FAILED: ("FAILED ", "bold red"),
    Status.NOT_RUN: ("NOT RUN", "bold red"),
    Status.ALLOWED: ("allowed", "yellow"),
    Status.LEFT_OUT: ("left out", "dim"),
}
_LEVEL_STYLES = {"error": "red", "warning": "yellow", "note": "cyan"}


class Line(NamedTuple):
    """One line of the log and rich's style for it; an empty style is plain text."""

    text: str
    style: str = ""


def lines(result: GateResult, github: bool = False) -> Iterator[Line]:
    """The log, line by line; github: fold each group, and keep text of findings from acting as a workflow command."""
    for name, checks in result.grouped():
        title = _title(name, checks)
        yield Line(f"::group::{escape_data(title)}") if github else Line(title, "bold")
        for check in checks:
            for line in _check_lines(check):
                # The runner obeys `##[command]` anywhere in a line, and `::command::` only at its start, where no
                # line of ours has foreign text.
                yield line._replace(text=line.text.replace("##[", "## [")) if github else line
        if github:
            yield Line("::endgroup::")
    yield Line(result.sentence, "bold green" if result.exit_code is ExitCode.GOOD else "bold red")


def text(result: GateResult, github: bool = False) -> str:
    """The whole log without styles; ends with a line feed."""
    return "".join(f"{line.text}\n" for line in lines(result, github))


def finding_lines(finding: GateFinding, subject: str) -> Iterator[Line]:
    """One finding: rule, place and message; the hint; the detail. The kernel is named unless it is `subject`."""
    rule = finding.about
    level = "" if finding.level == "error" else f"{finding.level} "
    kernel = f"{finding.kernel}: " if finding.kernel not in ("", subject) else ""
    first, *more = finding.message.split("\n")
    yield Line(f"{level}{rule.id} {rule.name}: {finding.where}: {kernel}{first}", _LEVEL_STYLES[finding.level])
    yield from (Line(f"  | {line}") for line in more)
    yield Line(f"  hint: {rule.help}")
    yield from (Line(f"  | {line}") for line in finding.detail.split("\n") if finding.detail)


def _title(name: str, checks: list[Check]) -> str:
    counts = Counter(check.status for check in checks)
    rest = "".join(
        f", {counts[status]} {mark.strip().lower()}"
        for status, (mark, _) in _MARKS.items()
        if counts[status] and status is not Status.PASSED
    )
    seconds = sum(check.seconds for check in checks)
    return f"{name}: {counts[Status.PASSED]} of {len(checks)} passed{rest}, {seconds:.1f} s"


def _check_lines(check: Check) -> Iterator[Line]:
    mark, style = _MARKS[check.status]
    parts = [mark, check.subject, f"{check.seconds:.1f} s" if check.seconds else "", check.note]
    yield Line("  " + "  ".join(filter(None, parts)), style)
    for finding in check.findings:
        for line in finding_lines(finding, check.subject):
            yield Line(f"    {line.text}", line.style)
