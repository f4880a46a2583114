/* SPDX-License-Identifier: BSD-3-Clause
 * Reductions in vector lanes: takes an innermost loop that is nothing but reductions (see
 * reduce_match.c), and yields one in vector lanes, with an accumulator in each, where it is long
 * enough. It takes what LLVM leaves scalar: the greatest or least of floats, for `fcmp` and
 * `select` are no reduction for it when NaN may come, and what is set where something holds, as
 * the place of the greatest. Sums, products, flags and the like run along. A strict sum of
 * floats is in order, and so is its loop.
 *
 * A comparison with NaN is false in each lane, too, and an extreme that is NaN before the loop
 * stays so in all of them. Equal floats are the same bits but for zeros, whose sign is that of
 * the first (or last) in order. Where a condition that holds for NaN takes them, as in max(x,
 * top), lanes have an operation in which NaN wins. So when zero or NaN comes out, the loop runs
 * again as it was written.
 *
 * What is kept where something holds is that of the last such iteration; with a comparison, of
 * the first element (or last) that is greatest. The loop in lanes runs over one block after
 * another and notes the last in which it held: what the loop as written does from the start in
 * that block alone is what it does in all. */
#include "pass/loops/reduce.h"

enum { REGISTERS = 4 };

/* ---- may it? --------------------------------------------------------------------------------- */

typedef struct Def { /* an assignment that all paths to the place looked at have passed; or none */
    int block, depth;
} Def;

typedef struct Undo {
    int var;
    Def was;
} Undo;

/* Which variables are read where not only an assignment before it in the same block, or in one
 * around without a loop between, may have set them, but one inside a loop. */
typedef struct Exposed {
    Reduce *x;
    Def *def; /* by variable */
    Vec(Undo) undo;
    Vec(int) open;  /* by depth: numbers of the blocks around */
    int loop, next; /* depth of the innermost loop's block; the next number */
} Exposed;

static bool
count_read(IrExpr **e, void *arg)
{
    const Exposed *w = arg;
    const IrVar *v = (*e)->var;
    if (!v || v->is_array || v->id >= w->x->reads.n)
        return true;
    const Def *d = &w->def[v->id];
    bool sure = d->block && d->depth >= w->loop && w->open.at[d->depth] == d->block;
    w->x->reads.at[v->id] |= !sure;
    return true;
}

static void
note_def(IrVar *v, void *arg)
{
    Exposed *w = arg;
    if (v->is_array || v->id >= w->x->reads.n)
        return;
    VEC_PUSH(&w->x->cx->arena, w->undo, ((Undo){v->id, w->def[v->id]}));
    w->def[v->id] = (Def){w->open.at[w->open.n - 1], w->open.n - 1};
}

/* Behind a branch, what was assigned before it still is, unless a loop in it has assigned, too; a
 * loop leaves nothing that it has assigned. */
static void
leave(Exposed *w, int from, bool loop)
{
    for (int i = w->undo.n; i-- > from;) {
        Def *d = &w->def[w->undo.at[i].var];
        if (loop || d->block)
            *d = loop ? (Def){0} : w->undo.at[i].was;
    }
}

static void
look_block(Exposed *w, IrBlock *b)
{
    IrBlock *sub[IR_MAX_BLOCKS];
    VEC_PUSH(&w->x->cx->arena, w->open, ++w->next);
    for (IrStmt *s = b->first; s; s = s->next) {
        int n = ir_blocks(s, sub), was = w->loop;
        bool loop = ir_does(s, ST_REPEATS);
        ir_walk_stmt_exprs(s, count_read, w);
        if (loop)
            w->loop = w->open.n;
        for (int i = 0; i < n; i++) {
            int from = w->undo.n;
            look_block(w, sub[i]);
            leave(w, from, loop);
        }
        w->loop = was;
        ir_walk_defs(s, note_def, w);
    }
    w->open.n--;
}

/* May a variable that each iteration sets be read after the loop? */
static bool
is_wanted(Reduce *x, const IrVar *v)
{
    if (!x->reads.n) {
        for (int i = 0; i < x->f->vars.n; i++)
            VEC_PUSH(&x->cx->arena, x->reads, false);
        Exposed w = {.x = x, .def = NEW_N(&x->cx->arena, Def, x->f->vars.n + 1)};
        look_block(&w, &x->f->body);
    }
    return v->id >= x->reads.n || x->reads.at[v->id];
}

