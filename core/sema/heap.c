/* SPDX-License-Identifier: BSD-3-Clause
 * Lists and dicts: what a display makes, of what type, and which function of swathe/lib does what
 * is asked of it. A display that a NumPy function consumes stays TY_LIST; where a value is to last
 * it becomes an object. What an empty one holds is found out by use (site.c). */
#include "sema/calls.h"

/* ---- functions of swathe/lib ---------------------------------------------------------------- */

/* NULL: whoever compiles is to add it to the program, and to try again. */
const FuncDef *
heap_lib_named(Sema *s, const char *name)
{
    Program *p = (Program *)(uintptr_t)s->prog;
    for (int i = 0; i < p->funcs.n; i++)
        if (p->funcs.at[i]->is_lib && !strcmp(p->funcs.at[i]->qualname, name))
            return p->funcs.at[i];
    for (int i = 0; i < p->wanted.n; i++)
        if (!strcmp(p->wanted.at[i], name))
            return NULL;
    VEC_PUSH(s->a, p->wanted, name);
    return NULL;
}

Sem
heap_call_of(Sema *s, const Node *e, const Type *object, const char *what, int n,
             const Node *const *arg)
{
    const HeapClass *c = object->ref;
    return heap_call(s, e, arena_printf(s->a, "_%s_%s", heap_function_of(c, what), what), n, arg);
}

bool
heap_has_array(const Type *t)
{
    if (t->kind == TY_ARRAY)
        return true;
    for (int i = 0; type_has_elements(t) && i < t->n; i++)
        if (heap_has_array(t->elems[i]))
            return true;
    return false;
}

static bool
compares_elements(const char *method)
{
    return !strcmp(method, "index") || !strcmp(method, "count") || !strcmp(method, "remove");
}

void
heap_no_equality(Sema *s, const Node *at, const Type *object, const char *what)
{
    Diag *d = sema_error(s, DIAG_unsupported, at,
                         "'%s' of %s would compare arrays, whose equality has no truth value", what,
                         type_resolve(s->tt, object)->text);
    diag_hint(s->diags, d, "write a loop, with np.array_equal(a, b)");
}

/* x.append: NULL after a message, or when the function is wanted. */
const FuncDef *
heap_method(Sema *s, const Node *f, const Type *object)
{
    const HeapClass *c = object->ref;
    if (compares_elements(f->name) && heap_has_array(type_resolve(s->tt, object))) {
        heap_no_equality(s, f, object, f->name);
        return NULL;
    }
    const char *view = strcmp(f->name, "isdisjoint") ? heap_view_name(s, f->kid[0]) : NULL;
    if (view) {
        Diag *d =
            sema_error(s, DIAG_attribute, f, "'%s' object has no attribute '%s'", view, f->name);
        diag_hint(s->diags, d, "make a list of it: list(...)");
        return NULL;
    }
    if (heap_method_view(c, f->name) >= 0)
        return heap_lib_named(s,
                              arena_printf(s->a, "%s_%s", heap_function_of(c, f->name), f->name));
    sema_no_attribute(s, f, object);
    list_want_functions(s, object);
    return NULL;
}

/* The function that adds what another has; a set's method takes any number. */
const char *
heap_update_by(Sema *s, const HeapClass *c)
{
    return arena_printf(s->a, "_%s_merge", heap_function_of(c, "update"));
}

const Inst *
sema_helper(const Inst *in, const char *name, const Type *object)
{
    for (int i = 0; i < in->helpers.n; i++)
        if (in->helpers.at[i]->params[0] == object && !strcmp(in->helpers.at[i]->def->name, name))
            return in->helpers.at[i];
    return NULL;
}

void
heap_help(Sema *s, const Node *at, const char *name, int n, const Type **types)
{
    const FuncDef *fd = heap_lib_named(s, name);
    const Const *csts[4] = {NULL};
    Inst *in = NULL, *here = s->fr->in;
    if (!fd || type_is_open(types[0]))
        return;
    sema_call_inst(s, at, fd, n, types, csts, &in);
    if (!sema_helper(here, name, types[0]))
        VEC_PUSH(s->a, here->helpers, in);
}

