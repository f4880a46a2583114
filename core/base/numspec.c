/* SPDX-License-Identifier: BSD-3-Clause
 * Numbers as Python's format() writes them:
 * [[fill]align][sign][#][0][width][,][.precision][type], read once when a function is
 * compiled, so that what Python refuses is refused there, and again when a message is
 * made. The digits are C's; what C lacks is the shortest form of a float, an alignment,
 * and groups. */
#include "base/base.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- floats as repr writes them -------------------------------------------------------------- */

/* The fewest digits that read back as x, or as the same float32. */
static int
shortest_digits(double x, bool single, char *buf, size_t n)
{
    int prec = 0;
    do
        snprintf(buf, n, "%.*e", prec, x);
    while ((single ? strtof(buf, NULL) != (float)x : strtod(buf, NULL) != x) && ++prec < 17);
    return prec + 1;
}

void
sb_add_float(StrBuf *out, double x, bool single)
{
    char buf[64];
    if (isnan(x) || isinf(x)) {
        sb_add(out, isnan(x) ? "nan" : x > 0 ? "inf" : "-inf");
        return;
    }
    int digits = shortest_digits(x, single, buf, sizeof buf);
    char *e = strchr(buf, 'e');
    int exp10 = atoi(e + 1);
    if (exp10 < -4 || exp10 >= 16) {
        sb_addn(out, buf, (size_t)(e - buf));
        sb_addf(out, "e%c%02d", exp10 < 0 ? '-' : '+', abs(exp10));
        return;
    }
    int decimals = digits - 1 - exp10;
    sb_addf(out, "%.*f", decimals > 1 ? decimals : 1, x);
}

/* ---- reading --------------------------------------------------------------------------------- */

static const char *
read_number(const char *p, int *n)
{
    for (*n = 0; *p >= '0' && *p <= '9'; p++)
        *n = *n < NUMSPEC_MOST ? *n * 10 + (*p - '0') : *n;
    return p;
}

static bool
is_align(char c)
{
    return c == '<' || c == '>' || c == '=' || c == '^';
}

static const char *
read_layout(NumSpec *s, const char *p)
{
    if (*p && is_align(p[1])) {
        s->fill = *p++;
        s->align = *p++;
    } else if (is_align(*p)) {
        s->align = *p++;
    }
    if (*p == '+' || *p == '-' || *p == ' ')
        s->sign = *p++;
    if (*p == '#')
        s->alt = *p++;
    if (*p == '0') {
        s->fill = s->fill ? s->fill : '0';
        s->align = s->align ? s->align : '=';
        p++;
    }
    return read_number(p, &s->width);
}

const char *
numspec_read(NumSpec *s, const char *text, char end)
{
    *s = (NumSpec){.prec = -1};
    const char *p = read_layout(s, text);
    if (*p == ',' || *p == '_')
        s->group = *p++;
    if (*p == '.') {
        const char *digits = p + 1;
        p = read_number(digits, &s->prec);
        if (p == digits)
            return NULL;
    }
    if (*p && *p != end)
        s->type = *p++;
    bool odd = (unsigned char)s->fill >= 127 || (s->fill && s->fill < 32) || s->fill == ';' ||
               (s->group && s->fill == '0') || s->width >= NUMSPEC_MOST || s->prec >= NUMSPEC_MOST;
    return *p == end && !odd ? p : NULL;
}

bool
numspec_is_float(const NumSpec *s)
{
    return s->type && strchr("eEfFgG%", s->type);
}

bool
numspec_fits(const NumSpec *s, bool is_float)
{
    if (numspec_is_float(s) || (s->type == 'n' && is_float))
        return true;
    bool bits = s->type && strchr("boxX", s->type);
    if (is_float ? s->type != 0 : s->type && s->type != 'd' && s->type != 'n' && !bits)
        return false;
    return is_float || (s->prec < 0 && !(bits && s->group == ','));
}

/* ---- texts ----------------------------------------------------------------------------------- */

static void
add_fill(StrBuf *out, char fill, int n)
{
    char c = fill ? fill : ' ';
    for (int i = 0; i < n; i++)
        sb_addn(out, &c, 1);
}

/* A 0 before the width fills, and has no say in where the text stands. */
bool
textspec_read(NumSpec *s, const char *text)
{
    const char *end = numspec_read(s, text, 0);
    if (!end || s->sign || s->alt || s->group || s->fill == '%' || (s->type && s->type != 's'))
        return false;
    if (s->align == '=' && strchr(text, '='))
        return false;
    s->align = s->align == '=' ? '<' : s->align;
    return true;
}

static bool
begins_char(char c)
{
    return ((unsigned char)c & 0xc0) != 0x80;
}

void
sb_lay_out(StrBuf *out, size_t from, const NumSpec *s)
{
    int n = 0;
    size_t end = from;
    for (; end < out->n && !(begins_char(out->s[end]) && n == s->prec); end++)
        n += begins_char(out->s[end]);
    StrBuf text = {0};
    sb_addn(&text, out->s ? out->s + from : "", end - from);
    out->n = from;
    int room = s->width > n ? s->width - n : 0;
    int left = s->align == '>' ? room : s->align == '^' ? room / 2 : 0;
    add_fill(out, s->fill, left);
    sb_addn(out, text.s ? text.s : "", text.n);
    add_fill(out, s->fill, room - left);
    sb_free(&text);
}

/* ---- writing --------------------------------------------------------------------------------- */

