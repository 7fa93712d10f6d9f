# SPDX-License-Identifier: Apache-2.0
"""The seeded data sets of the contract; same arguments, same bits, on every machine.

`exact`: fp8 from {0, +-0.5, +-1, +-2}, scales powers of two 2^-2..2^2. Every fp32 value on the way is exact while
    |acc| < 2^18: always up to K = 4096, and far from the limit for these random signs beyond.
`general`: fp8 of N(0, 1); every scale distinct, signed, not a power of two, magnitude in [2^-3, 2^3).
`wide`: all finite fp8 codes alike; scales as in `general` with exponents -20..20.
`special`: `general` with poison: NaN and infinite scales, zero blocks and rows, zero blocks under infinite scales, fp8
    NaN codes, denormal scales and products, products so small that results are zeros of both signs, scales that
    overflow the accumulator. A NaN scale has all payload bits set, which rounding by integer addition carries into a
    number. At most half of the rows are
    touched, and w scales of a column block only where there are several column blocks, so finite results remain.
`cancel` (beyond the contract's four): `wide` elements under `general` scales, where the second half of K takes back the
    first. What remains is rounding, so every element shows the order of operations; on the other sets two orders
    differ in a few elements of a hundred thousand.
"""

from __future__ import annotations

import math
from functools import cache
from statistics import NormalDist
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt

from oracle.reference import FINITE_CODES, NAN_CODES, SCALE_BLOCK, VALUES, Flavour, Problem, encode

DatasetName = Literal["exact", "general", "wide", "special", "cancel"]
DATASETS: tuple[DatasetName, ...] = get_args(DatasetName)

_Codes = npt.NDArray[np.uint8]
_Scales = npt.NDArray[np.float32]

# Independent random streams of one data set, so that x does not change with N.
_X, _W, _SCALES, _POISON = range(4)

_MANTISSAS = (1 << 23) - 1  # of an fp32 binade, without the power of two itself
_GOLDEN = (math.sqrt(5) - 1) / 2


