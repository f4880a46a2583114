/* SPDX-License-Identifier: BSD-3-Clause
 * Modules, kernels and launches. PTX is compiled by the driver's linker, which gives the device's
 * own code back for the disk cache; what its compiler says goes into the error. A launch that asks
 * for more than the kernel can have is refused here, with what there is; the driver would only say
 * that a value is wrong. */
#include "dev/cuda/cu.h"

#include <stdio.h>
#include <stdlib.h>

enum { LOG_BYTES = 8192, MAX_OPTIONS = 8, JIT_PTX = 1, DYNAMIC_SHARED = 8, STACK_SIZE = 0 };
enum { JIT_REGISTERS = 0, JIT_LOG = 5, JIT_LOG_BYTES = 6, JIT_LEVEL = 7, JIT_LINES = 13 };

typedef struct Jit {
    int what[MAX_OPTIONS];
    void *value[MAX_OPTIONS];
    unsigned n;
    const char *links; /* lines "link=KIND:HASH:PATH": what else goes into the module */
    char log[LOG_BYTES];
} Jit;

static void
option(Jit *j, int what, uintptr_t value)
{
    j->what[j->n] = what;
    j->value[j->n++] = (void *)value;
}

/* "max_registers=N", "lineinfo", "opt_level=N", apart by blanks; then a line for each file that is
 * linked. */
static bool
read_options(Jit *j, const char *s, DevError *e)
{
    option(j, JIT_LOG, (uintptr_t)j->log);
    option(j, JIT_LOG_BYTES, sizeof j->log);
    while (s && *(s += strspn(s, " ")) && *s != '\n') {
        int n = (int)strcspn(s, " \n");
        unsigned v = 0;
        if (j->n == MAX_OPTIONS)
            return dev_fail(e, DEV_ARGUMENT, 0, "CUDA: too many options");
        if (sscanf(s, "max_registers=%u", &v) == 1)
            option(j, JIT_REGISTERS, v);
        else if (sscanf(s, "opt_level=%u", &v) == 1)
            option(j, JIT_LEVEL, v);
        else if (n == 8 && !strncmp(s, "lineinfo", 8))
            option(j, JIT_LINES, 1);
        else
            return dev_fail(e, DEV_ARGUMENT, 0, "CUDA: there is no option '%.*s'", n, s);
        s += n;
    }
    j->links = s && *s ? s : NULL;
    return true;
}

/* Like cu_ok, with what the compiler said. */
static bool
built(DevDevice *d, const Jit *j, CuResult r, const char *call, DevError *e)
{
    if (cu_ok(d, r, call, e))
        return true;
    if (j->log[0]) {
        size_t n = strlen(e->text);
        snprintf(e->text + n, sizeof e->text - n, "\n%s", j->log);
        if (e->status == DEV_DRIVER)
            e->status = DEV_BUILD;
    }
    return false;
}

static bool
load(DevModule *m, Jit *j, const void *image, DevError *e)
{
    DevDevice *d = m->dev;
    CuResult r = d->cu->ModuleLoadDataEx(&m->module, image, j->n, j->what, j->value);
    return built(d, j, r, "ModuleLoadDataEx", e);
}

/* ---- what is linked -------------------------------------------------------------------------- */

/* The whole file, and a NUL behind it: PTX is text. */
static char *
read_file(const char *path, size_t *n, DevError *e)
{
    FILE *f = fopen(path, "rb");
    long size = f && fseek(f, 0, SEEK_END) == 0 ? ftell(f) : -1;
    char *data = size >= 0 ? malloc((size_t)size + 1) : NULL;
    bool ok = data && fseek(f, 0, SEEK_SET) == 0 && fread(data, 1, (size_t)size, f) == (size_t)size;
    if (f)
        fclose(f);
    if (!ok) {
        free(data);
        dev_fail(e, DEV_ARGUMENT, 0, "CUDA: '%s', which is to be linked, can't be read", path);
        return NULL;
    }
    data[size] = 0;
    *n = (size_t)size;
    return data;
}