static bool
is_plain(const IrStmt *s)
{
    int64_t step;
    return s->loop == LOOP_SEQ && !s->lanes && !s->novector && !s->few && !s->threads &&
           s->var->dtype == DT_i64 && ir_is_const(s->idx[2], &step) && step == 1;
}

static bool
is_libm(IrExpr **e, void *arg)
{
    if ((*e)->kind == IX_OP && (op_info[(*e)->op].flags & OPF_LIBM))
        *(bool *)arg = true;
    return true;
}

/* A function of vectors may differ from that of one number in the last bit: then the block in which
 * a condition held is another when it runs again. */
static bool
rounds_apart(const Reduce *x)
{
    bool any = false;
    for (int i = 0; i < x->n; i++)
        ir_walk_stmt_exprs(x->step[i].s, is_libm, &any);
    return any;
}

static bool
is_strict(const Step *t)
{
    return t->op == OP_lt || t->op == OP_gt;
}

/* Of integers, where something else holds: no reduction that LLVM knows. */
static bool
is_guarded(const Step *t)
{
    return t->take.n > 1 || (!t->take.n && t->e->kind == IX_OP && t->e->op == OP_select);
}

/* It is worth it where LLVM wouldn't: with an extreme of floats, a guarded one, a kept value. */
static bool
pays(Reduce *x)
{
    bool extremes = false, again = false;
    int sums = 0;
    x->kept = false;
    for (int i = 0; i < x->n; i++) {
        Step *t = &x->step[i];
        bool extreme = t->role == ROLE_EXTREME;
        extremes |= extreme && (dtype_is_float((DType)t->s->var->dtype) || is_guarded(t));
        again |= t->role == ROLE_KEPT || (extreme && (t->zeros || t->nans));
        x->kept |= t->role == ROLE_KEPT;
        sums += (extreme || t->role == ROLE_SUM) && t->s->var->dtype != DT_bool;
        if (t->heads && extreme && !t->take.n)
            return false;
        if (t->role == ROLE_MIXED && is_wanted(x, t->s->var))
            return false;
        t->wanted = t->role == ROLE_OWN && t->s->kind == IS_SET && is_wanted(x, t->s->var);
    }
    return sums <= REGISTERS && (x->kept ? !rounds_apart(x) : extremes) && !(again && x->rereads);
}

/* Nothing but assignments and stores, and few; checks may be of an index that is kept. */
static bool
is_short(const IrBlock *b)
{
    int n = 0;
    for (const IrStmt *s = b->first; s; s = s->next)
        if ((s->kind != IS_STORE && s->kind != IS_CHECK_INDEX &&
             (s->kind != IS_SET || s->var->is_array)) ||
            ++n > REDUCE_STEPS)
            return false;
    return n > 0;
}

typedef struct Strides {
    IrLanes *l;
    bool any;
} Strides;

static bool
see_stride(IrExpr **e, void *arg)
{
    Strides *w = arg;
    for (int i = 0; (*e)->kind == IX_LOAD && i < (*e)->n; i++) {
        int64_t step = ir_lane_step(w->l, (*e)->arg[i]);
        bool last = (*e)->var->layout == LAY_C && i == (*e)->n - 1;
        w->any |= step != 0 && !(step == 1 && last);
    }
    return true;
}

/* Loads of neighbours fill vectors; with others it is the loads that take time, one by one, and
 * more lanes are nothing but more code. */
static int
choose_lanes(const Reduce *x, IrStmt *loop)
{
    enum { STRIDED = 8 };
    int asked = x->cx->trace.lanes, lanes = asked ? asked : tune(x->cx, reduce_lanes);
    Strides w = {.l = ir_lanes(x->f, loop)};
    for (IrStmt *s = loop->body.first; s; s = s->next)
        ir_walk_stmt_exprs(s, see_stride, &w);
    return w.any && lanes > STRIDED && !asked ? STRIDED : lanes;
}

static bool
suits(Reduce *x, IrStmt *loop)
{
    x->loop = x->as_written = loop;
    x->index = NULL;
    if (!is_plain(loop) || !is_short(&loop->body))
        return false;
    if (!reduce_index(x) || !reduce_match(x))
        return false;
    /* what top is set to was compared, so that it is in range in each iteration */
    if (x->index && (x->step[x->n - 1].role != ROLE_EXTREME || !x->step[x->n - 1].take.n))
        return false;
    return reduce_may_store(x) && pays(x);
}

