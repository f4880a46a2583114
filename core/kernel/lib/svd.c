/* SPDX-License-Identifier: BSD-3-Clause
 * Singular values: by LAPACK's gesdd, or, where none is loaded, by one-sided Jacobi rotations
 * (Hestenes, 1958), which turn pairs of columns until all are orthogonal: their lengths are the
 * values. */
#include "kernel/lib/lapack.h"

#include <math.h>
#include <stdlib.h>

/* ---- our own --------------------------------------------------------------------------------- */

static double
dot(const double *a, const double *b, int64_t n)
{
    double s = 0;
    for (int64_t i = 0; i < n; i++)
        s += a[i] * b[i];
    return s;
}

/* Makes two columns orthogonal: were they not? What is below `tiny` is rounding. */
static bool
rotate(double *a, double *b, int64_t n, double tiny)
{
    double x = dot(a, a, n), y = dot(b, b, n), xy = dot(a, b, n);
    if (!(fabs(xy) > tiny) || !(fabs(xy) > 1e-15 * sqrt(x) * sqrt(y)))
        return false;
    double zeta = (y - x) / (2 * xy);
    double t = (zeta < 0 ? -1 : 1) / (fabs(zeta) + hypot(zeta, 1)), c = 1 / hypot(t, 1), s = c * t;
    for (int64_t i = 0; i < n; i++) {
        double u = a[i], v = b[i];
        a[i] = c * u - s * v;
        b[i] = s * u + c * v;
    }
    return true;
}

static int
greater(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x < y) - (x > y);
}

/* Of m rows and n columns in columns, m >= n: their values into w, the greatest first. */
static bool
own_values(int64_t m, int64_t n, double *a, double *w)
{
    bool any = true;
    double most = 0;
    for (int64_t j = 0; j < n; j++)
        most = fmax(most, dot(a + j * m, a + j * m, m));
    for (int sweep = 0; any && sweep < 60; sweep++) {
        any = false;
        for (int64_t p = 0; p < n; p++)
            for (int64_t q = p + 1; q < n; q++)
                any |= rotate(a + p * m, a + q * m, m, 1e-32 * most);
    }
    for (int64_t j = 0; j < n; j++) {
        w[j] = sqrt(dot(a + j * m, a + j * m, m));
        any |= isnan(w[j]);
    }
    qsort(w, (size_t)n, sizeof *w, greater);
    return !any;
}

/* A matrix in columns as a real one with no fewer rows than columns: transposed if need be, and
 * [re, -im; im, re] of a complex one, which has each value twice. */
static int64_t
own_svdvals(bool complex, int64_t m, int64_t n, const double *a, double *w)
{
    int64_t parts = complex ? 2 : 1, least = m < n ? m : n, rows = parts * (m < n ? n : m),
            cols = parts * least;
    double *all = calloc((size_t)(rows * cols + cols + 1), sizeof *all), *got = all + rows * cols;
    if (!all)
        return -1;
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < m; i++) {
            const double *e = a + parts * (i + j * m);
            int64_t r = m < n ? j : i, c = m < n ? i : j, half = rows / 2, at = cols / 2;
            all[r + c * rows] = e[0];
            if (complex) {
                all[r + half + (c + at) * rows] = e[0];
                all[r + half + c * rows] = e[1];
                all[r + (c + at) * rows] = -e[1];
            }
        }
    bool found = own_values(rows, cols, all, got);
    for (int64_t i = 0; i < least; i++)
        w[i] = got[parts * i];
    free(all);
    return !found;
}

/* ---- LAPACK's -------------------------------------------------------------------------------- */

typedef void Dgesdd(const char *jobz, const void *m, const void *n, void *a, const void *lda,
                    double *s, void *u, const void *ldu, void *vt, const void *ldvt, double *work,
                    const void *n_work, void *iwork, void *info, size_t);
typedef void Zgesdd(const char *jobz, const void *m, const void *n, void *a, const void *lda,
                    double *s, void *u, const void *ldu, void *vt, const void *ldvt, double *work,
                    const void *n_work, double *rwork, void *iwork, void *info, size_t);

typedef struct Work {
    double *work, *rwork;
    LapackInt *iwork, n_work;
} Work;

static int64_t
call(void *f, bool complex, int64_t m, int64_t n, double *a, double *w, Work *k)
{
    LapackInt rows = lapack_int(m), cols = lapack_int(n), one = lapack_int(1), info = {0};
    if (complex)
        ((Zgesdd *)(uintptr_t)f)("N", &rows, &cols, a, &rows, w, NULL, &one, NULL, &one, k->work,
                                 &k->n_work, k->rwork, k->iwork, &info, 1);
    else
        ((Dgesdd *)(uintptr_t)f)("N", &rows, &cols, a, &rows, w, NULL, &one, NULL, &one, k->work,
                                 &k->n_work, k->iwork, &info, 1);
    return lapack_value(info);
}

/* 0; 1: they did not converge; -1: there is no memory. a is overwritten. */
static int64_t
svdvals(bool complex, int64_t m, int64_t n, double *a, double *w)
{
    void *f = lapack_routine(complex, "gesdd", m, n);
    if (!f)
        return own_svdvals(complex, m, n, a, w);
    double size[2] = {0};
    int64_t least = m < n ? m : n, parts = complex ? 2 : 1;
    Work k = {.work = size, .rwork = size, .n_work = lapack_int(-1)};
    LapackInt none[8] = {{0}};
    k.iwork = none;
    if (call(f, complex, m, n, a, w, &k))
        return 1;
    int64_t n_work = (int64_t)size[0];
    double *all = malloc((size_t)(n_work * parts + 7 * least + 8 * least + 1) * 8);
    if (!all)
        return -1;
    k.work = all;
    k.rwork = all + n_work * parts;
    k.iwork = (LapackInt *)(void *)(k.rwork + 7 * least);
    k.n_work = lapack_int(n_work);
    int64_t info = call(f, complex, m, n, a, w, &k);
    free(all);
    return info != 0;
}

/* 1: those of a matrix did not converge, and are NaN. */
KERNEL(svdvals, "a, s", "r(m,n) w(k):float64", "float64 complex128")
{
    bool complex = arg->dtype == DT_c128;
    size_t item = complex ? 16 : 8;
    int64_t m = kernel_dim(arg, 2), n = kernel_dim(arg, 1), least = m < n ? m : n, size, status = 0;
    Walk w;
    walk_begin(&w, arg, 2, (const int[]){2, 1});
    if (!w.left || !least)
        return 0;
    if (__builtin_mul_overflow(m, n, &size) || size > INT64_MAX / 32)
        return KERNEL_NO_MEMORY;
    double *a = malloc((size_t)size * item + (size_t)least * 8), *s = a + size * (complex ? 2 : 1);
    if (!a)
        return KERNEL_NO_MEMORY;
    for (; w.left && status >= 0; walk_next(&w)) {
        char *to = (char *)a;
        for (int64_t j = 0; j < n; j++)
            for (int64_t i = 0; i < m; i++, to += item)
                memcpy(to, w.data[0] + i * kernel_stride(arg, 2) + j * kernel_stride(arg, 1), item);
        int64_t now = svdvals(complex, m, n, a, s);
        for (int64_t i = 0; i < least && now >= 0; i++) {
            s[i] = now ? NAN : s[i];
            memcpy(w.data[1] + i * kernel_stride(arg + 1, 1), &s[i], 8);
        }
        status = now < 0 ? KERNEL_NO_MEMORY : now ? 1 : status;
        if (kernel_stops(cx))
            status = KERNEL_STOPPED;
    }
    free(a);
    return status;
}
