# SPDX-License-Identifier: Apache-2.0
"""The assembler agrees with the reader: what it encodes and prints again is the instruction that was read."""

from __future__ import annotations

from pathlib import Path

import pytest

from oracle.machine import load
from oracle.machine.check_examples import kernel_text
from oracle.machine.tables import OPCODES
from tests.oracle.machine.objects import KERNELS, disassemble, link, meanings

#: Instructions by family, of both architectures.
FAMILIES = {
    "sop1": """
        s_mov_b32 s4, s5 | s_mov_b64 s[4:5], exec | s_not_b32 s4, -5 | s_brev_b64 s[4:5], s[6:7]
        s_wqm_b64 s[4:5], vcc
        s_bcnt1_i32_b64 s4, s[6:7] | s_ff1_i32_b32 s4, s5 | s_flbit_i32_b32 s4, s5 | s_flbit_i32 s4, s5
        s_flbit_i32_i64 s4, s[6:7] | s_sext_i32_i8 s4, s5 | s_bitset1_b32 s4, s5 | s_abs_i32 s4, s5
        s_and_saveexec_b64 s[4:5], s[6:7] | s_andn2_wrexec_b64 s[4:5], s[6:7] | s_bitreplicate_b64_b32 s[4:5], s6
        s_getpc_b64 s[4:5] | s_cmov_b32 s4, s5 | s_mov_b32 m0, 0x1fc00 | s_mov_b32 s4, 0.5 | s_mov_b32 s4, lit(0x5)
        s_mov_b64 s[4:5], 0x12345678 | s_quadmask_b32 s4, s5
    """,
    "sop2": """
        s_add_u32 s4, s5, 0x12345678 | s_addc_u32 s4, s5, s6 | s_min_i32 s4, s5, -16 | s_cselect_b64 s[4:5], -1, 0
        s_lshl_b64 s[4:5], s[6:7], s8 | s_ashr_i64 s[4:5], s[6:7], 3 | s_bfe_u64 s[4:5], s[6:7], 0x100008
        s_bfm_b32 s4, s5, s6 | s_mul_hi_u32 s4, s5, s6 | s_lshl3_add_u32 s4, s5, s6 | s_pack_lh_b32_b16 s4, s5, s6
        s_absdiff_i32 s4, s5, s6 | s_xnor_b64 s[4:5], vcc, s[6:7] | s_andn2_b32 s4, vcc_lo, s6
    """,
    "sopc, sopk, sopp": """
        s_cmp_lg_u64 s[4:5], s[6:7] | s_bitcmp1_b64 s[4:5], s6 | s_movk_i32 s4, 0xff80 | s_cmpk_gt_u32 s4, 0xffff
        s_cmpk_lt_i32 s4, 0x8000 | s_addk_i32 s4, 0x7fff | s_mulk_i32 s4, 0xfffe | s_nop 7 | s_setprio 3
        s_getreg_b32 s4, hwreg(HW_REG_MODE, 4, 2) | s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 4), 0xf
        s_waitcnt vmcnt(62) | s_waitcnt lgkmcnt(14) | s_waitcnt vmcnt(3) lgkmcnt(2) | s_waitcnt 0 | s_barrier
        s_setreg_b32 hwreg(HW_REG_MODE), s4
    """,
    "smem": """
        s_load_dword s4, s[6:7], 0x1ffff | s_load_dwordx16 s[16:31], s[6:7], s4 | s_load_dwordx2 vcc, s[6:7], -0x8
        s_load_dwordx4 s[4:7], s[6:7], s8 offset:0x40 | s_buffer_load_dwordx8 s[8:15], s[4:7], 0x0
        s_memtime s[4:5] | s_dcache_wb
    """,
    "vop1, vop2, vopc": """
        v_mov_b32_e32 v1, 0x40490fdb | v_mov_b32_e32 v1, 0.15915494 | v_not_b32_e64 v1, s4 | v_rcp_f32_e64 v1, -|v2|
        v_cvt_f16_f32_e32 v1, v2 | v_readfirstlane_b32 s4, v1 | v_add_u32_e32 v1, s4, v2
        v_mov_b64_e32 v[2:3], v[4:5]
        v_fmac_f32_e32 v1, v2, v3 | v_fmamk_f32 v1, v2, 0x3fc00000, v3 | v_add_co_u32_e32 v1, vcc, v2, v3
        v_addc_co_u32_e64 v1, s[4:5], v2, v3, s[6:7] | v_cndmask_b32_e64 v1, v2, -v3, s[4:5]
        v_cmp_lt_f32_e64 s[4:5], |v1|, -v2 | v_cmp_class_f32_e32 vcc, v1, v2 | v_cmpx_eq_u32_e64 exec, v1, v2
        v_add_f32_e64 v1, v2, v3 clamp mul:4 | v_mul_f32_e64 v1, v2, 2.0 div:2
        v_add_u32_sdwa v1, v2, v3 dst_sel:BYTE_1 dst_unused:UNUSED_PRESERVE src0_sel:WORD_1 src1_sel:BYTE_3
        v_mul_f32_dpp v1, v2, v3 quad_perm:[3,2,1,0] row_mask:0x5 bank_mask:0xa
        v_mov_b32_dpp v1, v2 row_shr:3 row_mask:0xf bank_mask:0xf bound_ctrl:0
        v_mov_b32_dpp v1, v2 row_bcast:15 row_mask:0xa bank_mask:0xf
    """,
    "vop3, vop3p": """
        v_fma_f32 v1, -v2, |v3|, 1.0 | v_fma_f64 v[2:3], v[4:5], -v[6:7], v[8:9] | v_bfe_u32 v1, v2, 3, 5
        v_perm_b32 v1, v2, v3, s4 | v_bitop3_b32 v1, v2, v3, v4 bitop3:0x6c
        v_mad_u64_u32 v[2:3], vcc, v4, v5, v[6:7]
        v_readlane_b32 s4, v1, s5 | v_writelane_b32 v1, s4, 5 | v_mbcnt_lo_u32_b32 v1, -1, 0
        v_cvt_pk_bf16_f32 v1, v2, v3
        v_pk_fma_f32 v[2:3], v[4:5], s[6:7], v[8:9] op_sel:[0,1,0] op_sel_hi:[1,0,1] neg_lo:[1,0,0] neg_hi:[0,0,1]
        v_pk_add_f16 v1, v2, v3 op_sel:[1,0] op_sel_hi:[0,1] | v_pk_mul_f32 v[2:3], v[4:5], 1.0 op_sel_hi:[1,0]
        v_fma_mix_f32 v1, -v2, |v3|, v4 op_sel:[1,0,0] op_sel_hi:[1,1,0] | v_dot4_i32_i8 v1, v2, v3, v4
        v_accvgpr_write_b32 a3, v1 | v_accvgpr_read_b32 v1, a3 | v_mad_u32_u16 v1, v2, v3, v4 op_sel:[1,0,0,0]
    """,
    "mfma": """
        v_mfma_f32_16x16x128_f8f6f4 v[0:3], v[8:15], v[16:23], 0
        v_mfma_f32_16x16x128_f8f6f4 a[0:3], v[8:15], v[16:19], a[4:7] cbsz:1 blgp:4
        v_mfma_f32_32x32x64_f8f6f4 v[0:15], v[16:21], v[24:29], v[0:15] cbsz:2 blgp:3
        v_mfma_scale_f32_16x16x128_f8f6f4 v[0:3], v[8:15], v[16:23], v[0:3], v30, v31 op_sel:[1,0,0] op_sel_hi:[0,1,0]
        v_mfma_f32_16x16x32_fp8_bf8 v[0:3], a[8:9], v[10:11], 1.0
        v_mfma_f32_32x32x16_fp8_fp8 a[0:15], v[16:17], v[18:19], 0
        v_mfma_f32_16x16x32_bf16 v[0:3], v[8:11], v[12:15], v[0:3]
        v_mfma_f32_32x32x8_f16 v[0:15], v[16:17], v[18:19], 0
        v_mfma_i32_16x16x64_i8 v[0:3], v[8:11], v[12:15], 0 | v_mfma_f32_16x16x4_f32 v[0:3], v8, v9, 0
    """,
    "ds": """
        ds_read_b128 v[4:7], v1 offset:65520 | ds_read2_b64 v[4:7], v1 offset0:3 offset1:255
        ds_read2st64_b32 v[4:5], v1 offset1:9
        ds_read_b64_tr_b4 v[4:5], v1 | ds_read_b64_tr_b8 v[4:5], v1 offset:8 | ds_read_b64_tr_b16 v[4:5], v1 offset:64
        ds_read_b96_tr_b6 v[4:6], v1
        ds_write2_b32 v1, v2, v3 offset0:1 offset1:2
        ds_write2st64_b64 v1, v[2:3], v[4:5] offset0:7 offset1:8 | ds_write_b8_d16_hi v1, v2
        ds_read_u16_d16_hi v2, v1 | ds_add_rtn_u32 v4, v1, v2 offset:8 | ds_cmpst_rtn_b32 v4, v1, v2, v3
        ds_add_f32 v1, v2
        ds_pk_add_bf16 v1, v2 | ds_swizzle_b32 v4, v1 offset:swizzle(QUAD_PERM,3,2,1,0)
        ds_swizzle_b32 v4, v1 offset:swizzle(BITMASK_PERM,"01pip") | ds_swizzle_b32 v4, v1 offset:swizzle(SWAP,16)
        ds_swizzle_b32 v4, v1 offset:swizzle(REVERSE,8) | ds_swizzle_b32 v4, v1 offset:swizzle(BROADCAST,4,2)
        ds_permute_b32 v4, v1, v2 offset:4 | ds_bpermute_b32 v4, v1, v2
        ds_read_b64 a[4:5], v1 | ds_write_b32 v1, a4
    """,
    "vmem": """
        buffer_load_dwordx4 v[4:7], v1, s[8:11], s4 offen offset:4095 | buffer_load_dword v4, off, s[8:11], 0
        buffer_load_ubyte_d16_hi v4, v[2:3], s[8:11], m0 idxen offen | buffer_load_dwordx4 v1, s[8:11], 0 offen lds
        buffer_store_dwordx3 v[4:6], v1, s[8:11], 0 idxen nt | buffer_atomic_add_f32 v4, v1, s[8:11], 0 offen
        buffer_atomic_pk_add_bf16 v4, v1, s[8:11], 0 offen sc0 | buffer_store_short_d16_hi v4, off, s[8:11], s4
        global_load_dwordx3 v[4:6], v1, s[8:9] offset:-4096 | global_load_sbyte v4, v[2:3], off sc0 sc1 nt
        global_store_dwordx4 v[2:3], a[4:7], off | global_load_lds_dword v1, s[8:9] offset:16
        global_load_lds_dwordx4 v[2:3], off | global_atomic_pk_add_bf16 v1, v4, s[8:9]
        global_atomic_add_f32 v4, v1, v5, s[8:9] sc0
        global_atomic_cmpswap v4, v[2:3], v[6:7], off sc0 | global_atomic_add_x2 v[4:5], v[2:3], v[6:7], off sc0
        flat_load_dwordx2 v[4:5], v[2:3] | flat_store_byte v[2:3], v4 offset:8 | flat_atomic_add_f64 v[2:3], v[4:5]
        scratch_load_dword v4, off, s4 offset:8 | scratch_store_dwordx2 v1, v[4:5], off
        scratch_load_dword v4, v1, s4
        buffer_inv sc1 | buffer_wbl2 sc1
    """,
}


