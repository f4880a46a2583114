/* SPDX-License-Identifier: BSD-3-Clause
 * What each name holds at a point of control flow, and what happens where paths meet.
 * An Env is an array of slots, copied where control forks. Joining gives each name one
 * type; a path whose Var for that name is another gets a Move on its edge. Types that do
 * not join are no error yet (the name may never be read again): the slot remembers the
 * clash. Inside a `try` body a name is pinned to one type, because an exception may leave
 * at any point and its edge carries no moves. */
#include "sema/internal.h"

Info *
info_of(Sema *s, const Node *n)
{
    return &s->fr->in->info[n->id];
}

/* ---- names and slots ------------------------------------------------------------------
 */

Sym
env_resolve(Sema *s, Sym name)
{
    for (Scope *c = s->fr->scope; c; c = c->up)
        if (c->name == name)
            return c->as;
    return name;
}

int
env_index(Sema *s, Sym name)
{
    Frame *f = s->fr;
    intptr_t k = (intptr_t)map_get(&f->index, name);
    if (!k) {
        VEC_PUSH(s->a, f->names, name);
        k = f->names.n;
        map_put(s->a, &f->index, name, (void *)k);
    }
    return (int)k - 1;
}

static Slot *
slot_at(Sema *s, Env *e, int k)
{
    if (k >= e->n) {
        int n = k + 1 > s->fr->names.n ? k + 1 : s->fr->names.n;
        Slot *more = NEW_N(s->a, Slot, n);
        if (e->n)
            memcpy(more, e->slot, sizeof(Slot) * (size_t)e->n);
        e->slot = more;
        e->n = n;
    }
    return &e->slot[k];
}

Slot *
env_slot(Sema *s, Sym name)
{
    return slot_at(s, &s->fr->env, env_index(s, env_resolve(s, name)));
}

Slot *
env_find(Sema *s, Sym name)
{
    name = env_resolve(s, name);
    return map_get(&s->fr->index, name) ? env_slot(s, name) : NULL;
}

Env
env_copy(Sema *s, const Env *e)
{
    Env c = *e;
    if (e->n)
        c.slot = arena_dup(s->a, e->slot, sizeof(Slot) * (size_t)e->n);
    return c;
}

static bool
holds_optional(const Type *t)
{
    bool found = type_is_optional(t) || t->kind == TY_EITHER;
    for (int i = 0; t->kind == TY_TUPLE && !found && i < t->n; i++)
        found = holds_optional(t->elems[i]);
    return found;
}

const Var *
env_var(Sema *s, Sym name, const Type *t)
{
    Frame *f = s->fr;
    Var *youngest = map_get(&f->named, name);
    for (Var *v = youngest; v; v = v->before)
        if (v->type == t)
            return v;
    Var *v = NEW(s->a, Var);
    *v = (Var){.name = name, .type = t, .id = f->vars.n, .before = youngest};
    map_put(s->a, &f->named, name, v);
    f->optional |= holds_optional(t);
    v->flagged = map_get(&f->flagged, name) != NULL;
    VEC_PUSH(s->a, f->vars, v);
    return v;
}

void
env_flag(Sema *s, Sym name)
{
    Frame *f = s->fr;
    if (map_get(&f->flagged, name))
        return;
    map_put(s->a, &f->flagged, name, (void *)name);
    for (Var *v = map_get(&f->named, name); v; v = v->before)
        v->flagged = true;
}

/* ---- assignment -----------------------------------------------------------------------
 */

static Span
bound_at(Sema *s, Sym name, const Node *at)
{
    const FuncDef *fd = s->fr->in->def;
    for (int i = 0; !at && i < fd->n_params; i++)
        if (fd->params[i].name == name && fd->params[i].at.src)
            return fd->params[i].at;
    return at ? at->at : fd->at;
}

static bool
same_place(const Span *a, const Span *b)
{
    return a->src == b->src && a->line == b->line && a->col == b->col;
}

/* A second use of the same name, or of one assigned from it, brings no news. */
static bool
told(Sema *s, Span a, Span b)
{
    for (int i = 0; i < s->diags->list.n; i++) {
        const Diag *d = s->diags->list.at[i];
        if (d->id == DIAG_type_changes && d->n_notes >= 2 &&
            same_place(&d->notes[d->n_notes - 2].at, &a) &&
            same_place(&d->notes[d->n_notes - 1].at, &b))
            return true;
    }
    return false;
}

