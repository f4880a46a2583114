/* SPDX-License-Identifier: BSD-3-Clause
 * The classes of the module collections, and frozenset, as arguments and results: which class of
 * objects stands for one, an empty one for an object, and what is written back to a deque or an
 * OrderedDict, whose order is not that of a dict. */
#include "heap_quick.h"

/* Borrowed. */
static PyObject *
class_named(const char *name)
{
    PyObject *m = late_import("collections"), *c = NULL;
    if (m)
        c = PyDict_GetItemString(PyModule_GetDict(m), name);
    Py_XDECREF(m);
    PyErr_Clear();
    return c;
}

static PyObject *
factory_of(PyObject *o)
{
    PyObject *f = PyObject_GetAttrString(o, "default_factory");
    PyErr_Clear();
    Py_XDECREF(f); /* the dict has it */
    return f;
}

/* What an object of values of this type makes for a key that is not there; NULL: it can't be told.
 * Borrowed. */
static PyObject *
factory_for(const Type *v)
{
    if (v->kind == TY_REF) {
        const HeapClass *c = v->ref;
        return c == &heap_list   ? (PyObject *)&PyList_Type
               : c == &heap_dict ? (PyObject *)&PyDict_Type
               : c == &heap_set  ? (PyObject *)&PySet_Type
                                 : class_named(c->name);
    }
    bool plain = v->kind == TY_SCALAR && v->weak;
    return plain && v->dtype == DT_i64    ? (PyObject *)&PyLong_Type
           : plain && v->dtype == DT_f64  ? (PyObject *)&PyFloat_Type
           : plain && v->dtype == DT_bool ? (PyObject *)&PyBool_Type
           : plain && v->dtype == DT_c128 ? (PyObject *)&PyComplex_Type
                                          : NULL;
}

/* One whose values are what its factory makes, as far as the first one tells. */
static bool
tells_values(PyObject *o)
{
    PyObject *f = factory_of(o), *k, *v;
    Py_ssize_t pos = 0;
    if (!f || !PyType_Check(f))
        return false;
    return (!PyDict_Next(o, &pos, &k, &v) || (PyObject *)Py_TYPE(v) == f) &&
           (f == (PyObject *)&PyLong_Type || f == (PyObject *)&PyFloat_Type ||
            f == (PyObject *)&PyBool_Type || f == (PyObject *)&PyComplex_Type ||
            f == (PyObject *)&PyList_Type || f == (PyObject *)&PySet_Type ||
            f == (PyObject *)&PyDict_Type || f == class_named("deque") ||
            f == class_named("Counter") || f == class_named("OrderedDict"));
}

PyObject *
heap_sample(PyObject *dict)
{
    static PyObject *made; /* factory -> one of its values */
    if (PyDict_GET_SIZE(dict) || heap_class_of_collection(dict) != &heap_defaultdict)
        return NULL;
    PyObject *f = factory_of(dict), *v = NULL;
    if (!made)
        made = PyDict_New();
    if (f && made && !(v = PyDict_GetItem(made, f))) {
        v = PyObject_CallNoArgs(f);
        if (v && PyDict_SetItem(made, f, v) < 0)
            Py_CLEAR(v);
        Py_XDECREF(v);
    }
    PyErr_Clear();
    return v;
}

const HeapClass *
heap_class_of_collection(PyObject *o)
{
    PyTypeObject *t = Py_TYPE(o);
    if (t == &PyFrozenSet_Type)
        return &heap_frozenset;
    const char *dot = strrchr(t->tp_name, '.'), *name = dot ? dot + 1 : t->tp_name;
    const HeapClass *c = !strcmp(name, "deque")         ? &heap_deque
                         : !strcmp(name, "OrderedDict") ? &heap_OrderedDict
                         : !strcmp(name, "Counter")     ? &heap_Counter
                         : !strcmp(name, "defaultdict") ? &heap_defaultdict
                                                        : NULL;
    if (!c || class_named(name) != (PyObject *)t)
        return NULL;
    return c == &heap_defaultdict && !tells_values(o) ? NULL : c;
}

/* An empty object of Python's for one of ours, which has these words. */
PyObject *
heap_new_collection(const Type *t, const uint64_t *words)
{
    const HeapClass *c = t->ref;
    PyObject *cls = c == &heap_defaultdict_of ? NULL : class_named(c->name), *r = NULL;
    if (c == &heap_defaultdict) {
        PyObject *f = factory_for(t->elems[1]);
        r = f && cls ? PyObject_CallFunctionObjArgs(cls, f, NULL) : NULL;
    } else if (c == &heap_deque) {
        PyObject *none = PyTuple_New(0),
                 *most = words[2] ? PyLong_FromLongLong((int64_t)words[2] - 1) : Py_NewRef(Py_None);
        r = cls && none && most ? PyObject_CallFunctionObjArgs(cls, none, most, NULL) : NULL;
        Py_XDECREF(none);
        Py_XDECREF(most);
    } else if (cls) {
        r = PyObject_CallNoArgs(cls);
    }
    if (!r && !PyErr_Occurred())
        PyErr_Format(PyExc_TypeError, "%s can't be given to Python: return dict(d)", t->text);
    return r;
}

