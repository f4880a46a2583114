/* SPDX-License-Identifier: BSD-3-Clause
 * Tuples, named tuples and displays. A tuple is its elements, each with a type of its
 * own, so an index that is known picks an element's type and one that is not needs a type
 * that holds them all. */
#include "sema/internal.h"

enum { MAX_PARTS = 20000 }; /* a table of 100 by 100 in the source has half as many */

/* ---- displays -------------------------------------------------------------------------------- */

typedef struct Elems {
    Vec(const Type *) type;
    Vec(const Const *) cst;
    bool bad, all_const;
} Elems;

static void
push(Sema *s, Elems *out, const Node *at, Sem v)
{
    v = at && v.type->kind == TY_STR && !v.cst && !v.type->ref ? text_made(s, at, v) : v;
    if ((v.type->kind == TY_ITER && !type_iter_holds(v.type)) ||
        (v.type->kind == TY_STR && !v.cst && !v.type->ref)) {
        sema_error(s, DIAG_unsupported, at, "%s in a tuple is not supported", v.type->text);
        v = sema_unknown(s);
    }
    out->bad |= sem_bad(v);
    out->all_const &= v.cst != NULL;
    VEC_PUSH(s->a, out->type, v.type);
    VEC_PUSH(s->a, out->cst, v.cst);
}

/* Each part of a tuple is a variable of its own, and t = (t, t) has twice as many as t. like: a
 * list, if that is one. */
static Sem
made_of(Sema *s, const Node *at, const Elems *el, const Type *like)
{
    int64_t parts = 1;
    for (int i = 0; i < el->type.n; i++)
        parts += el->type.at[i]->parts;
    if (parts > MAX_PARTS) {
        Diag *d = sema_error(s, DIAG_unsupported, at, "a tuple of %lld parts", (long long)parts);
        diag_hint(s->diags, d, "use an array");
        return sema_unknown(s);
    }
    return sem_of(type_tuple_as(s->tt, like, el->type.n, el->type.at));
}

/* What is unpacked into a display. */
static Sem
unpacked(Sema *s, const Node *k)
{
    Sem v = iter_resumed(s, k->kid[0], sema_expr(s, k->kid[0]));
    v = list_as_tuple(s, k->kid[0], v);
    if (!sem_bad(v) && special_iter(s, k, v.type))
        v = sema_unknown(s);
    v = sema_need(s, k->kid[0], v, "TypeError", "Value after * must be an iterable, not NoneType");
    if (!sem_bad(v) && !sema_is_iterable(v.type)) {
        sema_type_error(s, k, "Value after * must be an iterable, not %s",
                        v.type->kind == TY_NONE ? "NoneType" : v.type->text);
        v = sema_unknown(s);
    }
    sema_set(s, k, v);
    return v;
}

/* In a tuple what becomes of displays is decided here, for the tuple is a value. *grows: is its
 * length not known, for something else than a tuple is unpacked into it? */
static Elems
elements(Sema *s, const Node *e, bool list, bool *grows)
{
    Elems out = {.all_const = true};
    for (int i = 0; i < e->n; i++) {
        const Node *k = e->kid[i];
        if (k->kind != N_Starred) {
            Sem v = sema_expr(s, k);
            push(s, &out, k, list ? v : heap_value(s, k, v));
            continue;
        }
        Sem v = unpacked(s, k);
        out.bad |= sem_bad(v);
        for (int j = 0; v.type->kind == TY_TUPLE && j < v.type->n; j++)
            push(s, &out, k, tuple_elem(s, v, j));
        if (!sem_bad(v) && v.type->kind != TY_TUPLE)
            *grows = true;
    }
    return out;
}

/* (*xs, 1) of a list: a tuple of any length is made of the list that has its elements. */
static Sem
grown_tuple(Sema *s, const Node *e)
{
    Sem list = heap_list_display(s, e);
    Sem v = sem_bad(list) ? list : sema_need_made(s, e, list, "_as_rest", NULL);
    return v.type ? v : sema_unknown(s);
}

