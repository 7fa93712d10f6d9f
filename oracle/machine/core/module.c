/* SPDX-License-Identifier: Apache-2.0 */
/* Python binding: `_core.launch` runs one launch on threads without the GIL. Python packs the records (abi.h) and words
 * the results (report.py). */
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <fenv.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#include "core.h"

static const opdef *table[OPCODE_COUNT];

static const char *const names[] = {OPCODE_NAMES};

static void fill_table(void)
{
    const opdef *const all[] = {salu_defs, control_defs, smem_defs, valu_defs, valu16_defs, valu64_defs, vop3p_defs,
                                vopc_defs, lane_defs, convert_defs, mfma_defs, ds_defs, buffer_defs, flat_defs};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        for (const opdef *d = all[i]; d->run; d++) table[d->op] = d;
}

typedef struct {
    thread *state;
    pthread_mutex_t *lock;
    pthread_cond_t *ended;
    u32 *running;
} worker;

static void *work(void *argument)
{
    worker *me = argument;
    thread *t = me->state;
    launch *L = t->launch;
    fesetenv(FE_DFL_ENV); /* rounding and denormals as C has them, whatever the caller's thread uses */
    while (!__atomic_load_n(&L->stop, __ATOMIC_RELAXED)) {
        u64 next = __atomic_fetch_add(&L->next, 1, __ATOMIC_RELAXED);
        if (next >= L->cfg.workgroup_count) break;
        run_workgroup(t, L->workgroups[next]);
        __atomic_fetch_add(&L->done, 1, __ATOMIC_RELAXED);
    }
    pthread_mutex_lock(me->lock);
    --*me->running;
    pthread_cond_signal(me->ended);
    pthread_mutex_unlock(me->lock);
    return NULL;
}

static bool make_thread(thread *t, launch *L)
{
    const launch_config *c = &L->cfg;
    bool track = c->checks || c->landing == LANDING_LATE;
    t->launch = L;
    t->requests = pool_zeros((L->allocations + 1) * sizeof *t->requests);
    t->executed = pool_zeros(c->instructions * sizeof *t->executed);
    t->wait_useful = pool_zeros(c->instructions);
    t->wg.lds = pool_zeros(LDS_LIMIT + 64);
    if (!t->requests || !t->executed || !t->wait_useful || !t->wg.lds || (c->checks && !order_create(L, t))) return false;
    t->wg.granules = (c->lds_bytes >> c->granule_shift) + 1;
    if (c->checks) { /* cleared at each start of a workgroup */
        size_t reads = (size_t)t->wg.granules * c->waves;
        t->wg.writes = pool_take(t->wg.granules * sizeof *t->wg.writes);
        t->wg.read_seq = pool_take(reads * sizeof *t->wg.read_seq);
        t->wg.read_by = pool_take(reads * sizeof *t->wg.read_by);
        if (!t->wg.writes || !t->wg.read_seq || !t->wg.read_by) return false;
    }
    for (u32 i = 0; i < c->waves; i++) {
        wave *w = t->wg.waves[i] = pool_take(sizeof(wave));
        if (!w) return false;
        memset(w, 0, offsetof(wave, banks));
        /* Fragments are emptied at each start of a wave and pending operations at each push: megabytes not to clear. */
        if (!(w->fragments = pool_take(FRAGMENT_SLOTS * sizeof(fragment)))) return false;
        if (c->scratch_bytes && !(w->scratch = pool_take((size_t)LANE_COUNT * c->scratch_bytes))) return false;
        if (c->checks && w->scratch && !(w->spilled = pool_take(SPILLED_BYTES(c->scratch_bytes)))) return false;
        if (!track) continue;
        ring *q[3] = {&w->vm, &w->ds, &w->sm};
        for (int k = 0; k < 3; k++) if (!(q[k]->entry = pool_take(VM_DEPTH * sizeof(pending)))) return false;
    }
    return true;
}

