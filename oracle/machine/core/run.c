/* SPDX-License-Identifier: Apache-2.0 */
/* Workgroups and waves: launch state, scheduling, barriers, findings.
 *
 * Launch state (AMDGPU ABI as LLVM documents it): user SGPRs, then workgroup ids; v0 = x | y << 10 | z << 20; EXEC full;
 * registers and LDS hold poison.
 */
#include <stdlib.h>

#include "core.h"

enum { POISON = 0xcdcdcdcdu, POISON_BYTE = 0xcd };

void report(wave *w, enum code code, const ins *I, u32 lane, u32 other, u32 other_wave, u32 other_lane, u64 address)
{
    report_between(w, code, I, lane, other, other_wave, other_lane, 0, address);
}

void report_between(wave *w, enum code code, const ins *I, u32 lane, u32 other, u32 other_wave, u32 other_lane, u64 other_workgroup,
                    u64 address)
{
    thread *t = w->wg->t;
    u32 index = ins_index(w, I);
    u32 hash = (code * 2654435761u ^ index * 40503u ^ other * 2246822519u) % FINDING_SLOTS;
    for (u32 probe = 0; probe < FINDING_SLOTS; probe++) {
        finding *f = &t->found.slot[(hash + probe) % FINDING_SLOTS];
        if (f->code && (f->code != code || f->ins != index || f->other != other)) continue;
        bool first = !f->code || w->wg->id < f->workgroup;
        f->seen++;
        if (!first) return;
        u64 n = f->seen;
        *f = (finding){.code = code, .ins = index, .other = other, .wave = w->index, .lane = lane,
                       .other_wave = other_wave, .other_lane = other_lane, .workgroup = w->wg->id,
                       .other_workgroup = other_workgroup, .seen = n, .address = address};
        return;
    }
    t->found.dropped++;
}

void fault(wave *w, const ins *I, enum fault what, u64 value)
{
    thread *t = w->wg->t;
    w->state = ENDED;
    __atomic_store_n(&t->launch->stop, 1, __ATOMIC_RELAXED);
    if (t->fault && t->fault_wg <= w->wg->id) return;
    t->fault = what;
    t->fault_ins = ins_index(w, I);
    t->fault_wave = w->index;
    t->fault_wg = w->wg->id;
    t->fault_value = value;
}

static void fill(u32 *row, u32 rows) { for (u32 i = 0; i < rows * ROW; i++) row[i] = POISON; }

static void set_sgpr(wave *w, u32 reg, u32 value)
{
    w->s[reg] = value;
    w->sopen[reg] = 0;
}

static void start_wave(workgroup *wg, wave *w, u32 index)
{
    const launch_config *c = &wg->t->launch->cfg;
    w->wg = wg;
    w->index = index;
    w->pc = c->entry;
    w->state = RUNNING;
    w->scc = 0;
    w->mode = c->mode & ~(u32)(MODE_GPR_INDEX | MODE_SKIP);
    w->passed_ins = 0;
    w->executed = 0;
    w->regclock = 1;
    w->seq = w->seq_at_barrier = w->writeback_seq = 0;
    memset(w->released, 0, sizeof w->released);
    for (u32 q = 0; q < 2; q++) w->done[q] = w->done_at_barrier[q] = w->done_before[q] = 0;
    w->checks = c->checks;
    w->track = c->checks || c->landing == LANDING_LATE;
    w->vm.count = w->ds.count = w->sm.count = 0;
    memset(w->version, 0, sizeof w->version);
    memset(w->fragment_of, 0, sizeof w->fragment_of);
    for (u32 i = 0; i < FRAGMENT_SLOTS; i++) w->fragments[i].stamp = 0;
    memset(w->init, 0, sizeof w->init);
    memset(w->vopen, NO_VALUE, sizeof w->vopen);
    memset(w->sopen, NO_VALUE, sizeof w->sopen);
    memset(w->known, 0, sizeof w->known);
    w->lane_bits_used = 0;
    fill(w->v[0], c->vgprs);
    fill(w->v[ACC_BASE], c->agprs);
    for (u32 i = 0; i < SGPR_COUNT; i++) w->s[i] = POISON;
    if (w->scratch) memset(w->scratch, POISON_BYTE, (size_t)c->scratch_bytes * LANE_COUNT);
    if (w->spilled) memset(w->spilled, 0, SPILLED_BYTES(c->scratch_bytes));
    u32 next = 0;
    for (; next < c->user_sgprs; next++) set_sgpr(w, next, c->user_sgpr[next]);
    for (u32 i = 0; i < 3; i++) if (c->workgroup_id >> i & 1) set_sgpr(w, next++, wg->xyz[i]);
    if (c->workgroup_info) set_sgpr(w, next++, 0);
    /* FLAT_SCRATCH, XNACK_MASK, VCC: FLAT_SCRATCH is set up by hardware, the others are not. */
    for (u32 i = SGPR_FLAT_SCRATCH; i < SGPR_FLAT_SCRATCH + 2; i++) set_sgpr(w, i, 0);
    set_sgpr(w, SGPR_EXEC, 0);
    set_sgpr(w, SGPR_EXEC + 1, 0);
    u64 exec = 0;
    u32 threads = c->block[0] * c->block[1] * c->block[2];
    LANES {
        u32 item = index * LANE_COUNT + (u32)l;
        if (item >= threads) continue;
        exec |= (u64)1 << l;
        u32 x = item % c->block[0], y = item / c->block[0] % c->block[1], z = item / c->block[0] / c->block[1];
        w->v[0][l] = x | y << 10 | z << 20;
    }
    set_init(w, 0, exec);
    write64(&w->s[SGPR_EXEC], exec);
}

