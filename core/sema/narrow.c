/* SPDX-License-Identifier: BSD-3-Clause
 * Values that may be None. A test (`is None`, isinstance, truth, a comparison) narrows the names
 * that it looks at, and elements of tuples that they hold, on each of its branches: Slot.as is what
 * a variable's type is there. It ends where the name is bound again, or where paths meet that know
 * less. Where a value is needed and None is still possible, the node gets a Need: lowering tests
 * the tag and raises what CPython raises. */
#include "sema/internal.h"

enum { MAX_PATH = 4 }; /* t.a[1].b */

const Type *
slot_type(const Slot *slot)
{
    return slot->as ? slot->as : slot->var->type;
}

/* ---- what is needed -------------------------------------------------------------------------- */

/* What Python's messages call it: numbers of NumPy by their kind, since its operators fall back on
 * Python's. */
const char *
python_name(Sema *s, const Type *t)
{
    static const char *const kind[] = {
        "bool", "int", "int", "float", "complex", "numpy.datetime64", "numpy.timedelta64"};
    switch (t->kind) {
    case TY_SCALAR:
    case TY_ARRAY:
        return kind[dtype_kind((DType)t->dtype)];
    case TY_NONE:
        return "NoneType";
    case TY_TUPLE:
        return t->names    ? arena_printf(s->a, "%.*s", (int)strcspn(t->text, "("), t->text)
               : t->listed ? "list"
                           : "tuple";
    case TY_KEYED:
        return "dict";
    case TY_OPTIONAL:
        return python_name(s, t->elems[1]);
    default:
        return t->text;
    }
}

Sem
sema_need(Sema *s, const Node *e, Sem v, const char *exc, const char *fmt, ...)
{
    if (!type_is_optional(v.type))
        return v;
    va_list ap;
    StrBuf b = {0};
    va_start(ap, fmt);
    sb_vaddf(&b, fmt, ap);
    va_end(ap);
    Need *n = NEW(s->a, Need);
    *n = (Need){.from = v.type, .exc = exc, .text = sb_keep(&b, s->a)};
    Info *i = info_of(s, e);
    s->needs++;
    i->need = n;
    i->type = type_value(v.type);
    return sem_of(i->type);
}

/* What the library's function makes of it, a call of which stands for it from here on; with: its
 * second argument. No type: nothing could be made. */
Sem
sema_need_made(Sema *s, const Node *e, Sem v, const char *maker, const Const *with)
{
    const FuncDef *fd = heap_lib_named(s, maker);
    Sem second = with ? sem_const(s, with) : sem_of(type_none(s->tt));
    const Type *types[] = {type_resolve(s->tt, v.type), second.type};
    const Const *csts[] = {NULL, with ? second.cst : const_none(s)};
    Need *n = NEW(s->a, Need);
    *n = (Need){.from = v.type, .with = with};
    const Type *t = fd ? sema_call_inst(s, e, fd, 2, types, csts, &n->table) : NULL;
    if (!t || t->kind == TY_UNKNOWN)
        return (Sem){0};
    Info *i = info_of(s, e);
    i->need = n;
    i->cst = NULL;
    i->type = t;
    return sem_of(t);
}

/* ---- arguments of library functions ---------------------------------------------------------- */

/* What CPython says of None as the k-th argument, in the order of the table; NULL: the function
 * takes it. */
