/* SPDX-License-Identifier: BSD-3-Clause
 * The part of CUDA's driver interface that we use, declared here, since its headers need not be
 * there: the library is found by dlopen when a device is asked for. CU_FN(name here, symbol,
 * parameters) is one function; all return a status. Also the objects of dev.h as CUDA has them. A
 * call is made between cu_enter and cu_leave, which make the device's primary context the thread's
 * own for that time: it is the one that other libraries share, and what they had made current is
 * left as it was. */
#ifndef SWATHE_CU_H
#define SWATHE_CU_H
#include "dev/dev.h"

#include <pthread.h>
#include <sys/types.h>

typedef int CuResult, CuDevice;
typedef struct CuContext *cu_context;
typedef struct CuModule *cu_module;
typedef struct CuFunction *cu_function;
typedef struct CuStream *cu_stream;
typedef struct CuEvent *cu_event;
typedef struct CuLink *cu_link;
typedef uint64_t CuPtr;

typedef struct CuSide { /* of a copy of rows; kind: 1 the host's memory, 2 the device's */
    size_t x, y;
    int kind;
    const void *host;
    CuPtr device;
    void *array;
    size_t pitch;
} CuSide;
typedef struct CuCopy2D { /* CUDA_MEMCPY2D */
    CuSide from, to;
    size_t width, n;
} CuCopy2D;

#define CU_FUNCTIONS(CU_FN)                                                                        \
    CU_FN(Init, "cuInit", (unsigned flags))                                                        \
    CU_FN(DriverGetVersion, "cuDriverGetVersion", (int *version))                                  \
    CU_FN(GetErrorName, "cuGetErrorName", (CuResult r, const char **name))                         \
    CU_FN(GetErrorString, "cuGetErrorString", (CuResult r, const char **text))                     \
    CU_FN(DeviceGetCount, "cuDeviceGetCount", (int *n))                                            \
    CU_FN(DeviceGet, "cuDeviceGet", (CuDevice * d, int i))                                         \
    CU_FN(DeviceGetName, "cuDeviceGetName", (char *name, int n, CuDevice d))                       \
    CU_FN(DeviceGetAttribute, "cuDeviceGetAttribute", (int *value, int what, CuDevice d))          \
    CU_FN(DeviceTotalMem, "cuDeviceTotalMem_v2", (size_t * bytes, CuDevice d))                     \
    CU_FN(PrimaryRetain, "cuDevicePrimaryCtxRetain", (cu_context * c, CuDevice d))                 \
    CU_FN(CtxGetLimit, "cuCtxGetLimit", (size_t * value, int what))                                \
    CU_FN(CtxSetLimit, "cuCtxSetLimit", (int what, size_t value))                                  \
    CU_FN(CtxPush, "cuCtxPushCurrent_v2", (cu_context c))                                          \
    CU_FN(CtxPop, "cuCtxPopCurrent_v2", (cu_context * c))                                          \
    CU_FN(MemAlloc, "cuMemAlloc_v2", (CuPtr * p, size_t n))                                        \
    CU_FN(MemFree, "cuMemFree_v2", (CuPtr p))                                                      \
    CU_FN(MemHostAlloc, "cuMemHostAlloc", (void **p, size_t n, unsigned flags))                    \
    CU_FN(MemFreeHost, "cuMemFreeHost", (void *p))                                                 \
    CU_FN(MemHostGetDevicePointer, "cuMemHostGetDevicePointer_v2",                                 \
          (CuPtr * p, void *host, unsigned flags))                                                 \
    CU_FN(MemAllocManaged, "cuMemAllocManaged", (CuPtr * p, size_t n, unsigned flags))             \
    CU_FN(MemGetInfo, "cuMemGetInfo_v2", (size_t * free_bytes, size_t * total))                    \
    CU_FN(CopyHtoD, "cuMemcpyHtoDAsync_v2", (CuPtr to, const void *from, size_t n, cu_stream s))   \
    CU_FN(CopyDtoH, "cuMemcpyDtoHAsync_v2", (void *to, CuPtr from, size_t n, cu_stream s))         \
    CU_FN(CopyDtoD, "cuMemcpyDtoDAsync_v2", (CuPtr to, CuPtr from, size_t n, cu_stream s))         \
    CU_FN(Copy2D, "cuMemcpy2DAsync_v2", (const CuCopy2D *c, cu_stream s))                          \
    CU_FN(SetD8, "cuMemsetD8Async", (CuPtr to, unsigned char v, size_t n, cu_stream s))            \
    CU_FN(SetD16, "cuMemsetD16Async", (CuPtr to, unsigned short v, size_t n, cu_stream s))         \
    CU_FN(SetD32, "cuMemsetD32Async", (CuPtr to, unsigned v, size_t n, cu_stream s))               \
    CU_FN(SetD2D8, "cuMemsetD2D8Async",                                                            \
          (CuPtr to, size_t pitch, unsigned char v, size_t w, size_t h, cu_stream s))              \
    CU_FN(SetD2D32, "cuMemsetD2D32Async",                                                          \
          (CuPtr to, size_t pitch, unsigned v, size_t w, size_t h, cu_stream s))                   \
    CU_FN(StreamCreate, "cuStreamCreate", (cu_stream * s, unsigned flags))                         \
    CU_FN(StreamDestroy, "cuStreamDestroy_v2", (cu_stream s))                                      \
    CU_FN(StreamSynchronize, "cuStreamSynchronize", (cu_stream s))                                 \
    CU_FN(StreamWaitEvent, "cuStreamWaitEvent", (cu_stream s, cu_event e, unsigned flags))         \
    CU_FN(EventCreate, "cuEventCreate", (cu_event * e, unsigned flags))                            \
    CU_FN(EventDestroy, "cuEventDestroy_v2", (cu_event e))                                         \
    CU_FN(EventRecord, "cuEventRecord", (cu_event e, cu_stream s))                                 \
    CU_FN(EventQuery, "cuEventQuery", (cu_event e))                                                \
    CU_FN(EventSynchronize, "cuEventSynchronize", (cu_event e))                                    \
    CU_FN(EventElapsedTime, "cuEventElapsedTime", (float *ms, cu_event a, cu_event b))             \
    CU_FN(ModuleLoadDataEx, "cuModuleLoadDataEx",                                                  \
          (cu_module * m, const void *image, unsigned n, int *what, void **values))                \
    CU_FN(ModuleUnload, "cuModuleUnload", (cu_module m))                                           \
    CU_FN(ModuleGetFunction, "cuModuleGetFunction",                                                \
          (cu_function * f, cu_module m, const char *name))                                        \
    CU_FN(LinkCreate, "cuLinkCreate_v2", (unsigned n, int *what, void **values, cu_link *l))       \
    CU_FN(LinkAddData, "cuLinkAddData_v2",                                                         \
          (cu_link l, int kind, const void *data, size_t size, const char *name, unsigned n,       \
           int *what, void **values))                                                              \
    CU_FN(LinkComplete, "cuLinkComplete", (cu_link l, void **cubin, size_t *size))                 \
    CU_FN(LinkDestroy, "cuLinkDestroy", (cu_link l))                                               \
    CU_FN(FuncGetAttribute, "cuFuncGetAttribute", (int *value, int what, cu_function f))           \
    CU_FN(FuncSetAttribute, "cuFuncSetAttribute", (cu_function f, int what, int value))            \
    CU_FN(LaunchKernel, "cuLaunchKernel",                                                          \
          (cu_function f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,         \
           unsigned bz, unsigned shared, cu_stream s, void **args, void **extra))                  \
    CU_FN(LaunchCooperative, "cuLaunchCooperativeKernel",                                          \
          (cu_function f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,         \
           unsigned bz, unsigned shared, cu_stream s, void **args))

