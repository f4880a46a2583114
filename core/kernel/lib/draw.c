/* SPDX-License-Identifier: BSD-3-Clause
 * Distributions over the bits of random.c. Those of a generator are NumPy's libnpyrandom; np.random
 * has kept some as they were before it, by the polar method and the logarithm, which are here:
 * Marsaglia and Tsang's gamma (2000), Johnk's beta, Best and Fisher's von Mises, Michael, Schucany
 * and Haas's inverse normal, Stadlober's HRUA for the hypergeometric, Devroye's Zipf. */
#include "kernel/lib/random.h"

#include <math.h>

/* libnpyrandom, whose header wants Python's. */
double random_standard_gamma(bitgen_t *g, double shape);
double random_gamma(bitgen_t *g, double shape, double scale);
double random_beta(bitgen_t *g, double a, double b);
double random_chisquare(bitgen_t *g, double df);
double random_noncentral_chisquare(bitgen_t *g, double df, double nonc);
double random_f(bitgen_t *g, double dfnum, double dfden);
double random_noncentral_f(bitgen_t *g, double dfnum, double dfden, double nonc);
double random_standard_t(bitgen_t *g, double df);
double random_standard_cauchy(bitgen_t *g);
double random_vonmises(bitgen_t *g, double mu, double kappa);
double random_pareto(bitgen_t *g, double a);
double random_weibull(bitgen_t *g, double a);
double random_power(bitgen_t *g, double a);
double random_laplace(bitgen_t *g, double loc, double scale);
double random_gumbel(bitgen_t *g, double loc, double scale);
double random_logistic(bitgen_t *g, double loc, double scale);
double random_lognormal(bitgen_t *g, double mean, double sigma);
double random_rayleigh(bitgen_t *g, double mode);
double random_wald(bitgen_t *g, double mean, double scale);
double random_triangular(bitgen_t *g, double left, double mode, double right);
double random_exponential(bitgen_t *g, double scale);
double random_normal(bitgen_t *g, double loc, double scale);
double random_uniform(bitgen_t *g, double lower, double range);
double random_loggam(double x);
int64_t random_poisson(bitgen_t *g, double lam);
int64_t random_binomial(bitgen_t *g, double p, int64_t n, void *kept);
int64_t random_binomial_btpe(bitgen_t *g, int64_t n, double p, void *kept);
int64_t random_binomial_inversion(bitgen_t *g, int64_t n, double p, void *kept);
int64_t random_negative_binomial(bitgen_t *g, double n, double p);
int64_t random_geometric(bitgen_t *g, double p);
int64_t random_geometric_search(bitgen_t *g, double p);
int64_t random_zipf(bitgen_t *g, double a);
int64_t random_hypergeometric(bitgen_t *g, int64_t good, int64_t bad, int64_t sample);
int64_t random_logseries(bitgen_t *g, double p);

/* The numbers that swathe/lib/draws.py has for them. */
typedef enum RealDist {
    STANDARD_GAMMA,
    GAMMA,
    BETA,
    CHISQUARE,
    NONCENTRAL_CHISQUARE,
    F,
    NONCENTRAL_F,
    STANDARD_T,
    STANDARD_CAUCHY,
    VONMISES,
    PARETO,
    WEIBULL,
    POWER,
    LAPLACE,
    GUMBEL,
    LOGISTIC,
    LOGNORMAL,
    RAYLEIGH,
    WALD,
    TRIANGULAR,
    EXPONENTIAL,
    NORMAL,
    UNIFORM
} RealDist;

typedef enum CountDist {
    BINOMIAL,
    NEGATIVE_BINOMIAL,
    GEOMETRIC,
    ZIPF,
    HYPERGEOMETRIC,
    LOGSERIES,
    POISSON,
    NEW_BINOMIAL /* of a generator's way for np.random, too */
} CountDist;

/* ---- of a generator -------------------------------------------------------------------------- */

