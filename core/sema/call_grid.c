/* SPDX-License-Identifier: BSD-3-Clause
 * swathe.gpu: what one thread of a grid may ask and do. Takes a bound call of a row of
 * grid.def; yields the type of its result. Indices and counts are Python's ints, so that
 * they leave the dtype of what they are combined with alone. All of it but arithmetic
 * means something only in a kernel, or in a function that one calls. */
#include "sema/calls.h"

static const Type *
weak_int(const Sema *s)
{
    return type_scalar(s->tt, DT_i64, true);
}

static const Type *
weak_bool(const Sema *s)
{
    return type_scalar(s->tt, DT_bool, true);
}

/* A compile for a launch, or for a device? */
static bool
in_kernel(Sema *s, const Node *at, const Builtin *fn)
{
    if (fn->rule == GG_MATH || fn->rule == GG_CONST || s->cx->opt->kernel)
        return true;
    Diag *d = sema_error(s, DIAG_unsupported, at, "gpu.%s%s means something only in a kernel",
                         fn->name, fn->rule == GG_VALUE ? "" : "()");
    diag_hint(s->diags, d,
              "decorate the function with swathe.gpu.jit, and launch it as "
              "f[blocks, threads](...)");
    return false;
}

Sem
grid_value(Sema *s, const Node *e, Sem v)
{
    const Builtin *fn = v.cst->ref;
    if (fn->family != BF_GRID || fn->rule != GG_VALUE)
        return v;
    if (!in_kernel(s, e, fn))
        return sema_unknown(s);
    if (fn->id == BI_gpu_warpsize)
        return sem_const(s, const_int(s, 32));
    Call *c = NEW(s->a, Call);
    *c = (Call){.kind = CALL_BUILTIN, .fn = fn};
    info_of(s, e)->call = c;
    return sem_of(weak_int(s));
}

/* Of swathe.gpu "threadIdx", "grid"; of swathe.gpu.threadIdx "x". */
int
grid_names(Sema *s, const char *module, const char **out)
{
    if (strncmp(module, "swathe.gpu", 10))
        return 0;
    const char *in = module[10] == '.' ? module + 11 : "";
    size_t len = strlen(in);
    int n = 0;
    for (int i = 0; i < builtin_count; i++) {
        const Builtin *b = &builtin_table[i];
        if (b->family != BF_GRID || strncmp(b->name, in, len) || (len && b->name[len] != '.'))
            continue;
        const char *name = b->name + len + (len > 0);
        out[n++] = arena_printf(s->a, "%.*s", (int)strcspn(name, "."), name);
    }
    return n;
}

/* ---- where the thread is ------------------------------------------------------------------- */

static const Type *
type_index(CallCx *x)
{
    int64_t n = 0;
    const Type *e[3] = {weak_int(x->s), weak_int(x->s), weak_int(x->s)};
    if (!arg_int_const(x, "ndim", 1, &n))
        return NULL;
    if (n >= 1 && n <= 3)
        return n == 1 ? e[0] : type_tuple(x->s->tt, (int)n, e);
    sema_error(x->s, DIAG_value, arg_place(x, "ndim"),
               "%s: a grid has 1, 2 or 3 dimensions, not %lld", fn_text(x), (long long)n);
    return NULL;
}

/* ---- arrays of a block or thread ----------------------------------------------------------- */

static const Type *
not_constant(CallCx *x)
{
    Diag *d = sema_error(x->s, DIAG_argument, arg_place(x, "shape"),
                         "%s: the shape must be known at compile time", fn_text(x));
    diag_hint(x->s->diags, d,
              "write numbers, or names that are bound to numbers outside of the kernel%s",
              x->fn->id == BI_gpu_shared_array
                  ? "; shape 0 means as much as the launch gives: k[blocks, threads, queue, bytes]"
                  : "");
    return NULL;
}

/* The sizes of a shape that is known; false after a diagnostic. *total: elements. */
static bool
known_shape(CallCx *x, Sem v, int ndim, int64_t *total)
{
    *total = 1;
    for (int k = 0; k < ndim; k++) {
        const Const *c = v.cst && v.cst->kind == CV_TUPLE ? v.cst->elems[k] : v.cst;
        int64_t n;
        if (!c || !const_as_int(c, &n))
            return not_constant(x) != NULL;
        bool dynamic = n == 0 && ndim == 1 && x->fn->id == BI_gpu_shared_array;
        if (n < 0 || (n == 0 && !dynamic)) {
            sema_error(x->s, DIAG_value, arg_place(x, "shape"), "%s: a size of %lld", fn_text(x),
                       (long long)n);
            return false;
        }
        *total = n > INT32_MAX / *total - (*total > 1) ? INT32_MAX : n * *total;
    }
    return true;
}

/* Bytes: what every device has for shared arrays without being asked, and for a thread's own. */
enum { MOST_SHARED = 48 << 10, MOST_LOCAL = 512 << 10 };

