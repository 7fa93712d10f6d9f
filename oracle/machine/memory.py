# SPDX-License-Identifier: Apache-2.0
"""Device memory of a launch: numpy arrays at addresses far apart, written in place."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .errors import LaunchError

# Allocations are 1 TiB apart, more than any operand needs of which only the last rows are there; no 32-bit offset leads
# from one to another: the gaps are the guard zones. The low dword of a base is just below 2^32, so that 64-bit address
# arithmetic must carry.
_SPACING = 1 << 40
_LOW = 0xFFF0_0000
_LARGEST = _SPACING - (1 << 33)
CODE_BASE = _SPACING
_FIRST = 2


@dataclass(frozen=True, slots=True)
class Region:
    """One allocation: device address of its first byte, the array behind it, and what the checker knows of it.

    before, whole: bytes of the operand in front of this part, and of all of it; 0 where the part is all.
    """

    name: str
    address: int
    array: NDArray[np.generic]
    writable: bool
    initialised: bool
    before: int = 0
    whole: int = 0

    @property
    def size(self) -> int:
        return int(self.array.nbytes)

    def record(self) -> tuple[int, memoryview, bool, bool]:
        """What the core takes."""
        return self.address, self.array.reshape(-1).view(np.uint8).data, self.writable, self.initialised


class Memory:
    """Allocations of a launch. Nothing is copied: a kernel's stores are visible in the arrays."""

    def __init__(self) -> None:
        self.regions: dict[str, Region] = {}

    def place(self, array: NDArray[np.generic], name: str, *, writable: bool = True, initialised: bool = True) -> int:
        """Give `array` a device address (256-byte aligned) and return it.

        writable: stores from the kernel are allowed. initialised: with False the checker reports reads of bytes that
        no workgroup has written. Raises LaunchError (CKM101) for an array that is not contiguous, empty, read-only
        though writable, too large, or a name that is taken.
        """
        return self.place_parts([(0, array)], array.nbytes, name, writable=writable, initialised=initialised)

    def place_parts(
        self,
        parts: Sequence[tuple[int, NDArray[np.generic]]],
        size: int,
        name: str,
        *,
        writable: bool = True,
        initialised: bool = True,
    ) -> int:
        """As `place`, of an operand of `size` bytes of which only some parts are there: (offset in bytes, array) each.

        An access to any other of its bytes lies in no allocation, so a kernel that is launched for a few rows of a huge
        operand needs no memory for the others, and a wrong offset into them is found.
        """
        if name in self.regions:
            raise LaunchError("CKM101", f"memory: the name {name!r} is taken")
        if size > _LARGEST:
            raise LaunchError("CKM101", f"memory: {name!r} has {size} bytes, at most {_LARGEST}")
        address = (_FIRST + len(self.regions)) * _SPACING + _LOW
        end = 0
        for number, (offset, array) in enumerate(parts):
            if not array.flags.c_contiguous or array.nbytes == 0:
                raise LaunchError("CKM101", f"memory: {name!r} must be a contiguous array of at least one byte")
            if writable and not array.flags.writeable:
                raise LaunchError("CKM101", f"memory: {name!r} is read-only; pass writable=False")
            if not end <= offset <= size - array.nbytes:
                raise LaunchError("CKM101", f"memory: {name!r} has a part at {offset} that does not fit between others")
            end = offset + array.nbytes
            region = Region(name, address + offset, array, writable, initialised, offset, size)
            self.regions[f"{name}[{number}]" if number else name] = region
        return address

    def read(self, name: str) -> NDArray[np.generic]:
        """The array behind a name."""
        return self.regions[name].array

    def describe(self, address: int) -> str:
        """`name + bytes` of the allocation at or nearest to a device address, and its size, for messages."""
        best = min(self.regions.values(), key=lambda region: _distance(region, address), default=None)
        if best is None or _distance(best, address) >= _SPACING // 2:
            return f"{address:#x}"
        offset, size = address - best.address + best.before, best.whole or best.size
        if offset < 0:
            return f"{best.name} - {-offset}"
        if offset >= size:
            return f"{best.name} + {offset} ({offset - size} past its end)"
        there = "" if not _distance(best, address) else ", in no part that is there"
        return f"{best.name} + {offset} (of {size}{there})"


def _distance(region: Region, address: int) -> int:
    """Bytes from an address to the nearest byte of a region."""
    return max(region.address - address, address - (region.address + region.size - 1), 0)
