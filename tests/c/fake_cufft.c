/* SPDX-License-Identifier: BSD-3-Clause
 * A stand-in for cuFFT: see fake_vendor.h. Plans are numbers, and have a stream each; a transform
 * of real numbers takes and yields half a spectrum, and one to real numbers destroys its input. */
#include "fake_vendor.h"

enum { MOST = 256, R2C = 0x2a, C2R = 0x2c, C2C = 0x29, D2Z = 0x6a, Z2D = 0x6c, Z2Z = 0x69 };

typedef struct Plan {
    Handle h;
    int type, rank, n[3], batch;
} Plan;

static Plan *plans[MOST];

static Plan *
plan_of(int number, const char *name)
{
    if (number < 1 || number >= MOST || !plans[number]) {
        breach("%s: no plan", name);
        return NULL;
    }
    return is_handle(&plans[number]->h, name) ? plans[number] : NULL;
}

API int
cufftPlanMany(int *out, int rank, int *n, int *inembed, int istride, int idist, int *onembed,
              int ostride, int odist, int type, int batch)
{
    int failed = fails(__func__), i = 1;
    (void)idist, (void)odist;
    if (failed)
        return failed;
    if (rank < 1 || rank > 3 || inembed || onembed || istride != 1 || ostride != 1 || batch < 1)
        breach("%s: rank %d, batch %d, or strides", __func__, rank, batch);
    while (plans[i])
        if (++i == MOST)
            return 2;
    make_handle(&plans[i], sizeof(Plan), __func__);
    plans[i]->type = type;
    plans[i]->rank = rank;
    plans[i]->batch = batch;
    memcpy(plans[i]->n, n, (size_t)rank * sizeof *n);
    *out = i;
    return 0;
}

API int
cufftSetStream(int number, void *stream)
{
    Plan *p = plan_of(number, __func__);
    return p ? set_stream(&p->h, stream, __func__) : 1;
}

API int
cufftDestroy(int number)
{
    Plan *p = plan_of(number, __func__);
    if (!p)
        return 1;
    plans[number] = NULL;
    int r = end_handle(&p->h, __func__);
    free(p);
    return r;
}

/* Along one axis of an array of some, each of n elements by a step. */
static void
along(Z *v, int64_t outer, int n, int64_t step, int sign)
{
    Z *sums = malloc((size_t)n * sizeof *sums), *w = malloc((size_t)n * sizeof *w);
    for (int k = 0; k < n; k++)
        w[k] = cexp(sign * 2 * M_PI * I * k / n);
    for (int64_t o = 0; o < outer; o++)
        for (int64_t s = 0; s < step; s++) {
            Z *at = v + o * n * step + s;
            for (int k = 0; k < n; k++) {
                sums[k] = 0;
                for (int j = 0; j < n; j++)
                    sums[k] += at[j * step] * w[(int64_t)j * k % n];
            }
            for (int k = 0; k < n; k++)
                at[k * step] = sums[k];
        }
    free(sums);
    free(w);
}

static void
transform(Z *v, const Plan *p, int sign)
{
    int64_t step = 1, all = p->batch;
    for (int i = 0; i < p->rank; i++)
        all *= p->n[i];
    for (int i = p->rank - 1; i >= 0; i--) {
        along(v, all / step / p->n[i], p->n[i], step, sign);
        step *= p->n[i];
    }
}

/* The element of the whole spectrum that stands for one whose last index is in the other half. */
static int64_t
mirrored(const Plan *p, int64_t i, int64_t half)
{
    int last = p->n[p->rank - 1], k = (int)(i % last);
    int64_t row = i / last, out = 0, step = 1;
    for (int a = p->rank - 2; a >= 0; a--) {
        int64_t j = row % p->n[a];
        row /= p->n[a];
        out += (j ? p->n[a] - j : 0) * step;
        step *= p->n[a];
    }
    return (row * step + out) * half + last - k;
}

static int
run(int number, void *in, void *out, int sign, int type, char from, char to, const char *name)
{
    Plan *p = plan_of(number, name);
    if (!p)
        return 1;
    int failed = fails(name), last = p->n[p->rank - 1];
    if (failed)
        return failed;
    if (p->type != type)
        breach("%s: a plan of another type", name);
    int64_t all = p->batch, half = last / 2 + 1;
    for (int i = 0; i < p->rank; i++)
        all *= p->n[i];
    int64_t short_all = all / last * half;
    bool from_half = type == C2R || type == Z2D, to_half = type == R2C || type == D2Z;
    int64_t n_in = from_half ? short_all : all, n_out = to_half ? short_all : all;
    touch(&p->h, in, (size_t)n_in * size_of(from), from_half || in == out, name);
    touch(&p->h, out, (size_t)n_out * size_of(to), true, name);
    Z *v = malloc((size_t)all * sizeof *v);
    for (int64_t i = 0; i < all; i++)
        if (!from_half)
            v[i] = load(from, in, i);
        else if (i % last < half)
            v[i] = load(from, in, i / last * half + i % last);
        else
            v[i] = conj(load(from, in, mirrored(p, i, half)));
    transform(v, p, sign);
    if (from_half)
        memset(in, 0xff, (size_t)n_in * size_of(from));
    for (int64_t i = 0; i < all; i++)
        if (!to_half)
            store(to, out, i, v[i]);
        else if (i % last < half)
            store(to, out, i / last * half + i % last, v[i]);
    free(v);
    return 0;
}

#define REAL(NAME, T, FROM, TO, SIGN)                                                              \
    API int cufftExec##NAME(int plan, void *in, void *out)                                         \
    {                                                                                              \
        return run(plan, in, out, SIGN, T, FROM, TO, __func__);                                    \
    }
#define COMPLEX(NAME, T, OF)                                                                       \
    API int cufftExec##NAME(int plan, void *in, void *out, int sign)                               \
    {                                                                                              \
        return run(plan, in, out, sign, T, OF, OF, __func__);                                      \
    }
REAL(R2C, R2C, 's', 'c', -1)
REAL(D2Z, D2Z, 'd', 'z', -1)
REAL(C2R, C2R, 'c', 's', 1)
REAL(Z2D, Z2D, 'z', 'd', 1)
COMPLEX(C2C, C2C, 'c')
COMPLEX(Z2Z, Z2Z, 'z')
