/* SPDX-License-Identifier: Apache-2.0 */
/* Conversions between number formats (CDNA4 ISA 12.8 and 12.11, V_CVT_*). */
#include <math.h>

#include "valu.h"

static u32 to_i32(double x) { return x != x ? 0 : x <= -2147483648.0 ? 0x80000000u : x >= 2147483647.0 ? 0x7fffffffu : (u32)(i32)x; }
static u32 to_u32(double x) { return x != x || x <= 0 ? 0 : x >= 4294967295.0 ? 0xffffffffu : (u32)x; }
static u32 to_u8(float x) { double r = rint((double)x); return x != x || r <= 0 ? 0 : r >= 255 ? 255 : (u32)r; }
static u32 norm(float x, bool sign)
{
    if (x != x) return 0;
    double limit = sign ? 32767.0 : 65535.0, low = sign ? -1.0 : 0.0;
    double clamped = x < low ? low : x > 1 ? 1.0 : (double)x;
    return (u32)(i32)rint(clamped * limit) & 0xffff;
}

LANE_FN(v_cvt_f32_i32) { UNUSED; IVDEP LANES d[l] = as_u32((float)(i32)a[l]); }
LANE_FN(v_cvt_f32_u32) { UNUSED; IVDEP LANES d[l] = as_u32((float)a[l]); }
LANE_FN(v_cvt_f64_i32) { UNUSED; LANES STORE_PAIR(f64_bits((double)(i32)a[l])); }
LANE_FN(v_cvt_f64_u32) { UNUSED; LANES STORE_PAIR(f64_bits((double)a[l])); }
LANE_FN(v_cvt_i32_f32) { UNUSED; LANES d[l] = to_i32((double)as_f32(a[l])); }
LANE_FN(v_cvt_u32_f32) { UNUSED; LANES d[l] = to_u32((double)as_f32(a[l])); }
LANE_FN(v_cvt_i32_f64) { UNUSED; LANES d[l] = to_i32(as_f64(PAIR(a))); }
LANE_FN(v_cvt_u32_f64) { UNUSED; LANES d[l] = to_u32(as_f64(PAIR(a))); }
LANE_FN(v_cvt_rpi_i32_f32) { UNUSED; LANES d[l] = to_i32(floor((double)as_f32(a[l]) + 0.5)); }
LANE_FN(v_cvt_flr_i32_f32) { UNUSED; LANES d[l] = to_i32(floor((double)as_f32(a[l]))); }
#define UBYTE(N) LANE_FN(v_cvt_f32_ubyte##N) { UNUSED; IVDEP LANES d[l] = as_u32((float)(a[l] >> 8 * N & 255)); }
UBYTE(0)
UBYTE(1)
UBYTE(2)
UBYTE(3)
LANE_FN(v_cvt_off_f32_i4) { UNUSED; LANES d[l] = as_u32((float)((i32)(a[l] << 28) >> 28) / 16.0f); }
LANE_FN(v_cvt_f32_f64) { UNUSED; LANES d[l] = as_u32((float)as_f64(PAIR(a))); }
LANE_FN(v_cvt_f64_f32) { UNUSED; LANES STORE_PAIR(f64_bits((double)as_f32(a[l]))); }
LANE_FN(v_cvt_f16_f32) { UNUSED; LANES d[l] = f32_to_f16(as_f32(a[l])); }
LANE_FN(v_cvt_f32_f16) { UNUSED; LANES d[l] = as_u32(f16_to_f32((u16)a[l])); }
LANE_FN(v_cvt_f16_u16) { UNUSED; LANES d[l] = f64_to_f16((double)(a[l] & 0xffff), 0); }
LANE_FN(v_cvt_f16_i16) { UNUSED; LANES d[l] = f64_to_f16((double)(i16)a[l], 0); }
LANE_FN(v_cvt_u16_f16)
{
    UNUSED;
    LANES { double x = f16_to_f32((u16)a[l]); d[l] = x != x || x <= 0 ? 0 : x >= 65535 ? 65535 : (u32)x; }
}
LANE_FN(v_cvt_i16_f16)
{
    UNUSED;
    LANES {
        double x = f16_to_f32((u16)a[l]);
        d[l] = (x != x ? 0u : (u32)(i32)(x <= -32768 ? -32768 : x >= 32767 ? 32767 : x)) & 0xffff;
    }
}
LANE_FN(v_cvt_f32_bf16) { UNUSED; IVDEP LANES d[l] = a[l] << 16; }
LANE_FN(v_cvt_pk_bf16_f32) { UNUSED; IVDEP LANES d[l] = (f32_to_bf16(a[l]) & 0xffff) | f32_to_bf16(b[l]) << 16; }
LANE_FN(v_cvt_pk_f16_f32) { UNUSED; LANES d[l] = f32_to_f16(as_f32(a[l])) | (u32)f32_to_f16(as_f32(b[l])) << 16; }
LANE_FN(v_cvt_pkrtz_f16_f32)
{
    UNUSED;
    LANES d[l] = f64_to_f16(as_f32(a[l]), 1) | (u32)f64_to_f16(as_f32(b[l]), 1) << 16;
}
LANE_FN(v_cvt_pk_u8_f32)
{
    LANES { u32 shift = 8 * (b[l] & 3); d[l] = (c[l] & ~(255u << shift)) | to_u8(as_f32(a[l])) << shift; }
}
LANE_FN(v_cvt_pknorm_i16_f32) { UNUSED; LANES d[l] = norm(as_f32(a[l]), true) | norm(as_f32(b[l]), true) << 16; }
LANE_FN(v_cvt_pknorm_u16_f32) { UNUSED; LANES d[l] = norm(as_f32(a[l]), false) | norm(as_f32(b[l]), false) << 16; }

