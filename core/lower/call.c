/* SPDX-License-Identifier: BSD-3-Clause
 * Calls: of compiled functions (arguments and results flattened), of library rows (to
 * numpy/), of types (casts), of named tuple classes; and comprehensions that make arrays. */
#include "lower/internal.h"

/* ---- compiled functions ---------------------------------------------------------------------- */

static Val
results(Lower *l, const Type *t, IrArg **outs, int *n)
{
    Val v = val_slot(l, t, "r");
    *outs = NEW_N(&l->cx->arena, IrArg, flat_count(&v));
    *n = flatten(&v, *outs, 0);
    for (int i = 0; i < *n; i++) {
        IrArg a = (*outs)[i];
        (*outs)[i] = (IrArg){.arr = a.arr, .out = a.e ? a.e->var : NULL};
    }
    return v;
}

static void
unkeep(Lower *l, const Val *v)
{
    if (v->kind == VK_ARRAY)
        map_put(&l->cx->arena, &l->kept, v->arr, NULL);
    for (int i = 0; v->kind == VK_TUPLE && i < v->n; i++)
        unkeep(l, &v->elem[i]);
}

static int
varargs_at(const FuncDef *d)
{
    for (int i = 0; i < d->n_params; i++)
        if (d->params[i].kind == P_VARARGS)
            return i;
    return -1;
}

Val
one_arg(Lower *l, const Call *c, int k, Val *splat, bool later_impure)
{
    int i = call_splat_elem(c, k);
    if (i >= 0)
        return splat->elem[i];
    if (k < c->n_args && c->arg[k]) {
        const Var *kept = sema_info(l->in, c->arg[k])->hidden; /* a default, evaluated before */
        Val v = kept ? var_val(l, kept) : expr(l, c->arg[k]);
        return later_impure ? pin(l, v) : v;
    }
    if (c->dflt && c->dflt[k])
        return val_const(&l->b, c->dflt[k]);
    return val_none(&l->b);
}

static Val
call_inst(Lower *l, const Node *n, const Call *c)
{
    const Inst *callee = c->inst;
    const FuncDef *d = callee->def;
    int star = varargs_at(d), flat_n = 0, size = 0;
    Val *param = NEW_N(&l->cx->arena, Val, callee->n_params);
    Val splat = {0};
    if (c->splat)
        splat = expr(l, c->splat);
    bool any_impure = false;
    for (int i = 0; i < c->n_args; i++)
        any_impure |= c->arg[i] && impure(l, c->arg[i]);
    for (int i = 0; i < callee->n_params; i++) {
        Val v;
        if (i >= d->n_params) { /* captured variables, from the function value */
            Val f = expr(l, n->kid[0]);
            v = i - d->n_params < f.n ? f.elem[i - d->n_params] : val_none(&l->b);
        } else if (i == star) {
            const Type *t = callee->params[i];
            Val *elem = NEW_N(&l->cx->arena, Val, t->n);
            for (int k = 0; k < t->n; k++) /* named parameters first, then the rest */
                elem[k] = one_arg(l, c, d->n_params - 1 + k, &splat, any_impure);
            v = val_tuple(&l->b, t, t->n, elem);
        } else {
            v = one_arg(l, c, star >= 0 && i > star ? i - 1 : i, &splat, any_impure);
        }
        if (v.kind == VK_LAZY)
            v = np_materialize(&l->b, v, callee->params[i]->layout == LAY_F ? LAY_F : LAY_C);
        param[i] = val_convert(&l->b, v, callee->params[i]);
        size += flat_count(&param[i]);
    }
    IrArg *flat = NEW_N(&l->cx->arena, IrArg, size), *outs;
    for (int i = 0; i < callee->n_params; i++)
        flat_n = flatten(&param[i], flat, flat_n);
    int n_outs;
    const Type *rt = callee->ret ? callee->ret : type_none(l->cx->types);
    Val r = results(l, rt, &outs, &n_outs);
    unkeep(l, &r);
    IrStmt *s = ir_append(&l->b, IS_CALL);
    s->func = callee_func(l, callee);
    s->args = flat;
    s->n_args = flat_n;
    s->outs = outs;
    s->n_outs = n_outs;
    if (r.kind == VK_ARRAY)
        r.temp = true;
    return r;
}

