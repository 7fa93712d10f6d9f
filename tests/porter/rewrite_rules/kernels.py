# SPDX-License-Identifier: Apache-2.0
"""Fixture kernels of this room, and what compiles and runs them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from oracle import machine
from oracle.compare import Comparison, canaries, compare
from oracle.datasets import DatasetName, dataset
from oracle.reference import Problem, reference, x_scale_to_k_major
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


def outcomes_of(path: Path) -> list[Outcome]:
    """Outcomes of a fixture and of its siblings, the fixture first."""
    return rewrite_paths([path, *sorted(path.parent.glob("_*.py"))])


def source_of(path: Path, outcomes: list[Outcome] = ()) -> KernelSource:
    """A fixture as it is, or with the given outcomes in place."""
    source = KernelSource.from_file(path)
    texts = {Path(outcome.path).name: outcome.text for outcome in outcomes if isinstance(outcome, Rewritten)}
    support = {name: texts.get(name, text) for name, text in source.support.items()}
    return KernelSource(source.name, texts.get(path.name, source.text), support)


def compiled(source: KernelSource, n: int = N, k: int = K) -> CompiledKernel:
    """For gfx950, through the toolchain's cache."""
    return compile_kernel(CompileRequest(source, n, k, "gfx950"))


def problem_for(spec: dict[str, Any], data: DatasetName) -> Problem:
    """A problem with a ragged last tile, of a size that covers three or more tiles along M."""
    rows = spec["tile"][0]
    return dataset(data, 2 * rows + rows // 2 + 1, N, K, "e4m3fn", spec.get("scale_block_m", 1))


def e8m0(scales: np.ndarray) -> np.ndarray:
    """fp32 -> E8M0 codes of the nearest powers of two, as the fixtures' host functions make them."""
    codes = (np.abs(scales).view(np.uint32) + np.uint32(0x400000)) >> np.uint32(23)
    return codes.astype(np.uint8)


def execute(kernel: CompiledKernel, problem: Problem) -> Run:
    """Run a kernel by its SPEC; skips where the machine does not know an instruction yet."""
    spec = kernel.spec
    xs = x_scale_to_k_major(problem.xs) if spec.get("scale_layout") == "km" else problem.xs
    operands = {"A": problem.x, "B": problem.w, "x_scale": xs, "w_scale": problem.ws}
    memory = machine.Memory()
    values: dict[str, int] = {"M": problem.m, "C": memory.place(canaries(problem.m, problem.n, "bf16"), "C")}
    for arg in spec["args"]:
        if arg["name"] in operands:
            array = operands[arg["name"]].numpy()
            values[arg["name"]] = memory.place(e8m0(array) if arg.get("encoding") == "e8m0" else array, arg["name"])
    tile_m, tile_n, _ = spec["tile"]
    workgroups = -(-problem.m // tile_m) * -(-problem.n // tile_n)
    try:
        program = machine.load(kernel.isa, "gfx950")
    except machine.ProgramError as error:
        if error.code == "CKM020" and "v_mfma_scale_" in str(error):
            pytest.skip("this machine does not execute scaled MFMA")
        raise
    arguments = [values[arg["name"]] for arg in spec["args"]]
    report = program.launch((workgroups, 1, 1), (spec["threads"], 1, 1), arguments, memory, machine.Mode(checks=True))
    bits = memory.read("C")
    expected = reference(problem, spec["mfma"], "ck", 1, "bf16").numpy()
    return Run(bits, compare(bits, expected, "bf16"), list(report.findings))


def case_id(value: object) -> str | None:
    """Test ids of fixtures: their names."""
    return value.stem if isinstance(value, Path) else None


Execute = Callable[[CompiledKernel, Problem], Run]
