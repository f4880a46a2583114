/* SPDX-License-Identifier: BSD-3-Clause
 * Checks of indices that are read from memory, as in out[i] = x[index[i]]: an innermost
 * loop with such a check becomes strips of some thousand iterations. A small loop first looks at
 * all indices of a strip (it has no branch, so it becomes vectors); when all are in 0 ..
 * dim-1 the strip runs without the checks, else as it was written, so that what it has
 * done before an IndexError is what Python has done. The hard part is that the look ahead
 * may only read what the loop will read: its loads must be of arrays that share no memory
 * with what the loop stores to, and in range from the first iteration to the last. Both
 * are tested once, at run time, before the loop. */
#include "pass/checks/strip.h"

/* Each change from looking ahead to working drains the processor's queue of loads, which is
 * felt where these miss the cache: strips are as long as the indices stay in the second
 * level of the cache. */
static int64_t
strip_length(const Strip *s)
{
    int64_t n = tune(s->cx, strip_longest);
    for (int loads = 1; loads < s->loads.n; loads *= 2)
        n /= 2;
    return n;
}

/* ---- what the body is ------------------------------------------------------------------------ */

void
strip_note_store(Strip *s, IrVar *v)
{
    for (int i = 0; i < s->stored.n; i++)
        if (s->stored.at[i] == v)
            return;
    VEC_PUSH(&s->cx->arena, s->stored, v);
}

bool
strip_is_plain(Strip *s, const IrBlock *b)
{
    for (const IrStmt *t = b->first; t; t = t->next) {
        intptr_t n = 0;
        if (++s->stmts > MAX_STMTS)
            return false;
        switch (t->kind) {
        case IS_SET:
            n = (intptr_t)map_get(&s->n_sets, t->var);
            map_put(&s->cx->arena, &s->n_sets, t->var, (void *)(n + 1));
            break;
        case IS_STORE:
            strip_note_store(s, t->var);
            break;
        case IS_IF:
            if (!strip_is_plain(s, &t->body) || !strip_is_plain(s, &t->els))
                return false;
            break;
        case IS_CHECK:
        case IS_CHECK_INDEX:
            break;
        default:
            return false;
        }
    }
    return true;
}

/* ---- indices --------------------------------------------------------------------------------- */

typedef struct Search {
    const IrVar *var;
    int loads, uses, nodes;
} Search;

static bool
search_node(IrExpr **e, void *arg)
{
    Search *s = arg;
    s->nodes++;
    s->loads += (*e)->kind == IX_LOAD;
    s->uses += ir_is_var(*e, s->var);
    return true;
}

static Search
search(const IrExpr *e, const IrVar *v)
{
    Search s = {.var = v};
    IrExpr *x = (IrExpr *)e;
    ir_walk_expr(&x, search_node, &s);
    return s;
}

/* e = c + the loop variable, or without it; *coef says which. The rest is invariant and
 * reads no memory, so that testing e at strip_both ends of the loop tests it for all
 * iterations. */
bool
strip_take_apart(const Strip *s, const IrExpr *e, IrAffine *a, int *coef)
{
    *coef = 0;
    if (search(e, NULL).loads || !ir_affine(e, a))
        return false;
    for (int i = 0; i < a->n; i++) {
        const IrExpr *t = a->t[i].term;
        if (ir_is_var(t, s->loop->var) && a->t[i].coef == 1)
            *coef = 1;
        else if (search(t, s->loop->var).uses)
            return false;
    }
    return true;
}

static IrExpr *resolve(Strip *s, const IrExpr *e, bool test);

static IrExpr *
resolve_load(Strip *s, const IrExpr *e)
{
    IrExpr **idx = NEW_N(&s->cx->arena, IrExpr *, e->n ? e->n : 1);
    IrAffine a;
    int coef;
    if (ir_in(s->fx.sets, e->var) || ir_in(s->fx.stores, e->var))
        return NULL;
    for (int i = 0; i < e->n; i++) {
        const IrExpr *x = e->arg[i];
        bool wraps = x->kind == IX_OP && x->op == OP_wrap; /* not where it is tested to be >= 0 */
        idx[i] = strip_resolve(s, wraps ? x->arg[0] : x);
        if (!idx[i] || !strip_take_apart(s, idx[i], &a, &coef))
            return NULL;
    }
    return ir_load(s->cx, e->var, e->n, idx);
}