static const char *
python_refuses(Sema *s, const Call *c, int k)
{
    static const char *const integer = "'NoneType' object cannot be interpreted as an integer";
    static const char *const iterable = "'NoneType' object is not iterable";
    const char *op = c->fn->id == BI_py_divmod ? "divmod()" : "** or pow()";
    Sem other = sema_arg(s, c, !k);
    int first;
    switch (c->fn->id) {
    case BI_py_print:
    case BI_py_str:
    case BI_py_repr:
    case BI_py_isinstance:
    case BI_py_type: /* which refuses it itself */
    case BI_py_bool:
    case BI_py_slice:
    case BI_py_inline:
    case BI_py_static_types_eq:
        return NULL;
    case BI_py_abs:
        return "bad operand type for abs(): 'NoneType'";
    case BI_py_len:
        return "object of type 'NoneType' has no len()";
    case BI_py_round:
        return k ? integer : "type NoneType doesn't define __round__ method";
    case BI_py_reversed:
        return "'NoneType' object is not reversible";
    case BI_py_float:
        return "float() argument must be a string or a real number, not 'NoneType'";
    case BI_py_int:
        return "int() argument must be a string, a bytes-like object or a real number, not "
               "'NoneType'";
    case BI_py_divmod:
    case BI_py_pow:
        return arena_printf(s->a, "unsupported operand type(s) for %s: '%s' and '%s'", op,
                            k && other.type ? python_name(s, other.type) : "NoneType",
                            !k && other.type ? python_name(s, other.type) : "NoneType");
    case BI_py_min:
    case BI_py_max:
        first = builtin_params[c->fn->id].n;
        if (c->n_args == first + 1)
            return iterable;
        other = sema_arg(s, c, k > first ? k - 1 : first + 1);
        return arena_printf(s->a,
                            k > first
                                ? "'%s' not supported between instances of 'NoneType' and '%s'"
                                : "'%s' not supported between instances of '%s' and 'NoneType'",
                            c->fn->id == BI_py_min ? "<" : ">", python_name(s, other.type));
    case BI_py_all:
    case BI_py_any:
    case BI_py_sum:
    case BI_py_enumerate:
    case BI_py_zip:
    case BI_py_tuple:
    case BI_py_iter:
    case BI_py_list:
    case BI_py_dict:
    case BI_py_set:
    case BI_py_sorted:
        return iterable;
    case BI_py_next:
        return k ? NULL : "'NoneType' object is not an iterator";
    default:
        return integer;
    }
}

/* None as this argument means something of its own: which it is has to be known. */
static bool
means_something(Sema *s, const Node *at, const Call *c, int k)
{
    const RowParams *rp = &builtin_params[c->fn->id];
    if (k >= rp->n || !rp->at[k].none || c->fn->id == BI_np_random_seed)
        return c->fn->id == BI_np_random_seed;
    Diag *d = sema_error(s, DIAG_unsupported, at,
                         "'%s' may be None here, which has a meaning of its own", rp->at[k].name);
    diag_hint(s->diags, d, "test for None first, and call the function in each branch");
    return true;
}

/* May it change a list? Most functions of NumPy that an expression calls can't. */
bool
sema_may_change(Sema *s, const Node *n)
{
    if (!n || n->kind == N_Lambda)
        return false;
    if (n->kind == N_NamedExpr || n->kind == N_ListComp || n->kind == N_Attribute)
        return sema_has_effect(n);
    const Call *c = n->kind == N_Call ? info_of(s, n)->call : NULL;
    bool numpy = c && c->kind == CALL_BUILTIN &&
                 (c->fn->family == BF_NP || c->fn->family == BF_UFUNC || c->fn->family == BF_MATH);
    bool found = n->kind == N_Call && !numpy;
    for (int i = 0; i < n->n && !found; i++)
        found = sema_may_change(s, n->kid[i]);
    return found;
}

/* Does a function take the elements of a display one by one, as those of a tuple? */
static bool
takes_parts(const Call *c, int k)
{
    const RowParams *p = &builtin_params[c->fn->id];
    if (k >= p->n) /* a.reshape([2, 3]) */
        return c->fn->id == BI_np_method_reshape || c->fn->id == BI_np_method_transpose;
    ArgKind kind = p->at[k].kind;
    bool joined = k == 0 && c->fn->flags & ARRAYS && c->kind == CALL_INST;
    return kind == PK_PARTS || kind == PK_AXES || kind == PK_SHAPE || joined;
}

/* Its elements may be of different types. */
static void
display_as_tuple(Sema *s, const Node *e, Sem v)
{
    if (e->kind != N_List || v.type->kind != TY_LIST)
        return;
    v = list_as_tuple(s, e, v);
    if (v.type->kind == TY_TUPLE)
        sema_set(s, e, (Sem){type_tuple(s->tt, v.type->n, v.type->elems), v.cst});
}

