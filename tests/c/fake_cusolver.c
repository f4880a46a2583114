/* SPDX-License-Identifier: BSD-3-Clause
 * A stand-in for cuSOLVER: see fake_vendor.h. LU with pivots, Cholesky's factor, Householder's QR
 * with LAPACK's reflectors, eigenvalues and singular values by Jacobi's rotations. */
#include "fake_vendor.h"

enum { SPACE = 40, LOWER = 0 };

typedef struct Dense {
    int m, n, ld;
    char t;
    void *at;
    Z *v;
} Dense;

#define AT(a, i, j) (a).v[(int64_t)(i) + (int64_t)(j) * (a).m]

API int
cusolverDnCreate(Handle **h)
{
    int failed = fails(__func__);
    return failed ? failed : make_handle(h, sizeof **h, __func__);
}

API int
cusolverDnDestroy(Handle *h)
{
    return end_handle(h, __func__);
}

API int
cusolverDnSetStream(Handle *h, void *stream)
{
    return set_stream(h, stream, __func__);
}

static Dense
take(const Handle *h, char t, void *a, int m, int n, int ld, bool writes, const char *name)
{
    Dense d = {m, n, ld, t, a, calloc((size_t)m * (size_t)n + 1, sizeof(Z))};
    if (m < 0 || n < 0 || ld < (m > 1 ? m : 1))
        breach("%s: a matrix of %d x %d with the leading dimension %d", name, m, n, ld);
    touch(h, a, ((size_t)(n - 1) * (size_t)ld + (size_t)m) * size_of(t), writes, name);
    for (int j = 0; j < n; j++)
        for (int i = 0; i < m; i++)
            AT(d, i, j) = load(t, a, i + (int64_t)j * ld);
    return d;
}

static void
give(Dense d)
{
    for (int j = 0; j < d.n; j++)
        for (int i = 0; i < d.m; i++)
            store(d.t, d.at, i + (int64_t)j * d.ld, AT(d, i, j));
    free(d.v);
}

static void
space(const Handle *h, char t, void *work, int n, int *info, const char *name)
{
    if (n != SPACE)
        breach("%s: memory of %d elements", name, n);
    touch(h, work, SPACE * size_of(t), true, name);
    touch(h, info, sizeof *info, true, name);
    *info = 0;
}

static void
swap_rows(Dense a, int i, int k)
{
    for (int j = 0; j < a.n && i != k; j++) {
        Z v = AT(a, i, j);
        AT(a, i, j) = AT(a, k, j);
        AT(a, k, j) = v;
    }
}

static void
factor_lu(Dense a, int *pivots, int *info)
{
    for (int k = 0; k < a.m && k < a.n; k++) {
        int p = k;
        for (int i = k + 1; i < a.m; i++)
            if (cabs(AT(a, i, k)) > cabs(AT(a, p, k)))
                p = i;
        pivots[k] = p + 1;
        swap_rows(a, k, p);
        if (AT(a, k, k) == 0) {
            *info = *info ? *info : k + 1;
            continue;
        }
        for (int i = k + 1; i < a.m; i++) {
            AT(a, i, k) /= AT(a, k, k);
            for (int j = k + 1; j < a.n; j++)
                AT(a, i, j) -= AT(a, i, k) * AT(a, k, j);
        }
    }
}

static void
solve_lu(Dense a, const int *pivots, Dense b)
{
    for (int k = 0; k < a.n; k++)
        swap_rows(b, k, pivots[k] - 1);
    for (int c = 0; c < b.n; c++) {
        for (int i = 0; i < a.n; i++)
            for (int j = 0; j < i; j++)
                AT(b, i, c) -= AT(a, i, j) * AT(b, j, c);
        for (int i = a.n - 1; i >= 0; i--) {
            for (int j = i + 1; j < a.n; j++)
                AT(b, i, c) -= AT(a, i, j) * AT(b, j, c);
            AT(b, i, c) /= AT(a, i, i);
        }
    }
    free(a.v);
}

static void
factor_cholesky(Dense a, int *info)
{
    for (int j = 0; j < a.n && !*info; j++) {
        double d = creal(AT(a, j, j));
        for (int k = 0; k < j; k++)
            d -= pow(cabs(AT(a, j, k)), 2);
        if (!(d > 0)) {
            *info = j + 1;
            break;
        }
        AT(a, j, j) = sqrt(d);
        for (int i = j + 1; i < a.n; i++) {
            for (int k = 0; k < j; k++)
                AT(a, i, j) -= AT(a, i, k) * conj(AT(a, j, k));
            AT(a, i, j) /= AT(a, j, j);
        }
    }
}

