/* SPDX-License-Identifier: BSD-3-Clause
 * Small arrays of a fixed size that end in the block that makes them lie on the stack: a vector of
 * three, a window of pixels, a table of counts, made in each iteration. All that mentions such an
 * array, or a view of it, stands behind its allocation in that block, so that the next time round
 * finds nothing of it; and nobody is given it who may keep it. Nothing is allocated then, and where
 * loops over it are unrolled LLVM has its elements in registers.
 *
 * Those of another size, which no iteration of a loop changes, are made once for all of them. */
#include "ir/search.h"
#include "pass/memory/memory.h"

enum { MOST = 4096, MOST_IN_ALL = 32768, MOST_WHEN_DEEP = 256 }; /* bytes; deep: of recursion */

typedef struct Row { /* an array that each iteration of `loop` makes */
    IrStmt *made, *loop;
    IrBlock *body, *around; /* the loop stands in `around` */
} Row;

typedef struct Local {
    Cx *cx;
    IrFunc *f;
    int *mentions;      /* by variable: in the whole function, */
    int *seen;          /* and behind the allocations of the variable at hand */
    Vec(IrStmt *) made; /* all that may be on the stack */
    Vec(Row) rows;
    Vec(IrVar *) kin; /* of the allocation at hand: its variable and what looks at that */
    Vec(IrVar *) all; /* of all of the variable's */
    const IrStmt *at; /* the allocation at hand */
    bool kept;        /* by somebody */
    int steps;        /* statements that may still be looked at */
    int64_t left;     /* bytes */
} Local;

static int64_t
bytes_of(const IrStmt *s)
{
    int64_t n, k;
    if (s->kind != IS_ALLOC || s->var->space != SPACE_HEAP || s->var->obj || s->order == LAY_F ||
        s->var->is_param || !s->var->ndim)
        return 0;
    n = dtype_size(s->var->dtype);
    for (int i = 0; i < s->n_idx; i++) {
        if (!ir_is_const(s->idx[i], &k) || k <= 0 || k > MOST || n * k > MOST)
            return 0;
        n *= k;
    }
    return n;
}

static IrVar *
count(IrVar *v, void *arg)
{
    Local *o = arg;
    o->mentions[v->id]++;
    return v;
}

static void
count_in(IrBlock *b, IrStmt *s, void *arg)
{
    (void)b;
    memory_name_stmt(s, count, arg);
}

static bool
is_kin(const Local *o, const IrVar *v)
{
    for (int i = 0; v && i < o->kin.n; i++)
        if (o->kin.at[i] == v)
            return true;
    return false;
}

static IrVar *
note(IrVar *v, void *arg)
{
    Local *o = arg;
    if (is_kin(o, v))
        o->seen[v->id]++;
    return v;
}

static bool
any_kin(const Local *o, const IrArg *a, int n)
{
    for (int i = 0; i < n; i++)
        if (is_kin(o, a[i].arr))
            return true;
    return false;
}

/* May s keep what it is given, or is it another definition? */
static bool
keeps(const Local *o, const IrStmt *s)
{
    bool looks = (s->kind == IS_VIEW || s->kind == IS_ALIAS) && is_kin(o, s->base);
    if (any_kin(o, s->outs, s->n_outs))
        return true;
    if (any_kin(o, s->args, s->n_args) && !ir_is_overlap(s) &&
        !(s->kind == IS_CALL && ir_is_kernel(s->func)))
        return true;
    if (is_kin(o, s->var) && s != o->at && !looks && s->kind != IS_STORE &&
        s->kind != IS_CHECK_INDEX && s->kind != IS_DROP && s->kind != IS_COPY)
        return true;
    return is_kin(o, s->base) && !looks && s->kind != IS_COPY;
}

static bool
all_seen(const Local *o)
{
    for (int i = 0; i < o->all.n; i++)
        if (o->seen[o->all.at[i]->id] < o->mentions[o->all.at[i]->id])
            return false;
    return true;
}

static void
add_kin(Local *o, IrVar *v)
{
    VEC_PUSH(&o->cx->arena, o->kin, v);
    VEC_PUSH(&o->cx->arena, o->all, v);
}

static void
look(Local *o, IrStmt *s)
{
    IrBlock *sub[IR_MAX_BLOCKS];
    bool looks = (s->kind == IS_VIEW || s->kind == IS_ALIAS) && is_kin(o, s->base);
    o->kept |= o->steps-- <= 0 || keeps(o, s) || (looks && s->var->is_param);
    if (looks && !is_kin(o, s->var))
        add_kin(o, s->var);
    memory_name_stmt(s, note, o);
    int n = ir_blocks(s, sub);
    for (int i = 0; i < n; i++)
        for (IrStmt *t = sub[i]->first; t && !o->kept; t = t->next)
            look(o, t);
}

