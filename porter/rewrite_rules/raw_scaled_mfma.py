# SPDX-License-Identifier: Apache-2.0
"""CKR101: raw `rocdl.mfma_scale_f32_16x16x128_f8f6f4` calls."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from porter.rewrite_rules.engine import cluster, promote
from porter.rewrite_rules.engine.edits import edited
from porter.rewrite_rules.engine.plan import RewritePlan
from porter.rewrite_rules.engine.raw import check_formats, operands, promote_call, promoted, raw_sites, unscaled, zero
from porter.rewrite_rules.engine.refusal import RefusalError
from porter.rewrite_rules.rule import Case, RewriteRule, Site


class RawScaledMfma(RewriteRule):
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

    Source: CK, `blockwise_gemm_pipeline_xdlops_v*_ab_scale.hpp`; CDNA4 ISA 7.2.
    """

    ID = "CKR101"
    TITLE = "raw scaled MFMA to fp32 promote"

    VALID = (
        Case(
            "no scale: both literally 0",
            "acc = fx.Vector(rocdl.mfma_scale_f32_16x16x128_f8f6f4(t, [w, x, acc, 0, 0, 0, 0, 0, 0]), 4, fx.Float32)",
        ),
        Case(
            "MX data: the scales are E8M0 codes in memory",
            """
            codes = fx.rocdl.s_buffer_load(ws_rsrc, kb // 4)
            acc = rocdl.mfma_scale_f32_16x16x128_f8f6f4(t, [w, x, acc, 0, 0, 0, codes, 0, codes])
            acc = fx.Vector(acc, 4, fx.Float32)
            """,
        ),
        Case(
            "another instruction of the same family",
            """
            halves = [fx.Vector.from_elements([v[0], v[1]], fx.Int32).bitcast(fx.Int64)[0] for v in (w, x)]
            acc = rocdl.mfma_f32_16x16x32_fp8_fp8(t, [*halves, acc, 0, 0, 0])
            acc = fx.Vector(acc, 4, fx.Float32)
            """,
        ),
        Case(
            "a local function of the same name",
            "acc = mfma_scale_f32_16x16x128_f8f6f4(t, [w, x, acc, 0, 0, 0, xs, 0, ws])",
            helpers="""
            def mfma_scale_f32_16x16x128_f8f6f4(kind, operands):
                return operands[2]
            """,
        ),
    )
    INVALID = (
        Case(
            "exponent bits",
            """
            code_x = (xs.bitcast(fx.Int32) >> 23) & 0xFF
            code_w = (ws.bitcast(fx.Int32) >> 23) & 0xFF
            acc = fx.Vector(
                rocdl.mfma_scale_f32_16x16x128_f8f6f4(t, [w, x, acc, 0, 0, 0, code_w, 0, code_x]), 4, fx.Float32
            )
            """,
            """
            code_x = xs
            code_w = ws
            acc = fx.Vector(
                fx.math.fma(
                    fx.Vector.filled(4, code_w * code_x, fx.Float32),
                    rocdl.mfma_scale_f32_16x16x128_f8f6f4(
                        t, [w, x, fx.Vector.filled(4, 0.0, fx.Float32), 0, 0, 0, 0, 0, 0]
                    ),
                    acc,
                ),
                4,
                fx.Float32,
            )
            """,
        ),
        Case(
            "a helper, an alias, and rounding",
            "acc = scaled(t, [w, x, acc, 0, 0, 0, nearest(ws), 0, nearest(xs)])",
            """
            acc = fx.math.fma(
                fx.Vector.filled(4, ws * xs, fx.Float32),
                scaled(t, [w, x, fx.Vector.filled(4, 0.0, fx.Float32), 0, 0, 0, 0, 0, 0]),
                acc,
            )
            """,
            helpers="""
            scaled = rocdl.mfma_scale_f32_16x16x128_f8f6f4


            def nearest(scale):
                # The nearest power of two.
                return (scale.bitcast(fx.Int32) + (1 << 22)) >> 23
            """,
            helpers_after="scaled = rocdl.mfma_scale_f32_16x16x128_f8f6f4",
        ),
        Case(
            "the first operand's scale differs by row",
            """
            code = [scale.bitcast(fx.Int32) >> 23 & 255 for scale in (xs, ws)]
            acc = rocdl.mfma_scale_f32_16x16x128_f8f6f4(t, [x, w, acc, 0, 0, 0, code[0], 0, code[1]])
            """,
            """
            code = [scale for scale in (xs, ws)]
            acc = fx.math.fma(
                scales_of_results_16(code[0]) * code[1],
                rocdl.mfma_scale_f32_16x16x128_f8f6f4(
                    t, [x, w, fx.Vector.filled(4, 0.0, fx.Float32), 0, 0, 0, 0, 0, 0]
                ),
                acc,
            )
            """,
            helpers_after=promote.row_scales("fx", 16)[1],
        ),
        Case(
            "four codes in a dword, picked by op_sel",
            """
            packed = pack([xs, ws, xs, ws])
            acc = rocdl.mfma_scale_f32_16x16x128_f8f6f4(t, [w, x, acc, 0, 0, 1, packed, 2, packed])
            """,
            """
            packed = [xs, ws, xs, ws]
            acc = fx.math.fma(
                scales_of_results_16(packed[1]) * packed[2],
                rocdl.mfma_scale_f32_16x16x128_f8f6f4(
                    t, [w, x, fx.Vector.filled(4, 0.0, fx.Float32), 0, 0, 0, 0, 0, 0]
                ),
                acc,
            )
            """,
            helpers_after=promote.row_scales("fx", 16)[1],
            helpers="""
            def code(scale):
                return (scale.bitcast(fx.Int32) >> 23) & 0xFF


            def pack(scales):
                return code(scales[0]) | code(scales[1]) << 8 | code(scales[2]) << 16 | code(scales[3]) << 24
            """,
        ),
        Case(
            "one code for the product of both scales, 1.0 on the other side",
            """
            both = (ws * xs).bitcast(fx.Int32) >> 23
            acc = rocdl.mfma_scale_f32_16x16x128_f8f6f4(t, [w, x, acc, 0, 0, 0, 127, 0, both])
            """,
            """
            both = ws * xs
            acc = fx.math.fma(
                fx.Vector.filled(4, both, fx.Float32),
                rocdl.mfma_scale_f32_16x16x128_f8f6f4(
                    t, [w, x, fx.Vector.filled(4, 0.0, fx.Float32), 0, 0, 0, 0, 0, 0]
                ),
                acc,
            )
            """,
        ),
        Case(
            "an encoder that does more than compute",
            """
            codes = [encode(ws), encode(xs)]
            acc = rocdl.mfma_scale_f32_16x16x128_f8f6f4(t, [w, x, acc, 0, 0, 0, codes[0], 0, codes[1]])
            """,
            """
            codes = [encode(ws), encode(xs)]
            acc = fx.math.fma(
                fx.Vector.filled(4, codes[0] * codes[1], fx.Float32),
                rocdl.mfma_scale_f32_16x16x128_f8f6f4(
                    t, [w, x, fx.Vector.filled(4, 0.0, fx.Float32), 0, 0, 0, 0, 0, 0]
                ),
                acc,
            )
            """,
            helpers="""
            def encode(scale):
                code = scale.bitcast(fx.Int32) >> 23
                rocdl.sched_barrier(0)
                return code
            """,
            helpers_after="""
            def encode(scale):
                code = scale
                rocdl.sched_barrier(0)
                return code
            """,
        ),
    )
    REFUSED = (
        Case(
            "one scale set, the other left at 0",
            "acc = rocdl.mfma_scale_f32_16x16x128_f8f6f4(t, [w, x, acc, 0, 0, 0, 0, 0, xs.bitcast(fx.Int32) >> 23])",
            refused="CKR201",
        ),
        Case(
            "fp32 bits, unshifted",
            """
            bits = [fx.Int32(1) + s.bitcast(fx.Int32) for s in (ws, xs)]
            acc = rocdl.mfma_scale_f32_16x16x128_f8f6f4(t, [w, x, acc, 0, 0, 0, bits[0], 0, bits[1]])
            """,
            refused="CKR202",
        ),
        Case(
            "a scale from a function that is not in these files",
            """
            codes = [encode(ws), encode(xs)]
            acc = rocdl.mfma_scale_f32_16x16x128_f8f6f4(t, [w, x, acc, 0, 0, 0, codes[0], 0, codes[1]])
            """,
            imports="from elsewhere import encode",
            refused="CKR202",
        ),
        Case(
            "one fp32 scale per 1x32 block",
            """
            own = load_scale(xs_rsrc, (m * blocks + kb) * 4 + lane // 16)
            codes = (ws.bitcast(fx.Int32) >> 23, own.bitcast(fx.Int32) >> 23)
            acc = rocdl.mfma_scale_f32_16x16x128_f8f6f4(t, [w, x, acc, 0, 0, 0, codes[0], 0, codes[1]])
            """,
            refused="CKR203",
        ),
        Case(
            "the code is used for something else too",
            """
            code = xs.bitcast(fx.Int32) >> 23
            other = ws.bitcast(fx.Int32) >> 23
            n0 = n0 + (code == 255).select(1, 0)
            acc = rocdl.mfma_scale_f32_16x16x128_f8f6f4(t, [w, x, acc, 0, 0, 0, other, 0, code])
            """,
            refused="CKR204",
        ),
        Case(
            "a constant scale that is not 1.0",
            "acc = rocdl.mfma_scale_f32_16x16x128_f8f6f4(t, [w, x, acc, 0, 0, 0, 128, 0, xs.bitcast(fx.Int32) >> 23])",
            refused="CKR205",
        ),
        Case(
            "scaled on one side only",
            "acc = rocdl.mfma_scale_f32_16x16x128_f8f6f4(t, [w, x, acc, 0, 0, 0, 127, 0, xs.bitcast(fx.Int32) >> 23])",
            refused="CKR205",
        ),
        Case(
            "operands without scales, which default to the data",
            "acc = rocdl.mfma_scale_f32_16x16x128_f8f6f4(t, [w, x, acc])",
            refused="CKR209",
        ),
        Case(
            "the builder passed on as a value",
            "acc = call(rocdl.mfma_scale_f32_16x16x128_f8f6f4, t, [w, x, acc, 0, 0, 0, xs, 0, ws])",
            helpers="""
            def call(builder, kind, operands):
                return builder(kind, operands)
            """,
            refused="CKR209",
        ),
        Case(
            "no name for flydsl.expr where the MFMA stands",
            "acc = multiply(8, t, [w, x, acc], (ws.bitcast(fx.Int32) >> 23, xs.bitcast(fx.Int32) >> 23))",
            helpers="""
            def multiply(fx, t, data, codes):
                return rocdl.mfma_scale_f32_16x16x128_f8f6f4(
                    t, [data[0], data[1], data[2], 0, 0, 0, codes[0], 0, codes[1]]
                )
            """,
            refused="CKR215",
        ),
        Case(
            "several MFMAs in one block, clustered",
            """
            codes = (ws.bitcast(fx.Int32) >> 23, xs.bitcast(fx.Int32) >> 23)
            for step in range_constexpr(2):
                x = load_operand(x_at)
                acc = rocdl.mfma_scale_f32_16x16x128_f8f6f4(t, [w, x, acc, 0, 0, 0, codes[0], 0, codes[1]])
            """,
            clustered=True,
            refused="CKR212",
        ),
        Case(
            "a workgroup of more than one dimension",
            """
            xs = load_scale(xs_rsrc, m * blocks + kb + fx.thread_idx.y)
            codes = (ws.bitcast(fx.Int32) >> 23, xs.bitcast(fx.Int32) >> 23)
            acc = rocdl.mfma_scale_f32_16x16x128_f8f6f4(t, [w, x, acc, 0, 0, 0, codes[0], 0, codes[1]])
            """,
            refused="CKR203",
        ),
        Case(
            "blocks in descending order",
            """
            codes = (ws.bitcast(fx.Int32) >> 23, xs.bitcast(fx.Int32) >> 23)
            for step in range_constexpr(1, -1, -1):
                acc = rocdl.mfma_scale_f32_16x16x128_f8f6f4(t, [w, x, acc, 0, 0, 0, codes[0], 0, codes[1]])
            """,
            refused="CKR216",
        ),
        Case(
            "data that is not fp8",
            """
            codes = (ws.bitcast(fx.Int32) >> 23, xs.bitcast(fx.Int32) >> 23)
            acc = rocdl.mfma_scale_f32_16x16x128_f8f6f4(t, [w, x, acc, 4, 4, 0, codes[0], 0, codes[1]])
            """,
            refused="CKR214",
        ),
    )

    def sites(self, plan: RewritePlan) -> Iterator[Site]:
        """Every 16x16x128 raw call."""
        yield from raw_sites(plan, self, 128)

    def write(self, plan: RewritePlan, site: Site) -> None:
        """`fma(scales, unscaled call from zero, C)` in place of the call."""
        check_formats(plan, site)
        values = operands(site.module, site.call)
        assert values is not None
        found = cluster.nest(plan, site) if plan.clustered else None
        if found is None:
            promote_call(plan, site, zero(plan, site), values[2])
        else:
            self._write_cluster(plan, site, found)

    def _write_cluster(self, plan: RewritePlan, site: Site, found: cluster.Nest) -> None:
        module, values = site.module, operands(site.module, site.call)
        edits = plan.edits[module.path]
        line = found.statement.body[0]
        if not isinstance(line, cst.Assign) or len(line.targets) != 1 or values is None:
            raise RefusalError("CKR212", site.call, "the MFMA's result is not assigned to one place")
        target, c = module.code(line.targets[0].target), values[2]

        def partial() -> str:
            return module.code(unscaled(plan, site, edited(edits, site.call), zero(plan, site)))

        def add(name: str) -> str:
            return f"{target} = {module.code(promoted(plan, site, name, module.code(edited(edits, c))))}"

        cluster.write(plan, site, found, partial, add)
