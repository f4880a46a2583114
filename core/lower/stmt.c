/* SPDX-License-Identifier: BSD-3-Clause
 * Statements. Each simple statement releases the arrays that it made and nobody kept; where
 * control flow meets, the moves that sema recorded convert variables to their joined types. */
#include "lower/internal.h"
#include <stdio.h>

/* ---- assignment --------------------------------------------------------------------------- */

static Val
elem_of_array(Lower *l, const Val *v, int64_t k, const Type *t)
{
    Val i = val_scalar(&l->b, type_scalar(l->cx->types, DT_i64, true), ir_int(l->cx, DT_i64, k));
    NpIndex ix = {.kind = NI_INT, .v = i};
    return np_subscript(&l->b, *v, 1, &ix, t);
}

static const Type *
target_type(Lower *l, const Node *t)
{
    const Info *i = sema_info(l->in, t);
    if (i->type)
        return i->type;
    return i->var ? i->var->type : NULL;
}

/* `a, b = array`: the first axis must have as many elements. */
static void
unpack_array(Lower *l, const Node *target, Val v)
{
    Arena *arena = &l->cx->arena;
    IrExpr *n = val_dim(&l->b, &v, 0), *want = ir_int(l->cx, DT_i64, target->n), *got = ir_copy_expr(l->cx, n);
    check(l, ir_op(l->cx, OP_le, ir_copy_expr(l->cx, n), want), "ValueError",
          arena_printf(arena, "too many values to unpack (expected %d)", target->n));
    const char *few = arena_printf(arena, "not enough values to unpack (expected %d, got %%0)", target->n);
    ir_check(&l->b, ir_op(l->cx, OP_eq, n, ir_copy_expr(l->cx, want)),
             ir_site(l->b.mod, "ValueError", few, l->b.span), 1, &got);
    Val *elem = NEW_N(&l->cx->arena, Val, target->n);
    for (int i = 0; i < target->n; i++) {
        const Type *at = v.type, *t = target_type(l, target->kid[i]);
        if (at->ndim == 1)
            t = type_scalar(l->cx->types, at->dtype, false);
        else if (!t || t->kind != TY_ARRAY)
            t = type_array(l->cx->types, at->dtype, at->ndim - 1,
                           at->layout == LAY_C ? LAY_C : LAY_A, at->readonly);
        elem[i] = pin(l, elem_of_array(l, &v, i, t));
    }
    for (int i = 0; i < target->n; i++)
        assign_target(l, target->kid[i], elem[i]);
}

static int
starred_at(const Node *target)
{
    for (int i = 0; i < target->n; i++)
        if (target->kid[i]->kind == N_Starred)
            return i;
    return -1;
}

static void
unpack(Lower *l, const Node *target, Val v)
{
    if (v.kind == VK_LAZY)
        v = np_materialize(&l->b, v, LAY_C);
    if (v.type->kind == TY_REF) {
        Val *elem = NEW_N(&l->cx->arena, Val, target->n);
        heap_unpack(l, v, target->n, elem);
        v = val_tuple(&l->b, v.type, target->n, elem);
    }
    if (v.kind == VK_ARRAY) {
        unpack_array(l, target, v);
        return;
    }
    int star = starred_at(target), extra = v.n - target->n;
    for (int i = 0, k = 0; i < target->n && k <= v.n; i++) {
        if (i != star) {
            assign_target(l, target->kid[i], v.elem[k++]);
            continue;
        }
        const Node *name = target->kid[i]->kid[0];
        Val rest = val_tuple(&l->b, target_type(l, name), extra + 1, v.elem + k);
        assign_target(l, name, rest);
        k += extra + 1;
    }
}