/* ---- library rows -------------------------------------------------------------------------------- */

/* np.array([[a, b], [c, d]]) gets its display as nested tuples of values. */
static Val
display(Lower *l, const Node *n)
{
    const Info *i = sema_info(l->in, n);
    if (n->kind != N_List && n->kind != N_Tuple)
        return expr(l, n);
    Val v = {.kind = VK_TUPLE, .type = i->type, .n = n->n};
    v.elem = NEW_N(&l->cx->arena, Val, n->n);
    for (int k = 0; k < n->n; k++)
        v.elem[k] = display(l, n->kid[k]);
    return v;
}

static bool
any_later_impure(Lower *l, const Call *c, int from)
{
    for (int i = from; i < c->n_args; i++)
        if (c->arg[i] && impure(l, c->arg[i]))
            return true;
    return false;
}

/* An argument known at compile time says so in its parts too: an axis that came as a tuple. */
static Val
with_const(Lower *l, Val v, const Const *cst)
{
    if (!cst || v.cst)
        return v;
    v.cst = cst;
    if (v.kind != VK_TUPLE || cst->kind != CV_TUPLE || cst->n != v.n)
        return v;
    v.elem = arena_dup(&l->cx->arena, v.elem, sizeof(Val) * (size_t)v.n);
    for (int k = 0; k < v.n; k++)
        v.elem[k] = with_const(l, v.elem[k], cst->elems[k]);
    return v;
}

static Val
call_np(Lower *l, const Node *n, const Call *c)
{
    NpCall call = {.fn = c->fn, .result = sema_info(l->in, n)->type, .n = c->n_args, .at = n->at};
    call.arg = NEW_N(&l->cx->arena, Val, c->n_args + 4);
    Val splat = {0};
    if (c->splat)
        splat = expr(l, c->splat);
    for (int i = 0; i < c->n_args; i++) {
        int e = call_splat_elem(c, i);
        if (e >= 0)
            call.arg[i] = splat.elem[e];
        else if (c->arg[i])
            call.arg[i] =
                with_const(l, display(l, c->arg[i]), sema_info(l->in, c->arg[i])->cst);
        if (call.arg[i].type && any_later_impure(l, c, i + 1))
            call.arg[i] = pin(l, call.arg[i]);
        if (c->arg[i] && !call.arg[i].cst) /* a constant axis that came as a parameter */
            call.arg[i].cst = sema_info(l->in, c->arg[i])->cst;
    }
    memcpy(call.in, c->in, sizeof call.in);
    memcpy(call.out, c->out, sizeof call.out);
    if (call.result && call.result->kind == TY_RECORD)
        return record_new(l, c, &call);
    call.weak = call.result && call.result->kind == TY_SCALAR && call.result->weak;
    return np_call(&l->b, &call);
}

/* ---- casts ------------------------------------------------------------------------------------------- */

/* int() of NaN or an infinity raises, and so does what int64 can't hold. The conversion yields
 * the smallest int64 for all of these, so that the usual path has one integer test. */
static IrExpr *
checked_int(Lower *l, IrExpr *e)
{
    Cx *cx = l->cx;
    IrVar *k = ir_temp(&l->b, ir_cast(cx, DT_i64, ir_copy_expr(cx, e)));
    IrStmt *s = ir_if(&l->b, ir_op(cx, OP_eq, ir_use(cx, k), ir_int(cx, DT_i64, INT64_MIN)));
    s->cold = true;
    IrBlock *save = l->b.at;
    l->b.at = &s->body;
    check(l, ir_op(cx, OP_inv, ir_op(cx, OP_isnan, ir_copy_expr(cx, e))), "ValueError",
          "cannot convert float NaN to integer");
    check(l, ir_op(cx, OP_inv, ir_op(cx, OP_isinf, ir_copy_expr(cx, e))), "OverflowError",
          "cannot convert float infinity to integer");
    check(l, ir_op(cx, OP_eq, ir_cast(cx, DT_f64, ir_copy_expr(cx, e)),
                   ir_float(cx, DT_f64, -0x1p63)),
          "OverflowError", "int() of a float that does not fit in int64");
    l->b.at = save;
    return ir_use(cx, k);
}

