/* SPDX-License-Identifier: BSD-3-Clause
 * Checks the rules of ir.h: dtypes agree, indices are int64 and as many as the array has axes,
 * every variable belongs to the function, jumps have a loop to leave. The first violation is
 * returned as text with the statement it is in; a pass that leaves one has a bug. */
#include "ir/ir.h"

#include <stdio.h>

typedef struct Verifier {
    const IrModule *m;
    const IrFunc *f;
    int loops; /* nesting depth */
    int handlers;
    Map loop_vars; /* variables of the loops around */
    char *error;
} Verifier;

SW_PRINTF(2, 3)
static bool
fail(Verifier *v, const char *fmt, ...)
{
    char buf[400];
    va_list ap;
    if (v->error)
        return false;
    va_start(ap, fmt);
    vsnprintf(buf, sizeof buf, fmt, ap);
    va_end(ap);
    v->error = arena_printf(&v->m->cx->arena, "%s: %s", v->f->name, buf);
    return false;
}

static bool
check_var(Verifier *v, const IrVar *x, bool is_array)
{
    if (!x)
        return fail(v, "a variable is missing");
    if (x->id < 0 || x->id >= v->f->vars.n || v->f->vars.at[x->id] != x)
        return fail(v, "variable '%s' is not of this function", x->name);
    if (x->is_array != is_array)
        return fail(v, "variable '%s' is %s array here", x->name, is_array ? "no" : "an");
    return true;
}

/* ---- expressions ------------------------------------------------------------------------- */

static bool check_expr(Verifier *v, const IrExpr *e);

static bool
check_i64s(Verifier *v, IrExpr *const *e, int n, const char *what)
{
    for (int i = 0; i < n; i++) {
        if (!check_expr(v, e[i]))
            return false;
        if (e[i]->dtype != DT_i64)
            return fail(v, "%s %d is %s, not i64", what, i, dtype_info[e[i]->dtype].id);
    }
    return true;
}

static bool
check_access(Verifier *v, const IrVar *arr, IrExpr *const *idx, int n)
{
    if (!check_var(v, arr, true))
        return false;
    if (n != arr->ndim)
        return fail(v, "'%s' has %d axes, %d indices given", arr->name, arr->ndim, n);
    return check_i64s(v, idx, n, "index");
}

static bool
op_takes(IrOp op, DType d)
{
    DKind k = dtype_kind(d);
    switch (op) {
    case OP_div:
    case OP_sqrt:
    case OP_copysign:
        return k == DK_FLOAT || k == DK_COMPLEX;
    case OP_and:
    case OP_or:
    case OP_xor:
    case OP_inv:
        return k == DK_BOOL || k == DK_INT || k == DK_UINT;
    case OP_shl:
    case OP_shr:
    case OP_tdiv:
        return k == DK_INT || k == DK_UINT;
    case OP_wrap:
        return d == DT_i64;
    case OP_select:
        return k == DK_BOOL;
    case OP_mkcomplex:
    case OP_toint:
        return d == DT_f32 || d == DT_f64;
    default:
        return true;
    }
}

static bool
check_op(Verifier *v, const IrExpr *e)
{
    const OpInfo *op = &op_info[e->op];
    if (e->n != op->n)
        return fail(v, "%s takes %d operands", op->name, op->n);
    DType d0 = (DType)e->arg[0]->dtype, d1 = (DType)e->arg[op->n > 1]->dtype;
    if (!op_takes((IrOp)e->op, d0))
        return fail(v, "%s of %s", op->name, dtype_info[d0].id);
    int first = e->op == OP_select ? 2 : 1;
    for (int i = first; i < e->n && e->op != OP_ldexp && e->op != OP_bits; i++)
        if (e->arg[i]->dtype != e->arg[first - 1]->dtype)
            return fail(v, "operands of %s are %s and %s", op->name,
                        dtype_info[e->arg[first - 1]->dtype].id, dtype_info[e->arg[i]->dtype].id);
    if (e->op == OP_bits &&
        (dtype_size(d0) != dtype_size(d1) || dtype_is_float(d0) == dtype_is_float(d1)))
        return fail(v, "bits of %s can't be %s", dtype_info[d0].id, dtype_info[d1].id);
    if (e->dtype != op_result((IrOp)e->op, d0, d1))
        return fail(v, "%s has dtype %s", op->name, dtype_info[e->dtype].id);
    if (e->flags & IXF_EXACT &&
        !(e->dtype == DT_i64 && (e->op == OP_add || e->op == OP_sub || e->op == OP_mul)))
        return fail(v, "%s of %s can't be said not to wrap", op->name, dtype_info[d0].id);
    return true;
}

