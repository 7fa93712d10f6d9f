; SPDX-License-Identifier: Apache-2.0
; flydsl_a8w8_blockscale_bpreshuffle_gfx950_1x128x128_4w_64x256x128_16x16x128_cluster_wpe2_xcd0_ks1_km_bf16 at NxK 32x1024, compiled by FlyDSL 0.5.0,
; as it was when its wait for the DMA of A counted the loads in the source.
	s_load_dwordx2 s[12:13], s[0:1], 0x20
	s_load_dword s33, s[0:1], 0x28
	s_load_dwordx8 s[4:11], s[0:1], 0x0
	s_lshl_b32 s34, s2, 6
	v_readfirstlane_b32 s14, v0
	s_ashr_i32 s35, s34, 31
	s_waitcnt lgkmcnt(0)
	s_sub_i32 s0, s33, s34
	s_lshr_b32 s3, s14, 6
	s_min_i32 s36, s0, 64
	s_lshl_b64 s[0:1], s[34:35], 10
	s_add_u32 s16, s6, s0
	s_addc_u32 s0, s7, s1
	s_and_b32 s17, s0, 0xffff
	s_lshl_b32 s18, s36, 10
	s_and_b32 s1, s9, 0xffff
	s_lshl_b32 s26, s33, 5
	s_and_b32 s25, s11, 0xffff
	s_and_b32 s13, s13, 0xffff
	v_lshrrev_b32_e32 v1, 3, v0
	s_add_i32 s0, s36, -1
	s_lshl_b32 s7, s3, 10
	v_min_i32_e32 v2, s0, v1
	v_lshlrev_b32_e32 v3, 4, v0
	s_movk_i32 s2, 0x70
	v_or_b32_e32 v1, 32, v1
	s_cmp_eq_u32 s3, 0
	v_bitop3_b32 v3, v3, s2, v0 bitop3:0x48
	v_min_i32_e32 v1, s0, v1
	s_cselect_b32 s6, 0, 0x4000
	s_add_i32 s37, s33, -1
	s_and_b32 s9, s14, 0xc0
	s_bfe_u32 s0, s14, 0x10007
	s_and_b32 s2, s14, 0x80
	s_cmp_lg_u32 s9, s2
	s_cselect_b64 s[2:3], -1, 0
	s_cmp_lt_i32 s14, 0
	s_cselect_b64 vcc, -1, 0
	s_and_b64 s[2:3], vcc, s[2:3]
	s_mov_b32 s19, 0x27000
	v_lshl_or_b32 v83, v2, 10, v3
	s_subb_u32 s38, s0, 0
	s_mov_b32 m0, s7
	s_add_i32 s11, s7, 0x1000
	v_lshl_or_b32 v84, v1, 10, v3
	buffer_load_dwordx4 v83, s[16:19], 0 offen lds
	s_mov_b32 m0, s11
	v_and_b32_e32 v73, 15, v0
	buffer_load_dwordx4 v84, s[16:19], 0 offen lds
	v_lshrrev_b32_e32 v1, 4, v0
	v_bfe_u32 v74, v0, 4, 2
	v_bfe_u32 v0, v0, 1, 3
	v_bitop3_b32 v1, v1, v0, 3 bitop3:0x6c
	v_bitop3_b32 v0, v74, v0, 4 bitop3:0x36
	v_lshlrev_b32_e32 v2, 7, v73
	v_lshlrev_b32_e32 v1, 4, v1
	v_lshlrev_b32_e32 v0, 4, v0
	v_or_b32_e32 v72, 16, v73
	v_or_b32_e32 v81, v1, v2
	v_or_b32_e32 v82, v0, v2
	v_lshlrev_b32_e32 v2, 7, v72
	v_or_b32_e32 v71, 32, v73
	v_or_b32_e32 v75, v1, v2
	v_or_b32_e32 v76, v0, v2
	v_lshlrev_b32_e32 v2, 7, v71
	v_or_b32_e32 v70, 48, v73
	v_or_b32_e32 v77, v1, v2
	v_or_b32_e32 v78, v0, v2
	v_lshlrev_b32_e32 v2, 7, v70
	v_or_b32_e32 v79, v1, v2
	v_or_b32_e32 v80, v0, v2
	v_lshlrev_b32_e32 v0, 8, v74
	v_lshlrev_b32_e32 v1, 4, v73
	v_or3_b32 v85, v1, s6, v0
	v_or_b32_e32 v4, v0, v1
	v_or_b32_e32 v0, s34, v73
	s_mov_b32 s2, 0x8000
	v_min_i32_e32 v1, s37, v0
	v_or_b32_e32 v2, 16, v0
	v_or_b32_e32 v3, 32, v0
	v_or_b32_e32 v0, 48, v0
	s_mov_b32 s3, s19
	s_mov_b32 s0, s8
	s_mov_b32 s28, s8
	s_mov_b32 s29, s1
	s_mov_b32 s30, s2
	s_mov_b32 s31, s19
	s_mov_b32 s24, s10
	s_mov_b32 s27, s19
	s_mov_b32 s22, s26
	s_mov_b32 s23, s19
	s_mov_b32 s20, s10
	s_mov_b32 s21, s25
	s_mov_b32 s14, 32
	s_mov_b32 s15, s19
	v_or_b32_e32 v86, 0x4000, v4
	v_min_i32_e32 v2, s37, v2
	v_min_i32_e32 v3, s37, v3
	v_min_i32_e32 v0, s37, v0
	s_movk_i32 s37, 0x1000
	s_min_i32 s6, s38, 0
	v_lshlrev_b32_e32 v87, 2, v1
	buffer_load_dwordx4 v[102:105], v85, s[28:31], 0 offen
	buffer_load_dwordx4 v[106:109], v85, s[28:31], 0 offen offset:1024
	buffer_load_dwordx4 v[94:97], v86, s[28:31], 0 offen
	buffer_load_dwordx4 v[98:101], v86, s[28:31], 0 offen offset:1024
	v_lshlrev_b32_e32 v88, 2, v2
	v_lshlrev_b32_e32 v89, 2, v3
	v_lshlrev_b32_e32 v90, 2, v0
	buffer_load_dword v2, v87, s[24:27], 0 offen
	buffer_load_dword v3, v88, s[24:27], 0 offen
	buffer_load_dword v0, v89, s[24:27], 0 offen
	buffer_load_dword v1, v90, s[24:27], 0 offen
	s_lshl_b32 s10, s6, 5
	s_buffer_load_dword s8, s[12:15], s10 offset:0x0
	v_or_b32_e32 v91, 0x4400, v4
	s_lshl_b32 s27, s33, 3
	v_mov_b32_e32 v4, 0
	s_add_i32 s25, s7, 0x2000
	s_add_i32 s24, s7, 0x3000
	s_lshl_b32 s26, s33, 2
	s_or_b32 s28, s10, 8
	s_mov_b32 s29, -2
	s_movk_i32 s30, 0x100
	s_mov_b32 s31, s27
	v_mov_b32_e32 v5, v4
	v_mov_b32_e32 v66, v4
	v_mov_b32_e32 v67, v4
	v_mov_b32_e32 v46, v4
	v_mov_b32_e32 v47, v4
	v_mov_b32_e32 v60, v4
	v_mov_b32_e32 v61, v4
	v_mov_b32_e32 v48, v4
	v_mov_b32_e32 v49, v4
	v_mov_b32_e32 v62, v4
	v_mov_b32_e32 v63, v4
	v_mov_b32_e32 v50, v4
	v_mov_b32_e32 v51, v4
	v_mov_b32_e32 v64, v4
	v_mov_b32_e32 v65, v4
	v_mov_b32_e32 v42, v4
	v_mov_b32_e32 v43, v4
	v_mov_b32_e32 v58, v4
	v_mov_b32_e32 v59, v4
	v_mov_b32_e32 v30, v4
	v_mov_b32_e32 v31, v4
	v_mov_b32_e32 v52, v4
	v_mov_b32_e32 v53, v4
	v_mov_b32_e32 v32, v4
	v_mov_b32_e32 v33, v4
	v_mov_b32_e32 v54, v4
	v_mov_b32_e32 v55, v4
	v_mov_b32_e32 v34, v4
	v_mov_b32_e32 v35, v4
	v_mov_b32_e32 v56, v4
	v_mov_b32_e32 v57, v4
	v_mov_b32_e32 v26, v4
	v_mov_b32_e32 v27, v4
	v_mov_b32_e32 v44, v4
	v_mov_b32_e32 v45, v4
	v_mov_b32_e32 v16, v4
	v_mov_b32_e32 v17, v4
	v_mov_b32_e32 v36, v4
	v_mov_b32_e32 v37, v4
	v_mov_b32_e32 v18, v4
	v_mov_b32_e32 v19, v4
	v_mov_b32_e32 v38, v4
	v_mov_b32_e32 v39, v4
	v_mov_b32_e32 v20, v4
	v_mov_b32_e32 v21, v4
	v_mov_b32_e32 v40, v4
	v_mov_b32_e32 v41, v4
	v_mov_b32_e32 v12, v4
	v_mov_b32_e32 v13, v4
	v_mov_b32_e32 v28, v4
	v_mov_b32_e32 v29, v4
	v_mov_b32_e32 v8, v4
	v_mov_b32_e32 v9, v4
	v_mov_b32_e32 v22, v4
	v_mov_b32_e32 v23, v4
	v_mov_b32_e32 v10, v4
	v_mov_b32_e32 v11, v4
	v_mov_b32_e32 v24, v4
	v_mov_b32_e32 v25, v4
	v_mov_b32_e32 v6, v4
	v_mov_b32_e32 v7, v4
	v_mov_b32_e32 v14, v4
	v_mov_b32_e32 v15, v4
	v_or_b32_e32 v92, 0x400, v85
