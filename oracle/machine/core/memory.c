/* SPDX-License-Identifier: Apache-2.0 */
/* Device memory: a table of allocations with wide gaps, so that no 32-bit offset reaches a neighbour. */
#include "core.h"

/* Owners of neighbouring bytes as one word. The allocator aligns them to 16, so offsets that are even stay aligned. */
typedef u64 u64_of_u16 __attribute__((may_alias));
typedef u32 u32_of_u16 __attribute__((may_alias));

allocation *find_allocation(launch *L, u64 address, u64 size)
{
    u32 low = 0, high = L->allocations; /* sorted by address */
    while (low < high) {
        u32 middle = (low + high) / 2;
        if (L->memory[middle].address <= address) low = middle + 1; else high = middle;
    }
    if (low == 0) return NULL;
    allocation *a = &L->memory[low - 1];
    u64 offset = address - a->address;
    return offset <= a->size && size <= a->size - offset ? a : NULL;
}

static inline allocation *resolve(wave *w, u64 address, u32 bytes, allocation **hint)
{
    allocation *a = *hint;
    if (a && address >= a->address && address - a->address <= a->size && bytes <= a->size - (address - a->address))
        return a;
    a = find_allocation(w->wg->t->launch, address, bytes);
    if (a) *hint = a;
    return a;
}

static inline void small_copy(void *to, const void *from, u32 bytes)
{
    switch (bytes) {
    case 16: memcpy(to, from, 16); break;
    case 8: memcpy(to, from, 8); break;
    case 4: memcpy(to, from, 4); break;
    case 2: memcpy(to, from, 2); break;
    default: memcpy(to, from, bytes);
    }
}

bool memory_read(wave *w, const ins *I, u32 lane, u64 address, u32 bytes, void *to, allocation **hint)
{
    allocation *a = resolve(w, address, bytes, hint);
    if (!a) {
        memset(to, 0, bytes);
        report(w, CODE_OUTSIDE, I, lane, 0, 0, 0, address);
        return false;
    }
    u64 offset = address - a->address;
    small_copy(to, a->host + offset, bytes);
    if (w->checks && !a->initialised && a->owner)
        for (u32 i = 0; i < bytes; i++)
            if (!__atomic_load_n(&a->owner[offset + i], __ATOMIC_RELAXED)) {
                report(w, CODE_MEMORY_UNINIT, I, lane, 0, 0, 0, address);
                break;
            }
    if (a->order) note_read(w, I, a, offset, bytes, lane, to);
    return true;
}

void conflict(wave *w, const ins *I, u64 address, u64 other)
{
    thread *t = w->wg->t;
    u64 first = other < w->wg->id ? other : w->wg->id, second = other < w->wg->id ? w->wg->id : other;
    t->conflict_bytes++;
    if (t->conflict_bytes == 1 || address < t->conflict_address) {
        t->conflict_address = address;
        t->conflict_a = first;
        t->conflict_b = second;
        t->conflict_ins = ins_index(w, I);
    } else if (address == t->conflict_address) {
        /* Keep the two lowest workgroups, so that the report does not depend on the order of threads. */
        u64 ids[4] = {t->conflict_a, t->conflict_b, first, second};
        u64 a0 = ids[0], b0 = ~(u64)0;
        for (int k = 1; k < 4; k++) if (ids[k] < a0) a0 = ids[k];
        for (int k = 0; k < 4; k++) if (ids[k] != a0 && ids[k] < b0) b0 = ids[k];
        t->conflict_a = a0;
        t->conflict_b = b0;
    }
}

static inline void claim_byte(wave *w, const ins *I, allocation *a, u64 offset, u16 before, u16 me)
{
    if (before != 0 && before != me && !(cfg(w)->flags & LAUNCH_SYNCHRONISES)) conflict(w, I, a->address + offset, before - 1u);
}

/* Threads share the owners; the exchange is what costs. */
static inline u64 exchange(const wave *w, u64_of_u16 *owners, u64 mine)
{
    if (cfg(w)->threads > 1) return __atomic_exchange_n(owners, mine, __ATOMIC_RELAXED);
    u64 before = *owners;
    *owners = mine;
    return before;
}

void claim(wave *w, const ins *I, allocation *a, u64 offset, u32 bytes, u32 lane)
{
    note_write(w, I, a, offset, bytes, lane);
    u16 me = (u16)(1 + w->wg->id % 65535), *owner = a->owner + offset;
    /* Four bytes at once where they are aligned. */
    if (!(offset & 3) && !(bytes & 3)) {
        u64 mine = me * 0x0001000100010001u;
        for (u32 i = 0; i < bytes; i += 4) {
            u64 before = exchange(w, (u64_of_u16 *)(owner + i), mine);
            if (before == 0 || before == mine) continue;
            for (u32 k = 0; k < 4; k++) claim_byte(w, I, a, offset + i + k, (u16)(before >> 16 * k), me);
        }
        return;
    }
    if (!(offset & 1) && !(bytes & 1)) {
        u32 mine = me * 0x00010001u;
        for (u32 i = 0; i < bytes; i += 2) {
            u32 before = __atomic_exchange_n((u32_of_u16 *)(owner + i), mine, __ATOMIC_RELAXED);
            if (before == 0 || before == mine) continue;
            for (u32 k = 0; k < 2; k++) claim_byte(w, I, a, offset + i + k, (u16)(before >> 16 * k), me);
        }
        return;
    }
    for (u32 i = 0; i < bytes; i++)
        claim_byte(w, I, a, offset + i, __atomic_exchange_n(&owner[i], me, __ATOMIC_RELAXED), me);
}

bool memory_write(wave *w, const ins *I, u32 lane, u64 address, u32 bytes, const void *from, allocation **hint)
{
    allocation *a = resolve(w, address, bytes, hint);
    if (!a) {
        report(w, CODE_OUTSIDE, I, lane, 0, 0, 0, address);
        return false;
    }
    if (!a->writable) {
        report(w, CODE_READ_ONLY, I, lane, 0, 0, 0, address);
        return false;
    }
    u64 offset = address - a->address;
    small_copy(a->host + offset, from, bytes);
    if (w->checks && a->owner) claim(w, I, a, offset, bytes, lane);
    return true;
}
