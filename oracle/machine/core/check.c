/* SPDX-License-Identifier: Apache-2.0 */
/* The checker: waits and initialisation of registers, and LDS order between waves.
 *
 * LDS order. An access of wave A is ordered before one of wave B if A's was complete (retired by a wait) at the last
 * barrier that both passed. LDS operations of one wave are in order among themselves, but DMA is not: it needs vmcnt.
 * Each queue of a wave retires in the order of issue, so one sequence number says what of it is complete, and the
 * granules of LDS (1, 4 or 16 bytes) need to know only the number of their last write and of each wave's last read.
 */
#include "core.h"

/* Loads of one kind land in the order of issue: the newer one comes last, and waiting for it is enough (LLVM,
 * SIInsertWaitcnts.cpp, VmemType). */
static bool lands_behind(const wave *w, const ins *I, u32 other)
{
    return I->memory & w->wg->t->launch->code[other].memory & (MEM_VECTOR_ORDER | MEM_LDS_ORDER);
}

static void check_landed(wave *w, const ins *I, u32 reg, bool read)
{
    u32 other = pending_ins(w, w->vpend[reg]);
    if (read) report(w, CODE_VGPR_NOT_WAITED, I, 0, other + 1, w->index, 0, reg);
    else if (!lands_behind(w, I, other)) report(w, CODE_WAW_NOT_WAITED, I, 0, other + 1, w->index, 0, reg);
}

/* `whole`: every dword must hold a value; without it an unwritten one behind the first only taints the result. */
static void check_vector(wave *w, const ins *I, const operand *o, u64 lanes, bool read, bool whole)
{
    for (u32 i = 0; i < o->dwords; i++) {
        u32 reg = o->reg + i;
        if (i < 8 && o->unread >> i & 1) continue;
        if (w->vopen[reg] & IN_FLIGHT) check_landed(w, I, reg, read);
        if (read && (whole || !i) && lanes & ~w->init[reg])
            report(w, CODE_VGPR_UNINIT, I, (u32)__builtin_ctzll(lanes & ~w->init[reg]), 0, 0, 0, reg);
    }
}

/* `needed`: the bits of the first two dwords that count. */
static void check_scalar(wave *w, const ins *I, const operand *o, bool read, u64 needed)
{
    for (u32 i = 0; i < o->dwords && o->reg + i < SGPR_COUNT; i++) {
        u32 reg = o->reg + i;
        if (i < 8 && o->unread >> i & 1) continue;
        if (w->sopen[reg] & IN_FLIGHT) report(w, read ? CODE_SGPR_NOT_WAITED : CODE_WAW_NOT_WAITED, I, 0, w->spend[reg], w->index, 0, 1024 + reg);
        u32 bits = i < 2 ? (u32)(needed >> 32 * i) : 0xffffffff;
        if (read && bits & ~known_bits(w, reg)) report(w, CODE_SGPR_UNINIT, I, 0, 0, 0, 0, 1024 + reg);
    }
}

/* Whether something of an operand's registers is open; as a rule nothing is. */
static inline bool open_registers(const u8 *open, u32 dwords)
{
    u64 eight;
    for (; dwords > 8; open += 8, dwords -= 8) {
        memcpy(&eight, open, 8);
        if (eight) return true;
    }
    memcpy(&eight, open, 8);
    return eight << (64 - 8 * dwords);
}

static inline bool settled(const wave *w, const operand *o)
{
    if (o->kind == VGPR) return !o->dwords || !open_registers(w->vopen + o->reg, o->dwords);
    return o->kind != SGPR || (o->reg + o->dwords <= SGPR_COUNT && o->dwords && !open_registers(w->sopen + o->reg, o->dwords));
}

static bool lacks_bits(const wave *w, const operand *o)
{
    return o->kind == SGPR && (w->sopen[o->reg] | (o->dwords == 2 ? w->sopen[o->reg + 1] : 0)) & NO_VALUE;
}

