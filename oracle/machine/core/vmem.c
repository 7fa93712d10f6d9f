/* SPDX-License-Identifier: Apache-2.0 */
/* Vector memory transfers: registers, LDS (DMA) and atomics against device memory. */
#include <math.h>

#include "valu.h"
#include "vmem.h"

u32 convert_in(u32 raw, u32 conversion, u32 old)
{
    u32 value = raw;
    switch (conversion & 7) {
    case UBYTE: value = raw & 0xff; break;
    case SBYTE: value = (u32)(i32)(i8)raw; break;
    case USHORT: value = raw & 0xffff; break;
    case SSHORT: value = (u32)(i32)(i16)raw; break;
    }
    if (conversion & D16_LOW) return (old & 0xffff0000) | (value & 0xffff);
    if (conversion & D16_HIGH) return (old & 0xffff) | value << 16;
    return value;
}

CLONES void to_rows(u32 (*restrict rows)[LANE_COUNT], const u32 *restrict image, u32 dwords)
{
    if (dwords == 4)
        LANES {
            rows[0][l] = image[4 * l];
            rows[1][l] = image[4 * l + 1];
            rows[2][l] = image[4 * l + 2];
            rows[3][l] = image[4 * l + 3];
        }
    else
        for (u32 i = 0; i < dwords; i++) LANES rows[i][l] = image[dwords * (u32)l + i];
}

CLONES static void extent(const u64 *address, u64 *low, u64 *high)
{
    u64 least = ~(u64)0, most = 0;
    LANES { u64 x = address[l]; least = x < least ? x : least; most = x > most ? x : most; }
    *low = least;
    *high = most;
}

/* The allocation that holds the accesses of all lanes in `mask`, or NULL where there is none. */
static allocation *common_allocation(wave *w, const lanes *at, u64 mask, u32 bytes)
{
    if (!mask) return NULL;
    u64 low = ~(u64)0, high = 0;
    if (mask == ~(u64)0) extent(at->address, &low, &high);
    else LANES if (mask >> l & 1) { u64 x = at->address[l]; low = x < low ? x : low; high = x > high ? x : high; }
    if (high + bytes < high) return NULL;
    return find_allocation(w->wg->t->launch, low, high + bytes - low);
}

static void alignment(wave *w, const ins *I, const lanes *at, u32 bytes)
{
    u64 mask = bytes >= 4 ? 3 : bytes - 1;
    u64 low = 0;
    LANES low |= at->address[l];
    if (!(low & mask)) return;
    LANES if (at->in_range >> l & 1 && at->address[l] & mask) {
        report(w, CODE_MISALIGNED_LOW, I, (u32)l, 0, 0, 0, at->address[l]);
        return;
    }
}

COLLECT(collect, u64)

/* What each lane reads, [lane][dwords]; zeros where it is not in range. */
static void gather(wave *w, const ins *I, const opdef *def, const lanes *at, u32 *image, const u32 *old, enum request kind)
{
    u32 bytes = I->width, dwords = (bytes + 3) / 4;
    allocation *a = common_allocation(w, at, at->in_range, bytes);
    count(w, COUNT_VMEM_READ, (u64)__builtin_popcountll(at->in_range) * bytes);
    count_requests(w, at, a, bytes, kind);
    if (w->checks) alignment(w, I, at, bytes);
    if (a && def->arg == WHOLE && !(w->checks && (!a->initialised || a->order)) && !at->partial) {
        collect(image, a->host - a->address, at->address, at->in_range, dwords);
        return;
    }
    allocation *hint = a;
    LANES {
        u32 *x = image + dwords * (u32)l, n = reached(at, (u32)l, bytes);
        memset(x, 0, 4 * dwords);
        if (n) memory_read(w, I, (u32)l, at->address[l], n, x, &hint);
        if (def->arg != WHOLE) x[0] = convert_in(x[0], def->arg, old ? old[l] : 0);
    }
}

void vmem_load(wave *w, const ins *I, const opdef *def, const lanes *at)
{
    const operand *d = &I->o[DST];
    u32 image[4 * LANE_COUNT] __attribute__((aligned(64)));
    const u32 *old = def->arg & (D16_LOW | D16_HIGH) ? w->v[d->reg] : NULL;
    pending *p = w->track ? pending_push(w, &w->vm, I, PENDING_VGPR) : NULL;
    u32 (*rows)[LANE_COUNT] = landing_rows(w, I, at->active, p);
    gather(w, I, def, at, image, old, REQUEST_LOAD);
    to_rows(rows, image, d->dwords);
    hand_over(w, I, at->active, p, rows);
}

