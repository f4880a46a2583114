/* SPDX-License-Identifier: BSD-3-Clause
 * Stands before glibc's allocation: in the thread that asks for it, the n-th request from now
 * fails, alone or with all that follow. Preloaded by test_failing_memory.py. */
#include <errno.h>
#include <stddef.h>

extern void *__libc_malloc(size_t n);
extern void *__libc_calloc(size_t n, size_t size);
extern void *__libc_realloc(void *p, size_t n);
extern void *__libc_memalign(size_t align, size_t n);

static __thread long left __attribute__((tls_model("initial-exec")));
static __thread int all __attribute__((tls_model("initial-exec")));

/* 0: none fails. Returns whether the one asked for before has failed. */
int
fail_request(long n, int and_all_that_follow)
{
    int failed = left < 0;
    left = n;
    all = and_all_that_follow;
    return failed;
}

static int
fails(void)
{
    if (!left || (left < 0 && !all) || (left > 0 && --left))
        return 0;
    left = -1;
    errno = ENOMEM;
    return 1;
}

void *
malloc(size_t n)
{
    return fails() ? NULL : __libc_malloc(n);
}

void *
calloc(size_t n, size_t size)
{
    return fails() ? NULL : __libc_calloc(n, size);
}

void *
realloc(void *p, size_t n)
{
    return fails() ? NULL : __libc_realloc(p, n);
}

void *
aligned_alloc(size_t align, size_t n)
{
    return fails() ? NULL : __libc_memalign(align, n);
}
