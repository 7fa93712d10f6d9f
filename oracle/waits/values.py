# SPDX-License-Identifier: Apache-2.0
"""What a register is known to hold in every wave and lane, whatever the arguments of the launch are.

A value is known (an array of 32-bit numbers, [waves, lanes], or [waves, 1] where all lanes agree), or it is not: then
it is UNIFORM where every wave of the workgroup has the same, as of kernel arguments, else DIVERGENT. An instruction
that is not listed here makes unknown values of known ones.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from oracle.machine.encode import DPP, DST, DST2, SDWA, SRC0, SRC1, SRC2, Instruction
from oracle.machine.operands import CONSTANT, SGPR, VGPR

from .registers import EXEC, SCC, reads, reads_scc, row, rows, writes, writes_scc

LANES = 64
Array = npt.NDArray[np.uint32]


class Unknown(Enum):
    """Why a value is not a number."""

    UNIFORM = "the same in every wave"
    DIVERGENT = "may differ between waves or lanes"


UNIFORM, DIVERGENT = Unknown.UNIFORM, Unknown.DIVERGENT
Value = Array | Unknown
Registers = dict[int, Value]

_ALL = np.uint32(0xFFFFFFFF)


@lru_cache(maxsize=4096)
def scalar(number: int) -> Array:
    """A number that every wave has."""
    found = np.full((1, 1), number & 0xFFFFFFFF, dtype=np.uint32)
    found.flags.writeable = False
    return found


def same(a: Value, b: Value) -> bool:
    """Whether two values are equal or equally unknown."""
    if a is b:
        return True
    if isinstance(a, Unknown) or isinstance(b, Unknown):
        return False
    return bool(np.equal(a, b).all())


def uniform(value: Value) -> bool:
    """Whether every wave and lane has the same."""
    return value is UNIFORM or (not isinstance(value, Unknown) and bool((value == value[:1, :1]).all()))


def lanes_of(low: Array, high: Array) -> npt.NDArray[np.bool_]:
    """A 64-bit lane mask as booleans [waves, 64]."""
    both = np.concatenate(np.broadcast_arrays(low[:, :1], high[:, :1]), axis=1).astype("<u4")
    return np.unpackbits(both.view(np.uint8), axis=1, bitorder="little").astype(bool)


def mask_of(lanes: npt.NDArray[np.bool_]) -> tuple[Array, Array]:
    """Booleans [waves, 64] as the two dwords of a lane mask."""
    words = np.packbits(lanes, axis=1, bitorder="little").view("<u4").astype(np.uint32)
    return words[:, :1], words[:, 1:]


def _signed(value: Array) -> npt.NDArray[np.int32]:
    found: npt.NDArray[np.int32] = value.view(np.int32)
    return found


def _shift(count: Array) -> Array:
    found: Array = count & np.uint32(31)
    return found


def _bfe(value: Array, offset: Array, width: Array) -> Array:
    wide = value.astype(np.uint64) >> _shift(offset).astype(np.uint64)
    mask = (np.uint64(1) << np.minimum(width, np.uint32(32)).astype(np.uint64)) - np.uint64(1)
    found: Array = (wide & mask).astype(np.uint32)
    return found


def _minimum(a: Array, b: Array) -> Array:
    return np.minimum(_signed(a), _signed(b)).view(np.uint32)


def _maximum(a: Array, b: Array) -> Array:
    return np.maximum(_signed(a), _signed(b)).view(np.uint32)


def _low24(a: Array) -> Array:
    found: Array = a & np.uint32(0xFFFFFF)
    return found


#: 32-bit results by what stands behind `s_` or `v_`; scalar and vector forms with the same meaning share a row.
_ARITHMETIC: dict[str, Callable[..., Array]] = {
    "mov_b32": lambda a: a,
    "accvgpr_read_b32": lambda a: a,
    "accvgpr_write_b32": lambda a: a,
    "accvgpr_mov_b32": lambda a: a,
    "not_b32": lambda a: ~a,
    "add_u32": lambda a, b: a + b,
    "add_i32": lambda a, b: a + b,
    "sub_u32": lambda a, b: a - b,
    "sub_i32": lambda a, b: a - b,
    "subrev_u32": lambda a, b: b - a,
    "and_b32": lambda a, b: a & b,
    "or_b32": lambda a, b: a | b,
    "xor_b32": lambda a, b: a ^ b,
    "xnor_b32": lambda a, b: ~(a ^ b),
    "nand_b32": lambda a, b: ~(a & b),
    "nor_b32": lambda a, b: ~(a | b),
    "andn2_b32": lambda a, b: a & ~b,
    "orn2_b32": lambda a, b: a | ~b,
    "lshl_b32": lambda a, b: a << _shift(b),
    "lshr_b32": lambda a, b: a >> _shift(b),
    "ashr_i32": lambda a, b: (_signed(a) >> _shift(b).view(np.int32)).view(np.uint32),
    "lshlrev_b32": lambda a, b: b << _shift(a),
    "lshrrev_b32": lambda a, b: b >> _shift(a),
    "ashrrev_i32": lambda a, b: (_signed(b) >> _shift(a).view(np.int32)).view(np.uint32),
    "mul_i32": lambda a, b: a * b,
    "mul_lo_u32": lambda a, b: a * b,
    "mul_u32_u24": lambda a, b: _low24(a) * _low24(b),
    "mul_i32_i24": lambda a, b: a * b,
    "min_u32": np.minimum,
    "max_u32": np.maximum,
    "min_i32": _minimum,
    "max_i32": _maximum,
    "lshl1_add_u32": lambda a, b: (a << np.uint32(1)) + b,
    "lshl2_add_u32": lambda a, b: (a << np.uint32(2)) + b,
    "lshl3_add_u32": lambda a, b: (a << np.uint32(3)) + b,
    "lshl4_add_u32": lambda a, b: (a << np.uint32(4)) + b,
    "mad_u32_u24": lambda a, b, c: _low24(a) * _low24(b) + c,
    "add3_u32": lambda a, b, c: a + b + c,
    "lshl_add_u32": lambda a, b, c: (a << _shift(b)) + c,
    "add_lshl_u32": lambda a, b, c: (a + b) << _shift(c),
    "xad_u32": lambda a, b, c: (a ^ b) + c,
    "lshl_or_b32": lambda a, b, c: (a << _shift(b)) | c,
    "and_or_b32": lambda a, b, c: (a & b) | c,
    "or3_b32": lambda a, b, c: a | b | c,
    "bfi_b32": lambda a, b, c: (a & b) | (~a & c),
}
_COMPARE: dict[str, Callable[[Any, Any], Any]] = {
    "eq": np.equal,
    "lg": np.not_equal,
    "ne": np.not_equal,
    "gt": np.greater,
    "ge": np.greater_equal,
    "lt": np.less,
    "le": np.less_equal,
}
_WIDE_LOGIC: dict[str, Callable[..., Array]] = {
    "and": lambda a, b: a & b,
    "or": lambda a, b: a | b,
    "xor": lambda a, b: a ^ b,
    "andn2": lambda a, b: a & ~b,
    "orn2": lambda a, b: a | ~b,
    "andn1": lambda a, b: ~a & b,
    "orn1": lambda a, b: ~a | b,
    "nand": lambda a, b: ~(a & b),
    "nor": lambda a, b: ~(a | b),
    "xnor": lambda a, b: ~(a ^ b),
}


class Evaluator:
    """Carries one instruction after another over a set of registers."""

    def __init__(self, registers: Registers) -> None:
        self.registers = registers

    def step(self, ins: Instruction) -> None:
        """Execute `ins`; registers that cannot be computed become unknown."""
        result = self._result(ins)
        if result is None:
            self._forget(ins)
            return
        for bit, value in result.items():
            self._write(ins, bit, value)
        if writes_scc(ins) and SCC not in result:
            self.registers[SCC] = self._unknown(ins)

    def value(self, bit: int) -> Value:
        """What a register holds; SGPRs that nothing wrote came with the launch."""
        return self.registers.get(bit, UNIFORM if bit >= 512 else DIVERGENT)

    def _write(self, ins: Instruction, bit: int, value: Value) -> None:
        if bit >= 512 or "lane" in ins.opcode.flags:
            self.registers[bit] = value
            return
        low, high, old = self.value(EXEC), self.value(EXEC + 1), self.value(bit)
        if isinstance(low, Unknown) or isinstance(high, Unknown):
            self.registers[bit] = value if same(value, old) else DIVERGENT
        elif bool((low == _ALL).all() and (high == _ALL).all()):
            self.registers[bit] = value
        elif isinstance(value, Unknown) or isinstance(old, Unknown):
            self.registers[bit] = DIVERGENT
        else:
            self.registers[bit] = np.where(lanes_of(low, high), value, old)

    def _forget(self, ins: Instruction) -> None:
        unknown = self._unknown(ins)
        for bit in rows(writes(ins)):
            self._write(ins, bit, unknown if bit >= 512 else DIVERGENT)
        if writes_scc(ins):
            self.registers[SCC] = unknown

    def _unknown(self, ins: Instruction) -> Unknown:
        """UNIFORM if all that the instruction reads is."""
        family = ins.opcode.family
        mask = reads(ins) | (1 << SCC if reads_scc(ins) else 0) | (3 << EXEC if family in ("valu", "vopc") else 0)
        known = family in ("salu", "smem", "control", "valu", "vopc")
        return UNIFORM if known and self._all_uniform(mask) else DIVERGENT

    def _all_uniform(self, mask: int) -> bool:
        return all(uniform(self.value(bit)) for bit in rows(mask))

    # Operands

    def _source(self, ins: Instruction, place: int, dword: int = 0) -> Value:
        value, _ = ins.operands[place]
        if value.neg or value.absolute or value.sext:
            return DIVERGENT
        if value.kind == CONSTANT:
            return scalar(value.bits >> 32 * dword)
        if value.kind not in (VGPR, SGPR):
            return DIVERGENT
        return self.value(row(value.kind, value.number + dword))

    def _known(self, ins: Instruction, dword: int = 0) -> list[Array] | None:
        found = []
        for place in (SRC0, SRC1, SRC2):
            if place in ins.operands:
                value = self._source(ins, place, dword)
                if isinstance(value, Unknown):
                    return None
                found.append(value)
        return found

    @staticmethod
    def _destination(ins: Instruction, dword: int = 0, place: int = DST) -> int:
        value, _ = ins.operands[place]
        return row(value.kind, value.number + dword)

    # Instructions

    def _result(self, ins: Instruction) -> dict[int, Value] | None:
        family = ins.opcode.family
        if ins.flags & (SDWA | DPP) or ins.clamp or ins.omod or ins.op_sel:
            return None
        if family == "salu":
            return self._scalar(ins)
        if family == "valu":
            return self._vector(ins)
        return self._compare(ins) if family == "vopc" else None

    def _scalar(self, ins: Instruction) -> dict[int, Value] | None:
        name = ins.mnemonic[2:]
        if name.startswith(("cmp_", "cmpk_", "bitcmp")):
            return self._scalar_compare(ins, name)
        if name.startswith("cselect"):
            return self._select(ins, 2 if name.endswith("b64") else 1)
        if name.endswith("_saveexec_b64"):
            return self._save_exec(ins, name.removesuffix("_saveexec_b64"))
        if name in ("movk_i32", "addk_i32", "mulk_i32"):
            return self._immediate(ins, name)
        if name.endswith("_b64"):
            return self._wide(ins, name.removesuffix("_b64"))
        sources = self._known(ins)
        if sources is None:
            return None
        if name in ("bfe_u32", "bfe_i32"):
            width = (sources[1] >> np.uint32(16)) & np.uint32(127)
            return self._bit_field(ins, name, _bfe(sources[0], sources[1], width), width)
        if name not in _ARITHMETIC:
            return None
        value = _ARITHMETIC[name](*sources)
        return {self._destination(ins): value} | self._condition(ins, name, value, sources)

    def _condition(self, ins: Instruction, name: str, value: Array, sources: list[Array]) -> dict[int, Value]:
        if not writes_scc(ins):
            return {}
        if name == "add_u32":
            return {SCC: (value < sources[0]).astype(np.uint32)}
        if name == "sub_u32":
            return {SCC: (sources[0] < sources[1]).astype(np.uint32)}
        if name.startswith(("add_", "sub_", "lshl1", "lshl2", "lshl3", "lshl4", "min_", "max_")):
            return {}
        return {SCC: (value != 0).astype(np.uint32)}

    def _bit_field(self, ins: Instruction, name: str, value: Array, width: Array) -> dict[int, Value]:
        if name == "bfe_i32":
            sign = np.where(width > 0, np.uint32(1) << ((width - np.uint32(1)) & np.uint32(31)), np.uint32(0))
            value = ((value ^ sign) - sign).astype(np.uint32)
        found: dict[int, Value] = {self._destination(ins): value}
        return found | ({SCC: (value != 0).astype(np.uint32)} if writes_scc(ins) else {})

    def _immediate(self, ins: Instruction, name: str) -> dict[int, Value] | None:
        immediate = scalar(ins.target)
        if name == "movk_i32":
            return {self._destination(ins): immediate}
        old = self.value(self._destination(ins))
        if isinstance(old, Unknown):
            return None
        return {self._destination(ins): old + immediate if name == "addk_i32" else old * immediate}

    def _scalar_compare(self, ins: Instruction, name: str) -> dict[int, Value] | None:
        sources = self._known(ins)
        if sources is None:
            return None
        kind, relation, type_ = (*name.split("_"), "")[:3]
        if relation not in _COMPARE or type_ not in ("i32", "u32"):
            return None
        if kind == "cmpk":
            sources.append(scalar(ins.target))
        a, b = (_signed(s) if type_ == "i32" else s for s in sources)
        return {SCC: np.asarray(_COMPARE[relation](a, b)).astype(np.uint32)}

    def _select(self, ins: Instruction, dwords: int) -> dict[int, Value] | None:
        condition = self.value(SCC)
        found: dict[int, Value] = {}
        for dword in range(dwords):
            a, b = self._source(ins, SRC0, dword), self._source(ins, SRC1, dword)
            if same(a, b):
                found[self._destination(ins, dword)] = a
            elif isinstance(condition, Unknown) or isinstance(a, Unknown) or isinstance(b, Unknown):
                return None
            else:
                found[self._destination(ins, dword)] = np.where(condition != 0, a, b)
        return found

    def _wide(self, ins: Instruction, name: str) -> dict[int, Value] | None:
        if name == "mov":
            return {self._destination(ins, d): self._source(ins, SRC0, d) for d in range(2)}
        if name not in _WIDE_LOGIC:
            return None
        halves = self._halves(ins, name)
        if halves is None:
            return None
        low, high = halves
        scc = ((low | high) != 0).astype(np.uint32)
        return {self._destination(ins): low, self._destination(ins, 1): high, SCC: scc}

    def _halves(self, ins: Instruction, name: str) -> tuple[Array, Array] | None:
        low, high = self._known(ins), self._known(ins, 1)
        if low is None or high is None:
            return None
        return _WIDE_LOGIC[name](*low), _WIDE_LOGIC[name](*high)

    def _save_exec(self, ins: Instruction, name: str) -> dict[int, Value] | None:
        old = [self.value(EXEC), self.value(EXEC + 1)]
        found: dict[int, Value] = {self._destination(ins, d): old[d] for d in range(2)}
        new: list[Value] = []
        for d in range(2):
            a, b = self._source(ins, SRC0, d), old[d]
            known = not isinstance(a, Unknown) and not isinstance(b, Unknown) and name in _WIDE_LOGIC
            new.append(_WIDE_LOGIC[name](a, b) if known else self._unknown(ins))
        found |= {EXEC + d: new[d] for d in range(2)}
        low, high = new
        if isinstance(low, Unknown) or isinstance(high, Unknown):
            return found
        return found | {SCC: ((low | high) != 0).astype(np.uint32)}

    def _vector(self, ins: Instruction) -> dict[int, Value] | None:
        name = ins.mnemonic[2:]
        if name == "cndmask_b32":
            return self._lane_select(ins)
        sources = self._known(ins)
        if sources is None:
            return None
        if name == "readfirstlane_b32":
            return self._first_lane(ins, sources[0])
        if name in ("mbcnt_lo_u32_b32", "mbcnt_hi_u32_b32"):
            return self._count_below(ins, name.startswith("mbcnt_hi"), sources)
        if name in ("bfe_u32", "bfe_i32"):
            width = _shift(sources[2])
            return self._bit_field(ins, name, _bfe(sources[0], sources[1], width), width)
        if name == "bitop3_b32":
            return {self._destination(ins): _bitop3(ins.cbsz, *sources)}
        if name not in _ARITHMETIC or DST2 in ins.operands:
            return None
        return {self._destination(ins): _ARITHMETIC[name](*sources)}

    def _lane_select(self, ins: Instruction) -> dict[int, Value] | None:
        a, b = self._source(ins, SRC0), self._source(ins, SRC1)
        low, high = self._source(ins, SRC2), self._source(ins, SRC2, 1)
        if isinstance(a, Unknown) or isinstance(b, Unknown) or isinstance(low, Unknown) or isinstance(high, Unknown):
            return None
        return {self._destination(ins): np.where(lanes_of(low, high), b, a)}

    def _first_lane(self, ins: Instruction, source: Array) -> dict[int, Value] | None:
        if source.shape[1] == 1:
            return {self._destination(ins): source}
        low, high = self.value(EXEC), self.value(EXEC + 1)
        if isinstance(low, Unknown) or isinstance(high, Unknown):
            return None
        first = np.argmax(lanes_of(low, high), axis=1)
        first = np.broadcast_to(first, (source.shape[0],))
        return {self._destination(ins): np.take_along_axis(source, first[:, None], axis=1)}

    def _count_below(self, ins: Instruction, high: bool, sources: list[Array]) -> dict[int, Value]:
        ones = np.unpackbits(np.ascontiguousarray(sources[0]).astype("<u4").view(np.uint8), axis=1, bitorder="little")
        upto = np.concatenate([np.zeros((ones.shape[0], 1), np.uint32), np.cumsum(ones, axis=1, dtype=np.uint32)], 1)
        lane = np.arange(LANES)
        below = upto[:, np.clip(lane - 32 * high, 0, 32)]
        return {self._destination(ins): below + sources[1]}

    def _compare(self, ins: Instruction) -> dict[int, Value] | None:
        relation, type_ = ins.mnemonic.split("_")[2:4]
        sources = self._known(ins)
        low, high = self.value(EXEC), self.value(EXEC + 1)
        usable = relation in _COMPARE and type_ in ("i32", "u32") and "exec" not in ins.opcode.flags
        if not usable or sources is None or isinstance(low, Unknown) or isinstance(high, Unknown):
            return None
        a, b = (_signed(np.ascontiguousarray(s)) if type_ == "i32" else s for s in sources)
        active = lanes_of(low, high)
        lanes = np.broadcast_to(_COMPARE[relation](a, b), np.broadcast_shapes(a.shape, b.shape, active.shape)) & active
        bits_low, bits_high = mask_of(lanes)
        return {self._destination(ins): bits_low, self._destination(ins, 1): bits_high}


def _bitop3(table: int, a: Array, b: Array, c: Array) -> Array:
    """Bit a << 2 | b << 1 | c of `table`, for every bit (as LLVM's v_bitop3)."""
    found = np.zeros(np.broadcast_shapes(a.shape, b.shape, c.shape), np.uint32)
    for index in range(8):
        if table >> index & 1:
            found |= (a if index & 4 else ~a) & (b if index & 2 else ~b) & (c if index & 1 else ~c)
    return found
