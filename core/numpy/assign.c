/* SPDX-License-Identifier: BSD-3-Clause
 * dst[...] = src: checks that src broadcasts to dst, casts, and behaves as if src had
 * been copied before. A leaf of src that is read at exactly the place that is written
 * needs no care; for any other a test at run time decides between writing in place and
 * writing to a temporary that is copied back, so that a copy is paid for only when bytes
 * may be shared. */
#include "numpy/internal.h"
#include <math.h>
#include <stdio.h>

/* ---- overlap --------------------------------------------------------------------------------- */

IrExpr *
np_maybe_overlap(IrBuilder *b, IrVar *x, IrVar *y)
{
    IrVar *r = ir_overlap(b, x, y);
    return np_op2(b, OP_ne, ir_use(b->cx, r), ir_int(b->cx, DT_i32, 0));
}

/* Elements of x are those of y, at other places: where all are at the same, each is read before it
 * is written. */
static IrExpr *
meets(IrBuilder *b, IrVar *x, IrVar *y)
{
    IrVar *r = ir_overlap(b, x, y);
    return np_op2(b, OP_eq, ir_use(b->cx, r), ir_int(b->cx, DT_i32, 1));
}

enum { STILL, MAYBE_MOVED, MOVED }; /* where a leaf is read, against where it is written */

/* The test for all leaves of v; NULL when none can share memory with dst. A leaf that is
 * dst itself and that only run-time broadcasting can move sets *plain: then no axis may
 * broadcast. */
static IrExpr *
overlap_test(IrBuilder *b, const Val *dst, const Val *v, int moved, bool *plain)
{
    if (v->kind == VK_ARRAY) {
        bool self = v->arr == dst->arr && moved != MOVED;
        *plain |= self && moved == MAYBE_MOVED;
        if (v->fresh || dst->fresh || self)
            return NULL;
        return moved == MOVED ? np_maybe_overlap(b, dst->arr, v->arr) : meets(b, dst->arr, v->arr);
    }
    if (v->kind != VK_LAZY)
        return NULL;
    IrExpr *any = NULL;
    Lazy *l = v->lazy;
    for (int k = 0; k < l->n_reads; k++)
        any = np_ior(b, any, overlap_test(b, dst, &l->reads[k], MOVED, plain));
    for (int k = 0; k < l->n; k++) {
        const Val *o = &l->operand[k];
        bool gone = l->bcast[k] || (val_ndim(o) && val_ndim(o) != l->ndim);
        int m = gone ? MOVED : l->maybe[k] && moved == STILL ? MAYBE_MOVED : moved;
        any = np_ior(b, any, overlap_test(b, dst, o, m, plain));
    }
    return any;
}

/* ---- the loop -------------------------------------------------------------------------------- */

static void
copy_array(IrBuilder *b, IrVar *to, IrVar *from)
{
    IrStmt *s = ir_append(b, IS_COPY);
    s->var = to;
    s->base = from;
}

/* src has dst's shape by now, but for broadcasting that versions will see to. */
static void
store_all(IrBuilder *b, const Val *dst, Val src)
{
    bool plain = false;
    IrExpr *test = overlap_test(b, dst, &src, STILL, &plain);
    if (plain)
        test = np_ior(b, test, np_op1(b, OP_inv, np_plain_test(b, &src)));
    Val to = *dst;
    if (!test) {
        np_versions(b, src, np_store_into, &to);
        return;
    }
    test = val_freeze(b, test);
    IrVar *t = ir_array_var(b->f, "into", dst->arr->dtype, dst->arr->ndim, dst->arr->layout);
    IrExpr *dims[SW_MAX_NDIM];
    for (int i = 0; i < dst->arr->ndim; i++)
        dims[i] = val_dim(b, dst, i);
    IrStmt *s = ir_if(b, np_cp(b, test));
    IrBlock *save = b->at;
    s->cold = true;
    b->at = &s->body;
    Val fresh = np_new_array(b, dst->arr->dtype, dst->arr->ndim, dims, dst->arr->layout, false);
    ir_alias(b, t, fresh.arr);
    b->at = &s->els;
    ir_alias(b, t, dst->arr);
    b->at = save;
    to.arr = t;
    np_versions(b, src, np_store_into, &to);
    s = ir_if(b, test);
    s->cold = true;
    b->at = &s->body;
    copy_array(b, dst->arr, t);
    b->at = save;
}

