/* SPDX-License-Identifier: BSD-3-Clause
 * Types of what the classes of lists, dicts and sets are written with, in swathe/lib: the rows of
 * heap.def. */
#include "sema/calls.h"

/* A NumPy integer among lengths would have its dtype's arithmetic. */
static const Type *
index_of(CallCx *x)
{
    Sem v = sema_arg(x->s, x->c, 0);
    if (!is_int_type(v.type)) {
        sema_error(x->s, DIAG_argument, x->at, "'%s' object cannot be interpreted as an integer",
                   class_name(x->s, v.type));
        return NULL;
    }
    x->c->kind = CALL_CAST;
    x->c->n_args = 1;
    return cast_type(x->s, x->at, v, DT_i64, true, &x->cst);
}

/* Elements of a tuple would become one type without a word: a bool an int. */
static const Type *
same_class(CallCx *x)
{
    const Type *o = sema_arg(x->s, x->c, 0).type,
               *v = type_resolve(x->s->tt, sema_arg(x->s, x->c, 1).type);
    const Type *held =
        type_is_heap(o, &heap_list) ? type_resolve(x->s->tt, heap_group(x->s->tt, o, 0)) : NULL;
    bool takes = !held || held->kind == TY_OPTIONAL || held->kind == TY_UNKNOWN;
    const Type *all = NULL; /* None among them is as in a display */
    for (int i = 0; v->kind == TY_TUPLE && i < v->n; i++) {
        const Type *elem = type_element(x->s->tt, v->elems[i]);
        elem = elem ? elem : type_stored(x->s->tt, v->elems[i]);
        const Type *both = all ? type_widest(x->s->tt, all, elem) : elem;
        if (!both || (i && both->kind == TY_OPTIONAL && !takes)) {
            sema_type_error(x->s, x->at, "a list holds values of one type, and %s has %s and %s",
                            v->text, v->elems[0]->text, v->elems[i]->text);
            return NULL;
        }
        all = both;
    }
    const HeapClass *of = v->kind == TY_REF ? v->ref : NULL;
    x->cst = const_bool(x->s, of && of->base == ((const HeapClass *)o->ref)->base);
    return type_scalar(x->s->tt, DT_bool, true);
}

/* put(object, group, at, value) */
bool
heap_takes_none(Sema *s, const Call *c)
{
    const Type *o = type_resolve(s->tt, sema_arg(s, c, 0).type);
    bool key = c->fn->id == BI_heap_hash_of;
    int64_t g = 1;
    if (o->kind != TY_REF || (!key && !const_as_int(sema_arg(s, c, 1).cst, &g)))
        return false;
    const Type *t = type_resolve(s->tt, heap_group(s->tt, o, (int)g));
    return t->kind == TY_OPTIONAL || t->kind == TY_UNKNOWN;
}

/* May it from now on? What holds no None so far is inferred once more for that; a key stays. */
bool
heap_begins_none(Sema *s, const Call *c)
{
    const Type *o = type_resolve(s->tt, sema_arg(s, c, 0).type);
    int64_t g = 1;
    bool put = c->fn->id == BI_heap_put || c->fn->id == BI_heap_fill;
    if (!put || o->kind != TY_REF || !const_as_int(sema_arg(s, c, 1).cst, &g))
        return false;
    if (type_heap_has(o, HEAP_PACKED) || (g == 1 && type_heap_has(o, HEAP_KEYED)))
        return false;
    if (s->wide)
        return type_widen(s->tt, heap_group(s->tt, o, (int)g), sema_arg(s, c, 3).type);
    s->want_none |= !s->none_raises;
    return false;
}

/* What hashes the sets in a key. */
static void
hash_sets(Sema *s, const Node *at, const Type *t)
{
    for (int i = 0; type_has_parts(t) && t->kind != TY_TEXT && i < t->n; i++)
        hash_sets(s, at, t->elems[i]);
    if (type_is_heap(t, &heap_tuple))
        hash_sets(s, at, type_resolve(s->tt, t->elems[0]));
    if (t->kind == TY_REF)
        heap_help(s, at, type_is_heap(t, &heap_tuple) ? "_tuple_hash" : "_set_hash", 1, &t);
}

/* The code points of a string, and the string of such an array. */
static const Type *
text_or_points(CallCx *x)
{
    Sem v = sema_arg(x->s, x->c, 0);
    const Type *t = type_text(x->s->tt), *of = x->fn->id == BI_heap_text ? v.type : NULL;
    bool array = !of && type_heap_has(v.type, HEAP_BYTES),
         bytes = array || (of ? of->dtype == DT_u8 : type_is_bytes(v.type));
    if (of ? of->kind != TY_ARRAY || (of->dtype != DT_u32 && !bytes) || of->layout != LAY_C ||
                 of->ndim != 1
           : !type_is_str(v.type) && !bytes) {
        sema_type_error(x->s, x->at, "expected str, not %s", class_name(x->s, v.type));
        return NULL;
    }
    if (!of)
        text_value(x->s, x->c->arg[0], v);
    t = bytes ? type_bytes(x->s->tt) : t;
    return of ? t : t->elems[0];
}