static void
type_changes(Sema *s, const Node *at, Sym name, const struct Clash *c)
{
    Span a = bound_at(s, name, c->a_at), b = bound_at(s, name, c->b_at);
    if (told(s, a, b))
        return;
    heap_want_wide(s, c->a, c->b);
    iter_range_as_list(s, name, c->a, c->b);
    Diag *d = sema_error(s, DIAG_type_changes, at, "the type of '%s' changes from %s to %s", name,
                         c->a->text, c->b->text);
    s->cx->wants |= WANT_ONE_TYPE;
    if (type_is_function(type_value(c->a)) && type_is_function(type_value(c->b)))
        diag_hint(s->diags, d,
                  "the one is in what the other has captured, which has no end: keep "
                  "the functions in a list, and call one after the other");
    diag_note(s->diags, d, a, "here it is %s", c->a->text);
    diag_note(s->diags, d, b, "here it is %s", c->b->text);
}

void
env_clash(Sema *s, const Node *use, Sym name, const struct Clash *c)
{
    type_changes(s, use, name, c);
}

/* What an outer `try` made of a name is its type inside of the inner ones, too. */
static void
pin_inner(Sema *s, Sym name, const Type *t)
{
    for (TryCtx *c = s->fr->try_; c; c = c->up) {
        Pin *p = map_get(&c->pin, name);
        c->changed |= p && p->type != t;
        if (p)
            p->type = t;
    }
}

/* Each enclosing `try` body that pins the name has its say. */
static const Type *
pinned(Sema *s, Sym name, const Type *t, const Node *at)
{
    for (TryCtx *c = s->fr->try_; c; c = c->up) {
        Pin *p = map_get(&c->pin, name);
        if (!p)
            continue;
        const Type *j = type_join(s->tt, p->type, t);
        if (!j) {
            type_changes(s, at, name, &(struct Clash){p->type, t, p->at, at});
            return p->type;
        }
        if (j != p->type) {
            p->type = j;
            c->changed = true;
        }
        if (!p->at)
            p->at = at;
        t = j;
    }
    pin_inner(s, name, t);
    return t;
}

typedef struct Taken { /* a variable of a function */
    const FuncDef *def;
    Sym name;
} Taken;

/* The function itself, or one in a function in this one, which has it by that. */
static bool
takes(const Type *t, const void *arg)
{
    const Taken *of = arg;
    const FuncDef *fd = t->kind == TY_FUNC ? t->ref : NULL;
    bool found = false, same = fd != NULL;
    for (int i = 0; fd && i < t->n && !found; i++)
        found = fd->free[i] == of->name;
    for (const FuncDef *p = fd ? fd->parent : NULL; found && same && p != of->def; p = p->parent)
        same = p && !ast_has_name(p->locals, p->n_locals, of->name) && p->parent;
    return found && same;
}

/* later: in a generator expression, which may become an iterator with functions of its parts */
static void
note_taken(Sema *s, Map *m, const Node *n, bool later)
{
    if (!n)
        return;
    for (int i = 0; n->fn && i < n->fn->n_free; i++)
        map_put(s->a, m, n->fn->free[i], (void *)n);
    if (later && n->kind == N_Name)
        map_put(s->a, m, n->name, (void *)n);
    later |= n->kind == N_ListComp && n->op == 1;
    for (int i = 0; i < n->n; i++)
        note_taken(s, m, n->kid[i], later);
}

/* Does a function in this one take the variable? */
static bool
is_taken(Sema *s, Sym name)
{
    Inst *in = s->fr->in;
    if (!in->taken_known)
        note_taken(s, &in->taken, in->def->body, false);
    in->taken_known = true;
    return map_get(&in->taken, name) != NULL;
}

bool
env_captures(Sema *s, const Type *t, Sym name)
{
    return is_taken(s, name) && sema_holds(s, t, takes, &(Taken){s->fr->in->def, name});
}