static void
take_parts(Sema *s, const Call *c, int k, Sem v)
{
    const RowParams *p = &builtin_params[c->fn->id];
    bool sizes = k >= p->n || p->at[k].kind == PK_AXES || p->at[k].kind == PK_SHAPE;
    if (!takes_parts(c, k))
        return;
    display_as_tuple(s, c->arg[k], v);
    if (sizes)
        sema_list_as_sizes(s, c->arg[k]);
}

/* rng.normal(size=[2, 3]) */
void
sema_need_sizes(Sema *s, const FuncDef *method, const Call *c)
{
    for (int k = 0; k < c->n_args && k < method->n_params; k++) {
        if (!c->arg[k] || strcmp(method->params[k].name, "size") != 0)
            continue;
        display_as_tuple(s, c->arg[k], sema_known(s, c->arg[k]));
        sema_list_as_sizes(s, c->arg[k]);
    }
}

static bool
is_behind(const Node *n, const Node *of)
{
    return n->at.line > of->at.line || (n->at.line == of->at.line && n->at.col > of->at.col);
}

/* A display of numbers of unlike types, which no list holds. */
static bool
is_unlike(Sema *s, const Node *e)
{
    const Type *first = NULL;
    bool unlike = false;
    for (int i = 0; e->kind == N_List && i < e->n; i++) {
        const Type *t = e->kid[i]->kind == N_Starred ? NULL : sema_known(s, e->kid[i]).type;
        if (!t || (t->kind != TY_SCALAR && t->kind != TY_LIST && t->kind != TY_TUPLE))
            return false;
        unlike |= (first && t != first) || (t->kind == TY_LIST && is_unlike(s, e->kid[i]));
        first = t;
    }
    return unlike;
}

/* Such a display as a tuple, of which NumPy makes the same array. */
static Sem
as_tuple(Sema *s, const Node *e)
{
    const Type **t = NEW_N(s->a, const Type *, e->n + 1);
    for (int i = 0; i < e->n; i++)
        t[i] =
            e->kid[i]->kind == N_List ? as_tuple(s, e->kid[i]).type : sema_known(s, e->kid[i]).type;
    Sem v = sem_of(type_tuple(s->tt, e->n, t));
    sema_set(s, e, v);
    return v;
}

/* [a, b] of variables that are lists, or of ranges: no element changes another. */
static bool
is_of_lists(Sema *s, const Node *e)
{
    bool all = e->kind == N_List && e->n;
    for (int i = 0; all && i < e->n; i++) {
        const Node *k = e->kid[i];
        const Type *own = k->kind == N_Starred ? NULL : sema_known(s, k).type;
        bool range = own && own->kind == TY_RANGE;
        if (own && !range && k->kind != N_Name)
            own = NULL;
        if (own && !range)
            site_arrayed(own);
        all = range || (own && type_is_row(own) && !type_is_open(own));
    }
    return all;
}

/* Such a display where NumPy takes an array: a tuple of arrays, of which it makes the same. */
static bool
lists_as_arrays(Sema *s, const Node *e)
{
    const Type **t = NEW_N(s->a, const Type *, e->n + 1);
    for (int i = 0; i < e->n; i++) {
        t[i] = heap_as_array(s, e->kid[i], sema_known(s, e->kid[i])).type;
        if (t[i]->kind != TY_ARRAY)
            return false;
    }
    sema_set(s, e, sem_of(type_tuple(s->tt, e->n, t)));
    return true;
}

/* np.concatenate((x, [0.5])) of lists: of each the array that NumPy makes of it. */
static bool
parts_as_arrays(Sema *s, const Call *c, int k)
{
    const RowParams *p = &builtin_params[c->fn->id];
    const Node *e = c->arg[k];
    bool parts = k < p->n && (p->at[k].kind == PK_PARTS || (k == 0 && c->fn->flags & ARRAYS));
    if (!parts || (e->kind != N_List && e->kind != N_Tuple))
        return false;
    const Type **t = NEW_N(s->a, const Type *, e->n + 1);
    bool some = false;
    for (int i = 0; i < e->n; i++) {
        Sem v = sema_known(s, e->kid[i]);
        bool list = type_is_row(v.type) || v.type->kind == TY_LIST || v.type->kind == TY_RANGE;
        if (e->kid[i]->kind == N_Starred)
            return false;
        if (list)
            v = heap_as_array(s, e->kid[i], heap_value(s, e->kid[i], v));
        some |= list && v.type->kind == TY_ARRAY;
        t[i] = v.type;
    }
    if (some)
        sema_set(s, e, sem_of(type_tuple(s->tt, e->n, t)));
    return some;
}