static bool
is_ordered(CallCx *x)
{
    const Type *a = type_resolve(x->s->tt, sema_arg(x->s, x->c, 0).type),
               *b = type_resolve(x->s->tt, sema_arg(x->s, x->c, 1).type);
    static const int ops[] = {C_LT, C_LE, C_GT, C_GE};
    int64_t k = 0;
    const_as_int(sema_arg(x->s, x->c, 2).cst, &k);
    return special_has_order(x->s, a, b, ops[k & 3]);
}

/* What it is called by is known; what it is given may be of any type that Python can be shown. */
static const Type *
asked(CallCx *x)
{
    x->s->unit->upcalls = true;
    return type_text(x->s->tt)->elems[0];
}

/* By the class's own method: info->before. */
static bool
hashes(CallCx *x, const Type *key)
{
    const Method *m = special_hash(x->s, key);
    Call *c = NEW(x->s->a, Call);
    *c = (Call){.kind = CALL_INST};
    const Type *r =
        m ? sema_call_inst(x->s, x->at, m->def, 1, &key, (const Const *[]){NULL}, &c->inst) : NULL;
    if (r && r->kind != TY_UNKNOWN && (r->kind != TY_SCALAR || !dtype_is_int((DType)r->dtype))) {
        sema_type_error(x->s, x->at, "__hash__ of %s should return an int, not %s", key->text,
                        r->text);
        r = NULL;
    }
    info_of(x->s, x->at)->before = c;
    return r != NULL;
}

static const Type *
known_flag(CallCx *x, bool is)
{
    x->cst = const_bool(x->s, is);
    return type_scalar(x->s->tt, DT_bool, true);
}

/* "Name(x=", ", y=" of a named tuple, and "Name(" of one without fields. */
static const Type *
labels(CallCx *x, const Type *v)
{
    Sema *s = x->s;
    bool named = v && v->kind == TY_TUPLE && v->names && !object_is_enum(v);
    int n = named ? v->n + !v->n : 0;
    const Const **elems = NEW_N(s->a, const Const *, n + 1);
    for (int i = 0; i < n; i++) {
        const char *before =
            i ? ", " : arena_printf(s->a, "%.*s", (int)strcspn(v->text, "(") + 1, v->text);
        bool field = i < v->n;
        elems[i] = const_str(
            s, arena_printf(s->a, "%s%s%s", before, field ? v->names[i] : "", field ? "=" : ""));
    }
    x->cst = const_tuple(s, n, elems);
    return const_type(s->tt, x->cst);
}

/* Is it of a type whose values never change, nor what they hold? */
static bool
stays(const Type *t)
{
    bool whole = t->kind == TY_TUPLE || t->kind == TY_OPTIONAL || type_is_heap(t, &heap_tuple) ||
                 type_is_heap(t, &heap_frozenset);
    if (!whole)
        return t->kind != TY_ARRAY && t->kind != TY_REF && t->kind != TY_OBJ &&
               t->kind != TY_RECORD && t->kind != TY_KEYED && t->kind != TY_LIST &&
               t->kind != TY_UNKNOWN;
    for (int i = 0; i < t->n; i++)
        if (!stays(t->elems[i]))
            return false;
    return !t->listed;
}

/* copies(v, like): is v an instance, and, if that is not None, of one type with it? */
static const Type *
copies(CallCx *x, const Type *v)
{
    const Type *like = type_value(type_resolve(x->s->tt, sema_arg(x->s, x->c, 1).type));
    bool is = (v->kind == TY_OBJ && !keyed_class(v)) || family_is(x->s, v);
    return known_flag(x, is && (like->kind == TY_NONE || like == v));
}

static const Type *
locked(CallCx *x)
{
    ArrayLike a;
    return arg_array(x, "a", &a) ? type_array(x->s->tt, a.d, a.ndim, a.layout, RO_VIEW) : NULL;
}

