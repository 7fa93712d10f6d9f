/* SPDX-License-Identifier: Apache-2.0 */
/* Memory operations in flight and what a wait retires.
 *
 * vmcnt counts vector memory in issue order. lgkmcnt counts LDS (in order) and scalar loads (any order), so only
 * lgkmcnt(0) proves a scalar load, while lgkmcnt(n) still proves all but the newest n LDS operations. Counters saturate:
 * hardware stalls at 63 and 15 outstanding, which retires the oldest.
 */
#include "core.h"

enum { VM_LIMIT = 63, LGKM_LIMIT = 15 };

pending *pending_push(wave *w, ring *q, const ins *I, enum pending_kind kind)
{
    if (q == &w->vm && q->count >= VM_LIMIT) retire_vm(w, VM_LIMIT - 1, NULL);
    if (q == &w->ds && q->count >= LGKM_LIMIT) retire_lgkm(w, LGKM_LIMIT - 1, NULL);
    if (q == &w->sm && q->count >= SM_DEPTH) retire_lgkm(w, 0, NULL);
    pending *p = &q->entry[(q->head + q->count++) % VM_DEPTH];
    p->ins = ins_index(w, I);
    p->seq = ++w->seq;
    p->kind = (u8)kind;
    p->dwords = 0;
    p->reg = 0;
    p->exec = 0;
    p->data_valid = 0;
    p->access_bytes = 0;
    return p;
}

u32 pending_ins(const wave *w, u32 seq)
{
    const ring *q[2] = {&w->vm, &w->ds};
    u32 found = 0;
    for (u32 k = 0; k < 2; k++)
        for (u32 i = 0; i < q[k]->count; i++) {
            const pending *p = &q[k]->entry[(q[k]->head + i) % VM_DEPTH];
            if (p->seq == seq) found = p->ins;
        }
    return found;
}

void land_rows(wave *w, u32 reg, u32 dwords, u64 exec, u32 (*data)[LANE_COUNT])
{
    for (u32 i = 0; i < dwords; i++) {
        u32 *row = w->v[reg + i];
        if (row == data[i]) continue;
        if (exec == ~(u64)0) memcpy(row, data[i], sizeof data[i]);
        else LANES if (exec >> l & 1) row[l] = data[i][l];
    }
    touched(w, reg, dwords);
}

void land_dma(wave *w, u32 start, u32 step, u64 exec, const u32 *image)
{
    u32 room = w->wg->lds_bytes;
    if (exec == ~(u64)0 && start + LANE_COUNT * step <= room) { memcpy(w->wg->lds + start, image, LANE_COUNT * step); return; }
    for (; exec; exec &= exec - 1) {
        u32 l = (u32)__builtin_ctzll(exec), to = start + l * step;
        if (to + step <= room) memcpy(w->wg->lds + to, image + l * step / 4, step);
    }
}

u32 (*landing_rows(wave *w, const ins *I, u64 exec, pending *p))[LANE_COUNT]
{
    bool at_once = exec == ~(u64)0 && cfg(w)->landing != LANDING_LATE;
    return at_once ? &w->v[I->o[DST].reg] : p ? p->data : (u32 (*)[LANE_COUNT])w->result;
}

void hand_over(wave *w, const ins *I, u64 exec, pending *p, u32 (*rows)[LANE_COUNT])
{
    const operand *d = &I->o[DST];
    if (!p) { land_rows(w, d->reg, d->dwords, exec, rows); return; }
    p->reg = d->reg;
    p->dwords = d->dwords;
    p->exec = exec;
    p->data_valid = cfg(w)->landing == LANDING_LATE;
    if (!p->data_valid) land_rows(w, d->reg, d->dwords, exec, rows);
    if (!w->checks) return;
    for (u32 i = 0; i < d->dwords; i++) {
        w->vpend[d->reg + i] = p->seq;
        w->vopen[d->reg + i] |= IN_FLIGHT;
    }
    mark_init(w, d->reg, d->dwords, exec); /* on its way: the wait is checked apart */
}

void deliver(wave *w, const ins *I, u64 exec, u32 (*rows)[LANE_COUNT])
{
    pending *p = NULL;
    if (w->track) {
        p = pending_push(w, &w->vm, I, PENDING_VGPR);
        memcpy(p->data, rows, (size_t)I->o[DST].dwords * sizeof rows[0]);
    }
    hand_over(w, I, exec, p, rows);
}

static void retire(wave *w, pending *p)
{
    switch (p->kind) {
    case PENDING_VGPR:
    case PENDING_LDS_READ:
        if (p->data_valid) land_rows(w, p->reg, p->dwords, p->exec, p->data);
        if (w->checks)
            for (u32 i = 0; i < p->dwords; i++)
                if (w->vpend[p->reg + i] == p->seq) w->vopen[p->reg + i] &= NO_VALUE;
        break;
    case PENDING_SGPR:
        for (u32 i = 0; i < p->dwords; i++) {
            if (p->data_valid) w->s[p->reg + i] = p->data[0][i];
            if (w->spend[p->reg + i] == p->ins + 1) w->sopen[p->reg + i] &= NO_VALUE;
        }
        break;
    case PENDING_DMA:
        if (p->data_valid) land_dma(w, p->start, p->access_bytes, p->exec, p->data[0]);
        break;
    case PENDING_WRITEBACK:
        retire_writeback(w, p);
        break;
    default:
        break;
    }
}

static void pop(wave *w, ring *q, const ins *by)
{
    pending *p = &q->entry[q->head];
    q->head = (q->head + 1) % VM_DEPTH;
    q->count--;
    retire(w, p);
    if (q != &w->sm) w->done[q == &w->vm ? DMA_QUEUE : LDS_QUEUE] = p->seq;
    if (by) w->wg->t->wait_useful[ins_index(w, by)] |= q == &w->vm ? 1 : 2;
}

void retire_vm(wave *w, u32 keep, const ins *by)
{
    while (w->vm.count > keep) pop(w, &w->vm, by);
}

void retire_lgkm(wave *w, u32 keep, const ins *by)
{
    while (w->ds.count > keep) pop(w, &w->ds, by);
    if (keep == 0)
        while (w->sm.count) pop(w, &w->sm, by);
}

void retire_all(wave *w)
{
    if (!w->track) return;
    retire_vm(w, 0, NULL);
    retire_lgkm(w, 0, NULL);
}
