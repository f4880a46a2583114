/* SPDX-License-Identifier: BSD-3-Clause
 * swathe's own functions: those that are known at compile time choose branches
 * (static_backend_eq, static_types_eq) or refuse to compile one (static_fail); ranges
 * makes a nest of loops; convert casts; inline asks for a call's body in its place. */
#include "sema/calls.h"

static const Type *
nothing(CallCx *x)
{
    return type_none(x->s->tt);
}

const Type *
type_py_inline(CallCx *x)
{
    Sem v = sema_arg(x->s, x->c, 0);
    const Call *c = info_of(x->s, sema_arg_node(x->c, 0))->call;
    if (c && c->kind == CALL_INST && c->inst) {
        c->inst->inlined = true;
        x->cst = v.cst;
        return v.type;
    }
    Diag *g = sema_error(x->s, DIAG_argument, x->at,
                         "inline() takes a call of a function of the program");
    diag_hint(x->s->diags, g, "write inline(f(x))");
    return NULL;
}

static bool
is_int_or_range(const Type *t)
{
    if (t->kind == TY_TUPLE)
        for (int i = 0; i < t->n; i++)
            if (!is_int_type(t->elems[i]))
                return false;
    return is_int_type(t) || (t->kind == TY_TUPLE && t->n >= 1 && t->n <= 3);
}

const Type *
type_py_ranges(CallCx *x)
{
    Sema *s = x->s;
    int n = x->c->n_args;
    if (n == 0 || n > SEMA_MAX_NDIM) {
        sema_error(s, DIAG_argument, x->at, "ranges() takes 1 to %d arguments, not %d",
                   SEMA_MAX_NDIM, n);
        return NULL;
    }
    const Type **e = NEW_N(s->a, const Type *, n);
    for (int i = 0; i < n; i++) {
        Sem v = sema_arg(s, x->c, i);
        if (!v.type || !is_int_or_range(v.type)) {
            const Node *at = sema_arg_node(x->c, i);
            sema_error(s, DIAG_argument, at ? at : x->at,
                       "ranges() takes integers, and tuples of range's arguments, not %s",
                       v.type ? v.type->text : "nothing");
            return NULL;
        }
        e[i] = type_scalar(s->tt, DT_i64, true);
    }
    return type_other(s->tt, TY_ITER, x->fn, n, e, "ranges");
}

const Type *
type_py_convert(CallCx *x)
{
    DType d;
    Sem v = sema_arg(x->s, x->c, 0), to = sema_arg(x->s, x->c, 1);
    const Node *at = sema_arg_node(x->c, 1);
    if (!v.type || !to.type || !sem_dtype(x, at ? at : x->at, to, &d))
        return NULL;
    const Type *t = cast_type(x->s, x->at, v, d, false, &x->cst);
    x->c->kind = CALL_CAST;
    x->c->n_args = 1;
    return t;
}

/* What runs the code, or the loops in it. */
static const char *
backend_name(const SwOptions *o)
{
    int t = o->offload < 0 ? -o->offload : o->offload ? o->offload : o->target;
    return target_info[t].device;
}

/* A string: "cpu", "cuda"... */
const Type *
type_py_backend_eq(CallCx *x)
{
    Sem v = sema_arg(x->s, x->c, 0);
    if (!v.cst || v.cst->kind != CV_STR) {
        Diag *g = sema_error(x->s, DIAG_argument, x->at,
                             "static_backend_eq() takes a backend's name, such as 'cpu'");
        diag_hint(x->s->diags, g, "it must be known at compile time");
        return NULL;
    }
    x->cst = const_bool(x->s, !strcmp(v.cst->str, backend_name(x->s->cx->opt)));
    return type_scalar(x->s->tt, DT_bool, true);
}

