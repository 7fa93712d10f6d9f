# SPDX-License-Identifier: Apache-2.0
"""Input files as bounded text: no file is held whole, no line is longer than the limit, no byte is guessed at."""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

from porter.errors import InputError, SourceSpan

#: A longer line is refused, not held; the longest real one has about 250 characters.
MAX_LINE_CHARS = 65_536
#: Bytes by which a file is recognised.
HEAD_BYTES = 65_536


@dataclass(frozen=True, slots=True)
class Line:
    """One line without its end; text is None where the line was over the limit, and `number` counts from 1."""

    number: int
    text: str | None


@dataclass(frozen=True, slots=True)
class Source:
    """An opened input file: its name as the user gave it, the whole lines of its first 64 KiB, and its lines."""

    path: str
    head: str
    stream: TextIO

    def lines(self) -> Iterator[Line]:
        """Every line in order, once; ends are LF, CRLF or CR."""
        number = 0
        try:
            while text := self.stream.readline(MAX_LINE_CHARS + 1):
                number += 1
                if len(text) <= MAX_LINE_CHARS or text.endswith("\n"):
                    yield Line(number, text.removesuffix("\n"))
                    continue
                while text and not text.endswith("\n"):
                    text = self.stream.readline(MAX_LINE_CHARS)
                yield Line(number, None)
        except OSError as error:
            raise _unreadable(self.path, error) from error

    def whole(self, limit: int) -> str:
        """The whole text, for forms that cannot be read line by line; InputError CKP019 over `limit` characters."""
        try:
            text = self.stream.read(limit + 1)
        except OSError as error:
            raise _unreadable(self.path, error) from error
        if len(text) > limit:
            message = f"the file is longer than {limit >> 20} MiB"
            raise InputError("CKP019", message, SourceSpan(self.path, 1), "give a part of it")
        return text


@contextmanager
def open_source(path: str | Path) -> Iterator[Source]:
    """Open a file for reading as text.

    Bytes that are not UTF-8 become lone surrogates, so that the reader can say where they stand.
    Raises InputError: CKP001 when the file cannot be read, CKP002 when its first line is not text, CKP003 when it has
    no first line, CKP007 when that line does not end within 64 KiB and does not begin a JSON value.
    """
    name = str(path)
    try:
        binary = io.BufferedReader(io.FileIO(name), HEAD_BYTES)
    except (OSError, ValueError) as error:
        raise _unreadable(name, error) from error
    with binary:
        try:
            head = binary.peek(HEAD_BYTES)[:HEAD_BYTES]
        except OSError as error:
            raise _unreadable(name, error) from error
        stream = io.TextIOWrapper(binary, encoding="utf-8-sig", errors="surrogateescape", newline=None)
        yield Source(name, _whole_lines(name, head), stream)


def _whole_lines(path: str, head: bytes) -> str:
    """The head as text, without a line that goes beyond it; InputError where not even one line is whole."""
    end = max(head.rfind(b"\n"), head.rfind(b"\r"))
    cut = len(head) == HEAD_BYTES
    text = (head[: end + 1] if cut and end >= 0 else head).decode("utf-8-sig", errors="surrogateescape")
    line = first_line(text)
    if not line:
        raise InputError("CKP003", "the file is empty: no header", SourceSpan(path, 1))
    if trouble := not_text(line):
        message = f"not UTF-8 text: the first line holds {trouble}"
        raise InputError("CKP002", message, SourceSpan(path, 1), "save it as UTF-8 text")
    # Profilers write a whole JSON trace on one line.
    if cut and end < 0 and not text.startswith(("{", "[")):
        raise InputError("CKP007", f"the first line is longer than {HEAD_BYTES} bytes", SourceSpan(path, 1))
    return text


def first_line(head: str) -> str:
    """The first line of a file's head that is not blank, without its end; empty when there is none."""
    lines = (line for line in io.StringIO(head, newline=None) if not line.isspace())
    return next(lines, "").removesuffix("\n")


def not_text(text: str) -> str:
    """Why `text` is not text, or nothing: a NUL byte, or a byte that is not UTF-8."""
    if "\0" in text:
        return "a NUL byte"
    if not text.isascii() and any("\ud800" <= character <= "\udfff" for character in text):
        return "bytes that are not UTF-8"
    return ""


def _unreadable(path: str, error: OSError | ValueError) -> InputError:
    reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return InputError("CKP001", f"cannot read the file: {reason}", SourceSpan(path, 1))
