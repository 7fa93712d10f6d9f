# SPDX-License-Identifier: Apache-2.0
"""Which kernels are proved on which shapes and data, and what came of it: `porter verify` without its words."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from porter.errors import ExitCode, InputError, ToolchainError
from porter.kernel_spec import KernelSpec, ScaleLayout
from porter.problem import TARGETS, Family
from porter.toolchain import CompiledKernel, CompileRequest, KernelSource, compile_kernel

if TYPE_CHECKING:
    from oracle.compare import Mismatch
    from oracle.datasets import DatasetName
    from oracle.reference import Flavour, Mfma, OutDtype
    from oracle.verify import Case, CaseResult, KernelUnderTest, Step

#: Data sets that a default proof uses: those of contract.md, and `cancel`, on which the order of the two roundings of a
#: promote shows (on `general` and `wide` it changes almost no bf16 result).
DEFAULT_DATA = ("exact", "general", "wide", "cancel", "special")


@dataclass(frozen=True, slots=True)
class Job:
    """One kernel at one shape of B. m: rows of a full-size run, None for the proof recipe."""

    path: Path
    spec: KernelSpec
    n: int
    k: int
    m: int | None = None


@dataclass(frozen=True, slots=True)
class Plan:
    """All jobs and what each runs.

    ms: rows of A, empty for each kernel's own three; threads: of the machine; pictures: folder for mismatch maps.
    """

    jobs: tuple[Job, ...]
    data: tuple[str, ...]
    ms: tuple[int, ...]
    threads: int
    timeout: float
    pictures: Path | None = None

    @property
    def total(self) -> int:
        return len(self.jobs)


@dataclass(frozen=True, slots=True)
class CaseOutcome:
    """One run, as it is reported. mode: landing and range rule of the machine; findings: of high severity."""

    m: int
    data: str
    mode: str
    mismatches: int
    max_ulp: int
    findings: int
    first_mismatch: Mismatch | None
    proved: bool
    seconds: float


@dataclass(frozen=True, slots=True)
class KernelOutcome:
    """All runs of one kernel at one shape of B. error: why it could not be run; details: findings and tile maps."""

    name: str
    n: int
    k: int
    cases: tuple[CaseOutcome, ...]
    error: str
    details: tuple[str, ...]
    seconds: float

    @property
    def proved(self) -> bool:
        """Every run was equal in every bit, and there was a run."""
        return not self.error and bool(self.cases) and all(case.proved for case in self.cases)


@dataclass(frozen=True, slots=True)
class Outcome:
    """The whole proof."""

    kernels: tuple[KernelOutcome, ...]

    @property
    def exit_code(self) -> ExitCode:
        good = bool(self.kernels) and all(kernel.proved for kernel in self.kernels)
        return ExitCode.GOOD if good else ExitCode.FINDINGS

    @property
    def sentence(self) -> str:
        """The last line of the report."""
        names = {kernel.name for kernel in self.kernels}
        failed = {kernel.name for kernel in self.kernels if not kernel.proved}
        runs = sum(len(kernel.cases) for kernel in self.kernels)
        state = "every bit as the contract says" if not failed else f"{len(failed)} FAILED"
        return f"porter verify: {len(names)} kernels, {runs} runs: {state}"

    def to_json(self) -> dict[str, Any]:
        """The object of `porter verify --format json`; schema in docs/schemas/verify.json."""
        return {
            "schema": "porter/verify/1",
            "proved": self.exit_code is ExitCode.GOOD,
            "kernels": [
                {
                    "name": kernel.name,
                    "n": kernel.n,
                    "k": kernel.k,
                    "proved": kernel.proved,
                    "error": kernel.error,
                    "details": list(kernel.details),
                    "cases": [_case_json(case) for case in kernel.cases],
                }
                for kernel in self.kernels
            ],
        }


def plan(
    kernels: tuple[str, ...],
    manifest: Path,
    data_sets: tuple[str, ...],
    ms: tuple[int, ...],
    nks: tuple[str, ...],
    jobs: int | None,
    timeout: float,
    full: bool = False,
    pictures: Path | None = None,
) -> Plan:
    """Resolve names and defaults.

    kernels: paths or names in the manifest, empty for all of it; full: also run every shape that the manifest lists for
    the kernels, on `exact` data. Raises InputError: CKV001 unknown kernel, CKV002
    unusable manifest, CKV003 unknown data set, CKV004 bad NxK.
    """
    from oracle.datasets import DATASETS

    for name in data_sets:
        if name not in DATASETS:
            raise InputError("CKV003", f"data set {name!r} is not one of {', '.join(DATASETS)}")
    paths = resolve_all(kernels, manifest)
    shapes = [parse_nk(text) for text in nks]
    resolved = [
        Job(path, spec, n, k)
        for path in paths
        for spec in [KernelSpec.parse(path.stem)]
        for n, k in shapes or default_nks(spec)
    ]
    if full:
        resolved += _full_jobs({job.spec.name: job for job in resolved}, manifest)
    return Plan(tuple(resolved), data_sets or DEFAULT_DATA, ms, jobs or os.cpu_count() or 1, timeout, pictures)


def _full_jobs(known: dict[str, Job], manifest: Path) -> list[Job]:
    return [replace(known[name], n=n, k=k, m=m) for name, m, n, k in listed_shapes(manifest) if name in known]


def listed_shapes(manifest: Path) -> list[tuple[str, int, int, int]]:
    """(kernel, M, N, K) of every shape that a manifest lists, sorted. Raises InputError CKV002."""
    shapes = {
        (str(kernel["name"]), int(shape["m"]), int(shape["n"]), int(shape["k"]))
        for kernel in _manifest(manifest)["kernels"]
        for shape in kernel.get("shapes", ())
    }
    return sorted(shapes)


def default_nks(spec: KernelSpec) -> tuple[tuple[int, int], ...]:
    """Two shapes of B: whole tiles with an even K/128, and a partial last tile with an odd one."""
    return ((2 * spec.tile_n, 768), (2 * spec.tile_n + 48, 1152))


def default_ms(spec: KernelSpec) -> tuple[int, ...]:
    """One tile, two tiles, and five with a ragged last one (five: a whole group of the XCD raster and a rest)."""
    return (spec.tile_m, 2 * spec.tile_m, 5 * spec.tile_m - 13)


def run(work: Plan, progress: Callable[[KernelOutcome], None] | None = None) -> Outcome:
    """Compile everything in parallel, then prove kernel by kernel; the machine itself is threaded."""
    outcomes = []
    with ThreadPoolExecutor(max_workers=work.threads) as pool:
        compiled = [pool.submit(_compile, job, work.timeout) for job in work.jobs]
        for job, future in zip(work.jobs, compiled, strict=True):
            outcome = _prove(job, future.result(), work)
            outcomes.append(outcome)
            if progress is not None:
                progress(outcome)
    return Outcome(tuple(outcomes))


def steps_of(compiled: CompiledKernel) -> Callable[[int], list[Step]]:
    """What the kernel's launcher launches for M rows of A."""
    from oracle.verify import Step

    names = [arg["name"] for arg in compiled.spec["args"]]

    def steps(m: int) -> list[Step]:
        # Pointers take no part in a grid; only M does.
        arguments = [m if name == "M" else 0 for name in names]
        return [
            Step(launch.kernel, *launch.geometry(arguments), tuple(names[index] for index in launch.args))
            for launch in compiled.launches
        ]

    return steps