/* ---- the shapes ------------------------------------------------------------------------------ */

/* What the elements that are stored go to: a[...] = src, or the output of an operation on arrays,
 * which takes part in broadcasting; or what arrays of indices, or a mask, select. */
typedef enum Target { TARGET_ITEM, TARGET_OUT, TARGET_PLACES, TARGET_MASK } Target;

static void
shape_check(IrBuilder *b, IrExpr *ok, const Val *dst, const Val *src)
{
    IrExpr *dims[SW_MAX_NDIM];
    int n = val_ndim(src), extra = n - val_ndim(dst);
    for (int i = 0; i < n; i++)
        dims[i] = val_freeze(b, val_dim(b, src, i));
    /* axes of size 1 that are too many it leaves out */
    for (int i = 0; i <= (extra > 0 ? extra : 0); i++) {
        Shapes s = {.text = "could not broadcast input array from shape "};
        shapes_add_dims(&s, n - i, dims + i);
        shapes_add(&s, " into shape ");
        shapes_add_val(b, &s, dst);
        shapes_check(b, i < extra ? np_op2(b, OP_eq, np_cp(b, dims[i]), np_int(b, 1)) : ok, &s);
    }
}

/* Sizes of an output that neither agree nor are 1 make all shapes unfit; those that are 1, only
 * this. */
static void
out_check(IrBuilder *b, IrExpr *ok, const Val *dst, const Val *src)
{
    Shapes all = {.text = "operands could not be broadcast together with shapes "};
    int n = src->kind == VK_LAZY ? src->lazy->n : 0, off = val_ndim(src) - val_ndim(dst);
    for (int i = 0; i < n; i++, shapes_add(&all, " "))
        shapes_add_val(b, &all, &src->lazy->operand[i]);
    for (int i = 0; i < SW_LEN(b->into) && b->into[i]; i++, shapes_add(&all, " "))
        shapes_add_var(b, &all, b->into[i]);
    if (!b->into[0]) {
        shapes_add_val(b, &all, dst);
        shapes_add(&all, " ");
    }
    IrExpr *meet = NULL, *dims[SW_MAX_NDIM]; /* dims: of all operands, the output among them */
    int nd = off > 0 ? val_ndim(src) : val_ndim(dst);
    for (int j = 0; j < nd; j++)
        dims[j] = off > 0 ? val_dim(b, src, j) : val_dim(b, dst, j);
    for (int j = off < 0 ? -off : 0; j < val_ndim(dst); j++) {
        IrExpr *d = val_freeze(b, val_dim(b, src, j + off)),
               *to = val_freeze(b, val_dim(b, dst, j));
        IrExpr *fits = np_op2(b, OP_eq, np_cp(b, d), np_cp(b, to));
        IrExpr *one = np_op2(b, OP_eq, np_cp(b, d), np_int(b, 1));
        dims[nd - val_ndim(dst) + j] = np_op3(b, OP_select, one, np_cp(b, to), d);
        fits = np_op2(b, OP_or, fits, np_cp(b, one));
        meet = np_iand(b, meet, np_op2(b, OP_or, fits, np_op2(b, OP_eq, to, np_int(b, 1))));
    }
    if (meet)
        shapes_check(b, meet, &all);
    Shapes s = {.text = "non-broadcastable output operand with shape "};
    shapes_add_val(b, &s, dst);
    shapes_add(&s, " doesn't match the broadcast shape ");
    shapes_add_dims(&s, nd, dims);
    shapes_check(b, ok, &s);
}

static void
indexed_check(IrBuilder *b, IrExpr *ok, const Val *dst, const Val *src, Target target)
{
    if (target == TARGET_MASK) {
        IrExpr *n[2] = {val_dim(b, src, 0), val_dim(b, dst, 0)};
        np_checkf(b, ok, "ValueError",
                  "NumPy boolean array indexing assignment cannot assign %0 input values to the %1 "
                  "output values where the mask is true",
                  2, n);
        return;
    }
    Shapes s = {.text = "shape mismatch: value array of shape "};
    shapes_add_val(b, &s, src);
    shapes_add(&s, " could not be broadcast to indexing result of shape ");
    shapes_add_val(b, &s, dst);
    shapes_check(b, ok, &s);
}

