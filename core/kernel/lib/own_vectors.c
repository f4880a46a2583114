/* SPDX-License-Identifier: BSD-3-Clause
 * Factors with vectors, where no LAPACK is loaded: of Hermitian matrices by Jacobi's rotations,
 * singular ones by Hestenes' one-sided rotations, Q and R by Householder's reflectors. */
#include "kernel/lib/problem.h"

#include <complex.h>
#include <math.h>
#include <stdlib.h>

Number *
own_numbers(bool is_complex, int64_t n, const double *from)
{
    Number *to = malloc((size_t)(n + 1) * sizeof *to);
    for (int64_t i = 0; to && i < n; i++)
        to[i] = is_complex ? CMPLX(from[2 * i], from[2 * i + 1]) : from[i];
    return to;
}

void
own_doubles(bool is_complex, int64_t n, const Number *from, double *to)
{
    for (int64_t i = 0; i < n; i++) {
        to[is_complex ? 2 * i : i] = creal(from[i]);
        if (is_complex)
            to[2 * i + 1] = cimag(from[i]);
    }
}

/* The sum of conj(a) * b. */
static Number
dot(int64_t n, const Number *a, const Number *b)
{
    Number s = 0;
    for (int64_t i = 0; i < n; i++)
        s += conj(a[i]) * b[i];
    return s;
}

static double
square(int64_t n, const Number *a)
{
    return creal(dot(n, a, a));
}

/* What turns two columns so that their product, or element, of size |xy| vanishes; `by` is the
 * difference of what belongs to the second and the first. */
typedef struct Turn {
    double c, s;
    Number phase;
} Turn;

static Turn
turn_of(Number xy, double by)
{
    double size = cabs(xy), theta = by / (2 * size);
    double t = (theta < 0 ? -1 : 1) / (fabs(theta) + hypot(theta, 1)), c = 1 / hypot(t, 1);
    return (Turn){c, t * c, xy / size};
}

static void
turn(Turn t, int64_t n, int64_t step, Number *a, Number *b)
{
    for (int64_t i = 0; i < n; i++) {
        Number x = a[i * step], y = b[i * step];
        a[i * step] = t.c * x - t.s * conj(t.phase) * y;
        b[i * step] = t.s * t.phase * x + t.c * y;
    }
}

static void
swap(int64_t n, Number *a, Number *b)
{
    for (int64_t i = 0; i < n; i++) {
        Number x = a[i];
        a[i] = b[i];
        b[i] = x;
    }
}

/* Puts n numbers in order, rising or falling, and columns along with them. */
static void
sort(int64_t n, double *w, bool falls, int64_t m, Number *a, int64_t l, Number *b)
{
    for (int64_t i = 0; i < n; i++) {
        int64_t least = i;
        for (int64_t j = i + 1; j < n; j++)
            if (falls ? w[j] > w[least] : w[j] < w[least])
                least = j;
        if (least == i)
            continue;
        double x = w[i];
        w[i] = w[least];
        w[least] = x;
        swap(m, a + i * m, a + least * m);
        swap(l, b + i * l, b + least * l);
    }
}

static void
identity(int64_t n, Number *a)
{
    for (int64_t i = 0; i < n * n; i++)
        a[i] = i % (n + 1) == 0;
}

bool
own_eigh(int64_t n, Number *a, double *w, Number *v)
{
    bool any = true;
    identity(n, v);
    for (int sweep = 0; any && sweep < 60; sweep++) {
        any = false;
        for (int64_t p = 0; p < n; p++)
            for (int64_t q = p + 1; q < n; q++) {
                double x = creal(a[p * n + p]), y = creal(a[q * n + q]);
                Number xy = a[q * n + p]; /* in row p, column q */
                if (xy == 0 || cabs(xy) <= 1e-17 * (fabs(x) + fabs(y)))
                    continue;
                any = true;
                Turn t = turn_of(xy, y - x), rows = {t.c, t.s, conj(t.phase)};
                turn(t, n, 1, a + p * n, a + q * n);
                turn(rows, n, n, a + p, a + q);
                turn(t, n, 1, v + p * n, v + q * n);
                a[q * n + p] = a[p * n + q] = 0;
            }
    }
    for (int64_t i = 0; i < n; i++)
        w[i] = creal(a[i * n + i]);
    sort(n, w, false, n, v, 0, v);
    return !any;
}

/* ---- singular values ------------------------------------------------------------------------- */

/* Gives q columns that are orthonormal, from the `from`-th to before the `to`-th, beside those
 * before it. */
