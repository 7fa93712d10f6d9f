# SPDX-License-Identifier: Apache-2.0
"""What inputs hold: every instance, its parameters that matter for a port, and what convert would do with it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from msgspec import field

from porter.ck_parser import CkInstance, InstanceEntry, ReadResult, TunedRow, Unsupported, XdlInstance
from porter.ck_parser.shapes import join_at
from porter.conversion.convert import Options
from porter.conversion.outputs import BadRowOutput, DisagreementOutput, OtherOperationOutput, UnsupportedOutput
from porter.errors import ExitCode, SourceSpan
from porter.kernel_spec import Contract
from porter.problem import Family
from porter.records import Count, Record, Shown, made
from porter.select.choice import PROBE, Converted, choose

#: Parameters of each kind that decide what a port is; every other one is CK's own business
#: (docs/notes/ck.md#parameters).
MATTERS = {
    "XdlInstance": (
        "scale_block_mnk",
        "tile_mnk",
        "block_size",
        "xdl_mn",
        "xdl_per_wave_mn",
        "c_block_spv",
        "pipeline_sched",
        "pipeline_version",
    ),
    "CkTileInstance": ("tile_mnk", "warp_mnk", "warp_tile_mnk", "scheduler", "block_per_cu", "aq_row_major"),
}


@dataclass(frozen=True, slots=True)
class Verdict:
    """What `porter convert` would do.

    outcome: `converts`, `needs a shape`, `partly` (some rows convert) or `unsupported`; code and text: why not all;
    kernels: the modules that serve the rows, the most frequent first.
    """

    outcome: Literal["converts", "needs a shape", "partly", "unsupported"]
    text: str
    code: str = ""
    kernels: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Inspected:
    """One instance where it is written, or as the tuned rows of one file name it.

    family: None where nothing tells it; rows: tuned rows that name it, 0 in a list; kernel_id, arch, list_name, written
    and notes: as in `InstanceEntry`.
    """

    instance: CkInstance
    family: Family | None
    where: SourceSpan
    rows: int
    verdict: Verdict
    kernel_id: int | None = None
    arch: str = ""
    list_name: str = ""
    written: tuple[tuple[str, str], ...] = ()
    notes: tuple[str, ...] = ()

    def parameters(self, matter: bool) -> dict[str, Any]:
        """The parameters that matter for the port, or those that do not, as CK's fields; waves are worked out."""
        kept = MATTERS[type(self.instance).__name__]
        fields = [name for name in self.instance.__dataclass_fields__ if name not in ("family", "wave_map_assumed")]
        found = {name: _plain(getattr(self.instance, name)) for name in fields if (name in kept) is matter}
        return {**found, "waves_mn": list(self.instance.waves_mn)} if matter else found

    @property
    def output(self) -> InstanceOutput:
        parameters = {"matter": self.parameters(True), "internal": self.parameters(False)}
        contract = self.instance.contract(self.family or Family.PLAIN).order
        return made(
            InstanceOutput, self, self.instance, parameters=parameters, contract=contract, written=dict(self.written)
        )


class Parameters(Record, frozen=True):
    """Parameters of an instance, as CK's fields: those that decide what a port is, and CK's own business."""

    matter: dict[str, Any]
    internal: dict[str, Any]


class InstanceOutput(Record, frozen=True):
    """An instance where it is written, or as the tuned rows of one file name it; members as in `Inspected`."""

    name: str
    libtype: str
    family: Family | None
    where: Shown
    rows: Count
    list_name: str = field(name="list")
    kernel_id: int | None
    arch: str
    contract: Contract
    parameters: Parameters
    written: dict[str, str]
    notes: tuple[str, ...]
    verdict: Verdict


class InspectedFile(Record, frozen=True):
    """A file and its rows. form: which reader took it."""

    path: str
    form: str
    data_rows: Count = field(name="rows")
    bad: Count


class InspectOutput(Record, frozen=True, tag_field="schema", tag="porter/inspect/1"):
    """porter inspect: CK instances in any textual form, where each was read, and what convert would do with it."""

    instances: tuple[InstanceOutput, ...]
    unsupported: tuple[UnsupportedOutput, ...]
    others: tuple[OtherOperationOutput, ...] = field(name="other_operations")
    bad: tuple[BadRowOutput, ...]
    disagreements: tuple[DisagreementOutput, ...]
    files: tuple[InspectedFile, ...]