static bool
link_one(DevDevice *d, const Jit *j, cu_link l, const char *line, int length, DevError *e)
{
    char path[4096];
    int kind, at = 0;
    size_t n;
    if (sscanf(line, "link=%d:%*[^:]:%n", &kind, &at) != 1 || !at ||
        length - at >= (int)sizeof path)
        return dev_fail(e, DEV_ARGUMENT, 0, "CUDA: there is no option '%.*s'", length, line);
    snprintf(path, sizeof path, "%.*s", length - at, line + at);
    char *data = read_file(path, &n, e);
    if (!data)
        return false;
    CuResult r = d->cu->LinkAddData(l, kind, data, n + (kind == JIT_PTX), path, 0, NULL, NULL);
    free(data);
    return built(d, j, r, "LinkAddData", e);
}

static bool
link_all(DevDevice *d, const Jit *j, cu_link l, DevError *e)
{
    for (const char *s = j->links; s && *s;) {
        s += strspn(s, "\n");
        int n = (int)strcspn(s, "\n");
        if (n && !link_one(d, j, l, s, n, e))
            return false;
        s += n;
    }
    return true;
}

/* The code that the linker makes belongs to it: it is loaded, and copied, before that ends. */
static bool
build(DevModule *m, Jit *j, const void *ptx, size_t n, void **binary, size_t *size, DevError *e)
{
    DevDevice *d = m->dev;
    const Cu *cu = d->cu;
    cu_link l = NULL;
    void *cubin = NULL;
    size_t bytes = 0;
    if (!built(d, j, cu->LinkCreate(j->n, j->what, j->value, &l), "LinkCreate", e))
        return false;
    CuResult r = cu->LinkAddData(l, JIT_PTX, ptx, n + 1, "swathe", 0, NULL, NULL);
    Jit plain = {.n = 0};
    bool ok = built(d, j, r, "LinkAddData", e) && link_all(d, j, l, e) &&
              built(d, j, cu->LinkComplete(l, &cubin, &bytes), "LinkComplete", e) &&
              load(m, &plain, cubin, e);
    if (ok && binary && (*binary = malloc(bytes)) != NULL) {
        memcpy(*binary, cubin, bytes);
        *size = bytes;
    }
    cu->LinkDestroy(l);
    return ok;
}

DevModule *
cuda_module(DevDevice *d, const void *code, size_t n, bool text, const char *options, void **binary,
            size_t *binary_size, DevError *e)
{
    Jit *j = calloc(1, sizeof *j);
    DevModule *m = calloc(1, sizeof *m);
    if (binary)
        *binary = NULL;
    if (!j || !m) {
        free(j);
        free(m);
        dev_fail(e, DEV_MEMORY, 0, "out of memory");
        return NULL;
    }
    m->dev = d;
    bool ok = read_options(j, options, e) && cu_enter(d, e);
    if (ok) {
        ok = text ? build(m, j, code, n, binary, binary_size, e) : load(m, j, code, e);
        cu_leave(d);
    }
    free(j);
    if (ok)
        return m;
    free(m);
    return NULL;
}

/* The driver waits for what still runs of it. */
void
cuda_module_free(DevModule *m)
{
    DevError e;
    for (DevKernel *k = m->kernels, *next; k; k = next) {
        next = k->next;
        pthread_mutex_destroy(&k->lock);
        free(k);
    }
    if (cu_enter(m->dev, &e)) {
        m->dev->cu->ModuleUnload(m->module);
        cu_leave(m->dev);
    }
    free(m);
}

/* ---- kernels --------------------------------------------------------------------------------- */

