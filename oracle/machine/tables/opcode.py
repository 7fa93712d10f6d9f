# SPDX-License-Identifier: Apache-2.0
"""What one row of an instruction table means.

A row is `mnemonic | destinations = sources | flags`. Braces in the mnemonic multiply the row, and `$1`, `$2` stand for
the first and second brace's choice anywhere in it: `s_cmp_{eq,lg}_{i32,u32} | = $2 $2`.

A slot is a type, optionally behind a register class: `v:` VGPR or AGPR, `s:` SGPR, `a:` any (VGPR, SGPR, constant).
Without one it takes the family's default. The type fixes the width and what an inline constant means.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import product


@dataclass(frozen=True, slots=True)
class ValueType:
    """Width in dwords, the form of an inline constant, and whether neg/abs apply."""

    dwords: int
    constant: str  # int, f32, f64, f16, pk16 (16-bit value in the low half), pk32 (value in the low dword)
    floating: str  # "", f32, f64, f16, pk16, pk32: how neg/abs act; pk types take neg_lo/neg_hi instead


TYPES: dict[str, ValueType] = {
    "b32": ValueType(1, "int", ""),
    "u32": ValueType(1, "int", ""),
    "i32": ValueType(1, "int", ""),
    "b16": ValueType(1, "int", ""),
    "u16": ValueType(1, "int", ""),
    "i16": ValueType(1, "int", ""),
    "b64": ValueType(2, "int", ""),
    "u64": ValueType(2, "int", ""),
    "i64": ValueType(2, "int", ""),
    "b96": ValueType(3, "int", ""),
    "b128": ValueType(4, "int", ""),
    "b192": ValueType(6, "int", ""),
    "b256": ValueType(8, "int", ""),
    "b512": ValueType(16, "int", ""),
    "f32": ValueType(1, "f32", "f32"),
    "f64": ValueType(2, "f64", "f64"),
    "f16": ValueType(1, "f16", "f16"),
    "bf16": ValueType(1, "bf16", "f16"),
    "pki16": ValueType(1, "int", ""),
    "pkf16": ValueType(1, "f16", "pk16"),
    "pkf32": ValueType(2, "pk32", "pk32"),
    "pkb32": ValueType(2, "int", ""),
    "mask": ValueType(2, "int", ""),
    "mix": ValueType(1, "f32", "mix"),
}
CLASSES = {"v": "vector", "s": "scalar", "a": "any"}


@dataclass(frozen=True, slots=True)
class Slot:
    """One operand position: register class (vector, scalar, any) and value type."""

    register: str
    type: ValueType
    name: str


@dataclass(frozen=True, slots=True)
class Opcode:
    """One mnemonic: its family, operand slots and flags."""

    name: str
    family: str
    destinations: tuple[Slot, ...]
    sources: tuple[Slot, ...]
    flags: frozenset[str] = field(default_factory=frozenset)


def rows(text: str, family: str, destination: str, source: str) -> Iterator[Opcode]:
    """Read a table; `destination` and `source` are the default register classes of the family.

    Raises ValueError for a malformed row: the tables are ours, so this is a fault of the table.
    """
    for line in text.splitlines():
        line = line.split("#")[0].strip()
        if not line:
            continue
        parts = [part.strip() for part in line.split("|")]
        choices = [group.split(",") for group in re.findall(r"\{([^}]*)\}", parts[0])]
        for picked in product(*choices):
            name = parts[0]
            for choice in picked:
                name = re.sub(r"\{[^}]*\}", choice, name, count=1)
            signature = parts[1] if len(parts) > 1 else "="
            for number, choice in enumerate(picked, 1):
                signature = signature.replace(f"${number}", choice)
            left, equals, right = signature.partition("=")
            if not equals:
                raise ValueError(f"table row without '=': {line}")
            yield Opcode(
                name,
                family,
                tuple(_slot(word, destination) for word in left.split()),
                tuple(_slot(word, source) for word in right.split()),
                frozenset(parts[2].split()) if len(parts) > 2 else frozenset(),
            )


def _slot(word: str, default: str) -> Slot:
    prefix, colon, name = word.rpartition(":")
    return Slot(CLASSES[prefix if colon else default], TYPES[name], name)
