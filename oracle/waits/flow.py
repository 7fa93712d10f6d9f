# SPDX-License-Identifier: Apache-2.0
"""The control flow graph of one kernel, its blocks cut behind every barrier."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from oracle.machine.encode import Instruction

BARRIER = "s_barrier"


@dataclass(frozen=True, slots=True)
class Block:
    """Instructions [first, last]. following: blocks that may come next: first the one behind, then the branch's.

    falls: whether the first of them is reached by falling through. indirect: it leaves to where a register says.
    """

    first: int
    last: int
    following: tuple[int, ...]
    falls: bool
    indirect: bool

    @property
    def indices(self) -> range:
        return range(self.first, self.last + 1)


@dataclass(frozen=True, slots=True)
class Graph:
    """The blocks that a kernel can reach; number 0 is its entry."""

    blocks: tuple[Block, ...]


def graph(instructions: Sequence[Instruction], entry: int) -> Graph:
    """The graph from `entry` on."""
    leaders = _leaders(instructions, entry)
    starts = sorted(leaders)
    number = {entry: 0} | {start: n for n, start in enumerate((s for s in starts if s != entry), 1)}
    blocks = []
    for start in sorted(number, key=lambda s: number[s]):
        last = start
        while not _ends(instructions, last) and last + 1 < len(instructions) and last + 1 not in leaders:
            last += 1
        falls, target, indirect = _leaves(instructions, last)
        following = [last + 1] * falls + [target] * (target is not None)
        blocks.append(Block(start, last, tuple(number[n] for n in following if n is not None), falls, indirect))
    return Graph(tuple(blocks))


def _ends(instructions: Sequence[Instruction], index: int) -> bool:
    ins = instructions[index]
    return ins.mnemonic in (BARRIER, "s_endpgm") or bool(ins.opcode.flags & {"branch", "jump"})


def _leaves(instructions: Sequence[Instruction], index: int) -> tuple[bool, int | None, bool]:
    """(falls through, branch target, leaves to an address in a register) of an instruction."""
    ins = instructions[index]
    stops = ins.mnemonic in ("s_endpgm", "s_branch") or "jump" in ins.opcode.flags
    falls = not stops and index + 1 < len(instructions)
    target = ins.target if "branch" in ins.opcode.flags else None
    return falls, target, "jump" in ins.opcode.flags


def _leaders(instructions: Sequence[Instruction], entry: int) -> set[int]:
    leaders, seen, open_ = {entry}, set[int](), [entry]
    while open_:
        index = open_.pop()
        while index not in seen:
            seen.add(index)
            if not _ends(instructions, index):
                if index + 1 >= len(instructions):
                    break
                index += 1
                continue
            falls, target, _ = _leaves(instructions, index)
            following = [index + 1] * falls + [target] * (target is not None)
            for start in following:
                if start is not None:
                    leaders.add(start)
                    open_.append(start)
            break
    return leaders


def after(graph_: Graph, start: int, stop: int | None) -> set[int]:
    """Blocks on some way from the end of `start` to `stop`, which is not among them."""
    found: set[int] = set()
    open_ = list(graph_.blocks[start].following)
    while open_:
        block = open_.pop()
        if block != stop and block not in found:
            found.add(block)
            open_ += graph_.blocks[block].following
    return found


def meeting(graph_: Graph, start: int) -> int | None:
    """The first block that every way from `start` to an end passes (its immediate post-dominator), if there is one."""
    every = (1 << len(graph_.blocks)) - 1
    behind = [every if block.following else 1 << n for n, block in enumerate(graph_.blocks)]
    changed = True
    while changed:
        changed = False
        for n in reversed(range(len(behind))):
            following = graph_.blocks[n].following
            if not following:
                continue
            common = every
            for other in following:
                common &= behind[other]
            common |= 1 << n
            if common != behind[n]:
                behind[n], changed = common, True
    candidates = [n for n in range(len(behind)) if n != start and behind[start] >> n & 1]
    for n in candidates:
        if all(behind[n] >> other & 1 for other in candidates):
            return n
    return None
