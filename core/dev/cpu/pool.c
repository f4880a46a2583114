/* SPDX-License-Identifier: BSD-3-Clause
 * The pool of workers. A caller puts its loop in one of a few regions that live as long
 * as the pool, goes through the chunks itself, and waits for those alone that another
 * thread has begun: a worker that the system does not run is not missed. The chunks are
 * cut into a block for each thread, in order, so that the same worker meets the same data
 * in each loop; who has emptied its own takes from the ends of others. The hard idea:
 * nobody says goodbye. A word of a block holds the region's generation beside its bounds,
 * so a worker that wakes late finds words that its compare-and-swap no longer fits, and
 * whoever took a chunk holds the region until it has counted it done. Idle workers spin
 * for a moment, then sleep on `epoch`, which each new region changes. */
#include "dev/dev.h"

#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum {
    REGIONS = 16,         /* callers at once; one more runs its loop alone */
    UNITS = 0xffff,       /* of a region: chunks beyond that are taken several at a time */
    IDLE_SPIN_NS = 50000, /* a worker, before it sleeps */
    WAIT_SPIN_NS = 30000, /* a caller, before it sleeps */
    WAIT_NS = 20000000,   /* and how often it looks at `idle` then */
    WAKE = 4,             /* workers that one thread wakes; they wake others */
    STACK = 8 << 20,
};

#define SLEEPS 0x80000000u /* in `pending`: the caller waits on it */

typedef struct Block {
    _Alignas(64) uint64_t word; /* generation << 32 | first << 16 | end: units not yet taken */
} Block;

typedef struct Region {
    _Alignas(64) uint64_t join; /* generation << 32 | blocks << 16 | workers still wanted */
    DevChunk body;              /* these are read by who has taken a unit */
    void *env;
    int64_t n, per;                /* chunks; chunks of a unit */
    int64_t fail;                  /* least chunk that failed, n for none, -1 to stop at once */
    _Alignas(64) uint32_t pending; /* units not done */
    _Alignas(64) uint32_t busy;    /* a caller has it */
    uint32_t generation;
    Block *block; /* [width] */
} Region;

typedef struct Pool {
    _Alignas(64) uint32_t epoch;
    int caller_cpu;             /* where the last region was opened */
    _Alignas(64) uint32_t idle; /* workers asleep << 16 | workers that spin */
    int n_workers, n_regions;   /* that exist; that were ever used */
    bool full;                  /* no further thread could be made */
    int width;
    Region region[REGIONS];
} Pool;

enum { SPINS = 1, ASLEEP = 1 << 16 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of making the pool and its threads */
static Pool *pool;
static int width;      /* 0: not known yet */
static unsigned forks; /* of this process's ancestors */

static _Thread_local struct {
    bool inside; /* runs chunks: what it starts runs on it alone */
    int threads; /* its own setting; 0: all */
    int region;  /* the one it had last */
    int number;  /* among the threads of the region that it helps with; 0: the caller */
} me;

#define LOAD(p) __atomic_load_n((p), __ATOMIC_SEQ_CST)
#define LOAD_RELAXED(p) __atomic_load_n((p), __ATOMIC_RELAXED)
#define STORE(p, v) __atomic_store_n((p), (v), __ATOMIC_RELEASE)
#define ADD(p, v) __atomic_add_fetch((p), (v), __ATOMIC_SEQ_CST)
#define SWAP_IF(p, was, v)                                                                         \
    __atomic_compare_exchange_n((p), (was), (v), false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)

/* ---- waiting --------------------------------------------------------------------------------- */

static void
pause_cpu(void)
{
#if defined __x86_64__
    __builtin_ia32_pause();
#elif defined __aarch64__
    __asm__ volatile("isb");
#endif
}

static int64_t
now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

static void
futex_wait(uint32_t *word, uint32_t value, int64_t ns)
{
    struct timespec t = {0, ns};
    syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, value, ns ? &t : NULL, NULL, 0);
}

static void
futex_wake(uint32_t *word, int n)
{
    syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, n, NULL, NULL, 0);
}

/* Until *word is not `value`, for `ns` at most: whether it happened. */
static bool
spin_while(uint32_t *word, uint32_t value, int64_t ns)
{
    int64_t end = 0;
    for (;;) {
        for (int i = 0; i < 64; i++) {
            if (__atomic_load_n(word, __ATOMIC_ACQUIRE) != value)
                return true;
            pause_cpu();
        }
        int64_t now = now_ns();
        if (!end)
            end = now + ns;
        else if (now >= end)
            return false;
    }
}

