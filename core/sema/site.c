/* SPDX-License-Identifier: BSD-3-Clause
 * Places that make containers. What an empty one holds is a variable, which use binds; where a
 * float was put among ints, the numbers that any of them holds are variables, too, that may become
 * wider (type/open.c). Those of an instance last from one round of inference to the next. */
#include "sema/internal.h"

enum { MOST_WAITS = 3 };

/* NumPy makes an array of the list: an empty one is of float64. */
void
site_arrayed(const Type *list)
{
    while (type_is_heap(list, &heap_list))
        list = list->elems[0];
    TypeVar *v = NULL;
    for (; list && list->kind == TY_UNKNOWN && list->ref; list = v->is)
        v = (TypeVar *)(uintptr_t)list->ref;
    if (v && !v->is)
        v->arrayed = true;
}

static TypeVar *
unbound(const Type *t)
{
    TypeVar *v = NULL;
    for (; t && t->kind == TY_UNKNOWN && t->ref; t = v->is)
        v = (TypeVar *)(uintptr_t)t->ref;
    return v && !v->is ? v : NULL;
}

/* What is put in a container waits for a guess of what another one holds, as in
 * d[k] = np.array([]): until then nothing is guessed for this one. */
void
site_awaits(const Type *container)
{
    for (int i = 0; container && container->kind == TY_REF && i < container->n; i++) {
        TypeVar *v = unbound(container->elems[i]);
        if (v)
            v->awaits = true;
    }
}

/* What is gone through is a list, or, where that is no good, a string: other uses tell more. */
static bool
is_gone_through(const TypeVar *v)
{
    return v->use && type_is_heap(v->use, &heap_list) && !v->changes;
}

static const Type *
open_part(Sema *s, TypeVar *v)
{
    TypeVar *part = NEW(s->a, TypeVar);
    *part = (TypeVar){.found = v->found, .next = v->next, .young = true};
    v->next = part;
    return type_open(s->tt, part);
}

static const Type *
open_container(Sema *s, TypeVar *v, const HeapClass *c)
{
    const Type *held[2] = {NULL};
    for (int i = 0; i < c->n_elems; i++)
        held[i] = open_part(s, v);
    return type_heap(s->tt, c, held);
}

void
site_gone_through(Sema *s, const Type *t)
{
    TypeVar *v = unbound(t);
    if (v && !v->use)
        v->use = open_container(s, v, &heap_list);
}

/* Strings, lists, dicts or sets: where one of them alone has the method; else a list, as far as
 * nothing tells more. */
void
site_called(Sema *s, const Type *t, const char *method)
{
    static const HeapClass *const class[] = {&heap_list, &heap_dict, &heap_set};
    TypeVar *v = unbound(t);
    if (!v || (v->use && !is_gone_through(v)))
        return;
    const HeapClass *only = NULL;
    int n = text_has_method(type_text(s->tt), method);
    for (int i = 0; i < SW_LEN(class); i++)
        if (heap_method_view(class[i], method) >= 0) {
            only = class[i];
            n++;
        }
    if (n == 1 && (!only || !v->use || only != &heap_list))
        v->use = only ? open_container(s, v, only) : type_text(s->tt);
    if (n == 1 && v->use && only == &heap_list)
        v->changes = true;
    else if (n > 1 && heap_method_view(&heap_list, method) >= 0)
        site_gone_through(s, t);
}

/* So many names take what it is apart. */
void
site_unpacked(Sema *s, const Type *t, int n)
{
    TypeVar *v = unbound(t);
    if (!v || (v->use && !is_gone_through(v)))
        return;
    const Type **parts = NEW_N(s->a, const Type *, n + 1);
    for (int i = 0; i < n; i++)
        parts[i] = open_part(s, v);
    v->use = type_tuple(s->tt, n, parts);
}

void
site_indexed(Sema *s, const Type *t, const Type *index)
{
    TypeVar *v = unbound(t);
    if (v && (!v->use || is_gone_through(v)) && type_is_str(index))
        v->use = open_container(s, v, &heap_dict);
    else if (index->kind == TY_SLICE || (index->kind == TY_SCALAR && index->weak))
        site_gone_through(s, t);
}

/* x[index] = ...: no string, and no tuple, that names may take apart elsewhere. */
void
site_stored(Sema *s, const Type *t, const Type *index)
{
    TypeVar *v = unbound(t);
    if (v && v->use && v->use->kind == TY_TUPLE)
        v->use = NULL;
    site_indexed(s, t, index);
    if (v)
        v->changes = is_gone_through(v);
}

/* A string, if the other one is, or a container of the same class. */
void
site_beside(Sema *s, const Type *t, const Type *other)
{
    TypeVar *v = unbound(t);
    if (v && (!v->use || is_gone_through(v)) && other->kind == TY_REF && !type_occurs(v, other))
        v->use = other;
    if (v && (!v->use || is_gone_through(v)) && type_is_str(type_value(other)))
        v->use = type_text(s->tt);
}

