/* SPDX-License-Identifier: BSD-3-Clause
 * The greatest or least of floats, as `if x[i] > top: top = x[i]`, and where it is, as `..; k = i`:
 * takes an innermost loop of such reductions, and of sums and the like of ints beside them, and
 * yields one in vector lanes, each with a top of its own, where it is long enough. LLVM leaves
 * these loops scalar: for it `fcmp` and `select` are no reduction when NaN may come, nor is a value
 * that is set beside one.
 *
 * A comparison with NaN is false in each lane, too, and a top that is NaN before the loop stays so
 * in all of them; equal floats are the same bits but for zeros, whose sign is that of the first (or
 * last) in order. So when zero comes out, the loop runs again as it was written.
 *
 * What is set beside a top, a companion, is that of the first element (in order) that is greatest.
 * The loop in lanes runs over one block after another and notes the last that raised the top: what
 * the loop as written does from the start in that block alone is what it does in all. That needs a
 * strict comparison. */
#include "pass/pass.h"

enum { MOST = 24, REGISTERS = 4 };

typedef enum Role { TEMPORARY, COMPARISON, TOP, COMPANION, SUM } Role;

typedef struct Step { /* a statement of the body */
    IrStmt *s;
    Role role;
    int op;      /* TOP: x is taken where op(x, top). SUM: its operation */
    int where;   /* TOP: the step that compares, or -1. COMPANION: that of its top */
    bool wanted; /* TEMPORARY: elsewhere, too */
} Step;

typedef struct MinMax {
    PassCx *p;
    Cx *cx;
    IrFunc *f;
    Vec(int) uses; /* by variable: mentions in the function; made when first wanted */
    IrStmt *loop;
    Step step[MOST];
    int n;
    bool places; /* there are companions */
    int lanes;
} MinMax;

/* ---- what the steps of a body are ------------------------------------------------------------ */

static int
step_of(const MinMax *x, const IrVar *v)
{
    for (int i = 0; i < x->n; i++)
        if (x->step[i].s->var == v)
            return i;
    return -1;
}

/* The iteration's own: it mentions nothing that one iteration hands to the next. */
static bool
is_own(const MinMax *x, const IrExpr *e)
{
    int at = e->kind == IX_VAR ? step_of(x, e->var) : -1;
    if (at >= 0 && x->step[at].role != TEMPORARY)
        return false;
    for (int i = 0; i < e->n; i++)
        if (!is_own(x, e->arg[i]))
            return false;
    return true;
}

static int
mentions(const MinMax *x, const IrVar *v)
{
    int n = 0;
    for (int i = 0; i < x->n; i++)
        n += ir_mentions(x->step[i].s->e, v);
    return n;
}

/* What a temporary stands for: nothing that it is made of changes in an iteration. */
static const IrExpr *
meaning(const MinMax *x, const IrExpr *e)
{
    int at = e->kind == IX_VAR ? step_of(x, e->var) : -1;
    return at >= 0 && x->step[at].role == TEMPORARY ? meaning(x, x->step[at].s->e) : e;
}

/* op where c is op(e, v), or the other way round; -1: something else, such as what takes e where
 * not op(e, v), and so NaN. */
static int
taken_where(const MinMax *x, const IrExpr *c, const IrExpr *e, const IrVar *v)
{
    if (c->kind != IX_OP || !(op_info[c->op].flags & OPF_ORDERS))
        return -1;
    if (ir_is_var(c->arg[1], v) && ir_expr_equal(meaning(x, c->arg[0]), meaning(x, e)))
        return c->op;
    if (!ir_is_var(c->arg[0], v) || !ir_expr_equal(meaning(x, c->arg[1]), meaning(x, e)))
        return -1;
    return op_mirrored(c->op);
}

/* v = select(e > v, e, v), where the comparison may be a step of its own */
static bool
is_top(MinMax *x, int i)
{
    Step *t = &x->step[i];
    const IrVar *v = t->s->var;
    const IrExpr *e = t->s->e;
    if (e->kind != IX_OP || e->op != OP_select || !ir_is_var(e->arg[2], v) || !is_own(x, e->arg[1]))
        return false;
    const IrExpr *c = e->arg[0];
    t->where = c->kind == IX_VAR ? step_of(x, c->var) : -1;
    if (t->where >= i || (t->where >= 0 && x->step[t->where].role != COMPARISON))
        return false;
    t->op = taken_where(x, t->where < 0 ? c : x->step[t->where].s->e, e->arg[1], v);
    return t->op >= 0 && mentions(x, v) == 2;
}

