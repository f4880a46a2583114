/* SPDX-License-Identifier: BSD-3-Clause
 * Where the arrays of a kernel lie: takes its body, yields for each array variable the
 * memory that it looks into, through other names and views of it, and what people call
 * that. An array that may be one of several is all right as long as these lie in one kind
 * of memory. */
#include "pass/watch.h"

typedef struct Roots {
    Cx *cx;
    Root *at;
    bool changed;
} Roots;

static void
join(Roots *r, const IrVar *v, Root more)
{
    Root *was = &r->at[v->id], now = more;
    if (more.kind == ROOT_NONE)
        return;
    if (was->kind == ROOT_KNOWN && more.kind == ROOT_KNOWN && was->space == more.space) {
        now.view = was->view || more.view;
        if (was->of != more.of) {
            now.of = NULL;
            now.name = v->name;
        }
    } else if (was->kind != ROOT_NONE) {
        now = (Root){.kind = ROOT_OTHER};
    }
    if (now.kind == was->kind && now.of == was->of && now.view == was->view)
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
    if (s->kind == IS_ALIAS && from->of == s->base && s->base->space &&
        from->name == s->base->name)
        from->name = s->var->name;
}

static void
look(IrBlock *b, IrStmt *s, void *arg)
{
    Roots *r = arg;
    (void)b;
    if (s->kind == IS_ALLOC && s->var->space) {
        if (!r->at[s->var->id].kind)
            join(r, s->var,
                 (Root){ROOT_KNOWN, s->var->space, false, s->var, s->var->name});
    } else if (s->kind == IS_ALIAS || s->kind == IS_VIEW) {
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
            r.at[i] = (Root){ROOT_KNOWN, SPACE_HEAP, false, v, v->name};
    }
    do {
        r.changed = false;
        ir_walk_block(body, look, &r);
    } while (r.changed);
    return r.at;
}