Sem
expr_tuple(Sema *s, const Node *e)
{
    bool grows = false;
    Elems el = elements(s, e, false, &grows);
    if (el.bad)
        return sema_unknown(s);
    if (grows)
        return grown_tuple(s, e);
    if (!e->n && s->wide && s->empty_rows && !s->fr->in->def->is_lib) {
        const Type *elem = heap_empty_site(s, e, 0);
        return sem_of(type_heap(s->tt, &heap_tuple, &elem));
    }
    for (int i = 0; i < el.type.n; i++)
        if (el.type.at[i]->kind == TY_LIST) {
            el.bad = true;
            for (int k = 0; k < e->n; k++)
                sema_want_later(s, e->kid[k]);
            sema_error(s, DIAG_unsupported, e, "a list in a tuple is not supported");
            return sema_unknown(s);
        }
    Sem v = made_of(s, e, &el, type_none(s->tt));
    if (el.all_const && !sem_bad(v))
        v.cst = const_tuple(s, el.cst.n, el.cst.at);
    return v;
}

/* Lists of lists, and lists of tuples: the type that holds every element. A display beside a list
 * in a variable, or beside None, becomes what they are when it has to last. */
static const Type *
join_list(Sema *s, const Type *a, const Type *b)
{
    if (a->kind == TY_LIST && b->kind == TY_LIST) {
        const Type *e = join_list(s, a->elems[0], b->elems[0]);
        return e ? type_other(s->tt, TY_LIST, NULL, 1, &e, NULL) : NULL;
    }
    const Type *other = a->kind == TY_LIST ? b : a;
    bool display = a->kind == TY_LIST || b->kind == TY_LIST;
    if (display && (type_is_heap(type_value(other), &heap_list) || other->kind == TY_NONE))
        return other;
    return choice_of_elements(s, a, b, type_join(s->tt, a, b));
}

/* Arrays, and perhaps numbers and lists of them: what np.concatenate, np.hstack and others join. */
static bool
of_arrays(const Elems *el)
{
    bool any = false;
    for (int i = 0; i < el->type.n; i++) {
        const Type *t = el->type.at[i];
        bool list = t->kind == TY_LIST && t->n == 1 && t->elems[0]->kind == TY_SCALAR;
        any |= type_is_array(t);
        if (!type_is_array(t) && t->kind != TY_SCALAR && !list)
            return false;
    }
    return any;
}

static bool
all_lists(const Elems *el)
{
    for (int i = 0; i < el->type.n; i++) {
        const Type *t = el->type.at[i];
        if (t->kind != TY_LIST && !t->listed && !type_is_heap(t, &heap_list))
            return false;
    }
    return true;
}

static const Const *
const_elems(Sema *s, const Elems *el, bool is_list)
{
    Const *c = (Const *)const_tuple(s, el->cst.n, el->cst.at);
    c->is_list = is_list;
    return c;
}

/* Of functions alone that are unlike: each is known. */
bool
list_of_functions(int n, const Type *const *elems)
{
    bool like = true;
    for (int i = 0; i < n; i++) {
        if (!type_is_function(elems[i]))
            return false;
        like &= elems[i]->kind == TY_FUNC && elems[i]->n > 0 && elems[i]->ref == elems[0]->ref;
    }
    return n > 0 && !like;
}

/* Such a tuple is to be changed, or to meet one of others: where it is a display, all is typed
 * again with lists. */
void
list_want_functions(Sema *s, const Type *t)
{
    bool tuple = t->kind == TY_TUPLE && !t->names && list_of_functions(t->n, t->elems);
    bool dict = t->kind == TY_KEYED && list_of_functions(t->n, t->elems);
    bool row = type_is_heap(t, &heap_tuple) && type_is_function(type_resolve(s->tt, t->elems[0]));
    s->want_lists |= !s->lists && (tuple || dict || row);
}

/* [a, b] of lists of unlike numbers, of which np.array makes rows of one dtype: arrays. */
static void
lists_as_rows(Sema *s, const Node *e, Elems *el)
{
    for (int i = 0; s->copied == e && el->type.n == e->n && i < e->n; i++) {
        const Node *k = e->kid[i];
        bool list = k->kind != N_List && type_is_heap(el->type.at[i], &heap_list);
        if (list)
            el->type.at[i] = heap_as_array(s, k, sem_of(el->type.at[i])).type;
    }
}

static bool
are_unlike(Sema *s, const Elems *el)
{
    const Type *t = type_unknown(s->tt);
    for (int i = 0; t && i < el->type.n; i++)
        t = join_list(s, t, el->type.at[i]);
    return !t;
}

