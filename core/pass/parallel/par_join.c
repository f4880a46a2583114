/* SPDX-License-Identifier: BSD-3-Clause
 * Reductions written as choices, s = s + x if c else s, come here as a name that both
 * branches set and that is given to s after them; max(s, x, y) as a chain of names, and a
 * call of a small function as a call. In a loop that is to run side by side each is put
 * back into the form that the search for reductions knows: branches that set s itself, one
 * assignment of s after another, and the function's expression in place. What the loop
 * does stays the same. */
#include "pass/parallel/par.h"
#include "pass/simplify/inline.h"

enum { MAX_FOUND = 16, MAX_PARAMS = 8, MAX_BACK = 64 /* statements between a name and its use */ };

typedef struct Join {
    IrFunc *f;
    Cx *cx;
    IrStmt *loop;
    Map loaded; /* arrays of which the loop reads elements */
    bool views; /* it has other names for arrays, or passes them to functions */
    bool looked, changed;
    int *uses, *sets; /* by variable, in all of the function; NULL: nobody has asked yet */
    int cap, sign;
    bool tries;   /* a handler may see what was assigned before, */
    bool catches; /* one that the loop goes on behind */
    /* by variable, of those that there were at the start: in the order of the loop's statements,
     * where it is read first, and assigned last */
    int *read, *set, n_vars, now;
} Join;

/* ---- how often a variable is read and assigned ----------------------------------------- */

static bool
tally_use(IrExpr **e, void *arg)
{
    const Join *j = arg;
    if ((*e)->var && (*e)->var->id < j->cap)
        j->uses[(*e)->var->id] += j->sign;
    return true;
}

static void
tally_set(IrVar *v, void *arg)
{
    const Join *j = arg;
    if (v->id < j->cap)
        j->sets[v->id] += j->sign;
}

static void
tally_stmt(IrBlock *b, IrStmt *s, void *arg)
{
    (void)b;
    ir_walk_stmt_exprs(s, tally_use, arg);
    ir_walk_defs(s, tally_set, arg);
}

/* What a statement itself reads and assigns comes (1) or goes (-1); `within`: and what is
 * inside. */
static void
tally(Join *j, IrStmt *s, int sign)
{
    j->sign = sign;
    if (j->uses)
        tally_stmt(NULL, s, j);
}

static void
tally_within(Join *j, IrStmt *s, int sign)
{
    IrBlock *sub[IR_MAX_BLOCKS];
    tally(j, s, sign);
    int n = ir_blocks(s, sub);
    for (int i = 0; i < n; i++)
        for (IrStmt *t = sub[i]->first; t; t = t->next)
            tally_within(j, t, sign);
}

static void
count_all(Join *j)
{
    if (j->uses && j->cap >= j->f->vars.n)
        return;
    j->cap = j->f->vars.n + 64;
    j->uses = NEW_N(&j->cx->arena, int, j->cap);
    j->sets = NEW_N(&j->cx->arena, int, j->cap);
    j->sign = 1;
    ir_walk_block(&j->f->body, tally_stmt, j);
}

static int
uses_of(Join *j, const IrVar *v)
{
    count_all(j);
    return j->uses[v->id];
}

static int
sets_of(Join *j, const IrVar *v)
{
    count_all(j);
    return j->sets[v->id];
}

static void
assign_to(Join *j, IrStmt *s, IrVar *v)
{
    tally(j, s, -1);
    s->var = v;
    tally(j, s, 1);
}

static void
remove_stmt(Join *j, IrBlock *b, IrStmt *s)
{
    tally(j, s, -1);
    ir_remove(b, s);
}

typedef struct Mentions {
    const IrVar *v;
    int n;
} Mentions;

static bool
count_use(IrExpr **e, void *arg)
{
    Mentions *m = arg;
    m->n += (*e)->var == m->v;
    return true;
}

static void
count_def(IrVar *v, void *arg)
{
    Mentions *m = arg;
    m->n += v == m->v;
}

/* Reads and assignments of v in s with all that is in it. */
static int
mentions(IrStmt *s, const IrVar *v)
{
    IrBlock *sub[IR_MAX_BLOCKS];
    Mentions m = {.v = v};
    ir_walk_stmt_exprs(s, count_use, &m);
    ir_walk_defs(s, count_def, &m);
    int n = ir_blocks(s, sub);
    for (int i = 0; i < n; i++)
        for (IrStmt *t = sub[i]->first; t; t = t->next)
            m.n += mentions(t, v);
    return m.n;
}

