/* SPDX-License-Identifier: BSD-3-Clause
 * Eigenvalues of any matrix, where no LAPACK is loaded: it becomes one with a diagonal below the
 * main one, then, by QR iterations with shifts, a triangle (Francis, 1961). */
#include "kernel/lib/problem.h"

#include <complex.h>
#include <float.h>
#include <math.h>

/* [c, s; -conj(s), c], which turns two rows so that the second of f and g vanishes. */
typedef struct Turn {
    double c;
    Number s;
} Turn;

static Turn
turn_of(Number f, Number g)
{
    double size = hypot(cabs(f), cabs(g));
    if (g == 0)
        return (Turn){1, 0};
    if (f == 0)
        return (Turn){0, conj(g) / cabs(g)};
    return (Turn){cabs(f) / size, f / cabs(f) * conj(g) / size};
}

/* Rows p and p + 1 of columns from..n. */
static void
turn_rows(int64_t n, Number *a, int64_t p, int64_t from, Turn t)
{
    for (int64_t j = from; j < n; j++) {
        Number *x = a + j * n + p, f = x[0], g = x[1];
        x[0] = t.c * f + t.s * g;
        x[1] = t.c * g - conj(t.s) * f;
    }
}

/* Columns p and p + 1 of rows 0..to, by the inverse. */
static void
turn_columns(int64_t n, Number *a, int64_t p, int64_t to, Turn t)
{
    for (int64_t i = 0; i < to; i++) {
        Number *x = a + p * n + i, f = x[0], g = x[n];
        x[0] = t.c * f + conj(t.s) * g;
        x[n] = t.c * g - t.s * f;
    }
}

static void
turn_both(int64_t n, Number *a, Number *v, int64_t p, int64_t from, int64_t to, Turn t)
{
    turn_rows(n, a, p, from, t);
    turn_columns(n, a, p, to, t);
    if (v)
        turn_columns(n, v, p, n, t);
}

/* The eigenvalue of the last two rows of a block that is nearer to its last element. */
static Number
shift_of(int64_t n, const Number *a, int64_t last)
{
    const Number *x = a + (last - 1) * n + last - 1, *y = x + n;
    Number half = (x[0] - y[1]) / 2, root = csqrt(half * half + x[1] * y[0]);
    Number one = y[1] + half + root, other = y[1] + half - root;
    return cabs(one - y[1]) < cabs(other - y[1]) ? one : other;
}

/* One iteration on rows first..last. */
static void
iterate(int64_t n, Number *a, Number *v, int64_t first, int64_t last, Number shift)
{
    Number f = a[first * n + first] - shift, g = a[first * n + first + 1];
    for (int64_t p = first; p < last; p++) {
        int64_t to = p + 3 < last + 1 ? p + 3 : last + 1;
        turn_both(n, a, v, p, p > first ? p - 1 : p, to, turn_of(f, g));
        if (p > first)
            a[(p - 1) * n + p + 1] = 0;
        f = a[p * n + p + 1];
        g = p + 2 <= last ? a[p * n + p + 2] : 0;
    }
}

/* Makes a triangle of a. */
static bool
triangle(int64_t n, Number *a, Number *v)
{
    int64_t last = n - 1;
    for (int round = 1; last > 0; round++) {
        int64_t first = last;
        for (; first > 0; first--) {
            Number *below = a + (first - 1) * n + first;
            double beside = cabs(below[-1]) + cabs(below[n]);
            if (cabs(*below) <= DBL_EPSILON * beside || cabs(*below) < DBL_MIN) {
                *below = 0;
                break;
            }
        }
        if (first == last) {
            last--;
            round = 0;
            continue;
        }
        if (round > 300)
            return false;
        Number shift =
            round % 10 ? shift_of(n, a, last) : a[last * n + last] + cabs(a[(last - 1) * n + last]);
        iterate(n, a, v, first, last, shift);
    }
    return true;
}

/* The j-th vector of a triangle into x, of j + 1 elements. */
static void
vector(int64_t n, const Number *a, int64_t j, double small, Number *x)
{
    x[j] = 1;
    for (int64_t i = j - 1; i >= 0; i--) {
        Number s = 0, by = a[i * n + i] - a[j * n + j];
        for (int64_t k = i + 1; k <= j; k++)
            s += a[k * n + i] * x[k];
        x[i] = -s / (cabs(by) < small ? small : by);
        if (cabs(x[i]) > 1e100)
            for (int64_t k = j, first = i; k >= first; k--)
                x[k] *= 1e-100;
    }
}

/* As LAPACK has them: of length 1, the greatest element real. */
static void
normalise(int64_t n, Number *x)
{
    double size = 0, most = 0;
    Number phase = 1;
    for (int64_t i = 0; i < n; i++) {
        size = hypot(size, cabs(x[i]));
        if (cabs(x[i]) > most) {
            most = cabs(x[i]);
            phase = conj(x[i]) / most;
        }
    }
    for (int64_t i = 0; i < n; i++)
        x[i] = x[i] * phase / size;
}

bool
own_eig(int64_t n, Number *a, Number *w, Number *v)
{
    for (int64_t i = 0; v && i < n * n; i++)
        v[i] = i % (n + 1) == 0;
    for (int64_t k = 0; k + 2 < n; k++)
        for (int64_t p = n - 2; p > k; p--) {
            turn_both(n, a, v, p, k, n, turn_of(a[k * n + p], a[k * n + p + 1]));
            a[k * n + p + 1] = 0;
        }
    bool found = triangle(n, a, v);
    double most = 0;
    for (int64_t j = 0; j < n; j++) {
        w[j] = a[j * n + j];
        for (int64_t i = 0; i <= j; i++)
            most = fmax(most, cabs(a[j * n + i]));
    }
    /* columns of v times those of the triangle's vectors, from the last, in place; below the
     * diagonal of a nothing is needed any more, and x lies in w's place until it is known */
    for (int64_t j = n - 1; v && j >= 0; j--) {
        Number *x = w;
        vector(n, a, j, fmax(DBL_EPSILON * most, DBL_MIN), x);
        for (int64_t i = 0; i < n; i++) {
            Number s = 0;
            for (int64_t k = 0; k <= j; k++)
                s += v[k * n + i] * x[k];
            v[j * n + i] = s;
        }
        normalise(n, v + j * n);
    }
    for (int64_t j = 0; j < n; j++)
        w[j] = a[j * n + j];
    return found;
}
