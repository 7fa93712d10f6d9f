	.amdgcn_target "amdgcn-amd-amdhsa-unknown-gfx950"
	.amdhsa_code_object_version 6
	.text
	.globl	flydsl_a8w8_blockscale_plain_gfx950_1x128x128_4w_64x256x128_16x16x128_cluster_wpe2_xcd0_ks1_rm_bf16
	.p2align	8
	.type	flydsl_a8w8_blockscale_plain_gfx950_1x128x128_4w_64x256x128_16x16x128_cluster_wpe2_xcd0_ks1_rm_bf16,@function
flydsl_a8w8_blockscale_plain_gfx950_1x128x128_4w_64x256x128_16x16x128_cluster_wpe2_xcd0_ks1_rm_bf16:
	s_load_dwordx8 s[4:11], s[0:1], 0x0
	s_load_dwordx2 s[20:21], s[0:1], 0x20
	s_load_dword s3, s[0:1], 0x28
	s_lshr_b32 s0, s2, 31
	s_add_i32 s0, s2, s0
	s_ashr_i32 s15, s0, 1
	s_and_b32 s16, s0, -2
	s_cmp_lg_u32 s2, s16
	s_cselect_b64 s[0:1], -1, 0
	s_cmp_lt_i32 s2, 0
	s_cselect_b64 s[12:13], -1, 0
	s_and_b64 s[0:1], s[12:13], s[0:1]
	s_subb_u32 s0, s15, 0
	s_lshl_b32 s26, s0, 6
	s_sub_i32 s15, s2, s16
	s_waitcnt lgkmcnt(0)
	s_sub_i32 s0, s3, s26
	s_ashr_i32 s27, s26, 31
	s_lshl_b32 s24, s15, 8
	s_min_i32 s22, s0, 64
	s_lshl_b64 s[0:1], s[26:27], 9
	s_add_u32 s16, s6, s0
	s_addc_u32 s0, s7, s1
	s_ashr_i32 s25, s24, 31
	s_and_b32 s17, s0, 0xffff
	s_lshl_b32 s18, s22, 9
	s_lshl_b64 s[0:1], s[24:25], 9
	s_add_u32 s12, s8, s0
	s_addc_u32 s0, s9, s1
	s_and_b32 s13, s0, 0xffff
	s_lshl_b64 s[0:1], s[26:27], 10
	v_readfirstlane_b32 s14, v0
	s_add_u32 s0, s4, s0
	v_lshlrev_b32_e32 v3, 4, v0
	s_movk_i32 s4, 0x70
	s_addc_u32 s1, s5, s1
	v_bitop3_b32 v3, v3, s4, v0 bitop3:0x48
	s_lshl_b32 s4, s14, 4
	s_and_b32 s31, s4, 0xc00
	s_and_b32 s29, s14, 0xc0
	s_bfe_i32 s4, s15, 0x10017
	s_lshl_b32 s6, s3, 4
	s_and_b32 s5, s11, 0xffff
	s_add_i32 s11, s3, -1
	s_or_b32 s3, s29, s24
	s_lshr_b32 s4, s4, 25
	s_add_i32 s4, s3, s4
	s_and_b32 s1, s1, 0xffff
	s_lshl_b32 s2, s22, 10
	s_and_b32 s21, s21, 0xffff
	s_add_i32 s22, s22, -1
	s_or_b32 s28, s29, 16
	s_or_b32 s27, s29, 32
	s_or_b32 s25, s29, 48
	s_ashr_i32 s7, s4, 7
	s_and_b32 s4, s4, 0xffffff80
	s_cmp_lg_u32 s3, s4
	s_cselect_b64 s[8:9], -1, 0
	s_cmp_lt_i32 s3, 0
	v_lshrrev_b32_e32 v1, 3, v0
	s_cselect_b64 s[14:15], -1, 0
	v_min_i32_e32 v2, s22, v1
	v_or_b32_e32 v1, 32, v1
	s_and_b64 s[8:9], s[14:15], s[8:9]
	s_mov_b32 s19, 0x27000
	v_lshl_or_b32 v14, v2, 9, v3
	v_min_i32_e32 v1, s22, v1
	s_subb_u32 s8, s7, 0
	s_mov_b32 m0, s31
	s_or_b32 s33, s31, 0x1000
	v_lshl_or_b32 v15, v1, 9, v3
	buffer_load_dwordx4 v14, s[16:19], 0 offen lds
	s_mov_b32 m0, s33
	v_and_b32_e32 v1, 15, v0
	buffer_load_dwordx4 v15, s[16:19], 0 offen lds
	v_lshrrev_b32_e32 v3, 4, v0
	v_bfe_u32 v2, v0, 4, 2
	v_and_b32_e32 v13, 48, v0
	v_bfe_u32 v0, v0, 1, 3
	v_lshlrev_b32_e32 v10, 7, v1
	v_bitop3_b32 v3, v3, v0, 3 bitop3:0x6c
	v_bitop3_b32 v0, v2, v0, 4 bitop3:0x36
	v_lshlrev_b32_e32 v3, 4, v3
	v_lshlrev_b32_e32 v11, 4, v0
	v_or_b32_e32 v0, 0x800, v10
	v_or_b32_e32 v8, v3, v10
	v_or_b32_e32 v9, v11, v10
	v_or_b32_e32 v6, v3, v0
	v_or_b32_e32 v7, v11, v0
	v_or_b32_e32 v0, 0x1000, v10
	v_or_b32_e32 v10, 0x1800, v10
	v_or_b32_e32 v4, v3, v0
	v_or_b32_e32 v5, v11, v0
	v_or_b32_e32 v0, v3, v10
	v_or_b32_e32 v3, v11, v10
	v_or_b32_e32 v10, s29, v1
	v_or_b32_e32 v11, s28, v1
	v_or_b32_e32 v12, s27, v1
	v_or_b32_e32 v16, s25, v1
	v_lshl_or_b32 v10, v10, 9, v13
	v_lshl_or_b32 v11, v11, 9, v13
	v_lshl_or_b32 v12, v12, 9, v13
	v_lshl_or_b32 v13, v16, 9, v13
	v_or_b32_e32 v16, s26, v1
	v_min_i32_e32 v17, s11, v16
	v_or_b32_e32 v18, 16, v16
	v_or_b32_e32 v19, 32, v16
	v_or_b32_e32 v16, 48, v16
	s_mov_b32 s22, 64
	s_mov_b32 s14, 0x20000
	s_mov_b32 s15, s19
	s_mov_b32 s3, s19
	s_mov_b32 s4, s10
	s_mov_b32 s7, s19
	s_mov_b32 s23, s19
	v_min_i32_e32 v18, s11, v18
	v_min_i32_e32 v19, s11, v19
	v_min_i32_e32 v20, s11, v16
	buffer_load_dwordx4 v[68:71], v10, s[12:15], 0 offen
	buffer_load_dwordx4 v[72:75], v10, s[12:15], 0 offen offset:64
	buffer_load_dwordx4 v[76:79], v11, s[12:15], 0 offen
	buffer_load_dwordx4 v[80:83], v11, s[12:15], 0 offen offset:64
	buffer_load_dwordx4 v[88:91], v12, s[12:15], 0 offen
	buffer_load_dwordx4 v[92:95], v12, s[12:15], 0 offen offset:64
	buffer_load_dwordx4 v[96:99], v13, s[12:15], 0 offen
	buffer_load_dwordx4 v[100:103], v13, s[12:15], 0 offen offset:64
	v_lshlrev_b32_e32 v16, 4, v17
	v_lshlrev_b32_e32 v17, 4, v18
	v_lshlrev_b32_e32 v18, 4, v19
	v_lshlrev_b32_e32 v19, 4, v20
	buffer_load_dword v84, v16, s[4:7], 0 offen
	buffer_load_dword v85, v17, s[4:7], 0 offen
	buffer_load_dword v86, v18, s[4:7], 0 offen
	buffer_load_dword v87, v19, s[4:7], 0 offen
	s_or_b32 s26, s31, 0x2000
	s_movk_i32 s9, 0x80
	s_mov_b32 m0, s26
	s_or_b32 s30, s31, 0x3000
	s_waitcnt vmcnt(12)
	s_barrier
	buffer_load_dwordx4 v14, s[16:19], s9 offen lds
	s_mov_b32 m0, s30
	s_lshl_b32 s34, s8, 4
	buffer_load_dwordx4 v15, s[16:19], s9 offen lds
	ds_read_b128 v[36:39], v9
	ds_read_b128 v[32:35], v8
	ds_read_b128 v[48:51], v8 offset:2048
	ds_read_b128 v[52:55], v9 offset:2048
	ds_read_b128 v[108:111], v9 offset:4096
	ds_read_b128 v[104:107], v8 offset:4096
	ds_read_b128 v[112:115], v8 offset:6144
	ds_read_b128 v[116:119], v9 offset:6144
	buffer_load_dwordx4 v[152:155], v10, s[12:15], s9 offen
	buffer_load_dwordx4 v[156:159], v10, s[12:15], s9 offen offset:64
	buffer_load_dwordx4 v[160:163], v11, s[12:15], s9 offen
	buffer_load_dwordx4 v[164:167], v11, s[12:15], s9 offen offset:64
	buffer_load_dwordx4 v[168:171], v12, s[12:15], s9 offen
	buffer_load_dwordx4 v[172:175], v12, s[12:15], s9 offen offset:64
	buffer_load_dwordx4 v[176:179], v13, s[12:15], s9 offen
	buffer_load_dwordx4 v[180:183], v13, s[12:15], s9 offen offset:64
	s_waitcnt vmcnt(20) lgkmcnt(6)
	v_mfma_f32_16x16x128_f8f6f4 v[20:23], v[68:75], v[32:39], 0
	s_waitcnt vmcnt(18)
	v_mfma_f32_16x16x128_f8f6f4 v[24:27], v[76:83], v[32:39], 0
	s_waitcnt vmcnt(16)
	v_mfma_f32_16x16x128_f8f6f4 v[28:31], v[88:95], v[32:39], 0
	s_waitcnt vmcnt(14)
	v_mfma_f32_16x16x128_f8f6f4 v[32:35], v[96:103], v[32:39], 0
	s_waitcnt lgkmcnt(4)
	v_mfma_f32_16x16x128_f8f6f4 v[36:39], v[68:75], v[48:55], 0
	v_mfma_f32_16x16x128_f8f6f4 v[40:43], v[76:83], v[48:55], 0
	v_mfma_f32_16x16x128_f8f6f4 v[44:47], v[88:95], v[48:55], 0
	v_mfma_f32_16x16x128_f8f6f4 v[48:51], v[96:103], v[48:55], 0
	s_waitcnt lgkmcnt(2)
	v_mfma_f32_16x16x128_f8f6f4 v[52:55], v[68:75], v[104:111], 0
	v_mfma_f32_16x16x128_f8f6f4 v[56:59], v[76:83], v[104:111], 0
	v_mfma_f32_16x16x128_f8f6f4 v[60:63], v[88:95], v[104:111], 0
	s_waitcnt lgkmcnt(0)
	v_mfma_f32_16x16x128_f8f6f4 v[68:71], v[68:75], v[112:119], 0
	v_mfma_f32_16x16x128_f8f6f4 v[72:75], v[76:83], v[112:119], 0
	v_mfma_f32_16x16x128_f8f6f4 v[76:79], v[88:95], v[112:119], 0
	buffer_load_dword v88, v16, s[4:7], 4 offen
	buffer_load_dword v89, v17, s[4:7], 4 offen
	buffer_load_dword v90, v18, s[4:7], 4 offen
	buffer_load_dword v91, v19, s[4:7], 4 offen
	v_mfma_f32_16x16x128_f8f6f4 v[64:67], v[96:103], v[104:111], 0
	v_mfma_f32_16x16x128_f8f6f4 v[80:83], v[96:103], v[112:119], 0
	s_buffer_load_dwordx4 s[8:11], s[20:23], s34 offset:0x0
	s_waitcnt vmcnt(16) lgkmcnt(0)
	v_mul_f32_e64 v84, s8, v84
	v_mul_f32_e64 v85, s8, v85
	v_fma_f32 v94, v84, v20, 0
	v_fma_f32 v95, v84, v21, 0
	s_waitcnt vmcnt(14)
	v_pk_mul_f32 v[20:21], s[8:9], v[86:87] op_sel_hi:[0,1]
	v_pk_fma_f32 v[92:93], v[84:85], v[22:23], 0 op_sel_hi:[0,1,0]
	v_pk_fma_f32 v[96:97], v[84:85], v[26:27], 0 op_sel_hi:[0,1,0]
	v_pk_fma_f32 v[98:99], v[84:85], v[24:25], 0 op_sel_hi:[0,1,0]
	v_pk_fma_f32 v[100:101], v[84:85], v[30:31], 0 op_sel_hi:[0,1,0]
	v_pk_fma_f32 v[102:103], v[84:85], v[28:29], 0 op_sel_hi:[0,1,0]
	v_pk_fma_f32 v[104:105], v[84:85], v[34:35], 0 op_sel_hi:[0,1,0]
	v_pk_fma_f32 v[106:107], v[84:85], v[32:33], 0 op_sel_hi:[0,1,0]
	v_pk_fma_f32 v[108:109], v[84:85], v[38:39], 0 op_sel:[1,0,0] op_sel_hi:[1,1,0]
	v_pk_fma_f32 v[110:111], v[84:85], v[36:37], 0 op_sel:[1,0,0] op_sel_hi:[1,1,0]
	v_pk_fma_f32 v[112:113], v[84:85], v[42:43], 0 op_sel:[1,0,0] op_sel_hi:[1,1,0]
	v_pk_fma_f32 v[114:115], v[84:85], v[40:41], 0 op_sel:[1,0,0] op_sel_hi:[1,1,0]
	v_pk_fma_f32 v[116:117], v[84:85], v[46:47], 0 op_sel:[1,0,0] op_sel_hi:[1,1,0]
	v_pk_fma_f32 v[118:119], v[84:85], v[44:45], 0 op_sel:[1,0,0] op_sel_hi:[1,1,0]
	v_pk_fma_f32 v[120:121], v[84:85], v[50:51], 0 op_sel:[1,0,0] op_sel_hi:[1,1,0]
	v_pk_fma_f32 v[84:85], v[84:85], v[48:49], 0 op_sel:[1,0,0] op_sel_hi:[1,1,0]
	v_pk_fma_f32 v[86:87], v[20:21], v[54:55], 0 op_sel_hi:[0,1,0]
	v_pk_fma_f32 v[122:123], v[20:21], v[52:53], 0 op_sel_hi:[0,1,0]
	v_pk_fma_f32 v[124:125], v[20:21], v[58:59], 0 op_sel_hi:[0,1,0]
	v_pk_fma_f32 v[126:127], v[20:21], v[56:57], 0 op_sel_hi:[0,1,0]
	v_pk_fma_f32 v[128:129], v[20:21], v[62:63], 0 op_sel_hi:[0,1,0]
	v_pk_fma_f32 v[130:131], v[20:21], v[60:61], 0 op_sel_hi:[0,1,0]
	v_pk_fma_f32 v[132:133], v[20:21], v[66:67], 0 op_sel_hi:[0,1,0]
	v_pk_fma_f32 v[134:135], v[20:21], v[64:65], 0 op_sel_hi:[0,1,0]
	v_pk_fma_f32 v[136:137], v[20:21], v[70:71], 0 op_sel:[1,0,0] op_sel_hi:[1,1,0]
	v_pk_fma_f32 v[138:139], v[20:21], v[68:69], 0 op_sel:[1,0,0] op_sel_hi:[1,1,0]
	v_pk_fma_f32 v[140:141], v[20:21], v[74:75], 0 op_sel:[1,0,0] op_sel_hi:[1,1,0]
	v_pk_fma_f32 v[142:143], v[20:21], v[72:73], 0 op_sel:[1,0,0] op_sel_hi:[1,1,0]
	v_pk_fma_f32 v[144:145], v[20:21], v[78:79], 0 op_sel:[1,0,0] op_sel_hi:[1,1,0]
	v_pk_fma_f32 v[146:147], v[20:21], v[76:77], 0 op_sel:[1,0,0] op_sel_hi:[1,1,0]
	v_pk_fma_f32 v[148:149], v[20:21], v[82:83], 0 op_sel:[1,0,0] op_sel_hi:[1,1,0]
	v_pk_fma_f32 v[150:151], v[20:21], v[80:81], 0 op_sel:[1,0,0] op_sel_hi:[1,1,0]
	s_movk_i32 s8, 0x100
	s_mov_b32 m0, s31
	s_waitcnt vmcnt(12)
	s_barrier
	buffer_load_dwordx4 v14, s[16:19], s8 offen lds
	s_mov_b32 m0, s33
	s_nop 0
	buffer_load_dwordx4 v15, s[16:19], s8 offen lds
	ds_read_b128 v[32:35], v8 offset:8192
	ds_read_b128 v[36:39], v9 offset:8192
	ds_read_b128 v[48:51], v6 offset:8192
	ds_read_b128 v[52:55], v7 offset:8192
	ds_read_b128 v[64:67], v4 offset:8192
	ds_read_b128 v[68:71], v5 offset:8192
	ds_read_b128 v[184:187], v0 offset:8192
	ds_read_b128 v[188:191], v3 offset:8192
	s_waitcnt vmcnt(12) lgkmcnt(6)
	v_mfma_f32_16x16x128_f8f6f4 v[20:23], v[152:159], v[32:39], 0
	s_waitcnt vmcnt(10)
	v_mfma_f32_16x16x128_f8f6f4 v[24:27], v[160:167], v[32:39], 0
	s_waitcnt vmcnt(8)
	v_mfma_f32_16x16x128_f8f6f4 v[28:31], v[168:175], v[32:39], 0
	s_waitcnt vmcnt(6)
	v_mfma_f32_16x16x128_f8f6f4 v[32:35], v[176:183], v[32:39], 0
	s_waitcnt lgkmcnt(4)
	v_mfma_f32_16x16x128_f8f6f4 v[36:39], v[152:159], v[48:55], 0
	v_mfma_f32_16x16x128_f8f6f4 v[40:43], v[160:167], v[48:55], 0
	v_mfma_f32_16x16x128_f8f6f4 v[44:47], v[168:175], v[48:55], 0
	v_mfma_f32_16x16x128_f8f6f4 v[48:51], v[176:183], v[48:55], 0
	s_waitcnt lgkmcnt(2)
	v_mfma_f32_16x16x128_f8f6f4 v[52:55], v[152:159], v[64:71], 0
	v_mfma_f32_16x16x128_f8f6f4 v[56:59], v[160:167], v[64:71], 0
	v_mfma_f32_16x16x128_f8f6f4 v[60:63], v[168:175], v[64:71], 0
	v_mfma_f32_16x16x128_f8f6f4 v[64:67], v[176:183], v[64:71], 0
	s_waitcnt lgkmcnt(0)
	v_mfma_f32_16x16x128_f8f6f4 v[68:71], v[152:159], v[184:191], 0
	buffer_load_dword v152, v16, s[4:7], 8 offen
	buffer_load_dword v153, v17, s[4:7], 8 offen
	buffer_load_dword v154, v18, s[4:7], 8 offen
	buffer_load_dword v155, v19, s[4:7], 8 offen
	v_mfma_f32_16x16x128_f8f6f4 v[72:75], v[160:167], v[184:191], 0
	buffer_load_dwordx4 v[156:159], v10, s[12:15], s8 offen
	buffer_load_dwordx4 v[160:163], v10, s[12:15], s8 offen offset:64
	buffer_load_dwordx4 v[192:195], v11, s[12:15], s8 offen
	buffer_load_dwordx4 v[196:199], v11, s[12:15], s8 offen offset:64
	buffer_load_dwordx4 v[200:203], v12, s[12:15], s8 offen
	buffer_load_dwordx4 v[204:207], v12, s[12:15], s8 offen offset:64
	buffer_load_dwordx4 v[208:211], v13, s[12:15], s8 offen
	buffer_load_dwordx4 v[212:215], v13, s[12:15], s8 offen offset:64
	v_mfma_f32_16x16x128_f8f6f4 v[76:79], v[168:175], v[184:191], 0
	v_mfma_f32_16x16x128_f8f6f4 v[80:83], v[176:183], v[184:191], 0
	s_mov_b32 s8, s9
	s_waitcnt vmcnt(16)
	v_mul_f32_e64 v88, s8, v88
	v_mul_f32_e64 v89, s8, v89
	v_fma_f32 v94, v88, v20, v94
	v_fma_f32 v95, v88, v21, v95
	s_waitcnt vmcnt(14)
	v_pk_mul_f32 v[20:21], s[8:9], v[90:91] op_sel_hi:[0,1]
	v_pk_fma_f32 v[92:93], v[88:89], v[22:23], v[92:93] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[96:97], v[88:89], v[26:27], v[96:97] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[98:99], v[88:89], v[24:25], v[98:99] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[100:101], v[88:89], v[30:31], v[100:101] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[102:103], v[88:89], v[28:29], v[102:103] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[104:105], v[88:89], v[34:35], v[104:105] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[106:107], v[88:89], v[32:33], v[106:107] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[108:109], v[88:89], v[38:39], v[108:109] op_sel:[1,0,0]
	v_pk_fma_f32 v[110:111], v[88:89], v[36:37], v[110:111] op_sel:[1,0,0]
	v_pk_fma_f32 v[112:113], v[88:89], v[42:43], v[112:113] op_sel:[1,0,0]
	v_pk_fma_f32 v[114:115], v[88:89], v[40:41], v[114:115] op_sel:[1,0,0]
	v_pk_fma_f32 v[116:117], v[88:89], v[46:47], v[116:117] op_sel:[1,0,0]
	v_pk_fma_f32 v[118:119], v[88:89], v[44:45], v[118:119] op_sel:[1,0,0]
	v_pk_fma_f32 v[120:121], v[88:89], v[50:51], v[120:121] op_sel:[1,0,0]
	v_pk_fma_f32 v[84:85], v[88:89], v[48:49], v[84:85] op_sel:[1,0,0]
	v_pk_fma_f32 v[86:87], v[20:21], v[54:55], v[86:87] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[88:89], v[20:21], v[52:53], v[122:123] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[90:91], v[20:21], v[58:59], v[124:125] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[122:123], v[20:21], v[56:57], v[126:127] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[124:125], v[20:21], v[62:63], v[128:129] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[126:127], v[20:21], v[60:61], v[130:131] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[128:129], v[20:21], v[66:67], v[132:133] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[130:131], v[20:21], v[64:65], v[134:135] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[132:133], v[20:21], v[70:71], v[136:137] op_sel:[1,0,0]
	v_pk_fma_f32 v[134:135], v[20:21], v[68:69], v[138:139] op_sel:[1,0,0]
	v_pk_fma_f32 v[136:137], v[20:21], v[74:75], v[140:141] op_sel:[1,0,0]
	v_pk_fma_f32 v[138:139], v[20:21], v[72:73], v[142:143] op_sel:[1,0,0]
	v_pk_fma_f32 v[78:79], v[20:21], v[78:79], v[144:145] op_sel:[1,0,0]
	v_pk_fma_f32 v[76:77], v[20:21], v[76:77], v[146:147] op_sel:[1,0,0]
	v_pk_fma_f32 v[82:83], v[20:21], v[82:83], v[148:149] op_sel:[1,0,0]
	v_pk_fma_f32 v[80:81], v[20:21], v[80:81], v[150:151] op_sel:[1,0,0]
	s_movk_i32 s8, 0x180
	s_mov_b32 m0, s26
	s_waitcnt vmcnt(12)
	s_barrier
	buffer_load_dwordx4 v14, s[16:19], s8 offen lds
	s_mov_b32 m0, s30
	s_nop 0
	buffer_load_dwordx4 v15, s[16:19], s8 offen lds
	ds_read_b128 v[36:39], v9
	ds_read_b128 v[32:35], v8
	ds_read_b128 v[48:51], v8 offset:2048
	ds_read_b128 v[52:55], v9 offset:2048
	ds_read_b128 v[68:71], v9 offset:4096
	ds_read_b128 v[64:67], v8 offset:4096
	ds_read_b128 v[144:147], v8 offset:6144
	ds_read_b128 v[148:151], v9 offset:6144
	buffer_load_dword v140, v16, s[4:7], 12 offen
	buffer_load_dword v141, v17, s[4:7], 12 offen
	buffer_load_dword v142, v18, s[4:7], 12 offen
	buffer_load_dword v143, v19, s[4:7], 12 offen
	s_waitcnt vmcnt(12) lgkmcnt(6)
	v_mfma_f32_16x16x128_f8f6f4 v[20:23], v[156:163], v[32:39], 0
	s_waitcnt vmcnt(10)
	v_mfma_f32_16x16x128_f8f6f4 v[24:27], v[192:199], v[32:39], 0
	s_waitcnt vmcnt(8)
	v_mfma_f32_16x16x128_f8f6f4 v[28:31], v[200:207], v[32:39], 0
	s_waitcnt vmcnt(6)
	v_mfma_f32_16x16x128_f8f6f4 v[32:35], v[208:215], v[32:39], 0
	s_waitcnt lgkmcnt(4)
	v_mfma_f32_16x16x128_f8f6f4 v[36:39], v[156:163], v[48:55], 0
	v_mfma_f32_16x16x128_f8f6f4 v[40:43], v[192:199], v[48:55], 0
	v_mfma_f32_16x16x128_f8f6f4 v[44:47], v[200:207], v[48:55], 0
	v_mfma_f32_16x16x128_f8f6f4 v[48:51], v[208:215], v[48:55], 0
	s_waitcnt lgkmcnt(2)
	v_mfma_f32_16x16x128_f8f6f4 v[52:55], v[156:163], v[64:71], 0
	v_mfma_f32_16x16x128_f8f6f4 v[56:59], v[192:199], v[64:71], 0
	v_mfma_f32_16x16x128_f8f6f4 v[60:63], v[200:207], v[64:71], 0
	v_mfma_f32_16x16x128_f8f6f4 v[64:67], v[208:215], v[64:71], 0
	s_waitcnt lgkmcnt(0)
	v_mfma_f32_16x16x128_f8f6f4 v[68:71], v[156:163], v[144:151], 0
	buffer_load_dwordx4 v[156:159], v10, s[12:15], s8 offen
	buffer_load_dwordx4 v[160:163], v10, s[12:15], s8 offen offset:64
	buffer_load_dwordx4 v[164:167], v11, s[12:15], s8 offen
	buffer_load_dwordx4 v[168:171], v11, s[12:15], s8 offen offset:64
	buffer_load_dwordx4 v[172:175], v12, s[12:15], s8 offen
	buffer_load_dwordx4 v[176:179], v12, s[12:15], s8 offen offset:64
	buffer_load_dwordx4 v[180:183], v13, s[12:15], s8 offen
	buffer_load_dwordx4 v[184:187], v13, s[12:15], s8 offen offset:64
	v_mfma_f32_16x16x128_f8f6f4 v[72:75], v[192:199], v[144:151], 0
	v_mfma_f32_16x16x128_f8f6f4 v[10:13], v[200:207], v[144:151], 0
	v_mfma_f32_16x16x128_f8f6f4 v[14:17], v[208:215], v[144:151], 0
	v_mul_f32_e64 v18, s10, v152
	v_mul_f32_e64 v19, s10, v153
	v_fma_f32 v92, v18, v22, v92
	v_fma_f32 v93, v18, v23, v93
	v_fma_f32 v94, v18, v20, v94
	v_fma_f32 v95, v18, v21, v95
	v_pk_fma_f32 v[96:97], v[18:19], v[26:27], v[96:97] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[98:99], v[18:19], v[24:25], v[98:99] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[100:101], v[18:19], v[30:31], v[100:101] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[102:103], v[18:19], v[28:29], v[102:103] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[104:105], v[18:19], v[34:35], v[104:105] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[106:107], v[18:19], v[32:33], v[106:107] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[108:109], v[18:19], v[38:39], v[108:109] op_sel:[1,0,0]
	v_pk_fma_f32 v[110:111], v[18:19], v[36:37], v[110:111] op_sel:[1,0,0]
	v_pk_fma_f32 v[112:113], v[18:19], v[42:43], v[112:113] op_sel:[1,0,0]
	v_pk_fma_f32 v[114:115], v[18:19], v[40:41], v[114:115] op_sel:[1,0,0]
	v_pk_fma_f32 v[116:117], v[18:19], v[46:47], v[116:117] op_sel:[1,0,0]
	v_pk_fma_f32 v[118:119], v[18:19], v[44:45], v[118:119] op_sel:[1,0,0]
	v_pk_fma_f32 v[120:121], v[18:19], v[50:51], v[120:121] op_sel:[1,0,0]
	v_pk_fma_f32 v[84:85], v[18:19], v[48:49], v[84:85] op_sel:[1,0,0]
	v_pk_mul_f32 v[18:19], s[10:11], v[154:155] op_sel_hi:[0,1]
	v_pk_fma_f32 v[86:87], v[18:19], v[54:55], v[86:87] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[88:89], v[18:19], v[52:53], v[88:89] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[90:91], v[18:19], v[58:59], v[90:91] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[122:123], v[18:19], v[56:57], v[122:123] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[124:125], v[18:19], v[62:63], v[124:125] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[126:127], v[18:19], v[60:61], v[126:127] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[128:129], v[18:19], v[66:67], v[128:129] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[130:131], v[18:19], v[64:65], v[130:131] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[70:71], v[18:19], v[70:71], v[132:133] op_sel:[1,0,0]
	v_pk_fma_f32 v[68:69], v[18:19], v[68:69], v[134:135] op_sel:[1,0,0]
	v_pk_fma_f32 v[74:75], v[18:19], v[74:75], v[136:137] op_sel:[1,0,0]
	v_pk_fma_f32 v[72:73], v[18:19], v[72:73], v[138:139] op_sel:[1,0,0]
	v_pk_fma_f32 v[78:79], v[18:19], v[12:13], v[78:79] op_sel:[1,0,0]
	v_pk_fma_f32 v[76:77], v[18:19], v[10:11], v[76:77] op_sel:[1,0,0]
	v_pk_fma_f32 v[82:83], v[18:19], v[16:17], v[82:83] op_sel:[1,0,0]
	v_pk_fma_f32 v[80:81], v[18:19], v[14:15], v[80:81] op_sel:[1,0,0]
	s_waitcnt vmcnt(12)
	s_barrier
	ds_read_b128 v[20:23], v8 offset:8192
	ds_read_b128 v[24:27], v9 offset:8192
	ds_read_b128 v[36:39], v6 offset:8192
	ds_read_b128 v[40:43], v7 offset:8192
	ds_read_b128 v[48:51], v4 offset:8192
	ds_read_b128 v[52:55], v5 offset:8192
	ds_read_b128 v[132:135], v0 offset:8192
	ds_read_b128 v[136:139], v3 offset:8192
	s_waitcnt vmcnt(6) lgkmcnt(6)
	v_mfma_f32_16x16x128_f8f6f4 v[8:11], v[156:163], v[20:27], 0
	s_waitcnt vmcnt(4)
	v_mfma_f32_16x16x128_f8f6f4 v[12:15], v[164:171], v[20:27], 0
	s_waitcnt vmcnt(2)
	v_mfma_f32_16x16x128_f8f6f4 v[16:19], v[172:179], v[20:27], 0
	s_waitcnt vmcnt(0)
	v_mfma_f32_16x16x128_f8f6f4 v[20:23], v[180:187], v[20:27], 0
	s_waitcnt lgkmcnt(4)
	v_mfma_f32_16x16x128_f8f6f4 v[24:27], v[156:163], v[36:43], 0
	v_mfma_f32_16x16x128_f8f6f4 v[28:31], v[164:171], v[36:43], 0
	v_mfma_f32_16x16x128_f8f6f4 v[32:35], v[172:179], v[36:43], 0
	v_mfma_f32_16x16x128_f8f6f4 v[36:39], v[180:187], v[36:43], 0
	s_waitcnt lgkmcnt(2)
	v_mfma_f32_16x16x128_f8f6f4 v[4:7], v[156:163], v[48:55], 0
	v_mfma_f32_16x16x128_f8f6f4 v[40:43], v[164:171], v[48:55], 0
	v_mfma_f32_16x16x128_f8f6f4 v[44:47], v[172:179], v[48:55], 0
	v_mfma_f32_16x16x128_f8f6f4 v[48:51], v[180:187], v[48:55], 0
	s_waitcnt lgkmcnt(0)
	v_mfma_f32_16x16x128_f8f6f4 v[52:55], v[156:163], v[132:139], 0
	v_mfma_f32_16x16x128_f8f6f4 v[56:59], v[164:171], v[132:139], 0
	v_mfma_f32_16x16x128_f8f6f4 v[60:63], v[172:179], v[132:139], 0
	v_mfma_f32_16x16x128_f8f6f4 v[64:67], v[180:187], v[132:139], 0
	s_mov_b32 s4, s11
	v_mul_f32_e64 v132, s4, v140
	v_mul_f32_e64 v133, s4, v141
	v_fma_f32 v36, v133, v36, v84
	v_fma_f32 v37, v133, v37, v85
	v_pk_mul_f32 v[84:85], s[4:5], v[142:143] op_sel_hi:[0,1]
	v_pk_fma_f32 v[10:11], v[132:133], v[10:11], v[92:93] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[8:9], v[132:133], v[8:9], v[94:95] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[14:15], v[132:133], v[14:15], v[96:97] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[12:13], v[132:133], v[12:13], v[98:99] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[18:19], v[132:133], v[18:19], v[100:101] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[16:17], v[132:133], v[16:17], v[102:103] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[22:23], v[132:133], v[22:23], v[104:105] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[20:21], v[132:133], v[20:21], v[106:107] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[26:27], v[132:133], v[26:27], v[108:109] op_sel:[1,0,0]
	v_pk_fma_f32 v[24:25], v[132:133], v[24:25], v[110:111] op_sel:[1,0,0]
	v_pk_fma_f32 v[30:31], v[132:133], v[30:31], v[112:113] op_sel:[1,0,0]
	v_pk_fma_f32 v[28:29], v[132:133], v[28:29], v[114:115] op_sel:[1,0,0]
	v_pk_fma_f32 v[34:35], v[132:133], v[34:35], v[116:117] op_sel:[1,0,0]
	v_pk_fma_f32 v[32:33], v[132:133], v[32:33], v[118:119] op_sel:[1,0,0]
	v_pk_fma_f32 v[38:39], v[132:133], v[38:39], v[120:121] op_sel:[1,0,0]
	v_pk_fma_f32 v[6:7], v[84:85], v[6:7], v[86:87] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[4:5], v[84:85], v[4:5], v[88:89] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[42:43], v[84:85], v[42:43], v[90:91] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[40:41], v[84:85], v[40:41], v[122:123] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[46:47], v[84:85], v[46:47], v[124:125] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[44:45], v[84:85], v[44:45], v[126:127] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[50:51], v[84:85], v[50:51], v[128:129] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[48:49], v[84:85], v[48:49], v[130:131] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[54:55], v[84:85], v[54:55], v[70:71] op_sel:[1,0,0]
	v_pk_fma_f32 v[52:53], v[84:85], v[52:53], v[68:69] op_sel:[1,0,0]
	v_pk_fma_f32 v[58:59], v[84:85], v[58:59], v[74:75] op_sel:[1,0,0]
	v_pk_fma_f32 v[56:57], v[84:85], v[56:57], v[72:73] op_sel:[1,0,0]
	v_pk_fma_f32 v[62:63], v[84:85], v[62:63], v[78:79] op_sel:[1,0,0]
	v_pk_fma_f32 v[60:61], v[84:85], v[60:61], v[76:77] op_sel:[1,0,0]
	v_pk_fma_f32 v[66:67], v[84:85], v[66:67], v[82:83] op_sel:[1,0,0]
	v_pk_fma_f32 v[64:65], v[84:85], v[64:65], v[80:81] op_sel:[1,0,0]
	v_lshlrev_b32_e32 v2, 2, v2
	v_cvt_pk_bf16_f32 v11, v10, v11
	v_cvt_pk_bf16_f32 v10, v8, v9
	v_lshl_add_u32 v3, v1, 9, s24
	v_or_b32_e32 v8, s29, v2
	v_or_b32_e32 v0, v8, v3
	v_lshlrev_b32_e32 v0, 1, v0
	v_or_b32_e32 v9, s28, v2
	buffer_store_dwordx2 v[10:11], v0, s[0:3], 0 offen
	v_or_b32_e32 v10, v9, v3
	v_cvt_pk_bf16_f32 v1, v14, v15
	v_cvt_pk_bf16_f32 v0, v12, v13
	v_lshlrev_b32_e32 v10, 1, v10
	buffer_store_dwordx2 v[0:1], v10, s[0:3], 0 offen
	v_or_b32_e32 v10, s27, v2
	v_or_b32_e32 v11, v10, v3
	v_cvt_pk_bf16_f32 v1, v18, v19
	v_cvt_pk_bf16_f32 v0, v16, v17
	v_lshlrev_b32_e32 v11, 1, v11
	v_or_b32_e32 v2, s25, v2
	buffer_store_dwordx2 v[0:1], v11, s[0:3], 0 offen
	v_or_b32_e32 v11, v2, v3
	v_cvt_pk_bf16_f32 v1, v22, v23
	v_cvt_pk_bf16_f32 v0, v20, v21
	v_lshlrev_b32_e32 v11, 1, v11
	buffer_store_dwordx2 v[0:1], v11, s[0:3], 0 offen
	v_add_u32_e32 v11, 0x2000, v3
	v_or_b32_e32 v12, v8, v11
	v_cvt_pk_bf16_f32 v1, v26, v27
	v_cvt_pk_bf16_f32 v0, v24, v25
	v_lshlrev_b32_e32 v12, 1, v12
	buffer_store_dwordx2 v[0:1], v12, s[0:3], 0 offen
	v_or_b32_e32 v12, v9, v11
	v_cvt_pk_bf16_f32 v1, v30, v31
	v_cvt_pk_bf16_f32 v0, v28, v29
	v_lshlrev_b32_e32 v12, 1, v12
	buffer_store_dwordx2 v[0:1], v12, s[0:3], 0 offen
	v_or_b32_e32 v12, v10, v11
	v_cvt_pk_bf16_f32 v1, v34, v35
	v_cvt_pk_bf16_f32 v0, v32, v33
	v_lshlrev_b32_e32 v12, 1, v12
	v_or_b32_e32 v11, v2, v11
	buffer_store_dwordx2 v[0:1], v12, s[0:3], 0 offen
	v_cvt_pk_bf16_f32 v1, v38, v39
	v_cvt_pk_bf16_f32 v0, v36, v37
	v_lshlrev_b32_e32 v11, 1, v11
	buffer_store_dwordx2 v[0:1], v11, s[0:3], 0 offen
	v_add_u32_e32 v11, 0x4000, v3
	v_or_b32_e32 v12, v8, v11
	v_cvt_pk_bf16_f32 v1, v6, v7
	v_cvt_pk_bf16_f32 v0, v4, v5
	v_lshlrev_b32_e32 v4, 1, v12
	buffer_store_dwordx2 v[0:1], v4, s[0:3], 0 offen
	v_or_b32_e32 v4, v9, v11
	v_cvt_pk_bf16_f32 v1, v42, v43
	v_cvt_pk_bf16_f32 v0, v40, v41
	v_lshlrev_b32_e32 v4, 1, v4
	buffer_store_dwordx2 v[0:1], v4, s[0:3], 0 offen
	v_or_b32_e32 v4, v10, v11
	v_cvt_pk_bf16_f32 v1, v46, v47
	v_cvt_pk_bf16_f32 v0, v44, v45
	v_lshlrev_b32_e32 v4, 1, v4
	buffer_store_dwordx2 v[0:1], v4, s[0:3], 0 offen
	v_or_b32_e32 v4, v2, v11
	v_cvt_pk_bf16_f32 v1, v50, v51
	v_cvt_pk_bf16_f32 v0, v48, v49
	v_lshlrev_b32_e32 v4, 1, v4
	v_add_u32_e32 v3, 0x6000, v3
	buffer_store_dwordx2 v[0:1], v4, s[0:3], 0 offen
	v_or_b32_e32 v4, v8, v3
	v_cvt_pk_bf16_f32 v1, v54, v55
	v_cvt_pk_bf16_f32 v0, v52, v53
	v_lshlrev_b32_e32 v4, 1, v4
	buffer_store_dwordx2 v[0:1], v4, s[0:3], 0 offen
	v_or_b32_e32 v4, v9, v3
	v_cvt_pk_bf16_f32 v1, v58, v59
	v_cvt_pk_bf16_f32 v0, v56, v57
	v_lshlrev_b32_e32 v4, 1, v4
	buffer_store_dwordx2 v[0:1], v4, s[0:3], 0 offen
	v_or_b32_e32 v4, v10, v3
	v_cvt_pk_bf16_f32 v1, v62, v63
	v_cvt_pk_bf16_f32 v0, v60, v61
	v_lshlrev_b32_e32 v4, 1, v4
	v_or_b32_e32 v2, v2, v3
	buffer_store_dwordx2 v[0:1], v4, s[0:3], 0 offen
	v_cvt_pk_bf16_f32 v1, v66, v67
	v_cvt_pk_bf16_f32 v0, v64, v65
	v_lshlrev_b32_e32 v2, 1, v2
	buffer_store_dwordx2 v[0:1], v2, s[0:3], 0 offen
	s_endpgm
