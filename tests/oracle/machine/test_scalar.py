# SPDX-License-Identifier: Apache-2.0
"""Scalar instructions against descriptions written from the ISA text, on values that hypothesis chooses."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from oracle.machine import ExecutionError, Mode
from tests.oracle.machine.bench import launch

M32, M64 = (1 << 32) - 1, (1 << 64) - 1
EDGES = [0, 1, 2, 31, 32, 63, 64, 0x7F, 0x80, 0x7FFF, 0x8000, 1 << 31, (1 << 31) - 1, M32, 1 << 63, (1 << 63) - 1, M64]
WORD = st.sampled_from(EDGES) | st.integers(0, M64)
few = settings(max_examples=12, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))


def signed(x: int, bits: int = 32) -> int:
    x &= (1 << bits) - 1
    return x - (1 << bits) if x >> (bits - 1) else x


def field(a: int, b: int, bits: int, is_signed: bool) -> int:
    offset, width = b & (bits - 1), b >> 16 & 127
    if width == 0:
        return 0
    shifted = (signed(a, bits) if is_signed else a & ((1 << bits) - 1)) >> offset
    if not is_signed:
        return shifted & ((1 << width) - 1)
    return signed(shifted, width) if width < bits else shifted


def zeros_before(a: int, bits: int) -> int:
    return bits - a.bit_length() if a else -1


def sign_run(a: int, bits: int) -> int:
    x = signed(a, bits)
    return -1 if x in (0, -1) else zeros_before(x if x > 0 else ~x, bits)


def quads(a: int, whole: bool, bits: int) -> int:
    hit = [n for n in range(bits // 4) if a >> 4 * n & 15]
    return sum(15 << 4 * n for n in hit) if whole else sum(1 << n for n in hit)


def carry(x: int) -> tuple[int, int]:
    return x, int(x > M32)


def overflow(x: int) -> tuple[int, int]:
    return x, int(not -(1 << 31) <= x < 1 << 31)


#: mnemonic: (result bits, bits of each source, function of sources and SCC giving the result or (result, SCC)).
#: A result alone leaves SCC as it was; `NZ` sets it to "not zero".
NZ = object()
Row = tuple[int, tuple[int, ...], Callable[..., Any], object]
TABLE: dict[str, Row] = {}


def add(name: str, bits: int, sources: tuple[int, ...], function: Callable[..., Any], scc: object = None) -> None:
    TABLE[name] = (bits, sources, function, scc)


for bits, kind in ((32, "b32"), (64, "b64")):
    one, two, mask = (bits,), (bits, bits), (1 << bits) - 1
    add(f"s_mov_{kind}", bits, one, lambda c, a: a)
    add(f"s_not_{kind}", bits, one, lambda c, a: ~a, NZ)
    add(f"s_brev_{kind}", bits, one, lambda c, a, n=bits: int(f"{a:0{n}b}"[::-1], 2))
    add(f"s_wqm_{kind}", bits, one, lambda c, a, n=bits: quads(a, True, n), NZ)
    add(f"s_quadmask_{kind}", bits, one, lambda c, a, n=bits: quads(a, False, n), NZ)
    add(f"s_bcnt0_i32_{kind}", 32, one, lambda c, a, n=bits: n - a.bit_count(), NZ)
    add(f"s_bcnt1_i32_{kind}", 32, one, lambda c, a: a.bit_count(), NZ)
    add(f"s_ff0_i32_{kind}", 32, one, lambda c, a, m=mask: ((~a & m) & -(~a & m)).bit_length() - 1)
    add(f"s_ff1_i32_{kind}", 32, one, lambda c, a: (a & -a).bit_length() - 1)
    add(f"s_flbit_i32_{kind}", 32, one, lambda c, a, n=bits: zeros_before(a, n))
    add(f"s_and_{kind}", bits, two, lambda c, a, b: a & b, NZ)
    add(f"s_or_{kind}", bits, two, lambda c, a, b: a | b, NZ)
    add(f"s_xor_{kind}", bits, two, lambda c, a, b: a ^ b, NZ)
    add(f"s_andn2_{kind}", bits, two, lambda c, a, b: a & ~b, NZ)
    add(f"s_orn2_{kind}", bits, two, lambda c, a, b: a | ~b, NZ)
    add(f"s_nand_{kind}", bits, two, lambda c, a, b: ~(a & b), NZ)
    add(f"s_nor_{kind}", bits, two, lambda c, a, b: ~(a | b), NZ)
    add(f"s_xnor_{kind}", bits, two, lambda c, a, b: ~(a ^ b), NZ)
    add(f"s_lshl_{kind}", bits, (bits, 32), lambda c, a, b, n=bits: a << (b & n - 1), NZ)
    add(f"s_lshr_{kind}", bits, (bits, 32), lambda c, a, b, n=bits: a >> (b & n - 1), NZ)
    add(f"s_ashr_i{bits}", bits, (bits, 32), lambda c, a, b, n=bits: signed(a, n) >> (b & n - 1), NZ)
    add(f"s_bfm_{kind}", bits, (32, 32), lambda c, a, b, n=bits: ((1 << (a & n - 1)) - 1) << (b & n - 1))
    add(f"s_bfe_u{bits}", bits, (bits, 32), lambda c, a, b, n=bits: field(a, b, n, False), NZ)
    add(f"s_bfe_i{bits}", bits, (bits, 32), lambda c, a, b, n=bits: field(a, b, n, True), NZ)
    add(f"s_cselect_{kind}", bits, two, lambda c, a, b: a if c else b)
add("s_flbit_i32", 32, (32,), lambda c, a: sign_run(a, 32))
add("s_flbit_i32_i64", 32, (64,), lambda c, a: sign_run(a, 64))
add("s_sext_i32_i8", 32, (32,), lambda c, a: signed(a, 8))
add("s_sext_i32_i16", 32, (32,), lambda c, a: signed(a, 16))
add("s_abs_i32", 32, (32,), lambda c, a: abs(signed(a)), NZ)
add("s_bitreplicate_b64_b32", 64, (32,), lambda c, a: sum((a >> n & 1) * 3 << 2 * n for n in range(32)))
add("s_add_u32", 32, (32, 32), lambda c, a, b: carry(a + b))
add("s_addc_u32", 32, (32, 32), lambda c, a, b: carry(a + b + c))
add("s_sub_u32", 32, (32, 32), lambda c, a, b: (a - b, int(b > a)))
add("s_subb_u32", 32, (32, 32), lambda c, a, b: (a - b - c, int(b + c > a)))
add("s_add_i32", 32, (32, 32), lambda c, a, b: overflow(signed(a) + signed(b)))
add("s_sub_i32", 32, (32, 32), lambda c, a, b: overflow(signed(a) - signed(b)))
add("s_min_u32", 32, (32, 32), lambda c, a, b: (min(a, b), int(a < b)))
add("s_max_u32", 32, (32, 32), lambda c, a, b: (max(a, b), int(a > b)))
add("s_min_i32", 32, (32, 32), lambda c, a, b: (min(signed(a), signed(b)), int(signed(a) < signed(b))))
add("s_max_i32", 32, (32, 32), lambda c, a, b: (max(signed(a), signed(b)), int(signed(a) > signed(b))))
add("s_mul_i32", 32, (32, 32), lambda c, a, b: a * b)
add("s_mul_hi_u32", 32, (32, 32), lambda c, a, b: a * b >> 32)
add("s_mul_hi_i32", 32, (32, 32), lambda c, a, b: signed(a) * signed(b) >> 32)
add("s_absdiff_i32", 32, (32, 32), lambda c, a, b: abs(signed(signed(a) - signed(b))), NZ)
for n in (1, 2, 3, 4):
    add(f"s_lshl{n}_add_u32", 32, (32, 32), lambda c, a, b, n=n: carry((a << n) + b))
add("s_pack_ll_b32_b16", 32, (32, 32), lambda c, a, b: a & 0xFFFF | (b & 0xFFFF) << 16)
add("s_pack_lh_b32_b16", 32, (32, 32), lambda c, a, b: a & 0xFFFF | b >> 16 << 16)
add("s_pack_hh_b32_b16", 32, (32, 32), lambda c, a, b: a >> 16 | b >> 16 << 16)
for name, relation in {
    "eq": lambda a, b: a == b,
    "lg": lambda a, b: a != b,
    "gt": lambda a, b: a > b,
    "ge": lambda a, b: a >= b,
    "lt": lambda a, b: a < b,
    "le": lambda a, b: a <= b,
}.items():
    add(f"s_cmp_{name}_u32", 0, (32, 32), lambda c, a, b, r=relation: (0, int(r(a, b))))
    add(f"s_cmp_{name}_i32", 0, (32, 32), lambda c, a, b, r=relation: (0, int(r(signed(a), signed(b)))))
add("s_cmp_eq_u64", 0, (64, 64), lambda c, a, b: (0, int(a == b)))
add("s_cmp_lg_u64", 0, (64, 64), lambda c, a, b: (0, int(a != b)))
for bits in (32, 64):
    add(f"s_bitcmp1_b{bits}", 0, (bits, 32), lambda c, a, b, n=bits: (0, a >> (b & n - 1) & 1))
    add(f"s_bitcmp0_b{bits}", 0, (bits, 32), lambda c, a, b, n=bits: (0, 1 - (a >> (b & n - 1) & 1)))


def scalars(body: str, words: list[int], count: int) -> list[int]:
    """Run `body` with dwords in s[16:...]; returns `count` dwords from s40 on."""
    given_, out = np.array([*words, *[0] * 16], np.uint32), np.zeros(count, np.uint32)
    stores = "\n".join(
        f"\tv_mov_b32_e32 v2, s{40 + n}\n\tglobal_store_dword v1, v2, s[4:5] offset:{4 * n}" for n in range(count)
    )
    text = f"""
