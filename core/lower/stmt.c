/* SPDX-License-Identifier: BSD-3-Clause
 * Statements. Each simple statement releases the arrays that it made and nobody kept; where
 * control flow meets, the moves that sema recorded convert variables to their joined types. */
#include "ast/search.h"
#include "lower/internal.h"
#include <stdio.h>

/* ---- assignment --------------------------------------------------------------------------- */

static Val
elem_of_array(Lower *l, const Val *v, int64_t k, const Type *t)
{
    Val i = val_scalar(&l->b, type_scalar(l->cx->types, DT_i64, true), ir_int(l->cx, DT_i64, k));
    NpIndex ix = {.kind = NI_INT, .v = i};
    return np_subscript(&l->b, *v, 1, &ix, t);
}

static const Type *
target_type(Lower *l, const Node *t)
{
    const Info *i = sema_info(l->in, t);
    if (i->type)
        return i->type;
    return i->var ? i->var->type : NULL;
}

/* `a, b = array`: the first axis must have as many elements. */
static void
unpack_array(Lower *l, const Node *target, Val v)
{
    Arena *arena = &l->cx->arena;
    IrExpr *n = val_dim(&l->b, &v, 0), *want = ir_int(l->cx, DT_i64, target->n),
           *got = ir_copy_expr(l->cx, n);
    check(l, ir_op(l->cx, OP_le, ir_copy_expr(l->cx, n), want), "ValueError",
          arena_printf(arena, "too many values to unpack (expected %d)", target->n));
    const char *few =
        arena_printf(arena, "not enough values to unpack (expected %d, got %%0)", target->n);
    ir_check(&l->b, ir_op(l->cx, OP_eq, n, ir_copy_expr(l->cx, want)),
             ir_site(l->b.mod, "ValueError", few, l->b.span), 1, &got);
    Val *elem = NEW_N(&l->cx->arena, Val, target->n);
    for (int i = 0; i < target->n; i++) {
        const Type *at = v.type, *t = target_type(l, target->kid[i]);
        if (at->ndim == 1)
            t = type_scalar(l->cx->types, at->storage, false);
        else if (!t || t->kind != TY_ARRAY)
            t = type_row(l->cx->types, at);
        elem[i] = pin(l, elem_of_array(l, &v, i, t));
    }
    for (int i = 0; i < target->n; i++)
        assign_target(l, target->kid[i], elem[i]);
}

static int
starred_at(const Node *target)
{
    for (int i = 0; i < target->n; i++)
        if (target->kid[i]->kind == N_Starred)
            return i;
    return -1;
}

static void
unpack(Lower *l, const Node *target, Val v)
{
    if (v.kind == VK_LAZY)
        v = np_materialize(&l->b, v, LAY_C);
    if (v.type->kind == TY_REF) {
        Val *elem = NEW_N(&l->cx->arena, Val, target->n);
        heap_unpack(l, heap_iterable(l, target, v), target->n, starred_at(target), elem);
        for (int i = 0; i < target->n; i++)
            assign_target(
                l, target->kid[i]->kind == N_Starred ? target->kid[i]->kid[0] : target->kid[i],
                elem[i]);
        return;
    }
    if (text_is(&v)) {
        Val *elem = NEW_N(&l->cx->arena, Val, target->n);
        text_unpack(l, v, target->n, elem);
        for (int i = 0; i < target->n; i++)
            assign_target(l, target->kid[i], elem[i]);
        return;
    }
    if (v.kind == VK_ARRAY) {
        unpack_array(l, target, v);
        return;
    }
    if (v.kind != VK_TUPLE) /* an element of what is empty: nothing runs here */
        return;
    int star = starred_at(target), extra = v.n - target->n;
    for (int i = 0, k = 0; i < target->n && k <= v.n; i++) {
        if (i != star) {
            assign_target(l, target->kid[i], v.elem[k++]);
            continue;
        }
        const Node *name = target->kid[i]->kid[0];
        Val rest = val_tuple(&l->b, target_type(l, name), extra + 1, v.elem + k);
        assign_target(l, name, rest);
        k += extra + 1;
    }
}

