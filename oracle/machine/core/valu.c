/* SPDX-License-Identifier: Apache-2.0 */
/* The vector ALU's frame: sources with modifiers, SDWA and DPP, MODE, result merge; and the 32-bit integer operations. */
#include <fenv.h>
#include <math.h>

#include "valu.h"

static void splat(u32 *row, u32 value) { IVDEP LANES row[l] = value; }

/* Lane that DPP control `ctrl` makes lane l read, or -1 (CDNA4 ISA 13.3, DPP_CTRL). */
static int dpp_lane(u32 ctrl, int l)
{
    int row = l & ~15, i = l & 15, n = (int)(ctrl & 15);
    if (ctrl < 0x100) return (l & ~3) | (int)(ctrl >> 2 * (l & 3) & 3);
    switch (ctrl & 0x1f0) {
    case 0x100: return i + n < 16 ? row + i + n : -1;
    case 0x110: return i - n >= 0 ? row + i - n : -1;
    case 0x120: return row + ((i - n) & 15);
    case 0x150: return row + n;
    }
    switch (ctrl) {
    case 0x130: return l + 1 < 64 ? l + 1 : -1;
    case 0x134: return (l + 1) & 63;
    case 0x138: return l - 1;
    case 0x13c: return (l - 1) & 63;
    case 0x140: return row + 15 - i;
    case 0x141: return (l & ~7) + 7 - (l & 7);
    case 0x142: return row ? row - 1 : -1;
    case 0x143: return l >= 32 ? 31 : -1;
    }
    return -1;
}

static const u32 *permute(wave *w, const ins *I, const u32 *p, u32 dwords)
{
    u32 *out = w->moded[0];
    u64 exec = exec_mask(w), enable = 0;
    u32 scratch[2 * ROW];
    LANES {
        int from = dpp_lane(I->dpp, l);
        bool valid = from >= 0 && (exec >> from & 1);
        bool selected = (I->row_mask >> (l >> 4) & 1) && (I->bank_mask >> (l >> 2 & 3) & 1);
        if (selected && (valid || I->bound_ctrl)) enable |= (u64)1 << l;
        for (u32 i = 0; i < dwords; i++) scratch[i * ROW + (u32)l] = valid ? p[i * ROW + (u32)from] : 0;
    }
    memcpy(out, scratch, dwords * ROW * 4);
    w->lane_enable = exec & enable;
    return out;
}

static u32 select_part(u32 x, u32 select, bool sign)
{
    if (select < 4) {
        u32 part = x >> 8 * select & 0xff;
        return sign ? (u32)(i32)(i8)part : part;
    }
    if (select < 6) {
        u32 part = x >> 16 * (select - 4) & 0xffff;
        return sign ? (u32)(i32)(i16)part : part;
    }
    return x;
}

static const u32 *modify(wave *w, const ins *I, int k, const u32 *p)
{
    const operand *o = &I->o[SRC0 + k];
    if ((I->flags & FLAG_DPP) && k == 0) p = permute(w, I, p, o->dwords ? o->dwords : 1);
    u32 *out = w->moded[k];
    if (I->flags & FLAG_SDWA && k < 2) {
        bool sign = o->mods & MOD_SEXT;
        LANES out[l] = select_part(p[l], o->select, sign);
        p = out;
    } else if (I->op_sel >> k & 1 && I->flags & FLAG_MODS && o->floating != FLOAT_PK16 && o->floating != FLOAT_PK32 &&
               o->floating != FLOAT_MIX) {
        LANES out[l] = p[l] >> 16;
        p = out;
    }
    if (!(o->mods & (MOD_NEG | MOD_ABS))) return p;
    bool neg = o->mods & MOD_NEG, abs = o->mods & MOD_ABS;
    u32 bit = o->floating == FLOAT_F16 ? 0x8000 : 0x80000000;
    u32 high = o->floating == FLOAT_F64 ? ROW : 0;
    if (high && p != out) memcpy(out, p, ROW * 4);
    LANES {
        u32 x = p[high + (u32)l];
        if (abs) x &= ~bit;
        if (neg) x ^= bit;
        out[high + (u32)l] = x;
    }
    return out;
}

