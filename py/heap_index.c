/* SPDX-License-Identifier: BSD-3-Clause
 * The hashes and the index of a dict or set that comes from Python, as swathe/lib/dict.py has
 * them. */
#include "py.h"

static uint64_t
mixed(uint64_t h, uint64_t bits)
{
    h = (h ^ bits) * 0x9e3779b97f4a7c15u;
    return h ^ h >> 32;
}

/* ENTRY of lib/dict.py: in the index, the number of an entry is below the high bits of its hash. */
static const int64_t ENTRY_BITS = ((int64_t)1 << 40) - 1;

/* _set_hash of lib/set.py */
static uint64_t
set_hash(const Type *t, const uint64_t *words)
{
    const int64_t *hash = (const int64_t *)(uintptr_t)words[heap_column(t, 3) + 1];
    uint64_t h = 0;
    for (uint64_t e = 0; e < words[1]; e++)
        h += hash[e] >= 0 ? (uint64_t)hash[e] : 0;
    return h;
}

/* Is a key of that type equal to itself alone? (special_is_itself of sema/special.c) */
bool
heap_is_itself(const Type *t)
{
    const PyTypeObject *cls = t->kind == TY_OBJ ? ((const ObjClass *)t->ref)->cls : NULL;
    return cls && cls->tp_hash == PyBaseObject_Type.tp_hash &&
           cls->tp_richcompare == PyBaseObject_Type.tp_richcompare;
}

/* hashed() of lower/heap_row.c */
static uint64_t
hash_entry(const Type *t, const uint64_t *words, int *at, int64_t i, uint64_t h)
{
    bool parts = t->kind == TY_TUPLE || t->kind == TY_OPTIONAL || t->kind == TY_EITHER;
    for (int k = 0; parts && k < t->n; k++)
        h = hash_entry(t->elems[k], words, at, i, h);
    if (parts)
        return h;
    if (t->kind == TY_TEXT || t->kind == TY_REF || t->kind == TY_OBJ) {
        SwMem *const *box = (SwMem *const *)(uintptr_t)words[*at + 1];
        *at += 3;
        if (t->kind == TY_OBJ)
            return mixed(h, (uint64_t)(uintptr_t)box[i]->data);
        return t->kind == TY_REF ? mixed(h, set_hash(t, box[i]->data))
                                 : text_box_hash(t, box[i], h);
    }
    DType d = (DType)t->storage;
    int size = dtype_size(d);
    const char *p = (const char *)(uintptr_t)words[*at + 1] + i * size;
    *at += 3;
    double part[2] = {0, 0};
    uint64_t slot[2];
    heap_read_scalar(d, p, slot);
    if (dtype_kind(d) < DK_FLOAT)
        return mixed(h, slot[0]);
    if (d == DT_f64 || d == DT_c128)
        memcpy(part, p, (size_t)size);
    for (int k = 0; (d == DT_f32 || d == DT_c64) && k < size / 4; k++)
        part[k] = (double)((const float *)(const void *)p)[k];
    if (d == DT_f16)
        part[0] = (double)*(const _Float16 *)(const void *)p;
    for (int k = 0; k <= dtype_is_complex(d); k++) {
        part[k] += 0.0; /* -0.0 is 0.0 */
        memcpy(slot, &part[k], 8);
        h = mixed(h, slot[0]);
    }
    return h;
}

/* Of the entries, which have come from Python: their hashes, and where each is found. The index is
 * fetched some entries ahead. */
void
heap_index(const Type *t, uint64_t *words, int64_t n)
{
    enum { AHEAD = 12 };
    int64_t *index = (int64_t *)(uintptr_t)words[heap_column(t, 0) + 1],
            m = (int64_t)words[heap_column(t, 0) + 2];
    int64_t *hash = (int64_t *)(uintptr_t)words[heap_column(t, 3) + 1];
    const int64_t *key = (const int64_t *)(uintptr_t)words[heap_column(t, 1) + 1];
    bool whole = t->elems[0]->kind == TY_SCALAR && t->elems[0]->storage == DT_i64;
    memset(index, 0, (size_t)m * 8);
    for (int64_t e = 0; whole && e < n; e++)
        hash[e] = (int64_t)(mixed(0, (uint64_t)key[e]) & INT64_MAX);
    for (int64_t e = 0; !whole && e < n; e++) {
        int at = heap_column(t, 1);
        hash[e] = (int64_t)(hash_entry(t->elems[0], words, &at, e, 0) & INT64_MAX);
    }
    for (int64_t e = 0; e < n; e++) {
        if (e + AHEAD < n)
            __builtin_prefetch(&index[hash[e + AHEAD] & (m - 1)], 1);
        int64_t i = hash[e] & (m - 1);
        while (index[i])
            i = (i + 1) & (m - 1);
        index[i] = (hash[e] & ~ENTRY_BITS) | (e + 1);
    }
    words[1] = (uint64_t)n;
}
