/* SPDX-License-Identifier: BSD-3-Clause
 * A library with the names of CUDA's driver and no device: memory is the host's, copies and fills
 * happen at once, a kernel only has its arguments read. It checks what it is given: that the
 * context of the handle's device is current, that handles are alive, that bytes lie inside one
 * piece of memory, that a launch has as many arguments as the kernel in the PTX has parameters,
 * that work comes after what it needs (fake_order.h). A breach is printed and counted
 * (fake_breaches). fake_fail lets one call fail; fake_busy leaves work unfinished until someone
 * waits; what is alive is counted by kind (fake_alive). */
#include "fake_order.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef int Result;
enum {
    OK = 0,
    INVALID_VALUE = 1,
    NO_MEMORY = 2,
    NOT_FOUND = 500,
    NOT_READY = 600,
    INVALID_PTX = 218
};
enum { HANDLES = 4096, PARAMS = 80 };
typedef enum Kind {
    NONE,
    MEMORY,
    HOST,
    MANAGED,
    STREAM,
    EVENT,
    MODULE,
    FUNCTION,
    LINK,
    KINDS
} Kind;

typedef struct Handle {
    Kind kind;
    char *data; /* memory; a module's or linker's text; a function's name */
    size_t bytes;
    struct Handle *of;   /* a function's module; the stream that an event was recorded in */
    const void *context; /* what was current when it was made */
    Clock clock;         /* of streams and events */
    Touched touched;     /* of memory */
    bool pending, recorded;
    double ms; /* when an event was recorded */
    int n_params, param[PARAMS], dynamic;
} Handle;

static Handle handles[HANDLES];
static int breaches, busy, fail_code, fault_site;
static long calls, fail_at;
static size_t used, limit = (size_t)1 << 32;
static char last[65536];  /* the last launch */
static char linked[8192]; /* the last link: its options, then what was added */
static char *added;       /* what all of it says */
static size_t added_bytes;
static int others_waited, n_traced, no_pitches;
static size_t stack_limit = 1024;
static double now_ms = -1;
static pid_t started_by;
static const void *traced;
static const char *failed = "";
static char fail_name[64];
static struct Counted {
    const char *name;
    long n;
} counted[128];
static int n_counted;
static const char contexts[16]; /* of devices */
static _Thread_local int depth;
static _Thread_local const void *stack[16];
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void
breach(const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    fprintf(stderr, "fake_cuda: ");
    vfprintf(stderr, fmt, ap);
    fprintf(stderr, "\n");
    va_end(ap);
    breaches++;
}

/* ---- for the tests ---- */
int
fake_breaches(void)
{
    return breaches;
}

long
fake_calls(void)
{
    return calls;
}

/* "0=32 13=1 | 1 swathe | 2 /a/b.fatbin": options, then kinds and names. */
const char *
fake_linked(void)
{
    return linked;
}

/* The n-th call from now fails, 0: none. */
void
fake_fail(long n, int code)
{
    fail_at = n ? calls + n : 0;
    fail_code = code;
}

/* The next call of a function fails. */
void
fake_fail_of(const char *name, int code)
{
    strncpy(fail_name, name, sizeof fail_name - 1);
    fail_code = code;
}

/* The next launch leaves a fault: the n-th site of the kernel, from 1, in block (1, 0, 0) and
 * thread (3, 0, 0). */
void
fake_fault(int site)
{
    fault_site = site;
}

void
fake_busy(int on)
{
    busy = on;
}

void
fake_limit(size_t bytes)
{
    limit = bytes;
}

/* Copies of rows are refused, as for pitches that the driver doesn't take. */
void
fake_no_pitches(int on)
{
    no_pitches = on;
}

/* What the device's clock shows; until then, any two events are 1.5 ms apart. */
void
fake_time(double ms)
{
    now_ms = ms;
}

size_t
fake_stack(void)
{
    return stack_limit;
}

/* From now on, how often a stream is waited for as a whole. */
void
fake_trace(void *stream)
{
    traced = stream;
    n_traced = 0;
}

int
fake_traced(void)
{
    return n_traced;
}

/* How often work was told to come after that of a stream which is not made here. */
int
fake_others_waited(void)
{
    return others_waited;
}

/* How often a function was called. */
long
fake_calls_of(const char *name)
{
    for (int i = 0; i < n_counted; i++)
        if (!strcmp(counted[i].name, name))
            return counted[i].n;
    return 0;
}

/* The call that failed last. */
const char *
fake_failed(void)
{
    return failed;
}

int
fake_alive(int kind)
{
    int n = 0;
    for (int i = 0; i < HANDLES; i++)
        n += (int)handles[i].kind == kind;
    return n;
}

const char *
fake_launch(void)
{
    return last;
}

