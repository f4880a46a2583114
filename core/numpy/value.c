/* SPDX-License-Identifier: BSD-3-Clause
 * Vals: the value of an expression while it is lowered. Takes constants, IR variables and
 * expressions; yields scalars as IR expressions. A Val is passed around by value, so the
 * expressions in it are templates: val_expr copies them at each use. */
#include "numpy/internal.h"

/* ---- IR helpers ------------------------------------------------------------------------------ */

IrExpr *
np_num(IrBuilder *b, DType d, double v)
{
    if (dtype_is_complex(d))
        return ir_complex(b->cx, d, v, 0);
    return dtype_is_float(d) ? ir_float(b->cx, d, v) : ir_int(b->cx, d, (int64_t)v);
}

void
np_checkf(IrBuilder *b, IrExpr *ok, const char *exc, const char *format, int n, IrExpr **args)
{
    int64_t k;
    if (ir_is_const(ok, &k) && k)
        return;
    ir_check(b, ok, ir_site(b->mod, exc, format, b->span), n, args);
}

void
np_check(IrBuilder *b, IrExpr *ok, const char *exc, const char *format)
{
    np_checkf(b, ok, exc, format, 0, NULL);
}

void
np_raise(IrBuilder *b, const char *exc, const char *format)
{
    np_check(b, ir_int(b->cx, DT_bool, 0), exc, format);
}

/* A Python int beside a NumPy integer takes its dtype: OverflowError where it does not
 * fit. One that the IR knows, as `-1 | a`, is no constant of the source: sema has not seen it. */
Val
np_weak_fits(IrBuilder *b, Val v, DType d)
{
    int64_t k;
    bool whole = v.kind == VK_SCALAR && v.type->weak && v.type->storage == DT_i64;
    if (!whole || !dtype_is_int(d))
        return v;
    bool big = v.cst && v.cst->kind == CV_INT && v.cst->dtype == DT_u64; /* 2**63 and above */
    if (big ? d == DT_u64 : d == DT_i64)
        return v;
    if (!big && ir_is_const(v.e, &k) && (d == DT_u64 ? k >= 0 : ir_wrap_int(d, k) == k))
        return v;
    v.e = val_freeze(b, v.e);
    IrExpr *ok = big ? ir_int(b->cx, DT_bool, 0)
                 : d == DT_u64
                     ? np_op2(b, OP_ge, np_cp(b, v.e), np_int(b, 0))
                     : np_op2(b, OP_eq, ir_cast(b->cx, DT_i64, ir_cast(b->cx, d, np_cp(b, v.e))),
                              np_cp(b, v.e));
    IrExpr *arg = np_cp(b, v.e);
    const char *value = "%0";
    if (big)
        value = arena_printf(&b->cx->arena, "%llu", (unsigned long long)v.cst->i);
    np_checkf(b, ok, "OverflowError",
              arena_printf(&b->cx->arena, "Python integer %s out of bounds for %s", value,
                           dtype_info[d].name),
              1, &arg);
    return v;
}

/* An index, a size or a count: an int64, or the error where it is a uint64 from 2**63 up. */
IrExpr *
val_int(IrBuilder *b, const Val *v, const char *exc, const char *text)
{
    IrExpr *i = val_expr(b, v, DT_i64);
    if (val_dtype(v) != DT_u64)
        return i;
    i = val_freeze(b, i);
    np_check(b, np_op2(b, OP_ge, np_cp(b, i), np_int(b, 0)), exc, text);
    return i;
}

/* The same for a bound that is clipped: the greatest int64 is beyond any size, too. */
IrExpr *
val_clipped(IrBuilder *b, const Val *v)
{
    if (val_dtype(v) != DT_u64)
        return val_expr(b, v, DT_i64);
    IrExpr *top = ir_int(b->cx, DT_u64, INT64_MAX);
    return ir_cast(b->cx, DT_i64, np_op2(b, OP_min, val_expr(b, v, DT_u64), top));
}

IrVar *
np_temp_array(IrBuilder *b, DType d, int ndim, Layout l)
{
    return ir_array_var(b->f, "t", d, ndim, ndim <= 1 && l == LAY_F ? LAY_C : l);
}

const Type *
np_array_type(IrBuilder *b, DType d, int ndim, Layout l)
{
    return type_array(b->cx->types, d, ndim, ndim <= 1 && l == LAY_F ? LAY_C : l, false);
}

