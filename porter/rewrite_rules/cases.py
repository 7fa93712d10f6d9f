# SPDX-License-Identifier: Apache-2.0
"""The kernel around a rule's cases, so that each case is a few lines and still compiles."""

from __future__ import annotations

import textwrap

from porter.rewrite_rules.engine import promote
from porter.rewrite_rules.rule import Case

_FRAME = """\
# SPDX-License-Identifier: Apache-2.0
import flydsl.compiler as flyc
import flydsl.expr as fx
from flydsl.expr import range_constexpr, rocdl
from flydsl.expr.typing import T
{imports}
SPEC = {{
    "name": "case",
    "tile": [{rows}, {rows}, 128],
    "threads": 64,
    "mfma": "{mfma}",
    "args": [
        {{"name": "C", "kind": "pointer", "dtype": "bf16"}},
        {{"name": "A", "kind": "pointer", "dtype": "fp8"}},
        {{"name": "B", "kind": "pointer", "dtype": "fp8"}},
        {{"name": "x_scale", "kind": "pointer", "dtype": "fp32"}},
        {{"name": "w_scale", "kind": "pointer", "dtype": "fp32"}},
        {{"name": "M", "kind": "i32"}},
    ],
}}

{helpers}
def fragment(value, size, kind):
    made = fx.make_rmem_tensor(size, kind)
    made.store(value)
    return made


def build(N, K):
    blocks = K // 128
    grid_n = N // {rows}

    @flyc.kernel(name="case")
    def gemm(C: fx.Pointer, A: fx.Pointer, B: fx.Pointer, XS: fx.Pointer, WS: fx.Pointer, M: fx.Int32):
        lane = fx.thread_idx.x
        row, group = lane % {rows}, lane // {rows}
        m0, n0 = fx.block_idx.x // grid_n * {rows}, fx.block_idx.x % grid_n * {rows}
        a_rsrc = fx.rocdl.make_buffer_ptr(A, num_records_bytes=fx.Int64(M) * K)
        b_rsrc = fx.rocdl.make_buffer_ptr(B, num_records_bytes=N * K)
        c_rsrc = fx.rocdl.make_buffer_ptr(C, num_records_bytes=fx.Int64(M) * (2 * N))
        xs_rsrc = fx.rocdl.make_buffer_ptr(XS, num_records_bytes=fx.Int64(M) * (4 * blocks))
        ws_rsrc = fx.rocdl.make_buffer_ptr(WS, num_records_bytes=-(-N // 128) * (4 * blocks))
        load_128b = fx.make_copy_atom(fx.rocdl.BufferCopy128b(), fx.Int8)
        load_32b = fx.make_copy_atom(fx.rocdl.BufferCopy32b(), fx.Float32)
        store_64b = fx.make_copy_atom(fx.rocdl.BufferCopy64b(), fx.BFloat16)
        mma = fx.make_mma_atom(fx.rocdl.cdna4.MFMA_Scale(16, 16, 128, fx.Float8E4M3FN))

        def load_operand(source, step=64):
            low, high = fx.make_rmem_tensor(16, fx.Int8), fx.make_rmem_tensor(16, fx.Int8)
            fx.copy(load_128b, fx.make_view(source, fx.make_layout(16, 1)), low)
            fx.copy(load_128b, fx.make_view(source + step, fx.make_layout(16, 1)), high)
            return low.load().bitcast(fx.Int32).shuffle(high.load().bitcast(fx.Int32), list(range(8)))

        def load_scale(rsrc, index):
            scale = fx.make_rmem_tensor(1, fx.Float32)
            fx.copy(load_32b, fx.make_view(rsrc + index, fx.make_layout(1, 1)), scale)
            return scale.load()[0]

        m = fx.min(m0 + row, M - 1)
        t = T.vec({results}, T.f32)
        acc = fx.Vector.filled({results}, 0.0, fx.Float32)
        for kb in range(fx.Int32(0), fx.Int32(blocks), fx.Int32(1)):
            x_at = a_rsrc + (m * K + kb * 128 + group * 16)
            w_at = b_rsrc + ((n0 + row) * K + kb * 128 + group * 16)
            xs = load_scale(xs_rsrc, m * blocks + kb)
            ws = load_scale(ws_rsrc, n0 // 128 * blocks + kb)
{operands}
{loop}
        acc = fx.Vector(acc, {results}, fx.Float32)
        for part in range_constexpr({results} // 4):
            packed = fx.make_rmem_tensor(4, fx.BFloat16)
            packed.store(acc.shuffle(acc, [4 * part + i for i in range(4)]).to(fx.BFloat16))
            offset = (m0 + row) * N + n0 + 8 * part + 4 * group
            fx.copy(store_64b, packed, fx.make_view(c_rsrc + offset, fx.make_layout(4, 1)))

    @flyc.jit
    def launch(
        C: fx.Pointer,
        A: fx.Pointer,
        B: fx.Pointer,
        XS: fx.Pointer,
        WS: fx.Pointer,
        M: fx.Int32,
        stream: fx.Stream = fx.Stream(None),
    ):
        gemm(C, A, B, XS, WS, M).launch(
            grid=((M + ({rows} - 1)) // {rows} * grid_n, 1, 1), block=(64, 1, 1), stream=stream
        )

    return launch
"""

_OPERANDS = {
    16: "x, w = load_operand(x_at), load_operand(w_at)",
    32: "x = [load_operand(x_at, 32), load_operand(x_at + 64, 32)]\n"
    "w = [load_operand(w_at, 32), load_operand(w_at + 64, 32)]",
}


def frame(case: Case, *, after: bool = False) -> str:
    """The whole module of a case, before or after the rule.

    In the loop: `x`, `w` the operands of a block (pairs of halves for 32 rows), `xs`, `ws` its fp32 scales, `acc` the
    result so far and `t` its type, `mma` an atom, `fragment(value, size, type)`, and what loads need.
    """
    helpers = case.helpers_after if after else case.helpers
    loop = case.after if after else case.before
    return _FRAME.format(
        imports=case.imports,
        helpers=textwrap.dedent(helpers).strip() + "\n\n" if helpers.strip() else "",
        rows=case.rows,
        mfma={16: "16x16x128", 32: "32x32x64"}[case.rows],
        results=promote.RESULTS[case.rows],
        operands=textwrap.indent(_OPERANDS[case.rows], " " * 12),
        loop=textwrap.indent(textwrap.dedent(loop).strip(), " " * 12) + "\n",
    )
