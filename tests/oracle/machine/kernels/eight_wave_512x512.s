	.amdgcn_target "amdgcn-amd-amdhsa-unknown-gfx950"
	.amdhsa_code_object_version 6
	.text
	.globl	flydsl_a8w8_blockscale_plain_gfx950_1x128x128_8w_128x256x128_16x16x128_cluster_wpe2_xcd0_ks1_rm_bf16
	.p2align	8
	.type	flydsl_a8w8_blockscale_plain_gfx950_1x128x128_8w_128x256x128_16x16x128_cluster_wpe2_xcd0_ks1_rm_bf16,@function
flydsl_a8w8_blockscale_plain_gfx950_1x128x128_8w_128x256x128_16x16x128_cluster_wpe2_xcd0_ks1_rm_bf16:
	s_load_dwordx8 s[4:11], s[0:1], 0x0
	s_load_dwordx2 s[16:17], s[0:1], 0x20
	s_load_dword s18, s[0:1], 0x28
	s_lshr_b32 s0, s2, 31
	v_readfirstlane_b32 s28, v0
	s_add_i32 s0, s2, s0
	s_lshr_b32 s22, s28, 6
	s_lshr_b32 s43, s28, 8
	s_bfe_u32 s42, s28, 0x20006
	s_ashr_i32 s3, s0, 1
	s_and_b32 s14, s0, -2
	s_cmp_lg_u32 s2, s14
	s_cselect_b64 s[0:1], -1, 0
	s_cmp_lt_i32 s2, 0
	s_cselect_b64 s[12:13], -1, 0
	s_and_b64 s[0:1], s[12:13], s[0:1]
	s_subb_u32 s0, s3, 0
	s_lshl_b32 s0, s0, 7
	s_waitcnt lgkmcnt(0)
	s_sub_i32 s1, s18, s0
	s_sub_i32 s19, s2, s14
	s_min_i32 s29, s1, 0x80
	s_ashr_i32 s1, s0, 31
	s_lshl_b32 s24, s19, 8
	s_lshl_b64 s[26:27], s[0:1], 9
	s_add_u32 s12, s6, s26
	s_addc_u32 s1, s7, s27
	s_ashr_i32 s25, s24, 31
	s_and_b32 s13, s1, 0xffff
	s_lshl_b32 s14, s29, 9
	s_lshl_b64 s[2:3], s[24:25], 9
	s_add_u32 s20, s8, s2
	s_addc_u32 s1, s9, s3
	v_lshlrev_b32_e32 v5, 4, v0
	s_movk_i32 s3, 0x70
	s_and_b32 s21, s1, 0xffff
	s_and_b32 s1, s11, 0xffff
	v_bitop3_b32 v5, v5, s3, v0 bitop3:0x48
	s_lshl_b32 s7, s43, 6
	s_lshl_b32 s11, s42, 6
	s_bfe_i32 s3, s19, 0x10017
	s_add_i32 s25, s7, s0
	s_or_b32 s0, s11, s24
	s_lshr_b32 s3, s3, 25
	s_add_i32 s3, s0, s3
	s_lshl_b32 s2, s18, 4
	s_and_b32 s17, s17, 0xffff
	s_add_i32 s6, s29, -1
	s_add_i32 s30, s18, -1
	s_ashr_i32 s23, s3, 7
	s_and_b32 s3, s3, 0xffffff80
	s_cmp_lg_u32 s0, s3
	s_cselect_b64 s[8:9], -1, 0
	s_cmp_lt_i32 s19, 0
	v_lshrrev_b32_e32 v2, 2, v0
	s_cselect_b64 s[18:19], -1, 0
	v_lshrrev_b32_e32 v1, 3, v0
	v_and_b32_e32 v2, 64, v2
	s_and_b64 s[8:9], s[18:19], s[8:9]
	v_and_or_b32 v3, v1, 31, v2
	s_subb_u32 s8, s23, 0
	s_lshl_b32 s37, s22, 10
	v_min_i32_e32 v4, s6, v3
	s_add_i32 s38, s37, 0x10000
	s_mov_b32 s15, 0x27000
	v_lshl_or_b32 v13, v4, 9, v5
	s_mov_b32 m0, s38
	v_or_b32_e32 v1, v1, v2
	buffer_load_dwordx4 v13, s[12:15], 0 offen lds
	v_or_b32_e32 v2, 32, v1
	v_and_b32_e32 v68, 15, v0
	v_min_i32_e32 v4, s6, v2
	v_lshlrev_b32_e32 v1, 9, v1
	s_mov_b32 s6, 0x14000
	v_or3_b32 v15, v1, v5, s6
	v_or_b32_e32 v1, s25, v68
	v_lshl_or_b32 v17, v3, 9, v5
	v_or_b32_e32 v3, 16, v1
	s_movk_i32 s44, 0x80
	s_mov_b32 s22, 0x20000
	s_mov_b32 s23, s15
	s_mov_b32 s18, 64
	s_mov_b32 s19, s15
	v_lshl_or_b32 v9, v4, 9, v5
	v_or_b32_e32 v16, 0x10000, v17
	v_lshl_or_b32 v14, v2, 9, v5
	v_min_i32_e32 v2, s30, v1
	v_min_i32_e32 v3, s30, v3
	v_or_b32_e32 v4, 32, v1
	v_or_b32_e32 v1, 48, v1
	s_mov_b32 s0, s10
	s_mov_b32 s3, s15
	v_min_i32_e32 v4, s30, v4
	v_min_i32_e32 v1, s30, v1
	s_mov_b32 m0, s37
	s_add_i32 s41, s37, 0x2000
	buffer_load_dwordx4 v17, s[20:23], 0 offen lds
	s_mov_b32 m0, s41
	s_nop 0
	buffer_load_dwordx4 v16, s[20:23], 0 offen lds
	s_add_i32 s39, s37, 0x4000
	s_mov_b32 m0, s39
	s_add_i32 s40, s37, 0x6000
	buffer_load_dwordx4 v14, s[20:23], 0 offen lds
	s_mov_b32 m0, s40
	s_nop 0
	buffer_load_dwordx4 v15, s[20:23], 0 offen lds
	s_add_i32 s35, s37, 0x12000
	s_mov_b32 m0, s35
	s_nop 0
	buffer_load_dwordx4 v9, s[12:15], 0 offen lds
	v_lshlrev_b32_e32 v10, 4, v2
	v_lshlrev_b32_e32 v8, 4, v3
	v_lshlrev_b32_e32 v11, 4, v4
	v_lshlrev_b32_e32 v12, 4, v1
	buffer_load_dword v6, v10, s[0:3], 0 offen
	buffer_load_dword v7, v8, s[0:3], 0 offen
	buffer_load_dword v2, v11, s[0:3], 0 offen
	buffer_load_dword v3, v12, s[0:3], 0 offen
	s_lshl_b32 s30, s8, 4
	s_buffer_load_dword s6, s[16:19], s30 offset:0x0
	s_add_i32 s31, s37, 0x14000
	s_mov_b32 m0, s31
	s_nop 0
	buffer_load_dwordx4 v13, s[12:15], s44 offen lds
	s_add_i32 s33, s37, 0x8000
	s_mov_b32 m0, s33
	s_add_i32 s34, s37, 0xa000
	buffer_load_dwordx4 v17, s[20:23], s44 offen lds
	s_mov_b32 m0, s34
	s_nop 0
	buffer_load_dwordx4 v16, s[20:23], s44 offen lds
	s_add_i32 s8, s37, 0xc000
	s_mov_b32 m0, s8
	s_add_i32 s9, s37, 0xe000
	buffer_load_dwordx4 v14, s[20:23], s44 offen lds
	s_mov_b32 m0, s9
	s_nop 0
	buffer_load_dwordx4 v15, s[20:23], s44 offen lds
	s_cmpk_lt_u32 s28, 0x100
	s_movk_i32 s36, 0x100
	s_waitcnt vmcnt(12) lgkmcnt(0)
	s_barrier
	s_cbranch_scc1 .LBB0_2
	s_barrier
