# SPDX-License-Identifier: Apache-2.0
"""CK's numeric contract: fp8 formats, tensor layouts, roundings, and the GEMM that they define.

Importing this package does not import torch; the functions do.
"""

from oracle.reference.contract import (
    MFMA_SLICE,
    SCALE_BLOCK,
    Contract,
    Conversion,
    Denormals,
    KSlices,
    Mfma,
    OutDtype,
    Problem,
    reference,
    slice_map,
    split_blocks,
)
from oracle.reference.fp8 import FINITE_CODES, MAX_FINITE, NAN_CODES, VALUES, Flavour, decode, encode
from oracle.reference.layouts import (
    Layout,
    Operands,
    relayout,
    shuffle_weight,
    unshuffle_weight,
    x_scale_from_k_major,
    x_scale_to_k_major,
)
from oracle.reference.rounding import add_round32, bf16_bits, bf16_truncated_bits, fma32, fp16_bits, mfma_add

__all__ = [
    "FINITE_CODES",
    "MAX_FINITE",
    "MFMA_SLICE",
    "NAN_CODES",
    "SCALE_BLOCK",
    "VALUES",
    "Contract",
    "Conversion",
    "Denormals",
    "Flavour",
    "KSlices",
    "Layout",
    "Mfma",
    "Operands",
    "OutDtype",
    "Problem",
    "add_round32",
    "bf16_bits",
    "bf16_truncated_bits",
    "decode",
    "encode",
    "fma32",
    "fp16_bits",
    "mfma_add",
    "reference",
    "relayout",
    "shuffle_weight",
    "slice_map",
    "split_blocks",
    "unshuffle_weight",
    "x_scale_from_k_major",
    "x_scale_to_k_major",
]
