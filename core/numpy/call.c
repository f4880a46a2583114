/* SPDX-License-Identifier: BSD-3-Clause
 * The dispatch of library calls to the file of their family, and how these read their
 * arguments: by the name in the row's parameter list, with None as good as omitted. */
#include "numpy/internal.h"

/* ---- arguments ------------------------------------------------------------------------------- */

int
np_n_params(const Builtin *fn)
{
    return builtin_params[fn->id].n;
}

Val *
np_arg(const NpCall *c, const char *name)
{
    int k = row_param(c->fn, name);
    if (k < 0 || k >= c->n || !c->arg[k].type || c->arg[k].type->kind == TY_NONE)
        return NULL;
    return &c->arg[k];
}

bool
np_val_const_int(const Val *v, int64_t *out)
{
    if (v->cst && (v->cst->kind == CV_INT || v->cst->kind == CV_NPSCALAR)) {
        *out = v->cst->i;
        return true;
    }
    if (v->cst && v->cst->kind == CV_BOOL) {
        *out = v->cst->b;
        return true;
    }
    return v->kind == VK_SCALAR && ir_is_const(v->e, out);
}

bool
np_arg_bool(const NpCall *c, const char *name, bool dflt)
{
    int64_t k;
    Val *v = np_arg(c, name);
    return v && np_val_const_int(v, &k) ? k != 0 : dflt;
}

bool
np_arg_str(const NpCall *c, const char *name, const char **out)
{
    Val *v = np_arg(c, name);
    if (!v || !v->cst || v->cst->kind != CV_STR)
        return false;
    *out = v->cst->str;
    return true;
}

static int
one_axis(IrBuilder *b, const Val *v, int ndim)
{
    int64_t k;
    if (!np_val_const_int(v, &k)) {
        diag_add(&b->cx->diags, DIAG_unsupported, b->span, "the axis must be a constant");
        return 0;
    }
    if (k < -ndim || k >= ndim) {
        np_raise(b, "numpy.exceptions.AxisError",
                 arena_printf(&b->cx->arena, "axis %lld is out of bounds for array of dimension %d",
                              (long long)k, ndim));
        return 0;
    }
    return (int)(k < 0 ? k + ndim : k);
}

uint32_t
np_arg_axes(IrBuilder *b, const NpCall *c, const char *name, int ndim, bool *is_given)
{
    Val *v = np_arg(c, name);
    *is_given = v != NULL;
    if (!v || !ndim)
        return ndim ? ~0u >> (32 - ndim) : 0;
    if (v->kind != VK_TUPLE)
        return ndim ? 1u << one_axis(b, v, ndim) : 0;
    Val known;
    if (v->cst && v->cst->kind == CV_TUPLE) {
        known = val_const(b, v->cst);
        v = &known;
    }
    uint32_t mask = 0;
    for (int i = 0; i < v->n; i++)
        mask |= 1u << one_axis(b, &v->elem[i], ndim);
    return mask;
}

int
np_arg_axis(IrBuilder *b, const NpCall *c, const char *name, int ndim, int dflt)
{
    Val *v = np_arg(c, name);
    return v ? one_axis(b, v, ndim) : dflt;
}

Val
np_as_array(IrBuilder *b, Val v)
{
    if (v.kind == VK_TUPLE)
        return np_from_tuple(b, &v, NULL);
    return v;
}

/* The array that out= names, or NULL. */
Val *
np_out(const NpCall *c)
{
    Val *out = np_arg(c, "out");
    if (!out && c->fn->family == BF_UFUNC && c->n > c->fn->nin && c->arg[c->fn->nin].type &&
        c->arg[c->fn->nin].type->kind == TY_ARRAY)
        out = &c->arg[c->fn->nin];
    if (out && out->kind == VK_TUPLE && out->n == 1)
        out = &out->elem[0];
    return out && out->kind == VK_ARRAY ? out : NULL;
}

/* np_lazy for a call that may have an out=, whose shape messages name. */
Val
np_lazy_of(IrBuilder *b, const NpCall *c, int op, int n, Val *args, const DType *in, DType d,
           const Type *t)
{
    Val *out = np_out(c);
    IrVar *into = b->into[0]; /* of an augmented assignment */
    if (out)
        b->into[0] = out->arr;
    Val v = np_lazy(b, op, n, args, in, d, t);
    b->into[0] = into;
    return v;
}