int
fake_depth(void)
{
    return depth;
}

/* ---- helpers ---- */
static void
unlock(const int *locked)
{
    (void)locked;
    pthread_mutex_unlock(&mutex);
}

static bool
fails(const char *call, bool needs_context)
{
    int i = 0;
    while (i < n_counted && strcmp(counted[i].name, call))
        i++;
    counted[i].name = call;
    counted[i].n++;
    n_counted += i == n_counted;
    calls++;
    if (needs_context && !depth)
        breach("%s without a context", call);
    if (strcmp(call, fail_name) && !(fail_at && calls == fail_at))
        return false;
    fail_name[0] = 0;
    failed = call;
    return true;
}

#define CALL(needs_context)                                                                        \
    __attribute__((cleanup(unlock))) int locked = pthread_mutex_lock(&mutex);                      \
    if (fails(__func__, needs_context))                                                            \
    return fail_code

static Handle *
make(Kind kind)
{
    for (int i = 0; i < HANDLES; i++)
        if (!handles[i].kind) {
            handles[i] = (Handle){.kind = kind, .context = depth ? stack[depth - 1] : NULL};
            return &handles[i];
        }
    breach("out of handles");
    abort();
}

static bool
alive(const void *h, Kind kind, const char *call)
{
    const Handle *p = h;
    bool ok = p >= handles && p < handles + HANDLES && p->kind == kind;
    if (!ok)
        breach("%s: not a handle of kind %d, or freed", call, (int)kind);
    else if (!depth || p->context != stack[depth - 1])
        breach("%s: the context of another device is current", call);
    return ok;
}

static Handle *
piece(uint64_t at, size_t n)
{
    for (int i = 0; i < HANDLES; i++) {
        Handle *h = &handles[i];
        uint64_t start = (uint64_t)(uintptr_t)h->data;
        if (h->kind >= MEMORY && h->kind <= MANAGED && at >= start && at + n <= start + h->bytes)
            return h;
    }
    return NULL;
}

static bool
inside(uint64_t at, size_t n, const char *call)
{
    Handle *h = piece(at, n);
    if (!h)
        breach("%s: %zu bytes that are not in one piece of memory", call, n);
    else if (!depth || h->context != stack[depth - 1])
        breach("%s: memory of another device", call);
    return h != NULL;
}

static void
touch(void *stream, uint64_t at, bool writes, const char *call)
{
    Handle *s = stream, *m = piece(at, 1);
    if (m && !order_touch(&s->clock, &m->touched, writes))
        breach("%s: memory that another stream has not done with", call);
}

static void
end(Handle *h)
{
    order_end(&h->clock);
    free(h->touched.used);
    *h = (Handle){0};
}

static Handle *
take(Kind kind, size_t n)
{
    if (n == 0 || n > limit || used > limit - n)
        return NULL;
    Handle *h = make(kind);
    h->data = malloc(n);
    h->bytes = n;
    used += n;
    memset(h->data, 0xA5, n);
    return h;
}

static Result
drop(uint64_t at, bool host)
{
    Handle *h = piece(at, 1);
    if (!h || (uint64_t)(uintptr_t)h->data != at || (h->kind == HOST) != host) {
        breach("memory freed that is not there");
        return INVALID_VALUE;
    }
    used -= h->bytes;
    free(h->data);
    end(h);
    return OK;
}

/* ---- errors, devices, contexts ---- */

/* A driver whose library waits for its threads when it is unloaded: in a child of fork there are
 * none. */
__attribute__((destructor)) static void
unload(void)
{
    while (started_by && started_by != getpid() && getenv("FAKE_CUDA_THREADS"))
        sleep(1);
}

Result
cuInit(unsigned flags)
{
    CALL(false);
    started_by = getpid();
    return flags ? INVALID_VALUE : OK;
}

Result
cuDriverGetVersion(int *v)
{
    CALL(false);
    const char *given = getenv("FAKE_CUDA_VERSION");
    *v = given ? atoi(given) : 12040;
    return OK;
}

Result
cuGetErrorName(Result r, const char **name)
{
    *name = r == NO_MEMORY       ? "CUDA_ERROR_OUT_OF_MEMORY"
            : r == 700           ? "CUDA_ERROR_ILLEGAL_ADDRESS"
            : r == INVALID_PTX   ? "CUDA_ERROR_INVALID_PTX"
            : r == NOT_FOUND     ? "CUDA_ERROR_NOT_FOUND"
            : r == INVALID_VALUE ? "CUDA_ERROR_INVALID_VALUE"
                                 : NULL;
    return *name ? OK : INVALID_VALUE;
}

Result
cuGetErrorString(Result r, const char **text)
{
    *text = r == NO_MEMORY ? "out of memory" : NULL;
    return *text ? OK : INVALID_VALUE;
}

