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

#include "abi.h"

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
enum { SGPR_FLAT_SCRATCH = 102, SGPR_VCC = 106, SGPR_M0 = 124, SGPR_EXEC = 126, SGPR_SCC = 253 };
enum { MODE_GPR_INDEX = 1 << 27, MODE_SKIP = 1 << 28 };
enum { LDS_LIMIT = 163840, INSTRUCTION_LIMIT = 1 << 26 };
/* High dword of flat addresses that are LDS or private memory. */
enum { SHARED_APERTURE_HIGH = 0x00010000, PRIVATE_APERTURE_HIGH = 0x00020000 };

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
    struct order *order; /* who touched what, NULL without checks or stores */
} allocation;

enum { FINDING_SLOTS = 1024 };

typedef struct {
    finding slot[FINDING_SLOTS];
    u32 dropped;
} findings;

/* One memory operation in flight. Late landing keeps the data here until a wait retires it. */
enum pending_kind { PENDING_VGPR, PENDING_SGPR, PENDING_DMA, PENDING_STORE, PENDING_LDS_READ, PENDING_LDS_WRITE,
                    PENDING_WRITEBACK, PENDING_OTHER };
typedef struct {
    u32 ins;
    u32 seq;
    u8 kind, dwords, access_bytes; /* DMA: bytes a lane */
    u16 reg;
    u8 data_valid;
    u64 exec;
    u32 start;                  /* DMA: LDS address of lane 0's bytes */
    u32 data[4][LANE_COUNT];    /* rows; scalar loads use the first 16 words, DMA has lane after lane */
} pending;

enum { VM_DEPTH = 64, SM_DEPTH = 64 };
#define SPILLED_BYTES(SCRATCH_BYTES) (((size_t)(SCRATCH_BYTES) / 4 + 2) * sizeof(u64)) /* of wave.spilled */
typedef struct {
    pending *entry;
    u32 head, count;
} ring;

/* What is still open of a register: whether every lane (or bit of an SGPR) holds a value, and whether a load is on its way. */
enum open { NO_VALUE = 1, IN_FLIGHT = 2 };
enum { SCC_NO_VALUE = 2 }; /* in wave.scc, beside the value */
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

/* By `lds_write.who`: until which sequence number an access of LDS is complete beyond doubt (`fresh`), and was so already at the barrier
 * before the last, which then is not what orders it (`near`). */
typedef struct {
    u32 near[2 * (MAX_WAVES + 1)], fresh[2 * (MAX_WAVES + 1)];
} lds_limits;

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
    lds_limits limits;      /* as of the last barrier, and of its own accesses as of the one at hand */
    /* By wave: until which operation its stores have been written back for other workgroups, as this wave knows; what the
     * write-back in flight will add. */
    u32 released[MAX_WAVES], writeback[MAX_WAVES], writeback_seq;
    bool track;             /* queues are in use: late landing or checks */
    bool checks;
    ins indexed;            /* the instruction at hand, with its operands moved by register indexing */
    u32 indexed_from;
    u64 init[VGPR_ROWS];    /* lanes that hold a value */
    u32 known[SGPR_COUNT];  /* the same for the bits of an SGPR that is NO_VALUE */
    u32 vpend[VGPR_ROWS];   /* the newest load in flight, where there is one: its sequence number */
    u32 spend[SGPR_COUNT];  /* the same: 1 + ins */
    /* enum open, by register; eight more, so that eight can be read at once. */
    u8 vopen[VGPR_ROWS + 8], sopen[SGPR_COUNT + 8];
    fragment *fragments;
    u32 fragment_next;
    u8 fragment_of[VGPR_ROWS]; /* 1 + slot that starts at this row */
    u32 splat[4][2 * ROW] __attribute__((aligned(64)));
    u32 moded[4][2 * ROW] __attribute__((aligned(64)));
    u32 result[32 * ROW] __attribute__((aligned(64)));
    u64 lane_enable;        /* EXEC as narrowed by DPP */
    /* SGPRs that lack bits and were spilled to lanes of VGPRs, which `init` lacks: what they hold. The oldest give way. */
    struct { u32 known; u16 reg; u8 lane; } lane_bits[SGPR_COUNT];
    u32 lane_bits_used;
    u8 *scratch;            /* [lane][bytes] */
    u64 *spilled;           /* lanes that hold a value, by dword of it; with checks */
    u32 bank_ins[BANK_SLOTS]; /* 1 + the instruction that `banks` knows there */
    struct {                /* bank cycles of an LDS access, by instruction: loops repeat their addresses; not cleared */
        u32 bytes, cycles, conflicts;
        u64 exec;
        u32 address[LANE_COUNT];
    } banks[BANK_SLOTS];
} wave;

