# SPDX-License-Identifier: Apache-2.0
"""What rewriting a file ends in, as values: nothing of this package raises over what a file contains."""

from __future__ import annotations

from dataclasses import dataclass

from porter.errors import SourceSpan


@dataclass(frozen=True, slots=True)
class Rewritten:
    """The file changes.

    text: its new text; rules: ids of the rules that took part, sorted; sites: scaled MFMAs that were replaced, in the
    order of the file (empty for a file that only carries scales to another's); notes: what the reader should know.
    """

    path: str
    text: str
    rules: tuple[str, ...]
    sites: tuple[SourceSpan, ...]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Unchanged:
    """Nothing to repair. why: one reason per scaled MFMA left alone, or why there is none."""

    path: str
    why: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Refused:
    """The file has something to repair that cannot be proved right; it stays as it is, whole.

    code: CKR2xx; location: of the expression that stopped the proof; hint: what would let it through.
    """

    path: str
    code: str
    location: SourceSpan
    why: str
    hint: str


@dataclass(frozen=True, slots=True)
class Failed:
    """The file could not be read or parsed, or the rewrite did not hold its own checks. error: what happened."""

    path: str
    error: str


Outcome = Rewritten | Unchanged | Refused | Failed
