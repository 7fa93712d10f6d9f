/* SPDX-License-Identifier: Apache-2.0 */
/* Types shared by the machine's core: one instruction record, one wave, one workgroup, one launch.
 *
 * A workgroup runs on one thread. Its waves run one at a time until a barrier or their end. Vector registers are rows of
 * 64 lanes; a 64-bit value takes two adjacent rows, low dwords first. Accumulation registers are rows 256..511.
 */
#ifndef CORE_H
#define CORE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "opcodes.h"

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int8_t i8;
typedef int16_t i16;
typedef int32_t i32;
typedef int64_t i64;

/* Wide vectors without -march: the loader of glibc picks a clone by CPU (ifunc). Sanitizers run before ifuncs can be
 * resolved; other CPUs have one level, and other C libraries no ifunc. */
#if defined(__x86_64__) && defined(__GLIBC__) && !defined(MACHINE_NO_CLONES)
#define CLONES __attribute__((target_clones("default", "arch=x86-64-v3", "arch=x86-64-v4")))
#else
#define CLONES
#endif
#if defined(__clang__) /* looks for overlap at run time */
#define IVDEP
#else
#define IVDEP _Pragma("GCC ivdep")
#endif
#define LANES for (int l = 0; l < 64; l++)

enum { LANE_COUNT = 64, ROW = 64, VGPR_ROWS = 512, ACC_BASE = 256, SGPR_COUNT = 128, MAX_WAVES = 16 };
enum { SGPR_FLAT_SCRATCH = 102, SGPR_VCC = 106, SGPR_M0 = 124, SGPR_EXEC = 126 };
enum { LDS_LIMIT = 163840, INSTRUCTION_LIMIT = 1 << 26 };
/* High dword of flat addresses that are LDS or private memory. */
enum { SHARED_APERTURE_HIGH = 0x00010000, PRIVATE_APERTURE_HIGH = 0x00020000 };

enum operand_kind { NONE, SGPR, VGPR, CONSTANT, SPECIAL };
enum special { SPECIAL_SCC, SPECIAL_VCCZ, SPECIAL_EXECZ, SPECIAL_SHARED_BASE, SPECIAL_SHARED_LIMIT,
               SPECIAL_PRIVATE_BASE, SPECIAL_PRIVATE_LIMIT };
enum { MOD_NEG = 1, MOD_ABS = 2, MOD_SEXT = 4 };
enum float_kind { FLOAT_NONE, FLOAT_F32, FLOAT_F64, FLOAT_F16, FLOAT_PK16, FLOAT_PK32, FLOAT_MIX };

typedef struct {
    u8 kind;      /* enum operand_kind */
    u8 dwords;
    u16 reg;      /* row or SGPR number, or enum special */
    u8 mods;      /* MOD_* */
    u8 select;    /* SDWA: 0..3 byte, 4..5 word, 6 dword */
    u8 floating;  /* enum float_kind */
    u8 unread;    /* bit per dword (of the first 8) that the instruction does not look at */
    u64 value;    /* CONSTANT */
} operand;

/* Order of `o`: two destinations, then five sources. Python's `encode.py` writes the same layout. */
enum { DST, DST2, SRC0, SRC1, SRC2, SRC3, SRC4, OPERANDS };

enum {
    FLAG_READ_DST = 1,      /* the destination is also a source */
    FLAG_SDWA = 2,
    FLAG_DPP = 4,
    FLAG_MODS = 8,          /* some source carries neg, abs or op_sel */
    FLAG_FP32 = 16,         /* MODE's fp32 rounding and denormal fields apply */
    FLAG_FP16_64 = 32,      /* MODE's fp16/fp64 fields apply */
    FLAG_KEEP_HIGH = 64,    /* a 16-bit result keeps bits 31:16 */
    FLAG_EXEC = 128,        /* writes EXEC besides its destination */
    FLAG_LANE = 256,        /* crosses lanes or ignores EXEC: the checker looks at the operand rule itself */
    FLAG_HALF_DST = 512,    /* 16-bit result */
    FLAG_ALL_LANES = 1024,  /* reads every lane whatever EXEC says */
};
enum { MEM_OFFEN = 1, MEM_IDXEN = 2, MEM_LDS = 4, MEM_SC0 = 8, MEM_GDS = 16, MEM_SADDR = 32, MEM_VADDR = 64,
       MEM_OFFSET_REG = 128, MEM_RETURN = 256 };

