/* SPDX-License-Identifier: BSD-3-Clause
 * Linear algebra for where no LAPACK is loaded: the textbook's loops over columns. */
#include "kernel/lib/problem.h"

#include <complex.h>
#include <math.h>
#include <stdlib.h>

#define T double
#define NAME(x) real_##x
#define CONJ(x) (x)
#define REAL(x) (x)
#define SIZE(x) fabs(x)
#include "kernel/lib/factor.h"

#define T double complex
#define NAME(x) complex_##x
#define CONJ(x) conj(x)
#define REAL(x) creal(x)
#define SIZE(x) (fabs(creal(x)) + fabs(cimag(x))) /* as LAPACK does */
#include "kernel/lib/factor.h"

int64_t
own_lu(bool is_complex, int64_t n, void *a, int64_t *pivots)
{
    return is_complex ? complex_lu(n, a, pivots) : real_lu(n, a, pivots);
}

void
own_solve(bool is_complex, int64_t n, int64_t m, const void *lu, const int64_t *pivots, void *b)
{
    if (is_complex)
        complex_solve(n, m, lu, pivots, b);
    else
        real_solve(n, m, lu, pivots, b);
}

/* The upper factor is the lower one of the same matrix, conjugated and transposed. */
int64_t
own_cholesky(bool is_complex, bool upper, int64_t n, void *a)
{
    if (upper && is_complex)
        complex_mirror(n, a);
    else if (upper)
        real_mirror(n, a);
    int64_t info = is_complex ? complex_cholesky(n, a) : real_cholesky(n, a);
    if (upper && is_complex)
        complex_mirror(n, a);
    else if (upper)
        real_mirror(n, a);
    return info;
}

/* ---- eigenvalues ----------------------------------------------------------------------------- */

/* Turns rows and columns p and q of a symmetric matrix so that a[p, q] vanishes. */
static void
rotate(int64_t n, double *a, int64_t p, int64_t q)
{
    double apq = a[p * n + q], theta = (a[q * n + q] - a[p * n + p]) / (2 * apq);
    double t = (theta < 0 ? -1 : 1) / (fabs(theta) + hypot(theta, 1)), c = 1 / hypot(t, 1),
           s = t * c;
    for (int64_t k = 0; k < n; k++) {
        double x = a[k * n + p], y = a[k * n + q];
        a[k * n + p] = c * x - s * y;
        a[k * n + q] = s * x + c * y;
    }
    for (int64_t k = 0; k < n; k++) {
        double x = a[p * n + k], y = a[q * n + k];
        a[p * n + k] = c * x - s * y;
        a[q * n + k] = s * x + c * y;
    }
    a[p * n + q] = a[q * n + p] = 0;
}

/* Jacobi's method: rotations until nothing is left beside the diagonal that could change it. */
static bool
diagonalise(int64_t n, double *a)
{
    for (int sweep = 0; sweep < 60; sweep++) {
        bool any = false;
        for (int64_t p = 0; p < n; p++)
            for (int64_t q = p + 1; q < n; q++) {
                double small = 1e-17 * (fabs(a[p * n + p]) + fabs(a[q * n + q]));
                if (a[p * n + q] == 0 || fabs(a[p * n + q]) <= small)
                    continue;
                rotate(n, a, p, q);
                any = true;
            }
        if (!any)
            return true;
    }
    return false;
}

/* One triangle of a, in columns, as a whole symmetric matrix; of a complex one [re, -im; im, re],
 * which has each eigenvalue twice. */
static void
spread(bool is_complex, bool upper, int64_t n, const double *a, double *to)
{
    int64_t parts = is_complex ? 2 : 1, m = n * parts;
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < n; i++) {
            bool given = upper ? i <= j : i >= j;
            const double *e = a + parts * (given ? i + j * n : j + i * n);
            double im = !is_complex || i == j ? 0 : given ? e[1] : -e[1];
            to[i * m + j] = e[0];
            if (is_complex) {
                to[(i + n) * m + j + n] = e[0];
                to[(i + n) * m + j] = im;
                to[i * m + j + n] = -im;
            }
        }
}

static int
compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

int64_t
own_eigenvalues(bool is_complex, bool upper, int64_t n, const void *a, double *w)
{
    int64_t m = is_complex ? 2 * n : n;
    double *all = malloc(sizeof *all * (size_t)(m * m + m + 1)), *sorted = all + m * m;
    if (!all)
        return -1;
    spread(is_complex, upper, n, a, all);
    bool found = diagonalise(m, all);
    for (int64_t i = 0; i < m; i++)
        sorted[i] = all[i * m + i];
    qsort(sorted, (size_t)m, sizeof *sorted, compare);
    for (int64_t i = 0; i < n; i++)
        w[i] = sorted[is_complex ? 2 * i : i];
    free(all);
    return !found;
}

int64_t
own_vectors(bool is_complex, bool upper, int64_t n, double *a, double *w)
{
    Number *m = own_numbers(is_complex, n * n, a), *v = malloc((size_t)(n * n + 1) * sizeof *v);
    int64_t status = -1;
    for (int64_t j = 0; m && j < n; j++) {
        m[j * n + j] = creal(m[j * n + j]);
        for (int64_t i = j + 1; i < n; i++)
            if (upper)
                m[j * n + i] = conj(m[i * n + j]);
            else
                m[i * n + j] = conj(m[j * n + i]);
    }
    if (m && v) {
        status = !own_eigh(n, m, w, v);
        own_doubles(is_complex, n * n, v, a);
    }
    free(v);
    free(m);
    return status;
}
