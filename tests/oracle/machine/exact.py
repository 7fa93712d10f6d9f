# SPDX-License-Identifier: Apache-2.0
"""Exact arithmetic for expectations: number formats as fractions, rounding to f32 by definition."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np


def decode(code: int, exponent_bits: int, mantissa_bits: int, bias: int) -> Fraction:
    """A finite small float: sign, exponent, mantissa, from the top."""
    mantissa = code & ((1 << mantissa_bits) - 1)
    exponent = code >> mantissa_bits & ((1 << exponent_bits) - 1)
    sign = -1 if code >> (mantissa_bits + exponent_bits) & 1 else 1
    if exponent == 0:
        return sign * Fraction(mantissa) * Fraction(2) ** (1 - bias - mantissa_bits)
    return sign * Fraction(mantissa + (1 << mantissa_bits)) * Fraction(2) ** (exponent - bias - mantissa_bits)


FORMATS = {
    "e4m3": (4, 3, 7, 8),
    "e5m2": (5, 2, 15, 8),
    "e4m3fnuz": (4, 3, 8, 8),
    "e5m2fnuz": (5, 2, 16, 8),
    "e2m3": (2, 3, 1, 6),
    "e3m2": (3, 2, 3, 6),
    "e2m1": (2, 1, 1, 4),
    "f16": (5, 10, 15, 16),
    "bf16": (8, 7, 127, 16),
}


def value(code: int, name: str) -> Fraction:
    """The value of a code that is finite in its format."""
    exponent, mantissa, bias, _ = FORMATS[name]
    return decode(code, exponent, mantissa, bias)


def round_f32(exact: Fraction) -> np.float32:
    """Round to nearest even f32, denormals kept; +0 for zero."""
    if exact == 0:
        return np.float32(0)
    magnitude = abs(exact)
    exponent = max(math.frexp(float(magnitude))[1] - 1, -126) if magnitude >= Fraction(2) ** -1000 else -126
    while magnitude >= Fraction(2) ** (exponent + 1):
        exponent += 1
    while exponent > -126 and magnitude < Fraction(2) ** exponent:
        exponent -= 1
    unit = Fraction(2) ** (exponent - 23)
    scaled = magnitude / unit
    whole = scaled.numerator // scaled.denominator
    rest = scaled - whole
    if rest > Fraction(1, 2) or (rest == Fraction(1, 2) and whole & 1):
        whole += 1
    result = whole * unit
    if result >= Fraction(2) ** 128:
        return np.float32(np.inf if exact > 0 else -np.inf)
    return np.float32(float(result) if exact > 0 else -float(result))
