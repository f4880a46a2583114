/* SPDX-License-Identifier: BSD-3-Clause
 * Arithmetic on constant ints of any size, so that `2**64 - 1`, `2**100 % 7` and
 * `1.5 * 10**30` are what they are in Python. A constant that leaves int64 is one of uint64
 * (dtype u64) or keeps its hexadecimal digits (too_big, str); beyond 2048 bits it keeps
 * nothing (str NULL) and can only be reported. Sign and magnitude, 32 bits a word. */
#include "sema/fold.h"
#include "sema/internal.h"
#include <math.h>
#include <stdio.h>

enum { MOST = 64, ROOM = 2 * MOST + 4 }; /* words of a result kept; of one being made */

typedef struct Big {
    bool neg;
    int n; /* words used: the last is not 0 */
    uint32_t w[ROOM];
} Big;

static void
trim(Big *x)
{
    while (x->n && !x->w[x->n - 1])
        x->n--;
    x->neg &= x->n > 0;
}

static int
bits(const Big *x)
{
    return x->n ? 32 * x->n - __builtin_clz(x->w[x->n - 1]) : 0;
}

static Big
from_u64(uint64_t v, bool neg)
{
    Big x = {.neg = neg, .n = 2, .w = {(uint32_t)v, (uint32_t)(v >> 32)}};
    trim(&x);
    return x;
}

static bool
from_hex(const char *s, Big *x)
{
    *x = (Big){.neg = *s == '-'};
    s += x->neg;
    int len = (int)strlen(s);
    if (len > 8 * MOST)
        return false;
    for (int i = 0; i < len; i++) {
        char c = s[len - 1 - i];
        uint32_t d = (uint32_t)(c <= '9' ? c - '0' : (c | 32) - 'a' + 10);
        x->w[i / 8] |= d << 4 * (i % 8);
    }
    x->n = (len + 7) / 8;
    trim(x);
    return true;
}

/* False: no int, or one of which nothing is kept. */
static bool
from_const(const Const *c, Big *x)
{
    if (!c || (c->kind != CV_INT && c->kind != CV_BOOL))
        return false;
    if (c->too_big)
        return c->str && from_hex(c->str, x);
    bool neg = c->i < 0 && c->dtype != DT_u64;
    int64_t i = c->kind == CV_BOOL ? c->b : c->i;
    *x = from_u64(neg ? 0 - (uint64_t)i : (uint64_t)i, neg);
    return true;
}

/* The 64 bits from bit `at` up; `sticky` when a lower one is set. */
static uint64_t
window(const Big *x, int at, bool *sticky)
{
    uint64_t v = 0;
    for (int i = 0; i < 32 * x->n; i++) {
        if (!(x->w[i / 32] >> (i % 32) & 1))
            continue;
        if (i < at)
            *sticky = true;
        else if (i < at + 64)
            v |= (uint64_t)1 << (i - at);
    }
    return v;
}

/* x * 2**scale, rounded once: a 64-bit integer whose last bit is sticky rounds as x does. */
static double
to_double(const Big *x, int scale, bool sticky)
{
    int at = bits(x) - 64;
    uint64_t v = at > 0 ? window(x, at, &sticky) : window(x, 0, &sticky);
    double d = ldexp((double)(v | (at > 0 && sticky)), (at > 0 ? at : 0) + scale);
    return x->neg ? -d : d;
}

static const Const *
nothing_kept(Sema *s, bool neg)
{
    Const *c = NEW(s->a, Const);
    *c = (Const){.kind = CV_INT, .too_big = true, .re = neg ? -INFINITY : INFINITY};
    return c;
}

static const Const *
to_const(Sema *s, const Big *x)
{
    uint64_t v = x->w[0] | (uint64_t)(x->n > 1 ? x->w[1] : 0) << 32;
    if (x->n == 0)
        return const_int(s, 0);
    if (x->n <= 2 && (x->neg ? v <= (uint64_t)1 << 63 : v <= INT64_MAX))
        return const_int(s, x->neg ? (int64_t)(0 - v) : (int64_t)v);
    if (x->n > MOST)
        return nothing_kept(s, x->neg);
    Const *c = NEW(s->a, Const);
    *c = (Const){.kind = CV_INT, .dtype = DT_i64, .re = to_double(x, 0, false)};
    if (x->n <= 2 && !x->neg) {
        c->dtype = DT_u64;
        c->i = (int64_t)v;
        return c;
    }
    char *text = arena_alloc(s->a, 8 * MOST + 2), *p = text;
    *p = '-';
    p += x->neg;
    for (int i = x->n - 1; i >= 0; i--)
        p += snprintf(p, 9, i == x->n - 1 ? "%x" : "%08x", x->w[i]);
    c->too_big = true;
    c->str = text;
    return c;
}

/* ---- magnitudes ------------------------------------------------------------------------ */

