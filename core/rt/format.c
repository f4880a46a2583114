/* SPDX-License-Identifier: BSD-3-Clause
 * Messages of run-time errors and of print: a format with %0 .. %9 for 64-bit arguments,
 * each followed by d (int64), u (uint64), b (bool), g (the bits of a double, printed as
 * repr does), f (likewise, with the digits that tell a float32), z (a complex: this
 * argument and the next), P (bits of it as an unsigned number, "%0P21.21;": from bit 21 on 21 of them, a
 * question mark where all are set), B (a block's place, T: a thread's, as pass grid packs them) or nothing
 * (int64); D, U and G are d, u and g as a specification of format() has them, which follows up to a
 * semicolon; %% is a percent sign. "%0?this%|that%." is this where the argument is not zero, and else that. */
#include "rt/rt.h"
#include <math.h>
#include <stdio.h>

static double
bits(uint64_t v)
{
    double x;
    memcpy(&x, &v, sizeof x);
    return x;
}

/* The parts of a complex number are written without a trailing ".0". */
static void
format_part(StrBuf *out, double x)
{
    sb_add_float(out, x, false);
    if (out->n > 2 && strcmp(out->s + out->n - 2, ".0") == 0)
        out->s[out->n -= 2] = 0;
}

static void
format_complex(StrBuf *out, double re, double im)
{
    bool bare = re == 0 && !signbit(re);
    if (!bare) {
        sb_add(out, "(");
        format_part(out, re);
        sb_add(out, signbit(im) && !isnan(im) ? "" : "+");
    }
    format_part(out, im);
    sb_add(out, bare ? "j" : "j)");
}

/* "%0G.2f;" */
static const char *
format_as(StrBuf *out, const char *p, uint64_t v)
{
    NumSpec s;
    const char *end = numspec_read(&s, p + 1, ';');
    bool negative = *p == 'D' && (int64_t)v < 0;
    if (!end)
        return p + 1;
    if (*p == 'G')
        sb_add_float_as(out, &s, bits(v));
    else
        sb_add_int_as(out, &s, negative ? 0 - v : v, negative);
    return end + 1;
}

/* "%0P32.32;" */
static const char *
format_packed(StrBuf *out, const char *p, uint64_t v)
{
    unsigned from, bits;
    const char *end = strchr(p, ';');
    if (!end || sscanf(p + 1, "%u.%u", &from, &bits) != 2 || from > 63 || bits < 1 || bits > 63)
        return p + 1;
    uint64_t all = (1ull << bits) - 1, x = v >> from & all;
    if (x == all)
        sb_add(out, "?");
    else
        sb_addf(out, "%llu", (unsigned long long)x);
    return end + 1;
}

/* A complex number takes two arguments; no other looks at the one behind its own. */
static const char *
format_arg(StrBuf *out, const char *p, const uint64_t *args, int k, int n_args)
{
    uint64_t v = k < n_args ? args[k] : 0;
    switch (*p) {
    case 'D':
    case 'U':
    case 'G':
        return format_as(out, p, v);
    case 'P':
        return format_packed(out, p, v);
    case 'g':
    case 'f':
        sb_add_float(out, bits(v), *p == 'f');
        return p + 1;
    case 'z':
        format_complex(out, bits(v), bits(k + 1 < n_args ? args[k + 1] : 0));
        return p + 1;
    case 'B':
    case 'T':
        sb_addf(out, "%llu, %llu, %llu", (unsigned long long)(v & 0xffffffff),
                (unsigned long long)(v >> 32 & 0xffff), (unsigned long long)(v >> 48));
        return p + 1;
    case 'u':
        sb_addf(out, "%llu", (unsigned long long)v);
        return p + 1;
    case 'b':
        sb_add(out, v ? "True" : "False");
        return p + 1;
    default:
        sb_addf(out, "%lld", (long long)v);
        return *p == 'd' ? p + 1 : p;
    }
}

/* Past the `|`, or the `.`, that belongs to the choice which p is in. */
static const char *
skip_to(const char *p, char end)
{
    for (int depth = 0; *p; p++) {
        if (*p != '%' || !p[1])
            continue;
        p++;
        depth += *p >= '0' && *p <= '9' && p[1] == '?';
        if (*p == end && !depth)
            return p + 1;
        depth -= *p == '.';
    }
    return p;
}

/* A bare "%0" before one of these letters is taken with it, so formats put a space there.
 */
void
rt_format(StrBuf *out, const char *format, const uint64_t *args, int n_args)
{
    for (const char *p = format; *p;) {
        size_t n = strcspn(p, "%");
        sb_addn(out, p, n);
        p += n;
        if (p[0] == '%' && p[1] >= '0' && p[1] <= '9' && p[2] == '?') {
            int k = p[1] - '0';
            p = k < n_args && args[k] ? p + 3 : skip_to(p + 3, '|');
        } else if (p[0] == '%' && p[1] == '|') {
            p = skip_to(p + 2, '.');
        } else if (p[0] == '%' && p[1] == '.') {
            p += 2;
        } else if (p[0] == '%' && p[1] >= '0' && p[1] <= '9') {
            p = format_arg(out, p + 2, args, p[1] - '0', n_args);
        } else if (*p) {
            sb_add(out, "%");
            p += p[1] == '%' ? 2 : 1;
        }
    }
}
