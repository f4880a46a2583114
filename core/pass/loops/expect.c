/* SPDX-License-Identifier: BSD-3-Clause
 * Versions for sizes that are expected: takes loops in which rows of arrays that were short in the
 * first call (IrVar.likely) are views or temporaries, `r = p[j] - p[i]` of points, `R[i] @ v` of
 * small matrices. One test before the outermost loop finds that they are as long again, and that
 * arrays of which rows are stored share no memory with those of which rows are read; in the branch
 * behind it pass sizes knows all that follows. Temporaries are of a known size then and lie on the
 * stack, loops over them are written out, and no row is tested against another. Else the loop runs
 * as it was written.
 *
 * And for arrays that are expected to lie apart: `w[k]` of `for j in range(w[k], n): b[j] += b[j -
 * w[k]]` is the same in all iterations unless b is w. So it is read once, before the inner loop, in
 * a version for arrays that share no memory, and what holds of the bounds holds of the index. */
#include "ir/search.h"
#include "pass/memory/memory.h"

enum { MOST_AXES = 12, MOST_PAIRS = 12, MOST_STMTS = 400, MOST_LINKS = 8 };

typedef struct Axis {
    IrVar *arr;
    int axis;
} Axis;

typedef struct Pair {
    IrVar *x, *y;
} Pair;

typedef struct Expect {
    PassCx *p;
    Cx *cx;
    IrFunc *f;
    int n_vars;
    IrStmt **def;   /* by variable: the one that defines it */
    int *defs;      /* how many do */
    int *all;       /* mentions in the function, */
    int *here;      /* and in the loop at hand */
    bool *there;    /* defined on all ways to the statement at hand */
    Vec(int) come;  /* which have come to be there, in order */
    Vec(int) hang;  /* which hang */
    Vec(int) inner; /* which the loop at hand mentions */
    bool *hangs;    /* by variable: its value or its sizes hang on an axis that is short */
    /* of the loop at hand */
    IrEffects fx;
    Axis axis[MOST_AXES];
    Pair pair[MOST_PAIRS];
    int n_axes, n_pairs, stmts;
    bool rows, tall, full;
} Expect;

/* ---- mentions ------------------------------------------------------------------------------- */

typedef struct Count {
    Expect *x;
    int *of;
    bool list; /* which they are */
} Count;

static IrVar *
count(IrVar *v, void *arg)
{
    const Count *c = arg;
    if (v->id >= c->x->n_vars)
        return v;
    if (c->list && !c->of[v->id])
        VEC_PUSH(&c->x->cx->arena, c->x->inner, v->id);
    c->of[v->id]++;
    return v;
}

static bool
count_scalar(IrExpr **e, void *arg)
{
    if ((*e)->kind == IX_VAR)
        count((*e)->var, arg);
    return true;
}

static void
count_def(IrVar *v, void *arg)
{
    if (!v->is_array)
        count(v, arg);
}

/* Arrays by name; scalars where they are used and where they are set. */
static void
count_stmt(IrBlock *b, IrStmt *s, void *arg)
{
    (void)b;
    memory_name_stmt(s, count, arg);
    ir_walk_stmt_exprs(s, count_scalar, arg);
    ir_walk_defs(s, count_def, arg);
}

typedef struct NoteDef {
    Expect *x;
    IrStmt *s;
} NoteDef;

static void
note_def(IrVar *v, void *arg)
{
    const NoteDef *d = arg;
    d->x->def[v->id] = d->s;
    d->x->defs[v->id]++;
}

static void
note_defs(IrBlock *b, IrStmt *s, void *arg)
{
    NoteDef d = {arg, s};
    (void)b;
    if (s->kind != IS_DROP)
        ir_walk_defs(s, note_def, &d);
}

static const IrStmt *
only_def(const Expect *x, const IrVar *v)
{
    return v->id < x->n_vars && !v->is_param && x->defs[v->id] == 1 ? x->def[v->id] : NULL;
}