static DevKernel *
new_kernel(DevModule *m, const char *name, DevError *e)
{
    DevDevice *d = m->dev;
    DevKernel *k = calloc(1, sizeof *k);
    if (!k) {
        dev_fail(e, DEV_MEMORY, 0, "out of memory");
        return NULL;
    }
    k->module = m;
    snprintf(k->name, sizeof k->name, "%s", name);
    if (!cu_ok(d, d->cu->ModuleGetFunction(&k->function, m->module, name), "ModuleGetFunction",
               e)) {
        size_t n = strlen(e->text);
        snprintf(e->text + n, sizeof e->text - n, " ('%s')", name);
        free(k);
        return NULL;
    }
    pthread_mutex_init(&k->lock, NULL);
    k->next = m->kernels;
    m->kernels = k;
    return k;
}

DevKernel *
cuda_kernel(DevModule *m, const char *name, DevError *e)
{
    DevDevice *d = m->dev;
    if (!cu_enter(d, e))
        return NULL;
    pthread_mutex_lock(&d->lock);
    DevKernel *k = m->kernels;
    while (k && strcmp(k->name, name))
        k = k->next;
    if (!k)
        k = new_kernel(m, name, e);
    pthread_mutex_unlock(&d->lock);
    cu_leave(d);
    return k;
}

static bool
attributes(DevKernel *k, DevKernelInfo *info, DevError *e)
{
    DevDevice *d = k->module->dev;
    int64_t *const out[] = {&info->max_threads, &info->shared_bytes, NULL, &info->local_bytes,
                            &info->registers};
    for (int i = 0; i < SW_LEN(out); i++) {
        int v = 0;
        if (out[i] && !cu_ok(d, d->cu->FuncGetAttribute(&v, i, k->function), "FuncGetAttribute", e))
            return false;
        if (out[i])
            *out[i] = v;
    }
    info->simd = d->props.warp;
    return true;
}

bool
cuda_kernel_info(DevKernel *k, DevKernelInfo *info, DevError *e)
{
    *info = (DevKernelInfo){0};
    if (!cu_enter(k->module->dev, e))
        return false;
    bool ok = attributes(k, info, e);
    cu_leave(k->module->dev);
    return ok;
}

/* ---- launches -------------------------------------------------------------------------------- */

static bool
fits(const DevDevice *d, const DevLaunch *l, DevError *e)
{
    static const char axis[] = "xyz";
    for (int i = 0; i < 3; i++) {
        if (l->block[i] < 1 || l->block[i] > d->props.max_block[i])
            return dev_fail(e, DEV_LIMIT, 0,
                            "%lld threads of a block along %c, where 1 to %lld fit",
                            (long long)l->block[i], axis[i], (long long)d->props.max_block[i]);
        if (l->grid[i] < 1 || l->grid[i] > d->props.max_grid[i])
            return dev_fail(e, DEV_LIMIT, 0, "%lld blocks along %c, where 1 to %lld fit",
                            (long long)l->grid[i], axis[i], (long long)d->props.max_grid[i]);
    }
    if (l->cooperative && !d->props.cooperative)
        return dev_fail(e, DEV_LIMIT, 0, "the device has no barrier over the grid");
    return true;
}

/* Beyond what every kernel may have, shared memory is asked for, once for each size that is
 * larger. */
static bool
allow_shared(DevKernel *k, const DevLaunch *l, const DevKernelInfo *has, DevError *e)
{
    DevDevice *d = k->module->dev;
    int64_t most = d->shared_most - has->shared_bytes;
    if (l->shared < 0 || l->shared > most)
        return dev_fail(e, DEV_LIMIT, 0, "%lld bytes of shared memory, where %lld are left",
                        (long long)l->shared, (long long)most);
    if (l->shared + has->shared_bytes <= d->props.shared_bytes || l->shared <= k->dynamic)
        return true;
    if (!cu_ok(d, d->cu->FuncSetAttribute(k->function, DYNAMIC_SHARED, (int)l->shared),
               "FuncSetAttribute", e))
        return false;
    k->dynamic = l->shared;
    return true;
}

