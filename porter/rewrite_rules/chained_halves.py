# SPDX-License-Identifier: Apache-2.0
"""CKR102: raw `rocdl.mfma_scale_f32_32x32x64_f8f6f4` calls, two of which cover a scale block."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import libcst as cst

from porter.rewrite_rules.engine.encoders import Constant
from porter.rewrite_rules.engine.flow import Value
from porter.rewrite_rules.engine.names import short
from porter.rewrite_rules.engine.plan import RewritePlan
from porter.rewrite_rules.engine.program import Module, Var, names_in, written_by
from porter.rewrite_rules.engine.raw import (
    check_formats,
    drop_scales,
    operands,
    promote_call,
    promoted,
    raw_sites,
    zero,
)
from porter.rewrite_rules.engine.refusal import RefusalError
from porter.rewrite_rules.rule import EXPONENT_CODE, Case, RewriteRule, Site

HALVES = 2  # 32x32x64 MFMAs in a 128-wide scale block


class ChainedHalves(RewriteRule):
    """Two chained 32x32x64 scaled MFMAs become one partial result and one promote.

    What: raw `rocdl.mfma_scale_f32_32x32x64_f8f6f4` calls in pairs under the same scales, the second taking the
    first's result as its C: one after the other, nested, or in a compile-time loop of two.

    Why: a promote after each half would round the accumulator twice per scale block; CK rounds it once.

    Example: `for h in range_constexpr(2): acc = mfma_scale(t, [w[h], x[h], acc, 0, 0, 0, ws, 0, xs])` becomes a loop
    over `partial`, which starts from zero, and `acc = fma(fill(ws * xs), partial, acc)` behind it.

    Numeric effect: contract `ck` for 32x32x64: one rounding for each half inside the MFMA, then one for the scales'
    product and one for the fused multiply-add.

    Source: CK, `blockwise_gemm_pipeline_xdlops_v*_ab_scale.hpp` with 32x32 XDL; docs/contract.md#one-element.
    """

    ID = "CKR102"
    TITLE = "chained 32x32x64 MFMAs"

    VALID = (
        Case(
            "unscaled halves",
            """
            for half in range_constexpr(2):
                acc = rocdl.mfma_scale_f32_32x32x64_f8f6f4(t, [w[half], x[half], acc, 0, 0, 0, 0, 0, 0])
                acc = fx.Vector(acc, 16, fx.Float32)
            """,
            rows=32,
        ),
    )
    INVALID = (
        Case(
            "a loop over the halves",
            """
            code_w, code_x = code(ws), code(xs)
            for half in range_constexpr(2):
                acc = rocdl.mfma_scale_f32_32x32x64_f8f6f4(t, [w[half], x[half], acc, 0, 0, 0, code_w, 0, code_x])
            """,
            """
            code_w, code_x = ws, xs
            partial = fx.Vector.filled(16, 0.0, fx.Float32)
            for half in range_constexpr(2):
                partial = rocdl.mfma_scale_f32_32x32x64_f8f6f4(t, [w[half], x[half], partial, 0, 0, 0, 0, 0, 0])
            acc = fx.math.fma(fx.Vector.filled(16, code_w * code_x, fx.Float32), partial, acc)
            """,
            helpers=EXPONENT_CODE,
            rows=32,
        ),
        Case(
            "two statements",
            """
            code_w, code_x = code(ws), code(xs)
            acc = rocdl.mfma_scale_f32_32x32x64_f8f6f4(t, [w[0], x[0], acc, 0, 0, 0, code_w, 0, code_x])
            acc = rocdl.mfma_scale_f32_32x32x64_f8f6f4(t, [w[1], x[1], acc, 0, 0, 0, code_w, 0, code_x])
            """,
            """
            code_w, code_x = ws, xs
            partial = rocdl.mfma_scale_f32_32x32x64_f8f6f4(
                t, [w[0], x[0], fx.Vector.filled(16, 0.0, fx.Float32), 0, 0, 0, 0, 0, 0]
            )
            acc = fx.math.fma(
                fx.Vector.filled(16, code_w * code_x, fx.Float32),
                rocdl.mfma_scale_f32_32x32x64_f8f6f4(t, [w[1], x[1], partial, 0, 0, 0, 0, 0, 0]),
                acc,
            )
            """,
            helpers=EXPONENT_CODE,
            rows=32,
        ),
        Case(
            "one inside the other",
            """
            code_w, code_x = code(ws), code(xs)
            acc = rocdl.mfma_scale_f32_32x32x64_f8f6f4(
                t,
                [
                    w[1],
                    x[1],
                    rocdl.mfma_scale_f32_32x32x64_f8f6f4(t, [w[0], x[0], acc, 0, 0, 0, code_w, 0, code_x]),
                    0,
                    0,
                    0,
                    code_w,
                    0,
                    code_x,
                ],
            )
            """,
            """
            code_w, code_x = ws, xs
            acc = fx.math.fma(
                fx.Vector.filled(16, code_w * code_x, fx.Float32),
                rocdl.mfma_scale_f32_32x32x64_f8f6f4(
                    t,
                    [
                        w[1],
                        x[1],
                        rocdl.mfma_scale_f32_32x32x64_f8f6f4(
                            t, [w[0], x[0], fx.Vector.filled(16, 0.0, fx.Float32), 0, 0, 0, 0, 0, 0]
                        ),
                        0,
                        0,
                        0,
                        0,
                        0,
                        0,
                    ],
                ),
                acc,
            )
            """,
            helpers=EXPONENT_CODE,
            rows=32,
        ),
    )
    REFUSED = (
        Case(
            "half a block alone",
            """
            code = (ws.bitcast(fx.Int32) >> 23, xs.bitcast(fx.Int32) >> 23)
            acc = rocdl.mfma_scale_f32_32x32x64_f8f6f4(t, [w[0], x[0], acc, 0, 0, 0, code[0], 0, code[1]])
            """,
            rows=32,
            refused="CKR207",
        ),
        Case(
            "halves under different scales",
            """
            other = load_scale(xs_rsrc, m * blocks)
            code = (ws.bitcast(fx.Int32) >> 23, xs.bitcast(fx.Int32) >> 23, other.bitcast(fx.Int32) >> 23)
            acc = rocdl.mfma_scale_f32_32x32x64_f8f6f4(t, [w[0], x[0], acc, 0, 0, 0, code[0], 0, code[1]])
            acc = rocdl.mfma_scale_f32_32x32x64_f8f6f4(t, [w[1], x[1], acc, 0, 0, 0, code[0], 0, code[2]])
            """,
            rows=32,
            refused="CKR207",
        ),
        Case(
            "clustered",
            """
            code = (ws.bitcast(fx.Int32) >> 23, xs.bitcast(fx.Int32) >> 23)
            for half in range_constexpr(2):
                acc = rocdl.mfma_scale_f32_32x32x64_f8f6f4(t, [w[half], x[half], acc, 0, 0, 0, code[0], 0, code[1]])
            """,
            rows=32,
            refused="CKR212",
            clustered=True,
        ),
    )

    def sites(self, plan: RewritePlan) -> Iterator[Site]:
        """Every 32x32x64 raw call."""
        yield from raw_sites(plan, self, 64)

    def write(self, plan: RewritePlan, site: Site) -> None:
        """Write a pair at its second site, or a loop; refuse a site that is in neither."""
        check_formats(plan, site)
        if plan.clustered:
            raise RefusalError("CKR212", site.call, "a pair of 32x32x64 MFMAs is promoted beside its second half")
        if _in_pair(plan, site):
            return
        if not (_write_nested(plan, site) or _write_pair(plan, site) or _write_loop(plan, site)):
            raise RefusalError("CKR207", site.call, "no second 32x32x64 MFMA under the same scales completes the block")


@dataclass(frozen=True, slots=True)
class _Half:
    """A call that is the value of an assignment to one name, or of a return (target None); its C is one name."""

    site: Site
    statement: cst.SimpleStatementLine
    target: cst.Name | None
    c: cst.Name


def _half(site: Site) -> _Half | None:
    module = site.module
    line, values = module.parent(_wrapped(module, site.call)), operands(site.module, site.call)
    statement = module.parent(line) if line is not None else None
    if not isinstance(statement, cst.SimpleStatementLine) or len(statement.body) != 1:
        return None
    if values is None or not isinstance(values[2], cst.Name):
        return None
    if isinstance(line, cst.Return):
        return _Half(site, statement, None, values[2])
    target = line.targets[0].target if isinstance(line, cst.Assign) and len(line.targets) == 1 else None
    return _Half(site, statement, target, values[2]) if isinstance(target, cst.Name) else None


def _wrapped(module: Module, call: cst.Call) -> cst.CSTNode:
    """The call, or the `fx.Vector(call, ...)` that types it."""
    arg = module.parent(call)
    outer = module.parent(arg) if isinstance(arg, cst.Arg) else None
    typed = isinstance(outer, cst.Call) and short(module.qualified(outer.func)) == "Vector" and outer.args[0] is arg
    return outer if typed and outer is not None else call


def _same_scales(first: Site, second: Site) -> bool:
    """The same expressions; what their names hold is for the caller to compare."""
    module = first.module
    if second.module is not module:
        return False
    one, two = operands(module, first.call), operands(module, second.call)
    return (
        one is not None
        and two is not None
        and [module.code(n).strip() for n in one[5:]] == [module.code(n).strip() for n in two[5:]]
    )


def _partner(plan: RewritePlan, site: Site) -> tuple[_Half, _Half] | None:
    """The pair of neighbouring statements that a site is one of."""
    for one in plan.sites:
        if one.module is not site.module or one.k != site.k:
            continue
        head = _half(one)
        block = site.module.parent(head.statement) if head is not None else None
        if head is None or not isinstance(block, cst.IndentedBlock):
            continue
        for two in plan.sites:
            if two is one or site not in (one, two):
                continue
            tail = _half(two)
            if tail is None or tail.statement not in block.body:
                continue
            between = list(block.body)[block.body.index(head.statement) + 1 : block.body.index(tail.statement)]
            if _is_pair(head, tail, between):
                return head, tail
    return None


def _is_pair(head: _Half, tail: _Half, between: list[cst.BaseStatement]) -> bool:
    module = head.site.module
    if head.target is None:
        return False
    linked = tail.c.value == head.target.value and module.var(tail.c) == module.var(head.target)
    if not linked or module.order(head.statement) >= module.order(tail.statement):
        return False
    if not _same_scales(head.site, tail.site):
        return False
    # Nothing between may set what both calls read, or read the half result.
    words = {head.c.value, head.target.value} | names_in(operands(module, head.site.call) or [])
    touched = {name for statement in between for name in written_by(statement)}
    read = {name for statement in between for name in names_in([statement])}
    if touched & words or head.target.value in read:
        return False
    same = tail.target is not None and head.target.value == tail.target.value
    reads = [name for name in module.reads[_var(module, head.target)] if name is not tail.c]
    return same or not reads


def _var(module: Module, name: cst.Name) -> Var:
    var = module.var(name)
    assert var is not None
    return var


def _in_pair(plan: RewritePlan, site: Site) -> bool:
    """Whether an edit of this call was written with its partner's."""
    return site.call in plan.edits[site.module.path].edits


