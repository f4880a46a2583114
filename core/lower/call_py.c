/* SPDX-License-Identifier: BSD-3-Clause
 * Python's builtins. Those that take an iterable run over arrays, tuples, ranges and generator
 * expressions alike: fold_iterable is the loop, and the step says what to do with a value. */
#include "lower/internal.h"

static Val
arg(Lower *l, const Call *c, int k)
{
    int i = l->splat_of == c ? call_splat_elem(c, k) : -1;
    if (i >= 0)
        return l->splat.elem[i];
    if (k >= c->n_args || !c->arg[k])
        return (Val){0};
    Val v = expr(l, c->arg[k]);
    return any_later_impure(l, c, k + 1) ? pin(l, v) : v;
}

/* ---- folds over iterables -------------------------------------------------------------------- */

static bool
op_picks(IrOp op) /* min, max */
{
    return op == OP_lt || op == OP_gt;
}

typedef struct Fold {
    IrOp op; /* OP_add, lt, gt, or, and: sum, min, max, any, all */
    const Type *type;
    Val acc;     /* a slot */
    bool few;    /* known elements: checking their sum is free */
    IrVar *seen; /* min, max: has there been one? NULL: there has */
} Fold;

static void
fold_step(Lower *l, Fold *f, Val v)
{
    IrExpr *acc = f->acc.e ? ir_use(l->cx, f->acc.e->var) : NULL;
    DType d = f->type->storage;
    if (f->op == OP_or || f->op == OP_and) {
        ir_set(&l->b, f->acc.e->var, ir_op(l->cx, f->op, acc, val_truth(&l->b, &v)));
        return;
    }
    if (!f->type->weak)
        v = np_weak_fits(&l->b, v, d);
    IrExpr *e = val_expr(&l->b, &v, d);
    if (f->op == OP_add) {
        bool checked = f->type->weak && d == DT_i64 && (f->few || l->cx->opt->debug);
        IrExpr *sum = checked ? scalar_exact(l, B_ADD, acc, e) : ir_op(l->cx, OP_add, acc, e);
        ir_set(&l->b, f->acc.e->var, sum);
        return;
    }
    e = val_freeze(&l->b, e);
    IrExpr *better = ir_op(l->cx, f->op, again(l, e), acc);
    if (f->seen)
        better = ir_op(l->cx, OP_or, ir_op(l->cx, OP_inv, ir_use(l->cx, f->seen)), better);
    ir_set(&l->b, f->acc.e->var, ir_op(l->cx, OP_select, better, again(l, e), again(l, acc)));
    if (f->seen)
        ir_set(&l->b, f->seen, ir_int(l->cx, DT_bool, 1));
}

static void
fold_generated(Lower *l, const Node *elt, void *a)
{
    fold_step(l, a, expr(l, elt));
}

static void
fold_iter(Lower *l, Fold *f, Iter it, const char *empty)
{
    int64_t n;
    bool pick = op_picks(f->op), decides = f->op == OP_or || f->op == OP_and;
    if (it.n && ir_is_const(it.n, &n) && n <= 16 && it.get && !it.filters && !iter_ends(&it)) {
        f->few = true;
        for (int64_t i = 0; i < n; i++)
            fold_step(l, f, it.get(l, &it, ir_int(l->cx, DT_i64, i)));
        return;
    }
    bool first = pick && it.n && !it.filters;
    if (first) { /* the first, and then the others */
        check(l, ir_op(l->cx, OP_gt, again(l, it.n), ir_int(l->cx, DT_i64, 0)), "ValueError",
              empty);
        fold_step(l, f, it.get(l, &it, ir_int(l->cx, DT_i64, 0)));
        f->seen = NULL;
    }
    IrBlock *save = l->b.at;
    Val v;
    IrStmt *s = iter_loop(l, &it, LOOP_SEQ, ir_int(l->cx, DT_i64, first), &v);
    s->label = np_label(&l->b, 0);
    fold_step(l, f, v);
    if (decides && !it.n) { /* no more are asked for, and others may go on with it */
        IrExpr *acc = ir_use(l->cx, f->acc.e->var);
        l->b.at = &ir_if(&l->b, f->op == OP_or ? acc : ir_op(l->cx, OP_inv, acc))->body;
        ir_append(&l->b, IS_BREAK);
    }
    l->b.at = save;
    if (iter_ends(&it))
        iter_end(l, &it);
}