/* The instruction with M0[7:0] added to the VGPRs that M0[15:12] names: SRC0, SRC1, SRC2, DST. Each register file is
 * indexed by itself. NULL, and a fault, where an operand leaves it or the instruction is not one that can be indexed. */
static const ins *index_registers(wave *w, const ins *I)
{
    static const u8 place[4] = {SRC0, SRC1, SRC2, DST};
    u32 m0 = w->s[SGPR_M0];
    if (!(I->flags & FLAG_VECTOR) || !(m0 >> 12 & 15)) return I;
    if (!(I->flags & FLAG_VALU)) return I->flags & FLAG_ALL_LANES ? (fault(w, I, FAULT_UNMODELLED, 0), NULL) : I;
    if (I->flags & (FLAG_SDWA | FLAG_DPP)) { fault(w, I, FAULT_UNMODELLED, 0); return NULL; }
    w->indexed_from = ins_index(w, I);
    w->indexed = *I;
    for (u32 k = 0; k < 4; k++) {
        operand *o = &w->indexed.o[place[k]];
        if (!(m0 >> (12 + k) & 1) || o->kind != VGPR) continue;
        u32 file = o->reg < ACC_BASE ? 0 : ACC_BASE, reg = o->reg - file + (m0 & 0xff);
        u32 rows = file ? cfg(w)->agprs : cfg(w)->vgprs;
        if (reg + o->dwords > rows) { fault(w, I, FAULT_INDEX, reg); return NULL; }
        o->reg = (u16)(file + reg);
    }
    return &w->indexed;
}

static void run_wave(wave *w)
{
    thread *t = w->wg->t;
    const launch *L = t->launch;
    const ins *code = L->code;
    const opdef **defs = L->defs;
    u64 *executed = t->executed;
    u64 budget = L->cfg.budget;
    u32 n = L->cfg.instructions;
    bool checks = w->checks;
    while (w->state == RUNNING) {
        if (w->pc >= n) { fault(w, &code[n - 1], FAULT_BAD_JUMP, w->pc); return; }
        const ins *I = &code[w->pc++];
        const opdef *def = defs[I->op];
        executed[I - code]++;
        if (++w->executed > budget) { fault(w, I, FAULT_BUDGET, budget); return; }
        if (w->mode & (MODE_GPR_INDEX | MODE_SKIP)) {
            if (w->mode & MODE_SKIP && I->flags & FLAG_VECTOR) continue;
            if (w->mode & MODE_GPR_INDEX && !(I = index_registers(w, I))) return;
        }
        if (checks && check_operands(w, I, def)) run_lacking(w, I, def);
        else def->run(w, I, def);
    }
}

static u64 mix(u64 x)
{
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

static void order_waves(const launch_config *c, u64 salt, u32 *order)
{
    for (u32 i = 0; i < c->waves; i++) order[i] = c->wave_order == ORDER_DESCENDING ? c->waves - 1 - i : i;
    if (c->wave_order != ORDER_SEEDED) return;
    for (u32 i = c->waves - 1; i > 0; i--) {
        u32 j = (u32)(mix(c->seed ^ mix(salt + i)) % (i + 1)), x = order[i];
        order[i] = order[j];
        order[j] = x;
    }
}

void run_workgroup(thread *t, u64 id)
{
    launch *L = t->launch;
    const launch_config *c = &L->cfg;
    workgroup *wg = &t->wg;
    u32 order[MAX_WAVES];
    wg->t = t;
    wg->id = id;
    wg->xyz[0] = (u32)(id % c->grid[0]);
    wg->xyz[1] = (u32)(id / c->grid[0] % c->grid[1]);
    wg->xyz[2] = (u32)(id / c->grid[0] / c->grid[1]);
    wg->lds_bytes = c->lds_bytes;
    memset(wg->lds, POISON_BYTE, c->lds_bytes);
    if (c->checks) {
        memset(wg->writes, 0, sizeof *wg->writes * wg->granules);
        memset(wg->read_seq, 0, sizeof *wg->read_seq * wg->granules * c->waves);
    }
    for (u32 i = 0; i < c->waves; i++) start_wave(wg, wg->waves[i], i);
    order_start(wg);
    lds_barrier(wg);
    for (u64 round = 0;; round++) {
        u32 live = 0;
        order_waves(c, id * 1000003u + round, order);
        for (u32 i = 0; i < c->waves; i++) {
            wave *w = wg->waves[order[i]];
            if (w->state == RUNNING) run_wave(w);
            if (t->fault && t->fault_wg == id) return;
        }
        const wave *first = NULL;
        for (u32 i = 0; i < c->waves; i++) {
            wave *w = wg->waves[i];
            if (w->state != AT_BARRIER) continue;
            live++;
            if (!first) first = w;
            else if (c->checks && w->barrier_ins != first->barrier_ins)
                report(w, CODE_BARRIER_DIVERGENT, &L->code[w->barrier_ins], 0, first->barrier_ins + 1, first->index, 0, 0);
        }
        if (!live) return;
        order_barrier(wg);
        for (u32 i = 0; i < c->waves; i++) {
            wave *w = wg->waves[i];
            for (u32 q = 0; q < 2; q++) {
                w->done_before[q] = w->done_at_barrier[q];
                w->done_at_barrier[q] = w->done[q];
            }
            w->seq_at_barrier = w->seq;
            if (w->state != AT_BARRIER) continue;
            w->state = RUNNING;
            w->passed_ins = w->barrier_ins + 1;
        }
        lds_barrier(wg);
    }
}