const u32 *vector_source(wave *w, const ins *I, int k)
{
    const operand *o = &I->o[SRC0 + k];
    const u32 *p;
    if (o->kind == VGPR) p = w->v[o->reg];
    else {
        u64 value = scalar_source(w, o);
        splat(w->splat[k], (u32)value);
        if (o->dwords == 2) splat(w->splat[k] + ROW, (u32)(value >> 32));
        p = w->splat[k];
    }
    if (I->flags & (FLAG_DPP | FLAG_SDWA | FLAG_MODS)) p = modify(w, I, k, p);
    if (I->flags & FLAG_FP32 && !(w->mode & 0x10) && o->floating) {
        u32 rows = o->floating == FLOAT_PK32 ? 2 : 1;
        if (p != w->moded[k]) memcpy(w->moded[k], p, rows * ROW * 4);
        p = w->moded[k];
        for (u32 i = 0; i < rows; i++) flush_row(w->moded[k] + i * ROW);
    }
    return p;
}

u64 pack_bits(const u32 *flags)
{
    u8 bytes[64];
    u64 mask = 0;
    IVDEP LANES bytes[l] = (u8)(flags[l] != 0);
    for (int i = 0; i < 8; i++) {
        u64 eight;
        memcpy(&eight, bytes + 8 * i, 8);
        mask |= (eight * 0x0102040810204080u >> 56) << 8 * i;
    }
    return mask;
}

static float output_modifier(float x, u32 omod) { return omod == 1 ? x * 2 : omod == 2 ? x * 4 : omod == 3 ? x * 0.5f : x; }

static void finish_float(const wave *w, const ins *I, u32 *result)
{
    const operand *o = &I->o[DST];
    bool dx10 = w->mode >> 8 & 1;
    if (o->floating == FLOAT_F64) {
        LANES {
            double x = as_f64((u64)result[l] | (u64)result[ROW + l] << 32);
            if (I->omod) x *= I->omod == 1 ? 2 : I->omod == 2 ? 4 : 0.5;
            if (I->clamp) x = x != x ? (dx10 ? 0 : x) : x < 0 ? 0 : x > 1 ? 1 : x;
            u64 bits = f64_bits(x);
            result[l] = (u32)bits;
            result[ROW + l] = (u32)(bits >> 32);
        }
        return;
    }
    bool half = o->floating == FLOAT_F16; /* packed results are finished in vop3p */
    LANES {
        float x = half ? f16_to_f32((u16)result[l]) : as_f32(result[l]);
        x = output_modifier(x, I->omod);
        if (I->clamp) x = x != x ? (dx10 ? 0 : x) : x <= 0 ? 0 : x > 1 ? 1 : x;
        result[l] = half ? f32_to_f16(x) : as_u32(x);
    }
}

/* Place a 32-bit result into the part that SDWA's dst_sel names. */
static u32 place_part(u32 value, u32 old, u32 select, u32 unused)
{
    if (select >= 6) return value;
    u32 shift = select < 4 ? 8 * select : 16 * (select - 4), mask = (select < 4 ? 0xffu : 0xffffu) << shift;
    u32 part = value << shift & mask;
    if (unused == 2) return (old & ~mask) | part;
    if (unused == 1) return (select < 4 ? (u32)(i32)(i8)value : (u32)(i32)(i16)value) << shift;
    return part;
}

void vector_write(wave *w, const ins *I, const operand *o, const u32 *result, u64 exec)
{
    u32 rows = o->dwords;
    bool direct = !(I->flags & (FLAG_SDWA | FLAG_HALF_DST)) || o != &I->o[DST];
    for (u32 i = 0; i < rows; i++) {
        u32 *row = w->v[o->reg + i];
        const u32 *from = result + i * ROW;
        if (direct) {
            if (exec == ~(u64)0) memcpy(row, from, ROW * 4);
            else LANES row[l] = exec >> l & 1 ? from[l] : row[l];
            continue;
        }
        LANES {
            if (!(exec >> l & 1)) continue;
            u32 x = from[l];
            if (I->flags & FLAG_SDWA) x = place_part(x, row[l], I->dst_select, I->dst_unused);
            else if (I->op_sel & 8) x = (row[l] & 0xffff) | x << 16;
            else if (I->flags & FLAG_KEEP_HIGH) x = (row[l] & 0xffff0000) | (x & 0xffff);
            row[l] = x;
        }
    }
    touched(w, o->reg, rows);
    if (w->checks) mark_init(w, o->reg, rows, exec);
}