/* What is looked for in it: among keys, elements, characters. */
static void
sought(Sema *s, const Type *t, const Type *in)
{
    in = type_value(in);
    if (in->kind == TY_REF && in->n > 0)
        in = type_resolve(s->tt, in->elems[0]);
    else if (in->kind == TY_TUPLE && in->n > 0 && !in->names)
        in = in->elems[0];
    else if (in->kind == TY_KEYED)
        in = type_text(s->tt);
    site_beside(s, t, in);
}

void
site_compared(Sema *s, int op, const Type *a, const Type *b)
{
    if (op == C_IN || op == C_NOTIN) {
        sought(s, a, b);
    } else if (op <= C_GE) {
        site_beside(s, a, b);
        site_beside(s, b, a);
    }
}

/* Nothing is ever put there but what is read there, so that any type will do: one that makes no
 * other number a float, or, where that is no good, a float, a string, or, in a field, an instance
 * of the class that has it: of a tree that is but a root. */
void
sema_guess(Sema *s, TypeVar *v)
{
    if (!s->settle || s->wait || (v->is && !(v->guessed && s->settle > SETTLE_INT)))
        return;
    if (v->young) {
        v->young = false;
        s->found++;
        return;
    }
    if (v->awaits && !v->is && v->waited < MOST_WAITS) {
        v->awaits = false;
        v->waited++;
        s->found++;
        return;
    }
    if (v->use && !v->is && !is_gone_through(v)) {
        v->is = v->use;
        s->found++;
        return;
    }
    bool floats = s->settle == SETTLE_FLOAT || v->arrayed, own = s->settle == SETTLE_OWN && v->own;
    const Type *guess = own                        ? v->own
                        : s->settle == SETTLE_TEXT ? type_text(s->tt)
                        : is_gone_through(v)       ? v->use
                                             : type_scalar(s->tt, floats ? DT_f64 : DT_i64, true);
    s->found += v->is != guess; /* what was inferred before in this round has it open */
    v->is = guess;
    v->guessed = true;
}

/* seen: classes of objects that Python has, which may be made of each other. own: the class whose
 * field holds it, or NULL. */
static void
open_parts(Sema *s, const Type *t, const Type *own, Map *seen)
{
    for (int i = 0; type_has_elements(t) && i < t->n; i++)
        open_parts(s, t->elems[i], own, seen);
    const ObjClass *c = t->kind == TY_OBJ ? t->ref : NULL;
    if (c && c->copied && !c->open && !map_get(seen, c)) {
        map_put(s->a, seen, c, (void *)(uintptr_t)c);
        for (int i = 0; i < c->n; i++)
            open_parts(s, c->field[i].type, t, seen);
    }
    TypeVar *v = t->kind == TY_UNKNOWN ? (TypeVar *)(uintptr_t)t->ref : NULL;
    if (v && v->is && (!v->guessed || v->is == v->use))
        open_parts(s, v->is, own, seen);
    if (!v || (v->is && !v->guessed))
        return;
    v->found = &s->found;
    v->own = own;
    if (!s->settle) { /* a guess of a run before, which lacked a function of the library */
        v->is = NULL;
        v->guessed = false;
    }
    sema_guess(s, v);
    s->open += !v->is;
}

static void
forget_parts(const Type *t)
{
    for (int i = 0; type_has_elements(t) && i < t->n; i++)
        forget_parts(t->elems[i]);
    TypeVar *v = t->kind == TY_UNKNOWN ? (TypeVar *)(uintptr_t)t->ref : NULL;
    for (; v; v = v->next) {
        v->young = v->is && !v->guessed; /* what use had told, it tells again */
        v->is = NULL;
        v->guessed = false;
    }
}

/* Another guess begins anew: arguments first, then what follows of them. */
void
site_forget(Sema *s, int n, const Type *const *args)
{
    for (int i = 0; i < s->unit->insts.n; i++)
        s->unit->insts.at[i]->sites = (Map){0};
    object_forget(s);
    for (int i = 0; i < n; i++)
        forget_parts(args[i]);
}

const Type *
site_open_arg(Sema *s, const Type *t)
{
    Map seen = {0};
    open_parts(s, t, NULL, &seen);
    return type_resolve(s->tt, t);
}

/* What a run before has found out, which lacked a function of the library: its places are gone. */
void
site_forget_arg(const Type *t)
{
    for (int i = 0; type_has_elements(t) && i < t->n; i++)
        site_forget_arg(t->elems[i]);
    TypeVar *v = t->kind == TY_UNKNOWN ? (TypeVar *)(uintptr_t)t->ref : NULL;
    if (!v)
        return;
    v->is = v->use = NULL;
    v->next = NULL;
    v->guessed = v->widens = v->changes = false;
}

