/* SPDX-License-Identifier: BSD-3-Clause
 * Chooses the loops whose iterations run side by side in vector lanes: takes loops that pass
 * par has shown to be independent, marks some with `lanes`. LLVM vectorises innermost loops, and
 * well; what it can't do, or not well, is an innermost loop that carries a value from iteration to
 * iteration (a sum, above all in strict order, a maximum, a while that iterates a formula). There,
 * a loop outside of it whose iterations are independent is worth lanes, if its accesses to memory
 * are not too scattered. So the pass estimates both ways and takes the cheaper. */
#include "pass/loops/vectorize.h"

/* ---- may it? --------------------------------------------------------------------------------- */

static bool
no(Look *k, const char *why)
{
    if (!k->why)
        k->why = why;
    return false;
}

static bool block_may(Look *k, const IrBlock *b, bool apart);

static bool
view_may(Look *k, const IrStmt *s, bool apart)
{
    if (apart || s->var->owned)
        return no(k, "an array is made in it");
    for (int i = 0; i < s->n_idx; i++)
        if (ir_lane_step(k->l, s->idx[i]) != 0)
            return no(k, "iterations look at parts of an array of their own");
    if (s->e && ir_lane_step(k->l, s->e) != 0)
        return no(k, "iterations look at parts of an array of their own");
    return true;
}

/* When a check fails, the group of iterations that it is in runs again, one by one: none of them
 * may have stored anything, or added to a sum. */
static bool
check_may(Look *k)
{
    if (k->early)
        return true;
    if (k->sums)
        return no(k, "an iteration of a reduction may raise");
    if (k->tells)
        return no(k, "it may raise in a try, where what it has set by then may be read");
    return !k->stored || no(k, "an iteration may raise after it has stored");
}

static bool
has_kind(const IrBlock *b, bool check)
{
    IrBlock *sub[IR_MAX_BLOCKS];
    for (IrStmt *s = b->first; s; s = s->next) {
        if (check ? ir_does(s, ST_FAILS) : s->kind == IS_STORE)
            return true;
        int n = ir_blocks(s, sub);
        for (int i = 0; i < n; i++)
            if (has_kind(sub[i], check))
                return true;
    }
    return false;
}

typedef struct Reads {
    const IrVar *var;
    bool any;
} Reads;

static bool
reads_expr(IrExpr **e, void *arg)
{
    Reads *r = arg;
    r->any |= (*e)->kind == IX_LOAD && (*e)->var == r->var;
    return true;
}

static void
reads_stmt(IrBlock *b, IrStmt *s, void *arg)
{
    Reads *r = arg;
    (void)b;
    ir_walk_stmt_exprs(s, reads_expr, arg);
    r->any |= s->base == r->var && s->kind != IS_ATOMIC;
}

/* Memory of a block that the loop writes and does not look at: what is stored twice does no
 * harm. */
static bool
may_store_again(Look *k, const IrVar *v)
{
    Reads r = {v, false};
    if (v->space != SPACE_SHARED || !v->noalias || k->early)
        return false;
    ir_walk_block((IrBlock *)&k->loop->body, reads_stmt, &r);
    return !r.any;
}

/* One addition for all lanes: where they add the same to the same element. */
static bool
atomic_may(Look *k, const IrStmt *s)
{
    DType d = (DType)s->base->dtype;
    bool same = k->depth == 0 && ir_lane_step(k->l, s->e) == 0;
    for (int i = 0; i < s->n_idx; i++)
        same &= ir_lane_step(k->l, s->idx[i]) == 0;
    if (!same || s->order != ATOM_ADD || !dtype_is_int(d) || dtype_info[d].bits < 32)
        return no(k, "it has atomic operations");
    k->stored |= s->base->space != SPACE_SHARED;
    return true;
}

