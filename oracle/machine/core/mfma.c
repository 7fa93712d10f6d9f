/* SPDX-License-Identifier: Apache-2.0 */
/* Matrix operations: D = RNE32(exact dot + C), one rounding an instruction, denormals kept, EXEC ignored (the numeric
 * contract; CDNA4 ISA 7.1 fixes RNE and denormals, the exactness of the sum is a model).
 *
 * Layout (measured with compiled kernels): lane l = (g, i), i = l % rows, g = l / rows; A holds row i, B column i; element
 * e of a lane has k = g * per_lane + e, but 8-bit elements of the f8f6f4 shapes come in stripes of 16: k = 16g + e, then
 * 16 * groups + 16g + e - 16 (AMD's Matrix Core blog, CK). Between equal formats any common permutation of k gives the
 * same sum. D register r of lane l is row
 * 4g + r (16 rows) or 8(r/4) + 4g + r%4 (32 rows), column i.
 *
 * Three ways to the same bits, cheapest first: 16-bit fixed point with 32-bit sums, where both operands are e4m3, |x| < 64
 * and the bound largest_a * largest_b * K < 2^31 proves the sums; double, where both are e4m3 (a sum of 128 products has 43
 * bits) or the running error is zero; and an exact expansion otherwise.
 */
#include <math.h>
#if defined(__x86_64__) && !defined(MACHINE_NO_CLONES)
#include <immintrin.h>
#define X86_KERNELS 1
#endif

#include "valu.h"

enum format { E4M3, E5M2, E2M3, E3M2, E2M1, FORMAT_F16, FORMAT_BF16, FORMAT_F32, FORMAT_I8 };

static double e5m2_table[2][256]; /* [fnuz][code] */
#if X86_KERNELS
static u8 kernel_kind; /* 0 portable, 1 AVX2, 2 AVX-512 VNNI */
#endif

__attribute__((constructor)) static void prepare(void)
{
    for (int fnuz = 0; fnuz < 2; fnuz++)
        for (int code = 0; code < 256; code++) e5m2_table[fnuz][code] = (double)fp8_to_f32((u8)code, true, fnuz);
#if X86_KERNELS
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512vnni") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl"))
        kernel_kind = 2;
    else if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) kernel_kind = 1;
#endif
}

/* Small formats without infinities or NaN (OCP MX): sign, exponent bits, mantissa bits, bias. */
static double small_float(u32 code, u32 exponent_bits, u32 mantissa_bits, int bias)
{
    u32 mantissa = code & ((1u << mantissa_bits) - 1), exponent = code >> mantissa_bits & ((1u << exponent_bits) - 1);
    double m = exponent ? mantissa + (1u << mantissa_bits) : mantissa;
    double x = scalbn(m, (int)(exponent ? exponent : 1) - bias - (int)mantissa_bits);
    return code >> (exponent_bits + mantissa_bits) & 1 ? -x : x;
}

static u32 bits_of(enum format f)
{
    static const u8 width[] = {8, 8, 6, 6, 4, 16, 16, 32, 8};
    return width[f];
}

/* Of any format but e4m3, which `need_e4m3` decodes. */
static double decode_one(enum format f, u32 code, bool fnuz)
{
    switch (f) {
    case E4M3: break;
    case E5M2: return e5m2_table[fnuz][code];
    case E2M3: return small_float(code, 2, 3, 1);
    case E3M2: return small_float(code, 3, 2, 3);
    case E2M1: return small_float(code, 2, 1, 1);
    case FORMAT_F16: return (double)f16_to_f32((u16)code);
    case FORMAT_BF16: return (double)as_f32(code << 16);
    case FORMAT_F32: return (double)as_f32(code);
    case FORMAT_I8: return (double)(i8)code;
    }
    return 0;
}

/* Element e of the packed row-of-registers of one lane. */
static u32 element(wave *w, u32 reg, u32 lane, u32 e, u32 bits)
{
    u32 at = e * bits, word = at / 32, shift = at % 32;
    u64 pair = w->v[reg + word][lane];
    if (shift + bits > 32) pair |= (u64)w->v[reg + word + 1][lane] << 32;
    return (u32)(pair >> shift) & (bits == 32 ? 0xffffffffu : (1u << bits) - 1);
}