static const int ROUNDING[4] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};

void run_valu(wave *w, const ins *I, const opdef *def)
{
    const u32 *p[3] = {0};
    const operand *d = &I->o[DST];
    w->lane_enable = exec_mask(w);
    for (int k = 0; k < 3 && I->o[SRC0 + k].kind; k++) p[k] = vector_source(w, I, k);
    u32 round = 0;
    if (I->flags & FLAG_FP32) round = w->mode & 3;
    else if (I->flags & FLAG_FP16_64) round = w->mode >> 2 & 3;
    u64 exec = w->lane_enable;
    bool plain = exec == ~(u64)0 && d->dwords == 1 && !(I->flags & (FLAG_SDWA | FLAG_HALF_DST)) && !I->omod && !I->clamp;
    bool flush = I->flags & FLAG_FP32 && !(w->mode & 0x20) && d->floating;
    u32 *out = plain ? w->v[d->reg] : w->result;
    if (I->flags & FLAG_READ_DST && out == w->result) memcpy(out, w->v[d->reg], d->dwords * ROW * 4);
    if (round) fesetround(ROUNDING[round]);
    ((lane_fn *)def->fn)(out, p[0], p[1], p[2]);
    if (round) fesetround(FE_TONEAREST);
    if (I->omod || I->clamp) finish_float(w, I, out);
    if (flush) for (u32 i = 0; i < d->dwords; i++) flush_row(out + i * ROW);
    if (plain) {
        touched(w, d->reg, 1);
        if (w->checks) set_init(w, d->reg, ~(u64)0);
    } else vector_write(w, I, d, out, exec);
}

/* Moves to and from accumulation registers, where compilers spill: a lane of the result holds a value where the source did. */
static void run_copy(wave *w, const ins *I, const opdef *def)
{
    u32 reg = I->o[DST].reg;
    u64 exec = exec_mask(w), before = w->init[reg], holds = I->o[SRC0].kind == VGPR ? w->init[I->o[SRC0].reg] : ~(u64)0;
    run_valu(w, I, def);
    if (w->checks) set_init(w, reg, (before & ~exec) | (holds & exec));
}

/* Lanes whose high half of SRC2 holds a value. LLVM leaves it undefined where the result's high half is not used. */
static u64 high_addend(const wave *w, const ins *I)
{
    const operand *o = &I->o[SRC2];
    if (!(I->flags & FLAG_HIGH_ADDEND)) return ~(u64)0;
    if (o->kind == VGPR) return w->init[o->reg + 1];
    return o->kind != SGPR || known_bits(w, o->reg + 1u) == 0xffffffff ? ~(u64)0 : 0;
}

/* Results with a carry: the lane function leaves the value in rows 0.. and the carry flags in row 2; the carry-in is
 * source 2 for the three-source forms. Inactive lanes give 0 in the mask (CDNA4 ISA, V_ADD_CO_U32). */
void run_valu_vcc(wave *w, const ins *I, const opdef *def)
{
    const u32 *p[3] = {0};
    u32 carry_in[ROW];
    w->lane_enable = exec_mask(w);
    for (int k = 0; k < 3 && I->o[SRC0 + k].kind; k++) {
        if (k == 2 && def->arg) {
            u64 mask = scalar_source(w, &I->o[SRC2]);
            LANES carry_in[l] = mask >> l & 1;
            p[k] = carry_in;
        } else p[k] = vector_source(w, I, k);
    }
    ((lane_fn *)def->fn)(w->result, p[0], p[1], p[2]);
    u64 exec = w->lane_enable, mask = pack_bits(w->result + 2 * ROW) & exec;
    u64 tainted = w->checks ? exec & ~high_addend(w, I) : 0;
    vector_write(w, I, &I->o[DST], w->result, exec);
    scalar_write(w, &I->o[DST2], mask);
    if (!tainted) return;
    u32 high = I->o[DST].reg + 1u, carry = I->o[DST2].reg;
    set_init(w, high, w->init[high] & ~tainted);
    for (u32 i = 0; i < 2; i++) set_known(w, carry + i, ~(u32)(tainted >> 32 * i));
}

