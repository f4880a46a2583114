/* SPDX-License-Identifier: BSD-3-Clause
 * The math module: one IR operation on float64 and the test that tells whether Python
 * would have raised. The tests are comparisons of the argument or of the result, never
 * calls, and they are `check` statements, so that the passes can take them out of loops.
 */
#include "numpy/internal.h"

static IrExpr *
arg(IrBuilder *b, const NpCall *c, int k, DType d)
{
    if (d == DT_i64 && val_dtype(&c->arg[k]) == DT_u64)
        return val_freeze(b, val_int(b, &c->arg[k], "OverflowError", VAL_TOO_LARGE));
    return val_freeze(b, val_expr(b, &c->arg[k], d));
}

static Val
result(IrBuilder *b, const NpCall *c, IrExpr *e)
{
    return val_scalar(b, c->result, e);
}

static IrExpr *
num(IrBuilder *b, double x)
{
    return np_num(b, DT_f64, x);
}

/* float64, or float32 of float32 in a kernel. */
static DType
real_of(const NpCall *c)
{
    const Type *t = c->result->kind == TY_TUPLE ? c->result->elems[0] : c->result;
    return t->storage == DT_f32 ? DT_f32 : DT_f64;
}

static IrExpr *
real_arg(IrBuilder *b, const NpCall *c, int k)
{
    return arg(b, c, k, real_of(c));
}

static IrExpr *
inv(IrBuilder *b, IrExpr *e)
{
    return np_op1(b, OP_inv, e);
}

static IrExpr *
test1(IrBuilder *b, IrOp op, const IrExpr *x)
{
    return np_op1(b, op, np_cp(b, x));
}

static IrExpr *
cmp(IrBuilder *b, IrOp op, const IrExpr *x, double k)
{
    return np_op2(b, op, np_cp(b, x), np_num(b, x->dtype, k));
}

static void
domain(IrBuilder *b, IrExpr *bad)
{
    np_check(b, inv(b, bad), "ValueError", "math domain error");
}

static void
range(IrBuilder *b, IrExpr *bad)
{
    np_check(b, inv(b, bad), "OverflowError", "math range error");
}

/* ---- one operation and its test -------------------------------------------------------------- */

/* Tests that need the argument only: before the operation. */
static void
check_argument(IrBuilder *b, int where, const IrExpr *x)
{
    IrExpr *pole;
    switch (where) {
    case MATH_NONNEGATIVE:
        domain(b, cmp(b, OP_lt, x, 0));
        break;
    case MATH_POSITIVE:
        domain(b, cmp(b, OP_le, x, 0));
        break;
    case MATH_ABOVE_MINUS_1:
        domain(b, cmp(b, OP_le, x, -1));
        break;
    case MATH_FROM_1:
        domain(b, cmp(b, OP_lt, x, 1));
        break;
    case MATH_UNIT:
        domain(b, cmp(b, OP_gt, test1(b, OP_abs, x), 1));
        break;
    case MATH_OPEN_UNIT:
        domain(b, cmp(b, OP_ge, test1(b, OP_abs, x), 1));
        break;
    case MATH_FINITE:
        domain(b, test1(b, OP_isinf, x));
        break;
    case MATH_NO_POLE:
    case MATH_NO_POLE_OR_INF:
        pole = np_op2(b, OP_eq, np_cp(b, x), test1(b, OP_floor, x));
        pole = np_op2(b, OP_and, cmp(b, OP_le, x, 0), pole);
        if (where == MATH_NO_POLE_OR_INF)
            pole = np_op2(b, OP_and, pole, test1(b, OP_isfinite, x));
        domain(b, pole);
        break;
    default:
        break;
    }
}

/* The operation of a row of one operand. */
static IrExpr *
unary(IrBuilder *b, const Builtin *fn, IrExpr *x)
{
    check_argument(b, fn->rule & MATH_WHERE, x);
    IrExpr *r = np_op1(b, fn->op, np_cp(b, x));
    /* which is infinite where Python's float is not */
    if (!(fn->rule & MATH_OVERFLOWS) || x->dtype == DT_f32)
        return r;
    r = val_freeze(b, r);
    range(b, np_op2(b, OP_and, test1(b, OP_isinf, r), test1(b, OP_isfinite, x)));
    return r;
}

