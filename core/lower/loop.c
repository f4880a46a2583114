/* SPDX-License-Identifier: BSD-3-Clause
 * for and while. Whatever is iterated over is an Iter: a number of iterations and how to get the
 * k-th value; so `enumerate(zip(a, reversed(b)))` is one counted loop. A range with a constant
 * step keeps its own bounds, which is what the passes prove index checks from. */
#include "lower/internal.h"

static Val
weak_int(Lower *l, IrExpr *e)
{
    return val_scalar(&l->b, type_scalar(l->cx->types, DT_i64, true), e);
}

/* ---- iterables -------------------------------------------------------------------------------- */

static Val
get_range(Lower *l, Iter *it, IrExpr *k)
{
    int64_t one;
    IrExpr *off = ir_is_const(it->step, &one) && one == 1
                      ? k
                      : ir_op(l->cx, OP_mul, k, ir_copy_expr(l->cx, it->step));
    return weak_int(l, ir_op(l->cx, OP_add, ir_copy_expr(l->cx, it->start), off));
}

static Val
get_array(Lower *l, Iter *it, IrExpr *k)
{
    NpIndex ix = {.kind = NI_INT, .v = weak_int(l, k)};
    return np_subscript(&l->b, it->v, 1, &ix, it->type);
}

static Val
get_tuple(Lower *l, Iter *it, IrExpr *k)
{
    return as_tuple_elem(l, &it->v, k, it->type);
}

static Val
get_reversed(Lower *l, Iter *it, IrExpr *k)
{
    IrExpr *last = ir_op(l->cx, OP_sub, ir_copy_expr(l->cx, it->n), i64(l, 1));
    return it->sub->get(l, it->sub, ir_op(l->cx, OP_sub, last, k));
}

static Val
get_enumerate(Lower *l, Iter *it, IrExpr *k)
{
    Val *elem = NEW_N(&l->cx->arena, Val, 2);
    IrExpr *count = ir_op(l->cx, OP_add, ir_copy_expr(l->cx, it->start), ir_copy_expr(l->cx, k));
    elem[0] = weak_int(l, count);
    elem[1] = it->sub->get(l, it->sub, k);
    const Type *t[2] = {elem[0].type, elem[1].type};
    return val_tuple(&l->b, type_tuple(l->cx->types, 2, t), 2, elem);
}

static Val
get_zip(Lower *l, Iter *it, IrExpr *k)
{
    Val *elem = NEW_N(&l->cx->arena, Val, it->n_sub);
    const Type **t = NEW_N(&l->cx->arena, const Type *, it->n_sub);
    for (int i = 0; i < it->n_sub; i++) {
        elem[i] = it->sub[i].get(l, &it->sub[i], ir_copy_expr(l->cx, k));
        t[i] = elem[i].type;
    }
    return val_tuple(&l->b, type_tuple(l->cx->types, it->n_sub, t), it->n_sub, elem);
}

static void
check_step(Lower *l, IrExpr *step)
{
    check(l, ir_op(l->cx, OP_ne, ir_copy_expr(l->cx, step), i64(l, 0)), "ValueError",
          "range() arg 3 must not be zero");
}

static Iter
range_iter(Lower *l, Val v)
{
    Iter it = {.get = get_range, .type = v.elem[0].type};
    it.start = val_freeze(&l->b, v.elem[0].e);
    it.step = val_freeze(&l->b, v.elem[2].e);
    it.n = val_freeze(&l->b, np_range_length(&l->b, ir_copy_expr(l->cx, it.start), v.elem[1].e,
                                             ir_copy_expr(l->cx, it.step)));
    return it;
}

static bool
is_iter_call(const Lower *l, const Node *n)
{
    const Info *i = sema_info(l->in, n);
    return n->kind == N_Call && i->call && i->call->kind == CALL_BUILTIN &&
           (i->call->fn->id == BI_py_enumerate || i->call->fn->id == BI_py_zip ||
            i->call->fn->id == BI_py_reversed);
}

