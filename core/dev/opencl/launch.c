/* SPDX-License-Identifier: BSD-3-Clause
 * Programs, kernels and launches of OpenCL. A kernel of ours has two parameters more than the
 * launch names: the dynamic shared memory and its size, which OpenCL wants as arguments. Limits
 * that are known are looked at before anything is put into the queue. */
#include "dev/opencl/cl.h"

#include <stdio.h>
#include <stdlib.h>

/* ---- programs -------------------------------------------------------------------------------- */

static bool
build_failed(DevModule *m, cl_int status, DevError *e)
{
    size_t n = 0;
    const Cl *cl = m->dev->cl;
    cl->GetProgramBuildInfo(m->program, m->dev->id, 0x1183, 0, NULL, &n);
    char *log = calloc(1, n + 1);
    if (log)
        cl->GetProgramBuildInfo(m->program, m->dev->id, 0x1183, n, log, NULL);
    dev_fail(e, DEV_BUILD, status, "%s does not compile the kernel:\n%s", m->dev->props.name,
             log ? log : "");
    free(log);
    return false;
}

static bool
make_program(DevModule *m, const void *code, size_t n, bool text, DevError *e)
{
    const Cl *cl = m->dev->cl;
    const char *source = code;
    const unsigned char *bytes = code;
    cl_int status = 0, each = 0;
    if (text)
        m->program = cl->CreateProgramWithSource(m->dev->context, 1, &source, &n, &status);
    else
        m->program = cl->CreateProgramWithBinary(m->dev->context, 1, &m->dev->id, &n, &bytes, &each,
                                                 &status);
    if (m->program && !each)
        return true;
    return cl_ok(status ? status
                 : each ? each
                        : -6,
                 text ? "CreateProgramWithSource" : "CreateProgramWithBinary", e);
}

/* Best effort: without one, the next process compiles again. */
static void
take_binary(DevModule *m, void **binary, size_t *size)
{
    size_t n = 0;
    unsigned char *p = NULL;
    const Cl *cl = m->dev->cl;
    if (!cl->GetProgramInfo(m->program, 0x1165, sizeof n, &n, NULL) && n)
        p = malloc(n);
    if (p && cl->GetProgramInfo(m->program, 0x1166, sizeof p, &p, NULL)) {
        free(p);
        p = NULL;
    }
    *binary = p;
    *size = p ? n : 0;
}

DevModule *
cl_module(DevDevice *d, const void *code, size_t n, bool text, const char *options, void **binary,
          size_t *binary_size, DevError *e)
{
    DevModule *m = calloc(1, sizeof *m);
    if (!m) {
        dev_fail(e, DEV_MEMORY, 0, "out of memory");
        return NULL;
    }
    m->dev = d;
    if (binary)
        *binary = NULL;
    bool ok = make_program(m, code, n, text, e);
    if (ok) {
        cl_int status =
            d->cl->BuildProgram(m->program, 1, &d->id, options ? options : "", NULL, NULL);
        ok = status == 0 || build_failed(m, status, e);
    }
    if (!ok) {
        cl_module_free(m);
        return NULL;
    }
    if (binary)
        take_binary(m, binary, binary_size);
    return m;
}

void
cl_module_free(DevModule *m)
{
    for (DevKernel *k = m->kernels, *next; k; k = next) {
        next = k->next;
        m->dev->cl->ReleaseKernel(k->k);
        pthread_mutex_destroy(&k->lock);
        free(k);
    }
    if (m->program)
        m->dev->cl->ReleaseProgram(m->program);
    free(m);
}

/* ---- kernels --------------------------------------------------------------------------------- */

static bool
read_info(DevKernel *k, DevError *e)
{
    const Cl *cl = k->dev->cl;
    size_t threads = 0, simd = 0;
    cl_ulong shared = 0, local = 0;
    cl->GetKernelWorkGroupInfo(k->k, k->dev->id, 0x11B0, sizeof threads, &threads, NULL);
    cl->GetKernelWorkGroupInfo(k->k, k->dev->id, 0x11B2, sizeof shared, &shared, NULL);
    cl->GetKernelWorkGroupInfo(k->k, k->dev->id, 0x11B3, sizeof simd, &simd, NULL);
    cl->GetKernelWorkGroupInfo(k->k, k->dev->id, 0x11B4, sizeof local, &local, NULL);
    cl_int status = cl->GetKernelInfo(k->k, 0x1191, sizeof k->n_params, &k->n_params, NULL);
    k->info = (DevKernelInfo){.max_threads = (int64_t)threads,
                              .shared_bytes = (int64_t)shared,
                              .local_bytes = (int64_t)local,
                              .simd = (int64_t)simd};
    return cl_ok(status, "GetKernelInfo", e);
}

static DevKernel *
new_kernel(DevModule *m, const char *name, DevError *e)
{
    cl_int status = 0;
    const Cl *cl = m->dev->cl;
    DevKernel *k = calloc(1, sizeof *k);
    if (!k) {
        dev_fail(e, DEV_MEMORY, 0, "out of memory");
        return NULL;
    }
    k->dev = m->dev;
    snprintf(k->name, sizeof k->name, "%s", name);
    k->k = cl->CreateKernel(m->program, name, &status);
    if (k->k && read_info(k, e)) {
        pthread_mutex_init(&k->lock, NULL);
        return k;
    }
    if (k->k)
        cl->ReleaseKernel(k->k);
    else
        cl_ok(status ? status : -6, "CreateKernel", e);
    free(k);
    return NULL;
}

