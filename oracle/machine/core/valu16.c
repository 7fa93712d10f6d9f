/* SPDX-License-Identifier: Apache-2.0 */
/* 16-bit vector arithmetic and packed operations (VOP3P), and the packed f32 ones. */
#include <math.h>

#include "valu.h"

static double h(u32 x) { return (double)f16_to_f32((u16)x); }
static u32 pack_h(double x) { return f64_to_f16(x, 0); }
static double fma16(double x, double y, double z) { return sum_odd(x * y, z); } /* x*y is exact: 22 bits */
static double fract16(double x)
{
    double r = x - floor(x);
    return r < 0.99951171875 || r != r ? r : 0.99951171875;
}
static double med3(double x, double y, double z)
{
    if (x != x || y != y || z != z) return min_f64(min_f64(x, y), z);
    double high = max_f64(max_f64(x, y), z);
    return high == x ? max_f64(y, z) : high == y ? max_f64(x, z) : max_f64(x, y);
}
static double turns(double x, bool cosine)
{
    if (isinf(x)) return NAN;
    double angle = (x - floor(x)) * 6.283185307179586476925;
    return cosine ? cos(angle) : sin(angle);
}
static i32 s16(u32 x) { return (i16)x; }
static u32 u16of(u32 x) { return x & 0xffff; }

#define H1(NAME, EXPR) LANE_FN(NAME) { UNUSED; LANES { double x = h(a[l]); d[l] = pack_h(EXPR); } }
#define H2(NAME, EXPR) LANE_FN(NAME) { UNUSED; LANES { double x = h(a[l]), y = h(b[l]); d[l] = pack_h(EXPR); } }
#define H3(NAME, EXPR) \
    LANE_FN(NAME) { LANES { double x = h(a[l]), y = h(b[l]), z = h(c[l]); d[l] = pack_h(EXPR); } }
H2(v_add_f16, x + y)
H2(v_sub_f16, x - y)
H2(v_subrev_f16, y - x)
H2(v_mul_f16, x * y)
H2(v_min_f16, min_f64(x, y))
H2(v_max_f16, max_f64(x, y))
H3(v_fma_f16, fma16(x, y, z))
H3(v_mad_f16, h(pack_h(x * y)) + z)
H3(v_min3_f16, min_f64(min_f64(x, y), z))
H3(v_max3_f16, max_f64(max_f64(x, y), z))
H3(v_med3_f16, med3(x, y, z))
LANE_FN(v_fmac_f16) { UNUSED; LANES d[l] = pack_h(fma16(h(a[l]), h(b[l]), h(d[l]))); }
LANE_FN(v_ldexp_f16) { UNUSED; LANES d[l] = pack_h(scalbn(h(a[l]), s16(b[l]))); }
H1(v_trunc_f16, trunc(x))
H1(v_ceil_f16, ceil(x))
H1(v_floor_f16, floor(x))
H1(v_rndne_f16, rint(x))
H1(v_fract_f16, fract16(x))
H1(v_rcp_f16, 1.0 / x)
H1(v_rsq_f16, 1.0 / sqrt(x))
H1(v_sqrt_f16, sqrt(x))
H1(v_exp_f16, exp2(x))
H1(v_log_f16, log2(x))
H1(v_sin_f16, turns(x, false))
H1(v_cos_f16, turns(x, true))
LANE_FN(v_frexp_mant_f16) { UNUSED; LANES { int e; double x = h(a[l]); d[l] = isfinite(x) ? pack_h(frexp(x, &e)) : a[l]; } }
LANE_FN(v_frexp_exp_i16_f16)
{
    UNUSED;
    LANES { int e = 0; double x = h(a[l]); if (isfinite(x) && x != 0) (void)frexp(x, &e); d[l] = (u32)e & 0xffff; }
}
U2(v_add_u16, u16of(x + y))
U2(v_sub_u16, u16of(x - y))
U2(v_subrev_u16, u16of(y - x))
U2(v_mul_lo_u16, u16of(x * y))
U2(v_min_u16, u16of(x) < u16of(y) ? u16of(x) : u16of(y))
U2(v_max_u16, u16of(x) > u16of(y) ? u16of(x) : u16of(y))
U2(v_min_i16, s16(x) < s16(y) ? u16of(x) : u16of(y))
U2(v_max_i16, s16(x) > s16(y) ? u16of(x) : u16of(y))
U2(v_lshlrev_b16, u16of(y << (x & 15)))
U2(v_lshrrev_b16, u16of(y) >> (x & 15))
U2(v_ashrrev_i16, u16of((u32)(s16(y) >> (x & 15))))
U3(v_mad_u16, u16of(x * y + z))
U3(v_min3_i16, u16of((u32)(s16(x) < s16(y) ? (s16(x) < s16(z) ? s16(x) : s16(z)) : s16(y) < s16(z) ? s16(y) : s16(z))))
U3(v_max3_i16, u16of((u32)(s16(x) > s16(y) ? (s16(x) > s16(z) ? s16(x) : s16(z)) : s16(y) > s16(z) ? s16(y) : s16(z))))
U3(v_min3_u16, u16of(x) < u16of(y) ? (u16of(x) < u16of(z) ? u16of(x) : u16of(z)) : u16of(y) < u16of(z) ? u16of(y) : u16of(z))
U3(v_max3_u16, u16of(x) > u16of(y) ? (u16of(x) > u16of(z) ? u16of(x) : u16of(z)) : u16of(y) > u16of(z) ? u16of(y) : u16of(z))
U3(v_med3_i16, u16of((u32)med3_i(s16(x), s16(y), s16(z))))
U3(v_med3_u16, u16of((u32)med3_i((i32)u16of(x), (i32)u16of(y), (i32)u16of(z))))
U2(v_pack_b32_f16, u16of(x) | y << 16)