static IrExpr *
shortest(Lower *l, Iter *sub, int n)
{
    IrExpr *len = n ? ir_copy_expr(l->cx, sub[0].n) : i64(l, 0);
    for (int i = 1; i < n; i++)
        len = ir_op(l->cx, OP_min, len, ir_copy_expr(l->cx, sub[i].n));
    return val_freeze(&l->b, len);
}

static Iter
call_iter(Lower *l, const Node *n)
{
    const Call *c = sema_info(l->in, n)->call;
    Iter it = {.n_sub = c->fn->id == BI_py_zip ? c->n_args : 1};
    it.sub = NEW_N(&l->cx->arena, Iter, it.n_sub + 1);
    for (int i = 0; i < it.n_sub; i++)
        it.sub[i] = make_iter(l, c->arg[i]);
    it.n = shortest(l, it.sub, it.n_sub);
    it.get = get_zip;
    if (c->fn->id == BI_py_reversed)
        it.get = get_reversed;
    if (c->fn->id == BI_py_enumerate) {
        it.get = get_enumerate;
        bool start = c->n_args > 1 && c->arg[1];
        Val from = {0};
        if (start)
            from = expr(l, c->arg[1]);
        it.start = start ? val_freeze(&l->b, val_int(&l->b, &from, "OverflowError", VAL_TOO_LARGE)) : i64(l, 0);
    }
    return it;
}

static const Type *
elem_type(Lower *l, const Type *t)
{
    if (t->kind == TY_ARRAY && t->ndim == 1)
        return type_scalar(l->cx->types, t->dtype, false);
    if (t->kind == TY_ARRAY)
        return type_array(l->cx->types, t->dtype, t->ndim - 1,
                          t->layout == LAY_C ? LAY_C : LAY_A, t->readonly);
    const Type *j = type_unknown(l->cx->types);
    for (int i = 0; i < t->n && j; i++)
        j = type_join(l->cx->types, j, t->elems[i]);
    return j ? j : type_none(l->cx->types);
}

static Val
get_record(Lower *l, Iter *it, IrExpr *k)
{
    NpIndex ix = {.kind = NI_INT, .v = val_scalar(&l->b, type_scalar(l->cx->types, DT_i64, true), k)};
    return record_select(l, it->v, 1, &ix, it->type);
}

static Iter
record_iter(Lower *l, Val v)
{
    Iter it = {.v = pin(l, v), .type = type_record_row(l->cx->types, v.type), .get = get_record};
    Val first = v;
    while (first.kind == VK_TUPLE)
        first = first.elem[0];
    it.n = val_dim(&l->b, &first, 0);
    return it;
}

Iter
make_iter(Lower *l, const Node *n)
{
    if (is_iter_call(l, n))
        return call_iter(l, n);
    Val v = expr(l, n);
    if (v.type->kind == TY_RANGE)
        return range_iter(l, v);
    if (v.kind == VK_LAZY)
        v = np_materialize(&l->b, v, LAY_C);
    if (v.type->kind == TY_REF)
        return heap_iter(l, heap_iterable(l, n, v));
    if (v.type->kind == TY_RECORD)
        return record_iter(l, v);
    Iter it = {.v = v, .type = elem_type(l, v.type)};
    if (v.kind == VK_ARRAY) {
        if (!v.temp) { /* the name may be bound anew in the loop: iterate over what it was */
            IrVar *held = ir_array_var(l->b.f, "iter", v.type->dtype, v.type->ndim, v.type->layout);
            held->readonly = v.type->readonly;
            ir_alias(&l->b, held, v.arr);
            it.v.arr = held;
        }
        it.n = ir_dim(l->cx, it.v.arr, 0);
        it.get = get_array;
    } else {
        it.v = pin(l, v);
        it.n = i64(l, v.n);
        it.get = get_tuple;
    }
    return it;
}

