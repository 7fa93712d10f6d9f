# SPDX-License-Identifier: Apache-2.0
"""Vector ALU: VOP1, VOP2, VOP3, VOP3P, VOPC (CDNA4 ISA 12.7 to 12.11)."""

from __future__ import annotations

from .opcode import Opcode, rows

# flags: fp32/fp16/fp64 the MODE field that governs rounding and denormals; lane: crosses lanes, ignores EXEC or copies;
# keep-high: a 16-bit result leaves bits 31:16 of the destination alone (LLVM zeroesHigh16BitsOfDest is false on GFX9).
ARITHMETIC = """
v_nop | =
v_mov_b32 | b32 = b32
v_mov_b64 | b64 = b64
v_accvgpr_{read,write,mov}_b32 | b32 = b32 | lane
v_swap_b32 | b32 = v:b32 | swap
v_permlane{16,32}_swap_b32 | b32 = v:b32 | swap lane
v_readfirstlane_b32 | s:b32 = v:b32 | lane
v_readlane_b32 | s:b32 = v:b32 s:b32 | lane
v_writelane_b32 | b32 = s:b32 s:b32 | lane read-destination
v_cndmask_b32 | b32 = f32 f32 s:mask
v_not_b32 | b32 = b32
v_bfrev_b32 | b32 = b32
v_ffbh_{u32,i32} | u32 = b32
v_ffbl_b32 | u32 = b32
v_prng_b32 | b32 = b32
v_sat_pk_u8_i16 | b32 = b32
v_cvt_{f32,f64}_{i32,u32} | $1 = $2 | cvt
v_cvt_{i32,u32}_{f32,f64} | $1 = $2
v_cvt_{rpi,flr}_i32_f32 | i32 = f32
v_cvt_f32_ubyte{0,1,2,3} | f32 = b32
v_cvt_off_f32_i4 | f32 = b32
v_cvt_f32_f64 | f32 = f64 | fp64
v_cvt_f64_f32 | f64 = f32
v_cvt_f16_f32 | f16 = f32 | fp16
v_cvt_f32_f16 | f32 = f16
v_cvt_f16_{u16,i16} | f16 = $1 | fp16
v_cvt_{u16,i16}_f16 | $1 = f16
v_cvt_f32_bf16 | f32 = bf16
v_cvt_f32_{fp8,bf8} | f32 = b32 | byte-select
v_cvt_pk_f32_{fp8,bf8} | pkb32 = b32 | word-select
v_{trunc,ceil,rndne,floor,fract}_{f32,f64,f16} | $2 = $2
v_{exp,log,rcp,rcp_iflag,rsq,sqrt,sin,cos}_f32 | f32 = f32 | fp32
v_{exp_legacy,log_legacy}_f32 | f32 = f32 | fp32
v_{rcp,rsq,sqrt}_f64 | f64 = f64 | fp64
v_{exp,log,rcp,rsq,sqrt,sin,cos}_f16 | f16 = f16 | fp16
v_frexp_exp_i32_{f32,f64} | i32 = $1
v_frexp_mant_{f32,f64,f16} | $1 = $1
v_frexp_exp_i16_f16 | i16 = f16

v_{add,sub,subrev,mul,min,max}_f32 | f32 = f32 f32 | fp32
v_mul_legacy_f32 | f32 = f32 f32 | fp32
v_{mac,fmac}_f32 | f32 = f32 f32 | fp32 read-destination
v_fmac_f64 | f64 = f64 f64 | fp64 read-destination
v_fmac_f16 | f16 = f16 f16 | fp16 read-destination
v_fmamk_f32 | f32 = f32 f32 f32 | fp32
v_fmaak_f32 | f32 = f32 f32 f32 | fp32
v_mul_{i32_i24,hi_i32_i24,u32_u24,hi_u32_u24} | b32 = b32 b32
v_{min,max}_{i32,u32} | $2 = $2 $2
v_{lshrrev,lshlrev,and,or,xor,xnor}_b32 | b32 = b32 b32
v_ashrrev_i32 | i32 = b32 i32
v_{lshrrev,lshlrev}_b64 | b64 = b32 b64
v_ashrrev_i64 | i64 = b32 i64
v_{add,sub,subrev}_u32 | u32 = u32 u32
v_{add,sub}_i32 | i32 = i32 i32
v_{add,sub,subrev}_co_u32 | u32 s:mask = u32 u32
v_{addc,subb,subbrev}_co_u32 | u32 s:mask = u32 u32 s:mask
v_{add,sub,subrev,mul,min,max}_f16 | f16 = f16 f16 | fp16
v_ldexp_f16 | f16 = f16 i16 | fp16
v_{add,sub,subrev,mul_lo}_u16 | u16 = u16 u16
v_{min,max}_{u16,i16} | $2 = $2 $2
v_{lshlrev,lshrrev}_b16 | b16 = b16 b16
v_ashrrev_i16 | i16 = b16 i16
v_{add,sub}_i16 | i16 = i16 i16

v_{mad,fma}_f32 | f32 = f32 f32 f32 | fp32
v_mad_legacy_f32 | f32 = f32 f32 f32 | fp32
v_fma_f64 | f64 = f64 f64 f64 | fp64
v_fma_f16 | f16 = f16 f16 f16 | fp16 keep-high
v_mad_f16 | f16 = f16 f16 f16 | fp16 keep-high
v_mad_{u16,i16} | $1 = $1 $1 $1 | keep-high
v_mad_{i32_i24,u32_u24} | b32 = b32 b32 b32
v_mad_{u32_u16,i32_i16} | b32 = b16 b16 b32
v_mad_u64_u32 | u64 s:mask = u32 u32 u64
v_mad_i64_i32 | i64 s:mask = i32 i32 i64
v_bfe_{u32,i32} | $1 = $1 u32 u32
v_bfi_b32 | b32 = b32 b32 b32
v_align{bit,byte}_b32 | b32 = b32 b32 b32
v_{min3,max3,med3}_f32 | f32 = f32 f32 f32 | fp32
v_{min3,max3,med3}_{i32,u32} | $2 = $2 $2 $2
v_{min3,max3,med3}_f16 | f16 = f16 f16 f16 | fp16
v_{min3,max3,med3}_{i16,u16} | $2 = $2 $2 $2
v_{minimum3,maximum3}_f32 | f32 = f32 f32 f32 | fp32
v_sad_{u8,u16,u32} | b32 = b32 b32 b32
v_sad_hi_u8 | b32 = b32 b32 b32
v_msad_u8 | b32 = b32 b32 b32
v_lerp_u8 | b32 = b32 b32 b32
v_cvt_pk_u8_f32 | b32 = f32 b32 b32
v_div_scale_{f32,f64} | $1 s:mask = $1 $1 $1
v_div_fmas_{f32,f64} | $1 = $1 $1 $1 | vcc-source
v_div_fixup_{f32,f64} | $1 = $1 $1 $1
v_add3_u32 | u32 = u32 u32 u32
v_{lshl_add,add_lshl,xad}_u32 | u32 = u32 u32 u32
v_lshl_add_u64 | u64 = u64 u32 u64
v_{lshl_or,and_or,or3}_b32 | b32 = b32 b32 b32
v_perm_b32 | b32 = b32 b32 b32
v_bitop3_{b32,b16} | $1 = $1 $1 $1 | bitop3
v_mul_lo_u32 | u32 = u32 u32
v_mul_hi_{u32,i32} | $1 = $1 $1
v_ldexp_f32 | f32 = f32 i32 | fp32
v_ldexp_f64 | f64 = f64 i32 | fp64
v_{add,mul,min,max}_f64 | f64 = f64 f64 | fp64
v_bcnt_u32_b32 | u32 = b32 u32
v_mbcnt_{lo,hi}_u32_b32 | u32 = b32 u32 | lane
v_bfm_b32 | b32 = b32 b32
v_cvt_pk_{bf16,f16}_f32 | b32 = f32 f32
v_cvt_pkrtz_f16_f32 | b32 = f32 f32
v_cvt_pk_{u16_u32,i16_i32} | b32 = b32 b32
v_cvt_pknorm_{i16,u16}_f32 | b32 = f32 f32
v_cvt_pk_{fp8,bf8}_f32 | b32 = f32 f32 | read-destination word-destination
v_cvt_sr_{fp8,bf8}_f32 | b32 = f32 b32 | read-destination byte-destination
v_cvt_scalef32_pk_fp4_f32 | b32 = f32 f32 f32 | read-destination byte-destination
v_pack_b32_f16 | b32 = f16 f16
v_ashr_pk_{i8,u8}_i32 | b32 = b32 b32 b32

v_pk_{mul,add}_f32 | pkf32 = pkf32 pkf32 | fp32 packed
v_pk_fma_f32 | pkf32 = pkf32 pkf32 pkf32 | fp32 packed
v_pk_mov_b32 | pkb32 = pkb32 pkb32 | packed
v_pk_{mul_lo,add,sub,min,max}_u16 | pki16 = pki16 pki16 | packed
v_pk_{add,sub,min,max}_i16 | pki16 = pki16 pki16 | packed
v_pk_{lshlrev_b16,lshrrev_b16,ashrrev_i16} | pki16 = pki16 pki16 | packed
v_pk_mad_{u16,i16} | pki16 = pki16 pki16 pki16 | packed
v_pk_{add,mul,min,max}_f16 | pkf16 = pkf16 pkf16 | fp16 packed
v_pk_fma_f16 | pkf16 = pkf16 pkf16 pkf16 | fp16 packed
v_pk_{minimum3,maximum3}_f16 | pkf16 = pkf16 pkf16 pkf16 | fp16 packed
v_pk_fmac_f16 | pkf16 = pkf16 pkf16 | fp16 read-destination
v_{fma,mad}_mix_f32 | f32 = mix mix mix | fp32 mixed
v_{fma,mad}_mix{lo,hi}_f16 | f16 = mix mix mix | fp32 mixed read-destination
v_dot2_f32_f16 | f32 = pkf16 pkf16 f32 | packed
v_dot2_f32_bf16 | f32 = pki16 pki16 f32 | packed
v_dot2_{i32_i16,u32_u16} | b32 = pki16 pki16 b32 | packed
v_dot4_{i32_i8,u32_u8} | b32 = b32 b32 b32 | packed
v_dot8_{i32_i4,u32_u4} | b32 = b32 b32 b32 | packed
v_dot2c_f32_{f16,bf16} | f32 = b32 b32 | read-destination
v_dot{2c_i32_i16,4c_i32_i8,8c_i32_i4} | b32 = b32 b32 | read-destination
"""

