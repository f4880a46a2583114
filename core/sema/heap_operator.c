/* SPDX-License-Identifier: BSD-3-Clause
 * Operators, comparisons and subscripts of lists, dicts and sets: which method of the classes in
 * swathe/lib each of them calls. */
#include "sema/internal.h"

/* NULL: objects of this class don't have it. */
static const char *
operator_name(const Type *object, int op)
{
    static const char *const names[] = {
        [B_ADD] = "add", [B_SUB] = "sub", [B_OR] = "or", [B_XOR] = "xor", [B_AND] = "and"};
    const char *text = binop_text[op], *name = op < SW_LEN(names) ? names[op] : NULL;
    bool has = strlen(text) == 1 && strchr(((const HeapClass *)object->ref)->operators, *text);
    return has ? name : NULL;
}

static bool
is_index(const Type *t)
{
    return t->kind == TY_SCALAR && is_int_type(t);
}

/* Python asks NumPy's values first, and NumPy makes an array of the list. */
bool
heap_is_numpy(const Type *t)
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

static bool
has_base(const Type *a, const Type *b)
{
    return ((const HeapClass *)a->ref)->base == ((const HeapClass *)b->ref)->base;
}

/* Whose comparison it is: of two dicts of different classes, that of dicts. */
static const HeapClass *
asked(const Type *a, const Type *b)
{
    const HeapClass *c = a->ref;
    return a->ref == b->ref ? c : c->base;
}

/* Has an operator between them a result of the class of the left one? */
static bool
is_alike(const Type *a, const Type *b)
{
    return a->ref == b->ref || (!type_heap_has(a, HEAP_MAPS) && has_base(a, b));
}

/* d.keys(), d.values() or d.items(), which are lists here: what they are in Python, or NULL. */
const char *
heap_view_name(Sema *s, const Node *n)
{
    const Node *f = n->kind == N_Call && n->n == 1 ? n->kid[0] : NULL;
    bool is = f && f->kind == N_Attribute &&
              (!strcmp(f->name, "keys") || !strcmp(f->name, "values") || !strcmp(f->name, "items"));
    const Type *t = is ? sema_known(s, f->kid[0]).type : NULL;
    bool ordered = t && t->kind == TY_REF && t->ref == &heap_OrderedDict;
    return t && type_heap_has(t, HEAP_MAPS)
               ? arena_printf(s->a, "%s_%s", ordered ? "odict" : "dict", f->name)
               : NULL;
}

/* What is compared as a set. */
static bool
is_view(Sema *s, const Node *n)
{
    return heap_view_name(s, n) && strcmp(n->kid[0]->name, "values");
}

static const char *
set_name(int op)
{
    return op == B_AND ? "and" : op == B_OR ? "or" : op == B_SUB ? "sub" : "xor";
}

/* With each other, and with sets; nothing else is equal to one. */
static Sem
compare_views(Sema *s, const Node *e, int op, const Type *a, const Type *b)
{
    static const char *const what[] = {
        [C_EQ] = "eq", [C_NE] = "ne", [C_LT] = "lt", [C_LE] = "le", [C_GT] = "gt", [C_GE] = "ge"};
    const Node *arg[2] = {e->kid[0], e->kid[1]};
    const Type *t[2] = {a, b};
    bool both = true;
    for (int i = 0; i < 2; i++)
        both &= is_view(s, arg[i]) ||
                (type_heap_has(t[i], HEAP_KEYED) && !type_heap_has(t[i], HEAP_MAPS));
    if (both)
        return heap_call(s, e, arena_printf(s->a, "_views_%s", what[op]), 2, arg);
    if (op == C_EQ || op == C_NE)
        return sem_const(s, const_bool(s, op == C_NE));
    return sema_bad_order(s, e, cmp_text[op], a, b);
}

/* Is one a tuple of so many elements as only the run tells, and the other one of a known number? */
static bool
is_fixed_tuple(const Type *object, const Type *other)
{
    return type_is_heap(object, &heap_tuple) && other->kind == TY_TUPLE && !other->listed &&
           !other->names;
}