/* e4m3 codes of the 16 lanes at `in` to fixed point: bytes 0 and 2 of each to a word of `out`, 1 and 3 to the next row. */
CLONES static void decode_fixed(u32 *restrict out, const u32 *restrict in, u32 rows)
{
    for (u32 b = 0; b < 2; b++)
        for (u32 i = 0; i < 16; i++) {
            u32 x = in[i] >> 8 * b, pair = 0;
            for (u32 half = 0; half < 32; half += 16) {
                u32 code = x >> half & 0xff, e = code >> 3 & 15, m = code & 7, normal = e != 0;
                u32 value = (m | normal << 3) << (e - normal);
                pair |= ((code & 0x80 ? 0u - value : value) & 0xffff) << half;
            }
            out[b * rows + i] = pair;
        }
}

/* The same codes to their values: byte k of each lane to row k of `out`. */
CLONES static void decode_real(double *restrict out, const u32 *restrict in, u32 rows, float unit, u32 nan, u32 nan_bits)
{
    for (u32 b = 0; b < 4; b++)
        for (u32 i = 0; i < 16; i++) {
            u32 code = in[i] >> 8 * b & 0xff, e = code >> 3 & 15, m = code & 7, normal = e != 0;
            u32 bits = as_u32((float)(i32)((m | normal << 3) << (e - normal)) * unit);
            bits |= (code & nan_bits) == nan ? 0x7fc00000 : 0; /* not a choice of values, which would stay scalar */
            out[b * rows + i] = (double)as_f32(bits | (code & 0x80) << 24);
        }
}

#if X86_KERNELS
__attribute__((target("avx512f,avx512bw"))) static void decode_fixed_512(u32 *out, const u32 *in, u32 rows)
{
    const __m512i x = _mm512_loadu_si512(in), byte = _mm512_set1_epi16(0xff), three = _mm512_set1_epi16(7), eight = _mm512_set1_epi16(8);
    for (u32 b = 0; b < 2; b++) {
        __m512i code = b ? _mm512_srli_epi16(x, 8) : _mm512_and_si512(x, byte);
        __m512i e = _mm512_and_si512(_mm512_srli_epi16(code, 3), _mm512_set1_epi16(15)), m = _mm512_and_si512(code, three);
        __mmask32 normal = _mm512_test_epi16_mask(e, e), negative = _mm512_test_epi16_mask(code, _mm512_set1_epi16(0x80));
        m = _mm512_or_si512(m, _mm512_maskz_mov_epi16(normal, eight));
        __m512i value = _mm512_sllv_epi16(m, _mm512_mask_sub_epi16(e, normal, e, _mm512_set1_epi16(1)));
        value = _mm512_mask_sub_epi16(value, negative, _mm512_setzero_si512(), value);
        _mm512_storeu_si512(out + b * rows, value);
    }
}

__attribute__((target("avx512f,avx512bw"))) static void
decode_real_512(double *out, const u32 *in, u32 rows, float unit, u32 nan, u32 nan_bits)
{
    const __m512i x = _mm512_loadu_si512(in), top = _mm512_set1_epi32(15), eight = _mm512_set1_epi32(8);
    for (u32 b = 0; b < 4; b++) {
        __m512i code = _mm512_and_si512(_mm512_srli_epi32(x, 8 * b), _mm512_set1_epi32(0xff));
        __m512i e = _mm512_and_si512(_mm512_srli_epi32(code, 3), top), m = _mm512_and_si512(code, _mm512_set1_epi32(7));
        __mmask16 normal = _mm512_test_epi32_mask(e, e);
        __mmask16 poison = _mm512_cmpeq_epi32_mask(_mm512_and_si512(code, _mm512_set1_epi32((i32)nan_bits)), _mm512_set1_epi32((i32)nan));
        m = _mm512_mask_or_epi32(m, normal, m, eight);
        m = _mm512_sllv_epi32(m, _mm512_mask_sub_epi32(e, normal, e, _mm512_set1_epi32(1)));
        __m512i bits = _mm512_castps_si512(_mm512_mul_ps(_mm512_cvtepi32_ps(m), _mm512_set1_ps(unit)));
        bits = _mm512_mask_mov_epi32(bits, poison, _mm512_set1_epi32(0x7fc00000));
        bits = _mm512_or_si512(bits, _mm512_slli_epi32(_mm512_and_si512(code, _mm512_set1_epi32(0x80)), 24));
        __m512 value = _mm512_castsi512_ps(bits);
        _mm512_storeu_pd(out + b * rows, _mm512_cvtps_pd(_mm512_castps512_ps256(value)));
        _mm512_storeu_pd(out + b * rows + 8, _mm512_cvtps_pd(_mm256_castpd_ps(_mm512_extractf64x4_pd(_mm512_castps_pd(value), 1))));
    }
}
#endif