COMPARE = """
v_cmp_{f,lt,eq,le,gt,lg,ge,o,u,nge,nlg,ngt,nle,neq,nlt,tru}_{f16,f32,f64} | s:mask = $2 $2
v_cmp_{f,lt,eq,le,gt,ne,ge,t}_{i16,u16,i32,u32,i64,u64} | s:mask = $2 $2
v_cmp_class_{f16,f32,f64} | s:mask = $1 b32
v_cmpx_{f,lt,eq,le,gt,lg,ge,o,u,nge,nlg,ngt,nle,neq,nlt,tru}_{f16,f32,f64} | s:mask = $2 $2 | exec
v_cmpx_{f,lt,eq,le,gt,ne,ge,t}_{i16,u16,i32,u32,i64,u64} | s:mask = $2 $2 | exec
v_cmpx_class_{f16,f32,f64} | s:mask = $1 b32 | exec
"""


def opcodes() -> list[Opcode]:
    """Every vector ALU opcode but the matrix ones."""
    packed = {"packed", "mixed"}
    return [
        Opcode(
            op.name,
            "vop3p" if op.flags & packed else "valu",
            op.destinations,
            op.sources,
            op.flags - {"packed", "mixed"},
        )
        for op in rows(ARITHMETIC, "valu", "v", "a")
    ] + list(rows(COMPARE, "vopc", "s", "a"))
