/* SPDX-License-Identifier: BSD-3-Clause
 * THE pipeline: key -> cache -> (types -> lower -> passes -> back end -> cache) -> load. Whatever
 * goes wrong is a diagnostic. job.c asks for it. */
#include "interp/interp.h"
#include "lower/lower.h"
#include "rt/job.h"

#include <stdlib.h>

/* ---- the stages ---------------------------------------------------------------------------- */

/* What was done before there was IR, for explain(). */
static void
tell(Job *j)
{
    PassCx p = {.cx = j->cx, .remarks = &j->remarks};
    for (int i = 0; i < j->rq->prog->funcs.n; i++) {
        const FuncDef *f = j->rq->prog->funcs.at[i];
        for (int k = 0; k < f->told.n; k++) {
            const Told *t = &f->told.at[k];
            RemarkKind kind = t->value ? REMARK_types_value : REMARK_types_rounds;
            pass_remark_of(&p, remark_info[kind].pass, kind, t->at, "%s", t->text);
        }
    }
}

static SemaUnit *
stage_types(Job *j)
{
    uint64_t t = trace_now();
    SemaUnit *u = sema_run(j->cx, j->rq->prog, j->rq->n_args, j->rq->args);
    trace_stage(&j->cx->trace, "types", t);
    if (!u && !job_failed(j))
        job_internal(j, "the types could not be found");
    if (!u || job_failed(j))
        return NULL;
    show_types(j, u);
    tell(j);
    return u;
}

/* The parameters of the entry are the slots of the arguments. */
static void
tell_likely(const Job *j, IrModule *m)
{
    const IrFunc *f = m->funcs.at[0];
    int slot = 0;
    for (int i = 0; j->rq->likely && f->entry && !f->kernel && i < f->n_params; i++) {
        IrVar *v = f->vars.at[i];
        int n = v->is_array ? 2 + 2 * v->ndim : v->dtype == DT_c128 ? 2 : 1;
        for (int k = 0; v->is_array && !v->obj && k < v->ndim && slot + n <= j->rq->n_likely; k++)
            ir_set_likely(v, k, j->rq->likely[slot + 2 + k]);
        slot += n;
    }
}

static IrModule *
stage_lower(Job *j, const SemaUnit *u)
{
    uint64_t t = trace_now();
    IrModule *m = lower_unit(j->cx, u);
    trace_stage(&j->cx->trace, "lower", t);
    if (!m && !job_failed(j))
        job_internal(j, "the typed program could not be lowered");
    if (m) {
        tell_likely(j, m);
        show_ir(j, "lower", TEXT_LOWERED, m);
    }
    if (!m || job_failed(j))
        return NULL;
    char *wrong = j->cx->trace.check ? ir_verify_lowered(m) : NULL;
    if (wrong)
        job_internal(j, arena_printf(&j->cx->arena, "after lowering: %s", wrong));
    return wrong ? NULL : m;
}

static void
seen(void *arg, const IrModule *m, const char *pass)
{
    check_seen(arg, m, pass);
}

static bool
stage_passes(Job *j, IrModule *m)
{
    PassCx p = {.cx = j->cx,
                .mod = m,
                .remarks = &j->remarks,
                .vector_bytes = gen_backend(j->rq->opt.target)->vector_bytes(),
                .units = units_wanted(j),
                .stay = j->stay};
    CheckOptions opt = {.strict = j->rq->opt.boundscheck && !j->ir};
    for (int i = 0; i < m->funcs.n; i++)
        opt.strict &= !m->funcs.at[i]->opt || m->funcs.at[i]->opt->boundscheck;
    InterpCheck *k = j->cx->trace.check > 1 ? check_begin(j->cx, &opt) : NULL;
    if (k) {
        p.seen = seen;
        p.seen_arg = k;
    }
    char *wrong = pass_run_all(&p); /* times each pass itself */
    uint64_t t = trace_now();
    if (k && !wrong)
        wrong = check_end(k, NULL);
    if (k)
        trace_stage(&j->cx->trace, "check", t);
    if (wrong)
        job_internal(j, wrong);
    show_ir(j, "ir", TEXT_IR, m);
    return !job_failed(j);
}

bool
compile_generate(Job *j, IrModule *m, int target, int texts, GenOutput *out)
{
    Cx *cx = j->cx;
    const GenBackend *to = gen_backend(target);
    GenTarget t = to->target();
    to->emit(m, &t, texts, out);
    arena_poll(&cx->arena);
    if (out->no_memory)
        longjmp(*cx->arena.oom, ARENA_NO_MEMORY);
    if (out->error)
        job_internal(j, out->error);
    return !job_failed(j);
}

static bool
stage_generate(Job *j, IrModule *m)
{
    bool ok = compile_generate(j, m, j->cx->opt->target, GEN_REMARKS | show_wanted(j), &j->gen);
    show_gen(j);
    return ok;
}