\ts_load_dwordx4 s[4:7], s[0:1], 0x0
\ts_waitcnt lgkmcnt(0)
\ts_load_dwordx8 s[16:23], s[6:7], 0x0
\ts_waitcnt lgkmcnt(0)
{body}
\ts_mov_b64 exec, 1
\tv_mov_b32_e32 v1, 0
{stores}
"""
    launch(text, [out, given_])
    return [int(x) for x in out]


@pytest.mark.parametrize("name", TABLE)
@few
@given(a=WORD, b=WORD, same=st.booleans(), scc=st.integers(0, 1))
def test_scalar(name: str, a: int, b: int, same: bool, scc: int) -> None:
    bits, sources, function, rule = TABLE[name]
    values = [x & ((1 << n) - 1) for x, n in zip((a, a if same else b), sources, strict=False)]
    words, operands = [], []
    for value, width in zip(values, sources, strict=True):
        at = 16 + len(words)
        words += [value & M32, value >> 32]
        operands.append(f"s{at}" if width == 32 else f"s[{at}:{at + 1}]")
    destination = {0: [], 32: ["s40"], 64: ["s[40:41]"]}[bits]
    body = f"\ts_cmp_eq_u32 0, {1 - scc}\n\t{name} {', '.join(destination + operands)}\n\ts_cselect_b32 s42, 1, 0"
    low, high, flag = scalars("\ts_mov_b64 s[40:41], 0\n" + body, words, 3)
    expected = function(scc, *values)
    result, after = expected if isinstance(expected, tuple) else (expected, scc)
    result &= (1 << bits) - 1
    after = int(result != 0) if rule is NZ else after
    assert (low | high << 32, flag) == (result, after)


@few
@given(a=WORD, k=st.integers(0, 0xFFFF))
def test_immediates_of_16_bits(a: int, k: int) -> None:
    a &= M32
    body = f"""
