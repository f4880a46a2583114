/* SPDX-License-Identifier: BSD-3-Clause
 * warnings.warn(...) and logging's functions and methods, as statements: each becomes a block of
 * objmode (objmode_in.c), so that Python tells where it stands and whom. */
#include "py.h"

static PyObject *
loaded(const char *module, const char *name)
{
    PyObject *m = PyDict_GetItemString(PyImport_GetModuleDict(), module);
    return m ? PyDict_GetItemString(PyModule_GetDict(m), name) : NULL;
}

static bool
tells(const char *name)
{
    static const char *const names[] = {"debug", "info",     "warning",   "warn",
                                        "error", "critical", "exception", "log"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(name, names[i]))
            return true;
    return false;
}

/* A method of a logger that is a global, or a function of logging. */
static bool
is_of_logging(In *in, PyObject *fn, PyObject *v)
{
    PyObject *attr = in_get(in, fn, in->st->s_attr), *of = NULL, *base = NULL;
    PyObject *cls = loaded("logging", "Logger");
    const char *name = attr ? PyUnicode_AsUTF8(attr) : NULL;
    bool is = false;
    if (name && cls && tells(name)) {
        of = v ? NULL : in_get(in, fn, in->st->s_value);
        base = of ? in_value_of(in, of) : NULL;
        is = v ? v == loaded("logging", name) : base && PyObject_IsInstance(base, cls) == 1;
    }
    Py_XDECREF(attr);
    Py_XDECREF(of);
    Py_XDECREF(base);
    return is;
}

static bool
is_told(In *in, PyObject *call)
{
    PyObject *fn = in_get(in, call, in->st->s_func), *v = fn ? in_value_of(in, fn) : NULL;
    bool is = v && v == loaded("warnings", "warn");
    if (!is && fn && in_kind(in, fn) == A_Attribute)
        is = is_of_logging(in, fn, v);
    if (!in->failed)
        PyErr_Clear();
    Py_XDECREF(fn);
    Py_XDECREF(v);
    return is;
}

Node *
in_told(In *in, PyObject *s, PyObject *call, bool *is)
{
    *is = in->root && in_kind(in, call) == A_Call && is_told(in, call);
    if (!*is)
        return NULL;
    PyObject *m = late_import("swathe._objmode");
    PyObject *block = m ? PyObject_CallMethod(m, "as_block", "OO", in->root, s) : NULL;
    Node *n = block ? in_stmt(in, block) : NULL;
    in->failed |= n == NULL;
    Py_XDECREF(block);
    Py_XDECREF(m);
    return n;
}
