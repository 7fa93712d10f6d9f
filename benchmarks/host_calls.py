# SPDX-License-Identifier: Apache-2.0
"""Microseconds of CPU that a host function's checks cost a call, and their ratio to torch.empty of the output.

python -m benchmarks.host_calls

Operands are CPU tensors and nothing is launched; `tests/generated/cuda_host_check.py` times whole calls on a GPU.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch

from tests.generated.stand_in import PLAIN, SHUFFLED, FlyDsl, operands

M, N, K = 64, 7168, 2304
CALLS, RUNS = 20_000, 7


def main() -> None:
    flydsl = FlyDsl()
    timed: dict[str, Callable[[], Any]] = {"empty": lambda: torch.empty((M, N), dtype=torch.bfloat16)}
    for family, name in (("plain", PLAIN), ("bpreshuffle", SHUFFLED)):
        host = flydsl.kernel("generated", name).HOST
        timed[f"checks {family}"] = checks(host, operands(M, N, K))
        padded = {**operands(M, N, K), "XQ": operands(M, N, 2 * K)["XQ"][:, :K]}
        timed[f"checks {family}, padded rows"] = checks(host, padded)
    from generated import dispatch

    timed["choose, known shape"] = lambda: dispatch.choose("gfx950", 256, "plain", M, N, K)
    microseconds = {name: 1e6 * best(call) for name, call in timed.items()}
    ratios = {name: value / microseconds["empty"] for name, value in microseconds.items()}
    print(json.dumps({"cpu": cpu(), "us": microseconds, "to_empty": ratios}, indent=2))


def checks(host: Any, tensors: dict[str, torch.Tensor]) -> Callable[[], Any]:
    arguments = (*tensors.values(), torch.empty((M, N), dtype=torch.bfloat16))
    return lambda: host._check(*arguments)


def best(call: Callable[[], Any]) -> float:
    """Seconds of CPU a call, in the fastest of some runs."""
    seconds = []
    for _ in range(RUNS):
        start = time.process_time()
        for _ in range(CALLS):
            call()
        seconds.append((time.process_time() - start) / CALLS)
    return min(seconds)


def cpu() -> str:
    lines = Path("/proc/cpuinfo").read_text().splitlines()
    return next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), "unknown")


if __name__ == "__main__":
    main()