\ts_movk_i32 s40, {k:#x}
\ts_mov_b32 s41, s16
\ts_addk_i32 s41, {k:#x}
\ts_cselect_b32 s42, 1, 0
\ts_mov_b32 s43, s16
\ts_mulk_i32 s43, {k:#x}
\ts_cmpk_lt_i32 s16, {k:#x}
\ts_cselect_b32 s44, 1, 0
\ts_cmpk_lt_u32 s16, {k:#x}
\ts_cselect_b32 s45, 1, 0
\ts_mov_b32 s46, 7
\ts_cmovk_i32 s46, {k:#x}"""
    s = signed(k, 16)
    total, over = overflow(signed(a) + s)
    below = a < k
    expected = [s, total, over, signed(a) * s, int(signed(a) < s), int(below), s if below else 7]
    assert scalars(body, [a], 7) == [x & M32 for x in expected]


SAVEEXEC: dict[str, Callable[[int, int], int]] = {
    "and": lambda s, e: s & e,
    "or": lambda s, e: s | e,
    "xor": lambda s, e: s ^ e,
    "andn2": lambda s, e: s & ~e,
    "orn2": lambda s, e: s | ~e,
    "nand": lambda s, e: ~(s & e),
    "nor": lambda s, e: ~(s | e),
    "xnor": lambda s, e: ~(s ^ e),
    "andn1": lambda s, e: ~s & e,
    "orn1": lambda s, e: ~s | e,
}


@pytest.mark.parametrize("name", SAVEEXEC)
@pytest.mark.parametrize(("s", "e"), [(0x5555_0000_FFFF_1234, 0xFFFF_FFFF_0000_4321), (M64, M64), (0, M64), (M64, 1)])
def test_saveexec(name: str, s: int, e: int) -> None:
    body = f"\ts_mov_b64 exec, s[18:19]\n\ts_{name}_saveexec_b64 s[40:41], s[16:17]\n\ts_mov_b64 s[42:43], exec\n"
    body += "\ts_cselect_b32 s44, 1, 0"
    out = scalars(body, [s & M32, s >> 32, e & M32, e >> 32], 5)
    new = SAVEEXEC[name](s, e) & M64
    assert [out[0] | out[1] << 32, out[2] | out[3] << 32, out[4]] == [e, new, int(new != 0)]


@pytest.mark.parametrize("name", ["andn1", "andn2"])
def test_wrexec(name: str) -> None:
    s, e = 0x5555_0000_FFFF_1234, 0xFFFF_FFFF_0000_4321
    body = f"\ts_mov_b64 exec, s[18:19]\n\ts_{name}_wrexec_b64 s[40:41], s[16:17]\n\ts_mov_b64 s[42:43], exec"
    out = scalars(body, [s & M32, s >> 32, e & M32, e >> 32], 4)
    new = SAVEEXEC[name](s, e) & M64
    assert [out[0] | out[1] << 32, out[2] | out[3] << 32] == [new, new]


def test_bitset_and_cmov() -> None:
    body = """
\ts_mov_b64 s[40:41], s[16:17]
\ts_bitset0_b32 s40, 35
\ts_mov_b64 s[42:43], s[16:17]
\ts_bitset1_b64 s[42:43], 40
\ts_mov_b32 s44, 5
\ts_cmp_eq_u32 0, 1
\ts_cmov_b32 s44, 6
\ts_mov_b32 s45, 5
\ts_cmp_eq_u32 0, 0
\ts_cmov_b32 s45, 6"""
    assert scalars(body, [0xFF, 0], 6) == [0xF7, 0, 0xFF, 1 << 8, 5, 6]


def test_calls_and_jumps() -> None:
    body = """
\ts_mov_b32 s40, 0
\ts_getpc_b64 s[8:9]
\ts_add_u32 s8, s8, 16
\ts_addc_u32 s9, s9, 0
\ts_swappc_b64 s[10:11], s[8:9]
\ts_branch .Lend
\ts_add_u32 s40, s40, 1
\ts_setpc_b64 s[10:11]
.Lend:
\ts_call_b64 s[12:13], .Lcall
\ts_branch .Lout
.Lcall:
\ts_add_u32 s40, s40, 16
\ts_setpc_b64 s[12:13]
.Lout:"""
    assert scalars(body, [], 1) == [17]


@pytest.mark.parametrize(
    ("test", "set_up"),
    [
        ("vccz", "s_mov_b64 vcc, 0"),
        ("vccnz", "s_mov_b64 vcc, 4"),
        ("execz", "s_mov_b64 exec, 0"),
        ("execnz", "s_mov_b64 exec, 4"),
        ("scc1", "s_cmp_eq_u32 0, 0"),
        ("scc0", "s_cmp_eq_u32 0, 1"),
    ],
)
def test_branches(test: str, set_up: str) -> None:
    other = {"vccz": "vccnz", "vccnz": "vccz", "execz": "execnz", "execnz": "execz", "scc1": "scc0", "scc0": "scc1"}
    body = f"""
\ts_mov_b32 s40, 0
\t{set_up}
\ts_cbranch_{other[test]} .Lwrong
\ts_cbranch_{test} .Lright
.Lwrong:
\ts_mov_b32 s40, 1
.Lright:"""
    assert scalars(body, [], 1) == [0]


def test_mode_is_read_and_written_by_field() -> None:
    body = """
\ts_getreg_b32 s40, hwreg(HW_REG_MODE, 4, 4)
\ts_mov_b32 s41, 2
\ts_setreg_b32 hwreg(HW_REG_MODE, 0, 2), s41
\ts_getreg_b32 s41, hwreg(HW_REG_MODE, 0, 8)
\ts_setreg_imm32_b32 hwreg(HW_REG_MODE, 4, 2), 1
\ts_getreg_b32 s42, hwreg(HW_REG_MODE, 0, 8)"""
    assert scalars(body, [], 3) == [0xF, 0xF2, 0xD2]


SMEM = np.arange(100, 164, dtype=np.uint32)


@pytest.mark.parametrize("landing", ["eager", "late"])
@pytest.mark.parametrize(("dwords", "suffix"), [(1, ""), (2, "x2"), (4, "x4"), (8, "x8"), (16, "x16")])
def test_scalar_loads(dwords: int, suffix: str, landing: str) -> None:
    registers = "s16" if dwords == 1 else f"s[16:{15 + dwords}]"
    stores = "\n".join(
        f"\tv_mov_b32_e32 v2, s{16 + n}\n\tglobal_store_dword v1, v2, s[4:5] offset:{4 * n}" for n in range(dwords)
    )
    body = f"""
\ts_load_dwordx4 s[4:7], s[0:1], 0x0
\tv_mov_b32_e32 v1, 0
\ts_movk_i32 s8, 0x20
\ts_waitcnt lgkmcnt(0)
\ts_load_dword{suffix} {registers}, s[6:7], s8 offset:0x10
\ts_waitcnt lgkmcnt(0)
{stores}"""
    out = np.zeros(16, np.uint32)
    report = launch(body, [out, SMEM], mode=Mode(landing=landing, checks=True))
    assert out.tolist() == [*range(112, 112 + dwords), *[0] * (16 - dwords)]
    assert report.counters.scalar_read_bytes == 16 + 4 * dwords


@pytest.mark.parametrize(("records", "stride"), [(64, 0), (61, 0), (4, 16)])
def test_scalar_buffer_loads_clamp_each_dword(records: int, stride: int) -> None:
    body = f"""
\ts_load_dwordx4 s[4:7], s[0:1], 0x0
\tv_mov_b32_e32 v1, 0
\ts_waitcnt lgkmcnt(0)
\ts_mov_b32 s8, s6
\ts_or_b32 s9, s7, {stride << 16:#x}
\ts_mov_b32 s10, {records}
\ts_mov_b32 s11, 0x27000
\ts_buffer_load_dwordx4 s[16:19], s[8:11], 0x38
\ts_waitcnt lgkmcnt(0)
""" + "\n".join(f"\tv_mov_b32_e32 v2, s{16 + n}\n\tglobal_store_dword v1, v2, s[4:5] offset:{4 * n}" for n in range(4))
    out = np.full(4, 9, np.uint32)
    launch(body, [out, SMEM])
    size = records * (stride or 1)
    assert out.tolist() == [114 + n if 0x38 + 4 * n + 4 <= size else 0 for n in range(4)]


@pytest.mark.parametrize("text", ["s_trap 2", "s_sethalt 1"])
def test_traps_end_the_launch(text: str) -> None:
    with pytest.raises(ExecutionError, match=text) as caught:
        launch(f"\ts_nop 0\n\t{text}", [np.zeros(1, np.uint32)])
    assert caught.value.code == "CKM111" and caught.value.line == 6 and "wave 0" in str(caught.value)


def test_a_wave_that_never_ends_is_stopped() -> None:
    with pytest.raises(ExecutionError, match="1000 instructions") as caught:
        launch(".Lagain:\n\ts_branch .Lagain", [np.zeros(1, np.uint32)], mode=Mode(budget=1000))
    assert caught.value.code == "CKM113"


def test_a_jump_into_nothing_is_an_error() -> None:
    with pytest.raises(ExecutionError, match="no instruction") as caught:
        launch("\ts_mov_b64 s[4:5], 2\n\ts_setpc_b64 s[4:5]", [np.zeros(1, np.uint32)])
    assert caught.value.code == "CKM112"
