/* SPDX-License-Identifier: Apache-2.0 */
/* The checker: waits and initialisation of registers, and LDS order between waves.
 *
 * LDS order. An access of wave A is ordered before one of wave B if A's was complete (retired by a wait) at the last
 * barrier that both passed. LDS operations of one wave are in order among themselves, but DMA is not: it needs vmcnt.
 * Each queue of a wave retires in the order of issue, so one sequence number says what of it is complete, and the
 * granules of LDS (1, 4 or 16 bytes) need to know only the number of their last write and of each wave's last read.
 */
#include "core.h"

static void check_vector(wave *w, const ins *I, const operand *o, u64 lanes, bool read)
{
    for (u32 i = 0; i < o->dwords; i++) {
        u32 reg = o->reg + i;
        if (i < 8 && o->unread >> i & 1) continue;
        if (w->vpend[reg]) report(w, read ? CODE_VGPR_NOT_WAITED : CODE_WAW_NOT_WAITED, I, 0, w->vpend[reg], w->index, 0, reg);
        if (read && lanes & ~w->init[reg])
            report(w, CODE_VGPR_UNINIT, I, (u32)__builtin_ctzll(lanes & ~w->init[reg]), 0, 0, 0, reg);
    }
}

static void check_scalar(wave *w, const ins *I, const operand *o, bool read)
{
    for (u32 i = 0; i < o->dwords && o->reg + i < SGPR_COUNT; i++) {
        u32 reg = o->reg + i;
        if (i < 8 && o->unread >> i & 1) continue;
        if (w->spend[reg]) report(w, read ? CODE_SGPR_NOT_WAITED : CODE_WAW_NOT_WAITED, I, 0, w->spend[reg], w->index, 0, 1024 + reg);
        if (read && !(w->sinit[reg / 32] >> (reg % 32) & 1)) report(w, CODE_SGPR_UNINIT, I, 0, 0, 0, 0, reg);
    }
}

void check_operands(wave *w, const ins *I, const opdef *def)
{
    (void)def;
    u64 lanes = exec_mask(w);
    if (I->flags & FLAG_LANE) lanes = 0; /* the operation itself defines which lanes it reads */
    if (I->flags & FLAG_ALL_LANES) lanes = ~(u64)0;
    for (int k = DST; k <= DST2; k++) {
        const operand *o = &I->o[k];
        if (o->kind == VGPR) check_vector(w, I, o, lanes, k == DST && I->flags & FLAG_READ_DST);
        else if (o->kind == SGPR) check_scalar(w, I, o, k == DST && I->flags & FLAG_READ_DST);
    }
    for (int k = SRC0; k <= SRC4; k++) {
        const operand *o = &I->o[k];
        if (o->kind == VGPR) check_vector(w, I, o, lanes, true);
        else if (o->kind == SGPR) check_scalar(w, I, o, true);
    }
}

/* Until which sequence number an access is complete beyond doubt (`fresh`), and was so already at the barrier before the
 * last, which then is not what orders it (`near`). By 2 * (1 + wave) + queue; entries 0 and 1: nobody. */
typedef struct {
    u32 near[2 * (MAX_WAVES + 1)], fresh[2 * (MAX_WAVES + 1)];
} limits;

enum { NO_LIMIT = 0xffffffff };

static void other_waves(const wave *w, limits *is)
{
    is->near[0] = is->near[1] = is->fresh[0] = is->fresh[1] = NO_LIMIT;
    for (u32 i = 0; i < cfg(w)->waves; i++)
        for (u32 q = 0; q < 2; q++) {
            is->near[2 * (i + 1) + q] = w->wg->waves[i]->done_before[q];
            is->fresh[2 * (i + 1) + q] = w->wg->waves[i]->done_at_barrier[q];
        }
}

/* The wave's own accesses through a queue: in order with LDS operations, or only what has retired. */
static void own_wave(const wave *w, limits *is, u32 queue, bool in_order)
{
    u32 k = 2 * (w->index + 1) + queue;
    is->near[k] = is->fresh[k] = in_order ? NO_LIMIT : w->done[queue];
}

static inline bool in_flight(const wave *w, u32 other, u32 queue, u32 seq) { return seq > w->wg->waves[other]->done[queue]; }

/* The barrier passed last is what orders the accesses of `others` (a bit a wave) before this one. */
static void barrier_needed(wave *w, u32 others)
{
    thread *t = w->wg->t;
    for (; others; others &= others - 1) {
        u32 passed = w->wg->waves[__builtin_ctz(others)]->passed_ins;
        if (w->passed_ins) t->wait_useful[w->passed_ins - 1] = 1;
        if (passed) t->wait_useful[passed - 1] = 1;
    }
}

/* Which bytes of granule n an access of [address, address + bytes) touches. */
static inline __attribute__((always_inline)) u16 byte_mask(u32 granule, u32 shift, u32 address, u32 bytes)
{
    u32 start = granule << shift, size = 1u << shift;
    u32 from = address > start ? address - start : 0, end = address + bytes - start, to = end < size ? end : size;
    return (u16)(((1u << to) - 1) & ~((1u << from) - 1));
}

/* A read or write against the granule's last write by another queue or wave; what orders them is added to `needed`. */
static void against_writer(wave *w, const ins *I, const lds_write *g, const limits *is, enum code race, u32 lane, u32 address,
                           u32 *needed)
{
    u32 writer = g->writer - 1u, k = 2u * g->writer + g->dma;
    if (g->seq <= is->near[k]) return;
    if (g->seq <= is->fresh[k]) { *needed |= 1u << writer; return; }
    enum code code = race;
    if (writer == w->index) code = race == CODE_LDS_RAW ? CODE_LDS_DMA_NOT_WAITED : CODE_WAW_LDS_DMA;
    else if (race == CODE_LDS_RAW && g->dma && in_flight(w, writer, DMA_QUEUE, g->seq)) code = CODE_LDS_DMA_NOT_WAITED;
    report(w, code, I, lane, g->ins + 1, writer, g->lane, address);
}

