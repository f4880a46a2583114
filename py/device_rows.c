/* SPDX-License-Identifier: BSD-3-Clause
 * Arrays that are not in one piece: takes pieces of some bytes, the sizes and both sides' strides
 * of the axes over them, and moves those bytes and no others. The last axis, whose strides are not
 * negative, goes to the driver as rows; the others are counted here, without the GIL. */
#include "device.h"

enum { MOST_AXES = 64 };

typedef struct Moved {
    Handle *q;
    DevRows rows; /* at the first piece */
    int64_t size[MOST_AXES], to[MOST_AXES], from[MOST_AXES];
    int n, block; /* block: not, at the end, each */
} Moved;

static int
take_sizes(PyObject *o, int64_t *out, int n)
{
    if (PyTuple_GET_SIZE(o) != n) {
        PyErr_SetString(PyExc_ValueError, "sizes and strides of as many axes");
        return -1;
    }
    for (int i = 0; i < n; i++)
        if ((out[i] = PyLong_AsLongLong(PyTuple_GET_ITEM(o, i))) == -1 && PyErr_Occurred())
            return -1;
    return 0;
}

/* A side: a piece of memory and where in it, or None and an address. */
static int
take_side(Moved *m, PyObject *memory, long long at, bool to)
{
    Handle *h = NULL;
    if (memory == Py_None)
        m->rows.host = (char *)(uintptr_t)at;
    else if (!as_memory(memory, &h))
        return -1;
    *(to ? &m->rows.to : &m->rows.from) = h ? h->p : NULL;
    *(to ? &m->rows.to_at : &m->rows.from_at) = h ? (size_t)at : 0;
    return 0;
}

/* All places of the axes but the last. After an error, what was begun is waited for: it uses the
 * host's memory. */
static bool
move(const Moved *m, DevError *e)
{
    const DevApi *api = m->q->api;
    int64_t i[MOST_AXES] = {0}, left = 1;
    int outer = m->n ? m->n - 1 : 0;
    DevRows r = m->rows;
    for (int k = 0; k < outer; k++)
        left *= m->size[k];
    for (;; left--) {
        DevWhen w = {.block = m->block > (left > 1)};
        DevError ignored;
        if (!api->rows(m->q->p, &r, &w, e)) {
            api->queue_sync(m->q->p, &ignored);
            return false;
        }
        int k = outer - 1;
        for (; k >= 0; k--) {
            int64_t step = ++i[k] < m->size[k] ? 1 : 1 - m->size[k];
            int64_t to = step * m->to[k], from = step * m->from[k];
            if (!r.to || !r.from)
                r.host += r.to ? from : to;
            r.to_at += r.to ? (size_t)to : 0;
            r.from_at += r.from ? (size_t)from : 0;
            if (step == 1)
                break;
            i[k] = 0;
        }
        if (k < 0)
            return true;
    }
}

PyObject *
device_rows(PyObject *module, PyObject *args)
{
    PyObject *to, *from, *to_strides, *from_strides, *sizes;
    long long to_at, from_at;
    Py_ssize_t width;
    int block;
    DevError e = {0};
    Moved m = {0};
    if (!PyArg_ParseTuple(args, "O&OLO!OLO!O!ni", as_queue, &m.q, &to, &to_at, &PyTuple_Type,
                          &to_strides, &from, &from_at, &PyTuple_Type, &from_strides, &PyTuple_Type,
                          &sizes, &width, &block))
        return NULL;
    m.n = (int)PyTuple_GET_SIZE(sizes);
    m.block = block;
    if (m.n > MOST_AXES || (to == Py_None && from == Py_None))
        return PyErr_Format(PyExc_ValueError, "at most %d axes, and one side on the device",
                            MOST_AXES);
    if (take_side(&m, to, to_at, true) < 0 || take_side(&m, from, from_at, false) < 0 ||
        take_sizes(sizes, m.size, m.n) < 0 || take_sizes(to_strides, m.to, m.n) < 0 ||
        take_sizes(from_strides, m.from, m.n) < 0)
        return NULL;
    for (int k = 0; k < m.n; k++)
        if (!m.size[k])
            Py_RETURN_NONE;
    m.rows.width = (size_t)width;
    m.rows.n = m.n ? (size_t)m.size[m.n - 1] : 1;
    m.rows.to_pitch = m.n ? (size_t)m.to[m.n - 1] : m.rows.width;
    m.rows.from_pitch = m.n ? (size_t)m.from[m.n - 1] : m.rows.width;
    bool ok;
    Py_BEGIN_ALLOW_THREADS ok = move(&m, &e);
    Py_END_ALLOW_THREADS return ok ? Py_NewRef(Py_None) : device_raise(module, &e);
}
