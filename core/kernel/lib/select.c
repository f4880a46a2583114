/* SPDX-License-Identifier: BSD-3-Clause
 * partition and argpartition of real numbers, in NumPy's order: NaN last. */
#include "kernel/lib/keys.h"
#include "kernel/lib/lib.h"
#include "kernel/lib/widest.h"

typedef struct Placed {
    uint64_t key;
    int64_t place;
} Placed;

#define KEEP_ORDER
#define LESS(a, b) ((a) < (b))
#define NAME(x) x##_i16
#define WIDEST_KIND split_widest_i16
#define LENT DT_i16
#define ELEM int16_t
#include "kernel/lib/order.h"
#include "kernel/lib/select.h"
#define LESS(a, b) ((a) < (b))
#define NAME(x) x##_u16
#define WIDEST_KIND split_widest_u16
#define LENT DT_u16
#define ELEM uint16_t
#include "kernel/lib/order.h"
#include "kernel/lib/select.h"
#define LESS(a, b) ((a) < (b))
#define NAME(x) x##_i32
#define WIDE_KIND split_wide_i32
#define WIDEST_KIND split_widest_i32
#define LENT DT_i32
#define ELEM int32_t
#include "kernel/lib/order.h"
#include "kernel/lib/select.h"
#define LESS(a, b) ((a) < (b))
#define NAME(x) x##_u32
#define WIDE_KIND split_wide_u32
#define WIDEST_KIND split_widest_u32
#define LENT DT_u32
#define ELEM uint32_t
#include "kernel/lib/order.h"
#include "kernel/lib/select.h"
#define LESS(a, b) ((a) < (b))
#define NAME(x) x##_i64
#define WIDE_KIND split_wide_i64
#define WIDEST_KIND split_widest_i64
#define LENT DT_i64
#define ELEM int64_t
#include "kernel/lib/order.h"
#include "kernel/lib/select.h"
#define LESS(a, b) ((a) < (b))
#define NAME(x) x##_u64
#define WIDE_KIND split_wide_u64
#define WIDEST_KIND split_widest_u64
#define LENT DT_u64
#define ELEM uint64_t
#include "kernel/lib/order.h"
#include "kernel/lib/select.h"
#define LESS(a, b) ((a) < (b))
#define NAME(x) x##_f32
#define WIDE_KIND split_wide_f32
#define WIDEST_KIND split_widest_f32
#define LENT DT_f32
#define ELEM float
#include "kernel/lib/order.h"
#include "kernel/lib/select.h"
#define LESS(a, b) ((a) < (b))
#define NAME(x) x##_f64
#define WIDE_KIND split_wide_f64
#define WIDEST_KIND split_widest_f64
#define LENT DT_f64
#define ELEM double
#include "kernel/lib/order.h"
#include "kernel/lib/select.h"
#define LESS(a, b) ((a).key < (b).key)
#define NAME(x) x##_placed
#define ELEM Placed
#include "kernel/lib/order.h"
#include "kernel/lib/select.h"
#undef KEEP_ORDER

typedef struct Kth {
    const char *at;
    int64_t n, stride;
} Kth;

