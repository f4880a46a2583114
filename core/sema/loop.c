/* SPDX-License-Identifier: BSD-3-Clause
 * Loops and augmented assignment. The head of a loop is reached from before
 * and from its own end, so its body is typed again until what the names hold at the head
 * no longer changes; names that the body assigns carry no constants in. */
#include "sema/fold.h"
#include "sema/internal.h"

/* ---- loops ----------------------------------------------------------------------------------- */

typedef struct LoopState {
    const Node *node, *body, *els;
    Env entry, head, test_out; /* before; at the head; leaving by the test */
    Path back;
    LoopCtx ctx;
    int mark;
} LoopState;

static void
loop_begin(Sema *s, LoopState *l, const Node *n, const Node *body, const Node *els)
{
    *l = (LoopState){.node = n, .body = body, .els = els};
    env_forget(s, n);
    l->entry = s->fr->env;
    l->head = env_copy(s, &l->entry);
    l->mark = diag_mark(s);
}

static void
round_begin(Sema *s, LoopState *l)
{
    diag_rewind(s, l->mark);
    s->fr->env = env_copy(s, &l->head);
    l->ctx = (LoopCtx){.node = l->node, .up = s->fr->loop};
}

static void
round_body(Sema *s, LoopState *l)
{
    s->fr->loop = &l->ctx;
    sema_block(s, l->body);
    s->fr->loop = l->ctx.up;
    l->back = (Path){s->fr->env, l->node, EDGE_BACK};
}

/* Did the head learn something in this round, which is to be followed by another? */
static bool
round_end(Sema *s, LoopState *l, int round)
{
    Env before = env_copy(s, &l->head);
    bool changed = env_widen(s, &l->head, &l->back.env, l->node);
    for (int i = 0; i < l->ctx.continues.n; i++)
        changed |= env_widen(s, &l->head, &l->ctx.continues.at[i].env, l->node);
    if (changed && round >= env_rounds(s) - 1) {
        s->fr->env = l->head;
        env_grows(s, l->node, &before);
        l->head = s->fr->env;
    }
    return changed;
}

static void
loop_end(Sema *s, LoopState *l)
{
    Path entry = {l->entry, l->node, EDGE_ENTRY};
    env_edge(s, &entry, &l->head);
    env_edge(s, &l->back, &l->head);
    for (int i = 0; i < l->ctx.continues.n; i++)
        env_edge(s, &l->ctx.continues.at[i], &l->head);
    s->fr->env = env_copy(s, &l->test_out);
    if (l->els) {
        if (s->fr->env.dead)
            sema_dead(s, l->els);
        else
            sema_block(s, l->els);
    }
    Paths out = l->ctx.breaks;
    Path by_test = {s->fr->env, l->node, EDGE_EXIT};
    VEC_PUSH(s->a, out, by_test);
    s->fr->env = env_join(s, out.n, out.at, l->node);
}

/* In the body the test was true, and where it leaves the loop false. */
static void
narrow_while(Sema *s, const Node *test, Env *out)
{
    Env in = s->fr->env;
    s->fr->env = *out;
    sema_narrow(s, test, false);
    *out = s->fr->env;
    s->fr->env = in;
    sema_narrow(s, test, true);
}

void
sema_while(Sema *s, const Node *n)
{
    LoopState l;
    loop_begin(s, &l, n, n->kid[1], n->n > 2 ? n->kid[2] : NULL);
    for (int round = 0; round < env_rounds(s); round++) {
        round_begin(s, &l);
        int t = sema_test(s, n->kid[0]);
        l.test_out = env_copy(s, &s->fr->env);
        l.test_out.dead |= t == 1;
        narrow_while(s, n->kid[0], &l.test_out);
        if (t == 0) {
            sema_dead(s, n->kid[1]);
            l.back = (Path){{.dead = true}, n, EDGE_BACK};
            break;
        }
        round_body(s, &l);
        if (!round_end(s, &l, round))
            break;
    }
    loop_end(s, &l);
}

static void
for_rounds(Sema *s, const Node *n)
{
    Sem it = sema_iterated(s, n->kid[1], n->kid[0]);
    const Type *e = sema_iter_elem(s, n->kid[1], it.type);
    bool never = sema_iter_empty(it.type);
    if (!sem_bad(it))
        sema_check_late(s, n, n->kid[1]);
    LoopState l;
    loop_begin(s, &l, n, n->kid[2], n->n > 3 ? n->kid[3] : NULL);
    for (int round = 0; round < env_rounds(s); round++) {
        round_begin(s, &l);
        if (never) {
            sema_dead(s, n->kid[0]);
            sema_dead(s, n->kid[2]);
            l.back = (Path){{.dead = true}, n, EDGE_BACK};
            break;
        }
        sema_assign(s, n->kid[0], sem_of(e), NULL);
        round_body(s, &l);
        if (!round_end(s, &l, round))
            break;
    }
    l.test_out = l.head;
    loop_end(s, &l);
}

void
sema_for(Sema *s, const Node *n)
{
    unsigned before = sema_rounds_begin(s);
    for_rounds(s, n);
    sema_rounds_end(s, n, before);
}

/* ---- augmented assignment -------------------------------------------------------------------- */

/* What is changed in place stays the name's value, though `:=` in the statement bound another. */
static const Var *
aug_keep(Sema *s, const Node *t, Sem old, unsigned serial)
{
    const Slot *slot = env_find(s, t->name);
    return slot && slot->serial != serial ? env_bind(s, t->name, old, t) : info_of(s, t)->var;
}