/* ---- displays that become objects ------------------------------------------------------------ */

static bool
has_empty_tuple(const Type *t)
{
    bool has = t->kind == TY_TUPLE && !t->n && !t->listed;
    for (int i = 0; type_has_parts(t) && t->kind != TY_TEXT && !has && i < t->n; i++)
        has = has_empty_tuple(t->elems[i]);
    return has;
}

static void
bad_element(Sema *s, const Node *e, const Type *t)
{
    bool empty = has_empty_tuple(t) && !s->wide;
    s->empty_rows |= empty;
    s->want_wide |= empty;
    keyed_want_object(s, t);
    sema_want_object(s, e);
    Diag *d = sema_error(s, DIAG_unsupported, e, "a list of %s is not supported", t->text);
    if (t->listed)
        diag_hint(s->diags, d, "of a constant list, make a new one: list(x)");
}

static const Type *
mixed_list(Sema *s, const Node *e, const Type *a, const Type *b)
{
    heap_want_wide(s, a, b);
    Diag *d = sema_type_error(s, e, "a list holds values of one type, and this one has %s and %s",
                              a->text, b->text);
    if (a->kind == TY_SCALAR && b->kind == TY_SCALAR)
        diag_hint(s->diags, d, "write them all alike, as in [1.0, 2.5]");
    return NULL;
}

/* What an iterable yields, as elements of a container; NULL after a message. */
const Type *
heap_yielded(Sema *s, const Node *at, const Node *from, Sem v)
{
    if (v.type->kind == TY_TUPLE) { /* nothing is promoted in silence */
        const Type *t = NULL;
        for (int i = 0; i < v.type->n; i++) {
            const Type *elem = type_element(s->tt, v.type->elems[i]);
            const Type *both = elem && t ? type_widest(s->tt, t, elem) : elem;
            if (elem && !both)
                return mixed_list(s, at, t, elem);
            t = both;
            if (!elem)
                bad_element(s, at, v.type->elems[i]);
            if (!elem)
                return NULL;
        }
        return t;
    }
    Sem elem = sem_of(sema_iter_elem(s, from, v.type));
    if (from && from->kind == N_ListComp)
        elem = heap_value(s, from->kid[0], elem);
    return sem_bad(elem) ? NULL : type_resolve(s->tt, elem.type);
}

static bool
yields_nothing(Sem v)
{
    return v.type->kind == TY_TUPLE && !v.type->n;
}

/* What one part of a display adds to the list; NULL after a message. */
static const Type *
element_of(Sema *s, const Node *k)
{
    Sem v = sema_known(s, k);
    bool star = k->kind == N_Starred;
    const Type *t = star ? heap_yielded(s, k, k->kid[0], v) : heap_value(s, k, v).type;
    const Type *elem = t ? type_element(s->tt, type_resolve(s->tt, t)) : NULL;
    if (t && !elem)
        bad_element(s, k, t);
    return elem;
}

/* Ints and floats beside others stay what they are: so these others come first. */
static bool
comes_later(const Sema *s, const Type *elem)
{
    return s->either && type_value(elem)->kind == TY_SCALAR;
}

static const Type *
elem_of_display(Sema *s, const Node *e)
{
    const Type *t = NULL, **of = NEW_N(s->a, const Type *, e->n + 1);
    for (int i = 0; i < e->n; i++) {
        const Node *k = e->kid[i];
        if (k->kind == N_Starred && yields_nothing(sema_known(s, k)))
            continue;
        if (!(of[i] = element_of(s, k)))
            return NULL;
    }
    for (int j = 0; j < 2 * e->n; j++) {
        int i = j % e->n;
        const Node *k = e->kid[i];
        const Type *elem = of[i];
        if (!elem || comes_later(s, elem) == (j < e->n))
            continue;
        const Type *both = t ? type_widest(s->tt, t, elem) : elem;
        if (!both) {
            if (!heap_has_array(t) && !heap_has_array(elem))
                return mixed_list(s, e, t, elem);
            sema_type_error(s, k,
                            "a list holds values of one type: element %d of this one is "
                            "%s, and those before are %s",
                            i, elem->text, t->text);
            return NULL;
        }
        t = both;
    }
    return t ? heap_known_element(s, e, 0, type_as_element(s->tt, t)) : heap_empty_site(s, e, 0);
}