/* int(x), float(x), bool(x), complex(x, y), np.float32(x) on scalars, with Python's errors. */
Val
scalar_cast(Lower *l, Val v, const Type *to)
{
    Cx *cx = l->cx;
    DType from = val_dtype(&v);
    if (to->dtype == DT_bool)
        return val_scalar(&l->b, to, val_truth(&l->b, &v));
    IrExpr *e = val_expr(&l->b, &v, from);
    if (to->weak && dtype_is_int(to->dtype) && dtype_is_float(from))
        e = checked_int(l, val_freeze(&l->b, e));
    return val_scalar(&l->b, to, ir_cast(cx, to->dtype, e));
}

static Val
call_cast_(Lower *l, const Node *n, const Call *c)
{
    const Type *t = sema_info(l->in, n)->type;
    if (c->n_args == 0 || !c->arg[0])
        return val_scalar(&l->b, t, ir_cast(l->cx, t->dtype, ir_int(l->cx, DT_i64, 0)));
    Val v = expr(l, c->arg[0]);
    if (t->kind == TY_ARRAY)
        return np_cast(&l->b, v, t->dtype, t);
    if (t->dtype == DT_c128 && c->n_args > 1 && c->arg[1]) {
        Val im = expr(l, c->arg[1]);
        DType a = val_dtype(&v), b = val_dtype(&im);
        if (!dtype_is_complex(a) && !dtype_is_complex(b))
            return val_scalar(&l->b, t, ir_op(l->cx, OP_mkcomplex, val_expr(&l->b, &v, DT_f64),
                                              val_expr(&l->b, &im, DT_f64)));
        IrExpr *unit = ir_complex(l->cx, DT_c128, 0, 1);
        IrExpr *y = ir_op(l->cx, OP_mul, val_expr(&l->b, &im, DT_c128), unit);
        return val_scalar(&l->b, t, ir_op(l->cx, OP_add, val_expr(&l->b, &v, DT_c128), y));
    }
    if (!t->weak && t->dtype != DT_bool)
        v = np_weak_fits(&l->b, v, t->dtype);
    return scalar_cast(l, v, t);
}

static Val
call_tuple_class(Lower *l, const Node *n, const Call *c)
{
    const Type *t = sema_info(l->in, n)->type;
    Val *elem = NEW_N(&l->cx->arena, Val, t->n);
    Val splat = {0};
    if (c->splat)
        splat = expr(l, c->splat);
    for (int i = 0; i < t->n; i++) {
        Val v = one_arg(l, c, i, &splat, any_later_impure(l, c, i + 1));
        if (v.kind == VK_LAZY)
            v = np_materialize(&l->b, v, LAY_C);
        elem[i] = val_convert(&l->b, v, t->elems[i]);
    }
    return val_tuple(&l->b, t, t->n, elem);
}

Val
lower_call(Lower *l, const Node *n)
{
    const Call *c = sema_info(l->in, n)->call;
    if (!c)
        return val_none(&l->b);
    switch (c->kind) {
    case CALL_INST: return call_inst(l, n, c);
    case CALL_CAST: return call_cast_(l, n, c);
    case CALL_TUPLE_CLASS: return call_tuple_class(l, n, c);
    case CALL_BUILTIN:
        if (c->fn->family == BF_GRID)
            return grid_call(l, n, c);
        return c->fn->family == BF_PY ? py_call(l, n, c) : call_np(l, n, c);
    case CALL_EXC: break;
    }
    return val_none(&l->b);
}

/* ---- np.array([f(i) for i in ...]) --------------------------------------------------------------------- */

typedef struct Fill {
    IrVar *arr, *at, *n;
    const Type *type; /* of the result */
} Fill;

/* How many axes an element of the comprehension adds, and of what dtype. */
static int
elem_rank(Lower *l, const Type *t, DType *d)
{
    if (t->kind == TY_LIST && t->n)
        return 1 + elem_rank(l, t->elems[0], d);
    if (t->kind == TY_TUPLE && t->n) {
        const Type *j = t->elems[0];
        for (int i = 1; i < t->n && j; i++)
            j = type_join(l->cx->types, j, t->elems[i]);
        return 1 + elem_rank(l, j ? j : t->elems[0], d);
    }
    *d = (DType)t->dtype;
    return t->kind == TY_ARRAY ? t->ndim : 0;
}

