/* SPDX-License-Identifier: BSD-3-Clause
 * Loops, try, raise and augmented assignment. The head of a loop is reached from before
 * and from its own end, so its body is typed again until what the names hold at the head
 * no longer changes; names that the body assigns carry no constants in. A try body is
 * typed again until the one type that each name has throughout it no longer grows. */
#include "sema/internal.h"

enum { MAX_ROUNDS = 40 };

/* ---- loops
 * ------------------------------------------------------------------------------- */

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

/* Did the head learn something in this round? */
static bool
round_end(Sema *s, LoopState *l)
{
    bool changed = env_widen(s, &l->head, &l->back.env);
    for (int i = 0; i < l->ctx.continues.n; i++)
        changed |= env_widen(s, &l->head, &l->ctx.continues.at[i].env);
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
    s->fr->env = env_join(s, out.n, out.at);
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
    for (int round = 0; round < MAX_ROUNDS; round++) {
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
        if (!round_end(s, &l))
            break;
    }
    loop_end(s, &l);
}

void
sema_for(Sema *s, const Node *n)
{
    Sem it = sema_iterated(s, n->kid[1]);
    const Type *e = sema_iter_elem(s, n->kid[1], it.type);
    LoopState l;
    loop_begin(s, &l, n, n->kid[2], n->n > 3 ? n->kid[3] : NULL);
    for (int round = 0; round < MAX_ROUNDS; round++) {
        round_begin(s, &l);
        sema_assign(s, n->kid[0], sem_of(e), NULL);
        round_body(s, &l);
        if (!round_end(s, &l))
            break;
    }
    l.test_out = l.head;
    loop_end(s, &l);
}

/* ---- try
 * ------------------------------------------------------------------------------------ */

static void
pin_name(Sema *s, const Node *at, Sym name, void *arg)
{
    TryCtx *c = arg;
    name = env_resolve(s, name);
    Pin *p = map_get(&c->pin, name);
    if (!p) {
        const Slot *slot = env_slot(s, name);
        bool bound = slot->var && !slot->clash;
        p = NEW(s->a, Pin);
        p->type = bound ? slot_type(slot) : type_unknown(s->tt);
        p->at = bound ? slot->def : NULL;
        map_put(s->a, &c->pin, name, p);
    }
    p->deleted |= at->kind == N_Handler || (at->kind == N_Name && at->op == CTX_DEL);
}

/* Every pinned name in the one variable that it has; `thrown`: it may not have got there.
 */
static void
pin_env(Sema *s, const TryCtx *c, bool thrown)
{
    for (int i = 0; i < c->pin.cap; i++) {
        if (!c->pin.keys[i])
            continue;
        Sym name = c->pin.keys[i];
        const Pin *p = c->pin.vals[i];
        Slot *slot = env_slot(s, name);
        bool bound = slot->var && !slot->clash;
        slot->cst = NULL;
        if (p->type->kind == TY_UNKNOWN || (!bound && !thrown))
            continue;
        const Type *was = bound && !thrown ? slot_type(slot) : NULL;
        bool tells = was && type_is_optional(p->type) && (was->kind == TY_NONE || was == p->type->elems[1]);
        slot->var = env_var(s, name, p->type);
        slot->as = tells ? was : NULL;
        slot->serial = ++s->bindings;
        slot->clash = NULL;
        slot->maybe |= !bound || (thrown && p->deleted);
        if (!bound)
            slot->def = p->at;
    }
}

static bool
is_exc_tuple(const Const *c)
{
    for (int i = 0; c && c->kind == CV_TUPLE && i < c->n; i++)
        if (!is_exc_class(c->elems[i]))
            return false;
    return c && c->kind == CV_TUPLE;
}

