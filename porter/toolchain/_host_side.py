# SPDX-License-Identifier: Apache-2.0
"""The host function of a traced module, read into launches; runs in the compiling child only.

It is followed through `if` and its values; whatever else stands between its start and a launch is refused by name.
"""

from __future__ import annotations

from typing import Any, NoReturn

from flydsl._mlir import ir

from porter.errors import ToolchainError
from porter.toolchain.launch import OPERATIONS, PREDICATES, TYPES, Expression, Launch

_TRUE: Expression = ["const", "i1", 1]
#: Operations that may write memory or do anything at all, so that the launches alone are not what a call does.
_EFFECTS = frozenset({"func.call", "llvm.call", "gpu.memcpy", "gpu.memset", "memref.store", "memref.copy"})


def launches(module: Any) -> list[Launch]:
    """Every kernel launch of the traced host function, in order.

    Raises ToolchainError: CKT011 the host function cannot be followed to its launches; CKT015 it launches nothing.
    """
    reader = _Reader()
    for function in module.body.operations:
        if function.operation.name == "func.func":
            block = function.operation.regions[0].blocks[0]
            reader.known.update((value, ["arg", str(value.type), index]) for index, value in enumerate(block.arguments))
            reader.follow(block, None)
    if not reader.found:
        raise ToolchainError("CKT015", "the launcher launches no kernel")
    if len(reader.streams) > 1:
        _refuse("its launches are not on one stream")
    return reader.found


class _Reader:
    """What is known of the values so far; found: launches; streams: what their launches wait for."""

    def __init__(self) -> None:
        self.known: dict[Any, Expression] = {}
        self.found: list[Launch] = []
        self.streams: set[Any] = set()

    def follow(self, block: Any, when: Expression | None) -> list[Any]:
        """Take in a block that runs where `when` holds; returns the operands of its terminator."""
        operands: list[Any] = []
        for view in block.operations:
            operation = view.operation
            operands = list(operation.operands)
            if operation.name == "gpu.launch_func":
                self._launch(operation, when)
            elif operation.name == "scf.if":
                self._if(operation, when)
            elif operation.name.startswith("arith."):
                self._compute(operation)
            elif operation.name in _EFFECTS or _launches_within(operation):
                _refuse(f"{operation.name} beside or around a launch")
            # What else there is gives values that no launch may depend on: `_size` says so where one does.
        return operands

    def _if(self, operation: Any, when: Expression | None) -> None:
        condition = self.known.get(operation.operands[0])
        if condition is None:
            if _launches_within(operation):
                _refuse("a launch under a condition that is not integer arithmetic on the arguments")
            return
        yielded = []
        for region, taken in zip(operation.regions, (condition, ["xori", "i1", condition, _TRUE]), strict=True):
            path = taken if when is None else ["andi", "i1", when, taken]
            yielded.append(self.follow(region.blocks[0], path) if len(region.blocks) else [])
        for result, then, otherwise in zip(operation.results, *yielded, strict=False):
            if then in self.known and otherwise in self.known:
                parts = [condition, self.known[then], self.known[otherwise]]
                self.known[result] = ["select", str(result.type), *parts]

    def _compute(self, operation: Any) -> None:
        name, kind = operation.name.removeprefix("arith."), str(operation.results[0].type)
        if not {kind, *(str(operand.type) for operand in operation.operands)} <= TYPES:
            return
        if name == "constant":
            self.known[operation.result] = ["const", kind, int(operation.attributes["value"].value)]
            return
        if name == "cmpi":
            name = f"cmpi.{PREDICATES[operation.attributes['predicate'].value]}"
        elif name not in OPERATIONS:
            return
        if all(operand in self.known for operand in operation.operands):
            self.known[operation.result] = [name, kind, *(self.known[operand] for operand in operation.operands)]

    def _launch(self, operation: Any, when: Expression | None) -> None:
        sizes = list(ir.DenseI32ArrayAttr(operation.attributes["operandSegmentSizes"]))
        ends = [sum(sizes[: index + 1]) for index in range(len(sizes))]
        operands = list(operation.operands)
        kernel = ir.SymbolRefAttr(operation.attributes["kernel"]).value[-1]
        # Segments: async dependencies, grid x y z, block x y z, cluster x y z, dynamic LDS, kernel operands, async
        # object.
        gx, gy, gz, bx, by, bz = (self._size(operands[ends[index] - 1], kernel) for index in range(1, 7))
        if ends[10] != ends[6]:
            _refuse(f"{kernel} is launched with clusters or dynamic LDS")
        args = [self.known.get(operand, ["computed"]) for operand in operands[ends[10] : ends[11]]]
        if any(arg[0] != "arg" for arg in args):
            _refuse(f"{kernel} gets an argument that is computed on the host; only those passed through are followed")
        self.streams.add(tuple(operands[: ends[0]]))
        self.found.append(Launch(kernel, (gx, gy, gz), (bx, by, bz), tuple(arg[2] for arg in args), when))

    def _unknown(self, value: Any) -> str:
        """The first operation on the way to a value that is not followed."""
        owner = value.owner
        if isinstance(owner, ir.Block):
            return "a block argument"
        for operand in owner.operands:
            if operand not in self.known:
                return self._unknown(operand)
        return str(owner.name)

    def _size(self, operand: Any, kernel: str) -> Expression:
        if operand not in self.known:
            _refuse(f"a size of the launch of {kernel} comes from {self._unknown(operand)}")
        return self.known[operand]


def _launches_within(operation: Any) -> bool:
    return any(
        inner.operation.name == "gpu.launch_func" or _launches_within(inner.operation)
        for region in operation.regions
        for block in region.blocks
        for inner in block.operations
    )


def _refuse(what: str) -> NoReturn:
    hint = "porter follows integer arithmetic on the arguments, and `if` on it"
    raise ToolchainError("CKT011", f"the launcher cannot be followed: {what}", hint=hint)
