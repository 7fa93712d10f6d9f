# SPDX-License-Identifier: Apache-2.0
"""Which kernels are proved on which shapes and data: the arguments of `porter verify` resolved."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from porter import manifest
from porter.errors import InputError
from porter.kernel_spec import KernelSpec
from porter.problem import Family, GemmShape, ShapePattern
from porter.proof import shapes
from porter.proof.kernels import resolve_all
from porter.proof.recipe import DEFAULT_DATA, known_sets
from porter.proof.shapes import Depth, Work

if TYPE_CHECKING:
    from oracle.datasets import DatasetName


@dataclass(frozen=True, slots=True)
class Job:
    """One kernel at one shape of B, and what is run there."""

    path: Path
    spec: KernelSpec
    work: Work


@dataclass(frozen=True, slots=True)
class ProofPlan:
    """All jobs and what each runs.

    data: sets of the recipe; threads: jobs at once; pictures: folder for mismatch maps; manifest: where coverage is
    written when all shape classes of a kernel are proved, None where only some of them run.
    """

    jobs: tuple[Job, ...]
    data: tuple[DatasetName, ...]
    threads: int
    timeout: float
    pictures: Path | None = None
    manifest: Path | None = None

    @property
    def total(self) -> int:
        return len(self.jobs)


@dataclass(frozen=True, slots=True)
class Request:
    """What the user asked for.

    kernels: paths or names in the manifest, empty for all of it. data_sets, shapes: where one is given, the recipe runs
    on these alone. quick: the recipe at its own shapes, no boundaries. full: besides, every shape that the manifest
    lists, on `exact` data in every mode. padding: bytes between rows of A and of a plain B, at shapes that come on top
    of all shape classes. jobs: at once, None for one a CPU.
    """

    kernels: tuple[str, ...]
    manifest: Path
    data_sets: tuple[str, ...] = ()
    shapes: tuple[ShapePattern, ...] = ()
    quick: bool = False
    full: bool = False
    padding: tuple[int, int] = (0, 0)
    jobs: int | None = None
    timeout: float = 180.0
    pictures: Path | None = None

    @property
    def whole(self) -> bool:
        """Whether every shape class runs."""
        return not (self.quick or self.data_sets or self.shapes)


def plan(request: Request) -> ProofPlan:
    """Resolve names and defaults.

    Raises InputError: CKV001 unknown kernel, CKV002 nothing to prove, CKP062 bad manifest, CKV003 unknown data set,
    CKV070 a kernel that cannot serve a shape that the manifest maps to it, CKS131 and on one that it is asked for.
    """
    data = known_sets(request.data_sets) or DEFAULT_DATA
    specs = {path: KernelSpec.parse(path.stem) for path in resolve_all(request.kernels, request.manifest)}
    listed = _listed(request, specs)
    for path, spec in specs.items():
        if request.whole and (why := shapes.unserved(spec, listed[path])):
            raise InputError("CKV070", f"{path}: {why}", hint="what cannot be served cannot be proved; repair the row")
    jobs = [Job(path, spec, work) for path, spec in specs.items() for work in _works(request, spec, listed[path])]
    if request.full:
        full = {path: shapes.grouped(rows, Depth.EVERY_MODE) for path, rows in listed.items()}
        jobs += [Job(path, specs[path], work) for path, works in full.items() for work in works]
    covered = request.manifest if request.whole else None
    return ProofPlan(tuple(jobs), data, request.jobs or os.cpu_count() or 1, request.timeout, request.pictures, covered)


def _listed(request: Request, specs: dict[Path, KernelSpec]) -> dict[Path, list[tuple[int, int, int]]]:
    """(M, N, K) of each kernel's shapes in the manifest; none for a module that is not the manifest's own."""
    found: dict[Path, list[tuple[int, int, int]]] = {path: [] for path in specs}
    if not request.manifest.is_file():
        return found
    folder = request.manifest.parent.resolve()
    # A module that is a link is still one of the folder.
    known = {path.stem: path for path in specs if path.parent.resolve() == folder}
    for kernel in manifest.read(request.manifest).kernels:
        if kernel.name in known:
            found[known[kernel.name]] = kernel.shapes
    return found


def _works(request: Request, spec: KernelSpec, listed: list[tuple[int, int, int]]) -> tuple[Work, ...]:
    padding = (request.padding[0], request.padding[1] if spec.family is Family.PLAIN else 0)
    if request.whole:
        return (*shapes.whole(spec, listed), *shapes.padded(spec, listed, padding))
    works = shapes.quick(spec, request.shapes)
    shapes.demand_served(spec, (GemmShape(m, work.n, work.k) for work in works for m in work.ms))
    return tuple(replace(work, padding=padding) for work in works)
