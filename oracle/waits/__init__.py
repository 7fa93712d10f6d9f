# SPDX-License-Identifier: Apache-2.0
"""Static check of waits: every load, LDS DMA and LDS access of a program is covered before its first use.

    report = check(load("kernel.s"))
    report.findings    # oracle.machine.Finding, codes CKM261 to CKM268
    report.undecided   # places of which the check cannot say that they are covered, each with its reason

Where the machine runs one shape and finds what happens there, this follows every path of the control flow graph and
holds for whatever arguments a launch has. It reads machine code only and knows nothing of what a kernel computes.
"""

from __future__ import annotations

import time
from dataclasses import dataclass

from oracle.machine import Finding, Kernel, Program, Severity

from .flow import graph
from .footprint import Footprints
from .knowledge import Knowledge
from .order import Order
from .report import CODES, Undecided, finding, undecided

__all__ = ["CODES", "Undecided", "WaitReport", "check"]


@dataclass(frozen=True, slots=True)
class WaitReport:
    """What the check says of a program: findings by line, what it could not decide, and its CPU time in seconds."""

    findings: tuple[Finding, ...]
    undecided: tuple[Undecided, ...]
    seconds: float

    @property
    def severe(self) -> tuple[Finding, ...]:
        """Findings that are wrong on hardware."""
        return tuple(f for f in self.findings if f.severity is Severity.HIGH)

    @property
    def clean(self) -> bool:
        """Nothing severe, and nothing left undecided."""
        return not self.severe and not self.undecided


def check(program: Program, kernel: str | None = None, block: tuple[int, int, int] | None = None) -> WaitReport:
    """Check one kernel of a program, or all of them.

    block: work-items of a workgroup in each dimension; by default what the kernel requires, else as many as it allows
    in one row. Raises LaunchError (CKM102) for a kernel that the program does not have.
    """
    start = time.process_time()
    names = [kernel] if kernel is not None else list(program.kernels)
    findings: dict[tuple[str, int, int], Finding] = {}
    doubts: dict[tuple[int, str], Undecided] = {}
    for name in names:
        order = _order(program, program.kernel(name), block)
        for hazard in order.hazards.values():
            found = finding(program.instructions, hazard)
            findings.setdefault((found.code, hazard.index, hazard.other), found)
        for doubt in order.doubts.values():
            doubts.setdefault((doubt.index, doubt.reason), undecided(program.instructions, doubt))
    return WaitReport(
        tuple(sorted(findings.values(), key=lambda f: (f.line, f.code))),
        tuple(sorted(doubts.values(), key=lambda d: d.party.line)),
        time.process_time() - start,
    )


def _order(program: Program, kernel: Kernel, block: tuple[int, int, int] | None) -> Order:
    size = block or kernel.reqd_workgroup_size or (kernel.max_flat_workgroup_size, 1, 1)
    flow = graph(program.instructions, program.labels[kernel.symbol])
    groups = Knowledge(program.instructions, flow, size).groups()
    order = Order(program.instructions, flow, groups, Footprints(program.instructions, groups))
    order.run()
    return order
