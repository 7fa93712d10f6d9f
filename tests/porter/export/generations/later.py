# SPDX-License-Identifier: Apache-2.0
"""A dispatch in the style of aiter's later versions: no nesting, several tables, the output made where it is needed."""

import torch

from ..jit.core import PLAIN_TABLE, SHUFFLED_TABLE, compile_ops, read_table
from ..jit.utils.chip_info import get_cu_num, get_gfx
from ..jit.utils.torch_guard import torch_compile_guard


@compile_ops("module_plain")
def gemm_a8w8_blockscale_ck(XQ, WQ, x_scale, w_scale, Out, splitK=0, kernelName=""): ...


@compile_ops("module_shuffled")
def gemm_a8w8_blockscale_bpreshuffle_ck(XQ, WQ, x_scale, w_scale, Out, kernelName=""): ...


def get_CKGEMM_config(M, N, K, tuned_file):
    table = read_table(tuned_file, ["gfx", "cu_num", "M", "N", "K"])
    return table.get((get_gfx(), get_cu_num(), M, N, K))


@torch_compile_guard()
def gemm_a8w8_blockscale(XQ, WQ, x_scale, w_scale, dtype=torch.bfloat16, isBpreshuffled=False, split_k=None):
    m, n, k = XQ.shape[0], WQ.shape[0], XQ.shape[1]
    assert not isBpreshuffled and split_k is None
    tuned_file = PLAIN_TABLE if x_scale.dtype == torch.float32 else "group32.csv"
    tuned = get_CKGEMM_config(m, n, k, tuned_file)
    if tuned is not None:
        assert tuned["libtype"] == "ck", f"Unsupported libtype {tuned['libtype']}"
        Y = torch.empty(m, n, dtype=dtype, device=XQ.device)
        return gemm_a8w8_blockscale_ck(XQ, WQ, x_scale, w_scale, Y, kernelName=tuned["kernelName"])
    Y = torch.empty(m, n, dtype=dtype, device=XQ.device)
    return gemm_a8w8_blockscale_ck(XQ, WQ, x_scale, w_scale, Y)


@torch_compile_guard()
def gemm_a8w8_blockscale_bpreshuffle(XQ, WQ, x_scale, w_scale, dtype=torch.bfloat16, out=None):
    m, n, k = XQ.shape[0], WQ.shape[0], XQ.shape[1]
    if get_gfx() == "gfx1250":
        config = get_CKGEMM_config(m, n, k, SHUFFLED_TABLE)
        raise RuntimeError(f"another chip's kernel, {config}")
    Y = torch.empty(m, n, dtype=dtype, device=XQ.device) if out is None else out
    config = get_CKGEMM_config(m, n, k, SHUFFLED_TABLE)
    try:
        return gemm_a8w8_blockscale_bpreshuffle_ck(
            XQ, WQ, x_scale, w_scale, Y, kernelName=config["kernelName"] if config else ""
        )
    except RuntimeError as error:
        raise RuntimeError(f"failed for {m}x{n}x{k}") from error
