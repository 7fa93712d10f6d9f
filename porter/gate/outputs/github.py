# SPDX-License-Identifier: Apache-2.0
"""What GitHub Actions shows of a run: annotations as workflow commands, and the step summary."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

from porter.errors import InputError
from porter.gate.result import GateFinding, GateResult, Status

#: Annotations of one kind that GitHub shows for a step.
WORST = 10
#: GitHub drops a step's summary whole when it is over 1 MiB; these are bytes for each of its two long tables.
_TABLE_BYTES = 400_000
_CELL_CHARS = 500
_COMMANDS = {"error": "error", "warning": "warning", "note": "notice"}
_COUNTED = tuple(Status)
#: `<` and `&` as well: a summary may hold HTML.
_MARKDOWN = re.compile(r"[\\`*_\[\]<>&|~#$:@]")


def escape_data(text: str) -> str:
    """Text as the message of a workflow command."""
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def escape_property(text: str) -> str:
    """Text as a property of a workflow command."""
    return escape_data(text).replace(":", "%3A").replace(",", "%2C")


def commands(result: GateResult, worst: int = WORST) -> list[str]:
    """The annotations: a workflow command for each of the worst findings, then one that counts the rest, if any."""
    found = result.findings
    shown = [_annotation(finding) for finding in found[:worst]]
    if rest := found[worst:]:
        rules = ", ".join(f"{rule} x {count}" for rule, count in sorted(Counter(item.rule for item in rest).items()))
        message = f"{len(rest)} more findings: {rules}; the log lists them all"
        shown.append(f"::notice title={escape_property('porter ci')}::{escape_data(message)}")
    return shown


def summary(result: GateResult) -> str:
    """The step summary in Markdown: the sentence, the checks by group, the findings, every check folded away."""
    return "\n".join(_summary(result)) + "\n"


def append_summary(result: GateResult, path: Path) -> None:
    """Append the summary to the file of GITHUB_STEP_SUMMARY. Raises InputError CKP060 when it cannot be written."""
    try:
        with path.open("a", encoding="utf-8", newline="\n") as stream:
            stream.write(summary(result))
    except OSError as error:
        raise InputError("CKP060", f"{path}: cannot write: {error.strerror}") from error


def _annotation(finding: GateFinding) -> str:
    rule = finding.about
    place = {"file": finding.where.path, "line": str(finding.where.line)}
    if finding.where.column:
        place["col"] = str(finding.where.column)
    properties = {**place, "title": f"{rule.id} {rule.name}"}
    shown = ",".join(f"{key}={escape_property(value)}" for key, value in properties.items())
    kernel = f"{finding.kernel}: " if finding.kernel else ""
    message = f"{kernel}{finding.message}\nhint: {rule.help}"
    return f"::{_COMMANDS[finding.level]} {shown}::{escape_data(message)}"


def _summary(result: GateResult) -> Iterator[str]:
    yield f"### {_escaped(result.sentence)}"
    if result.checks:
        yield ""
        yield from _table(("check", *(status.value for status in _COUNTED), "seconds"), _groups(result))
    if result.findings:
        yield from ("", f"#### {len(result.findings)} findings", "")
        yield from _table(("rule", "where", "kernel", "message", "what to do"), map(_finding_row, result.findings))
    if result.checks:
        yield from ("", f"<details><summary>All {len(result.checks)} checks</summary>", "")
        rows = (
            (check.name, check.subject, check.status.value, f"{check.seconds:.1f}", check.note)
            for check in result.checks
        )
        yield from _table(("check", "subject", "result", "seconds", "note"), rows)
        yield from ("", "</details>")
    # A later step's summary starts a paragraph of its own.
    yield ""


def _groups(result: GateResult) -> Iterator[tuple[str, ...]]:
    for name, checks in result.grouped():
        counts = Counter(check.status for check in checks)
        seconds = sum(check.seconds for check in checks)
        yield name, *(str(counts[status]) for status in _COUNTED), f"{seconds:.1f}"


def _finding_row(finding: GateFinding) -> tuple[str, ...]:
    rule = finding.about
    return f"{rule.id} {rule.name}", str(finding.where), finding.kernel, finding.message, rule.help


def _table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> Iterator[str]:
    """A table in GitHub's Markdown; rows that no longer fit into the summary are counted in a last one."""
    yield _row(head)
    yield f"|{'---|' * len(head)}"
    left, dropped = _TABLE_BYTES, 0
    for cells in rows:
        row = _row(cells)
        left -= len(row.encode()) + 1
        if left < 0:
            dropped += 1
        else:
            yield row
    if dropped:
        yield _row((f"{dropped} more in the log", *[""] * (len(head) - 1)))


def _row(cells: tuple[str, ...]) -> str:
    return f"| {' | '.join(map(_escaped, cells))} |"


def _escaped(text: str) -> str:
    """Text that Markdown shows as it is, on one line, cut to what a cell may take."""
    if len(text) > _CELL_CHARS:
        text = text[: _CELL_CHARS - 3] + "..."
    return _MARKDOWN.sub(r"\\\g<0>", text).replace("\n", "<br>")
