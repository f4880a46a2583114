/* SPDX-License-Identifier: BSD-3-Clause
 * Checks of the allocator, references, copies, overlaps, exception classes, print and external
 * names. Says what is wrong and exits with 1. */
#include "rt/rt.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static int failures;
#define CHECK(x) ((x) ? (void)0 : (void)(failures++, printf("line %d: %s\n", __LINE__, #x)))

/* ---- memory ---------------------------------------------------------------------------- */

static bool
all_are(const unsigned char *p, size_t n, unsigned char v)
{
    for (size_t i = 0; i < n; i++)
        if (p[i] != v)
            return false;
    return true;
}

/* Every size near a boundary, twice, so that the second one is recycled. */
static void
test_sizes(Dev *d)
{
    static const int64_t near[] = {-4097, -3265, -3200, -65, -64, -63, -1, 0, 1, 64, 100};
    for (int log = 0; log <= 25; log++)
        for (int k = 0; k < SW_LEN(near); k++) {
            int64_t n = ((int64_t)1 << log) + near[k];
            if (n < 0)
                continue;
            for (int turn = 0; turn < 2; turn++) {
                SwMem *m = d->alloc(d, (size_t)n, true);
                CHECK(m && (uintptr_t)m->data % 64 == 0 && m->refs == 1 && m->bytes == (size_t)n);
                CHECK(d->live_bytes(d) == (size_t)n);
                CHECK(all_are(m->data, (size_t)n, 0));
                memset(m->data, 0xa5, (size_t)n);
                m->free_fn(m);
            }
        }
    CHECK(d->live_bytes(d) == 0);
    CHECK(d->cached_bytes(d) > 0 && d->cached_bytes(d) <= (size_t)320 << 20);
    d->trim(d);
    CHECK(d->cached_bytes(d) == 0);
}

static void
test_limits(Dev *d)
{
    SwCtx cx = {0};
    SwMem *m = NULL;
    CHECK(sw_alloc(&cx, -1, 0, &m) && cx.err.site == SW_ERR_TOO_BIG && !m);
    CHECK(sw_alloc(&cx, INT64_MAX, 0, &m) && cx.err.site == SW_ERR_MEMORY);
    CHECK(!d->alloc(d, SIZE_MAX, false) && !d->alloc(d, SIZE_MAX - 63, false));
    SwMem *big[6];
    for (int i = 0; i < 6; i++) /* more than is kept */
        CHECK((big[i] = d->alloc(d, (size_t)100 << 20, false)) != NULL);
    for (int i = 0; i < 6; i++)
        big[i]->free_fn(big[i]);
    CHECK(d->cached_bytes(d) > 0 && d->cached_bytes(d) <= (size_t)256 << 20);
    CHECK(!sw_alloc(&cx, 32 << 20, 0, &m));
    char *first = m->data;
    sw_retain(m);
    sw_release(m);
    CHECK(d->live_bytes(d) == 32 << 20);
    first[0] = 1;
    sw_release(m);
    CHECK(d->live_bytes(d) == 0);
    sw_release(NULL);
    sw_retain(NULL);
    d->trim(d);
}

static void *
churn(void *arg)
{
    Dev *d = arg;
    SwMem *held[16] = {0};
    uint64_t r = (uint64_t)(uintptr_t)&held | 1;
    for (int i = 0; i < 4000; i++) {
        r ^= r << 13, r ^= r >> 7, r ^= r << 17;
        SwMem **m = &held[r % 16];
        if (*m) {
            unsigned char *p = (*m)->data;
            CHECK(p[0] == (unsigned char)(*m)->bytes && p[(*m)->bytes - 1] == p[0]);
            sw_release(*m);
        }
        size_t n = (r >> 20) % ((r >> 9) % 8 ? 5000 : 3000000) + 1;
        *m = d->alloc(d, n, false);
        ((unsigned char *)(*m)->data)[0] = ((unsigned char *)(*m)->data)[n - 1] = (unsigned char)n;
    }
    for (int i = 0; i < 16; i++)
        sw_release(held[i]);
    return NULL;
}

