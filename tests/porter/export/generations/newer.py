# SPDX-License-Identifier: Apache-2.0
"""A dispatch in the style of aiter's newer generation: the row's libtype decides, and `flydsl` is another chip's."""

import torch

from ..jit.core import PLAIN_TABLE, SHUFFLED_TABLE, compile_ops, read_table
from ..jit.utils.chip_info import get_cu_num, get_gfx
from ..jit.utils.torch_guard import torch_compile_guard


@compile_ops("module_plain")
def gemm_a8w8_blockscale_ck(XQ, WQ, x_scale, w_scale, Out, splitK=0, kernelName=""): ...


@compile_ops("module_tile")
def gemm_a8w8_blockscale_cktile(XQ, WQ, x_scale, w_scale, Out, splitK=0, kernelName=""): ...


@compile_ops("module_shuffled")
def gemm_a8w8_blockscale_bpreshuffle_ck(XQ, WQ, x_scale, w_scale, Out, kernelName=""): ...


def microscaled(XQ, WQ, x_scale, w_scale, Out, config):
    raise RuntimeError("another chip's kernel")


def get_CKGEMM_config(M, N, K, tuned_file):
    table = read_table(tuned_file, ["gfx", "cu_num", "M", "N", "K"])
    return table.get((get_gfx(), get_cu_num(), M, N, K))


@torch_compile_guard()
def gemm_a8w8_blockscale(XQ, WQ, x_scale, w_scale, dtype=torch.bfloat16, isBpreshuffled=False):
    m, n, k = XQ.shape[0], WQ.shape[0], XQ.shape[1]
    Y = torch.empty(m, n, dtype=dtype, device=XQ.device)
    if isBpreshuffled:
        assert get_gfx() == "nowhere"
    else:
        config = get_CKGEMM_config(m, n, k, PLAIN_TABLE)
        if config is not None:
            libtype = config["libtype"]
            split = int(config.get("splitK", 0))
            name = str(config.get("kernelName", ""))
            if libtype == "ck":
                return gemm_a8w8_blockscale_ck(XQ, WQ, x_scale, w_scale, Y, splitK=split, kernelName=name)
            elif libtype == "cktile":
                return gemm_a8w8_blockscale_cktile(XQ, WQ, x_scale, w_scale, Y, splitK=split, kernelName=name)
            else:
                raise AssertionError(f"Unsupported libtype {libtype}")
        try:
            return gemm_a8w8_blockscale_ck(XQ, WQ, x_scale, w_scale, Y)
        except RuntimeError as error:
            raise RuntimeError(f"failed for {m}x{n}x{k}, {config=}") from error


@torch_compile_guard()
def gemm_a8w8_blockscale_bpreshuffle(XQ, WQ, x_scale, w_scale, dtype=torch.bfloat16, out=None):
    m, n, k = XQ.shape[0], WQ.shape[0], XQ.shape[1]
    if out is not None:
        assert out.shape == (m, n)
        Y = out
    else:
        Y = torch.empty(m, n, dtype=dtype, device=XQ.device)
    if get_gfx() == "gfx1250":
        config = get_CKGEMM_config(m, n, k, SHUFFLED_TABLE)
        if config is not None and config["libtype"] == "flydsl":
            return microscaled(XQ, WQ, x_scale, w_scale, Y, config)
    config = get_CKGEMM_config(
        m,
        n,
        k,
        SHUFFLED_TABLE,
    )
    if config is not None:
        libtype = config["libtype"]
        if libtype == "ck":
            name = str(config.get("kernelName", ""))
            return gemm_a8w8_blockscale_bpreshuffle_ck(XQ, WQ, x_scale, w_scale, Y, kernelName=name)
        elif libtype == "flydsl":
            return microscaled(XQ, WQ, x_scale, w_scale, Y, config)
    return gemm_a8w8_blockscale_bpreshuffle_ck(XQ, WQ, x_scale, w_scale, Y)
