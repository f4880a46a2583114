/* SPDX-License-Identifier: BSD-3-Clause
 * Library functions and array expressions -> IR. The value of an expression while it is
 * being lowered is a Val; an array expression that has not been stored yet is a LAZY Val: its
 * shape, and how to make one element. Whoever needs memory materialises it in one loop nest;
 * a reduction or an assignment consumes it element by element, so that no temporary exists. */
#ifndef SWATHE_NUMPY_H
#define SWATHE_NUMPY_H
#include "ir/ir.h"
#include "type/builtin.h"

enum { SW_MAX_NDIM = 16 };

/* VK_NONE: there is nothing at run time; the type tells what it is */
typedef enum ValKind { VK_NONE, VK_SCALAR, VK_ARRAY, VK_LAZY, VK_TUPLE, VK_CONST } ValKind;

typedef struct Lazy Lazy;
typedef struct Val {
    ValKind kind;
    const Type *type;
    /* known at compile time: kind is CONST (strings, dtypes, functions, None), or SCALAR as well */
    const Const *cst;
    IrExpr *e;  /* SCALAR */
    IrVar *arr; /* ARRAY */
    bool temp;  /* ARRAY: a name that nobody else has, so that it isn't bound anew */
    /* ARRAY: memory that nobody else has: may be reused, and overlaps with nothing. What a call
     * yields may be a view of its arguments: pass alias knows more */
    bool fresh;
    uint32_t ones; /* ARRAY: axes known to have size 1 */
    /* ARRAY: the type of what a comprehension has just made it of, one by one, or NULL */
    const Type *made_of;
    Lazy *lazy;
    /* TUPLE: elements; also slices (start, stop, step), ranges, closures (captured values) */
    int n;
    struct Val *elem;
} Val;

/* An array expression: dims are i64 expressions (constants or variables); elem makes element
 * idx. */
struct Lazy {
    DType dtype;
    int ndim;
    IrExpr *dim[SW_MAX_NDIM];
    IrExpr *(*elem)(IrBuilder *b, Lazy *l, IrExpr **idx);
    int op; /* ufunc: IrOp; operands cast to in[], result cast to dtype */
    DType in[4], out;
    int n;
    Val operand[4]; /* ARRAY, LAZY, or SCALAR */
    /* axes (bit = axis of the result) along which operand k is known to have size 1 */
    uint32_t bcast[4];
    /* axes along which operand k may have size 1 at run time while the result has not */
    uint32_t maybe[4];
    /* all non-scalar operands are known to have exactly dim[] (no run-time broadcasting) */
    bool same_shape;
    /* arrays that it reads at other places than those of its elements */
    Val *reads;
    int n_reads;
    bool any_case; /* made of views with the shape of the result: see np_versions */
    void *data;    /* for other producers (arange, where, fill, compare...) */
};

typedef struct NpCall { /* one call of a library function, bound and typed */
    const Builtin *fn;
    const Type *result;
    int n;
    Val *arg;            /* by parameter; kind NONE with type NULL: omitted */
    DType in[4], out[2]; /* ufuncs */
    TimeCall time;       /* of parametric dtypes */
    bool weak;           /* scalar result is a Python scalar */
    Span at;
} NpCall;

/* Expands a call by the expander that its row names. Returns lazies where it can. */
Val np_call(IrBuilder *b, NpCall *c);

/* ---- kernel.c ---- */
/* One for each kernel and dtype. */
IrFunc *np_kernel_func(IrBuilder *b, const KernelRow *row, DType of);
/* This is code for the host, whose loops have no labels that a schedule could ask for. */
bool np_kernel_may(IrBuilder *b);
/* Its status. */
IrVar *np_kernel_call(IrBuilder *b, const KernelRow *row, int n, IrVar *const *arrays);

/* ---- value.c: Vals ---- */
Val val_scalar(IrBuilder *b, const Type *t, IrExpr *e);
Val val_array(IrBuilder *b, const Type *t, IrVar *v, bool fresh);
Val val_tuple(IrBuilder *b, const Type *t, int n, const Val *elem);
Val val_empty(IrBuilder *b, const Type *t);  /* an object that nobody looks at: see IS_ALLOC */
Val val_object(IrBuilder *b, const Type *t); /* an empty list or dict */
Val val_none(IrBuilder *b);
/* any constant: scalars become SCALAR with cst, arrays CONSTARR */
Val val_const(IrBuilder *b, const Const *c);
Val val_known(IrBuilder *b, DType d, int64_t n, const void *data); /* a vector of these */
/* Of n constants; halves as floats, which are exactly what they are. */
Val val_known_numbers(IrBuilder *b, DType d, int64_t n, IrExpr *const *e);
/* scalar, or 0-d array/lazy, as an expression cast to d */
IrExpr *val_expr(IrBuilder *b, const Val *v, DType d);
/* an int64; `exc` where it is a uint64 that is none */
IrExpr *val_int(IrBuilder *b, const Val *v, const char *exc, const char *text);
/* an int64; the greatest where it is a uint64 above */
IrExpr *val_clipped(IrBuilder *b, const Val *v);
/* of Python's range; in core/numpy/range.c */
IrExpr *np_range_length(IrBuilder *b, IrExpr *start, IrExpr *stop, IrExpr *step);
IrExpr *np_size_fits(IrBuilder *b, DType d, int n, IrExpr **dims); /* in shape.c */
#define VAL_TOO_LARGE "Python int too large to convert to C long"
#define VAL_TOO_LARGE_DIM "Maximum allowed dimension exceeded"
/* int(x) fits, as for a[i] = x, or all of them */
Val np_check_fits(IrBuilder *b, Val x, DType d);
IrExpr *val_truth(IrBuilder *b, const Val *v);         /* Python's bool(): bool expression */
IrExpr *val_dim(IrBuilder *b, const Val *v, int axis); /* size of an ARRAY or LAZY along axis */
int val_ndim(const Val *v);
DType val_dtype(const Val *v);
bool val_is_arraylike(const Val *v); /* ARRAY or LAZY */
/* None, and not something else that has no run-time form: a module, a class */
bool val_is_none(const Val *v);
/* to a joined type: scalars cast, array layouts weakened, tuples by element */
Val val_convert(IrBuilder *b, Val v, const Type *to);
/* a tuple as one on the heap: lower's, who owns b */
extern Val (*val_row)(IrBuilder *b, Val v, const Type *to);
/* checks that a Python int fits d; see value.c */
Val np_weak_fits(IrBuilder *b, Val v, DType d);
/* a variable holding e now, unless it is a constant or cannot change */
IrExpr *val_freeze(IrBuilder *b, IrExpr *e);

