# SPDX-License-Identifier: Apache-2.0
"""A second machine: slow, simple, eager, without checks. Written from the CDNA ISA's definitions, not from the core.

It shares the reader (`oracle.machine.load`) with the machine and nothing else, and knows what the kernels of
tests/porter/specs.py use. Whatever else it meets is a KeyError.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from oracle.machine import Memory, Mode, Program
from oracle.machine.encode import DST, SRC0, SRC1, SRC2, SRC3, Instruction

U32, U64, I32, I64, F32, F64 = np.uint32, np.uint64, np.int32, np.int64, np.float32, np.float64
Array = npt.NDArray[Any]
VCC, M0, EXEC = 106, 124, 126
LANE = np.arange(64)


def e4m3(bias: int, fnuz: bool) -> npt.NDArray[np.float64]:
    """Values of the 256 fp8 codes (OCP E4M3FN, or FNUZ)."""
    result = []
    for code in range(256):
        sign, exponent, fraction = code >> 7, code >> 3 & 15, code & 7
        value = fraction / 8 * 2.0 ** (1 - bias) if exponent == 0 else (1 + fraction / 8) * 2.0 ** (exponent - bias)
        if code == 0x80 if fnuz else code & 0x7F == 0x7F:
            value = float("nan")
        result.append(-value if sign else value)
    return np.array(result)


FP8 = {"gfx950": e4m3(7, False), "gfx942": e4m3(8, True)}


def add_once(x: Array, y: Array) -> Array:
    """x + y of doubles, rounded once to fp32: the error of the double sum makes its last bit sticky."""
    total = x + y
    part = total - x
    error = (x - (total - part)) + (y - part)
    bits = total.view(U64)
    sticky = np.isfinite(error) & (error != 0) & (bits & U64(1) == 0)
    toward = np.nextafter(total, np.where(error > 0, np.inf, -np.inf))
    return np.where(sticky, toward, total).astype(F32)


def fma(a: Array, b: Array, c: Array) -> Array:
    """a * b + c of fp32, rounded once; the product of two fp32 is exact in a double."""
    return add_once(a.astype(F64) * b.astype(F64), c.astype(F64))


def bf16(x: Array) -> Array:
    """fp32 to bf16, nearest even; NaN stays NaN."""
    bits = x.view(U32).astype(U64)
    rounded = (bits + 0x7FFF + (bits >> U64(16) & U64(1))) >> U64(16)
    return np.where(np.isnan(x), bits >> U64(16) | U64(0x40), rounded).astype(U32)


def signed(x: int, bits: int = 32) -> int:
    x &= (1 << bits) - 1
    return x - (1 << bits) if x >> (bits - 1) else x


class Wave:
    """One wave: 512 rows of 64 dwords (accumulation registers from 256), 128 scalars, SCC."""

    def __init__(self, group: Group, number: int) -> None:
        self.group = group
        self.v = np.zeros((512, 64), U32)
        self.s = [0] * 128
        self.scc = 0
        self.v[0] = number * 64 + LANE
        self.exec = (1 << 64) - 1

    @property
    def exec(self) -> int:
        return self.s[EXEC] | self.s[EXEC + 1] << 32

    @exec.setter
    def exec(self, value: int) -> None:
        self.s[EXEC], self.s[EXEC + 1] = value & 0xFFFFFFFF, value >> 32

    @property
    def active(self) -> Array:
        return np.array([self.exec >> lane & 1 for lane in range(64)], bool)

    # Operands

    def scalar(self, ins: Instruction, place: int) -> int:
        value, slot = ins.operands[place]
        if value.kind == "constant":
            return value.bits & ((1 << 32 * min(slot.type.dwords, 2)) - 1)
        assert value.kind == "sgpr", ins.text
        return sum(self.s[value.number + n] << 32 * n for n in range(min(value.dwords, 2)))

    def set_scalar(self, ins: Instruction, result: int) -> None:
        value, _ = ins.operands[DST]
        for n in range(value.dwords):
            self.s[value.number + n] = result >> 32 * n & 0xFFFFFFFF

    def rows(self, ins: Instruction, place: int) -> list[Array]:
        """Dwords of an operand, each a row of 64 lanes."""
        value, _ = ins.operands[place]
        if value.kind == "vgpr":
            return [self.v[value.number + n] for n in range(value.dwords)]
        if value.kind == "sgpr":
            return [np.full(64, self.s[value.number + n], U32) for n in range(value.dwords)]
        assert value.kind == "constant", ins.text
        return [np.full(64, value.bits >> 32 * n & 0xFFFFFFFF, U32) for n in range(value.dwords)]

    def floats(self, ins: Instruction, place: int) -> Array:
        value, _ = ins.operands[place]
        row = self.rows(ins, place)[0].view(F32)
        row = np.abs(row) if value.absolute else row
        return -row if value.neg else row

    def halves(self, ins: Instruction, place: int) -> tuple[Array, Array]:
        """The two fp32 of a packed operand, as op_sel picks them."""
        rows = self.rows(ins, place)
        n = place - SRC0
        low, high = (rows[bits >> n & 1].view(F32) for bits in (ins.op_sel, ins.op_sel_hi))
        return (-low if ins.neg_lo >> n & 1 else low), (-high if ins.neg_hi >> n & 1 else high)

    def put(self, ins: Instruction, rows: Sequence[Array], everywhere: bool = False) -> None:
        value, _ = ins.operands[DST]
        assert value.kind == "vgpr" and value.dwords == len(rows), ins.text
        for n, row in enumerate(rows):
            bits = row.view(U32) if row.dtype == F32 else row.astype(U32)
            self.v[value.number + n] = bits if everywhere else np.where(self.active, bits, self.v[value.number + n])


class Group:
    """One workgroup."""

    def __init__(self, program: Program, memory: Sequence[tuple[int, Array]], lds: int) -> None:
        self.program, self.memory = program, memory
        self.lds = np.full(lds, 0xCD, np.uint8)

    def bytes_at(self, address: int, size: int) -> Array:
        for start, array in self.memory:
            if start <= address and address + size <= start + array.size:
                return array[address - start : address - start + size]
        raise IndexError(f"{size} bytes at {address:#x}")

    def run(self, wave: Wave, entry: int) -> Iterator[None]:
        """Instructions of one wave until its end; stops at each barrier."""
        at = entry
        while True:
            ins = self.program.instructions[at]
            at += 1
            name = ins.mnemonic
            if name == "s_endpgm":
                return
            if name == "s_barrier":
                yield
            elif name in BRANCHES:
                at = ins.target if BRANCHES[name](wave) else at
            elif name not in IDLE:
                step(wave, ins)


IDLE = {"s_waitcnt", "s_nop", "s_setprio", "s_sleep"}
COMPARISONS: dict[str, Callable[[Array, Array], Array]] = {
    "eq": np.equal,
    "ne": np.not_equal,
    "lt": np.less,
    "le": np.less_equal,
    "gt": np.greater,
    "ge": np.greater_equal,
}
BRANCHES: dict[str, Callable[[Wave], object]] = {
    "s_branch": lambda w: True,
    "s_cbranch_scc0": lambda w: not w.scc,
    "s_cbranch_scc1": lambda w: w.scc,
    "s_cbranch_execz": lambda w: w.exec == 0,
}


def as_signed(compare: Callable[[Array, Array], Array], a: Array, b: Array) -> Array:
    return compare(a.view(I32), b.view(I32))


COMPARE: dict[str, Callable[[Array, Array], Array]] = {
    "v_cmp_u_f32": lambda a, b: np.isnan(a.view(F32)) | np.isnan(b.view(F32)),
    **{f"v_cmp_{how}_u32": compare for how, compare in COMPARISONS.items()},
    **{f"v_cmp_{how}_i32": partial(as_signed, compare) for how, compare in COMPARISONS.items()},
}


def step(w: Wave, ins: Instruction) -> None:
    family, name = ins.opcode.family, ins.mnemonic
    if family == "salu":
        salu(w, ins)
    elif family == "smem":
        scalar_load(w, ins)
    elif family == "mfma":
        mfma(w, ins)
    elif family == "ds":
        local(w, ins)
    elif family == "buffer":
        buffer(w, ins)
    elif name == "v_readfirstlane_b32":
        first = int(np.argmax(w.active)) if w.exec else 0
        w.set_scalar(ins, int(w.rows(ins, SRC0)[0][first]))
    elif family == "vopc":
        hit = COMPARE[name](w.rows(ins, SRC0)[0], w.rows(ins, SRC1)[0]) & w.active
        w.set_scalar(ins, sum(1 << lane for lane in range(64) if hit[lane]))
    elif name == "v_cndmask_b32":
        mask = w.scalar(ins, SRC2)
        picked = np.array([mask >> lane & 1 for lane in range(64)], bool)
        w.put(ins, [np.where(picked, w.rows(ins, SRC1)[0], w.rows(ins, SRC0)[0])])
    elif name in PACKED:
        sources = [w.halves(ins, SRC0 + n) for n in range(len(ins.opcode.sources))]
        w.put(ins, [PACKED[name](*(pair[half] for pair in sources)) for half in (0, 1)])
    elif name in FLOATS:
        w.put(ins, [FLOATS[name](*(w.floats(ins, SRC0 + n) for n in range(len(ins.opcode.sources))))])
    elif name == "v_bitop3_b32":
        a, b, c = (w.rows(ins, SRC0 + n)[0] for n in range(3))
        result = np.zeros(64, U32)
        for row in range(8):
            if ins.cbsz >> row & 1:
                result |= (a if row & 4 else ~a) & (b if row & 2 else ~b) & (c if row & 1 else ~c)
        w.put(ins, [result])
    else:
        rows = [w.rows(ins, SRC0 + n)[0].astype(U64) for n in range(len(ins.opcode.sources))]
        w.put(ins, [(INTEGERS[name](*rows) & U64(0xFFFFFFFF)).astype(U32)])


def i64(x: Array) -> Array:
    """A zero-extended dword as a signed number."""
    return x.astype(U32).view(I32).astype(I64)


def perm(a: Array, b: Array, selector: Array) -> Array:
    data, result = a << U64(32) | b, np.zeros(64, U64)
    for n in range(4):
        code = selector >> U64(8 * n) & U64(0xFF)
        assert (code < 8).all()
        result |= (data >> (code * U64(8)) & U64(0xFF)) << U64(8 * n)
    return result


T = U64(31)
INTEGERS: dict[str, Callable[..., Array]] = {
    "v_mov_b32": lambda a: a,
    "v_add_u32": lambda a, b: a + b,
    "v_sub_u32": lambda a, b: a - b,
    "v_and_b32": lambda a, b: a & b,
    "v_or_b32": lambda a, b: a | b,
    "v_xor_b32": lambda a, b: a ^ b,
    "v_lshlrev_b32": lambda a, b: b << (a & T),
    "v_lshrrev_b32": lambda a, b: b >> (a & T),
    "v_min_u32": np.minimum,
    "v_min_i32": lambda a, b: np.minimum(i64(a), i64(b)).view(U64),
    "v_mul_lo_u32": lambda a, b: a * b,
    "v_mul_u32_u24": lambda a, b: (a & U64(0xFFFFFF)) * (b & U64(0xFFFFFF)),
    "v_add3_u32": lambda a, b, c: a + b + c,
    "v_add_lshl_u32": lambda a, b, c: (a + b) << (c & T),
    "v_lshl_add_u32": lambda a, b, c: (a << (b & T)) + c,
    "v_lshl_or_b32": lambda a, b, c: a << (b & T) | c,
    "v_and_or_b32": lambda a, b, c: a & b | c,
    "v_or3_b32": lambda a, b, c: a | b | c,
    "v_bfe_u32": lambda a, b, c: a >> (b & T) & ((U64(1) << (c & T)) - U64(1)),
    "v_perm_b32": perm,
}
FLOATS: dict[str, Callable[..., Array]] = {
    "v_add_f32": lambda a, b: a + b,
    "v_mul_f32": lambda a, b: a * b,
    "v_fma_f32": fma,
    "v_cvt_pk_bf16_f32": lambda a, b: bf16(a) | bf16(b) << U32(16),
    "v_cvt_pk_f16_f32": lambda a, b: a.astype(np.float16).view(np.uint16).astype(U32)
    | b.astype(np.float16).view(np.uint16).astype(U32) << U32(16),
}
PACKED: dict[str, Callable[..., Array]] = {
    "v_pk_mul_f32": lambda a, b: a * b,
    "v_pk_add_f32": lambda a, b: a + b,
    "v_pk_fma_f32": fma,
}


def salu(w: Wave, ins: Instruction) -> None:
    name, imm = ins.mnemonic, ins.target
    sources = [w.scalar(ins, SRC0 + n) for n in range(len(ins.opcode.sources))]
    a, b = [*sources, 0, 0][:2]
    if name in COMPARES:
        w.scc = int(COMPARES[name](a, b))
        return
    if name.startswith("s_cmpk"):
        operation = {"lt": a < imm, "gt": a > imm, "eq": a == imm}[name.split("_")[2]]
        assert name.endswith("u32")
        w.scc = int(operation)
        return
    wide = ins.operands[DST][0].dwords == 2
    mask = (1 << (64 if wide else 32)) - 1
    if name in LOGIC:
        result = LOGIC[name](a, b) & mask
        w.scc = int(result != 0)
    elif name in PLAIN:
        result = PLAIN[name](w, a, b) & mask
    elif name == "s_movk_i32":
        result = imm & mask
    elif name == "s_mulk_i32":
        result = signed(w.scalar(ins, DST)) * imm & mask
    elif name == "s_addk_i32":
        result, w.scc = overflow(signed(w.scalar(ins, DST)) + imm)
        result &= mask
    else:
        result, w.scc = ARITHMETIC[name](w, a, b)
        result &= mask
    w.set_scalar(ins, result)


def overflow(x: int) -> tuple[int, int]:
    return x, int(not -(1 << 31) <= x < 1 << 31)


def bfe(a: int, b: int, is_signed: bool) -> int:
    offset, width = b & 31, b >> 16 & 127
    field = (signed(a) if is_signed else a) >> offset
    if not width:
        return 0
    return signed(field, width) if is_signed and width < 32 else field & ((1 << width) - 1)


COMPARES: dict[str, Callable[[int, int], bool]] = {
    "s_cmp_eq_u32": lambda a, b: a == b,
    "s_cmp_lg_u32": lambda a, b: a != b,
    "s_cmp_lg_u64": lambda a, b: a != b,
    "s_cmp_lt_i32": lambda a, b: signed(a) < signed(b),
    "s_cmp_gt_i32": lambda a, b: signed(a) > signed(b),
    "s_cmp_ge_i32": lambda a, b: signed(a) >= signed(b),
    "s_cmp_lt_u32": lambda a, b: a < b,
}
#: Results whose SCC says that they are not zero.
LOGIC: dict[str, Callable[[int, int], int]] = {
    "s_and_b32": lambda a, b: a & b,
    "s_and_b64": lambda a, b: a & b,
    "s_or_b32": lambda a, b: a | b,
    "s_or_b64": lambda a, b: a | b,
    "s_xor_b32": lambda a, b: a ^ b,
    "s_andn2_b32": lambda a, b: a & ~b,
    "s_lshl_b32": lambda a, b: a << (b & 31),
    "s_lshr_b32": lambda a, b: a >> (b & 31),
    "s_lshl_b64": lambda a, b: a << (b & 63),
    "s_ashr_i32": lambda a, b: signed(a) >> (b & 31),
    "s_bfe_u32": lambda a, b: bfe(a, b, False),
    "s_bfe_i32": lambda a, b: bfe(a, b, True),
}
#: Results that leave SCC alone.
PLAIN: dict[str, Callable[[Wave, int, int], int]] = {
    "s_mov_b32": lambda w, a, b: a,
    "s_mov_b64": lambda w, a, b: a,
    "s_cselect_b32": lambda w, a, b: a if w.scc else b,
    "s_cselect_b64": lambda w, a, b: a if w.scc else b,
    "s_mul_i32": lambda w, a, b: a * b,
    "s_mul_hi_i32": lambda w, a, b: signed(a) * signed(b) >> 32,
    "s_mul_hi_u32": lambda w, a, b: a * b >> 32,
    "s_sext_i32_i8": lambda w, a, b: signed(a, 8),
    "s_sext_i32_i16": lambda w, a, b: signed(a, 16),
}
ARITHMETIC: dict[str, Callable[[Wave, int, int], tuple[int, int]]] = {
    "s_add_u32": lambda w, a, b: (a + b, a + b >> 32),
    "s_addc_u32": lambda w, a, b: (a + b + w.scc, a + b + w.scc >> 32),
    "s_sub_u32": lambda w, a, b: (a - b, int(b > a)),
    "s_subb_u32": lambda w, a, b: (a - b - w.scc, int(b + w.scc > a)),
    "s_add_i32": lambda w, a, b: overflow(signed(a) + signed(b)),
    "s_sub_i32": lambda w, a, b: overflow(signed(a) - signed(b)),
    **{f"s_lshl{n}_add_u32": lambda w, a, b, n=n: ((a << n) + b, int((a << n) + b > 0xFFFFFFFF)) for n in (1, 2, 3, 4)},
    "s_min_i32": lambda w, a, b: (min(signed(a), signed(b)), int(signed(a) < signed(b))),
    "s_max_i32": lambda w, a, b: (max(signed(a), signed(b)), int(signed(a) > signed(b))),
    "s_min_u32": lambda w, a, b: (min(a, b), int(a < b)),
}


def scalar_load(w: Wave, ins: Instruction) -> None:
    value, _ = ins.operands[DST]
    base, _ = ins.operands[SRC0]
    offset = ins.offset0 + (w.scalar(ins, SRC1) if SRC1 in ins.operands else 0)
    d = w.s[base.number : base.number + base.dwords]
    is_buffer = "buffer" in ins.mnemonic
    start = d[0] | (d[1] & 0xFFFF if is_buffer else d[1]) << 32
    for n in range(value.dwords):
        if is_buffer and offset + 4 * n + 4 > d[2]:
            w.s[value.number + n] = 0
        else:
            w.s[value.number + n] = int.from_bytes(w.group.bytes_at(start + offset + 4 * n, 4).tobytes(), "little")


def buffer(w: Wave, ins: Instruction) -> None:
    descriptor, _ = ins.operands[SRC2]
    d = w.s[descriptor.number : descriptor.number + 4]
    assert d[1] >> 16 == 0, "a structured buffer"
    soffset = w.scalar(ins, SRC3)
    size = ins.width
    base = (d[0] | (d[1] & 0xFFFF) << 32) + soffset
    voffset = w.rows(ins, SRC1)[0] if SRC1 in ins.operands else np.zeros(64, U32)
    offsets = [int(x) + ins.offset0 for x in voffset]
    active = w.active
    inside = [bool(active[lane]) and offsets[lane] + size <= d[2] - soffset for lane in range(64)]
    if "store" in ins.mnemonic:
        data = np.stack(w.rows(ins, SRC0), axis=1).view(np.uint8)
        for lane in range(64):
            if inside[lane]:
                w.group.bytes_at(base + offsets[lane], size)[:] = data[lane, :size]
        return
    loaded = np.zeros((64, size), np.uint8)
    for lane in range(64):
        if inside[lane]:
            loaded[lane] = w.group.bytes_at(base + offsets[lane], size)
    if " lds" not in ins.text:
        assert size % 4 == 0
        w.put(ins, list(loaded.view(U32).T))
        return
    to = (w.s[M0] & 0x3FFFF) + ins.offset0
    for lane in range(64):
        if active[lane]:
            w.group.lds[to + lane * size : to + (lane + 1) * size] = loaded[lane]


def local(w: Wave, ins: Instruction) -> None:
    address, lds, size = w.rows(ins, SRC0)[0], w.group.lds, ins.width
    if ins.mnemonic == "ds_bpermute_b32":
        lane_of = (address + ins.offset0) // 4 % 64
        w.put(ins, [np.where(w.active, w.rows(ins, SRC1)[0], 0)[lane_of]])
        return
    if "write" in ins.mnemonic:
        data = np.stack(w.rows(ins, SRC1), axis=1).view(np.uint8)
        for lane in np.flatnonzero(w.active):
            at = int(address[lane]) + ins.offset0
            lds[at : at + size] = data[lane, :size]
        return
    starts = [ins.offset0] if "two" not in ins.opcode.flags else [ins.offset0, ins.offset1]
    parts = [address.astype(I64)[:, None] + start + np.arange(size) for start in starts]
    index = np.concatenate(parts, axis=1)
    index[~w.active] = 0
    w.put(ins, list(np.ascontiguousarray(lds[index]).view(U32).T))


def mfma(w: Wave, ins: Instruction) -> None:
    """16x16 results of fp8: exact dot plus C, one rounding. EXEC plays no part."""
    assert ins.mnemonic in ("v_mfma_f32_16x16x128_f8f6f4", "v_mfma_f32_16x16x32_fp8_fp8") and not ins.cbsz | ins.blgp
    table = FP8[w.group.program.arch]
    a, b = (
        table[np.stack(w.rows(ins, place), axis=1).view(np.uint8)].reshape(4, 16, -1).transpose(1, 0, 2).reshape(16, -1)
        for place in (SRC0, SRC1)
    )
    c = np.stack((w.rows(ins, SRC2) * 4)[:4]).view(F32)  # [register][lane]; an inline constant is one row
    dot = a @ b.T  # exact: fp8 products are multiples of 2^-20 and the sum is below 2^33
    row, column = 4 * (LANE // 16), LANE % 16
    result = [add_once(dot[row + r, column], c[r].astype(F64)) for r in range(4)]
    w.put(ins, result, everywhere=True)


class Interpreter:
    """Stands in for a Program where only `launch` is called."""

    def __init__(self, program: Program) -> None:
        self.program = program

    def launch(
        self,
        grid: Sequence[int],
        block: Sequence[int],
        kernarg: Sequence[int],
        memory: Memory,
        mode: Mode,
        kernel: str | None = None,
    ) -> None:
        chosen = self.program.kernel(kernel)
        descriptor = chosen.descriptor
        assert descriptor.user_sgprs == ("kernarg_segment_ptr",) and descriptor.workgroup_ids == (True, False, False)
        assert descriptor.mode & 0xFF == 0xF0, "nearest even, denormals kept"
        segment = bytearray(chosen.kernarg_bytes)
        for argument, value in zip(chosen.arguments, kernarg, strict=True):
            segment[argument.offset : argument.offset + argument.size] = int(value).to_bytes(argument.size, "little")
        address = 1 << 50
        regions = [(r.address, r.array.reshape(-1).view(np.uint8)) for r in memory.regions.values()]
        regions.append((address, np.frombuffer(segment, np.uint8)))
        for number in range(grid[0] * grid[1] * grid[2]):
            group = Group(self.program, regions, chosen.lds_bytes)
            runs = []
            for n in range(-(-block[0] * block[1] * block[2] // 64)):
                wave = Wave(group, n)
                wave.s[0], wave.s[1], wave.s[2] = address & 0xFFFFFFFF, address >> 32, number
                runs.append(group.run(wave, self.program.labels[chosen.symbol]))
            # A barrier waits for every wave that has not ended.
            while runs:
                runs = [run for run in runs if next(run, self) is not self]
