/* SPDX-License-Identifier: BSD-3-Clause
 * Scalars (and names of arrays) that a loop assigns. One walk over the body, in order,
 * knows what is assigned for certain and what by some path: a variable read before either
 * carries a value from one iteration to the next, and must be a reduction. One that is
 * set first is private; when the code after the loop reads it, every iteration must set
 * it, for the last one's value is wanted. Reads that only some path could make are never
 * called an error on their own: see `judge`. */
#include "pass/parallel/par.h"

#include <limits.h>

/* Assigned if an inner loop runs at all, or if something holds that no iteration changes. */
typedef struct Assume {
    IrExpr *cond;
    const IrExpr *flag; /* cond asks it, and whether it is `truth`, or NULL */
    bool truth;
    uint64_t *set;
    bool used;
} Assume;

typedef struct Flow {
    ParLoop *l;
    int words, from, to;     /* of sets; L assigns variables in those from `from` up to `to` */
    uint64_t *def, *maybe;   /* assigned for certain; by some path */
    uint64_t *ends;          /* assigned for certain at each `continue` and `break` of the loop;
                                after L: of the loop around */
    uint64_t *strict, *some; /* read before any assignment; before a certain one */
    IrStmt **first;          /* by variable id: that read */
    int *n_defs;             /* by variable id: assignments met; NULL: not counted */
    Vec(Assume) assume;
    Vec(Assume) needs; /* what was assumed inside, and rested on */
    ParGuards guards;
    bool after; /* walking what comes after L */
    int depth;  /* loops around, L not counted */
    IrStmt *s;
} Flow;

static bool
has(const uint64_t *set, const IrVar *v)
{
    return ir_in(set, v);
}

static void
put(uint64_t *set, const IrVar *v)
{
    set[v->id / 64] |= (uint64_t)1 << (v->id % 64);
}

static uint64_t *
new_set(Flow *w, const uint64_t *from)
{
    ParTables *t = w->l->tables;
    Arena *a = &w->l->cx->arena;
    if (t->set_words < w->words) {
        t->set_words = w->words * 2;
        t->sets.n = t->n_used = 0; /* those in use stay as they are */
    }
    if (t->n_used == t->sets.n)
        VEC_PUSH(a, t->sets, NEW_N(a, uint64_t, t->set_words));
    uint64_t *s = t->sets.at[t->n_used++];
    if (from)
        memcpy(s, from, sizeof *s * (size_t)w->words);
    else
        memset(s, 0, sizeof *s * (size_t)w->words);
    return s;
}

static uint64_t *
ones(Flow *w)
{
    uint64_t *s = new_set(w, NULL);
    memset(s, 0xff, sizeof *s * (size_t)w->words);
    return s;
}

static void
meet(uint64_t *a, const uint64_t *b, int words)
{
    for (int i = 0; i < words; i++)
        a[i] &= b[i];
}

static void
set_all(Flow *w)
{
    memset(w->def, 0xff, sizeof *w->def * (size_t)w->words);
}

/* ---- reads and writes ------------------------------------------------------------------------ */

static bool
assumed(Flow *w, const IrVar *v)
{
    for (int i = 0; i < w->assume.n; i++)
        if (has(w->assume.at[i].set, v)) {
            w->assume.at[i].used = true;
            return true;
        }
    return false;
}

/* Nothing is assumed any more that was not before: what has been rested on must hold. */
static void
forget(Flow *w, int known)
{
    for (int i = known; i < w->assume.n; i++)
        if (w->assume.at[i].used)
            VEC_PUSH(&w->l->cx->arena, w->needs, w->assume.at[i]);
    w->assume.n = known;
}

static void
use(Flow *w, const IrVar *v)
{
    if (v->id >= w->l->defs->n_vars || !has(w->l->fx.sets, v) || has(w->def, v) ||
        (!w->after && (par_guarded(&w->guards, v) || assumed(w, v))))
        return;
    if (!has(w->strict, v) && !has(w->some, v))
        w->first[v->id] = w->s;
    put(has(w->maybe, v) ? w->some : w->strict, v);
}

