/* SPDX-License-Identifier: BSD-3-Clause
 * solve, inv, det, cholesky and eigvalsh of float64 and complex128, as NumPy computes them: each
 * problem is copied to scratch memory in columns, and given to LAPACK. Where a matrix is singular
 * its result is NaN, the others are computed all the same, and the status is 1. */
#include "kernel/lib/lapack.h"

#include <math.h>
#include <stdlib.h>

typedef struct Scratch {
    bool complex;
    size_t item;
    int64_t n, m;
    char *a, *b; /* n by n, n by m */
    int64_t *pivots;
    void *all;
} Scratch;

static bool
scratch_make(Scratch *s, const KernelArg *arg, int64_t m)
{
    s->complex = arg->dtype == DT_c128;
    s->item = s->complex ? 16 : 8;
    s->n = kernel_dim(arg, 1);
    s->m = m;
    int64_t rows, bytes;
    bool big = __builtin_add_overflow(s->n + 1, m, &rows) ||
               __builtin_mul_overflow(rows, s->n, &bytes) ||
               __builtin_mul_overflow(bytes, (int64_t)s->item, &bytes);
    s->all = big ? NULL : malloc((size_t)bytes + 64);
    if (!s->all)
        return false;
    s->a = s->all;
    s->b = s->a + (size_t)(s->n * s->n) * s->item;
    s->pivots = (int64_t *)(void *)(s->b + (size_t)(s->n * m) * s->item);
    return true;
}

/* Between a matrix of an array, whose axes have these strides, and one in columns. */
static void
load(char *to, const char *p, int64_t rows, int64_t cols, int64_t row, int64_t col, size_t item)
{
    for (int64_t j = 0; j < cols; j++)
        for (int64_t i = 0; i < rows; i++, to += item)
            memcpy(to, p + i * row + j * col, item);
}

static void
store(char *p, const char *from, int64_t rows, int64_t cols, int64_t row, int64_t col, size_t item)
{
    for (int64_t j = 0; j < cols; j++)
        for (int64_t i = 0; i < rows; i++, from += item)
            memcpy(p + i * row + j * col, from, item);
}

static void
fill(char *to, int64_t n, double v)
{
    for (int64_t i = 0; i < n; i++)
        memcpy(to + i * 8, &v, 8);
}

static void
identity(const Scratch *s)
{
    double one = 1;
    memset(s->b, 0, (size_t)(s->n * s->n) * s->item);
    for (int64_t i = 0; i < s->n; i++)
        memcpy(s->b + (size_t)(i * s->n + i) * s->item, &one, 8);
}

/* What is done with one problem, whose matrix lies in s->a: 0, or a status. */
typedef int64_t Solve(const Scratch *s, const Walk *w);

/* All problems; the first n arguments are arrays of `core` axes each, the last of the first one is
 * of length s.n. m: columns of s.b. The status is the last that isn't 0. */
static int64_t
each_problem(KernelCx *cx, const KernelArg *arg, int n, const int *core, int64_t m, Solve *solve)
{
    Scratch s;
    Walk w;
    int64_t status = 0;
    walk_begin(&w, arg, n, core);
    if (!w.left)
        return 0;
    if (!scratch_make(&s, arg, m))
        return KERNEL_NO_MEMORY;
    for (; w.left && status >= 0; walk_next(&w)) {
        load(s.a, w.data[0], s.n, s.n, kernel_stride(arg, 2), kernel_stride(arg, 1), s.item);
        int64_t now = solve(&s, &w);
        status = now ? now : status;
        if (kernel_stops(cx))
            status = KERNEL_STOPPED;
    }
    free(s.all);
    return status;
}

/* Into the last array: what is solved for is overwritten by the solution, or a matrix by its
 * inverse. */
static int64_t
solve_into(const Scratch *s, const Walk *w)
{
    const KernelArg *b = w->arg + w->n - 1;
    int64_t row = kernel_stride(b, 2), col = kernel_stride(b, 1), status = 0;
    if (w->n > 1)
        load(s->b, w->data[1], s->n, s->m, row, col, s->item);
    else
        identity(s);
    if (lapack_solve(s->complex, s->n, s->m, s->a, s->pivots, s->b)) {
        fill(s->b, s->n * s->m * (int64_t)(s->item / 8), NAN);
        status = 1;
    }
    store(w->data[w->n - 1], s->b, s->n, s->m, row, col, s->item);
    return status;
}

