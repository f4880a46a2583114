/* SPDX-License-Identifier: BSD-3-Clause
 * The table of types of one compilation. Takes the fields of a type; yields the one
 * pointer that stands for it, so that everybody compares types with ==. A type is hashed
 * by its fields (not by its text, which is made once, when the type is new). Also here:
 * how two types join where paths of control flow meet, and how many slots a value takes
 * at the boundary. */
#include "type/type.h"

#include <stdio.h>

struct TypeTable {
    Arena *arena;
    const Type **slots; /* open addressing; cap is a power of two */
    uint32_t n, cap;
    const Type *none, *unknown;
    const Type *scalar[DT_MAX][2];
    Map kept;     /* key -> Type: see type_keep */
    Map ages;     /* see type_age */
    Map classes;  /* TY_CLASS -> its Const */
    Map records;  /* of a class, that of TY_RECORDs, its CV_RECORD */
    bool rows;    /* see type_allow_rows */
    bool eithers; /* see type_allow_either */
    bool apart;   /* see type_keep_apart */
    bool packed;  /* one of those has a field that is not aligned */
    int n_open;   /* types that were still to be found */
    TypeFamilies families;
};

void
type_set_families(TypeTable *t, TypeFamilies f)
{
    t->families = f;
}

/* A value of either, where one is an instance; NULL: there is none. */
const Type *
type_join_objects(TypeTable *t, const Type *a, const Type *b)
{
    return t->families.join ? t->families.join(t->families.of, a, b) : NULL;
}

const Type *
type_as_element(TypeTable *t, const Type *of)
{
    const Type *parts[64];
    const Type *f = of->kind == TY_OBJ || of->names ? type_join_objects(t, of, of) : NULL;
    bool apart = (of->kind == TY_TUPLE || of->kind == TY_OPTIONAL) && of->n <= SW_LEN(parts);
    bool other = false;
    apart &= !f && t->families.join; /* what a family is made of stays what it is */
    for (int i = 0; apart && i < of->n; i++) {
        parts[i] = type_as_element(t, of->elems[i]);
        other |= parts[i] != of->elems[i];
    }
    return f ? f : other ? type_of_parts(t, of, parts) : of;
}

static uint32_t
type_hash(const Type *t)
{
    uint64_t h = (uint64_t)t->kind | (uint64_t)t->dtype << 8 | (uint64_t)t->ndim << 16 |
                 (uint64_t)t->layout << 24 | (uint64_t)t->weak << 32 | (uint64_t)t->readonly << 33 |
                 (uint64_t)t->mixed << 35 | (uint64_t)t->listed << 36 | (uint64_t)t->fortran << 37 |
                 (uint64_t)t->n << 40;
    const Const *text = t->kind == TY_STR ? t->ref : NULL; /* by what it says */
    for (size_t k = 0; text && k < text->str_len; k++)
        h = (h ^ (unsigned char)text->str[k]) * 0x100000001b3u;
    h = (h ^ (uint64_t)(uintptr_t)(text ? NULL : t->ref)) * 0x9e3779b97f4a7c15u;
    for (int k = 0; k < t->n; k++)
        h = ((h ^ h >> 29) + (uint64_t)(uintptr_t)t->elems[k]) * 0x9e3779b97f4a7c15u;
    return (uint32_t)(h >> 32);
}

/* Modules and exception classes have nothing but their name; the text of others is made.
 */
static bool
named_by_text(const Type *t)
{
    return !t->ref && (t->kind == TY_MODULE || t->kind == TY_BUILTIN || t->kind == TY_EXC ||
                       t->kind == TY_ELLIPSIS);
}

static bool
same_names(const Type *a, const Type *b)
{
    if (a->names == b->names)
        return true;
    if (!a->names || !b->names || a->n != b->n)
        return false;
    for (int k = 0; k < a->n; k++)
        if (strcmp(a->names[k], b->names[k]))
            return false;
    return true;
}

