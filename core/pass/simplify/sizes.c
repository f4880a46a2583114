/* SPDX-License-Identifier: BSD-3-Clause
 * Sizes of arrays as values that are set once. Lowering tests at run time what two operands' sizes
 * are; here each integer expression gets a value number, and the sizes of an array are those of the
 * statement that made it, so that tests between equal sizes fold and the versions behind them go. A
 * size that a variable holds already is named, not computed again, and one made of sizes of sizes
 * is written from the first.
 *
 * The walk goes forwards once. What a branch or a loop may assign has no known value behind it; the
 * value of a variable is forgotten by giving it number 0, that of an array's sizes by NULL. But for
 * what is the same constant wherever it is assigned, as the sizes of `p` in `p = p + d` are where p
 * and d begin as vectors of three: that is found before, by assuming it of all until one differs.
 *
 * `if A and B { .. } else { if A and B and C { .. } else { D } }` is `if A and B { .. } else { D
 * }`: versions for operands that are a row or a column, where sizes turn out to be the same
 * ones. */
#include "pass/analysis/gvn.h"
#include "pass/analysis/rotate.h"
#include "pass/pass.h"

enum { MAX_DEPTH = 5 /* of expressions written anew */ };

typedef struct Fact { /* what has number num is number is */
    int num, is;
} Fact;

typedef struct Sizes {
    Cx *cx;
    IrFunc *f;
    Gvn t;
    Map effects;   /* see ir_effects_known */
    Map rotations; /* see rotate.h */
    int n_vars;
    int *value;  /* by variable: of a scalar; 0: none given yet */
    int **shape; /* by variable: dims, then strides in bytes; NULL: none given yet */
    int *sets;   /* by variable: how many statements assign it */
    /* by slot(): the constant that all assignments agree on; 0: none seen yet, SEVERAL */
    int *fixed, *first_slot;
    Vec(Fact) facts;  /* tests of the branches around the statement at hand */
    Vec(int) refuted; /* and those that have failed: behind an `else` */
    bool lowered;     /* in this round some has come to be SEVERAL, or to be known */
} Sizes;

enum { SEVERAL = -1, MAX_FIXED_ROUNDS = 8, MAX_FACTS = 32 };

static bool
is_whole(DType d)
{
    return dtype_is_int(d) || d == DT_bool;
}

/* ---- what is the same wherever it is assigned ------------------------------------------------ */

static int *
slot(const Sizes *z, const IrVar *v, int axis)
{
    return &z->fixed[z->first_slot[v->id] + (axis < 0 ? 0 : axis)];
}

static void
agree(Sizes *z, const IrVar *v, int axis, int num)
{
    int *s = slot(z, v, axis), was = *s;
    *s = !was ? num : !num || was == num ? was : SEVERAL;
    z->lowered |= *s != was;
}

/* The constant that e is, as far as is known; 0: it hangs on what isn't yet. */
static int
fixed_value(const Sizes *z, const IrExpr *e)
{
    Gvn *t = (Gvn *)&z->t;
    int a[3] = {0}, r;
    int64_t c;
    bool waits = false;
    switch (e->kind) {
    case IX_CONST:
        return is_whole((DType)e->dtype) ? gvn_const(t, (DType)e->dtype, e->i) : SEVERAL;
    case IX_VAR:
        return is_whole((DType)e->dtype) ? *slot(z, e->var, -1) : SEVERAL;
    case IX_DIM:
        return *slot(z, e->var, e->axis);
    case IX_OP:
    case IX_CAST:
        if (!is_whole((DType)e->dtype) || e->n > 3)
            return SEVERAL;
        for (int i = 0; i < e->n; i++) {
            a[i] = fixed_value(z, e->arg[i]);
            if (i == 0 && e->kind == IX_OP && e->op == OP_select && a[0] > 0 &&
                gvn_is_const(t, a[0], &c))
                return fixed_value(z, e->arg[c ? 1 : 2]);
            if (a[i] == SEVERAL)
                return SEVERAL;
            waits |= !a[i];
        }
        if (waits)
            return 0;
        r = e->kind == IX_CAST ? gvn_cast(t, (DType)e->dtype, a[0]) : gvn_op(t, (IrOp)e->op, a);
        return r && gvn_is_const(t, r, &c) ? r : SEVERAL;
    default:
        return SEVERAL;
    }
}