static bool
check_cast(Verifier *v, const IrExpr *e)
{
    if (e->n != 1)
        return fail(v, "a cast takes one operand");
    DType to = (DType)e->dtype, from = (DType)e->arg[0]->dtype;
    if (e->flags & IXF_ANY &&
        !(dtype_is_int(to) && to != DT_u64 && (from == DT_f32 || from == DT_f64)))
        return fail(v, "a cast of %s to %s yields one value", dtype_info[from].id,
                    dtype_info[to].id);
    return true;
}

static bool
check_expr(Verifier *v, const IrExpr *e)
{
    if (!e)
        return fail(v, "an expression is missing");
    for (int i = 0; i < e->n; i++)
        if (!check_expr(v, e->arg[i]))
            return false;
    switch (e->kind) {
    case IX_CONST:
        return true;
    case IX_VAR:
        if (!check_var(v, e->var, false))
            return false;
        return e->dtype == e->var->dtype || fail(v, "use of '%s' has another dtype", e->var->name);
    case IX_OP:
        return check_op(v, e);
    case IX_CAST:
        return check_cast(v, e);
    case IX_LOAD:
        if (!check_access(v, e->var, e->arg, e->n))
            return false;
        return e->dtype == e->var->dtype || fail(v, "load of '%s' has another dtype", e->var->name);
    case IX_DIM:
    case IX_STRIDE:
        if (!check_var(v, e->var, true))
            return false;
        return e->axis < e->var->ndim || fail(v, "'%s' has no axis %d", e->var->name, e->axis);
    case IX_GEO:
        return (e->axis < GEO_COUNT && e->dtype == DT_i64) || fail(v, "a malformed geo");
    }
    return fail(v, "an expression of unknown kind");
}

static bool
check_typed(Verifier *v, const IrExpr *e, DType d, const char *what)
{
    if (!check_expr(v, e))
        return false;
    return e->dtype == d ||
           fail(v, "%s is %s, not %s", what, dtype_info[e->dtype].id, dtype_info[d].id);
}

/* ---- statements --------------------------------------------------------------------------- */

static bool check_block(Verifier *v, const IrBlock *b);

static bool
check_args(Verifier *v, const IrArg *a, int n)
{
    for (int i = 0; i < n; i++)
        if (a[i].arr ? !check_var(v, a[i].arr, true) : !check_expr(v, a[i].e))
            return false;
    return true;
}

static bool
same_kind(Verifier *v, const IrArg *a, bool is_out, const IrVar *p, int i)
{
    const IrVar *arr = a->arr;
    DType d = arr ? (DType)arr->dtype : is_out ? (DType)a->out->dtype : (DType)a->e->dtype;
    if ((arr != NULL) != p->is_array)
        return fail(v, "%s %d of a call: one is an array", is_out ? "result" : "argument", i);
    if (d != p->dtype || (arr && (arr->ndim != p->ndim || !ir_same_obj(arr, p))))
        return fail(v, "%s %d of a call has another type", is_out ? "result" : "argument", i);
    return true;
}

static bool
check_outs(Verifier *v, const IrStmt *s)
{
    for (int i = 0; i < s->n_outs; i++) {
        const IrArg *o = &s->outs[i];
        if (o->arr && !check_var(v, o->arr, true))
            return false;
        if (!o->arr && o->out && !check_var(v, o->out, false))
            return false;
        if (s->kind == IS_CALL && i < s->func->n_results && (o->arr || o->out) &&
            !same_kind(v, o, true, s->func->results[i], i))
            return false;
    }
    return true;
}