static Sem
list_of(Sema *s, const Node *e, const Type *elem)
{
    if (!elem)
        return sema_unknown(s);
    sema_set(s, e, sem_of(type_heap(s->tt, &heap_list, &elem)));
    return sema_known(s, e);
}

Sem
heap_list_display(Sema *s, const Node *e)
{
    if (list_is_unlike(s, e))
        return list_as_elements(s, e, sema_known(s, e), ALL_DEPTHS);
    return list_of(s, e, elem_of_display(s, e));
}

static bool
is_plain(const Type *t)
{
    bool plain = t->kind == TY_SCALAR || t->kind == TY_TEXT || (t->kind == TY_TUPLE && !t->names);
    for (int i = 0; plain && t->kind == TY_TUPLE && i < t->n; i++)
        plain = is_plain(t->elems[i]);
    return plain;
}

/* Lists of numbers of one type, of texts, of tuples of these, or of nothing: what is taken out is a
 * list, too. */
static bool
holds_lists(Sema *s, const Node *e)
{
    const Type *t = NULL;
    bool empty = e->n > 0;
    for (int i = 0; i < e->n; i++)
        for (int k = 0; k < e->kid[i]->n || e->kid[i]->kind != N_List; k++) {
            empty = false;
            const Node *x = e->kid[i]->kind == N_List ? e->kid[i]->kid[k] : NULL;
            const Type *is = x && x->kind != N_Starred ? sema_known(s, x).type : NULL;
            is = is && (type_is_str(is) || is->kind == TY_TUPLE) ? type_element(s->tt, is) : is;
            if (!is || !is_plain(is) || (t && is != t))
                return false;
            t = is;
        }
    return empty || t;
}

/* What is indexed: a display passes for a tuple where nobody can tell. */
Sem
heap_indexed(Sema *s, const Node *e, const Node *index, Sem v)
{
    bool part = index->kind == N_Slice || (e->kind == N_List && holds_lists(s, e)) ||
                (e->kind == N_ListComp && !e->op);
    return part ? heap_value(s, e, v) : list_as_elements(s, e, v, ALL_DEPTHS);
}

bool
heap_is_sum(const Node *e)
{
    if (e->kind != N_BinOp || (e->op != B_MUL && e->op != B_ADD))
        return false;
    return e->kid[0]->kind == N_List || e->kid[1]->kind == N_List || heap_is_sum(e->kid[0]) ||
           heap_is_sum(e->kid[1]);
}

bool
heap_is_list(Sem v)
{
    return v.type->kind == TY_LIST || v.type->listed || type_is_heap(v.type, &heap_list);
}

/* A value that is to last: in a variable, an element, an argument, a result. */
Sem
heap_value(Sema *s, const Node *e, Sem v)
{
    if (!e || sem_bad(v))
        return v;
    if (v.type->kind == TY_STR && !v.cst && !v.type->ref)
        return text_made(s, e, v);
    if (e->kind == N_BinOp && v.type->kind == TY_TUPLE && heap_is_sum(e)) {
        const Node *kid[2] = {e->kid[0], e->kid[1]};
        Sem a = heap_value(s, kid[0], sema_known(s, kid[0]));
        if (e->op == B_ADD && a.type->kind != TY_REF && !sem_bad(a)) /* to a constant */
            return v;
        Sem b = heap_value(s, kid[1], sema_known(s, kid[1]));
        if (a.type->kind != TY_REF && b.type->kind != TY_REF && !sem_bad(a)) /* of functions */
            return v;
        bool left = a.type->kind == TY_REF;
        const Node *arg[2] = {kid[left ? 0 : 1], kid[left ? 1 : 0]};
        if (sem_bad(a) || sem_bad(b))
            return sema_unknown(s);
        bool none = e->op == B_ADD && heap_adds_none(s, a.type, b.type);
        const char *by = e->op == B_MUL ? "repeat" : "add";
        Sem r = none ? heap_call(s, e, "_list_add_none", 2, arg)
                     : heap_call_of(s, e, left ? a.type : b.type, by, 2, arg);
        sema_set(s, e, r);
        return r;
    }
    /* which list_as_tuple has taken for one */
    bool display = e->kind == N_List && v.type->kind == TY_TUPLE && v.type->listed &&
                   !list_of_functions(v.type->n, v.type->elems);
    if (v.type->kind != TY_LIST && !display)
        return v;
    switch (e->kind) {
    case N_List:
        return heap_list_display(s, e);
    case N_ListComp: {
        Sem k = heap_value(s, e->kid[0], sema_known(s, e->kid[0]));
        const Type *elem = type_element(s->tt, type_resolve(s->tt, k.type));
        if (!elem)
            bad_element(s, e->kid[0], k.type);
        elem = elem ? type_as_element(s->tt, elem) : NULL;
        return e->op || !elem ? v : list_of(s, e, heap_known_element(s, e, 0, elem));
    }
    case N_IfExp: {
        Sem a = heap_value(s, e->kid[1], sema_known(s, e->kid[1])),
            b = heap_value(s, e->kid[2], sema_known(s, e->kid[2]));
        if (a.type->kind != TY_REF || b.type->kind != TY_REF)
            return v;
        if (!type_unify(s->tt, a.type, b.type))
            mixed_list(s, e, a.type, b.type);
        sema_set(s, e, sem_of(type_resolve(s->tt, a.type)));
        return sema_known(s, e);
    }
    default:
        return v;
    }
}

