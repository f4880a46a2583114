/* SPDX-License-Identifier: BSD-3-Clause
 * try and raise. An exception may leave a body anywhere, and its edge carries no moves: so each
 * name that the body assigns has one type throughout it, and the body is typed again until that no
 * longer grows. A `finally` is typed once, for all ways that lead into it; lowering writes it out
 * for each. */
#include "sema/internal.h"

enum { MOST_FINALS = 6 /* one inside another: each is written out three times */ };

/* ---- try ------------------------------------------------------------------------------------- */

void
sema_pin_name(Sema *s, const Node *at, Sym name, void *arg)
{
    TryCtx *c = arg;
    name = env_resolve(s, name);
    if (c->of && live_is_dead_caught(s, name, c->of))
        return;
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
        bool tells = was && !c->loops && type_is_optional(p->type) &&
                     (was->kind == TY_NONE || was == p->type->elems[1]);
        slot->var = env_var(s, name, p->type);
        slot->as = tells ? was : NULL;
        slot->serial = ++s->bindings;
        slot->clash = NULL;
        slot->maybe |= !bound || (thrown && p->deleted);
        if (!bound)
            slot->def = p->at;
    }
}

/* Where a handler begins, nobody knows which of its types such a name has. */
static void
drop_dead(Sema *s, const Node *at, Sym name, void *arg)
{
    (void)at;
    name = env_resolve(s, name);
    if (live_is_dead_caught(s, name, arg))
        *env_slot(s, name) = (Slot){.was = true, .gone = true};
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
handler(Sema *s, const Node *body, const Node *h, RaisedUse use)
{
    Frame *f = s->fr;
    *info_of(s, h) = (Info){0};
    const Node *cls = h->kid[0];
    if (cls) {
        Sem c = sema_expr(s, cls);
        if (!sem_bad(c) && !is_exc_class(c.cst) && !is_exc_tuple(c.cst))
            sema_type_error(s, cls, "catching classes that are not exceptions is not allowed");
    }
    Scope *outer_scope = f->scope;
    if (h->name) {
        const Type *t = sema_caught(s, body, h, use);
        if (t->n) {                        /* of another type than what other clauses call so */
            Scope *own = NEW(s->a, Scope); /* closures that are made here keep it */
            *own = (Scope){.name = h->name, .up = f->scope};
            own->as = intern(&s->cx->syms, arena_printf(s->a, "%s.h%d", h->name, h->id));
            f->scope = own;
        }
        info_of(s, h)->var = env_bind(s, h->name, sem_of(t), h);
    }
    bool save = f->in_handler;
    const Node *outer = f->handler;
    f->in_handler = true;
    f->handler = h;
    sema_block(s, h->kid[1]);
    f->in_handler = save;
    f->handler = outer;
    f->scope = outer_scope;
    if (h->name && !f->env.dead)
        env_unbind(s, h->name);
}

/* Names whose types have grown once more in the last round, from those of `before`, have none. */
static void
pins_grow(Sema *s, const TryCtx *c, const Node *n, const Type **before)
{
    for (int i = 0; i < c->pin.cap; i++) {
        Pin *p = c->pin.keys[i] ? c->pin.vals[i] : NULL;
        if (!p || p->type == before[i])
            continue;
        const Node *at = p->at ? p->at : n;
        env_tell_growing(s, at, c->pin.keys[i]);
        p->type = type_unknown(s->tt);
        env_bind(s, c->pin.keys[i], sem_of(p->type), at);
    }
}

/* Types what a try guards until the types that its names have no longer grow. Jumps out of it are
 * found again in each round. */
void
sema_guarded(Sema *s, const Node *n, EdgeKind edge, TryCtx *c, const Env *entry,
             void (*body)(Sema *s, const Node *n))
{
    Frame *f = s->fr;
    int mark = diag_mark(s);
    int breaks = f->loop ? f->loop->breaks.n : 0, conts = f->loop ? f->loop->continues.n : 0;
    for (int round = 0; round < env_rounds(s); round++) {
        diag_rewind(s, mark);
        f->env = env_copy(s, entry);
        pin_env(s, c, false);
        Path in = {*entry, n, edge};
        env_edge(s, &in, &f->env);
        c->changed = false;
        c->up = f->try_;
        f->try_ = c;
        if (f->loop) {
            f->loop->breaks.n = breaks;
            f->loop->continues.n = conts;
        }
        const Type **before = NEW_N(s->a, const Type *, c->pin.cap);
        for (int i = 0; i < c->pin.cap; i++)
            before[i] = c->pin.keys[i] ? ((Pin *)c->pin.vals[i])->type : NULL;
        int cap = c->pin.cap;
        body(s, n);
        f->try_ = c->up;
        if (!c->changed)
            return;
        if (round >= env_rounds(s) - 1 && cap == c->pin.cap)
            pins_grow(s, c, n, before);
    }
}

static void
plain_body(Sema *s, const Node *n)
{
    sema_block(s, n->kid[0]);
}

/* The body, else, and handlers. */
static void
try_except(Sema *s, const Node *n)
{
    Frame *f = s->fr;
    if (n->n == 3) { /* there is only a finally */
        plain_body(s, n);
        return;
    }
    TryCtx c = {.of = n};
    env_walk_assigned(s, n->kid[0], sema_pin_name, &c);
    Env entry = f->env;
    sema_guarded(s, n, EDGE_ENTRY, &c, &entry, plain_body);
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
        env_walk_assigned(s, n->kid[0], drop_dead, (void *)(uintptr_t)n);
        handler(s, n->kid[0], n->kid[i], RAISED_VALUE);
        Path p = {f->env, n->kid[i], EDGE_HANDLER_END};
        VEC_PUSH(s->a, out, p);
    }
    f->env = env_join(s, out.n, out.at, NULL);
}

