/* SPDX-License-Identifier: BSD-3-Clause
 * The CUDA driver interface against a library that is none (fake_cuda.c): each callback of the
 * vtable, first with all going well, then with the n-th call of the driver failing, for every n.
 * What fails must say which call it was, and leave nothing behind. cuda FAKE.so */
#include "dev/dev.h"

#include <assert.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MEMORY = 1, HOST, MANAGED, STREAM, EVENT, MODULE, FUNCTION, LINK };
static int (*breaches)(void), (*alive)(int kind), (*depth)(void);
static long (*calls)(void);
static void (*fail)(long n, int code), (*set_busy)(int on), (*set_limit)(size_t bytes);
static const char *(*last_launch)(void);
static const DevApi *api;
static DevError e;

#define CHECK(x)                                                                                   \
    do {                                                                                           \
        if (!(x)) {                                                                                \
            printf("%s:%d: %s (%d: %s)\n", __FILE__, __LINE__, #x, e.status, e.text);              \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)
#define OR_FAIL(x)                                                                                 \
    do {                                                                                           \
        if (!(x))                                                                                  \
            return false;                                                                          \
    } while (0)

static const char ptx[] =
    ".version 7.0\n.target sm_80\n.visible .entry swathe_entry(\n"
    "\t.param .u64 p0,\n\t.param .u64 p1,\n\t.param .u8 p2,\n"
    "\t.param .align 2 .b8 p3[2],\n\t.param .f64 p4,\n\t.param .u64 p5\n)\n{ ret; }\n";

static void
open_fake(const char *path)
{
    void *lib = dlopen(path, RTLD_NOW);
    if (!lib) {
        printf("%s\n", dlerror());
        exit(1);
    }
    setenv("SWATHE_CUDA_LIB", path, 1);
    *(void **)&breaches = dlsym(lib, "fake_breaches");
    *(void **)&alive = dlsym(lib, "fake_alive");
    *(void **)&depth = dlsym(lib, "fake_depth");
    *(void **)&calls = dlsym(lib, "fake_calls");
    *(void **)&fail = dlsym(lib, "fake_fail");
    *(void **)&set_busy = dlsym(lib, "fake_busy");
    *(void **)&set_limit = dlsym(lib, "fake_limit");
    *(void **)&last_launch = dlsym(lib, "fake_launch");
    api = dev_cuda();
}

/* ---- everything once, stopping where something fails ----------------------------------------- */

typedef struct World {
    DevDevice *d;
    DevMem *a, *b, *host, *shared;
    DevQueue *q, *timed;
    DevModule *m, *again;
    DevEvent *ev[5];
    void *binary;
    size_t binary_size;
} World;

static bool
memory(World *w)
{
    size_t free_bytes, total;
    OR_FAIL(w->a = api->alloc(w->d, 1000, DEV_SPACE_DEVICE, &e));
    OR_FAIL(w->b = api->alloc(w->d, 5 << 20, DEV_SPACE_DEVICE, &e));
    OR_FAIL(w->host = api->alloc(w->d, 64, DEV_SPACE_HOST, &e));
    OR_FAIL(w->shared = api->alloc(w->d, 64, DEV_SPACE_SHARED, &e));
    OR_FAIL(api->memory_info(w->d, &free_bytes, &total, &e));
    return true;
}

static bool
queues(World *w)
{
    OR_FAIL(w->q = api->queue(w->d, 0, &e));
    OR_FAIL(w->timed = api->queue(w->d, DEV_QUEUE_PROFILING | DEV_QUEUE_OUT_OF_ORDER, &e));
    OR_FAIL(w->ev[0] = api->queue_mark(w->q, &e));
    OR_FAIL(api->queue_after(w->timed, w->ev, 1, &e));
    OR_FAIL(api->queue_before_stream(w->q, 1, &e));
    OR_FAIL(api->queue_after_stream(w->q, 2, &e));
    return true;
}

static bool
copies(World *w)
{
    char bytes[64] = "what is copied there and back";
    uint64_t ns[4];
    OR_FAIL(api->write(w->q, w->a, 8, bytes, 64, &(DevWhen){.done = &w->ev[1]}, &e));
    OR_FAIL(api->copy(w->timed, w->b, 16, w->a, 8, 64,
                      &(DevWhen){.after = &w->ev[1], .n_after = 1, .done = &w->ev[2]}, &e));
    memset(bytes, 0, sizeof bytes);
    OR_FAIL(api->read(w->timed, bytes, w->b, 16, 64, &(DevWhen){.block = true}, &e));
    CHECK(!strcmp(bytes, "what is copied there and back"));
    OR_FAIL(api->event_wait(w->ev[2], &e));
    OR_FAIL(api->event_state(w->ev[2], &e) == DEV_DONE);
    OR_FAIL(api->event_times(w->ev[2], ns, &e));
    CHECK(ns[2] == 1500000 && ns[3] == 3000000);
    double ms = 0;
    OR_FAIL(api->event_between(w->ev[2], w->ev[2], &ms, &e));
    CHECK(ms == 1.5);
    return true;
}

static bool
fills(World *w)
{
    char pattern[16], got[96];
    for (int k = 0; k < 16; k++)
        pattern[k] = (char)(k * 7 + 1);
    for (size_t width = 1; width <= 16; width *= 2)
        for (size_t at = 0; at < 5; at++) {
            OR_FAIL(api->fill(w->q, w->a, at, pattern, width, 80, NULL, &e));
            OR_FAIL(api->read(w->q, got, w->a, at, 80, &(DevWhen){.block = true}, &e));
            for (size_t k = 0; k < 80; k++)
                CHECK(got[k] == pattern[k % width]);
        }
    memset(pattern, 0, 16);
    OR_FAIL(api->fill(w->q, w->b, 0, pattern, 16, 1 << 20, NULL, &e));
    return true;
}

static bool
rows(World *w)
{
    char bytes[60], got[40];
    DevWhen now = {.block = true}, then = {.after = &w->ev[4], .n_after = 1, .block = true};
    for (int i = 0; i < 60; i++)
        bytes[i] = (char)i;
    OR_FAIL(api->fill(w->q, w->a, 0, "\0", 1, 600, NULL, &e));
    OR_FAIL(api->rows(w->q, &(DevRows){6, 3, w->a, NULL, bytes, 5, 100, 0, 10},
                      &(DevWhen){.done = &w->ev[4]}, &e));
    OR_FAIL(api->rows(w->timed, &(DevRows){6, 3, w->b, w->a, NULL, 0, 7, 5, 100}, &then, &e));
    OR_FAIL(api->read(w->timed, got, w->b, 0, 38, &now, &e));
    for (int i = 0; i < 38; i++)
        CHECK(i % 7 >= 3 || got[i] == i / 7 * 10 + i % 7);
    memset(got, 9, sizeof got);
    OR_FAIL(api->rows(w->q, &(DevRows){5, 4, NULL, w->a, got, 0, 8, 4, 100}, &now, &e));
    for (int i = 0; i < 40; i++)
        CHECK(got[i] == (i % 8 > 3 ? 9 : i % 8 == 0 ? 0 : i / 8 * 10 + i % 8 - 1));
    CHECK(!api->rows(w->q, &(DevRows){6, 3, w->a, NULL, bytes, 500, 100, 0, 10}, NULL, &e));
    return true;
}

static bool
kernels(World *w)
{
    DevKernelInfo info;
    OR_FAIL(w->m = api->module(w->d, ptx, strlen(ptx), true, "lineinfo max_registers=32",
                               &w->binary, &w->binary_size, &e));
    OR_FAIL(w->again = api->module(w->d, w->binary, w->binary_size, false, NULL, NULL, NULL, &e));
    DevKernel *k;
    OR_FAIL(k = api->kernel(w->again, "swathe_entry", &e));
    OR_FAIL(api->kernel_info(k, &info, &e));
    CHECK(info.max_threads == 1024 && info.shared_bytes == 512 && info.local_bytes == 16 &&
          info.registers == 40 && info.simd == 32);
    DevArg args[6] = {{.kind = DEV_ARG_MEM, .mem = w->a, .offset = 8},
                      {.kind = DEV_ARG_VALUE, .bytes = 8, .value = 7},
                      {.kind = DEV_ARG_VALUE, .bytes = 1, .value = 1},
                      {.kind = DEV_ARG_VALUE, .bytes = 2, .value = 0x3c00},
                      {.kind = DEV_ARG_VALUE, .bytes = 8, .value = 0x3ff0000000000000},
                      {.kind = DEV_ARG_MEM}};
    DevLaunch l = {.grid = {3, 2, 1},
                   .block = {32, 4, 2},
                   .shared = 60000,
                   .n_args = 6,
                   .args = args,
                   .stack = 3000};
    OR_FAIL(api->launch(w->q, k, &l, &(DevWhen){.done = &w->ev[3]}, &e));
    char want[200];
    snprintf(want, sizeof want,
             "launch swathe_entry 3,2,1 32,4,2 60000 %016llx 0000000000000007 01 3c00 "
             "3ff0000000000000 0000000000000000",
             (unsigned long long)api->mem_address(w->a) + 8);
    CHECK(!strcmp(last_launch(), want));
    l.cooperative = true;
    l.shared = 0;
    OR_FAIL(api->launch(w->q, k, &l, NULL, &e));
    CHECK(!strncmp(last_launch(), "cooperative", 11));
    return true;
}

static bool
everything(World *w)
{
    DevProps p;
    OR_FAIL(api->open(&e) == 2);
    OR_FAIL(api->props(1, &p, &e));
    CHECK(p.arch == 86 && !strcmp(p.name, "Fake 1") && p.max_grid[0] == INT32_MAX && p.cooperative);
    OR_FAIL(w->d = api->device(0, &e));
    OR_FAIL(memory(w) && queues(w) && copies(w) && rows(w) && fills(w) && kernels(w));
    return api->queue_sync(w->q, &e) && api->queue_sync(w->timed, &e);
}

static void
clean(World *w)
{
    for (int i = 0; i < SW_LEN(w->ev); i++)
        if (w->ev[i])
            api->event_free(w->ev[i]);
    DevMem *mems[] = {w->a, w->b, w->host, w->shared};
    for (int i = 0; i < SW_LEN(mems); i++)
        if (mems[i])
            api->mem_free(mems[i]);
    if (w->m)
        api->module_free(w->m);
    if (w->again)
        api->module_free(w->again);
    if (w->q)
        api->queue_free(w->q);
    if (w->timed)
        api->queue_free(w->timed);
    free(w->binary);
    if (w->d)
        CHECK(api->live_bytes(w->d) == 0);
    *w = (World){0};
}

/* ---- what must be right ---------------------------------------------------------------------- */

static int
left_behind(void)
{
    return alive(STREAM) + alive(MODULE) + alive(LINK) + alive(FUNCTION);
}

static void
check_success(void)
{
    World w = {0};
    CHECK(everything(&w));
    clean(&w);
    CHECK(depth() == 0 && breaches() == 0);
    CHECK(left_behind() == 0);
}

/* A lost call may leave behind at most the object that it was to free. */
static void
check_failures(int code, DevStatus status)
{
    World w = {0};
    long before = calls();
    CHECK(everything(&w));
    long n = calls() - before;
    clean(&w);
    int was = left_behind();
    for (long i = 1; i <= n; i++) {
        e = (DevError){0};
        fail(i, code);
        bool ok = everything(&w);
        fail(0, 0);
        if (!ok && code != 2) {
            CHECK(e.status == status || strstr(e.text, "no device"));
            CHECK(e.code == code && !strncmp(e.text, "cu", 2));
        }
        clean(&w);
        CHECK(depth() == 0 && breaches() == 0);
        CHECK(left_behind() - was <= 1); /* of LinkDestroy itself, once */
    }
}

static void
check_open_failures(void)
{
    for (long i = 1; i < 60; i++) {
        e = (DevError){0};
        fail(i, 999);
        int n = api->open(&e);
        fail(0, 0);
        CHECK(n == 2 || (n == -1 && e.code == 999));
        if (n == 2)
            return;
    }
    CHECK(!"the driver never opens");
}

/* Freed memory comes back at once when nothing uses it, not while a queue still might. */
static void
check_cache(void)
{
    DevDevice *d = api->device(0, &e);
    DevQueue *q = api->queue(d, 0, &e);
    DevMem *m = api->alloc(d, 12345, DEV_SPACE_DEVICE, &e);
    uint64_t at = api->mem_address(m);
    api->mem_free(m);
    m = api->alloc(d, 12340, DEV_SPACE_DEVICE, &e);
    CHECK(api->mem_address(m) == at);
    set_busy(1);
    CHECK(api->fill(q, m, 0, "x", 1, 100, NULL, &e));
    api->mem_free(m);
    DevMem *other = api->alloc(d, 12345, DEV_SPACE_DEVICE, &e);
    CHECK(api->mem_address(other) != at);
    CHECK(api->queue_sync(q, &e));
    m = api->alloc(d, 12345, DEV_SPACE_DEVICE, &e);
    CHECK(api->mem_address(m) == at);
    set_busy(0);
    /* a queue that is gone was waited for */
    CHECK(api->fill(q, m, 0, "x", 1, 100, NULL, &e));
    api->queue_free(q);
    api->mem_free(m);
    m = api->alloc(d, 12345, DEV_SPACE_DEVICE, &e);
    CHECK(api->mem_address(m) == at);
    api->mem_free(m);
    api->mem_free(other);
    CHECK(api->live_bytes(d) == 0);
}

/* A queue gets back at once what only its own work uses; others don't, and what it touched since
 * counts on. */
static void
check_order(void)
{
    DevDevice *d = api->device(0, &e);
    DevQueue *q = api->queue(d, 0, &e), *other = api->queue(d, 0, &e);
    bool after = true;
    DevMem *m = api->alloc_on(q, 54321, &after, &e), *n[6];
    uint64_t at = api->mem_address(m);
    CHECK(!after);
    set_busy(1);
    for (int i = 0; i < 3; i++) {
        if (i < 2) /* the third time nothing is put there */
            CHECK(api->fill(q, m, 0, "x", 1, 100, NULL, &e));
        api->mem_free(m);
        n[2 * i] = api->alloc_on(other, 54321, &after, &e);
        CHECK(api->mem_address(n[2 * i]) != at && !after);
        n[2 * i + 1] = api->alloc(d, 54321, DEV_SPACE_DEVICE, &e);
        CHECK(api->mem_address(n[2 * i + 1]) != at);
        m = api->alloc_on(q, 54321, &after, &e);
        CHECK(api->mem_address(m) == at && after);
    }
    DevEvent *mark = api->queue_mark(q, &e);
    CHECK(api->queue_after(other, &mark, 1, &e));
    CHECK(api->fill(other, m, 0, "x", 1, 100, NULL, &e));
    api->event_free(mark);
    api->mem_free(m);
    m = api->alloc_on(q, 54321, &after, &e);
    CHECK(api->mem_address(m) != at && !after);
    set_busy(0);
    api->mem_free(m);
    for (int i = 0; i < 6; i++)
        api->mem_free(n[i]);
    api->queue_free(q);
    api->queue_free(other);
    CHECK(api->live_bytes(d) == 0);
}

/* What the cache holds is given back before memory runs out. */
static void
check_memory(void)
{
    DevDevice *d = api->device(0, &e);
    size_t free_bytes, total;
    set_limit(64 << 20);
    DevMem *m = api->alloc(d, 40 << 20, DEV_SPACE_DEVICE, &e);
    CHECK(m);
    api->mem_free(m);
    CHECK(api->memory_info(d, &free_bytes, &total, &e) && free_bytes == total);
    m = api->alloc(d, 60 << 20, DEV_SPACE_DEVICE, &e);
    CHECK(m);
    CHECK(!api->alloc(d, 40 << 20, DEV_SPACE_DEVICE, &e) && e.status == DEV_MEMORY);
    CHECK(!api->alloc(d, SIZE_MAX - 100, DEV_SPACE_DEVICE, &e) && e.status == DEV_MEMORY);
    api->mem_free(m);
    m = api->alloc(d, 0, DEV_SPACE_DEVICE, &e);
    CHECK(m);
    api->mem_free(m);
    set_limit((size_t)1 << 32);
}

static void
check_refusals(void)
{
    World w = {0};
    DevProps p;
    CHECK(everything(&w));
    CHECK(!api->props(2, &p, &e) && e.status == DEV_NO_DEVICE);
    CHECK(!api->device(-1, &e) && e.status == DEV_NO_DEVICE);
    char bytes[8];
    CHECK(!api->read(w.q, bytes, w.a, 996, 8, NULL, &e) && e.status == DEV_ARGUMENT);
    CHECK(!api->write(w.q, w.a, SIZE_MAX, bytes, 8, NULL, &e) && e.status == DEV_ARGUMENT);
    CHECK(!api->fill(w.q, w.a, 0, bytes, 4, 7, NULL, &e) && e.status == DEV_ARGUMENT);
    CHECK(!api->module(w.d, "no", 2, true, NULL, NULL, NULL, &e) && e.status == DEV_BUILD);
    CHECK(strstr(e.text, "ptxas: fatal: this is no PTX"));
    CHECK(!api->module(w.d, "no", 2, false, NULL, NULL, NULL, &e) && e.status == DEV_BUILD);
    CHECK(!api->module(w.d, ptx, strlen(ptx), true, "fast", NULL, NULL, &e) &&
          e.status == DEV_ARGUMENT);
    CHECK(!api->kernel(w.m, "other", &e) && e.status == DEV_ARGUMENT && strstr(e.text, "'other'"));
    DevKernel *k = api->kernel(w.m, "swathe_entry", &e);
    CHECK(k && k == api->kernel(w.m, "swathe_entry", &e));
    DevLaunch wrong[] = {{.grid = {1, 1, 1}, .block = {1025, 1, 1}},
                         {.grid = {1, 1, 1}, .block = {512, 4, 1}},
                         {.grid = {0, 1, 1}, .block = {1, 1, 1}},
                         {.grid = {1, 65536, 1}, .block = {1, 1, 1}},
                         {.grid = {1, 1, 1}, .block = {1, 1, 1}, .shared = 101376}};
    for (int i = 0; i < SW_LEN(wrong); i++)
        CHECK(!api->launch(w.q, k, &wrong[i], NULL, &e) && e.status == DEV_LIMIT);
    uint64_t ns[4];
    CHECK(!api->event_times(w.ev[1], ns, &e) && e.status == DEV_ARGUMENT);
    clean(&w);
    CHECK(breaches() == 0);
}

/* The driver is of no use in a child; we say so and touch nothing. */
static void
check_fork(void)
{
    World w = {0};
    int status = 0;
    CHECK(everything(&w));
    pid_t child = fork();
    if (child == 0) {
        long before = calls();
        bool refused = !api->queue_sync(w.q, &e) && e.status == DEV_LOST && strstr(e.text, "fork");
        _exit(refused && calls() == before ? 0 : 1);
    }
    waitpid(child, &status, 0);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    clean(&w);
}

int
main(int argc, char **argv)
{
    if (argc != 2)
        return 2;
    open_fake(argv[1]);
    check_open_failures();
    check_success();
    check_cache();
    check_order();
    check_memory();
    check_refusals();
    check_failures(1, DEV_DRIVER);
    check_failures(2, DEV_MEMORY);
    check_failures(700, DEV_LOST);
    check_fork();
    CHECK(breaches() == 0 && depth() == 0);
    return 0;
}
