/* SPDX-License-Identifier: Apache-2.0 */
/* MUBUF: descriptor, address and range check (CDNA4 ISA 9.1), 32-bit word by word. AMD's manual and AMD's emulator differ
 * on SOFFSET (docs/notes/hardware.md#range-check), so the launch names one of three rules and the checker reports accesses
 * on which they differ. */
#include "valu.h"
#include "vmem.h"

typedef struct {
    u64 base, records;
    u32 stride, soffset;
} descriptor;

static bool read_descriptor(wave *w, const ins *I, descriptor *v)
{
    const u32 *r = &w->s[I->o[SRC2].reg];
    v->base = r[0] | (u64)(r[1] & 0xffff) << 32;
    v->stride = r[1] >> 16 & 0x3fff;
    v->records = r[2];
    v->soffset = (u32)scalar_source(w, &I->o[SRC3]);
    /* Swizzled addressing and add_tid_enable reorder the buffer; no known GEMM uses them. */
    if (r[1] >> 31 || r[3] >> 23 & 1) {
        fault(w, I, FAULT_DESCRIPTOR, (u64)r[3] << 32 | r[1]);
        return false;
    }
    return true;
}

/* Bytes behind the first one that `soffset` leaves in range. SIGNED is what AMD's emulator does and says of gfx950. */
static u64 room(const descriptor *v, u32 rule)
{
    switch (rule) {
    case RANGE_SIGNED: return v->records > v->soffset ? v->records - v->soffset : 0;
    case RANGE_UNSIGNED: return (u32)((u32)v->records - v->soffset);
    default: return v->records;
    }
}

/* Each 32-bit word of an access is checked by itself. */
static u32 bytes_in_range(u64 offset, u32 bytes, u64 limit)
{
    if (offset + bytes <= limit) return bytes;
    return offset >= limit || bytes < 4 ? 0 : (u32)(limit - offset) & ~3u;
}

/* Lanes that come near an end: of the others every byte lies before the least limit, or none before the largest. */
CLONES static u64 near_an_end(const u64 *offset, u32 bytes, u64 least, u64 largest)
{
    u32 flags[ROW];
    IVDEP LANES flags[l] = (u32)(offset[l] + bytes > least) & (u32)(offset[l] < largest);
    return pack_bits(flags);
}

static void compare_rules(wave *w, const ins *I, const descriptor *v, const lanes *at, const u64 *offset, bool store)
{
    u32 bytes = I->width;
    if (!v->soffset && at->in_range == at->active) return; /* the rules are one */
    u64 limit[3], least = ~(u64)0, largest = 0;
    for (u32 rule = 0; rule < 3; rule++) {
        u64 x = limit[rule] = room(v, rule);
        least = x < least ? x : least;
        largest = x > largest ? x : largest;
    }
    for (u64 rest = at->active & near_an_end(offset, bytes, least, largest); rest; rest &= rest - 1) {
        u32 l = (u32)__builtin_ctzll(rest), reach[3], most = 0;
        for (u32 rule = 0; rule < 3; rule++) {
            reach[rule] = bytes_in_range(offset[l], bytes, limit[rule]);
            if (reach[rule] > most) most = reach[rule];
        }
        if (reach[0] != reach[1] || reach[0] != reach[2]) {
            bool inside = find_allocation(w->wg->t->launch, at->address[l], most) != NULL;
            report(w, store || !inside ? CODE_RANGE_RULE : CODE_RANGE_RULE_LOAD, I, l, 0, 0, 0, at->address[l]);
        }
        u64 left = limit[cfg(w)->range_rule] - offset[l];
        if (left >= bytes || left == 0) continue;
        report(w, left & 3 ? CODE_PARTIAL_WORD : CODE_PARTIAL_RANGE, I, l, 0, 0, 0, at->address[l]);
    }
}

static void report_wraps(wave *w, const ins *I, const lanes *at, const u32 *voffset)
{
    if (!I->offset0) return;
    LANES if (at->active >> l & 1 && voffset[l] + (u32)I->offset0 < voffset[l])
        report(w, CODE_OFFSET_WRAPS, I, (u32)l, 0, 0, 0, at->address[l]);
}

/* offset = (voffset + inst) mod 2^32, and then soffset without a wrap. */
CLONES static u64 resolve_raw(u64 *address, u64 *offset, const u32 *voffset, u32 inst, u64 start, u64 limit)
{
    u32 flags[ROW];
    IVDEP LANES {
        u64 o = voffset[l] + inst;
        offset[l] = o;
        address[l] = start + o;
        flags[l] = o < limit;
    }
    return pack_bits(flags);
}

/* Lanes that are not wholly in range, but with some of their dwords. */
static void find_partial(lanes *at, const u64 *offset, u32 bytes, u64 limit)
{
    u64 rest = at->active & ~at->in_range;
    for (; rest; rest &= rest - 1) {
        u32 l = (u32)__builtin_ctzll(rest), reach = bytes_in_range(offset[l], bytes, limit);
        at->words[l] = (u8)(reach / 4);
        if (reach) at->partial |= (u64)1 << l;
    }
}

