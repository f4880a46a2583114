/* SPDX-License-Identifier: BSD-3-Clause
 * Floats that become ints in the loops of pass defer. Where the strip's flag tells that one doesn't
 * fit, what it came to is not needed: the strip is undone. So such a cast may be the processor's
 * own (IXF_ANY), and the flag asks the float, which LLVM does side by side with the cast. Where the
 * int is then held against a narrow dtype, or kept between constants, it may as well have 32 bits,
 * of which twice as many are in a vector: a strip with a larger one runs as it was written. */
#include "ir/search.h"
#include "pass/checks/defer.h"

typedef struct Casts {
    Cx *cx;
    IrFunc *f;
    IrVar *ok;
    int from;        /* variables from here on are the loop's own */
    const IrVar *t;  /* an int that was a float */
    int sets;        /* assignments to it */
    int bounds;      /* constants that it is compared to */
    bool narrow;     /* it has to be small, or is kept between two of them */
    const IrExpr *x; /* a float in range, of which */
    bool wide;       /* 64 bits are needed */
} Casts;

/* ok = and(ok, cond): cond */
static IrExpr *
noted(const Casts *c, const IrStmt *s)
{
    return s && s->kind == IS_SET && s->var == c->ok && s->e->kind == IX_OP && s->e->op == OP_and &&
                   ir_is_var(s->e->arg[0], c->ok)
               ? s->e->arg[1]
               : NULL;
}

static bool
is_plain_float(const IrExpr *e)
{
    return e->dtype == DT_f32 || e->dtype == DT_f64;
}

/* ---- ints that are asked whether they came out ----------------------------------------------- */

static bool
is_small_const(const IrExpr *e)
{
    int64_t v;
    return ir_is_const(e, &v) && v >= INT32_MIN && v <= INT32_MAX;
}

/* eq(i64(D(t)), t): D, else DT_i64 */
static DType
held_against(const IrExpr *e, const IrVar *t)
{
    bool fits = e && e->kind == IX_OP && e->op == OP_eq && ir_is_var(e->arg[1], t) &&
                e->arg[0]->kind == IX_CAST && e->arg[0]->arg[0]->kind == IX_CAST &&
                ir_is_var(e->arg[0]->arg[0]->arg[0], t);
    return fits ? (DType)e->arg[0]->arg[0]->dtype : DT_i64;
}

static bool
find_narrow(IrExpr **e, void *arg)
{
    Casts *c = arg;
    const IrExpr *x = *e;
    if (x->kind != IX_OP || x->n < 2 ||
        !ir_is_var(x->arg[1], c->t) + !ir_is_var(x->arg[0], c->t) != 1)
        return true;
    const IrExpr *other = x->arg[ir_is_var(x->arg[0], c->t)];
    DType d = held_against(x, c->t);
    bool fits = d != DT_u32 && dtype_size(d) <= 4;
    bool ordered = (op_info[x->op].flags & OPF_ORDERS) || x->op == OP_min || x->op == OP_max;
    c->bounds += ordered && is_small_const(other);
    c->narrow |= fits || c->bounds > 1;
    return true;
}

static void
count_sets(IrBlock *b, IrStmt *s, void *arg)
{
    Casts *c = arg;
    (void)b;
    c->sets += s->kind == IS_SET && s->var == c->t;
    ir_walk_stmt_exprs(s, find_narrow, c);
}

static bool
is_least(const IrExpr *cond, const IrVar *t)
{
    int64_t v;
    return cond && cond->kind == IX_OP && cond->op == OP_ne && ir_is_var(cond->arg[0], t) &&
           ir_is_const(cond->arg[1], &v) && v == INT64_MIN;
}

/* Where t is held against int8 or the like later on in this block, the float is at once. */
static IrExpr *
ask_narrow(Casts *c, IrBlock *b, IrStmt *note, const IrExpr *x)
{
    Cx *cx = c->cx;
    for (IrStmt *s = note->next; s; s = s->next) {
        DType d = held_against(noted(c, s), c->t);
        if (!dtype_is_int(d) || dtype_size(d) > 2)
            continue;
        int64_t all = (int64_t)1 << dtype_info[d].bits,
                lo = dtype_kind(d) == DK_INT ? -(all / 2) : 0;
        ir_remove(b, s);
        DType f = (DType)x->dtype;
        return ir_op(cx, OP_and,
                     ir_op(cx, OP_gt, ir_copy_expr(cx, x), ir_float(cx, f, (double)(lo - 1))),
                     ir_op(cx, OP_lt, ir_copy_expr(cx, x), ir_float(cx, f, (double)(lo + all))));
    }
    return NULL;
}

