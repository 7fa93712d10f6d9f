/* SPDX-License-Identifier: Apache-2.0 */
/* The checker: waits and initialisation of registers, and LDS order between waves.
 *
 * LDS order. The epoch of a wave is the number of barriers it has passed. An access of wave A is ordered before one of
 * wave B if A's was complete (retired by a wait) in an epoch lower than B's at issue. LDS operations of one wave are in
 * order among themselves, but DMA is not: it needs vmcnt.
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

/* Bytes [address, address + bytes) touch granules first..last; `mask` says which bytes of one. */
#define FOR_GRANULES(w, address, bytes) \
    u32 shift_ = cfg(w)->granule_shift; \
    for (u32 n_ = (address) >> shift_, end_ = ((address) + (bytes)-1) >> shift_; n_ <= end_; n_++)
static inline __attribute__((always_inline)) u16 byte_mask(u32 granule_start, u32 size, u32 address, u32 bytes)
{
    u32 from = address > granule_start ? address - granule_start : 0;
    u32 to = address + bytes - granule_start < size ? address + bytes - granule_start : size;
    return (u16)(((1u << to) - 1) & ~((1u << from) - 1));
}

/* An access of `other` in the epoch just before this one: the barrier between is what orders the two. */
static void barrier_needed(wave *w, u32 other, u32 epoch)
{
    if (epoch + 1 != w->epoch) return;
    thread *t = w->wg->t;
    if (w->passed_ins) t->wait_useful[w->passed_ins - 1] = 1;
    u32 passed = w->wg->waves[other]->passed_ins;
    if (passed) t->wait_useful[passed - 1] = 1;
}

static void read_against_writer(wave *w, const ins *I, const granule *g, u16 mask, u32 lane, u32 address)
{
    if (mask & ~g->init_mask) {
        report(w, CODE_LDS_UNINIT, I, lane, 0, 0, 0, address);
        return;
    }
    if (!g->writer || !(mask & g->write_mask)) return;
    u32 writer = g->writer - 1u;
    if (writer == w->index) {
        if (g->dma && g->write_pending)
            report(w, CODE_LDS_DMA_NOT_WAITED, I, lane, g->write_ins + 1, writer, g->write_lane, address);
        return;
    }
    if (g->write_pending || g->write_epoch >= w->epoch)
        report(w, g->dma && g->write_pending ? CODE_LDS_DMA_NOT_WAITED : CODE_LDS_RAW, I, lane, g->write_ins + 1, writer,
               g->write_lane, address);
    else barrier_needed(w, writer, g->write_epoch);
}

/* Remember the two most dangerous readers of different waves: in flight, then latest epoch. */
static inline __attribute__((always_inline)) int reader_slot(const granule *g, u8 me)
{
    if (g->reader[0].wave == me) return 0;
    if (g->reader[1].wave == me) return 1;
    if (!g->reader[0].wave) return 0;
    if (!g->reader[1].wave) return 1;
    if (!g->reader[0].pending && (g->reader[1].pending || g->reader[0].epoch <= g->reader[1].epoch)) return 0;
    return g->reader[1].pending ? -1 : 1; /* -1, both in flight: comes in when this read retires */
}

/* One LDS read of all lanes in `lanes`. */
void lds_read_issue(wave *w, const ins *I, const u32 *address, u32 bytes, u64 lanes, u32 seq)
{
    u32 shift = cfg(w)->granule_shift, size = 1u << shift, me = w->index + 1, index = ins_index(w, I), epoch = w->epoch;
    granule *granules = w->wg->granules;
    for (; lanes; lanes &= lanes - 1) {
        u32 l = (u32)__builtin_ctzll(lanes), from = address[l], last = (from + bytes - 1) >> shift;
        for (u32 n = from >> shift; n <= last; n++) {
            granule *g = &granules[n];
            u16 mask = bytes == size && n == last && !(from & (size - 1)) ? (u16)((1u << size) - 1)
                                                                          : byte_mask(n << shift, size, from, bytes);
            /* What another wave wrote two barriers ago, or nobody: nothing to say. */
            if (mask & ~g->init_mask || (g->writer && (g->write_pending || g->write_epoch + 1 >= epoch)))
                read_against_writer(w, I, g, mask, l, from);
            int slot = reader_slot(g, (u8)me);
            if (slot < 0) continue;
            g->reader[slot].wave = (u8)me;
            g->reader[slot].pending = 1;
            g->reader[slot].lane = (u8)l;
            g->reader[slot].ins = index;
            g->reader[slot].seq = seq;
            g->reader[slot].epoch = g->reader[slot].issued = epoch;
        }
    }
}

