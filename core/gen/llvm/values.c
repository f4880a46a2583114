/* SPDX-License-Identifier: BSD-3-Clause
 * Which variables are values: what reads them has a statement that sets them before it in its
 * block, or in one around, and no loop or handler brings another value. Branches may set them
 * anew: then there is a phi where they meet. LLVM finds that out as well, but for each alloca it
 * goes through all blocks that a store dominates, and of a function with hundreds of temporaries
 * their allocas are most of what it reads. */
#include "emit.h"

typedef enum Known { UNSEEN, SET_HERE, OUT_OF_SIGHT, MEMORY } Known;

enum { DEEP = 8 }; /* branches in branches, each of which has a phi for what the inmost sets */

typedef struct Joined {
    Vec(IrVar *) vars;
    Map has;
} Joined;

typedef struct Walk {
    Gen *g;
    uint8_t *known;    /* by variable */
    int *level;        /* of the block that sets it, 0: the body */
    Vec(IrVar *) set;  /* in the blocks around, innermost last */
    Vec(IrVar *) left; /* were set in blocks that have ended */
    const IrStmt **in; /* whose first branch sets it, where the second is looked at */
    Vec(IrStmt *) around;
    int least;   /* level of the innermost block that is no branch's */
    bool masked; /* lanes: branches are masks */
    const IrStmt *at;
} Walk;

static void
note_read(Walk *w, const IrVar *v)
{
    if (v && w->known[v->id] != SET_HERE)
        w->known[v->id] = MEMORY;
}

static bool
note_expr(IrExpr **e, void *arg)
{
    note_read(arg, (*e)->var);
    return true;
}

/* Where branches that set v meet, up to the block that has set it before. */
static void
note_joins(Walk *w, IrVar *v)
{
    Gen *g = w->g;
    for (int k = w->level[v->id]; k < w->around.n; k++) {
        Joined *j = map_get(&g->joins, w->around.at[k]);
        if (!j) {
            j = NEW(&g->cx->arena, Joined);
            map_put(&g->cx->arena, &g->joins, w->around.at[k], j);
        }
        if (map_get(&j->has, v))
            continue;
        map_put(&g->cx->arena, &j->has, v, v);
        VEC_PUSH(&g->cx->arena, j->vars, v);
    }
}

static void
note_whole(Walk *w, IrVar *v)
{
    uint8_t *known = &w->known[v->id];
    int depth = w->around.n;
    if (*known == SET_HERE && !w->masked && w->level[v->id] >= w->least &&
        depth - w->level[v->id] <= DEEP) {
        note_joins(w, v);
        return;
    }
    if (*known == MEMORY || *known == SET_HERE || (*known == OUT_OF_SIGHT && w->masked)) {
        *known = MEMORY;
        return;
    }
    *known = SET_HERE;
    w->level[v->id] = depth;
    VEC_PUSH(&w->g->cx->arena, w->set, v);
}

static void
note_set(IrVar *v, void *arg)
{
    Walk *w = arg;
    IrStmtKind k = w->at->kind;
    if (ir_does(w->at, ST_ENDS) && v->owned)
        return; /* its reference is memory in any case */
    if (k == IS_SET || k == IS_VIEW || k == IS_ALIAS || k == IS_ALLOC)
        note_whole(w, v);
    else
        w->known[v->id] = MEMORY;
}

static void
note_reads(Walk *w, IrStmt *s)
{
    ir_walk_stmt_exprs(s, note_expr, w);
    note_read(w, s->base);
    if (!ir_does(s, ST_DEFINES))
        note_read(w, s->var);
    for (int i = 0; i < s->n_args; i++)
        note_read(w, s->args[i].arr);
    for (int i = 0; i < s->n_lasts; i++)
        w->known[s->lasts[i]->id] = MEMORY;
    for (int i = 0; i < s->n_reds; i++) {
        const IrVar *v[] = {s->reds[i].var, s->reds[i].of, s->reds[i].hit};
        for (int k = 0; k < SW_LEN(v); k++)
            if (v[k])
                w->known[v[k]->id] = MEMORY;
    }
}

/* A loop that isn't lanes has its variable from the head of its body on. */
static bool
is_plain_loop(const Walk *w, const IrStmt *s)
{
    return s->kind == IS_LOOP && s->lanes <= 1 && !w->masked;
}

/* What both branches of the IS_IF that is left set is set by it: `first` of the variables are
 * the first one's, up to `second`. */
static void
note_both(Walk *w, IrStmt *s, int first, int second)
{
    int depth = w->around.n - 1;
    for (int i = first; i < second; i++)
        w->in[w->left.at[i]->id] = s;
    for (int i = second; i < w->left.n; i++) {
        IrVar *v = w->left.at[i];
        if (w->in[v->id] != s || w->known[v->id] != OUT_OF_SIGHT)
            continue;
        w->known[v->id] = SET_HERE;
        w->level[v->id] = depth;
        VEC_PUSH(&w->g->cx->arena, w->set, v);
        note_joins(w, v);
    }
}

