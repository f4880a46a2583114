/* SPDX-License-Identifier: BSD-3-Clause
 * Which loop has to be unrolled for its body to be typed: one whose number of rounds is known, and
 * small, around an error that a value isn't known, or that a type changes. The innermost comes
 * first; then the function is typed again. */
#include "ast/search.h"
#include "sema/internal.h"

enum { MOST_ROUNDS = 16, MOST_NODES = 6000 }; /* of a loop; of the whole program */

/* Leaves a round before its end. What is inside of another loop is that one's. */
static bool
jumps(const Node *n, bool inner)
{
    if (!n)
        return false;
    if (n->kind == N_Lambda || n->kind == N_FunctionDef || n->kind == N_Yield)
        return true; /* what takes the variable of a round later */
    if ((n->kind == N_Break || n->kind == N_Continue) && !inner)
        return true;
    bool loop = n->kind == N_For || n->kind == N_While;
    int els = n->kind == N_For ? 3 : 2;
    for (int i = 0; i < n->n; i++)
        if (jumps(n->kid[i], inner || (loop && i != els)))
            return true;
    return false;
}

static bool
known_int(Sema *s, const Node *e, int64_t *out)
{
    const Const *c = sema_known(s, e).cst;
    bool is = c && c->kind == CV_INT && c->i > -1000000 && c->i < 1000000;
    *out = is ? c->i : 0;
    return is;
}

static bool
of_range(Sema *s, const Node *e, Unroll *u)
{
    const Call *c = info_of(s, e)->call;
    int64_t a[3] = {0, 0, 1};
    int n = e->n - 1;
    if (!c || c->kind != CALL_BUILTIN || c->fn->id != BI_py_range || n < 1 || n > 3)
        return false;
    for (int i = 0; i < n; i++)
        if (!known_int(s, e->kid[i + 1], &a[n == 1 ? 1 : i]))
            return false;
    int64_t span = a[2] > 0 ? a[1] - a[0] : a[0] - a[1], by = a[2] > 0 ? a[2] : -a[2];
    if (!by || span > by * MOST_ROUNDS)
        return false;
    *u = (Unroll){.of = UNROLL_RANGE, .n = span > 0 ? (int)((span + by - 1) / by) : 0};
    u->start = a[0];
    u->step = a[2];
    return true;
}

static bool
of_tuple(Sema *s, const Node *e, Unroll *u)
{
    const Type *t = sema_known(s, e).type;
    bool literal = ast_is_literal(e);
    if (!literal && !(e->kind == N_List && ast_is_plain_display(e)) &&
        (t->kind != TY_TUPLE || t->names))
        return false;
    *u = (Unroll){.of = UNROLL_TUPLE, .n = literal || e->kind == N_List ? e->n : t->n, .over = e};
    return e->kind != N_Tuple || literal || u->n == e->n;
}

static bool
of_enumerate(Sema *s, const Node *e, Unroll *u)
{
    const Call *c = e->kind == N_Call ? info_of(s, e)->call : NULL;
    int64_t start = 0;
    if (!c || c->kind != CALL_BUILTIN || c->fn->id != BI_py_enumerate || e->n < 2 || e->n > 3)
        return false;
    for (int i = 1; i < e->n; i++)
        if (e->kid[i]->kind == N_Keyword || e->kid[i]->kind == N_Starred)
            return false;
    if ((e->n == 3 && !known_int(s, e->kid[2], &start)) || !of_tuple(s, e->kid[1], u))
        return false;
    u->of = UNROLL_ENUMERATE;
    u->start = start;
    return true;
}

static bool
of_zip(Sema *s, const Node *e, Unroll *u)
{
    const Call *c = e->kind == N_Call ? info_of(s, e)->call : NULL;
    int least = MOST_ROUNDS + 1;
    if (!c || c->kind != CALL_BUILTIN || c->fn->id != BI_py_zip || e->n < 2 || e->n >= UNROLL_PARTS)
        return false;
    for (int i = 1; i < e->n; i++) {
        const Node *of = e->kid[i];
        if (of->kind == N_Keyword || of->kind == N_Starred || !of_tuple(s, of, u))
            return false;
        least = u->n < least ? u->n : least;
    }
    *u = (Unroll){.of = UNROLL_ZIP, .n = least, .over = e};
    return true;
}

/* Of a dict with known keys that has a name: d, d.keys(), d.values(), d.items(). */
static bool
of_members(Sema *s, const Node *over, Unroll *u)
{
    const Node *f = over->kind == N_Call && over->n == 1 ? over->kid[0] : NULL;
    const Node *d = f && f->kind == N_Attribute ? f->kid[0] : over;
    const Type *t = d->kind == N_Name ? sema_known(s, d).type : NULL;
    char which = d == over                    ? 'k'
                 : !strcmp(f->name, "keys")   ? 'k'
                 : !strcmp(f->name, "values") ? 'v'
                 : !strcmp(f->name, "items")  ? 'i'
                                              : 0;
    t = t ? keyed_as_values(s, sem_of(t)).type : NULL;
    if (!t || t->kind != TY_KEYED || !which)
        return false;
    *u = (Unroll){.of = UNROLL_MEMBERS, .n = t->n, .over = d, .keys = t->names, .member = which};
    return true;
}

