# SPDX-License-Identifier: Apache-2.0
"""What each instruction means to waits: which counter it raises, what lands later, what it touches in LDS."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

from oracle.machine.encode import DST, Instruction

from .flow import BARRIER, Block
from .knowledge import is_dma, touches_lds
from .registers import bits, reads, writes


class Counter(Enum):
    """A queue of operations in flight. LDS and SCALAR share lgkmcnt; only LDS keeps its order there."""

    VECTOR = "vmcnt"
    LDS = "lgkmcnt"
    SCALAR = "lgkmcnt(0)"


class Lds(Enum):
    """How an instruction touches LDS."""

    READ = "read"
    WRITE = "write"
    ATOMIC = "atomic"
    DMA = "DMA"


@dataclass(frozen=True, slots=True)
class Effect:
    """One instruction, or a run of several that only use registers.

    index: of the (first) instruction; reads, writes: registers as bits; counters: raised by it; lands: registers that
    it writes when it lands; lds: how it touches LDS; wait: (vmcnt, lgkmcnt) that it waits for, -1 for none; run: the
    instructions of a run, each by itself.
    """

    index: int
    reads: int
    writes: int
    counters: tuple[Counter, ...] = ()
    lands: int = 0
    lds: Lds | None = None
    wait: tuple[int, int] | None = None
    run: tuple[Effect, ...] = ()


_VMEM = ("buffer", "global", "flat", "scratch")


def effects(instructions: Sequence[Instruction], block: Block) -> tuple[Effect, ...]:
    """The effects of a block in order, with neighbours that only use registers joined to runs."""
    found: list[Effect] = []
    run: list[Effect] = []
    for index in block.indices:
        effect = _effect(instructions[index], index)
        if not effect.counters and effect.wait is None:
            if effect.reads | effect.writes:
                run.append(effect)
            continue
        if run:
            found.append(_joined(run))
            run = []
        found.append(effect)
    if run:
        found.append(_joined(run))
    return tuple(found)


def _joined(run: Sequence[Effect]) -> Effect:
    read = written = 0
    for effect in run:
        read |= effect.reads
        written |= effect.writes
    return Effect(run[0].index, read, written, run=tuple(run))


def _effect(ins: Instruction, index: int) -> Effect:
    if "waitcnt" in ins.opcode.flags:
        return Effect(index, 0, 0, wait=(ins.target, ins.offset0))
    if ins.mnemonic == BARRIER:
        return Effect(index, 0, 0)
    counters = _counters(ins)
    lands = bits(ins, (DST,)) if counters else 0
    return Effect(index, reads(ins), writes(ins), counters, lands, _lds(ins) if counters else None)


def _counters(ins: Instruction) -> tuple[Counter, ...]:
    family = ins.opcode.family
    if family == "ds":
        return () if ins.mnemonic == "ds_nop" else (Counter.LDS,)
    if family == "smem":
        return (Counter.SCALAR,) if DST in ins.operands else ()
    if family in _VMEM:
        return (Counter.VECTOR, Counter.SCALAR) if family == "flat" else (Counter.VECTOR,)
    return ()


def _lds(ins: Instruction) -> Lds | None:
    if is_dma(ins):
        return Lds.DMA
    if not touches_lds(ins):
        return None
    flags = ins.opcode.flags
    return Lds.READ if "read" in flags else Lds.WRITE if "write" in flags else Lds.ATOMIC