static IrExpr *
math_pow(IrBuilder *b, IrExpr *x, IrExpr *y)
{
    IrExpr *r = val_freeze(b, np_op2(b, OP_pow, np_cp(b, x), np_cp(b, y)));
    IrExpr *odd = np_op2(b, OP_and, test1(b, OP_isfinite, x), test1(b, OP_isfinite, y));
    odd = np_op2(b, OP_and, odd, inv(b, test1(b, OP_isfinite, r)));
    IrStmt *s = ir_if(b, odd);
    IrBlock *save = b->at;
    s->cold = true;
    b->at = &s->body;
    domain(b, np_op2(b, OP_or, test1(b, OP_isnan, r), cmp(b, OP_eq, x, 0)));
    if (x->dtype == DT_f64)
        np_raise(b, "OverflowError", "math range error");
    b->at = save;
    return r;
}

/* NaN out of arguments that are not: fmod, remainder. Infinite out of finite ones: hypot.
 */
static IrExpr *
binary(IrBuilder *b, const NpCall *c, int op)
{
    IrExpr *x = real_arg(b, c, 0), *y = real_arg(b, c, 1);
    if (op == OP_pow)
        return math_pow(b, x, y);
    IrExpr *r = np_op2(b, op, np_cp(b, x), np_cp(b, y));
    if (op == OP_fmod || op == OP_remainder) {
        r = val_freeze(b, r);
        IrExpr *bad = np_op2(b, OP_or, test1(b, OP_isnan, x), test1(b, OP_isnan, y));
        domain(b, np_op2(b, OP_and, test1(b, OP_isnan, r), inv(b, bad)));
    }
    return r;
}

static IrExpr *
fma3(IrBuilder *b, const NpCall *c)
{
    IrExpr *x[3], *nan = NULL, *fin = NULL;
    for (int i = 0; i < 3; i++) {
        x[i] = real_arg(b, c, i);
        nan = np_ior(b, nan, test1(b, OP_isnan, x[i]));
        fin = np_iand(b, fin, test1(b, OP_isfinite, x[i]));
    }
    IrExpr *r = val_freeze(b, np_op3(b, OP_fma, x[0], x[1], x[2]));
    np_check(b, np_op2(b, OP_or, inv(b, test1(b, OP_isnan, r)), nan), "ValueError",
             "invalid operation in fma");
    if (r->dtype == DT_f64)
        np_check(b, inv(b, np_op2(b, OP_and, test1(b, OP_isinf, r), fin)), "OverflowError",
                 "overflow in fma");
    return r;
}

/* ---- to integers ----------------------------------------------------------------------------- */

static Val
to_int(IrBuilder *b, const NpCall *c, int op)
{
    DKind k = dtype_kind(val_dtype(&c->arg[0]));
    bool weak = c->arg[0].type && c->arg[0].type->weak; /* NumPy's ints are floats first */
    bool exact = weak || dtype_info[val_dtype(&c->arg[0])].bits < 64;
    if ((k == DK_INT || k == DK_UINT || k == DK_BOOL) && exact)
        return result(b, c, val_expr(b, &c->arg[0], DT_i64));
    IrExpr *x = arg(b, c, 0, DT_f64);
    IrExpr *fits = np_op2(b, OP_lt, test1(b, OP_abs, x), num(b, 9223372036854775808.0));
    IrStmt *s = ir_if(b, inv(b, fits));
    IrBlock *save = b->at;
    s->cold = true;
    b->at = &s->body;
    np_check(b, inv(b, test1(b, OP_isnan, x)), "ValueError", "cannot convert float NaN to integer");
    np_check(b, inv(b, test1(b, OP_isinf, x)), "OverflowError",
             "cannot convert float infinity to integer");
    np_check(b, cmp(b, OP_eq, x, -9223372036854775808.0), "OverflowError",
             "the integer does not fit in 64 bits");
    b->at = save;
    return result(b, c, ir_cast(b->cx, DT_i64, np_op1(b, op, np_cp(b, x))));
}

static IrExpr *
wide_product(IrBuilder *b, IrExpr *x, IrExpr *y)
{
    return np_op2(b, OP_mul, ir_cast(b->cx, DT_u64, x), ir_cast(b->cx, DT_u64, y));
}