static void
mark_stale(Sema *s, Sym name)
{
    Env *e = &s->fr->env;
    for (int i = 0; !ast_is_default(name) && is_taken(s, name) && i < e->n; i++)
        if (e->slot[i].var && env_captures(s, e->slot[i].var->type, name))
            e->slot[i].stale = name;
}

const Var *
env_bind(Sema *s, Sym name, Sem v, const Node *at)
{
    name = env_resolve(s, name);
    const Type *t = pinned(s, name, v.type, at);
    Slot *slot = env_slot(s, name);
    bool was = slot->was; /* else there is no function that has taken it */
    *slot = (Slot){
        .var = env_var(s, name, t), .cst = v.cst, .def = at, .serial = ++s->bindings, .was = true};
    if (t != v.type) {
        slot->cst = NULL;
        slot->as = type_is_optional(t) && !type_is_optional(v.type) && !sem_bad(v)
                       ? (v.type->kind == TY_NONE ? v.type : t->elems[1])
                       : NULL;
    }
    if (was)
        mark_stale(s, name);
    return env_slot(s, name)->var;
}

void
env_unbind(Sema *s, Sym name)
{
    *env_slot(s, name) = (Slot){.was = env_slot(s, name)->was};
}

/* ---- where paths meet ------------------------------------------------------------------------ */

/* Where: at the head of a loop, or behind a statement. No node: not known. */
typedef struct Place {
    const Node *at;
    bool head;
} Place;

static Slot
join_slots(Sema *s, Sym name, const Slot *a, const Slot *b, Place p)
{
    bool two = a->var && b->var && a->var->type != b->var->type;
    if (a->gone || b->gone || (two && live_is_dead(s, name, p.at, p.head)))
        return (Slot){.gone = true};
    if (a->clash || b->clash) {
        Slot out = a->clash ? *a : *b;
        out.maybe = a->maybe || b->maybe || !a->var || !b->var;
        return out;
    }
    if (!a->var || !b->var) {
        Slot out = a->var ? *a : *b; /* with what is stale of it */
        out.maybe = out.var != NULL;
        out.cst = NULL;
        return out;
    }
    Slot out = {.maybe = a->maybe || b->maybe,
                .stale = a->stale ? a->stale : b->stale,
                .def = a->def,
                .serial = a->serial == b->serial ? a->serial : ++s->bindings};
    if (a->cst && b->cst && a->var->type == b->var->type && const_equal(a->cst, b->cst))
        out.cst = a->cst;
    const Type *ta = slot_type(a), *tb = slot_type(b);
    const Type *t = type_join_values(s, ta, a->cst, tb, b->cst);
    if (!t) {
        struct Clash *c = NEW(s->a, struct Clash);
        *c = (struct Clash){ta, tb, a->def, b->def};
        out.var = a->var;
        out.clash = c;
        return out;
    }
    bool known = a->as || b->as;
    out.var = known && a->var == b->var ? a->var : env_var(s, name, t);
    out.as = t == out.var->type ? NULL : t;
    if (t == tb && t != ta)
        out.def = b->def;
    return out;
}

static Edge *
new_edge(Sema *s, const Node *at, EdgeKind k)
{
    Inst *in = s->fr->in;
    const void *key = (const char *)at + k; /* a Node is larger than the number of kinds */
    Edge *e = map_get(&in->edge_map, key);
    if (!e) {
        e = NEW(s->a, Edge);
        e->at = at;
        e->kind = k;
        VEC_PUSH(s->a, in->edges, e);
        map_put(s->a, &in->edge_map, key, e);
    }
    e->moves.n = 0;
    return e;
}

const Edge *
sema_edge(const Inst *in, const Node *at, EdgeKind k)
{
    return map_get(&in->edge_map, (const char *)at + k);
}

void
env_edge(Sema *s, const Path *from, const Env *to)
{
    Edge *e = new_edge(s, from->at, from->kind);
    if (from->env.dead || to->dead)
        return;
    for (int i = 0; i < to->n; i++) {
        const Slot *t = &to->slot[i];
        const Slot *f = i < from->env.n ? &from->env.slot[i] : NULL;
        if (!t->var || t->clash)
            continue;
        const Var *v = f && !f->clash ? f->var : NULL;
        if (v != t->var && !(f && f->clash))
            VEC_PUSH(s->a, e->moves, ((Move){v, t->var}));
    }
}

