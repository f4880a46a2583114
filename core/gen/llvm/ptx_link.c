/* SPDX-License-Identifier: BSD-3-Clause
 * What a kernel's module needs besides itself. Functions of rt.def come from our own bitcode
 * (device/runtime.c, device/complex.c). C's math functions come from NVIDIA's libdevice where that
 * is found: in SWATHE_LIBDEVICE, in a toolkit (CUDA_HOME, /usr/local/cuda), in the packages
 * that lie beside ours (nvidia/.../nvvm/libdevice); where it is not, from device/math.c. What is
 * left open then is an error, which names it. */
#define _GNU_SOURCE 1
#include "emit.h"
#include <dlfcn.h>
#include <glob.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* made by meson.build from device's bitcode; empty without clang */
extern const unsigned char device_runtime[], device_complex[], device_math[];
extern const size_t device_runtime_size, device_complex_size, device_math_size;

static pthread_once_t device_once = PTHREAD_ONCE_INIT;
static char *libdevice;
static size_t libdevice_size;

/* ---- finding libdevice -------------------------------------------------------------- */

static bool
read_libdevice(const char *path)
{
    FILE *f = fopen(path, "rb");
    long n = -1;
    if (!f)
        return false;
    if (fseek(f, 0, SEEK_END) == 0)
        n = ftell(f);
    rewind(f);
    if (n > 0 && (libdevice = malloc((size_t)n)) != NULL)
        libdevice_size = fread(libdevice, 1, (size_t)n, f);
    fclose(f);
    if (libdevice_size == 0 || (long)libdevice_size != n) {
        free(libdevice);
        libdevice = NULL;
        libdevice_size = 0;
    }
    return libdevice != NULL;
}

static bool
try_pattern(const char *folder, const char *rest)
{
    char pattern[4096];
    glob_t found = {0};
    bool ok = false;
    snprintf(pattern, sizeof pattern, "%s%s/libdevice*.bc", folder, rest);
    if (glob(pattern, 0, NULL, &found) == 0)
        for (size_t i = found.gl_pathc; i-- > 0 && !ok;)
            ok = read_libdevice(found.gl_pathv[i]);
    globfree(&found);
    return ok;
}

static void
find_libdevice(void)
{
    static const char *const homes[] = {"CUDA_HOME", "CUDA_PATH"};
    const char *given = getenv("SWATHE_LIBDEVICE");
    if (given) { /* empty: none */
        read_libdevice(given);
        return;
    }
    for (int i = 0; i < SW_LEN(homes); i++)
        if (getenv(homes[i]) && try_pattern(getenv(homes[i]), "/nvvm/libdevice"))
            return;
    Dl_info me;
    if (dladdr((void *)(uintptr_t)find_libdevice, &me) && me.dli_fname &&
        strrchr(me.dli_fname, '/')) {
        char dir[2048];
        snprintf(dir, sizeof dir, "%.*s/../nvidia/",
                 (int)(strrchr(me.dli_fname, '/') - me.dli_fname), me.dli_fname);
        if (try_pattern(dir, "*/nvvm/libdevice"))
            return;
    }
    if (!try_pattern("/usr/local/cuda", "/nvvm/libdevice"))
        try_pattern("/usr/local/cuda-*", "/nvvm/libdevice");
}

/* ---- names -------------------------------------------------------------------------- */

/* Less exact forms of libdevice, in float32: by the special function unit. */
static const char *
fast_form(const char *name)
{
    static const char *const has[] = {"sinf",  "cosf",   "tanf", "logf",
                                      "log2f", "log10f", "expf", "powf"};
    for (int i = 0; i < SW_LEN(has); i++)
        if (!strcmp(name, has[i]))
            return has[i];
    return NULL;
}

static const char *
libdevice_name(Gen *g, const char *name)
{
    const char *fast = g->opt.fastmath & FM_AFN ? fast_form(name) : NULL;
    return arena_printf(&g->cx->arena, fast ? "__nv_fast_%s" : "__nv_%s", name);
}

/* The driver's linker has it. */
static bool
is_linked(const Gen *g, const char *name)
{
    for (int i = 0; i < g->m->funcs.n; i++)
        if (g->m->funcs.at[i]->foreign &&
            !strcmp(ir_foreign_for_device(&g->cx->arena, g->m->funcs.at[i]), name))
            return true;
    return false;
}

static bool
is_open(const Gen *g, LV fn)
{
    size_t n;
    return LLVMIsDeclaration(fn) && !LLVMGetIntrinsicID(fn) && LLVMGetFirstUse(fn) &&
           !is_linked(g, LLVMGetValueName2(fn, &n));
}

static bool
is_c_math(const char *name)
{
    return strncmp(name, "sw_", 3) != 0 && strncmp(name, "__", 2) != 0 &&
           strcmp(name, "vprintf") != 0;
}

/* Gives C's math functions the names that libdevice has for them. */
static bool
rename_math(Gen *g)
{
    bool any = false;
    for (LV f = LLVMGetFirstFunction(g->mod); f; f = LLVMGetNextFunction(f)) {
        size_t n;
        const char *name = LLVMGetValueName2(f, &n);
        if (!is_open(g, f) || !is_c_math(name))
            continue;
        const char *to = libdevice_name(g, name);
        LLVMSetValueName2(f, to, strlen(to));
        any = true;
    }
    return any;
}

static void
report_open(Gen *g)
{
    for (LV f = LLVMGetFirstFunction(g->mod); f; f = LLVMGetNextFunction(f)) {
        size_t n;
        const char *name = LLVMGetValueName2(f, &n);
        if (is_open(g, f) && strcmp(name, "vprintf") && strcmp(name, "__nvvm_reflect"))
            diag_add(&g->cx->diags, DIAG_unsupported, g->m->funcs.at[0]->at,
                     "a kernel on a CUDA device cannot call '%s'%s", name,
                     device_runtime_size ? "" : " (this swathe was built without clang)");
    }
}

char *
ptx_link(Gen *g)
{
    pthread_once(&device_once, find_libdevice);
    char *err = NULL;
    if (device_runtime_size)
        err = shim_link(g->mod, (const char *)device_runtime, device_runtime_size);
    if (!err && device_complex_size)
        err = shim_link(g->mod, (const char *)device_complex, device_complex_size);
    if (!err && libdevice) {
        if (rename_math(g))
            err = shim_link(g->mod, libdevice, libdevice_size);
    } else if (!err && device_math_size) {
        err = shim_link(g->mod, (const char *)device_math, device_math_size);
    }
    if (!err)
        report_open(g);
    if (g->opt.fastmath == FM_ALL)
        ptx_fast_functions(g);
    if (g->opt.fastmath == FM_ALL)
        LLVMAddModuleFlag(g->mod, LLVMModuleFlagBehaviorOverride, "nvvm-reflect-ftz", 16,
                          LLVMValueAsMetadata(k32(g, 1)));
    return err;
}
