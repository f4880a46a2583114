/* SPDX-License-Identifier: BSD-3-Clause
 * Operators and ufuncs. Takes operand types; yields the result's type and the dtypes that
 * the operands are cast to. Two worlds meet here: an operator on Python scalars alone
 * follows Python (int / int is a float, ~True is -2) and yields a Python scalar, whereas
 * with any NumPy operand, or when called as np.add, it is the ufunc, whose loop
 * type/ufunc.c chooses. */
#include "sema/calls.h"

static bool
is_operator(const Node *at)
{
    return at->kind != N_Call;
}

static const char *
compare_text(int op)
{
    switch (op) {
    case OP_eq:
        return "==";
    case OP_ne:
        return "!=";
    case OP_lt:
        return "<";
    case OP_le:
        return "<=";
    case OP_gt:
        return ">";
    default:
        return ">=";
    }
}

/* "+" for np.add as an operator, "np.add" as a call. */
static const char *
ufunc_text(Sema *s, const Node *at, const Builtin *fn)
{
    switch (at->kind) {
    case N_BinOp:
    case N_AugAssign:
        return binop_text[at->op];
    case N_UnaryOp:
        return unary_text[at->op];
    default:
        break;
    }

    if (at->kind == N_Compare)
        return compare_text(fn->op);
    const char *called = at->kind == N_Call ? ast_text(s->a, at->kid[0]) : "";
    if (*called)
        return called;
    return arena_printf(s->a, "%s%s", fn->prefix, fn->name);
}

static const Type *
bad_operands(Sema *s, const Node *at, const Builtin *fn, int n, const Type *const *args)
{
    const char *op = ufunc_text(s, at, fn);
    Diag *g =
        n == 1 ? sema_type_error(s, at, "%s does not take an operand of type %s", op, args[0]->text)
               : sema_type_error(s, at, "%s does not take operands of types %s and %s", op,
                                 args[0]->text, args[1]->text);
    if (n == 1)
        advise_number(s, g, NULL, args[0]);
    ArrayLike a;
    bool bools = as_array(args[0], &a) && a.d == DT_bool;
    if (fn->rule == UR_SUB && bools)
        diag_hint(s->diags, g, "NumPy has no - for booleans: use ^ (different) or ~ (not)");
    return NULL;
}

/* ---- Python's operators on Python's scalars ---- */

/* The dtype an operator on Python scalars works in; false when Python has none. */
static bool
python_dtype(const Builtin *fn, DType d, DType *in, DType *out)
{
    DType number = d == DT_bool ? DT_i64 : d;
    bool cplx = dtype_is_complex(d), exact = number == DT_i64;
    *in = *out = number;
    switch ((UfuncRule)fn->rule) {
    case UR_DIVIDE:
        *in = *out = exact ? DT_f64 : number;
        return true;
    case UR_FLOORDIV:
        return !cplx;
    case UR_BIT:
        *in = *out = fn->op == OP_inv ? number : d;
        return exact;
    case UR_SHIFT:
        return exact;
    case UR_ABS:
        *out = dtype_real(number);
        return true;
    case UR_COMPARE:
    case UR_EQUAL:
        *in = d;
        *out = DT_bool;
        return !cplx || fn->rule == UR_EQUAL;
    default:
        return true;
    }
}

static bool
is_negative_const(const Const *c)
{
    int64_t v;
    return c && c->kind != CV_NPSCALAR && const_as_int(c, &v) && v < 0;
}

static const Type *
python_operator(Sema *s, const Node *at, const Builtin *fn, int n, const Type *const *args,
                const Const *const *csts, Call *out)
{
    DType d = (DType)args[0]->dtype, in, res;
    for (int k = 1; k < n; k++)
        d = dtype_promote(d, (DType)args[k]->dtype);
    if (!python_dtype(fn, d, &in, &res))
        return bad_operands(s, at, fn, n, args);
    if (fn->rule == UR_POWER && in == DT_i64 && csts && is_negative_const(csts[1]))
        in = res = DT_f64;
    out->n_in = n;
    out->n_out = fn->nout;
    for (int k = 0; k < n; k++)
        out->in[k] = in;
    out->out[0] = out->out[1] = res;
    const Type *r[2] = {type_scalar(s->tt, res, true), NULL};
    r[1] = r[0];
    return fn->nout == 2 ? type_tuple(s->tt, 2, r) : r[0];
}

