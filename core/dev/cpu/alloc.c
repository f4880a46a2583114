/* SPDX-License-Identifier: BSD-3-Clause
 * The CPU's memory: counted blocks, a 64-byte header each and the data after it, handed out again
 * rather than given back. Below BIG a block belongs to a size class (four to each power of two) and
 * comes from malloc; above it is mapped, 2 MiB aligned so that the kernel can use huge pages,
 * and kept in a list bounded at BIG_KEPT bytes, the oldest leaving first. The point of the second
 * is page faults: a result of 32 MiB costs more in first touches than in arithmetic, and once its
 * block is recycled it costs none. One mutex guards all lists; nothing slow happens under it. Of
 * the smallest blocks, which lists of a few elements are made of, each thread keeps some for
 * itself, and exchanges them with the lists in batches. Where there are thousands of them, as of
 * the nodes of a tree, further ones are cut from slabs in huge pages: they lie close together, and
 * a walk through them misses fewer entries of the TLB. Strings are in small.c. */
#include "dev/cpu/small.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>

enum {
    HEADER = DEV_HEADER,
    MIN_LOG = 7,  /* smallest block: 128 bytes, header included */
    BIG_LOG = 20, /* from 1 MiB on a block is mapped */
    CLASSES = (BIG_LOG - MIN_LOG) * 4 + 1,
};

static const size_t BIG = (size_t)1 << BIG_LOG;
static const size_t HUGE_PAGE = (size_t)2 << 20;
static const size_t BIG_KEPT = (size_t)256 << 20;
static const size_t SMALL_KEPT = (size_t)64 << 20;
static const size_t ABSURD = (size_t)1 << 46;

typedef struct Block {
    SwMem mem;                 /* first: a SwMem* is a Block* */
    size_t size;               /* of the whole block, header included */
    struct Block *next, *prev; /* in a list of free blocks; next is dev_spare's else */
} Block;
_Static_assert(sizeof(Block) == HEADER, "the data begins right after the header");
_Static_assert(offsetof(Block, next) == HEADER - 2 * sizeof(void *), "see dev_spare");

enum { OWN_CLASSES = 5, OWN_MOST = 64, OWN_BATCH = 32 };

/* A huge page of blocks of one of the smallest classes. */
typedef struct Slab {
    Block *free; /* given back */
    size_t cut;  /* bytes that blocks were cut from, and this */
    int out;     /* blocks that threads have, in use or kept */
    int cls;
    bool listed;
    struct Slab *next, *prev; /* of those of its class with blocks to give */
} Slab;
_Static_assert(sizeof(Slab) <= HEADER, "blocks begin behind it");

static struct {
    pthread_mutex_t lock;
    Block *small[CLASSES];
    Block *big_first, *big_last; /* most recently freed first */
    size_t small_kept, big_kept;
    Slab *slab[OWN_CLASSES];
    size_t slabs_kept;      /* bytes of slabs that are all given back */
    int loose[OWN_CLASSES]; /* atomic: blocks that are in no slab */
    size_t live;            /* atomic: with what each thread has counted */
    unsigned colour;
} pool = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void
lock_pool(void)
{
    pthread_mutex_lock(&pool.lock);
}

static void
unlock_pool(void)
{
    pthread_mutex_unlock(&pool.lock);
}

/* ---- what a thread keeps for itself ---------------------------------------------------------- */

typedef struct Own {
    Block *first[OWN_CLASSES];
    int n[OWN_CLASSES]; /* atomic: others add them up */
    size_t live;        /* atomic: bytes handed out less those that came back, of small blocks */
    bool watched;       /* the thread's end gives them back */
    struct Own *next;   /* of all that are watched: under the lock */
} Own;
static __thread Own own __attribute__((tls_model("initial-exec")));
static Own *owns;
static pthread_key_t own_end;
static bool own_key; /* there is one: set before any thread keeps blocks */

static void
push_own(int cls, Block *b)
{
    b->next = own.first[cls];
    own.first[cls] = b;
    __atomic_store_n(&own.n[cls], own.n[cls] + 1, __ATOMIC_RELAXED);
}

static Block *
pop_own(int cls)
{
    Block *b = own.first[cls];
    if (!b)
        return NULL;
    own.first[cls] = b->next;
    __atomic_store_n(&own.n[cls], own.n[cls] - 1, __ATOMIC_RELAXED);
    __builtin_prefetch(b->next, 1);
    return b;
}

