/* SPDX-License-Identifier: Apache-2.0 */
/* f32 and f64 vector arithmetic. Fused operations round once; rcp, rsq, sqrt, exp, log, sin, cos are computed to the
 * nearest value, while hardware may be 1 ulp away (CDNA4 ISA 12.8). */
#include <math.h>

#include "valu.h"

static float legacy_mul(float x, float y) { return x == 0 || y == 0 ? 0.0f : x * y; }
static float med3_f32(float x, float y, float z)
{
    if (x != x || y != y || z != z) return min_f32(min_f32(x, y), z);
    float high = max_f32(max_f32(x, y), z);
    if (as_u32(high) == as_u32(x)) return max_f32(y, z);
    if (as_u32(high) == as_u32(y)) return max_f32(x, z);
    return max_f32(x, y);
}
/* IEEE 754-2019 minimum and maximum: NaN propagates. */
static float maximum_f32(float x, float y) { return x != x ? x : y != y ? y : max_f32(x, y); }
static float minimum_f32(float x, float y) { return x != x ? x : y != y ? y : min_f32(x, y); }
static float fract_f32(float x)
{
    float r = x - floorf(x);
    return r < 0x1.fffffep-1f || r != r ? r : 0x1.fffffep-1f;
}
static double fract_f64(double x)
{
    double r = x - floor(x);
    return r < 0x1.fffffffffffffp-1 || r != r ? r : 0x1.fffffffffffffp-1;
}
/* Turns, not radians. */
static float turns(float x, bool cosine)
{
    if (isinf(x)) return as_f32(0x7fc00000);
    double t = (double)x - floor((double)x), angle = t * 6.283185307179586476925;
    return (float)(cosine ? cos(angle) : sin(angle));
}
static bool finite32(float x) { return (as_u32(x) & 0x7f800000) != 0x7f800000; }
static bool finite64(double x) { return (f64_bits(x) >> 52 & 0x7ff) != 0x7ff; }
static u32 frexp_exp32(float x) { int e = 0; if (finite32(x) && x != 0) (void)frexpf(x, &e); return (u32)e; }
static u32 frexp_exp64(double x) { int e = 0; if (finite64(x) && x != 0) (void)frexp(x, &e); return (u32)e; }
static float frexp_mant32(float x) { int e; return finite32(x) ? frexpf(x, &e) : x; }
static double frexp_mant64(double x) { int e; return finite64(x) ? frexp(x, &e) : x; }
static int shift_limit(u32 n) { i32 s = (i32)n; return s > 4096 ? 4096 : s < -4096 ? -4096 : s; }

F2(v_add_f32, x + y)
F2(v_sub_f32, x - y)
F2(v_subrev_f32, y - x)
F2(v_mul_f32, x * y)
F2(v_mul_legacy_f32, legacy_mul(x, y))
F2(v_min_f32, min_f32(x, y))
F2(v_max_f32, max_f32(x, y))
F3(v_fma_f32, __builtin_fmaf(x, y, z))
F3(v_mad_f32, x * y + z)
F3(v_mad_legacy_f32, legacy_mul(x, y) + z)
F3(v_min3_f32, min_f32(min_f32(x, y), z))
F3(v_max3_f32, max_f32(max_f32(x, y), z))
F3(v_med3_f32, med3_f32(x, y, z))
F3(v_minimum3_f32, minimum_f32(minimum_f32(x, y), z))
F3(v_maximum3_f32, maximum_f32(maximum_f32(x, y), z))
LANE_FN(v_fmac_f32) { UNUSED; IVDEP LANES d[l] = as_u32(__builtin_fmaf(as_f32(a[l]), as_f32(b[l]), as_f32(d[l]))); }
LANE_FN(v_mac_f32) { UNUSED; IVDEP LANES d[l] = as_u32(as_f32(a[l]) * as_f32(b[l]) + as_f32(d[l])); }
F1(v_trunc_f32, __builtin_truncf(x))
F1(v_ceil_f32, __builtin_ceilf(x))
F1(v_floor_f32, __builtin_floorf(x))
F1(v_rndne_f32, __builtin_rintf(x))
F1(v_fract_f32, fract_f32(x))
F1(v_rcp_f32, 1.0f / x)
F1(v_rsq_f32, (float)(1.0 / sqrt((double)x)))
F1(v_sqrt_f32, sqrtf(x))
F1(v_exp_f32, (float)exp2((double)x))
F1(v_log_f32, (float)log2((double)x))
F1(v_sin_f32, turns(x, false))
F1(v_cos_f32, turns(x, true))
F1(v_frexp_mant_f32, frexp_mant32(x))
LANE_FN(v_frexp_exp_i32_f32) { UNUSED; LANES d[l] = frexp_exp32(as_f32(a[l])); }
LANE_FN(v_ldexp_f32) { UNUSED; LANES d[l] = as_u32(scalbnf(as_f32(a[l]), shift_limit(b[l]))); }

