/* SPDX-License-Identifier: BSD-3-Clause
 * A device: its memory, and how a compiled function is launched on it. For each callback its
 * threading rule is stated. The CPU is always there. */
#ifndef SWATHE_DEV_H
#define SWATHE_DEV_H
#include "base/base.h"

/* Memory that compiled code and Python share: counted, 64-byte aligned but what dev_small gives.
 * `free_fn` gets the SwMem when the count reaches zero, on whatever thread that happens. */
typedef struct SwMem {
    int64_t refs; /* atomic */
    void *data;
    size_t bytes;
    void (*free_fn)(struct SwMem *m);
    void *user; /* of free_fn: a PyObject*, or the layout of an object */
} SwMem;

/* Where the data of what `alloc` and dev_part give begin, below 512 KiB. */
enum { DEV_HEADER = 64 };

/* A word for whoever has memory that `alloc` gave. */
static inline void *
dev_spare(SwMem *m)
{
    return (char *)m + DEV_HEADER - 2 * sizeof(void *);
}

/* Is nothing that this thread's compiled code refers to known to another thread that runs? Then
 * counts need no atomic operations. So it is while a call runs that has neither instances nor
 * workers, nor shows Python what it may keep, which the one who calls says; and not while Python
 * runs for it. */
extern __thread bool dev_alone __attribute__((tls_model("initial-exec")));

static inline void
dev_retain(SwMem *m)
{
    if (SW_LIKELY(dev_alone))
        m->refs++;
    else
        __atomic_fetch_add(&m->refs, 1, __ATOMIC_RELAXED);
}

/* Was it the last reference? */
static inline bool
dev_let_go(SwMem *m)
{
    if (SW_LIKELY(dev_alone))
        return --m->refs == 0;
    return __atomic_fetch_sub(&m->refs, 1, __ATOMIC_ACQ_REL) == 1;
}

/* What others may share begins. Yields what dev_alone is afterwards. */
static inline bool
dev_together(void)
{
    bool was = dev_alone;
    dev_alone = false;
    return was;
}

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
    /* the free_fn of what it gives; any thread */
    void (*free)(SwMem *m);
    /* give cached memory back; any thread */
    void (*trim)(struct Dev *d);
    size_t (*cached_bytes)(struct Dev *d);
    /* handed out and not freed yet: for leak tests */
    size_t (*live_bytes)(struct Dev *d);
} Dev;
/* What strings are made of: at most DEV_SMALL_MOST bytes, aligned to 8; NULL: out of memory. Arrays
 * of up to DEV_SMALL bytes are there, too. */
enum { DEV_SMALL = 192, DEV_SMALL_MOST = 976 };
SwMem *dev_small(size_t bytes, bool zero);
Dev *dev_cpu(void); /* a caching allocator: size classes, big blocks in huge pages */

/* Small pieces of the CPU's memory that live for about as long as each other: parts of a block,
 * each counted, which goes when all of them have gone. {0} has none yet. */
typedef struct DevParts {
    SwMem *block;
    size_t used;
} DevParts;
SwMem *dev_part(DevParts *p, size_t bytes); /* not zeroed. NULL: it is too large, or no memory */
void dev_parts_end(DevParts *p);            /* there will be no more of them */

/* ---- cpu/pool.c: workers ------------------------------------------------------------------
 * One pool for the process, made at its first use, made anew in a child of fork. */
typedef int (*DevChunk)(void *env, int64_t chunk, int worker); /* 0, or not: it failed */
/* Runs body(env, c, w) for c in 0 .. n-1, each once, in any order, side by side on at most `most`
 * workers (0: all), the caller among them with w = 0; w < dev_pool_width(). Returns when all that
 * were started have ended: 0, or the least c whose body did not return 0, plus one; chunks after
 * that are not begun any more, those before it are: it is the one that a serial run fails at.
 * `idle` (may be NULL) is called by the caller now and then while it waits; a nonzero answer stops
 * the region for all chunks, and the result is n + 1. Any thread; inside a chunk it runs all on the
 * caller. A worker that isn't running is never waited for: the caller takes its chunks. */
int64_t dev_pool_run(DevChunk body, void *env, int64_t n, int most, int (*idle)(void *env));
/* workers that there can be, the caller among them: by affinity and cgroup, or
 * SWATHE_NUM_THREADS */