void
assign_target(Lower *l, const Node *t, Val v)
{
    const Info *info = sema_info(l->in, t);
    switch (t->kind) {
    case N_Name:
        if (info->var)
            var_assign(l, info->var, v);
        break;
    case N_Tuple:
    case N_List:
        unpack(l, t, v);
        break;
    case N_Starred:
        assign_target(l, t->kid[0], v);
        break;
    case N_Subscript:
    case N_Attribute: {
        const Type *of = sema_info(l->in, t->kid[0])->type;
        if (of && of->kind == TY_REF) {
            heap_assign(l, t, v);
            break;
        }
        if (info->call && t->kind == N_Subscript && sema_flat(l->in, t->kid[0])) {
            flat_assign(l, t, v);
            break;
        }
        if (of && (of->kind == TY_OBJ || info->call)) { /* or a setter of a named tuple */
            object_assign(l, t, v);
            break;
        }
        if (t->kind == N_Attribute && of && of->kind == TY_ARRAY) { /* a.real */
            Val part = expr(l, t);
            if (part.kind == VK_ARRAY)
                np_assign(&l->b, &part, stored(l, v, (DType)info->type->storage));
            break;
        }
        Place p = {0};
        place_to_store(l, t, &p);
        if (p.arr.type->kind == TY_ARRAY)
            v = stored(l, v, (DType)p.arr.type->storage);
        record_store(l, p.arr, p.n, p.ix, v, info->type);
        break;
    }
    default:
        diag_add(&l->cx->diags, DIAG_unsupported, t->at, "assignment to this kind of target");
    }
}

static bool
only_names(const Node *target)
{
    bool all = target->kind != N_Subscript && target->kind != N_Attribute;
    for (int i = 0; i < target->n && all; i++)
        all = only_names(target->kid[i]);
    return all;
}

/* An item of a loop is read before a place in its target changes what it reads. */
void
assign_item(Lower *l, const Node *target, Val v)
{
    assign_target(l, target, only_names(target) ? v : pin(l, v));
}

/* x: T = v. A tuple is read before x, which it may have been made of. */
static void
lower_annotated(Lower *l, const Node *n)
{
    Val v = expr(l, n->kid[1]);
    assign_item(l, n->kid[0], v.kind == VK_TUPLE ? pin(l, v) : v);
}

/* In `a, b = b, a` every value is read before any target changes. */
static Val
pin_tuple(Lower *l, Val v)
{
    if (v.kind != VK_TUPLE)
        return v;
    Val out = v;
    out.elem = NEW_N(&l->cx->arena, Val, v.n);
    for (int i = 0; i < v.n; i++)
        out.elem[i] = pin(l, v.elem[i]);
    return out;
}

static void
lower_assign(Lower *l, const Node *n)
{
    if (n->n == 2 && masked_assign(l, n->kid[1], n->kid[0]))
        return;
    Val v = kid_value(l, n, 0); /* before what is asked for the place */
    bool many = n->n > 2 || n->kid[1]->kind == N_Tuple || n->kid[1]->kind == N_List;
    if (n->n > 2 && v.kind == VK_LAZY)
        v = np_materialize(&l->b, v, LAY_C);
    if (many)
        v = v.kind == VK_TUPLE ? pin_tuple(l, v) : n->n > 2 ? pin(l, v) : v;
    else if (v.kind == VK_TUPLE)
        v = pin_tuple(l, v); /* t = (t[1], t[0]) stores element by element too */
    for (int i = 1; i < n->n; i++)
        assign_target(l, n->kid[i], v);
}

/* A function of its own type is nothing at run time; its variable may be one of several. */
static void
lower_def(Lower *l, const Node *n)
{
    const Var *v = sema_info(l->in, n)->var;
    if (!v)
        return;
    const Type *t = type_other(l->cx->types, TY_FUNC, n->fn, 0, NULL, NULL);
    Val raw = {.kind = VK_TUPLE, .type = t};
    if (v->type->kind == TY_FUNC)
        flag_set(l, v, true);
    else
        var_assign(l, v, val_convert(&l->b, raw, v->type));
}

/* ---- augmented assignment ------------------------------------------------------------------- */

static Val
freeze_index(Lower *l, Val v)
{
    if (v.kind == VK_SCALAR)
        v.e = val_freeze(&l->b, v.e);
    return v;
}

/* left op= right: messages name the shape of an array on the left as that of the output, too. */
Val
binop_into(Lower *l, const Node *n, const Call *c, Val left, Val right, const Type *result)
{
    l->b.into[0] = left.kind == VK_ARRAY ? left.arr : NULL;
    Val v = binop(l, n, c, n->op, left, right, result);
    l->b.into[0] = NULL;
    return v;
}

