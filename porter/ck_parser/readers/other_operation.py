# SPDX-License-Identifier: Apache-2.0
"""Tables of aiter's other operations, tuned and untuned alike: counted, and nothing of them is judged."""

from __future__ import annotations

from porter.ck_parser.operations import of_table
from porter.ck_parser.readers.contents import FileContents, ReadOptions, SourcePlace
from porter.ck_parser.table import read_header
from porter.ck_parser.text import Source
from porter.errors import SourceSpan

FORM = "table of another operation"


def recognises(path: str, head: str) -> bool:
    """A header with another operation's columns, or a table without kernelNames in a file named after one."""
    return bool(of_table(path, read_header(head)))


def read(source: Source, options: ReadOptions) -> FileContents:
    """Count every line that is not blank below the header."""
    contents = FileContents(source.path)
    operation = of_table(source.path, read_header(source.head))
    lines = (line for line in source.lines() if line.text is None or line.text.strip())
    next(lines)
    for line in lines:
        contents.count(line.number)
        contents.leave(SourcePlace(SourceSpan(source.path, line.number)), operation)
    return contents
