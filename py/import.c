/* SPDX-License-Identifier: BSD-3-Clause
 * Imports inside a function. They are done when the function is compiled, as its first
 * call would, and the names they bind are resolved like globals; the statement itself
 * becomes nothing. */
#include "py.h"

static int
bind(In *in, PyObject *name, PyObject *value)
{
    if (!in->imports && !(in->imports = PyDict_New()))
        return -1;
    if (PyList_Append(in->keep, value) < 0)
        return -1;
    return PyDict_SetItem(in->imports, name, value);
}

/* `import a.b` binds a; `import a.b as c` binds c to a.b. */
static int
import_module(In *in, PyObject *alias)
{
    PyObject *name = in_get(in, alias, in->st->s_name);
    PyObject *as = PyObject_GetAttrString(alias, "asname");
    PyObject *m = name && as ? PyImport_Import(name) : NULL;
    int r = m ? 0 : -1;
    if (r == 0 && as != Py_None) {
        r = bind(in, as, m);
    } else if (r == 0) {
        const char *s = PyUnicode_AsUTF8(name);
        PyObject *top = s ? PyUnicode_FromStringAndSize(s, (Py_ssize_t)strcspn(s, ".")) : NULL;
        PyObject *first = top ? PyImport_GetModule(top) : NULL;
        r = first ? bind(in, top, first) : -1;
        Py_XDECREF(top);
        Py_XDECREF(first);
    }
    Py_XDECREF(m);
    Py_XDECREF(as);
    Py_XDECREF(name);
    return r;
}

static int
import_name(In *in, PyObject *module, PyObject *alias)
{
    PyObject *name = in_get(in, alias, in->st->s_name);
    PyObject *as = PyObject_GetAttrString(alias, "asname");
    PyObject *v = name && as ? PyObject_GetAttr(module, name) : NULL;
    int r = v ? bind(in, as == Py_None ? name : as, v) : -1;
    Py_XDECREF(v);
    Py_XDECREF(as);
    Py_XDECREF(name);
    return r;
}

static PyObject *
from_module(In *in, PyObject *stmt, PyObject *names)
{
    PyObject *level = PyObject_GetAttrString(stmt, "level");
    PyObject *name = PyObject_GetAttrString(stmt, "module");
    PyObject *list = PyList_New(0), *m = NULL;
    for (Py_ssize_t i = 0; list && i < PyList_GET_SIZE(names); i++) {
        PyObject *n = in_get(in, PyList_GET_ITEM(names, i), in->st->s_name);
        if (!n || PyList_Append(list, n) < 0)
            Py_CLEAR(list);
        Py_XDECREF(n);
    }
    if (level && name && list) {
        PyObject *text = name == Py_None ? PyUnicode_FromString("") : Py_NewRef(name);
        int depth = level == Py_None ? 0 : (int)PyLong_AsLong(level);
        m = text ? PyImport_ImportModuleLevelObject(text, in->globals, NULL, list, depth) : NULL;
        Py_XDECREF(text);
    }
    Py_XDECREF(level);
    Py_XDECREF(name);
    Py_XDECREF(list);
    return m;
}

Node *
in_import(In *in, PyObject *stmt)
{
    PyObject *names = in_get(in, stmt, in->st->s_names);
    bool from = in_kind(in, stmt) == A_ImportFrom;
    PyObject *m = names && from ? from_module(in, stmt, names) : NULL;
    int r = names && (m || !from) ? 0 : -1;
    for (Py_ssize_t i = 0; r == 0 && i < PyList_GET_SIZE(names); i++)
        r = from ? import_name(in, m, PyList_GET_ITEM(names, i))
                 : import_module(in, PyList_GET_ITEM(names, i));
    Py_XDECREF(m);
    Py_XDECREF(names);
    if (r < 0 && PyErr_ExceptionMatches(PyExc_MemoryError)) {
        in->failed = true;
    } else if (r < 0) { /* perhaps it never runs; where it does, it would raise */
        PyErr_Clear();
        return in_unsupported(in, stmt, "an import that fails");
    }
    return ast_new(&in->cx->arena, in->fn, N_Pass, in_span(in, stmt), 0);
}