static bool
is_cheap(const IrExpr *e) /* done twice, it costs less than a branch */
{
    switch (e->op) {
    case OP_add:
    case OP_sub:
    case OP_mul:
    case OP_neg:
    case OP_and:
    case OP_or:
    case OP_xor:
    case OP_min:
    case OP_max:
    case OP_inv:
    case OP_abs:
        return true;
    case OP_shl:
    case OP_shr:
        return e->arg[1]->kind == IX_CONST;
    default:
        return op_info[e->op].flags & OPF_COMPARES;
    }
}

/* test: e is a part of a condition, which may compare floats. */
static bool
is_number(const IrExpr *e, bool test)
{
    DType d = (DType)e->dtype;
    bool odd = d == DT_f16 || dtype_is_complex(d);
    return dtype_is_int(d) || (test && !odd);
}

static IrExpr *
resolve(Strip *s, const IrExpr *e, bool test)
{
    IrExpr *arg[4];
    if (!is_number(e, test))
        return NULL;
    switch (e->kind) {
    case IX_CONST:
    case IX_GEO:
        return ir_copy_expr(s->cx, e);
    case IX_VAR:
        if (map_get(&s->value, e->var))
            return ir_copy_expr(s->cx, map_get(&s->value, e->var));
        if (e->var != s->loop->var && ir_in(s->fx.sets, e->var))
            return NULL;
        return ir_copy_expr(s->cx, e);
    case IX_DIM:
    case IX_STRIDE:
        return ir_in(s->fx.sets, e->var) ? NULL : ir_copy_expr(s->cx, e);
    case IX_LOAD:
        return resolve_load(s, e);
    case IX_CAST:
        if (dtype_is_float((DType)e->arg[0]->dtype) && !dtype_is_float((DType)e->dtype))
            return NULL;
        arg[0] = resolve(s, e->arg[0], test);
        return arg[0] ? ir_cast(s->cx, (DType)e->dtype, arg[0]) : NULL;
    case IX_OP:
        if (!is_cheap(e))
            return NULL;
        for (int i = 0; i < e->n; i++)
            if (!(arg[i] = resolve(s, e->arg[i], test)))
                return NULL;
        return ir_opv(s->cx, (IrOp)e->op, arg);
    }
    return NULL;
}

/* e by the loop variable, invariants, and loads that the loop does not change; NULL: it
 * isn't. */
IrExpr *
strip_resolve(Strip *s, const IrExpr *e)
{
    return resolve(s, e, false);
}

/* ---- what can be looked at ahead ------------------------------------------------------------- */

typedef struct Loads {
    Strip *s;
    bool bad;
} Loads;

/* Does the look ahead read neighbours? Else it is no faster than a branch for each of them. */
static bool
is_along(const Strip *s, const IrExpr *load)
{
    IrAffine a;
    int coef, unit = load->var->layout == LAY_F ? 0 : load->n - 1;
    for (int i = 0; i < load->n; i++)
        if (strip_take_apart(s, load->arg[i], &a, &coef) && coef && i != unit)
            return false;
    return true;
}

static bool
note_load(IrExpr **e, void *arg)
{
    Loads *l = arg;
    if ((*e)->kind != IX_LOAD)
        return true;
    for (int i = 0; i < l->s->loads.n; i++)
        if (ir_expr_equal(l->s->loads.at[i], *e))
            return false;
    l->bad |= l->s->loads.n == MAX_LOADS || !is_along(l->s, *e);
    if (!l->bad)
        VEC_PUSH(&l->s->cx->arena, l->s->loads, *e);
    return false;
}

static bool
may_share(const IrVar *a, const IrVar *b)
{
    return !a->noalias && !b->noalias;
}