void
assign_target(Lower *l, const Node *t, Val v)
{
    const Info *info = sema_info(l->in, t);
    switch (t->kind) {
    case N_Name:
        if (info->var)
            var_assign(l, info->var, v);
        break;
    case N_Tuple:
    case N_List:
        unpack(l, t, v);
        break;
    case N_Starred:
        assign_target(l, t->kid[0], v);
        break;
    case N_Subscript:
    case N_Attribute: {
        const Type *of = sema_info(l->in, t->kid[0])->type;
        if (of && of->kind == TY_REF) {
            heap_assign(l, t, v);
            break;
        }
        Place p;
        place_of(l, t, &p);
        if (p.arr.type->kind == TY_ARRAY)
            v = stored(l, v, (DType)p.arr.type->dtype);
        record_store(l, p.arr, p.n, p.ix, v, info->type);
        break;
    }
    default:
        diag_add(&l->cx->diags, DIAG_unsupported, t->at, "assignment to this kind of target");
    }
}

/* In `a, b = b, a` every value is read before any target changes. */
static Val
pin_tuple(Lower *l, Val v)
{
    if (v.kind != VK_TUPLE)
        return v;
    Val out = v;
    out.elem = NEW_N(&l->cx->arena, Val, v.n);
    for (int i = 0; i < v.n; i++)
        out.elem[i] = pin(l, v.elem[i]);
    return out;
}

static void
lower_assign(Lower *l, const Node *n)
{
    Val v = expr(l, n->kid[0]);
    bool many = n->n > 2 || n->kid[1]->kind == N_Tuple || n->kid[1]->kind == N_List;
    if (n->n > 2 && v.kind == VK_LAZY)
        v = np_materialize(&l->b, v, LAY_C);
    if (many)
        v = v.kind == VK_TUPLE ? pin_tuple(l, v) : n->n > 2 ? pin(l, v) : v;
    else if (v.kind == VK_TUPLE)
        v = pin_tuple(l, v); /* t = (t[1], t[0]) stores element by element too */
    for (int i = 1; i < n->n; i++)
        assign_target(l, n->kid[i], v);
}

/* ---- augmented assignment ------------------------------------------------------------------- */

static Val
freeze_index(Lower *l, Val v)
{
    if (v.kind == VK_SCALAR)
        v.e = val_freeze(&l->b, v.e);
    return v;
}

/* left op= right: messages name the shape of an array on the left as that of the output, too. */
static Val
binop_into(Lower *l, const Node *n, const Call *c, Val left, Val right, const Type *result)
{
    l->b.into[0] = left.kind == VK_ARRAY ? left.arr : NULL;
    Val v = binop(l, n, c, n->op, left, right, result);
    l->b.into[0] = NULL;
    return v;
}

static void
aug_place(Lower *l, const Node *n, const Call *c)
{
    const Node *t = n->kid[0];
    const Type *sel = sema_info(l->in, t)->type;
    Place p;
    place_of(l, t, &p);
    for (int i = 0; i < p.n; i++)
        p.ix[i].v = freeze_index(l, p.ix[i].v);
    if (sel && type_is_array(sel)) {
        Val view = np_view_of(&l->b, p.arr, p.n, p.ix, sel), r = expr(l, n->kid[1]);
        need_operands(l, n->op, true, &view, &r);
        np_assign_out(&l->b, &view, binop_into(l, n, c, view, r, sel));
        return;
    }
    Val old = np_subscript(&l->b, p.arr, p.n, p.ix, type_scalar(l->cx->types, p.arr.type->dtype, false));
    if (impure(l, n->kid[1]))
        old = pin(l, old);
    Val r = expr(l, n->kid[1]);
    need_operands(l, n->op, true, &old, &r);
    const Type *res = sema_info(l->in, n)->type;
    if (!res && c)
        res = type_scalar(l->cx->types, c->out[0], false);
    np_store(&l->b, p.arr, p.n, p.ix, binop(l, n, c, n->op, old, r, res), NULL);
}

