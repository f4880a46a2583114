/* SPDX-License-Identifier: BSD-3-Clause
 * Objects that lead to each other in a circle, and to which nothing else leads: counts never let go
 * of them. Each thread keeps a list of its objects that may be part of one. When no compiled code
 * runs, nobody has a reference that is not counted, and so what its objects have of each other
 * shows which of them have one from elsewhere: these stay, with all that they lead to (trial
 * deletion). That is looked for when a thread has twice the objects that were left last time. */
#include "rt/rt.h"

#include <pthread.h>
#include <stdlib.h>

enum { CHUNK = 1 << 16, SLOTS = CHUNK / 8 - 2, FIRST_DUE = 1 << 12 };

typedef struct Objects Objects;

/* Aligned to its size, so that a slot tells whose it is. */
typedef struct Chunk {
    Objects *of;
    struct Chunk *next;
    uintptr_t slot[SLOTS]; /* an object, or, with bit 0 set, the next free slot; 0: none */
} Chunk;

/* What a thread has made; another thread takes it over when that has ended. */
struct Objects {
    Chunk *first;
    uintptr_t *free;
    int used; /* slots of the first chunk */
    int64_t n, due;
    bool owned;
    Objects *next;
};
_Static_assert(sizeof(Chunk) == CHUNK, "a chunk is a power of 2");

static struct {
    pthread_mutex_t lock;
    pthread_once_t once;
    pthread_key_t end;
    Objects *first;
    bool busy; /* one thread looks */
} all = {.lock = PTHREAD_MUTEX_INITIALIZER, .once = PTHREAD_ONCE_INIT};
static __thread Objects *mine __attribute__((tls_model("initial-exec")));

int rt_running;      /* calls of compiled code: under the GIL */
bool rt_has_circles; /* an object has been made that may be part of one */

/* ---- which objects there are ----------------------------------------------------------------- */

static void
end_thread(void *o)
{
    pthread_mutex_lock(&all.lock);
    ((Objects *)o)->owned = false;
    pthread_mutex_unlock(&all.lock);
}

static void
make_key(void)
{
    pthread_key_create(&all.end, end_thread);
}

static Objects *
take_objects(void)
{
    pthread_once(&all.once, make_key);
    pthread_mutex_lock(&all.lock);
    Objects *o = all.first;
    while (o && o->owned)
        o = o->next;
    if (!o && (o = calloc(1, sizeof *o))) {
        o->due = FIRST_DUE;
        o->next = all.first;
        all.first = o;
    }
    if (o)
        o->owned = true;
    pthread_mutex_unlock(&all.lock);
    if (o && pthread_setspecific(all.end, o)) { /* it would never be taken over */
        o->owned = false;
        return NULL;
    }
    return mine = o;
}

static uintptr_t *
new_slot(Objects *o)
{
    if (!o->first || o->used == SLOTS) {
        Chunk *c = aligned_alloc(CHUNK, CHUNK);
        if (!c)
            return NULL;
        memset(c, 0, sizeof *c);
        c->of = o;
        c->next = o->first;
        o->first = c;
        o->used = 0;
    }
    return &o->first->slot[o->used++];
}

void
rt_circle_note(SwMem *m)
{
    Objects *o = SW_LIKELY(mine != NULL) ? mine : take_objects();
    uintptr_t *slot = o ? o->free : NULL;
    if (SW_LIKELY(slot != NULL))
        o->free = (uintptr_t *)(*slot & ~(uintptr_t)1);
    else if (!o || !(slot = new_slot(o)))
        return; /* there is no memory, and it is one that is not looked at */
    *slot = (uintptr_t)m;
    *(uintptr_t **)dev_spare(m) = slot;
    m->free_fn = rt_circle_free;
    o->n++;
    rt_has_circles = true;
}

void
rt_circle_forget(SwMem *m)
{
    uintptr_t *slot = *(uintptr_t **)dev_spare(m);
    const Chunk *c = (const Chunk *)((uintptr_t)slot & ~(uintptr_t)(CHUNK - 1));
    if (SW_UNLIKELY(c->of != mine)) { /* its thread finds it when it looks */
        __atomic_store_n(slot, 0, __ATOMIC_RELAXED);
        return;
    }
    *slot = (uintptr_t)mine->free | 1;
    mine->free = slot;
    mine->n--;
}

/* ---- what they have of each other ------------------------------------------------------------ */

typedef struct Seen {
    SwMem *mem;
    int64_t inner; /* references from objects that are looked at */
    bool stays;
} Seen;

typedef struct Look {
    Seen *at;
    int64_t n, room;
    int64_t *slot; /* by address: a place in `at`, or -1 */
    int64_t n_slots;
    bool failed;
} Look;