void run_compare(wave *w, const ins *I, const opdef *def)
{
    w->lane_enable = exec_mask(w);
    const u32 *a = vector_source(w, I, 0), *b = vector_source(w, I, 1);
    u64 mask = ((compare_fn *)def->fn)(a, b) & w->lane_enable;
    scalar_write(w, &I->o[DST], mask);
    if (I->flags & FLAG_EXEC) write64(&w->s[SGPR_EXEC], mask);
}

static u32 bit_reverse(u32 x)
{
    x = (x >> 1 & 0x55555555) | (x & 0x55555555) << 1;
    x = (x >> 2 & 0x33333333) | (x & 0x33333333) << 2;
    x = (x >> 4 & 0x0f0f0f0f) | (x & 0x0f0f0f0f) << 4;
    return __builtin_bswap32(x);
}
static u32 sign_bits(u32 x)
{
    u32 u = x ^ (u32)((i32)x >> 31);
    return u ? (u32)__builtin_clz(u) : 0xffffffffu;
}
static i32 sext24(u32 x) { return (i32)(x << 8) >> 8; }
static u32 med3_u(u32 x, u32 y, u32 z)
{
    u32 low = x < y ? x : y, high = x < y ? y : x;
    return z < low ? low : z > high ? high : z;
}
static u32 sad_u8(u32 x, u32 y)
{
    u32 sum = 0;
    for (int i = 0; i < 32; i += 8) sum += (u32)__builtin_abs((int)(x >> i & 255) - (int)(y >> i & 255));
    return sum;
}
static u32 msad_u8(u32 x, u32 y)
{
    u32 sum = 0;
    for (int i = 0; i < 32; i += 8)
        if (y >> i & 255) sum += (u32)__builtin_abs((int)(x >> i & 255) - (int)(y >> i & 255));
    return sum;
}
static u32 permute_bytes(u32 x, u32 y, u32 selector)
{
    u64 bytes = (u64)x << 32 | y;
    u32 r = 0;
    for (int i = 0; i < 4; i++) {
        u32 s = selector >> 8 * i & 255, byte;
        if (s < 8) byte = (u32)(bytes >> 8 * s) & 255;
        else if (s < 12) byte = bytes >> (16 * (s - 8) + 15) & 1 ? 255 : 0;
        else byte = s == 12 ? 0 : 255;
        r |= byte << 8 * i;
    }
    return r;
}
static u32 bfe_i(u32 x, u32 offset, u32 width)
{
    offset &= 31;
    width &= 31;
    if (width == 0) return 0;
    i32 shifted = (i32)x >> offset;
    return (u32)((i32)((u32)shifted << (32 - width)) >> (32 - width));
}
static u32 lerp_u8(u32 x, u32 y, u32 z)
{
    u32 r = 0;
    for (int i = 0; i < 32; i += 8) r |= ((x >> i & 255) + (y >> i & 255) + (z >> i & 1)) >> 1 << i;
    return r;
}

U1(v_mov_b32, x)
U1(v_not_b32, ~x)
U1(v_bfrev_b32, bit_reverse(x))
U1(v_ffbh_u32, x ? (u32)__builtin_clz(x) : 0xffffffffu)
U1(v_ffbh_i32, sign_bits(x))
U1(v_ffbl_b32, x ? (u32)__builtin_ctz(x) : 0xffffffffu)
U1(v_prng_b32, x << 1 ^ ((x >> 31) ? 197u : 0u))
U1(v_sat_pk_u8_i16, (u32)((i16)x < 0 ? 0 : (i16)x > 255 ? 255 : (i16)x) |
                        (u32)((i16)(x >> 16) < 0 ? 0 : (i16)(x >> 16) > 255 ? 255 : (i16)(x >> 16)) << 8)
