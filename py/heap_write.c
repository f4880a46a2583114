/* SPDX-License-Identifier: BSD-3-Clause
 * What a function has changed in the lists, dicts and sets that it was given is written back to
 * them: elements that are as they were stay the Python objects that they are. */
#include "heap_quick.h"

/* Is element i what item k of the list is? */
static bool
item_is(Frame *f, const HeapHeld *h, Column quick, Py_ssize_t k, int64_t i)
{
    PyObject *o = PyList_GET_ITEM(h->object, k);
    int at = heap_column(h->type, 0);
    return column_is(f, quick, o, i) || heap_is_same(f, h->type->elems[0], o, h->mem->data, &at, i);
}

/* Of another length: what was put in or taken out lies between items that are as they were, at the
 * beginning and at the end. */
static int
write_between(Frame *f, const HeapHeld *h, Column quick, Py_ssize_t n, Py_ssize_t old)
{
    Py_ssize_t least = n < old ? n : old, first = 0, last = 0;
    while (first < least && item_is(f, h, quick, first, first))
        first++;
    while (last < least - first && item_is(f, h, quick, old - 1 - last, n - 1 - last))
        last++;
    PyObject *between = PyList_New(n - last - first);
    if (!between)
        return -1;
    int r = 0;
    for (Py_ssize_t i = first; r == 0 && i < n - last; i++) {
        bool same = i < PyList_GET_SIZE(h->object) - last && item_is(f, h, quick, i, i);
        PyObject *v = same ? Py_NewRef(PyList_GET_ITEM(h->object, i))
                           : heap_element_of(f, h->type, 0, h->mem->data, i);
        if (v)
            PyList_SET_ITEM(between, i - first, v);
        r = v ? 0 : -1;
    }
    if (r == 0)
        r = PyList_SetSlice(h->object, first, old - last, between);
    Py_DECREF(between);
    return r;
}

static int
write_list(Frame *f, const HeapHeld *h)
{
    const uint64_t *words = h->mem->data;
    Py_ssize_t n = (Py_ssize_t)words[0];
    PyObject *list = h->object;
    Column quick = heap_quick(h->type, 0, words);
    if (n != PyList_GET_SIZE(list))
        return write_between(f, h, quick, n, PyList_GET_SIZE(list));
    for (Py_ssize_t i = 0; i < n && i < PyList_GET_SIZE(list); i++) {
        if (item_is(f, h, quick, i, i))
            continue;
        PyObject *v = heap_element_of(f, h->type, 0, words, i);
        if (!v || PyList_SetItem(list, i, v) < 0)
            return -1;
    }
    return 0;
}

/* The same keys in the same order: only values may be others. 1: there are other keys. */
static int
write_values(Frame *f, const HeapHeld *h)
{
    const Type *t = h->type;
    const uint64_t *words = h->mem->data;
    PyObject *k, *v;
    Py_ssize_t pos = 0;
    int64_t e = 0, used = (int64_t)words[1];
    const int64_t *hash = (const int64_t *)(uintptr_t)words[heap_column(t, 3) + 1];
    Column keys = heap_quick(t, 1, words), values = heap_quick(t, 2, words);
    int key_at = heap_column(t, 1), value_at = heap_column(t, 2), at;
    if ((int64_t)words[0] != (int64_t)PyDict_GET_SIZE(h->object))
        return 1;
    for (; PyDict_Next(h->object, &pos, &k, &v); e++) {
        while (e < used && hash[e] < 0)
            e++;
        at = key_at;
        if (e == used ||
            (!column_is(f, keys, k, e) && !heap_is_same(f, t->elems[0], k, words, &at, e)))
            return 1;
        at = value_at;
        if (column_is(f, values, v, e) || heap_is_same(f, t->elems[1], v, words, &at, e))
            continue;
        PyObject *now = heap_element_of(f, t, 2, words, e);
        int r = now ? PyDict_SetItem(h->object, k, now) : -1;
        Py_XDECREF(now);
        if (r < 0)
            return -1;
    }
    return 0;
}

