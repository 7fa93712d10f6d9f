# SPDX-License-Identifier: Apache-2.0
"""CKR101: raw `rocdl.mfma_scale_f32_16x16x128_f8f6f4` calls."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from porter.rewrite_rules.engine.edits import edited
from porter.rewrite_rules.engine.plan import Plan
from porter.rewrite_rules.engine.raw import check_formats, operands, promoted, raw_sites, unscaled, zero
from porter.rewrite_rules.rule import Rule, Site


class RawScaledMfma(Rule):
    """Raw 16x16x128 scaled MFMA becomes an unscaled MFMA and a promote.

    What: `rocdl.mfma_scale_f32_16x16x128_f8f6f4` whose two scale operands are E8M0 codes computed from fp32 scales,
    in any spelling: exponent bits, rounding, log2, a helper, four codes packed to a dword and picked with op_sel.

    Why: E8M0 holds powers of two only. A scale of 1.5 arrives as 1 or 2: up to a factor of two per block, a cosine
    that still looks right, and a wrong result.

    Example: `acc = mfma_scale(t, [w, x, acc, 0, 0, 0, code(ws), 0, code(xs)])` becomes
    `acc = fma(fill(ws * xs), mfma_scale(t, [w, x, zero, 0, 0, 0, 0, 0, 0]), acc)`, which LLVM emits as
    `v_mfma_f32_16x16x128_f8f6f4`. A first operand whose scale differs by row gets its scales moved to the lanes that
    hold the rows' results.

    Numeric effect: the scales' product and the accumulation become fp32 with one rounding each (contract `ck`), and
    each 128-wide block starts from C = 0. Results for power-of-two scales with exact sums keep every bit.

    Source: CK's ABScale pipelines (`blockwise_gemm_pipeline_xdlops_v*_ab_scale.hpp`); CDNA4 ISA, scaled MFMA.
    """

    ID = "CKR101"
    TITLE = "raw scaled MFMA to fp32 promote"

    def sites(self, plan: Plan) -> Iterator[Site]:
        """Every 16x16x128 raw call."""
        yield from raw_sites(plan, self, 128)

    def write(self, plan: Plan, site: Site) -> None:
        """`fma(scales, unscaled call from zero, C)` in place of the call."""
        check_formats(plan, site)
        module, values = site.module, operands(site.module, site.call)
        edits = plan.edits[module.path]
        assert values is not None

        def edit(node: cst.CSTNode) -> cst.CSTNode:
            assert isinstance(node, cst.Call)
            partial = module.code(unscaled(plan, site, node, zero(plan, site)))
            return promoted(plan, site, partial, module.code(edited(edits, values[2])))

        edits.add(site.call, edit)
