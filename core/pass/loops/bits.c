/* SPDX-License-Identifier: BSD-3-Clause
 * Loops that count the bits of an int, one by one:
 *   while x: x &= x - 1; n += 1        while x > 0: n += x & 1; x >>= 1
 * and what is written alike, add what one operation yields. A negative int that is shifted never
 * becomes 0: for one the loop stays, in a branch. */
#include "pass/pass.h"

typedef struct Count {
    Cx *cx;
    IrVar *x, *n;  /* whose bits; the counter */
    bool shifts;   /* the lowest bit goes by a shift; else the lowest of those that are set */
    bool positive; /* the loop asks whether x > 0 */
    bool is_signed;
} Count;

static bool
is_op(const IrExpr *e, IrOp op)
{
    return e->kind == IX_OP && e->op == op;
}

static bool
is_number(const IrExpr *e, int64_t want)
{
    int64_t v;
    return ir_is_const(e, &v) && v == want;
}

/* op(x, c), or for an operation that commutes op(c, x) */
static bool
is_with(const IrExpr *e, IrOp op, const IrVar *x, int64_t c)
{
    return is_op(e, op) && ((ir_is_var(e->arg[0], x) && is_number(e->arg[1], c)) ||
                            ((op_info[op].flags & OPF_COMMUTES) && ir_is_var(e->arg[1], x) &&
                             is_number(e->arg[0], c)));
}

static const IrExpr *
uncast(const IrExpr *e)
{
    return e->kind == IX_CAST ? e->arg[0] : e;
}

static bool
read_test(Count *c, const IrExpr *e)
{
    bool truth = e->kind == IX_CAST && e->dtype == DT_bool;
    bool compares = (is_op(e, OP_ne) || is_op(e, OP_gt)) && is_number(e->arg[1], 0);
    const IrExpr *x = truth || compares ? e->arg[0] : NULL;
    if (!x || x->kind != IX_VAR || !dtype_is_int((DType)x->dtype))
        return false;
    c->x = x->var;
    c->is_signed = dtype_kind((DType)x->dtype) == DK_INT;
    c->positive = c->is_signed && is_op(e, OP_gt);
    return true;
}

/* x without a bit; true: it is found out which */
static bool
read_step(Count *c, const IrExpr *e)
{
    c->shifts = is_with(e, OP_shr, c->x, 1) || is_with(e, OP_floordiv, c->x, 2);
    if (c->shifts)
        return true;
    for (int i = 0; is_op(e, OP_and) && i < 2; i++)
        if (ir_is_var(e->arg[i], c->x) && is_with(e->arg[1 - i], OP_sub, c->x, 1))
            return true;
    return false;
}

static bool
is_low_bit(const Count *c, const IrExpr *e)
{
    const IrExpr *b = uncast(e);
    return is_with(b, OP_and, c->x, 1) || is_with(b, OP_mod, c->x, 2);
}

/* The lowest bit as a truth. */
static bool
asks_low_bit(const Count *c, const IrExpr *e)
{
    if (e->kind == IX_CAST)
        return e->dtype == DT_bool && is_low_bit(c, e->arg[0]);
    return (is_op(e, OP_ne) && is_number(e->arg[1], 0) && is_low_bit(c, e->arg[0])) ||
           (is_op(e, OP_eq) && is_number(e->arg[1], 1) && is_low_bit(c, e->arg[0]));
}

static bool
is_increment(const Count *c, const IrExpr *e)
{
    if (!c->shifts)
        return is_with(e, OP_add, c->n, 1);
    if (is_op(e, OP_select))
        return asks_low_bit(c, e->arg[0]) && is_with(e->arg[1], OP_add, c->n, 1) &&
               ir_is_var(e->arg[2], c->n);
    for (int i = 0; is_op(e, OP_add) && i < 2; i++)
        if (ir_is_var(e->arg[i], c->n) && is_low_bit(c, e->arg[1 - i]))
            return true;
    return false;
}

static bool
matches(Count *c, const IrStmt *s)
{
    const IrStmt *one = s->body.first, *two = one ? one->next : NULL;
    if (s->kind != IS_WHILE || s->pre.first || !two || two->next || one->kind != IS_SET ||
        two->kind != IS_SET || !read_test(c, s->e))
        return false;
    const IrStmt *step = one->var == c->x ? one : two, *add = step == one ? two : one;
    c->n = add->var;
    return step->var == c->x && c->n != c->x && dtype_is_int(c->n->dtype) &&
           read_step(c, step->e) && is_increment(c, add->e) && (!c->shifts || add == one);
}

static IrStmt *
set(Count *c, IrVar *v, IrExpr *e, Span at)
{
    IrStmt *s = ir_stmt(c->cx, IS_SET, at);
    s->var = v;
    s->e = e;
    return s;
}

static DType
unsigned_like(DType d)
{
    static const DType of[] = {[1] = DT_u8, [2] = DT_u16, [4] = DT_u32, [8] = DT_u64};
    return of[dtype_size(d)];
}

static void
put_count(Count *c, IrBlock *b, IrStmt *where, Span at)
{
    Cx *cx = c->cx;
    IrExpr *bits = ir_cast(cx, unsigned_like(c->x->dtype), ir_use(cx, c->x));
    IrExpr *more = ir_cast(cx, c->n->dtype, ir_op(cx, OP_popcount, bits));
    IrExpr *left = ir_int(cx, c->x->dtype, 0);
    if (c->positive) {
        IrExpr *test = ir_op(cx, OP_gt, ir_use(cx, c->x), ir_int(cx, c->x->dtype, 0));
        more = ir_op(cx, OP_select, test, more, ir_int(cx, c->n->dtype, 0));
        left = ir_op(cx, OP_select, ir_copy_expr(cx, test), left, ir_use(cx, c->x));
    }
    IrExpr *sum = ir_op(cx, OP_add, ir_use(cx, c->n), more);
    ir_insert_before(b, where, set(c, c->n, sum, at));
    ir_insert_before(b, where, set(c, c->x, left, at));
}

static void
rewrite(Count *c, IrBlock *b, IrStmt *s)
{
    IrStmt *next = s->next;
    ir_remove(b, s);
    if (!c->shifts || c->positive || !c->is_signed) {
        put_count(c, b, next, s->at);
        return;
    }
    IrStmt *test = ir_stmt(c->cx, IS_IF, s->at);
    test->e = ir_op(c->cx, OP_ge, ir_use(c->cx, c->x), ir_int(c->cx, c->x->dtype, 0));
    test->cold_else = true;
    put_count(c, &test->body, NULL, s->at);
    s->cold = true;
    ir_insert_before(&test->els, NULL, s);
    ir_insert_before(b, next, test);
}

static void
visit(Cx *cx, IrBlock *b)
{
    IrBlock *sub[IR_MAX_BLOCKS];
    for (IrStmt *s = b->first, *next; s; s = next) {
        next = s->next;
        Count c = {.cx = cx};
        if (matches(&c, s)) {
            rewrite(&c, b, s);
            continue;
        }
        for (int i = 0, n = ir_blocks(s, sub); i < n; i++)
            visit(cx, sub[i]);
    }
}

void
pass_bits(PassCx *p)
{
    for (int i = 0; i < p->mod->funcs.n; i++)
        visit(p->cx, &pass_func(p, i)->body);
}
