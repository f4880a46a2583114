/* SPDX-License-Identifier: BSD-3-Clause
 * Checks of the pool and of sw_parallel on it: every chunk once, failures, nesting,
 * several callers, forks, stops, quotas. Says what is wrong and exits with 1. The
 * environment says how many threads. */
#include "rt/rt.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static int failures;
#define CHECK(x)                                                                                   \
    ((x) ? (void)0                                                                                 \
         : (void)(__atomic_add_fetch(&failures, 1, __ATOMIC_SEQ_CST),                              \
                  printf("line %d: %s\n", __LINE__, #x)))

enum { MANY = 100000 };

typedef struct Job {
    int *count;  /* times that each chunk ran */
    int64_t bad; /* from here on every chunk fails */
    int64_t n;
    int busy[DEV_MAX_THREADS];
    int idles, stop;
    int spin;
} Job;

static void
spin(int n)
{
    for (volatile int i = 0; i < n; i++)
        ;
}

static int
count_chunk(void *env, int64_t c, int w)
{
    Job *j = env;
    CHECK(c >= 0 && c < j->n && w >= 0 && w < dev_pool_width());
    CHECK(__atomic_add_fetch(&j->busy[w], 1, __ATOMIC_SEQ_CST) == 1);
    __atomic_add_fetch(&j->count[c], 1, __ATOMIC_RELAXED);
    spin(j->spin);
    __atomic_sub_fetch(&j->busy[w], 1, __ATOMIC_SEQ_CST);
    return c >= j->bad;
}

static void
test_sizes(void)
{
    static const int64_t sizes[] = {0, 1, 2, 3, 7, 64, 1009, 65535, 65536, MANY};
    for (int k = 0; k < SW_LEN(sizes); k++)
        for (int most = 0; most <= 3; most++) {
            int64_t n = sizes[k];
            Job j = {calloc(MANY, sizeof(int)), INT64_MAX, n, {0}, 0, 0, 0};
            CHECK(dev_pool_run(count_chunk, &j, n, most, NULL) == 0);
            for (int64_t c = 0; c < MANY; c++)
                CHECK(j.count[c] == (c < n));
            free(j.count);
        }
}

/* Chunks before the first that fails all run, and it is the one that is named. */
static void
test_failures(void)
{
    static const int64_t bad[] = {0, 1, 5, 50, 99, 100};
    for (int turn = 0; turn < 200; turn++)
        for (int k = 0; k < SW_LEN(bad); k++) {
            int count[100] = {0};
            Job j = {count, bad[k], 100, {0}, 0, 0, turn % 3 * 50};
            int64_t r = dev_pool_run(count_chunk, &j, 100, 0, NULL);
            CHECK(r == (bad[k] < 100 ? bad[k] + 1 : 0));
            for (int c = 0; c < 100; c++)
                CHECK(c <= bad[k] ? count[c] == 1 : count[c] <= 1);
        }
}

static int
inner_chunk(void *env, int64_t c, int w)
{
    int64_t *sum = env;
    CHECK(w == 0);
    *sum += c; /* all on one thread */
    return 0;
}

static int
outer_chunk(void *env, int64_t c, int w)
{
    int64_t sum = 0;
    (void)w;
    CHECK(dev_pool_run(inner_chunk, &sum, 10, 0, NULL) == 0);
    CHECK(sum == 45);
    __atomic_add_fetch((int64_t *)env, sum * c, __ATOMIC_RELAXED);
    return 0;
}

static void
test_nesting(void)
{
    for (int turn = 0; turn < 100; turn++) {
        int64_t sum = 0;
        CHECK(dev_pool_run(outer_chunk, &sum, 20, 0, NULL) == 0);
        CHECK(sum == 45 * 190);
    }
}

static int
add_chunk(void *env, int64_t c, int w)
{
    (void)w;
    __atomic_add_fetch((int64_t *)env, c + 1, __ATOMIC_RELAXED);
    return 0;
}

/* Long pauses now and then, so that workers sleep, too. */
static void *
many_regions(void *arg)
{
    int turns = (int)(intptr_t)arg;
    for (int i = 0; i < turns; i++) {
        int64_t sum = 0, n = i % 9 + 1;
        CHECK(dev_pool_run(add_chunk, &sum, n, 0, NULL) == 0);
        CHECK(sum == n * (n + 1) / 2);
        if (i % 500 == 0)
            usleep(300);
    }
    return NULL;
}

static void
test_callers(int n, int turns)
{
    pthread_t t[64];
    for (int i = 0; i < n; i++)
        CHECK(pthread_create(&t[i], NULL, many_regions, (void *)(intptr_t)turns) == 0);
    for (int i = 0; i < n; i++)
        pthread_join(t[i], NULL);
}

static void
test_threads(void)
{
    int width = dev_pool_width();
    CHECK(dev_pool_threads() == width);
    CHECK(dev_pool_set_threads(0) == -1 && dev_pool_set_threads(-3) == -1);
    CHECK(dev_pool_set_threads(width + 1) == -1 && dev_pool_threads() == width);
    for (int n = 1; n <= width; n++) {
        CHECK(dev_pool_set_threads(n) == 0 && dev_pool_threads() == n);
        many_regions((void *)200);
    }
}

static void
test_fork(void)
{
#ifdef __SANITIZE_THREAD__ /* which knows no threads in children */
    return;
#endif
    for (int i = 0; i < 5; i++) {
        pid_t pid = fork();
        if (pid == 0) {
            many_regions((void *)2000);
            pid_t inner = fork();
            if (inner == 0) {
                many_regions((void *)100);
                _exit(failures != 0);
            }
            int status = 1;
            waitpid(inner, &status, 0);
            _exit(failures != 0 || status != 0);
        }
        int status = 1;
        many_regions((void *)500);
        CHECK(waitpid(pid, &status, 0) == pid && status == 0);
    }
}

/* ---- waiting --------------------------------------------------------------------------------- */

static int
count_idle(void *env)
{
    Job *j = env;
    return __atomic_add_fetch(&j->idles, 1, __ATOMIC_SEQ_CST) > j->stop;
}

/* A worker, if one comes, stays until the caller has been idle a few times. */
static int
slow_chunk(void *env, int64_t c, int w)
{
    Job *j = env;
    __atomic_add_fetch(&j->count[c], 1, __ATOMIC_RELAXED);
    if (w == 0 && __atomic_load_n(&j->count[1], __ATOMIC_SEQ_CST) == 0)
        usleep(20000);
    while (w > 0 && __atomic_load_n(&j->idles, __ATOMIC_SEQ_CST) < 3)
        usleep(1000);
    return 0;
}

static void
test_idle(void)
{
    int count[2] = {0}, stopped[100] = {0};
    Job j = {count, 0, 2, {0}, 0, 100, 0};
    CHECK(dev_pool_run(slow_chunk, &j, 2, 2, count_idle) == 0);
    CHECK(count[0] == 1 && count[1] == 1);
    Job k = {stopped, 0, 100, {0}, 0, 2, 0};
    int64_t r = dev_pool_run(slow_chunk, &k, 2, 2, count_idle);
    CHECK(k.idles < 3 ? r == 0 : r == 3);
}

/* ---- sw_parallel ----------------------------------------------------------------------------- */

/* env: where to count, the first bad chunk, whether chunks wait for a stop. */
static int
body(SwCtx *cx, const uint64_t *env, int64_t c)
{
    int *count = (int *)(uintptr_t)env[0];
    __atomic_add_fetch(&count[c], 1, __ATOMIC_RELAXED);
    CHECK(cx->stack_limit < (char *)&count);
    if (c == (int64_t)env[1] || c == (int64_t)env[1] + 1) {
        usleep(c % 2 * 500);
        sw_fail(cx, 7, c, 0, 0, 0);
        return 1;
    }
    while (env[2] && cx->worker && c > (int64_t)env[1])
        if (__atomic_load_n(cx->poll, __ATOMIC_RELAXED) && sw_interrupted(cx))
            return 1;
    return 0;
}

/* Chunk env[0] fails in its own loop; those after it may be told to stop in theirs. */
static int
nested_body(SwCtx *cx, const uint64_t *env, int64_t c)
{
    int count[8] = {0};
    int64_t bad = (int64_t)env[0];
    uint64_t inner[3] = {(uint64_t)(uintptr_t)count, c == bad ? 3 : 100, 0};
    int r = sw_parallel(cx, body, inner, 8, 0);
    if (c == bad)
        CHECK(r && cx->err.site == 7 && cx->err.a[0] == 3);
    else
        CHECK(r ? c > bad && cx->err.site == SW_ERR_INTERRUPT : count[7] == 1);
    return r;
}

static SwCtx
context(volatile int32_t *poll)
{
    return (SwCtx){.poll = poll, .stack_limit = rt_stack_limit()};
}

static void
test_errors(void)
{
    for (int turn = 0; turn < 300; turn++) {
        int count[64] = {0};
        int64_t bad = turn % 63;
        uint64_t env[3] = {(uint64_t)(uintptr_t)count, (uint64_t)bad, turn % 2};
        SwCtx cx = context((volatile int32_t *)&rt_never);
        CHECK(sw_parallel(&cx, body, env, 64, turn % 5) == 1);
        CHECK(cx.err.site == 7 && cx.err.a[0] == bad);
        for (int64_t c = 0; c <= bad; c++)
            CHECK(count[c] == 1);
        env[1] = 1000;
        env[2] = 0;
        CHECK(sw_parallel(&cx, body, env, 64, 0) == 0);
        uint64_t at = (uint64_t)(turn % 20);
        CHECK(sw_parallel(&cx, nested_body, &at, 20, 0) == 1);
        CHECK(cx.err.site == 7 && cx.err.a[0] == 3);
    }
}

/* Each chunk goes on until it is interrupted; so does the caller, when it only waits. */
static int
endless_body(SwCtx *cx, const uint64_t *env, int64_t c)
{
    (void)env;
    if (c == 0 && !cx->worker)
        return 0;
    for (;;)
        if (__atomic_load_n(cx->poll, __ATOMIC_RELAXED) && sw_interrupted(cx))
            return 1;
}

static volatile int32_t flag;

static void *
raise_flag(void *unused)
{
    (void)unused;
    usleep(5000);
    __atomic_store_n(&flag, 1, __ATOMIC_SEQ_CST);
    return NULL;
}

static void
test_interrupt(void)
{
    for (int turn = 0; turn < 20; turn++) {
        pthread_t t;
        SwCtx cx = context(&flag);
        __atomic_store_n(&flag, 0, __ATOMIC_SEQ_CST);
        pthread_create(&t, NULL, raise_flag, NULL);
        CHECK(sw_parallel(&cx, endless_body, NULL, turn % 3 + 2, 0) == 1);
        CHECK(cx.err.site == SW_ERR_INTERRUPT);
        pthread_join(t, NULL);
    }
}

/* ---- quotas ---------------------------------------------------------------------------------- */

static void
put(const char *root, const char *name, const char *text)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s", root, name);
    for (char *s = path + strlen(root) + 1; (s = strchr(s, '/')); *s++ = '/') {
        *s = 0;
        mkdir(path, 0700);
    }
    FILE *f = fopen(path, "w");
    CHECK(f && fputs(text, f) >= 0);
    if (f)
        fclose(f);
}

static int
quota(const char *root, const char *lines)
{
    char path[512];
    put(root, "self", lines);
    snprintf(path, sizeof path, "%s/self", root);
    return dev_cpu_quota(path, root);
}

static void
test_quota(const char *root)
{
    CHECK(dev_cpu_quota("/nowhere", "/nowhere") == 0);
    CHECK(quota(root, "0::/a/b\n") == 0);
    put(root, "a/b/cpu.max", "max 100000\n");
    CHECK(quota(root, "0::/a/b\n") == 0);
    put(root, "a/cpu.max", "250000 100000\n");
    CHECK(quota(root, "0::/a/b\n") == 3);
    put(root, "a/b/cpu.max", "50000 100000\n");
    CHECK(quota(root, "1:name=systemd:/x\n0::/a/b\n") == 1);
    CHECK(quota(root, "0::/\n") == 0);
    put(root, "cpu/q/cpu.cfs_quota_us", "-1\n");
    put(root, "cpu/q/cpu.cfs_period_us", "100000\n");
    CHECK(quota(root, "4:cpu,cpuacct:/q\n") == 0);
    put(root, "cpu/q/cpu.cfs_quota_us", "400000\n");
    CHECK(quota(root, "4:cpuset:/q\n") == 0);
    CHECK(quota(root, "4:cpuacct,cpu:/q\n") == 4);
    put(root, "cpu/cpu.cfs_quota_us", "150000\n");
    put(root, "cpu/cpu.cfs_period_us", "100000\n");
    CHECK(quota(root, "4:cpu:/not/there\n") == 2);
    put(root, "a/cpu.max", "9000000000000000000 1\n");
    CHECK(quota(root, "0::/a\n") == DEV_MAX_THREADS);
    CHECK(quota(root, "nonsense\n::\n:\n0:/\n") == 0);
}

int
main(int argc, char **argv)
{
    if (argc > 1)
        test_quota(argv[1]);
    test_fork();
    test_sizes();
    test_failures();
    test_nesting();
    test_callers(1, 20000);
    test_callers(2, 5000);
    test_callers(24, 500); /* more than there are regions */
    test_idle();
    test_errors();
    test_interrupt();
    test_fork();
    test_threads();
    return failures ? 1 : 0;
}
