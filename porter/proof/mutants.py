# SPDX-License-Identifier: Apache-2.0
"""How strong the proof of a kernel is: its machine-code mutants, by class and by what killed them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

from msgspec import field

from oracle.isa_mutants import Judgement, Kind, judge
from porter.errors import ExitCode, InputError
from porter.kernel_spec import KernelSpec
from porter.measure.under_test import under_test
from porter.proof.kernels import resolve
from porter.records import Count, Record, made
from porter.toolchain import CompileRequest, KernelSource, compile_kernel


@dataclass(frozen=True, slots=True)
class Strength:
    """Every judgement of one kernel at one shape."""

    name: str
    m: int
    n: int
    k: int
    judgements: tuple[Judgement, ...]

    @property
    def open(self) -> tuple[Judgement, ...]:
        """Mutants that nothing saw and nothing explains: gaps of the proof."""
        return tuple(item for item in self.judgements if item.verdict == "open")

    @property
    def exit_code(self) -> ExitCode:
        return ExitCode.FINDINGS if self.open else ExitCode.GOOD

    @property
    def output(self) -> MutantsOutput:
        survivors = tuple(
            made(SurvivorOutput, item.mutant, verdict=item.verdict, reason=item.by)
            for item in self.judgements
            if item.verdict != "killed"
        )
        classes = {kind: self._class(kind) for kind in get_args(Kind)}
        return made(MutantsOutput, self, classes=classes, survivors=survivors)

    def _class(self, kind: Kind) -> ClassOutput:
        of_kind = [item for item in self.judgements if item.mutant.kind == kind]
        verdicts = Counter(item.verdict for item in of_kind)
        by = Counter(item.by for item in of_kind if item.verdict == "killed")
        return ClassOutput(
            total=len(of_kind),
            killed=verdicts["killed"],
            equivalent=verdicts["equivalent"],
            open=verdicts["open"],
            by=dict(sorted(by.items())),
        )


class ClassOutput(Record, frozen=True):
    """Mutants of one class. by: what killed them, and how many."""

    total: Count
    killed: Count
    equivalent: Count
    open: Count
    by: dict[str, Count]


class SurvivorOutput(Record, frozen=True):
    """A mutant that was not killed."""

    kind: Kind = field(name="class")
    line: Count
    was: str
    now: str
    verdict: Literal["equivalent", "open"]
    reason: str


class MutantsOutput(Record, frozen=True, tag_field="schema", tag="porter/mutants/1"):
    """porter mutants: small faults in a kernel's machine code, by class, and what saw each of them."""

    name: str = field(name="kernel")
    m: Count
    n: Count
    k: Count
    classes: dict[Kind, ClassOutput]
    survivors: tuple[SurvivorOutput, ...]


def strength(
    kernel: str,
    manifest: Path,
    m: int | None,
    nk: tuple[int, int] | None,
    threads: int,
    progress: Callable[[Judgement], None] | None = None,
) -> Strength:
    """Judge every mutant of a kernel, a path or a name in the manifest.

    Defaults: M is one tile and three rows more; B is one tile wide and six K blocks deep. Raises InputError CKV001,
    CKV002 as `porter verify`, and CKV005 when the kernel itself is not proved at that shape.
    """
    path = resolve(kernel, manifest)
    spec = KernelSpec.parse(path.stem)
    n, k = nk or (spec.tile_n, 768)
    rows = m or spec.tile_m + 3
    compiled = compile_kernel(CompileRequest(KernelSource.from_file(path), n, k, spec.arch))
    try:
        judgements = tuple(judge(under_test(spec, compiled), rows, threads=threads, progress=progress))
    except ValueError as error:
        raise InputError("CKV005", str(error), hint="porter verify shows what is wrong with it") from error
    return Strength(spec.name, rows, n, k, judgements)
