/* SPDX-License-Identifier: BSD-3-Clause
 * THE pipeline: a typed request becomes a function that can be called. Key -> cache -> (types ->
 * lower -> passes -> back end -> cache) -> load. Whatever goes wrong is a diagnostic, and the result
 * holds either a function or the diagnostics' text. Memory that runs out jumps back to `guarded`, and so
 * does an interrupt; what lives outside the arena hangs on the Job, so that it is freed on that way too. */
#include "gen/gen.h"
#include "gen/opencl/opencl.h"
#include "interp/interp.h"
#include "lower/lower.h"
#include "pass/pass.h"
#include "rt/rt.h"
#include "sema/sema.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct Job {
    Cx *cx;
    const SwRequest *rq;
    SwResult *out;
    const SwIrText *ir; /* NULL: from source */
    GenOutput gen, dev;  /* dev: the kernels of code that launches them */
    const char *stay;    /* why a device can't run the loops; NULL: it can */
    Remarks remarks;
    uint64_t started;
    volatile int32_t stop; /* a signal's handler has raised */
    const Hash *key;       /* to put it into the cache by; or NULL */
    int ended;             /* 0, or what the arena jumped for */
} Job;

static bool
failed(const Job *j)
{
    return j->cx->diags.list.n > 0;
}

static void
internal(Job *j, const char *what)
{
    diag_add(&j->cx->diags, DIAG_internal, j->rq->prog->root->at, "%s", what);
}

/* ---- texts: dumps for developers, inspection for users --------------------------------- */

enum { TEXT_TYPES, TEXT_LOWERED, TEXT_IR, TEXT_LLVM_RAW, TEXT_LLVM, TEXT_ASM, TEXT_NONE };

static void
show(Job *j, const char *stage, int text, StrBuf *b)
{
    if (b->s)
        trace_dump(&j->cx->trace, stage, b->s);
    if (j->rq->keep_text && text != TEXT_NONE && b->s)
        j->out->text[text] = strdup(b->s);
    sb_free(b);
}

static bool
wants(const Job *j, const char *stage, int text)
{
    return (j->rq->keep_text && text != TEXT_NONE) || trace_wants(j->cx->trace.dump, stage);
}

static void
show_ast(Job *j)
{
    StrBuf b = {0};
    if (!wants(j, "ast", TEXT_NONE))
        return;
    for (int i = 0; i < j->rq->prog->funcs.n; i++)
        ast_print(j->rq->prog->funcs.at[i], &b);
    show(j, "ast", TEXT_NONE, &b);
}

static void
show_types(Job *j, const SemaUnit *u)
{
    StrBuf b = {0};
    if (!wants(j, "types", TEXT_TYPES))
        return;
    sema_print(u, &b);
    show(j, "types", TEXT_TYPES, &b);
}

static void
show_ir(Job *j, const char *stage, int text, const IrModule *m)
{
    StrBuf b = {0};
    if (!wants(j, stage, text))
        return;
    ir_print(m, &b);
    show(j, stage, text, &b);
}

static void
show_gen(Job *j)
{
    static const char *const stage[] = {"llvm.raw", "llvm", "asm"};
    for (int i = 0; i < SW_LEN(stage); i++) {
        if (!j->gen.text[i])
            continue;
        trace_dump(&j->cx->trace, stage[i], j->gen.text[i]);
        if (j->rq->keep_text) {
            j->out->text[TEXT_LLVM_RAW + i] = j->gen.text[i];
            j->gen.text[i] = NULL;
        }
    }
}

/* ---- the stages of a compilation --------------------------------------------------------- */

static SemaUnit *
stage_types(Job *j)
{
    uint64_t t = trace_now();
    SemaUnit *u = sema_run(j->cx, j->rq->prog, j->rq->n_args, j->rq->args);
    trace_stage(&j->cx->trace, "types", t);
    if (!u && !failed(j))
        internal(j, "the types could not be found");
    if (!u || failed(j))
        return NULL;
    show_types(j, u);
    return u;
}

static IrModule *
stage_lower(Job *j, const SemaUnit *u)
{
    uint64_t t = trace_now();
    IrModule *m = lower_unit(j->cx, u);
    trace_stage(&j->cx->trace, "lower", t);
    if (!m && !failed(j))
        internal(j, "the typed program could not be lowered");
    if (m)
        show_ir(j, "lower", TEXT_LOWERED, m);
    if (!m || failed(j))
        return NULL;
    char *wrong = j->cx->trace.check ? ir_verify_lowered(m) : NULL;
    if (wrong)
        internal(j, arena_printf(&j->cx->arena, "after lowering: %s", wrong));
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
    PassCx p = {.cx = j->cx, .mod = m, .remarks = &j->remarks, .vector_bytes = cpu_vector_bytes(), .stay = j->stay};
    CheckOptions opt = {.strict = j->rq->opt.boundscheck && !j->ir};
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
        internal(j, wrong);
    show_ir(j, "ir", TEXT_IR, m);
    return !failed(j);
}

static bool
stage_opencl(Job *j, IrModule *m)
{
    uint64_t t = trace_now();
    char *text = gen_opencl(m);
    trace_stage(&j->cx->trace, "gen", t);
    j->gen.object = text;
    j->gen.object_size = text ? strlen(text) : 0;
    if (text && wants(j, "asm", TEXT_ASM))
        j->gen.text[2] = strdup(text);
    show_gen(j);
    return text && !failed(j);
}