static bool
same_ref(const Type *a, const Type *b)
{
    const Const *x = a->ref, *y = b->ref;
    return x == y || (a->kind == TY_STR && b->kind == TY_STR && x && y &&
                      x->str_len == y->str_len && !memcmp(x->str, y->str, x->str_len));
}

static bool
type_same(const Type *a, const Type *b)
{
    return a->kind == b->kind && a->dtype == b->dtype && a->ndim == b->ndim &&
           a->layout == b->layout && a->weak == b->weak && a->readonly == b->readonly &&
           a->mixed == b->mixed && a->listed == b->listed && a->fortran == b->fortran &&
           a->n == b->n && same_ref(a, b) &&
           (a->n == 0 || !memcmp(a->elems, b->elems, sizeof *a->elems * (size_t)a->n)) &&
           same_names(a, b) && (!named_by_text(a) || !strcmp(a->text, b->text));
}

static void
grow(TypeTable *t)
{
    const Type **old = t->slots;
    uint32_t cap = t->cap;
    t->cap = cap * 2;
    t->slots = NEW_N(t->arena, const Type *, t->cap);
    for (uint32_t k = 0; k < cap; k++) {
        if (!old[k])
            continue;
        uint32_t at = type_hash(old[k]) & (t->cap - 1);
        while (t->slots[at])
            at = (at + 1) & (t->cap - 1);
        t->slots[at] = old[k];
    }
}

/* The type with the fields of `key`; `hint` is the text of kinds that have no text of
 * their own, the class name of a named tuple, or NULL. */
static const Type *
intern_type(TypeTable *tab, Type key, const char *hint)
{
    key.text = hint ? hint : type_kind_text(key.kind);
    uint32_t at = type_hash(&key) & (tab->cap - 1);
    for (; tab->slots[at]; at = (at + 1) & (tab->cap - 1))
        if (type_same(tab->slots[at], &key))
            return tab->slots[at];
    Type *t = arena_dup(tab->arena, &key, sizeof key);
    t->storage = (uint8_t)dtype_storage((DType)key.dtype);
    if (t->n)
        t->elems = arena_dup(tab->arena, key.elems, sizeof *key.elems * (size_t)key.n);
    if (t->names)
        t->names = arena_dup(tab->arena, key.names,
                             sizeof *key.names * (size_t)(key.kind == TY_SCALAR ? 1 : key.n));
    t->parts = 1;
    for (int i = 0; i < t->n; i++)
        t->parts += t->elems[i] ? t->elems[i]->parts : 0;
    t->text = type_make_text(tab->arena, t, hint);
    tab->slots[at] = t;
    if (++tab->n * 2 > tab->cap)
        grow(tab);
    return t;
}

TypeTable *
type_table(Arena *a)
{
    TypeTable *t = NEW(a, TypeTable);
    t->arena = a;
    t->cap = 128;
    t->slots = NEW_N(a, const Type *, t->cap);
    t->none = intern_type(t, (Type){.kind = TY_NONE}, NULL);
    t->unknown = intern_type(t, (Type){.kind = TY_UNKNOWN}, NULL);
    return t;
}

Arena *
type_arena(const TypeTable *t)
{
    return t->arena;
}

const Type *
type_none(TypeTable *t)
{
    return t->none;
}

const Type *
type_unknown(TypeTable *t)
{
    return t->unknown;
}

/* Weak scalars have Python's four types: any other width is that of its kind. */
const Type *
type_scalar(TypeTable *t, DType d, bool weak)
{
    static const DType python[] = {DT_bool, DT_i64, DT_i64, DT_f64, DT_c128};
    if (weak)
        d = python[dtype_kind(d)];
    const Type **memo = &t->scalar[d][weak];
    if (!*memo)
        *memo = intern_type(t, (Type){.kind = TY_SCALAR, .dtype = (uint16_t)d, .weak = weak}, NULL);
    return *memo;
}

const Type *
type_array(TypeTable *t, DType d, int ndim, Layout l, Readonly readonly)
{
    if (ndim == 0 || (ndim == 1 && l == LAY_F))
        l = LAY_C;
    return intern_type(t,
                       (Type){.kind = TY_ARRAY,
                              .dtype = (uint16_t)d,
                              .ndim = (uint8_t)ndim,
                              .layout = (uint8_t)l,
                              .readonly = (uint8_t)readonly},
                       NULL);
}

