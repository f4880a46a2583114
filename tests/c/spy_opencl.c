/* SPDX-License-Identifier: BSD-3-Clause
 * Stands before an OpenCL library: counts the calls of each function, lets the n-th or the next of
 * one name fail, and knows how many objects are alive. What it doesn't define is found in the
 * library itself, with which it is linked. With SPY_NO_SVM the device says that it has no shared
 * virtual memory, with SPY_COARSE only the coarse kind. */
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef int32_t Result;
typedef void *Any;
enum { OUT_OF_HOST_MEMORY = -6, SVM_CAPABILITIES = 0x1053 };
#define WAITS uint32_t n_after, const Any *after, Any *done
#define WAIT n_after, after, done

static struct Counted {
    const char *name;
    long n;
} counted[64];
static int n_counted, alive, code = OUT_OF_HOST_MEMORY;
static long calls, fail_at;
static const char *failed = "";
static char fail_name[64];

/* ---- for the tests ---- */
long
spy_calls_of(const char *name)
{
    for (int i = 0; i < n_counted; i++)
        if (!strcmp(counted[i].name, name))
            return counted[i].n;
    return 0;
}

long
spy_calls(void)
{
    return calls;
}

int
spy_alive(void)
{
    return alive;
}

/* The n-th call from now fails, 0: none; with a name, the next call of it. */
void
spy_fail(long n, const char *name)
{
    fail_at = n ? calls + n : 0;
    strncpy(fail_name, name ? name : "", sizeof fail_name - 1);
    failed = "";
}

const char *
spy_failed(void)
{
    return failed;
}

/* ---- each call ---- */
static bool
fails(const char *name)
{
    int i = 0;
    while (i < n_counted && strcmp(counted[i].name, name))
        i++;
    counted[i].name = name;
    counted[i].n++;
    n_counted += i == n_counted;
    calls++;
    if (strcmp(name, fail_name) && calls != fail_at)
        return false;
    fail_name[0] = 0;
    failed = name;
    return true;
}

