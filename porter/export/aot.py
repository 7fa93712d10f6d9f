# SPDX-License-Identifier: Apache-2.0
"""Kernels ahead of time: machine code, and all that a loader has to know, in files. `porter compile` without words."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import msgspec
from msgspec import UNSET, UnsetType

import porter
from porter import manifest as manifests
from porter import records
from porter.census import Resources
from porter.errors import ExitCode, InputError, ToolchainError
from porter.kernel_spec import KernelSpec
from porter.measure.census import take
from porter.proof import kernels as prove
from porter.records import Arch, Count, Digest, Record, Size, made
from porter.toolchain import (
    CompiledKernel,
    CompileRequest,
    KernelSource,
    Launch,
    compile_many,
    flydsl_version,
)
from porter.toolchain.tools import GET_LINKER, GET_OBJCOPY
from porter.write import atomic_folder

#: A number, an argument's name, or [operation, type, operands].
Expression = int | str | tuple[Any, ...]

#: Ends of a kernel's files: ISA text, metadata, code object, and the C export's host object and header.
FORMS = (".s", ".json", ".co", ".o", ".h")


@dataclass(frozen=True, slots=True)
class Missing:
    """What was not written, why, and how to get what it needs."""

    what: Literal["code object", "C export"]
    why: str
    how: str

    def __str__(self) -> str:
        return f"{self.what} not written: {self.why} ({self.how})"


@dataclass(frozen=True, slots=True)
class SavedKernel:
    """One kernel at one shape of B. files: names in the folder; error: of the compiler, then nothing is written."""

    name: str
    n: Size
    k: Size
    arch: Arch
    files: tuple[str, ...] = ()
    not_written: tuple[Missing, ...] = ()
    error: str = ""


@dataclass(frozen=True, slots=True)
class Saved:
    """Everything that one run wrote to a folder."""

    folder: Path
    kernels: tuple[SavedKernel, ...]

    @property
    def failed(self) -> int:
        return sum(bool(kernel.error) for kernel in self.kernels)

    @property
    def exit_code(self) -> ExitCode:
        return ExitCode.FINDINGS if self.failed else ExitCode.GOOD

    @property
    def output(self) -> CompileOutput:
        return CompileOutput(str(self.folder), flydsl_version(), self.kernels)


class CompileOutput(Record, frozen=True, tag_field="schema", tag="porter/compile/1"):
    """porter compile: what was written for each kernel and each shape of B, and what was not, with how to get what it
    needs."""

    folder: str
    flydsl: str
    kernels: tuple[SavedKernel, ...]


class Argument(Record, frozen=True):
    """Bytes of the kernarg segment. kind: as the code object's metadata has it."""

    name: str
    offset: Count
    size: Size
    kind: str


class Hidden(Record, frozen=True):
    """Bytes that the runtime fills in."""

    offset: Count
    size: Size
    kind: str


class Kernarg(Record, frozen=True):
    """The kernarg segment, and what stands where in it."""

    bytes: Count
    arguments: tuple[Argument, ...]
    hidden: tuple[Hidden, ...]


class DescribedKernel(Record, frozen=True):
    """A kernel of the code object."""

    symbol: str
    resources: Resources
    kernarg: Kernarg


class LaunchOutput(Record, frozen=True, omit_defaults=True):
    """A launch. grid, block, when: numbers, arguments' names, or [operation, type, operands]; when: it takes place at
    all; args: names of what is passed, in order."""

    kernel: str
    grid: tuple[Expression, Expression, Expression]
    block: tuple[Expression, Expression, Expression]
    args: tuple[str, ...]
    when: Expression | UnsetType = UNSET


class CompiledKernelOutput(Record, frozen=True, tag_field="schema", tag="porter/compiled-kernel/1"):
    """NAME_nN_kK.json, written by porter compile: what a loader has to know of one kernel: symbols, resources, kernarg
    layout, launches, and its files' hashes."""

    porter: str
    flydsl: str
    name: str
    n: Size
    k: Size
    arch: Arch
    spec: dict[str, Any]
    kernels: tuple[DescribedKernel, ...]
    launches: tuple[LaunchOutput, ...]
    files: dict[str, Digest]


def requests(kernels: tuple[str, ...], manifest: Path, nks: Sequence[tuple[int, int]]) -> list[CompileRequest]:
    """What to compile: the kernels, or all of the manifest, at the given shapes of B, or at those the manifest lists.

    Raises InputError: CKV001 unknown kernel, CKV002 no kernel, CKP062 bad manifest, CKT030 no shape is known.
    """
    paths = prove.resolve_all(kernels, manifest)
    listed = {} if nks else manifests.read(manifest).by_name
    made = []
    for path in paths:
        spec = KernelSpec.parse(path.stem)
        shapes = nks or (listed[spec.name].nks if spec.name in listed else ())
        if not shapes:
            raise InputError("CKT030", f"{path}: {manifest} lists no shape for it", hint="give --shape -xNxK")
        source = KernelSource.from_file(path)
        made += [CompileRequest(source, n, k, spec.arch, _stem(spec.name, n, k)) for n, k in shapes]
    names = [path.stem for path in paths]
    if twice := next((name for name in names if names.count(name) > 1), ""):
        raise InputError(
            "CKT032", f"{twice} is given twice: its files would have one name", hint="compile one at a time"
        )
    return made