/* ---- what it becomes ------------------------------------------------------------------------- */

static IrStmt *
clone(Reduce *x, IrBlock *to)
{
    IrBlock one = {x->loop, x->loop}, copy;
    copy = ir_clone_block(x->f, &one, NULL);
    IrStmt *s = copy.first;
    ir_move_all(to, &copy);
    return s;
}

typedef struct Group {     /* of what is kept where one condition holds */
    IrVar *any, *at;       /* it has held in a block, the last such */
    IrVar *before, *block; /* the extreme before this block, which begins here */
    IrVar *hit;            /* it has held in this block; NULL: the extreme tells */
} Group;

/* What a reduction is set to in lanes. */
static IrExpr *
wide_value(Reduce *x, const Step *t)
{
    Cx *cx = x->cx;
    IrVar *v = t->s->var;
    if (t->role == ROLE_SUM || t->take.compares < 0)
        return t->e;
    IrExpr *e = ir_copy_expr(cx, t->take.x);
    if (!t->take.unordered)
        return ir_op(cx, OP_select, reduce_taken(x, &t->take), e, ir_use(cx, v));
    e = ir_op(cx, (IrOp)t->op, ir_use(cx, v), e);
    Take others = {.n = 0};
    for (int i = 0; i < t->take.n; i++)
        if (i != t->take.compares)
            others.term[others.n++] = t->take.term[i];
    return others.n ? ir_op(cx, OP_select, reduce_taken(x, &others), e, ir_use(cx, v)) : e;
}

static void
add_reduction(IrStmt *wide, IrVar *v, int op)
{
    wide->reds[wide->n_reds++] = (IrReduce){.var = v, .op = (uint8_t)op};
}

/* hit = hit or the group's condition, before the step changes what that compares with. */
static void
put_hit(Reduce *x, IrStmt *wide, IrStmt *before, const Step *t, const Group *g)
{
    IrStmt *s = ir_stmt(x->cx, IS_SET, t->s->at);
    s->var = g->hit;
    s->e = ir_op(x->cx, OP_or, ir_use(x->cx, g->hit), reduce_taken(x, &t->take));
    ir_insert_before(&wide->body, before, s);
    add_reduction(wide, g->hit, OP_or);
}

/* The loop in lanes. What is kept is not set in it. */
static IrStmt *
put_wide(Reduce *x, IrBlock *to, const Group *groups)
{
    Map map = {0};
    IrStmt *wide = clone(x, to), *s = wide->body.first, *next;
    wide->lanes = (uint8_t)x->lanes;
    wide->independent = true;
    wide->n_reds = wide->n_lasts = 0;
    wide->reds = NEW_N(&x->cx->arena, IrReduce, 2 * x->n);
    wide->lasts = NEW_N(&x->cx->arena, IrVar *, x->n);
    map_put(&x->cx->arena, &map, x->loop->var, wide->var);
    for (int i = 0; i < x->n; i++, s = next) {
        Step *t = &x->step[i];
        next = s->next;
        if (t->heads && groups[i].hit)
            put_hit(x, wide, s, t, &groups[i]);
        if (t->role == ROLE_KEPT || t->role == ROLE_MIXED) {
            ir_remove(&wide->body, s);
        } else if (t->role == ROLE_OWN) {
            if (t->wanted)
                wide->lasts[wide->n_lasts++] = s->var;
        } else {
            s->e = wide_value(x, t);
            add_reduction(wide, s->var, t->op);
        }
    }
    IrBlock body = ir_clone_block(x->f, &wide->body, &map);
    wide->body = body;
    return wide;
}

/* Sets all that the loop changes to what it was, or notes what that is. Not, where a group is
 * given, what is neither its extreme nor kept in it; or only that. */
typedef enum Which { ALL, ITS, OTHERS } Which;

static void
each_carried(Reduce *x, IrBuilder *b, IrVar **was, int group, Which which, bool note)
{
    for (int i = 0; i < x->n; i++) {
        const Step *t = &x->step[i];
        bool its = i == group || (t->role == ROLE_KEPT && t->group == group);
        if (t->role == ROLE_MIXED || (t->role == ROLE_OWN && !t->wanted) ||
            (which != ALL && its != (which == ITS)))
            continue;
        IrVar *v = t->s->var;
        if (note)
            was[i] = ir_var(x->f, v->name, (DType)v->dtype);
        ir_set(b, note ? was[i] : v, ir_use(x->cx, note ? v : was[i]));
    }
}

