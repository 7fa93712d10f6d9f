# SPDX-License-Identifier: Apache-2.0
"""Hazard distances: for every rule two instructions, and the wait states that they need between them."""

from __future__ import annotations

from .example import Distance

_MFMA = "v_mfma_f32_16x16x128_f8f6f4 v[0:3], v[8:15], v[16:23], 0"
_DPP = "v_mov_b32_dpp v2, v1 quad_perm:[0,0,0,0] row_mask:0xf bank_mask:0xf"

DISTANCES = (
    Distance("CKM251", "MFMA to VALU", _MFMA, 12, "v_mov_b32_e32 v30, v3"),
    Distance("CKM251", "MFMA to VMEM", _MFMA, 12, "global_store_dword v40, v2, s[4:5]"),
    Distance("CKM251", "MFMA to LDS", _MFMA, 12, "ds_write_b32 v40, v2"),
    Distance("CKM251", "MFMA overwritten", _MFMA, 12, "v_mov_b32_e32 v0, 0"),
    Distance("CKM251", "MFMA to factor", _MFMA, 12, "v_mfma_f32_16x16x128_f8f6f4 v[4:7], v[0:7], v[16:23], 0"),
    Distance(
        "CKM251", "MFMA to other addend", _MFMA, 10, "v_mfma_f32_16x16x128_f8f6f4 v[24:27], v[8:15], v[16:23], v[1:4]"
    ),
    Distance(
        "CKM251",
        "32x32x64 to VALU",
        "v_mfma_f32_32x32x64_f8f6f4 v[0:15], v[16:23], v[24:31], 0",
        20,
        "v_mov_b32_e32 v40, v3",
    ),
    Distance(
        "CKM251",
        "gfx942 MFMA to VALU",
        "v_mfma_f32_16x16x32_fp8_fp8 v[0:3], v[8:9], v[16:17], 0",
        7,
        "v_mov_b32_e32 v30, v3",
        "gfx942",
    ),
    Distance(
        "CKM251",
        "addend overwritten",
        "v_mfma_f32_16x16x128_f8f6f4 v[0:3], v[8:15], v[16:23], v[24:27]",
        7,
        "v_mov_b32_e32 v25, 0",
    ),
    Distance("CKM251", "VALU to MFMA", "v_mov_b32_e32 v8, 0", 2, _MFMA),
    Distance("CKM252", "EXEC to MFMA", "v_cmpx_eq_u32_e32 vcc, v50, v51", 4, _MFMA),
    Distance("CKM252", "SGPR to VMEM", "v_readfirstlane_b32 s4, v0", 5, "global_load_dword v1, v2, s[4:5]"),
    Distance("CKM252", "SGPR to VALU", "v_cmp_eq_u32_e32 vcc, v0, v1", 2, "v_cndmask_b32_e32 v2, v0, v1, vcc"),
    Distance("CKM252", "lane select", "v_readfirstlane_b32 s4, v0", 4, "v_readlane_b32 s5, v1, s4"),
    Distance("CKM252", "lane read", "v_mov_b32_e32 v1, 0", 1, "v_readfirstlane_b32 s5, v1"),
    Distance("CKM252", "VCC to div_fmas", "v_cmp_eq_u32_e32 vcc, v0, v1", 4, "v_div_fmas_f32 v2, v0, v1, v3"),
    Distance("CKM253", "DPP", "v_mov_b32_e32 v1, 0", 2, _DPP),
    Distance("CKM253", "EXEC to DPP", "v_cmpx_eq_u32_e32 vcc, v50, v51", 5, _DPP),
    Distance("CKM253", "transcendental", "v_rcp_f32_e32 v1, v0", 1, "v_add_f32_e32 v2, v1, v0"),
    Distance("CKM253", "M0 to DMA", "s_mov_b32 m0, 0", 1, "buffer_load_dword v1, s[8:11], 0 offen lds"),
    Distance("CKM253", "wide store", "global_store_dwordx4 v[0:1], v[4:7], off", 2, "v_mov_b32_e32 v5, 0"),
    Distance(
        "CKM253",
        "wide store with an SGPR offset",
        "buffer_store_dwordx4 v[4:7], v0, s[8:11], s12 offen",
        1,
        "v_pk_mul_f32 v[4:5], v[0:1], v[2:3]",
    ),
    Distance("CKM252", "permlane", "v_mov_b32_e32 v1, 0", 2, "v_permlane32_swap_b32 v1, v2"),
    Distance("CKM252", "EXEC to permlane", "v_cmpx_eq_u32_e32 vcc, v50, v51", 4, "v_permlane32_swap_b32 v1, v2"),
    Distance(
        "CKM253",
        "part of a register",
        "v_add_u32_sdwa v1, v0, v0 dst_sel:BYTE_1 dst_unused:UNUSED_PRESERVE src0_sel:DWORD src1_sel:DWORD",
        1,
        "v_mov_b32_e32 v2, v1",
    ),
)
