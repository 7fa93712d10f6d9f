# SPDX-License-Identifier: Apache-2.0
"""Proofs per minute of `porter verify --quick` on one CPU, and where the time goes.

    python benchmarks/verify_speed.py [--manifest FILE] [--full] [KERNEL ...]

Runs every case of the kernels' plan anew (compiling is left out, nothing is remembered) in one thread, and prints
{"kernels", "proofs", "proofs_per_minute", "seconds": {"data", "reference", "machine", "comparison", "other"},
"reference_in_torch", "proofs_per_minute_in_torch"}: CPU seconds of the process; the last two with the reference's
steps in torch, as they were before they were compiled. With --full one run at the shape of each kernel that has the
most rows, of those that `verify --full` adds.
"""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

import click
import torch

import oracle.verify
from oracle.reference import reference
from porter.measure.under_test import under_test
from porter.proof import recipe
from porter.proof.plan import Job, Request, plan
from porter.proof.shapes import Depth
from porter.toolchain import CompileRequest, KernelSource, compile_kernel

P = ParamSpec("P")
R = TypeVar("R")
PARTS = {"dataset": "data", "reference": "reference", "execute": "machine", "compare": "comparison"}


@contextmanager
def timed(seconds: Counter[str]) -> Iterator[None]:
    """CPU seconds of the parts of a proof, by replacing what `oracle.verify` calls; the reference runs in torch too."""

    def watch(name: str, work: Callable[P, R]) -> Callable[P, R]:
        def wrapper(*args: P.args, **kwargs: P.kwargs) -> R:
            start = time.process_time()
            try:
                return work(*args, **kwargs)
            finally:
                seconds[name] += time.process_time() - start

        return wrapper

    def both(*args: Any, **kwargs: Any) -> torch.Tensor:
        watch("reference_in_torch", reference)(*args, **kwargs, steps="torch")
        return watch("reference", reference)(*args, **kwargs)

    kept = {name: getattr(oracle.verify, name) for name in PARTS}
    for name, part in PARTS.items():
        setattr(oracle.verify, name, both if name == "reference" else watch(part, kept[name]))
    try:
        yield
    finally:
        for name, work in kept.items():
            setattr(oracle.verify, name, work)


def prove(job: Job, full: bool, seconds: Counter[str]) -> int:
    """Run the cases of one shape; returns how many."""
    compiled = compile_kernel(CompileRequest(KernelSource.from_file(job.path), job.work.n, job.work.k, job.spec.arch))
    kernel = under_test(job.spec, compiled)
    cases = list(recipe.cases(job.work, recipe.DEFAULT_DATA, 1))
    if full:
        cases = cases[-1:]
    with timed(seconds):
        start = time.process_time()
        results = list(oracle.verify.prove(kernel, cases))
        seconds["all"] += time.process_time() - start
    if not all(result.proved for result in results):
        raise SystemExit(f"{kernel.name}: not proved")
    return len(results)


@click.command()
@click.option("--manifest", type=click.Path(path_type=Path), default="generated/manifest.json")
@click.option("--full", is_flag=True)
@click.argument("kernels", nargs=-1)
def main(manifest: Path, full: bool, kernels: tuple[str, ...]) -> None:
    torch.set_num_threads(1)
    jobs = list(plan(Request(kernels, manifest, quick=True, full=full)).jobs)
    if full:
        large = [job for job in jobs if any(run.depth is Depth.EVERY_MODE for run in job.work.runs)]
        jobs = list({job.spec.name: job for job in sorted(large, key=lambda job: max(job.work.ms))}.values())
    seconds: Counter[str] = Counter()
    proofs = sum(prove(job, full, seconds) for job in jobs)
    in_torch = seconds.pop("reference_in_torch")
    total = seconds.pop("all") - in_torch
    seconds["other"] = total - sum(seconds.values())
    report = {
        "kernels": len({job.spec.name for job in jobs}),
        "proofs": proofs,
        "proofs_per_minute": 60 * proofs / total,
        "seconds": {part: round(spent, 3) for part, spent in seconds.items()},
        "reference_in_torch": in_torch,
        "proofs_per_minute_in_torch": 60 * proofs / (total - seconds["reference"] + in_torch),
    }
    print(json.dumps(report, indent=2))


if __name__ == "__main__":
    main()
