/* SPDX-License-Identifier: BSD-3-Clause
 * Floats and decimal digits, exactly, in the range that programs have most: what is said here is
 * what CPython says, and all else is left to it. */
#include "kernel/lib/digits.h"
#include <locale.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>

typedef unsigned __int128 Wide;

void
add_digits(Digits *d, uint64_t v, int least)
{
    for (int k = 0; k < least || v; k++, v /= 10)
        d->at[d->n++] = '0' + (uint32_t)(v % 10);
}

static const uint64_t ten[] = {1,      10,      100,      1000,      10000,
                               100000, 1000000, 10000000, 100000000, 1000000000};

/* x, which is not negative, to so many decimals: half to even. */
static uint64_t
scaled(double x, int decimals)
{
    int e;
    double m = frexp(x, &e);
    Wide v = (Wide)(uint64_t)ldexp(m, 53) * ten[decimals];
    int shift = 53 - e;
    if (shift <= 0)
        return (uint64_t)(v << -shift);
    if (shift > 100)
        return 0;
    Wide q = v >> shift, rest = v - (q << shift), half = (Wide)1 << (shift - 1);
    return (uint64_t)q + (rest > half || (rest == half && (q & 1)));
}

bool
digits_fixed(Digits *d, double x, int decimals)
{
    if (!(x < 1e9) || decimals < 0 || decimals >= (int)(sizeof ten / sizeof *ten))
        return false;
    uint64_t v = scaled(x, decimals);
    if (decimals) {
        add_digits(d, v % ten[decimals], decimals);
        d->at[d->n++] = '.';
    }
    add_digits(d, v / ten[decimals], 1);
    return true;
}

/* The fewest decimals that tell x, where all digits are no more than 15: any other text with as few
 * digits is another number. */
static bool
few_digits(Digits *d, double x)
{
    if (!(x < 1e15) || (x < 1e-4 && x != 0))
        return false;
    for (int k = 1; k <= 6; k++) {
        double q = nearbyint(x * (double)ten[k]);
        if (q >= 1e15)
            return false;
        if (q / (double)ten[k] != x)
            continue;
        uint64_t v = (uint64_t)q;
        add_digits(d, v % ten[k], k);
        d->at[d->n++] = '.';
        add_digits(d, v / ten[k], 1);
        return true;
    }
    return false;
}

/* ---- the shortest text of any other ----------------------------------------------------------
 * x is m * 2**e, and all that is nearer to it than to its neighbours is between 2m - 1 and 2m + 1
 * times 2**(e - 1). Times 10**k, of which each of these has 17 digits before the point, they are
 * exact in 128 bits. */

static Wide
power(int k)
{
    Wide p = ten[k % 9];
    for (; k >= 9; k -= 9)
        p *= ten[9];
    return p;
}

/* The one number with the fewest digits, and of those the nearest: a multiple of 10**zeros between
 * lo and hi, of what v and a part of one is. 0: it is not told. */
static uint64_t
nearest(uint64_t lo, uint64_t hi, uint64_t v, bool part, int *zeros)
{
    uint64_t step = 1;
    *zeros = 0;
    while (hi / (step * 10) * (step * 10) >= lo && *zeros < 17) {
        step *= 10;
        ++*zeros;
    }
    uint64_t down = v / step * step, up = down + step, rest = 2 * (v - down);
    if (step > 1 && rest == step && !part)
        return 0;
    bool use_up = step > 1 && (rest > step || (rest == step && part));
    if (use_up && up > hi)
        use_up = false;
    if (!use_up && down < lo)
        use_up = true;
    uint64_t r = use_up ? up : down;
    return r >= lo && r <= hi ? r : 0;
}

/* x is at least 1e-4 and below 1e15. */
static bool
all_digits(Digits *d, double x)
{
    int e, k, zeros;
    uint64_t m = (uint64_t)ldexp(frexp(x, &e), 53);
    e -= 53;
    if (m == (uint64_t)1 << 52) /* its neighbours are not as far */
        return false;
    k = 16 - (int)floor(log10(x));
    Wide scale = power(k), top = (2 * (Wide)m + 1) * scale, low = (2 * (Wide)m - 1) * scale,
         v = 2 * (Wide)m * scale, mask;
    int t = 1 - e;
    mask = ((Wide)1 << t) - 1;
    bool even = m % 2 == 0; /* the ends are its own */
    uint64_t lo = (uint64_t)(low >> t) + (even ? (low & mask) != 0 : 1),
             hi = (uint64_t)(top >> t) - (!even && !(top & mask)), whole = (uint64_t)(v >> t);
    uint64_t half = (v & mask) >> (t - 1), q;
    if (lo > hi)
        return false;
    q = nearest(lo, hi, whole, (v & mask) != 0, &zeros);
    if (!zeros) { /* the nearest of all */
        if ((v & mask) == (Wide)1 << (t - 1))
            return false;
        q = whole + half;
    }
    if (q < lo || q > hi || !q)
        return false;
    for (; zeros > 0 && k > 1; zeros--, k--) /* one decimal is always shown */
        q /= 10;
    uint64_t unit = k < 19 ? (uint64_t)power(k) : 0;
    add_digits(d, unit ? q % unit : q, k);
    d->at[d->n++] = '.';
    add_digits(d, unit ? q / unit : 0, 1);
    return true;
}

