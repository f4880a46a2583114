/* What the kernels of kernels_grid_py.py compute, as one would write it in C for a processor: plain
 * loops, without a grid. Compiled by gcc -O3 -march=native -fopenmp. An array comes as its data and
 * its shape.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdint.h>
#include <string.h>

enum { BLOCK = 256, TILE = 32, BINS = 256, PART = 1024 };

void
saxpy(float a, const float *x, int64_t n, float *y, int64_t ny)
{
    (void)ny;
#pragma omp parallel for
    for (int64_t i = 0; i < n; i++)
        y[i] += a * x[i];
}

void
matmul(const float *restrict a, int64_t rows, int64_t n, const float *restrict b, int64_t nb,
       int64_t cols, float *restrict c, int64_t c0, int64_t c1)
{
    (void)nb, (void)c0, (void)c1;
#pragma omp parallel for
    for (int64_t i = 0; i < rows; i++) {
        memset(c + i * cols, 0, (size_t)cols * sizeof *c);
        for (int64_t k = 0; k < n; k++)
            for (int64_t j = 0; j < cols; j++)
                c[i * cols + j] += a[i * n + k] * b[k * cols + j];
    }
}

void
reduce(const float *x, int64_t n, float *out, int64_t blocks)
{
#pragma omp parallel for
    for (int64_t b = 0; b < blocks; b++) {
        float s = 0;
        int64_t end = (b + 1) * BLOCK < n ? (b + 1) * BLOCK : n;
#pragma omp simd reduction(+ : s)
        for (int64_t i = b * BLOCK; i < end; i++)
            s += x[i];
        out[b] = s;
    }
}

void
reduce_strided(const float *x, int64_t n, float *out, int64_t one)
{
    (void)one;
    float s = 0;
#pragma omp parallel for simd reduction(+ : s)
    for (int64_t i = 0; i < n; i++)
        s += x[i];
    out[0] += s;
}

void
transpose(const float *restrict a, int64_t rows, int64_t cols, float *restrict out, int64_t o0,
          int64_t o1)
{
    (void)o0, (void)o1;
#pragma omp parallel for
    for (int64_t i0 = 0; i0 < rows; i0 += TILE)
        for (int64_t j0 = 0; j0 < cols; j0 += TILE)
            for (int64_t j = j0; j < j0 + TILE && j < cols; j++)
                for (int64_t i = i0; i < i0 + TILE && i < rows; i++)
                    out[j * rows + i] = a[i * cols + j];
}

void
stencil(const float *restrict a, int64_t h, int64_t w, float *restrict out, int64_t o0, int64_t o1)
{
    (void)o0, (void)o1;
#pragma omp parallel for
    for (int64_t y = 1; y < h - 1; y++) {
        const float *r = a + y * w;
        for (int64_t x = 1; x < w - 1; x++)
            out[y * w + x] = 0.5f * r[x] + 0.125f * (r[x - w] + r[x + w] + r[x - 1] + r[x + 1]);
    }
}

void
histogram(const uint8_t *x, int64_t n, int32_t *bins, int64_t n_bins)
{
    (void)n_bins;
#pragma omp parallel for reduction(+ : bins[:BINS])
    for (int64_t i = 0; i < n; i++)
        bins[x[i]]++;
}

void
nbody(const float *restrict p, int64_t four, int64_t n, float *restrict force, int64_t three,
      int64_t nf)
{
    (void)four, (void)three, (void)nf;
#pragma omp parallel for
    for (int64_t i = 0; i < n; i++) {
        float fx = 0, fy = 0, fz = 0;
#pragma omp simd reduction(+ : fx, fy, fz)
        for (int64_t j = 0; j < n; j++) {
            float dx = p[j] - p[i], dy = p[n + j] - p[n + i], dz = p[2 * n + j] - p[2 * n + i];
            float r2 = dx * dx + dy * dy + dz * dz + 1e-3f;
            float w = p[3 * n + j] / (r2 * sqrtf(r2));
            fx += w * dx;
            fy += w * dy;
            fz += w * dz;
        }
        force[i] = fx;
        force[n + i] = fy;
        force[2 * n + i] = fz;
    }
}

void
mandelbrot(int32_t *out, int64_t h, int64_t w, int64_t limit)
{
#pragma omp parallel for schedule(dynamic, 8)
    for (int64_t y = 0; y < h; y++)
        for (int64_t x = 0; x < w; x++) {
            float cr = (float)x * (float)(3.0 / 1024) - 2.0f,
                  ci = (float)y * (float)(2.5 / 1024) - 1.25f;
            float zr = 0, zi = 0;
            int32_t n = 0;
            while (n < limit && zr * zr + zi * zi <= 4.0f) {
                float t = zr * zr - zi * zi + cr;
                zi = 2.0f * zr * zi + ci;
                zr = t;
                n++;
            }
            out[y * w + x] = n;
        }
}

static float
select_one(const float *x, int64_t k)
{
    float s[PART];
    memcpy(s, x, sizeof s);
    int64_t lo = 0, hi = PART - 1;
    while (lo < hi) {
        float pivot = s[(lo + hi) / 2];
        int64_t i = lo, j = hi;
        while (i <= j) {
            while (s[i] < pivot)
                i++;
            while (s[j] > pivot)
                j--;
            if (i <= j) {
                float t = s[i];
                s[i++] = s[j];
                s[j--] = t;
            }
        }
        if (k <= j)
            hi = j;
        else if (k >= i)
            lo = i;
        else
            break;
    }
    return s[k];
}

void
quickselect(const float *x, int64_t n, int64_t rank, float *out, int64_t blocks)
{
    (void)n;
#pragma omp parallel for
    for (int64_t b = 0; b < blocks; b++)
        out[b] = select_one(x + b * PART, rank);
}
