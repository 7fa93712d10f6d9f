/* SPDX-License-Identifier: Apache-2.0 */
/* Scalar ALU and program control: SOP1, SOP2, SOPC, SOPK, SOPP (CDNA4 ISA 12.1 to 12.5). */
#include "core.h"

u64 scalar_source(wave *w, const operand *o)
{
    switch (o->kind) {
    case SGPR:
        return o->dwords == 2 ? read64(&w->s[o->reg]) : w->s[o->reg];
    case CONSTANT:
        return o->value;
    case SPECIAL:
        switch (o->reg) {
        case SPECIAL_SCC: return w->scc & 1;
        case SPECIAL_VCCZ: return read64(&w->s[SGPR_VCC]) == 0;
        case SPECIAL_EXECZ: return exec_mask(w) == 0;
        case SPECIAL_SHARED_BASE: return o->dwords == 2 ? (u64)SHARED_APERTURE_HIGH << 32 : SHARED_APERTURE_HIGH;
        case SPECIAL_PRIVATE_BASE: return o->dwords == 2 ? (u64)PRIVATE_APERTURE_HIGH << 32 : PRIVATE_APERTURE_HIGH;
        case SPECIAL_SHARED_LIMIT: return (u64)SHARED_APERTURE_HIGH << 32 | 0xffffffff;
        case SPECIAL_PRIVATE_LIMIT: return (u64)PRIVATE_APERTURE_HIGH << 32 | 0xffffffff;
        }
    }
    return 0;
}

void scalar_write(wave *w, const operand *o, u64 value)
{
    if (o->kind != SGPR) return;
    w->s[o->reg] = (u32)value;
    w->sopen[o->reg] &= IN_FLIGHT;
    if (o->dwords == 2) {
        w->s[o->reg + 1] = (u32)(value >> 32);
        w->sopen[o->reg + 1] &= IN_FLIGHT;
    }
}

typedef struct { u64 a, b, d; i32 imm; u32 scc; } args;
typedef u64 salu_fn(args *x);

static void run_salu(wave *w, const ins *I, const opdef *def)
{
    args x = {.imm = I->target, .scc = w->scc};
    if (I->o[SRC0].kind) x.a = scalar_source(w, &I->o[SRC0]);
    if (I->o[SRC1].kind) x.b = scalar_source(w, &I->o[SRC1]);
    if (I->flags & FLAG_READ_DST) x.d = scalar_source(w, &I->o[DST]);
    u64 result = ((salu_fn *)def->fn)(&x);
    scalar_write(w, &I->o[DST], result);
    w->scc = x.scc;
}

/* For instructions that SCC decides. */
static void need_scc(wave *w, const ins *I)
{
    if (w->scc & SCC_NO_VALUE) report(w, CODE_SGPR_UNINIT, I, 0, 0, 0, 0, 1024 + SGPR_SCC);
    w->scc &= 1;
}

static void run_with_scc(wave *w, const ins *I, const opdef *def)
{
    need_scc(w, I);
    run_salu(w, I, def);
}

enum { BITWISE = 1, BITWISE_SCC }; /* opdef.arg of `bitwise`; with SCC = result is non-zero */
bool bitwise(const opdef *def) { return (def->run == run_salu || def->run == run_with_scc) && def->arg; }

static u64 lacking(const wave *w, const operand *o)
{
    if (o->kind != SGPR) return 0;
    return o->dwords == 2 ? ~known_pair(w, o->reg) : (u32)~known_bits(w, o->reg);
}

