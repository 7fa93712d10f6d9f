# SPDX-License-Identifier: Apache-2.0
"""CKR104: scaled-MFMA atoms whose scales are atom state."""

from __future__ import annotations

from collections.abc import Iterator

from porter.rewrite_rules.engine import promote
from porter.rewrite_rules.engine.atoms import atom_calls, site_of, write_promoted
from porter.rewrite_rules.engine.plan import RewritePlan
from porter.rewrite_rules.rule import EXPONENT_CODE, Case, RewriteRule, Site


class ScaleAtomState(RewriteRule):
    """An atom that carries its scales as state becomes an atom without, and its call a promoted one.

    What: `atom.set_value("scale_a", s)`, `atom.set_value({"scale_a": s, "scale_b": t})`, `fx.atom_set_value(...)` and
    `fx.gemm(..., scale_a=s, scale_b=t)` on a 16x16x128 `MFMA_Scale`, also where a class or a helper holds the atom.

    Why: the state becomes the MFMA's E8M0 operands. State that is set on one side only leaves the other at code 0,
    which multiplies by 2^-127; that is refused, because what was meant is not known.

    Example: `fx.gemm(mma, acc, w, x, acc, scale_a=ws, scale_b=xs)` becomes
    `acc.store(fma(fill(ws * xs), partial_gemm(mma, w, x), acc.load()))`.

    Numeric effect: contract `ck`: one fp32 rounding of the scales' product, one of the fused multiply-add.

    Source: FlyDSL, `expr/rocdl/cdna4.py: MFMA_Scale`, "Current atom state".
    """

    ID = "CKR104"
    TITLE = "scales as atom state"

    VALID = (
        Case(
            "an atom without state",
            """
            a, b, d = fragment(w, 8, fx.Int32), fragment(x, 8, fx.Int32), fragment(acc, 4, fx.Float32)
            fx.gemm(mma, d, a, b, d)
            acc = d.load()
            """,
        ),
    )
    INVALID = (
        Case(
            "keywords of the call",
            """
            a, b, d = fragment(w, 8, fx.Int32), fragment(x, 8, fx.Int32), fragment(acc, 4, fx.Float32)
            fx.gemm(mma, d, a, b, d, scale_a=code(ws), scale_b=code(xs))
            acc = d.load()
            """,
            """
            a, b, d = fragment(w, 8, fx.Int32), fragment(x, 8, fx.Int32), fragment(acc, 4, fx.Float32)
            d.store(fx.math.fma(fx.Vector.filled(4, ws * xs, fx.Float32), partial_gemm(mma, a, b), d.load()))
            acc = d.load()
            """,
            helpers=EXPONENT_CODE,
            helpers_after=promote.partial_gemm("fx")[1],
        ),
        Case(
            "state set in two steps",
            """
            a, b, d = fragment(w, 8, fx.Int32), fragment(x, 8, fx.Int32), fragment(acc, 4, fx.Float32)
            code_w, code_x = code(ws), code(xs)
            left = mma.set_value("scale_a", code_w)
            both = fx.atom_set_value(left, "scale_b", code_x)
            fx.mma_atom_call(both, d, a, b, d)
            acc = d.load()
            """,
            """
            a, b, d = fragment(w, 8, fx.Int32), fragment(x, 8, fx.Int32), fragment(acc, 4, fx.Float32)
            code_w, code_x = ws, xs
            left = mma
            both = left
            d.store(fx.math.fma(fx.Vector.filled(4, code_w * code_x, fx.Float32), partial_gemm(both, a, b), d.load()))
            acc = d.load()
            """,
            helpers=EXPONENT_CODE,
            helpers_after=promote.partial_gemm("fx")[1],
        ),
    )
    REFUSED = (
        Case(
            "state on one side only",
            """
            a, b, d = fragment(w, 8, fx.Int32), fragment(x, 8, fx.Int32), fragment(acc, 4, fx.Float32)
            fx.gemm(mma.set_value("scale_a", code(ws)), d, a, b, d)
            acc = d.load()
            """,
            refused="CKR201",
            helpers=EXPONENT_CODE,
        ),
        Case(
            "an atom picked from a table",
            """
            a, b, d = fragment(w, 8, fx.Int32), fragment(x, 8, fx.Int32), fragment(acc, 4, fx.Float32)
            atoms = {0: mma}
            fx.gemm(atoms[0], d, a, b, d, scale_a=code(ws), scale_b=code(xs))
            acc = d.load()
            """,
            refused="CKR206",
            helpers=EXPONENT_CODE,
        ),
        Case(
            "state whose name is set again before the call",
            """
            a, b, d = fragment(w, 8, fx.Int32), fragment(x, 8, fx.Int32), fragment(acc, 4, fx.Float32)
            scale = code(ws)
            scaled = mma.set_value({"scale_a": scale, "scale_b": scale})
            scale = code(xs)
            fx.gemm(scaled, d, a, b, d)
            acc = d.load()
            """,
            refused="CKR208",
            helpers=EXPONENT_CODE,
        ),
    )

    def sites(self, plan: RewritePlan) -> Iterator[Site]:
        """Atom calls without a group; one without any scale is only remembered as right."""
        for found in atom_calls(plan):
            if not any(found.sources):
                plan.keep(found.module, found.call, "no scale is set, the MFMA is unscaled")
            elif "group" not in found.sources:
                yield site_of(plan, self, found)

    def write(self, plan: RewritePlan, site: Site) -> None:
        """The promoted call."""
        write_promoted(plan, site)
