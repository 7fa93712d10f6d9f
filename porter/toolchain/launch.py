# SPDX-License-Identifier: Apache-2.0
"""What a launcher does on the host, as data: which kernels it launches when, with which grid, block and arguments.

Taken from the traced module, so that a proof launches exactly what the generated launcher would.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from porter.errors import ToolchainError

#: An integer expression over the launcher's arguments: ["const", type, value], ["arg", type, index] or
#: [operation, type of the result, operand, ...]; types are MLIR's, so every step wraps as the compiled launcher does.
Expression = list[Any]

#: Bits of a type; index has the width of a pointer.
_BITS = {"i1": 1, "i8": 8, "i16": 16, "i32": 32, "i64": 64, "index": 64}
#: A grid or a block is an unsigned 32-bit number for HIP, of which no driver takes the upper half.
_LARGEST_SIZE = 2**31 - 1
#: Work-items in a dimension that HIP does not launch (HIP API reference, hipModuleLaunchKernel).
_TOO_MANY = 2**32


def _towards_zero(a: int, b: int) -> int:
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


_SIGNED: dict[str, Callable[[int, int], int]] = {
    "addi": lambda a, b: a + b,
    "subi": lambda a, b: a - b,
    "muli": lambda a, b: a * b,
    "divsi": _towards_zero,
    "floordivsi": lambda a, b: a // b,
    "ceildivsi": lambda a, b: -(-a // b),
    "remsi": lambda a, b: a - b * _towards_zero(a, b),
    "minsi": min,
    "maxsi": max,
    "andi": lambda a, b: a & b,
    "ori": lambda a, b: a | b,
    "xori": lambda a, b: a ^ b,
    "shrsi": lambda a, b: a >> b,
}
_UNSIGNED: dict[str, Callable[[int, int], int]] = {
    "divui": lambda a, b: a // b,
    "ceildivui": lambda a, b: -(-a // b),
    "remui": lambda a, b: a % b,
    "minui": min,
    "maxui": max,
    "shli": lambda a, b: a << b,
    "shrui": lambda a, b: a >> b,
}
_COMPARISONS: dict[str, Callable[[int, int], bool]] = {
    "eq": lambda a, b: a == b,
    "ne": lambda a, b: a != b,
    "lt": lambda a, b: a < b,
    "le": lambda a, b: a <= b,
    "gt": lambda a, b: a > b,
    "ge": lambda a, b: a >= b,
}
_SHIFTS = frozenset({"shli", "shrsi", "shrui"})
_SIGNED_CASTS = frozenset({"index_cast", "extsi", "trunci"})
_UNSIGNED_CASTS = frozenset({"index_castui", "extui"})

#: Operations that `evaluate` knows, by their name in the `arith` dialect; a comparison carries its predicate.
OPERATIONS = frozenset({*_SIGNED, *_UNSIGNED, *_SIGNED_CASTS, *_UNSIGNED_CASTS, "select"})
#: Predicates of `arith.cmpi`, in MLIR's order.
PREDICATES = ("eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge")
TYPES = frozenset(_BITS)


def _wrap(value: int, kind: str) -> int:
    """The value that a register of this type holds, as a signed number; true is -1, as in every signed type."""
    bits = _BITS[kind]
    value &= (1 << bits) - 1
    return value - (1 << bits) if value >> (bits - 1) else value


def _unsigned(value: int, kind: str) -> int:
    return value & ((1 << _BITS[kind]) - 1)


def evaluate(expression: Expression, arguments: Sequence[int]) -> int:
    """Value of an expression for integer arguments, in the arithmetic of its types; i1 gives 0 or -1.

    arguments: by index; pointers may be any number. Raises ToolchainError: CKT010 an operation that is not known,
    CKT013 a division by zero or a shift by the width of its type or more, which the compiled launcher leaves undefined.
    """
    head, kind, *rest = expression
    if head == "const":
        return _wrap(int(rest[0]), kind)
    if head == "arg":
        return _wrap(arguments[rest[0]], kind)
    name, _, predicate = str(head).partition(".")
    if name not in OPERATIONS and predicate not in PREDICATES:
        raise ToolchainError("CKT010", f"the launcher computes with arith.{head}, which porter does not know")
    if head == "select":
        return evaluate(rest[1] if evaluate(rest[0], arguments) else rest[2], arguments)
    values = [evaluate(part, arguments) for part in rest]
    # Operands of a binary operation have one type; of a cast and a comparison, one of their own.
    operand = str(rest[0][1])
    if head in _SIGNED_CASTS:
        return _wrap(values[0], kind)
    plain = [_unsigned(value, operand) for value in values]
    if head in _UNSIGNED_CASTS:
        return _wrap(plain[0], kind)
    if predicate:
        signed = predicate[0] == "s" or predicate in ("eq", "ne")
        compare = _COMPARISONS[predicate if predicate in _COMPARISONS else predicate[1:]]
        return -int(compare(*(values if signed else plain)))
    if (head in _SHIFTS and plain[1] >= _BITS[kind]) or (("div" in head or "rem" in head) and plain[1] == 0):
        raise ToolchainError("CKT013", f"the launcher computes arith.{head} of {values[0]} and {values[1]}: undefined")
    if head in _SIGNED:
        # A shift's amount is never negative: it was below the width just now.
        return _wrap(_SIGNED[head](*values), kind)
    return _wrap(_UNSIGNED[head](*plain), kind)


@dataclass(frozen=True, slots=True)
class Launch:
    """One kernel launch of a launcher.

    kernel: symbol; grid: workgroups in x, y, z; block: work-items in x, y, z; args: for each kernel argument the index
    of the launcher's argument that it gets; when: i1 expression, the launch is left out where it is false.
    """

    kernel: str
    grid: tuple[Expression, Expression, Expression]
    block: tuple[Expression, Expression, Expression]
    args: tuple[int, ...]
    when: Expression | None = None

    def to_json(self) -> dict[str, Any]:
        return {"kernel": self.kernel, "grid": self.grid, "block": self.block, "args": self.args, "when": self.when}

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Launch:
        return cls(data["kernel"], tuple(data["grid"]), tuple(data["block"]), tuple(data["args"]), data["when"])

    def taken(self, arguments: Sequence[int]) -> bool:
        """Whether the launcher gets here for these arguments."""
        return self.when is None or evaluate(self.when, arguments) != 0

    def geometry(self, arguments: Sequence[int]) -> tuple[tuple[int, int, int], tuple[int, int, int]]:
        """Grid in workgroups and block in work-items for the launcher's arguments.

        Raises ToolchainError CKT014 for sizes that no launch takes, such as a grid that wrapped around.
        """
        grid, block = self._sizes("grid", self.grid, arguments), self.block_size(arguments)
        if any(workgroups * items >= _TOO_MANY for workgroups, items in zip(grid, block, strict=True)):
            sizes = f"{'x'.join(map(str, grid))} workgroups of {'x'.join(map(str, block))}"
            text = f"{self.kernel}: the launcher asks for {sizes} work-items; HIP takes fewer than {_TOO_MANY}"
            raise ToolchainError("CKT014", text)
        return grid, block

    def block_size(self, arguments: Sequence[int]) -> tuple[int, int, int]:
        """Block in work-items for the launcher's arguments. Raises ToolchainError CKT014 as `geometry`."""
        return self._sizes("block", self.block, arguments)

    def _sizes(self, what: str, parts: Sequence[Expression], arguments: Sequence[int]) -> tuple[int, int, int]:
        x, y, z = (evaluate(part, arguments) for part in parts)
        if not all(1 <= size <= _LARGEST_SIZE for size in (x, y, z)):
            text = f"{self.kernel}: the launcher asks for a {what} of {x}x{y}x{z}; no launch takes that"
            raise ToolchainError("CKT014", text)
        return x, y, z
