/* SPDX-License-Identifier: BSD-3-Clause
 * Python's builtins. Takes the bound call; yields the type of what CPython would return:
 * a builtin on Python scalars is Python's, on NumPy values it is what their methods do.
 * len of a tuple and isinstance are known here, so that `if isinstance(x, tuple)` chooses
 * a branch at compile time. */
#include "sema/calls.h"
#include "sema/fold.h"

static const Type *
weak(CallCx *x, DType d)
{
    return type_scalar(x->s->tt, d, true);
}

static Sem
arg_k(CallCx *x, int k)
{
    return sema_arg(x->s, x->c, k);
}

static const Builtin *
np_row(BuiltinId id)
{
    return &builtin_table[id];
}

/* ---- numbers ---- */

static const Type *
as_operator(CallCx *x, const Builtin *fn, int n)
{
    const Type *t[2];
    const Const *c[2];
    for (int k = 0; k < n; k++) {
        t[k] = arg_k(x, k).type;
        c[k] = arg_k(x, k).cst;
    }
    if (fn->rule == UR_POWER)
        t[1] = exponent_type(x->s, t[0], t[1], c[1]);
    x->c->fn = x->fn;
    return operator_type(x->s, x->at, fn, n, t, c, x->c);
}

/* A result known to be an int beyond int64: reported. */
static const Type *
unless_big(CallCx *x, const Const *k, const Type *t)
{
    if (!t || !const_has_big(k))
        return t;
    big_report(x->s, x->at, k);
    return NULL;
}

const Type *
type_py_abs(CallCx *x)
{
    int64_t i;
    const Type *t = as_operator(x, np_row(BI_np_absolute), 1);
    const Const *c = t ? arg_k(x, 0).cst : NULL;
    bool neg = c && c->kind == CV_INT && const_as_int(c, &i) && i < 0;
    return unless_big(x, neg ? fold_unary(x->s, U_NEG, c) : NULL, t);
}

const Type *
type_py_pow(CallCx *x)
{
    Sem mod = arg_of(x, "mod");
    if (!mod.type) {
        const Type *t = as_operator(x, np_row(BI_np_power), 2);
        return unless_big(x, t ? fold_binop(x->s, B_POW, arg_k(x, 0).cst, arg_k(x, 1).cst) : NULL,
                          t);
    }
    return heap_call(x->s, x->at, "_pow_mod", 3, x->c->arg).type;
}

/* round(x) is an int; round(x, n) keeps the type. A NumPy scalar without ndigits gives a
 * Python int. */
const Type *
type_py_round(CallCx *x)
{
    ArrayLike a;
    Sem v = arg_k(x, 0), digits = arg_of(x, "ndigits");
    if (!v.type || !as_array(v.type, &a) || !a.scalar || dtype_is_complex(a.d) ||
        (a.d == DT_bool && !a.weak)) {
        Diag *g = sema_error(x->s, DIAG_argument, x->at, "round() takes a real number, not %s",
                             v.type ? v.type->text : "nothing");
        if (v.type && v.type->kind == TY_ARRAY)
            diag_hint(x->s->diags, g, "for arrays use np.round");
        return NULL;
    }
    if (digits.type && !is_int_type(digits.type))
        return wrong_type(x, "ndigits", "an integer", digits.type);
    if (!digits.type || (a.weak && a.d != DT_f64))
        return weak(x, DT_i64);
    return a.type;
}

/* ---- iterables ---- */

bool
sema_is_iterable(const Type *t)
{
    return t && ((type_has_parts(t) && t->kind != TY_KEYED) || type_is_str(t) ||
                 t->kind == TY_LIST || t->kind == TY_REF || t->kind == TY_RANGE ||
                 t->kind == TY_ITER || (t->kind == TY_ARRAY && t->ndim > 0));
}

static const Type *
element(CallCx *x, Sem v)
{
    if (!sema_is_iterable(v.type))
        return sema_not_gone_through(x, v.type);
    const Type *t = sema_iter_elem(x->s, x->at, v.type);
    return t->kind == TY_UNKNOWN ? NULL : t;
}

