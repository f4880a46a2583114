/* SPDX-License-Identifier: BSD-3-Clause
 * One call on a device: which memory of the host has a copy there, and which of both is right.
 * Compiled code calls sw_launch for a kernel, and sw_device_sync before the host touches an array.
 * A block is a range of the host's addresses: an argument, what arguments share, an array that the
 * function has made. It is known by where an array's data begins; an address in no block was never
 * on the device. Arrays of the device come with a range of addresses behind which the host's copy
 * is made only when the host's code wants it. */
#include "rt/rt.h"

#include <pthread.h>
#include <stdlib.h>

typedef struct Block {
    char *lo, *hi;
    DevMem *mem;      /* NULL: none yet */
    int64_t offset;   /* of lo in it */
    bool host, dev;   /* where the elements are right */
    bool lent;        /* the memory is the caller's: an array of the device */
    bool argument;    /* the host wants it at the end */
    bool fresh, zero; /* nobody has set its elements; they are zero */
    bool kept;        /* the call returns it, and it stays on the device */
} Block;

typedef struct Given { /* an array among the arguments; its slots stay until the call ends */
    const uint64_t *slot;
    int ndim;
    bool readonly;
    int64_t item;
} Given;

struct Offload {
    const DevApi *api;
    DevDevice *dev;
    DevQueue *queue;
    const SwFunction *fn;
    DevKernel *const *kernels;
    bool wait; /* after each launch: the queue has no order */
    bool keep; /* results stay on the device */
    pthread_mutex_t lock;
    Block *block;
    int n, cap;
    Given *given;
    int n_given;
    DevMem *fault;
    bool failed;
    DevError err;
};

/* ---- blocks ---------------------------------------------------------------------------------- */

static Block *
find(Offload *o, const char *p)
{
    for (int i = o->n - 1; i >= 0; i--)
        if (p >= o->block[i].lo && p < o->block[i].hi)
            return &o->block[i];
    return NULL;
}

static Block *
add(Offload *o, char *lo, char *hi)
{
    if (o->n == o->cap) {
        int cap = o->cap ? 2 * o->cap : 16;
        Block *more = realloc(o->block, sizeof *more * (size_t)cap);
        if (!more) {
            dev_fail(&o->err, DEV_MEMORY, 0, "no memory for the list of arrays");
            return NULL;
        }
        o->block = more;
        o->cap = cap;
    }
    Block *b = &o->block[o->n++];
    *b = (Block){.lo = lo, .hi = hi, .host = true};
    return b;
}

static void
drop(Offload *o, Block *b)
{
    if (b->mem && !b->lent)
        o->api->mem_free(b->mem);
    *b = o->block[--o->n];
}

static bool
extent(const uint64_t *slot, int ndim, int64_t itemsize, char **lo, char **hi)
{
    *lo = *hi = (char *)(uintptr_t)slot[0];
    for (int k = 0; k < ndim; k++) {
        int64_t n = (int64_t)slot[2 + k], s = (int64_t)slot[2 + ndim + k];
        if (n <= 0)
            return false;
        *(s < 0 ? lo : hi) += (n - 1) * s;
    }
    *hi += itemsize;
    return true;
}

/* ---- to the host ----------------------------------------------------------------------------- */

static bool
is_packed(const Given *a, bool last_first)
{
    int64_t step = a->item;
    for (int i = 0; i < a->ndim; i++) {
        int k = last_first ? a->ndim - 1 - i : i;
        if ((int64_t)a->slot[2 + k] != 1 && (int64_t)a->slot[2 + a->ndim + k] != step)
            return false;
        step *= (int64_t)a->slot[2 + k];
    }
    return true;
}

/* Is each byte of the block an argument's, or memory that the call has made? */
static bool
is_ours(const Offload *o, const Block *b)
{
    bool whole = !b->argument || b->lent;
    for (int i = 0; i < o->n_given && !whole; i++) {
        const Given *a = &o->given[i];
        char *lo, *hi;
        whole = extent(a->slot, a->ndim, a->item, &lo, &hi) && lo == b->lo && hi == b->hi &&
                (is_packed(a, true) || is_packed(a, false));
    }
    return whole;
}

static void
copy_elements(const Given *a, int k, char *to, const char *from)
{
    int64_t n = k < a->ndim ? (int64_t)a->slot[2 + k] : 1;
    int64_t step = k < a->ndim ? (int64_t)a->slot[2 + a->ndim + k] : 0;
    if (k == a->ndim)
        memcpy(to, from, (size_t)a->item);
    else if (k == a->ndim - 1 && step == a->item)
        memcpy(to, from, (size_t)(n * a->item));
    else
        for (int64_t i = 0; i < n; i++)
            copy_elements(a, k + 1, to + i * step, from + i * step);
}