bool
digits_shortest(Digits *d, double x)
{
    if (!(x < 1e15) || (x < 1e-4 && x != 0))
        return false;
    return few_digits(d, x) || all_digits(d, x);
}

/* ---- numbers from texts ---------------------------------------------------------------------- */

static locale_t plain;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void
make_plain(void)
{
    plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
}

static bool
is_space(uint32_t c)
{
    return c == ' ' || (c >= 9 && c <= 13);
}

static bool
is_digit(uint32_t c)
{
    return c - '0' < 10;
}

/* The C library's, which is right to the last bit. */
static bool
read_long(const uint32_t *p, int64_t n, double *out)
{
    char text[64], *end;
    if (n >= (int64_t)sizeof text)
        return false;
    for (int64_t i = 0; i < n; i++)
        text[i] = (char)p[i];
    text[n] = 0;
    pthread_once(&once, make_plain);
    if (!plain)
        return false;
    *out = strtod_l(text, &end, plain);
    return end == text + n;
}

enum { MOST_FIVES = 27 };
static const uint64_t five[MOST_FIVES + 1] = {1u,
                                              5u,
                                              25u,
                                              125u,
                                              625u,
                                              3125u,
                                              15625u,
                                              78125u,
                                              390625u,
                                              1953125u,
                                              9765625u,
                                              48828125u,
                                              244140625u,
                                              1220703125u,
                                              6103515625u,
                                              30517578125u,
                                              152587890625u,
                                              762939453125u,
                                              3814697265625u,
                                              19073486328125u,
                                              95367431640625u,
                                              476837158203125u,
                                              2384185791015625u,
                                              11920928955078125u,
                                              59604644775390625u,
                                              298023223876953125u,
                                              1490116119384765625u,
                                              7450580596923828125u};

/* v / 10**k, to the nearest float, half to even: v is not 0, k from 1 to MOST_FIVES, so that the
 * result is far from the ends of the range. A quotient of 64 bits, the first of which is set, and
 * whether there is a remainder, tell it. */
static double
divided(uint64_t v, int k)
{
    uint64_t by = five[k];
    int up = __builtin_clzll(v), by_up = __builtin_clzll(by), e = by_up - up - 64 - k;
    by <<= by_up;
    Wide all = (Wide)(v << up) << 64;
    if (v << up >= by) {
        all >>= 1;
        e++;
    }
    uint64_t q = (uint64_t)(all / by), rest = (uint64_t)all - q * by, low = q & 2047;
    q >>= 11;
    q += low > 1024 || (low == 1024 && (rest || (q & 1)));
    uint64_t bits = (uint64_t)(e + 11 + 1023) << 52;
    double scale;
    memcpy(&scale, &bits, sizeof scale);
    return (double)q * scale;
}

/* v * 10**k, k from 0 to 19: the compiler's own conversion is to the nearest. */
static double
multiplied(uint64_t v, int k)
{
    return (double)((Wide)v * (k < 10 ? ten[k % 10] : (uint64_t)10000000000 * ten[k % 10]));
}

bool
digits_read(const uint32_t *p, int64_t n, double *out)
{
    static const double exact[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                   1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                   1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    const uint32_t *end = p + n, *first;
    while (p < end && is_space(*p))
        p++;
    while (end > p && is_space(end[-1]))
        end--;
    first = p;
    bool negative = p < end && *p == '-';
    p += p < end && (*p == '-' || *p == '+');
    uint64_t v = 0;
    int digits = 0, point = 0, ten_to = 0;
    const uint32_t *from = p;
    for (; p < end && is_digit(*p); p++, digits += v != 0)
        v = digits < 19 ? v * 10 + *p - '0' : v;
    bool some = p > from;
    if (p < end && *p == '.')
        for (p++; p < end && is_digit(*p); p++, digits += v != 0, point++)
            v = digits < 19 ? v * 10 + *p - '0' : v;
    if (!(some || point) || p - from > 40)
        return false;
    if (p < end && (*p | 32) == 'e') {
        bool less = ++p < end && *p == '-';
        p += p < end && (*p == '-' || *p == '+');
        const uint32_t *was = p;
        for (; p < end && is_digit(*p) && p - was < 4; p++)
            ten_to = ten_to * 10 + (int)(*p - '0');
        if (p == was)
            return false;
        ten_to = less ? -ten_to : ten_to;
    }
    if (p != end)
        return false;
    ten_to -= point;
    double x;
    if (digits > 19)
        return read_long(first, end - first, out);
    if (v >> 53 == 0 && ten_to >= -22 && ten_to <= 22)
        x = ten_to < 0 ? (double)v / exact[-ten_to] : (double)v * exact[ten_to];
    else if (v && ten_to < 0 && ten_to >= -MOST_FIVES)
        x = divided(v, -ten_to);
    else if (ten_to >= 0 && ten_to <= 19)
        x = multiplied(v, ten_to);
    else
        return read_long(first, end - first, out);
    *out = negative ? -x : x;
    return true;
}
