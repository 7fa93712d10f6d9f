# SPDX-License-Identifier: Apache-2.0
"""What people see of `porter compile`."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from porter.display import say

if TYPE_CHECKING:
    from porter.aot import Saved


def saved(result: Saved) -> None:
    """A line for each kernel, what was not written and why, and one last sentence."""
    for kernel in result.kernels:
        place = f"{kernel.name} N={kernel.n} K={kernel.k}"
        if kernel.error:
            say(f"FAILED {place}: {kernel.error}")
        else:
            say(f"{place}: {' '.join('.' + name.rpartition('.')[2] for name in kernel.files)}")
    for missing, count in Counter(str(item) for kernel in result.kernels for item in kernel.not_written).items():
        say(f"{missing}; {count} of {len(result.kernels)} kernels")
    good = len(result.kernels) - result.failed
    state = f", {result.failed} FAILED" if result.failed else ""
    say(f"porter compile: {good} compiled kernels in {result.folder}{state}")