/* The largest code without its sign, and whether some code is -0. */
CLONES static u32 largest_code(const u8 *codes, u32 n, bool *negative_zero)
{
    u8 most = 0, zero = 0;
    for (u32 i = 0; i < n; i++) {
        u8 code = codes[i], size = code & 0x7f;
        most = most > size ? most : size;
        zero |= code == 0x80;
    }
    *negative_zero = zero;
    return most;
}

/* The decoded form of `dwords` registers from `reg`, from the cache or marked to be decoded. Never takes `keep`'s slot. */
static fragment *lookup(wave *w, u32 reg, u32 dwords, enum format f, u32 rows, const fragment *keep)
{
    u32 known = w->fragment_of[reg];
    fragment *slot = known ? &w->fragments[known - 1] : NULL;
    if (slot && slot->reg == reg && slot->dwords == dwords && slot->format == f && slot->rows == rows && slot->stamp) {
        u64 latest = 0;
        for (u32 i = 0; i < dwords; i++) latest = w->version[reg + i] > latest ? w->version[reg + i] : latest;
        if (latest <= slot->stamp) return slot;
    }
    if (!slot || slot == keep) {
        do {
            known = 1 + w->fragment_next++ % FRAGMENT_SLOTS;
            slot = &w->fragments[known - 1];
        } while (slot == keep);
        if (slot->stamp && w->fragment_of[slot->reg] == known) w->fragment_of[slot->reg] = 0;
        w->fragment_of[reg] = (u8)known;
    }
    slot->stamp = w->regclock ? w->regclock : (w->regclock = 1);
    slot->reg = (u16)reg;
    slot->dwords = (u8)dwords;
    slot->format = (u8)f;
    slot->rows = (u8)rows;
    slot->fixed_valid = slot->real_valid = false;
    return slot;
}

static void need_fixed(wave *w, fragment *f)
{
    if (f->fixed_valid) return;
    u32 rows = f->rows, per_lane = f->dwords * 4;
    bool negative_zero;
    u32 most = largest_code((const u8 *)w->v[f->reg], f->dwords * sizeof w->v[0], &negative_zero);
    f->fixed_valid = true;
    f->fits = most < 0x68 && !(cfg(w)->flags & LAUNCH_FNUZ && negative_zero); /* 64.0 needs 17 bits; FNUZ's only NaN is -0 */
    if (!f->fits) return;
    f->largest = most >> 3 ? (i32)((most & 7) | 8) << ((most >> 3) - 1) : (i32)most;
    for (u32 r = 0; r < f->dwords; r++)
        for (u32 l = 0; l < LANE_COUNT; l += 16) {
            u32 *out = f->fixed + (l / rows * per_lane / 2 + 2 * r) * rows + l % rows;
#if X86_KERNELS
            if (kernel_kind == 2) { decode_fixed_512(out, w->v[f->reg + r] + l, rows); continue; }
#endif
            decode_fixed(out, w->v[f->reg + r] + l, rows);
        }
}