/* fp8 and bf8: OCP on gfx950, FNUZ on gfx942. SDWA or op_sel picks the source part. */
static void run_from_fp8(wave *w, const ins *I, const opdef *def)
{
    bool bf8 = def->arg & 1, pair = def->arg & 2, fnuz = cfg(w)->flags & LAUNCH_FNUZ;
    w->lane_enable = exec_mask(w);
    const u32 *p = vector_source(w, I, 0);
    u32 shift = pair ? 16 * (I->op_sel & 1u) : 8 * ((I->op_sel & 1u) << 1 | (I->op_sel >> 1 & 1u)), *out = w->result;
    LANES {
        u32 x = p[l] >> shift;
        out[l] = as_u32(fp8_to_f32((u8)x, bf8, fnuz));
        if (pair) out[ROW + l] = as_u32(fp8_to_f32((u8)(x >> 8), bf8, fnuz));
    }
    vector_write(w, I, &I->o[DST], out, w->lane_enable);
}

static void run_to_fp8(wave *w, const ins *I, const opdef *def)
{
    bool bf8 = def->arg & 1, stochastic = def->arg & 2, fnuz = cfg(w)->flags & LAUNCH_FNUZ;
    w->lane_enable = exec_mask(w);
    const u32 *a = vector_source(w, I, 0), *b = vector_source(w, I, 1);
    const u32 *old = w->v[I->o[DST].reg];
    u32 *out = w->result;
    LANES {
        if (stochastic) {
            u32 shift = 8 * (I->op_sel >> 2 & 3), code = f32_to_fp8(a[l], bf8, fnuz, true, b[l]);
            out[l] = (old[l] & ~(255u << shift)) | code << shift;
        } else {
            u32 pair = f32_to_fp8(a[l], bf8, fnuz, false, 0) | f32_to_fp8(b[l], bf8, fnuz, false, 0) << 8;
            out[l] = I->op_sel & 8 ? (old[l] & 0xffff) | pair << 16 : (old[l] & 0xffff0000) | pair;
        }
    }
    vector_write(w, I, &I->o[DST], out, w->lane_enable);
}

