/* SPDX-License-Identifier: BSD-3-Clause
 * Loops that little but memory holds up: out[i] = x[index[i]], out[index[i]] = x[i]. They get
 * `wide`: vectors of elements from here and there have many of them under way at a time. Their
 * indices are checked by small groups, as many as the vectors of one turn hold: to look at a
 * long strip first would be to wait twice, for the strip and then for the elements, where a
 * branch for each group costs next to nothing. A group with an index that is negative or out of
 * range runs as the loop was written. */
#include "pass/checks/strip.h"

enum { MAX_APART = 4, MAX_TOUCHED = 8, MAX_OPS = 8 };

typedef struct Wide {
    const Inspect *s;
    const IrBlock *body;
    const IrStmt *at;
    int apart, touched, ops; /* elements that indices from memory name; all; operations */
    bool bad;
} Wide;

/* ---- is it such a loop? -------------------------------------------------------------------- */

/* An index: from memory, or the loop's variable along the last axis, or the same in all. */
static void
note_index(Wide *w, const IrExpr *e, bool last, bool *apart, bool *moves)
{
    IrAffine a;
    int coef = 0;
    bool wraps = e->kind == IX_OP && e->op == OP_wrap;
    IrExpr *x = inspect_resolve((Inspect *)w->s, wraps ? e->arg[0] : e);
    if (!x)
        w->bad = true;
    else if (ir_loads(x))
        *apart = true;
    else if (!inspect_take_apart(w->s, x, &a, &coef) || (coef && !last))
        w->bad = true;
    *moves |= coef != 0;
}

static void
note_element(Wide *w, const IrVar *v, IrExpr *const *idx, bool store)
{
    bool apart = false, moves = false;
    int size = dtype_size((DType)v->dtype);
    for (int i = 0; i < v->ndim; i++)
        note_index(w, idx[i], i == v->ndim - 1, &apart, &moves);
    w->apart += apart;
    w->touched++;
    w->bad |= dtype_is_complex((DType)v->dtype) || (size != 4 && size != 8);
    w->bad |= (moves && v->layout != LAY_C) || (store && !apart && !moves);
}

/* Set above in this iteration, or not in the loop at all? */
static bool
is_known(const Wide *w, const IrVar *v)
{
    if (v == w->s->loop->var || !ir_in(w->s->fx.sets, v))
        return true;
    for (const IrStmt *t = w->body->first; t != w->at; t = t->next)
        if (t->kind == IS_SET && t->var == v)
            return true;
    return false;
}

static bool
note_node(IrExpr **e, void *arg)
{
    Wide *w = arg;
    switch ((*e)->kind) {
    case IX_VAR:
        w->bad |= !is_known(w, (*e)->var);
        break;
    case IX_LOAD:
        note_element(w, (*e)->var, (*e)->arg, false);
        return false;
    case IX_OP:
        w->ops++;
        w->bad |= op_info[(*e)->op].flags & (OPF_LIBM | OPF_VECTOR | OPF_COSTLY);
        break;
    default:
        break;
    }
    return true;
}

/* Checks go when the loop is cut in strips. */
static bool
is_found(const Inspect *s, const IrStmt *check)
{
    for (int i = 0; i < s->found.n; i++)
        if (s->found.at[i].check == check)
            return true;
    return false;
}

bool
strip_is_wide(const Inspect *s)
{
    const IrStmt *loop = s->loop;
    Wide w = {.s = s, .body = &loop->body};
    if ((!loop->independent && !loop->novec_alias) || loop->n_reds || loop->n_lasts ||
        loop->novector || s->step != 1)
        return false;
    for (IrStmt *t = loop->body.first; t && !w.bad; t = t->next) {
        w.at = t;
        if (t->kind == IS_STORE)
            note_element(&w, t->var, t->idx, true);
        if (t->kind == IS_STORE || t->kind == IS_SET)
            ir_walk_expr(&t->e, note_node, &w);
        else
            w.bad |= !is_found(s, t);
    }
    return !w.bad && w.apart > 0 && w.apart <= MAX_APART && w.touched <= MAX_TOUCHED &&
           w.ops <= MAX_OPS;
}

/* ---- the groups --------------------------------------------------------------------------- */

static int
group_size(const Inspect *s)
{
    int bytes = s->p->vector_bytes ? s->p->vector_bytes : 32;
    return 4 * bytes / 8;
}