/* ---- dicts ----------------------------------------------------------------------------------- */

bool
heap_is_key(const Type *t)
{
    if (t->kind == TY_EITHER)
        return either_is_key(t);
    for (int i = 0; t->kind == TY_TUPLE && i < t->n; i++)
        if (!heap_is_key(t->elems[i]) || type_has_param(t->elems[i]))
            return false;
    if (t->kind == TY_OPTIONAL)
        return heap_is_key(t->elems[1]);
    if (type_is_heap(t, &heap_tuple))
        return heap_is_key(t->elems[0]);
    return t->kind == TY_SCALAR || t->kind == TY_TUPLE || t->kind == TY_UNKNOWN ||
           t->kind == TY_NONE || type_is_heap(t, &heap_frozenset) || type_is_str(t) ||
           type_is_bytes(t) || t->kind == TY_OBJ || choice_is_key(t);
}

/* A dict or set, and how a pair gets into it: info->before. A set is a dict to (). */
Sem
heap_filled(Sema *s, const Node *e, const HeapClass *cls, const Type *const *kv, const char *by)
{
    const Type *t = type_heap(s->tt, cls, kv), *types[3] = {t, kv[0], kv[1]};
    if (cls == &heap_Counter) /* each counts for one */
        types[2] = type_tuple(s->tt, 0, NULL);
    const Const *csts[3] = {NULL, NULL, NULL};
    const FuncDef *fd = heap_lib_named(s, by);
    Call *c = NEW(s->a, Call);
    *c = (Call){.kind = CALL_INST};
    if (!fd)
        return sema_unknown(s);
    if (!type_is_open(t))
        sema_call_inst(s, e, fd, 3, types, csts, &c->inst);
    info_of(s, e)->before = c;
    return sem_of(t);
}

static Sem
keyed_of(Sema *s, const Node *e, const HeapClass *cls, const Type *const *kv)
{
    return heap_filled(s, e, cls, kv, "_dict_setitem");
}

/* What an element of a set stands for, beside which none has a place of its own. */
static bool
is_unit(const Type *t)
{
    return t->kind == TY_TUPLE && !t->n && !t->names;
}

