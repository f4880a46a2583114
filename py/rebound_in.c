/* SPDX-License-Identifier: BSD-3-Clause
 * Objects that change where only one name has them: the statement becomes an assignment to that
 * name. A list of slices, which is to be an index, is a tuple: of `at = [slice(None)] * x.ndim;
 * at[1] = 0; x[tuple(at)]` each part has a type of its own. `x.shape = (2, 3)` of an array that the
 * function has made is x = x.reshape((2, 3)). The hard part is to see that nobody else has it:
 * where that isn't sure the statement stays, and sema refuses it. */
#include "py.h"

typedef struct Uses {
    In *in;
    FuncDef *f;
    Sym name;
    bool shape; /* an array whose shape is set, not a list */
    bool fits;
} Uses;

static bool
is_name(const Node *n, Sym name)
{
    return n && n->kind == N_Name && n->name == name;
}

static const Builtin *
builtin_of(const FuncDef *f, const Node *callee)
{
    const Const *c = in_constant_value(f, callee);
    return c && c->kind == CV_BUILTIN ? c->ref : NULL;
}

static bool
is_listed(const char *name, const char *const *all, int n)
{
    for (int i = 0; i < n; i++)
        if (!strcmp(name, all[i]))
            return true;
    return false;
}

/* [slice(None), 0], [slice(None)] * n */
static Node *
slices_of(const FuncDef *f, Node *value)
{
    bool times = value->kind == N_BinOp && value->op == B_MUL;
    Node *list = !times ? value : value->kid[0]->kind == N_List ? value->kid[0] : value->kid[1];
    for (int i = 0; list->kind == N_List && i < list->n; i++) {
        const Node *part = list->kid[i];
        const Builtin *b = part->kind == N_Call ? builtin_of(f, part->kid[0]) : NULL;
        if (b && b->id == BI_py_slice)
            return list;
    }
    return NULL;
}

/* Is the value an array that nothing else has? */
static bool
is_new_array(const FuncDef *f, const Node *value)
{
    static const char *const making[] = {"zeros",      "ones",      "empty",     "full",
                                         "zeros_like", "ones_like", "full_like", "empty_like",
                                         "arange",     "linspace",  "array",     "concatenate"};
    if (value->kind == N_BinOp)
        return true;
    if (value->kind != N_Call)
        return false;
    for (int i = 1; i < value->n; i++)
        if (value->kid[i]->kind == N_Starred ||
            (value->kid[i]->kind == N_Keyword && strcmp(value->kid[i]->name, "dtype") != 0))
            return false;
    const Node *callee = value->kid[0];
    const Builtin *b = builtin_of(f, callee);
    return b ? is_listed(b->name, making, SW_LEN(making))
             : callee->kind == N_Attribute && !strcmp(callee->name, "copy");
}

/* May yield its argument itself. */
static bool
yields_same(const Builtin *b)
{
    static const char *const all[] = {
        "asarray",    "asanyarray", "ascontiguousarray", "asfortranarray", "require",
        "atleast_1d", "atleast_2d", "atleast_3d",        "array",          "max",
        "min",        "iter",       "broadcast_arrays"};
    return is_listed(b->name, all, SW_LEN(all));
}

static bool
array_use(const Uses *u, const Node *n, int i, const Node *parent)
{
    switch (n->kind) {
    case N_Assign:
        return i > 0 && is_new_array(u->f, n->kid[0]);
    case N_Attribute:
    case N_Subscript:
    case N_BinOp:
    case N_UnaryOp:
    case N_Compare:
    case N_Return:
        return true;
    case N_Tuple:
        return parent->kind == N_Return;
    case N_Call: {
        const Builtin *b = i > 0 ? builtin_of(u->f, n->kid[0]) : NULL;
        return b && !yields_same(b);
    }
    default:
        return false;
    }
}

static bool
list_use(const Uses *u, const Node *n, int i, const Node *parent)
{
    const Builtin *b;
    switch (n->kind) {
    case N_Assign:
        return n->n == 2 && i == 1 && slices_of(u->f, n->kid[0]);
    case N_Subscript:
        return i == 0 && (n->op == CTX_LOAD || (n->op == CTX_STORE && parent->kind == N_Assign &&
                                                parent->n == 2 && parent->kid[1] == n));
    case N_Call:
        b = builtin_of(u->f, n->kid[0]);
        return n->n == 2 && i == 1 && b && (b->id == BI_py_tuple || b->id == BI_py_len);
    default:
        return false;
    }
}

