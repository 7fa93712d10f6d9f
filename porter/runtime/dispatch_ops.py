# SPDX-License-Identifier: Apache-2.0
"""The calls of `dispatch.py` as ops: in a compiled graph the kernel is chosen when it runs, with the M of that run.

Importing this imports torch, so the first call does it.
"""

import functools
from typing import Any

import torch

from . import _host, dispatch

_FAMILIES = {"gemm_a8w8_blockscale": "plain", "gemm_a8w8_blockscale_bpreshuffle": "bpreshuffle"}


def call(entry: str, XQ: Any, WQ: Any, x_scale: Any, w_scale: Any, dtype: Any, out: Any) -> Any:
    """What `dispatch.<entry>` returns."""
    if out is None:
        out = _host.empty_output(XQ, WQ, dtype or torch.bfloat16)
    elif dtype is not None and out.dtype != dtype:
        raise ValueError(f"out: dtype {out.dtype}, expected {dtype}")
    _OPS[entry](XQ, WQ, x_scale, w_scale, out)
    return out


def _fake(XQ: Any, WQ: Any, x_scale: Any, w_scale: Any, out: Any) -> None:
    """Which kernel will run, and so what it takes, is open."""


_OPS = {
    entry: _host.define_op(__package__, entry, functools.partial(dispatch.run, family), _fake)
    for entry, family in _FAMILIES.items()
}