bool
heap_add_pair(Sema *s, const Node *at, const Type **kv, const Type *k, const Type *v)
{
    const Type *pair[2] = {type_element(s->tt, type_resolve(s->tt, k)),
                           is_unit(v) ? v : type_element(s->tt, type_resolve(s->tt, v))};
    bool fits = pair[0] && heap_is_key(pair[0]) && special_is_key(s, pair[0]);
    if (!fits && sema_unhashable(s, at, k))
        return false;
    if (is_unit(v) && !fits) {
        sema_error(s, DIAG_unsupported, at, "a set of %s is not supported", k->text);
        return false;
    }
    if (!fits || !pair[1]) {
        keyed_want_object(s, v);
        sema_error(s, DIAG_unsupported, at, "a dict of %s to %s is not supported", k->text,
                   v->text);
        s->empty_rows |= !s->wide && (has_empty_tuple(k) || has_empty_tuple(v));
        s->want_wide |= s->empty_rows && !s->wide;
        return false;
    }
    for (int i = 0; i < 2; i++) {
        const Type *both = !kv[i] || kv[i] == pair[i] ? pair[i]
                           : i                        ? type_widest(s->tt, kv[i], pair[i])
                                                      : type_join_elements(s->tt, kv[i], pair[i]);
        if (!both) {
            heap_want_wide(s, kv[i], pair[i]);
            sema_type_error(
                s, at,
                i == 0 && is_unit(v)
                    ? "a set holds values of one type, and this one has %s and %s"
                    : "a dict has keys of one type and values of one type, and these are %s and %s",
                kv[i]->text, pair[i]->text);
            return false;
        }
        kv[i] = type_resolve(s->tt, both);
    }
    return true;
}

/* {**d}: its keys and values beside those before; false after a message. */
static bool
add_merged(Sema *s, const Node *at, const Type **kv)
{
    Sem v = sema_need(s, at->kid[0], sema_expr(s, at->kid[0]), "TypeError",
                      "'NoneType' object is not a mapping");
    sema_set(s, at, v);
    if (sem_bad(v))
        return false;
    if (!type_heap_has(v.type, HEAP_MAPS)) {
        sema_type_error(s, at, "'%s' object is not a mapping",
                        v.type->kind == TY_NONE ? "NoneType" : v.type->text);
        return false;
    }
    const Type *d = type_resolve(s->tt, v.type);
    return heap_add_pair(s, at, kv, d->elems[0], d->elems[1]);
}

/* {*x, 1}: as add_merged. */
static bool
add_unpacked(Sema *s, const Node *at, const Type **kv)
{
    Sem v = heap_value(s, at->kid[0], sema_expr(s, at->kid[0]));
    if (!sem_bad(v) && !sema_is_iterable(v.type)) {
        sema_not_iterable(s, at, v.type);
        return false;
    }
    bool holds = v.type->kind == TY_REF || v.type->kind == TY_ARRAY || v.type->kind == TY_TUPLE;
    const Type *list = sem_bad(v) || holds ? NULL : heap_list_from(s, at, at->kid[0], v);
    v = sem_bad(v) || holds ? v : list ? sem_of(list) : sema_unknown(s);
    sema_set(s, at, v);
    const Type *t = sem_bad(v) || yields_nothing(v) ? NULL : heap_yielded(s, at, at->kid[0], v);
    return t ? heap_add_pair(s, at, kv, t, type_tuple(s->tt, 0, NULL))
             : !sem_bad(v) && yields_nothing(v);
}

/* How those of another one get into it: info->before of its place. */
static void
merge_all(Sema *s, const Node *e, const Type *t)
{
    const FuncDef *fd = heap_lib_named(s, heap_update_by(s, t->ref));
    for (int i = 0; fd && !type_is_open(t) && i < e->n; i++) {
        const Node *k = e->kid[i];
        const Type *types[2] = {t, sema_known(s, k).type};
        const Const *csts[2] = {NULL, NULL};
        if (k->kind != N_Starred || type_is_open(types[1]))
            continue;
        Call *c = NEW(s->a, Call);
        *c = (Call){.kind = CALL_INST};
        sema_call_inst(s, k, fd, 2, types, csts, &c->inst);
        info_of(s, k)->before = c;
    }
}

/* What both are, or what is to be found out. */
void
heap_known_pair(Sema *s, const Node *e, const HeapClass *c, const Type **kv)
{
    kv[1] = c->traits & HEAP_MAPS ? kv[1] : type_tuple(s->tt, 0, NULL);
    kv[1] = kv[1] ? type_as_element(s->tt, kv[1]) : NULL;
    for (int i = 0; i < c->n_elems && i < 2; i++)
        kv[i] = kv[i] ? heap_known_element(s, e, i, kv[i]) : heap_empty_site(s, e, i);
}

