/* SPDX-License-Identifier: BSD-3-Clause
 * Dicts of unlike values as objects, which can change, be elements and have several names: at the
 * boundary they are what objects of plain classes are (object.c), of a class for each choice of
 * keys and types. The class has nothing in it; which dicts are of it is told by the same codes by
 * which arguments choose code. */
#include "py.h"

enum { MOST_FIELDS = 64, MOST_CODES = 600, MOST_CLASSES = 1024, MOST_NESTED = 8 };

static bool
code_array(Frame *f, PyArrayObject *a)
{
    uint64_t layout = PyArray_IS_C_CONTIGUOUS(a) ? 1 : PyArray_IS_F_CONTIGUOUS(a) ? 2 : 0;
    *f->code++ = CODE_ARRAY | layout << 8 | (uint64_t)PyArray_NDIM(a) << 16 |
                 (uint64_t)args_is_writeable(a) << 24 | (uint64_t)args_in_f_order(a) << 26 |
                 (uint64_t)dtype_of_array(a) << 40;
    return PyArray_NDIM(a) > 0;
}

static bool
code_value(Frame *f, PyObject *o)
{
    int over = 0;
    if (f->code + 8 > f->code_end)
        return false;
    if (o == Py_None) {
        *f->code++ = CODE_NONE;
        return true;
    }
    if (args_is_array(o))
        return code_array(f, (PyArrayObject *)o);
    if (PyLong_CheckExact(o))
        PyLong_AsLongLongAndOverflow(o, &over);
    return !over && heap_code(f, o, true, false) == 0;
}

static const char *
code_key(Frame *f, PyObject *key)
{
    Py_ssize_t n = 0;
    const char *text = PyUnicode_CheckExact(key) ? PyUnicode_AsUTF8AndSize(key, &n) : NULL;
    size_t words = ((size_t)n + 7) / 8;
    PyErr_Clear();
    if (!text || strlen(text) != (size_t)n || f->code + words + 2 > f->code_end)
        return NULL;
    *f->code++ = (uint64_t)n;
    memset(f->code, 0, words * 8);
    memcpy(f->code, text, (size_t)n);
    f->code += words;
    return text;
}

/* Are its values of unlike kinds, so that no dict of one type holds them? Dicts are alike where all
 * are objects of one class, or none is one. */
static bool
is_unlike(PyObject *o)
{
    PyObject *value, *cls = NULL;
    int dicts = 0, n = 0;
    bool same = true;
    for (Py_ssize_t at = 0; PyDict_Next(o, &at, NULL, &value); n++) {
        if (!PyDict_CheckExact(value))
            continue;
        PyObject *is = keyed_object_class(value);
        same &= !dicts++ || is == cls;
        cls = is;
    }
    return dicts ? dicts < n || !same : keyed_is(o);
}

static PyObject *
class_of_codes(PyObject *o)
{
    static PyObject *classes;
    uint64_t codes[MOST_CODES];
    Frame f = {.codes = codes, .code = codes, .code_end = codes + MOST_CODES};
    PyObject *key, *value;
    if (!is_unlike(o))
        return NULL;
    for (Py_ssize_t at = 0; PyDict_Next(o, &at, &key, &value);)
        if (!code_key(&f, key) || !code_value(&f, value))
            return NULL;
    PyObject *k = PyBytes_FromStringAndSize((char *)codes, (f.code - codes) * 8), *cls = NULL;
    if (!classes)
        classes = PyDict_New();
    if (k && classes && PyDict_GET_SIZE(classes) > MOST_CLASSES)
        PyDict_Clear(classes); /* those that compiled code knows live on with it */
    if (k && classes && !(cls = PyDict_GetItem(classes, k))) {
        cls = PyObject_CallFunction((PyObject *)&PyType_Type, "s(){}", "dict");
        if (cls && PyDict_SetItem(classes, k, cls) < 0)
            Py_CLEAR(cls);
        Py_XDECREF(cls);
    }
    Py_XDECREF(k);
    PyErr_Clear();
    return cls;
}

PyObject *
keyed_object_class(PyObject *o)
{
    static int depth; /* under the interpreter's lock: of dicts in each other, perhaps in a ring */
    static bool too_deep;
    if (!PyDict_CheckExact(o) || !PyDict_GET_SIZE(o) || PyDict_GET_SIZE(o) > MOST_FIELDS)
        return NULL;
    if (depth == 0)
        too_deep = false;
    too_deep |= depth == MOST_NESTED;
    if (too_deep)
        return NULL;
    depth++;
    PyObject *cls = class_of_codes(o);
    depth--;
    return too_deep ? NULL : cls;
}

/* What they hold is found out for objects alone. */
static bool
has_empty(PyObject *o)
{
    PyObject *v;
    bool empty = false;
    for (Py_ssize_t at = 0; !empty && PyDict_Next(o, &at, NULL, &v);)
        empty = (PyList_Check(v) || PyDict_Check(v) || PySet_Check(v)) && !PyObject_Size(v);
    return empty;
}

bool
keyed_is_value(bool objects, PyObject *o, int depth)
{
    bool object = objects || depth > 0;
    return keyed_is(o) && !((object || has_empty(o)) && keyed_object_class(o));
}

static const Type *
field_type(In *in, PyObject *o)
{
    const Type *t = args_type(in, o);
    return t->kind == TY_ARRAY || t->kind == TY_NONE ? t : type_element(in->cx->types, t);
}

const Type *
keyed_object_type(In *in, PyObject *o)
{
    PyObject *cls = keyed_object_class(o), *key, *value;
    Const *k = map_get(&in->classes, cls);
    if (k)
        return type_object(in->cx->types, k->obj);
    Arena *a = &in->cx->arena;
    ObjClass *c = NEW(a, ObjClass);
    const Type **e = NEW_N(a, const Type *, PyDict_GET_SIZE(o) + 1);
    Sym *names = NEW_N(a, Sym, PyDict_GET_SIZE(o) + 1);
    bool was = in->all_elements;
    in->all_elements = true;
    c->field = NEW_N(a, ObjField, PyDict_GET_SIZE(o) + 1);
    for (Py_ssize_t at = 0; PyDict_Next(o, &at, &key, &value); c->n++) {
        names[c->n] = in_sym(in, key);
        e[c->n] = field_type(in, value);
        c->field[c->n] = (ObjField){.name = names[c->n], .type = e[c->n]};
    }
    in->all_elements = was;
    c->name = type_keyed(in->cx->types, c->n, e, names)->text;
    c->cls = c->generic = cls;
    c->copied = c->dict = true;
    k = const_new(in, CV_CLASS);
    k->str = c->name;
    k->ref = cls;
    k->obj = c;
    map_put(a, &in->classes, cls, k);
    VEC_PUSH(a, in->prog->classes, c);
    in->failed |= PyList_Append(in->keep, cls) < 0;
    return type_object(in->cx->types, c);
}

/* The function changes dicts of unlike values: from now on they are objects. */
bool
keyed_objects_wanted(Dispatcher *d)
{
    bool first = !d->dict_objects;
    d->want_objects = false;
    d->dict_objects = true;
    return first;
}