/* its value now, whatever runs before it is consumed */
void val_pin(IrBuilder *b, Val *v);

/* ---- lazy.c: array expressions ---- */
/* lazy or scalar; checks shapes: ValueError */
Val np_ufunc(IrBuilder *b, IrOp op, int n, Val *args, const DType *in, DType out,
             const Type *result);
/* one element of an ARRAY or LAZY */
IrExpr *np_elem(IrBuilder *b, const Val *v, IrExpr **idx);
/* an ARRAY; arrays pass through unchanged */
Val np_materialize(IrBuilder *b, Val v, Layout order);
/* dst[...] = src: broadcasts, casts, and copes with overlap */
void np_assign(IrBuilder *b, const Val *dst, Val src);
/* the same where they are one array, or share nothing */
void np_assign_apart(IrBuilder *b, const Val *dst, Val src);
/* that all may be assigned so */
void np_check_outputs(IrBuilder *b, int n, const Val *const *out, const Val *src);
/* the output of an operation: src may not have more axes */
void np_assign_out(IrBuilder *b, const Val *dst, Val src);
void np_foreach(IrBuilder *b, const Val *v, LoopKind k,
                void (*body)(IrBuilder *b, IrExpr **idx, void *arg), void *arg);
Val np_cast(IrBuilder *b, Val v, DType d, const Type *result); /* astype, lazily */

/* ---- index.c: views ---- */
typedef struct NpIndex { /* one subscript: x[1, ::2, None, ...] taken apart */
    enum { NI_INT, NI_SLICE, NI_NEWAXIS, NI_ELLIPSIS, NI_ARRAY } kind;
    Val v;                 /* INT, ARRAY: integers, or a mask for as many axes as it has */
    bool found;            /* ARRAY: places that a mask has */
    Val start, stop, step; /* SLICE: kind NONE when absent */
} NpIndex;
/* of one element along an axis, checked, counted from the start */
IrExpr *np_index(IrBuilder *b, IrVar *arr, int axis, const Val *v);
/* scalar load or view, with checks */
Val np_subscript(IrBuilder *b, Val arr, int n, NpIndex *ix, const Type *result);
/* arr[ix] = value; view_type NULL when it selects one element */
void np_store(IrBuilder *b, Val arr, int n, NpIndex *ix, Val value, const Type *view_type);
/* gather.c: indices of which some are arrays. False where none is */
bool np_gather(IrBuilder *b, const Val *arr, int n, const NpIndex *ix, Val *out);
bool np_scatter(IrBuilder *b, const Val *arr, int n, const NpIndex *ix, Val value);
/* looked at once, for a[ix] op= x; full: a mask of all axes alone */
typedef struct NpPlaces NpPlaces;
bool np_has_arrays(int n, const NpIndex *ix); /* is one of them an array? */
Val np_copy_of(IrBuilder *b, Val src); /* an array that shares memory with none */
int np_index_axes(const NpIndex *ix);         /* of the array, that it stands for */
/* The same parts, with a mask of `a` as the arrays of its places: how many there are. */
int np_without_masks(IrBuilder *b, IrVar *a, int n, const NpIndex *ix, NpIndex *out);
NpPlaces *np_places(IrBuilder *b, const Val *arr, int n, const NpIndex *ix);
Val np_places_read(IrBuilder *b, NpPlaces *p);
void np_places_store(IrBuilder *b, NpPlaces *p, Val value, bool full);
/* mask.c: the mask where it, and whole axes, are all of an index, or NULL */
const Val *np_only_mask(int n, const NpIndex *ix);
/* arr = value where the mask is true; value: a number, or of arr's shape */
/* an array that the mask is held against: the same, with the axes of `like` */
Val np_under_mask(IrBuilder *b, Val arr, const Val *like, const Val *mask);
void np_store_where(IrBuilder *b, const Val *arr, const Val *mask, Val value);
/* for augmented assignment through slices */
Val np_view_of(IrBuilder *b, Val arr, int n, NpIndex *ix, const Type *view_type);

/* Of records whose bytes are the last axis: the field at an offset, with axes of its own. */
Val np_field(IrBuilder *b, const Val *bytes, int64_t offset, int n_own, const int64_t *own,
             const Type *t);
Val np_attribute(IrBuilder *b, Val v, const char *name, const Type *result);
const char *np_label(const IrBuilder *b, int axis); /* of the statement, or NULL */
bool np_scheduled(const IrBuilder *b);              /* the schedule names one of its labels */
#endif
