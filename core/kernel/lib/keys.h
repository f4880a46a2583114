/* SPDX-License-Identifier: BSD-3-Clause
 * Real numbers as unsigned integers of their width in NumPy's order, NaN last: their keys. */
#ifndef SWATHE_KERNEL_KEYS_H
#define SWATHE_KERNEL_KEYS_H
#include "kernel/lib/lib.h"

typedef struct Lane {
    char *at;
    int64_t n, stride;
} Lane;

typedef struct Order { /* of a dtype */
    int bytes;
    bool is_float, is_signed;
    uint64_t sign, infinity; /* bits of a float */
} Order;

static inline Order
order_of(DType d)
{
    static const struct {
        uint8_t bits, kind;
    } of[] = {
#define DTYPE(id, name, ctype, kind, bits) {bits, DK_##kind},
#include "def/dtype.def"
#undef DTYPE
    };
    Order r = {.bytes = of[d].bits / 8,
               .is_float = of[d].kind == DK_FLOAT,
               .is_signed = of[d].kind == DK_INT};
    r.sign = (uint64_t)1 << (of[d].bits - 1) % 64;
    r.infinity = d == DT_f16 ? 0x7c00 : d == DT_f32 ? 0x7f800000 : 0x7ff0000000000000;
    return r;
}

static inline uint64_t
load(const char *p, int bytes)
{
    uint64_t v = 0;
    memcpy(&v, p, (size_t)bytes); /* little-endian, as all that we make code for */
    return v;
}

static inline bool
is_nan(uint64_t bits, const Order *o)
{
    return (bits & ~o->sign) > o->infinity;
}

static inline uint64_t
key_of(uint64_t bits, const Order *o)
{
    uint64_t all = o->sign | (o->sign - 1);
    if (!o->is_float)
        return o->is_signed ? bits ^ o->sign : bits;
    if (is_nan(bits, o))
        return all;
    if (bits == o->sign) /* -0.0 */
        return o->sign;
    return bits & o->sign ? ~bits & all : bits | o->sign;
}

static inline uint64_t
bits_of(uint64_t key, const Order *o)
{
    uint64_t all = o->sign | (o->sign - 1);
    if (!o->is_float)
        return o->is_signed ? key ^ o->sign : key;
    return key & o->sign ? key ^ o->sign : ~key & all;
}

static inline void
put_place(Lane to, int64_t i, int64_t place)
{
    memcpy(to.at + i * to.stride, &place, sizeof place);
}

static inline uint64_t
key_at(Lane l, int64_t i, const Order *o)
{
    const char *p = l.at + i * l.stride;
    uint64_t bits = o->bytes == 8   ? load(p, 8)
                    : o->bytes == 4 ? load(p, 4)
                    : o->bytes == 2 ? load(p, 2)
                                    : load(p, 1);
    return key_of(bits, o);
}
#endif
