/* SPDX-License-Identifier: BSD-3-Clause
 * Which variables are values: set once, by a statement that comes before all that reads them in its
 * block. LLVM finds that out as well, but of a function with hundreds of temporaries their allocas
 * are most of what it reads. */
#include "emit.h"

typedef enum Known { UNSEEN, SET_HERE, OUT_OF_SIGHT, MEMORY } Known;

typedef struct Walk {
    Gen *g;
    uint8_t *known;   /* by variable */
    Vec(IrVar *) set; /* in the blocks around, innermost last */
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

static void
note_set(IrVar *v, void *arg)
{
    Walk *w = arg;
    IrStmtKind k = w->at->kind;
    bool whole = k == IS_SET || k == IS_VIEW || k == IS_ALIAS || k == IS_ALLOC;
    if (ir_does(w->at, ST_ENDS) && v->owned)
        return; /* its reference is memory in any case */
    if (!whole || w->known[v->id] != UNSEEN) {
        w->known[v->id] = MEMORY;
        return;
    }
    w->known[v->id] = SET_HERE;
    VEC_PUSH(&w->g->cx->arena, w->set, v);
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

static void
walk(Walk *w, IrBlock *b)
{
    int outer = w->set.n;
    IrBlock *sub[IR_MAX_BLOCKS];
    for (IrStmt *s = b->first; s; s = s->next) {
        note_reads(w, s);
        for (int i = 0, n = ir_blocks(s, sub); i < n; i++)
            walk(w, sub[i]);
        w->at = s;
        ir_walk_defs(s, note_set, w);
    }
    while (w->set.n > outer) {
        const IrVar *v = w->set.at[--w->set.n];
        if (w->known[v->id] == SET_HERE)
            w->known[v->id] = OUT_OF_SIGHT;
    }
}

void
find_values(Gen *g, IrFunc *f)
{
    Walk w = {.g = g, .known = NEW_N(&g->cx->arena, uint8_t, f->vars.n + 1)};
    for (int i = 0; i < f->n_params; i++)
        w.known[i] = SET_HERE;
    walk(&w, &f->body);
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