static int
write_dict(Frame *f, const HeapHeld *h)
{
    const Type *t = h->type;
    const uint64_t *words = h->mem->data;
    int r = write_values(f, h);
    if (r <= 0)
        return r;
    PyObject *now = PyDict_New();
    r = now ? 0 : -1;
    for (int64_t e = 0; r == 0 && e < (int64_t)words[1]; e++) {
        if (!heap_is_alive(t, words, e))
            continue;
        PyObject *k = heap_element_of(f, t, 1, words, e),
                 *v = k ? PyDict_GetItemWithError(h->object, k) : NULL;
        int at = heap_column(t, 2);
        v = v && heap_is_same(f, t->elems[1], v, words, &at, e) ? Py_NewRef(v)
            : k && !PyErr_Occurred()                            ? heap_element_of(f, t, 2, words, e)
                                                                : NULL;
        r = v ? PyDict_SetItem(now, k, v) : -1;
        Py_XDECREF(k);
        Py_XDECREF(v);
    }
    if (r == 0) {
        PyDict_Clear(h->object);
        r = PyDict_Update(h->object, now);
        /* what it was is gone, and so its memory is free */
        if (r < 0 && PyErr_ExceptionMatches(PyExc_MemoryError)) {
            PyErr_Clear();
            r = PyDict_Update(h->object, now);
        }
    }
    Py_XDECREF(now);
    return r;
}

/* Members that are in both stay the objects that they are. */
static int
write_set(Frame *f, const HeapHeld *h)
{
    const uint64_t *words = h->mem->data;
    PyObject *now = PySet_New(NULL), *gone = NULL, *r = NULL;
    bool bad = !now, same = now && (int64_t)words[0] == (int64_t)PySet_GET_SIZE(h->object);
    for (int64_t e = 0; !bad && e < (int64_t)words[1]; e++) {
        PyObject *k =
            heap_is_alive(h->type, words, e) ? heap_element_of(f, h->type, 1, words, e) : NULL;
        int has = k ? PySet_Contains(h->object, k) : 1;
        bad = (!k && heap_is_alive(h->type, words, e)) || has < 0 || (k && PySet_Add(now, k) < 0);
        same &= has == 1;
        Py_XDECREF(k);
    }
    if (!bad && !same) {
        gone = PyNumber_Subtract(h->object, now);
        r = gone ? PyNumber_InPlaceSubtract(h->object, gone) : NULL;
        Py_XDECREF(r);
        r = r ? PyNumber_InPlaceOr(h->object, now) : NULL;
        Py_XDECREF(r);
        bad = !r;
    }
    Py_XDECREF(now);
    Py_XDECREF(gone);
    return bad ? -1 : 0;
}

/* The function has run: what it has changed is written back. An exception that is on its way
 * stays. */
int
heap_write_back(Frame *f)
{
    PyObject *type, *value, *trace;
    int r = 0;
    PyErr_Fetch(&type, &value, &trace);
    for (int i = 0, n = f->n_held; i < n && r == 0; i++) {
        HeapHeld h = f->held[i]; /* there may be more of them meanwhile */
        if (h.type)
            r = h.type->kind == TY_OBJ               ? object_write(f, &h)
                : PyList_CheckExact(h.object)        ? write_list(f, &h)
                : type_heap_has(h.type, HEAP_PACKED) ? heap_write_packed(&h)
                : h.type->ref == &heap_deque         ? heap_write_deque(f, &h)
                : h.type->ref == &heap_OrderedDict   ? heap_write_ordered(f, &h)
                : PyDict_Check(h.object)             ? write_dict(f, &h)
                : PySet_CheckExact(h.object)         ? write_set(f, &h)
                                                     : 0; /* a frozenset */
    }
    if (type)
        PyErr_Restore(type, value, trace);
    return r;
}
