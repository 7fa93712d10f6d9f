# SPDX-License-Identifier: Apache-2.0
"""Measurement-only siblings of a kernel: one thing is taken away or changed, to see on hardware what it costs.

The promote-free twin is the ceiling, the gap to it the promote's tax; hold the MFMA work fixed and vary one thing
(docs/notes/tuning.md#diagnosis). A twin keeps the MFMAs of the kernel's loop and computes something else, except where
it only changes an order. Its name, SPEC, docstring and host function say that it is not for use; benchmarks call its
`build(N, K)`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

from msgspec import Meta

import porter
from porter import manifest
from porter.blocks._variant import Variant
from porter.errors import InputError
from porter.kernel_spec import KernelSpec, Schedule
from porter.records import Record
from porter.runtime._serving import TWIN_MARK
from porter.toolchain import flydsl_version
from porter.write import emitter, output


@dataclass(frozen=True, slots=True)
class Twin:
    """kind: what is varied; name: of kernel and module; what: the sentence in its docstring; text: of the module."""

    kind: str
    name: str
    what: str
    text: str


class TwinOutput(Record, frozen=True):
    """A twin; members as in `Twin`."""

    kind: str
    name: Annotated[str, Meta(pattern=TWIN_MARK)]
    what: str


class TwinsOutput(Record, frozen=True, tag_field="schema", tag="porter/twins/1"):
    """porter twins: the measurement-only siblings of a kernel that were written."""

    kernel: str
    out: str
    twins: tuple[TwinOutput, ...]


def twins(spec: KernelSpec) -> tuple[Twin, ...]:
    """Every twin of a kernel."""
    return tuple(_twins(spec))


def write(folder: Path, made: tuple[Twin, ...]) -> None:
    """Put twins and the modules that they import into a folder of their own.

    Raises InputError: CKS172 for a folder of kernels in use, CKP060 when it cannot be written.
    """
    if (folder / manifest.FILE).exists():
        raise InputError(
            "CKS172", f"{folder}: holds kernels in use; twins do not belong beside them", hint="name another with --out"
        )
    output.write(folder, {**emitter.support_files(), **{f"{twin.name}.py": twin.text for twin in made}})


def _twins(spec: KernelSpec) -> Iterator[Twin]:
    # The inline order has each promote beside its MFMAs, which is where the chained MFMA must stand.
    inline = replace(spec, schedule=Schedule.INLINE)
    yield _twin(
        spec,
        inline,
        "promote_free",
        "all of K is chained through the MFMAs, and the first block's scales are applied once, in the epilogue",
        Variant(promote="chained", row_scale=True),
    )
    what = "all of K is chained through the MFMAs, and no scale is applied"
    yield _twin(spec, inline, "plain_fp8", what, Variant(promote="chained"))
    what = "promotes go an element at a time, and LLVM packs none of them; the results are the kernel's"
    yield _twin(spec, spec, "scalar", what, Variant(promote="scalar"))
    what = "the loop reads no global memory, works on the first blocks again, and multiplies no scales"
    yield _twin(spec, spec, "no_load", what, Variant(loads=False))
    if spec.xcds:
        yield _twin(spec, replace(spec, xcds=0), "xcd_off", "workgroups stay in launch order")
    for schedule in Schedule:
        if schedule is not spec.schedule:
            what = f"promotes in the order {schedule.value} instead of {spec.schedule.value}"
            yield _twin(spec, replace(spec, schedule=schedule), f"schedule_{schedule.value}", what)


def _twin(spec: KernelSpec, rendered: KernelSpec, kind: str, what: str, variant: Variant | None = None) -> Twin:
    name = f"{spec.name}{TWIN_MARK}{kind}"
    made_from = (f"twin of: {spec.name}",)
    provenance = emitter.Provenance(porter.__version__, flydsl_version(), made_from, command="twins")
    departure = emitter.Departure(variant or Variant(), kind, name, what)
    return Twin(kind, name, what, emitter.render(rendered, provenance, departure))
