/* SPDX-License-Identifier: BSD-3-Clause
 * What strings and boxes are made of: an SwMem and, right behind it, up to DEV_SMALL_MOST bytes.
 * Each thread keeps up to two magazines of free blocks of each size, and exchanges whole ones with
 * what all share (slabs.c), so that to take a block and to give it back are a few instructions,
 * with no lock and no atomic operation. What was asked for is counted by threads, too; a count is
 * below 0 where others' memory was freed. */
#include "dev/cpu/slabs.h"
#include "dev/cpu/small.h"

#include <pthread.h>

__thread bool dev_alone __attribute__((tls_model("initial-exec")));

enum { SIZES = SLAB_SIZES, MAGAZINE = 64 };

typedef struct Own {
    SwMem *first[SIZES]; /* each list is linked through `user` */
    SwMem *spare[SIZES]; /* a whole magazine, or NULL */
    int n[SIZES];
    SlabCut cut[SIZES]; /* what comes next where the list is empty */
    bool watched;       /* the thread's end gives all of it back */
    int64_t live;       /* atomic: others add them up */
    struct Own *next;   /* of all that are watched: under the lock */
} Own;
static __thread Own own __attribute__((tls_model("initial-exec")));

static struct {
    pthread_mutex_t lock;
    Own *owns;
    int64_t live;        /* of threads that have ended */
    int64_t others_live; /* while it forks: of those that the child does not have */
    pthread_key_t end;
    bool key; /* there is one: set before any thread keeps blocks */
} all = {.lock = PTHREAD_MUTEX_INITIALIZER};

static int
size_of(size_t bytes)
{
    size_t whole = sizeof(SwMem) + bytes;
    return (whole > slab_room[0]) + (whole > slab_room[1]) + (whole > slab_room[2]) +
           (whole > slab_room[3]);
}

/* ---- threads --------------------------------------------------------------------------------- */

static void
give_all(void *unused)
{
    (void)unused;
    for (int k = 0; k < SIZES; k++) {
        slab_give(k, own.first[k]);
        slab_give(k, own.spare[k]);
        slab_give_cut(k, &own.cut[k]);
        own.first[k] = own.spare[k] = NULL;
        __atomic_store_n(&own.n[k], 0, __ATOMIC_RELAXED);
    }
}

static void
end_thread(void *unused)
{
    give_all(unused);
    pthread_mutex_lock(&all.lock);
    for (Own **at = &all.owns; *at; at = &(*at)->next)
        if (*at == &own) {
            *at = own.next;
            break;
        }
    all.live += own.live;
    own.live = 0;
    own.watched = false;
    pthread_mutex_unlock(&all.lock);
}

static bool
watch(void)
{
    dev_cpu(); /* which starts it */
    if (!all.key || pthread_setspecific(all.end, &own))
        return false;
    pthread_mutex_lock(&all.lock);
    own.watched = true;
    own.next = all.owns;
    all.owns = &own;
    pthread_mutex_unlock(&all.lock);
    return true;
}

/* A thread that nobody watches counts where all do. */
static inline void
count(int64_t bytes)
{
    if (SW_LIKELY(own.watched))
        __atomic_store_n(&own.live, own.live + bytes, __ATOMIC_RELAXED);
    else
        __atomic_fetch_add(&all.live, bytes, __ATOMIC_RELAXED);
}

/* A fork copies the lock in whatever state another thread left it, so it is held across. */
static void
before_fork(void)
{
    pthread_mutex_lock(&all.lock);
    all.others_live = 0;
    for (const Own *o = all.owns; o; o = o->next)
        if (o != &own)
            all.others_live += __atomic_load_n(&o->live, __ATOMIC_RELAXED);
}

static void
after_fork(void)
{
    pthread_mutex_unlock(&all.lock);
}

static void
in_child(void)
{
    pthread_mutex_init(&all.lock, NULL);
    all.owns = own.watched ? &own : NULL;
    own.next = NULL;
    all.live += all.others_live;
}

void
dev_small_start(void)
{
    all.key = pthread_key_create(&all.end, end_thread) == 0;
    slab_start();
    pthread_atfork(before_fork, after_fork, in_child);
}

