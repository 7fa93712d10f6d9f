# SPDX-License-Identifier: Apache-2.0
"""The words for what the check finds, in the machine's own form."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from oracle.machine import Finding, Party, Severity
from oracle.machine.encode import Instruction
from oracle.machine.report import party

from .order import Doubt, Hazard
from .registers import SCALARS, name

#: code: (severity, title, explanation with {where} a register or LDS byte and {other} the other instruction's mnemonic)
CODES: dict[int, tuple[Severity, str, str]] = {
    261: (
        Severity.HIGH,
        "vector register not waited for on some path",
        "on some path {where} is read before {other} has been waited for",
    ),
    262: (
        Severity.HIGH,
        "scalar register not waited for on some path",
        "on some path {where} is read before {other} has been waited for",
    ),
    263: (
        Severity.HIGH,
        "load in flight overwritten on some path",
        "on some path {where} is written while {other} may still land in it",
    ),
    264: (
        Severity.HIGH,
        "LDS DMA not waited for on some path",
        "on some path LDS byte {where} is read before the DMA into it has landed",
    ),
    265: (
        Severity.HIGH,
        "LDS read-after-write race on some path",
        "on some path LDS byte {where} is read before another wave's write is waited for and behind a barrier",
    ),
    266: (
        Severity.HIGH,
        "LDS write-after-read race on some path",
        "on some path LDS byte {where} is overwritten while a read of it may still be outstanding",
    ),
    267: (
        Severity.HIGH,
        "LDS writes unordered on some path",
        "on some path LDS byte {where} is written twice and nothing orders the writes",
    ),
    268: (
        Severity.LOW,
        "LDS read waited for after the barrier on some path",
        "on some path LDS byte {where} is overwritten while a read issued before the barrier has not been waited for",
    ),
}
_KINDS = {
    "dma read": 264,
    "lds read": 265,
    "lds overwritten": 266,
    "lds written twice": 267,
    "lds overwritten late": 268,
    "overwritten": 263,
}


@dataclass(frozen=True, slots=True)
class Undecided:
    """An instruction of which the check cannot say that it is covered. other: what it may meet, if one thing."""

    party: Party
    reason: str
    other: Party | None = None

    #: The code under which undecided places are listed; not a finding.
    code = "CKM269"

    def __str__(self) -> str:
        place = f"{self.party}; {self.other}" if self.other else str(self.party)
        return f"{self.code} undecided: {self.reason} [{place}]"


def finding(instructions: Sequence[Instruction], hazard: Hazard) -> Finding:
    """A hazard in words."""
    scalar = hazard.where >= SCALARS
    code = _KINDS.get(hazard.kind) or (262 if scalar else 261)
    severity, title, words = CODES[code]
    other = instructions[hazard.other]
    where = name(hazard.where) if code in (261, 262, 263) else str(hazard.where)
    return Finding(
        f"CKM{code}",
        severity,
        title,
        words.format(where=where, other=other.mnemonic),
        party(instructions[hazard.index], hazard.waves[0], 0),
        party(other, hazard.waves[1], 0),
        0,
        1,
    )


def undecided(instructions: Sequence[Instruction], doubt: Doubt) -> Undecided:
    """A doubt in words."""
    other = None if doubt.other is None else party(instructions[doubt.other], 0, 0)
    return Undecided(party(instructions[doubt.index], 0, 0), doubt.reason, other)
