/* SPDX-License-Identifier: Apache-2.0 */
/* Written by `python oracle/machine/tables` from the tables in that folder; do not edit. */
#ifndef ABI_H
#define ABI_H
#include <stddef.h>
#include <stdint.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int8_t i8;
typedef int16_t i16;
typedef int32_t i32;
typedef int64_t i64;

/* Of all that follows; `binding.py` compares it with its own at import. */
#define ABI_DIGEST "ed1d0306b60c850260273652f668ccf7515d5c2f01bff6fb3c6103f94ebf5d44"

/* What an operand is. */
enum operand_kind {
    NONE = 0,
    SGPR = 1,
    VGPR = 2,
    CONSTANT = 3,
    SPECIAL = 4,
};

/* Registers without a number in the SGPR file. */
enum special {
    SPECIAL_SCC = 0,
    SPECIAL_VCCZ = 1,
    SPECIAL_EXECZ = 2,
    SPECIAL_SHARED_BASE = 3,
    SPECIAL_SHARED_LIMIT = 4,
    SPECIAL_PRIVATE_BASE = 5,
    SPECIAL_PRIVATE_LIMIT = 6,
};

/* Source modifiers. */
enum modifier {
    MOD_NEG = 1,
    MOD_ABS = 2,
    MOD_SEXT = 4,
};

/* How neg and abs act on an operand. */
enum float_kind {
    FLOAT_NONE = 0,
    FLOAT_F32 = 1,
    FLOAT_F64 = 2,
    FLOAT_F16 = 3,
    FLOAT_PK16 = 4,
    FLOAT_PK32 = 5,
    FLOAT_MIX = 6,
};

/* Order of an instruction's operands: two destinations, then five sources. */
enum place {
    DST = 0,
    DST2 = 1,
    SRC0 = 2,
    SRC1 = 3,
    SRC2 = 4,
    SRC3 = 5,
    SRC4 = 6,
    OPERANDS
};

/* Properties of an instruction. */
enum flag {
    FLAG_READ_DST = 1, /* the destination is also a source */
    FLAG_SDWA = 2,
    FLAG_DPP = 4,
    FLAG_MODS = 8, /* some source carries neg, abs or op_sel */
    FLAG_FP32 = 16, /* MODE's fp32 rounding and denormal fields apply */
    FLAG_FP16_64 = 32, /* MODE's fp16/fp64 fields apply */
    FLAG_KEEP_HIGH = 64, /* a 16-bit result keeps bits 31:16 */
    FLAG_EXEC = 128, /* writes EXEC besides its destination */
    FLAG_LANE = 256, /* crosses lanes, ignores EXEC or copies: what the sources lack, the result lacks */
    FLAG_HALF_DST = 512, /* 16-bit result */
    FLAG_ALL_LANES = 1024, /* reads every lane whatever EXEC says */
    FLAG_VECTOR = 2048, /* not issued under VSKIP */
    FLAG_VALU = 4096, /* register indexing may move its operands */
    FLAG_HIGH_ADDEND = 8192, /* the high half of SRC2 reaches only the result's high half and the carry */
    FLAG_LANE_MASK = 16384, /* SRC2 has a bit a lane, and only those of active lanes are read */
};

/* Properties of a memory instruction. */
enum memory_flag {
    MEM_OFFEN = 1,
    MEM_IDXEN = 2,
    MEM_LDS = 4,
    MEM_SC0 = 8,
    MEM_PRIVATE = 16, /* private memory alone: a store may spill what holds no value */
    MEM_SADDR = 32,
    MEM_VADDR = 64,
    MEM_VECTOR_ORDER = 128, /* what it returns lands in the order of issue, among all with this bit */
    MEM_RETURN = 256,
    MEM_SC1 = 512, /* of the agent's scope or the system's */
    MEM_LDS_ORDER = 1024, /* the same for LDS */
};

/* Findings, keyed by (code, instruction, other instruction); `oracle.machine.report` words them. */
enum code {
    CODE_NONE = 0,
    CODE_VGPR_NOT_WAITED = 201,
    CODE_SGPR_NOT_WAITED = 202,
    CODE_WAW_NOT_WAITED = 203,
    CODE_LDS_DMA_NOT_WAITED = 204,
    CODE_LDS_RAW = 205,
    CODE_LDS_WAR = 206,
    CODE_LDS_WAW = 207,
    CODE_LDS_LATE_WAR = 208,
    CODE_VGPR_UNINIT = 211,
    CODE_SGPR_UNINIT = 212,
    CODE_LDS_UNINIT = 213,
    CODE_MEMORY_UNINIT = 214,
    CODE_OUTSIDE = 221,
    CODE_RANGE_RULE = 222,
    CODE_MISALIGNED = 223,
    CODE_LDS_LIMIT = 224,
    CODE_READ_ONLY = 225,
    CODE_PARTIAL_RANGE = 226,
    CODE_SCRATCH = 227,
    CODE_RANGE_RULE_LOAD = 228,
    CODE_BARRIER_DIVERGENT = 231,
    CODE_WORKGROUP_CONFLICT = 232,
    CODE_MISALIGNED_LOW = 233,
    CODE_WAW_LDS_DMA = 234,
    CODE_READ_WRITE = 235,
    CODE_NOT_ACQUIRED = 236,
    CODE_WAVE_CONFLICT = 237,
    CODE_WAVE_LATE = 238,
    CODE_ATOMIC_ORDER = 239,
    CODE_IDLE_WAIT = 241, /* Python's own, as the next two */
    CODE_IDLE_BARRIER = 242,
    CODE_LOST = 243,
    CODE_LDS_LATE_WRITE = 244,
    CODE_OFFSET_WRAPS = 271,
    CODE_PARTIAL_WORD = 272,
};

/* Why a wave cannot go on. */
enum fault {
    FAULT_NONE = 0,
    FAULT_TRAP = 1,
    FAULT_BAD_JUMP = 2,
    FAULT_BUDGET = 3,
    FAULT_HWREG = 4,
    FAULT_DESCRIPTOR = 5,
    FAULT_EXEC = 6,
    FAULT_UNMODELLED = 7,
    FAULT_INDEX = 8,
};

/* Counters of a launch, in the order of its result. */
enum counter {
    COUNT_VMEM_READ = 0,
    COUNT_VMEM_WRITE = 1,
    COUNT_SMEM_READ = 2,
    COUNT_LDS_READ = 3,
    COUNT_LDS_WRITE = 4,
    COUNT_LDS_DMA = 5,
    COUNT_ATOMIC = 6,
    COUNT_SCRATCH = 7,
    COUNT_BANK_CYCLES = 8,
    COUNT_BANK_CONFLICTS = 9,
    COUNT_OUT_OF_RANGE = 10,
    COUNT_MFMA_INTEGER = 11,
    COUNT_MFMA_DOUBLE = 12,
    COUNT_MFMA_WIDE = 13,
    COUNTERS
};

/* Vector memory requests of a launch: rows of its result, one an allocation. */
enum request {
    REQUEST_LOAD = 0, /* to VGPRs */
    REQUEST_DMA = 1, /* to LDS */
    REQUEST_STORE = 2,
    REQUEST_ATOMIC = 3,
    REQUESTS
};

/* When loads and LDS DMA land. */
enum landing {
    LANDING_EAGER = 0,
    LANDING_LATE = 1,
};

/* How soffset counts in a buffer's range check. */
enum range_rule {
    RANGE_SIGNED = 0,
    RANGE_UNSIGNED = 1,
    RANGE_EXCLUDED = 2,
};

/* Order of a workgroup's waves between barriers. */
enum wave_order {
    ORDER_ASCENDING = 0,
    ORDER_DESCENDING = 1,
    ORDER_SEEDED = 2,
};

/* Flags of a launch. */
enum launch_flag {
    LAUNCH_FNUZ = 1, /* gfx942's fp8 */
    LAUNCH_DOUBLE_ONLY = 2, /* exact dot only in double */
    LAUNCH_SYNCHRONISES = 4, /* workgroups may order their accesses, so it runs on one thread */
};

/* One operand. */
typedef struct {
    u8 kind; /* enum operand_kind */
    u8 dwords;
    u16 reg; /* row or SGPR number, or enum special */
    u8 mods; /* MOD_* */
    u8 select; /* SDWA: 0..3 byte, 4..5 word, 6 dword */
    u8 floating; /* enum float_kind */
    u8 unread; /* bit per dword (of the first 8) that the instruction does not look at */
    u64 value; /* CONSTANT */
} operand;
_Static_assert(offsetof(operand, kind) == 0, "operand.kind");
_Static_assert(offsetof(operand, dwords) == 1, "operand.dwords");
_Static_assert(offsetof(operand, reg) == 2, "operand.reg");
_Static_assert(offsetof(operand, mods) == 4, "operand.mods");
_Static_assert(offsetof(operand, select) == 5, "operand.select");
_Static_assert(offsetof(operand, floating) == 6, "operand.floating");
_Static_assert(offsetof(operand, unread) == 7, "operand.unread");
_Static_assert(offsetof(operand, value) == 8, "operand.value");
_Static_assert(sizeof(operand) == 16, "operand");

/* One instruction. */
typedef struct {
    u16 op;
    u16 flags;
    u32 line; /* 1-based line of the source text */
    u32 pc; /* byte offset in the text section */
    i32 target; /* branch: instruction index; waitcnt: vmcnt; s_nop and friends: immediate */
    i32 offset0; /* memory offset in bytes; waitcnt: lgkmcnt; hwreg: id | offset << 6 | (width - 1) << 11 */
    i32 offset1;
    u8 op_sel; /* this and the next three: bit per source; bit 3 is the destination half */
    u8 op_sel_hi;
    u8 neg_lo;
    u8 neg_hi;
    u8 clamp;
    u8 omod; /* 0, 1 *2, 2 *4, 3 /2 */
    u8 cbsz; /* also bitop3's truth table */
    u8 blgp;
    u16 memory; /* MEM_* */
    u16 dpp; /* DPP control, ISA encoding */
    u8 row_mask;
    u8 bank_mask;
    u8 bound_ctrl;
    u8 dst_select;
    u8 dst_unused; /* 0 pad, 1 sign extend, 2 preserve */
    u8 width; /* memory: bytes a lane and access */
    u8 size; /* encoded bytes */
    operand o[7]; /* by enum place */
} ins;
_Static_assert(offsetof(ins, op) == 0, "ins.op");
_Static_assert(offsetof(ins, flags) == 2, "ins.flags");
_Static_assert(offsetof(ins, line) == 4, "ins.line");
_Static_assert(offsetof(ins, pc) == 8, "ins.pc");
_Static_assert(offsetof(ins, target) == 12, "ins.target");
_Static_assert(offsetof(ins, offset0) == 16, "ins.offset0");
_Static_assert(offsetof(ins, offset1) == 20, "ins.offset1");
_Static_assert(offsetof(ins, op_sel) == 24, "ins.op_sel");
_Static_assert(offsetof(ins, op_sel_hi) == 25, "ins.op_sel_hi");
_Static_assert(offsetof(ins, neg_lo) == 26, "ins.neg_lo");
_Static_assert(offsetof(ins, neg_hi) == 27, "ins.neg_hi");
_Static_assert(offsetof(ins, clamp) == 28, "ins.clamp");
_Static_assert(offsetof(ins, omod) == 29, "ins.omod");
_Static_assert(offsetof(ins, cbsz) == 30, "ins.cbsz");
_Static_assert(offsetof(ins, blgp) == 31, "ins.blgp");
_Static_assert(offsetof(ins, memory) == 32, "ins.memory");
_Static_assert(offsetof(ins, dpp) == 34, "ins.dpp");
_Static_assert(offsetof(ins, row_mask) == 36, "ins.row_mask");
_Static_assert(offsetof(ins, bank_mask) == 37, "ins.bank_mask");
_Static_assert(offsetof(ins, bound_ctrl) == 38, "ins.bound_ctrl");
_Static_assert(offsetof(ins, dst_select) == 39, "ins.dst_select");
_Static_assert(offsetof(ins, dst_unused) == 40, "ins.dst_unused");
_Static_assert(offsetof(ins, width) == 41, "ins.width");
_Static_assert(offsetof(ins, size) == 42, "ins.size");
_Static_assert(offsetof(ins, o) == 48, "ins.o");
_Static_assert(sizeof(ins) == 160, "ins");

