/* SPDX-License-Identifier: BSD-3-Clause
 * Arrays of records that compiled code returns, where their memory is an argument's: that argument
 * itself when nothing differs, else a view of it, of its class. Compiled code has views of its
 * fields, which don't tell; so the arguments of the call that runs are looked through. */
#include "heap.h"
#include "py.h"

static _Thread_local PyObject *given; /* what stands for them; borrowed */

PyObject *
record_call_begin(PyObject *views)
{
    PyObject *before = given;
    given = views;
    return before;
}

void
record_call_end(PyObject *before)
{
    given = before;
}

static bool
is_within(PyArrayObject *a, PyArrayObject *whole)
{
    const char *lo, *hi, *from, *to;
    foreign_extent(a, &lo, &hi);
    foreign_extent(whole, &from, &to);
    return lo >= from && hi <= to;
}

static bool
is_equal(PyArrayObject *a, PyArrayObject *b)
{
    int nd = PyArray_NDIM(a);
    bool same = PyArray_DATA(a) == PyArray_DATA(b) && nd == PyArray_NDIM(b) &&
                PyArray_CompareLists(PyArray_DIMS(a), PyArray_DIMS(b), nd) &&
                PyArray_EquivTypes(PyArray_DESCR(a), PyArray_DESCR(b));
    for (int i = 0; same && i < nd; i++)
        same = PyArray_DIM(a, i) <= 1 || PyArray_SIZE(a) == 0 ||
               PyArray_STRIDE(a, i) == PyArray_STRIDE(b, i);
    return same;
}

/* The argument that the array is, or in whose memory it lies; borrowed. */
static PyArrayObject *
find(PyObject *views, PyArrayObject *a, bool whole, int depth)
{
    PyArrayObject *found = NULL;
    if (!views || depth > 20 || !PyTuple_Check(views))
        return NULL;
    PyObject **dict = _PyObject_GetDictPtr(views);
    PyObject *of = dict && *dict ? PyDict_GetItemString(*dict, "_of") : NULL;
    if (of && PyArray_Check(of)) {
        PyArrayObject *o = (PyArrayObject *)of;
        return (whole ? is_equal(a, o) : is_within(a, o)) ? o : NULL;
    }
    for (Py_ssize_t i = 0; !found && i < PyTuple_GET_SIZE(views); i++)
        found = find(PyTuple_GET_ITEM(views, i), a, whole, depth + 1);
    return found;
}

static PyObject *
view_in(PyArrayObject *a, PyArrayObject *of)
{
    PyArray_Descr *d =
        PyArray_DESCR(PyArray_EquivTypes(PyArray_DESCR(a), PyArray_DESCR(of)) ? of : a);
    int writeable = PyArray_FLAGS(a) & PyArray_FLAGS(of) & NPY_ARRAY_WRITEABLE;
    Py_INCREF(d);
    PyObject *v =
        PyArray_NewFromDescr(Py_TYPE(of), d, PyArray_NDIM(a), PyArray_DIMS(a), PyArray_STRIDES(a),
                             PyArray_DATA(a), writeable, (PyObject *)of);
    if (v && PyArray_SetBaseObject((PyArrayObject *)v, Py_NewRef((PyObject *)of)) < 0)
        Py_CLEAR(v);
    return v;
}

static PyObject *
without_axes(PyObject *a)
{
    PyObject *none = PyTuple_New(0), *r = none ? PyObject_GetItem(a, none) : NULL;
    Py_XDECREF(none);
    Py_DECREF(a);
    return r;
}

/* What an array over the memory of records is for Python; takes over the reference. */
PyObject *
record_back(PyObject *array)
{
    PyArrayObject *a = (PyArrayObject *)array, *of = find(given, a, true, 0);
    if (of) {
        PyObject *base = PyArray_BASE(of); /* of one record that was given: foreign.c */
        bool one = PyArray_NDIM(of) == 0 && base && foreign_is_record(base);
        Py_DECREF(array);
        return Py_NewRef(one ? base : (PyObject *)of);
    }
    of = find(given, a, false, 0);
    if (of)
        Py_SETREF(array, view_in(a, of));
    return array && PyArray_NDIM((PyArrayObject *)array) == 0 ? without_axes(array) : array;
}