static size_t
own_size(int cls)
{
    return ((size_t)1 << MIN_LOG) + (size_t)cls * ((size_t)1 << (MIN_LOG - 2));
}

/* Of all threads; under the lock. */
static size_t
own_bytes(void)
{
    size_t n = 0;
    for (const Own *o = owns; o; o = o->next)
        for (int i = 0; i < OWN_CLASSES; i++)
            n += (size_t)__atomic_load_n(&o->n[i], __ATOMIC_RELAXED) * own_size(i);
    return n;
}

/* ---- slabs: under the lock ---- */

static void
list_slab(Slab *s)
{
    s->prev = NULL;
    s->next = pool.slab[s->cls];
    if (s->next)
        s->next->prev = s;
    pool.slab[s->cls] = s;
    s->listed = true;
}

static void
unlist_slab(Slab *s)
{
    *(s->prev ? &s->prev->next : &pool.slab[s->cls]) = s->next;
    if (s->next)
        s->next->prev = s->prev;
    s->listed = false;
}

/* A block of a class; NULL: there is none to give. */
static Block *
take_from_slab(int cls)
{
    Slab *s = pool.slab[cls];
    size_t size = own_size(cls);
    if (!s)
        return NULL;
    Block *b = s->free;
    if (!s->out)
        pool.slabs_kept -= s->cut;
    if (b) {
        s->free = b->next;
    } else {
        b = (Block *)(void *)((char *)s + s->cut);
        b->size = size;
        b->prev = (Block *)(void *)s;
        s->cut += size;
    }
    s->out++;
    if (!s->free && s->cut + size > HUGE_PAGE)
        unlist_slab(s);
    return b;
}

/* Yields the slab, when all of it has come back, and enough of such are kept. */
static Slab *
give_to_slab(Block *b)
{
    Slab *s = (Slab *)(void *)b->prev;
    b->next = s->free;
    s->free = b;
    if (!s->listed)
        list_slab(s);
    if (--s->out)
        return NULL;
    if (pool.slabs_kept + pool.small_kept + s->cut > SMALL_KEPT) {
        unlist_slab(s);
        return s;
    }
    pool.slabs_kept += s->cut;
    return NULL;
}

static Slab *
take_empty_slabs(void)
{
    Slab *gone = NULL;
    for (int i = 0; i < OWN_CLASSES; i++)
        for (Slab *s = pool.slab[i], *next; s; s = next) {
            next = s->next;
            if (s->out)
                continue;
            unlist_slab(s);
            s->next = gone;
            gone = s;
        }
    pool.slabs_kept = 0;
    return gone;
}

static void
unmap_slabs(Slab *s)
{
    while (s) {
        Slab *next = s->next;
        munmap(s, HUGE_PAGE);
        s = next;
    }
}

/* Blocks of a class go to where they are from until no more than `limit` are left. */
static void
give_own(int cls, int limit)
{
    Block *gone = NULL;
    Slab *slabs = NULL;
    lock_pool();
    while (own.n[cls] > limit) {
        Block *b = pop_own(cls);
        if (b->prev) {
            Slab *s = give_to_slab(b);
            if (s) {
                s->next = slabs;
                slabs = s;
            }
            continue;
        }
        bool keep = pool.small_kept + b->size <= SMALL_KEPT;
        Block **to = keep ? &pool.small[cls] : &gone;
        b->next = *to;
        *to = b;
        pool.small_kept += keep ? b->size : 0;
    }
    unlock_pool();
    unmap_slabs(slabs);
    while (gone) {
        Block *next = gone->next;
        __atomic_fetch_sub(&pool.loose[cls], 1, __ATOMIC_RELAXED);
        free(gone);
        gone = next;
    }
}

static void
give_all_own(void *unused)
{
    (void)unused;
    for (int i = 0; i < OWN_CLASSES; i++)
        give_own(i, 0);
    lock_pool();
    for (Own **at = &owns; *at; at = &(*at)->next)
        if (*at == &own) {
            *at = own.next;
            break;
        }
    __atomic_fetch_add(&pool.live, own.live, __ATOMIC_RELAXED);
    __atomic_store_n(&own.live, 0, __ATOMIC_RELAXED);
    own.watched = false;
    unlock_pool();
}