/* The condition under which v = select(c, e, v), or what that folds to where e is a constant of
 * bools: c or v, not c and v. NULL: something else. */
static const IrExpr *
set_where(const MinMax *x, const IrExpr *e, const IrVar *v)
{
    if (e->kind != IX_OP)
        return NULL;
    if (e->op == OP_select)
        return ir_is_var(e->arg[2], v) && is_own(x, e->arg[1]) ? e->arg[0] : NULL;
    if (v->dtype != DT_bool || (e->op != OP_or && e->op != OP_and))
        return NULL;
    const IrExpr *c = e->arg[ir_is_var(e->arg[0], v)];
    if (!ir_is_var(e->arg[c == e->arg[0]], v))
        return NULL;
    if (e->op == OP_and)
        return c->kind == IX_OP && c->op == OP_inv ? c->arg[0] : NULL;
    return c;
}

static bool
is_companion(MinMax *x, int i)
{
    Step *t = &x->step[i];
    const IrExpr *c = set_where(x, t->s->e, t->s->var);
    if (!c || c->kind != IX_VAR || mentions(x, t->s->var) != 1)
        return false;
    for (int k = 0; k < x->n; k++)
        if (x->step[k].role == TOP && x->step[k].where >= 0 &&
            x->step[k].where == step_of(x, c->var)) {
            t->where = k;
            return x->step[k].op == OP_lt || x->step[k].op == OP_gt;
        }
    return false;
}

/* v = v + e of ints, whose order doesn't matter */
static bool
is_sum(MinMax *x, int i)
{
    Step *t = &x->step[i];
    const IrExpr *e = t->s->e;
    bool ints = dtype_is_int((DType)e->dtype) || e->dtype == DT_bool;
    if (!ints || e->kind != IX_OP || e->n != 2 || mentions(x, t->s->var) != 1)
        return false;
    if (e->op != OP_add && e->op != OP_mul && e->op != OP_and && e->op != OP_or && e->op != OP_xor)
        return false;
    t->op = e->op;
    return is_own(x, e->arg[ir_is_var(e->arg[0], t->s->var)]) &&
           ir_is_var(e->arg[!ir_is_var(e->arg[0], t->s->var)], t->s->var);
}

/* Read by an earlier step than the one that sets it, or by this: it comes from the iteration
 * before. */
static bool
is_carried(const MinMax *x, int i)
{
    for (int k = 0; k <= i; k++)
        if (ir_mentions(x->step[k].s->e, x->step[i].s->var))
            return true;
    return false;
}

static bool
is_simple(const IrStmt *s)
{
    return s->kind == IS_SET && !s->var->is_array && !dtype_is_complex((DType)s->var->dtype);
}

/* Roles of all steps: first what is carried, then what is made of it. */
static bool
find_roles(MinMax *x)
{
    x->n = 0;
    for (IrStmt *s = x->loop->body.first; s; s = s->next) {
        if (x->n == MOST || !is_simple(s) || step_of(x, s->var) >= 0)
            return false;
        x->step[x->n++] = (Step){.s = s, .where = -1};
    }
    for (int i = 0; i < x->n; i++)
        x->step[i].role = is_carried(x, i) ? SUM : TEMPORARY;
    for (int i = 0; i < x->n; i++)
        if (x->step[i].role == TEMPORARY && !is_own(x, x->step[i].s->e))
            x->step[i].role = COMPARISON;
    for (int i = 0; i < x->n; i++)
        if (x->step[i].role == SUM && is_top(x, i))
            x->step[i].role = TOP;
    for (int i = 0; i < x->n; i++) {
        Step *t = &x->step[i];
        if (t->role == SUM && is_companion(x, i))
            t->role = COMPANION;
        else if (t->role == SUM && !is_sum(x, i))
            return false;
    }
    return true;
}