.LBB0_1:
	s_add_i32 s6, s30, 0xffffff80
	s_mov_b32 m0, s25
	s_waitcnt vmcnt(12) lgkmcnt(0)
	s_barrier
	buffer_load_dwordx4 v83, s[16:19], s6 offen lds
	s_mov_b32 m0, s24
	s_nop 0
	buffer_load_dwordx4 v84, s[16:19], s6 offen lds
	ds_read_b128 v[114:117], v81
	ds_read_b128 v[118:121], v82
	ds_read_b128 v[122:125], v75
	ds_read_b128 v[126:129], v76
	ds_read_b128 v[130:133], v77
	ds_read_b128 v[134:137], v78
	s_add_i32 s6, s37, 0xfffff800
	buffer_load_dwordx4 v[144:147], v85, s[0:3], s6 offen
	buffer_load_dwordx4 v[152:155], v86, s[0:3], s6 offen
	buffer_load_dwordx4 v[148:151], v92, s[0:3], s6 offen
	buffer_load_dwordx4 v[156:159], v91, s[0:3], s6 offen
	s_waitcnt vmcnt(7) lgkmcnt(4)
	v_mfma_f32_16x16x128_f8f6f4 v[110:113], v[102:109], v[114:121], 0
	s_add_i32 s6, s28, -4
	s_buffer_load_dword s6, s[12:15], s6 offset:0x0
	s_waitcnt vmcnt(6)
	v_mfma_f32_16x16x128_f8f6f4 v[114:117], v[94:101], v[114:121], 0
	s_waitcnt lgkmcnt(0)
	v_mfma_f32_16x16x128_f8f6f4 v[118:121], v[102:109], v[122:129], 0
	v_mfma_f32_16x16x128_f8f6f4 v[122:125], v[94:101], v[122:129], 0
	v_mfma_f32_16x16x128_f8f6f4 v[126:129], v[102:109], v[130:137], 0
	v_mfma_f32_16x16x128_f8f6f4 v[130:133], v[94:101], v[130:137], 0
	buffer_load_dword v134, v87, s[20:23], s26 offen
	buffer_load_dword v135, v88, s[20:23], s26 offen
	buffer_load_dword v68, v89, s[20:23], s26 offen
	buffer_load_dword v69, v90, s[20:23], s26 offen
	ds_read_b128 v[136:139], v79
	ds_read_b128 v[140:143], v80
	s_waitcnt lgkmcnt(0)
	v_mfma_f32_16x16x128_f8f6f4 v[102:105], v[102:109], v[136:143], 0
	v_mfma_f32_16x16x128_f8f6f4 v[94:97], v[94:101], v[136:143], 0
	s_waitcnt vmcnt(12)
	v_mul_f32_e64 v2, v2, s8
	v_mul_f32_e64 v3, v3, s8
	s_waitcnt vmcnt(10)
	v_mul_f32_e64 v0, v0, s8
	v_mul_f32_e64 v1, v1, s8
	v_pk_fma_f32 v[66:67], v[2:3], v[112:113], v[66:67] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[60:61], v[2:3], v[116:117], v[60:61] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[46:47], v[2:3], v[114:115], v[46:47] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[62:63], v[2:3], v[116:117], v[62:63] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[48:49], v[2:3], v[114:115], v[48:49] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[64:65], v[2:3], v[116:117], v[64:65] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[50:51], v[2:3], v[114:115], v[50:51] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[58:59], v[2:3], v[120:121], v[58:59] op_sel:[1,0,0]
	v_pk_fma_f32 v[42:43], v[2:3], v[118:119], v[42:43] op_sel:[1,0,0]
	v_pk_fma_f32 v[52:53], v[2:3], v[124:125], v[52:53] op_sel:[1,0,0]
	v_pk_fma_f32 v[30:31], v[2:3], v[122:123], v[30:31] op_sel:[1,0,0]
	v_pk_fma_f32 v[54:55], v[2:3], v[124:125], v[54:55] op_sel:[1,0,0]
	v_pk_fma_f32 v[32:33], v[2:3], v[122:123], v[32:33] op_sel:[1,0,0]
	v_pk_fma_f32 v[56:57], v[2:3], v[124:125], v[56:57] op_sel:[1,0,0]
	v_pk_fma_f32 v[34:35], v[2:3], v[122:123], v[34:35] op_sel:[1,0,0]
	v_pk_fma_f32 v[44:45], v[0:1], v[128:129], v[44:45] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[26:27], v[0:1], v[126:127], v[26:27] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[36:37], v[0:1], v[132:133], v[36:37] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[38:39], v[0:1], v[132:133], v[38:39] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[40:41], v[0:1], v[132:133], v[40:41] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[28:29], v[0:1], v[104:105], v[28:29] op_sel:[1,0,0]
	v_pk_fma_f32 v[24:25], v[0:1], v[96:97], v[24:25] op_sel:[1,0,0]
	v_pk_fma_f32 v[136:137], v[2:3], v[110:111], v[4:5] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[122:123], v[0:1], v[130:131], v[16:17] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[124:125], v[0:1], v[130:131], v[18:19] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[126:127], v[0:1], v[130:131], v[20:21] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[128:129], v[0:1], v[102:103], v[12:13] op_sel:[1,0,0]
	v_pk_fma_f32 v[130:131], v[0:1], v[96:97], v[22:23] op_sel:[1,0,0]
	v_pk_fma_f32 v[132:133], v[0:1], v[94:95], v[8:9] op_sel:[1,0,0]
	v_pk_fma_f32 v[138:139], v[0:1], v[94:95], v[10:11] op_sel:[1,0,0]
	v_pk_fma_f32 v[140:141], v[0:1], v[96:97], v[14:15] op_sel:[1,0,0]
	v_pk_fma_f32 v[142:143], v[0:1], v[94:95], v[6:7] op_sel:[1,0,0]
	s_mov_b32 m0, s7
	s_waitcnt vmcnt(12)
	s_barrier
	buffer_load_dwordx4 v83, s[16:19], s30 offen lds
	s_mov_b32 m0, s11
	s_nop 0
	buffer_load_dwordx4 v84, s[16:19], s30 offen lds
	ds_read_b128 v[8:11], v81 offset:8192
	ds_read_b128 v[12:15], v82 offset:8192
	ds_read_b128 v[16:19], v75 offset:8192
	ds_read_b128 v[20:23], v76 offset:8192
	ds_read_b128 v[94:97], v77 offset:8192
	ds_read_b128 v[98:101], v78 offset:8192
	buffer_load_dword v2, v87, s[20:23], s31 offen
	buffer_load_dword v3, v88, s[20:23], s31 offen
	buffer_load_dword v0, v89, s[20:23], s31 offen
	buffer_load_dword v1, v90, s[20:23], s31 offen
	ds_read_b128 v[160:163], v79 offset:8192
	ds_read_b128 v[164:167], v80 offset:8192
	s_waitcnt vmcnt(11) lgkmcnt(6)
	v_mfma_f32_16x16x128_f8f6f4 v[4:7], v[144:151], v[8:15], 0
	s_buffer_load_dword s8, s[12:15], s28 offset:0x0
	s_waitcnt vmcnt(10)
	v_mfma_f32_16x16x128_f8f6f4 v[8:11], v[152:159], v[8:15], 0
	s_waitcnt lgkmcnt(0)
	v_mfma_f32_16x16x128_f8f6f4 v[12:15], v[144:151], v[16:23], 0
	v_mfma_f32_16x16x128_f8f6f4 v[16:19], v[152:159], v[16:23], 0
	v_mfma_f32_16x16x128_f8f6f4 v[20:23], v[144:151], v[94:101], 0
	v_mfma_f32_16x16x128_f8f6f4 v[110:113], v[152:159], v[94:101], 0
	buffer_load_dwordx4 v[102:105], v85, s[0:3], s37 offen
	buffer_load_dwordx4 v[94:97], v86, s[0:3], s37 offen
	buffer_load_dwordx4 v[106:109], v92, s[0:3], s37 offen
	buffer_load_dwordx4 v[98:101], v91, s[0:3], s37 offen
	v_mfma_f32_16x16x128_f8f6f4 v[114:117], v[144:151], v[160:167], 0
	v_mfma_f32_16x16x128_f8f6f4 v[118:121], v[152:159], v[160:167], 0
	s_waitcnt vmcnt(12)
	v_mul_f32_e64 v134, s6, v134
	v_mul_f32_e64 v135, s6, v135
	v_fma_f32 v66, v134, v6, v66
	v_fma_f32 v67, v134, v7, v67
	s_waitcnt vmcnt(10)
	v_pk_mul_f32 v[6:7], s[6:7], v[68:69] op_sel_hi:[0,1]
	v_pk_fma_f32 v[4:5], v[134:135], v[4:5], v[136:137] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[60:61], v[134:135], v[10:11], v[60:61] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[46:47], v[134:135], v[8:9], v[46:47] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[62:63], v[134:135], v[10:11], v[62:63] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[48:49], v[134:135], v[8:9], v[48:49] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[64:65], v[134:135], v[10:11], v[64:65] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[50:51], v[134:135], v[8:9], v[50:51] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[58:59], v[134:135], v[14:15], v[58:59] op_sel:[1,0,0]
	v_pk_fma_f32 v[42:43], v[134:135], v[12:13], v[42:43] op_sel:[1,0,0]
	v_pk_fma_f32 v[52:53], v[134:135], v[18:19], v[52:53] op_sel:[1,0,0]
	v_pk_fma_f32 v[30:31], v[134:135], v[16:17], v[30:31] op_sel:[1,0,0]
	v_pk_fma_f32 v[54:55], v[134:135], v[18:19], v[54:55] op_sel:[1,0,0]
	v_pk_fma_f32 v[32:33], v[134:135], v[16:17], v[32:33] op_sel:[1,0,0]
	v_pk_fma_f32 v[56:57], v[134:135], v[18:19], v[56:57] op_sel:[1,0,0]
	v_pk_fma_f32 v[34:35], v[134:135], v[16:17], v[34:35] op_sel:[1,0,0]
	v_pk_fma_f32 v[44:45], v[6:7], v[22:23], v[44:45] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[26:27], v[6:7], v[20:21], v[26:27] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[36:37], v[6:7], v[112:113], v[36:37] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[16:17], v[6:7], v[110:111], v[122:123] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[38:39], v[6:7], v[112:113], v[38:39] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[18:19], v[6:7], v[110:111], v[124:125] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[40:41], v[6:7], v[112:113], v[40:41] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[20:21], v[6:7], v[110:111], v[126:127] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[28:29], v[6:7], v[116:117], v[28:29] op_sel:[1,0,0]
	v_pk_fma_f32 v[12:13], v[6:7], v[114:115], v[128:129] op_sel:[1,0,0]
	v_pk_fma_f32 v[22:23], v[6:7], v[120:121], v[130:131] op_sel:[1,0,0]
	v_pk_fma_f32 v[8:9], v[6:7], v[118:119], v[132:133] op_sel:[1,0,0]
	v_pk_fma_f32 v[24:25], v[6:7], v[120:121], v[24:25] op_sel:[1,0,0]
	v_pk_fma_f32 v[10:11], v[6:7], v[118:119], v[138:139] op_sel:[1,0,0]
	v_pk_fma_f32 v[14:15], v[6:7], v[120:121], v[140:141] op_sel:[1,0,0]
	v_pk_fma_f32 v[6:7], v[6:7], v[118:119], v[142:143] op_sel:[1,0,0]
	s_add_i32 s29, s29, 2
	s_add_i32 s31, s31, s27
	s_addk_i32 s37, 0x1000
	s_addk_i32 s30, 0x100
	s_add_i32 s28, s28, 8
	s_add_i32 s26, s26, s27
	s_cmp_lt_u32 s29, 4
	s_cbranch_scc1 .LBB0_1
	s_mov_b32 m0, s25
	s_movk_i32 s6, 0x380
	s_waitcnt vmcnt(12)
	s_barrier
	buffer_load_dwordx4 v83, s[16:19], s6 offen lds
	s_mov_b32 m0, s24
	s_nop 0
	buffer_load_dwordx4 v84, s[16:19], s6 offen lds
	s_lshl_b64 s[6:7], s[34:35], 6
	s_add_u32 s4, s4, s6
	s_addc_u32 s5, s5, s7
	s_and_b32 s5, s5, 0xffff
	s_lshl_b32 s6, s36, 6
	s_mov_b32 s7, 0x27000
	s_movk_i32 s11, 0x3800
	s_mul_i32 s33, s33, 28
	buffer_load_dwordx4 v[142:145], v85, s[0:3], s11 offen
	buffer_load_dwordx4 v[150:153], v86, s[0:3], s11 offen
	buffer_load_dwordx4 v[146:149], v92, s[0:3], s11 offen
	buffer_load_dwordx4 v[154:157], v91, s[0:3], s11 offen
	buffer_load_dword v68, v87, s[20:23], s33 offen
	buffer_load_dword v69, v88, s[20:23], s33 offen
	s_nop 0
	buffer_load_dword v88, v89, s[20:23], s33 offen
	s_nop 0
	buffer_load_dword v89, v90, s[20:23], s33 offen
	ds_read_b128 v[114:117], v81
	ds_read_b128 v[118:121], v82
	ds_read_b128 v[122:125], v75
	ds_read_b128 v[126:129], v76
	ds_read_b128 v[130:133], v77
	ds_read_b128 v[134:137], v78
	s_waitcnt vmcnt(11) lgkmcnt(4)
	v_mfma_f32_16x16x128_f8f6f4 v[110:113], v[102:109], v[114:121], 0
	s_buffer_load_dword s0, s[12:15], s10 offset:0x1c
	s_waitcnt vmcnt(10)
	v_mfma_f32_16x16x128_f8f6f4 v[114:117], v[94:101], v[114:121], 0
	s_waitcnt lgkmcnt(0)
	v_mfma_f32_16x16x128_f8f6f4 v[118:121], v[102:109], v[122:129], 0
	v_mfma_f32_16x16x128_f8f6f4 v[122:125], v[94:101], v[122:129], 0
	v_mfma_f32_16x16x128_f8f6f4 v[126:129], v[102:109], v[130:137], 0
	v_mfma_f32_16x16x128_f8f6f4 v[130:133], v[94:101], v[130:137], 0
	ds_read_b128 v[134:137], v79
	ds_read_b128 v[138:141], v80
	s_waitcnt lgkmcnt(0)
	v_mfma_f32_16x16x128_f8f6f4 v[102:105], v[102:109], v[134:141], 0
	v_mfma_f32_16x16x128_f8f6f4 v[84:87], v[94:101], v[134:141], 0
	v_mul_f32_e64 v2, s8, v2
	v_mul_f32_e64 v3, s8, v3
	v_mul_f32_e64 v0, s8, v0
	v_mul_f32_e64 v1, s8, v1
	v_fma_f32 v66, v2, v112, v66
	v_fma_f32 v67, v2, v113, v67
	v_pk_fma_f32 v[90:91], v[2:3], v[110:111], v[4:5] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[60:61], v[2:3], v[116:117], v[60:61] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[46:47], v[2:3], v[114:115], v[46:47] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[62:63], v[2:3], v[116:117], v[62:63] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[48:49], v[2:3], v[114:115], v[48:49] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[64:65], v[2:3], v[116:117], v[64:65] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[50:51], v[2:3], v[114:115], v[50:51] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[58:59], v[2:3], v[120:121], v[58:59] op_sel:[1,0,0]
	v_pk_fma_f32 v[42:43], v[2:3], v[118:119], v[42:43] op_sel:[1,0,0]
	v_pk_fma_f32 v[52:53], v[2:3], v[124:125], v[52:53] op_sel:[1,0,0]
	v_pk_fma_f32 v[92:93], v[2:3], v[122:123], v[30:31] op_sel:[1,0,0]
	v_pk_fma_f32 v[54:55], v[2:3], v[124:125], v[54:55] op_sel:[1,0,0]
	v_pk_fma_f32 v[32:33], v[2:3], v[122:123], v[32:33] op_sel:[1,0,0]
	v_pk_fma_f32 v[56:57], v[2:3], v[124:125], v[56:57] op_sel:[1,0,0]
	v_pk_fma_f32 v[34:35], v[2:3], v[122:123], v[34:35] op_sel:[1,0,0]
	v_pk_fma_f32 v[44:45], v[0:1], v[128:129], v[44:45] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[94:95], v[0:1], v[126:127], v[26:27] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[36:37], v[0:1], v[132:133], v[36:37] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[96:97], v[0:1], v[130:131], v[16:17] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[38:39], v[0:1], v[132:133], v[38:39] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[98:99], v[0:1], v[130:131], v[18:19] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[40:41], v[0:1], v[132:133], v[40:41] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[100:101], v[0:1], v[130:131], v[20:21] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[104:105], v[0:1], v[104:105], v[28:29] op_sel:[1,0,0]
	v_pk_fma_f32 v[102:103], v[0:1], v[102:103], v[12:13] op_sel:[1,0,0]
	v_pk_fma_f32 v[106:107], v[0:1], v[86:87], v[22:23] op_sel:[1,0,0]
	v_pk_fma_f32 v[108:109], v[0:1], v[84:85], v[8:9] op_sel:[1,0,0]
	v_pk_fma_f32 v[110:111], v[0:1], v[86:87], v[24:25] op_sel:[1,0,0]
	v_pk_fma_f32 v[112:113], v[0:1], v[84:85], v[10:11] op_sel:[1,0,0]
	v_pk_fma_f32 v[86:87], v[0:1], v[86:87], v[14:15] op_sel:[1,0,0]
	v_pk_fma_f32 v[84:85], v[0:1], v[84:85], v[6:7] op_sel:[1,0,0]
	s_waitcnt vmcnt(12)
	s_barrier
	ds_read_b128 v[4:7], v81 offset:8192
	ds_read_b128 v[8:11], v82 offset:8192
	ds_read_b128 v[12:15], v75 offset:8192
	ds_read_b128 v[16:19], v76 offset:8192
	ds_read_b128 v[20:23], v77 offset:8192
	ds_read_b128 v[24:27], v78 offset:8192
	ds_read_b128 v[76:79], v79 offset:8192
	ds_read_b128 v[80:83], v80 offset:8192
	s_waitcnt vmcnt(5) lgkmcnt(6)
	v_mfma_f32_16x16x128_f8f6f4 v[0:3], v[142:149], v[4:11], 0
	s_waitcnt vmcnt(4)
	v_mfma_f32_16x16x128_f8f6f4 v[4:7], v[150:157], v[4:11], 0
	s_waitcnt lgkmcnt(4)
	v_mfma_f32_16x16x128_f8f6f4 v[8:11], v[142:149], v[12:19], 0
	v_mfma_f32_16x16x128_f8f6f4 v[12:15], v[150:157], v[12:19], 0
	s_waitcnt lgkmcnt(2)
	v_mfma_f32_16x16x128_f8f6f4 v[16:19], v[142:149], v[20:27], 0
	v_mfma_f32_16x16x128_f8f6f4 v[20:23], v[150:157], v[20:27], 0
	s_waitcnt lgkmcnt(0)
	v_mfma_f32_16x16x128_f8f6f4 v[24:27], v[142:149], v[76:83], 0
	v_mfma_f32_16x16x128_f8f6f4 v[28:31], v[150:157], v[76:83], 0
	s_waitcnt vmcnt(2)
	v_mul_f32_e64 v68, s0, v68
	v_mul_f32_e64 v69, s0, v69
	v_fma_f32 v46, v68, v4, v46
	v_fma_f32 v47, v68, v5, v47
	v_pk_fma_f32 v[48:49], v[68:69], v[4:5], v[48:49] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[4:5], v[68:69], v[4:5], v[50:51] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[50:51], v[68:69], v[12:13], v[92:93] op_sel:[1,0,0]
	v_pk_fma_f32 v[32:33], v[68:69], v[12:13], v[32:33] op_sel:[1,0,0]
	v_pk_fma_f32 v[12:13], v[68:69], v[12:13], v[34:35] op_sel:[1,0,0]
	s_waitcnt vmcnt(0)
	v_pk_mul_f32 v[34:35], s[0:1], v[88:89] op_sel_hi:[0,1]
	v_pk_fma_f32 v[2:3], v[68:69], v[2:3], v[66:67] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[0:1], v[68:69], v[0:1], v[90:91] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[60:61], v[68:69], v[6:7], v[60:61] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[62:63], v[68:69], v[6:7], v[62:63] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[6:7], v[68:69], v[6:7], v[64:65] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[10:11], v[68:69], v[10:11], v[58:59] op_sel:[1,0,0]
	v_pk_fma_f32 v[8:9], v[68:69], v[8:9], v[42:43] op_sel:[1,0,0]
	v_pk_fma_f32 v[42:43], v[68:69], v[14:15], v[52:53] op_sel:[1,0,0]
	v_pk_fma_f32 v[52:53], v[68:69], v[14:15], v[54:55] op_sel:[1,0,0]
	v_pk_fma_f32 v[14:15], v[68:69], v[14:15], v[56:57] op_sel:[1,0,0]
	v_pk_fma_f32 v[18:19], v[34:35], v[18:19], v[44:45] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[16:17], v[34:35], v[16:17], v[94:95] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[36:37], v[34:35], v[22:23], v[36:37] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[44:45], v[34:35], v[20:21], v[96:97] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[38:39], v[34:35], v[22:23], v[38:39] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[54:55], v[34:35], v[20:21], v[98:99] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[22:23], v[34:35], v[22:23], v[40:41] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[20:21], v[34:35], v[20:21], v[100:101] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[26:27], v[34:35], v[26:27], v[104:105] op_sel:[1,0,0]
	v_pk_fma_f32 v[24:25], v[34:35], v[24:25], v[102:103] op_sel:[1,0,0]
	v_pk_fma_f32 v[40:41], v[34:35], v[30:31], v[106:107] op_sel:[1,0,0]
	v_pk_fma_f32 v[56:57], v[34:35], v[28:29], v[108:109] op_sel:[1,0,0]
	v_pk_fma_f32 v[58:59], v[34:35], v[30:31], v[110:111] op_sel:[1,0,0]
	v_pk_fma_f32 v[64:65], v[34:35], v[28:29], v[112:113] op_sel:[1,0,0]
	v_pk_fma_f32 v[30:31], v[34:35], v[30:31], v[86:87] op_sel:[1,0,0]
	v_pk_fma_f32 v[28:29], v[34:35], v[28:29], v[84:85] op_sel:[1,0,0]
	v_lshl_or_b32 v34, v74, 2, s9
	v_lshlrev_b32_e32 v35, 5, v73
	v_cvt_pk_bf16_f32 v3, v2, v3
	v_cvt_pk_bf16_f32 v2, v0, v1
	v_add_lshl_u32 v0, v34, v35, 1
	v_mov_b32_e32 v66, 0x7ffffffe
	v_cmp_gt_i32_e64 s[0:1], 32, v34
	v_cvt_pk_bf16_f32 v1, v60, v61
	s_nop 0
	v_cndmask_b32_e64 v0, v66, v0, s[0:1]
	buffer_store_dwordx2 v[2:3], v0, s[4:7], 0 offen
	v_or_b32_e32 v2, 16, v34
	v_add_lshl_u32 v3, v2, v35, 1
	v_cmp_gt_i32_e64 s[2:3], 32, v2
	v_cvt_pk_bf16_f32 v0, v46, v47
	s_nop 0
	v_cndmask_b32_e64 v3, v66, v3, s[2:3]
	buffer_store_dwordx2 v[0:1], v3, s[4:7], 0 offen
	v_or_b32_e32 v3, 32, v34
	v_add_lshl_u32 v46, v3, v35, 1
	v_cvt_pk_bf16_f32 v1, v62, v63
	v_cvt_pk_bf16_f32 v0, v48, v49
	v_cndmask_b32_e32 v46, v66, v46, vcc
	buffer_store_dwordx2 v[0:1], v46, s[4:7], 0 offen
	v_or_b32_e32 v46, 48, v34
	v_cvt_pk_bf16_f32 v0, v4, v5
	v_add_lshl_u32 v4, v46, v35, 1
	v_cvt_pk_bf16_f32 v1, v6, v7
	v_cndmask_b32_e32 v4, v66, v4, vcc
	buffer_store_dwordx2 v[0:1], v4, s[4:7], 0 offen
	v_lshlrev_b32_e32 v4, 5, v72
	v_add_lshl_u32 v5, v34, v4, 1
	v_cvt_pk_bf16_f32 v1, v10, v11
	v_cvt_pk_bf16_f32 v0, v8, v9
	v_cndmask_b32_e64 v5, v66, v5, s[0:1]
	buffer_store_dwordx2 v[0:1], v5, s[4:7], 0 offen
	v_add_lshl_u32 v5, v2, v4, 1
	v_cvt_pk_bf16_f32 v1, v42, v43
	v_cvt_pk_bf16_f32 v0, v50, v51
	v_cndmask_b32_e64 v5, v66, v5, s[2:3]
	buffer_store_dwordx2 v[0:1], v5, s[4:7], 0 offen
	v_add_lshl_u32 v5, v3, v4, 1
	v_cvt_pk_bf16_f32 v1, v52, v53
	v_cvt_pk_bf16_f32 v0, v32, v33
	v_cndmask_b32_e32 v5, v66, v5, vcc
	v_add_lshl_u32 v4, v46, v4, 1
	buffer_store_dwordx2 v[0:1], v5, s[4:7], 0 offen
	v_cvt_pk_bf16_f32 v1, v14, v15
	v_cvt_pk_bf16_f32 v0, v12, v13
	v_cndmask_b32_e32 v4, v66, v4, vcc
	buffer_store_dwordx2 v[0:1], v4, s[4:7], 0 offen
	v_lshlrev_b32_e32 v4, 5, v71
	v_add_lshl_u32 v5, v34, v4, 1
	v_cvt_pk_bf16_f32 v1, v18, v19
	v_cvt_pk_bf16_f32 v0, v16, v17
	v_cndmask_b32_e64 v5, v66, v5, s[0:1]
	buffer_store_dwordx2 v[0:1], v5, s[4:7], 0 offen
	v_add_lshl_u32 v5, v2, v4, 1
	v_cvt_pk_bf16_f32 v1, v36, v37
	v_cvt_pk_bf16_f32 v0, v44, v45
	v_cndmask_b32_e64 v5, v66, v5, s[2:3]
	buffer_store_dwordx2 v[0:1], v5, s[4:7], 0 offen
	v_add_lshl_u32 v5, v3, v4, 1
	v_cvt_pk_bf16_f32 v1, v38, v39
	v_cvt_pk_bf16_f32 v0, v54, v55
	v_cndmask_b32_e32 v5, v66, v5, vcc
	v_add_lshl_u32 v4, v46, v4, 1
	buffer_store_dwordx2 v[0:1], v5, s[4:7], 0 offen
	v_cvt_pk_bf16_f32 v1, v22, v23
	v_cvt_pk_bf16_f32 v0, v20, v21
	v_cndmask_b32_e32 v4, v66, v4, vcc
	buffer_store_dwordx2 v[0:1], v4, s[4:7], 0 offen
	v_lshlrev_b32_e32 v4, 5, v70
	v_add_lshl_u32 v5, v34, v4, 1
	v_cvt_pk_bf16_f32 v1, v26, v27
	v_cvt_pk_bf16_f32 v0, v24, v25
	v_cndmask_b32_e64 v5, v66, v5, s[0:1]
	v_add_lshl_u32 v2, v2, v4, 1
	buffer_store_dwordx2 v[0:1], v5, s[4:7], 0 offen
	v_cvt_pk_bf16_f32 v1, v40, v41
	v_cvt_pk_bf16_f32 v0, v56, v57
	v_cndmask_b32_e64 v2, v66, v2, s[2:3]
	buffer_store_dwordx2 v[0:1], v2, s[4:7], 0 offen
	v_add_lshl_u32 v2, v3, v4, 1
	v_cvt_pk_bf16_f32 v1, v58, v59
	v_cvt_pk_bf16_f32 v0, v64, v65
	v_cndmask_b32_e32 v2, v66, v2, vcc
	buffer_store_dwordx2 v[0:1], v2, s[4:7], 0 offen
	v_add_lshl_u32 v2, v46, v4, 1
	v_cvt_pk_bf16_f32 v1, v30, v31
	v_cvt_pk_bf16_f32 v0, v28, v29
	v_cndmask_b32_e32 v2, v66, v2, vcc
	buffer_store_dwordx2 v[0:1], v2, s[4:7], 0 offen
