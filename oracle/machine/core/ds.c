/* SPDX-License-Identifier: Apache-2.0 */
/* LDS (CDNA4 ISA 11 and 12.12). Address = VGPR + offset in bytes; two-address forms carry two offsets, already in bytes.
 * Past the allocation reads give 0 and writes are dropped, and the access is reported. */
#include "valu.h"
#include "vmem.h"

/* 64 banks of 4 bytes; a wave's access is served in groups of 64/dwords lanes, one cycle for each distinct dword of the
 * busiest bank (gfx950's LDS is 160 KiB in 64 banks; the grouping of wide accesses is not public). */
static void bank_cycles(const u32 *address, u64 exec, u32 bytes, u32 *all, u32 *conflicts)
{
    u32 dwords = bytes < 4 ? 1 : bytes / 4, group = LANE_COUNT / (dwords == 3 ? 4 : dwords), cycles = 0, ideal = 0;
    for (u32 first = 0; first < LANE_COUNT; first += group) {
        u32 seen[64][4], used[64] = {0}, most = 0;
        for (u32 l = first; l < first + group; l++) {
            if (!(exec >> l & 1)) continue;
            for (u32 i = 0; i < dwords; i++) {
                u32 dword = address[l] / 4 + i, bank = dword & 63, k = 0, stored = used[bank] < 4 ? used[bank] : 4;
                while (k < stored && seen[bank][k] != dword) k++;
                if (k < stored) continue;
                if (stored < 4) seen[bank][stored] = dword;
                if (++used[bank] > most) most = used[bank];
            }
        }
        cycles += most;
        ideal += most > 0;
    }
    *all = cycles;
    *conflicts = cycles - ideal;
}

static void bank_conflicts(wave *w, const ins *I, const u32 *address, u64 exec, u32 bytes)
{
    u32 index = ins_index(w, I), slot = index % BANK_SLOTS;
    bool known = w->bank_ins[slot] == index + 1 && w->banks[slot].bytes == bytes && w->banks[slot].exec == exec &&
                 !memcmp(w->banks[slot].address, address, sizeof w->banks[slot].address);
    if (!known) {
        w->bank_ins[slot] = index + 1;
        w->banks[slot].bytes = bytes;
        w->banks[slot].exec = exec;
        memcpy(w->banks[slot].address, address, sizeof w->banks[slot].address);
        bank_cycles(address, exec, bytes, &w->banks[slot].cycles, &w->banks[slot].conflicts);
    }
    count(w, COUNT_BANK_CYCLES, w->banks[slot].cycles);
    count(w, COUNT_BANK_CONFLICTS, w->banks[slot].conflicts);
}

/* Addresses of all lanes, the highest of them, and every bit that is set in one. */
typedef struct {
    u32 of[LANE_COUNT], highest, bits;
} places;

CLONES static void offset_by(places *at, const u32 *row, u32 offset)
{
    u32 highest = 0, bits = 0;
    LANES {
        u32 x = at->of[l] = row[l] + offset;
        highest = x > highest ? x : highest;
        bits |= x;
    }
    at->highest = highest;
    at->bits = bits;
}

static void addresses(const wave *w, const ins *I, places *at, i32 offset) { offset_by(at, w->v[I->o[SRC0].reg], (u32)offset); }

static void inspect(wave *w, const ins *I, const places *at, u64 exec, u32 bytes)
{
    u32 natural = bytes == 12 ? 16 : bytes;
    bank_conflicts(w, I, at->of, exec, bytes);
    if (!(at->bits & (natural - 1))) return;
    LANES if (exec >> l & 1 && at->of[l] & (natural - 1)) {
        report(w, CODE_MISALIGNED_LOW, I, (u32)l, 0, 0, 0, at->of[l]);
        break;
    }
}

/* Lanes whose access lies inside the allocation; the others are reported. */
static u64 inside(wave *w, const ins *I, const places *at, u64 exec, u32 bytes)
{
    u32 room = w->wg->lds_bytes;
    u64 good = exec;
    if ((u64)at->highest + bytes <= room) return good;
    LANES if (exec >> l & 1 && (u64)at->of[l] + bytes > room) {
        report(w, CODE_LDS_LIMIT, I, (u32)l, 0, 0, 0, at->of[l]);
        good &= ~((u64)1 << l);
    }
    return good;
}

