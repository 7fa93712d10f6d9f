# SPDX-License-Identifier: Apache-2.0
"""Every lint rule on its own cases, on every generated kernel, and on hand edits of one."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

from porter.gate.lint import lint, rules
from porter.gate.lint.flydsl_range import in_words
from porter.gate.lint.module import LintModule
from porter.gate.lint.private_name import stable_names
from porter.gate.rules import RULES
from porter.kernel_spec import KernelSpec
from tests.porter.kernels import rendered
from tests.porter.specs import EIGHT_WAVE, VARIED


def found(rule: ModuleType, text: str) -> list[int]:
    return [finding.where.line for finding in rule.check(LintModule("k.py", "k", text))]


CASES = [(rule, case) for rule in rules() for case in rule.VALID]
BAD = [(rule, case) for rule in rules() for case in rule.INVALID]


def test_every_lint_rule_is_registered_and_has_cases() -> None:
    assert {rule.RULE.id for rule in rules()} >= {"CKG010", "CKG011", "CKG012", "CKG013", "CKG014", "CKG015"}
    assert all(rule.VALID and rule.INVALID and RULES[rule.RULE.id] is rule.RULE for rule in rules())


@pytest.mark.parametrize(("rule", "text"), CASES, ids=lambda value: value.RULE.id if hasattr(value, "RULE") else None)
def test_valid_text_has_no_finding(rule: ModuleType, text: str) -> None:
    assert found(rule, text) == []


@pytest.mark.parametrize(("rule", "case"), BAD, ids=lambda value: value.RULE.id if hasattr(value, "RULE") else None)
def test_invalid_text_has_one_finding_on_its_line(rule: ModuleType, case: tuple[str, int]) -> None:
    text, line = case
    assert found(rule, text) == [line]


@pytest.mark.parametrize("spec", VARIED, ids=lambda spec: spec.name)
def test_generated_kernels_are_clean(spec: KernelSpec) -> None:
    text = rendered(spec)
    assert lint(LintModule("k.py", "k", text)) == ()


def test_the_shim_may_use_unstable_names(repository: Path) -> None:
    text = (repository / "generated" / "_shim.py").read_text()
    assert lint(LintModule("_shim.py", "_shim", text, shim=True)) == ()
    assert {finding.rule for finding in lint(LintModule("_shim.py", "_shim", text))} == {"CKG011"}


def test_a_module_that_is_no_python_is_one_finding() -> None:
    (finding,) = lint(LintModule("k.py", "k", "x = 1\ndef (:\n"))
    assert (finding.rule, finding.where.line) == ("CKG016", 2)


@pytest.mark.parametrize(
    "text",
    [
        "x = 1\0\n",
        "x = '\ud800'\n",
        "x = " + "-" * 50_000 + "1\n",
        "x = 1" + " + 1" * 50_000 + "\n",
        "x = y" + ".z" * 2000 + "\n",
    ],
    ids=["NUL", "surrogate", "unary", "sum", "chain"],
)
def test_text_that_no_parser_takes_is_one_finding(text: str) -> None:
    (finding,) = lint(LintModule("k.py", "k", "import flydsl.expr as y\n" + text))
    assert finding.rule == "CKG016"


def test_a_long_sum_is_read() -> None:
    assert lint(LintModule("k.py", "k", "x = 1" + " + 1" * 600 + "\nx += 1\n")) == ()


def test_a_byte_order_mark_and_other_line_ends_change_nothing() -> None:
    text = rendered(EIGHT_WAVE) + "from flydsl._mlir import ir\n"
    plain = lint(LintModule("k.py", "k", text))
    assert [finding.rule for finding in plain] == ["CKG011"]
    assert lint(LintModule("k.py", "k", "\ufeff" + text.replace("\n", "\r\n"))) == plain


def test_findings_keep_their_fingerprint_when_lines_move() -> None:
    text = rendered(EIGHT_WAVE) + "\nfrom flydsl._mlir import ir\n"
    first = lint(LintModule("k.py", "k", text))
    moved = lint(LintModule("k.py", "k", "# one line more\n" + text))
    assert [f.fingerprint for f in first] == [f.fingerprint for f in moved]
    assert first[0].where.line + 1 == moved[0].where.line


def test_the_stable_names_are_those_of_the_installed_flydsl() -> None:
    command = [sys.executable, "-m", "porter.gate.lint._flydsl_names"]
    printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert set(printed.split()) == stable_names()


def test_the_supported_range_is_that_of_the_package(repository: Path) -> None:
    assert f'"flydsl{in_words()}"' in (repository / "pyproject.toml").read_text()
