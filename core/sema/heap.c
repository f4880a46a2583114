/* SPDX-License-Identifier: BSD-3-Clause
 * Lists and dicts: what a display makes, of what type, and which function of swathe/lib does what is asked of it. A display
 * that a NumPy function consumes stays TY_LIST; where a value is to last it becomes an object. What an empty one
 * holds is found out by use: each place that makes one has a TypeVar in its instance, and the whole is inferred again
 * until nothing more is found out (sema.c). */
#include "sema/calls.h"

/* ---- functions of swathe/lib ---------------------------------------------------------------- */

/* NULL: whoever compiles is to add it to the program, and to try again. */
static const FuncDef *
lib_named(Sema *s, const char *name)
{
    Program *p = (Program *)(uintptr_t)s->prog;
    for (int i = 0; i < p->funcs.n; i++)
        if (p->funcs.at[i]->is_lib && !strcmp(p->funcs.at[i]->name, name))
            return p->funcs.at[i];
    for (int i = 0; i < p->wanted.n; i++)
        if (!strcmp(p->wanted.at[i], name))
            return NULL;
    VEC_PUSH(s->a, p->wanted, name);
    return NULL;
}

/* A function of the library with these arguments; NULL: None. */
Sem
heap_call(Sema *s, const Node *e, const char *name, int n, const Node *const *arg)
{
    const FuncDef *fd = lib_named(s, name);
    const Type **types = NEW_N(s->a, const Type *, n + 1);
    const Const **csts = NEW_N(s->a, const Const *, n + 1);
    if (!fd)
        return sema_unknown(s);
    Call *c = NEW(s->a, Call);
    *c = (Call){.kind = CALL_INST, .n_args = n};
    c->arg = NEW_N(s->a, const Node *, n + 1);
    c->dflt = NEW_N(s->a, const Const *, n + 1);
    for (int i = 0; i < n; i++) {
        Sem v = arg[i] ? sema_known(s, arg[i]) : sem_const(s, const_none(s));
        if (arg[i])
            v = heap_value(s, arg[i], v);
        if (sem_bad(v))
            return v;
        c->arg[i] = arg[i];
        c->dflt[i] = arg[i] ? NULL : v.cst;
        types[i] = type_resolve(s->tt, v.type);
        csts[i] = v.cst;
    }
    info_of(s, e)->call = c;
    return sem_of(sema_call_inst(s, e, fd, n, types, csts, &c->inst));
}

static Sem
call_of(Sema *s, const Node *e, const Type *object, const char *what, int n, const Node *const *arg)
{
    const HeapClass *c = object->ref;
    return heap_call(s, e, arena_printf(s->a, "_%s_%s", c->name, what), n, arg);
}

/* x.append: NULL after a message, or when the function is wanted. */
const FuncDef *
heap_method(Sema *s, const Node *f, const Type *object)
{
    const HeapClass *c = object->ref;
    if (heap_method_view(c, f->name) >= 0)
        return lib_named(s, arena_printf(s->a, "%s_%s", c->name, f->name));
    sema_error(s, DIAG_attribute, f, "%s has no method '%s' in compiled code", object->text,
               f->name);
    return NULL;
}

/* ---- displays that become objects -------------------------------------------------------------- */

typedef struct Site { /* a place that makes an empty list or dict */
    TypeVar var[2];
} Site;

static const Type *
empty_site(Sema *s, const Node *e, int k)
{
    Inst *in = s->fr->in;
    Site *site = map_get(&in->sites, e);
    if (!site) {
        site = NEW(s->a, Site);
        site->var[0].found = site->var[1].found = &s->found;
        map_put(s->a, &in->sites, e, site);
    }
    TypeVar *v = &site->var[k];
    sema_guess(s, v);
    s->open += !v->is;
    return type_resolve(s->tt, type_open(s->tt, v));
}

static void
bad_element(Sema *s, const Node *e, const Type *t)
{
    sema_error(s, DIAG_unsupported, e, "a list of %s is not supported", t->text);
}

