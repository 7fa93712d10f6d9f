# SPDX-License-Identifier: Apache-2.0
"""CKR106: scales that travel through LDS."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import libcst as cst

from porter.rewrite_rules.engine.flow import Tracer, Trail, Value
from porter.rewrite_rules.engine.names import short
from porter.rewrite_rules.engine.program import Module, subscript
from porter.rewrite_rules.rule import EXPONENT_CODE, Case, RewriteRule

_LDS = """\
@fx.struct
class Lds:
    codes: fx.Array[fx.Int32, 64, 16]


"""


class LdsStaging(RewriteRule):
    """An LDS array of E8M0 codes becomes one of fp32 scales.

    What: a field of an `fx.struct` in LDS that only `ptr_store` and `ptr_load` touch, between an encoder and a scaled
    MFMA.

    Why: the promote needs the fp32 value in the lanes that held the code. Pointers count elements, so an array of
    bytes that becomes one of dwords keeps every index; it takes four times the LDS.

    Example: `codes: fx.Array[fx.Int32, 64, 16]` becomes `codes: fx.Array[fx.Float32, 64, 16]`, and
    `ptr_store(code(s), p)` becomes `ptr_store(s, p)`.

    Numeric effect: none of its own; it moves the fp32 bits.

    Source: FlyDSL, `expr/struct.py`, `expr/primitive.py: ptr_load, ptr_store`.
    """

    ID = "CKR106"
    TITLE = "scales in LDS"

    INVALID = (
        Case(
            "codes that are stored and loaded back",
            """
            lds = fx.SharedAllocator().allocate(Lds).peek()
            fx.ptr_store(code(xs), lds.codes.ptr + lane)
            fx.barrier()
            staged = fx.ptr_load(lds.codes.ptr + row)
            acc = rocdl.mfma_scale_f32_16x16x128_f8f6f4(t, [w, x, acc, 0, 0, 0, code(ws), 0, staged])
            fx.barrier()
            """,
            """
            lds = fx.SharedAllocator().allocate(Lds).peek()
            fx.ptr_store(xs, lds.codes.ptr + lane)
            fx.barrier()
            staged = fx.ptr_load(lds.codes.ptr + row)
            acc = fx.math.fma(
                fx.Vector.filled(4, ws * staged, fx.Float32),
                rocdl.mfma_scale_f32_16x16x128_f8f6f4(
                    t, [w, x, fx.Vector.filled(4, 0.0, fx.Float32), 0, 0, 0, 0, 0, 0]
                ),
                acc,
            )
            fx.barrier()
            """,
            helpers=_LDS + EXPONENT_CODE,
            helpers_after="""
            @fx.struct
            class Lds:
                codes: fx.Array[fx.Float32, 64, 16]
            """,
        ),
    )
    REFUSED = (
        Case(
            "an array that is used otherwise too",
            """
            lds = fx.SharedAllocator().allocate(Lds).peek()
            fx.ptr_store(code(xs), lds.codes.ptr + lane)
            whole = fx.make_view(lds.codes.ptr, fx.make_layout(4, 1)).load()
            fx.barrier()
            staged = fx.ptr_load(lds.codes.ptr + row)
            acc = rocdl.mfma_scale_f32_16x16x128_f8f6f4(t, [w, x, acc, 0, 0, 0, code(ws), 0, staged])
            fx.barrier()
            """,
            refused="CKR202",
            helpers=_LDS + EXPONENT_CODE,
        ),
    )

    def step(self, tracer: Tracer, trail: Trail, value: Value) -> bool:
        """From a load of the array to every value stored into it."""
        node, module = value.node, value.module
        if not isinstance(node, cst.Call) or short(module.qualified(node.func)) != "ptr_load" or not node.args:
            return False
        slot = _slot(module, node.args[0].value)
        kind = _element_type(module, slot) if slot is not None else None
        if slot is None or kind is None:
            return False
        stores, others = _uses(module, slot)
        if others or not stores:
            return False
        trail.rules.add(self.ID)
        trail.types.add(kind)
        if len(node.args) > 1:
            trail.types.add(node.args[1].value)
        for store in stores:
            tracer.follow(trail, Value(module, store.args[0].value, value.path, ()))
        return True


@dataclass(frozen=True, slots=True)
class _Slot:
    """A field of the struct that a name holds."""

    holder: str
    field: str


def _slot(module: Module, pointer: cst.BaseExpression) -> _Slot | None:
    """The LDS field that a pointer expression points into: `lds.field.ptr`, with offsets added, behind names."""
    while isinstance(pointer, cst.BinaryOperation) and isinstance(pointer.operator, cst.Add):
        pointer = pointer.left
    if isinstance(pointer, cst.Name):
        var = module.var(pointer)
        bindings = module.bindings[var] if var is not None else []
        only = bindings[0] if len(bindings) == 1 else None
        if only is None or only.kind != "value" or only.path or not isinstance(only.node, cst.BaseExpression):
            return None
        return _slot(module, only.node)
    if isinstance(pointer, cst.Attribute) and pointer.attr.value == "ptr" and isinstance(pointer.value, cst.Attribute):
        holder = pointer.value.value
        if isinstance(holder, cst.Name):
            return _Slot(holder.value, pointer.value.attr.value)
    return None


def _element_type(module: Module, slot: _Slot) -> cst.BaseExpression | None:
    """The element type that the struct's field is declared with: `field: fx.Array[type, ...]`."""
    found = [
        annotation
        for struct in module.classes
        for statement in struct.body.body
        if isinstance(statement, cst.SimpleStatementLine)
        for annotation in statement.body
        if isinstance(annotation, cst.AnnAssign)
        and isinstance(annotation.target, cst.Name)
        and annotation.target.value == slot.field
    ]
    declared = found[0].annotation.annotation if len(found) == 1 else None
    if not isinstance(declared, cst.Subscript) or short(module.qualified(declared.value)) != "Array":
        return None
    first = declared.slice[0].slice
    return first.value if subscript(declared) is None and isinstance(first, cst.Index) else None


def _uses(module: Module, slot: _Slot) -> tuple[list[cst.Call], list[cst.CSTNode]]:
    """The stores into a field, and every use that is neither a plain store nor a plain load."""
    stores: list[cst.Call] = []
    known: set[cst.CSTNode] = set()
    for call in module.calls:
        name = short(module.qualified(call.func))
        place = {"ptr_store": 1, "ptr_load": 0}.get(name)
        if place is None or len(call.args) <= place or _slot(module, call.args[place].value) != slot:
            continue
        known.update(_fields(call.args[place].value))
        if name == "ptr_store":
            stores.append(call)
    others: list[cst.CSTNode] = [
        node for node in module.attributes.get(slot.field, ()) if node not in known and not _is_named(module, node)
    ]
    return stores, others


def _fields(pointer: cst.BaseExpression) -> Iterator[cst.CSTNode]:
    while isinstance(pointer, cst.BinaryOperation):
        pointer = pointer.left
    if isinstance(pointer, cst.Attribute):
        yield pointer.value


def _is_named(module: Module, field: cst.Attribute) -> bool:
    """Whether an assignment gives a pointer into the field a name; the name's uses are judged by themselves."""
    for parent in module.parents(field):
        if isinstance(parent, cst.Assign):
            return True
        if not isinstance(parent, cst.Attribute | cst.BinaryOperation):
            return False
    return False
