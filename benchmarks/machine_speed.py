# SPDX-License-Identifier: Apache-2.0
"""Seconds of the machine against torch.matmul in fp32 on the same shape and threads, as a ratio in one run.

    python benchmarks/machine_speed.py [MxNxK ...]

Prints {"shapes": [{"shape", "kernel", "seconds", "matmul_seconds", "ratio", "checked_ratio", "extra_mib"}]};
checked_ratio: the machine with checks on over checks off, on a quarter of the workgroups; extra_mib: the most
resident memory that a checked run of the whole grid added to the process, which holds the operands already (the
machine's own copies of them count, Linux only).
"""

from __future__ import annotations

import json
import os
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import torch
from timing import seconds

from oracle import machine
from oracle.compare import compare
from oracle.datasets import dataset
from oracle.verify import execute, expected_bits
from porter.measure.under_test import under_test
from porter.problem import TARGETS, Family, GemmShape
from porter.select import recipes
from porter.toolchain import CompileRequest, KernelSource, compile_kernel
from porter.write import emitter

DEFAULT = ("16384x7168x768", "4096x2048x7168")


def resident_mib() -> float:
    """Resident memory of this process now, in MiB."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 2**20


def added_mib(work: Callable[[], object]) -> float:
    """The most resident memory that `work` added, sampled every 5 ms."""
    before, peak, done = resident_mib(), 0.0, threading.Event()

    def watch() -> None:
        nonlocal peak
        while not done.wait(0.005):
            peak = max(peak, resident_mib())

    watcher = threading.Thread(target=watch)
    watcher.start()
    work()
    done.set()
    watcher.join()
    return max(peak, resident_mib()) - before


def measure(text: str) -> dict[str, object]:
    """One shape with its default recipe, on `exact` data; the result is compared with the contract once."""
    shape = GemmShape(*map(int, text.split("x")))
    spec = recipes.choose(shape, TARGETS["gfx950"], Family.BPRESHUFFLE).spec
    source = KernelSource(spec.name, emitter.render(spec, emitter.Provenance("-", "-", ())), emitter.support_files())
    kernel = under_test(spec, compile_kernel(CompileRequest(source, shape.n, shape.k, spec.arch)))
    program = machine.load(kernel.isa, kernel.arch)
    problem = dataset("exact", shape.m, shape.n, shape.k)
    threads = os.cpu_count() or 1
    torch.set_num_threads(threads)
    a, b = torch.randn(shape.m, shape.k), torch.randn(shape.n, shape.k)
    out = torch.empty(shape.m, shape.n)
    matmul = seconds(lambda: torch.matmul(a, b.t(), out=out))

    def run(checks: bool, workgroups: range | None = None) -> float:
        mode = machine.Mode(checks=checks, threads=threads, workgroups=workgroups)
        return seconds(lambda: execute(kernel, program, problem, mode))

    extra = added_mib(lambda: execute(kernel, program, problem, machine.Mode(threads=threads)))
    took = run(checks=False)
    bits, _ = execute(kernel, program, problem, machine.Mode(threads=threads))
    if not compare(bits, expected_bits(kernel, problem)).equal:
        raise SystemExit(f"{text}: the result is wrong")
    (step,) = kernel.steps(shape.m)
    part = range(step.grid[0] // 4)
    return {
        "shape": text,
        "kernel": spec.name,
        "seconds": took,
        "matmul_seconds": matmul,
        "ratio": took / matmul,
        "checked_ratio": run(checks=True, workgroups=part) / run(checks=False, workgroups=part),
        "extra_mib": extra,
    }


if __name__ == "__main__":
    print(json.dumps({"shapes": [measure(text) for text in sys.argv[1:] or DEFAULT]}, indent=2))
