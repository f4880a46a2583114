/* SPDX-License-Identifier: BSD-3-Clause
 * A library with the names of CUDA's driver and no device: memory is the host's, copies and fills happen at once, a kernel
 * only has its arguments read. It checks what it is given: that a context is current, that handles are alive, that bytes
 * lie inside one piece of memory, that a launch has as many arguments as the kernel in the PTX has parameters. A
 * breach is printed and counted (fake_breaches). fake_fail lets one call fail; fake_busy leaves work unfinished
 * until someone waits; what is alive is counted by kind (fake_alive). */
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef int Result;
enum { OK = 0, INVALID_VALUE = 1, NO_MEMORY = 2, NOT_FOUND = 500, NOT_READY = 600, INVALID_PTX = 218 };
enum { HANDLES = 4096, PARAMS = 80 };
typedef enum Kind { NONE, MEMORY, HOST, MANAGED, STREAM, EVENT, MODULE, FUNCTION, LINK, KINDS } Kind;

typedef struct Handle {
    Kind kind;
    char *data;           /* memory; a module's or linker's text; a function's name */
    size_t bytes;
    struct Handle *of;    /* a function's module; the stream that an event was recorded in */
    bool pending, recorded;
    int n_params, param[PARAMS], dynamic;
} Handle;

static Handle handles[HANDLES];
static int breaches, depth, busy, fail_code;
static long calls, fail_at;
static size_t used, limit = (size_t)1 << 32;
static char last[65536];  /* the last launch */
static char linked[8192]; /* the last link: its options, then what was added */
static char *added;       /* what all of it says */
static size_t added_bytes;
static _Thread_local int initialised;
static const int context = 1;

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
#define CALL(needs_context)                                                                \
    do {                                                                                   \
        calls++;                                                                           \
        if ((needs_context) && !depth)                                                     \
            breach("%s without a context", __func__);                                      \
        if (fail_at && calls == fail_at)                                                   \
            return fail_code;                                                              \
    } while (0)