/* a[ix] op= x where ix has arrays: what they select is read, all of it, and then stored to, by the
 * places that x may have changed; of a mask and a number, or what it selects elsewhere, each
 * element by itself. */
static void
aug_chosen(Lower *l, const Node *n, const Call *c, Place *p)
{
    const Type *sel = sema_info(l->in, n->kid[0])->type, *by = sema_info(l->in, n->kid[1])->type;
    bool changes = impure(l, n->kid[1]);
    if (changes)
        for (int i = 0; i < p->n; i++)
            p->ix[i].v = pin(l, p->ix[i].v);
    const Val *mask = np_only_mask(p->n, p->ix);
    bool other = mask && masked_fits(l, n->kid[0], n->kid[1]);
    bool alone = other || (mask && by && by->kind == TY_SCALAR && !changes);
    NpPlaces *at = alone ? NULL : np_places(&l->b, &p->arr, p->n, p->ix);
    Val old = alone ? p->arr : np_materialize(&l->b, np_places_read(&l->b, at), LAY_C);
    Val r = other ? masked_value(l, n->kid[1], &p->arr, mask) : expr(l, n->kid[1]);
    need_operands(l, n->op, true, &old, &r);
    if (alone) {
        sel = type_array(l->cx->types, sel->dtype, p->arr.arr->ndim, LAY_C, false);
        np_store_where(&l->b, &p->arr, mask, binop(l, n, c, n->op, old, r, sel));
        return;
    }
    np_assign_out(&l->b, &old, binop_into(l, n, c, old, r, sel));
    for (int i = 0; p->twice && i < p->n; i++)
        if (p->list[i].need)
            p->ix[i] = index_of_list(l, &p->list[i]);
    np_places_store(&l->b, changes ? np_places(&l->b, &p->arr, p->n, p->ix) : at, old, false);
}

static void
aug_place(Lower *l, const Node *n, const Call *c)
{
    const Node *t = n->kid[0];
    const Type *sel = sema_info(l->in, t)->type;
    const Type *of = sema_info(l->in, t->kid[0])->type;
    if (t->kind == N_Attribute && of && of->kind == TY_ARRAY) { /* a.imag *= -1 */
        Val part = expr(l, t), by = expr(l, n->kid[1]);
        need_operands(l, n->op, true, &part, &by);
        Val v = binop_into(l, n, c, part, by, sel);
        if (part.kind == VK_ARRAY)
            np_assign_out(&l->b, &part, v);
        return;
    }
    Place p = {.twice = impure(l, n->kid[1])};
    place_to_store(l, t, &p);
    for (int i = 0; i < p.n; i++)
        p.ix[i].v = freeze_index(l, p.ix[i].v);
    if (np_has_arrays(p.n, p.ix)) {
        aug_chosen(l, n, c, &p);
        return;
    }
    if (sel && type_is_array(sel)) {
        Val view = np_view_of(&l->b, p.arr, p.n, p.ix, sel), r = expr(l, n->kid[1]);
        need_operands(l, n->op, true, &view, &r);
        np_assign_out(&l->b, &view, binop_into(l, n, c, view, r, sel));
        return;
    }
    Val old = np_subscript(&l->b, p.arr, p.n, p.ix,
                           type_scalar(l->cx->types, p.arr.type->storage, false));
    if (impure(l, n->kid[1]))
        old = pin(l, old);
    Val r = expr(l, n->kid[1]);
    need_operands(l, n->op, true, &old, &r);
    const Type *res = sema_info(l->in, n)->type;
    if (!res && c)
        res = type_scalar(l->cx->types, c->out[0], false);
    np_store(&l->b, p.arr, p.n, p.ix, binop(l, n, c, n->op, old, r, res), NULL);
}

