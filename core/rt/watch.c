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
    bool places[] = {(what & 15) == WATCH_BARRIER, false, true, (what & 15) == WATCH_RACE};
    for (int k = 0; k < 4; k++) {
        if (!places[k])
            continue;
        uint64_t b = (uint64_t)cx->err.a[k];
        cx->err.a[k] = (int64_t)(b % gx | b / gx % gy << 32 | b / gx / gy << 48);
    }
    return 1;
}

/* ---- launches and blocks --------------------------------------------------------------------- */

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
    for (int64_t i = 0; w->blocks && i < w->n_blocks; i++) {
        free(w->blocks[i].thread);
        free(w->blocks[i].warp_met);
    }
    free(w->blocks);
    free(w);
}

static int
no_memory(SwCtx *cx)
{
    sw_fail(cx, SW_ERR_MEMORY, 0, 0, 0, 0);
    return 1;
}

int
sw_watch_begin(SwCtx *cx, int64_t x, int64_t y, int64_t z, int64_t gx, int64_t gy, int64_t together)
{
    rt_watch_free(cx);
    Watch *w = cx->watch = calloc(1, sizeof *w);
    if (!w)
        return no_memory(cx);
    memcpy(w->dim, (int64_t[]){x, y, z}, sizeof w->dim);
    memcpy(w->grid, (int64_t[]){gx, gy}, sizeof w->grid);
    w->n_threads = (int)(x * y * z);
    w->together = together > 0;
    w->n_blocks = together > 0 ? together : 1;
    w->now = w->grid_serial = 1;
    w->lost = -1;
    watch_forget(&w->global);
    watch_forget(&w->shared);
    watch_forget(&w->local);
    w->b = w->blocks = calloc((size_t)w->n_blocks, sizeof *w->blocks);
    return w->blocks ? 0 : no_memory(cx);
}

static bool
begin_block(Watch *w)
{
    WatchBlock *b = w->b;
    int warps = (w->n_threads + WATCH_WARP - 1) / WATCH_WARP;
    ThreadState *thread = b->thread;
    uint32_t(*met)[WATCH_WARP][WATCH_WARP] = b->warp_met;
    if (!thread)
        thread = malloc((size_t)w->n_threads * sizeof *thread);
    if (!met)
        met = calloc((size_t)warps, sizeof *met);
    *b = (WatchBlock){.begun = true, .thread = thread, .warp_met = met, .met = watch_tick(w)};
    if (!thread || !met)
        return false;
    memset(thread, 0, (size_t)w->n_threads * sizeof *thread);
    return true;
}

/* Blocks that live together are met once between any two barriers. */
int
sw_watch_block(SwCtx *cx, int64_t block)
{
    Watch *w = cx->watch;
    if (!w)
        return 0;
    w->block = block;
    w->b = &w->blocks[w->together ? block : 0];
    if (w->together && w->b->begun)
        return 0;
    if (!begin_block(w))
        return no_memory(cx);
    if (w->together)
        return 0;
    w->lost = -1;
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
    return no_memory(cx);
}

/* ---- barriers -------------------------------------------------------------------------------- */

static int
lost(SwCtx *cx, int how, int32_t also)
{
    Watch *w = cx->watch;
    w->block = w->waits_block;
    return watch_fail(cx, WATCH_BARRIER, w->lost_site, also, w->lost_block, w->waits, w->lost, how);
}

static bool
is_lost(const Watch *w, int64_t thread)
{
    return w->lost == thread && w->lost_block == w->block;
}

int
sw_watch_arrive(SwCtx *cx, int64_t thread, int32_t site, int32_t grid)
{
    Watch *w = cx->watch;
    if (!w)
        return 0;
    WatchBlock *b = w->b;
    if (w->lost >= 0)
        return is_lost(w, thread) ? lost(cx, LOST_ELSEWHERE, site) : 0;
    if (b->n_here++ == 0) {
        b->serial++;
        b->first_here = (int)thread;
        b->here_site = site;
        b->here_grid = grid ? w->grid_serial : 0;
    }
    w->grid_here += grid && b->here_grid == w->grid_serial;
    b->thread[thread].at = b->serial;
    return 0;
}

/* Is `thread` of a block not where others wait, who have waited in vain? */
static int
miss(SwCtx *cx, const WatchBlock *waits, int64_t block, int thread)
{
    Watch *w = cx->watch;
    const ThreadState *t = w->blocks[w->together ? block : 0].thread;
    w->lost = thread;
    w->lost_block = block;
    w->waits = waits->first_here;
    w->waits_block = w->block;
    w->lost_site = waits->here_site;
    if (!t || !t[thread].returned)
        return 0;
    int32_t site = t[thread].return_site;
    return lost(cx, site < 0 ? LOST_ENDS : LOST_RETURNED, site);
}

