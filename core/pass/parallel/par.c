/* SPDX-License-Identifier: BSD-3-Clause
 * Which loops may run their iterations side by side, and which do. A user's prange whose
 * iterations are certain to touch the same memory is an error; one that cannot be decided
 * is the user's promise (debug=True checks it). Loops of array expressions, and plain
 * loops for the sake of vector lanes, are only marked when they are independent for
 * certain. Of a nest the outermost loop runs on workers. What has to be tested at run
 * time is tested once before the loop; when it fails, a serial copy runs. */
#include "pass/parallel/par.h"

#include <math.h>

enum { MAX_AROUND = 64, MAX_GIVEN = 64, MOST_VERSIONS = 2 };

typedef struct Par {
    PassCx *p;
    Cx *cx;
    IrFunc *f;
    ParDefs defs;
    bool tries; /* the function has a try */
    IrStmt *around[MAX_AROUND];
    int depth;
    bool in_threads, cold;
    bool objects; /* the function has to do with some */
    ParNeed given[MAX_GIVEN];
    int n_given;
    ParTables tables;
    ParOrder order;
    bool unswitched; /* the last test has versions behind it that are still to be looked at */
    int versions;    /* the walk is in so many of them: nobody hears of what can't run there */
} Par;

/* ---- before the analysis --------------------------------------------------------------------- */

int64_t
par_trips(const IrStmt *loop)
{
    IrAffine lo, hi;
    int64_t step = 1, n;
    ir_is_const(loop->idx[2], &step);
    if (!ir_affine(loop->idx[0], &lo) || !ir_affine(loop->idx[1], &hi) ||
        !ir_affine_add(&hi, &lo, -1) || hi.n)
        return INT64_MAX;
    if (__builtin_mul_overflow(hi.c0, step < 0 ? -1 : 1, &n) || n <= 0)
        return n <= 0 ? 0 : INT64_MAX;
    int64_t s = step < 0 ? -step : step;
    return n / s + (n % s != 0);
}

static bool
is_user(const IrStmt *s)
{
    return s->kind == IS_LOOP && s->loop == LOOP_PAR && !s->elementwise;
}

IrStmt *
par_find_exit(IrBlock *b, int loops)
{
    IrBlock *sub[IR_MAX_BLOCKS];
    for (IrStmt *s = b->first; s; s = s->next) {
        if (s->kind == IS_RETURN || (s->kind == IS_BREAK && loops == 0))
            return s;
        int n = ir_blocks(s, sub);
        for (int i = 0; i < n; i++) {
            IrStmt *e = par_find_exit(sub[i], loops + ir_does(s, ST_REPEATS));
            if (e)
                return e;
        }
    }
    return NULL;
}

/* ---- what is said ---------------------------------------------------------------------------- */

/* What the user made to run side by side: "this prange", or a loop with a label. */
static const char *
name_of(Par *p, const IrStmt *s, const char *prange)
{
    return s->sched ? arena_printf(&p->cx->arena, "the loop '%s'", s->label) : prange;
}

/* The variable as the program knows it: x for the flag x.bound of whether it has a value. */
static const char *
shown(Par *p, const IrVar *v)
{
    return arena_printf(&p->cx->arena, "%.*s", (int)strcspn(v->name, "."), v->name);
}

static void
report_race(Par *p, const IrStmt *s, const ParWhy *w)
{
    Diags *d = &p->cx->diags;
    const char *what = arena_printf(&p->cx->arena, w->text, shown(p, w->var)), *hint = w->hint;
    if (w->var->readonly) { /* which kernels alone may write: the words of a Generator */
        what = arena_printf(&p->cx->arena, "each draws from the Generator '%s'", shown(p, w->var));
        hint = "draw before the loop, or by np.random, of which each thread has its own";
    }
    Diag *g = diag_add(d, DIAG_race, s->at, "the iterations of %s are not independent: %s",
                       name_of(p, s, "this prange"), what);
    if (g->n_notes)
        return;
    bool one = w->other_text && w->at.line == w->other.line && w->at.col == w->other.col;
    diag_note(d, g, w->at, "%s%s", w->at_text, one ? ", and written" : "");
    if (w->other_text && !one)
        diag_note(d, g, w->other, "%s", w->other_text);
    if (hint)
        diag_hint(d, g, "%s", hint);
}

