/* SPDX-License-Identifier: BSD-3-Clause
 * Where the blocks of small.c come from. The first thousands are malloc's. Where there are more,
 * they are cut from slabs, huge pages that all lie in one range of addresses, by which a block is
 * known to be of one. A slab has a bit for each of its blocks that is free, so that blocks are
 * given out in the order of their addresses, whatever the order in which they came back: a list
 * of strings that was sorted is dropped in an order in which each block costs a miss of the cache,
 * and the next list shall not have them so. One mutex guards everything; it is taken once for a
 * magazine. */
#include "dev/cpu/slabs.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>

/* From LOOSE_MOST blocks of a size on, further ones are cut from slabs. */
enum { SLABS = 512, LOOSE_MOST = 2048 };
static const size_t SLAB = (size_t)2 << 20;   /* a huge page */
static const size_t KEPT = (size_t)256 << 20; /* at most */

enum { BITS = 64, WORDS = (2 << 20) / ROOM_0 / BITS + 1 };

typedef struct Slab {
    uint64_t free[WORDS]; /* a bit for each block */
    int first;            /* no word before it has a bit */
    int n, out;           /* blocks in all; which threads have, in use or kept */
    int k;                /* their size */
    struct Slab *next, *prev;
} Slab;

static struct {
    pthread_mutex_t lock;
    SwMem *loose[SLAB_SIZES];  /* free blocks of malloc's */
    int64_t count[SLAB_SIZES]; /* blocks of malloc's, in use or not */
    Slab *with[SLAB_SIZES];    /* slabs with blocks to give */
    Slab *idle, *untouched;    /* no block of theirs is out: with memory, and without */
    char *base;                /* of all slabs; or NULL */
    bool tried;                /* to have it */
    int used;                  /* slabs that are or were in use */
    size_t kept;               /* bytes of loose blocks and of idle slabs */
} all = {.lock = PTHREAD_MUTEX_INITIALIZER};
static Slab slab[SLABS];

static void
lock_all(void)
{
    pthread_mutex_lock(&all.lock);
}

static void
unlock_all(void)
{
    pthread_mutex_unlock(&all.lock);
}

static void
renew_lock(void)
{
    pthread_mutex_init(&all.lock, NULL);
}

/* A fork copies the lock in whatever state another thread left it, so it is held across. */
void
slab_start(void)
{
    pthread_atfork(lock_all, unlock_all, renew_lock);
}

/* ---- slabs: under the lock ------------------------------------------------------------------- */

static char *
memory_of(const Slab *s)
{
    return all.base + (size_t)(s - slab) * SLAB;
}

/* NULL: it is malloc's. */
static Slab *
slab_of(const SwMem *m)
{
    uintptr_t at = (uintptr_t)m - (uintptr_t)all.base;
    return all.base && at < SLABS * SLAB ? &slab[at / SLAB] : NULL;
}

static void
list(Slab *s)
{
    s->prev = NULL;
    s->next = all.with[s->k];
    if (s->next)
        s->next->prev = s;
    all.with[s->k] = s;
}

static void
unlist(Slab *s)
{
    *(s->prev ? &s->prev->next : &all.with[s->k]) = s->next;
    if (s->next)
        s->next->prev = s->prev;
}

/* Addresses for all slabs, whose memory is asked for one by one. */
static void
reserve(void)
{
    all.tried = true;
    size_t size = (SLABS + 1) * SLAB;
    char *p = mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p != MAP_FAILED)
        all.base = (char *)(((uintptr_t)p + SLAB - 1) & ~(uintptr_t)(SLAB - 1));
}

/* A slab of which no block is out; NULL: there is no memory, or there are no more. */
static Slab *
empty_slab(void)
{
    Slab *s = all.idle;
    if (s) {
        all.idle = s->next;
        all.kept -= SLAB;
        return s;
    }
    if ((s = all.untouched)) {
        all.untouched = s->next;
        return s;
    }
    if (!all.tried)
        reserve();
    if (!all.base || all.used == SLABS)
        return NULL;
    s = &slab[all.used];
    if (mprotect(memory_of(s), SLAB, PROT_READ | PROT_WRITE))
        return NULL;
    madvise(memory_of(s), SLAB, MADV_HUGEPAGE);
    all.used++;
    return s;
}

static void
begin(Slab *s, int k)
{
    s->k = k;
    s->n = (int)(SLAB / slab_room[k]);
    s->first = 0;
    memset(s->free, 0, sizeof s->free);
    for (int w = 0; w < s->n / BITS; w++)
        s->free[w] = UINT64_MAX;
    if (s->n % BITS)
        s->free[s->n / BITS] = ((uint64_t)1 << s->n % BITS) - 1;
    list(s);
}

static SwMem *
block_at(const Slab *s, int at)
{
    return (SwMem *)(void *)(memory_of(s) + (size_t)at * slab_room[s->k]);
}

/* The first word of a slab that has some which has a bit. */
static int
word_with(Slab *s)
{
    while (!s->free[s->first])
        s->first++;
    return s->first;
}

static void
took(Slab *s, int w, uint64_t left, int n)
{
    s->free[w] = left;
    s->out += n;
    if (s->out == s->n)
        unlist(s);
}

