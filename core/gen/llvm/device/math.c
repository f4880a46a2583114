/* SPDX-License-Identifier: BSD-3-Clause
 * C's math functions for CUDA devices where libdevice is not found: series whose terms anyone can
 * check, after a reduction that keeps what rounding loses in a second double (Dd). Most are right
 * to 2 units in the last place; tgamma, lgamma, erf and erfc to about 10. They aim to be right, not
 * quick: float32 goes through double. tests/test_device_math.py compares them with the host's. */
#include <stdint.h>

#define INF __builtin_inf()
#define NAN __builtin_nan("")
#define isnan(x) __builtin_isnan(x)
#define isinf(x) __builtin_isinf(x)
#define finite(x) __builtin_isfinite(x)
#define fabs(x) __builtin_fabs(x)
#define floor(x) __builtin_floor(x)
#define rint(x) __builtin_rint(x)
#define trunc(x) __builtin_trunc(x)
#define sqrt(x) __builtin_sqrt(x)
#define fma(a, b, c) __builtin_fma(a, b, c)
#define sgn(x, y) __builtin_copysign(x, y)
#define LN2 0x1.62e42fefa39efp-1
#define LN2_HI 0x1.62e42fee00000p-1 /* 32 bits: times any exponent it is exact */
#define LN2_LO 0x1.a39ef35793c76p-33
#define PI 0x1.921fb54442d18p+1
#define PI_LO 0x1.1a62633145c07p-53
#define EULER 0.57721566490153286061

typedef struct Dd {
    double hi, lo;
} Dd;

static uint64_t
to_bits(double x)
{
    uint64_t u;
    __builtin_memcpy(&u, &x, 8);
    return u;
}

static double
from_bits(uint64_t u)
{
    double x;
    __builtin_memcpy(&x, &u, 8);
    return x;
}

static Dd
two_sum(double a, double b)
{
    double s = a + b, t = s - a;
    return (Dd){s, (a - (s - t)) + (b - t)};
}

static Dd
quick_sum(double a, double b) /* |a| >= |b| */
{
    double s = a + b;
    return (Dd){s, b - (s - a)};
}

static Dd
dd_mul(Dd a, double hi, double lo)
{
    double p = a.hi * hi;
    return quick_sum(p, fma(a.hi, hi, -p) + (a.hi * lo + a.lo * hi));
}

/* ---- parts ------------------------------------------------------------------------------ */

double
ldexp(double x, int e)
{
    e = e > 2200 ? 2200 : e < -2200 ? -2200 : e;
    while (e > 1000)
        x *= 0x1p1000, e -= 1000;
    /* down in one rounding: as far as the result is normal first */
    while (e < -900)
        x *= e < -1800 ? 0x1p-900 : 0x1p-450 * 0x1p-450, e += 900;
    return x * from_bits((uint64_t)(e + 1023) << 52);
}

double
frexp(double x, int *e)
{
    *e = 0;
    if (x == 0 || !finite(x))
        return x;
    uint64_t u = to_bits(x);
    if (!(u >> 52 & 2047)) {
        u = to_bits(x * 0x1p54);
        *e = -54;
    }
    *e += (int)(u >> 52 & 2047) - 1022;
    return from_bits((u & ~((uint64_t)2047 << 52)) | (uint64_t)1022 << 52);
}

double
nextafter(double x, double y)
{
    if (isnan(x) || isnan(y))
        return NAN;
    if (x == y)
        return y;
    if (x == 0)
        return sgn(0x1p-1074, y);
    return from_bits(to_bits(x) + ((y > x) == (x > 0) ? 1 : -1));
}

float
nextafterf(float x, float y)
{
    uint32_t u;
    if (x != x || y != y)
        return (float)NAN;
    if (x == y)
        return y;
    if (x == 0)
        return y > 0 ? 0x1p-149f : -0x1p-149f;
    __builtin_memcpy(&u, &x, 4);
    u += (y > x) == (x > 0) ? 1 : -1;
    __builtin_memcpy(&x, &u, 4);
    return x;
}