static bool
stmt_may(Look *k, const IrStmt *s, bool apart)
{
    IrLaneInfo *info = ir_lane_info(k->l, s);
    bool inside = apart || (info && info->divergent), ok;
    switch (s->kind) {
    case IS_STORE:
        k->stored |= !may_store_again(k, s->var);
        return true;
    case IS_ATOMIC:
        return atomic_may(k, s);
    case IS_SET:
    case IS_POLL:
    case IS_CONTINUE:
        return true;
    case IS_BREAK:
        return k->depth > 0 || no(k, "it has a break");
    case IS_VIEW:
    case IS_ALIAS:
        return view_may(k, s, apart);
    case IS_DROP:
        return !s->var->owned || no(k, "an array is made in it");
    case IS_IF:
        return block_may(k, &s->body, inside) && block_may(k, &s->els, inside);
    case IS_LOOP:
    case IS_WHILE:
        if (s->lanes)
            return no(k, "a loop inside it runs in vector lanes");
        k->depth++;
        k->stored |= has_kind(&s->body, false) && has_kind(&s->body, true);
        ok = block_may(k, &s->pre, inside) && block_may(k, &s->body, inside);
        k->depth--;
        return ok;
    case IS_CHECK:
    case IS_CHECK_INDEX:
    case IS_RAISE:
        return check_may(k);
    case IS_CALL:
    case IS_RT:
        return no(k, "it calls a function");
    case IS_ALLOC:
        return no(k, "an array is made in it");
    default:
        return no(k, "it does more than compute");
    }
}

static bool
block_may(Look *k, const IrBlock *b, bool apart)
{
    for (const IrStmt *s = b->first; s; s = s->next)
        if (!stmt_may(k, s, apart))
            return false;
    return true;
}

/* Sums in lanes are sums in another order: asked for by prange, or by fastmath. */
static bool
reductions_may(Look *k, const IrStmt *s)
{
    for (int i = 0; i < s->n_reds; i++) {
        const IrReduce *r = &s->reds[i];
        DType d = (DType)r->var->dtype;
        if (r->var->is_array)
            return no(k, "it combines arrays");
        if (r->of)
            return no(k, "it looks for where the greatest or least is");
        if (dtype_is_complex(d) || d == DT_f16)
            return no(k, "it combines complex numbers");
        bool any_order =
            !ir_reduce_in_order(r->op, d) || s->loop == LOOP_PAR || pass_may_reorder(k->p->cx, s);
        if (!any_order)
            return no(k, "it adds up floats in order");
    }
    return true;
}

static bool
has_try(const IrBlock *b)
{
    IrBlock *sub[IR_MAX_BLOCKS];
    for (IrStmt *s = b->first; s; s = s->next) {
        if (s->kind == IS_TRY)
            return true;
        int n = ir_blocks(s, sub);
        for (int i = 0; i < n; i++)
            if (has_try(sub[i]))
                return true;
    }
    return false;
}

static bool
may(Look *k, const IrStmt *s)
{
    k->why = NULL;
    k->depth = 0;
    k->loop = s;
    k->stored = false;
    k->sums = s->n_reds > 0;
    k->tells = s->n_lasts > 0 && has_try(&k->f->body);
    if (!s->independent && !k->early)
        return no(k, "its iterations depend on each other");
    k->l = ir_lanes(k->f, s);
    return reductions_may(k, s) && block_may(k, &s->body, ir_lane_info(k->l, s)->divergent);
}

/* ---- the choice ------------------------------------------------------------------------------ */

static void
widest(IrExpr **e, int *bits)
{
    const IrExpr *x = *e;
    if (x->kind != IX_CONST && dtype_is_float((DType)x->dtype) && dtype_info[x->dtype].bits > *bits)
        *bits = dtype_info[x->dtype].bits;
}

static bool
widest_expr(IrExpr **e, void *arg)
{
    widest(e, arg);
    return true;
}

static void
widest_stmt(IrBlock *b, IrStmt *s, void *arg)
{
    (void)b;
    ir_walk_stmt_exprs(s, widest_expr, arg);
}

