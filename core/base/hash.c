/* SPDX-License-Identifier: BSD-3-Clause
 * A 128-bit hash for cache keys: two lanes of multiply-rotate mixing (after the public-domain
 * MurmurHash3 x64 finaliser), fed 8 bytes at a time. */
#include "base/base.h"
#include <stdio.h>

static uint64_t
rotl(uint64_t x, int r)
{
    return x << r | x >> (64 - r);
}

static uint64_t
finish(uint64_t k)
{
    k ^= k >> 33;
    k *= 0xff51afd7ed558ccdull;
    k ^= k >> 33;
    k *= 0xc4ceb9fe1a85ec53ull;
    return k ^ k >> 33;
}

Hash
hash_init(void)
{
    return (Hash){{0x9e3779b97f4a7c15ull, 0xc2b2ae3d27d4eb4full}};
}

void
hash_u64(Hash *h, uint64_t v)
{
    h->h[0] = rotl(h->h[0] ^ finish(v), 27) * 5 + h->h[1] + 0x52dce729;
    h->h[1] = rotl(h->h[1] ^ finish(v + 0x38495ab5), 31) * 5 + h->h[0] + 0x38495ab5;
}

void
hash_bytes(Hash *h, const void *p, size_t n)
{
    const char *s = p;
    hash_u64(h, n);
    for (; n >= 8; n -= 8, s += 8) {
        uint64_t v;
        memcpy(&v, s, 8);
        hash_u64(h, v);
    }
    if (n) {
        uint64_t v = 0;
        memcpy(&v, s, n);
        hash_u64(h, v);
    }
}

void
hash_str(Hash *h, const char *s)
{
    if (s)
        hash_bytes(h, s, strlen(s));
    else
        hash_u64(h, UINT64_MAX);
}

void
hash_hex(const Hash *h, char out[33])
{
    uint64_t a = finish(h->h[0] + h->h[1]), b = finish(h->h[1] ^ rotl(h->h[0], 32));
    snprintf(out, 33, "%016llx%016llx", (unsigned long long)a, (unsigned long long)b);
}