def lines_of(family: str) -> list[str]:
    """Instructions of one family; ` | ` between them, as no operand has blanks around its bars."""
    return [part.strip() for line in FAMILIES[family].splitlines() for part in line.split(" | ") if part.strip()]


def wrapped(lines: list[str]) -> str:
    return kernel_text("\n".join("\t" + line for line in lines))


@pytest.mark.parametrize("family", FAMILIES)
def test_families_survive_the_assembler(family: str, tmp_path: Path) -> None:
    lines = lines_of(family)
    read = load(wrapped(lines))
    assert len(read.instructions) == len(lines) + 1
    built = load(link(wrapped(lines), tmp_path))
    # One by one: the difference that pytest prints is then readable.
    for mine, theirs in zip(meanings(read.instructions), meanings(built.instructions), strict=False):
        assert mine == theirs


@pytest.mark.parametrize("path", KERNELS, ids=lambda path: path.stem)
def test_every_instruction_of_a_kernel_survives_alone(path: Path, tmp_path: Path) -> None:
    # Branches apart: their targets are in test_input.
    program = load(path)
    texts = sorted({ins.text for ins in program.instructions if "branch" not in ins.opcode.flags})
    text = wrapped(texts)
    link(text, tmp_path)
    printed = load(disassemble(tmp_path / "k.co"), arch="gfx950")
    assert meanings(printed.instructions[: len(texts)]) == meanings(load(text).instructions[:-1])


def test_every_family_of_the_tables_is_here() -> None:
    seen = {ins.opcode.family for family in FAMILIES for ins in load(wrapped(lines_of(family))).instructions}
    assert seen == {op.family for op in OPCODES.values()}
