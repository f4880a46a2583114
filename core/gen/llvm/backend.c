/* SPDX-License-Identifier: BSD-3-Clause
 * The vtable of the LLVM back end: an IR module goes in, a relocatable object comes out.
 * A target machine is dear to make and may serve one thread at a time, so a few are kept
 * in a pool; the LLVM context lives for one emission, so nothing piles up. */
#include "emit.h"
#include <llvm-c/Analysis.h>
#include <llvm-c/ErrorHandling.h>
#include <llvm-c/Target.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_once_t init_once = PTHREAD_ONCE_INIT;
static char *the_cpu, *the_features, *the_triple;
static LLVMTargetRef the_target;
static int init_status;

/* What LLVM can't go on from would end the process. We leave what it was doing where it
 * is, which leaks, and report it. */
static _Thread_local jmp_buf *fatal_exit;
static _Thread_local char fatal_text[512];
static _Thread_local bool fatal_memory;

static void
on_fatal(const char *reason)
{
    if (!fatal_exit)
        return;
    snprintf(fatal_text, sizeof fatal_text, "LLVM: %s", reason);
    longjmp(*fatal_exit, 1);
}

/* LLVM would print what it has to say, and end the process at an error. */
static void
on_diagnostic(LLVMDiagnosticInfoRef info, void *arg)
{
    (void)arg;
    if (LLVMGetDiagInfoSeverity(info) != LLVMDSError)
        return;
    char *text = LLVMGetDiagInfoDescription(info);
    char copy[sizeof fatal_text];
    snprintf(copy, sizeof copy, "%s", text);
    LLVMDisposeMessage(text);
    on_fatal(copy);
}

static void
on_no_memory(void)
{
    fatal_memory = true;
    on_fatal("out of memory");
}

static void
on_stop(void)
{
    on_fatal("stopped");
}

static void
init_llvm(void)
{
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86Target();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmPrinter();
    shim_init();
    LLVMInstallFatalErrorHandler(on_fatal);
    shim_no_memory(on_no_memory);
    char *err = NULL;
    the_cpu = LLVMGetHostCPUName();
    the_features = LLVMGetHostCPUFeatures();
    the_triple = LLVMGetDefaultTargetTriple();
    init_status = LLVMGetTargetFromTriple(the_triple, &the_target, &err) ? 1 : 0;
    LLVMDisposeMessage(err);
}

/* Costs nothing where no device is. */
static pthread_once_t ptx_once = PTHREAD_ONCE_INIT;
static LLVMTargetRef ptx_target;
static const char ptx_triple[] = "nvptx64-nvidia-cuda";

static void
init_ptx(void)
{
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
    char *err = NULL;
    if (LLVMGetTargetFromTriple(ptx_triple, &ptx_target, &err))
        ptx_target = NULL;
    LLVMDisposeMessage(err);
}

static int
backend_init(void)
{
    pthread_once(&init_once, init_llvm);
    return init_status;
}

static const char *
host_cpu(void)
{
    backend_init();
    return the_cpu;
}

static const char *
host_features(void)
{
    backend_init();
    return the_features;
}

/* ---- target machines
 * ------------------------------------------------------------------------------- */

typedef struct Machine {
    LLVMTargetMachineRef tm;
    char *cpu, *features;
    int level;
    bool ptx;
} Machine;

static pthread_mutex_t pool_lock = PTHREAD_MUTEX_INITIALIZER;
static Machine pool[8];

static Machine
machine_get(const char *cpu, const char *features, int level, bool ptx)
{
    Machine m = {0};
    pthread_mutex_lock(&pool_lock);
    for (int i = 0; i < SW_LEN(pool) && !m.tm; i++) {
        Machine *p = &pool[i];
        if (p->tm && p->level == level && p->ptx == ptx && !strcmp(p->cpu, cpu) &&
            !strcmp(p->features, features)) {
            m = *p;
            *p = (Machine){0};
        }
    }
    pthread_mutex_unlock(&pool_lock);
    if (m.tm)
        return m;
    LLVMCodeGenOptLevel cg = level >= 2   ? LLVMCodeGenLevelDefault
                             : level == 1 ? LLVMCodeGenLevelLess
                                          : LLVMCodeGenLevelNone;
    m = (Machine){NULL, strdup(cpu), strdup(features), level, ptx};
    m.tm = LLVMCreateTargetMachine(ptx ? ptx_target : the_target, ptx ? ptx_triple : the_triple,
                                   cpu, features, cg, LLVMRelocPIC, LLVMCodeModelSmall);
    if (!ptx)
        shim_align_loops(m.tm);
    return m;
}

