/* SPDX-License-Identifier: BSD-3-Clause
 * Objects of the heap: counted memory whose words refer to other counted memory. Which do is said
 * by a layout, the text that IrVar.obj has in ir.h; equal texts are one layout for the whole
 * process, never freed, since objects outlive the code that made them. An object that dies lets go
 * of what it refers to, and what dies of that waits in a list, linked through counts that nobody
 * needs any more: a chain of a million objects takes no stack. */
#include "rt/rt.h"

#include "ir/ir.h"
#include <pthread.h>
#include <stdlib.h>

_Static_assert(IR_NEAR == (int)DEV_HEADER, "compiled code finds the words by the count");

struct SwLayout {
    struct SwLayout *next;
    SwMem *empty; /* see sw_empty; or NULL */
    int64_t n;    /* words; -1: all of the memory, and each is a reference */
    bool circles; /* it may be part of one: see circles.c */
    char text[];
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static SwLayout *first;

/* An instance that refers to one, or to a container. An array of a field is followed by where it
 * begins; so are the columns of a container, which leads to no instance but by a column. */
static bool
may_circle(const char *text)
{
    bool may = false;
    for (const char *c = strchr(text, 'p'); text[0] == 'w' && c && !may; c = strchr(c + 1, 'p'))
        may = c[1] != 'w';
    return may;
}

static SwLayout *
find(const char *text)
{
    for (SwLayout *l = first; l; l = l->next)
        if (!strcmp(l->text, text))
            return l;
    return NULL;
}

const SwLayout *
rt_layout(const char *text)
{
    static SwLayout *references; /* which all lists of objects ask for */
    SwLayout *known = __atomic_load_n(&references, __ATOMIC_ACQUIRE);
    if (known && text[0] == '*')
        return known;
    pthread_mutex_lock(&lock);
    SwLayout *l = find(text);
    size_t n = strlen(text);
    if (!l && (l = malloc(sizeof *l + n + 1))) {
        memcpy(l->text, text, n + 1);
        l->empty = NULL;
        l->n = text[0] == '*' ? -1 : (int64_t)n;
        l->circles = may_circle(text);
        l->next = first;
        first = l;
    }
    if (l && text[0] == '*')
        __atomic_store_n(&references, l, __ATOMIC_RELEASE);
    pthread_mutex_unlock(&lock);
    return l;
}

int
sw_new(SwCtx *cx, const SwLayout *layout, int64_t words, SwMem **out)
{
    if (!layout) {
        sw_fail(cx, SW_ERR_MEMORY, words * 8, 0, 0, 0);
        return 1;
    }
    /* boxes are many; of other objects compiled code may know how they are aligned */
    if (rt_alloc(cx, words * 8, layout->text[0] == 'p', 1, out))
        return 1;
    (*out)->user = (void *)(uintptr_t)layout;
    (*out)->free_fn = rt_object_free;
    if (layout->circles)
        rt_circle_note(*out);
    return 0;
}

/* Its count never comes to nothing. */
int
sw_empty(SwCtx *cx, const SwLayout *layout, int64_t words, SwMem **out)
{
    SwLayout *l = (SwLayout *)(uintptr_t)layout;
    SwMem *m = l ? __atomic_load_n(&l->empty, __ATOMIC_ACQUIRE) : NULL;
    if (!m && sw_new(cx, layout, words, &m))
        return 1;
    SwMem *was = NULL;
    if (l->empty != m) {
        m->refs = (int64_t)1 << 60;
        if (!__atomic_compare_exchange_n(&l->empty, &was, m, false, __ATOMIC_ACQ_REL,
                                         __ATOMIC_ACQUIRE)) {
            m->refs = 1;
            sw_release(m);
            m = was;
        }
    }
    sw_retain(m);
    *out = m;
    return 0;
}

/* ---- the end of an object -------------------------------------------------------------------- */

enum { AHEAD = 8 };

static bool
is_object(const SwMem *m)
{
    return m->free_fn == rt_object_free || m->free_fn == rt_circle_free;
}

SwMem *
rt_object_next(const SwMem *m, int64_t *k)
{
    const SwLayout *l = m->user;
    SwMem *const *word = m->data;
    int64_t n = l->n < 0 ? (int64_t)(m->bytes / 8) : l->n;
    while (++*k < n) {
        SwMem *to = l->n < 0 || l->text[*k] == 'p' ? word[*k] : NULL;
        if (to && is_object(to) && ((const SwLayout *)to->user)->text[0] != 'p')
            return to; /* a box leads to none */
    }
    return NULL;
}

/* What m refers to, by the memory's words: whoever dies of that and is no object goes at once. */
static SwMem *
let_go_of(SwMem *to, SwMem *dead)
{
    if (is_object(to)) {
        to->refs = (int64_t)(intptr_t)dead;
        return to;
    }
    to->free_fn(to);
    return dead;
}

/* A box goes while its words are near, and not behind all others of a list. */
static SwMem *
end_box(SwMem *m, SwMem *dead)
{
    const SwLayout *l = m->user;
    SwMem **word = m->data;
    for (int64_t i = 0; i < l->n; i++)
        if (l->text[i] == 'p' && word[i] && dev_let_go(word[i]))
            dead = let_go_of(word[i], dead);
    m->refs = 0;
    dev_cpu()->free(m);
    return dead;
}

static SwMem *
let_go(SwMem *m, SwMem *dead)
{
    const SwLayout *l = m->user;
    SwMem **word = m->data;
    int64_t n = l->n < 0 ? (int64_t)(m->bytes / 8) : l->n;
    for (int64_t i = 0; i < n; i++) {
        if (l->n < 0 && i + AHEAD < n)
            __builtin_prefetch(word[i + AHEAD], 1);
        SwMem *to = l->n < 0 || l->text[i] == 'p' ? word[i] : NULL;
        if (!to || !dev_let_go(to))
            continue;
        if (to->free_fn == rt_object_free && ((const SwLayout *)to->user)->text[0] == 'p')
            dead = end_box(to, dead);
        else
            dead = let_go_of(to, dead);
    }
    return dead;
}

void
rt_object_empty(SwMem *m)
{
    const SwLayout *l = m->user;
    SwMem **word = m->data;
    int64_t n = l->n < 0 ? (int64_t)(m->bytes / 8) : l->n;
    for (int64_t i = 0; i < n; i++) {
        SwMem *to = l->n < 0 || l->text[i] == 'p' ? word[i] : NULL;
        if (to) {
            word[i] = NULL;
            sw_release(to);
        }
    }
}

void
rt_object_free(SwMem *m)
{
    SwMem *dead = m;
    const Dev *d = dev_cpu();
    m->refs = 0;
    while (dead) {
        m = dead;
        dead = let_go(m, (SwMem *)(intptr_t)m->refs);
        if (m->free_fn == rt_circle_free)
            rt_circle_forget(m);
        d->free(m);
    }
}

void
rt_circle_free(SwMem *m)
{
    rt_object_free(m);
}

/* ---- buffers that grow ----------------------------------------------------------------------- */

/* item: of the elements; -1: references */
static int
grow_column(SwCtx *cx, uint64_t *word, int64_t item, int64_t n)
{
    SwMem *old = (SwMem *)(uintptr_t)word[0], *m;
    bool refs = item < 0;
    int64_t size = refs ? 8 : item, had = (int64_t)word[2], keep = had < n ? had : n;
    if (refs ? sw_new(cx, rt_layout("*"), n, &m) : sw_alloc(cx, n * size, 0, &m))
        return 1;
    if (old && refs && __atomic_load_n(&old->refs, __ATOMIC_ACQUIRE) == 1) {
        memcpy(m->data, (void *)(uintptr_t)word[1], (size_t)(keep * 8));
        memset((void *)(uintptr_t)word[1], 0, (size_t)(keep * 8)); /* moved */
    } else if (old) {
        memcpy(m->data, (void *)(uintptr_t)word[1], (size_t)(keep * size));
        for (int64_t i = 0; refs && i < keep; i++)
            sw_retain(((SwMem **)m->data)[i]);
    }
    word[0] = (uint64_t)(uintptr_t)m;
    word[1] = (uint64_t)(uintptr_t)m->data;
    word[2] = (uint64_t)n;
    sw_release(old);
    return 0;
}

int
sw_grow(SwCtx *cx, const SwDesc *object, int64_t at, int64_t items, int64_t n)
{
    uint64_t *word = (uint64_t *)(void *)object->data + at, left = (uint64_t)items;
    if (n < 0 || n >= ((int64_t)1 << 56)) {
        sw_fail(cx, SW_ERR_MEMORY, n, 0, 0, 0);
        return 1;
    }
    for (; left; left >>= 8, word += 3)
        if (grow_column(cx, word, (left & 0xff) == IR_REFS ? -1 : (int64_t)(left & 0xff), n))
            return 1;
    return 0;
}
