# SPDX-License-Identifier: Apache-2.0
"""Bitwise comparison of 16-bit results, and the canary that shows what a kernel did not write.

Equality is the contract's: same bit pattern, or both NaN; +0 and -0 differ.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from oracle.reference import OutDtype

if TYPE_CHECKING:
    import torch

_Patterns = npt.NDArray[np.uint16]

#: Pattern to pre-fill the output with: a signalling NaN with a payload. Conversions write quiet NaNs only, so no kernel
#: can produce it by computing. It differs by dtype: what is signalling in one is not in the other.
CANARY: Mapping[OutDtype, int] = MappingProxyType({"bf16": 0x7FA5, "fp16": 0x7DA5})

#: ULP distance of a NaN to a number: more than any two numbers can be apart.
ULP_OF_NAN = 1 << 16

#: Edge of a tile of the mismatch map, elements: the result block of one 16x16 MFMA.
MAP_TILE = 16

_EXPONENT: Mapping[OutDtype, int] = MappingProxyType({"bf16": 0x7F80, "fp16": 0x7C00})
_MAP_ROWS, _MAP_COLUMNS = 64, 100  # tiles shown


@dataclass(frozen=True, slots=True)
class Mismatch:
    """One element that differs: row, column, both patterns, their values, and the ULP distance."""

    m: int
    n: int
    actual_bits: int
    expected_bits: int
    actual: float
    expected: float
    ulp: int

    def __str__(self) -> str:
        return (
            f"({self.m}, {self.n}): got {self.actual!r} (0x{self.actual_bits:04X}), "
            f"expected {self.expected!r} (0x{self.expected_bits:04X}), {self.ulp} ULP"
        )


@dataclass(frozen=True, slots=True)
class Comparison:
    """What `compare` found.

    elements: compared, M * N; mismatches: differing elements, unwritten ones included; max_ulp: largest ULP distance of
    a mismatch, 0 without one; first: the first mismatch in row-major order; unwritten: canaries that survived inside
    M x N; overwritten: canaries that did not survive in the guard rows; tile_map: text, one character a 16x16 tile
    (`.` equal, 1-9 tenths that differ, rounded up, `#` all or nearly all), empty when nothing differs; tiles: differing
    elements of every 16x16 tile, [ceil(M/16), ceil(N/16)], None when nothing differs.
    """

    elements: int
    mismatches: int
    max_ulp: int
    first: Mismatch | None
    unwritten: int
    overwritten: int
    tile_map: str
    tiles: npt.NDArray[np.int64] | None = field(default=None, compare=False, repr=False)

    @property
    def equal(self) -> bool:
        """Every element as expected, every guard row untouched."""
        return self.mismatches == 0 and self.overwritten == 0


def canaries(rows: int, columns: int, out: OutDtype = "bf16") -> _Patterns:
    """A fresh output buffer, uint16 [rows, columns] row-major, all canary."""
    return np.full((rows, columns), CANARY[out], dtype=np.uint16)


def compare(actual: _Patterns | torch.Tensor, expected: _Patterns | torch.Tensor, out: OutDtype = "bf16") -> Comparison:
    """Compare a kernel's output with the expected patterns.

    expected: 16-bit patterns [M, N]; actual: 16-bit patterns [M + guard rows, N], pre-filled with `CANARY[out]` before
    the kernel ran. Both numpy or torch, any 16-bit dtype (they are compared as patterns, never as numbers).
    Raises ValueError for other shapes or element sizes.
    """
    got_all, want = _patterns(actual, "actual"), _patterns(expected, "expected")
    if got_all.shape[1] != want.shape[1] or got_all.shape[0] < want.shape[0]:
        raise ValueError(f"actual {got_all.shape} does not hold expected {want.shape} plus guard rows")
    rows = want.shape[0]
    got, guard = got_all[:rows], got_all[rows:]
    canary = CANARY[out]
    # An unwritten element is wrong even where NaN is expected.
    survived = got == canary
    both_nan = _is_nan(got, out) & _is_nan(want, out)
    wrong = ((got != want) & ~both_nan) | survived
    at = np.flatnonzero(wrong)
    ulps = ulp_distance(got.reshape(-1)[at], want.reshape(-1)[at], out)
    first = None
    if at.size:
        m, n = divmod(int(at[0]), want.shape[1])
        got_bits, want_bits = int(got[m, n]), int(want[m, n])
        values = _value(got_bits, out), _value(want_bits, out)
        first = Mismatch(m, n, got_bits, want_bits, *values, ulp=int(ulps[0]))
    counts = _tile_counts(wrong) if at.size else None
    return Comparison(
        elements=want.size,
        mismatches=at.size,
        max_ulp=int(ulps.max(initial=0)),
        first=first,
        unwritten=int(survived.sum()),
        overwritten=int((guard != canary).sum()),
        tile_map=_tile_map(wrong, counts) if counts is not None else "",
        tiles=counts,
    )


def ulp_distance(a: _Patterns, b: _Patterns, out: OutDtype = "bf16") -> npt.NDArray[np.int64]:
    """Steps between two patterns when all numbers stand in a row, -inf .. -0, +0 .. +inf: -0 and +0 are 1 apart.

    a, b: uint16 of one shape. A NaN is ULP_OF_NAN from any number and 0 from any NaN.
    """
    steps = np.abs(_ordinal(a) - _ordinal(b))
    nan_a, nan_b = _is_nan(a, out), _is_nan(b, out)
    return np.where(nan_a ^ nan_b, ULP_OF_NAN, np.where(nan_a, 0, steps))


def _ordinal(patterns: _Patterns) -> npt.NDArray[np.int64]:
    magnitude = (patterns & 0x7FFF).astype(np.int64)
    return np.where(patterns & 0x8000, -1 - magnitude, magnitude)


def _is_nan(patterns: _Patterns, out: OutDtype) -> npt.NDArray[np.bool_]:
    return (patterns & 0x7FFF) > _EXPONENT[out]


def _value(pattern: int, out: OutDtype) -> float:
    if out == "bf16":
        return float(np.array(pattern << 16, dtype=np.uint32).view(np.float32))
    return float(np.array(pattern, dtype=np.uint16).view(np.float16))


def _patterns(source: _Patterns | torch.Tensor, name: str) -> _Patterns:
    array = source if isinstance(source, np.ndarray) else _from_torch(source)
    if array.ndim != 2 or array.dtype.itemsize != 2:
        raise ValueError(f"{name} must be a matrix of 16-bit elements, got {array.shape} {array.dtype}")
    return np.ascontiguousarray(array).view(np.uint16)


def _from_torch(tensor: torch.Tensor) -> npt.NDArray[np.generic]:
    import torch

    # numpy has no bf16: pass the bits.
    return (tensor.view(torch.int16) if tensor.dtype == torch.bfloat16 else tensor).numpy()


def _tile_map(wrong: npt.NDArray[np.bool_], counts: npt.NDArray[np.int64]) -> str:
    """The window of tiles from the first to the last that differ, cut to what fits a page."""
    m, n = wrong.shape
    tiles_m, tiles_n = counts.shape
    rows, columns = np.flatnonzero(counts.any(axis=1)), np.flatnonzero(counts.any(axis=0))
    top, left = int(rows[0]), int(columns[0])
    bottom, right = min(int(rows[-1]) + 1, top + _MAP_ROWS), min(int(columns[-1]) + 1, left + _MAP_COLUMNS)
    height = np.minimum(MAP_TILE, m - MAP_TILE * np.arange(tiles_m))
    width = np.minimum(MAP_TILE, n - MAP_TILE * np.arange(tiles_n))
    tenths = -(-10 * counts // np.outer(height, width))
    lines = ["".join(".123456789#"[t] for t in tenths[row, left:right]) for row in range(top, bottom)]
    head = (
        f"{MAP_TILE}x{MAP_TILE} tiles: {int((counts > 0).sum())} of {tiles_m}x{tiles_n} differ; "
        f"shown: rows {top}..{bottom - 1}, columns {left}..{right - 1}"
    )
    return "\n".join([head, *lines])


def _tile_counts(wrong: npt.NDArray[np.bool_]) -> npt.NDArray[np.int64]:
    m, n = wrong.shape
    tiles_m, tiles_n = -(-m // MAP_TILE), -(-n // MAP_TILE)
    padded = np.zeros((tiles_m * MAP_TILE, tiles_n * MAP_TILE), dtype=np.int64)
    padded[:m, :n] = wrong
    counts: npt.NDArray[np.int64] = padded.reshape(tiles_m, MAP_TILE, tiles_n, MAP_TILE).sum(axis=(1, 3))
    return counts


def tile_picture(comparison: Comparison, path: Path, pixels: int = 8) -> None:
    """Write the mismatch map as a PNG: a square of `pixels` a 16x16 tile, grey where equal, red by how much differs.

    Raises ValueError where nothing differs: there is nothing to show.
    """
    if comparison.tiles is None:
        raise ValueError("nothing differs")
    from PIL import Image

    share = comparison.tiles / (MAP_TILE * MAP_TILE)
    picture = np.full((*share.shape, 3), 230, dtype=np.uint8)
    wrong = comparison.tiles > 0
    picture[wrong, 0] = 200
    picture[wrong, 1:] = (160 * (1 - share[wrong])).astype(np.uint8)[:, None]
    Image.fromarray(picture.repeat(pixels, 0).repeat(pixels, 1)).save(path, format="PNG")