static int
count_pairs(const Strip *s)
{
    int n = 0;
    for (int i = 0; i < s->loads.n; i++)
        for (int k = 0; k < s->stored.n; k++)
            n += may_share(s->loads.at[i]->var, s->stored.at[k]);
    return n;
}

bool
strip_note_loads(Strip *s, IrExpr *e)
{
    Loads l = {s, false};
    ir_walk_expr(&e, note_load, &l);
    return !l.bad;
}

static bool
may_look(Strip *s, IrExpr *e)
{
    int had = s->loads.n;
    if (search(e, NULL).nodes <= MAX_NODES && strip_note_loads(s, e) && count_pairs(s) <= MAX_PAIRS)
        return true;
    s->loads.n = had;
    return false;
}

static void
find_check(Strip *s, IrBlock *b, IrStmt *check, IrExpr *where)
{
    if (s->found.n == MAX_CHECKS || ir_in(s->fx.sets, check->var))
        return;
    IrExpr *e = strip_resolve(s, check->e);
    if (e && may_look(s, e))
        VEC_PUSH(&s->cx->arena, s->found,
                 ((Hoist){check, b, e, where && may_look(s, where) ? where : NULL}));
}

/* where: what is known to hold in the block. A variable that is set in a branch alone has its value
 * there alone. */
static void
find_in(Strip *s, IrBlock *b, IrExpr *where, bool branch)
{
    for (IrStmt *t = b->first; t; t = t->next) {
        if (t->kind == IS_CHECK_INDEX)
            find_check(s, b, t, where);
        if (t->kind == IS_IF) {
            IrExpr *c = resolve(s, t->e, true);
            IrExpr *no = c ? ir_op(s->cx, OP_inv, ir_copy_expr(s->cx, c)) : NULL;
            IrExpr *around = where ? ir_copy_expr(s->cx, where) : NULL;
            find_in(s, &t->body, c ? strip_both(s->cx, where, c) : where, true);
            find_in(s, &t->els, c ? strip_both(s->cx, around, no) : around, true);
        }
        if (t->kind != IS_SET || (intptr_t)map_get(&s->n_sets, t->var) != 1)
            continue;
        IrExpr *e = strip_resolve(s, t->e);
        if (e && search(e, NULL).nodes <= MAX_NODES)
            map_put(&s->cx->arena, &s->value, t->var, e);
    }
    for (IrStmt *t = b->first; t && branch; t = t->next)
        if (t->kind == IS_SET && map_get(&s->value, t->var))
            map_put(&s->cx->arena, &s->value, t->var, NULL);
}

void
strip_find_checks(Strip *s)
{
    find_in(s, &s->loop->body, NULL, false);
}

/* ---- may the look ahead run? ----------------------------------------------------------------- */

IrExpr *
strip_both(Cx *cx, IrExpr *a, IrExpr *b)
{
    return a ? ir_op(cx, OP_and, a, b) : b;
}

/* The index `a` with `at` for the loop variable. */
static IrExpr *
index_at(const Strip *s, const IrAffine *a, int coef, const IrExpr *at, int64_t plus)
{
    Cx *cx = s->cx;
    IrAffine rest = {.c0 = a->c0};
    for (int i = 0; i < a->n; i++)
        if (a->t[i].term->kind != IX_VAR || a->t[i].term->var != s->loop->var)
            rest.t[rest.n++] = a->t[i];
    IrExpr *e = ir_affine_expr(cx, &rest);
    if (coef)
        e = ir_op(cx, OP_add, ir_op(cx, OP_add, ir_copy_expr(cx, at), ir_int(cx, DT_i64, plus)), e);
    return e;
}

/* Is each load in range in the first iteration and in the last? Then, as there are fewer
 * than 2**63 iterations, it is in all of them: an index that wraps around on the way is negative
 * in the last, or the loop variable itself, which does not. */