@dataclass(frozen=True, slots=True)
class Inspection:
    """Everything in the inputs: instances, and what is none."""

    read: ReadResult
    instances: tuple[Inspected, ...]
    other: tuple[Unsupported, ...]

    @property
    def exit_code(self) -> ExitCode:
        """1 where a row is bad."""
        return ExitCode.FINDINGS if self.read.bad else ExitCode.GOOD

    @property
    def output(self) -> InspectOutput:
        instances = [item.output for item in self.instances]
        return made(InspectOutput, self.read, instances=instances, unsupported=self.other)


def inspect(inputs: Iterable[str | Path], options: Options) -> Inspection:
    """Read inputs and judge every instance; options as in `convert`.

    Raises InputError and KernelNameError (CKP) for an unusable argument.
    """
    read = options.read(inputs)
    rows = [*read.rows, *(lost.row for lost in read.superseded)]
    joined: dict[SourceSpan, list[TunedRow]] = {}
    tuned: dict[tuple[str, str, Family, CkInstance], list[TunedRow]] = {}
    for row in rows:
        if row.instance_at:
            joined.setdefault(row.instance_at, []).append(row)
        elif row.instance:
            tuned.setdefault((row.where.path, row.kernel_name, row.family, row.instance), []).append(row)
    instances = [_entry(entry, joined.get(entry.where, []), options) for entry in read.instances]
    instances += [_group(group) for group in tuned.values()]
    listed = {entry.where for entry in read.instances}
    return Inspection(read, tuple(instances), tuple(row for row in read.unsupported if row.where not in listed))


def _entry(entry: InstanceEntry, rows: list[TunedRow], options: Options) -> Inspected:
    probe = join_at(entry, PROBE, arch=options.arch, layout=options.layout)
    if isinstance(probe, Unsupported):
        family = entry.instance.family
        verdict = Verdict("unsupported", probe.reason, probe.code)
    else:
        family = probe.family
        verdict = _judge(rows) if rows else _judge_shapeless(probe)
    notes = entry.notes
    if isinstance(entry.instance, XdlInstance) and entry.instance.wave_map_assumed:
        notes = (*notes, f"the wave map is assumed: {'x'.join(map(str, entry.instance.waves_mn))} waves")
    return Inspected(
        instance=entry.instance,
        family=family,
        where=entry.where,
        rows=0,
        verdict=verdict,
        kernel_id=entry.kernel_id,
        arch=entry.arch,
        list_name=entry.list_name,
        written=entry.written,
        notes=notes,
    )


def _group(rows: list[TunedRow]) -> Inspected:
    first = rows[0]
    assert first.instance is not None
    return Inspected(first.instance, first.family, first.span("kernelName"), len(rows), _judge(rows))


def _judge_shapeless(probe: TunedRow) -> Verdict:
    result = choose(probe)
    if isinstance(result, Converted):
        return Verdict("needs a shape", "converts with --shapes FILE: the shape decides the kernel", "CKP041")
    return Verdict("unsupported", result.reason, result.code)


def _judge(rows: list[TunedRow]) -> Verdict:
    kernels: Counter[str] = Counter()
    refused: Counter[tuple[str, str]] = Counter()
    for row in rows:
        result = choose(row)
        if isinstance(result, Converted):
            kernels[result.spec.name] += 1
        else:
            refused[result.code, result.reason] += 1
    names = tuple(name for name, _ in sorted(kernels.items(), key=lambda item: (-item[1], item[0])))
    if not refused:
        many = f" and {len(names) - 1} more kernels" if len(names) > 1 else ""
        return Verdict("converts", f"to {names[0]}{many}", kernels=names)
    (code, reason), count = refused.most_common(1)[0]
    if not kernels:
        return Verdict("unsupported", reason, code)
    return Verdict("partly", f"{refused.total()} of {len(rows)} rows do not convert, {count} as {reason}", code, names)


def _plain(value: object) -> Any:
    if isinstance(value, tuple):
        return list(value)
    return getattr(value, "value", value)


def summary(instance: Inspected, matter: bool) -> str:
    """The parameters that matter, or the others, on one line."""
    return ", ".join(
        f"{name} {'x'.join(map(str, value)) if isinstance(value, list) else value}"
        for name, value in instance.parameters(matter).items()
    )