def under_test(spec: KernelSpec, compiled: CompiledKernel) -> KernelUnderTest:
    """What the proof has to know of a compiled kernel."""
    from oracle.verify import KernelUnderTest

    return KernelUnderTest(
        name=spec.name,
        isa=compiled.isa,
        arch=spec.arch,
        steps=steps_of(compiled),
        n=compiled.request.n,
        k=compiled.request.k,
        a_stride=compiled.request.a_stride,
        b_stride=compiled.request.b_stride,
        b_layout="shuffled_16x16" if spec.family is Family.BPRESHUFFLE else "row_major",
        scale_layout="k_major" if spec.scale_layout is ScaleLayout.K_MAJOR else "row_major",
        scale_block_m=spec.scale_block_m,
        flavour=cast("Flavour", TARGETS[spec.arch].fp8),
        contract=spec.contract.value,
        mfma=cast("Mfma", spec.mfma),
        split_k=spec.split_k,
        out=cast("OutDtype", spec.out_dtype),
    )


def declared_under_test(compiled: CompiledKernel) -> KernelUnderTest:
    """What the proof has to know of a kernel that porter did not write, from its SPEC alone.

    SPEC needs `name`, `args` and `mfma`; it may name `b_layout` (shuffled_16x16), `scale_layout` (km),
    `scale_block_m`, `contract`, `split_k` and `out_dtype`; an argument with "encoding": "e8m0" gets E8M0 codes.
    """
    from oracle.verify import KernelUnderTest

    spec, arch = compiled.spec, compiled.request.arch
    return KernelUnderTest(
        name=spec["name"],
        isa=compiled.isa,
        arch=arch,
        steps=steps_of(compiled),
        n=compiled.request.n,
        k=compiled.request.k,
        b_layout=spec.get("b_layout", "row_major"),
        scale_layout="k_major" if spec.get("scale_layout") == ScaleLayout.K_MAJOR.value else "row_major",
        scale_block_m=spec.get("scale_block_m", 1),
        flavour=cast("Flavour", TARGETS[arch].fp8),
        contract=spec.get("contract", "ck"),
        mfma=spec["mfma"],
        split_k=spec.get("split_k", 1),
        out=spec.get("out_dtype", "bf16"),
        e8m0=frozenset(arg["name"] for arg in spec["args"] if arg.get("encoding") == "e8m0"),
    )