/* ---- the ufunc ---- */

/* K order as far as types tell: Fortran when every array of full rank is, else C. */
Layout
broadcast_layout(int n, const ArrayLike *a, int ndim)
{
    bool any = false;
    for (int k = 0; k < n; k++) {
        if (a[k].ndim < ndim)
            continue;
        if (a[k].order != LAY_F)
            return LAY_C;
        any = true;
    }
    return any && ndim > 1 ? LAY_F : LAY_C;
}

/* A comparison with a Python int is exact whatever its value: np.uint8(3) < 300 is true.
 * So the operands are compared in int64, unless the int is known to fit. */
static void
widen_comparison(const Builtin *fn, int n, const ArrayLike *a, const Const *const *csts, DType *in)
{
    for (int k = 0; k < n; k++) {
        int64_t v;
        if (!a[k].weak || a[k].d != DT_i64 || !dtype_is_int(in[0]) || in[0] == DT_i64)
            continue;
        int bits = dtype_info[in[0]].bits;
        bool known = csts && csts[k] && const_as_int(csts[k], &v) && csts[k]->dtype != DT_u64;
        int64_t top = bits == 64 ? INT64_MAX : ((int64_t)1 << (bits - (in[0] < DT_u8))) - 1;
        if (known && v <= top && v >= (in[0] < DT_u8 ? -top - 1 : 0))
            continue;
        bool order = fn->rule != UR_EQUAL;
        DType d = in[0] != DT_u64 ? DT_i64 : order || (known && v < 0) ? DT_f64 : DT_u64;
        in[0] = in[1] = d;
        return;
    }
}

static const Type *
ufunc_result(Sema *s, DType d, int ndim, Layout l)
{
    return ndim ? type_array(s->tt, d, ndim, l, false) : type_scalar(s->tt, d, false);
}

static bool
any_param(int n, const ArrayLike *a)
{
    bool any = false;
    for (int k = 0; k < n; k++)
        any |= dtype_is_param(a[k].d);
    return any;
}

static const Type *
time_result(Sema *s, const Node *at, const Builtin *fn, int n, const ArrayLike *a,
            const Type *const *args, int ndim, Call *out)
{
    DType d[2] = {DT_COUNT, DT_COUNT};
    if (!time_loop(s, at, fn, n, a, out, d))
        return bad_operands(s, at, fn, n, args);
    if (d[0] == DT_COUNT)
        return NULL;
    out->n_in = n;
    out->n_out = fn->nout;
    Layout l = broadcast_layout(n, a, ndim);
    const Type *r[2] = {ufunc_result(s, d[0], ndim, l), ufunc_result(s, d[1], ndim, l)};
    return fn->nout == 2 ? type_tuple(s->tt, 2, r) : r[0];
}

static const Type *
numpy_loop(Sema *s, const Node *at, const Builtin *fn, int n, const ArrayLike *a,
           const Type *const *args, const Const *const *csts, Call *out)
{
    DType d[4];
    bool weak[4];
    int ndim = 0;
    for (int k = 0; k < n; k++) {
        d[k] = a[k].d;
        weak[k] = a[k].weak;
        ndim = a[k].ndim > ndim ? a[k].ndim : ndim;
    }
    if (any_param(n, a))
        return time_result(s, at, fn, n, a, args, ndim, out);
    if (!ufunc_loop(fn, n, d, weak, out->in, out->out))
        return bad_operands(s, at, fn, n, args);
    if (rule_compares(fn->rule))
        widen_comparison(fn, n, a, csts, out->in);
    bool all_weak = true, ok = true;
    for (int k = 0; k < n; k++)
        all_weak &= a[k].weak;
    for (int k = 0; k < n && csts && !all_weak && !rule_compares(fn->rule); k++)
        if (a[k].weak && fn->rule != UR_LOGICAL)
            ok &= fits_const(s, at, csts[k], out->in[k]);
    if (!ok)
        return NULL;
    out->n_in = n;
    out->n_out = fn->nout;
    Layout l = broadcast_layout(n, a, ndim);
    const Type *r[2] = {ufunc_result(s, out->out[0], ndim, l),
                        ufunc_result(s, out->out[1], ndim, l)};
    return fn->nout == 2 ? type_tuple(s->tt, 2, r) : r[0];
}