Result
cuDeviceGetCount(int *n)
{
    CALL(false);
    const char *given = getenv("FAKE_CUDA_DEVICES");
    *n = given ? atoi(given) : 2;
    return OK;
}

Result
cuDeviceGet(int *d, int i)
{
    CALL(false);
    *d = i + 10;
    return OK;
}

Result
cuDeviceGetName(char *name, int n, int d)
{
    CALL(false);
    snprintf(name, (size_t)n, "Fake %d", d - 10);
    return OK;
}

Result
cuDeviceGetAttribute(int *v, int what, int d)
{
    static const int values[128] = {
        [1] = 1024,     [2] = 1024,  [3] = 1024,     [4] = 64,     [5] = 2147483647,
        [6] = 65535,    [7] = 65535, [8] = 49152,    [9] = 65536,  [10] = 32,
        [13] = 1500000, [16] = 8,    [38] = 1 << 20, [75] = 8,     [76] = 6,
        [83] = 1,       [89] = 1,    [95] = 1,       [97] = 101376};
    CALL(false);
    if (d < 10 || d > 20)
        breach("cuDeviceGetAttribute of no device");
    const char *arch = getenv("FAKE_CUDA_ARCH");
    *v = values[what & 127];
    if (arch && (what == 75 || what == 76))
        *v = what == 75 ? atoi(arch) / 10 : atoi(arch) % 10;
    return OK;
}

Result
cuDeviceTotalMem_v2(size_t *n, int d)
{
    CALL(false);
    (void)d;
    *n = limit;
    return OK;
}

Result
cuDevicePrimaryCtxRetain(const void **c, int d)
{
    CALL(false);
    *c = &contexts[d - 10];
    return OK;
}

Result
cuCtxPushCurrent_v2(const void *c)
{
    CALL(false);
    if ((const char *)c < contexts || (const char *)c >= contexts + 16 || depth == 16)
        breach("a context that is none");
    else
        stack[depth++] = c;
    return OK;
}

Result
cuCtxPopCurrent_v2(const void **c)
{
    *c = depth ? stack[depth - 1] : NULL;
    if (!depth)
        breach("a context popped that was not pushed");
    else
        depth--;
    return OK;
}

Result
cuCtxGetLimit(size_t *n, int what)
{
    CALL(true);
    *n = stack_limit;
    return what ? INVALID_VALUE : OK;
}

Result
cuCtxSetLimit(int what, size_t n)
{
    CALL(true);
    if (what || n > (512u << 10))
        return INVALID_VALUE;
    stack_limit = n;
    return OK;
}

/* ---- memory ---- */
Result
cuMemAlloc_v2(uint64_t *p, size_t n)
{
    CALL(true);
    Handle *h = take(MEMORY, n);
    *p = h ? (uint64_t)(uintptr_t)h->data : 0;
    return h ? OK : NO_MEMORY;
}

Result
cuMemFree_v2(uint64_t p)
{
    CALL(true);
    return drop(p, false);
}

Result
cuMemHostAlloc(void **p, size_t n, unsigned flags)
{
    CALL(true);
    (void)flags;
    Handle *h = take(HOST, n);
    *p = h ? h->data : NULL;
    return h ? OK : NO_MEMORY;
}

Result
cuMemFreeHost(void *p)
{
    CALL(true);
    return drop((uint64_t)(uintptr_t)p, true);
}

Result
cuMemHostGetDevicePointer_v2(uint64_t *p, void *host, unsigned flags)
{
    CALL(true);
    (void)flags;
    *p = (uint64_t)(uintptr_t)host;
    return inside(*p, 1, __func__) ? OK : INVALID_VALUE;
}

Result
cuMemAllocManaged(uint64_t *p, size_t n, unsigned flags)
{
    CALL(true);
    if (flags != 1)
        breach("cuMemAllocManaged with flags %u", flags);
    Handle *h = take(MANAGED, n);
    *p = h ? (uint64_t)(uintptr_t)h->data : 0;
    return h ? OK : NO_MEMORY;
}

Result
cuMemGetInfo_v2(size_t *free_bytes, size_t *total)
{
    CALL(true);
    *free_bytes = limit - used;
    *total = limit;
    return OK;
}

#include "fake_copy.h"

/* ---- streams and events ---- */

/* The default stream of all threads, and that of this one, which only others use: NULL, it is none
 * of them. */
static Handle *
default_stream(void *s)
{
    static Handle theirs[2];
    if ((uintptr_t)s > 2)
        return NULL;
    Handle *h = &theirs[(uintptr_t)s == 2];
    if (!h->kind) {
        h->kind = STREAM;
        order_new_stream(&h->clock);
    }
    return h;
}

