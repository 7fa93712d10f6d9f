# SPDX-License-Identifier: Apache-2.0
"""Device memory of a launch: numpy arrays at addresses far apart, written in place."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .errors import LaunchError

# Allocations are 64 GiB apart, so that no 32-bit offset leads from one to another: the gaps are the guard zones. The
# low dword of a base is just below 2^32, so that 64-bit address arithmetic must carry.
_SPACING = 1 << 36
_LOW = 0xFFF0_0000
_LARGEST = _SPACING - (1 << 33)
CODE_BASE = _SPACING
_FIRST = 2


@dataclass(frozen=True, slots=True)
class Region:
    """One allocation: device address of its first byte, the array behind it, and what the checker knows of it."""

    name: str
    address: int
    array: NDArray[np.generic]
    writable: bool
    initialised: bool

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
        if name in self.regions:
            raise LaunchError("CKM101", f"memory: the name {name!r} is taken")
        if not array.flags.c_contiguous or array.nbytes == 0:
            raise LaunchError("CKM101", f"memory: {name!r} must be a contiguous array of at least one byte")
        if writable and not array.flags.writeable:
            raise LaunchError("CKM101", f"memory: {name!r} is read-only; pass writable=False")
        if array.nbytes > _LARGEST:
            raise LaunchError("CKM101", f"memory: {name!r} has {array.nbytes} bytes, at most {_LARGEST}")
        address = (_FIRST + len(self.regions)) * _SPACING + _LOW
        self.regions[name] = Region(name, address, array, writable, initialised)
        return address

    def read(self, name: str) -> NDArray[np.generic]:
        """The array behind a name."""
        return self.regions[name].array

    def describe(self, address: int) -> str:
        """`name + bytes` of the allocation at or nearest to a device address, and its size, for messages."""
        for region in self.regions.values():
            if region.address <= address < region.address + region.size:
                return f"{region.name} + {address - region.address} (of {region.size})"
        best = min(self.regions.values(), key=lambda r: abs(address - r.address), default=None)
        if best is None or abs(address - best.address) >= _SPACING // 2:
            return f"{address:#x}"
        if address < best.address:
            return f"{best.name} - {best.address - address}"
        return f"{best.name} + {address - best.address} ({address - best.address - best.size} past its end)"
