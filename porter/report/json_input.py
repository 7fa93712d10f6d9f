# SPDX-License-Identifier: Apache-2.0
"""JSON files that the report reads, value by value, so that a damaged one is named by file and field."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from porter.errors import InputError, SourceSpan
from porter.write.output import sha256


@dataclass(frozen=True, slots=True)
class Document:
    """A JSON file and what it should be. form: its `schema` value; code, hint: of the error when it is not."""

    path: Path
    form: str
    code: str
    hint: str


@dataclass(frozen=True, slots=True)
class Node:
    """A value of a JSON file. place: how to get there from the top, such as `kernels[3].name`."""

    value: Any
    place: str
    document: Document

    def __getitem__(self, name: str) -> Node:
        node = self.get(name)
        if node is None:
            raise self._error(f"{name!r} is missing")
        return node

    def get(self, name: str) -> Node | None:
        """The value of a field, or None where it is absent."""
        if not isinstance(self.value, dict):
            raise self._error("an object was expected")
        if name not in self.value:
            return None
        return Node(self.value[name], f"{self.place}.{name}" if self.place else name, self.document)

    def fields(self) -> Iterator[tuple[str, Node]]:
        """Name and value of every field of an object, in the order of the file."""
        if not isinstance(self.value, dict):
            raise self._error("an object was expected")
        for name in self.value:
            yield _printable(name), self[name]

    def items(self) -> Iterator[Node]:
        """The elements of a list."""
        if not isinstance(self.value, list):
            raise self._error("a list was expected")
        for index, value in enumerate(self.value):
            yield Node(value, f"{self.place}[{index}]", self.document)

    def text(self) -> str:
        if not isinstance(self.value, str):
            raise self._error("a text was expected")
        return _printable(self.value)

    def number(self, least: int = 0) -> int:
        if not isinstance(self.value, int) or isinstance(self.value, bool) or self.value < least:
            raise self._error(f"an integer of at least {least} was expected")
        return self.value

    def one_of(self, values: Collection[str]) -> str:
        if self.value not in values:
            raise self._error(f"one of {', '.join(values)} was expected")
        return self.text()

    def flag(self) -> bool:
        if not isinstance(self.value, bool):
            raise self._error("true or false was expected")
        return self.value

    def _error(self, expected: str) -> InputError:
        document = self.document
        place = f"{self.place}: " if self.place else ""
        message = f"{document.path}: not of the form {document.form}: {place}{expected}"
        return InputError(document.code, message, hint=document.hint)


def load(document: Document) -> tuple[Node, str]:
    """The top of a file, and the sha256 of its text.

    Raises InputError: CKH001 unreadable or not JSON; the document's own code where its `schema` is another.
    """
    try:
        text = document.path.read_text(encoding="utf-8")
        node = Node(json.loads(text), "", document)
    except OSError as error:
        raise InputError("CKH001", f"{document.path}: cannot read: {error.strerror}", hint=document.hint) from error
    except json.JSONDecodeError as error:
        where = SourceSpan(str(document.path), error.lineno, error.colno)
        raise InputError("CKH001", f"not JSON: {error.msg}", where, document.hint) from error
    except (ValueError, RecursionError) as error:
        # Not UTF-8, a number of thousands of digits, or brackets without end.
        raise InputError("CKH001", f"{document.path}: not JSON: {error}", hint=document.hint) from error
    node["schema"].one_of((document.form,))
    return node, sha256(text)


def _printable(text: str) -> str:
    # JSON may hold half of a surrogate pair, which no UTF-8 file can.
    return text.encode("utf-8", "replace").decode("utf-8")
