/* SPDX-License-Identifier: BSD-3-Clause
 * Exceptions that were caught, as values: an array of one SwError (see sema/caught.c), which calls
 * of the runtime read. */
#include "lower/internal.h"

enum { WORDS = 40 }; /* room for an SwError: rt/support.c asserts it */

static IrStmt *
call(Lower *l, IrRt rt, IrVar *arr, int n, IrExpr **more)
{
    IrStmt *s = ir_ask(&l->b, rt, 1 + n, NULL);
    s->args[0].arr = arr;
    for (int i = 0; i < n; i++)
        s->args[1 + i].e = more[i];
    return s;
}

/* First in a handler. */
void
caught_bind(Lower *l, const Node *handler)
{
    const Var *v = sema_info(l->in, handler)->var;
    if (!v || v->type->kind != TY_EXC || !v->type->n)
        return;
    IrExpr *n = i64(l, WORDS);
    IrVar *arr = ir_array_var(l->b.f, "caught", DT_i64, 1, LAY_C);
    ir_alloc(&l->b, arr, &n, LAY_C, true);
    call(l, RT_sw_err_look, arr, 0, NULL);
    Val held = val_array(&l->b, v->type->elems[0], arr, false);
    var_assign(l, v, val_tuple(&l->b, v->type, 1, &held));
}

void
caught_raise(Lower *l, Val e)
{
    call(l, RT_sw_err_give, e.elem[0].arr, 0, NULL);
    raise_(l, "SystemError", "unreachable");
    l->b.f->may_raise = true;
}

void
caught_nest(Lower *l, IrVar *e)
{
    call(l, RT_sw_err_nest, e, 0, NULL);
}

void
caught_print(Lower *l, IrVar *e)
{
    call(l, RT_sw_err_print, e, 0, NULL);
}

static IrExpr *
result(Lower *l, IrStmt *s, DType d)
{
    IrVar *out = ir_var(l->b.f, "argument", d);
    s->n_outs = 1;
    s->outs = NEW(&l->cx->arena, IrArg);
    s->outs[0].out = out;
    return ir_use(l->cx, out);
}

static void
need(Lower *l, IrVar *e, IrExpr **k)
{
    IrExpr *has = result(l, call(l, RT_sw_err_has, e, 2, k), DT_i64);
    check(l, ir_op(l->cx, OP_ne, has, i64(l, 0)), "TypeError",
          "this argument of the exception is missing, or of another type than where the try "
          "statement raises it");
}

/* str(e) as a value, or what else ERR_TEXT_... tells */
Val
caught_text(Lower *l, const Val *e, int64_t what)
{
    IrVar *arr[2];
    IrExpr *n = i64(l, 0);
    for (int k = 0; k < 2; k++) { /* how long it is; and the text */
        arr[k] = ir_array_var(l->b.f, "text", DT_u32, 1, LAY_C);
        ir_alloc(&l->b, arr[k], &n, LAY_C, false);
        IrStmt *s = call(l, RT_sw_err_text, e->elem[0].arr, 2, (IrExpr *[]){n, i64(l, what)});
        s->args[1] = (IrArg){.arr = arr[k]};
        n = val_freeze(&l->b, result(l, s, DT_i64));
    }
    const Type *t = type_text(l->cx->types);
    Val points = val_array(&l->b, t->elems[0], arr[1], false);
    return val_tuple(&l->b, t, 1, &points);
}

static Val
argument(Lower *l, const Val *of, int64_t k, const Type *t)
{
    IrVar *e = of->elem[0].arr;
    if (t->kind == TY_TEXT) {
        need(l, e, (IrExpr *[]){i64(l, k), i64(l, 's')});
        return caught_text(l, of, ERR_TEXT_ARG + k);
    }
    bool is_float = dtype_is_float((DType)t->storage);
    int64_t code = (t->weak ? 'w' : 'n') | (int64_t)t->storage << 8;
    need(l, e, (IrExpr *[]){i64(l, k), i64(l, code)});
    IrStmt *s = call(l, is_float ? RT_sw_err_float : RT_sw_err_int, e, 2,
                     (IrExpr *[]){i64(l, k), i64(l, code)});
    IrExpr *v = result(l, s, is_float ? DT_f64 : DT_i64);
    return val_scalar(&l->b, t, ir_cast(l->cx, (DType)t->storage, v));
}

/* e.args[k], of type t */
Val
caught_arg(Lower *l, const Node *n, const Type *t)
{
    Val e = expr(l, n->kid[0]->kid[0]);
    return argument(l, &e, sema_info(l->in, n->kid[1])->cst->i, t);
}

/* e.code, of type t */
Val
caught_attribute(Lower *l, const Node *n, Val e, const Type *t)
{
    if (!strcmp(n->name, "__name__")) /* of its class */
        return caught_text(l, &e, ERR_TEXT_CLASS);
    return argument(l, &e, sema_caught_attribute(e.type, n->name), t);
}

/* e.args */
Val
caught_args(Lower *l, Val e, const Type *t)
{
    Val *elem = NEW_N(&l->cx->arena, Val, t->n + 1);
    need(l, e.elem[0].arr, (IrExpr *[]){i64(l, t->n), i64(l, 0)});
    for (int i = 0; i < t->n; i++)
        elem[i] = argument(l, &e, i, t->elems[i]);
    return val_tuple(&l->b, t, t->n, elem);
}

/* type(e).__name__ */
Val
emit_py_class_name(Lower *l, const Node *at, const Call *c, const Type *t)
{
    const Const *known = sema_info(l->in, at)->cst;
    (void)t;
    if (known)
        return val_const(&l->b, known);
    Val e = expr(l, c->arg[0]);
    return caught_text(l, &e, ERR_TEXT_CLASS);
}