/* NaN to the end, so that the rest is in order; how many others there are. */
#define NUMBERS(T, NAME, NAN)                                                                      \
    static int64_t NAME(T *a, int64_t n)                                                           \
    {                                                                                              \
        int64_t nans = 0, front = 0;                                                               \
        if (widest() && !any_##NAN(a, n))                                                          \
            return n;                                                                              \
        for (int64_t i = 0; i < n; i++)                                                            \
            nans += a[i] != a[i];                                                                  \
        for (int64_t i = 0; nans && i < n; i++) {                                                  \
            T x = a[i];                                                                            \
            if (x != x)                                                                            \
                continue;                                                                          \
            a[i] = a[front];                                                                       \
            a[front++] = x;                                                                        \
        }                                                                                          \
        return n - nans;                                                                           \
    }
NUMBERS(float, numbers_f32, nan_f32)
NUMBERS(double, numbers_f64, nan_f64)

static void
select_typed(DType d, void *a, void *tmp, int64_t n, Kth k)
{
    switch (d) {
    case DT_i16:
        select_all_i16(a, tmp, n, k.at, k.n, k.stride);
        break;
    case DT_u16:
        select_all_u16(a, tmp, n, k.at, k.n, k.stride);
        break;
    case DT_i32:
        select_all_i32(a, tmp, n, k.at, k.n, k.stride);
        break;
    case DT_u32:
        select_all_u32(a, tmp, n, k.at, k.n, k.stride);
        break;
    case DT_i64:
        select_all_i64(a, tmp, n, k.at, k.n, k.stride);
        break;
    case DT_u64:
        select_all_u64(a, tmp, n, k.at, k.n, k.stride);
        break;
    case DT_f32:
        select_all_f32(a, tmp, numbers_f32(a, n), k.at, k.n, k.stride);
        break;
    default:
        select_all_f64(a, tmp, numbers_f64(a, n), k.at, k.n, k.stride);
        break;
    }
}

static void
gather(Lane l, char *to, int bytes, bool back)
{
    for (int64_t i = 0; i < l.n; i++) {
        char *there = l.at + i * l.stride, *here = to + i * bytes;
        if (bytes == 2)
            memcpy(back ? there : here, back ? here : there, 2);
        else if (bytes == 4)
            memcpy(back ? there : here, back ? here : there, 4);
        else
            memcpy(back ? there : here, back ? here : there, 8);
    }
}

/* Each kth, which are in order, is where sorting would put it. */
KERNEL(partition, "a, kth", "rw(n) r(k):int64",
       "int16 uint16 int32 int64 uint32 uint64 float32 float64")
{
    DType d = (DType)arg->dtype;
    int bytes = order_of(d).bytes;
    Lane l = {NULL, kernel_dim(arg, 1), kernel_stride(arg, 1)};
    Kth k = {NULL, kernel_dim(arg + 1, 1), kernel_stride(arg + 1, 1)};
    int64_t status = 0;
    Walk w;
    walk_begin(&w, arg, 2, (const int[]){1, 1});
    if (l.n < 2 || !w.left || l.n >= (int64_t)1 << 56)
        return 0;
    SwMem *m = kernel_host()->alloc(2 * (size_t)bytes * (size_t)l.n);
    if (!m)
        return KERNEL_NO_MEMORY;
    char *tmp = m->data, *row = tmp + (size_t)bytes * (size_t)l.n;
    for (; w.left && !status; walk_next(&w)) {
        l.at = w.data[0];
        k.at = w.data[1];
        bool in_row = l.stride == bytes && (uintptr_t)l.at % (size_t)bytes == 0;
        if (!in_row)
            gather(l, row, bytes, false);
        select_typed(d, in_row ? l.at : row, tmp, l.n, k);
        if (!in_row)
            gather(l, row, bytes, true);
        status = kernel_stops(cx) ? KERNEL_STOPPED : 0;
    }
    m->free_fn(m);
    return status;
}

/* The k-th of a copy of the elements says of each of them on which side it is. With memory for
 * twice as many places, those of the other sides are put together there first. */
#define SIDES(T, NAME)                                                                             \
    static bool sides_##NAME(const T *a, int64_t n, T p, Lane to, int64_t *mem)                    \
    {                                                                                              \
        int64_t less = 0, equal = 0, at[3];                                                        \
        if (to.stride == sizeof(int64_t) && wide()) {                                              \
            int64_t *first = (int64_t *)(void *)to.at, *same = mem, *rest = mem + n;               \
            Sides s = sides_wide_##NAME(a, n, p, first, same, rest);                               \
            for (int64_t i = s.seen; i < n; i++)                                                   \
                *(a[i] < p    ? &first[s.less++]                                                   \
                  : a[i] == p ? &same[s.same++]                                                    \
                              : &rest[s.rest++]) = i;                                              \
            memcpy(first + s.less, same, sizeof *same * (size_t)s.same);                           \
            memcpy(first + s.less + s.same, rest, sizeof *rest * (size_t)s.rest);                  \
            return s.same;                                                                         \
        }                                                                                          \
        for (int64_t i = 0; i < n; i++)                                                            \
            less += a[i] < p;                                                                      \
        for (int64_t i = 0; i < n; i++)                                                            \
            equal += a[i] == p;                                                                    \
        at[0] = 0, at[1] = less, at[2] = less + equal;                                             \
        for (int64_t i = 0; equal && i < n; i++) {                                                 \
            int side = a[i] < p ? 0 : 2 - (a[i] == p);                                             \
            put_place(to, at[side]++, i);                                                          \
        }                                                                                          \
        return equal;                                                                              \
    }
SIDES(int32_t, i32)
SIDES(uint32_t, u32)
SIDES(int64_t, i64)
SIDES(uint64_t, u64)
SIDES(float, f32)
SIDES(double, f64)

/* Of elements in a row. False: the k-th is a NaN, or elements are of another width. */
static bool
put_sides(DType d, const void *a, int64_t n, const void *p, Lane to, int64_t *mem)
{
    switch (d) {
    case DT_i32:
        return sides_i32(a, n, *(const int32_t *)p, to, mem);
    case DT_u32:
        return sides_u32(a, n, *(const uint32_t *)p, to, mem);
    case DT_i64:
        return sides_i64(a, n, *(const int64_t *)p, to, mem);
    case DT_u64:
        return sides_u64(a, n, *(const uint64_t *)p, to, mem);
    case DT_f32:
        return sides_f32(a, n, *(const float *)p, to, mem);
    case DT_f64:
        return sides_f64(a, n, *(const double *)p, to, mem);
    default:
        return false;
    }
}

/* One k, from copies of the elements: in memory for four times as many. */
static bool
one_place(Lane l, DType d, Kth kth, char *mem, Lane to)
{
    size_t bytes = (size_t)order_of(d).bytes;
    char *row = mem, *part = row + 8 * (size_t)l.n, *tmp = part + 8 * (size_t)l.n;
    int64_t k;
    memcpy(&k, kth.at, sizeof k);
    if (kth.n != 1 || bytes < 4 || k < 0 || k >= l.n)
        return false;
    if (l.stride == (int64_t)bytes && (uintptr_t)l.at % bytes == 0)
        row = l.at;
    else
        gather(l, row, (int)bytes, false);
    memcpy(part, row, bytes * (size_t)l.n);
    select_typed(d, part, tmp, l.n, kth);
    return put_sides(d, row, l.n, part + bytes * (size_t)k, to, (int64_t *)(void *)tmp);
}

KERNEL(argpartition, "a, places, kth", "r(n) w(n):int64 r(k):int64",
       "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64")
{
    Order o = order_of((DType)arg->dtype);
    Lane l = {NULL, kernel_dim(arg, 1), kernel_stride(arg, 1)},
         to = {NULL, l.n, kernel_stride(arg + 1, 1)};
    Kth k = {NULL, kernel_dim(arg + 2, 1), kernel_stride(arg + 2, 1)};
    int64_t status = 0;
    Walk w;
    walk_begin(&w, arg, 3, (const int[]){1, 1, 1});
    if (!l.n || !w.left || l.n >= (int64_t)1 << 56)
        return 0;
    SwMem *m = kernel_host()->alloc(2 * sizeof(Placed) * (size_t)l.n);
    if (!m)
        return KERNEL_NO_MEMORY;
    Placed *a = (void *)m->data;
    for (; w.left && !status; walk_next(&w)) {
        l.at = w.data[0];
        to.at = w.data[1];
        k.at = w.data[2];
        bool done = one_place(l, (DType)arg->dtype, k, m->data, to);
        for (int64_t i = 0; !done && i < l.n; i++)
            a[i] = (Placed){key_at(l, i, &o), i};
        if (!done)
            select_all_placed(a, a + l.n, l.n, k.at, k.n, k.stride);
        for (int64_t i = 0; !done && i < l.n; i++)
            put_place(to, i, a[i].place);
        status = kernel_stops(cx) ? KERNEL_STOPPED : 0;
    }
    m->free_fn(m);
    return status;
}
