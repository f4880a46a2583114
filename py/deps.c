/* SPDX-License-Identifier: BSD-3-Clause
 * What compiled code took from outside its functions, so that a changed global is noticed
 * at the next call. The cheap test is in py.h (deps_changed): on Python <= 3.11 a dict
 * has a version number; on later ones a watcher counts changes of watched keys. Only when
 * that says "perhaps" does deps_recheck look each name up. A value replaced by an equal
 * number or string is no change. */
#include "py.h"

static PyObject **
slot_of(DepKind k, PyObject *where)
{
    switch (k) {
    case DEP_CELL:
        return &((PyCellObject *)where)->ob_ref;
    case DEP_CODE:
        return &((PyFunctionObject *)where)->func_code;
    case DEP_DEFAULTS:
        return &((PyFunctionObject *)where)->func_defaults;
    case DEP_KW_DEFAULTS:
        return &((PyFunctionObject *)where)->func_kwdefaults;
    case DEP_DICT:
    case DEP_ARRAY:
    case DEP_LIST:
    case DEP_KEYS:
    case DEP_TYPES:
        break;
    }
    return NULL;
}

static Dep *
add_dep(Deps *d, DepKind k, PyObject *where, PyObject *key, PyObject *expect)
{
    if (d->n == d->cap) {
        int cap = d->cap ? d->cap * 2 : 8;
        Dep *at = PyMem_Realloc(d->at, sizeof *at * (size_t)cap);
        if (!at)
            return NULL;
        d->at = at;
        d->cap = cap;
    }
    Dep *p = &d->at[d->n++];
    *p = (Dep){k, Py_NewRef(where), Py_XNewRef(key), Py_XNewRef(expect), slot_of(k, where)};
    return p;
}

static void
record(Deps *d, DepKind k, PyObject *where, PyObject *key, PyObject *value)
{
    for (int i = 0; i < d->n; i++) {
        Dep *p = &d->at[i];
        if (p->kind == k && p->where == where && p->key == key) {
            if (p->expect != value)
                d->frozen = false; /* it changed under us: everything anew at the next call */
            return;
        }
    }
    add_dep(d, k, where, key, value);
}

void
deps_dict(Deps *d, PyObject *dict, PyObject *key, PyObject *value)
{
    record(d, DEP_DICT, dict, key, value);
}

void
deps_cell(Deps *d, PyObject *cell)
{
    record(d, DEP_CELL, cell, NULL, PyCell_GET(cell));
}

void
deps_code(Deps *d, PyObject *func)
{
    record(d, DEP_CODE, func, NULL, PyFunction_GET_CODE(func));
}

/* A function that has none is called with all of its arguments, and goes on to be. */
void
deps_defaults(Deps *d, PyObject *func)
{
    PyObject *defaults = PyFunction_GET_DEFAULTS(func), *kw = PyFunction_GET_KW_DEFAULTS(func);
    PyObject *key, *value;
    Py_ssize_t at = 0;
    if (defaults)
        record(d, DEP_DEFAULTS, func, NULL, defaults);
    if (!kw)
        return;
    record(d, DEP_KW_DEFAULTS, func, NULL, kw);
    while (PyDict_Next(kw, &at, &key, &value))
        deps_dict(d, kw, key, value);
}

/* Method v of the class at that place of an order of inheritance: it stays, and none comes before
 * it. */
void
deps_method(Deps *d, PyObject *mro, Py_ssize_t at, PyObject *name, PyObject *v)
{
    for (Py_ssize_t i = 0; i <= at; i++) {
        PyTypeObject *cls = (PyTypeObject *)PyTuple_GET_ITEM(mro, i);
        if (cls->tp_flags & Py_TPFLAGS_HEAPTYPE)
            deps_dict(d, class_dict(cls), name, i == at ? v : NULL);
    }
}

/* ---- contents -------------------------------------------------------------------------------- */