static const Type *
type_arrays(CallCx *x)
{
    int ndim;
    int64_t total;
    DType d = DT_f64;
    Sem shape = arg_of(x, "shape"), dt = arg_of(x, "dtype");
    const Const *record = dt.cst && dt.cst->kind == CV_RECORD ? dt.cst : NULL;
    if (!arg_shape(x, "shape", &ndim) || !dt.type ||
        (!record && !sem_dtype(x, arg_place(x, "dtype"), dt, &d)) ||
        !known_shape(x, shape, ndim, &total))
        return NULL;
    if (ndim == 0) {
        sema_error(x->s, DIAG_value, arg_place(x, "shape"), "%s: the array needs an axis",
                   fn_text(x));
        return NULL;
    }
    bool shared = x->fn->id == BI_gpu_shared_array;
    int64_t most = shared ? MOST_SHARED : MOST_LOCAL;
    int64_t bytes = total * (record ? record->i : dtype_size(d));
    if (bytes > most) {
        sema_error(x->s, DIAG_value, arg_place(x, "shape"),
                   "%s: %lld bytes are more than the %lld that a %s may have", fn_text(x),
                   (long long)bytes, (long long)most, shared ? "block" : "thread");
        return NULL;
    }
    return record ? record_of(x->s, record, ndim) : new_array(x, d, ndim, LAY_C);
}

/* cg.this_grid(): as a module with one function. */
static const Type *
type_this_grid(CallCx *x)
{
    Const *c = NEW(x->s->a, Const);
    *c = (Const){.kind = CV_MODULE, .str = "swathe.gpu.this_grid"};
    x->cst = c;
    return const_type(x->s->tt, c);
}

static const Type *
type_const_like(CallCx *x)
{
    Sem v = arg_of(x, "ary");
    if (!v.cst || v.cst->kind != CV_ARRAY || v.type->kind != TY_ARRAY) {
        Diag *d = sema_error(x->s, DIAG_argument, arg_place(x, "ary"),
                             "%s takes an array that is known at compile time", fn_text(x));
        diag_hint(x->s->diags, d,
                  "name an array of the module, or one that the kernel closes over");
        return NULL;
    }
    x->cst = v.cst;
    return v.type;
}

/* ---- warps --------------------------------------------------------------------------------- */

static bool
arg_int(CallCx *x, const char *name)
{
    Sem v = arg_of(x, name);
    if (!v.type || is_int_type(v.type))
        return true;
    wrong_type(x, name, "an integer", v.type);
    return false;
}

static bool
takes(const CallCx *x, DType d)
{
    return strchr(x->fn->kinds, "?iufc"[dtype_kind(d)]) != NULL;
}

/* A number; of the row's kinds, or what will be cast to one of them. */
static bool
arg_scalar(CallCx *x, const char *name, bool cast)
{
    Sem v = arg_of(x, name);
    if (v.type && v.type->kind == TY_SCALAR && (cast || takes(x, (DType)v.type->dtype)))
        return true;
    wrong_type(x, name, "a number", v.type ? v.type : type_none(x->s->tt));
    return false;
}

static const Type *
type_shuffle(CallCx *x)
{
    if (!arg_int(x, "mask") || !arg_scalar(x, "value", false) ||
        !arg_int(x, builtin_params[x->fn->id].at[2].name))
        return NULL;
    return arg_of(x, "value").type;
}

static const Type *
type_vote(CallCx *x)
{
    if (x->fn->id != BI_gpu_activemask &&
        (!arg_int(x, "mask") || !arg_scalar(x, "predicate", false)))
        return NULL;
    bool bits = x->fn->id == BI_gpu_activemask || x->fn->id == BI_gpu_ballot_sync;
    return bits ? weak_int(x->s) : weak_bool(x->s);
}

static const Type *
type_match(CallCx *x)
{
    const Type *e[2] = {weak_int(x->s), weak_bool(x->s)};
    if (!arg_int(x, "mask") || !arg_scalar(x, "value", false))
        return NULL;
    return x->fn->id == BI_gpu_match_all_sync ? type_tuple(x->s->tt, 2, e) : e[0];
}

static const Type *
type_barrier(CallCx *x)
{
    switch (x->fn->id) {
    case BI_gpu_syncthreads_count:
        return arg_scalar(x, "predicate", false) ? weak_int(x->s) : NULL;
    case BI_gpu_syncthreads_and:
    case BI_gpu_syncthreads_or:
        return arg_scalar(x, "predicate", false) ? weak_bool(x->s) : NULL;
    case BI_gpu_syncwarp:
        return arg_int(x, "mask") ? type_none(x->s->tt) : NULL;
    default:
        return type_none(x->s->tt);
    }
}

/* ---- atomics ------------------------------------------------------------------------------- */