static void
lower_aug(Lower *l, const Node *n)
{
    const Info *info = sema_info(l->in, n);
    const Node *t = n->kid[0];
    const Type *of = t->kind == N_Subscript ? sema_info(l->in, t->kid[0])->type : NULL;
    if (of && of->kind == TY_REF) {
        heap_update(l, n);
        return;
    }
    if (info->call && info->call->kind == CALL_INST) { /* of a list, which it changes */
        lower_call(l, n);
        return;
    }
    if (t->kind == N_Subscript || t->kind == N_Attribute) {
        aug_place(l, n, info->call);
        return;
    }
    const Info *ti = sema_info(l->in, t);
    Val old = expr(l, t);
    if (impure(l, n->kid[1]))
        old = pin(l, old);
    Val r = expr(l, n->kid[1]);
    need_operands(l, n->op, true, &old, &r);
    const Type *res = info->type ? info->type : ti->var ? ti->var->type : old.type;
    Val v = binop_into(l, n, info->call, old, r, res);
    if (old.kind == VK_ARRAY && type_is_array(old.type)) {
        np_assign_out(&l->b, &old, v); /* in place, as NumPy does */
        return;
    }
    const Var *to = info->var ? info->var : ti->var; /* the type may change: s = 0; s += 0.5 */
    if (to)
        var_assign(l, to, v);
}

/* ---- control flow ----------------------------------------------------------------------------- */

void
lower_branch(Lower *l, IrBlock *into, const Node *block, const Node *at, EdgeKind k)
{
    IrBlock *save = l->b.at;
    l->b.at = into;
    if (block)
        lower_block(l, block);
    IrStmt *last = into->last;
    if (!last || (last->kind != IS_RETURN && last->kind != IS_RAISE &&
                  last->kind != IS_BREAK && last->kind != IS_CONTINUE))
        edge_moves(l, at, k);
    l->b.at = save;
}

static void
lower_if(Lower *l, const Node *n)
{
    const Const *known = sema_info(l->in, n->kid[0])->cst;
    int64_t v = -1;
    if (known && known->kind == CV_BOOL)
        v = known->b;
    if (v >= 0) {
        lower_branch(l, l->b.at, v ? n->kid[1] : n->kid[2], n, v ? EDGE_THEN : EDGE_ELSE);
        return;
    }
    IrExpr *cond = truth(l, n->kid[0]);
    if (ir_is_const(cond, &v)) {
        lower_branch(l, l->b.at, v ? n->kid[1] : n->kid[2], n, v ? EDGE_THEN : EDGE_ELSE);
        return;
    }
    IrStmt *s = ir_if(&l->b, cond);
    const Call *c = n->kid[0]->kind == N_Call ? sema_info(l->in, n->kid[0])->call : NULL;
    s->cold = c && c->kind == CALL_BUILTIN && c->fn->id == BI_heap_rare;
    lower_branch(l, &s->body, n->kid[1], n, EDGE_THEN);
    lower_branch(l, &s->els, n->kid[2], n, EDGE_ELSE);
}

static void
lower_jump(Lower *l, const Node *n)
{
    if (!leave_tries(l, false))
        return;
    edge_moves(l, n, EDGE_JUMP);
    if (n->kind == N_Break && l->loop && l->loop->broke)
        ir_set(&l->b, l->loop->broke, ir_int(l->cx, DT_bool, 1));
    ir_append(&l->b, n->kind == N_Break ? IS_BREAK : IS_CONTINUE);
}

void
return_val(Lower *l, Val v)
{
    v = val_convert(&l->b, v, l->in->ret);
    v = l->tries ? pin(l, v) : pin_tuple(l, v);
    if (!leave_tries(l, true))
        return;
    IrArg *args = NEW_N(&l->cx->arena, IrArg, flat_count(&v));
    ir_return(&l->b, flatten(&v, args, 0), args);
}

