/* SPDX-License-Identifier: BSD-3-Clause
 * Values known at compile time: their types, whether two are the same, and their part of
 * a cache key. Takes Consts made by py/ast_in (literals, globals, closed-over values).
 * Two are equal when code compiled with one is right for the other: floats compare by
 * bits, so that 0.0 is not -0.0 and a NaN is itself. */
#include "type/builtin.h"

static const Type *
tuple_type(TypeTable *t, const Const *c)
{
    const Type *few[16], **e = few;
    if (c->n > SW_LEN(few))
        e = NEW_N(type_arena(t), const Type *, c->n);
    for (int k = 0; k < c->n; k++)
        e[k] = const_type(t, c->elems[k]);
    if (c->kind == CV_KEYED)
        return type_keyed(t, c->n, e, c->names);
    return c->names     ? type_named_tuple(t, c->n, e, c->names, c->ref, c->str)
           : c->is_list ? type_listed(t, c->n, e)
                        : type_tuple(t, c->n, e);
}

static Layout
layout_of(const Const *c)
{
    for (int k = 0; c->axes && k < c->ndim; k++)
        if (c->axes[k] != c->ndim - 1 - k)
            return LAY_A;
    return c->axes ? LAY_F : LAY_C;
}

const Type *
const_type(TypeTable *t, const Const *c)
{
    switch (c->kind) {
    case CV_NONE:
        return type_none(t);
    case CV_BOOL:
        return type_scalar(t, DT_bool, true);
    case CV_INT:
        if (c->ref) {
            const Type *whole = type_scalar(t, DT_i64, true);
            return type_named_tuple(t, 1, &whole, c->names, c->ref, c->str);
        }
        return type_scalar(t, DT_i64, true);
    case CV_FLOAT:
        return type_scalar(t, DT_f64, true);
    case CV_COMPLEX:
        return type_scalar(t, DT_c128, true);
    case CV_NPSCALAR:
        return type_scalar(t, (DType)c->dtype, false);
    case CV_BYTES:
        return type_bytes(t);
    case CV_STR:
        return type_other(t, TY_STR, c, 0, NULL, NULL);
    case CV_ELLIPSIS:
        return type_other(t, TY_ELLIPSIS, NULL, 0, NULL, c->b ? "NotImplemented" : "ellipsis");
    case CV_TUPLE:
    case CV_KEYED:
        return tuple_type(t, c);
    case CV_ARRAY:
        return type_array(t, (DType)c->dtype, c->ndim, layout_of(c), true);
    case CV_FUNC:
        return type_other(t, TY_FUNC, c->ref, 0, NULL, NULL);
    case CV_BUILTIN:
        return type_other(t, TY_BUILTIN, c->ref, 0, NULL, ((const Builtin *)c->ref)->name);
    case CV_DTYPE:
        return type_dtype(t, (DType)c->dtype, c->weak, c->b);
    case CV_MODULE:
        return type_other(t, TY_MODULE, NULL, 0, NULL, c->str);
    case CV_TUPLE_CLASS:
    case CV_CLASS:
        return type_of_class(t, c);
    case CV_RECORD:
    case CV_EXC_CLASS:
    case CV_CONTEXT:
    case CV_UNSUPPORTED:
        return type_other(t, TY_BUILTIN, NULL, 0, NULL, c->str);
    }
    return type_unknown(t);
}

int64_t
const_points(Arena *a, const Const *c, uint32_t **out)
{
    const unsigned char *p = (const unsigned char *)c->str, *end = p + c->str_len;
    int64_t n = 0;
    *out = NEW_N(a, uint32_t, c->str_len + 1);
    while (p < end) { /* it is valid UTF-8 */
        int more = *p < 0x80 ? 0 : *p < 0xe0 ? 1 : *p < 0xf0 ? 2 : 3;
        uint32_t x = more ? *p & (0x3fu >> more) : *p;
        for (p++; more > 0 && p < end; more--)
            x = x << 6 | (*p++ & 0x3fu);
        (*out)[n++] = x;
    }
    return n;
}

static bool
same_bits(double a, double b)
{
    return !memcmp(&a, &b, sizeof a);
}

static bool
same_text(const char *a, const char *b)
{
    return a == b || (a && b && !strcmp(a, b));
}