static bool
check_call(Verifier *v, const IrStmt *s)
{
    if (!s->func)
        return fail(v, "a call of nothing");
    if (!check_args(v, s->args, s->n_args))
        return false;
    if (s->n_args != s->func->n_params || s->n_outs > s->func->n_results)
        return fail(v, "call of %s with %d arguments, %d results", s->func->name, s->n_args,
                    s->n_outs);
    for (int i = 0; i < s->n_args; i++) {
        IrVar p = *s->func->vars.at[i];
        if (s->func->foreign && p.is_array && s->args[i].arr) /* a pointer, whatever the rank */
            p.ndim = s->args[i].arr->ndim;
        if (!same_kind(v, &s->args[i], false, &p, i))
            return false;
    }
    if (ir_is_kernel(s->func) && !ir_kernel_call_fits(s))
        return fail(v, "%s is given arrays of other ranks than its row says", s->func->name);
    return check_outs(v, s);
}

static bool
check_run(Verifier *v, const IrStmt *s)
{
    if (!s->func || s->n_idx != 2 || s->n_args + 1 != s->func->n_params || s->func->n_results)
        return fail(v, "a parallel run of nothing, or with the wrong number of arguments");
    if (!check_typed(v, s->idx[0], DT_i64, "chunks") ||
        !check_typed(v, s->idx[1], DT_i64, "workers") || !check_args(v, s->args, s->n_args))
        return false;
    for (int i = 0; i < s->n_args; i++)
        if (!same_kind(v, &s->args[i], false, s->func->vars.at[i + 1], i))
            return false;
    return true;
}

static bool
check_launch(Verifier *v, const IrStmt *s)
{
    if (!s->func || !s->func->kernel || s->n_idx != 2 || s->n_args != s->func->n_params ||
        s->func->n_results)
        return fail(v, "a launch of no kernel, or with the wrong number of arguments");
    if (!check_typed(v, s->idx[0], DT_i64, "threads") ||
        !check_typed(v, s->idx[1], DT_i64, "threads of a block") ||
        !check_args(v, s->args, s->n_args))
        return false;
    for (int i = 0; i < s->n_args; i++)
        if (!same_kind(v, &s->args[i], false, s->func->vars.at[i], i))
            return false;
    return true;
}

static bool
check_return(Verifier *v, const IrStmt *s)
{
    if (!check_args(v, s->args, s->n_args))
        return false;
    if (s->n_args != v->f->n_results)
        return fail(v, "return of %d values, %d declared", s->n_args, v->f->n_results);
    for (int i = 0; i < s->n_args; i++) {
        const IrVar *r = v->f->results[i];
        const IrArg *a = &s->args[i];
        if ((a->arr != NULL) != r->is_array || (a->arr ? a->arr->dtype : a->e->dtype) != r->dtype)
            return fail(v, "result %d has another type", i);
    }
    return true;
}

static bool
check_array_def(Verifier *v, const IrStmt *s)
{
    if (!check_var(v, s->var, true) || !check_i64s(v, s->idx, s->n_idx, "dim or stride"))
        return false;
    if (s->kind == IS_CONSTARR) {
        if (s->n < 0 || s->n >= v->m->consts.n)
            return fail(v, "no constant array %d", s->n);
        const IrConstArray *c = &v->m->consts.at[s->n];
        return (c->dtype == s->var->dtype && c->ndim == s->var->ndim) ||
               fail(v, "constant array %d has another type", s->n);
    }
    if (s->kind == IS_ALLOC)
        return s->n_idx == s->var->ndim || fail(v, "alloc of '%s': dims", s->var->name);
    if (!check_var(v, s->base, true))
        return false;
    if (s->kind == IS_ALIAS)
        return (s->base->dtype == s->var->dtype && s->base->ndim == s->var->ndim &&
                ir_same_obj(s->base, s->var)) ||
               fail(v, "'%s' and '%s' differ in type", s->var->name, s->base->name);
    return check_typed(v, s->e, DT_i64, "offset of a view") &&
           (s->n_idx == 2 * s->var->ndim || fail(v, "view of '%s': dims", s->var->name));
}