/* The remainder of the division by shifts of the divisor; the quotient's last bits in *q. */
static double
reduce(double x, double y, uint32_t *q)
{
    int ex, ey;
    uint64_t a = (uint64_t)ldexp(frexp(x, &ex), 53), b = (uint64_t)ldexp(frexp(y, &ey), 53);
    *q = 0;
    if (ex < ey)
        return x;
    for (int i = ex - ey;; i--) {
        *q <<= 1;
        if (a >= b) {
            a -= b;
            *q |= 1;
        }
        if (!i)
            break;
        a <<= 1;
    }
    return ldexp((double)a, ey - 53);
}

double
fmod(double x, double y)
{
    uint32_t q;
    if (isnan(x) || isnan(y) || isinf(x) || y == 0)
        return NAN;
    return isinf(y) || x == 0 ? x : sgn(reduce(fabs(x), fabs(y), &q), x);
}

double
remainder(double x, double y)
{
    uint32_t q;
    if (isnan(x) || isnan(y) || isinf(x) || y == 0)
        return NAN;
    if (isinf(y) || x == 0)
        return x;
    double b = fabs(y), r = reduce(fabs(x), b, &q), rest = b - r;
    if (r > rest || (r == rest && (q & 1)))
        r = -rest;
    return r == 0 ? sgn(0.0, x) : sgn(1.0, x) * r;
}

/* ---- exponentials ------------------------------------------------------------------------ */

/* e**r - 1 for |r| <= ln(2) / 2 and a little more. */
static double
expm1_near(double r)
{
    double p = 0;
    for (int n = 15; n >= 3; n--)
        p = (p + 1) / n * r;
    return r + (p + 1) * 0.5 * r * r;
}

static double
exp_sum(double x, double lo) /* e**(x + lo) */
{
    if (isnan(x))
        return x;
    if (x > 709.79)
        return INF;
    if (x < -745.2)
        return 0;
    double k = rint(x * 0x1.71547652b82fep+0), r = fma(-k, LN2_HI, x);
    double tail = fma(-k, LN2_LO, lo), a = r + tail;
    tail += r - a;
    double e = expm1_near(a);
    return ldexp(1 + (e + fma(e, tail, tail)), (int)k);
}

double
exp(double x)
{
    return exp_sum(x, 0);
}

double
exp2(double x)
{
    if (!finite(x) || x > 1025 || x < -1080)
        return isnan(x) ? x : x > 0 ? INF : 0;
    double k = rint(x), f = x - k, p = f * LN2;
    double tail = fma(f, LN2, -p) + f * 0x1.abc9e3b39803fp-56, e = expm1_near(p);
    return ldexp(1 + (e + fma(e, tail, tail)), (int)k);
}

double
expm1(double x)
{
    if (x > 40 || x < -40 || isnan(x))
        return exp(x) - 1;
    double k = rint(x * 0x1.71547652b82fep+0), r = fma(-k, LN2_HI, x), tail = -k * LN2_LO;
    double a = r + tail;
    tail += r - a;
    double e = expm1_near(a);
    if (k == 0)
        return x == 0 ? x : e;
    double t = ldexp(1, (int)k);
    return (t - 1) + t * (e + fma(e, tail, tail));
}

/* ---- logarithms -------------------------------------------------------------------------- */

/* log(1 + f + flo): 2 atanh(s), s = f / (2 + f), f from -0.3 to 0.42. */
static Dd
log_near(double f, double flo)
{
    Dd d = two_sum(2, f);
    double s = f / d.hi;
    double slo = (fma(-s, d.hi, f) - s * d.lo + flo * (1 - s)) / d.hi;
    Dd sq = dd_mul((Dd){s, slo}, s, slo), cube = dd_mul(sq, s, slo);
    double z = sq.hi, q = 0;
    for (int n = 31; n >= 5; n -= 2)
        q = q * z + 2.0 / n;
    Dd third = dd_mul(cube, 0x1.5555555555555p-1, 0x1.5555555555555p-55);
    Dd sum = two_sum(2 * s, third.hi);
    double rest = sum.lo + (2 * slo + (third.lo + q * (z * cube.hi)));
    return quick_sum(sum.hi, rest);
}

