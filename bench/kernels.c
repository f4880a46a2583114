/* The kernels of kernels_py.py, as one would write them in C: the yardstick. Compiled twice, by
 * gcc -O3 -march=native, with and without -ffast-math, and for several threads with -fopenmp. An
 * array comes as its data and its shape, in C order; see c_arguments() in kernels.py.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdint.h>

double
sum2d(const double *a, int64_t rows, int64_t cols)
{
    double total = 0.0;
#pragma omp parallel for reduction(+ : total)
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < cols; j++)
            total += a[i * cols + j];
    return total;
}

void
saxpy(float alpha, const float *x, int64_t n, float *y, int64_t ny)
{
    (void)ny;
#pragma omp parallel for
    for (int64_t i = 0; i < n; i++)
        y[i] = alpha * x[i] + y[i];
}

void
sixterm64(const double *x, int64_t n, const double *y, int64_t ny, double *out, int64_t no)
{
    (void)ny, (void)no;
#pragma omp parallel for
    for (int64_t i = 0; i < n; i++)
        out[i] = sin(x[i]) * cos(y[i]) + exp(-x[i]) + log(y[i]) + sqrt(x[i]) + x[i] * y[i];
}

void
sixterm32(const float *x, int64_t n, const float *y, int64_t ny, float *out, int64_t no)
{
    (void)ny, (void)no;
#pragma omp parallel for
    for (int64_t i = 0; i < n; i++)
        out[i] = sinf(x[i]) * cosf(y[i]) + expf(-x[i]) + logf(y[i]) + sqrtf(x[i]) + x[i] * y[i];
}

void
mandelbrot(int64_t *out, int64_t h, int64_t w, int64_t limit)
{
#pragma omp parallel for schedule(dynamic, 4)
    for (int64_t i = 0; i < h; i++) {
        double ci = -1.25 + 2.5 * i / h;
        for (int64_t j = 0; j < w; j++) {
            double cr = -2.0 + 2.75 * j / w, zr = 0.0, zi = 0.0;
            int64_t n = 0;
            while (n < limit && zr * zr + zi * zi <= 4.0) {
                double t = zr * zr - zi * zi + cr;
                zi = 2.0 * zr * zi + ci;
                zr = t;
                n++;
            }
            out[i * w + j] = n;
        }
    }
}

void
stencil(const double *a, int64_t h, int64_t w, double *out, int64_t oh, int64_t ow)
{
    (void)oh, (void)ow;
#pragma omp parallel for
    for (int64_t i = 1; i < h - 1; i++)
        for (int64_t j = 1; j < w - 1; j++)
            out[i * w + j] = 0.2 * (a[i * w + j] + a[(i - 1) * w + j] + a[(i + 1) * w + j] +
                                    a[i * w + j - 1] + a[i * w + j + 1]);
}

void
nbody(double *pos, int64_t n, int64_t d, double *vel, int64_t nv, int64_t dv, const double *mass,
      int64_t nm, double dt)
{
    (void)d, (void)nv, (void)dv, (void)nm;
#pragma omp parallel for
    for (int64_t i = 0; i < n; i++) {
        double ax = 0.0, ay = 0.0, az = 0.0;
        for (int64_t j = 0; j < n; j++) {
            double dx = pos[3 * j] - pos[3 * i];
            double dy = pos[3 * j + 1] - pos[3 * i + 1];
            double dz = pos[3 * j + 2] - pos[3 * i + 2];
            double r2 = dx * dx + dy * dy + dz * dz + 1e-9;
            double s = mass[j] / (r2 * sqrt(r2));
            ax += dx * s;
            ay += dy * s;
            az += dz * s;
        }
        vel[3 * i] += dt * ax;
        vel[3 * i + 1] += dt * ay;
        vel[3 * i + 2] += dt * az;
    }
    for (int64_t i = 0; i < 3 * n; i++)
        pos[i] += dt * vel[i];
}

static inline double
normal_cdf(double d)
{
    double k = 1.0 / (1.0 + 0.2316419 * fabs(d));
    double poly =
        0.319381530 + k * (-0.356563782 + k * (1.781477937 + k * (-1.821255978 + k * 1.330274429)));
    double n = 0.3989422804014327 * exp(-0.5 * d * d) * k * poly;
    return d > 0.0 ? 1.0 - n : n;
}

void
black_scholes(const double *price, int64_t n, const double *strike, int64_t ns, const double *years,
              int64_t ny, double rate, double sigma, double *call, int64_t nc, double *put,
              int64_t np)
{
    (void)ns, (void)ny, (void)nc, (void)np;
#pragma omp parallel for
    for (int64_t i = 0; i < n; i++) {
        double root = sqrt(years[i]);
        double d1 =
            (log(price[i] / strike[i]) + (rate + 0.5 * sigma * sigma) * years[i]) / (sigma * root);
        double n1 = normal_cdf(d1), n2 = normal_cdf(d1 - sigma * root);
        double discounted = strike[i] * exp(-rate * years[i]);
        call[i] = price[i] * n1 - discounted * n2;
        put[i] = discounted * (1.0 - n2) - price[i] * (1.0 - n1);
    }
}

void
histogram(const double *x, int64_t n, double low, double high, int64_t *counts, int64_t bins)
{
    double scale = bins / (high - low);
#pragma omp parallel for reduction(+ : counts[:bins])
    for (int64_t i = 0; i < n; i++) {
        int64_t k = (int64_t)((x[i] - low) * scale);
        if (k >= 0 && k < bins)
            counts[k]++;
    }
}

void
prefix_sum(const double *x, int64_t n, double *out, int64_t no)
{
    (void)no;
    double total = 0.0;
    for (int64_t i = 0; i < n; i++) {
        total += x[i];
        out[i] = total;
    }
}

void
pairwise(const double *x, int64_t n, int64_t d, double *out, int64_t on, int64_t om)
{
    (void)on, (void)om;
#pragma omp parallel for
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++) {
            double s = 0.0;
            for (int64_t k = 0; k < d; k++) {
                double t = x[i * d + k] - x[j * d + k];
                s += t * t;
            }
            out[i * n + j] = sqrt(s);
        }
}

void
softmax(const double *x, int64_t rows, int64_t cols, double *out, int64_t orows, int64_t ocols)
{
    (void)orows, (void)ocols;
#pragma omp parallel for
    for (int64_t i = 0; i < rows; i++) {
        const double *in = x + i * cols;
        double *to = out + i * cols, top = in[0], total = 0.0;
        for (int64_t j = 1; j < cols; j++)
            if (in[j] > top)
                top = in[j];
        for (int64_t j = 0; j < cols; j++) {
            double e = exp(in[j] - top);
            to[j] = e;
            total += e;
        }
        for (int64_t j = 0; j < cols; j++)
            to[j] = to[j] / total;
    }
}

void
floyd_warshall(double *d, int64_t n, int64_t m)
{
    (void)m;
    for (int64_t k = 0; k < n; k++)
#pragma omp parallel for
        for (int64_t i = 0; i < n; i++)
            for (int64_t j = 0; j < n; j++) {
                double through = d[i * n + k] + d[k * n + j];
                if (through < d[i * n + j])
                    d[i * n + j] = through;
            }
}

void
spmv(const int64_t *start, int64_t nstart, const int64_t *column, int64_t nc, const double *value,
     int64_t nv, const double *x, int64_t nx, double *y, int64_t n)
{
    (void)nstart, (void)nc, (void)nv, (void)nx;
#pragma omp parallel for
    for (int64_t i = 0; i < n; i++) {
        double total = 0.0;
        for (int64_t k = start[i]; k < start[i + 1]; k++)
            total += value[k] * x[column[k]];
        y[i] = total;
    }
}

void
gather(const double *x, int64_t nx, const int64_t *index, int64_t n, double *out, int64_t no)
{
    (void)nx, (void)no;
#pragma omp parallel for
    for (int64_t i = 0; i < n; i++)
        out[i] = x[index[i]];
}

void
scatter(const double *x, int64_t nx, const int64_t *index, int64_t n, double *out, int64_t no)
{
    (void)nx, (void)no;
#pragma omp parallel for
    for (int64_t i = 0; i < n; i++)
        out[index[i]] = x[i];
}

/* ---- measured with several threads only ------------------------------------------------- */