/* For the tests: another library's work on memory, in whatever stream. */
void
fake_touch(void *stream, uint64_t at, int writes)
{
    Handle *s = default_stream(stream);
    touch(s ? s : stream, at, writes, "another library");
}

/* For the stand-ins of other libraries (fake_vendor.h): the context that is current, NULL: none; is
 * a stream alive and of it; do so many bytes lie in one piece of its memory; what is wrong. */
const void *
fake_context(void)
{
    return depth ? stack[depth - 1] : NULL;
}

int
fake_stream(void *s)
{
    const Handle *h = s;
    return h >= handles && h < handles + HANDLES && h->kind == STREAM &&
           h->context == fake_context();
}

int
fake_span(uint64_t at, size_t n)
{
    const Handle *h = piece(at, n);
    return h && h->context == fake_context();
}

void
fake_breach(const char *what)
{
    breach("%s", what);
}

/* All streams are waited for. */
void
fake_quiet(void)
{
    for (int i = 0; i < HANDLES; i++)
        if (handles[i].kind == STREAM)
            order_host_waits(&handles[i].clock);
    order_host_waits(&default_stream((void *)1)->clock);
    order_host_waits(&default_stream((void *)2)->clock);
}

Result
cuStreamCreate(void **s, unsigned flags)
{
    CALL(true);
    if (flags > 1)
        breach("cuStreamCreate with flags %u", flags);
    Handle *h = make(STREAM);
    order_new_stream(&h->clock);
    *s = h;
    return OK;
}

Result
cuStreamDestroy_v2(void *s)
{
    CALL(true);
    if (!alive(s, STREAM, __func__))
        return INVALID_VALUE;
    end(s);
    return OK;
}

Result
cuStreamSynchronize(void *s)
{
    CALL(true);
    if (!alive(s, STREAM, __func__))
        return INVALID_VALUE;
    for (int i = 0; i < HANDLES; i++)
        if (handles[i].kind == EVENT && handles[i].of == s)
            handles[i].pending = false;
    order_host_waits(&((Handle *)s)->clock);
    n_traced += s == traced;
    return OK;
}

Result
cuStreamWaitEvent(void *s, void *e, unsigned flags)
{
    CALL(true);
    (void)flags;
    Handle *to = default_stream(s);
    if ((!to && !alive(s, STREAM, __func__)) || !alive(e, EVENT, __func__))
        return INVALID_VALUE;
    if (!((Handle *)e)->recorded)
        breach("an event waited for that was not recorded");
    order_wait(&(to ? to : (Handle *)s)->clock, &((Handle *)e)->clock);
    return OK;
}

Result
cuEventCreate(void **e, unsigned flags)
{
    CALL(true);
    Handle *h = make(EVENT);
    h->dynamic = (int)flags;
    *e = h;
    return OK;
}

Result
cuEventDestroy_v2(void *e)
{
    CALL(true);
    if (!alive(e, EVENT, __func__))
        return INVALID_VALUE;
    end(e);
    return OK;
}

Result
cuEventRecord(void *e, void *s)
{
    CALL(true);
    Handle *theirs = default_stream(s);
    if (!alive(e, EVENT, __func__) || (!theirs && !alive(s, STREAM, __func__)))
        return INVALID_VALUE;
    Handle *h = e;
    h->of = theirs ? theirs : s;
    others_waited += theirs != NULL;
    order_record(&h->clock, &h->of->clock);
    h->recorded = true;
    h->pending = busy;
    h->ms = now_ms;
    return OK;
}

Result
cuEventQuery(void *e)
{
    CALL(true);
    if (!alive(e, EVENT, __func__))
        return INVALID_VALUE;
    if (((Handle *)e)->pending)
        return NOT_READY;
    order_host_waits(&((Handle *)e)->clock);
    return OK;
}

Result
cuEventSynchronize(void *e)
{
    CALL(true);
    if (!alive(e, EVENT, __func__))
        return INVALID_VALUE;
    ((Handle *)e)->pending = false;
    order_host_waits(&((Handle *)e)->clock);
    return OK;
}

Result
cuEventElapsedTime(float *ms, void *a, void *b)
{
    CALL(true);
    Handle *h[2] = {a, b};
    for (int i = 0; i < 2; i++) {
        if (!alive(h[i], EVENT, __func__))
            return INVALID_VALUE;
        if ((h[i]->dynamic & 2) || !h[i]->recorded) {
            breach("times of an event that has none");
            return INVALID_VALUE;
        }
        if (h[i]->pending)
            return NOT_READY;
    }
    *ms = now_ms < 0 ? 1.5f : (float)(h[1]->ms - h[0]->ms);
    return OK;
}

#include "fake_module.h"
