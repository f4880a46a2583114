/* SPDX-License-Identifier: BSD-3-Clause
 * Which OpenCL devices there are: the ICD loader's library opened by its name, its functions
 * looked up, each platform asked for its devices. All of it happens once, when a device is first
 * asked for; a machine without OpenCL has none. A device's context is made at its first use. */
#include "dev/opencl/cl.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { MAX_DEVICES = 64 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static Cl functions;
static DevDevice devices[MAX_DEVICES];
static int n_devices = -1; /* not opened */
static pid_t opened_by;

/* ---- errors --------------------------------------------------------------------------------- */

typedef struct ClError {
    cl_int code;
    DevStatus status;
    const char *name;
} ClError;

static const ClError errors[] = {
    {-1, DEV_NO_DEVICE, "CL_DEVICE_NOT_FOUND"},
    {-2, DEV_LOST, "CL_DEVICE_NOT_AVAILABLE"},
    {-3, DEV_BUILD, "CL_COMPILER_NOT_AVAILABLE"},
    {-4, DEV_MEMORY, "CL_MEM_OBJECT_ALLOCATION_FAILURE"},
    {-5, DEV_LIMIT, "CL_OUT_OF_RESOURCES"},
    {-6, DEV_MEMORY, "CL_OUT_OF_HOST_MEMORY"},
    {-7, DEV_DRIVER, "CL_PROFILING_INFO_NOT_AVAILABLE"},
    {-11, DEV_BUILD, "CL_BUILD_PROGRAM_FAILURE"},
    {-14, DEV_DRIVER, "CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST"},
    {-30, DEV_ARGUMENT, "CL_INVALID_VALUE"},
    {-33, DEV_LOST, "CL_INVALID_DEVICE"},
    {-34, DEV_ARGUMENT, "CL_INVALID_CONTEXT"},
    {-36, DEV_ARGUMENT, "CL_INVALID_COMMAND_QUEUE"},
    {-38, DEV_ARGUMENT, "CL_INVALID_MEM_OBJECT"},
    {-42, DEV_BUILD, "CL_INVALID_BINARY"},
    {-44, DEV_BUILD, "CL_INVALID_PROGRAM"},
    {-46, DEV_ARGUMENT, "CL_INVALID_KERNEL_NAME"},
    {-51, DEV_ARGUMENT, "CL_INVALID_ARG_SIZE"},
    {-52, DEV_ARGUMENT, "CL_INVALID_KERNEL_ARGS"},
    {-54, DEV_LIMIT, "CL_INVALID_WORK_GROUP_SIZE"},
    {-55, DEV_LIMIT, "CL_INVALID_WORK_ITEM_SIZE"},
    {-59, DEV_DRIVER, "CL_INVALID_OPERATION"},
    {-61, DEV_MEMORY, "CL_INVALID_BUFFER_SIZE"},
    {-63, DEV_LIMIT, "CL_INVALID_GLOBAL_WORK_SIZE"},
};

bool
cl_ok(cl_int status, const char *call, DevError *e)
{
    if (status == 0)
        return true;
    for (int i = 0; i < SW_LEN(errors); i++)
        if (errors[i].code == status)
            return dev_fail(e, errors[i].status, status, "cl%s: %s", call, errors[i].name);
    return dev_fail(e, DEV_DRIVER, status, "cl%s: error %d", call, status);
}

/* ---- the library ----------------------------------------------------------------------------- */

static void
look_up(void *lib, const char *name, void *to)
{
    char full[64];
    snprintf(full, sizeof full, "cl%s", name);
    *(void **)to = dlsym(lib, full);
}

