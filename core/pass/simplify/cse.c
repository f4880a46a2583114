/* SPDX-License-Identifier: BSD-3-Clause
 * A loop, or a call, that computes what an equal one has computed before is not run
 * again: what it sets is taken from what that one has set. So `d[k] = d.get(k, 0) + 1`
 * looks k up once, and so does whatever else asks a container, or an array, the same
 * question twice: this is common subexpression elimination for statements with loops that
 * only read.
 *
 * One walk forwards keeps the statements whose end is always reached before this place,
 * with the value numbers of what they mention. A second one is the same when it is the
 * first under other names: what it takes from outside has the same numbers, nothing has
 * been stored since to what it reads, and what it sets and others read began with the
 * same numbers. Its checks can't fail, for those of the first have not. */
#include "pass/analysis/gvn.h"
#include "pass/pass.h"
#include "pass/simplify/inline.h"

enum { MAX_KEPT = 48, MAX_DEFS = 64, MAX_STMTS = 100 /* of what is kept */ };

enum { K_LOAD, K_GET, K_VIEW, K_OP, K_DIM, K_STRIDE }; /* of gvn_other */

typedef struct Num {
    IrVar *v;
    int num;
} Num;

typedef Vec(Num) Nums;

typedef struct Change { /* of a variable's number */
    int id, was;
} Change;

typedef struct Kept { /* a statement that has run */
    IrStmt *s;
    const IrEffects *fx;
    Nums in;    /* all that it mentions, before it ran */
    Nums out;   /* the numbers that it set, behind it */
    int stores; /* how many there were then */
} Kept;

typedef struct Cse {
    Cx *cx;
    IrFunc *f;
    IrPoints *points;
    Gvn t;
    Map effects;
    int n_vars;
    int *value; /* by variable, arrays too; 0: none given yet. Set by set_number */
    Vec(Change) changes;
    int *reads;          /* by variable: how often it is read, all in all */
    Vec(IrVar *) stores; /* what has been stored to, in the order of the walk; NULL: anything */
    int *seen;           /* by array, two each: how many of these were looked at, and 1 + the last
                   that may have been to its memory */
    Vec(Kept) kept;
} Cse;

/* ---- numbers --------------------------------------------------------------------------------- */

static void
set_number(Cse *r, int id, int num)
{
    if (r->value[id] == num)
        return;
    VEC_PUSH(&r->cx->arena, r->changes, ((Change){id, r->value[id]}));
    r->value[id] = num;
}

/* All numbers are again what they were when there were only so many changes. */
static void
go_back(Cse *r, int n)
{
    for (; r->changes.n > n; r->changes.n--) {
        Change c = r->changes.at[r->changes.n - 1];
        r->value[c.id] = c.was;
    }
}

static int
number_of(Cse *r, IrVar *v)
{
    if (!r->value[v->id])
        set_number(r, v->id, gvn_atom(&r->t, v->is_array ? DT_i64 : (DType)v->dtype, false));
    return r->value[v->id];
}

static bool
may_meet(const Cse *r, const IrVar *stored, const IrVar *v)
{
    return !stored || stored == v || ir_points_share(r->points, stored, v);
}

/* Its elements are the same as long as this is. */
static int
state_of(Cse *r, const IrVar *v)
{
    int *seen = &r->seen[2 * v->id];
    for (int i = r->stores.n - 1; i >= seen[0]; i--)
        if (may_meet(r, r->stores.at[i], v)) {
            seen[1] = i + 1;
            break;
        }
    seen[0] = r->stores.n;
    return gvn_const(&r->t, DT_i64, seen[1]);
}

static int number(Cse *r, const IrExpr *e);

static int
number_args(Cse *r, const IrExpr *e, int kind, int n, int *arg)
{
    bool whole = e->kind == IX_OP && !e->flags;
    for (int i = 0; i < e->n; i++) {
        whole &= dtype_kind((DType)e->arg[i]->dtype) <= DK_UINT;
        arg[n++] = number(r, e->arg[i]);
    }
    if (whole)
        return gvn_op(&r->t, (IrOp)e->op, arg);
    arg[n++] = gvn_const(&r->t, DT_i64, e->op + 256 * e->flags);
    return gvn_other(&r->t, kind, (DType)e->dtype, n, arg);
}