const Type *
type_strided(TypeTable *t, DType d, int ndim, bool fortran, Readonly readonly)
{
    if (!fortran || ndim < 2)
        return type_array(t, d, ndim, LAY_A, readonly);
    return intern_type(t,
                       (Type){.kind = TY_ARRAY,
                              .dtype = (uint16_t)d,
                              .ndim = (uint8_t)ndim,
                              .layout = LAY_A,
                              .fortran = true,
                              .readonly = (uint8_t)readonly},
                       NULL);
}

const Type *
type_row(TypeTable *t, const Type *array)
{
    DType d = (DType)array->dtype;
    Readonly ro = (Readonly)array->readonly;
    if (array->layout == LAY_C)
        return type_array(t, d, array->ndim - 1, LAY_C, ro);
    return type_strided(t, d, array->ndim - 1, type_order(array) == LAY_F, ro);
}

Layout
type_order(const Type *t)
{
    return t->layout == LAY_F || t->fortran ? LAY_F : LAY_C;
}

const Type *
type_tuple(TypeTable *t, int n, const Type *const *elems)
{
    return intern_type(t, (Type){.kind = TY_TUPLE, .n = n, .elems = elems}, NULL);
}

const Type *
type_listed(TypeTable *t, int n, const Type *const *elems)
{
    return intern_type(t, (Type){.kind = TY_TUPLE, .listed = true, .n = n, .elems = elems}, NULL);
}

const Type *
type_tuple_as(TypeTable *t, const Type *like, int n, const Type *const *elems)
{
    return like->listed ? type_listed(t, n, elems) : type_tuple(t, n, elems);
}

const Type *
type_named_tuple(TypeTable *t, int n, const Type *const *elems, const Sym *names, const void *cls,
                 const char *cls_name)
{
    if (n == 1 && (!strcmp(names[0], INT_MEMBER) || !strcmp(names[0], INT_OPERATORS))) {
        Type key = *type_scalar(t, DT_i64, true);
        key.names = names;
        key.ref = cls;
        return intern_type(t, key, cls_name);
    }
    return intern_type(
        t, (Type){.kind = TY_TUPLE, .n = n, .elems = elems, .names = names, .ref = cls}, cls_name);
}

/* Members of an IntEnum beside other ints: which of both a value is is not known, nor which
 * operators it has, so that they have to be the same. */
static const Type *
join_members(TypeTable *t, const Type *a, const Type *b)
{
    static const char of_members;
    if ((a->names && !strcmp(a->names[0], INT_OPERATORS)) ||
        (b->names && !strcmp(b->names[0], INT_OPERATORS)))
        return NULL;
    bool bools = (a->mixed && !a->ref) || (b->mixed && !b->ref);
    return intern_type(t,
                       (Type){.kind = TY_SCALAR,
                              .dtype = DT_i64,
                              .weak = true,
                              .mixed = true,
                              .ref = bools ? NULL : &of_members},
                       NULL);
}

const Type *
type_keyed(TypeTable *t, int n, const Type *const *elems, const Sym *keys)
{
    return intern_type(t, (Type){.kind = TY_KEYED, .n = n, .elems = elems, .names = keys}, NULL);
}

const Type *
type_record(TypeTable *t, int ndim, int n, const Type *const *elems, const Sym *names,
            const void *cls, const char *cls_name)
{
    Type key = {.kind = TY_RECORD,
                .ndim = (uint8_t)ndim,
                .n = n,
                .elems = elems,
                .names = names,
                .ref = cls};
    return intern_type(t, key, cls_name);
}

const Type *
type_with_elems(TypeTable *t, const Type *like, int ndim, const Type *const *elems,
                const Sym *names)
{
    if (like->kind == TY_KEYED)
        return type_keyed(t, like->n, elems, names);
    char *cls = arena_printf(t->arena, "%.*s", (int)strcspn(like->text, "("), like->text);
    return like->kind == TY_RECORD ? type_record(t, ndim, like->n, elems, names, like->ref, cls)
                                   : type_named_tuple(t, like->n, elems, names, like->ref, cls);
}

