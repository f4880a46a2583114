/* SPDX-License-Identifier: BSD-3-Clause
 * The units of a compilation: pass units has set them apart in modules of their own,
 * callees first. Each is looked for by its symbol; what is not there is compiled and
 * kept. Whoever wants to see the whole program, or has it checked, gets it whole. */
#include "rt/job.h"

#include <stdlib.h>

bool
units_wanted(const Job *j)
{
    const SwOptions *o = j->cx->opt;
    return job_usual(j) && !j->rq->no_code && o->target == TARGET_CPU && o->offload == 0 &&
           !o->kernel && !o->debug && o->opt_level >= 2;
}

static bool
hold(Job *j, Unit *u)
{
    Unit **more = realloc(j->units, sizeof *more * (size_t)(j->n_units + 1));
    if (!more) {
        unit_release(u);
        return false;
    }
    j->units = more;
    more[j->n_units++] = u;
    return true;
}

void
units_let_go(Job *j)
{
    for (int i = 0; i < j->n_units; i++)
        unit_release(j->units[i]);
    free(j->units);
    gen_free(&j->unit_gen);
}

static Artifact *
artifact_of(Job *j, const IrModule *u)
{
    Remarks none = {0};
    return artifact_make(j->cx, type_none(j->cx->types), u, &none, &j->unit_gen);
}

static Unit *
compile(Job *j, IrModule *u)
{
    PassCx p = {.cx = j->cx, .mod = u, .vector_bytes = gen_backend(TARGET_CPU)->vector_bytes()};
    char *err = pass_run_all(&p);
    if (err)
        job_internal(j, err);
    else
        compile_generate(j, u, TARGET_CPU, 0, &j->unit_gen);
    if (job_failed(j))
        return NULL;
    Artifact *a = artifact_of(j, u);
    LoadError wrong = {0};
    Unit *made = unit_add(u->unit, a, &wrong);
    if (made && j->key) {
        StrBuf bytes = {0};
        Hash key = unit_key(u->unit);
        if (artifact_encode(a, &bytes) && !bytes.lost)
            cache_put_bytes(j->cx, &key, bytes.s, bytes.n);
        sb_free(&bytes);
    }
    if (!made && wrong.why)
        job_internal(j, wrong.why);
    free(wrong.why);
    gen_free(&j->unit_gen);
    return made;
}

static Unit *
compile_apart(Job *j, IrModule *u)
{
    Cx *cx = j->cx;
    const SwOptions *was = cx->opt;
    IrFunc *f = u->funcs.at[0];
    SwOptions opt = ir_unit_options(f->opt ? f->opt : was);
    f->opt = NULL;
    int n_sched = cx->n_sched;
    uint64_t t = trace_now();
    int time = cx->trace.time;
    cx->opt = &opt;
    cx->n_sched = 0;
    cx->trace.time = 0; /* one stage for all of it */
    Unit *made = compile(j, u);
    cx->opt = was;
    cx->n_sched = n_sched;
    cx->trace.time = time;
    trace_stage(&cx->trace, "unit: compile", t);
    return made;
}

bool
units_get(Job *j, IrModule *m)
{
    for (int i = 0; i < m->units.n; i++) {
        uint64_t t = trace_now();
        Unit *u = unit_find(m->units.at[i]->unit, j->key != NULL);
        trace_stage(&j->cx->trace, "unit: find", t);
        if (!u)
            u = compile_apart(j, m->units.at[i]);
        if (job_failed(j))
            return false;
        if (!u || !hold(j, u))
            longjmp(*j->cx->arena.oom, ARENA_NO_MEMORY);
    }
    return true;
}
