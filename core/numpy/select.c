/* SPDX-License-Identifier: BSD-3-Clause
 * Choosing and joining: where, clip, round, fix and angle are elementwise and stay lazy;
 * concatenate and stack write each part into its place in one new array. */
#include "numpy/internal.h"
#include <math.h>

/* ---- elementwise ----------------------------------------------------------------------------- */

Val
emit_np_where(IrBuilder *b, NpCall *c)
{
    DType d = (DType)c->result->storage, in[3] = {DT_bool, d, d};
    if (!np_arg(c, "x"))
        return emit_np_nonzero(b, c);
    Val arg[3];
    for (int i = 0; i < 3; i++)
        arg[i] = np_as_array(b, c->arg[i]);
    Val v = np_lazy(b, OP_select, 3, arg, in, d, c->result);
    if (v.kind == VK_SCALAR && c->result->kind == TY_ARRAY)
        return np_fill_new(b, d, 0, NULL, LAY_C, &v);
    return v;
}

/* A Python int that is no bound for integers of this dtype, as -1 below uint8 or 300 above, does
 * not bind; one that excludes them all does not fit. */
static Val
loosened(IrBuilder *b, Val v, bool low, DType d)
{
    bool whole = v.kind == VK_SCALAR && v.type->weak && val_dtype(&v) == DT_i64;
    if (!whole || !dtype_is_int(d) || (v.cst && v.cst->dtype == DT_u64))
        return v;
    int bits = dtype_info[d].bits;
    bool sg = dtype_kind(d) == DK_INT;
    int64_t top = bits == 64 ? INT64_MAX : ((int64_t)1 << (bits - sg)) - 1;
    int64_t bound = low ? (sg ? -top - 1 : 0) : top;
    v.e = np_op2(b, low ? OP_max : OP_min, np_cp(b, v.e), np_int(b, bound));
    v.cst = NULL;
    return np_weak_fits(b, v, d);
}

/* A constant that binds no integer of the array's own dtype, which NumPy takes for None before it
 * looks at shapes. */
static bool
never_binds(const Val *v, bool low, DType d)
{
    int64_t k;
    bool whole = v->kind == VK_SCALAR && v->type->weak && val_dtype(v) == DT_i64 && dtype_is_int(d);
    if (!whole || (v->cst && v->cst->dtype == DT_u64) || !ir_is_const(v->e, &k))
        return false;
    int bits = dtype_info[d].bits;
    bool sg = dtype_kind(d) == DK_INT;
    if (bits == 64)
        return low ? k <= (sg ? INT64_MIN : 0) : sg && k == INT64_MAX;
    int64_t top = ((int64_t)1 << (bits - sg)) - 1;
    return low ? k <= (sg ? -top - 1 : 0) : k >= top;
}

Val
emit_np_clip(IrBuilder *b, NpCall *c)
{
    Val a = np_as_array(b, c->arg[0]), *lo = np_arg(c, "a_min"), *hi = np_arg(c, "a_max");
    DType d = (DType)(c->result->kind == TY_NONE ? val_dtype(&a) : c->result->storage);
    DType in[3] = {d, d, d};
    lo = lo && never_binds(lo, true, val_dtype(&a)) ? NULL : lo;
    hi = hi && never_binds(hi, false, val_dtype(&a)) ? NULL : hi;
    const Type *t = np_arg(c, "out") ? NULL : c->result;
    Val arg[3] = {a};
    int n = 1;
    if (lo)
        arg[n++] = np_as_array(b, loosened(b, *lo, true, d));
    if (hi)
        arg[n++] = np_as_array(b, loosened(b, *hi, false, d));
    int both =
        n == 3 && arg[1].kind == VK_SCALAR && arg[2].kind == VK_SCALAR ? XOP_clip_const : XOP_clip;
    int op = n == 3 ? both : n == 1 ? XOP_id : lo ? OP_max : OP_min;
    if (n == 1)
        in[0] = val_dtype(&a);
    return np_finish(b, c, np_lazy_of(b, c, op, n, arg, in, d, t));
}

static Val
constant(IrBuilder *b, DType d, double x)
{
    return val_scalar(b, type_scalar(b->cx->types, d, false), np_num(b, d, x));
}