IrExpr *
strip_ranges(const Strip *s, IrExpr *all, const IrExpr *lo, const IrExpr *hi)
{
    Cx *cx = s->cx;
    IrAffine a;
    int coef, plus = 0;
    if (s->step < 0) { /* from hi + 1 to lo + 1 */
        const IrExpr *t = lo;
        lo = hi;
        hi = t;
        plus = 1;
    }
    for (int i = 0; i < s->loads.n; i++) {
        const IrExpr *l = s->loads.at[i];
        for (int k = 0; k < l->n; k++) {
            strip_take_apart(s, l->arg[k], &a, &coef);
            IrExpr *first = index_at(s, &a, coef, lo, plus),
                   *last = index_at(s, &a, coef, hi, plus - 1);
            all = strip_both(cx, all, ir_op(cx, OP_ge, first, ir_int(cx, DT_i64, 0)));
            all = strip_both(cx, all, ir_op(cx, OP_lt, last, ir_dim(cx, l->var, k)));
            if (coef && (a.n > 1 || a.c0))
                all = strip_both(cx, all,
                                 ir_op(cx, OP_ge, ir_copy_expr(cx, last), ir_int(cx, DT_i64, 0)));
        }
    }
    return all;
}

static IrExpr *
test_overlap(IrBuilder *b, IrVar *x, IrVar *y)
{
    IrVar *r = ir_overlap(b, x, y);
    return ir_op(b->cx, OP_eq, ir_use(b->cx, r), ir_int(b->cx, DT_i32, 0));
}

IrExpr *
strip_overlaps(const Strip *s, IrBuilder *b)
{
    IrExpr *all = NULL;
    for (int k = 0; k < s->stored.n; k++)
        for (int i = 0; i < s->loads.n; i++) {
            IrVar *x = s->loads.at[i]->var;
            bool again = false;
            for (int j = 0; j < i; j++)
                again |= s->loads.at[j]->var == x;
            if (!again && may_share(x, s->stored.at[k]))
                all = strip_both(s->cx, all, test_overlap(b, x, s->stored.at[k]));
        }
    return all;
}

/* safe = there are enough iterations, and the look ahead reads what the loop reads. */
IrVar *
strip_safe(const Strip *s, const Strip *inner, IrBuilder *b, const IrExpr *lo, const IrExpr *hi)
{
    Cx *cx = s->cx;
    IrVar *safe = ir_var(s->f, "safe", DT_bool);
    ir_set(b, safe, ir_int(cx, DT_bool, 0));
    int64_t each = s->step < 0 ? -s->step : s->step ? s->step : 1;
    IrExpr *from = ir_copy_expr(cx, s->step < 0 ? hi : lo);
    IrExpr *n = ir_op(cx, OP_sub, ir_copy_expr(cx, s->step < 0 ? lo : hi), from);
    IrStmt *test = ir_if(b, ir_op(cx, OP_ge, n, ir_int(cx, DT_i64, each * tune(cx, strip_fewest))));
    IrBlock *save = b->at;
    b->at = &test->body;
    IrExpr *all = strip_ranges(s, strip_overlaps(s, b), lo, hi);
    IrExpr *more = inner ? strip_overlaps(inner, b) : NULL;
    all = more ? strip_both(cx, all, more) : all;
    ir_set(b, safe, all ? all : ir_int(cx, DT_bool, 1));
    b->at = save;
    return safe;
}

/* ---- the strips ------------------------------------------------------------------------------ */

/* strip .. min(strip + length, hi), written so that the sum cannot wrap; a negative length: back. */
IrExpr *
strip_end(Cx *cx, IrVar *strip, const IrExpr *hi, int64_t length)
{
    IrExpr *rest = ir_op(cx, OP_sub, ir_copy_expr(cx, hi), ir_use(cx, strip));
    rest = ir_op(cx, length < 0 ? OP_max : OP_min, rest, ir_int(cx, DT_i64, length));
    return ir_op(cx, OP_add, ir_use(cx, strip), rest);
}

/* bad < 0 when an index is in iteration j: i | (dim - 1 - i) is negative where i is out of
 * range. */