/* One kind of finding at one pair of instructions: how often it was seen, and the first example. */
typedef struct {
    u32 code;
    u32 ins;
    u32 other; /* 1 + the other instruction, or 0 */
    u32 wave;
    u32 lane;
    u32 other_wave;
    u32 other_lane;
    u64 workgroup;
    u64 other_workgroup;
    u64 seen;
    u64 address;
} finding;
_Static_assert(offsetof(finding, code) == 0, "finding.code");
_Static_assert(offsetof(finding, ins) == 4, "finding.ins");
_Static_assert(offsetof(finding, other) == 8, "finding.other");
_Static_assert(offsetof(finding, wave) == 12, "finding.wave");
_Static_assert(offsetof(finding, lane) == 16, "finding.lane");
_Static_assert(offsetof(finding, other_wave) == 20, "finding.other_wave");
_Static_assert(offsetof(finding, other_lane) == 24, "finding.other_lane");
_Static_assert(offsetof(finding, workgroup) == 32, "finding.workgroup");
_Static_assert(offsetof(finding, other_workgroup) == 40, "finding.other_workgroup");
_Static_assert(offsetof(finding, seen) == 48, "finding.seen");
_Static_assert(offsetof(finding, address) == 56, "finding.address");
_Static_assert(sizeof(finding) == 64, "finding");

/* One launch. */
typedef struct {
    u32 grid[3];
    u32 block[3];
    u32 waves; /* waves a workgroup */
    u32 entry; /* instruction index */
    u32 instructions;
    u32 lds_bytes;
    u32 scratch_bytes; /* a lane */
    u32 vgprs; /* rows that exist */
    u32 agprs;
    u32 user_sgprs; /* how many of `user_sgpr` are loaded */
    u32 user_sgpr[32];
    u32 workgroup_id; /* bit per dimension: which ids follow the user SGPRs */
    u32 workgroup_info;
    u32 mode; /* initial MODE register */
    u32 landing;
    u32 range_rule;
    u32 wave_order;
    u32 checks;
    u32 granule_shift; /* LDS checker granularity: log2 bytes, 0, 2 or 4 */
    u32 order_shift; /* log2 bytes of global memory whose order is kept together */
    u32 threads;
    u32 flags; /* LAUNCH_* */
    u64 seed;
    u64 budget; /* instructions a wave may execute */
    u64 code_address; /* device address of pc 0 */
    u64 workgroup_count; /* entries of the workgroup list */
} launch_config;
_Static_assert(offsetof(launch_config, grid) == 0, "launch_config.grid");
_Static_assert(offsetof(launch_config, block) == 12, "launch_config.block");
_Static_assert(offsetof(launch_config, waves) == 24, "launch_config.waves");
_Static_assert(offsetof(launch_config, entry) == 28, "launch_config.entry");
_Static_assert(offsetof(launch_config, instructions) == 32, "launch_config.instructions");
_Static_assert(offsetof(launch_config, lds_bytes) == 36, "launch_config.lds_bytes");
_Static_assert(offsetof(launch_config, scratch_bytes) == 40, "launch_config.scratch_bytes");
_Static_assert(offsetof(launch_config, vgprs) == 44, "launch_config.vgprs");
_Static_assert(offsetof(launch_config, agprs) == 48, "launch_config.agprs");
_Static_assert(offsetof(launch_config, user_sgprs) == 52, "launch_config.user_sgprs");
_Static_assert(offsetof(launch_config, user_sgpr) == 56, "launch_config.user_sgpr");
_Static_assert(offsetof(launch_config, workgroup_id) == 184, "launch_config.workgroup_id");
_Static_assert(offsetof(launch_config, workgroup_info) == 188, "launch_config.workgroup_info");
_Static_assert(offsetof(launch_config, mode) == 192, "launch_config.mode");
_Static_assert(offsetof(launch_config, landing) == 196, "launch_config.landing");
_Static_assert(offsetof(launch_config, range_rule) == 200, "launch_config.range_rule");
_Static_assert(offsetof(launch_config, wave_order) == 204, "launch_config.wave_order");
_Static_assert(offsetof(launch_config, checks) == 208, "launch_config.checks");
_Static_assert(offsetof(launch_config, granule_shift) == 212, "launch_config.granule_shift");
_Static_assert(offsetof(launch_config, order_shift) == 216, "launch_config.order_shift");
_Static_assert(offsetof(launch_config, threads) == 220, "launch_config.threads");
_Static_assert(offsetof(launch_config, flags) == 224, "launch_config.flags");
_Static_assert(offsetof(launch_config, seed) == 232, "launch_config.seed");
_Static_assert(offsetof(launch_config, budget) == 240, "launch_config.budget");
_Static_assert(offsetof(launch_config, code_address) == 248, "launch_config.code_address");
_Static_assert(offsetof(launch_config, workgroup_count) == 256, "launch_config.workgroup_count");
_Static_assert(sizeof(launch_config) == 264, "launch_config");