/* What lies between the elements of arguments may be another thread's, which writes it now. */
static bool
elements_to_host(Offload *o, Block *b)
{
    DevWhen now = {.block = true};
    size_t n = (size_t)(b->hi - b->lo);
    char *part = malloc(n);
    if (!part)
        return dev_fail(&o->err, DEV_MEMORY, 0, "no memory for a copy of arguments");
    bool ok = o->api->read(o->queue, part, b->mem, (size_t)b->offset, n, &now, &o->err);
    for (int i = 0; i < o->n_given && ok; i++) {
        const Given *a = &o->given[i];
        char *lo, *hi, *at = (char *)(uintptr_t)a->slot[0];
        if (!a->readonly && extent(a->slot, a->ndim, a->item, &lo, &hi) && lo >= b->lo &&
            hi <= b->hi)
            copy_elements(a, 0, at, part + (at - b->lo));
    }
    free(part);
    return ok;
}

static bool
to_host(Offload *o, Block *b)
{
    DevWhen now = {.block = true};
    if (b->host)
        return true;
    if (!is_ours(o, b))
        return b->host = elements_to_host(o, b);
    b->host = o->api->read(o->queue, b->lo, b->mem, (size_t)b->offset, (size_t)(b->hi - b->lo),
                           &now, &o->err);
    return b->host;
}

/* ---- to the device --------------------------------------------------------------------------- */

/* Only this call's queue uses it. */
static DevMem *
memory(Offload *o, size_t n)
{
    bool after;
    return o->api->alloc_on ? o->api->alloc_on(o->queue, n, &after, &o->err)
                            : o->api->alloc(o->dev, n, DEV_SPACE_DEVICE, &o->err);
}

static bool
to_device(Offload *o, Block *b)
{
    static const uint64_t nothing;
    size_t n = (size_t)(b->hi - b->lo);
    DevWhen now = {.block = true};
    if (!b->mem && !(b->mem = memory(o, n)))
        return false;
    if (b->dev)
        return true;
    if (b->fresh && !b->zero)
        b->dev = true;
    else if (b->fresh)
        b->dev = o->api->fill(o->queue, b->mem, (size_t)b->offset, &nothing, 1, n, &now, &o->err);
    else
        b->dev = o->api->write(o->queue, b->mem, (size_t)b->offset, b->lo, n, &now, &o->err);
    return b->dev;
}

/* The block that holds the range, made when there is none, grown when it holds a part. */
static Block *
block_of(Offload *o, char *lo, char *hi)
{
    bool argument = false;
    for (int i = 0; i < o->n; i++) {
        Block *b = &o->block[i];
        if (lo >= b->lo && hi <= b->hi)
            return b;
        if (hi <= b->lo || lo >= b->hi)
            continue;
        if (b->lent) {
            dev_fail(&o->err, DEV_ARGUMENT, 0, "an array reaches out of an array of the device");
            return NULL;
        }
        if (!to_host(o, b))
            return NULL;
        lo = b->lo < lo ? b->lo : lo;
        hi = b->hi > hi ? b->hi : hi;
        argument |= b->argument;
        drop(o, b);
        i = -1;
    }
    Block *b = add(o, lo, hi);
    if (b)
        b->argument = argument;
    return b;
}

/* ---- arrays ---------------------------------------------------------------------------------- */

/* All of what the array's owner has, or else of what can be seen of it. */
static Block *
block_of_array(Offload *o, const uint64_t *slot, int ndim, int64_t itemsize)
{
    char *lo, *hi;
    Block *b = find(o, (char *)(uintptr_t)slot[0]);
    if (!extent(slot, ndim, itemsize, &lo, &hi))
        return NULL;
    if (b && lo >= b->lo && hi <= b->hi)
        return b;
    const SwMem *owner = (const SwMem *)(uintptr_t)slot[1];
    if (!b && owner && owner->free_fn && (char *)owner->data <= lo &&
        hi <= (char *)owner->data + owner->bytes) {
        lo = owner->data;
        hi = lo + owner->bytes;
    }
    return block_of(o, lo, hi);
}

static int
device_failed(SwCtx *cx, Offload *o)
{
    o->failed = true;
    sw_fail(cx, SW_ERR_DEVICE, 0, 0, 0, 0);
    return 1;
}

/* ---- launches -------------------------------------------------------------------------------- */

enum { MAX_ARGS = 256 };
typedef struct ArgList {
    DevArg at[MAX_ARGS];
    int n;
} ArgList;

static void
push_value(ArgList *l, uint64_t v, int bytes)
{
    l->at[l->n++] = (DevArg){.kind = DEV_ARG_VALUE, .bytes = bytes, .value = v};
}

static void
push_memory(ArgList *l, DevMem *m, int64_t offset)
{
    l->at[l->n++] = (DevArg){.kind = DEV_ARG_MEM, .bytes = 8, .mem = m, .offset = offset};
}