Val
np_new_array(IrBuilder *b, DType d, int ndim, IrExpr **dims, Layout order, bool zero)
{
    Layout l = order == LAY_F && ndim > 1 ? LAY_F : LAY_C;
    IrVar *v = np_temp_array(b, d, ndim, l);
    IrExpr *copy[SW_MAX_NDIM];
    for (int i = 0; i < ndim; i++)
        copy[i] = np_cp(b, dims[i]);
    ir_alloc(b, v, copy, l, zero);
    Val a = val_array(b, np_array_type(b, d, ndim, l), v, true);
    a.ones = np_known_ones(ndim, dims);
    return a;
}

IrExpr *
np_ior(IrBuilder *b, IrExpr *x, IrExpr *y)
{
    return x && y ? np_op2(b, OP_or, x, y) : x ? x : y;
}

IrExpr *
np_iand(IrBuilder *b, IrExpr *x, IrExpr *y)
{
    return x && y ? np_op2(b, OP_and, x, y) : x ? x : y;
}

Val
np_retype(Val v, const Type *t)
{
    if (t && (v.kind == VK_LAZY || v.kind == VK_SCALAR))
        v.type = t;
    return v;
}

Val
np_weak_int(IrBuilder *b, IrExpr *e)
{
    return val_scalar(b, type_scalar(b->cx->types, DT_i64, true), e);
}

/* ---- making Vals ----------------------------------------------------------------------------- */

Val
val_scalar(IrBuilder *b, const Type *t, IrExpr *e)
{
    return (Val){.kind = VK_SCALAR, .type = t, .e = ir_cast(b->cx, t->storage, e)};
}

Val
val_array(IrBuilder *b, const Type *t, IrVar *v, bool fresh)
{
    (void)b;
    return (Val){.kind = VK_ARRAY, .type = t, .arr = v, .temp = fresh, .fresh = fresh};
}

Val
val_tuple(IrBuilder *b, const Type *t, int n, const Val *elem)
{
    Val v = {.kind = VK_TUPLE, .type = t, .n = n};
    v.elem = n ? NEW_N(&b->cx->arena, Val, n) : NULL;
    if (n && elem)
        memcpy(v.elem, elem, sizeof(Val) * (size_t)n);
    return v;
}

Val
val_none(IrBuilder *b)
{
    return (Val){.kind = VK_NONE, .type = type_none(b->cx->types)};
}

static IrExpr *
const_expr(IrBuilder *b, const Const *c, DType d)
{
    if (dtype_is_complex(d))
        return ir_complex(b->cx, d, c->re, c->im);
    if (dtype_is_float(d))
        return ir_float(b->cx, d, c->re);
    return ir_int(b->cx, d, c->kind == CV_BOOL ? c->b : c->i);
}

static const int64_t *
shape_in_memory(IrBuilder *b, const Const *c)
{
    int64_t *shape = NEW_N(&b->cx->arena, int64_t, c->ndim + 1);
    for (int i = 0; i < c->ndim; i++)
        shape[i] = c->shape[c->axes[i]];
    return shape;
}

/* The array whose axes lie in `memory` in the order c->axes. */
static Val
in_order(IrBuilder *b, const Const *c, const Type *t, IrVar *memory)
{
    IrVar *v = ir_array_var(b->f, "const", t->storage, c->ndim, t->layout);
    IrExpr *dims[SW_MAX_NDIM], *strides[SW_MAX_NDIM];
    v->readonly = true;
    for (int i = 0; i < c->ndim; i++) {
        dims[c->axes[i]] = ir_dim(b->cx, memory, i);
        strides[c->axes[i]] = ir_stride(b->cx, memory, i);
    }
    ir_view(b, v, memory, np_int(b, 0), dims, strides);
    return val_array(b, t, v, false);
}

/* One module constant for each array, however often it is named. */
static Val
const_array(IrBuilder *b, const Const *c)
{
    int k = 0;
    while (k < b->mod->consts.n && b->mod->consts.at[k].data != c->data)
        k++;
    if (k == b->mod->consts.n) {
        IrConstArray a = {.dtype = dtype_storage((DType)c->dtype),
                          .ndim = c->ndim,
                          .shape = c->axes ? shape_in_memory(b, c) : c->shape,
                          .data = c->data,
                          .nbytes = c->nbytes};
        VEC_PUSH(&b->cx->arena, b->mod->consts, a);
    }
    const Type *t = const_type(b->cx->types, c);
    IrVar *v = ir_array_var(b->f, "const", t->storage, c->ndim, c->axes ? LAY_C : t->layout);
    v->readonly = true;
    IrStmt *s = ir_append(b, IS_CONSTARR);
    ir_set_const_array(b->mod, s, v, k);
    return c->axes ? in_order(b, c, t, v) : val_array(b, t, v, false);
}

