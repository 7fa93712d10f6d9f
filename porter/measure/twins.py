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
from porter.errors import InputError, PorterError
from porter.kernel_spec import Core, KernelSpec, Schedule
from porter.records import Record
from porter.runtime._serving import TWIN_MARK
from porter.toolchain import flydsl_version
from porter.write import emitter, output
from porter.write.source_edits import Edit


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


#: `partial` hands its operands on, and what was the promote runs the MFMA on top of the accumulator.
_CHAIN = (
    Edit(r"( +)def partial\(w, x\):\n", r"\1def partial(w, x):\n\1    return w, x\n\n\1def accumulate(w, x, acc):\n"),
    Edit(r"(zero|total)\.store\(fx\.Vector\.filled\(4, 0\.0, fx\.Float32\)\)", r"\1.store(acc)"),
    Edit(
        r"( +)xs, ws = scales\n(?:.*\n)*? +return \[fx\.math\.fma\(.*strict=True\)\]\n",
        r"\1return [accumulate(w, x, acc) for (w, x), acc in zip(partials, accumulators, strict=True)]\n",
    ),
)
_ROW_SCALE = (
    Edit(
        r"( +)(for mt in range_constexpr\(M_TILES\):\n +for nt in range_constexpr\(N_TILES\):\n +column = )",
        r"\1row_xs, row_ws = load_scales(fx.Int32(0))\n"
        r"\1row_scale = [fx.Vector.filled(4, xs * row_ws, fx.Float32) for xs in row_xs]\n\1\2",
    ),
    Edit(r"store\(acc\[mt\]\[nt\]", r"store((acc[mt][nt] * row_scale[mt])"),
)
#: Without their use the loads of scales go, so the waits must not count them. The 4-wave core counts none: it keeps
#: the scale that it waits for.
_UNCOUNTED = {Core.EIGHT_WAVE: Edit(r'queue\.issue\("scales", M_TILES\)', r'queue.issue("scales", 0)')}

#: In the decode core nothing but the loads changes from trip to trip; in the others A comes from LDS, behind a barrier.
_OPAQUE = '''
def _opaque(fragments):
    """The same registers, which LLVM has to take for new ones: else it moves the MFMAs out of the loop."""
    if isinstance(fragments, (list, tuple)):
        return [_opaque(part) for part in fragments]
    return _shim.pin(fragments.bitcast(fx.Float32)).bitcast(fx.Int32)


def build('''
_NO_LOAD = {
    Core.FOUR_WAVE: (
        Edit(
            r"(?:load_a\(next_block, 1 - buffer\)\n +)?[ab]_\w+, .*load_(?:b|rest)\(.*\n"
            r"|first = load_first\(kb \+ 2\)\n|(?:a_next\.append\()?load_a\(kb \+ 2 \+ block.*\n",
            "pass\n",
        ),
    ),
    Core.EIGHT_WAVE: (
        Edit(r'refill\("[ab]", [01], (?:1 - )?buffer, (?:next_block|after_next)\)', "pass"),
        # Something must stand between two barriers, or LLVM makes one of them.
        Edit(r'queue\.wait\(\("[ab]", [01], (?:1 - )?buffer\)\)', "_shim.sched_fence()"),
        Edit(r"scales_next = load_scales\(next_block\)", "scales_next = scales"),
    ),
    Core.DECODE: (
        Edit(
            r"reloaded\.append\(load_block\(first \+ done \+ \(i \+ STAGES\)\)\)",
            "reloaded.append((_opaque(stages[i][0]), _opaque(stages[i][1]), stages[i][2]))",
        ),
        Edit(r"\ndef build\(", _OPAQUE),
    ),
}


def twins(spec: KernelSpec) -> tuple[Twin, ...]:
    """Every twin of a kernel. Raises PorterError CKS171 when a changed template has no place for an edit."""
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
    counted = spec.scale_block_m == 1 and spec.arch == "gfx950" and spec.core in _UNCOUNTED
    chain = (*_CHAIN, *([_UNCOUNTED[spec.core]] if counted else []))
    yield _twin(
        spec,
        inline,
        "promote_free",
        "all of K is chained through the MFMAs, and the first block's scales are applied once, in the epilogue",
        (*chain, *_ROW_SCALE),
    )
    yield _twin(spec, inline, "plain_fp8", "all of K is chained through the MFMAs, and no scale is applied", chain)
    yield _twin(
        spec,
        spec,
        "no_load",
        "the loop reads no global memory, works on the first blocks again, and multiplies no scales",
        _NO_LOAD[spec.core],
    )
    if spec.xcds:
        yield _twin(spec, replace(spec, xcds=0), "xcd_off", "workgroups stay in launch order")
    for schedule in Schedule:
        if schedule is not spec.schedule:
            what = f"promotes in the order {schedule.value} instead of {spec.schedule.value}"
            yield _twin(spec, replace(spec, schedule=schedule), f"schedule_{schedule.value}", what)


def _twin(spec: KernelSpec, rendered: KernelSpec, kind: str, what: str, edits: tuple[Edit, ...] = ()) -> Twin:
    name = f"{spec.name}{TWIN_MARK}{kind}"
    provenance = emitter.Provenance(porter.__version__, flydsl_version(), (f"twin of: {spec.name}",))
    text = emitter.render(rendered, provenance).replace("run: porter convert\n", "run: porter twins\n", 1)
    for edit in (*edits, *_marks(rendered.name, name, kind, what)):
        text, places = edit.apply(text)
        if not places:
            raise PorterError("CKS171", f"{name}: no place for {edit.pattern!r} in the kernel's text")
    return Twin(kind, name, what, emitter.tidy(text))


def _marks(rendered: str, name: str, kind: str, what: str) -> tuple[Edit, ...]:
    """What makes a twin unusable by accident: its name, SPEC, docstring and host function."""
    refusal = f'raise ValueError("{name} is a twin for measurements, not for use; benchmarks call build(N, K)")'
    return (
        Edit(f'"name": "{rendered}",', f'"name": "{name}",\n    "twin": "{kind}",'),
        Edit(r'\A((?:#.*\n)+)"""', rf'\1"""MEASUREMENT TWIN, NOT FOR USE: {what}.\n\nMade from: '),
        Edit(r"import torch\n", ""),
        Edit(
            r"HOST = (?:.*\n)*?def (gemm_\w+)\((?:.*\n)*\Z",
            rf'def \1(*_arguments, **_keywords):\n    """Refuses: see above."""\n    {refusal}\n',
        ),
    )