U2(v_mul_i32_i24, (u32)((i64)sext24(x) * sext24(y)))
U2(v_mul_hi_i32_i24, (u32)((i64)sext24(x) * sext24(y) >> 32))
U2(v_mul_u32_u24, (x & 0xffffff) * (y & 0xffffff))
U2(v_mul_hi_u32_u24, (u64)(x & 0xffffff) * (y & 0xffffff) >> 32)
U2(v_min_u32, x < y ? x : y)
U2(v_max_u32, x > y ? x : y)
U2(v_min_i32, (i32)x < (i32)y ? x : y)
U2(v_max_i32, (i32)x > (i32)y ? x : y)
U2(v_lshrrev_b32, y >> (x & 31))
U2(v_lshlrev_b32, y << (x & 31))
U2(v_ashrrev_i32, (i32)y >> (x & 31))
U2(v_and_b32, x & y)
U2(v_or_b32, x | y)
U2(v_xor_b32, x ^ y)
U2(v_xnor_b32, ~(x ^ y))
U2(v_add_u32, x + y)
U2(v_sub_u32, x - y)
U2(v_subrev_u32, y - x)
U2(v_mul_lo_u32, x * y)
U2(v_mul_hi_u32, (u64)x * y >> 32)
U2(v_mul_hi_i32, (u64)((i64)(i32)x * (i32)y) >> 32)
U2(v_bcnt_u32_b32, (u32)__builtin_popcount(x) + y)
U2(v_bfm_b32, ((1u << (x & 31)) - 1) << (y & 31))
U2(v_cvt_pk_u16_u32, (x > 0xffff ? 0xffff : x) | (y > 0xffff ? 0xffffu : y) << 16)
U2(v_cvt_pk_i16_i32, ((u32)((i32)x < -32768 ? -32768 : (i32)x > 32767 ? 32767 : (i32)x) & 0xffff) |
                         (u32)((i32)y < -32768 ? -32768 : (i32)y > 32767 ? 32767 : (i32)y) << 16)
U3(v_mad_i32_i24, (u32)((i64)sext24(x) * sext24(y)) + z)
U3(v_mad_u32_u24, (x & 0xffffff) * (y & 0xffffff) + z)
U3(v_mad_u32_u16, (x & 0xffff) * (y & 0xffff) + z)
U3(v_mad_i32_i16, (u32)((i32)(i16)x * (i16)y) + z)
U3(v_bfe_u32, z & 31 ? x >> (y & 31) & ((1u << (z & 31)) - 1) : 0)
U3(v_bfe_i32, bfe_i(x, y, z))
U3(v_bfi_b32, (x & y) | (~x & z))
U3(v_alignbit_b32, ((u64)x << 32 | y) >> (z & 31))
U3(v_alignbyte_b32, ((u64)x << 32 | y) >> 8 * (z & 3))
U3(v_min3_u32, x < y ? (x < z ? x : z) : y < z ? y : z)
U3(v_max3_u32, x > y ? (x > z ? x : z) : y > z ? y : z)
U3(v_med3_u32, med3_u(x, y, z))
U3(v_min3_i32, (i32)x < (i32)y ? ((i32)x < (i32)z ? x : z) : (i32)y < (i32)z ? y : z)
U3(v_max3_i32, (i32)x > (i32)y ? ((i32)x > (i32)z ? x : z) : (i32)y > (i32)z ? y : z)
U3(v_med3_i32, med3_i((i32)x, (i32)y, (i32)z))
U3(v_sad_u8, sad_u8(x, y) + z)
U3(v_sad_hi_u8, (sad_u8(x, y) << 16) + z)
U3(v_sad_u16, (u32)__builtin_abs((int)(x & 0xffff) - (int)(y & 0xffff)) + (u32)__builtin_abs((int)(x >> 16) - (int)(y >> 16)) + z)
U3(v_sad_u32, (x > y ? x - y : y - x) + z)
U3(v_msad_u8, msad_u8(x, y) + z)
U3(v_lerp_u8, lerp_u8(x, y, z))
U3(v_add3_u32, x + y + z)
U3(v_lshl_add_u32, (x << (y & 31)) + z)
U3(v_add_lshl_u32, (x + y) << (z & 31))
U3(v_xad_u32, (x ^ y) + z)
U3(v_lshl_or_b32, x << (y & 31) | z)
U3(v_and_or_b32, (x & y) | z)
U3(v_or3_b32, x | y | z)
U3(v_perm_b32, permute_bytes(x, y, z))
#define CLAMP_BYTE(v, low, high) ((u32)((v) < (low) ? (low) : (v) > (high) ? (high) : (v)) & 0xff)
U3(v_ashr_pk_i8_i32, CLAMP_BYTE((i32)x >> (z & 31), -128, 127) | CLAMP_BYTE((i32)y >> (z & 31), -128, 127) << 8)
U3(v_ashr_pk_u8_i32, CLAMP_BYTE((i32)x >> (z & 31), 0, 255) | CLAMP_BYTE((i32)y >> (z & 31), 0, 255) << 8)

