/* SPDX-License-Identifier: BSD-3-Clause
 * Sizes in a list, `s = [1] * a.ndim; s[axis] = -1; x.reshape(s)`, become the tuple of them. How
 * many there are decides how many axes the result has: the statements before tell it, where they
 * leave no choice. What they can't tell, such as another name of the list through which it grows,
 * the run finds: the library's function raises where there are more or less. */
#include "ast/search.h"
#include "sema/internal.h"

enum { UNSURE = -1, MOST = 16 };

typedef struct Look {
    Sema *s;
    Sym name;
    const Node *e; /* where the length is asked for */
    int *left;     /* expressions that may still be looked at */
} Look;

static int length_of(Look *k, const Node *e);

static bool
is_name(const Node *n, Sym name)
{
    return n && n->kind == N_Name && n->name == name;
}

/* A call of a method of the list: its name; else NULL. */
static const char *
method_of(const Look *k, const Node *n)
{
    bool call = n->kind == N_Call && n->kid[0]->kind == N_Attribute;
    return call && is_name(n->kid[0]->kid[0], k->name) ? n->kid[0]->name : NULL;
}

/* By how much this changes the length: 0, where it does not; UNSURE - 1: nobody knows. */
static int
growth(const Look *k, const Node *n)
{
    const char *m = method_of(k, n);
    if (m && (!strcmp(m, "append") || !strcmp(m, "insert")))
        return 1;
    if (m && !strcmp(m, "pop"))
        return -1;
    bool other = m && (!strcmp(m, "extend") || !strcmp(m, "remove") || !strcmp(m, "clear"));
    bool part = n->kind == N_Subscript && n->op && is_name(n->kid[0], k->name) && n->n > 1 &&
                n->kid[1]->kind == N_Slice;
    return other || part || (n->kind == N_AugAssign && is_name(n->kid[0], k->name)) ? UNSURE - 1
                                                                                    : 0;
}

static bool
changes(const Node *n, const void *arg)
{
    const Look *k = arg;
    return growth(k, n) || (n->kind == N_Assign && ast_sets(n, k->name)) || n->kind == N_Delete ||
           (n->kind == N_For && ast_sets(n, k->name));
}

static int behind(Look *k, const Node *x, int n);

static int
behind_all(Look *k, const Node *b, int n)
{
    for (int i = 0; i < b->n; i++)
        n = b->kid[i] ? behind(k, b->kid[i], n) : n;
    return n;
}

/* Where both branches come to the same. */
static int
behind_if(Look *k, const Node *x, int n)
{
    int yes = behind_all(k, x->kid[1], n), no = x->kid[2] ? behind_all(k, x->kid[2], n) : n;
    return yes == no && !ast_find(x->kid[0], changes, k) ? yes : UNSURE;
}

/* The length behind a statement, or an expression, of n before. */
static int
behind(Look *k, const Node *x, int n)
{
    if (x->kind == N_Assign && x->n == 2 && is_name(x->kid[1], k->name))
        return length_of(k, x->kid[0]);
    if (x->kind == N_If)
        return behind_if(k, x, n);
    if (x->kind == N_AnnAssign && x->kid[1] && is_name(x->kid[0], k->name))
        return length_of(k, x->kid[1]);
    const Node *call = x->kind == N_Expr ? x->kid[0] : x;
    int by = method_of(k, call) ? growth(k, call) : 0;
    if (by)
        return by < UNSURE || n < 0 ? UNSURE : n + by;
    if (x->kind == N_Delete && x->n == 1 && x->kid[0]->kind == N_Subscript &&
        is_name(x->kid[0]->kid[0], k->name))
        return n < 0 || x->kid[0]->kid[1]->kind == N_Slice ? UNSURE : n - 1;
    return ast_find(x, changes, k) ? UNSURE : n;
}