/* 1, here and below: a matrix is singular, or not positive definite. */
KERNEL(solve, "a, b", "r(n,n) rw(n,m)", "float64 complex128")
{
    bool none = !kernel_dim(arg + 1, 1) || !kernel_dim(arg, 1);
    return none ? 0
                : each_problem(cx, arg, 2, (const int[]){2, 2}, kernel_dim(arg + 1, 1), solve_into);
}

KERNEL(inv, "a", "rw(n,n)", "float64 complex128")
{
    return kernel_dim(arg, 1)
               ? each_problem(cx, arg, 1, (const int[]){2}, kernel_dim(arg, 1), solve_into)
               : 0;
}

/* NumPy's: a sign, and the sum of the logarithms of the pivots' sizes. */
static double
sign_and_log(const Scratch *s, double *sign)
{
    int64_t info = s->n ? lapack_lu(s->complex, s->n, s->a, s->pivots) : 0;
    double log_size = 0;
    sign[0] = info ? 0 : 1;
    sign[1] = 0;
    for (int64_t i = 0; !info && i < s->n; i++)
        sign[0] = s->pivots[i] != i + 1 ? -sign[0] : sign[0];
    for (int64_t i = 0; !info && i < s->n; i++) {
        double z[2] = {0, 0};
        memcpy(z, s->a + (size_t)(i * s->n + i) * s->item, s->item);
        double size = s->complex ? hypot(z[0], z[1]) : z[0] < 0 ? -z[0] : z[0];
        if (s->complex) {
            double re = z[0] / size, im = z[1] / size, was = sign[0];
            sign[0] = was * re - sign[1] * im;
            sign[1] = was * im + sign[1] * re;
        } else if (z[0] < 0) {
            sign[0] = -sign[0];
        }
        log_size += log(size);
    }
    return info ? -INFINITY : log_size;
}

static int64_t
det_of(const Scratch *s, const Walk *w)
{
    double sign[2], size = exp(sign_and_log(s, sign));
    double r[2] = {s->complex ? sign[0] * size - sign[1] * 0 : sign[0] * size,
                   sign[0] * 0 + sign[1] * size};
    memcpy(w->data[1], r, s->item);
    return 0;
}

KERNEL(det, "a, d", "r(n,n) w", "float64 complex128")
{
    return each_problem(cx, arg, 2, (const int[]){2, 0}, 0, det_of);
}

static int64_t
slogdet_of(const Scratch *s, const Walk *w)
{
    double sign[2], log_size = sign_and_log(s, sign);
    memcpy(w->data[1], sign, s->item);
    memcpy(w->data[2], &log_size, 8);
    return 0;
}

KERNEL(slogdet, "a, sign, log", "r(n,n) w w:float64", "float64 complex128")
{
    return each_problem(cx, arg, 3, (const int[]){2, 0, 0}, 0, slogdet_of);
}

/* Zero above, or below, the diagonal of what is in columns. */
static void
clear_triangle(const Scratch *s, bool below)
{
    for (int64_t j = 0; j < s->n; j++) {
        int64_t from = below ? j + 1 : 0, to = below ? s->n : j;
        memset(s->a + (size_t)(j * s->n + from) * s->item, 0, (size_t)(to - from) * s->item);
    }
}

static int64_t
factor(const Scratch *s, const Walk *w)
{
    bool upper = w->arg[1].n != 0;
    int64_t info = lapack_cholesky(s->complex, upper, s->n, s->a);
    if (info)
        fill(s->a, s->n * s->n * (int64_t)(s->item / 8), NAN);
    else
        clear_triangle(s, upper);
    store(w->data[0], s->a, s->n, s->n, kernel_stride(w->arg, 2), kernel_stride(w->arg, 1),
          s->item);
    return info != 0;
}

KERNEL(cholesky, "a, upper", "rw(n,n) n", "float64 complex128")
{
    return kernel_dim(arg, 1) ? each_problem(cx, arg, 1, (const int[]){2}, 0, factor) : 0;
}

static int64_t
eigenvalues(const Scratch *s, const Walk *w)
{
    int64_t info =
        lapack_eigh(s->complex, false, w->arg[2].n != 0, s->n, s->a, (double *)(void *)s->b);
    if (info)
        fill(s->b, s->n, NAN);
    store(w->data[1], s->b, s->n, 1, kernel_stride(w->arg + 1, 1), 0, 8);
    return info < 0 ? KERNEL_NO_MEMORY : info != 0;
}

/* 1: they did not converge. */
KERNEL(eigvalsh, "a, w, upper", "r(n,n) w(n):float64 n", "float64 complex128")
{
    return kernel_dim(arg, 1) ? each_problem(cx, arg, 2, (const int[]){2, 1}, 1, eigenvalues) : 0;
}
