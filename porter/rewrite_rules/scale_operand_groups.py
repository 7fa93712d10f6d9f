# SPDX-License-Identifier: Apache-2.0
"""CKR103: scaled-MFMA atoms whose operands come as `[data, scale]`."""

from __future__ import annotations

from collections.abc import Iterator

from porter.rewrite_rules.engine import promote
from porter.rewrite_rules.engine.atoms import atom_calls, site_of, write_promoted
from porter.rewrite_rules.engine.plan import RewritePlan
from porter.rewrite_rules.rule import EXPONENT_CODE, Case, RewriteRule, Site


class ScaleOperandGroups(RewriteRule):
    """An atom call over `[data, scale]` operands becomes an unscaled call and a promote.

    What: `fx.gemm(atom, d, [a, sa], [b, sb], c)` and `fx.mma_atom_call` likewise, on rank-1 register fragments, where
    `atom` is a 16x16x128 `MFMA_Scale` and the scale fragments hold E8M0 codes of fp32 scales.

    Why: the second tensor of a group becomes the MFMA's E8M0 operand: the scale is rounded to a power of two.

    Example: `fx.gemm(mma, acc, [w, ws], [x, xs], acc)` becomes
    `acc.store(fma(fill(ws.load()[0] * xs.load()[0]), partial_gemm(mma, w, x), acc.load()))`, and the helper is
    written into the file.

    Numeric effect: contract `ck`: one fp32 rounding of the scales' product, one of the fused multiply-add.

    Source: FlyDSL, `expr/primitive.py: gemm` and `expr/rocdl/cdna4.py: MFMA_Scale`.
    """

    ID = "CKR103"
    TITLE = "scales beside their operands"

    VALID = (
        Case(
            "groups of data alone",
            """
            a, b, d = fragment(w, 8, fx.Int32), fragment(x, 8, fx.Int32), fragment(acc, 4, fx.Float32)
            fx.gemm(mma, d, [a], [b], d)
            acc = d.load()
            """,
        ),
    )
    INVALID = (
        Case(
            "scale fragments beside the data",
            """
            a, b, d = fragment(w, 8, fx.Int32), fragment(x, 8, fx.Int32), fragment(acc, 4, fx.Float32)
            sa = fx.make_rmem_tensor(1, fx.Int32)
            sa.store(fx.Vector.filled(1, code(ws), fx.Int32))
            sb = fx.make_rmem_tensor(1, fx.Int32)
            sb[0] = code(xs)
            fx.gemm(mma, d, [a, sa], [b, sb], d)
            acc = d.load()
            """,
            """
            a, b, d = fragment(w, 8, fx.Int32), fragment(x, 8, fx.Int32), fragment(acc, 4, fx.Float32)
            sa = fx.make_rmem_tensor(1, fx.Float32)
            sa.store(fx.Vector.filled(1, ws, fx.Float32))
            sb = fx.make_rmem_tensor(1, fx.Float32)
            sb[0] = xs
            d.store(
                fx.math.fma(
                    fx.Vector.filled(4, sa.load()[0] * sb.load()[0], fx.Float32), partial_gemm(mma, a, b), d.load()
                )
            )
            acc = d.load()
            """,
            helpers=EXPONENT_CODE,
            helpers_after=promote.partial_gemm("fx")[1],
        ),
    )
    REFUSED = (
        Case(
            "scale fragments from a helper that makes data fragments too",
            """
            a, b, d = fragment(w, 8, fx.Int32), fragment(x, 8, fx.Int32), fragment(acc, 4, fx.Float32)
            sa = fragment(fx.Vector.filled(1, code(ws), fx.Int32), 1, fx.Int32)
            sb = fragment(fx.Vector.filled(1, code(xs), fx.Int32), 1, fx.Int32)
            fx.gemm(mma, d, [a, sa], [b, sb], d)
            acc = d.load()
            """,
            refused="CKR204",
            helpers=EXPONENT_CODE,
        ),
        Case(
            "a group on one side, nothing on the other",
            """
            a, b, d = fragment(w, 8, fx.Int32), fragment(x, 8, fx.Int32), fragment(acc, 4, fx.Float32)
            sa = fx.make_rmem_tensor(1, fx.Int32)
            sa.store(fx.Vector.filled(1, code(ws), fx.Int32))
            fx.gemm(mma, d, [a, sa], b, d)
            acc = d.load()
            """,
            refused="CKR201",
            helpers=EXPONENT_CODE,
        ),
    )

    def sites(self, plan: RewritePlan) -> Iterator[Site]:
        """Atom calls with a group on either side."""
        for found in atom_calls(plan):
            if "group" in found.sources:
                yield site_of(plan, self, found)

    def write(self, plan: RewritePlan, site: Site) -> None:
        """The promoted call."""
        write_promoted(plan, site)