bool check_operands(wave *w, const ins *I, const opdef *def)
{
    bool any = false;
    for (int k = DST; k <= SRC4; k++) any |= !settled(w, &I->o[k]);
    if (!any) return false;
    const u64 all = ~(u64)0;
    bool scalar = !(I->flags & FLAG_VECTOR), spreads = scalar && bitwise(def);
    u64 needed = spreads ? 0 : scalar ? bits_read(w, def) : all;
    u64 lanes = exec_mask(w);
    if (I->flags & FLAG_LANE) lanes = 0;
    if (I->flags & FLAG_ALL_LANES) lanes = ~(u64)0;
    for (int k = DST; k <= DST2; k++) {
        const operand *o = &I->o[k];
        if (o->kind == VGPR) check_vector(w, I, o, lanes, k == DST && I->flags & FLAG_READ_DST, true);
        else if (o->kind == SGPR) check_scalar(w, I, o, k == DST && I->flags & FLAG_READ_DST, all);
    }
    for (int k = SRC0; k <= SRC4; k++) {
        const operand *o = &I->o[k];
        bool whole = k != SRC2 || !(I->flags & FLAG_HIGH_ADDEND), mask = k == SRC2 && I->flags & FLAG_LANE_MASK;
        bool spill = k == SRC0 && (I->memory & MEM_PRIVATE || (I->flags & FLAG_LANE && I->flags & FLAG_READ_DST));
        if (o->kind == VGPR) check_vector(w, I, o, spill ? 0 : lanes, true, whole);
        else if (o->kind == SGPR) check_scalar(w, I, o, true, spill ? 0 : mask ? lanes : whole ? needed : 0xffffffff);
    }
    return spreads && (lacks_bits(w, &I->o[SRC0]) || lacks_bits(w, &I->o[SRC1]));
}

enum { NO_LIMIT = 0xffffffff };

void lds_barrier(workgroup *wg)
{
    lds_limits is;
    u32 waves = wg->t->launch->cfg.waves;
    is.near[0] = is.near[1] = is.fresh[0] = is.fresh[1] = NO_LIMIT;
    for (u32 i = 0; i < waves; i++)
        for (u32 q = 0; q < 2; q++) {
            is.near[2 * (i + 1) + q] = wg->waves[i]->done_before[q];
            is.fresh[2 * (i + 1) + q] = wg->waves[i]->done_at_barrier[q];
        }
    for (u32 i = 0; i < waves; i++) wg->waves[i]->limits = is;
}

/* For an access of this wave: its own through a queue in `in_order` (a bit each) come before it, of the others what has
 * retired. */
static const lds_limits *limits_of(wave *w, u32 in_order)
{
    for (u32 q = 0; q < 2; q++) {
        u32 k = 2 * (w->index + 1) + q;
        w->limits.near[k] = w->limits.fresh[k] = in_order >> q & 1 ? NO_LIMIT : w->done[q];
    }
    return &w->limits;
}

static inline bool in_flight(const wave *w, u32 other, u32 queue, u32 seq) { return seq > w->wg->waves[other]->done[queue]; }

/* The barrier passed last is what orders the accesses of `others` (a bit a wave) before this one. */
void barrier_needed(wave *w, u32 others)
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

static void race_with_writer(wave *w, const ins *I, const lds_write *g, enum code race, u32 lane, u32 address)
{
    u32 writer = g->who / 2u - 1;
    enum code code = race;
    if (writer == w->index) code = race == CODE_LDS_RAW ? CODE_LDS_DMA_NOT_WAITED : CODE_WAW_LDS_DMA;
    else if (race == CODE_LDS_RAW && g->who & 1 && in_flight(w, writer, DMA_QUEUE, g->seq)) code = CODE_LDS_DMA_NOT_WAITED;
    report(w, code, I, lane, g->ins + 1, writer, g->lane, address);
}

static void race_with_reader(wave *w, const ins *I, u32 n, u32 reader, enum lds_queue queue, u32 lane, u32 address)
{
    size_t at = (size_t)reader * w->wg->granules + n;
    u32 by = w->wg->read_by[at];
    /* Issued before the barrier, waited for after it: LDS answers long before memory can, but nothing says so; and an LDS
     * write is as fast as the read. */
    bool late = w->wg->read_seq[at] <= w->wg->waves[reader]->seq_at_barrier;
    enum code race = !late ? CODE_LDS_WAR : queue == DMA_QUEUE ? CODE_LDS_LATE_WAR : CODE_LDS_LATE_WRITE;
    report(w, race, I, lane, (by >> 6) + 1, reader, by & 63, address);
}