/* SWATHE_OPENCL_LIB names another library; the tests' own, say. */
static bool
load_library(DevError *e)
{
    const char *name = getenv("SWATHE_OPENCL_LIB"), *missing = NULL;
    name = name && *name ? name : "libOpenCL.so.1";
    void *lib = dlopen(name, RTLD_LAZY | RTLD_LOCAL);
    if (!lib)
        return dev_fail(e, DEV_NO_DRIVER, 0, "OpenCL: %s", dlerror());
#define CL_FN(fn, params)                                                                          \
    look_up(lib, #fn, &functions.fn);                                                              \
    missing = functions.fn ? missing : #fn;
#define CL_MAKE(type, fn, params) CL_FN(fn, params)
#define CL_PLAIN(type, fn, params) look_up(lib, #fn, &functions.fn);
    CL_FUNCTIONS(CL_FN, CL_MAKE)
    CL_SVM_FUNCTIONS(CL_PLAIN)
#undef CL_FN
#undef CL_MAKE
#undef CL_PLAIN
    return !missing || dev_fail(e, DEV_NO_DRIVER, 0, "OpenCL: %s has no cl%s", name, missing);
}

/* ---- properties ------------------------------------------------------------------------------ */

static void
text(const DevDevice *d, cl_uint what, char *out, size_t n)
{
    size_t size = 0;
    char buf[1024] = "";
    if (functions.GetDeviceInfo(d->id, what, sizeof buf - 1, buf, &size))
        buf[0] = 0;
    const char *s = buf + strspn(buf, " ");
    snprintf(out, n, "%s", s);
    for (size_t k = strlen(out); k && out[k - 1] == ' '; k--)
        out[k - 1] = 0;
}

static int64_t
number(const DevDevice *d, cl_uint what)
{
    union {
        uint32_t u32;
        uint64_t u64;
        size_t size;
    } v = {.u64 = 0};
    size_t n = 0;
    if (functions.GetDeviceInfo(d->id, what, sizeof v, &v, &n))
        return 0;
    return (int64_t)(n == 4 ? v.u32 : v.u64);
}

static bool
has_extension(const DevDevice *d, const char *name)
{
    size_t n = 0, len = strlen(name);
    if (functions.GetDeviceInfo(d->id, 0x1030, 0, NULL, &n) || !n)
        return false;
    char *all = calloc(1, n + 1);
    bool found = false;
    if (all && !functions.GetDeviceInfo(d->id, 0x1030, n, all, NULL))
        for (const char *s = all; !found && (s = strstr(s, name)); s += len)
            found = (s == all || s[-1] == ' ') && (s[len] == ' ' || !s[len]);
    free(all);
    return found;
}

static void
read_limits(const DevDevice *d, DevProps *p)
{
    size_t items[8] = {1, 1, 1};
    functions.GetDeviceInfo(d->id, 0x1005, sizeof items, items, NULL);
    for (int i = 0; i < 3; i++) {
        p->max_block[i] = (int64_t)items[i];
        p->max_grid[i] = INT32_MAX;
    }
    p->compute_units = number(d, 0x1002);
    p->clock_mhz = number(d, 0x100C);
    p->warp = 32; /* what our warp operations go by */
    p->max_threads = number(d, 0x1004);
    p->global_bytes = number(d, 0x101F);
    p->max_alloc = number(d, 0x1010);
    p->shared_bytes = number(d, 0x1023);
    p->const_bytes = number(d, 0x1020);
    p->cache_bytes = number(d, 0x101E);
    p->address_bits = number(d, 0x100D);
    p->sub_devices = number(d, 0x1043);
}

static void
read_props(DevDevice *d)
{
    DevProps *p = &d->props;
    int64_t type = number(d, 0x1000), svm = number(d, 0x1053), queue = number(d, 0x102A);
    p->kind = type & CL_TYPE_GPU ? DEV_GPU : type & CL_TYPE_CPU ? DEV_CPU : DEV_ACCELERATOR;
    text(d, 0x102B, p->name, sizeof p->name);
    text(d, 0x102C, p->vendor, sizeof p->vendor);
    text(d, 0x102D, p->driver, sizeof p->driver);
    text(d, 0x102F, p->version, sizeof p->version);
    functions.GetPlatformInfo(d->platform, 0x0902, sizeof p->platform - 1, p->platform, NULL);
    snprintf(p->build_key, sizeof p->build_key, "%.60s|%.60s|%.60s|%.60s", p->platform, p->name,
             p->driver, p->version);
    read_limits(d, p);
    p->fp16 = has_extension(d, "cl_khr_fp16");
    p->fp64 = number(d, 0x1032) != 0 || has_extension(d, "cl_khr_fp64");
    /* "0": as if the device had no shared virtual memory */
    const char *off = getenv("SWATHE_OPENCL_SVM");
    svm = off && !strcmp(off, "0") ? 0 : svm;
    p->atomic64 = has_extension(d, "cl_khr_int64_base_atomics") &&
                  has_extension(d, "cl_khr_int64_extended_atomics");
    p->unified = number(d, 0x1035) != 0;
    p->svm_coarse = (svm & 1) && functions.SVMAlloc && functions.SVMFree;
    p->svm_fine = p->svm_coarse && (svm & 2) && functions.SetKernelArgSVMPointer &&
                  functions.EnqueueSVMMemcpy && functions.EnqueueSVMMemFill;
    p->profiling = queue & CL_PROFILING;
    p->out_of_order = queue & CL_OUT_OF_ORDER;
    p->exact_divide = number(d, 0x101B) & 0x80;
    p->images = number(d, 0x1016) != 0;
}

/* ---- the list -------------------------------------------------------------------------------- */

static void
set_device(DevDevice *d, cl_platform p, cl_device id)
{
    d->api = dev_opencl();
    d->cl = &functions;
    d->platform = p;
    d->id = id;
    pthread_mutex_init(&d->lock, NULL);
    read_props(d);
}

static void
add_platform(cl_platform p)
{
    cl_device found[MAX_DEVICES];
    cl_uint n = 0;
    if (functions.GetDeviceIDs(p, CL_TYPE_GPU | CL_TYPE_CPU | CL_TYPE_ACCELERATOR, MAX_DEVICES,
                               found, &n))
        return;
    for (cl_uint i = 0; i < n && i < MAX_DEVICES && n_devices < MAX_DEVICES; i++) {
        set_device(&devices[n_devices++], p, found[i]);
    }
}

/* The lock is held. No platform is no error: there are no devices then. */
static int
open_all(DevError *e)
{
    cl_platform found[32];
    cl_uint n = 0;
    if (!load_library(e))
        return -1;
    n_devices = 0;
    cl_int status = functions.GetPlatformIDs(SW_LEN(found), found, &n);
    for (cl_uint i = 0; status == 0 && i < n && i < SW_LEN(found); i++)
        add_platform(found[i]);
    return n_devices;
}

int
cl_open(DevError *e)
{
    pthread_mutex_lock(&lock);
    int n = n_devices;
    if (n < 0) {
        opened_by = getpid();
        n = open_all(e);
    } else if (opened_by != getpid()) { /* the driver's threads are the parent's */
        dev_fail(e, DEV_LOST, 0,
                 "OpenCL: the process was forked after it had opened the driver, which does not "
                 "live on in the child; start processes by spawning");
        n = -1;
    }
    pthread_mutex_unlock(&lock);
    return n;
}

DevDevice *
cl_device_at(int i, DevError *e)
{
    int n = cl_open(e);
    if (n < 0)
        return NULL;
    if (i < 0 || i >= n) {
        dev_fail(e, DEV_NO_DEVICE, 0, "OpenCL has %d devices: there is no number %d", n, i);
        return NULL;
    }
    return &devices[i];
}

bool
cl_props(int i, DevProps *p, DevError *e)
{
    DevDevice *d = cl_device_at(i, e);
    if (d)
        *p = d->props;
    return d != NULL;
}

static DevDevice *
with_context(DevDevice *d, DevError *e)
{
    cl_int status = 0;
    pthread_mutex_lock(&d->lock);
    if (!d->context) {
        intptr_t props[] = {0x1084, (intptr_t)d->platform, 0};
        d->context = functions.CreateContext(props, 1, &d->id, NULL, NULL, &status);
    }
    pthread_mutex_unlock(&d->lock);
    return cl_ok(d->context ? 0 : status ? status : -2, "CreateContext", e) ? d : NULL;
}

DevDevice *
cl_use(int i, DevError *e)
{
    DevDevice *d = cl_device_at(i, e);
    return d ? with_context(d, e) : NULL;
}

/* ---- parts of a device ----------------------------------------------------------------------- */

const DevProps *
cl_own_props(DevDevice *d)
{
    return &d->props;
}

int
cl_split(DevDevice *d, const int64_t *units, int n, DevDevice **out, int most, DevError *e)
{
    enum { EQUALLY = 0x1086, BY_COUNTS = 0x1087, BY_AFFINITY = 0x1088, NEXT_DOMAIN = 0x20 };
    cl_device found[MAX_DEVICES];
    intptr_t how[MAX_DEVICES + 3] = {n == 1 ? EQUALLY : BY_COUNTS, 0};
    cl_uint got = 0;
    for (int i = 0; i < n && i < MAX_DEVICES; i++)
        how[i + 1] = (intptr_t)units[i];
    if (n == 0) {
        how[0] = BY_AFFINITY;
        how[1] = NEXT_DOMAIN;
    }
    most = most < MAX_DEVICES ? most : MAX_DEVICES;
    cl_int status = d->cl->CreateSubDevices(d->id, how, (cl_uint)most, found, &got);
    if (status)
        return dev_fail(e, DEV_ARGUMENT, status,
                        "%s can't be cut so (clCreateSubDevices: error %d)", d->props.name,
                        status) -
               1;
    for (cl_uint i = 0; i < got; i++) {
        DevDevice *part = calloc(1, sizeof *part);
        if (!part)
            return dev_fail(e, DEV_MEMORY, 0, "out of memory") - 1;
        set_device(part, d->platform, found[i]);
        if (!(out[i] = with_context(part, e)))
            return -1;
    }
    return (int)got;
}
