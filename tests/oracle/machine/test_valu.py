# SPDX-License-Identifier: Apache-2.0
"""Vector instructions against descriptions in numpy, written from the ISA text and not from the core."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tests.oracle.machine.bench import LANES, Words, as_f32, f32, lanes_of

U32, U64 = np.uint32, np.uint64
EDGES = np.array(
    [0, 1, 2, 31, 32, 33, 0x7F, 0x80, 0xFF, 0x7FFF, 0x8000, 0xFFFF, 0x10000, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF], U32
)
FLOAT_EDGES = f32(
    [0.0, -0.0, 1.0, -1.0, 0.5, 1.5, 2.5, -2.5, np.inf, -np.inf, np.nan, 1e-40, -1e-45, 3.4e38, 1e-38, 65504.0]
)


def words(seed: int) -> Words:
    rng = np.random.default_rng(seed)
    row = rng.integers(0, 1 << 32, LANES, dtype=U32)
    row[:16] = rng.permutation(EDGES)
    return row


def floats(seed: int, scale: float = 8.0) -> Words:
    rng = np.random.default_rng(seed)
    row = f32(rng.normal(0, scale, LANES))
    row[:16] = rng.permutation(FLOAT_EDGES)
    return row


def i32(x: Words) -> Any:
    return x.view(np.int32).astype(np.int64)


def wide(x: Words) -> Any:
    return x.astype(np.int64)


def low(x: Any) -> Words:
    return (np.asarray(x, dtype=object) & 0xFFFFFFFF).astype(U32)


def sext(x: Any, bits: int) -> Any:
    x = np.asarray(x).astype(np.int64) & ((1 << bits) - 1)
    return x - ((x >> (bits - 1)) << bits)


def per_lane(function: Callable[..., int]) -> Callable[..., Words]:
    def apply(*rows: Words) -> Words:
        return np.array([function(*(int(v) for v in lane)) & 0xFFFFFFFF for lane in zip(*rows, strict=True)], U32)

    return apply


def perm(a: int, b: int, selector: int) -> int:
    data = (a << 32 | b).to_bytes(8, "little")
    result = []
    for s in selector.to_bytes(4, "little"):
        if s < 8:
            result.append(data[s])
        elif s < 12:
            result.append(255 if data[2 * (s - 8) + 1] & 0x80 else 0)
        else:
            result.append(0 if s == 12 else 255)
    return int.from_bytes(bytes(result), "little")


def bfe_u(a: int, b: int, c: int) -> int:
    return (a >> (b & 31)) & ((1 << (c & 31)) - 1)


def bfe_i(a: int, b: int, c: int) -> int:
    width = c & 31
    signed = a - (1 << 32) if a >> 31 else a
    return int(sext((signed >> (b & 31)), width)) if width else 0


def bitop3(table: int) -> Callable[..., Words]:
    def function(a: int, b: int, c: int) -> int:
        return sum((table >> ((a >> n & 1) << 2 | (b >> n & 1) << 1 | (c >> n & 1)) & 1) << n for n in range(32))

    return per_lane(function)


def sad(a: int, b: int, c: int) -> int:
    return c + sum(abs(x - y) for x, y in zip(a.to_bytes(4, "little"), b.to_bytes(4, "little"), strict=True))


#: SDWA modifiers of a full-width result.
WHOLE = "dst_sel:DWORD dst_unused:UNUSED_PAD"

INTEGER: dict[str, Callable[..., Any]] = {
    "v_mov_b32_e32 v40, v10": lambda a: a,
    "v_not_b32_e32 v40, v10": lambda a: ~a,
    "v_bfrev_b32_e32 v40, v10": per_lane(lambda a: int(f"{a:032b}"[::-1], 2)),
    "v_ffbh_u32_e32 v40, v10": per_lane(lambda a: 32 - a.bit_length() if a else -1),
    "v_ffbl_b32_e32 v40, v10": per_lane(lambda a: (a & -a).bit_length() - 1),
    "v_ffbh_i32_e32 v40, v10": per_lane(
        lambda a: (lambda u: 32 - u.bit_length() if u else -1)(a ^ (-(a >> 31) & 0xFFFFFFFF))
    ),
    "v_add_u32_e32 v40, v10, v11": lambda a, b: low(wide(a) + wide(b)),
    "v_sub_u32_e32 v40, v10, v11": lambda a, b: low(wide(a) - wide(b)),
    "v_subrev_u32_e32 v40, v10, v11": lambda a, b: low(wide(b) - wide(a)),
    "v_and_b32_e32 v40, v10, v11": lambda a, b: a & b,
    "v_or_b32_e32 v40, v10, v11": lambda a, b: a | b,
    "v_xor_b32_e32 v40, v10, v11": lambda a, b: a ^ b,
    "v_xnor_b32_e32 v40, v10, v11": lambda a, b: ~(a ^ b),
    "v_lshlrev_b32_e32 v40, v10, v11": lambda a, b: low(wide(b) << (wide(a) & 31)),
    "v_lshrrev_b32_e32 v40, v10, v11": lambda a, b: low(wide(b) >> (wide(a) & 31)),
    "v_ashrrev_i32_e32 v40, v10, v11": lambda a, b: low(i32(b) >> (wide(a) & 31)),
    "v_min_u32_e32 v40, v10, v11": np.minimum,
    "v_max_u32_e32 v40, v10, v11": np.maximum,
    "v_min_i32_e32 v40, v10, v11": lambda a, b: low(np.minimum(i32(a), i32(b))),
    "v_max_i32_e32 v40, v10, v11": lambda a, b: low(np.maximum(i32(a), i32(b))),
    "v_mul_lo_u32 v40, v10, v11": per_lane(lambda a, b: a * b),
    "v_mul_hi_u32 v40, v10, v11": per_lane(lambda a, b: a * b >> 32),
    "v_mul_hi_i32 v40, v10, v11": lambda a, b: low(
        np.array([int(x) * int(y) >> 32 for x, y in zip(i32(a), i32(b), strict=True)], object)
    ),
    "v_mul_u32_u24_e32 v40, v10, v11": per_lane(lambda a, b: (a & 0xFFFFFF) * (b & 0xFFFFFF)),
    "v_mul_i32_i24_e32 v40, v10, v11": lambda a, b: low(sext(a, 24) * sext(b, 24)),
    "v_mul_hi_u32_u24_e32 v40, v10, v11": per_lane(lambda a, b: (a & 0xFFFFFF) * (b & 0xFFFFFF) >> 32),
    "v_bcnt_u32_b32 v40, v10, v11": per_lane(lambda a, b: a.bit_count() + b),
    "v_bfm_b32 v40, v10, v11": per_lane(lambda a, b: ((1 << (a & 31)) - 1) << (b & 31)),
    "v_mad_u32_u24 v40, v10, v11, v12": per_lane(lambda a, b, c: (a & 0xFFFFFF) * (b & 0xFFFFFF) + c),
    "v_mad_i32_i24 v40, v10, v11, v12": lambda a, b, c: low(sext(a, 24) * sext(b, 24) + wide(c)),
    "v_mad_u32_u16 v40, v10, v11, v12": per_lane(lambda a, b, c: (a & 0xFFFF) * (b & 0xFFFF) + c),
    "v_mad_u32_u16 v40, v10, v11, v12 op_sel:[1,0,0,0]": per_lane(lambda a, b, c: (a >> 16) * (b & 0xFFFF) + c),
    "v_bfe_u32 v40, v10, v11, v12": per_lane(bfe_u),
    "v_bfe_i32 v40, v10, v11, v12": per_lane(bfe_i),
    "v_bfi_b32 v40, v10, v11, v12": lambda a, b, c: (a & b) | (~a & c),
    "v_alignbit_b32 v40, v10, v11, v12": per_lane(lambda a, b, c: (a << 32 | b) >> (c & 31)),
    "v_alignbyte_b32 v40, v10, v11, v12": per_lane(lambda a, b, c: (a << 32 | b) >> 8 * (c & 3)),
    "v_add3_u32 v40, v10, v11, v12": per_lane(lambda a, b, c: a + b + c),
    "v_lshl_add_u32 v40, v10, v11, v12": per_lane(lambda a, b, c: (a << (b & 31)) + c),
    "v_add_lshl_u32 v40, v10, v11, v12": per_lane(lambda a, b, c: (a + b & 0xFFFFFFFF) << (c & 31)),
    "v_xad_u32 v40, v10, v11, v12": per_lane(lambda a, b, c: (a ^ b) + c),
    "v_lshl_or_b32 v40, v10, v11, v12": per_lane(lambda a, b, c: a << (b & 31) | c),
    "v_and_or_b32 v40, v10, v11, v12": lambda a, b, c: (a & b) | c,
    "v_or3_b32 v40, v10, v11, v12": lambda a, b, c: a | b | c,
    "v_min3_u32 v40, v10, v11, v12": per_lane(min),
    "v_max3_u32 v40, v10, v11, v12": per_lane(max),
    "v_med3_u32 v40, v10, v11, v12": per_lane(lambda a, b, c: sorted((a, b, c))[1]),
    "v_med3_i32 v40, v10, v11, v12": lambda a, b, c: low(np.sort([i32(a), i32(b), i32(c)], axis=0)[1]),
    "v_min3_i32 v40, v10, v11, v12": lambda a, b, c: low(np.min([i32(a), i32(b), i32(c)], axis=0)),
    "v_max3_i32 v40, v10, v11, v12": lambda a, b, c: low(np.max([i32(a), i32(b), i32(c)], axis=0)),
    "v_perm_b32 v40, v10, v11, v12": per_lane(perm),
    "v_sad_u8 v40, v10, v11, v12": per_lane(sad),
    "v_bitop3_b32 v40, v10, v11, v12 bitop3:0x6c": bitop3(0x6C),
    "v_bitop3_b32 v40, v10, v11, v12 bitop3:0xca": bitop3(0xCA),
    "v_pk_add_u16 v40, v10, v11": per_lane(lambda a, b: (a + b & 0xFFFF) | (((a >> 16) + (b >> 16)) & 0xFFFF) << 16),
    "v_pk_sub_i16 v40, v10, v11 op_sel:[1,0] op_sel_hi:[0,1]": per_lane(
        lambda a, b: ((a >> 16) - b & 0xFFFF) | ((a - (b >> 16)) & 0xFFFF) << 16
    ),
    "v_pk_mul_lo_u16 v40, v10, v11": per_lane(
        lambda a, b: ((a & 0xFFFF) * (b & 0xFFFF) & 0xFFFF) | ((a >> 16) * (b >> 16) & 0xFFFF) << 16
    ),
    "v_pk_lshlrev_b16 v40, v10, v11": per_lane(
        lambda a, b: (b << (a & 15) & 0xFFFF) | ((b >> 16) << (a >> 16 & 15) & 0xFFFF) << 16
    ),
    "v_dot4_i32_i8 v40, v10, v11, v12": lambda a, b, c: low(
        sum(sext(a >> s, 8) * sext(b >> s, 8) for s in (0, 8, 16, 24)) + wide(c)
    ),
    "v_add_u16_e32 v40, v10, v11": lambda a, b: low(wide(a) + wide(b) & 0xFFFF),
    f"v_add_u32_sdwa v40, v10, v11 {WHOLE} src0_sel:BYTE_2 src1_sel:WORD_1": lambda a, b: low(
        (wide(a) >> 16 & 0xFF) + (wide(b) >> 16)
    ),
    f"v_add_u32_sdwa v40, sext(v10), v11 {WHOLE} src0_sel:WORD_0 src1_sel:DWORD": lambda a, b: low(
        sext(a, 16) + wide(b)
    ),
    "v_or_b32_sdwa v40, v10, v11 dst_sel:BYTE_1 dst_unused:UNUSED_PAD src0_sel:BYTE_0 src1_sel:BYTE_0": lambda a, b: (
        (a | b) & 0xFF
    )
    << 8,
    "v_mov_b32_dpp v40, v10 quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0xf": lambda a: a.reshape(16, 4)[
        :, [1, 0, 3, 2]
    ].reshape(64),
    "v_mov_b32_dpp v40, v10 row_ror:3 row_mask:0xf bank_mask:0xf": lambda a: np.roll(
        a.reshape(4, 16), 3, axis=1
    ).reshape(64),
    "v_mov_b32_dpp v40, v10 row_newbcast:5 row_mask:0xf bank_mask:0xf": lambda a: np.repeat(a.reshape(4, 16)[:, 5], 16),
    "v_mov_b32_dpp v40, v10 row_mirror row_mask:0xf bank_mask:0xf": lambda a: a.reshape(4, 16)[:, ::-1].reshape(64),
    "v_mov_b32_dpp v40, v10 row_shl:2 row_mask:0xf bank_mask:0xf bound_ctrl:0": lambda a: np.concatenate(
        [a.reshape(4, 16)[:, 2:], np.zeros((4, 2), U32)], axis=1
    ).reshape(64),
}


@pytest.mark.parametrize("text", INTEGER)
def test_integer(text: str) -> None:
    sources = sum(f"v1{n}" in text for n in range(3))
    rows = [words(n) for n in range(sources)]
    if "perm_b32" in text:
        rows[2] = np.random.default_rng(9).integers(0, 16, (LANES, 4), dtype=np.uint8).view(U32).reshape(-1)
    actual = lanes_of("\t" + text, rows)[0]
    assert actual.tolist() == low(INTEGER[text](*rows)).tolist()


def fused(a: Any, b: Any, c: Any) -> Any:
    """a * b + c rounded once, by exact rationals."""
    from fractions import Fraction

    result = []
    for x, y, z in zip(a, b, c, strict=True):
        if not all(np.isfinite(v) for v in (x, y, z)):
            result.append(np.float32(np.float64(x) * np.float64(y) + np.float64(z)))
            continue
        exact = Fraction(float(x)) * Fraction(float(y)) + Fraction(float(z))
        result.append(round_f32(exact, np.float32(x) * np.float32(y) + np.float32(z)))
    return np.array(result, np.float32)


def round_f32(exact: Any, zero: Any) -> np.float32:
    """Round a rational to nearest even f32; `zero` gives the sign of an exact zero."""
    from fractions import Fraction

    if exact == 0:
        return np.float32(zero)
    near = np.float32(float(exact))
    candidates = [near, np.nextafter(near, np.float32(np.inf)), np.nextafter(near, np.float32(-np.inf))]
    finite = [c for c in candidates if np.isfinite(c)]
    if not np.isfinite(near) and abs(exact) >= Fraction(2) ** 128 - Fraction(2) ** 103:
        return near
    return min(finite, key=lambda c: (abs(Fraction(float(c)) - exact), int(c.view(U32)) & 1))


def maximum(a: Any, b: Any) -> Any:
    picked = np.where(np.isnan(a), b, np.where(np.isnan(b), a, np.maximum(a, b)))
    both_zero = (a == 0) & (b == 0)
    return np.where(both_zero, np.where(np.signbit(a) & np.signbit(b), -0.0, 0.0), picked)


def med3(a: Any, b: Any, c: Any) -> Any:
    nan = np.isnan(a) | np.isnan(b) | np.isnan(c)
    middle = np.sort([a, b, c], axis=0)[1]
    least = np.fmin(np.fmin(a, b), c)
    return np.where(nan, least, middle)


def to_bf16(x: Words) -> Words:
    result = []
    for bits in x.tolist():
        if bits & 0x7FFFFFFF > 0x7F800000:
            result.append(bits >> 16 | 0x40)
        else:
            lower, upper = bits & 0xFFFF0000, (bits & 0xFFFF0000) + 0x10000
            rest = bits & 0xFFFF
            result.append((upper if rest > 0x8000 or (rest == 0x8000 and lower >> 16 & 1) else lower) >> 16)
    return np.array(result, U32)


FLOAT: dict[str, Callable[..., Any]] = {
    "v_add_f32_e32 v40, v10, v11": lambda a, b: a + b,
    "v_sub_f32_e32 v40, v10, v11": lambda a, b: a - b,
    "v_subrev_f32_e32 v40, v10, v11": lambda a, b: b - a,
    "v_mul_f32_e32 v40, v10, v11": lambda a, b: a * b,
    "v_add_f32_e64 v40, -v10, |v11|": lambda a, b: -a + np.abs(b),
    "v_mul_f32_e64 v40, v10, v11 mul:2": lambda a, b: a * b * np.float32(2),
    "v_add_f32_e64 v40, v10, v11 clamp": lambda a, b: np.where(np.isnan(a + b), 0, np.clip(a + b, 0, 1))
    + np.float32(0),
    "v_max_f32_e32 v40, v10, v11": maximum,
    "v_min_f32_e32 v40, v10, v11": lambda a, b: -maximum(-a, -b),
    "v_fma_f32 v40, v10, v11, v12": fused,
    "v_fma_f32 v40, v10, -v11, v12": lambda a, b, c: fused(a, -b, c),
    "v_med3_f32 v40, v10, v11, v12": med3,
    "v_trunc_f32_e32 v40, v10": np.trunc,
    "v_ceil_f32_e32 v40, v10": np.ceil,
    "v_floor_f32_e32 v40, v10": np.floor,
    "v_rndne_f32_e32 v40, v10": np.rint,
    "v_rcp_f32_e32 v40, v10": lambda a: np.float32(1) / a,
    "v_sqrt_f32_e32 v40, v10": np.sqrt,
    "v_ldexp_f32 v40, v10, 3": lambda a: np.ldexp(a, 3),
    "v_fmac_f32_e32 v40, v10, v11": lambda a, b: fused(a, b, np.full(LANES, 1.5, np.float32)),
    "v_fmamk_f32 v40, v10, 0x40400000, v11": lambda a, b: fused(a, np.full(LANES, 3, np.float32), b),
    "v_fmaak_f32 v40, v10, v11, 0x40400000": lambda a, b: fused(a, b, np.full(LANES, 3, np.float32)),
}


def same(actual: Words, expected: Any) -> None:
    """Equal bits; any NaN equals any NaN."""
    wanted = np.asarray(expected, np.float32)
    nan = np.isnan(wanted)
    assert np.isnan(as_f32(actual))[nan].all()
    assert actual[~nan].tolist() == wanted.view(U32)[~nan].tolist()


@pytest.mark.parametrize("text", FLOAT)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_float(text: str) -> None:
    sources = sum(f"v1{n}" in text for n in range(3))
    rows = [floats(n + 20) for n in range(sources)]
    setup = "\tv_mov_b32_e32 v40, 0x3fc00000"
    same(lanes_of("\t" + text, rows, setup=setup)[0], FLOAT[text](*(as_f32(r) for r in rows)))


def test_fma_rounds_once() -> None:
    # 1 + 2^-12 squared is 1 + 2^-11 + 2^-24; minus 1 + 2^-11 leaves 2^-24, which a rounded product loses.
    x = f32(np.full(LANES, 1 + 2.0**-12))
    z = f32(np.full(LANES, -(1 + 2.0**-11)))
    assert as_f32(lanes_of("\tv_fma_f32 v40, v10, v10, v11", [x, z])[0])[0] == np.float32(2.0**-24)
    pair = lanes_of(
        "\tv_mov_b32_e32 v13, v12\n\tv_mov_b32_e32 v11, v10\n\tv_pk_fma_f32 v[40:41], v[10:11], v[10:11], v[12:13]",
        [x, x, z],
        2,
    )
    assert as_f32(pair).tolist() == np.full((2, LANES), 2.0**-24, np.float32).tolist()


def test_packed_f32_halves() -> None:
    rows = [f32(np.full(LANES, v)) for v in (2, 3, 5, 7)]
    body = """\tv_pk_mul_f32 v[40:41], v[10:11], v[12:13]