/* The float's root, put right by one where rounding led it astray. */
static IrExpr *
isqrt(IrBuilder *b, const NpCall *c)
{
    IrExpr *n = arg(b, c, 0, DT_i64);
    np_check(b, cmp(b, OP_ge, n, 0), "ValueError", "isqrt() argument must be nonnegative");
    IrExpr *r = np_op1(b, OP_sqrt, ir_cast(b->cx, DT_f64, np_cp(b, n)));
    r = val_freeze(b, ir_cast(b->cx, DT_i64, r));
    IrExpr *over = np_op2(b, OP_gt, wide_product(b, np_cp(b, r), np_cp(b, r)),
                          ir_cast(b->cx, DT_u64, np_cp(b, n)));
    r = val_freeze(b, np_op2(b, OP_sub, r, ir_cast(b->cx, DT_i64, over)));
    IrExpr *up = np_op2(b, OP_add, np_cp(b, r), np_int(b, 1));
    IrExpr *under =
        np_op2(b, OP_le, wide_product(b, up, np_cp(b, up)), ir_cast(b->cx, DT_u64, np_cp(b, n)));
    return np_op2(b, OP_add, np_cp(b, r), ir_cast(b->cx, DT_i64, under));
}

static void
check_fits(IrBuilder *b, IrExpr *ok)
{
    np_check(b, ok, "OverflowError", "the integer does not fit in 64 bits");
}

/* first (first - 1) ... of n factors, divided by n! when `div`; nothing on the way is greater
 * than the result: what divides acc is taken out of both before. */
static IrExpr *
falling_product(IrBuilder *b, IrExpr *first, IrExpr *n, bool div)
{
    IrVar *acc = ir_var(b->f, "acc", DT_i64);
    IrExpr *i;
    IrBlock *save;
    ir_set(b, acc, np_int(b, 1));
    np_loop(b, LOOP_SEQ, n, &i, &save);
    IrExpr *f = np_op2(b, OP_sub, first, np_cp(b, i)), *x = ir_use(b->cx, acc);
    if (div) {
        IrExpr *by = np_op2(b, OP_add, np_cp(b, i), np_int(b, 1));
        IrExpr *g = val_freeze(b, np_op2(b, OP_gcd, np_cp(b, x), np_cp(b, by)));
        x = val_freeze(b, np_op2(b, OP_tdiv, x, np_cp(b, g)));
        f = np_op2(b, OP_tdiv, f, np_op2(b, OP_tdiv, by, g));
    }
    f = val_freeze(b, f);
    IrExpr *room = np_op2(b, OP_tdiv, np_int(b, INT64_MAX), np_cp(b, f));
    check_fits(b, np_op2(b, OP_le, np_cp(b, x), room));
    ir_set(b, acc, np_op2(b, OP_mul, np_cp(b, x), np_cp(b, f)));
    b->at = save;
    return ir_use(b->cx, acc);
}

static IrExpr *
factorial(IrBuilder *b, const NpCall *c)
{
    IrExpr *n = arg(b, c, 0, DT_i64);
    np_check(b, cmp(b, OP_ge, n, 0), "ValueError", "factorial() not defined for negative values");
    check_fits(b, cmp(b, OP_le, n, 20));
    return falling_product(b, n, np_cp(b, n), false);
}

/* comb and perm: n (n-1) ... of k factors; k! divided out on the way. */
static IrExpr *
choose(IrBuilder *b, const NpCall *c, bool comb)
{
    IrExpr *n = arg(b, c, 0, DT_i64);
    if (c->n < 2 || !c->arg[1].type || c->arg[1].type->kind == TY_NONE)
        return factorial(b, c);
    IrExpr *k = arg(b, c, 1, DT_i64);
    np_check(b, cmp(b, OP_ge, n, 0), "ValueError", "n must be a non-negative integer");
    np_check(b, cmp(b, OP_ge, k, 0), "ValueError", "k must be a non-negative integer");
    IrExpr *none = val_freeze(b, np_op2(b, OP_gt, np_cp(b, k), np_cp(b, n)));
    IrExpr *rest = np_op2(b, OP_sub, np_cp(b, n), np_cp(b, k));
    IrExpr *times = comb ? np_op2(b, OP_min, np_cp(b, k), rest) : np_cp(b, k);
    times = val_freeze(b, np_op3(b, OP_select, np_cp(b, none), np_int(b, 0), times));
    IrExpr *r = falling_product(b, np_cp(b, n), times, comb);
    return np_op3(b, OP_select, none, np_int(b, 0), r);
}

