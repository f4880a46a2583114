/* SPDX-License-Identifier: BSD-3-Clause
 * Kernels under debug, as compiled code tells of them: see rt.def. Takes where threads
 * wait, and finds those that never come. The threads of a block run up to a barrier one
 * by one, and go on one by one, so the first that goes on shows that all have come who
 * ever will. One that has not and is not known to have ended runs on until it waits
 * elsewhere or ends, so that the message can say where; what is seen in between counts
 * for nothing. */
#include "rt/watch.h"

#include <stdlib.h>

int
watch_fail(SwCtx *cx, int32_t what, int32_t site, int32_t also, int64_t index, int thread,
           int other, int64_t d)
{
    const Watch *w = cx->watch;
    int64_t place[2];
    int n[2] = {thread, other};
    for (int k = 0; k < 2; k++) {
        int64_t row = n[k] / w->dim[0];
        place[k] = n[k] % w->dim[0] | row % w->dim[1] << 10 | row / w->dim[1] << 20;
    }
    sw_fail(cx, site, index, place[0] | place[1] << 32, w->block, d);
    cx->err.what = what;
    cx->err.also = also;
    /* the text is made when the launch is over: blocks are said by their places, too */
    uint64_t gx = (uint64_t)w->grid[0], gy = (uint64_t)w->grid[1];
    for (int k = 2; k < 4 && (k == 2 || (what & 15) == WATCH_RACE); k++) {
        uint64_t b = (uint64_t)cx->err.a[k];
        cx->err.a[k] = (int64_t)(b % gx | b / gx % gy << 32 | b / gx / gy << 48);
    }
    return 1;
}

/* ---- launches and blocks
 * ----------------------------------------------------------------------- */

void
rt_watch_free(SwCtx *cx)
{
    Watch *w = cx->watch;
    cx->watch = NULL;
    if (!w)
        return;
    watch_free_memory(&w->global);
    watch_free_memory(&w->shared);
    watch_free_memory(&w->local);
    watch_free_order(&w->order);
    free(w->range);
    free(w);
}

int
sw_watch_begin(SwCtx *cx, int64_t x, int64_t y, int64_t z, int64_t gx, int64_t gy)
{
    rt_watch_free(cx);
    Watch *w = cx->watch = calloc(1, sizeof *w);
    if (!w) {
        sw_fail(cx, SW_ERR_MEMORY, 0, 0, 0, 0);
        return 1;
    }
    memcpy(w->dim, (int64_t[]){x, y, z}, sizeof w->dim);
    memcpy(w->grid, (int64_t[]){gx, gy}, sizeof w->grid);
    w->n_threads = (int)(x * y * z);
    w->now = 1;
    w->lost = -1;
    watch_forget(&w->global);
    return 0;
}

int
sw_watch_block(SwCtx *cx, int64_t block)
{
    Watch *w = cx->watch;
    if (!w)
        return 0;
    w->block = block;
    w->met = watch_tick(w);
    w->n_here = 0;
    w->lost = -1;
    w->fenced = false;
    memset(w->thread, 0, sizeof *w->thread * (size_t)w->n_threads);
    memset(w->warp_here, 0, sizeof w->warp_here);
    watch_forget(&w->shared);
    watch_forget(&w->local);
    return 0;
}

int
sw_watch_thread(SwCtx *cx, int64_t thread)
{
    if (cx->watch)
        cx->watch->thread_now = (int)thread;
    return 0;
}

int
sw_watch_end(SwCtx *cx)
{
    rt_watch_free(cx);
    return 0;
}

int
sw_watch_fence(SwCtx *cx, int64_t thread, int32_t scope)
{
    Watch *w = cx->watch;
    if (!w || watch_fence(w, (int)thread, scope == FENCE_BLOCK))
        return 0;
    sw_fail(cx, SW_ERR_MEMORY, 0, 0, 0, 0);
    return 1;
}

/* ---- barriers
 * ---------------------------------------------------------------------------------- */

static int
lost(SwCtx *cx, int how, int32_t also)
{
    const Watch *w = cx->watch;
    return watch_fail(cx, WATCH_BARRIER, w->lost_site, also, 0, w->waits, w->lost, how);
}

int
sw_watch_arrive(SwCtx *cx, int64_t thread, int32_t site)
{
    Watch *w = cx->watch;
    if (!w)
        return 0;
    if (w->lost >= 0)
        return w->lost == thread ? lost(cx, LOST_ELSEWHERE, site) : 0;
    if (w->n_here++ == 0) {
        w->serial++;
        w->first_here = (int)thread;
        w->here_site = site;
    }
    w->thread[thread].at = w->serial;
    return 0;
}

