/* SPDX-License-Identifier: BSD-3-Clause
 * Lets Ctrl-C interrupt long loops. A `poll` (one load and a branch) stands at the start of
 * each iteration of a while, of a loop with loops or calls in it, of an innermost loop that has
 * a break or is cold, and of a loop that is to stay scalar (over the strips of another pass).
 * Other innermost loops must stay free of it to become vectors: those that no loop is around are
 * cut in strips of tune(poll_strip) iterations, a poll before each. So are those in others, the
 * deeper ones only where they are long; but those that walk along an array are done in the time
 * that it takes to look at it once, and of a short strip of a row LLVM knows less than of the row.
 * Loops of a small known number of iterations count as straight-line code; a function that comes
 * back to itself polls when it is entered; the loops around a parallel run count as if they were
 * around what its chunks do. */
#include "pass/pass.h"

enum { STRIP_DEPTH = 1, UNROLLS = 256 };

typedef struct Poll {
    PassCx *p;
    Cx *cx;
    IrFunc *f;
    Map *around; /* function of a chunk -> loops around its run */
    bool any;
} Poll;

/* ---- how long -------------------------------------------------------------------------------- */

/* lo .. lo + min(n, constant), a strip: at most the constant. */
static bool
is_strip(const IrStmt *s, int64_t *most)
{
    const IrExpr *hi = s->idx[1], *rest = hi->n == 2 ? hi->arg[1] : NULL;
    int64_t step;
    return rest && hi->kind == IX_OP && hi->op == OP_add && rest->kind == IX_OP &&
           rest->op == OP_min && ir_is_const(rest->arg[1], most) && *most >= 0 &&
           ir_is_const(s->idx[2], &step) && step > 0 && ir_expr_equal(hi->arg[0], s->idx[0]);
}

/* What a bound was set to in the statements right before the loop, as long as these leave the
 * start alone. */
static const IrExpr *
bound_value(const IrStmt *s)
{
    const IrExpr *hi = s->idx[1];
    for (const IrStmt *t = s->prev; hi->kind == IX_VAR && t && t->kind == IS_SET; t = t->prev) {
        if (t->var == s->idx[0]->var)
            break;
        if (t->var == hi->var)
            return t->e;
    }
    return hi;
}

/* lo .. min(lo + constant, anything), a block: at most the constant. */
static bool
is_block(const IrStmt *s, int64_t *most)
{
    const IrExpr *hi = bound_value(s);
    int64_t step;
    if (hi->kind != IX_OP || hi->op != OP_min || !ir_is_const(s->idx[2], &step) || step <= 0)
        return false;
    for (int i = 0; i < 2; i++) {
        const IrExpr *end = hi->arg[i];
        if (end->kind == IX_OP && end->op == OP_add && ir_expr_equal(end->arg[0], s->idx[0]) &&
            ir_is_const(end->arg[1], most) && *most >= 0)
            return true;
    }
    return false;
}

/* Over the threads of a block, from 0 on: of those along one axis, or some of them. */
static int64_t
count_threads(const IrStmt *s)
{
    enum { MOST = 1024 };
    const IrExpr *hi = s->idx[1];
    int64_t n;
    if (ir_is_const(hi, &n))
        return n;
    bool some = hi->kind == IX_OP && hi->op == OP_min;
    return some && (ir_is_const(hi->arg[1], &n) || ir_is_const(hi->arg[0], &n)) && n <= MOST ? n
                                                                                             : MOST;
}

static int64_t
trip_count(const IrStmt *s) /* no more than; -1: not known */
{
    int64_t lo, hi, step, span;
    if (s->kind == IS_LOOP && s->loop == LOOP_BLOCK && !s->sched)
        return count_threads(s);
    if (s->kind == IS_LOOP && (is_strip(s, &hi) || is_block(s, &hi)))
        return hi;
    if (s->kind != IS_LOOP || !ir_is_const(s->idx[0], &lo) || !ir_is_const(s->idx[1], &hi) ||
        !ir_is_const(s->idx[2], &step) || __builtin_sub_overflow(hi, lo, &span))
        return -1;
    if (step > 0)
        return span <= 0 ? 0 : (span - 1) / step + 1;
    return span >= 0 ? 0 : (span + 1) / step + 1;
}

/* Iterations of all loops in the block, multiplied through; `most` + 1 when more, or not known. */
static int64_t
work(IrBlock *b, int64_t most)
{
    int64_t sum = 1;
    IrBlock *sub[IR_MAX_BLOCKS];
    for (IrStmt *s = b->first; s && sum <= most; s = s->next) {
        int64_t times = s->kind == IS_LOOP ? trip_count(s) : 1, inner = 0;
        if (s->kind == IS_WHILE || s->kind == IS_CALL || s->kind == IS_PAR ||
            s->kind == IS_LAUNCH || times < 0 || times > most)
            return most + 1;
        int n = ir_blocks(s, sub);
        for (int i = 0; i < n && inner <= most; i++)
            inner += work(sub[i], most);
        sum += times * inner;
    }
    return sum;
}