/* The length where e is, inside of b. */
static int
before(Look *k, const Node *b, int n)
{
    for (int i = 0; b != k->e && i < b->n; i++) {
        const Node *x = b->kid[i];
        bool other = b->kind == N_If && i == 1 && b->kid[2] && ast_has_node(b->kid[2], k->e);
        if (!x || other)
            continue;
        if (!ast_has_node(x, k->e)) {
            n = behind(k, x, n);
            continue;
        }
        bool again = x->kind == N_For || x->kind == N_While;
        return before(k, x, again && ast_find(x, changes, k) ? UNSURE : n);
    }
    return b == k->e ? n : UNSURE;
}

static int
length_of_display(Look *k, const Node *e)
{
    int n = 0;
    for (int i = 0; i < e->n; i++) {
        int one = e->kid[i]->kind == N_Starred ? length_of(k, e->kid[i]->kid[0]) : 1;
        if (one < 0)
            return UNSURE;
        n += one;
    }
    return n;
}

static int
length_of_operator(Look *k, const Node *e)
{
    int64_t by;
    int x = length_of(k, e->kid[0]), y = length_of(k, e->kid[1]);
    if (e->op == B_ADD)
        return x < 0 || y < 0 ? UNSURE : x + y;
    if (e->op != B_MUL || (x < 0) == (y < 0))
        return UNSURE;
    const Const *c = sema_known(k->s, e->kid[x < 0 ? 0 : 1]).cst;
    bool known = c && const_as_int(c, &by) && by >= 0 && by <= MOST;
    return known ? (x < 0 ? y : x) * (int)by : UNSURE;
}

/* list(x), x.copy(), x[:], [f(v) for v in x]: what is as long; or NULL */
static const Node *
as_long(Look *k, const Node *e)
{
    if (e->kind == N_ListComp && !e->op && e->n == 2 && e->kid[1]->n == 2)
        return e->kid[1]->kid[1];
    if (e->kind == N_Subscript && e->kid[1]->kind == N_Slice) {
        const Node *part = e->kid[1];
        return part->kid[0] || part->kid[1] || part->kid[2] ? NULL : e->kid[0];
    }
    if (e->kind != N_Call)
        return NULL;
    const Node *f = e->kid[0];
    if (e->n == 1)
        return f->kind == N_Attribute && !strcmp(f->name, "copy") ? f->kid[0] : NULL;
    const Type *t = e->n == 2 ? sema_known(k->s, f).type : NULL;
    bool list = t && t->kind == TY_BUILTIN && t->ref && ((const Builtin *)t->ref)->id == BI_py_list;
    return list ? e->kid[1] : NULL;
}

static int
length_of(Look *k, const Node *e)
{
    const Type *t = sema_known(k->s, e).type;
    if (--*k->left < 0)
        return UNSURE;
    if (t && t->kind == TY_TUPLE)
        return t->n;
    if (e->kind == N_List)
        return length_of_display(k, e);
    if (e->kind == N_BinOp)
        return length_of_operator(k, e);
    if (is_name(e, k->name))
        return UNSURE; /* it stands on both sides */
    if (e->kind == N_Name) {
        Look other = {k->s, e->name, e, k->left};
        return before(&other, k->s->fr->in->def->body, UNSURE);
    }
    const Node *like = as_long(k, e);
    return like ? length_of(k, like) : UNSURE;
}

void
sema_list_as_sizes(Sema *s, const Node *e)
{
    Sem v = sema_known(s, e);
    if (!type_is_heap(v.type, &heap_list) || type_is_open(v.type))
        return;
    const Type *elem = type_resolve(s->tt, v.type)->elems[0];
    if (elem->kind != TY_SCALAR || !dtype_is_int((DType)elem->dtype))
        return;
    int left = 256;
    Look none = {s, NULL, e, &left};
    int n = length_of(&none, e);
    if (n >= 0 && n <= MOST)
        sema_need_made(s, e, v, "_list_sizes", const_int(s, n));
}