static bool
atomic_index(CallCx *x, const Type *a)
{
    Sem v = arg_of(x, "idx");
    int n = 0;
    if (x->fn->id == BI_gpu_atomic_compare_and_swap) {
        n = 1;
    } else {
        bool ok = v.type && (is_int_type(v.type) || v.type->kind == TY_TUPLE);
        n = ok && v.type->kind == TY_TUPLE ? v.type->n : 1;
        for (int i = 0; ok && v.type->kind == TY_TUPLE && i < n; i++)
            ok = is_int_type(v.type->elems[i]);
        if (!ok) {
            wrong_type(x, "idx", "an integer or a tuple of integers",
                       v.type ? v.type : type_none(x->s->tt));
            return false;
        }
    }
    if (n == a->ndim)
        return true;
    sema_error(x->s, DIAG_index, arg_place(x, "idx"), "%s: %d ind%s for an array of %d ax%s",
               fn_text(x), n, n == 1 ? "ex" : "ices", a->ndim, a->ndim == 1 ? "is" : "es");
    return false;
}

static bool
atomic_dtype(CallCx *x, DType d)
{
    if (takes(x, d))
        return true;
    sema_error(x->s, DIAG_argument, arg_place(x, "ary"), "%s: there is no such operation on %s",
               fn_text(x), dtype_info[d].name);
    return false;
}

static const Type *
type_atomic(CallCx *x)
{
    Sema *s = x->s;
    const Type *a = arg_of(x, "ary").type;
    if (!a || a->kind != TY_ARRAY)
        return wrong_type(x, "ary", "an array", a ? a : type_none(s->tt));
    if (a->readonly) {
        sema_readonly(s, arg_place(x, "ary"),
                      arena_printf(s->a, "%s: the array is read-only", fn_text(x)));
        return NULL;
    }
    const Type *to = type_scalar(s->tt, (DType)a->dtype, false);
    if (!atomic_index(x, a) || !atomic_dtype(x, (DType)a->dtype) || !arg_scalar(x, "val", true) ||
        !check_store(s, arg_place(x, "val"), to, arg_of(x, "val"), false))
        return NULL;
    if (row_param(x->fn, "old") >= 0 &&
        (!arg_scalar(x, "old", true) ||
         !check_store(s, arg_place(x, "old"), to, arg_of(x, "old"), false)))
        return NULL;
    return to;
}

/* ---- arithmetic ---------------------------------------------------------------------------- */

/* The type that all of the arguments join in. */
static const Type *
joined(CallCx *x, int from)
{
    const Type *t = NULL;
    for (int i = from; i < builtin_params[x->fn->id].n; i++) {
        const Type *a = sema_arg(x->s, x->c, i).type;
        if (!a || a->kind != TY_SCALAR || !takes(x, (DType)a->dtype)) {
            sema_error(x->s, DIAG_argument, sema_arg_node(x->c, i) ? sema_arg_node(x->c, i) : x->at,
                       "%s takes numbers, not %s", fn_text(x), a ? a->text : "nothing");
            return NULL;
        }
        t = t ? type_join(x->s->tt, t, a) : a;
    }
    return t;
}

static const Type *
as_float(const CallCx *x, const Type *t)
{
    if (!t || dtype_is_float((DType)t->dtype))
        return t;
    return type_scalar(x->s->tt, DT_f64, t->weak);
}

static const Type *
type_math_row(CallCx *x)
{
    switch (x->fn->id) {
    case BI_gpu_lanemask_lt:
        if (x->s->cx->opt->kernel)
            return weak_int(x->s);
        sema_error(x->s, DIAG_unsupported, x->at,
                   "gpu.lanemask_lt() means something only in a kernel");
        return NULL;
    case BI_gpu_fma:
    case BI_gpu_cbrt:
    case BI_gpu_rsqrt:
        return as_float(x, joined(x, 0));
    case BI_gpu_selp:
        return joined(x, 1);
    default:
        if (!arg_int(x, "x"))
            return NULL;
        return x->fn->id == BI_gpu_brev ? arg_of(x, "x").type : weak_int(x->s);
    }
}

const Type *
type_grid(CallCx *x)
{
    if (!in_kernel(x->s, x->at, x->fn))
        return NULL;
    if (x->c->splat) {
        sema_error(x->s, DIAG_unsupported, x->at, "%s: write the arguments one by one", fn_text(x));
        return NULL;
    }
    switch ((GridGroup)x->fn->rule) {
    case GG_INDEX:
        return type_index(x);
    case GG_ARRAY:
        return type_arrays(x);
    case GG_CONST:
        return x->fn->id == BI_gpu_cg_this_grid ? type_this_grid(x) : type_const_like(x);
    case GG_BARRIER:
        return type_barrier(x);
    case GG_SHUFFLE:
        return type_shuffle(x);
    case GG_VOTE:
        return type_vote(x);
    case GG_MATCH:
        return type_match(x);
    case GG_FENCE:
        return type_none(x->s->tt);
    case GG_ATOMIC:
        return type_atomic(x);
    case GG_MATH:
        return type_math_row(x);
    case GG_VALUE:
        break;
    }
    sema_error(x->s, DIAG_types, x->at, "gpu.%s is a number, and not called", x->fn->name);
    return NULL;
}
