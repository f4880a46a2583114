/* SPDX-License-Identifier: BSD-3-Clause
 * A parallel loop of two iterations that hardly do anything: what it costs to begin and
 * to end one. Built with -DPOOL for our pool, else for OpenMP. forkjoin MODE COUNT WORK
 * prints a time in ns a line. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#ifdef POOL
#include "dev/dev.h"
#endif

static int64_t
now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

static volatile int64_t sink[64];
static int64_t work; /* steps of one iteration */

static void
iteration(int64_t i)
{
    uint64_t x = (uint64_t)i + 1;
    for (int64_t k = 0; k < work; k++)
        x = x * 6364136223846793005u + 1442695040888963407u;
    sink[i * 8] = (int64_t)x;
}

#ifdef POOL
static int
chunk(void *env, int64_t c, int w)
{
    (void)env;
    (void)w;
    iteration(c);
    return 0;
}
#endif

static void
loop(int serial)
{
    if (serial) {
        for (int i = 0; i < 2; i++)
            iteration(i);
        return;
    }
#ifdef POOL
    dev_pool_run(chunk, NULL, 2, 2, NULL);
#else
#pragma omp parallel for num_threads(2) schedule(static, 1)
    for (int i = 0; i < 2; i++)
        iteration(i);
#endif
}

static void
nap(int64_t ns)
{
    struct timespec t = {0, ns};
    nanosleep(&t, NULL);
}

/* Back to back: an average of each hundred. Otherwise one by one, after a pause. */
int
main(int argc, char **argv)
{
    const char *mode = argc > 1 ? argv[1] : "again";
    int count = argc > 2 ? atoi(argv[2]) : 100, serial = strstr(mode, "serial") != NULL;
    int again = strstr(mode, "again") != NULL, inner = again ? 100 : 1;
    work = argc > 3 ? atoll(argv[3]) : 0;
    for (int i = 0; i < 1000; i++)
        loop(serial);
    int64_t *took = malloc(sizeof *took * (size_t)count);
    for (int i = 0; took && i < count; i++) {
        if (!again)
            nap(strstr(mode, "idle") ? 10000000 : 200000);
        int64_t start = now();
        for (int k = 0; k < inner; k++)
            loop(serial);
        took[i] = (now() - start) / inner;
    }
    for (int i = 0; took && i < count; i++)
        printf("%lld\n", (long long)took[i]);
    free(took);
    return 0;
}
