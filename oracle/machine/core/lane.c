/* SPDX-License-Identifier: Apache-2.0 */
/* Vector operations that move values between lanes or between the vector and scalar files. */
#include "valu.h"

/* Bits that a lane holds which `init` lacks. */
static u32 *lane_bits(wave *w, u32 reg, u32 lane)
{
    u32 n = w->lane_bits_used < SGPR_COUNT ? w->lane_bits_used : SGPR_COUNT;
    for (u32 i = 0; i < n; i++)
        if (w->lane_bits[i].reg == reg && w->lane_bits[i].lane == lane) return &w->lane_bits[i].known;
    return NULL;
}

static void put_lane_bits(wave *w, u32 reg, u32 lane, u32 known)
{
    u32 *old = lane_bits(w, reg, lane);
    if (old) *old = known;
    else {
        u32 at = w->lane_bits_used++ % SGPR_COUNT;
        w->lane_bits[at].known = known;
        w->lane_bits[at].reg = (u16)reg;
        w->lane_bits[at].lane = (u8)lane;
    }
}

/* The SGPR holds what the lane did. */
static void take_lane(wave *w, const operand *d, u32 reg, u32 lane)
{
    scalar_write(w, d, w->v[reg][lane]);
    if (!w->checks || w->init[reg] >> lane & 1) return;
    const u32 *known = lane_bits(w, reg, lane);
    set_known(w, d->reg, known ? *known : 0);
}

/* First active lane, lane 0 if none (CDNA4 ISA, V_READFIRSTLANE_B32). */
static void run_readfirstlane(wave *w, const ins *I, const opdef *def)
{
    (void)def;
    u64 exec = exec_mask(w);
    u32 lane = exec ? (u32)__builtin_ctzll(exec) : 0;
    const operand *o = &I->o[SRC0];
    if (o->kind == VGPR) take_lane(w, &I->o[DST], o->reg, lane);
    else scalar_write(w, &I->o[DST], (u32)scalar_source(w, o));
}

static void run_readlane(wave *w, const ins *I, const opdef *def)
{
    (void)def;
    u32 lane = (u32)scalar_source(w, &I->o[SRC1]) & 63;
    take_lane(w, &I->o[DST], I->o[SRC0].reg, lane);
}

/* Ignores EXEC. */
static void run_writelane(wave *w, const ins *I, const opdef *def)
{
    (void)def;
    u32 lane = (u32)scalar_source(w, &I->o[SRC1]) & 63, reg = I->o[DST].reg;
    w->v[reg][lane] = (u32)scalar_source(w, &I->o[SRC0]);
    touched(w, reg, 1);
    if (!w->checks) return;
    const operand *o = &I->o[SRC0];
    u32 known = o->kind == SGPR ? known_bits(w, o->reg) : 0xffffffff;
    u64 bit = (u64)1 << lane;
    set_init(w, reg, known == 0xffffffff ? w->init[reg] | bit : w->init[reg] & ~bit);
    if (known != 0xffffffff) put_lane_bits(w, reg, lane, known);
}

static void run_mbcnt(wave *w, const ins *I, const opdef *def)
{
    w->lane_enable = exec_mask(w);
    const u32 *a = vector_source(w, I, 0), *b = vector_source(w, I, 1);
    u32 *out = w->result;
    LANES {
        u32 position = def->arg ? (l > 32 ? (u32)l - 32 : 0) : (l > 31 ? 32 : (u32)l);
        u32 below = position >= 32 ? 0xffffffffu : (1u << position) - 1;
        out[l] = (u32)__builtin_popcount(a[l] & below) + b[l];
    }
    vector_write(w, I, &I->o[DST], out, w->lane_enable);
}

/* Both registers are written, so the source keeps its operand slot and is marked here. */
static void run_swap(wave *w, const ins *I, const opdef *def)
{
    u32 a = I->o[DST].reg, b = I->o[SRC0].reg;
    u64 exec = exec_mask(w);
    /* What bound_ctrl and fi give in place of inactive lanes is not documented for swaps. */
    if (I->bound_ctrl && exec != ~(u64)0) { fault(w, I, FAULT_EXEC, exec); return; }
    u32 x[ROW], y[ROW];
    memcpy(x, w->v[a], sizeof x);
    memcpy(y, w->v[b], sizeof y);
    if (def->arg == 0) {
        LANES if (exec >> l & 1) { w->v[a][l] = y[l]; w->v[b][l] = x[l]; }
    } else if (def->arg == 16) {
        /* Odd rows of the first register change places with even rows of the second. */
        LANES if (exec >> l & 1) {
            if (l & 16) w->v[a][l] = y[l - 16];
            else w->v[b][l] = x[l + 16];
        }
    } else {
        LANES if (exec >> l & 1) {
            if (l & 32) w->v[a][l] = y[l - 32];
            else w->v[b][l] = x[l + 32];
        }
    }
    touched(w, a, 1);
    touched(w, b, 1);
    if (w->checks) { mark_init(w, a, 1, exec); mark_init(w, b, 1, exec); }
}

const opdef lane_defs[] = {
    {OP_v_readfirstlane_b32, run_readfirstlane, 0, 0}, {OP_v_readlane_b32, run_readlane, 0, 0},
    {OP_v_writelane_b32, run_writelane, 0, 0}, {OP_v_mbcnt_lo_u32_b32, run_mbcnt, 0, 0},
    {OP_v_mbcnt_hi_u32_b32, run_mbcnt, 0, 1}, {OP_v_swap_b32, run_swap, 0, 0},
    {OP_v_permlane16_swap_b32, run_swap, 0, 16}, {OP_v_permlane32_swap_b32, run_swap, 0, 32},
    {0, 0, 0, 0},
};
