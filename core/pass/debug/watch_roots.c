/* SPDX-License-Identifier: BSD-3-Clause
 * Where the arrays of a kernel lie: takes its body, yields for each array variable the
 * memory that it looks into, through other names and views of it, and what people call
 * that. An array that may be one of several is all right as long as these lie in one kind
 * of memory. */
#include "pass/debug/watch.h"

typedef struct Roots {
    Cx *cx;
    Root *at;
    bool changed;
} Roots;

/* A copy that a thread has made for safety, of arrays that may overlap. */
static bool
is_own(const Root *r)
{
    return r->of && !r->of->is_param && !r->of->space;
}

static void
join(Roots *r, const IrVar *v, Root more)
{
    Root *was = &r->at[v->id], now = more;
    if (more.kind == ROOT_NONE)
        return;
    if (was->kind == ROOT_KNOWN && more.kind == ROOT_KNOWN) {
        now.view = was->view || more.view;
        now.space = was->space == more.space ? more.space : SPACE_ANY;
        if (was->of != more.of) {
            now.of = NULL;
            now.name = is_own(was) ? more.name : is_own(&more) ? was->name : v->name;
        }
    } else if (was->kind != ROOT_NONE) {
        now = (Root){.kind = ROOT_OTHER};
    }
    if (now.kind == was->kind && now.of == was->of && now.view == was->view &&
        now.space == was->space)
        return;
    *was = now;
    r->changed = true;
}

static void
join_other(IrVar *v, void *arg)
{
    if (v->is_array)
        join(arg, v, (Root){.kind = ROOT_OTHER});
}

/* Arrays that kernels make are called after the first name that they are given. */
static void
name_alloc(Roots *r, const IrStmt *s)
{
    Root *from = &r->at[s->base->id];
    bool unnamed = !from->of && !strcmp(s->base->name, "t"); /* one of several, in an expression */
    if (s->kind == IS_ALIAS && (unnamed || from->of == s->base) && !s->base->is_param &&
        from->name == s->base->name)
        from->name = s->var->name;
}

static void
look(IrBlock *b, IrStmt *s, void *arg)
{
    Roots *r = arg;
    (void)b;
    if (s->kind == IS_ALLOC) { /* what a thread makes is its own */
        if (!r->at[s->var->id].kind || !s->var->space)
            join(r, s->var,
                 (Root){ROOT_KNOWN, s->var->space ? s->var->space : SPACE_LOCAL, false, s->var,
                        s->var->name});
    } else if (s->kind == IS_CONSTARR) {
        join(r, s->var, (Root){ROOT_KNOWN, SPACE_ANY, false, s->var, s->var->name});
    } else if (ir_does(s, ST_LOOKS)) {
        name_alloc(r, s);
        Root from = r->at[s->base->id];
        from.view |= s->kind == IS_VIEW;
        join(r, s->var, from);
    } else if (s->kind != IS_DROP) {
        ir_walk_defs(s, join_other, r);
    }
}

Root *
watch_roots(Cx *cx, IrFunc *f, IrBlock *body)
{
    Roots r = {.cx = cx, .at = NEW_N(&cx->arena, Root, f->vars.n + 1)};
    for (int i = 0; i < f->n_params; i++) {
        const IrVar *v = f->vars.at[i];
        if (v->is_array)
            r.at[i] = (Root){ROOT_KNOWN, f->kernel ? SPACE_HEAP : SPACE_ANY, false, v, v->name};
    }
    do {
        r.changed = false;
        ir_walk_block(body, look, &r);
    } while (r.changed);
    return r.at;
}