COLLECT(collect, u32)

static void run_read(wave *w, const ins *I, const opdef *def)
{
    const operand *d = &I->o[DST];
    u64 exec = exec_mask(w);
    u32 bytes = I->width, dwords = (bytes + 3) / 4, accesses = d->dwords / dwords;
    pending *p = w->track ? pending_push(w, &w->ds, I, PENDING_LDS_READ) : NULL;
    u32 (*rows)[LANE_COUNT] = landing_rows(w, I, exec, p);
    places at[2];
    /* Both addresses first: the destination may be the address register. */
    for (u32 n = 0; n < accesses; n++) addresses(w, I, &at[n], n ? I->offset1 : I->offset0);
    for (u32 n = 0; n < accesses; n++) {
        u64 good = inside(w, I, &at[n], exec, bytes);
        count(w, COUNT_LDS_READ, (u64)__builtin_popcountll(exec) * bytes);
        if (def->arg == WHOLE) {
            u32 image[4 * LANE_COUNT] __attribute__((aligned(64)));
            collect(image, w->wg->lds, at[n].of, good, dwords);
            to_rows(rows + n * dwords, image, dwords);
        } else {
            bool merge = def->arg & (D16_LOW | D16_HIGH);
            LANES {
                u32 x = 0;
                if (good >> l & 1) memcpy(&x, w->wg->lds + at[n].of[l], bytes);
                rows[n][l] = convert_in(x, def->arg, merge ? w->v[d->reg][l] : 0);
            }
        }
        if (w->checks) {
            inspect(w, I, &at[n], exec, bytes);
            lds_read_issue(w, I, at[n].of, bytes, good, p->seq);
        }
    }
    hand_over(w, I, exec, p, rows);
}

/* `bits` bits of a lane's row of dwords, from element n on. */
static u32 element_of(u32 (*rows)[LANE_COUNT], u32 lane, u32 n, u32 bits)
{
    u32 at = n * bits, dword = at / 32, shift = at % 32;
    u64 both = rows[dword][lane] | (shift + bits > 32 ? (u64)rows[dword + 1][lane] << 32 : 0);
    return (u32)(both >> shift) & ((1u << bits) - 1);
}

/* gfx950's transposing reads. 16 lanes together read rows of 16 elements, in the order of the lanes, and lane i gets
 * column i: with 8-bit elements row r comes from lanes 2r and 2r + 1, which is how FlyDSL's kernels lay out their
 * addresses (16-bit: four lanes a row). 4 and 6 bits by the same rule, one lane a row: assumed. EXEC must be full. */
static void run_read_transposed(wave *w, const ins *I, const opdef *def)
{
    u64 exec = exec_mask(w);
    if (exec != ~(u64)0) { fault(w, I, FAULT_EXEC, exec); return; }
    u32 bytes = I->width, bits = def->arg, each = 8 * bytes / bits, lanes_a_row = 16 / each;
    u32 image[3 * LANE_COUNT], raw[3][LANE_COUNT];
    pending *p = w->track ? pending_push(w, &w->ds, I, PENDING_LDS_READ) : NULL;
    u32 (*rows)[LANE_COUNT] = landing_rows(w, I, exec, p);
    places at;
    addresses(w, I, &at, I->offset0);
    u64 good = inside(w, I, &at, exec, bytes);
    count(w, COUNT_LDS_READ, LANE_COUNT * bytes);
    collect(image, w->wg->lds, at.of, good, bytes / 4);
    to_rows(raw, image, bytes / 4);
    LANES {
        u32 group = (u32)l & ~15u, column = (u32)l & 15;
        u64 out[2] = {0};
        for (u32 r = 0; r < each; r++) {
            u64 x = element_of(raw, group + r * lanes_a_row + column / each, column % each, bits);
            u32 bit = r * bits;
            out[bit / 64] |= x << bit % 64;
            if (bit % 64 + bits > 64) out[1] |= x >> (64 - bit % 64);
        }
        for (u32 i = 0; i < bytes / 4; i++) rows[i][l] = (u32)(out[i / 2] >> 32 * (i % 2));
    }
    if (w->checks) {
        inspect(w, I, &at, exec, bytes);
        lds_read_issue(w, I, at.of, bytes, good, p->seq);
    }
    hand_over(w, I, exec, p, rows);
}