/* Equal ones are one array of the module. */
Val
val_known(IrBuilder *b, DType d, int64_t n, const void *data)
{
    size_t bytes = (size_t)n * (size_t)dtype_size(d);
    for (int k = 0; k < b->mod->consts.n; k++) {
        const IrConstArray *a = &b->mod->consts.at[k];
        if (a->dtype == d && a->ndim == 1 && a->nbytes == bytes && bytes &&
            !memcmp(a->data, data, bytes))
            data = a->data;
    }
    int64_t *shape = NEW(&b->cx->arena, int64_t);
    Const *all = NEW(&b->cx->arena, Const);
    *shape = n;
    *all = (Const){
        .kind = CV_ARRAY, .dtype = d, .ndim = 1, .shape = shape, .data = data, .nbytes = bytes};
    return const_array(b, all);
}

static void
put_number(char *to, DType d, const IrExpr *e)
{
    double wide[2] = {e->re, e->im};
    float narrow[2] = {(float)e->re, (float)e->im};
    size_t size = (size_t)dtype_size(d);
    if (!dtype_is_float(d) && !dtype_is_complex(d))
        memcpy(to, &e->i, size);
    else
        memcpy(to, d == DT_f32 || d == DT_c64 ? (void *)narrow : (void *)wide, size);
}

Val
val_known_numbers(IrBuilder *b, DType d, int64_t n, IrExpr *const *e)
{
    d = d == DT_f16 ? DT_f32 : d;
    size_t size = (size_t)dtype_size(d);
    char *data = arena_alloc(&b->cx->arena, (size_t)n * size + 1);
    for (int64_t i = 0; i < n; i++)
        put_number(data + (size_t)i * size, d, e[i]);
    return val_known(b, d, n, data);
}

/* A known string, or bytes, as a value. */
static Val
text_const(IrBuilder *b, const Const *c, const Type *t)
{
    DType d = (DType)t->elems[0]->dtype;
    uint32_t *points = NULL;
    int64_t n = d == DT_u8 ? (int64_t)c->str_len : const_points(&b->cx->arena, c, &points);
    const void *data = points ? (const void *)points : c->str;
    Val v = val_convert(b, val_known(b, d, n, data), t->elems[0]);
    v.ones = n == 1;
    Val text = val_tuple(b, t, 1, &v);
    text.cst = c;
    return text;
}

Val
val_const(IrBuilder *b, const Const *c)
{
    Val v = {.kind = VK_CONST, .type = const_type(b->cx->types, c), .cst = c};
    switch (c->kind) {
    case CV_NONE:
        v.kind = VK_NONE;
        break;
    case CV_BOOL:
    case CV_INT:
    case CV_FLOAT:
    case CV_COMPLEX:
    case CV_NPSCALAR:
        v.kind = VK_SCALAR;
        v.e = const_expr(b, c, v.type->storage);
        break;
    case CV_TUPLE:
    case CV_KEYED:
        v.kind = VK_TUPLE;
        v.n = c->n;
        v.elem = NEW_N(&b->cx->arena, Val, c->n);
        for (int i = 0; i < c->n; i++)
            v.elem[i] = val_const(b, c->elems[i]);
        break;
    case CV_ARRAY:
        v = const_array(b, c);
        break;
    case CV_BYTES:
        v = text_const(b, c, v.type);
        break;
    case CV_FUNC:
        v.kind = VK_TUPLE;
        break;
    case CV_STR:
    case CV_ELLIPSIS:
    case CV_BUILTIN:
    case CV_DTYPE:
    case CV_MODULE:
    case CV_TUPLE_CLASS:
    case CV_RECORD:
    case CV_EXC_CLASS:
    case CV_CLASS:
    case CV_CONTEXT:
    case CV_UNSUPPORTED:
        break;
    }
    return v;
}

/* ---- reading them ---------------------------------------------------------------------------- */

int
val_ndim(const Val *v)
{
    return v->kind == VK_ARRAY ? v->arr->ndim : v->kind == VK_LAZY ? v->lazy->ndim : 0;
}

