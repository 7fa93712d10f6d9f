# SPDX-License-Identifier: Apache-2.0
"""Fixture kernels of this room, and what compiles and runs them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from oracle import machine, verify
from oracle.compare import Comparison, compare
from oracle.datasets import DatasetName, dataset
from oracle.reference import Problem
from porter.measure.under_test import declared_under_test
from porter.rewrite_rules import Outcome, Rewritten, rewrite_paths
from porter.toolchain import CompiledKernel, CompileRequest, KernelSource, compile_kernel

FIXTURES = Path(__file__).parent / "fixtures"
#: The kernels to repair; a name with a leading underscore is a sibling that they import.
REPAIRED = sorted(path for path in (FIXTURES / "repaired").rglob("*.py") if not path.name.startswith("_"))
RIGHT = sorted((FIXTURES / "right").glob("*.py"))

N, K = 128, 1024  # K: two K tiles of the widest kernel, eight scale blocks


@dataclass(frozen=True, slots=True)
class Run:
    """What a kernel wrote (uint16 [M, N]), what the contract says, and the machine's findings."""

    bits: np.ndarray
    comparison: Comparison
    findings: list[machine.Finding]


@cache
def outcomes_of(path: Path) -> list[Outcome]:
    """Outcomes of a fixture and of its siblings, the fixture first. Not for changing."""
    return rewrite_paths([path, *sorted(path.parent.glob("_*.py"))])


def source_of(path: Path, outcomes: list[Outcome] = ()) -> KernelSource:
    """A fixture as it is, or with the given outcomes in place."""
    texts = {Path(outcome.path).name: outcome.text for outcome in outcomes if isinstance(outcome, Rewritten)}
    return KernelSource.from_file(path).with_texts(texts)


def compiled(source: KernelSource, n: int = N, k: int = K) -> CompiledKernel:
    """For gfx950, through the toolchain's cache."""
    return compile_kernel(CompileRequest(source, n, k, "gfx950"))


def problem_for(spec: dict[str, Any], data: DatasetName) -> Problem:
    """A problem with a ragged last tile, of a size that covers three or more tiles along M."""
    rows = spec["tile"][0]
    return dataset(data, 2 * rows + rows // 2 + 1, N, K, "e4m3fn", spec.get("scale_block_m", 1))


def execute(compiled: CompiledKernel, problem: Problem) -> Run:
    """Launch a kernel as its launcher would, with every check of the machine on."""
    kernel = declared_under_test(compiled)
    program = machine.load(kernel.isa, kernel.arch)
    bits, reports = verify.execute(kernel, program, problem, machine.Mode(checks=True))
    findings = [finding for report in reports for finding in report.findings]
    return Run(bits, compare(bits, verify.expected_bits(kernel, problem), kernel.out), findings)


def case_id(value: object) -> str | None:
    """Test ids of fixtures: their names."""
    return value.stem if isinstance(value, Path) else None
