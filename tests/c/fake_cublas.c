/* SPDX-License-Identifier: BSD-3-Clause
 * A stand-in for cuBLAS: see fake_vendor.h. Matrices are in Fortran's order. What a packed, banded,
 * symmetric or triangular one stands for is written out as a dense one of complex numbers, and the
 * routine is done with that. */
#include "fake_vendor.h"

enum { LOWER = 0, UPPER = 1, UNIT = 1, LEFT = 0, PLAIN = 0, TRANS = 1, CONJ = 2 };

typedef struct Dense {
    int m, n;
    Z *v;
} Dense;

static Dense
dense(int m, int n)
{
    return (Dense){m, n, calloc((size_t)m * (size_t)n + 1, sizeof(Z))};
}

#define AT(a, i, j) (a).v[(int64_t)(i) + (int64_t)(j) * (a).m]

API int
cublasCreate_v2(Handle **h)
{
    int failed = fails(__func__);
    return failed ? failed : make_handle(h, sizeof **h, __func__);
}

API int
cublasDestroy_v2(Handle *h)
{
    return end_handle(h, __func__);
}

API int
cublasSetStream_v2(Handle *h, void *stream)
{
    return set_stream(h, stream, __func__);
}

/* ---- vectors ---- */

/* The place of element i: from the lowest address, backwards where the step is. */
static int64_t
place(int n, int inc, int i)
{
    return inc < 0 ? (int64_t)(n - 1 - i) * -inc : (int64_t)i * inc;
}

static void
touch_vector(const Handle *h, char t, const void *x, int n, int inc, bool writes, const char *name)
{
    if (n < 0 || inc == 0)
        breach("%s: a vector of %d elements by steps of %d", name, n, inc);
    else if (n)
        touch(h, x, ((size_t)(n - 1) * (size_t)abs(inc) + 1) * size_of(t), writes, name);
}

static void
touch_matrix(const Handle *h, char t, const void *a, int m, int n, int ld, bool writes,
             const char *name)
{
    if (m < 0 || n < 0 || ld < (m > 1 ? m : 1))
        breach("%s: a matrix of %d x %d with the leading dimension %d", name, m, n, ld);
    else if (m && n)
        touch(h, a, ((size_t)(n - 1) * (size_t)ld + (size_t)m) * size_of(t), writes, name);
}

static Dense
vector_of(char t, const void *x, int n, int inc)
{
    Dense d = dense(n, 1);
    for (int i = 0; i < n; i++)
        d.v[i] = load(t, x, place(n, inc, i));
    return d;
}

static void
vector_back(char t, void *x, int n, int inc, Dense d)
{
    for (int i = 0; i < n; i++)
        store(t, x, place(n, inc, i), d.v[i]);
    free(d.v);
}

static Dense
matrix_of(char t, const void *a, int m, int n, int ld)
{
    Dense d = dense(m, n);
    for (int j = 0; j < n; j++)
        for (int i = 0; i < m; i++)
            AT(d, i, j) = load(t, a, i + (int64_t)j * ld);
    return d;
}

static Dense
op(Dense a, int trans)
{
    if (trans == PLAIN)
        return a;
    Dense b = dense(a.n, a.m);
    for (int j = 0; j < a.n; j++)
        for (int i = 0; i < a.m; i++)
            AT(b, j, i) = trans == CONJ ? conj(AT(a, i, j)) : AT(a, i, j);
    free(a.v);
    return b;
}

static Dense
times(Dense a, Dense b)
{
    Dense c = dense(a.m, b.n);
    if (a.n != b.m)
        breach("a product of %d x %d and %d x %d", a.m, a.n, b.m, b.n);
    for (int j = 0; j < b.n; j++)
        for (int k = 0; k < a.n; k++)
            for (int i = 0; i < a.m; i++)
                AT(c, i, j) += AT(a, i, k) * AT(b, k, j);
    free(a.v);
    free(b.v);
    return c;
}

/* to = alpha * by + beta * to; to isn't read where beta is 0. which: 0 all, else a triangle. */
static void
mix(char t, void *to, int ld, Dense by, Z alpha, Z beta, int which, bool real_diagonal)
{
    for (int j = 0; j < by.n; j++)
        for (int i = 0; i < by.m; i++) {
            if ((which == 1 + LOWER && i < j) || (which == 1 + UPPER && i > j))
                continue;
            int64_t at = i + (int64_t)j * ld;
            Z v = alpha * AT(by, i, j) + (beta == 0 ? 0 : beta * load(t, to, at));
            store(t, to, at, real_diagonal && i == j ? creal(v) : v);
        }
    free(by.v);
}

/* What is stored of a triangle, a band or a packed triangle: 0 where nothing is. */
static Dense
band_of(char t, const void *a, int m, int n, int kl, int ku, int ld)
{
    Dense d = dense(m, n);
    for (int j = 0; j < n; j++)
        for (int i = j - ku < 0 ? 0 : j - ku; i < m && i <= j + kl; i++)
            AT(d, i, j) = load(t, a, ku + i - j + (int64_t)j * ld);
    return d;
}

static int64_t
packed_place(int uplo, int n, int i, int j)
{
    return uplo == UPPER ? i + (int64_t)j * (j + 1) / 2 : i + (int64_t)j * (2 * n - j - 1) / 2;
}

static bool
in_triangle(int uplo, int i, int j)
{
    return uplo == UPPER ? i <= j : i >= j;
}

static Dense
packed_of(char t, const void *a, int uplo, int n)
{
    Dense d = dense(n, n);
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++)
            if (in_triangle(uplo, i, j))
                AT(d, i, j) = load(t, a, packed_place(uplo, n, i, j));
    return d;
}

