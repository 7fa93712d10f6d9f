# SPDX-License-Identifier: Apache-2.0
"""Every rounding step of the contract, each correctly rounded from the exact value.

Tensors only, element by element, operands of equal shape. The host's own fused operations are not used: torch does not
specify whether or how it fuses.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import torch

#: Smallest normal fp32; below it fp32 numbers stand 2^-149 apart.
MIN_NORMAL32 = 2.0**-126

# Bits that a float64 has and a normal fp32 has not, and their value half way between two neighbouring fp32 numbers.
_DROPPED = (1 << 29) - 1
_HALF = 1 << 28


def add_round32(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """RN32(a + b): the exact sum of two float64 numbers, rounded once to fp32 (RNE).

    a, b: float64 of one shape. Returns fp32; overflow to infinity, denormals kept, NaN and infinities as IEEE 754.
    """
    import torch

    total = a + b  # RNE to 53 bits
    # Every tie of fp32 is a float64, so a second rounding goes wrong only where the first one landed on a tie. Those
    # places are rare; there the first rounding is redone as round-to-odd, which no second rounding can spoil.
    suspect = (total.view(torch.int64) & _DROPPED) == _HALF
    suspect |= total.abs() < MIN_NORMAL32  # ties of denormals stand at other bits
    if suspect.any():
        total[suspect] = _to_odd(a[suspect], b[suspect], total[suspect])
    return total.to(torch.float32)  # RNE


def _to_odd(a: torch.Tensor, b: torch.Tensor, total: torch.Tensor) -> torch.Tensor:
    """Round-to-odd of a + b, given its RNE sum: an inexact sum ends in the neighbour with an odd last bit."""
    import torch

    b_seen = total - a
    error = (a - (total - b_seen)) + (b - b_seen)  # TwoSum (Knuth): a + b == total + error, exactly
    towards = torch.copysign(torch.full_like(error, torch.inf), error)
    inexact_even = (error != 0) & ((total.view(torch.int64) & 1) == 0)
    return torch.where(inexact_even, torch.nextafter(total, towards), total)


def fma32(a: torch.Tensor, b: torch.Tensor, c: torch.Tensor) -> torch.Tensor:
    """RN32(a * b + c), correctly rounded (RNE), denormals kept. a, b, c: fp32 of one shape. Returns fp32."""
    import torch

    # 24 x 24 bits fit in 53 and the exponents stay above 2^-298: the product is exact.
    return add_round32(a.to(torch.float64) * b.to(torch.float64), c.to(torch.float64))


def mfma_add(c: torch.Tensor, dot: torch.Tensor) -> torch.Tensor:
    """RN32(C + exact dot): the one rounding (RNE) of one MFMA instruction.

    c: fp32; dot: float64, the exact dot product of the instruction's K slice. Returns fp32, denormals kept.
    That MFMA rounds once per instruction is the contract's model; gfx950's own inner rounding is not public
    (docs/notes/ck.md#fp8-and-mfma-arithmetic).
    """
    import torch

    return add_round32(dot, c.to(torch.float64))


def flush32(values: torch.Tensor) -> torch.Tensor:
    """Denormals to zero of the same sign; everything else unchanged. values: fp32."""
    import torch

    return torch.where(values.abs() < MIN_NORMAL32, values * 0.0, values)


def bf16_bits(values: torch.Tensor) -> torch.Tensor:
    """fp32 to bf16 patterns in one RNE step; denormals kept, overflow to infinity, NaN to 0x7FC0 with its sign.

    values: fp32. Returns int16 (the patterns; view as uint16). In integers, since bf16 instructions of some hosts flush
    denormals.
    """
    import torch

    bits = values.view(torch.int32)
    rounded = (bits + 0x7FFF + ((bits >> 16) & 1)) >> 16  # RNE
    quiet_nan = ((bits >> 16) & 0x8000) | 0x7FC0
    return torch.where(values.isnan(), quiet_nan, rounded).to(torch.int16)


def bf16_truncated_bits(values: torch.Tensor) -> torch.Tensor:
    """The upper halves of fp32 numbers, as int16: bf16 towards zero. A NaN with a low payload becomes infinite.

    values: fp32. What aiter's hand-written kernels store.
    """
    import torch

    return (values.view(torch.int32) >> 16).to(torch.int16)


def fp16_bits(values: torch.Tensor) -> torch.Tensor:
    """fp32 to fp16 patterns in one RNE step; denormals kept, overflow to infinity, NaN stays NaN.

    values: fp32. Returns int16 (the patterns; view as uint16).
    """
    import torch

    return values.to(torch.float16).view(torch.int16)  # RNE
