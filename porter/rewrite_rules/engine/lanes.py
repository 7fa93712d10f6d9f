# SPDX-License-Identifier: Apache-2.0
"""How a value differs between the lanes of a wave.

The answer is the smallest power of two m for which the value is shown to be a function of `lane % m`: 1 is the same in
every lane, 16 and 32 are a row of an MFMA operand, 64 is anything.
"""

from __future__ import annotations

from dataclasses import dataclass

import libcst as cst

from porter.rewrite_rules.engine.encoders import Constant, judge
from porter.rewrite_rules.engine.flow import Tracer, Trail, Value
from porter.rewrite_rules.engine.names import number_type, short
from porter.rewrite_rules.engine.program import Module, Program, element_at

UNIFORM, ANY_LANE = 1, 64

#: Calls whose result depends on the lane only through their arguments.
_PLAIN = frozenset(
    {
        *("min", "max", "ceildiv", "len", "int", "float", "range", "range_constexpr", "const_expr"),
        *("make_view", "make_layout", "make_int_tuple", "logical_divide", "slice", "get_iter", "add_offset"),
        *(
            "inttoptr",
            "ptrtoint",
            "recast_iter",
            "ptr_load",
            "PointerType.get",
            "Vector.filled",
            "Vector.from_elements",
        ),
        *("rocdl.make_buffer_ptr", "rocdl.make_buffer_tensor", "rocdl.log", "SharedAllocator"),
    }
)
_PLAIN_METHODS = frozenset({"load", "to", "bitcast", "select", "shuffle", "append", "ir_value", "allocate", "peek"})
_UNIFORM = frozenset({"rocdl.readfirstlane", "rocdl.s_buffer_load"})


@dataclass(frozen=True, slots=True)
class _Lanes:
    """modulus: see the module; exact: the value equals the lane number modulo this, 0 where that is not known."""

    modulus: int
    exact: int = 0


def lane_modulus(program: Program, value: Value) -> int:
    """The smallest m for which the value is shown to be a function of `lane % m`."""
    return _Reader(program).read(value).modulus


class _Reader:
    def __init__(self, program: Program) -> None:
        self._program = program
        self._tracer = Tracer(program, (_stop_at_entry,), lambda _: False)
        self._open: set[tuple[int, tuple[int, ...]]] = set()

    def read(self, value: Value) -> _Lanes:
        key = (id(value.node), tuple(id(call) for _, call in value.context))
        if key in self._open:
            return _Lanes(UNIFORM)  # a loop-carried value: what it starts from decides
        self._open.add(key)
        try:
            trail = self._tracer.trace(value)
            if not trail.terminals:
                return _Lanes(ANY_LANE)
            found = [self._terminal(terminal) for terminal in trail.terminals]
            return found[0] if len(found) == 1 else _Lanes(max(one.modulus for one in found))
        finally:
            self._open.discard(key)

    def _part(self, value: Value, node: cst.BaseExpression) -> _Lanes:
        return self.read(Value(value.module, node, (), value.context))

    def _join(self, value: Value, nodes: list[cst.BaseExpression]) -> _Lanes:
        return _Lanes(max((self._part(value, node).modulus for node in nodes), default=UNIFORM))

    def _terminal(self, value: Value) -> _Lanes:
        node = value.node
        if isinstance(node, cst.Integer | cst.Float | cst.SimpleString):
            return _Lanes(UNIFORM)
        if isinstance(node, cst.Attribute):
            return self._attribute(value, node)
        if isinstance(node, cst.Name):
            return self._name(value, node)
        if isinstance(node, cst.BinaryOperation):
            return self._binary(value, node)
        if isinstance(node, cst.UnaryOperation):
            return self._part(value, node.expression)
        if isinstance(node, cst.Comparison):
            return self._join(value, [node.left, *(c.comparator for c in node.comparisons)])
        if isinstance(node, cst.Call):
            return self._call(value, node)
        return _Lanes(ANY_LANE)

    def _attribute(self, value: Value, node: cst.Attribute) -> _Lanes:
        name = short(value.module.qualified(node))
        if name == "thread_idx.x":
            # With more dimensions, x is the lane number only for some workgroups.
            flat = not any(
                self._is_thread(value.module, other) for axis in "yz" for other in value.module.attributes[axis]
            )
            return _Lanes(ANY_LANE, ANY_LANE if flat else 0)
        if name.startswith("thread_idx."):
            return _Lanes(ANY_LANE)
        if name.startswith(("block_idx.", "grid_dim.", "block_dim.")):
            return _Lanes(UNIFORM)
        return _Lanes(UNIFORM) if name else self._part(value, node.value)

    @staticmethod
    def _is_thread(module: Module, node: cst.Attribute) -> bool:
        return short(module.qualified(node)).startswith("thread_idx.")

    def _name(self, value: Value, node: cst.Name) -> _Lanes:
        module = value.module
        var = module.var(node)
        for owner, binding in self._program.bindings(module, var) if var else ():
            if binding.kind == "param":
                function = owner.function_of(binding.node)
                # Arguments of a kernel or of its builder are the same in every lane; a callback's are unknown.
                if function is None or (
                    self._program.call_sites(function) != [] and not _is_entry(function.decorators())
                ):
                    return _Lanes(ANY_LANE)
            elif binding.kind not in ("import", "class"):
                return _Lanes(ANY_LANE)
        return _Lanes(UNIFORM)

    def _binary(self, value: Value, node: cst.BinaryOperation) -> _Lanes:
        left = self._part(value, node.left)
        if left.exact:
            constant = self._constant(value, node.right)
            operator = node.operator
            if constant is not None:
                if isinstance(operator, cst.BitAnd):
                    operator, constant = cst.Modulo(), constant + 1
                elif isinstance(operator, cst.RightShift):
                    operator, constant = cst.FloorDivide(), 1 << constant
                power = constant > 0 and constant & (constant - 1) == 0
                if power and isinstance(operator, cst.Modulo):
                    modulus = min(constant, left.exact)
                    return _Lanes(modulus, modulus)
                if power and isinstance(operator, cst.FloorDivide) and constant % ANY_LANE == 0:
                    return _Lanes(UNIFORM)
        return _Lanes(max(left.modulus, self._part(value, node.right).modulus))

    def _constant(self, value: Value, node: cst.BaseExpression) -> int | None:
        judged = judge(self._program, Value(value.module, node, (), value.context))
        return judged.bits if isinstance(judged, Constant) else None

    def _call(self, value: Value, node: cst.Call) -> _Lanes:
        name = short(value.module.qualified(node.func))
        args = [arg.value for arg in node.args]
        if name in _UNIFORM:
            return _Lanes(UNIFORM)
        if number_type(name) and len(args) == 1:
            return self._part(value, args[0])
        if name in _PLAIN or name.startswith("math."):
            return self._join(value, args)
        if name == "make_rmem_tensor":
            return self._fragment(value, node)
        if isinstance(node.func, cst.Attribute) and not name and node.func.attr.value in _PLAIN_METHODS:
            return self._join(value, [node.func.value, *args])
        return _Lanes(ANY_LANE)

    def _fragment(self, value: Value, node: cst.Call) -> _Lanes:
        """A register fragment holds what is copied or stored into it, wherever it has a name."""
        contents = fragment_contents(value, node)
        return _Lanes(ANY_LANE) if contents is None else self._join(value, [*contents.stored, *contents.copied])