/* Columns from c on become (1 - tau v v^H) of themselves, or with tau's conjugate; v is below the
 * diagonal of column k, and 1 there. */
static void
reflect(Dense a, Dense to, int k, Z tau, int c)
{
    for (int j = c; j < to.n; j++) {
        Z sum = AT(to, k, j);
        for (int i = k + 1; i < a.m; i++)
            sum += conj(AT(a, i, k)) * AT(to, i, j);
        AT(to, k, j) -= tau * sum;
        for (int i = k + 1; i < a.m; i++)
            AT(to, i, j) -= tau * AT(a, i, k) * sum;
    }
}

static void
factor_qr(Dense a, void *tau)
{
    for (int k = 0; k < a.m && k < a.n; k++) {
        double norm = 0;
        for (int i = k + 1; i < a.m; i++)
            norm += pow(cabs(AT(a, i, k)), 2);
        Z alpha = AT(a, k, k), t = 0;
        if (norm > 0 || cimag(alpha) != 0) {
            double beta = sqrt(norm + pow(cabs(alpha), 2));
            beta = creal(alpha) > 0 ? -beta : beta;
            t = (beta - alpha) / beta;
            for (int i = k + 1; i < a.m; i++)
                AT(a, i, k) /= alpha - beta;
            AT(a, k, k) = beta;
            Z diagonal = AT(a, k, k);
            reflect(a, a, k, conj(t), k + 1);
            AT(a, k, k) = diagonal;
        }
        store(a.t, tau, k, t);
    }
}

static void
make_q(Dense a, int k, const void *tau)
{
    Dense q = a;
    q.v = calloc((size_t)a.m * (size_t)a.n + 1, sizeof(Z));
    for (int j = 0; j < a.n; j++)
        AT(q, j, j) = 1;
    for (int i = k - 1; i >= 0; i--)
        reflect(a, q, i, load(a.t, tau, i), 0);
    memcpy(a.v, q.v, (size_t)a.m * (size_t)a.n * sizeof(Z));
    free(q.v);
}

/* One-sided Jacobi: columns of a become orthogonal, and v takes part. */
static void
orthogonal(Dense a, Dense v)
{
    for (int sweep = 0; sweep < 60; sweep++)
        for (int p = 0; p < a.n; p++)
            for (int q = p + 1; q < a.n; q++) {
                double x = 0, y = 0;
                Z z = 0;
                for (int i = 0; i < a.m; i++) {
                    x += pow(cabs(AT(a, i, p)), 2);
                    y += pow(cabs(AT(a, i, q)), 2);
                    z += conj(AT(a, i, p)) * AT(a, i, q);
                }
                double r = cabs(z);
                if (r <= 1e-16 * sqrt(x * y) || r == 0)
                    continue;
                double zeta = (y - x) / (2 * r);
                double t = (zeta < 0 ? -1 : 1) / (fabs(zeta) + sqrt(1 + zeta * zeta));
                double c = 1 / sqrt(1 + t * t);
                Z s = c * t * (z / r);
                for (int w = 0; w < 2; w++) {
                    Dense d = w ? v : a;
                    for (int i = 0; i < d.m; i++) {
                        Z left = AT(d, i, p), right = AT(d, i, q);
                        AT(d, i, p) = c * left - conj(s) * right;
                        AT(d, i, q) = s * left + c * right;
                    }
                }
            }
}

static Dense
identity(int n)
{
    Dense d = {n, n, n, 'z', NULL, calloc((size_t)n * (size_t)n + 1, sizeof(Z))};
    for (int i = 0; i < n; i++)
        AT(d, i, i) = 1;
    return d;
}

/* The columns of two matrices in the order of values, which are sorted. */
static void
sort_columns(double *w, Dense a, Dense b, bool descending)
{
    for (int i = 0; i < a.n; i++)
        for (int j = i + 1; j < a.n; j++)
            if (descending ? w[j] > w[i] : w[j] < w[i]) {
                double x = w[i];
                w[i] = w[j], w[j] = x;
                for (int k = 0; k < a.m; k++) {
                    Z v = AT(a, k, i);
                    AT(a, k, i) = AT(a, k, j), AT(a, k, j) = v;
                }
                for (int k = 0; k < b.m && b.v != a.v; k++) {
                    Z v = AT(b, k, i);
                    AT(b, k, i) = AT(b, k, j), AT(b, k, j) = v;
                }
            }
}