DevKernel *
cl_kernel_get(DevModule *m, const char *name, DevError *e)
{
    pthread_mutex_lock(&m->dev->lock);
    DevKernel *k = m->kernels;
    while (k && strcmp(k->name, name))
        k = k->next;
    if (!k && (k = new_kernel(m, name, e))) {
        k->next = m->kernels;
        m->kernels = k;
    }
    pthread_mutex_unlock(&m->dev->lock);
    return k;
}

bool
cl_kernel_info(DevKernel *k, DevKernelInfo *info, DevError *e)
{
    (void)e;
    *info = k->info;
    return true;
}

/* ---- launch ---------------------------------------------------------------------------------- */

static bool
set_mem(DevKernel *k, cl_uint i, const DevArg *a, DevError *e)
{
    const Cl *cl = k->dev->cl;
    cl_mem none = NULL;
    if (a->mem && a->mem->dev != k->dev)
        return dev_fail(e, DEV_ARGUMENT, 0, "an argument is in memory of %s, the kernel runs on %s",
                        a->mem->dev->props.name, k->dev->props.name);
    if (a->mem && a->mem->svm)
        return cl_ok(cl->SetKernelArgSVMPointer(k->k, i, a->mem->svm), "SetKernelArgSVMPointer", e);
    return cl_ok(cl->SetKernelArg(k->k, i, sizeof none, a->mem ? &a->mem->buffer : &none),
                 "SetKernelArg", e);
}

static bool
set_args(DevKernel *k, const DevLaunch *l, DevError *e)
{
    const Cl *cl = k->dev->cl;
    cl_uint at = 0;
    for (int i = 0; i < l->n_args; i++) {
        const DevArg *a = &l->args[i];
        if (a->kind == DEV_ARG_MEM) {
            if (!set_mem(k, at++, a, e) ||
                !cl_ok(cl->SetKernelArg(k->k, at++, 8, &a->offset), "SetKernelArg", e))
                return false;
        } else if (!cl_ok(cl->SetKernelArg(k->k, at++, (size_t)a->bytes, &a->value), "SetKernelArg",
                          e)) {
            return false;
        }
    }
    if (at == k->n_params)
        return true;
    size_t dynamic = l->shared > 0 ? (size_t)l->shared : 8;
    return cl_ok(cl->SetKernelArg(k->k, at, dynamic, NULL), "SetKernelArg", e) &&
           cl_ok(cl->SetKernelArg(k->k, at + 1, 8, &l->shared), "SetKernelArg", e);
}

static bool
within_limits(const DevKernel *k, const DevLaunch *l, DevError *e)
{
    const DevProps *p = &k->dev->props;
    int64_t threads = l->block[0] * l->block[1] * l->block[2];
    int64_t most = k->info.max_threads ? k->info.max_threads : p->max_threads;
    for (int i = 0; i < 3; i++)
        if (l->block[i] > p->max_block[i])
            return dev_fail(e, DEV_LIMIT, 0, "%lld threads on axis %d of a block: %s takes %lld",
                            (long long)l->block[i], i, p->name, (long long)p->max_block[i]);
    if (threads > most)
        return dev_fail(e, DEV_LIMIT, 0, "a block of %lld threads: the kernel takes %lld on %s",
                        (long long)threads, (long long)most, p->name);
    if (l->shared + k->info.shared_bytes > p->shared_bytes)
        return dev_fail(e, DEV_LIMIT, 0, "%lld bytes of shared memory: %s has %lld for a block",
                        (long long)(l->shared + k->info.shared_bytes), p->name,
                        (long long)p->shared_bytes);
    if (l->cooperative)
        return dev_fail(e, DEV_LIMIT, 0, "OpenCL has no barrier over a whole grid");
    return true;
}

bool
cl_launch(DevQueue *q, DevKernel *k, const DevLaunch *l, const DevWhen *w, DevError *e)
{
    ClWhen c;
    size_t global[3], local[3];
    if (q->dev != k->dev)
        return dev_fail(e, DEV_ARGUMENT, 0, "the kernel is of %s, the queue of %s",
                        k->dev->props.name, q->dev->props.name);
    if (!within_limits(k, l, e) || !cl_when(&c, q, w, e))
        return false;
    for (int i = 0; i < 3; i++) {
        local[i] = (size_t)l->block[i];
        global[i] = (size_t)(l->grid[i] * l->block[i]);
    }
    pthread_mutex_lock(&k->lock);
    cl_int status = 0;
    bool mirror = cl_mirror_any(l),
         ok = set_args(k, l, e) && (!mirror || cl_mirror_before(&c, l, e));
    if (ok)
        status = q->dev->cl->EnqueueNDRangeKernel(q->q, k->k, 3, NULL, global, local,
                                                  mirror ? 0 : c.n, c.n && !mirror ? c.after : NULL,
                                                  mirror ? NULL : c.want);
    pthread_mutex_unlock(&k->lock);
    if (ok && mirror)
        return cl_ok(status, "EnqueueNDRangeKernel", e) && cl_mirror_after(&c, l, e);
    return ok && cl_then(&c, status, "EnqueueNDRangeKernel", e);
}
