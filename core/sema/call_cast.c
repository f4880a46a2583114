/* SPDX-License-Identifier: BSD-3-Clause
 * Types called as functions: float(x), int(x), np.float32(x). Takes the type and what it
 * is given; yields a Python scalar, a NumPy scalar, or from an array an array, with its
 * value where that is known, so that int(2.5) or np.int8(3) are constants as literals
 * are. */
#include "sema/calls.h"
#include "sema/fold.h"

#include <math.h>
#include <stdlib.h>

static bool
const_number(const Const *c, double *re, double *im)
{
    int64_t i;
    *im = 0;
    if (c->kind == CV_FLOAT || c->kind == CV_COMPLEX) {
        *re = c->re;
        *im = c->kind == CV_COMPLEX ? c->im : 0;
        return true;
    }
    if (c->kind == CV_NPSCALAR && (dtype_is_float(c->dtype) || dtype_is_complex(c->dtype))) {
        *re = c->re;
        *im = dtype_is_complex(c->dtype) ? c->im : 0;
        return true;
    }
    if (c->kind == CV_INT && const_has_big(c)) {
        *re = c->re;
        return isfinite(*re);
    }
    if (!const_as_int(c, &i))
        return false;
    *re = c->kind == CV_NPSCALAR && c->dtype == DT_u64 ? (double)(uint64_t)i : (double)i;
    return true;
}

/* The constant cast to a Python type; NULL when that is not for compile time (overflow,
 * NaN). */
static const Const *
fold_weak(Sema *s, const Const *c, DType d)
{
    double re, im;
    int64_t i;
    if (d == DT_bool) {
        int truth = const_truth(c);
        return truth < 0 ? NULL : const_bool(s, truth);
    }
    if (d == DT_i64 && const_has_big(c))
        return c;
    if (d == DT_i64 && const_as_int(c, &i))
        return c->kind == CV_NPSCALAR && c->dtype == DT_u64 && i < 0 ? NULL : const_int(s, i);
    if (!const_number(c, &re, &im))
        return NULL;
    if (d == DT_i64)
        return fabs(re) < 9e18 && !im ? const_int(s, (int64_t)re) : NULL;
    return d == DT_f64 ? const_float(s, re) : const_complex(s, re, im);
}

static const Const *
fold_strong(Sema *s, const Const *c, DType d)
{
    double re, im;
    int64_t i;
    Const *out = NEW(s->a, Const);
    *out = (Const){.kind = CV_NPSCALAR, .dtype = (uint8_t)d};
    if (d == DT_bool) {
        int truth = const_truth(c);
        out->i = out->b = truth > 0;
        return truth < 0 ? NULL : out;
    }
    if (dtype_is_int(d)) {
        if (d == DT_u64 && c->kind == CV_INT && c->dtype == DT_u64) {
            out->i = c->i;
            return out;
        }
        if (c->kind == CV_NPSCALAR || !const_as_int(c, &i))
            return NULL;
        out->i = i;
        return out;
    }
    bool single = d == DT_f32 || d == DT_c64,
         whole = c->kind == CV_NPSCALAR && dtype_is_int(c->dtype);
    if (!const_number(c, &re, &im) || d == DT_f16 || (single && whole)) /* that is rounded once */
        return NULL;
    out->re = single ? (double)(float)re : re;
    out->im = single ? (double)(float)im : im;
    return out;
}

bool
no_complex(Sema *s, const Node *at, const Type *t, DType d, bool is_weak)
{
    bool many = t->kind == TY_TUPLE || t->kind == TY_LIST;
    for (int i = 0; many && i < t->n; i++)
        if (!no_complex(s, at, t->elems[i], d, is_weak))
            return false;
    bool single = t->kind == TY_SCALAR && dtype_is_complex((DType)t->dtype);
    if (!single || dtype_is_complex(d) || d == DT_bool)
        return true;
    if (!t->weak) /* NumPy's complex numbers lose their imaginary part, with a warning */
        return true;
    Diag *g = sema_type_error(s, at, "cannot convert %s to %s", t->text,
                              type_scalar(s->tt, d, is_weak)->text);
    diag_hint(s->diags, g, "take its real part: .real");
    return false;
}

/* float('inf') and the like; NULL where Python would raise or read it otherwise. */
static const Const *
parse_number(Sema *s, const Const *c, DType d)
{
    const char *text = c->str;
    char *end;
    bool plain = !strpbrk(text, "xXpP(_") && *text && strlen(text) == c->str_len;
    if (!plain || (d != DT_f64 && d != DT_i64))
        return NULL;
    double f = strtod(text, &end);
    if (d == DT_f64)
        return *end ? NULL : const_float(s, f);
    long long i = strtoll(text, &end, 10);
    return *end || fabs(f) > 9e18 ? NULL : const_int(s, i);
}

bool
cast_is_number(Sema *s, const Const *c, DType d)
{
    return parse_number(s, c, d) != NULL;
}

