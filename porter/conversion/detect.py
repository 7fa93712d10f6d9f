# SPDX-License-Identifier: Apache-2.0
"""Hot kernels of this operator in a trace: their share of the time, and what porter can do with each."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from porter.ck_parser import Unsupported
from porter.ck_parser.rows import CK_LIBTYPES
from porter.ck_parser.shapes import join_at
from porter.ck_parser.symbols import KernelMatch, entry, recognise
from porter.ck_parser.traces import Trace, TracedKernel, read_trace
from porter.errors import ExitCode, SourceSpan
from porter.problem import Family
from porter.records import Amount, Count, Record, Shown, made
from porter.select.choice import PROBE, Converted, choose

_PORTER_PREFIX = "flydsl_a8w8_blockscale_"


@dataclass(frozen=True, slots=True)
class HotKernel:
    """A kernel of this operator.

    name: as the trace has it; kernel: as aiter names it, where the name tells; total_us: microseconds of all its calls;
    share: of all kernel time of the trace; action: `port`, `port by shape`, `ported`, `leave` or `refused`; code and
    text: what porter can do, or why it cannot.
    """

    name: str
    kernel: str
    libtype: str
    family: Family | None
    calls: int
    total_us: float
    share: float
    action: str
    code: str
    text: str
    written: tuple[tuple[str, str], ...]
    where: SourceSpan


class HotKernelOutput(Record, frozen=True):
    """A kernel of this operator; members as in `HotKernel`."""

    name: str
    kernel: str
    libtype: str
    family: Family | None
    calls: Count
    total_us: Amount
    share: Amount
    action: str
    code: str
    text: str
    written: dict[str, str]
    where: Shown

    @classmethod
    def of(cls, kernel: HotKernel) -> HotKernelOutput:
        rounded = {"total_us": round(kernel.total_us, 3), "share": round(kernel.share, 6)}
        return made(cls, kernel, written=dict(kernel.written), **rounded)


class BadEvent(Record, frozen=True):
    """A row or an event that could not be read."""

    code: str
    message: str
    where: Shown


class DetectOutput(Record, frozen=True, tag_field="schema", tag="porter/detect/1"):
    """porter detect: the block-scale GEMMs of a kernel trace, their share of the time, and what porter can do with
    each."""

    trace: str
    form: str
    total_us: Amount
    calls: Count
    share: Amount
    kernels: tuple[HotKernelOutput, ...]
    bad: tuple[BadEvent, ...]


@dataclass(frozen=True, slots=True)
class Detection:
    """What one trace holds; total_us and calls: of all its kernels."""

    trace: Trace
    total_us: float
    calls: int
    kernels: tuple[HotKernel, ...]

    @property
    def share(self) -> float:
        """Of all kernel time, that of this operator."""
        return sum(kernel.share for kernel in self.kernels)

    @property
    def exit_code(self) -> ExitCode:
        """1 where a row or event could not be read."""
        return ExitCode.FINDINGS if self.trace.bad else ExitCode.GOOD

    @property
    def output(self) -> DetectOutput:
        return made(
            DetectOutput,
            self,
            trace=self.trace.path,
            form=self.trace.form,
            total_us=round(self.total_us, 3),
            share=round(self.share, 6),
            kernels=list(map(HotKernelOutput.of, self.kernels)),
            bad=[BadEvent(code, message, Shown(where)) for code, message, where in self.trace.bad],
        )


def detect(path: str | Path, *, arch: str = "gfx950", layout: Family | None = None) -> Detection:
    """Read a trace and find the kernels of this operator, the slowest first; InputError (CKP) where it is no trace.

    arch: the chip to port to; layout: the family of kernels whose names do not tell.
    """
    trace = read_trace(path)
    total = sum(kernel.total_us for kernel in trace.kernels)
    found = []
    for kernel in trace.kernels:
        match = recognise(kernel.name)
        if match:
            found.append(_hot(kernel, match, kernel.total_us / total if total else 0.0, arch, layout))
    return Detection(trace, total, sum(kernel.calls for kernel in trace.kernels), tuple(found))


def _hot(kernel: TracedKernel, match: KernelMatch, share: float, arch: str, layout: Family | None) -> HotKernel:
    action, code, text = _action(match, kernel.where, arch, layout)
    return HotKernel(
        name=kernel.name,
        kernel=match.name,
        libtype=match.libtype,
        family=match.family,
        calls=kernel.calls,
        total_us=kernel.total_us,
        share=share,
        action=action,
        code=code,
        text=text,
        written=match.written,
        where=kernel.where,
    )


def _action(match: KernelMatch, where: SourceSpan, arch: str, layout: Family | None) -> tuple[str, str, str]:
    if match.refusal:
        return "refused", match.refusal.code, match.refusal.text
    if match.name.startswith(_PORTER_PREFIX):
        return "ported", "", "porter made this kernel"
    if match.libtype == "flydsl":
        return "leave", "", "FlyDSL already: porter ci and porter rewrite check it"
    if match.instance is None:
        code = "CKP041" if match.libtype in CK_LIBTYPES else "CKP040"
        return (
            "port by shape",
            code,
            f"{match.note or match.libtype}: porter convert --by-shape --layout FAMILY, on a table of the shapes",
        )
    probe = join_at(entry(match, where), PROBE, arch=arch, layout=layout)
    if isinstance(probe, Unsupported):
        hint = f"; {probe.hint}" if probe.hint else ""
        return "refused", probe.code, f"{probe.reason}{hint}"
    result = choose(probe)
    if isinstance(result, Converted):
        return "port", "CKP041", "porter convert with the name and --shapes FILE of the shapes that ran"
    return "refused", result.code, result.reason
