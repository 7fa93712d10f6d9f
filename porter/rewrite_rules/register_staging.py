# SPDX-License-Identifier: Apache-2.0
"""CKR105: scales that travel through registers: fragments, vectors, scalar registers."""

from __future__ import annotations

import libcst as cst

from porter.rewrite_rules.engine import promote
from porter.rewrite_rules.engine.flow import Tracer, Trail, Value
from porter.rewrite_rules.engine.lanes import fragment_contents
from porter.rewrite_rules.engine.names import number_type, short
from porter.rewrite_rules.engine.program import ANY
from porter.rewrite_rules.rule import EXPONENT_CODE, Case, RewriteRule

#: Calls that a cast may stand around without computing an exponent.
_MOVES = frozenset({"rocdl.readfirstlane", "ptr_load"})


class RegisterStaging(RewriteRule):
    """Register storage of scales holds fp32 instead of E8M0 codes.

    What: `make_rmem_tensor` fragments, `Vector.filled`, `Vector.from_elements` and `readfirstlane` between an encoder
    and a scaled MFMA; also where they are filled before the K loop or one iteration ahead of their use.

    Why: once the MFMA no longer scales, the fp32 value has to reach the promote. The storage that carried its
    exponent has the same size; only its type changes.

    Example: `f = make_rmem_tensor(1, Int32); f.store(Vector.filled(1, code(s), Int32))` becomes
    `f = make_rmem_tensor(1, Float32); f.store(Vector.filled(1, s, Float32))`.

    Numeric effect: none of its own; it moves the fp32 bits.

    Source: FlyDSL, `expr/primitive.py` (register tensors) and `expr/typing.py` (vectors).
    """

    ID = "CKR105"
    TITLE = "scales in registers"

    INVALID = (
        Case(
            "a vector and a scalar register",
            """
            pair = fx.Vector.from_elements([code(ws), code(xs)], fx.Int32)
            first = fx.Int32(rocdl.readfirstlane(fx.Int32.ir_type, pair[0]))
            acc = rocdl.mfma_scale_f32_16x16x128_f8f6f4(t, [w, x, acc, 0, 0, 0, first, 0, pair[1]])
            """,
            """
            pair = fx.Vector.from_elements([ws, xs], fx.Float32)
            first = fx.Float32(rocdl.readfirstlane(fx.Float32.ir_type, pair[0]))
            acc = fx.math.fma(
                fx.Vector.filled(4, first * pair[1], fx.Float32),
                rocdl.mfma_scale_f32_16x16x128_f8f6f4(
                    t, [w, x, fx.Vector.filled(4, 0.0, fx.Float32), 0, 0, 0, 0, 0, 0]
                ),
                acc,
            )
            """,
            helpers=EXPONENT_CODE,
        ),
        Case(
            "a fragment",
            """
            kept = fx.make_rmem_tensor(2, fx.Int32)
            kept[0] = code(ws)
            kept[1] = code(xs)
            acc = rocdl.mfma_scale_f32_16x16x128_f8f6f4(t, [w, x, acc, 0, 0, 0, kept.load()[0], 0, kept.load()[1]])
            """,
            """
            kept = fx.make_rmem_tensor(2, fx.Float32)
            kept[0] = ws
            kept[1] = xs
            acc = fx.math.fma(
                scales_of_results_16(kept.load()[0]) * kept.load()[1],
                rocdl.mfma_scale_f32_16x16x128_f8f6f4(
                    t, [w, x, fx.Vector.filled(4, 0.0, fx.Float32), 0, 0, 0, 0, 0, 0]
                ),
                acc,
            )
            """,
            helpers_after=promote.row_scales("fx", 16)[1],
            helpers=EXPONENT_CODE,
        ),
    )
    REFUSED = (
        Case(
            "four codes packed into a stored dword",
            """
            kept = fx.make_rmem_tensor(1, fx.Int32)
            kept.store(fx.Vector.filled(1, code(ws) & 255 | (code(xs) & 255) << 8, fx.Int32))
            acc = rocdl.mfma_scale_f32_16x16x128_f8f6f4(t, [w, x, acc, 0, 0, 0, kept.load()[0], 1, kept.load()[0]])
            """,
            refused="CKR213",
            helpers=EXPONENT_CODE,
        ),
    )

    def step(self, tracer: Tracer, trail: Trail, value: Value) -> bool:
        """Follow what a fragment or a vector holds."""
        node, module = value.node, value.module
        if not isinstance(node, cst.Call):
            return False
        name = short(module.qualified(node.func))
        args = [arg.value for arg in node.args]

        def go(inner: cst.BaseExpression, path: tuple[int | str, ...]) -> bool:
            trail.rules.add(self.ID)
            tracer.follow(trail, Value(module, inner, path, value.context))
            return True

        if name == "make_rmem_tensor" and len(args) == 2:
            contents = fragment_contents(value, node)
            if contents is None or not contents.stored:
                return False
            trail.types.add(args[1])
            for stored in contents.stored:
                go(stored, (ANY,))
            if contents.copied:
                trail.terminals.append(value)
            return True
        if name == "Vector.filled" and len(args) == 3:
            trail.types.add(args[2])
            return go(args[1], value.path[1:])
        if name == "Vector.from_elements" and len(args) == 2:
            trail.types.add(args[1])
            return go(args[0], value.path or (ANY,))
        if name == "rocdl.readfirstlane" and len(args) == 2:
            kind = args[0]
            trail.types.add(kind.value if isinstance(kind, cst.Attribute) and kind.attr.value == "ir_type" else kind)
            return go(args[1], value.path)
        if number_type(name) == "i" and len(args) == 1 and isinstance(args[0], cst.Call):
            if short(module.qualified(args[0].func)) not in _MOVES:
                return False
            trail.types.add(node.func)
            return go(args[0], value.path)
        is_load = isinstance(node.func, cst.Attribute) and node.func.attr.value == "load" and not name and not args
        if is_load and isinstance(node.func, cst.Attribute) and isinstance(node.func.value, cst.Name):
            return go(node.func.value, value.path)
        return False
