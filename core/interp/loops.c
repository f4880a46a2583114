/* SPDX-License-Identifier: BSD-3-Clause
 * Loops. Where iterations are said to be independent, nothing passes from one to the next but what
 * the loop says it combines: other scalars are unset before each, and after the last but for its
 * `lasts`; memory that two of them touch is an error at once; they run in another order, and what
 * they combine is combined in chunks. */
#include "interp/internal.h"

/* ---- what a loop assigns --------------------------------------------------------------------- */

typedef struct Collect {
    Interp *in;
    Sets *sets;
} Collect;

static void
add_def(IrVar *v, void *arg)
{
    Collect *c = arg;
    for (int i = 0; i < c->sets->vars.n; i++)
        if (c->sets->vars.at[i] == v)
            return;
    VEC_PUSH(c->in->a, c->sets->vars, v);
}

static void
add_stmt(IrBlock *b, IrStmt *s, void *arg)
{
    Collect *c = arg;
    (void)b;
    ir_walk_defs(s, add_def, arg);
    c->sets->leaves |=
        ir_does(s, ST_RAISES | ST_RETURNS | ST_CALLS | ST_SAYS) || s->kind == IS_BREAK;
}

static Sets *
sets_of(Interp *in, const IrStmt *s)
{
    Sets *r = map_get(&in->sets, s);
    if (r)
        return r;
    r = NEW(in->a, Sets);
    map_put(in->a, &in->sets, s, r);
    Collect c = {in, r};
    add_def(s->var, &c);
    ir_walk_block((IrBlock *)&s->body, add_stmt, &c);
    return r;
}

/* ---- independent iterations ------------------------------------------------------------------ */

static bool
is_listed(const IrStmt *s, const IrVar *v)
{
    for (int i = 0; i < s->n_reds; i++)
        if (s->reds[i].var == v || s->reds[i].hit == v)
            return true;
    return false;
}

static bool
is_last(const IrStmt *s, const IrVar *v)
{
    for (int i = 0; i < s->n_lasts; i++)
        if (s->lasts[i] == v)
            return true;
    return false;
}

static void
forget(Frame *fr, const IrStmt *s, const Sets *sets, bool after)
{
    for (int i = 0; i < sets->vars.n; i++) {
        IrVar *v = sets->vars.at[i];
        if (is_listed(s, v) || (after && is_last(s, v)))
            continue;
        if (v->is_array)
            fr->slot[v->id].d.stale = true;
        else
            fr->slot[v->id].v.undef = true;
    }
}

Level *
level_enter(Interp *in, Frame *fr, const IrStmt *s)
{
    if (in->n_levels == SW_LEN(in->level)) {
        cannot(in, "loops as deep as these");
        return NULL;
    }
    Level *l = &in->level[in->n_levels++];
    *l = (Level){.stamp = ++in->stamps, .frame = fr, .loop = s};
    return l;
}

static uint64_t
random_below(Interp *in, uint64_t n)
{
    in->random = in->random * 6364136223846793005u + 1442695040888963407u;
    return (in->random >> 33) % n;
}

int64_t *
shuffled(Interp *in, int64_t n)
{
    if (!in->opt->seed || n < 2 || n > 100000)
        return NULL;
    int64_t *at = NEW_N(in->a, int64_t, n);
    bool back = random_below(in, 3) == 0;
    for (int64_t i = 0; i < n; i++)
        at[i] = back ? n - 1 - i : i;
    for (int64_t i = n - 1; i > 0 && !back; i--) {
        int64_t k = (int64_t)random_below(in, (uint64_t)i + 1), t = at[i];
        at[i] = at[k];
        at[k] = t;
    }
    return at;
}

/* Sums of floats come out otherwise, and of several equal extremes another place. */
static bool
any_order(const IrStmt *s, const Sets *sets)
{
    if (sets->leaves)
        return false;
    for (int i = 0; i < s->n_reds; i++)
        if (s->reds[i].of || dtype_kind(s->reds[i].var->dtype) >= DK_FLOAT)
            return false;
    return true;
}

/* ---- running --------------------------------------------------------------------------------- */

typedef struct Trips {
    int64_t lo, step, n;
} Trips;

static Trips
trips_of(Interp *in, Frame *fr, const IrStmt *s)
{
    Trips t = {.lo = eval_int(in, fr, s->idx[0], "a bound of a loop"), .step = 1};
    int64_t hi = eval_int(in, fr, s->idx[1], "a bound of a loop");
    ir_is_const(s->idx[2], &t.step);
    bool some = t.step > 0 ? t.lo < hi : t.lo > hi;
    if (in->stop || !some)
        return t;
    uint64_t span = t.step > 0 ? (uint64_t)hi - (uint64_t)t.lo : (uint64_t)t.lo - (uint64_t)hi;
    uint64_t by = t.step > 0 ? (uint64_t)t.step : 0 - (uint64_t)t.step;
    uint64_t n = (span - 1) / by + 1;
    t.n = n > INT64_MAX ? INT64_MAX : (int64_t)n;
    return t;
}

