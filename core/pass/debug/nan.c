/* SPDX-License-Identifier: BSD-3-Clause
 * Under debug=True: raises FloatingPointError where a NaN comes from numbers that are none, such as
 * inf - inf or the root of a negative number. What is looked at is the value of a whole statement
 * when it is set, stored, passed or returned: a NaN that np.where leaves out is none. Each NaN that
 * is read excuses those that come of it. So a temporary of the compiler's own isn't looked at: it
 * carries a flag along, which says whether its NaN has no such excuse, to the statement of the
 * user's that reads it. */
#include "pass/pass.h"
#include <math.h>

enum { MOST_LEAVES = 24 };

typedef struct Nan {
    Cx *cx;
    IrModule *mod;
    IrFunc *f;
    Map fresh; /* temporary -> the flag: a NaN that nothing excuses */
} Nan;

/* ---- expressions ----------------------------------------------------------------------------- */

static bool
is_real(const IrExpr *e)
{
    return dtype_is_float((DType)e->dtype) && !dtype_is_complex((DType)e->dtype);
}

/* Those whose result is one of the operands, or is a NaN only if an operand is. */
static bool
only_moves(const IrExpr *e)
{
    switch ((IrOp)e->op) {
    case OP_select:
    case OP_min:
    case OP_max:
    case OP_fmin:
    case OP_fmax:
    case OP_neg:
    case OP_abs:
    case OP_sign:
    case OP_copysign:
    case OP_floor:
    case OP_ceil:
    case OP_trunc:
    case OP_rint:
        return true;
    default:
        return false;
    }
}

static bool
may_make(const Nan *n, const IrExpr *e)
{
    if (!is_real(e))
        return false;
    if (e->kind == IX_VAR)
        return map_get(&n->fresh, e->var) != NULL;
    if (e->kind != IX_OP && e->kind != IX_CAST)
        return false;
    if (e->kind == IX_OP && !only_moves(e))
        return true;
    for (int i = 0; i < e->n; i++)
        if (may_make(n, e->arg[i]))
            return true;
    return false;
}

/* *excuse becomes: something that e reads is a NaN, and is excused. False: too much to ask. */
static bool
find_excuses(const Nan *n, const IrExpr *e, IrExpr **excuse, int *leaves)
{
    Cx *cx = n->cx;
    bool pair = dtype_is_complex((DType)e->dtype); /* its parts come from it */
    if (!is_real(e) && !pair)
        return true;
    if (e->kind == IX_OP || e->kind == IX_CAST) {
        bool ok = true;
        for (int i = 0; i < e->n && ok; i++)
            ok = find_excuses(n, e->arg[i], excuse, leaves);
        return ok;
    }
    if (e->kind == IX_CONST && !isnan(e->re) && !(pair && isnan(e->im)))
        return true;
    IrExpr *nan = ir_op(cx, OP_isnan, ir_copy_expr(cx, e));
    IrVar *fresh = e->kind == IX_VAR ? map_get(&n->fresh, e->var) : NULL;
    if (fresh)
        nan = ir_op(cx, OP_and, nan, ir_op(cx, OP_inv, ir_use(cx, fresh)));
    *excuse = ir_op(cx, OP_or, *excuse, nan);
    return ++*leaves <= MOST_LEAVES;
}

/* ---- statements ------------------------------------------------------------------------------ */

static void
set_before(Nan *n, IrBlock *b, IrStmt *at, IrVar *v, IrExpr *e)
{
    IrStmt *s = ir_stmt(n->cx, IS_SET, at->at);
    s->var = v;
    s->e = e;
    ir_insert_before(b, at, s);
}

/* NULL, or what says that e, whose value `now` is, is a NaN without an excuse. */
static IrExpr *
without_excuse(Nan *n, const IrExpr *e, IrVar *now)
{
    IrExpr *excuse = ir_int(n->cx, DT_bool, 0);
    int leaves = 0;
    if (!find_excuses(n, e, &excuse, &leaves))
        return NULL;
    IrExpr *nan = ir_op(n->cx, OP_isnan, ir_use(n->cx, now));
    return ir_op(n->cx, OP_and, nan, ir_op(n->cx, OP_inv, excuse));
}

/* A sum that may be added up in any order is left alone: a check in the loop would pin its order
 * down. */
static IrExpr *
checked(Nan *n, IrBlock *b, IrStmt *s, IrExpr *e)
{
    if (!e || (e->flags & (IXF_REASSOC | IXF_FAST)) || !may_make(n, e))
        return e;
    IrVar *now = ir_var(n->f, "number", (DType)e->dtype);
    IrExpr *bad = without_excuse(n, e, now);
    if (!bad)
        return e;
    set_before(n, b, s, now, e);
    IrStmt *c = ir_stmt(n->cx, IS_CHECK, s->at);
    c->e = ir_op(n->cx, OP_inv, bad);
    c->site =
        ir_site(n->mod, "FloatingPointError", "a NaN comes from numbers that are none", s->at);
    ir_insert_before(b, s, c);
    n->f->may_raise = true;
    return ir_use(n->cx, now);
}

/* The flag is set along with the temporary, to what was so before it. */
static void
flag_temporary(Nan *n, IrBlock *b, IrStmt *s)
{
    if (!may_make(n, s->e))
        return;
    IrVar *now = ir_var(n->f, "number", (DType)s->e->dtype);
    IrExpr *bad = without_excuse(n, s->e, now);
    if (!bad)
        return;
    IrVar *flag = ir_var(n->f, "fresh", DT_bool);
    set_before(n, b, s, now, s->e);
    set_before(n, b, s, flag, bad);
    s->e = ir_use(n->cx, now);
    map_put(&n->cx->arena, &n->fresh, s->var, flag);
}

static void
visit(Nan *n, IrBlock *b)
{
    IrBlock *sub[IR_MAX_BLOCKS];
    for (IrStmt *s = b->first, *next; s; s = next) {
        next = s->next;
        if (s->kind == IS_SET && s->var->once)
            flag_temporary(n, b, s);
        else if (s->kind == IS_SET || s->kind == IS_STORE)
            s->e = checked(n, b, s, s->e);
        for (int i = 0; (s->kind == IS_RETURN || s->kind == IS_CALL) && i < s->n_args; i++)
            s->args[i].e = checked(n, b, s, s->args[i].e);
        int k = ir_blocks(s, sub);
        for (int i = 0; i < k; i++)
            visit(n, sub[i]);
    }
}

static void
find_call(IrBlock *b, IrStmt *s, void *arg)
{
    (void)b;
    if (s->kind == IS_CALL && s->func->may_raise)
        *(bool *)arg = true;
}

void
pass_nan(PassCx *p)
{
    bool any = false;
    for (int i = 0; i < p->mod->funcs.n; i++) {
        Nan n = {.cx = p->cx, .mod = p->mod, .f = pass_func(p, i)};
        if (p->cx->opt->debug)
            visit(&n, &n.f->body);
        any |= p->cx->opt->debug;
    }
    if (!any)
        return;
    for (bool changed = true; changed;) {
        changed = false;
        for (int i = 0; i < p->mod->funcs.n; i++) {
            IrFunc *f = p->mod->funcs.at[i];
            bool raises = f->may_raise;
            ir_walk_block(&f->body, find_call, &raises);
            changed |= raises != f->may_raise;
            f->may_raise = raises;
        }
    }
}