.LBB0_2:
	v_lshrrev_b32_e32 v1, 4, v0
	v_lshrrev_b32_e32 v5, 1, v68
	v_bfe_u32 v69, v0, 4, 2
	v_lshlrev_b32_e32 v0, 7, v68
	v_bitop3_b32 v1, v1, v5, 3 bitop3:0x6c
	v_lshl_or_b32 v4, s43, 12, v0
	v_lshlrev_b32_e32 v1, 4, v1
	v_bitop3_b32 v5, v69, v5, 4 bitop3:0x36
	v_or_b32_e32 v18, v4, v1
	v_lshlrev_b32_e32 v5, 4, v5
	s_add_i32 s25, s37, 0x16000
	v_or_b32_e32 v4, v4, v5
	v_lshl_or_b32 v0, s42, 12, v0
	v_add_u32_e32 v70, 0x10000, v18
	s_mov_b32 m0, s25
	v_or_b32_e32 v73, v0, v1
	v_or_b32_e32 v72, v0, v5
	v_add_u32_e32 v71, 0x10000, v4
	ds_read_b128 v[38:41], v70
	ds_read_b128 v[46:49], v70 offset:2048
	ds_read_b128 v[42:45], v71
	ds_read_b128 v[50:53], v71 offset:2048
	ds_read_b128 v[82:85], v73
	ds_read_b128 v[90:93], v73 offset:2048
	ds_read_b128 v[86:89], v72
	ds_read_b128 v[94:97], v72 offset:2048
	buffer_load_dwordx4 v9, s[12:15], s44 offen lds
	s_waitcnt vmcnt(11) lgkmcnt(0)
	s_barrier
	s_setprio 1
	v_mfma_f32_16x16x128_f8f6f4 v[18:21], v[82:89], v[38:45], 0
	v_mfma_f32_16x16x128_f8f6f4 v[22:25], v[90:97], v[38:45], 0
	v_mfma_f32_16x16x128_f8f6f4 v[26:29], v[82:89], v[46:53], 0
	v_mfma_f32_16x16x128_f8f6f4 v[30:33], v[90:97], v[46:53], 0
	s_setprio 0
	s_mov_b32 s0, s10
	s_mov_b32 s3, s15
	s_barrier
	buffer_load_dword v4, v10, s[0:3], 4 offen
	buffer_load_dword v5, v8, s[0:3], 4 offen
	buffer_load_dword v0, v11, s[0:3], 4 offen
	buffer_load_dword v1, v12, s[0:3], 4 offen
	ds_read_b128 v[58:61], v73 offset:16384
	ds_read_b128 v[74:77], v73 offset:18432
	ds_read_b128 v[62:65], v72 offset:16384
	ds_read_b128 v[78:81], v72 offset:18432
	s_waitcnt vmcnt(14) lgkmcnt(0)
	s_barrier
	s_setprio 1
	v_mfma_f32_16x16x128_f8f6f4 v[34:37], v[58:65], v[38:45], 0
	v_mfma_f32_16x16x128_f8f6f4 v[38:41], v[74:81], v[38:45], 0
	v_mfma_f32_16x16x128_f8f6f4 v[42:45], v[58:65], v[46:53], 0
	v_mfma_f32_16x16x128_f8f6f4 v[46:49], v[74:81], v[46:53], 0
	s_setprio 0
	s_mov_b32 m0, s38
	s_barrier
	ds_read_b128 v[98:101], v70 offset:8192
	ds_read_b128 v[106:109], v70 offset:10240
	ds_read_b128 v[102:105], v71 offset:8192
	ds_read_b128 v[110:113], v71 offset:10240
	buffer_load_dwordx4 v13, s[12:15], s36 offen lds
	s_mov_b32 m0, s37
	s_nop 0
	buffer_load_dwordx4 v17, s[20:23], s36 offen lds
	s_mov_b32 m0, s41
	s_nop 0
	buffer_load_dwordx4 v16, s[20:23], s36 offen lds
	s_waitcnt lgkmcnt(0)
	s_barrier
	s_setprio 1
	v_mfma_f32_16x16x128_f8f6f4 v[50:53], v[58:65], v[98:105], 0
	v_mfma_f32_16x16x128_f8f6f4 v[54:57], v[74:81], v[98:105], 0
	v_mfma_f32_16x16x128_f8f6f4 v[58:61], v[58:65], v[106:113], 0
	v_mfma_f32_16x16x128_f8f6f4 v[62:65], v[74:81], v[106:113], 0
	s_setprio 0
	s_mov_b32 m0, s39
	s_barrier
	buffer_load_dwordx4 v14, s[20:23], s36 offen lds
	s_mov_b32 m0, s40
	s_nop 0
	buffer_load_dwordx4 v15, s[20:23], s36 offen lds
	s_waitcnt vmcnt(12)
	s_barrier
	s_setprio 1
	v_mfma_f32_16x16x128_f8f6f4 v[74:77], v[82:89], v[98:105], 0
	v_mfma_f32_16x16x128_f8f6f4 v[78:81], v[90:97], v[98:105], 0
	v_mfma_f32_16x16x128_f8f6f4 v[82:85], v[82:89], v[106:113], 0
	v_mfma_f32_16x16x128_f8f6f4 v[86:89], v[90:97], v[106:113], 0
	s_setprio 0
	v_mul_f32_e64 v6, s6, v6
	v_mul_f32_e64 v7, s6, v7
	v_mul_f32_e64 v2, s6, v2
	v_mul_f32_e64 v3, s6, v3
	s_barrier
	v_pk_fma_f32 v[66:67], v[6:7], v[20:21], 0 op_sel_hi:[0,1,0]
	v_pk_fma_f32 v[90:91], v[6:7], v[18:19], 0 op_sel_hi:[0,1,0]
	v_pk_fma_f32 v[92:93], v[6:7], v[24:25], 0 op_sel_hi:[0,1,0]
	v_pk_fma_f32 v[94:95], v[6:7], v[22:23], 0 op_sel_hi:[0,1,0]
	v_pk_fma_f32 v[96:97], v[6:7], v[28:29], 0 op_sel:[1,0,0] op_sel_hi:[1,1,0]
	v_pk_fma_f32 v[98:99], v[6:7], v[26:27], 0 op_sel:[1,0,0] op_sel_hi:[1,1,0]
	v_pk_fma_f32 v[100:101], v[6:7], v[32:33], 0 op_sel:[1,0,0] op_sel_hi:[1,1,0]
	v_pk_fma_f32 v[102:103], v[6:7], v[30:31], 0 op_sel:[1,0,0] op_sel_hi:[1,1,0]
	v_pk_fma_f32 v[104:105], v[6:7], v[36:37], 0 op_sel_hi:[0,1,0]
	v_pk_fma_f32 v[106:107], v[6:7], v[34:35], 0 op_sel_hi:[0,1,0]
	v_pk_fma_f32 v[108:109], v[6:7], v[40:41], 0 op_sel_hi:[0,1,0]
	v_pk_fma_f32 v[110:111], v[6:7], v[38:39], 0 op_sel_hi:[0,1,0]
	v_pk_fma_f32 v[112:113], v[6:7], v[44:45], 0 op_sel:[1,0,0] op_sel_hi:[1,1,0]
	v_pk_fma_f32 v[114:115], v[6:7], v[42:43], 0 op_sel:[1,0,0] op_sel_hi:[1,1,0]
	v_pk_fma_f32 v[116:117], v[6:7], v[48:49], 0 op_sel:[1,0,0] op_sel_hi:[1,1,0]
	v_pk_fma_f32 v[118:119], v[6:7], v[46:47], 0 op_sel:[1,0,0] op_sel_hi:[1,1,0]
	v_pk_fma_f32 v[120:121], v[2:3], v[52:53], 0 op_sel_hi:[0,1,0]
	v_pk_fma_f32 v[122:123], v[2:3], v[50:51], 0 op_sel_hi:[0,1,0]
	v_pk_fma_f32 v[124:125], v[2:3], v[56:57], 0 op_sel_hi:[0,1,0]
	v_pk_fma_f32 v[126:127], v[2:3], v[54:55], 0 op_sel_hi:[0,1,0]
	v_pk_fma_f32 v[128:129], v[2:3], v[60:61], 0 op_sel:[1,0,0] op_sel_hi:[1,1,0]
	v_pk_fma_f32 v[130:131], v[2:3], v[58:59], 0 op_sel:[1,0,0] op_sel_hi:[1,1,0]
	v_pk_fma_f32 v[132:133], v[2:3], v[64:65], 0 op_sel:[1,0,0] op_sel_hi:[1,1,0]
	v_pk_fma_f32 v[134:135], v[2:3], v[62:63], 0 op_sel:[1,0,0] op_sel_hi:[1,1,0]
	v_pk_fma_f32 v[136:137], v[2:3], v[76:77], 0 op_sel_hi:[0,1,0]
	v_pk_fma_f32 v[138:139], v[2:3], v[74:75], 0 op_sel_hi:[0,1,0]
	v_pk_fma_f32 v[140:141], v[2:3], v[80:81], 0 op_sel_hi:[0,1,0]
	v_pk_fma_f32 v[142:143], v[2:3], v[78:79], 0 op_sel_hi:[0,1,0]
	v_pk_fma_f32 v[144:145], v[2:3], v[84:85], 0 op_sel:[1,0,0] op_sel_hi:[1,1,0]
	v_pk_fma_f32 v[146:147], v[2:3], v[82:83], 0 op_sel:[1,0,0] op_sel_hi:[1,1,0]
	v_pk_fma_f32 v[88:89], v[2:3], v[88:89], 0 op_sel:[1,0,0] op_sel_hi:[1,1,0]
	v_pk_fma_f32 v[86:87], v[2:3], v[86:87], 0 op_sel:[1,0,0] op_sel_hi:[1,1,0]
	s_mov_b32 m0, s35
	ds_read_b128 v[38:41], v70 offset:16384
	ds_read_b128 v[46:49], v70 offset:18432
	ds_read_b128 v[42:45], v71 offset:16384
	ds_read_b128 v[50:53], v71 offset:18432
	ds_read_b128 v[78:81], v73 offset:32768
	ds_read_b128 v[148:151], v73 offset:34816
	ds_read_b128 v[82:85], v72 offset:32768
	ds_read_b128 v[152:155], v72 offset:34816
	buffer_load_dwordx4 v9, s[12:15], s36 offen lds
	s_waitcnt vmcnt(11) lgkmcnt(0)
	s_barrier
	s_setprio 1
	v_mfma_f32_16x16x128_f8f6f4 v[18:21], v[78:85], v[38:45], 0
	v_mfma_f32_16x16x128_f8f6f4 v[22:25], v[148:155], v[38:45], 0
	v_mfma_f32_16x16x128_f8f6f4 v[26:29], v[78:85], v[46:53], 0
	v_mfma_f32_16x16x128_f8f6f4 v[30:33], v[148:155], v[46:53], 0
	s_setprio 0
	s_barrier
	buffer_load_dword v6, v10, s[0:3], 8 offen
	buffer_load_dword v7, v8, s[0:3], 8 offen
	buffer_load_dword v2, v11, s[0:3], 8 offen
	buffer_load_dword v3, v12, s[0:3], 8 offen
	ds_read_b128 v[58:61], v73 offset:49152
	ds_read_b128 v[156:159], v73 offset:51200
	ds_read_b128 v[62:65], v72 offset:49152
	ds_read_b128 v[160:163], v72 offset:51200
	s_waitcnt vmcnt(14) lgkmcnt(0)
	s_barrier
	s_setprio 1
	v_mfma_f32_16x16x128_f8f6f4 v[34:37], v[58:65], v[38:45], 0
	v_mfma_f32_16x16x128_f8f6f4 v[38:41], v[156:163], v[38:45], 0
	v_mfma_f32_16x16x128_f8f6f4 v[42:45], v[58:65], v[46:53], 0
	v_mfma_f32_16x16x128_f8f6f4 v[46:49], v[156:163], v[46:53], 0
	s_setprio 0
	s_movk_i32 s10, 0x180
	s_mov_b32 m0, s31
	s_barrier
	ds_read_b128 v[164:167], v70 offset:24576
	ds_read_b128 v[172:175], v70 offset:26624
	ds_read_b128 v[168:171], v71 offset:24576
	ds_read_b128 v[176:179], v71 offset:26624
	buffer_load_dwordx4 v13, s[12:15], s10 offen lds
	s_mov_b32 m0, s33
	s_nop 0
	buffer_load_dwordx4 v17, s[20:23], s10 offen lds
	s_mov_b32 m0, s34
	s_nop 0
	buffer_load_dwordx4 v16, s[20:23], s10 offen lds
	s_waitcnt lgkmcnt(0)
	s_barrier
	s_setprio 1
	v_mfma_f32_16x16x128_f8f6f4 v[50:53], v[58:65], v[164:171], 0
	v_mfma_f32_16x16x128_f8f6f4 v[54:57], v[156:163], v[164:171], 0
	v_mfma_f32_16x16x128_f8f6f4 v[58:61], v[58:65], v[172:179], 0
	v_mfma_f32_16x16x128_f8f6f4 v[62:65], v[156:163], v[172:179], 0
	s_setprio 0
	s_mov_b32 m0, s8
	s_barrier
	buffer_load_dwordx4 v14, s[20:23], s10 offen lds
	s_mov_b32 m0, s9
	s_nop 0
	buffer_load_dwordx4 v15, s[20:23], s10 offen lds
	s_waitcnt vmcnt(12)
	s_barrier
	s_setprio 1
	v_mfma_f32_16x16x128_f8f6f4 v[14:17], v[78:85], v[164:171], 0
	v_mfma_f32_16x16x128_f8f6f4 v[74:77], v[148:155], v[164:171], 0
	v_mfma_f32_16x16x128_f8f6f4 v[78:81], v[78:85], v[172:179], 0
	v_mfma_f32_16x16x128_f8f6f4 v[82:85], v[148:155], v[172:179], 0
	s_setprio 0
	s_buffer_load_dwordx2 s[8:9], s[16:19], s30 offset:0x4
	s_buffer_load_dword s6, s[16:19], s30 offset:0xc
	s_waitcnt lgkmcnt(0)
	s_barrier
	v_pk_mul_f32 v[4:5], s[8:9], v[4:5] op_sel_hi:[0,1]
	v_pk_mul_f32 v[0:1], s[8:9], v[0:1] op_sel_hi:[0,1]
	v_pk_fma_f32 v[148:149], v[4:5], v[20:21], v[66:67] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[150:151], v[4:5], v[18:19], v[90:91] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[152:153], v[4:5], v[24:25], v[92:93] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[154:155], v[4:5], v[22:23], v[94:95] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[156:157], v[4:5], v[28:29], v[96:97] op_sel:[1,0,0]
	v_pk_fma_f32 v[158:159], v[4:5], v[26:27], v[98:99] op_sel:[1,0,0]
	v_pk_fma_f32 v[160:161], v[4:5], v[32:33], v[100:101] op_sel:[1,0,0]
	v_pk_fma_f32 v[162:163], v[4:5], v[30:31], v[102:103] op_sel:[1,0,0]
	v_pk_fma_f32 v[164:165], v[4:5], v[36:37], v[104:105] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[166:167], v[4:5], v[34:35], v[106:107] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[40:41], v[4:5], v[40:41], v[108:109] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[38:39], v[4:5], v[38:39], v[110:111] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[110:111], v[4:5], v[44:45], v[112:113] op_sel:[1,0,0]
	v_pk_fma_f32 v[112:113], v[4:5], v[42:43], v[114:115] op_sel:[1,0,0]
	v_pk_fma_f32 v[114:115], v[4:5], v[48:49], v[116:117] op_sel:[1,0,0]
	v_pk_fma_f32 v[4:5], v[4:5], v[46:47], v[118:119] op_sel:[1,0,0]
	v_pk_fma_f32 v[116:117], v[0:1], v[52:53], v[120:121] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[118:119], v[0:1], v[50:51], v[122:123] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[120:121], v[0:1], v[56:57], v[124:125] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[122:123], v[0:1], v[54:55], v[126:127] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[124:125], v[0:1], v[60:61], v[128:129] op_sel:[1,0,0]
	v_pk_fma_f32 v[126:127], v[0:1], v[58:59], v[130:131] op_sel:[1,0,0]
	v_pk_fma_f32 v[128:129], v[0:1], v[64:65], v[132:133] op_sel:[1,0,0]
	v_pk_fma_f32 v[130:131], v[0:1], v[62:63], v[134:135] op_sel:[1,0,0]
	v_pk_fma_f32 v[132:133], v[0:1], v[16:17], v[136:137] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[134:135], v[0:1], v[14:15], v[138:139] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[136:137], v[0:1], v[76:77], v[140:141] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[138:139], v[0:1], v[74:75], v[142:143] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[140:141], v[0:1], v[80:81], v[144:145] op_sel:[1,0,0]
	v_pk_fma_f32 v[142:143], v[0:1], v[78:79], v[146:147] op_sel:[1,0,0]
	v_pk_fma_f32 v[144:145], v[0:1], v[84:85], v[88:89] op_sel:[1,0,0]
	v_pk_fma_f32 v[0:1], v[0:1], v[82:83], v[86:87] op_sel:[1,0,0]
	s_mov_b32 m0, s25
	ds_read_b128 v[30:33], v70
	ds_read_b128 v[42:45], v70 offset:2048
	ds_read_b128 v[34:37], v71
	ds_read_b128 v[46:49], v71 offset:2048
	ds_read_b128 v[50:53], v73
	ds_read_b128 v[168:171], v73 offset:2048
	ds_read_b128 v[54:57], v72
	ds_read_b128 v[172:175], v72 offset:2048
	buffer_load_dwordx4 v9, s[12:15], s10 offen lds
	s_waitcnt vmcnt(11) lgkmcnt(0)
	s_barrier
	s_setprio 1
	v_mfma_f32_16x16x128_f8f6f4 v[14:17], v[50:57], v[30:37], 0
	v_mfma_f32_16x16x128_f8f6f4 v[18:21], v[168:175], v[30:37], 0
	v_mfma_f32_16x16x128_f8f6f4 v[22:25], v[50:57], v[42:49], 0
	v_mfma_f32_16x16x128_f8f6f4 v[26:29], v[168:175], v[42:49], 0
	s_setprio 0
	s_barrier
	buffer_load_dword v66, v10, s[0:3], 12 offen
	buffer_load_dword v67, v8, s[0:3], 12 offen
	buffer_load_dword v64, v11, s[0:3], 12 offen
	buffer_load_dword v65, v12, s[0:3], 12 offen
	ds_read_b128 v[86:89], v73 offset:16384
	ds_read_b128 v[94:97], v73 offset:18432
	ds_read_b128 v[90:93], v72 offset:16384
	ds_read_b128 v[98:101], v72 offset:18432
	s_waitcnt vmcnt(14) lgkmcnt(0)
	s_barrier
	s_setprio 1
	v_mfma_f32_16x16x128_f8f6f4 v[8:11], v[86:93], v[30:37], 0
	v_mfma_f32_16x16x128_f8f6f4 v[30:33], v[94:101], v[30:37], 0
	v_mfma_f32_16x16x128_f8f6f4 v[34:37], v[86:93], v[42:49], 0
	v_mfma_f32_16x16x128_f8f6f4 v[74:77], v[94:101], v[42:49], 0
	s_setprio 0
	s_barrier
	ds_read_b128 v[42:45], v70 offset:8192
	ds_read_b128 v[176:179], v70 offset:10240
	ds_read_b128 v[46:49], v71 offset:8192
	ds_read_b128 v[180:183], v71 offset:10240
	s_waitcnt lgkmcnt(0)
	s_barrier
	s_setprio 1
	v_mfma_f32_16x16x128_f8f6f4 v[78:81], v[86:93], v[42:49], 0
	v_mfma_f32_16x16x128_f8f6f4 v[82:85], v[94:101], v[42:49], 0
	v_mfma_f32_16x16x128_f8f6f4 v[86:89], v[86:93], v[176:183], 0
	v_mfma_f32_16x16x128_f8f6f4 v[90:93], v[94:101], v[176:183], 0
	s_setprio 0
	s_barrier
	s_waitcnt vmcnt(7)
	s_barrier
	s_setprio 1
	v_mfma_f32_16x16x128_f8f6f4 v[94:97], v[50:57], v[42:49], 0
	v_mfma_f32_16x16x128_f8f6f4 v[98:101], v[168:175], v[42:49], 0
	v_mfma_f32_16x16x128_f8f6f4 v[102:105], v[50:57], v[176:183], 0
	v_mfma_f32_16x16x128_f8f6f4 v[106:109], v[168:175], v[176:183], 0
	s_setprio 0
	s_mov_b32 s0, s9
	v_mul_f32_e64 v6, s0, v6
	v_mul_f32_e64 v7, s0, v7
	v_fma_f32 v42, v6, v32, v40
	v_fma_f32 v43, v6, v33, v41
	v_pk_fma_f32 v[32:33], v[6:7], v[74:75], v[4:5] op_sel:[1,0,0]
	v_pk_mul_f32 v[74:75], s[0:1], v[2:3] op_sel_hi:[0,1]
	v_pk_fma_f32 v[62:63], v[6:7], v[16:17], v[148:149] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[60:61], v[6:7], v[14:15], v[150:151] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[58:59], v[6:7], v[20:21], v[152:153] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[56:57], v[6:7], v[18:19], v[154:155] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[54:55], v[6:7], v[24:25], v[156:157] op_sel:[1,0,0]
	v_pk_fma_f32 v[52:53], v[6:7], v[22:23], v[158:159] op_sel:[1,0,0]
	v_pk_fma_f32 v[50:51], v[6:7], v[28:29], v[160:161] op_sel:[1,0,0]
	v_pk_fma_f32 v[48:49], v[6:7], v[26:27], v[162:163] op_sel:[1,0,0]
	v_pk_fma_f32 v[46:47], v[6:7], v[10:11], v[164:165] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[44:45], v[6:7], v[8:9], v[166:167] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[40:41], v[6:7], v[30:31], v[38:39] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[38:39], v[6:7], v[36:37], v[110:111] op_sel:[1,0,0]
	v_pk_fma_f32 v[36:37], v[6:7], v[34:35], v[112:113] op_sel:[1,0,0]
	v_pk_fma_f32 v[34:35], v[6:7], v[76:77], v[114:115] op_sel:[1,0,0]
	v_pk_fma_f32 v[30:31], v[74:75], v[80:81], v[116:117] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[28:29], v[74:75], v[78:79], v[118:119] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[26:27], v[74:75], v[84:85], v[120:121] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[24:25], v[74:75], v[82:83], v[122:123] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[22:23], v[74:75], v[88:89], v[124:125] op_sel:[1,0,0]
	v_pk_fma_f32 v[20:21], v[74:75], v[86:87], v[126:127] op_sel:[1,0,0]
	v_pk_fma_f32 v[18:19], v[74:75], v[92:93], v[128:129] op_sel:[1,0,0]
	v_pk_fma_f32 v[16:17], v[74:75], v[90:91], v[130:131] op_sel:[1,0,0]
	v_pk_fma_f32 v[14:15], v[74:75], v[96:97], v[132:133] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[12:13], v[74:75], v[94:95], v[134:135] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[10:11], v[74:75], v[100:101], v[136:137] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[8:9], v[74:75], v[98:99], v[138:139] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[6:7], v[74:75], v[104:105], v[140:141] op_sel:[1,0,0]
	v_pk_fma_f32 v[4:5], v[74:75], v[102:103], v[142:143] op_sel:[1,0,0]
	v_pk_fma_f32 v[2:3], v[74:75], v[108:109], v[144:145] op_sel:[1,0,0]
	v_pk_fma_f32 v[0:1], v[74:75], v[106:107], v[0:1] op_sel:[1,0,0]
	s_barrier
	;;#ASMSTART
	;;#ASMEND
	;;#ASMSTART
	;;#ASMEND
	;;#ASMSTART
	;;#ASMEND
	;;#ASMSTART
	;;#ASMEND
	;;#ASMSTART
	;;#ASMEND
	;;#ASMSTART
	;;#ASMEND
	;;#ASMSTART
	;;#ASMEND
	;;#ASMSTART
	;;#ASMEND
	;;#ASMSTART
	;;#ASMEND
	;;#ASMSTART
	;;#ASMEND
	;;#ASMSTART
	;;#ASMEND
	;;#ASMSTART
	;;#ASMEND
	;;#ASMSTART
	;;#ASMEND
	;;#ASMSTART
	;;#ASMEND
	;;#ASMSTART
	;;#ASMEND
	;;#ASMSTART
	;;#ASMEND
	ds_read_b128 v[94:97], v70 offset:16384
	ds_read_b128 v[102:105], v70 offset:18432
	ds_read_b128 v[98:101], v71 offset:16384
	ds_read_b128 v[106:109], v71 offset:18432
	ds_read_b128 v[126:129], v73 offset:32768
	ds_read_b128 v[134:137], v73 offset:34816
	ds_read_b128 v[130:133], v72 offset:32768
	ds_read_b128 v[138:141], v72 offset:34816
	s_waitcnt vmcnt(5) lgkmcnt(0)
	s_barrier
	s_setprio 1
	v_mfma_f32_16x16x128_f8f6f4 v[74:77], v[126:133], v[94:101], 0
	v_mfma_f32_16x16x128_f8f6f4 v[78:81], v[134:141], v[94:101], 0
	v_mfma_f32_16x16x128_f8f6f4 v[82:85], v[126:133], v[102:109], 0
	v_mfma_f32_16x16x128_f8f6f4 v[86:89], v[134:141], v[102:109], 0
	s_setprio 0
	s_barrier
	ds_read_b128 v[110:113], v73 offset:49152
	ds_read_b128 v[118:121], v73 offset:51200
	ds_read_b128 v[114:117], v72 offset:49152
	ds_read_b128 v[122:125], v72 offset:51200
	s_waitcnt vmcnt(4) lgkmcnt(0)
	s_barrier
	s_setprio 1
	v_mfma_f32_16x16x128_f8f6f4 v[90:93], v[110:117], v[94:101], 0
	v_mfma_f32_16x16x128_f8f6f4 v[94:97], v[118:125], v[94:101], 0
	v_mfma_f32_16x16x128_f8f6f4 v[98:101], v[110:117], v[102:109], 0
	v_mfma_f32_16x16x128_f8f6f4 v[102:105], v[118:125], v[102:109], 0
	s_setprio 0
	s_barrier
	ds_read_b128 v[142:145], v70 offset:24576
	ds_read_b128 v[150:153], v70 offset:26624
	ds_read_b128 v[146:149], v71 offset:24576
	ds_read_b128 v[154:157], v71 offset:26624
	s_waitcnt lgkmcnt(0)
	s_barrier
	s_setprio 1
	v_mfma_f32_16x16x128_f8f6f4 v[70:73], v[110:117], v[142:149], 0
	v_mfma_f32_16x16x128_f8f6f4 v[106:109], v[118:125], v[142:149], 0
	v_mfma_f32_16x16x128_f8f6f4 v[110:113], v[110:117], v[150:157], 0
	v_mfma_f32_16x16x128_f8f6f4 v[114:117], v[118:125], v[150:157], 0
	s_setprio 0
	s_barrier
	s_setprio 1
	v_mfma_f32_16x16x128_f8f6f4 v[118:121], v[126:133], v[142:149], 0
	v_mfma_f32_16x16x128_f8f6f4 v[122:125], v[134:141], v[142:149], 0
	v_mfma_f32_16x16x128_f8f6f4 v[126:129], v[126:133], v[150:157], 0
	v_mfma_f32_16x16x128_f8f6f4 v[130:133], v[134:141], v[150:157], 0
	s_setprio 0
	s_waitcnt vmcnt(2)
	v_mul_f32_e64 v66, s6, v66
	v_mul_f32_e64 v67, s6, v67
	s_waitcnt vmcnt(0)
	v_pk_mul_f32 v[64:65], s[6:7], v[64:65] op_sel_hi:[0,1]
	v_pk_fma_f32 v[62:63], v[66:67], v[76:77], v[62:63] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[60:61], v[66:67], v[74:75], v[60:61] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[58:59], v[66:67], v[80:81], v[58:59] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[56:57], v[66:67], v[78:79], v[56:57] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[54:55], v[66:67], v[84:85], v[54:55] op_sel:[1,0,0]
	v_pk_fma_f32 v[52:53], v[66:67], v[82:83], v[52:53] op_sel:[1,0,0]
	v_pk_fma_f32 v[50:51], v[66:67], v[88:89], v[50:51] op_sel:[1,0,0]
	v_pk_fma_f32 v[48:49], v[66:67], v[86:87], v[48:49] op_sel:[1,0,0]
	v_pk_fma_f32 v[46:47], v[66:67], v[92:93], v[46:47] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[44:45], v[66:67], v[90:91], v[44:45] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[42:43], v[66:67], v[96:97], v[42:43] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[40:41], v[66:67], v[94:95], v[40:41] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[38:39], v[66:67], v[100:101], v[38:39] op_sel:[1,0,0]
	v_pk_fma_f32 v[36:37], v[66:67], v[98:99], v[36:37] op_sel:[1,0,0]
	v_pk_fma_f32 v[34:35], v[66:67], v[104:105], v[34:35] op_sel:[1,0,0]
	v_pk_fma_f32 v[32:33], v[66:67], v[102:103], v[32:33] op_sel:[1,0,0]
	v_pk_fma_f32 v[30:31], v[64:65], v[72:73], v[30:31] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[28:29], v[64:65], v[70:71], v[28:29] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[26:27], v[64:65], v[108:109], v[26:27] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[24:25], v[64:65], v[106:107], v[24:25] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[22:23], v[64:65], v[112:113], v[22:23] op_sel:[1,0,0]
	v_pk_fma_f32 v[20:21], v[64:65], v[110:111], v[20:21] op_sel:[1,0,0]
	v_pk_fma_f32 v[18:19], v[64:65], v[116:117], v[18:19] op_sel:[1,0,0]
	v_pk_fma_f32 v[16:17], v[64:65], v[114:115], v[16:17] op_sel:[1,0,0]
	v_pk_fma_f32 v[14:15], v[64:65], v[120:121], v[14:15] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[12:13], v[64:65], v[118:119], v[12:13] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[10:11], v[64:65], v[124:125], v[10:11] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[8:9], v[64:65], v[122:123], v[8:9] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[6:7], v[64:65], v[128:129], v[6:7] op_sel:[1,0,0]
	v_pk_fma_f32 v[4:5], v[64:65], v[126:127], v[4:5] op_sel:[1,0,0]
	v_pk_fma_f32 v[2:3], v[64:65], v[132:133], v[2:3] op_sel:[1,0,0]
	v_pk_fma_f32 v[0:1], v[64:65], v[130:131], v[0:1] op_sel:[1,0,0]
	s_barrier
	s_cmpk_gt_u32 s28, 0xff
	;;#ASMSTART
	;;#ASMEND
	;;#ASMSTART
	;;#ASMEND
	;;#ASMSTART
	;;#ASMEND
	;;#ASMSTART
	;;#ASMEND
	;;#ASMSTART
	;;#ASMEND
	;;#ASMSTART
	;;#ASMEND
	;;#ASMSTART
	;;#ASMEND
	;;#ASMSTART
	;;#ASMEND
	;;#ASMSTART
	;;#ASMEND
	;;#ASMSTART
	;;#ASMEND
	;;#ASMSTART
	;;#ASMEND
	;;#ASMSTART
	;;#ASMEND
	;;#ASMSTART
	;;#ASMEND
	;;#ASMSTART
	;;#ASMEND
	;;#ASMSTART
	;;#ASMEND
	;;#ASMSTART
	;;#ASMEND
	s_cbranch_scc1 .LBB0_4
	s_barrier
