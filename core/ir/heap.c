/* SPDX-License-Identifier: BSD-3-Clause
 * Objects of the heap as the IR has them: see ir.h. */
#include "ir/ir.h"

bool
ir_same_obj(const IrVar *a, const IrVar *b)
{
    return a->obj == b->obj || (a->obj && b->obj && !strcmp(a->obj, b->obj));
}

int
ir_ref_words(const IrVar *v)
{
    return ir_is_object(v) ? 1 : 2 + v->ndim * (v->layout == LAY_A ? 2 : 1);
}

bool
ir_keeps_strides(const IrVar *object, int64_t word, const IrVar *v)
{
    return !ir_is_object(v) && (int)strspn(object->obj + word + 1, "w") > 2 * v->ndim;
}

static bool
names_expr(IrExpr **e, void *arg)
{
    const IrVar **v = arg;
    if ((*e)->var == *v && (*e)->kind != IX_LOAD)
        *v = NULL;
    return *v != NULL;
}

static void
names_stmt(IrBlock *b, IrStmt *s, void *arg)
{
    const IrVar **v = arg;
    (void)b;
    bool words = s->kind == IS_STORE || s->kind == IS_CHECK_INDEX;
    bool named = s->base == *v || (s->var == *v && !words);
    for (int i = 0; i < s->n_args + s->n_outs; i++)
        named |= (i < s->n_args ? s->args[i].arr : s->outs[i - s->n_args].arr) == *v;
    if (named)
        *v = NULL;
    if (*v)
        ir_walk_stmt_exprs(s, names_expr, arg);
}

/* May what s does make another name for v, or another object of it? Its words may be read and
 * stored. */
static bool
gives_away(IrStmt *s, const IrVar *v)
{
    IrBlock *sub[IR_MAX_BLOCKS];
    names_stmt(NULL, s, &v);
    for (int i = 0, n = ir_blocks(s, sub); v && i < n; i++)
        ir_walk_block(sub[i], names_stmt, &v);
    return !v;
}

bool
ir_put_is_first(const IrStmt *put)
{
    enum { FAR = 200 };

    int64_t word, other;
    const IrVar *v = put->base;
    if (put->fresh)
        return true;
    if (!ir_is_object(v) || put->var == v || !ir_is_const(put->idx[0], &word))
        return false;
    int n = 0;
    for (IrStmt *s = put->prev; s && n < FAR; s = s->prev, n++) {
        if (s->kind == IS_ALLOC && s->var == v)
            return s->zero;
        bool its = s->kind == IS_PUT && s->base == v && s->var != v;
        if (its && (!ir_is_const(s->idx[0], &other) || other == word))
            return false;
        if (!its && gives_away(s, v))
            return false;
    }
    return false;
}
