# SPDX-License-Identifier: Apache-2.0
"""The reference against a second one in exact fractions, written from docs/contract.md without looking at the first."""

import math
import random
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from oracle import reference as ref
from oracle.compare import compare
from oracle.datasets import DATASETS, dataset
from oracle.reference import Problem, reference

FLAVOURS = ("e4m3fn", "e4m3fnuz")
TORCH_FP8 = {"e4m3fn": torch.float8_e4m3fn, "e4m3fnuz": torch.float8_e4m3fnuz}


# ---------------------------------------------------------------------------------------------------------------------
# The slow oracle: Python floats hold the values, fractions hold every exact result.


def round_to(exact: Fraction, bits: int, smallest: int, overflow: int) -> float:
    """RNE of a nonzero number to `bits` significant bits, quantum at least 2^smallest, infinity from 2^overflow."""
    size = abs(exact)
    exponent = size.numerator.bit_length() - size.denominator.bit_length()
    if size < Fraction(2) ** exponent:
        exponent -= 1
    quantum = Fraction(2) ** max(exponent - bits + 1, smallest)
    steps, rest = divmod(size, quantum)
    if 2 * rest > quantum or (2 * rest == quantum and steps % 2):
        steps += 1
    rounded = math.inf if steps * quantum >= Fraction(2) ** overflow else float(steps * quantum)
    return math.copysign(rounded, exact)


def round32(exact: Fraction) -> float:
    return round_to(exact, 24, -149, 128)


def slow_fma(a: float, b: float, c: float) -> float:
    if math.isnan(a) or math.isnan(b) or math.isnan(c):
        return math.nan
    sign = math.copysign(1, a) * math.copysign(1, b)
    if math.isinf(a) or math.isinf(b):
        if a == 0 or b == 0 or (math.isinf(c) and math.copysign(1, c) != sign):
            return math.nan
        return sign * math.inf
    if math.isinf(c):
        return c
    exact = Fraction(a) * Fraction(b) + Fraction(c)
    if exact:
        return round32(exact)
    return -0.0 if sign < 0 and (a == 0 or b == 0) and math.copysign(1, c) < 0 else 0.0


def slow_mul(a: float, b: float) -> float:
    return slow_fma(a, b, -0.0)


def slow_add(a: float, b: float) -> float:
    return slow_fma(a, 1.0, b)


def slow_flush(a: float) -> float:
    return math.copysign(0.0, a) if abs(a) < 2.0**-126 else a


def slow_pattern(value: float, out: str) -> int:
    """16-bit pattern of an fp32 value; NaN is -1."""
    if math.isnan(value):
        return -1
    mantissa, bias = (7, 127) if out == "bf16" else (10, 15)
    sign = 0x8000 if math.copysign(1, value) < 0 else 0
    size = abs(value)
    if size and not math.isinf(size):
        size = round_to(Fraction(size), mantissa + 1, 1 - bias - mantissa, bias + 1)
    if math.isinf(size):
        return sign | (2 * bias + 1) << mantissa
    exponent = max(math.frexp(size)[1] - 1, 1 - bias)
    steps = int(math.ldexp(size, mantissa - exponent))  # hidden bit included, unless denormal
    return sign | ((exponent + bias - 1 << mantissa) + steps if size else 0)


def runs(mfma: str) -> list[list[int]]:
    width = {"16x16x128": 128, "32x32x64": 64, "16x16x32": 32, "32x32x16": 16}[mfma]
    return [list(range(k0, k0 + width)) for k0 in range(0, 128, width)]


