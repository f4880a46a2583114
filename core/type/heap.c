/* SPDX-License-Identifier: BSD-3-Clause
 * Classes of objects on the heap, what their columns are, and types that are still to be found: see
 * type.h. */
#include "type/type.h"

#define ORDERED HEAP_ORDERED
#define KEYED HEAP_KEYED
#define MAPS HEAP_MAPS
#define RING HEAP_RING
#define FIXED HEAP_FIXED
#define GROUPS(...)                                                                                \
    {                                                                                              \
        __VA_ARGS__                                                                                \
    }
#define HEAP_CLASS(id, base, elems, words, groups, of, traits, operators, own)                     \
    const HeapClass heap_##id = {#id,    elems,     words,        groups, of,                      \
                                 traits, operators, &heap_##base, own};
#include "def/heap.def"
#undef KEYED
#undef FIXED

const HeapClass *
heap_class(const char *name)
{
    static const HeapClass *const all[] = {
#define HEAP_CLASS(id, ...) &heap_##id,
#include "def/heap.def"
    };
    for (int i = 0; i < SW_LEN(all); i++)
        if (!strcmp(all[i]->name, name))
            return all[i];
    return NULL;
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

/* Of the methods of sets: does it leave the set as it is? */
static bool
keeps(const char *name)
{
    static const char *const change[] = {"add", "remove", "discard", "pop", "clear"};
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
            return c->traits & HEAP_FIXED && !keeps(name) ? -1 : all[i].view;
    return -1;
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

int
heap_leaves(const Type *e)
{
    int n = 0;
    for (int i = 0; type_has_parts(e) && i < e->n; i++)
        n += heap_leaves(e->elems[i]);
    return type_has_parts(e) ? n : 1;
}

void
heap_flatten(const Type *e, const Type **out, int *n)
{
    for (int i = 0; type_has_parts(e) && i < e->n; i++)
        heap_flatten(e->elems[i], out, n);
    if (!type_has_parts(e))
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
    if (t->kind == TY_OBJ) { /* which nobody draws */
        sb_add(b, "*");
        return;
    }
    if (t->kind == TY_TEXT) {
        sb_add(b, type_is_bytes(t) ? "Y" : "T");
        return;
    }
    const char *open = t->kind == TY_TUPLE ? "(" : type_heap_has(t, HEAP_KEYED) ? "{" : "[";
    const char *between = t->kind == TY_TUPLE ? "," : ":";
    const char *close = t->kind == TY_TUPLE ? ")" : type_heap_has(t, HEAP_KEYED) ? "}" : "]";
    if (t->kind == TY_ARRAY)
        sb_addf(b, "%c%d", t->readonly ? 'R' : 'A', t->ndim);
    if (t->kind != TY_TUPLE && t->kind != TY_REF) {
        sb_add(b, dtype_info[t->storage].id);
        return;
    }
    for (int i = 0; i < t->n && t->elems[i]->kind != TY_FUNC; i++) {
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

/* e of other parts. */
static const Type *
with_parts(TypeTable *t, const Type *e, const Type *const *parts)
{
    if (e->kind == TY_REF)
        return type_heap(t, e->ref, parts);
    if (e->kind == TY_OPTIONAL)
        return type_optional(t, parts[1]);
    return e->names ? type_with_elems(t, e, 0, parts, e->names) : type_tuple_as(t, e, e->n, parts);
}

const Type *
type_element(TypeTable *t, const Type *e)
{
    const Type *parts[64];
    switch (e->kind) {
    case TY_SCALAR:
        return e->mixed ? NULL : e;
    case TY_REF:
    case TY_OBJ:
    case TY_UNKNOWN:
    case TY_TEXT:
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
        return with_parts(t, e, parts);
    case TY_OPTIONAL:
        parts[0] = type_element(t, e->elems[1]);
        return parts[0] ? type_optional(t, parts[0]) : NULL;
    case TY_NONE:
        return type_optional(t, type_unknown(t));
    default:
        return NULL;
    }
}

/* ---- types that are still to be found -------------------------------------------------------- */

bool
type_is_open(const Type *t)
{
    if (t->kind == TY_UNKNOWN)
        return true;
    for (int i = 0; type_has_elements(t) && i < t->n; i++)
        if (type_is_open(t->elems[i]))
            return true;
    return false;
}

const Type *
type_resolve(TypeTable *t, const Type *x)
{
    const Type *parts[64];
    while (x->kind == TY_UNKNOWN && x->ref && ((const TypeVar *)x->ref)->is)
        x = ((const TypeVar *)x->ref)->is;
    if (!type_has_elements(x) || !type_is_open(x) || x->n > SW_LEN(parts))
        return x;
    for (int i = 0; i < x->n; i++)
        parts[i] = type_resolve(t, x->elems[i]);
    return with_parts(t, x, parts);
}

static bool
occurs(const TypeVar *v, const Type *t)
{
    if (t->kind == TY_UNKNOWN)
        return t->ref == v;
    for (int i = 0; i < t->n; i++)
        if (occurs(v, t->elems[i]))
            return true;
    return false;
}

/* None tells nothing of what else there may be: that is still to be found. */
static const Type *
opened(TypeTable *t, TypeVar *v, const Type *x)
{
    const Type *parts[64];
    if (x->kind == TY_UNKNOWN && !x->ref) {
        TypeVar *part = NEW(type_arena(t), TypeVar);
        *part = (TypeVar){.found = v->found, .next = v->next};
        v->next = part;
        return type_open(t, part);
    }
    if (!type_has_elements(x) || x->kind == TY_REF || !type_is_open(x) || x->n > SW_LEN(parts))
        return x;
    for (int i = 0; i < x->n; i++)
        parts[i] = opened(t, v, x->elems[i]);
    return with_parts(t, x, parts);
}

static bool
bind(TypeTable *t, const Type *open, const Type *to)
{
    TypeVar *v = (TypeVar *)(uintptr_t)open->ref;
    if (!v || (to->kind == TY_UNKNOWN && !to->ref))
        return true; /* of a mistake, or of what is not known yet */
    if (occurs(v, to))
        return false;
    v->is = opened(t, v, type_as_element(t, to));
    if (v->found)
        ++*v->found;
    return true;
}

/* What is made anew for each instance is the younger one: an instance for a type with that in it
 * would be another each time. */
static bool
is_older(const Type *a, const Type *b)
{
    const TypeVar *v = a->ref, *w = b->ref;
    return v && w && v->age < w->age;
}

/* Dicts of the same keys, of which some values are to be found out: then they are of one class. */
static bool
unify_dicts(TypeTable *t, const ObjClass *a, const ObjClass *b)
{
    bool same = a->dict && b->dict && a->n == b->n;
    for (int i = 0; same && i < a->n; i++) {
        const Type *x = a->field[i].type, *y = b->field[i].type;
        same = !strcmp(a->field[i].name, b->field[i].name) && type_unify(t, x, y) &&
               type_resolve(t, x) == type_resolve(t, y);
    }
    return same;
}

bool
type_unify(TypeTable *t, const Type *a, const Type *b)
{
    a = type_resolve(t, a);
    b = type_resolve(t, b);
    if (a == b)
        return true;
    if (a->kind == TY_UNKNOWN && !(b->kind == TY_UNKNOWN && is_older(a, b)))
        return bind(t, a, b);
    if (b->kind == TY_UNKNOWN)
        return bind(t, b, a);
    if (a->kind == TY_OPTIONAL)
        return type_unify(t, a->elems[1], type_value(b));
    if (a->kind == TY_OBJ && b->kind == TY_OBJ && unify_dicts(t, a->ref, b->ref))
        return true;
    if (a->kind == TY_OBJ || b->kind == TY_OBJ) {
        const Type *both = type_join_objects(t, a, b);
        return both && (both == a || both == b);
    }
    if (a->kind != b->kind)
        return false;
    if (a->kind == TY_SCALAR) /* of one width, whether Python's or NumPy's */
        return a->dtype == b->dtype && !a->mixed && !b->mixed;
    if (a->kind == TY_ARRAY)
        return a->dtype == b->dtype && a->ndim == b->ndim && a->readonly == b->readonly;
    if (!type_has_elements(a) || a->n != b->n || a->ref != b->ref)
        return false;
    for (int i = 0; i < a->n; i++) {
        const Type *x = a->elems[i], *y = b->elems[i];
        if (!type_unify(t, x, y))
            return false;
        if (a->kind == TY_REF && type_resolve(t, x) != type_resolve(t, y))
            return false; /* a list is shared, not converted */
    }
    return true;
}

const Type *
type_join_elements(TypeTable *t, const Type *a, const Type *b)
{
    const Type *parts[64], *both;
    a = type_resolve(t, a);
    b = type_resolve(t, b);
    if (a->kind == TY_UNKNOWN && !a->ref)
        return b;
    if (a->kind == TY_OPTIONAL || b->kind == TY_OPTIONAL) {
        parts[0] = type_join_elements(t, type_value(a), type_value(b));
        return parts[0] ? type_optional(t, parts[0]) : NULL;
    }
    if (a != b && (a->kind == TY_OBJ || b->kind == TY_OBJ) && (both = type_join_objects(t, a, b)))
        return both;
    if (a->kind != TY_TUPLE || b->kind != TY_TUPLE || a->n != b->n || a->ref != b->ref)
        return type_unify(t, a, b) ? type_resolve(t, a) : NULL;
    for (int i = 0; i < a->n; i++)
        if (!(parts[i] = type_join_elements(t, a->elems[i], b->elems[i])))
            return NULL;
    return with_parts(t, a, parts);
}
