/* SPDX-License-Identifier: BSD-3-Clause
 * Where code comes from: the library with LLVM, opened at the first cache miss, and what it will
 * make code for. A cache key needs both without opening it, so the libraries are told apart by size and
 * time, and the processor is asked itself (LLVM would take 5 ms to load to say the same). */
#include "gen/gen.h"
#include "rt/rt.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#if defined(__x86_64__)
#include <cpuid.h>
#elif defined(__aarch64__)
#include <sys/auxv.h>
#endif

/* ---- the library ------------------------------------------------------------------------- */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static const GenBackend *backend;

/* `name` in the folder of our own library; with `real`, in the folder of the file it links to. */
static bool
beside(const char *name, bool real, char *out, size_t n)
{
    Dl_info me;
    if (!dladdr((void *)(uintptr_t)backend_open, &me) || !me.dli_fname)
        return false;
    char *path = real ? realpath(me.dli_fname, NULL) : strdup(me.dli_fname);
    char *slash = path ? strrchr(path, '/') : NULL;
    int dir = slash ? (int)(slash - path) : 1;
    int len = path ? snprintf(out, n, "%.*s/%s", dir, slash ? path : ".", name) : -1;
    free(path);
    return len > 0 && len < (int)n;
}

static void *
open_lib(void)
{
    char path[4096];
    void *lib = NULL;
    for (int real = 0; real < 2 && !lib; real++)
        if (beside(BACKEND_LIB, real, path, sizeof path))
            lib = dlopen(path, RTLD_LAZY | RTLD_LOCAL);
    return lib;
}

/* The lock is held. Nothing is remembered of a failure: the next compilation tries again. */
static const GenBackend *
find_backend(const char **why)
{
    void *lib = open_lib();
    if (!lib) {
        *why = dlerror();
        return NULL;
    }
    GenEntry entry;
    *(void **)&entry = dlsym(lib, GEN_ENTRY_NAME);
    const GenBackend *be = entry ? entry() : NULL;
    if (be && be->abi == GEN_ABI && be->init() == 0)
        return be;
    *why = !be                  ? BACKEND_LIB " has no entry"
           : be->abi != GEN_ABI ? BACKEND_LIB " is of another version of swathe"
                                : "LLVM cannot make code for this machine";
    dlclose(lib);
    return NULL;
}

const GenBackend *
backend_open(Arena *a, char **err)
{
    char text[512];
    pthread_mutex_lock(&lock);
    const char *why = NULL;
    if (!backend)
        backend = find_backend(&why);
    const GenBackend *be = backend;
    if (!be)
        snprintf(text, sizeof text, "no compiler back end: %s", why ? why : BACKEND_LIB " is missing");
    pthread_mutex_unlock(&lock);
    if (!be)
        *err = arena_str(a, text);
    return be;
}

/* ---- what tells two builds and two processors apart ---------------------------------------- */

const char *
cpu_override(void)
{
    const char *s = getenv("SWATHE_CPU");
    return s && *s ? s : NULL;
}

/* Of the processor that code is made for; what is not known is taken to have AVX2. */
int
cpu_vector_bytes(void)
{
#ifdef __x86_64__
    __builtin_cpu_init();
    if (!cpu_override() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl"))
        return 64;
#endif
    return 32;
}

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
hash_build(Hash *h)
{
    char path[4096];
    Dl_info me;
    hash_str(h, SWATHE_VERSION);
    hash_u64(h, GEN_ABI);
    hash_file(h, dladdr((void *)(uintptr_t)backend_open, &me) ? me.dli_fname : NULL);
    hash_file(h, beside(BACKEND_LIB, false, path, sizeof path) ? path : NULL);
    hash_file(h, beside("libsleef.so.3", false, path, sizeof path) ? path : NULL);
}

#if defined(__x86_64__)
static uint64_t
enabled_state(void)
{
    uint32_t lo, hi;
    __asm__ volatile("xgetbv" : "=a"(lo), "=d"(hi) : "c"(0));
    return (uint64_t)hi << 32 | lo;
}

/* Model and features. Leaf 1's EBX names the core that we run on just now, so it stays out; the
 * brand stays out as well, as the code made does not depend on it. */
static void
hash_processor(Hash *h)
{
    static const uint32_t leaves[][2] = {{0, 0}, {1, 0}, {7, 0}, {7, 1}, {0x14, 0}, {0x80000001u, 0}};
    for (int i = 0; i < SW_LEN(leaves); i++) {
        uint32_t r[4] = {0};
        __get_cpuid_count(leaves[i][0], leaves[i][1], &r[0], &r[1], &r[2], &r[3]);
        if (leaves[i][0] == 1 || leaves[i][0] == 0x80000001u)
            r[1] = 0;
        if (leaves[i][0] == 1 && r[2] >> 27 & 1)
            hash_u64(h, enabled_state());
        hash_bytes(h, r, sizeof r);
    }
}
#elif defined(__aarch64__)
static void
hash_processor(Hash *h)
{
    uint64_t midr = 0;
    hash_u64(h, getauxval(AT_HWCAP));
    hash_u64(h, getauxval(AT_HWCAP2));
    if (getauxval(AT_HWCAP) & HWCAP_CPUID)
        __asm__("mrs %0, MIDR_EL1" : "=r"(midr));
    hash_u64(h, midr);
}
#else
#error "which processor is this?"
#endif

static pthread_once_t host_once = PTHREAD_ONCE_INIT;
static Hash host;

static void
hash_host(void)
{
    host = hash_init();
    hash_build(&host);
    hash_processor(&host);
}

void
backend_hash(Hash *h)
{
    pthread_once(&host_once, hash_host);
    hash_bytes(h, &host, sizeof host);
    hash_str(h, cpu_override());
}