static void
report_exit(Par *p, const IrStmt *s, const IrStmt *exit)
{
    const char *what = exit->kind == IS_BREAK ? "break" : "return";
    Diag *g = diag_add(&p->cx->diags, DIAG_unsupported, exit->at,
                       "%s can't be left by %s: its iterations run side by side",
                       name_of(p, s, "a prange"), what);
    diag_hint(&p->cx->diags, g, "%s, or let the other iterations go on and do nothing",
              s->sched ? "schedule it with seq()" : "use range");
    if (!g->n_notes)
        diag_note(&p->cx->diags, g, s->at, s->sched ? "the loop is here" : "the prange is here");
}

static void
remark(Par *p, const IrStmt *s, RemarkKind what, const ParWhy *w)
{
    if (!w->var) {
        pass_remark(p->p, what, s->at, "%s", w->text);
        return;
    }
    const char *why = arena_printf(&p->cx->arena, w->text, shown(p, w->var));
    bool two = w->other_text && w->other.line != w->at.line;
    pass_remark(p->p, what, s->at, "%s: line %d%s", why, w->at.line,
                two ? arena_printf(&p->cx->arena, " and line %d", w->other.line) : "");
    pass_remark_also(p->p, w->at, w->other_text ? w->other : (Span){0});
}

/* ---- two versions ---------------------------------------------------------------------------- */

void
par_make_serial(IrBlock *blk, IrStmt *s, void *arg)
{
    (void)blk;
    (void)arg;
    if (ir_does(s, ST_REPEATS))
        s->cold = s->novector = true;
    if (is_user(s))
        s->loop = LOOP_SEQ;
}

/* How large the numbers that make up e are, where none of its sums and products wraps. */
static IrExpr *
magnitude(Cx *cx, const IrExpr *e)
{
    bool sum = e->kind == IX_OP && (e->op == OP_add || e->op == OP_sub);
    int64_t c;
    if (e->kind == IX_OP && e->op == OP_mul && ir_is_const(e->arg[1], &c) && (c == 1 || c == -1))
        return magnitude(cx, e->arg[0]);
    if (sum || (e->kind == IX_OP && e->op == OP_mul))
        return ir_op(cx, sum ? OP_add : OP_mul, magnitude(cx, e->arg[0]), magnitude(cx, e->arg[1]));
    if (e->kind == IX_OP && e->op == OP_neg)
        return magnitude(cx, e->arg[0]);
    if (e->kind == IX_CONST)
        return ir_float(cx, DT_f64, fabs((double)e->i));
    return ir_op(cx, OP_abs, ir_cast(cx, DT_f64, ir_copy_expr(cx, e)));
}

enum { MAX_SUMS = 16 };
typedef struct Sums { /* different ones */
    IrExpr *at[MAX_SUMS];
    int n;
    bool many;
} Sums;

/* The sides of e's comparisons. */
static void
find_sums(Cx *cx, Sums *s, const IrExpr *e)
{
    for (int i = 0; e->dtype == DT_bool && i < e->n; i++)
        find_sums(cx, s, e->arg[i]);
    if (e->dtype != DT_i64 || e->kind == IX_CONST)
        return;
    IrExpr *m = magnitude(cx, e);
    for (int i = 0; i < s->n; i++)
        if (ir_expr_equal(s->at[i], m))
            return;
    s->many |= s->n == MAX_SUMS;
    if (!s->many)
        s->at[s->n++] = m;
}

/* The proof that rests on tests of numbers takes sums and products of them for what they are, times
 * how many iterations the loop has. */
static IrExpr *
nothing_wraps(Cx *cx, const ParLoop *l)
{
    Sums s = {0};
    for (int i = 0; i < l->needs.n; i++)
        if (l->needs.at[i].sums)
            find_sums(cx, &s, l->needs.at[i].e);
    if (s.many)
        return ir_int(cx, DT_bool, 0);
    if (!s.n)
        return NULL;
    IrExpr *sum = s.at[0],
           *range = ir_op(cx, OP_add, magnitude(cx, l->s->idx[1]), ir_float(cx, DT_f64, 1));
    for (int i = 1; i < s.n; i++)
        sum = ir_op(cx, OP_add, sum, s.at[i]);
    if (!ir_is_const(l->s->idx[0], NULL))
        range = ir_op(cx, OP_add, magnitude(cx, l->s->idx[0]), range);
    else
        range = ir_op(cx, OP_add, range, ir_float(cx, DT_f64, fabs((double)l->s->idx[0]->i)));
    return ir_op(cx, OP_lt, ir_op(cx, OP_mul, sum, range), ir_float(cx, DT_f64, 0x1p62));
}