Sem
sema_dict_display(Sema *s, const Node *e)
{
    const HeapClass *c = e->op ? &heap_set : &heap_dict;
    const Type *kv[2] = {NULL, NULL};
    bool bad = false, merges = false;
    for (int i = 0; i < e->n && !e->op; i++)
        bad |= sem_bad(sema_expr(s, e->kid[i]->kind == N_Starred ? e->kid[i]->kid[0] : e->kid[i]));
    if (bad)
        return sema_unknown(s);
    if (keyed_is_display(s, e))
        return keyed_display(s, e);
    for (int i = 0; i < e->n; i++) {
        const Node *p = e->kid[i];
        if (p->kind == N_Starred) {
            bad |= !(e->op ? add_unpacked : add_merged)(s, p, kv);
            merges = true;
            continue;
        }
        Sem pair = e->op ? sema_expr(s, p) : sema_known(s, p);
        bad |= sem_bad(pair) || !heap_add_pair(s, p, kv, pair.type->elems[0], pair.type->elems[1]);
    }
    if (bad)
        return sema_unknown(s);
    heap_known_pair(s, e, c, kv);
    Sem d = keyed_of(s, e, c, kv);
    if (merges && !sem_bad(d))
        merge_all(s, e, d.type);
    return d;
}

Sem
heap_keyed_of(Sema *s, const Node *e, const Type *pair)
{
    const HeapClass *c = e->op == 3 ? &heap_set : &heap_dict;
    const Type *kv[2] = {NULL, NULL};
    if (!heap_add_pair(s, e->kid[0], kv, pair->elems[0], pair->elems[1]))
        return sema_unknown(s);
    heap_known_pair(s, e, c, kv);
    return keyed_of(s, e, c, kv);
}

const Type *
heap_list_from(Sema *s, const Node *at, const Node *from, Sem v)
{
    const Type *t =
        !v.type || yields_nothing(v) ? heap_empty_site(s, at, 0) : heap_yielded(s, at, from, v);
    const Type *elem = t ? type_element(s->tt, t) : heap_held_open(s, v);
    if (t && !elem)
        bad_element(s, at, t);
    if (elem)
        elem = heap_known_element(s, at, 0, type_as_element(s->tt, elem));
    return elem ? type_heap(s->tt, &heap_list, &elem) : NULL;
}

/* info->before: what sorts a list that is new. */
bool
heap_sort(Sema *s, const Node *at, const Type *list, Sem reverse, Sem key)
{
    bool keyed = key.type && key.type->kind != TY_NONE;
    const FuncDef *fd = heap_lib_named(s, keyed ? "_list_by_key" : "_list_order");
    Call *c = NEW(s->a, Call);
    *c = (Call){.kind = CALL_INST};
    if (!fd || type_is_open(list))
        return fd != NULL;
    const Type *types[3] = {list, type_scalar(s->tt, DT_bool, true), key.type};
    const Const *csts[3] = {NULL, reverse.type ? NULL : const_bool(s, false), key.cst};
    sema_call_inst(s, at, fd, keyed ? 3 : 2, types, csts, &c->inst);
    info_of(s, at)->before = c;
    return true;
}

/* A function of the library that is called with a list and what goes with it: info->before. */
static const Type *
call_before(Sema *s, const Node *at, const char *by, int n, const Type **types, const Const **csts)
{
    const FuncDef *fd = heap_lib_named(s, by);
    Call *c = NEW(s->a, Call);
    *c = (Call){.kind = CALL_INST};
    if (!fd || type_is_open(types[0]))
        return fd ? type_unknown(s->tt) : NULL;
    const Type *t = sema_call_inst(s, at, fd, n, types, csts, &c->inst);
    info_of(s, at)->before = c;
    return t;
}

/* max, min of a list: with key, default, and whether there is a default. */
const Type *
heap_extreme(Sema *s, const Node *at, const Type *list, const char *what, Sem key, Sem dflt)
{
    const Type *none = type_none(s->tt),
               *types[4] = {list, key.type ? key.type : none, dflt.type ? dflt.type : none,
                            type_scalar(s->tt, DT_bool, true)};
    const Const *csts[4] = {NULL, key.type ? key.cst : const_none(s),
                            dflt.type ? dflt.cst : const_none(s), const_bool(s, dflt.type != NULL)};
    return call_before(s, at, arena_printf(s->a, "_list_%s", what), 4, types, csts);
}

