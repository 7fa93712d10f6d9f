# SPDX-License-Identifier: Apache-2.0
"""Checks of the tensors that a host function hands to a kernel of this folder. Raises ValueError with the values."""

import functools
from typing import Any

import torch

SCALE_BLOCK = 128


def _require(condition: bool, message: str) -> None:
    if not condition:
        raise ValueError(message)


def _check_matrix(name: str, tensor: torch.Tensor, shape: tuple[int, ...], dtype: torch.dtype) -> None:
    _require(tuple(tensor.shape) == shape, f"{name}: shape {tuple(tensor.shape)}, expected {shape}")
    _require(tensor.dtype == dtype, f"{name}: dtype {tensor.dtype}, expected {dtype}")
    _require(tensor.is_contiguous(), f"{name}: strides {tuple(tensor.stride())}, expected contiguous row-major")


def _check_x_scale(x_scale: torch.Tensor, rows: int, blocks: int, k_major: bool) -> None:
    """A contiguous [rows, blocks] tensor is row-major memory, or K-major memory where the kernel is K-major.

    aiter passes K-major scales as `transpose(0, 1).contiguous().view(rows, blocks)`, whose shape and strides say
    row-major; no layout is ever guessed from the numbers.
    """
    _require(
        tuple(x_scale.shape) == (rows, blocks), f"x_scale: shape {tuple(x_scale.shape)}, expected {(rows, blocks)}"
    )
    _require(x_scale.dtype == torch.float32, f"x_scale: dtype {x_scale.dtype}, expected torch.float32")
    accepted = x_scale.is_contiguous() or (k_major and x_scale.t().is_contiguous())
    wanted = f"contiguous (read as K-major memory) or (1, {rows})" if k_major else "contiguous row-major"
    _require(accepted, f"x_scale: strides {tuple(x_scale.stride())}, expected {wanted}")


def check(
    spec: dict[str, Any],
    XQ: torch.Tensor,
    WQ: torch.Tensor,
    x_scale: torch.Tensor,
    w_scale: torch.Tensor,
    dtype: torch.dtype,
    out: torch.Tensor | None,
) -> torch.Tensor:
    """Return the output tensor, after checking every argument against the kernel's SPEC.

    XQ fp8 [M, K] row-major; WQ fp8 [N, K] in the family's layout; x_scale fp32 [ceil(M/scale_block_m), K/128];
    w_scale fp32 [ceil(N/128), K/128]; out 16-bit float [M, N], made when None. Raises ValueError.
    """
    fp8 = getattr(torch, "float8_" + spec["fp8"])
    out_dtype = {"bf16": torch.bfloat16, "fp16": torch.float16}[spec["out_dtype"]]
    _require(XQ.dim() == 2, f"XQ: {XQ.dim()} dimensions, expected 2")
    _require(WQ.dim() == 2, f"WQ: {WQ.dim()} dimensions, expected 2")
    (M, K), (N, _) = XQ.shape, WQ.shape
    _require(K > 0 and K % SCALE_BLOCK == 0, f"XQ: K = {K}, expected a multiple of {SCALE_BLOCK}")
    _require(N > 0 and N % spec["n_multiple"] == 0, f"WQ: N = {N}, expected a multiple of {spec['n_multiple']}")
    _require(dtype == out_dtype, f"dtype: {dtype}, this kernel writes {out_dtype}")
    blocks = K // SCALE_BLOCK
    _require(4 * M * blocks < 2**31, f"x_scale: M = {M}, K = {K}: 2 GiB or more; 32-bit offsets cannot address it")
    _check_matrix("XQ", XQ, (M, K), fp8)
    _check_matrix("WQ", WQ, (N, K), fp8)
    _check_x_scale(x_scale, -(-M // spec["scale_block_m"]), blocks, spec["scale_layout"] == "km")
    _check_matrix("w_scale", w_scale, (-(-N // SCALE_BLOCK), blocks), torch.float32)
    if out is None:
        out = torch.empty((M, N), dtype=out_dtype, device=XQ.device)
    _check_matrix("out", out, (M, N), out_dtype)
    tensors = {"XQ": XQ, "WQ": WQ, "x_scale": x_scale, "w_scale": w_scale, "out": out}
    for name, tensor in tensors.items():
        _require(tensor.device == XQ.device, f"{name}: on {tensor.device}, XQ is on {XQ.device}")
    _require(XQ.device.type == "cuda", f"XQ: on {XQ.device}, this kernel runs on a ROCm device ({spec['arch']})")
    arch = _device_arch(XQ.device.index)
    _require(arch == spec["arch"], f"XQ: on {arch}, this kernel is built for {spec['arch']}")
    return out


@functools.cache
def _device_arch(index: int) -> str:
    properties = torch.cuda.get_device_properties(index)
    return str(getattr(properties, "gcnArchName", properties.name)).split(":")[0]