/* A tuple of lists, of which NumPy makes the rows of an array. */
static bool
is_tuple_of_lists(const Type *t)
{
    bool all = t && t->kind == TY_TUPLE && t->n > 0, known = true;
    for (int i = 0; all && i < t->n; i++)
        all = type_is_row(t->elems[i]);
    for (int i = 0; all && i < t->n; i++) {
        known &= !type_is_open(t->elems[i]);
        if (type_is_heap(t->elems[i], &heap_list))
            site_arrayed(t->elems[i]);
    }
    return all && known;
}

/* A list where NumPy takes an array. What a function changes is no copy; and the copy is made
 * before the arguments that are written behind it are evaluated. */
static void
need_table(Sema *s, const Call *c, int k, Sem v)
{
    const RowParams *p = &builtin_params[c->fn->id];
    bool numpy = c->fn->family == BF_NP || c->fn->family == BF_UFUNC || c->fn->family == BF_LIB;
    bool changed = k == 0 && c->fn->flags & STORES;
    bool rows = v.type->kind == TY_TUPLE;
    bool itself = k == 0 && c->fn->flags & LISTS && v.type->kind != TY_RANGE && !rows &&
                  !type_is_array_array(v.type); /* with no more than a dtype: heap_array */
    for (int i = 2; itself && i < c->n_args; i++)
        itself = !c->arg[i];
    if (!numpy || k >= p->n || p->at[k].kind != PK_ARRAY || changed || itself)
        return;
    for (int i = 0; v.type->kind != TY_RANGE && i < c->n_args; i++)
        if (c->arg[i] && is_behind(c->arg[i], c->arg[k]) && sema_may_change(s, c->arg[i]))
            return;
    if (v.type->kind == TY_LIST && is_unlike(s, c->arg[k])) {
        as_tuple(s, c->arg[k]);
        return;
    }
    v = heap_value(s, c->arg[k], v);
    if (!sem_bad(v) && rows)
        sema_need_made(s, c->arg[k], v, "_rows_array", NULL);
    else if (!sem_bad(v))
        heap_as_array(s, c->arg[k], v);
}

/* Has what stands behind the tag of a None a hash? No key is None that is found by it. */
static bool
hashes_none(const Sema *s, const Type *t)
{
    t = type_value(t);
    return t->kind == TY_SCALAR || t->kind == TY_TEXT ||
           (t->kind == TY_OBJ && special_is_itself(s, t));
}