const Type *
type_py_truth(CallCx *x)
{
    Sem v = arg_k(x, 0);
    const Type *t;
    if (v.type && v.type->kind == TY_TUPLE && v.type->n == 0) {
        x->cst = const_bool(x->s, x->fn->op == OP_and);
        return weak(x, DT_bool);
    }
    if (!(t = element(x, v)))
        return NULL;
    if (t->kind == TY_ARRAY && t->ndim) {
        Diag *g = sema_error(x->s, DIAG_value, x->at,
                             "the truth value of an array with more than one element is "
                             "ambiguous");
        diag_hint(x->s->diags, g, "use np.%s", x->fn->name);
        return NULL;
    }
    return weak(x, DT_bool);
}

/* Of what is no number: info->before adds the elements up with their own +, those of a tuple one
 * by one, others as a list. */
static const Type *
sum_of_others(CallCx *x, Sem v, Sem start)
{
    const Node *first = sema_arg_node(x->c, 1);
    bool tuple = v.type->kind == TY_TUPLE && !v.type->listed;
    const Type *all = tuple ? v.type : heap_list_from(x->s, x->at, sema_arg_node(x->c, 0), v);
    if (!all)
        return NULL;
    if (!start.type)
        start = (Sem){.type = weak(x, DT_i64), .cst = const_int(x->s, 0)};
    else if (heap_is_list(start))
        start = heap_value(x->s, first, start);
    if (!tuple && type_is_heap(start.type, &heap_list))
        type_unify(x->s->tt, start.type, all->elems[0]);
    start.type = type_resolve(x->s->tt, start.type);
    return heap_sum(x->s, x->at,
                    tuple                           ? "_tuple_sum"
                    : start.type->kind == TY_SCALAR ? "_list_sum"
                                                    : "_list_sum_from",
                    all, start);
}

/* sum adds the elements to start, 0 unless given, with Python's +: small ints do not
 * widen. */
const Type *
type_py_sum(CallCx *x)
{
    Sem v = arg_k(x, 0), start = arg_of(x, "start");
    const Type *total = start.type ? start.type : weak(x, DT_i64), *t;
    if (refuses_none(x, "start", "unsupported operand type(s) for +: 'NoneType' and a number"))
        return NULL;
    if (!start.type && v.type && v.type->kind == TY_TUPLE && v.type->n == 0) {
        x->cst = const_int(x->s, 0);
        return total;
    }
    bool parts = v.type && v.type->kind == TY_TUPLE && !v.type->listed;
    bool others = parts && start.type && start.type->kind != TY_SCALAR;
    for (int i = 0; parts && i < v.type->n; i++)
        others |= v.type->elems[i]->kind == TY_ARRAY || v.type->elems[i]->kind == TY_REF;
    if (others)
        return sum_of_others(x, v, start);
    if (!(t = element(x, v)))
        return NULL;
    if (type_is_str(t) || type_is_str(total)) {
        Diag *g = sema_type_error(x->s, x->at, "sum() can't sum strings");
        diag_hint(x->s->diags, g, "use ''.join(seq)");
        return NULL;
    }
    ArrayLike a, b;
    if (!as_array(t, &a) || !as_array(total, &b) || b.ndim ||
        (a.ndim && (start.type || v.type->kind != TY_ARRAY)))
        return sum_of_others(x, v, start);
    DType d[2] = {a.d, b.d};
    bool w[2] = {a.weak, b.weak};
    DType r = dtype_promote_mixed(2, d, w);
    if (a.weak && b.weak)
        return weak(x, r == DT_bool ? DT_i64 : r);
    return a.ndim ? new_array(x, r, a.ndim, LAY_C) : type_scalar(x->s->tt, r, false);
}

static const Type *
unpacked(CallCx *x)
{
    Diag *d = sema_error(x->s, DIAG_unsupported, x->c->splat,
                         "an unpacked tuple as arguments of %s() is not supported", x->fn->name);
    diag_hint(x->s->diags, d, "write the arguments one by one");
    return NULL;
}

/* default=None is one, too. */
static Sem
default_of(CallCx *x)
{
    int k = row_param(x->fn, "default");
    return sema_arg_node(x->c, k) ? sema_arg(x->s, x->c, k) : (Sem){0};
}

