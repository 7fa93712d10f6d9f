# SPDX-License-Identifier: Apache-2.0
"""Which byte of an expression is the E8M0 exponent of which fp32 value: found by evaluating it, not by its spelling.

An expression over one unknown x counts as an encoder of x when, for every power of two that E8M0 holds, it gives that
power's exponent code, and for every other positive x the code of one of the two powers around it. So whatever it
replaces was exact where the scale was a power of two, and a rounding of the scale elsewhere.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import libcst as cst
import numpy as np
from numpy.typing import NDArray

from porter.rewrite_rules.engine.flow import Value, unwind
from porter.rewrite_rules.engine.names import LOG2_ROUNDERS, number_type, short
from porter.rewrite_rules.engine.program import Function, Module, Program, element_at, names_in, subscript

Array = NDArray[np.generic]


@dataclass(frozen=True, slots=True)
class Leaf:
    """The value that an encoder reads.

    value: where it is computed; bits: whether that gives the fp32's bits as an i32, not the fp32;
    spellings: other expressions that hold it, the one nearest the encoder first.
    """

    value: Value
    bits: bool
    spellings: tuple[Value, ...] = field(default=(), compare=False)


@dataclass(frozen=True, slots=True)
class Encoding:
    """What the four bytes of an expression are: the leaf whose exponent stands there, or None."""

    bytes: tuple[Leaf | None, Leaf | None, Leaf | None, Leaf | None]

    @property
    def leaves(self) -> list[Leaf]:
        """Different leaves, in the order of their lowest byte."""
        return list(dict.fromkeys(leaf for leaf in self.bytes if leaf is not None))


@dataclass(frozen=True, slots=True)
class Constant:
    """An expression without unknowns: its 32 bits."""

    bits: int


@dataclass(frozen=True, slots=True)
class Stored:
    """An expression that moves bytes of an integer value without computing an exponent: E8M0 codes in memory.

    byte: the byte of the leaf that comes first.
    """

    leaf: Leaf
    byte: int


Judgement = Encoding | Constant | Stored

#: Every power of two with an E8M0 code and a normal fp32: 2^-126 .. 2^127.
_POWERS = np.ldexp(np.float32(1), np.arange(-126, 128)).astype(np.float32)


def judge(program: Program, value: Value) -> Judgement | None:
    """What an expression is as a scale operand, None where it is not understood."""
    try:
        formula = _Builder(program).build(value)
    except _Unknown:
        return None
    with np.errstate(all="ignore"):
        return _judge(formula)


def spelling(program: Program, place: Value, leaf: Leaf) -> cst.BaseExpression | None:
    """An expression for a leaf that may stand at `place`: part of what stands there, a name that is set once, or a
    register read that nothing has touched since."""
    module = place.module
    for value in leaf.spellings:
        if value.module is not module:
            continue
        if value.node is place.node or place.node in module.parents(value.node):
            return value.node
        if isinstance(value.node, cst.Name):
            var, scope = module.var(value.node), module.scope(place.node)
            once = var is not None and len(program.bindings(module, var)) == 1
            if once and scope is not None and module.var_at(scope, value.node.value) == var:
                return value.node
        elif _still_holds(module, value.node, place.node):
            return value.node
    return None


def _still_holds(module: Module, read: cst.BaseExpression, place: cst.BaseExpression) -> bool:
    """Whether `fragment.load()[i]` in an earlier statement of the block reads the same at `place`."""
    call = read.value if isinstance(read, cst.Subscript) else read
    if not isinstance(call, cst.Call) or not isinstance(call.func, cst.Attribute) or call.func.attr.value != "load":
        return False
    made, used = module.statement(read), module.statement(place)
    if made is None or used is None or made[1] is not used[1] or not isinstance(call.func.value, cst.Name):
        return False
    block = list(made[1])
    between = block[block.index(made[0]) + 1 : block.index(used[0])]
    return block.index(made[0]) < block.index(used[0]) and call.func.value.value not in names_in(between)


def _judge(formula: _Formula) -> Judgement | None:
    if formula.kind == "?":
        formula = _as_bits(formula)
    leaves = list(formula.leaves)
    if len(leaves) > 1:
        leaves.sort(key=lambda leaf: leaf.value.module.order(leaf.value.node))
    if not leaves:
        return Constant(int(_word(formula, {})[0]))
    found: list[Leaf | None] = []
    for byte in range(4):
        found.append(next((leaf for leaf in leaves if _encodes(formula, leaves, leaf, byte)), None))
    if any(found):
        return Encoding((found[0], found[1], found[2], found[3]))
    moved = _moved_byte(formula, leaves[0]) if len(leaves) == 1 and leaves[0].bits else None
    return Stored(leaves[0], moved) if moved is not None else None


def _word(formula: _Formula, values: Mapping[Leaf, Array]) -> NDArray[np.int64]:
    result = np.atleast_1d(np.asarray(formula.evaluate(values)))
    if result.dtype.kind == "f":
        raise _Unknown
    return np.asarray(result, np.int64) & 0xFFFFFFFF


def _encodes(formula: _Formula, leaves: list[Leaf], leaf: Leaf, byte: int) -> bool:
    rng = np.random.default_rng(0)
    mantissas = rng.integers(1, 1 << 23, size=len(_POWERS) - 1)
    between = ((np.arange(1, 254) << 23) | mantissas).astype(np.int32).view(np.float32)
    for sample, slack in ((_POWERS, 0), (between, 1)):
        codes = (sample.view(np.int32) >> 23).astype(np.int64)
        for others in (np.float32(1), np.float32(2.0**9)):
            values = {one: _as_leaf(one, sample if one is leaf else np.full_like(sample, others)) for one in leaves}
            difference = (_word(formula, values) >> (8 * byte) & 0xFF) - codes
            if difference.shape != codes.shape or (difference < 0).any() or (difference > slack).any():
                return False
    return True


def _moved_byte(formula: _Formula, leaf: Leaf) -> int | None:
    """Which byte of the leaf the lowest byte of the result is."""
    words = np.random.default_rng(1).integers(0, 1 << 32, size=64, dtype=np.uint32)
    result = _word(formula, {leaf: words.view(np.int32).astype(np.int64)})
    if result.shape != words.shape:
        return None
    return next((byte for byte in range(4) if (result & 0xFF == words >> (8 * byte) & 0xFF).all()), None)


def _as_leaf(leaf: Leaf, sample: NDArray[np.float32]) -> Array:
    return sample.view(np.int32).astype(np.int64) if leaf.bits else sample


class _Unknown(Exception):
    """The expression holds something that is not evaluated here."""


@dataclass(frozen=True, slots=True)
class _Formula:
    """kind: "f" fp32, "i" and "u" 32-bit integers, "c" a Python number, "b" a truth value, "?" not known yet."""

    kind: str
    leaves: frozenset[Leaf]
    evaluate: Callable[[Mapping[Leaf, Array]], Array]


class _Builder:
    def __init__(self, program: Program) -> None:
        self._program = program
        self._depth = 0

    def build(self, value: Value) -> _Formula:
        self._depth += 1
        if self._depth > 2000:
            raise _Unknown
        formula = self._build(value)
        if formula.kind == "?":
            (leaf,) = formula.leaves
            return _unknown(Leaf(leaf.value, False, (value, *leaf.spellings)))
        return formula

    def _build(self, value: Value) -> _Formula:
        node = value.node
        if isinstance(node, cst.Integer | cst.Float):
            number = node.evaluated_value
            return _Formula("c", frozenset(), lambda _: np.asarray(number))
        if isinstance(node, cst.Name):
            return self._name(value, node)
        if isinstance(node, cst.BinaryOperation):
            return self._binary(value, node)
        if isinstance(node, cst.UnaryOperation):
            return self._unary(value, node)
        if isinstance(node, cst.Comparison) and len(node.comparisons) == 1:
            return self._comparison(value, node)
        if isinstance(node, cst.Subscript):
            inner = self._vector_element(value, node) or self._list_element(value, node)
            if inner is not None:
                return inner
        if isinstance(node, cst.Call):
            made = self._call(value, node)
            if made is not None:
                return made
        return _unknown(Leaf(value, False))

    def _part(self, value: Value, node: cst.BaseExpression) -> _Formula:
        return self.build(Value(value.module, node, (), value.context))

    def _name(self, value: Value, node: cst.Name) -> _Formula:
        origin = self._origin(value, node)
        return _unknown(Leaf(value, False)) if origin is None else self.build(origin)

    def _origin(self, value: Value, node: cst.Name) -> Value | None:
        """The expression that a name stands for: its only assignment, or the argument of the call that led here."""
        module = value.module
        var = module.var(node)
        bindings = self._program.bindings(module, var, node) if var else []
        if len(bindings) != 1 or bindings[0][1].at:
            return None
        owner, binding = bindings[0]
        context = unwind(value.context, owner, binding.node)
        if binding.kind == "value" and isinstance(binding.node, cst.BaseExpression):
            inner = element_at(binding.node, binding.path)
            return None if inner is None else Value(owner, inner, (), context)
        if binding.kind == "param" and isinstance(binding.node, cst.Param):
            function = owner.function_of(binding.node)
            if function is not None and context and context[-1][0] is function:
                argument = self._program.argument(function, context[-1][1], binding.node)
                if argument is not None:
                    return Value(self._program.module(argument), argument, (), context[:-1])
        return None

    def _binary(self, value: Value, node: cst.BinaryOperation) -> _Formula:
        left, right = self._part(value, node.left), self._part(value, node.right)
        operator = _BINARY.get(type(node.operator))
        if operator is None:
            raise _Unknown
        integers = isinstance(
            node.operator,
            cst.LeftShift | cst.RightShift | cst.BitAnd | cst.BitOr | cst.BitXor | cst.FloorDivide | cst.Modulo,
        )
        if "?" in (left.kind, right.kind):
            if integers or {left.kind, right.kind} & {"i", "u"}:
                left, right = _as_bits(left), _as_bits(right)
            elif {left.kind, right.kind} & {"f"}:
                left, right = _as_float(left), _as_float(right)
            elif (
                isinstance(node.operator, cst.Add | cst.Subtract)
                and "c" in (left.kind, right.kind)
                and _is_integer(left if left.kind == "c" else right)
            ):
                left, right = _as_bits(left), _as_bits(right)
            else:
                # fp32 arithmetic on values that are not known here: the result is one of them.
                return _unknown(Leaf(value, False))
        kind = _joined(left.kind, right.kind)
        return _Formula(
            kind, left.leaves | right.leaves, lambda v: _wrap(kind, operator(left.evaluate(v), right.evaluate(v)))
        )

    def _unary(self, value: Value, node: cst.UnaryOperation) -> _Formula:
        inner = self._part(value, node.expression)
        if isinstance(node.operator, cst.Minus):
            return _Formula(inner.kind, inner.leaves, lambda v: _wrap(inner.kind, np.subtract(0, inner.evaluate(v))))
        if isinstance(node.operator, cst.BitInvert):
            bits = _as_bits(inner)
            return _Formula(
                bits.kind,
                bits.leaves,
                lambda v: _wrap(bits.kind, np.bitwise_not(np.asarray(bits.evaluate(v), np.int64))),
            )
        raise _Unknown

    def _comparison(self, value: Value, node: cst.Comparison) -> _Formula:
        target = node.comparisons[0]
        operator = _COMPARE.get(type(target.operator))
        if operator is None:
            raise _Unknown
        left, right = self._part(value, node.left), self._part(value, target.comparator)
        left, right = _settle(left, right), _settle(right, left)
        return _Formula("b", left.leaves | right.leaves, lambda v: operator(left.evaluate(v), right.evaluate(v)))

    def _vector_element(self, value: Value, node: cst.Subscript) -> _Formula | None:
        """`fx.Vector.filled(n, x, T)[i]`, also reinterpreted: x."""
        if isinstance(node.value, cst.Call) and subscript(node) is not None:
            head = node.value
            inner = head
            while (
                isinstance(inner.func, cst.Attribute)
                and inner.func.attr.value == "bitcast"
                and isinstance(inner.func.value, cst.Call)
            ):
                inner = inner.func.value
            if short(value.module.qualified(inner.func)) in ("Vector.filled", "full"):
                return self._part(value, head)
        return None

    def _list_element(self, value: Value, node: cst.Subscript) -> _Formula | None:
        """`values[i]` of a list or tuple that is written out somewhere."""
        index, sequence = subscript(node), self._sequence(Value(value.module, node.value, (), value.context))
        if sequence is None or not isinstance(index, cst.Integer):
            return None
        element = element_at(sequence.node, (int(index.evaluated_value),))
        return None if element is None else self.build(Value(sequence.module, element, (), sequence.context))

    def _sequence(self, value: Value) -> Value | None:
        """The list or tuple that an expression is, behind names that are set once and parameters."""
        if isinstance(value.node, cst.List | cst.Tuple):
            return value
        if not isinstance(value.node, cst.Name):
            return None
        origin = self._origin(value, value.node)
        return self._sequence(origin) if origin is not None else None

    def _call(self, value: Value, node: cst.Call) -> _Formula | None:
        module = value.module
        name = short(module.qualified(node.func))
        args = [arg.value for arg in node.args if arg.keyword is None and not arg.star]
        if len(args) != len(node.args):
            return None
        callees = self._program.callees(node)
        if len(callees) == 1 and len(callees[0].returns) == 1:
            function = callees[0]
            if any(entered is function for entered, _ in value.context):
                raise _Unknown
            if not _only_computes(function):
                return None  # what it does besides has to stay, so the call as a whole is the unknown
            context = (*value.context, (function, node))
            return self.build(Value(function.module, function.returns[0], (), context))
        cast_to = number_type(name)
        if cast_to and len(args) == 1:
            return _cast(self._part(value, args[0]), cast_to)
        if name in ("Vector.filled", "full") and len(args) == 3:
            return self._part(value, args[1])
        if name in ("min", "max") and len(args) == 2:
            left, right = self._part(value, args[0]), self._part(value, args[1])
            left, right = _settle(left, right), _settle(right, left)
            pick = np.minimum if name == "min" else np.maximum
            kind = _joined(left.kind, right.kind)
            return _Formula(kind, left.leaves | right.leaves, lambda v: pick(left.evaluate(v), right.evaluate(v)))
        if name == "rocdl.log" and len(args) == 2:  # v_log_f32: base 2
            return _rounded(self._part(value, args[1]), "log2")
        last = name.rpartition(".")[2]
        if name in LOG2_ROUNDERS and args:
            return _rounded(self._part(value, args[0]), last)
        if isinstance(node.func, cst.Attribute) and not (name and not name.startswith("torch.")):
            return self._method(value, node.func.value, node.func.attr.value, args)
        return None

    def _method(
        self, value: Value, base: cst.BaseExpression, method: str, args: list[cst.BaseExpression]
    ) -> _Formula | None:
        module = value.module
        if method in ("bitcast", "view", "to") and len(args) == 1:
            to = number_type(short(module.qualified(args[0])))
            if to == "e":
                inner = _as_float(self._part(value, base))
                return _Formula("e", inner.leaves, lambda v: _nearest_code(inner.evaluate(v)))
            if not to:
                return None
            inner = self._part(value, base)
            if method == "to":
                return _cast(inner, to)
            return _reinterpret(inner, to)
        if method == "select" and len(args) == 2:
            condition = self._part(value, base)
            left, right = self._part(value, args[0]), self._part(value, args[1])
            left, right = _settle(left, right), _settle(right, left)
            return _Formula(
                _joined(left.kind, right.kind),
                condition.leaves | left.leaves | right.leaves,
                lambda v: np.where(condition.evaluate(v), left.evaluate(v), right.evaluate(v)),
            )
        if method in ("contiguous", "float", "ir_value") and not args:
            return self._part(value, base)
        if method in _ROUNDERS and not args:
            return _rounded(self._part(value, base), method)
        if method in ("clamp", "clip") and len(args) == 2:
            inner, low, high = self._part(value, base), self._part(value, args[0]), self._part(value, args[1])
            if inner.kind == "?":
                return None
            return _Formula(
                inner.kind,
                inner.leaves,
                lambda v: np.clip(inner.evaluate(v), low.evaluate(v), high.evaluate(v)),
            )
        return None


def _only_computes(function: Function) -> bool:
    """Whether a function is nothing but assignments and a return: what a call in its place may leave out."""
    if isinstance(function.node, cst.Lambda):
        return True
    for line in function.node.body.body:
        for part in line.body if isinstance(line, cst.SimpleStatementLine) else (line,):
            text = isinstance(part, cst.Expr) and isinstance(part.value, cst.BaseString)
            if not text and not isinstance(part, cst.Assign | cst.AnnAssign | cst.Return):
                return False
    return True


def _unknown(leaf: Leaf) -> _Formula:
    return _Formula("?", frozenset({leaf}), lambda values: values[leaf])


def _is_integer(formula: _Formula) -> bool:
    return np.asarray(formula.evaluate({})).dtype.kind in "iu"


def _as_bits(formula: _Formula) -> _Formula:
    """An unknown value in integer arithmetic is the bits of an fp32."""
    if formula.kind == "?":
        (leaf,) = formula.leaves
        as_bits = Leaf(leaf.value, True, leaf.spellings)
        return _Formula("i", frozenset({as_bits}), lambda values: values[as_bits])
    if formula.kind == "f":
        raise _Unknown
    return formula


def _as_float(formula: _Formula) -> _Formula:
    if formula.kind == "?":
        return _Formula("f", formula.leaves, formula.evaluate)
    if formula.kind not in ("f", "c"):
        raise _Unknown
    return formula


def _settle(formula: _Formula, other: _Formula) -> _Formula:
    if formula.kind != "?":
        return formula
    return _as_bits(formula) if other.kind in ("i", "u") else _as_float(formula)


def _joined(left: str, right: str) -> str:
    for kind in ("f", "u", "i", "c"):
        if kind in (left, right):
            return kind
    raise _Unknown


def _wrap(kind: str, result: Array) -> Array:
    if kind == "i":
        return ((np.asarray(result, np.int64) + 2**31) & 0xFFFFFFFF) - 2**31
    if kind == "u":
        return np.asarray(result, np.int64) & 0xFFFFFFFF
    return np.asarray(result, np.float32) if kind == "f" else np.asarray(result)


def _cast(inner: _Formula, to: str) -> _Formula:
    if to == "f":
        if inner.kind == "?":
            return _as_float(inner)
        return _Formula("f", inner.leaves, lambda v: np.asarray(inner.evaluate(v), np.float32))
    if to == "e":
        raise _Unknown
    if inner.kind == "?":
        inner = _as_bits(inner)
    kind = "u" if to == "u" else "i"
    if to == "b8":
        return _Formula("u", inner.leaves, lambda v: np.asarray(np.trunc(inner.evaluate(v)), np.int64) & 0xFF)
    return _Formula(kind, inner.leaves, lambda v: _wrap(kind, np.asarray(np.trunc(inner.evaluate(v)), np.int64)))


def _reinterpret(inner: _Formula, to: str) -> _Formula:
    if inner.kind == "e":
        return _Formula("u", inner.leaves, inner.evaluate)
    if to in ("i", "u") and inner.kind in ("f", "?"):
        source = _as_float(inner)
        return _Formula(
            to,
            source.leaves,
            lambda v: _wrap(to, np.asarray(source.evaluate(v), np.float32).view(np.int32)),
        )
    if to in ("i", "u") and inner.kind in ("i", "u"):
        return _Formula(to, inner.leaves, lambda v: _wrap(to, inner.evaluate(v)))
    raise _Unknown


def _rounded(inner: _Formula, name: str) -> _Formula:
    source = _as_float(inner)
    function = _ROUNDERS[name]
    return _Formula("f", source.leaves, lambda v: np.asarray(function(source.evaluate(v)), np.float32))


def _nearest_code(values: Array) -> Array:
    return (np.asarray(values, np.float32).view(np.int32).astype(np.int64) + 0x400000) >> 23


_ROUNDERS: dict[str, Callable[[Array], Array]] = {
    "log2": np.log2,
    "floor": np.floor,
    "ceil": np.ceil,
    "round": np.rint,
    "roundeven": np.rint,
    "rint": np.rint,
    "trunc": np.trunc,
    "absf": np.abs,
    "abs": np.abs,
}
_BINARY: dict[type[cst.BaseBinaryOp], Callable[[Array, Array], Array]] = {
    cst.Add: np.add,
    cst.Subtract: np.subtract,
    cst.Multiply: np.multiply,
    cst.FloorDivide: np.floor_divide,
    cst.Modulo: np.mod,
    cst.LeftShift: lambda a, b: np.left_shift(np.asarray(a, np.int64), np.asarray(b, np.int64)),
    cst.RightShift: lambda a, b: np.right_shift(np.asarray(a, np.int64), np.asarray(b, np.int64)),
    cst.BitAnd: np.bitwise_and,
    cst.BitOr: np.bitwise_or,
    cst.BitXor: np.bitwise_xor,
}
_COMPARE: dict[type[cst.BaseCompOp], Callable[[Array, Array], Array]] = {
    cst.Equal: np.equal,
    cst.NotEqual: np.not_equal,
    cst.LessThan: np.less,
    cst.LessThanEqual: np.less_equal,
    cst.GreaterThan: np.greater,
    cst.GreaterThanEqual: np.greater_equal,
}
