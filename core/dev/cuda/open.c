/* SPDX-License-Identifier: BSD-3-Clause
 * Which CUDA devices there are: the driver's library opened by its name, its functions looked up,
 * the devices asked for what they are. All of it happens once, when a device is first asked for; a
 * machine without the driver has none. A device's primary context is retained at its first use, and
 * kept. */
#include "dev/cuda/cu.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { MAX_DEVICES = 64, OLDEST_DRIVER = 11000 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static Cu functions;
static DevDevice devices[MAX_DEVICES];
static int n_devices = -1; /* not opened */
static pid_t opened_by;

/* ---- errors ------------------------------------------------------------------------------- */

/* Those after which the context is of no use any more, and those that tell what was asked too
 * much. */
static DevStatus
status_of(CuResult r)
{
    switch (r) {
    case CU_OUT_OF_MEMORY:
        return DEV_MEMORY;
    case 34:  /* STUB_LIBRARY */
    case 36:  /* CALL_REQUIRES_NEWER_DRIVER */
    case 803: /* SYSTEM_DRIVER_MISMATCH */
        return DEV_NO_DRIVER;
    case CU_NO_DEVICE:
    case 101: /* INVALID_DEVICE */
        return DEV_NO_DEVICE;
    case 200: /* INVALID_IMAGE */
    case 209: /* NO_BINARY_FOR_GPU */
    case 218: /* INVALID_PTX */
    case 221: /* JIT_COMPILER_NOT_FOUND */
    case 222: /* UNSUPPORTED_PTX_VERSION */
    case 300: /* INVALID_SOURCE */
        return DEV_BUILD;
    case 400: /* INVALID_HANDLE */
    case 500: /* NOT_FOUND */
        return DEV_ARGUMENT;
    case 701: /* LAUNCH_OUT_OF_RESOURCES */
    case 720: /* COOPERATIVE_LAUNCH_TOO_LARGE */
        return DEV_LIMIT;
    case 3: /* NOT_INITIALIZED, DEINITIALIZED: the process ends, or was forked */
    case 4:
    case 46:  /* DEVICE_UNAVAILABLE */
    case 214: /* ECC_UNCORRECTABLE */
    case 700: /* ILLEGAL_ADDRESS */
    case 702: /* LAUNCH_TIMEOUT */
    case 709: /* CONTEXT_IS_DESTROYED */
    case 710: /* ASSERT */
    case 714: /* from HARDWARE_STACK_ERROR to LAUNCH_FAILED */
    case 715:
    case 716:
    case 717:
    case 718:
    case 719:
        return DEV_LOST;
    default:
        return DEV_DRIVER;
    }
}

bool
cu_ok(const DevDevice *d, CuResult r, const char *call, DevError *e)
{
    if (r == 0)
        return true;
    const char *name = NULL, *text = NULL;
    (void)d;
    if (functions.GetErrorName(r, &name) || !name)
        name = "unknown error";
    if (functions.GetErrorString(r, &text) || !text)
        text = "";
    return dev_fail(e, status_of(r), r, "cu%s: %s%s%s", call, name, *text ? ": " : "", text);
}

/* ---- the library --------------------------------------------------------------------------- */

static bool
look_up(void *lib, const char *symbol, void *to, const char *library, DevError *e)
{
    *(void **)to = dlsym(lib, symbol);
    return *(void **)to || dev_fail(e, DEV_NO_DRIVER, 0, "CUDA: %s has no %s", library, symbol);
}

/* SWATHE_CUDA_LIB names another library; the tests' own, say. */
static bool
load_library(DevError *e)
{
    const char *name = getenv("SWATHE_CUDA_LIB");
    name = name && *name ? name : "libcuda.so.1";
    void *lib = dlopen(name, RTLD_LAZY | RTLD_LOCAL);
    if (!lib)
        return dev_fail(e, DEV_NO_DRIVER, 0, "CUDA: %s", dlerror());
    bool ok = true;
#define CU_FN(fn, symbol, params) ok = ok && look_up(lib, symbol, &functions.fn, name, e);
    CU_FUNCTIONS(CU_FN)
#undef CU_FN
    if (!ok)
        dlclose(lib);
    return ok;
}

/* ---- properties ----------------------------------------------------------------------------- */

/* 0 too when an earlier one failed, which *e tells then. */
static int64_t
attribute(const DevDevice *d, int what, DevError *e)
{
    int v = 0;
    if (e->status == DEV_OK)
        cu_ok(d, functions.DeviceGetAttribute(&v, what, d->id), "DeviceGetAttribute", e);
    return v;
}

static void
read_limits(DevDevice *d, DevError *e)
{
    DevProps *p = &d->props;
    for (int k = 0; k < 3; k++) {
        p->max_block[k] = attribute(d, 2 + k, e);
        p->max_grid[k] = attribute(d, 5 + k, e);
    }
    p->max_threads = attribute(d, 1, e);
    p->shared_bytes = attribute(d, 8, e);
    d->shared_most = attribute(d, 97, e);
    if (d->shared_most < p->shared_bytes)
        d->shared_most = p->shared_bytes;
    p->const_bytes = attribute(d, 9, e);
    p->warp = attribute(d, 10, e);
    p->clock_mhz = attribute(d, 13, e) / 1000;
    p->compute_units = attribute(d, 16, e);
    p->cache_bytes = attribute(d, 38, e);
}