/* The iteration may go on, or the next one begin, without what stands behind s in its block. Where
 * an error leaves the loop, pass par sees to what has been assigned. */
static bool
may_leave(const Join *j, IrStmt *s)
{
    IrBlock *sub[IR_MAX_BLOCKS];
    bool found = ir_does(s, ST_BREAKS | ST_RETURNS | (j->catches ? ST_RAISES : 0));
    int n = ir_blocks(s, sub);
    for (int i = 0; i < n; i++)
        for (IrStmt *t = sub[i]->first; t && !found; t = t->next)
            found = may_leave(j, t);
    return found;
}

/* ---- v = t after branches that set t -------------------------------------------------- */

/* The assignments of t with which a block ends, but for what has to do neither with t nor
 * with v; false: not all of its paths have one. */
static bool
find_ends(const Join *j, IrBlock *b, const IrVar *t, const IrVar *v, IrStmt **found, int *n)
{
    int back = MAX_BACK;
    for (IrStmt *s = b->last; s && back-- > 0; s = s->prev) {
        if (s->kind == IS_SET && s->var == t) {
            found[*n] = s;
            return ++*n < MAX_FOUND && ir_mentions(s->e, t) == 0;
        }
        if (s->kind == IS_IF && s->body.first && s->els.first && mentions(s, t))
            return ir_mentions(s->e, t) == 0 && find_ends(j, &s->body, t, v, found, n) &&
                   find_ends(j, &s->els, t, v, found, n);
        if (may_leave(j, s) || mentions(s, t) || mentions(s, v))
            return false;
    }
    return false;
}

static IrBlock *
block_of(IrBlock *b, const IrStmt *s)
{
    IrBlock *sub[IR_MAX_BLOCKS], *found = NULL;
    for (IrStmt *t = b->first; t && !found; t = t->next) {
        if (t == s)
            return b;
        int n = ir_blocks(t, sub);
        for (int i = 0; i < n && !found; i++)
            found = block_of(sub[i], s);
    }
    return found;
}

/* `if c: nothing, else: ..` the other way round */
static void
turn(Join *j, IrStmt *s)
{
    if (s->body.first || !s->els.first)
        return;
    bool cold = s->cold;
    ir_move_all(&s->body, &s->els);
    s->cold = s->cold_else;
    s->cold_else = cold;
    s->e = ir_op(j->cx, OP_inv, s->e);
}

static void
turn_inside(Join *j, IrStmt *s)
{
    for (int i = 0; i < 2; i++)
        for (IrStmt *t = i ? s->els.first : s->body.first; t; t = t->next)
            if (t->kind == IS_IF)
                turn_inside(j, t);
    turn(j, s);
}

/* set: v = t, after the branch s */
static bool
sink(Join *j, IrBlock *b, IrStmt *s, IrStmt *set)
{
    IrVar *v = set->var, *t = set->e->var;
    IrStmt *found[MAX_FOUND];
    int n = 0;
    if (t == v || t->is_param || t->is_array || t->dtype != v->dtype ||
        !find_ends(j, &s->body, t, v, found, &n) || !find_ends(j, &s->els, t, v, found, &n) ||
        uses_of(j, t) != 1 || sets_of(j, t) != n)
        return false;
    for (int i = 0; i < n; i++) {
        IrStmt *d = found[i];
        assign_to(j, d, v);
        if (ir_is_var(d->e, v))
            remove_stmt(j, block_of(b, d), d);
    }
    remove_stmt(j, b, set);
    return true;
}

static void
sink_all(Join *j, IrBlock *b, IrStmt *s)
{
    bool any = false;
    for (IrStmt *n = s->next, *next; n && n->kind == IS_SET && n->e->kind == IX_VAR; n = next) {
        next = n->next;
        if (!sink(j, b, s, n))
            break;
        any = true;
    }
    if (any)
        turn_inside(j, s);
    j->changed |= any;
}

/* ---- checks; h[..] = t after branches that set t ---------------------------------------- */

/* Names and checks, which may stand in each branch as well as after them. */
static bool
may_move(IrStmt *s, const IrVar *t)
{
    if (s->kind == IS_IF) {
        for (IrStmt *c = s->body.first; c; c = c->next)
            if (!ir_does(c, ST_CHECKS))
                return false;
        return !s->els.first && !mentions(s, t);
    }
    bool names = s->kind == IS_SET && !s->var->is_array;
    return (names || ir_does(s, ST_CHECKS)) && !mentions(s, t);
}