/* Numbers of two types, and something else? */
static bool
are_numbers_beside(const Elems *el)
{
    bool other = false, unlike = false;
    const Type *number = NULL;
    for (int i = 0; i < el->type.n; i++) {
        const Type *t = type_value(el->type.at[i]);
        other |= t->kind != TY_SCALAR && t->kind != TY_NONE;
        unlike |= t->kind == TY_SCALAR && number && number != t;
        number = t->kind == TY_SCALAR ? t : number;
    }
    return other && unlike;
}

Sem
expr_list(Sema *s, const Node *e)
{
    bool grows = false;
    Elems el = elements(s, e, true, &grows);
    if (!el.bad && !grows && s->copied == e && are_unlike(s, &el))
        lists_as_rows(s, e, &el);
    if (el.bad)
        return sema_unknown(s);
    if (!grows && list_of_functions(el.type.n, el.type.at)) {
        if (s->lists && e != s->through)
            return heap_list_display(s, e);
        Sem v = sem_of(type_listed(s->tt, el.type.n, el.type.at));
        v.cst = el.all_const ? const_elems(s, &el, true) : NULL;
        return v;
    }
    if (grows)
        return heap_list_display(s, e);
    if (s->either && are_numbers_beside(&el))
        return heap_list_display(s, e);
    const Type *t = type_unknown(s->tt);
    for (int i = 0; i < el.type.n; i++) {
        const Type *j = join_list(s, t, el.type.at[i]);
        if (!j && (of_arrays(&el) || (s->through == e && !s->prog->family_asked))) /* written out */
            return sem_of(type_other(s->tt, TY_LIST, NULL, el.type.n, el.type.at, NULL));
        if (!j && (all_lists(&el) || s->either))
            return heap_list_display(s, e);
        if (!j) {
            either_want(s);
            for (int k = 0; k < e->n; k++)
                sema_want_object(s, e->kid[k]);
            Diag *d =
                sema_type_error(s, e, "the elements of this list have no common type: %s and %s",
                                t->text, el.type.at[i]->text);
            if (t->kind == TY_OBJ && el.type.at[i]->kind == TY_OBJ)
                diag_hint(s->diags, d,
                          "a list holds instances of one class, or of several with one compiled "
                          "base: derive them from one, or keep a list for each");
            return sema_unknown(s);
        }
        t = j;
    }
    Sem v = sem_of(type_other(s->tt, TY_LIST, NULL, 1, &t, NULL));
    if (el.all_const)
        v.cst = const_elems(s, &el, true);
    return v;
}

bool
list_is_mixed(Sema *s, const Node *e, Sem v)
{
    bool has = false;
    for (int i = 0; e->kind == N_List && i < e->n; i++)
        has |= e->kid[i]->kind != N_Starred && sema_known(s, e->kid[i]).type->kind == TY_LIST;
    return has && v.type->kind == TY_LIST && v.type->elems[0]->kind != TY_LIST;
}

Sem
list_as_elements(Sema *s, const Node *e, Sem v, int depth)
{
    bool made = e->kind == N_ListComp && !e->op && v.type->kind == TY_LIST;
    if (made && v.type->elems[0]->kind != TY_SCALAR) /* an array holds numbers alone */
        return heap_value(s, e, v);
    if (e->kind != N_List || v.type->kind != TY_LIST)
        return v;
    if (list_is_mixed(s, e, v))
        return heap_value(s, e, v);
    Elems el = {.all_const = true};
    for (int i = 0; i < e->n; i++) {
        Sem k = sema_known(s, e->kid[i]);
        if (e->kid[i]->kind == N_Starred) {
            for (int j = 0; j < k.type->n; j++)
                push(s, &el, e, tuple_elem(s, k, j));
        } else {
            const Node *x = e->kid[i];
            push(s, &el, e, depth ? list_as_elements(s, x, k, depth - 1) : heap_value(s, x, k));
        }
    }
    Sem t = sem_of(type_listed(s->tt, el.type.n, el.type.at));
    if (el.all_const)
        t.cst = const_elems(s, &el, true);
    sema_set(s, e, t);
    return t;
}

Sem
list_as_tuple(Sema *s, const Node *e, Sem v)
{
    return list_as_elements(s, e, v, 0);
}

/* ---- elements and slices --------------------------------------------------------------------- */

