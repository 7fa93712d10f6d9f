/* SPDX-License-Identifier: Apache-2.0 */
/* FLAT, GLOBAL and SCRATCH addressing (CDNA4 ISA 10). Address operand: 64-bit VGPR pair, or SGPR pair plus a 32-bit
 * VGPR; scratch: byte offset in the lane's private memory. Flat addresses whose high dword is an aperture go there. */
#include "vmem.h"

static void global_lanes(wave *w, const ins *I, lanes *at)
{
    i64 offset = I->offset0;
    at->active = at->in_range = exec_mask(w);
    at->partial = 0;
    const operand *v = &I->o[SRC1], *s = &I->o[SRC2];
    if (I->memory & MEM_SADDR) {
        u64 base = read64(&w->s[s->reg]) + (u64)offset;
        const u32 *row = w->v[v->reg];
        if (I->memory & MEM_VADDR) LANES at->address[l] = base + row[l];
        else LANES at->address[l] = base;
        return;
    }
    const u32 *low = w->v[v->reg], *high = w->v[v->reg + 1];
    LANES at->address[l] = ((u64)low[l] | (u64)high[l] << 32) + (u64)offset;
}

static void run_global_load(wave *w, const ins *I, const opdef *def)
{
    lanes at;
    global_lanes(w, I, &at);
    if (I->memory & MEM_LDS) vmem_to_lds(w, I, def, &at);
    else vmem_load(w, I, def, &at);
}

static void run_global_store(wave *w, const ins *I, const opdef *def)
{
    lanes at;
    global_lanes(w, I, &at);
    vmem_store(w, I, def, &at);
}

static void run_global_atomic(wave *w, const ins *I, const opdef *def)
{
    lanes at;
    global_lanes(w, I, &at);
    vmem_atomic(w, I, def, &at);
}

/* Private memory of lane l starts at scratch + l * bytes. Returns NULL and reports when outside. */
static u8 *private_at(wave *w, const ins *I, u32 lane, u64 offset, u32 bytes)
{
    u32 room = cfg(w)->scratch_bytes;
    if (offset + bytes > room || offset + bytes < offset) {
        report(w, CODE_SCRATCH, I, lane, 0, 0, 0, offset);
        return NULL;
    }
    return w->scratch + (u64)lane * room + offset;
}

static u8 *local_at(wave *w, const ins *I, u32 lane, u64 offset, u32 bytes)
{
    if (offset + bytes > w->wg->lds_bytes || offset + bytes < offset) {
        report(w, CODE_LDS_LIMIT, I, lane, 0, 0, 0, offset);
        return NULL;
    }
    return w->wg->lds + offset;
}

static void scratch_offsets(wave *w, const ins *I, u64 *offset)
{
    u32 base = (u32)I->offset0 + (I->memory & MEM_SADDR ? w->s[I->o[SRC2].reg] : 0);
    if (I->memory & MEM_VADDR) LANES offset[l] = (u32)(base + w->v[I->o[SRC1].reg][l]);
    else LANES offset[l] = base;
}

/* Private memory holds a value where the register did that was stored there, dword by dword, as compilers spill. What a load
 * finds without one is added to `lacks`, the lanes of each dword. */
static void note_private(wave *w, const ins *I, u64 mask, u64 offset, bool store, u64 *lacks)
{
    if (!w->spilled || offset + I->width > cfg(w)->scratch_bytes) return;
    for (u32 i = 0; i < I->width; i++) {
        u64 *holds = &w->spilled[(offset + i) / 4];
        if (store) *holds = (*holds & ~mask) | (w->init[I->o[SRC0].reg + i / 4] & mask);
        else lacks[i / 4] |= ~*holds & mask;
    }
}