/* A bytearray, and bytes or another one? */
static bool
bytes_beside(const Type *a, const Type *b)
{
    bool x = type_heap_has(a, HEAP_BYTES), y = type_heap_has(b, HEAP_BYTES);
    return (x && (y || type_is_bytes(b))) || (y && type_is_bytes(a));
}

/* Do elements of the second list alone have a None, so that the sum is one of these? */
bool
heap_adds_none(Sema *s, const Type *a, const Type *b)
{
    if (!type_is_heap(a, &heap_list) || !type_is_heap(b, &heap_list))
        return false;
    const Type *x = type_resolve(s->tt, a->elems[0]), *y = type_resolve(s->tt, b->elems[0]);
    return type_is_optional(y) && !type_is_optional(x) && x->kind != TY_UNKNOWN;
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
    if (op == B_ADD && bytes_beside(a.type, b.type))
        return heap_call(s, e, left ? "_bytearray_add" : "_bytes_plus", 2, arg);
    const char *name = left || right ? operator_name(object, op) : NULL;
    if (op == B_ADD && left != right && is_fixed_tuple(object, other)) {
        for (int i = 0; type_is_open(object) && i < other->n; i++) { /* which tells what () holds */
            const Type *elem = type_element(s->tt, type_resolve(s->tt, other->elems[i]));
            if (elem)
                type_unify(s->tt, object->elems[0], elem);
        }
        return heap_call(s, e, "_tuple_plus", 2, arg);
    }
    if ((op == B_ADD || op == B_MUL) &&
        (heap_view_name(s, e->kid[0]) || heap_view_name(s, e->kid[1])))
        return sema_bad_operands(s, e, op, operator_text(s, e, op), a.type, b.type);
    if (op == B_MUL && type_heap_has(object, HEAP_ORDERED) && left != right && is_index(other))
        return heap_call_of(s, e, object, "repeat", 2, arg);
    bool views = is_view(s, arg[0]) || is_view(s, arg[1]);
    if (views && left && right && (op == B_AND || op == B_OR || op == B_SUB || op == B_XOR))
        return heap_call(s, e, arena_printf(s->a, "_views_%s", set_name(op)), 2, arg);
    if (name && op == B_ADD && heap_adds_none(s, a.type, b.type))
        return heap_call(s, e, "_list_add_none", 2, arg);
    if (name && left && right && is_alike(a.type, b.type))
        return heap_call_of(s, e, object, name, 2, arg);
    return sema_bad_operands(s, e, op, operator_text(s, e, op), a.type, b.type);
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
    const Type *of = b.type->kind == TY_REF ? b.type : a.type;
    bool in = op == C_IN || op == C_NOTIN;
    bool buffers = !in && ((type_heap_has(a.type, HEAP_BYTES) && type_is_array_array(b.type)) ||
                           (type_heap_has(b.type, HEAP_BYTES) && type_is_array_array(a.type)));
    if ((bytes_beside(a.type, b.type) || buffers) && op != C_IS && op != C_ISNOT) {
        const Node *of_both[2] = {arg[in], arg[!in]};
        return heap_call(s, e, arena_printf(s->a, "_bytearray_%s", what[op]), 2, of_both);
    }
    if (op != C_IN && op != C_NOTIN && op != C_IS && op != C_ISNOT && a.type->kind == TY_REF &&
        b.type->kind == TY_REF && (is_view(s, arg[0]) || is_view(s, arg[1])))
        return compare_views(s, e, op, a.type, b.type);
    /* not keys alone */
    bool elements = type_heap_has(of, HEAP_ORDERED | HEAP_RING) || (op != C_IN && op != C_NOTIN);
    if (elements && op != C_IS && op != C_ISNOT && heap_has_array(type_resolve(s->tt, of))) {
        heap_no_equality(s, e, of, cmp_text[op]);
        return sema_unknown(s);
    }
    if (op == C_IN || op == C_NOTIN) {
        arg[0] = e->kid[1];
        arg[1] = e->kid[0];
        if (a.type->kind == TY_REF && b.type->kind == TY_LIST)
            b = heap_value(s, arg[0], b);
        if (sem_bad(b))
            return sema_unknown(s);
        if (b.type->kind == TY_REF)
            return heap_call_of(s, e, b.type, what[op], 2, arg);
        if (type_is_heap(a.type, &heap_tuple) && b.type->kind == TY_TUPLE)
            return heap_call(s, e, op == C_IN ? "_fixed_contains" : "_fixed_lacks", 2, arg);
    } else if (op <= C_GE && (is_fixed_tuple(a.type, b.type) || is_fixed_tuple(b.type, a.type))) {
        return heap_call(s, e, arena_printf(s->a, "_tuples_%s", what[op]), 2, arg);
    } else if (a.type->kind == TY_REF && b.type->kind == TY_REF && has_base(a.type, b.type) &&
               type_is_heap(a.type, &heap_tuple) == type_is_heap(b.type, &heap_tuple) &&
               (!type_heap_has(a.type, HEAP_MAPS) || strstr(asked(a.type, b.type)->own, " lt ") ||
                (op != C_LT && op != C_LE && op != C_GT && op != C_GE))) {
        return heap_call(s, e,
                         arena_printf(s->a, "_%s_%s",
                                      heap_function_of(asked(a.type, b.type), what[op]), what[op]),
                         2, arg);
    } else if (op != C_IS && op != C_ISNOT && (heap_is_numpy(a.type) || heap_is_numpy(b.type))) {
        goes_to_numpy(s, e, cmp_text[op], a.type, b.type);
        return sema_unknown(s);
        /* of another kind, it is another */
    } else if (op == C_IS || op == C_ISNOT || op == C_EQ || op == C_NE) {
        const Const *c = const_bool(s, op == C_ISNOT || op == C_NE);
        return sem_const(s, c);
    }
    return sema_bad_order(s, e, cmp_text[op], a.type, b.type);
}

