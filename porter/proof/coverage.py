# SPDX-License-Identifier: Apache-2.0
"""`proofs.json` beside a manifest: for which (N, K) each kernel is proved, so that dispatch can say what is not.

It is no generated file: drift does not look at it. An entry counts for exactly the texts whose digest it names, and
each (N, K) names the code that was executed.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path

import porter
from porter import records
from porter.proof.outcome import KernelOutcome, Outcome
from porter.proof.plan import ProofPlan
from porter.records import Digest, Record, Size
from porter.runtime._proofs import digest, shape_key
from porter.toolchain import flydsl_version
from porter.write.output import replace_file

FILE = "proofs.json"
#: What only the keys of padded rows have.
_PADDED = " rows "


class Proved(Record, frozen=True):
    """What is proved of a kernel. source: digest of its texts; rows: every M; shapes: hash of code by `shape_key`."""

    source: Digest
    rows: tuple[Size, ...]
    shapes: dict[str, Digest]


class Proofs(Record, frozen=True, tag_field="schema", tag="porter/proofs/1"):
    """proofs.json: what is proved of the kernels of a folder, by name; flydsl: what compiled the code."""

    porter: str
    flydsl: str
    kernels: dict[str, Proved]


def record(work: ProofPlan, outcome: Outcome) -> None:
    """Write what a plan over all shape classes proved; other kernels' entries stay while their modules are unchanged,
    and so does what an earlier plan proved of padded rows.

    Nothing is written for a plan of some shapes only, or without a manifest. Raises InputError CKP060.
    """
    if work.manifest is None or not work.manifest.is_file():
        return
    folder = work.manifest.parent
    inside = {job.spec.name for job in work.jobs if job.path.parent.resolve() == folder.resolve()}
    proved: dict[str, list[KernelOutcome]] = {}
    for kernel in outcome.kernels:
        proved.setdefault(kernel.name, []).append(kernel)
    known = current(folder)
    kernels = {name: entry for name, entry in known.items() if name not in inside}
    for name in inside:
        if all(kernel.proved for kernel in proved[name]):
            kernels[name] = _entry(folder, name, proved[name], known.get(name))
    text = written(kernels, flydsl_version())
    path = folder / FILE
    if not path.is_file() or path.read_text("utf-8") != text:
        replace_file(path, text)


def written(kernels: Mapping[str, Proved], flydsl: str) -> str:
    """The file's text for these entries, by kernel name; flydsl: the version that compiled what was proved."""
    proofs = Proofs(porter.__version__, flydsl, dict(sorted(kernels.items())))
    return json.dumps(records.plain(proofs), indent=1) + "\n"


def read(folder: Path) -> dict[str, Proved]:
    """Kernel name -> entry; nothing where the file is absent or damaged."""
    try:
        return records.read(Proofs, (folder / FILE).read_bytes()).kernels
    except (OSError, ValueError, RecursionError):
        return {}


def current(folder: Path) -> dict[str, Proved]:
    """The entries that speak of the texts in the folder."""
    return {name: entry for name, entry in read(folder).items() if entry.source == digest(folder, name)}


def out_of_date(folder: Path, name: str, nks: Iterable[tuple[int, int]]) -> str:
    """What `proofs.json` says wrongly of a kernel that is proved for these (N, K); empty where it has it right, and
    where there is no such file."""
    if not (folder / FILE).is_file():
        return ""
    entry = read(folder).get(name)
    if entry is None:
        return f"says nothing of {name}, which is proved"
    if entry.source != digest(folder, name):
        return f"speaks of another text of {name}"
    proved = [f"{n}x{k}" for n, k in nks]
    missing = [key for key in proved if key not in entry.shapes]
    if missing:
        return f"leaves out {', '.join(missing[:3])} of {name}, which are proved"
    more = [key for key in entry.shapes if key not in proved and _PADDED not in key]
    return f"says {', '.join(more[:3])} of {name}, which are not proved" if more else ""


def _entry(folder: Path, name: str, proved: list[KernelOutcome], before: Proved | None) -> Proved:
    rows = sorted({case.m for kernel in proved for case in kernel.cases})
    earlier = {key: code for key, code in before.shapes.items() if _PADDED in key} if before else {}
    codes = {(item.n, item.k, item.a_stride, item.b_stride): item.code for item in proved}
    shapes = {shape_key(*built): code for built, code in sorted(codes.items())}
    return Proved(digest(folder, name), tuple(rows), shapes | earlier)