static void transfer(wave *w, const ins *I, const opdef *def, u32 lane, u8 *at, bool store, u32 (*rows)[LANE_COUNT])
{
    u32 bytes = I->width, dwords = (bytes + 3) / 4, x[4] = {0};
    count(w, COUNT_SCRATCH, bytes);
    if (store) {
        u32 shift = def->arg & D16_HIGH ? 16 : 0;
        for (u32 i = 0; i < dwords; i++) x[i] = w->v[I->o[SRC0].reg + i][lane] >> shift;
        if (at) memcpy(at, x, bytes);
        return;
    }
    if (at) memcpy(x, at, bytes);
    u32 old = def->arg & (D16_LOW | D16_HIGH) ? w->v[I->o[DST].reg][lane] : 0;
    if (def->arg != WHOLE) x[0] = convert_in(x[0], def->arg, old);
    for (u32 i = 0; i < dwords; i++) rows[i][lane] = x[i];
}

static void scratch(wave *w, const ins *I, const opdef *def, bool store)
{
    u64 exec = exec_mask(w), offset[LANE_COUNT], lacks[4] = {0};
    u32 rows[4][LANE_COUNT] = {{0}};
    scratch_offsets(w, I, offset);
    LANES if (exec >> l & 1)
        transfer(w, I, def, (u32)l, private_at(w, I, (u32)l, offset[l], I->width), store, rows);
    if (!(I->memory & MEM_VADDR)) note_private(w, I, exec, offset[0], store, lacks);
    else LANES if (exec >> l & 1) note_private(w, I, (u64)1 << l, offset[l], store, lacks);
    if (!store) {
        deliver(w, I, exec, rows);
        for (u32 i = 0, reg = I->o[DST].reg; w->checks && i < I->o[DST].dwords; i++) set_init(w, reg + i, w->init[reg + i] & ~lacks[i]);
    } else if (w->track) pending_push(w, &w->vm, I, PENDING_STORE);
}

static void run_scratch_load(wave *w, const ins *I, const opdef *def) { scratch(w, I, def, false); }
static void run_scratch_store(wave *w, const ins *I, const opdef *def) { scratch(w, I, def, true); }

/* A flat operation may touch three memories at once; lanes are served one by one unless all are global. */
static void flat(wave *w, const ins *I, const opdef *def, bool store)
{
    lanes at;
    global_lanes(w, I, &at);
    bool global = true;
    LANES if (at.active >> l & 1) {
        u32 high = (u32)(at.address[l] >> 32);
        if (high == SHARED_APERTURE_HIGH || high == PRIVATE_APERTURE_HIGH) global = false;
    }
    if (global) {
        if (store) vmem_store(w, I, def, &at);
        else vmem_load(w, I, def, &at);
    } else {
        u32 rows[4][LANE_COUNT] = {{0}};
        allocation *hint = NULL;
        LANES {
            if (!(at.active >> l & 1)) continue;
            u32 high = (u32)(at.address[l] >> 32), low = (u32)at.address[l], lane = (u32)l;
            if (high == PRIVATE_APERTURE_HIGH) {
                transfer(w, I, def, lane, private_at(w, I, lane, low, I->width), store, rows);
                if (store) note_private(w, I, (u64)1 << l, low, true, NULL);
            }
            else if (high == SHARED_APERTURE_HIGH) transfer(w, I, def, lane, local_at(w, I, lane, low, I->width), store, rows);
            else {
                u32 x[4] = {0};
                if (store) {
                    for (u32 i = 0; i < (I->width + 3u) / 4; i++) x[i] = w->v[I->o[SRC0].reg + i][l] >> (def->arg & D16_HIGH ? 16 : 0);
                    memory_write(w, I, lane, at.address[l], I->width, x, &hint);
                } else {
                    memory_read(w, I, lane, at.address[l], I->width, x, &hint);
                    u32 old = def->arg & (D16_LOW | D16_HIGH) ? w->v[I->o[DST].reg][l] : 0;
                    if (def->arg != WHOLE) x[0] = convert_in(x[0], def->arg, old);
                    for (u32 i = 0; i < (I->width + 3u) / 4; i++) rows[i][l] = x[i];
                }
            }
        }
        if (!store) deliver(w, I, at.active, rows);
        else if (w->track) pending_push(w, &w->vm, I, PENDING_STORE);
    }
    /* FLAT counts in lgkmcnt too. */
    if (w->track) pending_push(w, &w->sm, I, PENDING_OTHER);
}
static void run_flat_load(wave *w, const ins *I, const opdef *def) { flat(w, I, def, false); }
static void run_flat_store(wave *w, const ins *I, const opdef *def) { flat(w, I, def, true); }

