/* SPDX-License-Identifier: BSD-3-Clause
 * Who borrows, where objects are followed: `at = get at[4]` in a loop walks along a list or a tree
 * without counting. A variable may borrow when each of its definitions looks at memory that is
 * there (`get`, `alias`, `view`), and nothing lets go of that while the variable is still used.
 * What it looks at hangs on a chain: a root, a variable that holds a reference or a parameter, and
 * the words that were followed from there. It stays as long as the root keeps its reference and no
 * such word is put anew. So each place that lets go of something (a put, a call, a drop, another
 * value of a root) has the variables that are used behind it, and those whose chain it may break
 * hold a reference of their own, which makes them roots. Liveness is that of a backward dataflow
 * analysis; chains are told apart by layout and number of their words, whatever object has them. */
#include "pass/memory/memory.h"

enum { MOST_VARS = 6000, ANY_LINK = 63 };

typedef struct Set {
    uint64_t *bits;
} Set;

typedef struct Break { /* a place that lets go of something */
    IrStmt *s;
    Set live; /* what is used behind it */
} Break;

typedef struct Link { /* a word that is followed: of all objects of a layout, or of all columns */
    const char *obj;
    int64_t word; /* -1: any */
} Link;

typedef struct Chain {
    bool open;      /* it may borrow, so far */
    uint64_t links; /* bits: numbers of Links */
    Set roots;
} Chain;

typedef struct Jumps { /* what is used where they lead */
    Set breaks, continues, raises;
} Jumps;

typedef struct Borrow {
    Cx *cx;
    IrFunc *f;
    int n, words;
    Chain *at; /* by variable */
    Vec(IrStmt *) defs;
    Vec(Break) breaks;
    Map break_at; /* IrStmt -> its number, from 1 */
    Vec(Link) links;
    const Jumps *to;
    bool changed;
} Borrow;

/* ---- sets ------------------------------------------------------------------------------------ */

static Set
set_new(Borrow *o)
{
    return (Set){NEW_N(&o->cx->arena, uint64_t, o->words)};
}

static Set
set_copy(Borrow *o, Set s)
{
    return (Set){arena_dup(&o->cx->arena, s.bits, sizeof *s.bits * (size_t)o->words)};
}

static bool
set_join(Borrow *o, Set to, Set from)
{
    uint64_t more = 0;
    for (int i = 0; i < o->words; i++) {
        more |= from.bits[i] & ~to.bits[i];
        to.bits[i] |= from.bits[i];
    }
    return more != 0;
}

static void
set_add(Set s, int k)
{
    s.bits[k / 64] |= (uint64_t)1 << (k % 64);
}

static void
set_drop(Set s, int k)
{
    s.bits[k / 64] &= ~((uint64_t)1 << (k % 64));
}

/* ---- what is used behind a place ------------------------------------------------------------- */

static void live_block(Borrow *o, const IrBlock *b, Set live);

static bool
use_expr(IrExpr **e, void *arg)
{
    const Set *live = arg;
    if ((*e)->var && (*e)->var->is_array)
        set_add(*live, (*e)->var->id);
    return true;
}

static void
use_all(IrStmt *s, Set live)
{
    ir_walk_stmt_exprs(s, use_expr, &live);
    if (s->var && s->var->is_array && !ir_does(s, ST_DEFINES))
        set_add(live, s->var->id);
    if (s->base)
        set_add(live, s->base->id);
    for (int i = 0; i < s->n_args; i++)
        if (s->args[i].arr)
            set_add(live, s->args[i].arr->id);
}

static void
end_def(IrVar *v, void *arg)
{
    const Set *live = arg;
    if (v->is_array)
        set_drop(*live, v->id);
}

static void
has_array(IrVar *v, void *arg)
{
    *(bool *)arg |= v->is_array;
}

static bool
runs_others(const IrStmt *s)
{
    bool quiet = s->kind == IS_RT && rt_info[s->rt].traits & (RTF_PURE | RTF_QUIET);
    return ir_does(s, ST_CALLS) && !quiet;
}

static void
note_break(Borrow *o, IrStmt *s, Set live)
{
    bool may = s->kind == IS_PUT || runs_others(s);
    ir_walk_defs(s, has_array, &may);
    if (!may)
        return;
    int k = (int)(intptr_t)map_get(&o->break_at, s);
    if (!k) {
        VEC_PUSH(&o->cx->arena, o->breaks, ((Break){s, set_new(o)}));
        k = o->breaks.n;
        map_put(&o->cx->arena, &o->break_at, s, (void *)(intptr_t)k);
    }
    Set to = o->breaks.at[k - 1].live;
    set_join(o, to, live);
    set_join(o, to, o->to->raises);
    for (int i = 0; runs_others(s) && i < s->n_args; i++) /* while it runs */
        if (s->args[i].arr)
            set_add(to, s->args[i].arr->id);
}

