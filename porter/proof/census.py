# SPDX-License-Identifier: Apache-2.0
"""The census of kernels as people name them, and of CK's own beside ours: `porter census` without its words."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path

from msgspec import UNSET
from msgspec.structs import replace

from porter.census import CensusAgainstOutput, CensusOutput, CountedKernel, SideBySide, SideOutput
from porter.ck_objects import build
from porter.ck_objects.tree import CkTree
from porter.errors import InputError, KernelNameError, PorterError, ToolchainError
from porter.kernel_spec import KernelSpec
from porter.measure import census, requests
from porter.measure.objects import SUFFIXES, count_launched, count_object
from porter.problem import GemmShape
from porter.proof.against import Pair, plan
from porter.proof.kernels import resolve
from porter.proof.shapes import demand_served
from porter.toolchain import CompileRequest, KernelSource, compile_kernel

#: Rows of the shape that CK's object is built for: every instance's tile divides them, so nothing is padded.
ROWS = 256


def count(kernels: Sequence[str], manifest: Path, nk: tuple[int, int] | None) -> tuple[CensusOutput, list[PorterError]]:
    """Kernels by path or name in the manifest, files of ISA text (.s) and code objects, each with all its kernels.

    A module is compiled for B of this N and K, by default for `reference_nk`. What cannot be counted is in the list:
    InputError CKV001, CKP062 as `porter verify`, CKS131 and on for an N or K that a kernel cannot serve, CKT020-CKT022
    for a text, and for an object as `count_object`; KernelNameError. Raises ToolchainMissing, ToolchainError.
    """
    found: list[CountedKernel] = []
    errors: list[PorterError] = []
    for kernel in kernels:
        try:
            found += _one(kernel, manifest, nk)
        except (InputError, KernelNameError) as error:
            errors.append(error)
    return CensusOutput(tuple(found), tuple(map(str, errors))), errors


def _one(kernel: str, manifest: Path, nk: tuple[int, int] | None) -> tuple[CountedKernel, ...]:
    path = Path(kernel)
    if path.suffix == ".s":
        return census.count(census.read(_text(path), kernel))
    if path.suffix in SUFFIXES or (path.is_file() and path.suffix != ".py"):
        return count_object(kernel)
    return _ours(resolve(kernel, manifest), nk)


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError("CKT020", f"{path}: cannot be read as text: {error}") from error


def _ours(module: Path, nk: tuple[int, int] | None) -> tuple[CountedKernel, ...]:
    spec = KernelSpec.of_kernel_or_twin(module.stem)
    n, k = _shape(spec, nk)
    compiled = compile_kernel(CompileRequest(KernelSource.from_file(module), n, k, spec.arch))
    counted = census.count(census.read(compiled.isa, str(module)), spec)
    if (n, k) != census.reference_nk(spec) or spec.name != module.stem:
        return counted
    found = requests.count(spec, compile_kernel(requests.shorter(compiled.request)), compiled)
    return tuple(replace(kernel, requests=found.get(kernel.name, UNSET)) for kernel in counted)


def beside_ck(
    kernels: tuple[str, ...],
    manifest: Path,
    tree: CkTree,
    folder: Path,
    nk: tuple[int, int] | None = None,
    step: Callable[[str], None] = lambda _: None,
) -> CensusAgainstOutput:
    """Each kernel beside the instance that its row names, and beside one that rounds as it does where that is another.

    Shape of B as in `count`; without kernels all of the manifest. CK's objects are built into `folder` or taken from
    the cache, as `porter verify --against ck` has them. `step` is told of every object.
    Raises ToolchainMissing; InputError as `plan` and `demand_served`.
    """
    work = plan(kernels, manifest, tree, ())
    notes = list(work.notes)
    wanted = {pair: pair.request(GemmShape(ROWS, *_shape(pair.spec, nk))) for pair in _different(work.pairs)}
    requests = list(dict.fromkeys(wanted.values()))
    results = build.build(requests, tree, folder, step=lambda ended: step(ended.news))
    built = {ended.request: ended.path for ended in results if isinstance(ended, build.Built)}
    errors = [str(ended.error) for ended in results if isinstance(ended, build.Failed)]
    shown = []
    for _, group in groupby(wanted, key=lambda pair: pair.path):
        of_kernel = {pair: built.get(wanted[pair]) for pair in group}
        spec = next(iter(of_kernel)).spec
        n, k = _shape(spec, nk)
        sides = list(_sides(of_kernel, n, k))
        shown.append(SideBySide(spec.name, n, k, tuple(side for side in sides if isinstance(side, SideOutput))))
        for error in sides:
            if isinstance(error, PorterError):
                # CKM106: CK itself does not run the shape.
                (notes if error.code == "CKM106" else errors).append(f"{spec.name}: {error}")
    return CensusAgainstOutput(tuple(shown), tuple(notes), tuple(errors))


def _sides(of_kernel: Mapping[Pair, Path | None], n: int, k: int) -> Iterator[SideOutput | PorterError]:
    """A kernel, and CK's of each of its pairs that has an object; or why one cannot be shown."""
    first = next(iter(of_kernel))
    try:
        yield SideOutput("ours", first.spec.name, _ours(first.path, (n, k))[0])
    except ToolchainError as error:
        yield error
    for pair, path in of_kernel.items():
        if path is not None:
            try:
                yield SideOutput(pair.role, pair.instance.name, count_launched(str(path), n, k))
            except InputError as error:
                yield error


def _shape(spec: KernelSpec, nk: tuple[int, int] | None) -> tuple[int, int]:
    """N and K that are asked for, or those of a census. Raises InputError as `demand_served`."""
    n, k = nk or census.reference_nk(spec)
    demand_served(spec, [GemmShape(1, n, k)])
    return n, k


def _different(found: Sequence[Pair]) -> Iterator[Pair]:
    """Pairs without the twins that are the row's own instance: their code differs in how denormals are set alone."""
    rows = {(pair.path, pair.instance) for pair in found if pair.role == "row"}
    yield from (pair for pair in found if pair.role == "row" or (pair.path, pair.instance) not in rows)