.LBB0_4:
	s_lshl_b64 s[0:1], s[26:27], 1
	v_or_b32_e32 v65, s7, v68
	s_add_u32 s0, s4, s0
	v_lshl_or_b32 v64, v69, 2, s11
	v_lshl_add_u32 v65, v65, 9, s24
	s_addc_u32 s1, s5, s1
	v_or_b32_e32 v66, v65, v64
	s_and_b32 s1, s1, 0xffff
	s_lshl_b32 s2, s29, 10
	s_mov_b32 s3, 0x27000
	v_cvt_pk_bf16_f32 v63, v62, v63
	v_cvt_pk_bf16_f32 v62, v60, v61
	v_lshlrev_b32_e32 v60, 1, v66
	buffer_store_dwordx2 v[62:63], v60, s[0:3], 0 offen
	v_or_b32_e32 v60, 16, v64
	v_or_b32_e32 v61, v65, v60
	v_cvt_pk_bf16_f32 v59, v58, v59
	v_cvt_pk_bf16_f32 v58, v56, v57
	v_lshlrev_b32_e32 v56, 1, v61
	buffer_store_dwordx2 v[58:59], v56, s[0:3], 0 offen
	v_or_b32_e32 v56, 32, v64
	v_or_b32_e32 v57, v65, v56
	v_cvt_pk_bf16_f32 v47, v46, v47
	v_cvt_pk_bf16_f32 v46, v44, v45
	v_lshlrev_b32_e32 v44, 1, v57
	buffer_store_dwordx2 v[46:47], v44, s[0:3], 0 offen
	v_or_b32_e32 v44, 48, v64
	v_or_b32_e32 v45, v65, v44
	v_cvt_pk_bf16_f32 v43, v42, v43
	v_cvt_pk_bf16_f32 v42, v40, v41
	v_lshlrev_b32_e32 v40, 1, v45
	buffer_store_dwordx2 v[42:43], v40, s[0:3], 0 offen
	v_add_u32_e32 v42, 0x2000, v65
	v_or_b32_e32 v43, v42, v64
	v_cvt_pk_bf16_f32 v41, v54, v55
	v_cvt_pk_bf16_f32 v40, v52, v53
	v_lshlrev_b32_e32 v43, 1, v43
	buffer_store_dwordx2 v[40:41], v43, s[0:3], 0 offen
	v_or_b32_e32 v43, v42, v60
	v_cvt_pk_bf16_f32 v41, v50, v51
	v_cvt_pk_bf16_f32 v40, v48, v49
	v_lshlrev_b32_e32 v43, 1, v43
	buffer_store_dwordx2 v[40:41], v43, s[0:3], 0 offen
	v_or_b32_e32 v40, v42, v56
	v_cvt_pk_bf16_f32 v39, v38, v39
	v_cvt_pk_bf16_f32 v38, v36, v37
	v_lshlrev_b32_e32 v36, 1, v40
	buffer_store_dwordx2 v[38:39], v36, s[0:3], 0 offen
	v_or_b32_e32 v36, v42, v44
	v_cvt_pk_bf16_f32 v35, v34, v35
	v_cvt_pk_bf16_f32 v34, v32, v33
	v_lshlrev_b32_e32 v32, 1, v36
	buffer_store_dwordx2 v[34:35], v32, s[0:3], 0 offen
	v_add_u32_e32 v32, 0x4000, v65
	v_or_b32_e32 v33, v32, v64
	v_cvt_pk_bf16_f32 v15, v14, v15
	v_cvt_pk_bf16_f32 v14, v12, v13
	v_lshlrev_b32_e32 v12, 1, v33
	buffer_store_dwordx2 v[14:15], v12, s[0:3], 0 offen
	v_or_b32_e32 v12, v32, v60
	v_cvt_pk_bf16_f32 v11, v10, v11
	v_cvt_pk_bf16_f32 v10, v8, v9
	v_lshlrev_b32_e32 v8, 1, v12
	buffer_store_dwordx2 v[10:11], v8, s[0:3], 0 offen
	v_or_b32_e32 v10, v32, v56
	v_cvt_pk_bf16_f32 v9, v30, v31
	v_cvt_pk_bf16_f32 v8, v28, v29
	v_lshlrev_b32_e32 v10, 1, v10
	buffer_store_dwordx2 v[8:9], v10, s[0:3], 0 offen
	v_or_b32_e32 v10, v32, v44
	v_cvt_pk_bf16_f32 v9, v26, v27
	v_cvt_pk_bf16_f32 v8, v24, v25
	v_lshlrev_b32_e32 v10, 1, v10
	buffer_store_dwordx2 v[8:9], v10, s[0:3], 0 offen
	v_add_u32_e32 v8, 0x6000, v65
	v_or_b32_e32 v9, v8, v64
	v_cvt_pk_bf16_f32 v7, v6, v7
	v_cvt_pk_bf16_f32 v6, v4, v5
	v_lshlrev_b32_e32 v4, 1, v9
	buffer_store_dwordx2 v[6:7], v4, s[0:3], 0 offen
	v_or_b32_e32 v4, v8, v60
	v_cvt_pk_bf16_f32 v3, v2, v3
	v_cvt_pk_bf16_f32 v2, v0, v1
	v_lshlrev_b32_e32 v0, 1, v4
	buffer_store_dwordx2 v[2:3], v0, s[0:3], 0 offen
	v_or_b32_e32 v2, v8, v56
	v_cvt_pk_bf16_f32 v1, v22, v23
	v_cvt_pk_bf16_f32 v0, v20, v21
	v_lshlrev_b32_e32 v2, 1, v2
	buffer_store_dwordx2 v[0:1], v2, s[0:3], 0 offen
	v_or_b32_e32 v2, v8, v44
	v_cvt_pk_bf16_f32 v1, v18, v19
	v_cvt_pk_bf16_f32 v0, v16, v17
	v_lshlrev_b32_e32 v2, 1, v2
	buffer_store_dwordx2 v[0:1], v2, s[0:3], 0 offen
	s_endpgm