/* ---- lists that can't change, beside others -------------------------------------------------- */

/* What a list of these would hold; *elem NULL where nothing tells. */
static bool
fixed_element(Sema *s, const Type *t, const Type **elem)
{
    for (int i = 0; i < t->n; i++) {
        const Type *e = t->elems[i], *sub = NULL;
        if (e->listed && !fixed_element(s, e, &sub))
            return false;
        if (e->listed && !sub)
            continue;
        e = e->listed ? type_heap(s->tt, &heap_list, &sub) : type_element(s->tt, e);
        *elem = e && *elem ? type_widest(s->tt, *elem, e) : e;
        if (!*elem)
            return false;
    }
    return true;
}

/* Its value is put into an object that nobody keeps. */
Sem
heap_passing(Sema *s, const Node *e, Sem v)
{
    const Type *elem = NULL;
    if (!v.type->listed)
        return v;
    if (!fixed_element(s, v.type, &elem) || !elem) {
        Diag *d = sema_error(s, DIAG_unsupported, e,
                             "%s beside a list of one type is not supported", v.type->text);
        diag_hint(s->diags, d, "a list holds values of one type");
        return sema_unknown(s);
    }
    Sem list = sema_need_made(s, e, v, "_list_passing", NULL);
    return list.type ? list : sema_unknown(s);
}

/* A list that is made when it runs; of a display, one of its elements is. */
bool
heap_is_made(Sema *s, const Node *e, Sem v)
{
    if (sem_bad(v) || type_is_heap(v.type, &heap_list))
        return !sem_bad(v);
    if (v.type->kind != TY_LIST)
        return false;
    bool made = e->kind != N_List && (e->kind != N_ListComp || !e->op);
    for (int i = 0; e->kind == N_List && !made && i < e->n; i++)
        made = heap_is_made(s, e->kid[i], sema_known(s, e->kid[i]));
    return made;
}

