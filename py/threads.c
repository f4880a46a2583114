/* SPDX-License-Identifier: BSD-3-Clause
 * How many threads a parallel loop may use, as Python sets it: for the calling thread,
 * checked before anything runs. The chunk size is kept for programs that set it; swathe's
 * chunks depend on the size of a loop alone, so that a reduction has the same bits at any
 * number of threads. */
#include "py.h"

static _Thread_local long long chunk_size;

/* An int and nothing that only looks like one: False is not a number of threads. */
static int
take_number(PyObject *o, const char *func, long long *out)
{
    if (PyBool_Check(o) || !PyIndex_Check(o)) {
        PyErr_Format(PyExc_TypeError, "%s() takes an int, not %s: %R", func, Py_TYPE(o)->tp_name,
                     o);
        return -1;
    }
    PyObject *i = PyNumber_Index(o);
    int over = 0;
    *out = i ? PyLong_AsLongLongAndOverflow(i, &over) : -1;
    Py_XDECREF(i);
    if (over)
        *out = over < 0 ? LLONG_MIN : LLONG_MAX;
    return PyErr_Occurred() ? -1 : 0;
}

PyObject *
threads_set(PyObject *module, PyObject *o)
{
    long long n;
    (void)module;
    if (take_number(o, "set_num_threads", &n) < 0)
        return NULL;
    int width = dev_pool_width();
    if (n < 1 || n > width || dev_pool_set_threads((int)n) < 0)
        return PyErr_Format(PyExc_ValueError,
                            "set_num_threads(): the number of threads is from 1 to %d, not %R; "
                            "%d is what SWATHE_NUM_THREADS said when swathe began, or else how "
                            "many processors this process may use",
                            width, o, width);
    Py_RETURN_NONE;
}

PyObject *
threads_get(PyObject *module, PyObject *unused)
{
    (void)module;
    (void)unused;
    return PyLong_FromLong(dev_pool_threads());
}

PyObject *
threads_number(PyObject *module, PyObject *unused)
{
    (void)module;
    (void)unused;
    return PyLong_FromLong(dev_pool_number());
}

PyObject *
threads_set_chunksize(PyObject *module, PyObject *o)
{
    long long n, before = chunk_size;
    (void)module;
    if (take_number(o, "set_parallel_chunksize", &n) < 0)
        return NULL;
    if (n < 0 || n == LLONG_MAX)
        return PyErr_Format(PyExc_ValueError,
                            "set_parallel_chunksize(): the chunk size is from 0, for automatic, "
                            "to 9223372036854775806, not %R",
                            o);
    chunk_size = n;
    return PyLong_FromLongLong(before);
}

PyObject *
threads_get_chunksize(PyObject *module, PyObject *unused)
{
    (void)module;
    (void)unused;
    return PyLong_FromLongLong(chunk_size);
}