static void need_e4m3(wave *w, fragment *f, bool striped)
{
    u32 rows = f->rows, groups = LANE_COUNT / rows;
    bool fnuz = cfg(w)->flags & LAUNCH_FNUZ;
    u32 nan = fnuz ? 0x80 : 0x7f, nan_bits = fnuz ? 0xff : 0x7f;
    float unit = fnuz ? 0x1p-10f : 0x1p-9f;
    for (u32 r = 0; r < f->dwords; r++)
        for (u32 l = 0; l < LANE_COUNT; l += 16) {
            u32 g = l / rows, k = striped ? r / 4 * 16 * groups + 16 * g + 4 * (r % 4) : 4 * (g * f->dwords + r);
            double *out = f->real + k * rows + l % rows;
#if X86_KERNELS
            if (kernel_kind == 2) { decode_real_512(out, w->v[f->reg + r] + l, rows, unit, nan, nan_bits); continue; }
#endif
            decode_real(out, w->v[f->reg + r] + l, rows, unit, nan, nan_bits);
        }
}

static void need_real(wave *w, fragment *f)
{
    if (f->real_valid) return;
    enum format format = (enum format)f->format;
    u32 rows = f->rows, groups = LANE_COUNT / rows, bits = bits_of(format), per_lane = f->dwords * 32 / bits;
    bool fnuz = cfg(w)->flags & LAUNCH_FNUZ, striped = bits == 8 && per_lane == 32;
    f->real_valid = true;
    if (format == E4M3) { need_e4m3(w, f, striped); return; }
    for (u32 g = 0; g < groups; g++)
        for (u32 e = 0; e < per_lane; e++) {
            u32 k = striped ? e / 16 * 16 * groups + 16 * g + e % 16 : g * per_lane + e;
            for (u32 i = 0; i < rows; i++)
                f->real[k * rows + i] = decode_one(format, element(w, f->reg, g * rows + i, e, bits), fnuz);
        }
}

/* Where the registers of D have its row `row`, in words: output lane l = (g, i) holds column i. */
static inline u32 output_at(u32 row, u32 rows)
{
    return rows == 16 ? row % 4 * ROW + row / 4 * 16 : (row / 8 * 4 + row % 4) * ROW + row / 4 % 2 * 32;
}

/* sums, as D's registers have them: over k of a[k][row] * b[k][col]; 16-bit factors, two k a word, 32-bit sums. */
static void product_portable(i32 *sums, const u32 *a, const u32 *b, u32 pairs, u32 rows)
{
    memset(sums, 0, rows * rows * sizeof *sums);
    for (u32 p = 0; p < pairs; p++)
        for (u32 r = 0; r < rows; r++) {
            i32 a0 = (i16)a[p * rows + r], a1 = (i16)(a[p * rows + r] >> 16), *to = sums + output_at(r, rows);
            for (u32 c = 0; c < rows; c++) {
                u32 pair = b[p * rows + c];
                to[c] += a0 * (i16)pair + a1 * (i16)(pair >> 16);
            }
        }
}

/* The same in double, for factors whose sums are exact. */
static void real_portable(double *sums, const double *a, const double *b, u32 depth, u32 rows)
{
    memset(sums, 0, rows * rows * sizeof *sums);
    for (u32 k = 0; k < depth; k++)
        for (u32 r = 0; r < rows; r++) {
            double x = a[k * rows + r], *to = sums + output_at(r, rows);
            for (u32 c = 0; c < rows; c++) to[c] += x * b[k * rows + c];
        }
}

#if X86_KERNELS
__attribute__((target("avx2"))) static void product_avx2(i32 *sums, const u32 *a, const u32 *b, u32 pairs, u32 rows)
{
    for (u32 c = 0; c < rows; c += 16)
        for (u32 r = 0; r < rows; r += 4) {
            __m256i s[4][2];
            for (int i = 0; i < 4; i++) s[i][0] = s[i][1] = _mm256_setzero_si256();
            for (u32 p = 0; p < pairs; p++) {
                __m256i b0 = _mm256_load_si256((const __m256i *)(b + p * rows + c));
                __m256i b1 = _mm256_load_si256((const __m256i *)(b + p * rows + c + 8));
                for (int i = 0; i < 4; i++) {
                    __m256i x = _mm256_set1_epi32((i32)a[p * rows + r + (u32)i]);
                    s[i][0] = _mm256_add_epi32(s[i][0], _mm256_madd_epi16(x, b0));
                    s[i][1] = _mm256_add_epi32(s[i][1], _mm256_madd_epi16(x, b1));
                }
            }
            for (u32 i = 0; i < 4; i++) {
                i32 *to = sums + output_at(r + i, rows) + c;
                _mm256_storeu_si256((__m256i *)to, s[i][0]);
                _mm256_storeu_si256((__m256i *)(to + 8), s[i][1]);
            }
        }
}

