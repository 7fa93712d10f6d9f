	.amdgcn_target "amdgcn-amd-amdhsa-unknown-gfx950"
	.amdhsa_code_object_version 6
	.text
	.globl	flydsl_a8w8_blockscale_plain_gfx950_1x128x128_dec_16x128x128_16x16x128_cluster_wpe2_xcd0_ks1_rm_bf16
	.p2align	8
	.type	flydsl_a8w8_blockscale_plain_gfx950_1x128x128_dec_16x128x128_16x16x128_cluster_wpe2_xcd0_ks1_rm_bf16,@function
flydsl_a8w8_blockscale_plain_gfx950_1x128x128_dec_16x128x128_16x16x128_cluster_wpe2_xcd0_ks1_rm_bf16:
	s_ashr_i32 s3, s2, 31
	s_lshr_b32 s3, s3, 30
	s_add_i32 s3, s2, s3
	s_ashr_i32 s16, s3, 2
	s_and_b32 s3, s3, -4
	s_cmp_lg_u32 s2, s3
	s_load_dwordx8 s[4:11], s[0:1], 0x0
	s_load_dword s28, s[0:1], 0x28
	s_cselect_b64 s[12:13], -1, 0
	s_cmp_lt_i32 s2, 0
	s_cselect_b64 s[14:15], -1, 0
	s_and_b64 s[12:13], s[14:15], s[12:13]
	s_subb_u32 s12, s16, 0
	s_lshl_b32 s26, s12, 4
	s_sub_i32 s2, s2, s3
	s_waitcnt lgkmcnt(0)
	s_sub_i32 s3, s28, s26
	s_ashr_i32 s27, s26, 31
	s_lshl_b32 s24, s2, 7
	s_min_i32 s3, s3, 16
	s_lshl_b64 s[12:13], s[26:27], 9
	s_add_u32 s12, s6, s12
	s_addc_u32 s6, s7, s13
	s_ashr_i32 s25, s24, 31
	s_and_b32 s13, s6, 0xffff
	s_lshl_b32 s14, s3, 9
	s_lshl_b64 s[6:7], s[24:25], 9
	s_add_u32 s16, s8, s6
	s_addc_u32 s6, s9, s7
	s_and_b32 s17, s6, 0xffff
	s_lshl_b64 s[6:7], s[26:27], 10
	s_add_u32 s4, s4, s6
	v_readfirstlane_b32 s29, v0
	v_and_b32_e32 v20, 15, v0
	s_addc_u32 s5, s5, s7
	s_add_i32 s6, s3, -1
	v_min_i32_e32 v1, s6, v20
	s_lshr_b32 s6, s29, 1
	v_bfe_u32 v21, v0, 4, 2
	s_and_b32 s9, s6, 0x60
	v_lshlrev_b32_e32 v0, 4, v21
	s_or_b32 s8, s9, 16
	s_mov_b32 s15, 0x27000
	v_lshl_or_b32 v1, v1, 9, v0
	v_or_b32_e32 v2, s9, v20
	v_or_b32_e32 v3, s8, v20
	s_movk_i32 s6, 0x80
	s_mov_b32 s18, 0x10000
	s_mov_b32 s19, s15
	s_lshl_b32 s22, s28, 4
	v_lshl_or_b32 v2, v2, 9, v0
	v_lshl_or_b32 v0, v3, 9, v0
	v_or_b32_e32 v3, s26, v20
	s_add_i32 s28, s28, -1
	buffer_load_dwordx4 v[46:49], v1, s[12:15], s6 offen
	buffer_load_dwordx4 v[50:53], v1, s[12:15], s6 offen offset:64
	buffer_load_dwordx4 v[54:57], v2, s[16:19], s6 offen
	buffer_load_dwordx4 v[58:61], v2, s[16:19], s6 offen offset:64
	buffer_load_dwordx4 v[62:65], v0, s[16:19], s6 offen
	buffer_load_dwordx4 v[66:69], v0, s[16:19], s6 offen offset:64
	s_movk_i32 s6, 0x100
	v_min_i32_e32 v3, s28, v3
	buffer_load_dwordx4 v[70:73], v1, s[12:15], s6 offen
	buffer_load_dwordx4 v[74:77], v1, s[12:15], s6 offen offset:64
	buffer_load_dwordx4 v[78:81], v2, s[16:19], s6 offen
	buffer_load_dwordx4 v[82:85], v2, s[16:19], s6 offen offset:64
	buffer_load_dwordx4 v[86:89], v0, s[16:19], s6 offen
	buffer_load_dwordx4 v[90:93], v0, s[16:19], s6 offen offset:64
	s_movk_i32 s6, 0x180
	s_and_b32 s21, s11, 0xffff
	s_mov_b32 s20, s10
	s_mov_b32 s23, s15
	v_lshlrev_b32_e32 v3, 4, v3
	buffer_load_dwordx4 v[94:97], v1, s[12:15], s6 offen
	buffer_load_dwordx4 v[98:101], v1, s[12:15], s6 offen offset:64
	buffer_load_dwordx4 v[102:105], v2, s[16:19], s6 offen
	buffer_load_dwordx4 v[106:109], v2, s[16:19], s6 offen offset:64
	buffer_load_dword v8, v3, s[20:23], 0 offen
	buffer_load_dword v9, v3, s[20:23], 4 offen
	buffer_load_dword v16, v3, s[20:23], 8 offen
	buffer_load_dword v17, v3, s[20:23], 12 offen
	buffer_load_dwordx4 v[110:113], v0, s[16:19], s6 offen
	buffer_load_dwordx4 v[114:117], v0, s[16:19], s6 offen offset:64
	buffer_load_dwordx4 v[22:25], v1, s[12:15], 0 offen
	buffer_load_dwordx4 v[26:29], v1, s[12:15], 0 offen offset:64
	buffer_load_dwordx4 v[30:33], v2, s[16:19], 0 offen
	buffer_load_dwordx4 v[34:37], v2, s[16:19], 0 offen offset:64
	buffer_load_dwordx4 v[38:41], v0, s[16:19], 0 offen
	buffer_load_dwordx4 v[42:45], v0, s[16:19], 0 offen offset:64
	s_load_dwordx2 s[12:13], s[0:1], 0x20
	s_bfe_i32 s0, s2, 0x10018
	s_lshr_b32 s0, s0, 25
	s_or_b32 s2, s9, s24
	s_add_i32 s0, s2, s0
	s_lshl_b32 s6, s3, 10
	s_waitcnt lgkmcnt(0)
	s_and_b32 s13, s13, 0xffff
	s_and_b32 s5, s5, 0xffff
	s_ashr_i32 s10, s0, 7
	s_and_b32 s0, s0, 0xffffff80
	s_cmp_lg_u32 s2, s0
	s_cselect_b64 s[0:1], -1, 0
	s_cmp_lt_i32 s2, 0
	s_cselect_b64 s[2:3], -1, 0
	s_and_b64 s[0:1], s[2:3], s[0:1]
	s_subb_u32 s0, s10, 0
	s_mov_b32 s14, 64
	s_lshl_b32 s10, s0, 4
	s_buffer_load_dwordx4 s[0:3], s[12:15], s10 offset:0x0
	s_mov_b32 s7, s15
	s_waitcnt vmcnt(2)
	v_mfma_f32_16x16x128_f8f6f4 v[0:3], v[30:37], v[22:29], 0
	s_waitcnt vmcnt(0)
	v_mfma_f32_16x16x128_f8f6f4 v[4:7], v[38:45], v[22:29], 0
	s_waitcnt lgkmcnt(0)
	v_mul_f32_e64 v18, s0, v8
	v_mul_f32_e64 v19, s1, v9
	s_nop 6
	v_fma_f32 v2, v18, v2, 0
	v_fma_f32 v3, v18, v3, 0
	v_pk_fma_f32 v[0:1], v[18:19], v[0:1], 0 op_sel_hi:[0,1,0]
	v_pk_fma_f32 v[6:7], v[18:19], v[6:7], 0 op_sel_hi:[0,1,0]
	v_pk_fma_f32 v[4:5], v[18:19], v[4:5], 0 op_sel_hi:[0,1,0]
	;;#ASMSTART
	;;#ASMEND
	;;#ASMSTART
	;;#ASMEND
	v_mfma_f32_16x16x128_f8f6f4 v[8:11], v[54:61], v[46:53], 0
	v_mfma_f32_16x16x128_f8f6f4 v[12:15], v[62:69], v[46:53], 0
	s_nop 10
	v_fma_f32 v2, v19, v10, v2
	v_fma_f32 v3, v19, v11, v3
	v_fma_f32 v0, v19, v8, v0
	v_fma_f32 v1, v19, v9, v1
	v_pk_fma_f32 v[6:7], v[18:19], v[14:15], v[6:7] op_sel:[1,0,0]
	v_pk_fma_f32 v[4:5], v[18:19], v[12:13], v[4:5] op_sel:[1,0,0]
	;;#ASMSTART
	;;#ASMEND
	s_nop 0
	;;#ASMSTART
	;;#ASMEND
	v_mfma_f32_16x16x128_f8f6f4 v[8:11], v[78:85], v[70:77], 0
	v_mfma_f32_16x16x128_f8f6f4 v[12:15], v[86:93], v[70:77], 0
	v_mul_f32_e64 v16, s2, v16
	v_mul_f32_e64 v17, s3, v17
	s_nop 8
	v_fma_f32 v2, v16, v10, v2
	v_fma_f32 v3, v16, v11, v3
	v_fma_f32 v0, v16, v8, v0
	v_fma_f32 v1, v16, v9, v1
	v_pk_fma_f32 v[6:7], v[16:17], v[14:15], v[6:7] op_sel_hi:[0,1,1]
	v_pk_fma_f32 v[4:5], v[16:17], v[12:13], v[4:5] op_sel_hi:[0,1,1]
	;;#ASMSTART
	;;#ASMEND
	;;#ASMSTART
	;;#ASMEND
	v_mfma_f32_16x16x128_f8f6f4 v[8:11], v[102:109], v[94:101], 0
	v_mfma_f32_16x16x128_f8f6f4 v[12:15], v[110:117], v[94:101], 0
	s_nop 10
	v_fma_f32 v2, v17, v10, v2
	v_fma_f32 v3, v17, v11, v3
	v_fma_f32 v0, v17, v8, v0
	v_fma_f32 v1, v17, v9, v1
	v_pk_fma_f32 v[6:7], v[16:17], v[14:15], v[6:7] op_sel:[1,0,0]
	v_pk_fma_f32 v[4:5], v[16:17], v[12:13], v[4:5] op_sel:[1,0,0]
	;;#ASMSTART
	;;#ASMEND
	s_nop 0
	;;#ASMSTART
	;;#ASMEND
	v_lshlrev_b32_e32 v8, 2, v21
	v_lshl_add_u32 v9, v20, 9, s24
	v_or3_b32 v10, v8, s9, v9
	v_cvt_pk_bf16_f32 v3, v2, v3
	v_cvt_pk_bf16_f32 v2, v0, v1
	v_lshlrev_b32_e32 v0, 1, v10
	buffer_store_dwordx2 v[2:3], v0, s[4:7], 0 offen
	v_or3_b32 v2, v8, s8, v9
	v_cvt_pk_bf16_f32 v1, v6, v7
	v_cvt_pk_bf16_f32 v0, v4, v5
	v_lshlrev_b32_e32 v2, 1, v2
	buffer_store_dwordx2 v[0:1], v2, s[4:7], 0 offen
	s_endpgm
