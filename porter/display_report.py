# SPDX-License-Identifier: Apache-2.0
"""What people see of `porter report` beside the page: sentences, no decisions."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from porter.display import say

if TYPE_CHECKING:
    from porter.report.model import Report


def report(result: Report, out: Path, size: int) -> None:
    """`porter report` as text: what is missing from the page, then where it is."""
    for kernel in result.kernels:
        if kernel.code.failed:
            say(f"failed: {kernel.spec.name}: {kernel.code.absent}")
    for name in result.unlisted:
        say(f"note: the results prove {name}, which the manifest does not list")
    say(f"porter report: {result.sentence} Written to {out}, {size / 1e6:.2f} MB")