static bool
has_content(const Dep *p)
{
    return p->kind == DEP_ARRAY || p->kind == DEP_LIST || p->kind == DEP_KEYS ||
           p->kind == DEP_TYPES;
}

static bool
is_recorded(Deps *d, DepKind k, PyObject *where)
{
    for (int i = 0; i < d->n; i++)
        if (d->at[i].kind == k && d->at[i].where == where) {
            d->conflict |= !deps_same_content(&d->at[i]);
            return true;
        }
    return false;
}

/* A small array that may be written is compared byte by byte at each call. */
void
deps_array(Deps *d, PyObject *array, const void *bytes, size_t n)
{
    if (is_recorded(d, DEP_ARRAY, array))
        return;
    PyObject *copy = PyBytes_FromStringAndSize(bytes, (Py_ssize_t)n);
    if (copy) {
        add_dep(d, DEP_ARRAY, array, NULL, copy);
        Py_DECREF(copy);
    }
}

void
deps_list(Deps *d, PyObject *list)
{
    if (is_recorded(d, DEP_LIST, list))
        return;
    PyObject *items = PyList_AsTuple(list);
    if (items) {
        add_dep(d, DEP_LIST, list, NULL, items);
        Py_DECREF(items);
    }
}

/* What ctypes asks of a function's arguments and makes of its result. */
static PyObject *
types_of(PyObject *f)
{
    PyObject *result = PyObject_GetAttrString(f, "restype"),
             *args = PyObject_GetAttrString(f, "argtypes"),
             *check = PyObject_GetAttrString(f, "errcheck"),
             *all = result && args && check ? PyTuple_Pack(3, result, args, check) : NULL;
    Py_XDECREF(result);
    Py_XDECREF(args);
    Py_XDECREF(check);
    PyErr_Clear();
    return all;
}

void
deps_types(Deps *d, PyObject *function)
{
    if (is_recorded(d, DEP_TYPES, function))
        return;
    PyObject *types = types_of(function);
    if (types)
        add_dep(d, DEP_TYPES, function, NULL, types);
    Py_XDECREF(types);
}

static bool
same_types(PyObject *f, PyObject *types)
{
    PyObject *now = types_of(f);
    bool same = now != NULL;
    for (Py_ssize_t i = 0; same && i < PyTuple_GET_SIZE(types); i++)
        same = PyTuple_GET_ITEM(now, i) == PyTuple_GET_ITEM(types, i);
    Py_XDECREF(now);
    return same;
}

static PyObject *
all_items(PyObject *dict)
{
    PyObject *list = PyDict_Items(dict), *items = list ? PyList_AsTuple(list) : NULL;
    Py_XDECREF(list);
    return items;
}

void
deps_keys(Deps *d, PyObject *dict)
{
    if (is_recorded(d, DEP_KEYS, dict))
        return;
    PyObject *items = all_items(dict);
    if (items) {
        add_dep(d, DEP_KEYS, dict, NULL, items);
        Py_DECREF(items);
    }
}

/* The same objects by the same keys, in one order. */
static bool
same_items(PyObject *dict, PyObject *items)
{
    PyObject *key, *value;
    Py_ssize_t at = 0, i = 0, n = PyTuple_GET_SIZE(items);
    if (PyDict_GET_SIZE(dict) != n)
        return false;
    while (PyDict_Next(dict, &at, &key, &value)) {
        PyObject *pair = PyTuple_GET_ITEM(items, i++);
        if (PyTuple_GET_ITEM(pair, 0) != key || PyTuple_GET_ITEM(pair, 1) != value)
            return false;
    }
    return true;
}

static bool
same_bytes(PyArrayObject *a, PyObject *bytes)
{
    if (PyArray_NBYTES(a) != PyBytes_GET_SIZE(bytes))
        return false;
    if (PyArray_IS_C_CONTIGUOUS(a))
        return !memcmp(PyArray_DATA(a), PyBytes_AS_STRING(bytes), (size_t)PyBytes_GET_SIZE(bytes));
    PyObject *flat = PyArray_NewCopy(a, NPY_CORDER);
    bool same = flat && same_bytes((PyArrayObject *)flat, bytes);
    PyErr_Clear();
    Py_XDECREF(flat);
    return same;
}