/* The loop runs for one group, from `first` on; its bounds are constants, so that it becomes
 * vectors and no loop. */
static void
run_group(Inspect *s, IrBuilder *b, IrVar *first)
{
    Cx *cx = s->cx;
    IrStmt *fast = s->loop, *set = ir_stmt(cx, IS_SET, fast->at);
    IrVar *k = ir_var(s->f, "k", DT_i64);
    set->var = fast->var;
    set->e = ir_op(cx, OP_add, ir_use(cx, first), ir_use(cx, k));
    ir_insert_before(&fast->body, fast->body.first, set);
    fast->var = k;
    fast->idx[0] = ir_int(cx, DT_i64, 0);
    fast->idx[1] = ir_int(cx, DT_i64, group_size(s));
    ir_insert_before(b->at, NULL, fast);
}

/* bad < 0 when one index of the group is out of range. */
static void
look_at_group(Inspect *s, IrBuilder *b, IrVar *bad, IrVar *first)
{
    Cx *cx = s->cx;
    IrVar *k = ir_var(s->f, "k", DT_i64), *j = ir_var(s->f, "ahead", DT_i64);
    IrBlock *save = b->at;
    ir_set(b, bad, ir_int(cx, DT_i64, 0));
    IrStmt *look =
        ir_loop(b, LOOP_REDUCE, k, ir_int(cx, DT_i64, 0), ir_int(cx, DT_i64, group_size(s)), 1);
    look->wide = true;
    b->at = &look->body;
    ir_set(b, j, ir_op(cx, OP_add, ir_use(cx, first), ir_use(cx, k)));
    inspect_note_bad(s, b, bad, j);
    b->at = save;
}

static IrStmt *
clone_loop(Inspect *s, IrExpr *lo, IrExpr *hi)
{
    IrStmt copy = *s->loop;
    copy.prev = copy.next = NULL;
    IrBlock one = {&copy, &copy}, made = ir_clone_block(s->f, &one, NULL);
    IrStmt *loop = made.first;
    ir_remove(&made, loop);
    loop->novector = true;
    loop->idx[0] = lo;
    loop->idx[1] = hi;
    return loop;
}

/* What is left over, or all of it when nothing may be looked at ahead, runs as it was. */
void
strip_emit_wide(Inspect *s, IrBuilder *b, void *arg)
{
    (void)arg;
    Cx *cx = s->cx;
    IrStmt *fast = s->loop;
    int size = group_size(s);
    IrExpr *lo = ir_named(b, "start", fast->idx[0]), *hi = ir_named(b, "stop", fast->idx[1]);
    IrVar *safe = inspect_safe(s, NULL, b, lo, hi), *bad = ir_var(s->f, "bad", DT_i64);
    IrVar *group = ir_var(s->f, "group", DT_i64);
    IrExpr *n = ir_op(cx, OP_sub, ir_copy_expr(cx, hi), ir_copy_expr(cx, lo));
    n = ir_op(cx, OP_and, n, ir_int(cx, DT_i64, -size));
    n = ir_op(cx, OP_select, ir_use(cx, safe), n, ir_int(cx, DT_i64, 0));
    IrExpr *full = ir_named(b, "full", ir_op(cx, OP_add, ir_copy_expr(cx, lo), n));
    IrStmt *outer = ir_loop(b, LOOP_SEQ, group, ir_copy_expr(cx, lo), full, size);
    outer->novector = true;
    IrStmt *rest = clone_loop(s, ir_copy_expr(cx, full), ir_copy_expr(cx, hi));
    ir_insert_before(b->at, NULL, rest);
    b->at = &outer->body;
    look_at_group(s, b, bad, group);
    IrStmt *test = ir_if(b, ir_op(cx, OP_ge, ir_use(cx, bad), ir_int(cx, DT_i64, 0)));
    test->cold_else = true;
    IrExpr *end = ir_op(cx, OP_add, ir_use(cx, group), ir_int(cx, DT_i64, size));
    ir_insert_before(&test->els, NULL, clone_loop(s, ir_use(cx, group), end));
    b->at = &test->body;
    run_group(s, b, group);
    for (int i = 0; i < s->found.n; i++)
        inspect_drop_check(s, &s->found.at[i], size, "");
}
