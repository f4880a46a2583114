/* SPDX-License-Identifier: BSD-3-Clause
 * Classes of objects on the heap, what their columns are, and types that are still to be found: see
 * type.h. */
#include "type/type.h"

#define ORDERED HEAP_ORDERED
#define KEYED HEAP_KEYED
#define MAPS HEAP_MAPS
#define RING HEAP_RING
#define FIXED HEAP_FIXED
#define BYTES (HEAP_BYTES | HEAP_PACKED)
#define PACKED HEAP_PACKED
#define GROUPS(...)                                                                                \
    {                                                                                              \
        __VA_ARGS__                                                                                \
    }
#define HEAP_CLASS(id, base, elems, words, groups, of, traits, operators, own)                     \
    const HeapClass heap_##id = {#id,       elems,        words, groups, of,   traits,             \
                                 operators, &heap_##base, own,   NULL,   DT_u8};
#define HEAP_ARRAY(code, dtype)                                                                    \
    static const HeapClass heap_array_##code = {                                                   \
        "array('" #code "')", 1,  1,     1,         {0}, ORDERED | PACKED, "+",                    \
        &heap_arrays,         "", #code, DT_##dtype};
#include "def/heap.def"
/* which has their functions, and no objects */
const HeapClass heap_arrays = {
    .name = "array", .traits = ORDERED | PACKED, .base = &heap_arrays, .operators = "+", .own = ""};
#undef KEYED
#undef FIXED
#undef BYTES
#undef PACKED

const HeapClass *
heap_class(const char *name)
{
    static const HeapClass *const all[] = {
#define HEAP_CLASS(id, ...) &heap_##id,
#define HEAP_ARRAY(code, ...) &heap_array_##code,
#include "def/heap.def"
        &heap_arrays};
    for (int i = 0; i < SW_LEN(all); i++)
        if (!strcmp(all[i]->name, name))
            return all[i];
    return NULL;
}

const HeapClass *
heap_array_class(const char *typecode)
{
    static const HeapClass *const all[] = {
#define HEAP_ARRAY(code, ...) &heap_array_##code,
#include "def/heap.def"
    };
    for (int i = 0; i < SW_LEN(all); i++)
        if (!strcmp(all[i]->code, typecode))
            return all[i];
    return NULL;
}

bool
type_is_row(const Type *t)
{
    return type_is_heap(t, &heap_list) || type_is_heap(t, &heap_tuple);
}

const char *
heap_function_of(const HeapClass *c, const char *what)
{
    size_t n = strlen(what);
    if (c == &heap_defaultdict_of && !strcmp(what, "getitem"))
        return heap_defaultdict.name;
    for (const char *at = c->own; (at = strstr(at, what)); at += n)
        if (at[-1] == ' ' && at[n] == ' ')
            return c->name;
    return c->base->name;
}

/* Of the methods of sets and lists: does it leave the object as it is? A tuple has no copy(). */
static bool
keeps(const HeapClass *c, const char *name)
{
    static const char *const change[] = {"add", "remove", "discard", "pop", "clear"};
    if (c->traits & HEAP_ORDERED)
        return !strcmp(name, "index") || !strcmp(name, "count");
    for (int i = 0; i < SW_LEN(change); i++)
        if (!strcmp(name, change[i]))
            return false;
    return !strstr(name, "update");
}

int
heap_method_view(const HeapClass *c, const char *name)
{
    static const struct {
        const char *cls, *name;
        int view;
    } all[] = {
#define HEAP_METHOD(cls, name, params, view) {#cls, #name, view},
#include "def/heap.def"
    };
    const char *cls = heap_function_of(c, name);
    for (int i = 0; i < SW_LEN(all); i++)
        if (!strcmp(all[i].cls, cls) && !strcmp(all[i].name, name))
            return c->traits & HEAP_FIXED && !keeps(c, name) ? -1 : all[i].view;
    return -1;
}