/* The kernels that parallel loops have become. The sites of both modules are one list. False: it
 * can't be done, see the diagnostics. */
static bool
stage_device(Job *j, IrModule *m)
{
    Cx *cx = j->cx;
    uint64_t t = trace_now();
    const SwOptions *host = cx->opt;
    SwOptions opt = *host;
    opt.target = (uint8_t)host->offload;
    opt.offload = 0;
    cx->opt = &opt;
    m->device->sites = m->sites;
    m->device->consts = m->consts;
    PassCx p = {.cx = cx, .mod = m->device};
    char *wrong = pass_run_named(&p, "fold,ifconv,tidy");
    if (wrong)
        job_internal(j, wrong);
    bool ok = !wrong && compile_generate(j, m->device, opt.target, 0, &j->dev);
    m->sites = m->device->sites;
    cx->opt = host;
    trace_stage(&cx->trace, "gen: device", t);
    if (ok && trace_wants(cx->trace.dump, "asm"))
        trace_dump(&cx->trace, "asm", j->dev.object);
    return ok;
}

static Artifact *
made(Job *j, const IrModule *m, const Type *ret)
{
    Artifact *a = artifact_make(j->cx, ret, m, &j->remarks, &j->gen);
    kernels_keep(j, m, a);
    return a;
}

/* Once more, with all on the CPU: what the device's compiler can't do is no error of the
 * program. */
static Artifact *compile(Job *j);

static Artifact *
compile_staying(Job *j)
{
    Cx *cx = j->cx;
    const SwOptions *was = cx->opt;
    SwOptions opt = *was;
    const Diag *d = cx->diags.list.n ? cx->diags.list.at[0] : NULL;
    opt.offload = -opt.offload;
    j->stay = d ? d->message : "its compiler has failed";
    cx->diags.list.n = 0;
    j->remarks = (Remarks){0};
    cx->opt = &opt;
    Artifact *a = compile(j);
    cx->opt = was;
    return a;
}

/* Everything from source to object, for the cache to keep. NULL: see the diagnostics. */
static Artifact *
compile(Job *j)
{
    show_ast(j);
    SemaUnit *u = stage_types(j);
    IrModule *m = u ? stage_lower(j, u) : NULL;
    if (!m || !stage_passes(j, m) || j->rq->no_code)
        return NULL;
    if (m->device && !stage_device(j, m))
        return compile_staying(j);
    return units_get(j, m) && stage_generate(j, m) ? made(j, m, u->insts.at[0]->ret) : NULL;
}

/* ---- from IR text ------------------------------------------------------------------------ */

static void
malformed(Job *j, const char *what)
{
    diag_add(&j->cx->diags, DIAG_value, (Span){0}, "the IR text is not right: %s", what);
}

static Artifact *
compile_text(Job *j)
{
    char *wrong = NULL;
    IrModule *m = ir_parse(j->cx, j->ir->text, &wrong);
    if (m)
        wrong = ir_verify(m);
    if (!wrong)
        wrong = signature_check(j->cx, m, j->rq, j->ir->ret);
    if (wrong) {
        malformed(j, wrong);
        return NULL;
    }
    show_ir(j, "lower", TEXT_LOWERED, m);
    if (j->ir->done)
        show_ir(j, "ir", TEXT_IR, m);
    else if (!stage_passes(j, m))
        return NULL;
    return stage_generate(j, m) ? made(j, m, j->ir->ret) : NULL;
}

/* ---- load, and the cache -------------------------------------------------------------------- */

static SwFunction *
load(Job *j, const Artifact *art, LoadError *err)
{
    uint64_t t = trace_now();
    SwFunction *fn = function_load(j->rq, art, err);
    trace_stage(&j->cx->trace, "load", t);
    return fn;
}

SwFunction *
compile_cached(Job *j)
{
    uint64_t t = trace_now();
    LoadError err = {0};
    const Artifact *art = cache_get(j->cx, j->rq, j->key);
    trace_stage(&j->cx->trace, "cache", t);
    SwFunction *fn = art ? load(j, art, &err) : NULL;
    if (fn)
        fn->from_cache = true;
    free(err.why); /* what does not load here is compiled anew */
    return fn;
}

SwFunction *
compile_job(Job *j)
{
    LoadError err = {0};
    const Artifact *art = j->ir ? compile_text(j) : compile(j);
    SwFunction *fn = art ? load(j, art, &err) : NULL;
    if (art && !fn && err.no_memory)
        longjmp(*j->cx->arena.oom, ARENA_NO_MEMORY);
    if (art && !fn)
        job_internal(j, err.why ? err.why : "the compiled code does not load");
    free(err.why);
    if (fn && j->key) {
        uint64_t t = trace_now();
        cache_put(j->cx, j->key, art);
        trace_stage(&j->cx->trace, "cache", t);
    }
    return fn;
}
