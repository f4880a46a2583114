/* SPDX-License-Identifier: BSD-3-Clause
 * Everything that differs between processors is decided here: what GenTarget leaves open, LLVM's
 * target machines, and the Isa that the rest of this folder asks. A target machine is dear to make
 * and may serve one thread at a time, so a few are kept in a pool. */
#include "emit.h"
#include <llvm-c/Target.h>
#include <pthread.h>
#include <stdlib.h>

static void
init_ptx(void)
{
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
}

/* Initialised when somebody asks for it; init is NULL of what isn't linked. */
static struct {
    const char *name; /* that triples begin with */
    void (*init)(void);
    pthread_once_t once;
} arches[ARCH_COUNT] = {
    [ARCH_X86] = {"x86_64-", target_init_x86, PTHREAD_ONCE_INIT},
    [ARCH_ARM64] = {"aarch64-", target_init_aarch64, PTHREAD_ONCE_INIT},
    [ARCH_PTX] = {"nvptx64-", init_ptx, PTHREAD_ONCE_INIT},
};

static int
arch_of(const char *triple)
{
    for (int i = 0; i < ARCH_COUNT; i++)
        if (!strncmp(triple, arches[i].name, strlen(arches[i].name)))
            return i;
    return -1;
}

/* ---- what is asked for, with nothing left open ----------------------------------------------- */

static char *the_triple, *the_cpu, *the_features;

bool
target_init(void)
{
    the_triple = LLVMGetDefaultTargetTriple();
    the_cpu = LLVMGetHostCPUName();
    the_features = LLVMGetHostCPUFeatures();
    return arch_of(the_triple) >= 0;
}

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

/* AMD's take longer than loads of the elements one by one, and no prefetcher sees the stream that
 * sorted indices make. Only of places all over memory they have more under way at a time, by which
 * a quarter of the time is saved; of any others, and of each strided row in the same module, they
 * take twice to four times as long. */
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

bool
target_cpu(IrModule *m, const GenTarget *t, Target *to)
{
    bool host = !t->triple || !strcmp(t->triple, the_triple);
    *to = (Target){.triple = host ? the_triple : t->triple, .host = host};
    to->arch = arch_of(to->triple);
    to->cpu = t->cpu ? t->cpu : host ? the_cpu : "generic";
    to->features = t->features ? t->features : host && !t->cpu ? the_features : "";
    if (to->arch == ARCH_X86 && has_slow_gathers(to->cpu) && !streams_rows(m))
        to->features = arena_printf(&m->cx->arena, "%s%s+prefer-no-gather,+prefer-no-scatter",
                                    to->features, *to->features ? "," : "");
    return to->arch == ARCH_X86 || to->arch == ARCH_ARM64;
}

/* The names of the newest architecture that this LLVM knows and the device runs, and of the oldest
 * version of PTX that has it: the driver compiles what is older than itself. */
Target
target_ptx(int arch)
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
    return (Target){ARCH_PTX, "nvptx64-nvidia-cuda", known[i].cpu, known[i].features, false};
}

/* ---- what the code generator asks ------------------------------------------------------------ */

static Isa
isa_x86(const Target *t)
{
    bool avx2 = has_feature(t->features, "+avx2") && has_feature(t->features, "+fma");
    bool avx512 = avx2 && has_feature(t->features, "+avx512f"),
         sse41 = has_feature(t->features, "+sse4.1");
    return (Isa){
        .arch = ARCH_X86,
        .fma = avx2,
        .gathers = avx2 && !has_feature(t->features, "+prefer-no-gather"),
        .masks = avx512,
        .clears = has_feature(t->features, "+bmi2"),
        .halves = !strcmp(t->cpu, "znver4"),
        .sleef = {avx2    ? "avx2128"
                  : sse41 ? "sse4"
                          : "sse2",
                  avx2 ? "avx2" : NULL, avx512 ? "avx512f" : NULL},
        .to_int = {"llvm.x86.sse.cvttss2si64", "llvm.x86.sse2.cvttsd2si64"},
        .expand = avx512 ? "llvm.x86.avx512.mask.expand" : NULL,
        .compress = avx512 ? "llvm.x86.avx512.mask.compress" : NULL,
    };
}

/* SVE is left to LLVM's vectoriser: what we make vectors of ourselves has a fixed number of
 * lanes. */
Isa
target_isa(const Target *t)
{
    if (t->arch == ARCH_X86)
        return isa_x86(t);
    return t->arch == ARCH_ARM64 ? (Isa){.arch = ARCH_ARM64, .fma = true, .sleef = {"advsimd"}}
                                 : (Isa){.arch = ARCH_PTX, .fma = true};
}

/* ---- target machines ------------------------------------------------------------------------- */

static pthread_mutex_t pool_lock = PTHREAD_MUTEX_INITIALIZER;
static Machine pool[8];

static bool
serves(const Machine *m, const Target *t, int level)
{
    return m->tm && m->level == level && !strcmp(m->triple, t->triple) && !strcmp(m->cpu, t->cpu) &&
           !strcmp(m->features, t->features);
}

static Machine
machine_new(const Target *t, int level)
{
    char *err = NULL;
    LLVMTargetRef ref;
    Machine m = {NULL, strdup(t->triple), strdup(t->cpu), strdup(t->features), level};
    if (arches[t->arch].init)
        pthread_once(&arches[t->arch].once, arches[t->arch].init);
    if (!LLVMGetTargetFromTriple(t->triple, &ref, &err)) {
        LLVMCodeGenOptLevel cg = level >= 2   ? LLVMCodeGenLevelDefault
                                 : level == 1 ? LLVMCodeGenLevelLess
                                              : LLVMCodeGenLevelNone;
        m.tm = LLVMCreateTargetMachine(ref, t->triple, t->cpu, t->features, cg, LLVMRelocPIC,
                                       LLVMCodeModelSmall);
    }
    LLVMDisposeMessage(err);
    if (m.tm && t->arch == ARCH_X86)
        shim_align_loops(m.tm);
    return m;
}

Machine
machine_get(const Target *t, int level)
{
    Machine m = {0};
    pthread_mutex_lock(&pool_lock);
    for (int i = 0; i < SW_LEN(pool) && !m.tm; i++)
        if (serves(&pool[i], t, level)) {
            m = pool[i];
            pool[i] = (Machine){0};
        }
    pthread_mutex_unlock(&pool_lock);
    return m.tm ? m : machine_new(t, level);
}

void
machine_free(Machine m)
{
    if (m.tm)
        LLVMDisposeTargetMachine(m.tm);
    free(m.triple);
    free(m.cpu);
    free(m.features);
}

void
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
