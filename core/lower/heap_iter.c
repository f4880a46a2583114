/* SPDX-License-Identifier: BSD-3-Clause
 * How lists, dicts and sets are gone through. Where nothing that runs meanwhile can change one, its
 * length is known and elements are taken by index; else it is asked each time, as CPython's
 * iterators ask. */
#include "lower/internal.h"

/* ---- what may change one --------------------------------------------------------------------- */

static bool
has_object(const Type *t)
{
    if (t->kind == TY_REF || t->kind == TY_OBJ)
        return true;
    for (int i = 0; type_is_held_apart(t) && i < t->n; i++)
        if (has_object(t->elems[i]))
            return true;
    return false;
}

static bool
may_change(const Lower *l, const Call *c)
{
    if (!c)
        return false;
    if (l->unit->upcalls && sema_runs_python(l->unit, c))
        return true;
    if (c->kind == CALL_BUILTIN)
        return c->fn->family == BF_HEAP && !(c->fn->flags & KEEPS);
    if (c->kind != CALL_INST || !c->inst)
        return false;
    for (int i = 0; i < c->inst->n_params; i++)
        if (has_object(c->inst->params[i]))
            return true;
    return false;
}

/* Does a generator's object go on where it is gone through? */
static bool
resumes(const Type *t)
{
    bool does = t && t->kind == TY_OBJ && ((const ObjClass *)t->ref)->resumed;
    for (int i = 0; t && t->kind == TY_ITER && !does && i < t->n; i++)
        does = resumes(t->elems[i]);
    return does;
}

/* Can this change how long some list is, or where its elements are? */
bool
heap_changes(const Lower *l, const Node *n)
{
    if (!n)
        return false;
    const Info *i = sema_info(l->in, n);
    if (may_change(l, i->call) || may_change(l, i->before) || resumes(i->type))
        return true;
    for (int k = 0; k < n->n; k++)
        if (heap_changes(l, n->kid[k]))
            return true;
    return false;
}

/* Can what an iterable runs for one of its items do so? */
bool
heap_changes_between(const Lower *l, const Node *iterable)
{
    const Info *i = sema_info(l->in, iterable);
    bool found = resumes(i->type);
    if (found)
        return true;
    if (is_generated(iterable)) {
        for (int g = 1; g < iterable->n && !found; g++) {
            const Node *gen = iterable->kid[g];
            found = heap_changes_between(l, gen->kid[1]) || (g > 1 && heap_changes(l, gen));
            for (int k = 2; k < gen->n && !found; k++)
                found = heap_changes(l, gen->kid[k]);
        }
        return found || heap_changes(l, iterable->kid[0]);
    }
    if (iterable->kind != N_Call || !i->call || !i->type || i->type->kind != TY_ITER)
        return false;
    for (int k = 0; k < i->call->n_args && !found; k++)
        found = i->call->arg[k] && heap_changes_between(l, i->call->arg[k]);
    return found;
}

/* ---- those that stay as they are ------------------------------------------------------------- */

static Val
get_known(Lower *l, Iter *it, IrExpr *k)
{
    return heap_load(l, &it->v, 0, k);
}

/* The list may have changed since the loop began. */
static Val
get_careful(Lower *l, Iter *it, IrExpr *k)
{
    k = val_freeze(&l->b, k);
    check(l, ir_op(l->cx, OP_lt, again(l, k), heap_word(l, it->v.arr, 0)), "RuntimeError",
          "list changed size during iteration");
    return heap_load(l, &it->v, 0, again(l, k));
}

Val
heap_iterable(Lower *l, const Node *n, Val v)
{
    bool ring = type_heap_has(v.type, HEAP_RING);
    if (!ring && !type_heap_has(v.type, HEAP_KEYED))
        return v;
    const Inst *keys = sema_helper(l->in, ring ? "_deque_list" : "dict_keys", v.type);
    if (keys)
        return inst_call(l, keys, &v);
    diag_add(&l->cx->diags, DIAG_unsupported, n->at, "iteration over a %s here",
             ((const HeapClass *)v.type->ref)->name);
    return heap_new(l, type_heap(l->cx->types, &heap_list, v.type->elems));
}

Iter
heap_iter(Lower *l, Val v)
{
    Iter it = {.v = v, .type = v.type->elems[0], .get = get_known};
    if (!heap_known(l, v.arr)) {
        if (!v.temp)
            it.v = pin(l, v);
        map_put(&l->cx->arena, &l->kept, it.v.arr, it.v.arr);
        it.get = get_careful;
        it.n = val_freeze(&l->b, heap_word(l, it.v.arr, 0));
    } else {
        it.n = again(l, heap_known(l, v.arr)->len);
    }
    return it;
}

/* ---- those that may change ------------------------------------------------------------------- */

