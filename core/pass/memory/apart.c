/* SPDX-License-Identifier: BSD-3-Clause
 * A variable that two loops define, and that nobody asks for behind either body (`for p in x: ...
 * for p in y: ...`), becomes two, so that each has one definition. In each block that defines it
 * all mentions are behind the definition, and none is in another place. */
#include "pass/memory/memory.h"

typedef struct Stray { /* a drop where the variable is not defined */
    IrBlock *b;
    IrStmt *s;
} Stray;

typedef struct Apart {
    Cx *cx;
    IrFunc *f;
    Map life; /* IrVar -> the definition that its mentions are of here: IrStmt */
    Map in;   /* of that: its block */
    Map bad;  /* IrVar -> itself: its lives are not apart */
    Map n;    /* IrVar -> how many definitions it has */
    const IrVar *defined;
    int itself; /* mentions of it in its definition */
    int tries;
    Vec(IrStmt *) defs;
    Vec(Stray) strays;
} Apart;

static bool
defines_array(const IrStmt *s)
{
    return ir_does(s, ST_DEFINES) && !ir_does(s, ST_ENDS) && s->var && s->var->is_array;
}

static void
spoil(Apart *a, IrVar *v)
{
    map_put(&a->cx->arena, &a->bad, v, v);
}

static IrVar *
note_use(IrVar *v, void *arg)
{
    Apart *a = arg;
    if (v == a->defined)
        a->itself++;
    else if (!map_get(&a->life, v))
        spoil(a, v);
    return v;
}

static void
note_uses(Apart *a, IrBlock *b, IrStmt *s)
{
    if (s->kind == IS_DROP) {
        if (!map_get(&a->life, s->var))
            VEC_PUSH(&a->cx->arena, a->strays, ((Stray){b, s}));
        return;
    }
    a->defined = defines_array(s) ? s->var : NULL;
    a->itself = 0;
    memory_name_stmt(s, note_use, a);
    if (a->itself > 1)
        spoil(a, s->var);
    for (int i = 0; i < s->n_outs; i++)
        if (s->outs[i].arr)
            spoil(a, s->outs[i].arr);
}

static void
note_life(Apart *a, IrBlock *b, IrStmt *s)
{
    Arena *arena = &a->cx->arena;
    IrVar *v = s->var;
    const IrStmt *p = map_get(&a->life, v);
    /* lives in one block end where the next begins, by refcount.c; arrays may be large, and are to
     * end there, too */
    if (v->is_param || !v->obj || a->tries || p || b == &a->f->body)
        spoil(a, v);
    map_put(arena, &a->life, v, s);
    map_put(arena, &a->in, s, b);
    map_put(arena, &a->n, v, (void *)((intptr_t)map_get(&a->n, v) + 1));
    VEC_PUSH(arena, a->defs, s);
}

static void
find_lives(Apart *a, IrBlock *b)
{
    int from = a->defs.n;
    for (IrStmt *s = b->first; s; s = s->next) {
        IrBlock *sub[IR_MAX_BLOCKS];
        int n = ir_blocks(s, sub);
        note_uses(a, b, s);
        a->tries += s->kind == IS_TRY;
        for (int i = 0; i < n; i++)
            find_lives(a, sub[i]);
        a->tries -= s->kind == IS_TRY;
        if (defines_array(s))
            note_life(a, b, s);
    }
    for (int i = from; i < a->defs.n; i++)
        if (map_get(&a->in, a->defs.at[i]) == b)
            map_put(&a->cx->arena, &a->life, a->defs.at[i]->var, NULL);
}

static bool
is_apart(const Apart *a, const IrVar *v)
{
    return (intptr_t)map_get(&a->n, v) > 1 && !map_get(&a->bad, v);
}

void
memory_split_apart(Cx *cx, IrFunc *f)
{
    Apart a = {.cx = cx, .f = f};
    find_lives(&a, &f->body);
    for (int i = 0; i < a.strays.n; i++)
        if (is_apart(&a, a.strays.at[i].s->var))
            ir_remove(a.strays.at[i].b, a.strays.at[i].s);
    for (int i = 0; i < a.defs.n; i++) {
        IrStmt *s = a.defs.at[i];
        Rename r = {s->var, NULL};
        if (!is_apart(&a, s->var))
            continue;
        s->var = r.to = ir_var_like(f, r.from->name, r.from);
        for (IrStmt *k = s->next; k; k = k->next)
            memory_name_all(k, memory_renamed, &r);
    }
}