static int
compare(const Big *a, const Big *b)
{
    if (a->n != b->n)
        return a->n < b->n ? -1 : 1;
    for (int i = a->n - 1; i >= 0; i--)
        if (a->w[i] != b->w[i])
            return a->w[i] < b->w[i] ? -1 : 1;
    return 0;
}

/* |a| + |b|, or |a| - |b| where |a| >= |b|. */
static Big
add_magnitudes(const Big *a, const Big *b, bool minus)
{
    Big r = {.n = (a->n > b->n ? a->n : b->n) + 1};
    int64_t carry = 0;
    for (int i = 0; i < r.n; i++) {
        int64_t x = i < a->n ? a->w[i] : 0, y = i < b->n ? b->w[i] : 0;
        carry += minus ? x - y : x + y;
        r.w[i] = (uint32_t)carry;
        carry >>= 32;
    }
    trim(&r);
    return r;
}

static Big
add(const Big *a, const Big *b)
{
    bool differ = a->neg != b->neg, less = differ && compare(a, b) < 0;
    Big r = less ? add_magnitudes(b, a, true) : add_magnitudes(a, b, differ);
    r.neg = r.n && (less ? b->neg : a->neg);
    return r;
}

static Big
negated(Big x)
{
    x.neg = x.n && !x.neg;
    return x;
}

static Big
multiply(const Big *a, const Big *b)
{
    Big r = {.neg = a->neg != b->neg, .n = a->n + b->n};
    for (int i = 0; i < a->n; i++) {
        uint64_t carry = 0;
        for (int k = 0; k <= b->n; k++) {
            carry += (uint64_t)a->w[i] * (k < b->n ? b->w[k] : 0) + r.w[i + k];
            r.w[i + k] = (uint32_t)carry;
            carry >>= 32;
        }
    }
    trim(&r);
    return r;
}

static Big
shift_left(const Big *a, int by)
{
    Big r = {.neg = a->neg, .n = a->n + by / 32 + 1};
    for (int i = 0; i < a->n; i++) {
        uint64_t v = (uint64_t)a->w[i] << (by % 32);
        r.w[i + by / 32] |= (uint32_t)v;
        r.w[i + by / 32 + 1] |= (uint32_t)(v >> 32);
    }
    trim(&r);
    return r;
}

/* |a| = q * |b| + r, a bit at a time; b is not 0. */
static Big
divide(const Big *a, const Big *b, Big *r)
{
    Big q = {.n = a->n}, d = *b;
    d.neg = false;
    *r = (Big){0};
    for (int i = 32 * a->n - 1; i >= 0; i--) {
        *r = shift_left(r, 1);
        r->w[0] |= a->w[i / 32] >> (i % 32) & 1;
        r->n = r->n ? r->n : 1;
        trim(r);
        if (compare(r, &d) >= 0) {
            *r = add_magnitudes(r, &d, true);
            q.w[i / 32] |= (uint32_t)1 << (i % 32);
        }
    }
    trim(&q);
    return q;
}

/* Rounded down; the remainder has the sign of b. */
static Big
floor_divide(const Big *a, const Big *b, Big *r)
{
    Big q = divide(a, b, r), one = from_u64(1, false);
    if (a->neg != b->neg && r->n) {
        q = add_magnitudes(&q, &one, false);
        *r = add_magnitudes(b, r, true);
    }
    q.neg = q.n && a->neg != b->neg;
    r->neg = r->n && b->neg;
    return q;
}

/* ---- operators ------------------------------------------------------------------------- */

/* Two's complement in one word more than either has, and back. */
static void
complement(Big *x, int n)
{
    uint64_t carry = 1;
    for (int i = 0; i < n; i++) {
        carry += (uint32_t)~x->w[i];
        x->w[i] = (uint32_t)carry;
        carry >>= 32;
    }
}

static Big
bitwise(int op, Big a, Big b)
{
    Big r = {.n = (a.n > b.n ? a.n : b.n) + 1};
    if (a.neg)
        complement(&a, r.n);
    if (b.neg)
        complement(&b, r.n);
    for (int i = 0; i < r.n; i++)
        r.w[i] = op == B_AND ? a.w[i] & b.w[i] : op == B_OR ? a.w[i] | b.w[i] : a.w[i] ^ b.w[i];
    bool neg = r.w[r.n - 1] >> 31;
    if (neg)
        complement(&r, r.n);
    r.neg = neg;
    trim(&r);
    return r;
}

