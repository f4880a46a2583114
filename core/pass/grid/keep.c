/* SPDX-License-Identifier: BSD-3-Clause
 * Values that are cheaper to compute again behind a barrier than to keep in memory, an index from
 * the thread's place above all: takes a kernel's body before anything is moved, yields for each
 * variable its definition where it has one only, which is cheap, reads no memory, and holds
 * wherever the variable is read: all uses come behind it in the same list of statements, or
 * inside those, and so it is with what it is made from. */
#include "pass/grid/grid.h"

enum { MAX_NODES = 16 };

typedef struct Place {    /* of a variable; numbers count statements in the order of the text */
    int n_defs, def, end; /* end: the last one in the list that the definition is in */
    int first, last;      /* uses */
    int list;
    IrStmt *s;
} Place;

typedef struct Number {
    Grid *g;
    const GridVary *v;
    GridKeep *k;
    Place *at;
    int n, list;
    Vec(int) ends; /* by list */
    IrStmt *s;
} Number;

static void
use(Number *m, const IrVar *v)
{
    if (!v)
        return;
    Place *p = &m->at[v->id];
    p->first = p->first ? p->first : m->n;
    p->last = m->n;
}

static bool
use_expr(IrExpr **e, void *arg)
{
    use(arg, (*e)->var);
    return true;
}

static void
use_array(IrVar *v, unsigned how, void *arg)
{
    (void)how;
    use(arg, v);
}

static void
def(IrVar *v, void *arg)
{
    Number *m = arg;
    Place *p = &m->at[v->id];
    p->n_defs++;
    p->def = m->n;
    p->list = m->list;
    p->s = m->s;
}

static void number(Number *m, IrBlock *b);

static void
number_stmt(Number *m, IrStmt *s)
{
    IrBlock *sub[IR_MAX_BLOCKS];
    m->n++;
    m->s = s;
    ir_walk_stmt_exprs(s, use_expr, m);
    ir_walk_arrays(s, use_array, m);
    if (ir_does(s, ST_ENDS))
        use(m, s->var);
    else if (s->kind != IS_LOOP)
        ir_walk_defs(s, def, m);
    if (s->kind == IS_LOOP) { /* its variable holds in the body, the next list */
        def(s->var, m);
        m->at[s->var->id].list = m->ends.n;
    }
    int n = ir_blocks(s, sub);
    for (int i = 0; i < n; i++)
        number(m, sub[i]);
}

static void
number(Number *m, IrBlock *b)
{
    int save = m->list;
    m->list = m->ends.n;
    VEC_PUSH(&m->g->cx->arena, m->ends, 0);
    int mine = m->list;
    for (IrStmt *s = b->first; s; s = s->next)
        number_stmt(m, s);
    m->ends.at[mine] = m->n;
    m->list = save;
}

/* Whatever reads `p` at number n is behind its definition. */
static bool
holds(const Number *m, const Place *p, int n)
{
    return p->n_defs == 1 && p->def < n && n <= m->ends.at[p->list];
}

static int
count_nodes(const IrExpr *e)
{
    int n = 1;
    if (e->kind == IX_LOAD || (e->kind == IX_OP && (op_info[e->op].flags & OPF_LIBM)) ||
        (e->kind == IX_OP && (e->op == OP_pow || e->op == OP_gcd || e->op == OP_lcm)))
        return MAX_NODES + 1;
    for (int i = 0; i < e->n; i++)
        n += count_nodes(e->arg[i]);
    return n;
}

typedef struct Stable {
    const Number *m;
    int n;
    bool ok;
} Stable;

static void
stable(Stable *t, const IrVar *v)
{
    if (!v)
        return;
    const Place *p = &t->m->at[v->id];
    if ((v->is_param || v->space == SPACE_SHARED) && !p->n_defs)
        return;
    bool loop = p->s && p->s->kind == IS_LOOP;
    t->ok &= holds(t->m, p, t->n) && !(loop && map_get(&t->m->v->apart, p->s)) &&
             !(p->s && p->s->kind == IS_ALLOC && v->space == SPACE_HEAP);
}

static bool
stable_expr(IrExpr **e, void *arg)
{
    stable(arg, (*e)->var);
    return true;
}

static IrStmt *
copy_def(Cx *cx, const IrStmt *s)
{
    IrStmt *c = arena_dup(&cx->arena, s, sizeof *s);
    c->prev = c->next = NULL;
    c->e = s->e ? ir_copy_expr(cx, s->e) : NULL;
    c->idx = NEW_N(&cx->arena, IrExpr *, s->n_idx + 1);
    for (int i = 0; i < s->n_idx; i++)
        c->idx[i] = ir_copy_expr(cx, s->idx[i]);
    return c;
}

static bool
may_repeat(const Number *m, const IrVar *v)
{
    const Place *p = &m->at[v->id];
    IrStmt *s = p->s;
    if (p->n_defs != 1 || !s ||
        (s->kind != IS_SET && s->kind != IS_VIEW && s->kind != IS_ALIAS && s->kind != IS_CONSTARR))
        return false;
    if (p->first && (p->first <= p->def || p->last > m->ends.at[p->list]))
        return false;
    int nodes = s->e ? count_nodes(s->e) : 0;
    for (int i = 0; i < s->n_idx; i++)
        nodes += count_nodes(s->idx[i]) > MAX_NODES ? 1000 : 1;
    Stable t = {m, p->def, true};
    ir_walk_stmt_exprs(s, stable_expr, &t);
    stable(&t, s->base);
    return t.ok && nodes <= MAX_NODES + 2 * s->n_idx;
}

GridKeep *
grid_keep(Grid *g, const GridVary *v, IrBlock *body)
{
    GridKeep *k = NEW(&g->cx->arena, GridKeep);
    Number m = {.g = g, .v = v, .k = k};
    k->n = g->f->vars.n;
    k->def = NEW_N(&g->cx->arena, IrStmt *, k->n + 1);
    m.at = NEW_N(&g->cx->arena, Place, k->n + 1);
    number(&m, body);
    for (int i = 0; i < k->n; i++)
        if (may_repeat(&m, g->f->vars.at[i]))
            k->def[i] = copy_def(g->cx, m.at[i].s);
    return k;
}
