# SPDX-License-Identifier: Apache-2.0
"""The text log: every check once, its findings under it, and no text that acts as a command."""

from __future__ import annotations

import io
from itertools import pairwise

import pytest
from hypothesis import given
from rich.console import Console

from porter.commands import ci
from porter.errors import SourceSpan
from porter.gate.outputs import log
from porter.gate.result import Check, GateFinding, GateResult, Status
from porter.gate.text import clean, one_line
from tests.porter.gate.gate_results import for_any_result, hostile, sample, use_sample_rules


@for_any_result
def test_the_last_line_is_the_sentence(result: GateResult) -> None:
    for github in (False, True):
        assert log.text(result, github).split("\n")[-2:] == [result.sentence, ""]


@for_any_result
def test_only_our_own_commands_start_a_line(result: GateResult) -> None:
    shown = log.text(result, github=True).split("\n")
    commands = [line for line in shown if line.lstrip().startswith("::")]
    assert not any("##[" in line for line in shown)
    assert [line.partition(":: ")[0].partition("::")[2].split("::")[0] for line in commands] == [
        word for _ in result.grouped() for word in ("group", "endgroup")
    ]


@for_any_result
def test_every_check_has_one_line_and_its_findings_under_it(result: GateResult) -> None:
    shown = [line.text for line in log.lines(result)]
    heads = [number for number, line in enumerate(shown) if line[:2] == "  " and line[2] != " "]
    checks = [check for _, checks in result.grouped() for check in checks]
    assert len(heads) == len(checks)
    for check, (start, end) in zip(checks, pairwise([*heads, len(shown)]), strict=True):
        assert check.subject in shown[start] and check.note in shown[start]
        under = [
            line for line in shown[start + 1 : end] if line.startswith(("    CKG", "    warning CKG", "    note CKG"))
        ]
        assert len(under) == len(check.findings)
        for finding, line in zip(check.findings, under, strict=True):
            assert f"{finding.rule} {finding.about.name}: {finding.where}: " in line


def test_a_detail_that_is_empty_takes_no_line_and_its_empty_lines_stay() -> None:
    finding = GateFinding("CKG040", "m", SourceSpan("a.py", 3), "k", detail="one\n\ntwo")
    assert [line.text for line in log.finding_lines(finding, "k")] == [
        "CKG040 values: a.py:3: m",
        f"  hint: {finding.about.help}",
        "  | one",
        "  | ",
        "  | two",
    ]
    bare = GateFinding("CKG040", "m", SourceSpan("a.py", 3), "k")
    assert [line.text for line in log.finding_lines(bare, "a.py")] == [
        "CKG040 values: a.py:3: k: m",
        f"  hint: {bare.about.help}",
    ]


@pytest.mark.parametrize("terminal", [False, True])
def test_shown_log_is_the_text_with_colours_on_a_terminal_only(terminal: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    stream = io.StringIO()
    console = Console(file=stream, highlight=False, force_terminal=terminal, width=40)
    monkeypatch.setattr(ci, "console", lambda: console)
    ci.show(sample())
    assert ("\x1b[" in stream.getvalue()) is terminal
    assert clean(stream.getvalue()) == log.text(sample())


def test_verdict_and_marks_are_coloured(monkeypatch: pytest.MonkeyPatch) -> None:
    use_sample_rules(monkeypatch)
    good = list(log.lines(GateResult((Check("lint", "k", Status.PASSED),))))
    bad = list(log.lines(sample()))
    assert good[-1].style == "bold green" and bad[-1].style == "bold red"
    assert {line.style for line in bad} == {"", "bold", "green", "bold red", "red", "yellow", "cyan", "dim"}


@given(hostile)
def test_clean_text_is_fit_for_utf8_and_stays_clean(text: str) -> None:
    cleaned = clean(text)
    assert cleaned.encode().decode() == cleaned == clean(cleaned)
    assert not [mark for mark in cleaned if mark < " " and mark not in "\t\n"]
    assert "\n" not in one_line(text) and "\t" not in one_line(text)


@pytest.mark.parametrize(
    ("text", "cleaned"),
    [
        ("a\r\nb\rc\n", "a\nb\nc\n"),
        ("\x1b[1;31mred\x1b[0m", "red"),
        ("nul\0 bell\x07 \x85", "nul bell "),
        ("\ud800lone", "lone"),
        ("tab\tand é and 💡", "tab\tand é and 💡"),
    ],
)
def test_clean(text: str, cleaned: str) -> None:
    assert clean(text) == cleaned


def test_a_path_keeps_its_spaces() -> None:
    assert one_line("a  b\tc\nd ") == "a  b c d "


def test_names_from_outside_cannot_add_a_line() -> None:
    finding = GateFinding("CKG040", "m", SourceSpan("a\n::error::.py", 3), "k\r\nk")
    check = Check("proof", "s\n::error::x", Status.FAILED, (finding,), note="n\n::error::y")
    shown = log.text(GateResult((check,)), github=True).split("\n")
    assert shown[1:3] == [
        "  FAILED   s ::error::x  n ::error::y",
        "    CKG040 values: a ::error::.py:3: k k: m",
    ]