Sem
tuple_elem(Sema *s, Sem t, int k)
{
    (void)s;
    bool known = t.cst && (t.cst->kind == CV_TUPLE || t.cst->kind == CV_KEYED);
    const Const *c = known ? t.cst->elems[k] : NULL;
    return (Sem){t.type->elems[k], c};
}

static Sem
index_known(Sema *s, const Node *e, Sem t, int64_t k)
{
    int64_t n = t.type->n;
    if (k < -n || k >= n) {
        const char *what = t.type->listed ? "list" : "tuple";
        const char *text = arena_printf(s->a, "%s index out of range", what);
        if (ends_raising(s, e, "IndexError", text))
            return sema_unknown(s);
        sema_error(s, DIAG_index, e, "%s index %lld is out of range: the %s has %d element%s", what,
                   (long long)k, what, (int)n, n == 1 ? "" : "s");
        return sema_unknown(s);
    }
    return tuple_elem(s, t, (int)(k < 0 ? k + n : k));
}

static bool
slice_part(Sema *s, const Node *e, int i, bool *has, int64_t *out)
{
    const Node *k = i < e->n ? e->kid[i] : NULL;
    *has = false;
    if (!k)
        return true;
    Sem v = sema_known(s, k);
    if (v.type->kind == TY_NONE)
        return true;
    *has = true;
    return const_as_int(v.cst, out);
}

static int64_t
clip(int64_t v, int64_t lo, int64_t hi)
{
    return v < lo ? lo : v > hi ? hi : v;
}

static Sem
slice_tuple(Sema *s, const Node *e, Sem t)
{
    const Node *sl = e->kid[1];
    int64_t p[3] = {0, 0, 1}, n = t.type->n;
    bool has[3], ok = sl->kind == N_Slice;
    for (int i = 0; i < 3 && ok; i++)
        ok = slice_part(s, sl, i, &has[i], &p[i]);
    if (!ok) {
        sema_error(s, DIAG_unsupported, sl, "the slice of a tuple must be known at compile time");
        return sema_unknown(s);
    }
    if (p[2] == 0) {
        sema_error(s, DIAG_value, sl, "slice step cannot be zero");
        return sema_unknown(s);
    }
    bool back = p[2] < 0;
    int64_t lo = back ? -1 : 0, hi = back ? n - 1 : n;
    int64_t from = !has[0] ? (back ? hi : lo) : clip(p[0] < 0 ? p[0] + n : p[0], lo, hi);
    int64_t to = !has[1] ? (back ? lo : hi) : clip(p[1] < 0 ? p[1] + n : p[1], lo, hi);
    Elems el = {.all_const = true};
    for (int64_t k = from; back ? k > to : k < to; k += p[2])
        push(s, &el, e, tuple_elem(s, t, (int)k));
    Sem v = made_of(s, e, &el, t.type);
    if (t.cst && !sem_bad(v))
        v.cst = const_elems(s, &el, t.type->listed);
    return v;
}

static Sem
subscript_tuple(Sema *s, const Node *e, Sem t, Sem idx)
{
    int64_t k;
    if (const_as_int(idx.cst, &k))
        return index_known(s, e, t, k);
    if (idx.type->kind == TY_SLICE)
        return slice_tuple(s, e, t);
    if (idx.type->kind != TY_SCALAR || !is_int_type(idx.type)) {
        sema_type_error(s, e->kid[1], "tuple indices must be integers or slices, not %s",
                        idx.type->text);
        return sema_unknown(s);
    }
    const Type *j = type_unknown(s->tt);
    for (int i = 0; i < t.type->n && j; i++)
        j = type_join(s->tt, j, t.type->elems[i]);
    if (!j || t.type->n == 0) {
        either_want(s);
        Diag *d = sema_type_error(s, e,
                                  "the elements of %s have no common type, and the index is "
                                  "not known at compile time",
                                  t.type->text);
        diag_hint(s->diags, d, "index it with constants");
        s->cx->wants |= WANT_NUMBER;
        return sema_unknown(s);
    }
    return sem_of(j);
}