/* The names in what has been taken out of the function are of no use elsewhere. */
static bool
stay_inside(Join *j, IrBlock *part)
{
    for (IrStmt *s = part->first; s; s = s->next)
        if (s->kind == IS_SET &&
            (par_count_sets(part, s->var) != 1 || sets_of(j, s->var) || uses_of(j, s->var)))
            return false;
    return true;
}

static void
store_there(Join *j, IrBlock *at, const IrBlock *part, IrStmt *set)
{
    Map map = {0};
    for (IrStmt *s = part->first; s; s = s->next)
        if (s->kind == IS_SET)
            map_put(&j->cx->arena, &map, s->var, ir_var(j->f, s->var->name, s->var->dtype));
    IrBlock copy = ir_clone_block(j->f, part, &map);
    copy.last->e = set->e;
    remove_stmt(j, at, set);
    for (IrStmt *m = copy.first; m; m = m->next)
        tally_within(j, m, 1);
    ir_move_all(at, &copy);
}

static IrStmt *
last_set(IrBlock *b, const IrVar *t)
{
    IrStmt *s = b->last;
    bool ok = s && s->kind == IS_SET && s->var == t && ir_mentions(s->e, t) == 0;
    return ok ? s : NULL;
}

static bool
see_read(IrExpr **e, void *arg)
{
    Join *j = arg;
    if ((*e)->kind == IX_LOAD)
        map_put(&j->cx->arena, &j->loaded, (*e)->var, (*e)->var);
    return true;
}

static void
see_reads(IrBlock *b, IrStmt *s, void *arg)
{
    (void)b;
    ((Join *)arg)->views |= s->kind == IS_VIEW || s->kind == IS_ALIAS || s->n_args > 0;
    ir_walk_stmt_exprs(s, see_read, arg);
}

/* May an element that the loop stores be made of one that it reads? If not, a store needs no
 * branches around it, which keep it from vectors. */
static bool
may_update(Join *j, const IrVar *arr)
{
    if (!j->looked)
        ir_walk_block(&j->loop->body, see_reads, j);
    j->looked = true;
    return j->views || map_get(&j->loaded, arr);
}

static void
sink_store(Join *j, IrBlock *b, IrStmt *branch)
{
    IrStmt *s = branch->next;
    IrStmt *x = branch->body.last, *set[2];
    IrVar *t = x && x->kind == IS_SET ? x->var : NULL;
    if (!t || t->is_array || !(set[0] = last_set(&branch->body, t)) ||
        !(set[1] = last_set(&branch->els, t)) || sets_of(j, t) != 2 || uses_of(j, t) != 1)
        return;
    while (s && may_move(s, t))
        s = s->next;
    if (!s || s->kind != IS_STORE || s->e->kind != IX_VAR || s->e->var != t ||
        !may_update(j, s->var))
        return;
    IrBlock part = {0};
    for (IrStmt *m = branch->next, *next, *end = s->next; m != end; m = next) {
        next = m->next;
        ir_remove(b, m);
        ir_insert_before(&part, NULL, m);
    }
    for (IrStmt *m = part.first; m; m = m->next)
        tally_within(j, m, -1);
    if (!stay_inside(j, &part)) {
        IrStmt *after = branch->next;
        for (IrStmt *m = part.first, *next; m; m = next) {
            next = m->next;
            ir_remove(&part, m);
            ir_insert_before(b, after, m);
            tally_within(j, m, 1);
        }
        return;
    }
    store_there(j, &branch->body, &part, set[0]);
    store_there(j, &branch->els, &part, set[1]);
    j->changed = true;
}

/* ---- t = u; v = t ---------------------------------------------------------------------------- */

static void
skip_name(Join *j, IrBlock *b, IrStmt *s)
{
    IrVar *t = s->e->var;
    if (t->is_param || t->is_array || t->dtype != s->var->dtype || t == s->var ||
        uses_of(j, t) != 1 || sets_of(j, t) != 1)
        return;
    int back = MAX_BACK;
    for (IrStmt *d = s->prev; d && back-- > 0; d = d->prev)
        if (d->kind == IS_SET && d->var == t && d->e->kind == IX_VAR) {
            for (IrStmt *m = d->next; m != s; m = m->next)
                if (mentions(m, d->e->var))
                    return;
            tally(j, s, -1);
            s->e = ir_use(j->cx, d->e->var);
            tally(j, s, 1);
            remove_stmt(j, b, d);
            j->changed = true;
            return;
        }
}