static void run_write(wave *w, const ins *I, const opdef *def)
{
    u64 exec = exec_mask(w);
    u32 bytes = I->width, dwords = (bytes + 3) / 4, accesses = I->o[SRC2].kind ? 2 : 1, shift = def->arg & D16_HIGH ? 16 : 0;
    pending *p = w->track ? pending_push(w, &w->ds, I, PENDING_LDS_WRITE) : NULL;
    for (u32 n = 0; n < accesses; n++) {
        places at;
        const operand *data = &I->o[SRC1 + n];
        addresses(w, I, &at, n ? I->offset1 : I->offset0);
        u64 good = inside(w, I, &at, exec, bytes);
        count(w, COUNT_LDS_WRITE, (u64)__builtin_popcountll(exec) * bytes);
        LANES {
            if (!(good >> l & 1)) continue;
            u32 x[4];
            for (u32 i = 0; i < dwords; i++) x[i] = w->v[data->reg + i][l] >> shift;
            memcpy(w->wg->lds + at.of[l], x, bytes);
        }
        if (w->checks) {
            inspect(w, I, &at, exec, bytes);
            lds_write_issue(w, I, at.of, bytes, good, p->seq, LDS_QUEUE);
        }
    }
}

static void run_atomic(wave *w, const ins *I, const opdef *def)
{
    u64 exec = exec_mask(w);
    enum atomic_op op = (enum atomic_op)def->arg;
    u32 before[1][LANE_COUNT] = {{0}};
    places at;
    pending *p = w->track ? pending_push(w, &w->ds, I, I->o[DST].kind ? PENDING_LDS_READ : PENDING_LDS_WRITE) : NULL;
    addresses(w, I, &at, I->offset0);
    u64 good = inside(w, I, &at, exec, 4);
    count(w, COUNT_ATOMIC, (u64)__builtin_popcountll(exec) * 4);
    LANES {
        if (!(good >> l & 1)) continue;
        if (at.of[l] & 3) { report(w, CODE_MISALIGNED, I, (u32)l, 0, 0, 0, at.of[l]); continue; }
        u32 old, now, value = w->v[I->o[SRC1].reg][l];
        memcpy(&old, w->wg->lds + at.of[l], 4);
        /* ds_cmpst names the comparison first. */
        if (op == AT_CMPSWAP) now = atomic_result(op, old, w->v[I->o[SRC2].reg][l], value);
        else now = atomic_result(op, old, value, 0);
        memcpy(w->wg->lds + at.of[l], &now, 4);
        before[0][l] = old;
        if (w->checks) lds_atomic_issue(w, I, at.of[l], 4, (u32)l, p->seq);
    }
    if (p) memcpy(p->data, before, sizeof before);
    if (I->o[DST].kind) hand_over(w, I, exec, p, p ? p->data : before);
}

/* Lane exchange through the LDS crossbar; no memory is touched. */
static void run_exchange(wave *w, const ins *I, const opdef *def)
{
    u64 exec = exec_mask(w);
    pending *p = w->track ? pending_push(w, &w->ds, I, PENDING_LDS_READ) : NULL;
    u32 local[1][LANE_COUNT] = {{0}}, (*rows)[LANE_COUNT] = p ? p->data : local;
    const u32 *first = w->v[I->o[SRC0].reg];
    memset(rows[0], 0, sizeof rows[0]);
    if (def->op == OP_ds_swizzle_b32) {
        u32 control = (u32)I->offset0;
        LANES {
            int from;
            if (control & 0x8000) {
                if (control >= 0xc000) { /* rotate: bit 10 direction, bits 9:5 amount, bits 4:0 kept of the lane */
                    int n = (int)(control >> 5 & 31), keep = (int)(control & 31);
                    from = (l & ~31) | (((l & keep) | ((l + (control >> 10 & 1 ? -n : n)) & ~keep)) & 31);
                } else from = (l & ~3) | (int)(control >> 2 * (l & 3) & 3);
            } else {
                int and = (int)(control & 31), or = (int)(control >> 5 & 31), xor = (int)(control >> 10 & 31);
                from = (l & ~31) | ((((l & 31) & and) | or) ^ xor);
            }
            rows[0][l] = exec >> from & 1 ? first[from] : 0;
        }
    } else if (def->op == OP_ds_bpermute_b32) {
        const u32 *data = w->v[I->o[SRC1].reg];
        LANES {
            u32 from = (first[l] + (u32)I->offset0) / 4 & 63;
            rows[0][l] = exec >> from & 1 ? data[from] : 0;
        }
    } else {
        const u32 *data = w->v[I->o[SRC1].reg];
        LANES if (exec >> l & 1) rows[0][(first[l] + (u32)I->offset0) / 4 & 63] = data[l];
    }
    hand_over(w, I, exec, p, rows);
}

