/* SPDX-License-Identifier: BSD-3-Clause
 * Array expressions of one form become parallel loops of one form, and these become functions that
 * differ in names alone: x, y and z of points, the same helper for several arguments. Of such
 * functions one is kept, which all runs call; each is compiled by itself otherwise.
 *
 * Same means the same text, without names of variables and places of what can't fail. An error's
 * site is in it, so functions that fail in different places stay apart. A run of another function
 * is in it as well, so that is asked again when some have gone. */
#include "pass/pass.h"

typedef struct Merge {
    Arena *a;
    Map kept;   /* text -> the function that has it first */
    Map chunks; /* functions that runs call */
    Map into;   /* function -> the one in its place */
    Intern texts;
} Merge;

static void
find_chunk(IrBlock *b, IrStmt *s, void *arg)
{
    (void)b;
    Merge *m = arg;
    if (s->kind == IS_PAR && s->func)
        map_put(m->a, &m->chunks, s->func, s->func);
}

static void
replace(IrBlock *b, IrStmt *s, void *arg)
{
    (void)b;
    Merge *m = arg;
    IrFunc *f = s->kind == IS_PAR && s->func ? map_get(&m->into, s->func) : NULL;
    if (f)
        s->func = f;
}

static bool
merge_once(IrModule *mod, Arena *a)
{
    Merge m = {.a = a};
    int n = 0;
    intern_init(&m.texts, a);
    for (int i = 0; i < mod->funcs.n; i++)
        ir_walk_block(&mod->funcs.at[i]->body, find_chunk, &m);
    for (int i = 0; i < mod->funcs.n; i++) {
        IrFunc *f = mod->funcs.at[i], *first = NULL;
        if (map_get(&m.chunks, f) && !f->entry) {
            StrBuf text = {0};
            ir_print_shape(f, &text);
            Sym shape = intern(&m.texts, sb_keep(&text, a));
            first = map_get(&m.kept, shape);
            if (!first)
                map_put(a, &m.kept, shape, f);
        }
        if (first)
            map_put(a, &m.into, f, first);
        else
            mod->funcs.at[n++] = f;
    }
    bool any = n < mod->funcs.n;
    mod->funcs.n = n;
    for (int i = 0; any && i < n; i++)
        ir_walk_block(&mod->funcs.at[i]->body, replace, &m);
    return any;
}

void
pass_mergefunc(PassCx *p)
{
    while (p->mod->funcs.n > 2 && merge_once(p->mod, &p->cx->arena)) {
    }
}