/* One character of a string, where both it and the place are known. */
static Sem
subscript_text(Sema *s, const Node *e, Sem v, Sem idx)
{
    int64_t i, n = v.cst ? (int64_t)v.cst->str_len : 0;
    bool ascii = v.cst && v.cst->kind == CV_STR;
    for (int64_t k = 0; ascii && k < n; k++)
        ascii = (unsigned char)v.cst->str[k] < 128;
    if (idx.type->kind != TY_SCALAR || !is_int_type(idx.type)) {
        sema_type_error(s, e, "string indices must be integers, not '%s'", idx.type->text);
        return sema_unknown(s);
    }
    if (!ascii || !const_as_int(idx.cst, &i)) {
        sema_error(s, DIAG_unsupported, e,
                   "indexing a string is not supported unless it and the index are known");
        return sema_unknown(s);
    }
    i += i < 0 ? n : 0;
    if (i < 0 || i >= n) {
        sema_error(s, DIAG_index, e, "string index out of range");
        return sema_unknown(s);
    }
    Const *one = (Const *)const_str(s, (char[]){v.cst->str[i], 0});
    one->str_len = 1; /* of a NUL, too */
    return sem_const(s, one);
}

Sem
expr_subscript(Sema *s, const Node *e)
{
    Sem arg = sema_caught_arg(s, e);
    if (arg.type)
        return arg;
    Sem v = sema_expr(s, e->kid[0]);
    v = heap_indexed(s, e->kid[0], e->kid[1], v);
    v = sema_need(s, e->kid[0], v, "TypeError", "'NoneType' object is not subscriptable");
    if (v.cst && v.cst->kind == CV_CLASS && class_method(s, v.cst->ref, "__class_getitem__"))
        return v; /* Stack[int] */
    Sem idx = sema_expr(s, e->kid[1]);
    if (v.type->kind == TY_TUPLE)
        idx = sema_need(s, e->kid[1], idx, "TypeError",
                        "tuple indices must be integers or slices, not NoneType");
    else
        idx = heap_needed_index(s, e->kid[1], v.type, idx, true);
    if (sem_bad(v))
        site_indexed(s, v.type, idx.type);
    if (sem_bad(v) || sem_bad(idx))
        return sema_unknown(s);
    Sem own;
    if (s->either &&
        (either_subscript(s, e, v, idx, &own) || either_no_subscript(s, e, v, idx, &own)))
        return own;
    sema_want_slice(s, e->kid[1], v.type, idx);
    if (v.type->kind == TY_REF)
        return sema_heap_subscript(s, e, v, idx);
    if (v.type->kind == TY_CHOICE)
        return choice_subscript(s, e, v, idx);
    if (v.type->kind == TY_KEYED)
        return keyed_subscript(s, e, v);
    if (v.type->kind == TY_OBJ && keyed_class(v.type))
        return keyed_object_subscript(s, e, v);
    if (v.type->kind != TY_TUPLE)
        sema_need_index(s, e->kid[1], v.type);
    if (special_item(s, e, v, &own))
        return own;
    if (v.type->kind == TY_TUPLE)
        return subscript_tuple(s, e, v, idx);
    if (flat_item(s, e, idx, &own))
        return own;
    if (v.type->kind == TY_ARRAY) {
        const Type *t = subscript_type(s, e, v.type, e->kid[1], false);
        return t ? sem_of(t) : sema_unknown(s);
    }
    if (v.type->kind == TY_RECORD) {
        const char *name = record_field_said(v.type, idx.cst);
        const char *end = name && idx.cst->kind == CV_INT ? strstr(name, ".text") : NULL;
        if (end)
            name = arena_printf(s->a, "%.*s", (int)(end - name), name);
        if (name && record_text(s, e, v.type, name, &own))
            return own;
        const Type *t = record_subscript(s, e, v.type, e->kid[1], false);
        return t ? sem_of(t) : sema_unknown(s);
    }
    if (v.type->kind == TY_STR && v.cst && idx.cst)
        return subscript_text(s, e, v, idx);
    if (type_is_str(v.type) || type_is_bytes(v.type))
        return text_subscript(s, e, v, idx);
    if (v.type->kind == TY_RANGE && idx.type->kind == TY_SCALAR &&
        dtype_is_int((DType)idx.type->dtype) && !type_has_param(idx.type))
        return sem_of(type_scalar(s->tt, DT_i64, true));
    const Node *i = e->kid[1];
    if (v.type->kind == TY_RANGE && idx.type->kind == TY_SLICE && i->kind == N_Slice) {
        const Node *of[4] = {e->kid[0], i->n > 0 ? i->kid[0] : NULL, i->n > 1 ? i->kid[1] : NULL,
                             i->n > 2 ? i->kid[2] : NULL};
        return heap_call(s, e, "_range_slice", 4, of);
    }
    if (v.type->kind == TY_RANGE)
        sema_error(s, DIAG_unsupported, e, "this index of a range is not supported");
    else
        sema_not_indexed(s, e, e->kid[0], v.type);
    return sema_unknown(s);
}