/* A bit of the result holds a value if it comes out the same whatever the missing bits of the sources are. */
void run_lacking(wave *w, const ins *I, const opdef *def)
{
    const operand *d = &I->o[DST], *from = &I->o[lacking(w, &I->o[SRC0]) ? SRC0 : SRC1];
    u64 a = scalar_source(w, &I->o[SRC0]), b = scalar_source(w, &I->o[SRC1]), lacks = 0, first = 0;
    u64 of_a = lacking(w, &I->o[SRC0]), of_b = lacking(w, &I->o[SRC1]);
    u32 source = from->reg + (u32)(known_bits(w, from->reg) == 0xffffffff);
    for (u32 k = 0; k < 4; k++) {
        args x = {.a = k & 1 ? a | of_a : a & ~of_a, .b = k & 2 ? b | of_b : b & ~of_b, .scc = w->scc & 1};
        u64 result = ((salu_fn *)def->fn)(&x);
        if (!k) first = result;
        lacks |= result ^ first;
    }
    def->run(w, I, def);
    if (def->arg == BITWISE_SCC && lacks && !(first & ~lacks)) w->scc |= SCC_NO_VALUE;
    if (d->reg >= SGPR_EXEC && lacks) report(w, CODE_SGPR_UNINIT, I, 0, 0, 0, 0, 1024 + source);
    else for (u32 i = 0; i < d->dwords; i++) set_known(w, d->reg + i, ~(u32)(lacks >> 32 * i));
}

static void run_cmov(wave *w, const ins *I, const opdef *def)
{
    need_scc(w, I);
    if (w->scc) scalar_write(w, &I->o[DST], def->arg ? (u64)(i64)I->target : scalar_source(w, &I->o[SRC0]));
}

enum { SE_AND, SE_OR, SE_XOR, SE_ANDN2, SE_ORN2, SE_NAND, SE_NOR, SE_XNOR, SE_ANDN1, SE_ORN1, WR_ANDN1, WR_ANDN2 };
static u64 with_exec(u32 op, u64 s, u64 e)
{
    switch (op) {
    case SE_AND: return s & e;
    case SE_OR: return s | e;
    case SE_XOR: return s ^ e;
    case SE_ANDN2: case WR_ANDN2: return s & ~e;
    case SE_ORN2: return s | ~e;
    case SE_NAND: return ~(s & e);
    case SE_NOR: return ~(s | e);
    case SE_XNOR: return ~(s ^ e);
    case SE_ANDN1: case WR_ANDN1: return ~s & e;
    default: return ~s | e;
    }
}

static void run_saveexec(wave *w, const ins *I, const opdef *def)
{
    u64 e = exec_mask(w), r = with_exec(def->arg, scalar_source(w, &I->o[SRC0]), e);
    scalar_write(w, &I->o[DST], def->arg >= WR_ANDN1 ? r : e);
    write64(&w->s[SGPR_EXEC], r);
    w->scc = r != 0;
}

u64 bits_read(const wave *w, const opdef *def)
{
    u64 e = exec_mask(w);
    return def->run == run_saveexec ? with_exec(def->arg, 0, e) ^ with_exec(def->arg, ~(u64)0, e) : ~(u64)0;
}

#define S(NAME, EXPR) static u64 f_##NAME(args *x) { return (EXPR); }
/* SCC = result is non-zero, for 32- and 64-bit results. */
#define SNZ32(NAME, EXPR) static u64 f_##NAME(args *x) { u32 r = (u32)(EXPR); x->scc = r != 0; return r; }
#define SNZ64(NAME, EXPR) static u64 f_##NAME(args *x) { u64 r = (EXPR); x->scc = r != 0; return r; }
#define SCMP(NAME, EXPR) static u64 f_##NAME(args *x) { x->scc = (EXPR); return 0; }
#define A ((u32)x->a)
#define B ((u32)x->b)
#define AI ((i32)x->a)
#define BI ((i32)x->b)

static u64 reverse64(u64 v)
{
    u64 r = 0;
    for (int i = 0; i < 64; i++) r |= (v >> i & 1) << (63 - i);
    return r;
}
static u64 whole_quad(u64 v)
{
    u64 r = 0;
    for (int i = 0; i < 64; i += 4) if (v >> i & 15) r |= (u64)15 << i;
    return r;
}
static u64 quad_mask(u64 v)
{
    u64 r = 0;
    for (int i = 0; i < 16; i++) if (v >> 4 * i & 15) r |= (u64)1 << i;
    return r;
}
static u32 extended(i32 v) { return (u32)v; }
static u32 first_one64(u64 v) { return v ? (u32)__builtin_ctzll(v) : 0xffffffffu; }
static u32 sign_run(i64 v, int bits) /* leading bits equal to the sign bit, -1 when all are */
{
    u64 u = (u64)(v ^ (v >> 63));
    return u == 0 ? 0xffffffffu : (u32)(__builtin_clzll(u) - (64 - bits));
}