/* The value of the target before, as if it were read. */
static void
aug_name(Sema *s, const Node *n)
{
    const Node *t = n->kid[0];
    Sem old = sema_expr(s, t);
    const Slot *was = env_find(s, t->name);
    unsigned serial = was ? was->serial : 0;
    Sem by = sema_operand(s, n->kid[1]);
    Call *call = NULL;
    bool fixed = old.type->kind == TY_REF && type_heap_has(old.type, HEAP_FIXED);
    if (fixed) { /* the name is bound anew */
        Sem r = heap_binop(s, n, n->op, old, by);
        info_of(s, n)->type = r.type;
        info_of(s, n)->var = env_bind(s, t->name, r, t);
        return;
    }
    if (old.type->kind == TY_REF) {
        Sem r = heap_aug(s, n, old);
        Info *info = info_of(s, n);
        info->var = aug_keep(s, t, old, serial);
        info->type = r.type;
        return;
    }
    Sem v;
    if (old.type->kind == TY_ARRAY && !sem_bad(by))
        by = sema_beside_array(s, n, n->kid[1], heap_as_array(s, n->kid[1], by));
    bool own = (s->either && either_binop(s, n, t, old, n->kid[1], by, &v)) ||
               special_binop(s, n, t, old, n->kid[1], by, &v);
    if (own)
        call = info_of(s, n)->call;
    else
        v = expr_binop_values(s, n, n->op, old, by, &call);
    if (const_has_big(v.cst)) {
        big_report(s, n, v.cst);
        v = sema_unknown(s);
    }
    Info *info = info_of(s, n);
    info->call = call;
    info->type = v.type;
    old.type = type_value(old.type);
    if (old.type->kind == TY_ARRAY && !sem_bad(v)) {
        info->var = aug_keep(s, t, old, serial);
        if (old.type->readonly)
            sema_readonly(s, n,
                          arena_printf(s->a, "assignment destination '%s' is read-only", t->name));
        else
            check_store(s, n, old.type, v, true);
        Slot *slot = env_find(s, t->name);
        if (slot)
            slot->cst = NULL;
        return;
    }
    info->var = env_bind(s, t->name, v, t);
}

static void
aug_place(Sema *s, const Node *n, Sem obj)
{
    const Node *t = n->kid[0];
    obj = sema_need(s, t->kid[0], obj, "TypeError", "'NoneType' object is not subscriptable");
    const Sem idx = t->kind == N_Subscript ? sema_expr(s, t->kid[1]) : (Sem){0};
    bool bad = sem_bad(obj) || (idx.type && sem_bad(idx));
    if (sem_bad(obj) && idx.type && !sem_bad(idx))
        site_stored(s, obj.type, idx.type);
    Sem by = sema_operand(s, n->kid[1]);
    if (bad)
        return;
    if (obj.type->kind == TY_REF) {
        heap_aug_place(s, n, obj, by);
        return;
    }
    if (flat_aug(s, n))
        return;
    if (obj.type->kind == TY_KEYED) {
        keyed_store(s, t);
        return;
    }
    if (obj.type->kind != TY_ARRAY && obj.type->kind != TY_RECORD) {
        Sem elem = obj.type->listed && t->kind == N_Subscript ? sema_expr(s, t) : obj;
        sema_type_error(s, t, "'%s' object does not support item assignment",
                        class_name(s, obj.type));
        if (elem.type->kind == TY_ARRAY && elem.type->ndim && obj.type->listed && !s->unroll.loop &&
            !s->fr->in->def->is_lib)
            s->unroll = (Unroll){.fn = s->fr->in->def, .loop = n, .of = UNROLL_AUG};
        const ObjClass *c = type_class(obj.type);
        if (c && t->kid[1]->kind != N_Slice && class_method(s, c->cls, "__setitem__") &&
            !s->unroll.loop)
            s->unroll = (Unroll){.fn = s->fr->in->def, .loop = n, .of = UNROLL_ITEM};
        return;
    }
    if (t->kind == N_Subscript)
        sema_need_index(s, t->kid[1], obj.type);
    const Type *to =
        is_part_place(t, obj.type) ? part_place(s, t, obj) : sema_place(s, t, obj.type);
    if (!to)
        return;
    if (to->kind == TY_RECORD) {
        sema_type_error(s, t, "records have no operators: name a field");
        return;
    }
    *info_of(s, t) = (Info){.type = to};
    Call *call = NULL;
    if (to->kind == TY_ARRAY && !sem_bad(by))
        by = sema_beside_array(s, n, n->kid[1], heap_as_array(s, n->kid[1], by));
    Sem v = expr_binop_values(s, n, n->op, sem_of(to), by, &call);
    Info *info = info_of(s, n);
    info->call = call;
    info->type = v.type;
    if (!sem_bad(v))
        check_store(s, n, to, v, type_is_array(to));
}

void
sema_aug(Sema *s, const Node *n)
{
    const Node *t = n->kid[0];
    if (t->kind == N_Name) {
        aug_name(s, n);
        return;
    }
    bool item = t->kind == N_Subscript, attribute = t->kind == N_Attribute;
    int mark = diag_mark(s);
    Sem obj = item || attribute ? sema_expr(s, t->kid[0]) : sema_unknown(s);
    if (item ? keyed_class(obj.type) : attribute ? type_class(obj.type) : NULL)
        object_aug(s, n, obj);
    else if (item || (attribute && (obj.type->kind == TY_RECORD || is_part_place(t, obj.type))))
        aug_place(s, n, obj);
    else if (attribute && family_is(s, obj.type)) {
        Diag *d = sema_error(s, DIAG_unsupported, n, "%s= of this attribute", binop_text[n->op]);
        diag_hint(s->diags, d, "give the object a name first");
    } else { /* errors are the assignment's to say */
        diag_rewind(s, mark);
        sema_assign(s, t, sema_expr(s, n->kid[1]), n->kid[1]);
    }
}
