# SPDX-License-Identifier: Apache-2.0
"""The static check of waits on a kernel or a file of machine code: `porter waits` without its words."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from msgspec import Meta, field

from porter.errors import ExitCode
from porter.kernel_spec import KernelSpec
from porter.measure.objects import SUFFIXES, machine_errors
from porter.proof.kernels import resolve
from porter.records import Count, Record, Size, made
from porter.toolchain import CompileRequest, KernelSource, compile_kernel

if TYPE_CHECKING:
    from oracle.waits import WaitReport


@dataclass(frozen=True, slots=True)
class CheckedCode:
    """What the check says of one program. n, k: the shape of B that it was compiled for, None for a file of code."""

    name: str
    n: int | None
    k: int | None
    report: WaitReport

    @property
    def exit_code(self) -> ExitCode:
        return ExitCode.FINDINGS if self.report.severe else ExitCode.GOOD

    @property
    def output(self) -> WaitsOutput:
        findings = tuple(
            made(FindingOutput, found, severity=found.severity.name.lower()) for found in self.report.findings
        )
        return made(WaitsOutput, self, self.report, findings=findings)


class PartyOutput(Record, frozen=True):
    """An instruction, its line in the text (1-based), and the wave that executes it."""

    line: Count
    text: str
    wave: Count


class FindingOutput(Record, frozen=True):
    """A wait that is missing between two instructions. count: how often it was seen."""

    code: Annotated[str, Meta(pattern="^CKM26[1-8]$")]
    severity: Literal["low", "high"]
    title: str
    explanation: str
    party: PartyOutput = field(name="at")
    other: PartyOutput | None
    count: Size


class UndecidedOutput(Record, frozen=True):
    """An instruction of which the check cannot say that it is covered."""

    code: Literal["CKM269"]
    reason: str
    party: PartyOutput = field(name="at")
    other: PartyOutput | None


class WaitsOutput(Record, frozen=True, tag_field="schema", tag="porter/waits/1"):
    """porter waits: what the static check of waits says of a program: findings, and places that it cannot decide."""

    name: str
    n: Size | None
    k: Size | None
    clean: bool
    findings: tuple[FindingOutput, ...]
    undecided: tuple[UndecidedOutput, ...]


def check_waits(kernel: str, manifest: Path, nk: tuple[int, int] | None) -> CheckedCode:
    """Check a kernel, by path or by name in the manifest, or a file of ISA text or a code object.

    A kernel is compiled for B of one tile and six K blocks unless `nk` says otherwise. Raises InputError CKV001,
    CKV002 as `porter verify`, and with the machine's code (CKM010 and on) for code that cannot be read.
    """
    from oracle.machine import load
    from oracle.waits import check

    if Path(kernel).suffix in (".s", *SUFFIXES):
        with machine_errors(kernel):
            program = load(kernel)
        return CheckedCode(kernel, None, None, check(program))
    path = resolve(kernel, manifest)
    spec = KernelSpec.of_kernel_or_twin(path.stem)
    n, k = nk or (spec.tile_n, 768)
    compiled = compile_kernel(CompileRequest(KernelSource.from_file(path), n, k, spec.arch))
    return CheckedCode(spec.name, n, k, check(load(compiled.isa, spec.arch)))