static Val
fold_iterable(Lower *l, IrOp op, const Node *iterable, const Type *t, const Val *start)
{
    Fold f = {.op = op, .type = t, .acc = val_slot(l, t, "acc")};
    IrExpr *init = start && start->type
                       ? val_expr(&l->b, start, t->storage)
                       : ir_cast(l->cx, t->storage, ir_int(l->cx, DT_i64, op == OP_and));
    ir_set(&l->b, f.acc.e->var, init);
    if (op_picks(op))
        f.seen = ir_temp(&l->b, ir_int(l->cx, DT_bool, 0));
    const char *empty = text_of_empty(l->cx->opt, op == OP_lt);
    if (iterable->kind == N_ListComp && !map_get(&l->given, iterable)) {
        IrExpr *acc = ir_use(l->cx, f.acc.e->var);
        IrExpr *enough = op == OP_or ? acc : op == OP_and ? ir_op(l->cx, OP_inv, acc) : NULL;
        enough = iterable->op == 1 ? enough : NULL; /* a list is made whole */
        comprehension(
            l,
            &(Generators){.comp = iterable, .body = fold_generated, .enough = enough, .arg = &f});
    } else {
        fold_iter(l, &f, make_iter(l, iterable, false), empty);
    }
    if (f.seen)
        check(l, ir_use(l->cx, f.seen), "ValueError", empty);
    return f.acc;
}

/* v where it is below (above) best, else best. */
static Val
better_of(Lower *l, IrOp op, Val best, Val v, const Type *t)
{
    IrExpr *take = compare_scalars(l, op, &v, &best);
    IrBlock a = {0}, b = {0}, *save = l->b.at;
    l->b.at = &a;
    Val x = val_convert(&l->b, v, t);
    l->b.at = &b;
    Val y = val_convert(&l->b, best, t);
    l->b.at = save;
    if (!a.first && !b.first)
        return val_scalar(&l->b, t, ir_op(l->cx, OP_select, take, x.e, y.e));
    Val slot = val_slot(l, t, "best"); /* only what is chosen has to fit */
    IrStmt *s = ir_if(&l->b, take);
    ir_move_all(&s->body, &a);
    ir_move_all(&s->els, &b);
    l->b.at = &s->body;
    slot_store(l, &slot, x);
    l->b.at = &s->els;
    slot_store(l, &slot, y);
    l->b.at = save;
    return slot;
}

/* max(x, key=, default=). A list is passed as it is: a key may change it. */
static Val
extreme_by(Lower *l, const Call *c, int first, const Inst *in)
{
    const Node *from = c->arg[first];
    bool list = type_is_heap(sema_info(l->in, from)->type, &heap_list) && !is_generated(from);
    int n = c->n_args - first;
    Val of = n > 1  ? heap_list_of(l, in->params[0], n, (const Node *const *)c->arg + first)
             : list ? pin(l, expr(l, from))
                    : heap_from(l, from, in->params[0], NULL);
    Val param[4] = {of, arg(l, c, 0), arg(l, c, 1)};
    param[3] = val_scalar(&l->b, in->params[3], ir_int(l->cx, DT_bool, param[2].type != NULL));
    for (int i = 1; i < 3; i++)
        param[i] = param[i].type ? pin(l, param[i]) : val_none(&l->b);
    return inst_call(l, in, param);
}

/* min(a, b, c): the first of the smallest, as Python's `b if b < a else a` chain finds it. The
 * numbers are compared as they are, and what is chosen takes the type that all join to. */