/* ---- t = f(v); v = g(t) ------------------------------------------------------------------ */

/* The only assignment of t, before s, from which on nothing has to do with v. */
static IrStmt *
link_before(Join *j, IrStmt *s, const IrVar *t)
{
    const IrVar *v = s->var;
    if (t == v || t->is_param || t->is_array || t->dtype != v->dtype ||
        uses_of(j, t) != ir_mentions(s->e, t) || sets_of(j, t) != 1)
        return NULL;
    int back = MAX_BACK;
    for (IrStmt *d = s->prev; d && back-- > 0; d = d->prev) {
        if (d->kind == IS_SET && d->var == t)
            return ir_mentions(d->e, v) ? d : NULL;
        if (mentions(d, v) || may_leave(j, d))
            return NULL;
    }
    return NULL;
}

static IrVar *
first_link(Join *j, IrStmt *s, const IrExpr *e)
{
    if (e->kind == IX_VAR)
        return link_before(j, s, e->var) ? e->var : NULL;
    IrVar *t = NULL;
    for (int i = 0; i < e->n && !t; i++)
        t = first_link(j, s, e->arg[i]);
    return t;
}

/* A chain of choices: select(.., t, ..) where t is what the choice before has left. */
static void
unchain(Join *j, IrStmt *s)
{
    if (s->e->kind != IX_OP || s->e->op != OP_select || ir_mentions(s->e, s->var))
        return;
    IrVar *t = first_link(j, s, s->e);
    if (!t)
        return;
    IrStmt *d = link_before(j, s, t);
    IrRename r = {j->cx, t, s->var};
    tally(j, s, -1);
    s->e = ir_copy_expr(j->cx, s->e);
    ir_walk_expr(&s->e, ir_rename_use, &r);
    tally(j, s, 1);
    assign_to(j, d, s->var);
    j->changed = true;
    unchain(j, d);
}

/* The same where the last choice has a name, too: t = select(..); v = t. */
static void
unchain_name(Join *j, IrBlock *b, IrStmt *s)
{
    IrVar *t = s->e->var, *v = s->var;
    if (t == v || t->is_param || t->is_array || t->dtype != v->dtype || uses_of(j, t) != 1 ||
        sets_of(j, t) != 1)
        return;
    int back = MAX_BACK;
    IrStmt *d = s->prev;
    for (; d && back-- > 0 && (d->kind != IS_SET || d->var != t); d = d->prev)
        if (mentions(d, v) || may_leave(j, d))
            return;
    if (!d || back < 0 || d->e->kind != IX_OP || d->e->op != OP_select || ir_mentions(d->e, v))
        return;
    IrStmt last = *d;
    last.var = v;
    if (!first_link(j, &last, d->e))
        return;
    assign_to(j, d, v);
    remove_stmt(j, b, s);
    j->changed = true;
    unchain(j, d);
}

/* ---- t = x; t = f(t) ---------------------------------------------------------------------- */

/* It is assigned in s or in what is inside. */
static bool
sets(IrStmt *s, const IrVar *t)
{
    IrBlock *sub[IR_MAX_BLOCKS];
    Mentions m = {.v = t};
    ir_walk_defs(s, count_def, &m);
    bool found = m.n;
    int n = ir_blocks(s, sub);
    for (int i = 0; i < n; i++)
        for (IrStmt *c = sub[i]->first; c && !found; c = c->next)
            found = sets(c, t);
    return found;
}

static void
rename_uses(IrBlock *b, IrStmt *s, void *arg)
{
    (void)b;
    ir_walk_stmt_exprs(s, ir_rename_use, arg);
}

static bool
note_read(IrExpr **e, void *arg)
{
    const Join *j = arg;
    const IrVar *v = (*e)->var;
    if (v && v->id < j->n_vars && !j->read[v->id])
        j->read[v->id] = j->now;
    return true;
}

static void
note_set(IrVar *v, void *arg)
{
    const Join *j = arg;
    if (v->id < j->n_vars)
        j->set[v->id] = j->now;
}

/* What is assigned anew in the same block, at s, had another name before, so that each has one
 * definition. It is read nowhere before, where it may be what another iteration has left. */
