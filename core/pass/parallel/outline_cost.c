/* SPDX-License-Identifier: BSD-3-Clause
 * How long an iteration of a loop takes, roughly: nanoseconds as an expression that can be
 * evaluated before the loop. Operations are weighed by kind; an inner loop counts as often as its
 * bounds say, where these can be written in terms of what the outer loop does not change. Its own
 * variable stands at the middle of its range, so that a triangle counts by half. */
#include "pass/parallel/outline.h"

enum { UNKNOWN_TRIPS = 32, WHILE_TRIPS = 100, MAX_DEPTH = 12, MAX_NODES = 60 };

#define RECURSION_NS 20000.0
#define UNIT_NS 0.2 /* an addition, a load: more than a vector's lane, less than a scalar's */

typedef struct Cost {
    Outline *o;
    int nodes, calls; /* made so far; how deep in callees */
} Cost;

typedef struct Ns { /* fixed + expr */
    double fixed;
    IrExpr *expr; /* f64, or NULL */
} Ns;

static Ns cost_block(Cost *c, IrBlock *b);

/* ---- bounds in terms of what is known before the loop ---------------------------------------- */

static IrExpr *resolve(Cost *c, const IrExpr *e, int depth);

static IrExpr *
resolve_dim(Cost *c, IrVar *arr, int axis, int depth)
{
    uint8_t seen = c->o->seen[arr->id];
    IrStmt *def = c->o->def[arr->id];
    if (!(seen & DEFINED))
        return ir_dim(c->o->cx, arr, axis);
    if ((seen & TWICE) || depth > MAX_DEPTH)
        return NULL;
    if (def->kind == IS_ALIAS)
        return resolve_dim(c, def->base, axis, depth + 1);
    if (def->kind == IS_ALLOC || def->kind == IS_VIEW)
        return resolve(c, def->idx[axis], depth + 1);
    return NULL;
}

static IrExpr *
middle(Cost *c, IrStmt *loop, int depth)
{
    IrExpr *lo = resolve(c, loop->idx[0], depth + 1), *hi = resolve(c, loop->idx[1], depth + 1);
    if (!lo || !hi)
        return NULL;
    Cx *cx = c->o->cx;
    IrExpr *half =
        ir_op(cx, OP_shr, ir_op(cx, OP_sub, hi, ir_copy_expr(cx, lo)), ir_int(cx, DT_i64, 1));
    return ir_op(cx, OP_add, lo, half);
}

static IrExpr *
resolve_var(Cost *c, IrVar *v, int depth)
{
    Outline *o = c->o;
    uint8_t seen = o->seen[v->id];
    if (v == o->loop->var)
        return middle(c, o->loop, depth);
    if (!(seen & (DEFINED | LOOP_VAR)))
        return ir_use(o->cx, v);
    if (seen & TWICE)
        return NULL;
    IrStmt *def = o->def[v->id];
    if (def->kind == IS_LOOP)
        return middle(c, def, depth);
    return def->kind == IS_SET ? resolve(c, def->e, depth + 1) : NULL;
}

static IrExpr *
resolve(Cost *c, const IrExpr *e, int depth)
{
    IrExpr *args[3];
    if (depth > MAX_DEPTH || ++c->nodes > MAX_NODES)
        return NULL;
    if (e->kind == IX_CONST)
        return ir_copy_expr(c->o->cx, e);
    if (e->kind == IX_VAR)
        return e->dtype == DT_i64 ? resolve_var(c, e->var, depth) : NULL;
    if (e->kind == IX_DIM)
        return resolve_dim(c, e->var, e->axis, depth);
    if (e->kind != IX_OP || e->dtype != DT_i64 || e->n > 2)
        return NULL;
    for (int i = 0; i < e->n; i++)
        if (!(args[i] = resolve(c, e->arg[i], depth + 1)))
            return NULL;
    return e->op == OP_tdiv ? NULL : ir_opv(c->o->cx, (IrOp)e->op, args);
}

/* ---- sums and products ----------------------------------------------------------------------- */

static Ns
plus(Cost *c, Ns a, Ns b)
{
    IrExpr *e = a.expr && b.expr ? ir_op(c->o->cx, OP_add, a.expr, b.expr)
                : a.expr         ? a.expr
                                 : b.expr;
    return (Ns){a.fixed + b.fixed, e};
}

static IrExpr *
total(Cost *c, Ns a)
{
    IrExpr *k = ir_float(c->o->cx, DT_f64, a.fixed);
    return a.expr ? ir_op(c->o->cx, OP_add, a.expr, k) : k;
}

static Ns
scaled(Cost *c, Ns a, double k)
{
    a.fixed *= k;
    if (a.expr)
        a.expr = ir_op(c->o->cx, OP_mul, a.expr, ir_float(c->o->cx, DT_f64, k));
    return a;
}

static Ns
times(Cost *c, Ns a, IrExpr *n) /* n: f64 */
{
    if (n->kind == IX_CONST)
        return scaled(c, a, n->re);
    return (Ns){0, ir_op(c->o->cx, OP_mul, total(c, a), n)};
}

/* ---- expressions ----------------------------------------------------------------------------- */