static void
join_into(Sema *s, Env *to, const Env *b, Place p)
{
    if (b->dead)
        return;
    if (to->dead) {
        *to = env_copy(s, b);
        return;
    }
    static const Slot none;
    int n = to->n > b->n ? to->n : b->n;
    for (int i = 0; i < n; i++) {
        Slot *t = slot_at(s, to, i);
        const Slot *other = i < b->n ? &b->slot[i] : &none;
        bool was = t->was || other->was;
        *t = join_slots(s, s->fr->names.at[i], t, other, p);
        t->was = was;
    }
}

Env
env_join(Sema *s, int n, const Path *paths, const Node *behind)
{
    Env out = {.dead = true};
    for (int i = 0; i < n; i++)
        join_into(s, &out, &paths[i].env, (Place){behind, false});
    for (int i = 0; i < n; i++)
        env_edge(s, &paths[i], &out);
    return out;
}

bool
env_widen(Sema *s, Env *head, const Env *back, const Node *loop)
{
    if (back->dead)
        return false;
    Env old = env_copy(s, head);
    join_into(s, head, back, (Place){loop, true});
    static const Slot none;
    bool changed = old.dead != head->dead;
    for (int i = 0; i < head->n; i++) {
        const Slot *a = i < old.n ? &old.slot[i] : &none, *b = &head->slot[i];
        changed |= a->var != b->var || a->maybe != b->maybe || a->clash != b->clash ||
                   a->cst != b->cst || a->stale != b->stale || a->as != b->as || a->was != b->was;
    }
    return changed;
}

/* ---- what a piece of the program assigns ----------------------------------------------------- */

void
env_walk_assigned(Sema *s, const Node *n, void (*f)(Sema *s, const Node *at, Sym name, void *arg),
                  void *arg)
{
    if (!n)
        return;
    bool names = (n->kind == N_Name && n->op != CTX_LOAD) || (n->kind == N_Handler && n->name) ||
                 n->kind == N_FunctionDef;
    if (names)
        f(s, n, n->name, arg);
    /* a comprehension's targets are its own; what `:=` binds in it isn't */
    for (int i = 0; i < n->n; i++) {
        const Node *k = n->kid[i];
        bool generator = n->kind == N_ListComp && i;
        for (int j = 1; generator && j < k->n; j++)
            env_walk_assigned(s, k->kid[j], f, arg);
        if (!generator)
            env_walk_assigned(s, k, f, arg);
    }
}

static void
forget(Sema *s, const Node *at, Sym name, void *arg)
{
    (void)at;
    (void)arg;
    env_slot(s, name)->cst = NULL;
}

void
env_forget(Sema *s, const Node *body)
{
    env_walk_assigned(s, body, forget, NULL);
}

int
env_rounds(const Sema *s)
{
    return s->grows ? 8 : 40;
}

/* A type that is made of itself, as that of p in `p = (x, p)`, grows in each round of inference. */
void
env_tell_growing(Sema *s, const Node *at, Sym name)
{
    s->grows = true;
    Diag *d =
        sema_error(s, DIAG_type_changes, at,
                   "'%s' holds what it held before: its type grows with each iteration", name);
    diag_hint(s->diags, d, "put the values in a list, or in instances of a class");
}

static void
tell_growing(Sema *s, const Node *at, Sym name, void *arg)
{
    Env now = s->fr->env;
    Slot slot = *env_slot(s, name);
    s->fr->env = *(Env *)arg;
    Slot old = *env_slot(s, name);
    *(Env *)arg = s->fr->env;
    s->fr->env = now;
    if (!slot.var || !old.var || slot_type(&slot) == slot_type(&old))
        return;
    env_tell_growing(s, at, name);
    env_bind(s, name, sem_of(type_unknown(s->tt)), at);
}

void
env_grows(Sema *s, const Node *body, Env *before)
{
    env_walk_assigned(s, body, tell_growing, before);
}

/* ---- errors ---------------------------------------------------------------------------------- */

/* In a callee the places that called it are shown too; in swathe/lib only the user's is.
 */