static void free_thread(thread *t)
{
    for (u32 i = 0; i < MAX_WAVES; i++) {
        wave *w = t->wg.waves[i];
        if (!w) continue;
        void *parts[] = {w->fragments, w->scratch, w->spilled, w->vm.entry, w->ds.entry, w->sm.entry, w};
        for (size_t k = 0; k < sizeof parts / sizeof *parts; k++) pool_give(parts[k]);
    }
    order_destroy(t->launch, t);
    void *parts[] = {t->wg.writes, t->wg.read_seq, t->wg.read_by, t->wg.lds, t->requests, t->executed, t->wait_useful};
    for (size_t k = 0; k < sizeof parts / sizeof *parts; k++) pool_give(parts[k]);
}

/* Runs with the GIL held; gives it up while the threads work, takes it back five times a second for signals and the
 * progress callback. Returns false with a Python error set. */
static bool run_threads(launch *L, thread *threads, PyObject *progress)
{
    u32 n = L->cfg.threads, running = 0;
    pthread_t *handle = calloc(n, sizeof *handle);
    worker *workers = calloc(n, sizeof *workers);
    pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    pthread_cond_t ended = PTHREAD_COND_INITIALIZER;
    bool good = true;
    u32 started = 0;
    if (!handle || !workers) { free(handle); free(workers); PyErr_NoMemory(); return false; }
    pthread_mutex_lock(&lock);
    for (u32 i = 0; i < n; i++) {
        workers[i] = (worker){&threads[i], &lock, &ended, &running};
        if (pthread_create(&handle[i], NULL, work, &workers[i])) break;
        running++;
        started++;
    }
    if (!started) good = false;
    while (running) {
        struct timespec until;
        Py_BEGIN_ALLOW_THREADS
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += 200000000;
        if (until.tv_nsec >= 1000000000) { until.tv_nsec -= 1000000000; until.tv_sec++; }
        pthread_cond_timedwait(&ended, &lock, &until);
        pthread_mutex_unlock(&lock);
        Py_END_ALLOW_THREADS
        if (good && PyErr_CheckSignals()) good = false;
        if (good && progress != Py_None) {
            PyObject *r = PyObject_CallFunction(progress, "KK", (unsigned long long)__atomic_load_n(&L->done, __ATOMIC_RELAXED),
                                                (unsigned long long)L->cfg.workgroup_count);
            if (r) Py_DECREF(r); else good = false;
        }
        if (!good) __atomic_store_n(&L->stop, 1, __ATOMIC_RELAXED);
        pthread_mutex_lock(&lock);
    }
    pthread_mutex_unlock(&lock);
    for (u32 i = 0; i < started; i++) pthread_join(handle[i], NULL);
    free(handle);
    free(workers);
    if (!started) PyErr_SetString(PyExc_OSError, "cannot start a thread");
    return good;
}