static void
lower_aug(Lower *l, const Node *n)
{
    const Info *info = sema_info(l->in, n);
    const Node *t = n->kid[0];
    const Type *of = t->kind == N_Subscript ? sema_info(l->in, t->kid[0])->type : NULL;
    const Type *elem = sema_info(l->in, t)->type;
    if ((t->kind == N_Attribute || t->kind == N_Subscript) &&
        sema_info(l->in, t->kid[0])->type->kind == TY_OBJ) {
        object_update(l, n);
        return;
    }
    bool object = info->call && info->call->kind == CALL_INST && elem && elem->kind == TY_REF;
    if (of && of->kind == TY_REF && object) {
        lower_call(l, n);
        return;
    }
    if (of && of->kind == TY_REF) {
        heap_update(l, n);
        return;
    }
    if (info->call && info->call->kind == CALL_INST) { /* of a list it changes that */
        bool again = t->kind == N_Name && rebound(l, t->name);
        Val old = again ? expr(l, t) : (Val){0}, own = lower_call(l, n);
        if (info->type->kind != TY_NONE || again)
            var_assign(l, info->var, info->type->kind != TY_NONE ? own : old);
        return;
    }
    if (t->kind == N_Subscript || t->kind == N_Attribute) {
        aug_place(l, n, info->call);
        return;
    }
    if (info->type && info->type->kind == TY_STR) { /* known */
        known_effects(l, n->kid[1]);
        return;
    }
    const Info *ti = sema_info(l->in, t);
    Val old = expr(l, t);
    if (impure(l, n->kid[1]))
        old = pin(l, old);
    Val r = expr(l, n->kid[1]);
    need_operands(l, n->op, true, &old, &r);
    const Type *res = info->type ? info->type : ti->var ? ti->var->type : old.type;
    Val v = binop_into(l, n, info->call, old, r, res);
    if (old.kind == VK_ARRAY && type_is_array(old.type)) {
        np_assign_out(&l->b, &old, v); /* in place, as NumPy does */
        if (!rebound(l, t->name))
            return;
        v = old;
    }
    const Var *to = info->var ? info->var : ti->var; /* the type may change: s = 0; s += 0.5 */
    if (to)
        var_assign(l, to, v);
}

/* ---- control flow ---------------------------------------------------------------------------- */

void
lower_branch(Lower *l, IrBlock *into, const Node *block, const Node *at, EdgeKind k)
{
    IrBlock *save = l->b.at;
    l->b.at = into;
    if (block)
        lower_block(l, block);
    IrStmt *last = into->last;
    if (!last || (last->kind != IS_RETURN && last->kind != IS_RAISE && last->kind != IS_BREAK &&
                  last->kind != IS_CONTINUE))
        edge_moves(l, at, k);
    l->b.at = save;
}

/* `if a and b` without an else, where b has statements of its own (see truth_boolop): t = a;
 * if t { ..; t = b }; if t { .. }. The second goes into the first, so that what b has found out is
 * known in its body. Not so where t is a name of the user's: temporaries come after it. */
static void
nest_test(Cx *cx, IrBlock *b, IrStmt *s, int first_temp)
{
    IrStmt *first = s->prev;
    IrExpr *t = s->e->kind == IX_OP && s->e->op == OP_inv ? s->e->arg[0] : s->e;
    if (s->els.first || s->cold || !first || first->kind != IS_IF || first->els.first ||
        t->kind != IX_VAR || t->var->id < first_temp || !ir_expr_equal(first->e, s->e))
        return;
    IrStmt *set = first->body.last;
    if (!set || set->kind != IS_SET || set->var != t->var)
        return;
    s->e = t == s->e ? set->e : ir_op(cx, OP_inv, set->e);
    ir_remove(&first->body, set);
    ir_remove(b, s);
    ir_insert_before(&first->body, NULL, s);
    nest_test(cx, &first->body, s, first_temp);
}

static void
lower_if(Lower *l, const Node *n)
{
    const Const *known = sema_info(l->in, n->kid[0])->cst;
    int64_t v = -1;
    if (known && known->kind == CV_BOOL)
        v = known->b;
    if (v >= 0) {
        known_effects(l, n->kid[0]);
        lower_branch(l, l->b.at, v ? n->kid[1] : n->kid[2], n, v ? EDGE_THEN : EDGE_ELSE);
        return;
    }
    int first_temp = l->b.f->vars.n;
    IrExpr *cond = truth(l, n->kid[0]);
    if (ir_is_const(cond, &v)) {
        lower_branch(l, l->b.at, v ? n->kid[1] : n->kid[2], n, v ? EDGE_THEN : EDGE_ELSE);
        return;
    }
    IrStmt *s = ir_if(&l->b, cond);
    const Call *c = n->kid[0]->kind == N_Call ? sema_info(l->in, n->kid[0])->call : NULL;
    s->cold = c && c->kind == CALL_BUILTIN && c->fn->id == BI_heap_rare;
    lower_branch(l, &s->body, n->kid[1], n, EDGE_THEN);
    lower_branch(l, &s->els, n->kid[2], n, EDGE_ELSE);
    if (n->kid[0]->kind == N_BoolOp || n->kid[0]->kind == N_UnaryOp)
        nest_test(l->cx, l->b.at, s, first_temp);
}

