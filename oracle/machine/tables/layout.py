# SPDX-License-Identifier: Apache-2.0
"""Where the fields of a record lie, and its bytes."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import Any, get_type_hints

from . import records
from .records import C, Documented, FindingRecord, InstructionRecord, LaunchRecord, OperandRecord

_FORMATS = {"u8": "B", "u16": "H", "u32": "I", "i32": "i", "u64": "Q"}


@dataclass(frozen=True, slots=True)
class Field:
    """One field of a record, at a byte offset."""

    name: str
    c: C
    offset: int


class Layout:
    """A record as C declares it: `name` in the core, the class with its fields, and the records it may hold."""

    def __init__(self, name: str, record: type[tuple[Any, ...]], *known: Layout) -> None:
        self.name, self.comment = name, (record.__doc__ or "").strip()
        inner = {layout.name: layout for layout in known}
        declared = {name: hint.__metadata__[0] for name, hint in get_type_hints(record, include_extras=True).items()}
        self.fields: list[Field] = []
        self.align = at = 0
        form = "<"
        for field, c in declared.items():
            one, size, align = _form(c.type, inner)
            gap = -at % align
            form += f"{gap}x" * (gap > 0) + one * (c.length or 1)
            self.fields.append(Field(field, c, at + gap))
            at += gap + size * (c.length or 1)
            self.align = max(self.align, align)
        self._struct = struct.Struct(form + "x" * (-at % self.align))
        self._flat = not any(c.length for c in declared.values())

    @property
    def form(self) -> str:
        """Format of one record without its byte order."""
        return self._struct.format[1:]

    @property
    def size(self) -> int:
        """Bytes of one record."""
        return self._struct.size

    def pack(self, record: tuple[Any, ...]) -> bytes:
        """The bytes that the core reads."""
        return self._struct.pack(*(record if self._flat else _flatten(record)))

    def unpack(self, raw: bytes) -> tuple[Any, ...]:
        """The values of a record without arrays."""
        return self._struct.unpack(raw)


def _form(name: str, known: dict[str, Layout]) -> tuple[str, int, int]:
    """Struct format, size and alignment of a C type."""
    if name in known:
        return known[name].form, known[name].size, known[name].align
    size = struct.calcsize("<" + _FORMATS[name])
    return _FORMATS[name], size, size


def _flatten(record: tuple[Any, ...]) -> list[int]:
    """Fields, elements of arrays, and fields of records in arrays, in order."""
    flat: list[int] = []
    for value in record:
        if not isinstance(value, tuple):
            flat.append(value)
        elif isinstance(value[0], tuple):
            for inner in value:
                flat += inner
        else:
            flat += value
    return flat


OPERAND = Layout("operand", OperandRecord)
INSTRUCTION = Layout("ins", InstructionRecord, OPERAND)
FINDING = Layout("finding", FindingRecord)
LAUNCH = Layout("launch_config", LaunchRecord)
LAYOUTS = (OPERAND, INSTRUCTION, FINDING, LAUNCH)

#: Enumerations by C's tag: (prefix of its members, numbers, name of their count or nothing).
ENUMERATIONS: dict[str, tuple[str, type[Documented], str]] = {
    "operand_kind": ("", records.OperandKind, ""),
    "special": ("SPECIAL_", records.Special, ""),
    "modifier": ("MOD_", records.Mod, ""),
    "float_kind": ("FLOAT_", records.Float, ""),
    "place": ("", records.Place, "OPERANDS"),
    "flag": ("FLAG_", records.Flag, ""),
    "memory_flag": ("MEM_", records.Mem, ""),
    "code": ("CODE_", records.Code, ""),
    "fault": ("FAULT_", records.Fault, ""),
    "counter": ("COUNT_", records.Count, "COUNTERS"),
    "request": ("REQUEST_", records.Request, "REQUESTS"),
    "landing": ("LANDING_", records.Landing, ""),
    "range_rule": ("RANGE_", records.Range, ""),
    "wave_order": ("ORDER_", records.Order, ""),
    "launch_flag": ("LAUNCH_", records.Launch, ""),
}