/* ---- what is short -------------------------------------------------------------------------- */

static bool
is_short(const Expect *x, const IrVar *v, int axis)
{
    return v->is_param && ir_likely(v, axis) && !x->defs[v->id];
}

static bool
is_short_size(const Expect *x, const IrExpr *e)
{
    return e->kind == IX_DIM && is_short(x, e->var, e->axis);
}

static bool
hangs_in(const IrExpr *e, const void *arg)
{
    const Expect *x = arg;
    if (e->kind == IX_VAR) {
        const IrStmt *def = only_def(x, e->var);
        return x->hangs[e->var->id] || (def && def->kind == IS_SET && is_short_size(x, def->e));
    }
    return is_short_size(x, e) || (e->kind == IX_DIM && x->hangs[e->var->id]);
}

static bool
hangs(const Expect *x, const IrExpr *e)
{
    return ir_has(e, hangs_in, x);
}

static bool
any_hangs(const Expect *x, IrExpr *const *e, int n)
{
    for (int i = 0; i < n; i++)
        if (hangs(x, e[i]))
            return true;
    return false;
}

static void
note_axis(Expect *x, IrVar *v, int axis)
{
    for (int i = 0; i < x->n_axes; i++)
        if (x->axis[i].arr == v && x->axis[i].axis == axis)
            return;
    x->full |= x->n_axes == MOST_AXES;
    if (!x->full)
        x->axis[x->n_axes++] = (Axis){v, axis};
    for (int k = 0; k < v->ndim; k++)
        x->tall |= !ir_likely(v, k);
}

/* Through the variables that hold sizes. */
static bool
note_size(IrExpr **e, void *arg)
{
    Expect *x = arg;
    const IrStmt *def = (*e)->kind == IX_VAR ? only_def(x, (*e)->var) : NULL;
    if ((*e)->kind == IX_DIM && is_short(x, (*e)->var, (*e)->axis))
        note_axis(x, (*e)->var, (*e)->axis);
    else if (def && def->kind == IS_SET && def->e->kind == IX_DIM)
        note_size((IrExpr **)&def->e, x);
    return true;
}

static void
note_sizes(Expect *x, IrExpr **e, int n)
{
    for (int i = 0; i < n; i++)
        if (hangs(x, e[i]))
            ir_walk_expr(&e[i], note_size, x);
}

/* ---- which arrays have to lie apart --------------------------------------------------------- */

/* What v looks at, as it is called before the loop; NULL: it isn't known. */
static IrVar *
root_of(const Expect *x, IrVar *v)
{
    for (int i = 0; i < MOST_LINKS; i++) {
        if (v->id < x->n_vars && !ir_in(x->fx.sets, v))
            return x->there[v->id] || v->is_param ? v : NULL;
        const IrStmt *def = only_def(x, v);
        if (!def || (def->kind != IS_VIEW && def->kind != IS_ALIAS))
            return NULL;
        v = def->base;
    }
    return NULL;
}

static bool
roots_of(const Expect *x, const IrStmt *s, IrVar **a, IrVar **b)
{
    *a = root_of(x, s->args[0].arr);
    *b = root_of(x, s->args[1].arr);
    return *a && *b && *a != *b && !(*a)->obj && !(*b)->obj;
}

static bool
is_pair(const Expect *x, const IrVar *a, const IrVar *b)
{
    for (int i = 0; i < x->n_pairs; i++)
        if ((x->pair[i].x == a && x->pair[i].y == b) || (x->pair[i].x == b && x->pair[i].y == a))
            return true;
    return false;
}

static void
add_pair(Expect *x, IrVar *a, IrVar *b)
{
    if (is_pair(x, a, b))
        return;
    x->full |= x->n_pairs == MOST_PAIRS;
    if (!x->full)
        x->pair[x->n_pairs++] = (Pair){a, b};
}

static void
note_pair(Expect *x, const IrStmt *s)
{
    IrVar *a, *b;
    if (roots_of(x, s, &a, &b))
        add_pair(x, a, b);
}