__attribute__((target("avx2,fma"))) static void real_avx2(double *sums, const double *a, const double *b, u32 depth, u32 rows)
{
    for (u32 c = 0; c < rows; c += 8)
        for (u32 r = 0; r < rows; r += 4) {
            __m256d s[4][2];
            for (int i = 0; i < 4; i++) s[i][0] = s[i][1] = _mm256_setzero_pd();
            for (u32 k = 0; k < depth; k++) {
                __m256d b0 = _mm256_load_pd(b + k * rows + c), b1 = _mm256_load_pd(b + k * rows + c + 4);
                for (int i = 0; i < 4; i++) {
                    __m256d x = _mm256_set1_pd(a[k * rows + r + (u32)i]);
                    s[i][0] = _mm256_fmadd_pd(x, b0, s[i][0]);
                    s[i][1] = _mm256_fmadd_pd(x, b1, s[i][1]);
                }
            }
            for (u32 i = 0; i < 4; i++) {
                double *to = sums + output_at(r + i, rows) + c;
                _mm256_storeu_pd(to, s[i][0]);
                _mm256_storeu_pd(to + 4, s[i][1]);
            }
        }
}

__attribute__((target("avx512f,avx512bw,avx512vl,avx512vnni"))) static void
product_vnni(i32 *sums, const u32 *a, const u32 *b, u32 pairs, u32 rows)
{
    for (u32 c = 0; c < rows; c += 16)
        for (u32 r = 0; r < rows; r += 16) {
            __m512i s[16];
            for (int i = 0; i < 16; i++) s[i] = _mm512_setzero_si512();
            for (u32 p = 0; p < pairs; p++) {
                __m512i y = _mm512_load_si512((const void *)(b + p * rows + c));
                const u32 *x = a + p * rows + r;
#pragma GCC unroll 16
                for (int i = 0; i < 16; i++) s[i] = _mm512_dpwssd_epi32(s[i], y, _mm512_set1_epi32((i32)x[i]));
            }
            for (u32 i = 0; i < 16; i++) _mm512_storeu_si512((void *)(sums + output_at(r + i, rows) + c), s[i]);
        }
}

__attribute__((target("avx512f"))) static void real_avx512(double *sums, const double *a, const double *b, u32 depth, u32 rows)
{
    for (u32 c = 0; c < rows; c += 16)
        for (u32 r = 0; r < rows; r += 8) {
            __m512d s[8][2];
            for (int i = 0; i < 8; i++) s[i][0] = s[i][1] = _mm512_setzero_pd();
            for (u32 k = 0; k < depth; k++) {
                __m512d b0 = _mm512_load_pd(b + k * rows + c), b1 = _mm512_load_pd(b + k * rows + c + 8);
                const double *x = a + k * rows + r;
#pragma GCC unroll 8
                for (int i = 0; i < 8; i++) {
                    s[i][0] = _mm512_fmadd_pd(_mm512_set1_pd(x[i]), b0, s[i][0]);
                    s[i][1] = _mm512_fmadd_pd(_mm512_set1_pd(x[i]), b1, s[i][1]);
                }
            }
            for (u32 i = 0; i < 8; i++) {
                double *to = sums + output_at(r + i, rows) + c;
                _mm512_storeu_pd(to, s[i][0]);
                _mm512_storeu_pd(to + 8, s[i][1]);
            }
        }
}
#endif

static void product(i32 *sums, const u32 *a, const u32 *b, u32 pairs, u32 rows)
{
#if X86_KERNELS
    if (kernel_kind == 2) { product_vnni(sums, a, b, pairs, rows); return; }
    if (kernel_kind == 1) { product_avx2(sums, a, b, pairs, rows); return; }
#endif
    product_portable(sums, a, b, pairs, rows);
}