void
np_check_out(IrBuilder *b, const NpCall *c, const Val *v, bool shape, const char *message)
{
    Val *out = np_out(c);
    if (!out)
        return;
    IrExpr *ok = ir_int(b->cx, DT_bool, !shape || val_ndim(out) == val_ndim(v));
    if (!shape)
        ok = np_op2(b, OP_eq, np_size(b, out), np_size(b, v));
    else if (val_ndim(out) == val_ndim(v))
        for (int i = 0; i < val_ndim(v); i++)
            ok = np_iand(b, ok, np_op2(b, OP_eq, val_dim(b, out, i), val_dim(b, v, i)));
    np_check(b, ok, "ValueError", message);
}

Val
np_finish(IrBuilder *b, const NpCall *c, Val v)
{
    Val *out = np_out(c);
    if (!out)
        return v;
    np_assign_out(b, out, v);
    return *out;
}

Val
np_unsupported(IrBuilder *b, const NpCall *c, const char *what)
{
    diag_add(&b->cx->diags, DIAG_unsupported, c->at, "%s.%s: %s", c->fn->module, c->fn->name, what);
    return np_error_val(b, c->result);
}

/* ---- dispatch -------------------------------------------------------------------------------- */

/* An array of the layout that the result was typed with: families mostly make it so. */
static Val
typed_layout(IrBuilder *b, Val v, const Type *t)
{
    if (v.kind != VK_ARRAY || !t || t->kind != TY_ARRAY || t->layout == LAY_A ||
        v.arr->layout == t->layout || v.arr->ndim < 1)
        return v;
    IrExpr *dims[SW_MAX_NDIM];
    for (int i = 0; i < v.arr->ndim; i++)
        dims[i] = ir_dim(b->cx, v.arr, i);
    Val to = np_new_array(b, (DType)v.arr->dtype, v.arr->ndim, dims, (Layout)t->layout, false);
    np_store_into(b, v, &to);
    return to;
}

typedef Val Expander(IrBuilder *b, NpCall *c);

static Expander *const expander_of[BI_COUNT] = {
#define NP(id, name, params, typing, expander, ...) [BI_np_##id] = emit_np_##expander,
#define NP_UFUNC(id, ...) [BI_np_##id] = emit_np_ufunc,
#include "def/np.def"
#define MATH(id, params, typing, expander, ...) [BI_math_##id] = emit_math_##expander,
#define CMATH(id, params, typing, expander, ...) [BI_cmath_##id] = emit_cmath_##expander,
#include "def/math.def"
};

/* What has its meaning while types are found, and no code. */
Val
emit_np_none(IrBuilder *b, NpCall *c)
{
    return np_unsupported(b, c, "not a library function here");
}

static void
in_memory(IrBuilder *b, Val *v)
{
    if (v->kind == VK_LAZY)
        *v = np_materialize(b, *v, LAY_C);
    for (int i = 0; v->kind == VK_TUPLE && i < v->n; i++)
        in_memory(b, &v->elem[i]);
}

/* An expression given as out= is a new array, which the call writes to. */
static void
outs_in_memory(IrBuilder *b, NpCall *c)
{
    const RowParams *p = &builtin_params[c->fn->id];
    for (int k = 0; k < p->n && k < c->n; k++)
        if (p->at[k].kind == PK_OUT && c->arg[k].type)
            in_memory(b, &c->arg[k]);
}

Val
np_expand(IrBuilder *b, NpCall *c)
{
    Expander *expander = expander_of[c->fn->id];
    return expander ? expander(b, c) : emit_np_none(b, c);
}

Val
np_call(IrBuilder *b, NpCall *c)
{
    outs_in_memory(b, c);
    Val v = c->time.op ? np_time_call(b, c) : np_expand(b, c);
    if (v.kind == VK_SCALAR && c->result && c->result->kind == TY_ARRAY && c->result->ndim == 0)
        return np_fill_new(b, (DType)c->result->storage, 0, NULL, LAY_C,
                           &v); /* astype of a 0-d array */
    return np_arg(c, "out") ? v : typed_layout(b, v, c->result);
}