static void
now_hangs(Expect *x, const IrVar *v)
{
    if (!x->hangs[v->id])
        VEC_PUSH(&x->cx->arena, x->hang, v->id);
    x->hangs[v->id] = true;
}

static void
see_inner(IrBlock *b, IrStmt *s, void *arg)
{
    Expect *x = arg;
    (void)b;
    x->stmts++;
    switch (s->kind) {
    case IS_SET:
        if (hangs(x, s->e))
            now_hangs(x, s->var);
        break;
    case IS_ALIAS:
        if (x->hangs[s->base->id])
            now_hangs(x, s->var);
        break;
    case IS_VIEW:
    case IS_ALLOC:
        if (any_hangs(x, s->idx, s->var->ndim)) {
            note_sizes(x, s->idx, s->var->ndim);
            now_hangs(x, s->var);
            x->rows = true;
        }
        break;
    case IS_LOOP:
        note_sizes(x, s->idx, 2);
        break;
    case IS_RT:
        if (ir_is_overlap(s))
            note_pair(x, s);
        break;
    default:
        break;
    }
}

/* ---- what an inner loop reads again and again ----------------------------------------------- */

typedef struct Again {
    Expect *x;
    IrBlock *b;            /* where the inner loop is, */
    IrStmt *loop, *before; /* and the statement that has read the same before it */
    IrEffects fx;          /* of the inner loop */
    IrExpr *e;
    IrVar *kept;
    bool settle, found, any;
} Again;

static bool
is_place(const IrExpr *e)
{
    return e->kind == IX_LOAD && dtype_is_int((DType)e->dtype);
}

static bool
find_equal(IrExpr **e, void *arg)
{
    Again *a = arg;
    a->found |= ir_expr_equal(*e, a->e);
    return !a->found;
}

static void
find_equal_in(IrBlock *b, IrStmt *s, void *arg)
{
    (void)b;
    ir_walk_stmt_exprs(s, find_equal, arg);
}

static bool
keep_equal(IrExpr **e, void *arg)
{
    Again *a = arg;
    if (!ir_expr_equal(*e, a->e))
        return true;
    *e = ir_use(a->x->cx, a->kept);
    return false;
}

static void
keep_equal_in(IrBlock *b, IrStmt *s, void *arg)
{
    (void)b;
    ir_walk_stmt_exprs(s, keep_equal, arg);
}

/* Is the array known to lie apart from all that the inner loop stores to, or can that be tested? */
static bool
lies_apart(Again *a, IrVar *v)
{
    Expect *x = a->x;
    IrVar *from = root_of(x, v);
    bool all = from && !from->obj && !ir_in(a->fx.stores, v);
    for (int i = 0; all && i < x->n_vars; i++) {
        IrVar *to = x->f->vars.at[i];
        if (!to->is_array || !ir_in(a->fx.stores, to))
            continue;
        IrVar *r = root_of(x, to);
        all = r && r != from && !r->obj;
        if (all && !a->settle)
            add_pair(x, r, from);
    }
    return all;
}

/* An element that the statement before the loop has read: nothing that it hangs on changes up to
 * the loop's end, but for what the loop may store. */
static bool
see_again(IrExpr **e, void *arg)
{
    Again *a = arg;
    IrExpr *is = *e;
    if (!is_place(is) || ir_in(a->fx.sets, is->var))
        return true;
    for (int i = 0; i < is->n; i++)
        if (ir_loads(is->arg[i]) || !ir_invariant(is->arg[i], &a->fx))
            return true;
    for (const IrStmt *s = a->before; s != a->loop; s = s->next)
        if (s->kind == IS_SET && ir_mentions(is, s->var))
            return true;
    a->e = is;
    a->found = false;
    ir_walk_block(&a->loop->body, find_equal_in, a);
    if (!a->found || !lies_apart(a, is->var))
        return true;
    a->any = true;
    if (!a->settle)
        return false;
    IrStmt *keep = ir_stmt(a->x->cx, IS_SET, a->before->at);
    keep->var = a->kept = ir_var(a->x->f, "kept", (DType)is->dtype);
    keep->e = a->e = ir_copy_expr(a->x->cx, is);
    ir_insert_before(a->b, a->before, keep);
    for (IrStmt *s = a->before; s != a->loop->next; s = s->next)
        ir_walk_stmt_exprs(s, keep_equal, a);
    ir_walk_block(&a->loop->body, keep_equal_in, a);
    return false;
}