/* A is H + shift, positive: then its singular vectors are its eigenvectors. */
static void
eigen(Dense a, int uplo, double *w)
{
    double shift = 1;
    for (int j = 0; j < a.n; j++)
        for (int i = 0; i < a.n; i++) {
            if (uplo == LOWER ? i < j : i > j)
                AT(a, i, j) = conj(AT(a, j, i));
            shift += cabs(AT(a, i, j));
        }
    if (uplo == LOWER)
        for (int j = 0; j < a.n; j++)
            for (int i = 0; i < j; i++)
                AT(a, i, j) = conj(AT(a, j, i));
    Dense g = identity(a.n), v = identity(a.n);
    for (int64_t i = 0; i < (int64_t)a.n * a.n; i++)
        g.v[i] = a.v[i];
    for (int i = 0; i < a.n; i++)
        AT(g, i, i) = creal(AT(a, i, i)) + shift;
    orthogonal(g, v);
    for (int j = 0; j < a.n; j++) {
        double x = 0;
        for (int i = 0; i < a.n; i++)
            x += pow(cabs(AT(g, i, j)), 2);
        w[j] = sqrt(x) - shift;
    }
    sort_columns(w, v, v, false);
    memcpy(a.v, v.v, (size_t)a.n * (size_t)a.n * sizeof(Z));
    free(v.v);
    free(g.v);
}

#define HEAD(T_)                                                                                   \
    const char t = T_;                                                                             \
    ENTER(h)
#define SIZE(NAME, ...)                                                                            \
    API int cusolverDn##NAME##_bufferSize(Handle *h, __VA_ARGS__, int *n)                          \
    {                                                                                              \
        ENTER(h);                                                                                  \
        *n = SPACE;                                                                                \
        return 0;                                                                                  \
    }
#pragma GCC diagnostic ignored "-Wunused-parameter"

