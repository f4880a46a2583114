/* SPDX-License-Identifier: BSD-3-Clause
 * What NumPy lets be indexed in place of called: np.mgrid, np.ogrid, np.r_, np.c_ become calls of
 * their rows, in which ("slice", start, stop, step) stands for a slice, whose step may be a complex
 * number; np.s_ and np.index_exp become the index. An index that is a list of lists becomes the
 * array that NumPy makes of it, and a.flat = x is a.flat[:] = x. Takes a node whose kids are
 * folded. */
#include "py.h"

static Node *
made(In *in, FuncDef *f, NodeKind k, const Node *at, int n)
{
    return ast_new(&in->cx->arena, f, k, at->at, n);
}

static Node *
constant(In *in, FuncDef *f, const Node *at, const Const *c)
{
    Node *n = made(in, f, N_Const, at, 0);
    n->val = c;
    return n;
}

static Node *
none(In *in, FuncDef *f, const Node *at)
{
    Const *c = NEW(&in->cx->arena, Const);
    c->kind = CV_NONE;
    return constant(in, f, at, c);
}

static Node *
row(In *in, FuncDef *f, const Node *at, const char *module, const char *name)
{
    Const *c = NEW(&in->cx->arena, Const);
    c->kind = CV_BUILTIN;
    c->ref = builtin_find(module, name);
    return constant(in, f, at, c);
}

/* The parts of a slice from `first` on. */
static void
put_parts(In *in, FuncDef *f, Node *to, int first, const Node *slice)
{
    for (int i = 0; i < 3; i++) {
        Node *part = i < slice->n ? slice->kid[i] : NULL;
        to->kid[first + i] = part ? part : none(in, f, slice);
    }
}

static Node *
tuple_of_slice(In *in, FuncDef *f, const Node *slice)
{
    Node *t = made(in, f, N_Tuple, slice, 4);
    Const *c = NEW(&in->cx->arena, Const);
    c->kind = CV_STR;
    c->str = "slice";
    c->str_len = 5;
    t->kid[0] = constant(in, f, slice, c);
    put_parts(in, f, t, 1, slice);
    return t;
}

/* np.mgrid[a, b] is mgrid(a, b), and np.mgrid[a,], whose result has an axis more than that of
 * np.mgrid[a], mgrid(a, None). */
static void
become_call(In *in, FuncDef *f, Node *n)
{
    Node *index = n->kid[1];
    bool several = index->kind == N_Tuple;
    int count = several ? index->n : 1;
    Node *call = made(in, f, N_Call, n, 1 + count + (several && count == 1));
    call->kid[0] = n->kid[0];
    for (int i = 0; i < count; i++) {
        Node *e = several ? index->kid[i] : index;
        call->kid[1 + i] = e->kind == N_Slice ? tuple_of_slice(in, f, e) : e;
    }
    if (several && count == 1)
        call->kid[2] = none(in, f, n);
    n->kind = N_Call;
    n->n = call->n;
    n->kid = call->kid;
    n->op = 0;
}

static Node *
value_of_index(In *in, FuncDef *f, Node *e)
{
    if (e->kind == N_Tuple)
        for (int i = 0; i < e->n; i++)
            e->kid[i] = value_of_index(in, f, e->kid[i]);
    if (e->kind != N_Slice)
        return e;
    Node *call = made(in, f, N_Call, e, 4);
    call->kid[0] = row(in, f, e, "builtins", "slice");
    put_parts(in, f, call, 1, e);
    return call;
}

static void
become_index(In *in, FuncDef *f, Node *n, bool always_tuple)
{
    Node *e = value_of_index(in, f, n->kid[1]);
    if (always_tuple && e->kind != N_Tuple) {
        Node *t = made(in, f, N_Tuple, n, 1);
        t->kid[0] = e;
        e = t;
    }
    n->kind = e->kind;
    n->n = e->n;
    n->kid = e->kid;
    n->op = e->op;
    n->name = e->name;
    n->val = e->val;
    n->ops = e->ops;
    n->fn = e->fn;
}

static Node *
as_array_of_lists(In *in, FuncDef *f, Node *e)
{
    if (e->kind != N_List || !e->n || e->kid[0]->kind != N_List)
        return e;
    Node *call = made(in, f, N_Call, e, 2);
    call->kid[0] = row(in, f, e, "numpy", "array");
    call->kid[1] = e;
    return call;
}

void
in_fold_index(In *in, FuncDef *f, Node *n)
{
    const Const *c = n->kid[0]->kind == N_Const ? n->kid[0]->val : NULL;
    const Builtin *b = c && c->kind == CV_BUILTIN ? c->ref : NULL;
    Node *index = n->kid[1];
    if (b && b->flags & INDEXED && n->op == CTX_LOAD) {
        if (b->id == BI_np_s_ || b->id == BI_np_index_exp)
            become_index(in, f, n, b->id == BI_np_index_exp);
        else
            become_call(in, f, n);
        return;
    }
    n->kid[1] = as_array_of_lists(in, f, index);
    if (index->kind == N_Tuple)
        for (int i = 0; i < index->n; i++)
            index->kid[i] = as_array_of_lists(in, f, index->kid[i]);
}

void
in_fold_flat(In *in, FuncDef *f, Node *n)
{
    for (int i = 1; i < n->n; i++) {
        Node *t = n->kid[i];
        if (t->kind != N_Attribute || strcmp(t->name, "flat") != 0)
            continue;
        Node *all = made(in, f, N_Subscript, t, 2);
        all->op = t->op;
        all->kid[0] = t;
        all->kid[1] = made(in, f, N_Slice, t, 3);
        t->op = CTX_LOAD;
        n->kid[i] = all;
    }
}