static int
number(Cse *r, const IrExpr *e)
{
    int arg[40];
    if (e->n > 32)
        return 0;
    switch (e->kind) {
    case IX_CONST:
        return dtype_is_complex((DType)e->dtype) ? 0 : gvn_const(&r->t, (DType)e->dtype, e->i);
    case IX_VAR:
        return number_of(r, e->var);
    case IX_OP:
        return number_args(r, e, K_OP, 0, arg);
    case IX_CAST:
        arg[0] = number(r, e->arg[0]);
        return gvn_cast(&r->t, (DType)e->dtype, arg[0]);
    case IX_LOAD:
        arg[0] = number_of(r, e->var);
        arg[1] = state_of(r, e->var);
        return number_args(r, e, K_LOAD, 2, arg);
    case IX_DIM:
    case IX_STRIDE:
        arg[0] = number_of(r, e->var);
        arg[1] = gvn_const(&r->t, DT_i64, e->axis);
        return gvn_other(&r->t, e->kind == IX_DIM ? K_DIM : K_STRIDE, DT_i64, 2, arg);
    case IX_GEO:
        return 0;
    }
    return 0;
}

static void
forget(IrVar *v, void *arg)
{
    set_number(arg, v->id, 0);
}

static void
forget_all(Cse *r, const uint64_t *set)
{
    for (int w = 0; w * 64 < r->n_vars; w++)
        for (uint64_t bits = set[w]; bits; bits &= bits - 1)
            set_number(r, w * 64 + __builtin_ctzll(bits), 0);
}

/* What an array variable names. */
static int
number_array(Cse *r, const IrStmt *s)
{
    int arg[40], n = 0;
    if (s->kind == IS_ALIAS && s->var->layout == s->base->layout)
        return number_of(r, s->base);
    if ((s->kind != IS_GET && s->kind != IS_VIEW) || s->n_idx > 32)
        return 0;
    arg[n++] = number_of(r, s->base);
    arg[n++] = s->kind == IS_GET ? state_of(r, s->base)
               : s->e            ? number(r, s->e)
                                 : gvn_const(&r->t, DT_i64, 0);
    for (int i = 0; i < s->n_idx; i++)
        arg[n++] = number(r, s->idx[i]);
    arg[n++] =
        gvn_const(&r->t, DT_i64, s->var->dtype + 256 * s->var->ndim + 65536 * s->var->layout);
    return gvn_other(&r->t, s->kind == IS_GET ? K_GET : K_VIEW, DT_i64, n, arg);
}

/* ---- what may be kept ------------------------------------------------------------------------ */

static bool
only_reads(const IrFunc *f)
{
    const IrSummary *s = ir_summary((IrFunc *)(uintptr_t)f);
    return !s->writes && !s->allocates && !s->says && !s->waits && !s->outside && !s->anything;
}

static bool
gives_numbers(const IrStmt *s)
{
    for (int i = 0; i < s->n_outs; i++)
        if (s->outs[i].arr)
            return false;
    return true;
}

typedef struct Region {
    bool plain, loops;
    int n; /* statements */
} Region;

/* What runs again with the same numbers does the same, and nobody sees whether it has. */
static void
look(Region *g, const IrStmt *s)
{
    g->plain &= ++g->n <= MAX_STMTS;
    switch (s->kind) {
    case IS_SET:
    case IS_IF:
    case IS_BREAK:
    case IS_CONTINUE:
    case IS_CHECK:
    case IS_CHECK_INDEX:
    case IS_RAISE:
    case IS_ASSUME:
        break;
    case IS_GET:
    case IS_VIEW:
    case IS_ALIAS:
        g->plain &= !s->var->owned;
        break;
    case IS_WHILE:
        g->loops = true;
        break;
    case IS_LOOP:
        g->loops = true;
        g->plain &= s->loop == LOOP_SEQ && !s->label && !s->sched && !s->threads;
        break;
    case IS_CALL:
        g->loops = true;
        g->plain &= !s->n_idx && gives_numbers(s) && only_reads(s->func);
        break;
    case IS_RT:
        g->plain &= rt_info[s->rt].traits & RTF_PURE && gives_numbers(s);
        break;
    default:
        g->plain = false;
    }
}

static IrBlock
alone(const IrStmt *s, IrStmt *copy)
{
    *copy = *s;
    copy->prev = copy->next = NULL;
    return (IrBlock){copy, copy};
}

static void
look_into(Region *g, IrStmt *s)
{
    IrBlock *sub[IR_MAX_BLOCKS];
    look(g, s);
    int n = g->plain ? ir_blocks(s, sub) : 0;
    for (int i = 0; i < n; i++)
        for (IrStmt *t = sub[i]->first; t && g->plain; t = t->next)
            look_into(g, t);
}

