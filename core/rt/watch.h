/* SPDX-License-Identifier: BSD-3-Clause
 * What the files of watch share: a launch of a kernel under debug. Everything runs on one
 * worker, one thread after the other from barrier to barrier, so `now` orders all that
 * happens; it moves on when threads meet. What has to be found out is what would be
 * ordered however they ran: see watch_order.c. */
#ifndef SWATHE_RT_WATCH_H
#define SWATHE_RT_WATCH_H
#include "ir/ir.h"
#include "rt/rt.h"

enum { WATCH_THREADS = 1024, WATCH_WARP = 32 };

/* ---- growable arrays, by index: 0 is none ---- */
typedef struct WatchTable { /* uint64 -> uint32 that is not 0 */
    uint64_t *key;
    uint32_t *val;
    size_t n, cap; /* cap: 0 or a power of two */
} WatchTable;

uint32_t watch_get(const WatchTable *t, uint64_t key);
uint32_t *watch_put(WatchTable *t,
                    uint64_t key); /* where its value is, 0 when new; NULL: no memory */
void watch_clear(WatchTable *t);
void watch_free(WatchTable *t);
/* Room for one more of `size` bytes; false: no memory. */
bool watch_room(void **at, uint32_t n, uint32_t *cap, size_t size);

/* ---- memory ---- */
typedef struct Access { /* what one thread has done to some bytes of a granule, last */
    uint64_t who;       /* block * WATCH_THREADS + thread */
    uint64_t value;     /* of a write: what was written */
    uint32_t time, next;
    int32_t site;
    uint8_t how, from, size; /* IrTouch; bytes */
} Access;

typedef struct Granule { /* 8 bytes of memory */
    uint32_t first;      /* Access */
    uint8_t written;     /* by byte */
    uint32_t owner;      /* of memory of a thread: who has written it */
} Granule;

typedef struct Memory {
    WatchTable at; /* address / 8 -> granule */
    Granule *granule;
    Access *access;
    uint32_t n_granules, cap_granules, n_accesses, cap_accesses, unused; /* a list of accesses */
} Memory;

void watch_forget(Memory *m); /* all that was seen */
void watch_free_memory(Memory *m);

/* ---- order between blocks, and by locks: watch_order.c ---- */
typedef struct Fence {   /* of one thread, seen by all blocks */
    uint32_t time, prev; /* of the same thread */
} Fence;

typedef struct Release { /* a thread does an atomic operation, and there have been fences
                            in its block */
    uint64_t block;
    uint32_t thread, place, index,
        prev;                     /* index: in the place; prev: of the same block and place */
    uint32_t time, met, warp_met; /* of its own fence, or 0; when the block, the warp had
                                     met last before it */
    uint32_t block_met;           /* before the operation */
    bool inside;                  /* its fence is seen by its own block only */
} Release;

typedef struct Acquire { /* an atomic operation where others have released */
    uint64_t block;
    uint32_t thread, time, place, upto,
        prev; /* upto: of the place's releases; prev: of the same block */
} Acquire;

typedef struct Place { /* what atomic operations use */
    uint32_t n, cap;
    uint32_t *release;    /* Release, in order */
    uint32_t asked, upto; /* the question that was here last, and how far it looked */
} Place;

typedef struct Order {
    /* address -> Place; place, block -> its last Release; block -> last Acquire; who ->
     * last Fence */
    WatchTable places, last, blocks, fences;
    Fence *fence;
    uint32_t n_fences, cap_fences;
    Place *place;
    Release *release;
    Acquire *acquire;
    uint32_t n_places, cap_places, n_releases, cap_releases, n_acquires, cap_acquires, questions;
} Order;

/* ---- a launch ---- */
typedef struct ThreadState {
    uint32_t fenced, met, fence_warp_met; /* time of its last fence, 0: none in this
                                             block; of what was met before */
    uint32_t warp_met;                    /* when it met others of its warp last */
    bool fenced_inside;
    uint32_t at; /* the barrier's serial number that it waits at */
    bool returned;
    int32_t return_site;
    uint32_t mask, warp_at; /* of the operation of its warp */
} ThreadState;

typedef struct Range { /* memory that is not of the grid */
    uint64_t start, end;
    int space;
} Range;

typedef struct WatchBlock {
    bool begun;
    uint32_t met; /* time of its last barrier */
    bool fenced;  /* some thread of it has */
    ThreadState *thread;
    uint32_t serial;        /* of barriers */
    int n_here, first_here; /* threads waiting */
    int32_t here_site;
    uint32_t here_grid; /* they wait for the grid: the serial of that; or 0 */
    uint32_t warp_here[WATCH_WARP], warp_took[WATCH_WARP], warp_serial[WATCH_WARP];
    uint32_t (
        *warp_met)[WATCH_WARP][WATCH_WARP]; /* warp, i, j: what i did before that, j has met */
} WatchBlock;

typedef struct Watch {
    int64_t dim[3], grid[2];
    int64_t block, n_blocks; /* n_blocks: of those that live together, or 1 */
    bool together;
    int n_threads;
    uint32_t now; /* time */
    WatchBlock *b, *blocks;
    uint32_t grid_serial, grid_met; /* of barriers of the grid: the next; time of the last */
    int64_t grid_here;              /* threads waiting there */
    Memory global, shared, local;
    Range *range;
    uint32_t n_ranges, cap_ranges;
    int thread_now; /* that has called a function */
    Order order;
    int lost, waits; /* a thread that others wait for in vain, and one of these; lost < 0:
                        none */
    int64_t lost_block, waits_block;
    int32_t lost_site;
} Watch;

uint32_t watch_tick(Watch *w); /* time moves on; yields the new one */
/* Is what `a` did before whatever `thread` of this block does now, in any run? */
bool watch_ordered(Watch *w, const Access *a, int thread);
bool watch_atomic(Watch *w, uint64_t address, int thread); /* false: no memory */
bool watch_fence(Watch *w, int thread, bool inside);       /* likewise */
void watch_free_order(Order *o);

/* ---- watch_text.c: errors. `what` of SwError ---- */
enum {
    WATCH_RACE = 1,  /* a: index, own thread | other << 32, own block, other; what: + how
                        << 4 + other's how << 6 */
    WATCH_UNWRITTEN, /* a: index, thread, block, space */
    WATCH_BARRIER,   /* a: block of the lost one, thread that waits | lost << 32, block, LOST_* */
    WATCH_MASK,      /* a: 0, thread | that its mask names << 32, block */
    WATCH_NOT_MINE,  /* a: 0, thread, block */
    WATCH_LANE,      /* a: lane, thread, block */
};

enum { LOST_RETURNED, LOST_ENDS, LOST_ELSEWHERE };

int watch_fail(SwCtx *cx, int32_t what, int32_t site, int32_t also, int64_t index, int thread,
               int other, int64_t d);
#endif