void
strip_note_bad(Strip *s, IrBuilder *b, IrVar *bad, IrVar *j)
{
    Cx *cx = s->cx;
    Map map = {0};
    map_put(&cx->arena, &map, s->loop->var, j);
    IrExpr *any = ir_use(cx, bad);
    for (int i = 0; i < s->found.n; i++) {
        Hoist *h = &s->found.at[i];
        IrExpr *e = ir_clone_expr(s->f, h->index, &map);
        IrExpr *last =
            ir_op(cx, OP_sub, ir_dim(cx, h->check->var, h->check->axis), ir_int(cx, DT_i64, 1));
        IrExpr *high = ir_op(cx, OP_sub, last, ir_copy_expr(cx, e));
        IrExpr *out = ir_op(cx, OP_or, e, high);
        if (h->where)
            out = ir_op(cx, OP_select, ir_clone_expr(s->f, h->where, &map), out,
                        ir_int(cx, DT_i64, 0));
        any = ir_op(cx, OP_or, any, out);
    }
    ir_set(b, bad, any);
}

void
strip_look(Strip *s, IrBuilder *b, IrVar *bad, IrExpr *from, IrExpr *to)
{
    IrVar *j = ir_var(s->f, "ahead", DT_i64);
    ir_set(b, bad, ir_int(s->cx, DT_i64, 0));
    IrStmt *look = ir_loop(b, LOOP_REDUCE, j, from, to, s->step ? s->step : 1);
    IrBlock *save = b->at;
    b->at = &look->body;
    strip_note_bad(s, b, bad, j);
    b->at = save;
}

static bool
unwrap(IrExpr **e, void *arg)
{
    while ((*e)->kind == IX_OP && (*e)->op == OP_wrap && ir_expr_equal((*e)->arg[0], arg))
        *e = (*e)->arg[0];
    return true;
}

static void
unwrap_stmt(IrBlock *b, IrStmt *t, void *arg)
{
    (void)b;
    ir_walk_stmt_exprs(t, unwrap, arg);
}

/* check index >= 0 */
static bool
is_implied(const IrStmt *t, const IrStmt *check)
{
    int64_t zero;
    return t && t->kind == IS_CHECK && t->e->kind == IX_OP && t->e->op == OP_ge &&
           ir_is_const(t->e->arg[1], &zero) && zero == 0 && ir_expr_equal(t->e->arg[0], check->e);
}

/* What the check's index is made of is set once, before it: behind it, it has the same
 * value. */
void
strip_drop_check(Strip *s, const Hoist *h, int length, const char *unit)
{
    IrStmt *check = h->check;
    while (is_implied(check->prev, check)) /* of what is as large as an uint64 can be */
        ir_remove(h->in, check->prev);
    for (IrStmt *t = check->next; t; t = t->next) {
        IrBlock *sub[IR_MAX_BLOCKS];
        int n = ir_blocks(t, sub);
        ir_walk_stmt_exprs(t, unwrap, check->e);
        for (int i = 0; i < n; i++)
            ir_walk_block(sub[i], unwrap_stmt, check->e);
    }
    pass_remark(s->p, REMARK_strip_hoisted, check->at,
                "%s, axis %d: one test for each strip of %d%s", check->var->name, check->axis,
                length, unit);
    ir_remove(h->in, check);
}

/* The loop leaves its block; what is to stand there is appended to b. */
static void
emit_strips(Strip *s, IrBuilder *b, void *arg)
{
    (void)arg;
    Cx *cx = s->cx;
    IrStmt *fast = s->loop;
    IrExpr *lo = ir_named(b, "start", fast->idx[0]), *hi = ir_named(b, "stop", fast->idx[1]);
    IrVar *safe = strip_safe(s, NULL, b, lo, hi), *bad = ir_var(s->f, "bad", DT_i64);
    IrVar *strip = ir_var(s->f, "strip", DT_i64);
    int64_t length = s->step * strip_length(s);
    IrStmt *outer = ir_loop(b, (LoopKind)fast->loop, strip, lo, hi, length);
    outer->novector = true;
    b->at = &outer->body;
    ir_set(b, bad, ir_int(cx, DT_i64, -1));
    IrStmt *ask = ir_if(b, ir_use(cx, safe));
    b->at = &ask->body;
    strip_look(s, b, bad, ir_use(cx, strip), strip_end(cx, strip, hi, length));
    b->at = &outer->body;
    IrStmt *test = ir_if(b, ir_op(cx, OP_ge, ir_use(cx, bad), ir_int(cx, DT_i64, 0)));
    test->cold_else = true;
    fast->idx[0] = ir_use(cx, strip);
    fast->idx[1] = strip_end(cx, strip, hi, length);
    ir_insert_before(&test->body, NULL, fast);
    test->els = ir_clone_block(s->f, &test->body, NULL);
    test->els.first->novector = true;
    for (int i = 0; i < s->found.n; i++)
        strip_drop_check(s, &s->found.at[i], (int)strip_length(s), "");
}

