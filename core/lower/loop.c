/* SPDX-License-Identifier: BSD-3-Clause
 * for and while. Whatever is iterated over is an Iter (iter.c), so `enumerate(zip(a, reversed(b)))`
 * is one counted loop. A range with a constant step keeps its own bounds, which is what the passes
 * prove index checks from. */
#include "ast/search.h"
#include "lower/internal.h"

static Val
weak_int(Lower *l, IrExpr *e)
{
    return val_scalar(&l->b, type_scalar(l->cx->types, DT_i64, true), e);
}

static void
check_step(Lower *l, IrExpr *step)
{
    check(l, ir_op(l->cx, OP_ne, ir_copy_expr(l->cx, step), i64(l, 0)), "ValueError",
          "range() arg 3 must not be zero");
}

/* ---- what a loop's body assigns -------------------------------------------------------------- */

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

/* ---- loops ----------------------------------------------------------------------------------- */

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
new_flag(Lower *l)
{
    IrVar *f = ir_var(l->b.f, "broke", DT_bool);
    ir_set(&l->b, f, ir_int(l->cx, DT_bool, 0));
    return f;
}

/* In the body: a return, too, where a `finally` around the loop jumps. */
static bool
may_break(const Lower *l, const Node *body)
{
    return has_break(body) || (l->overriding && ast_has_kind(body, N_Return));
}

static IrVar *
break_flag(Lower *l, const Node *n, const Node *body, const Node *els)
{
    if (!may_break(l, body) || (!els && !edge_has_moves(l, n, EDGE_EXIT)))
        return NULL;
    return new_flag(l);
}

static void
loop_body(Lower *l, const Node *n, IrBlock *into, const Node *body, IrVar *broke)
{
    LoopScope scope = {.node = n, .broke = broke, .up = l->loop, .around = l->innermost};
    l->loop = l->innermost = &scope;
    IrBlock *save = l->b.at;
    l->b.at = into;
    lower_block(l, body);
    IrStmt *last = l->b.at->last;
    if (!last || (last->kind != IS_RETURN && last->kind != IS_RAISE && last->kind != IS_BREAK &&
                  last->kind != IS_CONTINUE))
        edge_moves(l, n, EDGE_BACK);
    l->b.at = save;
    l->loop = scope.up;
    l->innermost = scope.around;
}

/* ---- out of several loops -------------------------------------------------------------------- */

/* break or continue, of a `finally` that a return in loops inside of its body leads through. Each
 * of these is left, and behind it the next. */
void
jump_beyond(Lower *l, const Node *n)
{
    Beyond b = {ir_var(l->b.f, "beyond", DT_bool), n, l->loop};
    IrStmt *first = l->b.f->body.first, *not_yet = ir_stmt(l->cx, IS_SET, first->at);
    not_yet->var = b.flag;
    not_yet->e = ir_int(l->cx, DT_bool, 0);
    ir_insert_before(&l->b.f->body, first, not_yet);
    ir_set(&l->b, b.flag, ir_int(l->cx, DT_bool, 1));
    for (LoopScope *s = l->innermost; s != l->loop; s = s->around)
        if (s->broke)
            ir_set(&l->b, s->broke, ir_int(l->cx, DT_bool, 1));
    ir_append(&l->b, IS_BREAK);
    VEC_PUSH(&l->cx->arena, l->jumps, b);
}

/* Behind a loop that such jumps may have left. */
static void
jumps_on(Lower *l)
{
    int n = l->jumps.n;
    IrBlock *save = l->b.at;
    l->jumps.n = 0;
    for (int i = 0; i < n; i++) {
        Beyond b = l->jumps.at[i];
        bool there = b.target == l->innermost, breaks = !there || b.at->kind == N_Break;
        l->b.at = &ir_if(&l->b, ir_use(l->cx, b.flag))->body;
        if (there)
            ir_set(&l->b, b.flag, ir_int(l->cx, DT_bool, 0));
        if (there && breaks && b.target->broke)
            ir_set(&l->b, b.target->broke, ir_int(l->cx, DT_bool, 1));
        ir_append(&l->b, breaks ? IS_BREAK : IS_CONTINUE);
        l->b.at = save;
        if (!there)
            l->jumps.at[l->jumps.n++] = b;
    }
}

