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

/* Python, called back, must know the shapes of arrays: they come behind each. */
static IrFunc *
foreign_func(Lower *l, const char *name, const char *symbol, const ForeignSig *sig, bool status,
             bool shapes)
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
        int ndim = array && shapes ? p->ndim : 0;
        add_param(f, array ? ir_array_var(f, of, (DType)p->storage, p->ndim, LAY_C)
                           : ir_var(f, of, (DType)p->storage));
        for (int k = 0; k < ndim; k++)
            add_param(f, ir_var(f, arena_printf(a, "n%d_%d", i, k), DT_i64));
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
check_status(Lower *l, const Node *n, const char *name, IrVar *status, bool back)
{
    int site = ir_site(
        l->b.mod, back ? EXC_PYTHON : "RuntimeError",
        arena_printf(&l->cx->arena, "the linked function '%s' returned the status %%0", name),
        n->at);
    IrExpr *args[1] = {ir_cast(l->cx, DT_i64, ir_use(l->cx, status))};
    ir_check(&l->b, ir_op(l->cx, OP_eq, ir_use(l->cx, status), ir_int(l->cx, DT_i32, 0)), site, 1,
             args);
}

Val
emit_py_linked(Lower *l, const Node *n, const Call *c, const Type *t)
{
    const char *text[4], *why;
    ForeignSig sig;
    Val splat = c->splat ? l->splat : (Val){0};
    for (int i = 0; i < 4; i++)
        text[i] = sema_info(l->in, c->arg[i])->cst->str;
    type_parse_foreign(l->cx->types, &l->cx->arena, text[1], &sig, &why);
    bool back = !strcmp(text[2], "callback"), status = back || !strcmp(text[2], "status");
    IrArg *args = NEW_N(&l->cx->arena, IrArg, sig.n * (1 + SW_MAX_NDIM) + 1),
          *outs = NEW_N(&l->cx->arena, IrArg, 2);
    int n_args = 0;
    for (int i = 0; i < sig.n; i++) {
        IrArg one = argument(l, one_arg(l, c, 4 + i, &splat, true), sig.param[i]);
        args[n_args++] = one;
        for (int k = 0; back && one.arr && k < one.arr->ndim; k++)
            args[n_args++].e = ir_dim(l->cx, one.arr, k);
    }
    if (back && l->cx->opt->target != TARGET_CPU)
        diag_add(&l->cx->diags, DIAG_unsupported, n->at,
                 "'%s' is a callback into Python: it can be called on the CPU only", text[0]);
    IrFunc *f = foreign_func(l, text[0], symbol_of(l, n, text[0], text[3]), &sig, status, back);
    l->b.f->may_raise |= !ir_foreign_has_host(f);
    IrStmt *s = ir_append(&l->b, IS_CALL);
    s->func = f;
    s->args = args;
    s->n_args = n_args;
    s->outs = outs;
    s->n_outs = f->n_results;
    for (int i = 0; i < f->n_results; i++)
        outs[i].out =
            ir_var(l->b.f, i || !status ? "given" : "status", (DType)f->results[i]->dtype);
    if (status)
        check_status(l, n, text[0], outs[0].out, back);
    if (sig.ret->kind == TY_NONE)
        return val_none(&l->b);
    return val_scalar(&l->b, sig.ret, ir_use(l->cx, outs[status ? 1 : 0].out));
}