const Type *
type_optional(TypeTable *t, const Type *value)
{
    const Type *e[2] = {type_scalar(t, DT_bool, true), value};
    if (value->kind == TY_OPTIONAL)
        return value;
    return intern_type(t, (Type){.kind = TY_OPTIONAL, .n = 2, .elems = e}, NULL);
}

static const Type *
text_of(TypeTable *t, DType d)
{
    const Type *points = type_array(t, d, 1, LAY_C, RO_NO);
    return intern_type(t, (Type){.kind = TY_TEXT, .n = 1, .elems = &points}, NULL);
}

const Type *
type_text(TypeTable *t)
{
    return text_of(t, DT_u32);
}

const Type *
type_bytes(TypeTable *t)
{
    return text_of(t, DT_u8);
}

const Type *
type_range(TypeTable *t)
{
    const Type *whole = type_scalar(t, DT_i64, true), *e[3] = {whole, whole, whole};
    return intern_type(t, (Type){.kind = TY_RANGE, .n = 3, .elems = e}, NULL);
}

const Type *
type_stored(TypeTable *t, const Type *of)
{
    if (of->kind == TY_STR && of->ref)
        return type_text(t);
    if (of->kind == TY_OPTIONAL)
        return type_optional(t, type_stored(t, of->elems[1]));
    if (of->kind != TY_TUPLE && of->kind != TY_KEYED)
        return of;
    const Type **e = NEW_N(t->arena, const Type *, of->n + 1);
    bool same = true;
    for (int i = 0; i < of->n; i++) {
        e[i] = type_stored(t, of->elems[i]);
        same &= e[i] == of->elems[i];
    }
    return same        ? of
           : of->names ? type_with_elems(t, of, 0, e, of->names)
                       : type_tuple_as(t, of, of->n, e);
}

int
type_field(const Type *t, const char *name)
{
    for (int i = 0; i < t->n; i++)
        if (!strcmp(t->names[i], name))
            return i;
    return -1;
}

void
type_keep_record(TypeTable *t, const Const *c)
{
    t->packed |= c->b;
    map_put(t->arena, &t->records, c->ref, (void *)(uintptr_t)c);
}

bool
type_packed(const TypeTable *t)
{
    return t && t->packed;
}

const Const *
type_record_dtype(const TypeTable *t, const Type *records)
{
    return map_get(&t->records, records->ref);
}

const Type *
type_record_row(TypeTable *t, const Type *r)
{
    const Type **e = NEW_N(t->arena, const Type *, r->n);
    for (int i = 0; i < r->n; i++) {
        const Type *f = r->elems[i];
        e[i] = f->kind == TY_RECORD
                   ? type_record_row(t, f)
                   : type_array(t, (DType)f->dtype, f->ndim - 1, LAY_A, f->readonly);
    }
    return type_with_elems(t, r, r->ndim - 1, e, r->names);
}

/* As far as memory goes it is an array of words. */
const Type *
type_heap(TypeTable *t, const HeapClass *c, const Type *const *elems)
{
    Type key = {.kind = TY_REF,
                .dtype = DT_i64,
                .ndim = 1,
                .layout = LAY_C,
                .n = c->n_elems,
                .elems = elems,
                .ref = c};
    return intern_type(t, key, NULL);
}

const Type *
type_object(TypeTable *t, const ObjClass *c)
{
    Type key = {.kind = TY_OBJ, .dtype = DT_i64, .ndim = 1, .layout = LAY_C, .ref = c};
    return intern_type(t, key, c->name);
}

const Type *
type_of_class(TypeTable *t, const Const *c)
{
    const Type *is = type_other(t, TY_CLASS, c->ref, 0, NULL, c->str);
    if (!map_get(&t->classes, is))
        map_put(t->arena, &t->classes, is, (void *)(uintptr_t)c);
    return is;
}