static bool
equal_elems(const Const *a, const Const *b)
{
    if (a->n != b->n || a->is_list != b->is_list || a->ref != b->ref || !a->names != !b->names)
        return false;
    for (int k = 0; k < a->n; k++)
        if (!const_equal(a->elems[k], b->elems[k]) ||
            (a->kind == CV_KEYED && strcmp(a->names[k], b->names[k])))
            return false;
    return true;
}

bool
const_equal(const Const *a, const Const *b)
{
    if (a == b)
        return true;
    if (!a || !b || a->kind != b->kind)
        return false;
    switch (a->kind) {
    case CV_NONE:
        return true;
    case CV_ELLIPSIS:
    case CV_BOOL:
        return a->b == b->b;
    case CV_INT:
        return a->i == b->i && (a->dtype == DT_u64) == (b->dtype == DT_u64) &&
               a->too_big == b->too_big && same_text(a->str, b->str) && a->ref == b->ref;
    case CV_FLOAT:
        return same_bits(a->re, b->re);
    case CV_COMPLEX:
        return same_bits(a->re, b->re) && same_bits(a->im, b->im);
    case CV_NPSCALAR:
        return a->dtype == b->dtype && a->i == b->i && same_bits(a->re, b->re) &&
               same_bits(a->im, b->im);
    case CV_BYTES:
    case CV_STR:
        return a->str_len == b->str_len && !memcmp(a->str, b->str, a->str_len);
    case CV_TUPLE:
    case CV_KEYED:
        return equal_elems(a, b);
    case CV_ARRAY:
        return a->dtype == b->dtype && a->ndim == b->ndim && a->nbytes == b->nbytes &&
               !memcmp(a->shape, b->shape, sizeof *a->shape * a->ndim) && !a->axes == !b->axes &&
               (!a->axes || !memcmp(a->axes, b->axes, sizeof *a->axes * a->ndim)) &&
               !memcmp(a->data, b->data, a->nbytes);
    case CV_FUNC:
    case CV_BUILTIN:
        return a->ref == b->ref;
    case CV_DTYPE:
        return a->dtype == b->dtype && a->weak == b->weak;
    case CV_MODULE:
    case CV_EXC_CLASS:
    case CV_CONTEXT:
    case CV_UNSUPPORTED:
        return same_text(a->str, b->str);
    case CV_TUPLE_CLASS:
    case CV_CLASS:
    case CV_RECORD: /* one class for each dtype */
        return a->ref == b->ref && same_text(a->str, b->str);
    }
    return false;
}

/* No pointer goes into a hash: it is compared between processes. */
void
const_hash(const Const *c, Hash *h)
{
    if (!c) {
        hash_u64(h, ~(uint64_t)0);
        return;
    }
    hash_u64(h, (uint64_t)c->kind | (uint64_t)c->b << 8 | (uint64_t)c->weak << 9 |
                    (uint64_t)c->is_list << 10 | (uint64_t)c->too_big << 11 |
                    (uint64_t)dtype_storage((DType)c->dtype) << 16 | (uint64_t)c->ndim << 24);
    if (dtype_is_param((DType)c->dtype)) /* their numbers are this process's */
        hash_str(h, dtype_info[c->dtype].name);
    hash_u64(h, (uint64_t)c->i);
    hash_bytes(h, &c->re, sizeof c->re);
    hash_bytes(h, &c->im, sizeof c->im);
    if (c->kind == CV_STR || c->kind == CV_BYTES) {
        hash_u64(h, c->str_len);
        hash_bytes(h, c->str, c->str_len);
    } else
        hash_str(h, c->str ? c->str : "");
    hash_u64(h, (uint64_t)c->n);
    for (int k = 0; k < c->n; k++) {
        if (c->elems)
            const_hash(c->elems[k], h);
        if (c->names)
            hash_str(h, c->names[k]);
    }
    if (c->kind == CV_BUILTIN) {
        const Builtin *f = c->ref;
        hash_str(h, f->module);
        hash_str(h, f->name);
    }
    if (c->kind == CV_RECORD || (c->kind == CV_DTYPE && c->ndim))
        hash_bytes(h, c->shape, sizeof *c->shape * (size_t)(c->kind == CV_RECORD ? c->n : c->ndim));
    if (c->kind == CV_EXC_CLASS && c->data)
        hash_str(h, c->data);
    if (c->kind == CV_ARRAY) {
        hash_bytes(h, c->shape, sizeof *c->shape * c->ndim);
        if (c->axes)
            hash_bytes(h, c->axes, sizeof *c->axes * c->ndim);
        hash_bytes(h, c->data, c->nbytes);
    }
}
