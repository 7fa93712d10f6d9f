# SPDX-License-Identifier: Apache-2.0
"""Which bytes of LDS an access of each wave touches, as integers with a bit a granule."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from oracle.machine.encode import Instruction

from .knowledge import Access, Group, is_dma
from .values import LANES, Unknown, lanes_of

#: More than any gfx has; addresses past it are another check's business.
_LARGEST = 1 << 18


@dataclass(frozen=True, slots=True)
class Footprint:
    """Granules by wave of the group, and of all. unsure: why it may be less, or another, empty if it is exact."""

    by_wave: tuple[int, ...]
    all: int
    unsure: str = ""


@dataclass(frozen=True, slots=True)
class Overlap:
    """Whether two accesses meet in LDS: in one wave, in two waves (their numbers), where (byte); or nobody knows."""

    own: bool = False
    other: tuple[int, int] | None = None
    byte: int = 0
    unsure: str = ""


class Footprints:
    """Footprints of every LDS access of every group, made when they are first asked for."""

    def __init__(self, instructions: Sequence[Instruction], groups: Sequence[Group]) -> None:
        self.instructions, self.groups = instructions, groups
        self.unit = self._unit()
        self._made: dict[tuple[int, int], Footprint] = {}
        self._bases: dict[tuple[int, int, int, int], tuple[int, ...]] = {}
        self._overlaps: dict[tuple[int, int, int, int], Overlap] = {}

    def _unit(self) -> int:
        """Bytes of a granule: as many as every access whose address is known allows."""
        seen = 16
        for group in self.groups:
            for index, access in group.accesses.items():
                ins = self.instructions[index]
                seen |= ins.width | ins.offset0 | ins.offset1
                if not isinstance(access.address, Unknown):
                    seen |= int(np.bitwise_or.reduce(access.address, axis=None))
        return seen & -seen

    def of(self, group: int, index: int) -> Footprint:
        """What an access touches."""
        key = group, index
        if key not in self._made:
            self._made[key] = self._make(
                self.groups[group], self.instructions[index], self.groups[group].accesses[index]
            )
        return self._made[key]

    def overlap(self, group: int, index: int, other_group: int, other: int) -> Overlap:
        """Where two accesses meet; of two waves, the first is the one that makes `index`."""
        key = group, index, other_group, other
        if key not in self._overlaps:
            a, b = self.of(group, index), self.of(other_group, other)
            self._overlaps[key] = self._compare(a, b, group, other_group)
        return self._overlaps[key]

    def _compare(self, a: Footprint, b: Footprint, group: int, other_group: int) -> Overlap:
        unsure = a.unsure or b.unsure
        if not a.all & b.all:
            return Overlap()
        own, pair, common = False, None, 0
        for m, mine in enumerate(a.by_wave):
            if not mine & b.all:
                continue
            for n, theirs in enumerate(b.by_wave):
                if not mine & theirs:
                    continue
                if group == other_group and m == n:
                    own = True
                elif pair is None:
                    pair = self.groups[group].waves[m], self.groups[other_group].waves[n]
                common = common or mine & theirs
        byte = ((common & -common).bit_length() - 1) * self.unit
        return Overlap(own, pair, byte, unsure)

    def _make(self, group: Group, ins: Instruction, access: Access) -> Footprint:
        if isinstance(access.address, Unknown):
            everything = (1 << _LARGEST // self.unit) - 1
            what = "M0" if is_dma(ins) else "the LDS address"
            return Footprint((everything,) * len(group.waves), everything, f"{what} is not known")
        known = not isinstance(access.exec_low, Unknown) and not isinstance(access.exec_high, Unknown)
        unsure = "" if known else "which lanes are active is not known"
        by_wave = self._dma(group, ins, access) if is_dma(ins) else self._lanes(group, ins, access)
        every = 0
        for mask in by_wave:
            every |= mask
        return Footprint(by_wave, every, unsure)

    def _dma(self, group: Group, ins: Instruction, access: Access) -> tuple[int, ...]:
        """M0 + offset, then lane after lane."""
        assert not isinstance(access.address, Unknown)
        m0 = np.broadcast_to(access.address[:, 0], (len(group.waves),))
        run = (1 << -(-LANES * ins.width // self.unit)) - 1
        active = np.asarray(self._active(group, access).any(axis=1))
        return tuple(
            run << ((int(start) + ins.offset0) & (_LARGEST - 1)) // self.unit if some else 0
            for start, some in zip(m0, active, strict=True)
        )

    def _active(self, group: Group, access: Access) -> npt.NDArray[np.bool_]:
        shape = (len(group.waves), LANES)
        if isinstance(access.exec_low, Unknown) or isinstance(access.exec_high, Unknown):
            return np.ones(shape, bool)
        return np.broadcast_to(lanes_of(access.exec_low, access.exec_high), shape)

    def _lanes(self, group: Group, ins: Instruction, access: Access) -> tuple[int, ...]:
        assert not isinstance(access.address, Unknown)
        active = self._active(group, access)
        base = np.broadcast_to(access.address, active.shape)
        offsets = (ins.offset0, ins.offset1) if "two" in ins.opcode.flags else (ins.offset0,)
        key = id(access.address), id(access.exec_low), id(access.exec_high), ins.width
        if key not in self._bases:
            self._bases[key] = self._bits(base, active, ins.width)
        found = []
        for mask in self._bases[key]:
            shifted = 0
            for offset in offsets:
                shifted |= mask << offset // self.unit
            found.append(shifted)
        return tuple(found)

    def _bits(self, base: npt.NDArray[np.uint32], active: npt.NDArray[np.bool_], width: int) -> tuple[int, ...]:
        start = base.astype(np.int64) // self.unit
        touched = start[:, :, None] + np.arange(max(1, width // self.unit))
        inside = active & (start < _LARGEST // self.unit)
        size = int(touched[inside].max(initial=0)) + 1
        found = []
        for lanes, valid in zip(touched, inside, strict=True):
            granules = np.zeros(size, bool)
            granules[lanes[valid].reshape(-1)] = True
            found.append(int.from_bytes(np.packbits(granules, bitorder="little").tobytes(), "little"))
        return tuple(found)
