/* SPDX-License-Identifier: BSD-3-Clause
 * One of several functions: what is done with such a value. A call of it is one of a function of
 * the library, which asks for each of them whether it is there. */
#include "sema/calls.h"

Sem
choice_call(Sema *s, const Node *e)
{
    const FuncDef *fd = heap_lib_named(s, "_choice_call");
    return fd ? call_function(s, e, NULL, fd, e->kid[0], NULL) : sema_unknown(s);
}

/* Is it of functions that `def` and `lambda` make? */
bool
choice_is_of_defs(const Type *t)
{
    bool all = t->kind == TY_CHOICE || (t->kind == TY_FUNC && !bound_by(t->ref));
    for (int i = 0; t->kind == TY_CHOICE && all && i < t->n; i++)
        all = choice_is_of_defs(t->elems[i]->elems[1]);
    return all;
}

/* In the library a choice is indexed by its functions' places. */
Sem
choice_subscript(Sema *s, const Node *e, Sem v, Sem idx)
{
    int64_t k;
    if (s->fr->in->def->is_lib && const_as_int(idx.cst, &k))
        return sem_of(v.type->elems[k]);
    sema_type_error(s, e, "'function' object is not subscriptable");
    return sema_unknown(s);
}

/* A row of the library that takes other numbers of arguments, and none by name. */
static const char *
row_misfit(Sema *s, const Builtin *b, int n)
{
    const RowParams *rp = &builtin_params[b->id];
    int least = 0, most = 0;
    for (int i = 0; i < rp->n; i++) {
        least += rp->at[i].required;
        most += !rp->at[i].kwonly;
    }
    bool few = n < least;
    if (!few && (n <= most || rp->varargs))
        return NULL;
    return arena_printf(s->a, "%s expected %s%d argument%s, got %d", b->name,
                        least == most ? ""
                        : few         ? "at least "
                                      : "at most ",
                        few ? least : most, (few ? least : most) == 1 ? "" : "s", n);
}

/* Why a call of one of several functions can't be one of this, which is then known to raise. */
const Const *
choice_misfit(CallCx *x)
{
    Sema *s = x->s;
    Sem f = sema_arg(s, x->c, 0), n = sema_arg(s, x->c, 1), named = sema_arg(s, x->c, 2);
    const Type *t = type_value(f.type);
    const char *why = NULL;
    const Method *init = t->kind == TY_CLASS ? class_method(s, t->ref, "__init__") : NULL;
    const FuncDef *fd = t->kind == TY_FUNC ? t->ref : init ? init->def : NULL;
    if (n.cst && fd)
        why = bind_misfit(s, fd, init != NULL, (int)n.cst->i, named.type);
    else if (n.cst && t->kind == TY_BUILTIN && !named.type->n)
        why = row_misfit(s, t->ref, (int)n.cst->i);
    return const_str(s, why ? why : "");
}

/* What Python calls a function; NULL: that isn't known here. */
static const char *
name_of(Sema *s, const Type *f)
{
    const char *name = f->kind == TY_FUNC      ? ast_shown(s->a, ((const FuncDef *)f->ref)->name)
                       : f->kind == TY_BUILTIN ? ((const Builtin *)f->ref)->name
                       : f->kind == TY_CLASS || (f->kind == TY_DTYPE && f->weak) ? f->text
                                                                                 : NULL;
    const char *dot = name ? strrchr(name, '.') : NULL;
    return dot ? dot + 1 : name;
}

/* f.__name__ */
bool
choice_attribute(Sema *s, const Node *e, Sem v, Sem *out)
{
    const FuncDef *fd;
    if (strcmp(e->name, "__name__") != 0 || !type_is_function(v.type))
        return false;
    if (v.type->kind == TY_CHOICE) {
        fd = heap_lib_named(s, "_choice_name");
        *out = fd ? call_function(s, e, NULL, fd, e->kid[0], NULL) : sema_unknown(s);
        return true;
    }
    const char *name = name_of(s, v.type);
    if (name)
        *out = sem_const(s, const_str(s, name));
    return name != NULL;
}

/* Is it made once, so that its place among others tells which it is? A `def` inside of a function
 * makes another one at each run. */
static bool
is_made_once(const Type *f)
{
    return f->kind != TY_FUNC || !((const FuncDef *)f->ref)->parent;
}

/* Functions that are keys are told apart by their places. */
bool
choice_is_key(const Type *t)
{
    bool is = type_is_function(t) && (t->kind == TY_CHOICE || (!t->n && is_made_once(t)));
    for (int i = 0; t->kind == TY_CHOICE && is && i < t->n; i++)
        is = choice_is_key(t->elems[i]->elems[1]);
    return is;
}

/* 1: two values are one function where both are at the same place, also in what these types have in
 * them. 0: they never are. -1: what only Python's objects tell. */
int
choice_compares(Sema *s, const Type *a, const Type *b)
{
    int found = 0;
    a = type_value(a);
    b = type_value(b);
    bool tuples = a->kind == TY_TUPLE && b->kind == TY_TUPLE;
    for (int i = 0; tuples && found >= 0 && i < a->n && i < b->n; i++)
        found = choice_compares(s, a->elems[i], b->elems[i]);
    if (!type_is_function(a) || !type_is_function(b))
        return found;
    const Type *x = a->kind == TY_CHOICE ? a : type_choice(s->tt, 1, &a);
    const Type *y = b->kind == TY_CHOICE ? b : type_choice(s->tt, 1, &b);
    for (int i = 0; i < x->n; i++) {
        const Type *f = x->elems[i]->elems[1];
        if (choice_place(y, f) < 0)
            continue;
        if (!is_made_once(f))
            return -1;
        found = 1;
    }
    return found;
}

static bool
is_choice(const Type *t, const void *arg)
{
    (void)arg;
    return t->kind == TY_CHOICE;
}

/* Are there functions, or one of several, in what holds both, and not in the one or the other? */
bool
choice_is_made(Sema *s, const Type *a, const Type *b, const Type *both)
{
    return both && both != a && both != b && sema_holds(s, both, is_choice, NULL) &&
           !sema_holds(s, a, is_choice, NULL) && !sema_holds(s, b, is_choice, NULL);
}

/* Functions in a display are known one by one, as long as loops over them can be unrolled: what
 * they return may have unlike types. Else all is typed again, and one of them is a value. */
const Type *
choice_of_elements(Sema *s, const Type *a, const Type *b, const Type *both)
{
    bool new = !s->choices &&choice_is_made(s, a, b, both);
    s->want_choices |= new;
    return new ? NULL : both;
}