static void walk(Walk *w, IrBlock *b, IrVar *loop);

static void
walk_inside(Walk *w, IrStmt *s)
{
    IrBlock *sub[IR_MAX_BLOCKS];
    int least = w->least, left = w->left.n, second = left;
    bool masked = w->masked;
    VEC_PUSH(&w->g->cx->arena, w->around, s);
    if (s->kind != IS_IF)
        w->least = w->around.n;
    w->masked |= s->kind == IS_LOOP && s->lanes > 1;
    for (int i = 0, n = ir_blocks(s, sub); i < n; i++) {
        second = w->left.n;
        walk(w, sub[i], is_plain_loop(w, s) && sub[i] == &s->body ? s->var : NULL);
    }
    if (s->kind == IS_IF && !w->masked)
        note_both(w, s, left, second);
    w->left.n = left;
    w->masked = masked;
    w->least = least;
    w->around.n--;
}

static void
walk(Walk *w, IrBlock *b, IrVar *loop)
{
    int outer = w->set.n;
    if (loop)
        note_whole(w, loop);
    for (IrStmt *s = b->first; s; s = s->next) {
        note_reads(w, s);
        walk_inside(w, s);
        w->at = s;
        if (!is_plain_loop(w, s))
            ir_walk_defs(s, note_set, w);
    }
    while (w->set.n > outer) {
        IrVar *v = w->set.at[--w->set.n];
        if (w->known[v->id] != SET_HERE)
            continue;
        w->known[v->id] = OUT_OF_SIGHT;
        VEC_PUSH(&w->g->cx->arena, w->left, v);
    }
}

void
find_values(Gen *g, IrFunc *f)
{
    Walk w = {.g = g,
              .known = NEW_N(&g->cx->arena, uint8_t, f->vars.n + 1),
              .level = NEW_N(&g->cx->arena, int, f->vars.n + 1),
              .in = NEW_N(&g->cx->arena, const IrStmt *, f->vars.n + 1)};
    for (int i = 0; i < f->n_params; i++)
        w.known[i] = SET_HERE;
    g->joins = (Map){0};
    walk(&w, &f->body, NULL);
    g->is_value = NEW_N(&g->cx->arena, bool, f->vars.n + 1);
    for (int i = 0; i < f->vars.n; i++)
        g->is_value[i] = w.known[i] == SET_HERE || w.known[i] == OUT_OF_SIGHT;
    g->values = (Map){0};
}

/* An alloca that `put` and `get` never touch, where v is a value. */
LV
variable_slot(Gen *g, const IrVar *v, LLVMTypeRef t, const char *name)
{
    LV slot = new_slot(g, t, name);
    if (g->is_value[v->id])
        map_put(&g->cx->arena, &g->values, slot, slot);
    return slot;
}

/* ---- where branches meet --------------------------------------------------------------------- */

static void
take_value(Gen *g, Joins *j, LV slot)
{
    LV now = slot ? map_get(&g->values, slot) : NULL;
    if (now)
        VEC_PUSH(&g->cx->arena, *j, ((Join){slot, now, now}));
}

/* What the variables are that branches of s set. */
void
joins_begin(Gen *g, const IrStmt *s, Joins *j)
{
    const Joined *set = map_get(&g->joins, s);
    *j = (Joins){0};
    for (int i = 0; set && i < set->vars.n; i++) {
        const IrVar *v = set->vars.at[i];
        const Slot *at = &g->slots[v->id];
        take_value(g, j, at->v);
        take_value(g, j, at->im);
        take_value(g, j, at->data);
        take_value(g, j, at->owner);
        for (int k = 0; v->is_array && k < v->ndim; k++) {
            take_value(g, j, at->dim[k]);
            take_value(g, j, at->stride[k]);
        }
    }
}

/* Between the two: the second begins with what was there before the first. */
void
joins_turn(Gen *g, Joins *j)
{
    for (int i = 0; i < j->n; i++) {
        Join *x = &j->at[i];
        x->first = map_get(&g->values, x->slot);
        map_put(&g->cx->arena, &g->values, x->slot, x->before);
    }
}

/* Nothing yet, where it has been zero in memory. */
static LV
or_zero(const Join *x, LV value, LV other)
{
    return value == x->slot ? LLVMConstNull(LLVMTypeOf(other)) : value;
}

/* `first`, `second`: the blocks that come here; NULL: it ends elsewhere. */
void
joins_end(Gen *g, Joins *j, LLVMBasicBlockRef first, LLVMBasicBlockRef second)
{
    for (int i = 0; i < j->n; i++) {
        const Join *x = &j->at[i];
        LV other = map_get(&g->values, x->slot), now = first ? x->first : other;
        if (first && second && x->first != other) {
            LV from[2] = {or_zero(x, x->first, other), or_zero(x, other, x->first)};
            now = LLVMBuildPhi(g->b, LLVMTypeOf(from[0]), "");
            LLVMAddIncoming(now, from, (LLVMBasicBlockRef[]){first, second}, 2);
        }
        map_put(&g->cx->arena, &g->values, x->slot, now);
    }
}
