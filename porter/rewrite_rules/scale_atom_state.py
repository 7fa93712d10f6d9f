# SPDX-License-Identifier: Apache-2.0
"""CKR104: scaled-MFMA atoms whose scales are atom state."""

from __future__ import annotations

from collections.abc import Iterator

from porter.rewrite_rules.engine.atoms import atom_calls, site_of, write_promoted
from porter.rewrite_rules.engine.plan import Plan
from porter.rewrite_rules.rule import Rule, Site


class ScaleAtomState(Rule):
    """An atom that carries its scales as state becomes an atom without, and its call a promoted one.

    What: `atom.set_value("scale_a", s)`, `atom.set_value({"scale_a": s, "scale_b": t})`, `fx.atom_set_value(...)` and
    `fx.gemm(..., scale_a=s, scale_b=t)` on a 16x16x128 `MFMA_Scale`, also where a class or a helper holds the atom.

    Why: the state becomes the MFMA's E8M0 operands. State that is set on one side only leaves the other at code 0,
    which multiplies by 2^-127; that is refused, because what was meant is not known.

    Example: `fx.gemm(mma, acc, w, x, acc, scale_a=ws, scale_b=xs)` becomes
    `promoted_gemm(mma, acc, w, x, acc, fill(ws * xs))`.

    Numeric effect: contract `ck`: one fp32 rounding of the scales' product, one of the fused multiply-add.

    Source: FlyDSL, `expr/rocdl/cdna4.py: MFMA_Scale`, "Current atom state".
    """

    ID = "CKR104"
    TITLE = "scales as atom state"

    def sites(self, plan: Plan) -> Iterator[Site]:
        """Atom calls without a group; one without any scale is only remembered as right."""
        for found in atom_calls(plan):
            if not any(found.sources):
                plan.keep(found.module, found.call, "no scale is set, the MFMA is unscaled")
            elif "group" not in found.sources:
                yield site_of(plan, self, found)

    def write(self, plan: Plan, site: Site) -> None:
        """The promoted call."""
        write_promoted(plan, site)