void
triad(double *a, int64_t n, const double *b, int64_t nb, const double *c, int64_t nc)
{
    (void)nb, (void)nc;
#pragma omp parallel for
    for (int64_t i = 0; i < n; i++)
        a[i] = b[i] + 3.0 * c[i];
}

double
dot(const double *x, int64_t n, const double *y, int64_t ny)
{
    (void)ny;
    double total = 0.0;
#pragma omp parallel for reduction(+ : total)
    for (int64_t i = 0; i < n; i++)
        total += x[i] * y[i];
    return total;
}

double
sum(const double *x, int64_t n)
{
    double total = 0.0;
#pragma omp parallel for reduction(+ : total)
    for (int64_t i = 0; i < n; i++)
        total += x[i];
    return total;
}

double
variance(const double *x, int64_t n)
{
    double mean = sum(x, n) / n, total = 0.0;
#pragma omp parallel for reduction(+ : total)
    for (int64_t i = 0; i < n; i++)
        total += (x[i] - mean) * (x[i] - mean);
    return total / n;
}

void
heat3d(const double *a, int64_t n, int64_t m, int64_t p, double *out, int64_t on, int64_t om,
       int64_t op)
{
    (void)on, (void)om, (void)op;
#define A(u, v, w) a[((u)*m + (v)) * p + (w)]
#pragma omp parallel for
    for (int64_t i = 1; i < n - 1; i++)
        for (int64_t j = 1; j < m - 1; j++)
            for (int64_t k = 1; k < p - 1; k++)
                out[(i * m + j) * p + k] =
                    0.125 * (A(i + 1, j, k) - 2.0 * A(i, j, k) + A(i - 1, j, k)) +
                    0.125 * (A(i, j + 1, k) - 2.0 * A(i, j, k) + A(i, j - 1, k)) +
                    0.125 * (A(i, j, k + 1) - 2.0 * A(i, j, k) + A(i, j, k - 1)) + A(i, j, k);
#undef A
}