def _write_nested(plan: RewritePlan, site: Site) -> bool:
    """`mfma(.., mfma(.., c))`."""
    module, values = site.module, operands(site.module, site.call)
    assert values is not None
    inner = values[2]
    while isinstance(inner, cst.Call) and plan.site(inner) is None and inner.args:
        inner = inner.args[0].value
    first = plan.site(inner) if isinstance(inner, cst.Call) else None
    if first is None or not _same_scales(first, site):
        return False
    head = operands(module, first.call)
    if head is None or not isinstance(head[2], cst.Name):
        return False
    edits = plan.edits[module.path]
    if first.call in edits.edits:
        return False
    drop_scales(plan, first, zero(plan, first))
    promote_call(plan, site, None, head[2].value)
    return True


def _write_pair(plan: RewritePlan, site: Site) -> bool:
    """`p = mfma(.., c)` and, in the same block, `acc = mfma(.., p)`."""
    pair = _partner(plan, site)
    if pair is None:
        # The inner call of a nested pair is written with the outer one.
        return _inner_of_nested(plan, site)
    head, tail = pair
    edits = plan.edits[site.module.path]
    name = site.module.fresh("partial")
    drop_scales(plan, head.site, zero(plan, head.site))
    assert head.target is not None
    edits.put(head.target, name)
    promote_call(plan, tail.site, name, head.c.value)
    return True


