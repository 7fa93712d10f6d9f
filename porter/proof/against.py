# SPDX-License-Identifier: Apache-2.0
"""`porter verify --against ck`: a kernel, CK's own kernel and the contract, on the same data, each held to the others.

Where CK's kernel and ours round alike they must agree in every bit on every data set; else on `exact`, where nothing is
rounded. A split-K kernel of ours adds its slices in fp32, which CK does not: it is held to a float64 result instead.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from oracle.datasets import DatasetName
from oracle.reference import slice_map
from porter import manifest as manifests
from porter.ck_objects import build
from porter.ck_objects.resolve import padding, refusal
from porter.ck_objects.source import Request
from porter.ck_objects.tree import CkTree
from porter.ck_parser import CkTileInstance, XdlInstance, parse_kernel_name
from porter.errors import ExitCode, InputError, PorterError
from porter.kernel_spec import KernelSpec
from porter.measure.under_test import under_test
from porter.problem import GemmShape
from porter.proof.kernels import resolve_all
from porter.proof.recipe import DEFAULT_DATA
from porter.proof.shapes import demand_served
from porter.records import Count, Record, Size
from porter.toolchain import CompileRequest, KernelSource, compile_kernel

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from oracle.ck_abi import CkObject
    from oracle.compare import Comparison
    from oracle.reference import Problem
    from oracle.verify import KernelUnderTest

#: Where nothing else is asked: whole tiles of most instances, and rows that no tile divides.
SHAPES = (GemmShape(256, 256, 1024), GemmShape(70, 256, 1024))

Role = Literal["row", "twin"]


@dataclass(frozen=True, slots=True)
class Pair:
    """A kernel of ours and an instance of CK's.

    role: `row`, the instance that a row of the kernel names, or `twin`, one that rounds as the kernel does.
    """

    path: Path
    spec: KernelSpec
    instance: XdlInstance
    role: Role

    def request(self, shape: GemmShape) -> Request:
        """CK's object for a shape: as aiter builds it, or where it must round as ours with denormals kept."""
        return Request(self.instance, self.spec.arch, padding(self.instance, shape), self.role == "twin")


class AgainstCase(Record, frozen=True):
    """One run on the machine of both kernels.

    Each number is of elements that differ, and each text the first of them with its two values, `got` being CK's or
    else ours. demanded: whether ours and CK's must be equal here; outside: elements of a split-K kernel that lie too
    far from the float64 result; findings: of high severity on CK's own code, which fail nothing here.
    """

    kernel: str
    instance: str
    role: Role
    m: Size
    n: Size
    k: Size
    data: str
    ck_contract: Count
    ours_contract: Count
    ours_ck: Count
    demanded: bool
    outside: Count
    first: str
    findings: tuple[str, ...]

    @property
    def good(self) -> bool:
        return not (self.ck_contract or self.ours_contract or self.outside or (self.demanded and self.ours_ck))


class AgainstOutput(Record, frozen=True, tag_field="schema", tag="porter/against/1"):
    """porter verify --against ck: every run, and what could not be compared."""

    proved: bool
    cases: tuple[AgainstCase, ...]
    notes: tuple[str, ...]
    errors: tuple[str, ...]

    @property
    def exit_code(self) -> ExitCode:
        return ExitCode.GOOD if self.proved else ExitCode.FINDINGS


def pairs(
    kernels: tuple[str, ...], manifest: Path, tree: CkTree, all_rows: bool = False
) -> tuple[list[Pair], list[str]]:
    """Each kernel with the instance of its first row that porter can build, and with one that rounds as it does.

    all_rows: with every instance that its rows name. The second list has kernels for which there is none, and why.
    Raises InputError CKV001, CKV002, CKP062.
    """
    listed = manifests.read(manifest).by_name if manifest.is_file() else {}
    found: list[Pair] = []
    notes = []
    for path in resolve_all(kernels, manifest):
        spec = KernelSpec.parse(path.stem)
        named = dict.fromkeys(row.instance for row in listed[spec.name].rows) if spec.name in listed else {}
        instances = [parse_kernel_name(name) for name in named if name]
        xdl = [item for item in instances if isinstance(item, XdlInstance)]
        of_rows = [item for item in xdl if item.family is spec.family][: None if all_rows else 1]
        twin = (
            next((entry for entry in _listed(tree) if _rounds_alike(spec, entry)), None) if spec.split_k == 1 else None
        )
        if not of_rows:
            tile = (refusal(item, tree) for item in instances if isinstance(item, CkTileInstance))
            reason = next((f", but {error.message} [{error.code}]" for error in tile), "")
            notes.append(f"{spec.name}: no row of it names an XDL instance of CK's{reason}")
        found += [Pair(path, spec, instance, "row") for instance in of_rows]
        if twin is not None:
            found.append(Pair(path, spec, twin, "twin"))
        elif spec.split_k == 1:
            notes.append(f"{spec.name}: no instance of aiter's lists rounds as it does on {spec.arch}")
    return found, notes


