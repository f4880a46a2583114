/* SPDX-License-Identifier: BSD-3-Clause
 * What the stand-ins for NVIDIA's libraries share. They have their functions' names and compute on
 * the CPU, naively, what the arguments say, in memory of the stand-in for the driver
 * (fake_cuda.c), which says what is alive: a handle is used in the context that it was made in and
 * with a stream of it, arrays lie inside one piece of memory, and work comes after what it needs.
 * A breach is the driver's. fake_vendor_fail lets the next call of a function fail. */
#ifndef FAKE_VENDOR_H
#define FAKE_VENDOR_H
#include <complex.h>
#include <dlfcn.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define API __attribute__((visibility("default")))
typedef double complex Z;
enum { MAGIC = 0x5eed, INVALID = 7, FREED = 0xdead };

typedef struct Handle {
    int magic;
    const void *context;
    void *stream;
} Handle;

static const void *(*driver_context)(void);
static int (*driver_stream)(void *), (*driver_span)(uint64_t, size_t);
static void (*driver_touch)(void *, uint64_t, int), (*driver_breach)(const char *);
static char fail_name[64];
static int fail_status;
static long alive, calls;

__attribute__((constructor)) static void
find_driver(void)
{
    const char *name = getenv("SWATHE_CUDA_LIB");
    void *lib = name ? dlopen(name, RTLD_LAZY) : NULL;
    *(void **)&driver_context = lib ? dlsym(lib, "fake_context") : NULL;
    if (!driver_context)
        return;
    *(void **)&driver_stream = dlsym(lib, "fake_stream");
    *(void **)&driver_span = dlsym(lib, "fake_span");
    *(void **)&driver_touch = dlsym(lib, "fake_touch");
    *(void **)&driver_breach = dlsym(lib, "fake_breach");
}

API void
fake_vendor_fail(const char *name, int status)
{
    snprintf(fail_name, sizeof fail_name, "%s", name);
    fail_status = status;
}

API long
fake_vendor_alive(void)
{
    return alive;
}

API long
fake_vendor_calls(void)
{
    return calls;
}

__attribute__((unused)) static void
breach(const char *fmt, ...)
{
    char text[512];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    driver_breach(text);
}

__attribute__((unused)) static int
fails(const char *name)
{
    calls++;
    if (strcmp(name, fail_name))
        return 0;
    fail_name[0] = 0;
    return fail_status;
}

/* A handle begins with a Handle. */
__attribute__((unused)) static int
make_handle(void *out, size_t bytes, const char *name)
{
    Handle *h = calloc(1, bytes);
    *h = (Handle){.magic = MAGIC, .context = driver_context()};
    if (!h->context)
        breach("%s without a context", name);
    *(Handle **)out = h;
    alive++;
    return 0;
}

__attribute__((unused)) static int
end_handle(Handle *h, const char *name)
{
    if (h->magic != MAGIC || h->context != driver_context())
        breach("%s of what is no handle here", name);
    h->magic = FREED;
    alive--;
    return 0;
}

__attribute__((unused)) static bool
is_handle(const Handle *h, const char *name)
{
    if (h->magic != MAGIC)
        breach("%s: no handle", name);
    else if (h->context != driver_context())
        breach("%s: another context is current", name);
    else
        return true;
    return false;
}

__attribute__((unused)) static int
set_stream(Handle *h, void *stream, const char *name)
{
    if (is_handle(h, name) && !driver_stream(stream))
        breach("%s: a stream that is none of this context", name);
    h->stream = stream;
    return 0;
}

/* So many bytes of a device's memory are read, or written. */
__attribute__((unused)) static void
touch(const Handle *h, const void *at, size_t bytes, bool writes, const char *name)
{
    if (!bytes)
        return;
    if (!driver_span((uint64_t)(uintptr_t)at, bytes))
        breach("%s: %zu bytes that lie in no piece of memory", name, bytes);
    else if (h->stream)
        driver_touch(h->stream, (uint64_t)(uintptr_t)at, writes);
    else
        breach("%s before a stream was set", name);
}

#define ENTER(h)                                                                                   \
    if (!is_handle((const Handle *)(h), __func__))                                                 \
        return INVALID;                                                                            \
    int failed = fails(__func__);                                                                  \
    if (failed)                                                                                    \
    return failed

/* ---- numbers of four types: s, d, c, z ---- */

__attribute__((unused)) static size_t
size_of(char t)
{
    return t == 's' ? 4 : t == 'z' ? 16 : 8;
}

__attribute__((unused)) static Z
load(char t, const void *p, int64_t i)
{
    switch (t) {
    case 's':
        return ((const float *)p)[i];
    case 'd':
        return ((const double *)p)[i];
    case 'c':
        return ((const float complex *)p)[i];
    default:
        return ((const Z *)p)[i];
    }
}

__attribute__((unused)) static void
store(char t, void *p, int64_t i, Z v)
{
    switch (t) {
    case 's':
        ((float *)p)[i] = (float)creal(v);
        break;
    case 'd':
        ((double *)p)[i] = creal(v);
        break;
    case 'c':
        ((float complex *)p)[i] = (float complex)v;
        break;
    default:
        ((Z *)p)[i] = v;
    }
}
#endif