static void
machine_free(Machine m)
{
    if (m.tm)
        LLVMDisposeTargetMachine(m.tm);
    free(m.cpu);
    free(m.features);
}

static void
machine_put(Machine m)
{
    pthread_mutex_lock(&pool_lock);
    for (int i = 0; i < SW_LEN(pool) && m.tm; i++)
        if (!pool[i].tm) {
            pool[i] = m;
            m = (Machine){0};
        }
    pthread_mutex_unlock(&pool_lock);
    machine_free(m);
}

/* ---- one emission
 * ------------------------------------------------------------------------------------ */

static bool
has_feature(const char *list, const char *name)
{
    const char *p = strstr(list, name);
    size_t n = strlen(name);
    for (; p; p = strstr(p + 1, name))
        if ((p[n] == ',' || !p[n]) && (p == list || p[-1] == ','))
            return true;
    return false;
}

static void
gen_types(Gen *g)
{
    g->i1 = LLVMInt1TypeInContext(g->c);
    g->i8 = LLVMInt8TypeInContext(g->c);
    g->i16 = LLVMInt16TypeInContext(g->c);
    g->i32 = LLVMInt32TypeInContext(g->c);
    g->i64 = LLVMInt64TypeInContext(g->c);
    g->half = LLVMHalfTypeInContext(g->c);
    g->f32 = LLVMFloatTypeInContext(g->c);
    g->f64 = LLVMDoubleTypeInContext(g->c);
    g->ptr = LLVMPointerTypeInContext(g->c, 0);
    g->none = LLVMVoidTypeInContext(g->c);
}

static LV
weights(Gen *g, int yes, int no)
{
    LLVMMetadataRef p[3] = {LLVMMDStringInContext2(g->c, "branch_weights", 14),
                            LLVMValueAsMetadata(k32(g, yes)),
                            LLVMValueAsMetadata(k32(g, no))};
    return LLVMMetadataAsValue(g->c, LLVMMDNodeInContext2(g->c, p, 3));
}

static unsigned
md_kind(Gen *g, const char *name)
{
    return LLVMGetMDKindIDInContext(g->c, name, (unsigned)strlen(name));
}

static void
gen_metadata(Gen *g)
{
    g->md_prof = md_kind(g, "prof");
    g->md_loop = md_kind(g, "llvm.loop");
    g->md_scope = md_kind(g, "alias.scope");
    g->md_noalias = md_kind(g, "noalias");
    g->md_group = md_kind(g, "llvm.access.group");
    g->md_invariant = md_kind(g, "invariant.load");
    g->md_range = md_kind(g, "range");
    g->likely = weights(g, 1 << 20, 1);
    g->rare = weights(g, 1, 1 << 10);
    g->empty = LLVMMetadataAsValue(g->c, LLVMMDNodeInContext2(g->c, NULL, 0));
}

static void
gen_begin(Gen *g, IrModule *m, LLVMTargetMachineRef tm, const char *features)
{
    g->m = m;
    g->cx = m->cx;
    g->opt = m->cx->opt ? *m->cx->opt : options_default();
    g->isa.sse41 = has_feature(features, "+sse4.1");
    g->isa.avx2fma = has_feature(features, "+avx2") && has_feature(features, "+fma");
    g->isa.avx512 = has_feature(features, "+avx512f") && g->isa.avx2fma;
    g->c = LLVMContextCreate();
    LLVMContextSetDiagnosticHandler(g->c, on_diagnostic, NULL);
    g->mod = LLVMModuleCreateWithNameInContext("swathe", g->c);
    g->b = LLVMCreateBuilderInContext(g->c);
    g->top = LLVMCreateBuilderInContext(g->c);
    g->ptx = g->opt.target == TARGET_PTX;
    g->sleef = !g->ptx && sleef_present();
    g->isa.avx2fma |= g->ptx; /* it has a fused multiply-add */
    LLVMSetTarget(g->mod, g->ptx ? ptx_triple : the_triple);
    LLVMTargetDataRef layout = LLVMCreateTargetDataLayout(tm);
    LLVMSetModuleDataLayout(g->mod, layout);
    LLVMDisposeTargetData(layout);
    gen_types(g);
    gen_metadata(g);
}

