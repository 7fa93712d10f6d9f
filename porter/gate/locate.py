# SPDX-License-Identifier: Apache-2.0
"""The line of a kernel that a finding of its behaviour belongs to.

Machine code carries no source lines, but a generated module can be written again: where it differs from that, the
difference is the cause. Otherwise the finding goes to the first line of the kind that makes such faults.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from porter.errors import SourceSpan
from porter.gate.subject import Subject

#: Lines that a finding of each kind is shown on where no difference is known; the first pattern that matches.
PROMOTE = (r"\bfma\w*\(", r"\.gemm\(")
WAIT = (r"inline_asm", r"s_waitcnt", r"\bbarrier\(")
RESOURCES = (r"\bwaves_per_eu\b",)
_KERNEL = (r"^\s*@\w+\.kernel", r"\bdef build\b")


@dataclass(frozen=True)
class Locator:
    """expected: path relative to the root -> text of every file that porter would write; called when first needed."""

    expected: Callable[[], Mapping[str, str]]

    def find(self, subject: Subject, patterns: tuple[str, ...]) -> SourceSpan:
        """Where to show a finding of this subject."""
        expected = self.expected()
        folder = subject.shown.rpartition("/")[0]
        texts = {subject.shown: subject.text, **{f"{folder}/{name}": text for name, text in subject.siblings.items()}}
        for shown, text in texts.items():
            # A header may differ in versions and rows; it is code that makes a kernel behave differently.
            if shown in expected and _code(text) != _code(expected[shown]):
                return SourceSpan(shown, first_difference(expected[shown], text, code=True))
        for pattern in (*patterns, *_KERNEL):
            for shown, text in texts.items():
                lines = enumerate(text.splitlines(), start=1)
                line = next((n for n, line in lines if re.search(pattern, line)), 0)
                if line:
                    return SourceSpan(shown, line)
        return SourceSpan(subject.shown, 1)


def first_difference(expected: str, actual: str, code: bool = False) -> int:
    """The first line of `actual`, 1-based, that differs, its last one where it only ends earlier; code: but for the
    comments at the top. Texts that differ in line ends alone differ on line 1."""
    wanted, found = _lines(expected, code), _lines(actual, code)
    skipped = len(actual.splitlines()) - len(found)
    for number, line in enumerate(found, start=1):
        if number > len(wanted) or wanted[number - 1] != line:
            return skipped + number
    return skipped + max(1, len(found)) if wanted != found else 1


def _lines(text: str, code: bool) -> list[str]:
    lines = text.splitlines()
    if code:
        while lines and lines[0].startswith("#"):
            lines.pop(0)
    return lines


def _code(text: str) -> list[str]:
    return _lines(text, True)
