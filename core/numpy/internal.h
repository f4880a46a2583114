/* SPDX-License-Identifier: BSD-3-Clause
 * What the files of numpy/ share. Expressions are never shared between statements:
 * whoever uses one twice copies it (np_cp), after freezing what costs something to
 * compute. */
#ifndef SWATHE_NUMPY_INTERNAL_H
#define SWATHE_NUMPY_INTERNAL_H
#include "numpy/numpy.h"

/* Element operations beyond op.def, numbered after it: what a Lazy's `op` may also be. */
#define XOP(id) XOP_##id,
enum {
    XOP_before = OP_COUNT - 1,
#include "def/xop.def"
    XOP_time, /* and a TimeOp */
};
#undef XOP

/* The expander of each row, by its name in the table; any other that is not static is an error. */
#define NP(id, name, params, typing, expander, ...) Val emit_np_##expander(IrBuilder *b, NpCall *c);
#define NP_UFUNC(...) Val emit_np_ufunc(IrBuilder *b, NpCall *c);
#include "def/np.def"
#define MATH(id, params, typing, expander, ...) Val emit_math_##expander(IrBuilder *b, NpCall *c);
#define CMATH(id, params, typing, expander, ...) Val emit_cmath_##expander(IrBuilder *b, NpCall *c);
#include "def/math.def"

/* ---- small IR helpers (value.c) ---- */
static inline IrExpr *
np_int(IrBuilder *b, int64_t v)
{
    return ir_int(b->cx, DT_i64, v);
}

static inline IrExpr *
np_cp(IrBuilder *b, const IrExpr *e)
{
    return ir_copy_expr(b->cx, e);
}

#define np_op1(b, op, x) ir_op((b)->cx, (op), (x))
#define np_op2(b, op, x, y) ir_op((b)->cx, (op), (x), (y))
#define np_op3(b, op, x, y, z) ir_op((b)->cx, (op), (x), (y), (z))
IrExpr *np_num(IrBuilder *b, DType d, double v); /* a constant of any dtype */
void np_check(IrBuilder *b, IrExpr *ok, const char *exc, const char *format);
void np_checkf(IrBuilder *b, IrExpr *ok, const char *exc, const char *format, int n, IrExpr **args);
void np_raise(IrBuilder *b, const char *exc, const char *format);
void np_check_real(IrBuilder *b, const Val *x, DType d); /* a number that d's takes the place of */
IrVar *np_temp_array(IrBuilder *b, DType d, int ndim, Layout l);
Val np_new_array(IrBuilder *b, DType d, int ndim, IrExpr **dims, Layout order, bool zero);
const Type *np_array_type(IrBuilder *b, DType d, int ndim, Layout l);
Val np_retype(Val v, const Type *t);
Val np_weak_int(IrBuilder *b, IrExpr *e);
uint32_t np_known_ones(int n, IrExpr **dims);
IrExpr *np_size(IrBuilder *b, const Val *v);        /* product of the dims */
IrExpr *np_ior(IrBuilder *b, IrExpr *x, IrExpr *y); /* NULL is "none yet" */
IrExpr *np_iand(IrBuilder *b, IrExpr *x, IrExpr *y);
Val np_unsupported(IrBuilder *b, const NpCall *c, const char *what);
Val np_error_val(IrBuilder *b, const Type *t); /* something harmless of that type */

/* ---- arguments of a call (call.c) ---- */
int np_n_params(const Builtin *fn);             /* those that have names */
Val *np_arg(const NpCall *c, const char *name); /* NULL: omitted or None */
bool np_arg_bool(const NpCall *c, const char *name, bool dflt);
bool np_arg_str(const NpCall *c, const char *name, const char **out);
bool np_val_const_int(const Val *v, int64_t *out);
/* Axes from an `axis` argument: bit mask; normalised. All of them when it is None. */
uint32_t np_arg_axes(IrBuilder *b, const NpCall *c, const char *name, int ndim, bool *given);
int np_arg_axis(IrBuilder *b, const NpCall *c, const char *name, int ndim, int dflt);
Val np_as_array(IrBuilder *b, Val v); /* ARRAY or LAZY; tuples become arrays, scalars 0-d lazies */
Val np_lazy_of(IrBuilder *b, const NpCall *c, int op, int n, Val *args, const DType *in, DType d,
               const Type *t);
/* out= has v's shape, or else only its size */
void np_check_out(IrBuilder *b, const NpCall *c, const Val *v, bool shape, const char *message);
Val *np_out(const NpCall *c);
Val np_finish(IrBuilder *b, const NpCall *c, Val v); /* into out=, or as it is */

/* ---- ufunc.c ---- */
/* One element: args have any dtype; the result is of dtype `out`. */
IrExpr *np_op_expr(IrBuilder *b, int op, int n, const DType *in, IrExpr **args, DType out);

