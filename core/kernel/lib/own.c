/* SPDX-License-Identifier: BSD-3-Clause
 * Linear algebra for where no LAPACK is loaded: the textbook's loops over columns. */
#include "kernel/lib/lapack.h"

#include <complex.h>
#include <math.h>

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