static void
lower_jump(Lower *l, const Node *n)
{
    if (!leave_tries(l, false))
        return;
    edge_moves(l, n, EDGE_JUMP);
    if (l->loop != l->innermost) {
        jump_beyond(l, n);
        return;
    }
    if (n->kind == N_Break && l->loop && l->loop->broke)
        ir_set(&l->b, l->loop->broke, ir_int(l->cx, DT_bool, 1));
    ir_append(&l->b, n->kind == N_Break ? IS_BREAK : IS_CONTINUE);
}

void
return_val(Lower *l, Val v)
{
    v = val_convert(&l->b, v, l->in->ret);
    v = l->tries ? pin(l, v) : pin_tuple(l, v);
    if (!leave_tries(l, true))
        return;
    IrArg *args = NEW_N(&l->cx->arena, IrArg, flat_count(&v));
    ir_return(&l->b, flatten(&v, args, 0), args);
}

static void
lower_return(Lower *l, const Node *n)
{
    const Node *e = n->n ? n->kid[0] : NULL;
    Val v = val_none(&l->b);
    if (e) {
        v = expr(l, e);
        /* a call that has raised, perhaps that of an __init__ */
        const Type *ret = l->in->ret;
        bool none = val_is_none(&v), only = ret->kind == TY_NONE;
        if (none ? !only && !type_is_optional(ret) : only) {
            ir_raise(&l->b, ir_site(l->b.mod, "SystemError", "unreachable", n->at), 0, NULL);
            return;
        }
        if (v.kind == VK_LAZY)
            v = np_materialize(&l->b, v, type_value(ret)->layout == LAY_F ? LAY_F : LAY_C);
    }
    return_val(l, v);
}

static void
lower_assert(Lower *l, const Node *n)
{
    IrExpr *ok = truth(l, n->kid[0]);
    int64_t v;
    if (ir_is_const(ok, &v) && v)
        return;
    IrStmt *s = ir_if(&l->b, ir_op(l->cx, OP_inv, ok));
    s->cold = true;
    IrBlock *save = l->b.at;
    l->b.at = &s->body;
    bool msg = n->n > 1 && n->kid[1];
    raise_class(l, &(RaisedClass){.text = "AssertionError"}, msg, msg ? &n->kid[1] : NULL,
                IR_FROM_NOTHING);
    l->b.at = save;
}

static void
lower_delete(Lower *l, const Node *n)
{
    for (int i = 0; i < n->n; i++) {
        const Info *info = sema_info(l->in, n->kid[i]);
        if (info->call)
            lower_call(l, n->kid[i]); /* del x[i] */
        if (info->var) {
            check_bound(l, n->kid[i]);
            flag_set(l, info->var, false);
            Val v = var_val(l, info->var);
            if (v.kind == VK_ARRAY && !v.arr->is_param)
                ir_drop(&l->b, v.arr);
        }
    }
}

/* ---- dispatch -------------------------------------------------------------------------------- */

static void
lower_inner(Lower *l, const Node *n)
{
    switch (n->kind) {
    case N_Expr:
        evaluate(l, n->kid[0]);
        break;
    case N_Assign:
        lower_assign(l, n);
        break;
    case N_AnnAssign:
        if (n->n > 1 && n->kid[1])
            lower_annotated(l, n);
        break;
    case N_AugAssign:
        lower_aug(l, n);
        break;
    case N_If:
        lower_if(l, n);
        break;
    case N_While:
        lower_while(l, n);
        break;
    case N_For:
        lower_for(l, n);
        break;
    case N_Break:
    case N_Continue:
        lower_jump(l, n);
        break;
    case N_Return:
        lower_return(l, n);
        break;
    case N_Raise:
        lower_raise(l, n);
        break;
    case N_Assert:
        lower_assert(l, n);
        break;
    case N_Try:
        lower_try(l, n);
        break;
    case N_Delete:
        lower_delete(l, n);
        break;
    case N_FunctionDef:
        lower_def(l, n);
        break;
    case N_Block:
        lower_block(l, n);
        break;
    case N_With:
        lower_with(l, n);
        break;
    case N_Pass:
        break;
    default:
        diag_add(&l->cx->diags, DIAG_internal, n->at, "statement kind %s reached the lowering",
                 node_kind_name[n->kind]);
    }
}