static void
of_several(IrVar *v, void *arg)
{
    for (int k = 0; k < (v->ndim ? v->ndim : 1); k++)
        agree(arg, v, k, SEVERAL);
}

static void
find_fixed(IrBlock *b, IrStmt *s, void *arg)
{
    (void)b;
    Sizes *z = arg;
    switch (s->kind) {
    case IS_SET:
        agree(z, s->var, -1, fixed_value(z, s->e));
        break;
    case IS_ALLOC:
    case IS_VIEW:
        for (int k = 0; k < s->var->ndim; k++) {
            int n = fixed_value(z, s->idx[k]), none = gvn_const(&z->t, DT_i64, 0);
            agree(z, s->var, k, n > 0 ? gvn_op(&z->t, OP_max, (int[]){n, none}) : n);
        }
        break;
    case IS_ALIAS:
        for (int k = 0; k < s->var->ndim; k++)
            agree(z, s->var, k, *slot(z, s->base, k));
        break;
    case IS_DROP: /* nobody asks it for its sizes */
        break;
    default:
        ir_walk_defs(s, of_several, z);
    }
}

static void
find_all_fixed(Sizes *z)
{
    int n = 0, rounds = 0;
    for (int i = 0; i < z->n_vars; i++) {
        z->first_slot[i] = n;
        n += z->f->vars.at[i]->ndim ? z->f->vars.at[i]->ndim : 1;
    }
    z->fixed = NEW_N(&z->cx->arena, int, n + 1);
    for (int i = 0; i < z->n_vars; i++)
        if (z->f->vars.at[i]->is_param)
            of_several(z->f->vars.at[i], z);
    do {
        z->lowered = false;
        ir_walk_block(&z->f->body, find_fixed, z);
    } while (z->lowered && ++rounds < MAX_FIXED_ROUNDS);
    for (int i = 0; z->lowered && i < n; i++)
        z->fixed[i] = SEVERAL;
}

/* ---- what holds a value ---------------------------------------------------------------------- */

static void
hold(Sizes *z, int num, IrVar *v, int axis)
{
    z->t.at.at[num].held = v;
    z->t.at.at[num].axis = axis;
}

/* The strides that the layout promises are those that the back end takes, whatever was passed. */
static void
layout_strides(Sizes *z, const IrVar *v, int *shape)
{
    int nd = v->ndim, run = gvn_const(&z->t, DT_i64, dtype_size((DType)v->dtype));
    for (int k = 0; v->layout != LAY_A && k < nd; k++) {
        int ax = v->layout == LAY_F ? k : nd - 1 - k;
        shape[nd + ax] = run;
        run = gvn_op(&z->t, OP_mul, (int[]){shape[ax], run});
    }
}

static int *
sizes_of(Sizes *z, IrVar *v)
{
    int **p = &z->shape[v->id], nd = v->ndim;
    if (*p)
        return *p;
    *p = NEW_N(&z->cx->arena, int, 2 * nd + 1);
    for (int i = 0; i < nd; i++) {
        int known = *slot(z, v, i);
        (*p)[i] = known > 0 ? known : gvn_atom(&z->t, DT_i64, true);
        if (known <= 0)
            hold(z, (*p)[i], v, i);
        (*p)[nd + i] = gvn_atom(&z->t, DT_i64, false);
    }
    layout_strides(z, v, *p);
    return *p;
}

static int
value_of(Sizes *z, IrVar *v)
{
    if (!is_whole((DType)v->dtype))
        return 0;
    if (!z->value[v->id]) {
        z->value[v->id] = gvn_atom(&z->t, (DType)v->dtype, false);
        hold(z, z->value[v->id], v, -1);
    }
    return z->value[v->id];
}

