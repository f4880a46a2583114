/* SPDX-License-Identifier: BSD-3-Clause
 * Room in the columns of lists, dicts and their kin. Takes how many elements there are to be. */
#include "lower/internal.h"

/* The columns of a group, three words each, that are to grow by one call. */
typedef struct Growth {
    IrVar *o;
    IrExpr *n;
    int at, k;
    uint64_t items; /* of k columns */
} Growth;

static void
grow_columns(Lower *l, Growth *g)
{
    if (!g->k)
        return;
    IrStmt *s = ir_ask(&l->b, RT_sw_grow, 4, NULL);
    s->args[0].arr = g->o;
    s->args[1].e = i64(l, g->at);
    s->args[2].e = i64(l, (int64_t)g->items);
    s->args[3].e = again(l, g->n);
    l->b.f->may_raise = true;
    *g = (Growth){.o = g->o, .n = g->n, .at = g->at + 3 * g->k};
}

static void
grow_at(Lower *l, Growth *g, const Type *t)
{
    if (type_is_held_apart(t)) {
        for (int k = 0; k < t->n; k++)
            grow_at(l, g, t->elems[k]);
        return;
    }
    uint64_t item = t->kind == TY_SCALAR ? (uint64_t)dtype_size((DType)t->storage) : IR_REFS;
    g->items |= item << 8 * g->k;
    if (++g->k == 8)
        grow_columns(l, g);
}

void
heap_grow(Lower *l, const Val *o, int group, IrExpr *n)
{
    Growth g = {.o = o->arr, .n = val_freeze(&l->b, n), .at = heap_column(o->type, group)};
    grow_at(l, &g, heap_held(l->cx->types, o->type, group));
    grow_columns(l, &g);
}

/* Room for one more: a half more than before. */
void
heap_room(Lower *l, const Val *o, IrExpr *n)
{
    IrExpr *room = heap_word(l, o->arr, heap_column(o->type, 0) + 2);
    IrStmt *s = ir_if(&l->b, ir_op(l->cx, OP_ge, again(l, n), room));
    IrBlock *save = l->b.at;
    s->cold = true;
    l->b.at = &s->body;
    IrExpr *more = ir_op(l->cx, OP_add, again(l, n), ir_op(l->cx, OP_shr, again(l, n), i64(l, 1)));
    heap_grow(l, o, 0, ir_op(l->cx, OP_add, more, i64(l, 8)));
    l->b.at = save;
}