void
conv2d(const double *image, int64_t ih, int64_t iw, const double *kernel, int64_t kh, int64_t kw,
       double *out, int64_t h, int64_t w)
{
    (void)ih;
#pragma omp parallel for
    for (int64_t i = 0; i < h; i++)
        for (int64_t j = 0; j < w; j++) {
            double s = 0.0;
            for (int64_t u = 0; u < kh; u++)
                for (int64_t v = 0; v < kw; v++)
                    s += image[(i + u) * iw + j + v] * kernel[u * kw + v];
            out[i * w + j] = s;
        }
}

void
life(const uint8_t *world, int64_t h, int64_t w, uint8_t *out, int64_t oh, int64_t ow)
{
    (void)oh, (void)ow;
#pragma omp parallel for
    for (int64_t i = 1; i < h - 1; i++) {
        const uint8_t *u = world + (i - 1) * w, *m = u + w, *d = m + w;
        for (int64_t j = 1; j < w - 1; j++) {
            uint8_t n =
                u[j - 1] + u[j] + u[j + 1] + m[j - 1] + m[j + 1] + d[j - 1] + d[j] + d[j + 1];
            out[i * w + j] = n == 3 || (m[j] == 1 && n == 2) ? 1 : 0;
        }
    }
}

double
monte_carlo(int64_t n)
{
    int64_t inside = 0;
#pragma omp parallel for reduction(+ : inside)
    for (int64_t i = 0; i < n; i++) {
        int64_t state = (i * 2654435761 + 12345) & 0x7FFFFFFF;
        for (int r = 0; r < 16; r++) {
            state = (state * 1103515245 + 12345) & 0x7FFFFFFF;
            double x = state / 2147483648.0;
            state = (state * 1103515245 + 12345) & 0x7FFFFFFF;
            double y = state / 2147483648.0;
            if (x * x + y * y <= 1.0)
                inside++;
        }
    }
    return 4.0 * inside / (16.0 * n);
}

void
batched_matmul(const double *a, int64_t batches, int64_t n, int64_t m, const double *b, int64_t bb,
               int64_t bm, int64_t p, double *out, int64_t ob, int64_t on, int64_t op)
{
    (void)bb, (void)bm, (void)ob, (void)on, (void)op;
#pragma omp parallel for
    for (int64_t s = 0; s < batches; s++)
        for (int64_t i = 0; i < n; i++)
            for (int64_t j = 0; j < p; j++) {
                double t = 0.0;
                for (int64_t k = 0; k < m; k++)
                    t += a[(s * n + i) * m + k] * b[(s * m + k) * p + j];
                out[(s * n + i) * p + j] = t;
            }
}