typedef struct {
    u16 op;
    u16 flags;
    u32 line;      /* 1-based line of the source text */
    u32 pc;        /* byte offset in the text section */
    i32 target;    /* branch: instruction index; waitcnt: vmcnt; s_nop and friends: immediate */
    i32 offset0;   /* memory offset in bytes; waitcnt: lgkmcnt; hwreg: id | offset << 6 | (width - 1) << 11 */
    i32 offset1;
    u8 op_sel, op_sel_hi, neg_lo, neg_hi; /* bit per source; op_sel bit 3 is the destination half */
    u8 clamp, omod, cbsz, blgp;           /* omod: 0, 1 *2, 2 *4, 3 /2; cbsz also bitop3's truth table */
    u16 memory;                           /* MEM_* */
    u16 dpp;                              /* DPP control, ISA encoding */
    u8 row_mask, bank_mask, bound_ctrl, dst_select;
    u8 dst_unused;                        /* 0 pad, 1 sign extend, 2 preserve */
    u8 width;                             /* memory: bytes a lane and access */
    u8 size;                              /* encoded bytes */
    u8 pad;
    operand o[OPERANDS];
} ins;

struct wave;
struct opdef;
typedef void run_fn(struct wave *w, const ins *I, const struct opdef *def);

typedef struct opdef {
    u16 op;
    run_fn *run;
    void (*fn)(void);  /* the lane function of the vector ALU; `run` knows its real type */
    u32 arg;
} opdef;

typedef struct {
    u64 address;   /* device address of byte 0 */
    u64 size;
    u8 *host;
    u16 *owner;    /* per byte: 1 + workgroup (mod 65535) of the last writer, 0 nobody; NULL without checks */
    u32 writable;
    u32 initialised;
} allocation;

/* Findings keyed by (code, instruction, other instruction); Python words them. */
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
};

enum fault {
    FAULT_NONE = 0,
    FAULT_TRAP,
    FAULT_BAD_JUMP,
    FAULT_BUDGET,
    FAULT_HWREG,
    FAULT_DESCRIPTOR,
    FAULT_EXEC,
};

typedef struct {
    u32 code, ins, other, wave, lane, other_wave, other_lane, pad;
    u64 workgroup, other_workgroup, count, address;
} finding;

enum { FINDING_SLOTS = 1024 };

typedef struct {
    finding slot[FINDING_SLOTS];
    u32 dropped;
} findings;

enum counter {
    COUNT_VMEM_READ, COUNT_VMEM_WRITE, COUNT_SMEM_READ, COUNT_LDS_READ, COUNT_LDS_WRITE, COUNT_LDS_DMA, COUNT_ATOMIC,
    COUNT_SCRATCH, COUNT_BANK_CYCLES, COUNT_BANK_CONFLICTS, COUNT_OUT_OF_RANGE,
    COUNT_MFMA_INTEGER, COUNT_MFMA_DOUBLE, COUNT_MFMA_WIDE,
    COUNTERS
};

enum { LANDING_EAGER, LANDING_LATE };
enum { RANGE_SIGNED, RANGE_UNSIGNED, RANGE_EXCLUDED };
enum { ORDER_ASCENDING, ORDER_DESCENDING, ORDER_SEEDED };

typedef struct {
    u32 grid[3], block[3];
    u32 waves;           /* waves a workgroup */
    u32 entry;           /* instruction index */
    u32 instructions;
    u32 lds_bytes;
    u32 scratch_bytes;   /* a lane */
    u32 vgprs, agprs;    /* rows that exist */
    u32 user_sgprs;      /* how many of `user_sgpr` are loaded */
    u32 user_sgpr[32];
    u32 workgroup_id;    /* bit per dimension: which ids follow the user SGPRs */
    u32 workgroup_info;
    u32 mode;            /* initial MODE register */
    u32 landing, range_rule, wave_order, checks;
    u32 granule_shift;   /* LDS checker granularity: log2 bytes, 0, 2 or 4 */
    u32 threads;
    u32 flags;           /* 1: gfx942 (FNUZ fp8); 2: exact dot only in double */
    u64 seed;
    u64 budget;          /* instructions a wave may execute */
    u64 code_address;    /* device address of pc 0 */
    u64 workgroup_count; /* entries of the workgroup list */
} launch_config;

enum { LAUNCH_FNUZ = 1, LAUNCH_DOUBLE_ONLY = 2 };

/* One memory operation in flight. Late landing keeps the data here until a wait retires it. */
enum pending_kind { PENDING_VGPR, PENDING_SGPR, PENDING_DMA, PENDING_STORE, PENDING_LDS_READ, PENDING_LDS_WRITE,
                    PENDING_OTHER };
