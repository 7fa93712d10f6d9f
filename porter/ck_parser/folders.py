# SPDX-License-Identifier: Apache-2.0
"""Folders: which of their files may hold block-scale instances, found without reading more than needed."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path

from porter.ck_parser.operations import SHAPE_COLUMNS, TUNED_COLUMNS, file_name_family, of_table
from porter.ck_parser.readers.cpp_instances import SUFFIXES as CPP_SUFFIXES
from porter.ck_parser.readers.cpp_instances import TEMPLATE_NAMES
from porter.ck_parser.readers.python_instances import SUFFIXES as PYTHON_SUFFIXES
from porter.ck_parser.table import read_header
from porter.ck_parser.text import HEAD_BYTES
from porter.ck_parser.traces import is_trace_table

#: Names of this operator in any library; a table without one in its head belongs to another operator.
_OPERATOR = re.compile(rb"a8w8_blockscale|blockscale_BpreShuffle|a8w8_bs_bpreshuf|blockscale_bpreshuffle|mxfp8_128_")
_CPP = re.compile("|".join(TEMPLATE_NAMES).encode())
_PYTHON = re.compile(rb"[kK]ernelInstance\w*\s*\(")


def files_within(folder: str | Path) -> Iterator[str]:
    """Files of a folder and its subfolders whose contents look like a known form, in sorted order.

    Hidden folders are left out; a file or folder that symbolic links reach twice is visited once.
    """
    seen: set[tuple[int, int]] = set()
    for base, folders, names in os.walk(folder, followlinks=True):
        folders[:] = sorted(name for name in folders if not name.startswith(".") and _new(f"{base}/{name}", seen))
        for name in sorted(names):
            path = os.path.join(base, name)
            test = _TESTS.get(os.path.splitext(name)[1].lower())
            if test and os.path.isfile(path) and _new(path, seen) and test(path):
                yield path


def _new(path: str, seen: set[tuple[int, int]]) -> bool:
    try:
        status = os.stat(path)
    except OSError:
        return False
    key = (status.st_dev, status.st_ino)
    if key in seen:
        return False
    seen.add(key)
    return True


def _read(path: str, limit: int = -1) -> bytes | None:
    try:
        with open(path, "rb", buffering=0) as stream:
            return stream.read(limit)
    except OSError:
        return None


def _contains(pattern: re.Pattern[bytes]) -> Callable[[str], bool]:
    def test(path: str) -> bool:
        content = _read(path)
        # Reading it properly says why it cannot be read.
        return content is None or pattern.search(content) is not None

    return test


def _is_table(path: str) -> bool:
    head = _read(path, HEAD_BYTES)
    if head is None or file_name_family(path) or _OPERATOR.search(head):
        return True
    text = head.decode("utf-8-sig", errors="replace")
    columns = set(read_header(text))
    whole = columns >= SHAPE_COLUMNS and ("kernelName" in columns or not columns & TUNED_COLUMNS)
    return whole or bool(of_table(path, columns)) or is_trace_table(text)


_TESTS = {
    ".csv": _is_table,
    ".json": _contains(re.compile(rb'"traceEvents"')),
    **dict.fromkeys(PYTHON_SUFFIXES, _contains(_PYTHON)),
    **dict.fromkeys(CPP_SUFFIXES, _contains(_CPP)),
}