/* A function that yields an error; one that yields an object; one that ends an object. */
#define PLAIN(name, params, args)                                                                  \
    Result name params                                                                             \
    {                                                                                              \
        Result(*real) params;                                                                      \
        *(void **)&real = dlsym(RTLD_NEXT, #name);                                                 \
        return fails(#name) ? code : real args;                                                    \
    }
#define MAKE(name, params, args)                                                                   \
    Any name params                                                                                \
    {                                                                                              \
        Any(*real) params;                                                                         \
        *(void **)&real = dlsym(RTLD_NEXT, #name);                                                 \
        bool bad = fails(#name);                                                                   \
        if (bad && e)                                                                              \
            *e = code;                                                                             \
        Any made = bad ? NULL : real args;                                                         \
        alive += made != NULL;                                                                     \
        return made;                                                                               \
    }
#define END(name)                                                                                  \
    Result name(Any object)                                                                        \
    {                                                                                              \
        Result (*real)(Any);                                                                       \
        *(void **)&real = dlsym(RTLD_NEXT, #name);                                                 \
        alive--;                                                                                   \
        return real(object);                                                                       \
    }
#define QUEUED(name, params, args)                                                                 \
    Result name params                                                                             \
    {                                                                                              \
        Result(*real) params;                                                                      \
        *(void **)&real = dlsym(RTLD_NEXT, #name);                                                 \
        Result r = fails(#name) ? code : real args;                                                \
        alive += r == 0 && done;                                                                   \
        return r;                                                                                  \
    }

MAKE(clCreateContext,
     (const intptr_t *p, uint32_t n, const Any *d, Any notify, Any user, Result *e),
     (p, n, d, notify, user, e))
MAKE(clCreateCommandQueue, (Any c, Any d, uint64_t props, Result *e), (c, d, props, e))
MAKE(clCreateBuffer, (Any c, uint64_t flags, size_t n, Any host, Result *e), (c, flags, n, host, e))
MAKE(clCreateProgramWithSource,
     (Any c, uint32_t n, const char **text, const size_t *len, Result *e), (c, n, text, len, e))
MAKE(clCreateProgramWithBinary,
     (Any c, uint32_t n, const Any *d, const size_t *len, const unsigned char **bytes, Result *each,
      Result *e),
     (c, n, d, len, bytes, each, e))
MAKE(clCreateKernel, (Any p, const char *name, Result *e), (p, name, e))
END(clReleaseCommandQueue)
END(clReleaseMemObject)
END(clReleaseProgram)
END(clReleaseKernel)
END(clReleaseEvent)
PLAIN(clBuildProgram, (Any p, uint32_t n, const Any *d, const char *options, Any notify, Any user),
      (p, n, d, options, notify, user))
PLAIN(clGetKernelInfo, (Any k, uint32_t what, size_t n, Any out, size_t *size),
      (k, what, n, out, size))
PLAIN(clSetKernelArg, (Any k, uint32_t i, size_t n, const void *value), (k, i, n, value))
PLAIN(clSetKernelArgSVMPointer, (Any k, uint32_t i, const void *p), (k, i, p))
PLAIN(clFinish, (Any q), (q))
PLAIN(clFlush, (Any q), (q))
PLAIN(clWaitForEvents, (uint32_t n, const Any *events), (n, events))
PLAIN(clGetEventInfo, (Any ev, uint32_t what, size_t n, Any out, size_t *size),
      (ev, what, n, out, size))
PLAIN(clGetEventProfilingInfo, (Any ev, uint32_t what, size_t n, Any out, size_t *size),
      (ev, what, n, out, size))
QUEUED(clEnqueueMarkerWithWaitList, (Any q, WAITS), (q, WAIT))
QUEUED(clEnqueueBarrierWithWaitList, (Any q, WAITS), (q, WAIT))
QUEUED(clEnqueueReadBuffer, (Any q, Any m, uint32_t block, size_t at, size_t n, Any to, WAITS),
       (q, m, block, at, n, to, WAIT))
QUEUED(clEnqueueWriteBuffer,
       (Any q, Any m, uint32_t block, size_t at, size_t n, const void *from, WAITS),
       (q, m, block, at, n, from, WAIT))
QUEUED(clEnqueueCopyBuffer, (Any q, Any from, Any to, size_t f, size_t t, size_t n, WAITS),
       (q, from, to, f, t, n, WAIT))
QUEUED(clEnqueueFillBuffer,
       (Any q, Any m, const void *pattern, size_t pn, size_t at, size_t n, WAITS),
       (q, m, pattern, pn, at, n, WAIT))
QUEUED(clEnqueueNDRangeKernel,
       (Any q, Any k, uint32_t dims, const size_t *offset, const size_t *global,
        const size_t *local, WAITS),
       (q, k, dims, offset, global, local, WAIT))
QUEUED(clEnqueueSVMMemcpy, (Any q, uint32_t block, Any to, const void *from, size_t n, WAITS),
       (q, block, to, from, n, WAIT))
QUEUED(clEnqueueSVMMemFill, (Any q, Any to, const void *pattern, size_t pn, size_t n, WAITS),
       (q, to, pattern, pn, n, WAIT))

/* ---- shared virtual memory ---- */
Any
clSVMAlloc(Any c, uint64_t flags, size_t n, uint32_t align)
{
    Any (*real)(Any, uint64_t, size_t, uint32_t);
    *(void **)&real = dlsym(RTLD_NEXT, __func__);
    Any p = fails(__func__) ? NULL : real(c, flags, n, align);
    alive += p != NULL;
    return p;
}

void
clSVMFree(Any c, Any p)
{
    void (*real)(Any, Any);
    *(void **)&real = dlsym(RTLD_NEXT, __func__);
    alive--;
    real(c, p);
}

Result
clGetDeviceInfo(Any d, uint32_t what, size_t n, Any out, size_t *size)
{
    Result (*real)(Any, uint32_t, size_t, Any, size_t *);
    *(void **)&real = dlsym(RTLD_NEXT, __func__);
    Result r = real(d, what, n, out, size);
    if (what == SVM_CAPABILITIES && r == 0 && out && getenv("SPY_NO_SVM"))
        memset(out, 0, n < 8 ? n : 8);
    if (what == SVM_CAPABILITIES && r == 0 && out && getenv("SPY_COARSE"))
        *(uint64_t *)out = 1;
    return r;
}