/* complex - np.float64 is done by complex, as np.float64 is a float; everywhere else the
 * NumPy operand decides. */
static bool
python_wins(const Builtin *fn, const Type *const *args)
{
    return fn->rule != UR_COMPARE && args[0]->kind == TY_SCALAR && args[0]->weak &&
           args[0]->dtype == DT_c128 && args[1]->kind == TY_SCALAR && args[1]->dtype == DT_f64;
}

static const Type *
apply(Sema *s, const Node *at, const Builtin *fn, int n, const Type *const *args,
      const Const *const *csts, Call *out, bool op)
{
    ArrayLike a[4];
    bool weak = true;
    out->kind = CALL_BUILTIN;
    out->fn = fn;
    out->time = (TimeCall){0};
    for (int k = 0; k < n; k++)
        if (args[k]->kind == TY_UNKNOWN)
            return type_unknown(s->tt);
    for (int k = 0; k < n; k++) {
        if (!as_array(args[k], &a[k]))
            return bad_operands(s, at, fn, n, args);
        weak &= a[k].weak;
    }
    if (op && n == 2 && !any_param(n, a) && python_wins(fn, args))
        weak = true;
    if (op && weak)
        return python_operator(s, at, fn, n, args, csts, out);
    return numpy_loop(s, at, fn, n, a, args, csts, out);
}

const Type *
ufunc_type(Sema *s, const Node *at, const Builtin *fn, int n, const Type *const *args,
           const Const *const *csts, Call *out)
{
    if (fn->family != BF_UFUNC) { /* @ */
        out->kind = CALL_BUILTIN;
        out->fn = fn;
        return matmul_type(s, at, "@", false, args[0], args[1], out);
    }
    return apply(s, at, fn, n, args, csts, out, is_operator(at));
}

/* Of `a ** 2` NumPy makes np.square(a), which has no loop of bools and takes the one of int8;
 * np.power takes 2 for an int64. */
const Type *
exponent_type(Sema *s, const Type *a, const Type *b, const Const *c)
{
    int64_t k;
    if (dtype_is_param((DType)a->dtype))
        return b;
    bool squared = a->kind == TY_ARRAY && a->dtype == DT_bool && b->kind == TY_SCALAR && b->weak &&
                   b->dtype == DT_i64 && const_as_int(c, &k) && k == 2;
    return squared ? type_scalar(s->tt, DT_i8, false) : b;
}

/* With Python's semantics on Python scalars though written as a call: pow(2, 3), divmod.
 */
const Type *
operator_type(Sema *s, const Node *at, const Builtin *fn, int n, const Type *const *args,
              const Const *const *csts, Call *out)
{
    const Builtin *said = out->fn;
    const Type *t = apply(s, at, fn, n, args, csts, out, true);
    out->fn = said ? said : fn;
    return t;
}

/* ---- where two paths meet ---- */

/* Does a constant Python int lie outside of the other side's integer dtype? */
static bool
outside(const Type *t, const Const *c, const Type *other)
{
    int64_t v;
    if (t->kind != TY_SCALAR || !t->weak || t->dtype != DT_i64 || other->kind != TY_SCALAR ||
        other->weak || !dtype_is_int((DType)other->dtype) || !c || !const_as_int(c, &v))
        return false;
    int bits = dtype_info[other->dtype].bits;
    bool uns = dtype_kind((DType)other->dtype) == DK_UINT;
    if (uns)
        return v < 0 ? c->dtype != DT_u64 : bits < 64 && v >> bits;
    return bits < 64 && (v >> (bits - 1)) != 0 && (v >> (bits - 1)) != -1;
}

const Type *
type_join_values(Sema *s, const Type *a, const Const *ac, const Type *b, const Const *bc)
{
    const Type *wide = type_scalar(s->tt, DT_i64, false);
    if (outside(a, ac, b))
        a = wide;
    else if (outside(b, bc, a))
        b = wide;
    return type_join(s->tt, a, b);
}

