/* SPDX-License-Identifier: BSD-3-Clause
 * What LLVM is told of memory in a loop in lanes: takes one that stores to arrays which are known
 * to lie apart from all others in it, yields a scope of aliases for each. So what no iteration
 * changes, as the coefficients of a filter, is loaded once. LLVM finds that out by tests of
 * addresses for the loops that it makes vectors of, but these are vectors already. */
#include "emit.h"
#include "ir/search.h"

enum { MOST = 16 };

typedef struct Apart {
    const Gen *g;
    IrVar *used[MOST], *stored[MOST];
    int n, n_stored;
    bool no; /* there is one of which it isn't known what memory it has throughout the function */
} Apart;

static void
note(Apart *a, IrVar *v, bool store)
{
    int k = 0, m = 0;
    while (k < a->n && a->used[k] != v)
        k++;
    if (k == a->n && a->n < MOST)
        a->used[a->n++] = v;
    while (m < a->n_stored && a->stored[m] != v)
        m++;
    if (store && m == a->n_stored && m < MOST)
        a->stored[a->n_stored++] = v;
    a->no |= !v->is_param || k == MOST || m == MOST;
}

static bool
see_load(IrExpr **e, void *arg)
{
    if ((*e)->kind == IX_LOAD)
        note(arg, (*e)->var, false);
    return true;
}

static void
see_stmt(IrBlock *b, IrStmt *s, void *arg)
{
    Apart *a = arg;
    (void)b;
    ir_walk_stmt_exprs(s, see_load, a);
    if (s->kind == IS_STORE)
        note(a, s->var, true);
    else if (s->kind != IS_SET && s->kind != IS_IF && !ir_does(s, ST_REPEATS) &&
             s->kind != IS_POLL && s->kind != IS_CONTINUE && s->kind != IS_BREAK)
        a->no = true;
}

/* A parameter that is set anew is another array from there on. */
static void
see_def(IrVar *v, void *arg)
{
    Apart *a = arg;
    for (int i = 0; i < a->n; i++)
        a->no |= a->used[i] == v;
}

static void
see_defs(IrBlock *b, IrStmt *s, void *arg)
{
    (void)b;
    ir_walk_defs(s, see_def, arg);
}

static LV
joined(Gen *g, LV old, const LLVMMetadataRef *more, int n)
{
    LLVMMetadataRef all[64 + MOST];
    LV had[64];
    unsigned k = old ? LLVMGetMDNodeNumOperands(old) : 0;
    if (k > SW_LEN(had))
        return old;
    if (k)
        LLVMGetMDNodeOperands(old, had);
    for (unsigned i = 0; i < k; i++)
        all[i] = LLVMValueAsMetadata(had[i]);
    for (int i = 0; i < n; i++)
        all[k++] = more[i];
    return LLVMMetadataAsValue(g->c, LLVMMDNodeInContext2(g->c, all, k));
}

static LLVMMetadataRef
named_node(Gen *g, const char *name, LLVMMetadataRef in)
{
    LLVMMetadataRef parts[2] = {LLVMMDStringInContext2(g->c, name, strlen(name)), in};
    return LLVMMDNodeInContext2(g->c, parts, in ? 2 : 1);
}

void
mark_apart(Gen *g, const IrStmt *loop)
{
    Apart a = {.g = g};
    LLVMMetadataRef scope[MOST], rest[MOST];
    if (!loop->apart || !g->f->entry) /* a chunk has views of one array as parameters */
        return;
    ir_walk_block((IrBlock *)&loop->body, see_stmt, &a);
    ir_walk_block((IrBlock *)&g->f->body, see_defs, &a);
    if (a.no || !a.n_stored)
        return;
    LLVMMetadataRef domain =
        named_node(g, arena_printf(&g->cx->arena, "apart.%d", ++g->n_apart), NULL);
    for (int i = 0; i < a.n_stored; i++)
        scope[i] = named_node(g, arena_printf(&g->cx->arena, "apart.%d.%d", g->n_apart, i), domain);
    for (int i = 0; i < a.n; i++) {
        Slot *s = &g->slots[a.used[i]->id];
        int n = 0;
        for (int k = 0; k < a.n_stored; k++) {
            if (a.stored[k] == a.used[i])
                s->scope = joined(g, s->scope, &scope[k], 1);
            else
                rest[n++] = scope[k];
        }
        if (n)
            s->others = joined(g, s->others, rest, n);
    }
}