int
heap_method_names(const HeapClass *c, const char **names, int most)
{
    static const char *const all[] = {
#define HEAP_METHOD(cls, name, params, view) #name,
#include "def/heap.def"
    };
    int n = 0;
    for (int i = 0; i < SW_LEN(all) && n < most; i++)
        if (heap_method_view(c, all[i]) >= 0)
            names[n++] = all[i];
    return n;
}

/* ---- columns --------------------------------------------------------------------------------- */

const Type *
heap_group(TypeTable *t, const Type *object, int group)
{
    int of = ((const HeapClass *)object->ref)->group[group];
    if (of >= 0)
        return object->elems[of];
    return of == -1 ? type_scalar(t, DT_i64, true) : type_tuple(t, 0, NULL);
}

const Type *
heap_held(TypeTable *t, const Type *object, int group)
{
    return type_heap_has(object, HEAP_PACKED)
               ? type_scalar(t, ((const HeapClass *)object->ref)->held, false)
               : heap_group(t, object, group);
}

const Type *
type_of_packed(TypeTable *t, const HeapClass *c)
{
    const Type *of = type_scalar(t, dtype_is_float(c->held) ? DT_f64 : DT_i64, true);
    return type_heap(t, c, &of);
}

int
heap_leaves(const Type *e)
{
    int n = 0;
    for (int i = 0; type_is_held_apart(e) && i < e->n; i++)
        n += heap_leaves(e->elems[i]);
    return type_is_held_apart(e) ? n : 1;
}

/* An iterator's place, what it goes through, and its functions: as type_iter_parts has them. */
static void
flatten_iter(const Type *e, const Type **out, int *n)
{
    static const Type cell = {
        .kind = TY_ARRAY, .dtype = DT_i64, .storage = DT_i64, .ndim = 1, .layout = LAY_C};
    bool source = type_iter_over_source(e);
    if (type_iter_has_cell(e))
        out[(*n)++] = &cell;
    for (int i = 0; i < type_iter_count(e); i++) {
        if (!source && e->elems[i]->kind != TY_ITER && e->elems[i]->kind != TY_OBJ)
            out[(*n)++] = &cell;
        heap_flatten(e->elems[i], out, n);
    }
    for (int i = 1; type_iter_maps(e) && i < e->n; i++)
        heap_flatten(e->elems[i], out, n);
}

void
heap_flatten(const Type *e, const Type **out, int *n)
{
    if (e->kind == TY_ITER) {
        flatten_iter(e, out, n);
        return;
    }
    for (int i = 0; type_is_held_apart(e) && i < e->n; i++)
        heap_flatten(e->elems[i], out, n);
    if (!type_is_held_apart(e))
        out[(*n)++] = e;
}

int
heap_column(const Type *object, int group)
{
    const HeapClass *c = object->ref;
    int at = c->n_words;
    for (int g = 0; g < group; g++) {
        int of = c->group[g];
        at += 3 * (of >= 0 ? heap_leaves(object->elems[of]) : of == -1);
    }
    return at;
}

char *
heap_layout(Arena *a, const Type *t)
{
    StrBuf b = {0};
    if (t->kind == TY_OBJ)
        return object_layout(a, t);
    if (t->kind == TY_ARRAY) {
        sb_add(&b, "pw");
        for (int i = 0; i < 2 * t->ndim; i++)
            sb_add(&b, "w");
    } else {
        const HeapClass *c = t->ref;
        for (int i = 0; i < c->n_words; i++)
            sb_add(&b, "w");
        for (int i = (heap_column(t, c->n_groups) - c->n_words) / 3; i > 0; i--)
            sb_add(&b, "pww");
    }
    return sb_keep(&b, a);
}