static void
lower_return(Lower *l, const Node *n)
{
    Val v = val_none(&l->b);
    if (n->n && n->kid[0]) {
        v = expr(l, n->kid[0]);
        if (v.kind == VK_NONE && l->in->ret->kind != TY_NONE && !type_is_optional(l->in->ret)) { /* a call that has raised */
            ir_raise(&l->b, ir_site(l->b.mod, "SystemError", "unreachable", n->at), 0, NULL);
            return;
        }
        if (v.kind == VK_LAZY)
            v = np_materialize(&l->b, v, type_value(l->in->ret)->layout == LAY_F ? LAY_F : LAY_C);
    }
    return_val(l, v);
}

/* ---- exceptions --------------------------------------------------------------------------------- */

enum { MAX_PRINTED = 10, MAX_RAISED = 4 }; /* run-time values in one message */

typedef struct Format {
    StrBuf text;
    IrExpr *arg[MAX_PRINTED];
    int n, max;
} Format;

static void
format_text(Format *f, const char *s)
{
    for (; *s; s++)
        sb_addn(&f->text, *s == '%' ? "%%" : s, *s == '%' ? 2 : 1);
}

static const char *
escaped(Lower *l, const char *s)
{
    Format f = {.max = 0};
    format_text(&f, s);
    return sb_keep(&f.text, &l->cx->arena);
}

static bool
has_room(Lower *l, const Format *f, int n)
{
    bool ok = f->n + n <= f->max;
    if (!ok)
        diag_add(&l->cx->diags, DIAG_unsupported, l->b.span, "more than %d values in one message",
                 f->max);
    return ok;
}

/* {x:.2f}: the specification, which sema has checked, goes with the value's letter. */
static void
format_as(Lower *l, Format *f, IrExpr *e, const char *spec)
{
    NumSpec s;
    DType d = e->dtype;
    numspec_read(&s, spec, 0);
    bool is_float = dtype_is_float(d) || numspec_is_float(&s), is_uint = dtype_kind(d) == DK_UINT;
    if (!has_room(l, f, 1))
        return;
    sb_addf(&f->text, "%%%d%c%s;", f->n, is_float ? 'G' : is_uint ? 'U' : 'D', spec);
    f->arg[f->n++] = ir_cast(l->cx, is_float ? DT_f64 : is_uint ? DT_u64 : DT_i64, e);
}

static void
format_scalar(Lower *l, Format *f, IrExpr *e)
{
    DType d = e->dtype;
    bool z = dtype_is_complex(d);
    if (!has_room(l, f, 1 + z))
        return;
    char spec = z ? 'z' : d == DT_f64 ? 'g' : dtype_is_float(d) ? 'f' : d == DT_bool ? 'b'
              : dtype_kind(d) == DK_UINT ? 'u' : 'd';
    sb_addf(&f->text, "%%%d%c", f->n, spec);
    if (z) {
        e = ir_cast(l->cx, DT_c128, e);
        f->arg[f->n++] = ir_op(l->cx, OP_real, ir_copy_expr(l->cx, e));
        f->arg[f->n++] = ir_op(l->cx, OP_imag, e);
    } else {
        f->arg[f->n++] = ir_cast(l->cx, dtype_is_float(d) ? DT_f64 : spec == 'u' ? DT_u64 : DT_i64, e);
    }
}

static void format_val(Lower *l, Format *f, const Val *v);

/* As repr() has it: a string in quotes. */
static void
format_repr(Lower *l, Format *f, const Val *v)
{
    bool quoted = v->cst && v->cst->kind == CV_STR;
    const char *quote = quoted && strchr(v->cst->str, '\'') ? "\"" : "'";
    sb_add(&f->text, quoted ? quote : "");
    format_val(l, f, v);
    sb_add(&f->text, quoted ? quote : "");
}

static void
format_optional(Lower *l, Format *f, const Val *v)
{
    if (!has_room(l, f, 1))
        return;
    sb_addf(&f->text, "%%%d?", f->n);
    f->arg[f->n++] = ir_cast(l->cx, DT_i64, ir_copy_expr(l->cx, v->elem[0].e));
    format_val(l, f, &v->elem[1]);
    sb_add(&f->text, "%|None%.");
}