/* What the checker knows of the last write of a granule of LDS. Sequence numbers start at 1. */
enum lds_queue { LDS_QUEUE, DMA_QUEUE };
typedef struct {
    u32 seq, ins;
    u16 mask;       /* bytes of the last write */
    u16 init_mask;  /* bytes of every write */
    u8 who;         /* 2 * (1 + wave) + enum lds_queue, 0 nobody */
    u8 lane, pad[2];
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
    struct acquire *acquires; /* ring, in launches that synchronise */
    u32 acquired;             /* how many there were */
    u32 released_at_barrier[MAX_WAVES];
} workgroup;

typedef struct thread {
    struct launch *launch;
    findings found;
    u64 counters[COUNTERS];
    u64 (*requests)[REQUESTS]; /* per allocation, and behind the last for what lies in none */
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
    struct publications *published; /* in launches that synchronise */
} launch;

/* run.c */
void fault(wave *w, const ins *I, enum fault what, u64 value);
void report(wave *w, enum code code, const ins *I, u32 lane, u32 other, u32 other_wave, u32 other_lane, u64 address);
void report_between(wave *w, enum code code, const ins *I, u32 lane, u32 other, u32 other_wave, u32 other_lane, u64 other_workgroup,
                    u64 address);
void run_workgroup(thread *t, u64 id);
static inline u32 ins_index(const wave *w, const ins *I)
{
    return I == &w->indexed ? w->indexed_from : (u32)(I - w->wg->t->launch->code);
}
static inline const launch_config *cfg(const wave *w) { return &w->wg->t->launch->cfg; }
static inline void count(wave *w, enum counter which, u64 n) { w->wg->t->counters[which] += n; }

/* check.c */
/* True for a bitwise scalar instruction that some bits of its sources lack: it is to be run by `run_lacking`. */
bool check_operands(wave *w, const ins *I, const opdef *def);
void lds_read_issue(wave *w, const ins *I, const u32 *address, u32 bytes, u64 lanes, u32 seq);
void lds_write_issue(wave *w, const ins *I, const u32 *address, u32 bytes, u64 lanes, u32 seq, enum lds_queue queue);
void lds_atomic_issue(wave *w, const ins *I, u32 address, u32 bytes, u32 lane, u32 seq);
void barrier_needed(wave *w, u32 others);
/* After each barrier, and before the first. */
void lds_barrier(workgroup *wg);

/* pending.c */
pending *pending_push(wave *w, ring *q, const ins *I, enum pending_kind kind);
/* The instruction of a vector load in flight. */
u32 pending_ins(const wave *w, u32 seq);
void retire_vm(wave *w, u32 keep, const ins *by);
void retire_lgkm(wave *w, u32 keep, const ins *by);
void retire_all(wave *w);
/* Rows that a load has read go to the destination: at once, or with `p` when it is retired. Late rows are p->data. */
void hand_over(wave *w, const ins *I, u64 exec, pending *p, u32 (*rows)[LANE_COUNT]);
/* Where a load puts the rows that `hand_over` then takes: where they land at once, the registers themselves. */
u32 (*landing_rows(wave *w, const ins *I, u64 exec, pending *p))[LANE_COUNT];
/* The same for vector memory whose rows are not in a pending operation yet. */
void deliver(wave *w, const ins *I, u64 exec, u32 (*rows)[LANE_COUNT]);
/* Nothing is copied where the rows are the registers already. */
void land_rows(wave *w, u32 reg, u32 dwords, u64 exec, u32 (*data)[LANE_COUNT]);
/* The bytes of DMA, [lane][step], go to LDS; those of lanes that reach past the allocation are dropped. */
void land_dma(wave *w, u32 start, u32 step, u64 exec, const u32 *image);