/* ---- np.add(x, y, out, dtype=) ---- */

/* Can `result` go into an `out` of type t? Then that is the type of the call. */
static const Type *
one_out(CallCx *x, const char *name, const Type *t, const Type *result)
{
    ArrayLike o, r;
    const Node *at = arg_place(x, name);
    if (t->kind != TY_ARRAY || !as_array(t, &o) || !as_array(result, &r))
        return wrong_type(x, name, "an array", t);
    if (o.readonly) {
        sema_error(x->s, DIAG_value, at, "output array is read-only");
        return NULL;
    }
    if (o.ndim < r.ndim) {
        sema_error(x->s, DIAG_value, at,
                   "%s: argument '%s' has %d dimensions, but the result has %d", fn_text(x), name,
                   o.ndim, r.ndim);
        return NULL;
    }
    if (dtype_can_cast_same_kind(r.d, o.d))
        return t;
    Diag *g = sema_type_error(x->s, at, "%s: cannot cast the result from %s to %s of argument '%s'",
                              fn_text(x), dtype_info[r.d].name, dtype_info[o.d].name, name);
    diag_hint(x->s->diags, g, "give an output of a %s dtype", dtype_info[r.d].name);
    return NULL;
}

/* The two outputs of divmod, modf, frexp: positional, or a tuple in out=. */
static const Type *
two_outs(CallCx *x, const Type *result)
{
    static const char *const names[] = {"out1", "out2"};
    const Type *t[2];
    Sem both = arg_of(x, "out");
    if (both.type && (both.type->kind != TY_TUPLE || both.type->n != 2))
        return wrong_type(x, "out", "a tuple of two arrays", both.type);
    bool given[2];
    for (int k = 0; k < 2; k++) {
        Sem one = arg_of(x, names[k]);
        const Type *o = both.type ? both.type->elems[k] : one.type;
        t[k] = result->elems[k];
        given[k] = o && o->kind != TY_NONE;
        if (given[k] && !(t[k] = one_out(x, both.type ? "out" : names[k], o, t[k])))
            return NULL;
    }
    for (int k = 0; k < 2; k++) /* has the shape of the output that is given */
        if (!given[k] && given[1 - k])
            t[k] = type_array(x->s->tt, (DType)t[k]->dtype, t[1 - k]->ndim, LAY_C, false);
    return type_tuple(x->s->tt, 2, t);
}

static const Type *
ufunc_out(CallCx *x, const Type *result)
{
    if (x->fn->nout == 2)
        return two_outs(x, result);
    Sem out = arg_of(x, "out");
    if (!out.type)
        return result;
    bool wrapped = out.type->kind == TY_TUPLE && out.type->n == 1;
    return one_out(x, "out", wrapped ? out.type->elems[0] : out.type, result);
}

/* Python's numbers fit any dtype of their kind, and any of a higher one. */
static bool
may_become(const ArrayLike *a, DType want)
{
    DKind from = dtype_kind(a->d), to = dtype_kind(want);
    return a->weak ? from <= (to == DK_UINT ? DK_INT : to) : dtype_can_cast_same_kind(a->d, want);
}

/* dtype= asks for the loop that yields it, whatever the operands' dtypes. */
static const Type *
ufunc_with_dtype(CallCx *x, DType want, const Type *const *args)
{
    ArrayLike a[2];
    DType d[2] = {want, want};
    int n = x->fn->nin, ndim = 0;
    for (int k = 0; k < n; k++) {
        if (!as_array(args[k], &a[k]))
            return bad_operands(x->s, x->at, x->fn, n, args);
        ndim = a[k].ndim > ndim ? a[k].ndim : ndim;
    }
    if (dtype_is_param(want) || any_param(n, a)) {
        sema_error(x->s, DIAG_unsupported, arg_place(x, "dtype"),
                   "%s with dtype= of dates or time spans is not supported in compiled code",
                   fn_text(x));
        return NULL;
    }
    if (x->fn->rule == UR_LDEXP)
        d[1] = a[1].d;
    if (x->fn->rule == UR_ABS && dtype_is_complex(a[0].d) && (want == DT_f32 || want == DT_f64)) {
        DType loop = want == DT_f32 ? DT_c64 : DT_c128; /* which yields its real dtype */
        d[0] = dtype_can_cast_safely(a[0].d, loop) ? loop : want;
    }
    if (!ufunc_loop(x->fn, n, d, NULL, x->c->in, x->c->out) || x->c->out[0] != want) {
        sema_type_error(x->s, arg_place(x, "dtype"), "%s has no loop that yields %s", fn_text(x),
                        dtype_info[want].name);
        return NULL;
    }
    for (int k = 0; k < n; k++)
        if (!may_become(&a[k], x->c->in[k])) {
            sema_type_error(x->s, x->at, "%s: cannot cast operand %d from %s to %s", fn_text(x),
                            k + 1, dtype_info[a[k].d].name, dtype_info[x->c->in[k]].name);
            return NULL;
        }
    x->c->n_in = n;
    x->c->n_out = 1;
    return ufunc_result(x->s, want, ndim, broadcast_layout(n, a, ndim));
}