static void real_product(double *sums, const double *a, const double *b, u32 depth, u32 rows)
{
#if X86_KERNELS
    if (kernel_kind == 2) { real_avx512(sums, a, b, depth, rows); return; }
    if (kernel_kind == 1) { real_avx2(sums, a, b, depth, rows); return; }
#endif
    real_portable(sums, a, b, depth, rows);
}

/* a + b rounded to fp32 once: the double sum is rounded to odd first. */
static inline float add_once(double a, double b)
{
    double s = a + b, bb = s - a, error = (a - (s - bb)) + (b - bb);
    u64 bits = f64_bits(s);
    bool adjust = error == error && error != 0 && !(bits & 1);
    u64 step = (error > 0) == (s > 0) ? 1 : ~(u64)0;
    return (float)as_f64(bits + (adjust ? step : 0));
}

/* Results as registers have them. `c` may be `out`: each word is read before it is written. */
CLONES static void round_fixed(u32 *out, const i32 *sums, u32 n, float unit)
{
    IVDEP for (u32 i = 0; i < n; i++) out[i] = as_u32((float)sums[i] * unit);
}

CLONES static void add_fixed(u32 *out, const i32 *sums, const u32 *c, u32 n, double unit)
{
    IVDEP for (u32 i = 0; i < n; i++) out[i] = as_u32(add_once((double)sums[i] * unit, (double)as_f32(c[i])));
}

CLONES static void round_real(u32 *out, const double *sums, u32 n)
{
    IVDEP for (u32 i = 0; i < n; i++) out[i] = as_u32((float)sums[i]);
}

CLONES static void add_real(u32 *out, const double *sums, const u32 *c, u32 n)
{
    IVDEP for (u32 i = 0; i < n; i++) out[i] = as_u32(add_once(sums[i], (double)as_f32(c[i])));
}

/* Correctly rounded sum of c and the n products, by a non-overlapping expansion (Shewchuk 1997). */
static float exact_sum(const double *a, const double *b, u32 n, u32 stride, double c)
{
    double part[64];
    int used = 0;
    for (u32 k = 0; k <= n; k++) {
        double x = k == n ? c : a[k * stride] * b[k * stride];
        int kept = 0;
        for (int i = 0; i < used; i++) {
            double y = part[i], hi, lo;
            if (fabs(x) < fabs(y)) { double t = x; x = y; y = t; }
            hi = x + y;
            lo = y - (hi - x);
            if (lo != 0) part[kept++] = lo;
            x = hi;
        }
        part[kept++] = x;
        used = kept;
    }
    double hi = 0, lo = 0;
    while (used > 0) {
        double x = hi, y = part[--used];
        hi = x + y;
        lo = y - (hi - x);
        if (lo != 0) break;
    }
    return (float)sum_odd(hi, lo); /* what is left below lo cannot reach the sticky bit's sign */
}

/* One row of sums, with what their additions lost: zero where they are exact. */
CLONES static void tracked_row(double *restrict s, double *restrict lost, const double *a, const double *b, u32 depth, u32 rows)
{
    for (u32 j = 0; j < rows; j++) s[j] = lost[j] = 0;
    for (u32 k = 0; k < depth; k++) {
        double x = a[k * rows];
        for (u32 j = 0; j < rows; j++) {
            double y = x * b[k * rows + j], t = s[j] + y, bb = t - s[j];
            lost[j] += fabs((s[j] - (t - bb)) + (y - bb));
            s[j] = t;
        }
    }
}

/* General path: rows x rows outputs from doubles. Returns how many needed the expansion. */
static u32 general(u32 *out, const double *a, const double *b, const u32 *c, u32 depth, u32 rows)
{
    u32 wide = 0;
    for (u32 r = 0; r < rows; r++) {
        double s[32], lost[32];
        u32 at = output_at(r, rows);
        tracked_row(s, lost, a + r, b, depth, rows);
        for (u32 j = 0; j < rows; j++) {
            double addend = (double)as_f32(c[at + j]);
            if (lost[j] == 0 || s[j] - s[j] != 0) out[at + j] = as_u32(add_once(s[j], addend));
            else { out[at + j] = as_u32(exact_sum(a + r, b + j, depth, rows, addend)); wide++; }
        }
    }
    return wide;
}

