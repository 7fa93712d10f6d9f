# SPDX-License-Identifier: Apache-2.0
"""The way through: rows of CK text in, a folder of kernel modules and an account of every row out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from pathlib import Path

from porter.ck_parser import ERR_RATIO, BadRow, OtherOperation, ReadResult, Unsupported, read_files
from porter.conversion.files import render
from porter.conversion.outputs import BadRowOutput, DisagreementOutput, OtherOperationOutput, UnsupportedOutput
from porter.errors import ExitCode, InputError, ToolchainError
from porter.kernel_spec import KernelSpec
from porter.measure.census import reference_nk
from porter.measure.compiled import Measured, measure
from porter.problem import Family
from porter.records import Count, Record, Shown, Size, made
from porter.select.choice import Converted, choose
from porter.select.legality import Reason
from porter.toolchain import CompileRequest
from porter.write.emitter import SCALAR_PROMOTES, Departure


@dataclass(frozen=True, slots=True)
class Options:
    """How rows are read and which are taken.

    arch: chip of rows that name none; layout: family of rows that nothing else tells; by_shape: rows of other libraries
    convert from their shape alone; select: globs over MxNxK, instance name or kernel name, empty = everything;
    instances: lists to hold kernelIds against; shapes: table of shapes for instances that have none; census: compile
    every kernel at its reference shape of B, let the measured guard (`porter.measure.guard`) refuse it, and put the
    census of its hot loop into the manifest; err_ratio: of rows with one key, those with a larger errRatio lose;
    scalar_promotes: write kernels whose promotes LLVM does not pack.
    """

    arch: str = "gfx950"
    layout: Family | None = None
    by_shape: bool = False
    select: tuple[str, ...] = ()
    instances: tuple[Path, ...] = ()
    shapes: Path | None = None
    census: bool = False
    err_ratio: float = ERR_RATIO
    scalar_promotes: bool = False

    @property
    def departure(self) -> Departure | None:
        """What makes every kernel another than its spec's."""
        return SCALAR_PROMOTES if self.scalar_promotes else None

    def read(self, inputs: Iterable[str | Path]) -> ReadResult:
        """Read inputs with these options. Raises InputError (CKP) for an unusable file or argument."""
        return read_files(
            inputs,
            arch=self.arch,
            layout=self.layout,
            by_shape=self.by_shape,
            instance_lists=self.instances,
            shapes=self.shapes,
            err_ratio=self.err_ratio,
        )


@dataclass(frozen=True, slots=True)
class Conversion:
    """The account: rows = converted + unsupported + other + bad; and the files that belong in the output folder.

    others: rows of other operations, by file; none where rows were selected.
    """

    read: ReadResult
    converted: tuple[Converted, ...]
    unsupported: tuple[Unsupported, ...]
    others: tuple[OtherOperation, ...]
    bad: tuple[BadRow, ...]
    kernels: tuple[KernelSpec, ...]
    files: dict[str, str]

    @property
    def rows(self) -> int:
        """Data rows that were selected, of all files."""
        return len(self.converted) + len(self.unsupported) + self.other + len(self.bad)

    @property
    def other(self) -> int:
        """Rows of other operations."""
        return sum(item.rows for item in self.others)

    def exit_code(self, strict: bool) -> ExitCode:
        """0, or 1 for bad rows, or for unsupported ones where `strict`."""
        findings = bool(self.bad) or (strict and bool(self.unsupported))
        return ExitCode.FINDINGS if findings else ExitCode.GOOD

    @property
    def output(self) -> ConvertOutput:
        by_kernel = Counter(item.spec for item in self.converted)
        return made(
            ConvertOutput,
            self,
            converted=len(self.converted),
            unsupported=len(self.unsupported),
            other_operation=self.other,
            bad=len(self.bad),
            kernels=[KernelRows(spec.name, by_kernel[spec]) for spec in self.kernels],
            unsupported_rows=self.unsupported,
            other_operations=self.others,
            bad_rows=self.bad,
            disagreements=self.read.disagreements,
            notes=[made(NotedRow, item, item.row) for item in self.converted if item.notes],
            files=self._files(),
        )

    def _files(self) -> list[FileRows]:
        others: Counter[str] = Counter()
        for item in self.others:
            others[item.where.path] += item.rows
        rows = {
            "converted": Counter(item.row.where.path for item in self.converted),
            "unsupported": Counter(row.where.path for row in self.unsupported),
            "other_operation": others,
            "bad": Counter(row.where.path for row in self.bad),
        }
        return [
            made(FileRows, report, rows=sum(counts.values()), **counts)
            for report in self.read.files
            for counts in [{outcome: count[report.path] for outcome, count in rows.items()}]
        ]