static inline __attribute__((always_inline)) void write_against_others(wave *w, const ins *I, granule *g, u16 mask, u32 lane, u32 address, bool dma)
{
    for (int k = 0; k < 2; k++) {
        u32 reader = g->reader[k].wave;
        if (!reader) continue;
        if (reader == w->index + 1) {
            /* Own reads: LDS writes come after them; DMA does not, unless they have retired. */
            if (dma && g->reader[k].pending)
                report(w, CODE_LDS_WAR, I, lane, g->reader[k].ins + 1, reader - 1, g->reader[k].lane, address);
            continue;
        }
        if (!g->reader[k].pending && g->reader[k].epoch < w->epoch) {
            barrier_needed(w, reader - 1, g->reader[k].epoch);
            continue;
        }
        /* Issued before the barrier, waited for after it: LDS answers long before memory can, but nothing says so. */
        report(w, g->reader[k].issued < w->epoch ? CODE_LDS_LATE_WAR : CODE_LDS_WAR, I, lane, g->reader[k].ins + 1,
               reader - 1, g->reader[k].lane, address);
    }
    if (!g->writer || !(mask & g->write_mask)) return;
    u32 writer = g->writer - 1u;
    if (writer == w->index) {
        if (g->dma != dma && g->write_pending)
            report(w, CODE_WAW_LDS_DMA, I, lane, g->write_ins + 1, writer, g->write_lane, address);
    } else if (g->write_pending || g->write_epoch >= w->epoch)
        report(w, CODE_LDS_WAW, I, lane, g->write_ins + 1, writer, g->write_lane, address);
    else barrier_needed(w, writer, g->write_epoch);
}

static inline __attribute__((always_inline)) void record_write(wave *w, const ins *I, granule *g, u16 mask, u32 lane, u32 seq, bool dma)
{
    if (g->writer == w->index + 1 && g->write_pending && g->write_seq == seq) g->write_mask |= mask;
    else g->write_mask = mask;
    g->init_mask |= mask;
    g->writer = (u8)(w->index + 1);
    g->write_pending = 1;
    g->dma = dma;
    g->write_lane = (u8)lane;
    g->write_ins = ins_index(w, I);
    g->write_seq = seq;
    g->write_epoch = w->epoch;
}

/* One LDS write or DMA of all lanes in `lanes`. */
void lds_write_issue(wave *w, const ins *I, const u32 *address, u32 bytes, u64 lanes, u32 seq, bool dma)
{
    u32 shift = cfg(w)->granule_shift, size = 1u << shift;
    for (; lanes; lanes &= lanes - 1) {
        u32 l = (u32)__builtin_ctzll(lanes), from = address[l], last = (from + bytes - 1) >> shift;
        for (u32 n = from >> shift; n <= last; n++) {
            granule *g = &w->wg->granules[n];
            u16 mask = byte_mask(n << shift, size, from, bytes);
            write_against_others(w, I, g, mask, l, from, dma);
            record_write(w, I, g, mask, l, seq, dma);
        }
    }
}

/* Atomics of different waves may meet; against plain accesses they count as a write. */
void lds_atomic_issue(wave *w, const ins *I, u32 address, u32 bytes, u32 lane, u32 seq)
{
    const launch *L = w->wg->t->launch;
    FOR_GRANULES(w, address, bytes) {
        granule *g = &w->wg->granules[n_];
        u16 mask = byte_mask(n_ << shift_, 1u << shift_, address, bytes);
        if (mask & ~g->init_mask) report(w, CODE_LDS_UNINIT, I, lane, 0, 0, 0, address);
        bool atomic_before = g->writer && L->defs[L->code[g->write_ins].op]->run == L->defs[I->op]->run;
        if (!atomic_before) write_against_others(w, I, g, mask, lane, address, false);
        record_write(w, I, g, mask, lane, seq, false);
    }
}

/* The operation has landed: what it read or wrote counts as done in this epoch. */
void lds_retire(wave *w, const pending *p)
{
    bool reads = p->kind == PENDING_LDS_READ;
    u32 shift = cfg(w)->granule_shift, room = w->wg->lds_bytes, bytes = p->access_bytes, epoch = w->epoch, seq = p->seq;
    u8 me = (u8)(w->index + 1);
    granule *granules = w->wg->granules;
    for (u32 a = 0; a < p->accesses; a++)
        for (u64 lanes = p->exec; lanes; lanes &= lanes - 1) {
            u32 l = (u32)__builtin_ctzll(lanes), address = p->address[a][l];
            if ((u64)address + bytes > room) continue;
            for (u32 n = address >> shift, last = (address + bytes - 1) >> shift; n <= last; n++) {
                granule *g = &granules[n];
                if (g->write_seq == seq && g->writer == me && g->write_pending) {
                    g->write_pending = 0;
                    g->write_epoch = epoch;
                }
                if (!reads) continue;
                int slot = g->reader[0].wave == me ? 0 : g->reader[1].wave == me ? 1 : -1;
                if (slot >= 0) {
                    if (g->reader[slot].seq == seq) { g->reader[slot].pending = 0; g->reader[slot].epoch = epoch; }
                    continue;
                }
                /* This reader had found no slot: take one from a wave that finished no later. */
                int old = !g->reader[0].pending && g->reader[0].epoch <= epoch ? 0
                          : !g->reader[1].pending && g->reader[1].epoch <= epoch ? 1 : -1;
                if (old < 0) continue;
                g->reader[old].wave = me;
                g->reader[old].pending = 0;
                g->reader[old].lane = (u8)l;
                g->reader[old].ins = p->ins;
                g->reader[old].seq = seq;
                g->reader[old].epoch = epoch;
                g->reader[old].issued = p->issued;
            }
        }
}