\tv_pk_mul_f32 v[42:43], v[10:11], v[12:13] op_sel:[0,1] op_sel_hi:[1,0]
\tv_pk_mul_f32 v[44:45], v[10:11], v[12:13] op_sel:[1,1] op_sel_hi:[0,0] neg_lo:[1,0] neg_hi:[0,1]
\tv_pk_mov_b32 v[46:47], v[10:11], v[12:13] op_sel:[1,0]
\tv_pk_add_f32 v[48:49], v[10:11], 1.0 op_sel_hi:[1,0]"""
    actual = as_f32(lanes_of(body, rows, 10))[:, 0].tolist()
    assert actual == [10, 21, 14, 15, -21, -10, 3, 5, 3, 4]


@pytest.mark.parametrize("exec_", ["-1", "0x5555555555555555"], ids=["all lanes", "every other lane"])
def test_packed_f32_over_its_sources(exec_: str) -> None:
    rows = [f32(np.full(LANES, v)) for v in (2, 3, 5, 7)]
    body = f"""\tv_mov_b64_e32 v[40:41], v[10:11]
\tv_mov_b64_e32 v[42:43], v[10:11]
\tv_mov_b64_e32 v[44:45], v[10:11]
\ts_mov_b64 exec, {exec_}
\tv_pk_mul_f32 v[40:41], v[40:41], v[12:13]
\tv_pk_mul_f32 v[42:43], v[42:43], v[12:13] op_sel:[1,0] op_sel_hi:[0,1]
\tv_pk_mul_f32 v[44:45], v[12:13], v[44:45] op_sel:[0,0] op_sel_hi:[1,0] neg_hi:[0,1]
\ts_mov_b64 exec, -1"""
    actual = as_f32(lanes_of(body, rows, 6))
    assert actual[:, 0].tolist() == [10, 21, 15, 14, 10, -14]
    assert actual[:, 1].tolist() == ([10, 21, 15, 14, 10, -14] if exec_ == "-1" else [2, 3, 2, 3, 2, 3])


def test_bf16_rounds_to_even() -> None:
    rows = [floats(1), words(2)]
    rows[1][:4] = [0x3F808000, 0x3F818000, 0x3F808001, 0x7F7FFFFF]
    actual = lanes_of("\tv_cvt_pk_bf16_f32 v40, v10, v11", rows)[0]
    assert actual.tolist() == (to_bf16(rows[0]) | to_bf16(rows[1]) << 16).tolist()


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_f16_conversions() -> None:
    row = floats(3, 1000.0)
    halves = as_f32(row).astype(np.float16)
    actual = lanes_of("\tv_cvt_f16_f32_e32 v40, v10\n\tv_cvt_f32_f16_e32 v41, v40", [row], 2)
    nan = np.isnan(halves)
    assert actual[0][~nan].tolist() == halves.view(np.uint16)[~nan].astype(U32).tolist()
    same(actual[1], halves.astype(np.float32))


@pytest.mark.parametrize("kind", ["i32", "u32"])
def test_float_to_integer_saturates(kind: str) -> None:
    row = f32(np.concatenate([[0.0, -1.9, 1.9, 3e9, 5e9, -3e9, np.nan, np.inf, -np.inf], np.linspace(-9, 9, 55)]))
    least, most = (-(1 << 31), (1 << 31) - 1) if kind == "i32" else (0, (1 << 32) - 1)
    expected = [
        0 if np.isnan(v) else int(min(max(np.trunc(v), least), most)) & 0xFFFFFFFF for v in as_f32(row).astype(float)
    ]
    assert lanes_of(f"\tv_cvt_{kind}_f32_e32 v40, v10", [row])[0].tolist() == expected


def test_denormals_follow_mode() -> None:
    tiny = f32(np.full(LANES, 1e-40))
    body = "\tv_add_f32_e32 v40, v10, v10\n\ts_setreg_imm32_b32 hwreg(HW_REG_MODE, 4, 2), 0\n"
    body += "\tv_add_f32_e32 v41, v10, v10\n\tv_mul_f32_e32 v42, 0x20000000, v11\n"
    actual = lanes_of(body, [tiny, f32(np.full(LANES, 1.5e-25))], 3)
    assert as_f32(actual)[0, 0] == np.float32(2) * np.float32(1e-40)
    assert actual[1, 0] == 0
    assert actual[2, 0] == 0


@pytest.mark.parametrize(("bits", "expected"), [(0, 0), (1, 1), (2, 0), (3, 0)])
def test_rounding_follows_mode(bits: int, expected: int) -> None:
    one, tiny = f32(np.full(LANES, 1.0)), f32(np.full(LANES, 2.0**-25))
    if bits == 0:
        tiny = f32(np.full(LANES, 2.0**-24 * 1.5))
        expected = 1
    body = f"\ts_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 2), {bits}\n\tv_add_f32_e32 v40, v10, v11"
    assert lanes_of(body, [one, tiny])[0, 0] == 0x3F800000 + expected


def test_carry_chain() -> None:
    rows = [words(n) for n in range(4)]
    body = "\tv_add_co_u32_e32 v40, vcc, v10, v12\n\tv_addc_co_u32_e32 v41, vcc, v11, v13, vcc\n"
    body += "\tv_sub_co_u32_e64 v42, s[8:9], v10, v12\n\tv_subb_co_u32_e64 v43, s[10:11], v11, v13, s[8:9]"
    out = lanes_of(body, rows, 4)
    a = [int(x) | int(y) << 32 for x, y in zip(rows[0], rows[1], strict=True)]
    b = [int(x) | int(y) << 32 for x, y in zip(rows[2], rows[3], strict=True)]
    assert [int(x) | int(y) << 32 for x, y in zip(out[0], out[1], strict=True)] == [
        (x + y) % 2**64 for x, y in zip(a, b, strict=True)
    ]
    assert [int(x) | int(y) << 32 for x, y in zip(out[2], out[3], strict=True)] == [
        (x - y) % 2**64 for x, y in zip(a, b, strict=True)
    ]


def test_64_bit_integers() -> None:
    rows = [words(n) for n in range(4)]
    body = "\tv_lshlrev_b64 v[40:41], v12, v[10:11]\n\tv_lshrrev_b64 v[42:43], v12, v[10:11]\n"
    body += "\tv_ashrrev_i64 v[44:45], v12, v[10:11]\n\tv_mad_u64_u32 v[46:47], vcc, v12, v13, v[10:11]\n"
    body += "\tv_lshl_add_u64 v[48:49], v[10:11], 3, v[12:13]"
    out = lanes_of(body, rows, 10)
    for lane in range(LANES):
        x = int(rows[0][lane]) | int(rows[1][lane]) << 32
        y = int(rows[2][lane]) | int(rows[3][lane]) << 32
        n, m = int(rows[2][lane]), int(rows[3][lane])
        signed = x - (1 << 64) if x >> 63 else x
        expected = [x << (n & 63), x >> (n & 63), signed >> (n & 63), n * m + x, (x << 3) + y]
        got = [int(out[2 * k, lane]) | int(out[2 * k + 1, lane]) << 32 for k in range(5)]
        assert got == [e % 2**64 for e in expected]


COMPARES: dict[str, Callable[[Any, Any], Any]] = {
    "lt": lambda a, b: a < b,
    "eq": lambda a, b: a == b,
    "le": lambda a, b: a <= b,
    "gt": lambda a, b: a > b,
    "ge": lambda a, b: a >= b,
    "ne": lambda a, b: a != b,
    "lg": lambda a, b: (a < b) | (a > b),
    "o": lambda a, b: ~(np.isnan(a) | np.isnan(b)),
    "u": lambda a, b: np.isnan(a) | np.isnan(b),
    "nge": lambda a, b: ~(a >= b),
    "ngt": lambda a, b: ~(a > b),
    "nle": lambda a, b: ~(a <= b),
    "nlt": lambda a, b: ~(a < b),
    "neq": lambda a, b: ~(a == b),
    "nlg": lambda a, b: ~((a < b) | (a > b)),
}


INTEGER_RELATIONS = ("lt", "eq", "le", "gt", "ge", "ne")
COMPARE_CASES = [(r, "f32") for r in COMPARES if r != "ne"]
COMPARE_CASES += [(r, kind) for r in INTEGER_RELATIONS for kind in ("i32", "u32", "i16", "u16")]


@pytest.mark.parametrize(("relation", "kind"), COMPARE_CASES)
def test_compare(relation: str, kind: str) -> None:
    floating = kind == "f32"
    rows = [floats(5), floats(6)] if floating else [words(5), words(6)]
    rows[1][8:24] = rows[0][8:24]
    view = {
        "f32": as_f32,
        "i32": lambda r: r.view(np.int32),
        "u32": lambda r: r,
        "i16": lambda r: r.astype(np.uint16).view(np.int16),
        "u16": lambda r: r.astype(np.uint16),
    }[kind]
    expected = COMPARES[relation](view(rows[0]), view(rows[1]))
    body = f"\tv_cmp_{relation}_{kind}_e32 vcc, v10, v11\n\tv_cndmask_b32_e64 v40, 0, 1, vcc"
    assert lanes_of(body, rows)[0].tolist() == expected.astype(int).tolist()


def test_compare_ignores_inactive_lanes() -> None:
    body = "\ts_mov_b64 exec, 0xff\n\tv_cmp_eq_u32_e64 s[8:9], v10, v10\n\ts_mov_b64 exec, -1\n"
    body += "\tv_cndmask_b32_e64 v40, 5, 7, s[8:9]"
    assert lanes_of(body, [words(0)])[0].tolist() == [7] * 8 + [5] * 56


def test_exec_masks_writes() -> None:
    body = "\tv_mov_b32_e32 v40, 1\n\ts_mov_b64 exec, 0x5555555555555555\n\tv_mov_b32_e32 v40, 2"
    assert lanes_of(body, [])[0].tolist() == [2, 1] * 32


def test_lane_moves() -> None:
    row = words(4)
    body = """\ts_mov_b64 exec, 0xf0