/* The context has one size for all kernels; it only grows. */
static bool
allow_stack(DevDevice *d, int64_t bytes, DevError *e)
{
    if (!bytes)
        return true;
    pthread_mutex_lock(&d->lock);
    bool ok = d->stack || cu_ok(d, d->cu->CtxGetLimit(&d->stack, STACK_SIZE), "CtxGetLimit", e);
    if (ok && (size_t)bytes > d->stack) {
        ok = cu_ok(d, d->cu->CtxSetLimit(STACK_SIZE, (size_t)bytes), "CtxSetLimit", e);
        if (ok)
            d->stack = (size_t)bytes;
        else
            snprintf(e->text + strlen(e->text), sizeof e->text - strlen(e->text),
                     " (a stack of %lld bytes for each thread)", (long long)bytes);
    }
    pthread_mutex_unlock(&d->lock);
    return ok;
}

static bool
prepare(DevKernel *k, const DevLaunch *l, DevError *e)
{
    int64_t threads = l->block[0] * l->block[1] * l->block[2];
    pthread_mutex_lock(&k->lock);
    bool ok = k->asked || (k->asked = attributes(k, &k->has, e));
    if (ok && threads > k->has.max_threads)
        ok = dev_fail(e, DEV_LIMIT, 0, "%lld threads of a block, where %lld of this kernel fit",
                      (long long)threads, (long long)k->has.max_threads);
    ok = ok && allow_shared(k, l, &k->has, e);
    pthread_mutex_unlock(&k->lock);
    return ok && allow_stack(k->module->dev, l->stack, e);
}

/* The values, and where they are. */
static bool
pack(DevQueue *q, const DevLaunch *l, uint64_t *values, void **at, DevError *e)
{
    for (int i = 0; i < l->n_args; i++) {
        const DevArg *a = &l->args[i];
        at[i] = &values[i];
        if (a->kind == DEV_ARG_VALUE) {
            values[i] = a->value;
            continue;
        }
        if (a->mem && a->mem->dev != q->dev)
            return dev_fail(e, DEV_ARGUMENT, 0, "argument %d is memory of another device", i);
        values[i] = a->mem ? a->mem->block->address + (uint64_t)a->offset : 0;
        if (a->mem)
            cu_use(q, a->mem);
    }
    return true;
}

static CuResult
start(DevQueue *q, DevKernel *k, const DevLaunch *l, void **at)
{
    const Cu *cu = q->dev->cu;
    unsigned g[3], b[3], shared = (unsigned)l->shared;
    for (int i = 0; i < 3; i++) {
        g[i] = (unsigned)l->grid[i];
        b[i] = (unsigned)l->block[i];
    }
    return l->cooperative ? cu->LaunchCooperative(k->function, g[0], g[1], g[2], b[0], b[1], b[2],
                                                  shared, q->stream, at)
                          : cu->LaunchKernel(k->function, g[0], g[1], g[2], b[0], b[1], b[2],
                                             shared, q->stream, at, NULL);
}

bool
cuda_launch(DevQueue *q, DevKernel *k, const DevLaunch *l, const DevWhen *w, DevError *e)
{
    DevDevice *d = q->dev;
    uint64_t few[64], *values = few;
    void *few_at[64], **at = few_at, *many = NULL;
    if (k->module->dev != d)
        return dev_fail(e, DEV_ARGUMENT, 0, "the kernel is of another device than the queue");
    if (l->n_args > SW_LEN(few)) {
        if (!(many = malloc((size_t)l->n_args * (sizeof *values + sizeof *at))))
            return dev_fail(e, DEV_MEMORY, 0, "out of memory");
        values = many;
        at = (void **)(values + l->n_args);
    }
    bool in = fits(d, l, e) && cu_enter(d, e);
    if (in) {
        DevEvent *ev = NULL;
        bool ok = prepare(k, l, e) && cu_begin(q, w, &ev, e) && pack(q, l, values, at, e);
        ok = ok && cu_ok(d, start(q, k, l, at),
                         l->cooperative ? "LaunchCooperativeKernel" : "LaunchKernel", e);
        in = cu_end(q, w, ev, ok, e);
        cu_leave(d);
    }
    free(many);
    return in;
}