typedef struct {
    u32 ins;
    u32 seq;
    u8 kind, dwords, access_bytes; /* DMA: bytes a lane */
    u16 reg;
    u8 data_valid;
    u64 exec;
    u32 address[LANE_COUNT];    /* DMA: LDS byte addresses */
    u32 data[4][LANE_COUNT];    /* rows; scalar loads use the first 16 words */
} pending;

enum { VM_DEPTH = 64, SM_DEPTH = 64 };
typedef struct {
    pending *entry;
    u32 head, count;
} ring;

enum wave_state { RUNNING, AT_BARRIER, ENDED };

/* One MFMA operand, decoded: kept until one of its registers is written. k runs over K, row over M (or N). */
enum { FRAGMENT_SLOTS = 32, BANK_SLOTS = 1024 };
typedef struct {
    u64 stamp;   /* register clock at decoding; 0 empty */
    u16 reg;
    u8 dwords, format, rows;
    bool fixed_valid, fits, real_valid;
    i32 largest; /* max |fixed| */
    u32 fixed[1024] __attribute__((aligned(64)));   /* [k/2][row]: two i16, in units of the format's smallest denormal */
    double real[2048] __attribute__((aligned(64))); /* [k][row] */
} fragment;

typedef struct wave {
    u32 v[VGPR_ROWS][ROW] __attribute__((aligned(64)));
    u32 s[SGPR_COUNT];
    u64 version[VGPR_ROWS]; /* regclock of the last write */
    u64 regclock;
    u32 scc, pc, mode, index;
    u32 state, barrier_ins; /* the barrier it waits at, or passed last */
    u32 passed_ins;         /* 1 + the barrier it passed last */
    u64 executed;
    struct workgroup *wg;
    ring vm, ds, sm;
    u32 seq;                /* of the newest memory operation */
    /* By enum lds_queue: the newest operation that has retired, now, at the last barrier and at the one before. */
    u32 done[2], done_at_barrier[2], done_before[2], seq_at_barrier;
    bool track;             /* queues are in use: late landing or checks */
    bool checks;
    u64 init[VGPR_ROWS];    /* lanes that hold a value */
    u32 sinit[4];
    u32 vpend[VGPR_ROWS];   /* 0, or 1 + ins of the load in flight */
    u32 spend[SGPR_COUNT];
    fragment *fragments;
    u32 fragment_next;
    u8 fragment_of[VGPR_ROWS]; /* 1 + slot that starts at this row */
    u32 splat[4][2 * ROW] __attribute__((aligned(64)));
    u32 moded[4][2 * ROW] __attribute__((aligned(64)));
    u32 result[32 * ROW] __attribute__((aligned(64)));
    struct {                /* bank cycles of an LDS access, by instruction: loops repeat their addresses */
        u32 ins, bytes, cycles, conflicts;
        u64 exec;
        u32 address[LANE_COUNT];
    } banks[BANK_SLOTS];
    u64 lane_enable;        /* EXEC as narrowed by DPP */
    u8 *scratch;            /* [lane][bytes] */
} wave;

/* What the checker knows of the last write of a granule of LDS. Sequence numbers start at 1. */
enum lds_queue { LDS_QUEUE, DMA_QUEUE };
typedef struct {
    u32 seq, ins;
    u16 mask;       /* bytes of the last write */
    u16 init_mask;  /* bytes of every write */
    u8 writer, dma; /* 1 + wave, 0 nobody; enum lds_queue */
    u8 lane, pad;
} lds_write;

typedef struct workgroup {
    struct thread *t;
    u64 id;          /* linear workgroup id */
    u32 xyz[3];
    u8 *lds;         /* LDS_LIMIT bytes, past the allocation too, so that nothing can leave it */
    u32 lds_bytes;
    u32 granules;      /* of lds_bytes */
    lds_write *writes; /* [granule] */
    u32 *read_seq;     /* [wave][granule]: the wave's last read of it */
    u32 *read_by;      /* the same: instruction << 6 | lane */
    wave *waves[MAX_WAVES];
} workgroup;

typedef struct thread {
    struct launch *launch;
    findings found;
    u64 counters[COUNTERS];
    u64 *executed;     /* per instruction */
    u8 *wait_useful;   /* per instruction: wait: 1 vmcnt, 2 lgkmcnt retired something; barrier: 1 it alone orders two
                          accesses */
    workgroup wg;
    u32 fault, fault_ins, fault_wave;
    u64 fault_wg;
    u64 fault_value;
    u64 conflict_address, conflict_a, conflict_b, conflict_bytes;
    u32 conflict_ins;
} thread;

