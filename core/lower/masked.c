/* SPDX-License-Identifier: BSD-3-Clause
 * a[m] = a[m] * 2 + b[m]: what one mask selects on both sides. Each element depends on those at its
 * own place alone, so that one loop over all places does it,
 *
 *     a[i] = m[i] ? a[i] * 2 + b[i] : a[i]
 *
 * where nothing is counted, gathered or scattered. That is for arithmetic so cheap that it may run
 * where nobody asks for its result. */
#include "lower/internal.h"

enum { MOST_OPERATIONS = 8 };

/* Whether two expressions are written alike. */
static bool
alike(const Node *a, const Node *b)
{
    bool same = a->kind == b->kind && a->op == b->op && a->n == b->n && a->name == b->name &&
                !a->fn && !b->fn && !a->val == !b->val && !a->ops == !b->ops;
    if (same && a->val)
        same = const_equal(a->val, b->val);
    for (int i = 0; same && a->ops && i + 1 < a->n; i++)
        same = a->ops[i] == b->ops[i];
    for (int i = 0; same && i < a->n; i++)
        same = alike(a->kid[i], b->kid[i]);
    return same;
}

/* x[m] of a name: its array's type, where the mask has all of its axes. */
static const Type *
selected_from(Lower *l, const Node *n, const Node *mask)
{
    if (n->kind != N_Subscript || n->n != 2 || n->kid[0]->kind != N_Name)
        return NULL;
    const Type *of = sema_info(l->in, n->kid[0])->type, *by = sema_info(l->in, n->kid[1])->type;
    bool fits = of && of->kind == TY_ARRAY && by && by->kind == TY_ARRAY && by->dtype == DT_bool &&
                by->ndim == of->ndim && of->ndim > 0;
    return fits && (!mask || alike(n->kid[1], mask)) ? of : NULL;
}

static bool
is_cheap(Lower *l, const Node *n)
{
    if (n->kind == N_UnaryOp)
        return n->op == U_NEG;
    if (n->kind != N_BinOp)
        return false;
    const Const *by = sema_info(l->in, n->kid[1])->cst;
    if (n->op == B_POW)
        return by && by->kind == CV_INT && (by->i == 2 || by->i == 3);
    return n->op == B_ADD || n->op == B_SUB || n->op == B_MUL || n->op == B_DIV;
}

/* How many operations it is; -1: it is something else. *any: it looks at what the mask selects. */
static int
operations(Lower *l, const Node *n, const Node *mask, bool *any)
{
    const Info *info = sema_info(l->in, n);
    if (info->type && info->type->kind == TY_SCALAR)
        return 0;
    if (selected_from(l, n, mask)) {
        *any = true;
        return 0;
    }
    if (!is_cheap(l, n) || !info->type || info->type->kind != TY_ARRAY || !info->call ||
        info->call->kind != CALL_BUILTIN || info->call->time.op)
        return -1;
    int sum = 1;
    for (int i = 0; i < n->n; i++) {
        int k = operations(l, n->kid[i], mask, any);
        if (k < 0)
            return -1;
        sum += k;
    }
    return sum;
}

bool
masked_fits(Lower *l, const Node *target, const Node *value)
{
    const Type *to = selected_from(l, target, NULL), *t = sema_info(l->in, value)->type;
    if (!to || !t || t->kind != TY_ARRAY || t->dtype != to->dtype || impure(l, target->kid[1]) ||
        impure(l, value))
        return false;
    bool any = false;
    int n = operations(l, value, target->kid[1], &any);
    return any && n >= 0 && n <= MOST_OPERATIONS;
}

Val
masked_value(Lower *l, const Node *n, const Val *like, const Val *mask)
{
    const Info *info = sema_info(l->in, n);
    if (info->type->kind == TY_SCALAR)
        return expr(l, n);
    if (n->kind == N_Subscript)
        return np_under_mask(&l->b, expr(l, n->kid[0]), like, mask);
    const Type *t =
        type_array(l->cx->types, info->type->dtype, like->arr->ndim, LAY_C, info->type->readonly);
    Val *args = NEW_N(&l->cx->arena, Val, 4);
    for (int i = 0; i < n->n; i++)
        args[i] = masked_value(l, n->kid[i], like, mask);
    return np_operator(l, n, info->call, args, n->n, t);
}

bool
masked_assign(Lower *l, const Node *target, const Node *value)
{
    if (!masked_fits(l, target, value))
        return false;
    Place p = {0};
    place_to_store(l, target, &p);
    const Val *mask = np_only_mask(p.n, p.ix);
    if (!mask || p.arr.kind != VK_ARRAY)
        return false;
    np_store_where(&l->b, &p.arr, mask, masked_value(l, value, &p.arr, mask));
    return true;
}
