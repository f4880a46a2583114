/* SPDX-License-Identifier: BSD-3-Clause
 * The functions of math and cmath. They take real (cmath: complex) numbers of any kind,
 * Python's or NumPy's, and yield Python's: float as a rule, int where Python has an exact
 * result (floor, gcd, factorial), bool for the predicates, a tuple from frexp, modf and
 * polar. In kernels, the functions of CUDA's own library yield float32 for float32, as it does. */
#include "sema/calls.h"

static const Type *
weak(CallCx *x, DType d)
{
    return type_scalar(x->s->tt, d, true);
}

static const Type *
weak_pair(CallCx *x, DType a, DType b)
{
    const Type *e[2] = {weak(x, a), weak(x, b)};
    return type_tuple(x->s->tt, 2, e);
}

static bool
bad_number(CallCx *x, int k, const Type *t, const char *expected)
{
    const Node *n = sema_arg_node(x->c, k);
    Diag *g = sema_error(x->s, DIAG_argument, n ? n : x->at, "%s takes %s, not %s", fn_text(x),
                         expected, t ? t->text : "nothing");
    const Builtin *np = builtin_find("numpy", x->fn->name);
    if (t && t->kind == TY_ARRAY && np)
        diag_hint(x->s->diags, g, "for arrays use np.%s", np->name);
    return false;
}

/* Every argument is a scalar of the kinds allowed; in[k] is what it is cast to. */
static bool
numbers(CallCx *x, DType to, const char *expected)
{
    const RowParams *p = &builtin_params[x->fn->id];
    for (int k = 0; k < x->c->n_args; k++) {
        Sem v = sema_arg(x->s, x->c, k);
        ArrayLike a;
        bool optional = k < p->n && !p->at[k].required;
        if (to != DT_i64 && k < p->n &&
            refuses_none(x, p->at[k].name, "must be real number, not NoneType"))
            return false; /* of integers perm's k may be None */
        if (!v.type || (optional && v.type->kind == TY_NONE))
            continue;
        bool ok = as_array(v.type, &a) && a.ndim == 0;
        if (ok && to == DT_i64)
            ok = is_int_type(v.type);
        else if (ok && (to == DT_f64 || to == DT_f32))
            ok = !dtype_is_complex(a.d);
        if (!ok)
            return bad_number(x, k, v.type, expected);
        if (k < SW_LEN(x->c->in)) {
            x->c->in[k] = to;
            x->c->n_in = k + 1;
        }
    }
    return true;
}

/* In a kernel: NumPy's float32, and nothing that is wider. n: of how many arguments it's asked. */
static bool
is_single(const CallCx *x, int n)
{
    bool any = false;
    for (int k = 0; x->s->cx->opt->kernel && k < n; k++) {
        const Type *t = sema_arg(x->s, x->c, k).type;
        ArrayLike a;
        if (!t || t->kind == TY_NONE)
            continue;
        if (!as_array(t, &a) || (!t->weak && dtype_promote(a.d, DT_f32) != DT_f32))
            return false;
        any |= !t->weak && a.d == DT_f32;
    }
    return any;
}

static const Type *
result(CallCx *x, DType in, DType out)
{
    static const char *const expected[] = {[DK_BOOL] = "a number",
                                           [DK_INT] = "integers",
                                           [DK_UINT] = "integers",
                                           [DK_FLOAT] = "real numbers",
                                           [DK_COMPLEX] = "numbers"};
    if (!numbers(x, in, expected[dtype_kind(in)]))
        return NULL;
    x->c->n_out = 1;
    x->c->out[0] = out;
    return weak(x, out);
}

/* Of real numbers, of which the first n say whether it's float32. */
static const Type *
real_result(CallCx *x, int n)
{
    if (!is_single(x, n))
        return result(x, DT_f64, DT_f64);
    return result(x, DT_f32, DT_f32) ? type_scalar(x->s->tt, DT_f32, false) : NULL;
}