Val
emit_py_extreme(Lower *l, const Node *at, const Call *c, const Type *t)
{
    IrOp op = (IrOp)c->fn->op;
    int first = builtin_params[c->fn->id].n;
    const Call *by = sema_info(l->in, at)->before;
    const Type *of = c->n_args == first + 1 ? sema_info(l->in, c->arg[first])->type : NULL;
    bool tuple = of && of->kind == TY_TUPLE && of->n > 0;
    if (by)
        return extreme_by(l, c, first, by->inst);
    if (of && !tuple)
        return fold_iterable(l, op, c->arg[first], t, NULL);
    Val all = tuple ? expr(l, c->arg[first]) : (Val){0};
    int n = tuple ? all.n : c->n_args - first;
    Val best = tuple ? all.elem[0] : arg(l, c, first);
    val_pin(&l->b, &best);
    for (int i = 1; i < n; i++) {
        Val v = tuple ? all.elem[i] : arg(l, c, first + i);
        val_pin(&l->b, &v);
        best = better_of(l, op, best, v, t);
        if (i + 1 < n)
            val_pin(&l->b, &best);
    }
    return val_convert(&l->b, best, t);
}

/* ---- numbers --------------------------------------------------------------------------------- */

static Val
as_np_of(Lower *l, const Node *n, const Call *c, BuiltinId id, const Val *given)
{
    NpCall call = {.fn = &builtin_table[id],
                   .result = type_before(sema_info(l->in, n)),
                   .n = c->n_args,
                   .at = n->at};
    call.arg = NEW_N(&l->cx->arena, Val, c->n_args + 4);
    memcpy(call.arg, given, sizeof(Val) * (size_t)c->n_args);
    memcpy(call.in, c->in, sizeof call.in);
    memcpy(call.out, c->out, sizeof call.out);
    call.time = c->time;
    if (!c->n_in)
        call.in[0] = val_dtype(&call.arg[0]), call.out[0] = call.result->storage;
    return np_call(&l->b, &call);
}

static Val
as_np(Lower *l, const Node *n, const Call *c, BuiltinId id)
{
    Val *given = NEW_N(&l->cx->arena, Val, c->n_args + 1);
    for (int i = 0; i < c->n_args; i++)
        given[i] = arg(l, c, i);
    return as_np_of(l, n, c, id, given);
}

Val
emit_py_abs(Lower *l, const Node *n, const Call *c, const Type *t)
{
    if (t->kind == TY_ARRAY || c->time.op)
        return as_np(l, n, c, BI_np_absolute);
    Val v = arg(l, c, 0);
    DType d = val_dtype(&v);
    if (d == DT_bool && t->storage != DT_bool)
        d = t->storage;
    IrExpr *e = val_expr(&l->b, &v, d);
    if (t->weak && d == DT_i64 && l->cx->opt->debug) {
        e = val_freeze(&l->b, e);
        check(l, ir_op(l->cx, OP_ne, again(l, e), ir_int(l->cx, DT_i64, INT64_MIN)),
              "OverflowError", "integer overflow: the result does not fit in int64");
    }
    return val_scalar(&l->b, t, ir_cast(l->cx, t->storage, ir_op(l->cx, OP_abs, e)));
}

static bool
const_digits(const Val *v, int64_t *k)
{
    if (v->cst && (v->cst->kind == CV_INT || v->cst->kind == CV_NPSCALAR))
        return *k = v->cst->i, true;
    return v->e && ir_is_const(v->e, k);
}

/* To a multiple of 10**19, of which -10**19, 0 and 10**19 are all that are near an int64, or of a
 * power above it. */
static IrExpr *
round_far(Lower *l, IrExpr *n, IrExpr *x)
{
    Cx *cx = l->cx;
    int64_t unit = (int64_t)10000000000000000000u, half = 5000000000000000000;
    IrExpr *nearest = ir_op(cx, OP_select, ir_op(cx, OP_lt, again(l, x), ir_int(cx, DT_i64, -half)),
                            ir_int(cx, DT_i64, -unit), ir_int(cx, DT_i64, 0));
    nearest = ir_op(cx, OP_select, ir_op(cx, OP_gt, again(l, x), ir_int(cx, DT_i64, half)),
                    ir_int(cx, DT_i64, unit), nearest);
    return ir_op(cx, OP_select, ir_op(cx, OP_eq, again(l, n), ir_int(cx, DT_i64, -19)), nearest,
                 ir_int(cx, DT_i64, 0));
}