/* ---- finally: after the body, after an exception, and on the way of each jump out ------------ */

typedef struct Final {
    const Env *out; /* at the end of the block */
    Env *env;       /* of a path that leads through it */
} Final;

static void
take_assigned(Sema *s, const Node *at, Sym name, void *arg)
{
    const Final *f = arg;
    int k = env_index(s, env_resolve(s, name));
    (void)at;
    if (k < f->env->n && k < f->out->n)
        f->env->slot[k] = f->out->slot[k];
}

/* Of what the block does not assign the path knows more than all paths together do. */
static void
through(Sema *s, const Node *block, const Env *out, Env *env)
{
    env->dead |= out->dead;
    if (env->dead)
        return;
    Env now = s->fr->env;
    s->fr->env = env_copy(s, env);
    for (int k = 0; k < out->n; k++)
        env_slot(s, s->fr->names.at[k]); /* as many slots */
    *env = s->fr->env;
    s->fr->env = now;
    env_walk_assigned(s, block, take_assigned, &(Final){out, env});
}

/* What a way through the guarded part leads through: `block` where it jumps or ends, and where it
 * raises `block`, too, or else `handler`, behind which the statement may have ended. */
static void
guard(Sema *s, const Node *n, void (*body)(Sema *s, const Node *n), const Node *block,
      const Node *h)
{
    Frame *f = s->fr;
    TryCtx c = {0};
    LoopCtx *loop = f->loop;
    for (int i = 0; i < n->n; i++)
        if (n->kid[i] != block)
            env_walk_assigned(s, n->kid[i], sema_pin_name, &c);
    Env entry = f->env;
    int breaks = loop ? loop->breaks.n : 0, conts = loop ? loop->continues.n : 0;
    sema_guarded(s, n, EDGE_GUARD, &c, &entry, body);
    Env end = f->env;
    int past_breaks = loop ? loop->breaks.n : 0, past_conts = loop ? loop->continues.n : 0;
    f->env = env_copy(s, &entry);
    pin_env(s, &c, true);
    const Node *outer = f->handler;
    f->handler = n;
    if (++f->finals > MOST_FINALS)
        sema_unsupported(s, n, "a finally so deep in others");
    else
        sema_block(s, block);
    f->finals--;
    f->handler = outer;
    Env out = f->env;
    for (int i = breaks; i < past_breaks; i++)
        through(s, block, &out, &loop->breaks.at[i].env);
    for (int i = conts; i < past_conts; i++)
        through(s, block, &out, &loop->continues.at[i].env);
    through(s, block, &out, &end);
    f->env = end;
    if (!h)
        return;
    Path p[2] = {{end, n, EDGE_TRY_END}};
    f->env = env_copy(s, &entry);
    pin_env(s, &c, true);
    handler(s, n->kid[0], h, info_of(s, n)->raised);
    p[1] = (Path){f->env, h, EDGE_HANDLER_END};
    f->env = env_join(s, 2, p, NULL);
}

/* Of a context manager with methods, whose begin has been typed. */
void
sema_with_body(Sema *s, const Node *n)
{
    guard(s, n, plain_body, n->kid[3], n->kid[4]);
}

void
sema_try(Sema *s, const Node *n)
{
    if (n->kid[2])
        guard(s, n, try_except, n->kid[2], NULL);
    else
        try_except(s, n);
}

/* ---- raise ----------------------------------------------------------------------------------- */

bool
is_exc_class(const Const *c)
{
    return c && c->kind == CV_EXC_CLASS;
}

