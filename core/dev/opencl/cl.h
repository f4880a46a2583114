/* SPDX-License-Identifier: BSD-3-Clause
 * The part of OpenCL's interface that we use, declared here, since its headers need not be there:
 * the library is found by dlopen when a device is asked for. CL_FN(name, parameters) is one
 * function; all return a status but those of CL_MAKE, which return an object and give the status by
 * their last pointer. */
#ifndef SWATHE_CL_H
#define SWATHE_CL_H
#include "dev/dev.h"

#include <pthread.h>

typedef int32_t cl_int;
typedef uint32_t cl_uint;
typedef uint64_t cl_ulong, cl_bits;
typedef struct ClPlatform *cl_platform;
typedef struct ClDeviceId *cl_device;
typedef struct ClContext *cl_context;
typedef struct ClQueue *cl_queue;
typedef struct ClMemId *cl_mem;
typedef struct ClProgram *cl_program;
typedef struct ClKernelId *cl_kernel;
typedef struct ClEventId *cl_event;
#define CL_WAITS cl_uint n_after, const cl_event *after, cl_event *done
/* Where it begins on both sides, how much, and the pitches of rows and slices of both. */
#define CL_RECT                                                                                    \
    const size_t *at, const size_t *at2, const size_t *region, size_t row, size_t slice,           \
        size_t row2, size_t slice2

#define CL_FUNCTIONS(CL_FN, CL_MAKE)                                                               \
    CL_FN(GetPlatformIDs, (cl_uint n, cl_platform * out, cl_uint * found))                         \
    CL_FN(GetPlatformInfo, (cl_platform p, cl_uint what, size_t n, void *out, size_t *size))       \
    CL_FN(GetDeviceIDs,                                                                            \
          (cl_platform p, cl_bits type, cl_uint n, cl_device * out, cl_uint * found))              \
    CL_FN(CreateSubDevices,                                                                        \
          (cl_device d, const intptr_t *how, cl_uint n, cl_device *out, cl_uint *found))           \
    CL_FN(GetDeviceInfo, (cl_device d, cl_uint what, size_t n, void *out, size_t *size))           \
    CL_MAKE(cl_context, CreateContext,                                                             \
            (const intptr_t *props, cl_uint n, const cl_device *d, void *notify, void *user,       \
             cl_int *e))                                                                           \
    CL_MAKE(cl_queue, CreateCommandQueue, (cl_context c, cl_device d, cl_bits props, cl_int * e))  \
    CL_FN(ReleaseCommandQueue, (cl_queue q))                                                       \
    CL_FN(Flush, (cl_queue q))                                                                     \
    CL_FN(Finish, (cl_queue q))                                                                    \
    CL_FN(EnqueueMarkerWithWaitList, (cl_queue q, CL_WAITS))                                       \
    CL_FN(EnqueueBarrierWithWaitList, (cl_queue q, CL_WAITS))                                      \
    CL_MAKE(cl_mem, CreateBuffer, (cl_context c, cl_bits flags, size_t n, void *host, cl_int *e))  \
    CL_FN(ReleaseMemObject, (cl_mem m))                                                            \
    CL_FN(EnqueueReadBuffer,                                                                       \
          (cl_queue q, cl_mem m, cl_uint block, size_t at, size_t n, void *to, CL_WAITS))          \
    CL_FN(EnqueueWriteBuffer,                                                                      \
          (cl_queue q, cl_mem m, cl_uint block, size_t at, size_t n, const void *from, CL_WAITS))  \
    CL_FN(EnqueueCopyBuffer,                                                                       \
          (cl_queue q, cl_mem from, cl_mem to, size_t f, size_t t, size_t n, CL_WAITS))            \
    CL_FN(EnqueueReadBufferRect,                                                                   \
          (cl_queue q, cl_mem m, cl_uint block, CL_RECT, void *to, CL_WAITS))                      \
    CL_FN(EnqueueWriteBufferRect,                                                                  \
          (cl_queue q, cl_mem m, cl_uint block, CL_RECT, const void *from, CL_WAITS))              \
    CL_FN(EnqueueCopyBufferRect, (cl_queue q, cl_mem from, cl_mem to, CL_RECT, CL_WAITS))          \
    CL_FN(EnqueueFillBuffer,                                                                       \
          (cl_queue q, cl_mem m, const void *pattern, size_t pn, size_t at, size_t n, CL_WAITS))   \
    CL_MAKE(cl_program, CreateProgramWithSource,                                                   \
            (cl_context c, cl_uint n, const char **text, const size_t *len, cl_int *e))            \
    CL_MAKE(cl_program, CreateProgramWithBinary,                                                   \
            (cl_context c, cl_uint n, const cl_device *d, const size_t *len,                       \
             const unsigned char **code, cl_int *status, cl_int *e))                               \
    CL_FN(BuildProgram, (cl_program p, cl_uint n, const cl_device *d, const char *options,         \
                         void *notify, void *user))                                                \
    CL_FN(GetProgramBuildInfo,                                                                     \
          (cl_program p, cl_device d, cl_uint what, size_t n, void *out, size_t *size))            \
    CL_FN(GetProgramInfo, (cl_program p, cl_uint what, size_t n, void *out, size_t *size))         \
    CL_FN(ReleaseProgram, (cl_program p))                                                          \
    CL_MAKE(cl_kernel, CreateKernel, (cl_program p, const char *name, cl_int *e))                  \
    CL_FN(ReleaseKernel, (cl_kernel k))                                                            \
    CL_FN(GetKernelInfo, (cl_kernel k, cl_uint what, size_t n, void *out, size_t *size))           \
    CL_FN(GetKernelWorkGroupInfo,                                                                  \
          (cl_kernel k, cl_device d, cl_uint what, size_t n, void *out, size_t *size))             \
    CL_FN(SetKernelArg, (cl_kernel k, cl_uint i, size_t n, const void *value))                     \
    CL_FN(EnqueueNDRangeKernel, (cl_queue q, cl_kernel k, cl_uint dims, const size_t *offset,      \
                                 const size_t *global, const size_t *local, CL_WAITS))             \
    CL_FN(WaitForEvents, (cl_uint n, const cl_event *ev))                                          \
    CL_FN(GetEventInfo, (cl_event ev, cl_uint what, size_t n, void *out, size_t *size))            \
    CL_FN(GetEventProfilingInfo, (cl_event ev, cl_uint what, size_t n, void *out, size_t *size))   \
    CL_FN(ReleaseEvent, (cl_event ev))

