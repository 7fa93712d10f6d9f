# SPDX-License-Identifier: Apache-2.0
"""Kernel traces as inputs: each kernel of this operator once, however often it ran."""

from __future__ import annotations

from porter.ck_parser.readers.contents import FileContents, ReadOptions, SourcePlace
from porter.ck_parser.rows import CK_LIBTYPES
from porter.ck_parser.symbols import entry, recognise
from porter.ck_parser.table import CellError, Reason
from porter.ck_parser.text import Source
from porter.ck_parser.traces import is_trace_json, is_trace_table, read_trace_source

FORM = "kernel trace"


def recognises(path: str, head: str) -> bool:
    """A table with kernel names and times, or JSON."""
    return is_trace_json(head) or is_trace_table(head)


def read(source: Source, options: ReadOptions) -> FileContents:
    """Read the kernels of this operator; all others are passed over."""
    trace = read_trace_source(source)
    contents = FileContents(source.path)
    for code, message, where in trace.bad:
        contents.count(where.line)
        contents.refuse(SourcePlace(where), CellError(code, message))
    for kernel in trace.kernels:
        match = recognise(kernel.name)
        if match is None:
            continue
        contents.count(kernel.where.line)
        if match.instance:
            contents.instances.append(entry(match, kernel.where))
            continue
        hint = "its shape decides: give the shapes that ran to porter convert"
        what = f"{match.libtype} kernel: {match.note}"
        contents.set_aside(
            SourcePlace(kernel.where),
            match.refusal or Reason("CKP041" if match.libtype in CK_LIBTYPES else "CKP040", what, hint),
            match.name,
        )
    return contents