/* LDS address = M0[17:0] + instruction offset + lane * size, wave-linear; lanes out of range write 0 (measured; LLVM
 * documents that the offset applies to both sides). Sub-dword loads take a dword each. */
void vmem_to_lds(wave *w, const ins *I, const opdef *def, const lanes *at)
{
    u32 bytes = I->width, step = bytes < 4 ? 4 : bytes, room = w->wg->lds_bytes;
    u32 start = (w->s[SGPR_M0] & 0x3ffff) + (u32)I->offset0;
    u32 local[4 * LANE_COUNT] __attribute__((aligned(64))), *image = local;
    bool late = cfg(w)->landing == LANDING_LATE;
    pending *p = NULL;
    if (start & 3) report(w, CODE_MISALIGNED, I, 0, 0, 0, 0, start);
    if (w->track) {
        p = pending_push(w, &w->vm, I, PENDING_DMA);
        p->exec = at->active;
        p->data_valid = late;
        p->access_bytes = (u8)step;
        p->start = start;
        if (late) image = p->data[0];
    }
    gather(w, I, def, at, image, NULL, REQUEST_DMA);
    count(w, COUNT_LDS_DMA, (u64)__builtin_popcountll(at->active) * step);
    if (!late) land_dma(w, start, step, at->active, image);
    u32 address[LANE_COUNT];
    u64 good = at->active;
    LANES address[l] = start + (u32)l * step;
    if (address[63] + step > room)
        LANES if (at->active >> l & 1 && address[l] + step > room) {
            report(w, CODE_LDS_LIMIT, I, (u32)l, 0, 0, 0, address[l]);
            good &= ~((u64)1 << l);
        }
    if (w->checks) lds_write_issue(w, I, address, step, good, p->seq, DMA_QUEUE);
}

static void count_store(wave *w, const ins *I)
{
    if (w->track) pending_push(w, &w->vm, I, PENDING_STORE);
}

void vmem_store(wave *w, const ins *I, const opdef *def, const lanes *at)
{
    u32 bytes = I->width, dwords = (bytes + 3) / 4;
    const operand *data = &I->o[SRC0];
    u32 shift = def->arg & D16_HIGH ? 16 : 0;
    allocation *a = common_allocation(w, at, at->in_range, bytes);
    count(w, COUNT_VMEM_WRITE, (u64)__builtin_popcountll(at->in_range) * bytes);
    count_requests(w, at, a, bytes, REQUEST_STORE);
    if (w->checks) alignment(w, I, at, bytes);
    count_store(w, I);
    u32 (*rows)[ROW] = &w->v[data->reg];
    if (a && a->writable && shift == 0 && !at->partial) {
        u8 *host = a->host - a->address;
        LANES {
            if (!(at->in_range >> l & 1)) continue;
            u32 x[4];
            for (u32 i = 0; i < dwords; i++) x[i] = rows[i][l];
            switch (bytes) {
            case 16: memcpy(host + at->address[l], x, 16); break;
            case 8: memcpy(host + at->address[l], x, 8); break;
            case 4: memcpy(host + at->address[l], x, 4); break;
            default: memcpy(host + at->address[l], x, bytes);
            }
        }
        if (w->checks && a->owner)
            LANES if (at->in_range >> l & 1) claim(w, I, a, at->address[l] - a->address, bytes, (u32)l);
        return;
    }
    allocation *hint = a;
    LANES {
        u32 x[4], n = reached(at, (u32)l, bytes);
        if (!n) continue;
        for (u32 i = 0; i < dwords; i++) x[i] = rows[i][l] >> shift;
        memory_write(w, I, (u32)l, at->address[l], n, x, &hint);
    }
}

static u32 add_halves(u32 old, u32 value, bool bf16)
{
    u32 r = 0;
    for (int i = 0; i < 32; i += 16) {
        u32 x = old >> i & 0xffff, y = value >> i & 0xffff, sum;
        if (bf16) sum = f32_to_bf16(as_u32(as_f32(x << 16) + as_f32(y << 16)));
        else sum = f32_to_f16(f16_to_f32((u16)x) + f16_to_f32((u16)y));
        r |= (sum & 0xffff) << i;
    }
    return r;
}