static int64_t *
place(const Look *l, const SwMem *m)
{
    uint64_t h = ((uint64_t)(uintptr_t)m >> 4) * 0x9e3779b97f4a7c15ull;
    int64_t k = (int64_t)(h >> 20) & (l->n_slots - 1);
    while (l->slot[k] >= 0 && l->at[l->slot[k]].mem != m)
        k = (k + 1) & (l->n_slots - 1);
    return &l->slot[k];
}

static bool
grow(Look *l)
{
    int64_t room = l->room ? l->room * 2 : 1 << 13;
    Seen *at = realloc(l->at, (size_t)room * sizeof *at);
    if (at)
        l->at = at;
    int64_t *slot = at ? realloc(l->slot, (size_t)room * 2 * sizeof *slot) : NULL;
    if (!slot)
        return false;
    l->slot = slot;
    l->room = room;
    l->n_slots = room * 2;
    for (int64_t i = 0; i < l->n_slots; i++)
        slot[i] = -1;
    for (int64_t i = 0; i < l->n; i++)
        *place(l, l->at[i].mem) = i;
    return true;
}

static int64_t
look_at(Look *l, SwMem *m)
{
    if (l->n == l->room && !grow(l)) {
        l->failed = true;
        return -1;
    }
    int64_t *p = place(l, m);
    if (*p < 0) {
        l->at[l->n] = (Seen){.mem = m};
        *p = l->n++;
    }
    return *p;
}

/* All objects of all threads, whose free slots are linked anew. */
static void
look_at_all(Look *l)
{
    for (Objects *o = all.first; o; o = o->next) {
        o->n = 0;
        o->free = NULL;
        for (Chunk *c = o->first; c; c = c->next)
            for (int i = 0, n = c == o->first ? o->used : SLOTS; i < n; i++) {
                uintptr_t *s = &c->slot[i];
                if (*s && !(*s & 1)) {
                    o->n++;
                    look_at(l, (SwMem *)*s);
                } else {
                    *s = (uintptr_t)o->free | 1;
                    o->free = s;
                }
            }
    }
}

static void
count_inner(Look *l)
{
    for (int64_t i = 0; i < l->n && !l->failed; i++) {
        SwMem *m = l->at[i].mem, *to;
        for (int64_t k = -1; (to = rt_object_next(m, &k));) {
            int64_t j = look_at(l, to);
            if (j >= 0)
                l->at[j].inner++;
        }
    }
}

/* What has a reference from elsewhere, and what that leads to. False: no memory. */
static bool
mark(Look *l)
{
    int64_t *todo = malloc((size_t)(l->n + 1) * sizeof *todo), n = 0;
    if (!todo)
        return false;
    for (int64_t i = 0; i < l->n; i++) {
        l->at[i].stays = __atomic_load_n(&l->at[i].mem->refs, __ATOMIC_ACQUIRE) > l->at[i].inner;
        if (l->at[i].stays)
            todo[n++] = i;
    }
    while (n) {
        SwMem *m = l->at[todo[--n]].mem, *to;
        for (int64_t k = -1; (to = rt_object_next(m, &k));) {
            int64_t j = *place(l, to);
            if (!l->at[j].stays)
                todo[n++] = j;
            l->at[j].stays = true;
        }
    }
    free(todo);
    return true;
}

/* What may run Python, where it lets go of an ndarray, finds everything in order. */
static int64_t
let_go(Look *l)
{
    int64_t n = 0;
    for (int64_t i = 0; i < l->n; i++)
        if (!l->at[i].stays)
            l->at[n++].mem = l->at[i].mem;
    for (int64_t i = 0; i < n; i++)
        sw_retain(l->at[i].mem);
    for (int64_t i = 0; i < n; i++)
        rt_object_empty(l->at[i].mem);
    for (int64_t i = 0; i < n; i++)
        sw_release(l->at[i].mem);
    return n;
}

int64_t
rt_circles_collect(void)
{
    Look l = {0};
    int64_t gone = 0;
    pthread_mutex_lock(&all.lock);
    bool busy = all.busy;
    all.busy = true;
    if (!busy)
        look_at_all(&l);
    pthread_mutex_unlock(&all.lock);
    if (busy)
        return 0;
    count_inner(&l);
    if (!l.failed && mark(&l))
        gone = let_go(&l);
    free(l.at);
    free(l.slot);
    pthread_mutex_lock(&all.lock);
    for (Objects *o = all.first; o; o = o->next)
        o->due = 2 * o->n > FIRST_DUE ? 2 * o->n : FIRST_DUE;
    all.busy = false;
    pthread_mutex_unlock(&all.lock);
    return gone;
}

void
rt_circles_end(void)
{
    if (mine && mine->n > mine->due)
        rt_circles_collect();
}