/* Of two lists, one of which at least is made when it runs. type NULL: they are no such. */
Sem
heap_compare_lists(Sema *s, const Node *e, int op, Sem a, Sem b)
{
    const Node *x = e->kid[0], *y = e->kid[1];
    bool in = op == C_IN || op == C_NOTIN, made = heap_is_made(s, x, a) || heap_is_made(s, y, b);
    if (!made || e->n != 2 || !heap_is_list(a) || !heap_is_list(b))
        return (Sem){0};
    if (in && b.type->listed) {
        a = heap_value(s, x, a);
        const Node *arg[2] = {y, x};
        return heap_call(s, e, op == C_IN ? "_fixed_contains" : "_fixed_lacks", 2, arg);
    }
    a = heap_value(s, x, a);
    b = heap_value(s, y, b);
    if (sem_bad(a) || sem_bad(b))
        return sema_unknown(s);
    if (!in && (op == C_EQ || op == C_NE) && (a.type->listed || b.type->listed)) {
        const Node *arg[2] = {a.type->listed ? y : x, a.type->listed ? x : y};
        return heap_call(s, e, op == C_EQ ? "_list_eq_fixed" : "_list_ne_fixed", 2, arg);
    }
    if (!in && op != C_IS && op != C_ISNOT) {
        a = heap_passing(s, x, a);
        b = heap_passing(s, y, b);
    }
    return sem_bad(a) || sem_bad(b) ? sema_unknown(s) : heap_compare(s, e, op, a, b);
}

/* a + b, of which one can't change. type NULL: they are no such. */
Sem
heap_add_fixed(Sema *s, const Node *e, Sem a, Sem b)
{
    const Node *x = e->kid[0], *y = e->kid[1];
    bool left = a.type->listed;
    if (a.type->listed == b.type->listed || !heap_is_made(s, left ? y : x, left ? b : a))
        return (Sem){0};
    a = heap_value(s, x, a);
    b = heap_value(s, y, b);
    if (left ? !a.type->n : !b.type->n)
        return heap_call(s, e, "list_copy", 1, left ? &y : &x);
    a = heap_passing(s, x, a);
    b = heap_passing(s, y, b);
    return sem_bad(a) || sem_bad(b) ? sema_unknown(s) : heap_binop(s, e, B_ADD, a, b);
}

/* x[i]: false after a message. */
static bool
has_items(Sema *s, const Node *at, const Type *object, const char *lacks)
{
    bool fixed = type_is_heap(object, &heap_tuple) && strstr(lacks, "item ");
    const char *view = heap_view_name(s, at->kid[0]);
    if (type_heap_has(object, HEAP_ORDERED | HEAP_MAPS | HEAP_RING) && !fixed && !view)
        return true;
    const char *what = view ? view : ((const HeapClass *)object->ref)->name;
    Diag *d = sema_type_error(s, at, "'%s' object %s", what, lacks);
    if (view)
        diag_hint(s->diags, d, "make a list of it: list(...)");
    else if (type_heap_has(object, HEAP_KEYED) && !type_heap_has(object, HEAP_MAPS))
        diag_hint(s->diags, d, "one of its members is next(iter(x)), in order they are sorted(x)");
    return false;
}

/* The index of a deque is no slice; false after a message. */
static bool
fits_ring(Sema *s, const Node *at, const Type *object, const Type *index)
{
    if (!type_heap_has(object, HEAP_RING) || is_index(index))
        return true;
    sema_type_error(s, at, "sequence index must be integer, not %s",
                    index->kind == TY_SLICE ? "'slice'" : index->text);
    return false;
}

/* idx, which the node i is, as the index of an object of that type; is_read: of what is there. */
Sem
heap_needed_index(Sema *s, const Node *i, const Type *of, Sem idx, bool is_read)
{
    if (!is_read)
        sema_want_slice(s, i, of, idx);
    if (type_is_heap(of, &heap_tuple))
        return sema_need(s, i, idx, "TypeError",
                         "tuple indices must be integers or slices, not NoneType");
    if (type_heap_has(of, HEAP_ORDERED))
        return sema_need(s, i, idx, "TypeError",
                         "list indices must be integers or slices, not NoneType");
    if (type_heap_has(of, HEAP_RING))
        return sema_need(s, i, idx, "TypeError", "sequence index must be integer, not 'NoneType'");
    bool keyed = type_is_heap(of, &heap_dict) || type_is_heap(of, &heap_OrderedDict);
    if (is_read && keyed && type_resolve(s->tt, of->elems[0])->kind != TY_OPTIONAL)
        return sema_need(s, i, idx, "KeyError", "%s", "%(NNone%)"); /* no key of it is None */
    return idx;
}