/* Of what one argument yields: asked for by key or default, or of what is no number. */
static const Type *
extreme_of_list(CallCx *x, int first)
{
    Sem v = arg_k(x, first);
    if (!v.type || !sema_is_iterable(v.type))
        return complain(x, v.type, "an iterable");
    const Type *list = heap_list_from(x->s, x->at, x->c->arg[first], v);
    return list ? heap_extreme(x->s, x->at, list, x->fn->name, arg_of(x, "key"), default_of(x))
                : NULL;
}

static bool
is_ordered(const Sema *s, const Type *t) /* beside numbers */
{
    bool own = t->kind == TY_OBJ && (special_of(s, t, "__lt__") || special_of(s, t, "__gt__"));
    return own || t->kind == TY_TUPLE || t->kind == TY_LIST || type_is_row(t) || type_is_str(t) ||
           type_is_bytes(t);
}

/* max(x, y, key=f), of tuples or lists: as of [x, y]. */
static const Type *
extreme_of_several(CallCx *x, int first)
{
    const Type *all = NULL;
    if (default_of(x).type) {
        sema_type_error(x->s, x->at,
                        "Cannot specify a default for %s() with multiple positional "
                        "arguments",
                        x->fn->name);
        return NULL;
    }
    for (int k = first; k < x->c->n_args; k++) {
        const Node *e = sema_arg_node(x->c, k);
        if (!e || x->c->splat)
            return complain(x, NULL, "arguments that are written out, with key=");
        const Type *t = type_resolve(x->s->tt, heap_value(x->s, e, arg_k(x, k)).type);
        const Type *elem = type_element(x->s->tt, t);
        const Type *both = all && elem ? type_widest(x->s->tt, all, elem) : elem;
        if (!both && all && elem)
            return sema_no_extreme(x, elem, all);
        if (!both)
            return complain(x, t, "values of one type");
        all = type_of_numpy(x->s->tt, both, elem);
    }
    return heap_extreme(x->s, x->at, type_heap(x->s->tt, &heap_list, &all), x->fn->name,
                        arg_of(x, "key"), (Sem){0});
}

/* min and max return one of their operands: the type that holds each. */
const Type *
type_py_extreme(CallCx *x)
{
    int first = builtin_params[x->fn->id].n, n = x->c->n_args - first;
    const Type *t = NULL;
    Sem key = arg_of(x, "key");
    bool by = default_of(x).type || (key.type && key.type->kind != TY_NONE);
    if (n == 0)
        return complain(x, NULL, "at least one argument");
    if (n == 1 && x->c->splat)
        return unpacked(x);
    bool ordered = false;
    for (int k = 0; k < n && n > 1; k++)
        ordered |= is_ordered(x->s, type_value(arg_k(x, first + k).type));
    if (n > 1 && (by || ordered))
        return extreme_of_several(x, first);
    if (by)
        return extreme_of_list(x, first);
    if (n == 1) {
        Sem v = arg_k(x, first);
        if (v.type && v.type->kind == TY_TUPLE && v.type->n == 0) {
            bool least = x->fn->id == BI_py_min;
            sema_error(x->s, DIAG_value, x->at, "%s", text_of_empty(x->s->cx->opt, least));
            return NULL;
        }
        t = element(x, v);
        if (!t)
            return NULL;
        bool whole = t->kind == TY_OBJ || t->kind == TY_TUPLE || type_is_str(t) ||
                     type_is_bytes(t) || type_is_row(t) || type_is_heap(t, &heap_tuple);
        if (is_ordered(x->s, t) && (v.type->kind != TY_TUPLE || whole))
            return extreme_of_list(x, first);
    }
    for (int k = 0; k < n && n > 1; k++) {
        Sem v = arg_k(x, first + k);
        if (v.type->kind != TY_SCALAR && !is_real_type(v.type)) {
            t = v.type;
            break;
        }
        if (!type_is_int_member(v.type))
            v.type = type_scalar(x->s->tt, (DType)v.type->dtype, v.type->weak);
        t = t ? type_join(x->s->tt, t, v.type) : v.type;
    }
    if (t && is_real_type(t))
        return t;
    Diag *g = sema_error(x->s, DIAG_argument, x->at, "%s() compares real numbers, not %s",
                         x->fn->name, t ? t->text : "these");
    if (t && t->kind == TY_OBJ)
        diag_hint(x->s->diags, g, "write a __lt__ and a __gt__, or give it a key=");
    else if (t && t->kind == TY_ARRAY)
        diag_hint(x->s->diags, g, "use np.%s for one array, np.%simum for two", x->fn->name,
                  x->fn->name);
    return NULL;
}