/* E8M0 block scales: 2^(code - 127), 255 is NaN. The scale of row i and block b of 32 k is a byte of lane rows * b + i,
 * picked by op_sel and op_sel_hi. */
static void scale_blocks(wave *w, const operand *o, u32 byte, const fragment *f, u32 depth, double *out)
{
    u32 rows = f->rows;
    for (u32 block = 0; block < depth / 32; block++)
        for (u32 i = 0; i < rows; i++) {
            u32 word = o->kind == VGPR ? w->v[o->reg][rows * block + i] : (u32)scalar_source(w, o);
            u32 code = word >> 8 * byte & 255;
            double scale = code == 255 ? NAN : scalbn(1.0, (int)code - 127);
            for (u32 k = 32 * block; k < 32 * block + 32; k++) out[k * rows + i] = f->real[k * rows + i] * scale;
        }
}

static void count_exactly(u32 *out, const fragment *a, const fragment *b, const u32 *c, u32 depth, u32 rows)
{
    for (u32 r = 0; r < rows; r++)
        for (u32 j = 0, at = output_at(r, rows); j < rows; j++) {
            i64 s = 0;
            for (u32 k = 0; k < depth; k++) s += (i64)(a->real[k * rows + r] * b->real[k * rows + j]);
            out[at + j] = (u32)s + c[at + j];
        }
}

/* The words of C as those of D: its registers, or what `buffer` then holds. */
static const u32 *addend(wave *w, const operand *c, const operand *d, u32 words, u32 *buffer)
{
    if (c->kind == VGPR && (c->reg == d->reg || c->reg + words / ROW <= d->reg || d->reg + words / ROW <= c->reg)) return w->v[c->reg];
    if (c->kind == VGPR) memcpy(buffer, w->v[c->reg], words * sizeof *buffer);
    else {
        u32 value = (u32)scalar_source(w, c);
        for (u32 i = 0; i < words; i++) buffer[i] = value;
    }
    return buffer;
}

static void run_mfma(wave *w, const ins *I, const opdef *def)
{
    u32 rows = def->arg & 63, depth = def->arg >> 8 & 255, words = rows * rows;
    enum format fa = (enum format)(def->arg >> 16 & 15), fb = (enum format)(def->arg >> 20 & 15);
    bool f8f6f4 = def->arg >> 24 & 1, scaled = def->arg >> 25 & 1, integer = def->arg >> 26 & 1;
    if (f8f6f4) { fa = (enum format)I->cbsz; fb = (enum format)I->blgp; }
    const operand *d = &I->o[DST], *ao = &I->o[SRC0], *bo = &I->o[SRC1], *co = &I->o[SRC2];
    u32 buffer[1024] __attribute__((aligned(64))), *out = w->v[d->reg];
    bool zero = co->kind == CONSTANT && co->value == 0;
    fragment *a = lookup(w, ao->reg, ao->dwords, fa, rows, NULL);
    fragment *b = lookup(w, bo->reg, bo->dwords, fb, rows, a);
    bool small = !scaled && fa == E4M3 && fb == E4M3, fixed = small && !(cfg(w)->flags & LAUNCH_DOUBLE_ONLY);
    if (fixed) {
        need_fixed(w, a);
        need_fixed(w, b);
        fixed = a->fits && b->fits && (i64)a->largest * b->largest * depth < (i64)1 << 31;
    }
    if (!fixed) {
        need_real(w, a);
        need_real(w, b);
    }
    if (fixed) {
        i32 sums[1024] __attribute__((aligned(64)));
        double unit = cfg(w)->flags & LAUNCH_FNUZ ? 0x1p-20 : 0x1p-18;
        product(sums, a->fixed, b->fixed, depth / 2, rows);
        if (zero) round_fixed(out, sums, words, (float)unit);
        else add_fixed(out, sums, addend(w, co, d, words, buffer), words, unit);
        count(w, COUNT_MFMA_INTEGER, 1);
    } else if (integer) {
        count_exactly(out, a, b, addend(w, co, d, words, buffer), depth, rows);
        count(w, COUNT_MFMA_INTEGER, 1);
    } else if (small) {
        double sums[1024] __attribute__((aligned(64)));
        real_product(sums, a->real, b->real, depth, rows);
        if (zero) round_real(out, sums, words);
        else add_real(out, sums, addend(w, co, d, words, buffer), words);
        count(w, COUNT_MFMA_DOUBLE, 1);
    } else {
        const double *ra = a->real, *rb = b->real;
        double sa[2048], sb[2048];
        if (scaled) {
            scale_blocks(w, &I->o[SRC3], (I->op_sel & 1u) | (I->op_sel_hi & 1u) << 1, a, depth, sa);
            scale_blocks(w, &I->o[SRC4], (I->op_sel >> 1 & 1u) | (I->op_sel_hi & 2u), b, depth, sb);
            ra = sa;
            rb = sb;
        }
        u32 wide = general(out, ra, rb, addend(w, co, d, words, buffer), depth, rows);
        count(w, wide ? COUNT_MFMA_WIDE : COUNT_MFMA_DOUBLE, 1);
    }
    touched(w, d->reg, words / ROW);
    if (w->checks) mark_init(w, d->reg, words / ROW, ~(u64)0);
}

