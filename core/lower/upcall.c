/* SPDX-License-Identifier: BSD-3-Clause
 * Blocks that run in Python: a call of a function of the IR that has a symbol and no body, and what
 * crosses as an upcall of the module. A name that may be unbound comes with a flag. */
#include "lower/internal.h"

static const char *
text_of(Lower *l, const Node *n)
{
    const Const *c = sema_info(l->in, n)->cst;
    return c && c->kind == CV_STR ? c->str : NULL;
}

static void
add_param(Lower *l, IrFunc *f, const IrArg *a, int k)
{
    char *name = arena_printf(&l->cx->arena, "a%d", k);
    IrVar *v =
        a->arr ? ir_array_var(f, name, (DType)a->arr->dtype, a->arr->ndim, (Layout)a->arr->layout)
               : ir_var(f, name, (DType)a->e->dtype);
    if (a->arr) {
        v->readonly = a->arr->readonly;
        v->obj = a->arr->obj;
        v->holds = a->arr->holds;
    }
    v->is_param = true;
    f->n_params++;
}

static void
add_result(Lower *l, IrFunc *f, const IrArg *out)
{
    const IrVar *of = out->arr ? out->arr : out->out;
    IrVar *v = NEW(&l->cx->arena, IrVar);
    v->name = "result";
    v->dtype = of->dtype;
    v->is_array = of->is_array;
    v->ndim = of->ndim;
    v->layout = of->layout;
    v->obj = of->obj;
    v->holds = of->holds;
    if (f->n_results < IR_MAX_RESULTS)
        f->results[f->n_results++] = v;
}

typedef struct Given {
    IrArg *arg;
    int n;
} Given;

static void
give(Lower *l, Given *g, const Val *v)
{
    IrArg *more = NEW_N(&l->cx->arena, IrArg, g->n + flat_count(v) + 1);
    if (g->n)
        memcpy(more, g->arg, sizeof *more * (size_t)g->n);
    g->arg = more;
    g->n = flatten(v, more, g->n);
}

/* The name itself where it is bound; a flag that says so before it. */
static bool
give_name(Lower *l, Given *g, const Node *n)
{
    const Info *i = sema_info(l->in, n);
    IrVar *flag = i->check_bound && i->var ? map_get(&l->flag, n->name) : NULL;
    Val v, unbound = val_scalar(&l->b, type_scalar(l->cx->types, DT_bool, true),
                                ir_int(l->cx, DT_bool, 0));
    if (!i->var && !i->cst && i->type->kind == TY_NONE) {
        give(l, g, &unbound);
        return true;
    }
    if (flag) {
        Val bound =
            val_scalar(&l->b, type_scalar(l->cx->types, DT_bool, true), ir_use(l->cx, flag));
        give(l, g, &bound);
        v = narrowed(l, var_val(l, i->var), type_before(i));
    } else {
        v = expr(l, n);
    }
    if (v.kind == VK_LAZY)
        v = np_materialize(&l->b, v, LAY_C);
    if (i->type->kind != TY_STR && i->type->kind != TY_NONE) {
        v = val_convert(&l->b, v, i->type);
        give(l, g, &v);
    }
    return flag != NULL;
}

static void
describe(Lower *l, const Call *c, Given *g, Upcall *u)
{
    Arena *a = &l->cx->arena;
    int n = c->n_args - 3;
    const Type **in = NEW_N(a, const Type *, n + 1);
    const char **name = NEW_N(a, const char *, n + 1), **text = NEW_N(a, const char *, n + 1);
    bool *maybe = NEW_N(a, bool, n + 1);
    for (int i = 0; i < n; i++) {
        const Node *arg = c->arg[3 + i];
        text[i] = text_of(l, arg);
        in[i] = text[i] ? type_none(l->cx->types)
                        : type_resolve(l->cx->types, sema_info(l->in, arg)->type);
        name[i] = ast_shown(a, arg->name);
        maybe[i] = give_name(l, g, arg);
    }
    const Const *outs = sema_info(l->in, c->arg[1])->cst;
    const char **out_name = NEW_N(a, const char *, outs->n + 1);
    for (int i = 0; i < outs->n; i++)
        out_name[i] = outs->elems[i]->str;
    *u = (Upcall){.key = text_of(l, c->arg[0]),
                  .n_in = n,
                  .n_out = outs->n,
                  .in = in,
                  .in_name = name,
                  .in_text = text,
                  .maybe = maybe,
                  .out_name = out_name};
}