static bool
use_expr(IrExpr **e, void *arg)
{
    if ((*e)->var)
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
use_stmt(Flow *w, IrStmt *s)
{
    w->s = s;
    ir_walk_stmt_exprs(s, use_expr, w);
    ir_walk_arrays(s, use_array, w);
}

static void
define(IrVar *v, void *arg)
{
    Flow *w = arg;
    put(w->def, v);
    put(w->maybe, v);
    if (w->n_defs)
        w->n_defs[v->id]++;
}

/* ---- statements ------------------------------------------------------------------------------ */

static void flow_block(Flow *w, IrBlock *b);

/* `if flag: c = ...` where no iteration changes the flag: with a test of it before L, c is assigned
 * for certain. `set` is what is assigned behind that branch, `after` behind both. */
static void
assume_branch(Flow *w, const IrStmt *s, uint64_t *set, const uint64_t *after, bool holds)
{
    bool more = false, leaves = true; /* by `continue`: nothing is assigned behind it */
    for (int i = 0; i < w->words; i++) {
        more |= (set[i] & ~after[i] & w->l->fx.sets[i]) != 0;
        leaves &= !~set[i];
    }
    if (!more || leaves || w->after || !ir_invariant(s->e, &w->l->fx) || ir_loads(s->e))
        return;
    Cx *cx = w->l->cx;
    IrExpr *e = ir_copy_expr(cx, s->e);
    Assume a = {.cond = holds ? e : ir_op(cx, OP_inv, e), .flag = s->e, .truth = holds, .set = set};
    VEC_PUSH(&cx->arena, w->assume, a);
}

static void
flow_branches(Flow *w, IrStmt *s, IrBlock **sub, int n)
{
    uint64_t *before = new_set(w, w->def), *after = NULL, *by[2] = {NULL, NULL};
    int known = w->assume.n;
    bool branches = s->kind == IS_IF && !w->after;
    ParSame was = par_guard_same(&w->guards, branches ? s : NULL);
    ParGuardMark mark = par_guard_mark(&w->guards);
    for (int i = 0; i < n; i++) {
        w->def = new_set(w, before);
        par_guard_again(&w->guards, &mark);
        int guards = branches ? par_guard_enter(&w->guards, s->e, i == 0) : 0;
        flow_block(w, sub[i]);
        forget(w, known);
        if (branches)
            par_guard_leave(&w->guards, guards, sub[i]->first ? new_set(w, w->def) : NULL);
        if (s->kind == IS_IF && i < 2)
            by[i] = new_set(w, w->def);
        if (!after)
            after = w->def;
        else
            meet(after, w->def, w->words);
    }
    if (s->kind != IS_IF)
        par_guard_forget(&w->guards, mark.found);
    par_guard_behind(&w->guards, &mark, s);
    par_guard_keep(&w->guards, was, s);
    w->def = s->kind == IS_IF ? after : before; /* what a try has done is not known */
    for (int i = 0; i < 2 && by[i] && by[1]; i++)
        assume_branch(w, s, by[i], after, i == 0);
}

static bool
runs_at_least_once(const IrStmt *s)
{
    int64_t lo, hi, step;
    return ir_is_const(s->idx[0], &lo) && ir_is_const(s->idx[1], &hi) &&
           ir_is_const(s->idx[2], &step) && (step > 0 ? lo < hi : lo > hi);
}

/* s is inside L and goes up from a constant to v + c or -v + c, where v is L's variable: it runs in
 * L's first iteration, and all the more in the others. v lies before the end of L's range, so v + 1
 * does not wrap. */
static bool
runs_in_each(const ParLoop *l, const IrStmt *s, const uint64_t *set)
{
    enum { FAR = 1 << 30 };
    int64_t step, first, by, lo;
    IrAffine hi;
    const IrExpr *e = s->idx[1];
    bool name = e->kind == IX_VAR && ir_in(set, e->var) && e->var->id < l->defs->n_vars &&
                l->defs->n[e->var->id] == 1;
    const IrStmt *d = name && !e->var->is_param ? l->defs->def[e->var->id] : NULL;
    if (d && d->kind == IS_SET) /* in this iteration: it is assigned for certain */
        e = d->e;
    if (!ir_is_const(s->idx[2], &step) || step < 0 || !ir_is_const(s->idx[0], &lo) ||
        !ir_is_const(l->s->idx[0], &first) || !ir_is_const(l->s->idx[2], &by) ||
        !ir_affine(e, &hi) || hi.n != 1 || hi.t[0].term->kind != IX_VAR ||
        hi.t[0].term->var != l->s->var)
        return false;
    int64_t c = hi.t[0].coef;
    bool grows = (c == 1 && by > 0 && hi.c0 <= 1) || (c == -1 && by < 0 && hi.c0 <= 0);
    bool small = first < FAR && first > -FAR && lo < FAR && lo > -FAR && hi.c0 > -FAR;
    return grows && small && c * first + hi.c0 > lo;
}

/* What the body assigned is assigned after the loop if it has run: known, or tested
 * before L. */
static void
after_loop(Flow *w, IrStmt *s, uint64_t *before, int known)
{
    Cx *cx = w->l->cx;
    int64_t step = 1;
    IrEffects inner = ir_effects(w->l->f, &s->body);
    if (inner.breaks)
        forget(w, known);
    if (w->after && !runs_at_least_once(s)) {
        forget(w, known);
        w->def = before;
        return;
    }
    if (runs_at_least_once(s) || (!w->after && runs_in_each(w->l, s, before)))
        return;
    if (!ir_invariant(s->idx[0], &w->l->fx) || !ir_invariant(s->idx[1], &w->l->fx) ||
        ir_loads(s->idx[0]) || ir_loads(s->idx[1])) {
        forget(w, known);
        w->def = before;
        return;
    }
    ir_is_const(s->idx[2], &step);
    IrExpr *runs = ir_op(cx, step > 0 ? OP_lt : OP_gt, ir_copy_expr(cx, s->idx[0]),
                         ir_copy_expr(cx, s->idx[1]));
    for (int i = known; i < w->assume.n; i++)
        w->assume.at[i].cond = ir_op(cx, OP_and, ir_copy_expr(cx, runs), w->assume.at[i].cond);
    Assume a = {.cond = runs, .set = w->def};
    VEC_PUSH(&cx->arena, w->assume, a);
    w->def = before;
}

static void
flow_loop(Flow *w, IrStmt *s)
{
    int known = w->assume.n;
    par_guard_step(&w->guards, s);
    ParGuardMark mark = par_guard_mark(&w->guards);
    uint64_t *ends = w->ends;
    w->ends = ones(w);
    w->depth++;
    if (s->kind == IS_WHILE) {
        flow_block(w, &s->pre);
        w->s = s;
        ir_walk_expr(&s->e, use_expr, w);
        uint64_t *before = new_set(w, w->def);
        flow_block(w, &s->body);
        w->def = before;
        forget(w, known);
    } else {
        use_stmt(w, s);
        uint64_t *before = new_set(w, w->def);
        define(s->var, w);
        flow_block(w, &s->body);
        meet(w->def, w->ends, w->words);
        after_loop(w, s, before, known);
    }
    w->ends = ends;
    par_guard_forget(&w->guards, mark.found);
    par_guard_again(&w->guards, &mark);
    w->depth--;
}

static void
flow_stmt(Flow *w, IrStmt *s)
{
    IrBlock *sub[IR_MAX_BLOCKS];
    if (ir_does(s, ST_REPEATS)) {
        flow_loop(w, s);
        return;
    }
    if (s->kind == IS_DROP)
        return;
    use_stmt(w, s);
    ir_walk_defs(s, define, w);
    int n = ir_blocks(s, sub);
    if (n)
        flow_branches(w, s, sub, n);
    else
        par_guard_step(&w->guards, s);
    if (ir_does(s, ST_BREAKS))
        meet(w->ends, w->def, w->words);
    if (ir_does(s, ST_LEAVES))
        set_all(w);
}

static void
flow_block(Flow *w, IrBlock *b)
{
    for (IrStmt *s = b->first; s; s = s->next)
        flow_stmt(w, s);
}

static Flow
flow_new(ParLoop *l, bool after)
{
    int words = l->f->vars.n / 64 + 1;
    Flow w = {.l = l,
              .words = words < l->fx.words ? words : l->fx.words,
              .after = after,
              .guards = {.l = l}};
    for (w.to = w.words; w.to > 0 && !l->fx.sets[w.to - 1];)
        w.to--;
    while (w.from < w.to && !l->fx.sets[w.from])
        w.from++;
    w.def = new_set(&w, NULL);
    w.maybe = new_set(&w, NULL);
    w.strict = new_set(&w, NULL);
    w.some = new_set(&w, NULL);
    w.ends = ones(&w);
    ParTables *t = l->tables;
    if (t->n_flow < l->f->vars.n) {
        t->n_flow = l->f->vars.n * 2;
        t->first[0] = NEW_N(&l->cx->arena, IrStmt *, t->n_flow);
        t->first[1] = NEW_N(&l->cx->arena, IrStmt *, t->n_flow);
        t->n_defs = NEW_N(&l->cx->arena, int, t->n_flow);
    }
    w.first = t->first[after];
    w.n_defs = after ? NULL : t->n_defs;
    return w;
}

/* The next loop uses its tables. */
static void
flow_end(Flow *w)
{
    for (int i = w->from; i < w->to; i++)
        for (uint64_t bits = w->l->fx.sets[i]; bits; bits &= bits - 1) {
            int id = i * 64 + __builtin_ctzll(bits);
            w->first[id] = NULL;
            if (w->n_defs)
                w->n_defs[id] = 0;
        }
}

/* The statement around that the walk has come out of: a loop may go around again, and a handler
 * runs after any statement of what it guards, so that nothing is assigned there for certain. */
static void
flow_again(Flow *w, IrStmt *at)
{
    IrBlock *sub[IR_MAX_BLOCKS];
    int n = ir_blocks(at, sub);
    bool guards = at->kind == IS_TRY;
    if (ir_does(at, ST_REPEATS)) { /* by the end of its body, or a jump */
        meet(w->def, w->ends, w->words);
        memset(w->ends, 0xff, sizeof *w->ends * (size_t)w->words);
    }
    uint64_t *def = w->def;
    w->s = at;
    w->def = new_set(w, guards ? NULL : def);
    if (at->kind == IS_WHILE)
        flow_block(w, &at->pre);
    if (at->kind != IS_IF)
        ir_walk_stmt_exprs(at, use_expr, w);
    for (int i = 0; at->kind != IS_IF && i < n; i++) {
        uint64_t *here = w->def;
        w->def = new_set(w, here);
        uint64_t *ends = w->ends;
        w->ends = guards ? ends : ones(w);
        w->depth += !guards;
        flow_block(w, sub[i]);
        w->depth -= !guards;
        w->ends = ends;
        w->def = here;
    }
    w->def = guards ? new_set(w, NULL) : def;
}

/* The last mention of those that L assigns and that are not read or assigned yet. */
static int
last_open(Flow *w)
{
    uint64_t *open = w->ends; /* no loop is around */
    for (int i = w->from; i < w->to; i++)
        open[i] = w->l->fx.sets[i] & ~(w->def[i] | w->strict[i] | w->some[i]);
    return par_last_mention(w->l, open, w->from, w->to);
}

/* What is read after L: in the rest of its block, of those around, and around a loop
 * again. */
static Flow
flow_after(ParLoop *l, IrStmt *const *around, int depth)
{
    Flow w = flow_new(l, true);
    IrStmt *at = l->s;
    IrBlock *sub[IR_MAX_BLOCKS];
    int straight = par_straight(l), last = INT_MAX;
    for (int d = depth;; d--) {
        if (d <= straight)
            last = last_open(&w);
        for (IrStmt *s = at->next; s && (d > straight || !par_is_behind(l, s, last)); s = s->next) {
            flow_stmt(&w, s);
            if (d <= straight && ir_blocks(s, sub))
                last = last_open(&w);
        }
        if (d == 0)
            return w;
        at = around[d - 1];
        flow_again(&w, at);
    }
}

/* ---- the verdict ----------------------------------------------------------------------------- */

typedef struct FindDef {
    const IrVar *v;
    IrStmt *s, *found;
} FindDef;

static void
is_def(IrVar *v, void *arg)
{
    FindDef *d = arg;
    if (v == d->v && d->s->kind != IS_DROP)
        d->found = d->s;
}

static void
find_def(IrBlock *b, IrStmt *s, void *arg)
{
    FindDef *d = arg;
    (void)b;
    d->s = s;
    ir_walk_defs(s, is_def, d);
}

static ParVerdict
blame(ParLoop *l, const Flow *w, IrVar *v, ParVerdict verdict, ParWhy *why, const char *text,
      const char *hint)
{
    FindDef d = {.v = v};
    ir_walk_block(&l->s->body, find_def, &d);
    *why = (ParWhy){.var = v, .text = text, .hint = hint};
    why->at = w->first[v->id] ? w->first[v->id]->at : l->s->at;
    why->other = d.found ? d.found->at : l->s->at;
    why->at_text = "it is read here";
    why->other_text = "it is set here";
    return verdict;
}

static ParVerdict
judge_carried(ParLoop *l, const Flow *in, IrVar *v, ParWhy *why)
{
    if (!v->is_array && par_find_reduction(l, v))
        return PAR_OK;
    bool before = v->is_param || l->defs->n[v->id] > in->n_defs[v->id];
    bool sure = has(in->strict, v) || before;
    return blame(l, in, v, sure ? PAR_RACE : PAR_CARRIED, why,
                 "'%s' carries a value from one to the next",
                 v->is_array ? "give each iteration an array of its own"
                             : "set it at the start of each iteration, or write it as a reduction "
                               "(s += x, s = max(s, x)) and read it after the loop only");
}

static ParVerdict
judge_after(ParLoop *l, const Flow *in, const Flow *out, IrVar *v, ParWhy *why)
{
    bool sure = has(out->strict, v);
    if (v->is_array)
        return blame(l, out, v, sure ? PAR_RACE : PAR_CARRIED, why,
                     "'%s' is another array in each, and the last one's is used after the loop",
                     "store into elements of one array that is made before the loop");
    Flow end = *in;
    bool set = has(in->def, v) && has(in->ends, v);
    if (set || (has(in->ends, v) && assumed(&end, v))) {
        VEC_PUSH(&l->cx->arena, l->lasts, v);
        return PAR_OK;
    }
    if (par_find_flag(l, v) || par_find_along(l, v))
        return PAR_OK;
    IrReduce along;
    if (l->races && !l->copies &&
        par_goes_along(l, v, &along)) { /* in a loop that has the workers */
        blame(l, out, v, PAR_CARRIED, why, "'%s' is set beside a greatest or least", NULL);
        why->in_order = true;
        return PAR_CARRIED;
    }
    return blame(l, out, v, sure ? PAR_RACE : PAR_CARRIED, why,
                 "'%s' is set by some of them only, and read after the loop",
                 "which iteration sets it last depends on the order: set it in every iteration, "
                 "or store into an array element for each iteration");
}

static ParVerdict
judge(ParLoop *l, const Flow *in, const Flow *out, IrVar *v, ParWhy *why)
{
    if (has(in->strict, v) || has(in->some, v))
        return judge_carried(l, in, v, why);
    if (has(out->strict, v) || has(out->some, v))
        return judge_after(l, in, out, v, why);
    return PAR_OK;
}

ParVerdict
par_scalars(ParLoop *l, IrStmt *const *around, int depth, ParWhy *why)
{
    ParVerdict worst = PAR_OK;
    l->tables = l->tables ? l->tables : NEW(&l->cx->arena, ParTables);
    l->tables->n_used = 0;
    Flow in = flow_new(l, false);
    put(in.def, l->s->var);
    flow_block(&in, &l->s->body);
    Flow out = flow_after(l, around, depth);
    uint64_t *after = new_set(&out, out.strict);
    for (int i = 0; i < out.words; i++)
        after[i] |= out.some[i];
    l->read_after = after;
    for (int i = in.from; i < in.to && i * 64 < l->defs->n_vars; i++)
        for (uint64_t bits = l->fx.sets[i]; bits; bits &= bits - 1) {
            int id = i * 64 + __builtin_ctzll(bits);
            ParWhy w = {0};
            if (id >= l->defs->n_vars || l->f->vars.at[id] == l->s->var)
                continue;
            ParVerdict got = judge(l, &in, &out, l->f->vars.at[id], &w);
            if (got > worst) {
                worst = got;
                *why = w;
            }
        }
    forget(&in, 0);
    for (int i = 0; i < in.needs.n; i++) {
        const Assume *a = &in.needs.at[i];
        ParNeed n = {.e = a->cond, .flag = a->flag, .truth = a->truth};
        VEC_PUSH(&l->cx->arena, l->needs, n);
    }
    l->read_after = NULL;
    flow_end(&in);
    flow_end(&out);
    return worst;
}
