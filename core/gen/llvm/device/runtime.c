/* SPDX-License-Identifier: BSD-3-Clause
 * What kernels on NVIDIA's devices call: compiled by clang to LLVM bitcode, which the back end
 * holds and links in where a name is used. The functions are those of rt.def by the same
 * names; C's math functions are left open, and bound to libdevice's or to ours. */
#include <stdint.h>

#define NAN __builtin_nan("")
#define INFINITY __builtin_inf()
#define isfinite(x) __builtin_isfinite(x)

double fmod(double, double), exp(double), exp2(double), log1p(double), nextafter(double, double),
    ldexp(double, int), frexp(double, int *);
float fmodf(float, float), nextafterf(float, float);

/* ---- errors: the first thread that fails says which site, where it was, and the site's values */

__attribute__((noinline)) void
sw_fail(int64_t *fault, int32_t site, int64_t a, int64_t b, int64_t c, int64_t d)
{
    if (__sync_val_compare_and_swap(fault, 0, (int64_t)site + 1) != 0)
        return;
    fault[1] = __nvvm_read_ptx_sreg_ctaid_x();
    fault[2] = __nvvm_read_ptx_sreg_ctaid_y();
    fault[3] = __nvvm_read_ptx_sreg_ctaid_z();
    fault[4] = __nvvm_read_ptx_sreg_tid_x();
    fault[5] = __nvvm_read_ptx_sreg_tid_y();
    fault[6] = __nvvm_read_ptx_sreg_tid_z();
    fault[7] = a;
    fault[8] = b;
    fault[9] = c;
    fault[10] = d;
}

/* ---- a barrier over the grid: the first thread of each block counts it in; the first block adds what
 * is missing to turn over the highest bit, which all wait for */

__attribute__((convergent)) void
sw_grid_sync(uint32_t *arrived)
{
    __syncthreads();
    uint32_t blocks = (uint32_t)(__nvvm_read_ptx_sreg_nctaid_x() *
                                 __nvvm_read_ptx_sreg_nctaid_y() *
                                 __nvvm_read_ptx_sreg_nctaid_z());
    if (!__nvvm_read_ptx_sreg_tid_x() && !__nvvm_read_ptx_sreg_tid_y() &&
        !__nvvm_read_ptx_sreg_tid_z()) {
        int first = !__nvvm_read_ptx_sreg_ctaid_x() && !__nvvm_read_ptx_sreg_ctaid_y() &&
                    !__nvvm_read_ptx_sreg_ctaid_z();
        __nvvm_membar_gl();
        uint32_t step = first ? 0x80000000u - (blocks - 1) : 1;
        uint32_t old = __sync_fetch_and_add(arrived, step);
        while (!((old ^ *(volatile uint32_t *)arrived) & 0x80000000u))
            ;
        __nvvm_membar_gl();
    }
    __syncthreads();
}

/* ---- integers ----------------------------------------------------------------------- */

uint64_t
sw_pow_u64(uint64_t x, uint64_t n)
{
    uint64_t r = 1;
    for (; n; n >>= 1) {
        if (n & 1)
            r *= x;
        x *= x;
    }
    return r;
}

int64_t
sw_pow_i64(int64_t x, int64_t n)
{
    return n < 0 ? 0 : (int64_t)sw_pow_u64((uint64_t)x, (uint64_t)n);
}

uint64_t
sw_gcd_u64(uint64_t a, uint64_t b)
{
    if (!a || !b)
        return a | b;
    int shift = __builtin_ctzll(a | b);
    a >>= __builtin_ctzll(a);
    while (b) {
        b >>= __builtin_ctzll(b);
        uint64_t lo = a < b ? a : b;
        b = a < b ? b - a : a - b;
        a = lo;
    }
    return a << shift;
}

int64_t
sw_gcd_i64(int64_t a, int64_t b)
{
    uint64_t x = a < 0 ? 0 - (uint64_t)a : (uint64_t)a, y = b < 0 ? 0 - (uint64_t)b : (uint64_t)b;
    return (int64_t)sw_gcd_u64(x, y);
}

/* ---- // and % ----------------------------------------------------------------------- */

#define DIVMOD(T, suffix, FMOD, FLOOR, COPYSIGN)                                           \
    T sw_mod_##suffix(T a, T b)                                                       \
    {                                                                                      \
        T mod = FMOD(a, b);                                                                \
        if (b == 0)                                                                        \
            return mod;                                                                    \
        if (mod == 0)                                                                      \
            return COPYSIGN(0, b);                                                         \
        return (b < 0) != (mod < 0) ? mod + b : mod;                                       \
    }                                                                                      \
    T sw_floordiv_##suffix(T a, T b)                                                  \
    {                                                                                      \
        if (b == 0)                                                                        \
            return a / b;                                                                  \
        T mod = FMOD(a, b), div = (a - mod) / b;                                           \
        if (mod != 0 && (b < 0) != (mod < 0))                                              \
            div -= 1;                                                                      \
        if (div == 0)                                                                      \
            return COPYSIGN(0, a / b);                                                     \
        T down = FLOOR(div);                                                               \
        return div - down > (T)0.5 ? down + 1 : down;                                      \
    }

