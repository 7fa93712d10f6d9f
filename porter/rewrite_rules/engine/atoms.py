# SPDX-License-Identifier: Apache-2.0
"""Calls of scaled-MFMA atoms: `gemm(atom, d, a, b, c)` with scales as state, keywords or `[data, scale]` groups."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

import libcst as cst

from porter.rewrite_rules.engine import cluster, promote
from porter.rewrite_rules.engine.edits import Edits, edited
from porter.rewrite_rules.engine.encoders import Constant
from porter.rewrite_rules.engine.flow import Tracer, Trail, Value
from porter.rewrite_rules.engine.names import MMA_CALLS, SCALED_ATOMS, is_fp8, short
from porter.rewrite_rules.engine.plan import RewritePlan
from porter.rewrite_rules.engine.program import Module
from porter.rewrite_rules.engine.refusal import RefusalError
from porter.rewrite_rules.rule import Operand, RewriteRule, Site

_ORDER = ("mma_atom", "d", "a", "b", "c")
_SIDES = ("scale_a", "scale_b")


@dataclass(slots=True)
class Atom:
    """What an atom operand is. made: `MFMA_Scale(...)` calls behind it; state: scales set on it, by field; setters:
    the calls that set them; tiled: whether it went through `make_tiled_mma`; opaque: an expression not followed."""

    made: list[Value] = field(default_factory=list)
    state: dict[str, Value] = field(default_factory=dict)
    setters: list[cst.Call] = field(default_factory=list)
    tiled: bool = False
    opaque: bool = False


@dataclass(frozen=True, slots=True)
class AtomCall:
    """One call of a scaled atom, with where each side's scale comes from: "group", "keyword", "state" or ""."""

    module: Module
    call: cst.Call
    atom: Atom
    sources: tuple[str, str]
    scales: tuple[Value | None, Value | None]


def atom_calls(plan: RewritePlan) -> Iterator[AtomCall]:
    """Every call of an atom that is, or may be, a scaled MFMA."""
    for module in plan.program.modules:
        for call in module.calls:
            if short(module.qualified(call.func)) not in MMA_CALLS:
                continue
            operand = argument(call, "mma_atom")
            if operand is None:
                continue
            atom = _atom(plan, module, operand)
            found = _atom_call(module, call, atom)
            if atom.made or (atom.opaque and any(found.sources)):
                yield found


def site_of(plan: RewritePlan, rule: RewriteRule, found: AtomCall) -> Site:
    """The site of an atom call; refuses an atom whose shape or op_sel is not read off."""
    module, call, atom = found.module, found.call, found.atom
    if atom.opaque or len(atom.made) != 1:
        raise RefusalError("CKR206", call, "the atom of this call is not traced to one MFMA_Scale(...)")
    made = atom.made[0]
    rows, columns, k = (_number(plan, made, name, i) for i, name in enumerate(("m", "n", "k")))
    if (rows, columns, k) not in ((16, 16, 128), (32, 32, 64)):
        raise RefusalError(
            "CKR206", made.node, f"the atom's shape is {rows}x{columns}x{k}, expected 16x16x128 or 32x32x64"
        )
    bytes_ = (_number(plan, made, "opsel_a", None), _number(plan, made, "opsel_b", None))
    operands = [Operand(value, byte or 0) for value, byte in zip(found.scales, bytes_, strict=True)]
    return Site(rule, module, call, rows or 0, k or 0, operands[0], operands[1], found)


def write_promoted(plan: RewritePlan, site: Site) -> None:
    """`d.store(fma(scales, partial_gemm(atom without scales, a, b), c.load()))` in place of the call."""
    found, module, call = site.atom, site.module, site.call
    assert found is not None
    if site.k != 128:
        raise RefusalError("CKR207", call, "a 32x32x64 atom covers half a scale block; only raw calls are paired")
    _check_fragments(plan, found)
    made = found.atom.made[0]
    types = [argument(_call(made), name, i) for name, i in (("elem_ty_a", 3), ("elem_ty_b", 4))]
    if types[0] is None or not all(_is_fp8(plan, replace(made, node=one)) for one in types if one is not None):
        raise RefusalError("CKR214", made.node, "the atom's element type is not fp8 e4m3")
    _drop_state(plan, found)
    edits, fx = plan.edits[module.path], plan.fx(module, call)
    name, text = promote.partial_gemm(fx)
    edits.helpers[name] = text

    def code(part: str) -> str:
        return module.code(edited(edits, _data(call, part)))

    def partial() -> str:
        return f"{name}({code('mma_atom')}, {code('a')}, {code('b')})"

    def promoted(product: str) -> str:
        factor = plan.factor(site, [_scale_text(edits, site, found, side) for side in (0, 1)])
        return f"{code('d')}.store({fx}.math.fma({factor}, {product}, {code('c')}.load()))"

    around = cluster.nest(plan, site) if plan.clustered else None
    if around is None:
        edits.add(call, lambda _: cst.parse_expression(promoted(partial())))
    else:
        cluster.write(plan, site, around, partial, promoted)