static IrExpr *
all_needs(IrBuilder *b, const ParLoop *l)
{
    IrExpr *all = nothing_wraps(b->cx, l);
    for (int i = 0; i < l->needs.n; i++) {
        const ParNeed *n = &l->needs.at[i];
        bool each = n->distinct || n->block;
        IrExpr *e = each   ? par_distinct(b, l, n)
                    : n->e ? ir_copy_expr(b->cx, n->e)
                           : ir_use(b->cx, ir_overlap(b, n->x, n->y));
        if (!n->e && !each)
            e = ir_op(b->cx, n->same ? OP_ne : OP_eq, e, ir_int(b->cx, DT_i32, n->same));
        all = all ? ir_op(b->cx, OP_and, all, e) : e;
    }
    return all;
}

/* Where the loop is: the tests, then `if they hold { loop } else { a serial copy }`. */
static IrStmt *
version(Par *p, IrBlock *blk, IrStmt *loop, const ParLoop *l)
{
    IrBlock before = {0};
    IrBuilder b = {.cx = p->cx, .mod = p->p->mod, .f = p->f, .at = &before, .span = loop->at};
    IrStmt copy = *loop;
    copy.prev = copy.next = NULL;
    IrBlock one = {&copy, &copy};
    IrStmt *s = ir_stmt(p->cx, IS_IF, loop->at);
    s->e = all_needs(&b, l);
    s->cold_else = true;
    s->els = ir_clone_block(p->f, &one, NULL);
    ir_walk_block(&s->els, par_make_serial, NULL);
    for (IrStmt *t = before.first, *next; t; t = next) {
        next = t->next;
        ir_remove(&before, t);
        ir_insert_before(blk, loop, t);
    }
    ir_insert_before(blk, loop, s);
    ir_remove(blk, loop);
    ir_insert_before(&s->body, NULL, loop);
    return s;
}

/* ---- objects --------------------------------------------------------------------------------- */

static bool
has_object(const IrArg *a, int n)
{
    for (int i = 0; i < n; i++)
        if (a[i].arr && a[i].arr->obj)
            return true;
    return false;
}

typedef struct Objects {
    bool may_read; /* what they refer to */
    IrStmt *found;
} Objects;

static void
find_object(IrBlock *b, IrStmt *s, void *arg)
{
    Objects *o = arg;
    bool made = s->kind == IS_ALLOC && s->var->obj;
    (void)b;
    bool follows = s->kind == IS_GET && !o->may_read;
    if (!o->found &&
        (made || follows || s->kind == IS_PUT || (s->kind == IS_STORE && s->var->obj) ||
         has_object(s->args, s->n_args) || has_object(s->outs, s->n_outs)))
        o->found = s;
}

/* What changes objects in this loop, or follows references, which may lead two iterations
 * to one array or object: only who asks for the loop in parallel knows that they do no
 * harm. Numbers that an object holds may be read. */
static IrStmt *
uses_objects(Par *p, IrStmt *loop, bool user)
{
    Objects o = {.may_read = user};
    if (p->objects)
        ir_walk_block(&loop->body, find_object, &o);
    return o.found;
}

/* ---- one loop -------------------------------------------------------------------------------- */

static ParVerdict
analyse(Par *p, ParLoop *l, ParWhy *why)
{
    ParVerdict v = par_scalars(l, p->around, p->depth, why);
    if (v >= PAR_CARRIED || (l->s->elementwise && l->s->novec_alias))
        return v;
    ParWhy w = {0};
    par_collect(l);
    ParVerdict arrays = par_arrays(l, &w);
    if (arrays > v) {
        v = arrays;
        *why = w;
    }
    return v;
}

static void
mark(ParLoop *l)
{
    IrStmt *s = l->s;
    s->reds = l->reds.at;
    s->n_reds = l->reds.n;
    s->lasts = l->lasts.at;
    s->n_lasts = l->lasts.n;
}

