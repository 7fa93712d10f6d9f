# SPDX-License-Identifier: Apache-2.0
"""Readers: one module for each textual form of CK, found by walking this package.

A reader module has `FORM` (its name in reports), `recognises(path, head)` and `read(source, options)`; no two readers
recognise one file.
"""

from __future__ import annotations

from functools import cache
from typing import Protocol, cast

from porter.ck_parser.readers.contents import FileContents, ReadOptions
from porter.ck_parser.text import Source
from porter.walk import modules


class Reader(Protocol):
    """What a module of this package offers."""

    FORM: str

    def recognises(self, path: str, head: str) -> bool:
        """Whether the name and the first 64 KiB of a file are of this form."""
        ...

    def read(self, source: Source, options: ReadOptions) -> FileContents:
        """Read the file; raises InputError for what makes the whole file unusable."""
        ...


@cache
def readers() -> tuple[Reader, ...]:
    """Every reader of the package, by module name."""
    return tuple(cast(Reader, module) for module in modules(__name__) if hasattr(module, "FORM"))