/* ---- units ----------------------------------------------------------------------------------- */

/* A unit of the block, -1: there is none left for this generation. From the front for who
 * owns it. */
static int
take_unit(Block *b, uint32_t generation, bool front)
{
    uint64_t was = LOAD(&b->word);
    for (;;) {
        uint32_t lo = was >> 16 & 0xffff, hi = was & 0xffff;
        if (was >> 32 != generation || lo >= hi)
            return -1;
        if (SWAP_IF(&b->word, &was, front ? was + 0x10000 : was - 1))
            return (int)(front ? lo : hi - 1);
    }
}

static void
note_failure(Region *r, int64_t c)
{
    int64_t least = LOAD(&r->fail);
    while (c < least && !SWAP_IF(&r->fail, &least, c))
        ;
}

static void
run_unit(Region *r, int unit, int w)
{
    int64_t c = unit * r->per, end = r->n - c < r->per ? r->n : c + r->per;
    for (; c < end && c < LOAD_RELAXED(&r->fail); c++)
        if (r->body(r->env, c, w))
            note_failure(r, c);
}

/* Goes through the units, those of its own block first: how many. */
static uint32_t
run_units(Region *r, uint32_t generation, int blocks, int own, int w)
{
    uint32_t done = 0;
    for (int b = own, empty = 0; empty < blocks;) {
        int unit = take_unit(&r->block[b], generation, b == own);
        if (unit >= 0) {
            run_unit(r, unit, w);
            done++;
            empty = 0;
        } else {
            b = b + 1 == blocks ? 0 : b + 1;
            empty++;
        }
    }
    return done;
}

/* ---- workers --------------------------------------------------------------------------------- */

/* At least `n` more could help with a region: wakes a few of them, if they sleep. */
static void
wake_some(Pool *p, int n)
{
    uint32_t idle = LOAD(&p->idle);
    int spin = idle & 0xffff, asleep = (int)(idle >> 16);
    n = n - spin < asleep ? n - spin : asleep;
    if (n > 0)
        futex_wake(&p->epoch, n < WAKE ? n : WAKE);
}

/* Takes part in a region that wants it. */
static bool
help(Pool *p, Region *r, int w)
{
    uint64_t join = LOAD(&r->join);
    do
        if (!(join & 0xffff))
            return false;
    while (!SWAP_IF(&r->join, &join, join - 1));
    int wanted = join & 0xffff, blocks = join >> 16 & 0xffff;
    uint32_t generation = (uint32_t)(join >> 32);
    if (wanted > 1)
        wake_some(p, wanted - 1);
    me.number = blocks - wanted; /* each that joins finds one less wanted */
    uint32_t done = run_units(r, generation, blocks, w < blocks ? w : blocks - wanted, w);
    if (done && ADD(&r->pending, -done) == SLEEPS)
        futex_wake(&r->pending, 1);
    return true;
}

static bool
help_all(Pool *p, int w)
{
    bool any = false;
    for (int i = 0, n = LOAD(&p->n_regions); i < n; i++)
        any |= help(p, &p->region[(i + w) % n], w);
    return any;
}

/* A worker on the caller's own processor is in its way, now and when it is woken there
 * the next time: it moves elsewhere, if it may and there is room, and leaves its affinity
 * as it was. */
static bool
step_aside(Pool *p)
{
    cpu_set_t all, others;
    int cpu = sched_getcpu();
    if (cpu != LOAD_RELAXED(&p->caller_cpu))
        return true;
    if (cpu < 0 || cpu >= CPU_SETSIZE || sched_getaffinity(0, sizeof all, &all) != 0 ||
        CPU_COUNT(&all) <= LOAD_RELAXED(&p->n_workers))
        return false;
    others = all;
    CPU_CLR(cpu, &others);
    if (!CPU_COUNT(&others) || sched_setaffinity(0, sizeof others, &others) != 0)
        return false;
    sched_setaffinity(0, sizeof all, &all);
    return true;
}

static void
wait_for_work(Pool *p, uint32_t seen)
{
    bool apart = step_aside(p);
    ADD(&p->idle, SPINS);
    bool work = apart && spin_while(&p->epoch, seen, IDLE_SPIN_NS);
    if (!work) {
        ADD(&p->idle, ASLEEP - SPINS);
        futex_wait(&p->epoch, seen, 0);
    }
    ADD(&p->idle, work ? -SPINS : -ASLEEP);
}

