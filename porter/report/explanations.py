# SPDX-License-Identifier: Apache-2.0
"""Why a kernel serves its shapes: what the rules say today of the first row of each of its regimes."""

from __future__ import annotations

from collections.abc import Iterable

from porter.kernel_spec import Core, KernelSpec
from porter.problem import TARGETS
from porter.report.model import Candidate, Explanation, RuleVerdict, Shape, label
from porter.select import recipes


def explain(spec: KernelSpec, shapes: Iterable[Shape]) -> tuple[Explanation, ...]:
    """One explanation for every regime, in the order in which the manifest names them first."""
    first: dict[str, Shape] = {}
    for shape in shapes:
        first.setdefault(shape.regime, shape)
    return tuple(_explain(spec, shape) for shape in first.values())


def _explain(spec: KernelSpec, shape: Shape) -> Explanation:
    recipe = recipes.choose(
        shape.size,
        TARGETS[spec.arch],
        spec.family,
        scale_block_m=spec.scale_block_m,
        contract=spec.contract,
        out_dtype=spec.out_dtype,
        # The kernel's own slices: which of the row's columns asked for them is not in the manifest.
        kbatch=spec.split_k if spec.core is Core.DECODE else None,
    )
    candidates = tuple(Candidate(label(item.spec), item.why, item.spec == spec) for item in recipe.candidates)
    notes = []
    if recipe.regime.value != shape.regime:
        notes.append(f"The manifest says {shape.regime}; this version of porter says {recipe.regime.value}.")
    if not any(candidate.chosen for candidate in candidates):
        notes.append("This version of porter does not name this kernel for the shape.")
    rules = tuple(
        RuleVerdict(verdict.rule.regime.value, verdict.holds, verdict.text, verdict.rule.reason)
        for verdict in recipe.reasons
    )
    return Explanation(shape.regime, shape.size, rules, candidates, " ".join(notes))
