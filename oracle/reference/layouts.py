# SPDX-License-Identifier: Apache-2.0
"""Memory layouts of the operands, and the way between them (ck.md A5).

Logical tensors are what `Problem` holds: w [N, K], x_scale [M blocks, K/128]. The bpreshuffle family stores both
differently; the plain family stores them as they are. No function here guesses a layout.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import torch


def shuffle_weight(w: torch.Tensor) -> torch.Tensor:
    """aiter's `shuffle_weight(w, (16, 16))` for 1-byte elements.

    w: [N, K], 1-byte dtype, N % 16 == 0, K % 32 == 0. Returns a contiguous [N, K] tensor whose memory is
    [N/16, K/32, 2, 16, 16]: (n block, k block, k half, n in block, k in half).
    Raises ValueError for another shape or element size.
    """
    n, k = _checked(w)
    return w.reshape(n // 16, 16, k // 32, 2, 16).permute(0, 2, 3, 1, 4).contiguous().view(n, k)


def unshuffle_weight(shuffled: torch.Tensor) -> torch.Tensor:
    """Inverse of `shuffle_weight`; same conditions, same errors. Returns contiguous row-major [N, K]."""
    n, k = _checked(shuffled)
    return shuffled.reshape(n // 16, k // 32, 2, 16, 16).permute(0, 3, 1, 2, 4).contiguous().view(n, k)


def x_scale_to_k_major(xs: torch.Tensor) -> torch.Tensor:
    """[M blocks, K/128] in row-major memory to contiguous [K/128, M blocks]; same values.

    aiter passes that memory under the shape [M, K/128]: `x_scale_to_k_major(xs).view(xs.shape)`.
    """
    return _matrix(xs).t().contiguous()


def x_scale_from_k_major(k_major: torch.Tensor) -> torch.Tensor:
    """Contiguous [K/128, M blocks] back to row-major [M blocks, K/128]; same values."""
    return _matrix(k_major).t().contiguous()


def _checked(w: torch.Tensor) -> tuple[int, int]:
    if w.ndim != 2 or w.element_size() != 1 or w.shape[0] % 16 or w.shape[1] % 32:
        raise ValueError(
            "weights must be [N, K] of 1-byte elements with N % 16 == 0 and K % 32 == 0, "
            f"got {tuple(w.shape)} {w.dtype}"
        )
    return w.shape[0], w.shape[1]


def _matrix(scales: torch.Tensor) -> torch.Tensor:
    if scales.ndim != 2:
        raise ValueError(f"block scales must have 2 dimensions, got {tuple(scales.shape)}")
    return scales