static bool
has_top(const Step *all, int n, int comparison)
{
    for (int i = 0; i < n; i++)
        if (all[i].role == TOP && all[i].where == comparison)
            return true;
    return false;
}

/* ---- may it? --------------------------------------------------------------------------------- */

static bool
count_use(IrExpr **e, void *arg)
{
    MinMax *x = arg;
    if ((*e)->var && !(*e)->var->is_array && (*e)->var->id < x->uses.n)
        x->uses.at[(*e)->var->id]++;
    return true;
}

static void
count_uses(IrBlock *b, IrStmt *s, void *arg)
{
    (void)b;
    ir_walk_stmt_exprs(s, count_use, arg);
}

/* Is a variable of the body read outside of it? That may only be seen as too many. */
static bool
is_wanted(MinMax *x, const IrVar *v)
{
    if (!x->uses.n) {
        for (int i = 0; i < x->f->vars.n; i++)
            VEC_PUSH(&x->cx->arena, x->uses, 0);
        ir_walk_block(&x->f->body, count_uses, x);
    }
    return v->id >= x->uses.n || x->uses.at[v->id] > mentions(x, v);
}

static bool
is_plain(const IrStmt *s)
{
    int64_t step;
    return s->loop == LOOP_SEQ && !s->lanes && !s->novector && !s->few && !s->threads &&
           !s->n_reds && !s->n_lasts && s->var->dtype == DT_i64 && ir_is_const(s->idx[2], &step) &&
           step == 1;
}

static bool
is_libm(IrExpr **e, void *arg)
{
    if ((*e)->kind == IX_OP && (op_info[(*e)->op].flags & OPF_LIBM))
        *(bool *)arg = true;
    return true;
}

/* A function of vectors may differ from that of one number in the last bit: then the block is not
 * that of the greatest when it runs again. */
static bool
rounds_apart(const MinMax *x)
{
    bool any = false;
    for (int i = 0; i < x->n; i++)
        ir_walk_stmt_exprs(x->step[i].s, is_libm, &any);
    return any;
}

/* It is worth it where LLVM wouldn't: with the greatest of floats, or a companion. */
static bool
suits(MinMax *x, IrStmt *loop)
{
    bool floats = false;
    int kept = 0;
    x->loop = loop;
    x->places = false;
    if (!is_plain(loop) || !loop->body.first || !find_roles(x))
        return false;
    for (int i = 0; i < x->n; i++) {
        Step *t = &x->step[i];
        const IrVar *v = t->s->var;
        floats |= t->role == TOP && (v->dtype == DT_f64 || v->dtype == DT_f32);
        x->places |= t->role == COMPANION;
        kept += t->role == TOP || t->role == SUM;
        if (t->role == TOP && v->dtype == DT_f16)
            return false;
        if (t->role == COMPARISON && (!has_top(x->step, x->n, i) || is_wanted(x, v)))
            return false;
        if (t->role == TEMPORARY)
            t->wanted = is_wanted(x, v);
    }
    return kept <= REGISTERS && (x->places ? !rounds_apart(x) : floats);
}

/* ---- what it becomes ------------------------------------------------------------------------- */

static IrStmt *
clone(MinMax *x, IrBlock *to)
{
    IrBlock one = {x->loop, x->loop}, copy;
    copy = ir_clone_block(x->f, &one, NULL);
    IrStmt *s = copy.first;
    ir_move_all(to, &copy);
    return s;
}

/* The loop in lanes, without companions. */
static IrStmt *
put_wide(MinMax *x, IrBlock *to)
{
    IrStmt *wide = clone(x, to), *s = wide->body.first, *next;
    wide->lanes = (uint8_t)x->lanes;
    wide->independent = true;
    wide->reds = NEW_N(&x->cx->arena, IrReduce, x->n);
    wide->lasts = NEW_N(&x->cx->arena, IrVar *, x->n);
    for (int i = 0; i < x->n; i++, s = next) {
        const Step *t = &x->step[i];
        next = s->next;
        if (t->role == COMPANION)
            ir_remove(&wide->body, s);
        else if (t->role == TOP || t->role == SUM)
            wide->reds[wide->n_reds++] = (IrReduce){.var = s->var, .op = (uint8_t)t->op};
        else if (t->wanted)
            wide->lasts[wide->n_lasts++] = s->var;
    }
    return wide;
}

