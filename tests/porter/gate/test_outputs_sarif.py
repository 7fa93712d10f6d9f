# SPDX-License-Identifier: Apache-2.0
"""SARIF: the standard's schema, a stricter one of what porter writes, and what no schema can say."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import jsonschema
import pytest
from jsonschema import Draft202012Validator

from porter.errors import SourceSpan
from porter.gate.outputs import sarif
from porter.gate.result import Check, GateFinding, GateResult, Status
from porter.gate.rules import RULES
from tests.porter.gate.gate_results import for_any_result, sample
from tests.porter.gate.sarif_standard import STANDARD

SUBSET = Draft202012Validator(json.loads((Path(__file__).parent / "sarif_subset.json").read_text()))
SCHEMAS = [pytest.param(SUBSET, id="subset"), pytest.param(Draft202012Validator(STANDARD), id="standard")]
both = pytest.mark.parametrize("schema", SCHEMAS)


@both
def test_a_schema_is_a_schema(schema: Draft202012Validator) -> None:
    schema.check_schema(schema.schema)


@both
@pytest.mark.parametrize("result", [sample(), GateResult(())], ids=["sample", "empty"])
def test_document_is_valid(result: GateResult, schema: Draft202012Validator) -> None:
    schema.validate(sarif.document(result))


@both
@for_any_result
def test_any_result_is_valid_and_keeps_its_places(schema: Draft202012Validator, result: GateResult) -> None:
    data = json.loads(sarif.text(result).encode())
    schema.validate(data)
    run = data["runs"][0]
    for finding, shown in zip(result.findings, run["results"], strict=True):
        assert run["tool"]["driver"]["rules"][shown["ruleIndex"]]["id"] == shown["ruleId"] == finding.rule
        assert shown["message"]["text"].replace("{{", "{").replace("}}", "}") == finding.message
        place = shown["locations"][0]["physicalLocation"]
        assert unquote(place["artifactLocation"]["uri"]) == finding.where.path
        assert place["region"]["startLine"] == finding.where.line
        assert shown["partialFingerprints"] == {"porterFinding/v1": finding.fingerprint}


def _first(data: dict[str, Any]) -> dict[str, Any]:
    return data["runs"][0]["results"][0]


def _region(data: dict[str, Any]) -> dict[str, Any]:
    return _first(data)["locations"][0]["physicalLocation"]["region"]


#: What is wrong with each, for the standard's schema as well as for the stricter one.
FAULTS: dict[str, Callable[[dict[str, Any]], Any]] = {
    "version": lambda data: data.update(version="2.0.0"),
    "line 0": lambda data: _region(data).update(startLine=0),
    "column 0": lambda data: _region(data).update(startColumn=0),
    "level": lambda data: _first(data).update(level="fatal"),
    "no message": lambda data: _first(data).pop("message"),
    "no driver": lambda data: data["runs"][0]["tool"].pop("driver"),
    "index": lambda data: _first(data).update(ruleIndex=-2),
    "unknown property": lambda data: _first(data).update(rule="CKG001"),
    "success is text": lambda data: data["runs"][0]["invocations"][0].update(executionSuccessful="yes"),
    "fingerprint is a number": lambda data: _first(data)["partialFingerprints"].update(a=1),
}


@both
@pytest.mark.parametrize("fault", FAULTS)
def test_a_schema_refuses_a_fault(fault: str, schema: Draft202012Validator) -> None:
    data = sarif.document(sample())
    FAULTS[fault](data)
    with pytest.raises(jsonschema.ValidationError):
        schema.validate(data)


def test_every_rule_is_listed_with_its_texts() -> None:
    rules = sarif.document(GateResult(()))["runs"][0]["tool"]["driver"]["rules"]
    assert [rule["id"] for rule in rules] == list(RULES)
    assert all(rule["help"]["text"] and rule["shortDescription"]["text"] for rule in rules)


@pytest.mark.parametrize(
    ("statuses", "successful"),
    [
        ((Status.PASSED,), True),
        ((Status.FAILED,), True),
        ((Status.PASSED, Status.ALLOWED), True),
        ((Status.PASSED, Status.NOT_RUN), False),
        ((Status.ALLOWED,), False),
        ((), False),
    ],
)
def test_execution_is_successful_when_all_that_must_run_ran(statuses: tuple[Status, ...], successful: bool) -> None:
    result = GateResult(tuple(Check("lint", "k", status) for status in statuses))
    assert sarif.document(result)["runs"][0]["invocations"][0]["executionSuccessful"] is successful


def test_checks_that_did_not_run_are_notifications() -> None:
    checks = (Check("proof", "a", Status.NOT_RUN, note="no time"), Check("proof", "b", Status.ALLOWED, note="{why}"))
    shown = sarif.document(GateResult(checks))["runs"][0]["invocations"][0]["toolExecutionNotifications"]
    assert [(item["level"], item["message"]["text"]) for item in shown] == [
        ("error", "proof of a: not run: no time"),
        ("note", "proof of b: not run, allowed: {{why}}"),
    ]
    assert all(list(RULES)[item["associatedRule"]["index"]] == "CKG060" for item in shown)


def test_fingerprint_stays_when_lines_move() -> None:
    finding = GateFinding("CKG010", "message", SourceSpan("a.py", 4), "k", "the line")
    moved = replace(finding, where=SourceSpan("a.py", 40), message="another message")
    other = replace(finding, key="another line")
    prints = [
        sarif.document(GateResult((Check("lint", "k", Status.FAILED, (item,)),)))["runs"][0]["results"][0]
        for item in (finding, moved, other)
    ]
    first, second, third = (item["partialFingerprints"]["porterFinding/v1"] for item in prints)
    assert first == second != third
