; SPDX-License-Identifier: Apache-2.0
; flydsl_a8w8_blockscale_plain_gfx950_1x128x128_4w_64x256x128_16x16x128_cluster_wpe2_xcd0_ks1_rm_bf16 at NxK 48x128, compiled by FlyDSL 0.5.0,
; as it was when its wait for the DMA of A counted the loads in the source.
	s_load_dword s3, s[0:1], 0x28
	s_load_dwordx2 s[16:17], s[0:1], 0x20
	s_load_dwordx8 s[4:11], s[0:1], 0x0
	s_lshl_b32 s28, s2, 6
	s_ashr_i32 s29, s28, 31
	s_waitcnt lgkmcnt(0)
	s_sub_i32 s0, s3, s28
	s_min_i32 s30, s0, 64
	s_lshl_b64 s[0:1], s[28:29], 7
	s_add_u32 s24, s6, s0
	s_addc_u32 s0, s7, s1
	s_and_b32 s25, s0, 0xffff
	s_lshl_b32 s26, s30, 7
	s_and_b32 s21, s9, 0xffff
	s_mulk_i32 s2, 0x1800
	s_mul_hi_i32 s0, s28, 0x60
	s_add_u32 s12, s4, s2
	s_addc_u32 s0, s5, s0
	v_readfirstlane_b32 s18, v0
	s_and_b32 s13, s0, 0xffff
	v_lshrrev_b32_e32 v1, 3, v0
	s_add_i32 s0, s30, -1
	v_lshlrev_b32_e32 v3, 4, v0
	s_movk_i32 s4, 0x70
	v_min_i32_e32 v2, s0, v1
	v_bitop3_b32 v3, v3, s4, v0 bitop3:0x48
	s_lshl_b32 s4, s18, 4
	v_or_b32_e32 v1, 32, v1
	s_and_b32 s6, s18, 0xc0
	s_lshl_b32 s2, s3, 2
	s_and_b32 s1, s11, 0xffff
	s_and_b32 s17, s17, 0xffff
	s_and_b32 s7, s4, 0xc00
	v_min_i32_e32 v1, s0, v1
	s_or_b32 s5, s6, 16
	s_or_b32 s4, s6, 32
	s_add_i32 s9, s3, -1
	s_bfe_u32 s0, s18, 0x10007
	s_and_b32 s3, s18, 0x80
	s_cmp_lg_u32 s6, s3
	s_cselect_b64 s[14:15], -1, 0
	s_cmp_lt_i32 s18, 0
	s_cselect_b64 s[18:19], -1, 0
	s_mov_b32 s27, 0x27000
	v_lshl_or_b32 v2, v2, 7, v3
	s_and_b64 s[14:15], s[18:19], s[14:15]
	s_mov_b32 m0, s7
	v_lshl_or_b32 v1, v1, 7, v3
	s_subb_u32 s11, s0, 0
	buffer_load_dwordx4 v2, s[24:27], 0 offen lds
	s_or_b32 m0, s7, 0x1000
	v_and_b32_e32 v68, 15, v0
	buffer_load_dwordx4 v1, s[24:27], 0 offen lds
	v_lshrrev_b32_e32 v1, 4, v0
	v_bfe_u32 v69, v0, 4, 2
	v_and_b32_e32 v2, 48, v0
	v_bfe_u32 v0, v0, 1, 3
	v_bitop3_b32 v1, v1, v0, 3 bitop3:0x6c
	v_bitop3_b32 v0, v69, v0, 4 bitop3:0x36
	v_lshlrev_b32_e32 v45, 4, v1
	v_lshlrev_b32_e32 v48, 4, v0
	v_or_b32_e32 v0, s6, v68
	v_or_b32_e32 v1, s5, v68
	v_or_b32_e32 v3, s4, v68
	v_or_b32_e32 v4, s28, v68
	v_min_i32_e32 v0, 47, v0
	v_min_i32_e32 v1, 47, v1
	v_min_i32_e32 v3, 47, v3
	v_min_i32_e32 v5, s9, v4
	v_or_b32_e32 v6, 16, v4
	v_or_b32_e32 v7, 32, v4
	v_or_b32_e32 v4, 48, v4
	s_mov_b32 s18, 4
	s_movk_i32 s22, 0x1800
	s_mov_b32 s20, s8
	s_mov_b32 s23, s27
	s_mul_i32 s14, s30, 0x60
	s_mov_b32 s15, s27
	s_mov_b32 s0, s10
	s_mov_b32 s3, s27
	s_mov_b32 s19, s27
	v_lshlrev_b32_e32 v44, 7, v68
	v_lshl_or_b32 v0, v0, 7, v2
	v_lshl_or_b32 v1, v1, 7, v2
	v_lshl_or_b32 v3, v3, 7, v2
	v_or_b32_e32 v2, 0x1000, v2
	v_min_i32_e32 v6, s9, v6
	v_min_i32_e32 v7, s9, v7
	v_min_i32_e32 v4, s9, v4
	s_min_i32 s7, s11, 0
	buffer_load_dwordx4 v[52:55], v0, s[20:23], 0 offen
	buffer_load_dwordx4 v[56:59], v0, s[20:23], 0 offen offset:64
	buffer_load_dwordx4 v[70:73], v1, s[20:23], 0 offen
	buffer_load_dwordx4 v[74:77], v1, s[20:23], 0 offen offset:64
	buffer_load_dwordx4 v[78:81], v3, s[20:23], 0 offen
	buffer_load_dwordx4 v[82:85], v3, s[20:23], 0 offen offset:64
	buffer_load_dwordx4 v[86:89], v2, s[20:23], 0 offen offset:1920
	buffer_load_dwordx4 v[90:93], v2, s[20:23], 0 offen offset:1984
	v_lshlrev_b32_e32 v0, 2, v5
	v_lshlrev_b32_e32 v1, 2, v6
	v_lshlrev_b32_e32 v2, 2, v7
	v_lshlrev_b32_e32 v3, 2, v4
	buffer_load_dword v64, v0, s[0:3], 0 offen
	buffer_load_dword v65, v1, s[0:3], 0 offen
	buffer_load_dword v66, v2, s[0:3], 0 offen
	buffer_load_dword v67, v3, s[0:3], 0 offen
	v_or_b32_e32 v16, 0x800, v44
	v_or_b32_e32 v32, 0x1000, v44
	v_or_b32_e32 v4, v44, v45
	v_or_b32_e32 v17, v16, v45
	v_or_b32_e32 v33, v32, v45
	v_or_b32_e32 v5, v44, v48
	s_waitcnt vmcnt(12)
	s_barrier
	ds_read_b128 v[18:21], v4
	ds_read_b128 v[22:25], v5
	v_or_b32_e32 v16, v16, v48
	ds_read_b128 v[34:37], v17
	ds_read_b128 v[38:41], v16
	v_or_b32_e32 v32, v32, v48
	ds_read_b128 v[94:97], v33
	ds_read_b128 v[98:101], v32
	v_or_b32_e32 v49, 0x1800, v44
	v_or_b32_e32 v50, v49, v45
	v_or_b32_e32 v48, v49, v48
	s_lshl_b32 s0, s7, 2
	s_buffer_load_dword s0, s[16:19], s0 offset:0x0
	s_waitcnt vmcnt(10) lgkmcnt(0)
	v_mfma_f32_16x16x128_f8f6f4 v[0:3], v[52:59], v[18:25], 0
	s_waitcnt vmcnt(8)
	v_mfma_f32_16x16x128_f8f6f4 v[4:7], v[70:77], v[18:25], 0
	s_waitcnt vmcnt(6)
	v_mfma_f32_16x16x128_f8f6f4 v[8:11], v[78:85], v[18:25], 0
	s_waitcnt vmcnt(4)
	v_mfma_f32_16x16x128_f8f6f4 v[12:15], v[86:93], v[18:25], 0
	v_mfma_f32_16x16x128_f8f6f4 v[16:19], v[52:59], v[34:41], 0
	v_mfma_f32_16x16x128_f8f6f4 v[20:23], v[70:77], v[34:41], 0
	v_mfma_f32_16x16x128_f8f6f4 v[24:27], v[78:85], v[34:41], 0
	v_mfma_f32_16x16x128_f8f6f4 v[28:31], v[86:93], v[34:41], 0
	v_mfma_f32_16x16x128_f8f6f4 v[32:35], v[52:59], v[94:101], 0
	v_mfma_f32_16x16x128_f8f6f4 v[36:39], v[70:77], v[94:101], 0
	v_mfma_f32_16x16x128_f8f6f4 v[40:43], v[78:85], v[94:101], 0
	v_mfma_f32_16x16x128_f8f6f4 v[44:47], v[86:93], v[94:101], 0
	ds_read_b128 v[94:97], v50
	ds_read_b128 v[98:101], v48
	s_waitcnt lgkmcnt(0)
	v_mfma_f32_16x16x128_f8f6f4 v[48:51], v[52:59], v[94:101], 0
	v_mfma_f32_16x16x128_f8f6f4 v[52:55], v[70:77], v[94:101], 0
	v_mfma_f32_16x16x128_f8f6f4 v[56:59], v[78:85], v[94:101], 0
	v_mfma_f32_16x16x128_f8f6f4 v[60:63], v[86:93], v[94:101], 0
	s_waitcnt vmcnt(2)
	v_mul_f32_e64 v64, s0, v64
	v_mul_f32_e64 v65, s0, v65
	v_fma_f32 v2, v64, v2, 0
	v_fma_f32 v3, v64, v3, 0
	v_pk_fma_f32 v[0:1], v[64:65], v[0:1], 0 op_sel_hi:[0,1,0]
	v_pk_fma_f32 v[6:7], v[64:65], v[6:7], 0 op_sel_hi:[0,1,0]
	v_pk_fma_f32 v[4:5], v[64:65], v[4:5], 0 op_sel_hi:[0,1,0]
	v_pk_fma_f32 v[10:11], v[64:65], v[10:11], 0 op_sel_hi:[0,1,0]
	v_pk_fma_f32 v[8:9], v[64:65], v[8:9], 0 op_sel_hi:[0,1,0]
	v_pk_fma_f32 v[14:15], v[64:65], v[14:15], 0 op_sel_hi:[0,1,0]
	v_pk_fma_f32 v[12:13], v[64:65], v[12:13], 0 op_sel_hi:[0,1,0]
	v_pk_fma_f32 v[18:19], v[64:65], v[18:19], 0 op_sel:[1,0,0] op_sel_hi:[1,1,0]
	v_pk_fma_f32 v[16:17], v[64:65], v[16:17], 0 op_sel:[1,0,0] op_sel_hi:[1,1,0]
	v_pk_fma_f32 v[22:23], v[64:65], v[22:23], 0 op_sel:[1,0,0] op_sel_hi:[1,1,0]
	v_pk_fma_f32 v[20:21], v[64:65], v[20:21], 0 op_sel:[1,0,0] op_sel_hi:[1,1,0]
	v_pk_fma_f32 v[26:27], v[64:65], v[26:27], 0 op_sel:[1,0,0] op_sel_hi:[1,1,0]
	v_pk_fma_f32 v[24:25], v[64:65], v[24:25], 0 op_sel:[1,0,0] op_sel_hi:[1,1,0]
	v_pk_fma_f32 v[30:31], v[64:65], v[30:31], 0 op_sel:[1,0,0] op_sel_hi:[1,1,0]
	v_pk_fma_f32 v[28:29], v[64:65], v[28:29], 0 op_sel:[1,0,0] op_sel_hi:[1,1,0]
	s_waitcnt vmcnt(0)
	v_pk_mul_f32 v[64:65], s[0:1], v[66:67] op_sel_hi:[0,1]
	v_pk_fma_f32 v[34:35], v[64:65], v[34:35], 0 op_sel_hi:[0,1,0]
	v_pk_fma_f32 v[32:33], v[64:65], v[32:33], 0 op_sel_hi:[0,1,0]
	v_pk_fma_f32 v[38:39], v[64:65], v[38:39], 0 op_sel_hi:[0,1,0]
	v_pk_fma_f32 v[36:37], v[64:65], v[36:37], 0 op_sel_hi:[0,1,0]
	v_pk_fma_f32 v[42:43], v[64:65], v[42:43], 0 op_sel_hi:[0,1,0]
	v_pk_fma_f32 v[40:41], v[64:65], v[40:41], 0 op_sel_hi:[0,1,0]
	v_pk_fma_f32 v[46:47], v[64:65], v[46:47], 0 op_sel_hi:[0,1,0]
	v_pk_fma_f32 v[44:45], v[64:65], v[44:45], 0 op_sel_hi:[0,1,0]
	v_pk_fma_f32 v[50:51], v[64:65], v[50:51], 0 op_sel:[1,0,0] op_sel_hi:[1,1,0]
	v_pk_fma_f32 v[48:49], v[64:65], v[48:49], 0 op_sel:[1,0,0] op_sel_hi:[1,1,0]
	v_pk_fma_f32 v[54:55], v[64:65], v[54:55], 0 op_sel:[1,0,0] op_sel_hi:[1,1,0]
	v_pk_fma_f32 v[52:53], v[64:65], v[52:53], 0 op_sel:[1,0,0] op_sel_hi:[1,1,0]
	v_pk_fma_f32 v[58:59], v[64:65], v[58:59], 0 op_sel:[1,0,0] op_sel_hi:[1,1,0]
	v_pk_fma_f32 v[56:57], v[64:65], v[56:57], 0 op_sel:[1,0,0] op_sel_hi:[1,1,0]
	v_pk_fma_f32 v[62:63], v[64:65], v[62:63], 0 op_sel:[1,0,0] op_sel_hi:[1,1,0]
	v_pk_fma_f32 v[60:61], v[64:65], v[60:61], 0 op_sel:[1,0,0] op_sel_hi:[1,1,0]
	v_lshlrev_b32_e32 v64, 2, v69
	v_or_b32_e32 v65, s6, v64
	v_mul_u32_u24_e32 v66, 48, v68
	v_cvt_pk_bf16_f32 v3, v2, v3
	v_cvt_pk_bf16_f32 v2, v0, v1
	v_add_lshl_u32 v0, v65, v66, 1
	v_mov_b32_e32 v67, 0x7ffffffe
	v_cmp_gt_i32_e32 vcc, 48, v65
	v_cvt_pk_bf16_f32 v1, v6, v7
	s_nop 0
	v_cndmask_b32_e32 v0, v67, v0, vcc
	buffer_store_dwordx2 v[2:3], v0, s[12:15], 0 offen
	v_or_b32_e32 v2, s5, v64
	v_add_lshl_u32 v3, v2, v66, 1
	v_cmp_gt_i32_e64 s[0:1], 48, v2
	v_cvt_pk_bf16_f32 v0, v4, v5
	s_nop 0
	v_cndmask_b32_e64 v3, v67, v3, s[0:1]
	buffer_store_dwordx2 v[0:1], v3, s[12:15], 0 offen
	v_or_b32_e32 v3, s4, v64
	v_add_lshl_u32 v4, v3, v66, 1
	v_cmp_gt_i32_e64 s[2:3], 48, v3
	v_cvt_pk_bf16_f32 v1, v10, v11
	v_cvt_pk_bf16_f32 v0, v8, v9
	v_cndmask_b32_e64 v4, v67, v4, s[2:3]
	buffer_store_dwordx2 v[0:1], v4, s[12:15], 0 offen
	v_or_b32_e32 v4, 48, v65
	v_add_lshl_u32 v5, v4, v66, 1
	v_cmp_gt_i32_e64 s[4:5], 48, v4
	v_cvt_pk_bf16_f32 v1, v14, v15
	v_cvt_pk_bf16_f32 v0, v12, v13
	v_cndmask_b32_e64 v5, v67, v5, s[4:5]
	buffer_store_dwordx2 v[0:1], v5, s[12:15], 0 offen
	v_mov_b32_e32 v0, 0x300
	v_mad_u32_u24 v5, v68, 48, v0
	v_add_lshl_u32 v6, v65, v5, 1
	v_cvt_pk_bf16_f32 v1, v18, v19
	v_cvt_pk_bf16_f32 v0, v16, v17
	v_cndmask_b32_e32 v6, v67, v6, vcc
	buffer_store_dwordx2 v[0:1], v6, s[12:15], 0 offen
	v_add_lshl_u32 v6, v2, v5, 1
	v_cvt_pk_bf16_f32 v1, v22, v23
	v_cvt_pk_bf16_f32 v0, v20, v21
	v_cndmask_b32_e64 v6, v67, v6, s[0:1]
	buffer_store_dwordx2 v[0:1], v6, s[12:15], 0 offen
	v_add_lshl_u32 v6, v3, v5, 1
	v_cvt_pk_bf16_f32 v1, v26, v27
	v_cvt_pk_bf16_f32 v0, v24, v25
	v_cndmask_b32_e64 v6, v67, v6, s[2:3]
	v_add_lshl_u32 v5, v4, v5, 1
	buffer_store_dwordx2 v[0:1], v6, s[12:15], 0 offen
	v_cvt_pk_bf16_f32 v1, v30, v31
	v_cvt_pk_bf16_f32 v0, v28, v29
	v_cndmask_b32_e64 v5, v67, v5, s[4:5]
	buffer_store_dwordx2 v[0:1], v5, s[12:15], 0 offen
	v_mov_b32_e32 v0, 0x600
	v_mad_u32_u24 v5, v68, 48, v0
	v_add_lshl_u32 v6, v65, v5, 1
	v_cvt_pk_bf16_f32 v1, v34, v35
	v_cvt_pk_bf16_f32 v0, v32, v33
	v_cndmask_b32_e32 v6, v67, v6, vcc
	buffer_store_dwordx2 v[0:1], v6, s[12:15], 0 offen
	v_add_lshl_u32 v6, v2, v5, 1
	v_cvt_pk_bf16_f32 v1, v38, v39
	v_cvt_pk_bf16_f32 v0, v36, v37
	v_cndmask_b32_e64 v6, v67, v6, s[0:1]
	buffer_store_dwordx2 v[0:1], v6, s[12:15], 0 offen
	v_add_lshl_u32 v6, v3, v5, 1
	v_cvt_pk_bf16_f32 v1, v42, v43
	v_cvt_pk_bf16_f32 v0, v40, v41
	v_cndmask_b32_e64 v6, v67, v6, s[2:3]
	v_add_lshl_u32 v5, v4, v5, 1
	buffer_store_dwordx2 v[0:1], v6, s[12:15], 0 offen
	v_cvt_pk_bf16_f32 v1, v46, v47
	v_cvt_pk_bf16_f32 v0, v44, v45
	v_cndmask_b32_e64 v5, v67, v5, s[4:5]
	buffer_store_dwordx2 v[0:1], v5, s[12:15], 0 offen
	v_mov_b32_e32 v0, 0x900
	v_mad_u32_u24 v5, v68, 48, v0
	v_add_lshl_u32 v6, v65, v5, 1
	v_cvt_pk_bf16_f32 v1, v50, v51
	v_cvt_pk_bf16_f32 v0, v48, v49
	v_cndmask_b32_e32 v6, v67, v6, vcc
	v_add_lshl_u32 v2, v2, v5, 1
	buffer_store_dwordx2 v[0:1], v6, s[12:15], 0 offen
	v_cvt_pk_bf16_f32 v1, v54, v55
	v_cvt_pk_bf16_f32 v0, v52, v53
	v_cndmask_b32_e64 v2, v67, v2, s[0:1]
	buffer_store_dwordx2 v[0:1], v2, s[12:15], 0 offen
	v_add_lshl_u32 v2, v3, v5, 1
	v_cvt_pk_bf16_f32 v1, v58, v59
	v_cvt_pk_bf16_f32 v0, v56, v57
	v_cndmask_b32_e64 v2, v67, v2, s[2:3]
	buffer_store_dwordx2 v[0:1], v2, s[12:15], 0 offen
	v_add_lshl_u32 v2, v4, v5, 1
	v_cvt_pk_bf16_f32 v1, v62, v63
	v_cvt_pk_bf16_f32 v0, v60, v61
	v_cndmask_b32_e64 v2, v67, v2, s[4:5]
	buffer_store_dwordx2 v[0:1], v2, s[12:15], 0 offen
