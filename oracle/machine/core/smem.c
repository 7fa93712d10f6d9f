/* SPDX-License-Identifier: Apache-2.0 */
/* Scalar memory (CDNA4 ISA 8 and 12.6). Offsets are bytes; s_buffer_load clamps against num_records dword by dword. */
#include "core.h"
#include "vmem.h"

/* Data that a load or an atomic brings back: at once, or with the wait that retires it. */
static void return_scalars(wave *w, const ins *I, const u32 *data, u32 dwords)
{
    const operand *d = &I->o[DST];
    bool late = cfg(w)->landing == LANDING_LATE;
    if (!late) memcpy(&w->s[d->reg], data, dwords * 4);
    for (u32 i = 0; i < dwords; i++) w->sopen[d->reg + i] &= IN_FLIGHT;
    if (!w->track) return;
    pending *p = pending_push(w, &w->sm, I, PENDING_SGPR);
    p->reg = d->reg;
    p->dwords = (u8)dwords;
    p->data_valid = late;
    for (u32 i = 0; i < dwords; i++) {
        p->data[0][i] = data[i];
        w->spend[d->reg + i] = p->ins + 1;
        w->sopen[d->reg + i] |= IN_FLIGHT;
    }
}

static void load(wave *w, const ins *I, u64 address, u32 dwords, u32 in_range)
{
    u32 data[16];
    allocation *hint = NULL;
    if (address & 3) report(w, CODE_MISALIGNED, I, 0, 0, 0, 0, address);
    address &= ~(u64)3; /* the two low bits are ignored */
    if (in_range > dwords) in_range = dwords;
    memset(data, 0, sizeof data);
    if (in_range) {
        if (!memory_read(w, I, 0, address, in_range * 4, data, &hint) && in_range > 1) {
            /* A wide load may overhang: take what is inside, dword by dword; the finding is already made. */
            for (u32 i = 0; i < in_range; i++) {
                allocation *a = find_allocation(w->wg->t->launch, address + 4 * i, 4);
                if (a) memcpy(&data[i], a->host + (address + 4 * i - a->address), 4);
            }
        }
    }
    count(w, COUNT_SMEM_READ, dwords * 4);
    return_scalars(w, I, data, dwords);
}

/* offset = immediate + SGPR */
static u64 offset_of(wave *w, const ins *I)
{
    u64 offset = (u64)(i64)I->offset0;
    if (I->o[SRC1].kind == SGPR) offset += w->s[I->o[SRC1].reg];
    return offset;
}

static void run_load(wave *w, const ins *I, const opdef *def)
{
    load(w, I, scalar_source(w, &I->o[SRC0]) + offset_of(w, I), def->arg, def->arg);
}

static void run_buffer_load(wave *w, const ins *I, const opdef *def)
{
    const u32 *d = &w->s[I->o[SRC0].reg];
    u64 base = d[0] | (u64)(d[1] & 0xffff) << 32, offset = offset_of(w, I);
    u32 stride = d[1] >> 16 & 0x3fff;
    u64 size = stride ? (u64)d[2] * stride : d[2];
    u32 in_range = offset >= size ? 0 : (u32)((size - offset) / 4 > 16 ? 16 : (size - offset) / 4);
    if (in_range < def->arg) count(w, COUNT_OUT_OF_RANGE, 1);
    load(w, I, base + offset, def->arg, in_range);
}

static void run_store(wave *w, const ins *I, const opdef *def)
{
    u64 address = scalar_source(w, &I->o[SRC0]) + offset_of(w, I);
    allocation *hint = NULL;
    if (address & 3) report(w, CODE_MISALIGNED, I, 0, 0, 0, 0, address);
    count(w, COUNT_VMEM_WRITE, def->arg * 4);
    memory_write(w, I, 0, address & ~(u64)3, def->arg * 4, &w->s[I->o[SRC2].reg], &hint);
    if (w->track) pending_push(w, &w->sm, I, PENDING_OTHER);
}

/* In the order of workgroups and waves, as vector atomics: Python runs such a launch on one thread. */
static void run_atomic(wave *w, const ins *I, const opdef *def)
{
    u64 address = (scalar_source(w, &I->o[SRC0]) + offset_of(w, I)) & ~(u64)3;
    allocation *a = find_allocation(w->wg->t->launch, address, 4);
    u32 old = 0, value = w->s[I->o[SRC2].reg];
    count(w, COUNT_ATOMIC, 4);
    if (!a) report(w, CODE_OUTSIDE, I, 0, 0, 0, 0, address);
    else if (!a->writable) report(w, CODE_READ_ONLY, I, 0, 0, 0, 0, address);
    else {
        u8 *host = a->host + (address - a->address);
        memcpy(&old, host, 4);
        value = atomic_result((enum atomic_op)def->arg, old, value, 0);
        memcpy(host, &value, 4);
    }
    if (I->memory & MEM_RETURN) return_scalars(w, I, &old, 1);
    else if (w->track) pending_push(w, &w->sm, I, PENDING_OTHER);
}

/* The clock is the number of instructions that the wave has executed: deterministic and increasing. */
static void run_time(wave *w, const ins *I, const opdef *def)
{
    (void)def;
    scalar_write(w, &I->o[DST], w->executed);
}

static void run_cache(wave *w, const ins *I, const opdef *def) { (void)w; (void)I; (void)def; }

#define A(NAME, KIND) {OP_s_atomic_##NAME, run_atomic, 0, KIND}
const opdef smem_defs[] = {
    {OP_s_store_dword, run_store, 0, 1}, {OP_s_store_dwordx2, run_store, 0, 2}, {OP_s_store_dwordx4, run_store, 0, 4},
    A(add, AT_ADD), A(sub, AT_SUB), A(smin, AT_SMIN), A(umin, AT_UMIN), A(smax, AT_SMAX), A(umax, AT_UMAX), A(and, AT_AND),
    A(or, AT_OR), A(xor, AT_XOR), A(swap, AT_SWAP), A(inc, AT_INC), A(dec, AT_DEC),
    {OP_s_load_dword, run_load, 0, 1}, {OP_s_load_dwordx2, run_load, 0, 2}, {OP_s_load_dwordx4, run_load, 0, 4},
    {OP_s_load_dwordx8, run_load, 0, 8}, {OP_s_load_dwordx16, run_load, 0, 16},
    {OP_s_buffer_load_dword, run_buffer_load, 0, 1}, {OP_s_buffer_load_dwordx2, run_buffer_load, 0, 2},
    {OP_s_buffer_load_dwordx4, run_buffer_load, 0, 4}, {OP_s_buffer_load_dwordx8, run_buffer_load, 0, 8},
    {OP_s_buffer_load_dwordx16, run_buffer_load, 0, 16}, {OP_s_memtime, run_time, 0, 0},
    {OP_s_memrealtime, run_time, 0, 0}, {OP_s_dcache_inv, run_cache, 0, 0}, {OP_s_dcache_wb, run_cache, 0, 0},
    {OP_s_dcache_inv_vol, run_cache, 0, 0}, {OP_s_dcache_wb_vol, run_cache, 0, 0},
    {0, 0, 0, 0},
};