void
lower_while(Lower *l, const Node *n)
{
    const Node *els = n->n > 2 ? n->kid[2] : NULL;
    const Const *known = sema_info(l->in, n->kid[0])->cst;
    edge_moves(l, n, EDGE_ENTRY);
    if (known && known->kind == CV_BOOL && !known->b) {
        known_effects(l, n->kid[0]);
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
    jumps_on(l);
}

/* A variable of this function that something called in n assigns by `nonlocal`, or NULL: see
 * ast/cell.c. */
static Sym
set_beyond(Lower *l, const Inst *in, const Node *n, Map *seen)
{
    Sym name = NULL;
    if (!n)
        return NULL;
    const FuncDef *own = l->in->def, *def = in->def;
    const Node *base = n->kind == N_Subscript && n->op != CTX_LOAD ? n->kid[0] : NULL;
    if (in != l->in && base && base->kind == N_Name && ast_is_cell(base->name) &&
        ast_has_name(def->free, def->n_free, base->name) &&
        ast_has_name(own->locals, own->n_locals, base->name))
        return base->name;
    const Call *c = in->info[n->id].call;
    const Inst *callee = c && c->kind == CALL_INST ? c->inst : NULL;
    if (callee && callee->info && !map_get(seen, callee)) {
        map_put(&l->cx->arena, seen, callee, (void *)(uintptr_t)callee);
        name = set_beyond(l, callee, callee->def->body, seen);
    }
    for (int i = 0; i < n->n && !name; i++)
        name = set_beyond(l, in, n->kid[i], seen);
    return name;
}

static LoopKind
kind_of(Lower *l, const Node *loop)
{
    const Node *iterable = loop->kid[1];
    const Call *c = iterable->kind == N_Call ? sema_info(l->in, iterable)->call : NULL;
    if (!c || c->kind != CALL_BUILTIN || c->fn->id != BI_py_prange)
        return LOOP_SEQ;
    Map seen = {0};
    Sym shared = set_beyond(l, l->in, loop->kid[2], &seen);
    if (shared) {
        Diag *d = diag_add(&l->cx->diags, DIAG_unsupported, loop->at,
                           "iterations of a prange that assign '%s' by nonlocal",
                           ast_shown(&l->cx->arena, shared));
        diag_hint(&l->cx->diags, d, "return the value, and add it up in the loop itself");
    }
    return LOOP_PAR;
}

static bool
is_named_range(Lower *l, const Node *n)
{
    const Type *t = sema_info(l->in, n->kid[1])->type;
    return t && t->kind == TY_RANGE && n->kid[0]->kind == N_Name &&
           sema_info(l->in, n->kid[0])->var;
}

/* for i in range(a, b, constant): the IR loop has these very bounds. */
static bool
lower_range(Lower *l, const Node *n, Val r, const Node *els, const char *label)
{
    const Node *target = n->kid[0];
    const Info *ti = sema_info(l->in, target);
    int64_t step;
    if (!ir_is_const(r.elem[2].e, &step) || step == 0)
        return false;
    IrExpr *lo = val_freeze(&l->b, r.elem[0].e), *hi = val_freeze(&l->b, r.elem[1].e);
    edge_moves(l, n, EDGE_ENTRY);
    IrVar *broke = break_flag(l, n, n->kid[2], els);
    IrVar *k = ir_var(l->b.f, target->name, DT_i64);
    IrStmt *s = ir_loop(&l->b, kind_of(l, n), k, lo, hi, step);
    s->label = label;
    IrBlock *save = l->b.at;
    l->b.at = &s->body;
    var_assign(l, ti->var, weak_int(l, ir_use(l->cx, k)));
    bool direct = ti->var->type->storage == DT_i64 && !assigns(n->kid[2], target->name);
    if (direct)
        map_put(&l->cx->arena, &l->loop_var, ti->var, k);
    l->b.at = save;
    loop_body(l, n, &s->body, n->kid[2], broke);
    if (direct)
        map_put(&l->cx->arena, &l->loop_var, ti->var, NULL);
    loop_exit(l, n, els, broke);
    return true;
}

/* ---- for i, j in ranges(n, m): a loop for each ----------------------------------------------- */

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
        at[to++] = val_freeze(&l->b, val_int(&l->b, v.kind == VK_TUPLE ? &v.elem[i] : &v,
                                             "OverflowError", VAL_TOO_LARGE));
}