/* Of an object whose words are known, a word that holds a reference. */
static bool
check_word(Verifier *v, const IrStmt *s)
{
    int64_t k;
    if (!check_access(v, s->base, s->idx, s->n_idx) ||
        ((s->var || s->kind == IS_GET) && !check_var(v, s->var, true)))
        return false;
    if (!s->base->obj)
        return fail(v, "'%s' holds no references", s->base->name);
    if (!ir_is_object(s->base))
        return !s->var || ir_is_object(s->var) ||
               fail(v, "'%s' holds references to objects only", s->base->name);
    int n = (int)strlen(s->base->obj), need = s->var ? ir_ref_words(s->var) : 1;
    if (!ir_is_const(s->idx[0], &k) || k < 0 || k + need > n || s->base->obj[k] != 'p')
        return fail(v, "'%s' has no reference there", s->base->name);
    if (!s->var && s->base->obj[k + 1] == 'w')
        return fail(v, "an array in '%s' can't be nothing", s->base->name);
    for (int i = 1; i < need; i++)
        if (s->base->obj[k + i] != 'w')
            return fail(v, "'%s' has no room for an array there", s->base->name);
    return true;
}

static bool
check_obj(Verifier *v, const IrVar *x)
{
    if (!x->obj)
        return true;
    bool words = x->is_array && x->ndim == 1 && x->dtype == DT_i64 && x->layout == LAY_C;
    bool known =
        !strcmp(x->obj, OBJ_ARRAY) || (x->obj[0] && strspn(x->obj, "wp") == strlen(x->obj));
    return (words && known) || fail(v, "'%s' can't be a reference to \"%s\"", x->name, x->obj);
}

static bool
check_loop(Verifier *v, const IrStmt *s)
{
    int64_t step;
    if (!check_var(v, s->var, false) || s->n_idx != 3 ||
        !check_i64s(v, s->idx, 3, "bound of a loop"))
        return fail(v, "a malformed loop");
    if (!ir_is_const(s->idx[2], &step) || step == 0)
        return fail(v, "the step of loop '%s' is not a nonzero constant", s->var->name);
    if (s->var->dtype != DT_i64)
        return fail(v, "loop variable '%s' is not i64", s->var->name);
    if (s->lanes > 1 && !s->independent)
        return fail(v, "loop '%s' has lanes, and is not known to be independent", s->var->name);
    if (map_get(&v->loop_vars, s->var))
        return fail(v, "loop variable '%s' is that of an outer loop", s->var->name);
    map_put(&v->m->cx->arena, &v->loop_vars, s->var, v);
    v->loops++;
    bool ok = check_block(v, &s->body);
    v->loops--;
    map_put(&v->m->cx->arena, &v->loop_vars, s->var, NULL);
    return ok;
}

static bool
check_while(Verifier *v, const IrStmt *s)
{
    v->loops++;
    bool ok = check_block(v, &s->pre) && check_typed(v, s->e, DT_bool, "condition") &&
              check_block(v, &s->body);
    v->loops--;
    return ok;
}

static bool
check_try(Verifier *v, const IrStmt *s)
{
    if (!check_block(v, &s->body) || !check_block(v, &s->els))
        return false;
    v->handlers++;
    bool ok = true;
    for (int i = 0; i < s->n_handlers && ok; i++)
        ok = check_block(v, &s->handlers[i].body);
    v->handlers--;
    return ok;
}

static bool
check_site(Verifier *v, const IrStmt *s)
{
    if (s->site < 0 || s->site >= v->m->sites.n)
        return fail(v, "no site %d", s->site);
    return check_args(v, s->args, s->n_args);
}

static bool
check_out(Verifier *v, const IrVar *x, DType d, const char *what)
{
    return check_var(v, x, false) &&
           (x->dtype == d ||
            fail(v, "result of %s is %s, not %s", what, dtype_info[x->dtype].id, dtype_info[d].id));
}

