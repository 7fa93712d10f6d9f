# SPDX-License-Identifier: Apache-2.0
"""The static check of waits on a kernel or a file of machine code: `porter waits` without its words."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from porter.errors import ExitCode, InputError, ToolchainMissing
from porter.kernel_spec import KernelSpec
from porter.proof.kernels import resolve
from porter.toolchain import CompileRequest, KernelSource, compile_kernel

if TYPE_CHECKING:
    from oracle.machine import Finding, Party, Program
    from oracle.waits import Undecided, WaitReport

#: Files that are machine code themselves.
_CODE = (".s", ".co", ".hsaco", ".o")


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

    def to_json(self) -> dict[str, Any]:
        """The object of `porter waits --format json`; schema in docs/schemas/waits.json."""
        return {
            "schema": "porter/waits/1",
            "name": self.name,
            "n": self.n,
            "k": self.k,
            "clean": self.report.clean,
            "findings": [_finding(found) for found in self.report.findings],
            "undecided": [_undecided(place) for place in self.report.undecided],
        }


def check_waits(kernel: str, manifest: Path, nk: tuple[int, int] | None) -> CheckedCode:
    """Check a kernel, by path or by name in the manifest, or a file of ISA text or a code object.

    A kernel is compiled for B of one tile and six K blocks unless `nk` says otherwise. Raises InputError CKV001,
    CKV002 as `porter verify`, and with the machine's code (CKM010 and on) for code that cannot be read.
    """
    from oracle.machine import load
    from oracle.waits import check

    if Path(kernel).suffix in _CODE:
        return CheckedCode(kernel, None, None, check(_loaded(kernel)))
    path = resolve(kernel, manifest)
    spec = KernelSpec.of_kernel_or_twin(path.stem)
    n, k = nk or (spec.tile_n, 768)
    compiled = compile_kernel(CompileRequest(KernelSource.from_file(path), n, k, spec.arch))
    return CheckedCode(spec.name, n, k, check(load(compiled.isa, spec.arch)))


def _loaded(path: str) -> Program:
    from oracle.machine import DisassemblerMissing, MachineError, load

    try:
        return load(path)
    except DisassemblerMissing as error:
        raise ToolchainMissing(error.code, error.message) from error
    except MachineError as error:
        place = f"{path}:{error.line}" if error.line else path
        raise InputError(error.code, f"{place}: {error.message}") from error


def _party(party: Party | None) -> dict[str, Any] | None:
    return {"line": party.line, "text": party.text, "wave": party.wave} if party else None


def _finding(found: Finding) -> dict[str, Any]:
    return {
        "code": found.code,
        "severity": found.severity.name.lower(),
        "title": found.title,
        "explanation": found.explanation,
        "at": _party(found.party),
        "other": _party(found.other),
        "count": found.count,
    }


def _undecided(place: Undecided) -> dict[str, Any]:
    return {"code": place.code, "reason": place.reason, "at": _party(place.party), "other": _party(place.other)}
