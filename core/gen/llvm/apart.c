/* SPDX-License-Identifier: BSD-3-Clause
 * What LLVM is told of memory in a loop in lanes: takes one that stores to arrays which are known
 * to lie apart from all others in it, yields a scope of aliases for each. So what no iteration
 * changes, as the coefficients of a filter, is loaded once. LLVM finds that out by tests of
 * addresses for the loops that it makes vectors of, but these are vectors already. And what the
 * passes have tested: in a branch that is taken where two arrays share no memory, accesses of one
 * are told apart from those of the other, so that short loops in it become vectors too; and sizes
 * that were found to be some number are that number. */
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

/* ---- tested ---------------------------------------------------------------------------------- */

/* Each variable -> its one definition, where that is a test whether arrays overlap; itself where it
 * is another; or the function where there are several. */
typedef struct Defs {
    const IrFunc *f;
    Map of;
} Defs;

static void
note_def(IrVar *v, void *arg)
{
    Gen *g = arg;
    Map *m = &g->defs->of;
    map_put(&g->cx->arena, m, v, map_get(m, v) ? (void *)g->f : (void *)v);
}

static void
note_defs(IrBlock *b, IrStmt *s, void *arg)
{
    Gen *g = arg;
    (void)b;
    ir_walk_defs(s, note_def, arg);
    if (ir_is_overlap(s) && map_get(&g->defs->of, s->outs[0].out) == s->outs[0].out)
        map_put(&g->cx->arena, &g->defs->of, s->outs[0].out, s);
}

/* Which is the same memory in the whole function. */
static bool
is_fixed(const Gen *g, const IrVar *v)
{
    return v->is_param && !map_get(&g->defs->of, v);
}

static void
tell_apart(Gen *g, const IrVar *x, const IrVar *y)
{
    const char *name = arena_printf(&g->cx->arena, "apart.%d", ++g->n_apart);
    LLVMMetadataRef domain = named_node(g, name, NULL), scope = named_node(g, name, domain);
    Slot *a = &g->slots[x->id], *b = &g->slots[y->id];
    a->scope = joined(g, a->scope, &scope, 1);
    b->others = joined(g, b->others, &scope, 1);
}

/* A slot whose value is known. */
static LV
known_slot(Gen *g, LV value)
{
    LV slot = new_slot(g, g->i64, "");
    map_put(&g->cx->arena, &g->values, slot, value);
    return slot;
}

/* dim(v, axis) == n: of a contiguous array, steps are products of the sizes behind an axis. */
static void
tell_size(Gen *g, const IrVar *v, int axis, int64_t n)
{
    Slot *s = &g->slots[v->id];
    s->dim = arena_dup(&g->cx->arena, s->dim, sizeof *s->dim * (size_t)v->ndim);
    s->stride = arena_dup(&g->cx->arena, s->stride, sizeof *s->stride * (size_t)v->ndim);
    s->dim[axis] = known_slot(g, k64(g, n));
    LV step = k64(g, 1);
    for (int k = v->ndim - 1; k > 0; k--) {
        step = LLVMBuildNSWMul(g->b, step, get(g, g->i64, s->dim[k]), "");
        s->stride[k - 1] = known_slot(g, step);
    }
}

static bool
is_size(const IrExpr *e)
{
    return e->kind == IX_DIM && e->var->layout == LAY_C && !e->var->space && e->axis > 0;
}

static bool
is_test(const IrExpr *e)
{
    return e->kind == IX_OP && e->op == OP_eq && e->arg[1]->kind == IX_CONST &&
           ((e->arg[0]->kind == IX_VAR && e->arg[0]->dtype == DT_i32) || is_size(e->arg[0]));
}

static bool
has_test(const IrExpr *e)
{
    bool both = e->kind == IX_OP && e->op == OP_and;
    return both ? has_test(e->arg[0]) || has_test(e->arg[1]) : is_test(e);
}

static void
tell_tested(Gen *g, const IrExpr *e)
{
    if (e->kind == IX_OP && e->op == OP_and) {
        tell_tested(g, e->arg[0]);
        tell_tested(g, e->arg[1]);
    }
    int64_t n;
    if (!is_test(e) || !ir_is_const(e->arg[1], &n))
        return;
    if (is_size(e->arg[0])) {
        if (is_fixed(g, e->arg[0]->var))
            tell_size(g, e->arg[0]->var, e->arg[0]->axis, n);
        return;
    }
    const void *def = map_get(&g->defs->of, e->arg[0]->var);
    if (n != 0 || !def || def == g->f || def == e->arg[0]->var)
        return;
    const IrStmt *s = def;
    const IrVar *x = s->args[0].arr, *y = s->args[1].arr;
    if (x != y && is_fixed(g, x) && is_fixed(g, y))
        tell_apart(g, x, y);
}

static void
find_defs(Gen *g)
{
    if (g->defs && g->defs->f == g->f)
        return;
    g->defs = NEW(&g->cx->arena, Defs);
    g->defs->f = g->f;
    ir_walk_block((IrBlock *)&g->f->body, note_defs, g);
}

/* A chunk of a loop begins with what was tested before that. */
void
mark_assumed(Gen *g, const IrStmt *s)
{
    const IrStmt *t = g->f->body.first;
    if (!is_test(s->e) || !is_size(s->e->arg[0]))
        return;
    while (t && t != s && (t->kind == IS_ASSUME || t->kind == IS_SET))
        t = t->next;
    if (t != s)
        return;
    find_defs(g);
    tell_tested(g, s->e);
}

Slot *
mark_tested(Gen *g, const IrExpr *e)
{
    if (!has_test(e))
        return NULL;
    find_defs(g);
    Slot *saved = NEW_N(&g->cx->arena, Slot, g->f->vars.n + 1);
    memcpy(saved, g->slots, sizeof *saved * (size_t)g->f->vars.n);
    tell_tested(g, e);
    return saved;
}