static const Type *
real_pair(CallCx *x, DType second)
{
    const Type *e[2] = {real_result(x, x->c->n_args)};
    if (!e[0])
        return NULL;
    e[1] = second == DT_f64 ? e[0] : weak(x, second);
    return type_tuple(x->s->tt, 2, e);
}

/* math.floor(5) is 5 without a detour through float. */
const Type *
type_math_rounded(CallCx *x)
{
    Sem v = sema_arg(x->s, x->c, 0);
    bool exact = v.type && is_int_type(v.type);
    return result(x, exact ? DT_i64 : DT_f64, DT_i64);
}

const Type *
type_math_trunc(CallCx *x)
{
    Sem v = sema_arg(x->s, x->c, 0);
    if (v.type && !v.type->weak &&
        (v.type->kind == TY_ARRAY || (v.type->kind == TY_SCALAR && v.type->dtype != DT_f64))) {
        Diag *g = sema_type_error(x->s, x->at, "type numpy.%s doesn't define __trunc__ method",
                                  v.type->text);
        diag_hint(x->s->diags, g, "use np.trunc, or int(...)");
        return NULL;
    }
    return type_math_rounded(x);
}

/* The element type of a tuple of numbers or a 1-D array; false after a diagnostic. */
static bool
sequence(CallCx *x, int k, DType *d)
{
    Sem v = sema_arg(x->s, x->c, k);
    ArrayLike a;
    *d = DT_bool;
    bool ok = v.type && (v.type->kind == TY_TUPLE || v.type->kind == TY_LIST);
    for (int j = 0; ok && j < v.type->n; j++) {
        ok = as_array(v.type->elems[j], &a) && a.ndim == 0 && !dtype_is_complex(a.d);
        if (ok)
            *d = dtype_promote(*d, a.d);
    }
    if (v.type && v.type->kind == TY_ARRAY && v.type->ndim == 1 &&
        !dtype_is_complex((DType)v.type->dtype)) {
        *d = (DType)v.type->dtype;
        ok = true;
    }
    return ok || bad_number(x, k, v.type, "a tuple of real numbers or a 1-D array");
}

/* Products of NumPy's numbers are NumPy's: those of other dtypes than Python's numbers round, or
 * wrap, otherwise. */
static bool
as_pythons(CallCx *x, const Type *t)
{
    for (int i = 0; t && (t->kind == TY_TUPLE || t->kind == TY_LIST) && i < t->n; i++)
        if (!as_pythons(x, t->elems[i]))
            return false;
    bool number = t && (t->kind == TY_SCALAR || t->kind == TY_ARRAY) && !t->weak;
    if (!number || t->dtype == DT_i64 || t->dtype == DT_f64 || t->dtype == DT_bool)
        return true;
    Diag *g = sema_error(x->s, DIAG_unsupported, x->at, "%s of NumPy's %s", fn_text(x),
                         dtype_info[t->dtype].name);
    diag_hint(x->s->diags, g,
              "use NumPy's own functions, or convert it with int(...) or float(...)");
    return false;
}

static const Type *
over_sequences(CallCx *x, int n, bool keeps_int)
{
    for (int k = 0; keeps_int && k < x->c->n_args; k++)
        if (!as_pythons(x, sema_arg(x->s, x->c, k).type))
            return NULL;
    DType d = DT_i64, e;
    for (int k = 0; k < n; k++) {
        if (!sequence(x, k, &e))
            return NULL;
        d = dtype_promote(d, e);
    }
    Sem start = arg_of(x, "start");
    if (refuses_none(x, "start", "unsupported operand type(s) for *: 'NoneType' and a number"))
        return NULL;
    if (start.type && !is_real_type(start.type)) {
        bad_number(x, 1, start.type, "a real number");
        return NULL;
    }
    if (start.type && dtype_is_float((DType)start.type->dtype))
        d = DT_f64;
    return weak(x, keeps_int && dtype_is_int(d) ? DT_i64 : DT_f64);
}