static bool
is_short(const Poll *p, IrStmt *s)
{
    IrStmt copy = *s;
    copy.next = NULL;
    IrBlock one = {&copy, &copy};
    int64_t most = tune(p->cx, poll_short);
    return s->kind == IS_LOOP && work(&one, most) <= most;
}

/* ---- what is inside -------------------------------------------------------------------------- */

static bool
holds_long(const Poll *p, IrBlock *b)
{
    IrBlock *sub[IR_MAX_BLOCKS];
    for (IrStmt *s = b->first; s; s = s->next) {
        if (s->kind == IS_WHILE || s->kind == IS_CALL || s->kind == IS_PAR ||
            s->kind == IS_LAUNCH || (s->kind == IS_LOOP && !is_short(p, s)))
            return true;
        int n = s->kind == IS_LOOP ? 0 : ir_blocks(s, sub);
        for (int i = 0; i < n; i++)
            if (holds_long(p, sub[i]))
                return true;
    }
    return false;
}

static bool
holds_break(IrBlock *b)
{
    IrBlock *sub[IR_MAX_BLOCKS];
    for (IrStmt *s = b->first; s; s = s->next) {
        if (s->kind == IS_BREAK)
            return true;
        int n = ir_does(s, ST_REPEATS) ? 0 : ir_blocks(s, sub);
        for (int i = 0; i < n; i++)
            if (holds_break(sub[i]))
                return true;
    }
    return false;
}

typedef struct Along {
    const IrVar *var;
    bool found;
} Along;

/* One place after the other: k, not k - k // 5 * 5, which comes back. */
static bool
steps_with(const IrExpr *at, const IrVar *v)
{
    IrAffine a;
    bool any = false;
    if (!ir_affine(at, &a))
        return false;
    for (int i = 0; i < a.n; i++) {
        if (a.t[i].coef && ir_is_var(a.t[i].term, v))
            any = true;
        else if (ir_mentions(a.t[i].term, v))
            return false;
    }
    return any;
}

/* Arrays with any strides may have more elements than there is memory. */
static void
see_access(Along *l, const IrVar *arr, IrExpr *const *idx, int n)
{
    for (int i = 0; i < n && arr->layout != LAY_A; i++)
        l->found |= steps_with(idx[i], l->var);
}

static bool
see_load(IrExpr **e, void *arg)
{
    if ((*e)->kind == IX_LOAD)
        see_access(arg, (*e)->var, (*e)->arg, (*e)->n);
    return true;
}

/* Does each iteration touch another element of an array? Not in a branch. */
static bool
walks_along(IrStmt *loop)
{
    Along l = {.var = loop->var};
    for (IrStmt *s = loop->body.first; s; s = s->next) {
        ir_walk_stmt_exprs(s, see_load, &l);
        if (s->kind == IS_STORE)
            see_access(&l, s->var, s->idx, s->n_idx);
    }
    return l.found;
}

/* ---- polls ----------------------------------------------------------------------------------- */

static void
put_poll(Poll *p, IrBlock *b)
{
    ir_insert_before(b, b->first, ir_stmt(p->cx, IS_POLL, (Span){0}));
    p->any = true;
}

static IrExpr *
named(Poll *p, IrBlock *b, IrStmt *before, IrExpr *e)
{
    if (e->kind == IX_CONST)
        return e;
    IrStmt *s = ir_stmt(p->cx, IS_SET, (Span){0});
    s->var = ir_var(p->f, "stop", DT_i64);
    s->e = e;
    ir_insert_before(b, before, s);
    return ir_use(p->cx, s->var);
}

/* hi - at, or `by` where that is no further. Over long steps few iterations come as far as the ends
 * of int64 are apart, and the difference may wrap: it has the sign of the step then no longer. */
static IrExpr *
strip_rest(Cx *cx, IrExpr *hi, IrExpr *at, int64_t step, int64_t by)
{
    bool up = step > 0;
    IrExpr *rest = ir_op(cx, OP_sub, hi, at), *most = ir_int(cx, DT_i64, by);
    IrExpr *part = ir_op(cx, up ? OP_min : OP_max, rest, most);
    if (step == 1 || step == -1)
        return part;
    IrExpr *wraps = ir_op(cx, up ? OP_lt : OP_gt, ir_copy_expr(cx, rest), ir_int(cx, DT_i64, 0));
    return ir_op(cx, OP_select, wraps, ir_copy_expr(cx, most), part);
}

/* for i in lo .. hi  becomes  for s in lo .. hi step n: poll; for i in s .. min(s + n, hi),
 * written so that s + n cannot wrap. */