const Type *
type_py_len(CallCx *x)
{
    Sem v = arg_k(x, 0);
    const Node *of = sema_arg_node(x->c, 0);
    if (of && of->kind == N_ListComp && of->op == 1) {
        sema_type_error(x->s, x->at, "object of type 'generator' has no len()");
        return NULL;
    }
    if (v.type &&
        (v.type->kind == TY_TUPLE || v.type->kind == TY_KEYED ||
         ((v.type->kind == TY_CHOICE || v.type->kind == TY_EITHER) && x->s->fr->in->def->is_lib)))
        x->cst = const_int(x->s, v.type->n);
    else if (v.type && v.type->kind == TY_OBJ && keyed_class(v.type))
        x->cst = const_int(x->s, keyed_class(v.type)->n);
    else if (v.cst && v.cst->kind == CV_STR)
        x->cst = const_int(x->s, (int64_t)v.cst->str_len);
    else if (!v.type ||
             (v.type->kind != TY_RANGE && v.type->kind != TY_TEXT && v.type->kind != TY_LIST &&
              v.type->kind != TY_REF &&
              ((v.type->kind != TY_ARRAY && v.type->kind != TY_RECORD) || v.type->ndim == 0)))
        return sema_no_length(x->s, x->at, of, v.type);
    if (v.cst && v.cst->kind == CV_STR) /* code points, not bytes */
        for (size_t k = 0; k < v.cst->str_len; k++)
            if (((unsigned char)v.cst->str[k] & 0xc0) == 0x80)
                x->cst = const_int(x->s, x->cst->i - 1);
    return weak(x, DT_i64);
}

const Type *
type_py_range(CallCx *x)
{
    int n = x->c->n_args;
    if (n < 1 || n > 3)
        return complain(x, NULL, "1 to 3 integers");
    for (int k = 0; k < n; k++) {
        Sem v = arg_k(x, k);
        if (!v.type || !is_int_type(v.type)) {
            const Node *at = sema_arg_node(x->c, k);
            Diag *g =
                sema_error(x->s, DIAG_argument, at ? at : x->at, "%s() takes integers, not %s",
                           x->fn->name, v.type ? v.type->text : "nothing");
            if (v.type && is_real_type(v.type))
                diag_hint(x->s->diags, g, "convert it with int(...)");
            else if (v.type)
                advise_number(x->s, g, at, v.type);
            return NULL;
        }
    }
    int64_t step;
    Sem v = n == 3 ? arg_k(x, 2) : (Sem){0};
    if (v.cst && const_as_int(v.cst, &step) && step == 0) {
        sema_error(x->s, DIAG_value, x->at, "range() arg 3 must not be zero");
        return NULL;
    }
    return type_range(x->s->tt);
}