static bool
still_holds(const Sizes *z, int num)
{
    const GvnNode *x = &z->t.at.at[num];
    if (!x->held)
        return false;
    if (x->axis < 0)
        return z->value[x->held->id] == num;
    const int *shape = z->shape[x->held->id];
    return shape && shape[x->axis] == num;
}

/* By what was tested. */
static int
tested(const Sizes *z, int num)
{
    for (int i = z->facts.n - 1; i >= 0; i--)
        if (z->facts.at[i].num == num)
            return z->facts.at[i].is;
    return num;
}

/* Of an array without gaps that follows from sizes, which may be known. */
static int
stride_of(Sizes *z, IrVar *v, int axis)
{
    const int *shape = sizes_of(z, v);
    int nd = v->ndim, run = gvn_const(&z->t, DT_i64, dtype_size((DType)v->dtype));
    if (v->layout == LAY_A || !z->facts.n)
        return shape[nd + axis];
    bool c = v->layout == LAY_C;
    for (int k = c ? nd - 1 : 0; k != axis; k += c ? -1 : 1)
        run = gvn_op(&z->t, OP_mul, (int[]){tested(z, shape[k]), run});
    return run;
}

/* An expression for a number from what holds it now; NULL: none, or too long. */
static IrExpr *
written(Sizes *z, int num, int depth)
{
    const GvnNode x = z->t.at.at[num];
    IrExpr *a[3];
    if (x.op == GVN_CONST)
        return ir_int(z->cx, x.dtype, x.c);
    if (still_holds(z, num))
        return x.axis < 0 ? ir_use(z->cx, x.held) : ir_dim(z->cx, x.held, x.axis);
    if (x.op == GVN_ATOM || depth == 0)
        return NULL;
    for (int i = 0; i < x.n; i++) {
        a[i] = written(z, x.arg[i], depth - 1);
        if (!a[i])
            return NULL;
    }
    return x.op == GVN_CAST ? ir_cast(z->cx, x.dtype, a[0]) : ir_opv(z->cx, (IrOp)x.op, a);
}

/* ---- expressions ----------------------------------------------------------------------------- */

static IrExpr *number(Sizes *z, IrExpr *e, int *num);

/* The operand that the whole comes to, or the operation on what its operands have become. */
static IrExpr *
number_op(Sizes *z, IrExpr *e, int *num)
{
    int a[3] = {0};
    for (int i = 0; i < e->n; i++)
        e->arg[i] = number(z, e->arg[i], &a[i]);
    *num = gvn_op(&z->t, (IrOp)e->op, a);
    for (int i = 0; *num && i < e->n; i++)
        if (a[i] == *num)
            return e->arg[i];
    IrExpr *r = ir_opv(z->cx, (IrOp)e->op, e->arg);
    if (r->kind == IX_OP && r->op == e->op)
        r->flags |= e->flags;
    return r;
}

static IrExpr *
number(Sizes *z, IrExpr *e, int *num)
{
    int64_t c;
    *num = 0;
    switch (e->kind) {
    case IX_CONST:
        *num = is_whole((DType)e->dtype) ? gvn_const(&z->t, (DType)e->dtype, e->i) : 0;
        return e;
    case IX_VAR:
        *num = tested(z, value_of(z, e->var));
        return *num && gvn_is_const(&z->t, *num, &c) && z->facts.n
                   ? ir_int(z->cx, (DType)e->dtype, c)
                   : e;
    case IX_DIM:
        *num = tested(z, sizes_of(z, e->var)[e->axis]);
        break;
    case IX_STRIDE:
        *num = stride_of(z, e->var, e->axis);
        break;
    case IX_OP:
        e = number_op(z, e, num);
        break;
    case IX_CAST:
        e->arg[0] = number(z, e->arg[0], num);
        *num = is_whole((DType)e->dtype) ? gvn_cast(&z->t, (DType)e->dtype, *num) : 0;
        e = ir_cast(z->cx, (DType)e->dtype, e->arg[0]);
        return e->kind == IX_CONST ? number(z, e, num) : e;
    case IX_LOAD:
        for (int i = 0; i < e->n; i++)
            e->arg[i] = number(z, e->arg[i], num);
        *num = 0;
        return e;
    case IX_GEO:
        return e;
    }
    return *num && gvn_is_const(&z->t, *num, &c) ? ir_int(z->cx, (DType)e->dtype, c) : e;
}