static void run_nop(wave *w, const ins *I, const opdef *def) { (void)w; (void)I; (void)def; }

#define READ(NAME, CONVERSION) {OP_ds_read##NAME, run_read, 0, CONVERSION}
#define WRITE(NAME, CONVERSION) {OP_ds_write##NAME, run_write, 0, CONVERSION}
#define A(NAME, RTN, KIND) {OP_ds_##NAME, run_atomic, 0, KIND}, {OP_ds_##RTN, run_atomic, 0, KIND}
const opdef ds_defs[] = {
    READ(_u8, UBYTE), READ(_i8, SBYTE), READ(_u16, USHORT), READ(_i16, SSHORT), READ(_u8_d16, UBYTE | D16_LOW),
    READ(_i8_d16, SBYTE | D16_LOW), READ(_u16_d16, USHORT | D16_LOW), READ(_u8_d16_hi, UBYTE | D16_HIGH),
    READ(_i8_d16_hi, SBYTE | D16_HIGH), READ(_u16_d16_hi, USHORT | D16_HIGH), READ(_b32, WHOLE), READ(_b64, WHOLE),
    READ(_b96, WHOLE), READ(_b128, WHOLE), READ(2_b32, WHOLE), READ(2st64_b32, WHOLE), READ(2_b64, WHOLE),
    READ(2st64_b64, WHOLE), {OP_ds_read_b64_tr_b4, run_read_transposed, 0, 4}, {OP_ds_read_b64_tr_b8, run_read_transposed, 0, 8},
    {OP_ds_read_b64_tr_b16, run_read_transposed, 0, 16}, {OP_ds_read_b96_tr_b6, run_read_transposed, 0, 6}, WRITE(_b8, WHOLE), WRITE(_b16, WHOLE), WRITE(_b8_d16_hi, D16_HIGH),
    WRITE(_b16_d16_hi, D16_HIGH), WRITE(_b32, WHOLE), WRITE(_b64, WHOLE), WRITE(_b96, WHOLE), WRITE(_b128, WHOLE),
    WRITE(2_b32, WHOLE), WRITE(2st64_b32, WHOLE), WRITE(2_b64, WHOLE), WRITE(2st64_b64, WHOLE),
    A(add_u32, add_rtn_u32, AT_ADD), A(sub_u32, sub_rtn_u32, AT_SUB), A(rsub_u32, rsub_rtn_u32, AT_RSUB),
    A(inc_u32, inc_rtn_u32, AT_INC), A(dec_u32, dec_rtn_u32, AT_DEC), A(min_u32, min_rtn_u32, AT_UMIN),
    A(max_u32, max_rtn_u32, AT_UMAX), A(min_i32, min_rtn_i32, AT_SMIN), A(max_i32, max_rtn_i32, AT_SMAX),
    A(and_b32, and_rtn_b32, AT_AND), A(or_b32, or_rtn_b32, AT_OR), A(xor_b32, xor_rtn_b32, AT_XOR),
    A(add_f32, add_rtn_f32, AT_ADD_F32), A(pk_add_f16, pk_add_rtn_f16, AT_PK_ADD_F16),
    A(pk_add_bf16, pk_add_rtn_bf16, AT_PK_ADD_BF16), {OP_ds_wrxchg_rtn_b32, run_atomic, 0, AT_SWAP},
    {OP_ds_cmpst_rtn_b32, run_atomic, 0, AT_CMPSWAP}, {OP_ds_swizzle_b32, run_exchange, 0, 0},
    {OP_ds_permute_b32, run_exchange, 0, 0}, {OP_ds_bpermute_b32, run_exchange, 0, 0}, {OP_ds_nop, run_nop, 0, 0},
    {0, 0, 0, 0},
};
