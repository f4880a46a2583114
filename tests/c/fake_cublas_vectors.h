/* SPDX-License-Identifier: BSD-3-Clause
 * cuBLAS's routines of level 1, of a type each: fake_cublas.c. */
#define HEAD(T_)                                                                                   \
    const char t = T_;                                                                             \
    ENTER(h)

#define DOTS(NAME, T_, HERMITIAN_)                                                                 \
    API int cublas##NAME##_v2(Handle *h, int n, const void *x, int incx, const void *y, int incy,  \
                              void *out)                                                           \
    {                                                                                              \
        HEAD(T_);                                                                                  \
        X(n);                                                                                      \
        Y(n);                                                                                      \
        Z sum = 0;                                                                                 \
        for (int i = 0; i < n; i++) {                                                              \
            Z v = load(t, x, place(n, incx, i));                                                   \
            sum += (HERMITIAN_ ? conj(v) : v) * load(t, y, place(n, incy, i));                     \
        }                                                                                          \
        store(t, out, 0, sum);                                                                     \
        return 0;                                                                                  \
    }

#define SUMS(NRM2, ASUM, AMAX, AMIN, T_, R)                                                        \
    API int cublas##NRM2##_v2(Handle *h, int n, const void *x, int incx, void *out)                \
    {                                                                                              \
        HEAD(T_);                                                                                  \
        X(n);                                                                                      \
        double sum = 0;                                                                            \
        for (int i = 0; i < n; i++)                                                                \
            sum += pow(cabs(load(t, x, place(n, incx, i))), 2);                                    \
        store(R, out, 0, sqrt(sum));                                                               \
        return 0;                                                                                  \
    }                                                                                              \
    API int cublas##ASUM##_v2(Handle *h, int n, const void *x, int incx, void *out)                \
    {                                                                                              \
        HEAD(T_);                                                                                  \
        X(n);                                                                                      \
        double sum = 0;                                                                            \
        for (int i = 0; i < n; i++)                                                                \
            sum += size_of_number(load(t, x, place(n, incx, i)));                                  \
        store(R, out, 0, sum);                                                                     \
        return 0;                                                                                  \
    }                                                                                              \
    EXTREME(AMAX, T_, >)                                                                           \
    EXTREME(AMIN, T_, <)

#define EXTREME(NAME, T_, OP)                                                                      \
    API int cublas##NAME##_v2(Handle *h, int n, const void *x, int incx, int *out)                 \
    {                                                                                              \
        HEAD(T_);                                                                                  \
        X(n);                                                                                      \
        int found = 0;                                                                             \
        for (int i = 1; i < n; i++)                                                                \
            if (size_of_number(load(t, x, place(n, incx, i)))                                      \
                    OP size_of_number(load(t, x, place(n, incx, found))))                          \
                found = i;                                                                         \
        *out = n > 0 && incx > 0 ? found + 1 : 0;                                                  \
        return 0;                                                                                  \
    }

static double
size_of_number(Z v)
{
    return fabs(creal(v)) + fabs(cimag(v));
}

#define VECTORS(L, T_)                                                                             \
    API int cublas##L##axpy_v2(Handle *h, int n, const void *alpha, const void *x, int incx,       \
                               void *y, int incy)                                                  \
    {                                                                                              \
        HEAD(T_);                                                                                  \
        X(n);                                                                                      \
        YW(n);                                                                                     \
        for (int i = 0; i < n; i++) {                                                              \
            int64_t at = place(n, incy, i);                                                        \
            store(t, y, at, load(t, y, at) + ONE * load(t, x, place(n, incx, i)));                 \
        }                                                                                          \
        return 0;                                                                                  \
    }                                                                                              \
    API int cublas##L##scal_v2(Handle *h, int n, const void *alpha, void *x, int incx)             \
    {                                                                                              \
        HEAD(T_);                                                                                  \
        XW(n);                                                                                     \
        for (int i = 0; i < n && incx > 0; i++)                                                    \
            store(t, x, place(n, incx, i), ONE *load(t, x, place(n, incx, i)));                    \
        return 0;                                                                                  \
    }                                                                                              \
    API int cublas##L##swap_v2(Handle *h, int n, void *x, int incx, void *y, int incy)             \
    {                                                                                              \
        HEAD(T_);                                                                                  \
        XW(n);                                                                                     \
        YW(n);                                                                                     \
        Dense one = vector_of(t, x, n, incx), other = vector_of(t, y, n, incy);                    \
        vector_back(t, x, n, incx, other);                                                         \
        vector_back(t, y, n, incy, one);                                                           \
        return 0;                                                                                  \
    }                                                                                              \
    API int cublas##L##rot_v2(Handle *h, int n, void *x, int incx, void *y, int incy,              \
                              const void *alpha, const void *beta)                                 \
    {                                                                                              \
        HEAD(T_);                                                                                  \
        XW(n);                                                                                     \
        YW(n);                                                                                     \
        Z c = REAL_ONE, s = ITS_BETA;                                                              \
        for (int i = 0; i < n; i++) {                                                              \
            int64_t p = place(n, incx, i), q = place(n, incy, i);                                  \
            Z a = load(t, x, p), b = load(t, y, q);                                                \
            store(t, x, p, c *a + s * b);                                                          \
            store(t, y, q, c *b - conj(s) * a);                                                    \
        }                                                                                          \
        return 0;                                                                                  \
    }

#define REAL_ONLY(L, T_)                                                                           \
    API int cublas##L##rotm_v2(Handle *h, int n, void *x, int incx, void *y, int incy,             \
                               const void *p)                                                      \
    {                                                                                              \
        HEAD(T_);                                                                                  \
        XW(n);                                                                                     \
        YW(n);                                                                                     \
        Z flag = load(t, p, 0), a = load(t, p, 1), c = load(t, p, 2);                              \
        Z b = load(t, p, 3), d = load(t, p, 4);                                                    \
        if (flag == -2)                                                                            \
            a = d = 1, b = c = 0;                                                                  \
        else if (flag == 0)                                                                        \
            a = d = 1;                                                                             \
        else if (flag == 1)                                                                        \
            b = 1, c = -1;                                                                         \
        for (int i = 0; i < n; i++) {                                                              \
            int64_t k = place(n, incx, i), q = place(n, incy, i);                                  \
            Z u = load(t, x, k), v = load(t, y, q);                                                \
            store(t, x, k, a *u + b * v);                                                          \
            store(t, y, q, c *u + d * v);                                                          \
        }                                                                                          \
        return 0;                                                                                  \
    }
