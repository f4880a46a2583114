/* SPDX-License-Identifier: BSD-3-Clause
 * The pool of workers. */
#include "dev/dev.h"

int64_t
dev_pool_run(DevChunk body, void *env, int64_t n, int most, int (*idle)(void *env))
{
    (void)most;
    (void)idle;
    for (int64_t c = 0; c < n; c++)
        if (body(env, c, 0))
            return c + 1;
    return 0;
}

int
dev_pool_width(void)
{
    return 1;
}

int
dev_pool_threads(void)
{
    return 1;
}

int
dev_pool_set_threads(int n)
{
    return n == 1 ? 0 : -1;
}
