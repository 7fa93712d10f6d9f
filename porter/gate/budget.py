# SPDX-License-Identifier: Apache-2.0
"""What a compiled kernel takes, against the chip, the configured budget and the committed baseline."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from porter import manifest, records
from porter.census import KernelCensus
from porter.errors import InputError
from porter.gate.config import Budget, GateConfig
from porter.gate.locate import RESOURCES, Locator
from porter.gate.result import GateFinding
from porter.gate.subject import Subject
from porter.measure.guard import guard
from porter.problem import TARGETS
from porter.records import Amount, Record, made

#: Refusals of the measured guard -> rules of the gate.
_GUARD_RULES = {
    "CKS160": "CKG030",
    "CKS161": "CKG031",
    "CKS162": "CKG034",
    "CKS163": "CKG032",
    "CKS164": "CKG010",
    "CKS165": "CKG033",
}


class Counts(Record, frozen=True):
    """Counts of the hot loop that must not grow: instructions of one wave and one trip."""

    instructions: Amount
    valu_total: Amount
    lds_reads: Amount
    lds_writes: Amount
    lds_dma: Amount
    global_loads: Amount
    scratch: Amount
    barriers: Amount
    nop_wait_states: Amount


class BaselineFile(Record, frozen=True, tag_field="schema", tag="porter/baseline/1"):
    """porter ci --write-baseline: counts of every kernel's hot loop that `porter ci` holds later ones against."""

    kernels: dict[str, Counts]


Baseline = Mapping[str, Counts]


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
            for name in Counts.__struct_fields__:
                now, were = getattr(census.loop, name), getattr(before, name)
                if now > were * (1 + budget.growth):
                    text = f"{who}{name.replace('_', ' ')} of the hot loop {now:g}, were {were:g}"
                    yield finding("CKG035", text, name)


def read_baseline(config: GateConfig) -> Baseline:
    """Kernel -> counts: from the configured file, else from the committed manifest where it has a census.

    Raises InputError CKG113 for a configured file that cannot be read.
    """
    if not config.baseline:
        return dict(_of_manifest(config.root / config.out / manifest.FILE))
    path = config.root / config.baseline
    try:
        return records.read(BaselineFile, path.read_bytes()).kernels
    except (OSError, ValueError, RecursionError) as error:
        hint = "porter ci --write-baseline writes it"
        raise InputError("CKG113", f"{path}: no baseline that can be read ({error})", config.where, hint) from error


def baseline_text(taken: Sequence[KernelCensus]) -> str:
    """The text of a baseline file."""
    kernels = {census.name: made(Counts, census.loop) for census in sorted(taken, key=lambda item: item.name)}
    return records.text(BaselineFile(kernels)) + "\n"


def _of_manifest(path: Path) -> Iterator[tuple[str, Counts]]:
    try:
        kernels = manifest.read(path).kernels
    except InputError:
        return  # a damaged manifest is drift, or a finding of the kernels in scope
    for kernel in kernels:
        for census in kernel.census.kernels if kernel.census else ():
            yield census.name, made(Counts, census.loop)
