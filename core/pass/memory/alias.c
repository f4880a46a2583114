/* SPDX-License-Identifier: BSD-3-Clause
 * Lowering puts a test for overlap before each assignment whose source may look at memory of its
 * target, and takes what a call yields for a view of anything. Here all functions are complete:
 * where no path makes both arrays look at the same memory, the test is 0, and the copy that it
 * guards goes with it. */
#include "pass/pass.h"

typedef struct Alias {
    Cx *cx;
    IrFunc *f;
    const IrPoints *points; /* made for the first test */
} Alias;

static void
settle(IrBlock *b, IrStmt *s, void *arg)
{
    Alias *a = arg;
    (void)b;
    if (!ir_is_overlap(s))
        return;
    if (!a->points)
        a->points = ir_points(a->f);
    if (ir_points_share(a->points, s->args[0].arr, s->args[1].arr))
        return;
    IrVar *flag = s->outs[0].out;
    s->kind = IS_SET;
    s->var = flag;
    s->e = ir_int(a->cx, (DType)flag->dtype, 0);
    s->n_args = s->n_outs = 0;
}

void
pass_alias(PassCx *p)
{
    for (int i = 0; i < p->mod->funcs.n; i++) {
        Alias a = {.cx = p->cx, .f = p->mod->funcs.at[i]};
        ir_walk_block(&a.f->body, settle, &a);
    }
}
