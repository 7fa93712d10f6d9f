# SPDX-License-Identifier: Apache-2.0
"""JUnit XML, in the form that Jenkins and GitLab read: a suite for each kind of check, a case for each subject."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from xml.etree import ElementTree

from porter.gate.outputs.log import finding_lines
from porter.gate.result import Check, GateResult, Status

#: Status -> element of a case; a passed one has none.
_ELEMENTS = {Status.FAILED: "failure", Status.NOT_RUN: "error", Status.ALLOWED: "skipped", Status.LEFT_OUT: "skipped"}


def text(result: GateResult) -> str:
    """The document as XML text; ends with a line feed."""
    root = ElementTree.Element(
        "testsuites", {"name": "porter ci", **_counts(result.checks), "time": f"{result.seconds:.3f}"}
    )
    for name, checks in result.grouped():
        time = sum(check.seconds for check in checks)
        suite = ElementTree.SubElement(root, "testsuite", {"name": name, **_counts(checks), "time": f"{time:.3f}"})
        for check in checks:
            _add_case(suite, check)
    ElementTree.indent(root)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{ElementTree.tostring(root, encoding="unicode")}\n'


def _counts(checks: Iterable[Check]) -> dict[str, str]:
    counts = Counter(check.status for check in checks)
    return {
        "tests": str(counts.total()),
        "failures": str(counts[Status.FAILED]),
        "errors": str(counts[Status.NOT_RUN]),
        "skipped": str(counts[Status.ALLOWED] + counts[Status.LEFT_OUT]),
    }


def _add_case(suite: ElementTree.Element, check: Check) -> None:
    names = {"name": check.subject, "classname": f"porter.{check.name}", "time": f"{check.seconds:.3f}"}
    case = ElementTree.SubElement(suite, "testcase", names)
    found = "\n".join(line.text for finding in check.findings for line in finding_lines(finding, check.subject))
    if check.status in _ELEMENTS:
        rules = " ".join(dict.fromkeys(finding.rule for finding in check.findings))
        attributes = {"message": _message(check), "type": rules or check.status.value}
        ElementTree.SubElement(case, _ELEMENTS[check.status], attributes).text = found or None
    elif found:
        # Warnings of a check that passed.
        ElementTree.SubElement(case, "system-out").text = found


def _message(check: Check) -> str:
    if len(check.findings) == 1:
        return check.findings[0].message
    return f"{len(check.findings)} findings" if check.findings else check.note