static void
handler(Sema *s, const Node *h)
{
    Frame *f = s->fr;
    *info_of(s, h) = (Info){0};
    const Node *cls = h->kid[0];
    if (cls) {
        Sem c = sema_expr(s, cls);
        if (!sem_bad(c) && !is_exc_class(c.cst) && !is_exc_tuple(c.cst))
            sema_type_error(s, cls,
                            "catching classes that are not exceptions is not allowed");
    }
    if (h->name) {
        const Type *t = type_other(s->tt, TY_EXC, NULL, 0, NULL, NULL);
        info_of(s, h)->var = env_bind(s, h->name, sem_of(t), h);
    }
    bool save = f->in_handler;
    f->in_handler = true;
    sema_block(s, h->kid[1]);
    f->in_handler = save;
    if (h->name && !f->env.dead)
        env_unbind(s, h->name);
}

static void
try_body(Sema *s, const Node *n, TryCtx *c, const Env *entry)
{
    Frame *f = s->fr;
    int mark = diag_mark(s);
    for (int round = 0; round < MAX_ROUNDS; round++) {
        diag_rewind(s, mark);
        f->env = env_copy(s, entry);
        pin_env(s, c, false);
        Path in = {*entry, n, EDGE_ENTRY};
        env_edge(s, &in, &f->env);
        c->changed = false;
        c->up = f->try_;
        f->try_ = c;
        int loops = f->loop ? f->loop->breaks.n : 0,
            conts = f->loop ? f->loop->continues.n : 0;
        sema_block(s, n->kid[0]);
        f->try_ = c->up;
        if (!c->changed)
            return;
        if (f->loop) { /* jumps out of the body are found again in the next round */
            f->loop->breaks.n = loops;
            f->loop->continues.n = conts;
        }
    }
}

void
sema_try(Sema *s, const Node *n)
{
    Frame *f = s->fr;
    Env entry = f->env;
    TryCtx c = {0};
    env_walk_assigned(s, n->kid[0], pin_name, &c);
    entry = f->env;
    try_body(s, n, &c, &entry);
    if (n->kid[1]) {
        if (f->env.dead)
            sema_dead(s, n->kid[1]);
        else
            sema_block(s, n->kid[1]);
    }
    Paths out = {0};
    Path end = {f->env, n, EDGE_TRY_END};
    VEC_PUSH(s->a, out, end);
    for (int i = 3; i < n->n; i++) {
        f->env = env_copy(s, &entry);
        pin_env(s, &c, true);
        handler(s, n->kid[i]);
        Path p = {f->env, n->kid[i], EDGE_HANDLER_END};
        VEC_PUSH(s->a, out, p);
    }
    f->env = env_join(s, out.n, out.at);
    if (n->kid[2]) {
        sema_unsupported(s, n->kid[2], "finally");
        if (!f->env.dead)
            sema_block(s, n->kid[2]);
    }
}

/* ---- raise
 * --------------------------------------------------------------------------------------
 */

bool
is_exc_class(const Const *c)
{
    return c && c->kind == CV_EXC_CLASS;
}

static void
raise_call(Sema *s, const Node *e, Sem cls)
{
    for (int i = 1; i < e->n; i++) {
        if (e->kid[i]->kind == N_Keyword || e->kid[i]->kind == N_Starred)
            sema_error(s, DIAG_unsupported, e->kid[i],
                       "only plain arguments of an exception are supported");
        else
            sema_expr(s, e->kid[i]);
    }
    Info *info = info_of(s, e);
    *info = (Info){.type = type_other(s->tt, TY_EXC, NULL, 0, NULL, NULL)};
    info->call = NEW(s->a, Call);
    *info->call = (Call){.kind = CALL_EXC, .n_args = e->n - 1};
    info->call->arg = NEW_N(s->a, const Node *, e->n);
    for (int i = 1; i < e->n; i++)
        info->call->arg[i - 1] = e->kid[i];
    (void)cls;
}