LANE_FN(v_add_co_u32) { UNUSED; IVDEP LANES { u64 r = (u64)a[l] + b[l]; d[l] = (u32)r; d[2 * ROW + l] = (u32)(r >> 32); } }
LANE_FN(v_sub_co_u32) { UNUSED; IVDEP LANES { u32 x = a[l], y = b[l]; d[l] = x - y; d[2 * ROW + l] = x < y; } }
LANE_FN(v_subrev_co_u32) { UNUSED; IVDEP LANES { u32 x = b[l], y = a[l]; d[l] = x - y; d[2 * ROW + l] = x < y; } }
LANE_FN(v_addc_co_u32)
{
    IVDEP LANES { u64 r = (u64)a[l] + b[l] + c[l]; d[l] = (u32)r; d[2 * ROW + l] = (u32)(r >> 32); }
}
LANE_FN(v_subb_co_u32)
{
    IVDEP LANES { u32 x = a[l], y = b[l], z = c[l]; d[l] = x - y - z; d[2 * ROW + l] = (u64)y + z > x; }
}
LANE_FN(v_subbrev_co_u32)
{
    IVDEP LANES { u32 x = b[l], y = a[l], z = c[l]; d[l] = x - y - z; d[2 * ROW + l] = (u64)y + z > x; }
}
LANE_FN(v_mad_u64_u32)
{
    LANES {
        u64 product = (u64)a[l] * b[l], sum = product + PAIR(c);
        d[2 * ROW + l] = sum < product;
        STORE_PAIR(sum);
    }
}
LANE_FN(v_mad_i64_i32)
{
    LANES {
        i64 product = (i64)(i32)a[l] * (i32)b[l], sum;
        d[2 * ROW + l] = __builtin_add_overflow(product, (i64)PAIR(c), &sum);
        STORE_PAIR((u64)sum);
    }
}

/* Source 2 is the mask: bit set picks source 1 (CDNA4 ISA, V_CNDMASK_B32). */
static void run_cndmask(wave *w, const ins *I, const opdef *def)
{
    (void)def;
    w->lane_enable = exec_mask(w);
    const u32 *a = vector_source(w, I, 0), *b = vector_source(w, I, 1);
    u64 mask = scalar_source(w, &I->o[SRC2]);
    u32 *out = w->result;
    LANES out[l] = mask >> l & 1 ? b[l] : a[l];
    vector_write(w, I, &I->o[DST], out, w->lane_enable);
}

/* Truth table in cbsz, indexed by source bits a<<2 | b<<1 | c. */
static void run_bitop3(wave *w, const ins *I, const opdef *def)
{
    (void)def;
    w->lane_enable = exec_mask(w);
    const u32 *a = vector_source(w, I, 0), *b = vector_source(w, I, 1), *c = vector_source(w, I, 2);
    u32 *out = w->result, table = I->cbsz, half = I->flags & FLAG_HALF_DST ? 0xffff : 0xffffffff;
    u32 term[8];
    for (int i = 0; i < 8; i++) term[i] = table >> i & 1 ? half : 0;
    IVDEP LANES {
        u32 x = a[l], y = b[l], z = c[l];
        out[l] = (term[0] & ~x & ~y & ~z) | (term[1] & ~x & ~y & z) | (term[2] & ~x & y & ~z) | (term[3] & ~x & y & z) |
                 (term[4] & x & ~y & ~z) | (term[5] & x & ~y & z) | (term[6] & x & y & ~z) | (term[7] & x & y & z);
    }
    vector_write(w, I, &I->o[DST], out, w->lane_enable);
}

static void run_nop(wave *w, const ins *I, const opdef *def) { (void)w; (void)I; (void)def; }