typedef struct Cu {
#define CU_FN(name, symbol, params) CuResult(*name) params;
    CU_FUNCTIONS(CU_FN)
#undef CU_FN
} Cu;

enum { CU_NO_DEVICE = 100, CU_STUB = 34, CU_OUT_OF_MEMORY = 2, CU_NOT_READY = 600 };

/* A piece of memory that nobody holds: free once the events are done. */
typedef struct CuBlock {
    struct CuBlock *next;
    DevSpace space;
    CuPtr address;
    void *host;
    size_t bytes;
    cu_event *uses;
    int n_uses;
    int64_t user; /* the number of the one queue that `uses` are in; 0: several, or none */
    bool foreign; /* somebody else's */
} CuBlock;

struct DevDevice {
    const DevApi *api;
    const Cu *cu;
    CuDevice id;
    DevProps props;
    int64_t shared_most; /* bytes of shared memory that a kernel may ask for */
    bool managed;
    pthread_mutex_t lock; /* of what is below */
    cu_context context;   /* NULL until it is asked for */
    size_t live, cached;
    CuBlock *blocks;  /* freed ones, the last freed first */
    DevQueue *queues; /* that are there */
    int64_t next_queue;
    size_t stack;       /* bytes of each thread; 0: not asked yet */
    cu_event clock;     /* what times are counted from; NULL until a queue profiles */
    DevEvent *clock_of; /* whose start that is; NULL: the device's own */
    int64_t clock_ns;   /* when that was */
};

enum { CU_MAX_USES = 6 };
struct DevMem {
    DevDevice *dev;
    CuBlock *block;
    size_t bytes;              /* as asked for */
    int64_t used[CU_MAX_USES]; /* numbers of the queues that have used it */
    int n_used;                /* more than fit: all queues */
};