/* Other elements that it reads in each iteration may as well be known to stay. */
static bool
see_other(IrExpr **e, void *arg)
{
    Again *a = arg;
    if ((*e)->kind == IX_LOAD && !ir_in(a->fx.sets, (*e)->var)) {
        bool still = true;
        for (int i = 0; i < (*e)->n; i++)
            still &= !ir_loads((*e)->arg[i]) && ir_invariant((*e)->arg[i], &a->fx);
        if (still)
            lies_apart(a, (*e)->var);
    }
    return true;
}

static void
see_other_in(IrBlock *b, IrStmt *s, void *arg)
{
    (void)b;
    ir_walk_stmt_exprs(s, see_other, arg);
}

/* What is stored in a branch becomes stores of parts of vectors, which loads from the same places
 * wait for. */
static bool
is_plain(IrBlock *b, bool branch)
{
    bool plain = true;
    for (IrStmt *s = b->first; s && plain; s = s->next) {
        plain = s->kind == IS_SET || (s->kind == IS_STORE && !branch) || s->kind == IS_CHECK ||
                s->kind == IS_CHECK_INDEX || s->kind == IS_IF;
        if (s->kind == IS_IF)
            plain = is_plain(&s->body, true) && is_plain(&s->els, true);
    }
    return plain;
}

/* Of each innermost loop within another; settle: the tests are made, and it is behind them. */
static bool
see_reads(Expect *x, IrBlock *b, bool settle)
{
    IrBlock *sub[IR_MAX_BLOCKS];
    bool any = false;
    for (IrStmt *s = b->first; s; s = s->next) {
        for (int i = 0, n = ir_blocks(s, sub); i < n; i++)
            any |= see_reads(x, sub[i], settle);
        if (s->kind != IS_LOOP || s->cold || !is_plain(&s->body, false))
            continue;
        Again a = {.x = x, .b = b, .loop = s, .settle = settle};
        a.fx = ir_effects_stmt(x->f, s);
        for (a.before = s->prev; a.before; a.before = a.before->prev) {
            if (a.before->kind == IS_SET)
                ir_walk_stmt_exprs(a.before, see_again, &a);
            else if (a.before->kind != IS_CHECK && a.before->kind != IS_CHECK_INDEX)
                break;
        }
        if (a.any && !settle)
            ir_walk_block(&s->body, see_other_in, &a);
        any |= a.any;
    }
    return any;
}

/* ---- the two loops -------------------------------------------------------------------------- */

/* What the tests before the loop have answered, and no more: pairs of rows are not among them where
 * the version is for arrays alone. */
static void
settle(IrBlock *b, IrStmt *s, void *arg)
{
    const Expect *x = arg;
    IrVar *r, *t;
    (void)b;
    if (!ir_is_overlap(s) || !roots_of(x, s, &r, &t) || !is_pair(x, r, t))
        return;
    IrVar *flag = s->outs[0].out;
    s->kind = IS_SET;
    s->var = flag;
    s->e = ir_int(x->cx, (DType)flag->dtype, 0);
    s->n_args = s->n_outs = 0;
}