/* Zeros of either sign are equal, and which of them is taken is a question of order; so is what is
 * taken after a NaN. An extreme that heads a group has run in order where it was found. */
static void
put_again(Reduce *x, IrBuilder *b, IrVar **was)
{
    Cx *cx = x->cx;
    IrExpr *any = NULL;
    for (int i = 0; i < x->n; i++) {
        const Step *t = &x->step[i];
        IrVar *v = t->s->var;
        if (t->role != ROLE_EXTREME || t->heads)
            continue;
        IrExpr *zero = ir_float(cx, (DType)v->dtype, 0.0), *e = NULL;
        if (t->zeros)
            e = ir_op(cx, OP_eq, ir_use(cx, v), zero);
        if (t->nans)
            e = ir_op(cx, OP_or, e, ir_op(cx, OP_isnan, ir_use(cx, v)));
        any = any && e ? ir_op(cx, OP_or, any, e) : e ? e : any;
    }
    if (!any)
        return;
    IrStmt *again = ir_if(b, any);
    IrBlock *save = b->at;
    again->cold = true;
    b->at = &again->body;
    each_carried(x, b, was, -1, ALL, false);
    clone(x, b->at)->cold = true;
    b->at = save;
}

static int
block_size(const Reduce *x)
{
    return tune(x->cx, reduce_block) * x->lanes;
}

static IrExpr *
block_end(Reduce *x, IrVar *at)
{
    IrExpr *left = ir_op(x->cx, OP_sub, ir_copy_expr(x->cx, x->loop->idx[1]), ir_use(x->cx, at));
    left = ir_op(x->cx, OP_min, left, ir_int(x->cx, DT_i64, block_size(x)));
    return ir_op(x->cx, OP_add, ir_use(x->cx, at), left);
}

/* The greatest so far changes seldom, and more seldom with each iteration: a branch, which is
 * foretold, where a choice would have each iteration wait for the one before. */
static void
put_branches(Reduce *x, IrStmt *loop)
{
    Map map = {0};
    bool any = false;
    IrStmt *test[REDUCE_STEPS] = {NULL}, *s = loop->body.first, *next;
    if (x->stored.n)
        return;
    for (int i = 0; i < x->n; i++, s = next) {
        const Step *t = &x->step[i];
        int group = t->role == ROLE_KEPT ? t->group : i;
        const Step *head = &x->step[group];
        next = s->next;
        if ((t->role != ROLE_KEPT && t->role != ROLE_EXTREME) || !head->heads ||
            head->role != ROLE_EXTREME)
            continue;
        if (!test[group]) {
            any = true;
            test[group] = ir_stmt(x->cx, IS_IF, s->at);
            test[group]->e = reduce_taken(x, &head->take);
            test[group]->cold = true;
            ir_insert_before(&loop->body, NULL, test[group]);
        }
        ir_remove(&loop->body, s);
        s->e = ir_copy_expr(x->cx, t->role == ROLE_KEPT ? t->value : t->take.x);
        ir_insert_before(&test[group]->body, NULL, s);
    }
    map_put(&x->cx->arena, &map, x->loop->var, loop->var);
    if (any && loop != x->loop)
        loop->body = ir_clone_block(x->f, &loop->body, &map);
}

/* Runs the loop as it was written over the last block in which the group's condition held. */
static void
put_block_again(Reduce *x, IrBuilder *b, IrVar **was, int group, const Group *g)
{
    IrVar *now[REDUCE_STEPS];
    IrBlock *save = b->at;
    b->at = &ir_if(b, ir_use(x->cx, g->any))->body;
    each_carried(x, b, now, group, OTHERS, true);
    each_carried(x, b, was, group, ITS, false);
    IrStmt *loop = clone(x, b->at);
    loop->idx[0] = ir_use(x->cx, g->at);
    loop->idx[1] = block_end(x, g->at);
    put_branches(x, loop);
    each_carried(x, b, now, group, OTHERS, false);
    b->at = save;
}

static Group
new_group(Reduce *x, IrBuilder *b, const Step *t, IrVar *block)
{
    bool tells = t->role == ROLE_EXTREME && is_strict(t);
    Group g = {ir_var(x->f, "any", DT_bool), ir_var(x->f, "at", DT_i64), .block = block};
    if (tells)
        g.before = ir_var(x->f, "before", (DType)t->s->var->dtype);
    else
        g.hit = ir_var(x->f, "hit", DT_bool);
    ir_set(b, g.any, ir_int(x->cx, DT_bool, 0));
    ir_set(b, g.at, ir_copy_expr(x->cx, x->loop->idx[0]));
    return g;
}