static void
format_val(Lower *l, Format *f, const Val *v)
{
    if (v->cst && v->cst->kind == CV_STR) {
        format_text(f, v->cst->str);
    } else if (v->kind == VK_SCALAR) {
        format_scalar(l, f, v->e);
    } else if (v->kind == VK_TUPLE && type_is_optional(v->type)) {
        format_optional(l, f, v);
    } else if (v->kind == VK_TUPLE) {
        sb_add(&f->text, "(");
        for (int i = 0; i < v->n; i++) {
            format_repr(l, f, &v->elem[i]);
            sb_add(&f->text, i + 1 < v->n ? ", " : v->n == 1 ? "," : "");
        }
        sb_add(&f->text, ")");
    } else if (val_is_arraylike(v)) {
        diag_add(&l->cx->diags, DIAG_unsupported, l->b.span,
                 "an array in a message; print its elements or its shape");
    } else {
        sb_add(&f->text, "None");
    }
}

static void format_values(Lower *l, Format *f, int n_parts, Node *const *part, const char *sep);

static void
format_part(Lower *l, Format *f, const Node *p)
{
    if (p->kind == N_FormattedValue && p->kid[0]->kind == N_JoinedStr) {
        format_values(l, f, p->kid[0]->n, p->kid[0]->kid, "");
        return;
    }
    Val v = pin(l, expr(l, p->kind == N_FormattedValue ? p->kid[0] : p));
    const Const *spec = p->kind == N_FormattedValue ? p->val : NULL;
    bool single = v.kind == VK_SCALAR && dtype_is_float(v.e->dtype) && v.e->dtype != DT_f64;
    if (spec && spec->str[0])
        format_as(l, f, v.e, spec->str);
    else if (single && p->kind == N_FormattedValue && p->op < 0)
        format_scalar(l, f, ir_cast(l->cx, DT_f64, v.e)); /* NumPy formats it as a float */
    else
        format_val(l, f, &v);
}

/* The parts of a message one after the other, with a place for each run-time value. */
static void
format_values(Lower *l, Format *f, int n_parts, Node *const *part, const char *sep)
{
    const char *between = "";
    for (int i = 0; i < n_parts; i++) {
        const Node *p = part[i];
        Val tuple = p->kind == N_Starred ? pin(l, expr(l, p->kid[0])) : (Val){.n = 1};
        for (int k = 0; k < tuple.n; k++, between = sep) {
            sb_add(&f->text, between);
            if (p->kind == N_Starred)
                format_val(l, f, &tuple.elem[k]);
            else if (p->kind == N_JoinedStr)
                format_values(l, f, p->n, p->kid, "");
            else
                format_part(l, f, p);
        }
    }
}

static int
format_site(Lower *l, Format *f, const char *cls, Span at)
{
    return ir_site(l->b.mod, cls, sb_keep(&f->text, &l->cx->arena), at);
}

static const char *
text_option(Lower *l, const Node *call, const char *name, const char *usual)
{
    for (int i = 1; i < call->n; i++) {
        const Node *k = call->kid[i];
        const Const *c = k->kind == N_Keyword ? sema_info(l->in, k->kid[0])->cst : NULL;
        if (c && c->kind == CV_STR && strcmp(k->name, name) == 0)
            return escaped(l, c->str);
    }
    return usual;
}

/* f'...' or 'a' if c else 'b', other than as a part of a message. */
Val
lower_made_string(Lower *l, const Node *n)
{
    Diag *d = diag_add(&l->cx->diags, DIAG_unsupported, n->at, "a string made at run time is not supported");
    bool choice = n->kind == N_IfExp;
    diag_hint(&l->cx->diags, d, choice ? "write an if statement with a message in each branch"
                                       : "f-strings may be the message of an exception, or printed");
    return val_none(&l->b);
}

