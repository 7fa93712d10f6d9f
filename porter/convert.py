# SPDX-License-Identifier: Apache-2.0
"""The way through: rows of CK text in, a folder of kernel modules and an account of every row out."""

from __future__ import annotations

import json
import textwrap
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path
from typing import Any

import porter
from porter import dispatch, emitter, recipes
from porter.census import reference_nk, take
from porter.ck_parser import BadRow, ReadResult, TunedRow, Unsupported, XdlInstance, read_files
from porter.errors import ExitCode, InputError, ToolchainError
from porter.kernel_spec import Contract, KernelSpec
from porter.legality import Reason, legality
from porter.output import MANIFEST, sha256
from porter.problem import TARGETS, Family, GemmShape
from porter.toolchain import CompileRequest, KernelSource, compile_many, flydsl_version

#: A shape that every portable instance serves, for the verdict on one whose shape is not known.
PROBE = GemmShape(4096, 4096, 4096)
#: flydsl that the templates are written for; named in generated headers where flydsl is not installed.
TEMPLATE_FLYDSL = "0.5"


@dataclass(frozen=True, slots=True)
class Options:
    """How rows are read and which are taken.

    arch: chip of rows that name none; layout: family of rows that nothing else tells; by_shape: rows of other libraries
    convert from their shape alone; select: globs over MxNxK, instance name or kernel name, empty = everything;
    instances: lists to hold kernelIds against; shapes: table of shapes for instances that have none; census: compile
    every kernel and put the census of its hot loop into the manifest.
    """

    arch: str = "gfx950"
    layout: Family | None = None
    by_shape: bool = False
    select: tuple[str, ...] = ()
    instances: tuple[Path, ...] = ()
    shapes: Path | None = None
    census: bool = False

    def read(self, inputs: Iterable[str | Path]) -> ReadResult:
        """Read inputs with these options. Raises InputError (CKP) for an unusable file or argument."""
        return read_files(
            inputs,
            arch=self.arch,
            layout=self.layout,
            by_shape=self.by_shape,
            instance_lists=self.instances,
            shapes=self.shapes,
        )


@dataclass(frozen=True, slots=True)
class Converted:
    """A row and the kernel that serves it.

    spec: the first legal candidate of the recipe; kept: False for a duplicate key that lost to another row.
    """

    row: TunedRow
    recipe: recipes.Recipe
    spec: KernelSpec
    notes: tuple[str, ...]
    kept: bool = True


@dataclass(frozen=True, slots=True)
class Conversion:
    """The account: rows = converted + unsupported + bad; and the files that belong in the output folder."""

    read: ReadResult
    converted: tuple[Converted, ...]
    unsupported: tuple[Unsupported, ...]
    bad: tuple[BadRow, ...]
    kernels: tuple[KernelSpec, ...]
    files: dict[str, str]

    @property
    def rows(self) -> int:
        """Data rows that were selected, of all files."""
        return len(self.converted) + len(self.unsupported) + len(self.bad)

    def exit_code(self, strict: bool) -> ExitCode:
        """0, or 1 for bad rows, or for unsupported ones where `strict`."""
        findings = bool(self.bad) or (strict and bool(self.unsupported))
        return ExitCode.FINDINGS if findings else ExitCode.GOOD

    def to_json(self) -> dict[str, Any]:
        """The object of `porter convert --format json`; schema in docs/schemas/convert.json."""
        by_kernel = Counter(item.spec for item in self.converted)
        return {
            "schema": "porter/convert/1",
            "rows": self.rows,
            "converted": len(self.converted),
            "unsupported": len(self.unsupported),
            "bad": len(self.bad),
            "kernels": [{"name": spec.name, "rows": by_kernel[spec]} for spec in self.kernels],
            "unsupported_rows": [row.to_json() for row in self.unsupported],
            "bad_rows": [row.to_json() for row in self.bad],
            "disagreements": [item.to_json() for item in self.read.disagreements],
            "notes": [
                {"where": str(item.row.where), "notes": list(item.notes)} for item in self.converted if item.notes
            ],
            "files": self._file_accounts(),
        }

    def _file_accounts(self) -> list[dict[str, Any]]:
        rows = {
            "converted": Counter(item.row.where.path for item in self.converted),
            "unsupported": Counter(row.where.path for row in self.unsupported),
            "bad": Counter(row.where.path for row in self.bad),
        }
        return [
            {
                "path": report.path,
                "form": report.form,
                "rows": sum(count[report.path] for count in rows.values()),
                **{outcome: count[report.path] for outcome, count in rows.items()},
            }
            for report in self.read.files
        ]