/* May it be evaluated again for each element? */
static bool
is_cheap(Sema *s, const Node *over)
{
    if (over->kind == N_Attribute)
        return over->kid[0]->kind == N_Name && !strcmp(over->name, "shape") &&
               sema_known(s, over->kid[0]).type->kind == TY_ARRAY;
    if (over->kind == N_Subscript) /* x.shape[1:] */
        return over->kid[1]->kind == N_Slice && over->kid[0]->kind == N_Attribute &&
               sema_known(s, over).type->kind == TY_TUPLE && is_cheap(s, over->kid[0]);
    return over->kind == N_Name || ast_is_plain_display(over);
}

/* May each of its names be replaced in what a comprehension yields? */
static bool
is_replaceable(const Node *target, const Node *body, const Node *over)
{
    if (target->kind == N_Name)
        return !ast_sets(body, target->name);
    bool all = target->kind == N_Tuple && target->n > 0;
    for (int i = 0; all && i < target->n; i++) {
        const Node *t = target->kid[i];
        all = t->kind == N_Name && !ast_sets(body, t->name) && !ast_mentions(over, t->name);
        for (int j = 0; all && j < i; j++)
            all = target->kid[j]->name != t->name;
    }
    return all;
}

/* What a comprehension goes through is there again for each element. */
static bool
all_cheap(Sema *s, const Node *over, const Unroll *u)
{
    bool all = u->of != UNROLL_TUPLE || is_cheap(s, over);
    for (int i = 1; all && u->of == UNROLL_ZIP && i < over->n; i++)
        all = is_cheap(s, over->kid[i]);
    return all && (u->of != UNROLL_ENUMERATE || is_cheap(s, over->kid[1]));
}

/* Notes that a loop or comprehension is to be unrolled, where it can be. */
static void
choose(Sema *s, const Node *n)
{
    const FuncDef *fn = s->fr->in->def;
    bool comp = n->kind == N_ListComp;
    const Node *gen = comp ? n->kid[1] : n, *over = gen->kid[1];
    Unroll u;
    if (s->unroll.loop || fn->is_lib || (!comp && n->n > 3 && n->kid[3]))
        return;
    if (comp && (n->n != 2 || gen->n != 2 || n->op > 2))
        return;
    bool range = over->kind == N_Call && of_range(s, over, &u);
    if (comp && of_members(s, over, &u))
        range = false;
    else if (!range && !of_tuple(s, over, &u) && !of_enumerate(s, over, &u) && !of_zip(s, over, &u))
        return;
    const Node *body = comp ? n->kid[0] : n->kid[2];
    int more = u.n > MOST_ROUNDS ? 0 : u.n * ast_size(body);
    if (u.n > MOST_ROUNDS || s->unrolled + more > MOST_NODES || jumps(body, comp))
        return;
    if (comp && (!all_cheap(s, over, &u) || !is_replaceable(gen->kid[0], body, over)))
        return;
    if (u.of == UNROLL_MEMBERS && ast_sets(body, u.over->name))
        return;
    u.fn = fn;
    u.tuple = comp && n->op == 1;
    u.loop = n;
    s->unroll = u;
    s->unrolled += more;
}

unsigned
sema_rounds_begin(Sema *s)
{
    unsigned before = s->cx->wants;
    s->cx->wants = 0;
    return before;
}

void
sema_rounds_end(Sema *s, const Node *n, unsigned before)
{
    if (s->cx->wants)
        choose(s, n);
    s->cx->wants |= before;
}

/* Has the comprehension so many rounds, and can it be a display? It is noted, and after an error
 * all is typed again. */
static bool
becomes_display(Sema *s, const Node *n, int rounds)
{
    int before = s->unrolled;
    if (s->unroll.loop)
        return false;
    choose(s, n);
    if (s->unroll.loop && s->unroll.n == rounds)
        return true;
    s->unroll.loop = NULL;
    s->unrolled = before;
    return false;
}

/* A comprehension that a tuple is to be made of: after an error it is a display, where it goes
 * through a tuple. */
void
sema_want_display(Sema *s, const Node *e)
{
    if (e && e->kind == N_ListComp)
        choose(s, e);
}

/* tuple(range(x.ndim)): of a short range whose bounds are known its numbers. NULL: of others. */
const Const *
sema_range_tuple(Sema *s, const Node *e)
{
    Unroll u;
    if (!e || e->kind != N_Call || !of_range(s, e, &u))
        return NULL;
    const Const **all = NEW_N(s->a, const Const *, u.n + 1);
    for (int i = 0; i < u.n; i++)
        all[i] = const_int(s, u.start + i * u.step);
    return const_tuple(s, u.n, all);
}

/* What so many names are assigned from: a display where it is known that there are as many, else
 * a comprehension is a list. */
Sem
sema_unpacked(Sema *s, const Node *e, Sem v, int names)
{
    v = list_as_tuple(s, e, v);
    if (v.type->kind != TY_LIST || e->kind != N_ListComp)
        return v;
    if (!becomes_display(s, e, names))
        return heap_value(s, e, v);
    sema_type_error(s, e, "cannot unpack %s", v.type->text);
    return sema_unknown(s);
}