void
strip_replace(Strip *s, IrBlock *blk, StripEmit emit, void *arg)
{
    IrBlock made = {0};
    IrBuilder b = {.cx = s->cx, .mod = s->f->mod, .f = s->f, .at = &made, .span = s->loop->at};
    IrStmt *behind = s->loop->next;
    ir_remove(blk, s->loop);
    emit(s, &b, arg);
    for (IrStmt *t = made.first, *next; t; t = next) {
        next = t->next;
        ir_remove(&made, t);
        ir_insert_before(blk, behind, t);
    }
}

/* ---- the pass -------------------------------------------------------------------------------- */

/* `outer`: effects of the enclosing loop. A number of iterations that it changes is often
 * small (the row of a sparse matrix), and then strips cost more than they save. */
static bool
is_candidate(const Cx *cx, const IrStmt *s, const IrEffects *outer)
{
    int64_t lo, hi, step, n;
    if (s->cold || s->loop == LOOP_GRID || s->loop == LOOP_BLOCK ||
        !ir_is_const(s->idx[2], &step) || (step != 1 && step != -1))
        return false;
    if (ir_is_const(s->idx[0], &lo) && ir_is_const(s->idx[1], &hi) &&
        (__builtin_sub_overflow(hi, lo, &n) || n / step < tune(cx, strip_fewest)))
        return false;
    return !outer || (ir_invariant(s->idx[0], outer) && ir_invariant(s->idx[1], outer));
}

static void
visit_loop(PassCx *p, IrFunc *f, IrBlock *blk, IrStmt *loop)
{
    Strip s = {.p = p, .cx = p->cx, .f = f, .loop = loop};
    ir_is_const(loop->idx[2], &s.step);
    if (!strip_is_plain(&s, &loop->body))
        return;
    s.fx = ir_effects_stmt(f, loop);
    strip_find_checks(&s);
    bool wide = strip_is_wide(&s);
    if (s.found.n && pass_may_copy(p, f, loop, "strip"))
        strip_replace(&s, blk, wide ? strip_emit_wide : emit_strips, NULL);
    loop->wide = wide;
}

static void
visit(PassCx *p, IrFunc *f, IrBlock *b, const IrEffects *outer)
{
    IrBlock *sub[IR_MAX_BLOCKS];
    for (IrStmt *s = b->first, *next; s; s = next) {
        next = s->next;
        if (s->kind == IS_LOOP && s->lanes)
            continue;
        bool loop = ir_does(s, ST_REPEATS);
        if (s->kind == IS_LOOP)
            strip_mark_few(s);
        IrEffects fx;
        if (loop)
            fx = ir_effects_stmt(f, s);
        int n = ir_blocks(s, sub);
        for (int i = 0; i < n; i++)
            if (!(sub[i] == &s->body && s->cold) && !(sub[i] == &s->els && s->cold_else))
                visit(p, f, sub[i], loop ? &fx : outer);
        if (s->kind == IS_LOOP && !strip_rows(p, f, b, s) && is_candidate(p->cx, s, outer))
            visit_loop(p, f, b, s);
    }
}

void
pass_strip(PassCx *p)
{
    for (int i = 0; i < p->mod->funcs.n; i++)
        visit(p, p->mod->funcs.at[i], &p->mod->funcs.at[i]->body, NULL);
}