#define CARRY(NAME, IN) {OP_##NAME, run_valu_vcc, (void (*)(void))f_##NAME, IN}
const opdef valu_defs[] = {
    ROW_OF(v_mov_b32), {OP_v_accvgpr_read_b32, run_copy, (void (*)(void))f_v_mov_b32, 0},
    {OP_v_accvgpr_write_b32, run_copy, (void (*)(void))f_v_mov_b32, 0},
    {OP_v_accvgpr_mov_b32, run_copy, (void (*)(void))f_v_mov_b32, 0},
    ROW_OF(v_not_b32), ROW_OF(v_bfrev_b32), ROW_OF(v_ffbh_u32), ROW_OF(v_ffbh_i32), ROW_OF(v_ffbl_b32),
    ROW_OF(v_prng_b32), ROW_OF(v_sat_pk_u8_i16), ROW_OF(v_mul_i32_i24), ROW_OF(v_mul_hi_i32_i24), ROW_OF(v_mul_u32_u24),
    ROW_OF(v_mul_hi_u32_u24), ROW_OF(v_min_u32), ROW_OF(v_max_u32), ROW_OF(v_min_i32), ROW_OF(v_max_i32),
    ROW_OF(v_lshrrev_b32), ROW_OF(v_lshlrev_b32), ROW_OF(v_ashrrev_i32), ROW_OF(v_and_b32), ROW_OF(v_or_b32),
    ROW_OF(v_xor_b32), ROW_OF(v_xnor_b32), ROW_OF(v_add_u32), ROW_OF(v_sub_u32), ROW_OF(v_subrev_u32),
    {OP_v_add_i32, run_valu, (void (*)(void))f_v_add_u32, 0}, {OP_v_sub_i32, run_valu, (void (*)(void))f_v_sub_u32, 0},
    ROW_OF(v_mul_lo_u32), ROW_OF(v_mul_hi_u32), ROW_OF(v_mul_hi_i32), ROW_OF(v_bcnt_u32_b32), ROW_OF(v_bfm_b32),
    ROW_OF(v_cvt_pk_u16_u32), ROW_OF(v_cvt_pk_i16_i32), ROW_OF(v_mad_i32_i24), ROW_OF(v_mad_u32_u24),
    ROW_OF(v_mad_u32_u16), ROW_OF(v_mad_i32_i16), ROW_OF(v_bfe_u32), ROW_OF(v_bfe_i32), ROW_OF(v_bfi_b32),
    ROW_OF(v_alignbit_b32), ROW_OF(v_alignbyte_b32), ROW_OF(v_min3_u32), ROW_OF(v_max3_u32), ROW_OF(v_med3_u32),
    ROW_OF(v_min3_i32), ROW_OF(v_max3_i32), ROW_OF(v_med3_i32), ROW_OF(v_sad_u8), ROW_OF(v_sad_hi_u8), ROW_OF(v_sad_u16),
    ROW_OF(v_sad_u32), ROW_OF(v_msad_u8), ROW_OF(v_lerp_u8), ROW_OF(v_add3_u32), ROW_OF(v_lshl_add_u32),
    ROW_OF(v_add_lshl_u32), ROW_OF(v_xad_u32), ROW_OF(v_lshl_or_b32), ROW_OF(v_and_or_b32), ROW_OF(v_or3_b32),
    ROW_OF(v_perm_b32), ROW_OF(v_ashr_pk_i8_i32), ROW_OF(v_ashr_pk_u8_i32), CARRY(v_add_co_u32, 0),
    CARRY(v_sub_co_u32, 0), CARRY(v_subrev_co_u32, 0), CARRY(v_addc_co_u32, 1), CARRY(v_subb_co_u32, 1),
    CARRY(v_subbrev_co_u32, 1), CARRY(v_mad_u64_u32, 0), CARRY(v_mad_i64_i32, 0),
    {OP_v_cndmask_b32, run_cndmask, 0, 0}, {OP_v_bitop3_b32, run_bitop3, 0, 0}, {OP_v_bitop3_b16, run_bitop3, 0, 0},
    {OP_v_nop, run_nop, 0, 0},
    {0, 0, 0, 0},
};
