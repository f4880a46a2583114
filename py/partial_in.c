/* SPDX-License-Identifier: BSD-3-Clause
 * A call of a functools.partial that is a global: one of its function, with the arguments that it
 * holds before those of the call, and those by name that the call doesn't give. */
#include "py.h"

bool
in_is_partial(const PyObject *o)
{
    return !strcmp(Py_TYPE(o)->tp_name, "functools.partial");
}

bool
in_is_rewritten(const PyObject *o)
{
    return in_is_partial(o) || in_is_pattern(o) || in_is_struct(o) || o == Py_NotImplemented;
}

static Node *
constant(In *in, FuncDef *f, Span at, PyObject *o)
{
    const Const *c = in_const(in, o, NULL);
    if (!c || c->kind == CV_UNSUPPORTED)
        return NULL;
    in_mention(in, c);
    return ast_const(&in->cx->arena, f, at, c);
}

static bool
is_given(const Node *n, const char *name)
{
    bool given = false;
    for (int i = 1; i < n->n; i++)
        given |= n->kid[i]->kind == N_Keyword && n->kid[i]->name && !strcmp(n->kid[i]->name, name);
    return given;
}

/* What the call is then; false: some of it has no meaning. */
static bool
expand(In *in, FuncDef *f, Node *n, PyObject *func, PyObject *args, PyObject *named)
{
    Py_ssize_t n_args = PyTuple_GET_SIZE(args), at = 0;
    Node **kid = NEW_N(&in->cx->arena, Node *, n->n + n_args + PyDict_GET_SIZE(named) + 1);
    int k = 0;
    PyObject *key, *value;
    if (!(kid[k++] = constant(in, f, n->at, func)))
        return false;
    for (Py_ssize_t i = 0; i < n_args; i++)
        if (!(kid[k++] = constant(in, f, n->at, PyTuple_GET_ITEM(args, i))))
            return false;
    for (int i = 1; i < n->n; i++)
        kid[k++] = n->kid[i];
    while (PyDict_Next(named, &at, &key, &value)) {
        const char *name = PyUnicode_AsUTF8(key);
        Node *v = name ? constant(in, f, n->at, value) : NULL;
        if (!v)
            return false;
        if (is_given(n, name))
            continue;
        Node *one = ast_new(&in->cx->arena, f, N_Keyword, n->at, 1);
        one->name = intern(&in->cx->syms, name);
        one->kid[0] = v;
        kid[k++] = one;
    }
    n->kid = kid;
    n->n = k;
    return true;
}

void
in_fold_partial(In *in, FuncDef *f, Node *n)
{
    const Const *c = in_constant_value(f, n->kid[0]);
    PyObject *o = c && c->kind == CV_UNSUPPORTED ? (PyObject *)(uintptr_t)c->ref : NULL;
    if (!o || !in_is_partial(o))
        return;
    bool spread = false; /* f(**d): who knows what it gives */
    for (int i = 1; i < n->n; i++)
        spread |= n->kid[i]->kind == N_Keyword && !n->kid[i]->name;
    PyObject *func = PyObject_GetAttrString(o, "func"), *args = PyObject_GetAttrString(o, "args"),
             *named = PyObject_GetAttrString(o, "keywords");
    if (func && args && named && !(spread && PyDict_GET_SIZE(named)))
        expand(in, f, n, func, args, named);
    PyErr_Clear();
    Py_XDECREF(named);
    Py_XDECREF(args);
    Py_XDECREF(func);
}