/* src without its leading axes, which are known to have size 1. */
static Val
drop_axes(IrBuilder *b, Val src, int extra)
{
    src = np_materialize(b, src, LAY_C);
    IrExpr *dims[SW_MAX_NDIM], *strides[SW_MAX_NDIM];
    int nd = val_ndim(&src) - extra;
    for (int j = 0; j < nd; j++) {
        dims[j] = val_dim(b, &src, j + extra);
        strides[j] = ir_stride(b->cx, src.arr, j + extra);
    }
    Layout l = src.arr->layout == LAY_C ? LAY_C : LAY_A;
    return np_view_simple(b, &src, np_int(b, 0), nd, dims, strides,
                          np_array_type(b, src.arr->dtype, nd, l));
}

/* How axis j of dst meets src: sets a bit of *bcast or *maybe; the check or NULL. */
static IrExpr *
fit_axis(IrBuilder *b, const Val *dst, const Val *src, int j, uint32_t *bcast, uint32_t *maybe)
{
    int sj = j - val_ndim(dst) + val_ndim(src);
    int64_t k;
    if (sj < 0)
        return NULL;
    IrExpr *d = val_dim(b, src, sj), *n = val_dim(b, dst, j);
    if (ir_expr_equal(d, n))
        return NULL;
    if (ir_is_const(d, &k) && k == 1) {
        *bcast |= 1u << j;
        return NULL;
    }
    *maybe |= 1u << j;
    return np_op2(b, OP_or, np_op2(b, OP_eq, np_cp(b, d), n), np_op2(b, OP_eq, d, np_int(b, 1)));
}

/* A node with dst's shape over src. */
static Val
fit(IrBuilder *b, const Val *dst, Val src, Target target)
{
    int nd = val_ndim(dst), extra = val_ndim(&src) - nd;
    IrExpr *ok = NULL;
    DType from = val_dtype(&src), to = val_dtype(dst);
    uint32_t bcast = 0, maybe = 0;
    for (int j = 0; j < extra; j++)
        ok = np_iand(b, ok, np_op2(b, OP_eq, val_dim(b, &src, j), np_int(b, 1)));
    Layout l = dst->kind == VK_ARRAY ? (Layout)dst->arr->layout : LAY_C;
    Val v = np_lazy_new(b, np_array_type(b, to, nd, l));
    for (int j = 0; j < nd; j++) {
        v.lazy->dim[j] = val_dim(b, dst, j);
        ok = np_iand(b, ok, fit_axis(b, dst, &src, j, &bcast, &maybe));
    }
    if (ok && target == TARGET_OUT)
        out_check(b, ok, dst, &src);
    else if (ok && target == TARGET_ITEM)
        shape_check(b, ok, dst, &src);
    else if (ok)
        indexed_check(b, ok, dst, &src, target);
    if (extra > 0)
        src = drop_axes(b, src, extra);
    if (src.kind == VK_LAZY && src.lazy->n == 0 && (bcast || maybe))
        src = np_materialize(b, src, LAY_C);
    v.lazy->op = XOP_id;
    v.lazy->n = 1;
    v.lazy->in[0] = from;
    v.lazy->out = to;
    v.lazy->operand[0] = src;
    v.lazy->bcast[0] = bcast;
    v.lazy->maybe[0] = maybe;
    v.lazy->elem = np_ufunc_elem;
    v.lazy->same_shape = !maybe && (src.kind != VK_LAZY || src.lazy->same_shape);
    return v;
}

/* ---- numbers into integer elements ------------------------------------------------- */

static IrExpr *
float_between(IrBuilder *b, IrExpr *x, IrOp at_least, double lo, double hi)
{
    IrExpr *ok = np_op2(b, at_least, np_cp(b, x), np_num(b, DT_f64, lo));
    return np_op2(b, OP_and, ok, np_op2(b, OP_lt, np_cp(b, x), np_num(b, DT_f64, hi)));
}