static void
watch_own(void)
{
    if (own.watched || pthread_setspecific(own_end, &own))
        return;
    own.watched = true;
    lock_pool();
    own.next = owns;
    owns = &own;
    unlock_pool();
}

static void
count_live(size_t more)
{
    if (own.watched)
        __atomic_store_n(&own.live, own.live + more, __ATOMIC_RELAXED);
    else
        __atomic_fetch_add(&pool.live, more, __ATOMIC_RELAXED);
}

static Block *map_big(size_t size);

/* From so many blocks of a class on, further ones are cut from slabs. */
enum { LOOSE_MOST = 2048 };

static void
new_slab(int cls)
{
    Slab *s = (Slab *)(void *)map_big(HUGE_PAGE);
    if (!s)
        return;
    *s = (Slab){.cut = HEADER, .cls = cls};
    lock_pool();
    pool.slabs_kept += s->cut; /* so far, all of it is there */
    list_slab(s);
    unlock_pool();
}

static void
fill_own(int cls)
{
    lock_pool();
    for (Block *b; own.n[cls] < OWN_BATCH && (b = pool.small[cls]);) {
        pool.small[cls] = b->next;
        pool.small_kept -= b->size;
        push_own(cls, b);
    }
    for (Block *b; own.n[cls] < OWN_BATCH && (b = take_from_slab(cls));)
        push_own(cls, b);
    unlock_pool();
}

static Block *
take_own(int cls)
{
    if (!own.first[cls] && own_key) {
        watch_own();
        fill_own(cls);
        if (!own.first[cls] && __atomic_load_n(&pool.loose[cls], __ATOMIC_RELAXED) >= LOOSE_MOST) {
            new_slab(cls);
            fill_own(cls);
        }
    }
    return pop_own(cls);
}

static void
keep_own(Block *b, int cls)
{
    watch_own();
    push_own(cls, b);
    if (own.n[cls] > OWN_MOST)
        give_own(cls, OWN_MOST - OWN_BATCH);
}

/* ---- lists of blocks ------------------------------------------------------------------------- */

static void
renew_lock(void)
{
    pthread_mutex_init(&pool.lock, NULL);
    for (const Own *o = owns; o; o = o->next)
        pool.live += o == &own ? 0 : o->live;
    owns = own.watched ? &own : NULL; /* the other threads are not there */
    own.next = NULL;
}

/* The class whose blocks hold `size` bytes, size < BIG; *rounded: what they hold. */
static int
size_class(size_t size, size_t *rounded)
{
    if (size <= (size_t)1 << MIN_LOG) {
        *rounded = (size_t)1 << MIN_LOG;
        return 0;
    }
    int log = 63 - __builtin_clzll(size - 1); /* 2^log < size <= 2^(log+1) */
    size_t step = (size_t)1 << (log - 2);
    size_t k = (size - 1 - ((size_t)1 << log)) / step; /* 0..3 */
    *rounded = ((size_t)1 << log) + (k + 1) * step;
    return (log - MIN_LOG) * 4 + (int)k + 1;
}

static Block *
take_small(int cls)
{
    if (cls < OWN_CLASSES)
        return take_own(cls);
    lock_pool();
    Block *b = pool.small[cls];
    if (b) {
        pool.small[cls] = b->next;
        pool.small_kept -= b->size;
    }
    unlock_pool();
    return b;
}

static void
unlink_big(Block *b)
{
    *(b->prev ? &b->prev->next : &pool.big_first) = b->next;
    *(b->next ? &b->next->prev : &pool.big_last) = b->prev;
    pool.big_kept -= b->size;
}

/* The smallest kept block that holds `size` and wastes no more than a quarter. */
static Block *
take_big(size_t size)
{
    lock_pool();
    Block *best = NULL;
    for (Block *b = pool.big_first; b; b = b->next)
        if (b->size >= size && b->size - size <= size / 4 && (!best || b->size < best->size))
            best = b;
    if (best)
        unlink_big(best);
    unlock_pool();
    return best;
}

