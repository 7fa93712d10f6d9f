# SPDX-License-Identifier: Apache-2.0
"""MSLK's block-scale FP8 GEMMs by the kernels of this folder; XQ [..., K] and WQ [N, K] are row-major.

| op | x_scale, fp32 | w_scale, fp32 |
|---|---|---|
| f8f8bf16_groupwise | [K/128, M], a scale a row | [K/128, N/128] |
| f8f8bf16_blockwise | [ceil(M/128), K/128], a scale for 128 rows | [ceil(N/128), K/128] |

The kernels read x_scale as [M, K/128]: both ops make that copy, 4 bytes for 128 of XQ. Neither FlyDSL nor a kernel is
imported before the first call: a process that already holds another MLIR may not survive it.
"""

from typing import Any

import torch

from . import dispatch

BLOCK = 128


def f8f8bf16_groupwise(
    XQ: torch.Tensor, WQ: torch.Tensor, x_scale: torch.Tensor, w_scale: torch.Tensor
) -> torch.Tensor:
    """bf16 [..., N]. Raises ValueError, with the values, for shapes, dtypes or strides that are not as above."""
    _require(x_scale.dim() == 2 and w_scale.dim() == 2, "x_scale and w_scale: expected 2 dimensions")
    _require(x_scale.is_contiguous(), f"x_scale: strides {tuple(x_scale.stride())}, expected contiguous [K/128, M]")
    _require(w_scale.is_contiguous(), f"w_scale: strides {tuple(w_scale.stride())}, expected contiguous [K/128, N/128]")
    return _gemm(XQ, WQ, x_scale.t().contiguous(), w_scale.t().contiguous())


def f8f8bf16_blockwise(
    XQ: torch.Tensor,
    WQ: torch.Tensor,
    x_scale: torch.Tensor,
    w_scale: torch.Tensor,
    block_m: int = BLOCK,
    block_n: int = BLOCK,
    block_k: int = BLOCK,
) -> torch.Tensor:
    """bf16 [..., N]. Raises ValueError, with the values, for shapes, dtypes or strides that are not as above."""
    blocks = (block_m, block_n, block_k)
    _require(blocks == (BLOCK,) * 3, f"blocks of {'x'.join(map(str, blocks))}, expected 128x128x128")
    _check_operand(XQ)
    rows = XQ.numel() // XQ.shape[-1]
    wanted = (-(-rows // BLOCK), XQ.shape[-1] // BLOCK)
    _require(tuple(x_scale.shape) == wanted, f"x_scale: shape {tuple(x_scale.shape)}, expected {wanted}")
    return _gemm(XQ, WQ, x_scale.repeat_interleave(BLOCK, dim=0)[:rows].contiguous(), w_scale)


def register(dispatch_key: str = "CUDA") -> Any:
    """Make these the ROCm kernels of `torch.ops.mslk`, whose schemas must exist; the result must be kept alive."""
    library = torch.library.Library("mslk", "IMPL")
    library.impl("f8f8bf16_groupwise", f8f8bf16_groupwise, dispatch_key)
    library.impl("f8f8bf16_blockwise", f8f8bf16_blockwise, dispatch_key)
    return library


def _gemm(XQ: torch.Tensor, WQ: torch.Tensor, x_scale: torch.Tensor, w_scale: torch.Tensor) -> torch.Tensor:
    _check_operand(XQ)
    flat = XQ.reshape(-1, XQ.shape[-1])
    out: torch.Tensor = dispatch.gemm_a8w8_blockscale(flat, WQ, x_scale, w_scale, torch.bfloat16)
    return out.view(*XQ.shape[:-1], WQ.shape[0])


def _check_operand(XQ: torch.Tensor) -> None:
    _require(XQ.dim() >= 2, f"XQ: {XQ.dim()} dimensions, expected 2 or more")
    _require(XQ.shape[-1] > 0, "XQ: K = 0, expected a positive multiple of 128")


def _require(condition: bool, message: str) -> None:
    if not condition:
        raise ValueError(message)