const Const *
type_class_const(const TypeTable *t, const Type *cls)
{
    return map_get(&t->classes, cls);
}

int
type_age(TypeTable *t, const Type *f)
{
    const void *key = f->ref ? f->ref : f;
    if (!map_get(&t->ages, key))
        map_put(t->arena, &t->ages, key, (void *)(intptr_t)(t->ages.n + 1));
    return (int)(intptr_t)map_get(&t->ages, key);
}

const Type *
type_kept(const TypeTable *t, const void *key)
{
    return map_get(&t->kept, key);
}

void
type_keep(TypeTable *t, const void *key, const Type *is)
{
    map_put(t->arena, &t->kept, key, (void *)(uintptr_t)is);
}

const Type *
type_open(TypeTable *t, TypeVar *v)
{
    if (!v->age)
        v->age = ++t->n_open;
    return intern_type(t, (Type){.kind = TY_UNKNOWN, .ref = v}, NULL);
}

const Type *
type_other(TypeTable *t, TypeKind k, const void *ref, int n, const Type *const *elems,
           const char *text)
{
    return intern_type(t, (Type){.kind = k, .ref = ref, .n = n, .elems = elems}, text);
}

const Type *
type_dtype(TypeTable *t, DType d, bool weak, bool is_class)
{
    Type made = {.kind = TY_DTYPE, .dtype = (uint16_t)d, .weak = weak, .readonly = is_class};
    return intern_type(t, made, NULL);
}

/* ---- joins ---- */

bool
type_has_param(const Type *t)
{
    if (t->kind == TY_SCALAR || t->kind == TY_ARRAY || t->kind == TY_DTYPE)
        return dtype_is_param((DType)t->dtype);
    for (int k = 0; k < t->n; k++)
        if (t->elems[k] && type_has_param(t->elems[k]))
            return true;
    return false;
}

bool
type_is_shown_whole(const Type *t)
{
    return t->kind == TY_ARRAY || t->kind == TY_RECORD || t->kind == TY_RANGE ||
           (t->kind == TY_SCALAR && type_has_param(t));
}

/* Of it, of one of its elements, or of what such a one has been found to be. */
static bool
one_is(const Type *t, bool (*is)(const Type *t))
{
    const TypeVar *v = t->kind == TY_UNKNOWN ? t->ref : NULL;
    bool one = is(t) || (v && v->is && one_is(v->is, is));
    bool parts =
        t->kind == TY_TUPLE || t->kind == TY_KEYED || t->kind == TY_OPTIONAL || t->kind == TY_REF;
    for (int k = 0; !one && parts && k < t->n; k++)
        one = one_is(t->elems[k], is);
    return one;
}

static bool
is_mixed(const Type *t)
{
    return t->mixed;
}

bool
type_is_mixed(const Type *t)
{
    return one_is(t, is_mixed);
}

static bool
is_member(const Type *t)
{
    return t->kind == TY_SCALAR && t->ref;
}

bool
type_has_members(const Type *t)
{
    return one_is(t, is_member);
}

/* Those of another unit are other numbers; NaT, and what has no unit, are not. */
static const Type *
join_times(TypeTable *t, DType x, DType y)
{
    const DTypeParam *p = dtype_param(x), *q = dtype_param(y);
    if (x != y &&
        (!p || !q || p->kind != q->kind || (p->unit != UNIT_generic && q->unit != UNIT_generic)))
        return NULL;
    return type_scalar(t, p->unit == UNIT_generic ? y : x, false);
}

static const Type *
join_scalars(TypeTable *t, const Type *a, const Type *b)
{
    DType x = (DType)a->dtype, y = (DType)b->dtype;
    if (dtype_is_param(x) || dtype_is_param(y)) /* another unit has other numbers */
        return join_times(t, x, y);
    if (a->weak && b->weak && x == y && (a->ref || b->ref))
        return join_members(t, a, b);
    if (a->weak && b->weak && dtype_promote(x, y) == DT_i64 && (x != y || a->mixed || b->mixed))
        return intern_type(
            t, (Type){.kind = TY_SCALAR, .dtype = DT_i64, .weak = true, .mixed = true}, NULL);
    if (a->weak && b->weak)
        return type_scalar(t, dtype_promote(x, y), true);
    if (a->weak)
        return type_scalar(t, dtype_promote_weak(y, dtype_kind(x)), false);
    if (b->weak)
        return type_scalar(t, dtype_promote_weak(x, dtype_kind(y)), false);
    return type_scalar(t, dtype_promote(x, y), false);
}