/* One test of the range holds for no NaN and no infinity; which error it is, is asked behind it. */
static void
check_float_fits(IrBuilder *b, IrExpr *x, DType d)
{
    double bound = (double)((uint64_t)1 << (dtype_info[d].bits - 1));
    bool is_signed = dtype_kind(d) == DK_INT;
    double hi = is_signed ? bound : 2 * bound, lo = is_signed ? -bound - 1 : -1;
    double most = d == DT_u64 ? 0x1p64 : 0x1p63;
    IrExpr *small = float_between(b, x, OP_ge, -0x1p63, most);
    IrExpr *fits = d == DT_i64 ? np_cp(b, small) : float_between(b, x, OP_gt, lo, hi);
    IrStmt *s = ir_if(b, np_op1(b, OP_inv, np_cp(b, fits)));
    IrBlock *save = b->at;
    s->cold = true;
    b->at = &s->body;
    IrExpr *nan = np_op1(b, OP_isnan, np_cp(b, x));
    np_check(b, np_op1(b, OP_inv, nan), "ValueError", "cannot convert float NaN to integer");
    np_check(b, np_op1(b, OP_inv, np_op1(b, OP_isinf, np_cp(b, x))), "OverflowError",
             "cannot convert float infinity to integer");
    np_check(b, small, "OverflowError", VAL_TOO_LARGE);
    if (d != DT_i64) {
        IrExpr *arg = ir_cast(b->cx, DT_i64, np_cp(b, x));
        np_checkf(b, fits, "OverflowError",
                  arena_printf(&b->cx->arena, "Python integer %%0 out of bounds for %s",
                               dtype_info[d].name),
                  1, &arg);
    }
    b->at = save;
}

/* Whether numbers of this type may lie outside of d in a way that raises. */
static bool
may_not_fit(DType from, bool weak, DType d)
{
    if (!dtype_is_int(d) || from == d || from == DT_bool || (weak && dtype_is_complex(from)))
        return false;
    return weak || (dtype_kind(d) != DK_UINT && !dtype_can_cast_safely(from, d));
}

/* A Python number is made one of the element's kind by int() or float(). */
void
np_check_real(IrBuilder *b, const Val *x, DType d)
{
    bool is_complex = x->kind == VK_SCALAR && x->type->weak && dtype_is_complex(val_dtype(x));
    if (!is_complex || dtype_is_complex(d) || d == DT_bool)
        return;
    np_raise(b, "TypeError",
             dtype_is_float(d)
                 ? "float() argument must be a string or a real number, not 'complex'"
                 : "int() argument must be a string, a bytes-like object or a real number, not "
                   "'complex'");
}

/* Those of a comprehension or list, each by its own type. NumPy has them all before it looks at the
 * first. */
static void
check_all_fit(IrBuilder *b, const Val *x, const Type *t, int axis, IrExpr **idx, DType d)
{
    IrBlock *save = b->at;
    if (axis == val_ndim(x)) {
        if (t->kind != TY_SCALAR)
            return;
        const Type *number = type_scalar(b->cx->types, val_dtype(x), t->weak);
        Val v = val_scalar(b, number, np_elem(b, x, idx));
        np_check_real(b, &v, d);
        np_check_fits(b, v, d);
        return;
    }
    if (axis && t->kind == TY_TUPLE) {
        for (int i = 0; i < t->n; i++) {
            idx[axis] = np_int(b, i);
            check_all_fit(b, x, t->elems[i], axis + 1, idx, d);
        }
        return;
    }
    const Type *elem = !axis                        ? t
                       : type_is_row(t)             ? type_resolve(b->cx->types, t)->elems[0]
                       : t->kind == TY_LIST && t->n ? t->elems[0]
                                                    : NULL;
    if (!elem)
        return; /* rows are arrays: their elements are cast */
    np_loop(b, LOOP_SEQ, val_dim(b, x, axis), &idx[axis], &save);
    check_all_fit(b, x, elem, axis + 1, idx, d);
    b->at = save;
}

/* a[i] = x as NumPy has it: int(x) must fit the element, unless x is a NumPy scalar and
 * the element unsigned, which wraps. Of NumPy's complex numbers it is that of the real part.
 * Returns x, to be read more than once. */