/* The first of all that have waited for the grid goes on. */
static int
leave_grid(SwCtx *cx)
{
    Watch *w = cx->watch;
    WatchBlock *b = w->b;
    uint32_t serial = w->grid_serial;
    if (b->here_grid != serial)
        return 0;
    bool all = w->grid_here == w->n_blocks * w->n_threads;
    w->grid_serial++;
    w->grid_here = 0;
    w->grid_met = watch_tick(w);
    for (int64_t i = 0; i < w->n_blocks && !all; i++) {
        const WatchBlock *o = &w->blocks[i];
        for (int k = 0; k < w->n_threads; k++)
            if (!o->thread || o->here_grid != serial || o->thread[k].at != o->serial)
                return miss(cx, b, i, k);
    }
    return 0;
}

int
sw_watch_leave(SwCtx *cx, int64_t thread)
{
    Watch *w = cx->watch;
    if (!w || w->lost >= 0)
        return 0;
    WatchBlock *b = w->b;
    if (b->n_here == 0 || b->thread[thread].at != b->serial) /* others may be at the next one */
        return 0;
    bool all = b->n_here == w->n_threads;
    b->n_here = 0;
    b->met = watch_tick(w);
    if (all)
        return b->here_grid ? leave_grid(cx) : 0;
    int k = 0;
    while (b->thread[k].at == b->serial)
        k++;
    return miss(cx, b, w->block, k);
}

int
sw_watch_return(SwCtx *cx, int64_t thread, int32_t site)
{
    Watch *w = cx->watch;
    if (!w)
        return 0;
    w->b->thread[thread].returned = true;
    w->b->thread[thread].return_site = site;
    return is_lost(w, thread) ? lost(cx, site < 0 ? LOST_ENDS : LOST_RETURNED, site) : 0;
}

/* ---- warps ----------------------------------------------------------------------------------- */

int
sw_watch_warp(SwCtx *cx, int64_t thread, int64_t mask, int32_t site)
{
    Watch *w = cx->watch;
    (void)site;
    if (!w)
        return 0;
    int warp = (int)thread / WATCH_WARP;
    w->b->warp_serial[warp] += w->b->warp_here[warp] == 0;
    w->b->thread[thread].mask = (uint32_t)mask;
    w->b->thread[thread].warp_at = w->b->warp_serial[warp];
    w->b->warp_here[warp] |= 1u << thread % WATCH_WARP;
    return 0;
}

/* Each thread of `took` sees what any of these has done, and what any of these has seen.
 */
static void
meet(Watch *w, int warp, uint32_t took)
{
    uint32_t(*met)[WATCH_WARP] = w->b->warp_met[warp], now = watch_tick(w);
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
            w->b->thread[warp * WATCH_WARP + j].warp_met = now;
}

static int
check_masks(SwCtx *cx, int warp, uint32_t took, int32_t site)
{
    const Watch *w = cx->watch;
    int first = warp * WATCH_WARP;
    for (int i = 0; i < WATCH_WARP; i++) {
        uint32_t mask = took >> i & 1 ? w->b->thread[first + i].mask : 0;
        if (mask && !(mask >> i & 1))
            return watch_fail(cx, WATCH_NOT_MINE, site, -1, 0, first + i, 0, 0);
        for (int j = 0; j < WATCH_WARP && first + j < w->n_threads; j++)
            if (mask >> j & 1 && !(took >> j & 1) && !w->b->thread[first + j].returned)
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
sw_watch_warp_leave(SwCtx *cx, int64_t thread, int32_t site, int32_t shuffle, int64_t lane)
{
    Watch *w = cx->watch;
    if (!w || w->lost >= 0)
        return 0;
    int warp = (int)thread / WATCH_WARP, me = (int)thread % WATCH_WARP;
    uint32_t took = w->b->warp_here[warp];
    if (took && w->b->thread[thread].warp_at == w->b->warp_serial[warp]) {
        w->b->warp_took[warp] = took;
        w->b->warp_here[warp] = 0;
        if (check_masks(cx, warp, took, site))
            return 1;
        meet(w, warp, took);
    }
    int from = shuffle < 0 ? me : lane_of(shuffle, me, lane);
    if (w->b->warp_took[warp] >> from & 1)
        return 0;
    return watch_fail(cx, WATCH_LANE, site, -1, from, (int)thread, 0, 0);
}
