/* SPDX-License-Identifier: BSD-3-Clause
 * Functions and classes of the standard library that have a meaning in compiled code: what
 * swathe._stdlib has for them is Python that is compiled in their place. */
#include "py.h"

#include <stdio.h>

/* ---- swathe/lib ---- */

/* Its module alone is imported where the build has told which that is. Borrowed. */
static PyObject *
at_home(State *st, const char *name)
{
    char path[128];
    const char *home = lib_home(name);
    snprintf(path, sizeof path, "swathe.lib.%s", home ? home : "");
    PyObject *m = home ? late_import(path) : NULL, *f = m ? PyObject_GetAttrString(m, name) : NULL;
    bool found = f && PyFunction_Check(f) && PyDict_SetItemString(st->lib, name, f) == 0;
    Py_XDECREF(f);
    Py_XDECREF(m);
    PyErr_Clear(); /* whoever looks in all finds what went wrong */
    return found ? PyDict_GetItemString(st->lib, name) : NULL;
}

static PyObject *
in_all(State *st, const char *name)
{
    PyObject *m = late_import("swathe._lib"),
             *all = m ? PyObject_CallMethod(m, "functions", NULL) : NULL;
    bool ok = all && PyDict_Update(st->lib, all) == 0;
    Py_XDECREF(all);
    Py_XDECREF(m);
    return ok ? PyDict_GetItemString(st->lib, name) : NULL;
}

PyObject *
in_lib_function(In *in, const char *name)
{
    State *st = in->st;
    if (!st->lib && !(st->lib = PyDict_New()))
        return NULL;
    if (!strncmp(name, "fft_", 4))
        module_lend_ffts();
    PyObject *f = PyDict_GetItemString(st->lib, name);
    f = f ? f : at_home(st, name);
    return f ? f : in_all(st, name);
}

/* ---- the standard library ---- */

/* Of a module that the table does not import: a function, or a class. Borrowed. */
static PyObject *
named(PyObject *table, PyObject *o)
{
    PyObject *module = PyObject_GetAttrString(o, "__module__"),
             *name = PyObject_GetAttrString(o, "__qualname__");
    bool both = module && name && PyUnicode_Check(module) && PyUnicode_Check(name);
    PyObject *key = both ? PyUnicode_FromFormat("%U.%U", module, name) : NULL,
             *f = key ? PyDict_GetItemWithError(table, key) : NULL;
    Py_XDECREF(key);
    Py_XDECREF(module);
    Py_XDECREF(name);
    PyErr_Clear();
    return f;
}

static PyObject *
look_up(State *st, PyObject *o, bool has_name)
{
    PyObject *f = PyDict_GetItemWithError(st->stdlib, o);
    PyErr_Clear(); /* of what has no hash */
    return f || !has_name ? f : named(st->stdlib, o);
}

/* Is there more of the table, of modules that few programs need? */
static bool
grow_table(State *st, PyObject *o)
{
    PyObject *m = late_import("swathe._stdlib"),
             *more = m ? PyObject_CallMethod(m, "more", "O", o) : NULL;
    bool grown = more && PyDict_GET_SIZE(more) && PyDict_Update(st->stdlib, more) == 0;
    PyErr_Clear();
    Py_XDECREF(more);
    Py_XDECREF(m);
    return grown;
}

/* Borrowed: what stands for it, or NULL. */
static PyObject *
meaning(In *in, PyObject *o)
{
    State *st = in->st;
    if (!st->stdlib) {
        PyObject *m = late_import("swathe._stdlib");
        st->stdlib = m ? PyObject_CallMethod(m, "table", NULL) : NULL;
        Py_XDECREF(m);
    }
    if (!st->stdlib)
        return NULL;
    bool has_name = PyFunction_Check(o) || PyCFunction_Check(o) || PyType_Check(o);
    PyObject *f = look_up(st, o, has_name);
    bool may = has_name || PyUnicode_Check(o) || !strcmp(Py_TYPE(o)->tp_name, "numpy.ufunc");
    return f || !may || !grow_table(st, o) ? f : look_up(st, o, has_name);
}

const Const *
in_stdlib_method(In *in, const char *owner, const char *name)
{
    PyObject *key = PyUnicode_FromFormat("%s.%s", owner, name);
    const Const *c = key ? in_stdlib_const(in, key) : NULL;
    Py_XDECREF(key);
    return c;
}

const Const *
in_stdlib_const(In *in, PyObject *o)
{
    PyObject *f = meaning(in, o);
    if (!f || !PyFunction_Check(f))
        return NULL;
    Const *c = NEW(&in->cx->arena, Const);
    c->kind = CV_FUNC;
    c->ref = in_function(in, f);
    return c;
}

/* isinstance(x, memoryview): a class for whose calls a function stands is one of the library's own
 * there. */
static void
become_class(In *in, FuncDef *f, Node **place)
{
    const Const *c = in_constant_value(f, *place);
    const FuncDef *of = c && c->kind == CV_FUNC ? c->ref : NULL;
    PyObject *key = of && of->is_lib ? PyUnicode_FromFormat("%s.class", of->name) : NULL,
             *cls = key ? meaning(in, key) : NULL;
    Py_XDECREF(key);
    if (cls && (c = in_const(in, cls, NULL)))
        *place = ast_const(&in->cx->arena, f, (*place)->at, c);
}

void
in_fold_class(In *in, FuncDef *f, Node *n)
{
    const Const *c = n->n == 3 ? in_constant_value(f, n->kid[0]) : NULL;
    const Builtin *b = c && c->kind == CV_BUILTIN ? c->ref : NULL;
    if (!b || b->id != BI_py_isinstance)
        return;
    become_class(in, f, &n->kid[2]);
    for (int i = 0; n->kid[2]->kind == N_Tuple && i < n->kid[2]->n; i++)
        become_class(in, f, &n->kid[2]->kid[i]);
}

/* A display is no list that anybody could have: each of its elements has a type of its own. */
static void
become_tuple(Node *n)
{
    enum { MOST = 32 }; /* elements: they are gone through one by one */
    bool plain = n->n <= MOST && n->kind != N_Starred;
    for (int i = 0; i < n->n; i++)
        plain &= n->kid[i] && n->kid[i]->kind != N_Starred;
    if (!plain || (n->kind != N_List && n->kind != N_Tuple && n->kind != N_Dict))
        return;
    n->kind = n->kind == N_List ? N_Tuple : n->kind;
    for (int i = 0; i < n->n; i++)
        become_tuple(n->kid[i]);
}

/* json.dumps([1, 2.5]): what writes lists and tuples alike. */
void
in_fold_display(In *in, FuncDef *f, Node *n)
{
    const Const *c = n->n > 1 ? in_constant_value(f, n->kid[0]) : NULL;
    const FuncDef *of = c && c->kind == CV_FUNC ? c->ref : NULL;
    PyObject *key = of && of->is_lib ? PyUnicode_FromFormat("%s.displays", of->name) : NULL;
    if (key && meaning(in, key))
        become_tuple(n->kid[1]);
    Py_XDECREF(key);
}