static void
strip(Poll *p, IrBlock *b, IrStmt *s)
{
    Cx *cx = p->cx;
    int64_t step, by;
    ir_is_const(s->idx[2], &step);
    if (__builtin_mul_overflow(step, tune(p->cx, poll_strip), &by)) {
        put_poll(p, &s->body);
        return;
    }
    IrExpr *hi = named(p, b, s, s->idx[1]);
    IrStmt *outer = ir_stmt(cx, IS_LOOP, s->at);
    outer->var = ir_var(p->f, "strip", DT_i64);
    outer->loop = s->loop;
    outer->n_idx = 3;
    outer->idx = NEW_N(&cx->arena, IrExpr *, 3);
    outer->idx[0] = s->idx[0];
    outer->idx[1] = hi;
    outer->idx[2] = ir_int(cx, DT_i64, by);
    outer->novector = true;
    IrExpr *rest = strip_rest(cx, ir_copy_expr(cx, hi), ir_use(cx, outer->var), step, by);
    s->idx[0] = ir_use(cx, outer->var);
    s->idx[1] = ir_op(cx, OP_add, ir_use(cx, outer->var), rest);
    ir_insert_before(b, s, outer);
    ir_remove(b, s);
    ir_insert_before(&outer->body, NULL, s);
    put_poll(p, &outer->body);
}

/* Deeper inside, where it is usually short, it is looked at first whether it is so long that it
 * needs strips. Few loops touch no array along the way, so that code for both is no burden. */
static void
strip_if_long(Poll *p, IrBlock *b, IrStmt *s)
{
    Cx *cx = p->cx;
    int64_t step, most;
    ir_is_const(s->idx[2], &step);
    if (__builtin_mul_overflow(step, tune(cx, poll_strip), &most) ||
        !pass_may_copy(p->p, p->f, s, "safepoint")) {
        put_poll(p, &s->body);
        return;
    }
    IrExpr *lo = named(p, b, s, s->idx[0]), *hi = named(p, b, s, s->idx[1]);
    s->idx[0] = lo;
    s->idx[1] = hi;
    IrBlock one = {s, s};
    IrStmt *next = s->next, *prev = s->prev;
    s->next = s->prev = NULL;
    IrBlock copy = ir_clone_block(p->f, &one, NULL);
    s->next = next;
    s->prev = prev;
    IrStmt *test = ir_stmt(cx, IS_IF, s->at);
    /* where the ends are so far apart that the difference wraps, it is negative */
    IrExpr *span = ir_op(cx, OP_sub, ir_copy_expr(cx, step > 0 ? hi : lo),
                         ir_copy_expr(cx, step > 0 ? lo : hi));
    test->e = ir_op(
        cx, OP_and, ir_op(cx, OP_ge, span, ir_int(cx, DT_i64, 0)),
        ir_op(cx, OP_le, ir_copy_expr(cx, span), ir_int(cx, DT_i64, step > 0 ? most : -most)));
    ir_insert_before(b, s, test);
    ir_remove(b, s);
    ir_insert_before(&test->body, NULL, s);
    ir_move_all(&test->els, &copy);
    strip(p, &test->els, test->els.first);
}

/* cold: in a branch that hardly ever runs, where one loop is better than two. */
static void
visit(Poll *p, IrBlock *b, int depth, bool cold)
{
    IrBlock *sub[IR_MAX_BLOCKS];
    for (IrStmt *s = b->first, *next; s; s = next) {
        next = s->next;
        bool loop = ir_does(s, ST_REPEATS);
        if (s->kind == IS_PAR)
            map_put(&p->cx->arena, p->around, s->func, (void *)(intptr_t)depth);
        if (loop && is_short(p, s))
            continue;
        bool inner = s->kind == IS_LOOP && !holds_long(p, &s->body);
        int n = ir_blocks(s, sub);
        for (int i = 0; i < n; i++)
            visit(p, sub[i], depth + loop, cold || ir_is_cold(s, i));
        if (!loop)
            continue;
        if (!inner || cold || s->cold || s->novector || holds_break(&s->body) ||
            work(&s->body, UNROLLS) > UNROLLS)
            put_poll(p, &s->body);
        else if (depth < STRIP_DEPTH || (depth == STRIP_DEPTH && !walks_along(s)))
            strip(p, b, s);
        else if (!walks_along(s))
            strip_if_long(p, b, s);
    }
}

/* A caller of what may be interrupted may be interrupted. */
static void
find_call(IrBlock *b, IrStmt *s, void *arg)
{
    (void)b;
    if (s->kind == IS_CALL && s->func->may_raise)
        *(bool *)arg = true;
}

void
pass_safepoint(PassCx *p)
{
    Map around = {0}; /* callers come before their chunks */
    for (int i = 0; i < p->mod->funcs.n; i++) {
        Poll poll = {.p = p, .cx = p->cx, .f = p->mod->funcs.at[i], .around = &around};
        visit(&poll, &poll.f->body, (int)(intptr_t)map_get(&around, poll.f), false);
        if (poll.f->recursive)
            put_poll(&poll, &poll.f->body);
        poll.f->may_raise |= poll.any;
    }
    for (bool changed = true; changed;) {
        changed = false;
        for (int i = 0; i < p->mod->funcs.n; i++) {
            IrFunc *f = p->mod->funcs.at[i];
            bool raises = f->may_raise;
            if (!raises)
                ir_walk_block(&f->body, find_call, &raises);
            changed |= raises != f->may_raise;
            f->may_raise = raises;
        }
    }
}