void
sema_raise(Sema *s, const Node *n)
{
    const Node *e = n->n ? n->kid[0] : NULL;
    if (!e) {
        if (!s->fr->in_handler)
            sema_error(s, DIAG_unsupported, n, "a bare raise outside an except clause");
    } else {
        const Node *cls = e->kind == N_Call ? e->kid[0] : e;
        Sem c = sema_expr(s, cls);
        if (is_exc_class(c.cst) && e->kind == N_Call)
            raise_call(s, e, c);
        else if (!sem_bad(c) && !is_exc_class(c.cst) && c.type->kind != TY_EXC)
            sema_type_error(s, e,
                            "exceptions must be classes or instances of BaseException, "
                            "not %s",
                            c.cst && c.cst->kind == CV_UNSUPPORTED ? c.cst->str
                                                                   : c.type->text);
    }
    s->fr->env = (Env){.dead = true};
}

/* ---- augmented assignment
 * ------------------------------------------------------------------------- */

/* The value of the target before, as if it were read. */
static void
aug_name(Sema *s, const Node *n)
{
    const Node *t = n->kid[0];
    Sem old = sema_expr(s, t), by = sema_operand(s, n->kid[1]);
    Call *call = NULL;
    if (old.type->kind == TY_REF) {
        Sem r = heap_aug(s, n, old);
        Info *info = info_of(s, n);
        info->var = info_of(s, t)->var;
        info->type = r.type;
        return;
    }
    Sem v = expr_binop_values(s, n, n->op, old, by, &call);
    if (const_has_big(v.cst)) {
        big_report(s, n, v.cst);
        v = sema_unknown(s);
    }
    Info *info = info_of(s, n);
    info->call = call;
    info->type = v.type;
    old.type = type_value(old.type);
    if (old.type->kind == TY_ARRAY && !sem_bad(v)) {
        info->var = info_of(s, t)->var;
        if (old.type->readonly)
            sema_readonly(s, n, arena_printf(s->a, "assignment destination '%s' is read-only", t->name));
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
aug_place(Sema *s, const Node *n)
{
    const Node *t = n->kid[0];
    Sem obj = sema_need(s, t->kid[0], sema_expr(s, t->kid[0]), "TypeError", "'NoneType' object is not subscriptable");
    bool bad = sem_bad(obj) || (t->kind == N_Subscript && sem_bad(sema_expr(s, t->kid[1])));
    Sem by = sema_operand(s, n->kid[1]);
    if (bad)
        return;
    if (obj.type->kind == TY_REF) {
        heap_aug_place(s, n, obj, by);
        return;
    }
    if (obj.type->kind != TY_ARRAY && obj.type->kind != TY_RECORD) {
        sema_type_error(s, t, "%s does not support item assignment", obj.type->text);
        return;
    }
    if (t->kind == N_Subscript)
        sema_need_index(s, t->kid[1]);
    const Type *to = sema_place(s, t, obj.type);
    if (!to)
        return;
    if (to->kind == TY_RECORD) {
        sema_type_error(s, t, "records have no operators: name a field");
        return;
    }
    *info_of(s, t) = (Info){.type = to};
    Call *call = NULL;
    Sem v = expr_binop_values(s, n, n->op, sem_of(to), by, &call);
    Info *info = info_of(s, n);
    info->call = call;
    info->type = v.type;
    if (!sem_bad(v))
        check_store(s, n, to, v, type_is_array(to));
}

/* r.x += ..., where an error about r is the assignment's to say. */
static bool
is_record_place(Sema *s, const Node *t)
{
    if (t->kind != N_Attribute)
        return false;
    int mark = diag_mark(s);
    bool yes = sema_expr(s, t->kid[0]).type->kind == TY_RECORD;
    diag_rewind(s, mark);
    return yes;
}

void
sema_aug(Sema *s, const Node *n)
{
    const Node *t = n->kid[0];
    if (t->kind == N_Name)
        aug_name(s, n);
    else if (t->kind == N_Subscript || is_record_place(s, t))
        aug_place(s, n);
    else
        sema_assign(s, t, sema_expr(s, n->kid[1]), n->kid[1]);
}
