/* SPDX-License-Identifier: BSD-3-Clause
 * for w in s.split(...), s.splitlines(): each part is found when it is asked for, and is a view of
 * s, so that no list is made of them. Nobody can tell, since strings don't change. */
#include "lower/internal.h"

/* it.sub: the separator, if there is one. Where it stands: behind the last part and what ends it,
 * so beyond the text when there are no more. */
static Val
found_by(Lower *l, const char *helper, const Iter *it, IrExpr *from)
{
    const Inst *in = sema_helper(l->in, helper, it->v.type);
    Val param[3] = {it->v};
    int n = 1;
    if (it->n_sub)
        param[n++] = it->sub[0].v;
    param[n] = val_scalar(&l->b, type_scalar(l->cx->types, DT_i64, true), from);
    if (in)
        return inst_call(l, in, param);
    diag_add(&l->cx->diags, DIAG_internal, l->b.span, "no function %s for a loop", helper);
    return param[n];
}

static IrExpr *
place_by(Lower *l, const char *helper, const Iter *it, IrExpr *from)
{
    Val v = found_by(l, helper, it, from);
    return val_freeze(&l->b, val_expr(&l->b, &v, DT_i64));
}

/* begin and end are in order, and places of it */
static Val
part_of(Lower *l, const Val *text, IrExpr *begin, IrExpr *end)
{
    const Val *points = &text->elem[0];
    IrExpr *dims[1] = {ir_op(l->cx, OP_sub, end, again(l, begin))};
    IrExpr *strides[1] = {ir_stride(l->cx, points->arr, 0)};
    IrExpr *off = ir_op(l->cx, OP_mul, begin, again(l, strides[0]));
    IrVar *part = ir_array_var(l->b.f, "part", points->type->storage, 1, LAY_C);
    ir_view(&l->b, part, points->arr, off, dims, strides);
    Val v = val_array(&l->b, points->type, part, false);
    v.temp = true;
    return val_tuple(&l->b, text->type, 1, &v);
}

static IrExpr *
length(Lower *l, const Val *text)
{
    return ir_dim(l->cx, text->elem[0].arr, 0);
}

static Val
next_word(Lower *l, Iter *it, IrVar *has)
{
    IrBlock *save = l->b.at;
    Val slot;
    IrExpr *begin = place_by(l, "_word_begin", it, iter_place(l, it));
    iter_go(l, it, again(l, begin));
    l->b.at = &ir_if(&l->b, ir_op(l->cx, OP_lt, again(l, begin), length(l, &it->v)))->body;
    IrExpr *end = place_by(l, "_word_end", it, again(l, begin));
    iter_go(l, it, again(l, end));
    iter_found(l, &slot, part_of(l, &it->v, begin, end), has);
    l->b.at = save;
    return slot;
}

static Val
next_part(Lower *l, Iter *it, IrVar *has)
{
    IrBlock *save = l->b.at;
    Val slot;
    IrExpr *begin = val_freeze(&l->b, iter_place(l, it));
    l->b.at = &ir_if(&l->b, ir_op(l->cx, OP_le, again(l, begin), length(l, &it->v)))->body;
    IrExpr *end = place_by(l, "_part_end", it, again(l, begin));
    iter_go(l, it, ir_op(l->cx, OP_add, again(l, end), length(l, &it->sub[0].v)));
    iter_found(l, &slot, part_of(l, &it->v, begin, end), has);
    l->b.at = save;
    return slot;
}

/* Behind the last line, or what ends it, there is no other one. */
static Val
next_line(Lower *l, Iter *it, IrVar *has)
{
    IrBlock *save = l->b.at;
    Val slot;
    IrExpr *begin = val_freeze(&l->b, iter_place(l, it));
    l->b.at = &ir_if(&l->b, ir_op(l->cx, OP_lt, again(l, begin), length(l, &it->v)))->body;
    IrExpr *end = place_by(l, "_line_end", it, again(l, begin));
    iter_go(l, it, place_by(l, "_line_behind", it, again(l, end)));
    iter_found(l, &slot, part_of(l, &it->v, begin, end), has);
    l->b.at = save;
    return slot;
}

/* A name may be bound anew in the loop: it goes on over what it was. */
static Val
held(Lower *l, Val v)
{
    v = pin(l, text_val(l, v));
    Val *points = &v.elem[0];
    if (!points->temp) {
        IrVar *as = ir_var_like(l->b.f, "iter", points->arr);
        ir_alias(&l->b, as, points->arr);
        points->arr = as;
    }
    map_put(&l->cx->arena, &l->kept, points->arr, points->arr);
    return v;
}

bool
text_parts(Lower *l, const Node *n, Iter *it)
{
    const Call *c = n->kind == N_Call ? sema_info(l->in, n)->call : NULL;
    TextParts parts = c ? sema_text_parts(c) : PARTS_NONE;
    if (parts == PARTS_NONE || sema_info(l->in, n)->need)
        return false;
    bool by = parts == PARTS_BY, lines = parts == PARTS_LINES;
    const char *helper = by ? "_part_end" : lines ? "_line_end" : "_word_end";
    if (!sema_helper(l->in, helper, c->inst->params[0]))
        return false;
    *it = (Iter){.v = held(l, expr(l, c->arg[0])),
                 .next = by      ? next_part
                         : lines ? next_line
                                 : next_word};
    it->type = it->v.type;
    if (by) {
        it->n_sub = 1;
        it->sub = NEW(&l->cx->arena, Iter);
        it->sub[0].v = held(l, expr(l, c->arg[1]));
        check(l, ir_op(l->cx, OP_gt, length(l, &it->sub[0].v), i64(l, 0)), "ValueError",
              "empty separator");
    }
    it->at = iter_start(l, i64(l, 0));
    return true;
}