static int64_t
place_of(const Type *t, const uint64_t *words, int64_t i)
{
    int64_t room = (int64_t)words[heap_column(t, 0) + 2], at = (int64_t)words[1] + i;
    return at >= room ? at - room : at;
}

/* Calls a method that yields nothing of interest; -1: an exception. */
static int
call(PyObject *o, const char *method, PyObject *arg)
{
    PyObject *name = PyUnicode_FromString(method),
             *r = name ? PyObject_CallMethodObjArgs(o, name, arg, NULL) : NULL;
    Py_XDECREF(name);
    Py_XDECREF(r);
    return r ? 0 : -1;
}

int
heap_box_deque(Frame *f, const Type *t, const uint64_t *words, PyObject *into)
{
    for (int64_t i = 0; i < (int64_t)words[0]; i++) {
        PyObject *v = heap_element_of(f, t, 0, words, place_of(t, words, i));
        int r = v ? call(into, "append", v) : -1;
        Py_XDECREF(v);
        if (r < 0)
            return -1;
    }
    return 0;
}

int
heap_write_deque(Frame *f, const HeapHeld *h)
{
    const Type *t = h->type;
    const uint64_t *words = h->mem->data;
    int64_t n = (int64_t)words[0];
    PyObject *was = PySequence_List(h->object), *now = was ? PyList_New(0) : NULL;
    bool same = was && PyList_GET_SIZE(was) == n, bad = !now;
    for (int64_t i = 0; i < n && !bad; i++) {
        int64_t k = place_of(t, words, i);
        int at = heap_column(t, 0);
        bool is = i < PyList_GET_SIZE(was) &&
                  heap_is_same(f, t->elems[0], PyList_GET_ITEM(was, i), words, &at, k);
        PyObject *v = is ? Py_NewRef(PyList_GET_ITEM(was, i)) : heap_element_of(f, t, 0, words, k);
        same &= is;
        bad = !v || PyList_Append(now, v) < 0;
        Py_XDECREF(v);
    }
    if (!bad && !same)
        bad = call(h->object, "clear", NULL) < 0 || call(h->object, "extend", now) < 0;
    Py_XDECREF(was);
    Py_XDECREF(now);
    return bad ? -1 : 0;
}

int
heap_write_ordered(Frame *f, const HeapHeld *h)
{
    const Type *t = h->type;
    const uint64_t *words = h->mem->data;
    PyObject *keys = PySequence_List(h->object), *now = keys ? PyList_New(0) : NULL;
    bool same = keys && PyList_GET_SIZE(keys) == (int64_t)words[0], bad = !now;
    Py_ssize_t i = 0;
    for (int64_t e = 0; e < (int64_t)words[1] && !bad; e++) {
        if (!heap_is_alive(t, words, e))
            continue;
        int at = heap_column(t, 1);
        PyObject *was = same ? PyList_GET_ITEM(keys, i++) : NULL;
        bool is = was && heap_is_same(f, t->elems[0], was, words, &at, e);
        PyObject *k = is ? Py_NewRef(was) : heap_element_of(f, t, 1, words, e),
                 *v = k ? PyDict_GetItemWithError(h->object, k) : NULL;
        at = heap_column(t, 2);
        bool stays = v && heap_is_same(f, t->elems[1], v, words, &at, e);
        same &= is && stays;
        v = stays                    ? Py_NewRef(v)
            : k && !PyErr_Occurred() ? heap_element_of(f, t, 2, words, e)
                                     : NULL;
        PyObject *pair = v ? PyTuple_Pack(2, k, v) : NULL;
        bad = !pair || PyList_Append(now, pair) < 0;
        Py_XDECREF(k);
        Py_XDECREF(v);
        Py_XDECREF(pair);
    }
    if (!bad && !same)
        bad = call(h->object, "clear", NULL) < 0 || call(h->object, "update", now) < 0;
    Py_XDECREF(keys);
    Py_XDECREF(now);
    return bad ? -1 : 0;
}