static void
add_holds(StrBuf *b, const Type *t)
{
    if (t->kind == TY_OPTIONAL) {
        sb_add(b, "?");
        t = t->elems[1];
    }
    if (t->kind == TY_OBJ || t->kind == TY_FUNC) { /* which nobody draws */
        sb_add(b, "*");
        return;
    }
    if (t->kind == TY_TEXT) {
        sb_add(b, type_is_bytes(t) ? "Y" : "T");
        return;
    }
    bool parts = t->kind == TY_TUPLE || t->kind == TY_RANGE, keyed = type_heap_has(t, HEAP_KEYED);
    bool ring = type_heap_has(t, HEAP_RING);
    const char *open = parts ? "(" : keyed ? "{" : ring ? "<" : "[";
    const char *between = parts ? "," : ":";
    const char *close = parts ? ")" : keyed ? "}" : ring ? ">" : "]";
    if (t->kind == TY_ARRAY)
        sb_addf(b, "%c%d", t->readonly ? 'R' : 'A', t->ndim);
    if (type_heap_has(t, HEAP_PACKED)) {
        sb_addf(b, "[%s]", dtype_info[((const HeapClass *)t->ref)->held].id);
        return;
    }
    if (!parts && t->kind != TY_REF) {
        sb_add(b, dtype_info[t->storage].id);
        return;
    }
    /* behind what it holds, what makes a defaultdict's values */
    for (int i = 0; i < t->n && (!i || t->elems[i]->kind != TY_FUNC); i++) {
        sb_add(b, i ? between : open);
        add_holds(b, t->elems[i]);
    }
    sb_add(b, close);
}

char *
heap_holds(Arena *a, const Type *t)
{
    StrBuf b = {0};
    add_holds(&b, t);
    return sb_keep(&b, a);
}

const Type *
type_of_parts(TypeTable *t, const Type *e, const Type *const *parts)
{
    if (e->kind == TY_REF)
        return type_heap(t, e->ref, parts);
    if (e->kind == TY_OPTIONAL)
        return type_optional(t, parts[1]);
    if (e->kind == TY_FUNC || e->kind == TY_CHOICE || e->kind == TY_EITHER)
        return type_other(t, e->kind, e->ref, e->n, parts, e->text);
    return e->names ? type_with_elems(t, e, 0, parts, e->names) : type_tuple_as(t, e, e->n, parts);
}

const Type *
type_element(TypeTable *t, const Type *e)
{
    const Type *parts[64];
    switch (e->kind) {
    case TY_SCALAR:
        return e->mixed && !e->ref ? NULL : e;
    case TY_REF:
    case TY_OBJ:
    case TY_UNKNOWN:
    case TY_TEXT:
    case TY_RANGE:
        return e;
    case TY_STR:
        return e->ref ? type_text(t) : NULL;
    case TY_ARRAY: /* of any strides, since the next one put there may have others */
        return type_array(t, (DType)e->dtype, e->ndim, LAY_A, (Readonly)e->readonly);
    case TY_TUPLE:
        /* the object of a list would be another than the list */
        if (e->n == 0 || e->n > SW_LEN(parts) || e->listed)
            return NULL;
        for (int i = 0; i < e->n; i++)
            if (!(parts[i] = type_element(t, e->elems[i])))
                return NULL;
        return type_of_parts(t, e, parts);
    case TY_OPTIONAL:
        parts[0] = type_is_function(e->elems[1]) && !e->elems[1]->n
                       ? e->elems[1] /* the tag tells */
                       : type_element(t, e->elems[1]);
        return parts[0] ? type_optional(t, parts[0]) : NULL;
    case TY_NONE:
        return type_optional(t, type_unknown(t));
    case TY_BUILTIN:
    case TY_CLASS:
    case TY_DTYPE:
    case TY_FUNC: /* what it has captured; of one that has nothing a tag, as of several */
    case TY_CHOICE:
    case TY_EITHER:
        if (!e->n)
            return type_is_function(e) ? type_choice(t, 1, &e) : NULL;
        if (e->n > SW_LEN(parts))
            return NULL;
        for (int i = 0; i < e->n; i++)
            if (!(parts[i] = type_element(t, e->elems[i])))
                return NULL;
        return type_of_parts(t, e, parts);
    default:
        return NULL;
    }
}
