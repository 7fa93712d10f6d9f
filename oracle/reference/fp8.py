# SPDX-License-Identifier: Apache-2.0
"""The two 8-bit formats of the family, as tables over all 256 codes.

Both have 1 sign, 4 exponent and 3 mantissa bits and no infinity (CDNA4 ISA 7.3; OCP OFP8):
e4m3fn (OCP, gfx950): bias 7, largest 448, NaN 0x7F and 0xFF, has -0 (0x80);
e4m3fnuz (FNUZ, gfx942): bias 8, largest 240, NaN 0x80 only, no -0. The same bits mean half the OCP value.
"""

from __future__ import annotations

import math
from functools import cache
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    import torch

Flavour = Literal["e4m3fn", "e4m3fnuz"]

_BIAS: dict[Flavour, int] = {"e4m3fn": 7, "e4m3fnuz": 8}

#: Codes that mean NaN.
NAN_CODES: dict[Flavour, frozenset[int]] = {"e4m3fn": frozenset({0x7F, 0xFF}), "e4m3fnuz": frozenset({0x80})}


def _value(code: int, flavour: Flavour) -> float:
    if code in NAN_CODES[flavour]:
        return math.nan
    exponent, mantissa = code >> 3 & 15, code & 7
    if exponent == 0:
        magnitude = math.ldexp(mantissa, -2 - _BIAS[flavour])
    else:
        magnitude = math.ldexp(8 + mantissa, exponent - 3 - _BIAS[flavour])
    return -magnitude if code & 0x80 else magnitude


#: VALUES[flavour][code]: the value of a code, exact.
VALUES: dict[Flavour, tuple[float, ...]] = {
    flavour: tuple(_value(code, flavour) for code in range(256)) for flavour in _BIAS
}

#: Every code that is a number, ascending; -0 included where the format has it.
FINITE_CODES: dict[Flavour, tuple[int, ...]] = {
    flavour: tuple(code for code in range(256) if code not in NAN_CODES[flavour]) for flavour in _BIAS
}

#: Largest finite value: 448 and 240.
MAX_FINITE: dict[Flavour, float] = {
    flavour: max(VALUES[flavour][code] for code in FINITE_CODES[flavour]) for flavour in _BIAS
}


def decode(codes: torch.Tensor, flavour: Flavour) -> torch.Tensor:
    """Values of fp8 codes, exact.

    codes: uint8, any shape. Returns float64 of the same shape.
    """
    import torch

    return _table(flavour).index_select(0, codes.reshape(-1).to(torch.int32)).reshape(codes.shape)


@cache
def _table(flavour: Flavour) -> torch.Tensor:
    import torch

    return torch.tensor(VALUES[flavour], dtype=torch.float64)


def encode(values: torch.Tensor, flavour: Flavour) -> torch.Tensor:
    """The nearest fp8 code, ties to the even code (RNE); beyond the largest finite value it saturates.

    values: float64, any shape; NaN becomes a NaN code. Returns uint8 of the same shape. Quantisers saturate;
    torch's own cast differs beyond the range (2.13: e4m3fn saturates, e4m3fnuz gives NaN).
    """
    import torch

    # Codes of positive numbers ascend with their values, so a code is its own rank.
    positive = torch.tensor([v for v in VALUES[flavour][:0x80] if not math.isnan(v)], dtype=torch.float64)
    midpoints = (positive[:-1] + positive[1:]) / 2  # exact: 5 significant bits
    magnitude = values.to(torch.float64).abs()
    below = torch.bucketize(magnitude, midpoints, right=False)
    above = torch.bucketize(magnitude, midpoints, right=True)  # differs from `below` at a tie only
    code = torch.where(below % 2 == 0, below, above)
    negative = torch.signbit(values)
    if flavour == "e4m3fnuz":
        negative &= code != 0  # no -0
    code = torch.where(negative, code + 0x80, code)
    return torch.where(values.isnan(), max(NAN_CODES[flavour]), code).to(torch.uint8)