/* None where a library function is to have a value: refused when it comes. A list: see above. */
void
sema_need_args(Sema *s, const Call *c)
{
    for (int k = 0; k < c->n_args; k++) {
        const Node *e = c->arg[k];
        Sem v = e ? sema_known(s, e) : sema_unknown(s);
        const RowParams *rp = &builtin_params[c->fn->id];
        bool array = k < rp->n && rp->at[k].kind == PK_ARRAY && c->fn->family != BF_PY;
        if (array && e && is_of_lists(s, e) && lists_as_arrays(s, e))
            continue;
        if (e && parts_as_arrays(s, c, k))
            continue;
        if (type_is_row(v.type) || v.type->kind == TY_RANGE || type_is_array_array(v.type) ||
            (array && e && is_tuple_of_lists(v.type)) ||
            ((c->fn->family == BF_LIB || c->kind == CALL_INST) && v.type->kind == TY_LIST))
            need_table(s, c, k, v);
        if (e)
            take_parts(s, c, k, v);
        bool known = c->fn->id == BI_heap_ordered || c->fn->id == BI_heap_copies ||
                     c->fn->id == BI_heap_may_be_none || c->fn->id == BI_py_class_name;
        if (!type_is_optional(v.type) || known)
            continue;
        if (c->fn->family == BF_PY) {
            const char *text = python_refuses(s, c, k);
            if (text)
                sema_need(s, e, v, "TypeError", "%s", text);
        } else if ((c->fn->id == BI_heap_put || c->fn->id == BI_heap_fill) && k == 3 &&
                   heap_takes_none(s, c)) {
            continue;
        } else if (c->fn->id == BI_heap_hash_of && k == 1) {
            if (!heap_takes_none(s, c) && !hashes_none(s, v.type))
                sema_need(s, e, v, "TypeError", "None as a key of these is not supported");
        } else if (c->fn->family == BF_HEAP) {
            if (k == 3 && heap_begins_none(s, c))
                continue;
            sema_need(s, e, v, "TypeError",
                      "None as an element of a list or dict is not supported");
        } else if (c->fn->family == BF_MATH) {
            sema_need(s, e, v, "TypeError", "must be real number, not NoneType");
        } else if (c->fn->family == BF_UFUNC && c->fn->nin == 1 && k == 0) {
            sema_need(s, e, v, "TypeError",
                      "loop of ufunc does not support argument 0 of type NoneType which has "
                      "no callable %s method",
                      c->fn->name);
        } else if (!means_something(s, e, c, k)) {
            sema_need(s, e, v, "TypeError", "argument %d of %s%s() is None", k + 1, c->fn->prefix,
                      c->fn->name);
        }
    }
}

static Sem
need_position(Sema *s, const Node *e, Sem v)
{
    if (e->kind == N_List && v.type && v.type->n && v.type->elems[0]->kind != TY_SCALAR)
        v = heap_value(s, e, v);
    if (!sem_bad(v))
        v = heap_as_array(s, e, v); /* a list of indices */
    if (!type_is_optional(v.type) || v.type->elems[1]->kind != TY_SCALAR)
        return v;
    return sema_need(s, e, v, "TypeError", "an index that is None, a new axis, only at run time");
}

/* The index of an array: None is a new axis, so that which of both it is decides on the type. So
 * does the length of a tuple, of which only the run tells: it has one part for each axis. */
void
sema_need_index(Sema *s, const Node *index, const Type *of)
{
    Sem v = sema_known(s, index);
    if (type_is_heap(v.type, &heap_tuple) && (of->kind == TY_ARRAY || of->kind == TY_RECORD)) {
        sema_need_made(s, index, v, "_tuple_parts", const_int(s, of->ndim));
        return;
    }
    if (index->kind != N_Tuple || v.type->kind != TY_TUPLE || v.type->n != index->n) {
        need_position(s, index, v);
        return;
    }
    const Type **e = NEW_N(s->a, const Type *, v.type->n + 1);
    for (int i = 0; i < index->n; i++)
        e[i] = index->kid[i]->kind == N_Starred
                   ? v.type->elems[i]
                   : need_position(s, index->kid[i], sema_known(s, index->kid[i])).type;
    sema_set(s, index, (Sem){type_tuple(s->tt, v.type->n, e), v.cst});
}

/* ---- the places that a test is about --------------------------------------------------------- */

typedef struct Where {
    Slot *slot;
    int path[MAX_PATH], n;
} Where;

static const Type *
type_at(const Where *w)
{
    const Type *t = slot_type(w->slot);
    for (int i = 0; i < w->n; i++)
        t = t->elems[w->path[i]];
    return t;
}

static int
element(Sema *s, const Node *e, const Type *t)
{
    int64_t k;
    if (t->kind != TY_TUPLE)
        return -1;
    if (e->kind == N_Attribute)
        return t->names && !special_of(s, t, e->name) ? type_field(t, e->name) : -1;
    if (special_of(s, t, "__getitem__"))
        return -1;
    if (!const_as_int(sema_known(s, e->kid[1]).cst, &k) || k < -t->n || k >= t->n)
        return -1;
    return (int)(k < 0 ? k + t->n : k);
}