struct DevQueue {
    DevDevice *dev;
    cu_stream stream;
    int64_t number; /* never given twice */
    int flags;
    DevQueue *next;
};

struct DevEvent {
    DevDevice *dev;
    cu_event start, end; /* start: NULL unless the queue profiles */
    int64_t ns;          /* of the start, when `timed` */
    bool timed;
};

struct DevModule {
    DevDevice *dev;
    cu_module module;
    DevKernel *kernels;
};

struct DevKernel {
    DevModule *module;
    cu_function function;
    DevKernel *next;
    pthread_mutex_t lock;
    int64_t dynamic; /* bytes of shared memory that were asked for so far */
    bool asked;      /* `has` is set: a launch asks the driver once */
    DevKernelInfo has;
    char name[200];
};

/* ---- open.c ---- */
int cuda_open(DevError *e);
bool cuda_props(int device, DevProps *p, DevError *e);
DevDevice *cuda_device(int device, DevError *e);
const DevProps *cuda_own_props(DevDevice *d);
bool cu_ok(const DevDevice *d, CuResult r, const char *call, DevError *e);
bool cu_enter(DevDevice *d, DevError *e); /* false: nothing to leave */
void cu_leave(DevDevice *d);

/* ---- memory.c ---- */
DevMem *cuda_wrap(DevDevice *d, uint64_t address, size_t bytes, DevError *e);
DevMem *cuda_alloc(DevDevice *d, size_t bytes, DevSpace space, DevError *e);
DevMem *cuda_alloc_on(DevQueue *q, size_t bytes, bool *after, DevError *e);
void cuda_mem_free(DevMem *m);
void *cuda_mem_host(DevMem *m);
uint64_t cuda_mem_address(DevMem *m);
size_t cuda_live_bytes(DevDevice *d);
bool cuda_memory_info(DevDevice *d, size_t *free_bytes, size_t *total, DevError *e);
bool cuda_write(DevQueue *q, DevMem *to, size_t offset, const void *from, size_t n,
                const DevWhen *w, DevError *e);
bool cuda_read(DevQueue *q, void *to, DevMem *from, size_t offset, size_t n, const DevWhen *w,
               DevError *e);
bool cuda_copy(DevQueue *q, DevMem *to, size_t to_offset, DevMem *from, size_t from_offset,
               size_t n, const DevWhen *w, DevError *e);
bool cuda_fill(DevQueue *q, DevMem *to, size_t offset, const void *pattern, size_t pattern_bytes,
               size_t n, const DevWhen *w, DevError *e);
bool cuda_rows(DevQueue *q, const DevRows *r, const DevWhen *w, DevError *e);
void cu_use(DevQueue *q, DevMem *m); /* work that touches it was put into the queue */

/* ---- queue.c ---- */
DevQueue *cuda_queue(DevDevice *d, int flags, DevError *e);
bool cuda_queue_sync(DevQueue *q, DevError *e);
void cuda_queue_free(DevQueue *q);
DevEvent *cuda_queue_mark(DevQueue *q, DevError *e);
bool cuda_queue_after(DevQueue *q, DevEvent *const *after, int n, DevError *e);
uint64_t cuda_queue_stream(DevQueue *q);
bool cuda_queue_after_stream(DevQueue *q, uint64_t stream, DevError *e);
bool cuda_queue_before_stream(DevQueue *q, uint64_t stream, DevError *e);
DevState cuda_event_state(DevEvent *ev, DevError *e);
bool cuda_event_wait(DevEvent *ev, DevError *e);
bool cuda_event_times(DevEvent *ev, uint64_t ns[4], DevError *e);
bool cuda_event_between(DevEvent *a, DevEvent *b, double *ms, DevError *e);
void cuda_event_free(DevEvent *ev);
/* Around one piece of work, the context being entered: waits, and notes its start; then what was
 * asked for when it is in the queue. *ev goes from one to the other. */
bool cu_begin(DevQueue *q, const DevWhen *w, DevEvent **ev, DevError *e);
bool cu_end(DevQueue *q, const DevWhen *w, DevEvent *ev, bool ok, DevError *e);

/* ---- launch.c ---- */
DevModule *cuda_module(DevDevice *d, const void *code, size_t n, bool text, const char *options,
                       void **binary, size_t *binary_size, DevError *e);
void cuda_module_free(DevModule *m);
DevKernel *cuda_kernel(DevModule *m, const char *name, DevError *e);
bool cuda_kernel_info(DevKernel *k, DevKernelInfo *info, DevError *e);
bool cuda_launch(DevQueue *q, DevKernel *k, const DevLaunch *l, const DevWhen *w, DevError *e);
#endif
