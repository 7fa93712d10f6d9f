# SPDX-License-Identifier: Apache-2.0
"""How every benchmark of this folder takes its time."""

from __future__ import annotations

import time
from collections.abc import Callable


def seconds(work: Callable[[], object], runs: int = 2) -> float:
    """Fastest of two runs: other programs only ever add time. Work that can be done only once takes runs=1."""
    times = []
    for _ in range(runs):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return min(times)