/* A size: by its name where it has one, or from fewer operations. */
static IrExpr *
size(Sizes *z, IrExpr *e, int *num)
{
    e = number(z, e, num);
    bool named = e->n > 0 || e->kind == IX_DIM;
    IrExpr *w = *num && named ? written(z, *num, MAX_DEPTH) : NULL;
    return w && (ir_size(w) < ir_size(e) || (e->kind == IX_DIM && w->kind == IX_VAR)) ? w : e;
}

static void
number_all(Sizes *z, IrStmt *s)
{
    int num;
    if (s->e)
        s->e = number(z, s->e, &num);
    for (int i = 0; i < s->n_idx; i++)
        s->idx[i] = number(z, s->idx[i], &num);
    for (int i = 0; i < s->n_args; i++)
        if (s->args[i].e)
            s->args[i].e = number(z, s->args[i].e, &num);
}

/* ---- statements ------------------------------------------------------------------------------ */

static void
forget(IrVar *v, void *arg)
{
    Sizes *z = arg;
    z->value[v->id] = 0;
    z->shape[v->id] = NULL;
}

static void
assign(Sizes *z, IrStmt *s)
{
    int num = 0;
    IrVar *v = s->var;
    /* no counter, which passes want to see as such */
    bool one = z->sets[v->id] == 1 && v->dtype == DT_i64;
    s->e = one ? size(z, s->e, &num) : number(z, s->e, &num);
    z->value[v->id] = num;
    if (num && !still_holds(z, num))
        hold(z, num, v, -1);
}

/* Of a choice between strides the one that is made here: 0 along an axis that is known to have one
 * element, however it came to its name. */
static IrExpr *
chosen(Sizes *z, IrExpr *e)
{
    int64_t c;
    int num;
    while (e->kind == IX_OP && e->op == OP_select) {
        number(z, ir_copy_expr(z->cx, e->arg[0]), &num);
        bool failed = false;
        for (int i = 0; num && i < z->refuted.n; i++)
            failed |= z->refuted.at[i] == num;
        if (!num || (!failed && !gvn_is_const(&z->t, num, &c)))
            break;
        e = e->arg[failed || !c ? 2 : 1];
    }
    return e;
}

/* Where a view lies in its base: the strides in it stay, for they say along which axis. */
static IrExpr *
place(Sizes *z, IrExpr *e, int *num)
{
    e = chosen(z, e);
    IrExpr *was = ir_has_kind(e, IX_STRIDE) ? ir_copy_expr(z->cx, e) : NULL;
    e = number(z, e, num);
    return was ? was : e;
}

/* Behind the statement that makes it no size is negative. */
static void
make_array(Sizes *z, IrStmt *s)
{
    IrVar *v = s->var;
    int num, nd = v->ndim, *shape = NEW_N(&z->cx->arena, int, 2 * nd + 1);
    if (s->e)
        s->e = place(z, s->e, &num);
    for (int i = 0; i < s->n_idx; i++) {
        s->idx[i] = i < nd ? size(z, s->idx[i], &num) : place(z, s->idx[i], &num);
        num = num ? num : gvn_atom(&z->t, DT_i64, false);
        shape[i] = i < nd ? gvn_op(&z->t, OP_max, (int[]){num, gvn_const(&z->t, DT_i64, 0)}) : num;
    }
    layout_strides(z, v, shape);
    forget(v, z);
    z->shape[v->id] = shape;
    for (int i = 0; i < nd; i++)
        if (!still_holds(z, shape[i]))
            hold(z, shape[i], v, i);
}

static void
rename_array(Sizes *z, const IrStmt *s)
{
    IrVar *v = s->var;
    int nd = v->ndim, *shape = NEW_N(&z->cx->arena, int, 2 * nd + 1);
    if (v == s->base)
        return;
    memcpy(shape, sizes_of(z, s->base), sizeof *shape * 2 * (size_t)nd);
    layout_strides(z, v, shape);
    z->shape[v->id] = shape;
}