/* Sets all that the loop changes to what it was, or notes what that is. Not, where a top is given,
 * what is neither that nor its companion; or only that. */
typedef enum Which { ALL, ITS, OTHERS } Which;

static void
each_carried(MinMax *x, IrBuilder *b, IrVar **was, int top, Which which, bool note)
{
    for (int i = 0; i < x->n; i++) {
        const Step *t = &x->step[i];
        bool its = i == top || (t->role == COMPANION && t->where == top);
        if (t->role == COMPARISON || (t->role == TEMPORARY && !t->wanted) ||
            (which != ALL && its != (which == ITS)))
            continue;
        IrVar *v = t->s->var;
        if (note)
            was[i] = ir_var(x->f, v->name, (DType)v->dtype);
        ir_set(b, note ? was[i] : v, ir_use(x->cx, note ? v : was[i]));
    }
}

static bool
has_companion(const MinMax *x, int top)
{
    for (int i = 0; i < x->n; i++)
        if (x->step[i].role == COMPANION && x->step[i].where == top)
            return true;
    return false;
}

/* Zeros of either sign are equal, and which of them is taken is a question of order. */
static void
put_again_for_zeros(MinMax *x, IrBuilder *b, IrVar **was)
{
    IrExpr *zero = NULL;
    for (int i = 0; i < x->n; i++) {
        const IrVar *v = x->step[i].s->var;
        if (x->step[i].role != TOP || has_companion(x, i) || !dtype_is_float((DType)v->dtype))
            continue;
        IrExpr *e = ir_op(x->cx, OP_eq, ir_use(x->cx, x->step[i].s->var),
                          ir_float(x->cx, (DType)v->dtype, 0.0));
        zero = zero ? ir_op(x->cx, OP_or, zero, e) : e;
    }
    if (!zero)
        return;
    IrStmt *again = ir_if(b, zero);
    IrBlock *save = b->at;
    again->cold = true;
    b->at = &again->body;
    each_carried(x, b, was, -1, ALL, false);
    clone(x, b->at)->cold = true;
    b->at = save;
}

typedef struct Raised {    /* a top with companions */
    IrVar *any, *at;       /* raised by any block, the last that did */
    IrVar *before, *block; /* the top before this block, which begins here */
} Raised;

static int
block_size(const MinMax *x)
{
    return tune(x->cx, minmax_block) * x->lanes;
}

static IrExpr *
block_end(MinMax *x, IrVar *at)
{
    IrExpr *left = ir_op(x->cx, OP_sub, ir_copy_expr(x->cx, x->loop->idx[1]), ir_use(x->cx, at));
    left = ir_op(x->cx, OP_min, left, ir_int(x->cx, DT_i64, block_size(x)));
    return ir_op(x->cx, OP_add, ir_use(x->cx, at), left);
}

/* Runs the loop as it was written over the block that raised the top last, for its companions. */
static void
put_block_again(MinMax *x, IrBuilder *b, IrVar **was, int top, const Raised *r)
{
    IrVar *now[MOST], *at = r->at;
    IrBlock *save = b->at;
    b->at = &ir_if(b, ir_use(x->cx, r->any))->body;
    each_carried(x, b, now, top, OTHERS, true);
    each_carried(x, b, was, top, ITS, false);
    IrStmt *loop = clone(x, b->at);
    loop->idx[0] = ir_use(x->cx, at);
    loop->idx[1] = block_end(x, at);
    each_carried(x, b, now, top, OTHERS, false);
    b->at = save;
}

static void
note_raised(MinMax *x, IrBuilder *b, const IrVar *v, IrOp op, const Raised *r)
{
    IrExpr *raised = ir_op(x->cx, op, ir_use(x->cx, (IrVar *)v), ir_use(x->cx, r->before));
    IrVar *c = ir_temp(b, raised);
    ir_set(
        b, r->at,
        ir_op(x->cx, OP_select, ir_use(x->cx, c), ir_use(x->cx, r->block), ir_use(x->cx, r->at)));
    ir_set(b, r->any, ir_op(x->cx, OP_or, ir_use(x->cx, c), ir_use(x->cx, r->any)));
}

