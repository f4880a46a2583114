/* SPDX-License-Identifier: BSD-3-Clause
 * Shared by the files that type library calls: arguments by name, what an argument is as an
 * array, and the messages when it is none. A typing function returns the result's type, NULL
 * after a diagnostic. */
#ifndef SWATHE_SEMA_CALLS_H
#define SWATHE_SEMA_CALLS_H
#include "sema/internal.h"
#include "type/ops.h"

typedef struct CallCx { /* one call being typed */
    Sema *s;
    const Node *at; /* the Call node */
    const Builtin *fn;
    Call *c;          /* bound arguments; in[] and out[] are filled in */
    bool method;      /* called as a method of an array or scalar */
    const Const *cst; /* set when the result is known at compile time */
} CallCx;

/* What an argument is to NumPy: an array, or a scalar as a 0-d array. */
typedef struct ArrayLike {
    DType d;
    int ndim;
    Layout layout, order; /* order: see type_order */
    bool weak, scalar;
    Readonly readonly;
    const Type *type;
} ArrayLike;

/* ---- calls.c ---- */
const char *fn_text(const CallCx *x);          /* "np.sum", "math.sin", "len" */
Sem arg_of(const CallCx *x, const char *name); /* type NULL: omitted or None */
/* an error: None is given, and no value of it */
bool refuses_none(CallCx *x, const char *name, const char *text);
/* for spans: the argument, else the call */
const Node *arg_place(const CallCx *x, const char *name);
int args_after(const CallCx *x);                             /* index of the first of `*args` */
bool as_array(const Type *t, ArrayLike *out);                /* scalars and arrays; false else */
bool arg_array(CallCx *x, const char *name, ArrayLike *out); /* diag when it is none */
bool arg_array_at(CallCx *x, int k, const char *name, ArrayLike *out);
const Type *nested_array(CallCx *x, const Node *n, const Type *t, DType *d, int *ndim);
bool arg_dtype(CallCx *x, DType *out, bool *given); /* dtype=: leaves *out when omitted */
bool sem_dtype(CallCx *x, const Node *at, Sem v, DType *out);
bool arg_flag(CallCx *x, const char *name, bool dflt, bool *out); /* a constant bool */
bool arg_int_const(CallCx *x, const char *name, int64_t dflt, int64_t *out);
bool arg_axis(CallCx *x, const char *name, int ndim, int dflt, int *out); /* one axis, normalised */
bool arg_axes(CallCx *x, const char *name, int ndim, uint32_t *mask, bool *given);
bool axes_of(CallCx *x, const char *name, Sem v, int ndim, int *axes, int *n); /* int or tuple */
bool arg_order(CallCx *x, char dflt, char *out);                               /* 'C' 'F' 'A' 'K' */
bool arg_shape(CallCx *x, const char *name, int *ndim); /* an int or a tuple of ints */
bool shape_rank(CallCx *x, const Node *at, const char *name, Sem v, int *ndim);
/* params.c: each argument is of its parameter's kind */
bool check_params(CallCx *x);
void count_in_ints(Sema *s, const Builtin *row, const Type **types, const Const **csts);
bool arg_unsupported(CallCx *x, const char *name); /* diag and false when it is given */
bool is_real_type(const Type *t);
const Type *new_array(const CallCx *x, DType d, int ndim, Layout l); /* ndim 0: a 0-d array */
/* ndim 0: strong scalar */
const Type *scalar_or_array(const CallCx *x, DType d, int ndim, Layout l);
/* instead of what it takes */
const Type *complain(CallCx *x, const Type *t, const char *expected);
const Type *wrong_type(CallCx *x, const char *name, const char *expected, const Type *given);
Layout layout_kept(const ArrayLike *a, char order);
bool const_fits(const Const *c, DType d);                          /* an int, into such integers */
bool fits_const(Sema *s, const Node *at, const Const *c, DType d); /* OverflowError diag */