static void walk(Sizes *z, IrBlock *b);

static void
forget_all(Sizes *z, const uint64_t *set)
{
    for (int w = 0; w * 64 < z->n_vars; w++)
        for (uint64_t bits = set[w]; bits; bits &= bits - 1)
            forget(z->f->vars.at[w * 64 + __builtin_ctzll(bits)], z);
}

typedef struct Saved {
    int n, *id, *value, **shape;
} Saved;

static Saved
save(const Sizes *z, const uint64_t *set)
{
    Saved s = {0};
    Arena *a = &z->cx->arena;
    for (int w = 0; w * 64 < z->n_vars; w++)
        s.n += __builtin_popcountll(set[w]);
    s.id = NEW_N(a, int, s.n + 1);
    s.value = NEW_N(a, int, s.n + 1);
    s.shape = NEW_N(a, int *, s.n + 1);
    s.n = 0;
    for (int w = 0; w * 64 < z->n_vars; w++) {
        for (uint64_t bits = set[w]; bits; bits &= bits - 1) {
            int i = w * 64 + __builtin_ctzll(bits);
            s.id[s.n] = i;
            s.value[s.n] = z->value[i];
            s.shape[s.n++] = z->shape[i];
        }
    }
    return s;
}

/* ---- versions that never run ----------------------------------------------------------------- */

typedef Vec(int) Nums;

enum { MAX_TESTS = 200 /* of a conjunction, for they are compared one by one */ };

/* What holds where the conjunction num does. */
static void
conjuncts(const Sizes *z, int num, Nums *out)
{
    const GvnNode *x = &z->t.at.at[num];
    if (x->op == OP_and && x->dtype == DT_bool) {
        conjuncts(z, x->arg[0], out);
        conjuncts(z, x->arg[1], out);
        return;
    }
    for (int i = 0; i < out->n; i++)
        if (out->at[i] == num)
            return;
    if (out->n <= MAX_TESTS)
        VEC_PUSH(&z->cx->arena, *out, num);
}

static bool
has_num(const Nums *l, int num)
{
    bool has = false;
    for (int i = 0; !has && i < l->n; i++)
        has = l->at[i] == num;
    return has;
}

/* x of `x == 1`; or 0 */
static int
one_of(const Sizes *z, int num)
{
    const GvnNode *x = &z->t.at.at[num];
    int64_t c;
    return x->op == OP_eq && gvn_is_const(&z->t, x->arg[1], &c) && c == 1 ? x->arg[0] : 0;
}

/* Some test of the list asks whether num equals something other than 1. */
static bool
compares(const Sizes *z, const Nums *l, int num)
{
    bool any = false;
    for (int i = 0; !any && i < l->n; i++) {
        const GvnNode *x = &z->t.at.at[l->at[i]];
        any = x->op == OP_eq && (x->arg[0] == num || x->arg[1] == num) && !one_of(z, l->at[i]);
    }
    return any;
}

/* Behind the test of `plain` failing, the one of `thin` fails, too. */
static bool
is_refuted(const Nums *plain, const Nums *thin)
{
    bool all = true;
    for (int i = 0; all && i < plain->n; i++)
        all = has_num(thin, plain->at[i]);
    return all;
}

/* Lowering takes an operand for a row or a column, of size 1 along axes. Where by its number a size
 * along one of them is the result's (the first version has not had to ask) or that of an operand
 * which is taken to be whole, this is for results of size 1 only, and not worth its code. */
static bool
is_degenerate(const Sizes *z, const Nums *plain, const Nums *thin)
{
    bool any = false;
    for (int i = 0; !any && i < thin->n; i++) {
        int x = one_of(z, thin->at[i]);
        any = x && (!compares(z, plain, x) || compares(z, thin, x));
    }
    return any;
}

