# SPDX-License-Identifier: Apache-2.0
"""Operand text to operand value: registers, inline constants, literals (CDNA4 ISA 5.2, 6.2; LLVM's operand syntax)."""

from __future__ import annotations

import re
import struct
from dataclasses import dataclass

from .tables import ValueType
from .tables.records import Special

VGPR, SGPR, CONSTANT, SPECIAL = "vgpr", "sgpr", "constant", "special"
ACC_BASE = 256
NAMED_SGPRS = {
    "flat_scratch": (102, 2),
    "flat_scratch_lo": (102, 1),
    "flat_scratch_hi": (103, 1),
    "xnack_mask": (104, 2),
    "xnack_mask_lo": (104, 1),
    "xnack_mask_hi": (105, 1),
    "vcc": (106, 2),
    "vcc_lo": (106, 1),
    "vcc_hi": (107, 1),
    "m0": (124, 1),
    "exec": (126, 2),
    "exec_lo": (126, 1),
    "exec_hi": (127, 1),
}
SPECIALS = {
    "scc": Special.SCC,
    "src_scc": Special.SCC,
    "vccz": Special.VCCZ,
    "src_vccz": Special.VCCZ,
    "execz": Special.EXECZ,
    "src_execz": Special.EXECZ,
    "src_shared_base": Special.SHARED_BASE,
    "src_shared_limit": Special.SHARED_LIMIT,
    "src_private_base": Special.PRIVATE_BASE,
    "src_private_limit": Special.PRIVATE_LIMIT,
}
_REGISTER = re.compile(
    r"(?P<file>v|s|a|ttmp)(?:(?P<one>[0-9]{1,3})|\[(?P<first>[0-9]{1,3})(?::(?P<last>[0-9]{1,3}))?\])"
)
INTEGER = re.compile(r"-?(0[xX][0-9a-fA-F]{1,32}|0|[1-9][0-9]{0,39})")
_FLOAT = re.compile(r"-?([0-9]{1,40}\.[0-9]{0,40}|\.[0-9]{1,40}|[0-9]{1,40}(?=e))(e[-+]?[0-9]{1,3})?", re.IGNORECASE)
_HALF_INVERSE_PI = {"f32": 0x3E22F983, "f64": 0x3FC45F306DC9C882, "f16": 0x3118, "bf16": 0x3E22}


class OperandError(ValueError):
    """An operand that cannot be read or does not fit its slot; the encoder adds the place."""


@dataclass(frozen=True, slots=True)
class Value:
    """A parsed operand. number: register row or SGPR; bits: constant as the slot's type sees it;"""

    kind: str
    number: int = 0
    dwords: int = 1
    bits: int = 0
    neg: bool = False
    absolute: bool = False
    sext: bool = False
    acc: bool = False


def parse(text: str, slot: ValueType, symbols: dict[str, int] | None = None) -> Value:
    """Parse one operand for a slot. Raises OperandError."""
    neg = absolute = sext = False
    word = text.strip()
    while True:
        if re.fullmatch(r"(neg|abs|sext)\(.*\)", word):
            name, word = word[: word.index("(")], word[word.index("(") + 1 : -1].strip()
            neg, absolute, sext = neg or name == "neg", absolute or name == "abs", sext or name == "sext"
        elif word.startswith("|") and word.endswith("|") and len(word) > 2:
            absolute, word = True, word[1:-1].strip()
        elif word.startswith("-") and len(word) > 1 and word[1] in "vsa|" and not absolute:
            neg, word = True, word[1:].strip()
        else:
            break
    value = _register(word) or _constant(word, slot, symbols)
    if value.kind == SPECIAL:
        value = Value(SPECIAL, value.number, slot.dwords)  # an aperture's base is the high dword of 64 bits
    if neg or absolute or sext:
        return Value(value.kind, value.number, value.dwords, value.bits, neg, absolute, sext, value.acc)
    return value


def _register(word: str) -> Value | None:
    match = _REGISTER.fullmatch(word)
    if match:
        first = int(match["one"] or match["first"])
        last = int(match["last"]) if match["last"] else first
        file = match["file"]
        limit = {"v": 256, "a": 256, "s": 102, "ttmp": 16}[file]
        if last < first or last >= limit:
            raise OperandError(f"register {word} is outside the file of {limit}")
        if file in ("v", "a"):
            return Value(VGPR, first + (ACC_BASE if file == "a" else 0), last - first + 1, acc=file == "a")
        return Value(SGPR, first + (108 if file == "ttmp" else 0), last - first + 1)
    if word in NAMED_SGPRS:
        number, dwords = NAMED_SGPRS[word]
        return Value(SGPR, number, dwords)
    if word in SPECIALS:
        return Value(SPECIAL, SPECIALS[word])
    return None


def _constant(word: str, slot: ValueType, symbols: dict[str, int] | None) -> Value:
    literal = False
    match = re.fullmatch(r"(?:lit|lit64)\((.*)\)", word)
    if match:
        literal, word = True, match[1]
    if INTEGER.fullmatch(word):
        number = int(word, 0)
        if not -(1 << 63) <= number < 1 << 64:
            raise OperandError(f"constant {word} does not fit 64 bits")
        inline = -16 <= number <= 64 and not literal
        return Value(CONSTANT, dwords=slot.dwords, bits=_integer_bits(number, slot, inline))
    if _FLOAT.fullmatch(word):
        return _float_constant(float(word), word, slot)
    if symbols is not None:
        number = _expression(word, symbols)
        return Value(CONSTANT, dwords=slot.dwords, bits=number & 0xFFFFFFFF)
    raise OperandError(f"cannot read operand {word!r}")


def _expression(word: str, symbols: dict[str, int]) -> int:
    match = re.fullmatch(r"([A-Za-z_.$][\w.$]*)(?:@\w+(?:@\w+)?)?(?:([+-][0-9]{1,15}))?", word)
    if not match or match[1] not in symbols:
        raise OperandError(f"cannot read operand {word!r}")
    return symbols[match[1]] + int(match[2] or 0)


def _integer_bits(number: int, slot: ValueType, inline: bool) -> int:
    if slot.dwords == 2 and slot.constant == "f64":
        # A literal of a 64-bit float is its high dword; an inline integer is the 64-bit integer.
        return number & (1 << 64) - 1 if inline or number >> 32 not in (0, -1) else (number & 0xFFFFFFFF) << 32
    if slot.dwords == 2 and slot.constant == "int":
        return number & (1 << 64) - 1
    if not -(1 << 31) <= number < 1 << 32:
        raise OperandError(f"constant {number:#x} does not fit 32 bits")
    return number & 0xFFFFFFFF


def _float_constant(number: float, word: str, slot: ValueType) -> Value:
    limit = {"f64": 1.7e308, "f16": 65504.0}.get(slot.constant, 3.4e38)
    if abs(number) > limit:
        raise OperandError(f"constant {word} is outside its format")
    if word.startswith("0.15915494"):
        kind = slot.constant if slot.constant in _HALF_INVERSE_PI else "f32"
        return Value(CONSTANT, dwords=slot.dwords, bits=_HALF_INVERSE_PI[kind])
    if slot.constant == "f64":
        bits = struct.unpack("<Q", struct.pack("<d", number))[0]
    elif slot.constant == "f16":
        bits = struct.unpack("<H", struct.pack("<e", number))[0]
    elif slot.constant == "bf16":
        bits = struct.unpack("<I", struct.pack("<f", number))[0] >> 16
    else:
        bits = struct.unpack("<I", struct.pack("<f", number))[0]
    return Value(CONSTANT, dwords=slot.dwords, bits=bits)