/* A worker that wakes where the caller runs must not take its place: that would put the
 * caller behind whatever else wants this processor, for milliseconds. Batch threads do
 * not preempt. */
static void
be_humble(void)
{
    struct sched_param none = {0};
    if (sched_getscheduler(0) == SCHED_OTHER)
        sched_setscheduler(0, SCHED_BATCH, &none);
}

static void *
worker(void *arg)
{
    Pool *p = LOAD(&pool);
    int w = (int)(intptr_t)arg;
    char name[16];
    snprintf(name, sizeof name, "swathe-%d", w);
    pthread_setname_np(pthread_self(), name);
    be_humble();
    me.inside = true;
    for (;;) {
        uint32_t seen = LOAD(&p->epoch);
        if (!help_all(p, w))
            wait_for_work(p, seen);
    }
    return NULL;
}

/* Signals are for the threads that Python knows; faults stay where they happen. */
static void
block_signals(sigset_t *before)
{
    static const int kept[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS, SIGPROF};
    sigset_t all;
    sigfillset(&all);
    for (int i = 0; i < SW_LEN(kept); i++)
        sigdelset(&all, kept[i]);
    pthread_sigmask(SIG_SETMASK, &all, before);
}

static bool
make_thread(int w)
{
    pthread_attr_t a;
    pthread_t t;
    size_t stack = 0;
    if (pthread_attr_init(&a) != 0)
        return false;
    pthread_attr_setdetachstate(&a, PTHREAD_CREATE_DETACHED);
    if (pthread_attr_getstacksize(&a, &stack) == 0 && stack < STACK)
        pthread_attr_setstacksize(&a, STACK);
    bool ok = pthread_create(&t, &a, worker, (void *)(intptr_t)w) == 0;
    pthread_attr_destroy(&a);
    return ok;
}

