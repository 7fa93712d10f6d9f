# SPDX-License-Identifier: Apache-2.0
"""LDS, vector memory, atomics, accumulation registers and EXEC against descriptions in numpy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from oracle.machine import ExecutionError, Mode, ProgramError
from oracle.machine.check_examples import kernel_text
from tests.oracle.machine.bench import LANES, Words, as_f32, f32, lanes_of, launch, load

U8, U32 = np.uint8, np.uint32
LANE = np.arange(LANES)
#: Alternating groups, so that both active and inactive lanes meet every row and bank of lanes.
SOME = 0xF0C3_A55A_00FF_8001
ACTIVE = np.array([SOME >> lane & 1 for lane in range(64)], bool)
SET_EXEC = f"\ts_mov_b32 exec_lo, {SOME & 0xFFFFFFFF:#x}\n\ts_mov_b32 exec_hi, {SOME >> 32:#x}\n"
MODES = [Mode(), Mode(landing="late"), Mode(checks=True)]
modes = pytest.mark.parametrize("mode", MODES, ids=["eager", "late", "checked"])
#: kind: (bytes, what a load makes of them, as a little-endian dtype)
KINDS = {"ubyte": "<u1", "sbyte": "<i1", "ushort": "<u2", "sshort": "<i2"}
HALVES = ("", "_d16", "_d16_hi")
DS_KINDS = {"u8": "<u1", "i8": "<i1", "u16": "<u2", "i16": "<i2"}


def words(seed: int, count: int = LANES) -> Words:
    return np.random.default_rng(seed).integers(0, 1 << 32, count, dtype=U32)


def dwords_at(raw: Any, addresses: Any, count: int) -> Words:
    """[count, lanes] dwords of little-endian bytes."""
    return np.array(
        [[int.from_bytes(raw[a + 4 * n : a + 4 * n + 4].tobytes(), "little") for a in addresses] for n in range(count)],
        U32,
    )


def fill_lds() -> tuple[str, Words]:
    """Code that fills 2 KiB of LDS with known dwords, and the bytes."""
    data = np.concatenate([words(30 + n) for n in range(8)])
    code = "".join(f"\tds_write_b32 v2, v{10 + n} offset:{256 * n}\n" for n in range(8))
    return code + "\ts_waitcnt lgkmcnt(0)\n", data


def lds_rows() -> list[Words]:
    return [words(30 + n) for n in range(8)]


DS_READS = {
    "ds_read_b32 v40, v18 offset:12": (4, [12]),
    "ds_read_b64 v[40:41], v18 offset:8": (8, [8]),
    "ds_read_b96 v[40:42], v18 offset:16": (12, [16]),
    "ds_read_b128 v[40:43], v18 offset:32": (16, [32]),
    "ds_read2_b32 v[40:41], v18 offset0:3 offset1:7": (4, [12, 28]),
    "ds_read2_b64 v[40:43], v18 offset0:1 offset1:9": (8, [8, 72]),
    "ds_read2st64_b32 v[40:41], v18 offset0:1 offset1:2": (4, [256, 512]),
    "ds_read2st64_b64 v[40:43], v18 offset1:1": (8, [0, 512]),
}


@modes
@pytest.mark.parametrize("text", DS_READS)
def test_lds_reads(text: str, mode: Mode) -> None:
    size, offsets = DS_READS[text]
    code, data = fill_lds()
    at = (words(1) % 64 * 16).astype(U32)
    count = size // 4 * len(offsets)
    body = code + SET_EXEC + f"\t{text}"
    setup = "".join(f"\tv_mov_b32_e32 v{40 + n}, -1\n" for n in range(count))
    actual = lanes_of(body, [*lds_rows(), at], count, setup=setup, mode=mode)
    expected = np.concatenate([dwords_at(data.view(U8), at + o, size // 4) for o in offsets])
    assert np.array_equal(actual, np.where(ACTIVE, expected, 0xFFFFFFFF))


@modes
@pytest.mark.parametrize(("text", "bits"), [("b64_tr_b4", 4), ("b64_tr_b8", 8), ("b64_tr_b16", 16), ("b96_tr_b6", 6)])
def test_transposing_lds_reads(text: str, bits: int, mode: Mode) -> None:
    """16 lanes hold rows of 16 elements between them, wherever each lane's piece lies; lane i gets column i."""
    size = int(text[1:3]) // 8
    code, data = fill_lds()
    at = (np.random.default_rng(7).permutation(LANES) * 16).astype(U32)
    destination = f"v[40:{39 + size // 4}]"
    actual = lanes_of(code + f"\tds_read_{text} {destination}, v18 offset:16", [*lds_rows(), at], size // 4, mode=mode)
    raw = data.view(U8)
    pieces = np.array([np.unpackbits(raw[a + 16 : a + 16 + size], bitorder="little") for a in at])
    rows = pieces.reshape(4, -1, 16, bits)  # group, row, column, bit
    columns = np.ascontiguousarray(rows.transpose(0, 2, 1, 3)).reshape(LANES, 8 * size)
    expected = np.packbits(columns, axis=1, bitorder="little").view(U32).T
    assert np.array_equal(actual, expected)


def test_a_transposing_read_needs_every_lane() -> None:
    with pytest.raises(ExecutionError, match="EXEC") as caught:
        lanes_of(SET_EXEC + "\tds_read_b64_tr_b8 v[40:41], v2", [], 2)
    assert caught.value.code == "CKM116"


@modes
@pytest.mark.parametrize(
    ("kind", "half"), [(kind, half) for kind in DS_KINDS for half in HALVES if kind != "i16" or not half]
)
def test_narrow_lds_reads(kind: str, half: str, mode: Mode) -> None:
    code, data = fill_lds()
    kind_of = np.dtype(DS_KINDS[kind])
    at = (words(2) % 1024 * kind_of.itemsize).astype(U32)
    old = words(3)
    actual = lanes_of(
        code + f"\tv_mov_b32_e32 v40, v19\n\tds_read_{kind}{half} v40, v18", [*lds_rows(), at, old], mode=mode
    )
    value = data.view(kind_of)[at // kind_of.itemsize].astype(np.int64) & 0xFFFFFFFF
    merged = {"": value, "_d16": old & 0xFFFF0000 | value & 0xFFFF, "_d16_hi": old & 0xFFFF | (value & 0xFFFF) << 16}
    assert actual[0].tolist() == merged[half].tolist()


DS_WRITES = {
    "ds_write_b8 v18, v10 offset:1": [(1, 1, 0)],
    "ds_write_b16 v18, v10 offset:2": [(2, 2, 0)],
    "ds_write_b8_d16_hi v18, v10": [(0, 1, 2)],
    "ds_write_b16_d16_hi v18, v10": [(0, 2, 2)],
    "ds_write_b32 v18, v10": [(0, 4, 0)],
    "ds_write_b64 v18, v[10:11] offset:8": [(8, 8, 0)],
    "ds_write_b96 v18, v[10:12]": [(0, 12, 0)],
    "ds_write_b128 v18, v[10:13] offset:16": [(16, 16, 0)],
    "ds_write2_b32 v18, v10, v11 offset0:1 offset1:5": [(4, 4, 0), (20, 4, 4)],
    "ds_write2_b64 v18, v[10:11], v[12:13] offset0:1 offset1:2": [(8, 8, 0), (16, 8, 8)],
    "ds_write2st64_b32 v18, v10, v11 offset1:9": [(0, 4, 0), (2304, 4, 4)],
    "ds_write2st64_b64 v18, v[10:11], v[12:13] offset0:5 offset1:9": [(2560, 8, 0), (4608, 8, 8)],
}


@modes
@pytest.mark.parametrize("text", DS_WRITES)
def test_lds_writes(text: str, mode: Mode) -> None:
    """Each active lane's bytes go to its own 32, in a memory of 8 KiB that was zero; read back by dwords."""
    zero = "\tv_mov_b32_e32 v30, 0\n" + "".join(f"\tds_write_b32 v2, v30 offset:{256 * n}\n" for n in range(32))
    body = zero + f"\ts_waitcnt lgkmcnt(0)\n{SET_EXEC}\t{text}\n\ts_mov_b64 exec, -1\n\ts_waitcnt lgkmcnt(0)\n"
    rows = [words(60 + n) for n in range(8)]
    at = (np.random.default_rng(4).permutation(LANES) * 32).astype(U32)
    lds = np.zeros(8192, U8)
    data = np.stack(rows[:4], axis=1).copy().view(U8)
    for lane in LANE[ACTIVE]:
        for offset, size, first in DS_WRITES[text]:
            lds[at[lane] + offset : at[lane] + offset + size] = data[lane, first : first + size]
    for half in (0, 16):
        reads = "".join(f"\tds_read_b32 v{40 + n}, v2 offset:{256 * (half + n)}\n" for n in range(16))
        actual = lanes_of(body + reads, [*rows, at], 16, mode=mode)
        assert actual.reshape(-1).tolist() == lds.view(U32)[64 * half :][:1024].tolist()


def half_sum(a: int, b: int, kind: str) -> int:
    """Two packed sums, nearest even."""
    result = 0
    for shift in (0, 16):
        x, y = a >> shift & 0xFFFF, b >> shift & 0xFFFF
        if kind == "f16":
            total = np.array([x, y], np.uint16).view(np.float16)
            bits = int(np.float16(total[0] + total[1]).view(np.uint16))
        else:
            wide = f32_sum(x << 16, y << 16)
            bits = wide + 0x7FFF + (wide >> 16 & 1) >> 16
        result |= (bits & 0xFFFF) << shift
    return result


def s(x: int) -> int:
    return x - (1 << 32) if x >> 31 else x


def f32_sum(a: int, b: int) -> int:
    return int((np.array([a], U32).view(np.float32) + np.array([b], U32).view(np.float32)).view(U32)[0])


ATOMICS: dict[str, Callable[[int, int], int]] = {
    "add": lambda old, x: old + x,
    "sub": lambda old, x: old - x,
    "smin": lambda old, x: min(s(old), s(x)),
    "umin": min,
    "smax": lambda old, x: max(s(old), s(x)),
    "umax": max,
    "and": lambda old, x: old & x,
    "or": lambda old, x: old | x,
    "xor": lambda old, x: old ^ x,
    "swap": lambda old, x: x,
    "inc": lambda old, x: 0 if old >= x else old + 1,
    "dec": lambda old, x: x if old == 0 or old > x else old - 1,
    "add_f32": f32_sum,
    "pk_add_f16": lambda old, x: half_sum(old, x, "f16"),
    "pk_add_bf16": lambda old, x: half_sum(old, x, "bf16"),
}
DS_ATOMICS = {
    "add_u32": "add", "sub_u32": "sub", "min_i32": "smin", "min_u32": "umin", "max_i32": "smax", "max_u32": "umax",
    "and_b32": "and", "or_b32": "or", "xor_b32": "xor", "inc_u32": "inc", "dec_u32": "dec", "add_f32": "add_f32",
    "pk_add_f16": "pk_add_f16", "pk_add_bf16": "pk_add_bf16",
}  # fmt: skip


def atomic_words(name: str, seed: int) -> Words:
    """Values that the operation can tell apart; finite for floats."""
    rng = np.random.default_rng(seed)
    if name == "add_f32":
        return f32(rng.normal(0, 3, LANES))
    if name == "pk_add_f16":
        return rng.normal(0, 3, 2 * LANES).astype(np.float16).view(U32)
    if name == "pk_add_bf16":
        high = rng.normal(0, 3, (2, LANES)).astype(np.float32).view(U32)
        return high[0] >> U32(16) | high[1] & U32(0xFFFF0000)
    if name in ("inc", "dec"):
        return rng.integers(0, 3, LANES, dtype=U32)
    return words(seed)


def chain(name: str, start: Words, values: Words, cells: Any) -> tuple[list[int], list[int]]:
    """Lanes in ascending order; returns the memory after and what each lane saw."""
    memory, seen = [int(x) for x in start], []
    for lane in LANE:
        if not ACTIVE[lane]:
            seen.append(0xFFFFFFFF)
            continue
        seen.append(memory[cells[lane]])
        memory[cells[lane]] = ATOMICS[name](memory[cells[lane]], int(values[lane])) & 0xFFFFFFFF
    return memory, seen


CELLS = np.random.default_rng(8).integers(0, 20, LANES)


@modes
@pytest.mark.parametrize("form", ["global", "global saddr", "flat", "buffer"])
@pytest.mark.parametrize("name", ATOMICS)
def test_memory_atomics(name: str, form: str, mode: Mode) -> None:
    values, start = atomic_words(name, 5), atomic_words(name, 6)
    result = np.zeros((2, LANES), U32)
    memory = start.copy()
    address = {
        "global": "global_atomic_{} {}v[20:21], v11, off{}",
        "global saddr": "global_atomic_{} {}v10, v11, s[8:9]{}",
        "flat": "flat_atomic_{} {}v[20:21], v11{}",
        "buffer": "buffer_atomic_{0} v12, v10, s[8:11], 0 offen{2}",
    }[form]
    for sc0 in ("", " sc0"):
        memory[:] = start
        text = address.format(name, "v12, " if sc0 and form != "buffer" else "", sc0)
        body = f"""
\ts_load_dwordx4 s[4:7], s[0:1], 0x0
\ts_load_dwordx2 s[8:9], s[0:1], 0x10
\tv_lshlrev_b32_e32 v2, 2, v0
\ts_movk_i32 s10, 0x100
\ts_mov_b32 s11, 0x27000
\ts_waitcnt lgkmcnt(0)
\tglobal_load_dword v10, v2, s[6:7]
\tglobal_load_dword v11, v2, s[6:7] offset:256
\tv_mov_b32_e32 v12, -1
\tv_mov_b32_e32 v13, s9
\ts_waitcnt vmcnt(0)
{"	v_mov_b32_e32 v12, v11" if form == "buffer" else ""}
\tv_add_co_u32_e32 v20, vcc, s8, v10
\tv_addc_co_u32_e32 v21, vcc, 0, v13, vcc
{SET_EXEC}\t{text}
\ts_mov_b64 exec, -1
\ts_waitcnt vmcnt(0) lgkmcnt(0)
\tglobal_store_dword v2, v12, s[4:5]"""
        launch(body, [result, np.stack([CELLS.astype(U32) * 4, values]), memory], mode=mode)
        after, seen = chain(name, start, values, CELLS)
        assert memory.tolist() == after
        if sc0:
            assert result[0][ACTIVE].tolist() == np.array(seen)[ACTIVE].tolist()
            assert (result[0][~ACTIVE] == (values if form == "buffer" else np.full(LANES, 0xFFFFFFFF))[~ACTIVE]).all()


@modes
@pytest.mark.parametrize("name", DS_ATOMICS)
def test_lds_atomics(name: str, mode: Mode) -> None:
    operation = DS_ATOMICS[name]
    values, start = atomic_words(operation, 5), atomic_words(operation, 6)
    stem, _, kind = name.rpartition("_")
    after, seen = chain(operation, start, values, CELLS)
    for text in (f"ds_{name} v10, v11", f"ds_{stem}_rtn_{kind} v40, v10, v11"):
        body = f"\tds_write_b32 v2, v12\n\tv_mov_b32_e32 v40, -1\n\ts_waitcnt lgkmcnt(0)\n{SET_EXEC}\t{text}\n"
        body += "\ts_mov_b64 exec, -1\n\ts_waitcnt lgkmcnt(0)\n\tds_read_b32 v41, v2"
        actual = lanes_of(body, [CELLS.astype(U32) * 4, values, start], 2, mode=mode)
        assert actual[1].tolist() == after
        if "rtn" in text:
            assert actual[0].tolist() == seen


@modes
def test_compare_and_swap(mode: Mode) -> None:
    start = words(6)
    compare = np.where(LANE % 3 == 0, start, start + U32(1)).astype(U32)
    new = words(7)
    expected = np.where(LANE % 3 == 0, new, start)
    body = "\tds_write_b32 v2, v10\n\ts_waitcnt lgkmcnt(0)\n\tds_cmpst_rtn_b32 v40, v2, v11, v12\n"
    body += "\tglobal_store_dword v2, v10, s[4:5]\n\tv_mov_b32_e32 v14, v12\n\tv_mov_b32_e32 v15, v11\n"
    body += "\ts_waitcnt vmcnt(0)\n"
    body += "\tglobal_atomic_cmpswap v42, v2, v[14:15], s[4:5] sc0\n\ts_waitcnt vmcnt(0) lgkmcnt(0)\n"
    body += "\tds_read_b32 v41, v2\n\tglobal_load_dword v43, v2, s[4:5]"
    actual = lanes_of(body, [start, compare, new], 4, mode=mode)
    assert [row.tolist() for row in actual] == [x.tolist() for x in (start, expected, start, expected)]


def test_64_bit_atomics() -> None:
    start = np.random.default_rng(1).normal(0, 3, LANES)
    value = np.random.default_rng(2).normal(0, 3, LANES)
    memory = start.copy()
    body = """
\ts_load_dwordx4 s[4:7], s[0:1], 0x0
\tv_lshlrev_b32_e32 v2, 3, v0
\ts_waitcnt lgkmcnt(0)
\tglobal_load_dwordx2 v[10:11], v2, s[6:7]
\ts_waitcnt vmcnt(0)
\tglobal_atomic_{} v2, v[10:11], s[4:5]"""
    launch(body.format("add_f64"), [memory, value])
    assert memory.tolist() == (start + value).tolist()
    whole = start.view(np.uint64).copy()
    launch(body.format("add_x2"), [whole, value])
    assert whole.tolist() == (start.view(np.uint64) + value.view(np.uint64)).tolist()


# Lane exchange


def exchanged(source: Words, lanes: Any) -> list[int]:
    return [int(source[n]) if ACTIVE[n] else 0 for n in lanes]


SWIZZLES: dict[str, Callable[[int], int]] = {
    "swizzle(QUAD_PERM,3,1,0,2)": lambda l: l & ~3 | (3, 1, 0, 2)[l & 3],
    "swizzle(SWAP,4)": lambda l: l ^ 4,
    "swizzle(REVERSE,8)": lambda l: l & ~7 | 7 - (l & 7),
    "swizzle(BROADCAST,8,5)": lambda l: l & ~7 | 5,
    'swizzle(BITMASK_PERM,"01pip")': lambda l: l & 32 | 8 | l & 4 | (l ^ 2) & 2 | l & 1,
    "swizzle(ROTATE,0,3)": lambda l: l & 32 | (l + 3) & 31,
    "swizzle(ROTATE,1,3)": lambda l: l & 32 | (l - 3) & 31,
    # The low five bits of a rotation are kept of the lane's own number: here within eights.
    str(0xC000 | 3 << 5 | 0x18): lambda l: l & 56 | (l + 3) & 7,
}


@modes
@pytest.mark.parametrize("control", SWIZZLES)
def test_swizzle(control: str, mode: Mode) -> None:
    source = words(9)
    body = f"\tv_mov_b32_e32 v40, -1\n{SET_EXEC}\tds_swizzle_b32 v40, v10 offset:{control}"
    expected = np.where(ACTIVE, exchanged(source, [SWIZZLES[control](lane) for lane in range(64)]), 0xFFFFFFFF)
    assert lanes_of(body, [source], mode=mode)[0].tolist() == expected.tolist()


def test_fft_swizzles_are_refused() -> None:
    with pytest.raises(ProgramError, match="FFT") as caught:
        load(kernel_text("\tds_swizzle_b32 v40, v10 offset:57345"))
    assert caught.value.code == "CKM022"


@modes
def test_permutes(mode: Mode) -> None:
    source, to = words(9), (words(10) % 64 * 4 + words(11) % 4).astype(U32)
    body = f"\tv_mov_b32_e32 v40, -1\n\tv_mov_b32_e32 v41, -1\n{SET_EXEC}\tds_bpermute_b32 v40, v11, v10 offset:8\n"
    actual = lanes_of(body + "\tds_permute_b32 v41, v11, v10 offset:8", [source, to], 2, mode=mode)
    pulled = np.where(ACTIVE, exchanged(source, ((to + 8) // 4) & 63), 0xFFFFFFFF)
    pushed = np.zeros(64, np.int64)
    for lane in LANE[ACTIVE]:
        pushed[(to[lane] + 8) // 4 & 63] = source[lane]
    assert actual[0].tolist() == pulled.tolist()
    assert actual[1].tolist() == np.where(ACTIVE, pushed, 0xFFFFFFFF).tolist()


# Vector memory

FORMS = {
    "global off": "global_{} {}v[20:21], {}off offset:24",
    "global saddr": "global_{} {}v10, {}s[8:9] offset:24",
    "flat": "flat_{} {}v[20:21]{} offset:24",
    "buffer offen": "buffer_{} {}v10, s[8:11], 0 offen offset:24",
    "buffer soffset": "buffer_{} {}v10, s[8:11], s12 offen offset:16",
    "buffer idxen": "buffer_{} {}v22, s[16:19], 0 idxen offset:24",
    "buffer both": "buffer_{} {}v[22:23], s[16:19], 0 idxen offen offset:16",
}
forms = pytest.mark.parametrize("form", FORMS)
#: Where the lanes' 32 bytes lie: 40 apart, in another order.
SLOTS = np.random.default_rng(12).permutation(LANES)
ADDRESS = f"""
\ts_load_dwordx4 s[4:7], s[0:1], 0x0
\ts_load_dwordx2 s[8:9], s[0:1], 0x10
\tv_lshlrev_b32_e32 v2, 2, v0
\ts_movk_i32 s10, 0x{LANES * 40 + 64:x}
\ts_mov_b32 s11, 0x27000
\ts_mov_b32 s12, 8
\ts_waitcnt lgkmcnt(0)
\ts_mov_b32 s16, s8
\ts_or_b32 s17, s9, {40 << 16:#x}
\ts_movk_i32 s18, 0x40
\ts_mov_b32 s19, 0x27000
\tv_mov_b32_e32 v23, 8
\tv_mov_b32_e32 v13, s9
\tglobal_load_dword v22, v2, s[6:7]
\ts_waitcnt vmcnt(0)
\tv_mul_u32_u24_e32 v10, 40, v22
\tv_add_co_u32_e32 v20, vcc, s8, v10
\tv_addc_co_u32_e32 v21, vcc, 0, v13, vcc
"""


def load_text(form: str, operation: str, destination: str) -> str:
    pattern = FORMS[form]
    if form == "flat":
        return pattern.format(operation, destination + ", ", "")
    return pattern.format(operation, destination + ", ", *([""] if form.startswith("global") else []))


def store_text(form: str, operation: str, data: str) -> str:
    pattern = FORMS[form]
    if form.startswith("buffer"):
        return pattern.format(operation, data + ", ")
    return pattern.format(operation, "", f", {data}" if form == "flat" else data + ", ")


def loads(form: str, operation: str, count: int, mode: Mode, raw: Any) -> Words:
    result = np.zeros((count, LANES), U32)
    registers = "v40" if count == 1 else f"v[40:{39 + count}]"
    body = ADDRESS + "".join(f"\tv_mov_b32_e32 v{40 + n}, 0x7654321\n" for n in range(count)) + SET_EXEC
    body += f"\t{load_text(form, operation, registers)}\n\ts_mov_b64 exec, -1\n\ts_waitcnt vmcnt(0) lgkmcnt(0)\n"
    body += "".join(f"\tglobal_store_dword v2, v{40 + n}, s[4:5] offset:{256 * n}\n" for n in range(count))
    launch(body, [result, SLOTS.astype(U32), raw], mode=mode)
    return result


@modes
@forms
@pytest.mark.parametrize("count", [1, 2, 3, 4])
def test_wide_loads(form: str, count: int, mode: Mode) -> None:
    raw = words(13, LANES * 10 + 16)
    suffix = "" if count == 1 else f"x{count}"
    expected = dwords_at(raw.view(U8), SLOTS * 40 + 24, count)
    if form.startswith("buffer i") or form == "buffer both":
        # A structured element is in range as a whole: 24 + 16 bytes of 40.
        assert 24 + 4 * count <= 40
    assert np.array_equal(loads(form, f"load_dword{suffix}", count, mode, raw), np.where(ACTIVE, expected, 0x7654321))


@forms
@pytest.mark.parametrize(
    ("kind", "half"), [(kind, half) for kind in KINDS for half in HALVES if kind != "ushort" or not half]
)
def test_narrow_loads(form: str, kind: str, half: str) -> None:
    raw = words(14, LANES * 10 + 16)
    kind_of = np.dtype(KINDS[kind])
    name = "short" if half and kind == "sshort" else kind
    value = raw.view(kind_of)[(SLOTS * 40 + 24) // kind_of.itemsize].astype(np.int64) & 0xFFFFFFFF
    old = 0x7654321
    merged = {"": value, "_d16": old & 0xFFFF0000 | value & 0xFFFF, "_d16_hi": old & 0xFFFF | (value & 0xFFFF) << 16}
    for mode in MODES:
        actual = loads(form, f"load_{name}{half}", 1, mode, raw)
        assert actual[0].tolist() == np.where(ACTIVE, merged[half], old).tolist()


@forms
@pytest.mark.parametrize(
    ("operation", "size", "first"),
    [
        ("store_byte", 1, 0),
        ("store_short", 2, 0),
        ("store_byte_d16_hi", 1, 2),
        ("store_short_d16_hi", 2, 2),
        ("store_dword", 4, 0),
        ("store_dwordx2", 8, 0),
        ("store_dwordx3", 12, 0),
        ("store_dwordx4", 16, 0),
    ],
)
def test_stores(form: str, operation: str, size: int, first: int) -> None:
    count = max(1, size // 4)
    data = [words(15 + n) for n in range(count)]
    registers = "v40" if count == 1 else f"v[40:{39 + count}]"
    body = ADDRESS + "".join(
        f"\tglobal_load_dword v{40 + n}, v2, s[6:7] offset:{256 * n + 256}\n" for n in range(count)
    )
    body += f"\ts_waitcnt vmcnt(0)\n{SET_EXEC}\t{store_text(form, operation, registers)}"
    for mode in MODES:
        raw = np.zeros(LANES * 40 + 64, U8)
        expected = raw.copy()
        for lane in LANE[ACTIVE]:
            source = b"".join(int(row[lane]).to_bytes(4, "little") for row in data)
            at = SLOTS[lane] * 40 + 24
            expected[at : at + size] = list(source[first : first + size])
        launch(body, [np.zeros(1, U32), np.stack([SLOTS.astype(U32), *data]), raw], mode=mode)
        assert raw.tolist() == expected.tolist()


@pytest.mark.parametrize("form", ["buffer", "global"])
@pytest.mark.parametrize(("suffix", "size"), [("dword", 4), ("dwordx3", 12), ("dwordx4", 16)])
def test_loads_to_lds(form: str, suffix: str, size: int) -> None:
    raw = words(16, LANES * 10 + 16)
    text = {
        "buffer": f"buffer_load_{suffix} v10, s[8:11], s12 offen offset:16 lds",
        "global": f"global_load_lds_{suffix} v10, s[8:9] offset:16",
    }[form]
    clear = "\tv_mov_b32_e32 v30, -1\n" + "".join(f"\tds_write_b32 v2, v30 offset:{256 * n}\n" for n in range(6))
    body = (
        ADDRESS + clear + f"\ts_movk_i32 m0, 0x40\n\ts_waitcnt lgkmcnt(0)\n{SET_EXEC}\t{text}\n\ts_mov_b64 exec, -1\n"
    )
    body += "\ts_waitcnt vmcnt(0)\n" + "".join(
        f"\tds_read_b32 v30, v2 offset:{256 * n}\n\ts_waitcnt lgkmcnt(0)\n"
        f"\tglobal_store_dword v2, v30, s[4:5] offset:{256 * n}\n"
        for n in range(6)
    )
    lds = np.full(6 * 256, 0xFF, U8)
    start = SLOTS * 40 + 16 + (8 if form == "buffer" else 0)
    for lane in LANE[ACTIVE]:
        # M0, the instruction's offset and the lane's place; the offset counts on both sides.
        at = 0x40 + 16 + lane * size
        lds[at : at + size] = raw.view(U8)[start[lane] : start[lane] + size]
    for mode in MODES:
        result = np.zeros(6 * LANES, U32)
        launch(body, [result, SLOTS.astype(U32), raw], mode=mode)
        assert result.tolist() == lds.view(U32).tolist()


@modes
def test_scratch(mode: Mode) -> None:
    rows = [words(17), words(18), (words(19) % 8 * 4).astype(U32)]
    body = f"""
\ts_mov_b32 s8, 16
\tscratch_store_dword v12, v10, off offset:16
\tscratch_store_dwordx2 off, v[10:11], s8 offset:48
\tscratch_store_byte v12, v11, s8 offset:66
\ts_waitcnt vmcnt(0)
\tscratch_load_dword v40, v12, s8
\tscratch_load_dwordx2 v[41:42], off, off offset:64
\tscratch_load_ubyte v43, v12, off offset:82
\tv_mov_b32_e32 v44, 9
{SET_EXEC}\tscratch_load_sbyte v44, v12, off offset:82"""
    actual = lanes_of(body, rows, 5, scratch=128, mode=mode)
    byte = rows[1] & 0xFF
    wide = np.where(byte > 127, byte | 0xFFFFFF00, byte)
    assert actual[0].tolist() == rows[0].tolist()
    assert actual[3].tolist() == byte.tolist()
    assert actual[4].tolist() == np.where(ACTIVE, wide, 9).tolist()
    private = np.stack(rows[:2], axis=1).copy().view(U8)
    for lane in LANE:
        memory = np.zeros(128, U8)
        memory[64:72] = private[lane]
        memory[rows[2][lane] + 82] = byte[lane]
        assert actual[1:3, lane].tolist() == memory[64:72].view(U32).tolist()


@modes
def test_flat_reaches_lds_and_scratch(mode: Mode) -> None:
    body = """
\tv_mov_b32_e32 v20, v2
\ts_mov_b64 s[8:9], src_shared_base
\tv_mov_b32_e32 v21, s9
\tflat_store_dword v[20:21], v10
\ts_waitcnt vmcnt(0) lgkmcnt(0)
\tds_read_b32 v40, v2
\ts_mov_b64 s[8:9], src_private_base
\tv_mov_b32_e32 v23, s9
\tv_mov_b32_e32 v22, 8
\tflat_store_dword v[22:23], v11
\ts_waitcnt vmcnt(0) lgkmcnt(0)
\tscratch_load_dword v41, off, off offset:8
\tflat_load_dword v42, v[20:21]
\tflat_load_ushort v43, v[22:23] offset:2"""
    rows = [words(20), words(21)]
    actual = lanes_of(body, rows, 4, scratch=64, mode=mode)
    assert [row.tolist() for row in actual] == [x.tolist() for x in (rows[0], rows[1], rows[0], rows[1] >> 16)]


# Accumulation registers, EXEC, MODE


@modes
def test_accumulation_registers(mode: Mode) -> None:
    rows = [words(22), words(23)]
    body = f"""
\tv_accvgpr_write_b32 a7, v10
\tv_accvgpr_write_b32 a8, 5
\tv_accvgpr_mov_b32 a9, a7
{SET_EXEC}\tv_accvgpr_write_b32 a7, v11
\tds_write_b32 v2, a9
\ts_mov_b64 exec, -1
\tv_accvgpr_read_b32 v40, a7
\tv_accvgpr_read_b32 v41, a8
\tv_accvgpr_read_b32 v42, a9
\tglobal_store_dword v2, a9, s[4:5]
\ts_waitcnt vmcnt(0)
\tglobal_load_dword a10, v2, s[4:5]
\ts_waitcnt vmcnt(0)
\tv_accvgpr_read_b32 v43, a10"""
    actual = lanes_of(body, rows, 4, mode=mode)
    expected = [np.where(ACTIVE, rows[1], rows[0]), np.full(LANES, 5), rows[0], rows[0]]
    assert [row.tolist() for row in actual] == [row.tolist() for row in expected]


@modes
def test_vector_writes_follow_exec_and_compares_clear_inactive_lanes(mode: Mode) -> None:
    rows = [words(24), words(25)]
    body = f"""
\tv_mov_b32_e32 v40, 7
\ts_mov_b64 s[10:11], -1
\ts_mov_b64 s[12:13], -1
{SET_EXEC}\tv_add_u32_e32 v40, v10, v11
\tv_cmp_lt_u32_e64 s[10:11], v10, v11
\tv_cmp_lt_u32_e32 vcc, v10, v11
\tv_readfirstlane_b32 s14, v10
\tv_cmpx_gt_u32_e64 s[12:13], v10, v11
\ts_mov_b64 s[8:9], exec
\ts_mov_b64 exec, -1
\tv_mov_b32_e32 v41, s10
\tv_mov_b32_e32 v42, s11
\tv_mov_b32_e32 v43, vcc_lo
\tv_mov_b32_e32 v44, s14
\tv_mov_b32_e32 v45, s8
\tv_mov_b32_e32 v46, s9"""
    actual = lanes_of(body, rows, 7, mode=mode)
    assert actual[0].tolist() == np.where(ACTIVE, rows[0] + rows[1], 7).tolist()
    less = sum(1 << int(n) for n in LANE[ACTIVE & (rows[0] < rows[1])])
    more = sum(1 << int(n) for n in LANE[ACTIVE & (rows[0] > rows[1])])
    assert int(actual[1, 0]) | int(actual[2, 0]) << 32 == less
    assert actual[3, 0] == less & 0xFFFFFFFF
    assert actual[4, 0] == rows[0][np.argmax(ACTIVE)]
    assert int(actual[5, 0]) | int(actual[6, 0]) << 32 == more


ROUNDINGS: list[Callable[[float], float]] = [np.rint, np.ceil, np.floor, np.trunc]


@pytest.mark.parametrize("bits", range(4))
@pytest.mark.parametrize("text", ["v_add_f32_e32 v40, v10, v11", "v_fma_f32 v40, v10, 1.0, v11"])
def test_sums_round_as_mode_says(bits: int, text: str) -> None:
    # Sums of 2^24 and quarters: the result's unit is 2, and doubles hold it exactly.
    rng = np.random.default_rng(26)
    small = rng.integers(-64, 64, LANES) / 4
    big = 2.0**24 * rng.choice([-1, 1], LANES) * 1.25
    body = f"\ts_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 2), {bits}\n\t{text}"
    actual = as_f32(lanes_of(body, [f32(big), f32(small)])[0]).astype(float)
    assert actual.tolist() == (ROUNDINGS[bits]((big + small) / 2) * 2).tolist()


@pytest.mark.parametrize("mode", range(4))
def test_denormals_of_operands_and_results(mode: int) -> None:
    """Bit 0 allows them in operands, bit 1 in results (MODE fp32 denormals)."""
    tiny, small = np.float32(1e-39), np.float32(2.0**-126)
    body = f"\ts_setreg_imm32_b32 hwreg(HW_REG_MODE, 4, 2), {mode}\n\tv_mul_f32_e32 v40, 0x4b800000, v10\n"
    body += "\tv_mul_f32_e32 v41, 0.5, v11"
    actual = as_f32(lanes_of(body, [f32(np.full(LANES, tiny)), f32(np.full(LANES, small))], 2))[:, 0]
    assert actual[0] == (tiny * np.float32(2**24) if mode & 1 else 0)
    assert actual[1] == (small / 2 if mode & 2 else 0)
