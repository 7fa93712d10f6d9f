# SPDX-License-Identifier: Apache-2.0
"""What a compiled kernel takes, against the chip, the configured budget and the committed baseline; and arithmetic of
its code that is reported to fail on the chip."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from porter import records
from porter.census import KernelCensus
from porter.gate.baseline import OF_LOOP
from porter.gate.checks.kind import CodeCheck, Judged
from porter.gate.context import KernelContext
from porter.gate.locate import PROMOTE, RESOURCES
from porter.gate.result import GateFinding
from porter.gate.rule import GateRule
from porter.measure.guard import guard
from porter.problem import TARGETS

_SMALLER = "Use a smaller tile or fewer waves_per_eu"
SPILLS = GateRule(
    "CKG030",
    "spills",
    "A kernel spills registers.",
    f"{_SMALLER}; `porter inspect --candidates` shows which fit.",
)
SCRATCH = GateRule("CKG031", "scratch", "A kernel uses scratch memory.", f"{_SMALLER}.")
LDS = GateRule("CKG032", "lds", "A kernel takes more LDS than its budget.", "Use a smaller tile, or raise the budget.")
VGPRS = GateRule(
    "CKG033", "vgprs", "A kernel takes more VGPRs than its budget.", "Use a smaller tile, or raise the budget."
)
AGPR_MOVES = GateRule("CKG034", "agpr-moves", "The hot loop moves AGPRs.", f"{_SMALLER}.")
CENSUS = GateRule(
    "CKG035",
    "census",
    "The hot loop grew past the committed baseline.",
    "Compare the loops with `porter census`; if it is meant, `porter ci --write-baseline` takes it over.",
)
REQUESTS = GateRule(
    "CKG037",
    "requests",
    "A kernel asks memory more often for a K tile than its budget or the committed baseline has it.",
    "`porter census` shows the requests by operand: a segment of 64 bytes should be asked for once a workgroup.",
)
PACKED_FP32 = GateRule(
    "CKG043",
    "packed-fp32",
    "The code holds a form of packed fp32 arithmetic that is reported to fail on the chip.",
    "Compare results on hardware, with signed data and more than once; `packed-fp32` in [tool.porter] sets how "
    "bad this is.",
    "warning",
)
#: Refusals of the measured guard -> rules of the gate; native scaling is a rule of the lint.
_GUARD_RULES = {
    "CKS160": SPILLS.id,
    "CKS161": SCRATCH.id,
    "CKS162": AGPR_MOVES.id,
    "CKS163": LDS.id,
    "CKS164": "CKG010",
    "CKS165": VGPRS.id,
}


class WithinBudget(CodeCheck):
    """A finding for every limit that a kernel of the module exceeds, with the numbers."""

    NAME = "budget"
    RULES = (SPILLS, SCRATCH, LDS, VGPRS, AGPR_MOVES, CENSUS, REQUESTS, PACKED_FP32)

    def decides(self, at: KernelContext) -> Mapping[str, Any]:
        config = at.run.config
        return {
            "budget": records.plain(config.budget),
            "baseline": records.plain(at.run.baseline),
            "file": config.baseline,
        }

    def judge(self, at: KernelContext) -> Judged:
        taken = at.census(at.compiled)
        findings = [finding for census in taken for finding in _of(at, census)]
        compared = any(census.name in at.run.baseline for census in taken)
        note = "" if compared else "no baseline: growth of the loop was not judged"
        return Judged([*findings, *_packed_fp32(at)], note)


def _of(at: KernelContext, census: KernelCensus) -> Iterator[GateFinding]:
    """What one kernel of a module exceeds; one that bears the module's name need not be named again."""
    who = "" if census.name == at.kernel.name else f"{census.name}: "
    for rule, message, key in (*_limits(at, census), *_requests(at, census), *_growth(at, census)):
        yield GateFinding(rule, f"{who}{message}", at.find(*RESOURCES), at.kernel.name, key)


def _limits(at: KernelContext, census: KernelCensus) -> Iterator[tuple[str, str, str]]:
    """(rule, message, key) of what is more than the chip has, or the budget allows."""
    resources, budget = census.resources, at.run.config.budget
    reported = set()
    for reason in guard(census, TARGETS[at.kernel.arch]):
        rule = _GUARD_RULES[reason.code]
        if rule == SPILLS.id and resources.vgpr_spills + resources.sgpr_spills <= budget.spills:
            continue
        if rule == SCRATCH.id and resources.scratch_bytes <= budget.scratch_bytes:
            continue
        reported.add(rule)
        yield rule, reason.text, reason.code
    limits = (
        (LDS.id, "bytes of LDS", resources.lds_bytes, budget.lds_bytes),
        (VGPRS.id, "VGPRs", resources.vgprs, budget.vgprs),
    )
    for rule, what, has, limit in limits:
        if limit is not None and has > limit and rule not in reported:
            yield rule, f"{has} {what}, the budget is {limit}", what


def _requests(at: KernelContext, census: KernelCensus) -> Iterator[tuple[str, str, str]]:
    """(rule, message, key) where a K tile asks memory more often than it may; nothing where that was not counted."""
    if not census.requests:
        return
    now, budget = census.requests.per_k_tile, at.run.config.budget
    if budget.requests is not None and now > budget.requests:
        yield REQUESTS.id, f"{now:g} requests a K tile, the budget is {budget.requests}", "requests"
    before = at.run.baseline.get(census.name)
    if before and before.requests and now > before.requests * (1 + budget.growth):
        yield REQUESTS.id, f"{now:g} requests a K tile, were {before.requests:g}", "requests"


def _growth(at: KernelContext, census: KernelCensus) -> Iterator[tuple[str, str, str]]:
    """(rule, message, key) of what grew in the hot loop; with a configured baseline, each kernel must be in it."""
    config, before = at.run.config, at.run.baseline.get(census.name)
    if before is None:
        if config.baseline:
            yield CENSUS.id, "the baseline does not have this kernel", "unknown"
        return
    for name in OF_LOOP:
        now, were = getattr(census.loop, name), getattr(before, name)
        if now > were * (1 + config.budget.growth):
            yield CENSUS.id, f"{name.replace('_', ' ')} of the hot loop {now:g}, were {were:g}", name


def _packed_fp32(at: KernelContext) -> Iterator[GateFinding]:
    """A finding of the configured level for each such form that stands in the code, with how often."""
    from oracle.packed_fp32 import reported

    for finding in reported(at.compiled.isa, at.kernel.arch):
        message = f"{finding.explanation}; it stands here {finding.count} times [{finding.code}]"
        where, level = at.find(*PROMOTE), at.run.config.packed_fp32
        yield GateFinding(PACKED_FP32.id, message, where, at.kernel.name, finding.code, str(finding.party), level)
