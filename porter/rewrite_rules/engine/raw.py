# SPDX-License-Identifier: Apache-2.0
"""Calls of the raw scaled-MFMA builders: `rocdl.mfma_scale_*(type, [a, b, c, cbsz, blgp, sel_a, sa, sel_b, sb])`."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from porter.rewrite_rules.engine import promote
from porter.rewrite_rules.engine.edits import edited
from porter.rewrite_rules.engine.encoders import Constant
from porter.rewrite_rules.engine.flow import Value
from porter.rewrite_rules.engine.names import RAW_SCALED, short
from porter.rewrite_rules.engine.plan import RewritePlan
from porter.rewrite_rules.engine.program import Module, names_in, written_by
from porter.rewrite_rules.engine.refusal import RefusalError
from porter.rewrite_rules.rule import Operand, RewriteRule, Site

OPERANDS = 9


def raw_sites(plan: RewritePlan, rule: RewriteRule, k: int) -> Iterator[Site]:
    """Every raw scaled MFMA of one K width."""
    for module in plan.program.modules:
        heads = set()
        for call in module.calls:
            shape = RAW_SCALED.get(short(module.qualified(call.func)))
            if shape is None:
                continue
            heads.add(call.func)
            if shape[1] == k:
                yield _site(plan, rule, module, call, *shape)
        _refuse_indirect(module, heads, k)


def _site(plan: RewritePlan, rule: RewriteRule, module: Module, call: cst.Call, rows: int, k: int) -> Site:
    values = operands(module, call)
    if values is None:
        raise RefusalError("CKR209", call, "the operands are not written here as one list of nine")
    a, b = (Operand(Value(module, values[i + 1]), _byte(plan, module, values[i])) for i in (5, 7))
    return Site(rule, module, call, rows, k, a, b)


def operands(module: Module, call: cst.Call) -> list[cst.BaseExpression] | None:
    """The nine operands, where they are written as one list, in the call or under a name that still means it there."""
    if len(call.args) != 2:
        return None
    sequence: cst.CSTNode | None = call.args[1].value
    if isinstance(sequence, cst.Name):
        sequence = _named_list(module, call, sequence)
    if not isinstance(sequence, cst.List | cst.Tuple) or len(sequence.elements) != OPERANDS:
        return None
    if any(isinstance(element, cst.StarredElement) for element in sequence.elements):
        return None
    return [element.value for element in sequence.elements]


def _named_list(module: Module, call: cst.Call, name: cst.Name) -> cst.CSTNode | None:
    """The list behind a name, when nothing between the two sets what the list is made of."""
    var = module.var(name)
    bindings = module.bindings[var] if var is not None else []
    if var is None or len(bindings) != 1 or bindings[0].kind != "value" or bindings[0].path:
        return None
    made, used = module.statement(bindings[0].node), module.statement(call)
    if made is None or used is None or made[1] is not used[1] or module.reads[var] != [name]:
        return None
    block = list(made[1])
    first, last = block.index(made[0]), block.index(used[0])
    parts = names_in([bindings[0].node])
    between = {name for statement in block[first + 1 : last] for name in written_by(statement)}
    return bindings[0].node if first < last and not between & parts else None


def check_formats(plan: RewritePlan, site: Site) -> None:
    """Both operands must be fp8: cbsz and blgp 0."""
    values = operands(site.module, site.call)
    assert values is not None
    for node in values[3:5]:
        if plan.judge(Value(site.module, node)) != Constant(0):
            raise RefusalError("CKR214", node, "cbsz or blgp is not a literal 0, so the data is not shown to be fp8")


def unscaled(plan: RewritePlan, site: Site, call: cst.Call, c: str | None) -> cst.Call:
    """The call, already edited, without scales; `c` replaces its C operand, None keeps it."""
    values = operands(site.module, site.call)
    assert values is not None
    edits = plan.edits[site.module.path]
    data = [edited(edits, value) for value in values[:5]]
    if c is not None:
        data[2] = cst.parse_expression(c)
    # A literal 0 on both sides selects the unscaled opcode; op_sel has nothing to select from.
    elements = [cst.Element(value) for value in (*data, *(cst.Integer("0") for _ in range(OPERANDS - 5)))]
    return call.with_changes(args=[call.args[0], call.args[1].with_changes(value=cst.List(elements))])


def promoted(plan: RewritePlan, site: Site, partial: str, c: str) -> cst.BaseExpression:
    """`fma(scales, partial, c)`."""
    return cst.parse_expression(f"{plan.fx(site.module, site.call)}.math.fma({plan.factor(site)}, {partial}, {c})")


def drop_scales(plan: RewritePlan, site: Site, c: str | None) -> None:
    """Edit the call to one without scales, its C operand `c` (None: as it is written)."""

    def edit(node: cst.CSTNode) -> cst.CSTNode:
        assert isinstance(node, cst.Call)
        return unscaled(plan, site, node, c)

    plan.edits[site.module.path].add(site.call, edit)


def promote_call(plan: RewritePlan, site: Site, partial: str | None, c: str | cst.BaseExpression) -> None:
    """Edit the call to `fma(scales, unscaled call, c)`, its own C operand `partial` (None: as it is written)."""
    module, edits = site.module, plan.edits[site.module.path]

    def edit(node: cst.CSTNode) -> cst.CSTNode:
        assert isinstance(node, cst.Call)
        call = module.code(unscaled(plan, site, node, partial))
        return promoted(plan, site, call, c if isinstance(c, str) else module.code(edited(edits, c)))

    edits.add(site.call, edit)


def zero(plan: RewritePlan, site: Site) -> str:
    """A fresh C for a partial result."""
    return promote.zero(plan.fx(site.module, site.call), site.rows)


def _byte(plan: RewritePlan, module: Module, node: cst.BaseExpression) -> cst.BaseExpression | int:
    judged = plan.judge(Value(module, node))
    return judged.bits & 3 if isinstance(judged, Constant) else node


def _refuse_indirect(module: Module, heads: set[cst.BaseExpression], k: int) -> None:
    """A builder that is passed on as a value has calls that are not seen."""
    names = {name.rpartition(".")[2] for name, shape in RAW_SCALED.items() if shape[1] == k}
    uses: list[cst.BaseExpression] = [node for name in names for node in module.attributes.get(name, ())]
    for var, bindings in module.bindings.items():
        if bindings[0].kind == "import" and module.imported(var).rpartition(".")[2] in names:
            uses += module.reads[var]
    for node in uses:
        parent = module.parent(node)
        alias = isinstance(parent, cst.Assign) and len(parent.targets) == 1
        if node not in heads and not alias and short(module.qualified(node)) in RAW_SCALED:
            raise RefusalError("CKR209", node, "the scaled MFMA is passed on as a value; its calls are not seen")
