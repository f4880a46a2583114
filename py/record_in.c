/* SPDX-License-Identifier: BSD-3-Clause
 * np.dtype([("x", float), ("n", np.int32, 3)]) inside a function, and such lists as arguments: what
 * stands for one is the dtype that NumPy makes of it, when the function is compiled. Takes a call
 * whose kids are folded. */
#include "py.h"

static PyObject *fields_object(const FuncDef *f, const Node *n);

/* A part of a display, or of a tuple that is a constant already. */
typedef struct Part {
    const FuncDef *f;
    const Node *node;
    const Const *cst;
} Part;

static Part
part_of(const FuncDef *f, const Node *n)
{
    return (Part){f, n, in_constant_value(f, n)};
}

/* How many parts a tuple has; -1: it is none. */
static int
count_of(Part p)
{
    if (p.cst)
        return p.cst->kind == CV_TUPLE && !p.cst->is_list ? p.cst->n : -1;
    return p.node->kind == N_Tuple ? p.node->n : -1;
}

static Part
nth_of(Part p, int i)
{
    return p.cst ? (Part){p.f, p.node, p.cst->elems[i]} : part_of(p.f, p.node->kid[i]);
}

static PyObject *
tuple_of(Part p, PyObject *(*make)(Part p, int i))
{
    int n = count_of(p);
    PyObject *t = n < 0 ? NULL : PyTuple_New(n);
    for (int i = 0; t && i < n; i++) {
        PyObject *o = make(nth_of(p, i), i);
        if (o)
            PyTuple_SET_ITEM(t, i, o);
        else
            Py_CLEAR(t);
    }
    return t;
}

static PyObject *
number_object(Part p, int i)
{
    (void)i;
    bool whole = p.cst && p.cst->kind == CV_INT && !p.cst->too_big;
    return whole ? PyLong_FromLongLong(p.cst->i) : NULL;
}

/* A name, a dtype or what NumPy takes for one, and the own axes of a field. */
static PyObject *
field_part(Part p, int i)
{
    const Const *c = p.cst;
    if (c && c->kind == CV_STR && i < 2)
        return PyUnicode_FromStringAndSize(c->str, (Py_ssize_t)c->str_len);
    if (i == 2)
        return count_of(p) < 0 ? number_object(p, 0) : tuple_of(p, number_object);
    if (i == 0 || (!c && p.node->kind != N_List))
        return NULL;
    if (!c)
        return fields_object(p.f, p.node);
    if (c->kind == CV_DTYPE)
        return (PyObject *)descr_of_dtype((DType)c->dtype);
    return c->kind == CV_RECORD ? PyObject_GetAttrString((PyObject *)c->ref, "_dtype") : NULL;
}

/* The list of a display of fields; NULL: it is no such. */
static PyObject *
fields_object(const FuncDef *f, const Node *n)
{
    PyObject *list = n->kind == N_List && n->n > 0 ? PyList_New(n->n) : NULL;
    for (int i = 0; list && i < n->n; i++) {
        Part p = part_of(f, n->kid[i]);
        int parts = count_of(p);
        PyObject *o = parts == 2 || parts == 3 ? tuple_of(p, field_part) : NULL;
        if (o)
            PyList_SET_ITEM(list, i, o);
        else
            Py_CLEAR(list);
    }
    return list;
}

/* Only np.dtype itself takes more than the fields: align=. */
static const Const *
record_of_fields(In *in, const FuncDef *f, const Node *n, bool align)
{
    PyObject *fields = fields_object(f, n),
             *made = fields ? PyObject_CallFunction(numpy_attr(in->st, "dtype"), "OO", fields,
                                                    align ? Py_True : Py_False)
                            : NULL;
    PyErr_Clear(); /* NumPy doesn't take it: an error of the call, as for any other argument */
    const Const *c = made ? in_const(in, made, NULL) : NULL;
    if (c && PyList_Append(in->keep, made) < 0)
        in->failed = true;
    Py_XDECREF(fields);
    Py_XDECREF(made);
    return c;
}

static bool
is_true(const Node *n)
{
    return n->kind == N_Const && n->val->kind == CV_BOOL && n->val->b;
}

void
in_fold_records(In *in, FuncDef *f, Node *n)
{
    const Const *c = n->kid[0]->kind == N_Const ? n->kid[0]->val : NULL;
    const Builtin *b = c && c->kind == CV_BUILTIN ? c->ref : NULL;
    bool is_dtype = b && b->id == BI_np_dtype, align = false, other = false;
    if (!b || f->is_lib)
        return;
    for (int i = 2; is_dtype && i < n->n; i++) {
        bool named = n->kid[i]->kind == N_Keyword && !strcmp(n->kid[i]->name, "align");
        align |= named && is_true(n->kid[i]->kid[0]);
        other |= !named;
    }
    for (int i = 1; i < n->n; i++) {
        Node **at = n->kid[i]->kind == N_Keyword ? &n->kid[i]->kid[0] : &n->kid[i];
        const Const *r = (*at)->kind == N_List ? record_of_fields(in, f, *at, align) : NULL;
        if (!r)
            continue;
        Node *made = ast_new(&in->cx->arena, f, N_Const, (*at)->at, 0);
        made->val = r;
        *at = made;
    }
    const Const *whole = is_dtype && n->n > 1 && n->kid[1]->kind == N_Const ? n->kid[1]->val : NULL;
    if (!whole || whole->kind != CV_RECORD || other)
        return;
    n->kind = N_Const;
    n->n = 0;
    n->val = whole;
}