def _inner_of_nested(plan: RewritePlan, site: Site) -> bool:
    for parent in site.module.parents(site.call):
        if isinstance(parent, cst.Call):
            outer = plan.site(parent)
            if outer is not None:
                return _write_nested(plan, outer)
        if isinstance(parent, cst.BaseStatement):
            return False
    return False


def _write_loop(plan: RewritePlan, site: Site) -> bool:
    """`for half in range_constexpr(2): acc = mfma(.., acc)`."""
    module, half = site.module, _half(site)
    target = half.target if half is not None else None
    if half is None or target is None or module.var(target) != module.var(half.c):
        return False
    block = module.parent(half.statement)
    loop = module.parent(block) if block is not None else None
    if not isinstance(loop, cst.For) or loop.orelse is not None or not _runs_twice(plan, module, loop):
        return False
    values = operands(site.module, site.call)
    assert values is not None
    body = written_by(loop)
    others = [n for n in module.reads[_var(module, half.c)] if n is not half.c and loop in module.parents(n)]
    if others or (body - {target.value}) & names_in(values[5:]) or not isinstance(loop.body, cst.IndentedBlock):
        return False
    edits = plan.edits[module.path]
    name = module.fresh("partial")
    drop_scales(plan, site, name)
    edits.put(target, name)

    def around(node: cst.CSTNode) -> cst.FlattenSentinel[cst.BaseStatement]:
        assert isinstance(node, cst.For)
        start = cst.parse_statement(f"{name} = {zero(plan, site)}")
        end = cst.parse_statement(f"{target.value} = {module.code(promoted(plan, site, name, half.c.value))}")
        assert isinstance(start, cst.SimpleStatementLine)
        start = start.with_changes(leading_lines=node.leading_lines)
        return cst.FlattenSentinel([start, node.with_changes(leading_lines=[]), end])

    edits.add(loop, around)
    return True


def _runs_twice(plan: RewritePlan, module: Module, loop: cst.For) -> bool:
    call = loop.iter
    if not isinstance(call, cst.Call) or short(module.qualified(call.func)) != "range_constexpr" or len(call.args) != 1:
        return False
    return plan.judge(Value(module, call.args[0].value)) == Constant(HALVES)