static Go
iterate(Interp *in, Frame *fr, const IrStmt *s, const Trips *t, int64_t k)
{
    fr->slot[s->var->id].v =
        (Num){.i = (int64_t)((uint64_t)t->lo + (uint64_t)k * (uint64_t)t->step)};
    Go go = exec_block(in, fr, &s->body);
    if (++in->out->steps > in->opt->budget && !in->stop) {
        in->stop = true;
        in->out->status = RUN_STEPS;
        in->out->text = "it runs too long";
    }
    return went(in, go == GO_CONTINUE ? GO_ON : go);
}

static Go
sequential(Interp *in, Frame *fr, const IrStmt *s, const Trips *t, Level *l)
{
    Go go = GO_ON;
    for (int64_t k = 0; k < t->n && go == GO_ON; k++) {
        if (l)
            l->iter = (uint32_t)k;
        go = iterate(in, fr, s, t, k);
    }
    return go == GO_BREAK ? GO_ON : go;
}

typedef struct Reads {
    const Interp *in;
    bool any;
} Reads;

static bool
reads_expr(IrExpr **e, void *arg)
{
    Reads *r = arg;
    for (int i = 0; i < r->in->n_again; i++)
        r->any |= (*e)->kind == IX_LOAD && (*e)->var == r->in->again[i];
    return true;
}

static void
reads_array(IrVar *v, unsigned how, void *arg)
{
    Reads *r = arg;
    for (int i = 0; i < r->in->n_again; i++)
        r->any |= (how & ~IR_WRITES) && v == r->in->again[i];
}

static void
reads_stmt(IrBlock *b, IrStmt *s, void *arg)
{
    (void)b;
    ir_walk_stmt_exprs(s, reads_expr, arg);
    ir_walk_arrays(s, reads_array, arg);
}

/* Iterations run side by side in lanes; when one fails, all of them run again, one by one. What a
 * block shares may be stored twice where the loop doesn't look at it. */
static void
test_again(Interp *in, const IrStmt *s, int64_t stores)
{
    if (s->lanes <= 1)
        return;
    Reads r = {in, in->stores != stores};
    ir_walk_block((IrBlock *)&s->body, reads_stmt, &r);
    if (r.any)
        wrong(in, "an iteration in a vector lane fails after it has stored");
}

/* An iteration that fails leaves what the one before has set. */
static void
restore(Frame *fr, const IrStmt *s, const Num *before)
{
    for (int i = 0; i < s->n_lasts; i++)
        if (!s->lasts[i]->is_array && fr->slot[s->lasts[i]->id].v.undef)
            fr->slot[s->lasts[i]->id].v = before[i];
}

/* What an iteration finds in a variable that the loop combines is no value of the whole loop's: a
 * chunk of iterations begins with one that changes nothing, and what chunks have come to is
 * combined at the end. */
typedef struct Chunks {
    int64_t size; /* iterations; 0: there are none, and values are those of a loop in order */
    Num *total;   /* for each of `reds`: before the loop, with all chunks so far */
    Num *first;   /* what a chunk begins with */
} Chunks;

static Num
combined(const IrReduce *r, Num old, Num x)
{
    DType d = (DType)r->var->dtype;
    bool chooses = ir_reduce_traits(r->op) & RED_CHOOSES;
    Num both[2] = {chooses ? x : old, chooses ? old : x};
    Num v = num_op((IrOp)r->op, d, d, both, chooses ? DT_bool : d);
    if (chooses)
        v = v.i ? x : old;
    v.undef = old.undef || x.undef;
    return v;
}

static Chunks
chunks_begin(Interp *in, const Frame *fr, const IrStmt *s, int64_t n)
{
    Chunks c = {0};
    if (!s->n_reds || n < 2)
        return c;
    c.total = NEW_N(in->a, Num, s->n_reds);
    c.first = NEW_N(in->a, Num, s->n_reds);
    for (int i = 0; i < s->n_reds; i++) {
        const IrReduce *r = &s->reds[i];
        int traits = ir_reduce_traits(r->op);
        if (r->var->is_array || fr->slot[r->var->id].v.undef)
            return c;
        c.total[i] = c.first[i] = fr->slot[r->var->id].v;
        if (!(traits & RED_AGAIN))
            c.first[i] = (Num){.i = r->op == OP_mul};
    }
    c.size = 1 + (int64_t)random_below(in, (uint64_t)n);
    return c;
}

