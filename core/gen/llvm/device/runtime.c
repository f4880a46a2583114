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

extern inline __attribute__((always_inline)) void
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

/* ---- a barrier over the grid: the first thread of each block counts it in; the first block adds
 * what is missing to turn over the highest bit, which all wait for. The word is in the launch's own
 * record of errors (SPARE of DevFault), so that launches beside each other don't meet. A thread
 * that has failed doesn't come: who waits looks at the record, too, and leaves, as all of its block
 * do then, and tells its caller. */

enum { SITE = 0, SPARE = 11 };

__attribute__((noinline, convergent)) int32_t
sw_grid_sync(int64_t *fault)
{
    volatile int64_t *failed = &fault[SITE];
    volatile uint32_t *arrived = (uint32_t *)&fault[SPARE];
    __syncthreads();
    uint32_t blocks = (uint32_t)(__nvvm_read_ptx_sreg_nctaid_x() * __nvvm_read_ptx_sreg_nctaid_y() *
                                 __nvvm_read_ptx_sreg_nctaid_z());
    if (!__nvvm_read_ptx_sreg_tid_x() && !__nvvm_read_ptx_sreg_tid_y() &&
        !__nvvm_read_ptx_sreg_tid_z()) {
        int first = !__nvvm_read_ptx_sreg_ctaid_x() && !__nvvm_read_ptx_sreg_ctaid_y() &&
                    !__nvvm_read_ptx_sreg_ctaid_z();
        __nvvm_membar_gl();
        uint32_t step = first ? 0x80000000u - (blocks - 1) : 1;
        uint32_t old = __sync_fetch_and_add((uint32_t *)arrived, step);
        while (!((old ^ *arrived) & 0x80000000u) && !*failed)
            ;
        __nvvm_membar_gl();
    }
    __syncthreads();
    return *failed != 0;
}

#include "base/numbers.h"

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
