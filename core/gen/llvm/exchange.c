/* SPDX-License-Identifier: BSD-3-Clause
 * `a[i], b[j] = b[j], a[i]` of references: two gets, and two puts of what they got into each
 * other's words. Each object is referred to as often as before, so no count changes; between these
 * statements nothing may run that looks at counts, frees anything, or fails. Takes the first of the
 * gets; notes all that belongs to the exchange, drops included, in Gen.exchanged. */
#include "gen/llvm/emit.h"
#include "ir/search.h"

enum { WINDOW = 12 };

typedef struct Exchange {
    IrStmt *get[2], *put[2], *drop[2];
} Exchange;

static bool
is_get(const IrStmt *s)
{
    return s->kind == IS_GET && s->var->obj && ir_is_object(s->var) && s->var != s->base &&
           !ir_loads(s->idx[0]);
}

/* Where it puts: what a variable was set to since the first get, if it was. */
static const IrExpr *
place_of(const IrStmt *put, const IrStmt *first)
{
    const IrExpr *e = put->idx[0], *is = e;
    for (const IrStmt *s = first; s != put; s = s->next)
        if (s->kind == IS_SET && ir_is_var(e, s->var))
            is = s->e;
    return is;
}

static bool
puts_back(const IrStmt *s, const IrStmt *first, const IrStmt *into, const IrStmt *got)
{
    return s->base == into->base && s->var == got->var &&
           ir_expr_equal(place_of(s, first), into->idx[0]);
}

/* Does it change where the exchange reads or writes, or what it has read? */
static bool
disturbs(const IrStmt *s, const Exchange *x)
{
    for (int k = 0; k < 2; k++) {
        const IrStmt *g = x->get[k];
        if (s == x->get[0] || s == x->get[1])
            return false;
        if (s->var == g->var || s->var == g->base || ir_mentions(g->idx[0], s->var))
            return true;
    }
    return false;
}

/* Runs without a look at counts: numbers, and gets that hold nothing of their own. */
static bool
is_calm(const IrStmt *s)
{
    return s->kind == IS_SET || (s->kind == IS_STORE && !s->var->obj) ||
           (s->kind == IS_GET && !s->var->owned);
}

/* Behind the puts stand the drops of those that hold a reference. */
static bool
find_drops(Exchange *x)
{
    IrStmt *s = x->put[1]->next;
    for (int n = 0; n < 2 && s && s->kind == IS_DROP; n++, s = s->next)
        for (int k = 0; k < 2; k++)
            if (s->var == x->get[k]->var)
                x->drop[k] = s;
    for (int k = 0; k < 2; k++)
        if (x->get[k]->var->owned && !x->drop[k])
            return false;
    return true;
}

/* From the first get on. */
static bool
find(IrStmt *first, Exchange *x)
{
    int puts_seen = 0;
    *x = (Exchange){.get = {first}};
    IrStmt *s = first->next;
    for (int n = 0; s && n < WINDOW; n++, s = s->next) {
        if (!x->get[1] && is_get(s) && s->var != first->var) {
            x->get[1] = s;
            continue;
        }
        if (s->kind == IS_PUT) {
            bool one = x->get[1] && puts_back(s, first, x->get[0], x->get[1]);
            bool other = x->get[1] && puts_back(s, first, x->get[1], x->get[0]);
            if (!one && !other)
                return false;
            x->put[puts_seen++] = s;
            if (puts_seen == 2)
                break;
            continue;
        }
        if (!is_calm(s))
            return false;
    }
    if (puts_seen < 2 || x->put[0]->var == x->put[1]->var)
        return false;
    for (int k = 0; k < 2; k++)
        if (x->get[k]->base == x->get[0]->var || x->get[k]->base == x->get[1]->var)
            return false;
    for (s = first; s != x->put[1]; s = s->next)
        if (s->kind != IS_PUT && disturbs(s, x))
            return false;
    return find_drops(x);
}

void
exchange_note(Gen *g, IrStmt *first)
{
    Exchange x;
    if (!is_get(first) || map_get(&g->exchanged, first) || !find(first, &x))
        return;
    IrStmt *all[] = {x.get[0], x.get[1], x.put[0], x.put[1], x.drop[0], x.drop[1]};
    for (int i = 0; i < SW_LEN(all); i++)
        if (all[i])
            map_put(&g->cx->arena, &g->exchanged, all[i], all[i]);
}

bool
exchange_has(const Gen *g, const IrStmt *s)
{
    return map_get(&g->exchanged, s) != NULL;
}
