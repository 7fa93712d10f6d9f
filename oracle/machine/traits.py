# SPDX-License-Identifier: Apache-2.0
"""What launches and reports ask of a program's instructions, found once for all of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from .encode import LDS, Instruction
from .hazards import TRANSCENDENTAL


@dataclass(frozen=True, slots=True, eq=False)
class Traits:
    """synchronises: the program may order workgroups, by atomics on global memory or cache control.
    granule_shift, order_shift: log2 bytes of the units in which the checker keeps LDS and the order of global memory,
    as wide as every access allows. families: names; family_of: the number of each instruction's. approximate:
    (index, mnemonic) where hardware may round the last bit differently. waits: (index, what `Report.useful` can say of
    it); barriers: indices.
    """

    synchronises: bool
    granule_shift: int
    order_shift: int
    families: tuple[str, ...]
    family_of: npt.NDArray[np.intp]
    approximate: tuple[tuple[int, str], ...]
    waits: tuple[tuple[int, int], ...]
    barriers: tuple[int, ...]

    @classmethod
    def of(cls, instructions: Sequence[Instruction]) -> Traits:
        """Read off a program's instructions."""
        families = tuple(dict.fromkeys(ins.opcode.family for ins in instructions))
        numbered = list(enumerate(instructions))
        return cls(
            synchronises=any(map(_synchronises, instructions)),
            granule_shift=_granule_shift(instructions),
            order_shift=_order_shift(instructions),
            families=families,
            family_of=np.array([families.index(ins.opcode.family) for ins in instructions], dtype=np.intp),
            approximate=tuple((n, ins.mnemonic) for n, ins in numbered if TRANSCENDENTAL.match(ins.mnemonic)),
            waits=tuple(
                (n, (ins.target >= 0) | (ins.offset0 >= 0) << 1) for n, ins in numbered if ins.mnemonic == "s_waitcnt"
            ),
            barriers=tuple(n for n, ins in numbered if ins.mnemonic == "s_barrier"),
        )

    def by_family(self, executed: npt.NDArray[np.uint64]) -> dict[str, int]:
        """How many instructions of each family ran, from how often each instruction did."""
        sums = np.zeros(len(self.families), dtype=np.uint64)
        np.add.at(sums, self.family_of, executed)
        return dict(zip(self.families, sums.tolist(), strict=True))


def _synchronises(ins: Instruction) -> bool:
    atomic = "atomic" in ins.opcode.flags and ins.opcode.family != "ds"
    return atomic or ins.mnemonic in ("buffer_wbl2", "buffer_inv")


def _granule_shift(instructions: Sequence[Instruction]) -> int:
    unit = 16
    for ins in instructions:
        if ins.opcode.family == "ds" and ins.width and "lane" not in ins.opcode.flags:
            if ins.width & 15 or ins.offset0 & 15 or ins.offset1 & 15:
                unit = min(unit, 1 if ins.width & 3 or ins.offset0 & 3 or ins.offset1 & 3 else 4)
        elif ins.memory & LDS and (ins.width != 16 or ins.offset0 & 15):
            unit = min(unit, 4)
        elif ins.opcode.family == "flat":
            unit = 1
    return {1: 0, 4: 2, 16: 4}[unit]


def _order_shift(instructions: Sequence[Instruction]) -> int:
    memory = (ins for ins in instructions if ins.opcode.family in ("buffer", "global", "flat"))
    return {1: 0, 2: 1}.get(min((ins.width for ins in memory if ins.opcode.flags), default=4), 2)
