/* SPDX-License-Identifier: BSD-3-Clause
 * Index checks that stay in loops. An index that passes is hardly ever below 0, yet each access
 * waits for the size that is added to one that is; and an int made of a float, which is the least
 * one where it doesn't fit, is looked at before. So neighbouring checks become one test, of plain
 * indices in range, behind which nothing is added; whatever else there is stands in a branch that
 * is not expected to run: the checks as they were, in their order, and the index that counts from
 * the end. Comes late, for passes before it look for checks. */
#include "pass/pass.h"

enum { MOST = 8, FOLLOW = 10 }; /* checks of a test; statements behind it that may use its index */

typedef struct Run {
    IrStmt *part[MOST]; /* checks, and looks at ints that were made of floats, in order */
    int n;
    bool caught; /* they stand in a try */
} Run;

typedef struct Rare {
    Cx *cx;
    IrFunc *f;
    int tries; /* around the block at hand */
} Rare;

/* ---- which ----------------------------------------------------------------------------------- */

/* if v == MIN { checks }: v was a float that may not have fit. NULL: it is none. */
static const IrVar *
looked_at(const IrStmt *s)
{
    int64_t least;
    if (s->kind != IS_IF || !s->cold || s->els.first || s->e->kind != IX_OP || s->e->op != OP_eq ||
        s->e->arg[0]->kind != IX_VAR || s->e->arg[0]->dtype != DT_i64 ||
        !ir_is_const(s->e->arg[1], &least) || least != INT64_MIN)
        return NULL;
    for (const IrStmt *t = s->body.first; t; t = t->next)
        if (t->kind != IS_CHECK || ir_stmt_loads(t))
            return NULL;
    return s->e->arg[0]->var;
}

/* Does the check fail wherever v is the least int? No size is near the ends of int64. */
static bool
covers(const IrStmt *check, const IrVar *v)
{
    const int64_t far = (int64_t)1 << 61;
    IrAffine a;
    return check->kind == IS_CHECK_INDEX && ir_affine(check->e, &a) && a.n == 1 &&
           a.t[0].coef == 1 && ir_is_var(a.t[0].term, v) && a.c0 > -far && a.c0 < far;
}

static bool
is_check(const IrStmt *s)
{
    int64_t c;
    return s->kind == IS_CHECK_INDEX && !ir_stmt_loads(s) && !ir_is_const(s->e, &c);
}

typedef struct Mention {
    const IrVar *var;
    bool found;
} Mention;

static bool
see_var(IrExpr **e, void *arg)
{
    Mention *m = arg;
    m->found |= (*e)->var == m->var;
    return true;
}

static void
see_stmt(IrBlock *b, IrStmt *s, void *arg)
{
    (void)b;
    ir_walk_stmt_exprs(s, see_var, arg);
}

static bool
asks_for(const Run *r, const IrVar *v)
{
    Mention m = {.var = v};
    for (int i = 0; i < r->n; i++) {
        m.found |= r->part[i]->var == v;
        ir_walk_stmt_exprs(r->part[i], see_var, &m);
        ir_walk_block(&r->part[i]->body, see_stmt, &m);
    }
    return m.found;
}

/* May s stand before the parts so far? In a try, who handles what they raise may read what it
 * sets. */
static bool
may_go_first(const Run *r, const IrStmt *s)
{
    return !r->caught && s->kind == IS_SET && !ir_stmt_loads(s) && !asks_for(r, s->var);
}

/* A look whose check comes too late, or never, stays: the run is what lies behind it. */
static bool
drop_uncovered(Run *r)
{
    int keep = 0;
    for (int i = 0; i < r->n; i++) {
        const IrVar *v = looked_at(r->part[i]);
        bool found = !v;
        for (int k = i + 1; k < r->n && !found; k++)
            found = covers(r->part[k], v);
        if (!found)
            keep = i + 1;
    }
    for (int i = keep; i < r->n; i++)
        r->part[i - keep] = r->part[i];
    r->n -= keep;
    return r->n > 0;
}

/* What s begins; false: nothing. */
static bool
gather(IrStmt *s, Run *r)
{
    for (; s && r->n < MOST; s = s->next) {
        if (is_check(s) || looked_at(s))
            r->part[r->n++] = s;
        else if (!r->n || !may_go_first(r, s))
            break;
    }
    return drop_uncovered(r);
}

/* ---- the index behind it --------------------------------------------------------------------- */

typedef struct Use {
    Rare *x;
    const IrStmt *check;
    IrVar *var; /* the index, counted from the start; NULL: nobody has asked for it */
} Use;

static bool
use_it(IrExpr **e, void *arg)
{
    Use *u = arg;
    const IrExpr *x = *e;
    if (x->kind != IX_OP || x->op != OP_wrap || x->arg[1]->kind != IX_DIM ||
        x->arg[1]->var != u->check->var || x->arg[1]->axis != u->check->axis ||
        !ir_expr_equal(x->arg[0], u->check->e))
        return true;
    if (!u->var)
        u->var = ir_var(u->x->f, "at", DT_i64);
    *e = ir_use(u->x->cx, u->var);
    return false;
}