enum { SITE_VARS = 4, MOST_NESTED = 3 };

typedef struct Site { /* a place that makes an empty list or dict */
    TypeVar var[SITE_VARS];
} Site;

/* Where a function calls itself with a list that it makes, each instance would call another one
 * with a variable of its own, for ever: deep in there the place has one variable. */
static Site *
of_caller(const Sema *s, const Node *e)
{
    Site *found = NULL;
    int nested = 0;
    for (const Frame *f = s->fr->up; s->wide && f; f = f->up) {
        bool same = f->in->def == s->fr->in->def;
        nested += same;
        if (same && !found)
            found = map_get(&f->in->sites, e);
    }
    return nested >= MOST_NESTED ? found : NULL;
}

static TypeVar *
site_variable(Sema *s, const Node *e, int k)
{
    Inst *in = s->fr->in;
    Site *site = map_get(&in->sites, e);
    if (!site && (site = of_caller(s, e)))
        map_put(s->a, &in->sites, e, site);
    if (!site) {
        site = NEW(s->a, Site);
        for (int i = 0; i < SITE_VARS; i++) {
            site->var[i].found = &s->found;
            site->var[i].widens = s->wide;
            site->var[i].young = s->settle != 0;
            if (s->wide)
                VEC_PUSH(s->a, s->widening, &site->var[i]);
        }
        map_put(s->a, &in->sites, e, site);
    }
    return &site->var[k];
}

static void
guess_all(Sema *s, TypeVar *v)
{
    for (; v; v = v->next) {
        sema_guess(s, v);
        s->open += !v->is;
    }
}

const Type *
heap_empty_site(Sema *s, const Node *e, int k)
{
    TypeVar *v = site_variable(s, e, k);
    const Type *open = type_open(s->tt, v);
    guess_all(s, v);
    return type_widens(open) ? open : type_resolve(s->tt, open);
}

static bool
has_none_alone(const Type *t)
{
    bool found = t->kind == TY_UNKNOWN && !t->ref;
    for (int i = 0; type_has_parts(t) && !found && i < t->n; i++)
        found = has_none_alone(t->elems[i]);
    return found;
}

/* Of elements that are None alone something is still to be found; numbers may meet wider ones. */
const Type *
heap_known_element(Sema *s, const Node *e, int k, const Type *t)
{
    t = type_resolve(s->tt, t);
    if (s->wide && type_may_widen(t) && !has_none_alone(t)) {
        TypeVar *v = site_variable(s, e, k);
        const Type *is = type_open(s->tt, v), *both = v->is ? type_widest(s->tt, is, t) : t;
        if (!v->is && has_none_alone(t))
            type_unify(s->tt, is, t);
        else if (!v->is && !type_occurs(v, t))
            v->is = t;
        guess_all(s, v->next);
        return type_widen(s->tt, is, t) ? is : both ? both : t;
    }
    if (t->kind == TY_UNKNOWN || !has_none_alone(t))
        return t;
    const Type *open = heap_empty_site(s, e, k);
    if (!type_unify(s->tt, open, t))
        return t;
    return type_widens(open) ? open : type_resolve(s->tt, open);
}

/* ---- all that may become wider --------------------------------------------------------------- */

/* The containers in an argument, which becomes what its type says: it may be a wider one. */
static const Type *
widening_arg(Sema *s, const Type *t)
{
    const Type *parts[64];
    if (!type_has_elements(t) || t->n > SW_LEN(parts))
        return t;
    for (int i = 0; i < t->n; i++) {
        bool key = type_heap_has(t, HEAP_KEYED) && i == 0;
        parts[i] = widening_arg(s, t->elems[i]);
        if (t->kind != TY_REF || key || !type_may_widen(parts[i]))
            continue;
        TypeVar *v = NEW(s->a, TypeVar);
        *v = (TypeVar){.is = parts[i], .found = &s->found, .widens = true};
        VEC_PUSH(s->a, s->widening, v);
        parts[i] = type_open(s->tt, v);
    }
    return type_of_parts(s->tt, t, parts);
}

/* All is inferred anew. */
void
site_begin_widening(Sema *s, int n, const Type **types)
{
    s->wide = true;
    for (int i = 0; i < s->unit->insts.n; i++)
        s->unit->insts.at[i]->sites = (Map){0};
    object_forget(s);
    for (int i = 0; i < n; i++)
        types[i] = widening_arg(s, types[i]);
}

/* Is all known, and was there something that might have become wider? Then it stays what it is. */
bool
site_end_widening(Sema *s)
{
    bool some = false;
    for (int i = 0; i < s->widening.n; i++) {
        TypeVar *v = s->widening.at[i];
        some |= v->widens && v->is;
        v->widens = v->widens && !v->is;
    }
    return some;
}