static const Type *
mixed_list(Sema *s, const Node *e, const Type *a, const Type *b)
{
    Diag *d = sema_type_error(s, e, "a list holds values of one type, and this one has %s and %s",
                              a->text, b->text);
    if (a->kind == TY_SCALAR && b->kind == TY_SCALAR)
        diag_hint(s->diags, d, "write them all alike, as in [1.0, 2.5]");
    return NULL;
}

static const Type *
elem_of_display(Sema *s, const Node *e)
{
    const Type *t = NULL;
    for (int i = 0; i < e->n; i++) {
        const Node *k = e->kid[i];
        Sem v = heap_value(s, k, sema_known(s, k));
        if (k->kind == N_Starred) {
            sema_error(s, DIAG_unsupported, k, "unpacking into a list is not supported");
            return NULL;
        }
        const Type *elem = type_element(s->tt, type_resolve(s->tt, v.type));
        if (!elem)
            bad_element(s, k, v.type);
        if (!elem)
            return NULL;
        if (t && !type_unify(s->tt, t, elem))
            return mixed_list(s, e, t, elem);
        t = t ? t : elem;
    }
    return t ? type_resolve(s->tt, t) : empty_site(s, e, 0);
}

static Sem
list_of(Sema *s, const Node *e, const Type *elem)
{
    if (!elem)
        return sema_unknown(s);
    sema_set(s, e, sem_of(type_heap(s->tt, &heap_list, &elem)));
    return sema_known(s, e);
}

static bool
is_list_sum(const Node *e) /* [0] * 3, [1] + [2]: made of displays */
{
    if (e->kind != N_BinOp || (e->op != B_MUL && e->op != B_ADD))
        return false;
    return e->kid[0]->kind == N_List || e->kid[1]->kind == N_List || is_list_sum(e->kid[0]) ||
           is_list_sum(e->kid[1]);
}