/* Yields the test that is around it now, or NULL. */
static IrStmt *
decide(Par *p, IrBlock *blk, ParLoop *l, bool threads, ParVerdict v)
{
    bool user = is_user(l->s);
    threads = threads && (v == PAR_OK || (user && v == PAR_UNKNOWN));
    IrStmt *test = NULL;
    if (v > PAR_UNKNOWN || (l->needs.n && !threads && !l->copies && (!l->may_need || v != PAR_OK)))
        return NULL;
    bool ordered = !threads && l->copies && l->reds.n; /* debug: as range does */
    for (int i = 0; i < l->reds.n; i++)
        ordered |= l->reds.at[i].var->is_array;
    if ((v == PAR_UNKNOWN || ordered) && !threads && !l->copies)
        return NULL;
    bool watched = p->cx->opt->debug && v == PAR_UNKNOWN && l->copies; /* whatever holds */
    if (l->needs.n && !watched) {
        bool asked = threads || l->copies;
        if (!asked && !pass_may_copy(p->p, p->f, l->s, "par"))
            return NULL;
        IrStmt was = *l->s;
        test = version(p, blk, l->s, l);
        p->unswitched = user && threads && !p->cx->opt->debug && p->versions < MOST_VERSIONS &&
                        par_unswitch(l, &was, test);
    }
    if (threads)
        par_mark_hits(l, test ? &test->body : blk);
    mark(l);
    l->s->independent = v == PAR_OK && !ordered;
    l->s->apart = l->s->independent && l->apart;
    l->s->novec_alias |= v == PAR_UNKNOWN && l->in_order && !watched && ir_is_flat(&l->s->body);
    l->s->threads = threads;
    return test;
}

static ParLoop
loop_new(Par *p, IrStmt *s, bool asked, bool threads)
{
    ParLoop l = {.p = p->p,
                 .cx = p->cx,
                 .f = p->f,
                 .defs = &p->defs,
                 .s = s,
                 .tables = &p->tables,
                 .order = &p->order};
    bool user = is_user(s);
    l.fx = ir_effects_stmt(p->f, s);
    l.reassoc = (user && asked) || (s->sched && s->sched->reduce) || pass_may_reorder(p->cx, s);
    l.races = user && asked;
    l.copies =
        (user && asked && (threads || p->cx->opt->debug)) || (s->loop == LOOP_REDUCE && threads);
    l.may_need = l.copies || p->cx->opt->offload /* a device has threads for it, too */ ||
                 (s->sched && s->sched->tile[1]) || (!threads && lanes_may_pay(p->p, p->f, s));
    l.around = p->around;
    l.depth = p->depth;
    l.given = p->given;
    l.n_given = p->n_given;
    return l;
}

static bool
splits_sum(const ParLoop *l)
{
    for (int i = 0; i < l->reds.n; i++) {
        const IrReduce *r = &l->reds.at[i];
        DType d = (DType)r->var->dtype;
        if ((r->op == OP_add || r->op == OP_mul) && (dtype_is_float(d) || dtype_is_complex(d)))
            return true;
    }
    return false;
}

/* A schedule asks for workers, but changes no result: what isn't proven runs in order, and so does
 * a sum of floats that may not be taken in any other. */
static ParVerdict
without_promise(Par *p, const ParLoop *l, ParVerdict v, ParWhy *why)
{
    IrStmt *s = l->s;
    bool any = (s->sched && s->sched->reduce) || (p->cx->opt->fastmath & FM_REASSOC);
    if (v == PAR_UNKNOWN) {
        s->loop = LOOP_SEQ;
        return PAR_CARRIED;
    }
    if (v != PAR_OK || any || !splits_sum(l))
        return v;
    *why = (ParWhy){.text = "it adds up floats, and the order of a sum decides how it is rounded"};
    s->loop = LOOP_SEQ;
    return PAR_CARRIED;
}

/* Where the user's function has what a function in its place does. */
static int
line_of(const IrStmt *s)
{
    Span at = s->at;
    while (at.src && at.src->call)
        at = *at.src->call;
    return at.line;
}

static bool
holds(const IrBlock *b, const IrStmt *s)
{
    const IrStmt *t = b->first;
    while (t && t != s)
        t = t->next;
    return t;
}