/* Wide where what each lane does is a chain of few values, so that two vectors of it overlap. */
static int
lanes_for(const IrStmt *s, bool has_while)
{
    int bits = 0;
    ir_walk_block((IrBlock *)&s->body, widest_stmt, &bits);
    int w = bits && bits <= 32 ? 16 : 8;
    return has_while && w == 8 ? 16 : w;
}

static bool
has_while(const IrBlock *b)
{
    for (const IrStmt *s = b->first; s; s = s->next)
        if (s->kind == IS_WHILE)
            return true;
    return false;
}

static void choose_block(Look *k, IrBlock *b);

/* The one loop in a block, maybe in the usual branch of a test. */
static IrStmt *
only_loop(IrBlock *b)
{
    IrStmt *found = NULL;
    for (IrStmt *s = b->first; s; s = s->next) {
        if (s->kind == IS_LOOP && s->novector) /* an end that pass index_split has cut off */
            continue;
        if (s->kind == IS_LOOP && !found)
            found = s;
        else if (s->kind == IS_IF && s->cold_else && !found)
            found = only_loop(&s->body);
        else if (ir_does(s, ST_REPEATS) || s->kind == IS_IF)
            return NULL;
    }
    return found;
}

/* Cost of an iteration of the loop inside when that one runs in lanes, for comparison. */
static bool
inner_is_better(Look *k, IrStmt *s, int64_t with)
{
    IrStmt *in = only_loop(&s->body);
    int64_t inner;
    if (!in || !lanes_has_carried(k, &in->body))
        return false;
    Look save = *k;
    bool ok = may(k, in);
    if (ok)
        lanes_gain(k, in, &inner);
    *k = save;
    return ok && inner * TRIPS <= with * 9 / 8;
}

/* Would s run in lanes, were it independent? */
static bool
would(Look *k, IrStmt *s)
{
    int64_t with;
    if (!lanes_has_carried(k, &s->body) || !may(k, s))
        return false;
    int64_t without = lanes_gain(k, s, &with);
    return with * 5 / 4 < without;
}

static void
ask(IrBlock *b, IrStmt *s, void *arg)
{
    Look *k = arg;
    (void)b;
    if (k->found || s->kind != IS_LOOP)
        return;
    k->found = would(k, s);
}

/* Lanes that tests ask for come at any level. */
bool
lanes_are_off(const PassCx *p)
{
    SwOptions opt = p->cx->opt ? *p->cx->opt : options_default();
    int asked = p->cx->trace.lanes;
    return opt.debug || asked == 1 || (opt.opt_level < 2 && !asked);
}

bool
lanes_may_pay(PassCx *p, IrFunc *f, IrStmt *loop)
{
    SwOptions opt = p->cx->opt ? *p->cx->opt : options_default();
    Look k = {.p = p, .f = f, .opt = &opt, .early = true};
    if (lanes_are_off(p))
        return false;
    if (p->cx->trace.lanes)
        return true;
    IrStmt copy = *loop;
    copy.prev = copy.next = NULL;
    IrBlock one = {&copy, &copy};
    ir_walk_block(&one, ask, &k);
    return k.found;
}

/* As SWATHE_LANES says, for tests. */
static void
force(Look *k, IrStmt *s, int lanes)
{
    if (may(k, s)) {
        s->lanes = (uint8_t)lanes;
        pass_remark(k->p, REMARK_vectorize_yes, s->at, "as asked");
        return;
    }
    pass_remark(k->p, REMARK_vectorize_no, s->at, "%s", k->why);
    choose_block(k, &s->body);
}

static bool
has_lanes(const IrBlock *b)
{
    IrBlock *sub[IR_MAX_BLOCKS];
    for (IrStmt *s = b->first; s; s = s->next) {
        int n = ir_blocks(s, sub);
        for (int i = 0; i < n; i++)
            if (has_lanes(sub[i]))
                return true;
        if (s->kind == IS_LOOP && s->lanes > 1)
            return true;
    }
    return false;
}

/* Does it give out numbers, so that what has one can be stored side by side? */
static bool
has_append(const IrBlock *b)
{
    for (const IrStmt *s = b->first; s; s = s->next)
        if (s->kind == IS_ATOMIC
                ? s->var != NULL
                : s->kind == IS_IF && (has_append(&s->body) || has_append(&s->els)))
            return true;
    return false;
}