int
sw_watch_leave(SwCtx *cx, int64_t thread)
{
    Watch *w = cx->watch;
    if (!w || w->n_here == 0 ||
        w->thread[thread].at != w->serial) /* others may be at the next one */
        return 0;
    bool all = w->n_here == w->n_threads;
    w->n_here = 0;
    w->met = watch_tick(w);
    if (all)
        return 0;
    int k = 0;
    while (w->thread[k].at == w->serial)
        k++;
    w->lost = k;
    w->waits = w->first_here;
    w->lost_site = w->here_site;
    if (!w->thread[k].returned)
        return 0;
    int32_t site = w->thread[k].return_site;
    return lost(cx, site < 0 ? LOST_ENDS : LOST_RETURNED, site);
}

int
sw_watch_return(SwCtx *cx, int64_t thread, int32_t site)
{
    Watch *w = cx->watch;
    if (!w)
        return 0;
    w->thread[thread].returned = true;
    w->thread[thread].return_site = site;
    return w->lost == thread ? lost(cx, site < 0 ? LOST_ENDS : LOST_RETURNED, site) : 0;
}

/* ---- warps
 * -------------------------------------------------------------------------------------
 */

int
sw_watch_warp(SwCtx *cx, int64_t thread, int64_t mask, int32_t site)
{
    Watch *w = cx->watch;
    (void)site;
    if (!w)
        return 0;
    int warp = (int)thread / WATCH_WARP;
    w->warp_serial[warp] += w->warp_here[warp] == 0;
    w->thread[thread].mask = (uint32_t)mask;
    w->thread[thread].warp_at = w->warp_serial[warp];
    w->warp_here[warp] |= 1u << thread % WATCH_WARP;
    return 0;
}

/* Each thread of `took` sees what any of these has done, and what any of these has seen.
 */
static void
meet(Watch *w, int warp, uint32_t took)
{
    uint32_t(*met)[WATCH_WARP] = w->warp_met[warp], now = watch_tick(w);
    for (int i = 0; i < WATCH_WARP; i++) {
        uint32_t best = took >> i & 1 ? now : 0;
        for (int j = 0; j < WATCH_WARP && best < now; j++)
            if (took >> j & 1 && met[i][j] > best)
                best = met[i][j];
        for (int j = 0; j < WATCH_WARP; j++)
            if (took >> j & 1)
                met[i][j] = best;
    }
    for (int j = 0; j < WATCH_WARP; j++)
        if (took >> j & 1)
            w->thread[warp * WATCH_WARP + j].warp_met = now;
}

static int
check_masks(SwCtx *cx, int warp, uint32_t took, int32_t site)
{
    const Watch *w = cx->watch;
    int first = warp * WATCH_WARP;
    for (int i = 0; i < WATCH_WARP; i++) {
        uint32_t mask = took >> i & 1 ? w->thread[first + i].mask : 0;
        if (mask && !(mask >> i & 1))
            return watch_fail(cx, WATCH_NOT_MINE, site, -1, 0, first + i, 0, 0);
        for (int j = 0; j < WATCH_WARP && first + j < w->n_threads; j++)
            if (mask >> j & 1 && !(took >> j & 1) && !w->thread[first + j].returned)
                return watch_fail(cx, WATCH_MASK, site, -1, 0, first + i, first + j, 0);
    }
    return 0;
}

static int
lane_of(int shuffle, int me, int64_t k)
{
    int64_t from = shuffle == WARP_SHFL       ? k & (WATCH_WARP - 1)
                   : shuffle == WARP_SHFL_XOR ? (me ^ k) & (WATCH_WARP - 1)
                   : shuffle == WARP_SHFL_UP  ? me - k
                                              : me + k;
    return from < 0 || from >= WATCH_WARP ? me : (int)from;
}

int
sw_watch_warp_leave(SwCtx *cx, int64_t thread, int32_t site, int32_t shuffle,
                    int64_t lane)
{
    Watch *w = cx->watch;
    if (!w || w->lost >= 0)
        return 0;
    int warp = (int)thread / WATCH_WARP, me = (int)thread % WATCH_WARP;
    uint32_t took = w->warp_here[warp];
    if (took && w->thread[thread].warp_at == w->warp_serial[warp]) {
        w->warp_took[warp] = took;
        w->warp_here[warp] = 0;
        if (check_masks(cx, warp, took, site))
            return 1;
        meet(w, warp, took);
    }
    int from = shuffle < 0 ? me : lane_of(shuffle, me, lane);
    if (w->warp_took[warp] >> from & 1)
        return 0;
    return watch_fail(cx, WATCH_LANE, site, -1, from, (int)thread, 0, 0);
}