def _listed(tree: CkTree) -> Iterator[XdlInstance]:
    """Instances beside CK; those of the first pipeline first, which run any number of K blocks."""
    instances = (entry.instance for entry in tree.instances)
    yield from sorted((item for item in instances if isinstance(item, XdlInstance)), key=lambda i: i.pipeline_version)


def _rounds_alike(spec: KernelSpec, instance: XdlInstance) -> bool:
    """One MFMA a block is the same under any slices; chained ones of CK's take others than ours."""
    whole = len(slice_map(instance.mfma(spec.arch))) == 1  # type: ignore[arg-type] # an instance of the lists has one
    return (
        instance.family is spec.family
        and instance.mfma(spec.arch) == spec.mfma
        and whole
        and spec.contract.value == "ck"
        and instance.scale_block_mnk[0] == spec.scale_block_m
    )


@dataclass(frozen=True)
class Work:
    """What is to be held to what. notes: kernels for which there is no instance, and why."""

    pairs: tuple[Pair, ...]
    notes: tuple[str, ...]
    shapes: tuple[GemmShape, ...]
    data: tuple[DatasetName, ...]

    @cached_property
    def requests(self) -> list[Request]:
        """The objects of CK's that it takes, each once."""
        return list(dict.fromkeys(pair.request(shape) for pair in self.pairs for shape in self.shapes))

    @property
    def total(self) -> int:
        """Steps of `run`."""
        return len(self.requests) + len(self.pairs)


def plan(
    kernels: tuple[str, ...],
    manifest: Path,
    tree: CkTree,
    shapes: Sequence[GemmShape] = SHAPES,
    data: Sequence[DatasetName] = DEFAULT_DATA,
    all_rows: bool = False,
) -> Work:
    """Every pair at every shape on every data set.

    Raises InputError as `pairs`, as `demand_served` for a shape, and CKV008 where there is no pair.
    """
    found, notes = pairs(kernels, manifest, tree, all_rows)
    if not found:
        raise InputError("CKV008", "no kernel can be held against CK", hint="; ".join(notes))
    for pair in found:
        demand_served(pair.spec, shapes)
    return Work(tuple(found), tuple(notes), tuple(shapes), tuple(data))


def run(
    work: Work, tree: CkTree, folder: Path, jobs: int | None = None, step: Callable[[str], None] = lambda _: None
) -> AgainstOutput:
    """Build what is needed into `folder`, then run all; `step` is told of every object and every pair.

    Raises ToolchainMissing (CKB002).
    """
    from oracle.machine import MachineError

    ended = build.build(work.requests, tree, folder, jobs, step=lambda item: step(item.news))
    built = dict(zip(work.requests, ended, strict=True))
    notes = list(work.notes)
    errors = [str(item.error) for item in built.values() if isinstance(item, build.Failed)]
    cases: list[AgainstCase] = []
    for pair in work.pairs:
        for shape in work.shapes:
            of_pair = built[pair.request(shape)]
            if isinstance(of_pair, build.Failed):
                continue
            try:
                cases += _compared(pair, shape, of_pair.path, work.data)
            except (PorterError, MachineError) as error:
                text = f"{pair.spec.name} against {pair.instance.name} at {shape}: {error}"
                # CK itself does not run the shape.
                (notes if getattr(error, "code", "") == "CKM106" else errors).append(text)
        step(f"{pair.spec.name} against {pair.instance.name}")
    good = bool(cases) and not errors and all(case.good for case in cases)
    return AgainstOutput(good, tuple(cases), tuple(notes), tuple(errors))


