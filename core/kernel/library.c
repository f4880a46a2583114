/* SPDX-License-Identifier: BSD-3-Clause
 * libswathe_kernels.so: opened at the first question for one of its functions, and never closed. It
 * lies beside our own library, or beside the file that this is a link to. */
#include "kernel/kernel.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static SwMem *
alloc(size_t bytes)
{
    return dev_cpu()->alloc(dev_cpu(), bytes, false);
}

static KernelHost host = {.alloc = alloc, .run = dev_pool_run, .thread = dev_pool_number};
static const KernelLibrary *library;

static void *
open_beside(bool real)
{
    Dl_info me;
    char file[4096];
    if (!dladdr((void *)(uintptr_t)kernel_find, &me) || !me.dli_fname)
        return NULL;
    char *path = real ? realpath(me.dli_fname, NULL) : strdup(me.dli_fname);
    char *slash = path ? strrchr(path, '/') : NULL;
    if (slash)
        *slash = 0;
    int n = path ? snprintf(file, sizeof file, "%s/" KERNEL_LIBRARY, slash ? path : ".") : -1;
    free(path);
    return n > 0 && n < (int)sizeof file ? dlopen(file, RTLD_NOW | RTLD_LOCAL) : NULL;
}

static void
open_library(void)
{
    KernelEntry *entry = NULL;
    void *lib = open_beside(false);
    if (!lib)
        lib = open_beside(true);
    if (lib)
        *(void **)&entry = dlsym(lib, KERNEL_ENTRY_NAME);
    const KernelLibrary *l = entry ? entry(&host) : NULL;
    if (l && l->abi == KERNEL_ABI)
        library = l;
    else if (lib)
        dlclose(lib);
}

void *
kernel_draw_from(void *state)
{
    return library ? library->draw_from(state) : NULL;
}

static bool
is_wanted(const char *flag)
{
    const char *which = getenv(flag);
    return !which || strcmp(which, "own");
}

void
kernel_lend_sort(DType d, KernelSort *sort)
{
    if (is_wanted("SWATHE_SORT"))
        host.sort[d] = sort;
}

void
kernel_lend_fft(int which, KernelFft fft)
{
    if (is_wanted("SWATHE_FFT"))
        host.fft[which] = fft;
}

void
kernel_lend_text(int64_t (*text)(TextAsk *t))
{
    host.text = text;
}

static void
take_text(void *to, const char *text, size_t n)
{
    sb_addn(to, text, n);
}

void
kernel_noted(StrBuf *out, uint64_t number)
{
    if (library)
        library->noted((int64_t)number, take_text, out);
}

Kernel *
kernel_find(const KernelRow *row, int (*interrupted)(KernelCx *cx))
{
    pthread_mutex_lock(&lock);
    if (interrupted)
        host.interrupted = interrupted;
    if (!library) /* nothing is remembered of a failure */
        open_library();
    const KernelLibrary *l = library;
    pthread_mutex_unlock(&lock);
    return l ? l->of[row->id - BI_KERNELS] : NULL;
}
