/* SPDX-License-Identifier: BSD-3-Clause
 * eigh, eig, svd, qr and lstsq of float64 and complex128: LAPACK's routines, called as NumPy calls
 * them, or our own. Each says first how much memory it wants. */
#include "kernel/lib/problem.h"

#include <complex.h>
#include <math.h>
#include <stdlib.h>
#undef complex /* is a member's name */

/* All arguments of LAPACK's routines go by reference. */
typedef const void *In;
typedef void Geev(const char *left, const char *right, In n, void *a, In lda, double *re,
                  double *im, In vl, In ldvl, void *vr, In ldvr, void *work, In n_work, void *info,
                  size_t, size_t);
typedef void Zgeev(const char *left, const char *right, In n, void *a, In lda, double *w, In vl,
                   In ldvl, void *vr, In ldvr, void *work, In n_work, void *real, void *info,
                   size_t, size_t);
typedef void Gesdd(const char *jobz, In m, In n, void *a, In lda, void *s, void *u, In ldu,
                   void *vt, In ldvt, void *work, In n_work, void *ints, void *info, size_t);
typedef void Zgesdd(const char *jobz, In m, In n, void *a, In lda, void *s, void *u, In ldu,
                    void *vt, In ldvt, void *work, In n_work, void *real, void *ints, void *info,
                    size_t);
typedef void Geqrf(In m, In n, void *a, In lda, void *tau, void *work, In n_work, void *info);
typedef void Orgqr(In m, In k, In n, void *q, In ldq, In tau, void *work, In n_work, void *info);
typedef void Gelsd(In m, In n, In k, void *a, In lda, void *b, In ldb, void *s, In rcond,
                   void *rank, void *work, In n_work, void *ints, void *info);
typedef void Zgelsd(In m, In n, In k, void *a, In lda, void *b, In ldb, void *s, In rcond,
                    void *rank, void *work, In n_work, void *real, void *ints, void *info);