.Lfunc_end0:
	.size	flydsl_a8w8_blockscale_plain_gfx950_1x128x128_dec_16x128x128_16x16x128_cluster_wpe2_xcd0_ks1_rm_bf16, .Lfunc_end0-flydsl_a8w8_blockscale_plain_gfx950_1x128x128_dec_16x128x128_16x16x128_cluster_wpe2_xcd0_ks1_rm_bf16
	.section	.rodata,"a",@progbits
	.p2align	6, 0x0
	.amdhsa_kernel flydsl_a8w8_blockscale_plain_gfx950_1x128x128_dec_16x128x128_16x16x128_cluster_wpe2_xcd0_ks1_rm_bf16
		.amdhsa_group_segment_fixed_size 0
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
		.amdhsa_next_free_vgpr 118
		.amdhsa_next_free_sgpr 30
		.amdhsa_accum_offset 120
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

	.set .Lflydsl_a8w8_blockscale_plain_gfx950_1x128x128_dec_16x128x128_16x16x128_cluster_wpe2_xcd0_ks1_rm_bf16.num_vgpr, 118
	.set .Lflydsl_a8w8_blockscale_plain_gfx950_1x128x128_dec_16x128x128_16x16x128_cluster_wpe2_xcd0_ks1_rm_bf16.num_agpr, 0
	.set .Lflydsl_a8w8_blockscale_plain_gfx950_1x128x128_dec_16x128x128_16x16x128_cluster_wpe2_xcd0_ks1_rm_bf16.numbered_sgpr, 30
	.set .Lflydsl_a8w8_blockscale_plain_gfx950_1x128x128_dec_16x128x128_16x16x128_cluster_wpe2_xcd0_ks1_rm_bf16.num_named_barrier, 0
	.set .Lflydsl_a8w8_blockscale_plain_gfx950_1x128x128_dec_16x128x128_16x16x128_cluster_wpe2_xcd0_ks1_rm_bf16.private_seg_size, 0
	.set .Lflydsl_a8w8_blockscale_plain_gfx950_1x128x128_dec_16x128x128_16x16x128_cluster_wpe2_xcd0_ks1_rm_bf16.uses_vcc, 0
	.set .Lflydsl_a8w8_blockscale_plain_gfx950_1x128x128_dec_16x128x128_16x16x128_cluster_wpe2_xcd0_ks1_rm_bf16.uses_flat_scratch, 0
	.set .Lflydsl_a8w8_blockscale_plain_gfx950_1x128x128_dec_16x128x128_16x16x128_cluster_wpe2_xcd0_ks1_rm_bf16.has_dyn_sized_stack, 0
	.set .Lflydsl_a8w8_blockscale_plain_gfx950_1x128x128_dec_16x128x128_16x16x128_cluster_wpe2_xcd0_ks1_rm_bf16.has_recursion, 0
	.set .Lflydsl_a8w8_blockscale_plain_gfx950_1x128x128_dec_16x128x128_16x16x128_cluster_wpe2_xcd0_ks1_rm_bf16.has_indirect_call, 0
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
    .group_segment_fixed_size: 0
    .kernarg_segment_align: 8
    .kernarg_segment_size: 44
    .max_flat_workgroup_size: 256
    .name:           flydsl_a8w8_blockscale_plain_gfx950_1x128x128_dec_16x128x128_16x16x128_cluster_wpe2_xcd0_ks1_rm_bf16
    .private_segment_fixed_size: 0
    .reqd_workgroup_size:
      - 256
      - 1
      - 1
    .sgpr_count:     36
    .sgpr_spill_count: 0
    .symbol:         flydsl_a8w8_blockscale_plain_gfx950_1x128x128_dec_16x128x128_16x16x128_cluster_wpe2_xcd0_ks1_rm_bf16.kd
    .uniform_work_group_size: 1
    .uses_dynamic_stack: false
    .vgpr_count:     118
    .vgpr_spill_count: 0
    .wavefront_size: 64
amdhsa.target:   amdgcn-amd-amdhsa-unknown-gfx950
amdhsa.version:
  - 1
  - 2
...

	.end_amdgpu_metadata