static Val
apply2(IrBuilder *b, int op, Val x, Val y, DType d, const Type *t)
{
    DType in[2] = {d, d};
    Val arg[2] = {x, y};
    return np_lazy(b, op, 2, arg, in, d, t);
}

static Val
apply1(IrBuilder *b, int op, Val x, DType d, DType out, const Type *t)
{
    return np_lazy(b, op, 1, &x, &d, out, t);
}

/* decimals=: up and down are the powers of ten that scale, one of which is 1; known: no more than
 * `digits`, and n is NULL. */
typedef struct Decimals {
    int64_t digits;
    bool known;
    IrExpr *n, *up, *down;
} Decimals;

/* As NumPy makes it, by products, which round from 1e23 on. */
static double
known_power_of_ten(int64_t n)
{
    double r = 1;
    for (n = n < 0 ? -n : n; n > 0 && isfinite(r); n--)
        r *= 10;
    return r;
}

/* From 1e23 on it may be the next double to NumPy's. */
static IrExpr *
power_of_ten(IrBuilder *b, IrExpr *n)
{
    n = ir_cast(b->cx, DT_f64, np_op2(b, OP_max, n, np_int(b, 0)));
    return val_freeze(b, np_op2(b, OP_pow, np_num(b, DT_f64, 10), n));
}

static Decimals
decimals(IrBuilder *b, const Val *v)
{
    Decimals by = {.known = true};
    if (!v || np_val_const_int(v, &by.digits)) {
        bool big = by.digits > INT32_MAX;
        if (big || by.digits < INT32_MIN)
            np_raise(b, "OverflowError",
                     big ? "signed integer is greater than maximum"
                         : "signed integer is less than minimum");
        return by;
    }
    by.known = false;
    by.n = val_freeze(b, val_clipped(b, v));
    np_check(b, np_op2(b, OP_le, np_cp(b, by.n), np_int(b, INT32_MAX)), "OverflowError",
             "signed integer is greater than maximum");
    np_check(b, np_op2(b, OP_ge, np_cp(b, by.n), np_int(b, INT32_MIN)), "OverflowError",
             "signed integer is less than minimum");
    by.up = power_of_ten(b, np_cp(b, by.n));
    by.down = power_of_ten(b, np_op1(b, OP_neg, np_cp(b, by.n)));
    return by;
}

static Val
scale(IrBuilder *b, const IrExpr *e, DType d)
{
    return val_scalar(b, type_scalar(b->cx->types, d, false), ir_cast(b->cx, d, np_cp(b, e)));
}

/* NumPy rounds by scaling, rint and scaling back; out=, of dtype `to`, holds what is scaled. */
static Val
round_float(IrBuilder *b, Val a, const Decimals *by, DType d, DType to, const Type *t)
{
    if (by->known && by->digits == 0)
        return apply1(b, OP_rint, a, d, d, t);
    bool up = by->digits > 0;
    double k = known_power_of_ten(by->digits);
    Val v = by->known ? apply2(b, up ? OP_mul : OP_div, a, constant(b, d, k), d, t)
                      : apply2(b, OP_div, apply2(b, OP_mul, a, scale(b, by->up, d), d, NULL),
                               scale(b, by->down, d), d, t);
    if (d != to) /* out= holds what is rounded and scaled back */
        v = np_cast(b, v, to, NULL);
    v = apply1(b, OP_rint, v, to, to, t);
    if (by->known)
        return apply2(b, up ? OP_div : OP_mul, v, constant(b, to, k), to, t);
    v = apply2(b, OP_mul, v, scale(b, by->down, to), to, NULL);
    return apply2(b, OP_div, v, scale(b, by->up, to), to, t);
}

/* Real and imaginary parts by themselves. */
static Val
round_complex(IrBuilder *b, Val a, const Decimals *by, DType d, const Type *t)
{
    DType r = dtype_real(d), in[2] = {r, r};
    if (a.kind == VK_LAZY)
        a = np_materialize(b, a, LAY_C);
    Val part[2] = {round_float(b, apply1(b, OP_real, a, d, r, NULL), by, r, r, NULL),
                   round_float(b, apply1(b, OP_imag, a, d, r, NULL), by, r, r, NULL)};
    return np_lazy(b, OP_mkcomplex, 2, part, in, d, t);
}

/* Integers to tens, hundreds...: through float64 as NumPy does, cut to the integer again.
 */