static const Const *
power(Sema *s, const Big *a, const Big *n)
{
    if (n->neg) {
        double x = to_double(a, 0, false), y = to_double(n, 0, false);
        return a->n && isfinite(x) && isfinite(y) ? const_float(s, pow(x, y)) : NULL;
    }
    Big r = from_u64(1, false);
    bool small = a->n == 0 || (a->n == 1 && a->w[0] == 1); /* 0, 1, -1 */
    if (n->n > 1 || (!small && n->n && n->w[0] > 32 * MOST))
        return small ? to_const(s, n->n && (!a->neg || (n->w[0] & 1)) ? a : &r)
                     : nothing_kept(s, a->neg);
    uint32_t times = n->n ? n->w[0] : 0;
    if (small && times > 2)
        times = 2 - (times & 1);
    for (uint32_t i = 0; i < times; i++) {
        r = multiply(&r, a);
        if (r.n > MOST)
            return nothing_kept(s, a->neg && (times & 1));
    }
    return to_const(s, &r);
}

static const Const *
shifted(Sema *s, const Big *a, const Big *by, bool left)
{
    if (by->neg)
        return NULL; /* ValueError: run time sees to it */
    bool far = by->n > 1 || (by->n && by->w[0] > 32 * MOST);
    int k = far ? 32 * MOST : by->n ? (int)by->w[0] : 0;
    Big one = from_u64(1, false), r, q;
    if (left && far)
        return a->n ? nothing_kept(s, a->neg) : const_int(s, 0);
    if (left)
        r = shift_left(a, k);
    else {
        one = shift_left(&one, k);
        r = floor_divide(a, &one, &q);
    }
    return to_const(s, &r);
}

/* The quotient of 66 bits or more and whether there is a rest round as the true one does. */
static const Const *
true_divide(Sema *s, const Big *a, const Big *b)
{
    int up = 66 - (bits(a) - bits(b));
    up = up > 0 ? up : 0;
    if (!b->n || bits(a) + up > 32 * (ROOM - 2))
        return NULL;
    Big top = shift_left(a, up), rest, q = divide(&top, b, &rest);
    q.neg = a->neg != b->neg;
    double d = to_double(&q, -up, rest.n > 0);
    return isfinite(d) ? const_float(s, d) : NULL;
}

const Const *
big_binop(Sema *s, int op, const Const *ac, const Const *bc)
{
    Big a, b, r;
    if (!from_const(ac, &a) || !from_const(bc, &b))
        return NULL;
    switch ((BinOpKind)op) {
    case B_ADD:
        r = add(&a, &b);
        break;
    case B_SUB:
        b = negated(b);
        r = add(&a, &b);
        break;
    case B_MUL:
        r = multiply(&a, &b);
        break;
    case B_DIV:
        return true_divide(s, &a, &b);
    case B_FLOORDIV:
    case B_MOD:
        if (!b.n)
            return NULL;
        Big rest, q = floor_divide(&a, &b, &rest);
        r = op == B_MOD ? rest : q;
        break;
    case B_POW:
        return power(s, &a, &b);
    case B_LSHIFT:
    case B_RSHIFT:
        return shifted(s, &a, &b, op == B_LSHIFT);
    case B_OR:
    case B_XOR:
    case B_AND:
        r = bitwise(op, a, b);
        break;
    default:
        return NULL;
    }
    return to_const(s, &r);
}

const Const *
big_unary(Sema *s, int op, const Const *c)
{
    Big x, one = from_u64(1, false);
    if (!from_const(c, &x))
        return NULL;
    if (op == U_INVERT)
        x = add(&x, &one);
    if (op != U_POS)
        x = negated(x);
    return to_const(s, &x);
}

bool
big_compare(const Const *ac, const Const *bc, int *out)
{
    Big a, b;
    if (!from_const(ac, &a) || !from_const(bc, &b))
        return false;
    int m = compare(&a, &b);
    *out = a.neg != b.neg ? (a.neg ? -1 : 1) : a.neg ? -m : m;
    return true;
}

double
big_round(const Const *c, int way)
{
    Big x, d;
    int exp, up;
    if (!from_const(c, &x) || !isfinite(c->re))
        return NAN;
    frexp(c->re, &exp); /* an integer of 53 bits times 2**(exp - 53) */
    d = from_u64((uint64_t)ldexp(fabs(c->re), 53 - exp), c->re < 0);
    d = shift_left(&d, exp - 53);
    d = negated(d);
    d = add(&x, &d);
    up = d.n ? (d.neg ? -1 : 1) : 0; /* of x over its float */
    if (!way || up != way)
        return up && !way ? NAN : c->re;
    return nextafter(c->re, way > 0 ? INFINITY : -INFINITY);
}

bool
const_has_big(const Const *c)
{
    if (!c)
        return false;
    if (c->kind == CV_INT)
        return c->too_big || c->dtype == DT_u64;
    for (int i = 0; (c->kind == CV_TUPLE || c->kind == CV_KEYED) && i < c->n; i++)
        if (const_has_big(c->elems[i]))
            return true;
    return false;
}

Sem
sema_operand(Sema *s, const Node *e)
{
    s->big_ok = true;
    return sema_expr(s, e);
}
