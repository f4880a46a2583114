/* SPDX-License-Identifier: BSD-3-Clause
 * x.flat that is gone through where it stands: element by element in C's order, out of the array
 * itself, so that what a loop stores in it meanwhile is seen. The index is split by // and % of the
 * shape, which pass `digits` makes loops over the axes of. */
#include "lower/internal.h"

/* The axes' indices stay inside by construction: nothing is to be checked. */
static Val
get_flat(Lower *l, Iter *it, IrExpr *k)
{
    Cx *cx = l->cx;
    IrVar *a = it->v.arr;
    IrExpr *at[SW_MAX_NDIM], *rest = val_freeze(&l->b, k);
    for (int i = a->ndim - 1; i > 0; i--) {
        at[i] = val_freeze(&l->b, ir_op(cx, OP_mod, again(l, rest), ir_dim(cx, a, i)));
        rest = val_freeze(&l->b, ir_op(cx, OP_floordiv, rest, ir_dim(cx, a, i)));
    }
    at[0] = rest;
    return val_scalar(&l->b, it->type, ir_load(cx, a, a->ndim, at));
}

bool
flat_iter(Lower *l, const Node *n, Iter *it)
{
    if (sema_flat(l->in, n) != FLAT_ANY)
        return false;
    Val v = np_materialize(&l->b, expr(l, n->kid[0]), LAY_C);
    *it = (Iter){.v = v, .get = get_flat};
    it->type = type_scalar(l->cx->types, v.type->storage, false);
    IrVar *held = ir_array_var(l->b.f, "iter", v.type->storage, v.type->ndim, v.type->layout);
    held->readonly = v.type->readonly;
    ir_alias(&l->b, held, v.arr); /* the name may be bound anew in the loop */
    it->v.arr = held;
    it->n = ir_dim(l->cx, held, 0);
    for (int i = 1; i < v.type->ndim; i++)
        it->n = ir_op(l->cx, OP_mul, it->n, ir_dim(l->cx, held, i));
    it->n = val_freeze(&l->b, it->n);
    return true;
}

/* x.flat[k] = v */
void
flat_assign(Lower *l, const Node *t, Val v)
{
    v = pin(l, v);
    Val a = pin(l, expr(l, t->kid[0]->kid[0]));
    Val arg[3] = {a, pin(l, expr(l, t->kid[1])), v};
    inst_call(l, sema_info(l->in, t)->call->inst, arg);
}
