/* SPDX-License-Identifier: BSD-3-Clause
 * What those who launch a device's kernels must know of them, beside their code. */
#include "rt/job.h"

static void
note_failing(IrBlock *b, IrStmt *s, void *arg)
{
    (void)b;
    bool *found = arg;
    *found |= ir_does(s, ST_FAILS);
    if (s->kind == IS_CALL && !*found)
        ir_walk_block(&s->func->body, note_failing, found);
}

static SwKernel
kernel_of(Cx *cx, IrFunc *f)
{
    SwKernel k = {.n_params = f->n_params, .writes = ir_summary(f)->writes};
    SwParam *p = NEW_N(&cx->arena, SwParam, f->n_params + 1);
    for (int i = 0; i < f->n_params; i++)
        p[i] = (SwParam){f->vars.at[i]->is_array, f->vars.at[i]->dtype, f->vars.at[i]->ndim, 0};
    ir_walk_block(&f->body, note_failing, &k.may_fail);
    k.params = p;
    return k;
}

static void
add_kernels(Job *j, const IrModule *dev, Artifact *a)
{
    SwKernel *k = NEW_N(&j->cx->arena, SwKernel, dev->funcs.n);
    for (int i = 0; i < dev->funcs.n; i++)
        if (dev->funcs.at[i]->kernel)
            k[a->n_kernels++] = kernel_of(j->cx, dev->funcs.at[i]);
    a->kernels = k;
    a->device = j->dev.object;
    a->device_size = j->dev.object_size;
}

static uint64_t
writes_of(const IrModule *m)
{
    for (int i = 0; i < m->funcs.n; i++)
        if (m->funcs.at[i]->kernel)
            return ir_summary(m->funcs.at[i])->writes;
    return UINT64_MAX;
}

void
kernels_keep(Job *j, const IrModule *m, Artifact *a)
{
    if (j->rq->opt.target != TARGET_CPU)
        a->writes = writes_of(m);
    if (m->device)
        add_kernels(j, m->device, a);
}
