/* SPDX-License-Identifier: BSD-3-Clause
 * What the library exports: an IR module goes in, a relocatable object or PTX comes out. The LLVM
 * context lives for one emission, so nothing piles up. */
#include "emit.h"
#include <llvm-c/Analysis.h>
#include <llvm-c/ErrorHandling.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_once_t init_once = PTHREAD_ONCE_INIT;
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
    shim_init();
    LLVMInstallFatalErrorHandler(on_fatal);
    shim_no_memory(on_no_memory);
    init_status = target_init() ? 0 : 1;
}

static int
backend_init(void)
{
    pthread_once(&init_once, init_llvm);
    return init_status;
}

/* ---- one emission ---------------------------------------------------------------------------- */

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
                            LLVMValueAsMetadata(k32(g, yes)), LLVMValueAsMetadata(k32(g, no))};
    return LLVMMetadataAsValue(g->c, LLVMMDNodeInContext2(g->c, p, 3));
}

static unsigned
md_kind(Gen *g, const char *name)
{
    return LLVMGetMDKindIDInContext(g->c, name, (unsigned)strlen(name));
}

/* A tag of TBAA for accesses of a kind of its own. */
static LV
memory_kind(Gen *g, LLVMMetadataRef root, const char *name)
{
    LLVMMetadataRef zero = LLVMValueAsMetadata(k64(g, 0));
    LLVMMetadataRef kind[3] = {LLVMMDStringInContext2(g->c, name, strlen(name)), root, zero};
    LLVMMetadataRef type = LLVMMDNodeInContext2(g->c, kind, 3), tag[3] = {type, type, zero};
    return LLVMMetadataAsValue(g->c, LLVMMDNodeInContext2(g->c, tag, 3));
}

static void
gen_metadata(Gen *g)
{
    LLVMMetadataRef name = LLVMMDStringInContext2(g->c, "swathe", 6),
                    root = LLVMMDNodeInContext2(g->c, &name, 1);
    g->md_prof = md_kind(g, "prof");
    g->md_loop = md_kind(g, "llvm.loop");
    g->md_scope = md_kind(g, "alias.scope");
    g->md_noalias = md_kind(g, "noalias");
    g->md_group = md_kind(g, "llvm.access.group");
    g->md_invariant = md_kind(g, "invariant.load");
    g->md_range = md_kind(g, "range");
    g->md_tbaa = md_kind(g, "tbaa");
    g->in_object = memory_kind(g, root, "object");
    g->in_array = memory_kind(g, root, "array");
    g->in_count = memory_kind(g, root, "count");
    g->likely = weights(g, 1 << 20, 1);
    g->rare = weights(g, 1, 1 << 10);
    g->empty = LLVMMetadataAsValue(g->c, LLVMMDNodeInContext2(g->c, NULL, 0));
}

static void
gen_begin(Gen *g, IrModule *m, LLVMTargetMachineRef tm, const Target *t)
{
    g->m = m;
    g->cx = m->cx;
    g->opt = g->whole = m->cx->opt ? *m->cx->opt : options_default();
    g->isa = target_isa(t);
    g->c = LLVMContextCreate();
    LLVMContextSetDiagnosticHandler(g->c, on_diagnostic, NULL);
    g->mod = LLVMModuleCreateWithNameInContext("swathe", g->c);
    g->b = LLVMCreateBuilderInContext(g->c);
    g->top = LLVMCreateBuilderInContext(g->c);
    g->ptx = t->arch == ARCH_PTX;
    g->sleef = g->isa.sleef[0] && (!t->host || sleef_present());
    LLVMSetTarget(g->mod, t->triple);
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

static char *
machine_code(Gen *g, LLVMTargetMachineRef tm, LLVMCodeGenFileType kind, char **data, size_t *size)
{
    return shim_emit(g->mod, tm, kind, g->ptx, data, size);
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
    out->error =
        machine_code(g, tm, g->ptx ? LLVMAssemblyFile : LLVMObjectFile, &object, &out->object_size);
    out->object = object;
    trace_stage(tr, "gen: machine code", t);
}

typedef struct Job {
    IrModule *m;
    const Target *to;
    int level, texts;
    Machine machine;
    GenOutput *out;
} Job;

static void
run_job(Gen *g, Job *j)
{
    bool ptx = j->to->arch == ARCH_PTX;
    j->machine = machine_get(j->to, j->level);
    if (!j->machine.tm) {
        j->out->error = strdup("LLVM makes no code for this target");
        machine_free(j->machine);
        return;
    }
    if (ptx)
        shim_fast_math(j->machine.tm, j->m->cx->opt->fastmath == FM_ALL);
    gen_begin(g, j->m, j->machine.tm, j->to);
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
    if (setjmp(here) == 0) {
        run_job(g, j);
    } else {
        shim_left();
        j->out->error = strdup(fatal_text);
    }
    j->out->no_memory = fatal_memory;
    fatal_exit = NULL;
    shim_stop(NULL, NULL);
}

static void
emit_for(IrModule *m, const Target *to, const GenTarget *t, int texts, GenOutput *out)
{
    Gen g = {0};
    Job j = {.m = m, .to = to, .texts = texts, .out = out};
    j.level = m->cx->opt ? m->cx->opt->opt_level : 3;
    g.vector_bits = t->vector_bits;
    g.loop_lines = texts & GEN_REMARKS;
    trace_clock(&m->cx->trace);
    run_guarded(&g, &j);
}

static void
emit_cpu(IrModule *m, const GenTarget *t, int texts, GenOutput *out)
{
    Target to;
    if (target_cpu(m, t, &to))
        emit_for(m, &to, t, texts, out);
    else
        out->error = strdup("no code is made for this kind of processor");
}

static void
emit_ptx(IrModule *m, const GenTarget *t, int texts, GenOutput *out)
{
    Target to = target_ptx(m->cx->opt->arch);
    emit_for(m, &to, t, texts, out);
}

SW_EXPORT const GenLibrary *
swathe_llvm_backend(void)
{
    static const GenLibrary library = {GEN_ABI, backend_init, emit_cpu, emit_ptx};
    return &library;
}