static void
gen_end(Gen *g)
{
    LLVMDisposeBuilder(g->b);
    LLVMDisposeBuilder(g->top);
    LLVMDisposeModule(g->mod);
    LLVMContextDispose(g->c);
}

static char *
module_text(Gen *g)
{
    char *s = LLVMPrintModuleToString(g->mod), *copy = strdup(s);
    LLVMDisposeMessage(s);
    return copy;
}

static char *
verify(Gen *g)
{
    char *err = NULL, *copy = NULL;
    if (LLVMVerifyModule(g->mod, LLVMReturnStatusAction, &err))
        copy = strdup(err);
    LLVMDisposeMessage(err);
    return copy;
}

/* Emits into memory that the caller frees; with_nul for text. */
static char *
machine_code(Gen *g, LLVMTargetMachineRef tm, LLVMCodeGenFileType kind, char **data,
             size_t *size)
{
    char *err = NULL;
    LLVMMemoryBufferRef buf = NULL;
    if (LLVMTargetMachineEmitToMemoryBuffer(tm, g->mod, kind, &err, &buf)) {
        char *copy = strdup(err ? err : "code generation failed");
        LLVMDisposeMessage(err);
        return copy;
    }
    *size = LLVMGetBufferSize(buf);
    *data = malloc(*size + 1);
    if (*data) {
        memcpy(*data, LLVMGetBufferStart(buf), *size);
        (*data)[*size] = 0;
    }
    LLVMDisposeMemoryBuffer(buf);
    return *data ? NULL : strdup("out of memory");
}

/* Code generation changes the module, so the assembly text is made from a copy. */
static char *
assembly(Gen *g, LLVMTargetMachineRef tm, char **text)
{
    size_t n;
    LLVMModuleRef whole = g->mod;
    g->mod = LLVMCloneModule(whole);
    char *err = machine_code(g, tm, LLVMAssemblyFile, text, &n);
    LLVMDisposeModule(g->mod);
    g->mod = whole;
    return err;
}

/* The caller looks at the flag, too, and takes no code. */
static bool
is_stopped(const Gen *g)
{
    const volatile int32_t *stop = g->cx->arena.stop;
    return stop && *stop;
}

static void
run_stages(Gen *g, LLVMTargetMachineRef tm, int texts, GenOutput *out)
{
    Trace *tr = &g->cx->trace;
    uint64_t t = trace_now();
    emit_module(g);
    if (g->ptx && (out->error = ptx_link(g)))
        return;
    trace_stage(tr, "gen: build", t);
    if (texts & GEN_TEXT_LLVM_RAW)
        out->text[0] = module_text(g);
    if (tr->check && (out->error = verify(g)))
        return;
    t = trace_now();
    if ((out->error = optimise(g, tm)))
        return;
    trace_stage(tr, "gen: optimise", t);
    if (is_stopped(g))
        return;
    if (texts & GEN_TEXT_LLVM)
        out->text[1] = module_text(g);
    if (texts & GEN_REMARKS)
        out->remarks = collect_remarks(g);
    if ((texts & GEN_TEXT_ASM) && (out->error = assembly(g, tm, &out->text[2])))
        return;
    t = trace_now();
    char *object = NULL;
    out->error = machine_code(g, tm, g->ptx ? LLVMAssemblyFile : LLVMObjectFile, &object, &out->object_size);
    out->object = object;
    trace_stage(tr, "gen: machine code", t);
}

typedef struct Job {
    IrModule *m;
    const char *cpu, *features;
    int level, texts;
    Machine machine;
    GenOutput *out;
} Job;

static void
run_job(Gen *g, Job *j)
{
    bool ptx = j->m->cx->opt && j->m->cx->opt->target == TARGET_PTX;
    j->machine = machine_get(j->cpu, j->features, j->level, ptx);
    if (ptx)
        shim_fast_math(j->machine.tm, j->m->cx->opt->fastmath == FM_ALL);
    gen_begin(g, j->m, j->machine.tm, j->features);
    /* names of values are for readers */
    if (!ptx && !(j->texts & (GEN_TEXT_LLVM_RAW | GEN_TEXT_LLVM | GEN_TEXT_ASM)))
        LLVMContextSetDiscardValueNames(g->c, 1);
    run_stages(g, j->machine.tm, j->texts, j->out);
    if (j->out->error)
        return; /* a bug of ours: the state of things is unknown, so nothing is taken
                   apart */
    gen_end(g);
    machine_put(j->machine);
}

