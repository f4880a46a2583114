/* SPDX-License-Identifier: BSD-3-Clause
 * Which scalar variables are known to equal which expression, at one point of the program. A
 * pass walks the statements in order, tells what is assigned, and forgets at joins: an entry
 * goes when its variable, or anything that its expression mentions, is assigned. */
#include "pass/env.h"

void
env_init(Env *v, IrFunc *f)
{
    *v = (Env){.f = f, .arena = &f->mod->cx->arena};
    v->value = NEW_N(v->arena, IrExpr *, f->vars.n + 1);
    v->cap = f->vars.n;
}

IrExpr *
env_get(const Env *v, const IrVar *x)
{
    return x->id < v->cap ? v->value[x->id] : NULL;
}

void
env_put(Env *v, const IrVar *x, IrExpr *e)
{
    if (x->id >= v->cap)
        return;
    if (!v->value[x->id])
        VEC_PUSH(v->arena, v->active, x);
    v->value[x->id] = e;
}

static bool
mentions(const IrExpr *e, const IrVar *x)
{
    if (e->var == x)
        return true;
    for (int i = 0; i < e->n; i++)
        if (mentions(e->arg[i], x))
            return true;
    return false;
}

static bool
mentions_any(const IrExpr *e, const uint64_t *set)
{
    if (e->var && ir_in(set, e->var))
        return true;
    for (int i = 0; i < e->n; i++)
        if (mentions_any(e->arg[i], set))
            return true;
    return false;
}

void
env_kill(Env *v, const IrVar *x)
{
    int n = 0;
    for (int i = 0; i < v->active.n; i++) {
        const IrVar *a = v->active.at[i];
        if (a == x || mentions(v->value[a->id], x))
            v->value[a->id] = NULL;
        else
            v->active.at[n++] = a;
    }
    v->active.n = n;
}

void
env_kill_set(Env *v, const uint64_t *set)
{
    int n = 0;
    for (int i = 0; i < v->active.n; i++) {
        const IrVar *a = v->active.at[i];
        if (ir_in(set, a) || mentions_any(v->value[a->id], set))
            v->value[a->id] = NULL;
        else
            v->active.at[n++] = a;
    }
    v->active.n = n;
}

EnvMark
env_save(const Env *v)
{
    EnvMark m = {.n = v->active.n};
    m.vars = NEW_N(v->arena, const IrVar *, m.n + 1);
    m.values = NEW_N(v->arena, IrExpr *, m.n + 1);
    for (int i = 0; i < m.n; i++) {
        m.vars[i] = v->active.at[i];
        m.values[i] = v->value[m.vars[i]->id];
    }
    return m;
}

void
env_restore(Env *v, const EnvMark *m)
{
    for (int i = 0; i < v->active.n; i++)
        v->value[v->active.at[i]->id] = NULL;
    v->active.n = 0;
    for (int i = 0; i < m->n; i++)
        env_put(v, m->vars[i], m->values[i]);
}