const Type *
type_np_ufunc(CallCx *x)
{
    const Type *args[2];
    const Const *csts[2];
    int n = x->fn->nin;
    bool weak = true, given;
    for (int k = 0; k < n; k++) {
        Sem v = sema_arg(x->s, x->c, k);
        ArrayLike a = {0};
        if (!as_array(v.type, &a) && (v.type->kind == TY_TUPLE || v.type->kind == TY_LIST)) {
            if (!arg_array_at(x, k, builtin_params[x->fn->id].at[k].name, &a))
                return NULL;
            v = sem_of(a.type);
        }
        /* NumPy takes a member of an IntEnum for an int of its own */
        bool member = type_is_int_member(v.type);
        args[k] = member ? type_scalar(x->s->tt, DT_i64, false) : v.type;
        csts[k] = v.cst;
        weak &= a.weak;
    }
    if (!arg_unsupported(x, "casting"))
        return NULL;
    bool python = x->method && weak; /* (1j).conjugate() */
    DType want = DT_f64;
    if (!arg_dtype(x, &want, &given))
        return NULL;
    const Type *t = given && x->fn->nout == 1
                        ? ufunc_with_dtype(x, want, args)
                        : apply(x->s, x->at, x->fn, n, args, csts, x->c, python);
    if (!t || t->kind == TY_UNKNOWN)
        return t;
    return t ? ufunc_out(x, t) : NULL;
}

/* ---- @, np.dot, np.matmul ---- */

static bool
linalg_rank(Sema *s, const Node *at, const char *what, bool dot, int p, int q, int *ndim)
{
    if (!dot && (p == 0 || q == 0)) {
        Diag *g = sema_error(s, DIAG_value, at, "%s does not take a scalar operand", what);
        diag_hint(s->diags, g, "multiply by a number with *");
        return false;
    }
    if (p == 0 || q == 0)
        *ndim = p + q;
    else if (!dot && p > 1 && q > 1)
        *ndim = p > q ? p : q;
    else
        *ndim = p + q - 2;
    return true;
}

const Type *
matmul_type(Sema *s, const Node *at, const char *what, bool dot, const Type *a, const Type *b,
            Call *out)
{
    ArrayLike x, y;
    int ndim;
    if (a->kind == TY_UNKNOWN || b->kind == TY_UNKNOWN)
        return type_unknown(s->tt);
    bool python = is_operator(at) && a->weak && b->weak; /* Python has no @ on numbers */
    if (!as_array(a, &x) || !as_array(b, &y) || python) {
        sema_type_error(s, at, "%s does not take operands of types %s and %s", what, a->text,
                        b->text);
        return NULL;
    }
    if (!linalg_rank(s, at, what, dot, x.ndim, y.ndim, &ndim))
        return NULL;
    if (dtype_is_param(x.d) || dtype_is_param(y.d)) {
        sema_type_error(s, at, "%s does not take operands of types %s and %s", what, a->text,
                        b->text);
        return NULL;
    }
    DType d = dtype_promote(x.d, y.d);
    out->n_in = 2;
    out->n_out = 1;
    out->in[0] = out->in[1] = out->out[0] = d;
    return ndim ? type_array(s->tt, d, ndim, LAY_C, false) : type_scalar(s->tt, d, false);
}