/* iter, enumerate, zip, reversed */
const Type *
type_py_iterator(CallCx *x)
{
    bool zip = x->fn->id == BI_py_zip, strict = false;
    int first = zip ? args_after(x) : 0, n = zip ? x->c->n_args - first : 1;
    const Type **t = NEW_N(x->s->a, const Type *, n + 1);
    for (int k = 0; k < n; k++) {
        Sem v = arg_k(x, first + k);
        if ((x->fn->id == BI_py_iter || x->fn->id == BI_py_reversed) && v.type && x->c->arg[k])
            v = heap_value(x->s, x->c->arg[k], v);
        if (v.type && v.type->kind == TY_STR && x->c->arg[first + k])
            v = text_value(x->s, x->c->arg[first + k], v);
        if (v.type && call_splat_elem(x->c, first + k) >= 0 && type_heap_has(v.type, HEAP_KEYED))
            return complain(x, v.type, "a tuple, an array or a range where they are unpacked");
        if (!sema_is_iterable(v.type) ||
            ((v.type->kind == TY_ITER || v.type->kind == TY_LIST) && x->fn->id == BI_py_reversed))
            return complain(x, v.type,
                            x->fn->id == BI_py_iter ? "an iterable"
                                                    : "a tuple, an array or a range");
        if (x->fn->id == BI_py_iter && type_heap_has(v.type, HEAP_KEYED)) {
            bool maps = type_heap_has(v.type, HEAP_MAPS);
            Diag *g = sema_error(x->s, DIAG_unsupported, x->at, "iter() of a %s is not supported",
                                 ((const HeapClass *)v.type->ref)->name);
            diag_hint(x->s->diags, g, maps ? "write iter(d.keys())" : "write iter(list(x))");
            return NULL;
        }
        t[k] = v.type;
    }
    if (zip && !arg_flag(x, "strict", false, &strict))
        return NULL;
    Sem start = arg_of(x, "start");
    if (x->fn->id == BI_py_enumerate &&
        refuses_none(x, "start", "'NoneType' object cannot be interpreted as an integer"))
        return NULL;
    if (start.type && !is_int_type(start.type))
        return wrong_type(x, "start", "an integer", start.type);
    if (n > 60) {
        sema_error(x->s, DIAG_unsupported, x->at, "zip() of %d iterables", n);
        return NULL;
    }
    if (x->fn->id == BI_py_iter)
        return type_iterator(x->s->tt, t[0]);
    return type_iter(x->s->tt, x->fn, n, t, strict);
}

/* map, filter: calls of these have become generator expressions (py/resolve.c). */
const Type *
type_py_generated(CallCx *x)
{
    Diag *g = sema_error(x->s, DIAG_unsupported, x->at,
                         "%s() of what is not a name, an attribute or a lambda is not supported",
                         x->fn->name);
    diag_hint(x->s->diags, g, "give the function a name, or write a generator expression");
    return NULL;
}

/* ord, chr: calls of functions of the library: see sema/text.c. */
const Type *
type_py_text(CallCx *x)
{
    return complain(x, NULL, "one argument");
}

/* str, repr of a value, as a part of a message: there are no other strings at run time. */
const Type *
type_py_str(CallCx *x)
{
    bool str = x->fn->id == BI_py_str;
    if (!arg_k(x, 0).type) {
        x->cst = const_str(x->s, "");
        return const_type(x->s->tt, x->cst);
    }
    Sem v = object_shown(x->s, x->c->arg[0], arg_k(x, 0), str ? "_str_str" : "_str_repr");
    v = heap_shown(x->s, x->c->arg[0], v);
    if (str && v.cst && v.cst->kind == CV_STR)
        x->cst = v.cst;
    if (v.type && (sema_has_repr(v.type) || type_is_str(v.type) || raised_is_value(v.type)))
        return type_other(x->s->tt, TY_STR, NULL, 0, NULL, NULL);
    sema_error(x->s, DIAG_unsupported, x->at, "%s() of %s is not supported", x->fn->name,
               v.type ? v.type->text : "nothing");
    return NULL;
}

const Type *
type_py_next(CallCx *x)
{
    const Node *e = x->c->arg[0];
    Sem v = arg_k(x, 0), dflt = arg_k(x, 1);
    bool generator = e && e->kind == N_ListComp && e->op == 1;
    if (v.type && v.type->kind != TY_ITER && !generator) {
        Diag *g = sema_type_error(x->s, x->at, "%s is not an iterator", v.type->text);
        diag_hint(x->s->diags, g, "iter(...) makes one");
        return NULL;
    }
    const Type *t = v.type && sema_iter_empty(v.type) ? type_none(x->s->tt) : element(x, v), *j;
    if (!t)
        return NULL;
    if (t->kind == TY_NONE) {
        sema_error(x->s, DIAG_unsupported, x->at, "next() of what is known to be empty");
        return NULL;
    }
    if (t->kind == TY_ITER || iter_yields_passing(t)) {
        sema_error(x->s, DIAG_unsupported, x->at, "next() of what yields %s is not supported",
                   t->text);
        return NULL;
    }
    if (!dflt.type)
        return t;
    if ((j = type_join(x->s->tt, t, dflt.type)))
        return j;
    Diag *g = sema_error(x->s, DIAG_type_changes, x->at,
                         "next() yields %s here, and its default is %s", t->text, dflt.type->text);
    diag_hint(x->s->diags, g, "make them one type");
    return NULL;
}