/* ---- what a loop's body assigns ------------------------------------------------------------------ */

bool
assigns(const Node *n, Sym name)
{
    if (!n)
        return false;
    if (n->kind == N_Name && n->op != CTX_LOAD && n->name == name)
        return true;
    if (n->kind == N_AugAssign && n->kid[0]->kind == N_Name && n->kid[0]->name == name)
        return true;
    for (int i = 0; i < n->n; i++)
        if (assigns(n->kid[i], name))
            return true;
    return false;
}

/* A break of the loop around n: one in the body of an inner loop is not, one in its else is. */
static bool
has_break(const Node *n)
{
    if (!n)
        return false;
    if (n->kind == N_For || n->kind == N_While) {
        int els = n->kind == N_For ? 3 : 2;
        return els < n->n && has_break(n->kid[els]);
    }
    if (n->kind == N_Break)
        return true;
    for (int i = 0; i < n->n; i++)
        if (has_break(n->kid[i]))
            return true;
    return false;
}

/* ---- loops ----------------------------------------------------------------------------------------- */

/* `else` and the moves of a normal exit run unless a break was taken. */
static void
loop_exit(Lower *l, const Node *n, const Node *els, IrVar *broke)
{
    if (!els && !edge_has_moves(l, n, EDGE_EXIT))
        return;
    IrBlock *save = l->b.at;
    if (broke)
        l->b.at = &ir_if(&l->b, ir_op(l->cx, OP_inv, ir_use(l->cx, broke)))->body;
    if (els)
        lower_block(l, els);
    edge_moves(l, n, EDGE_EXIT);
    l->b.at = save;
}

static IrVar *
break_flag(Lower *l, const Node *n, const Node *body, const Node *els)
{
    if (!has_break(body) || (!els && !edge_has_moves(l, n, EDGE_EXIT)))
        return NULL;
    IrVar *f = ir_var(l->b.f, "broke", DT_bool);
    ir_set(&l->b, f, ir_int(l->cx, DT_bool, 0));
    return f;
}

static void
loop_body(Lower *l, const Node *n, IrBlock *into, const Node *body, IrVar *broke)
{
    LoopScope scope = {.node = n, .broke = broke, .up = l->loop};
    l->loop = &scope;
    IrBlock *save = l->b.at;
    l->b.at = into;
    lower_block(l, body);
    IrStmt *last = l->b.at->last;
    if (!last || (last->kind != IS_RETURN && last->kind != IS_RAISE &&
                  last->kind != IS_BREAK && last->kind != IS_CONTINUE))
        edge_moves(l, n, EDGE_BACK);
    l->b.at = save;
    l->loop = scope.up;
}

void
lower_while(Lower *l, const Node *n)
{
    const Node *els = n->n > 2 ? n->kid[2] : NULL;
    const Const *known = sema_info(l->in, n->kid[0])->cst;
    edge_moves(l, n, EDGE_ENTRY);
    if (known && known->kind == CV_BOOL && !known->b) {
        loop_exit(l, n, els, NULL);
        return;
    }
    IrVar *broke = break_flag(l, n, n->kid[1], els);
    int mark = heap_enter(l, n);
    IrStmt *s = ir_while(&l->b);
    IrBlock *save = l->b.at;
    l->b.at = &s->pre;
    s->e = truth(l, n->kid[0]);
    l->b.at = save;
    loop_body(l, n, &s->body, n->kid[1], broke);
    heap_leave(l, mark);
    loop_exit(l, n, els, broke);
}

static LoopKind
kind_of(Lower *l, const Node *iterable)
{
    const Call *c = iterable->kind == N_Call ? sema_info(l->in, iterable)->call : NULL;
    bool par = c && c->kind == CALL_BUILTIN && c->fn->id == BI_py_prange;
    return par ? LOOP_PAR : LOOP_SEQ;
}