/* Is there a next of a list, which may have become longer or shorter? */
IrExpr *
heap_more(Lower *l, const Iter *it)
{
    return ir_op(l->cx, OP_lt, iter_place(l, it), heap_len(l, &it->sub->v));
}

/* There is: goes past it. */
Val
heap_pull(Lower *l, const Iter *it)
{
    IrExpr *k = val_freeze(&l->b, iter_place(l, it));
    iter_step(l, it, k, 1);
    return heap_load(l, &it->sub->v, 0, again(l, k));
}

/* Of a list, or of what has it in a variable: iter(x). Once at its end such an iterator stays
 * there. */
Val
heap_next(Lower *l, Iter *it, IrVar *has)
{
    IrBlock *save = l->b.at;
    IrStmt *s = ir_if(&l->b, heap_more(l, it));
    Val slot;
    l->b.at = &s->body;
    iter_found(l, &slot, heap_pull(l, it), has);
    if (it->cell) {
        l->b.at = &s->els;
        iter_go(l, it, i64(l, INT64_MAX));
    }
    l->b.at = save;
    return slot;
}

/* Of reversed(x), whose place is how many are left: it ends where a list has become shorter. */
Val
heap_next_reversed(Lower *l, Iter *it, IrVar *has)
{
    const Val *x = &it->sub->v;
    IrBlock *save = l->b.at;
    IrExpr *left = val_freeze(&l->b, iter_place(l, it)),
           *there = ir_op(l->cx, OP_le, again(l, left), heap_len(l, x));
    IrStmt *s =
        ir_if(&l->b, ir_op(l->cx, OP_and, there, ir_op(l->cx, OP_gt, again(l, left), i64(l, 0))));
    Val slot;
    l->b.at = &s->body;
    iter_step(l, it, left, -1);
    iter_found(l, &slot, heap_load(l, x, 0, ir_op(l->cx, OP_sub, again(l, left), i64(l, 1))), has);
    if (it->cell) {
        l->b.at = &s->els;
        iter_go(l, it, i64(l, 0));
    }
    l->b.at = save;
    return slot;
}

struct DictView {
    Val dict;
    int view;              /* HEAP_METHOD's */
    bool down;             /* reversed */
    IrVar *seen;           /* how many entries there were so far */
    IrExpr *len, *entries; /* when the loop began */
};

/* CPython goes on where a key came for one that went, at a place that hangs on its own tables. */
static void
check_unchanged(Lower *l, const DictView *w)
{
    bool maps = type_heap_has(w->dict.type, HEAP_MAPS);
    check(l, ir_op(l->cx, OP_eq, heap_word(l, w->dict.arr, 0), again(l, w->len)), "RuntimeError",
          maps ? "dictionary changed size during iteration" : "Set changed size during iteration");
    check(l, ir_op(l->cx, OP_eq, heap_word(l, w->dict.arr, 1), again(l, w->entries)),
          "RuntimeError",
          maps ? "dictionary keys changed during iteration" : "Set changed during iteration");
}

/* Goes past the next entry that is there and yields its index. */
static IrExpr *
next_entry(Lower *l, Iter *it)
{
    const DictView *w = it->dict;
    IrVar *at = ir_var(l->b.f, "entry", DT_i64);
    ir_set(&l->b, at, i64(l, -1));
    IrStmt *s = ir_while(&l->b);
    IrBlock *save = l->b.at;
    l->b.at = &s->pre;
    s->e = w->down ? ir_op(l->cx, OP_gt, iter_place(l, it), i64(l, 0))
                   : ir_op(l->cx, OP_lt, iter_place(l, it), again(l, w->entries));
    l->b.at = &s->body;
    IrExpr *k = iter_place(l, it);
    k = val_freeze(&l->b, w->down ? ir_op(l->cx, OP_sub, k, i64(l, 1)) : k);
    iter_step(l, it, k, w->down ? 0 : 1);
    Val hash = heap_load(l, &w->dict, 3, again(l, k));
    l->b.at = &ir_if(&l->b, ir_op(l->cx, OP_ge, hash.e, i64(l, 0)))->body;
    ir_set(&l->b, at, again(l, k));
    ir_append(&l->b, IS_BREAK);
    l->b.at = save;
    check(l, ir_op(l->cx, OP_ge, ir_use(l->cx, at), i64(l, 0)), "RuntimeError",
          type_heap_has(w->dict.type, HEAP_MAPS) ? "dictionary keys changed during iteration"
                                                 : "Set changed during iteration");
    return ir_use(l->cx, at);
}

/* Its key, its value as it is now, or both. */
static Val
view_at(Lower *l, const DictView *w, IrExpr *k)
{
    Val *part = NEW_N(&l->cx->arena, Val, 2);
    for (int i = 0; i < 2; i++)
        if (w->view != 2 - i)
            part[i] = pin(l, heap_load(l, &w->dict, 1 + i, again(l, k)));
    if (w->view != 12)
        return part[w->view - 1];
    const Type *t[2] = {part[0].type, part[1].type};
    return val_tuple(&l->b, type_tuple(l->cx->types, 2, t), 2, part);
}