const Type *
type_py_slice(CallCx *x)
{
    int n = x->c->n_args, to = n == 1;
    const Type *none = type_none(x->s->tt), *e[3] = {none, none, none};
    if (n < 1 || n > 3)
        return complain(x, NULL, "1 to 3 integers");
    for (int k = 0; k < n; k++) {
        Sem v = arg_k(x, k);
        if (!v.type || (v.type->kind != TY_NONE && !is_int_type(type_value(v.type))))
            return complain(x, v.type, "integers or None");
        e[to++] = v.type;
    }
    return type_other(x->s->tt, TY_SLICE, NULL, 3, e, NULL);
}

const Type *
type_py_tuple(CallCx *x)
{
    Sem v = arg_k(x, 0);
    if (!v.type)
        return type_tuple(x->s->tt, 0, NULL);
    if (v.type->kind == TY_TUPLE) {
        if (!v.type->names && v.cst)
            x->cst = const_tuple(x->s, v.cst->n, v.cst->elems);
        for (int i = 0; i < v.type->n; i++)
            if (v.type->elems[i]->kind == TY_LIST) /* a generator expression has no variables */
                return complain(x, v.type, "an iterable of values that can be kept");
        return type_tuple(x->s->tt, v.type->n, v.type->elems);
    }
    x->cst = sema_range_tuple(x->s, x->c->arg[0]);
    if (x->cst)
        return sem_const(x->s, x->cst).type;
    bool wanted = x->s->unroll.loop != NULL;
    sema_want_display(x->s, x->c->arg[0]);
    /* which numbers its conditions leave, an argument may say */
    if (x->c->arg[0]->kind == N_ListComp)
        x->s->cx->wants |= WANT_NUMBER;
    if (!wanted && x->s->unroll.loop) { /* it is known how many there are */
        sema_error(x->s, DIAG_unsupported, x->at, "tuple() of %s is not supported", v.type->text);
        return NULL;
    }
    if (!sema_is_iterable(v.type))
        return complain(x, v.type, "an iterable");
    const Type *list = heap_list_from(x->s, x->at, x->c->arg[0], v);
    return list ? type_heap(x->s->tt, &heap_tuple, list->elems) : NULL;
}

/* ---- classes ---- */

/* Is a value of type t an instance of the NumPy class that a row stands for? */
static bool
is_np_class(const Builtin *cls, const Type *t)
{
    if (t->kind == TY_ARRAY)
        return cls->rule & CLASS_ARRAY;
    if (cls->id == BI_np_dtype)
        return t->kind == TY_DTYPE && !t->readonly;
    return t->kind == TY_SCALAR && !t->weak && cls->rule >> dtype_kind((DType)t->dtype) & 1;
}

/* bool is an int, np.float64 a float and np.complex128 a complex; nothing else crosses.
 */
static bool
is_dtype_class(const Type *cls, const Type *t)
{
    if (t->kind != TY_SCALAR)
        return false;
    if (!cls->weak && dtype_is_param((DType)cls->dtype)) /* np.datetime64, of any unit */
        return dtype_kind((DType)t->dtype) == dtype_kind((DType)cls->dtype);
    if (!cls->weak)
        return !t->weak && t->dtype == cls->dtype;
    if (t->weak)
        return t->dtype == cls->dtype || (cls->dtype == DT_i64 && t->dtype == DT_bool);
    return t->dtype == cls->dtype && (t->dtype == DT_f64 || t->dtype == DT_c128);
}