static int64_t
most(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static int64_t
least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* ---- eigenvalues ----------------------------------------------------------------------------- */

static int64_t
eigh_of(Problem *p)
{
    int64_t n = p->rows[0];
    int64_t info = n ? lapack_eigh(p->complex, true, p->option != 0, n, p->of[0], p->of[1]) : 0;
    return info < 0 ? KERNEL_NO_MEMORY : info != 0;
}

/* 1, here and below: no convergence. The vectors take the matrix's place. */
KERNEL(eigh, "a, w, upper", "rw(n,n) w(n):float64 n", "float64 complex128")
{
    return problems(cx, arg, "rw2 w1", eigh_of);
}

static int64_t
own_eig_of(Problem *p, int64_t n, double *w, double *v)
{
    Number *a = own_numbers(p->complex, n * n, p->of[0]);
    int64_t status = KERNEL_NO_MEMORY;
    if (a)
        status = !own_eig(n, a, (Number *)(void *)w, (Number *)(void *)v);
    free(a);
    return status;
}

static int64_t
geev(void *f, Problem *p, double *w, void *v, Space *s)
{
    LapackInt n = lapack_int(p->rows[0]), info = {0};
    const char *right = v ? "V" : "N";
    if (p->complex)
        ((Zgeev *)(uintptr_t)f)("N", right, &n, p->of[0], &n, w, NULL, &n, v, &n, s->work,
                                &s->n_work, s->real, &info, 1, 1);
    else
        ((Geev *)(uintptr_t)f)("N", right, &n, p->of[0], &n, w, w + p->rows[0], NULL, &n, v, &n,
                               s->work, &s->n_work, &info, 1, 1);
    return lapack_value(info);
}

/* Of a real matrix: parts that lie one behind the other to numbers, and vectors, of which those of
 * a pair are the real and the imaginary part of the first. */
static void
pair_up(int64_t n, const double *parts, const double *from, Number *w, Number *v)
{
    for (int64_t j = 0; j < n; j++)
        w[j] = CMPLX(parts[j], parts[n + j]);
    for (int64_t j = 0; v && j < n; j++) {
        bool pair = parts[n + j] != 0 && j + 1 < n;
        for (int64_t i = 0; i < n; i++) {
            double re = from[j * n + i], im = pair ? from[(j + 1) * n + i] : 0;
            v[j * n + i] = CMPLX(re, im);
            if (pair)
                v[(j + 1) * n + i] = CMPLX(re, -im);
        }
        j += pair;
    }
}

static int64_t
eig_into(Problem *p, double *w, double *v)
{
    int64_t n = p->rows[0], info = 1;
    void *f = lapack_routine(p->complex, "geev", n, n);
    if (!n)
        return 0;
    if (!f)
        return own_eig_of(p, n, w, v);
    Query q;
    Space s = space_query(&q);
    if (geev(f, p, w, v, &s))
        return 1;
    int64_t work = (int64_t)q.work[0], own = p->complex ? 2 * n : 2 * n + (v ? n * n : 0);
    if (!space_make(&s, p->complex, work, own, 0))
        return KERNEL_NO_MEMORY;
    double *parts = s.real, *vectors = v ? parts + 2 * n : NULL;
    if (p->complex)
        info = geev(f, p, w, v, &s);
    else
        info = geev(f, p, parts, vectors, &s);
    if (!p->complex)
        pair_up(n, parts, vectors, (Number *)(void *)w, (Number *)(void *)v);
    space_free(&s);
    return info != 0;
}

static int64_t
eigvals_of(Problem *p)
{
    return eig_into(p, p->of[1], NULL);
}

static int64_t
eig_of(Problem *p)
{
    return eig_into(p, p->of[1], p->of[2]);
}

KERNEL(eigvals, "a, w", "r(n,n) w(n):complex128", "float64 complex128")
{
    return problems(cx, arg, "r2 w1", eigvals_of);
}

KERNEL(eig, "a, w, v", "r(n,n) w(n):complex128 w(n,n):complex128", "float64 complex128")
{
    return problems(cx, arg, "r2 w1 w2", eig_of);
}

/* ---- singular values ------------------------------------------------------------------------- */

static void
identity(bool complex, int64_t n, double *a)
{
    memset(a, 0, (size_t)(n * n) * (complex ? 16 : 8));
    for (int64_t i = 0; i < n; i++)
        a[(i * n + i) * (complex ? 2 : 1)] = 1;
}

/* u of k columns, v^H of l rows. */
static int64_t
own_svd_of(const Problem *p, int64_t k, double *u, double *s, int64_t l, double *vh)
{
    int64_t m = p->rows[0], n = p->cols[0], more = m * n + m * k + n * l;
    Number *a = own_numbers(p->complex, m * n, p->of[0]),
           *all = malloc((size_t)(more + 1) * sizeof *all), *left = all + m * n, *v = left + m * k;
    bool found = a && all && own_svd(m, n, a, s, k, left, l, v, all);
    int64_t status = a && all ? !found : KERNEL_NO_MEMORY;
    if (found) {
        own_doubles(p->complex, m * k, left, u);
        for (int64_t j = 0; j < n; j++)
            for (int64_t i = 0; i < l; i++) {
                Number e = conj(v[i * n + j]);
                own_doubles(p->complex, 1, &e, vh + (j * l + i) * (p->complex ? 2 : 1));
            }
    }
    free(all);
    free(a);
    return status;
}

static int64_t
gesdd(void *f, const Problem *p, Space *s)
{
    int64_t rows = p->rows[0];
    LapackInt m = lapack_int(rows), n = lapack_int(p->cols[0]), l = lapack_int(p->rows[3]),
              info = {0};
    const char *jobz = p->option ? "A" : "S";
    if (p->complex)
        ((Zgesdd *)(uintptr_t)f)(jobz, &m, &n, p->of[0], &m, p->of[2], p->of[1], &m, p->of[3], &l,
                                 s->work, &s->n_work, s->real, s->ints, &info, 1);
    else
        ((Gesdd *)(uintptr_t)f)(jobz, &m, &n, p->of[0], &m, p->of[2], p->of[1], &m, p->of[3], &l,
                                s->work, &s->n_work, s->ints, &info, 1);
    return lapack_value(info);
}

static int64_t
svd_of(Problem *p)
{
    int64_t m = p->rows[0], n = p->cols[0], k = least(m, n);
    if (!k) {
        identity(p->complex, p->cols[1] ? m : 0, p->of[1]);
        identity(p->complex, p->rows[3] ? n : 0, p->of[3]);
        return 0;
    }
    void *f = lapack_routine(p->complex, "gesdd", m, n);
    if (!f)
        return own_svd_of(p, p->cols[1], p->of[1], p->of[2], p->rows[3], p->of[3]);
    Query q;
    Space s = space_query(&q);
    if (gesdd(f, p, &s))
        return 1;
    int64_t reals = p->complex ? k * most(5 * k + 7, 2 * most(m, n) + 2 * k + 1) : 0;
    if (!space_make(&s, p->complex, (int64_t)q.work[0], reals, 8 * k))
        return KERNEL_NO_MEMORY;
    int64_t info = gesdd(f, p, &s);
    space_free(&s);
    return info != 0;
}

/* a = u * s * vh; u and vh are square where `full` says so. */
KERNEL(svd, "a, u, s, vh, full", "r(m,n) w(m,k) w(j):float64 w(l,n) n", "float64 complex128")
{
    return problems(cx, arg, "r2 w2 w1 w2", svd_of);
}

/* ---- Q and R --------------------------------------------------------------------------------- */

/* One that asks for workspace through the first call: of the factors, or of k columns of Q. */
static int64_t
reflectors(void *f, const Problem *p, double *a, double *tau, bool make_q, Space *s)
{
    int64_t cols = p->cols[0], ranks = least(p->rows[0], cols);
    LapackInt m = lapack_int(p->rows[0]), n = lapack_int(make_q ? ranks : cols),
              k = lapack_int(make_q ? p->cols[1] : 0), info = {0};
    if (make_q)
        ((Orgqr *)(uintptr_t)f)(&m, &k, &n, a, &m, tau, s->work, &s->n_work, &info);
    else
        ((Geqrf *)(uintptr_t)f)(&m, &n, a, &m, tau, s->work, &s->n_work, &info);
    return lapack_value(info);
}

static int64_t
with_space(void *f, const Problem *p, double *a, double *tau, bool make_q)
{
    Query q;
    Space s = space_query(&q);
    if (reflectors(f, p, a, tau, make_q, &s))
        return 1;
    int64_t work = most(most(1, make_q ? p->cols[1] : p->cols[0]), (int64_t)q.work[0]);
    if (!space_make(&s, p->complex, work, 0, 0))
        return KERNEL_NO_MEMORY;
    int64_t info = reflectors(f, p, a, tau, make_q, &s);
    space_free(&s);
    return info != 0;
}

static int64_t
own_qr_of(Problem *p, bool make_q)
{
    int64_t m = p->rows[0], n = p->cols[0], k = make_q ? p->cols[1] : 0;
    Number *a = own_numbers(p->complex, m * n, p->of[0]),
           *tau = malloc((size_t)(least(m, n) + m * k + 1) * sizeof *tau), *q = tau + least(m, n);
    bool fine = a && tau;
    if (fine) {
        own_qr(m, n, a, tau);
        own_doubles(p->complex, m * n, a, p->of[0]);
    }
    if (fine && make_q) {
        own_q(m, n, k, a, tau, q);
        own_doubles(p->complex, m * k, q, p->of[1]);
    }
    free(tau);
    free(a);
    return fine ? 0 : KERNEL_NO_MEMORY;
}

static int64_t
factor(Problem *p, bool make_q)
{
    int64_t m = p->rows[0], n = p->cols[0], ranks = least(m, n), parts = p->complex ? 2 : 1;
    void *f = lapack_routine(p->complex, "geqrf", m, n),
         *g = lapack_routine(p->complex, p->complex ? "ungqr" : "orgqr", m, n);
    if (!f || !g || !ranks)
        return own_qr_of(p, make_q);
    double *tau = calloc((size_t)(ranks * parts), 8);
    if (!tau)
        return KERNEL_NO_MEMORY;
    int64_t status = with_space(f, p, p->of[0], tau, false);
    if (!status && make_q) {
        int64_t both = least(n, p->cols[1]);
        memcpy(p->of[1], p->of[0], (size_t)(m * both * parts) * 8);
        status = with_space(g, p, p->of[1], tau, true);
    }
    free(tau);
    return status;
}

static int64_t
qr_of(Problem *p)
{
    return factor(p, true);
}

static int64_t
r_of(Problem *p)
{
    return factor(p, false);
}

/* R takes the matrix's place in and above the diagonal; below it is of no use. */
KERNEL(qr, "a, q", "rw(m,n) w(m,k)", "float64 complex128")
{
    return problems(cx, arg, "rw2 w2", qr_of);
}

KERNEL(qr_r, "a", "rw(m,n)", "float64 complex128")
{
    return problems(cx, arg, "rw2", r_of);
}

/* ---- least squares --------------------------------------------------------------------------- */

/* What takes b to the solution, and, below it, to what is left of b, by the singular values. */
static void
solve_by(const Problem *p, int64_t rank, const Number *u, const double *s, const Number *vh,
         Number *c, Number *b)
{
    int64_t m = p->rows[0], n = p->cols[0], lead = p->rows[1];
    for (int64_t j = 0; j < p->cols[1]; j++) {
        for (int64_t i = 0; i < m; i++) {
            c[i] = 0;
            for (int64_t k = 0; k < m; k++)
                c[i] += conj(u[i * m + k]) * b[j * lead + k];
        }
        for (int64_t i = 0; i < n; i++) {
            Number x = 0;
            for (int64_t k = 0; k < rank; k++)
                x += conj(vh[i * n + k]) * c[k] / s[k];
            b[j * lead + i] = x;
        }
        for (int64_t i = n; i < m; i++)
            b[j * lead + i] = c[i];
    }
}

static int64_t
own_lstsq(Problem *p, double rcond, int64_t *rank)
{
    int64_t m = p->rows[0], n = p->cols[0], parts = p->complex ? 2 : 1, size = m * m + n * n;
    double *s = p->of[2], *all = malloc((size_t)(size * parts + 1) * 8), *vh = all + m * m * parts;
    Number *b = own_numbers(p->complex, p->rows[1] * p->cols[1], p->of[1]), *u = NULL, *v = NULL,
           *c = malloc((size_t)(m + 1) * sizeof *c);
    int64_t status = all && b && c ? own_svd_of(p, m, all, s, n, vh) : KERNEL_NO_MEMORY;
    if (!status) {
        u = own_numbers(p->complex, m * m, all);
        v = own_numbers(p->complex, n * n, vh);
        status = u && v ? 0 : KERNEL_NO_MEMORY;
    }
    for (*rank = 0; !status && *rank < least(m, n) && s[*rank] > rcond * s[0];)
        ++*rank;
    if (!status) {
        solve_by(p, *rank, u, s, v, c, b);
        own_doubles(p->complex, p->rows[1] * p->cols[1], b, p->of[1]);
    }
    free(u);
    free(v);
    free(c);
    free(b);
    free(all);
    return status;
}

static int64_t
gelsd(void *f, const Problem *p, double rcond, LapackInt *rank, Space *s)
{
    LapackInt m = lapack_int(p->rows[0]), n = lapack_int(p->cols[0]), k = lapack_int(p->cols[1]),
              ldb = lapack_int(p->rows[1]), info = {0};
    if (p->complex)
        ((Zgelsd *)(uintptr_t)f)(&m, &n, &k, p->of[0], &m, p->of[1], &ldb, p->of[2], &rcond, rank,
                                 s->work, &s->n_work, s->real, s->ints, &info);
    else
        ((Gelsd *)(uintptr_t)f)(&m, &n, &k, p->of[0], &m, p->of[1], &ldb, p->of[2], &rcond, rank,
                                s->work, &s->n_work, s->ints, &info);
    return lapack_value(info);
}

static int64_t
lstsq_of(Problem *p)
{
    double rcond = p->of[2][0];
    int64_t *rank = (int64_t *)(void *)p->of[3];
    void *f = lapack_routine(p->complex, "gelsd", p->rows[1], p->cols[0]);
    if (!f)
        return own_lstsq(p, rcond, rank);
    LapackInt found = {0};
    Query q;
    Space s = space_query(&q);
    if (gelsd(f, p, rcond, &found, &s))
        return 1;
    int64_t reals = p->complex ? (int64_t)q.real[0] : 0;
    if (!space_make(&s, p->complex, (int64_t)q.work[0], reals, lapack_value(q.ints[0])))
        return KERNEL_NO_MEMORY;
    int64_t info = gelsd(f, p, rcond, &found, &s);
    *rank = lapack_value(found);
    space_free(&s);
    return info != 0;
}

/* s holds the least ratio of singular values that count; b, as long as the longer side, becomes
 * the solution and, below it, what is left. */
KERNEL(lstsq, "a, b, s, rank", "r(m,n) rw(k,p) rw(j):float64 w(l):int64", "float64 complex128")
{
    return problems(cx, arg, "r2 rw2 rw1 w1", lstsq_of);
}