static const Type *
join_arrays(TypeTable *t, const Type *a, const Type *b)
{
    if (a->dtype != b->dtype || a->ndim != b->ndim)
        return NULL;
    Readonly ro = (Readonly)(a->readonly > b->readonly ? a->readonly : b->readonly);
    if (a->layout == b->layout && a->layout != LAY_A)
        return type_array(t, (DType)a->dtype, a->ndim, (Layout)a->layout, ro);
    bool fortran = type_order(a) == LAY_F && type_order(b) == LAY_F;
    return type_strided(t, (DType)a->dtype, a->ndim, fortran, ro);
}

/* Of two named tuples of different classes what is common is the tuple. */
static const Type *
join_elems(TypeTable *t, const Type *a, const Type *b)
{
    bool apart = a->kind == TY_TUPLE ? a->listed != b->listed : a->ref != b->ref;
    apart |= a->kind == TY_KEYED && !same_names(a, b);
    if (apart || a->n != b->n || a->ndim != b->ndim)
        return NULL;
    const Type **e = NEW_N(t->arena, const Type *, a->n + 1);
    for (int k = 0; k < a->n; k++)
        if (!(e[k] = type_join(t, a->elems[k], b->elems[k])))
            return NULL;
    if (!type_has_parts(a))
        return type_other(t, a->kind, a->ref, a->n, e, a->kind == TY_FUNC ? a->text : NULL);
    if (!a->names || a->ref != b->ref || !same_names(a, b))
        return type_tuple_as(t, a, a->n, e);
    return type_with_elems(t, a, a->ndim, e, a->names);
}

/* Does it have a form at run time, all of it? */
static bool
is_stored(const Type *t)
{
    bool stored = type_is_held_apart(t) || t->kind == TY_SCALAR || t->kind == TY_ARRAY ||
                  t->kind == TY_NONE || t->kind == TY_REF || t->kind == TY_OBJ;
    for (int k = 0; stored && type_is_held_apart(t) && k < t->n; k++)
        stored = is_stored(t->elems[k]);
    return stored;
}

static const Type *
join_optional(TypeTable *t, const Type *a, const Type *b)
{
    const Type *x = type_value(a), *y = type_value(b);
    const Type *j = x->kind == TY_NONE ? y : y->kind == TY_NONE ? x : type_join(t, x, y);
    j = j ? type_stored(t, j) : j;
    return j && is_stored(j) ? type_optional(t, j) : NULL;
}

void
type_allow_rows(TypeTable *t)
{
    t->rows = true;
}

static const Type *join_alike(TypeTable *t, const Type *a, const Type *b);

static bool
is_plain_tuple(const Type *t)
{
    return t->kind == TY_TUPLE && !t->listed && !t->names;
}

/* What all elements are; unknown where there is none, NULL where they are unlike. */
static const Type *
row_element(TypeTable *t, const Type *a)
{
    const Type *all = type_unknown(t);
    if (a->kind == TY_REF)
        return type_resolve(t, a->elems[0]);
    for (int i = 0; all && i < a->n; i++) {
        const Type *e = type_element(t, a->elems[i]);
        all = !e ? NULL : all->kind == TY_UNKNOWN ? e : type_join_elements(t, all, e);
    }
    return all;
}