/* LLVM leaves it scalar, with a branch that nobody can foretell. */
static bool
choose_append(Look *k, IrStmt *s)
{
    if (s->loop != LOOP_BLOCK || !has_append(&s->body) || lanes_has_loop(&s->body))
        return false;
    if (!may(k, s)) {
        pass_remark(k->p, REMARK_vectorize_no, s->at, "%s", k->why);
        return false;
    }
    s->lanes = (uint8_t)lanes_for(s, false);
    pass_remark(k->p, REMARK_vectorize_yes, s->at,
                "%d at a time: they take numbers from an atomic counter", s->lanes);
    return true;
}

static bool is_straight(const IrBlock *b, int64_t most);

/* A few iterations, known when it is compiled: LLVM makes straight code of them. */
static bool
unrolls(const IrStmt *s, int64_t most)
{
    int64_t n = lanes_trips(s); /* TRIPS where it isn't known */
    return n < TRIPS && n <= most && is_straight(&s->body, most / (n > 0 ? n : 1));
}

/* Are all loops in it such, of no more iterations together? */
static bool
is_straight(const IrBlock *b, int64_t most)
{
    for (const IrStmt *s = b->first; s; s = s->next)
        if (ir_does(s, ST_REPEATS)
                ? !unrolls(s, most)
                : s->kind == IS_IF && (lanes_has_loop(&s->body) || lanes_has_loop(&s->els)))
            return false;
    return true;
}

/* As many iterations as a vector has lanes, over neighbours: a row of a small matrix. LLVM would
 * load what rows share one by one, and make no vectors of that. */
static bool
fills_vector(Look *k, const IrStmt *s)
{
    enum { STRAIGHT = 16 };
    int64_t n = lanes_trips(s), with;
    if ((n != 4 && n != 8) || !s->independent || s->n_reds || s->n_lasts ||
        !is_straight(&s->body, STRAIGHT) || !may(k, s))
        return false;
    lanes_gain(k, s, &with);
    return !k->apart;
}

static bool
see_costly(IrExpr **e, void *arg)
{
    const IrExpr *x = *e;
    *(bool *)arg &= x->kind != IX_OP || !(op_info[x->op].flags & (OPF_COSTLY | OPF_LIBM));
    return true;
}

static void
see_plain(IrBlock *b, IrStmt *s, void *arg)
{
    (void)b;
    *(bool *)arg &= s->kind == IS_SET || s->kind == IS_STORE || s->kind == IS_LOOP;
    ir_walk_stmt_exprs(s, see_costly, arg);
}

/* A few sums and products of neighbours, as of a stencil: LLVM writes the loops out, and loads once
 * what iterations share. */
static bool
is_plain(const IrStmt *s)
{
    enum { WINDOW = 16 };
    bool plain = s->independent && is_straight(&s->body, WINDOW);
    if (plain)
        ir_walk_block((IrBlock *)&s->body, see_plain, &plain);
    return plain;
}

static bool
see_pixels(IrExpr **e, void *arg)
{
    const IrExpr *x = *e;
    bool is_float = dtype_is_float((DType)x->dtype) || dtype_is_complex((DType)x->dtype);
    int *seen = arg;
    seen[0] += x->kind == IX_LOAD && dtype_size((DType)x->dtype) < 4;
    seen[1] += is_float || (x->kind == IX_LOAD && dtype_size((DType)x->dtype) >= 4);
    return true;
}

static void
see_pixels_in(IrBlock *b, IrStmt *s, void *arg)
{
    (void)b;
    ir_walk_stmt_exprs(s, see_pixels, arg);
}

/* Integers of elements of one or two bytes, and of nothing else: LLVM has many more lanes for these
 * (gen/llvm/narrow.cpp). */
static bool
takes_pixels(const IrBlock *b)
{
    int seen[2] = {0, 0};
    ir_walk_block((IrBlock *)b, see_pixels_in, seen);
    return seen[0] && !seen[1];
}