static bool resolve(wave *w, const ins *I, lanes *at, bool store)
{
    descriptor v;
    static const u32 zero[ROW];
    u64 offset[LANE_COUNT];
    u32 bytes = I->width;
    if (!read_descriptor(w, I, &v)) return false;
    const u32 *index = zero, *voffset = zero;
    if (I->memory & MEM_IDXEN) {
        index = w->v[I->o[SRC1].reg];
        if (I->memory & MEM_OFFEN) voffset = w->v[I->o[SRC1].reg + 1];
    } else if (I->memory & MEM_OFFEN) voffset = w->v[I->o[SRC1].reg];
    at->active = exec_mask(w);
    at->partial = 0;
    if (I->memory & MEM_IDXEN && v.stride) {
        /* Structured: num_records counts elements. */
        u64 mask = 0;
        LANES {
            u64 in_element = (u64)voffset[l] + (u32)I->offset0;
            at->address[l] = v.base + v.soffset + (u64)index[l] * v.stride + in_element;
            if (index[l] < v.records && in_element + bytes <= v.stride) mask |= (u64)1 << l;
        }
        at->in_range = mask & at->active;
    } else {
        u64 limit = room(&v, cfg(w)->range_rule), first_outside = limit < bytes ? 0 : limit - bytes + 1;
        at->in_range = resolve_raw(at->address, offset, voffset, (u32)I->offset0, v.base + v.soffset, first_outside) & at->active;
        if (bytes > 4 && at->in_range != at->active) find_partial(at, offset, bytes, limit);
        if (w->checks) {
            compare_rules(w, I, &v, at, offset, store);
            report_wraps(w, I, at, voffset);
        }
    }
    if (at->in_range != at->active)
        count(w, COUNT_OUT_OF_RANGE, (u64)__builtin_popcountll(at->active & ~at->in_range));
    return true;
}

static void run_load(wave *w, const ins *I, const opdef *def)
{
    lanes at;
    if (!resolve(w, I, &at, false)) return;
    if (I->memory & MEM_LDS) vmem_to_lds(w, I, def, &at);
    else vmem_load(w, I, def, &at);
}

static void run_store(wave *w, const ins *I, const opdef *def)
{
    lanes at;
    if (resolve(w, I, &at, true)) vmem_store(w, I, def, &at);
}

static void run_atomic(wave *w, const ins *I, const opdef *def)
{
    lanes at;
    if (!resolve(w, I, &at, true)) return;
    at.partial = 0; /* an atomic is made whole or not at all */
    vmem_atomic(w, I, def, &at);
}

static void run_cache(wave *w, const ins *I, const opdef *def)
{
    (void)def;
    if (w->track) pending_push(w, &w->vm, I, PENDING_OTHER);
}

/* sc1: of the agent or the system, so for other workgroups. */
static void run_writeback(wave *w, const ins *I, const opdef *def)
{
    (void)def;
    if (!w->track) return;
    const pending *p = pending_push(w, &w->vm, I, I->memory & MEM_SC1 ? PENDING_WRITEBACK : PENDING_OTHER);
    if (I->memory & MEM_SC1) note_writeback(w, p);
}

static void run_invalidate(wave *w, const ins *I, const opdef *def)
{
    run_cache(w, I, def);
    if (w->checks && I->memory & MEM_SC1) note_invalidate(w);
}

#define L(NAME, CONVERSION) {OP_buffer_load_##NAME, run_load, 0, CONVERSION}
#define S(NAME, CONVERSION) {OP_buffer_store_##NAME, run_store, 0, CONVERSION}
#define A(NAME, KIND) {OP_buffer_atomic_##NAME, run_atomic, 0, KIND}
const opdef buffer_defs[] = {
    L(ubyte, UBYTE), L(sbyte, SBYTE), L(ushort, USHORT), L(sshort, SSHORT), L(ubyte_d16, UBYTE | D16_LOW),
    L(sbyte_d16, SBYTE | D16_LOW), L(short_d16, USHORT | D16_LOW), L(ubyte_d16_hi, UBYTE | D16_HIGH),
    L(sbyte_d16_hi, SBYTE | D16_HIGH), L(short_d16_hi, USHORT | D16_HIGH), L(dword, WHOLE), L(dwordx2, WHOLE),
    L(dwordx3, WHOLE), L(dwordx4, WHOLE), S(byte, WHOLE), S(short, WHOLE), S(byte_d16_hi, D16_HIGH),
    S(short_d16_hi, D16_HIGH), S(dword, WHOLE), S(dwordx2, WHOLE), S(dwordx3, WHOLE), S(dwordx4, WHOLE), A(add, AT_ADD),
    A(sub, AT_SUB), A(smin, AT_SMIN), A(umin, AT_UMIN), A(smax, AT_SMAX), A(umax, AT_UMAX), A(and, AT_AND), A(or, AT_OR),
    A(xor, AT_XOR), A(swap, AT_SWAP), A(inc, AT_INC), A(dec, AT_DEC), A(add_f32, AT_ADD_F32),
    A(pk_add_f16, AT_PK_ADD_F16), A(pk_add_bf16, AT_PK_ADD_BF16), A(add_f64, AT_ADD_F64),
    {OP_buffer_wbl2, run_writeback, 0, 0}, {OP_buffer_inv, run_invalidate, 0, 0}, {OP_buffer_wbinvl1, run_cache, 0, 0},
    {OP_buffer_wbinvl1_vol, run_cache, 0, 0},
    {0, 0, 0, 0},
};
