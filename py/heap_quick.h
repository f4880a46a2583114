/* SPDX-License-Identifier: BSD-3-Clause
 * Columns of Python's own floats, ints, bools and strings, an element at a time, for loops over all
 * of them: what each element is is decided once. Whatever is not of that kind is left to the
 * functions of heap.c. */
#ifndef SWATHE_HEAP_QUICK_H
#define SWATHE_HEAP_QUICK_H
#include "py.h"

typedef enum ColumnKind {
    COLUMN_OTHER,
    COLUMN_FLOAT,
    COLUMN_INT,
    COLUMN_BOOL,
    COLUMN_TEXT
} ColumnKind;

typedef struct Column {
    ColumnKind kind;
    void *data;
} Column;

static inline Column
heap_quick(const Type *t, int group, const uint64_t *words)
{
    const HeapClass *c = t->ref;
    int of = group < c->n_groups ? c->group[group] : -1;
    const Type *e = of >= 0 ? t->elems[of] : NULL;
    bool plain = e && e->kind == TY_SCALAR && e->weak && !e->names;
    ColumnKind k = !e                             ? COLUMN_OTHER
                   : type_is_str(e)               ? COLUMN_TEXT
                   : plain && e->dtype == DT_f64  ? COLUMN_FLOAT
                   : plain && e->dtype == DT_i64  ? COLUMN_INT
                   : plain && e->dtype == DT_bool ? COLUMN_BOOL
                                                  : COLUMN_OTHER;
    return (Column){k, k ? (void *)(uintptr_t)words[heap_column(t, group) + 1] : NULL};
}

/* False: it is none, or does not fit. */
static inline bool
whole_number(PyObject *o, int64_t *v)
{
    int over = 0;
    if (!PyLong_CheckExact(o))
        return false;
#if PY_VERSION_HEX < 0x030c0000
    Py_ssize_t size = Py_SIZE(o);
    if (size >= -1 && size <= 1) {
        *v = size * (int64_t)((PyLongObject *)o)->ob_digit[0];
        return true;
    }
#endif
    *v = PyLong_AsLongLongAndOverflow(o, &over);
    return !over;
}

/* False: heap_take_element does it, or says why not. */
static inline bool
column_take(Frame *f, Column c, PyObject *o, int64_t i)
{
    if (c.kind == COLUMN_FLOAT && PyFloat_CheckExact(o)) {
        ((double *)c.data)[i] = PyFloat_AS_DOUBLE(o);
        return true;
    }
    if (c.kind == COLUMN_INT)
        return whole_number(o, &((int64_t *)c.data)[i]);
    if (c.kind == COLUMN_BOOL && PyBool_Check(o)) {
        ((uint8_t *)c.data)[i] = o == Py_True;
        return true;
    }
    if (c.kind == COLUMN_TEXT && PyUnicode_CheckExact(o))
        return (((SwMem **)c.data)[i] = text_take(f, o)) != NULL;
    return false;
}

/* False: it may still be. */
static inline bool
column_is(const Frame *f, Column c, PyObject *o, int64_t i)
{
    int64_t v;
    if (c.kind == COLUMN_FLOAT)
        return PyFloat_CheckExact(o) &&
               !memcmp(&((double *)c.data)[i], &((PyFloatObject *)o)->ob_fval, sizeof(double));
    if (c.kind == COLUMN_INT)
        return whole_number(o, &v) && v == ((int64_t *)c.data)[i];
    if (c.kind == COLUMN_BOOL)
        return PyBool_Check(o) && ((uint8_t *)c.data)[i] == (o == Py_True);
    return c.kind == COLUMN_TEXT && text_is_box(f, ((SwMem **)c.data)[i], o);
}

/* A new reference; of a kind. */
static inline PyObject *
column_box(const Frame *f, Column c, int64_t i)
{
    if (c.kind == COLUMN_FLOAT)
        return PyFloat_FromDouble(((double *)c.data)[i]);
    if (c.kind == COLUMN_INT)
        return PyLong_FromLongLong(((int64_t *)c.data)[i]);
    if (c.kind == COLUMN_BOOL)
        return PyBool_FromLong(((uint8_t *)c.data)[i]);
    return text_box_words(f, NULL, ((SwMem **)c.data)[i]->data);
}
#endif
