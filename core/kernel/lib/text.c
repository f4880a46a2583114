/* SPDX-License-Identifier: BSD-3-Clause
 * What swathe/lib/characters.py and texts.py ask of whoever knows all characters, and how numbers
 * are written: CPython, which has lent a function (KernelHost.text). Each yields how many
 * characters there are, which may be more than there is room for; below 0: there is no memory. */
#include "kernel/lib/digits.h"
#include "kernel/lib/lib.h"
#include <math.h>
#include <pthread.h>
#include <stdlib.h>

static int64_t
ask(TextAsk t)
{
    return kernel_host()->text ? kernel_host()->text(&t) : KERNEL_NO_MEMORY;
}

static TextAsk
about(const KernelArg *x, const KernelArg *out)
{
    return (TextAsk){.points = (const uint32_t *)(const void *)x->array->data,
                     .n = x->array->shape[0],
                     .out = out->array->data,
                     .room = out->array->shape[0]};
}

/* A method of str, by its number; 1 and 0: a bool. */
KERNEL(text_method, "x, which, out", "r(n) n w(m)", "uint32")
{
    (void)cx;
    TextAsk t = about(&arg[0], &arg[2]);
    t.what = TEXT_METHOD;
    t.which = arg[1].n;
    return ask(t);
}

/* ---- numbers that need no Python -------------------------------------------------------------
 * The usual specifications, [<>^][0][width][.precision][df]. */

typedef struct Plain {
    uint32_t align;
    bool zero;
    int64_t width, precision; /* -1: none */
    uint32_t type;            /* 0: none */
} Plain;

static bool
read_plain(Plain *s, const KernelArg *spec)
{
    const uint32_t *p = (const uint32_t *)(const void *)spec->array->data,
                   *end = p + spec->array->shape[0];
    bool aligned = false;
    *s = (Plain){.align = '>', .precision = -1};
    if (p < end && (*p == '<' || *p == '>' || *p == '^'))
        s->align = *p++, aligned = true;
    else if (p < end && *p == '0')
        s->zero = true;
    if (aligned && p < end && *p == '0') /* zeros on either side */
        return false;
    for (; p < end && *p >= '0' && *p <= '9' && s->width < 1000; p++)
        s->width = 10 * s->width + *p - '0';
    if (p < end && *p == '.')
        for (p++, s->precision = 0; p < end && *p >= '0' && *p <= '9' && s->precision < 100; p++)
            s->precision = 10 * s->precision + *p - '0';
    if (p < end)
        s->type = *p++;
    return p == end;
}

static int64_t
laid_out(const KernelArg *out, const Plain *s, const Digits *d, bool negative)
{
    int64_t n = d->n + negative, more = s->width > n ? s->width - n : 0, k = 0;
    int64_t left = s->align == '>' ? more : s->align == '^' ? more / 2 : 0;
    uint32_t *to = (uint32_t *)(void *)out->array->data;
    if (n + more > out->array->shape[0])
        return n + more; /* it comes again, with more room */
    if (negative && s->zero)
        to[k++] = '-';
    for (int64_t i = 0; i < left; i++)
        to[k++] = s->zero ? '0' : ' ';
    if (negative && !s->zero)
        to[k++] = '-';
    for (int i = d->n; i-- > 0;)
        to[k++] = d->at[i];
    for (int64_t i = left; i < more; i++)
        to[k++] = ' ';
    return n + more;
}

/* format(value, spec) */
KERNEL(text_of_int, "spec, value, out", "r(n) n w(m)", "uint32")
{
    (void)cx;
    Plain s;
    if (read_plain(&s, &arg[0]) && s.precision < 0 && (!s.type || s.type == 'd')) {
        Digits d = {.n = 0};
        add_digits(&d, arg[1].n < 0 ? 0 - (uint64_t)arg[1].n : (uint64_t)arg[1].n, 1);
        return laid_out(&arg[2], &s, &d, arg[1].n < 0);
    }
    TextAsk t = about(&arg[0], &arg[2]);
    t.what = TEXT_OF_INT;
    t.which = arg[1].n;
    return ask(t);
}

KERNEL(text_of_float, "value, spec, out", "r(k) r(n):uint32 w(m):uint32", "float64")
{
    (void)cx;
    TextAsk t = about(&arg[1], &arg[2]);
    t.what = TEXT_OF_FLOAT;
    memcpy(&t.real, arg[0].array->data, sizeof t.real);
    Plain s;
    Digits d = {.n = 0};
    bool plain = read_plain(&s, &arg[1]);
    if (plain &&
        (s.type == 'f' ? digits_fixed(&d, fabs(t.real), s.precision < 0 ? 6 : (int)s.precision)
                       : !t.n && digits_shortest(&d, fabs(t.real))))
        return laid_out(&arg[2], &s, &d, signbit(t.real) != 0);
    return ask(t);
}