/* round(1250, -2): to a multiple of 10 ** -digits, halves to the even one; digits >= 0 changes
 * nothing. */
static Val
round_int(Lower *l, const Val *v, const Val *digits, const Type *t)
{
    Cx *cx = l->cx;
    DType d = DT_i64;
    IrExpr *given = val_freeze(&l->b, val_clipped(&l->b, digits));
    IrExpr *n = ir_op(cx, OP_max, again(l, given), ir_int(cx, DT_i64, -18));
    n = ir_op(cx, OP_neg, ir_op(cx, OP_min, n, ir_int(cx, DT_i64, 0)));
    IrExpr *unit = val_freeze(&l->b, ir_op(cx, OP_pow, ir_int(cx, DT_i64, 10), n));
    IrExpr *x = val_freeze(&l->b, val_expr(&l->b, v, d));
    IrExpr *rest = val_freeze(&l->b, ir_op(cx, OP_mod, x, again(l, unit)));
    IrExpr *down = val_freeze(&l->b, ir_op(cx, OP_sub, again(l, x), again(l, rest)));
    IrExpr *left = val_freeze(&l->b, ir_op(cx, OP_sub, again(l, unit), again(l, rest)));
    IrExpr *odd = ir_op(
        cx, OP_ne,
        ir_op(cx, OP_and, ir_op(cx, OP_floordiv, again(l, down), again(l, unit)), ir_int(cx, d, 1)),
        ir_int(cx, d, 0));
    IrExpr *tie = ir_op(cx, OP_and, ir_op(cx, OP_eq, again(l, rest), again(l, left)), odd);
    IrExpr *up = ir_op(cx, OP_or, ir_op(cx, OP_gt, again(l, rest), again(l, left)), tie);
    IrExpr *e =
        ir_op(cx, OP_select, up, ir_op(cx, OP_add, again(l, down), again(l, unit)), again(l, down));
    IrExpr *far = ir_op(cx, OP_lt, again(l, given), ir_int(cx, DT_i64, -18));
    e = ir_op(cx, OP_select, far, round_far(l, given, x), e);
    return val_scalar(&l->b, t, ir_cast(cx, t->storage, e));
}

Val
emit_py_round(Lower *l, const Node *n, const Call *c, const Type *t)
{
    Val v = arg(l, c, 0), digits = arg(l, c, 1), both[2] = {v, digits};
    bool given = digits.type && digits.kind != VK_NONE && digits.type->kind != TY_NONE;
    if (t->kind == TY_ARRAY || (!t->weak && given)) /* by scaling; only Python's are by decimals */
        return as_np_of(l, n, c, BI_np_round, both);
    DType d = val_dtype(&v);
    if (!dtype_is_float(d)) {
        int64_t k;
        bool tens =
            digits.type && digits.type->kind == TY_SCALAR && !(const_digits(&digits, &k) && k >= 0);
        if (tens)
            return round_int(l, &v, &digits, t);
        return val_scalar(&l->b, t,
                          t->weak ? val_int(&l->b, &v, "OverflowError", VAL_TOO_LARGE)
                                  : val_expr(&l->b, &v, t->storage));
    }
    if (!given) {
        Val r = val_scalar(&l->b, type_scalar(l->cx->types, d, true),
                           ir_op(l->cx, OP_rint, val_expr(&l->b, &v, d)));
        return t->weak ? scalar_cast(l, r, t)
                       : val_scalar(&l->b, t, ir_cast(l->cx, t->storage, r.e));
    }
    IrVar *out = ir_var(l->b.f, "rounded", DT_f64);
    IrExpr *x = val_expr(&l->b, &v, DT_f64), *k = val_clipped(&l->b, &digits);
    IrStmt *s = ir_ask(&l->b, RT_sw_round_digits, 2, out);
    s->args[0].e = x;
    s->args[1].e = k;
    return val_scalar(&l->b, t, ir_cast(l->cx, t->storage, ir_use(l->cx, out)));
}