int dev_pool_width(void);
int dev_pool_threads(void);      /* of this thread's setting: 1 .. width */
int dev_pool_number(void);       /* of this thread in its loop: 0 .. dev_pool_threads() - 1 */
int dev_pool_set_threads(int n); /* for the calling thread's regions; -1: not in 1 .. width */
/* ---- cpu/width.c ---- */
enum { DEV_MAX_THREADS = 256 };
/* SWATHE_NUM_THREADS, or what affinity and cgroup allow: 1 .. DEV_MAX_THREADS; reads files */
int dev_cpu_count(void);
/* Processors that the cgroups of a process may use, rounded up, 0: no limit. The file is as
 * /proc/self/cgroup, the folder as /sys/fs/cgroup. */
int dev_cpu_quota(const char *proc_file, const char *sys_folder);

/* ---- devices with drivers: OpenCL, CUDA ----------------------------------------------------
 * One vtable for each driver interface. Nothing is opened before `open`, which finds the driver's
 * library by dlopen. Every driver call is checked: what fails fills *e and yields NULL, false or
 * -1. All callbacks may be called from any thread at any time without the GIL, unless said
 * otherwise; objects are freed once, by their `*_free`, and an object may be freed while the device
 * still uses it (the driver, or we, keep it until then). */
/* which class of swathe.Error it becomes */
typedef enum DevStatus {
    DEV_OK,
    DEV_NO_DRIVER, /* NoDeviceError: the library isn't there, or too old */
    DEV_NO_DEVICE, /* NoDeviceError */
    DEV_LOST,      /* DeviceLostError: nothing on this device will work any more */
    DEV_MEMORY,    /* DeviceMemoryError */
    DEV_BUILD,     /* CompileError: the device's compiler refused; text has its log */
    /* LaunchError: grid, block or shared memory over what device or kernel can do */
    DEV_LIMIT,
    /* QueueError: an object of another device, a freed one, an offset out of range */
    DEV_ARGUMENT,
    DEV_DRIVER, /* DeviceError: any other error of the driver */
} DevStatus;
typedef struct DevError {
    DevStatus status;
    int code;        /* the driver's */
    char text[2048]; /* the driver's call, the name of its error, what it was about */
} DevError;

typedef enum DevKind { DEV_CPU = 1, DEV_GPU, DEV_ACCELERATOR } DevKind;
typedef struct DevProps {
    DevKind kind;
    char name[128], vendor[128], driver[128], version[128], platform[128];
    char build_key[256]; /* what a binary of a module depends on: for the disk cache */
    int arch;            /* CUDA: 75 for sm_75; else 0 */
    int64_t compute_units, clock_mhz, warp, max_threads /* a block */, max_block[3], max_grid[3];
    int64_t global_bytes, max_alloc, shared_bytes /* a block */, const_bytes, cache_bytes;
    int64_t address_bits, sub_devices /* that it can be cut into; 0: no */;
    bool fp16, fp64, atomic64, unified /* memory is the host's own */, svm_coarse, svm_fine,
        cooperative, profiling, out_of_order, images, exact_divide /* of float32, when told so */;
} DevProps;

/* Opaque: each driver interface has its own. The first member of each is its device. */
/* a device with its context: made once for each index, never freed */
typedef struct DevDevice DevDevice;
typedef struct DevMem DevMem; /* an allocation; `DevMem *` + byte offset is an address */
typedef struct DevQueue DevQueue;
typedef struct DevEvent DevEvent;
typedef struct DevModule DevModule;
typedef struct DevKernel DevKernel; /* lives as long as its module */

typedef enum DevSpace { DEV_SPACE_DEVICE, DEV_SPACE_HOST, DEV_SPACE_SHARED } DevSpace;
enum { DEV_QUEUE_OUT_OF_ORDER = 1, DEV_QUEUE_PROFILING = 2 };
typedef enum DevState { DEV_WAITING, DEV_SUBMITTED, DEV_RUNNING, DEV_DONE, DEV_FAILED } DevState;

/* When a piece of work runs: after `after` (events of any queue of the device) and, in a queue in
 * order, after what was put there before. `done`: gets an event, to be freed by the caller; NULL:
 * not wanted. `block`: return when the work has ended. A copy between host and device that doesn't
 * block needs the host's memory to stay until it is done. NULL instead of a DevWhen: {0}, not
 * blocking. */