/* The loop's body and head, until nothing more is found to be used. */
static void
live_loop(Borrow *o, IrStmt *s, Set live)
{
    Set out = set_copy(o, live), head = set_copy(o, live);
    Jumps in = {out, head, o->to->raises};
    const Jumps *around = o->to;
    o->to = &in;
    do {
        memcpy(live.bits, head.bits, sizeof *live.bits * (size_t)o->words);
        live_block(o, &s->body, live);
        if (s->kind == IS_WHILE) {
            set_join(o, live, out);
            ir_walk_expr(&s->e, use_expr, &live);
            live_block(o, &s->pre, live);
        }
    } while (set_join(o, head, live));
    set_join(o, live, head);
    o->to = around;
}

static void
live_try(Borrow *o, IrStmt *s, Set live)
{
    Set caught = set_copy(o, o->to->raises), out = set_copy(o, live);
    for (int i = 0; i < s->n_handlers; i++) {
        Set here = set_copy(o, out);
        live_block(o, &s->handlers[i].body, here);
        set_join(o, caught, here);
    }
    live_block(o, &s->els, live);
    Jumps in = {o->to->breaks, o->to->continues, caught};
    const Jumps *around = o->to;
    o->to = &in;
    live_block(o, &s->body, live);
    o->to = around;
    set_join(o, live, caught);
}

static void
live_stmt(Borrow *o, IrStmt *s, Set live)
{
    IrBlock *sub[IR_MAX_BLOCKS];
    int n;
    if (s->kind == IS_TRY) {
        live_try(o, s, live);
        return;
    }
    if (ir_does(s, ST_LEAVES)) {
        Set to = s->kind == IS_BREAK      ? o->to->breaks
                 : s->kind == IS_CONTINUE ? o->to->continues
                                          : o->to->raises;
        memcpy(live.bits, to.bits, sizeof *live.bits * (size_t)o->words);
    } else if (ir_does(s, ST_REPEATS)) {
        live_loop(o, s, live);
    } else if ((n = ir_blocks(s, sub)) > 0) {
        Set out = set_copy(o, live);
        for (int i = 0; i < n; i++) {
            Set here = set_copy(o, out);
            live_block(o, sub[i], here);
            set_join(o, live, here);
        }
    }
    note_break(o, s, live);
    ir_walk_defs(s, end_def, &live);
    if (s->kind != IS_WHILE) /* its test stands behind `pre` */
        use_all(s, live);
    if (ir_does(s, ST_RAISES))
        set_join(o, live, o->to->raises);
}

static void
live_block(Borrow *o, const IrBlock *b, Set live)
{
    for (IrStmt *s = b->last; s; s = s->prev)
        live_stmt(o, s, live);
}

/* ---- chains ---------------------------------------------------------------------------------- */

static int
link_number(Borrow *o, const IrVar *base, IrExpr *idx)
{
    Link l = {ir_is_object(base) ? base->obj : "*", -1};
    if (ir_is_object(base))
        ir_is_const(idx, &l.word);
    for (int i = 0; i < o->links.n; i++)
        if (o->links.at[i].word == l.word && !strcmp(o->links.at[i].obj, l.obj))
            return i;
    if (o->links.n == ANY_LINK)
        return ANY_LINK;
    VEC_PUSH(&o->cx->arena, o->links, l);
    return o->links.n - 1;
}

/* -1: of an array, or not known */
static int64_t
word_put(const IrStmt *put)
{
    int64_t word = -1;
    if (ir_is_object(put->base))
        ir_is_const(put->idx[0], &word);
    return word;
}

/* Links that a put in that word may break. */
static uint64_t
links_met(Borrow *o, const IrVar *base, int64_t word)
{
    uint64_t met = (uint64_t)1 << ANY_LINK;
    for (int i = 0; i < o->links.n; i++) {
        const Link *l = &o->links.at[i];
        bool same = !strcmp(l->obj, ir_is_object(base) ? base->obj : "*");
        if (same && (l->word < 0 || word < 0 || l->word == word))
            met |= (uint64_t)1 << i;
    }
    return met;
}

static void
add_def(IrVar *v, void *arg)
{
    Chain *at = arg;
    if (v->is_array)
        at[v->id].open = false;
}

static void
gather_stmt(IrBlock *b, IrStmt *s, void *arg)
{
    Borrow *o = arg;
    (void)b;
    if (ir_does(s, ST_ENDS))
        return;
    if (s->kind == IS_GET || s->kind == IS_VIEW || s->kind == IS_ALIAS)
        VEC_PUSH(&o->cx->arena, o->defs, s);
    else if (s->kind != IS_CONSTARR)
        ir_walk_defs(s, add_def, o->at);
}

