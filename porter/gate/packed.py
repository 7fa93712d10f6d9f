# SPDX-License-Identifier: Apache-2.0
"""Packed fp32 arithmetic of a compiled kernel that is reported to fail on its chip."""

from __future__ import annotations

from collections.abc import Iterator

from porter.gate.locate import PROMOTE, Locator
from porter.gate.result import GateFinding
from porter.gate.subject import Subject


def packed_fp32(subject: Subject, isa: str, level: str, locator: Locator) -> Iterator[GateFinding]:
    """A finding of the configured level for each such form that stands in the ISA text, with how often."""
    from oracle.packed_fp32 import reported

    for finding in reported(isa, subject.arch):
        message = f"{finding.explanation}; it stands here {finding.count} times [{finding.code}]"
        where = locator.find(subject, PROMOTE)
        yield GateFinding("CKG043", message, where, subject.name, finding.code, str(finding.party), level)