typedef struct launch {
    launch_config cfg;
    const ins *code;
    const opdef **defs;
    allocation *memory;
    u32 allocations;
    const u64 *workgroups;
    u64 next;          /* atomic */
    u32 stop;          /* atomic */
    u64 done;          /* atomic: workgroups finished */
} launch;

/* run.c */
void fault(wave *w, const ins *I, enum fault what, u64 value);
void report(wave *w, enum code code, const ins *I, u32 lane, u32 other, u32 other_wave, u32 other_lane, u64 address);
void run_workgroup(thread *t, u64 id);
static inline u32 ins_index(const wave *w, const ins *I) { return (u32)(I - w->wg->t->launch->code); }
static inline const launch_config *cfg(const wave *w) { return &w->wg->t->launch->cfg; }
static inline void count(wave *w, enum counter which, u64 n) { w->wg->t->counters[which] += n; }

/* check.c */
void check_operands(wave *w, const ins *I, const opdef *def);
void lds_read_issue(wave *w, const ins *I, const u32 *address, u32 bytes, u64 lanes, u32 seq);
void lds_write_issue(wave *w, const ins *I, const u32 *address, u32 bytes, u64 lanes, u32 seq, enum lds_queue queue);
void lds_atomic_issue(wave *w, const ins *I, u32 address, u32 bytes, u32 lane, u32 seq);

/* pending.c */
pending *pending_push(wave *w, ring *q, const ins *I, enum pending_kind kind);
void retire_vm(wave *w, u32 keep, const ins *by);
void retire_lgkm(wave *w, u32 keep, const ins *by);
void retire_all(wave *w);
/* Rows that a load has read go to the destination: at once, or with `p` when it is retired. Late rows are p->data. */
void hand_over(wave *w, const ins *I, u64 exec, pending *p, u32 (*rows)[LANE_COUNT]);
/* The same for vector memory whose rows are not in a pending operation yet. */
void deliver(wave *w, const ins *I, u64 exec, u32 (*rows)[LANE_COUNT]);
void land_rows(wave *w, u32 reg, u32 dwords, u64 exec, u32 (*data)[LANE_COUNT]);

/* memory.c */
allocation *find_allocation(launch *L, u64 address, u64 size);
/* Copies `bytes` from or to device memory; false (and a finding) when the access is not wholly inside one allocation. */
bool memory_read(wave *w, const ins *I, u32 lane, u64 address, u32 bytes, void *to, allocation **hint);
bool memory_write(wave *w, const ins *I, u32 lane, u64 address, u32 bytes, const void *from, allocation **hint);
/* Notes the workgroup as the writer of these bytes, and a conflict where another one wrote before. Needs a->owner. */
void claim(wave *w, const ins *I, allocation *a, u64 offset, u32 bytes);

/* Registers */
static inline u64 read64(const u32 *s) { u64 x; memcpy(&x, s, 8); return x; }
static inline void write64(u32 *s, u64 x) { memcpy(s, &x, 8); }
static inline u64 exec_mask(const wave *w) { return read64(&w->s[SGPR_EXEC]); }
static inline float as_f32(u32 x) { float f; memcpy(&f, &x, 4); return f; }
static inline u32 as_u32(float f) { u32 x; memcpy(&x, &f, 4); return x; }
static inline double as_f64(u64 x) { double f; memcpy(&f, &x, 8); return f; }
static inline u64 f64_bits(double f) { u64 x; memcpy(&x, &f, 8); return x; }
static inline void touched(wave *w, u32 reg, u32 dwords)
{
    u64 now = ++w->regclock;
    for (u32 i = 0; i < dwords; i++) w->version[reg + i] = now;
}
static inline void mark_init(wave *w, u32 reg, u32 dwords, u64 exec)
{
    for (u32 i = 0; i < dwords; i++) w->init[reg + i] |= exec;
}

/* Scalar operands */
u64 scalar_source(wave *w, const operand *o);
void scalar_write(wave *w, const operand *o, u64 value);

/* fp.h users */
float f16_to_f32(u16 h);
u16 f32_to_f16(float f);

extern const opdef salu_defs[], control_defs[], smem_defs[], valu_defs[], valu16_defs[], valu64_defs[], vop3p_defs[],
    vopc_defs[], lane_defs[], mfma_defs[], ds_defs[], buffer_defs[], flat_defs[], convert_defs[];

#endif