static Val
next_of_dict(Lower *l, Iter *it, IrVar *has)
{
    const DictView *w = it->dict;
    check_unchanged(l, w);
    IrBlock *save = l->b.at;
    IrExpr *more = ir_op(l->cx, OP_lt, ir_use(l->cx, w->seen), heap_word(l, w->dict.arr, 0));
    Val slot;
    l->b.at = &ir_if(&l->b, more)->body;
    IrExpr *k = next_entry(l, it);
    ir_set(&l->b, w->seen, ir_op(l->cx, OP_add, ir_use(l->cx, w->seen), i64(l, 1)));
    iter_found(l, &slot, view_at(l, w, k), has);
    l->b.at = save;
    return slot;
}

/* Of a deque, whose word 3 counts its changes. */
static Val
next_of_deque(Lower *l, Iter *it, IrVar *has)
{
    const DictView *w = it->dict;
    const Inst *at = sema_helper(l->in, "_deque_at", w->dict.type);
    check(l, ir_op(l->cx, OP_eq, heap_word(l, w->dict.arr, 3), again(l, w->entries)),
          "RuntimeError", "deque mutated during iteration");
    IrBlock *save = l->b.at;
    IrExpr *k = val_freeze(&l->b, iter_place(l, it)), *n = heap_word(l, w->dict.arr, 0);
    Val slot, part[2] = {w->dict};
    l->b.at = &ir_if(&l->b, ir_op(l->cx, OP_lt, again(l, k), n))->body;
    iter_step(l, it, k, 1);
    IrExpr *last = ir_op(l->cx, OP_sub, heap_word(l, w->dict.arr, 0), i64(l, 1));
    part[1] = val_scalar(&l->b, type_scalar(l->cx->types, DT_i64, true),
                         w->down ? ir_op(l->cx, OP_sub, last, again(l, k)) : again(l, k));
    iter_found(l, &slot, inst_call(l, at, part), has);
    l->b.at = save;
    return slot;
}

/* The dict or set that n is, or is a view of (*view), or NULL. */
static const Node *
dict_of(const Lower *l, const Node *n, int *view)
{
    const Type *t = sema_info(l->in, n)->type;
    *view = 1;
    if (t && type_heap_has(t, HEAP_KEYED))
        return n;
    if (n->kind != N_Call || n->kid[0]->kind != N_Attribute)
        return NULL;
    const Node *of = n->kid[0]->kid[0];
    t = sema_info(l->in, of)->type;
    if (!t || !type_heap_has(t, HEAP_KEYED))
        return NULL;
    *view = heap_method_view(t->ref, n->kid[0]->name);
    return *view > 0 ? of : NULL;
}

/* Of what may change while it is gone through. False: it is no object. */
bool
heap_watched(Lower *l, const Node *n, bool down, Iter *it)
{
    const Type *t = sema_info(l->in, n)->type;
    int view;
    const Node *of = dict_of(l, n, &view);
    if (!t || t->kind != TY_REF)
        return false;
    Val v = expr(l, of ? of : n);
    if (!v.temp)
        v = pin(l, v);
    map_put(&l->cx->arena, &l->kept, v.arr, v.arr);
    *it = (Iter){.v = v, .type = t->elems[0]};
    if (of) {
        DictView *w = NEW(&l->cx->arena, DictView);
        *w = (DictView){.dict = v, .view = view, .down = down};
        w->len = val_freeze(&l->b, heap_word(l, v.arr, 0));
        w->entries = val_freeze(&l->b, heap_word(l, v.arr, 1));
        w->seen = ir_var(l->b.f, "seen", DT_i64);
        ir_set(&l->b, w->seen, i64(l, 0));
        it->dict = w;
        it->next = next_of_dict;
        it->at = iter_start(l, down ? again(l, w->entries) : i64(l, 0));
    } else if (type_heap_has(t, HEAP_RING)) {
        DictView *w = NEW(&l->cx->arena, DictView);
        *w = (DictView){.dict = v, .down = down};
        w->entries = val_freeze(&l->b, heap_word(l, v.arr, 3));
        it->dict = w;
        it->next = next_of_deque;
        it->at = iter_start(l, i64(l, 0));
    } else {
        it->sub = NEW(&l->cx->arena, Iter);
        *it->sub = (Iter){.v = v, .type = it->type};
        it->n_sub = 1;
        it->next = down ? heap_next_reversed : heap_next;
        it->at = iter_start(l, down ? heap_len(l, &v) : i64(l, 0));
    }
    return true;
}