S(s_mov_b32, x->a)
S(s_mov_b64, x->a)
SNZ32(s_not_b32, ~x->a)
SNZ64(s_not_b64, ~x->a)
S(s_brev_b32, reverse64(A) >> 32)
S(s_brev_b64, reverse64(x->a))
SNZ32(s_wqm_b32, whole_quad(A))
SNZ64(s_wqm_b64, whole_quad(x->a))
SNZ32(s_quadmask_b32, quad_mask(A))
SNZ64(s_quadmask_b64, quad_mask(x->a))
SNZ32(s_bcnt0_i32_b32, 32 - __builtin_popcount(A))
SNZ32(s_bcnt0_i32_b64, 64 - __builtin_popcountll(x->a))
SNZ32(s_bcnt1_i32_b32, __builtin_popcount(A))
SNZ32(s_bcnt1_i32_b64, __builtin_popcountll(x->a))
S(s_ff0_i32_b32, first_one64((u32)~A))
S(s_ff0_i32_b64, first_one64(~x->a))
S(s_ff1_i32_b32, first_one64(A))
S(s_ff1_i32_b64, first_one64(x->a))
S(s_flbit_i32_b32, A ? (u32)__builtin_clz(A) : 0xffffffffu)
S(s_flbit_i32_b64, x->a ? (u32)__builtin_clzll(x->a) : 0xffffffffu)
S(s_flbit_i32, sign_run(AI, 32))
S(s_flbit_i32_i64, sign_run((i64)x->a, 64))
S(s_sext_i32_i8, extended((i8)x->a))
S(s_sext_i32_i16, extended((i16)x->a))
S(s_bitset0_b32, (u32)x->d & ~(1u << (A & 31)))
S(s_bitset1_b32, (u32)x->d | 1u << (A & 31))
S(s_bitset0_b64, x->d & ~((u64)1 << (A & 63)))
S(s_bitset1_b64, x->d | (u64)1 << (A & 63))
SNZ32(s_abs_i32, AI < 0 ? 0u - A : A)
static u64 f_s_bitreplicate_b64_b32(args *x)
{
    u64 r = 0;
    for (int i = 0; i < 32; i++) if (A >> i & 1) r |= (u64)3 << 2 * i;
    return r;
}
static u64 f_s_add_u32(args *x) { u64 r = (u64)A + B; x->scc = (u32)(r >> 32); return (u32)r; }
static u64 f_s_sub_u32(args *x) { x->scc = B > A; return A - B; }
static u64 f_s_addc_u32(args *x) { u64 r = (u64)A + B + x->scc; x->scc = (u32)(r >> 32); return (u32)r; }
static u64 f_s_subb_u32(args *x)
{
    u32 r = A - B - x->scc;
    x->scc = (u64)B + x->scc > A;
    return r;
}
static u64 f_s_add_i32(args *x) { u32 r = A + B; x->scc = (~(A ^ B) & (A ^ r)) >> 31; return r; }
static u64 f_s_sub_i32(args *x) { u32 r = A - B; x->scc = ((A ^ B) & (A ^ r)) >> 31; return r; }
static u64 f_s_min_u32(args *x) { x->scc = A < B; return x->scc ? A : B; }
static u64 f_s_max_u32(args *x) { x->scc = A > B; return x->scc ? A : B; }
static u64 f_s_min_i32(args *x) { x->scc = AI < BI; return x->scc ? A : B; }
static u64 f_s_max_i32(args *x) { x->scc = AI > BI; return x->scc ? A : B; }
S(s_cselect_b32, x->scc ? x->a : x->b)
S(s_cselect_b64, x->scc ? x->a : x->b)
SNZ32(s_and_b32, x->a & x->b)
SNZ64(s_and_b64, x->a & x->b)
SNZ32(s_or_b32, x->a | x->b)
SNZ64(s_or_b64, x->a | x->b)
SNZ32(s_xor_b32, x->a ^ x->b)
SNZ64(s_xor_b64, x->a ^ x->b)
SNZ32(s_andn2_b32, x->a & ~x->b)
SNZ64(s_andn2_b64, x->a & ~x->b)
SNZ32(s_orn2_b32, x->a | ~x->b)
SNZ64(s_orn2_b64, x->a | ~x->b)
SNZ32(s_nand_b32, ~(x->a & x->b))
SNZ64(s_nand_b64, ~(x->a & x->b))
SNZ32(s_nor_b32, ~(x->a | x->b))
SNZ64(s_nor_b64, ~(x->a | x->b))
SNZ32(s_xnor_b32, ~(x->a ^ x->b))
SNZ64(s_xnor_b64, ~(x->a ^ x->b))
SNZ32(s_lshl_b32, A << (B & 31))
SNZ64(s_lshl_b64, x->a << (B & 63))
SNZ32(s_lshr_b32, A >> (B & 31))
SNZ64(s_lshr_b64, x->a >> (B & 63))
SNZ32(s_ashr_i32, (u32)(AI >> (B & 31)))
SNZ64(s_ashr_i64, (u64)((i64)x->a >> (B & 63)))
S(s_bfm_b32, ((1u << (A & 31)) - 1) << (B & 31))
S(s_bfm_b64, (((u64)1 << (A & 63)) - 1) << (B & 63))
static u64 field64(u64 v, u32 control, int bits, bool sign)
{
    u32 offset = control & (u32)(bits - 1), width = control >> 16 & 0x7f;
    if (width == 0) return 0;
    if (bits == 32) v = sign ? (u64)(i64)(i32)v : (u32)v;
    v = sign ? (u64)((i64)v >> offset) : v >> offset;
    if (width >= 64) return v;
    return sign ? (u64)((i64)(v << (64 - width)) >> (64 - width)) : v & (((u64)1 << width) - 1);
}
SNZ32(s_bfe_u32, field64(x->a, B, 32, false))
SNZ32(s_bfe_i32, field64(x->a, B, 32, true))
SNZ64(s_bfe_u64, field64(x->a, B, 64, false))
SNZ64(s_bfe_i64, field64(x->a, B, 64, true))
S(s_mul_i32, A * B)
S(s_mul_hi_u32, (u64)A * B >> 32)
S(s_mul_hi_i32, (u32)((i64)AI * BI >> 32))
SNZ32(s_absdiff_i32, (i32)(A - B) < 0 ? B - A : A - B) /* the difference wraps: ISA's examples */
#define LSHL_ADD(N) \
    static u64 f_s_lshl##N##_add_u32(args *x) { u64 r = ((u64)A << N) + B; x->scc = r >> 32 != 0; return (u32)r; }
