# SPDX-License-Identifier: Apache-2.0
"""What is proved of a kernel in scope: shapes, rows and data."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from porter.errors import ToolchainError
from porter.gate.config import GateConfig
from porter.gate.subject import Subject
from porter.measure.under_test import declared_under_test, under_test
from porter.problem import TARGETS, GemmShape
from porter.proof.recipe import DEFAULT_DATA
from porter.proof.shapes import Depth, Run, Work, boundary_ms, grouped, whole
from porter.select.legality import legality
from porter.toolchain import CompiledKernel

if TYPE_CHECKING:
    from oracle.datasets import DatasetName
    from oracle.verify import KernelUnderTest


def works(subject: Subject, config: GateConfig) -> tuple[tuple[Work, ...], str]:
    """What is proved of a kernel, and why some configured shape is not.

    Configured shapes come on top of those that follow from the kernel and its manifest, never in their place.
    """
    spec = subject.spec
    assert spec is not None, "a kernel that says nothing of itself is not proved"
    refused = {}
    for shape in config.sizes:
        reasons = legality(spec, GemmShape(*shape), TARGETS[spec.arch])
        if reasons:
            refused[shape] = reasons[0].text
    note = "; ".join(f"not on {'x'.join(map(str, shape))}: {why}" for shape, why in refused.items())
    configured = grouped([shape for shape in config.sizes if shape not in refused], Depth.RECIPE)
    return (*whole(spec, subject.listed), *configured), note


def declared_works(subject: Subject, compiled: Sequence[CompiledKernel | ToolchainError]) -> tuple[Work, ...]:
    """What is proved of a hand-written kernel: the M that it declares at each (N, K), and those at which the launches
    change. compiled: for every (N, K); of one that failed only the declared M are known."""
    assert subject.declared is not None, "a kernel that says nothing of itself is not proved"
    works = []
    for (n, k), result in zip(subject.weights, compiled, strict=True):
        runs = [Run(m, Depth.RECIPE) for m in subject.declared["m"]]
        found = () if isinstance(result, ToolchainError) else boundary_ms(kernel_under_test(subject, result).steps)
        runs += [Run(m, Depth.BOUNDARY) for m in found if m not in subject.declared["m"]]
        works.append(Work(n, k, tuple(runs)))
    return tuple(works)


def kernel_under_test(subject: Subject, compiled: CompiledKernel) -> KernelUnderTest:
    return under_test(subject.spec, compiled) if subject.spec else declared_under_test(compiled)


def data_sets(config: GateConfig) -> tuple[DatasetName, ...]:
    return config.data or DEFAULT_DATA


def in_words(work: Sequence[Work]) -> str:
    """The shapes that show all data sets by name, the others by number."""
    named = {
        f"{'/'.join(map(str, ms))}x{item.n}x{item.k}"
        for item in work
        if (ms := [run.m for run in item.runs if run.depth is Depth.RECIPE])
    }
    rest = sum(run.depth is not Depth.RECIPE for item in work for run in item.runs)
    return ", ".join(sorted(named)) + (f" and {rest} boundary and listed shapes" if rest else "")
