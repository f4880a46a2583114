/* SPDX-License-Identifier: BSD-3-Clause
 * Formats of the module struct. What types there are hangs on the format: it is a literal or a
 * global there, or that of a Struct which is a global, and the function of swathe._struct takes the
 * layout that Python has found for it (swathe._layout) in its place. */
#include "py.h"

bool
in_is_struct(const PyObject *o)
{
    return !strcmp(Py_TYPE(o)->tp_name, "_struct.Struct");
}

/* NULL: it is wrong, or too long to be known. */
static const Const *
layout_of(In *in, PyObject *format)
{
    PyObject *m = format ? late_import("swathe._layout") : NULL,
             *layout = m ? PyObject_CallMethod(m, "layout", "O", format) : NULL;
    const Const *c = layout && layout != Py_None ? in_const(in, layout, NULL) : NULL;
    PyErr_Clear();
    Py_XDECREF(layout);
    Py_XDECREF(m);
    return c;
}

/* The n_gone first arguments make place for the layout. */
static void
become_call(In *in, FuncDef *f, Node *n, const char *name, const Const *layout, int n_gone)
{
    const Const *to = in_stdlib_method(in, "struct", name);
    if (!to || !layout)
        return;
    Node **kid = NEW_N(&in->cx->arena, Node *, n->n + 1);
    kid[0] = ast_const(&in->cx->arena, f, n->at, to);
    kid[1] = ast_const(&in->cx->arena, f, n->at, layout);
    for (int i = 1 + n_gone; i < n->n; i++)
        kid[1 + i - n_gone] = n->kid[i];
    n->kid = kid;
    n->n += 1 - n_gone;
    in_mention(in, to);
}

/* struct.unpack("<if", b) */
static void
fold_function(In *in, FuncDef *f, Node *n, const FuncDef *of)
{
    const Const *text = n->n > 1 ? in_constant_value(f, n->kid[1]) : NULL,
                *known = in_stdlib_method(in, "_struct", of->name);
    if (!known || known->ref != of || !text || (text->kind != CV_STR && text->kind != CV_BYTES))
        return;
    PyObject *format = PyUnicode_FromStringAndSize(text->str, (Py_ssize_t)text->str_len);
    become_call(in, f, n, of->name, layout_of(in, format), 1);
    PyErr_Clear();
    Py_XDECREF(format);
}

/* HEAD.unpack(b) */
static void
fold_method(In *in, FuncDef *f, Node *n, PyObject *o)
{
    PyObject *format = PyObject_GetAttrString(o, "format");
    if (format && in_stdlib_method(in, "struct", n->kid[0]->name))
        become_call(in, f, n, n->kid[0]->name, layout_of(in, format), 0);
    PyErr_Clear();
    Py_XDECREF(format);
}

void
in_fold_struct(In *in, FuncDef *f, Node *n)
{
    const Node *m = n->kid[0];
    const Const *c = f->is_lib ? NULL : in_constant_value(f, m);
    if (c && c->kind == CV_FUNC && ((const FuncDef *)c->ref)->is_lib)
        fold_function(in, f, n, c->ref);
    else if (!f->is_lib && m->kind == N_Attribute && (c = in_constant_value(f, m->kid[0])) &&
             c->kind == CV_UNSUPPORTED && c->ref && in_is_struct((PyObject *)(uintptr_t)c->ref))
        fold_method(in, f, n, (PyObject *)(uintptr_t)c->ref);
}