/* ---- operators ------------------------------------------------------------------------------- */

static Sem
repeat(Sema *s, const Node *at, Sem t, Sem times)
{
    int64_t n;
    if (!const_as_int(times.cst, &n)) {
        sema_error(s, DIAG_unsupported, at,
                   "how often a tuple is repeated must be known at compile time");
        s->cx->wants |= WANT_NUMBER;
        return sema_unknown(s);
    }
    if (n > 0 && t.type->n && n > TUPLE_REPEATED / t.type->n) {
        Diag *d = sema_error(s, DIAG_unsupported, at, "a tuple of %d elements, %lld times",
                             t.type->n, (long long)n);
        diag_hint(s->diags, d, "use an array");
        return sema_unknown(s);
    }
    for (int i = 0; i < t.type->n && n > 1 && !heap_is_sum(at); i++)
        if (t.type->elems[i]->listed) { /* it would be one list, many times */
            sema_error(s, DIAG_unsupported, at, "repeating a list of constant lists");
            return sema_unknown(s);
        }
    Elems el = {.all_const = true};
    for (int64_t r = 0; r < n; r++)
        for (int i = 0; i < t.type->n; i++)
            push(s, &el, at, tuple_elem(s, t, i));
    Sem v = made_of(s, at, &el, t.type);
    if (t.cst && !sem_bad(v))
        v.cst = const_elems(s, &el, t.type->listed);
    return v;
}

/* A tuple on either side. type NULL: not for tuples (the other operand is an array). */
Sem
tuple_binop(Sema *s, const Node *at, int op, Sem a, Sem b)
{
    bool ta = a.type->kind == TY_TUPLE, tb = b.type->kind == TY_TUPLE;
    if (op == B_MUL && ta != tb) {
        Sem n = ta ? b : a;
        DType d = (DType)n.type->dtype;
        if (n.type->kind == TY_SCALAR && !dtype_is_float(d) && !dtype_is_param(d))
            return repeat(s, at, ta ? a : b, n);
    }
    if (op != B_ADD || !ta || !tb || a.type->listed != b.type->listed) {
        return sema_bad_operands(s, at, op, operator_text(s, at, op), a.type, b.type);
    }
    Elems el = {.all_const = true};
    for (int i = 0; i < a.type->n; i++)
        push(s, &el, at, tuple_elem(s, a, i));
    for (int i = 0; i < b.type->n; i++)
        push(s, &el, at, tuple_elem(s, b, i));
    Sem v = made_of(s, at, &el, a.type);
    if (a.cst && b.cst && !sem_bad(v))
        v.cst = const_elems(s, &el, a.type->listed);
    return v;
}

/* Arrays that no list of one type holds: parameters of a model, say. */
bool
list_is_unlike(Sema *s, const Node *e)
{
    const Type *t = NULL;
    bool unlike = false;
    for (int i = 0; i < e->n; i++) {
        const Type *is = sema_known(s, e->kid[i]).type;
        if (e->kid[i]->kind == N_Starred || is->kind != TY_ARRAY || !is->ndim)
            return false;
        is = type_element(s->tt, is);
        unlike |= t && !type_join_elements(s->tt, t, is);
        t = is;
    }
    return unlike;
}

/* The class of a named tuple, of which no defaults are known. */
const Const *
tuple_class_of(Sema *s, const Type *t)
{
    Const *c = NEW(s->a, Const), *dflt = NEW(s->a, Const);
    const Const **all = NEW_N(s->a, const Const *, t->n + 1);
    *dflt = (Const){.kind = CV_UNSUPPORTED, .is_list = true, .str = "a default"};
    for (int i = 0; i < t->n; i++)
        all[i] = dflt;
    const char *name = arena_printf(s->a, "%.*s", (int)strcspn(t->text, "("), t->text);
    *c = (Const){.kind = CV_TUPLE_CLASS,
                 .n = t->n,
                 .names = t->names,
                 .elems = all,
                 .ref = t->ref,
                 .str = name};
    return c;
}