/* call_py.c: 1, 0, or -1 after a diagnostic */
int py_is_instance(CallCx *x, const Type *t, const Type *cls, const Const *c);
const Type *either_isinstance(CallCx *x, Sem v, Sem cls); /* either.c */
Sem either_raises(Sema *s, const Node *e, const char *by, const char *text);
/* either_ask.c; false: it is not asked of such a value */
Sem either_apply(Sema *s, const Node *e, const char *by, const FuncDef *of, int n,
                 const Node *const *arg);
bool either_attribute(Sema *s, const Node *e, Sem v, Sem *out);
bool either_method_call(Sema *s, const Node *e, Sem self, Sem *out);
bool either_no_attribute(Sema *s, const Node *e, Sem v, const char *name, Sem *out);

/* ---- time.c: dates and time spans ---- */
typedef const Type *Typing(CallCx *x);
bool time_may_call(CallCx *x); /* false after a message: it does not take them */
Typing *time_typing(CallCx *x, Typing *usual);
/* arg[k]: which argument a[k] is */
bool time_operands(CallCx *x, int n, const ArrayLike *a, const int *arg, DType *out);
/* Whether a ufunc has a loop; result DT_COUNT after a message. */
bool time_loop(Sema *s, const Node *at, const Builtin *fn, int n, const ArrayLike *a, Call *out,
               DType *result);
bool time_fits(DType from, DType to); /* a store */

/* ---- ufunc.c ---- */
const Type *operator_type(Sema *s, const Node *at, const Builtin *fn, int n,
                          const Type *const *args, const Const *const *csts, Call *out);
const Type *matmul_type(Sema *s, const Node *at, const char *what, bool dot, const Type *a,
                        const Type *b, Call *out);
Layout broadcast_layout(int n, const ArrayLike *a, int ndim);

const Const *choice_misfit(CallCx *x); /* choice.c */

/* ---- families ---- */
/* The typing function of each row, by its name in the table; any other that is not static is an
 * error. */
#define NP(id, name, params, typing, ...) const Type *type_np_##typing(CallCx *x);
#define NP_UFUNC(...) const Type *type_np_ufunc(CallCx *x);
#define NP_LIB(...) const Type *type_np_lib(CallCx *x);
#define NP_CLASS(...) const Type *type_np_class(CallCx *x);
#include "def/np.def"
#define MATH(id, params, typing, ...) const Type *type_math_##typing(CallCx *x);
#define CMATH(id, params, typing, ...) const Type *type_cmath_##typing(CallCx *x);
#include "def/math.def"
#define PY(id, params, typing, ...) const Type *type_py_##typing(CallCx *x);
#define OWN(id, params, typing, ...) const Type *type_py_##typing(CallCx *x);
#include "def/py.def"
bool py_may_be_called(CallCx *x); /* call_py.c */
const Type *type_grid(CallCx *x); /* call_grid.c */
/* record.c: of a call whose first argument is an array of records */
const Type *record_create(CallCx *x);
const Type *type_heap_row(CallCx *x); /* heap.c */
const Type *type_kernel(CallCx *x);   /* call_kernel.c */
/* operator.c, compare.c */
static inline bool
is_numeric(const Type *t)
{
    return t->kind == TY_SCALAR || t->kind == TY_ARRAY;
}
static inline bool
is_weak(const Type *t)
{
    return t->kind == TY_SCALAR && t->weak;
}
/* Python's complex numbers are no real ones, alone or in a display: says so */
bool no_complex(Sema *s, const Node *at, const Type *t, DType d, bool is_weak);
const Type *cast_type(Sema *s, const Node *at, Sem v, DType d, bool weak, const Const **cst);
const Type *sema_not_gone_through(CallCx *x, const Type *t);          /* NULL */
const Type *sema_no_extreme(CallCx *x, const Type *a, const Type *b); /* min, max: NULL */

#endif