static double
real(bitgen_t *g, RealDist d, const double *p)
{
    switch (d) {
    case STANDARD_GAMMA:
        return random_standard_gamma(g, p[0]);
    case GAMMA:
        return random_gamma(g, p[0], p[1]);
    case BETA:
        return random_beta(g, p[0], p[1]);
    case CHISQUARE:
        return random_chisquare(g, p[0]);
    case NONCENTRAL_CHISQUARE:
        return random_noncentral_chisquare(g, p[0], p[1]);
    case F:
        return random_f(g, p[0], p[1]);
    case NONCENTRAL_F:
        return random_noncentral_f(g, p[0], p[1], p[2]);
    case STANDARD_T:
        return random_standard_t(g, p[0]);
    case STANDARD_CAUCHY:
        return random_standard_cauchy(g);
    case VONMISES:
        return random_vonmises(g, p[0], p[1]);
    case PARETO:
        return random_pareto(g, p[0]);
    case WEIBULL:
        return random_weibull(g, p[0]);
    case POWER:
        return random_power(g, p[0]);
    case LAPLACE:
        return random_laplace(g, p[0], p[1]);
    case GUMBEL:
        return random_gumbel(g, p[0], p[1]);
    case LOGISTIC:
        return random_logistic(g, p[0], p[1]);
    case LOGNORMAL:
        return random_lognormal(g, p[0], p[1]);
    case RAYLEIGH:
        return random_rayleigh(g, p[0]);
    case WALD:
        return random_wald(g, p[0], p[1]);
    case TRIANGULAR:
        return random_triangular(g, p[0], p[1], p[2]);
    case EXPONENTIAL:
        return random_exponential(g, p[0]);
    case NORMAL:
        return random_normal(g, p[0], p[1]);
    case UNIFORM:
        return random_uniform(g, p[0], p[1]);
    }
    return 0;
}

static int64_t
count(bitgen_t *g, CountDist d, const double *p)
{
    double kept[64] = {0}; /* a binomial_t */
    switch (d) {
    case BINOMIAL:
    case NEW_BINOMIAL:
        return random_binomial(g, p[1], (int64_t)p[0], kept);
    case NEGATIVE_BINOMIAL:
        return random_negative_binomial(g, p[0], p[1]);
    case GEOMETRIC:
        return random_geometric(g, p[0]);
    case ZIPF:
        return random_zipf(g, p[0]);
    case HYPERGEOMETRIC:
        return random_hypergeometric(g, (int64_t)p[0], (int64_t)p[1], (int64_t)p[2]);
    case LOGSERIES:
        return random_logseries(g, p[0]);
    case POISSON:
        return random_poisson(g, p[0]);
    }
    return 0;
}

/* ---- as np.random has kept them -------------------------------------------------------------- */

static inline double
unit(bitgen_t *g)
{
    return g->next_double(g->state);
}

static double
old_exponential(bitgen_t *g)
{
    return -log(1.0 - unit(g));
}

static double
old_small_gamma(bitgen_t *g, double shape)
{
    for (;;) {
        double u = unit(g), v = old_exponential(g);
        if (u <= 1.0 - shape) {
            double x = pow(u, 1. / shape);
            if (x <= v)
                return x;
        } else {
            double y = -log((1 - u) / shape), x = pow(1.0 - shape + shape * y, 1. / shape);
            if (x <= v + y)
                return x;
        }
    }
}

static double
old_gamma(bitgen_t *g, double shape)
{
    if (shape == 1.0)
        return old_exponential(g);
    if (shape == 0.0)
        return 0.0;
    if (shape < 1.0)
        return old_small_gamma(g, shape);
    double b = shape - 1. / 3., c = 1. / sqrt(9 * b), x, v;
    for (;;) {
        do {
            x = random_mt_normal();
            v = 1.0 + c * x;
        } while (v <= 0.0);
        v = v * v * v;
        double u = unit(g);
        if (u < 1.0 - 0.0331 * (x * x) * (x * x))
            return b * v;
        if (log(u) < 0.5 * x * x + b * (1. - v + log(v)))
            return b * v;
    }
}

static double
old_chisquare(bitgen_t *g, double df)
{
    return 2.0 * old_gamma(g, df / 2.0);
}