static bool
may_keep(IrStmt *s)
{
    Region g = {.plain = true};
    if (s->kind != IS_IF && s->kind != IS_LOOP && s->kind != IS_WHILE && s->kind != IS_CALL)
        return false;
    look_into(&g, s);
    return g.plain && g.loops;
}

/* ---- the same under other names -------------------------------------------------------------- */

typedef struct Match {
    Cse *r;
    const Kept *a;
    const IrStmt *s;
    const IrEffects *fx;
    int n;
    IrVar *x[MAX_DEFS], *y[MAX_DEFS]; /* what both set */
} Match;

static int
number_in(const Nums *l, const IrVar *v)
{
    for (int i = 0; i < l->n; i++)
        if (l->at[i].v == v)
            return l->at[i].num;
    return 0;
}

static bool
vars_match(Match *m, IrVar *x, IrVar *y)
{
    if (!x || !y)
        return x == y;
    if (x->is_array != y->is_array || x->dtype != y->dtype || x->ndim != y->ndim ||
        x->layout != y->layout)
        return false;
    bool sets = ir_sets(m->a->fx, x);
    if (sets != ir_sets(m->fx, y))
        return false;
    if (!sets)
        return number_in(&m->a->in, x) == number_of(m->r, y);
    for (int i = 0; i < m->n; i++)
        if (m->x[i] == x || m->y[i] == y)
            return m->x[i] == x && m->y[i] == y;
    if (m->n == MAX_DEFS)
        return false;
    m->x[m->n] = x;
    m->y[m->n++] = y;
    return true;
}

static bool
exprs_match(Match *m, const IrExpr *x, const IrExpr *y)
{
    if (!x || !y)
        return x == y;
    if (x->kind != y->kind || x->dtype != y->dtype || x->op != y->op || x->n != y->n ||
        x->axis != y->axis || x->flags != y->flags)
        return false;
    if (x->kind == IX_CONST)
        return ir_expr_equal(x, y);
    for (int i = 0; i < x->n; i++)
        if (!exprs_match(m, x->arg[i], y->arg[i]))
            return false;
    return vars_match(m, x->var, y->var);
}

static bool
args_match(Match *m, const IrArg *x, const IrArg *y, int n)
{
    for (int i = 0; i < n; i++)
        if (!exprs_match(m, x[i].e, y[i].e) || !vars_match(m, x[i].arr, y[i].arr) ||
            !vars_match(m, x[i].out, y[i].out))
            return false;
    return true;
}

static bool blocks_match(Match *m, const IrBlock *x, const IrBlock *y);

static bool
stmts_match(Match *m, const IrStmt *x, const IrStmt *y)
{
    bool fails = ir_does(x, ST_CHECKS | ST_FAILS); /* what it would say counts no more */
    if (x->kind != y->kind || x->n_idx != y->n_idx || x->n_outs != y->n_outs ||
        x->func != y->func || x->rt != y->rt || x->axis != y->axis)
        return false;
    for (int i = 0; i < x->n_idx; i++)
        if (!exprs_match(m, x->idx[i], y->idx[i]))
            return false;
    if (!fails && (x->n_args != y->n_args || !args_match(m, x->args, y->args, x->n_args)))
        return false;
    return vars_match(m, x->var, y->var) && vars_match(m, x->base, y->base) &&
           blocks_match(m, &x->pre, &y->pre) && exprs_match(m, x->e, y->e) &&
           args_match(m, x->outs, y->outs, x->n_outs) && blocks_match(m, &x->body, &y->body) &&
           blocks_match(m, &x->els, &y->els);
}

static bool
blocks_match(Match *m, const IrBlock *x, const IrBlock *y)
{
    const IrStmt *s = x->first, *t = y->first;
    for (; s && t; s = s->next, t = t->next)
        if (!stmts_match(m, s, t))
            return false;
    return s == t;
}

/* What the first has read is as it was. */
static bool
is_untouched(const Cse *r, const Kept *k)
{
    for (int i = k->stores; i < r->stores.n; i++)
        for (int j = 0; j < k->in.n; j++)
            if (k->in.at[j].v->is_array && may_meet(r, r->stores.at[i], k->in.at[j].v))
                return false;
    return true;
}

typedef struct Count {
    const IrVar *v;
    int n;
} Count;

static bool
count_expr(IrExpr **e, void *arg)
{
    Count *c = arg;
    c->n += (*e)->var == c->v;
    return true;
}