/* ---- time.c: dates and time spans ---- */
IrExpr *np_time_expr(IrBuilder *b, int op, int n, const DType *in, IrExpr **args, DType out);
Val np_time_call(IrBuilder *b, NpCall *c);
Val np_expand(IrBuilder *b, NpCall *c); /* call.c: by the row's expander */

/* ---- lazy.c ---- */
Val np_lazy(IrBuilder *b, int op, int n, Val *args, const DType *in, DType out, const Type *result);
/* A lazy that is no ufunc: the caller fills in dims, elem and data of v.lazy. */
Val np_lazy_new(IrBuilder *b, const Type *t);
typedef void (*NpEmit)(IrBuilder *b, Val v, void *arg);
/* emit() once, or twice under a test that no operand is broadcast at run time. */
void np_versions(IrBuilder *b, Val v, NpEmit emit, void *arg);
bool np_flat(IrBuilder *b, Val v, Layout order,
             Val *out); /* as one axis, where all is contiguous */
Val np_flat_array(IrBuilder *b, Val a);
bool np_in_f_order(const Val *v); /* of an array, as far as its type tells */
bool np_all_f(const Val *v);

typedef struct NpNest { /* loops over axes; order[0] is the outermost */
    int n;
    int order[SW_MAX_NDIM];
    IrExpr *idx[SW_MAX_NDIM];  /* by axis */
    IrStmt *loop[SW_MAX_NDIM]; /* by depth */
    IrBlock *outer;
} NpNest;

void np_nest_open(IrBuilder *b, NpNest *n, int ndim, IrExpr **dims, bool f_order, LoopKind k);
/* The same, for elements of *v: what does not change along the innermost loop is made
 * before it. */
void np_nest_open_for(IrBuilder *b, NpNest *n, Val *v, int ndim, IrExpr **dims, bool f_order,
                      LoopKind k);
Val np_hoist(IrBuilder *b, Val v, IrExpr **idx); /* idx of all axes but the last */
void np_nest_close(IrBuilder *b, NpNest *n);
IrStmt *np_loop(IrBuilder *b, LoopKind k, IrExpr *hi, IrExpr **idx, IrBlock **save);
Val np_broadcast_view(IrBuilder *b, const Val *a, int ndim, IrExpr **dims);
IrExpr *np_ufunc_elem(IrBuilder *b, Lazy *l, IrExpr **idx);
void np_store_into(IrBuilder *b, Val v, void *dst); /* an NpEmit: same shape, no overlap */
IrExpr *np_plain_test(IrBuilder *b, const Val *v);
IrExpr *np_maybe_overlap(IrBuilder *b, IrVar *x, IrVar *y);

/* ---- assign.c ---- */
/* src broadcast to what an index selects; full: a mask, and the first axis is how often it is true
 */
Val np_fit_indexed(IrBuilder *b, const Val *dst, Val src, bool full);

/* ---- mask.c ---- */
void np_check_mask(IrBuilder *b, IrVar *a, int axis, const Val *mask); /* its sizes are a's */
void np_nonzero(IrBuilder *b, Val mask, Val *out); /* an array of places for each axis */
Val np_compress(IrBuilder *b, const Val *arr, const Val *mask);

/* ---- shape.c ---- */
Val np_view_simple(IrBuilder *b, const Val *a, IrExpr *offset, int ndim, IrExpr **dims,
                   IrExpr **strides, const Type *t);
Val np_transpose(IrBuilder *b, Val a, const int *perm, const Type *t);
/* positional arguments of a method, one by one or as a tuple */
Val np_rest(IrBuilder *b, const NpCall *c);

/* ---- reshape.c ---- */
IrExpr *np_is_contig(IrBuilder *b, const Val *a, bool f);
/* in C's order; t: LAY_C where the result must be */
Val np_reshape(IrBuilder *b, Val a, int n, IrExpr **dims, const Type *t);

/* ---- create.c ---- */
Val np_from_tuple(IrBuilder *b, const Val *v, const Type *result);
Val np_fill_new(IrBuilder *b, DType d, int ndim, IrExpr **dims, Layout order, const Val *x);
int np_take_shape(IrBuilder *b, const Val *shape, IrExpr **dims);

/* ---- shape_text.c: shapes in messages ---- */
typedef struct Shapes {
    IrExpr *size[16]; /* what is known only at run time, in the order of the text */
    int n;
    const char *exc; /* NULL: ValueError */
    char text[400];  /* with SHAPES_SIZE for each of them */
} Shapes;
void shapes_add(Shapes *s, const char *text);
void shapes_add_dims(Shapes *s, int n, IrExpr *const *dims);
void shapes_add_size(Shapes *s, IrExpr *size);
void shapes_add_val(IrBuilder *b, Shapes *s, const Val *v);
void shapes_add_var(IrBuilder *b, Shapes *s, IrVar *arr);
void shapes_check(IrBuilder *b, IrExpr *ok, const Shapes *s);
#endif