Val
np_check_fits(IrBuilder *b, Val x, DType d)
{
    DType from = val_dtype(&x);
    IrExpr *idx[SW_MAX_NDIM];
    bool asks = may_not_fit(from, true, d) || (dtype_is_complex(from) && !dtype_is_complex(d));
    if (x.kind == VK_ARRAY && x.made_of && asks)
        check_all_fit(b, &x, x.made_of, 0, idx, d);
    if (x.kind != VK_SCALAR || !may_not_fit(from, x.type && x.type->weak, d))
        return x;
    double lo, hi, least = dtype_kind(d) == DK_UINT ? 0 : -ldexp(1, dtype_info[d].bits - 1);
    bool small = dtype_is_float(from) && ir_real_range(x.e, &lo, &hi) && trunc(lo) >= least &&
                 hi < least + ldexp(1, dtype_info[d].bits);
    x.e = val_freeze(b, np_cp(b, x.e));
    if (small)
        return x;
    if (dtype_is_float(from) || dtype_is_complex(from)) {
        IrExpr *part = dtype_is_float(from) ? np_cp(b, x.e) : np_op1(b, OP_real, np_cp(b, x.e));
        check_float_fits(b, ir_cast(b->cx, DT_f64, part), d);
        return x;
    }
    IrExpr *ok;
    if (dtype_kind(from) == DK_UINT) { /* into a signed one */
        int64_t top = (int64_t)(UINT64_MAX >> (65 - dtype_info[d].bits));
        if (from == DT_u64)
            np_check(b, np_op2(b, OP_ge, ir_cast(b->cx, DT_i64, np_cp(b, x.e)), np_int(b, 0)),
                     "OverflowError", VAL_TOO_LARGE);
        ok = np_op2(b, OP_le, ir_cast(b->cx, DT_i64, np_cp(b, x.e)), np_int(b, top));
    } else if (dtype_info[d].bits == 64) /* i64 with u64: the sign bit of either */
        ok = np_op2(b, OP_ge, ir_cast(b->cx, DT_i64, np_cp(b, x.e)), np_int(b, 0));
    else
        ok =
            np_op2(b, OP_eq, ir_cast(b->cx, from, ir_cast(b->cx, d, np_cp(b, x.e))), np_cp(b, x.e));
    IrExpr *arg = ir_cast(b->cx, DT_i64, np_cp(b, x.e));
    np_checkf(
        b, ok, "OverflowError",
        arena_printf(&b->cx->arena, "Python integer %%0 out of bounds for %s", dtype_info[d].name),
        1, &arg);
    return x;
}

static void
assign_to(IrBuilder *b, const Val *dst, Val src, Target target)
{
    if (src.kind == VK_TUPLE || src.kind == VK_CONST)
        src = np_as_array(b, src);
    if (val_ndim(&src) == 0) {
        DType d = dst->arr->dtype;
        IrExpr *e = val_freeze(b, val_expr(b, &src, d));
        src = val_scalar(b, type_scalar(b->cx->types, d, false), e);
    } else {
        src = fit(b, dst, src, target);
    }
    store_all(b, dst, src);
}

Val
np_fit_indexed(IrBuilder *b, const Val *dst, Val src, bool full)
{
    return fit(b, dst, src, full ? TARGET_MASK : TARGET_PLACES);
}

void
np_assign(IrBuilder *b, const Val *dst, Val src)
{
    assign_to(b, dst, src, TARGET_ITEM);
}

void
np_assign_apart(IrBuilder *b, const Val *dst, Val src)
{
    Val to = *dst;
    np_versions(b, fit(b, dst, src, TARGET_ITEM), np_store_into, &to);
}

void
np_check_outputs(IrBuilder *b, int n, const Val *const *out, const Val *src)
{
    for (int k = 0; k < n; k++)
        if (out[k] && val_ndim(&src[k]) > val_ndim(out[k]))
            out_check(b, ir_int(b->cx, DT_bool, 0), out[k], &src[k]);
        else if (out[k])
            fit(b, out[k], src[k], TARGET_OUT);
}

void
np_assign_out(IrBuilder *b, const Val *dst, Val src)
{
    if (val_ndim(&src) > val_ndim(dst))
        out_check(b, ir_int(b->cx, DT_bool, 0), dst, &src);
    else
        assign_to(b, dst, src, TARGET_OUT);
}