/* Packed: each half of each source is chosen by op_sel (low result) and op_sel_hi (high result). */
static void packed_halves(wave *w, const ins *I, int sources, u32 low[3][ROW], u32 high[3][ROW])
{
    w->lane_enable = exec_mask(w);
    for (int k = 0; k < sources; k++) {
        const u32 *p = vector_source(w, I, k);
        bool floating = I->o[SRC0 + k].floating == FLOAT_PK16;
        u32 ls = I->op_sel >> k & 1 ? 16 : 0, hs = I->op_sel_hi >> k & 1 ? 16 : 0;
        u32 ln = floating && (I->neg_lo >> k & 1) ? 0x8000 : 0, hn = floating && (I->neg_hi >> k & 1) ? 0x8000 : 0;
        LANES {
            low[k][l] = (p[l] >> ls & 0xffff) ^ ln;
            high[k][l] = (p[l] >> hs & 0xffff) ^ hn;
        }
    }
}

static int source_count(const ins *I)
{
    int n = 0;
    while (n < 3 && I->o[SRC0 + n].kind) n++;
    return n;
}

static void finish_packed(wave *w, const ins *I, u32 *low, const u32 *high)
{
    bool clamp = I->clamp && I->o[DST].floating == FLOAT_PK16;
    u32 *out = w->result;
    LANES {
        u32 x = low[l] & 0xffff, y = high[l] & 0xffff;
        if (clamp) {
            double p = h(x), q = h(y);
            x = pack_h(p > 0 ? (p > 1 ? 1 : p) : 0);
            y = pack_h(q > 0 ? (q > 1 ? 1 : q) : 0);
        }
        out[l] = x | y << 16;
    }
    vector_write(w, I, &I->o[DST], out, w->lane_enable);
}

static void run_packed16(wave *w, const ins *I, const opdef *def)
{
    u32 low[3][ROW], high[3][ROW], r[2][ROW];
    int n = source_count(I);
    packed_halves(w, I, n, low, high);
    if (I->flags & FLAG_READ_DST)
        LANES { r[0][l] = w->v[I->o[DST].reg][l] & 0xffff; r[1][l] = w->v[I->o[DST].reg][l] >> 16; }
    lane_fn *fn = (lane_fn *)def->fn;
    fn(r[0], low[0], n > 1 ? low[1] : NULL, n > 2 ? low[2] : NULL);
    fn(r[1], high[0], n > 1 ? high[1] : NULL, n > 2 ? high[2] : NULL);
    finish_packed(w, I, r[0], r[1]);
}

