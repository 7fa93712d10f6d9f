/* SPDX-License-Identifier: Apache-2.0 */
/* Narrow floating-point formats: f16, bf16, OCP and FNUZ fp8 (CDNA4 ISA 7.3; OCP OFP8). */
#include <math.h>

#include "valu.h"

float f16_to_f32(u16 h)
{
    u32 sign = (u32)(h & 0x8000) << 16, exponent = h >> 10 & 31, mantissa = h & 0x3ff;
    if (exponent == 31) return as_f32(sign | 0x7f800000 | mantissa << 13);
    if (exponent == 0) {
        float f = (float)mantissa * 0x1p-24f;
        return as_f32(as_u32(f) | sign);
    }
    return as_f32(sign | (exponent + 112) << 23 | mantissa << 13);
}

u16 f64_to_f16(double x, int direction)
{
    u64 bits = f64_bits(x);
    u16 sign = (u16)(bits >> 48 & 0x8000);
    if (x != x) return sign | 0x7e00;
    double m = fabs(x);
    if (m == INFINITY) return sign | 0x7c00;
    if (m == 0) return sign;
    int e = ilogb(m);
    if (e < -14) e = -14;
    double scaled = scalbn(m, 10 - e); /* exact: 1 unit = 1 ulp of the result */
    double r = direction ? trunc(scaled) : rint(scaled);
    u32 code = (u32)r + ((u32)(e + 14) << 10); /* a carry moves into the exponent */
    if (code >= 0x7c00) code = direction ? 0x7bff : 0x7c00;
    return sign | (u16)code;
}

u16 f32_to_f16(float f) { return f64_to_f16((double)f, 0); }

double sum_odd(double a, double b)
{
    double s = a + b, bb = s - a, error = (a - (s - bb)) + (b - bb);
    u64 bits = f64_bits(s);
    if (error == 0 || error != error || (bits & 1)) return s;
    /* Truncate toward the exact value, then set the sticky bit. */
    bool away = (error > 0) == (s > 0);
    return as_f64(away ? bits + 1 : bits - 1);
}

float fp8_to_f32(u8 code, bool bf8, bool fnuz)
{
    int bits = bf8 ? 2 : 3, bias = (bf8 ? 15 : 7) + (fnuz ? 1 : 0);
    u32 sign = code >> 7, exponent = (code & 0x7fu) >> bits, mantissa = code & ((1u << bits) - 1);
    float value;
    if (fnuz && code == 0x80) return as_f32(0x7fc00000);
    if (!fnuz) {
        if (!bf8 && (code & 0x7f) == 0x7f) return as_f32(0x7fc00000 | sign << 31);
        if (bf8 && exponent == 31) return as_f32(sign << 31 | (mantissa ? 0x7fc00000u : 0x7f800000u));
    }
    if (exponent == 0) value = scalbnf((float)mantissa, 1 - bias - bits);
    else value = scalbnf((float)(mantissa | 1u << bits), (int)exponent - bias - bits);
    return sign ? -value : value;
}

/* Saturates to the largest finite value; NaN gives NaN. With FP16_OVFL clear, OCP overflow becomes NaN (e4m3) or
 * infinity (e5m2), FNUZ overflow NaN (CDNA3 ISA, V_CVT_PK_FP8_F32). */
u32 f32_to_fp8(u32 in, bool bf8, bool fnuz, bool stochastic, u32 random)
{
    int bits = bf8 ? 2 : 3, bias = (bf8 ? 15 : 7) + (fnuz ? 1 : 0);
    u32 sign = in >> 31, nan = fnuz ? 0x80 : (sign << 7 | 0x7f);
    u32 largest = fnuz ? 0x7f : bf8 ? 0x7b : 0x7e;
    float x = as_f32(in & 0x7fffffff);
    if (x != x) return nan;
    if (x == INFINITY) return fnuz ? 0x80 : bf8 ? (sign << 7 | 0x7c) : nan;
    if (x == 0) return fnuz ? 0 : sign << 7;
    int e = ilogbf(x), least = 1 - bias;
    if (e < least) e = least;
    double scaled = scalbn((double)x, bits - e), r;
    if (stochastic) r = floor(scaled + (double)(random >> (12 - (bf8 ? 1 : 0))) * (bf8 ? 0x1p-21 : 0x1p-20));
    else r = rint(scaled);
    u32 code = (u32)r + (u32)((e - least) << bits);
    if (code > largest) return fnuz ? 0x80 : bf8 ? (sign << 7 | 0x7c) : nan;
    if (fnuz && code == 0) return 0;
    return sign << 7 | code;
}