static PyObject *results(launch *L, thread *threads)
{
    u32 n = L->cfg.threads, instructions = L->cfg.instructions;
    thread *all = &threads[0];
    PyObject *found = PyList_New(0), *executed = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)(instructions * sizeof(u64)));
    PyObject *useful = PyBytes_FromStringAndSize(NULL, instructions), *counters = PyTuple_New(COUNTERS);
    size_t rows = L->allocations + 1;
    PyObject *requests = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)(rows * sizeof *all->requests));
    if (!found || !executed || !useful || !counters || !requests) goto failed;
    u64 dropped = 0;
    finding between;
    if (read_write_conflict(L, &between)) {
        PyObject *bytes = PyBytes_FromStringAndSize((const char *)&between, sizeof between);
        if (!bytes || PyList_Append(found, bytes)) { Py_XDECREF(bytes); goto failed; }
        Py_DECREF(bytes);
    }
    for (u32 i = 0; i < n; i++) {
        thread *t = &threads[i];
        dropped += t->found.dropped;
        for (u32 k = 0; k < FINDING_SLOTS; k++) {
            if (!t->found.slot[k].code) continue;
            PyObject *bytes = PyBytes_FromStringAndSize((const char *)&t->found.slot[k], sizeof(finding));
            if (!bytes || PyList_Append(found, bytes)) { Py_XDECREF(bytes); goto failed; }
            Py_DECREF(bytes);
        }
        if (i == 0) continue;
        for (u32 k = 0; k < instructions; k++) {
            all->executed[k] += t->executed[k];
            all->wait_useful[k] |= t->wait_useful[k];
        }
        for (u32 k = 0; k < COUNTERS; k++) all->counters[k] += t->counters[k];
        for (size_t k = 0; k < rows; k++)
            for (u32 kind = 0; kind < REQUESTS; kind++) all->requests[k][kind] += t->requests[k][kind];
        if (t->fault && (!all->fault || t->fault_wg < all->fault_wg)) {
            all->fault = t->fault;
            all->fault_ins = t->fault_ins;
            all->fault_wave = t->fault_wave;
            all->fault_wg = t->fault_wg;
            all->fault_value = t->fault_value;
        }
        if (t->conflict_bytes) {
            if (!all->conflict_bytes || t->conflict_address < all->conflict_address) {
                all->conflict_address = t->conflict_address;
                all->conflict_a = t->conflict_a;
                all->conflict_b = t->conflict_b;
                all->conflict_ins = t->conflict_ins;
            } else if (t->conflict_address == all->conflict_address) {
                u64 ids[4] = {all->conflict_a, all->conflict_b, t->conflict_a, t->conflict_b}, a = ids[0], b = ~(u64)0;
                for (int k = 1; k < 4; k++) if (ids[k] < a) a = ids[k];
                for (int k = 0; k < 4; k++) if (ids[k] != a && ids[k] < b) b = ids[k];
                all->conflict_a = a;
                all->conflict_b = b;
                if (t->conflict_ins < all->conflict_ins) all->conflict_ins = t->conflict_ins;
            }
            all->conflict_bytes += t->conflict_bytes;
        }
    }
    memcpy(PyBytes_AS_STRING(executed), all->executed, instructions * sizeof(u64));
    memcpy(PyBytes_AS_STRING(useful), all->wait_useful, instructions);
    memcpy(PyBytes_AS_STRING(requests), all->requests, rows * sizeof *all->requests);
    for (Py_ssize_t k = 0; k < COUNTERS; k++) PyTuple_SET_ITEM(counters, k, PyLong_FromUnsignedLongLong(all->counters[k]));
    return Py_BuildValue("(NKNNNN(IIIKK)(KKKKI))", found, (unsigned long long)dropped, executed, useful, counters, requests, all->fault,
                         all->fault_ins, all->fault_wave, (unsigned long long)all->fault_wg,
                         (unsigned long long)all->fault_value, (unsigned long long)all->conflict_bytes,
                         (unsigned long long)all->conflict_address, (unsigned long long)all->conflict_a,
                         (unsigned long long)all->conflict_b, all->conflict_ins);
failed:
    Py_XDECREF(found);
    Py_XDECREF(executed);
    Py_XDECREF(useful);
    Py_XDECREF(counters);
    Py_XDECREF(requests);
    return NULL;
}