static Dd
log_dd(double x, double extra) /* log(x + extra); x normal or not, positive and finite */
{
    int e;
    double m = frexp(x, &e);
    if (m < 0.70710678118654752440)
        m *= 2, e--;
    Dd near = log_near(m - 1, ldexp(extra, -e)), high = two_sum(e * LN2_HI, near.hi);
    return quick_sum(high.hi, high.lo + (near.lo + e * LN2_LO));
}

static double
log_edge(double x) /* of 0, negative, infinite, NaN */
{
    return x == 0 ? -INF : x < 0 ? NAN : x;
}

double
log(double x)
{
    return x > 0 && finite(x) ? log_dd(x, 0).hi : log_edge(x);
}

double
log2(double x)
{
    int e;
    if (!(x > 0 && finite(x)))
        return log_edge(x);
    double m = frexp(x, &e);
    if (m < 0.70710678118654752440)
        m *= 2, e--;
    Dd l = dd_mul(log_near(m - 1, 0), 0x1.71547652b82fep+0, 0x1.777d0ffda0d24p-56);
    Dd s = two_sum(e, l.hi);
    return s.hi + (s.lo + l.lo);
}

double
log10(double x)
{
    if (!(x > 0 && finite(x)))
        return log_edge(x);
    Dd l = dd_mul(log_dd(x, 0), 0x1.bcb7b1526e50ep-2, 0x1.95355baaafad3p-57);
    return l.hi + l.lo;
}

double
log1p(double x)
{
    if (!(x > -1 && finite(x)))
        return x == -1 ? -INF : x < -1 ? NAN : x;
    if (x > -0.29 && x < 0.41)
        return fabs(x) < 0x1p-54 ? x : log_near(x, 0).hi;
    Dd u = two_sum(1, x);
    return log_dd(u.hi, u.lo).hi;
}

/* ---- powers and roots --------------------------------------------------------------------- */

static double
power(double x, double y) /* x > 0, finite; y finite */
{
    Dd l = log_dd(x, 0);
    double p = y * l.hi;
    if (!finite(p) || fabs(p) > 1e4)
        return p > 0 ? INF : 0;
    return exp_sum(p, fma(y, l.hi, -p) + y * l.lo);
}

double
pow(double x, double y)
{
    int whole = y == floor(y), odd = whole && fabs(y) < 0x1p53 && ((int64_t)y & 1);
    if (y == 0 || x == 1)
        return 1;
    if (isnan(x) || isnan(y))
        return NAN;
    if (isinf(y))
        return x == -1 ? 1 : (fabs(x) > 1) == (y > 0) ? INF : 0;
    if (x == 0 || isinf(x)) {
        double r = (x == 0) == (y > 0) ? 0 : INF;
        return odd ? sgn(r, x) : r;
    }
    if (x < 0 && !whole)
        return NAN;
    double r = power(fabs(x), y);
    return x < 0 && odd ? -r : r;
}

double
cbrt(double x)
{
    if (x == 0 || !finite(x))
        return x;
    int e;
    double m = frexp(fabs(x), &e), y;
    int third = (e + 3000) / 3 - 1000;
    m = ldexp(m, e - 3 * third);
    y = power(m, 1.0 / 3);
    double sq = y * y, err = fma(sq, y, -m) + fma(y, y, -sq) * y;
    return sgn(ldexp(y - err / (3 * sq), third), x);
}

double
hypot(double x, double y)
{
    int e;
    if (isinf(x) || isinf(y))
        return INF;
    if (isnan(x) || isnan(y))
        return NAN;
    double a = fabs(x), b = fabs(y), big = a > b ? a : b, low = a > b ? b : a;
    if (low == 0)
        return big;
    frexp(big, &e);
    big = ldexp(big, -e);
    low = ldexp(low, -e);
    double p = big * big, q = low * low, s = p + q, h = sqrt(s);
    double err = (p - s) + q + fma(big, big, -p) + fma(low, low, -q) - fma(h, h, -s);
    return ldexp(h + err / (2 * h), e);
}

/* ---- circular functions -------------------------------------------------------------------- */

