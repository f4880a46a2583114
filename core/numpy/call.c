/* SPDX-License-Identifier: BSD-3-Clause
 * The dispatch of library calls to the file of their family, and how these read their
 * arguments: by the name in the row's parameter list, with None as good as omitted. */
#include "numpy/internal.h"

/* ---- arguments
 * --------------------------------------------------------------------------- */

/* The index of a named parameter, -1 without; *count is set when none matches. */
static int
param_index(const char *p, const char *name, int *count)
{
    int i = 0;
    size_t want = name ? strlen(name) : 0;
    while (*p) {
        p += strspn(p, " ,");
        size_t len = strcspn(p, ",=");
        bool star = *p == '*';
        if (!star && len) {
            if (name && len == want && !strncmp(p, name, len))
                return i;
            i++;
        }
        p += len;
        int depth = 0;
        while (*p && (depth || *p != ',')) {
            depth += (*p == '(') - (*p == ')');
            p++;
        }
    }
    if (count)
        *count = i;
    return -1;
}

int
np_n_params(const Builtin *fn)
{
    int n = 0;
    param_index(fn->params ? fn->params : "", NULL, &n);
    return n;
}

Val *
np_arg(const NpCall *c, const char *name)
{
    int k = param_index(c->fn->params ? c->fn->params : "", name, NULL);
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
                 arena_printf(&b->cx->arena,
                              "axis %lld is out of bounds for array of dimension %d",
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
    if (!out && c->fn->family == BF_UFUNC && c->n > c->fn->nin &&
        c->arg[c->fn->nin].type && c->arg[c->fn->nin].type->kind == TY_ARRAY)
        out = &c->arg[c->fn->nin];
    if (out && out->kind == VK_TUPLE && out->n == 1)
        out = &out->elem[0];
    return out && out->kind == VK_ARRAY ? out : NULL;
}

/* np_lazy for a call that may have an out=, whose shape messages name. */
Val
np_lazy_of(IrBuilder *b, const NpCall *c, int op, int n, Val *args, const DType *in, DType d, const Type *t)
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
    diag_add(&b->cx->diags, DIAG_unsupported, c->at, "%s.%s: %s", c->fn->module,
             c->fn->name, what);
    return np_error_val(b, c->result);
}

/* a.reshape(2, 3) as np.reshape(a, (2, 3)), a.transpose(1, 0) likewise. */
static NpCall *
gathered(IrBuilder *b, const NpCall *c, BuiltinId id)
{
    const Builtin *fn = &builtin_table[id];
    int first = np_n_params(c->fn), n = c->n - first;
    NpCall *out = arena_dup(&b->cx->arena, c, sizeof *c);
    Val *arg = NEW_N(&b->cx->arena, Val, 3), *rest = c->arg + first;
    const Type **t = NEW_N(&b->cx->arena, const Type *, n + 1);
    for (int i = 0; i < n; i++)
        t[i] = rest[i].type;
    arg[0] = c->arg[0];
    if (n == 1)
        arg[1] = rest[0];
    else if (n > 1 || id == BI_np_reshape)
        arg[1] = val_tuple(b, type_tuple(b->cx->types, n, t), n, rest);
    if (first > 1)
        arg[2] = c->arg[1];
    out->fn = fn;
    out->arg = arg;
    out->n = 3;
    return out;
}

/* ---- dispatch
 * ------------------------------------------------------------------------------ */

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
    Val to =
        np_new_array(b, (DType)v.arr->dtype, v.arr->ndim, dims, (Layout)t->layout, false);
    np_store_into(b, v, &to);
    return to;
}

static Val
expand(IrBuilder *b, NpCall *c)
{
    switch (c->fn->family) {
    case BF_UFUNC:
        return np_emit_ufunc(b, c);
    case BF_MATH:
        return np_emit_math(b, c);
    case BF_CMATH:
        return np_emit_cmath(b, c);
    case BF_PY:
    case BF_GRID:
    case BF_LIB:
        return np_unsupported(b, c, "not a library function here");
    case BF_NP:
        break;
    }
    switch ((BuiltinId)c->fn->id) {
    case BI_np_method_reshape:
        return np_emit_shape(b, gathered(b, c, BI_np_reshape));
    case BI_np_method_conj:
    case BI_np_method_conjugate:
        if (!dtype_is_complex(val_dtype(&c->arg[0])))
            return c->result->kind == TY_SCALAR
                       ? np_cast(b, c->arg[0], c->result->dtype, c->result)
                       : c->arg[0];
        c->fn = &builtin_table[BI_np_conjugate];
        return np_emit_ufunc(b, c);
    case BI_np_method_transpose:
        return np_emit_shape(b, gathered(b, c, BI_np_transpose));
    default:
        break;
    }
    switch (builtin_group(c->fn)) {
    case NG_REDUCE:
        return np_emit_reduce(b, c);
    case NG_SCAN:
        return np_emit_scan(b, c);
    case NG_LINALG:
        return np_emit_linalg(b, c);
    case NG_CREATE:
        return np_emit_create(b, c);
    case NG_SELECT:
        return np_emit_select(b, c);
    case NG_SHAPE:
    case NG_CLASS:
        return np_emit_shape(b, c);
    }
    return np_emit_shape(b, c);
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
    static const char *const names[] = {"out", "out1", "out2"};
    for (int k = 0; k < SW_LEN(names); k++)
        if (np_arg(c, names[k]))
            in_memory(b, np_arg(c, names[k]));
    if (c->fn->family == BF_UFUNC && c->n > c->fn->nin)
        in_memory(b, &c->arg[c->fn->nin]);
}

Val
np_call(IrBuilder *b, NpCall *c)
{
    outs_in_memory(b, c);
    Val v = expand(b, c);
    if (v.kind == VK_SCALAR && c->result && c->result->kind == TY_ARRAY &&
        c->result->ndim == 0)
        return np_fill_new(b, (DType)c->result->dtype, 0, NULL, LAY_C,
                           &v); /* astype of a 0-d array */
    return np_arg(c, "out") ? v : typed_layout(b, v, c->result);
}