/* Before the loop over a block: */
static void
begin_block(Reduce *x, IrBuilder *b, const Step *t, const Group *g)
{
    if (g->hit)
        ir_set(b, g->hit, ir_int(x->cx, DT_bool, 0));
    else
        ir_set(b, g->before, ir_use(x->cx, t->s->var));
}

/* and after it. */
static void
end_block(Reduce *x, IrBuilder *b, const Step *t, const Group *g)
{
    Cx *cx = x->cx;
    IrVar *c = g->hit;
    if (!c)
        c = ir_temp(b, ir_op(cx, (IrOp)t->op, ir_use(cx, t->s->var), ir_use(cx, g->before)));
    ir_set(b, g->at, ir_op(cx, OP_select, ir_use(cx, c), ir_use(cx, g->block), ir_use(cx, g->at)));
    ir_set(b, g->any, ir_op(cx, OP_or, ir_use(cx, c), ir_use(cx, g->any)));
}

/* One block after the other, and in which of them each group's condition held last. */
static void
put_blocks(Reduce *x, IrBuilder *b, IrVar **was)
{
    Group groups[REDUCE_STEPS] = {0};
    IrVar *block = ir_var(x->f, "block", DT_i64);
    for (int i = 0; i < x->n; i++)
        if (x->step[i].heads)
            groups[i] = new_group(x, b, &x->step[i], block);
    IrStmt *blocks = ir_loop(b, LOOP_SEQ, block, ir_copy_expr(x->cx, x->loop->idx[0]),
                             ir_copy_expr(x->cx, x->loop->idx[1]), block_size(x));
    IrBlock *save = b->at;
    b->at = &blocks->body;
    for (int i = 0; i < x->n; i++)
        if (groups[i].any)
            begin_block(x, b, &x->step[i], &groups[i]);
    IrStmt *wide = put_wide(x, b->at, groups);
    wide->idx[0] = ir_use(x->cx, block);
    wide->idx[1] = block_end(x, block);
    for (int i = 0; i < x->n; i++)
        if (groups[i].any)
            end_block(x, b, &x->step[i], &groups[i]);
    b->at = save;
    for (int i = 0; i < x->n; i++)
        if (groups[i].any)
            put_block_again(x, b, was, i, &groups[i]);
}

static IrExpr *
both(Cx *cx, IrExpr *a, IrExpr *b)
{
    return a ? ir_op(cx, OP_and, a, b) : b;
}

static IrExpr *
apart(IrBuilder *b, IrVar *x, IrVar *y)
{
    return ir_op(b->cx, OP_eq, ir_use(b->cx, ir_overlap(b, x, y)), ir_int(b->cx, DT_i32, 0));
}

/* Do the stores reach nothing that is read, or stored by another? NULL: they don't. */
static IrExpr *
stores_apart(const Reduce *x, IrBuilder *b)
{
    IrExpr *all = NULL;
    for (int k = 0; k < x->stored.n; k++) {
        IrVar *v = x->stored.at[k];
        for (int i = 0; i < x->loaded.n; i++)
            if (!v->noalias && !x->loaded.at[i]->noalias)
                all = both(x->cx, all, apart(b, v, x->loaded.at[i]));
        for (int i = 0; i < k; i++)
            if (!v->noalias && !x->stored.at[i]->noalias)
                all = both(x->cx, all, apart(b, v, x->stored.at[i]));
    }
    return all;
}

/* Is what the kept index points to at the start an element? Later it is one that was compared. */
static IrExpr *
index_is_in(const Reduce *x, IrExpr *all)
{
    Cx *cx = x->cx;
    const IrExpr *load = x->index ? reduce_element(x->index) : NULL;
    for (int i = 0; load && i < load->n; i++) {
        IrExpr *e = load->arg[i];
        if (e->kind != IX_OP || e->op != OP_wrap)
            continue;
        all = ir_op(cx, OP_and, all,
                    ir_op(cx, OP_ge, ir_copy_expr(cx, e->arg[0]), ir_int(cx, DT_i64, 0)));
        all = ir_op(cx, OP_and, all,
                    ir_op(cx, OP_lt, ir_copy_expr(cx, e->arg[0]), ir_copy_expr(cx, e->arg[1])));
    }
    return all;
}