def dataset(
    name: DatasetName,
    m: int,
    n: int,
    k: int,
    flavour: Flavour = "e4m3fn",
    scale_block_m: int = 1,
    seed: int = 0,
) -> Problem:
    """One data set of the given sizes (elements; K a positive multiple of 128).

    Raises ValueError for an unknown name, a bad size, or more scales than there are distinct ones (over 50 million).
    """
    import torch

    if name not in DATASETS:
        raise ValueError(f"data set must be one of {DATASETS}, got {name!r}")
    if m < 0 or n < 0 or k <= 0 or k % SCALE_BLOCK:
        raise ValueError(f"sizes must be M >= 0, N >= 0 and K a positive multiple of {SCALE_BLOCK}, got {m}x{n}x{k}")

    def stream(index: int) -> np.random.Generator:
        return np.random.default_rng([seed, DATASETS.index(name), index])

    alphabet = _alphabet(name, flavour)
    x, w = (_draw(stream(index), alphabet, (rows, k)) for index, rows in ((_X, m), (_W, n)))
    blocks = k // SCALE_BLOCK
    xs_shape, ws_shape = (-(-m // scale_block_m), blocks), (-(-n // SCALE_BLOCK), blocks)
    split = math.prod(xs_shape)
    scales = _scales(name, stream(_SCALES), split + math.prod(ws_shape))
    xs, ws = scales[:split].reshape(xs_shape), scales[split:].reshape(ws_shape)
    if name == "cancel":
        _take_back(x, w, xs, ws)
    if name == "special":
        _poison(stream(_POISON), x, w, xs, ws, flavour, scale_block_m)
    tensor = torch.from_numpy
    return Problem(tensor(x), tensor(w), tensor(xs), tensor(ws), flavour, scale_block_m)


@cache
def _alphabet(name: DatasetName, flavour: Flavour) -> _Codes:
    """The codes that elements are drawn from, all equally likely."""
    import torch

    if name in ("wide", "cancel"):
        return np.array(FINITE_CODES[flavour], dtype=np.uint8)
    if name == "exact":
        return np.array([VALUES[flavour].index(v) for v in (0.0, 0.5, 1.0, 2.0, -0.5, -1.0, -2.0)], dtype=np.uint8)
    # N(0, 1) by its quantiles: drawing a code is then one table look-up, fast at weight sizes.
    quantile = NormalDist().inv_cdf
    half = [quantile((i + 0.5) / 65536) for i in range(32768)]
    codes: _Codes = encode(torch.tensor(half + [-q for q in half], dtype=torch.float64), flavour).numpy()
    return codes


def _draw(rng: np.random.Generator, alphabet: _Codes, shape: tuple[int, int]) -> _Codes:
    return alphabet[rng.integers(0, len(alphabet), size=shape, dtype=np.uint16)]


def _scales(name: DatasetName, rng: np.random.Generator, count: int) -> _Scales:
    if name == "exact":
        return np.array([0.25, 0.5, 1, 2, 4], dtype=np.float32)[rng.integers(0, 5, size=count)]
    low, binades = (-20, 41) if name == "wide" else (-3, 6)
    return _distinct_scales(rng, count, low, binades)


def _distinct_scales(rng: np.random.Generator, count: int, low: int, binades: int) -> _Scales:
    """`count` fp32 numbers of distinct magnitude in [2^low, 2^(low + binades)), random signs, no powers of two.

    A golden-ratio walk over all candidates: no value comes twice, and neighbours lie far apart.
    """
    candidates = binades * _MANTISSAS
    if count > candidates:
        raise ValueError(f"{count} scales asked for, but only {candidates} distinct ones exist in {binades} binades")
    step = int(candidates * _GOLDEN)
    while math.gcd(step, candidates) != 1:
        step += 1
    index = (int(rng.integers(candidates)) + step * np.arange(count, dtype=np.int64)) % candidates
    exponent, mantissa = low + 127 + index // _MANTISSAS, 1 + index % _MANTISSAS
    sign = rng.integers(0, 2, size=count, dtype=np.int64)
    return (sign << 31 | exponent << 23 | mantissa).astype(np.uint32).view(np.float32)


def _take_back(x: _Codes, w: _Codes, xs: _Scales, ws: _Scales) -> None:
    """Make block b + half the negative of block b, in place; of an odd number the last block becomes small."""
    blocks = xs.shape[1]
    half = blocks // 2
    for codes in (x, w):
        block = codes.reshape(len(codes), blocks, SCALE_BLOCK)  # a view
        # Turned within the block: the same exact dot product from other partial sums, which an MFMA of fewer than 128 K
        # rounds differently.
        block[:, half : 2 * half] = np.roll(block[:, :half], 8, axis=2)
    for scales in (xs, ws):
        scales[:, half : 2 * half] = scales[:, :half]
        if half:
            scales[:, 2 * half :] *= np.float32(2.0**-12)
    xs[:, half : 2 * half] *= np.float32(-1)


#: NaN of either sign with every payload bit set.
_FULL_NANS = np.array([0x7FFFFFFF, 0xFFFFFFFF], dtype=np.uint32).view(np.float32)

# What happens to the scale rows of `special`, in this order over a random permutation of them; plain rows in between.
_ROW_KINDS = (
    "plain",
    "nan scale",
    "denormal scales",
    "plain",
    "infinite scale",
    "zero block",
    "plain",
    "nan code",
    "plain",
    "zero block, infinite scale",
    "plain",
    "overflow",
    "plain",
    "zero row",
    "plain",
    "denormal products",
    "plain",
    "vanishing products",
    "plain",
)


def _poison(
    rng: np.random.Generator, x: _Codes, w: _Codes, xs: _Scales, ws: _Scales, flavour: Flavour, scale_block_m: int
) -> None:
    """Change the arrays of a `general` problem in place into a `special` one."""
    nan_code = max(NAN_CODES[flavour])
    blocks = xs.shape[1]
    for turn, row in enumerate(rng.permutation(len(xs))):
        kind = _ROW_KINDS[turn % len(_ROW_KINDS)]
        block = int(rng.integers(blocks))
        elements = slice(row * scale_block_m, (row + 1) * scale_block_m)
        columns = slice(block * SCALE_BLOCK, (block + 1) * SCALE_BLOCK)
        if kind == "nan scale":
            xs[row, block] = rng.choice(_FULL_NANS)
        elif kind == "denormal scales":
            xs[row] = _denormals(rng, blocks)
        elif "infinite scale" in kind:
            xs[row, block] = rng.choice([-np.inf, np.inf])
        elif kind == "nan code":
            x[row * scale_block_m, block * SCALE_BLOCK + rng.integers(SCALE_BLOCK)] = nan_code
        elif kind == "denormal products":
            xs[row] *= np.float32(2.0**-125)
        elif kind == "vanishing products":
            xs[row] *= np.float32(2.0**-70)
            xs[row] *= np.float32(2.0**-75)  # 2^-145 is no normal number
        elif kind == "overflow":
            xs[row] *= np.float32(2.0**122)
        if "zero block" in kind:
            x[elements, columns] = 0
        elif kind == "zero row":
            x[elements] = 0
    column_blocks = len(ws)
    if column_blocks == 0:
        return
    block = int(rng.integers(blocks))
    ws[0, block] = _denormals(rng, 1)[0]
    w[rng.integers(len(w)), rng.integers(w.shape[1])] = nan_code
    if column_blocks > 1:
        ws[-1, block] = rng.choice([-np.inf, np.inf])
        w[SCALE_BLOCK : 2 * SCALE_BLOCK, block * SCALE_BLOCK : (block + 1) * SCALE_BLOCK] = 0
    if column_blocks > 2:
        ws[-2, block] = np.nan


def _denormals(rng: np.random.Generator, count: int) -> _Scales:
    """Nonzero fp32 denormals of all sizes and both signs."""
    bits = rng.integers(1, 1 << rng.integers(1, 24, size=count), dtype=np.int64)
    return (bits | rng.integers(0, 2, size=count, dtype=np.int64) << 31).astype(np.uint32).view(np.float32)
