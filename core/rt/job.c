/* SPDX-License-Identifier: BSD-3-Clause
 * A request and its answer: a function, or the diagnostics' text. Memory that runs out jumps back
 * to `guarded`, and so does an interrupt. */
#include "rt/job.h"

#include <stdlib.h>

bool
job_failed(const Job *j)
{
    return j->cx->diags.list.n > 0;
}

void
job_internal(Job *j, const char *what)
{
    diag_add(&j->cx->diags, DIAG_internal, j->rq->prog->root->at, "%s", what);
}

static void
run_compiler(Job *j)
{
    j->out->fn = compile_job(j);
}

static void
look_up(Job *j)
{
    j->out->fn = compile_cached(j);
}

/* False when memory ran out on the way, or it was to stop: j->ended. */
static bool
guarded(Job *j, void (*step)(Job *j))
{
    jmp_buf here, *before = j->cx->arena.oom;
    j->cx->arena.oom = &here;
    j->ended = setjmp(here);
    if (!j->ended)
        step(j);
    j->cx->arena.oom = before;
    return !j->ended;
}

static void
compile_deep(void *arg)
{
    Job *j = arg;
    j->cx->arena.stop = &j->stop;
    guarded(j, run_compiler);
    j->cx->arena.stop = NULL;
}

enum { SMALL = 200 }; /* what is more need not be counted */

/* Known tuples count by their elements, which become as many expressions. */
static int
count_const(const Const *c)
{
    int n = 1;
    for (int i = 0; c && i < c->n && c->elems && n <= SMALL; i++)
        n += count_const(c->elems[i]);
    return n;
}

static int
count_type(const Type *t)
{
    int n = 1;
    for (int i = 0; i < t->n && t->elems && n <= SMALL; i++)
        n += t->elems[i] ? count_type(t->elems[i]) : 0;
    return n;
}

static int
count_program(const SwRequest *rq)
{
    int n = 0;
    for (int i = 0; i < rq->prog->funcs.n; i++) {
        const FuncDef *f = rq->prog->funcs.at[i];
        n += f->n_nodes;
        for (int k = 0; k < f->n_globals; k++)
            n += count_const(f->globals[k].val);
        for (int k = 0; k < f->n_params; k++)
            n += f->params[k].def ? count_const(f->params[k].def) : 0;
    }
    for (int i = 0; i < rq->n_args; i++)
        n += rq->args[i] ? count_type(rq->args[i]) : 0;
    return n;
}

/* A thread costs a small program a tenth of its time, and nobody could interrupt one. It needs no
 * more stack than most callers have left: sema takes three megabytes where types ever grow. */
static bool
fits_here(const Job *j)
{
    enum { AMPLE = 5 << 20 };
    char here;
    return count_program(j->rq) <= SMALL && j->rq->stack_limit &&
           &here - j->rq->stack_limit > AMPLE && job_usual(j);
}

bool
job_usual(const Job *j)
{
    const Trace *t = &j->cx->trace;
    return !j->ir && !j->rq->keep_text && !t->dump && !t->skip && !t->stop && !t->lanes &&
           !t->grain && !t->small && t->check < 2;
}

static bool
run(Job *j)
{
    bool use = j->rq->use_cache && job_usual(j);
    Hash key;
    if (use) {
        key = cache_key(j->cx, j->rq);
        j->key = &key;
        if (!guarded(j, look_up))
            return false;
    }
    if (!j->out->fn && fits_here(j))
        guarded(j, run_compiler);
    else if (!j->out->fn)
        rt_run_deep(compile_deep, j, j->rq->main_thread ? &j->stop : NULL);
    j->key = NULL;
    if (j->out->fn)
        j->out->fn->compile_ms = (double)(trace_now() - j->started) / 1e6;
    return !j->ended;
}

static void
report(Job *j, bool ok)
{
    SwResult *out = j->out;
    if (out->fn)
        return;
    const Diags *d = &j->cx->diags;
    StrBuf text = {0};
    if (ok && j->rq->no_code && !d->list.n)
        return;
    if (ok)
        diag_render(d, &text);
    bool mine = ok && text.s && d->list.n;
    bool stopped = j->ended == ARENA_STOPPED;
    out->error_class = strdup(mine      ? diag_exception(d->list.at[0]->id)
                              : stopped ? "KeyboardInterrupt"
                                        : "MemoryError");
    out->error =
        mine ? text.s
             : strdup(stopped ? "compiling was interrupted" : "out of memory while compiling");
    if (!mine)
        sb_free(&text);
}

void
rt_compile(Cx *cx, const SwRequest *rq, SwResult *out)
{
    rt_compile_ir(cx, rq, NULL, out);
}

void
rt_compile_ir(Cx *cx, const SwRequest *rq, const SwIrText *ir, SwResult *out)
{
    Job j = {.cx = cx, .rq = rq, .ir = ir, .out = out, .started = trace_now()};
    memset(out, 0, sizeof *out);
    cx->opt = &rq->opt;
    cx->sched = rq->sched;
    cx->n_sched = rq->n_sched;
    if (!cx->trace.func)
        cx->trace.func = rq->prog->root->qualname ? rq->prog->root->qualname : rq->prog->root->name;
    report(&j, run(&j));
    gen_free(&j.gen);
    gen_free(&j.dev);
    units_let_go(&j);
    trace_report(&cx->trace);
}