def convert(inputs: Iterable[Path], options: Options) -> Conversion:
    """Read, choose and render; writes nothing.

    Raises InputError (CKP) for an unusable file or argument, and CKP061 when every row of the input is bad; with
    `census` also what compiling raises (CKT).
    """
    read = options.read(inputs)
    if read.data_rows and len(read.bad) == read.data_rows:
        listed = "\n  ".join(str(row) for row in read.bad[:20])
        more = f"\n  and {len(read.bad) - 20} more" if len(read.bad) > 20 else ""
        raise InputError("CKP061", f"no valid row: all {read.data_rows} are bad\n  {listed}{more}")
    converted: list[Converted] = []
    unsupported = [row for row in read.unsupported if _selected(options, row.kernel_name)]
    fate: dict[int, Converted | Unsupported] = {}
    for row in read.rows:
        result = fate[id(row)] = choose(row)
        spec_name = result.spec.name if isinstance(result, Converted) else ""
        if _selected(options, str(row.shape), row.kernel_name, spec_name):
            (converted if isinstance(result, Converted) else unsupported).append(result)  # type: ignore[arg-type]
    for loser in read.superseded:
        winner = fate[id(loser.winner)]
        spec_name = winner.spec.name if isinstance(winner, Converted) else ""
        if not _selected(options, str(loser.row.shape), loser.row.kernel_name, spec_name):
            continue
        if isinstance(winner, Converted):
            converted.append(
                Converted(loser.row, winner.recipe, winner.spec, (loser.note, *loser.row.notes), kept=False)
            )
        else:
            unsupported.append(
                Unsupported(winner.code, winner.reason, loser.row.where, winner.hint, loser.row.kernel_name)
            )
    kernels = tuple(sorted({item.spec for item in converted}, key=lambda spec: spec.name))
    return Conversion(
        read=read,
        converted=tuple(converted),
        unsupported=tuple(unsupported),
        bad=read.bad,
        kernels=kernels,
        files=_files(kernels, converted, options.census),
    )


def _selected(options: Options, *names: str) -> bool:
    return not options.select or any(fnmatchcase(name, glob) for glob in options.select for name in names)


def choose(row: TunedRow) -> Converted | Unsupported:
    """The kernel for one row: the first legal candidate of its recipe, or why there is none."""
    if row.gfx not in TARGETS:
        known = ", ".join(TARGETS)
        return _refuse(row, "CKS150", f"{row.gfx} is not a chip that porter knows ({known})")
    scale_block_m, contract = 1, row.contract.order
    if isinstance(row.instance, XdlInstance):
        scale_block_m = row.instance.scale_block_mnk[0]
        if row.instance.scale_block_mnk[1:] != (128, 128):
            blocks = "x".join(map(str, row.instance.scale_block_mnk))
            return _refuse(row, "CKS151", f"scale blocks of {blocks} are not ScaleBlockM x 128 x 128")
        if row.instance.tile_mnk[2] < row.instance.scale_block_mnk[2]:
            return _refuse(
                row,
                "CKS152",
                f"KPerBlock {row.instance.tile_mnk[2]} is smaller than ScaleBlockK {row.instance.scale_block_mnk[2]}: "
                "CK's own kernel of such an instance computes wrong results",
                "MSLK disabled its test for this reason (users.md 3, row 34); name another instance",
            )
    # What another library tuned says nothing of our K slices; an untuned row says nothing at all.
    kbatch = row.kbatch if row.instance is not None else None
    choice = _recipe(row.shape, row.gfx, row.family, scale_block_m, contract, kbatch)
    refusals: list[tuple[recipes.Candidate, tuple[Reason, ...]]] = []
    for candidate in choice.candidates:
        reasons = legality(candidate.spec, row.shape, TARGETS[row.gfx])
        if not reasons:
            return Converted(row, choice, candidate.spec, tuple(_notes(row, choice, candidate.spec, refusals)))
        refusals.append((candidate, reasons))
    first = refusals[0][1]
    return _refuse(row, first[0].code, "; ".join(reason.text for reason in first), first[0].hint)


def _notes(
    row: TunedRow,
    recipe: recipes.Recipe,
    spec: KernelSpec,
    refusals: list[tuple[recipes.Candidate, tuple[Reason, ...]]],
) -> Iterator[str]:
    yield from row.notes
    if row.instance is not None:
        yield from recipes.kbatch_notes(row.kbatch, spec)
    if recipe.fallback:
        yield recipe.fallback
    for candidate, reasons in refusals:
        yield f"{candidate.spec.name} does not serve this shape: {'; '.join(reason.text for reason in reasons)}"