DType
val_dtype(const Val *v)
{
    if (v->kind == VK_ARRAY)
        return v->arr->dtype;
    if (v->kind == VK_LAZY)
        return v->lazy->dtype;
    return v->kind == VK_SCALAR ? v->e->dtype : v->type ? v->type->storage : DT_f64;
}

bool
val_is_arraylike(const Val *v)
{
    return v->kind == VK_ARRAY || v->kind == VK_LAZY;
}

IrExpr *
val_dim(IrBuilder *b, const Val *v, int axis)
{
    if (v->kind == VK_LAZY)
        return np_cp(b, v->lazy->dim[axis]);
    return v->ones >> axis & 1 ? np_int(b, 1) : ir_dim(b->cx, v->arr, axis);
}

/* Which of these are the constant 1: for Val.ones. */
uint32_t
np_known_ones(int n, IrExpr **dims)
{
    uint32_t mask = 0;
    int64_t k;
    for (int i = 0; i < n; i++)
        if (ir_is_const(dims[i], &k) && k == 1)
            mask |= 1u << i;
    return mask;
}

IrExpr *
np_size(IrBuilder *b, const Val *v)
{
    IrExpr *n = np_int(b, 1);
    for (int i = 0; i < val_ndim(v); i++)
        n = np_op2(b, OP_mul, n, val_dim(b, v, i));
    return n;
}

IrExpr *
val_expr(IrBuilder *b, const Val *v, DType d)
{
    IrExpr *e = NULL;
    IrExpr *zero[SW_MAX_NDIM];
    for (int i = 0; i < SW_MAX_NDIM && i < val_ndim(v); i++)
        zero[i] = np_int(b, 0);
    /* whoever wants another dtype has not seen what the numbers mean */
    if (v->type && dtype_is_param((DType)v->type->dtype) && d != (DType)v->type->storage)
        diag_add(&b->cx->diags, DIAG_internal, b->span, "%s is taken for %s", v->type->text,
                 dtype_info[d].name);
    if (v->kind == VK_SCALAR)
        e = np_cp(b, v->e);
    else if (val_is_arraylike(v))
        e = np_elem(b, v, zero);
    else if (v->kind == VK_TUPLE && v->n == 1)
        e = val_expr(b, &v->elem[0], d);
    else
        e = np_num(b, d, 0);
    return ir_cast(b->cx, d, e);
}

static Val
new_object(IrBuilder *b, const Type *t, bool zero)
{
    IrVar *o = ir_array_var(b->f, "object", DT_i64, 1, LAY_C);
    o->obj = heap_layout(&b->cx->arena, t);
    IrExpr *dims[1] = {np_int(b, (int64_t)strlen(o->obj))};
    ir_alloc(b, o, dims, LAY_C, zero);
    Val v = val_array(b, t, o, true);
    v.temp = true;
    return v;
}

Val
val_object(IrBuilder *b, const Type *t)
{
    return new_object(b, t, true);
}

Val
val_empty(IrBuilder *b, const Type *t)
{
    return new_object(b, t, false);
}

/* Nothing, where a value of type t may be: zeros, empty arrays, which no memory was got for, and
 * empty objects. */
static Val
null_val(IrBuilder *b, const Type *t)
{
    /* an address for each type: const_array tells by it */
    static const double bytes[DT_COUNT][SW_MAX_NDIM + 1][2];
    static const int64_t shape[SW_MAX_NDIM];
    if (t->kind == TY_SCALAR)
        return val_scalar(b, t, np_num(b, (DType)t->storage, 0));
    if (t->kind == TY_ARRAY) {
        Const *c = NEW(&b->cx->arena, Const);
        *c = (Const){.kind = CV_ARRAY,
                     .dtype = t->storage,
                     .ndim = t->ndim,
                     .shape = shape,
                     .data = bytes[t->storage][t->ndim],
                     .nbytes = t->ndim ? 0 : (size_t)dtype_size((DType)t->storage)};
        return val_convert(b, const_array(b, c), t);
    }
    if (t->kind == TY_REF)
        return val_object(b, t);
    if (t->kind == TY_OBJ)
        return val_empty(b, t);
    Val v = {.kind = VK_NONE, .type = t};
    const Type *held[64], *const *part = t->elems;
    int n = type_is_held_apart(t) ? t->n : -1;
    if (t->kind == TY_ITER) {
        n = type_iter_parts(b->cx->types, t, held);
        part = held;
    }
    if (n >= 0)
        v = val_tuple(b, t, n, NULL);
    for (int i = 0; i < n; i++)
        v.elem[i] = null_val(b, part[i]);
    return v;
}