/* The loop, from which *value is to be made: its own variable when the step is constant. */
static IrStmt *
one_range(Lower *l, IrExpr **at, IrExpr **value)
{
    int64_t step;
    IrVar *k = ir_var(l->b.f, "k", DT_i64);
    *value = ir_use(l->cx, k);
    if (ir_is_const(at[2], &step) && step != 0)
        return ir_loop(&l->b, LOOP_SEQ, k, ir_copy_expr(l->cx, at[0]), ir_copy_expr(l->cx, at[1]),
                       step);
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
    if (may_break(l, n->kid[2])) /* leaves all of them */
        broke = new_flag(l);
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
    assign_target(l, n->kid[0], c->n_args == 1 ? index[0] : val_tuple(&l->b, t, c->n_args, index));
    loop_body(l, n, l->b.at, n->kid[2], broke);
    for (int i = c->n_args - 2; broke && i >= 0; i--) {
        l->b.at = &loop[i]->body;
        l->b.at = &ir_if(&l->b, ir_use(l->cx, broke))->body;
        ir_append(&l->b, IS_BREAK);
    }
    l->b.at = save;
    loop_exit(l, n, els, broke);
}

static void for_inner(Lower *l, const Node *n);

void
lower_for(Lower *l, const Node *n)
{
    int mark = heap_enter(l, n);
    for_inner(l, n);
    heap_leave(l, mark);
    jumps_on(l);
}

/* May what stands in it change a list or a dict that it goes through? */
static bool
body_changes(const Lower *l, const Node *n)
{
    return heap_changes(l, n->kid[0]) || heap_changes(l, n->kid[2]);
}

typedef struct Generated { /* the loop whose body stands in those of a generator expression */
    const Node *n;
    IrVar *broke;
} Generated;

static void
enter_generated(Lower *l, void *arg)
{
    edge_moves(l, ((Generated *)arg)->n, EDGE_ENTRY);
}

static void
generated_body(Lower *l, const Node *elt, void *arg)
{
    Generated *g = arg;
    assign_item(l, g->n->kid[0], expr(l, elt));
    loop_body(l, g->n, l->b.at, g->n->kid[2], g->broke);
}

/* for v in (e for x in a for y in b): several loops. */
static void
for_generated(Lower *l, const Node *n, const Node *els)
{
    Generated g = {.n = n, .broke = may_break(l, n->kid[2]) ? new_flag(l) : NULL};
    comprehension(l, &(Generators){.comp = n->kid[1],
                                   .body = generated_body,
                                   .begun = enter_generated,
                                   .arg = &g,
                                   .enough = g.broke ? ir_use(l->cx, g.broke) : NULL,
                                   .changing = body_changes(l, n)});
    loop_exit(l, n, els, g.broke);
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
    bool range = is_named_range(l, n);
    Val r = range ? expr(l, n->kid[1]) : (Val){0};
    if (range && lower_range(l, n, r, els, label))
        return;
    if (is_generated(n->kid[1]) && n->kid[1]->n > 2) {
        for_generated(l, n, els);
        return;
    }
    Iter it = range ? range_iter(l, r) : make_iter(l, n->kid[1], body_changes(l, n));
    edge_moves(l, n, EDGE_ENTRY);
    IrVar *broke =
        iter_ends(&it) && may_break(l, n->kid[2]) ? new_flag(l) : break_flag(l, n, n->kid[2], els);
    IrBlock *save = l->b.at;
    Val v;
    IrStmt *s = iter_loop(l, &it, kind_of(l, n), NULL, &v);
    s->label = label;
    assign_item(l, n->kid[0], v);
    IrBlock *into = l->b.at;
    l->b.at = save;
    loop_body(l, n, into, n->kid[2], broke);
    if (iter_ends(&it)) {
        l->b.at = broke ? &ir_if(&l->b, ir_op(l->cx, OP_inv, ir_use(l->cx, broke)))->body : l->b.at;
        iter_end(l, &it);
        l->b.at = save;
    }
    loop_exit(l, n, els, broke);
}