def _compile(job: Job, timeout: float) -> CompiledKernel | ToolchainError:
    request = CompileRequest(KernelSource.from_file(job.path), job.n, job.k, job.spec.arch)
    try:
        return compile_kernel(request, timeout=timeout)
    except ToolchainError as error:
        return error


def _prove(job: Job, compiled: CompiledKernel | ToolchainError, work: Plan) -> KernelOutcome:
    from oracle.machine import MachineError
    from oracle.verify import prove

    start = time.perf_counter()
    cases: list[CaseOutcome] = []
    details: list[str] = []
    error = ""
    if isinstance(compiled, ToolchainError):
        error = str(compiled)
    else:
        try:
            for result in prove(under_test(job.spec, compiled), _cases(job, work)):
                cases.append(_outcome(result))
                if not result.proved:
                    details += _details(job, result, work.pictures)
        except MachineError as failure:
            error = str(failure)
    return KernelOutcome(job.spec.name, job.n, job.k, tuple(cases), error, tuple(details), time.perf_counter() - start)


def _cases(job: Job, work: Plan) -> list[Case]:
    from oracle.machine import Mode
    from oracle.verify import Case, proof_cases

    if job.m is not None:
        return [Case(job.m, "exact", Mode(threads=work.threads))]
    # plan() has checked the names.
    names = cast("tuple[DatasetName, ...]", work.data)
    return proof_cases(work.ms or default_ms(job.spec), names, work.threads)


def _outcome(result: CaseResult) -> CaseOutcome:
    comparison = result.comparison
    return CaseOutcome(
        m=result.case.m,
        data=result.case.data,
        mode=result.case.label,
        mismatches=comparison.mismatches + comparison.overwritten,
        max_ulp=comparison.max_ulp,
        findings=len(result.severe),
        first_mismatch=comparison.first,
        proved=result.proved,
        seconds=result.seconds,
    )


