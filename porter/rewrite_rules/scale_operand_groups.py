# SPDX-License-Identifier: Apache-2.0
"""CKR103: scaled-MFMA atoms whose operands come as `[data, scale]`."""

from __future__ import annotations

from collections.abc import Iterator

from porter.rewrite_rules.engine.atoms import atom_calls, site_of, write_promoted
from porter.rewrite_rules.engine.plan import Plan
from porter.rewrite_rules.rule import Rule, Site


class ScaleOperandGroups(Rule):
    """An atom call over `[data, scale]` operands becomes an unscaled call and a promote.

    What: `fx.gemm(atom, d, [a, sa], [b, sb], c)` and `fx.mma_atom_call` likewise, on rank-1 register fragments, where
    `atom` is a 16x16x128 `MFMA_Scale` and the scale fragments hold E8M0 codes of fp32 scales.

    Why: the second tensor of a group becomes the MFMA's E8M0 operand: the scale is rounded to a power of two.

    Example: `fx.gemm(mma, acc, [w, ws], [x, xs], acc)` becomes
    `promoted_gemm(mma, acc, w, x, acc, fill(ws.load()[0] * xs.load()[0]))`, with the helper written into the file.

    Numeric effect: contract `ck`: one fp32 rounding of the scales' product, one of the fused multiply-add.

    Source: FlyDSL, `expr/primitive.py: gemm` and `expr/rocdl/cdna4.py: MFMA_Scale`.
    """

    ID = "CKR103"
    TITLE = "scales beside their operands"

    def sites(self, plan: Plan) -> Iterator[Site]:
        """Atom calls with a group on either side."""
        for found in atom_calls(plan):
            if "group" in found.sources:
                yield site_of(plan, self, found)

    def write(self, plan: Plan, site: Site) -> None:
        """The promoted call."""
        write_promoted(plan, site)