/* A read or write against the granule's last write by another queue or wave; what orders them is added to `needed`. */
static inline __attribute__((always_inline)) void against_writer(wave *w, const ins *I, const lds_write *g, u16 mask, const lds_limits *is,
                                                                 enum code race, u32 lane, u32 address, u32 *needed)
{
    if (!(mask & g->mask) || g->seq <= is->near[g->who]) return;
    if (g->seq <= is->fresh[g->who]) *needed |= 1u << (g->who / 2u - 1);
    else race_with_writer(w, I, g, race, lane, address);
}

/* Adds what orders the granule's last write before the access; a non-zero `doubt` asks for a closer look. */
static inline __attribute__((always_inline)) void whole_granule(const lds_write *g, const lds_limits *is, u32 *ordered, u32 *doubt)
{
    *doubt |= g->seq > is->fresh[g->who];
    *ordered |= (u32)(g->seq > is->near[g->who]) << g->who / 2;
}

/* 16-byte reads of whole granules by all lanes, as GEMM loops do; false where some lane needs the closer look below. */
static bool whole_reads(wave *w, const u32 *address, const lds_limits *is, u32 *needed)
{
    const lds_write *writes = w->wg->writes;
    u32 ordered = 0, doubt = 0;
    LANES {
        const lds_write *g = &writes[address[l] >> 4];
        whole_granule(g, is, &ordered, &doubt);
        doubt |= (u32)(g->init_mask ^ 0xffff) | (address[l] & 15);
    }
    *needed |= ordered >> 1;
    return !doubt;
}

/* One LDS read of all lanes in `lanes`. */
void lds_read_issue(wave *w, const ins *I, const u32 *address, u32 bytes, u64 lanes, u32 seq)
{
    u32 shift = cfg(w)->granule_shift, index = ins_index(w, I), needed = 0;
    const lds_write *writes = w->wg->writes;
    size_t mine = (size_t)w->index * w->wg->granules;
    u32 *my_seq = w->wg->read_seq + mine, *my_by = w->wg->read_by + mine;
    const lds_limits *is = limits_of(w, 1u << LDS_QUEUE);
    if (shift == 4 && bytes == 16 && lanes == ~(u64)0 && whole_reads(w, address, is, &needed)) {
        LANES {
            my_seq[address[l] >> 4] = seq;
            my_by[address[l] >> 4] = index << 6 | (u32)l;
        }
        lanes = 0;
    }
    for (; lanes; lanes &= lanes - 1) {
        u32 l = (u32)__builtin_ctzll(lanes), from = address[l], last = (from + bytes - 1) >> shift;
        for (u32 n = from >> shift; n <= last; n++) {
            const lds_write *g = &writes[n];
            u16 mask = byte_mask(n, shift, from, bytes);
            if (mask & ~g->init_mask) report(w, CODE_LDS_UNINIT, I, l, 0, 0, 0, from);
            else against_writer(w, I, g, mask, is, CODE_LDS_RAW, l, from, &needed);
            my_seq[n] = seq;
            my_by[n] = index << 6 | l;
        }
    }
    barrier_needed(w, needed);
}

static inline u8 who(const wave *w, enum lds_queue queue) { return (u8)(2 * (w->index + 1) + queue); }

static inline __attribute__((always_inline)) void record_write(const wave *w, lds_write *g, u16 mask, u32 lane, u32 seq, u32 index,
                                                               enum lds_queue queue)
{
    bool same = g->who / 2u == w->index + 1 && g->seq == seq;
    *g = (lds_write){.seq = seq, .ins = index, .mask = same ? (u16)(g->mask | mask) : mask,
                     .init_mask = (u16)(g->init_mask | mask), .who = who(w, queue), .lane = (u8)lane};
}

/* A write against the reads of others and, for DMA, its own: own reads come before an own LDS write, but DMA can
 * overtake them. */
static void against_readers(wave *w, const ins *I, u32 n, const lds_limits *is, enum lds_queue queue, u32 lane, u32 address,
                            u32 *needed)
{
    const u32 *seq = &w->wg->read_seq[n];
    for (u32 reader = 0, waves = cfg(w)->waves, step = w->wg->granules; reader < waves; reader++, seq += step) {
        u32 k = 2 * (reader + 1) + LDS_QUEUE;
        if (*seq <= is->fresh[k]) *needed |= (u32)(*seq > is->near[k]) << reader;
        else race_with_reader(w, I, n, reader, queue, lane, address);
    }
}