#define LOADS(K) \
    {OP_##K##_load_ubyte, run_##K##_load, 0, UBYTE}, {OP_##K##_load_sbyte, run_##K##_load, 0, SBYTE}, \
        {OP_##K##_load_ushort, run_##K##_load, 0, USHORT}, {OP_##K##_load_sshort, run_##K##_load, 0, SSHORT}, \
        {OP_##K##_load_ubyte_d16, run_##K##_load, 0, UBYTE | D16_LOW}, \
        {OP_##K##_load_sbyte_d16, run_##K##_load, 0, SBYTE | D16_LOW}, \
        {OP_##K##_load_short_d16, run_##K##_load, 0, USHORT | D16_LOW}, \
        {OP_##K##_load_ubyte_d16_hi, run_##K##_load, 0, UBYTE | D16_HIGH}, \
        {OP_##K##_load_sbyte_d16_hi, run_##K##_load, 0, SBYTE | D16_HIGH}, \
        {OP_##K##_load_short_d16_hi, run_##K##_load, 0, USHORT | D16_HIGH}, {OP_##K##_load_dword, run_##K##_load, 0, WHOLE}, \
        {OP_##K##_load_dwordx2, run_##K##_load, 0, WHOLE}, {OP_##K##_load_dwordx3, run_##K##_load, 0, WHOLE}, \
        {OP_##K##_load_dwordx4, run_##K##_load, 0, WHOLE}, {OP_##K##_store_byte, run_##K##_store, 0, WHOLE}, \
        {OP_##K##_store_short, run_##K##_store, 0, WHOLE}, {OP_##K##_store_byte_d16_hi, run_##K##_store, 0, D16_HIGH}, \
        {OP_##K##_store_short_d16_hi, run_##K##_store, 0, D16_HIGH}, {OP_##K##_store_dword, run_##K##_store, 0, WHOLE}, \
        {OP_##K##_store_dwordx2, run_##K##_store, 0, WHOLE}, {OP_##K##_store_dwordx3, run_##K##_store, 0, WHOLE}, \
        {OP_##K##_store_dwordx4, run_##K##_store, 0, WHOLE}
#define TO_LDS(NAME, CONVERSION) {OP_global_load_lds_##NAME, run_global_load, 0, CONVERSION}
#define A(NAME, KIND) \
    {OP_global_atomic_##NAME, run_global_atomic, 0, KIND}, {OP_flat_atomic_##NAME, run_global_atomic, 0, KIND}
const opdef flat_defs[] = {
    LOADS(flat), LOADS(global), LOADS(scratch), TO_LDS(ubyte, UBYTE), TO_LDS(sbyte, SBYTE), TO_LDS(ushort, USHORT),
    TO_LDS(sshort, SSHORT), TO_LDS(dword, WHOLE), TO_LDS(dwordx3, WHOLE), TO_LDS(dwordx4, WHOLE), A(add, AT_ADD),
    A(sub, AT_SUB), A(smin, AT_SMIN), A(umin, AT_UMIN), A(smax, AT_SMAX), A(umax, AT_UMAX), A(and, AT_AND), A(or, AT_OR),
    A(xor, AT_XOR), A(swap, AT_SWAP), A(inc, AT_INC), A(dec, AT_DEC), A(add_f32, AT_ADD_F32),
    A(pk_add_f16, AT_PK_ADD_F16), A(pk_add_bf16, AT_PK_ADD_BF16), A(add_f64, AT_ADD_F64), A(cmpswap, AT_CMPSWAP),
    A(add_x2, AT_ADD_X2),
    {0, 0, 0, 0},
};