/* Digits with a mark between groups, from the right end of what stands before a point. */
static void
add_groups(StrBuf *out, const char *digits, char mark, int each)
{
    int n = (int)strspn(digits, "0123456789abcdefABCDEF");
    for (int i = 0; i < n; i++) {
        sb_addn(out, digits + i, 1);
        if (mark && i + 1 < n && (n - 1 - i) % each == 0)
            sb_addn(out, &mark, 1);
    }
    sb_add(out, digits + n);
}

/* The sign and what stands before the digits, then the digits, in a field. */
static void
add_field(StrBuf *out, const NumSpec *s, bool negative, const char *prefix, const char *digits)
{
    bool bits = s->type && strchr("boxX", s->type);
    StrBuf head = {0}, body = {0};
    sb_add(&head, negative ? "-" : s->sign == '+' ? "+" : s->sign == ' ' ? " " : "");
    sb_add(&head, prefix);
    bool number = *digits >= '0' && (*digits <= '9' || bits);
    if (number)
        add_groups(&body, digits, s->group, bits ? 4 : 3);
    else
        sb_add(&body, digits);
    int room = s->width - (int)(head.n + body.n);
    room = room > 0 ? room : 0;
    int left = s->align == '<' ? 0 : s->align == '^' ? room / 2 : room;
    if (s->align != '=')
        add_fill(out, s->fill, left);
    sb_addn(out, head.s, head.n);
    if (s->align == '=')
        add_fill(out, s->fill, left);
    sb_addn(out, body.s, body.n);
    add_fill(out, s->fill, room - left);
    sb_free(&head);
    sb_free(&body);
}

void
sb_add_int_as(StrBuf *out, const NumSpec *s, uint64_t size, bool negative)
{
    char digits[72], *p = digits + sizeof digits - 1;
    unsigned base = s->type == 'b'                     ? 2
                    : s->type == 'o'                   ? 8
                    : s->type == 'x' || s->type == 'X' ? 16
                                                       : 10;
    char prefix[3] = {'0', s->type, 0};
    *p = 0;
    do
        *--p = (s->type == 'X' ? "0123456789ABCDEF" : "0123456789abcdef")[size % base];
    while (size /= base);
    add_field(out, s, negative, s->alt && base != 10 ? prefix : "", p);
}

/* Without a type but with a precision: as 'g', but for a digit after the point, and an
 * exponent from one digit earlier on. */
static void
add_plain(StrBuf *b, double x, int prec)
{
    char buf[NUMSPEC_MOST + 64];
    prec = prec ? prec : 1;
    snprintf(buf, sizeof buf, "%.*e", prec - 1, x);
    char *e = strchr(buf, 'e'), *last = e;
    int exp10 = atoi(e + 1);
    if (exp10 >= -4 && exp10 < prec - 1) {
        sb_addf(b, "%.*g", prec, x);
        sb_add(b, b->s && strchr(b->s, '.') ? "" : ".0");
        return;
    }
    while (prec > 1 && last[-1] == '0')
        last--;
    last -= last[-1] == '.';
    sb_addn(b, buf, (size_t)(last - buf));
    sb_add(b, e);
}

void
sb_add_float_as(StrBuf *out, const NumSpec *s, double x)
{
    StrBuf b = {0};
    bool negative = signbit(x) && !isnan(x);
    char type = s->type == 'n' ? 'g' : s->type;
    double size = fabs(x) * (type == '%' ? 100 : 1);
    if (isnan(x) || isinf(x)) {
        bool upper = type == 'E' || type == 'F' || type == 'G';
        sb_add(&b, isnan(x) ? upper ? "NAN" : "nan" : upper ? "INF" : "inf");
    } else if (!type && s->prec < 0) {
        sb_add_float(&b, size, false);
    } else if (!type) {
        add_plain(&b, size, s->prec);
    } else {
        char how[8], buf[NUMSPEC_MOST + 400];
        snprintf(how, sizeof how, "%%%s.*%c", s->alt ? "#" : "", type == '%' ? 'f' : type);
        snprintf(buf, sizeof buf, how, s->prec < 0 ? 6 : s->prec, size);
        sb_add(&b, buf);
    }
    if (type == '%')
        sb_add(&b, "%");
    add_field(out, s, negative, "", b.s ? b.s : "");
    sb_free(&b);
}

/* C's hexadecimal digits of a negative number are not Python's. */
bool
numspec_to_printf(StrBuf *out, const NumSpec *s, char letter, const char *length)
{
    bool zero = s->fill == '0' && s->align == '=', is_float = letter == 'G';
    char type = is_float                     ? s->type
                : !s->type || s->type == 'd' ? letter == 'U' ? 'u' : 'd'
                                             : s->type;
    if (!type ||
        !strchr(is_float        ? "eEfFgG"
                : letter == 'U' ? "uxX"
                                : "d",
                type) ||
        s->group || s->align == '^' || (s->align == '=' && !zero) ||
        (s->fill && !zero && s->fill != ' '))
        return false;
    sb_addf(out, "%%%s%s%s%s", s->align == '<' ? "-" : "", s->alt ? "#" : "", zero ? "0" : "",
            s->sign == '+'   ? "+"
            : s->sign == ' ' ? " "
                             : "");
    if (s->width)
        sb_addf(out, "%d", s->width);
    if (s->prec >= 0)
        sb_addf(out, ".%d", s->prec);
    sb_addf(out, "%s%c", is_float ? "" : length, type);
    return true;
}
