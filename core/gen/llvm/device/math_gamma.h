/* SPDX-License-Identifier: BSD-3-Clause
 * The part of math.c with the error function and the gamma function: sums of positive terms, a
 * continued fraction where these are many, Stirling's series, reflection for negative arguments. */

/* ---- the error function, gamma --------------------------------------------------------------- */

static double
bell(double x) /* exp(-x * x) */
{
    double h = x * x;
    return exp_sum(-h, -fma(x, x, -h));
}

/* All terms positive: x * sum of (2 x x)**n / (1 * 3 * ... * (2 n + 1)) */
static double
erf_series(double x)
{
    double term = 1, sum = 0, z = 2 * x * x;
    for (int n = 1; n < 120 && term > sum * 1e-18; n++) {
        sum += term;
        term *= z / (2 * n + 1);
    }
    return 1.12837916709551257390 * x * bell(x) * sum;
}

/* The continued fraction, from as far out as x needs. */
static double
erfc_fraction(double x)
{
    double t = 0;
    for (int n = 20 + (int)(180 / (x * x)); n > 0; n--)
        t = n * 0.5 / (x + t);
    return bell(x) * 0.56418958354775628695 / (x + t);
}

double
erf(double x)
{
    double a = fabs(x);
    if (isnan(x) || a < 0x1p-300)
        return a > 0x1p-1000 ? x * 1.12837916709551257390
               : x == 0      ? x
                             : x + 0.12837916709551257390 * x;
    return sgn(a < 2 ? erf_series(a) : a < 6 ? 1 - erfc_fraction(a) : 1, x);
}

double
erfc(double x)
{
    if (isnan(x))
        return x;
    if (x < 0.75)
        return x < -6 ? 2 : 1 - erf(x);
    return x > 27.3 ? 0 : erfc_fraction(x);
}

/* log(gamma(1 + t)) + log1p(t), |t| <= 0.5: (1 - euler) t + sum of (zeta(k) - 1) (-t)**k / k */
static double
gamma_near(double t)
{
    static const double zeta[] = {
        0.3224670334241132,     0.0673523010531981,     0.020580808427784546,
        0.007385551028673986,   0.0028905103307415234,  0.001192753911703261,
        0.0005096695247430425,  0.00022315475845357939, 9.945751278180853e-05,
        4.492623673813314e-05,  2.050721277567069e-05,  9.439488275268397e-06,
        4.374866789907488e-06,  2.039215753801366e-06,  9.55141213040742e-07,
        4.492469198764566e-07,  2.1207184805554665e-07, 1.0043224823968099e-07,
        4.7698101693639804e-08, 2.2711094608943164e-08, 1.0838659214896955e-08,
        5.183475041970047e-09,  2.4836745438024785e-09, 1.1921401405860912e-09,
        5.731367241678862e-10,  2.7595228851242334e-10, 1.330476437424449e-10,
        6.4229645638381e-11,    3.1044247747322276e-11, 1.5021384080754142e-11,
        7.275974480239079e-12,  3.527742476575915e-12};
    double p = 0;
    for (int k = 33; k >= 2; k--)
        p = p * -t + zeta[k - 2];
    return t * ((1 - EULER) + t * p);
}

/* Stirling's series without its logarithm. */
static double
stirling_rest(double x)
{
    double z = 1 / (x * x);
    return (1.0 / 12 -
            z * (1.0 / 360 -
                 z * (1.0 / 1260 -
                      z * (1.0 / 1680 - z * (1.0 / 1188 - z * (691.0 / 360360 - z / 156)))))) /
           x;
}

static double
lgamma_positive(double x)
{
    if (x < 0.5)
        return x < 0x1p-60 ? -log(x) : gamma_near(x) - log1p(x) - log(x);
    if (x <= 1.5)
        return gamma_near(x - 1) - log1p(x - 1);
    if (x <= 2.5)
        return gamma_near(x - 2);
    if (x < 10) {
        double product = 1;
        while (x > 2.5)
            product *= (x -= 1);
        return log(product) + gamma_near(x - 2);
    }
    if (x > 0x1p1000)
        return x * (log(x) - 1);
    return (x - 0.5) * (log(x) - 1) + (0.41893853320467274178 + stirling_rest(x));
}

static double
sine_pi(double x) /* x >= 0 */
{
    double f = x - 2 * floor(x * 0.5), k = rint(2 * f);
    double r = (f - 0.5 * k) * PI;
    Dd a = {r, fma(f - 0.5 * k, PI, -r) + (f - 0.5 * k) * PI_LO};
    int q = (int)k & 3;
    double s = q & 1 ? cosine(a) : sine(a);
    return q & 2 ? -s : s;
}

double
lgamma(double x)
{
    if (isnan(x) || isinf(x))
        return isnan(x) ? x : INF;
    if (x > 0)
        return lgamma_positive(x);
    if (x == floor(x))
        return INF;
    if (x > -0x1p-60)
        return -log(-x);
    return log(PI / fabs(x * sine_pi(-x))) - lgamma_positive(-x);
}

static double
gamma_positive(double x)
{
    if (x > 171.7)
        return INF;
    if (x < 20) {
        double product = 1, t = x;
        while (t > 2.5)
            product *= (t -= 1);
        double below = 1;
        while (t < 1.5)
            below *= t, t += 1;
        return product * exp(gamma_near(t - 2)) / below;
    }
    double root = power(x, 0.5 * (x - 0.5)), e = 2.50662827463100050242 * exp(stirling_rest(x));
    return root * exp(-x) * root * e;
}

double
tgamma(double x)
{
    if (isnan(x) || (isinf(x) && x > 0))
        return x;
    if (x == 0)
        return sgn(INF, x);
    if (fabs(x) < 0x1p-60)
        return 1 / x;
    if (x > 0)
        return gamma_positive(x);
    if (x == floor(x))
        return NAN;
    if (x < -184)
        return sgn(0.0, sine_pi(-x) > 0 ? -1.0 : 1.0);
    double s = x * sine_pi(-x);
    if (-x > 170) { /* in two steps: gamma(-x) alone is too large */
        double y = -x - 14, g = PI / s;
        for (int k = 0; k < 14; k++)
            g /= y + k;
        return g / gamma_positive(y);
    }
    return PI / s / gamma_positive(-x);
}