/* for i in range(a, b, constant): the IR loop has these very bounds. */
static bool
lower_range(Lower *l, const Node *n, const Node *els, const char *label)
{
    const Node *target = n->kid[0];
    const Info *ti = sema_info(l->in, target);
    const Type *t = sema_info(l->in, n->kid[1])->type;
    if (!t || t->kind != TY_RANGE || target->kind != N_Name || !ti->var)
        return false;
    Val r = expr(l, n->kid[1]);
    int64_t step;
    if (!ir_is_const(r.elem[2].e, &step) || step == 0)
        return false;
    IrExpr *lo = val_freeze(&l->b, r.elem[0].e), *hi = val_freeze(&l->b, r.elem[1].e);
    edge_moves(l, n, EDGE_ENTRY);
    IrVar *broke = break_flag(l, n, n->kid[2], els);
    IrVar *k = ir_var(l->b.f, target->name, DT_i64);
    IrStmt *s = ir_loop(&l->b, kind_of(l, n->kid[1]), k, lo, hi, step);
    s->label = label;
    IrBlock *save = l->b.at;
    l->b.at = &s->body;
    var_assign(l, ti->var, weak_int(l, ir_use(l->cx, k)));
    bool direct = ti->var->type->dtype == DT_i64 && !assigns(n->kid[2], target->name);
    if (direct)
        map_put(&l->cx->arena, &l->loop_var, ti->var, k);
    l->b.at = save;
    loop_body(l, n, &s->body, n->kid[2], broke);
    if (direct)
        map_put(&l->cx->arena, &l->loop_var, ti->var, NULL);
    loop_exit(l, n, els, broke);
    return true;
}

/* ---- for i, j in ranges(n, m): a loop for each ------------------------------------------------------- */

static bool
is_ranges(const Lower *l, const Node *iterable)
{
    const Call *c = iterable->kind == N_Call ? sema_info(l->in, iterable)->call : NULL;
    return c && c->kind == CALL_BUILTIN && c->fn->id == BI_py_ranges;
}

/* Start, stop and step of one argument: an integer or a tuple of range's arguments. */
static void
take_bounds(Lower *l, const Node *arg, IrExpr **at)
{
    Val v = pin(l, expr(l, arg));
    int n = v.kind == VK_TUPLE ? v.n : 1, to = n == 1;
    for (int i = 0; i < 3; i++)
        at[i] = i64(l, i == 2);
    for (int i = 0; i < n; i++)
        at[to++] = val_freeze(&l->b, val_int(&l->b, v.kind == VK_TUPLE ? &v.elem[i] : &v, "OverflowError", VAL_TOO_LARGE));
}

/* The loop, from which *value is to be made: its own variable when the step is constant. */
static IrStmt *
one_range(Lower *l, IrExpr **at, IrExpr **value)
{
    int64_t step;
    IrVar *k = ir_var(l->b.f, "k", DT_i64);
    *value = ir_use(l->cx, k);
    if (ir_is_const(at[2], &step) && step != 0)
        return ir_loop(&l->b, LOOP_SEQ, k, ir_copy_expr(l->cx, at[0]), ir_copy_expr(l->cx, at[1]), step);
    IrExpr *n = np_range_length(&l->b, at[0], ir_copy_expr(l->cx, at[1]), at[2]);
    IrExpr *off = ir_op(l->cx, OP_mul, *value, ir_copy_expr(l->cx, at[2]));
    *value = ir_op(l->cx, OP_add, ir_copy_expr(l->cx, at[0]), off);
    return ir_loop(&l->b, LOOP_SEQ, k, i64(l, 0), n, 1);
}