static int
slots_of(SwParam p)
{
    return p.is_array ? 2 + 2 * p.ndim : p.dtype == DT_c128 ? 2 : 1;
}

static void
push_scalar(ArgList *l, DType d, const uint64_t *v)
{
    if (d == DT_c128) {
        push_value(l, v[0], 8);
        push_value(l, v[1], 8);
    } else if (d == DT_c64) {
        push_value(l, v[0] & 0xffffffffu, 4);
        push_value(l, v[0] >> 32, 4);
    } else {
        push_value(l, v[0], dtype_size(d));
    }
}

/* Each array in its block, and on the device. */
static bool
bring(Offload *o, const SwKernel *k, const uint64_t *env)
{
    for (int pass = 0; pass < 2; pass++) { /* a block may grow while the others are found */
        const uint64_t *slot = env;
        for (int i = 0; i < k->n_params; slot += slots_of(k->params[i++])) {
            SwParam p = k->params[i];
            o->err.status = DEV_OK;
            Block *b =
                p.is_array ? block_of_array(o, slot, p.ndim, dtype_size((DType)p.dtype)) : NULL;
            if ((!b && o->err.status != DEV_OK) || (b && pass && !to_device(o, b)))
                return false;
        }
    }
    return true;
}

static bool
push_all(Offload *o, const SwKernel *k, const uint64_t *slot, ArgList *l)
{
    for (int i = 0; i < k->n_params; slot += slots_of(k->params[i++])) {
        SwParam p = k->params[i];
        if (l->n + 5 + 2 * p.ndim > MAX_ARGS)
            return dev_fail(&o->err, DEV_LIMIT, 0,
                            "a parallel loop uses too many variables for a kernel");
        if (!p.is_array) {
            push_scalar(l, (DType)p.dtype, slot);
            continue;
        }
        Block *b = block_of_array(o, slot, p.ndim, dtype_size((DType)p.dtype));
        push_memory(l, b ? b->mem : NULL, b ? b->offset + ((char *)(uintptr_t)slot[0] - b->lo) : 0);
        for (int d = 0; d < 2 * p.ndim; d++)
            push_value(l, slot[2 + d], 8);
        if (b && k->writes >> (i < 63 ? i : 63) & 1) {
            b->host = false;
            b->fresh = false;
        }
    }
    return true;
}

static bool
fault_ready(Offload *o)
{
    static const uint64_t nothing;
    DevWhen now = {.block = true};
    if (o->fault)
        return true;
    o->fault = memory(o, sizeof(DevFault));
    return o->fault &&
           o->api->fill(o->queue, o->fault, 0, &nothing, 1, sizeof(DevFault), &now, &o->err);
}

static bool
run(Offload *o, int32_t kernel, const uint64_t *env, int64_t threads, int64_t block,
    DevFault *fault)
{
    const SwKernel *k = &o->fn->kernels[kernel];
    DevWhen now = {.block = true};
    ArgList l;
    l.n = 0;
    if (!bring(o, k, env) || !fault_ready(o) || !push_all(o, k, env, &l))
        return false;
    push_memory(&l, o->fault, 0);
    DevLaunch launch = {.grid = {(threads + block - 1) / block, 1, 1},
                        .block = {block, 1, 1},
                        .n_args = l.n,
                        .args = l.at};
    if (!o->api->launch(o->queue, o->kernels[kernel], &launch, NULL, &o->err))
        return false;
    if (o->wait && !o->api->queue_sync(o->queue, &o->err))
        return false;
    return !k->may_fail || o->api->read(o->queue, fault, o->fault, 0, sizeof *fault, &now, &o->err);
}

int
sw_launch(SwCtx *cx, const uint64_t *env, int32_t kernel, int64_t threads, int64_t block)
{
    Offload *o = cx->offload;
    DevFault fault = {0};
    if (threads <= 0)
        return 0;
    pthread_mutex_lock(&o->lock);
    bool ok = run(o, kernel, env, threads, block, &fault);
    if (ok && fault.site) { /* the next one starts anew */
        o->api->mem_free(o->fault);
        o->fault = NULL;
    }
    pthread_mutex_unlock(&o->lock);
    if (!ok)
        return device_failed(cx, o);
    if (!fault.site)
        return 0;
    sw_fail(cx, (int32_t)(fault.site - 1), fault.a[0], fault.a[1], fault.a[2], fault.a[3]);
    return 1;
}

/* A result that was made on the device alone. */
static bool
keep(const Offload *o, Block *b)
{
    b->kept = o->keep && b->mem && b->dev && !b->host && !b->lent && !b->argument;
    return b->kept;
}

