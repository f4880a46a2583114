/* SPDX-License-Identifier: BSD-3-Clause
 * Calls of functions of other languages: a function of the IR that has a symbol and no body. Where
 * the protocol is that of Numba's devices, it returns a status, which is checked, and stores its
 * result through a pointer. The symbol says where it is looked for, too (ir/foreign.c). */
#include "lower/internal.h"

static const char *
symbol_of(Lower *l, const Node *n, const char *name, const char *key)
{
    Arena *a = &l->cx->arena;
    const char *tag = strchr(key, '/');
    key = arena_printf(a, "%.*s", (int)strcspn(key, "/"), key);
    if (!*key && l->cx->opt->link)
        key = arena_printf(a, "%016llx", (unsigned long long)l->cx->opt->link);
    if (!*key && l->cx->opt->target == TARGET_CPU && l->cx->opt->offload <= 0) {
        Diag *d = diag_add(&l->cx->diags, DIAG_unsupported, n->at,
                           "'%s' is linked to nothing on the CPU", name);
        diag_hint(&l->cx->diags, d, "name a .c, .o, .a or .so file that defines it: link=[...]");
    }
    return arena_printf(a, FOREIGN_PREFIX "%s:%s:%s", key, tag ? tag + 1 : "", name);
}

static void
add_result(Lower *l, IrFunc *f, DType d)
{
    IrVar *v = NEW(&l->cx->arena, IrVar);
    v->name = "result";
    v->dtype = (uint8_t)d;
    f->results[f->n_results++] = v;
}

static void
add_param(IrFunc *f, IrVar *v)
{
    v->is_param = true;
    f->n_params++;
}

static IrFunc *
foreign_func(Lower *l, const char *name, const char *symbol, const ForeignSig *sig, bool status)
{
    for (int i = 0; i < l->b.mod->funcs.n; i++)
        if (l->b.mod->funcs.at[i]->foreign && !strcmp(l->b.mod->funcs.at[i]->foreign, symbol))
            return l->b.mod->funcs.at[i];
    Arena *a = &l->cx->arena;
    IrFunc *f = ir_func(l->b.mod, arena_printf(a, "%s.linked", name));
    f->foreign = symbol;
    for (int i = 0; i < sig->n; i++) {
        const Type *p = sig->param[i];
        char *of = arena_printf(a, "a%d", i);
        bool array = p->kind == TY_ARRAY;
        add_param(f, array ? ir_array_var(f, of, (DType)p->storage, p->ndim, LAY_C)
                           : ir_var(f, of, (DType)p->storage));
    }
    if (status)
        add_result(l, f, DT_i32);
    if (sig->ret->kind == TY_SCALAR)
        add_result(l, f, (DType)sig->ret->storage);
    return f;
}

static IrArg
argument(Lower *l, Val v, const Type *p)
{
    if (p->kind == TY_SCALAR)
        return (IrArg){.e = val_freeze(&l->b, val_expr(&l->b, &v, (DType)p->storage))};
    if (v.kind == VK_LAZY)
        v = np_materialize(&l->b, v, LAY_C);
    return (IrArg){.arr = v.arr};
}

static void
check_status(Lower *l, const Node *n, const char *name, IrVar *status)
{
    int site = ir_site(
        l->b.mod, "RuntimeError",
        arena_printf(&l->cx->arena, "the linked function '%s' returned the status %%0", name),
        n->at);
    IrExpr *args[1] = {ir_cast(l->cx, DT_i64, ir_use(l->cx, status))};
    ir_check(&l->b, ir_op(l->cx, OP_eq, ir_use(l->cx, status), ir_int(l->cx, DT_i32, 0)), site, 1,
             args);
}

/* Into Python: see upcall.c. */
static Val
call_back(Lower *l, const Node *n, const Call *c, const Declared *d, Val *splat)
{
    Val *v = NEW_N(&l->cx->arena, Val, d->sig->n + 1);
    if (l->cx->opt->target != TARGET_CPU || l->cx->opt->kernel)
        diag_add(&l->cx->diags, DIAG_unsupported, n->at,
                 "'%s' is a callback into Python: it can be called on the CPU only%s", d->name,
                 l->cx->opt->kernel ? ", not by the threads of a kernel" : "");
    for (int i = 0; i < d->sig->n; i++) {
        v[i] = one_arg(l, c, 4 + i, splat, true);
        if (v[i].kind == VK_LAZY)
            v[i] = np_materialize(&l->b, v[i], LAY_C);
    }
    return upcall_declared(l, n, d, v);
}

Val
emit_py_linked(Lower *l, const Node *n, const Call *c, const Type *t)
{
    Arena *a = &l->cx->arena;
    const char *text[4], *why;
    ForeignSig sig;
    Val splat = c->splat ? l->splat : (Val){0};
    for (int i = 0; i < 4; i++)
        text[i] = sema_info(l->in, c->arg[i])->cst->str;
    type_parse_foreign(l->cx->types, a, text[1], &sig, &why);
    if (!strcmp(text[2], "callback")) {
        const char *key = arena_printf(a, "%.*s", (int)strcspn(text[3], "/"), text[3]);
        return call_back(l, n, c, &(Declared){text[0], key, &sig}, &splat);
    }
    bool status = !strcmp(text[2], "status");
    IrArg *args = NEW_N(a, IrArg, sig.n + 1), *outs = NEW_N(a, IrArg, 2);
    for (int i = 0; i < sig.n; i++)
        args[i] = argument(l, one_arg(l, c, 4 + i, &splat, true), sig.param[i]);
    IrFunc *f = foreign_func(l, text[0], symbol_of(l, n, text[0], text[3]), &sig, status);
    l->b.f->may_raise |= !ir_foreign_has_host(f);
    IrStmt *s = ir_append(&l->b, IS_CALL);
    s->func = f;
    s->args = args;
    s->n_args = sig.n;
    s->outs = outs;
    s->n_outs = f->n_results;
    for (int i = 0; i < f->n_results; i++)
        outs[i].out =
            ir_var(l->b.f, i || !status ? "given" : "status", (DType)f->results[i]->dtype);
    if (status)
        check_status(l, n, text[0], outs[0].out);
    if (sig.ret->kind == TY_NONE)
        return val_none(&l->b);
    return val_scalar(&l->b, sig.ret, ir_use(l->cx, outs[status ? 1 : 0].out));
}
