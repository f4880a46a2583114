/* SPDX-License-Identifier: BSD-3-Clause
 * Whether the entry function of IR text fits the types that it is to be called with. Both
 * are taken apart into scalars and arrays, which must agree one by one: the dispatcher
 * fills slots by the types, and compiled code reads them as its parameters say. */
#include "ir/ir.h"
#include "rt/rt.h"

enum { MAX_FLAT = 256 };

static bool
flatten(const Type *t, const Type **out, int *n)
{
    switch (t->kind) {
    case TY_SCALAR:
    case TY_ARRAY:
        if (*n == MAX_FLAT)
            return false;
        out[(*n)++] = t;
        return true;
    case TY_TUPLE:
    case TY_KEYED:
    case TY_RECORD:
    case TY_OPTIONAL:
        for (int i = 0; i < t->n; i++)
            if (!flatten(t->elems[i], out, n))
                return false;
        return true;
    case TY_NONE:
    case TY_DTYPE:
        return true;
    default:
        return false;
    }
}

/* A parameter that says C-contiguous needs an argument that is. */
static bool
fits(const IrVar *v, const Type *t, bool result)
{
    if (v->dtype != t->dtype || v->is_array != (t->kind == TY_ARRAY))
        return false;
    if (!v->is_array)
        return true;
    int need = result ? t->layout : v->layout, have = result ? v->layout : t->layout;
    return v->ndim == t->ndim && (need == LAY_A || need == have);
}

static const IrFunc *
entry_of(const IrModule *m)
{
    const IrFunc *e = NULL;
    for (int i = 0; i < m->funcs.n; i++)
        if (m->funcs.at[i]->entry)
            e = e ? NULL : m->funcs.at[i];
    return e;
}

char *
signature_check(Cx *cx, const IrModule *m, const SwRequest *rq, const Type *ret)
{
    const Type **flat = NEW_N(&cx->arena, const Type *, MAX_FLAT);
    const IrFunc *f = entry_of(m);
    int n = 0;
    if (!f)
        return arena_str(&cx->arena, "there is not exactly one function marked entry");
    for (int i = 0; i < rq->n_args; i++)
        if (!flatten(rq->args[i], flat, &n))
            return arena_printf(&cx->arena, "argument %d is %s, which IR has no form for", i + 1,
                                rq->args[i]->text);
    if (n != f->n_params + (f->kernel ? 7 : 0)) /* of the launch: see pass grid */
        return arena_printf(&cx->arena, "function %s has %d parameters, its signature %d", f->name,
                            f->n_params, n);
    for (int i = 0; i < f->n_params; i++)
        if (!fits(f->vars.at[i], flat[i], false))
            return arena_printf(&cx->arena, "parameter '%s' does not fit the signature's %s",
                                f->vars.at[i]->name, flat[i]->text);
    n = 0;
    if (!flatten(ret, flat, &n) || n != f->n_results)
        return arena_printf(&cx->arena, "function %s does not return %s", f->name, ret->text);
    for (int i = 0; i < n; i++)
        if (!fits(f->results[i], flat[i], true))
            return arena_printf(&cx->arena, "result %d does not fit the signature's %s", i + 1,
                                flat[i]->text);
    return NULL;
}