bool
offload_take(Offload *o, OffloadKept *to)
{
    for (int i = 0; i < o->n; i++) {
        Block *b = &o->block[i];
        if (!b->kept)
            continue;
        *to = (OffloadKept){b->lo, b->hi, b->mem, b->offset};
        b->mem = NULL;
        b->kept = false;
        return true;
    }
    return false;
}

/* how: 0 the host reads the array, 1 it writes to it, 2 the call returns it. */
int
sw_device_sync(SwCtx *cx, int64_t how, const SwDesc *a, int ndim, int64_t itemsize)
{
    Offload *o = cx->offload;
    (void)ndim;
    (void)itemsize;
    if (!o)
        return 0;
    pthread_mutex_lock(&o->lock);
    Block *b = find(o, a->data);
    bool ok = !b || (how == 2 && keep(o, b)) || to_host(o, b);
    if (ok && b && how == 1)
        b->dev = b->fresh = false;
    pthread_mutex_unlock(&o->lock);
    return ok ? 0 : device_failed(cx, o);
}

/* ---- a call ---------------------------------------------------------------------------------- */

Offload *
offload_begin(const OffloadOn *on, const SwFunction *fn)
{
    Offload *o = calloc(1, sizeof *o);
    if (!o)
        return NULL;
    o->api = on->api;
    o->dev = on->dev;
    o->queue = on->queue;
    o->wait = on->wait;
    o->keep = on->keep;
    o->kernels = on->kernels;
    o->fn = fn;
    pthread_mutex_init(&o->lock, NULL);
    return o;
}

bool
offload_lend(Offload *o, void *lo, void *hi, DevMem *mem, int64_t offset)
{
    Block *b = lo < hi ? add(o, lo, hi) : NULL;
    if (b) {
        b->mem = mem;
        b->offset = offset;
        b->lent = b->dev = true;
        b->host = false;
    }
    return b || lo >= hi;
}

static bool
argument(Offload *o, const Type *t, const uint64_t **slot)
{
    bool ok = true;
    if (type_has_parts(t)) {
        for (int i = 0; i < t->n && ok; i++)
            ok = argument(o, t->elems[i], slot);
        return ok;
    }
    if (t->kind == TY_ARRAY) {
        o->err.status = DEV_OK;
        Block *b = block_of_array(o, *slot, t->ndim, dtype_size((DType)t->dtype));
        if (b)
            b->argument = true;
        ok = b || o->err.status == DEV_OK;
        if (o->given)
            o->given[o->n_given] =
                (Given){*slot, t->ndim, t->readonly, dtype_size((DType)t->dtype)};
        o->n_given++;
    }
    *slot += type_slots(t);
    return ok;
}

static bool
all_arguments(Offload *o, const uint64_t *slots)
{
    bool ok = true;
    o->n_given = 0;
    for (int i = 0; i < o->fn->n_args && ok; i++)
        ok = argument(o, o->fn->args[i], &slots);
    return ok;
}

/* They are counted first. */
bool
offload_arguments(Offload *o, const uint64_t *slots)
{
    if (!all_arguments(o, slots))
        return false;
    o->given = calloc((size_t)o->n_given + 1, sizeof *o->given);
    if (!o->given)
        return dev_fail(&o->err, DEV_MEMORY, 0, "no memory for the list of arguments");
    return all_arguments(o, slots);
}

void
offload_fresh(Offload *o, void *data, int64_t bytes, bool zero)
{
    char *lo = data, *hi = lo + bytes;
    pthread_mutex_lock(&o->lock);
    for (int i = 0; i < o->n; i++) /* freed since */
        if (lo < o->block[i].hi && hi > o->block[i].lo)
            drop(o, &o->block[i--]);
    Block *b = bytes > 0 ? add(o, lo, hi) : NULL;
    if (b) {
        b->fresh = true;
        b->zero = zero;
    }
    pthread_mutex_unlock(&o->lock);
}

/* What the caller sees is brought home. Also after an error: what was done before it stays done. */
static bool
settle(Offload *o, Block *b)
{
    DevWhen now = {.block = true};
    if (b->lent && !b->dev)
        return o->api->write(o->queue, b->mem, (size_t)b->offset, b->lo, (size_t)(b->hi - b->lo),
                             &now, &o->err);
    return b->lent || !b->argument || to_host(o, b);
}

bool
offload_end(Offload *o, DevError *e)
{
    bool ok = !o->failed;
    for (int i = 0; i < o->n; i++)
        ok &= settle(o, &o->block[i]);
    for (int i = 0; i < o->n; i++)
        if (o->block[i].mem && !o->block[i].lent)
            o->api->mem_free(o->block[i].mem);
    if (o->fault)
        o->api->mem_free(o->fault);
    if (!ok)
        *e = o->err;
    pthread_mutex_destroy(&o->lock);
    free(o->block);
    free(o->given);
    free(o);
    return ok;
}
