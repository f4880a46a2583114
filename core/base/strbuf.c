/* SPDX-License-Identifier: BSD-3-Clause
 * Text that grows on the heap. When memory runs out, what was there stays and the rest is
 * lost: for texts that people read. What else reads one asks sb_keep for it, or looks at `lost`. */
#include "base/base.h"
#include <limits.h>
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
    char *s = b->lost ? NULL : realloc(b->s, cap);
    b->lost = !s;
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

static size_t
write_digits(char *end, uint64_t u, bool minus)
{
    char *p = end;
    do
        *--p = (char)('0' + u % 10);
    while (u /= 10);
    if (minus)
        *--p = '-';
    return (size_t)(end - p);
}

void
sb_add_i64(StrBuf *b, int64_t x)
{
    char digits[24], *end = digits + sizeof digits;
    size_t n = write_digits(end, x < 0 ? 0 - (uint64_t)x : (uint64_t)x, x < 0);
    sb_addn(b, end - n, n);
}

void
sb_add_u64(StrBuf *b, uint64_t x)
{
    char digits[24], *end = digits + sizeof digits;
    size_t n = write_digits(end, x, false);
    sb_addn(b, end - n, n);
}

/* Of a format of nothing but %s, %d and %lld, which most are; -1: it has another. */
static int
write_plain(char *to, size_t room, const char *fmt, va_list ap)
{
    char digits[24], *end = digits + sizeof digits;
    size_t n = 0, k;
    for (const char *f = fmt; *f; f += k) {
        const char *from = f;
        long long x = 0;
        size_t len = k = (size_t)(strchrnul(f, '%') - f);
        if (!k && f[1] == 's') {
            from = va_arg(ap, const char *);
            from = from ? from : "(null)";
            len = strlen(from);
            k = 2;
        } else if (!k && (f[1] == 'd' || !strncmp(f, "%lld", 4))) {
            k = f[1] == 'd' ? 2 : 4;
            x = k == 2 ? va_arg(ap, int) : va_arg(ap, long long);
            len = write_digits(end, x < 0 ? 0 - (uint64_t)x : (uint64_t)x, x < 0);
            from = end - len;
        } else if (!k) {
            return -1;
        }
        if (n < room)
            memcpy(to + n, from, len < room - n ? len : room - n);
        n += len;
    }
    if (room)
        to[n < room ? n : room - 1] = 0;
    return n > INT_MAX ? -1 : (int)n;
}

int
text_format(char *to, size_t room, const char *fmt, va_list ap)
{
    va_list again;
    va_copy(again, ap);
    int n = write_plain(to, room, fmt, again);
    va_end(again);
    return n < 0 ? vsnprintf(to, room, fmt, ap) : n;
}

void
sb_vaddf(StrBuf *b, const char *fmt, va_list ap)
{
    va_list again;
    if (!sb_reserve(b, 60))
        return;
    va_copy(again, ap);
    size_t room = b->cap - b->n;
    int n = text_format(b->s + b->n, room, fmt, again);
    va_end(again);
    if (n >= (int)room && sb_reserve(b, (size_t)n))
        text_format(b->s + b->n, (size_t)n + 1, fmt, ap);
    else if (n < 0 || n >= (int)room)
        n = 0;
    b->n += (size_t)n;
    b->s[b->n] = 0;
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

char *
sb_keep(StrBuf *b, Arena *a)
{
    bool lost = b->lost;
    char *s = lost ? NULL : arena_dup(a, b->s ? b->s : "", b->n + 1);
    sb_free(b);
    if (lost)
        arena_out_of_memory(a);
    return s;
}