static Val
round_int(IrBuilder *b, Val a, const Decimals *by, DType d, const Type *t)
{
    if (by->known && by->digits >= 0) {
        DType in = val_dtype(&a);
        return np_lazy(b, XOP_id, 1, &a, &in, d, t); /* a copy, never the array itself */
    }
    if (!by->known && a.kind == VK_LAZY)
        a = np_materialize(b, a, LAY_C);
    Val v = np_cast(b, round_float(b, a, by, DT_f64, DT_f64, NULL), d, t);
    if (by->known)
        return v;
    IrExpr *same = np_op2(b, OP_ge, np_cp(b, by->n), np_int(b, 0));
    Val arg[3] = {val_scalar(b, type_scalar(b->cx->types, DT_bool, false), same), a, v};
    DType in[3] = {DT_bool, d, d};
    return np_lazy(b, OP_select, 3, arg, in, d, t);
}

Val
emit_np_round(IrBuilder *b, NpCall *c)
{
    Val a = np_as_array(b, c->arg[0]);
    Decimals by = decimals(b, np_arg(c, "decimals"));
    DType d = (DType)c->result->storage, in = val_dtype(&a);
    const Type *t = np_arg(c, "out") ? NULL : c->result;
    bool whole = dtype_is_int(in), kept = whole && by.known && by.digits >= 0;
    np_check_out(b, c, &a, false, "invalid output shape");
    Val *out = np_arg(c, "out");
    /* rounded in place, with an assignment's error */
    if (out && (dtype_is_complex(in) || kept)) {
        np_assign(b, out, a);
        return whole ? *out : np_finish(b, c, round_complex(b, *out, &by, d, NULL));
    }
    if (kept || (whole && dtype_is_int(d)))
        return round_int(b, a, &by, d, t);
    if (in == DT_bool)
        a = np_cast(b, a, d, NULL);
    DType loop = whole ? DT_f64 : val_dtype(&a);
    Val v = dtype_is_complex(loop) ? round_complex(b, a, &by, loop, t)
                                   : round_float(b, a, &by, loop, d, t);
    return np_finish(b, c, v);
}

Val
emit_np_fix(IrBuilder *b, NpCall *c)
{
    Val a = np_as_array(b, c->arg[0]);
    DType d = val_dtype(&a), out = (DType)c->result->storage;
    return np_finish(b, c, apply1(b, OP_trunc, a, d, out, np_arg(c, "out") ? NULL : c->result));
}

Val
emit_np_angle(IrBuilder *b, NpCall *c)
{
    Val z = np_as_array(b, c->arg[0]);
    DType d = val_dtype(&z), r = (DType)c->result->storage;
    Val v;
    if (z.kind == VK_LAZY)
        z = np_materialize(b, z, LAY_C);
    if (dtype_is_complex(d))
        v = apply1(b, OP_arg, z, d, r, c->result);
    else
        v = apply2(b, OP_atan2, constant(b, r, 0), z, r, c->result);
    if (np_arg_bool(c, "deg", false))
        v = apply2(b, OP_mul, v, constant(b, r, 180.0 / 3.14159265358979323846), r, c->result);
    return v;
}

/* ---- joining --------------------------------------------------------------------------------- */

/* The part of `out` from `at` on along `axis`: `len` of it, or one and the axis gone. */
static Val
window(IrBuilder *b, const Val *out, int axis, IrExpr *at, IrExpr *len)
{
    IrExpr *d[SW_MAX_NDIM], *s[SW_MAX_NDIM];
    int n = 0;
    for (int i = 0; i < out->arr->ndim; i++) {
        if (i == axis && !len)
            continue;
        d[n] = i == axis ? len : ir_dim(b->cx, out->arr, i);
        s[n++] = ir_stride(b->cx, out->arr, i);
    }
    IrExpr *off = np_op2(b, OP_mul, at, ir_stride(b->cx, out->arr, axis));
    Layout l = n == 1 && axis == 0 && len ? LAY_C : LAY_A;
    Val v = np_view_simple(b, out, off, n, d, s, np_array_type(b, (DType)out->arr->dtype, n, l));
    v.fresh = true;
    return v;
}

