# SPDX-License-Identifier: Apache-2.0
"""The page in headless Chromium, clicked through as a reader would."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from porter.report.model import Report
from porter.report.page import render
from tests.porter.report.browser import Browser, browser, find

TABLE = "document.querySelector('table.overview')"
HEADS = f"{TABLE}.tHead.rows[0].cells"


@pytest.fixture
def reader(report: Report, tmp_path: Path) -> Iterator[Browser]:
    """A browser that has the report open."""
    program = find()
    if program is None:
        pytest.skip("no Chromium on PATH (Debian: apt-get install chromium)")
    page = tmp_path / "report.html"
    page.write_text(render(report), encoding="utf-8")
    with browser(program, tmp_path / "profile") as tab:
        tab.view(1280, 900)
        tab.open(page)
        yield tab
        assert tab.complaints == []
        assert tab.requests == [page.as_uri()]


def column(tab: Browser, name: str) -> tuple[int, list[str]]:
    """Index of a column of the table of kernels, and its cells from top to bottom."""
    heads = tab.evaluate(f"[...{HEADS}].map(cell => cell.textContent)")
    index = heads.index(name)
    return index, tab.evaluate(f"[...{TABLE}.tBodies[0].rows].map(row => row.cells[{index}].textContent)")


def order(tab: Browser, index: int) -> str | None:
    sorts: list[str | None] = tab.evaluate(f"[...{HEADS}].map(cell => cell.getAttribute('aria-sort'))")
    assert all(other is None for at, other in enumerate(sorts) if at != index)
    return sorts[index]


def test_a_reader_clicks_through(reader: Browser) -> None:
    index, before = column(reader, "VGPRs")
    wanted = sorted(before, key=int)
    reader.click(f"{HEADS}[{index}].querySelector('button')")
    assert (order(reader, index), column(reader, "VGPRs")[1]) == ("ascending", wanted)
    reader.click(f"{HEADS}[{index}].querySelector('button')")
    assert (order(reader, index), column(reader, "VGPRs")[1]) == ("descending", wanted[::-1])
    # The same without a mouse, on words.
    index, before = column(reader, "kernel")
    reader.evaluate(f"{HEADS}[{index}].querySelector('button').focus()")
    reader.press("Enter", "\r")
    assert (order(reader, index), column(reader, "kernel")[1]) == ("ascending", sorted(before))
    assert reader.evaluate("document.getElementById('status').textContent") == "Sorted by kernel, ascending"

    code = "document.querySelector('details.isa')"
    visible = f"{code}.querySelector('pre').checkVisibility()"
    assert not reader.evaluate(visible)
    reader.click(f"{code}.querySelector('summary')")
    assert reader.evaluate(visible)
    reader.evaluate(f"{code}.querySelector('summary').focus()")
    reader.press(" ", " ")
    assert not reader.evaluate(visible)

    sections = "[...document.querySelectorAll('section.kernel')].filter(s => s.checkVisibility())"
    shown = f"{sections}.map(s => s.querySelector('h3').textContent)"
    assert len(reader.evaluate(shown)) == 2
    reader.click("document.getElementById('filter')")
    reader.call("Input.insertText", text="DECODE split-k")
    assert [title.split()[0] for title in reader.evaluate(shown)] == ["decode"]
    assert reader.evaluate("document.getElementById('status').textContent") == "1 of 2 kernels shown"
    reader.evaluate("{const f = document.getElementById('filter'); f.value = ''; f.dispatchEvent(new Event('input'))}")
    assert len(reader.evaluate(shown)) == 2

    states = "[...document.querySelectorAll('details')].map(d => d.open)"
    for open_ in (True, False):
        reader.click("document.getElementById('open-all')")
        assert set(reader.evaluate(states)) == {open_}


def test_it_fits_a_phone(reader: Browser) -> None:
    reader.evaluate("document.querySelectorAll('details').forEach(d => { d.open = true; })")
    for width in (320, 390, 820):
        reader.view(width, 800, phone=True)
        assert reader.evaluate("innerWidth") == width
        assert reader.evaluate("document.documentElement.scrollWidth") <= width
        outside = "[...document.querySelectorAll('main *')].filter(e => !e.closest('.scroll, svg')"
        outside += f" && e.getBoundingClientRect().right > {width} + 0.5).map(e => e.outerHTML.slice(0, 80))"
        assert reader.evaluate(outside) == []
    # The wide tables scroll in their boxes.
    reader.view(390, 800, phone=True)
    assert reader.evaluate(f"(b => b.scrollWidth > b.clientWidth)({TABLE}.closest('.scroll'))")


def test_it_is_dark_in_the_dark(reader: Browser) -> None:
    seen = []
    for dark in (False, True):
        reader.view(1280, 900, dark=dark)
        colours = "['backgroundColor', 'color'].map(name => getComputedStyle(document.body)[name])"
        seen.append([sum(map(int, rgb[4:-1].split(","))) for rgb in reader.evaluate(colours)])
    (day, day_ink), (night, night_ink) = seen
    assert day > 600 > 150 > night and day_ink < 150 < 600 < night_ink