/* 2 / pi, 64 bits each: enough for every exponent, and what is left after the largest
 * cancellation. */
static const uint64_t two_over_pi[] = {
    0xa2f9836e4e441529u, 0xfc2757d1f534ddc0u, 0xdb6295993c439041u, 0xfe5163abdebbc561u,
    0xb7246e3a424dd2e0u, 0x06492eea09d1921cu, 0xfe1deb1cb129a73eu, 0xe88235f52ebb4484u,
    0xe99c7026b45f7e41u, 0x3991d639835339f4u, 0x9c845f8bbdf9283bu, 0x1ff897ffde05980fu,
    0xef2f118b5a0a6d1fu, 0x6d367ecf27cb09b7u, 0x4f463f669e5fea2du, 0x7527bac7ebe5f17bu,
    0x3d0739f78a5292eau, 0x6bfb5fb11f8d5d08u, 0x56033046fc7b6babu, 0xf0cfbc209af4361du,
    0xa9e391615ee61b08u};

/* 64 bits from bit n on; before the first are zeros. */
static uint64_t
window(int n)
{
    if (n < 0)
        return n <= -64 ? 0 : two_over_pi[0] >> -n;
    uint64_t hi = two_over_pi[n / 64] << n % 64;
    return n % 64 ? hi | two_over_pi[n / 64 + 1] >> (64 - n % 64) : hi;
}

/* x * 2 / pi in integers, from the bits that matter: the quarter turns mod 4, and the rest as an
 * angle. */
static int
reduce_large(double x, Dd *r)
{
    int e;
    uint64_t m = (uint64_t)ldexp(frexp(x, &e), 53);
    int from = e - 53 - 2; /* bits before this are whole turns */
    unsigned __int128 low = (unsigned __int128)m * window(from + 128),
                      mid = (unsigned __int128)m * window(from + 64) + (low >> 64);
    uint64_t a = m * window(from) + (uint64_t)(mid >> 64), b = (uint64_t)mid;
    int quarter = (int)(a >> 62);
    a = a << 2 | b >> 62;
    b <<= 2;
    int negative = (int)(a >> 63); /* more than half: from the next one down */
    if (negative) {
        quarter++;
        a = ~a;
        b = ~b;
    }
    int zeros = a ? __builtin_clzll(a) : 64;
    if (zeros == 64) {
        a = b;
        b = 0;
        zeros += a ? __builtin_clzll(a) : 0;
    }
    int shift = zeros % 64;
    if (shift) {
        a = a << shift | b >> (64 - shift);
        b <<= shift;
    }
    Dd f = two_sum(ldexp((double)(a >> 11), -53 - zeros),
                   ldexp((double)((a & 2047) << 42 | b >> 22), -106 - zeros));
    *r = dd_mul(f, 0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54);
    if (negative)
        *r = (Dd){-r->hi, -r->lo};
    return quarter & 3;
}

/* |x| less quarter turns; how many those are, mod 4. */
static int
quarters(double x, Dd *r)
{
    if (x < 0.7853981633974483) {
        *r = (Dd){x, 0};
        return 0;
    }
    if (x > 0x1p19)
        return reduce_large(x, r);
    double k = rint(x * 0.63661977236758134308);
    Dd s = two_sum(x - k * 0x1.921fb54400000p+0, -k * 0x1.0b4611a600000p-34);
    Dd t = two_sum(s.hi, -k * 0x1.3198a2e000000p-69);
    double rest = s.lo + t.lo - k * 0x1.b839a252049c1p-104;
    *r = quick_sum(t.hi, rest);
    return (int)k & 3;
}

static double
sine(Dd r)
{
    double z = r.hi * r.hi, p = 0;
    for (int n = 18; n >= 4; n -= 2)
        p = -(p + 1) * z / (n * (n + 1));
    double third = (p + 1) * (-1.0 / 6) * z * r.hi;
    return r.hi + (third + r.lo * (1 - 0.5 * z));
}

static double
cosine(Dd r)
{
    double z = r.hi * r.hi, p = 0;
    for (int n = 19; n >= 5; n -= 2)
        p = -(p + 1) * z / (n * (n + 1));
    double h = 0.5 * z, w = 1 - h;
    return w + (((1 - w) - h) + ((p + 1) * (1.0 / 24) * z * z - r.hi * r.lo));
}

