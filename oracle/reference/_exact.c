/* SPDX-License-Identifier: Apache-2.0 */
/* The two roundings of the contract's inner loop, over whole tensors: `oracle.reference.rounding` says the same in
 * torch, a test holds the two equal. Nothing here comes from the machine, which is judged by it.
 */
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <fenv.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* Wide vectors, and fma instructions, where the loader can pick by CPU; anywhere else fmaf is the C library's. */
#if defined(__x86_64__) && defined(__GLIBC__) && !defined(MACHINE_NO_CLONES)
#define CLONES __attribute__((target_clones("default", "arch=x86-64-v3", "arch=x86-64-v4")))
#else
#define CLONES
#endif

/* RN32(c + dot) of each element. The sum is rounded to odd first: where it is inexact and even in the last of its 53
 * bits, it moves one step towards what was lost. Rounding that to 24 bits is rounding the exact sum. */
CLONES static void add_dot(float *restrict c, const double *restrict dot, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        double addend = (double)c[i], sum = addend + dot[i];
        double seen = sum - addend, lost = (addend - (sum - seen)) + (dot[i] - seen); /* Knuth's TwoSum; NaN of infinities */
        uint64_t bits;
        memcpy(&bits, &sum, sizeof bits);
        uint64_t away = (uint64_t)((lost > 0) == (sum > 0)), inexact = (uint64_t)((lost > 0) | (lost < 0));
        bits += (inexact & ~bits) * (2 * away - 1); /* only the lowest bit of `inexact` can be set */
        memcpy(&sum, &bits, sizeof sum);
        c[i] = (float)sum;
    }
}

static inline float settled(float x, bool flush) { return flush && fabsf(x) < 0x1p-126f ? copysignf(0.0f, x) : x; }

/* acc = fma(RN32(xs * ws), partial, acc), or with `tile` fma(RN32(partial * xs), ws, acc): one row. */
CLONES static void promote_row(float *restrict acc, const float *restrict partial, float xs, const float *restrict ws,
                               size_t n, bool tile, bool flush)
{
    if (tile && flush) for (size_t i = 0; i < n; i++)
        acc[i] = settled(fmaf(settled(partial[i] * xs, true), ws[i], acc[i]), true);
    else if (tile) for (size_t i = 0; i < n; i++) acc[i] = fmaf(partial[i] * xs, ws[i], acc[i]);
    else if (flush) for (size_t i = 0; i < n; i++)
        acc[i] = settled(fmaf(settled(xs * ws[i], true), partial[i], acc[i]), true);
    else for (size_t i = 0; i < n; i++) acc[i] = fmaf(xs * ws[i], partial[i], acc[i]);
}

static PyObject *refused(const char *what)
{
    PyErr_Format(PyExc_ValueError, "%s: buffers of other sizes", what);
    return NULL;
}

static PyObject *exact_add_dot(PyObject *self, PyObject *arguments)
{
    (void)self;
    Py_buffer c, dot;
    if (!PyArg_ParseTuple(arguments, "w*y*", &c, &dot)) return NULL;
    size_t n = (size_t)c.len / sizeof(float);
    PyObject *result = Py_None;
    if ((size_t)c.len != n * sizeof(float) || (size_t)dot.len != n * sizeof(double)) result = refused("add_dot");
    else {
        Py_BEGIN_ALLOW_THREADS
        fenv_t callers;
        feholdexcept(&callers);
        fesetenv(FE_DFL_ENV); /* to nearest even, denormals kept, whatever the caller's thread uses */
        add_dot(c.buf, dot.buf, n);
        fesetenv(&callers);
        Py_END_ALLOW_THREADS
    }
    PyBuffer_Release(&c);
    PyBuffer_Release(&dot);
    return Py_XNewRef(result);
}

static PyObject *exact_promote(PyObject *self, PyObject *arguments)
{
    (void)self;
    Py_buffer acc, partial, xs, ws;
    int tile, flush;
    if (!PyArg_ParseTuple(arguments, "w*y*y*y*pp", &acc, &partial, &xs, &ws, &tile, &flush)) return NULL;
    size_t rows = (size_t)xs.len / sizeof(float), columns = (size_t)ws.len / sizeof(float);
    PyObject *result = Py_None;
    if ((size_t)acc.len != rows * columns * sizeof(float) || partial.len != acc.len) result = refused("promote");
    else {
        const float *x = xs.buf, *p = partial.buf;
        float *a = acc.buf;
        Py_BEGIN_ALLOW_THREADS
        fenv_t callers;
        feholdexcept(&callers);
        fesetenv(FE_DFL_ENV);
        for (size_t r = 0; r < rows; r++)
            promote_row(a + r * columns, p + r * columns, x[r], ws.buf, columns, tile, flush);
        fesetenv(&callers);
        Py_END_ALLOW_THREADS
    }
    PyBuffer_Release(&acc);
    PyBuffer_Release(&partial);
    PyBuffer_Release(&xs);
    PyBuffer_Release(&ws);
    return Py_XNewRef(result);
}

static PyMethodDef methods[] = {
    {"add_dot", exact_add_dot, METH_VARARGS, "add_dot(c, dot): c = RN32(c + dot), fp32 and float64 of one shape."},
    {"promote", exact_promote, METH_VARARGS,
     "promote(acc, partial, xs, ws, tile, flush): one scale block; acc and partial fp32 [r, c], xs [r], ws [c]."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "_exact", NULL, 0, methods, NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit__exact(void) { return PyModule_Create(&module); }