static void
complete(int64_t m, int64_t from, int64_t to, Number *q)
{
    for (int64_t j = from; j < to; j++) {
        Number *c = q + j * m;
        for (int64_t k = 0; k < m; k++) {
            for (int64_t i = 0; i < m; i++)
                c[i] = i == k;
            for (int twice = 0; twice < 2; twice++)
                for (int64_t i = 0; i < j; i++) {
                    Number part = dot(m, q + i * m, c);
                    for (int64_t r = 0; r < m; r++)
                        c[r] -= part * q[i * m + r];
                }
            double size = square(m, c);
            if (size * 2 * (double)m < 1)
                continue;
            for (int64_t i = 0; i < m; i++)
                c[i] /= sqrt(size);
            break;
        }
    }
}

/* For m >= n: u of k >= n columns is a on entry, v of n. */
static bool
tall(int64_t m, int64_t n, double *s, int64_t k, Number *u, Number *v)
{
    bool any = true;
    double most = 0;
    identity(n, v);
    for (int64_t j = 0; j < n; j++)
        most = fmax(most, square(m, u + j * m));
    for (int sweep = 0; any && sweep < 60; sweep++) {
        any = false;
        for (int64_t p = 0; p < n; p++)
            for (int64_t q = p + 1; q < n; q++) {
                Number *a = u + p * m, *b = u + q * m, xy = dot(m, a, b);
                double x = square(m, a), y = square(m, b), size = cabs(xy);
                if (size <= 1e-32 * most || size <= 1e-15 * sqrt(x) * sqrt(y))
                    continue;
                any = true;
                turn(turn_of(xy, y - x), m, 1, a, b);
                turn(turn_of(xy, y - x), n, 1, v + p * n, v + q * n);
            }
    }
    for (int64_t j = 0; j < n; j++)
        s[j] = sqrt(square(m, u + j * m));
    sort(n, s, true, m, u, n, v);
    int64_t sure = 0; /* columns that are more than rounding */
    for (; sure < n && s[sure] > 1e-15 * s[0]; sure++)
        for (int64_t i = 0; i < m; i++)
            u[sure * m + i] /= s[sure];
    complete(m, sure, k, u);
    return !any;
}

bool
own_svd(int64_t m, int64_t n, Number *a, double *s, int64_t k, Number *u, int64_t l, Number *v,
        Number *scratch)
{
    bool wide = m < n;
    int64_t rows = wide ? n : m, cols = wide ? m : n;
    Number *left = wide ? v : u, *right = wide ? u : v;
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < m; i++)
            scratch[wide ? j + i * n : i + j * m] = wide ? conj(a[i + j * m]) : a[i + j * m];
    for (int64_t i = 0; i < rows * cols; i++)
        left[i] = scratch[i];
    return tall(rows, cols, s, wide ? l : k, left, right);
}

/* ---- Q and R --------------------------------------------------------------------------------- */

/* a -= factor * v * (v^H * a) for n columns of m rows; the first element of v is 1. */
static void
reflect(int64_t m, int64_t n, int64_t lead, const Number *v, Number factor, Number *a)
{
    for (int64_t j = 0; j < n; j++) {
        Number *c = a + j * lead, s = c[0];
        for (int64_t i = 1; i < m; i++)
            s += conj(v[i]) * c[i];
        c[0] -= factor * s;
        for (int64_t i = 1; i < m; i++)
            c[i] -= factor * s * v[i];
    }
}

void
own_qr(int64_t m, int64_t n, Number *a, Number *tau)
{
    for (int64_t j = 0; j < (m < n ? m : n); j++) {
        Number *c = a + j * m + j, alpha = c[0];
        double size = sqrt(square(m - j, c)), below = square(m - j - 1, c + 1);
        tau[j] = 0;
        if (below == 0 && cimag(alpha) == 0)
            continue;
        double beta = creal(alpha) < 0 ? size : -size;
        tau[j] = (beta - alpha) / beta;
        for (int64_t i = 1; i < m - j; i++)
            c[i] /= alpha - beta;
        c[0] = beta;
        reflect(m - j, n - j - 1, m, c, conj(tau[j]), c + m);
    }
}

void
own_q(int64_t m, int64_t n, int64_t k, const Number *a, const Number *tau, Number *q)
{
    for (int64_t j = 0; j < k; j++)
        for (int64_t i = 0; i < m; i++)
            q[j * m + i] = i == j;
    for (int64_t j = (m < n ? m : n) - 1; j >= 0; j--)
        reflect(m - j, k, m, a + j * m + j, tau[j], q + j);
}