/* It is raised with all of its arguments, in order, where it tells what it says. */
void
sema_tell_raised(Sema *s)
{
    Program *p = (Program *)(uintptr_t)s->prog;
    p->tells_raised = p->asked = true;
}

static void
raise_call(Sema *s, const Node *e, const Const *cls)
{
    bool can_tell = cls->b && cls->i && !s->prog->tells_raised;
    for (int i = 1; i < e->n; i++) {
        if (e->kid[i]->kind == N_Keyword || e->kid[i]->kind == N_Starred) {
            if (can_tell)
                sema_tell_raised(s);
            sema_error(s, DIAG_unsupported, e->kid[i],
                       "only plain arguments of an exception are supported");
        } else if (type_has_param(sema_expr(s, e->kid[i]).type)) {
            time_refuse(s, e->kid[i], "the text", sema_known(s, e->kid[i]).type);
        } else if (!s->fr->in->def->is_lib && type_has_members(sema_known(s, e->kid[i]).type)) {
            Diag *d = sema_error(s, DIAG_unsupported, e->kid[i],
                                 "a member of an IntEnum as an argument of an exception");
            diag_hint(s->diags, d, "write its text, as f\"{x!r}\", or int(x)");
        }
    }
    Info *info = info_of(s, e);
    *info = (Info){.type = type_other(s->tt, TY_EXC, NULL, 0, NULL, NULL)};
    info->call = NEW(s->a, Call);
    *info->call = (Call){.kind = CALL_EXC};
    info->call->arg = NEW_N(s->a, const Node *, e->n);
    for (int i = 1; i < e->n; i++) { /* an instance that is no key of a dict has no text here */
        bool key = s->fr->in->def->is_lib && type_class(sema_known(s, e->kid[i]).type);
        if (!key)
            info->call->arg[info->call->n_args++] = e->kid[i];
    }
}

static bool
all_constant(const Node *const *kid, int n)
{
    for (int i = 0; i < n; i++)
        if (kid[i]->kind != N_Const)
            return false;
    return true;
}

/* No code is made for it: it must be one that does nothing. */
static void
cause(Sema *s, const Node *e)
{
    bool call = e->kind == N_Call;
    Sem c = sema_expr(s, call ? e->kid[0] : e);
    bool class = is_exc_class(c.cst);
    if (sem_bad(c))
        return;
    if (call && !class)
        c = sema_expr(s, e);
    if (sem_bad(c))
        return;
    if (class && c.cst->b)
        sema_unsupported(s, e,
                         "raising an exception whose class has an __init__ or __new__ of its own");
    else if (!class && c.type->kind != TY_NONE && c.type->kind != TY_EXC)
        sema_type_error(s, e, "exception causes must derive from BaseException, not %s",
                        c.cst && c.cst->kind == CV_UNSUPPORTED ? c.cst->str : c.type->text);
    else if (call ? !class || !all_constant((const Node *const *)e->kid + 1, e->n - 1)
                  : e->kind != N_Const && (e->kind != N_Name || info_of(s, e)->check_bound) &&
                        !class)
        sema_unsupported(
            s, e,
            "a cause that is not None, an exception with constants, or one that has been caught");
}

static void
raised_texts(Sema *s, const Node *e, const Const *cls)
{
    raise_call(s, e, cls);
    text_raised(s, e->n - 1, e->kid + 1);
}

void
sema_raise(Sema *s, const Node *n)
{
    const Node *e = n->n ? n->kid[0] : NULL;
    if (!e) {
        info_of(s, n)->raises = !s->fr->in_handler;
        if (s->fr->in_handler && s->fr->handler &&
            s->fr->handler->kind == N_Try) /* which depends on the way in */
            sema_unsupported(s, n, "a bare raise in a finally");
    } else {
        const Node *cls = e->kind == N_Call ? e->kid[0] : e;
        Sem c = sema_expr(s, cls);
        const Slot *caught =
            c.type->kind == TY_EXC && e->kind == N_Name ? env_find(s, e->name) : NULL;
        if (caught && caught->def != s->fr->handler && c.type->n == 0)
            sema_unsupported(s, e, "raising an exception of which nothing is known here");
        if (is_exc_class(c.cst) && e->kind == N_Call)
            raised_texts(s, e, c.cst);
        else if (!sem_bad(c) && !is_exc_class(c.cst) && c.type->kind != TY_EXC)
            sema_type_error(s, e,
                            "exceptions must be classes or instances of BaseException, "
                            "not %s",
                            c.cst && c.cst->kind == CV_UNSUPPORTED ? c.cst->str : c.type->text);
        if (n->n > 1 && n->kid[1])
            cause(s, n->kid[1]);
    }
    s->fr->env = (Env){.dead = true};
}