static IrExpr *
tests(Expect *x, IrBlock *b, IrStmt *where)
{
    Cx *cx = x->cx;
    IrExpr *all = NULL;
    IrBlock pre = {0};
    IrBuilder to = {.cx = cx, .mod = x->f->mod, .f = x->f, .at = &pre, .span = where->at};
    for (int i = 0; i < x->n_axes; i++) {
        IrVar *v = x->axis[i].arr;
        int k = x->axis[i].axis;
        IrExpr *is = ir_op(cx, OP_eq, ir_dim(cx, v, k), ir_int(cx, DT_i64, ir_likely(v, k)));
        all = all ? ir_op(cx, OP_and, all, is) : is;
    }
    for (int i = 0; i < x->n_pairs; i++) {
        IrVar *flag = ir_overlap(&to, x->pair[i].x, x->pair[i].y);
        IrExpr *apart = ir_op(cx, OP_eq, ir_use(cx, flag), ir_int(cx, DT_i32, 0));
        all = all ? ir_op(cx, OP_and, all, apart) : apart;
    }
    for (IrStmt *s = pre.first, *next; s; s = next) {
        next = s->next;
        ir_insert_before(b, where, s);
    }
    return all;
}

/* What only the loop knows has a name of its own in each version, for it is of another size. */
static void
rename_inner(Expect *x, Map *map)
{
    for (int k = 0; k < x->inner.n; k++) {
        int i = x->inner.at[k];
        IrVar *v = x->f->vars.at[i];
        if (v->is_param || x->here[i] != x->all[i] || !ir_in(x->fx.sets, v) || v->space || v->obj)
            continue;
        IrVar *own =
            v->is_array ? ir_var_like(x->f, v->name, v) : ir_var(x->f, v->name, (DType)v->dtype);
        own->once = v->once;
        own->range = v->range;
        own->noalias = v->noalias;
        own->owned = v->owned;
        map_put(&x->cx->arena, map, v, own);
    }
}

static void
version(Expect *x, IrBlock *b, IrStmt *s, bool again)
{
    IrStmt *both = ir_stmt(x->cx, IS_IF, s->at), copy = *s;
    Map own = {0};
    copy.prev = copy.next = NULL;
    rename_inner(x, &own);
    both->els = ir_clone_block(x->f, &(IrBlock){&copy, &copy}, &own);
    both->e = tests(x, b, s);
    both->any_else = true;
    ir_insert_before(b, s, both);
    ir_remove(b, s);
    ir_insert_before(&both->body, NULL, s);
    ir_walk_block(&both->body, settle, x);
    if (again)
        see_reads(x, &s->body, true);
    pass_remark(x->p, REMARK_version_stride, s->at,
                x->n_axes ? "a second version of the loop for rows as short as in the first call"
                          : "a second version of the loop for arrays that share no memory");
}

static void
forget(Expect *x)
{
    for (int i = 0; i < x->hang.n; i++)
        x->hangs[x->hang.at[i]] = false;
    x->hang.n = 0;
    x->n_axes = x->n_pairs = x->stmts = 0;
    x->rows = x->tall = x->full = false;
}

/* How often the loop itself runs isn't what is expected: that number was small in a first call with
 * little data. */
static void
drop_axes_of(Expect *x, const IrStmt *s)
{
    IrExpr *bound = s->kind == IS_LOOP ? s->idx[1] : NULL;
    const IrStmt *def = bound && bound->kind == IX_VAR ? only_def(x, bound->var) : NULL;
    bound = def && def->kind == IS_SET ? def->e : bound;
    if (!bound || bound->kind != IX_DIM)
        return;
    int n = 0;
    for (int i = 0; i < x->n_axes; i++)
        if (x->axis[i].arr != bound->var || x->axis[i].axis != bound->axis)
            x->axis[n++] = x->axis[i];
    x->n_axes = n;
}

typedef struct Sums {
    const Expect *x;
    const IrVar *count; /* of the loop; NULL: it has none */
    bool any;
} Sums;

static void
see_sum(IrBlock *b, IrStmt *s, void *arg)
{
    Sums *m = arg;
    (void)b;
    if (s->kind != IS_STORE || s->e->kind != IX_OP || !(s->e->flags & IXF_REASSOC) ||
        !m->x->there[s->var->id])
        return;
    bool own = false;
    for (int i = 0; m->count && i < s->var->ndim; i++)
        own |= ir_mentions(s->idx[i], m->count) > 0;
    m->any |= !own;
}