/* One block after the other, and in which of them each top with companions was raised last. */
static void
put_blocks(MinMax *x, IrBuilder *b, IrVar **was)
{
    Raised all[MOST] = {0};
    IrVar *block = ir_var(x->f, "block", DT_i64);
    for (int i = 0; i < x->n; i++)
        if (has_companion(x, i)) {
            DType d = (DType)x->step[i].s->var->dtype;
            all[i] = (Raised){ir_var(x->f, "raised", DT_bool), ir_var(x->f, "at", DT_i64),
                              ir_var(x->f, "before", d), block};
            ir_set(b, all[i].any, ir_int(x->cx, DT_bool, 0));
            ir_set(b, all[i].at, ir_copy_expr(x->cx, x->loop->idx[0]));
        }
    IrStmt *blocks = ir_loop(b, LOOP_SEQ, block, ir_copy_expr(x->cx, x->loop->idx[0]),
                             ir_copy_expr(x->cx, x->loop->idx[1]), block_size(x));
    IrBlock *save = b->at;
    b->at = &blocks->body;
    for (int i = 0; i < x->n; i++)
        if (all[i].at)
            ir_set(b, all[i].before, ir_use(x->cx, x->step[i].s->var));
    IrStmt *wide = put_wide(x, b->at);
    wide->idx[0] = ir_use(x->cx, block);
    wide->idx[1] = block_end(x, block);
    for (int i = 0; i < x->n; i++)
        if (all[i].at)
            note_raised(x, b, x->step[i].s->var, (IrOp)x->step[i].op, &all[i]);
    b->at = save;
    for (int i = 0; i < x->n; i++)
        if (all[i].at)
            put_block_again(x, b, was, i, &all[i]);
}

/* x->loop is in no block now. */
static IrStmt *
rewritten(MinMax *x)
{
    IrBlock made = {0};
    IrVar *was[MOST];
    IrStmt *loop = x->loop;
    IrBuilder b = {.cx = x->cx, .mod = x->f->mod, .f = x->f, .at = &made, .span = loop->at};
    IrExpr *n =
        ir_op(x->cx, OP_sub, ir_copy_expr(x->cx, loop->idx[1]), ir_copy_expr(x->cx, loop->idx[0]));
    int64_t enough = x->places ? 2 * block_size(x) : 4 * x->lanes;
    IrStmt *test = ir_if(&b, ir_op(x->cx, OP_ge, n, ir_int(x->cx, DT_i64, enough)));
    b.at = &test->body;
    each_carried(x, &b, was, -1, ALL, true);
    if (x->places)
        put_blocks(x, &b, was);
    else
        put_wide(x, b.at);
    put_again_for_zeros(x, &b, was);
    clone(x, &test->els);
    return test;
}

static void
visit(MinMax *x, IrBlock *b)
{
    IrBlock *sub[IR_MAX_BLOCKS];
    for (IrStmt *s = b->first, *next; s; s = next) {
        next = s->next;
        if (s->lanes || (s->cold && s->kind != IS_IF))
            continue;
        if (s->kind == IS_LOOP && suits(x, s) && pass_may_copy(x->p, x->f, s, "minmax")) {
            ir_remove(b, s);
            s->prev = s->next = NULL;
            ir_insert_before(b, next, rewritten(x));
            pass_remark(x->p, REMARK_vectorize_extreme, s->at,
                        "the greatest or least of each lane");
            continue;
        }
        int n = ir_blocks(s, sub);
        for (int i = 0; i < n; i++)
            if (!(s->kind == IS_IF && (i ? s->cold_else : s->cold)))
                visit(x, sub[i]);
    }
}

void
pass_minmax(PassCx *p)
{
    const SwOptions *opt = p->cx->opt;
    if (lanes_are_off(p) || (opt && (~opt->fastmath & (FM_NNAN | FM_NSZ)) == 0))
        return;
    for (int i = 0; i < p->mod->funcs.n; i++) {
        int lanes = p->cx->trace.lanes ? p->cx->trace.lanes : tune(p->cx, minmax_lanes);
        MinMax x = {.p = p, .cx = p->cx, .f = p->mod->funcs.at[i], .lanes = lanes};
        visit(&x, &x.f->body);
    }
}