static Handle *
make(Kind kind)
{
    for (int i = 0; i < HANDLES; i++)
        if (!handles[i].kind) {
            handles[i] = (Handle){.kind = kind};
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
    if (!piece(at, n))
        breach("%s: %zu bytes that are not in one piece of memory", call, n);
    return piece(at, n) != NULL;
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
    *h = (Handle){0};
    return OK;
}

/* ---- errors, devices, contexts ---- */
Result
cuInit(unsigned flags)
{
    CALL(false);
    initialised = 1;
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
    *name = r == NO_MEMORY ? "CUDA_ERROR_OUT_OF_MEMORY" : r == 700 ? "CUDA_ERROR_ILLEGAL_ADDRESS"
            : r == INVALID_PTX ? "CUDA_ERROR_INVALID_PTX" : r == NOT_FOUND ? "CUDA_ERROR_NOT_FOUND"
            : r == INVALID_VALUE ? "CUDA_ERROR_INVALID_VALUE" : NULL;
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
    static const int values[128] = {[1] = 1024,   [2] = 1024,  [3] = 1024,  [4] = 64,
                                    [5] = 2147483647, [6] = 65535, [7] = 65535, [8] = 49152,
                                    [9] = 65536,  [10] = 32,   [13] = 1500000, [16] = 8,
                                    [38] = 1 << 20, [75] = 8,  [76] = 6,    [83] = 1,
                                    [89] = 1,     [95] = 1,    [97] = 101376};
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
    (void)d;
    *c = &context;
    return OK;
}

Result
cuCtxPushCurrent_v2(const void *c)
{
    CALL(false);
    if (c != &context)
        breach("a context that is none");
    depth++;
    return OK;
}

Result
cuCtxPopCurrent_v2(const void **c)
{
    *c = &context;
    if (depth-- <= 0)
        breach("a context popped that was not pushed");
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

Result
cuMemcpyHtoDAsync_v2(uint64_t to, const void *from, size_t n, void *s)
{
    CALL(true);
    if (!alive(s, STREAM, __func__) || !inside(to, n, __func__))
        return INVALID_VALUE;
    memcpy((void *)(uintptr_t)to, from, n);
    return OK;
}

Result
cuMemcpyDtoHAsync_v2(void *to, uint64_t from, size_t n, void *s)
{
    CALL(true);
    if (!alive(s, STREAM, __func__) || !inside(from, n, __func__))
        return INVALID_VALUE;
    memcpy(to, (void *)(uintptr_t)from, n);
    return OK;
}

Result
cuMemcpyDtoDAsync_v2(uint64_t to, uint64_t from, size_t n, void *s)
{
    CALL(true);
    if (!alive(s, STREAM, __func__) || !inside(to, n, __func__) || !inside(from, n, __func__))
        return INVALID_VALUE;
    memmove((void *)(uintptr_t)to, (void *)(uintptr_t)from, n);
    return OK;
}

/* Rows of `width` elements of `item` bytes, `pitch` apart. */
static Result
set(uint64_t to, size_t pitch, uint32_t v, size_t item, size_t width, size_t rows, void *s,
    const char *call)
{
    if (!alive(s, STREAM, call) || !width || !rows ||
        !inside(to, pitch * (rows - 1) + width * item, call))
        return INVALID_VALUE;
    if (to % item || pitch % item)
        breach("%s: not aligned", call);
    for (size_t r = 0; r < rows; r++)
        for (size_t k = 0; k < width; k++)
            memcpy((char *)(uintptr_t)to + r * pitch + k * item, &v, item);
    return OK;
}

Result
cuMemsetD8Async(uint64_t to, unsigned char v, size_t n, void *s)
{
    CALL(true);
    return set(to, 0, v, 1, n, 1, s, __func__);
}

Result
cuMemsetD16Async(uint64_t to, unsigned short v, size_t n, void *s)
{
    CALL(true);
    return set(to, 0, v, 2, n, 1, s, __func__);
}

Result
cuMemsetD32Async(uint64_t to, unsigned v, size_t n, void *s)
{
    CALL(true);
    return set(to, 0, v, 4, n, 1, s, __func__);
}

Result
cuMemsetD2D8Async(uint64_t to, size_t pitch, unsigned char v, size_t w, size_t h, void *s)
{
    CALL(true);
    return set(to, pitch, v, 1, w, h, s, __func__);
}

Result
cuMemsetD2D32Async(uint64_t to, size_t pitch, unsigned v, size_t w, size_t h, void *s)
{
    CALL(true);
    return set(to, pitch, v, 4, w, h, s, __func__);
}

/* ---- streams and events ---- */
Result
cuStreamCreate(void **s, unsigned flags)
{
    CALL(true);
    (void)flags;
    *s = make(STREAM);
    return OK;
}

Result
cuStreamDestroy_v2(void *s)
{
    CALL(true);
    if (!alive(s, STREAM, __func__))
        return INVALID_VALUE;
    *(Handle *)s = (Handle){0};
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
    return OK;
}

Result
cuStreamWaitEvent(void *s, void *e, unsigned flags)
{
    CALL(true);
    (void)flags;
    return alive(s, STREAM, __func__) && alive(e, EVENT, __func__) ? OK : INVALID_VALUE;
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
    *(Handle *)e = (Handle){0};
    return OK;
}

Result
cuEventRecord(void *e, void *s)
{
    CALL(true);
    if (!alive(e, EVENT, __func__) || !alive(s, STREAM, __func__))
        return INVALID_VALUE;
    Handle *h = e;
    h->of = s;
    h->recorded = true;
    h->pending = busy;
    return OK;
}

Result
cuEventQuery(void *e)
{
    CALL(true);
    if (!alive(e, EVENT, __func__))
        return INVALID_VALUE;
    return ((Handle *)e)->pending ? NOT_READY : OK;
}

Result
cuEventSynchronize(void *e)
{
    CALL(true);
    if (!alive(e, EVENT, __func__))
        return INVALID_VALUE;
    ((Handle *)e)->pending = false;
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
    *ms = 1.5f;
    return OK;
}

/* ---- modules ---- */
static Result
log_error(unsigned n, const int *what, void **values, const char *text)
{
    char *to = NULL;
    size_t room = 0;
    for (unsigned i = 0; i < n; i++) {
        if (what[i] == 5)
            to = values[i];
        if (what[i] == 6)
            room = (size_t)values[i];
    }
    if (to && room)
        snprintf(to, room, "%s", text);
    return INVALID_PTX;
}

static int log_what[2];
static void *log_value[2];
static unsigned log_n;

Result
cuLinkCreate_v2(unsigned n, int *what, void **values, void **l)
{
    CALL(true);
    log_n = 0;
    linked[0] = 0;
    added_bytes = 0;
    for (unsigned i = 0; i < n; i++)
        if (what[i] != 5 && what[i] != 6)
            sprintf(linked + strlen(linked), "%d=%d ", what[i], (int)(size_t)values[i]);
    for (unsigned i = 0; i < n; i++)
        if (what[i] == 5 || what[i] == 6) {
            log_what[log_n] = what[i];
            log_value[log_n++] = values[i];
        }
    *l = make(LINK);
    return OK;
}

Result
cuLinkAddData_v2(void *l, int kind, const void *data, size_t size, const char *name, unsigned n,
                 int *what, void **values)
{
    CALL(true);
    (void)n, (void)what, (void)values;
    const char *text = data;
    if (!alive(l, LINK, __func__) || kind < 0 || kind > 5)
        return INVALID_VALUE;
    snprintf(linked + strlen(linked), 2048, "| %d %s ", kind, name);
    bool more = added_bytes > 0;
    added = realloc(added, added_bytes + size);
    memcpy(added + added_bytes, data, size);
    added_bytes += size;
    if (kind != 1)
        return OK;
    if (size == 0 || text[size - 1])
        breach("PTX that doesn't end");
    if (!strstr(text, ".version") || !strstr(text, ".target"))
        return log_error(log_n, log_what, log_value, "ptxas: fatal: this is no PTX");
    Handle *h = l;
    if (more)
        return OK;
    free(h->data);
    h->bytes = size + 6;
    h->data = malloc(h->bytes);
    memcpy(h->data, "CUBIN:", 6);
    memcpy(h->data + 6, data, size);
    return OK;
}

static char missing[256];

/* Each ".extern .func (...) name" must be named by something else that was added. */
static bool
undefined(const char *text, size_t own)
{
    for (const char *s = text; (s = strstr(s, ".extern .func ")) != NULL; s++) {
        const char *at = s + 14 + strspn(s + 14, " ");
        char name[100];
        if (*at == '(')
            at = strchr(at, ')') + 1;
        if (sscanf(at, " %99[A-Za-z0-9_$]", name) != 1 || !strcmp(name, "vprintf"))
            continue;
        if (own - 6 <= added_bytes && memmem(added + (own - 6), added_bytes - (own - 6), name, strlen(name)))
            continue;
        snprintf(missing, sizeof missing, "error   : Undefined reference to '%s' in 'swathe'", name);
        return true;
    }
    return false;
}

Result
cuLinkComplete(void *l, void **cubin, size_t *size)
{
    CALL(true);
    if (!alive(l, LINK, __func__))
        return INVALID_VALUE;
    if (undefined(((Handle *)l)->data, ((Handle *)l)->bytes))
        return log_error(log_n, log_what, log_value, missing);
    *cubin = ((Handle *)l)->data;
    *size = ((Handle *)l)->bytes;
    return OK;
}

Result
cuLinkDestroy(void *l)
{
    CALL(true);
    if (!alive(l, LINK, __func__))
        return INVALID_VALUE;
    free(((Handle *)l)->data);
    *(Handle *)l = (Handle){0};
    return OK;
}

Result
cuModuleLoadDataEx(void **m, const void *image, unsigned n, int *what, void **values)
{
    CALL(true);
    if (strncmp(image, "CUBIN:", 6))
        return log_error(n, what, values, "this is no cubin");
    Handle *h = make(MODULE);
    h->data = strdup(image);
    *m = h;
    return OK;
}

Result
cuModuleUnload(void *m)
{
    CALL(true);
    if (!alive(m, MODULE, __func__))
        return INVALID_VALUE;
    for (int i = 0; i < HANDLES; i++)
        if (handles[i].kind == FUNCTION && handles[i].of == m) {
            free(handles[i].data);
            handles[i] = (Handle){0};
        }
    free(((Handle *)m)->data);
    *(Handle *)m = (Handle){0};
    return OK;
}

/* ".param .u64 name," or ".param .align 2 .b8 name[2]": how many bytes each has. */
static void
read_params(Handle *f, const char *s)
{
    const char *end = strchr(s, ')');
    while ((s = strstr(s, ".param ")) != NULL && s < end) {
        s += 7;
        int align = 0, bits = 0, n = 1;
        if (sscanf(s, ".align %d", &align) == 1)
            s = strstr(s + 1, " .") + 1;
        sscanf(s, ".%*[a-z]%d", &bits);
        const char *stop = s + strcspn(s, ",)"), *bracket = memchr(s, '[', (size_t)(stop - s));
        if (bracket)
            n = atoi(bracket + 1);
        f->param[f->n_params++] = bits / 8 * n;
    }
}

Result
cuModuleGetFunction(void **f, void *m, const char *name)
{
    CALL(true);
    char entry[300];
    if (!alive(m, MODULE, __func__))
        return INVALID_VALUE;
    snprintf(entry, sizeof entry, ".entry %s(", name);
    const char *found = strstr(((Handle *)m)->data, entry);
    if (!found)
        return NOT_FOUND;
    Handle *h = make(FUNCTION);
    h->of = m;
    h->data = strdup(name);
    h->dynamic = 49152;
    read_params(h, found);
    *f = h;
    return OK;
}

Result
cuFuncGetAttribute(int *v, int what, void *f)
{
    static const int values[] = {1024, 512, 0, 16, 40};
    CALL(true);
    if (!alive(f, FUNCTION, __func__) || what > 4)
        return INVALID_VALUE;
    *v = values[what];
    return OK;
}

Result
cuFuncSetAttribute(void *f, int what, int v)
{
    CALL(true);
    if (!alive(f, FUNCTION, __func__) || what != 8)
        return INVALID_VALUE;
    ((Handle *)f)->dynamic = v;
    return OK;
}

static Result
launch(const char *how, Handle *f, const unsigned *g, unsigned shared, void *s, void **args)
{
    char *p = last, *end = last + sizeof last;
    if (!alive(f, FUNCTION, how) || !alive(s, STREAM, how))
        return INVALID_VALUE;
    if (shared > (unsigned)f->dynamic)
        breach("%u bytes of shared memory that were not asked for", shared);
    p += snprintf(p, (size_t)(end - p), "%s %s %u,%u,%u %u,%u,%u %u", how, f->data, g[0], g[1],
                  g[2], g[3], g[4], g[5], shared);
    for (int i = 0; i < f->n_params; i++) {
        p += snprintf(p, (size_t)(end - p), " ");
        for (int k = f->param[i] - 1; k >= 0; k--)
            p += snprintf(p, (size_t)(end - p), "%02x", ((unsigned char *)args[i])[k]);
    }
    return OK;
}

Result
cuLaunchKernel(void *f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
               unsigned bz, unsigned shared, void *s, void **args, void **extra)
{
    CALL(true);
    if (extra)
        breach("cuLaunchKernel with extra");
    return launch("launch", f, (unsigned[]){gx, gy, gz, bx, by, bz}, shared, s, args);
}

Result
cuLaunchCooperativeKernel(void *f, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
                          unsigned by, unsigned bz, unsigned shared, void *s, void **args)
{
    CALL(true);
    return launch("cooperative", f, (unsigned[]){gx, gy, gz, bx, by, bz}, shared, s, args);
}