Val
emit_py_divmod(Lower *l, const Node *n, const Call *c, const Type *t)
{
    if (c->time.op || (t->kind == TY_TUPLE && t->n == 2 && t->elems[0]->kind == TY_ARRAY))
        return as_np(l, n, c, BI_np_divmod);
    Val a = arg(l, c, 0), b = arg(l, c, 1);
    const Type *et = t->elems[0];
    DType d = c->n_in ? c->in[0] : et->storage;
    if (!et->weak) {
        a = np_weak_fits(&l->b, a, d);
        b = np_weak_fits(&l->b, b, d);
    }
    IrExpr *x = val_freeze(&l->b, val_expr(&l->b, &a, d));
    IrExpr *y = val_freeze(&l->b, val_expr(&l->b, &b, d));
    Val *elem = NEW_N(&l->cx->arena, Val, 2);
    IrExpr *q = scalar_binop(l, B_FLOORDIV, x, y, d, et->weak ? WEAK_DIVMOD : STRONG);
    IrExpr *r = scalar_binop(l, B_MOD, again(l, x), again(l, y), d, STRONG);
    elem[0] = val_scalar(&l->b, et, ir_cast(l->cx, et->storage, q));
    elem[1] = val_scalar(&l->b, t->elems[1], ir_cast(l->cx, t->elems[1]->storage, r));
    return val_tuple(&l->b, t, 2, elem);
}

Val
emit_py_pow(Lower *l, const Node *n, const Call *c, const Type *t)
{
    Val a = arg(l, c, 0), b = arg(l, c, 1);
    if (t->kind == TY_ARRAY)
        return as_np(l, n, c, BI_np_power);
    DType d = c->n_in ? c->in[0] : t->storage;
    if (!t->weak) {
        a = np_weak_fits(&l->b, a, d);
        b = np_weak_fits(&l->b, b, d);
    }
    IrExpr *e = scalar_binop(l, B_POW, val_expr(&l->b, &a, d), val_expr(&l->b, &b, d), d,
                             t->weak ? WEAK : STRONG);
    return val_scalar(&l->b, t, ir_cast(l->cx, t->storage, e));
}

/* ---- sequences ------------------------------------------------------------------------------- */

Val
emit_py_len(Lower *l, const Node *at, const Call *c, const Type *t)
{
    Val v = arg(l, c, 0);
    if (v.type->kind == TY_REF)
        return val_scalar(&l->b, t, heap_len(l, &v));
    for (bool records = v.type->kind == TY_RECORD; records && v.kind == VK_TUPLE;)
        v = v.elem[0];
    if (text_is(&v))
        v = text_val(l, v).elem[0];
    if (val_is_arraylike(&v))
        return val_scalar(&l->b, t, val_dim(&l->b, &v, 0));
    if (v.type->kind == TY_RANGE) {
        IrExpr *n = np_range_length(&l->b, v.elem[0].e, v.elem[1].e, v.elem[2].e);
        n = val_freeze(&l->b, n); /* the greatest stands for all above */
        check(l, ir_op(l->cx, OP_ne, again(l, n), ir_int(l->cx, DT_i64, INT64_MAX)),
              "OverflowError", "Python int too large to convert to C ssize_t");
        return val_scalar(&l->b, t, n);
    }
    return val_scalar(&l->b, t, ir_int(l->cx, DT_i64, v.n));
}

Val
range_element(Lower *l, Val r, const Node *index, const Type *t)
{
    Cx *cx = l->cx;
    if (impure(l, index))
        r = pin(l, r);
    Val i = expr(l, index);
    IrExpr *at = val_freeze(&l->b, val_expr(&l->b, &i, DT_i64)), *e[3];
    for (int k = 0; k < 3; k++)
        e[k] = val_freeze(&l->b, val_expr(&l->b, &r.elem[k], DT_i64));
    IrExpr *n = val_freeze(&l->b, np_range_length(&l->b, again(l, e[0]), e[1], again(l, e[2])));
    IrExpr *back = ir_op(cx, OP_add, again(l, at), again(l, n));
    at = val_freeze(&l->b,
                    ir_op(cx, OP_select, ir_op(cx, OP_lt, again(l, at), i64(l, 0)), back, at));
    IrExpr *in = ir_op(cx, OP_and, ir_op(cx, OP_ge, again(l, at), i64(l, 0)),
                       ir_op(cx, OP_lt, again(l, at), n));
    check(l, in, "IndexError", "range object index out of range");
    return val_scalar(&l->b, t, ir_op(cx, OP_add, e[0], ir_op(cx, OP_mul, at, e[2])));
}