/* Does it sum up over its iterations, in any order, into what is there before it? Where the short
 * rows are written out, LLVM has the whole loop for lanes, and the order would hang on what was
 * expected: on the first call. */
static bool
sums_up(const Expect *x, const IrStmt *s, IrBlock *const *sub, int n)
{
    Sums m = {x, s->kind == IS_LOOP ? s->var : NULL, false};
    for (int i = 0; i < n; i++)
        ir_walk_block(sub[i], see_sum, &m);
    return m.any;
}

static void
visit_loop(Expect *x, IrBlock *b, IrStmt *s)
{
    IrBlock *sub[IR_MAX_BLOCKS];
    int n = ir_blocks(s, sub);
    Count c = {x, x->here, true};
    forget(x);
    x->fx = ir_effects_stmt(x->f, s);
    for (int i = 0; i < n; i++)
        ir_walk_block(sub[i], see_inner, x);
    drop_axes_of(x, s);
    if (!x->n_axes || !(x->rows || x->tall) || sums_up(x, s, sub, n))
        x->n_axes = x->n_pairs = 0;
    bool again = see_reads(x, &s->body, false) && x->n_pairs; /* else there is nothing to test */
    if ((!x->n_axes && !again) || x->full || x->stmts > MOST_STMTS ||
        !pass_may_copy(x->p, x->f, s, "expect"))
        return;
    for (int i = 0; i < x->inner.n; i++)
        x->here[x->inner.at[i]] = 0;
    x->inner.n = 0;
    count_stmt(b, s, &c);
    for (int i = 0; i < n; i++)
        ir_walk_block(sub[i], count_stmt, &c);
    version(x, b, s, again);
}

static void
now_there(IrVar *v, void *arg)
{
    Expect *x = arg;
    if (v->id >= x->n_vars || x->there[v->id])
        return;
    x->there[v->id] = true;
    VEC_PUSH(&x->cx->arena, x->come, v->id);
}

/* Outermost loops; what is defined in a block is there up to its end. */
static void
visit(Expect *x, IrBlock *b)
{
    IrBlock *sub[IR_MAX_BLOCKS];
    int before = x->come.n;
    for (IrStmt *s = b->first, *next; s; s = next) {
        next = s->next;
        if (s->kind == IS_LOOP || s->kind == IS_WHILE) {
            bool grid = s->kind == IS_LOOP && (s->loop == LOOP_GRID || s->loop == LOOP_BLOCK);
            if (!s->cold && !grid)
                visit_loop(x, b, s);
            continue;
        }
        int n = ir_blocks(s, sub);
        for (int i = 0; i < n; i++)
            if (!ir_is_cold(s, i))
                visit(x, sub[i]);
        if (n == 0)
            ir_walk_defs(s, now_there, x);
    }
    for (; x->come.n > before; x->come.n--)
        x->there[x->come.at[x->come.n - 1]] = false;
}

void
pass_expect(PassCx *p)
{
    Arena *a = &p->cx->arena;
    for (int i = 0; i < p->mod->funcs.n; i++) {
        IrFunc *f = pass_func(p, i);
        if (p->cx->opt->opt_level < 2)
            continue;
        int n = f->vars.n;
        Expect x = {.p = p, .cx = p->cx, .f = f, .n_vars = n};
        x.def = NEW_N(a, IrStmt *, n + 1);
        x.defs = NEW_N(a, int, n + 1);
        x.all = NEW_N(a, int, n + 1);
        x.here = NEW_N(a, int, n + 1);
        x.there = NEW_N(a, bool, n + 1);
        x.hangs = NEW_N(a, bool, n + 1);
        Count c = {&x, x.all, false};
        ir_walk_block(&f->body, count_stmt, &c);
        ir_walk_block(&f->body, note_defs, &x);
        visit(&x, &f->body);
    }
}