def _details(job: Job, result: CaseResult, pictures: Path | None) -> list[str]:
    head = f"{job.spec.name} {result.case.m}x{job.n}x{job.k} {result.case.data} ({result.case.label})"
    texts = [f"{head}: {finding}" for finding in result.severe[:5]]
    if result.comparison.tile_map:
        texts.append(f"{head}:\n{result.comparison.tile_map}")
    if pictures is not None and result.comparison.tiles is not None:
        from oracle.compare import tile_picture

        pictures.mkdir(parents=True, exist_ok=True)
        label = result.case.label.replace(" ", "-")
        path = pictures / f"{job.spec.name}_{result.case.m}x{job.n}x{job.k}_{result.case.data}_{label}.png"
        tile_picture(result.comparison, path)
        texts.append(f"{head}: picture of the mismatch map: {path}")
    return texts


def _case_json(case: CaseOutcome) -> dict[str, Any]:
    first = case.first_mismatch
    return {
        "m": case.m,
        "data": case.data,
        "mode": case.mode,
        "mismatches": case.mismatches,
        "max_ulp": case.max_ulp,
        "findings": case.findings,
        "proved": case.proved,
        "first_mismatch": (
            None
            if first is None
            else {"m": first.m, "n": first.n, "actual": first.actual, "expected": first.expected, "ulp": first.ulp}
        ),
    }


def resolve(kernel: str, manifest: Path) -> Path:
    """The module of a kernel, given as a path or as a name in the manifest. Raises InputError CKV001, CKV002."""
    path = Path(kernel)
    if path.suffix == ".py" or path.exists():
        if not path.is_file():
            raise InputError("CKV001", f"{kernel}: no such kernel file")
        return path
    entries = _entries(manifest)
    if kernel not in entries:
        hint = f"known there: {', '.join(entries) or 'none'}"
        raise InputError("CKV001", f"{kernel}: neither a file nor a kernel of {manifest}", hint=hint)
    return manifest.parent / entries[kernel]


def resolve_all(kernels: tuple[str, ...], manifest: Path) -> list[Path]:
    """The modules of kernels, or without any those of the whole manifest. Raises InputError CKV001, CKV002."""
    if kernels:
        return [resolve(kernel, manifest) for kernel in kernels]
    paths = [manifest.parent / module for module in _entries(manifest).values()]
    if not paths:
        raise InputError("CKV002", f"{manifest}: lists no kernel, so there is nothing to do")
    return paths


def _entries(manifest: Path) -> dict[str, str]:
    """Kernel name -> module file name."""
    return {str(kernel["name"]): Path(kernel["module"]).name for kernel in _manifest(manifest)["kernels"]}


def _manifest(manifest: Path) -> dict[str, Any]:
    hint = "porter convert writes it; name another with --manifest, or give paths of kernels"
    try:
        data: dict[str, Any] = json.loads(manifest.read_text(encoding="utf-8"))
        for kernel in data["kernels"]:
            str(kernel["name"]), Path(kernel["module"])
    except OSError as error:
        raise InputError("CKV002", f"{manifest}: cannot read: {error.strerror}", hint=hint) from error
    except (ValueError, KeyError, TypeError) as error:
        raise InputError(
            "CKV002", f"{manifest}: not a manifest of porter ({type(error).__name__})", hint=hint
        ) from error
    return data


def parse_nk(text: str) -> tuple[int, int]:
    """`2048x7168` -> (2048, 7168). Raises InputError CKV004."""
    try:
        n, k = (int(part) for part in text.lower().split("x"))
    except ValueError as error:
        raise InputError("CKV004", f"--weights {text!r} where NxK was expected, such as 2048x7168") from error
    if n < 1 or k < 1:
        raise InputError("CKV004", f"--weights {text!r}: N and K must be positive")
    return n, k
