/* SPDX-License-Identifier: BSD-3-Clause
 * Functions and classes of the standard library that have a meaning in compiled code: what
 * swathe._stdlib has for them is Python that is compiled in their place. */
#include "py.h"

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
    PyObject *f = st->stdlib ? PyDict_GetItemWithError(st->stdlib, o) : NULL;
    PyErr_Clear(); /* of what has no hash */
    bool has_name = PyFunction_Check(o) || PyCFunction_Check(o) || PyType_Check(o);
    return f || !st->stdlib || !has_name ? f : named(st->stdlib, o);
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
