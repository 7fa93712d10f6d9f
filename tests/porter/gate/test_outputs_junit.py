# SPDX-License-Identifier: Apache-2.0
"""JUnit XML: its structure, its counts, and that nothing in a result breaks it."""

from __future__ import annotations

from collections import Counter
from xml.etree import ElementTree

import pytest

from porter.gate.outputs import junit
from porter.gate.result import Check, GateResult, Status
from tests.porter.gate.gate_results import for_any_result, sample

_COUNTS = {"tests", "failures", "errors", "skipped", "time"}
_OUTCOME = ({"message", "type"}, set[str]())
#: Element -> its attributes, all required, and the elements that may be in it.
_STRUCTURE = {
    "testsuites": ({"name", *_COUNTS}, {"testsuite"}),
    "testsuite": ({"name", *_COUNTS}, {"testcase"}),
    "testcase": ({"name", "classname", "time"}, {"failure", "error", "skipped", "system-out"}),
    "failure": _OUTCOME,
    "error": _OUTCOME,
    "skipped": _OUTCOME,
    "system-out": (set[str](), set[str]()),
}
_TAGS = {"failures": "failure", "errors": "error", "skipped": "skipped"}


def check_structure(root: ElementTree.Element) -> None:
    """Raise AssertionError where the document is not as readers of JUnit XML expect it."""
    assert root.tag == "testsuites"
    for element in root.iter():
        attributes, inside = _STRUCTURE[element.tag]
        assert set(element.attrib) == attributes, element.tag
        assert {child.tag for child in element} <= inside, element.tag
        assert len(element) <= 1 or element.tag != "testcase"
        if "time" in attributes:
            assert float(element.attrib["time"]) >= 0
        if "tests" in attributes:
            cases = list(element.iter("testcase"))
            assert int(element.attrib["tests"]) == len(cases)
            for count, tag in _TAGS.items():
                assert int(element.attrib[count]) == len(list(element.iter(tag)))


@for_any_result
def test_any_result_is_well_formed_and_complete(result: GateResult) -> None:
    root = ElementTree.fromstring(junit.text(result).encode())
    check_structure(root)
    cases = [
        (suite.attrib["name"], case.attrib["name"], case[0].tag if len(case) else "")
        for suite in root
        for case in suite
    ]
    tags = {Status.FAILED: "failure", Status.NOT_RUN: "error", Status.ALLOWED: "skipped", Status.LEFT_OUT: "skipped"}
    expected = [
        (check.name, check.subject, tags.get(check.status, "system-out" if check.findings else ""))
        for _, checks in result.grouped()
        for check in checks
    ]
    assert cases == expected


@for_any_result
def test_messages_come_back_as_they_were(result: GateResult) -> None:
    root = ElementTree.fromstring(junit.text(result).encode())
    shown = [case[0] for case in root.iter("testcase") if len(case) and case[0].tag != "system-out"]
    checks = [check for _, checks in result.grouped() for check in checks if check.status is not Status.PASSED]
    for check, outcome in zip(checks, shown, strict=True):
        if len(check.findings) == 1:
            assert outcome.attrib["message"] == check.findings[0].message
        for finding in check.findings:
            assert all(line in (outcome.text or "") for line in finding.message.split("\n"))


@pytest.mark.parametrize(
    "damage",
    [
        lambda root: root[0].set("tests", "9"),
        lambda root: root[0].set("failures", "0"),
        lambda root: root[0][0].attrib.pop("time"),
        lambda root: root[0].append(ElementTree.Element("failure", {"message": "", "type": ""})),
        lambda root: root[0][0].append(ElementTree.Element("skipped", {"message": "", "type": ""})),
    ],
    ids=["too many tests", "too few failures", "no time", "failure of a suite", "two outcomes"],
)
def test_structure_check_sees_damage(damage: object) -> None:
    root = ElementTree.fromstring(junit.text(sample()).encode())
    check_structure(root)
    damage(root)  # type: ignore[operator]
    with pytest.raises(AssertionError):
        check_structure(root)


def test_outcomes_of_the_sample() -> None:
    root = ElementTree.fromstring(junit.text(sample()).encode())
    outcomes = Counter(element.tag for case in root.iter("testcase") for element in case)
    assert outcomes == {"failure": 2, "error": 2, "skipped": 2, "system-out": 1}
    assert [error.attrib["message"] for error in root.iter("error")] == [
        "time limit of 600 s",
        "the machine does not know v_new",
    ]
    assert root.attrib["time"] == "614.200"


def test_a_failure_without_findings_gives_its_note() -> None:
    root = ElementTree.fromstring(junit.text(GateResult((Check("lint", "k", Status.FAILED, note="why"),))))
    assert root[0][0][0].attrib == {"message": "why", "type": "failed"}