static double
old_noncentral_chisquare(bitgen_t *g, double df, double nonc)
{
    if (nonc == 0)
        return old_chisquare(g, df);
    if (df > 1) {
        double chi = old_chisquare(g, df - 1), n = random_mt_normal() + sqrt(nonc);
        return chi + n * n;
    }
    int64_t i = random_poisson(g, nonc / 2.0);
    double r = old_chisquare(g, df + 2 * (double)i);
    return isnan(nonc) ? nonc : r;
}

static double
old_beta(bitgen_t *g, double a, double b)
{
    if (a > 1.0 || b > 1.0) {
        double x = old_gamma(g, a), y = old_gamma(g, b);
        return x / (x + y);
    }
    for (;;) {
        double u = unit(g), v = unit(g), x = pow(u, 1.0 / a), y = pow(v, 1.0 / b), sum = x + y;
        if (!(sum <= 1.0 && u + v > 0.0))
            continue;
        if (sum > 0)
            return x / sum;
        double s = log(u) / a, t = log(v) / b, m = s > t ? s : t;
        return exp(s - m - log(exp(s - m) + exp(t - m)));
    }
}

static double
old_wald(bitgen_t *g, double mean, double scale)
{
    double half = mean / (2 * scale), y = random_mt_normal();
    y = mean * y * y;
    double x = mean + half * (y - sqrt(4 * scale * y + y * y));
    return unit(g) <= mean / (mean + x) ? x : mean * mean / x;
}

static double
old_vonmises(bitgen_t *g, double mu, double kappa)
{
    double s, w, y, v;
    if (isnan(kappa))
        return kappa;
    if (kappa < 1e-8)
        return M_PI * (2 * unit(g) - 1);
    if (kappa < 1e-5) {
        s = 1. / kappa + kappa;
    } else {
        double r = 1 + sqrt(1 + 4 * kappa * kappa), rho = (r - sqrt(2 * r)) / (2 * kappa);
        s = (1 + rho * rho) / (2 * rho);
    }
    do {
        double z = cos(M_PI * unit(g));
        w = (1 + s * z) / (s + z);
        y = kappa * (s - w);
        v = unit(g);
    } while (!(y * (2 - y) - v >= 0 || log(y / v) + 1 - y >= 0));
    double turn = acos(w);
    if (unit(g) < 0.5)
        turn = -turn;
    turn += mu;
    double r = fmod(fabs(turn) + M_PI, 2 * M_PI) - M_PI;
    return turn < 0 ? -r : r;
}

static double
old_noncentral_f(bitgen_t *g, double dfnum, double dfden, double nonc)
{
    double t = old_noncentral_chisquare(g, dfnum, nonc) * dfden;
    return t / (old_chisquare(g, dfden) * dfnum);
}

static double
old_f(bitgen_t *g, double dfnum, double dfden)
{
    double t = old_chisquare(g, dfnum) * dfden;
    return t / (old_chisquare(g, dfden) * dfnum);
}

static double
old_real(bitgen_t *g, RealDist d, const double *p)
{
    double x;
    switch (d) {
    case STANDARD_GAMMA:
        return old_gamma(g, p[0]);
    case GAMMA:
        return p[1] * old_gamma(g, p[0]);
    case BETA:
        return old_beta(g, p[0], p[1]);
    case CHISQUARE:
        return old_chisquare(g, p[0]);
    case NONCENTRAL_CHISQUARE:
        return old_noncentral_chisquare(g, p[0], p[1]);
    case F:
        return old_f(g, p[0], p[1]);
    case NONCENTRAL_F:
        return old_noncentral_f(g, p[0], p[1], p[2]);
    case STANDARD_T:
        x = random_mt_normal();
        return sqrt(p[0] / 2) * x / sqrt(old_gamma(g, p[0] / 2));
    case STANDARD_CAUCHY:
        x = random_mt_normal();
        return x / random_mt_normal();
    case VONMISES:
        return old_vonmises(g, p[0], p[1]);
    case PARETO:
        return exp(old_exponential(g) / p[0]) - 1;
    case WEIBULL:
        return p[0] == 0.0 ? 0.0 : pow(old_exponential(g), 1. / p[0]);
    case POWER:
        return pow(1 - exp(-old_exponential(g)), 1. / p[0]);
    case LOGNORMAL:
        return exp(p[0] + p[1] * random_mt_normal());
    case RAYLEIGH:
        return p[0] * sqrt(-2.0 * log(1.0 - unit(g)));
    case WALD:
        return old_wald(g, p[0], p[1]);
    case EXPONENTIAL:
        return p[0] * old_exponential(g);
    case NORMAL:
        return p[0] + p[1] * random_mt_normal();
    default:
        return real(g, d, p);
    }
}

