/* SPDX-License-Identifier: BSD-3-Clause
 * Factorisations as a template: included once for doubles and once for complex doubles, by own.c.
 * T: the type; NAME(x): x with a suffix; CONJ(x), REAL(x), SIZE(x): what pivots are chosen by.
 * Matrices are n by n, in columns. */

static int64_t
NAME(lu)(int64_t n, T *a, int64_t *pivots)
{
    int64_t info = 0;
    for (int64_t k = 0; k < n; k++) {
        int64_t best = k;
        for (int64_t i = k + 1; i < n; i++)
            if (SIZE(a[i + k * n]) > SIZE(a[best + k * n]))
                best = i;
        pivots[k] = best + 1;
        if (a[best + k * n] == 0) {
            info = info ? info : k + 1;
            continue;
        }
        for (int64_t j = 0; j < n && best != k; j++) {
            T t = a[k + j * n];
            a[k + j * n] = a[best + j * n];
            a[best + j * n] = t;
        }
        T pivot = a[k + k * n];
        for (int64_t i = k + 1; i < n; i++)
            a[i + k * n] /= pivot;
        for (int64_t j = k + 1; j < n; j++) {
            T *restrict to = a + j * n;
            const T *restrict by = a + k * n;
            T f = to[k];
            for (int64_t i = k + 1; f != 0 && i < n; i++)
                to[i] -= f * by[i];
        }
    }
    return info;
}

static void
NAME(solve)(int64_t n, int64_t m, const T *lu, const int64_t *pivots, T *b)
{
    for (int64_t c = 0; c < m; c++) {
        T *restrict x = b + c * n;
        for (int64_t k = 0; k < n; k++) {
            T t = x[k];
            x[k] = x[pivots[k] - 1];
            x[pivots[k] - 1] = t;
        }
        for (int64_t k = 0; k < n; k++)
            for (int64_t i = k + 1; i < n; i++)
                x[i] -= x[k] * lu[i + k * n];
        for (int64_t k = n; k-- > 0;) {
            x[k] /= lu[k + k * n];
            for (int64_t i = 0; i < k; i++)
                x[i] -= x[k] * lu[i + k * n];
        }
    }
}

/* a = L * L^H from its lower triangle, column by column. */
static int64_t
NAME(cholesky)(int64_t n, T *a)
{
    for (int64_t k = 0; k < n; k++) {
        T *col = a + k * n;
        for (int64_t j = 0; j < k; j++) {
            T f = CONJ(a[k + j * n]);
            for (int64_t i = k; i < n; i++)
                col[i] -= a[i + j * n] * f;
        }
        double d = REAL(col[k]);
        if (d <= 0) /* NaN goes on, as in OpenBLAS */
            return k + 1;
        d = sqrt(d);
        col[k] = d;
        for (int64_t i = k + 1; i < n; i++)
            col[i] /= d;
    }
    return 0;
}

/* The other triangle of what is its own conjugate transpose. */
static void
NAME(mirror)(int64_t n, T *a)
{
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < j; i++) {
            T t = a[i + j * n];
            a[i + j * n] = CONJ(a[j + i * n]);
            a[j + i * n] = CONJ(t);
        }
}

#undef T
#undef NAME
#undef CONJ
#undef REAL
#undef SIZE