#define SOLVERS(L, T, R, QR, EIGEN)                                                                \
    SIZE(L##getrf, int m, int n_, void *a, int ld)                                                 \
    SIZE(L##potrf, int uplo, int n_, void *a, int ld)                                              \
    SIZE(L##geqrf, int m, int n_, void *a, int ld)                                                 \
    SIZE(L##QR, int m, int n_, int k, void *a, int ld, void *tau)                                  \
    SIZE(L##EIGEN, int jobz, int uplo, int n_, void *a, int ld, void *w)                           \
    SIZE(L##gesvd, int m, int n_)                                                                  \
    API int cusolverDn##L##getrf(Handle *h, int m, int n, void *a, int ld, void *work,             \
                                 int *pivots, int *info)                                           \
    {                                                                                              \
        HEAD(T);                                                                                   \
        space(h, t, work, SPACE, info, __func__);                                                  \
        touch(h, pivots, sizeof(int) * (size_t)(m < n ? m : n), true, __func__);                   \
        Dense d = take(h, t, a, m, n, ld, true, __func__);                                         \
        factor_lu(d, pivots, info);                                                                \
        give(d);                                                                                   \
        return 0;                                                                                  \
    }                                                                                              \
    API int cusolverDn##L##getrs(Handle *h, int trans, int n, int nrhs, void *a, int ld,           \
                                 const int *pivots, void *b, int ldb, int *info)                   \
    {                                                                                              \
        HEAD(T);                                                                                   \
        if (trans)                                                                                 \
            breach("%s: transposed", __func__);                                                    \
        touch(h, pivots, sizeof(int) * (size_t)n, false, __func__);                                \
        touch(h, info, sizeof *info, true, __func__);                                              \
        Dense d = take(h, t, b, n, nrhs, ldb, true, __func__);                                     \
        solve_lu(take(h, t, a, n, n, ld, false, __func__), pivots, d);                             \
        give(d);                                                                                   \
        return 0;                                                                                  \
    }                                                                                              \
    API int cusolverDn##L##potrf(Handle *h, int uplo, int n, void *a, int ld, void *work, int nw,  \
                                 int *info)                                                        \
    {                                                                                              \
        HEAD(T);                                                                                   \
        if (uplo != LOWER)                                                                         \
            breach("%s: upper", __func__);                                                         \
        space(h, t, work, nw, info, __func__);                                                     \
        Dense d = take(h, t, a, n, n, ld, true, __func__);                                         \
        factor_cholesky(d, info);                                                                  \
        give(d);                                                                                   \
        return 0;                                                                                  \
    }                                                                                              \
    API int cusolverDn##L##geqrf(Handle *h, int m, int n, void *a, int ld, void *tau, void *work,  \
                                 int nw, int *info)                                                \
    {                                                                                              \
        HEAD(T);                                                                                   \
        space(h, t, work, nw, info, __func__);                                                     \
        touch(h, tau, size_of(t) * (size_t)(m < n ? m : n), true, __func__);                       \
        Dense d = take(h, t, a, m, n, ld, true, __func__);                                         \
        factor_qr(d, tau);                                                                         \
        give(d);                                                                                   \
        return 0;                                                                                  \
    }                                                                                              \
    API int cusolverDn##L##QR(Handle *h, int m, int n, int k, void *a, int ld, void *tau,          \
                              void *work, int nw, int *info)                                       \
    {                                                                                              \
        HEAD(T);                                                                                   \
        if (n > m || k > n)                                                                        \
            breach("%s: %d x %d of %d", __func__, m, n, k);                                        \
        space(h, t, work, nw, info, __func__);                                                     \
        touch(h, tau, size_of(t) * (size_t)k, false, __func__);                                    \
        Dense d = take(h, t, a, m, n, ld, true, __func__);                                         \
        make_q(d, k, tau);                                                                         \
        give(d);                                                                                   \
        return 0;                                                                                  \
    }                                                                                              \
    API int cusolverDn##L##EIGEN(Handle *h, int jobz, int uplo, int n, void *a, int ld, void *w,   \
                                 void *work, int nw, int *info)                                    \
    {                                                                                              \
        HEAD(T);                                                                                   \
        if (jobz != 1)                                                                             \
            breach("%s: no vectors", __func__);                                                    \
        space(h, t, work, nw, info, __func__);                                                     \
        touch(h, w, size_of(R) * (size_t)n, true, __func__);                                       \
        Dense d = take(h, t, a, n, n, ld, true, __func__);                                         \
        double *values = calloc((size_t)n + 1, sizeof *values);                                    \
        eigen(d, uplo, values);                                                                    \
        for (int i = 0; i < n; i++)                                                                \
            store(R, w, i, values[i]);                                                             \
        free(values);                                                                              \
        give(d);                                                                                   \
        return 0;                                                                                  \
    }                                                                                              \
    API int cusolverDn##L##gesvd(Handle *h, signed char ju, signed char jv, int m, int n, void *a, \
                                 int ld, void *s, void *u, int ldu, void *vt, int ldvt,            \
                                 void *work, int nw, void *rwork, int *info)                       \
    {                                                                                              \
        HEAD(T);                                                                                   \
        if (ju != 'S' || jv != 'S' || m < n)                                                       \
            breach("%s: %c %c %d x %d", __func__, ju, jv, m, n);                                   \
        space(h, t, work, nw, info, __func__);                                                     \
        touch(h, rwork, size_of(R) * (size_t)(n - 1), true, __func__);                             \
        touch(h, s, size_of(R) * (size_t)n, true, __func__);                                       \
        Dense d = take(h, t, a, m, n, ld, true, __func__), v = identity(n);                        \
        Dense left = take(h, t, u, m, n, ldu, true, __func__);                                     \
        Dense right = take(h, t, vt, n, n, ldvt, true, __func__);                                  \
        double *w = calloc((size_t)n + 1, sizeof *w);                                              \
        orthogonal(d, v);                                                                          \
        for (int j = 0; j < n; j++) {                                                              \
            for (int i = 0; i < m; i++)                                                            \
                w[j] += pow(cabs(AT(d, i, j)), 2);                                                 \
            w[j] = sqrt(w[j]);                                                                     \
        }                                                                                          \
        sort_columns(w, d, v, true);                                                               \
        for (int j = 0; j < n; j++) {                                                              \
            for (int i = 0; i < m; i++)                                                            \
                AT(left, i, j) = AT(d, i, j) / (w[j] > 0 ? w[j] : 1);                              \
            for (int i = 0; i < n; i++)                                                            \
                AT(right, j, i) = conj(AT(v, i, j));                                               \
            store(R, s, j, w[j]);                                                                  \
        }                                                                                          \
        free(w);                                                                                   \
        free(v.v);                                                                                 \
        give(left);                                                                                \
        give(right);                                                                               \
        memset(d.v, 0, sizeof(Z)); /* what was in a is lost */                                     \
        give(d);                                                                                   \
        return 0;                                                                                  \
    }
SOLVERS(S, 's', 's', orgqr, syevd)
SOLVERS(D, 'd', 'd', orgqr, syevd)
SOLVERS(C, 'c', 's', ungqr, heevd)
SOLVERS(Z, 'z', 'd', ungqr, heevd)