static Block *
map_big(size_t size)
{
    bool huge = size >= HUGE_PAGE;
    size_t room = huge ? size + HUGE_PAGE : size;
    char *p = mmap(NULL, room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED)
        return NULL;
    if (huge) { /* cut it to alignment */
        char *at = (char *)(((uintptr_t)p + HUGE_PAGE - 1) & ~(uintptr_t)(HUGE_PAGE - 1));
        if (at > p)
            munmap(p, (size_t)(at - p));
        if (at + size < p + room)
            munmap(at + size, (size_t)(p + room - (at + size)));
        madvise(at, size, MADV_HUGEPAGE);
        p = at;
    }
    Block *b = (Block *)p;
    b->size = size;
    return b;
}

static void
keep_small(Block *b)
{
    size_t rounded;
    int cls = size_class(b->size, &rounded);
    if (cls < OWN_CLASSES && own_key) {
        keep_own(b, cls);
        return;
    }
    lock_pool();
    bool keep = pool.small_kept + b->size <= SMALL_KEPT;
    if (keep) {
        b->next = pool.small[cls];
        pool.small[cls] = b;
        pool.small_kept += b->size;
    }
    unlock_pool();
    if (!keep)
        free(b);
}

static void
unmap_list(Block *b)
{
    while (b) {
        Block *next = b->next;
        munmap(b, b->size);
        b = next;
    }
}

/* Takes the oldest blocks off the list until no more than `limit` bytes are kept. */
static Block *
evict_big(size_t limit)
{
    Block *out = NULL;
    while (pool.big_kept > limit) {
        Block *b = pool.big_last;
        unlink_big(b);
        b->next = out;
        out = b;
    }
    return out;
}

static void
keep_big(Block *b)
{
    if (b->size > BIG_KEPT) {
        munmap(b, b->size);
        return;
    }
    lock_pool();
    Block *old = evict_big(BIG_KEPT - b->size);
    b->prev = NULL;
    b->next = pool.big_first;
    *(b->next ? &b->next->prev : &pool.big_last) = b;
    pool.big_first = b;
    pool.big_kept += b->size;
    unlock_pool();
    unmap_list(old);
}

static void
leave_block(SwMem *m)
{
    if (dev_let_go(m))
        m->free_fn(m);
}

static void
free_block(SwMem *m)
{
    Block *b = (Block *)m;
    if (dev_is_small(m)) {
        dev_small_free(m);
        return;
    }
    if (!b->size) { /* a part */
        leave_block(&b->next->mem);
        return;
    }
    count_live(-m->bytes);
    if (b->size >= BIG)
        keep_big(b);
    else
        keep_small(b);
}

/* ---- parts of a block ------------------------------------------------------------------------ */

enum { PART_MOST = 1024, PARTS_FIRST = 4096 - HEADER, PARTS = 32768 - HEADER };

SwMem *
dev_part(DevParts *p, size_t bytes)
{
    size_t size = HEADER + ((bytes + 63) & ~(size_t)63);
    if (size > PART_MOST)
        return NULL;
    if (!p->block || p->used + size > p->block->bytes) {
        Dev *d = dev_cpu();
        SwMem *m = d->alloc(d, p->block ? PARTS : PARTS_FIRST, false);
        if (!m)
            return NULL;
        dev_parts_end(p);
        *p = (DevParts){.block = m};
    }
    Block *b = (Block *)(void *)((char *)p->block->data + p->used);
    p->used += size;
    *b = (Block){.mem = {.refs = 1, .data = (char *)b + HEADER, .bytes = bytes},
                 .next = (Block *)p->block};
    b->mem.free_fn = free_block;
    dev_retain(p->block);
    return &b->mem;
}

void
dev_parts_end(DevParts *p)
{
    if (p->block)
        leave_block(p->block);
    *p = (DevParts){0};
}

/* Mapped blocks would all begin at the same offset of a page, so that arrays walked together would
 * compete for the same cache sets; their data starts at one of eight places instead. */
static size_t
big_offset(void)
{
    unsigned c = __atomic_fetch_add(&pool.colour, 1, __ATOMIC_RELAXED);
    return HEADER + (size_t)(c & 7) * 7 * 64;
}
enum { BIG_OFFSET_MAX = HEADER + 7 * 7 * 64 };

static size_t
round_big(size_t size)
{
    if (size <= BIG)
        return BIG; /* never below: the size tells how a block is freed */
    int log = 63 - __builtin_clzll(size);
    size_t step = (size_t)1 << (log - 4); /* at least 64 KiB */
    if (step > HUGE_PAGE)
        step = HUGE_PAGE;
    return (size + step - 1) & ~(step - 1);
}

