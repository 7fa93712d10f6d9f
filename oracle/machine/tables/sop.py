# SPDX-License-Identifier: Apache-2.0
"""Scalar ALU: SOP1, SOP2, SOPC, SOPK, SOPP (CDNA4 ISA 12.1 to 12.5)."""

from __future__ import annotations

from .opcode import Opcode, rows

ALU = """
s_{mov,cmov,not,brev,wqm,quadmask}_{b32,b64} | $2 = $2
s_{bcnt0,bcnt1,ff0,ff1}_i32_{b32,b64}        | i32 = $2
s_flbit_i32_{b32,b64}                        | i32 = $1
s_flbit_i32                                  | i32 = i32
s_flbit_i32_i64                              | i32 = i64
s_sext_i32_{i8,i16}                          | i32 = i32
s_bitset{0,1}_b32                            | b32 = b32 | read-destination
s_bitset{0,1}_b64                            | b64 = b32 | read-destination
s_abs_i32                                    | i32 = i32
s_bitreplicate_b64_b32                       | b64 = b32
s_{and,or,xor,andn2,orn2,nand,nor,xnor,andn1,orn1}_saveexec_b64 | b64 = b64 | exec
s_{andn1,andn2}_wrexec_b64                   | b64 = b64 | exec
s_{add,sub}_{u32,i32}                        | $2 = $2 $2
s_{addc,subb}_u32                            | u32 = u32 u32
s_{min,max}_{u32,i32}                        | $2 = $2 $2
s_cselect_{b32,b64}                          | $1 = $1 $1
s_{and,or,xor,andn2,orn2,nand,nor,xnor}_{b32,b64} | $2 = $2 $2
s_{lshl,lshr}_{b32,b64}                      | $2 = $2 u32
s_ashr_{i32,i64}                             | $1 = $1 u32
s_bfm_{b32,b64}                              | $1 = b32 b32
s_bfe_{u32,i32,u64,i64}                      | $1 = $1 u32
s_mul_i32                                    | i32 = i32 i32
s_mul_hi_{u32,i32}                           | $1 = $1 $1
s_absdiff_i32                                | i32 = i32 i32
s_lshl{1,2,3,4}_add_u32                      | u32 = u32 u32
s_pack_{ll,lh,hh}_b32_b16                    | b32 = b32 b32
s_cmp_{eq,lg,gt,ge,lt,le}_{i32,u32}          | = $2 $2
s_cmp_{eq,lg}_u64                            | = u64 u64
s_bitcmp{0,1}_{b32,b64}                      | = $2 u32
s_movk_i32                                   | i32 = | imm16
s_cmovk_i32                                  | i32 = | imm16
s_cmpk_{eq,lg,gt,ge,lt,le}_i32               | = i32 | imm16
s_cmpk_{eq,lg,gt,ge,lt,le}_u32               | = u32 | uimm16
s_{addk,mulk}_i32                            | i32 = | imm16 read-destination
s_getreg_b32                                 | b32 = | hwreg
s_setreg_b32                                 | = b32 | hwreg-first
s_setreg_imm32_b32                           | = b32 | hwreg-first
s_setvskip                                   | = b32 b32
"""

CONTROL = """
s_getpc_b64       | b64 =
s_setpc_b64       | = b64    | jump
s_swappc_b64      | b64 = b64 | jump
s_call_b64        | b64 =    | branch
s_nop             | =        | imm16
s_sleep           | =        | imm16
s_setprio         | =        | imm16
s_incperflevel    | =        | imm16
s_decperflevel    | =        | imm16
s_trap            | =        | imm16
s_sethalt         | =        | imm16
s_set_gpr_idx_on  | = b32    | gpr-idx
s_set_gpr_idx_mode | =       | gpr-idx
s_set_gpr_idx_idx | = b32
s_set_gpr_idx_off | =
s_endpgm          | =
s_branch          | =        | branch
s_cbranch_{scc0,scc1,vccz,vccnz,execz,execnz} | = | branch
s_barrier         | =
s_waitcnt         | =        | waitcnt
s_sendmsg         | =        | message
s_icache_inv      | =
s_ttracedata      | =
s_wakeup          | =
s_clause          | =        | imm16
"""


def opcodes() -> list[Opcode]:
    """Every scalar ALU and program-control opcode."""
    return [*rows(ALU, "salu", "s", "s"), *rows(CONTROL, "control", "s", "s")]