static int64_t
old_few_of(bitgen_t *g, int64_t good, int64_t bad, int64_t sample)
{
    int64_t rest = bad + good - sample, k = sample;
    double all = (double)(bad < good ? bad : good), y = all;
    while (y > 0.0) {
        y -= (double)(int64_t)floor(unit(g) + y / (double)(rest + k));
        if (!--k)
            break;
    }
    int64_t z = (int64_t)(all - y);
    return good > bad ? sample - z : z;
}

static double
log_ways(int64_t z, int64_t least, int64_t most, int64_t m)
{
    return random_loggam((double)(z + 1)) + random_loggam((double)(least - z + 1)) +
           random_loggam((double)(m - z + 1)) + random_loggam((double)(most - m + z + 1));
}

static int64_t
old_many_of(bitgen_t *g, int64_t good, int64_t bad, int64_t sample)
{
    const double wide = 1.7155277699214135,
                 shift = 0.8989161620588988; /* of sqrt(2/e), sqrt(3/e) */
    int64_t least = good < bad ? good : bad, most = good < bad ? bad : good, all = good + bad;
    int64_t m = sample < all - sample ? sample : all - sample, z;
    double share = (double)least / (double)all, mean = (double)m * share + 0.5;
    double spread =
        sqrt((double)(all - m) * (double)sample * share * (1.0 - share) / (double)(all - 1) + 0.5);
    double width = wide * spread + shift;
    int64_t mode = (int64_t)floor((double)(m + 1) * (double)(least + 1) / (double)(all + 2));
    double top = log_ways(mode, least, most, m);
    double end = (double)(m < least ? m : least) + 1.0, far = floor(mean + 16 * spread);
    end = end < far ? end : far;
    for (;;) {
        double x = unit(g), y = unit(g), w = mean + width * (y - 0.5) / x;
        if (w < 0.0 || w >= end)
            continue;
        z = (int64_t)floor(w);
        double t = top - log_ways(z, least, most, m);
        if (x * (4.0 - x) - 3.0 <= t)
            break;
        if (x * (x - t) >= 1)
            continue;
        if (2.0 * log(x) <= t)
            break;
    }
    z = good > bad ? m - z : z;
    return m < sample ? good - z : z;
}

static int64_t
old_zipf(bitgen_t *g, double a)
{
    double less = a - 1.0, b = pow(2.0, less);
    for (;;) {
        double u = 1.0 - unit(g), v = unit(g), x = floor(pow(u, -1.0 / less));
        if (x > 9223372036854775807.0 || x < 1.0)
            continue;
        double t = pow(1.0 + 1.0 / x, less);
        if (v * x * (t - 1.0) / (b - 1.0) <= t / b)
            return (int64_t)x;
    }
}

static int64_t
old_logseries(bitgen_t *g, double p)
{
    double r = log(1.0 - p);
    for (;;) {
        double v = unit(g);
        if (v >= p)
            return 1;
        double u = unit(g), q = 1.0 - exp(r * u);
        if (v <= q * q) {
            int64_t k = (int64_t)floor(1 + log(v) / log(q));
            if (k < 1 || v == 0.0)
                continue;
            return k;
        }
        return v >= q ? 1 : 2;
    }
}

