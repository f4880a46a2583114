/* SPDX-License-Identifier: BSD-3-Clause
 * Elements of one type or another (type/either.c), in the columns of a container: a tag and a value
 * for each type. Takes Python's object; yields which of the types it has, or it from its column. */
#include "heap.h"

/* What is there of several; all are walked. */
PyObject *
heap_either(Frame *f, const Type *t, const uint64_t *words, int *at, int64_t i)
{
    PyObject *found = NULL;
    bool failed = false;
    for (int k = 0; k < t->n; k++) {
        PyObject *v = heap_element(f, t->elems[k], words, at, i);
        failed |= !v;
        if (v && v != Py_None && !found)
            found = v;
        else
            Py_XDECREF(v);
    }
    if (failed)
        Py_CLEAR(found);
    return failed || found ? found : Py_NewRef(Py_None);
}

/* Is it a value of that type, of those that an element may be of? What it holds is asked later.
 * widens: an int is a float, too. */
static bool
is_member(HeapIn *h, const Type *t, PyObject *o, bool widens)
{
    if (t->kind == TY_OPTIONAL)
        return o == Py_None || is_member(h, t->elems[1], o, widens);
    if (t->kind == TY_SCALAR && !t->weak)
        return PyArray_IsScalar(o, Generic) && args_npscalar_dtype(o) == (int)t->dtype;
    if (t->kind == TY_SCALAR && !t->names)
        return PyBool_Check(o)         ? t->dtype == DT_bool
               : PyLong_CheckExact(o)  ? t->dtype == DT_i64 || (widens && t->dtype == DT_f64)
               : PyFloat_CheckExact(o) ? t->dtype == DT_f64
                                       : PyComplex_CheckExact(o) && t->dtype == DT_c128;
    if (t->kind == TY_REF)
        return heap_class_of(o) == t->ref;
    if (t->kind == TY_TEXT)
        return text_fits(t, o) && !PyErr_Occurred();
    if (t->kind == TY_ARRAY)
        return heap_array_fits(t, o);
    if (t->kind == TY_OBJ)
        return object_fits(o, type_class(t));
    for (int k = 0; t->kind == TY_EITHER && k < t->n; k++)
        if (is_member(h, t->elems[k]->elems[1], o, widens))
            return true;
    if (t->kind != TY_TUPLE)
        return false;
    PyObject *tuple = foreign_as_tuple(t, o);
    bool is = tuple && heap_is_tuple(h->f, t, tuple);
    for (int k = 0; is && k < t->n; k++)
        is = is_member(h, t->elems[k], PyTuple_GET_ITEM(tuple, k), widens);
    PyErr_Clear();
    Py_XDECREF(tuple);
    return is;
}

bool
heap_take_either(HeapIn *h, const Type *t, PyObject *o, const uint64_t *words, int *at, int64_t i)
{
    int found = -1, n = 0;
    for (int k = 0; k < 2 * t->n && (k < t->n || !n); k++)
        if (is_member(h, t->elems[k % t->n]->elems[1], o, k >= t->n)) {
            found = k % t->n;
            n++;
        }
    if (n != 1)
        return heap_refuse_element(h, t, o, i);
    bool ok = true;
    for (int k = 0; k < t->n && ok; k++)
        ok = heap_take_element(h, t->elems[k], k == found ? o : Py_None, words, at, i);
    return ok;
}

bool
heap_is_either(const Frame *f, const Type *t, PyObject *o, const uint64_t *words, int *at,
               int64_t i)
{
    bool same = false;
    for (int k = 0; k < t->n; k++) /* of what is not there, the tag says so */
        same |= heap_is_same(f, t->elems[k], o, words, at, i) && o != Py_None;
    return same;
}
