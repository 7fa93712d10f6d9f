/* SPDX-License-Identifier: Apache-2.0 */
/* Order of accesses to writable global memory: between the waves of a workgroup, and between workgroups.
 *
 * Waves of a workgroup share a CU and its L1, which takes their operations in order; a barrier alone therefore orders them
 * unless the workgroup is split over CUs, and vmcnt(0) before it always does. Between workgroups (LLVM's memory model of
 * gfx942, agent scope) a store is seen once it has been written back (buffer_wbl2 sc1, or a store with sc1), vmcnt has
 * said so, and an atomic or flag was written after that; and by whom? By a wave that read that atomic or flag, waited for
 * it, and then invalidated its caches (buffer_inv sc1), or that loads with sc1. A barrier hands all this on to the other
 * waves. Atomics among themselves need no order; but fp sums that round depend on it.
 *
 * Launches without atomics and cache control cannot order workgroups at all: there it is enough to note who read and who
 * wrote. The others run on one thread, a workgroup after the other, so "before" is what the machine has run. An order that
 * came about through a third workgroup and another atomic is not followed.
 */
#include <stdlib.h>

#include "core.h"

enum { TOUCH_READ = 1, TOUCH_THROUGH = 2 /* sc1 */, TOUCH_ATOMIC = 4, TOUCH_SUM = 8, TOUCH_SCALAR = 16 };
typedef struct {
    u32 group;      /* 1 + workgroup, 0 nobody */
    u32 seq, ins;   /* in the wave's count of memory operations */
    u8 wave, lane, kind, bytes; /* bytes: a bit for each of the granule */
} touch;

/* Of a granule: 1, 2 or 4 bytes, as wide as every access of the program allows. Reads: the newest, and the newest by
 * another wave than that. Arrays that only some programs need are made when they are needed. */
typedef struct order {
    u32 shift;
    u64 granules;
    touch *writes, *reads, *other_reads;
    touch *atomics; /* since the last plain write */
    u32 *readers;  /* without them: the two lowest workgroups that read, 16 bits each as `owner` counts them */
    u32 *heads;    /* in launches that synchronise: 1 + the newest publication at this place */
    u8 *sums;      /* in launches that synchronise: terms of an fp sum, SUM_* */
    u8 *before;    /* the same, with late landing: the content at launch */
} order;
enum { SUM_TERMS = 3, SUM_UNORDERED = 4, SUM_ROUNDED = 8 };

/* An atomic or flag as a release: what of its workgroup is complete, and what is written back too, by wave. */
typedef struct {
    u32 group, wave, seq, next;
    u32 done[MAX_WAVES], released[MAX_WAVES];
} publication;
typedef struct publications {
    publication *item;
    u32 count, room;
} publications;

/* A wave that reads what was published; `invalidated`: by wave, the operation that emptied its caches after that. */
enum { ACQUIRES = 256 };
typedef struct acquire {
    u32 head, wave, seq;
    u32 invalidated[MAX_WAVES];
} acquire;

bool order_create(launch *L, thread *t)
{
    bool synchronises = L->cfg.flags & LAUNCH_SYNCHRONISES;
    for (u32 i = 0; i < L->allocations && t == NULL; i++) {
        allocation *a = &L->memory[i];
        if (!a->owner) continue;
        order *o = a->order = pool_zeros(sizeof *o);
        if (!o) return false;
        o->shift = L->cfg.order_shift;
        o->granules = (a->size >> o->shift) + 1;
        if (!(o->writes = pool_zeros(o->granules * sizeof *o->writes))) return false;
        if (!synchronises || L->cfg.landing != LANDING_LATE) continue;
        if (!(o->before = pool_take(a->size + 1))) return false;
        memcpy(o->before, a->host, a->size);
    }
    if (!synchronises) return true;
    if (t) return (t->wg.acquires = pool_zeros(ACQUIRES * sizeof *t->wg.acquires)) != NULL;
    return (L->published = calloc(1, sizeof *L->published)) != NULL;
}