void
lower_print(Lower *l, const Node *call)
{
    Format f = {.max = MAX_PRINTED};
    Node **part = NEW_N(&l->cx->arena, Node *, call->n);
    int n = 0;
    for (int i = 1; i < call->n; i++)
        if (call->kid[i]->kind != N_Keyword)
            part[n++] = call->kid[i];
    format_values(l, &f, n, part, text_option(l, call, "sep", " "));
    sb_add(&f.text, text_option(l, call, "end", "\n"));
    IrStmt *s = ir_append(&l->b, IS_PRINT);
    s->site = format_site(l, &f, "print", call->at);
    s->n_args = f.n;
    s->args = NEW_N(&l->cx->arena, IrArg, f.n);
    for (int i = 0; i < f.n; i++)
        s->args[i].e = f.arg[i];
}

/* Several arguments of an exception are shown as a tuple. */
static void
format_tuple(Lower *l, Format *f, int n, Node *const *part)
{
    for (int i = 0; i < n; i++) {
        sb_add(&f->text, i ? ", " : "(");
        if (part[i]->kind == N_JoinedStr) {
            sb_add(&f->text, "'");
            format_values(l, f, part[i]->n, part[i]->kid, "");
            sb_add(&f->text, "'");
        } else {
            Val v = pin(l, expr(l, part[i]));
            format_repr(l, f, &v);
        }
    }
    sb_add(&f->text, ")");
}

void
raise_class(Lower *l, const char *cls, int n_msg, Node *const *msg)
{
    Format f = {.max = MAX_RAISED};
    if (n_msg > 1)
        format_tuple(l, &f, n_msg, msg);
    else
        format_values(l, &f, n_msg, msg, ", ");
    int site = format_site(l, &f, cls, l->b.span);
    ir_raise(&l->b, site, f.n, arena_dup(&l->cx->arena, f.arg, sizeof f.arg));
}

static void
lower_assert(Lower *l, const Node *n)
{
    IrExpr *ok = truth(l, n->kid[0]);
    int64_t v;
    if (ir_is_const(ok, &v) && v)
        return;
    IrStmt *s = ir_if(&l->b, ir_op(l->cx, OP_inv, ok));
    s->cold = true;
    IrBlock *save = l->b.at;
    l->b.at = &s->body;
    bool msg = n->n > 1 && n->kid[1];
    raise_class(l, "AssertionError", msg, msg ? &n->kid[1] : NULL);
    l->b.at = save;
}

static void
lower_delete(Lower *l, const Node *n)
{
    for (int i = 0; i < n->n; i++) {
        const Info *info = sema_info(l->in, n->kid[i]);
        if (info->call)
            lower_call(l, n->kid[i]); /* del x[i] */
        if (info->var) {
            check_bound(l, n->kid[i]);
            flag_set(l, info->var, false);
            Val v = var_val(l, info->var);
            if (v.kind == VK_ARRAY && !v.arr->is_param)
                ir_drop(&l->b, v.arr);
        }
    }
}

/* Defaults of a nested function that are not constants: evaluated here, used by its calls. */
static void
keep_defaults(Lower *l, const FuncDef *fd)
{
    for (int i = 0; i < fd->n_params; i++) {
        const Node *d = fd->params[i].def_node;
        const Var *kept = d ? sema_info(l->in, d)->hidden : NULL;
        if (kept)
            var_assign(l, kept, pin(l, expr(l, d)));
    }
}

/* ---- dispatch -------------------------------------------------------------------------------------- */

static void
lower_expr_stmt(Lower *l, const Node *n)
{
    l->unused = n->kid[0];
    Val v = expr(l, n->kid[0]);
    l->unused = NULL;
    if (v.kind == VK_LAZY)
        np_materialize(&l->b, v, LAY_C); /* its errors are wanted, if not its value */
    else if (v.kind == VK_SCALAR && v.e->kind != IX_CONST && v.e->kind != IX_VAR)
        ir_temp(&l->b, v.e);
}