/* launch(config, code, memory, workgroups, progress): memory is a sequence of (address, buffer, writable, initialised). */
static PyObject *core_launch(PyObject *self, PyObject *arguments)
{
    (void)self;
    Py_buffer config, code, list;
    PyObject *memory, *progress, *result = NULL;
    if (!PyArg_ParseTuple(arguments, "y*y*Oy*O", &config, &code, &memory, &list, &progress)) return NULL;
    launch L = {0};
    thread *threads = NULL;
    PyObject *sequence = PySequence_Fast(memory, "memory must be a sequence");
    Py_ssize_t regions = 0;
    Py_buffer *views = NULL;
    if (!sequence) goto done;
    if (config.len != (Py_ssize_t)sizeof(launch_config)) { PyErr_SetString(PyExc_ValueError, "launch record size"); goto done; }
    memcpy(&L.cfg, config.buf, sizeof L.cfg);
    if (code.len != (Py_ssize_t)(L.cfg.instructions * sizeof(ins)) || !L.cfg.instructions ||
        L.cfg.instructions > INSTRUCTION_LIMIT) {
        PyErr_SetString(PyExc_ValueError, "instruction record size");
        goto done;
    }
    if (list.len != (Py_ssize_t)(L.cfg.workgroup_count * sizeof(u64)) || L.cfg.waves < 1 || L.cfg.waves > MAX_WAVES ||
        L.cfg.lds_bytes > LDS_LIMIT || L.cfg.vgprs > ACC_BASE || L.cfg.agprs > ACC_BASE || L.cfg.user_sgprs > 32 ||
        L.cfg.threads < 1) {
        PyErr_SetString(PyExc_ValueError, "launch record values");
        goto done;
    }
    L.code = code.buf;
    L.defs = table;
    L.workgroups = list.buf;
    for (u32 i = 0; i < L.cfg.instructions; i++)
        if (L.code[i].op >= OPCODE_COUNT || !table[L.code[i].op]) {
            PyErr_SetString(PyExc_ValueError, "instruction without an implementation");
            goto done;
        }
    regions = PySequence_Fast_GET_SIZE(sequence);
    L.allocations = (u32)regions;
    L.memory = calloc((size_t)regions + 1, sizeof *L.memory);
    views = calloc((size_t)regions + 1, sizeof *views);
    threads = calloc(L.cfg.threads, sizeof *threads);
    if (!L.memory || !views || !threads) { PyErr_NoMemory(); goto done; }
    for (Py_ssize_t i = 0; i < regions; i++) {
        unsigned long long address;
        PyObject *buffer;
        int writable, initialised;
        if (!PyArg_ParseTuple(PySequence_Fast_GET_ITEM(sequence, i), "KOpp", &address, &buffer, &writable, &initialised)) goto done;
        if (PyObject_GetBuffer(buffer, &views[i], writable ? PyBUF_WRITABLE : PyBUF_SIMPLE)) goto done;
        allocation *a = &L.memory[i];
        a->address = address;
        a->size = (u64)views[i].len;
        a->host = views[i].buf;
        a->writable = (u32)writable;
        a->initialised = (u32)initialised;
        if (L.cfg.checks && writable && !(a->owner = pool_zeros((a->size + 1) * sizeof *a->owner))) {
            PyErr_NoMemory();
            goto done;
        }
    }
    if (L.cfg.checks && !order_create(&L, NULL)) { PyErr_NoMemory(); goto done; }
    for (u32 i = 0; i < L.cfg.threads; i++)
        if (!make_thread(&threads[i], &L)) { PyErr_NoMemory(); goto done; }
    if (run_threads(&L, threads, progress)) result = results(&L, threads);
done:
    if (threads)
        for (u32 i = 0; i < L.cfg.threads; i++) free_thread(&threads[i]);
    free(threads);
    if (L.memory) order_destroy(&L, NULL);
    for (Py_ssize_t i = 0; i < regions; i++) {
        if (L.memory) pool_give(L.memory[i].owner);
        if (views && views[i].obj) PyBuffer_Release(&views[i]);
    }
    free(L.memory);
    free(views);
    Py_XDECREF(sequence);
    PyBuffer_Release(&config);
    PyBuffer_Release(&code);
    PyBuffer_Release(&list);
    return result;
}

static PyObject *core_implemented(PyObject *self, PyObject *arguments)
{
    (void)self; (void)arguments;
    PyObject *list = PyList_New(OPCODE_COUNT);
    if (!list) return NULL;
    for (Py_ssize_t i = 0; i < OPCODE_COUNT; i++)
        PyList_SET_ITEM(list, i, Py_BuildValue("(sO)", names[i], table[i] ? Py_True : Py_False));
    return list;
}

static PyMethodDef methods[] = {
    {"launch", core_launch, METH_VARARGS, "launch(config, code, memory, workgroups, progress): run a launch."},
    {"implemented", core_implemented, METH_NOARGS, "implemented(): (mnemonic, has semantics) in opcode order."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "_core", NULL, -1, methods, NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit__core(void)
{
    fill_table();
    PyObject *m = PyModule_Create(&module);
    if (m && PyModule_AddStringConstant(m, "ABI_DIGEST", ABI_DIGEST)) Py_CLEAR(m);
    return m;
}
