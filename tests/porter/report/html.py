# SPDX-License-Identifier: Apache-2.0
"""An HTML page as tests look at it, stricter than a browser: every element is closed, in order."""

from __future__ import annotations

from html.parser import HTMLParser

_VOID = frozenset(["meta", "link", "input", "br", "img", "hr", "wbr"])
_BLOCKS = frozenset(
    [
        "div",
        "p",
        "ul",
        "ol",
        "dl",
        "table",
        "section",
        "details",
        "figure",
        "pre",
        "header",
        "h1",
        "h2",
        "h3",
        "h4",
        "h5",
    ]
)


class Page(HTMLParser):
    """elements: (tag, attributes) in order; texts: by the tag that directly holds them; faults: of nesting."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str]]] = []
        self.texts: list[tuple[str, str]] = []
        self.faults: list[str] = []
        self._open: list[str] = []
        self.feed(text)
        self.close()
        self.faults += [f"<{tag}> is never closed" for tag in self._open]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in _BLOCKS and "p" in self._open:
            self.faults.append(f"line {self.getpos()[0]}: <{tag}> inside <p>")
        if len(dict(attrs)) != len(attrs):
            self.faults.append(f"line {self.getpos()[0]}: an attribute twice in <{tag}>")
        self.elements.append((tag, {name: value or "" for name, value in attrs}))
        if tag not in _VOID:
            self._open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in ("path", "use"):
            self.faults.append(f"line {self.getpos()[0]}: <{tag}/> closes nothing in HTML")
        self.elements.append((tag, {name: value or "" for name, value in attrs}))

    def handle_endtag(self, tag: str) -> None:
        if not self._open or self._open.pop() != tag:
            self.faults.append(f"line {self.getpos()[0]}: </{tag}> out of order")

    def handle_data(self, data: str) -> None:
        self.texts.append((self._open[-1] if self._open else "", data))

    def values(self, attribute: str, tag: str = "") -> list[str]:
        """Every value of an attribute, of all elements or of one kind."""
        return [of[attribute] for name, of in self.elements if attribute in of and tag in ("", name)]

    def count(self, tag: str) -> int:
        return sum(name == tag for name, _ in self.elements)

    def text(self, *tags: str) -> str:
        """All text, or that directly inside of some elements."""
        return "".join(text for tag, text in self.texts if not tags or tag in tags)
