/* SPDX-License-Identifier: BSD-3-Clause
 * with objmode(y="float64[:]"): as `y, = objmode(key, names, types, x, ...)`, a call with the
 * variables that the block mentions. The block itself is never read by the compiler: it becomes a
 * Python function (swathe/_objmode.py), which the program has under its key. Two blocks of equal
 * text in closures of one function differ by a number, in the order in which they are met. */
#include "py.h"

/* The class itself, where this process has it. */
static PyObject *
the_class(void)
{
    PyObject *m = PyDict_GetItemString(PyImport_GetModuleDict(), "swathe.marks");
    return m ? PyDict_GetItemString(PyModule_GetDict(m), "objmode") : NULL;
}

/* What a name, an attribute of one or a constant stands for; a new reference or NULL, and no
 * exception. */
PyObject *
in_value_of(In *in, PyObject *e)
{
    PyAst k = in_kind(in, e);
    PyObject *v = NULL, *name = NULL;
    if (k == A_Constant) {
        v = in_get(in, e, in->st->s_value);
    } else if (k == A_Name) {
        name = in_get(in, e, in->st->s_id);
        if (name)
            PyUnicode_InternInPlace(&name);
        v = name ? Py_XNewRef(in_look_up(in, name, true)) : NULL;
    } else if (k == A_Attribute) {
        PyObject *of = in_get(in, e, in->st->s_value), *base = of ? in_value_of(in, of) : NULL;
        name = base && PyModule_Check(base) ? in_get(in, e, in->st->s_attr) : NULL;
        v = name ? PyObject_GetAttr(base, name) : NULL;
        Py_XDECREF(of);
        Py_XDECREF(base);
    }
    Py_XDECREF(name);
    if (!in->failed)
        PyErr_Clear();
    return v;
}

static bool
is_objmode(In *in, PyObject *s)
{
    PyObject *items = in_get(in, s, in->st->s_items), *e = NULL, *fn = NULL, *v = NULL;
    bool is = false;
    for (Py_ssize_t i = 0; items && !is && i < PyList_GET_SIZE(items); i++) {
        e = in_get(in, PyList_GET_ITEM(items, i), in->st->s_context_expr);
        fn = e && in_kind(in, e) == A_Call ? in_get(in, e, in->st->s_func) : NULL;
        v = fn ? in_value_of(in, fn) : NULL;
        is = v && v == the_class();
        Py_XDECREF(e);
        Py_XDECREF(fn);
        Py_XDECREF(v);
    }
    Py_XDECREF(items);
    return is;
}

static Node *
refuse(In *in, PyObject *s, PyObject *why)
{
    PyObject *at;
    const char *text, *hint;
    if (!PyArg_ParseTuple(why, "Oss", &at, &text, &hint)) {
        in->failed = true;
        return NULL;
    }
    Diag *d = diag_add(&in->cx->diags, DIAG_types, in_span(in, at), "%s", text);
    if (*hint)
        diag_hint(&in->cx->diags, d, "%s", hint);
    return ast_new(&in->cx->arena, in->fn, N_Pass, in_span(in, s), 0);
}

/* Under its key, or another like it. */
static PyObject *
add_function(In *in, PyObject *key, PyObject *function)
{
    if (!in->upcalls && !(in->upcalls = PyDict_New()))
        return NULL;
    PyObject *as = Py_NewRef(key);
    for (int k = 2; as && PyDict_GetItem(in->upcalls, as); k++)
        Py_SETREF(as, PyUnicode_FromFormat("%U.%d", key, k));
    if (as &&
        (PyDict_SetItem(in->upcalls, as, function) < 0 || PyList_Append(in->keep, function) < 0))
        Py_CLEAR(as);
    return as;
}

static Node *
constant(In *in, Span at, PyObject *o)
{
    Node *n = ast_new(&in->cx->arena, in->fn, N_Const, at, 0);
    n->val = in_const(in, o, NULL);
    return n;
}

static Node *
one_name(In *in, Span at, PyObject *name, int op)
{
    Node *n = ast_new(&in->cx->arena, in->fn, N_Name, at, 0);
    n->name = in_sym(in, name);
    n->op = op;
    n->val = op == CTX_LOAD ? in_const(in, Py_None, NULL) : NULL;
    return n;
}

static Node *
statement(In *in, PyObject *s, PyObject *key, PyObject *outs, PyObject *types, PyObject *ins)
{
    Arena *a = &in->cx->arena;
    PyObject *items = in_get(in, s, in->st->s_items);
    PyObject *e = items ? in_get(in, PyList_GET_ITEM(items, 0), in->st->s_context_expr) : NULL;
    if (!e) {
        Py_XDECREF(items);
        return NULL;
    }
    Span at = in_span(in, e);
    int n_in = (int)PyTuple_GET_SIZE(ins), n_out = (int)PyTuple_GET_SIZE(outs);
    Const *row = const_new(in, CV_BUILTIN);
    row->ref = builtin_find("swathe", "objmode");
    Node *call = ast_new(a, in->fn, N_Call, at, 4 + n_in);
    call->kid[0] = ast_new(a, in->fn, N_Const, at, 0);
    call->kid[0]->val = row;
    call->kid[1] = constant(in, at, key);
    call->kid[2] = constant(in, at, outs);
    call->kid[3] = constant(in, at, types);
    for (int i = 0; i < n_in; i++)
        call->kid[4 + i] = one_name(in, at, PyTuple_GET_ITEM(ins, i), CTX_LOAD);
    Node *n = ast_new(a, in->fn, n_out ? N_Assign : N_Expr, at, n_out ? 2 : 1);
    n->kid[0] = call;
    if (n_out) {
        Node *t = n->kid[1] = ast_new(a, in->fn, N_Tuple, at, n_out);
        t->op = CTX_STORE;
        for (int i = 0; i < n_out; i++)
            t->kid[i] = one_name(in, at, PyTuple_GET_ITEM(outs, i), CTX_STORE);
    }
    Py_DECREF(items);
    Py_DECREF(e);
    return n;
}

static Node *
made(In *in, PyObject *s, PyObject *what)
{
    PyObject *key, *outs, *types, *ins, *function, *globals;
    if (PyTuple_GET_SIZE(what) == 3)
        return refuse(in, s, what);
    if (!PyArg_ParseTuple(what, "OO!O!O!OO!", &key, &PyTuple_Type, &outs, &PyTuple_Type, &types,
                          &PyTuple_Type, &ins, &function, &PyTuple_Type, &globals)) {
        in->failed = true;
        return NULL;
    }
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(globals); i++) {
        PyObject *name = Py_NewRef(PyTuple_GET_ITEM(globals, i));
        PyUnicode_InternInPlace(&name);
        in_look_up(in, name, true); /* told a type: another makes other code */
        Py_DECREF(name);
    }
    PyObject *as = add_function(in, key, function);
    Node *n = as ? statement(in, s, as, outs, types, ins) : NULL;
    in->failed |= n == NULL;
    Py_XDECREF(as);
    return n;
}

Node *
in_objmode(In *in, PyObject *s, bool *is)
{
    if (!in->root || !(*is = is_objmode(in, s)))
        return NULL;
    PyObject *m = late_import("swathe._objmode");
    PyObject *what = m ? PyObject_CallMethod(m, "block", "OOOOi", in->root, s, in->func,
                                             in->imports ? in->imports : Py_None, in->line_shift)
                       : NULL;
    Node *n = what && PyTuple_Check(what) ? made(in, s, what) : NULL;
    in->failed |= n == NULL;
    Py_XDECREF(what);
    Py_XDECREF(m);
    return n;
}