/* Has r not wrapped? What x and y divide is none of less than theirs. */
static IrExpr *
is_lcm(IrBuilder *b, IrExpr *r, IrExpr *x, IrExpr *y)
{
    IrExpr *ok = cmp(b, OP_gt, r, 0), *none = NULL, *of[2] = {x, y};
    for (int i = 0; i < 2; i++) {
        IrExpr *zero = val_freeze(b, cmp(b, OP_eq, of[i], 0));
        none = none ? np_op2(b, OP_or, none, np_cp(b, zero)) : np_cp(b, zero);
        IrExpr *by = val_freeze(b, np_op3(b, OP_select, zero, np_int(b, 1), np_cp(b, of[i])));
        ok = np_op2(b, OP_and, ok,
                    np_op2(b, OP_eq, np_op2(b, OP_mod, np_cp(b, r), by), np_int(b, 0)));
    }
    return np_op2(b, OP_or, none, ok);
}

/* gcd and lcm of any number of integers. */
static IrExpr *
fold_ints(IrBuilder *b, const NpCall *c, int op)
{
    int first = np_n_params(c->fn);
    IrExpr *acc = np_int(b, op == OP_lcm);
    for (int i = first; i < c->n; i++) {
        IrExpr *x = val_freeze(b, arg(b, c, i, DT_i64)), *y = val_freeze(b, acc);
        acc = val_freeze(b, np_op2(b, op, np_cp(b, y), np_cp(b, x)));
        if (op == OP_lcm || i + 1 == c->n)
            check_fits(b, op == OP_gcd ? cmp(b, OP_ge, acc, 0) : is_lcm(b, acc, x, y));
    }
    return acc;
}

/* ---- sums and products over something -------------------------------------------------------- */

typedef struct Fold {
    IrVar *acc, *low;
    DType d;
    bool product;
} Fold;

/* Neumaier's sum: what each addition lost is collected in `low`. */
static void
add_exact(IrBuilder *b, Fold *f, IrExpr *x)
{
    x = val_freeze(b, x);
    IrExpr *a = ir_use(b->cx, f->acc);
    IrExpr *t = val_freeze(b, np_op2(b, OP_add, a, np_cp(b, x)));
    IrExpr *bigger = np_op2(b, OP_ge, np_op1(b, OP_abs, np_cp(b, a)), test1(b, OP_abs, x));
    IrExpr *l1 = np_op2(b, OP_add, np_op2(b, OP_sub, np_cp(b, a), np_cp(b, t)), np_cp(b, x));
    IrExpr *l2 = np_op2(b, OP_add, np_op2(b, OP_sub, np_cp(b, x), np_cp(b, t)), np_cp(b, a));
    IrExpr *lost = np_op3(b, OP_select, bigger, l1, l2);
    ir_set(b, f->low, np_op2(b, OP_add, ir_use(b->cx, f->low), lost));
    ir_set(b, f->acc, np_cp(b, t));
}

static void
fold_one(IrBuilder *b, Fold *f, IrExpr *x)
{
    if (f->product)
        ir_set(b, f->acc, np_op2(b, OP_mul, ir_use(b->cx, f->acc), x));
    else if (f->low)
        add_exact(b, f, x);
    else
        ir_set(b, f->acc, np_op2(b, OP_add, ir_use(b->cx, f->acc), x));
}

/* Of two sequences, each a tuple or an array; false: never. */
static bool
same_length(IrBuilder *b, const Val *v, const Val *w, const char *message)
{
    const Val *pair[2] = {v, w};
    IrExpr *n[2];
    for (int i = 0; i < 2; i++)
        n[i] = pair[i]->kind == VK_TUPLE ? np_int(b, pair[i]->n) : val_dim(b, (Val *)pair[i], 0);
    if (v->kind == VK_TUPLE && w->kind == VK_TUPLE && v->n != w->n) {
        np_raise(b, "ValueError", message);
        return false;
    }
    if (v->kind != VK_TUPLE || w->kind != VK_TUPLE)
        np_check(b, np_op2(b, OP_eq, n[0], n[1]), "ValueError", message);
    return true;
}