static void
use_in_stmt(IrBlock *b, IrStmt *s, void *arg)
{
    (void)b;
    ir_walk_stmt_exprs(s, use_it, arg);
}

typedef struct Changed {
    const IrStmt *check;
    int left; /* statements that may yet be looked at */
    bool any;
} Changed;

static void
see_def(IrVar *v, void *arg)
{
    Changed *c = arg;
    c->any |= v == c->check->var || ir_mentions(c->check->e, v) > 0;
}

/* Does s, or what is in it, change the index or the size? Nobody knows of more than a few. */
static void
find_change(Changed *c, IrStmt *s)
{
    IrBlock *sub[IR_MAX_BLOCKS];
    c->any |= c->left-- <= 0;
    if (!c->any)
        ir_walk_defs(s, see_def, c);
    for (int i = 0, n = ir_blocks(s, sub); i < n; i++)
        for (IrStmt *t = sub[i]->first; t && !c->any; t = t->next)
            find_change(c, t);
}

/* From s on, as long as the index and the size are what they were; behind the end of a block that
 * stands before the test of a while, in that test and in its body. */
static void
follow(IrStmt *s, IrStmt *head, Use *u)
{
    Changed c = {.check = u->check, .left = FOLLOW};
    for (;; s = s->next) {
        if (!s && head) {
            ir_walk_expr(&head->e, use_it, u);
            s = head->body.first;
            head = NULL;
        }
        if (!s)
            return;
        find_change(&c, s);
        IrBlock *sub[IR_MAX_BLOCKS];
        int blocks = ir_blocks(s, sub);
        if (c.any && blocks)
            return;
        ir_walk_stmt_exprs(s, use_it, u);
        for (int i = 0; i < blocks; i++)
            ir_walk_block(sub[i], use_in_stmt, u);
        if (c.any)
            return;
    }
}

/* ---- the new statements ---------------------------------------------------------------------- */

static IrExpr *
in_range(Cx *cx, const IrStmt *check)
{
    IrExpr *low = ir_op(cx, OP_ge, ir_copy_expr(cx, check->e), ir_int(cx, DT_i64, 0));
    IrExpr *high =
        ir_op(cx, OP_lt, ir_copy_expr(cx, check->e), ir_dim(cx, check->var, check->axis));
    return ir_op(cx, OP_and, low, high);
}

static IrStmt *
set(Rare *x, IrVar *v, IrExpr *e)
{
    IrStmt *s = ir_stmt(x->cx, IS_SET, (Span){0});
    s->var = v;
    s->e = e;
    return s;
}

/* Of the checks in b, which stands before the test of `head`, or NULL. Returns the new test. */
static IrStmt *
rewrite(Rare *x, IrBlock *b, IrStmt *head, const Run *r)
{
    Cx *cx = x->cx;
    IrStmt *test = ir_stmt(cx, IS_IF, r->part[0]->at), *after = r->part[r->n - 1]->next;
    IrExpr *all = NULL;
    ir_insert_before(b, after, test);
    for (int i = 0; i < r->n; i++) {
        IrStmt *s = r->part[i];
        ir_remove(b, s);
        ir_insert_before(&test->body, NULL, s);
        if (s->kind != IS_CHECK_INDEX)
            continue;
        all = all ? ir_op(cx, OP_and, all, in_range(cx, s)) : in_range(cx, s);
        Use u = {.x = x, .check = s};
        follow(after, head, &u);
        if (!u.var)
            continue;
        ir_insert_before(b, test, set(x, u.var, ir_copy_expr(cx, s->e)));
        IrExpr *both[2] = {ir_copy_expr(cx, s->e), ir_dim(cx, s->var, s->axis)};
        ir_insert_before(&test->body, NULL, set(x, u.var, ir_raw_op(cx, OP_wrap, both)));
    }
    test->e = ir_op(cx, OP_inv, all);
    test->cold = true;
    return test;
}

/* inside: of a loop; head: the while whose test b stands before, or NULL */
static void
visit(Rare *x, IrBlock *b, IrStmt *head, bool inside)
{
    IrBlock *sub[IR_MAX_BLOCKS];
    for (IrStmt *s = b->first; s; s = s->next) {
        Run r = {.caught = x->tries > 0};
        if (inside && gather(s, &r)) {
            s = rewrite(x, b, head, &r);
            continue;
        }
        bool loop = ir_does(s, ST_REPEATS);
        if (loop && (s->cold || s->lanes))
            continue;
        for (int i = 0, n = ir_blocks(s, sub); i < n; i++) {
            bool tried = s->kind == IS_TRY && sub[i] == &s->body;
            x->tries += tried;
            if (!ir_is_cold(s, i))
                visit(x, sub[i], sub[i] == &s->pre ? s : NULL, inside || loop);
            x->tries -= tried;
        }
    }
}

void
pass_rare(PassCx *p)
{
    for (int i = 0; i < p->mod->funcs.n; i++) {
        IrFunc *f = pass_func(p, i);
        if (f->kernel)
            continue;
        Rare x = {.cx = p->cx, .f = f};
        visit(&x, &f->body, NULL, false);
    }
}