/* None, or a value, as an optional. */
static Val
val_optional(IrBuilder *b, Val v, const Type *to)
{
    bool none = v.type->kind == TY_NONE;
    Val parts[2] = {val_scalar(b, to->elems[0], ir_int(b->cx, DT_bool, !none))};
    parts[1] = none ? null_val(b, to->elems[1]) : val_convert(b, v, to->elems[1]);
    return val_tuple(b, to, 2, parts);
}

static IrExpr *
array_truth(IrBuilder *b, const Val *v)
{
    if (val_ndim(v) > 0) {
        IrExpr *n = val_freeze(b, np_size(b, v));
        np_check(b, np_op2(b, OP_ne, n, np_int(b, 0)), "ValueError",
                 "The truth value of an empty array is ambiguous. Use `array.size > 0` to "
                 "check that an array is not empty.");
        np_check(b, np_op2(b, OP_eq, np_cp(b, n), np_int(b, 1)), "ValueError",
                 "The truth value of an array with more than one element is ambiguous. Use "
                 "a.any() or a.all()");
    }
    return val_expr(b, v, DT_bool);
}

static IrExpr *
optional_truth(IrBuilder *b, const Val *v)
{
    IrExpr *some = np_cp(b, v->elem[0].e);
    if (!val_is_arraylike(&v->elem[1]))
        return np_op2(b, OP_and, some, val_truth(b, &v->elem[1]));
    /* what the array's truth may raise is raised only where there is one */
    IrVar *t = ir_temp(b, some);
    IrBlock *save = b->at;
    b->at = &ir_if(b, ir_use(b->cx, t))->body;
    ir_set(b, t, val_truth(b, &v->elem[1]));
    b->at = save;
    return ir_use(b->cx, t);
}

bool
val_is_none(const Val *v)
{
    return v->kind == VK_NONE && (!v->type || v->type->kind == TY_NONE);
}

IrExpr *
val_truth(IrBuilder *b, const Val *v)
{
    switch (v->kind) {
    case VK_SCALAR:
        return ir_cast(b->cx, DT_bool, np_cp(b, v->e));
    case VK_ARRAY:
        if (v->type->kind == TY_OBJ)
            return ir_int(b->cx, DT_bool, true);
        if (v->type->kind == TY_REF) { /* word 0: how many elements there are */
            IrExpr *zero = ir_int(b->cx, DT_i64, 0);
            return ir_op(b->cx, OP_ne, ir_load(b->cx, v->arr, 1, &zero), ir_int(b->cx, DT_i64, 0));
        }
        return array_truth(b, v);
    case VK_LAZY:
        return array_truth(b, v);
    case VK_TUPLE:
        if (v->type->kind == TY_OPTIONAL)
            return optional_truth(b, v);
        if (v->type->kind == TY_TEXT)
            return np_op2(b, OP_ne, val_dim(b, &v->elem[0], 0), np_int(b, 0));
        if (v->type->kind == TY_RANGE)
            return ir_op(b->cx, OP_ne,
                         np_range_length(b, val_expr(b, &v->elem[0], DT_i64),
                                         val_expr(b, &v->elem[1], DT_i64),
                                         val_expr(b, &v->elem[2], DT_i64)),
                         ir_int(b->cx, DT_i64, 0));
        return ir_int(b->cx, DT_bool, type_is_function(v->type) || v->n > 0);
    case VK_CONST:
        return ir_int(b->cx, DT_bool, !v->cst || v->cst->kind != CV_STR || v->cst->str_len > 0);
    case VK_NONE:
        break;
    }
    return ir_int(b->cx, DT_bool, !val_is_none(v)); /* a module, a class */
}

/* ---- changing them --------------------------------------------------------------------------- */

static Val
convert_array(IrBuilder *b, Val v, const Type *to)
{
    if (v.kind == VK_LAZY)
        v = np_materialize(b, v, to->layout);
    if (v.arr->layout == to->layout && v.arr->readonly == (to->readonly != RO_NO))
        return v;
    IrVar *w = ir_array_var(b->f, v.arr->name, to->storage, to->ndim, to->layout);
    w->readonly = to->readonly;
    ir_alias(b, w, v.arr);
    Val out = val_array(b, to, w, v.fresh);
    out.temp = v.temp;
    return out;
}

