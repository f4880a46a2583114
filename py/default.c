/* SPDX-License-Identifier: BSD-3-Clause
 * Defaults that are containers, of functions of a module that compiled code calls: one object in
 * all calls, so a variable that is an argument (outer.c). The constant default is an ellipsis, in
 * place of which the function begins with `if x is ...: x = variable`. The function that Python
 * calls is given its defaults; where others call it too, it is there twice. */
#include "py.h"

static Node *
node(In *in, FuncDef *f, NodeKind k, int n, Node *const *kid)
{
    Node *to = ast_new(&in->cx->arena, f, k, f->at, n);
    for (int i = 0; i < n; i++)
        to->kid[i] = kid[i];
    return to;
}

static Node *
named(In *in, FuncDef *f, Sym sym, int ctx)
{
    Node *n = node(in, f, N_Name, 0, NULL);
    n->name = sym;
    n->op = ctx;
    return n;
}

static bool
take(In *in, FuncDef *f, Param *p, PyObject *func, PyObject *key, PyObject *v)
{
    Sym outer = heap_class_of(v) ? in_outer(in, func, key, v) : NULL;
    if (!outer)
        return false;
    Const *dots = const_new(in, CV_ELLIPSIS);
    p->def = dots;
    Node *test = node(
        in, f, N_Compare, 2,
        (Node *[]){named(in, f, p->name, CTX_LOAD), ast_const(&in->cx->arena, f, f->at, dots)});
    test->ops = arena_dup(&in->cx->arena, &(int){C_IS}, sizeof(int));
    Node *set = node(in, f, N_Assign, 2,
                     (Node *[]){named(in, f, outer, CTX_LOAD), named(in, f, p->name, CTX_STORE)});
    Node *then = node(in, f, N_Block, 1, &set);
    ast_put_first(&in->cx->arena, f, node(in, f, N_If, 3, (Node *[]){test, then, NULL}));
    return true;
}

bool
in_default_containers(In *in, FuncDef *f, PyObject *func)
{
    PyObject *defs = PyFunction_GET_DEFAULTS(func), *kw = PyFunction_GET_KW_DEFAULTS(func);
    bool any = false;
    int n_pos = 0;
    if (f->is_lib || !f->body || in->no_outer)
        return false;
    while (n_pos < f->n_params &&
           (f->params[n_pos].kind == P_POS || f->params[n_pos].kind == P_POSONLY))
        n_pos++;
    Py_ssize_t n = defs ? PyTuple_GET_SIZE(defs) : 0;
    for (Py_ssize_t i = n > n_pos ? n - n_pos : 0; i < n && !in->failed; i++) {
        PyObject *key = PyLong_FromSsize_t(i);
        in->failed |= !key;
        if (key)
            any |= take(in, f, &f->params[n_pos - n + i], func, key, PyTuple_GET_ITEM(defs, i));
        Py_XDECREF(key);
    }
    for (int i = n_pos; kw && i < f->n_params && !in->failed; i++) {
        PyObject *key = PyUnicode_InternFromString(f->params[i].name);
        PyObject *v = key ? PyDict_GetItem(kw, key) : NULL;
        in->failed |= !key;
        if (v)
            any |= take(in, f, &f->params[i], func, key, v);
        Py_XDECREF(key);
    }
    return any;
}

PyObject *
in_default_of(PyObject *func, PyObject *key)
{
    PyObject *defs = PyFunction_GET_DEFAULTS(func), *kw = PyFunction_GET_KW_DEFAULTS(func);
    if (PyUnicode_Check(key))
        return kw ? PyDict_GetItem(kw, key) : NULL;
    Py_ssize_t i = PyLong_AsSsize_t(key);
    return defs && i < PyTuple_GET_SIZE(defs) ? PyTuple_GET_ITEM(defs, i) : NULL;
}