/* May a handler run in the midst of s, and see what its iterations have set? */
static bool
is_caught(const Par *p, const IrStmt *s)
{
    bool caught = false;
    for (int i = p->depth - 1; p->tries && i >= 0; s = p->around[i--])
        caught |= p->around[i]->kind == IS_TRY && holds(&p->around[i]->body, s);
    return caught;
}

/* What is put into another form may be set before an error that comes before it in the program. A
 * loop that would then have to leave what it has combined runs in order, as it was. Yields whether
 * it does. */
static bool
keep_order(Par *p, const ParLoop *l, const IrBlock *was, ParVerdict v)
{
    IrStmt *s = l->s;
    if (!was->first || (v <= PAR_UNKNOWN && !l->reds.n && !l->lasts.n))
        return false;
    s->body = *was;
    s->loop = LOOP_SEQ;
    p->defs = par_count_defs(p->f, &p->f->body);
    if (v <= PAR_UNKNOWN)
        pass_remark(p->p, REMARK_par_serial, s->at,
                    "it may raise in a try, where what it has set by then may be read");
    return true;
}

static void
tell(Par *p, IrStmt *s, ParVerdict v, const ParWhy *why)
{
    if (p->versions && v >= PAR_CARRIED) {
        IrBlock one = {s, s};
        IrStmt *next = s->next;
        s->next = NULL;
        ir_walk_block(&one, par_make_serial, NULL);
        s->next = next;
    } else if (v == PAR_RACE)
        report_race(p, s, why);
    else if (v == PAR_CARRIED)
        remark(p, s, REMARK_par_serial, why);
    else if (v == PAR_UNKNOWN && !p->versions)
        remark(p, s, REMARK_par_unproven, why);
}

/* Yields the test that is around it now, or NULL. */
static IrStmt *
do_loop(Par *p, IrBlock *blk, IrStmt *s)
{
    bool user = is_user(s);
    s->sched = s->sched ? s->sched : cx_sched(p->cx, s->label);
    bool labelled = s->sched && s->sched->threads > 0 && !s->sched->seq;
    bool side_by_side = p->cx->opt->parallel || labelled;
    bool asked = side_by_side || (user && p->cx->opt->debug);
    bool wants =
        side_by_side && (user || labelled || s->loop == LOOP_PAR || s->loop == LOOP_REDUCE);
    bool threads = wants && !p->in_threads && !p->cold && !s->cold && !(s->sched && s->sched->seq);
    if (par_trips(s) <= 1 || s->cold || s->loop == LOOP_GRID || s->loop == LOOP_BLOCK)
        return NULL; /* threads of a grid are promised to be independent */
    IrStmt *exit = par_find_exit(&s->body, 0);
    if (exit && user && asked)
        report_exit(p, s, exit);
    if (exit)
        return NULL;
    IrStmt *object = uses_objects(p, s, user && asked);
    if (object && user && asked) {
        pass_remark(p->p, REMARK_par_serial, s->at, "line %d: it changes lists or dicts",
                    line_of(object));
        s->loop = LOOP_SEQ;
    }
    const IrStmt *up = p->p->mod->upcalls.n ? ir_find_upcall(&s->body) : NULL;
    if (up) {
        pass_remark(p->p, REMARK_par_serial, s->at, "line %d: it runs in Python", line_of(up));
        s->loop = LOOP_SEQ;
    }
    if (object || up)
        return NULL;
    IrBlock was = {0};
    if (user && asked && is_caught(p, s) && ir_effects(p->f, &s->body).raises)
        was = ir_clone_block(p->f, &s->body, NULL);
    if (user && asked && par_join(p->p, p->f, s, p->tries))
        p->defs = par_count_defs(p->f, &p->f->body);
    ParLoop l = loop_new(p, s, asked, threads);
    ParWhy why = {0};
    ParVerdict v = analyse(p, &l, &why);
    par_tables_clear(&l);
    if (s->unpromised && user && asked)
        v = without_promise(p, &l, v, &why);
    if (user && asked)
        tell(p, s, v, &why);
    if (v == PAR_CARRIED && user && asked && why.in_order) {
        s->combines = p->cx->opt->debug && why.var->is_array;
        s->loop = s->combines ? LOOP_PAR : LOOP_SEQ;
    }
    IrStmt *test = keep_order(p, &l, &was, v) ? NULL : decide(p, blk, &l, threads, v);
    if (test && user && asked && !p->versions && !p->unswitched)
        pass_remark(p->p, REMARK_par_condition, s->at,
                    "which is tested before the loop; where it fails, iterations run in order");
    for (int i = 0; test && i < l.needs.n && p->n_given < MAX_GIVEN; i++)
        p->given[p->n_given++] = l.needs.at[i];
    return test;
}