/* A dtype, or a value that has one. */
static bool
dtype_like(CallCx *x, int k, DType *d)
{
    Sem v = sema_arg(x->s, x->c, k);
    const Type *t = v.type;
    if (t && (t->kind == TY_SCALAR || t->kind == TY_ARRAY || t->kind == TY_DTYPE)) {
        *d = (DType)t->dtype;
        return true;
    }
    const Node *at = sema_arg_node(x->c, k);
    return t && sem_dtype(x, at ? at : x->at, v, d);
}

const Type *
type_py_types_eq(CallCx *x)
{
    DType a, b;
    if (!dtype_like(x, 0, &a) || !dtype_like(x, 1, &b))
        return NULL;
    x->cst = const_bool(x->s, a == b);
    return type_scalar(x->s->tt, DT_bool, true);
}

/* is_type: for what annotations refuse (python/swathe/annotate.py), which is a TypeError. */
const Type *
type_py_fail(CallCx *x)
{
    Sem v = sema_arg(x->s, x->c, 0);
    bool known = v.cst && v.cst->kind == CV_STR, is_type = sema_arg(x->s, x->c, 1).type;
    sema_error(x->s, is_type ? DIAG_argument : DIAG_static_fail, x->at, "%s",
               known ? v.cst->str : "static_fail() is reached for these types");
    return nothing(x);
}

const Type *
type_py_label(CallCx *x)
{
    return sema_type_label(x->s, x->at, sema_arg(x->s, x->c, 0));
}

/* ---- attributes by a name that is a string --------------------------------------------------- */

/* Where the name is known, it is an attribute already (py/named.c). */
const Type *
type_py_attribute(CallCx *x)
{
    Diag *d = sema_error(x->s, DIAG_unsupported, x->at, "%s() in this place", x->fn->name);
    diag_hint(x->s->diags, d,
              "the name is a string that is known when it is compiled; setattr is a statement");
    return NULL;
}

/* Of an instance, or a named tuple: is there a field, or something in its class? */
const Type *
type_py_hasattr(CallCx *x)
{
    Sem v = sema_arg(x->s, x->c, 0), name = sema_arg(x->s, x->c, 1);
    const ObjClass *c = v.type->kind == TY_OBJ && !keyed_class(v.type) ? v.type->ref : NULL;
    bool tuple = v.type->kind == TY_TUPLE && v.type->names && !family_is(x->s, v.type),
         known = name.cst && name.cst->kind == CV_STR && strncmp(name.cst->str, "__", 2) != 0;
    if (!(c || tuple) || !known)
        return type_py_attribute(x);
    int k = c ? object_field(c, name.cst->str) : -1;
    if (k >= 0 && c->field[k].maybe)
        return type_py_attribute(x);
    bool has = k >= 0 || special_of(x->s, v.type, name.cst->str) != NULL;
    for (int i = 0; tuple && i < v.type->n; i++)
        has |= !strcmp(v.type->names[i], name.cst->str);
    x->cst = const_bool(x->s, has);
    return type_scalar(x->s->tt, DT_bool, true);
}

const Type *
type_py_callable(CallCx *x)
{
    Sem v = sema_arg(x->s, x->c, 0);
    if (type_is_optional(v.type)) {
        Diag *d = sema_error(x->s, DIAG_unsupported, x->at, "callable() of what may be None");
        diag_hint(x->s->diags, d, "write: x is not None");
        return NULL;
    }
    bool is = type_is_function(v.type) || v.type->kind == TY_BUILTIN ||
              special_of(x->s, v.type, "__call__");
    x->cst = const_bool(x->s, is);
    return type_scalar(x->s->tt, DT_bool, true);
}

/* What a generator expression becomes that is not consumed where it stands (ast/generator_call.c).
 */
const Type *
type_py_mapped(CallCx *x)
{
    const Type *part[3];
    int n = 0;
    for (int i = 0; i < x->c->n_args && x->c->arg[i]; i++)
        if (!(part[n++] = sema_arg(x->s, x->c, i).type))
            return NULL;
    return type_iter(x->s->tt, x->fn, n, part, false);
}
