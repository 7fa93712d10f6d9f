# SPDX-License-Identifier: Apache-2.0
"""Kernels compiled to be judged: the census of each, and what the measured guard says of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from porter.census import Census
from porter.errors import ToolchainError
from porter.kernel_spec import KernelSpec
from porter.measure.census import take
from porter.measure.guard import guard
from porter.problem import TARGETS
from porter.select.legality import Reason
from porter.toolchain import CompileRequest, KernelSource, compile_many, flydsl_version
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
    value in the list.

    Raises ToolchainMissing (CKT001) without flydsl.
    """
    asked = list(wanted)
    requests = [CompileRequest(_source(spec, departure), n, k, spec.arch) for spec, n, k in asked]
    results: list[Measured | ToolchainError] = []
    everything = compile_many(requests, jobs=jobs, held=False, progress=progress)
    for (spec, n, k), compiled in zip(asked, everything, strict=True):
        if isinstance(compiled, ToolchainError):
            results.append(compiled)
            continue
        kernels = take(compiled.isa, spec.name, spec)
        reasons = tuple(reason for kernel in kernels for reason in guard(kernel, TARGETS[spec.arch]))
        results.append(Measured(Census(n, k, kernels), reasons))
    return results


def _source(spec: KernelSpec, departure: emitter.Departure | None) -> KernelSource:
    # No rows are named, so that every command finds the same text in the cache.
    provenance = emitter.Provenance("candidate", flydsl_version(), ())
    return KernelSource(spec.name, emitter.render(spec, provenance, departure), emitter.support_files())