/* What statement n evaluates before it reads the name `to`, in the order of the kids: it may
 * raise something else. */
static void
lower_before(Lower *l, const Node *n, const Node *to)
{
    for (int i = 0; i < n->n && n != to; i++) {
        const Node *kid = n->kid[i];
        if (ast_has_node(kid, to)) {
            lower_before(l, kid, to);
            return;
        }
        if (kid && (kid->kind == N_Keyword || kid->kind == N_Starred))
            kid = kid->kid[0];
        const Type *t = kid ? sema_info(l->in, kid)->type : NULL;
        if (t && (t->kind == TY_SCALAR || t->kind == TY_ARRAY))
            evaluate(l, kid);
    }
}

/* A name that is not bound, a call that raises, or what is known to raise. */
static void
raise_unbound(Lower *l, const Node *n, const Node *name)
{
    lower_before(l, n, name);
    l->b.span = name->at;
    const Need *by = sema_info(l->in, n)->need;
    if (by) {
        ir_raise(&l->b, ir_site(l->b.mod, by->exc, by->text, name->at), 0, NULL);
        return;
    }
    if (name->kind == N_Call) {
        evaluate(l, name);
        ir_raise(&l->b, ir_site(l->b.mod, "SystemError", "unreachable", name->at), 0, NULL);
        return;
    }
    ir_raise(&l->b,
             ir_site(l->b.mod, "UnboundLocalError",
                     unbound_text(l, ast_shown(&l->cx->arena, name->name)), name->at),
             0, NULL);
}

void
lower_stmt(Lower *l, const Node *n)
{
    if (sema_info(l->in, n)->dead)
        return;
    Span save = l->b.span;
    l->b.span = n->at;
    int mark = drop_mark(l);
    const Node *unbound = sema_info(l->in, n)->unbound, *outer = l->stmt;
    l->stmt = l->rebinds && ast_has_kind(n, N_NamedExpr) ? n : NULL;
    if (unbound)
        raise_unbound(l, n, unbound);
    else
        lower_inner(l, n);
    drop_temps(l, mark);
    l->stmt = outer;
    l->b.span = save;
}

/* label('N') as a statement: its name, "_" as any other; NULL: not one. */
static const char *
label_of(Lower *l, const Node *n)
{
    const Node *e = n->kind == N_Expr && !sema_info(l->in, n)->dead ? n->kid[0] : NULL;
    const Call *c = e && e->kind == N_Call ? sema_info(l->in, e)->call : NULL;
    if (!c || c->kind != CALL_BUILTIN || c->fn->id != BI_py_label)
        return NULL;
    const Const *name = sema_info(l->in, c->arg[0])->cst;
    return name && name->kind == CV_STR ? name->str : "_";
}

/* The labels that begin at block->kid[i] go to the builder, for the statement after them.
 * Array expressions in a library function have those of its caller. */
static int
take_labels(Lower *l, const Node *block, int i)
{
    const char *name;
    int n = 0;
    while (i + n < block->n && label_of(l, block->kid[i + n]))
        n++;
    l->b.f->labels = n ? NEW_N(&l->cx->arena, const char *, n) : NULL;
    for (int k = 0; k < n; k++) {
        name = label_of(l, block->kid[i + k]);
        l->b.f->labels[k] = strcmp(name, "_") ? name : NULL;
    }
    l->b.f->n_labels = n;
    if (!n && l->as && i < block->n && block->kid[i]->kind != N_For) {
        l->b.f->labels = l->as->labels;
        l->b.f->n_labels = l->as->n_labels;
    }
    return n;
}

void
lower_block(Lower *l, const Node *block)
{
    for (int i = 0; i < block->n; i++) {
        i += take_labels(l, block, i);
        if (i < block->n)
            lower_stmt(l, block->kid[i]);
        l->b.f->n_labels = 0;
        IrStmt *last = l->b.at->last;
        if (last && ir_does(last, ST_LEAVES))
            break; /* what follows is never reached */
    }
}