Sem
sema_heap_subscript(Sema *s, const Node *e, Sem v, Sem idx)
{
    const Node *i = e->kid[1];
    bool ordered = type_heap_has(v.type, HEAP_ORDERED);
    if (!has_items(s, e, v.type, "is not subscriptable"))
        return sema_unknown(s);
    if (ordered && idx.type->kind == TY_SLICE && i->kind == N_Slice) {
        const Node *arg[4] = {e->kid[0], i->n > 0 ? i->kid[0] : NULL, i->n > 1 ? i->kid[1] : NULL,
                              i->n > 2 ? i->kid[2] : NULL};
        return heap_call_of(s, e, v.type, "slice", 4, arg);
    }
    if (ordered && is_index(idx.type))
        return sem_of(type_resolve(s->tt, v.type->elems[0]));
    if (ordered) {
        sema_bad_position(s, i, ((const HeapClass *)v.type->ref)->name, e->kid[0], idx.type);
        return sema_unknown(s);
    }
    if (!fits_ring(s, i, v.type, idx.type))
        return sema_unknown(s);
    const Node *arg[2] = {e->kid[0], i};
    return heap_call_of(s, e, v.type, "getitem", 2, arg);
}

/* x[a:b:c] = v: the call takes the list, the parts of the slice, and v. */
static void
store_slice(Sema *s, const Node *t, Sem obj, Sem idx, Sem v)
{
    const Node *i = t->kid[1];
    if (i->kind != N_Slice) {
        sema_bad_position(s, i, ((const HeapClass *)obj.type->ref)->name, t->kid[0], idx.type);
        return;
    }
    const FuncDef *fd = heap_lib_named(
        s, arena_printf(s->a, "_%s_setslice", heap_function_of(obj.type->ref, "setslice")));
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
        v = text_value(s, value, heap_value(s, value, v));
    if (value && sema_is_later(s, value, v))
        v = sema_unknown(s);
    idx = heap_needed_index(s, t->kid[1], obj.type, text_value(s, t->kid[1], idx), false);
    bool maps = type_heap_has(obj.type, HEAP_MAPS), ordered = type_heap_has(obj.type, HEAP_ORDERED);
    const Type *key = maps ? type_element(s->tt, idx.type) : NULL;
    if (!has_items(s, t, obj.type, "does not support item assignment"))
        return;
    if (sem_bad(v)) { /* the key is known all the same */
        if (key && heap_is_key(key))
            type_unify(s->tt, obj.type->elems[0], key);
        site_awaits(obj.type);
        return;
    }
    if (ordered && is_index(idx.type)) {
        if (heap_check_element(s, value ? value : t, obj.type,
                               type_resolve(s->tt, obj.type->elems[0]), v.type))
            info->type = type_resolve(s->tt, obj.type->elems[0]);
        return;
    }
    if (ordered) {
        store_slice(s, t, obj, idx, v);
        return;
    }
    if (!fits_ring(s, t->kid[1], obj.type, idx.type))
        return;
    const FuncDef *fd = heap_lib_named(
        s, arena_printf(s->a, "_%s_setitem", heap_function_of(obj.type->ref, "setitem")));
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
    const Method *m = type_class(obj.type) ? special_of(s, obj.type, "__delitem__") : NULL;
    if (m && m->def && obj.type->kind == TY_OBJ && i->kind != N_Slice)
        return special_call(s, t, m, 2, (const Node *const *)t->kid);
    if (type_is_optional(obj.type) && obj.type->elems[1]->kind == TY_REF)
        obj = sema_need(s, t->kid[0], obj, "TypeError",
                        "'NoneType' object does not support item deletion");
    if (obj.type->kind != TY_REF) {
        list_want_functions(s, obj.type);
        sema_type_error(s, t, "%s does not support item deletion", obj.type->text);
        return sema_unknown(s);
    }
    idx = heap_needed_index(s, i, obj.type, idx, true);
    sema_want_slice(s, i, obj.type, idx);
    if (!has_items(s, t, obj.type, "doesn't support item deletion"))
        return sema_unknown(s);
    if (idx.type->kind == TY_SLICE && i->kind == N_Slice) {
        const Node *arg[4] = {t->kid[0], i->n > 0 ? i->kid[0] : NULL, i->n > 1 ? i->kid[1] : NULL,
                              i->n > 2 ? i->kid[2] : NULL};
        return heap_call_of(s, t, obj.type, "delslice", 4, arg);
    }
    const Node *arg[2] = {t->kid[0], i};
    return heap_call_of(s, t, obj.type, "delitem", 2, arg);
}