/* 0, or 1: it is no number; of an int 2: it does not fit. */
KERNEL(text_float, "x, out", "r(n) w(m):float64", "uint32")
{
    (void)cx;
    TextAsk t = about(&arg[0], &arg[1]);
    double x;
    if (digits_read(t.points, t.n, &x)) {
        memcpy(t.out, &x, sizeof x);
        return 0;
    }
    t.what = TEXT_FLOAT;
    return ask(t);
}

KERNEL(text_int, "x, base, out", "r(n) n w(m):int64", "uint32")
{
    (void)cx;
    TextAsk t = about(&arg[0], &arg[2]);
    t.what = TEXT_INT;
    t.which = arg[1].n;
    return ask(t);
}

/* ---- strings that grow -----------------------------------------------------------------------
 * Where a string is the last one in its memory, one that is longer can be made of it in place:
 * nobody looks at what is behind it. Of such memory `user` is how many bytes are taken, twice, and
 * one. */

/* Its memory is that of a string which may grow. */
KERNEL(text_appended, "x, n", "w(m) n", "DRAWS uint32")
{
    (void)cx;
    SwMem *m = arg[0].array->owner;
    if (m && m->data == arg[0].array->data)
        __atomic_store_n(&m->user, (void *)(uintptr_t)((size_t)arg[1].n << 3 | 1),
                         __ATOMIC_RELEASE);
    return 0;
}

/* 1: y is behind x now; 2: there is no room left; 0: x has never been added to. */
KERNEL(text_append, "x, y", "r(n) r(k)", "DRAWS uint32")
{
    (void)cx;
    const SwDesc *x = arg[0].array, *y = arg[1].array;
    SwMem *m = x->owner;
    void *was = m ? __atomic_load_n(&m->user, __ATOMIC_ACQUIRE) : NULL;
    if (!((uintptr_t)was & 1))
        return 0;
    size_t used = (uintptr_t)was >> 1, more = 4 * (size_t)y->shape[0];
    char *end = x->data + 4 * x->shape[0];
    if (end != (char *)m->data + used || m->bytes - used < more)
        return 2;
    void *now = (void *)((used + more) << 1 | 1);
    if (!__atomic_compare_exchange_n(&m->user, &was, now, false, __ATOMIC_ACQ_REL,
                                     __ATOMIC_ACQUIRE))
        return 2;
    memcpy(end, y->data, more);
    return 1;
}

/* ---- strings in messages ---------------------------------------------------------------------
 * An error or what is printed tells of its strings by numbers. The last ones are kept, which are
 * many more than one message has, or a chain of errors. */

enum { NOTES = 1 << 16 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct {
    char *text;
    size_t n;
    int64_t number;
} note[NOTES];
static int64_t last;

static char *
utf8(const uint32_t *p, int64_t n, size_t *size)
{
    static const uint32_t first[] = {0, 0xc0, 0xe0, 0xf0};
    char *text = malloc((size_t)n * 4 + 1), *q = text;
    for (int64_t i = 0; text && i < n; i++) {
        uint32_t c = p[i];
        int more = c < 0x80 ? 0 : c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
        *q++ = (char)(first[more] | c >> 6 * more);
        for (int k = more - 1; k >= 0; k--)
            *q++ = (char)(0x80 | (c >> 6 * k & 0x3f));
    }
    *size = text ? (size_t)(q - text) : 0;
    return text;
}

KERNEL(text_note, "x", "r(n)", "DRAWS uint32")
{
    (void)cx;
    size_t n;
    char *text =
        utf8((const uint32_t *)(const void *)arg[0].array->data, arg[0].array->shape[0], &n);
    if (!text)
        return KERNEL_NO_MEMORY;
    pthread_mutex_lock(&lock);
    int64_t number = ++last;
    int k = (int)(number % NOTES);
    char *old = note[k].text;
    note[k].text = text;
    note[k].n = n;
    note[k].number = number;
    pthread_mutex_unlock(&lock);
    free(old);
    return number;
}

void
text_noted(int64_t number, void (*take)(void *to, const char *text, size_t n), void *to)
{
    pthread_mutex_lock(&lock);
    int k = (int)(number % NOTES);
    bool kept = number > 0 && note[k].number == number;
    char *text = kept ? malloc(note[k].n + 1) : NULL;
    size_t n = kept ? note[k].n : 0;
    if (text)
        memcpy(text, note[k].text, n);
    pthread_mutex_unlock(&lock);
    take(to, text ? text : "(a string that is no longer known)", text ? n : 34);
    free(text);
}
