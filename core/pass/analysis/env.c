/* SPDX-License-Identifier: BSD-3-Clause
 * Which scalar variables are known to equal which constant, variable or dimension, at one point of
 * the program. A pass walks the statements in order, tells what is assigned, and forgets at joins:
 * an entry goes when its variable, or what its value mentions, is assigned. Every change is in a
 * log, so that leaving a branch takes time by what happened in it, not by all that is known. */
#include "pass/analysis/env.h"

void
env_init(Env *v, IrFunc *f)
{
    *v = (Env){.f = f, .arena = &f->mod->cx->arena, .cap = f->vars.n};
    v->var = NEW_N(v->arena, EnvVar, f->vars.n + 1);
}

IrExpr *
env_get(const Env *v, const IrVar *x)
{
    return x->id < v->cap ? v->var[x->id].value : NULL;
}

static void
unlink_value(Env *v, int id)
{
    EnvVar *x = &v->var[id];
    const IrVar *of = x->value ? x->value->var : NULL;
    if (!of || of->id >= v->cap)
        return;
    if (x->prev)
        v->var[x->prev - 1].next = x->next;
    else
        v->var[of->id].first = x->next;
    if (x->next)
        v->var[x->next - 1].prev = x->prev;
}

static void
link_value(Env *v, int id)
{
    EnvVar *x = &v->var[id];
    const IrVar *of = x->value ? x->value->var : NULL;
    if (!of || of->id >= v->cap)
        return;
    x->prev = 0;
    x->next = v->var[of->id].first;
    if (x->next)
        v->var[x->next - 1].prev = id + 1;
    v->var[of->id].first = id + 1;
}

static void
change(Env *v, int id, IrExpr *value)
{
    unlink_value(v, id);
    v->var[id].value = value;
    link_value(v, id);
}

static void
note_change(Env *v, int id, IrExpr *value)
{
    EnvChange c = {id, v->var[id].value};
    VEC_PUSH(v->arena, v->log, c);
    VEC_PUSH(v->arena, v->touched, id);
    change(v, id, value);
}

bool
env_is_free(const Env *v, const IrVar *x)
{
    return x->id < v->cap && !v->var[x->id].value && !v->var[x->id].first;
}

void
env_put(Env *v, const IrVar *x, IrExpr *e)
{
    if (x->id < v->cap)
        note_change(v, x->id, e);
}

void
env_kill(Env *v, const IrVar *x)
{
    if (x->id >= v->cap)
        return;
    if (v->var[x->id].value)
        note_change(v, x->id, NULL);
    while (v->var[x->id].first)
        note_change(v, v->var[x->id].first - 1, NULL);
}

void
env_kill_set(Env *v, const uint64_t *set, int words)
{
    for (int w = 0; w < words && w * 64 < v->cap; w++)
        for (uint64_t bits = set[w]; bits; bits &= bits - 1)
            if (w * 64 + __builtin_ctzll(bits) < v->cap)
                env_kill(v, v->f->vars.at[w * 64 + __builtin_ctzll(bits)]);
}

EnvMark
env_save(const Env *v)
{
    return (EnvMark){v->log.n, v->touched.n};
}

void
env_restore(Env *v, EnvMark m)
{
    while (v->log.n > m.log) {
        EnvChange c = v->log.at[--v->log.n];
        change(v, c.var, c.before);
    }
}

void
env_meet(Env *v, EnvMark m)
{
    int n = m.touched, end = v->touched.n;
    env_restore(v, m);
    v->stamp++;
    for (int i = m.touched; i < end; i++) {
        EnvVar *x = &v->var[v->touched.at[i]];
        if (x->stamp != v->stamp)
            v->touched.at[n++] = v->touched.at[i];
        x->stamp = v->stamp;
    }
    v->touched.n = n;
    for (int i = m.touched; i < n; i++) {
        int id = v->touched.at[i];
        EnvChange c = {id, v->var[id].value};
        if (c.before)
            VEC_PUSH(v->arena, v->log, c);
        change(v, id, NULL);
    }
}
