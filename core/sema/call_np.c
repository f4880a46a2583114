/* SPDX-License-Identifier: BSD-3-Clause
 * Calls of library rows: the way in. Takes a call whose arguments are bound and inferred;
 * yields the result's type and, where the types alone tell it, its value. The row names the
 * function that does so. An argument that is in error already makes the result unknown, without
 * another message. */
#include "sema/calls.h"

static Typing *const typing_of[BI_COUNT] = {
#define GRID(id, ...) [BI_gpu_##id] = type_grid,
#include "def/grid.def"
#undef GRID
#define HEAP(id, ...) [BI_heap_##id] = type_heap_row,
#include "def/heap.def"
#define KERNEL(id, ...) [BI_kernel_##id] = type_kernel,
#include "def/kernel.def"
#define NP(id, name, params, typing, ...) [BI_np_##id] = type_np_##typing,
#define NP_UFUNC(id, ...) [BI_np_##id] = type_np_ufunc,
#define NP_LIB(id, ...) [BI_np_##id] = type_np_lib,
#define NP_CLASS(id, ...) [BI_np_##id] = type_np_class,
#include "def/np.def"
#define MATH(id, params, typing, ...) [BI_math_##id] = type_math_##typing,
#define CMATH(id, params, typing, ...) [BI_cmath_##id] = type_cmath_##typing,
#include "def/math.def"
#define PY(id, params, typing, ...) [BI_py_##id] = type_py_##typing,
#define OWN(id, params, typing, ...) [BI_py_##id] = type_py_##typing,
#include "def/py.def"
};

const Type *
type_np_class(CallCx *x)
{
    Diag *g = sema_error(x->s, DIAG_unsupported, x->at, "%s cannot be called in compiled code",
                         fn_text(x));
    diag_hint(x->s->diags, g, "np.empty or np.zeros make an array");
    return NULL;
}

/* Calls of these are calls of functions of the program. */
const Type *
type_np_lib(CallCx *x)
{
    sema_error(x->s, DIAG_internal, x->at, "%s is not a primitive", fn_text(x));
    return NULL;
}

static bool
any_bad(Sema *s, const Call *c)
{
    for (int k = 0; k < c->n_args; k++) {
        Sem v = sema_arg(s, c, k);
        if (v.type && sem_bad(v))
            return true;
    }
    return false;
}

/* What holds for all rows of a family. */
static bool
may_be_called(CallCx *x)
{
    if (x->fn->family == BF_NP)
        return check_params(x);
    return x->fn->family != BF_PY || py_may_be_called(x);
}

/* np.zeros_like(records) */
static bool
records_alone(const CallCx *x)
{
    const Type *first =
        x->fn->flags & RECORDS && x->c->n_args ? sema_arg(x->s, x->c, 0).type : NULL;
    return first && first->kind == TY_RECORD;
}

/* A number that is a bool on some paths, and an int on others, has two dtypes to NumPy,
 * unless it is beside what decides; where no bool is allowed, as in a shape, it is one on
 * some. */
enum { OPEN = 1, DECIDED = 2 };

static int
dtypes_of(const Type *t)
{
    int all = 0;
    if (t->kind == TY_SCALAR || t->kind == TY_ARRAY)
        return t->mixed && !t->ref ? OPEN : t->dtype == DT_bool ? 0 : DECIDED;
    for (int k = 0; (t->kind == TY_TUPLE || t->kind == TY_LIST) && k < t->n; k++)
        all |= dtypes_of(t->elems[k]);
    return all;
}

/* Each element of a display decides, not what holds them all: [True, n] is of ints. */
static int
dtypes_in(Sema *s, const Node *e, const Type *t)
{
    int all = 0;
    if (!e || e->kind != N_List || !e->n)
        return dtypes_of(t);
    for (int k = 0; k < e->n; k++) {
        const Type *elem = e->kid[k]->kind == N_Starred ? NULL : sema_known(s, e->kid[k]).type;
        all |= elem ? dtypes_in(s, e->kid[k], elem) : dtypes_of(t);
    }
    return all;
}

/* The result is no number, is one of Python's, or has the same dtype for a bool and for
 * an int. */
static bool
either_will_do(const CallCx *x, const Type *result)
{
    bool number = result->kind == TY_SCALAR || result->kind == TY_ARRAY;
    bool given = arg_of(x, "dtype").type || x->fn->id == BI_np_full_like ||
                 x->fn->id == BI_np_linspace || x->fn->id == BI_np_arange;
    return !number || given || result->dtype == DT_bool ||
           (result->kind == TY_SCALAR && result->weak);
}

static bool
has_one_dtype(CallCx *x, const Type *result)
{
    const RowParams *rp = &builtin_params[x->fn->id];
    int all = 0;
    bool open = false;
    for (int k = 0; x->fn->family != BF_PY && k < rp->n; k++) {
        Sem v = sema_arg(x->s, x->c, k);
        ArgKind kind = rp->at[k].kind;
        int found = v.type ? dtypes_in(x->s, sema_arg_node(x->c, k), v.type) : 0;
        open |= found & OPEN &&
                (kind == PK_AXIS || kind == PK_AXES || kind == PK_SHAPE || kind == PK_SIZE);
        if (kind != PK_ANY && kind != PK_ARRAY && kind != PK_VALUES)
            continue;
        all |= found;
        open |= x->fn->family != BF_UFUNC && found == OPEN && !either_will_do(x, result);
    }
    open |= x->fn->family == BF_UFUNC && all == OPEN && !either_will_do(x, result);
    if (open)
        mixed_report(x->s, x->at, fn_text(x), type_none(x->s->tt));
    return !open;
}

Sem
call_builtin(Sema *s, const Node *call, const Builtin *fn, const Node *self, Call *out)
{
    CallCx x = {.s = s, .at = call, .fn = fn, .c = out, .method = self != NULL};
    out->kind = CALL_BUILTIN;
    out->fn = fn;
    bool bad = any_bad(s, out);
    if (fn->family != BF_HEAP && bad)
        return sema_unknown(s);
    if (bad && out->n_args > 1)
        site_awaits(sema_arg(s, out, 0).type);
    Typing *typing = records_alone(&x) ? record_create : time_typing(&x, typing_of[fn->id]);
    const Type *t = time_may_call(&x) && may_be_called(&x) ? typing(&x) : NULL;
    return t && has_one_dtype(&x, t) ? (Sem){t, x.cst} : sema_unknown(s);
}