static bool
check_barrier(Verifier *v, const IrStmt *s)
{
    if (s->order >= BAR_COUNT_ || s->n < 0 || s->n >= VOTE_COUNT_ || !s->n != !s->var ||
        !s->n != !s->e || (s->n && s->order != BAR_BLOCK))
        return fail(v, "a malformed barrier");
    return !s->n || (check_typed(v, s->e, DT_bool, "vote") && check_out(v, s->var, DT_i32, "vote"));
}

static bool
check_atomic(Verifier *v, const IrStmt *s)
{
    if (s->order >= ATOM_COUNT_ || s->n_args != (s->order == ATOM_CAS))
        return fail(v, "a malformed atomic");
    const char *what = ir_atomic_words[s->order];
    if (!check_access(v, s->base, s->idx, s->n_idx))
        return false;
    DType d = (DType)s->base->dtype;
    bool whole = dtype_is_int(d) || d == DT_bool,
         bits = s->order >= ATOM_AND && s->order <= ATOM_XOR;
    if ((bits || s->order >= ATOM_INC) && !whole)
        return fail(v, "atomic %s of %s", what, dtype_info[d].id);
    return check_typed(v, s->e, d, "operand") &&
           (!s->n_args || check_typed(v, s->args[0].e, d, "operand")) &&
           (!s->var || check_out(v, s->var, d, what));
}

static bool
check_warp(Verifier *v, const IrStmt *s)
{
    if (s->order >= WARP_COUNT_ || !s->e != (s->order == WARP_ACTIVE) ||
        s->n_outs != (s->order == WARP_MATCH_ALL) ||
        s->n_args != (s->order <= WARP_SHFL_XOR ? 2 : s->order != WARP_ACTIVE))
        return fail(v, "a malformed operation of a warp");
    const char *what = ir_warp_words[s->order];
    if (s->e && !check_expr(v, s->e))
        return false;
    for (int i = 0; i < s->n_args; i++)
        if (!check_typed(v, s->args[i].e, DT_i64, "operand"))
            return false;
    bool votes = s->order >= WARP_ANY && s->order <= WARP_BALLOT;
    if (votes && !check_typed(v, s->e, DT_bool, "operand"))
        return false;
    DType d = s->order <= WARP_SHFL_XOR ? (DType)s->e->dtype
              : s->order <= WARP_EQ     ? DT_bool
                                        : DT_u32;
    return check_out(v, s->var, d, what) &&
           (!s->n_outs || check_out(v, s->outs[0].out, DT_bool, what));
}

static bool
check_piece(Verifier *v, const IrStmt *s, const FormPiece *f, const IrVar **array)
{
    switch (f->kind) {
    case FORM_ARRAY:
    case FORM_BASE:
        *array = f->kind == FORM_ARRAY ? s->var : s->base;
        return check_var(v, *array, true);
    case FORM_INDEX:
        return check_access(v, *array, s->idx, s->n_idx);
    case FORM_BOOL:
        return check_typed(v, s->e, DT_bool, "condition");
    case FORM_I64:
        return check_typed(v, s->e, DT_i64, "operand");
    case FORM_AXIS:
        return s->axis < (*array)->ndim || fail(v, "'%s' has no axis %d", (*array)->name, s->axis);
    case FORM_WORD: {
        int word = f->words->in_n ? s->n : s->order;
        return (word >= 0 && word < f->words->n) || fail(v, "no %s %d", f->words->what, word);
    }
    case FORM_VALUES:
        return check_args(v, s->args, s->n_args);
    case FORM_SITE:
        return (f->maybe && s->site < 0) || check_site(v, s);
    case FORM_TEXT:
    case FORM_N:
    case FORM_ORDER:
    case FORM_PLACE:
        break;
    }
    return true;
}

static bool
check_form(Verifier *v, const IrStmt *s)
{
    const char *at = stmt_info[s->kind].form;
    const IrVar *array = NULL;
    if (!*at)
        return fail(v, "a statement of unknown kind");
    for (FormPiece f; ir_form_next(&at, &f);)
        if (!check_piece(v, s, &f, &array))
            return false;
    return true;
}