/* A fresh window shares no memory with any part: store without the overlap tests. */
static void
place(IrBuilder *b, Val to, Val part)
{
    if (val_ndim(&part) == 0) {
        np_assign(b, &to, part);
        return;
    }
    np_versions(b, part, np_store_into, &to);
}

static void
check_same(IrBuilder *b, const Val *x, const Val *y, int skip, const char *text)
{
    for (int i = 0; i < val_ndim(x) && i < val_ndim(y); i++)
        if (i != skip)
            np_check(b, np_op2(b, OP_eq, val_dim(b, x, i), val_dim(b, y, i)), "ValueError", text);
}

static int
take_parts(IrBuilder *b, const NpCall *c, Val *part, int max)
{
    const Val *v = &c->arg[0];
    int n = v->kind == VK_TUPLE && v->n < max ? v->n : 0;
    for (int i = 0; i < n; i++)
        part[i] = np_as_array(b, v->elem[i]);
    return n;
}

/* Part number k beside the first: the same sizes but along the axis. */
static void
check_joins(IrBuilder *b, const Val *first, const Val *part, int axis, int k)
{
    for (int i = 0; i < val_ndim(first) && i < val_ndim(part); i++) {
        IrExpr *size[2] = {val_dim(b, first, i), val_dim(b, part, i)};
        char *text = arena_printf(
            &b->cx->arena,
            "all the input array dimensions except for the concatenation axis must match exactly, "
            "but along dimension %d, the array at index 0 has size %%0 and the array at index %d "
            "has size %%1",
            i, k);
        if (i != axis)
            np_checkf(b, np_op2(b, OP_eq, np_cp(b, size[0]), np_cp(b, size[1])), "ValueError", text,
                      2, size);
    }
}

Val
emit_np_concatenate(IrBuilder *b, NpCall *c)
{
    Val part[64];
    int n = take_parts(b, c, part, SW_LEN(part));
    if (!n)
        return np_unsupported(b, c, "the arrays must be given as a tuple or list display");
    int nd = val_ndim(&part[0]), axis = np_arg_axis(b, c, "axis", nd, 0);
    bool flat = c->n > 1 && c->arg[1].type && c->arg[1].type->kind == TY_NONE;
    for (int i = 0; flat && i < n; i++) {
        IrExpr *size = val_freeze(b, np_size(b, &part[i]));
        part[i] = np_reshape(b, part[i], 1, &size, np_array_type(b, val_dtype(&part[i]), 1, LAY_C));
        nd = 1;
    }
    IrExpr *dims[SW_MAX_NDIM], *total = np_int(b, 0);
    for (int i = 0; i < n; i++) {
        check_joins(b, &part[0], &part[i], axis, i);
        total = np_op2(b, OP_add, total, val_dim(b, &part[i], axis));
    }
    for (int i = 0; i < nd; i++)
        dims[i] = i == axis ? total : val_dim(b, &part[0], i);
    Val out =
        np_new_array(b, (DType)c->result->storage, nd, dims, (Layout)c->result->layout, false);
    IrExpr *at = np_int(b, 0);
    for (int i = 0; i < n; i++) {
        IrExpr *len = val_dim(b, &part[i], axis);
        place(b, window(b, &out, axis, np_cp(b, at), np_cp(b, len)), part[i]);
        at = val_freeze(b, np_op2(b, OP_add, at, len));
    }
    return out;
}

Val
emit_np_stack(IrBuilder *b, NpCall *c)
{
    Val part[64];
    int n = take_parts(b, c, part, SW_LEN(part));
    if (!n)
        return np_unsupported(b, c, "the arrays must be given as a tuple or list display");
    int nd = val_ndim(&part[0]) + 1, axis = np_arg_axis(b, c, "axis", nd, 0);
    IrExpr *dims[SW_MAX_NDIM];
    for (int i = 0; i < n; i++)
        check_same(b, &part[0], &part[i], -1, "all input arrays must have the same shape");
    for (int i = 0, k = 0; i < nd; i++)
        dims[i] = i == axis ? np_int(b, n) : val_dim(b, &part[0], k++);
    Val out =
        np_new_array(b, (DType)c->result->storage, nd, dims, (Layout)c->result->layout, false);
    for (int i = 0; i < n; i++)
        place(b, window(b, &out, axis, np_int(b, i), NULL), part[i]);
    return out;
}
