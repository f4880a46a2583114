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
    if (!sb_reserve(b, n))
        return;
    if (n)
        memcpy(b->s + b->n, s, n);
    b->n += n;
    b->s[b->n] = 0;
}

void
sb_add(StrBuf *b, const char *s)
{
    sb_addn(b, s, strlen(s));
}

void
sb_vaddf(StrBuf *b, const char *fmt, va_list ap)
{
    va_list again;
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
