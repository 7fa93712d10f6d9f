# SPDX-License-Identifier: Apache-2.0
"""What the report says, as frozen data. A part that is None or empty comes with the sentence that says why."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Any

from porter.census import KernelCensus
from porter.errors import ExitCode
from porter.kernel_spec import Core, KernelSpec, Schedule
from porter.problem import GemmShape
from porter.proof.shapes import CLASSES, Depth
from porter.records import Count, Record, Size, made

_CORES = {Core.FOUR_WAVE: "4-wave", Core.EIGHT_WAVE: "8-wave", Core.DECODE: "decode"}


class Verdict(str, Enum):
    """What the results given to the report say of a kernel."""

    PROVED = "proved"
    FAILED = "failed"
    ABSENT = "not proved in this report"


@dataclass(frozen=True, slots=True)
class Shape:
    """A row of the manifest, and where it was read. gfx, cu_num: the chip that it was tuned on."""

    gfx: str
    cu_num: int
    size: GemmShape
    regime: str
    instance: str
    source: str
    notes: tuple[str, ...]
    contract_assumed: bool


@dataclass(frozen=True, slots=True)
class ShapeGroup:
    """Rows of a kernel that differ in M alone. rows: how many; least_m, most_m: rows of A; source: of the first."""

    gfx: str
    cu_num: int
    n: int
    k: int
    regime: str
    rows: int
    least_m: int
    most_m: int
    source: str


@dataclass(frozen=True, slots=True)
class Header:
    """The comment on top of a module. facts: its `name: value` lines in order; reasons: why this kernel."""

    facts: tuple[tuple[str, str], ...]
    reasons: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RuleVerdict:
    """A regime rule held against a shape: its comparisons with their numbers, and why the rule is there."""

    regime: str
    holds: bool
    text: str
    reason: str


@dataclass(frozen=True, slots=True)
class Candidate:
    """A kernel that the recipe names. label: in words; chosen: it is the kernel of the section."""

    label: str
    why: str
    chosen: bool


@dataclass(frozen=True, slots=True)
class Explanation:
    """What `porter explain` says today of the first row of a regime. note: where that is not what the manifest says."""

    regime: str
    shape: GemmShape
    rules: tuple[RuleVerdict, ...]
    candidates: tuple[Candidate, ...]
    note: str


@dataclass(frozen=True, slots=True)
class Instruction:
    """One line of ISA. kind: what it occupies, one of `hot_loop.KINDS`."""

    text: str
    kind: str


@dataclass(frozen=True, slots=True)
class DeviceKernel:
    """One kernel of a module (split-K has two). code: its hot loop, or all of it; empty where nothing was compiled."""

    census: KernelCensus
    code: tuple[Instruction, ...]


@dataclass(frozen=True, slots=True)
class Code:
    """What the compiler made.

    n, k: the shape of B compiled for; absent: why kernels, or their code, are not here; note: on what is here; failed:
    it does not compile.
    """

    n: int
    k: int
    kernels: tuple[DeviceKernel, ...]
    absent: str = ""
    note: str = ""
    failed: bool = False


@dataclass(frozen=True, slots=True)
class ProofRow:
    """Runs of one M and data set, which differ in the machine's mode; the worst of them. first: its first mismatch;
    kind: the class of shapes that M belongs to, as `porter.proof.shapes` names it."""

    kind: str
    m: int
    data: str
    runs: int
    mismatches: int
    max_ulp: int
    findings: int
    proved: bool
    first: str


@dataclass(frozen=True, slots=True)
class TileMap:
    """Where results differ.

    title: of the run; alike: how many more runs have the same map; caption: the map's own first line; rows: a character
    a 16x16 tile.
    """

    title: str
    alike: int
    caption: str
    rows: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ShapeClass:
    """Shapes MxNxK of a kernel that stand for the same kind of call. proved: those of whose runs none failed."""

    name: str
    shapes: int
    proved: int
    runs: int


@dataclass(frozen=True, slots=True)
class Proof:
    """All runs of a kernel at one shape of B. error: why they could not run; details: findings, as text; padding: bytes
    between rows of A and of B."""

    n: int
    k: int
    proved: bool
    error: str
    rows: tuple[ProofRow, ...]
    maps: tuple[TileMap, ...]
    details: tuple[str, ...]
    padding: tuple[int, ...] = ()

    @property
    def runs(self) -> int:
        return sum(row.runs for row in self.rows)

    @property
    def ms(self) -> tuple[int, ...]:
        """Rows of A, each once."""
        return tuple(dict.fromkeys(row.m for row in self.rows))

    @property
    def kinds(self) -> tuple[str, ...]:
        """Classes of its shapes, each once."""
        return tuple(dict.fromkeys(row.kind for row in self.rows))


@dataclass(frozen=True, slots=True)
class KernelReport:
    """One section.

    module: the file's name; as_recorded: its text is what the manifest records, None where that records nothing.
    """

    spec: KernelSpec
    module: str
    as_recorded: bool | None
    header: Header
    shapes: tuple[Shape, ...]
    groups: tuple[ShapeGroup, ...]
    explanations: tuple[Explanation, ...]
    code: Code
    proofs: tuple[Proof, ...]

    @property
    def verdict(self) -> Verdict:
        if not self.proofs:
            return Verdict.ABSENT
        if not all(proof.proved for proof in self.proofs):
            return Verdict.FAILED
        # Good results of another text say nothing of this one.
        return Verdict.ABSENT if self.as_recorded is False else Verdict.PROVED

    @property
    def left_out(self) -> bool:
        """Whether results leave out a listed (N, K), or all boundary shapes as those of `porter verify --quick` do."""
        ran = {(proof.n, proof.k) for proof in self.proofs}
        listed = {(shape.size.n, shape.size.k) for shape in self.shapes}
        return not listed <= ran or not set(self.classes) - {Depth.RECIPE.value}

    @property
    def classes(self) -> dict[str, ShapeClass]:
        """What ran of every class of shapes, by its name; a shape of B that could not run counts in none."""
        found: dict[str, dict[tuple[Any, ...], list[ProofRow]]] = {}
        for proof in self.proofs:
            for row in proof.rows:
                found.setdefault(row.kind, {}).setdefault((proof.n, proof.k, proof.padding, row.m), []).append(row)
        return {
            kind: ShapeClass(
                kind,
                len(shapes),
                sum(all(row.proved for row in rows) for rows in shapes.values()),
                sum(row.runs for rows in shapes.values() for row in rows),
            )
            for kind, shapes in found.items()
        }

    @property
    def regimes(self) -> tuple[str, ...]:
        return tuple(sorted({shape.regime for shape in self.shapes}))

    @property
    def main(self) -> KernelCensus | None:
        """The census of the kernel that does the MFMAs."""
        return self.code.kernels[0].census if self.code.kernels else None

    @property
    def instances(self) -> list[tuple[str, int]]:
        """CK instances and rows of each, the most frequent first."""
        return Counter(shape.instance for shape in self.shapes).most_common()

    @property
    def notes(self) -> list[tuple[str, int]]:
        """Notes on rows and how many rows carry each, the most frequent first."""
        counts = Counter(note for shape in self.shapes for note in shape.notes)
        assumed = sum(shape.contract_assumed for shape in self.shapes)
        if assumed:
            counts["the order of the two roundings is assumed: nothing in the row tells it"] = assumed
        return counts.most_common()

    @property
    def label(self) -> str:
        return label(self.spec)


class ClassOutput(Record, frozen=True):
    """Shapes of a kernel that stand for the same kind of call. proved: those of whose runs none failed."""

    shapes: Count
    proved: Count
    runs: Count


class ReportedKernel(Record, frozen=True):
    """A section of the page. as_recorded: the module is what the manifest records, null where it records nothing;
    classes: of shapes, by name."""

    name: str
    verdict: Verdict
    compiled: bool
    census: bool
    as_recorded: bool | None
    classes: dict[str, ClassOutput]


class ReportOutput(Record, frozen=True, tag_field="schema", tag="porter/report/1"):
    """porter report: what was written: where, how many kernels, and what was proved of them."""

    rows: Count
    kernels: tuple[ReportedKernel, ...]
    classes: dict[str, str]
    unlisted: tuple[str, ...]
    sentence: str
    out: str
    bytes: Size


@dataclass(frozen=True, slots=True)
class Report:
    """The page. porter, flydsl: versions that the manifest names; digests: sha256 of the files read, by their name.

    results: whether proof results were given; unlisted: kernels of the results that the manifest does not list.
    """

    porter: str
    flydsl: str
    digests: tuple[tuple[str, str], ...]
    kernels: tuple[KernelReport, ...]
    results: bool
    unlisted: tuple[str, ...]

    def count(self, verdict: Verdict) -> int:
        """Kernels with a verdict."""
        return sum(kernel.verdict is verdict for kernel in self.kernels)

    @property
    def rows(self) -> int:
        return sum(len(kernel.shapes) for kernel in self.kernels)

    @property
    def classes(self) -> dict[str, str]:
        """Name of every class of shapes that some kernel was run on, and what it stands for; unknown ones come last."""
        found = {name for kernel in self.kernels for name in kernel.classes}
        return {name: CLASSES.get(name, "") for name in (*CLASSES, *sorted(found - set(CLASSES))) if name in found}

    @property
    def counted(self) -> bool:
        """Some kernel has a census."""
        return any(kernel.main for kernel in self.kernels)

    @property
    def spilling(self) -> int:
        """Kernels with spilled registers or scratch memory, of those that have a census."""
        needs = [[item.census.resources for item in kernel.code.kernels] for kernel in self.kernels]
        return sum(any(n.vgpr_spills or n.sgpr_spills or n.scratch_bytes for n in each) for each in needs)

    @property
    def exit_code(self) -> ExitCode:
        """1 where a kernel does not compile. What a proof found is the proof's own exit code."""
        return ExitCode.FINDINGS if any(kernel.code.failed for kernel in self.kernels) else ExitCode.GOOD

    def output(self, out: Path, size: int) -> ReportOutput:
        """What `porter report` prints of the page that it wrote; size: bytes of it."""
        kernels = [
            made(
                ReportedKernel,
                kernel,
                name=kernel.spec.name,
                compiled=any(item.code for item in kernel.code.kernels),
                census=bool(kernel.code.kernels),
            )
            for kernel in self.kernels
        ]
        return made(ReportOutput, self, kernels=kernels, out=str(out), bytes=size)

    @property
    def sentence(self) -> str:
        """What was proved, in one sentence."""
        total = len(self.kernels)
        if not self.results:
            return f"{total} kernels; nothing was proved in this report, because no proof results were given."
        proved, failed = self.count(Verdict.PROVED), self.count(Verdict.FAILED)
        absent = total - proved - failed
        parts = [f"{proved} of {total} kernels proved: every bit of their runs as the contract says"]
        partly = sum(kernel.verdict is Verdict.PROVED and kernel.left_out for kernel in self.kernels)
        parts += [f"{partly} of them NOT on every listed (N, K) and boundary, see porter verify"] if partly else []
        parts += [f"{failed} FAILED"] if failed else []
        parts += [f"{absent} not proved in this report"] if absent else []
        return "; ".join(parts) + "."


def label(spec: KernelSpec) -> str:
    """A kernel in words, without what all kernels share."""
    parts = [f"{_CORES[spec.core]} {spec.tile_m}\u00d7{spec.tile_n}\u00d7{spec.tile_k}"]
    parts += [spec.family.value, spec.arch]
    parts += [spec.schedule.value] if spec.schedule is not Schedule.CLUSTER else []
    parts += [f"over {spec.xcds} dies"] if spec.xcds else []
    parts += [f"split-K {spec.split_k}"] if spec.split_k > 1 else []
    parts += [f"scale rows {spec.scale_block_m}"] if spec.scale_block_m > 1 else []
    parts += [spec.out_dtype] if spec.out_dtype != "bf16" else []
    parts += [spec.contract.value] if spec.contract.value != "ck" else []
    return ", ".join(parts)
