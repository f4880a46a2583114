/* SPDX-License-Identifier: BSD-3-Clause
 * The shadow memory that finds races, as compiled code calls it: see rt.def. */
#include "rt/rt.h"

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