static void
count_array(IrVar *v, unsigned how, void *arg)
{
    (void)how;
    ((Count *)arg)->n += ((Count *)arg)->v == v;
}

static void
count_stmt(IrBlock *b, IrStmt *s, void *arg)
{
    (void)b;
    ir_walk_stmt_exprs(s, count_expr, arg);
    ir_walk_arrays(s, count_array, arg);
}

static bool
is_read_outside(const Cse *r, const IrStmt *s, const IrVar *v)
{
    IrStmt copy;
    IrBlock b = alone(s, &copy);
    Count c = {.v = v};
    ir_walk_block(&b, count_stmt, &c);
    return c.n < r->reads[v->id];
}

static bool
has_var(IrVar *const *l, int n, const IrVar *v)
{
    bool has = false;
    for (int i = 0; i < n; i++)
        has |= l[i] == v;
    return has;
}

/* Each that both set: does it begin, unless s sets it first, and end as the other's?
 * `given`: those that are read behind s. */
static bool
ends_match(Match *m, bool *given)
{
    int n, n_given = 0;
    IrStmt copy;
    IrBlock b = alone(m->s, &copy);
    IrArg end[MAX_DEFS] = {0};
    for (int i = 0; i < m->n; i++) {
        IrVar *y = m->y[i];
        given[i] = is_read_outside(m->r, m->s, y);
        if (given[i] && m->x[i] != y &&
            has_var(m->x, m->n, y)) /* they would be assigned one after the other */
            return false;
        if (given[i] && (y->is_array || number_in(&m->a->out, m->x[i]) != m->r->value[m->x[i]->id]))
            return false;
        if (given[i])
            end[n_given++].out = y;
    }
    IrVar **unset = unset_reads(m->r->f, &b, 0, end, n_given, &n);
    for (int i = 0; i < m->n; i++) {
        IrVar *y = m->y[i];
        if (!y->is_array && has_var(unset, n, y) &&
            number_in(&m->a->in, m->x[i]) != number_of(m->r, y))
            return false;
    }
    return true;
}

/* In place of s; yields whether it is gone. */
static bool
take_over(Cse *r, IrBlock *b, IrStmt *s)
{
    const IrEffects *fx = ir_effects_known(r->f, &r->effects, s);
    bool given[MAX_DEFS];
    for (int k = r->kept.n - 1; k >= 0; k--) {
        Match m = {.r = r, .a = &r->kept.at[k], .s = s, .fx = fx};
        if (!stmts_match(&m, m.a->s, s) || !is_untouched(r, m.a) || !ends_match(&m, given))
            continue;
        for (int i = 0; i < m.n; i++) {
            if (!given[i] || m.x[i] == m.y[i])
                continue;
            IrStmt *set = ir_stmt(r->cx, IS_SET, s->at);
            set->var = m.y[i];
            set->e = ir_use(r->cx, m.x[i]);
            ir_insert_before(b, s, set);
        }
        for (int i = 0; i < m.n; i++)
            set_number(r, m.y[i]->id, given[i] ? number_of(r, m.x[i]) : 0);
        ir_remove(b, s);
        return true;
    }
    return false;
}

/* ---- the walk -------------------------------------------------------------------------------- */

static void
note_store(IrVar *v, unsigned how, void *arg)
{
    Cse *r = arg;
    if (how & IR_WRITES)
        VEC_PUSH(&r->cx->arena, r->stores, v);
}

static void
note_stores(IrBlock *b, IrStmt *s, void *arg)
{
    Cse *r = arg;
    (void)b;
    const IrSummary *callee = ir_does(s, ST_CALLS) && s->func ? ir_summary(s->func) : NULL;
    bool any = ir_does(s, ST_WAITS | ST_KERNEL) ||
               (callee && (callee->waits || callee->outside || callee->anything));
    if (any)
        VEC_PUSH(&r->cx->arena, r->stores, NULL);
    if (ir_does(s, ST_ALLOCATES))
        VEC_PUSH(&r->cx->arena, r->stores, s->var);
    ir_walk_arrays(s, note_store, r);
}

typedef struct Mention {
    Cse *r;
    Kept *k;
} Mention;

static void
mention(Mention *m, IrVar *v)
{
    if (v && !number_in(&m->k->in, v))
        VEC_PUSH(&m->r->cx->arena, m->k->in, ((Num){v, number_of(m->r, v)}));
}