D2(v_add_f64, x + y)
D2(v_mul_f64, x * y)
D2(v_min_f64, min_f64(x, y))
D2(v_max_f64, max_f64(x, y))
D3(v_fma_f64, __builtin_fma(x, y, z))
LANE_FN(v_fmac_f64)
{
    UNUSED;
    LANES STORE_PAIR(f64_bits(__builtin_fma(as_f64(PAIR(a)), as_f64(PAIR(b)), as_f64(PAIR(d)))));
}
D1(v_trunc_f64, trunc(x))
D1(v_ceil_f64, ceil(x))
D1(v_floor_f64, floor(x))
D1(v_rndne_f64, rint(x))
D1(v_fract_f64, fract_f64(x))
D1(v_rcp_f64, 1.0 / x)
D1(v_rsq_f64, 1.0 / sqrt(x))
D1(v_sqrt_f64, sqrt(x))
D1(v_frexp_mant_f64, frexp_mant64(x))
LANE_FN(v_frexp_exp_i32_f64) { UNUSED; LANES d[l] = frexp_exp64(as_f64(PAIR(a))); }
LANE_FN(v_ldexp_f64) { UNUSED; LANES STORE_PAIR(f64_bits(scalbn(as_f64(PAIR(a)), shift_limit(b[l])))); }

/* 64-bit integers */
LANE_FN(v_mov_b64) { UNUSED; LANES STORE_PAIR(PAIR(a)); }
LANE_FN(v_lshlrev_b64) { UNUSED; LANES STORE_PAIR(PAIR(b) << (a[l] & 63)); }
LANE_FN(v_lshrrev_b64) { UNUSED; LANES STORE_PAIR(PAIR(b) >> (a[l] & 63)); }
LANE_FN(v_ashrrev_i64) { UNUSED; LANES STORE_PAIR((u64)((i64)PAIR(b) >> (a[l] & 63))); }
LANE_FN(v_lshl_add_u64) { LANES STORE_PAIR((PAIR(a) << (b[l] & 7)) + PAIR(c)); }

/* Division helpers (CDNA4 ISA, V_DIV_SCALE, V_DIV_FMAS, V_DIV_FIXUP): source 0 is the value to scale or the quotient,
 * 1 the denominator, 2 the numerator. */
static int biased32(float x) { return (int)(as_u32(x) >> 23 & 255); }
static int biased64(double x) { return (int)(f64_bits(x) >> 52 & 0x7ff); }
static bool denormal32(float x) { return biased32(x) == 0 && x != 0; }
static bool denormal64(double x) { return biased64(x) == 0 && x != 0; }
#define DIV_SCALE(NAME, TYPE, BITS, GET, PUT, EXP, DENORM, SCALB, GAP, STEP, LOW) \
    LANE_FN(NAME) \
    { \
        LANES { \
            TYPE s0 = GET(a), s1 = GET(b), s2 = GET(c), r = s0; \
            u32 vcc = 0; \
            if (s2 == 0 || s1 == 0) r = (TYPE)NAN; \
            else if (EXP(s2) - EXP(s1) >= GAP) { vcc = 1; if (s0 == s1) r = SCALB(s0, STEP); } \
            else if (DENORM(s1)) r = SCALB(s0, STEP); \
            else if (DENORM((TYPE)1 / s1) && DENORM(s2 / s1)) { vcc = 1; if (s0 == s1) r = SCALB(s0, STEP); } \
            else if (DENORM((TYPE)1 / s1)) r = SCALB(s0, -STEP); \
            else if (DENORM(s2 / s1)) { vcc = 1; if (s0 == s2) r = SCALB(s0, STEP); } \
            else if (EXP(s2) <= LOW) r = SCALB(s0, STEP); \
            PUT(r); \
            d[2 * ROW + l] = vcc; \
        } \
    }
#define GET32(p) as_f32(p[l])
#define PUT32(r) d[l] = as_u32(r)
#define GET64(p) as_f64(PAIR(p))
#define PUT64(r) STORE_PAIR(f64_bits(r))
DIV_SCALE(v_div_scale_f32, float, 32, GET32, PUT32, biased32, denormal32, scalbnf, 96, 64, 23)
DIV_SCALE(v_div_scale_f64, double, 64, GET64, PUT64, biased64, denormal64, scalbn, 768, 128, 53)
#define DIV_FIXUP(NAME, TYPE, GET, PUT, EXP, UNDER, TOP) \
    LANE_FN(NAME) \
    { \
        LANES { \
            TYPE q = GET(a), den = GET(b), num = GET(c), r; \
            bool negative = (signbit(den) != 0) != (signbit(num) != 0); \
            if (num != num) r = num; \
            else if (den != den) r = den; \
            else if ((num == 0 && den == 0) || (isinf(num) && isinf(den))) r = (TYPE)NAN; \
            else if (den == 0 || isinf(num)) r = negative ? (TYPE)-INFINITY : (TYPE)INFINITY; \
            else if (isinf(den) || num == 0) r = negative ? -(TYPE)0 : (TYPE)0; \
            else if (EXP(num) - EXP(den) < UNDER) r = negative ? -(TYPE)0 : (TYPE)0; \
            else if (EXP(den) == TOP) r = negative ? (TYPE)-INFINITY : (TYPE)INFINITY; \
            else r = negative ? -(TYPE)fabs(q) : (TYPE)fabs(q); \
            PUT(r); \
        } \
    }
