# SPDX-License-Identifier: Apache-2.0
"""MFMA against its definition in exact fractions: one rounding of C plus the whole dot product."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from oracle.machine import Memory, Mode, Report
from tests.oracle.machine.bench import LANES, Words, as_f32, f32, program
from tests.oracle.machine.exact import FORMATS, round_f32, value

Codes = npt.NDArray[np.int64]


def pack(codes: Codes, bits: int) -> Words:
    """[lanes, elements] codes to [dwords, lanes], element 0 in the lowest bits."""
    elements = codes.shape[1]
    rows = []
    for lane in codes:
        number = sum(int(code) << bits * n for n, code in enumerate(lane))
        rows.append([number >> 32 * n & 0xFFFFFFFF for n in range(elements * bits // 32)])
    return np.array(rows, np.uint32).T.copy()


def run(
    text: str,
    a: Words,
    b: Words,
    c: Words,
    results: int,
    scales: Words | None = None,
    arch: str = "gfx950",
    **mode: Any,
) -> tuple[Words, Report]:
    """Registers: A from v16, B from v32, C from v64, D at v96, scales v80 and v81."""
    memory = Memory()
    given = np.concatenate([a, b, c, scales if scales is not None else np.zeros((2, LANES), np.uint32)])
    out = np.zeros((results, LANES), np.uint32)
    targets = [16 + n for n in range(len(a))] + [32 + n for n in range(len(b))] + [64 + n for n in range(len(c))]
    targets += [84, 85]
    loads = "\n".join(
        f"\tv_add_u32_e32 v3, {256 * n}, v2\n\tglobal_load_dword v{t}, v3, s[6:7]\n\ts_waitcnt vmcnt(0)"
        for n, t in enumerate(targets)
    )
    stores = "\n".join(
        f"\tv_add_u32_e32 v3, {256 * n}, v2\n\tglobal_store_dword v3, v{96 + n}, s[4:5]" for n in range(results)
    )
    body = f"\ts_load_dwordx4 s[4:7], s[0:1], 0x0\n\tv_lshlrev_b32_e32 v2, 2, v0\n\ts_waitcnt lgkmcnt(0)\n{loads}\n"
    body += f"\ts_nop 4\n\t{text}\n\ts_nop 15\n\ts_nop 15\n{stores}"
    addresses = [memory.place(out, "out"), memory.place(given, "given")]
    raw = b"".join(x.to_bytes(8, "little") for x in addresses).ljust(64, b"\0")
    report = program(body, arch=arch).launch((1,), (64,), raw, memory, Mode(checks=True, **mode))
    assert report.worst() in (None, 0)
    return out, report


def depth_of(lane_group: int, element: int, groups: int, per_lane: int, bits: int, f8f6f4: bool) -> int:
    if f8f6f4 and bits == 8:
        return element // 16 * 16 * groups + 16 * lane_group + element % 16
    return lane_group * per_lane + element


def matrices(codes: Codes, name: str, rows: int, f8f6f4: bool) -> dict[tuple[int, int], Fraction]:
    """(row, k) to value."""
    per_lane, groups = codes.shape[1], LANES // rows
    table = {}
    for lane in range(LANES):
        for e in range(per_lane):
            k = depth_of(lane // rows, e, groups, per_lane, FORMATS[name][3], f8f6f4)
            table[lane % rows, k] = value(int(codes[lane, e]), name)
    return table


def output_place(row: int, col: int, rows: int) -> tuple[int, int]:
    """(register, lane) of D[row][col]."""
    if rows == 16:
        return row % 4, 16 * (row // 4) + col
    return 4 * (row // 8) + row % 4, 32 * (row // 4 % 2) + col


# instruction: (format of A, of B, rows, elements a lane, arch)
SHAPES = {
    "v_mfma_f32_16x16x128_f8f6f4": ("e4m3", "e4m3", 16, 32, "gfx950"),
    "v_mfma_f32_16x16x128_f8f6f4 cbsz:1 blgp:1": ("e5m2", "e5m2", 16, 32, "gfx950"),
    "v_mfma_f32_16x16x128_f8f6f4 cbsz:2 blgp:3": ("e2m3", "e3m2", 16, 32, "gfx950"),
    "v_mfma_f32_16x16x128_f8f6f4 blgp:4": ("e4m3", "e2m1", 16, 32, "gfx950"),
    "v_mfma_f32_32x32x64_f8f6f4": ("e4m3", "e4m3", 32, 32, "gfx950"),
    "v_mfma_f32_16x16x32_fp8_fp8": ("e4m3", "e4m3", 16, 8, "gfx950"),
    "v_mfma_f32_32x32x16_fp8_fp8": ("e4m3", "e4m3", 32, 8, "gfx950"),
    "v_mfma_f32_16x16x32_bf8_fp8": ("e5m2", "e4m3", 16, 8, "gfx950"),
    "v_mfma_f32_16x16x32_fp8_fp8 ": ("e4m3fnuz", "e4m3fnuz", 16, 8, "gfx942"),
    "v_mfma_f32_32x32x16_fp8_bf8": ("e4m3fnuz", "e5m2fnuz", 32, 8, "gfx942"),
    "v_mfma_f32_16x16x32_bf16": ("bf16", "bf16", 16, 8, "gfx950"),
    "v_mfma_f32_16x16x16_f16": ("f16", "f16", 16, 4, "gfx942"),
    "v_mfma_f32_32x32x8_f16": ("f16", "f16", 32, 4, "gfx942"),
}


def random_codes(rng: np.random.Generator, name: str, elements: int, narrow: bool) -> Codes:
    """Finite codes; narrow: near 1, which the fixed-point path takes."""
    bits = FORMATS[name][3]
    codes = rng.integers(0, 1 << bits, (LANES, elements))
    exponent, mantissa, bias, _ = FORMATS[name]
    if bits == 16:
        # Spread over 30 binary orders: beyond what a double holds exactly next to C.
        codes = (codes & ~(((1 << exponent) - 1) << mantissa)) | (
            rng.integers(bias - 14, bias + 15, codes.shape).clip(0, (1 << exponent) - 2) << mantissa
        )
    elif narrow:
        codes = (codes & ~(((1 << exponent) - 1) << mantissa)) | (
            rng.integers(max(bias - 3, 0), min(bias + 2, (1 << exponent) - 1), codes.shape) << mantissa
        )
    elif name == "e4m3":
        codes = np.where(codes & 0x7F == 0x7F, 0x40, codes)
    elif name == "e5m2":
        codes = np.where(codes & 0x7C == 0x7C, 0x40, codes)
    elif name.endswith("fnuz"):
        codes = np.where(codes == 0x80, 0x40, codes)
    return codes


def operands(shape: str, rows: int, elements: int, a: str, b: str, c: str) -> str:
    name, _, modifiers = shape.partition(" ")
    dwords_a, dwords_b = elements * FORMATS[a][3] // 32, elements * FORMATS[b][3] // 32
    results = rows * rows // LANES
    factors = f"v[16:{15 + dwords_a}], v[32:{31 + dwords_b}]"
    return f"{name} v[96:{95 + results}], {factors}, {c.format(63 + results)} {modifiers}"


def expected(a: Codes, b: Codes, c: Words, shape: str) -> Words:
    format_a, format_b, rows, elements, _ = SHAPES[shape]
    f8f6f4 = "f8f6f4" in shape
    left, right = matrices(a, format_a, rows, f8f6f4), matrices(b, format_b, rows, f8f6f4)
    depth = elements * LANES // rows
    out = np.zeros((rows * rows // LANES, LANES), np.float32)
    for row in range(rows):
        for col in range(rows):
            place = output_place(row, col, rows)
            dot = sum((left[row, k] * right[col, k] for k in range(depth)), Fraction(0))
            out[place] = round_f32(dot + Fraction(float(as_f32(c)[place])))
    return out.view(np.uint32)


@pytest.mark.parametrize("narrow", [True, False], ids=["narrow", "all codes"])
@pytest.mark.parametrize("shape", SHAPES)
def test_one_rounding(shape: str, narrow: bool) -> None:
    format_a, format_b, rows, elements, arch = SHAPES[shape]
    rng = np.random.default_rng(7)
    a, b = (random_codes(rng, name, elements, narrow) for name in (format_a, format_b))
    results = rows * rows // LANES
    c = f32(rng.normal(0, 1, (results, LANES)) * np.exp2(rng.integers(-40, 12, (results, LANES))))
    text = operands(shape, rows, elements, format_a, format_b, "v[64:{}]")
    out, report = run(text, pack(a, FORMATS[format_a][3]), pack(b, FORMATS[format_b][3]), c, results, arch=arch)
    assert out.tolist() == expected(a, b, c, shape).tolist()
    if narrow and format_a == format_b == "e4m3":
        assert report.dot == "integer"
        again, report = run(text, pack(a, 8), pack(b, 8), c, results, arch=arch, dot="double")
        assert report.dot in ("double", "wide")
        assert again.tolist() == out.tolist()


def test_constant_addend() -> None:
    rng = np.random.default_rng(1)
    a, b = (random_codes(rng, "e4m3", 32, True) for _ in range(2))
    shape = "v_mfma_f32_16x16x128_f8f6f4"
    for text, number in (("0", 0.0), ("1.0", 1.0)):
        line = operands(shape, 16, 32, "e4m3", "e4m3", text)
        out, _ = run(line, pack(a, 8), pack(b, 8), np.zeros((4, LANES), np.uint32), 4)
        assert out.tolist() == expected(a, b, f32(np.full((4, LANES), number)), shape).tolist()


def test_nan_and_infinity() -> None:
    a = np.full((LANES, 32), 0x38)
    b = np.full((LANES, 32), 0x38)
    a[5, 3] = 0x7F
    out, _ = run(operands("v_mfma_f32_16x16x128_f8f6f4", 16, 32, "e4m3", "e4m3", "0"), pack(a, 8), pack(b, 8),
                 np.zeros((4, LANES), np.uint32), 4)  # fmt: skip
    nan = np.isnan(as_f32(out))
    places = {output_place(5, col, 16) for col in range(16)}
    assert {(int(r), int(lane)) for r, lane in zip(*np.nonzero(nan), strict=True)} == places
    assert (as_f32(out)[~nan] == 128).all()


@pytest.mark.parametrize("narrow", [True, False], ids=["narrow", "all codes"])
@pytest.mark.parametrize("first", [64, 62, 67, 16, 35], ids=["C", "before C", "behind C", "A", "B"])
def test_result_lies_over_operands(first: int, narrow: bool) -> None:
    rng = np.random.default_rng(5)
    a, b = (random_codes(rng, "e4m3", 32, narrow) for _ in range(2))
    c = f32(rng.normal(0, 1, (4, LANES)))
    text = f"v_mfma_f32_16x16x128_f8f6f4 v[{first}:{first + 3}], v[16:23], v[32:39], v[64:67]\n\ts_nop 15\n"
    text += "\n".join(f"\tv_mov_b32_e32 v{96 + n}, v{first + n}" for n in range(4))
    out, _ = run(text, pack(a, 8), pack(b, 8), c, 4)
    assert out.tolist() == expected(a, b, c, "v_mfma_f32_16x16x128_f8f6f4").tolist()


def test_fnuz_nan_in_b() -> None:
    a, b = (np.full((LANES, 8), 0x40) for _ in range(2))
    b[9, 3] = 0x80
    out, _ = run(operands("v_mfma_f32_16x16x32_fp8_fp8", 16, 8, "e4m3fnuz", "e4m3fnuz", "0"), pack(a, 8), pack(b, 8),
                 np.zeros((4, LANES), np.uint32), 4, arch="gfx942")  # fmt: skip
    nan = np.isnan(as_f32(out))
    places = {output_place(row, 9, 16) for row in range(16)}
    assert {(int(r), int(lane)) for r, lane in zip(*np.nonzero(nan), strict=True)} == places
    assert (as_f32(out)[~nan] == 32).all()


@pytest.mark.parametrize("byte", range(4))
def test_block_scales(byte: int) -> None:
    rng = np.random.default_rng(byte)
    a, b = (random_codes(rng, "e4m3", 32, True) for _ in range(2))
    scales = rng.integers(118, 136, (2, LANES, 4))
    words = np.array(
        [[sum(int(s) << 8 * n for n, s in enumerate(lane)) for lane in side] for side in scales], np.uint32
    )
    shape = "v_mfma_f32_16x16x128_f8f6f4"
    line = operands(shape, 16, 32, "e4m3", "e4m3", "0").replace("v_mfma_f32", "v_mfma_scale_f32").rstrip()
    line += f", v84, v85 op_sel:[{byte & 1},{byte & 1},0] op_sel_hi:[{byte >> 1},{byte >> 1},0]"
    out, _ = run(line, pack(a, 8), pack(b, 8), np.zeros((4, LANES), np.uint32), 4, words)
    left, right = matrices(a, "e4m3", 16, True), matrices(b, "e4m3", 16, True)
    for row in range(16):
        for col in range(16):
            total = Fraction(0)
            for k in range(128):
                exponent = int(scales[0, 16 * (k // 32) + row, byte]) + int(scales[1, 16 * (k // 32) + col, byte]) - 254
                total += left[row, k] * right[col, k] * Fraction(2) ** exponent
            assert as_f32(out)[output_place(row, col, 16)] == round_f32(total)


@pytest.mark.parametrize(
    ("code", "check"), [(0, lambda x: (x == 128 * 2.0**-127).all()), (255, lambda x: np.isnan(x).all())]
)
def test_scale_extremes(code: int, check: Any) -> None:
    ones = np.full((LANES, 32), 0x38)
    words = np.array([np.full(LANES, code), np.full(LANES, 127)], np.uint32)
    line = operands("v_mfma_scale_f32_16x16x128_f8f6f4", 16, 32, "e4m3", "e4m3", "0").rstrip()
    out, _ = run(
        line + ", v84, v85 op_sel_hi:[0,0,0]", pack(ones, 8), pack(ones, 8), np.zeros((4, LANES), np.uint32), 4, words
    )
    assert check(as_f32(out))


def test_exec_is_ignored() -> None:
    ones = np.full((LANES, 32), 0x38)
    text = "s_mov_b64 exec, 1\n\ts_nop 4\n\t" + operands("v_mfma_f32_16x16x128_f8f6f4", 16, 32, "e4m3", "e4m3", "0")
    out, _ = run(text + "\n\ts_mov_b64 exec, -1", pack(ones, 8), pack(ones, 8), np.zeros((4, LANES), np.uint32), 4)
    assert (as_f32(out) == 128).all()


def test_same_registers_as_two_formats() -> None:
    rng = np.random.default_rng(2)
    codes = random_codes(rng, "e4m3", 32, True)
    text = "v_mfma_f32_16x16x128_f8f6f4 v[96:99], v[16:23], v[16:23], 0 blgp:1"
    out, _ = run(text, pack(codes, 8), pack(codes, 8), np.zeros((4, LANES), np.uint32), 4)
    left, right = matrices(codes, "e4m3", 16, True), matrices(codes, "e5m2", 16, True)
    dot = sum((left[3, k] * right[9, k] for k in range(128)), Fraction(0))
    assert as_f32(out)[output_place(3, 9, 16)] == round_f32(dot)


def test_integer_mfma() -> None:
    rng = np.random.default_rng(3)
    a, b = (rng.integers(-128, 128, (LANES, 16)) for _ in range(2))
    c = rng.integers(0, 1 << 32, (4, LANES), dtype=np.uint32)
    text = "v_mfma_i32_16x16x64_i8 v[96:99], v[16:19], v[32:35], v[64:67]"
    out, _ = run(text, pack(a & 255, 8), pack(b & 255, 8), c, 4)
    left, right = (m.reshape(4, 16, 16).transpose(1, 0, 2).reshape(16, 64) for m in (a, b))
    for row in range(16):
        for col in range(16):
            place = output_place(row, col, 16)
            assert int(out[place]) == (int(left[row] @ right[col]) + int(c[place])) % 2**32
