/* SPDX-License-Identifier: BSD-3-Clause
 * Messages of run-time errors and of print: a format with %0 .. %9 for 64-bit arguments,
 * each followed by d (int64), u (uint64), b (bool), g (the bits of a double, printed as
 * repr does), f (likewise, with the digits that tell a float32), z (a complex: this
 * argument and the next; Z: in parentheses already), P (bits of it as an unsigned number,
 * "%0P21.21;": from bit 21 on 21 of them, a question mark where all are set), B (a block's place,
 * T: a thread's, as pass grid packs them) or nothing (int64); D, U and G are d, u and g as a
 * specification of format() has them, which follows up to a semicolon; %% is a percent sign.
 * "%0?this%|that%." is this where the argument is not zero, and else that. The arguments of an
 * exception are "%(" one "%," another "%)". Each begins with what it is, s: a string (S: in which
 * there is a '; y: a str or bytes as repr() has it), W: what the exception says, which is no
 * argument of it, N: None, w: a Python number, n: a NumPy number, and then its dtype, A for the
 * first; several are written as a tuple. */
#include "kernel/kernel.h"
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
format_complex(StrBuf *out, double re, double im, bool inside)
{
    bool bare = re == 0 && !signbit(re);
    if (!bare) {
        sb_add(out, inside ? "" : "(");
        format_part(out, re);
        sb_add(out, signbit(im) && !isnan(im) ? "" : "+");
    }
    format_part(out, im);
    sb_add(out, bare || inside ? "j" : "j)");
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
    case 't':
        kernel_noted(out, v);
        return p + 1;
    case 'g':
    case 'f':
        sb_add_float(out, bits(v), *p == 'f');
        return p + 1;
    case 'z':
    case 'Z':
        format_complex(out, bits(v), bits(k + 1 < n_args ? args[k + 1] : 0), *p == 'Z');
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

/* Where the argument that begins at p ends: at "%," or "%)". */
static const char *
end_of_arg(const char *p)
{
    for (; *p; p++)
        if (*p == '%' && (p[1] == ',' || p[1] == ')'))
            return p;
        else if (*p == '%' && p[1])
            p++;
    return p;
}

typedef struct Args { /* of an exception, being written */
    bool many;
    const char *close; /* behind the one that is written */
} Args;

/* What stands before its text, where it is one of many. */
static const char *
open_arg(StrBuf *out, const char *p, Args *a)
{
    int d = *p == 'n' ? p[1] - 'A' : -1;
    bool truth = d == DT_bool;
    a->close = "";
    if (a->many && (*p == 's' || *p == 'S'))
        sb_add(out, a->close = *p == 's' ? "'" : "\"");
    if (a->many && d >= 0 && d < DT_COUNT) {
        sb_addf(out, truth ? "np." : "np.%s(", dtype_info[d].name);
        a->close = truth ? "_" : ")";
    }
    return *p ? p + (*p == 'w' || (*p == 'n' && p[1]) ? 2 : 1) : p;
}

static const char *
next_arg(StrBuf *out, const char *p, Args *a)
{
    char which = p[1];
    p += 2;
    if (which == '(' && p[0] == '%' && p[1] == ')') /* of no arguments */
        return p + 2;
    if (which == '(')
        a->many = end_of_arg(p)[0] && end_of_arg(p)[1] == ',';
    else
        sb_add(out, a->close);
    if (a->many)
        sb_add(out, which == '(' ? "(" : which == ',' ? ", " : ")");
    return which == ')' ? p : open_arg(out, p, a);
}

/* Of a format that begins with "%(": has it several? */
bool
rt_many_args(const char *format)
{
    const char *end = end_of_arg(format + 2);
    return end[0] && end[1] == ',';
}

int
rt_payload(const char *format, const uint64_t *v, RtPayload *out, int max)
{
    int n = 0;
    if (!format || strncmp(format, "%(", 2) != 0)
        return -1;
    if (!strcmp(format, "%(%)"))
        return 0;
    for (const char *p = format + 2, *end; n < max; p = end + 2) {
        if (*p == 'W') /* what it says is no argument */
            break;
        RtPayload *a = &out[n++];
        Args alone = {0};
        StrBuf skip = {0}, piece = {0}, text = {0};
        *a = (RtPayload){.kind = *p, .dtype = *p == 'w' || *p == 'n' ? p[1] - 'A' : 0};
        end = end_of_arg(p);
        p = open_arg(&skip, p, &alone);
        sb_addn(&piece, p, p < end ? (size_t)(end - p) : 0);
        int k = piece.s && piece.s[0] == '%' ? piece.s[1] - '0' : 0;
        for (int i = 0; i < 2; i++)
            a->v[i] = k >= 0 && k + i < 4 ? v[k + i] : 0;
        sb_add(&text, "");
        rt_format(&text, piece.s ? piece.s : "", v, 4);
        a->text = text.s;
        sb_free(&skip);
        sb_free(&piece);
        if (!*end || end[1] == ')')
            break;
    }
    return n;
}

enum { MOST_FIELDS = 8 };

typedef struct Field { /* a text that is being written, "%[>7;" before and "%]" behind it */
    NumSpec spec;
    size_t from;
} Field;

static const char *
open_field(StrBuf *out, const char *p, Field *f)
{
    char spec[64] = "";
    size_t n = strcspn(p, ";");
    if (n < sizeof spec)
        memcpy(spec, p, n);
    f->from = out->n;
    if (!textspec_read(&f->spec, spec))
        f->spec = (NumSpec){.prec = -1};
    return p[n] ? p + n + 1 : p + n;
}

/* A bare "%0" before one of these letters is taken with it, so formats put a space there.
 */
void
rt_format(StrBuf *out, const char *format, const uint64_t *args, int n_args)
{
    Args of = {.close = ""};
    Field field[MOST_FIELDS];
    int n_fields = 0;
    for (const char *p = format; *p;) {
        size_t n = strcspn(p, "%");
        sb_addn(out, p, n);
        p += n;
        if (p[0] == '%' && p[1] >= '0' && p[1] <= '9' && p[2] == '?') {
            int k = p[1] - '0';
            p = k < n_args && args[k] ? p + 3 : skip_to(p + 3, '|');
        } else if (p[0] == '%' && p[1] == '[' && n_fields < MOST_FIELDS) {
            p = open_field(out, p + 2, &field[n_fields++]);
        } else if (p[0] == '%' && p[1] == ']' && n_fields) {
            sb_lay_out(out, field[n_fields - 1].from, &field[n_fields - 1].spec);
            n_fields--;
            p += 2;
        } else if (p[0] == '%' && p[1] && strchr("(,)", p[1])) {
            p = next_arg(out, p, &of);
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