def slow_reference(
    p: Problem, mfma: str, contract: str, split_k: int, out: str, flush: bool, taken: list[list[int]] | None = None
) -> list[list[int]]:
    values = ref.VALUES[p.flavour]
    x = [[values[c] for c in row] for row in p.x.tolist()]
    w = [[values[c] for c in row] for row in p.w.tolist()]
    blocks = p.k // 128
    sizes = [blocks // split_k + (i < blocks % split_k) for i in range(split_k)]
    settle = slow_flush if flush else lambda value: value

    def partial(m: int, n: int, block: int) -> float:
        c = 0.0
        for indices in taken or runs(mfma):
            terms = [(x[m][128 * block + k], w[n][128 * block + k]) for k in indices]
            if any(math.isnan(a) or math.isnan(b) for a, b in terms):
                return math.nan
            exact = Fraction(c) + sum(Fraction(a) * Fraction(b) for a, b in terms)
            c = round32(exact) if exact else 0.0
        return c

    def element(m: int, n: int) -> int:
        total, block = None, 0
        for size in sizes:
            acc = 0.0
            for _ in range(size):
                xs, ws = settle(p.xs[m // p.scale_block_m, block].item()), settle(p.ws[n // 128, block].item())
                dot = partial(m, n, block)
                if contract == "ck":
                    acc = settle(slow_fma(settle(slow_mul(xs, ws)), dot, acc))
                else:
                    acc = settle(slow_fma(settle(slow_mul(dot, xs)), ws, acc))
                block += 1
            total = acc if total is None else slow_add(total, acc)
        return slow_pattern(total, out)

    return [[element(m, n) for n in range(p.n)] for m in range(p.m)]


def patterns(result: torch.Tensor, out: str) -> list[list[int]]:
    """Like `slow_reference`: NaN is -1."""
    values = result.view(torch.bfloat16 if out == "bf16" else torch.float16)
    return torch.where(values.isnan(), -1, result.to(torch.int32)).tolist()


# ---------------------------------------------------------------------------------------------------------------------
# The whole GEMM


def corner(p: Problem, columns: tuple[int, ...]) -> Problem:
    """A few columns of w under the scales of the first block, so that the slow oracle stays quick."""
    index = torch.tensor(columns)
    return replace(p, w=p.w[index].contiguous(), ws=p.ws[:1].contiguous())


@pytest.mark.parametrize("name", DATASETS)
@pytest.mark.parametrize("mfma", ref.MFMA_SLICE)
@pytest.mark.parametrize("contract", ["ck", "cktile"])
def test_reference_every_instruction_and_contract(name: str, mfma: str, contract: str) -> None:
    p = corner(dataset(name, 13, 256, 256, seed=1), (0, 1, 5, 77, 200, 255))
    assert patterns(reference(p, mfma, contract), "bf16") == slow_reference(p, mfma, contract, 1, "bf16", False)


#: By hand, as the contract writes them.
SCATTERED = {
    ("32x32x64", "ck"): [[*range(32), *range(64, 96)], [*range(32, 64), *range(96, 128)]],
    ("32x32x16", "ck"): [[*range(a, a + 8), *range(64 + a, 72 + a)] for a in (0, 8, 16, 24, 32, 40, 48, 56)],
    ("16x16x32", "assembler"): [
        [k for g in (0, 16, 32, 48) for k in range(start + g, start + g + 8)] for start in (0, 8, 64, 72)
    ],
}


@pytest.mark.parametrize(("mfma", "name"), SCATTERED)
def test_reference_where_instructions_take_scattered_slices(mfma: str, name: str) -> None:
    taken = SCATTERED[mfma, name]
    assert sorted(k for indices in taken for k in indices) == list(range(128))
    p = corner(dataset("cancel", 13, 256, 256, seed=1), (0, 1, 5, 77, 200, 255))
    got = reference(p, mfma, k_slices=name)
    assert patterns(got, "bf16") == slow_reference(p, mfma, "ck", 1, "bf16", False, taken)
    assert not torch.equal(got, reference(p, mfma)), "the slices show in the bits"


def test_slices_that_no_kernel_has_are_refused() -> None:
    assert ref.slice_map("16x16x128", "ck") == (tuple(range(128)),)
    with pytest.raises(ValueError, match=r"assembler.*16x16x32.*not for '32x32x64'"):
        ref.slice_map("32x32x64", "assembler")
    with pytest.raises(ValueError, match="k_slices"):
        reference(corner(dataset("exact", 1, 128, 128), (0,)), k_slices="strided")


@pytest.mark.parametrize("name", DATASETS)
@pytest.mark.parametrize("flavour", FLAVOURS)
@pytest.mark.parametrize("out", ["bf16", "fp16"])
@pytest.mark.parametrize("flush", [False, True], ids=["keep", "flush"])
def test_reference_every_flavour_output_and_denormal_mode(name: str, flavour: str, out: str, flush: bool) -> None:
    p = corner(dataset(name, 16, 256, 384, flavour, seed=2), (0, 3, 130))
    for contract in ("ck", "cktile"):
        got = reference(p, "16x16x32", contract, out=out, fp32_denormals="flush" if flush else "keep")
        assert patterns(got, out) == slow_reference(p, "16x16x32", contract, 1, out, flush)


@pytest.mark.parametrize("contract", ["ck", "cktile"])
@pytest.mark.parametrize("flush", [False, True], ids=["keep", "flush"])
def test_reference_where_products_of_scales_are_denormal(contract: str, flush: bool) -> None:
    p = corner(dataset("general", 24, 128, 384, seed=2), (0, 3, 66))
    p = replace(p, xs=p.xs * 2.0**-125, x=torch.where(p.x & 0x7F > 0x30, 0x01, p.x))
    got = reference(p, contract=contract, fp32_denormals="flush" if flush else "keep")
    assert patterns(got, "bf16") == slow_reference(p, "16x16x128", contract, 1, "bf16", flush)


@pytest.mark.parametrize("split_k", [1, 2, 3, 4, 5, 8])
@pytest.mark.parametrize("name", ["general", "special", "cancel"])
def test_reference_split_k(name: str, split_k: int) -> None:
    p = corner(dataset(name, 5, 128, 640, seed=3), (0, 127))
    assert patterns(reference(p, split_k=split_k), "bf16") == slow_reference(
        p, "16x16x128", "ck", split_k, "bf16", False
    )


@pytest.mark.parametrize("scale_block_m", [1, 128])
@pytest.mark.parametrize("name", ["general", "special", "cancel"])
def test_reference_scale_blocks_follow_their_rows_and_columns(name: str, scale_block_m: int) -> None:
    """Over the edges of row blocks, column blocks and of the pieces that the reference computes at once."""
    p = dataset(name, 300, 1100, 256, scale_block_m=scale_block_m, seed=4)
    got = patterns(reference(p), "bf16")
    for m in (0, 127, 128, 255, 256, 299):
        for n in (0, 127, 128, 1023, 1024, 1099):
            one = Problem(
                p.x[m : m + 1].contiguous(),
                p.w[n : n + 1].contiguous(),
                p.xs[m // scale_block_m][None].contiguous(),
                p.ws[n // 128][None].contiguous(),
                p.flavour,
            )
            assert slow_reference(one, "16x16x128", "ck", 1, "bf16", False) == [[got[m][n]]]


@pytest.mark.parametrize(
    "options", [{"contract": "cktile"}, {"split_k": 3}, {"mfma": "32x32x64"}, {"mfma": "16x16x32"}], ids=str
)
def test_variants_agree_on_exact_data_and_nowhere_on_cancelling_data(options: dict[str, object]) -> None:
    def differing(name: str) -> float:
        p = dataset(name, 256, 512, 1024)
        found = compare(reference(p, **options), reference(p))
        return found.mismatches / found.elements

    assert differing("exact") == 0
    # docs/notes/ck.md#order-of-operations: on usual data, orders differ in about 0.003 % of the elements.
    assert differing("general") < 0.0005 and differing("wide") < 0.0005
    assert differing("cancel") > (0.5 if "mfma" in options else 0.99)


def test_reference_of_no_rows_and_no_columns() -> None:
    assert reference(dataset("general", 0, 128, 128)).shape == (0, 128)
    assert reference(dataset("general", 3, 0, 128)).shape == (3, 0)


def test_zero_result_is_plus_zero_even_if_all_products_are_minus_zero() -> None:
    p = dataset("general", 1, 1, 128)
    p = replace(p, x=torch.full_like(p.x, 0x80), w=torch.full_like(p.w, 0x38), xs=p.xs.abs(), ws=p.ws.abs())
    assert reference(p).tolist() == [[0]]


def test_problem_and_reference_refuse_what_they_do_not_know() -> None:
    p = dataset("general", 4, 128, 256)
    bad: list[dict[str, object]] = [
        {"x": p.x[:, :128].contiguous()},
        {"x": p.x.to(torch.int8)},
        {"xs": p.xs.double()},
        {"xs": p.xs[:3].contiguous()},
        {"xs": ref.x_scale_to_k_major(p.xs)},
        {"ws": torch.empty(1, 4)[:, ::2]},
        {"flavour": "e5m2"},
        {"scale_block_m": 64},
        {"x": p.x[:, :100].contiguous(), "w": p.w[:, :100].contiguous()},
    ]
    for change in bad:
        with pytest.raises(ValueError, match="must"):
            replace(p, **change)
    for options in ({"mfma": "4x4x4"}, {"contract": "asm"}, {"out": "fp32"}, {"fp32_denormals": "no"}, {"split_k": 0}):
        with pytest.raises(ValueError, match="must be"):
            reference(p, **options)


# ---------------------------------------------------------------------------------------------------------------------
# The five numeric mutants, as a wrong kernel would read its operands


def swap_neighbours(scales: torch.Tensor, dim: int) -> torch.Tensor:
    index = torch.arange(scales.shape[dim]) ^ 1
    return scales.index_select(dim, index).contiguous()


def swap_roles(p: Problem) -> Problem:
    rows, columns = len(p.xs), len(p.ws)
    return replace(p, xs=p.ws[torch.arange(rows) // 128 % columns], ws=p.xs[torch.arange(columns) * 128 % rows])


def to_power_of_two(scales: torch.Tensor) -> torch.Tensor:
    return torch.sign(scales) * torch.exp2(torch.round(torch.log2(scales.abs())))


def drop_block(p: Problem, block: int) -> Problem:
    x = p.x.clone()
    x[:, block * 128 : block * 128 + 128] = 0
    return replace(p, x=x)


MUTANTS: dict[str, Callable[[Problem], Problem]] = {
    "zero output": lambda p: replace(p, x=torch.zeros_like(p.x)),
    "scale roles swapped": swap_roles,
    "x scales of neighbouring K blocks swapped": lambda p: replace(p, xs=swap_neighbours(p.xs, 1)),
    "x scales of neighbouring rows swapped": lambda p: replace(p, xs=swap_neighbours(p.xs, 0)),
    "w scales of neighbouring K blocks swapped": lambda p: replace(p, ws=swap_neighbours(p.ws, 1)),
    "w scales of neighbouring N blocks swapped": lambda p: replace(p, ws=swap_neighbours(p.ws, 0)),
    "x scales rounded to powers of two": lambda p: replace(p, xs=to_power_of_two(p.xs)),
    "w scales rounded to powers of two": lambda p: replace(p, ws=to_power_of_two(p.ws)),
    "first K block dropped": lambda p: drop_block(p, 0),
    "last K block dropped": lambda p: drop_block(p, p.k // 128 - 1),
    "raw instead of remapped block id": lambda p: replace(p, xs=p.xs.roll(64, 0), ws=p.ws.roll(2, 0)),
}


@pytest.mark.parametrize("name", ["general", "wide", "cancel"])
@pytest.mark.parametrize("mutant", MUTANTS)
def test_every_numeric_mutant_is_seen(name: str, mutant: str) -> None:
    p = dataset(name, 128, 512, 1024)
    found = compare(reference(MUTANTS[mutant](p)), reference(p))
    # A K block whose scales are small beside the others' vanishes in the rounding of a wide result.
    assert found.mismatches > (0.01 if name == "wide" else 0.8) * found.elements


# ---------------------------------------------------------------------------------------------------------------------
# Roundings

# Numbers of one or two set bits, with exponents close to each other: sums of these tie, cancel and underflow often.
sparse32 = st.builds(
    lambda sign, high, gap, second: sign * (math.ldexp(1, high) + second * math.ldexp(1, max(high - gap, -149))),
    st.sampled_from([-1.0, 1.0]),
    st.integers(-149, 127),
    st.integers(1, 23),
    st.sampled_from([-1, 0, 1]),
)
any32 = st.one_of(st.floats(width=32), sparse32)


def same(got: float, wanted: float) -> bool:
    """Equal including the sign of zero; NaN equals NaN."""
    if math.isnan(got) or math.isnan(wanted):
        return math.isnan(got) and math.isnan(wanted)
    return got == wanted and math.copysign(1, got) == math.copysign(1, wanted)


def check_fma(triples: list[tuple[float, float, float]]) -> None:
    a, b, c = (torch.tensor(column, dtype=torch.float32) for column in zip(*triples, strict=True))
    for (x, y, z), got in zip(triples, ref.fma32(a, b, c).tolist(), strict=True):
        assert same(got, slow_fma(x, y, z)), (x.hex(), y.hex(), z.hex())


@given(st.lists(st.tuples(any32, any32, any32), min_size=1, max_size=20))
@settings(max_examples=300, deadline=None)
def test_fma32_is_correctly_rounded(triples: list[tuple[float, float, float]]) -> None:
    check_fma(triples)


@given(st.lists(st.tuples(st.integers(-149, 127), st.integers(-30, 30), *[sparse32] * 2), min_size=1, max_size=20))
@settings(max_examples=300, deadline=None)
def test_fma32_near_ties(cases: list[tuple[int, int, float, float]]) -> None:
    """A product close to the last place of the addend, so that the sum stands on a tie or just beside it."""
    triples = []
    for exponent, offset, c, shape in cases:
        mantissa = math.frexp(shape)[0]
        a = math.ldexp(1, max(-149, min(127, exponent)))
        b = math.ldexp(mantissa, max(-120, min(127, math.frexp(c)[1] + offset - 24 - exponent)))
        if abs(c) <= 2.0**127:
            triples.append((a, b, c))
    if triples:
        check_fma(triples)


def test_fma32_where_rounding_twice_fails() -> None:
    one_ulp, tiny = 2.0**-23, 2.0**-80
    check_fma(
        [
            (1 + one_ulp, 1 + one_ulp, 2.0**-60),
            # 1 + half an ulp, and a crumb that float64 cannot hold: RNE of the tie would go to even.
            (2.0**-24 + tiny, 1.0, 1.0),
            (2.0**-12 * (1 + 2.0**-23), 2.0**-12 * (1 + 2.0**-23), 1.0),
            (-(2.0**-12) * (1 + 2.0**-23), 2.0**-12 * (1 + 2.0**-23), 1.0),
            (2.0**-12 * (1 + 2.0**-23), 2.0**-12 * (1 - 2.0**-23), 1.0),
            # the same among denormals, on the edge of the smallest one, and on the edge of overflow
            (2.0**-75, 2.0**-75, 2.0**-149),
            (2.0**-75, 2.0**-75, 0.0),
            (2.0**-75 * (1 + one_ulp), 2.0**-75, 0.0),
            (2.0**-75, -(2.0**-75), 2.0**-149),
            (2.0**-100, 2.0**-100, 2.0**-126 + 2.0**-149),
            # a denormal tie, less or more a crumb that float64 drops: 2^-150 * (1 -+ 2^-34) beside 2^-127
            (2.0**-75 * (1 + 2.0**-17), 2.0**-75 * (1 - 2.0**-17), 2.0**-127 + 2.0**-149),
            (-(2.0**-75) * (1 + 2.0**-17), 2.0**-75 * (1 - 2.0**-17), -(2.0**-127) - 2.0**-149),
            (2.0**-75 * (1 + 2.0**-17), 2.0**-75 * (1 + 2.0**-17), 2.0**-127),
            (2.0**52, 2.0**51, 2.0**128 - 2.0**104),
            (2.0**52, 2.0**51 * (1 - 2.0**-24), 2.0**128 - 2.0**104),
            (2.0**127, 2.0, -(2.0**127)),
        ]
    )


def test_fma32_on_many_random_numbers_of_one_scale() -> None:
    rng = random.Random(5)

    def number(low: int, high: int) -> float:
        return math.ldexp(rng.getrandbits(24) * rng.choice([-1, 1]), rng.randint(low, high))

    check_fma([(number(-30, -20), number(-30, -20), number(-50, -20)) for _ in range(5000)])
    check_fma([(number(-90, -80), number(-90, -70), math.ldexp(rng.getrandbits(23), -149)) for _ in range(5000)])


@given(st.lists(st.tuples(any32, st.integers(-(2**43), 2**43)), min_size=1, max_size=20), st.sampled_from([-18, -20]))
@settings(max_examples=300, deadline=None)
def test_mfma_add_rounds_once(cases: list[tuple[float, int]], quantum: int) -> None:
    c = torch.tensor([case[0] for case in cases], dtype=torch.float32)
    dots = [math.ldexp(case[1], quantum) for case in cases]
    for (start, _), dot, got in zip(
        cases, dots, ref.mfma_add(c, torch.tensor(dots, dtype=torch.float64)).tolist(), strict=True
    ):
        if not math.isfinite(start):
            assert same(got, start)
            continue
        exact = Fraction(start) + Fraction(dot)
        assert same(got, round32(exact) if exact else (0.0 if dot else start + 0.0)), (start.hex(), dot.hex())


@pytest.mark.parametrize("out", ["bf16", "fp16"])
def test_output_conversion_is_one_rounding(out: str) -> None:
    """Around every 23rd bf16 pattern, and around ties, denormals and overflow of fp16."""
    low_halves = (0x0000, 0x0001, 0x0FFF, 0x1000, 0x1001, 0x3000, 0x7FFF, 0x8000, 0x8001, 0xFFFF)
    bits = [high << 16 | low for high in (*range(0, 0x10000, 23), 0x477F, 0x3380, 0x3300, 0x7F7F) for low in low_halves]
    values = torch.tensor(bits, dtype=torch.int64).to(torch.int32).view(torch.float32)
    convert = ref.bf16_bits if out == "bf16" else ref.fp16_bits
    got = patterns(convert(values).view(torch.uint16)[None], out)[0]
    assert got == [slow_pattern(value, out) for value in values.tolist()]


# ---------------------------------------------------------------------------------------------------------------------
# fp8 and layouts


@pytest.mark.parametrize("flavour", FLAVOURS)
def test_decode_agrees_with_torch_on_all_codes(flavour: str) -> None:
    codes = torch.arange(256, dtype=torch.uint8)
    ours, theirs = ref.decode(codes, flavour), codes.view(TORCH_FP8[flavour]).double()
    assert torch.equal(ours.view(torch.int64)[~ours.isnan()], theirs.view(torch.int64)[~ours.isnan()])
    assert torch.equal(ours.isnan(), theirs.isnan())
    assert ref.MAX_FINITE[flavour] == torch.finfo(TORCH_FP8[flavour]).max
    assert {c for c in range(256) if math.isnan(ref.VALUES[flavour][c])} == ref.NAN_CODES[flavour]


@pytest.mark.parametrize("flavour", FLAVOURS)
def test_encode_inverts_decode_and_agrees_with_torch_within_the_range(flavour: str) -> None:
    codes = torch.tensor(ref.FINITE_CODES[flavour], dtype=torch.uint8)
    assert torch.equal(ref.encode(ref.decode(codes, flavour), flavour), codes)
    top = ref.MAX_FINITE[flavour]
    values = torch.linspace(-top, top, 200_001, dtype=torch.float64).float()
    ladder = ref.decode(codes, flavour).unique()
    values = torch.cat([values, ((ladder[1:] + ladder[:-1]) / 2).float(), torch.tensor([0.0, -0.0, 2.0**-13])])
    assert torch.equal(ref.encode(values.double(), flavour), values.to(TORCH_FP8[flavour]).view(torch.uint8))


@pytest.mark.parametrize("flavour", FLAVOURS)
def test_encode_saturates_and_keeps_nan(flavour: str) -> None:
    values = torch.tensor([1e9, -1e9, math.inf, -math.inf, math.nan], dtype=torch.float64)
    got = ref.decode(ref.encode(values, flavour), flavour).tolist()
    top = ref.MAX_FINITE[flavour]
    assert got[:4] == [top, -top, top, -top] and math.isnan(got[4])


def test_shuffle_weight_moves_each_element_where_the_layout_says() -> None:
    n, k = 48, 96
    w = torch.arange(n * k).to(torch.uint8).view(n, k)
    memory = ref.shuffle_weight(w).flatten().tolist()
    for row in range(n):
        for column in range(k):
            block, half = column // 32, column % 32 // 16
            at = (((row // 16 * (k // 32) + block) * 2 + half) * 16 + row % 16) * 16 + column % 16
            assert memory[at] == w[row, column]
    assert torch.equal(ref.unshuffle_weight(ref.shuffle_weight(w)), w)


def test_x_scale_layouts() -> None:
    xs = torch.arange(15, dtype=torch.float32).view(5, 3)
    k_major = ref.x_scale_to_k_major(xs)
    assert k_major.is_contiguous() and k_major.shape == (3, 5) and k_major[2, 4] == xs[4, 2]
    assert torch.equal(ref.x_scale_from_k_major(k_major), xs)
    assert ref.x_scale_from_k_major(k_major).is_contiguous()


def test_layouts_refuse_other_shapes() -> None:
    for bad in (torch.zeros(8, 32, dtype=torch.uint8), torch.zeros(16, 16, dtype=torch.uint8), torch.zeros(16, 32)):
        for convert in (ref.shuffle_weight, ref.unshuffle_weight):
            with pytest.raises(ValueError, match="weights must be"):
                convert(bad)
    for convert in (ref.x_scale_to_k_major, ref.x_scale_from_k_major):
        with pytest.raises(ValueError, match="2 dimensions"):
            convert(torch.zeros(3))


def test_importing_the_oracle_does_not_import_torch() -> None:
    import subprocess
    import sys

    code = "import sys, oracle.compare, oracle.datasets, oracle.reference; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
