# SPDX-License-Identifier: Apache-2.0
"""What a launcher does on the host, as data: which kernels it launches, with which grid, block and arguments.

Taken from the traced module, so that a proof launches exactly what the generated launcher would.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from porter.errors import ToolchainError

#: An integer expression over the launcher's arguments: ["const", value], ["arg", index] or [operation, left, right].
Expression = list[Any]

_OPERATIONS: dict[str, Callable[[int, int], int]] = {
    "addi": lambda a, b: a + b,
    "subi": lambda a, b: a - b,
    "muli": lambda a, b: a * b,
    # Rounds towards zero; the others by their name.
    "divsi": lambda a, b: abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1),
    "divui": lambda a, b: a // b,
    "floordivsi": lambda a, b: a // b,
    "ceildivsi": lambda a, b: -(-a // b),
    "ceildivui": lambda a, b: -(-a // b),
    "remsi": lambda a, b: abs(a) % abs(b) * (-1 if a < 0 else 1),
    "remui": lambda a, b: a % b,
    "minsi": min,
    "minui": min,
    "maxsi": max,
    "maxui": max,
}

#: Operations that `evaluate` knows, by their name in the `arith` dialect.
OPERATIONS = frozenset(_OPERATIONS)


def evaluate(expression: Expression, arguments: Sequence[int]) -> int:
    """Value of an expression for integer arguments, in exact arithmetic.

    arguments: by index; pointers may be any number. Raises ToolchainError CKT010 for an operation that is not known.
    """
    head, *rest = expression
    if head == "const":
        return int(rest[0])
    if head == "arg":
        return arguments[rest[0]]
    if head not in _OPERATIONS:
        raise ToolchainError("CKT010", f"the launcher computes its grid with arith.{head}, which porter does not know")
    left, right = (evaluate(part, arguments) for part in rest)
    return _OPERATIONS[head](left, right)


@dataclass(frozen=True, slots=True)
class Launch:
    """One kernel launch of a launcher.

    kernel: symbol; grid: workgroups in x, y, z; block: work-items in x, y, z; args: for each kernel argument the index
    of the launcher's argument that it gets.
    """

    kernel: str
    grid: tuple[Expression, Expression, Expression]
    block: tuple[Expression, Expression, Expression]
    args: tuple[int, ...]

    def to_json(self) -> dict[str, Any]:
        return {"kernel": self.kernel, "grid": self.grid, "block": self.block, "args": self.args}

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Launch:
        return cls(data["kernel"], tuple(data["grid"]), tuple(data["block"]), tuple(data["args"]))

    def geometry(self, arguments: Sequence[int]) -> tuple[tuple[int, int, int], tuple[int, int, int]]:
        """Grid in workgroups and block in work-items for the launcher's arguments."""
        gx, gy, gz = (evaluate(part, arguments) for part in self.grid)
        bx, by, bz = (evaluate(part, arguments) for part in self.block)
        return (gx, gy, gz), (bx, by, bz)
