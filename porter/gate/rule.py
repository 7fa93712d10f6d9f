# SPDX-License-Identifier: Apache-2.0
"""What the gate says of one kind of failure."""

from __future__ import annotations

from dataclasses import dataclass

#: The worst first.
LEVELS = ("error", "warning", "note")


@dataclass(frozen=True, slots=True)
class GateRule:
    """One kind of failure.

    id: CKG and three digits; name: the short name of SARIF and of the log; summary: one sentence; help: what to do;
    level: one of LEVELS; `error` fails the gate, `warning` and `note` do not.
    """

    id: str
    name: str
    summary: str
    help: str
    level: str = "error"