Val
emit_py_range(Lower *l, const Node *at, const Call *c, const Type *t)
{
    Val *elem = NEW_N(&l->cx->arena, Val, 3);
    const Type *wi = type_scalar(l->cx->types, DT_i64, true);
    for (int i = 0; i < 3; i++)
        elem[i] = val_scalar(&l->b, wi, ir_int(l->cx, DT_i64, i == 2));
    int to = c->n_args == 1 ? 1 : 0;
    for (int i = 0; i < c->n_args && i < 3; i++, to++) {
        Val v = arg(l, c, i);
        elem[to] = val_scalar(&l->b, wi, val_int(&l->b, &v, "OverflowError", VAL_TOO_LARGE));
    }
    int64_t k;
    if (!ir_is_const(elem[2].e, &k) || k == 0) {
        elem[2].e = val_freeze(&l->b, elem[2].e);
        check(l, ir_op(l->cx, OP_ne, again(l, elem[2].e), ir_int(l->cx, DT_i64, 0)), "ValueError",
              "range() arg 3 must not be zero");
    }
    return (Val){.kind = VK_TUPLE, .type = t, .n = 3, .elem = elem};
}

static Val
sum_by(Lower *l, const Call *c, const Inst *in)
{
    bool tuple = in->params[0]->kind == TY_TUPLE;
    Val all = tuple ? expr(l, c->arg[0]) : heap_from(l, c->arg[0], in->params[0], NULL);
    Val param[2] = {pin(l, all), arg(l, c, 1)};
    param[1] = param[1].type ? pin(l, param[1])
                             : val_scalar(&l->b, in->params[1], ir_int(l->cx, DT_i64, 0));
    return inst_call(l, in, param);
}

Val
emit_py_sum(Lower *l, const Node *at, const Call *c, const Type *t)
{
    const Node *over = c->arg[0];
    const Call *by = sema_info(l->in, at)->before;
    if (by)
        return sum_by(l, c, by->inst);
    bool first = t->kind == TY_SCALAR && over && c->n_args > 1 && c->arg[1] &&
                 !is_generated(over) && (impure(l, over) || impure(l, c->arg[1]));
    if (first) { /* a list is made before `start` is read */
        Val made = over->kind == N_ListComp && sema_info(l->in, over)->type->kind == TY_LIST
                       ? list_array(l, over, sema_info(l->in, over)->type->elems[0])
                       : pin(l, expr(l, over));
        map_put(&l->cx->arena, &l->given, over, arena_dup(&l->cx->arena, &made, sizeof made));
    }
    Val start = arg(l, c, 1), sum;
    if (t->kind == TY_SCALAR) {
        sum = fold_iterable(l, OP_add, over, t, &start);
        if (first)
            map_put(&l->cx->arena, &l->given, over, NULL);
        return sum;
    }
    /* sum over the rows of an array: as np.sum(axis=0), what Python's additions come to */
    NpCall call = {.fn = &builtin_table[BI_np_sum],
                   .result = t,
                   .n = 6,
                   .in = {t->storage},
                   .out = {t->storage}};
    call.arg = NEW_N(&l->cx->arena, Val, 8);
    call.arg[0] = arg(l, c, 0);
    IrExpr *rows = val_dim(&l->b, &call.arg[0], 0);
    check(l, ir_op(l->cx, OP_gt, rows, ir_int(l->cx, DT_i64, 0)), "ValueError",
          "sum() of nothing is a number, and no array: give it a start of one");
    Const *zero = NEW(&l->cx->arena, Const);
    *zero = (Const){.kind = CV_INT};
    call.arg[1] = val_const(&l->b, zero);
    return np_call(&l->b, &call);
}