/* One LDS read of all lanes in `lanes`. */
void lds_read_issue(wave *w, const ins *I, const u32 *address, u32 bytes, u64 lanes, u32 seq)
{
    u32 shift = cfg(w)->granule_shift, index = ins_index(w, I), needed = 0;
    const lds_write *writes = w->wg->writes;
    lds_read *mine = w->wg->reads + (size_t)w->index * w->wg->granules;
    limits is;
    other_waves(w, &is);
    own_wave(w, &is, LDS_QUEUE, true);
    own_wave(w, &is, DMA_QUEUE, false);
    for (; lanes; lanes &= lanes - 1) {
        u32 l = (u32)__builtin_ctzll(lanes), from = address[l], last = (from + bytes - 1) >> shift;
        for (u32 n = from >> shift; n <= last; n++) {
            const lds_write *g = &writes[n];
            u16 mask = byte_mask(n, shift, from, bytes);
            if (mask & ~g->init_mask) report(w, CODE_LDS_UNINIT, I, l, 0, 0, 0, from);
            else if (mask & g->mask && g->seq > is.near[2u * g->writer + g->dma])
                against_writer(w, I, g, &is, CODE_LDS_RAW, l, from, &needed);
            mine[n] = (lds_read){seq, index, l};
        }
    }
    barrier_needed(w, needed);
}

static void against_reader(wave *w, const ins *I, const lds_read *r, u32 reader, const limits *is, u32 lane, u32 address,
                           u32 *needed)
{
    if (r->seq <= is->fresh[2 * (reader + 1)]) { *needed |= 1u << reader; return; }
    /* Issued before the barrier, waited for after it: LDS answers long before memory can, but nothing says so. */
    bool late = reader != w->index && r->seq <= w->wg->waves[reader]->seq_at_barrier;
    report(w, late ? CODE_LDS_LATE_WAR : CODE_LDS_WAR, I, lane, r->ins + 1, reader, r->lane, address);
}

static inline __attribute__((always_inline)) void record_write(const wave *w, lds_write *g, u16 mask, u32 lane, u32 seq, u32 index,
                                                               enum lds_queue queue)
{
    bool same = g->writer == w->index + 1 && g->seq == seq;
    *g = (lds_write){.seq = seq, .ins = index, .mask = same ? (u16)(g->mask | mask) : mask,
                     .init_mask = (u16)(g->init_mask | mask), .writer = (u8)(w->index + 1), .dma = (u8)queue, .lane = (u8)lane};
}

static void write_limits(const wave *w, limits *is, u32 queue)
{
    other_waves(w, is);
    own_wave(w, is, queue, true);
    own_wave(w, is, !queue, false);
}

/* A write against what others, and its own wave's other queue, did with the granule. Own reads come before an own LDS
 * write, but DMA can overtake them. */
static inline __attribute__((always_inline)) void against_others(wave *w, const ins *I, u32 n, u16 mask, const limits *is, u32 lane,
                                                                 u32 address, u32 *needed)
{
    const lds_write *g = &w->wg->writes[n];
    const lds_read *r = &w->wg->reads[n];
    for (u32 reader = 0, waves = cfg(w)->waves, step = w->wg->granules; reader < waves; reader++, r += step)
        if (r->seq > is->near[2 * (reader + 1)]) against_reader(w, I, r, reader, is, lane, address, needed);
    if (mask & g->mask && g->seq > is->near[2u * g->writer + g->dma])
        against_writer(w, I, g, is, CODE_LDS_WAW, lane, address, needed);
}

/* One LDS write or DMA of all lanes in `lanes`. */
void lds_write_issue(wave *w, const ins *I, const u32 *address, u32 bytes, u64 lanes, u32 seq, enum lds_queue queue)
{
    u32 shift = cfg(w)->granule_shift, index = ins_index(w, I), needed = 0;
    limits is;
    write_limits(w, &is, queue);
    for (; lanes; lanes &= lanes - 1) {
        u32 l = (u32)__builtin_ctzll(lanes), from = address[l], last = (from + bytes - 1) >> shift;
        for (u32 n = from >> shift; n <= last; n++) {
            u16 mask = byte_mask(n, shift, from, bytes);
            against_others(w, I, n, mask, &is, l, from, &needed);
            record_write(w, &w->wg->writes[n], mask, l, seq, index, queue);
        }
    }
    barrier_needed(w, needed);
}

/* Atomics of different waves may meet; against plain accesses they count as a write. */
void lds_atomic_issue(wave *w, const ins *I, u32 address, u32 bytes, u32 lane, u32 seq)
{
    const launch *L = w->wg->t->launch;
    u32 shift = cfg(w)->granule_shift, needed = 0;
    limits is;
    write_limits(w, &is, LDS_QUEUE);
    for (u32 n = address >> shift, last = (address + bytes - 1) >> shift; n <= last; n++) {
        lds_write *g = &w->wg->writes[n];
        u16 mask = byte_mask(n, shift, address, bytes);
        if (mask & ~g->init_mask) report(w, CODE_LDS_UNINIT, I, lane, 0, 0, 0, address);
        bool atomic_before = g->writer && L->defs[L->code[g->ins].op]->run == L->defs[I->op]->run;
        if (!atomic_before) against_others(w, I, n, mask, &is, lane, address, &needed);
        record_write(w, g, mask, lane, seq, ins_index(w, I), LDS_QUEUE);
    }
    barrier_needed(w, needed);
}