int
py_is_instance(CallCx *x, const Type *t, const Type *cls, const Const *c)
{
    if (cls->kind == TY_TUPLE) {
        for (int k = 0; k < cls->n; k++) {
            const Const *ck = c && c->kind == CV_TUPLE ? c->elems[k] : NULL;
            int r = py_is_instance(x, t, cls->elems[k], ck);
            if (r)
                return r;
        }
        return 0;
    }
    if (cls->kind == TY_DTYPE)
        return is_dtype_class(cls, t);
    const Builtin *b = cls->kind == TY_BUILTIN ? cls->ref : NULL;
    if (c && c->kind == CV_CLASS)
        return type_class(t) && class_is(x->s, type_class(t)->cls, c->ref);
    if (c && c->kind == CV_TUPLE_CLASS)
        return t->names && (t->kind == TY_TUPLE || t->kind == TY_SCALAR) &&
               class_is(x->s, t->ref, c->ref);
    if (b && b->id == BI_py_tuple)
        return (t->kind == TY_TUPLE && !t->listed) || type_is_heap(t, &heap_tuple);
    if (b && b->family == BF_PY) {
        if (b->flags & NUMBER)
            return is_dtype_class(type_dtype(x->s->tt, (DType)b->op, true, true), t);
        if (b->id == BI_py_list)
            return t->kind == TY_LIST || t->listed || type_is_heap(t, &heap_list);
        if (b->id == BI_py_dict)
            return type_heap_has(t, HEAP_MAPS) || t->kind == TY_KEYED || keyed_class(t);
        if (b->id == BI_py_defaultdict && type_is_heap(t, &heap_defaultdict_of))
            return 1;
        if (heap_class(b->name))
            return type_heap_is_of(t, heap_class(b->name));
        if (b->id == BI_py_bytes)
            return type_is_bytes(t);
        if (b->id == BI_py_range || b->id == BI_py_slice || b->id == BI_py_str)
            return t->kind == (b->id == BI_py_range   ? TY_RANGE
                               : b->id == BI_py_slice ? TY_SLICE
                                                      : TY_STR) ||
                   (b->id == BI_py_str && type_is_str(t));
        if (b->id == BI_py_zip || b->id == BI_py_enumerate || b->id == BI_py_reversed)
            return t->kind == TY_ITER && t->ref == b;
        if (b->id == BI_py_map || b->id == BI_py_filter)
            return 0; /* no value is one here */
    }
    if (b && b->family == BF_NP)
        return is_np_class(b, t);
    if (c && (c->kind == CV_UNSUPPORTED || is_exc_class(c)) && t->kind != TY_KEYED &&
        t->kind != TY_EXC)
        return 0; /* a class of which compiled code has no values */
    Diag *g =
        sema_error(x->s, DIAG_argument, arg_place(x, "cls"),
                   "isinstance() arg 2 must be a class or a tuple of classes, not %s", cls->text);
    diag_hint(x->s->diags, g,
              "int, float, bool, complex, tuple, np.ndarray and NumPy's scalar "
              "types are known here");
    return -1;
}

const Type *
type_py_isinstance(CallCx *x)
{
    Sem v = arg_k(x, 0), cls = arg_k(x, 1);
    if (x->c->arg[0] && x->c->arg[0]->kind == N_List)
        v = heap_value(x->s, x->c->arg[0], v);
    const Type *t = type_value(v.type);
    if (v.cst && v.cst->kind == CV_RECORD) /* is a dtype as any other */
        t = type_dtype(x->s->tt, DT_i64, false, false);
    if (t->kind == TY_EITHER)
        return either_isinstance(x, v, cls);
    int r = py_is_instance(x, t, cls.type, cls.cst);
    const Node *of = x->c->arg[0];
    if (r > 0 && of && of->kind == N_ListComp && of->op == 1) /* a generator */
        r = 0;
    if (r < 0)
        return NULL;
    if (!r || !type_is_optional(v.type)) /* else as its tag says: None is no instance of these */
        x->cst = const_bool(x->s, r);
    return weak(x, DT_bool);
}