typedef struct DevWhen {
    DevEvent *const *after;
    int n_after;
    DevEvent **done;
    bool block;
} DevWhen;

/* An argument of a kernel: DEV_ARG_MEM: the address mem + offset (mem NULL: a null pointer; on
 * OpenCL two parameters, `__global char *` and `long`). DEV_ARG_VALUE: `bytes` of value. */
typedef enum DevArgKind { DEV_ARG_MEM, DEV_ARG_VALUE } DevArgKind;
typedef struct DevArg {
    DevArgKind kind;
    int bytes;
    DevMem *mem;
    union {
        int64_t offset;
        uint64_t value; /* little-endian: the first `bytes` of it */
    };
} DevArg;

typedef struct DevLaunch {
    int64_t grid[3], block[3]; /* blocks; threads of one: all >= 1 */
    int64_t shared;            /* bytes of dynamic shared memory, besides the kernel's own */
    int n_args;
    const DevArg *args;
    int64_t stack;    /* bytes that a thread may need of it, 0: what there is */
    bool cooperative; /* all blocks at once: barriers over the grid */
} DevLaunch;

/* Rows of `width` bytes, `pitch` apart on each side: from memory of the device to such, or between
 * it and the host (to or from NULL: its side begins at `host`). */
typedef struct DevRows {
    size_t n, width;
    DevMem *to, *from;
    char *host;
    size_t to_at, to_pitch, from_at, from_pitch;
} DevRows;

typedef struct DevKernelInfo {
    int64_t max_threads; /* a block of this kernel may have */
    int64_t shared_bytes, local_bytes, registers, simd;
} DevKernelInfo;