\tv_readfirstlane_b32 s8, v10
\ts_mov_b64 exec, -1
\tv_readlane_b32 s9, v10, 63
\tv_mov_b32_e32 v40, s8
\tv_mov_b32_e32 v41, s9
\tv_mov_b32_e32 v42, v10
\tv_writelane_b32 v42, s9, 7
\tv_mbcnt_lo_u32_b32 v43, -1, 0
\tv_mbcnt_hi_u32_b32 v43, -1, v43"""
    out = lanes_of(body, [row], 4)
    assert set(out[0]) == {row[4]} and set(out[1]) == {row[63]}
    expected = row.copy()
    expected[7] = row[63]
    assert out[2].tolist() == expected.tolist()
    assert out[3].tolist() == list(range(64))


def test_permlane_swaps() -> None:
    rows = [np.arange(64, dtype=U32), np.arange(100, 164, dtype=U32)]
    for size in (16, 32):
        body = f"\tv_mov_b32_e32 v40, v10\n\tv_mov_b32_e32 v41, v11\n\tv_permlane{size}_swap_b32 v40, v41"
        out = lanes_of(body, rows, 2)
        a, b = (r.reshape(-1, 2, size).copy() for r in rows)
        a[:, 1], b[:, 0] = b[:, 0].copy(), a[:, 1].copy()
        assert out.tolist() == [a.reshape(-1).tolist(), b.reshape(-1).tolist()]


def test_destination_may_be_source() -> None:
    rows = [words(1), words(2)]
    body = "\n".join(
        (
            "\tv_mov_b32_e32 v40, v10",
            "\tv_mov_b32_e32 v41, v11",
            "\tv_lshlrev_b64 v[41:42], 4, v[40:41]",
            "\tv_mov_b32_e32 v40, v41",
            "\tv_mov_b32_e32 v41, v42",
        )
    )
    out = lanes_of(body, rows, 2)
    expected = [(int(x) | int(y) << 32) << 4 for x, y in zip(*rows, strict=True)]
    assert [int(x) | int(y) << 32 for x, y in zip(*out, strict=True)] == [e % 2**64 for e in expected]


def test_agprs_are_registers_of_their_own() -> None:
    body = "\tv_mov_b32_e32 v5, 3\n\tv_accvgpr_write_b32 a5, v10\n\tv_accvgpr_mov_b32 a6, a5\n"
    body += "\tv_accvgpr_read_b32 v40, a6\n\tv_mov_b32_e32 v41, v5"
    out = lanes_of(body, [words(3)], 2)
    assert out[0].tolist() == words(3).tolist() and set(out[1]) == {3}
