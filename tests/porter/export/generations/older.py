# SPDX-License-Identifier: Apache-2.0
"""A dispatch in the style of aiter's older generation: the row is looked up and dropped, CK's own table decides."""

import torch

from ..jit.core import PLAIN_TABLE, SHUFFLED_TABLE, compile_ops, read_table
from ..jit.utils.chip_info import get_cu_num, get_gfx
from ..jit.utils.torch_guard import torch_compile_guard


@compile_ops("module_plain")
def gemm_a8w8_blockscale_ck(XQ, WQ, x_scale, w_scale, Out): ...


@compile_ops("module_shuffled")
def gemm_a8w8_blockscale_bpreshuffle_ck(XQ, WQ, x_scale, w_scale, Out): ...


def get_CKGEMM_config(M, N, K, tuned_file):
    table = read_table(tuned_file, ["cu_num", "M", "N", "K"])
    return table.get((get_cu_num(), M, N, K))


@torch_compile_guard()
def gemm_a8w8_blockscale(XQ, WQ, x_scale, w_scale, dtype=torch.bfloat16, isBpreshuffled=False):
    m, n, k = XQ.shape[0], WQ.shape[0], XQ.shape[1]
    Y = torch.empty(m, n, dtype=dtype, device=XQ.device)
    if isBpreshuffled:
        assert get_gfx() == "nowhere"
    else:
        # The result says which tuned row there is; CK finds its own.
        get_CKGEMM_config(m, n, k, PLAIN_TABLE)  # logged
        return gemm_a8w8_blockscale_ck(XQ, WQ, x_scale, w_scale, Y)


@torch_compile_guard()
def gemm_a8w8_blockscale_bpreshuffle(XQ, WQ, x_scale, w_scale, dtype=torch.bfloat16):
    m, n, k = XQ.shape[0], WQ.shape[0], XQ.shape[1]
    get_CKGEMM_config(m, n, k, SHUFFLED_TABLE)
    Y = torch.empty(m, n, dtype=dtype, device=XQ.device)
    return gemm_a8w8_blockscale_bpreshuffle_ck(XQ, WQ, x_scale, w_scale, Y)