.Lfunc_end0:
	.size	flydsl_a8w8_blockscale_plain_gfx950_1x128x128_8w_128x256x128_16x16x128_cluster_wpe2_xcd0_ks1_rm_bf16, .Lfunc_end0-flydsl_a8w8_blockscale_plain_gfx950_1x128x128_8w_128x256x128_16x16x128_cluster_wpe2_xcd0_ks1_rm_bf16
	.section	.rodata,"a",@progbits
	.p2align	6, 0x0
	.amdhsa_kernel flydsl_a8w8_blockscale_plain_gfx950_1x128x128_8w_128x256x128_16x16x128_cluster_wpe2_xcd0_ks1_rm_bf16
		.amdhsa_group_segment_fixed_size 98304
		.amdhsa_private_segment_fixed_size 0
		.amdhsa_kernarg_size 44
		.amdhsa_user_sgpr_count 2
		.amdhsa_user_sgpr_dispatch_ptr 0
		.amdhsa_user_sgpr_queue_ptr 0
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
		.amdhsa_user_sgpr_dispatch_id 0
		.amdhsa_user_sgpr_kernarg_preload_length 0
		.amdhsa_user_sgpr_kernarg_preload_offset 0
		.amdhsa_user_sgpr_private_segment_size 0
		.amdhsa_uses_dynamic_stack 0
		.amdhsa_enable_private_segment 0
		.amdhsa_system_sgpr_workgroup_id_x 1
		.amdhsa_system_sgpr_workgroup_id_y 0
		.amdhsa_system_sgpr_workgroup_id_z 0
		.amdhsa_system_sgpr_workgroup_info 0
		.amdhsa_system_vgpr_workitem_id 0
		.amdhsa_next_free_vgpr 184
		.amdhsa_next_free_sgpr 96
		.amdhsa_accum_offset 184
		.amdhsa_reserve_vcc 0
		.amdhsa_float_round_mode_32 0
		.amdhsa_float_round_mode_16_64 0
		.amdhsa_float_denorm_mode_32 3
		.amdhsa_float_denorm_mode_16_64 3
		.amdhsa_dx10_clamp 1
		.amdhsa_ieee_mode 1
		.amdhsa_fp16_overflow 0
		.amdhsa_tg_split 0
		.amdhsa_exception_fp_ieee_invalid_op 0
		.amdhsa_exception_fp_denorm_src 0
		.amdhsa_exception_fp_ieee_div_zero 0
		.amdhsa_exception_fp_ieee_overflow 0
		.amdhsa_exception_fp_ieee_underflow 0
		.amdhsa_exception_fp_ieee_inexact 0
		.amdhsa_exception_int_div_zero 0
	.end_amdhsa_kernel
	.text

	.set .Lflydsl_a8w8_blockscale_plain_gfx950_1x128x128_8w_128x256x128_16x16x128_cluster_wpe2_xcd0_ks1_rm_bf16.num_vgpr, 184
	.set .Lflydsl_a8w8_blockscale_plain_gfx950_1x128x128_8w_128x256x128_16x16x128_cluster_wpe2_xcd0_ks1_rm_bf16.num_agpr, 0
	.set .Lflydsl_a8w8_blockscale_plain_gfx950_1x128x128_8w_128x256x128_16x16x128_cluster_wpe2_xcd0_ks1_rm_bf16.numbered_sgpr, 45
	.set .Lflydsl_a8w8_blockscale_plain_gfx950_1x128x128_8w_128x256x128_16x16x128_cluster_wpe2_xcd0_ks1_rm_bf16.num_named_barrier, 0
	.set .Lflydsl_a8w8_blockscale_plain_gfx950_1x128x128_8w_128x256x128_16x16x128_cluster_wpe2_xcd0_ks1_rm_bf16.private_seg_size, 0
	.set .Lflydsl_a8w8_blockscale_plain_gfx950_1x128x128_8w_128x256x128_16x16x128_cluster_wpe2_xcd0_ks1_rm_bf16.uses_vcc, 0
	.set .Lflydsl_a8w8_blockscale_plain_gfx950_1x128x128_8w_128x256x128_16x16x128_cluster_wpe2_xcd0_ks1_rm_bf16.uses_flat_scratch, 0
	.set .Lflydsl_a8w8_blockscale_plain_gfx950_1x128x128_8w_128x256x128_16x16x128_cluster_wpe2_xcd0_ks1_rm_bf16.has_dyn_sized_stack, 0
	.set .Lflydsl_a8w8_blockscale_plain_gfx950_1x128x128_8w_128x256x128_16x16x128_cluster_wpe2_xcd0_ks1_rm_bf16.has_recursion, 0
	.set .Lflydsl_a8w8_blockscale_plain_gfx950_1x128x128_8w_128x256x128_16x16x128_cluster_wpe2_xcd0_ks1_rm_bf16.has_indirect_call, 0
	.p2alignl 6, 3212836864
	.fill 256, 4, 3212836864
	.section	.AMDGPU.gpr_maximums,"",@progbits
	.set amdgpu.max_num_vgpr, 0
	.set amdgpu.max_num_agpr, 0
	.set amdgpu.max_num_sgpr, 0
	.set amdgpu.max_num_named_barrier, 0
	.text
	.section	".note.GNU-stack","",@progbits
	.amdgpu_metadata
