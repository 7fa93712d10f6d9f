# SPDX-License-Identifier: Apache-2.0
"""Kernels compiled to be judged: the census of each, and what the measured guard says of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from porter.census import Census
from porter.errors import ToolchainError
from porter.kernel_spec import KernelSpec
from porter.measure import requests
from porter.measure.census import reference_nk, take
from porter.measure.guard import guard
from porter.problem import TARGETS
from porter.select.legality import Reason
from porter.toolchain import CompiledKernel, CompileRequest, KernelSource, compile_many, flydsl_version
from porter.write import emitter


@dataclass(frozen=True, slots=True)
class Measured:
    """A kernel compiled for one shape of B. reasons: why the guard refuses it, empty when it may be used."""

    census: Census
    reasons: tuple[Reason, ...]


def measure(
    wanted: Iterable[tuple[KernelSpec, int, int]],
    *,
    departure: emitter.Departure | None = None,
    jobs: int | None = None,
    progress: Callable[[CompileRequest], None] | None = None,
) -> list[Measured | ToolchainError]:
    """Compile every (spec, N, K), as `departure` has it, through the cache and judge it; what does not compile is a
    value in the list. Requests are counted of what is compiled for its reference shape, and passes.

    Raises ToolchainMissing (CKT001) without flydsl.
    """
    asked = list(wanted)
    asks = [CompileRequest(_source(spec, departure), n, k, spec.arch) for spec, n, k in asked]
    results: list[Measured | ToolchainError] = []
    everything = compile_many(asks, jobs=jobs, held=False, progress=progress)
    for (spec, n, k), compiled in zip(asked, everything, strict=True):
        if isinstance(compiled, ToolchainError):
            results.append(compiled)
            continue
        kernels = take(compiled.isa, spec.name, spec)
        reasons = tuple(reason for kernel in kernels for reason in guard(kernel, TARGETS[spec.arch]))
        results.append(Measured(Census(n, k, kernels), reasons))
    return _with_requests(asked, everything, results, jobs)


def _with_requests(
    asked: list[tuple[KernelSpec, int, int]],
    compiled: list[CompiledKernel | ToolchainError],
    results: list[Measured | ToolchainError],
    jobs: int | None,
) -> list[Measured | ToolchainError]:
    """The results, with requests where they can be counted."""
    whole = [
        (index, spec, code)
        for index, ((spec, *nk), code) in enumerate(zip(asked, compiled, strict=True))
        if isinstance(code, CompiledKernel) and tuple(nk) == reference_nk(spec) and not _refused(results[index])
    ]
    shorter = compile_many([requests.shorter(code.request) for _, _, code in whole], jobs=jobs, held=False)
    for (index, spec, code), short in zip(whole, shorter, strict=True):
        result = results[index]
        if isinstance(short, CompiledKernel) and isinstance(result, Measured):
            kernels = requests.counted(result.census.kernels, spec, short, code)
            results[index] = replace(result, census=replace(result.census, kernels=kernels))
    return results


def _refused(result: Measured | ToolchainError) -> bool:
    return isinstance(result, ToolchainError) or bool(result.reasons)


def _source(spec: KernelSpec, departure: emitter.Departure | None) -> KernelSource:
    # No rows are named, so that every command finds the same text in the cache.
    provenance = emitter.Provenance("candidate", flydsl_version(), ())
    return KernelSource(spec.name, emitter.render(spec, provenance, departure), emitter.support_files())