LSHL_ADD(1)
LSHL_ADD(2)
LSHL_ADD(3)
LSHL_ADD(4)
S(s_pack_ll_b32_b16, (A & 0xffff) | B << 16)
S(s_pack_lh_b32_b16, (A & 0xffff) | (B & 0xffff0000))
S(s_pack_hh_b32_b16, A >> 16 | (B & 0xffff0000))
SCMP(s_cmp_eq_i32, A == B) SCMP(s_cmp_lg_i32, A != B) SCMP(s_cmp_gt_i32, AI > BI) SCMP(s_cmp_ge_i32, AI >= BI)
SCMP(s_cmp_lt_i32, AI < BI) SCMP(s_cmp_le_i32, AI <= BI)
SCMP(s_cmp_eq_u32, A == B) SCMP(s_cmp_lg_u32, A != B) SCMP(s_cmp_gt_u32, A > B) SCMP(s_cmp_ge_u32, A >= B)
SCMP(s_cmp_lt_u32, A < B) SCMP(s_cmp_le_u32, A <= B)
SCMP(s_cmp_eq_u64, x->a == x->b) SCMP(s_cmp_lg_u64, x->a != x->b)
SCMP(s_bitcmp0_b32, !(A >> (B & 31) & 1)) SCMP(s_bitcmp1_b32, A >> (B & 31) & 1)
SCMP(s_bitcmp0_b64, !(x->a >> (B & 63) & 1)) SCMP(s_bitcmp1_b64, x->a >> (B & 63) & 1)
S(s_movk_i32, (u32)x->imm)
#define CMPK(OP, C, I, U) \
    SCMP(s_cmpk_##OP##_i32, AI C (I)) \
    SCMP(s_cmpk_##OP##_u32, A C (U))
CMPK(eq, ==, x->imm, (u32)x->imm)
CMPK(lg, !=, x->imm, (u32)x->imm)
CMPK(gt, >, x->imm, (u32)x->imm)
CMPK(ge, >=, x->imm, (u32)x->imm)
CMPK(lt, <, x->imm, (u32)x->imm)
CMPK(le, <=, x->imm, (u32)x->imm)
static u64 f_s_addk_i32(args *x)
{
    u32 a = (u32)x->d, b = (u32)x->imm, r = a + b;
    x->scc = (~(a ^ b) & (a ^ r)) >> 31;
    return r;
}
S(s_mulk_i32, (u32)x->d * (u32)x->imm)

/* hwreg(id, offset, width): MODE (1) is modelled, STATUS (2) reads 0 in the fields a shader can use, XCC_ID (20) is 0. */
enum { HW_MODE = 1, HW_STATUS = 2, HW_HW_ID = 4, HW_XCC_ID = 20 };
static void run_getreg(wave *w, const ins *I, const opdef *def)
{
    (void)def;
    u32 id = I->offset0 & 63, offset = I->offset0 >> 6 & 31, width = (I->offset0 >> 11 & 31) + 1, value = 0;
    if (id == HW_MODE) value = w->mode;
    else if (id == HW_STATUS) value = w->scc & 1;
    else if (id == HW_XCC_ID || id == HW_HW_ID) value = 0;
    else { fault(w, I, FAULT_HWREG, id); return; }
    u64 mask = ((u64)1 << width) - 1;
    scalar_write(w, &I->o[DST], value >> offset & mask);
}

static void run_setreg(wave *w, const ins *I, const opdef *def)
{
    (void)def;
    u32 id = I->offset0 & 63, offset = I->offset0 >> 6 & 31, width = (I->offset0 >> 11 & 31) + 1;
    if (id != HW_MODE) { fault(w, I, FAULT_HWREG, id); return; }
    u32 mask = (u32)((((u64)1 << width) - 1) << offset);
    w->mode = (w->mode & ~mask) | ((u32)scalar_source(w, &I->o[SRC0]) << offset & mask);
}

/* Program control. `pc` already points at the next instruction. */
static void jump_index(wave *w, const ins *I, i32 index)
{
    if (index < 0 || (u32)index >= cfg(w)->instructions) fault(w, I, FAULT_BAD_JUMP, (u64)(i64)index);
    else w->pc = (u32)index;
}

/* Whether VCC is zero; a bit that is set says so whatever the missing ones are. */
static bool vcc_is_zero(wave *w, const ins *I)
{
    u64 vcc = read64(&w->s[SGPR_VCC]), known = w->checks ? known_pair(w, SGPR_VCC) : ~(u64)0;
    if (~known && !(vcc & known)) report(w, CODE_SGPR_UNINIT, I, 0, 0, 0, 0, 1024 + SGPR_VCC + ((u32)known == 0xffffffff));
    return vcc == 0;
}

static bool scc_is_set(wave *w, const ins *I)
{
    need_scc(w, I);
    return w->scc;
}

static void run_branch(wave *w, const ins *I, const opdef *def)
{
    bool taken = true;
    switch (def->op) {
    case OP_s_cbranch_scc0: taken = !scc_is_set(w, I); break;
    case OP_s_cbranch_scc1: taken = scc_is_set(w, I); break;
    case OP_s_cbranch_vccz: taken = vcc_is_zero(w, I); break;
    case OP_s_cbranch_vccnz: taken = !vcc_is_zero(w, I); break;
    case OP_s_cbranch_execz: taken = exec_mask(w) == 0; break;
    case OP_s_cbranch_execnz: taken = exec_mask(w) != 0; break;
    }
    if (taken) jump_index(w, I, I->target);
}

static u64 next_address(wave *w, const ins *I) { return cfg(w)->code_address + I->pc + I->size; }

static void run_jump(wave *w, const ins *I, const opdef *def)
{
    u64 to = def->op == OP_s_getpc_b64 || def->op == OP_s_call_b64 ? 0 : scalar_source(w, &I->o[SRC0]);
    if (def->op != OP_s_setpc_b64) scalar_write(w, &I->o[DST], next_address(w, I));
    if (def->op == OP_s_getpc_b64) return;
    if (def->op == OP_s_call_b64) { jump_index(w, I, I->target); return; }
    /* Instructions are sorted by pc. */
    const ins *code = w->wg->t->launch->code;
    u64 pc = to - cfg(w)->code_address;
    u32 low = 0, high = cfg(w)->instructions;
    while (low < high) {
        u32 middle = (low + high) / 2;
        if (code[middle].pc < pc) low = middle + 1; else high = middle;
    }
    if (low >= cfg(w)->instructions || code[low].pc != pc) fault(w, I, FAULT_BAD_JUMP, to);
    else w->pc = low;
}

static void run_nothing(wave *w, const ins *I, const opdef *def) { (void)w; (void)I; (void)def; }

/* VSKIP: vector instructions are passed over (CDNA4 ISA 12.4, S_SETVSKIP). */
static void run_setvskip(wave *w, const ins *I, const opdef *def)
{
    (void)def;
    u64 value = scalar_source(w, &I->o[SRC0]) >> (scalar_source(w, &I->o[SRC1]) & 31);
    w->mode = value & 1 ? w->mode | MODE_SKIP : w->mode & ~(u32)MODE_SKIP;
}

/* Register indexing: M0[7:0] is the index, M0[15:12] says for which operands (CDNA4 ISA 6.6, S_SET_GPR_IDX_*). */
enum { INDEX_OFF, INDEX_ON, INDEX_MODE, INDEX_VALUE };
static void run_gpr_index(wave *w, const ins *I, const opdef *def)
{
    u32 *m0 = &w->s[SGPR_M0], operands = (u32)I->target & 15;
    if (def->arg == INDEX_OFF) w->mode &= ~(u32)MODE_GPR_INDEX;
    if (def->arg == INDEX_ON) w->mode |= MODE_GPR_INDEX;
    if (def->arg == INDEX_ON || def->arg == INDEX_MODE) *m0 = (*m0 & ~0xf000u) | operands << 12;
    if (def->arg == INDEX_ON || def->arg == INDEX_VALUE) *m0 = (*m0 & ~0xffu) | ((u32)scalar_source(w, &I->o[SRC0]) & 0xff);
    w->sopen[SGPR_M0] &= IN_FLIGHT;
}

static void run_trap(wave *w, const ins *I, const opdef *def) { (void)def; fault(w, I, FAULT_TRAP, (u32)I->target); }

static void run_endpgm(wave *w, const ins *I, const opdef *def)
{
    (void)I; (void)def;
    retire_all(w);
    w->state = ENDED;
}

static void run_barrier(wave *w, const ins *I, const opdef *def)
{
    (void)def;
    w->state = AT_BARRIER;
    w->barrier_ins = ins_index(w, I);
}

/* A count of -1 means that the wait does not name this counter. */
static void run_waitcnt(wave *w, const ins *I, const opdef *def)
{
    (void)def;
    if (!w->track) return;
    if (I->target >= 0) retire_vm(w, (u32)I->target, I);
    if (I->offset0 >= 0) retire_lgkm(w, (u32)I->offset0, I);
}

#define ENTRY(NAME, RUN, ARG) {OP_##NAME, RUN, (void (*)(void))f_##NAME, ARG}
#define D(NAME) ENTRY(NAME, run_salu, 0)
#define LOGIC(NAME) ENTRY(NAME##_b32, run_salu, BITWISE_SCC), ENTRY(NAME##_b64, run_salu, BITWISE_SCC)
const opdef salu_defs[] = {
    LOGIC(s_not), LOGIC(s_and), LOGIC(s_or), LOGIC(s_xor), LOGIC(s_andn2), LOGIC(s_orn2), LOGIC(s_nand), LOGIC(s_nor),
    LOGIC(s_xnor), ENTRY(s_mov_b32, run_salu, BITWISE), ENTRY(s_mov_b64, run_salu, BITWISE),
    ENTRY(s_cselect_b32, run_with_scc, BITWISE), ENTRY(s_cselect_b64, run_with_scc, BITWISE),
    ENTRY(s_addc_u32, run_with_scc, 0), ENTRY(s_subb_u32, run_with_scc, 0), D(s_brev_b32), D(s_brev_b64), D(s_wqm_b32), D(s_wqm_b64), D(s_quadmask_b32),
    D(s_quadmask_b64), D(s_bcnt0_i32_b32), D(s_bcnt0_i32_b64), D(s_bcnt1_i32_b32), D(s_bcnt1_i32_b64),
    D(s_ff0_i32_b32), D(s_ff0_i32_b64), D(s_ff1_i32_b32), D(s_ff1_i32_b64), D(s_flbit_i32_b32), D(s_flbit_i32_b64),
    D(s_flbit_i32), D(s_flbit_i32_i64), D(s_sext_i32_i8), D(s_sext_i32_i16), D(s_bitset0_b32), D(s_bitset1_b32),
    D(s_bitset0_b64), D(s_bitset1_b64), D(s_abs_i32), D(s_bitreplicate_b64_b32), D(s_add_u32), D(s_sub_u32),
    D(s_add_i32), D(s_sub_i32), D(s_min_u32), D(s_max_u32), D(s_min_i32), D(s_max_i32), D(s_lshl_b32), D(s_lshl_b64),
    D(s_lshr_b32), D(s_lshr_b64), D(s_ashr_i32), D(s_ashr_i64), D(s_bfm_b32), D(s_bfm_b64), D(s_bfe_u32),
    D(s_bfe_i32), D(s_bfe_u64), D(s_bfe_i64), D(s_mul_i32), D(s_mul_hi_u32), D(s_mul_hi_i32), D(s_absdiff_i32),
    D(s_lshl1_add_u32), D(s_lshl2_add_u32), D(s_lshl3_add_u32), D(s_lshl4_add_u32), D(s_pack_ll_b32_b16),
    D(s_pack_lh_b32_b16), D(s_pack_hh_b32_b16), D(s_cmp_eq_i32), D(s_cmp_lg_i32), D(s_cmp_gt_i32), D(s_cmp_ge_i32),
    D(s_cmp_lt_i32), D(s_cmp_le_i32), D(s_cmp_eq_u32), D(s_cmp_lg_u32), D(s_cmp_gt_u32), D(s_cmp_ge_u32),
    D(s_cmp_lt_u32), D(s_cmp_le_u32), D(s_cmp_eq_u64), D(s_cmp_lg_u64), D(s_bitcmp0_b32), D(s_bitcmp1_b32),
    D(s_bitcmp0_b64), D(s_bitcmp1_b64), D(s_movk_i32), D(s_cmpk_eq_i32), D(s_cmpk_lg_i32), D(s_cmpk_gt_i32),
    D(s_cmpk_ge_i32), D(s_cmpk_lt_i32), D(s_cmpk_le_i32), D(s_cmpk_eq_u32), D(s_cmpk_lg_u32), D(s_cmpk_gt_u32),
    D(s_cmpk_ge_u32), D(s_cmpk_lt_u32), D(s_cmpk_le_u32), D(s_addk_i32), D(s_mulk_i32),
    {OP_s_cmov_b32, run_cmov, 0, 0}, {OP_s_cmov_b64, run_cmov, 0, 0}, {OP_s_cmovk_i32, run_cmov, 0, 1},
    {OP_s_and_saveexec_b64, run_saveexec, 0, SE_AND}, {OP_s_or_saveexec_b64, run_saveexec, 0, SE_OR},
    {OP_s_xor_saveexec_b64, run_saveexec, 0, SE_XOR}, {OP_s_andn2_saveexec_b64, run_saveexec, 0, SE_ANDN2},
    {OP_s_orn2_saveexec_b64, run_saveexec, 0, SE_ORN2}, {OP_s_nand_saveexec_b64, run_saveexec, 0, SE_NAND},
    {OP_s_nor_saveexec_b64, run_saveexec, 0, SE_NOR}, {OP_s_xnor_saveexec_b64, run_saveexec, 0, SE_XNOR},
    {OP_s_andn1_saveexec_b64, run_saveexec, 0, SE_ANDN1}, {OP_s_orn1_saveexec_b64, run_saveexec, 0, SE_ORN1},
    {OP_s_andn1_wrexec_b64, run_saveexec, 0, WR_ANDN1}, {OP_s_andn2_wrexec_b64, run_saveexec, 0, WR_ANDN2},
    {OP_s_getreg_b32, run_getreg, 0, 0}, {OP_s_setreg_b32, run_setreg, 0, 0},
    {OP_s_setreg_imm32_b32, run_setreg, 0, 0}, {0, 0, 0, 0},
};

const opdef control_defs[] = {
    {OP_s_getpc_b64, run_jump, 0, 0}, {OP_s_setpc_b64, run_jump, 0, 0}, {OP_s_swappc_b64, run_jump, 0, 0},
    {OP_s_call_b64, run_jump, 0, 0}, {OP_s_branch, run_branch, 0, 0}, {OP_s_cbranch_scc0, run_branch, 0, 0},
    {OP_s_cbranch_scc1, run_branch, 0, 0}, {OP_s_cbranch_vccz, run_branch, 0, 0}, {OP_s_cbranch_vccnz, run_branch, 0, 0},
    {OP_s_cbranch_execz, run_branch, 0, 0}, {OP_s_cbranch_execnz, run_branch, 0, 0}, {OP_s_endpgm, run_endpgm, 0, 0},
    {OP_s_barrier, run_barrier, 0, 0}, {OP_s_waitcnt, run_waitcnt, 0, 0}, {OP_s_trap, run_trap, 0, 0},
    {OP_s_sethalt, run_trap, 0, 0}, {OP_s_nop, run_nothing, 0, 0}, {OP_s_sleep, run_nothing, 0, 0},
    {OP_s_setprio, run_nothing, 0, 0}, {OP_s_incperflevel, run_nothing, 0, 0}, {OP_s_decperflevel, run_nothing, 0, 0},
    {OP_s_setvskip, run_setvskip, 0, 0}, {OP_s_set_gpr_idx_off, run_gpr_index, 0, INDEX_OFF},
    {OP_s_set_gpr_idx_on, run_gpr_index, 0, INDEX_ON}, {OP_s_set_gpr_idx_mode, run_gpr_index, 0, INDEX_MODE},
    {OP_s_set_gpr_idx_idx, run_gpr_index, 0, INDEX_VALUE}, {OP_s_sendmsg, run_nothing, 0, 0}, {OP_s_icache_inv, run_nothing, 0, 0},
    {OP_s_ttracedata, run_nothing, 0, 0}, {OP_s_wakeup, run_nothing, 0, 0}, {OP_s_clause, run_nothing, 0, 0},
    {0, 0, 0, 0},
};