static Dense
symmetric(Dense a, int uplo, bool hermitian)
{
    for (int j = 0; j < a.n; j++)
        for (int i = 0; i < a.m; i++)
            if (!in_triangle(uplo, i, j))
                AT(a, i, j) = hermitian ? conj(AT(a, j, i)) : AT(a, j, i);
    for (int j = 0; hermitian && j < a.n; j++)
        AT(a, j, j) = creal(AT(a, j, j));
    return a;
}

static Dense
triangle(Dense a, int uplo, int diag)
{
    for (int j = 0; j < a.n; j++)
        for (int i = 0; i < a.m; i++)
            if (!in_triangle(uplo, i, j))
                AT(a, i, j) = 0;
            else if (i == j && diag == UNIT)
                AT(a, i, j) = 1;
    return a;
}

/* Solves t x = b in b, for a triangle that is lower or not. */
static void
substitute(Dense t, bool lower, Dense b)
{
    for (int c = 0; c < b.n; c++)
        for (int k = 0; k < t.n; k++) {
            int i = lower ? k : t.n - 1 - k;
            Z v = AT(b, i, c);
            for (int j = lower ? 0 : i + 1; j < (lower ? i : t.n); j++)
                v -= AT(t, i, j) * AT(b, j, c);
            AT(b, i, c) = v / AT(t, i, i);
        }
    free(t.v);
}

static Dense
outer(Dense x, Dense y, bool hermitian)
{
    Dense d = dense(x.m, y.m);
    for (int j = 0; j < y.m; j++)
        for (int i = 0; i < x.m; i++)
            AT(d, i, j) = x.v[i] * (hermitian ? conj(y.v[j]) : y.v[j]);
    return d;
}

static void
packed_add(char t, void *a, int uplo, Dense by, Z alpha, bool hermitian)
{
    for (int j = 0; j < by.n; j++)
        for (int i = 0; i < by.n; i++)
            if (in_triangle(uplo, i, j)) {
                int64_t at = packed_place(uplo, by.n, i, j);
                Z v = load(t, a, at) + alpha * AT(by, i, j);
                store(t, a, at, hermitian && i == j ? creal(v) : v);
            }
    free(by.v);
}

static Dense
sum_of(Dense a, Z alpha, Dense b, Z beta)
{
    for (int64_t i = 0; i < (int64_t)a.m * a.n; i++)
        a.v[i] = alpha * a.v[i] + beta * b.v[i];
    free(b.v);
    return a;
}

#define BAND(uplo, k) (uplo) == LOWER ? (k) : 0, (uplo) == UPPER ? (k) : 0
#define PACKED(n) ((n) * ((n) + 1) / 2)
#define X(n) touch_vector(h, t, x, n, incx, false, __func__)
#define XW(n) touch_vector(h, t, x, n, incx, true, __func__)
#define Y(n) touch_vector(h, t, y, n, incy, false, __func__)
#define YW(n) touch_vector(h, t, y, n, incy, true, __func__)
#define A(m, n) touch_matrix(h, t, a, m, n, lda, false, __func__)
#define AW(m, n) touch_matrix(h, t, a, m, n, lda, true, __func__)
#define B(m, n) touch_matrix(h, t, b, m, n, ldb, false, __func__)
#define BW(m, n) touch_matrix(h, t, b, m, n, ldb, true, __func__)
#define CW(m, n) touch_matrix(h, t, c, m, n, ldc, true, __func__)
#define AP(n) touch_vector(h, t, ap, PACKED(n), 1, false, __func__)
#define APW(n) touch_vector(h, t, ap, PACKED(n), 1, true, __func__)
#define ONE load(t, alpha, 0)
#define ITS_BETA load(t, beta, 0)
#define REAL_ONE load(t == 'c' ? 's' : t == 'z' ? 'd' : t, alpha, 0)
#define REAL_BETA load(t == 'c' ? 's' : t == 'z' ? 'd' : t, beta, 0)

#include "fake_cublas_vectors.h"
#include "fake_cublas_matrices.h"

#define ALL(L, T) VECTORS(L, T) MATRIX_VECTOR(L, T) TRIANGLES(L, T) UPDATES(L, T) PRODUCTS(L, T)
ALL(S, 's')
ALL(D, 'd')
ALL(C, 'c')
ALL(Z, 'z')
REAL_ONLY(S, 's')
REAL_ONLY(D, 'd')
SYMMETRIC(S, 's', sy, sb, sp, false)
SYMMETRIC(D, 'd', sy, sb, sp, false)
SYMMETRIC(C, 'c', he, hb, hp, true)
SYMMETRIC(Z, 'z', he, hb, hp, true)
SYMMETRIC_FULL(C, 'c')
SYMMETRIC_FULL(Z, 'z')
HERMITIAN(C, 'c')
HERMITIAN(Z, 'z')
GER(S, 's', ger, false)
GER(D, 'd', ger, false)
GER(C, 'c', geru, false)
GER(Z, 'z', geru, false)
GER(C, 'c', gerc, true)
GER(Z, 'z', gerc, true)
DOTS(Sdot, 's', false)
DOTS(Ddot, 'd', false)
DOTS(Cdotu, 'c', false)
DOTS(Zdotu, 'z', false)
DOTS(Cdotc, 'c', true)
DOTS(Zdotc, 'z', true)
SUMS(Snrm2, Sasum, Isamax, Isamin, 's', 's')
SUMS(Dnrm2, Dasum, Idamax, Idamin, 'd', 'd')
SUMS(Scnrm2, Scasum, Icamax, Icamin, 'c', 's')
SUMS(Dznrm2, Dzasum, Izamax, Izamin, 'z', 'd')
