/* SPDX-License-Identifier: BSD-3-Clause
 * libswathe_llvm.so: opened when something is emitted for the first time. A cache key tells
 * libraries apart by size and time, without opening them. */
#include "gen/gen.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#define LIBRARY "libswathe_llvm.so"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static const GenLibrary *library;
static const char *named = LIBRARY;

void
gen_use_library(const char *name)
{
    named = name;
}

bool
gen_beside(const char *name, bool real, char *out, size_t n)
{
    Dl_info me;
    if (!dladdr((void *)(uintptr_t)gen_use_library, &me) || !me.dli_fname)
        return false;
    char *path = real ? realpath(me.dli_fname, NULL) : strdup(me.dli_fname);
    char *slash = path ? strrchr(path, '/') : NULL;
    int dir = slash ? (int)(slash - path) : 1;
    int len = path ? snprintf(out, n, "%.*s/%s", dir, slash ? path : ".", name) : -1;
    free(path);
    return len > 0 && len < (int)n;
}

static void *
open_file(void)
{
    char path[4096];
    if (strchr(named, '/'))
        return dlopen(named, RTLD_LAZY | RTLD_LOCAL);
    void *lib = NULL;
    for (int real = 0; real < 2 && !lib; real++)
        if (gen_beside(named, real, path, sizeof path))
            lib = dlopen(path, RTLD_LAZY | RTLD_LOCAL);
    return lib;
}

/* The lock is held. Nothing is remembered of a failure: the next compilation tries again. */
static const GenLibrary *
find_library(const char **why)
{
    void *lib = open_file();
    if (!lib) {
        *why = dlerror();
        return NULL;
    }
    GenEntry entry;
    *(void **)&entry = dlsym(lib, GEN_ENTRY_NAME);
    const GenLibrary *l = entry ? entry() : NULL;
    if (l && l->abi == GEN_ABI && l->init() == 0)
        return l;
    *why = !l                  ? LIBRARY " has no entry"
           : l->abi != GEN_ABI ? LIBRARY " is of another version of swathe"
                               : "LLVM cannot make code for this machine";
    dlclose(lib);
    return NULL;
}

/* NULL: the diagnostics say why. */
static const GenLibrary *
open_library(Cx *cx)
{
    char text[512];
    uint64_t t = trace_now();
    pthread_mutex_lock(&lock);
    const char *why = NULL;
    if (!library)
        library = find_library(&why);
    const GenLibrary *l = library;
    if (!l)
        snprintf(text, sizeof text, "no compiler back end: %s", why ? why : LIBRARY " is missing");
    pthread_mutex_unlock(&lock);
    trace_stage(&cx->trace, "gen: open", t);
    if (!l) {
        Diag *g = diag_add(&cx->diags, DIAG_internal, (Span){0}, "%s", text);
        diag_hint(&cx->diags, g,
                  "install swathe again: " LIBRARY " belongs beside its extension module");
    }
    return l;
}

void
gen_cpu_emit(IrModule *m, const GenTarget *t, int texts, GenOutput *out)
{
    const GenLibrary *l = open_library(m->cx);
    if (l)
        l->cpu(m, t, texts, out);
}

void
gen_ptx_emit(IrModule *m, const GenTarget *t, int texts, GenOutput *out)
{
    const GenLibrary *l = open_library(m->cx);
    if (l)
        l->ptx(m, t, texts, out);
}

/* ---- what tells two builds apart: asked once for the process --------------------------------- */

static void
hash_file(Hash *h, const char *path)
{
    struct stat st = {0};
    if (!path || stat(path, &st) != 0)
        st = (struct stat){0};
    hash_u64(h, (uint64_t)st.st_size);
    hash_u64(h, (uint64_t)st.st_mtim.tv_sec);
    hash_u64(h, (uint64_t)st.st_mtim.tv_nsec);
}

static void
hash_beside(Hash *h, const char *name)
{
    char path[4096];
    hash_file(h, gen_beside(name, false, path, sizeof path) ? path : NULL);
}

static pthread_once_t once = PTHREAD_ONCE_INIT;
static struct {
    Hash build, ptx, cpu;
} keys;

static void
hash_all(void)
{
    Dl_info me;
    Hash h = hash_init();
    hash_str(&h, SWATHE_VERSION);
    hash_u64(&h, GEN_ABI);
    hash_file(&h, dladdr((void *)(uintptr_t)gen_use_library, &me) ? me.dli_fname : NULL);
    keys.build = h;
    hash_beside(&h, LIBRARY);
    keys.ptx = h;
    hash_beside(&h, "libsleef.so.3");
    gen_hash_processor(&h);
    keys.cpu = h;
}

void
gen_key_build(Hash *h)
{
    pthread_once(&once, hash_all);
    hash_bytes(h, &keys.build, sizeof keys.build);
}

void
gen_key_ptx(Hash *h)
{
    pthread_once(&once, hash_all);
    hash_bytes(h, &keys.ptx, sizeof keys.ptx);
}

void
gen_key_cpu(Hash *h)
{
    pthread_once(&once, hash_all);
    hash_bytes(h, &keys.cpu, sizeof keys.cpu);
    hash_str(h, gen_host_target().cpu);
}

/* Of code that a wheel may bring along, so that times of files say nothing. */
void
gen_key_unit(Hash *h, bool baseline)
{
    const char *cpu = gen_host_target().cpu;
    hash_str(h, swathe_build_id);
    if (baseline || (cpu && !strcmp(cpu, GEN_BASELINE)))
        hash_str(h, GEN_BASELINE);
    else
        gen_key_cpu(h);
}