static double maximum(double x, double y) { return x != x ? x : y != y ? y : max_f64(x, y); }
static double minimum(double x, double y) { return x != x ? x : y != y ? y : min_f64(x, y); }
H3(v_pk_maximum3_f16, maximum(maximum(x, y), z))
H3(v_pk_minimum3_f16, minimum(minimum(x, y), z))

/* Packed f32: two adjacent rows; op_sel picks the dword of each source for the low result, op_sel_hi for the high one. */
F2(pk_mul, x * y)
F2(pk_add, x + y)
F3(pk_fma, __builtin_fmaf(x, y, z))

static void run_packed32(wave *w, const ins *I, const opdef *def)
{
    const u32 *part[2][3] = {{0}};
    u32 negated[2][3][ROW];
    w->lane_enable = exec_mask(w);
    for (int k = 0; k < source_count(I); k++) {
        const u32 *p = vector_source(w, I, k);
        for (int half = 0; half < 2; half++) {
            u32 select = half ? I->op_sel_hi >> k & 1u : I->op_sel >> k & 1u;
            u32 neg = half ? I->neg_hi >> k & 1u : I->neg_lo >> k & 1u;
            const u32 *row = p + select * ROW;
            if (neg) {
                IVDEP LANES negated[half][k][l] = row[l] ^ 0x80000000;
                row = negated[half][k];
            }
            part[half][k] = row;
        }
    }
    lane_fn *fn = (lane_fn *)def->fn;
    const operand *d = &I->o[DST];
    bool straight = w->lane_enable == ~(u64)0;
    for (int k = 0; k < 3; k++) straight &= part[1][k] != w->v[d->reg]; /* the low result must not reach the high one */
    u32 *out = straight ? w->v[d->reg] : w->result;
    fn(out, part[0][0], part[0][1], part[0][2]);
    fn(out + ROW, part[1][0], part[1][1], part[1][2]);
    if (I->clamp)
        for (int i = 0; i < 2 * ROW; i++) {
            float x = as_f32(out[i]);
            out[i] = as_u32(x > 0 ? (x > 1 ? 1.0f : x) : 0.0f);
        }
    if (!(w->mode & 0x20)) { flush_row(out); flush_row(out + ROW); }
    if (!straight) { vector_write(w, I, d, out, w->lane_enable); return; }
    touched(w, d->reg, 2);
    if (w->checks) mark_init(w, d->reg, 2, ~(u64)0);
}

/* low = source0[op_sel0], high = source1[op_sel1] */
static void run_pk_mov(wave *w, const ins *I, const opdef *def)
{
    (void)def;
    w->lane_enable = exec_mask(w);
    const u32 *a = vector_source(w, I, 0) + (I->op_sel & 1) * ROW;
    const u32 *b = vector_source(w, I, 1) + (I->op_sel >> 1 & 1) * ROW;
    memcpy(w->result, a, ROW * 4);
    memcpy(w->result + ROW, b, ROW * 4);
    vector_write(w, I, &I->o[DST], w->result, w->lane_enable);
}

/* Mixed precision: op_sel_hi set means an f16 source, its half chosen by op_sel; neg_hi is abs here. */
static void run_mix(wave *w, const ins *I, const opdef *def)
{
    float s[3][ROW];
    w->lane_enable = exec_mask(w);
    for (int k = 0; k < 3; k++) {
        const u32 *p = vector_source(w, I, k);
        bool half = I->op_sel_hi >> k & 1, upper = I->op_sel >> k & 1;
        LANES {
            float x = half ? f16_to_f32((u16)(p[l] >> (upper ? 16 : 0))) : as_f32(p[l]);
            if (I->neg_hi >> k & 1) x = fabsf(x);
            if (I->neg_lo >> k & 1) x = -x;
            s[k][l] = x;
        }
    }
    const operand *o = &I->o[DST];
    u32 *out = w->result;
    LANES {
        float x = fmaf(s[0][l], s[1][l], s[2][l]);
        if (I->clamp) x = x > 0 ? (x > 1 ? 1.0f : x) : 0.0f;
        u32 old = w->v[o->reg][l], half = f32_to_f16(x);
        out[l] = def->arg == 0 ? as_u32(x) : def->arg == 1 ? (old & 0xffff0000) | half : (old & 0xffff) | half << 16;
    }
    u64 exec = w->lane_enable;
    LANES if (exec >> l & 1) w->v[o->reg][l] = out[l];
    touched(w, o->reg, 1);
    if (w->checks) mark_init(w, o->reg, 1, exec);
}

