/* SPDX-License-Identifier: BSD-3-Clause
 * Live variables: which names may be read before they are assigned again. Asked only where paths
 * meet with a name that has two types: of one that is dead no common type is sought, and nothing
 * is converted. What is not understood counts as read. */
#include "sema/internal.h"

typedef struct Live {
    Sema *s;
    const FuncDef *def;
    int words;
    Map index;        /* Sym -> 1 + bit */
    uint64_t *always; /* names that nested functions take */
    Map head, after;  /* For, While, If -> set */
    Map caught;       /* Try -> set, where its handlers begin */
} Live;

/* Where control goes from inside of a piece, beside its end. */
typedef struct Exits {
    const uint64_t *floor; /* by exceptions and returns: added everywhere */
    const uint64_t *on_break, *on_continue;
} Exits;

static void block(Live *l, const Node *n, uint64_t *set, const Exits *x);

static uint64_t *
copy(Live *l, const uint64_t *a)
{
    uint64_t *c = NEW_N(l->s->a, uint64_t, l->words);
    if (a)
        memcpy(c, a, sizeof *c * (size_t)l->words);
    return c;
}

static bool
add(Live *l, uint64_t *to, const uint64_t *a)
{
    uint64_t more = 0;
    for (int i = 0; a && i < l->words; i++) {
        more |= a[i] & ~to[i];
        to[i] |= a[i];
    }
    return more != 0;
}

static void
flip(Live *l, uint64_t *set, Sym name, bool on)
{
    intptr_t k = (intptr_t)map_get(&l->index, name) - 1;
    if (k < 0)
        return;
    uint64_t bit = 1ull << (k % 64);
    set[k / 64] = on ? set[k / 64] | bit : set[k / 64] & ~bit;
}

/* All that an expression mentions, or, with stores, a whole piece. */
static void
uses(Live *l, const Node *n, uint64_t *set, bool stores)
{
    if (!n)
        return;
    if (n->kind == N_Name && (stores || n->op != CTX_STORE))
        flip(l, set, n->name, true);
    for (int i = 0; i < n->n; i++)
        uses(l, n->kid[i], set, stores);
}

static void
assigned(Live *l, const Node *target, uint64_t *set)
{
    if (target->kind == N_Name && target->op == CTX_STORE)
        flip(l, set, target->name, false);
    for (int i = 0; target->kind == N_Tuple && i < target->n; i++)
        assigned(l, target->kid[i], set);
}

static void
keep(Live *l, Map *in, const Node *n, const uint64_t *set, const Exits *x)
{
    uint64_t *c = copy(l, set);
    add(l, c, x->floor);
    map_put(l->s->a, in, n, c);
}

/* A loop around this one comes here again with sets that have only grown: what was found at the
 * head before is still live there. Were it found anew, each level of nesting would double the
 * time. */
static void
loop(Live *l, const Node *n, uint64_t *set, const Exits *x)
{
    bool is_for = n->kind == N_For;
    const Node *body = n->kid[is_for ? 2 : 1];
    const Node *els = n->n > (is_for ? 3 : 2) ? n->kid[is_for ? 3 : 2] : NULL;
    keep(l, &l->after, n, set, x);
    uint64_t *after = copy(l, set), *head = copy(l, set);
    block(l, els, head, x);
    add(l, head, map_get(&l->head, n));
    if (!is_for)
        uses(l, n->kid[0], head, false);
    Exits in = {x->floor, after, head};
    for (bool more = true; more;) {
        uint64_t *t = copy(l, head);
        block(l, body, t, &in);
        if (is_for) {
            assigned(l, n->kid[0], t);
            uses(l, n->kid[0], t, false);
        }
        more = add(l, head, t);
    }
    keep(l, &l->head, n, head, x);
    add(l, set, head);
    if (is_for)
        uses(l, n->kid[1], set, false);
}

static void
branches(Live *l, const Node *n, uint64_t *set, const Exits *x)
{
    keep(l, &l->after, n, set, x);
    uint64_t *other = copy(l, set);
    block(l, n->kid[1], set, x);
    block(l, n->n > 2 ? n->kid[2] : NULL, other, x);
    add(l, set, other);
    uses(l, n->kid[0], set, false);
}

/* Handlers; behind them is what `set` says. Yields what is live where any of them begins. */
static uint64_t *
caught(Live *l, const Node *n, const uint64_t *set, const Exits *x)
{
    uint64_t *all = copy(l, x->floor), *end = copy(l, set);
    uses(l, n->kid[2], end, true); /* finally */
    uses(l, n->kid[2], all, true);
    for (int i = 3; i < n->n; i++) {
        uint64_t *one = copy(l, end);
        block(l, n->kid[i]->kid[1], one, x);
        uses(l, n->kid[i]->kid[0], one, true);
        add(l, all, one);
    }
    map_put(l->s->a, &l->caught, n, all);
    return all;
}