/* A value that is to last: in a variable, an element, an argument, a result. */
Sem
heap_value(Sema *s, const Node *e, Sem v)
{
    if (!e || sem_bad(v))
        return v;
    if (e->kind == N_BinOp && v.type->kind == TY_TUPLE && is_list_sum(e)) {
        const Node *kid[2] = {e->kid[0], e->kid[1]};
        Sem a = heap_value(s, kid[0], sema_known(s, kid[0])),
            b = heap_value(s, kid[1], sema_known(s, kid[1]));
        bool left = a.type->kind == TY_REF;
        const Node *arg[2] = {kid[left ? 0 : 1], kid[left ? 1 : 0]};
        if (sem_bad(a) || sem_bad(b))
            return sema_unknown(s);
        Sem r = call_of(s, e, left ? a.type : b.type, e->op == B_MUL ? "repeat" : "add", 2, arg);
        sema_set(s, e, r);
        return r;
    }
    bool display =
        e->kind == N_List && v.type->kind == TY_TUPLE; /* which list_as_tuple has taken for one */
    if (v.type->kind != TY_LIST && !display)
        return v;
    switch (e->kind) {
    case N_List:
        return list_of(s, e, elem_of_display(s, e));
    case N_ListComp: {
        Sem k = heap_value(s, e->kid[0], sema_known(s, e->kid[0]));
        const Type *elem = type_element(s->tt, type_resolve(s->tt, k.type));
        if (!elem)
            bad_element(s, e->kid[0], k.type);
        return e->op ? v : list_of(s, e, elem);
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

/* ---- dicts ------------------------------------------------------------------------------------------- */

static bool
is_key(const Type *t)
{
    for (int i = 0; t->kind == TY_TUPLE && i < t->n; i++)
        if (!is_key(t->elems[i]))
            return false;
    return t->kind == TY_SCALAR || t->kind == TY_TUPLE || t->kind == TY_UNKNOWN;
}

/* A dict, and how a pair gets into it: info->before. */
static Sem
dict_of(Sema *s, const Node *e, const Type *const *kv)
{
    const Type *t = type_heap(s->tt, &heap_dict, kv), *types[3] = {t, kv[0], kv[1]};
    const Const *csts[3] = {NULL, NULL, NULL};
    const FuncDef *fd = lib_named(s, "_dict_setitem");
    Call *c = NEW(s->a, Call);
    *c = (Call){.kind = CALL_INST};
    if (!fd)
        return sema_unknown(s);
    if (!type_is_open(t))
        sema_call_inst(s, e, fd, 3, types, csts, &c->inst);
    info_of(s, e)->before = c;
    return sem_of(t);
}

static bool
add_pair(Sema *s, const Node *at, const Type **kv, const Type *k, const Type *v)
{
    const Type *pair[2] = {type_element(s->tt, type_resolve(s->tt, k)),
                           type_element(s->tt, type_resolve(s->tt, v))};
    if (!pair[0] || !is_key(pair[0]) || !pair[1]) {
        sema_error(s, DIAG_unsupported, at, "a dict of %s to %s is not supported", k->text,
                   v->text);
        return false;
    }
    for (int i = 0; i < 2; i++) {
        if (kv[i] && !type_unify(s->tt, kv[i], pair[i])) {
            sema_type_error(
                s, at,
                "a dict has keys of one type and values of one type, and these are %s and %s",
                kv[i]->text, pair[i]->text);
            return false;
        }
        kv[i] = type_resolve(s->tt, kv[i] ? kv[i] : pair[i]);
    }
    return true;
}

Sem
sema_dict_display(Sema *s, const Node *e)
{
    const Type *kv[2] = {NULL, NULL};
    bool bad = false;
    for (int i = 0; i < e->n; i++) {
        const Node *p = e->kid[i];
        Sem pair = sema_expr(s, p);
        bad |= sem_bad(pair) || !add_pair(s, p, kv, pair.type->elems[0], pair.type->elems[1]);
    }
    if (bad)
        return sema_unknown(s);
    for (int i = 0; i < 2; i++)
        kv[i] = kv[i] ? kv[i] : empty_site(s, e, i);
    return dict_of(s, e, kv);
}

Sem
heap_dict_of(Sema *s, const Node *e, const Type *pair)
{
    const Type *kv[2] = {NULL, NULL};
    return add_pair(s, e->kid[0], kv, pair->elems[0], pair->elems[1]) ? dict_of(s, e, kv)
                                                                      : sema_unknown(s);
}

/* What an iterable yields, as elements of a container; NULL after a message. */
static const Type *
yielded(Sema *s, const Node *at, const Node *from, Sem v)
{
    if (v.type->kind == TY_TUPLE) { /* nothing is promoted in silence */
        const Type *t = NULL;
        for (int i = 0; i < v.type->n; i++) {
            const Type *elem = type_element(s->tt, v.type->elems[i]);
            if (elem && t && !type_unify(s->tt, t, elem))
                return mixed_list(s, at, t, elem);
            t = t ? t : elem;
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

const Type *
heap_list_from(Sema *s, const Node *at, const Node *from, Sem v)
{
    bool nothing = !v.type || (v.type->kind == TY_TUPLE && !v.type->n);
    const Type *t = nothing ? empty_site(s, at, 0) : yielded(s, at, from, v);
    const Type *elem = t ? type_element(s->tt, t) : NULL;
    if (t && !elem)
        bad_element(s, at, t);
    return elem ? type_heap(s->tt, &heap_list, &elem) : NULL;
}

/* info->before: what list.sort does to it. */
bool
heap_sort(Sema *s, const Node *at, const Type *list, Sem reverse, Sem key)
{
    bool keyed = key.type && key.type->kind != TY_NONE;
    const FuncDef *fd = lib_named(s, keyed ? "list_sort" : "_list_order");
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

/* np.array(list, dtype): a call of a function of the library. */
Sem
heap_array(Sema *s, const Node *e, const Call *c)
{
    const Type *of = sema_arg(s, c, 0).type->elems[0];
    return heap_call(s, e, type_is_heap(of, &heap_list) ? "_list_table" : "_list_array", 2, c->arg);
}

const Type *
heap_dict_from(Sema *s, const Node *at, const Node *from, Sem v)
{
    const Type *kv[2] = {NULL, NULL};
    bool nothing = !v.type || (v.type->kind == TY_TUPLE && !v.type->n);
    if (v.type && type_is_heap(v.type, &heap_dict))
        return heap_call(s, at, "dict_copy", 1, &from).type;
    const Type *t = nothing ? NULL : yielded(s, at, from, v);
    if (!nothing && !t)
        return NULL;
    if (t && (t->kind != TY_TUPLE || t->n != 2)) {
        sema_type_error(s, at, "dict() takes an iterable of pairs, and this one yields %s",
                        t->text);
        return NULL;
    }
    if (t && !add_pair(s, at, kv, t->elems[0], t->elems[1]))
        return NULL;
    for (int i = 0; i < 2; i++)
        kv[i] = kv[i] ? kv[i] : empty_site(s, at, i);
    Sem d = dict_of(s, at, kv);
    return sem_bad(d) ? NULL : d.type;
}

void
heap_keys(Sema *s, const Node *at, const Type *dict)
{
    const FuncDef *fd = lib_named(s, "dict_keys");
    const Const *csts[1] = {NULL};
    Call *c = NEW(s->a, Call);
    *c = (Call){.kind = CALL_INST};
    if (!fd || type_is_open(dict))
        return;
    sema_call_inst(s, at, fd, 1, &dict, csts, &c->inst);
    info_of(s, at)->before = c;
}

/* ---- operators, subscripts ------------------------------------------------------------------------ */

static bool
is_index(const Type *t)
{
    return t->kind == TY_SCALAR && is_int_type(t);
}

/* Python asks NumPy's values first, and NumPy makes an array of the list. */
static bool
is_numpy(const Type *t)
{
    return t->kind == TY_ARRAY || t->kind == TY_RECORD || (t->kind == TY_SCALAR && !t->weak);
}

static void
goes_to_numpy(Sema *s, const Node *at, const char *op, const Type *a, const Type *b)
{
    Diag *d = sema_type_error(
        s, at, "'%s' of %s and %s would be NumPy's, which makes an array of the list", op, a->text,
        b->text);
    diag_hint(s->diags, d, "write x.extend(a) to append, or a loop over the elements");
}

/* type NULL: no object is among them. */
Sem
heap_binop(Sema *s, const Node *e, int op, Sem a, Sem b)
{
    bool left = a.type->kind == TY_REF, right = b.type->kind == TY_REF;
    const Node *arg[2] = {e->kid[0], e->kid[1]};
    if (!left && right && op == B_MUL) {
        arg[0] = e->kid[1];
        arg[1] = e->kid[0];
    }
    const Type *object = left ? a.type : b.type, *other = left ? b.type : a.type;
    if (op == B_MUL && (left != right) && is_index(other))
        return call_of(s, e, object, "repeat", 2, arg);
    if (op == B_ADD && left && right)
        return call_of(s, e, object, "add", 2, arg);
    if (op == B_OR && left && right && a.type->ref == &heap_dict && b.type->ref == &heap_dict)
        return call_of(s, e, object, "or", 2, arg);
    sema_type_error(s, e, "unsupported operand types for %s: %s and %s", binop_text[op],
                    a.type->text, b.type->text);
    return sema_unknown(s);
}

Sem
heap_compare(Sema *s, const Node *e, int op, Sem a, Sem b)
{
    static const char *const what[] = {
        [C_EQ] = "eq",       [C_NE] = "ne",      [C_LT] = "lt", [C_LE] = "le",
        [C_GT] = "gt",       [C_GE] = "ge",      [C_IS] = "is", [C_ISNOT] = "is_not",
        [C_IN] = "contains", [C_NOTIN] = "lacks"};
    const Node *arg[2] = {e->kid[0], e->kid[1]};
    if (e->n != 2) {
        Diag *d = sema_error(s, DIAG_unsupported, e, "a chain of comparisons of %s",
                             a.type->kind == TY_REF ? a.type->text : b.type->text);
        diag_hint(s->diags, d, "write it with `and`");
        return sema_unknown(s);
    }
    if (op == C_IN || op == C_NOTIN) {
        arg[0] = e->kid[1];
        arg[1] = e->kid[0];
        if (b.type->kind == TY_REF)
            return call_of(s, e, b.type, what[op], 2, arg);
    } else if (a.type->kind == TY_REF && b.type->kind == TY_REF && a.type->ref == b.type->ref) {
        return call_of(s, e, a.type, what[op], 2, arg);
    } else if (op != C_IS && op != C_ISNOT && (is_numpy(a.type) || is_numpy(b.type))) {
        goes_to_numpy(s, e, cmp_text[op], a.type, b.type);
        return sema_unknown(s);
    } else if (op == C_IS || op == C_ISNOT || op == C_EQ ||
               op == C_NE) { /* of another kind, it is another */
        const Const *c = const_bool(s, op == C_ISNOT || op == C_NE);
        return sem_const(s, c);
    }
    sema_type_error(s, e, "'%s' is not supported between %s and %s", cmp_text[op], a.type->text,
                    b.type->text);
    return sema_unknown(s);
}

Sem
sema_heap_subscript(Sema *s, const Node *e, Sem v, Sem idx)
{
    const Node *i = e->kid[1];
    if (v.type->ref == &heap_list && idx.type->kind == TY_SLICE && i->kind == N_Slice) {
        const Node *arg[4] = {e->kid[0], i->n > 0 ? i->kid[0] : NULL, i->n > 1 ? i->kid[1] : NULL,
                              i->n > 2 ? i->kid[2] : NULL};
        return call_of(s, e, v.type, "slice", 4, arg);
    }
    if (v.type->ref == &heap_list && is_index(idx.type))
        return sem_of(type_resolve(s->tt, v.type->elems[0]));
    if (v.type->ref == &heap_list) {
        sema_type_error(s, i, "list indices must be integers or slices, not %s", idx.type->text);
        return sema_unknown(s);
    }
    const Node *arg[2] = {e->kid[0], i};
    return call_of(s, e, v.type, "getitem", 2, arg);
}

/* What an element may be given: false after a message. */
static bool
check_element(Sema *s, const Node *at, const Type *object, const Type *elem, const Type *v)
{
    const Type *e = type_element(s->tt, type_resolve(s->tt, v));
    if (e && type_unify(s->tt, elem, e))
        return true;
    Diag *d =
        sema_type_error(s, at, "%s can't hold %s", type_resolve(s->tt, object)->text, v->text);
    if (elem->kind == TY_SCALAR && v->kind == TY_SCALAR && elem->weak &&
        dtype_is_float((DType)elem->dtype))
        diag_hint(s->diags, d, "convert it with float(...)");
    else if (elem->kind == TY_SCALAR && v->kind == TY_SCALAR && elem->weak && elem->dtype == DT_i64)
        diag_hint(s->diags, d, "convert it with int(...), or make the list of floats: [0.0]");
    return false;
}

/* x[a:b:c] = v: the call takes the list, the parts of the slice, and v. */
static void
store_slice(Sema *s, const Node *t, Sem obj, Sem idx, Sem v)
{
    const Node *i = t->kid[1];
    if (i->kind != N_Slice) {
        sema_type_error(s, i, "list indices must be integers or slices, not %s", idx.type->text);
        return;
    }
    const FuncDef *fd = lib_named(s, "_list_setslice");
    const Type **types = NEW_N(s->a, const Type *, 5);
    const Const **csts = NEW_N(s->a, const Const *, 5);
    Call *c = NEW(s->a, Call);
    *c = (Call){.kind = CALL_INST};
    if (!fd)
        return;
    types[0] = obj.type;
    types[4] = v.type;
    for (int k = 0; k < 3; k++) {
        Sem part = k < i->n && i->kid[k] ? sema_known(s, i->kid[k]) : sem_const(s, const_none(s));
        types[1 + k] = part.type;
        csts[1 + k] = part.cst;
    }
    sema_call_inst(s, t, fd, 5, types, csts, &c->inst);
    Info *info = info_of(s, t);
    info->call = c;
    info->type = v.type;
}

/* x[i] = v, where v is a value, perhaps with a node: what the target takes. */
void
sema_heap_store(Sema *s, const Node *t, Sem obj, Sem idx, Sem v, const Node *value)
{
    Info *info = info_of(s, t);
    if (value)
        v = heap_value(s, value, v);
    const Type *key = obj.type->ref == &heap_dict ? type_element(s->tt, idx.type) : NULL;
    if (sem_bad(v)) { /* the key is known all the same */
        if (key && is_key(key))
            type_unify(s->tt, obj.type->elems[0], key);
        return;
    }
    if (obj.type->ref == &heap_list && is_index(idx.type)) {
        if (check_element(s, value ? value : t, obj.type, type_resolve(s->tt, obj.type->elems[0]),
                          v.type))
            info->type = type_resolve(s->tt, obj.type->elems[0]);
        return;
    }
    if (obj.type->ref == &heap_list) {
        store_slice(s, t, obj, idx, v);
        return;
    }
    const FuncDef *fd = lib_named(s, "_dict_setitem");
    const Type *types[3] = {obj.type, idx.type, v.type};
    Call *c = NEW(s->a, Call);
    *c = (Call){.kind = CALL_INST};
    const Const *csts[3] = {NULL, NULL, NULL};
    if (!fd)
        return;
    sema_call_inst(s, t, fd, 3, types, csts, &c->inst);
    info = info_of(s, t);
    info->call = c;
    info->type = v.type;
}

Sem
heap_delete(Sema *s, const Node *t)
{
    Sem obj = sema_expr(s, t->kid[0]), idx = sema_expr(s, t->kid[1]);
    const Node *i = t->kid[1];
    *info_of(s, t) = (Info){0};
    if (sem_bad(obj) || sem_bad(idx))
        return sema_unknown(s);
    if (obj.type->kind != TY_REF) {
        sema_type_error(s, t, "%s does not support item deletion", obj.type->text);
        return sema_unknown(s);
    }
    if (idx.type->kind == TY_SLICE && i->kind == N_Slice) {
        const Node *arg[4] = {t->kid[0], i->n > 0 ? i->kid[0] : NULL, i->n > 1 ? i->kid[1] : NULL,
                              i->n > 2 ? i->kid[2] : NULL};
        return call_of(s, t, obj.type, "delslice", 4, arg);
    }
    const Node *arg[2] = {t->kid[0], i};
    return call_of(s, t, obj.type, "delitem", 2, arg);
}

/* x[i] += v */
void
heap_aug_place(Sema *s, const Node *n, Sem obj, Sem by)
{
    const Node *t = n->kid[0];
    Sem idx = sema_known(s, t->kid[1]), old = sema_heap_subscript(s, t, obj, idx);
    Call *before = info_of(s, t)->call, *call = NULL;
    if (sem_bad(old) || sem_bad(by))
        return;
    if (old.type->kind == TY_REF) {
        Diag *d = sema_error(s, DIAG_unsupported, n, "%s= of an element that is %s",
                             binop_text[n->op], old.type->text);
        diag_hint(s->diags, d, "give it a name first: v = x[i], v += ...");
        return;
    }
    Sem v = expr_binop_values(s, n, n->op, old, by, &call);
    Info *info = info_of(s, n);
    info->call = call;
    info->type = v.type;
    *info_of(s, t) = (Info){0};
    sema_heap_store(s, t, obj, idx, v, NULL);
    info_of(s, t)->before = before;
}

/* x += y of a list changes it. */
Sem
heap_aug(Sema *s, const Node *n, Sem obj)
{
    const Node *arg[2] = {n->kid[0], n->kid[1]};
    const Type *by = sema_known(s, n->kid[1]).type;
    if (obj.type->ref == &heap_list && n->op == B_ADD && is_numpy(by)) {
        goes_to_numpy(s, n, "+=", obj.type, by);
        return sema_unknown(s);
    }
    if (obj.type->ref == &heap_list &&
        (n->op == B_ADD || (n->op == B_MUL && is_index(sema_known(s, n->kid[1]).type))))
        return call_of(s, n, obj.type, n->op == B_ADD ? "iadd" : "imul", 2, arg);
    if (obj.type->ref == &heap_dict && n->op == B_OR)
        return call_of(s, n, obj.type, "ior", 2, arg);
    sema_type_error(s, n, "unsupported operand types for %s=: %s and %s", binop_text[n->op],
                    obj.type->text, sema_known(s, n->kid[1]).type->text);
    return sema_unknown(s);
}

/* ---- what the library's classes are written with --------------------------------------------------- */

/* A NumPy integer among lengths would have its dtype's arithmetic. */
static const Type *
index_of(CallCx *x)
{
    Sem v = sema_arg(x->s, x->c, 0);
    if (!is_int_type(v.type)) {
        sema_error(x->s, DIAG_argument, x->at, "%s cannot be interpreted as an integer",
                   v.type->text);
        return NULL;
    }
    x->c->kind = CALL_CAST;
    x->c->n_args = 1;
    return cast_type(x->s, x->at, v, DT_i64, true, &x->cst);
}

/* Elements of a tuple would become one type without a word. */
static const Type *
same_class(CallCx *x)
{
    const Type *o = sema_arg(x->s, x->c, 0).type,
               *v = type_resolve(x->s->tt, sema_arg(x->s, x->c, 1).type);
    for (int i = 1; v->kind == TY_TUPLE && i < v->n; i++) {
        if (type_unify(x->s->tt, v->elems[0], v->elems[i]))
            continue;
        sema_type_error(x->s, x->at, "a list holds values of one type, and %s has %s and %s",
                        v->text, v->elems[0]->text, v->elems[i]->text);
        return NULL;
    }
    x->cst = const_bool(x->s, v->kind == TY_REF && v->ref == o->ref);
    return type_scalar(x->s->tt, DT_bool, true);
}

const Type *
type_heap_row(CallCx *x)
{
    Sema *s = x->s;
    if (x->fn->id == BI_heap_index_of)
        return index_of(x);
    if (x->fn->id == BI_heap_same_class)
        return same_class(x);
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
        if (second.type && second.type->kind != TY_UNKNOWN && !is_key(second.type)) {
            sema_type_error(s, x->at, "%s can't be a key", second.type->text);
            return NULL;
        }
        return check_element(s, x->at, o, elem, second.type) ? type_scalar(s->tt, DT_i64, true)
                                                             : NULL;
    case BI_heap_word:
    case BI_heap_room:
        return type_scalar(s->tt, DT_i64, true);
    case BI_heap_same:
        return type_scalar(s->tt, DT_bool, true);
    case BI_heap_at:
        return elem;
    case BI_heap_put:
        return check_element(s, x->at, o, elem, sema_arg(s, x->c, 3).type) ? type_none(s->tt)
                                                                           : NULL;
    case BI_heap_column:
        return elem->kind == TY_SCALAR ? type_array(s->tt, (DType)elem->dtype, 1, LAY_C, false)
                                       : type_unknown(s->tt);
    default:
        return type_none(s->tt);
    }
}