/* Since OpenCL 2.0: NULL where the library is older. */
#define CL_SVM_FUNCTIONS(CL_PLAIN)                                                                 \
    CL_PLAIN(void *, SVMAlloc, (cl_context c, cl_bits flags, size_t n, cl_uint align))             \
    CL_PLAIN(void, SVMFree, (cl_context c, void *p))                                               \
    CL_PLAIN(cl_int, SetKernelArgSVMPointer, (cl_kernel k, cl_uint i, const void *p))              \
    CL_PLAIN(cl_int, EnqueueSVMMemcpy,                                                             \
             (cl_queue q, cl_uint block, void *to, const void *from, size_t n, CL_WAITS))          \
    CL_PLAIN(cl_int, EnqueueSVMMemFill,                                                            \
             (cl_queue q, void *to, const void *pattern, size_t pn, size_t n, CL_WAITS))

typedef struct Cl {
#define CL_FN(name, params) cl_int(*name) params;
#define CL_MAKE(type, name, params) type(*name) params;
#define CL_PLAIN(type, name, params) type(*name) params;
    CL_FUNCTIONS(CL_FN, CL_MAKE)
    CL_SVM_FUNCTIONS(CL_PLAIN)
#undef CL_FN
#undef CL_MAKE
#undef CL_PLAIN
} Cl;

enum {
    CL_TYPE_CPU = 2,
    CL_TYPE_GPU = 4,
    CL_TYPE_ACCELERATOR = 8,
    CL_OUT_OF_ORDER = 1,
    CL_PROFILING = 2,
    CL_READ_WRITE = 1,
    CL_SVM_FINE = 1024,
};

struct DevDevice {
    const DevApi *api;
    const Cl *cl;
    cl_platform platform;
    cl_device id;
    DevProps props;
    pthread_mutex_t lock; /* of what is below */
    cl_context context;   /* NULL until it is asked for */
    size_t live;
    DevQueue *queues; /* a list: what has to end before shared memory is freed */
};

struct DevMem {
    DevDevice *dev;
    cl_mem buffer; /* or */
    void *svm;
    void *mirror; /* NULL, or the host's bytes of a buffer that stands for shared memory */
    size_t bytes;
};

struct DevQueue {
    DevDevice *dev;
    cl_queue q;
    int flags;
    DevQueue *next;
};

struct DevEvent {
    DevDevice *dev;
    cl_event ev;
    bool times;
};

struct DevModule {
    DevDevice *dev;
    cl_program program;
    DevKernel *kernels;
};

