/* SPDX-License-Identifier: BSD-3-Clause
 * Calls: of compiled functions (arguments and results flattened), of library rows (to
 * numpy/), of types (casts), and of named tuple classes. */
#include "lower/internal.h"
#include <math.h>

/* ---- compiled functions ---------------------------------------------------------------------- */

static void unkeep(Lower *l, const Val *v);

/* A value that a call yields, of references that it has to give up. */
Val
call_results(Lower *l, const Type *t, IrArg **outs, int *n)
{
    Val v = val_slot(l, t, "r");
    *outs = NEW_N(&l->cx->arena, IrArg, flat_count(&v));
    *n = flatten(&v, *outs, 0);
    for (int i = 0; i < *n; i++) {
        IrArg a = (*outs)[i];
        (*outs)[i] = (IrArg){.arr = a.arr, .out = a.e ? a.e->var : NULL};
    }
    unkeep(l, &v);
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

/* All but *args and **keywords. */
static int
named_params(const FuncDef *d)
{
    int n = 0;
    for (int i = 0; i < d->n_params; i++)
        n += d->params[i].kind != P_VARARGS && d->params[i].kind != P_KEYWORDS;
    return n;
}

/* What a **keywords parameter is. */
static Val
more_keys(Lower *l, const Call *c, const Type *t, bool later_impure)
{
    Val v = val_tuple(&l->b, t, t->n, NULL);
    for (int i = 0; i < t->n; i++) {
        Val e = expr(l, c->more[i].value);
        e = e.kind == VK_LAZY ? np_materialize(&l->b, e, LAY_C) : e;
        v.elem[i] = later_impure ? pin(l, e) : e;
    }
    return v;
}

Val
one_arg(Lower *l, const Call *c, int k, Val *splat, bool later_impure)
{
    int i = call_splat_elem(c, k);
    if (i >= 0)
        return later_impure ? pin(l, splat->elem[i]) : splat->elem[i];
    if (k < c->n_args && c->arg[k]) {
        Val v = expr(l, c->arg[k]);
        return later_impure ? pin(l, v) : v;
    }
    if (c->dflt && c->dflt[k])
        return val_const(&l->b, c->dflt[k]);
    return val_none(&l->b);
}

Val
inst_call(Lower *l, const Inst *callee, Val *param)
{
    int size = 0, flat_n = 0, n_outs;
    for (int i = 0; i < callee->n_params; i++) {
        if (param[i].kind == VK_LAZY)
            param[i] =
                np_materialize(&l->b, param[i], callee->params[i]->layout == LAY_F ? LAY_F : LAY_C);
        param[i] = val_convert(&l->b, param[i], callee->params[i]);
        size += flat_count(&param[i]);
    }
    IrArg *flat = NEW_N(&l->cx->arena, IrArg, size), *outs;
    for (int i = 0; i < callee->n_params; i++)
        flat_n = flatten(&param[i], flat, flat_n);
    const Type *rt = callee->ret ? callee->ret : type_none(l->cx->types);
    Val r = call_results(l, rt, &outs, &n_outs);
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

/* An argument as a signature wants it. */
static Val
sig_arg(Lower *l, const FuncDef *d, int k, Val v, const Type *to)
{
    Cx *cx = l->cx;
    if (v.kind == VK_TUPLE && to->kind == TY_TUPLE && v.type->kind == TY_TUPLE) {
        Val *elem = NEW_N(&cx->arena, Val, v.n + 1);
        for (int i = 0; i < v.n; i++)
            elem[i] = sig_arg(l, d, k, v.elem[i], to->elems[i]);
        return val_tuple(&l->b, to, v.n, elem);
    }
    bool number = to->kind == TY_SCALAR && v.type && v.type->kind == TY_SCALAR;
    if (!number || v.type->dtype == to->dtype || dtype_is_param((DType)to->dtype))
        return v;
    DType from = val_dtype(&v), as = (DType)to->storage;
    IrExpr *e = val_expr(&l->b, &v, from);
    if (from == DT_i64 && dtype_is_int(as)) {
        e = val_freeze(&l->b, e);
        IrExpr *same = ir_op(cx, OP_eq, ir_cast(cx, from, ir_cast(cx, as, ir_copy_expr(cx, e))),
                             ir_copy_expr(cx, e));
        if (as == DT_u64)
            same = ir_op(cx, OP_ge, ir_copy_expr(cx, e), ir_int(cx, DT_i64, 0));
        check(l, same, "TypeError",
              arena_printf(&cx->arena, "%s(): argument %d does not fit in %s", d->name, k + 1,
                           to->text));
    }
    return val_scalar(&l->b, to, ir_cast(cx, as, e));
}

static Val
sig_result(Lower *l, const Node *n, const Call *c, Val v)
{
    const Type *to = sema_info(l->in, n)->type, *from = c->inst->ret;
    bool number = to && to->kind == TY_SCALAR && from && from->kind == TY_SCALAR;
    if (!c->sig || !number || to->dtype == from->dtype)
        return v;
    return val_scalar(&l->b, to, ir_cast(l->cx, to->storage, val_expr(&l->b, &v, from->storage)));
}

/* Does a variable of type v hold what t is, where its functions have captured nothing yet? */
static bool
holds_raw(const Type *v, const Type *t)
{
    bool same = v == t || (v->kind == t->kind && v->kind == TY_FUNC && v->ref == t->ref && !v->n);
    bool parts = v->kind == t->kind && (v->kind == TY_OPTIONAL || v->kind == TY_CHOICE);
    if (same || !parts || v->n != t->n)
        return same;
    for (int i = 0; i < v->n; i++)
        if (!holds_raw(v->elems[i], t->elems[i]))
            return false;
    return true;
}

/* What a variable holds without the variables that it takes, with these: a function, perhaps None,
 * or one of several. */
static Val
with_captures(Lower *l, Val raw, const Type *t, const Scope *scope)
{
    if (raw.type == t)
        return raw;
    if (t->kind == TY_CHOICE) {
        Val v = val_tuple(&l->b, t, t->n, NULL);
        for (int i = 0; i < t->n; i++)
            v.elem[i] = with_captures(l, raw.elem[i], t->elems[i], scope);
        return v;
    }
    if (!type_is_optional(t))
        return closure(l, t, scope);
    Val slot = val_slot(l, t, "t");
    IrBlock *save = l->b.at;
    Val some = {.kind = VK_SCALAR, .type = t->elems[0], .e = raw.elem[0].e};
    IrStmt *s = ir_if(&l->b, val_truth(&l->b, &some));
    l->b.at = &s->body;
    Val value = with_captures(l, raw.elem[1], t->elems[1], scope);
    slot_store(l, &slot, val_convert(&l->b, value, t));
    l->b.at = &s->els;
    slot_store(l, &slot, val_convert(&l->b, val_none(&l->b), t));
    l->b.at = save;
    return slot;
}

/* The variable of that name that holds a value of type t, or functions that are to become one;
 * NULL: a function is put together without one. */
static const Var *
captured_var(Lower *l, Sym name, const Type *t)
{
    const Var *found = NULL;
    for (int k = 0; k < l->in->n_vars && !found; k++)
        found = l->in->vars[k]->name == name && l->in->vars[k]->type == t ? l->in->vars[k] : NULL;
    for (int k = 0; k < l->in->n_vars && !found && t->kind != TY_FUNC; k++)
        found = l->in->vars[k]->name == name && holds_raw(l->in->vars[k]->type, t) ? l->in->vars[k]
                                                                                   : NULL;
    return found;
}

/* A function value carries the variables that it captures, as they are now. A function among
 * them that its own variable holds without its captures (n == 0) is put together in turn. */
Val
closure(Lower *l, const Type *t, const Scope *scope)
{
    const FuncDef *d = t->ref;
    Val v = {.kind = VK_TUPLE, .type = t, .n = t->n};
    v.elem = NEW_N(&l->cx->arena, Val, t->n);
    for (int i = 0; i < t->n; i++) {
        const Scope *in = scope;
        while (in && in->name != d->free[i])
            in = in->up;
        const Var *found = captured_var(l, in ? in->as : d->free[i], t->elems[i]);
        IrVar *flag = found ? map_get(&l->flag, found->name) : NULL;
        if (flag)
            check(l, ir_use(l->cx, flag), "NameError",
                  arena_printf(&l->cx->arena,
                               "cannot access free variable '%s' where it is not "
                               "associated with a value in enclosing scope",
                               found->name));
        if (found)
            v.elem[i] = with_captures(l, var_val(l, found), t->elems[i], scope);
        else if (t->elems[i]->kind == TY_FUNC)
            v.elem[i] = closure(l, t->elems[i], scope);
        else
            diag_add(&l->cx->diags, DIAG_internal, l->b.span, "'%s' takes '%s', which is nowhere",
                     d->name, d->free[i]);
    }
    return v;
}

Val
closure_or_none(Lower *l, const Type *t, const Info *i)
{
    if (t->kind == TY_FUNC)
        return closure(l, t, i->scope);
    Val raw = var_val(l, i->var);
    if (type_is_optional(raw.type) && !type_is_optional(t))
        raw = raw.elem[1]; /* sema knows that it isn't None */
    return with_captures(l, raw, t, i->scope);
}

/* Is what is called a value that may be None? */
static bool
may_be_none(Lower *l, const Node *n, const Call *c)
{
    return n->kind == N_Call && !c->self && sema_info(l->in, n->kid[0])->need;
}

/* The function's value, where arguments have been evaluated, and that it isn't None. */
static Val
called(Lower *l, const Node *n)
{
    const Need *need = sema_info(l->in, n->kid[0])->need;
    Val f = expr_before(l, n->kid[0]);
    return need ? needed(l, f, need) : f;
}

Val
lower_call_inst(Lower *l, const Node *n, const Call *c)
{
    const Inst *callee = c->inst;
    const FuncDef *d = callee->def;
    int star = varargs_at(d);
    Val *param = NEW_N(&l->cx->arena, Val, callee->n_params);
    Val splat = {0}, f = {0};
    if (c->splat)
        splat = expr(l, c->splat);
    bool any_impure = false;
    for (int i = 0; i < c->n_args; i++)
        any_impure |= c->arg[i] && impure(l, c->arg[i]);
    for (int i = 0; i < callee->n_params; i++) {
        Val v;
        if (i >= d->n_params) { /* captured variables, from the function value */
            f = i > d->n_params ? f : c->takes ? closure(l, c->takes, c->scope) : called(l, n);
            v = i - d->n_params < f.n ? f.elem[i - d->n_params] : val_none(&l->b);
        } else if (d->params[i].kind == P_KEYWORDS) {
            v = more_keys(l, c, callee->params[i], any_impure);
        } else if (i == star && c->rest) {
            v = expr(l, c->rest);
        } else if (i == star && c->splat_rest) {
            v = splat.elem[c->splat_n];
        } else if (i == star) {
            const Type *t = callee->params[i];
            Val *elem = NEW_N(&l->cx->arena, Val, t->n);
            for (int k = 0; k < t->n; k++) { /* named parameters first, then the rest */
                elem[k] = one_arg(l, c, named_params(d) + k, &splat, any_impure);
                if (elem[k].kind == VK_LAZY) /* a tuple holds arrays */
                    elem[k] = np_materialize(&l->b, elem[k], LAY_C);
                if (c->sig)
                    elem[k] = sig_arg(l, d, i, elem[k], t->elems[k]);
            }
            v = val_tuple(&l->b, t, t->n, elem);
        } else {
            v = one_arg(l, c, star >= 0 && i > star ? i - 1 : i, &splat, any_impure);
        }
        param[i] =
            v.kind == VK_LAZY
                ? np_materialize(&l->b, v, callee->params[i]->layout == LAY_F ? LAY_F : LAY_C)
                : v;
        if (c->sig && i < d->n_params && i != star)
            param[i] = sig_arg(l, d, i, param[i], callee->params[i]);
    }
    if (callee->n_params == d->n_params && may_be_none(l, n, c))
        called(l, n);
    return sig_result(l, n, c, inst_call(l, callee, param));
}

/* ---- arguments in the order in which they are written ---- */

static int
arg_place(const Node *n, const Node *arg)
{
    int i = 0;
    while (i < n->n && n->kid[i] != arg && !(n->kid[i]->n && n->kid[i]->kid[0] == arg))
        i++;
    return i < n->n ? i : -1;
}

static bool
in_order(const Node *n, const Call *c)
{
    int last = c->splat ? arg_place(n, c->splat) : -1;
    for (int i = 0; i < c->n_args; i++) {
        if (!c->arg[i] || c->arg[i]->kind == N_Const) /* whose turn nobody can tell */
            continue;
        int k = arg_place(n, c->arg[i]);
        if (k >= 0 && k < last)
            return false;
        last = k >= 0 ? k : last;
    }
    return true;
}

/* Names may say that a later parameter's argument comes first, and what is unpacked may come
 * behind others: all are evaluated as written, where that matters. */
static void
evaluate_in_order(Lower *l, const Node *n, const Call *c)
{
    bool any = false, generated = false, ordered = in_order(n, c);
    for (int i = n->kind == N_Call; i < n->n; i++) {
        const Node *k = n->kid[i];
        const Node *arg = k->kind == N_Keyword || k->kind == N_Starred ? k->kid[0] : k;
        if (map_get(&l->given, arg)) /* lowered before, in another version of this */
            map_put(&l->cx->arena, &l->given, arg, NULL);
        any |= !ordered && impure(l, arg);
        if (k->kind == N_Starred && arg != c->splat && arg != c->rest) /* of nothing */
            known_effects(l, arg);
        generated |= is_generated(arg);
    }
    if (!any || generated)
        return;
    for (int i = n->kind == N_Call; i < n->n; i++) {
        const Node *k = n->kid[i];
        const Node *arg = k->kind == N_Keyword || k->kind == N_Starred ? k->kid[0] : k;
        bool used = arg == c->splat || arg == c->rest;
        for (int j = 0; j < c->n_args && !used; j++)
            used = c->arg[j] == arg;
        if (!used)
            continue;
        Val v = pin(l, c->kind == CALL_BUILTIN ? display(l, arg) : expr(l, arg));
        map_put(&l->cx->arena, &l->given, arg, arena_dup(&l->cx->arena, &v, sizeof v));
    }
}

/* ---- library rows ---------------------------------------------------------------------------- */

/* np.array([[a, b], [c, d]]) gets its display as nested tuples of values. */
Val
display(Lower *l, const Node *n)
{
    const Info *i = sema_info(l->in, n);
    if ((n->kind != N_List && n->kind != N_Tuple) || map_get(&l->given, n))
        return expr(l, n);
    if (i->need || i->type->kind == TY_REF) /* [*x, 1], made as a list */
        return expr(l, n);
    Vec(Val) elem = {0};
    int last = last_impure(l, n);
    for (int k = 0; k < n->n; k++) {
        const Node *e = n->kid[k];
        Val v = e->kind == N_Starred ? display(l, e->kid[0]) : display(l, e);
        v = k < last ? pin(l, v) : v;
        for (int j = 0; e->kind == N_Starred && j < v.n; j++)
            VEC_PUSH(&l->cx->arena, elem, v.elem[j]);
        if (e->kind != N_Starred)
            VEC_PUSH(&l->cx->arena, elem, v);
    }
    return (Val){.kind = VK_TUPLE, .type = i->type, .n = elem.n, .elem = elem.at};
}

bool
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
    NpCall call = {
        .fn = c->fn, .result = type_before(sema_info(l->in, n)), .n = c->n_args, .at = n->at};
    call.arg = NEW_N(&l->cx->arena, Val, c->n_args + 4);
    Val splat = {0};
    if (c->splat)
        splat = expr(l, c->splat);
    for (int i = 0; i < c->n_args; i++) {
        int e = call_splat_elem(c, i);
        if (e >= 0)
            call.arg[i] = splat.elem[e];
        else if (c->arg[i])
            call.arg[i] = with_const(l, display(l, c->arg[i]), sema_info(l->in, c->arg[i])->cst);
        if (call.arg[i].type && any_later_impure(l, c, i + 1))
            call.arg[i] = pin(l, call.arg[i]);
        if (c->arg[i] && !call.arg[i].cst) /* a constant axis that came as a parameter */
            call.arg[i].cst = sema_info(l->in, c->arg[i])->cst;
    }
    memcpy(call.in, c->in, sizeof call.in);
    memcpy(call.out, c->out, sizeof call.out);
    call.time = c->time;
    if (call.result && call.result->kind == TY_RECORD)
        return record_new(l, c, &call);
    call.weak = call.result && call.result->kind == TY_SCALAR && call.result->weak;
    return np_call(&l->b, &call);
}

/* ---- casts ----------------------------------------------------------------------------------- */

/* int() of NaN or an infinity raises, and so does what int64 can't hold: the conversion yields the
 * smallest int64 for all of these, so that the usual path has one integer test. */
static IrExpr *
checked_int(Lower *l, IrExpr *e)
{
    Cx *cx = l->cx;
    IrExpr *x = e->dtype == DT_f16 ? val_freeze(&l->b, ir_cast(cx, DT_f32, e)) : e;
    IrVar *k = ir_temp(&l->b, ir_op(cx, OP_toint, ir_copy_expr(cx, x)));
    IrStmt *s = ir_if(&l->b, ir_op(cx, OP_eq, ir_use(cx, k), ir_int(cx, DT_i64, INT64_MIN)));
    s->cold = true;
    IrBlock *save = l->b.at;
    l->b.at = &s->body;
    check(l, ir_op(cx, OP_inv, ir_op(cx, OP_isnan, ir_copy_expr(cx, x))), "ValueError",
          "cannot convert float NaN to integer");
    check(l, ir_op(cx, OP_inv, ir_op(cx, OP_isinf, ir_copy_expr(cx, x))), "OverflowError",
          "cannot convert float infinity to integer");
    check(l, ir_op(cx, OP_eq, ir_copy_expr(cx, x), ir_float(cx, (DType)x->dtype, -0x1p63)),
          "OverflowError", "int() of a float that does not fit in int64");
    l->b.at = save;
    return ir_use(cx, k);
}

/* int() of what is known to be small; the cast tells passes how small. NULL: it isn't. */
static IrExpr *
small_int(Lower *l, const IrExpr *e)
{
    static const DType narrow[] = {DT_u8, DT_i8, DT_u16, DT_i16, DT_i32};
    double lo, hi;
    if (!ir_real_range(e, &lo, &hi))
        return NULL;
    for (int i = 0; i < SW_LEN(narrow); i++) {
        int bits = dtype_info[narrow[i]].bits;
        bool is_signed = dtype_kind(narrow[i]) == DK_INT;
        double least = is_signed ? -ldexp(1, bits - 1) : 0, end = ldexp(1, bits - is_signed);
        if (trunc(lo) < least || hi >= end)
            continue;
        IrExpr *k = val_freeze(&l->b, ir_copy_expr(l->cx, e));
        return ir_use(l->cx, ir_temp(&l->b, ir_cast(l->cx, DT_i64, ir_cast(l->cx, narrow[i], k))));
    }
    return NULL;
}

/* int(x), float(x), bool(x), complex(x, y), np.float32(x) on scalars, with Python's errors. */
Val
scalar_cast(Lower *l, Val v, const Type *to)
{
    Cx *cx = l->cx;
    DType from = val_dtype(&v);
    if (to->storage == DT_bool)
        return val_scalar(&l->b, to, val_truth(&l->b, &v));
    IrExpr *e = val_expr(&l->b, &v, from);
    /* NumPy's: int() of its real part */
    if (to->weak && dtype_is_complex(from) && dtype_is_int(to->storage))
        e = ir_op(l->cx, OP_real, e);
    if (to->weak && dtype_is_int(to->storage) && dtype_is_float(e->dtype)) {
        IrExpr *small = small_int(l, e);
        e = small ? small : checked_int(l, val_freeze(&l->b, e));
    } else if (to->weak && to->storage == DT_i64 && from == DT_u64)
        e = val_int(&l->b, &v, "OverflowError", "int() of a uint64 that does not fit in int64");
    return val_scalar(&l->b, to, ir_cast(cx, to->storage, e));
}

/* complex(re, im): a part that isn't complex takes no part in the other sum, whatever its zero's
 * sign. A complex64 in the second place is a float to Python. */
static Val
complex_of_two(Lower *l, const Type *t, Val re, Val im)
{
    bool two = dtype_is_complex(val_dtype(&re)), both = val_dtype(&im) == DT_c128;
    IrExpr *x = val_freeze(&l->b, val_expr(&l->b, &re, two ? DT_c128 : DT_f64));
    IrExpr *y = val_freeze(&l->b, val_expr(&l->b, &im, both ? DT_c128 : DT_f64));
    IrExpr *real = two ? ir_op(l->cx, OP_real, x) : x, *imag = both ? ir_op(l->cx, OP_real, y) : y;
    if (both)
        real = ir_op(l->cx, OP_sub, real, ir_op(l->cx, OP_imag, ir_copy_expr(l->cx, y)));
    if (two)
        imag = ir_op(l->cx, OP_add, imag, ir_op(l->cx, OP_imag, ir_copy_expr(l->cx, x)));
    return val_scalar(&l->b, t, ir_op(l->cx, OP_mkcomplex, real, imag));
}

static Val
call_cast_(Lower *l, const Node *n, const Call *c)
{
    const Type *t = type_before(sema_info(l->in, n));
    if (c->n_args == 0 || !c->arg[0])
        return val_scalar(&l->b, t, ir_cast(l->cx, t->storage, ir_int(l->cx, DT_i64, 0)));
    Val v = expr(l, c->arg[0]);
    if (c->dflt)
        return val_const(&l->b, c->dflt[0]);
    if (v.type && type_is_optional(v.type) && t->storage != DT_bool) /* NumPy's floats */
        return val_convert(&l->b, stored(l, v, t->storage), t);
    if (t->kind == TY_ARRAY)
        return np_cast(&l->b, v, t->storage, t);
    if (t->storage == DT_c128 && c->n_args > 1 && c->arg[1]) {
        v = any_later_impure(l, c, 1) ? pin(l, v) : v;
        return complex_of_two(l, t, v, expr(l, c->arg[1]));
    }
    if (!t->weak && t->storage != DT_bool)
        v = v.type && v.type->weak ? np_check_fits(&l->b, v, t->storage) : v;
    return scalar_cast(l, v, t);
}

static Val
call_tuple_class(Lower *l, const Node *n, const Call *c)
{
    const Type *t = type_before(sema_info(l->in, n));
    Val *elem = NEW_N(&l->cx->arena, Val, t->n);
    Val splat = {0};
    if (c->splat)
        splat = expr(l, c->splat);
    if (type_is_int_member(t))
        return scalar_cast(l, one_arg(l, c, 0, &splat, false), t);
    for (int i = 0; i < t->n; i++) {
        Val v = one_arg(l, c, i, &splat, any_later_impure(l, c, i + 1));
        if (v.kind == VK_LAZY)
            v = np_materialize(&l->b, v, LAY_C);
        elem[i] = val_convert(&l->b, v, t->elems[i]);
    }
    return val_tuple(&l->b, t, t->n, elem);
}

static Val
call_of(Lower *l, const Node *n, const Call *c)
{
    bool operands = n->kind == N_Compare || n->kind == N_BinOp; /* x in {y}, 1 + f(): __radd__ */
    if (operands || (n->kind == N_Call && n->n > 1))
        evaluate_in_order(l, n, c);
    if (c->makes)
        return object_make(l, n, c);
    switch (c->kind) {
    case CALL_INST:
        return lower_call_inst(l, n, c);
    case CALL_CAST:
        return call_cast_(l, n, c);
    case CALL_TUPLE_CLASS:
        return call_tuple_class(l, n, c);
    case CALL_BUILTIN:
        if (c->fn->family == BF_GRID)
            return grid_call(l, n, c);
        if (c->fn->family == BF_HEAP)
            return heap_row(l, n, c);
        if (c->fn->family == BF_KERNEL)
            return kernel_call(l, n, c);
        return c->fn->family == BF_PY ? py_call(l, n, c) : call_np(l, n, c);
    case CALL_EXC:
        break;
    }
    return val_none(&l->b);
}

/* Is the function read from where an argument might put another? */
static bool
reads_before(Lower *l, const Node *n, const Call *c)
{
    const Node *f = n->kid[0];
    bool read = f->kind == N_Attribute || f->kind == N_Subscript;
    const Type *t = type_before(sema_info(l->in, f));
    return read && t && type_value(t)->kind == TY_FUNC && any_later_impure(l, c, 0);
}

/* What yields the function, as in `f(x)(y)`, is called once, before the arguments. */
Val
lower_call(Lower *l, const Node *n)
{
    const Call *c = sema_info(l->in, n)->call;
    const Node *f = n->kind == N_Call ? n->kid[0] : NULL;
    if (!c)
        return val_none(&l->b);
    if (c->kind != CALL_INST && may_be_none(l, n, c)) /* a function of the library */
        called(l, n);
    if (!f || c->self || map_get(&l->given, f) || !(impure(l, f) || reads_before(l, n, c)))
        return call_of(l, n, c);
    Val made = pin(l, expr_before(l, f));
    map_put(&l->cx->arena, &l->given, f, arena_dup(&l->cx->arena, &made, sizeof made));
    Val v = call_of(l, n, c);
    map_put(&l->cx->arena, &l->given, f, NULL);
    return v;
}