static bool
find_place(Sema *s, const Node *e, Where *w)
{
    if (e->kind == N_NamedExpr)
        return find_place(s, e->kid[0], w);
    if (e->kind == N_Name) {
        *w = (Where){.slot = env_find(s, e->name)};
        return w->slot && w->slot->var && !w->slot->clash;
    }
    if ((e->kind != N_Attribute && e->kind != N_Subscript) || !find_place(s, e->kid[0], w) ||
        w->n == MAX_PATH)
        return false;
    int k = element(s, e, type_at(w));
    w->path[w->n++] = k;
    return k >= 0;
}

static const Type *
left_of(Sema *s, const Type *t, bool none)
{
    return !type_is_optional(t) ? t : none ? type_none(s->tt) : t->elems[1];
}

static const Type *
replaced(Sema *s, const Type *t, const Where *w, int k, const Type *by)
{
    if (k == w->n)
        return by;
    const Type **e = arena_dup(s->a, t->elems, sizeof *t->elems * (size_t)t->n);
    e[w->path[k]] = replaced(s, e[w->path[k]], w, k + 1, by);
    return t->names ? type_with_elems(s->tt, t, t->ndim, e, t->names)
                    : type_tuple_as(s->tt, t, t->n, e);
}

static void
narrow_to(Sema *s, Where *w, const Type *by)
{
    const Type *t = replaced(s, slot_type(w->slot), w, 0, by);
    w->slot->as = t == w->slot->var->type ? NULL : t;
}

/* `none`: it is None here; else it is not. */
static void
narrow_place(Sema *s, const Node *e, bool none)
{
    Where w;
    if (find_place(s, e, &w))
        narrow_to(s, &w, left_of(s, type_at(&w), none));
}

/* isinstance(x, C), type(x) is C. False: what it is about is not of one type or another. */
static bool
narrow_members(Sema *s, const Call *c, bool truth)
{
    Where w;
    const Type *t = c->arg[0] && find_place(s, c->arg[0], &w) ? type_at(&w) : NULL;
    const Type *left = t ? either_left(s, t, c, truth) : NULL;
    if (left)
        narrow_to(s, &w, left);
    return left != NULL;
}

/* ---- what a test tells ----------------------------------------------------------------------- */

/* Of names that `:=` binds in an operand, what operands before it told is of what they were. */
static void
forget_bound(Sema *s, const Node *operand, const Env *known)
{
    if (!operand || operand->kind == N_Lambda)
        return;
    for (int i = 0; i < operand->n; i++)
        forget_bound(s, operand->kid[i], known);
    if (operand->kind != N_NamedExpr)
        return;
    int k = env_index(s, env_resolve(s, operand->kid[0]->name));
    Env *now = &s->fr->env;
    if (k < now->n && k < known->n && now->slot[k].var == known->slot[k].var)
        now->slot[k].as = known->slot[k].as;
}

static void
narrow_compare(Sema *s, const Node *e, bool truth)
{
    int op = e->ops[0];
    const Call *c = info_of(s, e)->call;
    if (c && c->kind == CALL_BUILTIN && c->fn->id == BI_py_isinstance) {
        narrow_members(s, c, truth);
        return;
    }
    Env known = env_copy(s, &s->fr->env);
    bool equal = op == C_IS || op == C_EQ, differ = op == C_ISNOT || op == C_NE;
    for (int i = 0; i < 2 && e->n == 2; i++) {
        if (i)
            forget_bound(s, e->kid[1], &known);
        const Type *other = sema_known(s, e->kid[!i]).type;
        if (equal || differ) {
            bool same = equal == truth;
            if (other->kind == TY_NONE)
                narrow_place(s, e->kid[i], same);
            else if (same && !type_is_optional(other) && other->kind != TY_UNKNOWN)
                narrow_place(s, e->kid[i], false);
        } else if (op != C_IN && op != C_NOTIN) { /* an order: None has raised */
            narrow_place(s, e->kid[i], false);
        }
    }
}