static bool
read_props(DevDevice *d, int driver, DevError *e)
{
    DevProps *p = &d->props;
    size_t bytes = 0;
    e->status = DEV_OK;
    if (!cu_ok(d, functions.DeviceGetName(p->name, sizeof p->name, d->id), "DeviceGetName", e) ||
        !cu_ok(d, functions.DeviceTotalMem(&bytes, d->id), "DeviceTotalMem", e))
        return false;
    p->kind = DEV_GPU;
    p->arch = (int)(attribute(d, 75, e) * 10 + attribute(d, 76, e));
    snprintf(p->vendor, sizeof p->vendor, "NVIDIA");
    snprintf(p->platform, sizeof p->platform, "CUDA");
    snprintf(p->driver, sizeof p->driver, "%d.%d", driver / 1000, driver % 1000 / 10);
    snprintf(p->version, sizeof p->version, "sm_%d", p->arch);
    snprintf(p->build_key, sizeof p->build_key, "cuda %d sm_%d", driver, p->arch);
    read_limits(d, e);
    p->global_bytes = p->max_alloc = (int64_t)bytes;
    p->address_bits = 64;
    d->managed = attribute(d, 83, e) != 0;
    p->unified = attribute(d, 18, e) != 0;
    p->cooperative = attribute(d, 95, e) != 0;
    p->svm_coarse = d->managed;
    p->svm_fine = attribute(d, 89, e) != 0;
    p->fp16 = p->arch >= 53;
    p->fp64 = p->atomic64 = p->profiling = true;
    return e->status == DEV_OK;
}

/* ---- opening -------------------------------------------------------------------------------- */

/* The number of devices, or -1. */
static int
find_devices(DevError *e)
{
    int n = 0, driver = 0;
    if (!functions.Init && !load_library(e)) {
        functions = (Cu){0};
        return -1;
    }
    CuResult r = functions.Init(0);
    if (r == CU_NO_DEVICE)
        return 0;
    if (!cu_ok(NULL, r, "Init", e) ||
        !cu_ok(NULL, functions.DriverGetVersion(&driver), "DriverGetVersion", e))
        return -1;
    if (driver < OLDEST_DRIVER) {
        dev_fail(e, DEV_NO_DRIVER, driver,
                 "CUDA: the driver is for version %d.%d, and 11.0 is needed", driver / 1000,
                 driver % 1000 / 10);
        return -1;
    }
    if (!cu_ok(NULL, functions.DeviceGetCount(&n), "DeviceGetCount", e))
        return -1;
    n = n > MAX_DEVICES ? MAX_DEVICES : n;
    for (int i = 0; i < n; i++) {
        DevDevice *d = &devices[i];
        *d = (DevDevice){.api = dev_cuda(), .cu = &functions};
        pthread_mutex_init(&d->lock, NULL);
        if (!cu_ok(d, functions.DeviceGet(&d->id, i), "DeviceGet", e) || !read_props(d, driver, e))
            return -1;
    }
    return n;
}

/* A failure is not kept: the next call tries again. */
int
cuda_open(DevError *e)
{
    pthread_mutex_lock(&lock);
    if (n_devices < 0) {
        n_devices = find_devices(e);
        opened_by = getpid();
    }
    int n = n_devices;
    pthread_mutex_unlock(&lock);
    return n;
}

static DevDevice *
find(int device, DevError *e)
{
    int n = cuda_open(e);
    if (n >= 0 && (device < 0 || device >= n))
        dev_fail(e, DEV_NO_DEVICE, 0, "CUDA: there is no device %d (there are %d)", device, n);
    return device >= 0 && device < n ? &devices[device] : NULL;
}

bool
cuda_props(int device, DevProps *p, DevError *e)
{
    DevDevice *d = find(device, e);
    if (d)
        *p = d->props;
    return d != NULL;
}

DevDevice *
cuda_device(int device, DevError *e)
{
    DevDevice *d = find(device, e);
    if (!d)
        return NULL;
    pthread_mutex_lock(&d->lock);
    bool ok = d->context ||
              cu_ok(d, d->cu->PrimaryRetain(&d->context, d->id), "DevicePrimaryCtxRetain", e);
    pthread_mutex_unlock(&d->lock);
    return ok ? d : NULL;
}

bool
cu_enter(DevDevice *d, DevError *e)
{
    if (getpid() != opened_by)
        return dev_fail(
            e, DEV_LOST, 0,
            "CUDA: the process was forked after it had used the device, which the driver "
            "does not allow; start processes by spawning");
    return cu_ok(d, d->cu->CtxPush(d->context), "CtxPushCurrent", e);
}

void
cu_leave(DevDevice *d)
{
    cu_context was;
    d->cu->CtxPop(&was);
}

const DevProps *
cuda_own_props(DevDevice *d)
{
    return &d->props;
}