/* Magnitudes of FP4 (E2M1) and the middles between neighbours: to nearest, ties to the even code; from 5 on it is 6. */
static u32 f32_to_fp4(float x)
{
    static const float middle[7] = {0.25f, 0.75f, 1.25f, 1.75f, 2.5f, 3.5f, 5.0f};
    u32 code = 0;
    float size = fabsf(x);
    for (u32 k = 0; k < 7; k++) code += size > middle[k] || (size >= middle[k] && (k & 1));
    return code | (as_u32(x) >> 28 & 8);
}

/* The scale is a power of two, the exponent of SRC2, by which the sources are divided (CDNA4 ISA 6.7.1; CK's host form of
 * the instruction, f4_convert_rne). FP4 has no NaN, and what hardware writes for one is not documented. */
static void run_to_fp4(wave *w, const ins *I, const opdef *def)
{
    (void)def;
    w->lane_enable = exec_mask(w);
    const u32 *a = vector_source(w, I, 0), *b = vector_source(w, I, 1), *scale = vector_source(w, I, 2);
    const u32 *old = w->v[I->o[DST].reg];
    u32 shift = 8u * I->cbsz, *out = w->result;
    LANES {
        int exponent = 127 - (int)(scale[l] >> 23 & 255);
        float x = as_f32(a[l]), y = as_f32(b[l]);
        if ((x != x || y != y) && w->lane_enable >> l & 1) { fault(w, I, FAULT_UNMODELLED, (u64)l); return; }
        u32 pair = f32_to_fp4(ldexpf(x, exponent)) | f32_to_fp4(ldexpf(y, exponent)) << 4;
        out[l] = (old[l] & ~(255u << shift)) | pair << shift;
    }
    vector_write(w, I, &I->o[DST], out, w->lane_enable);
}

const opdef convert_defs[] = {
    ROW_OF(v_cvt_f32_i32), ROW_OF(v_cvt_f32_u32), ROW_OF(v_cvt_f64_i32), ROW_OF(v_cvt_f64_u32), ROW_OF(v_cvt_i32_f32),
    ROW_OF(v_cvt_u32_f32), ROW_OF(v_cvt_i32_f64), ROW_OF(v_cvt_u32_f64), ROW_OF(v_cvt_rpi_i32_f32),
    ROW_OF(v_cvt_flr_i32_f32), ROW_OF(v_cvt_f32_ubyte0), ROW_OF(v_cvt_f32_ubyte1), ROW_OF(v_cvt_f32_ubyte2),
    ROW_OF(v_cvt_f32_ubyte3), ROW_OF(v_cvt_off_f32_i4), ROW_OF(v_cvt_f32_f64), ROW_OF(v_cvt_f64_f32),
    ROW_OF(v_cvt_f16_f32), ROW_OF(v_cvt_f32_f16), ROW_OF(v_cvt_f16_u16), ROW_OF(v_cvt_f16_i16), ROW_OF(v_cvt_u16_f16),
    ROW_OF(v_cvt_i16_f16), ROW_OF(v_cvt_f32_bf16), ROW_OF(v_cvt_pk_bf16_f32), ROW_OF(v_cvt_pk_f16_f32),
    ROW_OF(v_cvt_pkrtz_f16_f32), ROW_OF(v_cvt_pk_u8_f32), ROW_OF(v_cvt_pknorm_i16_f32), ROW_OF(v_cvt_pknorm_u16_f32),
    {OP_v_cvt_f32_fp8, run_from_fp8, 0, 0}, {OP_v_cvt_f32_bf8, run_from_fp8, 0, 1},
    {OP_v_cvt_pk_f32_fp8, run_from_fp8, 0, 2}, {OP_v_cvt_pk_f32_bf8, run_from_fp8, 0, 3},
    {OP_v_cvt_pk_fp8_f32, run_to_fp8, 0, 0}, {OP_v_cvt_pk_bf8_f32, run_to_fp8, 0, 1},
    {OP_v_cvt_scalef32_pk_fp4_f32, run_to_fp4, 0, 0}, {OP_v_cvt_sr_fp8_f32, run_to_fp8, 0, 2}, {OP_v_cvt_sr_bf8_f32, run_to_fp8, 0, 3},
    {0, 0, 0, 0},
};