struct DevKernel {
    DevDevice *dev;
    cl_kernel k;
    pthread_mutex_t lock; /* from the first argument set to the launch */
    DevKernelInfo info;
    cl_uint n_params;
    DevKernel *next;
    char name[64];
};

/* ---- open.c ---- */
DevDevice *cl_device_at(int i, DevError *e); /* found, its context perhaps not made; NULL */
int cl_open(DevError *e);
bool cl_props(int i, DevProps *p, DevError *e);
DevDevice *cl_use(int i, DevError *e); /* with its context */
const DevProps *cl_own_props(DevDevice *d);
int cl_split(DevDevice *d, const int64_t *units, int n, DevDevice **out, int most, DevError *e);
/* True when status is 0; else *e says that `call` failed. */
bool cl_ok(cl_int status, const char *call, DevError *e);
/* ---- memory.c ---- */
DevMem *cl_alloc(DevDevice *d, size_t bytes, DevSpace space, DevError *e);
void cl_mem_free(DevMem *m);
void *cl_mem_host(DevMem *m);
uint64_t cl_mem_address(DevMem *m);
size_t cl_live_bytes(DevDevice *d);
bool cl_memory_info(DevDevice *d, size_t *free_bytes, size_t *total, DevError *e);
bool cl_write(DevQueue *q, DevMem *to, size_t offset, const void *from, size_t n, const DevWhen *w,
              DevError *e);
bool cl_read(DevQueue *q, void *to, DevMem *from, size_t offset, size_t n, const DevWhen *w,
             DevError *e);
bool cl_copy(DevQueue *q, DevMem *to, size_t to_offset, DevMem *from, size_t from_offset, size_t n,
             const DevWhen *w, DevError *e);
bool cl_fill(DevQueue *q, DevMem *to, size_t offset, const void *pattern, size_t pattern_bytes,
             size_t n, const DevWhen *w, DevError *e);
bool cl_rows(DevQueue *q, const DevRows *r, const DevWhen *w, DevError *e);
/* ---- queue.c ---- */
DevQueue *cl_queue_make(DevDevice *d, int flags, DevError *e);
bool cl_queue_sync(DevQueue *q, DevError *e);
void cl_queue_free(DevQueue *q);
DevEvent *cl_queue_mark(DevQueue *q, DevError *e);
bool cl_queue_after(DevQueue *q, DevEvent *const *after, int n, DevError *e);
DevState cl_event_state(DevEvent *ev, DevError *e);
bool cl_event_wait(DevEvent *ev, DevError *e);
bool cl_event_times(DevEvent *ev, uint64_t ns[4], DevError *e);
bool cl_event_between(DevEvent *a, DevEvent *b, double *ms, DevError *e);
void cl_event_free(DevEvent *ev);
/* What a command is to wait for and to tell. begin: false with *e; end: takes the status of the
 * command. */
typedef struct ClWhen {
    DevQueue *q;
    const DevWhen *w;
    cl_event after[64], done, *want;
    cl_uint n;
} ClWhen;
bool cl_when(ClWhen *c, DevQueue *q, const DevWhen *w, DevError *e);
bool cl_then(ClWhen *c, cl_int status, const char *call, DevError *e);
/* ---- launch.c ---- */
DevModule *cl_module(DevDevice *d, const void *code, size_t n, bool text, const char *options,
                     void **binary, size_t *binary_size, DevError *e);
void cl_module_free(DevModule *m);
DevKernel *cl_kernel_get(DevModule *m, const char *name, DevError *e);
bool cl_kernel_info(DevKernel *k, DevKernelInfo *info, DevError *e);
bool cl_launch(DevQueue *q, DevKernel *k, const DevLaunch *l, const DevWhen *w, DevError *e);
/* ---- mirror.c ---- */
bool cl_mirror_make(DevMem *m, size_t n, DevError *e);
bool cl_mirror_any(const DevLaunch *l);
bool cl_mirror_before(ClWhen *c, const DevLaunch *l, DevError *e); /* instead of what c waits for */
bool cl_mirror_after(ClWhen *c, const DevLaunch *l, DevError *e);  /* instead of cl_then */
bool cl_mirror_write(ClWhen *c, DevMem *to, size_t offset, const void *from, size_t n, DevError *e);
bool cl_mirror_read(ClWhen *c, void *to, const DevMem *from, size_t offset, size_t n, DevError *e);
bool cl_mirror_fill(ClWhen *c, DevMem *to, size_t offset, const void *pattern, size_t size,
                    size_t n, DevError *e);
#endif