/* What its definitions say of it, as long as what they look at borrows, too. */
static void
follow(Borrow *o)
{
    for (int i = 0; i < o->n; i++) {
        o->at[i].links = 0;
        memset(o->at[i].roots.bits, 0, sizeof *o->at[i].roots.bits * (size_t)o->words);
    }
    do {
        o->changed = false;
        for (int i = 0; i < o->defs.n; i++) {
            const IrStmt *s = o->defs.at[i];
            Chain *to = &o->at[s->var->id], *from = &o->at[s->base->id];
            uint64_t links =
                s->kind == IS_GET ? (uint64_t)1 << link_number(o, s->base, s->idx[0]) : 0;
            links |= from->open ? from->links : 0;
            o->changed |= (links & ~to->links) != 0;
            to->links |= links;
            if (from->open)
                o->changed |= set_join(o, to->roots, from->roots);
            else
                set_add(to->roots, s->base->id);
        }
    } while (o->changed);
}

typedef struct Ends {
    Borrow *o;
    Set roots; /* that get another value */
} Ends;

static void
end_root(IrVar *v, void *arg)
{
    const Ends *e = arg;
    if (v->is_array && !e->o->at[v->id].open)
        set_add(e->roots, v->id);
}

/* Then its variable holds a reference. */
static bool
breaks_chain(Borrow *o, Chain *c, uint64_t links, Set roots)
{
    bool ends = (c->links & links) != 0;
    for (int k = 0; c->open && k < o->words && !ends; k++)
        ends = (c->roots.bits[k] & roots.bits[k]) != 0;
    if (!c->open || !ends)
        return false;
    c->open = false;
    return true;
}

/* Its columns' elements move on. */
static uint64_t
links_grown(Borrow *o, const IrStmt *s)
{
    int64_t at, items;
    if (!ir_is_const(s->args[1].e, &at) || !ir_is_const(s->args[2].e, &items))
        return UINT64_MAX;
    uint64_t links = 0;
    for (uint64_t left = (uint64_t)items; left; left >>= 8, at += 3)
        links |= links_met(o, s->args[0].arr, at);
    return links;
}

static void
apply_break(Borrow *o, const Break *b, Set roots)
{
    const IrStmt *s = b->s;
    uint64_t links = 0;
    memset(roots.bits, 0, sizeof *roots.bits * (size_t)o->words);
    ir_walk_defs(s, end_root, &(Ends){o, roots});
    if (s->kind == IS_RT && s->rt == RT_sw_grow)
        links = links_grown(o, s);
    else if (runs_others(s))
        links = UINT64_MAX;
    else if (s->kind == IS_PUT && !ir_put_is_first(s))
        links = links_met(o, s->base, word_put(s));
    for (int w = 0; w < o->words; w++)
        for (uint64_t left = b->live.bits[w]; left; left &= left - 1)
            if (breaks_chain(o, &o->at[64 * w + __builtin_ctzll(left)], links, roots))
                o->changed = true;
}

/* ---- a function ------------------------------------------------------------------------------ */

/* What others hold, too, may do without a reference of its own. */
static void
find_looker(IrBlock *b, IrStmt *s, void *arg)
{
    (void)b;
    *(bool *)arg |= ir_does(s, ST_LOOKS);
}

static void
begin(Borrow *o)
{
    o->at = NEW_N(&o->cx->arena, Chain, o->n + 1);
    for (int i = 0; i < o->n; i++) {
        const IrVar *v = o->f->vars.at[i];
        o->at[i].open = v->is_array && !v->is_param;
        o->at[i].roots = set_new(o);
    }
    ir_walk_block(&o->f->body, gather_stmt, o);
    Jumps none = {set_new(o), set_new(o), set_new(o)};
    o->to = &none;
    live_block(o, &o->f->body, set_new(o));
}

bool
memory_borrow(Cx *cx, IrFunc *f)
{
    bool any = false;
    ir_walk_block(&f->body, find_looker, &any);
    if (!any || f->vars.n > MOST_VARS)
        return false;
    Borrow o = {.cx = cx, .f = f, .n = f->vars.n, .words = f->vars.n / 64 + 1};
    begin(&o);
    Set roots = set_new(&o);
    do {
        follow(&o);
        o.changed = false;
        for (int i = 0; i < o.breaks.n; i++)
            apply_break(&o, &o.breaks.at[i], roots);
    } while (o.changed);
    for (int i = 0; i < o.n; i++) {
        IrVar *v = f->vars.at[i];
        if (v->is_array && !v->is_param)
            v->owned = !o.at[i].open;
    }
    return true;
}
