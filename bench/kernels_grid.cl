/* The kernels of kernels_grid_py.py in OpenCL C, written by hand. An array comes as its data and its shape.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#define TILE 16
#define BLOCK 256
#define WIDE 32
#define ROWS 8
#define BINS 256
#define PART 1024
#define LANES 128

kernel void
saxpy(float a, global const float *x, long n, global float *y, long ny)
{
    size_t i = get_global_id(0);
    if (i < n)
        y[i] += a * x[i];
}

kernel void
matmul(global const float *a, long rows, long n, global const float *b, long b0, long cols, global float *c,
       long c0, long c1)
{
    local float sa[TILE][TILE], sb[TILE][TILE];
    size_t x = get_global_id(0), y = get_global_id(1);
    int tx = get_local_id(0), ty = get_local_id(1);
    float total = 0;
    for (int t = 0; t < n / TILE; t++) {
        sa[ty][tx] = a[y * n + t * TILE + tx];
        sb[ty][tx] = b[(t * TILE + ty) * cols + x];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < TILE; k++)
            total += sa[ty][k] * sb[k][tx];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    c[y * cols + x] = total;
}

kernel void
reduce(global const float *x, long n, global float *out, long blocks)
{
    local float s[BLOCK];
    int t = get_local_id(0);
    size_t i = get_global_id(0);
    s[t] = i < n ? x[i] : 0.0f;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = BLOCK / 2; k > 0; k /= 2) {
        if (t < k)
            s[t] += s[t + k];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (t == 0)
        out[get_group_id(0)] = s[0];
}

void
add_float(global float *p, float v)
{
    global volatile int *w = (global volatile int *)p;
    int seen = *w, old;
    do {
        old = seen;
        seen = atomic_cmpxchg(w, old, as_int(as_float(old) + v));
    } while (seen != old);
}

kernel void
reduce_strided(global const float *x, long n, global float *out, long one)
{
    local float s[BLOCK];
    int t = get_local_id(0);
    float total = 0;
    for (size_t i = get_global_id(0); i < n; i += get_global_size(0))
        total += x[i];
    s[t] = total;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = BLOCK / 2; k > 0; k /= 2) {
        if (t < k)
            s[t] += s[t + k];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (t == 0)
        add_float(out, s[0]);
}

kernel void
transpose(global const float *a, long rows, long cols, global float *out, long o0, long o1)
{
    local float s[WIDE][WIDE + 1];
    int tx = get_local_id(0), ty = get_local_id(1);
    size_t x = get_group_id(0) * WIDE + tx, y = get_group_id(1) * WIDE + ty;
    for (int j = 0; j < WIDE; j += ROWS)
        if (x < cols && y + j < rows)
            s[ty + j][tx] = a[(y + j) * cols + x];
    barrier(CLK_LOCAL_MEM_FENCE);
    x = get_group_id(1) * WIDE + tx;
    y = get_group_id(0) * WIDE + ty;
    for (int j = 0; j < WIDE; j += ROWS)
        if (x < rows && y + j < cols)
            out[(y + j) * rows + x] = s[tx][ty + j];
}

kernel void
stencil(global const float *a, long h, long w, global float *out, long o0, long o1)
{
    local float s[TILE + 2][TILE + 2];
    long x = get_global_id(0), y = get_global_id(1);
    int tx = get_local_id(0) + 1, ty = get_local_id(1) + 1;
    bool inside = x < w && y < h;
    if (inside) {
        s[ty][tx] = a[y * w + x];
        if (tx == 1 && x > 0)
            s[ty][0] = a[y * w + x - 1];
        if (tx == TILE && x < w - 1)
            s[ty][TILE + 1] = a[y * w + x + 1];
        if (ty == 1 && y > 0)
            s[0][tx] = a[(y - 1) * w + x];
        if (ty == TILE && y < h - 1)
            s[TILE + 1][tx] = a[(y + 1) * w + x];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (inside && x > 0 && x < w - 1 && y > 0 && y < h - 1)
        out[y * w + x] = 0.5f * s[ty][tx] +
                         0.125f * (s[ty - 1][tx] + s[ty + 1][tx] + s[ty][tx - 1] + s[ty][tx + 1]);
}

kernel void
histogram(global const uchar *x, long n, global int *bins, long n_bins)
{
    local int s[BINS];
    int t = get_local_id(0);
    s[t] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (size_t i = get_global_id(0); i < n; i += get_global_size(0))
        atomic_inc(&s[x[i]]);
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_add(&bins[t], s[t]);
}

kernel void
nbody(global const float *p, long four, long n, global float *force, long three, long nf)
{
    local float s[4][BLOCK];
    int t = get_local_id(0);
    size_t i = get_global_id(0);
    float x = p[i], y = p[n + i], z = p[2 * n + i], fx = 0, fy = 0, fz = 0;
    for (int tile = 0; tile < n / BLOCK; tile++) {
        for (int c = 0; c < 4; c++)
            s[c][t] = p[c * n + tile * BLOCK + t];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < BLOCK; k++) {
            float dx = s[0][k] - x, dy = s[1][k] - y, dz = s[2][k] - z;
            float r2 = dx * dx + dy * dy + dz * dz + 1e-3f, w = s[3][k] / (r2 * sqrt(r2));
            fx += w * dx;
            fy += w * dy;
            fz += w * dz;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    force[i] = fx;
    force[n + i] = fy;
    force[2 * n + i] = fz;
}

kernel void
mandelbrot(global int *out, long h, long w, long limit)
{
    long x = get_global_id(0), y = get_global_id(1);
    if (x >= w || y >= h)
        return;
    float cr = x * (float)(3.0 / 1024) - 2.0f, ci = y * (float)(2.5 / 1024) - 1.25f, zr = 0, zi = 0;
    int n = 0;
    while (n < limit && zr * zr + zi * zi <= 4.0f) {
        float t = zr * zr - zi * zi + cr;
        zi = 2.0f * zr * zi + ci;
        zr = t;
        n++;
    }
    out[y * w + x] = n;
}

kernel void
quickselect(global const float *x, long size, long rank, global float *out, long blocks)
{
    local float s[PART], part[PART];
    local int count[2];
    int t = get_local_id(0);
    for (int i = t; i < PART; i += LANES)
        s[i] = x[get_group_id(0) * PART + i];
    int n = PART, k = rank;
    float pivot;
    while (true) {
        if (t < 2)
            count[t] = 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        pivot = s[n / 2];
        for (int i = t; i < n; i += LANES) {
            float v = s[i];
            if (v < pivot)
                part[atomic_inc(&count[0])] = v;
            else if (v > pivot)
                part[PART - 1 - atomic_inc(&count[1])] = v;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        int less = count[0], more = count[1], first = 0;
        if (k < less) {
            n = less;
        } else if (k >= n - more) {
            k -= n - more;
            n = more;
            first = PART - more;
        } else {
            break;
        }
        for (int i = t; i < n; i += LANES)
            s[i] = part[first + i];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (t == 0)
        out[get_group_id(0)] = pivot;
}

kernel void
nothing(long n)
{
}
