# SPDX-License-Identifier: Apache-2.0
"""C++ as tokens: code apart from comments, template argument lists apart. Linear in the length of the text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

#: An argument list or a declaration is not longer than this; a real instance has about 700 characters.
MAX_LIST_CHARS = 65_536
_MAX_DEPTH = 64

#: Comments, raw strings, strings and characters; each alternative ends with the text at the latest.
_SKIPPED = re.compile(
    r"//[^\n]*"
    r"|/\*.*?(?:\*/|\Z)"
    r'|R"(?P<mark>[^()\\\s"]{0,16})\(.*?(?:\)(?P=mark)"|\Z)'
    r'|"[^"\\\n]*(?:\\.[^"\\\n]*)*(?:"|(?=\n)|\\?\Z)'
    r"|(?<![0-9A-Za-z_])'[^'\\\n]*(?:\\.[^'\\\n]*)*(?:'|(?=\n)|\\?\Z)",
    re.DOTALL,
)
_INK = re.compile(r"[^\s]")
_COMMENT_MARK = re.compile(r"//|/\*|\*/")
_CONDITION = re.compile(r"^[ \t]*#[ \t]*(if|ifdef|ifndef|elif|else|endif)\b([^\n]*)", re.MULTILINE)
_TOKEN = re.compile(
    r"\s*(?:(?P<name>[A-Za-z_]\w*)|(?P<number>0[xX][0-9a-fA-F']+|[0-9][0-9']*)[uUlLzZ]*"
    r"|(?P<symbol>::|\.\.\.|<<|[^\sA-Za-z0-9_]))"
)
_OPENING = {"<": ">", "(": ")", "{": "}", "[": "]"}
_CLOSING = frozenset(_OPENING.values())


class Token(NamedTuple):
    """One token; kind: name, number or symbol; at: its offset in the text."""

    kind: str
    text: str
    at: int


Tokens = tuple[Token, ...]


class DamagedList(Exception):
    """A list that does not end; at: where reading it stopped."""

    def __init__(self, reason: str, at: int) -> None:
        super().__init__(reason)
        self.reason = reason
        self.at = at


def split_code(text: str) -> tuple[str, str]:
    """The code, and what a compiler does not see: comments and what the preprocessor leaves out.

    Both have the text's length, with spaces for the rest, so that offsets stay; strings are in neither.
    """
    code: list[str] = []
    aside: list[str] = []
    done = 0
    for match in _SKIPPED.finditer(text):
        start, end = match.span()
        code += (text[done:start], _INK.sub(" ", text[start:end]))
        comment = text.startswith("/", start)
        aside += (_INK.sub(" ", text[done:start]), _COMMENT_MARK.sub("  ", text[start:end]) if comment else code[-1])
        done = end
    code.append(text[done:])
    aside.append(_INK.sub(" ", text[done:]))
    return _without_left_out("".join(code), "".join(aside))


def _without_left_out(code: str, aside: str) -> tuple[str, str]:
    kept: list[str] = []
    left: list[str] = []
    done = 0
    for start, end in _left_out(code):
        kept += (code[done:start], _INK.sub(" ", code[start:end]))
        left += (aside[done:start], code[start:end])
        done = end
    return "".join((*kept, code[done:])), "".join((*left, aside[done:]))


def _left_out(text: str) -> Iterator[tuple[int, int]]:
    """Regions below `#if 0`, or below the other branch of `#if 1`; every other condition is taken both ways."""
    stack: list[tuple[bool, bool]] = []
    start = -1
    for match in _CONDITION.finditer(text):
        word, condition = match.group(1), match.group(2).strip()
        if word.startswith("if"):
            known = word == "if" and condition in ("0", "1")
            stack.append((known and condition == "0", known and condition == "1"))
        elif not stack:
            continue
        elif word == "endif":
            stack.pop()
        else:
            out, done = stack.pop()
            stack.append((done, done or out) if word == "else" or done else (False, False))
        outside = any(out for out, _ in stack)
        if outside and start < 0:
            start = match.end()
        elif not outside and start >= 0:
            yield start, match.start()
            start = -1
    if start >= 0:
        yield start, len(text)


def tokens(text: str, start: int = 0, end: int | None = None) -> Iterator[Token]:
    """The tokens of blanked text from `start`, up to `end`."""
    end = len(text) if end is None else end
    while match := _TOKEN.match(text, start, end):
        kind = match.lastgroup or ""
        yield Token(kind, match.group(kind), match.start(kind))
        start = match.end()


def arguments(text: str, start: int) -> tuple[list[Tokens], int]:
    """The arguments of the list whose `<` stands at `start`, and the offset behind its `>`; raises DamagedList."""
    found: list[Tokens] = []
    current: list[Token] = []
    closers: list[str] = []
    end = min(len(text), start + MAX_LIST_CHARS)
    at = start
    for token in tokens(text, start, end):
        at = token.at
        symbol = token.text if token.kind == "symbol" else ""
        if symbol in _OPENING:
            closers.append(_OPENING[symbol])
            if len(closers) > _MAX_DEPTH:
                raise DamagedList("the list is nested too deeply", at)
            if len(closers) == 1:
                continue
        elif symbol in _CLOSING:
            if not closers:
                raise DamagedList(f"{symbol} where the list should begin", at)
            if closers[-1] != symbol:
                raise DamagedList(f"{symbol} where {closers[-1]} was expected", at)
            closers.pop()
            if not closers:
                if current or found:
                    found.append(tuple(current))
                return found, at + 1
        elif symbol == ";":
            raise DamagedList("the list does not end before ;", at)
        elif symbol == "," and len(closers) == 1:
            found.append(tuple(current))
            current = []
            continue
        elif not closers:
            raise DamagedList("no list of arguments", at)
        current.append(token)
    raise DamagedList("the list does not end", max(at, end if end < len(text) else len(text)))


def until_semicolon(text: str, start: int) -> Tokens:
    """The tokens of a declaration from `start` to its semicolon."""
    found: list[Token] = []
    for token in tokens(text, start, min(len(text), start + MAX_LIST_CHARS)):
        if token.text == ";" and token.kind == "symbol":
            break
        found.append(token)
    return tuple(found)


def spelled(words: Tokens) -> str:
    """Tokens as text again."""
    return "".join(f" {word.text}" if index and word.text == "..." else word.text for index, word in enumerate(words))