static void
lower_ranges(Lower *l, const Node *n, const Node *els, const char **labels, int n_labels)
{
    const Call *c = sema_info(l->in, n->kid[1])->call;
    IrExpr *at[SW_MAX_NDIM][3];
    Val *index = NEW_N(&l->cx->arena, Val, c->n_args);
    IrStmt *loop[SW_MAX_NDIM];
    for (int i = 0; i < c->n_args; i++) {
        take_bounds(l, c->arg[i], at[i]);
        check_step(l, at[i][2]);
    }
    edge_moves(l, n, EDGE_ENTRY);
    IrVar *broke = NULL;
    if (has_break(n->kid[2])) { /* leaves all of them */
        broke = ir_var(l->b.f, "broke", DT_bool);
        ir_set(&l->b, broke, ir_int(l->cx, DT_bool, 0));
    }
    IrBlock *save = l->b.at;
    for (int i = 0; i < c->n_args; i++) {
        IrExpr *value;
        loop[i] = one_range(l, at[i], &value);
        loop[i]->label = i < n_labels ? labels[i] : NULL;
        l->b.at = &loop[i]->body;
        index[i] = weak_int(l, value);
    }
    const Type *weak[SW_MAX_NDIM];
    for (int i = 0; i < c->n_args; i++)
        weak[i] = index[i].type;
    const Type *t = type_tuple(l->cx->types, c->n_args, weak);
    assign_target(l, n->kid[0],
                  c->n_args == 1 ? index[0] : val_tuple(&l->b, t, c->n_args, index));
    loop_body(l, n, l->b.at, n->kid[2], broke);
    for (int i = c->n_args - 2; broke && i >= 0; i--) {
        l->b.at = &loop[i]->body;
        l->b.at = &ir_if(&l->b, ir_use(l->cx, broke))->body;
        ir_append(&l->b, IS_BREAK);
    }
    l->b.at = save;
    loop_exit(l, n, els, broke);
}

static void
list_body(Lower *l, const Node *n, IrBlock *into)
{
    const Node *els = n->n > 3 ? n->kid[3] : NULL;
    IrVar *broke = l->broke;
    loop_body(l, n, into, n->kid[2], broke);
    loop_exit(l, n, els, broke);
}

static void for_inner(Lower *l, const Node *n);

void
lower_for(Lower *l, const Node *n)
{
    const Type *t = sema_info(l->in, n->kid[1])->type;
    int mark = heap_enter(l, n);
    if (t && t->kind == TY_REF && heap_changes(l, n->kid[2])) {
        Val v = heap_iterable(l, n->kid[1], expr(l, n->kid[1]));
        edge_moves(l, n, EDGE_ENTRY);
        l->broke = break_flag(l, n, n->kid[2], n->n > 3 ? n->kid[3] : NULL);
        heap_for(l, n, v, list_body);
    } else {
        for_inner(l, n);
    }
    heap_leave(l, mark);
}

static void
for_inner(Lower *l, const Node *n)
{
    const Node *els = n->n > 3 ? n->kid[3] : NULL;
    const char **labels = l->b.f->labels;
    int n_labels = l->b.f->n_labels;
    const char *label = n_labels ? labels[0] : NULL;
    l->b.f->n_labels = 0;
    if (is_ranges(l, n->kid[1])) {
        lower_ranges(l, n, els, labels, n_labels);
        return;
    }
    if (lower_range(l, n, els, label))
        return;
    Iter it = make_iter(l, n->kid[1]);
    edge_moves(l, n, EDGE_ENTRY);
    IrVar *broke = break_flag(l, n, n->kid[2], els);
    IrVar *k = ir_var(l->b.f, "k", DT_i64);
    IrStmt *s = ir_loop(&l->b, kind_of(l, n->kid[1]), k, i64(l, 0), ir_copy_expr(l->cx, it.n), 1);
    s->label = label;
    IrBlock *save = l->b.at;
    l->b.at = &s->body;
    assign_target(l, n->kid[0], it.get(l, &it, ir_use(l->cx, k)));
    l->b.at = save;
    loop_body(l, n, &s->body, n->kid[2], broke);
    loop_exit(l, n, els, broke);
}