static void
narrow_call(Sema *s, const Node *e, bool truth)
{
    const Info *i = info_of(s, e);
    const Call *c = i->call;
    if (!c || c->n_args < 1 || !c->arg[0] || c->splat)
        return;
    bool asks = c->kind == CALL_BUILTIN && c->fn->id == BI_py_isinstance && !i->cst;
    if (asks && !narrow_members(s, c, truth))
        narrow_place(s, c->arg[0], !truth);
    if (c->kind == CALL_CAST && i->type && i->type->kind == TY_SCALAR && i->type->dtype == DT_bool)
        sema_narrow(s, c->arg[0], truth);
}

/* Of truth: what is false may be None or zero, but for what is never false. */
static void
narrow_truth(Sema *s, const Node *e, bool truth)
{
    Where w;
    if (!find_place(s, e, &w) || !type_is_optional(type_at(&w)))
        return;
    const Type *t = type_value(type_at(&w));
    if (truth || (t->kind == TY_TUPLE && t->n > 0))
        narrow_place(s, e, !truth);
}

static void
narrow_all(Sema *s, const Node *e, bool truth)
{
    Env known = env_copy(s, &s->fr->env);
    for (int i = 0; i < e->n; i++) {
        forget_bound(s, e->kid[i], &known);
        sema_narrow(s, e->kid[i], truth);
    }
}

/* All the ways in which an operand decides: what each of them knows, in common. */
static void
narrow_any(Sema *s, const Node *e, bool truth)
{
    Env run = env_copy(s, &s->fr->env), known = env_copy(s, &run), out = {0};
    for (int i = 0; i < e->n; i++) {
        s->fr->env = run;
        forget_bound(s, e->kid[i], &known);
        run = s->fr->env;
        s->fr->env = env_copy(s, &run);
        sema_narrow(s, e->kid[i], truth);
        if (i)
            env_common(s, &out, &s->fr->env);
        else
            out = s->fr->env;
        s->fr->env = run;
        sema_narrow(s, e->kid[i], !truth);
        run = s->fr->env;
    }
    s->fr->env = out;
}

void
sema_narrow(Sema *s, const Node *e, bool truth)
{
    if (!s->fr->optional || info_of(s, e)->dead)
        return;
    switch (e->kind) {
    case N_Name:
    case N_Attribute:
    case N_Subscript:
    case N_NamedExpr:
        narrow_truth(s, e, truth);
        break;
    case N_UnaryOp:
        if (e->op == U_NOT)
            sema_narrow(s, e->kid[0], !truth);
        break;
    case N_BoolOp:
        if ((e->op == 0) != truth) {
            narrow_any(s, e, truth);
            break;
        }
        narrow_all(s, e, truth);
        break;
    case N_Compare:
        narrow_compare(s, e, truth);
        break;
    case N_Call:
        narrow_call(s, e, truth);
        break;
    default:
        break;
    }
}

/* The operand of `and` or `or` (op) where it is the result: true, or false. */
const Type *
sema_decided(Sema *s, const Type *t, int op)
{
    if (!type_is_optional(t))
        return t;
    const Type *v = t->elems[1];
    bool never_false = v->kind == TY_TUPLE && v->n > 0;
    return op ? v : never_false ? type_none(s->tt) : t;
}

/* ---- environments ---------------------------------------------------------------------------- */

/* What is known of each value on both paths. */
void
env_common(Sema *s, Env *to, const Env *b)
{
    for (int i = 0; i < to->n && i < b->n; i++) {
        Slot *x = &to->slot[i];
        const Slot *y = &b->slot[i];
        if (!x->var || x->var != y->var || (!x->as && !y->as))
            continue;
        const Type *t = type_join(s->tt, slot_type(x), slot_type(y));
        x->as = t == x->var->type ? NULL : t;
    }
}

/* Names that hold what they held then are known as well as they were then. */
void
env_unnarrow(Sema *s, const Env *then)
{
    Env *now = &s->fr->env;
    for (int i = 0; i < now->n && i < then->n; i++)
        if (now->slot[i].serial == then->slot[i].serial && now->slot[i].var == then->slot[i].var)
            now->slot[i].as = then->slot[i].as;
}