static void
look(Uses *u, const Node *n, const Node *parent)
{
    for (int i = 0; i < n->n && u->fits; i++) {
        const Node *k = n->kid[i];
        if (is_name(k, u->name))
            u->fits = u->shape ? array_use(u, n, i, parent) : list_use(u, n, i, parent);
        else if (k)
            look(u, k, n);
    }
    if (n->fn) { /* whose calls are elsewhere */
        Uses inner = {u->in, u->f, u->name, false, true};
        const Node none = {.kind = N_Pass};
        for (int i = 0; i < n->fn->body->n && inner.fits; i++)
            inner.fits = !is_name(n->fn->body->kid[i], u->name);
        if (inner.fits)
            look(&inner, n->fn->body, &none);
        u->fits &= inner.fits;
    }
}

static bool
has_it_alone(In *in, FuncDef *f, Sym name, bool shape)
{
    Uses u = {in, f, name, shape, true};
    for (int i = 0; i < f->n_params; i++)
        u.fits &= f->params[i].name != name;
    if (u.fits && ast_is_local(f, name))
        look(&u, f->body, f->body);
    return u.fits && ast_is_local(f, name);
}

static Node *
named(In *in, FuncDef *f, const Node *at, Sym name, int op)
{
    Node *n = ast_new(&in->cx->arena, f, N_Name, at->at, 0);
    n->name = name;
    n->op = op;
    return n;
}

/* target = function(target, first, second) in place of the statement. */
static void
become_assignment(In *in, FuncDef *f, Node *s, const char *function, Node *first, Node *second)
{
    Sym name = s->kid[1]->kid[0]->name;
    const Const *fn = in_lib_const(in, function);
    Node *call = ast_new(&in->cx->arena, f, N_Call, s->at, second ? 4 : 3);
    if (!fn)
        return;
    call->kid[0] = ast_new(&in->cx->arena, f, N_Const, s->at, 0);
    call->kid[0]->val = fn;
    call->kid[1] = named(in, f, s, name, CTX_LOAD);
    call->kid[2] = first;
    if (second)
        call->kid[3] = second;
    s->kid[1] = named(in, f, s, name, CTX_STORE);
    s->kid[0] = call;
}

static void
walk(In *in, FuncDef *f, Node *n)
{
    for (int i = 0; i < n->n; i++)
        if (n->kid[i])
            walk(in, f, n->kid[i]);
    if (n->kind != N_Assign || n->n != 2)
        return;
    Node *to = n->kid[1];
    bool over = (to->kind == N_Attribute || to->kind == N_Subscript) && to->kid[0]->kind == N_Name;
    if (over && to->kind == N_Attribute && !strcmp(to->name, "shape") &&
        has_it_alone(in, f, to->kid[0]->name, true))
        become_assignment(in, f, n, "_with_shape", n->kid[0], NULL);
}

/* All stores to a list are looked at before one is rewritten, which the next one's look would not
 * know. */
static void
walk_lists(In *in, FuncDef *f, Node *n, Sym name)
{
    for (int i = 0; i < n->n; i++)
        if (n->kid[i])
            walk_lists(in, f, n->kid[i], name);
    if (n->kind != N_Assign || n->n != 2)
        return;
    Node *to = n->kid[1], *list = is_name(to, name) ? slices_of(f, n->kid[0]) : NULL;
    if (list)
        list->kind = N_Tuple;
    if (to->kind == N_Subscript && is_name(to->kid[0], name))
        become_assignment(in, f, n, "_part_replaced", to->kid[1], n->kid[0]);
}

static void
find_lists(In *in, FuncDef *f, Node *n)
{
    for (int i = 0; i < n->n; i++)
        if (n->kid[i])
            find_lists(in, f, n->kid[i]);
    if (n->kind == N_Assign && n->n == 2 && n->kid[1]->kind == N_Name && slices_of(f, n->kid[0]) &&
        has_it_alone(in, f, n->kid[1]->name, false))
        walk_lists(in, f, f->body, n->kid[1]->name);
}

void
in_fold_rebound(In *in, FuncDef *f)
{
    find_lists(in, f, f->body);
    walk(in, f, f->body);
}
