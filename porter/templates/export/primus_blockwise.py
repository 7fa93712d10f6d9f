# SPDX-License-Identifier: Apache-2.0
"""Primus-Turbo's blockwise FP8 GEMM, forward (NT), by the kernels of this folder.

a fp8 [M, K] and b fp8 [N, K], row-major; a_scale_inv fp32 [M, K/128], row-major or with strides (1, M); b_scale_inv
fp32 [ceil(N/128), K/128]. Neither FlyDSL nor a kernel is imported before the first call. Nothing is tuned at run time,
so a call may be captured into a graph once its kernel is compiled, which the first call does.
"""

import functools
from collections.abc import Callable
from typing import Any

import torch

from . import dispatch


def supports(trans_a: bool, trans_b: bool, trans_c: bool, out_dtype: torch.dtype) -> bool:
    """Whether `gemm_fp8_blockwise_flydsl_kernel` serves this call; dgrad (NN) and wgrad (TN) need other kernels."""
    return (trans_a, trans_b, trans_c, out_dtype) == (False, True, False, torch.bfloat16)


def with_fallback(other: Callable[..., torch.Tensor]) -> Callable[..., torch.Tensor]:
    """`gemm_fp8_blockwise_flydsl_kernel` for the calls that it takes; the others go to `other`, unchanged."""

    @functools.wraps(gemm_fp8_blockwise_flydsl_kernel)
    def serve(*arguments: Any, **keywords: Any) -> torch.Tensor:
        try:
            return gemm_fp8_blockwise_flydsl_kernel(*arguments, **keywords)
        except ValueError:
            pass  # raised before anything is launched
        return other(*arguments, **keywords)

    return serve


def gemm_fp8_blockwise_flydsl_kernel(
    a: torch.Tensor,
    a_scale_inv: torch.Tensor,
    b: torch.Tensor,
    b_scale_inv: torch.Tensor,
    *,
    trans_a: bool = False,
    trans_b: bool = True,
    trans_c: bool = False,
    out_dtype: torch.dtype = torch.bfloat16,
) -> torch.Tensor:
    """out[M, N] = (a * a_scale_inv) @ (b * b_scale_inv)^T.

    Raises ValueError, with the values, for what `supports` does not name and for shapes, dtypes or strides that are not
    as above.
    """
    if not supports(trans_a, trans_b, trans_c, out_dtype):
        raise ValueError(
            f"trans_a={trans_a}, trans_b={trans_b}, trans_c={trans_c}, out_dtype={out_dtype}: "
            "only the forward, b transposed, with bfloat16 output"
        )
    # K-major scales are copied, 4 bytes for 128 of a; anything else that is not contiguous is refused below.
    if a_scale_inv.dim() == 2 and a_scale_inv.t().is_contiguous():
        a_scale_inv = a_scale_inv.contiguous()
    out: torch.Tensor = dispatch.gemm_a8w8_blockscale(a, b, a_scale_inv, b_scale_inv, out_dtype)
    return out