bool
deps_same_content(const Dep *p)
{
    if (p->kind == DEP_ARRAY)
        return same_bytes((PyArrayObject *)p->where, p->expect);
    if (p->kind == DEP_KEYS)
        return same_items(p->where, p->expect);
    if (p->kind == DEP_TYPES)
        return same_types(p->where, p->expect);
    Py_ssize_t n = PyTuple_GET_SIZE(p->expect);
    if (PyList_GET_SIZE(p->where) != n)
        return false;
    for (Py_ssize_t i = 0; i < n; i++)
        if (PyList_GET_ITEM(p->where, i) != PyTuple_GET_ITEM(p->expect, i))
            return false;
    return true;
}

/* ---- noticing -------------------------------------------------------------------------------- */

#if PY_VERSION_HEX >= 0x030C0000
uint64_t deps_epoch = 1;
static int watcher = -1;
static PyObject *watched; /* set of keys; dicts change all the time, these keys rarely */

static int
on_change(PyDict_WatchEvent event, PyObject *dict, PyObject *key, PyObject *value)
{
    (void)dict, (void)value;
    /* Of other keys only their own code tells whether they are one of those. */
    bool plain = key && (PyUnicode_CheckExact(key) || PyLong_CheckExact(key));
    if (!plain || event == PyDict_EVENT_CLONED || event == PyDict_EVENT_CLEARED ||
        event == PyDict_EVENT_DEALLOCATED) {
        deps_epoch++;
    } else if (watched) {
        PyObject *saved = PyErr_GetRaisedException();
        if (PySet_Contains(watched, key) != 0)
            deps_epoch++;
        PyErr_Clear();
        PyErr_SetRaisedException(saved);
    }
    return 0;
}

static void
watch(Deps *d)
{
    if (watcher < 0)
        watcher = PyDict_AddWatcher(on_change);
    if (!watched)
        watched = PySet_New(NULL);
    if (watcher < 0)
        PyErr_Clear();
    for (int i = 0; i < d->n; i++) {
        if (d->at[i].kind != DEP_DICT)
            continue;
        if (watcher < 0 || !watched || PySet_Add(watched, d->at[i].key) < 0 ||
            PyDict_Watch(watcher, d->at[i].where) < 0)
            PyErr_Clear();
    }
    /* Without a watcher the epoch never agrees, and each call looks the names up. */
    d->epoch = watcher < 0 ? 0 : deps_epoch;
}
#else

static void
watch(Deps *d)
{
    PyMem_Free(d->dicts);
    d->n_dicts = 0;
    d->dicts = PyMem_Calloc((size_t)d->n + 1, sizeof *d->dicts);
    for (int i = 0; d->dicts && i < d->n; i++) {
        if (d->at[i].kind != DEP_DICT)
            continue;
        PyObject *dict = d->at[i].where;
        int k = 0;
        while (k < d->n_dicts && d->dicts[k].dict != dict)
            k++;
        if (k == d->n_dicts)
            d->dicts[d->n_dicts++] = (struct DepDict){dict, ((PyDictObject *)dict)->ma_version_tag};
    }
}
#endif

/* Cells and their like come first: they are compared at each call. */
static void
sort_deps(Deps *d)
{
    int k = 0;
    for (int i = 0; i < d->n; i++) {
        if (d->at[i].kind == DEP_DICT)
            continue;
        Dep p = d->at[i];
        memmove(&d->at[k + 1], &d->at[k], sizeof p * (size_t)(i - k));
        d->at[k++] = p;
    }
}