static void
lower_inner(Lower *l, const Node *n)
{
    switch (n->kind) {
    case N_Expr: lower_expr_stmt(l, n); break;
    case N_Assign: lower_assign(l, n); break;
    case N_AnnAssign:
        if (n->n > 1 && n->kid[1])
            assign_target(l, n->kid[0], expr(l, n->kid[1]));
        break;
    case N_AugAssign: lower_aug(l, n); break;
    case N_If: lower_if(l, n); break;
    case N_While: lower_while(l, n); break;
    case N_For: lower_for(l, n); break;
    case N_Break:
    case N_Continue: lower_jump(l, n); break;
    case N_Return: lower_return(l, n); break;
    case N_Raise: lower_raise(l, n); break;
    case N_Assert: lower_assert(l, n); break;
    case N_Try: lower_try(l, n); break;
    case N_Delete: lower_delete(l, n); break;
    case N_FunctionDef: {
        const Info *i = sema_info(l->in, n);
        keep_defaults(l, n->fn);
        if (i->var)
            flag_set(l, i->var, true);
        break;
    }
    case N_Block: lower_block(l, n); break;
    case N_With: lower_with(l, n); break;
    case N_Pass: break;
    default:
        diag_add(&l->cx->diags, DIAG_internal, n->at, "statement kind %s reached the lowering",
                 node_kind_name[n->kind]);
    }
}

static void
raise_unbound(Lower *l, const Node *name)
{
    l->b.span = name->at;
    ir_raise(&l->b, ir_site(l->b.mod, "UnboundLocalError", unbound_text(l, name->name), name->at), 0, NULL);
}

void
lower_stmt(Lower *l, const Node *n)
{
    if (sema_info(l->in, n)->dead)
        return;
    Span save = l->b.span;
    l->b.span = n->at;
    int mark = drop_mark(l);
    const Node *unbound = sema_info(l->in, n)->unbound;
    if (unbound)
        raise_unbound(l, unbound);
    else
        lower_inner(l, n);
    drop_temps(l, mark);
    l->b.span = save;
}

/* label('N') as a statement: its name, "_" as any other; NULL: not one. */
static const char *
label_of(Lower *l, const Node *n)
{
    const Node *e = n->kind == N_Expr && !sema_info(l->in, n)->dead ? n->kid[0] : NULL;
    const Call *c = e && e->kind == N_Call ? sema_info(l->in, e)->call : NULL;
    if (!c || c->kind != CALL_BUILTIN || c->fn->id != BI_py_label)
        return NULL;
    const Const *name = sema_info(l->in, c->arg[0])->cst;
    return name && name->kind == CV_STR ? name->str : "_";
}

/* The labels that begin at block->kid[i] go to the builder, for the statement after them.
 * Array expressions in a library function have those of its caller. */
static int
take_labels(Lower *l, const Node *block, int i)
{
    const char *name;
    int n = 0;
    while (i + n < block->n && label_of(l, block->kid[i + n]))
        n++;
    l->b.f->labels = n ? NEW_N(&l->cx->arena, const char *, n) : NULL;
    for (int k = 0; k < n; k++) {
        name = label_of(l, block->kid[i + k]);
        l->b.f->labels[k] = strcmp(name, "_") ? name : NULL;
    }
    l->b.f->n_labels = n;
    if (!n && l->as && i < block->n && block->kid[i]->kind != N_For) {
        l->b.f->labels = l->as->labels;
        l->b.f->n_labels = l->as->n_labels;
    }
    return n;
}

void
lower_block(Lower *l, const Node *block)
{
    for (int i = 0; i < block->n; i++) {
        i += take_labels(l, block, i);
        if (i < block->n)
            lower_stmt(l, block->kid[i]);
        l->b.f->n_labels = 0;
        IrStmt *last = l->b.at->last;
        if (last && ir_does(last, ST_LEAVES))
            break; /* what follows is never reached */
    }
}