/* The blocks of a word in front of `list`, until there are `most`. */
static SwMem *
take_from(Slab *s, int most, int *n, SwMem *list)
{
    int w = word_with(s), had = *n;
    uint64_t left = s->free[w];
    SwMem *first = list, **last = &first;
    for (; left && *n < most; left &= left - 1, ++*n) {
        SwMem *m = block_at(s, w * BITS + __builtin_ctzll(left));
        m->user = list;
        *last = m;
        last = (SwMem **)(void *)&m->user;
    }
    took(s, w, left, *n - had);
    return first;
}

/* ceil(2**32 / size): off times it is above (off / size) * 2**32 by less than 2**32, off < SLAB. */
#define INVERSE(k) (((uint64_t)1 << 32) / ROOM_##k + 1)
static const uint64_t inverse[SLAB_SIZES] = {INVERSE(0), INVERSE(1), INVERSE(2), INVERSE(3),
                                             INVERSE(4)};

/* Yields the slab when its memory is to go. */
static Slab *
give_to(Slab *s, const SwMem *m)
{
    uint64_t off = (uint64_t)((const char *)m - memory_of(s));
    int at = (int)((off * inverse[s->k]) >> 32), w = at / BITS;
    s->free[w] |= (uint64_t)1 << at % BITS;
    if (w < s->first)
        s->first = w;
    if (s->out-- == s->n)
        list(s);
    if (s->out)
        return NULL;
    unlist(s);
    if (all.kept + SLAB > KEPT)
        return s;
    s->next = all.idle;
    all.idle = s;
    all.kept += SLAB;
    return NULL;
}

/* ---- what small.c asks for ------------------------------------------------------------------- */

SwMem *
slab_fresh(int k)
{
    SwMem *m = malloc(slab_room[k]);
    if (m)
        __atomic_fetch_add(&all.count[k], 1, __ATOMIC_RELAXED);
    return m;
}

/* Under the lock. */
static Slab *
slab_with(int k)
{
    Slab *s = all.with[k];
    if (!s && __atomic_load_n(&all.count[k], __ATOMIC_RELAXED) >= LOOSE_MOST && (s = empty_slab()))
        begin(s, k);
    return s;
}

SwMem *
slab_take(int k, int most, int *n, SlabCut *cut)
{
    SwMem *first = NULL;
    *n = 0;
    lock_all();
    for (SwMem *m; *n < most && (m = all.loose[k]); ++*n) {
        all.loose[k] = m->user;
        all.kept -= slab_room[k];
        m->user = first;
        first = m;
    }
    for (Slab *s; *n < most && (s = slab_with(k));) {
        int w = word_with(s);
        if (s->free[w] != UINT64_MAX) {
            first = take_from(s, most, n, first);
            continue;
        }
        if (!first) { /* all of them as they lie */
            cut->at = (char *)block_at(s, w * BITS);
            cut->end = cut->at + BITS * slab_room[k];
            took(s, w, 0, BITS);
        }
        break;
    }
    unlock_all();
    return first;
}

/* What is left of a cut goes back as blocks. */
void
slab_give_cut(int k, SlabCut *cut)
{
    SwMem *m = NULL;
    for (; cut->at < cut->end; cut->at += slab_room[k]) {
        SwMem *block = (SwMem *)(void *)cut->at;
        block->user = m;
        m = block;
    }
    *cut = (SlabCut){0};
    slab_give(k, m);
}

/* Their memory goes; the addresses stay. */
static void
let_go(Slab *gone)
{
    for (Slab *s = gone; s; s = s->next)
        madvise(memory_of(s), SLAB, MADV_DONTNEED);
    lock_all();
    while (gone) {
        Slab *next = gone->next;
        gone->next = all.untouched;
        all.untouched = gone;
        gone = next;
    }
    unlock_all();
}

static void
free_loose(int k, SwMem *m)
{
    while (m) {
        SwMem *next = m->user;
        __atomic_fetch_sub(&all.count[k], 1, __ATOMIC_RELAXED);
        free(m);
        m = next;
    }
}

void
slab_give(int k, SwMem *m)
{
    SwMem *loose = NULL;
    Slab *gone = NULL;
    if (!m)
        return;
    lock_all();
    for (SwMem *next; m; m = next) {
        next = m->user;
        Slab *of = slab_of(m), *s = of ? give_to(of, m) : NULL;
        if (s) {
            s->next = gone;
            gone = s;
        }
        if (of)
            continue;
        bool keep = all.kept + slab_room[k] <= KEPT;
        SwMem **to = keep ? &all.loose[k] : &loose;
        m->user = *to;
        *to = m;
        all.kept += keep ? slab_room[k] : 0;
    }
    unlock_all();
    free_loose(k, loose);
    if (gone)
        let_go(gone);
}

void
slab_trim(void)
{
    SwMem *loose[SLAB_SIZES];
    lock_all();
    memcpy(loose, all.loose, sizeof loose);
    memset(all.loose, 0, sizeof all.loose);
    Slab *idle = all.idle;
    all.idle = NULL;
    all.kept = 0;
    unlock_all();
    for (int k = 0; k < SLAB_SIZES; k++)
        free_loose(k, loose[k]);
    if (idle)
        let_go(idle);
}

size_t
slab_kept(void)
{
    lock_all();
    size_t n = all.kept;
    unlock_all();
    return n;
}