/* Keys and values in the order that Python goes through them. */
bool
heap_take_ordered(HeapIn *h, const Type *t, PyObject *o, uint64_t *w, int64_t n)
{
    PyObject *keys = PySequence_List(o);
    bool fine = keys && PyList_GET_SIZE(keys) == n;
    for (int64_t i = 0; fine && i < n; i++) {
        int at = heap_column(t, 1);
        PyObject *k = PyList_GET_ITEM(keys, i), *v = PyDict_GetItemWithError(o, k);
        h->keys = true;
        fine = v && heap_take_element(h, t->elems[0], k, w, &at, i);
        h->keys = false;
        fine = fine && heap_take_element(h, t->elems[1], v, w, &at, i);
    }
    Py_XDECREF(keys);
    if (!fine && !PyErr_Occurred())
        PyErr_SetString(PyExc_RuntimeError, "OrderedDict mutated during iteration");
    return fine;
}

bool
heap_take_deque(HeapIn *h, const Type *t, PyObject *o, uint64_t *w, int64_t n)
{
    PyObject *all = PySequence_List(o), *most = PyObject_GetAttrString(o, "maxlen");
    bool fine = all && most && PyList_GET_SIZE(all) == n;
    for (int64_t i = 0; fine && i < n; i++) {
        int at = heap_column(t, 0);
        fine = heap_take_element(h, t->elems[0], PyList_GET_ITEM(all, i), w, &at, i);
    }
    if (fine && most != Py_None)
        w[2] = (uint64_t)PyLong_AsLongLong(most) + 1;
    Py_XDECREF(all);
    Py_XDECREF(most);
    if (!fine && !PyErr_Occurred())
        PyErr_SetString(PyExc_RuntimeError, "deque mutated during iteration");
    return fine;
}

/* Taking an element may run Python, a finalizer say, which may shorten the list. */
bool
heap_take_list(HeapIn *h, const Type *t, PyObject *o, uint64_t *w, int64_t n)
{
    Column quick = heap_quick(t, 0, w);
    for (int64_t i = 0; i < n; i++) {
        int at = heap_column(t, 0);
        if (i >= (int64_t)PyList_GET_SIZE(o)) {
            PyErr_SetString(PyExc_RuntimeError, "list changed size during iteration");
            return false;
        }
        PyObject *v = PyList_GET_ITEM(o, (Py_ssize_t)i);
        if (column_take(h->f, quick, v, i))
            continue;
        Py_INCREF(v);
        bool fine = heap_take_element(h, t->elems[0], v, w, &at, i);
        Py_DECREF(v);
        if (!fine)
            return false;
    }
    return true;
}

bool
heap_take_row(HeapIn *h, const Type *t, PyObject *tuple, uint64_t *w, int64_t n)
{
    PyObject *list = PySequence_List(tuple);
    bool taken = list && heap_take_list(h, t, list, w, n);
    Py_XDECREF(list);
    return taken;
}

/* ---- ranges ---------------------------------------------------------------------------------- */

PyObject *
box_range(int64_t start, int64_t stop, int64_t step)
{
    return PyObject_CallFunction((PyObject *)&PyRange_Type, "LLL", (long long)start,
                                 (long long)stop, (long long)step);
}

bool
heap_range(PyObject *o, int64_t part[3])
{
    static const char *const name[] = {"start", "stop", "step"};
    bool fits = true;
    for (int i = 0; i < 3 && fits; i++) {
        int over = 0;
        PyObject *v = PyObject_GetAttrString(o, name[i]);
        part[i] = v ? PyLong_AsLongLongAndOverflow(v, &over) : 0;
        fits = v && !over;
        Py_XDECREF(v);
    }
    return fits;
}

/* As three columns of a container. */
PyObject *
heap_range_at(const uint64_t *words, int *at, int64_t i)
{
    int64_t part[3];
    for (int k = 0; k < 3; k++, *at += 3)
        part[k] = ((const int64_t *)(uintptr_t)words[*at + 1])[i];
    return box_range(part[0], part[1], part[2]);
}

bool
heap_take_range(PyObject *o, const uint64_t *words, int *at, int64_t i)
{
    int64_t part[3];
    if (!PyRange_Check(o) || !heap_range(o, part))
        return false;
    for (int k = 0; k < 3; k++, *at += 3)
        ((int64_t *)(uintptr_t)words[*at + 1])[i] = part[k];
    return true;
}

bool
heap_is_range(PyObject *o, const uint64_t *words, int *at, int64_t i)
{
    int64_t part[3];
    bool same = PyRange_Check(o) && heap_range(o, part);
    for (int k = 0; k < 3; k++, *at += 3)
        same = same && ((const int64_t *)(uintptr_t)words[*at + 1])[i] == part[k];
    return same;
}

bool
heap_is_alive(const Type *t, const uint64_t *words, int64_t e)
{
    return ((const int64_t *)(uintptr_t)words[heap_column(t, 3) + 1])[e] >= 0;
}