/* ---- magazines ------------------------------------------------------------------------------- */

static inline void
set_n(int k, int n)
{
    __atomic_store_n(&own.n[k], n, __ATOMIC_RELAXED);
}

/* What comes next of a cut; NULL: it has no more. */
static inline SwMem *
next_cut(int k)
{
    SlabCut *c = &own.cut[k];
    SwMem *m = (SwMem *)(void *)c->at;
    if (c->at == c->end)
        return NULL;
    c->at += slab_room[k];
    __builtin_prefetch(c->at + 7 * slab_room[k], 1);
    return m;
}

/* A block where this thread's list has none; NULL: malloc is to be asked. */
static __attribute__((noinline)) SwMem *
refill(int k)
{
    SwMem *m = own.spare[k];
    int n = MAGAZINE;
    if (m)
        __atomic_store_n(&own.spare[k], NULL, __ATOMIC_RELAXED);
    else if (own.watched || watch())
        m = slab_take(k, MAGAZINE, &n, &own.cut[k]);
    if (!m)
        return next_cut(k);
    own.first[k] = m->user;
    set_n(k, n - 1);
    return m;
}

static SwMem *
fresh(int k)
{
    Dev *d = dev_cpu();
    SwMem *m = slab_fresh(k);
    if (!m && d->cached_bytes(d)) { /* perhaps the memory is ours */
        d->trim(d);
        m = slab_fresh(k);
    }
    return m;
}

/* Of this thread's list there is room for one more. */
static __attribute__((noinline)) bool
make_room(int k)
{
    if (!own.watched && !watch())
        return false;
    if (own.n[k] < MAGAZINE)
        return true;
    slab_give(k, own.spare[k]);
    __atomic_store_n(&own.spare[k], own.first[k], __ATOMIC_RELAXED);
    own.first[k] = NULL;
    set_n(k, 0);
    return true;
}

void
dev_small_free(SwMem *m)
{
    int k = size_of(m->bytes);
    count(-(int64_t)m->bytes);
    if (SW_UNLIKELY(own.n[k] == MAGAZINE || !own.watched) && !make_room(k)) {
        m->user = NULL;
        slab_give(k, m);
        return;
    }
    m->user = own.first[k];
    own.first[k] = m;
    set_n(k, own.n[k] + 1);
}

SwMem *
dev_small(size_t bytes, bool zero)
{
    int k = size_of(bytes);
    SwMem *m = own.first[k];
    if (SW_LIKELY(m != NULL)) {
        own.first[k] = m->user;
        __builtin_prefetch(m->user, 1); /* of a list that was sorted, blocks lie anywhere */
        set_n(k, own.n[k] - 1);
    } else if (!(m = next_cut(k)) && !(m = refill(k)) && !(m = fresh(k))) {
        return NULL;
    }
    count((int64_t)bytes);
    m->refs = 1;
    m->data = m + 1;
    m->bytes = bytes;
    m->free_fn = dev_small_free;
    m->user = NULL;
    uint64_t *word = m->data;
    for (size_t i = 0; zero && i < bytes; i += 8)
        word[i / 8] = 0;
    return m;
}

/* ---- what is kept ---------------------------------------------------------------------------- */

void
dev_small_trim(void)
{
    give_all(NULL);
    slab_trim();
}

size_t
dev_small_cached(void)
{
    pthread_mutex_lock(&all.lock);
    size_t n = 0;
    for (const Own *o = all.owns; o; o = o->next)
        for (int k = 0; k < SIZES; k++)
            n += slab_room[k] * ((size_t)__atomic_load_n(&o->n[k], __ATOMIC_RELAXED) +
                                 (__atomic_load_n(&o->spare[k], __ATOMIC_RELAXED) ? MAGAZINE : 0));
    pthread_mutex_unlock(&all.lock);
    return n + slab_kept();
}

size_t
dev_small_live(void)
{
    pthread_mutex_lock(&all.lock);
    int64_t n = __atomic_load_n(&all.live, __ATOMIC_RELAXED);
    for (const Own *o = all.owns; o; o = o->next)
        n += __atomic_load_n(&o->live, __ATOMIC_RELAXED);
    pthread_mutex_unlock(&all.lock);
    return (size_t)n;
}
