/* SPDX-License-Identifier: BSD-3-Clause
 * Calls of NumPy's functions that take or make arrays of strings, which are objects of the class in
 * swathe/_text_arrays.py. Takes a call whose arguments are bound; yields the call of the method
 * _np_NAME of that class, which has the row's parameters or its first ones, or of the function of
 * swathe/lib that makes such an array. */
#include "sema/calls.h"

/* Of an argument, or of what a sequence of them holds. */
static const Method *
method_of(Sema *s, const Type *t, const char *name)
{
    t = type_value(t);
    bool holds = t->n && (t->kind == TY_TUPLE || t->kind == TY_LIST || type_is_heap(t, &heap_list));
    return special_of(s, holds ? type_value(t->elems[0]) : t, name);
}

/* May an argument of NumPy's function be such an array at all? An axis is none. */
static bool
may_be_array(const Builtin *fn, int k)
{
    const RowParams *p = &builtin_params[fn->id];
    if (k >= p->n)
        return true;
    switch (p->at[k].kind) {
    case PK_AXIS:
    case PK_AXES:
    case PK_SHAPE:
    case PK_INT:
    case PK_SIZE:
    case PK_FLAG:
        return false;
    default:
        return true;
    }
}

static bool
by_method(Sema *s, const Node *e, const Builtin *fn, const Call *c, Sem *out)
{
    const Method *m = NULL;
    const char *name = NULL;
    for (int i = 0; i < c->n_args && !m; i++) {
        const Type *t = c->arg[i] ? sema_arg(s, c, i).type : NULL;
        if (!t || t->kind == TY_SCALAR || t->kind == TY_ARRAY || t->kind == TY_UNKNOWN ||
            !may_be_array(fn, i))
            continue;
        name = name ? name : arena_printf(s->a, "_np_%s", fn->name);
        m = method_of(s, t, name);
    }
    int n = c->n_args;
    while (n > 1 && !c->arg[n - 1])
        n--;
    if (!m || !m->def || n > m->def->n_params)
        return false;
    const Node **arg = NEW_N(s->a, const Node *, n + 1);
    memcpy(arg, c->arg, sizeof *arg * (size_t)n);
    *out = special_call(s, e, m, n, arg);
    return true;
}

/* The strings in it: of a string itself, of a sequence, of a sequence of such; NULL: others. */
static const Type *
texts_in(const Type *t, int depth)
{
    bool holds = t->n && (t->kind == TY_TUPLE || t->kind == TY_LIST || type_is_heap(t, &heap_list));
    if (t->kind == TY_STR || t->kind == TY_TEXT)
        return depth ? NULL : t;
    return depth && holds && !t->names ? texts_in(t->elems[0], depth - 1) : NULL;
}

/* "U5", "S": the dtype of such an array; *at: where it stands. */
static bool
names_texts(Sema *s, const Builtin *fn, const Call *c, const Node **at)
{
    int k = row_param(fn, "dtype");
    Sem v = k < 0 || k >= c->n_args || !c->arg[k] ? (Sem){0} : sema_arg(s, c, k);
    if (!v.cst || v.cst->kind != CV_STR)
        return false;
    const char *p = v.cst->str + (*v.cst->str && strchr("<|=", *v.cst->str) ? 1 : 0);
    bool is = *p == 'U' || *p == 'S';
    p += is && p[1] ? strspn(p + 1, "0123456789") + 1 : is;
    *at = c->arg[k];
    return is && !*p;
}

/* None, or str. */
static bool
leaves_width(Sema *s, const Builtin *fn, const Call *c)
{
    int k = row_param(fn, "dtype");
    Sem v = k < 0 || k >= c->n_args || !c->arg[k] ? (Sem){0} : sema_arg(s, c, k);
    const Builtin *b = v.cst && v.cst->kind == CV_BUILTIN ? v.cst->ref : NULL;
    return !v.type || v.type->kind == TY_NONE || (b && b->id == BI_py_str);
}

/* What makes such an array: a function of swathe/lib/textual.py. */
static bool
makes(Sema *s, const Node *e, const Type *of, const char *what, int n, const Node *const *arg,
      Sem *out)
{
    const char *kind = type_is_bytes(of) ? "bytes" : "text";
    *out = heap_call(s, e, arena_printf(s->a, "_%s_%s", kind, what), n, arg);
    return true;
}

static bool
is_made(Sema *s, const Node *e, const Builtin *fn, const Call *c, Sem *out)
{
    const Node *dtype = NULL;
    bool named = names_texts(s, fn, c, &dtype), may = named || leaves_width(s, fn, c);
    const Type *t = sema_arg(s, c, 0).type, *u = sema_arg(s, c, 1).type;
    const Node *three[] = {c->arg[0], c->n_args > 1 ? c->arg[1] : NULL, dtype},
               *two[] = {c->arg[0], dtype};
    for (int depth = 1; may && depth <= 2 && (fn->id == BI_np_array || fn->id == BI_np_asarray);
         depth++) {
        const Type *of = texts_in(t, depth);
        if (of)
            return makes(s, e, of, depth == 1 ? "array" : "rows", 2, two, out);
    }
    if (named && (fn->id == BI_np_zeros || fn->id == BI_np_empty))
        return makes(
            s, e, strchr(sema_known(s, dtype).cst->str, 'S') ? type_bytes(s->tt) : type_text(s->tt),
            "zeros", 2, two, out);
    if (fn->id == BI_np_full && may && u && texts_in(u, 0))
        return makes(s, e, u, "full", 3, three, out);
    if (fn->id != BI_np_where || !u || !texts_in(u, 0))
        return false;
    const Type *v = sema_arg(s, c, 2).type;
    if (!v || !texts_in(v, 0))
        return false;
    three[2] = c->arg[2];
    return makes(s, e, u, "where", 3, three, out);
}

bool
text_array_row(Sema *s, const Node *e, const Builtin *fn, const Call *c, Sem *out)
{
    if ((fn->family != BF_NP && fn->family != BF_UFUNC && fn->family != BF_LIB) || !c->n_args ||
        !c->arg[0] || sem_bad(sema_known(s, c->arg[0])))
        return false;
    return is_made(s, e, fn, c, out) || by_method(s, e, fn, c, out);
}