typedef struct DevApi {
    const char *name; /* "opencl", "cuda": as in selectors */
    int target;       /* TARGET_*: what modules are made of */
    /* number of devices; opens the driver at the first call; -1: there is no driver */
    int (*open)(DevError *e);
    bool (*props)(int device, DevProps *p, DevError *e);
    DevDevice *(*device)(int device, DevError *e);
    const DevProps *(*own_props)(DevDevice *d);
    /* Parts of a device, each a device of its own: of units[0] compute units each (n = 1), of so
     * many each (n > 1), or by what they share (n = 0). Their number, -1: it can't be cut so. They
     * are never freed. NULL: devices of this kind have no parts. */
    int (*split)(DevDevice *d, const int64_t *units, int n, DevDevice **out, int most, DevError *e);
    /* Memory of somebody else at an address of the device, which lasts longer than this; freeing it
     * does nothing to it. NULL: there are no such addresses. */
    DevMem *(*wrap)(DevDevice *d, uint64_t address, size_t bytes, DevError *e);

    /* HOST: of the host, fast to copy, readable by the device; SHARED: both may touch it, not at
     * the same time. bytes may be 0. Contents are undefined. */
    DevMem *(*alloc)(DevDevice *d, size_t bytes, DevSpace space, DevError *e);
    /* Memory of the device for a queue: what is put there from now on may use it at once; *after:
     * another queue has to come after what the queue has been given so far. NULL: `alloc` is as
     * good. */
    DevMem *(*alloc_on)(DevQueue *q, size_t bytes, bool *after, DevError *e);
    void (*mem_free)(DevMem *m);
    /* where the host sees it: HOST and SHARED; NULL: it doesn't */
    void *(*mem_host)(DevMem *m);
    /* on the device; 0: it has none that lasts (OpenCL buffers) */
    uint64_t (*mem_address)(DevMem *m);
    size_t (*live_bytes)(DevDevice *d); /* handed out and not freed */
    bool (*memory_info)(DevDevice *d, size_t *free_bytes, size_t *total, DevError *e);
    bool (*write)(DevQueue *q, DevMem *to, size_t offset, const void *from, size_t n,
                  const DevWhen *w, DevError *e);
    bool (*read)(DevQueue *q, void *to, DevMem *from, size_t offset, size_t n, const DevWhen *w,
                 DevError *e);
    bool (*copy)(DevQueue *q, DevMem *to, size_t to_offset, DevMem *from, size_t from_offset,
                 size_t n, const DevWhen *w, DevError *e);
    /* pattern: 1, 2, 4, 8 or 16 bytes; n is a multiple of it */
    bool (*fill)(DevQueue *q, DevMem *to, size_t offset, const void *pattern, size_t pattern_bytes,
                 size_t n, const DevWhen *w, DevError *e);
    /* Touches no byte between the rows. In a queue without order, `block` is true. */
    bool (*rows)(DevQueue *q, const DevRows *r, const DevWhen *w, DevError *e);

    DevQueue *(*queue)(DevDevice *d, int flags, DevError *e);
    /* the first error of its work that nobody was told of, if any */
    bool (*queue_sync)(DevQueue *q, DevError *e);
    void (*queue_free)(DevQueue *q);
    /* an event that is done when all put there before is */
    DevEvent *(*queue_mark)(DevQueue *q, DevError *e);
    /* what comes next waits for them */
    bool (*queue_after)(DevQueue *q, DevEvent *const *after, int n, DevError *e);
    /* The driver's own handle of a queue, for other libraries to wait for; what comes next in ours
     * waits for all that is in theirs now; and the other way round. NULL: no other library has
     * queues of this driver. */
    uint64_t (*queue_stream)(DevQueue *q);
    bool (*queue_after_stream)(DevQueue *q, uint64_t stream, DevError *e);
    bool (*queue_before_stream)(DevQueue *q, uint64_t stream, DevError *e);

    /* For calls of other libraries on this thread, in between: the device's context is current.
     * queue_uses: work that they put in the queue's stream uses the memory, which is given to
     * others after it only. NULL: no other library works on this driver's memory. */
    bool (*enter)(DevDevice *d, DevError *e);
    void (*leave)(DevDevice *d);
    void (*queue_uses)(DevQueue *q, DevMem *m);

    DevState (*event_state)(DevEvent *ev, DevError *e);
    bool (*event_wait)(DevEvent *ev, DevError *e);
    /* ns[4] by the device's clock: queued, submitted, started, ended. What a driver doesn't know
     * equals the next that it knows. false: the queue doesn't profile, or the work isn't done */
    bool (*event_times)(DevEvent *ev, uint64_t ns[4], DevError *e);
    /* From the end of a to the end of b in milliseconds, exact to what the clock shows however old
     * they are. */
    bool (*event_between)(DevEvent *a, DevEvent *b, double *ms, DevError *e);
    void (*event_free)(DevEvent *ev);

    /* text: source (OpenCL C, PTX), NUL-terminated; else a binary that this call made before for a
     * device with the same build_key (refused ones are made anew by the caller). binary (may be
     * NULL): malloc'ed; NULL: there is none. options: for the driver's compiler, or NULL. */
    DevModule *(*module)(DevDevice *d, const void *code, size_t n, bool text, const char *options,
                         void **binary, size_t *binary_size, DevError *e);
    void (*module_free)(DevModule *m);
    DevKernel *(*kernel)(DevModule *m, const char *name, DevError *e);
    bool (*kernel_info)(DevKernel *k, DevKernelInfo *info, DevError *e);
    /* What the arguments hold is read before it returns. One thread at a time for each kernel:
     * launch locks. */
    bool (*launch)(DevQueue *q, DevKernel *k, const DevLaunch *l, const DevWhen *w, DevError *e);
} DevApi;
const DevApi *dev_opencl(void);
const DevApi *dev_cuda(void);
/* in the order of preference; NULL: there are no more. Nothing is opened (api.c) */
const DevApi *dev_api(int i);
/* ---- rows.c ---- */
/* a copy for each */
bool dev_rows_each(const DevApi *api, DevQueue *q, const DevRows *r, const DevWhen *w, DevError *e);
/* ---- error.c ---- */
/* Fills *e; always false. */
bool dev_fail(DevError *e, DevStatus s, int code, const char *fmt, ...) SW_PRINTF(4, 5);

/* What a failing thread of a kernel leaves behind: the kernel's last argument. Zeroed before the
 * launch. */
typedef struct DevFault {
    /* + 1 of the first thread that failed, by atomic compare-and-set; 0: none did */
    int64_t site;
    int64_t block[3], thread[3];
    int64_t a[4];     /* the site's arguments */
    uint32_t arrived; /* blocks at a barrier of the grid: sw_grid_sync */
    int64_t spare[4];
} DevFault;
_Static_assert(sizeof(DevFault) == 16 * sizeof(int64_t), "compiled kernels know its layout");
#endif