static void
run_guarded(Gen *g, Job *j)
{
    jmp_buf here;
    fatal_exit = &here;
    fatal_memory = false;
    shim_stop(j->m->cx->arena.stop, on_stop);
    if (setjmp(here) == 0)
        run_job(g, j);
    else
        j->out->error = strdup(fatal_text);
    j->out->no_memory = fatal_memory;
    fatal_exit = NULL;
    shim_stop(NULL, NULL);
}

/* AMD's take longer than loads of the elements one by one. */
static bool
has_slow_gathers(const char *cpu)
{
    return strncmp(cpu, "znver", 5) == 0;
}

static void
find_few(IrBlock *b, IrStmt *s, void *arg)
{
    (void)b;
    *(bool *)arg |= s->few && s->independent && !s->cold;
}

/* Rows of a sparse matrix come from memory, one after the other, and wait for that; loads of
 * single elements, by as many instructions, keep the processor from seeing the stream. */
static bool
streams_rows(IrModule *m)
{
    bool any = false;
    for (int i = 0; i < m->funcs.n; i++)
        ir_walk_block(&m->funcs.at[i]->body, find_few, &any);
    return any && m->cx->opt && (m->cx->opt->fastmath & FM_REASSOC);
}

/* The names of the newest architecture that this LLVM knows and the device runs, and of the oldest
 * version of PTX that has it: the driver compiles what is older than itself. */
static void
ptx_machine(int arch, const char **cpu, const char **features)
{
    static const struct {
        int arch;
        const char *cpu, *features;
    } known[] = {{90, "sm_90", "+ptx78"}, {89, "sm_89", "+ptx78"}, {87, "sm_87", "+ptx74"},
                 {86, "sm_86", "+ptx71"}, {80, "sm_80", "+ptx70"}, {75, "sm_75", "+ptx63"},
                 {70, "sm_70", "+ptx63"}, {60, "sm_60", "+ptx63"}};
    int i = 0;
    while (i + 1 < SW_LEN(known) && known[i].arch > (arch ? arch : 75))
        i++;
    *cpu = known[i].cpu;
    *features = known[i].features;
}

static void
find_wide(IrBlock *b, IrStmt *s, void *arg)
{
    (void)b;
    *(bool *)arg |= s->wide && !s->cold;
}

/* What such loops wait for is memory, not the processor, and gathers and scatters have more
 * under way than loads and stores of elements one by one. */
static bool
waits_for_memory(IrModule *m, const char *features)
{
    bool any = false;
    for (int i = 0; i < m->funcs.n; i++)
        ir_walk_block(&m->funcs.at[i]->body, find_wide, &any);
    return any && has_feature(features, "+avx512f");
}

static void
emit(IrModule *m, const GenTarget *t, int texts, GenOutput *out)
{
    *out = (GenOutput){0};
    trace_clock(&m->cx->trace);
    if (backend_init()) {
        out->error = strdup("this LLVM has no target for the host");
        return;
    }
    bool ptx = m->cx->opt && m->cx->opt->target == TARGET_PTX;
    if (ptx)
        pthread_once(&ptx_once, init_ptx);
    if (ptx && !ptx_target) {
        out->error = strdup("this LLVM has no target for CUDA devices");
        return;
    }
    const char *cpu = t && t->cpu ? t->cpu : the_cpu;
    const char *features = t && t->features ? t->features
                           : t && t->cpu    ? ""
                                            : the_features;
    if (ptx)
        ptx_machine(m->cx->opt->arch, &cpu, &features);
    else if (has_slow_gathers(cpu) && !streams_rows(m) && !waits_for_memory(m, features))
        features = arena_printf(&m->cx->arena, "%s%s+prefer-no-gather,+prefer-no-scatter",
                                features, *features ? "," : "");
    Gen g = {0};
    Job j = {.m = m, .cpu = cpu, .features = features, .texts = texts, .out = out};
    j.level = m->cx->opt ? m->cx->opt->opt_level : 3;
    g.vector_bits = t ? t->vector_bits : 0;
    g.isa.halves = !ptx && !strcmp(cpu, "znver4");
    g.loop_lines = texts & GEN_REMARKS;
    run_guarded(&g, &j);
}

static const GenBackend backend = {
    .name = "llvm",
    .abi = GEN_ABI,
    .init = backend_init,
    .host_cpu = host_cpu,
    .host_features = host_features,
    .emit = emit,
};

SW_EXPORT const GenBackend *
swathe_llvm_backend(void)
{
    return &backend;
}