#define SHAPE(ROWS, DEPTH, FA, FB, FLAGS) ((u32)(ROWS) | (u32)(DEPTH) << 8 | (u32)(FA) << 16 | (u32)(FB) << 20 | (u32)(FLAGS) << 24)
#define M(NAME, ROWS, DEPTH, FA, FB, FLAGS) {OP_v_mfma_##NAME, run_mfma, 0, SHAPE(ROWS, DEPTH, FA, FB, FLAGS)}
#define FP8S(SHAPE_NAME, ROWS, DEPTH) \
    M(f32_##SHAPE_NAME##_fp8_fp8, ROWS, DEPTH, E4M3, E4M3, 0), M(f32_##SHAPE_NAME##_fp8_bf8, ROWS, DEPTH, E4M3, E5M2, 0), \
        M(f32_##SHAPE_NAME##_bf8_fp8, ROWS, DEPTH, E5M2, E4M3, 0), M(f32_##SHAPE_NAME##_bf8_bf8, ROWS, DEPTH, E5M2, E5M2, 0)
#define HALVES(SHAPE_NAME, ROWS, DEPTH) \
    M(f32_##SHAPE_NAME##_f16, ROWS, DEPTH, FORMAT_F16, FORMAT_F16, 0), \
        M(f32_##SHAPE_NAME##_bf16, ROWS, DEPTH, FORMAT_BF16, FORMAT_BF16, 0)
const opdef mfma_defs[] = {
    M(f32_16x16x128_f8f6f4, 16, 128, 0, 0, 1), M(f32_32x32x64_f8f6f4, 32, 64, 0, 0, 1),
    M(scale_f32_16x16x128_f8f6f4, 16, 128, 0, 0, 3), M(scale_f32_32x32x64_f8f6f4, 32, 64, 0, 0, 3), FP8S(16x16x32, 16, 32),
    FP8S(32x32x16, 32, 16), HALVES(16x16x32, 16, 32), HALVES(32x32x16, 32, 16), HALVES(16x16x16, 16, 16),
    HALVES(32x32x8, 32, 8), M(f32_16x16x4_f32, 16, 4, FORMAT_F32, FORMAT_F32, 0),
    M(f32_32x32x2_f32, 32, 2, FORMAT_F32, FORMAT_F32, 0), M(i32_16x16x64_i8, 16, 64, FORMAT_I8, FORMAT_I8, 4),
    M(i32_32x32x32_i8, 32, 32, FORMAT_I8, FORMAT_I8, 4), M(i32_16x16x32_i8, 16, 32, FORMAT_I8, FORMAT_I8, 4),
    M(i32_32x32x16_i8, 32, 16, FORMAT_I8, FORMAT_I8, 4),
    {0, 0, 0, 0},
};