static IrExpr *
element_at(IrBuilder *b, const Val *v, int k, DType d)
{
    IrExpr *at = np_int(b, k);
    return v->kind == VK_TUPLE ? val_expr(b, &v->elem[k], d)
                               : ir_cast(b->cx, d, np_elem(b, (Val *)v, &at));
}

/* How many elements there are, where one of two is a tuple; else -1. */
static int
known_length(const Val *v, const Val *w)
{
    return v->kind == VK_TUPLE ? v->n : w && w->kind == VK_TUPLE ? w->n : -1;
}

/* Elements of v (times those of w) folded into f. */
static void
fold_all(IrBuilder *b, Fold *f, const Val *v, const Val *w)
{
    int n = known_length(v, w);
    for (int i = 0; i < n; i++) {
        IrExpr *x = element_at(b, v, i, f->d);
        fold_one(b, f, w ? np_op2(b, OP_mul, x, element_at(b, w, i, f->d)) : x);
    }
    if (n >= 0 || !val_is_arraylike(v))
        return;
    IrExpr *i;
    IrBlock *save;
    np_loop(b, LOOP_SEQ, val_dim(b, v, 0), &i, &save);
    IrExpr *x = ir_cast(b->cx, f->d, np_elem(b, v, &i));
    if (w)
        x = np_op2(b, OP_mul, x, ir_cast(b->cx, f->d, np_elem(b, w, &i)));
    fold_one(b, f, x);
    b->at = save;
}

static Val
settled(IrBuilder *b, Val v)
{
    return v.kind == VK_LAZY ? np_materialize(b, v, LAY_C) : v;
}

static IrExpr *
fold(IrBuilder *b, const NpCall *c, bool product, bool pair)
{
    Fold f = {.d = (DType)c->result->storage, .product = product};
    Val v = settled(b, c->arg[0]), w = {0}, *start = np_arg(c, "start");
    if (pair) {
        w = settled(b, c->arg[1]);
        if (!same_length(b, &v, &w, "Inputs are not the same length"))
            return np_num(b, f.d, 0);
    }
    f.acc = ir_var(b->f, "acc", f.d);
    ir_set(b, f.acc, start ? val_expr(b, start, f.d) : np_num(b, f.d, f.product));
    if (!f.product && dtype_is_float(f.d)) {
        f.low = ir_var(b->f, "low", f.d);
        ir_set(b, f.low, np_num(b, f.d, 0));
    }
    fold_all(b, &f, &v, pair ? &w : NULL);
    if (!f.low)
        return ir_use(b->cx, f.acc);
    /* An infinite total has a NaN in what was lost. */
    IrExpr *all = np_op2(b, OP_add, ir_use(b->cx, f.acc), ir_use(b->cx, f.low));
    IrExpr *fin = np_op1(b, OP_isfinite, ir_use(b->cx, f.acc));
    return np_op3(b, OP_select, fin, all, ir_use(b->cx, f.acc));
}

static IrExpr *
hypot_all(IrBuilder *b, const NpCall *c)
{
    int first = np_n_params(c->fn), n = c->n - first;
    IrExpr *r = n > 0 ? np_op1(b, OP_abs, real_arg(b, c, first)) : num(b, 0);
    for (int i = 1; i < n; i++) {
        IrExpr *x = i == 1 ? val_expr(b, &c->arg[first], real_of(c)) : r;
        r = np_op2(b, OP_hypot, x, real_arg(b, c, first + i));
    }
    return r;
}

static IrExpr *
dist(IrBuilder *b, const NpCall *c)
{
    Val p = settled(b, c->arg[0]), q = settled(b, c->arg[1]);
    IrVar *acc = ir_var(b->f, "acc", DT_f64);
    ir_set(b, acc, num(b, 0));
    if (!same_length(b, &p, &q, "both points must have the same number of dimensions"))
        return ir_use(b->cx, acc);
    int n = known_length(&p, &q);
    for (int k = 0; k < n; k++) {
        IrExpr *d = np_op2(b, OP_sub, element_at(b, &p, k, DT_f64), element_at(b, &q, k, DT_f64));
        ir_set(b, acc, np_op2(b, OP_hypot, ir_use(b->cx, acc), d));
    }
    if (n >= 0)
        return ir_use(b->cx, acc);
    IrExpr *i;
    IrBlock *save;
    np_loop(b, LOOP_SEQ, val_dim(b, &p, 0), &i, &save);
    IrExpr *d = np_op2(b, OP_sub, ir_cast(b->cx, DT_f64, np_elem(b, &p, &i)),
                       ir_cast(b->cx, DT_f64, np_elem(b, &q, &i)));
    ir_set(b, acc, np_op2(b, OP_hypot, ir_use(b->cx, acc), d));
    b->at = save;
    return ir_use(b->cx, acc);
}