const Type *
cast_type(Sema *s, const Node *at, Sem v, DType d, bool is_weak, const Const **cst)
{
    ArrayLike a;
    const Type *to = type_scalar(s->tt, d, is_weak);
    if (type_is_optional(v.type) && d == DT_bool && (is_weak || v.type->elems[1]->kind != TY_ARRAY))
        return to;
    v.type = type_value(v.type);
    if ((v.type->kind == TY_REF || v.type->kind == TY_TEXT || v.type->kind == TY_RANGE) &&
        d == DT_bool && is_weak)
        return to;
    int truth = v.cst && is_weak && d == DT_bool ? const_truth(v.cst) : -1;
    if (is_weak && d == DT_bool && v.type->kind == TY_TUPLE)
        truth = v.type->n > 0;
    if (is_weak && d == DT_bool && type_is_function(v.type))
        truth = 1;
    if (truth >= 0) {
        *cst = const_bool(s, truth);
        return to;
    }
    if (v.cst && v.cst->kind == CV_STR && is_weak && (*cst = parse_number(s, v.cst, d)))
        return to;
    if (!as_array(v.type, &a)) {
        if (v.cst && v.cst->kind == CV_STR && is_weak && d == DT_i64) {
            sema_error(s, DIAG_value, at, "invalid literal for int() with base 10: '%s'",
                       v.cst->str);
            return NULL;
        }
        Diag *g = sema_type_error(s, at, "cannot convert %s to %s", v.type->text, to->text);
        if (v.type->kind == TY_STR)
            diag_hint(s->diags, g, "compiled code reads numbers from constant strings only");
        else if (!is_weak && (v.type->kind == TY_TUPLE || v.type->kind == TY_LIST))
            diag_hint(s->diags, g, "write np.array(..., dtype=np.%s)", dtype_info[d].name);
        return NULL;
    }
    if (dtype_is_param(a.d) || dtype_is_param(d)) {
        if (a.scalar && d == DT_i64 && !is_weak) /* its number */
            return to;
        Diag *g = sema_error(s, DIAG_unsupported, at, "%s as %s is not supported in compiled code",
                             v.type->text, to->text);
        diag_hint(s->diags, g,
                  "x.astype(np.int64) is the number of its unit, as x // "
                  "np.timedelta64(1, \"D\") is of a time span");
        return NULL;
    }
    if (!no_complex(s, at, v.type, d, is_weak))
        return NULL;
    if (a.ndim && is_weak) {
        Diag *g = sema_type_error(s, at,
                                  "only 0-dimensional arrays can be converted to a Python "
                                  "scalar, not %s",
                                  v.type->text);
        diag_hint(s->diags, g,
                  d == DT_bool ? "use .any() or .all()" : "index it first, or use .astype");
        return NULL;
    }
    if (a.ndim && a.d == d) /* the array itself */
        return v.type;
    if (a.ndim)
        return type_array(s->tt, d, a.ndim, layout_kept(&a, 'K'), false);
    if (v.cst && !is_weak && a.weak && !fits_const(s, at, v.cst, d))
        return NULL;
    if (v.cst)
        *cst = is_weak ? fold_weak(s, v.cst, d) : fold_strong(s, v.cst, d);
    return to;
}

static bool
is_complex(const Const *c)
{
    return c->kind == CV_COMPLEX || (c->kind == CV_NPSCALAR && dtype_is_complex(c->dtype));
}

/* complex(re, im): a part that isn't complex takes no part in the other sum, whatever its zero's
 * sign. A complex64 in the second place is a float to Python. */
static Sem
cast_two(Sema *s, const Node *call, Sem re, Sem im)
{
    const Node *at = call;
    const Type *t = type_scalar(s->tt, DT_c128, true);
    ArrayLike a, b;
    if (!as_array(re.type, &a) || !as_array(im.type, &b) || a.ndim || b.ndim) {
        sema_type_error(s, at, "complex() takes two numbers, not %s and %s", re.type->text,
                        im.type->text);
        return sema_unknown(s);
    }
    double x, y, xi, yi;
    if (re.cst && im.cst && const_number(re.cst, &x, &xi) && const_number(im.cst, &y, &yi))
        return sem_const(s, const_complex(s, is_complex(im.cst) && b.d == DT_c128 ? x - yi : x,
                                          is_complex(re.cst) ? y + xi : y));
    return sem_of(t);
}

static Sem
cast_none(Sema *s, const Type *dt)
{
    DType d = (DType)dt->dtype;
    if (dt->weak)
        return sem_const(s, d == DT_bool  ? const_bool(s, false)
                            : d == DT_i64 ? const_int(s, 0)
                            : d == DT_f64 ? const_float(s, 0)
                                          : const_complex(s, 0, 0));
    return (Sem){type_scalar(s->tt, d, false), fold_strong(s, const_int(s, 0), d)};
}

Sem
call_cast(Sema *s, const Node *call, const Type *dt, int n_args, const Node *const *args, Call *out)
{
    Sem v[2] = {{0}};
    bool two = dt->weak && dt->dtype == DT_c128;
    out->kind = CALL_CAST;
    out->n_args = n_args;
    out->arg = NEW_N(s->a, const Node *, n_args + 1);
    for (int k = 0; k < n_args; k++)
        out->arg[k] = args[k];
    if (n_args > 1 + two) {
        sema_error(s, DIAG_argument, call, "%s() takes %s, not %d",
                   type_scalar(s->tt, (DType)dt->dtype, dt->weak)->text,
                   two ? "two arguments at most" : "one argument at most", n_args);
        return sema_unknown(s);
    }
    for (int k = 0; k < n_args; k++) {
        v[k] = sema_known(s, args[k]);
        if (sem_bad(v[k]))
            return sema_unknown(s);
    }
    if (n_args == 0)
        return cast_none(s, dt);
    if (n_args == 2)
        return cast_two(s, call, v[0], v[1]);
    const Const *cst = NULL;
    if (dt->weak && dt->dtype == DT_bool) /* of a list that has no name */
        v[0] = heap_value(s, args[0], v[0]);
    const Type *t = cast_type(s, call, v[0], (DType)dt->dtype, dt->weak, &cst);
    if (cst && v[0].cst && v[0].cst->kind == CV_STR)
        out->dflt = arena_dup(s->a, &cst, sizeof(cst));
    return t ? (Sem){t, cst} : sema_unknown(s);
}