DIV_FIXUP(v_div_fixup_f32, float, GET32, PUT32, biased32, -150, 255)
DIV_FIXUP(v_div_fixup_f64, double, GET64, PUT64, biased64, -1075, 2047)

static void run_div_fmas(wave *w, const ins *I, const opdef *def)
{
    w->lane_enable = exec_mask(w);
    const u32 *a = vector_source(w, I, 0), *b = vector_source(w, I, 1), *c = vector_source(w, I, 2);
    u32 *d = w->result;
    u64 vcc = read64(&w->s[SGPR_VCC]);
    if (def->op == OP_v_div_fmas_f32)
        LANES {
            float r = fmaf(as_f32(a[l]), as_f32(b[l]), as_f32(c[l]));
            d[l] = as_u32(vcc >> l & 1 ? r * 0x1p32f : r);
        }
    else
        LANES {
            double r = fma(as_f64(PAIR(a)), as_f64(PAIR(b)), as_f64(PAIR(c)));
            STORE_PAIR(f64_bits(vcc >> l & 1 ? r * 0x1p64 : r));
        }
    vector_write(w, I, &I->o[DST], d, w->lane_enable);
}

#define AS(NAME, FN) {OP_##NAME, run_valu, (void (*)(void))f_##FN, 0}
const opdef valu64_defs[] = {
    ROW_OF(v_add_f32), ROW_OF(v_sub_f32), ROW_OF(v_subrev_f32), ROW_OF(v_mul_f32), ROW_OF(v_mul_legacy_f32),
    ROW_OF(v_min_f32), ROW_OF(v_max_f32), ROW_OF(v_fma_f32), ROW_OF(v_mad_f32), ROW_OF(v_mad_legacy_f32),
    ROW_OF(v_min3_f32), ROW_OF(v_max3_f32), ROW_OF(v_med3_f32), ROW_OF(v_minimum3_f32), ROW_OF(v_maximum3_f32),
    ROW_OF(v_fmac_f32), ROW_OF(v_mac_f32), AS(v_fmamk_f32, v_fma_f32), AS(v_fmaak_f32, v_fma_f32), ROW_OF(v_trunc_f32),
    ROW_OF(v_ceil_f32), ROW_OF(v_floor_f32), ROW_OF(v_rndne_f32), ROW_OF(v_fract_f32), ROW_OF(v_rcp_f32),
    AS(v_rcp_iflag_f32, v_rcp_f32), ROW_OF(v_rsq_f32), ROW_OF(v_sqrt_f32), ROW_OF(v_exp_f32), ROW_OF(v_log_f32),
    AS(v_exp_legacy_f32, v_exp_f32), AS(v_log_legacy_f32, v_log_f32), ROW_OF(v_sin_f32), ROW_OF(v_cos_f32),
    ROW_OF(v_frexp_mant_f32), ROW_OF(v_frexp_exp_i32_f32), ROW_OF(v_ldexp_f32), ROW_OF(v_add_f64), ROW_OF(v_mul_f64),
    ROW_OF(v_min_f64), ROW_OF(v_max_f64), ROW_OF(v_fma_f64), ROW_OF(v_fmac_f64), ROW_OF(v_trunc_f64),
    ROW_OF(v_ceil_f64), ROW_OF(v_floor_f64), ROW_OF(v_rndne_f64), ROW_OF(v_fract_f64), ROW_OF(v_rcp_f64),
    ROW_OF(v_rsq_f64), ROW_OF(v_sqrt_f64), ROW_OF(v_frexp_mant_f64), ROW_OF(v_frexp_exp_i32_f64), ROW_OF(v_ldexp_f64),
    ROW_OF(v_mov_b64), ROW_OF(v_lshlrev_b64), ROW_OF(v_lshrrev_b64), ROW_OF(v_ashrrev_i64), ROW_OF(v_lshl_add_u64),
    {OP_v_div_scale_f32, run_valu_vcc, (void (*)(void))f_v_div_scale_f32, 0},
    {OP_v_div_scale_f64, run_valu_vcc, (void (*)(void))f_v_div_scale_f64, 0}, ROW_OF(v_div_fixup_f32),
    ROW_OF(v_div_fixup_f64), {OP_v_div_fmas_f32, run_div_fmas, 0, 0}, {OP_v_div_fmas_f64, run_div_fmas, 0, 0},
    {0, 0, 0, 0},
};