/* t = i64(x); ok = and(ok, ne(t, least)) */
static void
ask_float(Casts *c, IrStmt *loop, IrBlock *b, IrStmt *s)
{
    IrExpr *cast = s->e, *x = cast->arg[0];
    c->t = s->var;
    c->sets = c->bounds = 0;
    c->narrow = false;
    ir_walk_block(&loop->body, count_sets, c);
    if (c->sets != 1)
        return;
    Cx *cx = c->cx;
    IrExpr *most = ir_float(cx, (DType)x->dtype, c->narrow ? 0x1p31 : 0x1p63);
    IrExpr *fits = ask_narrow(c, b, s->next, x);
    if (!fits)
        fits = ir_op(cx, OP_lt, ir_op(cx, OP_abs, ir_copy_expr(cx, x)), most);
    s->next->e = ir_op(cx, OP_and, ir_use(cx, c->ok), fits);
    IrExpr *any = ir_raw_cast(cx, c->narrow ? DT_i32 : DT_i64, x);
    any->flags = IXF_ANY;
    s->e = c->narrow ? ir_raw_cast(cx, DT_i64, any) : any;
}

/* ---- floats that are asked whether they fit -------------------------------------------------- */

/* x > lo and x < hi, both constants */
static const IrExpr *
asked(const IrExpr *cond, double *lo, double *hi)
{
    if (cond->kind != IX_OP || cond->op != OP_and)
        return NULL;
    const IrExpr *a = cond->arg[0], *b = cond->arg[1];
    if (a->kind != IX_OP || b->kind != IX_OP || a->op != OP_gt || b->op != OP_lt ||
        !is_plain_float(a->arg[0]) || !ir_expr_equal(a->arg[0], b->arg[0]) ||
        a->arg[1]->kind != IX_CONST || b->arg[1]->kind != IX_CONST)
        return NULL;
    *lo = a->arg[1]->re;
    *hi = b->arg[1]->re;
    return a->arg[0];
}

static bool
mark_cast(IrExpr **e, void *arg)
{
    Casts *c = arg;
    IrExpr *x = *e;
    DType d = (DType)x->dtype;
    if (x->kind == IX_CAST && dtype_is_int(d) && d != DT_u64 &&
        (!c->wide || d == DT_u32 || dtype_size(d) == 8) && ir_expr_equal(x->arg[0], c->x))
        x->flags |= IXF_ANY;
    return true;
}

/* Behind a note, as far as what x is made of is what it was. */
static void
mark_behind(Casts *c, const IrStmt *note)
{
    double lo, hi;
    c->x = asked(noted(c, note), &lo, &hi);
    if (!c->x || !(lo >= -0x1p63 && hi <= 0x1p63))
        return;
    c->wide = !(lo >= -0x1p31 - 1 && hi <= 0x1p31);
    for (IrStmt *s = note->next; s && (s->kind == IS_SET || s->kind == IS_STORE); s = s->next) {
        ir_walk_stmt_exprs(s, mark_cast, c);
        if (s->kind == IS_STORE || ir_mentions(c->x, s->var))
            return;
    }
}

static void
visit(Casts *c, IrStmt *loop, IrBlock *b)
{
    for (IrStmt *s = b->first; s; s = s->next) {
        if (s->kind == IS_IF) {
            visit(c, loop, &s->body);
            visit(c, loop, &s->els);
        }
        if (s->kind == IS_SET && s->var->id >= c->from && s->e->kind == IX_CAST &&
            s->e->dtype == DT_i64 && is_plain_float(s->e->arg[0]) &&
            is_least(noted(c, s->next), s->var))
            ask_float(c, loop, b, s);
        if (noted(c, s))
            mark_behind(c, s);
    }
}

void
defer_casts(Cx *cx, IrFunc *f, IrStmt *loop, IrVar *ok, int from)
{
    Casts c = {.cx = cx, .f = f, .ok = ok, .from = from};
    visit(&c, loop, &loop->body);
}