static double
op_units(const IrExpr *e)
{
    int flags = op_info[e->op].flags;
    bool whole = e->n && dtype_kind(e->arg[0]->dtype) < DK_FLOAT;
    double z = e->n && dtype_is_complex(e->arg[0]->dtype) ? 4 : 1;
    switch (e->op) {
    case OP_div:
    case OP_sqrt:
        return 6 * z;
    case OP_floordiv:
    case OP_mod:
    case OP_tdiv:
    case OP_fmod:
        return 20;
    case OP_gcd:
    case OP_lcm:
        return 100;
    default:
        break;
    }
    if (flags & OPF_VECTOR)
        return whole ? 30 : (e->dtype == DT_f32 ? 10 : 20) * z * z;
    return flags & OPF_LIBM ? 60 : z;
}

typedef struct Units {
    double n;
} Units;

static bool
add_units(IrExpr **e, void *arg)
{
    Units *u = arg;
    u->n += (*e)->kind == IX_OP ? op_units(*e) : (*e)->kind == IX_LOAD ? 1.5 : 0;
    return true;
}

/* ---- statements ------------------------------------------------------------------------------ */

/* lo .. min(lo + constant, anything): the constant, nearly always; or 0. */
static int64_t
block_trips(const Cost *c, const IrStmt *s)
{
    const IrExpr *lo = s->idx[0], *hi = s->idx[1];
    int64_t n;
    if (hi->kind == IX_VAR && hi->var->id < c->o->n_seen &&
        c->o->seen[hi->var->id] == (USED | DEFINED) && c->o->def[hi->var->id]->kind == IS_SET)
        hi = c->o->def[hi->var->id]->e;
    if (hi->kind != IX_OP || hi->op != OP_min)
        return 0;
    for (int i = 0; i < 2; i++) {
        const IrExpr *end = hi->arg[i];
        if (end->kind == IX_OP && end->op == OP_add && ir_expr_equal(end->arg[0], lo) &&
            ir_is_const(end->arg[1], &n) && n > 0)
            return n;
    }
    return 0;
}

static Ns
cost_loop(Cost *c, IrStmt *s)
{
    Cx *cx = c->o->cx;
    Ns body = cost_block(c, &s->body);
    IrExpr *lo = NULL, *hi = NULL;
    int64_t step = 1;
    body.fixed += UNIT_NS;
    ir_is_const(s->idx[2], &step);
    if (c->calls || s->cold) /* another function's variables */
        return scaled(c, body, s->cold ? 0 : UNKNOWN_TRIPS);
    int64_t block = block_trips(c, s);
    if (block && step > 0)
        return scaled(c, body, (double)block / (double)step);
    lo = resolve(c, s->idx[0], 0);
    hi = lo ? resolve(c, s->idx[1], 0) : NULL;
    if (!hi)
        return scaled(c, body, UNKNOWN_TRIPS);
    int64_t from;
    IrExpr *n = ir_cast(cx, DT_f64, hi);
    if (!ir_is_const(lo, &from) || from != 0)
        n = ir_op(cx, OP_sub, n, ir_cast(cx, DT_f64, lo));
    if (step != 1)
        n = ir_op(cx, OP_mul, n, ir_float(cx, DT_f64, 1.0 / (double)step));
    if (n->kind == IX_CONST)
        return scaled(c, body, n->re > 1 ? n->re : 1);
    return times(c, body, ir_op(cx, OP_fmax, n, ir_float(cx, DT_f64, 0)));
}

static Ns
cost_call(Cost *c, IrStmt *s)
{
    if (s->func->recursive || c->calls > 3)
        return (Ns){RECURSION_NS, NULL};
    c->calls++;
    Ns n = cost_block(c, &s->func->body);
    c->calls--;
    n.fixed += 20 * UNIT_NS;
    return n;
}

static Ns
cost_inside(Cost *c, IrStmt *s)
{
    IrBlock *sub[IR_MAX_BLOCKS];
    Ns sum = {0};
    int n = ir_blocks(s, sub);
    for (int i = 0; i < n; i++) {
        bool cold = s->kind == IS_IF && (i ? s->cold_else : s->cold);
        if (cold || (s->kind == IS_TRY && i > 0))
            continue;
        Ns in = cost_block(c, sub[i]);
        bool half = s->kind == IS_IF && s->cold == s->cold_else;
        sum = plus(c, sum, half ? scaled(c, in, 0.5) : in);
    }
    return sum;
}

static Ns
cost_stmt(Cost *c, IrStmt *s)
{
    Units u = {s->kind == IS_STORE ? 1.5 : 0.25};
    ir_walk_stmt_exprs(s, add_units, &u);
    Ns n = {u.n * UNIT_NS, NULL};
    switch (s->kind) {
    case IS_LOOP:
        return plus(c, n, cost_loop(c, s));
    case IS_WHILE:
        return plus(c, n, scaled(c, cost_inside(c, s), WHILE_TRIPS));
    case IS_CALL:
        return plus(c, n, cost_call(c, s));
    case IS_ALLOC:
        n.fixed += (s->var->space ? 20 : 300) * UNIT_NS;
        return n;
    case IS_ATOMIC:
        n.fixed += (s->base->space ? 2 : 20) * UNIT_NS;
        return n;
    case IS_RT:
    case IS_PRINT:
    case IS_COPY:
        n.fixed += 100 * UNIT_NS;
        return n;
    default:
        return plus(c, n, cost_inside(c, s));
    }
}

static Ns
cost_block(Cost *c, IrBlock *b)
{
    Ns sum = {0};
    for (IrStmt *s = b->first; s; s = s->next)
        sum = plus(c, sum, cost_stmt(c, s));
    return sum;
}

IrExpr *
workers_cost(Outline *o)
{
    Cost c = {.o = o};
    return total(&c, cost_block(&c, &o->loop->body));
}