/* Of what is neither a tuple nor an array, the library does it. */
static bool
goes_through(const CallCx *x)
{
    bool any = false;
    for (int k = 0; k < x->c->n_args && k < 2; k++) {
        const Type *t = sema_arg(x->s, x->c, k).type;
        any |= t && (t->kind == TY_REF || t->kind == TY_RANGE || t->kind == TY_ITER);
    }
    return any;
}

const Type *
type_math_fsum(CallCx *x)
{
    if (goes_through(x))
        return heap_call(x->s, x->at, "_math_fsum", 1, x->c->arg).type;
    return over_sequences(x, 1, false);
}

const Type *
type_math_dist(CallCx *x)
{
    if (goes_through(x))
        return heap_call(x->s, x->at, "_math_dist", 2, x->c->arg).type;
    return over_sequences(x, 2, false);
}

static bool
has_numpys(const Type *t)
{
    bool any = t && (t->kind == TY_ARRAY || (t->kind == TY_SCALAR && !t->weak));
    for (int k = 0; t && !any && (t->kind == TY_TUPLE || t->kind == TY_LIST) && k < t->n; k++)
        any = has_numpys(t->elems[k]);
    return any;
}

/* A product with a NumPy number is one. */
const Type *
type_math_prod(CallCx *x)
{
    if (goes_through(x))
        return heap_call(x->s, x->at, "_math_prod", 2, x->c->arg).type;
    const Type *t = over_sequences(x, 1, true);
    bool numpys = has_numpys(sema_arg(x->s, x->c, 0).type) || has_numpys(arg_of(x, "start").type);
    return t && numpys ? type_scalar(x->s->tt, (DType)t->dtype, false) : t;
}

const Type *
type_math_sumprod(CallCx *x)
{
    return over_sequences(x, 2, true);
}

/* ---- numbers ---- */

const Type *
type_math_real(CallCx *x)
{
    return real_result(x, x->c->n_args);
}

/* comb, factorial, gcd, isqrt, lcm, perm */
const Type *
type_math_integer(CallCx *x)
{
    return result(x, DT_i64, DT_i64);
}

const Type *
type_math_test(CallCx *x)
{
    return result(x, DT_f64, DT_bool);
}

const Type *
type_math_frexp(CallCx *x)
{
    return real_pair(x, DT_i64);
}

const Type *
type_math_modf(CallCx *x)
{
    return real_pair(x, DT_f64);
}

const Type *
type_math_ldexp(CallCx *x)
{
    Sem e = arg_of(x, "i");
    const Type *t = real_result(x, 1);
    if (!t)
        return NULL;
    if (!is_int_type(e.type)) {
        bad_number(x, 1, e.type, "an integer exponent");
        return NULL;
    }
    if (!e.type->weak && !x->s->cx->opt->kernel) {
        Diag *g = sema_type_error(x->s, arg_place(x, "i"),
                                  "Expected an int as second argument to ldexp.");
        diag_hint(x->s->diags, g, "NumPy's integers are none to it: write int(...)");
        return NULL;
    }
    x->c->in[1] = DT_i64;
    return t;
}

/* ---- cmath ---- */

const Type *
type_cmath_complex(CallCx *x)
{
    return result(x, DT_c128, DT_c128);
}

const Type *
type_cmath_test(CallCx *x)
{
    return result(x, DT_c128, DT_bool);
}

const Type *
type_cmath_phase(CallCx *x)
{
    return result(x, DT_c128, DT_f64);
}

const Type *
type_cmath_polar(CallCx *x)
{
    return result(x, DT_c128, DT_f64) ? weak_pair(x, DT_f64, DT_f64) : NULL;
}

const Type *
type_cmath_rect(CallCx *x)
{
    return result(x, DT_f64, DT_c128);
}