static void
test_threads(Dev *d)
{
    pthread_t t[4];
    for (int i = 0; i < 4; i++)
        pthread_create(&t[i], NULL, churn, d);
    for (int i = 0; i < 20; i++) {
        pid_t pid = fork();
        if (!pid) {
            SwMem *m = d->alloc(d, 1000, true);
            m->free_fn(m);
            _exit(0);
        }
        int status = -1;
        waitpid(pid, &status, 0);
        CHECK(status == 0);
    }
    for (int i = 0; i < 4; i++)
        pthread_join(t[i], NULL);
    CHECK(d->live_bytes(d) == 0);
    d->trim(d);
}

/* ---- copies ---------------------------------------------------------------------------- */

static void
copy_case(int64_t item, int ndim, const int64_t *shape, const int64_t *ds, const int64_t *ss,
          int64_t d0, int64_t s0)
{
    enum { ROOM = 1 << 14 };
    char *from = malloc(ROOM), *to = calloc(1, ROOM), *want = calloc(1, ROOM);
    for (int i = 0; i < ROOM; i++)
        from[i] = (char)(i * 7 + (i >> 8));
    SwDesc d = {to + d0 * item, NULL, shape, NULL}, s = {from + s0 * item, NULL, shape, NULL};
    int64_t dst[4], src[4], at[4] = {0}, total = 1;
    for (int k = 0; k < ndim; k++) {
        dst[k] = ds[k] * item;
        src[k] = ss[k] * item;
        total *= shape[k];
    }
    d.strides = dst;
    s.strides = src;
    sw_copy(&d, &s, ndim, item);
    for (int64_t i = 0; i < total; i++) {
        int64_t a = d0 * item, b = s0 * item;
        for (int k = 0; k < ndim; k++) {
            a += at[k] * dst[k];
            b += at[k] * src[k];
        }
        memcpy(want + a, from + b, (size_t)item);
        for (int k = ndim - 1; k >= 0 && ++at[k] == shape[k]; k--)
            at[k] = 0;
    }
    CHECK(!memcmp(to, want, ROOM));
    free(from);
    free(to);
    free(want);
}

#define A(...)                                                                                     \
    (const int64_t[])                                                                              \
    {                                                                                              \
        __VA_ARGS__                                                                                \
    }

static void
test_copy(void)
{
    for (int64_t item = 1; item <= 16; item *= 2) {
        copy_case(item, 0, A(1), A(1), A(1), 3, 5);
        copy_case(item, 1, A(37), A(1), A(1), 0, 0);
        copy_case(item, 1, A(37), A(2), A(-1), 1, 36);
        copy_case(item, 1, A(0), A(1), A(1), 0, 0);
        copy_case(item, 2, A(5, 7), A(7, 1), A(1, 5), 0, 0);
        copy_case(item, 2, A(5, 7), A(1, 5), A(7, 1), 0, 0);
        copy_case(item, 2, A(5, 1), A(1, 1), A(7, 1), 0, 0);
        copy_case(item, 3, A(4, 1, 6), A(24, 6, 1), A(0, 9, -1), 2, 5);
        copy_case(item, 3, A(2, 3, 4), A(4, 8, 1), A(12, 4, 1), 0, 0);
        copy_case(item, 4, A(2, 3, 2, 3), A(1, 2, 6, 12), A(18, 6, 3, 1), 0, 0);
        copy_case(item, 3, A(2, 0, 4), A(4, 8, 1), A(12, 4, 1), 0, 0);
    }
}

static int
overlap(int64_t d0, int64_t n, int64_t step, int64_t e0, int64_t m, int64_t estep)
{
    static char room[1000];
    SwDesc a = {room + d0, NULL, &n, &step}, b = {room + e0, NULL, &m, &estep};
    int ab = sw_overlap(&a, 1, 8, &b, 1, 8);
    CHECK(ab == sw_overlap(&b, 1, 8, &a, 1, 8));
    return ab;
}

static void
test_overlap(void)
{
    CHECK(overlap(0, 10, 8, 0, 10, 8));
    CHECK(!overlap(0, 10, 8, 80, 10, 8));
    CHECK(overlap(0, 10, 8, 79, 10, 8));
    CHECK(!overlap(0, 0, 8, 0, 10, 8));
    CHECK(overlap(80, 10, -8, 0, 2, 8));
    CHECK(!overlap(80, 10, -8, 0, 1, 8));
    CHECK(overlap(80, 11, -8, 0, 1, 8));
    CHECK(overlap(40, 5, 0, 40, 1, 8));
}

