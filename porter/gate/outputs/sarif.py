# SPDX-License-Identifier: Apache-2.0
"""SARIF 2.1.0 (OASIS standard): the findings as results, checks that did not run as notifications."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import quote

from porter import __version__
from porter.errors import ExitCode
from porter.gate.result import Check, GateFinding, GateResult, Status
from porter.gate.rule import GateRule
from porter.gate.rules import RULES

_SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/os/schemas/sarif-schema-2.1.0.json"
_ROOT = "%SRCROOT%"
#: Names how `GateFinding.fingerprint` is made; a change there needs the next number.
_FINGERPRINT = "porterFinding/v1"
_NOT_RUN = "CKG060"


def document(result: GateResult, version: str = __version__) -> dict[str, Any]:
    """The SARIF log; version: porter's own, MAJOR.MINOR.PATCH."""
    indices = {rule: index for index, rule in enumerate(RULES)}
    driver = {
        "name": "porter",
        "version": version,
        "semanticVersion": version,
        "rules": [_rule(rule) for rule in RULES.values()],
    }
    run = {
        "tool": {"driver": driver},
        "invocations": [_invocation(result, indices)],
        "columnKind": "unicodeCodePoints",
        "originalUriBaseIds": {_ROOT: {"description": _message("The root of the repository.")}},
        "results": [_result(finding, indices[finding.rule]) for finding in result.findings],
    }
    return {"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}


def text(result: GateResult, version: str = __version__) -> str:
    """The SARIF log as JSON text; ends with a line feed."""
    return json.dumps(document(result, version), indent=2, ensure_ascii=False) + "\n"


def _message(text: str) -> dict[str, str]:
    # Braces would be placeholders (3.11.5).
    return {"text": text.replace("{", "{{").replace("}", "}}")}


def _rule(rule: GateRule) -> dict[str, Any]:
    return {
        "id": rule.id,
        "name": rule.name,
        "shortDescription": _message(rule.summary),
        "fullDescription": _message(rule.summary),
        "help": _message(rule.help),
        "defaultConfiguration": {"level": rule.level},
    }


def _result(finding: GateFinding, index: int) -> dict[str, Any]:
    location: dict[str, Any] = {"physicalLocation": _place(finding)}
    if finding.kernel:
        location["logicalLocations"] = [{"name": finding.kernel, "kind": "function"}]
    result: dict[str, Any] = {
        "ruleId": finding.rule,
        "ruleIndex": index,
        "level": finding.level,
        "message": _message(finding.message),
        "locations": [location],
        "partialFingerprints": {_FINGERPRINT: finding.fingerprint},
    }
    if finding.detail:
        result["properties"] = {"detail": finding.detail}
    return result


def _place(finding: GateFinding) -> dict[str, Any]:
    where = finding.where
    region = {"startLine": where.line}
    if where.column:
        region["startColumn"] = where.column
    if where.end_column:
        region["endColumn"] = where.end_column
    return {"artifactLocation": {"uri": quote(where.path), "uriBaseId": _ROOT}, "region": region}


def _invocation(result: GateResult, indices: dict[str, int]) -> dict[str, Any]:
    """Successful: every check ran or was allowed not to, and something was checked; findings do not matter here."""
    counts = result.counts
    ran = counts[Status.PASSED] + counts[Status.FAILED]
    missing = [check for check in result.checks if check.status in (Status.NOT_RUN, Status.ALLOWED)]
    return {
        "executionSuccessful": bool(ran) and not counts[Status.NOT_RUN],
        "exitCode": int(result.exit_code),
        "exitCodeDescription": "all good" if result.exit_code is ExitCode.GOOD else "findings, or not all checked",
        "toolExecutionNotifications": [_notification(check, indices[_NOT_RUN]) for check in missing],
    }


def _notification(check: Check, index: int) -> dict[str, Any]:
    reasons = [f": {reason}" for reason in (check.note, *(finding.message for finding in check.findings)) if reason]
    return {
        "level": "error" if check.status is Status.NOT_RUN else "note",
        "message": _message(f"{check.name} of {check.subject}: {check.status.value}{''.join(reasons)}"),
        "associatedRule": {"id": _NOT_RUN, "index": index},
    }
