# SPDX-License-Identifier: Apache-2.0
"""Calls of a host function that a proof wants recorded; what both the proof and the recording child know of them."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from enum import Enum
from typing import Any


class Way(str, Enum):
    """How a host function is called, or what it is handed although it must refuse it."""

    FUNCTION = "as a function"
    OUT = "with out"
    DISPATCH = "as dispatch calls it"
    K_MAJOR = "with x_scale of strides (1, M)"
    OTHER_DTYPE = "with a dtype that it does not write"
    COLUMNS_APART = "with XQ of strides (1, M)"
    ROWS_8_APART = "with rows of XQ K + 8 bytes apart"
    FEWER_SCALES = "with a block too few of w_scale"
    INTEGER_SCALES = "with integers as x_scale"

    @property
    def refused(self) -> bool:
        """Whether nothing may be launched."""
        return self not in (Way.FUNCTION, Way.OUT, Way.DISPATCH, Way.K_MAJOR)


@dataclass(frozen=True, slots=True)
class HostCall:
    """One call: sizes of the operands, bytes between rows of XQ and of WQ, and how they are handed over."""

    m: int
    n: int
    k: int
    way: Way = Way.FUNCTION
    padding: tuple[int, int] = (0, 0)

    def to_json(self) -> dict[str, Any]:
        return {**asdict(self), "way": self.way.value}

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> HostCall:
        return cls(data["m"], data["n"], data["k"], Way(data["way"]), tuple(data["padding"]))

    def __str__(self) -> str:
        rows = f" of rows {self.padding} bytes apart" if any(self.padding) else ""
        return f"{self.m}x{self.n}x{self.k}{rows} {self.way.value}"