Val
emit_py_tuple(Lower *l, const Node *at, const Call *c, const Type *t)
{
    const Const *known = sema_info(l->in, at)->cst;
    const Type *of = c->n_args && c->arg[0] ? sema_info(l->in, c->arg[0])->type : NULL;
    if (known && of && of->kind == TY_RANGE)
        return val_const(&l->b, known);
    if (t->kind == TY_REF && sema_info(l->in, c->arg[0])->type != t)
        return heap_from(l, c->arg[0], t, NULL);
    Val v = arg(l, c, 0);
    return v.type && v.kind != VK_TUPLE ? v : val_tuple(&l->b, t, v.type ? v.n : 0, v.elem);
}

Val
emit_py_slice(Lower *l, const Node *at, const Call *c, const Type *t)
{
    Val *elem = NEW_N(&l->cx->arena, Val, 3);
    for (int i = 0; i < 3; i++)
        elem[i] = val_none(&l->b);
    int to = c->n_args == 1 ? 1 : 0;
    for (int i = 0; i < c->n_args && to < 3; i++)
        elem[to++] = arg(l, c, i);
    return (Val){.kind = VK_TUPLE, .type = t, .n = 3, .elem = elem};
}

/* Which of its types a value is of, its tags tell. */
Val
member_test(Lower *l, Val v, const Call *c, const Type *t)
{
    bool maybe = v.type->kind == TY_OPTIONAL;
    const Val *of = maybe ? &v.elem[1] : &v;
    IrExpr *is = ir_int(l->cx, DT_bool, 0);
    for (int i = 0; i < of->n; i++)
        if (c->members >> i & 1)
            is = ir_op(l->cx, OP_or, is, again(l, of->elem[i].elem[0].e));
    if (maybe)
        is = ir_op(l->cx, OP_and, again(l, v.elem[0].e), is);
    return val_scalar(&l->b, t, c->unless ? ir_op(l->cx, OP_inv, is) : is);
}

/* Sema knows the class; of what may be None its tag tells the rest. */
Val
emit_py_isinstance(Lower *l, const Node *at, const Call *c, const Type *t)
{
    const Const *cst = sema_info(l->in, at)->cst;
    Val v = !cst || impure(l, c->arg[0]) ? arg(l, c, 0) : (Val){0};
    if (!cst && type_value(v.type)->kind == TY_EITHER)
        return member_test(l, v, c, t);
    return cst ? val_const(&l->b, cst) : val_scalar(&l->b, t, again(l, v.elem[0].e));
}

Val
emit_py_cast(Lower *l, const Node *at, const Call *c, const Type *t)
{
    if (c->n_args == 0 || !c->arg[0])
        return val_scalar(&l->b, t, ir_cast(l->cx, t->storage, ir_int(l->cx, DT_i64, 0)));
    return scalar_cast(l, arg(l, c, 0), t);
}

/* any, all */
Val
emit_py_fold(Lower *l, const Node *at, const Call *c, const Type *t)
{
    return fold_iterable(l, (IrOp)c->fn->op, c->arg[0], t, NULL);
}

Val
emit_py_inline(Lower *l, const Node *at, const Call *c, const Type *t)
{
    return expr(l, c->arg[0]);
}

Val
emit_py_print(Lower *l, const Node *at, const Call *c, const Type *t)
{
    lower_print(l, at);
    return val_none(&l->b);
}

/* list, dict, sorted */
Val
emit_py_list(Lower *l, const Node *at, const Call *c, const Type *t)
{
    (void)at;
    return heap_from(l, c->arg[0], t, NULL);
}

/* Of nothing: else it is a function of swathe/lib. */
Val
emit_py_array(Lower *l, const Node *at, const Call *c, const Type *t)
{
    (void)at;
    (void)c;
    return heap_new(l, t);
}

/* The function that fills it. Of what stays empty nothing may tell what it would hold: NULL after a
 * message. */
