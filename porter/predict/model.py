# SPDX-License-Identifier: Apache-2.0
"""The time of one kernel over all shapes: five constants, each with a meaning.

A workgroup pays `fix` once and `slope` for each of its K tiles; compute units work their shares off in rounds; B, A and
C pass memory once; the launch is paid once. The loop and memory overlap, so the greater of the two counts, smoothly.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import astuple, dataclass
from typing import TYPE_CHECKING

from porter.problem import GemmShape

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Numbers = npt.NDArray[np.float64]

#: How sharply the greater of loop and memory wins.
SHARPNESS = 3.0


@dataclass(frozen=True, slots=True)
class Constants:
    """launch: us a call; fix: us a workgroup outside its loop; slope: us a K tile of a workgroup; bandwidth: bytes a us
    of all compute units together, in millions (TB/s); rest: how much of a last, partial round of workgroups counts as a
    whole one."""

    launch: float
    fix: float
    slope: float
    bandwidth: float
    rest: float

    @classmethod
    def of(cls, values: Sequence[float] | Numbers) -> Constants:
        return cls(*map(float, values))

    @property
    def values(self) -> tuple[float, ...]:
        return astuple(self)


@dataclass(frozen=True, slots=True)
class Work:
    """What shapes ask of one kernel; all fields have one entry a shape.

    rounds: workgroups a compute unit, at least 1; whole: the same in whole rounds; steps: K tiles of a workgroup;
    megabytes: of A, B and C.
    """

    rounds: Numbers
    whole: Numbers
    steps: Numbers
    megabytes: Numbers

    @classmethod
    def of(cls, shapes: Sequence[tuple[GemmShape, int]], tile: tuple[int, int, int], cu_num: int) -> Work:
        """shapes: each with its KBatch; tile: MPerBlock, NPerBlock, KPerBlock."""
        import numpy as np

        m, n, k, batch = np.array([(s.m, s.n, s.k, kbatch) for s, kbatch in shapes], dtype=np.float64).T
        share = np.ceil(m / tile[0]) * np.ceil(n / tile[1]) * batch / cu_num
        return cls(
            np.maximum(share, 1.0), np.ceil(share), np.ceil(k / batch / tile[2]), (m * k + n * k + 2 * m * n) * 1e-6
        )

    def at(self, chosen: npt.NDArray[np.bool_] | npt.NDArray[np.intp]) -> Work:
        return Work(self.rounds[chosen], self.whole[chosen], self.steps[chosen], self.megabytes[chosen])


def microseconds(constants: Sequence[float] | Numbers, work: Work) -> Numbers:
    """The model's time of every shape. constants: those of `Constants`, in its order."""
    launch, fix, slope, bandwidth, rest = constants
    loop = (rest * work.whole + (1 - rest) * work.rounds) * (fix + work.steps * slope)
    memory = work.megabytes / bandwidth
    return launch + (loop**SHARPNESS + memory**SHARPNESS) ** (1 / SHARPNESS)
