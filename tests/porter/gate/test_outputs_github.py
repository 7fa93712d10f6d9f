# SPDX-License-Identifier: Apache-2.0
"""Annotations as GitHub's runner reads them, and the step summary as Markdown shows it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from markdown_it import MarkdownIt

from porter.errors import InputError, SourceSpan
from porter.gate.outputs import github
from porter.gate.result import Check, GateFinding, GateResult, Status
from porter.gate.rule import GateRule
from porter.gate.rules import RULES
from tests.porter.gate.gate_results import for_any_result, hostile, sample


def _decoded(text: str, marks: str) -> str:
    """Undo the escapes of `marks`; the per cent sign last, as the runner does it."""
    for mark in (*marks, "%"):
        text = text.replace(f"%{ord(mark):02X}", mark)
    return text


def read_command(line: str) -> tuple[str, dict[str, str], str]:
    """A workflow command as the runner reads it: its name, properties and message."""
    assert line.startswith("::") and "\n" not in line and "\r" not in line
    head, message = line[2:].split("::", 1)
    name, _, rest = head.partition(" ")
    pairs = (pair.split("=", 1) for pair in rest.split(",") if pair)
    return name, {key: _decoded(value, "\r\n:,") for key, value in pairs}, _decoded(message, "\r\n")


@given(hostile)
def test_escapes_are_undone_by_the_runner(text: str) -> None:
    data, prop = github.escape_data(text), github.escape_property(text)
    assert not set(data) & set("\r\n") and not set(prop) & set("\r\n:,")
    assert _decoded(data, "\r\n") == text
    assert _decoded(prop, "\r\n:,") == text


@pytest.mark.parametrize("text", ["%0A", "%250A", "100%", "a:b,c\r\n%3A"])
def test_text_that_looks_escaped_stays_itself(text: str) -> None:
    assert _decoded(github.escape_property(text), "\r\n:,") == text


@for_any_result
def test_every_annotation_says_where_what_and_how(result: GateResult) -> None:
    shown = [read_command(line) for line in github.commands(result, worst=100)]
    assert len(shown) == len(result.findings)
    for finding, (name, properties, message) in zip(result.findings, shown, strict=True):
        assert name == {"error": "error", "warning": "warning", "note": "notice"}[finding.level]
        assert properties["file"] == finding.where.path
        assert properties["line"] == str(finding.where.line)
        assert properties["title"] == f"{finding.rule} {finding.about.name}"
        kernel = f"{finding.kernel}: " if finding.kernel else ""
        assert message == f"{kernel}{finding.message}\nhint: {finding.about.help}"


def _many(*rules: str) -> GateResult:
    found = tuple(GateFinding(rule, f"finding {i}", SourceSpan("a.py", i + 1)) for i, rule in enumerate(rules))
    return GateResult((Check("lint", "k", Status.FAILED, found),))


@pytest.mark.parametrize(("count", "annotations"), [(0, 0), (1, 1), (10, 10), (11, 11), (25, 11)])
def test_ten_annotations_then_a_count(count: int, annotations: int) -> None:
    shown = [read_command(line) for line in github.commands(_many(*["CKG010"] * count))]
    assert len(shown) == annotations
    assert [name for name, _, _ in shown[:10]] == ["error"] * min(count, 10)
    if count > 10:
        assert shown[10][0] == "notice"
        assert shown[10][2].startswith(f"{count - 10} more findings: CKG010 x {count - 10};")


def test_the_worst_come_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(RULES, "CKG030", GateRule("CKG030", "spills", "s", "h", level="warning"))
    monkeypatch.setitem(RULES, "CKG035", GateRule("CKG035", "census", "s", "h", level="note"))
    shown = [read_command(line) for line in github.commands(_many("CKG035", "CKG030", "CKG010"))]
    assert [(name, properties["line"]) for name, properties, _ in shown] == [
        ("error", "3"),
        ("warning", "2"),
        ("notice", "1"),
    ]


def _rows(text: str) -> list[list[str]]:
    """The rows of all tables of a Markdown text as a reader of the page sees them, white space as single spaces."""
    rows: list[list[str]] = []
    for token in MarkdownIt("commonmark").enable(["table", "strikethrough"]).parse(text):
        if token.type == "tr_open":
            rows.append([])
        elif token.type == "inline" and rows and token.level > 2:
            pieces = token.children or []
            assert {piece.type for piece in pieces} <= {"text", "html_inline"}, token.content
            assert {piece.content for piece in pieces if piece.type == "html_inline"} <= {"<br>"}
            rows[-1].append(_squeezed(*(piece.content if piece.type == "text" else " " for piece in pieces)))
    return rows


def _squeezed(*pieces: str) -> str:
    return " ".join("".join(pieces).split())


@for_any_result
def test_summary_shows_text_as_it_is(result: GateResult) -> None:
    rows = _rows(github.summary(result))
    found = [row for row in rows if row[0].startswith("CKG")]
    assert [row[1:4] for row in found] == [
        [_squeezed(text) for text in (str(finding.where), finding.kernel, finding.message)]
        for finding in result.findings
    ]
    checks = rows[len(rows) - len(result.checks) :]
    assert [(row[1], row[4]) for row in checks] == [
        (_squeezed(check.subject), _squeezed(check.note)) for check in result.checks
    ]


def test_summary_gives_counts_by_group() -> None:
    assert _rows(github.summary(sample()))[1:4] == [
        ["drift", "1", "1", "0", "0", "0", "0.7"],
        ["budget", "1", "0", "0", "0", "0", "0.0"],
        ["proof", "0", "1", "2", "1", "0", "613.0"],
    ]


def test_summary_of_nothing_is_the_sentence() -> None:
    assert github.summary(GateResult(())) == "### porter ci FAILED\\: nothing was checked.\n\n"


def test_summary_stays_under_the_limit_of_github() -> None:
    found = tuple(GateFinding("CKG020", "é<|\n" * 1000, SourceSpan("a.py", i + 1)) for i in range(3000))
    checks = tuple(Check("compile", f"k{i}", Status.FAILED, found[i::100], note="|" * 600) for i in range(100))
    text = github.summary(GateResult(checks))
    assert len(text.encode()) < 1 << 20
    listed = len(re.findall(r"^\| CKG020", text, re.MULTILINE))
    assert 0 < listed < 3000
    assert f"| {3000 - listed} more in the log |" in text
    assert text.endswith("</details>\n\n")


def test_summary_is_appended(tmp_path: Path) -> None:
    path = tmp_path / "summary.md"
    path.write_text("an earlier step\n")
    github.append_summary(sample(), path)
    assert path.read_text(encoding="utf-8") == "an earlier step\n" + github.summary(sample())


def test_summary_that_cannot_be_written_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot write") as caught:
        github.append_summary(sample(), tmp_path / "absent" / "summary.md")
    assert caught.value.code == "CKP060"