static bool
check_stmt(Verifier *v, const IrStmt *s)
{
    switch (s->kind) {
    case IS_SET:
        if (!check_var(v, s->var, false))
            return false;
        if (map_get(&v->loop_vars, s->var))
            return fail(v, "'%s' is set inside its loop", s->var->name);
        return check_typed(v, s->e, (DType)s->var->dtype, s->var->name);
    case IS_STORE:
        return check_access(v, s->var, s->idx, s->n_idx) &&
               check_typed(v, s->e, (DType)s->var->dtype, "stored value");
    case IS_ALLOC:
    case IS_VIEW:
    case IS_ALIAS:
    case IS_CONSTARR:
        return check_array_def(v, s);
    case IS_GET:
    case IS_PUT:
        return check_word(v, s);
    case IS_LOOP:
        return check_loop(v, s);
    case IS_WHILE:
        return check_while(v, s);
    case IS_IF:
        return check_typed(v, s->e, DT_bool, "condition") && check_block(v, &s->body) &&
               check_block(v, &s->els);
    case IS_BREAK:
    case IS_CONTINUE:
        return v->loops > 0 || fail(v, "break or continue outside a loop");
    case IS_RETURN:
        return check_return(v, s);
    case IS_CALL:
        return check_call(v, s);
    case IS_RT:
        return check_args(v, s->args, s->n_args) && check_outs(v, s);
    case IS_TRY:
        return check_try(v, s);
    case IS_RERAISE:
        return v->handlers > 0 || fail(v, "reraise outside a handler");
    case IS_COPY:
        return check_form(v, s) &&
               ((s->var->ndim == s->base->ndim && s->var->dtype == s->base->dtype) ||
                fail(v, "copy between arrays of different type"));
    case IS_PAR:
        return check_run(v, s);
    case IS_LAUNCH:
        return check_launch(v, s);
    case IS_BARRIER:
        return check_barrier(v, s);
    case IS_ATOMIC:
        return check_atomic(v, s);
    case IS_WARP:
        return check_warp(v, s);
    default:
        return check_form(v, s);
    }
}

static bool
check_block(Verifier *v, const IrBlock *b)
{
    const IrStmt *prev = NULL;
    for (const IrStmt *s = b->first; s; prev = s, s = s->next) {
        if (s->prev != prev)
            return fail(v, "a broken statement list");
        if (!check_stmt(v, s))
            return false;
    }
    return b->last == prev || fail(v, "a broken statement list");
}

/* ---- arrays that are used have been made ----------------------------------------------------- */

typedef struct Made {
    bool *made; /* by variable: somewhere before, or in the same round of a loop or one before */
    bool *set;  /* by variable: somewhere, to anything but the constant 0 */
    bool fails; /* something fails for certain, where it is reached */
    const IrVar *missing;
} Made;

static bool
is_zero(const IrExpr *e)
{
    return e->kind == IX_CONST && e->dtype == DT_bool && !e->i;
}

static void
note_var(IrVar *x, void *arg)
{
    ((Made *)arg)->set[x->id] = true;
}

static void
note_set(IrBlock *b, IrStmt *s, void *arg)
{
    (void)b;
    if (s->kind != IS_SET || !is_zero(s->e))
        ir_walk_defs(s, note_var, arg);
}

/* For certain? The flag of a variable that nothing sets is only ever false. */
static bool
is_false(const Made *m, const IrExpr *e)
{
    if (e->kind == IX_VAR)
        return !e->var->is_param && !e->var->is_array && !m->set[e->var->id];
    if (e->kind == IX_OP && e->op == OP_and && e->dtype == DT_bool)
        return is_false(m, e->arg[0]) || is_false(m, e->arg[1]);
    return is_zero(e);
}

static void
note_fails(IrBlock *b, IrStmt *s, void *arg)
{
    Made *m = arg;
    (void)b;
    m->fails |= s->kind == IS_RAISE || (s->kind == IS_CHECK && is_false(m, s->e));
}

static void
note_made(IrVar *x, void *arg)
{
    ((Made *)arg)->made[x->id] = true;
}

static void
note_defs(IrBlock *b, IrStmt *s, void *arg)
{
    (void)b;
    if (!ir_does(s, ST_ENDS))
        ir_walk_defs(s, note_made, arg);
}

