/* SPDX-License-Identifier: BSD-3-Clause
 * Dicts of unlike values as arguments: a few strings, each with a value of a type of its own. Their
 * keys are part of the type; code is made for them. A dict whose values are alike is an object
 * (heap.c). */
#include "py.h"

enum { MOST_KEYS = 64 };

/* The first of the classes that it is derived from and that say anything; objects of these may be
 * of one type (swathe._families). */
static PyTypeObject *
class_root(PyTypeObject *t)
{
    static const char *const none[] = {"ABC", "Generic", "Protocol"};
    PyTypeObject *base = t->tp_base;
    bool last = !base || !(base->tp_flags & Py_TPFLAGS_HEAPTYPE);
    for (int i = 0; !last && i < SW_LEN(none); i++)
        last = !strcmp(base->tp_name, none[i]);
    return last ? t : class_root(base);
}

/* Values that one type may hold have one kind; those of an unknown class are each their own. Arrays
 * are told apart by what a list's elements have in common; these kinds are no addresses. */
uintptr_t
keyed_kind_of(PyObject *o)
{
    if (object_is_known(o))
        return (uintptr_t)class_root(Py_TYPE(o));
    if (PyArray_IsScalar(o, Floating) || PyFloat_Check(o))
        return (uintptr_t)&PyFloat_Type;
    if (PyArray_IsScalar(o, Integer))
        return (uintptr_t)&PyArrayDescr_Type; /* of any width: the list says whether it is one */
    if (args_is_array(o)) {
        PyArrayObject *a = (PyArrayObject *)o;
        return 1 | (uintptr_t)args_is_writeable(a) << 1 | (uintptr_t)PyArray_NDIM(a) << 2 |
               (uintptr_t)dtype_of_array(a) << 10;
    }
    return (uintptr_t)Py_TYPE(o);
}

static const char *
key_text(PyObject *key)
{
    Py_ssize_t n = 0;
    const char *text = PyUnicode_CheckExact(key) ? PyUnicode_AsUTF8AndSize(key, &n) : NULL;
    PyErr_Clear();
    return text && strlen(text) == (size_t)n ? text : NULL;
}

bool
keyed_is(PyObject *o)
{
    PyObject *key, *value;
    uintptr_t kind = 0;
    Py_ssize_t at = 0;
    bool unlike = false;
    if (!PyDict_CheckExact(o) || PyDict_GET_SIZE(o) > MOST_KEYS)
        return false;
    while (PyDict_Next(o, &at, &key, &value)) {
        if (!key_text(key) || PyDict_CheckExact(value))
            return false;
        uintptr_t k = value == Py_None ? kind : keyed_kind_of(value);
        unlike |= (kind && k != kind) || args_is_function(value);
        kind = k;
    }
    return unlike;
}

int
keyed_take(Dispatcher *d, Frame *f, PyObject *o, Py_ssize_t i, int depth)
{
    PyObject *key, *value;
    Py_ssize_t at = 0;
    int r = TAKE_OK;
    *f->code++ = CODE_KEYED | (uint64_t)PyDict_GET_SIZE(o) << 8;
    while (r == TAKE_OK && PyDict_Next(o, &at, &key, &value)) {
        const char *text = key_text(key);
        size_t n = text ? strlen(text) : 0, words = (n + 7) / 8;
        if (!text || f->code + words + 1 > f->code_end)
            return TAKE_FULL;
        *f->code++ = n;
        memset(f->code, 0, words * 8);
        memcpy(f->code, text, n);
        f->code += words;
        r = args_take_value(d, f, value, i, depth + 1);
    }
    return r;
}

void
keyed_room(PyObject *o, size_t *slots, size_t *codes, size_t *arrays, int depth)
{
    PyObject *key, *value;
    for (Py_ssize_t at = 0; PyDict_Next(o, &at, &key, &value);) {
        const char *text = key_text(key);
        *codes += 2 + (text ? strlen(text) : 0) / 8;
        args_count(value, slots, codes, arrays, depth + 1);
    }
}

const Type *
keyed_type(In *in, PyObject *o)
{
    PyObject *key, *value;
    int n = 0;
    const Type **e = NEW_N(&in->cx->arena, const Type *, PyDict_GET_SIZE(o) + 1);
    Sym *names = NEW_N(&in->cx->arena, Sym, PyDict_GET_SIZE(o) + 1);
    for (Py_ssize_t at = 0; PyDict_Next(o, &at, &key, &value); n++) {
        const char *text = key_text(key);
        names[n] = intern(&in->cx->syms, text ? text : "");
        e[n] = args_type(in, value);
    }
    return type_keyed(in->cx->types, n, e, names);
}

bool
in_dict_has_const(In *in, PyObject *o)
{
    PyObject *key;
    bool fits = PyDict_GET_SIZE(o) <= MOST_KEYS && in->depth < 8;
    for (Py_ssize_t at = 0; fits && PyDict_Next(o, &at, &key, NULL);)
        fits = key_text(key) != NULL;
    return fits;
}

/* A dict with known keys. */
const Const *
in_dict_const(In *in, PyObject *o)
{
    PyObject *key, *value;
    Py_ssize_t at = 0, n = PyDict_GET_SIZE(o);
    if (!in_dict_has_const(in, o))
        return NULL;
    Const *c = const_new(in, CV_KEYED);
    const Const **e = NEW_N(&in->cx->arena, const Const *, n + 1);
    Sym *names = NEW_N(&in->cx->arena, Sym, n + 1);
    in->depth++;
    for (at = 0; PyDict_Next(o, &at, &key, &value) && !in->failed;) {
        const Const *v = PyDict_CheckExact(value) ? in_dict_const(in, value) : NULL;
        e[c->n] = v ? v : in_const(in, value, NULL);
        names[c->n++] = intern(&in->cx->syms, PyUnicode_AsUTF8(key));
        PyList_Append(in->keep, value);
    }
    in->depth--;
    c->elems = e;
    c->names = names;
    deps_keys(in->deps, o);
    return c;
}
