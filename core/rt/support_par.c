/* SPDX-License-Identifier: BSD-3-Clause
 * Parallel loops and the shadow memory that finds races, as compiled code calls them: see rt.def. */
#include "rt/rt.h"

int
sw_parallel(SwCtx *cx, SwBody body, const uint64_t *env, int64_t n, int64_t most)
{
    (void)most;
    for (int64_t c = 0; c < n; c++)
        if (body(cx, env, c))
            return 1;
    return 0;
}

void
sw_shadow_begin(SwCtx *cx, int32_t loop)
{
    (void)cx;
    (void)loop;
}

int
sw_shadow(SwCtx *cx, int32_t loop, int64_t iteration, const void *address, int64_t bytes,
          int32_t write, int32_t site)
{
    (void)cx;
    (void)loop;
    (void)iteration;
    (void)address;
    (void)bytes;
    (void)write;
    (void)site;
    return 0;
}

void
sw_shadow_end(SwCtx *cx, int32_t loop)
{
    (void)cx;
    (void)loop;
}