/* sum of a list, or of a tuple: with what to start from. */
const Type *
heap_sum(Sema *s, const Node *at, const char *by, const Type *list, Sem start)
{
    const Type *types[2] = {list, start.type};
    const Const *csts[2] = {NULL, start.cst};
    return call_before(s, at, by, 2, types, csts);
}

/* A class of the user's may say by itself how it is written. */
static void
check_own_text(Sema *s, const Node *at, const Type *t)
{
    static const char *const own[] = {"__repr__", "__str__", "__format__"};
    for (int i = 0; i < SW_LEN(own); i++) {
        if (!special_of(s, t, own[i]))
            continue;
        Diag *d = sema_error(s, DIAG_unsupported, at,
                             "the text of %s, whose class has a %s of its own", t->text, own[i]);
        diag_hint(s->diags, d, "write its fields one by one");
        return;
    }
}

static void
show(Sema *s, const Node *at, const Type *t)
{
    t = type_resolve(s->tt, t);
    for (int i = 0; t->kind != TY_REF && t->kind != TY_TEXT &&
                    (type_has_elements(t) || t->kind == TY_LIST) && i < t->n;
         i++)
        show(s, at, t->elems[i]);
    if (t->kind == TY_TUPLE && t->names && !object_is_enum(t))
        check_own_text(s, at, t);
    text_shown(s, at, t);
    if (t->kind != TY_REF)
        return;
    heap_help(s, at, arena_printf(s->a, "_%s_print", heap_function_of(t->ref, "print")), 1, &t);
}

Sem
heap_shown(Sema *s, const Node *e, Sem v)
{
    if (e && e->kind == N_ListComp)
        v = heap_value(s, e, v);
    if (!sem_bad(v))
        show(s, e, v.type);
    return v;
}

/* The function that makes an array of a list of these, or of lists of lists of them. */
static const char *
array_maker(const Type *of)
{
    if (!type_is_row(of))
        return "_list_array";
    return type_is_row(of->elems[0]) ? "_list_block" : "_list_table";
}

/* np.array(list, dtype): a call of a function of the library. */
Sem
heap_array(Sema *s, const Node *e, const Call *c)
{
    return heap_call_known(s, e, array_maker(sema_arg(s, c, 0).type->elems[0]), 2, c->arg);
}

/* Numbers or arrays, or rows of them. */
static bool
is_table(const Type *of)
{
    for (int i = 0; i < 2 && type_is_row(of); i++)
        of = of->elems[0];
    if (of->kind == TY_SCALAR || of->kind == TY_ARRAY)
        return true;
    bool all = of->kind == TY_TUPLE && of->n > 0;
    for (int i = 0; all && i < of->n; i++)
        all = of->elems[i]->kind == TY_SCALAR;
    return all;
}

/* The array that a function of the library makes of a value. */
static Sem
made_array(Sema *s, const Node *e, Sem v, const Type *of, const char *maker)
{
    const FuncDef *fd = heap_lib_named(s, maker);
    const Type *types[2] = {of, type_none(s->tt)};
    const Const *csts[2] = {NULL, const_none(s)};
    Need *n = NEW(s->a, Need);
    *n = (Need){.from = v.type};
    const Type *t = fd ? sema_call_inst(s, e, fd, 2, types, csts, &n->table) : NULL;
    if (!t || t->kind != TY_ARRAY)
        return v;
    Info *i = info_of(s, e);
    i->need = n;
    i->type = t;
    i->cst = NULL;
    return sem_of(t);
}

