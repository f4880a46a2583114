/* SPDX-License-Identifier: BSD-3-Clause
 * The names that compiled code may use from outside: the runtime functions of rt.def, a handful
 * of C and compiler helpers, C's math functions, and SLEEF's vector functions. SLEEF's library is
 * opened once, when first asked for: the one beside our own library, else the system's. */
#include "gen/gen.h"
#include "ir/ir.h"
#include "kernel/kernel.h"
#include "rt/rt.h"

#include <dlfcn.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>

typedef struct Extern {
    const char *name;
    void *at;
} Extern;

/* What code generation may call for types that the processor has no instructions for. */
#define HELPERS(X)                                                                                 \
    X(__divti3)                                                                                    \
    X(__modti3) X(__udivti3) X(__umodti3) X(__extendhfsf2) X(__truncsfhf2) X(__truncdfhf2)
#define X(name) extern void name(void);
HELPERS(X)
#undef X

static const Extern known[] = {
#define RT(id, ret, params, traits) {#id, (void *)(uintptr_t)id},
#include "def/rt.def"
#undef RT
#define X(name) {#name, (void *)(uintptr_t)name},
    HELPERS(X)
#undef X
};

static pthread_once_t once = PTHREAD_ONCE_INIT, sleef_once = PTHREAD_ONCE_INIT;
static void *libm, *sleef;

static void
open_libm(void)
{
    libm = dlopen("libm.so.6", RTLD_LAZY | RTLD_LOCAL);
    if (!libm)
        libm = RTLD_DEFAULT;
}

static void
open_sleef(void)
{
    Dl_info me;
    const char *slash = NULL;
    char path[4096];
    if (dladdr((void *)(uintptr_t)open_sleef, &me) && me.dli_fname)
        slash = strrchr(me.dli_fname, '/');
    if (slash) {
        int dir = (int)(slash - me.dli_fname);
        int n = snprintf(path, sizeof path, "%.*s/libsleef.so.3", dir, me.dli_fname);
        if (n > 0 && n < (int)sizeof path)
            sleef = dlopen(path, RTLD_LAZY | RTLD_LOCAL);
    }
    if (!sleef)
        sleef = dlopen("libsleef.so.3", RTLD_LAZY | RTLD_LOCAL);
}

static int
interrupted(KernelCx *cx)
{
    return sw_interrupted((SwCtx *)(void *)cx);
}

static void *
find_kernel(const char *name)
{
    const KernelRow *row = kernel_named(name);
    return row ? (void *)(uintptr_t)kernel_find(row, interrupted) : NULL;
}

void
rt_lend_sort(DType d, int (*sort)(void *at, intptr_t n, void *))
{
    kernel_lend_sort(d, sort);
}

void
rt_lend_fft(int which, void (*loop)(char **, const intptr_t *, const intptr_t *, void *),
            void *data)
{
    _Static_assert(RT_FFT_LOOPS == (int)FFT_LOOPS, "of these");
    kernel_lend_fft(which, (KernelFft){loop, data});
}

void
rt_lend_text(int64_t (*text)(TextAsk *t))
{
    kernel_lend_text(text);
}

void *
rt_extern(const char *name)
{
    for (int i = 0; i < SW_LEN(known); i++)
        if (!strcmp(known[i].name, name))
            return known[i].at;
    if (!strncmp(name, RT_LINK_PREFIX, strlen(RT_LINK_PREFIX)))
        return rt_link_find(name);
    if (!strncmp(name, KERNEL_PREFIX, strlen(KERNEL_PREFIX)))
        return find_kernel(name + strlen(KERNEL_PREFIX));
    if (!strncmp(name, RT_LAYOUT_PREFIX, strlen(RT_LAYOUT_PREFIX)))
        return (void *)(uintptr_t)rt_layout(name + strlen(RT_LAYOUT_PREFIX));
    if (!strncmp(name, "Sleef_", 6)) {
        pthread_once(&sleef_once, open_sleef);
        return sleef ? dlsym(sleef, name) : NULL;
    }
    pthread_once(&once, open_libm);
    if (!strncmp(name, GEN_LIBM_PREFIX, strlen(GEN_LIBM_PREFIX)))
        name += strlen(GEN_LIBM_PREFIX);
    return dlsym(libm, name); /* libm depends on libc, so memcpy and its like are found too */
}
