/* SPDX-License-Identifier: BSD-3-Clause
 * A stand-in for cuRAND: see fake_vendor.h. Number k of a stream is a hash of the seed and k; of
 * quasi-random generators it is the bits of k in reverse order, dimension by dimension. */
#include "fake_vendor.h"

enum { OUT_OF_RANGE = 104, NOT_MULTIPLE = 105, TYPE_ERROR = 103 };

typedef struct Generator {
    Handle h;
    int type;
    unsigned dimensions;
    uint64_t seed, at;
} Generator;

API int
curandCreateGenerator(Generator **g, int type)
{
    int failed = fails(__func__);
    if (failed)
        return failed;
    bool known = type == 100 || type == 101 || type == 121 || type == 141 || type == 142 ||
                 type == 161 || (type >= 200 && type <= 204);
    if (!known)
        return TYPE_ERROR;
    make_handle(g, sizeof **g, __func__);
    (*g)->type = type;
    (*g)->dimensions = 1;
    return 0;
}

API int
curandDestroyGenerator(Generator *g)
{
    return end_handle(&g->h, __func__);
}

API int
curandSetStream(Generator *g, void *stream)
{
    return set_stream(&g->h, stream, __func__);
}

API int
curandSetPseudoRandomGeneratorSeed(Generator *g, unsigned long long seed)
{
    ENTER(g);
    if (g->type >= 200)
        return TYPE_ERROR;
    g->seed = seed;
    g->at = 0;
    return 0;
}

API int
curandSetGeneratorOffset(Generator *g, unsigned long long offset)
{
    ENTER(g);
    g->at = offset;
    return 0;
}

API int
curandSetQuasiRandomGeneratorDimensions(Generator *g, unsigned n)
{
    ENTER(g);
    if (g->type < 200)
        return TYPE_ERROR;
    if (n < 1 || n > 20000)
        return OUT_OF_RANGE;
    g->dimensions = n;
    g->at = 0;
    return 0;
}

static uint64_t
word(const Generator *g, uint64_t k)
{
    if (g->type >= 200) {
        uint64_t r = 0;
        for (int i = 0; i < 64; i++)
            r |= (k >> i & 1) << (63 - i);
        return r;
    }
    uint64_t z = g->seed * 0x9E3779B97F4A7C15u + (k + 1) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

static double
unit(const Generator *g, uint64_t k)
{
    return (double)((word(g, k) >> 11) + 1) * 0x1p-53;
}

/* Which number of the stream the i-th of n is: quasi-random ones come dimension by dimension. */
static uint64_t
number(const Generator *g, size_t i, size_t n)
{
    return g->at + (g->type >= 200 ? i % (n / g->dimensions) : i);
}

static int
begin(Generator *g, void *out, size_t bytes, size_t n, const char *name)
{
    if (!is_handle(&g->h, name))
        return 101;
    int failed = fails(name);
    if (failed)
        return failed;
    if (g->type >= 200 && n % g->dimensions)
        return NOT_MULTIPLE;
    touch(&g->h, out, bytes * n, true, name);
    return 0;
}

static int
end(Generator *g, size_t n)
{
    g->at += g->type >= 200 ? n / g->dimensions : n;
    return 0;
}

static double
normal(const Generator *g, size_t i, size_t n)
{
    if (g->type >= 200) { /* by the logistic function: near enough */
        double u = unit(g, number(g, i, n));
        return log((u < 1 ? u : 0.999) / (1 - (u < 1 ? u : 0.999))) / 1.7;
    }
    uint64_t k = number(g, i & ~(size_t)1, n);
    double r = sqrt(-2 * log(unit(g, k))), t = 2 * M_PI * unit(g, k + 1);
    return i & 1 ? r * sin(t) : r * cos(t);
}

#define FILL(NAME, T, EXTRA, CHECK, VALUE)                                                         \
    API int curandGenerate##NAME(Generator *g, T *out, size_t n EXTRA)                             \
    {                                                                                              \
        int failed = begin(g, out, sizeof *out, n, __func__);                                      \
        if (failed || (failed = (CHECK)))                                                          \
            return failed;                                                                         \
        for (size_t i = 0; i < n; i++)                                                             \
            out[i] = (T)(VALUE);                                                                   \
        return end(g, n);                                                                          \
    }
#define COMMA ,
#define EVEN g->type < 200 && n % 2 ? NOT_MULTIPLE : 0
FILL(, uint32_t, , g->type > 202 ? TYPE_ERROR : 0, word(g, number(g, i, n)) >> 32)
FILL(LongLong, uint64_t, , g->type < 203 ? TYPE_ERROR : 0, word(g, number(g, i, n)))
FILL(Uniform, float, , 0, unit(g, number(g, i, n)))
FILL(UniformDouble, double, , 0, unit(g, number(g, i, n)))
FILL(Normal, float, COMMA float mean COMMA float sigma, EVEN, mean + sigma * normal(g, i, n))
FILL(NormalDouble, double, COMMA double mean COMMA double sigma, EVEN,
     mean + sigma * normal(g, i, n))
FILL(LogNormal, float, COMMA float mean COMMA float sigma, EVEN,
     exp(mean + sigma * normal(g, i, n)))
FILL(LogNormalDouble, double, COMMA double mean COMMA double sigma, EVEN,
     exp(mean + sigma * normal(g, i, n)))

static uint32_t
poisson(double lambda, double u)
{
    double p = exp(-lambda), sum = p;
    uint32_t k = 0;
    while (u > sum && k < 10000) {
        p *= lambda / ++k;
        sum += p;
    }
    return k;
}

FILL(Poisson, uint32_t, COMMA double lambda, lambda <= 0 ? OUT_OF_RANGE : 0,
     poisson(lambda, unit(g, number(g, i, n))))