static bool
stage_generate(Job *j, IrModule *m)
{
    Cx *cx = j->cx;
    uint64_t t = trace_now();
    char *err = NULL;
    if (j->rq->opt.target == TARGET_OPENCL)
        return stage_opencl(j, m);
    const GenBackend *be = backend_open(&cx->arena, &err);
    trace_stage(&cx->trace, "gen: open", t);
    if (!be) {
        Diag *g = diag_add(&cx->diags, DIAG_internal, (Span){0}, "%s", err);
        diag_hint(&cx->diags, g, "install swathe again: " BACKEND_LIB " belongs beside its extension module");
        return false;
    }
    int texts = GEN_REMARKS;
    texts |= wants(j, "llvm.raw", TEXT_LLVM_RAW) ? GEN_TEXT_LLVM_RAW : 0;
    texts |= wants(j, "llvm", TEXT_LLVM) ? GEN_TEXT_LLVM : 0;
    texts |= wants(j, "asm", TEXT_ASM) ? GEN_TEXT_ASM : 0;
    GenTarget target = {.name = "cpu", .cpu = cpu_override()};
    be->emit(m, &target, texts, &j->gen);
    show_gen(j);
    arena_poll(&cx->arena);
    if (j->gen.no_memory)
        longjmp(*cx->arena.oom, ARENA_NO_MEMORY);
    if (j->gen.error)
        internal(j, j->gen.error);
    return !failed(j);
}

/* ---- kernels that parallel loops have become ----------------------------------------------- */

static bool
emit_device(Job *j, IrModule *dev)
{
    Cx *cx = j->cx;
    if (cx->opt->target == TARGET_OPENCL) {
        char *text = gen_opencl(dev);
        j->dev.object = text;
        j->dev.object_size = text ? strlen(text) : 0;
        return text != NULL;
    }
    char *err = NULL;
    const GenBackend *be = backend_open(&cx->arena, &err);
    if (!be) {
        diag_add(&cx->diags, DIAG_internal, (Span){0}, "%s", err);
        return false;
    }
    be->emit(dev, &(GenTarget){.name = "ptx"}, 0, &j->dev);
    arena_poll(&cx->arena);
    if (j->dev.no_memory)
        longjmp(*cx->arena.oom, ARENA_NO_MEMORY);
    if (j->dev.error)
        internal(j, j->dev.error);
    return !j->dev.error;
}

/* The sites of both modules are one list. False: it can't be done, see the diagnostics. */
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
        internal(j, wrong);
    bool ok = !wrong && emit_device(j, m->device) && !failed(j);
    m->sites = m->device->sites;
    cx->opt = host;
    trace_stage(&cx->trace, "gen: device", t);
    if (ok && trace_wants(cx->trace.dump, "asm"))
        trace_dump(&cx->trace, "asm", j->dev.object);
    return ok;
}

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

static Artifact *
made(Job *j, const IrModule *m, const Type *ret)
{
    Artifact *a = artifact_make(j->cx, ret, m, &j->remarks, &j->gen);
    if (j->rq->opt.target != TARGET_CPU)
        a->writes = writes_of(m);
    if (m->device)
        add_kernels(j, m->device, a);
    return a;
}

/* Once more, with all on the CPU: what the device's compiler can't do is no error of the program. */
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
    return stage_generate(j, m) ? made(j, m, u->insts.at[0]->ret) : NULL;
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

static SwFunction *
load(Job *j, const Artifact *art, char **err)
{
    uint64_t t = trace_now();
    SwFunction *fn = function_load(j->rq, art, err);
    trace_stage(&j->cx->trace, "load", t);
    return fn;
}

static SwFunction *
from_cache(Job *j, const Hash *key)
{
    uint64_t t = trace_now();
    char *err = NULL;
    const Artifact *art = cache_get(j->cx, j->rq, key);
    trace_stage(&j->cx->trace, "cache", t);
    SwFunction *fn = art ? load(j, art, &err) : NULL;
    if (fn)
        fn->from_cache = true;
    free(err); /* what does not load here is compiled anew */
    return fn;
}

static SwFunction *
compiled(Job *j, const Hash *key)
{
    char *err = NULL;
    const Artifact *art = j->ir ? compile_text(j) : compile(j);
    SwFunction *fn = art ? load(j, art, &err) : NULL;
    if (art && !fn && err && !strncmp(err, "no memory", 9)) {
        free(err);
        longjmp(*j->cx->arena.oom, ARENA_NO_MEMORY);
    }
    if (art && !fn)
        internal(j, err ? err : "the compiled code does not load");
    free(err);
    if (fn && key) {
        uint64_t t = trace_now();
        cache_put(j->cx, key, art);
        trace_stage(&j->cx->trace, "cache", t);
    }
    return fn;
}

static void
run_compiler(Job *j)
{
    j->out->fn = compiled(j, j->key);
}

static void
look_up(Job *j)
{
    j->out->fn = from_cache(j, j->key);
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

static bool
run(Job *j)
{
    const Trace *t = &j->cx->trace;
    bool use = j->rq->use_cache && !j->ir && !j->rq->keep_text && !t->dump && !t->skip &&
               !t->stop && !t->lanes && !t->grain && t->check < 2;
    Hash key;
    if (use) {
        key = cache_key(j->cx, j->rq);
        j->key = &key;
        if (!guarded(j, look_up))
            return false;
    }
    if (!j->out->fn)
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
    out->error = mine ? text.s : strdup(stopped ? "compiling was interrupted" : "out of memory while compiling");
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
    trace_report(&cx->trace);
}
