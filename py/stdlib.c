/* SPDX-License-Identifier: BSD-3-Clause
 * Functions and classes of the standard library that have a meaning in compiled code: what
 * swathe._stdlib has for them is Python that is compiled in their place. */
#include "py.h"

/* Of a module that the table does not import. Borrowed. */
static PyObject *
named_function(PyObject *table, PyFunctionObject *o)
{
    bool named = table && o->func_module && PyUnicode_Check(o->func_module);
    PyObject *key = named ? PyUnicode_FromFormat("%U.%U", o->func_module, o->func_name) : NULL,
             *f = key ? PyDict_GetItemWithError(table, key) : NULL;
    Py_XDECREF(key);
    PyErr_Clear();
    return f;
}

/* Borrowed: what stands for it, or NULL. */
static PyObject *
meaning(In *in, PyObject *o)
{
    State *st = in->st;
    if (!st->stdlib) {
        PyObject *m = PyImport_ImportModule("swathe._stdlib");
        st->stdlib = m ? PyObject_CallMethod(m, "table", NULL) : NULL;
        Py_XDECREF(m);
    }
    PyObject *f = st->stdlib ? PyDict_GetItemWithError(st->stdlib, o) : NULL;
    PyErr_Clear(); /* of what has no hash */
    return f || !PyFunction_Check(o) ? f : named_function(st->stdlib, (PyFunctionObject *)o);
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
