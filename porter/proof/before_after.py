# SPDX-License-Identifier: Apache-2.0
"""A kernel with native E8M0 scaling, run as it is and as `porter rewrite` leaves it, both against the contract."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from msgspec import field

from oracle import machine
from oracle.compare import Comparison, compare
from oracle.datasets import DatasetName, dataset
from oracle.verify import KernelUnderTest, execute, expected_bits
from porter.errors import ExitCode, InputError
from porter.measure.under_test import declared_under_test
from porter.proof.recipe import known_sets
from porter.records import Count, Record, made
from porter.rewrite_rules import Failed, Outcome, Refused, Rewritten, Unchanged, rewrite_paths
from porter.toolchain import CompileRequest, KernelSource, compile_kernel

DATA: tuple[DatasetName, ...] = ("exact", "general", "cancel")
#: Shape of B and rows of A unless the user says otherwise: eight K blocks, and a ragged last tile for most tiles.
DEFAULT_NK, DEFAULT_M = (128, 1024), 41


@dataclass(frozen=True, slots=True)
class Row:
    """One data set: what the kernel did before, and after."""

    data: DatasetName
    before: Comparison
    after: Comparison


@dataclass(frozen=True, slots=True)
class BeforeAfter:
    """Both kernels on every data set at one shape."""

    path: str
    m: int
    n: int
    k: int
    rows: tuple[Row, ...]

    @property
    def cured(self) -> bool:
        """The rewritten kernel equals the contract in every bit."""
        return all(row.after.equal for row in self.rows)

    @property
    def exit_code(self) -> ExitCode:
        return ExitCode.GOOD if self.cured else ExitCode.FINDINGS

    @property
    def output(self) -> BeforeAfterOutput:
        return made(BeforeAfterOutput, self)


class Numbers(Record, frozen=True):
    """How a run differs from the contract. mismatches: of the elements; max_ulp: the largest distance of one."""

    elements: Count
    mismatches: Count
    max_ulp: Count


class RowOutput(Record, frozen=True):
    """One data set: what the kernel did before, and after."""

    data: DatasetName = field(name="name")
    before: Numbers
    after: Numbers


class BeforeAfterOutput(Record, frozen=True, tag_field="schema", tag="porter/before-after/1"):
    """porter before-after: a kernel with native scaling and its rewrite, each run against the contract: how many
    results differ, by data set."""

    path: str
    m: Count
    n: Count
    k: Count
    cured: bool
    rows: tuple[RowOutput, ...] = field(name="data")


def before_after(
    path: Path, m: int | None = None, nk: tuple[int, int] | None = None, data: Sequence[str] = ()
) -> BeforeAfter:
    """Compile and run both kernels.

    The module follows the toolchain's convention (`SPEC`, `build(N, K)`); SPEC may name `scale_layout` (rm or km),
    `b_layout` (shuffled_16x16), `scale_block_m` and `mfma`; an argument with "encoding": "e8m0" gets E8M0 codes of the
    nearest powers of two. Raises InputError CKV001 where there is no such file, CKV003 for an unknown data set, CKV006
    where the file is not rewritten, ToolchainError as compiling does.
    """
    if not path.is_file():
        raise InputError("CKV001", f"{path}: no such kernel file")
    sets = known_sets(data) or DATA
    siblings = sorted(path.parent.glob("_*.py"))
    outcomes = rewrite_paths([path, *siblings])
    if not isinstance(outcomes[0], Rewritten):
        raise InputError("CKV006", f"{path}: nothing is rewritten: {_why(outcomes[0])}", hint="porter rewrite says why")
    texts = {Path(outcome.path).name: outcome.text for outcome in outcomes if isinstance(outcome, Rewritten)}
    old = KernelSource.from_file(path)
    new = old.with_texts(texts)
    n, k = nk or DEFAULT_NK
    before, after = (
        declared_under_test(compile_kernel(CompileRequest(source, n, k, "gfx950"))) for source in (old, new)
    )
    rows = m or DEFAULT_M
    return BeforeAfter(str(path), rows, n, k, tuple(Row(name, *_run(before, after, name, rows)) for name in sets))


def _why(outcome: Outcome) -> str:
    if isinstance(outcome, Refused):
        return f"{outcome.location}: {outcome.why} [{outcome.code}]"
    if isinstance(outcome, Failed):
        return outcome.error
    return "; ".join(outcome.why) if isinstance(outcome, Unchanged) else ""


def _run(before: KernelUnderTest, after: KernelUnderTest, data: DatasetName, m: int) -> tuple[Comparison, Comparison]:
    problem = dataset(data, m, after.n, after.k, after.flavour, after.scale_block_m)
    expected = expected_bits(after, problem)
    found = []
    for kernel in (before, after):
        bits, _ = execute(kernel, machine.load(kernel.isa, kernel.arch), problem, machine.Mode())
        found.append(compare(bits, expected, kernel.out))
    return found[0], found[1]