DIVMOD(double, f64, fmod, __builtin_floor, __builtin_copysign)
DIVMOD(float, f32, fmodf, __builtin_floorf, __builtin_copysignf)

/* ---- floats and their parts --------------------------------------------------------- */

double
sw_spacing_f64(double x)
{
    if (!isfinite(x))
        return NAN;
    return x == 0 ? 0x1p-1074 : nextafter(x, __builtin_copysign(INFINITY, x)) - x;
}

float
sw_spacing_f32(float x)
{
    if (!isfinite(x))
        return (float)NAN;
    return x == 0 ? 0x1p-149f : nextafterf(x, __builtin_copysignf((float)INFINITY, x)) - x;
}

float
sw_spacing_f16(float x)
{
    if (!isfinite(x))
        return (float)NAN;
    if (x == 65504.0f)
        return (float)INFINITY;
    int e;
    double m = frexp(x, &e);
    if (m == -0.5)
        e--;
    return (float)ldexp(1.0, x == 0 || e - 11 < -24 ? -24 : e - 11);
}

float
sw_nextafter_f16(float x, float y)
{
    if (x != x || y != y)
        return (float)NAN;
    if (x == y)
        return x;
    if (x == 0)
        return __builtin_copysignf(0x1p-24f, y);
    int grow = (y > x) == (x > 0);
    if (!isfinite(x))
        return __builtin_copysignf(65504.0f, x);
    int e;
    double a = x < 0 ? -x : x, m = frexp(a, &e);
    if (!grow && m == 0.5)
        e--;
    double step = ldexp(1.0, e - 11 < -24 ? -24 : e - 11), r = grow ? a + step : a - step;
    return __builtin_copysignf(r > 65504.0 ? (float)INFINITY : (float)r, x);
}

double
sw_frexp_m(double x)
{
    int e;
    return frexp(x, &e);
}

int32_t
sw_frexp_e(double x)
{
    int e = 0;
    frexp(x, &e);
    return isfinite(x) ? e : 0;
}

double
sw_logaddexp_f64(double a, double b)
{
    if (a == b)
        return a + 0.693147180559945309417232121458176568;
    double d = a - b;
    return d > 0 ? a + log1p(exp(-d)) : d <= 0 ? b + log1p(exp(d)) : d;
}

double
sw_logaddexp2_f64(double a, double b)
{
    const double log2e = 1.442695040888963407359924681001892137;
    if (a == b)
        return a + 1;
    double d = a - b;
    return d > 0 ? a + log2e * log1p(exp2(-d)) : d <= 0 ? b + log2e * log1p(exp2(d)) : d;
}

/* ---- arrays: copies by one thread, and whether two may share bytes -------------------- */

typedef struct Desc { /* SwDesc of dev.h */
    char *data;
    void *owner;
    const int64_t *shape, *strides;
} Desc;

void
sw_copy(const Desc *to, const Desc *from, int32_t ndim, int64_t item)
{
    int64_t n = 1;
    for (int k = 0; k < ndim; k++)
        n *= to->shape[k];
    for (int64_t i = 0; i < n; i++) {
        int64_t rest = i, a = 0, b = 0;
        for (int k = ndim - 1; k >= 0; k--) {
            int64_t at = rest % to->shape[k];
            rest /= to->shape[k];
            a += at * to->strides[k];
            b += at * from->strides[k];
        }
        for (int64_t j = 0; j < item; j++)
            to->data[a + j] = from->data[b + j];
    }
}

static int
extent(const Desc *a, int32_t ndim, int64_t item, const char **lo, const char **hi)
{
    *lo = *hi = a->data;
    for (int k = 0; k < ndim; k++) {
        int64_t span = (a->shape[k] - 1) * a->strides[k];
        if (a->shape[k] == 0)
            return 0;
        *(span < 0 ? lo : hi) += span;
    }
    *hi += item;
    return 1;
}

int32_t
sw_overlap(const Desc *a, int32_t na, int64_t sa, const Desc *b, int32_t nb, int64_t sb)
{
    const char *lo[2], *hi[2];
    if (!extent(a, na, sa, &lo[0], &hi[0]) || !extent(b, nb, sb, &lo[1], &hi[1]))
        return 0;
    return lo[0] < hi[1] && lo[1] < hi[0];
}