/* The array that NumPy makes of a list or a range; what else it is, as it is. */
Sem
heap_as_array(Sema *s, const Node *e, Sem v)
{
    if (v.type && v.type->kind == TY_RANGE)
        return made_array(s, e, v, v.type, "_range_array");
    if (v.type && type_is_array_array(v.type))
        return made_array(s, e, v, v.type, "_array_view");
    const Type *list = v.type && type_is_row(v.type) ? v.type : NULL;
    if (list && type_is_heap(list, &heap_list))
        site_arrayed(list);
    /* nobody else has a display, so that nothing else will be put into it */
    if (!list || (type_is_open(list) && (e->kind != N_List || !e->n)))
        return v;
    list = type_resolve(s->tt, list);
    if (!is_table(list->elems[0]))
        return v;
    return made_array(s, e, v, list, array_maker(list->elems[0]));
}

/* The same of what is stored to an array; of a tuple of arrays, too. */
Sem
heap_stored_array(Sema *s, const Node *e, Sem v)
{
    bool arrays = v.type->kind == TY_TUPLE && v.type->n > 0 && !v.type->names;
    for (int i = 0; arrays && i < v.type->n; i++)
        arrays = v.type->elems[i]->kind == TY_ARRAY && v.type->elems[i]->ndim > 0;
    Sem made = arrays ? sema_need_made(s, e, v, "_tuple_array", NULL) : (Sem){0};
    return made.type ? made : heap_as_array(s, e, v);
}

/* [[k, v], ...] where it stands: nobody sees that its pairs are lists. */
static const Type *
of_pairs(Sema *s, const Type *t)
{
    const Type **e = NEW_N(s->a, const Type *, t->n + 1);
    for (int i = 0; t->kind == TY_TUPLE && i < t->n; i++)
        e[i] = t->elems[i]->listed ? type_tuple(s->tt, t->elems[i]->n, t->elems[i]->elems)
                                   : t->elems[i];
    return t->kind == TY_TUPLE ? type_tuple_as(s->tt, t, t->n, e) : t;
}

/* kv: what is known of its types before, or NULL each. */
const Type *
heap_dict_from(Sema *s, const Node *at, const HeapClass *cls, const Type **kv, const Node *from,
               Sem v)
{
    bool nothing = !v.type || (v.type->kind == TY_TUPLE && !v.type->n);
    if (v.type && type_heap_has(v.type, HEAP_MAPS) && cls == &heap_dict)
        return heap_call(s, at, v.type->ref == cls ? "dict_copy" : "_dict_plain", 1, &from).type;
    if (v.type && type_heap_has(v.type, HEAP_MAPS))
        return heap_filled_by(s, at, cls, kv, v.type);
    const Type *t = nothing ? NULL : heap_yielded(s, at, from, sem_of(of_pairs(s, v.type)));
    if (!nothing && !t)
        return NULL;
    if (t && type_is_heap(type_resolve(s->tt, t), &heap_list)) {
        if (from->kind == N_ListComp) /* pairs that are lists, of a list that nobody else sees */
            ((Node *)(uintptr_t)from)->op = 0;
        Sem list = heap_value(s, from, v);
        if (type_is_heap(list.type, &heap_list))
            return heap_filled_by(s, at, cls, kv, list.type);
    }
    if (t && (t->kind != TY_TUPLE || t->n != 2)) {
        sema_type_error(s, at, "dict() takes an iterable of pairs, and this one yields %s",
                        t->text);
        return NULL;
    }
    if (t && !heap_add_pair(s, at, kv, t->elems[0], t->elems[1]))
        return NULL;
    heap_known_pair(s, at, cls, kv);
    Sem d = keyed_of(s, at, cls, kv);
    return sem_bad(d) ? NULL : d.type;
}

void
heap_keys(Sema *s, const Node *at, const Type *dict)
{
    dict = type_resolve(s->tt, dict);
    if (type_heap_has(dict, HEAP_RING)) {
        const Type *types[2] = {dict, type_scalar(s->tt, DT_i64, true)};
        heap_help(s, at, "_deque_at", 2, types);
    }
    heap_help(s, at, type_heap_has(dict, HEAP_RING) ? "_deque_list" : "dict_keys", 1, &dict);
}

/* Of a list, from the first on, as many as stand before those that come behind. */
void
heap_rest(Sema *s, const Node *at, const Type *list)
{
    const Type *whole = type_scalar(s->tt, DT_i64, true),
               *types[3] = {type_resolve(s->tt, list), whole, whole};
    heap_help(s, at, "_list_between", 3, types);
}
