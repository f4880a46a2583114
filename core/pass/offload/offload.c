/* SPDX-License-Identifier: BSD-3-Clause
 * Code for a call on a device: takes functions whose parallel loops are marked (`threads`), yields
 * functions of the host that launch kernels in their place, and the kernels, in a module of their
 * own. What a device can't run stays as it is, and runs on the host's workers. Where an array's
 * elements are is known only when the code runs: a launch brings to the device what it needs, and
 * `sw_device_sync`, put before whatever the host does with an array, brings back what kernels have
 * written. */
#include "pass/offload/offload.h"

static bool
is_candidate(const IrStmt *s)
{
    return s->kind == IS_LOOP && s->threads && !s->cold && !reds_fail_more(s);
}

/* The block in which the loop is then. */
static IrBlock *
move_tests(Off *w, IrFunc *f, IrBlock *b, IrStmt *s)
{
    Outline o;
    IrBlock out = {0};
    if (w->p->stay)
        return b;
    outline_begin(&o, w->p, f, s, &out);
    s->threads = true;
    IrStmt *test = offload_tests(&o, b);
    return test ? &test->body : b;
}

static bool
try_loop(Off *w, IrFunc *f, IrBlock *b, IrStmt *s)
{
    Outline o;
    IrBlock out = {0};
    outline_begin(&o, w->p, f, s, &out);
    const char *why = w->p->stay ? w->p->stay : offload_refuses(w, &o);
    if (why) {
        s->threads = true;
        pass_remark(w->p, REMARK_offload_stays, s->at, "%s", why);
        return false;
    }
    offload_make(w, &o);
    outline_end(&o, b, &out);
    return true;
}

static void
visit(Off *w, IrFunc *f, IrBlock *b)
{
    for (IrStmt *s = b->first, *next; s; s = next) {
        IrBlock *sub[IR_MAX_BLOCKS];
        next = s->next;
        if (is_candidate(s)) {
            IrBlock *in = move_tests(w, f, b, s);
            if (w->p->stay || !offload_part(f, in, s, &s))
                try_loop(w, f, in, s);
            else if (in != b)
                visit(w, f, in);
            else
                next = s;
            continue;
        }
        int n = ir_blocks(s, sub);
        for (int i = 0; i < n; i++)
            if (!ir_is_cold(s, i))
                visit(w, f, sub[i]);
    }
}

/* Functions that a loop calls are copied before their own loops are taken out of them. */
static void
copy_called(IrBlock *b, IrStmt *s, void *arg)
{
    (void)b;
    if (s->kind == IS_CALL && !s->func->recursive)
        offload_function(arg, s->func);
}

static void
find_calls(IrBlock *b, IrStmt *s, void *arg)
{
    (void)b;
    if (is_candidate(s))
        ir_walk_block(&s->body, copy_called, arg);
}

/* What objects refer to is not followed across to a device and back. */
static bool
has_objects(const IrModule *m)
{
    for (int i = 0; i < m->funcs.n; i++)
        for (int k = 0; k < m->funcs.at[i]->vars.n; k++)
            if (m->funcs.at[i]->vars.at[k]->obj)
                return true;
    return false;
}

void
pass_offload(PassCx *p)
{
    int target = p->cx->opt->offload;
    if (!target)
        return;
    if (!p->stay && has_objects(p->mod))
        p->stay = "the function has to do with lists or dicts";
    if (!p->stay && p->mod->upcalls.n) /* which may look at any array */
        p->stay = "the function calls Python";
    Off w = {.p = p, .cx = p->cx, .dev = ir_module(p->cx)};
    int n = p->mod->funcs.n;
    for (int i = 0; i < n && target > 0; i++)
        ir_walk_block(&p->mod->funcs.at[i]->body, find_calls, &w);
    for (int i = 0; i < n; i++)
        visit(&w, p->mod->funcs.at[i], &p->mod->funcs.at[i]->body);
    offload_sync(&w);
    if (w.kernels)
        p->mod->device = w.dev;
}
