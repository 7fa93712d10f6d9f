# SPDX-License-Identifier: Apache-2.0
"""Kernels of this folder that a tuned row names, called as `aiter.ops.gemm_op_a8w8` calls its own.

A row is what `get_CKGEMM_config` returns. Nothing but the standard library is imported before a kernel runs.
"""

import functools
import importlib
import importlib.metadata
import logging
from typing import Any

from .instances import FLYDSL, kernels_by_name

logger = logging.getLogger("aiter")

_DTYPES = {"torch.bfloat16": "bf16", "torch.float16": "fp16"}


def names_kernel(config: Any, family: str) -> bool:
    """Whether a row names a kernel of this folder and of this family, `plain` or `bpreshuffle`."""
    kernel = _named(config)
    return kernel is not None and kernel.preshuffle_b == (family == "bpreshuffle")


def serves(config: Any, dtype: Any) -> bool:
    """Whether the row's kernel writes this dtype and its FlyDSL is installed; why not is logged once."""
    kernel = _named(config)
    if kernel.dtype != _DTYPES.get(str(dtype)):
        _warn(f"{kernel.name} writes {kernel.dtype}, not {dtype}: not used")
        return False
    installed = _flydsl()
    if ".".join(installed.split(".")[:2]) != FLYDSL:
        _warn(f"{kernel.name} needs flydsl {FLYDSL}, installed is {installed or 'none'}: not used")
        return False
    return True


def run(config: Any, XQ: Any, WQ: Any, x_scale: Any, w_scale: Any, dtype: Any, out: Any = None) -> Any:
    """out[M, N] = (XQ * x_scale) @ (WQ * w_scale)^T by the row's kernel; `out` is made when None.

    XQ fp8 [M, K]; x_scale fp32 [M, K/128], contiguous; w_scale fp32 [ceil(N/128), K/128]; WQ fp8 [N, K]. Preshuffled
    kernels take WQ shuffled (16, 16), and x_scale with strides (1, M) or contiguous, whose memory they read as
    [K/128, M]. Raises ValueError for anything else.
    """
    kernel = _named(config)
    if kernel is None:
        raise ValueError(f"no kernel of this folder is named in {config!r}")
    entry = "gemm_a8w8_blockscale_bpreshuffle" if kernel.preshuffle_b else "gemm_a8w8_blockscale"
    module = importlib.import_module(f"{__package__}.{kernel.name}")
    return getattr(module, entry)(XQ, WQ, x_scale, w_scale, dtype, out=out)


def _named(config: Any) -> Any:
    # An empty cell of the table is a float, NaN.
    name = config.get("kernelName") if config else None
    return kernels_by_name.get(name) if isinstance(name, str) else None


@functools.cache
def _flydsl() -> str:
    try:
        return importlib.metadata.version("flydsl")
    except importlib.metadata.PackageNotFoundError:
        return ""


@functools.cache
def _warn(message: str) -> None:
    logger.warning(message)