/* Before iteration i of n, in the order in which they run, and after the last. */
static void
chunks_step(const Chunks *c, Frame *fr, const IrStmt *s, int64_t i, int64_t n)
{
    if (!c->size || (i % c->size && i < n))
        return;
    for (int k = 0; k < s->n_reds; k++) {
        Num *v = &fr->slot[s->reds[k].var->id].v;
        if (i)
            c->total[k] = combined(&s->reds[k], c->total[k], *v);
        *v = i < n ? c->first[k] : c->total[k];
    }
}

static Go
independent(Interp *in, Frame *fr, const IrStmt *s, const Trips *t, Level *l)
{
    const Sets *sets = sets_of(in, s);
    int64_t *order = any_order(s, sets) ? shuffled(in, t->n) : NULL;
    Chunks chunks = order ? chunks_begin(in, fr, s, t->n) : (Chunks){0};
    Num *last = NEW_N(in->a, Num, s->n_lasts + 1), *before = NEW_N(in->a, Num, s->n_lasts + 1);
    Go go = GO_ON;
    for (int64_t i = 0; i < t->n && go == GO_ON; i++) {
        int64_t k = order ? order[i] : i;
        l->iter = (uint32_t)k;
        for (int j = 0; j < s->n_lasts; j++)
            before[j] = s->lasts[j]->is_array ? (Num){0} : fr->slot[s->lasts[j]->id].v;
        forget(fr, s, sets, false);
        chunks_step(&chunks, fr, s, i, t->n);
        int64_t stores = in->stores;
        if (s->lanes > 1)
            in->n_again = 0;
        go = iterate(in, fr, s, t, k);
        if (go == GO_ERROR)
            test_again(in, s, stores);
        if (go != GO_ON)
            restore(fr, s, before);
        for (int j = 0; k == t->n - 1 && j < s->n_lasts; j++)
            if (!s->lasts[j]->is_array)
                last[j] = fr->slot[s->lasts[j]->id].v;
    }
    if (go != GO_ON)
        return go == GO_BREAK ? GO_ON : go;
    chunks_step(&chunks, fr, s, t->n, t->n);
    for (int j = 0; t->n && j < s->n_lasts; j++)
        if (!s->lasts[j]->is_array)
            fr->slot[s->lasts[j]->id].v = last[j];
    if (t->n)
        forget(fr, s, sets, true);
    return go;
}

/* Do iterations that the user wants in parallel touch one element? Those behind one that fails may
 * run, too. */
static Go
claimed(Interp *in, Frame *fr, const IrStmt *s, const Trips *t, Level *l)
{
    Go first = GO_ON;
    for (int64_t k = 0; k < t->n && !in->stop; k++) {
        l->iter = (uint32_t)k;
        Go go = iterate(in, fr, s, t, k);
        if (first == GO_ON && go != GO_ON)
            first = go;
        if (first != GO_ON && first != GO_ERROR)
            break;
    }
    return went(in, first == GO_BREAK ? GO_ON : first);
}

static Go
counted(Interp *in, Frame *fr, const IrStmt *s)
{
    Trips t = trips_of(in, fr, s);
    bool apart = s->independent || s->novec_alias || s->lanes > 1 ||
                 (s->elementwise && s->loop == LOOP_PAR) ||
                 (in->opt->claims && s->loop == LOOP_PAR);
    if (in->stop || !apart)
        return sequential(in, fr, s, &t, NULL);
    Level *l = level_enter(in, fr, s);
    if (!l)
        return GO_STOP;
    Go go = in->opt->claims && s->loop == LOOP_PAR ? claimed(in, fr, s, &t, l)
            : s->independent                       ? independent(in, fr, s, &t, l)
                                                   : sequential(in, fr, s, &t, l);
    in->n_levels--;
    return go;
}

static Go
whiles(Interp *in, Frame *fr, const IrStmt *s)
{
    for (;;) {
        Go go = exec_block(in, fr, &s->pre);
        in->at = s;
        in->frame = fr;
        if (go == GO_ON && !eval_bool(in, fr, s->e, "a condition"))
            return went(in, GO_ON);
        if (go == GO_ON)
            go = exec_block(in, fr, &s->body);
        if (in->stop)
            return GO_STOP;
        if (++in->out->steps > in->opt->budget) {
            in->stop = true;
            in->out->status = RUN_STEPS;
            in->out->text = "it runs too long";
            return GO_STOP;
        }
        if (go != GO_ON && go != GO_CONTINUE)
            return go == GO_BREAK ? GO_ON : go;
    }
}

Go
exec_loop(Interp *in, Frame *fr, const IrStmt *s)
{
    return s->kind == IS_WHILE ? whiles(in, fr, s) : counted(in, fr, s);
}
