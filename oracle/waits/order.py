# SPDX-License-Identifier: Apache-2.0
"""What may be in flight where, on every path and in every wave group, and what uses it too early.

A wave's operations in flight are kept with the least number of younger ones of the same counter that any path may have
put behind them: a wait for n proves those with at least n. Where paths meet, the union stands with the lesser number,
which is exact for each operation.

LDS order is the machine's: an access of wave A is ordered before one of wave B if A's was complete (retired by a wait)
at the last barrier that both passed. So accesses stay open until a barrier finds them retired. Wave groups run from
barrier to barrier like the machine's waves; between two barriers the order in which they are looked at does not matter,
because each pair is compared once, whichever comes second.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from oracle.machine.encode import LDS_ORDER, VECTOR_ORDER, Instruction

from .effects import Counter, Effect, Lds, effects
from .flow import BARRIER, Graph, after, meeting
from .footprint import Footprints
from .knowledge import Choice, Group

_SATURATED = {Counter.VECTOR: 63, Counter.LDS: 15, Counter.SCALAR: 1 << 30}
#: Decisions that one group may be ahead of another; more means that they do not share a loop.
_AHEAD = 64
#: Visits of nodes, about a second's worth. Our kernels take up to some hundred; waves of many roles can take millions.
_LIMIT = 5_000

Key = tuple[int, int]  # group, instruction
Log = tuple[tuple[int, int], ...]  # (block, which way) decided by a group ahead


@dataclass(frozen=True, slots=True)
class Hazard:
    """Two instructions and what is wrong between them. kind: as report.py words it; where: register bit or LDS byte;
    waves: of index and other."""

    kind: str
    index: int
    other: int
    where: int
    waves: tuple[int, int]


@dataclass(frozen=True, slots=True)
class Doubt:
    """An instruction about which nothing can be said, and why. other: the access that it may meet."""

    index: int
    reason: str
    other: int | None = None


@dataclass(slots=True)
class _Flight:
    """Operations of one group in flight, by counter: instruction -> least number of younger ones."""

    queues: dict[Counter, dict[int, int]] = field(default_factory=lambda: {counter: {} for counter in Counter})

    def copy(self) -> _Flight:
        return _Flight({counter: dict(queue) for counter, queue in self.queues.items()})

    def join(self, other: _Flight) -> bool:
        changed = False
        for counter, theirs in other.queues.items():
            mine = self.queues[counter]
            for index, age in theirs.items():
                if mine.get(index, 1 << 30) > age:
                    mine[index] = age
                    changed = True
        return changed


@dataclass(slots=True)
class _State:
    """At a node: flights by group; open LDS accesses -> whether all in flight were issued before the last barrier."""

    flights: list[_Flight]
    reading: dict[Key, bool] = field(default_factory=dict)
    writing: dict[Key, bool] = field(default_factory=dict)

    def copy(self) -> _State:
        return _State([flight.copy() for flight in self.flights], dict(self.reading), dict(self.writing))

    def join(self, other: _State) -> bool:
        changed = False
        for mine, theirs in zip(self.flights, other.flights, strict=True):
            changed |= mine.join(theirs)
        for open_, theirs_open in ((self.reading, other.reading), (self.writing, other.writing)):
            for key, crossed in theirs_open.items():
                before = open_.get(key)
                if before is None or (before and not crossed):
                    open_[key] = crossed
                    changed = True
        return changed


@dataclass(frozen=True, slots=True)
class _Node:
    """Where every group is: at the start of a block, at the barrier that ends one, or done (-1)."""

    blocks: tuple[int, ...]
    waiting: tuple[bool, ...]
    logs: tuple[Log, ...]


class Order:
    """The fixpoint over one kernel; `hazards` and `doubts` grow while it runs."""

    def __init__(
        self, instructions: Sequence[Instruction], graph: Graph, groups: Sequence[Group], footprints: Footprints
    ) -> None:
        self.instructions, self.graph, self.groups, self.footprints = instructions, graph, groups, footprints
        self.effects = [effects(instructions, block) for block in graph.blocks]
        self.lands = {e.index: e.lands for block in self.effects for e in block if e.counters}
        self.dma = {e.index for block in self.effects for e in block if e.lds is Lds.DMA}
        self.atomics = {e.index for block in self.effects for e in block if e.lds is Lds.ATOMIC}
        self.hazards: dict[tuple[str, int, int], Hazard] = {}
        self.doubts: dict[tuple[int, str], Doubt] = {}

    def run(self) -> None:
        """Find every hazard."""
        for group in self.groups:
            self._arms(group)
        count = len(self.groups)
        start = _Node((0,) * count, (False,) * count, ((),) * count)
        states = {start: _State([_Flight() for _ in self.groups])}
        open_: dict[_Node, None] = {start: None}
        for _ in range(_LIMIT):
            if not open_:
                return
            node = next(iter(open_))
            del open_[node]
            for following, state in self._next(node, states[node]):
                known = states.get(following)
                if known is None:
                    states[following] = state.copy()
                elif not known.join(state):
                    continue
                open_[following] = None
        self._doubt(self.graph.blocks[0].first, "too many ways through the program")

    def _arms(self, group: Group) -> None:
        """Where each wave decides for itself, waves may be in either arm at once: the walk below never is."""
        for number, choice in group.choices.items():
            if choice is not Choice.ALONE or not self._parts():
                continue
            join = meeting(self.graph, number)
            arms = [{way, *after(self.graph, way, join)} for way in group.following[number] if way != join]
            if len(arms) < 2:
                continue
            apart = [self._accesses(arm - (arms[0] & arms[1])) for arm in arms]
            if all(apart) and any(effect.lds is not Lds.READ for arm in apart for effect in arm):
                last = self.graph.blocks[number].last
                self._doubt(last, "waves may part here, by a condition that is not known, and both ways use LDS")

    def _accesses(self, blocks: set[int]) -> list[Effect]:
        return [e for number in blocks for e in self.effects[number] if e.lds is not None]

    def _next(self, node: _Node, before: _State) -> Iterator[tuple[_Node, _State]]:
        for group, (block, waiting) in enumerate(zip(node.blocks, node.waiting, strict=True)):
            if block >= 0 and not waiting:
                state = before.copy()
                _Walk(self, group, state).through(block)
                if not self.groups[group].following[block]:
                    state.flights[group] = _Flight()  # the wave has ended
                yield from ((following, state) for following in self._leave(node, group))
                return
        if any(block >= 0 for block in node.blocks):
            state = before.copy()
            self._pass(state)
            blocks = tuple(self._behind(g, block) if block >= 0 else -1 for g, block in enumerate(node.blocks))
            yield _Node(blocks, (False,) * len(blocks), node.logs), state

    def _behind(self, group: int, block: int) -> int:
        following = self.groups[group].following[block]
        return following[0] if following else -1

    def _pass(self, state: _State) -> None:
        """Every live group passes its barrier: what has retired is ordered before all that follows."""
        for open_ in (state.reading, state.writing):
            for key in list(open_):
                if self.in_flight(state, *key):
                    open_[key] = True
                else:
                    del open_[key]

    @staticmethod
    def in_flight(state: _State, group: int, index: int) -> bool:
        """Whether an operation may not have retired."""
        queues = state.flights[group].queues
        return index in queues[Counter.VECTOR] or index in queues[Counter.LDS]

    def lands_behind(self, index: int, other: int) -> bool:
        """Whether what a load brings comes after what an older one brings."""
        both = self.instructions[index].memory & self.instructions[other].memory
        return bool(both & (VECTOR_ORDER | LDS_ORDER))

    # Ways

    def _leave(self, node: _Node, group: int) -> Iterator[_Node]:
        number = node.blocks[group]
        block = self.graph.blocks[number]
        last = self.instructions[block.last]
        if last.mnemonic == BARRIER:
            if number in self.groups[group].apart and self._parts():
                self._doubt(block.last, "waves may part before this barrier, by a condition that is not known")
            yield self._moved(node, group, number, True, node.logs)
            return
        if block.indirect:
            self._doubt(block.last, "it leaves to an address in a register")
        ways = self.groups[group].following[number]
        if not ways:
            yield self._moved(node, group, -1, False, node.logs)
        elif len(ways) == 1:
            yield self._moved(node, group, ways[0], False, node.logs)
        else:
            yield from self._decide(node, group, number, ways)

    def _parts(self) -> bool:
        return sum(len(group.waves) for group in self.groups) > 1

    @staticmethod
    def _moved(node: _Node, group: int, block: int, waiting: bool, logs: tuple[Log, ...]) -> _Node:
        blocks, waits = list(node.blocks), list(node.waiting)
        blocks[group], waits[group] = block, waiting
        return _Node(tuple(blocks), tuple(waits), logs)

    def _decide(self, node: _Node, group: int, number: int, ways: tuple[int, ...]) -> Iterator[_Node]:
        """Both ways, or the one that a group ahead has taken here."""
        if self.groups[group].choices.get(number) is not Choice.TOGETHER:
            yield from (self._moved(node, group, way, False, node.logs) for way in ways)
            return
        log = node.logs[group]
        place = next((n for n, (block, _) in enumerate(log) if block == number), None)
        if place is not None:
            logs = tuple(log[:place] + log[place + 1 :] if g == group else old for g, old in enumerate(node.logs))
            yield self._moved(node, group, log[place][1], False, logs)
            return
        for way in ways:
            logs = tuple(self._told(node, g, old, number, way, g == group) for g, old in enumerate(node.logs))
            yield self._moved(node, group, way, False, logs)

    def _told(self, node: _Node, group: int, log: Log, number: int, way: int, itself: bool) -> Log:
        if itself or node.blocks[group] < 0 or self.groups[group].choices.get(number) is not Choice.TOGETHER:
            return log
        if len(log) >= _AHEAD:
            self._doubt(self.graph.blocks[number].last, "wave groups take this branch at different rates")
            return log
        return (*log, (number, way))

    # Findings

    def _doubt(self, index: int, reason: str, other: int | None = None) -> None:
        self.doubts.setdefault((index, reason), Doubt(index, reason, other))

    def found(self, kind: str, index: int, other: int, where: int, waves: tuple[int, int]) -> None:
        """Note a hazard, once for each pair of instructions."""
        self.hazards.setdefault((kind, index, other), Hazard(kind, index, other, where, waves))

    def unsure(self, group: int, index: int, other_group: int, other: int, reason: str) -> None:
        """Note that two accesses may meet; the one whose footprint is in doubt is named."""
        if not self.footprints.of(group, index).unsure:
            index, other = other, index
        self._doubt(index, reason, other)


class _Walk:
    """One group's way through one block, on a state that it changes."""

    def __init__(self, order: Order, group: int, state: _State) -> None:
        self.order, self.group, self.state = order, group, state
        self.queues = state.flights[group].queues
        # While walking, queues hold positions: an operation's age is the counter's position less its own.
        self.at = dict.fromkeys(Counter, 0)
        for queue in self.queues.values():
            for index in queue:
                queue[index] = -queue[index]
        self.pending = self._pending()
        self.on: dict[Lds, Callable[[Effect], None]] = {
            Lds.READ: self._read,
            Lds.WRITE: self._write,
            Lds.DMA: self._write,
            Lds.ATOMIC: self._write,
        }

    def through(self, number: int) -> None:
        """Every effect of the block, then positions back to ages."""
        for effect in self.order.effects[number]:
            if effect.wait is not None:
                self._wait(*effect.wait)
                continue
            if (effect.reads | effect.writes) & self.pending:
                for single in effect.run or (effect,):
                    self._registers(single)
            if effect.lds is not None:
                self.on[effect.lds](effect)
            for counter in effect.counters:
                self._issue(counter, effect)
        for counter, queue in self.queues.items():
            for index in queue:
                queue[index] = self.at[counter] - queue[index]

    def _pending(self) -> int:
        found = 0
        for queue in self.queues.values():
            for index in queue:
                found |= self.order.lands[index]
        return found

    def _issue(self, counter: Counter, effect: Effect) -> None:
        queue = self.queues[counter]
        self.at[counter] += 1
        tracked = effect.lands or effect.lds is not None
        if tracked and not (counter is Counter.SCALAR and len(effect.counters) > 1):
            queue[effect.index] = self.at[counter]
            self.pending |= effect.lands
        self._retire(counter, _SATURATED[counter])

    def _retire(self, counter: Counter, keep: int) -> None:
        queue, upto = self.queues[counter], self.at[counter] - keep
        done = [index for index, position in queue.items() if position <= upto]
        for index in done:
            del queue[index]
        if done:
            self.pending = self._pending()

    def _wait(self, vector: int, lgkm: int) -> None:
        if vector >= 0:
            self._retire(Counter.VECTOR, vector)
        if lgkm >= 0:
            self._retire(Counter.LDS, lgkm)
        if lgkm == 0:
            self._retire(Counter.SCALAR, 0)

    def _registers(self, effect: Effect) -> None:
        wave = self.order.groups[self.group].waves[0]
        for queue in self.queues.values():
            for index in queue:
                lands = self.order.lands[index]
                written = 0 if self.order.lands_behind(effect.index, index) else effect.writes & lands
                for kind, mask in (("read", effect.reads & lands), ("overwritten", written)):
                    if mask:
                        bit = (mask & -mask).bit_length() - 1
                        self.order.found(kind, effect.index, index, bit, (wave, wave))

    # LDS

    def _read(self, effect: Effect) -> None:
        self._against(effect, self.state.writing)
        self.state.reading[self.group, effect.index] = False

    def _write(self, effect: Effect) -> None:
        self._against(effect, self.state.reading)
        self._against(effect, self.state.writing)
        self.state.writing[self.group, effect.index] = False
        if effect.lds is not Lds.ATOMIC:
            overlap = self.order.footprints.overlap(self.group, effect.index, self.group, effect.index)
            if overlap.other is not None and not overlap.unsure:
                self.order.found("lds written twice", effect.index, effect.index, overlap.byte, overlap.other)

    def _against(self, effect: Effect, open_: dict[Key, bool]) -> None:
        for (group, other), crossed in open_.items():
            if effect.index in self.order.atomics and other in self.order.atomics:
                continue
            overlap = self.order.footprints.overlap(self.group, effect.index, group, other)
            if not overlap.own and overlap.other is None:
                continue
            reading = open_ is self.state.reading
            kinds = []
            if overlap.own:
                wave = self.order.groups[group].waves[0]
                kinds.append((self._own(effect, other, reading), (wave, wave)))
            if overlap.other is not None:
                kinds.append((self._others(effect, group, other, reading, crossed), overlap.other))
            for kind, waves in kinds:
                if kind and overlap.unsure:
                    self.order.unsure(self.group, effect.index, group, other, overlap.unsure)
                elif kind:
                    self.order.found(kind, effect.index, other, overlap.byte, waves)

    def _own(self, effect: Effect, other: int, reading: bool) -> str:
        """What is wrong within one wave: LDS operations keep their order, and DMA its own, but not one to the other."""
        dma = other in self.order.dma
        if dma == (effect.lds is Lds.DMA) or not self.order.in_flight(self.state, self.group, other):
            return ""
        if effect.lds is Lds.READ:
            return "dma read"
        return "lds overwritten" if reading else "lds written twice"

    def _others(self, effect: Effect, group: int, other: int, reading: bool, crossed: bool) -> str:
        flying = self.order.in_flight(self.state, group, other)
        if effect.lds is Lds.READ:
            return "dma read" if (flying or crossed) and other in self.order.dma else "lds read"
        if reading:
            # A DMA takes memory's time, longer than LDS takes to answer; an LDS write does not.
            return "lds overwritten late" if crossed and effect.lds is Lds.DMA else "lds overwritten"
        return "lds written twice"
