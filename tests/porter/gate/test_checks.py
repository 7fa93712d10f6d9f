# SPDX-License-Identifier: Apache-2.0
"""Checks are found by walking; each stands in order, states its rules, and stands on the page."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

from porter.gate import checks
from porter.gate.rules import RULES


def test_every_file_is_a_check_and_they_run_in_their_order(repository: Path) -> None:
    files = {path.stem for path in (repository / "porter" / "gate" / "checks").glob("*.py")} - {"__init__", "kind"}
    names = checks.names()
    assert files == set(names)
    known = ("drift", "lint", "compile", "budget", "proof", "strength")
    assert tuple(name for name in names if name in known) == known
    for check in checks.checks().all:
        before = names[: names.index(check.NAME)]
        assert set(checks.needs(check)) <= set(before)


def test_every_rule_belongs_to_one_room() -> None:
    assert list(RULES) == sorted(RULES)
    assert [rule for rule, count in Counter(rule.id for rule in checks.stated()).items() if count > 1] == []
    assert all(RULES[rule.id] is rule for rule in checks.stated())


def test_the_page_has_a_line_for_every_check_in_order(repository: Path) -> None:
    table = (repository / "docs" / "gate.md").read_text().partition("## What is checked")[2].partition("\n\nEach")[0]
    assert tuple(re.findall(r"^\| (\w+) \|", table, re.MULTILINE)[1:]) == checks.names()


def test_what_a_check_needs_ends_with_what_needs_nothing() -> None:
    strength = next(check for check in checks.checks().proofs if check.NAME == "strength")
    assert list(checks.needs(strength)) == ["proof", "compile"]