def _compared(pair: Pair, shape: GemmShape, object_path: Path, data: Sequence[DatasetName]) -> Iterator[AgainstCase]:
    from oracle import ck_abi, machine

    ck = ck_abi.read(object_path)
    theirs = ck.under_test(shape.n, shape.k)
    source = KernelSource.from_file(pair.path)
    ours = under_test(pair.spec, compile_kernel(CompileRequest(source, shape.n, shape.k, pair.spec.arch)))
    program = machine.load(ours.isa, ours.arch)
    for name in data:
        yield _case(pair, shape, name, (theirs, ck), (ours, program))


def _case(
    pair: Pair,
    shape: GemmShape,
    name: DatasetName,
    theirs: tuple[KernelUnderTest, CkObject],
    ours: tuple[KernelUnderTest, object],
) -> AgainstCase:
    from oracle import machine
    from oracle.compare import compare
    from oracle.datasets import dataset
    from oracle.verify import execute, expected_bits

    kernel, program = ours
    assert isinstance(program, machine.Program)
    mode = machine.Mode("late", checks=True)
    problem = dataset(name, shape.m, shape.n, shape.k, kernel.flavour, kernel.scale_block_m)
    ck_bits, reports = execute(theirs[0], theirs[1].program, problem, mode)
    our_bits, _ = execute(kernel, program, problem, mode)
    with_contract = compare(ck_bits, expected_bits(theirs[0], problem))
    ours_with_contract = compare(our_bits, expected_bits(kernel, problem), kernel.out)
    each = compare(our_bits, ck_bits, kernel.out)
    split = kernel.split_k > 1
    findings = {str(finding) for report in reports for finding in report.findings if _severe(finding)}
    return AgainstCase(
        kernel=pair.spec.name,
        instance=pair.instance.name,
        role=pair.role,
        m=shape.m,
        n=shape.n,
        k=shape.k,
        data=name,
        ck_contract=with_contract.mismatches,
        ours_contract=ours_with_contract.mismatches,
        ours_ck=each.mismatches,
        demanded=name == "exact" or (pair.role == "twin" and not split),
        outside=_outside(our_bits, problem, kernel) if split and name in ("exact", "general", "wide") else 0,
        first=_first(("CK, contract", with_contract), ("ours, contract", ours_with_contract), ("ours, CK", each)),
        findings=tuple(sorted(findings)),
    )


def _severe(finding: object) -> bool:
    from oracle.machine import Finding, Severity

    return isinstance(finding, Finding) and finding.severity is Severity.HIGH


def _first(*comparisons: tuple[str, Comparison]) -> str:
    """The first element of the first comparison that differs, with both values."""
    return next((f"{what}: {found.first}" for what, found in comparisons if found.first is not None), "")


def _outside(bits: npt.NDArray[np.uint16], problem: Problem, kernel: KernelUnderTest) -> int:
    """Elements farther from the float64 result than the roundings of a split kernel explain: half a bf16 ulp for the
    last conversion, and 2^-24 of the sum of magnitudes for every fp32 operation on the way."""
    import torch

    from oracle.reference import SCALE_BLOCK, decode

    blocks = problem.k // SCALE_BLOCK
    x, w = (decode(codes, problem.flavour).double() for codes in (problem.x, problem.w))
    xs = problem.xs.double().repeat_interleave(problem.scale_block_m, 0)[: problem.m].repeat_interleave(SCALE_BLOCK, 1)
    ws = problem.ws.double().repeat_interleave(SCALE_BLOCK, 0)[: problem.n].repeat_interleave(SCALE_BLOCK, 1)
    x, w = x * xs, w * ws
    exact, magnitude = x @ w.T, x.abs() @ w.abs().T
    got = torch.from_numpy(bits.astype("int32") << 16).view(torch.float32).double()
    allowed = exact.abs() * 2.0**-8 + magnitude * 2.0**-24 * (2 * blocks + kernel.split_k)
    return int((~((got - exact).abs() <= allowed)).sum())
