# SPDX-License-Identifier: Apache-2.0
"""What commands share: news of long runs goes to stderr, and only where a person reads the output."""

from __future__ import annotations

import pytest

from porter.commands.common import progress


def told(form: str) -> None:
    with progress("steps", form, 3) as step:
        for news in ("first [1]", "", "x" * 300):
            step(news)


@pytest.mark.parametrize(("form", "lines"), [("text", ["first [1]", "x" * 300]), ("json", [])])
def test_without_a_terminal_only_news_is_shown(
    form: str, lines: list[str], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("FORCE_COLOR", "TTY_COMPATIBLE"):
        monkeypatch.delenv(name, raising=False)
    told(form)
    shown = capsys.readouterr()
    assert (shown.out, shown.err.splitlines()) == ("", lines)


def test_a_terminal_has_a_bar(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    told("text")
    shown = capsys.readouterr()
    assert not shown.out and "steps" in shown.err and "3/3" in shown.err and "first [1]" in shown.err
