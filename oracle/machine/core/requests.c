/* SPDX-License-Identifier: Apache-2.0 */
/* Vector memory requests: of one wave instruction, the distinct 64-byte segments that its lanes reach. */
#include "vmem.h"

enum { SEGMENT_SHIFT = 6, SEEN_BITS = 8 }; /* at most two segments a lane, so half of the table stays empty */

typedef struct {
    u64 slot[1 << SEEN_BITS]; /* 1 + segment, 0 empty */
} seen;

static bool first_time(seen *s, u64 segment)
{
    u32 i = (u32)(segment * 0x9e3779b97f4a7c15u >> (64 - SEEN_BITS));
    for (;; i = (i + 1) & ((1 << SEEN_BITS) - 1)) {
        if (s->slot[i] == segment + 1) return false;
        if (s->slot[i]) continue;
        s->slot[i] = segment + 1;
        return true;
    }
}

/* Lanes that read on from one another, the usual case: all segments from the first byte to the last. */
CLONES static bool linear(const lanes *at, u32 bytes)
{
    u64 first = at->address[0], wrong = ~at->in_range;
    LANES wrong |= at->address[l] ^ (first + (u64)l * bytes);
    return !wrong;
}

static u64 *counted(wave *w, const allocation *a, enum request kind)
{
    thread *t = w->wg->t;
    const launch *L = t->launch;
    return &t->requests[a ? (u32)(a - L->memory) : L->allocations][kind];
}

void count_requests(wave *w, const lanes *at, const allocation *a, u32 bytes, enum request kind)
{
    u64 rest = at->in_range | at->partial, last = ~(u64)0;
    if (a && linear(at, bytes)) {
        u64 low = at->address[0], high = low + LANE_COUNT * (u64)bytes - 1;
        *counted(w, a, kind) += (high >> SEGMENT_SHIFT) - (low >> SEGMENT_SHIFT) + 1;
        return;
    }
    seen s;
    memset(&s, 0, sizeof s);
    for (; rest; rest &= rest - 1) {
        u32 l = (u32)__builtin_ctzll(rest);
        u64 end = at->address[l] + reached(at, l, bytes) - 1;
        for (u64 x = at->address[l]; x >> SEGMENT_SHIFT <= end >> SEGMENT_SHIFT; x = ((x >> SEGMENT_SHIFT) + 1) << SEGMENT_SHIFT) {
            if (x >> SEGMENT_SHIFT == last || !first_time(&s, last = x >> SEGMENT_SHIFT)) continue;
            ++*counted(w, a ? a : find_allocation(w->wg->t->launch, x, 1), kind);
        }
    }
}
