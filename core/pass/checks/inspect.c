/* SPDX-License-Identifier: BSD-3-Clause
 * What is looked at ahead, and the loop that looks: takes a loop with checks of indices that are
 * read from memory, as in out[i] = x[index[i]], and yields conditions and statements for an
 * executor (see inspect.h). The loop that looks has no branch, so it becomes vectors: all
 * indices are or'ed together with what is left to the end of their axes, and the sign tells. The
 * hard part is that it may only read what the loop will read: its loads must be of arrays that
 * share no memory with what the loop stores to, and in range from the first iteration to the
 * last. Both are tested once, at run time, before the loop. */
#include "pass/checks/inspect.h"

/* ---- what the body is ------------------------------------------------------------------------ */

void
inspect_note_store(Inspect *s, IrVar *v)
{
    for (int i = 0; i < s->stored.n; i++)
        if (s->stored.at[i] == v)
            return;
    VEC_PUSH(&s->cx->arena, s->stored, v);
}

bool
inspect_is_plain(Inspect *s, const IrBlock *b)
{
    for (const IrStmt *t = b->first; t; t = t->next) {
        intptr_t n = 0;
        if (++s->stmts > INSPECT_STMTS)
            return false;
        switch (t->kind) {
        case IS_SET:
            n = (intptr_t)map_get(&s->n_sets, t->var);
            map_put(&s->cx->arena, &s->n_sets, t->var, (void *)(n + 1));
            break;
        case IS_STORE:
            inspect_note_store(s, t->var);
            break;
        case IS_IF:
            if (!inspect_is_plain(s, &t->body) || !inspect_is_plain(s, &t->els))
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
 * reads no memory, so that testing e at inspect_both ends of the loop tests it for all
 * iterations. */
bool
inspect_take_apart(const Inspect *s, const IrExpr *e, IrAffine *a, int *coef)
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

static IrExpr *resolve(Inspect *s, const IrExpr *e, bool test);

static IrExpr *
resolve_load(Inspect *s, const IrExpr *e)
{
    IrExpr **idx = NEW_N(&s->cx->arena, IrExpr *, e->n ? e->n : 1);
    IrAffine a;
    int coef;
    if (ir_in(s->fx.sets, e->var) || ir_in(s->fx.stores, e->var))
        return NULL;
    for (int i = 0; i < e->n; i++) {
        const IrExpr *x = e->arg[i];
        bool wraps = x->kind == IX_OP && x->op == OP_wrap; /* not where it is tested to be >= 0 */
        idx[i] = inspect_resolve(s, wraps ? x->arg[0] : x);
        if (!idx[i] || !inspect_take_apart(s, idx[i], &a, &coef))
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
resolve(Inspect *s, const IrExpr *e, bool test)
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
inspect_resolve(Inspect *s, const IrExpr *e)
{
    return resolve(s, e, false);
}

/* ---- what can be looked at ahead ------------------------------------------------------------- */

typedef struct Loads {
    Inspect *s;
    bool bad;
} Loads;

/* Does the look ahead read neighbours? Else it is no faster than a branch for each of them. */
static bool
is_along(const Inspect *s, const IrExpr *load)
{
    IrAffine a;
    int coef, unit = load->var->layout == LAY_F ? 0 : load->n - 1;
    for (int i = 0; i < load->n; i++)
        if (inspect_take_apart(s, load->arg[i], &a, &coef) && coef && i != unit)
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
    l->bad |= l->s->loads.n == INSPECT_LOADS || !is_along(l->s, *e);
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
count_pairs(const Inspect *s)
{
    int n = 0;
    for (int i = 0; i < s->loads.n; i++)
        for (int k = 0; k < s->stored.n; k++)
            n += may_share(s->loads.at[i]->var, s->stored.at[k]);
    return n;
}

bool
inspect_note_loads(Inspect *s, IrExpr *e)
{
    Loads l = {s, false};
    ir_walk_expr(&e, note_load, &l);
    return !l.bad;
}

static bool
may_look(Inspect *s, IrExpr *e)
{
    int had = s->loads.n;
    if (search(e, NULL).nodes <= INSPECT_NODES && inspect_note_loads(s, e) &&
        count_pairs(s) <= INSPECT_PAIRS)
        return true;
    s->loads.n = had;
    return false;
}

static void
find_check(Inspect *s, IrBlock *b, IrStmt *check, IrExpr *where)
{
    if (s->found.n == INSPECT_CHECKS || ir_in(s->fx.sets, check->var))
        return;
    IrExpr *e = inspect_resolve(s, check->e);
    if (e && may_look(s, e))
        VEC_PUSH(&s->cx->arena, s->found,
                 ((Hoist){check, b, e, where && may_look(s, where) ? where : NULL}));
}

/* where: what is known to hold in the block. A variable that is set in a branch alone has its value
 * there alone. */
static void
find_in(Inspect *s, IrBlock *b, IrExpr *where, bool branch)
{
    for (IrStmt *t = b->first; t; t = t->next) {
        if (t->kind == IS_CHECK_INDEX)
            find_check(s, b, t, where);
        if (t->kind == IS_IF) {
            IrExpr *c = resolve(s, t->e, true);
            c = c && search(c, NULL).nodes <= INSPECT_NODES ? c : NULL;
            IrExpr *no = c ? ir_op(s->cx, OP_inv, ir_copy_expr(s->cx, c)) : NULL;
            IrExpr *around = where ? ir_copy_expr(s->cx, where) : NULL;
            find_in(s, &t->body, c ? inspect_both(s->cx, where, c) : where, true);
            find_in(s, &t->els, c ? inspect_both(s->cx, around, no) : around, true);
        }
        if (t->kind != IS_SET || (intptr_t)map_get(&s->n_sets, t->var) != 1)
            continue;
        IrExpr *e = inspect_resolve(s, t->e);
        if (e && search(e, NULL).nodes <= INSPECT_NODES)
            map_put(&s->cx->arena, &s->value, t->var, e);
    }
    for (IrStmt *t = b->first; t && branch; t = t->next)
        if (t->kind == IS_SET && map_get(&s->value, t->var))
            map_put(&s->cx->arena, &s->value, t->var, NULL);
}

void
inspect_find_checks(Inspect *s)
{
    find_in(s, &s->loop->body, NULL, false);
}

/* ---- may the look ahead run? ----------------------------------------------------------------- */

IrExpr *
inspect_both(Cx *cx, IrExpr *a, IrExpr *b)
{
    return a ? ir_op(cx, OP_and, a, b) : b;
}

/* The index `a` with `at` for the loop variable. */
static IrExpr *
index_at(const Inspect *s, const IrAffine *a, int coef, const IrExpr *at, int64_t plus)
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
inspect_ranges(const Inspect *s, IrExpr *all, const IrExpr *lo, const IrExpr *hi)
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
            inspect_take_apart(s, l->arg[k], &a, &coef);
            IrExpr *first = index_at(s, &a, coef, lo, plus),
                   *last = index_at(s, &a, coef, hi, plus - 1);
            all = inspect_both(cx, all, ir_op(cx, OP_ge, first, ir_int(cx, DT_i64, 0)));
            all = inspect_both(cx, all, ir_op(cx, OP_lt, last, ir_dim(cx, l->var, k)));
            if (coef && (a.n > 1 || a.c0))
                all = inspect_both(cx, all,
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
inspect_overlaps(const Inspect *s, IrBuilder *b)
{
    IrExpr *all = NULL;
    for (int k = 0; k < s->stored.n; k++)
        for (int i = 0; i < s->loads.n; i++) {
            IrVar *x = s->loads.at[i]->var;
            bool again = false;
            for (int j = 0; j < i; j++)
                again |= s->loads.at[j]->var == x;
            if (!again && may_share(x, s->stored.at[k]))
                all = inspect_both(s->cx, all, test_overlap(b, x, s->stored.at[k]));
        }
    return all;
}

/* safe = there are enough iterations, and the look ahead reads what the loop reads. */
IrVar *
inspect_safe(const Inspect *s, const Inspect *inner, IrBuilder *b, const IrExpr *lo,
             const IrExpr *hi)
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
    IrExpr *all = inspect_ranges(s, inspect_overlaps(s, b), lo, hi);
    IrExpr *more = inner ? inspect_overlaps(inner, b) : NULL;
    all = more ? inspect_both(cx, all, more) : all;
    ir_set(b, safe, all ? all : ir_int(cx, DT_bool, 1));
    b->at = save;
    return safe;
}

/* ---- the look -------------------------------------------------------------------------------- */

/* strip .. min(strip + length, hi), written so that the sum cannot wrap; a negative length:
 * back. */
IrExpr *
inspect_end(Cx *cx, IrVar *strip, const IrExpr *hi, int64_t length)
{
    IrExpr *rest = ir_op(cx, OP_sub, ir_copy_expr(cx, hi), ir_use(cx, strip));
    rest = ir_op(cx, length < 0 ? OP_max : OP_min, rest, ir_int(cx, DT_i64, length));
    return ir_op(cx, OP_add, ir_use(cx, strip), rest);
}

/* bad < 0 when an index is in iteration j: i | (dim - 1 - i) is negative where i is out of
 * range. */
void
inspect_note_bad(Inspect *s, IrBuilder *b, IrVar *bad, IrVar *j)
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
inspect_look(Inspect *s, IrBuilder *b, IrVar *bad, IrExpr *from, IrExpr *to)
{
    IrVar *j = ir_var(s->f, "ahead", DT_i64);
    ir_set(b, bad, ir_int(s->cx, DT_i64, 0));
    IrStmt *look = ir_loop(b, LOOP_REDUCE, j, from, to, s->step ? s->step : 1);
    IrBlock *save = b->at;
    b->at = &look->body;
    inspect_note_bad(s, b, bad, j);
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
inspect_drop_check(Inspect *s, const Hoist *h, int length, const char *unit)
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
                length ? "%s, axis %d: one test for each strip of %d%s"
                       : "%s, axis %d: one test of the first and of the last before the loop",
                check->var->name, check->axis, length, unit);
    ir_remove(h->in, check);
}