/* ---- the walk -------------------------------------------------------------------------------- */

static void visit(Par *p, IrBlock *b);

static bool
has_objects(const IrFunc *f)
{
    for (int i = 0; i < f->vars.n; i++)
        if (f->vars.at[i]->obj)
            return true;
    return false;
}

static void
visit_inside(Par *p, IrStmt *s)
{
    IrBlock *sub[IR_MAX_BLOCKS];
    bool cold = p->cold, in_threads = p->in_threads;
    int n = ir_blocks(s, sub);
    if (n == 0 || p->depth == MAX_AROUND)
        return;
    p->around[p->depth++] = s;
    p->in_threads |= s->kind == IS_LOOP && s->threads;
    for (int i = 0; i < n; i++) {
        bool unlikely = s->kind == IS_IF ? (i ? s->cold_else : s->cold) : s->cold;
        p->cold = cold || unlikely;
        visit(p, sub[i]);
    }
    p->depth--;
    p->cold = cold;
    p->in_threads = in_threads;
}

static bool
runs_side_by_side(const IrBlock *b)
{
    IrBlock *sub[IR_MAX_BLOCKS];
    for (IrStmt *s = b->first; s; s = s->next) {
        if (s->kind == IS_LOOP && s->threads)
            return true;
        int n = ir_does(s, ST_REPEATS) ? 0 : ir_blocks(s, sub);
        for (int i = 0; i < n; i++)
            if (runs_side_by_side(sub[i]))
                return true;
    }
    return false;
}

/* What is known of variables was found out before there were two of each statement. */
static void
visit_versions(Par *p, IrStmt *test, Span at)
{
    ParDefs defs = p->defs;
    p->defs = par_count_defs(p->f, &p->f->body);
    p->versions++;
    visit(p, &test->els);
    p->versions--;
    p->defs = defs;
    if (!p->versions && runs_side_by_side(&test->els))
        pass_remark(p->p, REMARK_par_condition, at,
                    "which is tested before the loop; where a flag is otherwise, iterations "
                    "of a version for that run side by side");
    else if (!p->versions)
        pass_remark(p->p, REMARK_par_condition, at,
                    "which is tested before the loop; where it fails, iterations run in order");
}

static void
visit(Par *p, IrBlock *b)
{
    for (IrStmt *s = b->first, *next; s; s = next) {
        int given = p->n_given, depth = p->depth;
        next = s->next;
        p->unswitched = false;
        IrStmt *test = s->kind == IS_LOOP ? do_loop(p, b, s) : NULL;
        bool versions = p->unswitched && depth < MAX_AROUND;
        if (test && depth < MAX_AROUND)
            p->around[p->depth++] = test;
        visit_inside(p, s);
        p->n_given = given;
        if (versions)
            visit_versions(p, test, s->at);
        p->depth = depth;
    }
}

static bool
has_loops(const IrFunc *f)
{
    for (const IrStmt *s = f->body.first; s; s = s->next)
        if (ir_does(s, ST_REPEATS) || s->kind == IS_IF || s->kind == IS_TRY)
            return true;
    return false;
}

static void
find_try(IrBlock *b, IrStmt *s, void *arg)
{
    (void)b;
    *(bool *)arg |= s->kind == IS_TRY;
}

void
pass_par(PassCx *p)
{
    for (int i = 0; i < p->mod->funcs.n; i++) {
        IrFunc *f = pass_func(p, i);
        if (!has_loops(f))
            continue;
        Par *w = NEW(&p->cx->arena, Par);
        *w = (Par){.p = p, .cx = p->cx, .f = f, .objects = has_objects(f)};
        w->defs = par_count_defs(f, &f->body);
        par_order(&w->order, f);
        ir_walk_block(&f->body, find_try, &w->tries);
        visit(w, &f->body);
    }
}
