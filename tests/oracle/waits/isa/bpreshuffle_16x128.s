; SPDX-License-Identifier: Apache-2.0
; flydsl_a8w8_blockscale_bpreshuffle_gfx950_1x128x128_4w_64x256x128_16x16x128_cluster_wpe2_xcd0_ks1_km_bf16 at NxK 16x128, compiled by FlyDSL 0.5.0,
; as it was when its wait for the DMA of A counted the loads in the source.
	s_load_dword s3, s[0:1], 0x28
	s_load_dwordx2 s[12:13], s[0:1], 0x20
	s_load_dwordx8 s[4:11], s[0:1], 0x0
	s_lshl_b32 s24, s2, 6
	s_ashr_i32 s25, s24, 31
	s_waitcnt lgkmcnt(0)
	s_sub_i32 s0, s3, s24
	s_min_i32 s14, s0, 64
	s_lshl_b64 s[0:1], s[24:25], 7
	s_add_u32 s20, s6, s0
	s_addc_u32 s0, s7, s1
	s_and_b32 s21, s0, 0xffff
	s_lshl_b32 s22, s14, 7
	s_and_b32 s17, s9, 0xffff
	s_lshl_b64 s[0:1], s[24:25], 5
	s_add_u32 s4, s4, s0
	s_addc_u32 s0, s5, s1
	v_readfirstlane_b32 s16, v0
	s_and_b32 s5, s0, 0xffff
	v_lshlrev_b32_e32 v3, 4, v0
	s_movk_i32 s0, 0x70
	v_bitop3_b32 v3, v3, s0, v0 bitop3:0x48
	s_lshl_b32 s0, s16, 4
	s_lshl_b32 s6, s14, 5
	s_lshl_b32 s2, s3, 2
	s_and_b32 s1, s11, 0xffff
	s_and_b32 s13, s13, 0xffff
	v_lshrrev_b32_e32 v1, 3, v0
	s_add_i32 s14, s14, -1
	s_and_b32 s0, s0, 0xc00
	s_add_i32 s9, s3, -1
	s_and_b32 s11, s16, 0xc0
	s_bfe_u32 s3, s16, 0x10007
	s_and_b32 s7, s16, 0x80
	v_min_i32_e32 v2, s14, v1
	v_or_b32_e32 v1, 32, v1
	s_cmp_lg_u32 s11, s7
	v_min_i32_e32 v1, s14, v1
	s_cselect_b64 s[14:15], -1, 0
	s_cmp_lt_i32 s16, 0
	s_cselect_b64 vcc, -1, 0
	s_mov_b32 s23, 0x27000
	v_lshl_or_b32 v2, v2, 7, v3
	s_and_b64 s[14:15], vcc, s[14:15]
	s_mov_b32 m0, s0
	v_lshl_or_b32 v1, v1, 7, v3
	s_subb_u32 s25, s3, 0
	buffer_load_dwordx4 v2, s[20:23], 0 offen lds
	s_or_b32 m0, s0, 0x1000
	v_lshrrev_b32_e32 v2, 4, v0
	buffer_load_dwordx4 v1, s[20:23], 0 offen lds
	v_and_b32_e32 v1, 15, v0
	v_bfe_u32 v20, v0, 4, 2
	v_bfe_u32 v0, v0, 1, 3
	v_lshlrev_b32_e32 v8, 7, v1
	v_bitop3_b32 v2, v2, v0, 3 bitop3:0x6c
	v_lshlrev_b32_e32 v21, 4, v1
	v_or_b32_e32 v1, s24, v1
	v_lshlrev_b32_e32 v9, 4, v2
	v_bitop3_b32 v0, v20, v0, 4 bitop3:0x36
	v_min_i32_e32 v2, s9, v1
	v_or_b32_e32 v3, 16, v1
	v_or_b32_e32 v4, 32, v1
	v_or_b32_e32 v1, 48, v1
	s_mov_b32 s14, 4
	s_movk_i32 s18, 0x800
	s_mov_b32 s16, s8
	s_mov_b32 s19, s23
	s_mov_b32 s7, s23
	s_mov_b32 s0, s10
	s_mov_b32 s3, s23
	s_mov_b32 s15, s23
	v_lshlrev_b32_e32 v12, 4, v0
	v_lshl_or_b32 v0, v20, 8, v21
	v_min_i32_e32 v3, s9, v3
	v_min_i32_e32 v4, s9, v4
	v_min_i32_e32 v1, s9, v1
	s_min_i32 s8, s25, 0
	buffer_load_dwordx4 v[22:25], v0, s[16:19], 0 offen
	buffer_load_dwordx4 v[26:29], v0, s[16:19], 0 offen offset:1024
	v_lshlrev_b32_e32 v0, 2, v2
	v_lshlrev_b32_e32 v2, 2, v3
	v_lshlrev_b32_e32 v3, 2, v4
	v_lshlrev_b32_e32 v1, 2, v1
	buffer_load_dword v16, v0, s[0:3], 0 offen
	buffer_load_dword v17, v2, s[0:3], 0 offen
	buffer_load_dword v18, v3, s[0:3], 0 offen
	buffer_load_dword v19, v1, s[0:3], 0 offen
	v_or_b32_e32 v0, v8, v9
	v_or_b32_e32 v1, v8, v12
	s_waitcnt vmcnt(12)
	s_barrier
	ds_read_b128 v[30:33], v0
	ds_read_b128 v[34:37], v1
	v_or_b32_e32 v4, 0x800, v8
	v_or_b32_e32 v5, v4, v9
	v_or_b32_e32 v4, v4, v12
	v_or_b32_e32 v10, 0x1000, v8
	v_or_b32_e32 v11, v10, v9
	v_or_b32_e32 v10, v10, v12
	v_or_b32_e32 v13, 0x1800, v8
	v_or_b32_e32 v14, v13, v9
	v_or_b32_e32 v12, v13, v12
	s_lshl_b32 s0, s8, 2
	s_buffer_load_dword s0, s[12:15], s0 offset:0x0
	s_waitcnt vmcnt(4) lgkmcnt(0)
	v_mfma_f32_16x16x128_f8f6f4 v[0:3], v[22:29], v[30:37], 0
	ds_read_b128 v[30:33], v5
	ds_read_b128 v[34:37], v4
	s_waitcnt lgkmcnt(0)
	v_mfma_f32_16x16x128_f8f6f4 v[4:7], v[22:29], v[30:37], 0
	ds_read_b128 v[30:33], v11
	ds_read_b128 v[34:37], v10
	s_waitcnt lgkmcnt(0)
	v_mfma_f32_16x16x128_f8f6f4 v[8:11], v[22:29], v[30:37], 0
	ds_read_b128 v[30:33], v14
	ds_read_b128 v[34:37], v12
	s_waitcnt lgkmcnt(0)
	v_mfma_f32_16x16x128_f8f6f4 v[12:15], v[22:29], v[30:37], 0
	s_waitcnt vmcnt(2)
	v_mul_f32_e64 v16, s0, v16
	v_mul_f32_e64 v17, s0, v17
	v_fma_f32 v2, v16, v2, 0
	v_fma_f32 v3, v16, v3, 0
	v_pk_fma_f32 v[0:1], v[16:17], v[0:1], 0 op_sel_hi:[0,1,0]
	v_pk_fma_f32 v[6:7], v[16:17], v[6:7], 0 op_sel:[1,0,0] op_sel_hi:[1,1,0]
	v_pk_fma_f32 v[4:5], v[16:17], v[4:5], 0 op_sel:[1,0,0] op_sel_hi:[1,1,0]
	s_waitcnt vmcnt(0)
	v_pk_mul_f32 v[16:17], s[0:1], v[18:19] op_sel_hi:[0,1]
	v_pk_fma_f32 v[10:11], v[16:17], v[10:11], 0 op_sel_hi:[0,1,0]
	v_pk_fma_f32 v[8:9], v[16:17], v[8:9], 0 op_sel_hi:[0,1,0]
	v_pk_fma_f32 v[14:15], v[16:17], v[14:15], 0 op_sel:[1,0,0] op_sel_hi:[1,1,0]
	v_pk_fma_f32 v[12:13], v[16:17], v[12:13], 0 op_sel:[1,0,0] op_sel_hi:[1,1,0]
	v_lshl_or_b32 v16, v20, 2, s11
	v_cvt_pk_bf16_f32 v3, v2, v3
	v_cvt_pk_bf16_f32 v2, v0, v1
	v_add_lshl_u32 v0, v16, v21, 1
	v_mov_b32_e32 v17, 0x7ffffffe
	v_cmp_gt_i32_e64 s[0:1], 16, v16
	v_or_b32_e32 v18, 16, v16
	v_or_b32_e32 v19, 32, v16
	v_cndmask_b32_e64 v0, v17, v0, s[0:1]
	buffer_store_dwordx2 v[2:3], v0, s[4:7], 0 offen
	v_add_lshl_u32 v0, v18, v21, 1
	v_cndmask_b32_e32 v0, v17, v0, vcc
	buffer_store_dwordx2 v[2:3], v0, s[4:7], 0 offen
	v_add_lshl_u32 v0, v19, v21, 1
	v_cndmask_b32_e32 v0, v17, v0, vcc
	v_or_b32_e32 v20, 48, v16
	buffer_store_dwordx2 v[2:3], v0, s[4:7], 0 offen
	v_add_lshl_u32 v0, v20, v21, 1
	v_cndmask_b32_e32 v0, v17, v0, vcc
	buffer_store_dwordx2 v[2:3], v0, s[4:7], 0 offen
	v_or_b32_e32 v2, 0x100, v21
	v_add_lshl_u32 v3, v16, v2, 1
	v_cvt_pk_bf16_f32 v1, v6, v7
	v_cvt_pk_bf16_f32 v0, v4, v5
	v_cndmask_b32_e64 v3, v17, v3, s[0:1]
	buffer_store_dwordx2 v[0:1], v3, s[4:7], 0 offen
	v_add_lshl_u32 v3, v18, v2, 1
	v_cndmask_b32_e32 v3, v17, v3, vcc
	buffer_store_dwordx2 v[0:1], v3, s[4:7], 0 offen
	v_add_lshl_u32 v3, v19, v2, 1
	v_add_lshl_u32 v2, v20, v2, 1
	v_cndmask_b32_e32 v3, v17, v3, vcc
	v_cndmask_b32_e32 v2, v17, v2, vcc
	buffer_store_dwordx2 v[0:1], v3, s[4:7], 0 offen
	buffer_store_dwordx2 v[0:1], v2, s[4:7], 0 offen
	v_or_b32_e32 v2, 0x200, v21
	v_add_lshl_u32 v3, v16, v2, 1
	v_cvt_pk_bf16_f32 v1, v10, v11
	v_cvt_pk_bf16_f32 v0, v8, v9
	v_cndmask_b32_e64 v3, v17, v3, s[0:1]
	buffer_store_dwordx2 v[0:1], v3, s[4:7], 0 offen
	v_add_lshl_u32 v3, v18, v2, 1
	v_cndmask_b32_e32 v3, v17, v3, vcc
	buffer_store_dwordx2 v[0:1], v3, s[4:7], 0 offen
	v_add_lshl_u32 v3, v19, v2, 1
	v_add_lshl_u32 v2, v20, v2, 1
	v_cndmask_b32_e32 v3, v17, v3, vcc
	v_cndmask_b32_e32 v2, v17, v2, vcc
	buffer_store_dwordx2 v[0:1], v3, s[4:7], 0 offen
	buffer_store_dwordx2 v[0:1], v2, s[4:7], 0 offen
	v_or_b32_e32 v2, 0x300, v21
	v_add_lshl_u32 v3, v16, v2, 1
	v_cvt_pk_bf16_f32 v1, v14, v15
	v_cvt_pk_bf16_f32 v0, v12, v13
	v_cndmask_b32_e64 v3, v17, v3, s[0:1]
	buffer_store_dwordx2 v[0:1], v3, s[4:7], 0 offen
	v_add_lshl_u32 v3, v18, v2, 1
	v_cndmask_b32_e32 v3, v17, v3, vcc
	buffer_store_dwordx2 v[0:1], v3, s[4:7], 0 offen
	v_add_lshl_u32 v3, v19, v2, 1
	v_add_lshl_u32 v2, v20, v2, 1
	v_cndmask_b32_e32 v3, v17, v3, vcc
	v_cndmask_b32_e32 v2, v17, v2, vcc
	buffer_store_dwordx2 v[0:1], v3, s[4:7], 0 offen
	buffer_store_dwordx2 v[0:1], v2, s[4:7], 0 offen