/* Nothing to conclude from tests that are too many, or decided: `fold` takes those. */
static bool
is_open(const Sizes *z, const Nums *l)
{
    int64_t c;
    bool open = l->n <= MAX_TESTS;
    for (int i = 0; open && i < l->n; i++)
        open = !gvn_is_const(&z->t, l->at[i], &c);
    return open;
}

/* Then the first version is the rare one: an operand is known to be a row or a column. */
static bool
asks_for_one(const Sizes *z, const Nums *plain)
{
    bool asks = false;
    for (int i = 0; i < plain->n; i++)
        asks |= one_of(z, plain->at[i]) != 0;
    return asks;
}

static void
drop_thin_versions(Sizes *z, IrStmt *s, int num)
{
    Nums plain = {0};
    IrStmt *in = s->els.first;
    if (!num || !in)
        return;
    conjuncts(z, num, &plain);
    while (in && in->kind == IS_IF && !in->next && !s->cold_else) {
        int test;
        Nums thin = {0};
        in->e = number(z, in->e, &test);
        if (!test)
            return;
        conjuncts(z, test, &thin);
        if (!is_open(z, &plain) || !is_open(z, &thin))
            return;
        if (!is_refuted(&plain, &thin) &&
            !(pass_last_version(s) && is_degenerate(z, &plain, &thin)))
            return;
        s->els = in->els;
        s->cold_else |= in->cold_else && !asks_for_one(z, &plain);
        in = s->els.first;
    }
}

/* Of a size that is tested to be some number. */
static void
learn(Sizes *z, int num)
{
    const GvnNode x = z->t.at.at[num];
    int64_t c;
    if (x.op == OP_and && x.dtype == DT_bool) {
        learn(z, x.arg[0]);
        learn(z, x.arg[1]);
    } else if (x.op == OP_eq && gvn_is_const(&z->t, x.arg[1], &c) &&
               z->t.at.at[x.arg[0]].op == GVN_ATOM && z->t.at.at[x.arg[0]].dtype == DT_i64 &&
               z->facts.n < MAX_FACTS) {
        VEC_PUSH(&z->cx->arena, z->facts, ((Fact){x.arg[0], x.arg[1]}));
    }
}

static void
walk_if(Sizes *z, IrStmt *s, const uint64_t *set, int num)
{
    Saved before = save(z, set);
    int n = z->facts.n;
    if (num)
        learn(z, num);
    walk(z, &s->body);
    z->facts.n = n;
    for (int i = 0; i < before.n; i++) {
        z->value[before.id[i]] = before.value[i];
        z->shape[before.id[i]] = before.shape[i];
    }
    drop_thin_versions(z, s, num);
    int refuted = z->refuted.n;
    if (num && z->t.at.at[num].op == OP_eq && refuted < MAX_FACTS)
        VEC_PUSH(&z->cx->arena, z->refuted, num);
    walk(z, &s->els);
    z->refuted.n = refuted;
}

/* The sizes of arrays that a loop passes round among its names, where they are the same before it:
 * by member, or NULL. Strides that differ are any. */
typedef struct Kept {
    const Rotation *r;
    int *shape[MAX_ROTATED];
} Kept;

static int *
shared_sizes(Sizes *z, const Rotation *r, int which)
{
    IrVar *v = r->var[which];
    int nd = v->ndim, *shape = NEW_N(&z->cx->arena, int, 2 * nd + 1);
    memcpy(shape, sizes_of(z, v), sizeof *shape * 2 * (size_t)nd);
    for (int i = 0; i < r->n; i++) {
        if (r->group[i] != r->group[which])
            continue;
        const int *other = sizes_of(z, r->var[i]);
        for (int k = 0; k < nd; k++) {
            if (shape[k] != other[k])
                return NULL;
            if (shape[nd + k] != other[nd + k])
                shape[nd + k] = gvn_atom(&z->t, DT_i64, false);
        }
    }
    layout_strides(z, v, shape);
    return shape;
}