/* Any statement of the body may go to where a handler begins. */
static void
handled(Live *l, const Node *n, uint64_t *set, const Exits *x)
{
    Exits in = *x;
    uint64_t *all = caught(l, n, set, x);
    in.floor = all;
    block(l, n->kid[1], set, x);
    block(l, n->kid[0], set, &in);
    add(l, set, all);
}

/* `finally`, `with`: any statement may go to any part, so all that is mentioned stays. */
static void
guarded(Live *l, const Node *n, uint64_t *set, const Exits *x)
{
    if (n->kind == N_Try)
        caught(l, n, set, x);
    uint64_t *floor = copy(l, set);
    add(l, floor, x->floor);
    uses(l, n, floor, true);
    add(l, set, floor);
    Exits in = *x;
    in.floor = floor;
    for (int i = 0; i < n->n; i++) {
        const Node *k = n->kid[i];
        bool handler = k && k->kind == N_Handler;
        for (int j = 0; handler && j < k->n; j++)
            if (k->kid[j] && k->kid[j]->kind == N_Block)
                block(l, k->kid[j], copy(l, set), &in);
        if (k && k->kind == N_Block)
            block(l, k, copy(l, set), &in);
    }
}

static void
leave(Live *l, uint64_t *set, const uint64_t *to, const Exits *x)
{
    memset(set, 0, sizeof *set * (size_t)l->words);
    add(l, set, to);
    add(l, set, x->floor);
}

static void
statement(Live *l, const Node *n, uint64_t *set, const Exits *x)
{
    trace_work++;
    switch ((int)n->kind) {
    case N_Block:
        block(l, n, set, x);
        break;
    case N_Assign:
        for (int i = 1; i < n->n; i++)
            assigned(l, n->kid[i], set);
        uses(l, n, set, false);
        break;
    case N_AnnAssign:
        if (n->kid[1])
            assigned(l, n->kid[0], set);
        uses(l, n, set, false);
        break;
    case N_If:
        branches(l, n, set, x);
        break;
    case N_For:
    case N_While:
        loop(l, n, set, x);
        break;
    case N_Break:
        leave(l, set, x->on_break, x);
        break;
    case N_Continue:
        leave(l, set, x->on_continue, x);
        break;
    case N_Return:
    case N_Raise:
        leave(l, set, NULL, x);
        uses(l, n, set, true);
        break;
    case N_Expr:
    case N_Assert:
        uses(l, n, set, false);
        break;
    case N_Try:
    case N_With:
        (n->kind == N_With || n->kid[2] ? guarded : handled)(l, n, set, x);
        break;
    default:
        uses(l, n, set, true);
    }
}

static void
block(Live *l, const Node *n, uint64_t *set, const Exits *x)
{
    for (int i = n ? n->n - 1 : -1; i >= 0; i--)
        statement(l, n->kid[i], set, x);
}

static void
taken(Live *l, const Node *n)
{
    if (!n)
        return;
    for (int i = 0; n->fn && i < n->fn->n_free; i++)
        flip(l, l->always, n->fn->free[i], true);
    for (int i = 0; i < n->n; i++)
        taken(l, n->kid[i]);
}

static Live *
live_of(Sema *s)
{
    const FuncDef *def = s->fr->in->def;
    Live *l = s->fr->live;
    if (l && l->def == def)
        return l;
    l = s->fr->live = NEW(s->a, Live);
    *l = (Live){.s = s, .def = def, .words = def->n_locals / 64 + 1};
    for (int i = 0; i < def->n_locals; i++)
        map_put(s->a, &l->index, def->locals[i], (void *)(intptr_t)(i + 1));
    l->always = copy(l, NULL);
    taken(l, def->body);
    block(l, def->body, copy(l, l->always), &(Exits){.floor = l->always});
    return l;
}

static bool
lacks(const Live *l, const uint64_t *set, Sym name)
{
    intptr_t k = set ? (intptr_t)map_get(&l->index, name) - 1 : -1;
    return k >= 0 && !(set[k / 64] >> (k % 64) & 1);
}

bool
live_is_dead(Sema *s, Sym name, const Node *at, bool head)
{
    Live *l = at && !s->fr->in->def->is_generator ? live_of(s) : NULL;
    return l && lacks(l, map_get(head ? &l->head : &l->after, at), name);
}

bool
live_is_dead_caught(Sema *s, Sym name, const Node *at)
{
    Live *l = s->fr->in->def->is_generator ? NULL : live_of(s);
    return l && lacks(l, map_get(&l->caught, at), name);
}
