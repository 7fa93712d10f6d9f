/* SPDX-License-Identifier: Apache-2.0 */
/* How a vector ALU instruction fetches sources, runs a lane function and merges its result under EXEC. */
#ifndef VALU_H
#define VALU_H
#include "core.h"

typedef void lane_fn(u32 *d, const u32 *a, const u32 *b, const u32 *c);
typedef u64 compare_fn(const u32 *a, const u32 *b);

run_fn run_valu;
run_fn run_valu_vcc;
run_fn run_compare;

/* Row pointer of source k with modifiers, SDWA and DPP applied; sets w->lane_enable. */
const u32 *vector_source(wave *w, const ins *I, int k);
void vector_write(wave *w, const ins *I, const operand *o, const u32 *result, u64 exec);
u64 pack_bits(const u32 *flags);

/* Flush denormal f32 to a zero of the same sign. */
static inline void flush_row(u32 *row) { IVDEP LANES row[l] = (row[l] & 0x7f800000) ? row[l] : row[l] & 0x80000000; }
static inline i32 med3_i(i32 x, i32 y, i32 z)
{
    i32 low = x < y ? x : y, high = x < y ? y : x;
    return z < low ? low : z > high ? high : z;
}

#define LANE_FN(NAME) CLONES static void f_##NAME(u32 *d, const u32 *a, const u32 *b, const u32 *c)
#define UNUSED (void)b; (void)c
/* One, two or three 32-bit sources; x, y, z are the lane's values. */
#define U1(NAME, EXPR) LANE_FN(NAME) { UNUSED; IVDEP LANES { u32 x = a[l]; d[l] = (u32)(EXPR); } }
#define U2(NAME, EXPR) LANE_FN(NAME) { UNUSED; IVDEP LANES { u32 x = a[l], y = b[l]; d[l] = (u32)(EXPR); } }
#define U3(NAME, EXPR) LANE_FN(NAME) { IVDEP LANES { u32 x = a[l], y = b[l], z = c[l]; d[l] = (u32)(EXPR); } }
#define F1(NAME, EXPR) LANE_FN(NAME) { UNUSED; IVDEP LANES { float x = as_f32(a[l]); d[l] = as_u32(EXPR); } }
#define F2(NAME, EXPR) \
    LANE_FN(NAME) { UNUSED; IVDEP LANES { float x = as_f32(a[l]), y = as_f32(b[l]); d[l] = as_u32(EXPR); } }
#define F3(NAME, EXPR) \
    LANE_FN(NAME) \
    { \
        IVDEP LANES { float x = as_f32(a[l]), y = as_f32(b[l]), z = as_f32(c[l]); d[l] = as_u32(EXPR); } \
    }
#define PAIR(p) ((u64)(p)[l] | (u64)(p)[ROW + l] << 32)
#define STORE_PAIR(EXPR) do { u64 r_ = (EXPR); d[l] = (u32)r_; d[ROW + l] = (u32)(r_ >> 32); } while (0)
#define D1(NAME, EXPR) LANE_FN(NAME) { UNUSED; LANES { double x = as_f64(PAIR(a)); STORE_PAIR(f64_bits(EXPR)); } }
#define D2(NAME, EXPR) \
    LANE_FN(NAME) { UNUSED; LANES { double x = as_f64(PAIR(a)), y = as_f64(PAIR(b)); STORE_PAIR(f64_bits(EXPR)); } }
#define D3(NAME, EXPR) \
    LANE_FN(NAME) \
    { \
        LANES { double x = as_f64(PAIR(a)), y = as_f64(PAIR(b)), z = as_f64(PAIR(c)); STORE_PAIR(f64_bits(EXPR)); } \
    }
#define ROW_OF(NAME) {OP_##NAME, run_valu, (void (*)(void))f_##NAME, 0}

/* IEEE maxNum/minNum: a number beats NaN, +0 beats -0 for max and the reverse for min (CDNA4 ISA, V_MAX_F32). */
static inline float max_f32(float x, float y)
{
    return x != x ? y : y != y ? x : x > y ? x : y > x ? y : as_f32(as_u32(x) & as_u32(y));
}
static inline float min_f32(float x, float y)
{
    return x != x ? y : y != y ? x : x < y ? x : y < x ? y : as_f32(as_u32(x) | as_u32(y));
}
static inline double max_f64(double x, double y)
{
    return x != x ? y : y != y ? x : x > y ? x : y > x ? y : as_f64(f64_bits(x) & f64_bits(y));
}
static inline double min_f64(double x, double y)
{
    return x != x ? y : y != y ? x : x < y ? x : y < x ? y : as_f64(f64_bits(x) | f64_bits(y));
}

/* fp.c: conversions, all round to nearest even unless named otherwise */
static inline u32 f32_to_bf16(u32 bits)
{
    u32 quiet = bits >> 16 | 0x40; /* payload kept */
    return (bits & 0x7fffffff) > 0x7f800000 ? quiet : (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
}
u16 f64_to_f16(double x, int direction);   /* direction 0 RNE, 1 toward zero */
u32 f32_to_fp8(u32 bits, bool bf8, bool fnuz, bool stochastic, u32 random);
float fp8_to_f32(u8 code, bool bf8, bool fnuz);
double sum_odd(double a, double b);        /* a + b rounded to odd: a later rounding to fewer bits is then correct */
#endif