static Kept
before_loop(Sizes *z, IrStmt *s)
{
    static const Rotation none = {0};
    bool loops = s->kind == IS_LOOP || s->kind == IS_WHILE;
    Kept kept = {.r = loops ? rotate_of(z->cx, &z->rotations, s) : &none};
    for (int i = 0; i < kept.r->n; i++)
        kept.shape[i] = shared_sizes(z, kept.r, i);
    return kept;
}

static void
keep(Sizes *z, const Kept *kept)
{
    for (int i = 0; i < kept->r->n; i++) {
        IrVar *v = kept->r->var[i];
        if (!kept->shape[i])
            continue;
        z->shape[v->id] = kept->shape[i];
        for (int k = 0; k < v->ndim; k++)
            if (!still_holds(z, kept->shape[i][k]))
                hold(z, kept->shape[i][k], v, k);
    }
}

static void
walk_blocks(Sizes *z, IrStmt *s)
{
    IrBlock *sub[IR_MAX_BLOCKS];
    const IrEffects *fx = ir_effects_known(z->f, &z->effects, s);
    Kept kept = before_loop(z, s);
    int n = ir_blocks(s, sub), num = 0;
    if (s->kind == IS_IF) {
        int64_t truth;
        s->e = number(z, s->e, &num);
        if (ir_is_const(s->e, &truth)) { /* pass fold drops the other branch */
            walk(z, sub[!truth]);
            return;
        }
        walk_if(z, s, fx->sets, num);
        n = 0;
    } else if (s->kind != IS_WHILE) {
        number_all(z, s);
    }
    for (int i = 0; i < n; i++) {
        if (i > 0 && s->kind == IS_WHILE) /* the test stands between its two blocks */
            number_all(z, s);
        else
            forget_all(z, fx->sets), keep(z, &kept);
        walk(z, sub[i]);
    }
    forget_all(z, fx->sets);
    keep(z, &kept);
}

/* Of a known index in an array of a known size. */
static bool
is_in_range(Sizes *z, IrStmt *s)
{
    int64_t at, size;
    int num;
    if (s->kind != IS_CHECK_INDEX)
        return false;
    s->e = number(z, s->e, &num);
    return num && gvn_is_const(&z->t, num, &at) &&
           gvn_is_const(&z->t, tested(z, sizes_of(z, s->var)[s->axis]), &size) && at >= -size &&
           at < size;
}

static void
walk(Sizes *z, IrBlock *b)
{
    IrBlock *sub[IR_MAX_BLOCKS];
    for (IrStmt *s = b->first, *next; s; s = next) {
        next = s->next;
        if (is_in_range(z, s)) {
            ir_remove(b, s);
            continue;
        }
        if (ir_blocks(s, sub) > 0) {
            walk_blocks(z, s);
        } else if (s->kind == IS_SET) {
            assign(z, s);
        } else if (s->kind == IS_ALLOC || s->kind == IS_VIEW) {
            make_array(z, s);
        } else if (s->kind == IS_ALIAS) {
            rename_array(z, s);
        } else {
            number_all(z, s);
            ir_walk_defs(s, forget, z);
        }
    }
}

static void
count_set(IrVar *v, void *arg)
{
    ((Sizes *)arg)->sets[v->id]++;
}

static void
count_sets(IrBlock *b, IrStmt *s, void *arg)
{
    (void)b;
    ir_walk_defs(s, count_set, arg);
}

void
pass_sizes(PassCx *p)
{
    for (int i = 0; i < p->mod->funcs.n; i++) {
        IrFunc *f = p->mod->funcs.at[i];
        Sizes z = {.cx = p->cx, .f = f, .n_vars = f->vars.n};
        gvn_init(&z.t, p->cx);
        z.value = NEW_N(&p->cx->arena, int, f->vars.n + 1);
        z.shape = NEW_N(&p->cx->arena, int *, f->vars.n + 1);
        z.sets = NEW_N(&p->cx->arena, int, f->vars.n + 1);
        z.first_slot = NEW_N(&p->cx->arena, int, f->vars.n + 1);
        find_all_fixed(&z);
        ir_walk_block(&f->body, count_sets, &z);
        walk(&z, &f->body);
        pass_trim_versions(p, f, &f->body);
    }
}
