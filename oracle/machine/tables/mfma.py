# SPDX-License-Identifier: Apache-2.0
"""Matrix fused multiply-add (CDNA4 ISA 7), by shape and operand format.

Operand widths follow from the shape: A and B hold rows*k/64 elements a lane, C and D rows*cols*blocks/64 dwords.
"""

from __future__ import annotations

from .opcode import Opcode, rows

# f8f6f4: the A and B widths depend on cbsz and blgp (8, 6 or 4 VGPRs), so the encoder reads them from the operand.
TABLE = """
v_mfma_f32_16x16x128_f8f6f4       | b128 = b256 b256 a:b128 | f8f6f4
v_mfma_f32_32x32x64_f8f6f4        | b512 = b256 b256 a:b512 | f8f6f4
v_mfma_scale_f32_16x16x128_f8f6f4 | b128 = b256 b256 a:b128 a:b32 a:b32 | f8f6f4
v_mfma_scale_f32_32x32x64_f8f6f4  | b512 = b256 b256 a:b512 a:b32 a:b32 | f8f6f4
v_mfma_f32_16x16x32_{fp8,bf8}_{fp8,bf8} | b128 = b64 b64 a:b128
v_mfma_f32_32x32x16_{fp8,bf8}_{fp8,bf8} | b512 = b64 b64 a:b512
v_mfma_f32_16x16x32_{f16,bf16}    | b128 = b128 b128 a:b128
v_mfma_f32_32x32x16_{f16,bf16}    | b512 = b128 b128 a:b512
v_mfma_f32_16x16x16_{f16,bf16}    | b128 = b64 b64 a:b128
v_mfma_f32_32x32x8_{f16,bf16}     | b512 = b64 b64 a:b512
v_mfma_f32_16x16x4_f32            | b128 = b32 b32 a:b128
v_mfma_f32_32x32x2_f32            | b512 = b32 b32 a:b512
v_mfma_i32_16x16x64_i8            | b128 = b128 b128 a:b128
v_mfma_i32_32x32x32_i8            | b512 = b128 b128 a:b512
v_mfma_i32_16x16x32_i8            | b128 = b64 b64 a:b128
v_mfma_i32_32x32x16_i8            | b512 = b64 b64 a:b512
"""

ALIASES = {
    "v_mfma_f32_16x16x16f16": "v_mfma_f32_16x16x16_f16",
    "v_mfma_f32_32x32x8f16": "v_mfma_f32_32x32x8_f16",
    "v_mfma_f32_16x16x16bf16_1k": "v_mfma_f32_16x16x16_bf16",
    "v_mfma_f32_32x32x8bf16_1k": "v_mfma_f32_32x32x8_bf16",
}


def opcodes() -> list[Opcode]:
    """Every matrix opcode."""
    return list(rows(TABLE, "mfma", "v", "v"))