/* May a function of the program that is called here put something in the place of x[i]? */
static bool
may_replace(Sema *s, const Node *n)
{
    const Call *c = n ? info_of(s, n)->call : NULL;
    const Inst *in = c && c->kind == CALL_INST && !c->inst->def->is_lib ? c->inst : NULL;
    bool may = n && (n->kind == N_NamedExpr || (in && in->def->n_free));
    for (int i = 0; in && !may && i < in->def->n_params; i++)
        may = in->params[i]->kind != TY_SCALAR && in->params[i]->kind != TY_ARRAY;
    for (int i = 0; n && !may && i < n->n; i++)
        may = may_replace(s, n->kid[i]);
    return may;
}

/* x[i] += v, of a list or dict in x: it is changed, and stays where it is. */
static void
aug_object(Sema *s, const Node *n, Sem old)
{
    const Node *t = n->kid[0];
    bool part = sema_known(s, t->kid[1]).type->kind == TY_SLICE;
    sema_set(s, t, old);
    Sem r = part || may_replace(s, n->kid[1]) ? (Sem){0} : heap_aug(s, n, old);
    if (r.type && (sem_bad(r) || r.type->kind == TY_NONE)) {
        info_of(s, n)->type = r.type;
        return;
    }
    Diag *d = sema_error(s, DIAG_unsupported, n, "%s= of an element that is %s here",
                         binop_text[n->op], old.type->text);
    diag_hint(s->diags, d, "give it a name first: v = x[i], v += ...");
}

/* x[i] += v */
void
heap_aug_place(Sema *s, const Node *n, Sem obj, Sem by)
{
    const Node *t = n->kid[0];
    Sem idx = heap_needed_index(s, t->kid[1], obj.type,
                                text_value(s, t->kid[1], sema_known(s, t->kid[1])), true);
    sema_want_slice(s, t->kid[1], obj.type, idx);
    Sem old = sema_heap_subscript(s, t, obj, idx);
    Call *before = info_of(s, t)->call, *call = NULL;
    if (sem_bad(old) || sem_bad(by))
        return;
    if (old.type->kind == TY_REF) {
        aug_object(s, n, old);
        return;
    }
    Sem v = expr_binop_values(s, n, n->op, old, by, &call);
    Info *info = info_of(s, n);
    info->call = call;
    info->type = v.type;
    if (type_is_array(old.type) && !sem_bad(v)) { /* in place, as NumPy does */
        if (old.type->readonly)
            sema_readonly(s, n, "assignment destination is read-only");
        else
            check_store(s, n, old.type, v, true);
        v = old;
    }
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
    const char *name = operator_name(obj.type, n->op);
    bool ordered = type_heap_has(obj.type, HEAP_ORDERED), one = by->kind == TY_REF;
    if (type_heap_has(obj.type, HEAP_FIXED)) { /* what can't change is replaced */
        Diag *d = sema_error(s, DIAG_unsupported, n, "%s= of a place that holds %s",
                             binop_text[n->op], obj.type->text);
        diag_hint(s->diags, d, "write out the assignment: x[i] = x[i] %s y", binop_text[n->op]);
        return sema_unknown(s);
    }
    if (ordered && n->op == B_ADD && heap_is_numpy(by)) {
        goes_to_numpy(s, n, "+=", obj.type, by);
        return sema_unknown(s);
    }
    if (ordered && n->op == B_MUL && is_index(by))
        return heap_call_of(s, n, obj.type, "imul", 2, arg);
    /* lists and dicts take any iterable, sets another set alone */
    if (name && (type_heap_has(obj.type, HEAP_ORDERED | HEAP_MAPS | HEAP_RING) ||
                 (one && has_base(by, obj.type))))
        return heap_call_of(s, n, obj.type, arena_printf(s->a, "i%s", name), 2, arg);
    return sema_bad_operands(s, n, n->op, operator_text(s, n, n->op), obj.type,
                             sema_known(s, n->kid[1]).type);
}
