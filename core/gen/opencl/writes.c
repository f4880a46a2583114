/* SPDX-License-Identifier: BSD-3-Clause
 * Which of a kernel's array parameters it may store to, so that only these are copied back: what a store, an atomic
 * operation or a copy names, followed through views, aliases and calls. */
#include "gen/opencl/opencl.h"

typedef struct Writes {
    IrFunc *f;
    uint64_t *of;   /* by variable: the parameters that it may look at */
    uint64_t found;
    bool changed;
    int depth;
} Writes;

static uint64_t writes_of(IrFunc *f, int depth);

static void
through_call(Writes *w, IrStmt *s)
{
    uint64_t all = 0, stored = w->depth > 32 || s->func->recursive ? UINT64_MAX : writes_of(s->func, w->depth + 1);
    for (int i = 0; i < s->n_args; i++) {
        uint64_t of = s->args[i].arr ? w->of[s->args[i].arr->id] : 0;
        all |= of;
        if (stored >> (i < 63 ? i : 63) & 1)
            w->found |= of;
    }
    for (int i = 0; i < s->n_outs; i++)
        if (s->outs[i].arr && (w->of[s->outs[i].arr->id] | all) != w->of[s->outs[i].arr->id]) {
            w->of[s->outs[i].arr->id] |= all;
            w->changed = true;
        }
}

static void
note(IrBlock *blk, IrStmt *s, void *arg)
{
    (void)blk;
    Writes *w = arg;
    switch ((int)s->kind) {
    case IS_STORE:
    case IS_COPY:
        w->found |= w->of[s->var->id];
        break;
    case IS_ATOMIC:
        w->found |= w->of[s->base->id];
        break;
    case IS_VIEW:
    case IS_ALIAS:
        if ((w->of[s->var->id] | w->of[s->base->id]) != w->of[s->var->id]) {
            w->of[s->var->id] |= w->of[s->base->id];
            w->changed = true;
        }
        break;
    case IS_CALL:
        through_call(w, s);
        break;
    default:
        break;
    }
}

static uint64_t
writes_of(IrFunc *f, int depth)
{
    Writes w = {.f = f, .changed = true, .depth = depth};
    w.of = NEW_N(&f->mod->cx->arena, uint64_t, f->vars.n + 1);
    for (int i = 0; i < f->n_params; i++)
        w.of[i] = 1ull << (i < 63 ? i : 63);
    while (w.changed) {
        w.changed = false;
        ir_walk_block(&f->body, note, &w);
    }
    return w.found;
}

uint64_t
gen_kernel_writes(IrFunc *f)
{
    return writes_of(f, 0);
}