/* Floating-point adds round to nearest even (CDNA4 ISA 9.2). */
u32 atomic_result(enum atomic_op op, u32 old, u32 value, u32 compare)
{
    switch (op) {
    case AT_ADD: return old + value;
    case AT_SUB: return old - value;
    case AT_RSUB: return value - old;
    case AT_SMIN: return (i32)old < (i32)value ? old : value;
    case AT_UMIN: return old < value ? old : value;
    case AT_SMAX: return (i32)old > (i32)value ? old : value;
    case AT_UMAX: return old > value ? old : value;
    case AT_AND: return old & value;
    case AT_OR: return old | value;
    case AT_XOR: return old ^ value;
    case AT_SWAP: return value;
    case AT_INC: return old >= value ? 0 : old + 1;
    case AT_DEC: return old == 0 || old > value ? value : old - 1;
    case AT_ADD_F32: return as_u32(as_f32(old) + as_f32(value));
    case AT_PK_ADD_F16: return add_halves(old, value, false);
    case AT_PK_ADD_BF16: return add_halves(old, value, true);
    case AT_CMPSWAP: return old == compare ? value : old;
    default: return old;
    }
}

static bool float_sum(enum atomic_op op)
{
    return op == AT_ADD_F32 || op == AT_PK_ADD_F16 || op == AT_PK_ADD_BF16 || op == AT_ADD_F64;
}

/* Whether a + b is not `sum` exactly: Knuth's two-sum gives the error of the addition in double. */
static bool inexact(double a, double b, double sum)
{
    double s = a + b, part = s - a, error = (a - (s - part)) + (b - part);
    return sum == sum && (sum != s || error != 0);
}

static bool rounded(enum atomic_op op, u64 old, u64 value, u64 now)
{
    if (op == AT_ADD_F64) return inexact(as_f64(old), as_f64(value), as_f64(now));
    if (op == AT_ADD_F32) return inexact(as_f32((u32)old), as_f32((u32)value), as_f32((u32)now));
    bool any = false;
    for (u32 i = 0; i < 32; i += 16) {
        float x[3];
        u64 given[3] = {old, value, now};
        for (u32 k = 0; k < 3; k++) {
            u16 half = (u16)(given[k] >> i);
            x[k] = op == AT_PK_ADD_BF16 ? as_f32((u32)half << 16) : f16_to_f32(half);
        }
        any |= inexact(x[0], x[1], x[2]);
    }
    return any;
}

/* Atomics run on one thread for the whole launch (Python sees to it), so the order is that of workgroups and waves. */
void vmem_atomic(wave *w, const ins *I, const opdef *def, const lanes *at)
{
    const operand *data = &I->o[SRC0];
    enum atomic_op op = (enum atomic_op)def->arg;
    bool wide = op == AT_ADD_F64 || op == AT_ADD_X2;
    u32 bytes = wide ? 8 : 4;
    u32 (*rows)[ROW] = &w->v[data->reg];
    u32 before[2][LANE_COUNT];
    memset(before, 0, sizeof before);
    count(w, COUNT_ATOMIC, (u64)__builtin_popcountll(at->in_range) * bytes);
    count_requests(w, at, common_allocation(w, at, at->in_range, bytes), bytes, REQUEST_ATOMIC);
    LANES {
        if (!(at->in_range >> l & 1)) continue;
        u64 address = at->address[l], old = 0, now;
        if (address & (bytes - 1)) { report(w, CODE_MISALIGNED, I, (u32)l, 0, 0, 0, address); continue; }
        allocation *a = find_allocation(w->wg->t->launch, address, bytes);
        if (!a) { report(w, CODE_OUTSIDE, I, (u32)l, 0, 0, 0, address); continue; }
        if (!a->writable) { report(w, CODE_READ_ONLY, I, (u32)l, 0, 0, 0, address); continue; }
        memcpy(&old, a->host + (address - a->address), bytes);
        u64 value = rows[0][l] | (wide ? (u64)rows[1][l] << 32 : 0);
        if (op == AT_ADD_F64) now = f64_bits(as_f64(old) + as_f64(value));
        else if (op == AT_ADD_X2) now = old + value;
        else now = atomic_result(op, (u32)old, (u32)value, op == AT_CMPSWAP ? rows[1][l] : 0);
        memcpy(a->host + (address - a->address), &now, bytes);
        if (w->checks && a->order)
            note_atomic(w, I, a, address - a->address, bytes, (u32)l, float_sum(op), float_sum(op) && rounded(op, old, value, now), !old);
        before[0][l] = (u32)old;
        before[1][l] = (u32)(old >> 32);
    }
    if (!(I->memory & MEM_RETURN)) { count_store(w, I); return; }
    deliver(w, I, at->active, before);
}
