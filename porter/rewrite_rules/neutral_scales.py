# SPDX-License-Identifier: Apache-2.0
"""CKR109: scaled MFMAs whose scales are pinned to 1.0."""

from __future__ import annotations

from porter.rewrite_rules.engine.atoms import without_scales
from porter.rewrite_rules.engine.plan import RewritePlan
from porter.rewrite_rules.engine.raw import drop_scales
from porter.rewrite_rules.rule import Case, RewriteRule, Site


class NeutralScales(RewriteRule):
    """Scales pinned to 1.0 on both sides are dropped.

    What: raw calls and atoms whose two scales are the E8M0 code 127 (0x7F7F7F7F). Optional: it runs where it is named.

    Why: the value is the same, the instruction is not: the scaled form takes 16 bytes and two scale registers, the
    unscaled one 8 bytes and none.

    Example: `mfma_scale(t, [a, b, c, 0, 0, 0, 0x7F7F7F7F, 0, 0x7F7F7F7F])` becomes
    `mfma_scale(t, [a, b, c, 0, 0, 0, 0, 0, 0])`; literal 0 on both sides selects the unscaled opcode.

    Numeric effect: none.

    Source: docs/notes/flydsl.md#choice-of-mfma; LLVM, selection of `v_mfma_f32_*_f8f6f4` for literal zero scales.
    """

    ID = "CKR109"
    TITLE = "scales pinned to 1.0"
    OPTIONAL = True

    VALID = (
        Case(
            "1.0 on one side, a product of scales on the other",
            """
            both = (ws * xs).bitcast(fx.Int32) >> 23
            acc = rocdl.mfma_scale_f32_16x16x128_f8f6f4(t, [w, x, acc, 0, 0, 0, 127, 0, both])
            acc = fx.Vector(acc, 4, fx.Float32)
            """,
        ),
    )
    INVALID = (
        Case(
            "a raw call",
            """
            acc = rocdl.mfma_scale_f32_16x16x128_f8f6f4(t, [w, x, acc, 0, 0, 0, 0x7F7F7F7F, 0, 0x7F7F7F7F])
            acc = fx.Vector(acc, 4, fx.Float32)
            """,
            """
            acc = rocdl.mfma_scale_f32_16x16x128_f8f6f4(t, [w, x, acc, 0, 0, 0, 0, 0, 0])
            acc = fx.Vector(acc, 4, fx.Float32)
            """,
        ),
        Case(
            "an atom",
            """
            a, b, d = fragment(w, 8, fx.Int32), fragment(x, 8, fx.Int32), fragment(acc, 4, fx.Float32)
            fx.gemm(mma, d, a, b, d, scale_a=fx.Int32(127), scale_b=fx.Int32(127))
            acc = d.load()
            """,
            """
            a, b, d = fragment(w, 8, fx.Int32), fragment(x, 8, fx.Int32), fragment(acc, 4, fx.Float32)
            fx.gemm(mma, d, a, b, d)
            acc = d.load()
            """,
        ),
    )

    def write(self, plan: RewritePlan, site: Site) -> None:
        """The call without scales."""
        if site.atom is not None:
            without_scales(plan, site)
        else:
            drop_scales(plan, site, None)