static void
split_name(Join *j, IrStmt *s)
{
    IrVar *t = s->var;
    int back = MAX_BACK;
    IrStmt *d = s->prev;
    if (j->tries)
        return;
    for (; d && back-- > 0 && !(d->kind == IS_SET && d->var == t); d = d->prev)
        if (sets(d, t) || may_leave(j, d))
            return;
    if (!d || back < 0 || t->id >= j->n_vars || (j->read[t->id] && j->read[t->id] <= j->set[t->id]))
        return;
    j->read[t->id] = 0;
    IrVar *was = ir_var(j->f, t->name, (DType)t->dtype);
    IrRename r = {j->cx, t, was};
    IrStmt *after = s->next;
    for (IrStmt *m = d; m != after; m = m->next)
        tally_within(j, m, -1);
    d->var = was;
    s->next = NULL;
    IrBlock part = {d->next, s};
    ir_walk_block(&part, rename_uses, &r);
    s->next = after;
    for (IrStmt *m = d; m != after; m = m->next)
        tally_within(j, m, 1);
    j->changed = true;
}

/* ---- r = call f(s, x) ------------------------------------------------------------------------ */

static bool
loads(const IrExpr *e)
{
    bool any = e->kind == IX_LOAD || e->kind == IX_GEO;
    for (int i = 0; i < e->n; i++)
        any |= loads(e->arg[i]);
    return any;
}

/* A function that is one expression of its parameters. */
static const IrExpr *
expression_of(const IrFunc *g)
{
    const IrStmt *r = g->body.first;
    if (!r || r->kind != IS_RETURN || r->n_args != 1 || !r->args[0].e || g->recursive ||
        g->n_params > MAX_PARAMS || loads(r->args[0].e))
        return NULL;
    for (int i = 0; i < g->n_params; i++)
        if (g->vars.at[i]->is_array)
            return NULL;
    return r->args[0].e;
}

typedef struct Put {
    const IrFunc *g;
    const IrStmt *call;
    Cx *cx;
} Put;

static bool
put_arg(IrExpr **e, void *arg)
{
    const Put *p = arg;
    for (int i = 0; (*e)->kind == IX_VAR && i < p->g->n_params; i++)
        if ((*e)->var == p->g->vars.at[i]) {
            *e = ir_copy_expr(p->cx, p->call->args[i].e);
            return false;
        }
    return true;
}

static void
put_in_place(Join *j, IrStmt *s)
{
    bool one = s->kind == IS_CALL && s->n_outs == 1 && s->outs[0].out;
    const IrExpr *e = one ? expression_of(s->func) : NULL;
    if (!e || s->n_args != s->func->n_params || e->dtype != s->outs[0].out->dtype)
        return;
    Put p = {s->func, s, j->cx};
    IrExpr *in_place = ir_copy_expr(j->cx, e);
    ir_walk_expr(&in_place, put_arg, &p);
    IrVar *v = s->outs[0].out;
    tally(j, s, -1);
    s->kind = IS_SET;
    s->var = v;
    s->e = in_place;
    s->func = NULL;
    s->n_args = s->n_outs = 0;
    tally(j, s, 1);
    j->changed = true;
}

/* ---- the walk -------------------------------------------------------------------------------- */

static void
walk(Join *j, IrBlock *b)
{
    IrBlock *sub[IR_MAX_BLOCKS];
    for (IrStmt *s = b->first, *next; s; s = next) {
        int n = ir_blocks(s, sub);
        j->now++;
        if (s->kind == IS_SET && !s->var->is_array)
            split_name(j, s);
        ir_walk_stmt_exprs(s, note_read, j);
        ir_walk_defs(s, note_set, j);
        for (int i = 0; i < n; i++)
            walk(j, sub[i]);
        put_in_place(j, s);
        if (s->kind == IS_IF && s->els.first) {
            sink_all(j, b, s);
            sink_store(j, b, s);
        }
        if (s->kind == IS_SET && !s->var->is_array && s->e->kind == IX_VAR)
            skip_name(j, b, s);
        if (s->kind == IS_SET && !s->var->is_array)
            unchain(j, s);
        next = s->next;
        if (s->kind == IS_SET && !s->var->is_array && s->e->kind == IX_VAR)
            unchain_name(j, b, s);
    }
}

bool
par_join(PassCx *p, IrFunc *f, IrStmt *loop, bool tries)
{
    Join j = {.f = f, .cx = p->cx, .loop = loop, .n_vars = f->vars.n, .tries = tries};
    j.read = NEW_N(&p->cx->arena, int, j.n_vars + 1);
    j.set = NEW_N(&p->cx->arena, int, j.n_vars + 1);
    j.catches = tries && inline_has(&loop->body, IS_TRY);
    walk(&j, &loop->body);
    return j.changed;
}