/* An instance as one of a family of classes (sema/family.c): in its place, beside empty ones. */
static Val
one_of(IrBuilder *b, Val v, const Type *to)
{
    Val *part = NEW_N(&b->cx->arena, Val, to->n + 1);
    for (int i = 0; i < to->n; i++) {
        bool its = to->elems[i]->elems[1] == v.type;
        part[i] = val_optional(b, its ? v : val_none(b), to->elems[i]);
    }
    return val_tuple(b, to, to->n, part);
}

static Val
none_of(IrBuilder *b, Val none, const Type *to)
{
    Val out = val_tuple(b, to, to->n, NEW_N(&b->cx->arena, Val, to->n + 1));
    for (int i = 0; i < to->n; i++)
        out.elem[i] = val_optional(b, none, to->elems[i]);
    return out;
}

/* A function, or one of several, as one of these. */
static Val
function_of(IrBuilder *b, Val v, const Type *to)
{
    Val *part = NEW_N(&b->cx->arena, Val, to->n + 1);
    for (int i = 0; i < to->n; i++)
        part[i] = val_optional(b, val_none(b), to->elems[i]);
    for (int i = 0; v.type->kind == TY_CHOICE && i < v.n; i++) {
        int k = choice_place(to, v.type->elems[i]->elems[1]);
        if (k >= 0) /* else sema knows that it isn't that one */
            part[k] = val_convert(b, v.elem[i], to->elems[k]);
    }
    int k = v.type->kind == TY_CHOICE ? -1 : choice_place(to, v.type);
    if (k >= 0)
        part[k] = val_optional(b, v, to->elems[k]);
    return val_tuple(b, to, to->n, part);
}

/* Is it of a family of classes? Then no other type has it as its parts. */
static bool
is_one_of(const Type *t)
{
    bool is = t->kind == TY_TUPLE && t->names && t->n > 1;
    for (int i = 0; is && i < t->n; i++)
        is = t->elems[i]->kind == TY_OPTIONAL && t->elems[i]->elems[1]->kind == TY_OBJ;
    return is;
}

/* Where an int goes that had become a float before others came. */
static int
number_place(const Type *either, const Type *of)
{
    int found = -1;
    bool number = of->kind == TY_SCALAR && of->weak && of->dtype != DT_bool;
    for (int i = 0; number && i < either->n && found < 0; i++) {
        const Type *m = either->elems[i]->elems[1];
        bool holds = m->kind == TY_SCALAR && m->weak &&
                     dtype_promote((DType)m->dtype, (DType)of->dtype) == (DType)m->dtype;
        found = holds ? i : -1;
    }
    return found;
}

/* A value of one type or another, or of a type of it, as one of these. */
static Val
either_of(IrBuilder *b, Val v, const Type *to)
{
    Val *part = NEW_N(&b->cx->arena, Val, to->n + 1);
    bool several = v.type->kind == TY_EITHER || is_one_of(v.type), one = !several;
    for (int i = 0; i < to->n; i++)
        part[i] = val_optional(b, val_none(b), to->elems[i]);
    for (int i = 0; i < (one ? 1 : v.n); i++) {
        const Type *its = one ? v.type : v.type->elems[i]->elems[1];
        int k = type_either_place(b->cx->types, to, its);
        if (k < 0 && one)
            k = number_place(to, its);
        if (k >= 0) /* else sema knows that it isn't that one */
            part[k] = val_convert(b, one ? v : v.elem[i], to->elems[k]);
    }
    return val_tuple(b, to, to->n, part);
}

/* The instance that sema knows it to be, as one of a family of classes. */
static Val
instance_of(IrBuilder *b, Val v, const Type *to)
{
    Val *part = NEW_N(&b->cx->arena, Val, to->n + 1);
    for (int i = 0; i < to->n; i++) {
        int k = type_either_place(b->cx->types, v.type, to->elems[i]->elems[1]);
        part[i] = val_convert(b, k < 0 ? val_none(b) : v.elem[k], to->elems[i]);
    }
    return val_tuple(b, to, to->n, part);
}

