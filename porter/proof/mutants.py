# SPDX-License-Identifier: Apache-2.0
"""How strong the proof of a kernel is: its machine-code mutants, by class and by what killed them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args

from oracle.isa_mutants import Judgement, Kind, judge
from porter.errors import ExitCode, InputError
from porter.kernel_spec import KernelSpec
from porter.proof.kernels import resolve, under_test
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

    def to_json(self) -> dict[str, Any]:
        """The object of `porter mutants --format json`; schema in docs/schemas/mutants.json."""
        classes: dict[str, dict[str, Any]] = {}
        for kind in get_args(Kind):
            of_kind = [item for item in self.judgements if item.mutant.kind == kind]
            verdicts = Counter(item.verdict for item in of_kind)
            classes[kind] = {
                "total": len(of_kind),
                "killed": verdicts["killed"],
                "equivalent": verdicts["equivalent"],
                "open": verdicts["open"],
                "by": dict(sorted(Counter(item.by for item in of_kind if item.verdict == "killed").items())),
            }
        return {
            "schema": "porter/mutants/1",
            "kernel": self.name,
            "m": self.m,
            "n": self.n,
            "k": self.k,
            "classes": classes,
            "survivors": [
                {
                    "class": item.mutant.kind,
                    "line": item.mutant.line,
                    "was": item.mutant.was,
                    "now": item.mutant.now,
                    "verdict": item.verdict,
                    "reason": item.by,
                }
                for item in self.judgements
                if item.verdict != "killed"
            ],
        }


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
