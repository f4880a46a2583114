/* SPDX-License-Identifier: BSD-3-Clause
 * Kernels: functions in C that compiled code calls with whole arrays (def/kernel.def). They live in
 * a library of their own, libswathe_kernels.so (lib/), opened when code that needs one is loaded or
 * interpreted for the first time. This is what both sides know of each other. */
#ifndef SWATHE_KERNEL_H
#define SWATHE_KERNEL_H
#include "dev/dev.h"
#include "type/builtin.h"

enum { KERNEL_AXES = 16 }; /* of an array, at most */

typedef struct KernelCx {   /* what SwCtx begins with */
    volatile int32_t *poll; /* nonzero there: ask `interrupted` soon */
} KernelCx;

typedef struct KernelArg {
    const SwDesc *array; /* NULL: an integer */
    int64_t n;           /* how many axes; the integer */
    int64_t dtype;
} KernelArg;

enum {
    KERNEL_NO_MEMORY = -1,
    KERNEL_STOPPED = -2, /* `interrupted` has recorded why */
};
/* 0, a status of its own above 0, or one of these. Any thread; keeps nothing. What it yields
 * otherwise, by its row, it puts into `n` behind the last argument. */
typedef int64_t Kernel(KernelCx *cx, KernelArg *arg);

/* Puts n aligned elements in a row in order; not stable. 0: done. Any thread; the last argument is
 * ignored. */
typedef int KernelSort(void *at, intptr_t n, void *unused);

/* A chunk of a region, see dev_pool_run. */
typedef int KernelChunk(void *env, int64_t chunk, int worker);

/* A loop of a gufunc of NumPy's: numbers, a factor, and where their transforms go. */
typedef struct KernelFft {
    void (*loop)(char **args, const intptr_t *sizes, const intptr_t *steps, void *data);
    void *data;
} KernelFft;

/* Of complex numbers, and its inverse; of real ones, by the parity of the length, and its
 * inverse. */
enum { FFT_FORWARD, FFT_INVERSE, FFT_REAL_EVEN, FFT_REAL_ODD, FFT_REAL_INVERSE, FFT_LOOPS };

typedef struct KernelHost {
    int (*interrupted)(KernelCx *cx); /* nonzero: stop. NULL: nobody may stop it */
    KernelSort *sort[DT_COUNT];       /* NumPy's; NULL: there is none */
    KernelFft fft[FFT_LOOPS];         /* NumPy's, of double precision */
    int64_t (*text)(TextAsk *t);      /* CPython's; any thread. NULL: there is none */
    /* scratch memory, given back by its free_fn. NULL: there is none left */
    SwMem *(*alloc)(size_t bytes);
    /* a region of the pool, see dev_pool_run */
    int64_t (*run)(KernelChunk *body, void *env, int64_t n, int most, int (*idle)(void *env));
    int (*thread)(void); /* the number of the thread that runs an iteration of a parallel loop */
} KernelHost;

/* ---- library.c: the loader ---- */
enum { KERNEL_ABI = 7 };
#define KERNEL_LIBRARY "libswathe_kernels.so"
typedef struct KernelLibrary { /* what it exports */
    int abi;                   /* KERNEL_ABI: refused when it differs */
    Kernel *of[BI_COUNT - BI_KERNELS];
    void *(*draw_from)(void *state);
    void (*noted)(int64_t number, void (*take)(void *to, const char *text, size_t n), void *to);
} KernelLibrary;
typedef const KernelLibrary *KernelEntry(const KernelHost *host);
#define KERNEL_ENTRY_NAME "swathe_kernels"
/* By the id of its row. `interrupted` may be NULL, and is one function for the process. NULL: there
 * is no library. */
Kernel *kernel_find(const KernelRow *row, int (*interrupted)(KernelCx *cx));
/* The random numbers of this thread come from KERNEL_RANDOM zeros, or what is left of them, from
 * now on, and generators are numbers that any memory stands for; NULL: they are the thread's and
 * the user's own again. Yields what was before. */
enum { KERNEL_RANDOM = 2560 };
void *kernel_draw_from(void *state);
/* The string that was noted by that number. Only the last ones are kept; of others it says so. */
void kernel_noted(StrBuf *out, uint64_t number);
/* NumPy's sort of a dtype, before the first kernel is looked for. SWATHE_SORT=own: it isn't
 * used. */
void kernel_lend_sort(DType d, KernelSort *sort);
void kernel_lend_fft(int which, KernelFft fft); /* in the same way: SWATHE_FFT=own */
void kernel_lend_text(int64_t (*text)(TextAsk *t));
#endif