double
sin(double x)
{
    Dd r;
    if (!finite(x))
        return NAN;
    if (x == 0)
        return x;
    int q = quarters(fabs(x), &r);
    double s = q & 1 ? cosine(r) : sine(r);
    return sgn(1.0, x) * (q & 2 ? -s : s);
}

double
cos(double x)
{
    Dd r;
    if (!finite(x))
        return NAN;
    int q = quarters(fabs(x), &r);
    double s = q & 1 ? sine(r) : cosine(r);
    return q == 1 || q == 2 ? -s : s;
}

double
tan(double x)
{
    Dd r;
    if (!finite(x))
        return NAN;
    if (x == 0)
        return x;
    int q = quarters(fabs(x), &r);
    double s = sine(r), c = cosine(r);
    return sgn(1.0, x) * (q & 1 ? -c / s : s / c);
}

/* ---- their inverses ------------------------------------------------------------------------ */

static const Dd atan_eighths[] = {
    {0x0.0p+0, 0x0.0p+0},
    {0x1.fd5ba9aac2f6ep-4, -0x1.cd37686760c17p-59},
    {0x1.f5b75f92c80ddp-3, 0x1.8ab6e3cf7afbdp-57},
    {0x1.6f61941e4def1p-2, -0x1.c63aae6f6e918p-56},
    {0x1.dac670561bb4fp-2, 0x1.a2b7f222f65e2p-56},
    {0x1.1e00babdefeb4p-1, -0x1.928df287a668fp-58},
    {0x1.4978fa3269ee1p-1, 0x1.2419a87f2a458p-56},
    {0x1.700a7c5784634p-1, -0x1.8c34d25aadef6p-56},
    {0x1.921fb54442d18p-1, 0x1.1a62633145c07p-55},
};

/* atan(x + lo) for 0 <= x <= 1 */
static Dd
atan_dd(double x, double lo)
{
    int k = x < 0.2 ? 0 : (int)(x * 8 + 0.5);
    double c = k * 0.125, den = fma(x, c, 1), t = (x - c) / den, z = t * t, p = 0;
    double tlo = (fma(-t, den, x - c) + lo * (1 - t * c)) / den;
    for (int n = k ? 21 : 41; n >= 3; n -= 2)
        p = 1.0 / n - p * z;
    double rest = tlo / (1 + z) - p * z * t;
    Dd s = two_sum(atan_eighths[k].hi, t);
    return quick_sum(s.hi, s.lo + (rest + atan_eighths[k].lo));
}

/* atan(y / x), both positive, and where the point is left of the axis */
static double
angle(double y, double x, int left)
{
    int swap = y > x;
    double a = swap ? x : y, b = swap ? y : x, q = a / b;
    double lo = b > 0x1p-960 && b < 0x1p960 && q > 0x1p-900 ? fma(-q, b, a) / b : 0;
    Dd r = atan_dd(q, lo);
    if (!swap && !left)
        return r.hi + r.lo;
    double sign = swap != left ? -1 : 1, turn = swap ? PI / 2 : PI;
    double turn_lo = swap ? PI_LO / 2 : PI_LO;
    sign = swap ? (left ? 1 : -1) : -1;
    Dd s = two_sum(turn, sign * r.hi);
    return s.hi + (s.lo + (turn_lo + sign * r.lo));
}

double
atan2(double y, double x)
{
    int left = __builtin_signbit(x);
    if (isnan(x) || isnan(y))
        return NAN;
    if (y == 0)
        return sgn(left ? PI : 0.0, y);
    if (isinf(x) && isinf(y))
        return sgn(left ? 3 * PI / 4 : PI / 4, y);
    if (x == 0 || isinf(y))
        return sgn(PI / 2, y);
    if (isinf(x))
        return sgn(left ? PI : 0.0, y);
    return sgn(angle(fabs(y), fabs(x), left), y);
}

double
atan(double x)
{
    return x == 0 || isnan(x) ? x : atan2(x, 1);
}