static bool
same_dims(const IrStmt *a, const IrStmt *b)
{
    for (int i = 0; i < a->n_idx; i++)
        if (!ir_expr_equal(a->idx[i], b->idx[i]))
            return false;
    return true;
}

/* Does the array end where the first statement of `made`, and any other of its variable, makes it?
 * (Of versions of a loop each has its own allocation.) o->all then has all that looks at it. */
static bool
ends_there(Local *o, IrStmt *const *made, int n)
{
    IrVar *v = made[0]->var;
    o->all.n = 0;
    o->kept = false;
    for (int i = 0; i < n && !o->kept; i++) {
        IrStmt *m = made[i];
        if (m->var != v)
            continue;
        o->at = m;
        o->kin.n = 0;
        add_kin(o, v);
        for (IrStmt *t = m; t && !o->kept; t = t->next) {
            look(o, t);
            if (all_seen(o))
                break;
        }
    }
    bool ends = !o->kept && all_seen(o);
    for (int i = 0; i < o->all.n; i++)
        o->seen[o->all.at[i]->id] = 0;
    return ends;
}

static void
place(Local *o, int first)
{
    const IrStmt *s = o->made.at[first];
    int64_t bytes = bytes_of(s);
    bool fits = bytes <= o->left;
    for (int i = first; i < o->made.n; i++)
        fits = fits && (o->made.at[i]->var != s->var || same_dims(s, o->made.at[i]));
    if (!fits || !ends_there(o, o->made.at + first, o->made.n - first))
        return;
    s->var->space = SPACE_LOCAL;
    o->left -= bytes;
}

/* ---- one array for all iterations ------------------------------------------------------------ */

static bool
is_size(const IrExpr *e)
{
    int64_t n;
    if (e->kind == IX_CONST)
        return ir_is_const(e, &n) && n >= 0;
    if (e->kind == IX_OP && e->op == OP_max)
        return is_size(e->arg[0]) || is_size(e->arg[1]);
    return e->kind == IX_DIM;
}

static bool
has_kept_sizes(const Local *o, const Row *r)
{
    IrEffects fx = ir_effects_stmt(o->f, r->loop);
    for (int i = 0; i < r->made->n_idx; i++)
        if (!ir_invariant(r->made->idx[i], &fx) || ir_loads(r->made->idx[i]))
            return false;
    return ir_is_const(r->loop->idx[2], NULL);
}

/* It ends with the function now, or where the loop starts again. */
static void
remove_drops(IrBlock *b, IrStmt *s, void *arg)
{
    if (s->kind == IS_DROP && s->var == arg)
        ir_remove(b, s);
}

static void
put_zeros(Local *o, const Row *r)
{
    IrStmt *m = r->made;
    IrBlock loops = {0};
    IrBuilder b = {.cx = o->cx, .f = o->f, .mod = o->f->mod, .at = &loops, .span = m->at};
    IrExpr *idx[32];
    for (int i = 0; i < m->n_idx; i++) {
        IrVar *k = ir_var(o->f, "k", DT_i64);
        IrStmt *s = ir_loop(&b, LOOP_SEQ, k, ir_int(o->cx, DT_i64, 0), ir_dim(o->cx, m->var, i), 1);
        b.at = &s->body;
        idx[i] = ir_use(o->cx, k);
    }
    IrExpr *zero = ir_cast(o->cx, (DType)m->var->dtype, ir_int(o->cx, DT_i64, 0));
    ir_store(&b, m->var, m->n_idx, idx, zero);
    ir_insert_before(r->body, m, loops.first);
}

/* Of sizes that may be negative: that one is. NULL: none may. */
static IrExpr *
is_negative(Local *o, const IrStmt *m)
{
    IrExpr *any = NULL;
    for (int i = 0; i < m->n_idx; i++) {
        if (is_size(m->idx[i]))
            continue;
        IrExpr *e = ir_op(o->cx, OP_lt, ir_copy_expr(o->cx, m->idx[i]), ir_int(o->cx, DT_i64, 0));
        any = any ? ir_op(o->cx, OP_or, any, e) : e;
    }
    return any;
}

/* The iteration raises what it did. */
static void
leave_error(Local *o, const Row *r, const IrExpr *negative)
{
    IrStmt *wrong = ir_stmt(o->cx, IS_IF, r->made->at), *m = NEW(&o->cx->arena, IrStmt);
    *m = *r->made;
    m->prev = m->next = NULL;
    wrong->e = ir_copy_expr(o->cx, negative);
    wrong->cold = true;
    ir_insert_before(&wrong->body, NULL, m);
    ir_insert_before(r->body, r->made, wrong);
}

