# SPDX-License-Identifier: Apache-2.0
"""What the compiler makes of each kernel: its census, and the text of its hot loop by what each line occupies."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from msgspec import UNSET

from porter.census import Census, KernelCensus
from porter.errors import InputError, ToolchainError, ToolchainMissing
from porter.kernel_spec import KernelSpec
from porter.measure.census import kind_of, reference_nk, take
from porter.report.model import Code, DeviceKernel, Instruction
from porter.toolchain import CompiledKernel, CompileRequest, KernelSource, compile_many, flydsl_version

#: What the page tells apart: the kinds of `porter.measure.census` that belong together, and how they are called.
KINDS: dict[str, tuple[tuple[str, ...], str]] = {
    "mfma": (("mfma",), "MFMA"),
    "valu": (("valu",), "VALU"),
    "lds": (("lds_read", "lds_write"), "LDS"),
    "memory": (("lds_dma", "global_load", "global_store", "scratch"), "memory"),
    "wait": (("wait", "barrier", "nop"), "waits, barriers, nops"),
    "scalar": (("scalar_load", "other"), "scalar and other"),
}
_KIND_OF = {name: kind for kind, (names, _) in KINDS.items() for name in names}


def compiled(
    modules: Sequence[tuple[Path, KernelSpec]], recorded: Sequence[Census | None], timeout: float
) -> list[Code]:
    """Compile every module at its reference shape, through the cache; one that does not compile says so.

    recorded: the manifest's census of each. Raises ToolchainMissing (CKT001) without flydsl, InputError (CKH004) for a
    module that cannot be read.
    """
    if not flydsl_version():
        raise ToolchainMissing(
            "CKT001",
            "flydsl is not installed, so the hot loops cannot be shown",
            hint="porter doctor says how to get it; --no-compile writes the report without the code of the loops",
        )
    requests = []
    for path, spec in modules:
        try:
            source = KernelSource.from_file(path)
        except (OSError, ValueError) as error:
            raise unreadable(path, error) from error
        requests.append(CompileRequest(source, *reference_nk(spec), spec.arch))
    results = compile_many(requests, timeout=timeout)
    return [_code(spec, result, census) for (_, spec), result, census in zip(modules, results, recorded, strict=True)]


def from_manifest(recorded: Census | None) -> Code:
    """The census that the manifest records, without code."""
    if recorded is None:
        return Code(0, 0, (), "The manifest records no census (porter convert --census), and nothing was compiled.")
    kernels = tuple(DeviceKernel(census, ()) for census in recorded.kernels)
    return Code(recorded.n, recorded.k, kernels, "Not compiled for this report; the census is the manifest's.")


def unreadable(path: Path, error: Exception) -> InputError:
    """CKH004: a module that the manifest lists and nobody can read."""
    why = error.strerror if isinstance(error, OSError) else error
    return InputError(
        "CKH004", f"{path}: cannot read the module: {why}", hint="porter convert writes it beside its manifest"
    )


def _code(spec: KernelSpec, result: CompiledKernel | ToolchainError, recorded: Census | None) -> Code:
    n, k = reference_nk(spec)
    if isinstance(result, ToolchainError):
        return Code(n, k, (), str(result), failed=True)
    kernels = tuple(
        DeviceKernel(census, _instructions(result.isa, census)) for census in take(result.isa, spec.name, spec)
    )
    note = ""
    if recorded is not None and recorded.kernels:
        kernels = tuple(replace(kernel, census=_with_requests(kernel.census, recorded)) for kernel in kernels)
    if recorded is not None and recorded.kernels != tuple(kernel.census for kernel in kernels):
        note = "The manifest records another census: it was made with another FlyDSL, or of another text."
    return Code(n, k, kernels, note=note)


def _with_requests(census: KernelCensus, recorded: Census) -> KernelCensus:
    """With the manifest's requests: the page compiles, and runs nothing."""
    known = {kernel.name: kernel.requests for kernel in recorded.kernels}
    return replace(census, requests=known.get(census.name, UNSET))


def _instructions(isa: str, census: KernelCensus) -> tuple[Instruction, ...]:
    from oracle.machine.text import read

    first, last = census.loop.lines
    return tuple(
        Instruction(" ".join(line.text.split()), _KIND_OF[kind_of(line)])
        for line in read(isa).lines
        if first <= line.number <= last
    )