const Type *
type_join_rows(TypeTable *t, const Type *a, const Type *b)
{
    bool of_run = type_is_heap(a, &heap_tuple) || type_is_heap(b, &heap_tuple);
    if (!t->rows || !(is_plain_tuple(a) || type_is_heap(a, &heap_tuple)) ||
        !(is_plain_tuple(b) || type_is_heap(b, &heap_tuple)) || (!of_run && a->n == b->n))
        return NULL;
    const Type *x = row_element(t, a), *y = row_element(t, b);
    if (!x || !y)
        return NULL;
    x = x->kind == TY_UNKNOWN ? y : y->kind == TY_UNKNOWN ? x : type_join_elements(t, x, y);
    return x && x->kind != TY_UNKNOWN ? type_heap(t, &heap_tuple, &x) : NULL;
}

bool
type_eithers(const TypeTable *t)
{
    return t->eithers;
}

bool
type_allow_either(TypeTable *t, bool allow)
{
    bool before = t->eithers;
    t->eithers = allow;
    return before;
}

void
type_keep_apart(TypeTable *t, bool apart)
{
    t->apart = apart;
}

const Type *
type_join(TypeTable *t, const Type *a, const Type *b)
{
    const Type *j = join_alike(t, a, b);
    if (t->apart && j && type_is_mixed(j)) {
        t->apart = false; /* it asks for common types, too */
        const Type *both = type_join_either(t, a, b);
        t->apart = true;
        return both ? both : j;
    }
    return j || !t->eithers ? j : type_join_either(t, a, b);
}

/* To a type that holds both, unlike one that says which of the two it is. */
static const Type *
join_alike(TypeTable *t, const Type *a, const Type *b)
{
    const Type *j;
    if (a == b || b->kind == TY_UNKNOWN)
        return a;
    if (a->kind == TY_UNKNOWN)
        return b;
    if (a->kind == TY_NONE || b->kind == TY_NONE || a->kind == TY_OPTIONAL ||
        b->kind == TY_OPTIONAL)
        return join_optional(t, a, b);
    if (type_is_str(a) && type_is_str(b)) /* two that are known are no longer */
        return type_text(t);
    if (a->kind == TY_OBJ || b->kind == TY_OBJ)
        return type_join_objects(t, a, b);
    if (type_is_function(a) && type_is_function(b) && !type_same_function(a, b))
        return type_join_functions(t, a, b, false);
    if (a->kind != b->kind)
        return type_join_rows(t, a, b);
    switch (a->kind) {
    case TY_SCALAR:
        return join_scalars(t, a, b);
    case TY_ARRAY:
        return join_arrays(t, a, b);
    case TY_TUPLE:
        j = join_elems(t, a, b);
        return j ? j : type_join_rows(t, a, b);
    case TY_KEYED:
    case TY_RECORD:
    case TY_SLICE:
    case TY_FUNC:
    case TY_LIST:
        return join_elems(t, a, b);
    case TY_UNKNOWN:
    case TY_NONE:
    case TY_OPTIONAL:
    case TY_STR:
    case TY_TEXT:
    case TY_CHOICE:
    case TY_EITHER:
    case TY_BUILTIN:
    case TY_CLASS:
    case TY_MODULE:
    case TY_RANGE:
    case TY_ITER:
    case TY_EXC:
    case TY_ELLIPSIS:
        break;
    case TY_DTYPE: /* np.float64, or what a.dtype is */
        return a->dtype == b->dtype && a->weak == b->weak
                   ? type_dtype(t, (DType)a->dtype, a->weak, false)
                   : NULL;
    case TY_REF:
        return type_unify(t, a, b) ? type_resolve(t, a) : NULL;
    case TY_OBJ:
        break;
    }
    return NULL;
}

int
type_slots(const Type *t)
{
    if (t->kind == TY_SCALAR)
        return t->storage == DT_c128 ? 2 : 1;
    if (t->kind == TY_ARRAY || t->kind == TY_REF || t->kind == TY_OBJ)
        return 2 + 2 * t->ndim;
    int n = 0;
    if (type_has_parts(t) || t->kind == TY_SLICE)
        for (int k = 0; k < t->n; k++)
            n += type_slots(t->elems[k]);
    return n;
}

uint64_t
type_mark(const Type *t)
{
    Hash h = hash_init();
    hash_str(&h, t->text);
    hash_u64(&h, t->fortran);
    return h.h[0] | 1;
}