/* ---- the rest -------------------------------------------------------------------------------- */

static IrExpr *
isclose(IrBuilder *b, const NpCall *c)
{
    IrExpr *x = arg(b, c, 0, DT_f64), *y = arg(b, c, 1, DT_f64);
    Val *rv = np_arg(c, "rel_tol"), *av = np_arg(c, "abs_tol");
    IrExpr *rel = val_freeze(b, rv ? val_expr(b, rv, DT_f64) : num(b, 1e-9));
    IrExpr *abs_ = val_freeze(b, av ? val_expr(b, av, DT_f64) : num(b, 0));
    np_check(b, inv(b, np_op2(b, OP_or, cmp(b, OP_lt, rel, 0), cmp(b, OP_lt, abs_, 0))),
             "ValueError", "tolerances must be non-negative");
    IrExpr *d = val_freeze(b, np_op1(b, OP_abs, np_op2(b, OP_sub, np_cp(b, y), np_cp(b, x))));
    IrExpr *near = np_op2(b, OP_le, np_cp(b, d), np_cp(b, abs_));
    IrExpr *pair[2] = {x, y};
    for (int i = 0; i < 2; i++) {
        IrExpr *tol = np_op1(b, OP_abs, np_op2(b, OP_mul, np_cp(b, rel), np_cp(b, pair[i])));
        near = np_op2(b, OP_or, near, np_op2(b, OP_le, np_cp(b, d), tol));
    }
    IrExpr *inf = np_op2(b, OP_or, test1(b, OP_isinf, x), test1(b, OP_isinf, y));
    near = np_op2(b, OP_and, near, inv(b, inf));
    return np_op2(b, OP_or, near, np_op2(b, OP_eq, np_cp(b, x), np_cp(b, y)));
}

static IrExpr *
log_base(IrBuilder *b, const NpCall *c)
{
    IrExpr *r = unary(b, c->fn, real_arg(b, c, 0));
    if (!np_arg(c, "base"))
        return r;
    r = val_freeze(b, r);
    IrExpr *d = val_freeze(b, unary(b, c->fn, real_arg(b, c, 1)));
    np_check(b, cmp(b, OP_ne, d, 0), "ZeroDivisionError", "float division by zero");
    return np_op2(b, OP_div, r, np_cp(b, d));
}

static IrExpr *
ldexp_(IrBuilder *b, const NpCall *c)
{
    IrExpr *x = real_arg(b, c, 0), *n = val_expr(b, &c->arg[1], DT_i64);
    n = np_op2(b, OP_max, np_op2(b, OP_min, n, np_int(b, 100000)), np_int(b, -100000));
    IrExpr *r = np_op2(b, OP_ldexp, np_cp(b, x), ir_cast(b->cx, DT_i32, n));
    if (x->dtype == DT_f32)
        return r;
    r = val_freeze(b, r);
    range(b, np_op2(b, OP_and, test1(b, OP_isinf, r), test1(b, OP_isfinite, x)));
    return r;
}

static Val
two(IrBuilder *b, const NpCall *c, int op0, int op1)
{
    DType d = real_of(c), out1 = (DType)c->result->elems[1]->storage;
    Val x = val_scalar(b, c->result->elems[0], arg(b, c, 0, d)), r[2];
    r[0] = np_lazy(b, op0, 1, &x, &d, d, c->result->elems[0]);
    r[1] = np_lazy(b, op1, 1, &x, &d, out1, c->result->elems[1]);
    return val_tuple(b, c->result, 2, r);
}