/* There are `n` workers, or as many as the system allows. */
static void
make_workers(Pool *p, int n)
{
    sigset_t before;
    pthread_mutex_lock(&lock);
    block_signals(&before);
    while (p->n_workers < n && !p->full) {
        if (make_thread(p->n_workers + 1))
            STORE(&p->n_workers, p->n_workers + 1);
        else
            STORE(&p->full, true);
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_mutex_unlock(&lock);
}

/* ---- the pool's life ------------------------------------------------------------------------- */

static void
lock_pool(void)
{
    pthread_mutex_lock(&lock);
}

static void
unlock_pool(void)
{
    pthread_mutex_unlock(&lock);
}

/* In a child there is no worker. What the parent's looked at is left alone when this very
 * thread is in a region: its caller will look at it, and see that the process is another.
 */
static void
begin_anew(void)
{
    pthread_mutex_init(&lock, NULL);
    if (!me.inside)
        free(pool);
    pool = NULL;
    width = 0;
    forks++;
}

static void
watch_forks(void)
{
    pthread_atfork(lock_pool, unlock_pool, begin_anew);
}

static Pool *
make_pool(int n)
{
    size_t blocks = sizeof(Block) * (size_t)n * REGIONS;
    Pool *p = aligned_alloc(64, sizeof(Pool) + blocks);
    if (!p)
        return NULL;
    memset(p, 0, sizeof(Pool) + blocks);
    p->width = n;
    for (int i = 0; i < REGIONS; i++)
        p->region[i].block = (Block *)(p + 1) + (size_t)i * n;
    return p;
}

static Pool *
get_pool(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    Pool *p = LOAD(&pool);
    if (SW_LIKELY(p != NULL))
        return p;
    pthread_once(&once, watch_forks);
    int n = dev_pool_width();
    pthread_mutex_lock(&lock);
    if (!pool)
        STORE(&pool, make_pool(n));
    p = pool;
    pthread_mutex_unlock(&lock);
    return p;
}

int
dev_pool_width(void)
{
    int n = LOAD_RELAXED(&width);
    if (SW_UNLIKELY(n == 0)) {
        n = dev_cpu_count();
        __atomic_store_n(&width, n, __ATOMIC_RELAXED);
    }
    return n;
}

int
dev_pool_threads(void)
{
    int n = dev_pool_width();
    return me.threads && me.threads < n ? me.threads : n;
}

int
dev_pool_number(void)
{
    return me.number;
}

int
dev_pool_set_threads(int n)
{
    if (n < 1 || n > dev_pool_width())
        return -1;
    me.threads = n;
    return 0;
}

/* ---- a region -------------------------------------------------------------------------------- */

/* One that nobody has, with workers to help; NULL: there is none. */
static Region *
take_region(int threads)
{
    Pool *p = get_pool();
    if (!p)
        return NULL;
    if (SW_UNLIKELY(LOAD_RELAXED(&p->n_workers) < threads - 1) && !LOAD_RELAXED(&p->full))
        make_workers(p, threads - 1);
    if (!LOAD_RELAXED(&p->n_workers))
        return NULL;
    for (int k = 0, i = me.region; k < REGIONS; k++, i = (i + 1) % REGIONS) {
        Region *r = &p->region[i];
        uint32_t no = 0;
        if (LOAD_RELAXED(&r->busy) || !SWAP_IF(&r->busy, &no, 1))
            continue;
        me.region = i;
        for (int had = LOAD(&p->n_regions); had <= i;)
            if (SWAP_IF(&p->n_regions, &had, i + 1))
                break;
        return r;
    }
    return NULL;
}

/* Lets workers see it: the bounds of the blocks last, since who reads one may begin. */
static void
open_region(Region *r, DevChunk body, void *env, int64_t n, int threads)
{
    uint32_t units = (uint32_t)(n < UNITS ? n : UNITS);
    uint64_t generation = (uint64_t)++r->generation << 32;
    r->body = body;
    r->env = env;
    r->n = n;
    r->per = n / units + (n % units != 0);
    units = (uint32_t)(n / r->per + (n % r->per != 0));
    __atomic_store_n(&r->fail, n, __ATOMIC_RELAXED);
    __atomic_store_n(&r->pending, units, __ATOMIC_RELAXED);
    for (uint64_t b = 0, lo = 0; b < (uint64_t)threads; b++) {
        uint64_t hi = (b + 1) * units / (uint64_t)threads;
        STORE(&r->block[b].word, generation | lo << 16 | hi);
        lo = hi;
    }
    STORE(&r->join, generation | (uint64_t)threads << 16 | (uint64_t)(threads - 1));
    Pool *p = LOAD_RELAXED(&pool);
    __atomic_store_n(&p->caller_cpu, sched_getcpu(), __ATOMIC_RELAXED);
    ADD(&p->epoch, 1);
    wake_some(p, threads - 1);
}

/* For the units that others have begun. In a child of fork nobody is at them any more. */
static void
wait_for_others(Region *r, unsigned born, int (*idle)(void *env))
{
    for (uint32_t n; (n = LOAD(&r->pending)) != 0 && n != SLEEPS && forks == born;) {
        if (!(n & SLEEPS) && spin_while(&r->pending, n, WAIT_SPIN_NS))
            continue;
        if (!(n & SLEEPS) && !SWAP_IF(&r->pending, &n, n | SLEEPS))
            continue;
        futex_wait(&r->pending, n | SLEEPS, WAIT_NS);
        if (idle && idle(r->env))
            note_failure(r, -1);
    }
    if (forks != born)
        note_failure(r, -1);
}

static int64_t
run_alone(DevChunk body, void *env, int64_t n)
{
    for (int64_t c = 0; c < n; c++)
        if (body(env, c, 0))
            return c + 1;
    return 0;
}

int64_t
dev_pool_run(DevChunk body, void *env, int64_t n, int most, int (*idle)(void *env))
{
    int threads = me.inside || n < 2 ? 1 : dev_pool_threads();
    if (most > 0 && most < threads)
        threads = most;
    if (n < threads)
        threads = (int)n;
    Region *r = threads > 1 ? take_region(threads) : NULL;
    if (!r)
        return run_alone(body, env, n);
    unsigned born = forks;
    bool alone = dev_together();
    me.inside = true;
    open_region(r, body, env, n, threads);
    uint32_t done = run_units(r, r->generation, threads, 0, 0);
    STORE(&r->join, (uint64_t)r->generation << 32);
    if (ADD(&r->pending, -done) != 0)
        wait_for_others(r, born, idle);
    me.inside = false;
    dev_alone = alone;
    int64_t fail = LOAD(&r->fail);
    STORE(&r->busy, 0);
    return fail == n ? 0 : fail < 0 ? n + 1 : fail + 1;
}