/* The value of a type that sema knows it to have. */
static Val
member_of(IrBuilder *b, Val v, const Type *to)
{
    int k = type_either_place(b->cx->types, v.type, to);
    if (k < 0 && is_one_of(to))
        return instance_of(b, v, to);
    for (int i = 0; k < 0 && i < v.n; i++)
        if (v.type->elems[i]->elems[1]->kind == to->kind)
            k = i;
    return k < 0 ? val_none(b) : val_convert(b, v.elem[k].elem[1], to);
}

Val (*val_row)(IrBuilder *b, Val v, const Type *to);

Val
val_convert(IrBuilder *b, Val v, const Type *to)
{
    if (v.type == to && (to->kind != TY_TEXT || v.kind == VK_TUPLE))
        return v;
    if (to->kind == TY_STR && to->ref)
        return val_const(b, to->ref);
    if (to->kind == TY_TEXT && v.type && v.type->kind == TY_STR && (v.cst || v.type->ref))
        return text_const(b, v.cst ? v.cst : v.type->ref, to);
    if (to->kind == TY_OPTIONAL && v.type && v.type->kind != TY_OPTIONAL)
        return val_optional(b, v, to);
    /* sema knows that there is one */
    if (v.type && v.type->kind == TY_OPTIONAL && to->kind != TY_OPTIONAL)
        return to->kind == TY_NONE ? val_none(b) : val_convert(b, v.elem[1], to);
    if (to->kind == TY_EITHER && val_is_none(&v))
        return none_of(b, v, to);
    if (to->kind == TY_EITHER && v.type)
        return either_of(b, v, to);
    if (v.type && v.type->kind == TY_EITHER)
        return to->kind == TY_NONE ? val_none(b) : member_of(b, v, to);
    if (to->kind == TY_SCALAR) {
        if (!to->weak)
            v = np_weak_fits(b, v, (DType)to->storage);
        Val out = val_scalar(b, to, val_expr(b, &v, to->storage));
        return out;
    }
    if (to->kind == TY_ARRAY && to->ndim == 0 && v.kind == VK_SCALAR)
        return np_fill_new(b, (DType)to->storage, 0, NULL, LAY_C, &v);
    if (to->kind == TY_ARRAY && val_is_arraylike(&v) && val_dtype(&v) == to->storage)
        return convert_array(b, v, to);
    if (to->kind == TY_TUPLE && v.type && v.type->kind == TY_OBJ)
        return one_of(b, v, to);
    if (to->kind == TY_CHOICE && v.type && type_is_function(v.type))
        return function_of(b, v, to);
    if (v.kind == VK_TUPLE && v.type && v.type->kind == TY_TUPLE && type_is_heap(to, &heap_tuple))
        return val_row(b, v, to);
    if (v.kind == VK_TUPLE && to->n == v.n && type_is_held_apart(to)) {
        Val out = val_tuple(b, to, v.n, v.elem);
        for (int i = 0; i < v.n; i++)
            out.elem[i] = val_convert(b, v.elem[i], to->elems[i]);
        return out;
    }
    return v;
}

IrExpr *
val_freeze(IrBuilder *b, IrExpr *e)
{
    if (e->kind == IX_CONST || (e->kind == IX_VAR && e->var->once))
        return e;
    IrVar *v = ir_var(b->f, "t", e->dtype);
    v->once = true;
    ir_set(b, v, e);
    return ir_use(b->cx, v);
}

void
val_pin(IrBuilder *b, Val *v)
{
    if (v->kind == VK_SCALAR)
        v->e = val_freeze(b, v->e);
    else if (v->kind == VK_LAZY)
        *v = np_materialize(b, *v, LAY_C);
    for (int i = 0; v->kind == VK_TUPLE && i < v->n; i++)
        val_pin(b, &v->elem[i]);
}

Val
np_error_val(IrBuilder *b, const Type *t)
{
    if (!t || t->kind == TY_NONE)
        return val_none(b);
    if (t->kind == TY_SCALAR)
        return val_scalar(b, t, np_num(b, t->storage, 0));
    if (t->kind == TY_ARRAY) {
        IrExpr *dims[SW_MAX_NDIM];
        for (int i = 0; i < t->ndim; i++)
            dims[i] = np_int(b, 0);
        return np_new_array(b, t->storage, t->ndim, dims, t->layout, true);
    }
    if (type_is_held_apart(t)) {
        Val v = val_tuple(b, t, t->n, NULL);
        for (int i = 0; i < t->n; i++)
            v.elem[i] = np_error_val(b, t->elems[i]);
        return v;
    }
    return (Val){.kind = VK_CONST, .type = t};
}
