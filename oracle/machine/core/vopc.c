/* SPDX-License-Identifier: Apache-2.0 */
/* Vector compares (VOPC, CDNA4 ISA 12.9): one bit a lane, 0 for inactive lanes. */
#include <math.h>

#include "valu.h"

#define CMP(NAME, X, Y, EXPR) \
    CLONES static u64 f_##NAME(const u32 *a, const u32 *b) \
    { \
        u32 flags[ROW]; \
        IVDEP LANES { __auto_type x = X; __auto_type y = Y; flags[l] = (EXPR) ? 1u : 0u; (void)x; (void)y; } \
        return pack_bits(flags); \
    }
#define F32(p) as_f32(p[l])
#define F64(p) as_f64(PAIR(p))
#define F16(p) f16_to_f32((u16)p[l])
#define FLOATS(T, G) \
    CMP(v_cmp_f_##T, G(a), G(b), 0) CMP(v_cmp_lt_##T, G(a), G(b), x < y) CMP(v_cmp_eq_##T, G(a), G(b), x == y) \
    CMP(v_cmp_le_##T, G(a), G(b), x <= y) CMP(v_cmp_gt_##T, G(a), G(b), x > y) CMP(v_cmp_lg_##T, G(a), G(b), x < y || x > y) \
    CMP(v_cmp_ge_##T, G(a), G(b), x >= y) CMP(v_cmp_o_##T, G(a), G(b), x == x && y == y) \
    CMP(v_cmp_u_##T, G(a), G(b), x != x || y != y) CMP(v_cmp_nge_##T, G(a), G(b), !(x >= y)) \
    CMP(v_cmp_nlg_##T, G(a), G(b), !(x < y || x > y)) CMP(v_cmp_ngt_##T, G(a), G(b), !(x > y)) \
    CMP(v_cmp_nle_##T, G(a), G(b), !(x <= y)) CMP(v_cmp_neq_##T, G(a), G(b), !(x == y)) \
    CMP(v_cmp_nlt_##T, G(a), G(b), !(x < y)) CMP(v_cmp_tru_##T, G(a), G(b), 1)
#define INTS(T, G) \
    CMP(v_cmp_f_##T, G(a), G(b), 0) CMP(v_cmp_lt_##T, G(a), G(b), x < y) CMP(v_cmp_eq_##T, G(a), G(b), x == y) \
    CMP(v_cmp_le_##T, G(a), G(b), x <= y) CMP(v_cmp_gt_##T, G(a), G(b), x > y) CMP(v_cmp_ne_##T, G(a), G(b), x != y) \
    CMP(v_cmp_ge_##T, G(a), G(b), x >= y) CMP(v_cmp_t_##T, G(a), G(b), 1)
#define I16(p) (i16)p[l]
#define U16(p) (u16)p[l]
#define I32(p) (i32)p[l]
#define U32(p) p[l]
#define I64(p) (i64)PAIR(p)
#define U64(p) PAIR(p)
FLOATS(f32, F32)
FLOATS(f64, F64)
FLOATS(f16, F16)
INTS(i16, I16)
INTS(u16, U16)
INTS(i32, I32)
INTS(u32, U32)
INTS(i64, I64)
INTS(u64, U64)

/* Class mask bits: 0 sNaN, 1 qNaN, 2 -inf, 3 -normal, 4 -denormal, 5 -0, 6 +0, 7 +denormal, 8 +normal, 9 +inf. */
static u32 class_of(u64 bits, int mantissa, int exponent)
{
    u64 m = bits & (((u64)1 << mantissa) - 1), e = bits >> mantissa & (((u64)1 << exponent) - 1);
    bool negative = bits >> (mantissa + exponent) & 1;
    if (e == ((u64)1 << exponent) - 1) {
        if (m) return m >> (mantissa - 1) ? 2 : 1;
        return negative ? 4 : 512;
    }
    if (e) return negative ? 8 : 256;
    if (m) return negative ? 16 : 128;
    return negative ? 32 : 64;
}
CMP(v_cmp_class_f32, class_of(a[l], 23, 8), b[l], x & y)
CMP(v_cmp_class_f64, class_of(PAIR(a), 52, 11), b[l], x & y)
CMP(v_cmp_class_f16, class_of(a[l] & 0xffff, 10, 5), b[l], x & y)

#define C(R, T) \
    {OP_v_cmp_##R##_##T, run_compare, (void (*)(void))f_v_cmp_##R##_##T, 0}, \
        {OP_v_cmpx_##R##_##T, run_compare, (void (*)(void))f_v_cmp_##R##_##T, 0}
#define CF(T) \
    C(f, T), C(lt, T), C(eq, T), C(le, T), C(gt, T), C(lg, T), C(ge, T), C(o, T), C(u, T), C(nge, T), C(nlg, T), \
        C(ngt, T), C(nle, T), C(neq, T), C(nlt, T), C(tru, T), C(class, T)
#define CI(T) C(f, T), C(lt, T), C(eq, T), C(le, T), C(gt, T), C(ne, T), C(ge, T), C(t, T)
const opdef vopc_defs[] = {
    CF(f32), CF(f64), CF(f16), CI(i16), CI(u16), CI(i32), CI(u32), CI(i64), CI(u64), {0, 0, 0, 0},
};
