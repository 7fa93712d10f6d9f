# SPDX-License-Identifier: Apache-2.0
"""Schedule `cluster`: all MFMAs of a loop nest first, behind them all its promotes, with a scheduling fence between."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import libcst as cst

from porter.rewrite_rules.engine.edits import edited
from porter.rewrite_rules.engine.names import short
from porter.rewrite_rules.engine.plan import RewritePlan
from porter.rewrite_rules.engine.program import Module
from porter.rewrite_rules.engine.refusal import RefusalError
from porter.rewrite_rules.rule import Site


@dataclass(frozen=True, slots=True)
class Nest:
    """Compile-time loops around one statement. outer: the outermost of them; statement: the innermost body."""

    outer: cst.For
    statement: cst.SimpleStatementLine


def nest(plan: RewritePlan, site: Site) -> Nest | None:
    """The loop nest of a site, None where it is the only MFMA of its block, which is clustered as it stands.

    Raises RefusalError CKR212 where several MFMAs stand in one block, or other statements in the nest.
    """
    module = site.module
    found = module.statement(site.call)
    if found is None or not isinstance(found[0], cst.SimpleStatementLine):
        raise RefusalError("CKR212", site.call, "the MFMA is no statement of its own")
    statement, block = found
    loops: list[cst.For] = []
    around = statement
    while True:
        parent = module.parent(around)
        loop = module.parent(parent) if parent is not None else None
        if not isinstance(loop, cst.For) or not _constexpr(module, loop):
            break
        if len(loop.body.body) != 1:
            raise RefusalError("CKR212", site.call, "the compile-time loop around the MFMA does other work too")
        loops.append(loop)
        around = loop
    inside = [call for call in plan.scales if call is not site.call and around in module.parents(call)]
    beside = [
        call for call in plan.scales if call is not site.call and (module.statement(call) or ((), ()))[1] is block
    ]
    if inside or (beside and not loops):
        raise RefusalError("CKR212", site.call, "several MFMAs stand in one block")
    function = module.function_of(site.call)
    if not loops and (function is None or "flydsl.compiler.kernel" not in function.decorators()):
        raise RefusalError(
            "CKR212", site.call, "a function of its own holds the MFMA, apart from the loops that call it"
        )
    assert isinstance(statement, cst.SimpleStatementLine)
    return Nest(loops[-1], statement) if loops else None


def write(
    plan: RewritePlan, site: Site, found: Nest, partial: Callable[[], str], promoted: Callable[[str], str]
) -> None:
    """Put two loops in a nest's place: one over `partial`, one over `promoted(name of that result)`.

    partial: the expression of an unscaled product from zero; promoted: the statement that adds it, scaled.
    """
    module, edits = site.module, plan.edits[site.module.path]
    fx = plan.fx(module, site.call)
    pending = module.fresh("partials")

    def around(node: cst.CSTNode) -> cst.FlattenSentinel[cst.BaseStatement]:
        assert isinstance(node, cst.For)
        comments = found.statement.leading_lines
        first = _with_body(found, edited(edits, found.outer.with_changes()), f"{pending}.append({partial()})", comments)
        second = _with_body(found, first, promoted(f"{pending}.pop(0)"), ())
        start = cst.parse_statement(f"{pending} = []")
        assert isinstance(start, cst.SimpleStatementLine)
        fence = cst.parse_statement(f"{fx}.rocdl.sched_barrier(0)")
        return cst.FlattenSentinel(
            [
                start.with_changes(leading_lines=node.leading_lines),
                first.with_changes(leading_lines=[]),
                fence,
                second.with_changes(leading_lines=[]),
            ]
        )

    edits.add(found.outer, around)


def _with_body(found: Nest, loop: cst.For, text: str, comments: object) -> cst.For:
    """The same nest around another statement."""
    inner = loop.body.body[0]
    if isinstance(inner, cst.For):
        body: cst.BaseStatement = _with_body(found, inner, text, comments)
    else:
        line = cst.parse_statement(text)
        assert isinstance(line, cst.SimpleStatementLine)
        body = line.with_changes(leading_lines=comments)
    return loop.with_changes(body=loop.body.with_changes(body=[body]))


def _constexpr(module: Module, loop: cst.For) -> bool:
    call = loop.iter
    return (
        isinstance(call, cst.Call) and short(module.qualified(call.func)) == "range_constexpr" and loop.orelse is None
    )