/* The call of it, which yields a t. */
static Val
call(Lower *l, const Node *n, const Upcall *u, const Given *g, const Type *t)
{
    IrArg *outs;
    int n_outs, k = l->b.mod->upcalls.n;
    VEC_PUSH(&l->cx->arena, l->b.mod->upcalls, *u);
    IrFunc *f = ir_func(l->b.mod, arena_printf(&l->cx->arena, "python.%d", k));
    f->foreign = arena_printf(&l->cx->arena, UPCALL_PREFIX "%d:%s", k,
                              u->plain ? u->out_name[0] : "objmode");
    f->may_raise = true;
    for (int i = 0; i < g->n; i++)
        add_param(l, f, &g->arg[i], i);
    Val r = call_results(l, t, &outs, &n_outs);
    for (int i = 0; i < n_outs; i++)
        add_result(l, f, &outs[i]);
    if (n_outs > IR_MAX_RESULTS)
        diag_add(&l->cx->diags, DIAG_unsupported, n->at,
                 "objmode: more than %d numbers and arrays as results", IR_MAX_RESULTS);
    l->b.f->may_raise = true;
    IrStmt *s = ir_append(&l->b, IS_CALL);
    s->func = f;
    s->args = g->arg;
    s->n_args = g->n;
    s->outs = outs;
    s->n_outs = n_outs;
    return r;
}

Val
emit_py_objmode(Lower *l, const Node *n, const Call *c, const Type *t)
{
    Given g = {0};
    Upcall u;
    if (l->cx->opt->target != TARGET_CPU || l->cx->opt->kernel)
        diag_add(&l->cx->diags, DIAG_unsupported, n->at,
                 "objmode: the block runs in Python, which the threads of a kernel can't");
    describe(l, c, &g, &u);
    u.out = t->kind == TY_TUPLE ? t->elems : NULL;
    return call(l, n, &u, &g, t);
}

/* ---- functions of Python that are declared by a signature (swathe._link.callback) ------------ */

/* Python's own number of that kind. */
static const Type *
number_type(TypeTable *t, DType d)
{
    DType wide = d == DT_u64 ? d : dtype_is_int(d) ? DT_i64 : dtype_is_float(d) ? DT_f64 : d;
    return type_scalar(t, wide, wide != DT_u64);
}

/* Of a function that yields one value or none, and whose arguments are called as it is. */
static Upcall
plain_upcall(Lower *l, const char *key, const char *called, int n, const Type **in, const Type *ret)
{
    Arena *a = &l->cx->arena;
    const char **name = NEW_N(a, const char *, n + 1);
    for (int i = 0; i <= n; i++)
        name[i] = called;
    return (Upcall){.key = key,
                    .plain = true,
                    .n_in = n,
                    .n_out = ret->kind != TY_NONE,
                    .in = in,
                    .out = arena_dup(a, &ret, sizeof ret),
                    .in_name = name,
                    .in_text = NEW_N(a, const char *, n + 1),
                    .out_name = name,
                    .maybe = NEW_N(a, bool, n + 1)};
}

Val
upcall_declared(Lower *l, const Node *n, const Declared *d, const Val *arg)
{
    const ForeignSig *sig = d->sig;
    Given g = {0};
    const Type **in = NEW_N(&l->cx->arena, const Type *, sig->n + 1);
    for (int i = 0; i < sig->n; i++) {
        const Type *p = sig->param[i];
        bool number = p->kind == TY_SCALAR;
        Val v = arg[i];
        in[i] = number ? number_type(l->cx->types, (DType)p->storage) : v.type;
        if (number)
            v = val_scalar(
                &l->b, in[i],
                ir_cast(l->cx, (DType)in[i]->dtype, val_expr(&l->b, &v, (DType)p->storage)));
        give(l, &g, &v);
    }
    Upcall u = plain_upcall(l, d->key, d->name, sig->n, in, sig->ret);
    return call(l, n, &u, &g, sig->ret);
}

/* ---- what the library asks Python for ------------------------------------------------------- */

/* asked("numpy.str", a): functions of swathe._asked, which only look at what they are given. */
Val
upcall_asked(Lower *l, const Node *n, const Call *c, const Type *t)
{
    Given g = {0};
    const Type **in = NEW_N(&l->cx->arena, const Type *, c->n_args);
    const char *key = text_of(l, c->arg[0]);
    int n_in = 0;
    for (int i = 1; i < c->n_args && c->arg[i]; i++) {
        Val v = pin(l, expr(l, c->arg[i]));
        v = v.kind == VK_LAZY ? np_materialize(&l->b, v, LAY_C) : v;
        if (v.type->kind == TY_STR)
            v = text_val(l, v);
        in[n_in++] = v.type;
        give(l, &g, &v);
    }
    Upcall u = plain_upcall(l, key, key, n_in, in, t);
    u.looks = true;
    return call(l, n, &u, &g, t);
}

/* ---- pranges that have one ------------------------------------------------------------------- */

/* Python runs one block at a time: such a loop is one for a single thread, from here on. */
static void
make_serial(IrBlock *b, IrStmt *s, void *unused)
{
    (void)b;
    (void)unused;
    if (s->kind == IS_LOOP && s->loop == LOOP_PAR && ir_find_upcall(&s->body))
        s->loop = LOOP_SEQ;
}

void
upcalls_make_serial(IrModule *m)
{
    for (int i = 0; i < m->funcs.n; i++)
        ir_walk_block(&m->funcs.at[i]->body, make_serial, NULL);
}