static void
note_callers(Sema *s, Diag *d)
{
    for (Frame *f = s->fr; f && f->up && f->call; f = f->up) {
        if (f->up->in->def->is_lib)
            continue;
        diag_note(s->diags, d, f->call->at, "called from here, in %s", f->up->in->def->name);
        if (d->n_notes >= 6)
            break;
    }
}

/* The outermost function of an installed package that one of another place calls; or NULL. */
static Frame *
installed_around(Frame *f)
{
    Frame *found = NULL;
    for (; f && f->up && f->call; f = f->up)
        if (f->in->def->is_installed && !f->up->in->def->is_installed && !f->up->in->def->is_lib)
            found = f;
    return found;
}

/* An error in it is the first that the user's call shows, and none of hers to mend. Yields one that
 * nobody sees, for the hints that it would get. */
static Diag *
record_installed(Sema *s, DiagId id, const Node *at, Frame *f, const char *text)
{
    Span call = f->call->at;
    const Diags *all = s->diags;
    bool told = false;
    for (int i = 0; i < all->list.n && !told; i++) {
        const Span *o = &all->list.at[i]->at;
        told = o->src == call.src && o->line == call.line && o->col == call.col;
    }
    if (!told) {
        Diag *d = diag_add(s->diags, id, call, "%s(): %s", f->in->def->name, text);
        diag_hint(s->diags, d, "%s",
                  "the function isn't made for compiling: call it in Python, in a block of "
                  "`with swathe.objmode(y=\"float64\"):`");
        if (at)
            diag_note(s->diags, d, at->at, "this is where it doesn't compile");
        Frame *save = s->fr;
        s->fr = f->up;
        note_callers(s, d);
        s->fr = save;
    }
    return NEW(s->a, Diag);
}

static Diag *
record(Sema *s, DiagId id, const Node *at, char *text)
{
    Frame *f = s->fr;
    while (f && f->in->def->is_lib && f->up && f->call) {
        at = f->call;
        f = f->up;
    }
    Frame *installed = installed_around(f);
    if (installed)
        return record_installed(s, id, at, installed, text);
    int before = s->diags->list.n;
    Diag *d = diag_add(s->diags, id, at ? at->at : (Span){0}, "%s", text);
    if (s->diags->list.n > before && f) {
        Frame *save = s->fr;
        s->fr = f;
        note_callers(s, d);
        s->fr = save;
    }
    return d;
}

static char *
format(Sema *s, const char *fmt, va_list ap)
{
    StrBuf b = {0};
    sb_vaddf(&b, fmt, ap);
    return sb_keep(&b, s->a);
}

Diag *
sema_error(Sema *s, DiagId id, const Node *at, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    char *text = format(s, fmt, ap);
    va_end(ap);
    return record(s, id, at, text);
}

void
sema_readonly(Sema *s, const Node *at, const char *what)
{
    Diag *d = sema_error(s, DIAG_value, at, "%s", what);
    diag_hint(s->diags, d,
              "assign to a copy: a.copy(); an argument whose elements share memory with each other "
              "is read-only");
}

Diag *
sema_type_error(Sema *s, const Node *at, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    char *text = format(s, fmt, ap);
    va_end(ap);
    return record(s, DIAG_types, at, text);
}

void
sema_hint_nearest(Sema *s, Diag *d, const char *word, const char *const *cands, int n)
{
    const char *near = diag_nearest(word, cands, n);
    if (near)
        diag_hint(s->diags, d, "did you mean '%s'?", near);
}

int
diag_mark(Sema *s)
{
    return s->diags->list.n;
}

void
diag_rewind(Sema *s, int mark)
{
    s->diags->list.n = mark;
}

/* What has been told since the mark. */
void
diag_copy(Sema *s, int mark, DiagList *to)
{
    to->n = 0;
    for (int i = mark; i < s->diags->list.n; i++)
        VEC_PUSH(s->a, *to, s->diags->list.at[i]);
}

/* That, in place of what has been told since; but what is wrong only since then stays. */
void
diag_put(Sema *s, int mark, const DiagList *from)
{
    if (!from->n)
        return;
    diag_rewind(s, mark);
    for (int i = 0; i < from->n; i++)
        VEC_PUSH(s->a, s->diags->list, from->at[i]);
}
