; SPDX-License-Identifier: Apache-2.0
; flydsl_a8w8_blockscale_plain_gfx950_1x128x128_4w_64x256x128_16x16x128_cluster_wpe2_xcd0_ks1_rm_bf16 at NxK 24x256, compiled by FlyDSL 0.5.0,
; as it was when its wait for the DMA of A counted the loads in the source.
	s_load_dword s3, s[0:1], 0x28
	s_load_dwordx2 s[16:17], s[0:1], 0x20
	s_load_dwordx8 s[4:11], s[0:1], 0x0
	s_lshl_b32 s24, s2, 6
	s_ashr_i32 s25, s24, 31
	s_waitcnt lgkmcnt(0)
	s_sub_i32 s0, s3, s24
	s_min_i32 s19, s0, 64
	s_lshl_b64 s[0:1], s[24:25], 8
	s_add_u32 s20, s6, s0
	s_addc_u32 s0, s7, s1
	s_and_b32 s21, s0, 0xffff
	s_lshl_b32 s22, s19, 8
	s_and_b32 s1, s9, 0xffff
	s_mulk_i32 s2, 0xc00
	s_mul_hi_i32 s0, s24, 48
	s_add_u32 s12, s4, s2
	s_addc_u32 s0, s5, s0
	v_readfirstlane_b32 s14, v0
	s_and_b32 s13, s0, 0xffff
	v_lshrrev_b32_e32 v1, 3, v0
	s_add_i32 s0, s19, -1
	v_lshlrev_b32_e32 v3, 4, v0
	s_movk_i32 s2, 0x70
	s_and_b32 s5, s11, 0xffff
	v_min_i32_e32 v2, s0, v1
	v_bitop3_b32 v3, v3, s2, v0 bitop3:0x48
	s_lshl_b32 s2, s14, 4
	v_or_b32_e32 v1, 32, v1
	s_and_b32 s11, s14, 0xc0
	s_lshl_b32 s6, s3, 3
	s_and_b32 s17, s17, 0xffff
	s_and_b32 s25, s2, 0xc00
	v_min_i32_e32 v1, s0, v1
	s_or_b32 s9, s11, 16
	s_add_i32 s26, s3, -1
	s_bfe_u32 s0, s14, 0x10007
	s_and_b32 s2, s14, 0x80
	s_cmp_lg_u32 s11, s2
	s_cselect_b64 s[2:3], -1, 0
	s_cmp_lt_i32 s14, 0
	s_cselect_b64 s[14:15], -1, 0
	s_mov_b32 s23, 0x27000
	v_lshl_or_b32 v2, v2, 8, v3
	s_and_b64 s[2:3], s[14:15], s[2:3]
	s_mov_b32 m0, s25
	v_lshl_or_b32 v1, v1, 8, v3
	s_subb_u32 s27, s0, 0
	buffer_load_dwordx4 v2, s[20:23], 0 offen lds
	s_or_b32 m0, s25, 0x1000
	v_and_b32_e32 v100, 15, v0
	buffer_load_dwordx4 v1, s[20:23], 0 offen lds
	v_lshrrev_b32_e32 v3, 4, v0
	v_bfe_u32 v101, v0, 4, 2
	v_and_b32_e32 v4, 48, v0
	v_bfe_u32 v0, v0, 1, 3
	v_lshlrev_b32_e32 v5, 7, v100
	v_bitop3_b32 v3, v3, v0, 3 bitop3:0x6c
	v_bitop3_b32 v0, v101, v0, 4 bitop3:0x36
	v_lshlrev_b32_e32 v3, 4, v3
	v_lshlrev_b32_e32 v0, 4, v0
	v_or_b32_e32 v6, 0x800, v5
	v_or_b32_e32 v102, v3, v5
	v_or_b32_e32 v103, v0, v5
	v_or_b32_e32 v104, v3, v6
	v_or_b32_e32 v105, v0, v6
	v_or_b32_e32 v6, 0x1000, v5
	v_or_b32_e32 v5, 0x1800, v5
	v_or_b32_e32 v107, v0, v6
	v_or_b32_e32 v109, v0, v5
	v_or_b32_e32 v0, s11, v100
	v_min_i32_e32 v0, 23, v0
	v_lshl_or_b32 v40, v0, 8, v4
	v_or_b32_e32 v0, s9, v100
	v_min_i32_e32 v0, 23, v0
	v_lshl_or_b32 v41, v0, 8, v4
	v_or_b32_e32 v0, s24, v100
	v_or_b32_e32 v106, v3, v6
	v_or_b32_e32 v108, v3, v5
	v_or_b32_e32 v42, 0x1000, v4
	v_min_i32_e32 v3, s26, v0
	v_or_b32_e32 v4, 16, v0
	v_or_b32_e32 v5, 32, v0
	v_or_b32_e32 v0, 48, v0
	s_mov_b32 s18, 8
	s_movk_i32 s2, 0x1800
	s_mov_b32 s0, s8
	s_mov_b32 s3, s23
	s_mul_i32 s14, s19, 48
	s_mov_b32 s15, s23
	s_mov_b32 s4, s10
	s_mov_b32 s7, s23
	s_mov_b32 s19, s23
	v_min_i32_e32 v4, s26, v4
	v_min_i32_e32 v5, s26, v5
	v_min_i32_e32 v0, s26, v0
	s_movk_i32 s8, 0x80
	s_min_i32 s10, s27, 0
	buffer_load_dwordx4 v[52:55], v40, s[0:3], 0 offen
	buffer_load_dwordx4 v[56:59], v40, s[0:3], 0 offen offset:64
	buffer_load_dwordx4 v[60:63], v41, s[0:3], 0 offen
	buffer_load_dwordx4 v[64:67], v41, s[0:3], 0 offen offset:64
	buffer_load_dwordx4 v[68:71], v42, s[0:3], 0 offen offset:1792
	buffer_load_dwordx4 v[72:75], v42, s[0:3], 0 offen offset:1856
	v_lshlrev_b32_e32 v44, 3, v3
	v_lshlrev_b32_e32 v45, 3, v4
	v_lshlrev_b32_e32 v46, 3, v5
	v_lshlrev_b32_e32 v47, 3, v0
	buffer_load_dword v48, v44, s[4:7], 0 offen
	buffer_load_dword v49, v45, s[4:7], 0 offen
	buffer_load_dword v50, v46, s[4:7], 0 offen
	buffer_load_dword v51, v47, s[4:7], 0 offen
	s_or_b32 m0, s25, 0x2000
	s_waitcnt vmcnt(12)
	s_barrier
	buffer_load_dwordx4 v2, s[20:23], s8 offen lds
	s_or_b32 m0, s25, 0x3000
	s_lshl_b32 s10, s10, 3
	buffer_load_dwordx4 v1, s[20:23], s8 offen lds
	ds_read_b128 v[12:15], v103
	ds_read_b128 v[8:11], v102
	ds_read_b128 v[20:23], v102 offset:2048
	ds_read_b128 v[24:27], v103 offset:2048
	ds_read_b128 v[36:39], v103 offset:4096
	ds_read_b128 v[32:35], v102 offset:4096
	ds_read_b128 v[76:79], v102 offset:6144
	ds_read_b128 v[80:83], v103 offset:6144
	buffer_load_dwordx4 v[110:113], v40, s[0:3], s8 offen
	buffer_load_dwordx4 v[114:117], v40, s[0:3], s8 offen offset:64
	buffer_load_dwordx4 v[118:121], v41, s[0:3], s8 offen
	buffer_load_dwordx4 v[122:125], v41, s[0:3], s8 offen offset:64
	buffer_load_dwordx4 v[126:129], v42, s[0:3], s8 offen offset:1792
	buffer_load_dwordx4 v[130:133], v42, s[0:3], s8 offen offset:1856
	s_waitcnt vmcnt(16) lgkmcnt(6)
	v_mfma_f32_16x16x128_f8f6f4 v[0:3], v[52:59], v[8:15], 0
	s_buffer_load_dwordx2 s[0:1], s[16:19], s10 offset:0x0
	s_waitcnt vmcnt(14)
	v_mfma_f32_16x16x128_f8f6f4 v[4:7], v[60:67], v[8:15], 0
	s_waitcnt vmcnt(12)
	v_mfma_f32_16x16x128_f8f6f4 v[8:11], v[68:75], v[8:15], 0
	s_waitcnt lgkmcnt(0)
	v_mfma_f32_16x16x128_f8f6f4 v[12:15], v[52:59], v[20:27], 0
	v_mfma_f32_16x16x128_f8f6f4 v[16:19], v[60:67], v[20:27], 0
	v_mfma_f32_16x16x128_f8f6f4 v[20:23], v[68:75], v[20:27], 0
	v_mfma_f32_16x16x128_f8f6f4 v[24:27], v[52:59], v[32:39], 0
	v_mfma_f32_16x16x128_f8f6f4 v[28:31], v[60:67], v[32:39], 0
	v_mfma_f32_16x16x128_f8f6f4 v[32:35], v[68:75], v[32:39], 0
	v_mfma_f32_16x16x128_f8f6f4 v[36:39], v[52:59], v[76:83], 0
	buffer_load_dword v52, v44, s[4:7], 4 offen
	buffer_load_dword v53, v45, s[4:7], 4 offen
	buffer_load_dword v54, v46, s[4:7], 4 offen
	buffer_load_dword v55, v47, s[4:7], 4 offen
	v_mfma_f32_16x16x128_f8f6f4 v[40:43], v[60:67], v[76:83], 0
	v_mfma_f32_16x16x128_f8f6f4 v[44:47], v[68:75], v[76:83], 0
	s_waitcnt vmcnt(14)
	v_mul_f32_e64 v48, s0, v48
	v_mul_f32_e64 v49, s0, v49
	v_fma_f32 v58, v48, v0, 0
	v_fma_f32 v59, v48, v1, 0
	s_waitcnt vmcnt(12)
	v_pk_mul_f32 v[0:1], s[0:1], v[50:51] op_sel_hi:[0,1]
	v_pk_fma_f32 v[56:57], v[48:49], v[2:3], 0 op_sel_hi:[0,1,0]
	v_pk_fma_f32 v[60:61], v[48:49], v[6:7], 0 op_sel_hi:[0,1,0]
	v_pk_fma_f32 v[62:63], v[48:49], v[4:5], 0 op_sel_hi:[0,1,0]
	v_pk_fma_f32 v[64:65], v[48:49], v[10:11], 0 op_sel_hi:[0,1,0]
	v_pk_fma_f32 v[66:67], v[48:49], v[8:9], 0 op_sel_hi:[0,1,0]
	v_pk_fma_f32 v[68:69], v[48:49], v[14:15], 0 op_sel:[1,0,0] op_sel_hi:[1,1,0]
	v_pk_fma_f32 v[70:71], v[48:49], v[12:13], 0 op_sel:[1,0,0] op_sel_hi:[1,1,0]
	v_pk_fma_f32 v[72:73], v[48:49], v[18:19], 0 op_sel:[1,0,0] op_sel_hi:[1,1,0]
	v_pk_fma_f32 v[74:75], v[48:49], v[16:17], 0 op_sel:[1,0,0] op_sel_hi:[1,1,0]
	v_pk_fma_f32 v[76:77], v[48:49], v[22:23], 0 op_sel:[1,0,0] op_sel_hi:[1,1,0]
	v_pk_fma_f32 v[48:49], v[48:49], v[20:21], 0 op_sel:[1,0,0] op_sel_hi:[1,1,0]
	v_pk_fma_f32 v[50:51], v[0:1], v[26:27], 0 op_sel_hi:[0,1,0]
	v_pk_fma_f32 v[78:79], v[0:1], v[24:25], 0 op_sel_hi:[0,1,0]
	v_pk_fma_f32 v[80:81], v[0:1], v[30:31], 0 op_sel_hi:[0,1,0]
	v_pk_fma_f32 v[82:83], v[0:1], v[28:29], 0 op_sel_hi:[0,1,0]
	v_pk_fma_f32 v[84:85], v[0:1], v[34:35], 0 op_sel_hi:[0,1,0]
	v_pk_fma_f32 v[86:87], v[0:1], v[32:33], 0 op_sel_hi:[0,1,0]
	v_pk_fma_f32 v[88:89], v[0:1], v[38:39], 0 op_sel:[1,0,0] op_sel_hi:[1,1,0]
	v_pk_fma_f32 v[90:91], v[0:1], v[36:37], 0 op_sel:[1,0,0] op_sel_hi:[1,1,0]
	v_pk_fma_f32 v[92:93], v[0:1], v[42:43], 0 op_sel:[1,0,0] op_sel_hi:[1,1,0]
	v_pk_fma_f32 v[94:95], v[0:1], v[40:41], 0 op_sel:[1,0,0] op_sel_hi:[1,1,0]
	v_pk_fma_f32 v[96:97], v[0:1], v[46:47], 0 op_sel:[1,0,0] op_sel_hi:[1,1,0]
	v_pk_fma_f32 v[98:99], v[0:1], v[44:45], 0 op_sel:[1,0,0] op_sel_hi:[1,1,0]
	s_waitcnt vmcnt(12)
	s_barrier
	ds_read_b128 v[8:11], v102 offset:8192
	ds_read_b128 v[12:15], v103 offset:8192
	ds_read_b128 v[20:23], v104 offset:8192
	ds_read_b128 v[24:27], v105 offset:8192
	ds_read_b128 v[32:35], v106 offset:8192
	ds_read_b128 v[36:39], v107 offset:8192
	ds_read_b128 v[102:105], v108 offset:8192
	ds_read_b128 v[106:109], v109 offset:8192
	s_waitcnt vmcnt(8) lgkmcnt(6)
	v_mfma_f32_16x16x128_f8f6f4 v[0:3], v[110:117], v[8:15], 0
	s_waitcnt vmcnt(6)
	v_mfma_f32_16x16x128_f8f6f4 v[4:7], v[118:125], v[8:15], 0
	s_waitcnt vmcnt(4)
	v_mfma_f32_16x16x128_f8f6f4 v[8:11], v[126:133], v[8:15], 0
	s_waitcnt lgkmcnt(4)
	v_mfma_f32_16x16x128_f8f6f4 v[12:15], v[110:117], v[20:27], 0
	v_mfma_f32_16x16x128_f8f6f4 v[16:19], v[118:125], v[20:27], 0
	v_mfma_f32_16x16x128_f8f6f4 v[20:23], v[126:133], v[20:27], 0
	s_waitcnt lgkmcnt(2)
	v_mfma_f32_16x16x128_f8f6f4 v[24:27], v[110:117], v[32:39], 0
	v_mfma_f32_16x16x128_f8f6f4 v[28:31], v[118:125], v[32:39], 0
	v_mfma_f32_16x16x128_f8f6f4 v[32:35], v[126:133], v[32:39], 0
	s_waitcnt lgkmcnt(0)
	v_mfma_f32_16x16x128_f8f6f4 v[36:39], v[110:117], v[102:109], 0
	v_mfma_f32_16x16x128_f8f6f4 v[40:43], v[118:125], v[102:109], 0
	v_mfma_f32_16x16x128_f8f6f4 v[44:47], v[126:133], v[102:109], 0
	s_mov_b32 s0, s1
	s_waitcnt vmcnt(2)
	v_mul_f32_e64 v52, s0, v52
	v_mul_f32_e64 v53, s0, v53
	v_fma_f32 v20, v53, v20, v48
	v_fma_f32 v21, v53, v21, v49
	s_waitcnt vmcnt(0)
	v_pk_mul_f32 v[48:49], s[0:1], v[54:55] op_sel_hi:[0,1]
	v_pk_fma_f32 v[2:3], v[52:53], v[2:3], v[56:57] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[0:1], v[52:53], v[0:1], v[58:59] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[6:7], v[52:53], v[6:7], v[60:61] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[4:5], v[52:53], v[4:5], v[62:63] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[10:11], v[52:53], v[10:11], v[64:65] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[8:9], v[52:53], v[8:9], v[66:67] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[14:15], v[52:53], v[14:15], v[68:69] op_sel:[1,0,0]
	v_pk_fma_f32 v[12:13], v[52:53], v[12:13], v[70:71] op_sel:[1,0,0]
	v_pk_fma_f32 v[18:19], v[52:53], v[18:19], v[72:73] op_sel:[1,0,0]
	v_pk_fma_f32 v[16:17], v[52:53], v[16:17], v[74:75] op_sel:[1,0,0]
	v_pk_fma_f32 v[22:23], v[52:53], v[22:23], v[76:77] op_sel:[1,0,0]
	v_pk_fma_f32 v[26:27], v[48:49], v[26:27], v[50:51] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[24:25], v[48:49], v[24:25], v[78:79] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[30:31], v[48:49], v[30:31], v[80:81] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[28:29], v[48:49], v[28:29], v[82:83] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[34:35], v[48:49], v[34:35], v[84:85] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[32:33], v[48:49], v[32:33], v[86:87] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[38:39], v[48:49], v[38:39], v[88:89] op_sel:[1,0,0]
	v_pk_fma_f32 v[36:37], v[48:49], v[36:37], v[90:91] op_sel:[1,0,0]
	v_pk_fma_f32 v[42:43], v[48:49], v[42:43], v[92:93] op_sel:[1,0,0]
	v_pk_fma_f32 v[40:41], v[48:49], v[40:41], v[94:95] op_sel:[1,0,0]
	v_pk_fma_f32 v[46:47], v[48:49], v[46:47], v[96:97] op_sel:[1,0,0]
	v_pk_fma_f32 v[44:45], v[48:49], v[44:45], v[98:99] op_sel:[1,0,0]
	v_lshlrev_b32_e32 v48, 2, v101
	v_or_b32_e32 v49, s11, v48
	v_mul_u32_u24_e32 v50, 24, v100
	v_cvt_pk_bf16_f32 v3, v2, v3
	v_cvt_pk_bf16_f32 v2, v0, v1
	v_add_lshl_u32 v0, v49, v50, 1
	v_mov_b32_e32 v51, 0x7ffffffe
	v_cmp_gt_i32_e32 vcc, 24, v49
	v_cvt_pk_bf16_f32 v1, v6, v7
	s_nop 0
	v_cndmask_b32_e32 v0, v51, v0, vcc
	buffer_store_dwordx2 v[2:3], v0, s[12:15], 0 offen
	v_or_b32_e32 v2, s9, v48
	v_add_lshl_u32 v3, v2, v50, 1
	v_cmp_gt_i32_e64 s[0:1], 24, v2
	v_cvt_pk_bf16_f32 v0, v4, v5
	s_nop 0
	v_cndmask_b32_e64 v3, v51, v3, s[0:1]
	buffer_store_dwordx2 v[0:1], v3, s[12:15], 0 offen
	v_or_b32_e32 v3, 32, v49
	v_add_lshl_u32 v0, v3, v50, 1
	v_cmp_gt_i32_e64 s[2:3], 24, v3
	v_cvt_pk_bf16_f32 v1, v10, v11
	s_nop 0
	v_cndmask_b32_e64 v4, v51, v0, s[2:3]
	v_cvt_pk_bf16_f32 v0, v8, v9
	buffer_store_dwordx2 v[0:1], v4, s[12:15], 0 offen
	v_or_b32_e32 v4, 48, v49
	v_add_lshl_u32 v5, v4, v50, 1
	v_cmp_gt_i32_e64 s[4:5], 24, v4
	s_nop 1
	v_cndmask_b32_e64 v5, v51, v5, s[4:5]
	buffer_store_dwordx2 v[0:1], v5, s[12:15], 0 offen
	v_mov_b32_e32 v0, 0x180
	v_mad_u32_u24 v5, v100, 24, v0
	v_add_lshl_u32 v6, v49, v5, 1
	v_cvt_pk_bf16_f32 v1, v14, v15
	v_cvt_pk_bf16_f32 v0, v12, v13
	v_cndmask_b32_e32 v6, v51, v6, vcc
	buffer_store_dwordx2 v[0:1], v6, s[12:15], 0 offen
	v_add_lshl_u32 v6, v2, v5, 1
	v_cvt_pk_bf16_f32 v1, v18, v19
	v_cvt_pk_bf16_f32 v0, v16, v17
	v_cndmask_b32_e64 v6, v51, v6, s[0:1]
	buffer_store_dwordx2 v[0:1], v6, s[12:15], 0 offen
	v_add_lshl_u32 v0, v3, v5, 1
	v_add_lshl_u32 v5, v4, v5, 1
	v_cndmask_b32_e64 v6, v51, v0, s[2:3]
	v_cvt_pk_bf16_f32 v1, v22, v23
	v_cvt_pk_bf16_f32 v0, v20, v21
	v_cndmask_b32_e64 v5, v51, v5, s[4:5]
	buffer_store_dwordx2 v[0:1], v6, s[12:15], 0 offen
	buffer_store_dwordx2 v[0:1], v5, s[12:15], 0 offen
	v_mov_b32_e32 v0, 0x300
	v_mad_u32_u24 v5, v100, 24, v0
	v_add_lshl_u32 v6, v49, v5, 1
	v_cvt_pk_bf16_f32 v1, v26, v27
	v_cvt_pk_bf16_f32 v0, v24, v25
	v_cndmask_b32_e32 v6, v51, v6, vcc
	buffer_store_dwordx2 v[0:1], v6, s[12:15], 0 offen
	v_add_lshl_u32 v6, v2, v5, 1
	v_cvt_pk_bf16_f32 v1, v30, v31
	v_cvt_pk_bf16_f32 v0, v28, v29
	v_cndmask_b32_e64 v6, v51, v6, s[0:1]
	buffer_store_dwordx2 v[0:1], v6, s[12:15], 0 offen
	v_add_lshl_u32 v0, v3, v5, 1
	v_add_lshl_u32 v5, v4, v5, 1
	v_cndmask_b32_e64 v6, v51, v0, s[2:3]
	v_cvt_pk_bf16_f32 v1, v34, v35
	v_cvt_pk_bf16_f32 v0, v32, v33
	v_cndmask_b32_e64 v5, v51, v5, s[4:5]
	buffer_store_dwordx2 v[0:1], v6, s[12:15], 0 offen
	buffer_store_dwordx2 v[0:1], v5, s[12:15], 0 offen
	v_mov_b32_e32 v0, 0x480
	v_mad_u32_u24 v5, v100, 24, v0
	v_add_lshl_u32 v6, v49, v5, 1
	v_cvt_pk_bf16_f32 v1, v38, v39
	v_cvt_pk_bf16_f32 v0, v36, v37
	v_cndmask_b32_e32 v6, v51, v6, vcc
	v_add_lshl_u32 v2, v2, v5, 1
	buffer_store_dwordx2 v[0:1], v6, s[12:15], 0 offen
	v_cvt_pk_bf16_f32 v1, v42, v43
	v_cvt_pk_bf16_f32 v0, v40, v41
	v_cndmask_b32_e64 v2, v51, v2, s[0:1]
	buffer_store_dwordx2 v[0:1], v2, s[12:15], 0 offen
	v_add_lshl_u32 v0, v3, v5, 1
	v_cndmask_b32_e64 v2, v51, v0, s[2:3]
	v_cvt_pk_bf16_f32 v1, v46, v47
	v_cvt_pk_bf16_f32 v0, v44, v45
	buffer_store_dwordx2 v[0:1], v2, s[12:15], 0 offen
	v_add_lshl_u32 v2, v4, v5, 1
	v_cndmask_b32_e64 v2, v51, v2, s[4:5]
	buffer_store_dwordx2 v[0:1], v2, s[12:15], 0 offen