def save(folder: Path, wanted: list[CompileRequest], jobs: int | None, timeout: float) -> Saved:
    """Compile, and put the files of all kernels into the folder at once; what else lies there stays.

    Files of a kernel that an earlier run wrote and this one cannot are removed. Raises InputError CKP060 when the
    folder cannot be written, ToolchainMissing CKT001 without flydsl.
    """
    saved: list[SavedKernel] = []
    files: dict[str, bytes] = {}
    for request, compiled in zip(wanted, compile_many(wanted, jobs=jobs, timeout=timeout), strict=True):
        place = (request.source.name, request.n, request.k, request.arch)
        try:
            if isinstance(compiled, ToolchainError):
                raise compiled
            own = _files(compiled)
        except (ToolchainError, InputError) as error:
            saved.append(SavedKernel(*place, error=str(error)))
            continue
        files |= own
        saved.append(SavedKernel(*place, files=tuple(own), not_written=_missing(compiled)))
    stems = [_stem(request.source.name, request.n, request.k) for request in wanted]
    _write(folder, files, [stem + form for stem in stems for form in FORMS if stem + form not in files])
    return Saved(folder, tuple(saved))


def _write(folder: Path, files: dict[str, bytes], outdated: list[str]) -> None:
    try:
        with atomic_folder.locked(folder) as real:
            changed = {name: content for name, content in files.items() if _content(real / name) != content}
            remove = [name for name in outdated if (real / name).is_file()]
            if changed or remove:
                atomic_folder.change(real, changed, remove)
    except OSError as error:
        raise InputError(
            "CKP060", f"{folder}: cannot write: {error.strerror}", hint="give a folder that you can write with --save"
        ) from error


def _content(path: Path) -> bytes | None:
    return path.read_bytes() if path.is_file() else None


def _files(compiled: CompiledKernel) -> dict[str, bytes]:
    """File name -> content, the ISA text first."""
    request = compiled.request
    stem = _stem(request.source.name, request.n, request.k)
    files = {f"{stem}.s": compiled.isa.encode()}
    if compiled.code_object is not None:
        files[f"{stem}.co"] = compiled.code_object
    if compiled.c_export is not None:
        files |= {f"{stem}.o": compiled.c_export.host_object, f"{stem}.h": compiled.c_export.header}
    digests = {name: hashlib.sha256(content).hexdigest() for name, content in files.items()}
    files[f"{stem}.json"] = (records.text(_metadata(compiled, digests)) + "\n").encode()
    return files


def _metadata(compiled: CompiledKernel, digests: dict[str, str]) -> CompiledKernelOutput:
    from oracle.machine.metadata import kernels as described
    from oracle.machine.text import read

    request = compiled.request
    names = [arg["name"] for arg in compiled.spec["args"]]
    passed = {launch.kernel: [names[index] for index in launch.args] for launch in compiled.launches}
    resources = {census.name: census.resources for census in take(compiled.isa, request.source.name)}
    listing = read(compiled.isa, request.source.name)
    kernels = []
    for symbol, kernel in described(listing.descriptors, listing.metadata).items():
        arguments = [argument for argument in kernel.arguments if not argument.hidden]
        given = passed.get(symbol, [])
        if len(arguments) != len(given):
            message = f"{symbol}: metadata has {len(arguments)} arguments, its launcher passes {len(given)}"
            raise ToolchainError("CKT031", message, hint="report the kernel")
        kernarg = Kernarg(
            kernel.kernarg_bytes,
            tuple(made(Argument, item, name=name) for name, item in zip(given, arguments, strict=True)),
            tuple(made(Hidden, item) for item in kernel.arguments if item.hidden),
        )
        kernels.append(DescribedKernel(symbol, resources[kernel.name], kernarg))
    return made(
        CompiledKernelOutput,
        request,
        porter=porter.__version__,
        flydsl=flydsl_version(),
        name=request.source.name,
        spec=compiled.spec,
        kernels=kernels,
        launches=[_launch(launch, names) for launch in compiled.launches],
        files=digests,
    )


def _launch(launch: Launch, names: list[str]) -> LaunchOutput:
    def plain(expression: Any) -> Any:
        head, kind, *rest = expression
        if head == "const":
            return rest[0]
        return names[rest[0]] if head == "arg" else [head, kind, *(plain(part) for part in rest)]

    found = {"kernel": launch.kernel, "grid": list(map(plain, launch.grid)), "block": list(map(plain, launch.block))}
    found["args"] = [names[index] for index in launch.args]
    if launch.when is not None:
        found["when"] = plain(launch.when)
    return msgspec.convert(found, LaunchOutput)


def _missing(compiled: CompiledKernel) -> tuple[Missing, ...]:
    if compiled.code_object is None:
        root = os.environ.get("ROCM_PATH")
        why = "ld.lld is not installed" if root is None else f"ld.lld is not in llvm/bin of ROCM_PATH={root}"
        return Missing("code object", why, GET_LINKER), Missing("C export", why, GET_LINKER)
    if compiled.c_export is None:
        return (Missing("C export", "llvm-objcopy is not installed", GET_OBJCOPY),)
    return ()


def _stem(name: str, n: int, k: int) -> str:
    """Name of a kernel's files, and its symbol in C."""
    return f"{name}_n{n}_k{k}"
