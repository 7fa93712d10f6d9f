# SPDX-License-Identifier: Apache-2.0
"""`proofs.json` beside a manifest: for which (N, K) each kernel is proved, so that dispatch can say what is not.

It is no generated file: drift does not look at it. An entry counts for exactly the texts whose digest it names, and
each (N, K) names the code that was executed.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import porter
from porter.proof.outcome import KernelOutcome, Outcome
from porter.proof.plan import ProofPlan
from porter.runtime._proofs import digest, shape_key
from porter.toolchain import flydsl_version
from porter.write.output import replace_file

FILE = "proofs.json"
SCHEMA = "porter/proofs/1"
#: What only the keys of padded rows have.
_PADDED = " rows "


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
            kernels[name] = _entry(folder, name, proved[name], known.get(name, {}))
    text = written(kernels, flydsl_version())
    path = folder / FILE
    if not path.is_file() or path.read_text("utf-8") != text:
        replace_file(path, text)


def written(kernels: Mapping[str, Mapping[str, Any]], flydsl: str) -> str:
    """The file's text for these entries, by kernel name; flydsl: the version that compiled what was proved."""
    ordered = dict(sorted(kernels.items()))
    data = {"schema": SCHEMA, "porter": porter.__version__, "flydsl": flydsl, "kernels": ordered}
    return json.dumps(data, indent=1) + "\n"


def read(folder: Path) -> dict[str, Any]:
    """Kernel name -> entry; nothing where the file is absent or damaged."""
    try:
        data = json.loads((folder / FILE).read_text("utf-8"))
        return {name: entry for name, entry in data["kernels"].items() if isinstance(entry["source"], str)}
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return {}


def current(folder: Path) -> dict[str, Any]:
    """The entries that speak of the texts in the folder."""
    return {name: entry for name, entry in read(folder).items() if entry["source"] == digest(folder, name)}


def out_of_date(folder: Path, name: str, nks: Iterable[tuple[int, int]]) -> str:
    """What `proofs.json` says wrongly of a kernel that is proved for these (N, K); empty where it has it right, and
    where there is no such file."""
    if not (folder / FILE).is_file():
        return ""
    entry = read(folder).get(name)
    if entry is None:
        return f"says nothing of {name}, which is proved"
    if entry["source"] != digest(folder, name):
        return f"speaks of another text of {name}"
    proved, said = [f"{n}x{k}" for n, k in nks], entry.get("shapes", {})
    missing = [key for key in proved if key not in said]
    if missing:
        return f"leaves out {', '.join(missing[:3])} of {name}, which are proved"
    more = [key for key in said if key not in proved and _PADDED not in key]
    return f"says {', '.join(more[:3])} of {name}, which are not proved" if more else ""


def _entry(folder: Path, name: str, proved: list[KernelOutcome], before: Mapping[str, Any]) -> dict[str, Any]:
    rows = sorted({case.m for kernel in proved for case in kernel.cases})
    earlier = {key: code for key, code in before.get("shapes", {}).items() if _PADDED in key}
    codes = {(item.n, item.k, item.a_stride, item.b_stride): item.code for item in proved}
    shapes = {shape_key(*built): code for built, code in sorted(codes.items())}
    return {"source": digest(folder, name), "rows": rows, "shapes": shapes | earlier}