/* memory.c */
allocation *find_allocation(launch *L, u64 address, u64 size);
/* Copies `bytes` from or to device memory; false (and a finding) when the access is not wholly inside one allocation. */
bool memory_read(wave *w, const ins *I, u32 lane, u64 address, u32 bytes, void *to, allocation **hint);
bool memory_write(wave *w, const ins *I, u32 lane, u64 address, u32 bytes, const void *from, allocation **hint);
/* Notes the workgroup as the writer of these bytes, and a conflict where another one wrote before. Needs a->owner. */
void claim(wave *w, const ins *I, allocation *a, u64 offset, u32 bytes, u32 lane);
void conflict(wave *w, const ins *I, u64 address, u64 other);

/* pool.c: 64-byte aligned, NULL when there is no memory; what `pool_take` gives has any content. */
void *pool_take(size_t bytes);
void *pool_zeros(size_t bytes);
void pool_give(void *p);

/* order.c: the order of accesses to writable global memory. Needs a->order. */
bool order_create(launch *L, thread *t);
void order_destroy(launch *L, thread *t);
void order_start(workgroup *wg);
void order_barrier(workgroup *wg);
void note_write(wave *w, const ins *I, allocation *a, u64 offset, u32 bytes, u32 lane);
/* Late landing puts old bytes in `to` where nothing says that the newer ones can be seen. */
void note_read(wave *w, const ins *I, allocation *a, u64 offset, u32 bytes, u32 lane, u8 *to);
void note_atomic(wave *w, const ins *I, allocation *a, u64 offset, u32 bytes, u32 lane, bool sum, bool rounded, bool from_zero);
void note_writeback(wave *w, const pending *p);
void retire_writeback(wave *w, const pending *p);
void note_invalidate(wave *w);
/* Where workgroups read and write one address: the lowest, or false. */
bool read_write_conflict(const launch *L, finding *f);

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
static inline void set_init(wave *w, u32 reg, u64 lanes)
{
    w->init[reg] = lanes;
    w->vopen[reg] = (u8)((w->vopen[reg] & IN_FLIGHT) | (~lanes ? NO_VALUE : 0));
}
static inline u32 known_bits(const wave *w, u32 reg) { return w->sopen[reg] & NO_VALUE ? w->known[reg] : 0xffffffff; }
static inline u64 known_pair(const wave *w, u32 reg) { return known_bits(w, reg) | (u64)known_bits(w, reg + 1) << 32; }
static inline void set_known(wave *w, u32 reg, u32 bits)
{
    w->known[reg] = bits;
    w->sopen[reg] = (u8)((w->sopen[reg] & IN_FLIGHT) | (~bits ? NO_VALUE : 0));
}
static inline void mark_init(wave *w, u32 reg, u32 dwords, u64 exec)
{
    for (u32 i = 0; i < dwords; i++) set_init(w, reg + i, w->init[reg + i] | exec);
}

/* sop.c */
/* Whether each bit of the result depends on the same bit of each source alone. */
bool bitwise(const opdef *def);
/* Runs such an instruction and marks what its result lacks. */
void run_lacking(wave *w, const ins *I, const opdef *def);
/* Bits of its source that an instruction which combines it with EXEC looks at; all of them for any other. */
u64 bits_read(const wave *w, const opdef *def);
/* Scalar operands */
u64 scalar_source(wave *w, const operand *o);
void scalar_write(wave *w, const operand *o, u64 value);

/* fp.h users */
float f16_to_f32(u16 h);
u16 f32_to_f16(float f);

extern const opdef salu_defs[], control_defs[], smem_defs[], valu_defs[], valu16_defs[], valu64_defs[], vop3p_defs[],
    vopc_defs[], lane_defs[], mfma_defs[], ds_defs[], buffer_defs[], flat_defs[], convert_defs[];

#endif
