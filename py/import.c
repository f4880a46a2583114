/* SPDX-License-Identifier: BSD-3-Clause
 * Imports inside a function. They are done when the function is compiled, as its first
 * call would, and the names they bind are resolved like globals; the statement itself
 * becomes nothing. What that would be wrong for is found by swathe._imports. */
#include "py.h"

static bool
depends(In *in, PyObject *deps)
{
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(deps); i++) {
        PyObject *dict, *key, *value;
        if (!PyArg_ParseTuple(PyList_GET_ITEM(deps, i), "OOO", &dict, &key, &value))
            return false;
        Py_INCREF(key);
        PyUnicode_InternInPlace(&key);
        deps_dict(in->deps, dict, key, value);
        Py_DECREF(key);
    }
    return true;
}

/* All imports of the function being parsed. */
static bool
do_imports(In *in)
{
    PyObject *m = late_import("swathe._imports"), *names, *fails, *wrong, *deps;
    PyObject *r = m ? PyObject_CallMethod(m, "bindings", "OO", in->root, in->func) : NULL;
    bool fine = r && PyArg_ParseTuple(r, "OOOO", &names, &fails, &wrong, &deps) &&
                (in->fn->is_lib || depends(in, deps)) && PyList_Append(in->keep, names) == 0;
    if (fine) {
        in->imports = Py_NewRef(names);
        in->failed_imports = Py_NewRef(fails);
        in->wrong_imports = Py_NewRef(wrong);
    }
    Py_XDECREF(m);
    Py_XDECREF(r);
    return fine;
}

void
in_clear_imports(In *in)
{
    Py_CLEAR(in->imports);
    Py_CLEAR(in->failed_imports);
    Py_CLEAR(in->wrong_imports);
}

/* Imports that can't be what they are here end the function where it begins: whether the statement
 * itself runs is no matter for what its names mean. */
void
in_refuse_imports(In *in, FuncDef *f)
{
    int n = in->wrong_imports ? (int)PyList_GET_SIZE(in->wrong_imports) : 0;
    if (!n || in->failed)
        return;
    Node *old = f->body, *b = ast_new(&in->cx->arena, f, N_Block, old->at, n + old->n);
    for (int i = 0; i < n; i++) {
        PyObject *pair = PyList_GET_ITEM(in->wrong_imports, i);
        b->kid[i] = in_unsupported(in, PyTuple_GET_ITEM(pair, 0),
                                   PyUnicode_AsUTF8(PyTuple_GET_ITEM(pair, 1)));
    }
    memcpy(b->kid + n, old->kid, sizeof *b->kid * (size_t)old->n);
    f->body = b;
}

Node *
in_import(In *in, PyObject *stmt)
{
    PyObject *id = in->imports || do_imports(in) ? PyLong_FromVoidPtr(stmt) : NULL;
    PyObject *why = id ? PyDict_GetItem(in->failed_imports, id) : NULL;
    in->failed |= !id;
    Py_XDECREF(id);
    if (why)
        return in_unsupported(in, stmt, PyUnicode_AsUTF8(why));
    return ast_new(&in->cx->arena, in->fn, N_Pass, in_span(in, stmt), 0);
}
