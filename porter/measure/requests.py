# SPDX-License-Identifier: Apache-2.0
"""Vector memory requests of a kernel: one workgroup is run at two K, and what differs is what the K tiles ask for.

Requests are what the steady time of CK's kernels follows (docs/notes/tuning.md#requests).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

from porter.census import KernelCensus, RequestCensus
from porter.kernel_spec import KernelSpec
from porter.measure.under_test import under_test
from porter.toolchain import CompiledKernel, CompileRequest

if TYPE_CHECKING:
    from oracle.machine import Report


def shorter(request: CompileRequest) -> CompileRequest:
    """The same kernel for half of K, where that of `request` is the reference's."""
    return replace(request, k=request.k // 2)


def count(spec: KernelSpec, short: CompiledKernel, long: CompiledKernel) -> dict[str, RequestCensus]:
    """Requests of each launch by the kernel's name; short, long: one kernel compiled for two tiles in N, and two K of
    whole tiles. Raises MachineError where the code cannot be executed."""
    few, many = (compiled.request.k // (spec.tile_k * spec.split_k) for compiled in (short, long))
    at_short, at_long = _run(spec, short), _run(spec, long)
    return {name: _census(spec, at_short[name], at_long[name], few, many) for name in at_long}


def counted(
    censuses: Iterable[KernelCensus], spec: KernelSpec, short: CompiledKernel, long: CompiledKernel
) -> tuple[KernelCensus, ...]:
    """The censuses of a kernel's text with what `count` has of each."""
    requests = count(spec, short, long)
    return tuple(
        replace(census, requests=requests[census.name]) if census.name in requests else census for census in censuses
    )


def _run(spec: KernelSpec, compiled: CompiledKernel) -> dict[str, Counter[str]]:
    """Requests by operand of the first workgroup of each launch, over whole tiles."""
    from oracle import machine
    from oracle.datasets import dataset
    from oracle.verify import execute

    kernel = under_test(spec, compiled)
    problem = dataset("exact", spec.tile_m, kernel.n, kernel.k, kernel.flavour, kernel.scale_block_m, 0)
    mode = machine.Mode(workgroups=(0,), threads=1)
    _, reports = execute(kernel, machine.load(kernel.isa, kernel.arch), problem, mode)
    return {report.kernel: _of_operands(report) for report in reports}


def _of_operands(report: Report) -> Counter[str]:
    found: Counter[str] = Counter()
    for name, requests in report.counters.requests.items():
        for kind in ("loads", "dma", "stores", "atomics"):
            found[f"{name} {kind}"] = getattr(requests, kind)
    return found


def _census(spec: KernelSpec, short: Counter[str], long: Counter[str], few: int, many: int) -> RequestCensus:
    """From the counts over `few` and `many` K tiles."""
    each = {name: (long[name] - short[name]) / (many - few) for name in sorted(long)}
    outside = {name: long[name] - each[name] * many for name in each}
    total = sum(each.values())
    return RequestCensus(
        per_k_tile=round(total, 2),
        per_output=round(total / (spec.tile_m * spec.tile_n), 4),
        operands={name: round(value, 2) for name, value in each.items() if value},
        outside={name: round(value, 2) for name, value in outside.items() if round(value, 2)},
    )
