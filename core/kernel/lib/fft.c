/* SPDX-License-Identifier: BSD-3-Clause
 * fft: the discrete Fourier transform of complex numbers, in place, of any length, without a
 * factor; rfft and irfft: of real numbers, whose other half is the conjugate. By NumPy's own loops
 * where it lends them, which keep what they know of a length for the next call; else in Stockham's
 * form: a pass for each prime factor (4 for two twos) reads one buffer and writes the other in the
 * order that the next one wants, and all take their roots of unity from one table. A length with a
 * large prime factor becomes a convolution, by transforms whose length is a power of two
 * (Bluestein). */
#include "kernel/lib/lib.h"

#include <math.h>
#include <stdlib.h>

enum { LARGEST = 50 }; /* prime factor that a pass is for */

typedef struct Z {
    double re, im;
} Z;

typedef struct Plan {
    int64_t n, padded; /* padded: 0, or the length of the convolution's transforms */
    const Z *root;     /* exp(-2 pi i k / n); of 2 n when padded */
    const Z *padded_root;
    const Z *filter; /* of the convolution, transformed */
    Z *work;         /* two buffers */
    Z *all;
} Plan;

static inline Z
times(Z a, Z b)
{
    return (Z){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

static inline Z
plus(Z a, Z b)
{
    return (Z){a.re + b.re, a.im + b.im};
}

static inline Z
minus(Z a, Z b)
{
    return (Z){a.re - b.re, a.im - b.im};
}

/* exp(-2 pi i k / n), from an angle below an eighth of the circle, so that it is right to the last
 * place. */
static Z
unit(int64_t k, int64_t n)
{
    const double pi = 3.14159265358979323846;
    int64_t eighth = 8 * k / n, rest = 8 * k - eighth * n; /* k / n = (eighth + rest / n) / 8 */
    double x = pi / 4 * (double)(eighth & 1 ? n - rest : rest) / (double)n, c = cos(x), s = sin(x);
    bool swap = (eighth + 1) & 2;
    double re = swap ? s : c, im = swap ? c : s;
    return (Z){eighth >= 2 && eighth < 6 ? -re : re, eighth < 4 ? -im : im};
}

/* All n of them; where n has factors of two, a part of the circle tells the rest. */
static void
roots_make(Z *root, int64_t n)
{
    int64_t some = n % 4 == 0 ? n / 4 : n % 2 == 0 ? n / 2 : n;
    for (int64_t k = 0; k < (n % 8 == 0 ? n / 8 + 1 : some); k++)
        root[k] = unit(k, n);
    for (int64_t k = n / 8 + 1; n % 8 == 0 && k < some; k++)
        root[k] = (Z){-root[some - k].im, -root[some - k].re};
    for (int64_t k = some; k < 2 * some && n % 4 == 0; k++)
        root[k] = (Z){root[k - some].im, -root[k - some].re};
    for (int64_t k = n / 2; k < n && n % 2 == 0; k++)
        root[k] = (Z){-root[k - n / 2].re, -root[k - n / 2].im};
}

/* ---- passes ---------------------------------------------------------------------------------- */

/* One pass: x is m groups of r, at a stride of s; root[k * s] are the roots of the length r * m. */
typedef struct Pass {
    int64_t m, s, n;
    const Z *root;
} Pass;

static void
pass_2(Pass p, const Z *restrict x, Z *restrict y)
{
    for (int64_t i = 0; i < p.m; i++) {
        Z w = p.root[i * p.s];
        for (int64_t q = 0; q < p.s; q++) {
            Z a = x[q + p.s * i], b = x[q + p.s * (i + p.m)];
            y[q + p.s * 2 * i] = plus(a, b);
            y[q + p.s * (2 * i + 1)] = times(minus(a, b), w);
        }
    }
}

static void
pass_4(Pass p, const Z *restrict x, Z *restrict y)
{
    for (int64_t i = 0; i < p.m; i++) {
        Z w1 = p.root[i * p.s], w2 = p.root[2 * i * p.s], w3 = p.root[3 * i * p.s];
        for (int64_t q = 0; q < p.s; q++) {
            const Z *from = x + q + p.s * i;
            Z *to = y + q + p.s * 4 * i;
            Z a = from[0], b = from[p.s * p.m], c = from[2 * p.s * p.m], d = from[3 * p.s * p.m];
            Z ac = plus(a, c), a_c = minus(a, c), bd = plus(b, d), b_d = minus(b, d);
            Z turned = {b_d.im, -b_d.re};
            to[0] = plus(ac, bd);
            to[p.s] = times(plus(a_c, turned), w1);
            to[2 * p.s] = times(minus(ac, bd), w2);
            to[3 * p.s] = times(minus(a_c, turned), w3);
        }
    }
}

static void
pass_3(Pass p, const Z *restrict x, Z *restrict y)
{
    const double sine = 0.866025403784438646763723170752936183;
    for (int64_t i = 0; i < p.m; i++) {
        Z w1 = p.root[i * p.s], w2 = p.root[2 * i * p.s];
        for (int64_t q = 0; q < p.s; q++) {
            const Z *from = x + q + p.s * i;
            Z *to = y + q + p.s * 3 * i;
            Z a = from[0], sum = plus(from[p.s * p.m], from[2 * p.s * p.m]),
              d = minus(from[p.s * p.m], from[2 * p.s * p.m]);
            Z mid = {a.re - 0.5 * sum.re, a.im - 0.5 * sum.im},
              turned = {sine * d.im, -sine * d.re};
            to[0] = plus(a, sum);
            to[p.s] = times(plus(mid, turned), w1);
            to[2 * p.s] = times(minus(mid, turned), w2);
        }
    }
}

static void
pass_5(Pass p, const Z *restrict x, Z *restrict y)
{
    const double c1 = 0.309016994374947424102293417182819059,
                 s1 = 0.951056516295153572116439333379382143;
    const double c2 = -0.809016994374947424102293417182819059,
                 s2 = 0.587785252292473129168705954639072769;
    for (int64_t i = 0; i < p.m; i++) {
        const Z *w = p.root;
        int64_t k = i * p.s, far = p.s * p.m;
        for (int64_t q = 0; q < p.s; q++) {
            const Z *from = x + q + p.s * i;
            Z *to = y + q + p.s * 5 * i;
            Z a = from[0], p1 = plus(from[far], from[4 * far]),
              m1 = minus(from[far], from[4 * far]);
            Z p2 = plus(from[2 * far], from[3 * far]), m2 = minus(from[2 * far], from[3 * far]);
            Z u = {a.re + c1 * p1.re + c2 * p2.re, a.im + c1 * p1.im + c2 * p2.im};
            Z v = {a.re + c2 * p1.re + c1 * p2.re, a.im + c2 * p1.im + c1 * p2.im};
            Z ut = {s1 * m1.im + s2 * m2.im, -(s1 * m1.re + s2 * m2.re)};
            Z vt = {s2 * m1.im - s1 * m2.im, -(s2 * m1.re - s1 * m2.re)};
            to[0] = plus(a, plus(p1, p2));
            to[p.s] = times(plus(u, ut), w[k]);
            to[2 * p.s] = times(plus(v, vt), w[2 * k]);
            to[3 * p.s] = times(minus(v, vt), w[3 * k]);
            to[4 * p.s] = times(minus(u, ut), w[4 * k]);
        }
    }
}

static void
pass_any(Pass p, int64_t r, const Z *restrict x, Z *restrict y)
{
    int64_t step = p.n / r;
    for (int64_t i = 0; i < p.m; i++)
        for (int64_t j = 0; j < r; j++) {
            Z w = p.root[i * j * p.s];
            for (int64_t q = 0; q < p.s; q++) {
                Z sum = {0, 0};
                for (int64_t k = 0; k < r; k++)
                    sum = plus(sum, times(x[q + p.s * (i + k * p.m)], p.root[j * k % r * step]));
                y[q + p.s * (r * i + j)] = times(sum, w);
            }
        }
}

static int64_t
factor_of(int64_t n)
{
    if (n % 4 == 0)
        return 4;
    for (int64_t r = 2; r * r <= n; r++)
        if (n % r == 0)
            return r;
    return n;
}

/* Yields where the result is: in x or in y. */
static Z *
transform(int64_t n, const Z *root, Z *x, Z *y)
{
    for (int64_t left = n, s = 1; left > 1;) {
        int64_t r = factor_of(left);
        Pass p = {left / r, s, n, root};
        if (r == 4)
            pass_4(p, x, y);
        else if (r == 2)
            pass_2(p, x, y);
        else if (r == 3)
            pass_3(p, x, y);
        else if (r == 5)
            pass_5(p, x, y);
        else
            pass_any(p, r, x, y);
        Z *t = x;
        x = y;
        y = t;
        left /= r;
        s *= r;
    }
    return x;
}

/* ---- plans ----------------------------------------------------------------------------------- */

static bool
has_large_factor(int64_t n)
{
    for (int64_t r = 2; r <= LARGEST; r++)
        while (n % r == 0)
            n /= r;
    return n > 1;
}

static void
plan_filter(Plan *p, Z *filter)
{
    memset(p->work, 0, sizeof(Z) * 2 * (size_t)p->padded);
    for (int64_t k = 0; k < p->n; k++) {
        Z w = p->root[k * k % (2 * p->n)];
        Z c = {w.re / (double)p->padded, -w.im / (double)p->padded};
        p->work[k] = p->work[k ? p->padded - k : 0] = c;
    }
    memcpy(filter, transform(p->padded, p->padded_root, p->work, p->work + p->padded),
           sizeof(Z) * (size_t)p->padded);
}

static bool
plan_make(Plan *p, int64_t n)
{
    if (n > INT32_MAX) /* k * k must be an int64, and 8 * k */
        return false;
    int64_t roots = n, m = 0;
    if (has_large_factor(n)) {
        roots = 2 * n;
        for (m = 4; m < 2 * n - 1; m *= 2)
            ;
    }
    int64_t size = roots + 2 * m + 2 * (m ? m : n);
    Z *at = malloc(sizeof(Z) * (size_t)size);
    if (!at)
        return false;
    Z *padded_root = at + roots, *filter = padded_root + m;
    *p = (Plan){n, m, at, padded_root, filter, filter + m, at};
    roots_make(at, roots);
    if (m) {
        roots_make(padded_root, m);
        plan_filter(p, filter);
    }
    return true;
}

/* x[k] w^(k*k/2), convolved with w^(-k*k/2): what stands under the sum is w^(j*k), by j*k = (j*j +
 * k*k - (j-k)*(j-k)) / 2. */
static Z *
convolve(const Plan *p)
{
    Z *x = p->work, *y = x + p->padded;
    for (int64_t k = 0; k < p->n; k++)
        x[k] = times(x[k], p->root[k * k % (2 * p->n)]);
    memset(x + p->n, 0, sizeof(Z) * (size_t)(p->padded - p->n));
    Z *r = transform(p->padded, p->padded_root, x, y), *other = r == x ? y : x;
    for (int64_t k = 0; k < p->padded; k++) {
        Z z = times(r[k], p->filter[k]);
        r[k] = (Z){z.re, -z.im}; /* the inverse, as the conjugate of that of the conjugate */
    }
    r = transform(p->padded, p->padded_root, r, other);
    for (int64_t k = 0; k < p->n; k++)
        r[k] = times((Z){r[k].re, -r[k].im}, p->root[k * k % (2 * p->n)]);
    return r;
}

/* ---- the kernel ------------------------------------------------------------------------------ */

/* From the first array's rows to the last one's. NumPy's loop takes some side by side. It does not
 * say when it finds no memory, so that it is asked for before. */
static int64_t
fft_lent(KernelCx *cx, const KernelArg *arg, int n_arrays, KernelFft fft)
{
    enum { ROWS = 64, SMALL = 4096, BYTES = 160 }; /* BYTES: a number, in the worst case */
    const KernelArg *in = arg, *out = arg + n_arrays - 1;
    bool stack = arg->n > 1;
    int64_t n = kernel_dim(in, 1), m = kernel_dim(out, 1), longest = n > m ? n : m;
    int64_t rows = stack ? kernel_dim(in, 2) : 1, by = stack ? kernel_stride(in, 2) : 0;
    int64_t out_by = stack ? kernel_stride(out, 2) : 0;
    double one = 1;
    Walk w;
    walk_begin(&w, arg, n_arrays, (const int[]){stack ? 2 : 1, stack ? 2 : 1});
    if (!w.left || !rows || !n || !m)
        return 0;
    void *room = longest > SMALL ? malloc((size_t)longest * BYTES) : &one;
    if (!room)
        return KERNEL_NO_MEMORY;
    if (longest > SMALL)
        free(room);
    for (; w.left; walk_next(&w))
        for (int64_t k = 0; k < rows; k += ROWS) {
            char *args[3] = {w.data[0] + k * by, (char *)&one, w.data[n_arrays - 1] + k * out_by};
            intptr_t sizes[3] = {rows - k < ROWS ? rows - k : ROWS, n, m};
            fft.loop(args, sizes,
                     (const intptr_t[]){by, 0, out_by, kernel_stride(in, 1), kernel_stride(out, 1)},
                     fft.data);
            if (kernel_stops(cx))
                return KERNEL_STOPPED;
        }
    return 0;
}

/* How one problem comes to the plan's n numbers, and goes from there. */
typedef void Load(const Plan *p, const KernelArg *arg, const Walk *w);
typedef void Store(const Plan *p, const Z *r, const KernelArg *arg, const Walk *w);

static int64_t
fft_own(KernelCx *cx, const KernelArg *arg, int n_arrays, int64_t n, Load *load, Store *store)
{
    int64_t status = 0;
    Walk w;
    Plan p;
    walk_begin(&w, arg, n_arrays, (const int[]){1, 1});
    if (!w.left || !n)
        return 0;
    if (!plan_make(&p, n))
        return KERNEL_NO_MEMORY;
    for (; w.left && !status; walk_next(&w)) {
        load(&p, arg, &w);
        Z *r = p.padded ? convolve(&p) : transform(n, p.root, p.work, p.work + n);
        store(&p, r, arg, &w);
        status = kernel_stops(cx) ? KERNEL_STOPPED : 0;
    }
    free(p.all);
    return status;
}

/* The inverse is the transform of the conjugate, conjugated. */
static void
load_complex(const Plan *p, const KernelArg *arg, const Walk *w)
{
    for (int64_t k = 0; k < p->n; k++) {
        memcpy(&p->work[k], w->data[0] + k * kernel_stride(arg, 1), sizeof(Z));
        p->work[k].im *= arg[1].n ? -1 : 1;
    }
}

static void
store_complex(const Plan *p, const Z *r, const KernelArg *arg, const Walk *w)
{
    for (int64_t k = 0; k < p->n; k++) {
        Z z = {r[k].re, r[k].im * (arg[1].n ? -1 : 1)};
        memcpy(w->data[0] + k * kernel_stride(arg, 1), &z, sizeof(Z));
    }
}

static void
load_real(const Plan *p, const KernelArg *arg, const Walk *w)
{
    for (int64_t k = 0; k < p->n; k++) {
        p->work[k] = (Z){0, 0};
        if (k < kernel_dim(arg, 1))
            memcpy(&p->work[k].re, w->data[0] + k * kernel_stride(arg, 1), sizeof(double));
    }
}

static void
store_half(const Plan *p, const Z *r, const KernelArg *arg, const Walk *w)
{
    for (int64_t k = 0; k <= p->n / 2; k++)
        memcpy(w->data[1] + k * kernel_stride(arg + 1, 1), &r[k], sizeof(Z));
}

/* The conjugate of what the half stands for. */
static void
load_half(const Plan *p, const KernelArg *arg, const Walk *w)
{
    for (int64_t k = 0; k <= p->n / 2; k++) {
        Z z = {0, 0};
        if (k < kernel_dim(arg, 1))
            memcpy(&z, w->data[0] + k * kernel_stride(arg, 1), sizeof(Z));
        if (k == 0 || 2 * k == p->n)
            z.im = 0;
        p->work[k] = (Z){z.re, -z.im};
        if (k)
            p->work[p->n - k] = z;
    }
}

static void
store_real(const Plan *p, const Z *r, const KernelArg *arg, const Walk *w)
{
    for (int64_t k = 0; k < p->n; k++)
        memcpy(w->data[1] + k * kernel_stride(arg + 1, 1), &r[k].re, sizeof(double));
}

/* Without a factor, here and below. */
KERNEL(fft, "a, inverse", "rw(n) n", "complex128")
{
    KernelFft lent = kernel_host()->fft[arg[1].n ? FFT_INVERSE : FFT_FORWARD];
    if (lent.loop)
        return fft_lent(cx, arg, 1, lent);
    return fft_own(cx, arg, 1, kernel_dim(arg, 1), load_complex, store_complex);
}

/* The first half of the transform of n real numbers; zeros follow those that are there. */
KERNEL(rfft, "a, half, n", "r(k) w(m):complex128 n", "float64")
{
    KernelFft lent = kernel_host()->fft[arg[2].n % 2 ? FFT_REAL_ODD : FFT_REAL_EVEN];
    if (lent.loop && kernel_dim(arg, 1))
        return fft_lent(cx, arg, 2, lent);
    return fft_own(cx, arg, 2, arg[2].n, load_real, store_half);
}

/* Real numbers from half of their transform. */
KERNEL(irfft, "half, out", "r(m) w(n):float64", "complex128")
{
    KernelFft lent = kernel_host()->fft[FFT_REAL_INVERSE];
    if (lent.loop && kernel_dim(arg, 1))
        return fft_lent(cx, arg, 2, lent);
    return fft_own(cx, arg, 2, kernel_dim(arg + 1, 1), load_half, store_real);
}