static void
note_used(IrVar *x, unsigned how, void *arg)
{
    Made *m = arg;
    if (!m->set[x->id] && (m->fails || how == IR_NAMES))
        /* empty; a test asks it before a loop in which a check fails, or what uses it comes behind
         * that loop */
        return;
    if (x->is_array && !x->is_param && !m->made[x->id])
        m->missing = x;
}

static bool
note_expr(IrExpr **e, void *arg)
{
    if ((*e)->var)
        note_used((*e)->var, 0, arg);
    return true;
}

static void
note_block(Made *m, IrBlock *b)
{
    IrBlock *sub[IR_MAX_BLOCKS];
    for (IrStmt *s = b->first; s; s = s->next) {
        int n = ir_blocks(s, sub);
        if (s->kind == IS_IF && is_false(m, s->e)) {
            note_block(m, sub[1]);
            continue;
        }
        if (s->kind == IS_WHILE && is_false(m, s->e)) {
            note_block(m, &s->pre);
            continue;
        }
        for (int i = 0; ir_does(s, ST_REPEATS) && i < n; i++)
            ir_walk_block(sub[i], note_defs, m);
        ir_walk_stmt_exprs(s, note_expr, m);
        ir_walk_arrays(s, note_used, m);
        note_defs(b, s, m);
        for (int i = 0; i < n; i++)
            note_block(m, sub[i]);
        if (ir_does(s, ST_LEAVES) || (s->kind == IS_CHECK && is_false(m, s->e)))
            return; /* what follows never runs */
    }
}

/* On some path, that is: a variable that others leave unset is tested by its flag. */
static bool
check_made(Verifier *v)
{
    Made m = {.made = NEW_N(&v->m->cx->arena, bool, v->f->vars.n + 1),
              .set = NEW_N(&v->m->cx->arena, bool, v->f->vars.n + 1)};
    ir_walk_block((IrBlock *)&v->f->body, note_set, &m);
    ir_walk_block((IrBlock *)&v->f->body, note_fails, &m);
    note_block(&m, (IrBlock *)&v->f->body);
    return !m.missing || fail(v, "array '%s' is used where nothing has made it", m.missing->name);
}

/* ---- what lowering alone says: passes that copy statements copy what sets a temporary, too
 * ------------ */

typedef struct Once {
    uint8_t *sets; /* by variable */
    const IrVar *again;
} Once;

static void
count_def(IrVar *x, void *arg)
{
    Once *o = arg;
    if (x->once && o->sets[x->id]++)
        o->again = x;
}

static void
count_defs(IrBlock *b, IrStmt *s, void *arg)
{
    (void)b;
    ir_walk_defs(s, count_def, arg);
}

char *
ir_verify_lowered(const IrModule *m)
{
    for (int i = 0; i < m->funcs.n; i++) {
        Verifier v = {.m = m, .f = m->funcs.at[i]};
        Once o = {NEW_N(&m->cx->arena, uint8_t, v.f->vars.n + 1), NULL};
        ir_walk_block((IrBlock *)&v.f->body, count_defs, &o);
        if (o.again && !fail(&v, "temporary '%s' is set again", o.again->name))
            return v.error;
    }
    return ir_verify(m);
}

char *
ir_verify(const IrModule *m)
{
    for (int i = 0; i < m->funcs.n; i++) {
        Verifier v = {.m = m, .f = m->funcs.at[i]};
        for (int k = 0; k < v.f->vars.n; k++)
            if (v.f->vars.at[k]->id != k)
                fail(&v, "variable '%s' has a wrong id", v.f->vars.at[k]->name);
            else
                check_obj(&v, v.f->vars.at[k]);
        if (!v.error)
            check_block(&v, &v.f->body);
        if (!v.error && !v.f->foreign && !v.f->unit)
            check_made(&v);
        if (!v.error && ir_is_kernel(v.f) && !ir_kernel_fits(v.f))
            fail(&v, "there is no kernel '%s' of these parameters", v.f->foreign);
        if (v.error)
            return v.error;
    }
    return NULL;
}
