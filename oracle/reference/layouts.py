# SPDX-License-Identifier: Apache-2.0
"""Memory layouts of the operands, and the way between them (docs/notes/ck.md#layouts).

Logical tensors are what `Problem` holds: w [N, K], x_scale [M blocks, K/128]. The bpreshuffle family stores both
differently; the plain family stores them as they are. No function here guesses a layout.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, get_args

from oracle.reference.contract import SCALE_BLOCK

if TYPE_CHECKING:
    import torch

#: How a library stores weights and scales; see `Operands`.
Layout = Literal["ck_plain", "ck_bpreshuffle", "mslk", "primus", "primus_k_major"]


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


@dataclass(frozen=True, slots=True, eq=False)
class Operands:
    """Weights and scales of one GEMM in a library's layout; kb = K/128, nb = ceil(N/128), mb rows of x scales.

    | layout | w, 1-byte | x_scale, fp32 | w_scale, fp32 |
    |---|---|---|---|
    | ck_plain | [N, K] | [mb, kb] | [nb, kb] |
    | ck_bpreshuffle | [N, K] in `shuffle_weight` order | memory of [kb, mb] under the shape [mb, kb] | [nb, kb] |
    | mslk | [N, K] | [kb, mb] | [kb, nb] |
    | primus | [N, K] | [mb, kb] | [nb, kb] |
    | primus_k_major | [N, K] | [mb, kb] with strides (1, mb) | [nb, kb] |

    All are contiguous but the x_scale of primus_k_major, whose strides `ck_bpreshuffle` takes too. Sources:
    docs/notes/ck.md#layouts; docs/notes/downstream.md#mslk-and-primus-turbo, read, never run by us.
    """

    w: torch.Tensor
    x_scale: torch.Tensor
    w_scale: torch.Tensor


def relayout(operands: Operands, source: Layout, target: Layout) -> Operands:
    """The same weights and scales in another library's layout; what needs no change is not copied.

    `source` is taken at its word: no layout is told from shapes, which agree where mb = kb. Raises ValueError, with the
    values, for an unknown layout, and for shapes, element sizes or strides that `source` cannot have.
    """
    for layout in (source, target):
        if layout not in get_args(Layout):
            raise ValueError(f"layout must be one of {get_args(Layout)}, got {layout!r}")
    return _write(_read(operands, source), target)


def _read(operands: Operands, layout: Layout) -> Operands:
    """To ck_plain, checked."""
    w, xs, ws = operands.w, _matrix(operands.x_scale), _matrix(operands.w_scale)
    if w.ndim != 2 or w.element_size() != 1 or not w.is_contiguous() or w.shape[1] % SCALE_BLOCK:
        raise ValueError(
            f"{layout}: weights must be contiguous [N, K] of 1-byte elements with K % {SCALE_BLOCK} == 0, "
            f"got {tuple(w.shape)} {w.dtype} with strides {w.stride()}"
        )
    if layout == "ck_bpreshuffle":
        w = unshuffle_weight(w)
        # Contiguous memory is K-major whatever its shape says; strides (1, mb) say so themselves.
        xs = xs.view(xs.shape[1], xs.shape[0]).t() if xs.is_contiguous() else _k_major(xs, layout)
    elif layout == "primus_k_major":
        xs = _k_major(xs, layout)
    elif not xs.is_contiguous():
        raise ValueError(f"{layout}: x_scale must be contiguous, got strides {xs.stride()}")
    if not ws.is_contiguous():
        raise ValueError(f"{layout}: w_scale must be contiguous, got strides {ws.stride()}")
    if layout == "mslk":
        xs, ws = xs.t(), ws.t()
    blocks, rows = w.shape[1] // SCALE_BLOCK, -(-w.shape[0] // SCALE_BLOCK)
    if xs.shape[1] != blocks or tuple(ws.shape) != (rows, blocks):
        raise ValueError(
            f"{layout}: N = {w.shape[0]}, K = {w.shape[1]} have {blocks} blocks of K and {rows} of N, "
            f"got x_scale {tuple(operands.x_scale.shape)} and w_scale {tuple(operands.w_scale.shape)}"
        )
    return Operands(w, xs.contiguous(), ws.contiguous())


def _write(plain: Operands, layout: Layout) -> Operands:
    w, xs, ws = plain.w, plain.x_scale, plain.w_scale
    if layout == "ck_bpreshuffle":
        return Operands(shuffle_weight(w), x_scale_to_k_major(xs).view(xs.shape), ws)
    if layout == "mslk":
        return Operands(w, x_scale_to_k_major(xs), ws.t().contiguous())
    if layout == "primus_k_major":
        return Operands(w, x_scale_to_k_major(xs).t(), ws)
    return plain


def _k_major(xs: torch.Tensor, layout: Layout) -> torch.Tensor:
    if not xs.t().is_contiguous():
        raise ValueError(f"{layout}: x_scale must have strides (1, {xs.shape[0]}), got {xs.stride()}")
    return xs


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