CLONES static u32 newest(const u32 *seq, u32 n)
{
    u32 most = 0;
    for (u32 i = 0; i < n; i++) most = seq[i] > most ? seq[i] : most;
    return most;
}

/* Whether no read of n granules from `first` races; what orders them is added to `needed`. */
static bool all_read(const wave *w, u32 first, u32 n, const lds_limits *is, u32 *needed)
{
    u32 ordered = 0;
    for (u32 reader = 0; reader < cfg(w)->waves; reader++) {
        u32 k = 2 * (reader + 1) + LDS_QUEUE, seq = newest(w->wg->read_seq + (size_t)reader * w->wg->granules + first, n);
        if (seq > is->fresh[k]) return false;
        ordered |= (u32)(seq > is->near[k]) << reader;
    }
    *needed |= ordered;
    return true;
}

/* DMA of 16 bytes a lane into 64 whole granules that nobody still reads; false, and nothing noted, where a write of them
 * needs the closer look below. */
static bool whole_writes(wave *w, u32 first, const lds_limits *is, u32 seq, u32 index, u32 *needed)
{
    lds_write *g = w->wg->writes + first, now = {.seq = seq, .ins = index, .mask = 0xffff, .init_mask = 0xffff, .who = who(w, DMA_QUEUE)};
    u32 ordered = 0, doubt = 0;
    LANES whole_granule(&g[l], is, &ordered, &doubt);
    if (doubt) return false;
    LANES { g[l] = now; g[l].lane = (u8)l; }
    *needed |= ordered >> 1;
    return true;
}

/* One LDS write or DMA of all lanes in `lanes`. */
void lds_write_issue(wave *w, const ins *I, const u32 *address, u32 bytes, u64 lanes, u32 seq, enum lds_queue queue)
{
    u32 shift = cfg(w)->granule_shift, index = ins_index(w, I), needed = 0;
    const lds_limits *is = limits_of(w, 1u << queue);
    bool read = false;
    if (queue == DMA_QUEUE && lanes == ~(u64)0) { /* lane after lane without a gap */
        u32 first = address[0] >> shift, last = (address[63] + bytes - 1) >> shift;
        read = all_read(w, first, last - first + 1, is, &needed);
        bool whole = read && shift == 4 && bytes == 16 && !(address[0] & 15);
        if (whole && whole_writes(w, first, is, seq, index, &needed)) lanes = 0;
    }
    for (; lanes; lanes &= lanes - 1) {
        u32 l = (u32)__builtin_ctzll(lanes), from = address[l], last = (from + bytes - 1) >> shift;
        for (u32 n = from >> shift; n <= last; n++) {
            lds_write *g = &w->wg->writes[n];
            u16 mask = byte_mask(n, shift, from, bytes);
            if (!read) against_readers(w, I, n, is, queue, l, from, &needed);
            against_writer(w, I, g, mask, is, CODE_LDS_WAW, l, from, &needed);
            record_write(w, g, mask, l, seq, index, queue);
        }
    }
    barrier_needed(w, needed);
}

/* Atomics of different waves may meet; against plain accesses they count as a write. */
void lds_atomic_issue(wave *w, const ins *I, u32 address, u32 bytes, u32 lane, u32 seq)
{
    const launch *L = w->wg->t->launch;
    u32 shift = cfg(w)->granule_shift, needed = 0;
    const lds_limits *is = limits_of(w, 1u << LDS_QUEUE);
    for (u32 n = address >> shift, last = (address + bytes - 1) >> shift; n <= last; n++) {
        lds_write *g = &w->wg->writes[n];
        u16 mask = byte_mask(n, shift, address, bytes);
        if (mask & ~g->init_mask) report(w, CODE_LDS_UNINIT, I, lane, 0, 0, 0, address);
        bool atomic_before = g->who && L->defs[L->code[g->ins].op]->run == L->defs[I->op]->run;
        if (!atomic_before) {
            against_readers(w, I, n, is, LDS_QUEUE, lane, address, &needed);
            against_writer(w, I, g, mask, is, CODE_LDS_WAW, lane, address, &needed);
        }
        record_write(w, g, mask, lane, seq, ins_index(w, I), LDS_QUEUE);
    }
    barrier_needed(w, needed);
}