static void
choose(Look *k, IrStmt *s)
{
    enum { FEW = 8, MOST = 40, STRAIGHT = 64 };
    int64_t with = 0, without;
    int lanes = k->p->cx->trace.lanes;
    if (s->cold || s->lanes)
        return;
    if (has_lanes(&s->body) || s->novector) { /* the tiles of a nest */
        choose_block(k, &s->body);
        return;
    }
    if (lanes > 1 && lanes <= 32 && (lanes & (lanes - 1)) == 0) {
        force(k, s, lanes);
        return;
    }
    if (!lanes_has_carried(k, &s->body)) {
        if (!choose_append(k, s))
            choose_block(k, &s->body);
        return;
    }
    if (fills_vector(k, s)) {
        s->lanes = (uint8_t)lanes_trips(s);
        pass_remark(k->p, REMARK_vectorize_yes, s->at, "all %d at a time", s->lanes);
        return;
    }
    if (lanes_trips(s) < FEW && unrolls(s, MOST)) {
        pass_remark(k->p, REMARK_vectorize_no, s->at, "it is a few iterations, all known");
        choose_block(k, &s->body);
        return;
    }
    if (!may(k, s)) {
        if (s->independent && s->loop != LOOP_GRID)
            pass_remark(k->p, REMARK_vectorize_no, s->at, "%s", k->why);
        choose_block(k, &s->body);
        return;
    }
    without = lanes_gain(k, s, &with);
    /* the next one needs not wait */
    if ((k->apart || takes_pixels(&s->body) || is_plain(s)) && is_straight(&s->body, STRAIGHT)) {
        pass_remark(k->p, REMARK_vectorize_no, s->at, "the loops inside it are a few iterations");
        choose_block(k, &s->body);
        return;
    }
    if (inner_is_better(k, s, with)) {
        choose_block(k, &s->body);
        return;
    }
    if (with * 5 / 4 >= without) {
        pass_remark(k->p, REMARK_vectorize_no, s->at, "its accesses to memory are too scattered");
        choose_block(k, &s->body);
        return;
    }
    s->lanes = (uint8_t)lanes_for(s, has_while(&s->body));
    pass_remark(k->p, REMARK_vectorize_yes, s->at,
                "%d at a time: the loop inside it carries values along", s->lanes);
}

static void
choose_block(Look *k, IrBlock *b)
{
    IrBlock *sub[IR_MAX_BLOCKS];
    for (IrStmt *s = b->first; s; s = s->next) {
        if (s->kind == IS_LOOP) {
            choose(k, s);
            continue;
        }
        int n = ir_blocks(s, sub);
        for (int i = 0; i < n; i++)
            if (!(s->kind == IS_IF && (i ? s->cold_else : s->cold)))
                choose_block(k, sub[i]);
    }
}

int
lanes_of(PassCx *p, IrFunc *f, IrStmt *s)
{
    SwOptions opt = p->cx->opt ? *p->cx->opt : options_default();
    Look k = {.p = p, .f = f, .opt = &opt};
    int64_t with;
    if (lanes_are_off(p) || s->cold || has_lanes(&s->body))
        return 0;
    if (p->cx->trace.lanes > 1)
        return may(&k, s) ? p->cx->trace.lanes : 0;
    if (!lanes_has_carried(&k, &s->body) || !may(&k, s))
        return 0;
    int64_t without = lanes_gain(&k, s, &with);
    if (inner_is_better(&k, s, with) || with * 5 / 4 >= without)
        return 0;
    return lanes_for(s, has_while(&s->body));
}

void
pass_vectorize(PassCx *p)
{
    for (int i = 0; i < p->mod->funcs.n; i++) {
        IrFunc *f = pass_func(p, i);
        SwOptions opt = p->cx->opt ? *p->cx->opt : options_default();
        Look k = {.p = p, .f = f, .opt = &opt};
        if (!lanes_are_off(p))
            choose_block(&k, &f->body);
    }
}
