/* SPDX-License-Identifier: BSD-3-Clause
 * Objects that are called and are no functions of Python: of np.vectorize and swathe.vectorize,
 * those of scipy.special, what tells an address, functions of ctypes and cffi, settings of threads.
 * Each becomes the constant that a function is, which swathe._callables has for it. */
#include "py.h"

/* One of this module's, as get_num_threads is. */
static bool
is_ours(PyObject *o)
{
    PyObject *self = PyCFunction_Check(o) ? PyCFunction_GET_SELF(o) : NULL;
    const char *name = self && PyModule_Check(self) ? PyModule_GetName(self) : NULL;
    return name && !strcmp(name, "swathe._core");
}

static bool
is_ctypes(PyObject *o)
{
    PyTypeObject *base = Py_TYPE(o)->tp_base;
    return base && !strcmp(base->tp_name, "_ctypes.CFuncPtr");
}

static bool
is_foreign(PyObject *o)
{
    PyObject *self = PyCFunction_Check(o) ? PyCFunction_GET_SELF(o) : NULL;
    const char *t = self ? Py_TYPE(self)->tp_name : Py_TYPE(o)->tp_name;
    return !strncmp(t, "_cffi_backend.", 14) || is_ctypes(o);
}

static bool
may_be(PyObject *o)
{
    const char *t = Py_TYPE(o)->tp_name;
    return !strcmp(t, "numpy.ufunc") || !strcmp(t, "numpy.vectorize") || !strcmp(t, "vectorize") ||
           strstr(t, "MultiUFunc") || !strcmp(t, "Ufunc") || !strcmp(t, "GUfunc") || is_ours(o) ||
           is_foreign(o) || PyObject_HasAttrString(o, "__wrapper_address__");
}

/* What the methods of a ufunc of the user's take before their arguments (swathe._callables). */
static const Const *
with_methods(In *in, const Const *c, PyObject *f)
{
    PyObject *parts = PyObject_GetAttrString(f, "_swathe_ufunc");
    const Const *all = parts ? in_const(in, parts, NULL) : NULL;
    PyErr_Clear();
    Py_XDECREF(parts);
    if (!all || c->kind != CV_FUNC)
        return c;
    Const *r = NEW(&in->cx->arena, Const);
    *r = *c;
    r->n = all->n;
    r->elems = all->elems;
    return r;
}

const Const *
in_callable(In *in, PyObject *o)
{
    if (!may_be(o))
        return NULL;
    PyObject *f = late_call("swathe._callables", "function", o);
    const Const *c = NULL;
    if (is_ctypes(o))
        deps_types(in->deps, o);
    if (f && f != Py_None && PyList_Append(in->keep, f) == 0)
        c = with_methods(in, in_const(in, f, NULL), f);
    Py_XDECREF(f);
    PyErr_Clear();
    return c;
}
