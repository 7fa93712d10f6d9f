# SPDX-License-Identifier: Apache-2.0
"""Names and headers that several tests use."""

PLAIN = "a8w8_blockscale_1x128x128_256x64x256x128_16x16_32x32_2x2_8x32x1_8x32x1_1x32x1x8_8_1x1_intrawave_v1"  # id 14
PLAIN_OLD = "a8w8_blockscale_1x128x128_256x64x256x128_16x16_32x32_8x32x1_8x32x1_1x32x1x8_8_1x1_intrawave_v1"
BPRESHUFFLE = (
    "a8w8_blockscale_bpreshuffle_1x128x128_256x64x256x128_16x16_16x16_8x32x1_8x32x1_1x32x1x8_8_2x1_intrawave_v1"
)
CKTILE = "a8w8_blockscale_cktile_16x128x256_1x4x1_16x16x128_intrawave_0x1x0_2"
CKTILE_EIGHT_WAVES = "a8w8_blockscale_cktile_192x256x128_4x2x1_16x16x128_intrawave_0x1x0_3_aqrm"
CKTILE_2025 = "a8w8_blockscale_cktile_128x128x128_2x2x1_32x32x16_intrawave_0x0x1x0_1"
ASM = "_ZN5aiter42fp8gemm_bf16_blockscale_BpreShuffle_32x128E"
OPUS = "opus_gemm_gfx942_a8w8_bs_bpreshuf_sb_tailm_v16_512x128x128x128_4x2_16x16x32_1x128x128"
TRITON = "triton"
PORTER = "flydsl_a8w8_blockscale_plain_gfx950_1x128x128_4w_64x256x128_16x16x128_inline_wpe2_xcd8_ks1_rm_bf16"
PEER_FOUR_WAVE = "flydsl_blockscale_bpreshuffle_64x256x128_sbk128_1x1x2x8x0"
PEER_EIGHT_WAVE = "flydsl8w_blockscale_bpreshuffle_128x256_wpe2_xcd0"
BRANCH_FOUR_WAVE = "flydsl_blockscale_bpreshuffle_64x256x128_sbk128_B16_1x0x2_default_xcd8"
DTYPED = "flydsl_blockscale_bpreshuffle_64x256x128_F8_F8_B16_sbk128_default_w8_ac1_cs0"
WMMA = "flydsl_mxfp8_128_bpreshuffle_compute_wmma_t256x256x128_mw2_nw2_nb2_sk4_cm2_cn4"
MXFP8_MFMA = "flydsl_mxfp8_128_bpreshuffle_mfma_t64x256x128_wpe2_xcd8"

#: Every name that parses and spells itself back unchanged.
ROUND_TRIPS = (
    PLAIN,
    BPRESHUFFLE,
    CKTILE,
    CKTILE_EIGHT_WAVES,
    CKTILE_2025,
    ASM,
    OPUS,
    TRITON,
    PORTER,
    PEER_FOUR_WAVE,
    PEER_EIGHT_WAVE,
    BRANCH_FOUR_WAVE,
    BRANCH_FOUR_WAVE.removesuffix("_xcd8"),
    DTYPED,
    DTYPED.removesuffix("_w8_ac1_cs0"),
    WMMA,
    f"{WMMA}_fsk_apre_ps2",
    MXFP8_MFMA,
)

TUNED_HEADER = "gfx,cu_num,M,N,K,libtype,kernelId,splitK,us,kernelName,tflops,bw,errRatio"


def tuned(
    name: str = PLAIN,
    m: object = 64,
    n: object = 7168,
    k: object = 2304,
    *,
    gfx: object = "gfx950",
    cu_num: object = 256,
    libtype: object = "ck",
    kernel_id: object = 0,
    split_k: object = 0,
    us: object = 5.0,
    err: object = 0.0,
) -> str:
    """One row under TUNED_HEADER."""
    return ",".join(map(str, (gfx, cu_num, m, n, k, libtype, kernel_id, split_k, us, name, 0, 0, err)))