/* An element that is a row: an array, or a display to make one of. */
static Val
row_array(Lower *l, const Node *elt, const Fill *f)
{
    Val v = display(l, elt);
    if (v.kind != VK_TUPLE)
        return np_materialize(&l->b, v, LAY_C);
    NpCall call = {.fn = builtin_find("numpy", "array"), .n = 6, .at = elt->at};
    call.result = type_array(l->cx->types, f->type->dtype, f->type->ndim - 1, LAY_C, false);
    call.arg = NEW_N(&l->cx->arena, Val, 8);
    call.arg[0] = v;
    return np_materialize(&l->b, np_call(&l->b, &call), LAY_C);
}

/* The first row tells the shape; every other must have it. */
static void
first_row(Lower *l, Fill *f, const Val *row)
{
    Cx *cx = l->cx;
    IrExpr *dims[SW_MAX_NDIM];
    IrBlock *save = l->b.at;
    IrStmt *s = ir_if(&l->b, ir_op(cx, OP_eq, ir_use(cx, f->at), ir_int(cx, DT_i64, 0)));
    l->b.at = &s->body;
    IrVar *fresh = ir_array_var(l->b.f, "rows", f->type->dtype, f->type->ndim, LAY_C);
    for (int i = 0; i < f->type->ndim; i++)
        dims[i] = i ? val_dim(&l->b, row, i - 1) : ir_use(cx, f->n);
    ir_alloc(&l->b, fresh, dims, LAY_C, false);
    ir_alias(&l->b, f->arr, fresh);
    l->b.at = save;
    for (int i = 1; i < f->type->ndim; i++)
        check(l, ir_op(cx, OP_eq, val_dim(&l->b, row, i - 1), ir_dim(cx, f->arr, i)), "ValueError",
              "setting an array element with a sequence. The requested array has an "
              "inhomogeneous shape");
}

static void
store_elem(Lower *l, const Node *elt, void *arg)
{
    Fill *f = arg;
    if (f->type->ndim == 1) {
        Val v = expr(l, elt);
        IrExpr *idx[1] = {ir_use(l->cx, f->at)};
        ir_store(&l->b, f->arr, 1, idx, val_expr(&l->b, &v, f->type->dtype));
    } else {
        Val row = row_array(l, elt, f);
        first_row(l, f, &row);
        const Type *i64 = type_scalar(l->cx->types, DT_i64, true);
        NpIndex ix = {.kind = NI_INT, .v = val_scalar(&l->b, i64, ir_use(l->cx, f->at))};
        const Type *rt = type_array(l->cx->types, f->type->dtype, f->type->ndim - 1, LAY_C, false);
        Val to = np_view_of(&l->b, val_array(&l->b, f->type, f->arr, false), 1, &ix, rt);
        np_assign(&l->b, &to, row);
    }
    ir_set(&l->b, f->at, ir_op(l->cx, OP_add, ir_use(l->cx, f->at), ir_int(l->cx, DT_i64, 1)));
}

static void
count_elem(Lower *l, const Node *elt, void *arg)
{
    (void)elt;
    IrVar *n = arg;
    ir_set(&l->b, n, ir_op(l->cx, OP_add, ir_use(l->cx, n), ir_int(l->cx, DT_i64, 1)));
}

/* The generators run twice: once to count, once to fill. The element itself runs once. */
Val
list_array(Lower *l, const Node *comp, const Type *elem)
{
    DType d = DT_f64;
    int ndim = 1 + elem_rank(l, elem, &d);
    IrVar *n = ir_temp(&l->b, ir_int(l->cx, DT_i64, 0));
    comprehension(l, comp, count_elem, n);
    const Type *t = type_array(l->cx->types, d, ndim, LAY_C, false);
    IrVar *arr = ir_array_var(l->b.f, "list", d, ndim, LAY_C);
    IrExpr *dims[SW_MAX_NDIM];
    for (int i = 0; i < ndim; i++)
        dims[i] = ndim == 1 ? ir_use(l->cx, n) : ir_int(l->cx, DT_i64, 0);
    ir_alloc(&l->b, arr, dims, LAY_C, false);
    Fill f = {.arr = arr, .at = ir_temp(&l->b, ir_int(l->cx, DT_i64, 0)), .n = n, .type = t};
    comprehension(l, comp, store_elem, &f);
    return val_array(&l->b, t, arr, true);
}