.Lfunc_end0:
	.size	flydsl_a8w8_blockscale_plain_gfx950_1x128x128_4w_64x256x128_16x16x128_cluster_wpe2_xcd0_ks1_rm_bf16, .Lfunc_end0-flydsl_a8w8_blockscale_plain_gfx950_1x128x128_4w_64x256x128_16x16x128_cluster_wpe2_xcd0_ks1_rm_bf16
	.section	.rodata,"a",@progbits
	.p2align	6, 0x0
	.amdhsa_kernel flydsl_a8w8_blockscale_plain_gfx950_1x128x128_4w_64x256x128_16x16x128_cluster_wpe2_xcd0_ks1_rm_bf16
		.amdhsa_group_segment_fixed_size 16384
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
		.amdhsa_next_free_vgpr 216
		.amdhsa_next_free_sgpr 35
		.amdhsa_accum_offset 216
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

	.set .Lflydsl_a8w8_blockscale_plain_gfx950_1x128x128_4w_64x256x128_16x16x128_cluster_wpe2_xcd0_ks1_rm_bf16.num_vgpr, 216
	.set .Lflydsl_a8w8_blockscale_plain_gfx950_1x128x128_4w_64x256x128_16x16x128_cluster_wpe2_xcd0_ks1_rm_bf16.num_agpr, 0
	.set .Lflydsl_a8w8_blockscale_plain_gfx950_1x128x128_4w_64x256x128_16x16x128_cluster_wpe2_xcd0_ks1_rm_bf16.numbered_sgpr, 35
	.set .Lflydsl_a8w8_blockscale_plain_gfx950_1x128x128_4w_64x256x128_16x16x128_cluster_wpe2_xcd0_ks1_rm_bf16.num_named_barrier, 0
	.set .Lflydsl_a8w8_blockscale_plain_gfx950_1x128x128_4w_64x256x128_16x16x128_cluster_wpe2_xcd0_ks1_rm_bf16.private_seg_size, 0
	.set .Lflydsl_a8w8_blockscale_plain_gfx950_1x128x128_4w_64x256x128_16x16x128_cluster_wpe2_xcd0_ks1_rm_bf16.uses_vcc, 0
	.set .Lflydsl_a8w8_blockscale_plain_gfx950_1x128x128_4w_64x256x128_16x16x128_cluster_wpe2_xcd0_ks1_rm_bf16.uses_flat_scratch, 0
	.set .Lflydsl_a8w8_blockscale_plain_gfx950_1x128x128_4w_64x256x128_16x16x128_cluster_wpe2_xcd0_ks1_rm_bf16.has_dyn_sized_stack, 0
	.set .Lflydsl_a8w8_blockscale_plain_gfx950_1x128x128_4w_64x256x128_16x16x128_cluster_wpe2_xcd0_ks1_rm_bf16.has_recursion, 0
	.set .Lflydsl_a8w8_blockscale_plain_gfx950_1x128x128_4w_64x256x128_16x16x128_cluster_wpe2_xcd0_ks1_rm_bf16.has_indirect_call, 0
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
    .group_segment_fixed_size: 16384
    .kernarg_segment_align: 8
    .kernarg_segment_size: 44
    .max_flat_workgroup_size: 256
    .name:           flydsl_a8w8_blockscale_plain_gfx950_1x128x128_4w_64x256x128_16x16x128_cluster_wpe2_xcd0_ks1_rm_bf16
    .private_segment_fixed_size: 0
    .reqd_workgroup_size:
      - 256
      - 1
      - 1
    .sgpr_count:     41
    .sgpr_spill_count: 0
    .symbol:         flydsl_a8w8_blockscale_plain_gfx950_1x128x128_4w_64x256x128_16x16x128_cluster_wpe2_xcd0_ks1_rm_bf16.kd
    .uniform_work_group_size: 1
    .uses_dynamic_stack: false
    .vgpr_count:     216
    .vgpr_spill_count: 0
    .wavefront_size: 64
amdhsa.target:   amdgcn-amd-amdhsa-unknown-gfx950
amdhsa.version:
  - 1
  - 2
...

	.end_amdgpu_metadata
