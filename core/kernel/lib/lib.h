/* SPDX-License-Identifier: BSD-3-Clause
 * Inside libswathe_kernels.so, which links to nothing of the compiler. A kernel solves one problem
 * after the other: the last axes of its arrays are one, those before them count them (Walk). */
#ifndef SWATHE_KERNEL_LIB_H
#define SWATHE_KERNEL_LIB_H
#include "kernel/kernel.h"

#define KERNEL(id, ...) Kernel kernel_##id;
#include "def/kernel.def"
/* A row, see there, and its function. */
#define KERNEL(id, ...) int64_t kernel_##id(KernelCx *cx, KernelArg *arg)

/* What a kernel yields: arg[n] of n arguments. */
#define kernel_yield(arg, at, v) memcpy(&(arg)[at].n, &(v), sizeof(int64_t))

/* ---- random.c ---- */
void *random_draw_from(void *state); /* see kernel_draw_from */

/* ---- text.c ---- */
void text_noted(int64_t number, void (*take)(void *to, const char *text, size_t n), void *to);

/* ---- main.c ---- */
enum { WALK_ARRAYS = 4 };
typedef struct Walk {
    int64_t left; /* problems, with the one at hand */
    int outer, n; /* axes over problems; arrays */
    const KernelArg *arg;
    char *data[WALK_ARRAYS]; /* of the problem at hand */
    int64_t at[KERNEL_AXES];
} Walk;
/* The first n arguments are arrays of which the last core[i] axes are a problem. */
void walk_begin(Walk *w, const KernelArg *arg, int n, const int *core);
void walk_next(Walk *w);
const KernelHost *kernel_host(void);
bool kernel_stops(KernelCx *cx); /* between two problems */
static inline int64_t
kernel_dim(const KernelArg *a, int from_end) /* 1: the last axis */
{
    return a->array->shape[a->n - from_end];
}
static inline int64_t
kernel_stride(const KernelArg *a, int from_end)
{
    return a->array->strides[a->n - from_end];
}
#endif