static IrExpr *
ulp(IrBuilder *b, IrExpr *x)
{
    IrExpr *inf = test1(b, OP_isinf, x);
    x = val_freeze(b, np_op1(b, OP_abs, x));
    IrExpr *up = np_op2(b, OP_nextafter, np_cp(b, x), np_num(b, x->dtype, __builtin_inf()));
    up = val_freeze(b, up);
    IrExpr *down = np_op2(b, OP_nextafter, np_cp(b, x), np_num(b, x->dtype, -__builtin_inf()));
    IrExpr *gap = np_op2(b, OP_sub, np_cp(b, up), np_cp(b, x));
    gap = np_op3(b, OP_select, test1(b, OP_isinf, up), np_op2(b, OP_sub, np_cp(b, x), down), gap);
    return np_op3(b, OP_select, inf, np_cp(b, x), gap);
}

/* ---- the rows ------------------------------------------------------------------------------ */

Val
emit_math_unary(IrBuilder *b, NpCall *c)
{
    return result(b, c, unary(b, c->fn, real_arg(b, c, 0)));
}

Val
emit_math_binary(IrBuilder *b, NpCall *c)
{
    return result(b, c, binary(b, c, c->fn->op));
}

/* isnan, isinf, isfinite: of an int it is known. */
Val
emit_math_test(IrBuilder *b, NpCall *c)
{
    DKind k = dtype_kind(val_dtype(&c->arg[0]));
    if (k != DK_FLOAT && k != DK_COMPLEX)
        return result(b, c, ir_int(b->cx, DT_bool, c->fn->op == OP_isfinite));
    return emit_math_unary(b, c);
}

/* floor, ceil, trunc */
Val
emit_math_to_int(IrBuilder *b, NpCall *c)
{
    return to_int(b, c, c->fn->op);
}

/* gcd, lcm */
Val
emit_math_fold_ints(IrBuilder *b, NpCall *c)
{
    return result(b, c, fold_ints(b, c, c->fn->op));
}

Val
emit_math_isqrt(IrBuilder *b, NpCall *c)
{
    return result(b, c, isqrt(b, c));
}

Val
emit_math_factorial(IrBuilder *b, NpCall *c)
{
    return result(b, c, factorial(b, c));
}

Val
emit_math_comb(IrBuilder *b, NpCall *c)
{
    return result(b, c, choose(b, c, true));
}

Val
emit_math_perm(IrBuilder *b, NpCall *c)
{
    return result(b, c, choose(b, c, false));
}

Val
emit_math_fsum(IrBuilder *b, NpCall *c)
{
    return result(b, c, fold(b, c, false, false));
}

Val
emit_math_prod(IrBuilder *b, NpCall *c)
{
    return result(b, c, fold(b, c, true, false));
}

Val
emit_math_sumprod(IrBuilder *b, NpCall *c)
{
    return result(b, c, fold(b, c, false, true));
}

Val
emit_math_hypot(IrBuilder *b, NpCall *c)
{
    return result(b, c, hypot_all(b, c));
}

Val
emit_math_dist(IrBuilder *b, NpCall *c)
{
    return result(b, c, dist(b, c));
}

Val
emit_math_isclose(IrBuilder *b, NpCall *c)
{
    return result(b, c, isclose(b, c));
}

Val
emit_math_log(IrBuilder *b, NpCall *c)
{
    return result(b, c, log_base(b, c));
}

Val
emit_math_ldexp(IrBuilder *b, NpCall *c)
{
    return result(b, c, ldexp_(b, c));
}

Val
emit_math_ulp(IrBuilder *b, NpCall *c)
{
    return result(b, c, ulp(b, real_arg(b, c, 0)));
}

Val
emit_math_fma(IrBuilder *b, NpCall *c)
{
    return result(b, c, fma3(b, c));
}

Val
emit_math_frexp(IrBuilder *b, NpCall *c)
{
    return two(b, c, OP_frexp_m, OP_frexp_e);
}

Val
emit_math_modf(IrBuilder *b, NpCall *c)
{
    return two(b, c, XOP_modf_frac, XOP_modf_int);
}

Val
emit_math_degrees(IrBuilder *b, NpCall *c)
{
    return result(b, c,
                  np_op2(b, OP_mul, real_arg(b, c, 0),
                         np_num(b, real_of(c), 180.0 / 3.14159265358979323846)));
}

Val
emit_math_radians(IrBuilder *b, NpCall *c)
{
    return result(b, c,
                  np_op2(b, OP_mul, real_arg(b, c, 0),
                         np_num(b, real_of(c), 3.14159265358979323846 / 180.0)));
}