static const Inst *
filled_by(Lower *l, const Node *at)
{
    const Call *by = sema_info(l->in, at)->before;
    if (by && by->inst)
        return by->inst;
    Diag *d = diag_add(&l->cx->diags, DIAG_types, at->at, "nothing tells what this is to hold");
    diag_hint(&l->cx->diags, d, "put something in, or make it of values whose types are known");
    return NULL;
}

/* dict, set */
Val
emit_py_dict(Lower *l, const Node *at, const Call *c, const Type *t)
{
    const Node *from = c->arg[c->fn->op > 0 ? c->fn->op : 0];
    const Type *of = from ? sema_info(l->in, from)->type : NULL;
    const Inst *by = filled_by(l, at);
    if (!by)
        return val_none(&l->b);
    if (of && by->n_params == 2) { /* its update, by another dict */
        Val arg[2] = {heap_new(l, t)};
        arg[1] = pin(l, expr(l, from));
        arg[0] = pin(l, arg[0]);
        inst_call(l, by, arg);
        return arg[0];
    }
    if (of && of->kind == TY_TUPLE && !of->n) { /* of nothing, which says no types */
        known_effects(l, from);
        from = NULL;
    }
    return heap_from(l, from, t, by);
}

Val
emit_py_deque(Lower *l, const Node *at, const Call *c, const Type *t)
{
    const Call *limit = sema_info(l->in, at)->before;
    Val part[2] = {pin(l, heap_from(l, c->arg[0], t, NULL))};
    if (!limit)
        return part[0];
    part[1] = arg(l, c, 1);
    inst_call(l, limit->inst, part);
    return part[0];
}

Val
emit_py_sorted(Lower *l, const Node *at, const Call *c, const Type *t)
{
    Val list = heap_from(l, c->arg[0], t, NULL), reverse = arg(l, c, 2);
    const Type *flag = type_scalar(l->cx->types, DT_bool, true);
    Val param[3] = {list,
                    reverse.type ? reverse : val_scalar(&l->b, flag, ir_int(l->cx, DT_bool, 0)),
                    arg(l, c, 1)};
    if (reverse.type)
        param[1] = val_scalar(&l->b, flag, val_truth(&l->b, &reverse));
    const Inst *by = filled_by(l, at);
    if (by)
        inst_call(l, by, param);
    return list;
}

/* What is known while types are found, or else has a meaning elsewhere only: zip() in a `for`. */
Val
emit_py_constant(Lower *l, const Node *at, const Call *c, const Type *t)
{
    const Const *cst = sema_info(l->in, at)->cst;
    if (cst)
        return val_const(&l->b, cst);
    diag_add(&l->cx->diags, DIAG_unsupported, at->at, "%s() here", c->fn->name);
    return val_none(&l->b);
}

/* Of an exception that was caught: see sema/raised.c. */
Val
emit_py_type(Lower *l, const Node *at, const Call *c, const Type *t)
{
    if (t->kind != TY_EXC)
        return emit_py_constant(l, at, c, t);
    Val v = expr(l, c->arg[0]);
    v.type = t;
    return v;
}

typedef Val Expander(Lower *l, const Node *at, const Call *c, const Type *t);

static Expander *const expander_of[BI_GPU] = {
#define PY(id, params, typing, expander, ...) [BI_py_##id] = emit_py_##expander,
#define OWN(id, params, typing, expander, ...) [BI_py_##id] = emit_py_##expander,
#include "def/py.def"
};

static Val
expand(Lower *l, const Node *n, const Call *c)
{
    return expander_of[c->fn->id](l, n, c, type_before(sema_info(l->in, n)));
}

/* An unpacked tuple is evaluated before the other arguments. */
Val
py_call(Lower *l, const Node *n, const Call *c)
{
    if (!c->splat)
        return expand(l, n, c);
    Val tuple = pin(l, expr(l, c->splat)), outer = l->splat;
    const Call *of = l->splat_of;
    l->splat = tuple;
    l->splat_of = c;
    Val v = expand(l, n, c);
    l->splat = outer;
    l->splat_of = of;
    return v;
}