@dataclass(frozen=True, slots=True)
class Contents:
    """What is put into a register fragment: values stored, and what copies read (views and offsets)."""

    stored: tuple[cst.BaseExpression, ...]
    copied: tuple[cst.BaseExpression, ...]


def fragment_contents(value: Value, made: cst.Call) -> Contents | None:
    """Everything that is copied or stored into a `make_rmem_tensor` that one name holds; else None."""
    module = value.module
    holder = next((b for b in module.bindings.items() if any(element_at(x.node, x.path) is made for x in b[1])), None)
    if holder is None:
        return None
    var, bindings = holder
    stored = [b.node for b in bindings if b.at and isinstance(b.node, cst.BaseExpression)]
    copied: list[cst.BaseExpression] = []
    if sum(not b.at for b in bindings) != 1:
        return None
    for read in module.reads[var]:
        parent = module.parent(read)
        call = module.parent(parent) if parent is not None else None
        if not isinstance(call, cst.Call):
            continue
        if isinstance(parent, cst.Arg) and short(module.qualified(call.func)) == "copy":
            if len(call.args) > 2 and call.args[2] is parent:
                copied += [arg.value for i, arg in enumerate(call.args) if i not in (0, 2)]
        elif isinstance(parent, cst.Attribute) and call.func is parent and parent.attr.value == "store":
            stored += [arg.value for arg in call.args]
    return Contents(tuple(stored), tuple(copied))


def _stop_at_entry(tracer: Tracer, trail: Trail, value: Value) -> bool:
    """A kernel's arguments are the same in every lane, whatever the host passes."""
    module = value.module
    var = module.var(value.node) if isinstance(value.node, cst.Name) else None
    for owner, binding in tracer.program.bindings(module, var) if var is not None else ():
        function = owner.function_of(binding.node) if binding.kind == "param" else None
        if function is not None and _is_entry(function.decorators()):
            trail.terminals.append(value)
            return True
    return False


def _is_entry(decorators: tuple[str, ...]) -> bool:
    return any(short(name) in ("compiler.kernel", "compiler.jit") for name in decorators)