/* May it run in lanes? NULL: it may. */
static IrExpr *
may_run(Reduce *x, IrBuilder *b, IrExpr *enough)
{
    IrBlock *save = b->at;
    if (!x->stored.n)
        return enough;
    IrVar *safe = ir_var(x->f, "safe", DT_bool);
    ir_set(b, safe, ir_int(x->cx, DT_bool, 0));
    IrStmt *test = ir_if(b, enough);
    b->at = &test->body;
    IrExpr *e = stores_apart(x, b);
    ir_set(b, safe, e ? e : ir_int(x->cx, DT_bool, 1));
    b->at = save;
    return ir_use(x->cx, safe);
}

/* What the kept index points to is read before the loop: where it runs, and no sum has wrapped. */
static void
put_top(Reduce *x, IrBuilder *b)
{
    Cx *cx = x->cx;
    const IrStmt *loop = x->loop;
    IrExpr *runs = ir_op(cx, OP_lt, ir_copy_expr(cx, loop->idx[0]), ir_copy_expr(cx, loop->idx[1]));
    IrStmt *test = ir_if(b, index_is_in(x, runs));
    x->as_written->cold = x->as_written->novector = true;
    ir_insert_before(&test->els, NULL, x->as_written);
    test->cold_else = true;
    b->at = &test->body;
    ir_set(b, x->top, ir_copy_expr(cx, x->index));
}

/* The loop as written is in no block now. */
static void
rewritten(Reduce *x, IrBlock *made)
{
    Cx *cx = x->cx;
    IrVar *was[REDUCE_STEPS];
    const Group none[REDUCE_STEPS] = {0};
    const IrStmt *loop = x->loop;
    x->lanes = choose_lanes(x, x->loop);
    IrBuilder b = {.cx = cx, .mod = x->f->mod, .f = x->f, .at = made, .span = x->as_written->at};
    if (x->index)
        put_top(x, &b);
    IrExpr *n = ir_op(cx, OP_sub, ir_copy_expr(cx, loop->idx[1]), ir_copy_expr(cx, loop->idx[0]));
    int64_t enough = x->kept ? 2 * block_size(x) : 4 * x->lanes;
    IrExpr *is_long = ir_op(cx, OP_ge, n, ir_int(cx, DT_i64, enough));
    IrStmt *test = ir_if(&b, may_run(x, &b, is_long));
    b.at = &test->body;
    each_carried(x, &b, was, -1, ALL, true);
    if (x->kept)
        put_blocks(x, &b, was);
    else
        put_wide(x, b.at, none);
    put_again(x, &b, was);
    IrStmt *few = x->index ? clone(x, &test->els) : x->as_written;
    if (!x->index)
        ir_insert_before(&test->els, NULL, few);
    put_branches(x, few);
}

static void
visit(Reduce *x, IrBlock *b)
{
    IrBlock *sub[IR_MAX_BLOCKS];
    for (IrStmt *s = b->first, *next; s; s = next) {
        next = s->next;
        if (s->lanes || (s->cold && s->kind != IS_IF))
            continue;
        if (s->kind == IS_LOOP && suits(x, s) && pass_may_copy(x->p, x->f, s, "reduce")) {
            IrBlock made = {0};
            ir_remove(b, s);
            s->prev = s->next = NULL;
            rewritten(x, &made);
            for (IrStmt *t = made.first, *behind; t; t = behind) {
                behind = t->next;
                ir_remove(&made, t);
                ir_insert_before(b, next, t);
            }
            pass_remark(x->p, REMARK_reduce_lanes, s->at, "an accumulator in each lane");
            continue;
        }
        int n = ir_blocks(s, sub);
        for (int i = 0; i < n; i++)
            if (!(s->kind == IS_IF && (i ? s->cold_else : s->cold)))
                visit(x, sub[i]);
    }
}

void
pass_reduce(PassCx *p)
{
    for (int i = 0; i < p->mod->funcs.n; i++) {
        IrFunc *f = pass_func(p, i);
        const SwOptions *opt = p->cx->opt;
        if (lanes_are_off(p) || (opt && (~opt->fastmath & (FM_NNAN | FM_NSZ)) == 0))
            continue;
        Reduce x = {.p = p, .cx = p->cx, .f = f};
        visit(&x, &x.f->body);
    }
}
