# SPDX-License-Identifier: Apache-2.0
"""What a compiled kernel takes, against the chip, the configured budget and the committed baseline."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from porter.errors import InputError
from porter.gate.config import Budget, GateConfig
from porter.gate.locate import RESOURCES, Locator
from porter.gate.result import GateFinding
from porter.gate.subject import Subject
from porter.measure.census import KernelCensus
from porter.measure.guard import guard
from porter.problem import TARGETS
from porter.write.output import MANIFEST

#: Refusals of the measured guard -> rules of the gate.
_GUARD_RULES = {
    "CKS160": "CKG030",
    "CKS161": "CKG031",
    "CKS162": "CKG034",
    "CKS163": "CKG032",
    "CKS164": "CKG010",
    "CKS165": "CKG033",
}
#: Counts of the hot loop that must not grow.
COUNTS: tuple[str, ...] = (
    "instructions",
    "valu_total",
    "lds_reads",
    "lds_writes",
    "lds_dma",
    "global_loads",
    "scratch",
    "barriers",
    "nop_wait_states",
)

Baseline = Mapping[str, Mapping[str, float]]


def within_budget(
    subject: Subject,
    taken: Sequence[KernelCensus],
    budget: Budget,
    baseline: Baseline,
    must_be_known: bool,
    locator: Locator,
) -> Iterator[GateFinding]:
    """A finding for every limit that a kernel of the module exceeds, with the numbers.

    must_be_known: whether a kernel that the baseline does not have is a finding too.
    """

    def finding(rule: str, message: str, key: str) -> GateFinding:
        return GateFinding(rule, message, locator.find(subject, RESOURCES), subject.name, key)

    for census in taken:
        resources = census.resources
        # A module may hold several kernels; one that bears the module's name need not be named again.
        who = "" if census.name == subject.name else f"{census.name}: "
        reported = set()
        for reason in guard(census, TARGETS[subject.arch]):
            rule = _GUARD_RULES[reason.code]
            if rule == "CKG030" and resources.vgpr_spills + resources.sgpr_spills <= budget.spills:
                continue
            if rule == "CKG031" and resources.scratch_bytes <= budget.scratch_bytes:
                continue
            reported.add(rule)
            yield finding(rule, f"{who}{reason.text}", reason.code)
        limits = (
            ("CKG032", "bytes of LDS", resources.lds_bytes, budget.lds_bytes),
            ("CKG033", "VGPRs", resources.vgprs, budget.vgprs),
        )
        for rule, what, has, limit in limits:
            if limit is not None and has > limit and rule not in reported:
                yield finding(rule, f"{who}{has} {what}, the budget is {limit}", what)
        before = baseline.get(census.name)
        if before is None and must_be_known:
            yield finding("CKG035", f"{who}the baseline does not have this kernel", "unknown")
        if before is not None:
            now = counts(census)
            for name in COUNTS:
                if name in before and now[name] > before[name] * (1 + budget.growth):
                    text = f"{who}{name.replace('_', ' ')} of the hot loop {now[name]:g}, were {before[name]:g}"
                    yield finding("CKG035", text, name)


def counts(census: KernelCensus) -> dict[str, float]:
    """The counts of a loop that a baseline holds."""
    loop = census.to_json()["loop"]
    return {name: loop[name] for name in COUNTS}


def read_baseline(config: GateConfig) -> Baseline:
    """Kernel -> counts: from the configured file, else from the committed manifest where it has a census.

    Raises InputError CKG113 for a configured file that cannot be read.
    """
    if not config.baseline:
        return dict(_of_manifest(config.root / config.out / MANIFEST))
    path = config.root / config.baseline
    try:
        data = json.loads(path.read_text("utf-8"))
        if data["schema"] != "porter/baseline/1":
            raise ValueError("not of porter")
        return {name: _numbers(entry) for name, entry in data["kernels"].items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        hint = "porter ci --write-baseline writes it"
        raise InputError("CKG113", f"{path}: no baseline that can be read ({error})", config.where, hint) from error


def _numbers(entry: Mapping[str, Any]) -> dict[str, float]:
    """The counts of one kernel. Raises ValueError for one that is missing, or no number."""
    for name in COUNTS:
        if isinstance(entry[name], bool) or not isinstance(entry[name], int | float) or not math.isfinite(entry[name]):
            raise ValueError(f"{name} is no number")
    return {name: entry[name] for name in COUNTS}


def baseline_text(taken: Sequence[KernelCensus]) -> str:
    """The text of a baseline file."""
    kernels = {census.name: counts(census) for census in sorted(taken, key=lambda item: item.name)}
    return json.dumps({"schema": "porter/baseline/1", "kernels": kernels}, indent=1) + "\n"


def _of_manifest(path: Path) -> Iterator[tuple[str, dict[str, float]]]:
    try:
        kernels: list[dict[str, Any]] = json.loads(path.read_text("utf-8"))["kernels"]
        for kernel in kernels:
            for census in kernel.get("census", {}).get("kernels", ()):
                yield census["name"], _numbers(census["loop"])
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return  # a damaged manifest is drift, or a finding of the kernels in scope