/* Dot products. f16 and bf16 forms: fused, two exact products and the addend rounded once. */
static float bf(u32 x) { return as_f32(x << 16); }
static float dot2(double p, double q, double c)
{
    double s = p + q, bb = s - p, error = (p - (s - bb)) + (q - bb);
    if (error != 0) return (float)sum_odd(s, sum_odd(error, c)); /* beyond 53 bits of spread only */
    return (float)sum_odd(s, c);
}
static void run_dot(wave *w, const ins *I, const opdef *def)
{
    w->lane_enable = exec_mask(w);
    const u32 *a = vector_source(w, I, 0), *b = vector_source(w, I, 1);
    const u32 *c = I->flags & FLAG_READ_DST ? w->v[I->o[DST].reg] : vector_source(w, I, 2);
    u32 *out = w->result;
    LANES {
        u32 x = a[l], y = b[l], z = c[l], r = z;
        switch (def->arg) {
        case 0: r = as_u32(dot2(h(x) * h(y), h(x >> 16) * h(y >> 16), as_f32(z))); break;
        case 1: r = as_u32(dot2((double)bf(x) * bf(y), (double)bf(x >> 16) * bf(y >> 16), as_f32(z))); break;
        case 2: r += (u32)(s16(x) * s16(y)) + (u32)(s16(x >> 16) * s16(y >> 16)); break;
        case 3: r += u16of(x) * u16of(y) + (x >> 16) * (y >> 16); break;
        case 4: for (int i = 0; i < 32; i += 8) r += (u32)((i32)(i8)(x >> i) * (i8)(y >> i)); break;
        case 5: for (int i = 0; i < 32; i += 8) r += (x >> i & 255) * (y >> i & 255); break;
        case 6: for (int i = 0; i < 32; i += 4) r += (u32)(((i32)(x << (28 - i)) >> 28) * ((i32)(y << (28 - i)) >> 28)); break;
        case 7: for (int i = 0; i < 32; i += 4) r += (x >> i & 15) * (y >> i & 15); break;
        }
        out[l] = r;
    }
    vector_write(w, I, &I->o[DST], out, w->lane_enable);
}