/* ---- errors, print, names ------------------------------------------------------------------ */

static int
matches(const char *raised, const char *names)
{
    SwSite site = {.exc = raised};
    SwFunction fn = {.n_sites = 1, .sites = &site};
    SwCtx cx = {.fn = &fn};
    sw_fail(&cx, 0, 1, 2, 3, 4);
    return sw_err_matches(&cx, names);
}

static void
test_matches(void)
{
    CHECK(matches("IndexError", "IndexError\0"));
    CHECK(matches("IndexError", "KeyError\0LookupError\0"));
    CHECK(!matches("IndexError", "KeyError\0ValueError\0"));
    CHECK(matches("ZeroDivisionError", "ArithmeticError\0"));
    CHECK(matches("RecursionError", "RuntimeError\0"));
    CHECK(matches("UnboundLocalError", "NameError\0"));
    CHECK(matches("ValueError", "") && matches("ValueError", "BaseException\0"));
    CHECK(matches("Mine", "") && !matches("Mine", "ValueError\0"));
    CHECK(!matches("Exception", "ValueError\0"));
    CHECK(!matches("KeyboardInterrupt", "") && !matches("KeyboardInterrupt", "Exception\0"));
    SwCtx cx = {0};
    sw_fail(&cx, SW_ERR_MEMORY, 1, 0, 0, 0);
    CHECK(sw_err_matches(&cx, "MemoryError\0") && !sw_err_matches(&cx, "ValueError\0"));
    SwError e;
    sw_err_take(&cx, &e);
    CHECK(e.site == SW_ERR_MEMORY && cx.err.site == 0);
    sw_err_restore(&cx, &e);
    CHECK(cx.err.site == SW_ERR_MEMORY && cx.err.a[0] == 1);
    sw_fail(&cx, SW_ERR_INTERRUPT, 0, 0, 0, 0);
    CHECK(!sw_err_matches(&cx, "") && !sw_err_matches(&cx, "Exception\0"));
}

static char printed[200];

static void
on_write(const char *s, size_t n)
{
    memcpy(printed, s, n);
    printed[n] = 0;
}

static void
test_print(void)
{
    double x = 0.1;
    uint64_t slots[4] = {(uint64_t)-3, UINT64_MAX, 0, 1};
    memcpy(&slots[2], &x, 8);
    SwSite site = {.format = "a %0d %1u%% %2g %3b\n"};
    SwFunction fn = {.n_sites = 1, .sites = &site};
    SwCtx cx = {.fn = &fn};
    rt_write_hook = on_write;
    CHECK(!sw_print(&cx, 0, slots));
    CHECK(!strcmp(printed, "a -3 18446744073709551615% 0.1 True\n"));
    rt_write_hook = NULL;
}

static int
refuse(void)
{
    return 1;
}

static int
go_on(void)
{
    return 0;
}

static void
test_interrupt(void)
{
    SwCtx cx = {0};
    CHECK(sw_interrupted(&cx) && cx.err.site == SW_ERR_INTERRUPT);
    rt_signal_hook = refuse;
    CHECK(sw_interrupted(&cx) && cx.err.site == SW_ERR_PYTHON);
    rt_signal_hook = go_on;
    CHECK(!sw_interrupted(&cx));
    rt_signal_hook = NULL;
}

static void
test_names(void)
{
    CHECK(rt_extern("sw_alloc") == (void *)(uintptr_t)sw_alloc);
    CHECK(rt_extern("sin") && rt_extern("fmodf") && rt_extern("memcpy") && rt_extern("memset"));
    CHECK(rt_extern("__truncdfhf2"));
    CHECK(!rt_extern("no_such_name") && !rt_extern("Sleef_no_such_name") && !rt_extern(""));
}

int
main(void)
{
    Dev *d = dev_cpu();
    CHECK(d == dev_cpu() && !d->init(d));
    test_sizes(d);
    test_limits(d);
    test_threads(d);
    test_copy();
    test_overlap();
    test_matches();
    test_print();
    test_interrupt();
    test_names();
    return failures != 0;
}