enum opcode {
    OP_s_mov_b32,
    OP_s_mov_b64,
    OP_s_cmov_b32,
    OP_s_cmov_b64,
    OP_s_not_b32,
    OP_s_not_b64,
    OP_s_brev_b32,
    OP_s_brev_b64,
    OP_s_wqm_b32,
    OP_s_wqm_b64,
    OP_s_quadmask_b32,
    OP_s_quadmask_b64,
    OP_s_bcnt0_i32_b32,
    OP_s_bcnt0_i32_b64,
    OP_s_bcnt1_i32_b32,
    OP_s_bcnt1_i32_b64,
    OP_s_ff0_i32_b32,
    OP_s_ff0_i32_b64,
    OP_s_ff1_i32_b32,
    OP_s_ff1_i32_b64,
    OP_s_flbit_i32_b32,
    OP_s_flbit_i32_b64,
    OP_s_flbit_i32,
    OP_s_flbit_i32_i64,
    OP_s_sext_i32_i8,
    OP_s_sext_i32_i16,
    OP_s_bitset0_b32,
    OP_s_bitset1_b32,
    OP_s_bitset0_b64,
    OP_s_bitset1_b64,
    OP_s_abs_i32,
    OP_s_bitreplicate_b64_b32,
    OP_s_and_saveexec_b64,
    OP_s_or_saveexec_b64,
    OP_s_xor_saveexec_b64,
    OP_s_andn2_saveexec_b64,
    OP_s_orn2_saveexec_b64,
    OP_s_nand_saveexec_b64,
    OP_s_nor_saveexec_b64,
    OP_s_xnor_saveexec_b64,
    OP_s_andn1_saveexec_b64,
    OP_s_orn1_saveexec_b64,
    OP_s_andn1_wrexec_b64,
    OP_s_andn2_wrexec_b64,
    OP_s_add_u32,
    OP_s_add_i32,
    OP_s_sub_u32,
    OP_s_sub_i32,
    OP_s_addc_u32,
    OP_s_subb_u32,
    OP_s_min_u32,
    OP_s_min_i32,
    OP_s_max_u32,
    OP_s_max_i32,
    OP_s_cselect_b32,
    OP_s_cselect_b64,
    OP_s_and_b32,
    OP_s_and_b64,
    OP_s_or_b32,
    OP_s_or_b64,
    OP_s_xor_b32,
    OP_s_xor_b64,
    OP_s_andn2_b32,
    OP_s_andn2_b64,
    OP_s_orn2_b32,
    OP_s_orn2_b64,
    OP_s_nand_b32,
    OP_s_nand_b64,
    OP_s_nor_b32,
    OP_s_nor_b64,
    OP_s_xnor_b32,
    OP_s_xnor_b64,
    OP_s_lshl_b32,
    OP_s_lshl_b64,
    OP_s_lshr_b32,
    OP_s_lshr_b64,
    OP_s_ashr_i32,
    OP_s_ashr_i64,
    OP_s_bfm_b32,
    OP_s_bfm_b64,
    OP_s_bfe_u32,
    OP_s_bfe_i32,
    OP_s_bfe_u64,
    OP_s_bfe_i64,
    OP_s_mul_i32,
    OP_s_mul_hi_u32,
    OP_s_mul_hi_i32,
    OP_s_absdiff_i32,
    OP_s_lshl1_add_u32,
    OP_s_lshl2_add_u32,
    OP_s_lshl3_add_u32,
    OP_s_lshl4_add_u32,
    OP_s_pack_ll_b32_b16,
    OP_s_pack_lh_b32_b16,
    OP_s_pack_hh_b32_b16,
    OP_s_cmp_eq_i32,
    OP_s_cmp_eq_u32,
    OP_s_cmp_lg_i32,
    OP_s_cmp_lg_u32,
    OP_s_cmp_gt_i32,
    OP_s_cmp_gt_u32,
    OP_s_cmp_ge_i32,
    OP_s_cmp_ge_u32,
    OP_s_cmp_lt_i32,
    OP_s_cmp_lt_u32,
    OP_s_cmp_le_i32,
    OP_s_cmp_le_u32,
    OP_s_cmp_eq_u64,
    OP_s_cmp_lg_u64,
    OP_s_bitcmp0_b32,
    OP_s_bitcmp0_b64,
    OP_s_bitcmp1_b32,
    OP_s_bitcmp1_b64,
    OP_s_movk_i32,
    OP_s_cmovk_i32,
    OP_s_cmpk_eq_i32,
    OP_s_cmpk_lg_i32,
    OP_s_cmpk_gt_i32,
    OP_s_cmpk_ge_i32,
    OP_s_cmpk_lt_i32,
    OP_s_cmpk_le_i32,
    OP_s_cmpk_eq_u32,
    OP_s_cmpk_lg_u32,
    OP_s_cmpk_gt_u32,
    OP_s_cmpk_ge_u32,
    OP_s_cmpk_lt_u32,
    OP_s_cmpk_le_u32,
    OP_s_addk_i32,
    OP_s_mulk_i32,
    OP_s_getreg_b32,
    OP_s_setreg_b32,
    OP_s_setreg_imm32_b32,
    OP_s_setvskip,
    OP_s_getpc_b64,
    OP_s_setpc_b64,
    OP_s_swappc_b64,
    OP_s_call_b64,
    OP_s_nop,
    OP_s_sleep,
    OP_s_setprio,
    OP_s_incperflevel,
    OP_s_decperflevel,
    OP_s_trap,
    OP_s_sethalt,
    OP_s_set_gpr_idx_on,
    OP_s_set_gpr_idx_mode,
    OP_s_set_gpr_idx_idx,
    OP_s_set_gpr_idx_off,
    OP_s_endpgm,
    OP_s_branch,
    OP_s_cbranch_scc0,
    OP_s_cbranch_scc1,
    OP_s_cbranch_vccz,
    OP_s_cbranch_vccnz,
    OP_s_cbranch_execz,
    OP_s_cbranch_execnz,
    OP_s_barrier,
    OP_s_waitcnt,
    OP_s_sendmsg,
    OP_s_icache_inv,
    OP_s_ttracedata,
    OP_s_wakeup,
    OP_s_clause,
    OP_s_load_dword,
    OP_s_load_dwordx2,
    OP_s_load_dwordx4,
    OP_s_load_dwordx8,
    OP_s_load_dwordx16,
    OP_s_buffer_load_dword,
    OP_s_buffer_load_dwordx2,
    OP_s_buffer_load_dwordx4,
    OP_s_buffer_load_dwordx8,
    OP_s_buffer_load_dwordx16,
    OP_s_store_dword,
    OP_s_store_dwordx2,
    OP_s_store_dwordx4,
    OP_s_atomic_add,
    OP_s_atomic_sub,
    OP_s_atomic_smin,
    OP_s_atomic_umin,
    OP_s_atomic_smax,
    OP_s_atomic_umax,
    OP_s_atomic_and,
    OP_s_atomic_or,
    OP_s_atomic_xor,
    OP_s_atomic_swap,
    OP_s_atomic_inc,
    OP_s_atomic_dec,
    OP_s_memtime,
    OP_s_memrealtime,
    OP_s_dcache_inv,
    OP_s_dcache_wb,
    OP_s_dcache_inv_vol,
    OP_s_dcache_wb_vol,
    OP_v_nop,
    OP_v_mov_b32,
    OP_v_mov_b64,
    OP_v_accvgpr_read_b32,
    OP_v_accvgpr_write_b32,
    OP_v_accvgpr_mov_b32,
    OP_v_swap_b32,
    OP_v_permlane16_swap_b32,
    OP_v_permlane32_swap_b32,
    OP_v_readfirstlane_b32,
    OP_v_readlane_b32,
    OP_v_writelane_b32,
    OP_v_cndmask_b32,
    OP_v_not_b32,
    OP_v_bfrev_b32,
    OP_v_ffbh_u32,
    OP_v_ffbh_i32,
    OP_v_ffbl_b32,
    OP_v_prng_b32,
    OP_v_sat_pk_u8_i16,
    OP_v_cvt_f32_i32,
    OP_v_cvt_f32_u32,
    OP_v_cvt_f64_i32,
    OP_v_cvt_f64_u32,
    OP_v_cvt_i32_f32,
    OP_v_cvt_i32_f64,
    OP_v_cvt_u32_f32,
    OP_v_cvt_u32_f64,
    OP_v_cvt_rpi_i32_f32,
    OP_v_cvt_flr_i32_f32,
    OP_v_cvt_f32_ubyte0,
    OP_v_cvt_f32_ubyte1,
    OP_v_cvt_f32_ubyte2,
    OP_v_cvt_f32_ubyte3,
    OP_v_cvt_off_f32_i4,
    OP_v_cvt_f32_f64,
    OP_v_cvt_f64_f32,
    OP_v_cvt_f16_f32,
    OP_v_cvt_f32_f16,
    OP_v_cvt_f16_u16,
    OP_v_cvt_f16_i16,
    OP_v_cvt_u16_f16,
    OP_v_cvt_i16_f16,
    OP_v_cvt_f32_bf16,
    OP_v_cvt_f32_fp8,
    OP_v_cvt_f32_bf8,
    OP_v_cvt_pk_f32_fp8,
    OP_v_cvt_pk_f32_bf8,
    OP_v_trunc_f32,
    OP_v_trunc_f64,
    OP_v_trunc_f16,
    OP_v_ceil_f32,
    OP_v_ceil_f64,
    OP_v_ceil_f16,
    OP_v_rndne_f32,
    OP_v_rndne_f64,
    OP_v_rndne_f16,
    OP_v_floor_f32,
    OP_v_floor_f64,
    OP_v_floor_f16,
    OP_v_fract_f32,
    OP_v_fract_f64,
    OP_v_fract_f16,
    OP_v_exp_f32,
    OP_v_log_f32,
    OP_v_rcp_f32,
    OP_v_rcp_iflag_f32,
    OP_v_rsq_f32,
    OP_v_sqrt_f32,
    OP_v_sin_f32,
    OP_v_cos_f32,
    OP_v_exp_legacy_f32,
    OP_v_log_legacy_f32,
    OP_v_rcp_f64,
    OP_v_rsq_f64,
    OP_v_sqrt_f64,
    OP_v_exp_f16,
    OP_v_log_f16,
    OP_v_rcp_f16,
    OP_v_rsq_f16,
    OP_v_sqrt_f16,
    OP_v_sin_f16,
    OP_v_cos_f16,
    OP_v_frexp_exp_i32_f32,
    OP_v_frexp_exp_i32_f64,
    OP_v_frexp_mant_f32,
    OP_v_frexp_mant_f64,
    OP_v_frexp_mant_f16,
    OP_v_frexp_exp_i16_f16,
    OP_v_add_f32,
    OP_v_sub_f32,
    OP_v_subrev_f32,
    OP_v_mul_f32,
    OP_v_min_f32,
    OP_v_max_f32,
    OP_v_mul_legacy_f32,
    OP_v_mac_f32,
    OP_v_fmac_f32,
    OP_v_fmac_f64,
    OP_v_fmac_f16,
    OP_v_fmamk_f32,
    OP_v_fmaak_f32,
    OP_v_mul_i32_i24,
    OP_v_mul_hi_i32_i24,
    OP_v_mul_u32_u24,
    OP_v_mul_hi_u32_u24,
    OP_v_min_i32,
    OP_v_min_u32,
    OP_v_max_i32,
    OP_v_max_u32,
    OP_v_lshrrev_b32,
    OP_v_lshlrev_b32,
    OP_v_and_b32,
    OP_v_or_b32,
    OP_v_xor_b32,
    OP_v_xnor_b32,
    OP_v_ashrrev_i32,
    OP_v_lshrrev_b64,
    OP_v_lshlrev_b64,
    OP_v_ashrrev_i64,
    OP_v_add_u32,
    OP_v_sub_u32,
    OP_v_subrev_u32,
    OP_v_add_i32,
    OP_v_sub_i32,
    OP_v_add_co_u32,
    OP_v_sub_co_u32,
    OP_v_subrev_co_u32,
    OP_v_addc_co_u32,
    OP_v_subb_co_u32,
    OP_v_subbrev_co_u32,
    OP_v_add_f16,
    OP_v_sub_f16,
    OP_v_subrev_f16,
    OP_v_mul_f16,
    OP_v_min_f16,
    OP_v_max_f16,
    OP_v_ldexp_f16,
    OP_v_add_u16,
    OP_v_sub_u16,
    OP_v_subrev_u16,
    OP_v_mul_lo_u16,
    OP_v_min_u16,
    OP_v_min_i16,
    OP_v_max_u16,
    OP_v_max_i16,
    OP_v_lshlrev_b16,
    OP_v_lshrrev_b16,
    OP_v_ashrrev_i16,
    OP_v_add_i16,
    OP_v_sub_i16,
    OP_v_mad_f32,
    OP_v_fma_f32,
    OP_v_mad_legacy_f32,
    OP_v_fma_f64,
    OP_v_fma_f16,
    OP_v_mad_f16,
    OP_v_mad_u16,
    OP_v_mad_i16,
    OP_v_mad_i32_i24,
    OP_v_mad_u32_u24,
    OP_v_mad_u32_u16,
    OP_v_mad_i32_i16,
    OP_v_mad_u64_u32,
    OP_v_mad_i64_i32,
    OP_v_bfe_u32,
    OP_v_bfe_i32,
    OP_v_bfi_b32,
    OP_v_alignbit_b32,
    OP_v_alignbyte_b32,
    OP_v_min3_f32,
    OP_v_max3_f32,
    OP_v_med3_f32,
    OP_v_min3_i32,
    OP_v_min3_u32,
    OP_v_max3_i32,
    OP_v_max3_u32,
    OP_v_med3_i32,
    OP_v_med3_u32,
    OP_v_min3_f16,
    OP_v_max3_f16,
    OP_v_med3_f16,
    OP_v_min3_i16,
    OP_v_min3_u16,
    OP_v_max3_i16,
    OP_v_max3_u16,
    OP_v_med3_i16,
    OP_v_med3_u16,
    OP_v_minimum3_f32,
    OP_v_maximum3_f32,
    OP_v_sad_u8,
    OP_v_sad_u16,
    OP_v_sad_u32,
    OP_v_sad_hi_u8,
    OP_v_msad_u8,
    OP_v_lerp_u8,
    OP_v_cvt_pk_u8_f32,
    OP_v_div_scale_f32,
    OP_v_div_scale_f64,
    OP_v_div_fmas_f32,
    OP_v_div_fmas_f64,
    OP_v_div_fixup_f32,
    OP_v_div_fixup_f64,
    OP_v_add3_u32,
    OP_v_lshl_add_u32,
    OP_v_add_lshl_u32,
    OP_v_xad_u32,
    OP_v_lshl_add_u64,
    OP_v_lshl_or_b32,
    OP_v_and_or_b32,
    OP_v_or3_b32,
    OP_v_perm_b32,
    OP_v_bitop3_b32,
    OP_v_bitop3_b16,
    OP_v_mul_lo_u32,
    OP_v_mul_hi_u32,
    OP_v_mul_hi_i32,
    OP_v_ldexp_f32,
    OP_v_ldexp_f64,
    OP_v_add_f64,
    OP_v_mul_f64,
    OP_v_min_f64,
    OP_v_max_f64,
    OP_v_bcnt_u32_b32,
    OP_v_mbcnt_lo_u32_b32,
    OP_v_mbcnt_hi_u32_b32,
    OP_v_bfm_b32,
    OP_v_cvt_pk_bf16_f32,
    OP_v_cvt_pk_f16_f32,
    OP_v_cvt_pkrtz_f16_f32,
    OP_v_cvt_pk_u16_u32,
    OP_v_cvt_pk_i16_i32,
    OP_v_cvt_pknorm_i16_f32,
    OP_v_cvt_pknorm_u16_f32,
    OP_v_cvt_pk_fp8_f32,
    OP_v_cvt_pk_bf8_f32,
    OP_v_cvt_sr_fp8_f32,
    OP_v_cvt_sr_bf8_f32,
    OP_v_cvt_scalef32_pk_fp4_f32,
    OP_v_pack_b32_f16,
    OP_v_ashr_pk_i8_i32,
    OP_v_ashr_pk_u8_i32,
    OP_v_pk_mul_f32,
    OP_v_pk_add_f32,
    OP_v_pk_fma_f32,
    OP_v_pk_mov_b32,
    OP_v_pk_mul_lo_u16,
    OP_v_pk_add_u16,
    OP_v_pk_sub_u16,
    OP_v_pk_min_u16,
    OP_v_pk_max_u16,
    OP_v_pk_add_i16,
    OP_v_pk_sub_i16,
    OP_v_pk_min_i16,
    OP_v_pk_max_i16,
    OP_v_pk_lshlrev_b16,
    OP_v_pk_lshrrev_b16,
    OP_v_pk_ashrrev_i16,
    OP_v_pk_mad_u16,
    OP_v_pk_mad_i16,
    OP_v_pk_add_f16,
    OP_v_pk_mul_f16,
    OP_v_pk_min_f16,
    OP_v_pk_max_f16,
    OP_v_pk_fma_f16,
    OP_v_pk_minimum3_f16,
    OP_v_pk_maximum3_f16,
    OP_v_pk_fmac_f16,
    OP_v_fma_mix_f32,
    OP_v_mad_mix_f32,
    OP_v_fma_mixlo_f16,
    OP_v_fma_mixhi_f16,
    OP_v_mad_mixlo_f16,
    OP_v_mad_mixhi_f16,
    OP_v_dot2_f32_f16,
    OP_v_dot2_f32_bf16,
    OP_v_dot2_i32_i16,
    OP_v_dot2_u32_u16,
    OP_v_dot4_i32_i8,
    OP_v_dot4_u32_u8,
    OP_v_dot8_i32_i4,
    OP_v_dot8_u32_u4,
    OP_v_dot2c_f32_f16,
    OP_v_dot2c_f32_bf16,
    OP_v_dot2c_i32_i16,
    OP_v_dot4c_i32_i8,
    OP_v_dot8c_i32_i4,
    OP_v_cmp_f_f16,
    OP_v_cmp_f_f32,
    OP_v_cmp_f_f64,
    OP_v_cmp_lt_f16,
    OP_v_cmp_lt_f32,
    OP_v_cmp_lt_f64,
    OP_v_cmp_eq_f16,
    OP_v_cmp_eq_f32,
    OP_v_cmp_eq_f64,
    OP_v_cmp_le_f16,
    OP_v_cmp_le_f32,
    OP_v_cmp_le_f64,
    OP_v_cmp_gt_f16,
    OP_v_cmp_gt_f32,
    OP_v_cmp_gt_f64,
    OP_v_cmp_lg_f16,
    OP_v_cmp_lg_f32,
    OP_v_cmp_lg_f64,
    OP_v_cmp_ge_f16,
    OP_v_cmp_ge_f32,
    OP_v_cmp_ge_f64,
    OP_v_cmp_o_f16,
    OP_v_cmp_o_f32,
    OP_v_cmp_o_f64,
    OP_v_cmp_u_f16,
    OP_v_cmp_u_f32,
    OP_v_cmp_u_f64,
    OP_v_cmp_nge_f16,
    OP_v_cmp_nge_f32,
    OP_v_cmp_nge_f64,
    OP_v_cmp_nlg_f16,
    OP_v_cmp_nlg_f32,
    OP_v_cmp_nlg_f64,
    OP_v_cmp_ngt_f16,
    OP_v_cmp_ngt_f32,
    OP_v_cmp_ngt_f64,
    OP_v_cmp_nle_f16,
    OP_v_cmp_nle_f32,
    OP_v_cmp_nle_f64,
    OP_v_cmp_neq_f16,
    OP_v_cmp_neq_f32,
    OP_v_cmp_neq_f64,
    OP_v_cmp_nlt_f16,
    OP_v_cmp_nlt_f32,
    OP_v_cmp_nlt_f64,
    OP_v_cmp_tru_f16,
    OP_v_cmp_tru_f32,
    OP_v_cmp_tru_f64,
    OP_v_cmp_f_i16,
    OP_v_cmp_f_u16,
    OP_v_cmp_f_i32,
    OP_v_cmp_f_u32,
    OP_v_cmp_f_i64,
    OP_v_cmp_f_u64,
    OP_v_cmp_lt_i16,
    OP_v_cmp_lt_u16,
    OP_v_cmp_lt_i32,
    OP_v_cmp_lt_u32,
    OP_v_cmp_lt_i64,
    OP_v_cmp_lt_u64,
    OP_v_cmp_eq_i16,
    OP_v_cmp_eq_u16,
    OP_v_cmp_eq_i32,
    OP_v_cmp_eq_u32,
    OP_v_cmp_eq_i64,
    OP_v_cmp_eq_u64,
    OP_v_cmp_le_i16,
    OP_v_cmp_le_u16,
    OP_v_cmp_le_i32,
    OP_v_cmp_le_u32,
    OP_v_cmp_le_i64,
    OP_v_cmp_le_u64,
    OP_v_cmp_gt_i16,
    OP_v_cmp_gt_u16,
    OP_v_cmp_gt_i32,
    OP_v_cmp_gt_u32,
    OP_v_cmp_gt_i64,
    OP_v_cmp_gt_u64,
    OP_v_cmp_ne_i16,
    OP_v_cmp_ne_u16,
    OP_v_cmp_ne_i32,
    OP_v_cmp_ne_u32,
    OP_v_cmp_ne_i64,
    OP_v_cmp_ne_u64,
    OP_v_cmp_ge_i16,
    OP_v_cmp_ge_u16,
    OP_v_cmp_ge_i32,
    OP_v_cmp_ge_u32,
    OP_v_cmp_ge_i64,
    OP_v_cmp_ge_u64,
    OP_v_cmp_t_i16,
    OP_v_cmp_t_u16,
    OP_v_cmp_t_i32,
    OP_v_cmp_t_u32,
    OP_v_cmp_t_i64,
    OP_v_cmp_t_u64,
    OP_v_cmp_class_f16,
    OP_v_cmp_class_f32,
    OP_v_cmp_class_f64,
    OP_v_cmpx_f_f16,
    OP_v_cmpx_f_f32,
    OP_v_cmpx_f_f64,
    OP_v_cmpx_lt_f16,
    OP_v_cmpx_lt_f32,
    OP_v_cmpx_lt_f64,
    OP_v_cmpx_eq_f16,
    OP_v_cmpx_eq_f32,
    OP_v_cmpx_eq_f64,
    OP_v_cmpx_le_f16,
    OP_v_cmpx_le_f32,
    OP_v_cmpx_le_f64,
    OP_v_cmpx_gt_f16,
    OP_v_cmpx_gt_f32,
    OP_v_cmpx_gt_f64,
    OP_v_cmpx_lg_f16,
    OP_v_cmpx_lg_f32,
    OP_v_cmpx_lg_f64,
    OP_v_cmpx_ge_f16,
    OP_v_cmpx_ge_f32,
    OP_v_cmpx_ge_f64,
    OP_v_cmpx_o_f16,
    OP_v_cmpx_o_f32,
    OP_v_cmpx_o_f64,
    OP_v_cmpx_u_f16,
    OP_v_cmpx_u_f32,
    OP_v_cmpx_u_f64,
    OP_v_cmpx_nge_f16,
    OP_v_cmpx_nge_f32,
    OP_v_cmpx_nge_f64,
    OP_v_cmpx_nlg_f16,
    OP_v_cmpx_nlg_f32,
    OP_v_cmpx_nlg_f64,
    OP_v_cmpx_ngt_f16,
    OP_v_cmpx_ngt_f32,
    OP_v_cmpx_ngt_f64,
    OP_v_cmpx_nle_f16,
    OP_v_cmpx_nle_f32,
    OP_v_cmpx_nle_f64,
    OP_v_cmpx_neq_f16,
    OP_v_cmpx_neq_f32,
    OP_v_cmpx_neq_f64,
    OP_v_cmpx_nlt_f16,
    OP_v_cmpx_nlt_f32,
    OP_v_cmpx_nlt_f64,
    OP_v_cmpx_tru_f16,
    OP_v_cmpx_tru_f32,
    OP_v_cmpx_tru_f64,
    OP_v_cmpx_f_i16,
    OP_v_cmpx_f_u16,
    OP_v_cmpx_f_i32,
    OP_v_cmpx_f_u32,
    OP_v_cmpx_f_i64,
    OP_v_cmpx_f_u64,
    OP_v_cmpx_lt_i16,
    OP_v_cmpx_lt_u16,
    OP_v_cmpx_lt_i32,
    OP_v_cmpx_lt_u32,
    OP_v_cmpx_lt_i64,
    OP_v_cmpx_lt_u64,
    OP_v_cmpx_eq_i16,
    OP_v_cmpx_eq_u16,
    OP_v_cmpx_eq_i32,
    OP_v_cmpx_eq_u32,
    OP_v_cmpx_eq_i64,
    OP_v_cmpx_eq_u64,
    OP_v_cmpx_le_i16,
    OP_v_cmpx_le_u16,
    OP_v_cmpx_le_i32,
    OP_v_cmpx_le_u32,
    OP_v_cmpx_le_i64,
    OP_v_cmpx_le_u64,
    OP_v_cmpx_gt_i16,
    OP_v_cmpx_gt_u16,
    OP_v_cmpx_gt_i32,
    OP_v_cmpx_gt_u32,
    OP_v_cmpx_gt_i64,
    OP_v_cmpx_gt_u64,
    OP_v_cmpx_ne_i16,
    OP_v_cmpx_ne_u16,
    OP_v_cmpx_ne_i32,
    OP_v_cmpx_ne_u32,
    OP_v_cmpx_ne_i64,
    OP_v_cmpx_ne_u64,
    OP_v_cmpx_ge_i16,
    OP_v_cmpx_ge_u16,
    OP_v_cmpx_ge_i32,
    OP_v_cmpx_ge_u32,
    OP_v_cmpx_ge_i64,
    OP_v_cmpx_ge_u64,
    OP_v_cmpx_t_i16,
    OP_v_cmpx_t_u16,
    OP_v_cmpx_t_i32,
    OP_v_cmpx_t_u32,
    OP_v_cmpx_t_i64,
    OP_v_cmpx_t_u64,
    OP_v_cmpx_class_f16,
    OP_v_cmpx_class_f32,
    OP_v_cmpx_class_f64,
    OP_v_mfma_f32_16x16x128_f8f6f4,
    OP_v_mfma_f32_32x32x64_f8f6f4,
    OP_v_mfma_scale_f32_16x16x128_f8f6f4,
    OP_v_mfma_scale_f32_32x32x64_f8f6f4,
    OP_v_mfma_f32_16x16x32_fp8_fp8,
    OP_v_mfma_f32_16x16x32_fp8_bf8,
    OP_v_mfma_f32_16x16x32_bf8_fp8,
    OP_v_mfma_f32_16x16x32_bf8_bf8,
    OP_v_mfma_f32_32x32x16_fp8_fp8,
    OP_v_mfma_f32_32x32x16_fp8_bf8,
    OP_v_mfma_f32_32x32x16_bf8_fp8,
    OP_v_mfma_f32_32x32x16_bf8_bf8,
    OP_v_mfma_f32_16x16x32_f16,
    OP_v_mfma_f32_16x16x32_bf16,
    OP_v_mfma_f32_32x32x16_f16,
    OP_v_mfma_f32_32x32x16_bf16,
    OP_v_mfma_f32_16x16x16_f16,
    OP_v_mfma_f32_16x16x16_bf16,
    OP_v_mfma_f32_32x32x8_f16,
    OP_v_mfma_f32_32x32x8_bf16,
    OP_v_mfma_f32_16x16x4_f32,
    OP_v_mfma_f32_32x32x2_f32,
    OP_v_mfma_i32_16x16x64_i8,
    OP_v_mfma_i32_32x32x32_i8,
    OP_v_mfma_i32_16x16x32_i8,
    OP_v_mfma_i32_32x32x16_i8,
    OP_ds_read_u8,
    OP_ds_read_i8,
    OP_ds_read_u16,
    OP_ds_read_i16,
    OP_ds_read_u8_d16,
    OP_ds_read_i8_d16,
    OP_ds_read_u16_d16,
    OP_ds_read_u8_d16_hi,
    OP_ds_read_i8_d16_hi,
    OP_ds_read_u16_d16_hi,
    OP_ds_read_b32,
    OP_ds_read_b64,
    OP_ds_read_b96,
    OP_ds_read_b128,
    OP_ds_read_b64_tr_b4,
    OP_ds_read_b64_tr_b8,
    OP_ds_read_b64_tr_b16,
    OP_ds_read_b96_tr_b6,
    OP_ds_read2_b32,
    OP_ds_read2st64_b32,
    OP_ds_read2_b64,
    OP_ds_read2st64_b64,
    OP_ds_write_b8,
    OP_ds_write_b16,
    OP_ds_write_b8_d16_hi,
    OP_ds_write_b16_d16_hi,
    OP_ds_write_b32,
    OP_ds_write_b64,
    OP_ds_write_b96,
    OP_ds_write_b128,
    OP_ds_write2_b32,
    OP_ds_write2st64_b32,
    OP_ds_write2_b64,
    OP_ds_write2st64_b64,
    OP_ds_add_u32,
    OP_ds_sub_u32,
    OP_ds_rsub_u32,
    OP_ds_min_u32,
    OP_ds_max_u32,
    OP_ds_inc_u32,
    OP_ds_dec_u32,
    OP_ds_min_i32,
    OP_ds_max_i32,
    OP_ds_and_b32,
    OP_ds_or_b32,
    OP_ds_xor_b32,
    OP_ds_add_f32,
    OP_ds_pk_add_f16,
    OP_ds_pk_add_bf16,
    OP_ds_add_rtn_u32,
    OP_ds_sub_rtn_u32,
    OP_ds_rsub_rtn_u32,
    OP_ds_min_rtn_u32,
    OP_ds_max_rtn_u32,
    OP_ds_inc_rtn_u32,
    OP_ds_dec_rtn_u32,
    OP_ds_min_rtn_i32,
    OP_ds_max_rtn_i32,
    OP_ds_and_rtn_b32,
    OP_ds_or_rtn_b32,
    OP_ds_xor_rtn_b32,
    OP_ds_add_rtn_f32,
    OP_ds_pk_add_rtn_f16,
    OP_ds_pk_add_rtn_bf16,
    OP_ds_wrxchg_rtn_b32,
    OP_ds_cmpst_rtn_b32,
    OP_ds_swizzle_b32,
    OP_ds_permute_b32,
    OP_ds_bpermute_b32,
    OP_ds_nop,
    OP_buffer_load_ubyte,
    OP_buffer_load_sbyte,
    OP_buffer_load_ushort,
    OP_buffer_load_sshort,
    OP_buffer_load_ubyte_d16,
    OP_buffer_load_sbyte_d16,
    OP_buffer_load_short_d16,
    OP_buffer_load_ubyte_d16_hi,
    OP_buffer_load_sbyte_d16_hi,
    OP_buffer_load_short_d16_hi,
    OP_buffer_load_dword,
    OP_buffer_load_dwordx2,
    OP_buffer_load_dwordx3,
    OP_buffer_load_dwordx4,
    OP_buffer_store_byte,
    OP_buffer_store_short,
    OP_buffer_store_byte_d16_hi,
    OP_buffer_store_short_d16_hi,
    OP_buffer_store_dword,
    OP_buffer_store_dwordx2,
    OP_buffer_store_dwordx3,
    OP_buffer_store_dwordx4,
    OP_buffer_atomic_add,
    OP_buffer_atomic_sub,
    OP_buffer_atomic_smin,
    OP_buffer_atomic_umin,
    OP_buffer_atomic_smax,
    OP_buffer_atomic_umax,
    OP_buffer_atomic_and,
    OP_buffer_atomic_or,
    OP_buffer_atomic_xor,
    OP_buffer_atomic_swap,
    OP_buffer_atomic_inc,
    OP_buffer_atomic_dec,
    OP_buffer_atomic_add_f32,
    OP_buffer_atomic_pk_add_f16,
    OP_buffer_atomic_pk_add_bf16,
    OP_buffer_atomic_add_f64,
    OP_buffer_wbl2,
    OP_buffer_inv,
    OP_buffer_wbinvl1,
    OP_buffer_wbinvl1_vol,
    OP_flat_load_ubyte,
    OP_flat_load_sbyte,
    OP_flat_load_ushort,
    OP_flat_load_sshort,
    OP_global_load_ubyte,
    OP_global_load_sbyte,
    OP_global_load_ushort,
    OP_global_load_sshort,
    OP_scratch_load_ubyte,
    OP_scratch_load_sbyte,
    OP_scratch_load_ushort,
    OP_scratch_load_sshort,
    OP_flat_load_ubyte_d16,
    OP_flat_load_sbyte_d16,
    OP_flat_load_short_d16,
    OP_global_load_ubyte_d16,
    OP_global_load_sbyte_d16,
    OP_global_load_short_d16,
    OP_scratch_load_ubyte_d16,
    OP_scratch_load_sbyte_d16,
    OP_scratch_load_short_d16,
    OP_flat_load_ubyte_d16_hi,
    OP_flat_load_sbyte_d16_hi,
    OP_flat_load_short_d16_hi,
    OP_global_load_ubyte_d16_hi,
    OP_global_load_sbyte_d16_hi,
    OP_global_load_short_d16_hi,
    OP_scratch_load_ubyte_d16_hi,
    OP_scratch_load_sbyte_d16_hi,
    OP_scratch_load_short_d16_hi,
    OP_flat_load_dword,
    OP_global_load_dword,
    OP_scratch_load_dword,
    OP_flat_load_dwordx2,
    OP_global_load_dwordx2,
    OP_scratch_load_dwordx2,
    OP_flat_load_dwordx3,
    OP_global_load_dwordx3,
    OP_scratch_load_dwordx3,
    OP_flat_load_dwordx4,
    OP_global_load_dwordx4,
    OP_scratch_load_dwordx4,
    OP_global_load_lds_ubyte,
    OP_global_load_lds_sbyte,
    OP_global_load_lds_ushort,
    OP_global_load_lds_sshort,
    OP_global_load_lds_dword,
    OP_global_load_lds_dwordx3,
    OP_global_load_lds_dwordx4,
    OP_flat_store_byte,
    OP_flat_store_short,
    OP_global_store_byte,
    OP_global_store_short,
    OP_scratch_store_byte,
    OP_scratch_store_short,
    OP_flat_store_byte_d16_hi,
    OP_flat_store_short_d16_hi,
    OP_global_store_byte_d16_hi,
    OP_global_store_short_d16_hi,
    OP_scratch_store_byte_d16_hi,
    OP_scratch_store_short_d16_hi,
    OP_flat_store_dword,
    OP_global_store_dword,
    OP_scratch_store_dword,
    OP_flat_store_dwordx2,
    OP_global_store_dwordx2,
    OP_scratch_store_dwordx2,
    OP_flat_store_dwordx3,
    OP_global_store_dwordx3,
    OP_scratch_store_dwordx3,
    OP_flat_store_dwordx4,
    OP_global_store_dwordx4,
    OP_scratch_store_dwordx4,
    OP_flat_atomic_add,
    OP_flat_atomic_sub,
    OP_flat_atomic_smin,
    OP_flat_atomic_umin,
    OP_flat_atomic_smax,
    OP_flat_atomic_umax,
    OP_flat_atomic_and,
    OP_flat_atomic_or,
    OP_flat_atomic_xor,
    OP_flat_atomic_swap,
    OP_flat_atomic_inc,
    OP_flat_atomic_dec,
    OP_global_atomic_add,
    OP_global_atomic_sub,
    OP_global_atomic_smin,
    OP_global_atomic_umin,
    OP_global_atomic_smax,
    OP_global_atomic_umax,
    OP_global_atomic_and,
    OP_global_atomic_or,
    OP_global_atomic_xor,
    OP_global_atomic_swap,
    OP_global_atomic_inc,
    OP_global_atomic_dec,
    OP_flat_atomic_add_f32,
    OP_flat_atomic_pk_add_f16,
    OP_flat_atomic_pk_add_bf16,
    OP_global_atomic_add_f32,
    OP_global_atomic_pk_add_f16,
    OP_global_atomic_pk_add_bf16,
    OP_flat_atomic_add_f64,
    OP_global_atomic_add_f64,
    OP_flat_atomic_cmpswap,
    OP_global_atomic_cmpswap,
    OP_flat_atomic_add_x2,
    OP_global_atomic_add_x2,
    OPCODE_COUNT
};
#define OPCODE_NAMES \
    "s_mov_b32", \
    "s_mov_b64", \
    "s_cmov_b32", \
    "s_cmov_b64", \
    "s_not_b32", \
    "s_not_b64", \
    "s_brev_b32", \
    "s_brev_b64", \
    "s_wqm_b32", \
    "s_wqm_b64", \
    "s_quadmask_b32", \
    "s_quadmask_b64", \
    "s_bcnt0_i32_b32", \
    "s_bcnt0_i32_b64", \
    "s_bcnt1_i32_b32", \
    "s_bcnt1_i32_b64", \
    "s_ff0_i32_b32", \
    "s_ff0_i32_b64", \
    "s_ff1_i32_b32", \
    "s_ff1_i32_b64", \
    "s_flbit_i32_b32", \
    "s_flbit_i32_b64", \
    "s_flbit_i32", \
    "s_flbit_i32_i64", \
    "s_sext_i32_i8", \
    "s_sext_i32_i16", \
    "s_bitset0_b32", \
    "s_bitset1_b32", \
    "s_bitset0_b64", \
    "s_bitset1_b64", \
    "s_abs_i32", \
    "s_bitreplicate_b64_b32", \
    "s_and_saveexec_b64", \
    "s_or_saveexec_b64", \
    "s_xor_saveexec_b64", \
    "s_andn2_saveexec_b64", \
    "s_orn2_saveexec_b64", \
    "s_nand_saveexec_b64", \
    "s_nor_saveexec_b64", \
    "s_xnor_saveexec_b64", \
    "s_andn1_saveexec_b64", \
    "s_orn1_saveexec_b64", \
    "s_andn1_wrexec_b64", \
    "s_andn2_wrexec_b64", \
    "s_add_u32", \
    "s_add_i32", \
    "s_sub_u32", \
    "s_sub_i32", \
    "s_addc_u32", \
    "s_subb_u32", \
    "s_min_u32", \
    "s_min_i32", \
    "s_max_u32", \
    "s_max_i32", \
    "s_cselect_b32", \
    "s_cselect_b64", \
    "s_and_b32", \
    "s_and_b64", \
    "s_or_b32", \
    "s_or_b64", \
    "s_xor_b32", \
    "s_xor_b64", \
    "s_andn2_b32", \
    "s_andn2_b64", \
    "s_orn2_b32", \
    "s_orn2_b64", \
    "s_nand_b32", \
    "s_nand_b64", \
    "s_nor_b32", \
    "s_nor_b64", \
    "s_xnor_b32", \
    "s_xnor_b64", \
    "s_lshl_b32", \
    "s_lshl_b64", \
    "s_lshr_b32", \
    "s_lshr_b64", \
    "s_ashr_i32", \
    "s_ashr_i64", \
    "s_bfm_b32", \
    "s_bfm_b64", \
    "s_bfe_u32", \
    "s_bfe_i32", \
    "s_bfe_u64", \
    "s_bfe_i64", \
    "s_mul_i32", \
    "s_mul_hi_u32", \
    "s_mul_hi_i32", \
    "s_absdiff_i32", \
    "s_lshl1_add_u32", \
    "s_lshl2_add_u32", \
    "s_lshl3_add_u32", \
    "s_lshl4_add_u32", \
    "s_pack_ll_b32_b16", \
    "s_pack_lh_b32_b16", \
    "s_pack_hh_b32_b16", \
    "s_cmp_eq_i32", \
    "s_cmp_eq_u32", \
    "s_cmp_lg_i32", \
    "s_cmp_lg_u32", \
    "s_cmp_gt_i32", \
    "s_cmp_gt_u32", \
    "s_cmp_ge_i32", \
    "s_cmp_ge_u32", \
    "s_cmp_lt_i32", \
    "s_cmp_lt_u32", \
    "s_cmp_le_i32", \
    "s_cmp_le_u32", \
    "s_cmp_eq_u64", \
    "s_cmp_lg_u64", \
    "s_bitcmp0_b32", \
    "s_bitcmp0_b64", \
    "s_bitcmp1_b32", \
    "s_bitcmp1_b64", \
    "s_movk_i32", \
    "s_cmovk_i32", \
    "s_cmpk_eq_i32", \
    "s_cmpk_lg_i32", \
    "s_cmpk_gt_i32", \
    "s_cmpk_ge_i32", \
    "s_cmpk_lt_i32", \
    "s_cmpk_le_i32", \
    "s_cmpk_eq_u32", \
    "s_cmpk_lg_u32", \
    "s_cmpk_gt_u32", \
    "s_cmpk_ge_u32", \
    "s_cmpk_lt_u32", \
    "s_cmpk_le_u32", \
    "s_addk_i32", \
    "s_mulk_i32", \
    "s_getreg_b32", \
    "s_setreg_b32", \
    "s_setreg_imm32_b32", \
    "s_setvskip", \
    "s_getpc_b64", \
    "s_setpc_b64", \
    "s_swappc_b64", \
    "s_call_b64", \
    "s_nop", \
    "s_sleep", \
    "s_setprio", \
    "s_incperflevel", \
    "s_decperflevel", \
    "s_trap", \
    "s_sethalt", \
    "s_set_gpr_idx_on", \
    "s_set_gpr_idx_mode", \
    "s_set_gpr_idx_idx", \
    "s_set_gpr_idx_off", \
    "s_endpgm", \
    "s_branch", \
    "s_cbranch_scc0", \
    "s_cbranch_scc1", \
    "s_cbranch_vccz", \
    "s_cbranch_vccnz", \
    "s_cbranch_execz", \
    "s_cbranch_execnz", \
    "s_barrier", \
    "s_waitcnt", \
    "s_sendmsg", \
    "s_icache_inv", \
    "s_ttracedata", \
    "s_wakeup", \
    "s_clause", \
    "s_load_dword", \
    "s_load_dwordx2", \
    "s_load_dwordx4", \
    "s_load_dwordx8", \
    "s_load_dwordx16", \
    "s_buffer_load_dword", \
    "s_buffer_load_dwordx2", \
    "s_buffer_load_dwordx4", \
    "s_buffer_load_dwordx8", \
    "s_buffer_load_dwordx16", \
    "s_store_dword", \
    "s_store_dwordx2", \
    "s_store_dwordx4", \
    "s_atomic_add", \
    "s_atomic_sub", \
    "s_atomic_smin", \
    "s_atomic_umin", \
    "s_atomic_smax", \
    "s_atomic_umax", \
    "s_atomic_and", \
    "s_atomic_or", \
    "s_atomic_xor", \
    "s_atomic_swap", \
    "s_atomic_inc", \
    "s_atomic_dec", \
    "s_memtime", \
    "s_memrealtime", \
    "s_dcache_inv", \
    "s_dcache_wb", \
    "s_dcache_inv_vol", \
    "s_dcache_wb_vol", \
    "v_nop", \
    "v_mov_b32", \
    "v_mov_b64", \
    "v_accvgpr_read_b32", \
    "v_accvgpr_write_b32", \
    "v_accvgpr_mov_b32", \
    "v_swap_b32", \
    "v_permlane16_swap_b32", \
    "v_permlane32_swap_b32", \
    "v_readfirstlane_b32", \
    "v_readlane_b32", \
    "v_writelane_b32", \
    "v_cndmask_b32", \
    "v_not_b32", \
    "v_bfrev_b32", \
    "v_ffbh_u32", \
    "v_ffbh_i32", \
    "v_ffbl_b32", \
    "v_prng_b32", \
    "v_sat_pk_u8_i16", \
    "v_cvt_f32_i32", \
    "v_cvt_f32_u32", \
    "v_cvt_f64_i32", \
    "v_cvt_f64_u32", \
    "v_cvt_i32_f32", \
    "v_cvt_i32_f64", \
    "v_cvt_u32_f32", \
    "v_cvt_u32_f64", \
    "v_cvt_rpi_i32_f32", \
    "v_cvt_flr_i32_f32", \
    "v_cvt_f32_ubyte0", \
    "v_cvt_f32_ubyte1", \
    "v_cvt_f32_ubyte2", \
    "v_cvt_f32_ubyte3", \
    "v_cvt_off_f32_i4", \
    "v_cvt_f32_f64", \
    "v_cvt_f64_f32", \
    "v_cvt_f16_f32", \
    "v_cvt_f32_f16", \
    "v_cvt_f16_u16", \
    "v_cvt_f16_i16", \
    "v_cvt_u16_f16", \
    "v_cvt_i16_f16", \
    "v_cvt_f32_bf16", \
    "v_cvt_f32_fp8", \
    "v_cvt_f32_bf8", \
    "v_cvt_pk_f32_fp8", \
    "v_cvt_pk_f32_bf8", \
    "v_trunc_f32", \
    "v_trunc_f64", \
    "v_trunc_f16", \
    "v_ceil_f32", \
    "v_ceil_f64", \
    "v_ceil_f16", \
    "v_rndne_f32", \
    "v_rndne_f64", \
    "v_rndne_f16", \
    "v_floor_f32", \
    "v_floor_f64", \
    "v_floor_f16", \
    "v_fract_f32", \
    "v_fract_f64", \
    "v_fract_f16", \
    "v_exp_f32", \
    "v_log_f32", \
    "v_rcp_f32", \
    "v_rcp_iflag_f32", \
    "v_rsq_f32", \
    "v_sqrt_f32", \
    "v_sin_f32", \
    "v_cos_f32", \
    "v_exp_legacy_f32", \
    "v_log_legacy_f32", \
    "v_rcp_f64", \
    "v_rsq_f64", \
    "v_sqrt_f64", \
    "v_exp_f16", \
    "v_log_f16", \
    "v_rcp_f16", \
    "v_rsq_f16", \
    "v_sqrt_f16", \
    "v_sin_f16", \
    "v_cos_f16", \
    "v_frexp_exp_i32_f32", \
    "v_frexp_exp_i32_f64", \
    "v_frexp_mant_f32", \
    "v_frexp_mant_f64", \
    "v_frexp_mant_f16", \
    "v_frexp_exp_i16_f16", \
    "v_add_f32", \
    "v_sub_f32", \
    "v_subrev_f32", \
    "v_mul_f32", \
    "v_min_f32", \
    "v_max_f32", \
    "v_mul_legacy_f32", \
    "v_mac_f32", \
    "v_fmac_f32", \
    "v_fmac_f64", \
    "v_fmac_f16", \
    "v_fmamk_f32", \
    "v_fmaak_f32", \
    "v_mul_i32_i24", \
    "v_mul_hi_i32_i24", \
    "v_mul_u32_u24", \
    "v_mul_hi_u32_u24", \
    "v_min_i32", \
    "v_min_u32", \
    "v_max_i32", \
    "v_max_u32", \
    "v_lshrrev_b32", \
    "v_lshlrev_b32", \
    "v_and_b32", \
    "v_or_b32", \
    "v_xor_b32", \
    "v_xnor_b32", \
    "v_ashrrev_i32", \
    "v_lshrrev_b64", \
    "v_lshlrev_b64", \
    "v_ashrrev_i64", \
    "v_add_u32", \
    "v_sub_u32", \
    "v_subrev_u32", \
    "v_add_i32", \
    "v_sub_i32", \
    "v_add_co_u32", \
    "v_sub_co_u32", \
    "v_subrev_co_u32", \
    "v_addc_co_u32", \
    "v_subb_co_u32", \
    "v_subbrev_co_u32", \
    "v_add_f16", \
    "v_sub_f16", \
    "v_subrev_f16", \
    "v_mul_f16", \
    "v_min_f16", \
    "v_max_f16", \
    "v_ldexp_f16", \
    "v_add_u16", \
    "v_sub_u16", \
    "v_subrev_u16", \
    "v_mul_lo_u16", \
    "v_min_u16", \
    "v_min_i16", \
    "v_max_u16", \
    "v_max_i16", \
    "v_lshlrev_b16", \
    "v_lshrrev_b16", \
    "v_ashrrev_i16", \
    "v_add_i16", \
    "v_sub_i16", \
    "v_mad_f32", \
    "v_fma_f32", \
    "v_mad_legacy_f32", \
    "v_fma_f64", \
    "v_fma_f16", \
    "v_mad_f16", \
    "v_mad_u16", \
    "v_mad_i16", \
    "v_mad_i32_i24", \
    "v_mad_u32_u24", \
    "v_mad_u32_u16", \
    "v_mad_i32_i16", \
    "v_mad_u64_u32", \
    "v_mad_i64_i32", \
    "v_bfe_u32", \
    "v_bfe_i32", \
    "v_bfi_b32", \
    "v_alignbit_b32", \
    "v_alignbyte_b32", \
    "v_min3_f32", \
    "v_max3_f32", \
    "v_med3_f32", \
    "v_min3_i32", \
    "v_min3_u32", \
    "v_max3_i32", \
    "v_max3_u32", \
    "v_med3_i32", \
    "v_med3_u32", \
    "v_min3_f16", \
    "v_max3_f16", \
    "v_med3_f16", \
    "v_min3_i16", \
    "v_min3_u16", \
    "v_max3_i16", \
    "v_max3_u16", \
    "v_med3_i16", \
    "v_med3_u16", \
    "v_minimum3_f32", \
    "v_maximum3_f32", \
    "v_sad_u8", \
    "v_sad_u16", \
    "v_sad_u32", \
    "v_sad_hi_u8", \
    "v_msad_u8", \
    "v_lerp_u8", \
    "v_cvt_pk_u8_f32", \
    "v_div_scale_f32", \
    "v_div_scale_f64", \
    "v_div_fmas_f32", \
    "v_div_fmas_f64", \
    "v_div_fixup_f32", \
    "v_div_fixup_f64", \
    "v_add3_u32", \
    "v_lshl_add_u32", \
    "v_add_lshl_u32", \
    "v_xad_u32", \
    "v_lshl_add_u64", \
    "v_lshl_or_b32", \
    "v_and_or_b32", \
    "v_or3_b32", \
    "v_perm_b32", \
    "v_bitop3_b32", \
    "v_bitop3_b16", \
    "v_mul_lo_u32", \
    "v_mul_hi_u32", \
    "v_mul_hi_i32", \
    "v_ldexp_f32", \
    "v_ldexp_f64", \
    "v_add_f64", \
    "v_mul_f64", \
    "v_min_f64", \
    "v_max_f64", \
    "v_bcnt_u32_b32", \
    "v_mbcnt_lo_u32_b32", \
    "v_mbcnt_hi_u32_b32", \
    "v_bfm_b32", \
    "v_cvt_pk_bf16_f32", \
    "v_cvt_pk_f16_f32", \
    "v_cvt_pkrtz_f16_f32", \
    "v_cvt_pk_u16_u32", \
    "v_cvt_pk_i16_i32", \
    "v_cvt_pknorm_i16_f32", \
    "v_cvt_pknorm_u16_f32", \
    "v_cvt_pk_fp8_f32", \
    "v_cvt_pk_bf8_f32", \
    "v_cvt_sr_fp8_f32", \
    "v_cvt_sr_bf8_f32", \
    "v_cvt_scalef32_pk_fp4_f32", \
    "v_pack_b32_f16", \
    "v_ashr_pk_i8_i32", \
    "v_ashr_pk_u8_i32", \
    "v_pk_mul_f32", \
    "v_pk_add_f32", \
    "v_pk_fma_f32", \
    "v_pk_mov_b32", \
    "v_pk_mul_lo_u16", \
    "v_pk_add_u16", \
    "v_pk_sub_u16", \
    "v_pk_min_u16", \
    "v_pk_max_u16", \
    "v_pk_add_i16", \
    "v_pk_sub_i16", \
    "v_pk_min_i16", \
    "v_pk_max_i16", \
    "v_pk_lshlrev_b16", \
    "v_pk_lshrrev_b16", \
    "v_pk_ashrrev_i16", \
    "v_pk_mad_u16", \
    "v_pk_mad_i16", \
    "v_pk_add_f16", \
    "v_pk_mul_f16", \
    "v_pk_min_f16", \
    "v_pk_max_f16", \
    "v_pk_fma_f16", \
    "v_pk_minimum3_f16", \
    "v_pk_maximum3_f16", \
    "v_pk_fmac_f16", \
    "v_fma_mix_f32", \
    "v_mad_mix_f32", \
    "v_fma_mixlo_f16", \
    "v_fma_mixhi_f16", \
    "v_mad_mixlo_f16", \
    "v_mad_mixhi_f16", \
    "v_dot2_f32_f16", \
    "v_dot2_f32_bf16", \
    "v_dot2_i32_i16", \
    "v_dot2_u32_u16", \
    "v_dot4_i32_i8", \
    "v_dot4_u32_u8", \
    "v_dot8_i32_i4", \
    "v_dot8_u32_u4", \
    "v_dot2c_f32_f16", \
    "v_dot2c_f32_bf16", \
    "v_dot2c_i32_i16", \
    "v_dot4c_i32_i8", \
    "v_dot8c_i32_i4", \
    "v_cmp_f_f16", \
    "v_cmp_f_f32", \
    "v_cmp_f_f64", \
    "v_cmp_lt_f16", \
    "v_cmp_lt_f32", \
    "v_cmp_lt_f64", \
    "v_cmp_eq_f16", \
    "v_cmp_eq_f32", \
    "v_cmp_eq_f64", \
    "v_cmp_le_f16", \
    "v_cmp_le_f32", \
    "v_cmp_le_f64", \
    "v_cmp_gt_f16", \
    "v_cmp_gt_f32", \
    "v_cmp_gt_f64", \
    "v_cmp_lg_f16", \
    "v_cmp_lg_f32", \
    "v_cmp_lg_f64", \
    "v_cmp_ge_f16", \
    "v_cmp_ge_f32", \
    "v_cmp_ge_f64", \
    "v_cmp_o_f16", \
    "v_cmp_o_f32", \
    "v_cmp_o_f64", \
    "v_cmp_u_f16", \
    "v_cmp_u_f32", \
    "v_cmp_u_f64", \
    "v_cmp_nge_f16", \
    "v_cmp_nge_f32", \
    "v_cmp_nge_f64", \
    "v_cmp_nlg_f16", \
    "v_cmp_nlg_f32", \
    "v_cmp_nlg_f64", \
    "v_cmp_ngt_f16", \
    "v_cmp_ngt_f32", \
    "v_cmp_ngt_f64", \
    "v_cmp_nle_f16", \
    "v_cmp_nle_f32", \
    "v_cmp_nle_f64", \
    "v_cmp_neq_f16", \
    "v_cmp_neq_f32", \
    "v_cmp_neq_f64", \
    "v_cmp_nlt_f16", \
    "v_cmp_nlt_f32", \
    "v_cmp_nlt_f64", \
    "v_cmp_tru_f16", \
    "v_cmp_tru_f32", \
    "v_cmp_tru_f64", \
    "v_cmp_f_i16", \
    "v_cmp_f_u16", \
    "v_cmp_f_i32", \
    "v_cmp_f_u32", \
    "v_cmp_f_i64", \
    "v_cmp_f_u64", \
    "v_cmp_lt_i16", \
    "v_cmp_lt_u16", \
    "v_cmp_lt_i32", \
    "v_cmp_lt_u32", \
    "v_cmp_lt_i64", \
    "v_cmp_lt_u64", \
    "v_cmp_eq_i16", \
    "v_cmp_eq_u16", \
    "v_cmp_eq_i32", \
    "v_cmp_eq_u32", \
    "v_cmp_eq_i64", \
    "v_cmp_eq_u64", \
    "v_cmp_le_i16", \
    "v_cmp_le_u16", \
    "v_cmp_le_i32", \
    "v_cmp_le_u32", \
    "v_cmp_le_i64", \
    "v_cmp_le_u64", \
    "v_cmp_gt_i16", \
    "v_cmp_gt_u16", \
    "v_cmp_gt_i32", \
    "v_cmp_gt_u32", \
    "v_cmp_gt_i64", \
    "v_cmp_gt_u64", \
    "v_cmp_ne_i16", \
    "v_cmp_ne_u16", \
    "v_cmp_ne_i32", \
    "v_cmp_ne_u32", \
    "v_cmp_ne_i64", \
    "v_cmp_ne_u64", \
    "v_cmp_ge_i16", \
    "v_cmp_ge_u16", \
    "v_cmp_ge_i32", \
    "v_cmp_ge_u32", \
    "v_cmp_ge_i64", \
    "v_cmp_ge_u64", \
    "v_cmp_t_i16", \
    "v_cmp_t_u16", \
    "v_cmp_t_i32", \
    "v_cmp_t_u32", \
    "v_cmp_t_i64", \
    "v_cmp_t_u64", \
    "v_cmp_class_f16", \
    "v_cmp_class_f32", \
    "v_cmp_class_f64", \
    "v_cmpx_f_f16", \
    "v_cmpx_f_f32", \
    "v_cmpx_f_f64", \
    "v_cmpx_lt_f16", \
    "v_cmpx_lt_f32", \
    "v_cmpx_lt_f64", \
    "v_cmpx_eq_f16", \
    "v_cmpx_eq_f32", \
    "v_cmpx_eq_f64", \
    "v_cmpx_le_f16", \
    "v_cmpx_le_f32", \
    "v_cmpx_le_f64", \
    "v_cmpx_gt_f16", \
    "v_cmpx_gt_f32", \
    "v_cmpx_gt_f64", \
    "v_cmpx_lg_f16", \
    "v_cmpx_lg_f32", \
    "v_cmpx_lg_f64", \
    "v_cmpx_ge_f16", \
    "v_cmpx_ge_f32", \
    "v_cmpx_ge_f64", \
    "v_cmpx_o_f16", \
    "v_cmpx_o_f32", \
    "v_cmpx_o_f64", \
    "v_cmpx_u_f16", \
    "v_cmpx_u_f32", \
    "v_cmpx_u_f64", \
    "v_cmpx_nge_f16", \
    "v_cmpx_nge_f32", \
    "v_cmpx_nge_f64", \
    "v_cmpx_nlg_f16", \
    "v_cmpx_nlg_f32", \
    "v_cmpx_nlg_f64", \
    "v_cmpx_ngt_f16", \
    "v_cmpx_ngt_f32", \
    "v_cmpx_ngt_f64", \
    "v_cmpx_nle_f16", \
    "v_cmpx_nle_f32", \
    "v_cmpx_nle_f64", \
    "v_cmpx_neq_f16", \
    "v_cmpx_neq_f32", \
    "v_cmpx_neq_f64", \
    "v_cmpx_nlt_f16", \
    "v_cmpx_nlt_f32", \
    "v_cmpx_nlt_f64", \
    "v_cmpx_tru_f16", \
    "v_cmpx_tru_f32", \
    "v_cmpx_tru_f64", \
    "v_cmpx_f_i16", \
    "v_cmpx_f_u16", \
    "v_cmpx_f_i32", \
    "v_cmpx_f_u32", \
    "v_cmpx_f_i64", \
    "v_cmpx_f_u64", \
    "v_cmpx_lt_i16", \
    "v_cmpx_lt_u16", \
    "v_cmpx_lt_i32", \
    "v_cmpx_lt_u32", \
    "v_cmpx_lt_i64", \
    "v_cmpx_lt_u64", \
    "v_cmpx_eq_i16", \
    "v_cmpx_eq_u16", \
    "v_cmpx_eq_i32", \
    "v_cmpx_eq_u32", \
    "v_cmpx_eq_i64", \
    "v_cmpx_eq_u64", \
    "v_cmpx_le_i16", \
    "v_cmpx_le_u16", \
    "v_cmpx_le_i32", \
    "v_cmpx_le_u32", \
    "v_cmpx_le_i64", \
    "v_cmpx_le_u64", \
    "v_cmpx_gt_i16", \
    "v_cmpx_gt_u16", \
    "v_cmpx_gt_i32", \
    "v_cmpx_gt_u32", \
    "v_cmpx_gt_i64", \
    "v_cmpx_gt_u64", \
    "v_cmpx_ne_i16", \
    "v_cmpx_ne_u16", \
    "v_cmpx_ne_i32", \
    "v_cmpx_ne_u32", \
    "v_cmpx_ne_i64", \
    "v_cmpx_ne_u64", \
    "v_cmpx_ge_i16", \
    "v_cmpx_ge_u16", \
    "v_cmpx_ge_i32", \
    "v_cmpx_ge_u32", \
    "v_cmpx_ge_i64", \
    "v_cmpx_ge_u64", \
    "v_cmpx_t_i16", \
    "v_cmpx_t_u16", \
    "v_cmpx_t_i32", \
    "v_cmpx_t_u32", \
    "v_cmpx_t_i64", \
    "v_cmpx_t_u64", \
    "v_cmpx_class_f16", \
    "v_cmpx_class_f32", \
    "v_cmpx_class_f64", \
    "v_mfma_f32_16x16x128_f8f6f4", \
    "v_mfma_f32_32x32x64_f8f6f4", \
    "v_mfma_scale_f32_16x16x128_f8f6f4", \
    "v_mfma_scale_f32_32x32x64_f8f6f4", \
    "v_mfma_f32_16x16x32_fp8_fp8", \
    "v_mfma_f32_16x16x32_fp8_bf8", \
    "v_mfma_f32_16x16x32_bf8_fp8", \
    "v_mfma_f32_16x16x32_bf8_bf8", \
    "v_mfma_f32_32x32x16_fp8_fp8", \
    "v_mfma_f32_32x32x16_fp8_bf8", \
    "v_mfma_f32_32x32x16_bf8_fp8", \
    "v_mfma_f32_32x32x16_bf8_bf8", \
    "v_mfma_f32_16x16x32_f16", \
    "v_mfma_f32_16x16x32_bf16", \
    "v_mfma_f32_32x32x16_f16", \
    "v_mfma_f32_32x32x16_bf16", \
    "v_mfma_f32_16x16x16_f16", \
    "v_mfma_f32_16x16x16_bf16", \
    "v_mfma_f32_32x32x8_f16", \
    "v_mfma_f32_32x32x8_bf16", \
    "v_mfma_f32_16x16x4_f32", \
    "v_mfma_f32_32x32x2_f32", \
    "v_mfma_i32_16x16x64_i8", \
    "v_mfma_i32_32x32x32_i8", \
    "v_mfma_i32_16x16x32_i8", \
    "v_mfma_i32_32x32x16_i8", \
    "ds_read_u8", \
    "ds_read_i8", \
    "ds_read_u16", \
    "ds_read_i16", \
    "ds_read_u8_d16", \
    "ds_read_i8_d16", \
    "ds_read_u16_d16", \
    "ds_read_u8_d16_hi", \
    "ds_read_i8_d16_hi", \
    "ds_read_u16_d16_hi", \
    "ds_read_b32", \
    "ds_read_b64", \
    "ds_read_b96", \
    "ds_read_b128", \
    "ds_read_b64_tr_b4", \
    "ds_read_b64_tr_b8", \
    "ds_read_b64_tr_b16", \
    "ds_read_b96_tr_b6", \
    "ds_read2_b32", \
    "ds_read2st64_b32", \
    "ds_read2_b64", \
    "ds_read2st64_b64", \
    "ds_write_b8", \
    "ds_write_b16", \
    "ds_write_b8_d16_hi", \
    "ds_write_b16_d16_hi", \
    "ds_write_b32", \
    "ds_write_b64", \
    "ds_write_b96", \
    "ds_write_b128", \
    "ds_write2_b32", \
    "ds_write2st64_b32", \
    "ds_write2_b64", \
    "ds_write2st64_b64", \
    "ds_add_u32", \
    "ds_sub_u32", \
    "ds_rsub_u32", \
    "ds_min_u32", \
    "ds_max_u32", \
    "ds_inc_u32", \
    "ds_dec_u32", \
    "ds_min_i32", \
    "ds_max_i32", \
    "ds_and_b32", \
    "ds_or_b32", \
    "ds_xor_b32", \
    "ds_add_f32", \
    "ds_pk_add_f16", \
    "ds_pk_add_bf16", \
    "ds_add_rtn_u32", \
    "ds_sub_rtn_u32", \
    "ds_rsub_rtn_u32", \
    "ds_min_rtn_u32", \
    "ds_max_rtn_u32", \
    "ds_inc_rtn_u32", \
    "ds_dec_rtn_u32", \
    "ds_min_rtn_i32", \
    "ds_max_rtn_i32", \
    "ds_and_rtn_b32", \
    "ds_or_rtn_b32", \
    "ds_xor_rtn_b32", \
    "ds_add_rtn_f32", \
    "ds_pk_add_rtn_f16", \
    "ds_pk_add_rtn_bf16", \
    "ds_wrxchg_rtn_b32", \
    "ds_cmpst_rtn_b32", \
    "ds_swizzle_b32", \
    "ds_permute_b32", \
    "ds_bpermute_b32", \
    "ds_nop", \
    "buffer_load_ubyte", \
    "buffer_load_sbyte", \
    "buffer_load_ushort", \
    "buffer_load_sshort", \
    "buffer_load_ubyte_d16", \
    "buffer_load_sbyte_d16", \
    "buffer_load_short_d16", \
    "buffer_load_ubyte_d16_hi", \
    "buffer_load_sbyte_d16_hi", \
    "buffer_load_short_d16_hi", \
    "buffer_load_dword", \
    "buffer_load_dwordx2", \
    "buffer_load_dwordx3", \
    "buffer_load_dwordx4", \
    "buffer_store_byte", \
    "buffer_store_short", \
    "buffer_store_byte_d16_hi", \
    "buffer_store_short_d16_hi", \
    "buffer_store_dword", \
    "buffer_store_dwordx2", \
    "buffer_store_dwordx3", \
    "buffer_store_dwordx4", \
    "buffer_atomic_add", \
    "buffer_atomic_sub", \
    "buffer_atomic_smin", \
    "buffer_atomic_umin", \
    "buffer_atomic_smax", \
    "buffer_atomic_umax", \
    "buffer_atomic_and", \
    "buffer_atomic_or", \
    "buffer_atomic_xor", \
    "buffer_atomic_swap", \
    "buffer_atomic_inc", \
    "buffer_atomic_dec", \
    "buffer_atomic_add_f32", \
    "buffer_atomic_pk_add_f16", \
    "buffer_atomic_pk_add_bf16", \
    "buffer_atomic_add_f64", \
    "buffer_wbl2", \
    "buffer_inv", \
    "buffer_wbinvl1", \
    "buffer_wbinvl1_vol", \
    "flat_load_ubyte", \
    "flat_load_sbyte", \
    "flat_load_ushort", \
    "flat_load_sshort", \
    "global_load_ubyte", \
    "global_load_sbyte", \
    "global_load_ushort", \
    "global_load_sshort", \
    "scratch_load_ubyte", \
    "scratch_load_sbyte", \
    "scratch_load_ushort", \
    "scratch_load_sshort", \
    "flat_load_ubyte_d16", \
    "flat_load_sbyte_d16", \
    "flat_load_short_d16", \
    "global_load_ubyte_d16", \
    "global_load_sbyte_d16", \
    "global_load_short_d16", \
    "scratch_load_ubyte_d16", \
    "scratch_load_sbyte_d16", \
    "scratch_load_short_d16", \
    "flat_load_ubyte_d16_hi", \
    "flat_load_sbyte_d16_hi", \
    "flat_load_short_d16_hi", \
    "global_load_ubyte_d16_hi", \
    "global_load_sbyte_d16_hi", \
    "global_load_short_d16_hi", \
    "scratch_load_ubyte_d16_hi", \
    "scratch_load_sbyte_d16_hi", \
    "scratch_load_short_d16_hi", \
    "flat_load_dword", \
    "global_load_dword", \
    "scratch_load_dword", \
    "flat_load_dwordx2", \
    "global_load_dwordx2", \
    "scratch_load_dwordx2", \
    "flat_load_dwordx3", \
    "global_load_dwordx3", \
    "scratch_load_dwordx3", \
    "flat_load_dwordx4", \
    "global_load_dwordx4", \
    "scratch_load_dwordx4", \
    "global_load_lds_ubyte", \
    "global_load_lds_sbyte", \
    "global_load_lds_ushort", \
    "global_load_lds_sshort", \
    "global_load_lds_dword", \
    "global_load_lds_dwordx3", \
    "global_load_lds_dwordx4", \
    "flat_store_byte", \
    "flat_store_short", \
    "global_store_byte", \
    "global_store_short", \
    "scratch_store_byte", \
    "scratch_store_short", \
    "flat_store_byte_d16_hi", \
    "flat_store_short_d16_hi", \
    "global_store_byte_d16_hi", \
    "global_store_short_d16_hi", \
    "scratch_store_byte_d16_hi", \
    "scratch_store_short_d16_hi", \
    "flat_store_dword", \
    "global_store_dword", \
    "scratch_store_dword", \
    "flat_store_dwordx2", \
    "global_store_dwordx2", \
    "scratch_store_dwordx2", \
    "flat_store_dwordx3", \
    "global_store_dwordx3", \
    "scratch_store_dwordx3", \
    "flat_store_dwordx4", \
    "global_store_dwordx4", \
    "scratch_store_dwordx4", \
    "flat_atomic_add", \
    "flat_atomic_sub", \
    "flat_atomic_smin", \
    "flat_atomic_umin", \
    "flat_atomic_smax", \
    "flat_atomic_umax", \
    "flat_atomic_and", \
    "flat_atomic_or", \
    "flat_atomic_xor", \
    "flat_atomic_swap", \
    "flat_atomic_inc", \
    "flat_atomic_dec", \
    "global_atomic_add", \
    "global_atomic_sub", \
    "global_atomic_smin", \
    "global_atomic_umin", \
    "global_atomic_smax", \
    "global_atomic_umax", \
    "global_atomic_and", \
    "global_atomic_or", \
    "global_atomic_xor", \
    "global_atomic_swap", \
    "global_atomic_inc", \
    "global_atomic_dec", \
    "flat_atomic_add_f32", \
    "flat_atomic_pk_add_f16", \
    "flat_atomic_pk_add_bf16", \
    "global_atomic_add_f32", \
    "global_atomic_pk_add_f16", \
    "global_atomic_pk_add_bf16", \
    "flat_atomic_add_f64", \
    "global_atomic_add_f64", \
    "flat_atomic_cmpswap", \
    "global_atomic_cmpswap", \
    "flat_atomic_add_x2", \
    "global_atomic_add_x2", \

#endif
