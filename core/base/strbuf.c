/* SPDX-License-Identifier: BSD-3-Clause
 * Text that grows on the heap. When memory runs out, what was there stays and the rest is
 * lost: texts are for people, and the compile that made them fails by itself. */
#include "base/base.h"
#include <stdio.h>
#include <stdlib.h>

static bool
sb_reserve(StrBuf *b, size_t more)
{
    if (b->n + more + 1 <= b->cap)
        return true;
    size_t cap = b->cap ? b->cap * 2 : 256;
    while (cap < b->n + more + 1)
        cap *= 2;
    char *s = realloc(b->s, cap);
    if (!s)
        return false;
    b->s = s;
    b->cap = cap;
    return true;
}

void
sb_addn(StrBuf *b, const void *s, size_t n)
{
    if (b->n + n >= b->cap && !sb_reserve(b, n))
        return;
    if (n)
        memcpy(b->s + b->n, s, n);
    b->n += n;
    b->s[b->n] = 0;
}

static void
add_digits(StrBuf *b, uint64_t u, bool minus)
{
    char digits[24], *p = digits + sizeof digits;
    do
        *--p = (char)('0' + u % 10);
    while (u /= 10);
    if (minus)
        *--p = '-';
    sb_addn(b, p, (size_t)(digits + sizeof digits - p));
}

void
sb_add_i64(StrBuf *b, int64_t x)
{
    add_digits(b, x < 0 ? 0 - (uint64_t)x : (uint64_t)x, x < 0);
}

void
sb_add_u64(StrBuf *b, uint64_t x)
{
    add_digits(b, x, false);
}

/* A format of nothing but %s, %d and %lld, which most are; false: it has another, and `b` is as it was. libquadmath,
 * which comes with NumPy, makes each printf of its process ten times slower. */
static bool
add_plain(StrBuf *b, const char *fmt, va_list ap)
{
    size_t before = b->n;
    for (const char *f = fmt, *next; *f; f = next) {
        next = strchrnul(f, '%');
        sb_addn(b, f, (size_t)(next - f));
        if (!*next)
            break;
        if (next[1] == 's') {
            const char *text = va_arg(ap, const char *);
            sb_add(b, text ? text : "(null)");
        } else if (next[1] == 'd') {
            sb_add_i64(b, va_arg(ap, int));
        } else if (!strncmp(next, "%lld", 4)) {
            sb_add_i64(b, va_arg(ap, long long));
            next += 2;
        } else {
            b->n = before;
            if (b->s)
                b->s[before] = 0;
            return false;
        }
        next += 2;
    }
    return true;
}

void
sb_vaddf(StrBuf *b, const char *fmt, va_list ap)
{
    va_list again;
    va_copy(again, ap);
    bool plain = add_plain(b, fmt, again);
    va_end(again);
    if (plain)
        return;
    va_copy(again, ap);
    int n = vsnprintf(NULL, 0, fmt, again);
    va_end(again);
    if (n < 0 || !sb_reserve(b, (size_t)n))
        return;
    vsnprintf(b->s + b->n, (size_t)n + 1, fmt, ap);
    b->n += (size_t)n;
}

void
sb_addf(StrBuf *b, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    sb_vaddf(b, fmt, ap);
    va_end(ap);
}

void
sb_free(StrBuf *b)
{
    free(b->s);
    *b = (StrBuf){0};
}
