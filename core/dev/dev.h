/* SPDX-License-Identifier: BSD-3-Clause
 * A device: its memory, and how a compiled function is launched on it. For each callback its
 * threading rule is stated. The CPU is always there. */
#ifndef SWATHE_DEV_H
#define SWATHE_DEV_H
#include "base/base.h"

/* Memory that compiled code and Python share: counted, 64-byte aligned. `free_fn` gets the SwMem when the
 * count reaches zero, on whatever thread that happens. */
typedef struct SwMem {
    int64_t refs;       /* atomic */
    void *data;
    size_t bytes;
    void (*free_fn)(struct SwMem *m);
    void *user;         /* of free_fn: the allocator's block, or a PyObject* */
} SwMem;

/* A strided array as the runtime functions take it. */
typedef struct SwDesc {
    char *data;
    SwMem *owner;
    const int64_t *shape, *strides; /* strides in bytes */
} SwDesc;

typedef struct Dev {
    const char *name;
    int (*init)(struct Dev *d);
    SwMem *(*alloc)(struct Dev *d, size_t bytes, bool zero); /* NULL: out of memory; any thread */
    void (*trim)(struct Dev *d);                             /* give cached memory back; any thread */
    size_t (*cached_bytes)(struct Dev *d);
    size_t (*live_bytes)(struct Dev *d);                     /* handed out and not freed yet: for leak tests */
} Dev;
Dev *dev_cpu(void); /* a caching allocator: size classes, big blocks in huge pages */

/* ---- cpu/pool.c: workers ------------------------------------------------------------------
 * One pool for the process, made at its first use, made anew in a child of fork. */
typedef int (*DevChunk)(void *env, int64_t chunk, int worker); /* 0, or not: it failed */
/* Runs body(env, c, w) for c in 0 .. n-1, each once, in any order, side by side on at most `most` workers (0:
 * all), the caller among them with w = 0; w < dev_pool_width(). Returns when all that were started have
 * ended: 0, or the least c whose body did not return 0, plus one; chunks after that are not begun any more, those
 * before it are: it is the one that a serial run fails at. `idle` (may be NULL) is called by the caller now and
 * then while it waits; a nonzero answer stops the region for all chunks, and the result is n + 1. Any thread; inside
 * a chunk it runs all on the caller. A worker that isn't running is never waited for: the caller takes its chunks. */
int64_t dev_pool_run(DevChunk body, void *env, int64_t n, int most, int (*idle)(void *env));
int dev_pool_width(void);          /* workers that there can be, the caller among them: by affinity and cgroup, or SWATHE_NUM_THREADS */
int dev_pool_threads(void);        /* of this thread's setting: 1 .. width */
int dev_pool_set_threads(int n);   /* for the calling thread's regions; -1: not in 1 .. width */
/* ---- cpu/width.c ---- */
enum { DEV_MAX_THREADS = 256 };
int dev_cpu_count(void);           /* SWATHE_NUM_THREADS, or what affinity and cgroup allow: 1 .. DEV_MAX_THREADS; reads files */
/* Processors that the cgroups of a process may use, rounded up, 0: no limit. The file is as /proc/self/cgroup, the
 * folder as /sys/fs/cgroup. */
int dev_cpu_quota(const char *proc_file, const char *sys_folder);
#endif