static bool
mention_expr(IrExpr **e, void *arg)
{
    mention(arg, (*e)->var);
    return true;
}

static void
mention_array(IrVar *v, unsigned how, void *arg)
{
    (void)how;
    mention(arg, v);
}

static void
mention_def(IrVar *v, void *arg)
{
    Mention *m = arg;
    mention(m, v);
    if (!v->is_array)
        VEC_PUSH(&m->r->cx->arena, m->k->out, ((Num){v, 0}));
}

static void
mention_all(IrBlock *b, IrStmt *s, void *arg)
{
    (void)b;
    ir_walk_stmt_exprs(s, mention_expr, arg);
    ir_walk_arrays(s, mention_array, arg);
    ir_walk_defs(s, mention_def, arg);
}

static Kept
before(Cse *r, IrStmt *s)
{
    IrStmt copy;
    IrBlock b = alone(s, &copy);
    Kept k = {.s = s, .fx = ir_effects_known(r->f, &r->effects, s), .stores = r->stores.n};
    ir_walk_block(&b, mention_all, &(Mention){r, &k});
    return k;
}

static void
keep(Cse *r, Kept k)
{
    for (int i = 0; i < k.out.n; i++)
        k.out.at[i].num = number_of(r, k.out.at[i].v);
    VEC_PUSH(&r->cx->arena, r->kept, k);
}

static void walk(Cse *r, IrBlock *b);

static void
walk_blocks(Cse *r, IrStmt *s)
{
    IrBlock *sub[IR_MAX_BLOCKS];
    const IrEffects *fx = ir_effects_known(r->f, &r->effects, s);
    int n = ir_blocks(s, sub);
    bool repeats = ir_does(s, ST_REPEATS);
    int changes = r->changes.n;
    for (int i = 0; repeats && i < n; i++)
        ir_walk_block(sub[i], note_stores, r);
    for (int i = 0; i < n; i++) {
        if (s->kind == IS_IF)
            go_back(r, changes);
        else
            forget_all(r, fx->sets);
        walk(r, sub[i]);
    }
    forget_all(r, fx->sets);
}

static void
walk(Cse *r, IrBlock *b)
{
    IrBlock *sub[IR_MAX_BLOCKS];
    int mark = r->kept.n;
    for (IrStmt *s = b->first, *next; s; s = next) {
        next = s->next;
        bool keeps = may_keep(s) && !ir_effects_known(r->f, &r->effects, s)->breaks;
        if (keeps && take_over(r, b, s))
            continue;
        keeps &= r->kept.n < MAX_KEPT;
        Kept k = keeps ? before(r, s) : (Kept){0};
        if (ir_blocks(s, sub) > 0) {
            walk_blocks(r, s);
        } else {
            int num = 0;
            if (s->kind == IS_SET)
                num = number(r, s->e);
            else if (s->var && s->var->is_array && ir_does(s, ST_LOOKS))
                num = number_array(r, s);
            note_stores(b, s, r);
            ir_walk_defs(s, forget, r);
            if (num)
                set_number(r, s->var->id, num);
        }
        if (keeps)
            keep(r, k);
    }
    r->kept.n = mark;
}

static bool
note_read(IrExpr **e, void *arg)
{
    if ((*e)->var)
        ((Cse *)arg)->reads[(*e)->var->id]++;
    return true;
}

static void
note_array(IrVar *v, unsigned how, void *arg)
{
    (void)how;
    ((Cse *)arg)->reads[v->id]++;
}

static void
note_reads(IrBlock *b, IrStmt *s, void *arg)
{
    (void)b;
    ir_walk_stmt_exprs(s, note_read, arg);
    ir_walk_arrays(s, note_array, arg);
}

void
pass_cse(PassCx *p)
{
    for (int i = 0; i < p->mod->funcs.n; i++) {
        IrFunc *f = pass_func(p, i);
        Cse r = {.cx = p->cx, .f = f, .points = ir_points(f), .n_vars = f->vars.n};
        if (f->foreign || p->cx->opt->debug) /* which accesses race is to be the same */
            continue;
        gvn_init(&r.t, p->cx);
        r.value = NEW_N(&p->cx->arena, int, f->vars.n + 1);
        r.reads = NEW_N(&p->cx->arena, int, f->vars.n + 1);
        r.seen = NEW_N(&p->cx->arena, int, 2 * f->vars.n + 2);
        ir_walk_block(&f->body, note_reads, &r);
        walk(&r, &f->body);
    }
}