class KernelRows(Record, frozen=True):
    """A kernel, and how many rows it serves."""

    name: str
    rows: Size


class NotedRow(Record, frozen=True):
    """What a reader should know of a row that was converted."""

    where: Shown
    notes: tuple[str, ...]


class FileRows(Record, frozen=True):
    """What became of the rows of one file. form: which reader took it."""

    path: str
    form: str
    rows: Count
    converted: Count
    unsupported: Count
    other_operation: Count
    bad: Count


class ConvertOutput(Record, frozen=True, tag_field="schema", tag="porter/convert/1"):
    """porter convert: what became of every row: kernels, unsupported and bad rows with their reasons, rows of other
    operations, and the files read."""

    rows: Count
    converted: Count
    unsupported: Count
    other_operation: Count
    bad: Count
    kernels: tuple[KernelRows, ...]
    unsupported_rows: tuple[UnsupportedOutput, ...]
    other_operations: tuple[OtherOperationOutput, ...]
    bad_rows: tuple[BadRowOutput, ...]
    disagreements: tuple[DisagreementOutput, ...]
    notes: tuple[NotedRow, ...]
    files: tuple[FileRows, ...]


def convert(
    inputs: Iterable[Path], options: Options, progress: Callable[[CompileRequest], None] | None = None
) -> Conversion:
    """Read, choose and render; writes nothing. progress: told of every kernel that `census` has compiled.

    Raises InputError (CKP) for an unusable file or argument, and CKP061 when every row of the input is bad; with
    `census` also what compiling raises (CKT).
    """
    read = options.read(inputs)
    if read.data_rows and len(read.bad) == read.data_rows:
        listed = "\n  ".join(str(row) for row in read.bad[:20])
        more = f"\n  and {len(read.bad) - 20} more" if len(read.bad) > 20 else ""
        raise InputError("CKP061", f"no valid row: all {read.data_rows} are bad\n  {listed}{more}")
    measured: dict[KernelSpec, Measured] = {}
    while True:
        converted, unsupported = _choose_all(read, options, {spec: done.reasons for spec, done in measured.items()})
        kernels = tuple(sorted({item.spec for item in converted}, key=lambda spec: spec.name))
        unmeasured = [spec for spec in kernels if spec not in measured] if options.census else []
        measured |= _measure(unmeasured, options.departure, progress)
        # What replaces a refused kernel has to be measured as well.
        if not any(measured[spec].reasons for spec in unmeasured):
            break
    return Conversion(
        read=read,
        converted=tuple(converted),
        unsupported=tuple(unsupported),
        others=() if options.select else read.others,
        bad=read.bad,
        kernels=kernels,
        files=render(kernels, converted, measured if options.census else None, options.departure),
    )


def _choose_all(
    read: ReadResult, options: Options, measured: Mapping[KernelSpec, tuple[Reason, ...]]
) -> tuple[list[Converted], list[Unsupported]]:
    """The fate of every selected row, those that another row supersedes included."""
    converted: list[Converted] = []
    unsupported = [row for row in read.unsupported if _selected(options, row.kernel_name)]
    fate: dict[int, Converted | Unsupported] = {}
    for row in read.rows:
        result = fate[id(row)] = choose(row, measured)
        spec_name = result.spec.name if isinstance(result, Converted) else ""
        if _selected(options, str(row.shape), row.kernel_name, spec_name):
            (converted if isinstance(result, Converted) else unsupported).append(result)  # type: ignore[arg-type]
    for loser in read.superseded:
        winner = fate[id(loser.winner)]
        spec_name = winner.spec.name if isinstance(winner, Converted) else ""
        if not _selected(options, str(loser.row.shape), loser.row.kernel_name, spec_name):
            continue
        if isinstance(winner, Converted):
            notes = (loser.note, *loser.row.notes)
            converted.append(replace(winner, row=loser.row, notes=notes, kept=False))
        else:
            unsupported.append(
                Unsupported(winner.code, winner.reason, loser.row.where, winner.hint, loser.row.kernel_name)
            )
    return converted, unsupported


def _measure(
    specs: list[KernelSpec], departure: Departure | None, progress: Callable[[CompileRequest], None] | None
) -> dict[KernelSpec, Measured]:
    """Each kernel compiled at its reference shape of B. Raises ToolchainError (CKT) for one that does not compile."""
    done: dict[KernelSpec, Measured] = {}
    results = measure([(spec, *reference_nk(spec)) for spec in specs], departure=departure, progress=progress)
    for spec, result in zip(specs, results, strict=True):
        if isinstance(result, ToolchainError):
            raise result
        done[spec] = result
    return done


def _selected(options: Options, *names: str) -> bool:
    return not options.select or any(fnmatchcase(name, glob) for glob in options.select for name in names)