def _refuse(row: TunedRow, code: str, reason: str, hint: str = "") -> Unsupported:
    return Unsupported(code, reason, row.where, hint, row.kernel_name)


@cache
def _recipe(
    shape: GemmShape, gfx: str, family: Family, scale_block_m: int, contract: Contract, kbatch: int | None
) -> recipes.Recipe:
    return recipes.choose(shape, TARGETS[gfx], family, scale_block_m=scale_block_m, contract=contract, kbatch=kbatch)


def _files(kernels: tuple[KernelSpec, ...], converted: list[Converted], census: bool) -> dict[str, str]:
    served: dict[KernelSpec, list[Converted]] = {spec: [] for spec in kernels}
    for item in converted:
        served[item.spec].append(item)
    files = dict(emitter.support_files()) if kernels else {}
    for spec in kernels:
        files[f"{spec.name}.py"] = emitter.render(spec, _provenance(served[spec]))
    if kernels:
        rows = [
            dispatch.Row(item.row.gfx, item.row.cu_num, item.row.family, item.row.shape, item.spec)
            for item in converted
            if item.kept
        ]
        files.update(dispatch.files(kernels, rows, porter.__version__))
    counted = _census(kernels, files) if census else {}
    manifest = {
        "schema": "porter/manifest/1",
        "porter": porter.__version__,
        "flydsl": flydsl_version() or TEMPLATE_FLYDSL,
        "files": {name: sha256(text) for name, text in sorted(files.items())},
        "kernels": [
            {
                "name": spec.name,
                "module": f"{spec.name}.py",
                "spec": emitter.spec_literal(spec),
                "shapes": [_shape_entry(item) for item in served[spec] if item.kept],
                **({"census": counted[spec]} if spec in counted else {}),
            }
            for spec in kernels
        ],
    }
    files[MANIFEST] = json.dumps(manifest, indent=1) + "\n"
    return files


def _census(kernels: tuple[KernelSpec, ...], files: dict[str, str]) -> dict[KernelSpec, dict[str, Any]]:
    """What stands in each kernel's hot loop, compiled at its reference shape of B. Raises ToolchainError (CKT)."""
    shapes = [reference_nk(spec) for spec in kernels]
    support = emitter.support_files()
    requests = [
        CompileRequest(KernelSource(spec.name, files[f"{spec.name}.py"], support), n, k, spec.arch)
        for spec, (n, k) in zip(kernels, shapes, strict=True)
    ]
    counted = {}
    for spec, (n, k), compiled in zip(kernels, shapes, compile_many(requests), strict=True):
        if isinstance(compiled, ToolchainError):
            raise compiled
        taken = take(compiled.isa, spec.name, spec)
        counted[spec] = {"n": n, "k": k, "kernels": [item.to_json() for item in taken]}
    return counted


def _shape_entry(item: Converted) -> dict[str, Any]:
    row = item.row
    return {
        "gfx": row.gfx,
        "cu_num": row.cu_num,
        "m": row.shape.m,
        "n": row.shape.n,
        "k": row.shape.k,
        "regime": item.recipe.regime.value,
        "instance": row.kernel_name,
        "source": _place(row),
        **({"contract_assumed": True} if row.contract.assumed else {}),
        **({"notes": list(item.notes)} if item.notes else {}),
    }


def _place(row: TunedRow) -> str:
    # The file's name alone: a generated file must not depend on where the input lies.
    return f"{Path(row.where.path).name}:{row.where.line}"


def _provenance(items: list[Converted]) -> emitter.Provenance:
    first = items[0]
    rows = f"source: {_place(first.row)}" + (
        f" and {len(items) - 1} more rows, see manifest.json" if len(items) > 1 else ""
    )
    lines = [rows]
    if first.row.kernel_name:
        lines.append(f"instance: {first.row.kernel_name}")
    regimes = sorted({item.recipe.regime.value for item in items})
    lines.append(f"regime: {', '.join(regimes)}")
    reasons: dict[str, None] = {}
    for item in items:
        candidate = next(c for c in item.recipe.candidates if c.spec == item.spec)
        reasons.setdefault(f"{item.recipe.regime.value}: {candidate.why}")
        if item.recipe.fallback:
            reasons.setdefault(item.recipe.fallback)
    lines += [line for reason in reasons for line in textwrap.wrap(f"reason: {reason}", 116, subsequent_indent="  ")]
    return emitter.Provenance(porter.__version__, flydsl_version() or TEMPLATE_FLYDSL, tuple(lines))