static SwMem *
alloc_big(size_t bytes, bool zero)
{
    size_t size = round_big(bytes + BIG_OFFSET_MAX);
    Block *b = take_big(size);
    bool fresh = !b;
    if (!b)
        b = map_big(size);
    if (!b)
        return NULL;
    b->mem.data = (char *)b + big_offset();
    if (zero && !fresh)
        memset(b->mem.data, 0, bytes);
    return &b->mem;
}

static SwMem *
alloc_small(size_t bytes, bool zero)
{
    size_t size;
    int cls = size_class(bytes + HEADER, &size);
    Block *b = take_small(cls);
    if (!b && (b = aligned_alloc(64, (size + 63) & ~(size_t)63))) {
        b->size = size;
        b->prev = NULL;
        if (cls < OWN_CLASSES)
            __atomic_fetch_add(&pool.loose[cls], 1, __ATOMIC_RELAXED);
    }
    if (!b)
        return NULL;
    b->mem.data = (char *)b + HEADER;
    if (zero)
        memset(b->mem.data, 0, bytes);
    return &b->mem;
}

static SwMem *
cpu_alloc(Dev *d, size_t bytes, bool zero)
{
    if (bytes > ABSURD)
        return NULL;
    bool big = bytes + HEADER > BIG - BIG / 8; /* what rounds up to BIG is mapped */
    SwMem *m = big ? alloc_big(bytes, zero) : alloc_small(bytes, zero);
    if (!m && d->cached_bytes(d)) { /* perhaps the memory is ours */
        d->trim(d);
        m = big ? alloc_big(bytes, zero) : alloc_small(bytes, zero);
    }
    if (!m)
        return NULL;
    m->refs = 1;
    m->bytes = bytes;
    m->free_fn = free_block;
    m->user = NULL;
    count_live(bytes);
    return m;
}

static void
cpu_trim(Dev *d)
{
    (void)d;
    Block *small[CLASSES];
    give_all_own(NULL);
    dev_small_trim();
    lock_pool();
    memcpy(small, pool.small, sizeof small);
    memset(pool.small, 0, sizeof pool.small);
    pool.small_kept = 0;
    Block *big = evict_big(0);
    Slab *slabs = take_empty_slabs();
    unlock_pool();
    unmap_list(big);
    unmap_slabs(slabs);
    for (int i = 0; i < CLASSES; i++)
        for (Block *b = small[i], *next; b; b = next) {
            next = b->next;
            if (i < OWN_CLASSES)
                __atomic_fetch_sub(&pool.loose[i], 1, __ATOMIC_RELAXED);
            free(b);
        }
}

static size_t
cpu_cached(Dev *d)
{
    (void)d;
    lock_pool();
    size_t n = pool.small_kept + pool.slabs_kept + pool.big_kept + own_bytes();
    unlock_pool();
    return n + dev_small_cached();
}

static size_t
cpu_live(Dev *d)
{
    (void)d;
    lock_pool();
    size_t n = __atomic_load_n(&pool.live, __ATOMIC_RELAXED);
    for (const Own *o = owns; o; o = o->next)
        n += __atomic_load_n(&o->live, __ATOMIC_RELAXED);
    unlock_pool();
    return n + dev_small_live();
}

/* A fork copies the lock in whatever state another thread left it, so it is held across. */
static void
watch_forks(void)
{
    own_key = pthread_key_create(&own_end, give_all_own) == 0;
    dev_small_start();
    pthread_atfork(lock_pool, unlock_pool, renew_lock);
}

static int
cpu_init(Dev *d)
{
    (void)d;
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    return pthread_once(&once, watch_forks);
}

Dev *
dev_cpu(void)
{
    static Dev cpu = {"cpu", cpu_init, cpu_alloc, free_block, cpu_trim, cpu_cached, cpu_live};
    static bool known; /* atomic */
    if (SW_UNLIKELY(!__atomic_load_n(&known, __ATOMIC_ACQUIRE))) {
        cpu_init(&cpu);
        __atomic_store_n(&known, true, __ATOMIC_RELEASE);
    }
    return &cpu;
}
