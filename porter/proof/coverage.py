# SPDX-License-Identifier: Apache-2.0
"""`proofs.json` beside a manifest: for which (N, K) each kernel is proved, so that dispatch can say what is not.

It is no generated file: drift does not look at it. An entry counts for exactly the texts whose digest it names, and
each (N, K) names the code that was executed.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import porter
from porter.proof.outcome import KernelOutcome, Outcome
from porter.proof.plan import Plan
from porter.runtime._proofs import digest
from porter.toolchain import flydsl_version
from porter.write.output import replace_file

FILE = "proofs.json"
SCHEMA = "porter/proofs/1"


def record(work: Plan, outcome: Outcome) -> None:
    """Write what a plan over all shape classes proved; other kernels' entries stay while their modules are unchanged.

    Nothing is written for a plan of some shapes only, or without a manifest. Raises InputError CKP060.
    """
    if work.manifest is None or not work.manifest.is_file():
        return
    folder = work.manifest.parent
    inside = {job.spec.name for job in work.jobs if job.path.resolve().parent == folder.resolve()}
    proved: dict[str, list[KernelOutcome]] = {}
    for kernel in outcome.kernels:
        proved.setdefault(kernel.name, []).append(kernel)
    kernels = {name: entry for name, entry in read(folder).items() if name not in inside}
    for name in sorted(inside):
        if all(kernel.proved for kernel in proved[name]):
            kernels[name] = _entry(folder, name, proved[name])
    current = {name: entry for name, entry in sorted(kernels.items()) if entry["source"] == digest(folder, name)}
    data = {"schema": SCHEMA, "porter": porter.__version__, "flydsl": flydsl_version(), "kernels": current}
    text = json.dumps(data, indent=1) + "\n"
    path = folder / FILE
    if not path.is_file() or path.read_text("utf-8") != text:
        replace_file(path, text)


def read(folder: Path) -> dict[str, Any]:
    """Kernel name -> entry; nothing where the file is absent or damaged."""
    try:
        data = json.loads((folder / FILE).read_text("utf-8"))
        return {name: entry for name, entry in data["kernels"].items() if isinstance(entry["source"], str)}
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return {}


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
    missing = [f"{n}x{k}" for n, k in nks if f"{n}x{k}" not in entry.get("shapes", {})]
    return f"leaves out {', '.join(missing[:3])} of {name}, which are proved" if missing else ""


def _entry(folder: Path, name: str, proved: list[KernelOutcome]) -> dict[str, Any]:
    rows = sorted({case.m for kernel in proved for case in kernel.cases})
    shapes = {f"{kernel.n}x{kernel.k}": kernel.code for kernel in sorted(proved, key=lambda item: (item.n, item.k))}
    return {"source": digest(folder, name), "rows": rows, "shapes": shapes}