---
amdhsa.kernels:
  - .agpr_count:     0
    .args:
      - .address_space:  global
        .offset:         0
        .size:           8
        .value_kind:     global_buffer
      - .address_space:  global
        .offset:         8
        .size:           8
        .value_kind:     global_buffer
      - .address_space:  global
        .offset:         16
        .size:           8
        .value_kind:     global_buffer
      - .address_space:  global
        .offset:         24
        .size:           8
        .value_kind:     global_buffer
      - .address_space:  global
        .offset:         32
        .size:           8
        .value_kind:     global_buffer
      - .offset:         40
        .size:           4
        .value_kind:     by_value
    .group_segment_fixed_size: 98304
    .kernarg_segment_align: 8
    .kernarg_segment_size: 44
    .max_flat_workgroup_size: 512
    .name:           flydsl_a8w8_blockscale_plain_gfx950_1x128x128_8w_128x256x128_16x16x128_cluster_wpe2_xcd0_ks1_rm_bf16
    .private_segment_fixed_size: 0
    .reqd_workgroup_size:
      - 512
      - 1
      - 1
    .sgpr_count:     51
    .sgpr_spill_count: 0
    .symbol:         flydsl_a8w8_blockscale_plain_gfx950_1x128x128_8w_128x256x128_16x16x128_cluster_wpe2_xcd0_ks1_rm_bf16.kd
    .uniform_work_group_size: 1
    .uses_dynamic_stack: false
    .vgpr_count:     184
    .vgpr_spill_count: 0
    .wavefront_size: 64
amdhsa.target:   amdgcn-amd-amdhsa-unknown-gfx950
amdhsa.version:
  - 1
  - 2
...

	.end_amdgpu_metadata