def without_scales(plan: RewritePlan, site: Site) -> None:
    """The same call with its data alone."""
    found, module, call = site.atom, site.module, site.call
    assert found is not None
    _drop_state(plan, found)
    edits = plan.edits[module.path]

    def edit(node: cst.CSTNode) -> cst.CSTNode:
        assert isinstance(node, cst.Call)
        args = [arg for arg in node.args if arg.keyword is None or arg.keyword.value not in _SIDES]
        data = [edited(edits, _data(call, part)) for part in _ORDER]
        rest = [arg for arg in args[len(_ORDER) :] if arg.keyword is not None]
        return node.with_changes(args=[*(cst.Arg(value) for value in data), *rest])

    edits.add(call, edit)


def _drop_state(plan: RewritePlan, found: AtomCall) -> None:
    for setter in found.atom.setters:
        _strip_state(plan, setter)
    made = found.atom.made[0]
    edits = plan.edits[made.module.path]
    if made.node not in edits.edits:
        edits.add(made.node, _without_opsel)


def argument(call: cst.Call, name: str, position: int | None = None) -> cst.BaseExpression | None:
    """An argument by keyword, or by its place in the call's usual order."""
    for arg in call.args:
        if arg.keyword is not None and arg.keyword.value == name:
            return arg.value
    place = _ORDER.index(name) if position is None and name in _ORDER else position
    positional = [arg.value for arg in call.args if arg.keyword is None and not arg.star]
    return positional[place] if place is not None and place < len(positional) else None


def _data(call: cst.Call, name: str) -> cst.BaseExpression:
    node = argument(call, name)
    if node is None:
        raise RefusalError("CKR206", call, f"operand {name} of this call is not written here")
    return node.elements[0].value if name in "ab" and isinstance(node, cst.List | cst.Tuple) else node


def _atom_call(module: Module, call: cst.Call, atom: Atom) -> AtomCall:
    sources: list[str] = []
    scales: list[Value | None] = []
    for side, operand in zip(_SIDES, ("a", "b"), strict=True):
        group, keyword = argument(call, operand), argument(call, side)
        grouped = isinstance(group, cst.List | cst.Tuple) and len(group.elements) > 1
        if grouped and isinstance(group, cst.List | cst.Tuple):
            sources.append("group")
            scales.append(Value(module, group.elements[1].value))
        elif keyword is not None:
            sources.append("keyword")
            scales.append(Value(module, keyword))
        else:
            sources.append("state" if side in atom.state else "")
            scales.append(atom.state.get(side))
    return AtomCall(module, call, atom, (sources[0], sources[1]), (scales[0], scales[1]))


def _atom(plan: RewritePlan, module: Module, node: cst.BaseExpression) -> Atom:
    atom = Atom()

    def step(tracer: Tracer, trail: Trail, value: Value) -> bool:
        call = value.node
        if not isinstance(call, cst.Call):
            return False
        name = short(value.module.qualified(call.func))
        args = [arg.value for arg in call.args]

        def go(inner: cst.BaseExpression) -> bool:
            tracer.follow(trail, Value(value.module, inner, (), value.context))
            return True

        if name in SCALED_ATOMS:
            if value not in atom.made:
                atom.made.append(value)
            return True
        if name in ("make_mma_atom", "make_tiled_mma") and args:
            atom.tiled = atom.tiled or name == "make_tiled_mma"
            return go(args[0])
        if name == "atom_set_value" and len(args) == 3:
            _set_state(atom, value, call, {_text(args[1]): args[2]})
            return go(args[0])
        if isinstance(call.func, cst.Attribute) and call.func.attr.value == "set_value" and not name:
            _set_state(atom, value, call, _fields(args))
            return go(call.func.value)
        return False

    trail = Tracer(plan.program, (step,), lambda _: False).trace(Value(module, node))
    others = [t for t in trail.terminals if not _other_atom(t)]
    atom.opaque = bool(others) or (bool(trail.terminals) and bool(atom.made))
    return atom


def _other_atom(terminal: Value) -> bool:
    """An atom of another instruction: nothing to repair."""
    name = short(terminal.module.qualified(terminal.node.func)) if isinstance(terminal.node, cst.Call) else ""
    return name.startswith("rocdl.")


