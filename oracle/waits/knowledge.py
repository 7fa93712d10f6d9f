# SPDX-License-Identifier: Apache-2.0
"""Constant propagation over a kernel's graph: known values at every block, and where waves part.

Waves that take other ways at a branch whose outcome is known are analysed apart, as groups; every wave of a group takes
the same ways. A branch whose outcome is not known is taken both ways: together by all groups if its condition is the
same in every wave, else by each wave as it likes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

import numpy as np
import numpy.typing as npt

from oracle.machine.encode import SRC0, Instruction

from .flow import Graph, after, meeting
from .registers import EXEC, M0, SCC, VCC, bits, reads, reads_scc, writes, writes_scc
from .values import DIVERGENT, LANES, UNIFORM, Evaluator, Registers, Unknown, Value, mask_of, same, uniform

_PAIR = 3


class Choice(Enum):
    """Who decides at a branch that goes two ways."""

    TOGETHER = "one condition for the workgroup"
    ALONE = "each wave for itself"


@dataclass(frozen=True, slots=True)
class Access:
    """Registers at an LDS access: the address (of DMA: M0) and EXEC, as [waves of the group, lanes]."""

    address: Value
    exec_low: Value
    exec_high: Value


@dataclass(frozen=True, slots=True)
class Group:
    """Waves that go the same way.

    waves: their numbers; following: by block, the blocks that may come next; choices: by block, who decides there;
    apart: blocks that some waves may be in while others are elsewhere; accesses: by instruction.
    """

    waves: tuple[int, ...]
    following: dict[int, tuple[int, ...]]
    choices: dict[int, Choice]
    apart: frozenset[int]
    accesses: dict[int, Access]


class _Parting(Exception):
    """Waves of one group take different ways."""

    def __init__(self, taken: npt.NDArray[np.bool_]) -> None:
        super().__init__()
        self.taken = taken


def touches_lds(ins: Instruction) -> bool:
    """Whether an instruction reads or writes LDS: an LDS access (no lane exchange), or a load that lands there."""
    if ins.opcode.family == "ds":
        return bool(ins.opcode.flags & {"read", "write", "atomic"})
    return is_dma(ins)


def is_dma(ins: Instruction) -> bool:
    """Whether a load lands in LDS: its destination is M0, in the place of data."""
    if ins.opcode.family not in ("buffer", "global", "flat") or "load" not in ins.opcode.flags:
        return False
    entry = ins.operands.get(SRC0)
    return entry is not None and entry[0].number == 124 and entry[0].kind == "sgpr"


class Knowledge:
    """The propagation over one kernel."""

    def __init__(self, instructions: Sequence[Instruction], graph: Graph, block: tuple[int, int, int]) -> None:
        self.instructions, self.graph, self.block = instructions, graph, block
        self.slices = self._slices()

    def groups(self) -> list[Group]:
        """The wave groups, lowest wave first."""
        threads = self.block[0] * self.block[1] * self.block[2]
        open_ = [tuple(range(-(-threads // LANES)))]
        found = []
        while open_:
            waves = open_.pop()
            try:
                found.append(_Propagation(self, waves).run())
            except _Parting as parting:
                taken = parting.taken
                open_ += [tuple(w for w, t in zip(waves, taken, strict=True) if t == way) for way in (False, True)]
        return sorted(found, key=lambda group: group.waves)

    def launch(self, waves: tuple[int, ...]) -> Registers:
        """Registers at the start: v0 holds the work-item, EXEC those that exist (AMDGPU ABI)."""
        item = np.array(waves, np.uint32)[:, None] * np.uint32(LANES) + np.arange(LANES, dtype=np.uint32)
        x, y, z = (np.uint32(n) for n in self.block)
        v0 = item % x | item // x % y << np.uint32(10) | item // x // y << np.uint32(20)
        low, high = mask_of(item < x * y * z)
        return {0: v0, EXEC: low, EXEC + 1: high}

    def _slices(self) -> list[tuple[int, ...]]:
        """By block, the instructions that LDS addresses, EXEC and branches depend on."""
        relevant = [[(i, *self._effects(i)) for i in block.indices] for block in self.graph.blocks]
        needed = _PAIR << EXEC | 1 << M0
        for block in relevant:
            for index, read, _ in block:
                ins = self.instructions[index]
                if "branch" in ins.opcode.flags:
                    needed |= read
                elif touches_lds(ins):
                    needed |= bits(ins, (SRC0,))
        grown = True
        while grown:
            grown = False
            for block in relevant:
                for _, read, written in block:
                    if written & needed and read & ~needed:
                        needed |= read
                        grown = True
        return [
            tuple(i for i, _, written in block if written & needed or touches_lds(self.instructions[i]))
            for block in relevant
        ]

    def _effects(self, index: int) -> tuple[int, int]:
        ins = self.instructions[index]
        read = reads(ins) | (1 << SCC if reads_scc(ins) else 0)
        if ins.opcode.family not in ("salu", "valu", "vopc", "smem") and "branch" not in ins.opcode.flags:
            read = 0  # whatever it loads or multiplies is not known
        if ins.mnemonic.startswith(("s_cbranch_exec",)):
            read |= _PAIR << EXEC
        return read, writes(ins) | (1 << SCC if writes_scc(ins) else 0)


class _Propagation:
    """One fixpoint for the waves of one group."""

    def __init__(self, knowledge: Knowledge, waves: tuple[int, ...]) -> None:
        self.knowledge, self.waves, self.graph = knowledge, waves, knowledge.graph
        self.entry: dict[int, Registers] = {0: knowledge.launch(waves)}
        self.following: dict[int, tuple[int, ...]] = {}
        self.choices: dict[int, Choice] = {}
        self.apart: set[int] = set()
        self.mixed: set[int] = set()
        self.accesses: dict[int, Access] = {}

    def run(self) -> Group:
        open_ = [0]
        while open_:
            number = open_.pop(0)
            registers = self._through(number)
            ways = self._ways(number, registers)
            self.following[number] = ways
            for way in ways:
                if self._join(way, registers) and way not in open_:
                    open_.append(way)
        return Group(self.waves, self.following, self.choices, frozenset(self.apart), self.accesses)

    def _through(self, number: int) -> Registers:
        registers = dict(self.entry[number])
        evaluator = Evaluator(registers)
        for index in self.knowledge.slices[number]:
            ins = self.knowledge.instructions[index]
            if touches_lds(ins):
                self.accesses[index] = self._access(ins, evaluator)
            evaluator.step(ins)
        return registers

    @staticmethod
    def _access(ins: Instruction, evaluator: Evaluator) -> Access:
        value, _ = ins.operands[SRC0]
        bit = M0 if value.kind == "sgpr" else value.number
        return Access(evaluator.value(bit), evaluator.value(EXEC), evaluator.value(EXEC + 1))

    def _ways(self, number: int, registers: Registers) -> tuple[int, ...]:
        block = self.graph.blocks[number]
        if len(block.following) < 2:
            return block.following
        ins = self.knowledge.instructions[block.last]
        taken = _condition(ins, Evaluator(registers))
        if isinstance(taken, Unknown):
            self._choose(number, taken)
            return block.following
        ways = np.broadcast_to(taken.all(axis=1), (len(self.waves),))
        if ways.any() and not ways.all():
            raise _Parting(ways)
        old = self.following.get(number, ())
        return tuple(sorted({*old, block.following[int(ways[0])]}))

    def _choose(self, number: int, why: Unknown) -> None:
        if why is UNIFORM:
            self.choices.setdefault(number, Choice.TOGETHER)
        elif self.choices.get(number) is not Choice.ALONE:
            self.choices[number] = Choice.ALONE
            join = meeting(self.graph, number)
            between = after(self.graph, number, join)
            self.apart |= between
            self.mixed |= between | ({join} if join is not None else set())

    def _join(self, number: int, registers: Registers) -> bool:
        """Whether the block must be looked at again."""
        old = self.entry.get(number)
        if old is None:
            self.entry[number] = dict(registers)
            return True
        changed = False
        for bit, value in registers.items():
            before = old.get(bit)
            if before is value or before is DIVERGENT:
                continue
            if before is None:
                old[bit] = value
                changed = True
            elif not same(before, value):
                joined = self._differing(number, bit, before, value)
                changed |= joined is not before
                old[bit] = joined
        return changed

    def _differing(self, number: int, bit: int, a: Value, b: Value) -> Value:
        if number in self.mixed or a is DIVERGENT or b is DIVERGENT or not (uniform(a) and uniform(b)):
            return DIVERGENT
        return UNIFORM


def _condition(ins: Instruction, registers: Evaluator) -> npt.NDArray[np.bool_] | Unknown:
    """Whether the branch is taken, [waves, 1]."""
    name = ins.mnemonic.removeprefix("s_cbranch_")
    if name in ("scc0", "scc1"):
        value = registers.value(SCC)
        return value if isinstance(value, Unknown) else np.equal(value != 0, name == "scc1")
    first = {"vccz": VCC, "vccnz": VCC, "execz": EXEC, "execnz": EXEC}.get(name)
    if first is None:
        return DIVERGENT
    low, high = registers.value(first), registers.value(first + 1)
    if isinstance(low, Unknown) or isinstance(high, Unknown):
        return UNIFORM if uniform(low) and uniform(high) else DIVERGENT
    zero: npt.NDArray[np.bool_] = (low | high) == 0
    return zero if name in ("vccz", "execz") else ~zero