void order_destroy(launch *L, thread *t)
{
    if (t) { pool_give(t->wg.acquires); return; }
    for (u32 i = 0; i < L->allocations; i++) {
        order *o = L->memory[i].order;
        if (!o) continue;
        void *parts[] = {o->writes, o->reads, o->other_reads, o->atomics, o->readers, o->heads, o->sums, o->before, o};
        for (size_t k = 0; k < sizeof parts / sizeof *parts; k++) pool_give(parts[k]);
    }
    if (L->published) free(L->published->item);
    free(L->published);
}

/* An array that several threads may want first; NULL when there is no memory for it. */
static void *needed(void *slot, size_t n, size_t size)
{
    void **place = slot, *known = __atomic_load_n(place, __ATOMIC_ACQUIRE), *fresh;
    if (known || !(fresh = pool_zeros(n * size))) return known;
    if (__atomic_compare_exchange_n(place, &known, fresh, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) return fresh;
    pool_give(fresh);
    return known;
}

void order_start(workgroup *wg)
{
    wg->acquired = 0;
    memset(wg->released_at_barrier, 0, sizeof wg->released_at_barrier);
}

static inline u32 larger(u32 a, u32 b) { return a > b ? a : b; }

void order_barrier(workgroup *wg)
{
    u32 waves = wg->t->launch->cfg.waves;
    if (!wg->acquires) return;
    for (u32 i = 0; i < waves; i++)
        for (u32 k = 0; k < waves; k++)
            wg->released_at_barrier[k] = larger(wg->released_at_barrier[k], wg->waves[i]->released[k]);
}

/* Complete, as wave w knows: its own operations by its waits, those of another wave by that one's and a barrier. */
static u32 complete(const wave *w, u32 other)
{
    return other == w->index ? w->done[DMA_QUEUE] : w->wg->waves[other]->done_at_barrier[DMA_QUEUE];
}

/* A write-back takes every store that the L2 has: the own ones before it, those of other waves once complete. */
void note_writeback(wave *w, const pending *p)
{
    if (!w->checks) return;
    for (u32 i = 0; i < cfg(w)->waves; i++) w->writeback[i] = i == w->index ? p->seq : complete(w, i);
    w->writeback_seq = p->seq;
}

void retire_writeback(wave *w, const pending *p)
{
    if (p->seq != w->writeback_seq) return;
    for (u32 i = 0; i < MAX_WAVES; i++) w->released[i] = larger(w->released[i], w->writeback[i]);
}

static bool knows(const wave *w, const acquire *x) { return x->seq <= complete(w, x->wave); }

static u32 acquires(const workgroup *wg) { return wg->acquired < ACQUIRES ? wg->acquired : ACQUIRES; }

void note_invalidate(wave *w)
{
    if (!w->wg->acquires) return;
    for (u32 i = 0; i < acquires(w->wg); i++) {
        acquire *x = &w->wg->acquires[i];
        if (!x->invalidated[w->index] && knows(w, x)) x->invalidated[w->index] = w->seq;
    }
}

static bool invalidated(const wave *w, const acquire *x)
{
    if (x->invalidated[w->index]) return true;
    for (u32 i = 0; i < cfg(w)->waves; i++)
        if (x->invalidated[i] && x->invalidated[i] <= w->wg->waves[i]->seq_at_barrier) return true;
    return false;
}

static void acquire_from(wave *w, u32 head, u32 seq)
{
    workgroup *wg = w->wg;
    for (u32 i = 0; i < acquires(wg); i++) /* the same publication, read before by this wave */
        if (wg->acquires[i].wave == w->index && wg->acquires[i].head == head) return;
    wg->acquires[wg->acquired++ % ACQUIRES] = (acquire){.head = head, .wave = w->index, .seq = seq};
}

static bool publish(wave *w, u32 *head, u32 seq)
{
    publications *all = w->wg->t->launch->published;
    if (all->count == all->room) {
        u32 room = all->room ? 2 * all->room : 64;
        publication *more = realloc(all->item, room * sizeof *more);
        if (!more) return false;
        all->item = more;
        all->room = room;
    }
    publication *p = &all->item[all->count++];
    *p = (publication){.group = (u32)w->wg->id + 1, .wave = w->index, .seq = seq, .next = *head};
    for (u32 i = 0; i < cfg(w)->waves; i++) {
        p->done[i] = complete(w, i);
        p->released[i] = larger(w->released[i], w->wg->released_at_barrier[i]);
    }
    *head = all->count;
    return true;
}

/* Whether the publication releases an earlier access; `here`: it is at the same place. */
static bool covers(const publication *p, const touch *old, bool here)
{
    if (p->group != old->group) return false;
    if (here && old->kind & TOUCH_ATOMIC && p->wave == old->wave && p->seq >= old->seq) return true;
    bool stays = old->kind & (TOUCH_READ | TOUCH_THROUGH | TOUCH_ATOMIC); /* nothing to write back */
    return old->seq <= (stays ? p->done : p->released)[old->wave];
}

static bool ordered(const wave *w, const touch *old, const touch *now, u32 head_here)
{
    const publication *item = w->wg->t->launch->published->item;
    bool caches = now->kind & TOUCH_READ && !(now->kind & (TOUCH_THROUGH | TOUCH_ATOMIC));
    for (u32 i = acquires(w->wg); i-- > 0;) {
        const acquire *x = &w->wg->acquires[i];
        if (!knows(w, x) || (caches && !invalidated(w, x))) continue;
        bool here = false;
        for (u32 p = head_here; p && !here; p = item[p - 1].next) here = p == x->head;
        for (u32 p = x->head; p; p = item[p - 1].next)
            if (covers(&item[p - 1], old, here)) return true;
    }
    return false;
}

static void between_waves(wave *w, const ins *I, const touch *old, u32 lane, u64 address)
{
    const wave *other = w->wg->waves[old->wave];
    if (!(old->kind & TOUCH_SCALAR)) {
        if (old->seq <= other->done_before[DMA_QUEUE]) return;
        if (old->seq <= other->done_at_barrier[DMA_QUEUE]) { barrier_needed(w, 1u << old->wave); return; }
    } else if (old->seq <= other->seq_at_barrier) return;
    bool barrier = old->seq <= other->seq_at_barrier;
    if (barrier) barrier_needed(w, 1u << old->wave);
    report(w, barrier ? CODE_WAVE_LATE : CODE_WAVE_CONFLICT, I, lane, old->ins + 1, old->wave, old->lane, address);
}

/* Whether `now` comes after `old` beyond doubt, or needs no order; otherwise it is reported. */
static bool against(wave *w, const ins *I, const allocation *a, u64 n, const touch *old, const touch *now)
{
    if (!old->group || !(old->bytes & now->bytes) || old->kind & now->kind & (TOUCH_ATOMIC | TOUCH_READ)) return true;
    u64 address = a->address + (n << a->order->shift);
    if (old->group == now->group) {
        if (old->wave != now->wave) between_waves(w, I, old, now->lane, address);
        return true;
    }
    if (!(cfg(w)->flags & LAUNCH_SYNCHRONISES)) return true; /* `owner` and `readers` know */
    if (ordered(w, old, now, a->order->heads ? a->order->heads[n] : 0)) return true;
    if ((old->kind | now->kind) & (TOUCH_READ | TOUCH_ATOMIC))
        report_between(w, CODE_NOT_ACQUIRED, I, now->lane, old->ins + 1, old->wave, old->lane, old->group - 1, address);
    else conflict(w, I, address, old->group - 1);
    return false;
}

/* Which bytes of granule n an access of [offset, offset + bytes) touches. */
static inline u8 bytes_of(u64 n, u32 shift, u64 offset, u32 bytes)
{
    u64 start = n << shift, size = 1u << shift, from = offset > start ? offset - start : 0, end = offset + bytes - start;
    return (u8)(((1u << (end < size ? end : size)) - 1) & ~((1u << from) - 1));
}

/* A byte written alone makes the copy of the whole record that follows wait; as a rule nothing changes. */
static inline void set_bytes(touch *now, u8 bytes) { if (now->bytes != bytes) now->bytes = bytes; }

static touch touched_by(const wave *w, const ins *I, u32 lane, u32 kind, u32 seq)
{
    return (touch){.group = (u32)w->wg->id + 1, .seq = seq, .ins = ins_index(w, I), .wave = (u8)w->index, .lane = (u8)lane,
                   .kind = (u8)(kind | (I->memory & MEM_SC1 ? TOUCH_THROUGH : 0))};
}

/* A flag: one dword or two that a wave stores or loads with sc1 at one place, as atomics of LLVM do. */
static bool flag(const wave *w, const ins *I, u32 bytes, u32 lane)
{
    u64 exec = exec_mask(w);
    return I->memory & MEM_SC1 && bytes <= 8 && !(exec & (exec - 1)) && exec >> lane & 1;
}

/* Stores and atomics have records of their own: an atomic does not hide that what it meets was stored without order. */
static void replace_write(wave *w, const ins *I, const allocation *a, u64 n, touch now)
{
    order *o = a->order;
    against(w, I, a, n, &o->writes[n], &now);
    if (o->atomics) against(w, I, a, n, &o->atomics[n], &now);
    if (o->reads) against(w, I, a, n, &o->reads[n], &now);
    if (o->other_reads) against(w, I, a, n, &o->other_reads[n], &now);
    if (!(now.kind & TOUCH_ATOMIC)) {
        o->writes[n] = now;
        if (o->atomics) o->atomics[n] = (touch){0};
    } else if (needed(&o->atomics, o->granules, sizeof *o->atomics)) o->atomics[n] = now;
}

/* Nobody has touched granule n, as far as a launch without atomics and cache control knows. */
static inline bool untouched(const order *o, u64 n)
{
    return !o->writes[n].group && !o->atomics && (!o->reads || !o->reads[n].group);
}

void note_write(wave *w, const ins *I, allocation *a, u64 offset, u32 bytes, u32 lane)
{
    order *o = a->order;
    bool synchronises = cfg(w)->flags & LAUNCH_SYNCHRONISES, as_flag = synchronises && flag(w, I, bytes, lane);
    touch now = touched_by(w, I, lane, as_flag ? TOUCH_ATOMIC : 0, w->seq);
    for (u64 n = offset >> o->shift, last = (offset + bytes - 1) >> o->shift; n <= last; n++) {
        set_bytes(&now, bytes_of(n, o->shift, offset, bytes));
        if (!as_flag && untouched(o, n)) o->writes[n] = now;
        else replace_write(w, I, a, n, now);
        if (as_flag && needed(&o->heads, o->granules, sizeof *o->heads)) publish(w, &o->heads[n], now.seq);
    }
}

/* Two lowest of the ids in `pair` (0: none) and one more. */
static u32 lowest_two(u32 pair, u32 id)
{
    u32 low = pair & 0xffff, high = pair >> 16;
    if (id == low || id == high) return pair;
    if (!low || id < low) return id | low << 16;
    return !high || id < high ? low | id << 16 : pair;
}

static inline void note_reader(const wave *w, u32 *readers)
{
    u32 id = (u32)(1 + w->wg->id % 65535), pair = __atomic_load_n(readers, __ATOMIC_RELAXED), more;
    if (cfg(w)->threads == 1) { *readers = lowest_two(pair, id); return; }
    while ((more = lowest_two(pair, id)) != pair)
        if (__atomic_compare_exchange_n(readers, &pair, more, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) break;
}

static void keep_old(const allocation *a, u64 n, u64 offset, u32 bytes, u8 *to)
{
    u64 from = n << a->order->shift, end = from + (1u << a->order->shift);
    if (from < offset) from = offset;
    if (end > offset + bytes) end = offset + bytes;
    memcpy(to + (from - offset), a->order->before + from, end - from);
}

void note_read(wave *w, const ins *I, allocation *a, u64 offset, u32 bytes, u32 lane, u8 *to)
{
    order *o = a->order;
    bool synchronises = cfg(w)->flags & LAUNCH_SYNCHRONISES, scalar = I->o[DST].kind == SGPR, as_flag = synchronises && flag(w, I, bytes, lane);
    u32 kind = TOUCH_READ | (as_flag ? TOUCH_ATOMIC : 0) | (scalar ? TOUCH_SCALAR : 0);
    touch now = touched_by(w, I, lane, kind, w->seq + scalar);
    if (!needed(&o->reads, o->granules, sizeof *o->reads)) return;
    u32 *readers = synchronises ? NULL : needed(&o->readers, o->granules, sizeof *o->readers);
    for (u64 n = offset >> o->shift, last = (offset + bytes - 1) >> o->shift; n <= last; n++) {
        set_bytes(&now, bytes_of(n, o->shift, offset, bytes));
        bool seen = !o->writes[n].group || against(w, I, a, n, &o->writes[n], &now);
        if (o->atomics) seen &= against(w, I, a, n, &o->atomics[n], &now);
        if (!seen && o->before) keep_old(a, n, offset, bytes, to);
        touch *newest = &o->reads[n];
        bool another = newest->group && (newest->group != now.group || newest->wave != now.wave);
        if (another && needed(&o->other_reads, o->granules, sizeof *o->other_reads)) o->other_reads[n] = *newest;
        *newest = now;
        if (readers) note_reader(w, &readers[n]);
        if (as_flag && o->heads && o->heads[n]) acquire_from(w, o->heads[n], now.seq);
    }
}

/* The order of additions shows where more than two terms meet, from waves or lanes that nothing orders, and one rounds. */
static void add_term(wave *w, const ins *I, const allocation *a, u64 n, const touch *now, bool rounded, bool from_zero)
{
    u8 *sum = &a->order->sums[n];
    touch old = a->order->atomics ? a->order->atomics[n] : (touch){0};
    bool more = old.group && old.kind & TOUCH_SUM;
    u32 terms = more ? (*sum & SUM_TERMS) : !from_zero, flags = more ? *sum & (SUM_UNORDERED | SUM_ROUNDED) : 0;
    if (more && (old.group != now->group || old.wave != now->wave || old.seq == now->seq)) flags |= SUM_UNORDERED;
    if (rounded) flags |= SUM_ROUNDED;
    terms = terms < SUM_TERMS ? terms + 1 : terms;
    *sum = (u8)(terms | flags);
    if (*sum == (SUM_TERMS | SUM_UNORDERED | SUM_ROUNDED))
        report_between(w, CODE_ATOMIC_ORDER, I, now->lane, old.ins + 1, old.wave, old.lane, old.group - 1,
                       a->address + (n << a->order->shift));
}

void note_atomic(wave *w, const ins *I, allocation *a, u64 offset, u32 bytes, u32 lane, bool sum, bool rounded, bool from_zero)
{
    order *o = a->order;
    touch now = touched_by(w, I, lane, TOUCH_ATOMIC | (sum ? TOUCH_SUM : 0), w->seq + 1);
    u64 first = offset >> o->shift, last = (offset + bytes - 1) >> o->shift;
    if (sum && needed(&o->sums, o->granules, 1)) add_term(w, I, a, first, &now, rounded, from_zero);
    if (!sum && needed(&o->heads, o->granules, sizeof *o->heads)) {
        if (I->memory & MEM_RETURN && o->heads[first]) acquire_from(w, o->heads[first], now.seq);
        publish(w, &o->heads[first], now.seq);
    }
    for (u64 n = first; n <= last; n++) {
        set_bytes(&now, bytes_of(n, o->shift, offset, bytes));
        replace_write(w, I, a, n, now);
    }
}

static bool conflict_in(const allocation *a, finding *f)
{
    const order *o = a->order;
    u64 bytes = f->seen;
    for (u64 n = 0; o && o->readers && n < o->granules; n++) {
        u32 low = o->readers[n] & 0xffff, high = o->readers[n] >> 16;
        for (u64 k = n << o->shift; low && k < (n + 1) << o->shift && k < a->size; k++) {
            u32 owner = a->owner[k];
            if (!owner || (owner == low && !high) || bytes++) continue;
            const touch *by = &o->reads[n], *other = &o->writes[n];
            *f = (finding){.code = CODE_READ_WRITE, .ins = by->ins, .other = other->ins + 1, .wave = by->wave, .lane = by->lane,
                           .other_wave = other->wave, .other_lane = other->lane, .workgroup = (owner == low ? high : low) - 1,
                           .other_workgroup = owner - 1, .address = a->address + k};
        }
    }
    f->seen = bytes;
    return bytes;
}

bool read_write_conflict(const launch *L, finding *f)
{
    bool any = false;
    *f = (finding){0};
    for (u32 i = 0; i < L->allocations; i++) any |= conflict_in(&L->memory[i], f);
    return any;
}