/* type(x) of a scalar is what casts to it: type(x)(0). */
const Type *
type_py_type(CallCx *x)
{
    Sem v = arg_k(x, 0);
    if (raised_is_value(v.type))
        return raised_class_of(x->s, v.type);
    if (v.type->kind == TY_OBJ && !keyed_class(v.type)) {
        const ObjClass *of = v.type->ref;
        Const *k = NEW(x->s->a, Const);
        *k = (Const){.kind = CV_CLASS, .obj = of, .ref = of->cls, .str = of->name};
        x->cst = k;
        return const_type(x->s->tt, k);
    }
    if (v.type->kind == TY_TUPLE && v.type->names && !family_is(x->s, v.type)) {
        x->cst = tuple_class_of(x->s, v.type);
        return const_type(x->s->tt, x->cst);
    }
    if (v.type->kind != TY_SCALAR || v.type->names) {
        Diag *g = sema_error(x->s, DIAG_unsupported, x->at, "type() of %s is not supported",
                             v.type->text);
        diag_hint(x->s->diags, g, "%s",
                  type_is_optional(v.type) ? "compare it where it is asked for, as in type(x) is C"
                                           : "ask with isinstance(x, ...)");
        return NULL;
    }
    Const *c = NEW(x->s->a, Const);
    *c = (Const){.kind = CV_DTYPE, .b = true, .dtype = v.type->dtype, .weak = v.type->weak};
    x->cst = c;
    return type_dtype(x->s->tt, (DType)v.type->dtype, v.type->weak, true);
}

/* ---- casts written through the builtins' rows ---- */

const Type *
type_py_cast(CallCx *x)
{
    DType d = (DType)x->fn->op;
    Sem v = arg_k(x, 0);
    const Const *cst = NULL;
    if (!v.type)
        v = sem_const(x->s, const_int(x->s, 0));
    const Type *t = cast_type(x->s, x->at, v, d, true, &cst);
    x->cst = cst;
    x->c->kind = CALL_CAST;
    return t;
}

static const Type *
unsupported(CallCx *x, const char *hint)
{
    Diag *g = sema_error(x->s, DIAG_unsupported, x->at, "%s() is not supported in compiled code",
                         x->fn->name);
    diag_hint(x->s->diags, g, "%s", hint);
    return NULL;
}

/* What tells an int from a bool can't be asked about a value that is either. */
static bool
tells_apart(CallCx *x)
{
    for (int k = 0; k < x->c->n_args; k++) {
        Sem v = arg_k(x, k);
        if (!v.type || !type_is_mixed(v.type))
            continue;
        mixed_report(x->s, x->at, arena_printf(x->s->a, "%s()", x->fn->name), v.type);
        return false;
    }
    return true;
}

/* sep and end are part of the text that is put together when the function is compiled. */
const Type *
type_py_print(CallCx *x)
{
    static const char *const texts[] = {"sep", "end"};
    for (int i = 0; i < 2; i++) {
        Sem v = arg_of(x, texts[i]);
        bool known = v.cst && (v.cst->kind == CV_STR || v.cst->kind == CV_NONE);
        if (!v.type || known)
            continue;
        sema_error(x->s, DIAG_unsupported, arg_place(x, texts[i]),
                   "print(): '%s' is a string that is known at compile time, not %s", texts[i],
                   v.type->text);
        return NULL;
    }
    for (int i = 0; i < x->c->n_args; i++)
        if (x->c->arg[i])
            heap_shown(x->s, x->c->arg[i],
                       object_shown(x->s, x->c->arg[i], sema_arg(x->s, x->c, i), "_str_str"));
    return arg_unsupported(x, "file") ? type_none(x->s->tt) : NULL;
}

/* f(*t): those whose arguments are values, each. */
bool
py_may_be_called(CallCx *x)
{
    if (!x->c->splat || x->fn->flags & UNPACKS)
        return !(x->fn->flags & ASKS) || tells_apart(x);
    return unpacked(x) != NULL;
}

const Type *
type_py_divmod(CallCx *x)
{
    return as_operator(x, np_row(BI_np_divmod), 2);
}

const Type *
type_py_hash(CallCx *x)
{
    return unsupported(x, "hash values differ between runs of Python");
}