/* Those that take values of any kind; false: it takes an object. */
static bool
of_values(CallCx *x, const Type **t)
{
    const Type *v = x->c->n_args ? sema_arg(x->s, x->c, 0).type : NULL;
    switch (x->fn->id) {
    case BI_heap_index_of:
        *t = index_of(x);
        return true;
    case BI_heap_same_class:
        *t = same_class(x);
        return true;
    case BI_heap_is_instance:
        v = type_value(type_resolve(x->s->tt, v));
        *t = known_flag(x, object_has_text(x->s, v, false));
        return true;
    case BI_heap_has_hash:
        *t = known_flag(x, special_has_hash(x->s, type_value(type_resolve(x->s->tt, v))));
        return true;
    case BI_heap_copies:
        *t = copies(x, type_value(type_resolve(x->s->tt, v)));
        return true;
    case BI_heap_same:
        *t = type_scalar(x->s->tt, DT_bool, true);
        return v->kind == TY_ARRAY;
    case BI_heap_address:
        *t = type_scalar(x->s->tt, DT_i64, true);
        return v->kind == TY_ARRAY || v->kind == TY_REF || v->kind == TY_OBJ;
    case BI_heap_stays:
        *t = known_flag(x, stays(type_resolve(x->s->tt, v)));
        return true;
    case BI_heap_labels:
        *t = labels(x, type_value(type_resolve(x->s->tt, v)));
        return true;
    case BI_heap_misfit:
        x->cst = choice_misfit(x);
        *t = const_type(x->s->tt, x->cst);
        return true;
    case BI_heap_is_fixed:
        *t = known_flag(x, v->kind == TY_ARRAY && v->readonly != RO_NO);
        return true;
    case BI_heap_is_object:
        *t = known_flag(x, v->kind == TY_REF);
        return true;
    case BI_heap_may_be_none:
        *t = known_flag(x, type_value(v) != v);
        return true;
    case BI_heap_is_function:
        *t = known_flag(x, type_is_function(type_value(v)));
        return true;
    case BI_heap_ordered:
        *t = known_flag(x, is_ordered(x));
        return true;
    case BI_heap_chars:
    case BI_heap_text:
        *t = text_or_points(x);
        return true;
    case BI_heap_asked:
        *t = asked(x);
        return true;
    case BI_heap_keep:
        *t = type_none(x->s->tt);
        return true;
    case BI_heap_kept:
        *t = sema_arg(x->s, x->c, 1).type;
        return true;
    case BI_heap_alike:
        *t = type_scalar(x->s->tt, DT_bool, true);
        return true;
    case BI_heap_paste:
        *t = type_none(x->s->tt);
        return true;
    case BI_heap_locked:
        *t = locked(x);
        return true;
    case BI_heap_longer:
        *t = type_text(x->s->tt)->elems[0];
        return true;
    default:
        return false;
    }
}

const Type *
type_heap_row(CallCx *x)
{
    Sema *s = x->s;
    const Type *t;
    if (of_values(x, &t))
        return t;
    const Type *o = type_resolve(s->tt, sema_arg(s, x->c, 0).type), *elem = NULL;
    int64_t g = 0;
    Sem second = sema_arg(s, x->c, 1);
    if (x->fn->id == BI_heap_rare)
        return o;
    if (o->kind != TY_REF) {
        sema_type_error(s, x->at, "%s is no object", o->text);
        return NULL;
    }
    const HeapClass *c = o->ref;
    if (x->fn->id != BI_heap_hash_of && second.type && second.type->kind != TY_REF &&
        (!const_as_int(second.cst, &g) || g < 0)) {
        sema_error(s, DIAG_internal, x->at, "a group that is not known");
        return NULL;
    }
    if (x->fn->id == BI_heap_list_of && g == 12) {
        const Type *pair[2] = {type_resolve(s->tt, o->elems[0]), type_resolve(s->tt, o->elems[1])};
        elem = type_tuple(s->tt, 2, pair);
    } else if (x->fn->id != BI_heap_word && x->fn->id != BI_heap_set_word && g < c->n_groups)
        elem = type_resolve(s->tt, heap_group(s->tt, o, (int)g));
    switch (x->fn->id) {
    case BI_heap_new:
        return o;
    case BI_heap_list_of:
        return type_heap(s->tt, &heap_list, &elem);
    case BI_heap_hash_of:
        elem = type_resolve(s->tt, o->elems[0]);
        if (second.type && !heap_takes_none(s, x->c)) /* None is no key, and is looked for */
            second.type = type_value(second.type);
        if (second.type && second.type->kind != TY_UNKNOWN &&
            (!heap_is_key(second.type) || !special_is_key(s, second.type))) {
            if (sema_unhashable(s, x->at, second.type))
                return NULL;
            Diag *d = sema_type_error(s, x->at, "%s can't be a key", second.type->text);
            if (second.type->kind == TY_OBJ)
                diag_hint(s->diags, d, "give the class a __hash__ and an __eq__");
            return NULL;
        }
        if (elem->kind == TY_OBJ && !special_is_itself(s, elem) && !hashes(x, elem))
            return NULL;
        if (!heap_check_key(s, x->at, o, elem, second.type, false))
            return NULL;
        hash_sets(s, x->at, type_resolve(s->tt, elem));
        return type_scalar(s->tt, DT_i64, true);
    case BI_heap_word:
    case BI_heap_room:
        return type_scalar(s->tt, DT_i64, true);
    case BI_heap_same:
        return type_scalar(s->tt, DT_bool, true);
    case BI_heap_at:
        return elem;
    case BI_heap_default_of:
        return heap_default(s, x->at, o);
    case BI_heap_put:
    case BI_heap_fill:
        if (g == 1 && type_has_members(sema_arg(s, x->c, 3).type) != type_has_members(elem) &&
            !heap_check_key(s, x->at, o, elem, sema_arg(s, x->c, 3).type, true))
            return NULL;
        return heap_check_element(s, x->at, o, elem, sema_arg(s, x->c, 3).type) ? type_none(s->tt)
                                                                                : NULL;
    case BI_heap_column:
        elem = heap_held(s->tt, o, (int)g);
        return elem->kind == TY_SCALAR ? type_array(s->tt, (DType)elem->dtype, 1, LAY_C, false)
                                       : type_unknown(s->tt);
    default:
        return type_none(s->tt);
    }
}