void
deps_merge(Deps *d, Deps *from)
{
    for (int i = 0; i < from->n; i++) {
        Dep *p = &from->at[i];
        if (has_content(p)) {
            if (!is_recorded(d, p->kind, p->where))
                add_dep(d, p->kind, p->where, NULL, p->expect);
        } else {
            record(d, p->kind, p->where, p->key, p->expect);
        }
    }
    d->conflict |= from->conflict;
    deps_clear(from);
    sort_deps(d);
    watch(d);
    d->frozen = !d->conflict;
}

void
deps_merge_late(Deps *d, Deps *from)
{
    if (!from->n && !from->conflict)
        return;
    deps_merge(d, from);
#if PY_VERSION_HEX >= 0x030C0000
    d->epoch = 0;
#else
    for (int i = 0; i < d->n_dicts; i++)
        d->dicts[i].version = 0;
#endif
}

static bool
same_value(PyObject *a, PyObject *b)
{
    if (a == b)
        return true;
    if (!a || !b || Py_TYPE(a) != Py_TYPE(b))
        return false;
    if (PyFloat_CheckExact(a)) {
        double x = PyFloat_AS_DOUBLE(a), y = PyFloat_AS_DOUBLE(b);
        return !memcmp(&x, &y, sizeof x);
    }
    if (PyLong_CheckExact(a) || PyUnicode_CheckExact(a) || PyBytes_CheckExact(a))
        return PyObject_RichCompareBool(a, b, Py_EQ) == 1;
    return false;
}

static bool
is_simple(PyObject *o)
{
    return o &&
           (PyLong_CheckExact(o) || PyFloat_CheckExact(o) || PyComplex_CheckExact(o) ||
            PyUnicode_CheckExact(o) || PyBytes_CheckExact(o) || PyBool_Check(o) || o == Py_None);
}

bool
deps_may_return(const Deps *d)
{
    for (int i = 0; i < d->n; i++) {
        const Dep *p = &d->at[i];
        if (has_content(p)) {
            if (!deps_same_content(p))
                return false;
            continue;
        }
        PyObject *now = p->slot ? *p->slot : PyDict_GetItem(p->where, p->key);
        bool named = p->kind == DEP_DICT || p->kind == DEP_CELL;
        if (!same_value(now, p->expect) && !(named && is_simple(p->expect)))
            return false;
    }
    return d->frozen;
}

bool
deps_content_changed(const Deps *d)
{
    bool changed = false;
    for (int i = 0; i < d->n && !changed; i++)
        changed = has_content(&d->at[i]) && !deps_same_content(&d->at[i]);
    return changed;
}

bool
deps_recheck(Deps *d)
{
    if (!d->frozen)
        return true;
    for (int i = 0; i < d->n; i++) {
        Dep *p = &d->at[i];
        if (has_content(p) && !deps_same_content(p))
            return true;
        if (has_content(p))
            continue;
        PyObject *now = p->slot ? *p->slot : PyDict_GetItem(p->where, p->key);
        if (!same_value(now, p->expect))
            return true;
        if (now != p->expect)
            Py_XSETREF(p->expect, Py_XNewRef(now));
    }
#if PY_VERSION_HEX >= 0x030C0000
    d->epoch = watcher < 0 ? 0 : deps_epoch;
#else
    for (int i = 0; i < d->n_dicts; i++)
        d->dicts[i].version = ((PyDictObject *)d->dicts[i].dict)->ma_version_tag;
#endif
    return false;
}

void
deps_clear(Deps *d)
{
    Dep *at = d->at;
    int n = d->n;
#if PY_VERSION_HEX < 0x030C0000
    PyMem_Free(d->dicts);
#endif
    memset(d, 0, sizeof *d); /* first: decrefs may run anything */
    for (int i = 0; i < n; i++) {
        Py_DECREF(at[i].where);
        Py_XDECREF(at[i].key);
        Py_XDECREF(at[i].expect);
    }
    PyMem_Free(at);
}

int
deps_visit(Deps *d, visitproc visit, void *arg)
{
    for (int i = 0; i < d->n; i++) {
        Py_VISIT(d->at[i].where);
        Py_VISIT(d->at[i].expect);
    }
    return 0;
}