#define PK(NAME, FN) {OP_##NAME, run_packed16, (void (*)(void))f_##FN, 0}
const opdef valu16_defs[] = {
    ROW_OF(v_add_f16), ROW_OF(v_sub_f16), ROW_OF(v_subrev_f16), ROW_OF(v_mul_f16), ROW_OF(v_min_f16), ROW_OF(v_max_f16),
    ROW_OF(v_fma_f16), ROW_OF(v_mad_f16), ROW_OF(v_min3_f16), ROW_OF(v_max3_f16), ROW_OF(v_med3_f16), ROW_OF(v_fmac_f16),
    ROW_OF(v_ldexp_f16), ROW_OF(v_trunc_f16), ROW_OF(v_ceil_f16), ROW_OF(v_floor_f16), ROW_OF(v_rndne_f16),
    ROW_OF(v_fract_f16), ROW_OF(v_rcp_f16), ROW_OF(v_rsq_f16), ROW_OF(v_sqrt_f16), ROW_OF(v_exp_f16), ROW_OF(v_log_f16),
    ROW_OF(v_sin_f16), ROW_OF(v_cos_f16), ROW_OF(v_frexp_mant_f16), ROW_OF(v_frexp_exp_i16_f16), ROW_OF(v_add_u16),
    ROW_OF(v_sub_u16), ROW_OF(v_subrev_u16), ROW_OF(v_mul_lo_u16), ROW_OF(v_min_u16), ROW_OF(v_max_u16),
    ROW_OF(v_min_i16), ROW_OF(v_max_i16), ROW_OF(v_lshlrev_b16), ROW_OF(v_lshrrev_b16), ROW_OF(v_ashrrev_i16),
    ROW_OF(v_mad_u16), {OP_v_mad_i16, run_valu, (void (*)(void))f_v_mad_u16, 0},
    {OP_v_add_i16, run_valu, (void (*)(void))f_v_add_u16, 0}, {OP_v_sub_i16, run_valu, (void (*)(void))f_v_sub_u16, 0},
    ROW_OF(v_min3_i16), ROW_OF(v_max3_i16), ROW_OF(v_min3_u16), ROW_OF(v_max3_u16), ROW_OF(v_med3_i16),
    ROW_OF(v_med3_u16), ROW_OF(v_pack_b32_f16),
    {0, 0, 0, 0},
};
const opdef vop3p_defs[] = {
    PK(v_pk_mul_lo_u16, v_mul_lo_u16), PK(v_pk_add_u16, v_add_u16), PK(v_pk_sub_u16, v_sub_u16),
    PK(v_pk_min_u16, v_min_u16), PK(v_pk_max_u16, v_max_u16), PK(v_pk_add_i16, v_add_u16), PK(v_pk_sub_i16, v_sub_u16),
    PK(v_pk_min_i16, v_min_i16), PK(v_pk_max_i16, v_max_i16), PK(v_pk_lshlrev_b16, v_lshlrev_b16),
    PK(v_pk_lshrrev_b16, v_lshrrev_b16), PK(v_pk_ashrrev_i16, v_ashrrev_i16), PK(v_pk_mad_u16, v_mad_u16),
    PK(v_pk_mad_i16, v_mad_u16), PK(v_pk_add_f16, v_add_f16), PK(v_pk_mul_f16, v_mul_f16), PK(v_pk_min_f16, v_min_f16),
    PK(v_pk_max_f16, v_max_f16), PK(v_pk_fma_f16, v_fma_f16), PK(v_pk_fmac_f16, v_fmac_f16),
    PK(v_pk_maximum3_f16, v_pk_maximum3_f16), PK(v_pk_minimum3_f16, v_pk_minimum3_f16),
    {OP_v_pk_fma_f32, run_packed32, (void (*)(void))f_pk_fma, 0}, {OP_v_pk_mul_f32, run_packed32, (void (*)(void))f_pk_mul, 0},
    {OP_v_pk_add_f32, run_packed32, (void (*)(void))f_pk_add, 0}, {OP_v_pk_mov_b32, run_pk_mov, 0, 0},
    {OP_v_fma_mix_f32, run_mix, 0, 0}, {OP_v_mad_mix_f32, run_mix, 0, 0}, {OP_v_fma_mixlo_f16, run_mix, 0, 1},
    {OP_v_mad_mixlo_f16, run_mix, 0, 1}, {OP_v_fma_mixhi_f16, run_mix, 0, 2}, {OP_v_mad_mixhi_f16, run_mix, 0, 2},
    {OP_v_dot2_f32_f16, run_dot, 0, 0}, {OP_v_dot2_f32_bf16, run_dot, 0, 1}, {OP_v_dot2_i32_i16, run_dot, 0, 2},
    {OP_v_dot2_u32_u16, run_dot, 0, 3}, {OP_v_dot4_i32_i8, run_dot, 0, 4}, {OP_v_dot4_u32_u8, run_dot, 0, 5},
    {OP_v_dot8_i32_i4, run_dot, 0, 6}, {OP_v_dot8_u32_u4, run_dot, 0, 7}, {OP_v_dot2c_f32_f16, run_dot, 0, 0},
    {OP_v_dot2c_f32_bf16, run_dot, 0, 1}, {OP_v_dot2c_i32_i16, run_dot, 0, 2}, {OP_v_dot4c_i32_i8, run_dot, 0, 4},
    {OP_v_dot8c_i32_i4, run_dot, 0, 6},
    {0, 0, 0, 0},
};
