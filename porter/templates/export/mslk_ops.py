# SPDX-License-Identifier: Apache-2.0
"""MSLK's block-scale FP8 GEMMs by the kernels of this folder; XQ [..., K] and WQ [N, K] are row-major.

| op | x_scale, fp32 | w_scale, fp32 |
|---|---|---|
| f8f8bf16_groupwise | [K/128, M], a scale a row | [K/128, N/128] |
| f8f8bf16_blockwise | [ceil(M/128), K/128], a scale for 128 rows | [ceil(N/128), K/128] |

The kernels read x_scale as [M, K/128]: both ops make that copy, 4 bytes for 128 of XQ. K = 0 gives zeros. Neither
FlyDSL nor a kernel is imported before the first call: a process that already holds another MLIR may not survive it.
"""

import math
from collections.abc import Callable
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
    _check_operand(XQ)
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
    rows = math.prod(XQ.shape[:-1])
    wanted = (-(-rows // BLOCK), XQ.shape[-1] // BLOCK)
    _require(tuple(x_scale.shape) == wanted, f"x_scale: shape {tuple(x_scale.shape)}, expected {wanted}")
    return _gemm(XQ, WQ, x_scale.repeat_interleave(BLOCK, dim=0)[:rows].contiguous(), w_scale)


def register(dispatch_key: str = "CUDA") -> Any:
    """Make these the ROCm kernels of `torch.ops.mslk`, whose schemas must exist; the result must be kept alive.

    A call that they refuse goes to the kernel that was there before, unchanged; without one it raises ValueError.
    """
    library = torch.library.Library("mslk", "IMPL")
    for function in (f8f8bf16_groupwise, f8f8bf16_blockwise):
        name = function.__name__
        before = _registered(name, dispatch_key)
        # A torch that cannot tell the kernel before has no such argument either.
        override = {} if before is None else {"allow_override": True}
        library.impl(name, _or_before(function, before), dispatch_key, with_keyset=True, **override)
    return library


def _registered(name: str, dispatch_key: str) -> Any:
    """The op's kernel before ours; None without one, or where torch is too old to tell."""
    try:
        return torch.library.get_kernel(f"mslk::{name}", dispatch_key)
    except (AttributeError, RuntimeError):
        return None


def _or_before(function: Callable[..., torch.Tensor], before: Any) -> Callable[..., torch.Tensor]:
    def serve(keys: Any, *arguments: Any) -> torch.Tensor:
        try:
            return function(*arguments)
        except ValueError:
            if before is None:
                raise
        result: torch.Tensor = before.call_boxed(keys, *arguments)
        return result

    return serve


def _gemm(XQ: torch.Tensor, WQ: torch.Tensor, x_scale: torch.Tensor, w_scale: torch.Tensor) -> torch.Tensor:
    if XQ.shape[-1] == 0:
        return _zeros(XQ, WQ, x_scale, w_scale)
    flat = XQ.reshape(-1, XQ.shape[-1])
    out: torch.Tensor = dispatch.gemm_a8w8_blockscale(flat, WQ, x_scale, w_scale, torch.bfloat16)
    return out.view(*XQ.shape[:-1], WQ.shape[0])


def _check_operand(XQ: torch.Tensor) -> None:
    _require(XQ.dim() >= 2, f"XQ: {XQ.dim()} dimensions, expected 2 or more")


def _zeros(XQ: torch.Tensor, WQ: torch.Tensor, x_scale: torch.Tensor, w_scale: torch.Tensor) -> torch.Tensor:
    """A sum of nothing; the operands must agree all the same."""
    _require(WQ.dim() == 2 and WQ.shape[1] == 0, f"WQ: shape {tuple(WQ.shape)}, expected [N, 0]")
    _require(WQ.dtype == XQ.dtype, f"WQ: dtype {WQ.dtype}, expected {XQ.dtype}")
    rows = {"x_scale": math.prod(XQ.shape[:-1]), "w_scale": -(-len(WQ) // BLOCK)}
    for name, scale in {"x_scale": x_scale, "w_scale": w_scale}.items():
        found = (*scale.shape, scale.dtype)
        wanted = (rows[name], 0, torch.float32)
        _require(found == wanted, f"{name}: rows, K/128 and dtype {found}, expected {wanted}")
    return torch.zeros((*XQ.shape[:-1], len(WQ)), dtype=torch.bfloat16, device=XQ.device)


def _require(condition: bool, message: str) -> None:
    if not condition:
        raise ValueError(message)