static int64_t
old_binomial(bitgen_t *g, int64_t n, double p)
{
    double kept[64] = {0}, q = p <= 0.5 ? p : 1.0 - p;
    int64_t k = q * (double)n <= 30.0 ? random_binomial_inversion(g, n, q, kept)
                                      : random_binomial_btpe(g, n, q, kept);
    return p <= 0.5 ? k : n - k;
}

static int64_t
old_count(bitgen_t *g, CountDist d, const double *p)
{
    int64_t good = (int64_t)p[0], bad = (int64_t)p[1], sample = (int64_t)p[2];
    switch (d) {
    case BINOMIAL:
        return old_binomial(g, good, p[1]);
    case NEGATIVE_BINOMIAL:
        return random_poisson(g, (1 - p[1]) / p[1] * old_gamma(g, p[0]));
    case GEOMETRIC:
        return p[0] >= 0.333333333333333333333333
                   ? random_geometric_search(g, p[0])
                   : (int64_t)ceil(log(1.0 - unit(g)) / log(1.0 - p[0]));
    case ZIPF:
        return old_zipf(g, p[0]);
    case HYPERGEOMETRIC:
        return sample > 10  ? old_many_of(g, good, bad, sample)
               : sample > 0 ? old_few_of(g, good, bad, sample)
                            : 0;
    case LOGSERIES:
        return old_logseries(g, p[0]);
    default:
        return count(g, d, p);
    }
}

/* ---- kernels --------------------------------------------------------------------------------- */

typedef double DrawReal(bitgen_t *g, RealDist d, const double *p);
typedef int64_t DrawCount(bitgen_t *g, CountDist d, const double *p);

/* Three parameters for each number: arrays from arg on. */
static void
parameters(const KernelArg *arg, int64_t i, double *p)
{
    for (int k = 0; k < 3; k++)
        memcpy(&p[k], arg[k].array->data + i * kernel_stride(arg + k, 1), sizeof *p);
}

static void
put_reals(bitgen_t *g, DrawReal *draw, const KernelArg *out, const KernelArg *p, RealDist d)
{
    for (int64_t i = 0; i < kernel_dim(out, 1); i++) {
        double of[3];
        parameters(p, i, of);
        double v = draw(g, d, of);
        memcpy(out->array->data + i * kernel_stride(out, 1), &v, sizeof v);
    }
}

static void
put_counts(bitgen_t *g, DrawCount *draw, const KernelArg *out, const KernelArg *p, CountDist d)
{
    for (int64_t i = 0; i < kernel_dim(out, 1); i++) {
        double of[3];
        parameters(p, i, of);
        int64_t v = draw(g, d, of);
        memcpy(out->array->data + i * kernel_stride(out, 1), &v, sizeof v);
    }
}

/* Of the thread. */
KERNEL(mt_dist, "out, a, b, c, dist", "w(n) r(n):float64 r(n):float64 r(n):float64 n",
       "DRAWS float64")
{
    (void)cx;
    bitgen_t g = random_mt_bits();
    put_reals(&g, old_real, arg, arg + 1, (RealDist)arg[4].n);
    return 0;
}

KERNEL(mt_count, "out, a, b, c, dist", "w(n) r(n):float64 r(n):float64 r(n):float64 n",
       "DRAWS int64")
{
    (void)cx;
    bitgen_t g = random_mt_bits();
    put_counts(&g, old_count, arg, arg + 1, (CountDist)arg[4].n);
    return 0;
}

/* Of a np.random.Generator. */
KERNEL(gen_dist, "out, state, a, b, c, dist",
       "w(n) rw(s):uint64 r(n):float64 r(n):float64 r(n):float64 n", "DRAWS float64")
{
    (void)cx;
    bitgen_t room;
    put_reals(random_generator(arg + 1, &room), real, arg, arg + 2, (RealDist)arg[5].n);
    return 0;
}

KERNEL(gen_count, "out, state, a, b, c, dist",
       "w(n) rw(s):uint64 r(n):float64 r(n):float64 r(n):float64 n", "DRAWS int64")
{
    (void)cx;
    bitgen_t room;
    put_counts(random_generator(arg + 1, &room), count, arg, arg + 2, (CountDist)arg[5].n);
    return 0;
}