double
asin(double x)
{
    double a = fabs(x);
    if (!(a <= 1))
        return NAN;
    return a < 0x1p-27 ? x : sgn(atan2(a, sqrt(a < 0.5 ? fma(-a, a, 1) : (1 - a) * (1 + a))), x);
}

double
acos(double x)
{
    if (!(fabs(x) <= 1))
        return NAN;
    return 2 * atan2(sqrt(1 - x), sqrt(1 + x));
}

/* ---- hyperbolic functions -------------------------------------------------------------------- */

double
sinh(double x)
{
    double a = fabs(x), t;
    if (x == 0 || !finite(x))
        return x;
    if (a > 22) {
        t = exp(a > 700 ? a * 0.5 : a);
        return sgn(a > 700 ? 0.5 * t * t : 0.5 * t, x);
    }
    t = expm1(a);
    return sgn(a < 1 ? (2 * t - t * t / (t + 1)) * 0.5 : (t + t / (t + 1)) * 0.5, x);
}

double
cosh(double x)
{
    double a = fabs(x), t;
    if (a < 0.35) {
        t = expm1(a);
        return 1 + t * t / (2 * (1 + t));
    }
    t = exp(a > 700 ? a * 0.5 : a);
    if (a > 700)
        return t * 0.5 * t;
    return 0.5 * t + 0.5 / t;
}

double
tanh(double x)
{
    double a = fabs(x), t;
    if (x == 0 || isnan(x))
        return x;
    if (a > 22)
        return sgn(1.0, x);
    t = expm1(a < 0.55 ? -2 * a : 2 * a);
    return sgn(a < 0.55 ? -t / (t + 2) : 1 - 2 / (t + 2), x);
}

double
asinh(double x)
{
    double a = fabs(x);
    if (!finite(x) || a < 0x1p-28)
        return x;
    if (a > 0x1p28)
        return sgn(log(a) + LN2, x);
    double r =
        a > 2 ? log(2 * a + 1 / (sqrt(a * a + 1) + a)) : log1p(a + a * a / (1 + sqrt(1 + a * a)));
    return sgn(r, x);
}

double
acosh(double x)
{
    if (!(x >= 1))
        return NAN;
    if (x > 0x1p28)
        return log(x) + LN2;
    double t = x - 1;
    return x > 2 ? log(2 * x - 1 / (x + sqrt(x * x - 1))) : log1p(t + sqrt(2 * t + t * t));
}

double
atanh(double x)
{
    double a = fabs(x);
    if (!(a <= 1))
        return NAN;
    if (a < 0x1p-28)
        return x;
    double t = a + a;
    return sgn(0.5 * log1p(a < 0.5 ? t + t * a / (1 - a) : t / (1 - a)), x);
}

#include "math_gamma.h"

/* ---- float32 --------------------------------------------------------------------------------- */

#define FLOAT1(name)                                                                               \
    float name##f(float x)                                                                         \
    {                                                                                              \
        return (float)name(x);                                                                     \
    }
#define FLOAT2(name)                                                                               \
    float name##f(float x, float y)                                                                \
    {                                                                                              \
        return (float)name(x, y);                                                                  \
    }

FLOAT1(exp)
FLOAT1(exp2)
FLOAT1(expm1)
FLOAT1(log)
FLOAT1(log2)
FLOAT1(log10)
FLOAT1(log1p)
FLOAT1(sin)
FLOAT1(cos)
FLOAT1(tan)
FLOAT1(asin)
FLOAT1(acos)
FLOAT1(atan)
FLOAT1(sinh)
FLOAT1(cosh)
FLOAT1(tanh)
FLOAT1(asinh)
FLOAT1(acosh)
FLOAT1(atanh)
FLOAT1(cbrt)
FLOAT1(erf)
FLOAT1(erfc)
FLOAT1(tgamma)
FLOAT1(lgamma)
FLOAT2(pow)
FLOAT2(atan2)
FLOAT2(hypot)
FLOAT2(fmod)
FLOAT2(remainder)

float
ldexpf(float x, int e)
{
    return (float)ldexp(x, e);
}