/* Before the loop, if an iteration will be there that makes it. */
static void
hoist(Local *o, Row *r)
{
    Cx *cx = o->cx;
    IrStmt *m = r->made, *first = ir_stmt(cx, IS_IF, m->at);
    int64_t step = 1;
    ir_is_const(r->loop->idx[2], &step);
    first->e = ir_op(cx, step > 0 ? OP_lt : OP_gt, ir_copy_expr(cx, r->loop->idx[0]),
                     ir_copy_expr(cx, r->loop->idx[1]));
    ir_walk_block(r->body, remove_drops, m->var);
    IrExpr *negative = is_negative(o, m);
    if (negative) {
        leave_error(o, r, negative);
        first->e = ir_op(cx, OP_and, first->e, ir_op(cx, OP_inv, negative));
    }
    if (m->zero)
        put_zeros(o, r);
    m->zero = false;
    ir_remove(r->body, m);
    ir_insert_before(&first->body, NULL, m);
    ir_insert_before(r->around, r->loop, first);
    r->loop->independent = r->loop->apart = r->loop->novec_alias = false;
}

/* A loop whose iterations run one after another, each with an array of its own: they may have one
 * in common, of which each finds what the one before has left, as in new memory. */
static void
gather_rows(Local *o, IrBlock *b, IrStmt *loop, IrBlock *around)
{
    IrBlock *sub[IR_MAX_BLOCKS];
    for (IrStmt *s = b->first; s; s = s->next) {
        bool runs = s->kind == IS_LOOP && !s->cold && !s->threads && s->lanes < 2;
        int n = ir_blocks(s, sub);
        for (int i = 0; i < n; i++)
            gather_rows(o, sub[i], runs && sub[i] == &s->body ? s : NULL, b);
        if (s->kind != IS_ALLOC || s->var->space != SPACE_HEAP || s->var->obj || s->var->is_param ||
            !s->var->ndim || s->var->ndim != s->n_idx || s->n_idx > 32)
            continue;
        VEC_PUSH(&o->cx->arena, o->made, s);
        VEC_PUSH(&o->cx->arena, o->rows, ((Row){s, loop, b, around}));
    }
}

static void
hoist_rows(Local *o)
{
    o->made.n = 0;
    gather_rows(o, &o->f->body, NULL, NULL);
    Map known = {0};
    for (int k = 0; k < o->rows.n && o->steps > 0; k++) {
        IrVar *v = o->made.at[k]->var;
        if (map_get(&known, v))
            continue;
        map_put(&o->cx->arena, &known, v, v);
        bool any = false, ends;
        for (int i = k; i < o->rows.n; i++)
            any |=
                o->made.at[i]->var == v && o->rows.at[i].loop && has_kept_sizes(o, &o->rows.at[i]);
        ends = any && ends_there(o, o->made.at + k, o->made.n - k);
        for (int i = 0; i < o->all.n && ends; i++)
            ends = o->all.at[i] == v || !o->all.at[i]->owned;
        for (int i = k; i < o->rows.n && ends; i++)
            if (o->made.at[i]->var == v && o->rows.at[i].loop && has_kept_sizes(o, &o->rows.at[i]))
                hoist(o, &o->rows.at[i]);
    }
}

/* ---- the pass -------------------------------------------------------------------------------- */

static void
gather_made(IrBlock *b, IrStmt *s, void *arg)
{
    Local *o = arg;
    (void)b;
    if (bytes_of(s))
        VEC_PUSH(&o->cx->arena, o->made, s);
}

static void
run(Local *o)
{
    Map known = {0};
    for (int k = 0; k < o->made.n && o->steps > 0; k++) {
        IrVar *v = o->made.at[k]->var;
        if (map_get(&known, v))
            continue;
        map_put(&o->cx->arena, &known, v, v);
        place(o, k);
    }
    hoist_rows(o);
}

static void
find_alloc(IrBlock *b, IrStmt *s, void *arg)
{
    (void)b;
    *(bool *)arg |= s->kind == IS_ALLOC;
}

void
pass_local(PassCx *p)
{
    for (int i = 0; i < p->mod->funcs.n; i++) {
        IrFunc *f = p->mod->funcs.at[i];
        Local o = {.cx = p->cx, .f = f, .steps = 100000};
        bool any = false;
        ir_walk_block(&f->body, find_alloc, &any);
        if (!any)
            continue;
        o.left = f->recursive ? MOST_WHEN_DEEP : MOST_IN_ALL;
        ir_walk_block(&f->body, gather_made, &o);
        o.mentions = NEW_N(&p->cx->arena, int, f->vars.n + 1);
        o.seen = NEW_N(&p->cx->arena, int, f->vars.n + 1);
        ir_walk_block(&f->body, count_in, &o);
        run(&o);
    }
}