def _set_state(atom: Atom, value: Value, call: cst.Call, fields: dict[str, cst.BaseExpression]) -> None:
    for name, node in fields.items():
        if name in _SIDES:
            state = Value(value.module, node, (), value.context)
            # Two settings of one field: which one holds at the call is not known.
            atom.opaque = atom.opaque or (name in atom.state and atom.state[name].node is not node)
            atom.state[name] = state
    if call not in atom.setters:
        atom.setters.append(call)


def _fields(args: list[cst.BaseExpression]) -> dict[str, cst.BaseExpression]:
    if len(args) == 2:
        return {_text(args[0]): args[1]}
    if len(args) == 1 and isinstance(args[0], cst.Dict):
        return {_text(e.key): e.value for e in args[0].elements if isinstance(e, cst.DictElement)}
    return {}


def _text(node: cst.BaseExpression) -> str:
    return str(node.evaluated_value) if isinstance(node, cst.SimpleString) else ""


def _call(made: Value) -> cst.Call:
    assert isinstance(made.node, cst.Call)
    return made.node


def _number(plan: RewritePlan, made: Value, name: str, position: int | None) -> int | None:
    node = argument(_call(made), name, position)
    if node is None:
        return None
    judged = plan.judge(replace(made, node=node))
    if not isinstance(judged, Constant):
        raise RefusalError("CKR206", node, f"{name} of the atom is not a number here")
    return judged.bits


def _check_fragments(plan: RewritePlan, found: AtomCall) -> None:
    for name, size in (("d", 4), ("c", 4)):
        node = argument(found.call, name)
        trail = (
            Tracer(plan.program, (), lambda _: False).trace(Value(found.module, node)) if node is not None else Trail()
        )
        if found.atom.tiled or not trail.terminals or not all(_is_fragment(plan, t, size) for t in trail.terminals):
            raise RefusalError("CKR206", found.call, f"{name} is not shown to be a register fragment of {size} results")


def _is_fp8(plan: RewritePlan, value: Value) -> bool:
    terminals = Tracer(plan.program, (), lambda _: False).trace(value).terminals
    return bool(terminals) and all(is_fp8(short(t.module.qualified(t.node))) for t in terminals)


def _is_fragment(plan: RewritePlan, value: Value, size: int) -> bool:
    node = value.node
    if not isinstance(node, cst.Call) or short(value.module.qualified(node.func)) != "make_rmem_tensor":
        return False
    return plan.judge(Value(value.module, node.args[0].value, (), value.context)) == Constant(size)


def _scale_text(edits: Edits, site: Site, found: AtomCall, side: int) -> str:
    value = found.scales[side]
    assert value is not None
    if found.sources[side] == "state":
        _check_holds(edits.module, site.call, value)
    text = edits.module.code(edited(edits, value.node))
    return f"{text}.load()[0]" if found.sources[side] == "group" else text


def _check_holds(module: Module, call: cst.Call, value: Value) -> None:
    """A scale that was set as state must still be what its name means at the call."""
    node = value.node
    if call in module.parents(node):
        return
    scope = module.scope(call)
    if value.module is module and isinstance(node, cst.Name) and scope is not None:
        var = module.var(node)
        if var is not None and module.var_at(scope, node.value) == var and len(module.bindings[var]) == 1:
            return
    raise RefusalError("CKR208", node, "the scale set here has no name that still holds where the atom is called")


def _strip_state(plan: RewritePlan, setter: cst.Call) -> None:
    module = plan.program.module(setter)
    edits = plan.edits[module.path]
    if setter in edits.edits:
        return
    base = (
        setter.func.value if isinstance(setter.func, cst.Attribute) and setter.func.attr.value == "set_value" else None
    )
    atom = base if base is not None else setter.args[0].value
    edits.replace(setter, atom)
    statement = module.parent(setter)
    if isinstance(statement, cst.Assign) and isinstance(atom, cst.Name):
        target = statement.targets[0].target
        if len(statement.targets) == 1 and isinstance(target, cst.Name) and target.value == atom.value:
            edits.add(statement, lambda _: cst.RemoveFromParent())


def _without_opsel(node: cst.CSTNode) -> cst.CSTNode:
    assert isinstance(node, cst.Call)
    args = [a for a in node.args if a.keyword is None or a.keyword.value not in ("opsel_a", "opsel_b")]
    if args and len(args) != len(node.args):
        args[-1] = args[-1].with_changes(comma=cst.MaybeSentinel.DEFAULT)
    return node.with_changes(args=args)
