# SPDX-License-Identifier: Apache-2.0
"""A kernarg segment whose fields have names and places, of kernels that take a struct or slots instead of a list."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from oracle.machine.errors import LaunchError


@dataclass(frozen=True, slots=True)
class Field:
    """name; offset and size in bytes: 4 of an i32, 8 of an address."""

    name: str
    offset: int
    size: int


@dataclass(frozen=True, slots=True)
class KernargLayout:
    """Fields of a segment of `size` bytes; what lies between them is zero.

    Raises LaunchError (CKM102) where fields overlap or stand outside.
    """

    fields: tuple[Field, ...]
    size: int

    def __post_init__(self) -> None:
        end = 0
        for field in sorted(self.fields, key=lambda field: field.offset):
            if field.offset < end or field.size not in (4, 8) or field.offset % field.size:
                raise LaunchError("CKM102", f"kernarg field {field.name} of {field.size} bytes at {field.offset}")
            end = field.offset + field.size
        if end > self.size:
            raise LaunchError("CKM102", f"kernarg fields end at byte {end} of a segment of {self.size}")

    def pack(self, values: Mapping[str, int]) -> bytes:
        """The segment: a value for every field, and no other. Raises LaunchError (CKM102)."""
        names = {field.name for field in self.fields}
        if names != set(values):
            raise LaunchError("CKM102", f"kernarg fields without a value, or unknown: {sorted(names ^ set(values))}")
        segment = bytearray(self.size)
        for field in self.fields:
            value = values[field.name]
            try:
                raw = value.to_bytes(field.size, "little", signed=value < 0)
            except OverflowError:
                raise LaunchError("CKM102", f"{field.name} of {field.size} bytes cannot hold {value}") from None
            segment[field.offset : field.offset + field.size] = raw
        return bytes(segment)
