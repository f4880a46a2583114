/* SPDX-License-Identifier: BSD-3-Clause
 * A sum in memory becomes one in a variable: a loop that does a[k] = a[k] + x with the same
 * k throughout adds up a scalar, which goes to a[k] after the loop, once. That reorders the
 * sum, so only reduce() asks for it. Whatever else the loop touches must not be a[k]: other
 * arrays are told apart by a test before the loop, with the loop as it was on its far side. */
#include "pass/loops/sched.h"

enum { MAX_OTHERS = 8 };

typedef struct Scan {
    IrVar *arr;
    IrExpr *self; /* the load that the sum starts from */
    const IrStmt *store;
    IrFunc *f;
    const IrVar *temp; /* what the store stores */
    int temp_uses;
    IrVar *other[MAX_OTHERS];
    int n_other;
    bool bad;
} Scan;

static void
touch(Scan *c, IrVar *v)
{
    if (v == c->arr)
        c->bad = true;
    for (int i = 0; i < c->n_other; i++)
        if (c->other[i] == v)
            return;
    if (v == c->arr || v->noalias || c->arr->noalias)
        return;
    if (c->n_other == MAX_OTHERS)
        c->bad = true;
    else
        c->other[c->n_other++] = v;
}

static bool
scan_expr(IrExpr **e, void *arg)
{
    Scan *c = arg;
    c->temp_uses += ir_is_var(*e, c->temp);
    if ((*e)->kind == IX_LOAD && *e != c->self)
        touch(c, (*e)->var);
    return true;
}

/* Anything that may leave the loop early, or touch memory in a way that is not seen here. */
static void
scan_stmt(IrBlock *blk, IrStmt *s, void *arg)
{
    Scan *c = arg;
    (void)blk;
    ir_walk_stmt_exprs(s, scan_expr, c);
    switch (s->kind) {
    case IS_STORE:
        if (s != c->store)
            touch(c, s->var);
        break;
    case IS_SET:
    case IS_LOOP:
    case IS_WHILE:
    case IS_IF:
    case IS_CHECK:
    case IS_CHECK_INDEX:
        break;
    default:
        c->bad = true;
    }
}

static bool
count_temp(IrExpr **e, void *arg)
{
    Scan *c = arg;
    c->temp_uses += ir_is_var(*e, c->temp);
    return true;
}

static void
count_temp_stmt(IrBlock *blk, IrStmt *s, void *arg)
{
    (void)blk;
    ir_walk_stmt_exprs(s, count_temp, arg);
}

static bool
is_directly_in(const IrBlock *b, const IrStmt *s)
{
    for (const IrStmt *k = b->first; k; k = k->next)
        if (k == s)
            return true;
    return false;
}

/* The loop's sum as a scalar's: returns that. */
static IrVar *
to_scalar(IrBuilder *b, IrStmt *loop, const SchedSum *sum)
{
    IrExpr *last = sum->op[sum->n - 1];
    DType d = last->dtype;
    bool product = last->op == OP_mul;
    IrVar *acc = ir_var(b->f, "acc", d);
    IrExpr *start = dtype_is_complex(d) ? ir_complex(b->cx, d, product, 0)
                    : dtype_is_float(d) ? ir_float(b->cx, d, product)
                                        : ir_int(b->cx, d, product);
    ir_set(b, acc, start);
    last->arg[sum->side] = ir_use(b->cx, acc);
    IrStmt *s = sum->at;
    if (sum->made) {
        s->e = sum->made->e;
        ir_remove(&loop->body, sum->made);
    }
    s->kind = IS_SET;
    s->var = acc;
    s->idx = NULL;
    s->n_idx = 0;
    return acc;
}

static IrExpr **
copy_index(IrBuilder *b, IrExpr *const *idx, int n)
{
    IrExpr **to = NEW_N(&b->cx->arena, IrExpr *, n + 1);
    for (int i = 0; i < n; i++)
        to[i] = ir_copy_expr(b->cx, idx[i]);
    return to;
}

/* if the loop ran: a[k] = a[k] + acc */
static void
add_to_memory(IrBuilder *b, IrStmt *loop, IrVar *arr, int n, IrExpr **idx, IrVar *acc, bool product)
{
    int64_t step = 1;
    ir_is_const(loop->idx[2], &step);
    IrExpr *ran = ir_op(b->cx, step > 0 ? OP_lt : OP_gt, ir_copy_expr(b->cx, loop->idx[0]),
                        ir_copy_expr(b->cx, loop->idx[1]));
    IrBlock *save = b->at;
    b->at = &ir_if(b, ran)->body;
    IrExpr *old = ir_load(b->cx, arr, n, copy_index(b, idx, n));
    IrExpr *v = ir_op(b->cx, product ? OP_mul : OP_add, old, ir_use(b->cx, acc));
    ir_store(b, arr, n, copy_index(b, idx, n), v);
    b->at = save;
}

static IrExpr *
overlap_test(IrBuilder *b, const Scan *c)
{
    IrExpr *any = NULL;
    for (int i = 0; i < c->n_other; i++) {
        IrExpr *t = ir_op(b->cx, OP_ne, ir_use(b->cx, ir_overlap(b, c->arr, c->other[i])),
                          ir_int(b->cx, DT_i32, 0));
        any = any ? ir_op(b->cx, OP_or, any, t) : t;
    }
    return any;
}

static bool
possible(Scan *c, IrStmt *loop, const SchedSum *sum)
{
    if (!is_directly_in(&loop->body, sum->at) ||
        (sum->made && !is_directly_in(&loop->body, sum->made)))
        return false;
    ir_walk_block(&loop->body, scan_stmt, c);
    if (c->bad || !sum->made)
        return !c->bad;
    c->temp_uses = 0;
    ir_walk_block(&c->f->body, count_temp_stmt, c);
    return c->temp_uses == 1;
}

bool
sched_to_scalar(PassCx *p, IrFunc *f, IrBlock *blk, IrStmt *loop, const SchedSum *sum)
{
    IrStmt *at = sum->at;
    Scan c = {.arr = at->var, .store = at, .f = f};
    c.self = sum->op[sum->n - 1]->arg[sum->side];
    c.temp = sum->made ? sum->made->var : NULL;
    if (!possible(&c, loop, sum))
        return false;
    IrBlock made = {0};
    IrBuilder b = {.cx = p->cx, .mod = p->mod, .f = f, .at = &made, .span = loop->at};
    bool product = sum->op[sum->n - 1]->op == OP_mul;
    IrExpr **idx = at->idx;
    int n = at->n_idx;
    IrStmt *next = loop->next;
    ir_remove(blk, loop);
    if (c.n_other) {
        IrStmt *test = ir_if(&b, overlap_test(&b, &c));
        IrBlock as_was = {0};
        ir_insert_before(&as_was, NULL, loop);
        Map map = {0};
        test->body = ir_clone_block(f, &as_was, &map);
        test->cold = true;
        test->body.first->loop = LOOP_SEQ;
        test->body.first->label = NULL;
        test->body.first->sched = NULL;
        ir_remove(&as_was, loop);
        b.at = &test->els;
    }
    IrVar *acc = to_scalar(&b, loop, sum);
    ir_insert_before(b.at, NULL, loop);
    add_to_memory(&b, loop, c.arr, n, idx, acc, product);
    for (IrStmt *s = made.first, *after; s; s = after) {
        after = s->next;
        ir_remove(&made, s);
        ir_insert_before(blk, next, s);
    }
    return true;
}
