/* SPDX-License-Identifier: BSD-3-Clause
 * Expressions -> Vals. An expression's statements (checks, calls) are appended as it is lowered;
 * what is left is a pure tree. A tree is evaluated where it is used, so an operand whose value
 * a later operand may change is pinned first. */
#include "ast/search.h"
#include "ir/search.h"
#include "lower/internal.h"

/* ---- effects and pinning --------------------------------------------------------------------- */

bool
call_is_pure(const Call *c)
{
    if (!c || c->kind == CALL_INST)
        return false;
    if (c->kind != CALL_BUILTIN)
        return true;
    if (c->fn->family == BF_GRID)
        return c->fn->rule == GG_MATH || c->fn->rule == GG_INDEX || c->fn->rule == GG_CONST;
    if (c->fn->flags & (STORES | PRINTS))
        return false;
    const RowParams *p = &builtin_params[c->fn->id];
    for (int k = 0; k < p->n && k < c->n_args; k++)
        if (p->at[k].kind == PK_OUT && c->arg[k])
            return false;
    return true;
}

bool
impure(const Lower *l, const Node *n)
{
    if (!n)
        return false;
    if (n->kind == N_NamedExpr)
        return true;
    const Call *c = sema_info(l->in, n)->call;
    if (n->kind == N_Call ? !call_is_pure(c) : c && c->kind == CALL_INST)
        return true;
    for (int i = 0; i < n->n; i++)
        if (impure(l, n->kid[i]))
            return true;
    return false;
}

int
last_impure(const Lower *l, const Node *n)
{
    int last = n->n - 1;
    while (last >= 0 && !impure(l, n->kid[last]))
        last--;
    return last;
}

Val
kid_value(Lower *l, const Node *n, int i)
{
    Val v = expr(l, n->kid[i]);
    return i < last_impure(l, n) ? pin(l, v) : v;
}

static bool
binds(const Node *n, const void *name)
{
    return n->kind == N_NamedExpr && n->kid[0]->name == name;
}

bool
rebound(const Lower *l, Sym name)
{
    return ast_find(l->stmt, binds, name) != NULL;
}

Val
pin(Lower *l, Val v)
{
    if (v.kind == VK_SCALAR) {
        int64_t k;
        if (v.e->kind != IX_CONST && !ir_is_const(v.e, &k))
            v.e = ir_use(l->cx, ir_temp(&l->b, v.e));
    } else if (v.kind == VK_LAZY) {
        v = np_materialize(&l->b, v, LAY_C);
    } else if (v.kind == VK_ARRAY && !v.temp) {
        IrVar *held =
            ir_array_var(l->b.f, v.arr->name, v.type->storage, v.type->ndim, v.type->layout);
        held->readonly = v.type->readonly, held->obj = v.arr->obj;
        ir_alias(&l->b, held, v.arr);
        v.arr = held;
    } else if (v.kind == VK_TUPLE) {
        Val *elem = NEW_N(&l->cx->arena, Val, v.n);
        for (int i = 0; i < v.n; i++)
            elem[i] = pin(l, v.elem[i]);
        v.elem = elem;
    }
    return v;
}

/* Lowers e into a block of its own: is it nothing but a tree that may always be evaluated? */
static Val
expr_apart(Lower *l, const Node *n, IrBlock *blk, bool *simple)
{
    IrBlock *save = l->b.at;
    l->b.at = blk;
    Val v = expr(l, n);
    l->b.at = save;
    *simple = !blk->first && v.kind == VK_SCALAR && !ir_loads(v.e);
    return v;
}

/* ---- tests ----------------------------------------------------------------------------------- */

static IrExpr *
boolean(Lower *l, bool v)
{
    return ir_int(l->cx, DT_bool, v);
}

static IrExpr *truth_of(Lower *l, const Node *n);

/* a and b, as a test: b's statements run only when a is true. */
static IrExpr *
truth_boolop(Lower *l, const Node *n, int from)
{
    if (from == n->n - 1)
        return truth_of(l, n->kid[from]);
    bool is_or = n->op == 1, over = sema_info(l->in, n->kid[from + 1])->dead;
    IrExpr *first = truth_of(l, n->kid[from]);
    int64_t known;
    if (over || ir_is_const(first, &known))
        return over || !!known == is_or ? boolean(l, is_or) : truth_boolop(l, n, from + 1);
    IrBlock rest = {0}, *save = l->b.at;
    l->b.at = &rest;
    IrExpr *second = truth_boolop(l, n, from + 1);
    l->b.at = save;
    if (!rest.first && !ir_loads(second))
        return ir_op(l->cx, is_or ? OP_or : OP_and, first, second);
    IrVar *t = ir_temp(&l->b, first);
    IrExpr *go_on = is_or ? ir_op(l->cx, OP_inv, ir_use(l->cx, t)) : ir_use(l->cx, t);
    IrStmt *s = ir_if(&l->b, go_on);
    ir_move_all(&s->body, &rest);
    l->b.at = &s->body;
    ir_set(&l->b, t, second);
    l->b.at = save;
    return ir_use(l->cx, t);
}

static IrExpr *
truth_of(Lower *l, const Node *n)
{
    const Info *i = sema_info(l->in, n);
    int known = i->cst ? const_truth(i->cst) : -1;
    if (known >= 0) {
        known_effects(l, n);
        return boolean(l, known);
    }
    if (n->kind == N_BoolOp)
        return truth_boolop(l, n, 0);
    if (n->kind == N_UnaryOp && n->op == U_NOT)
        return ir_op(l->cx, OP_inv, truth_of(l, n->kid[0]));
    Val v = expr(l, n);
    if (i->truth)
        return truth_asked(l, i->truth->inst, v);
    if (v.type->kind == TY_REF)
        return ir_op(l->cx, OP_ne, heap_len(l, &v), i64(l, 0));
    Span save = l->b.span;
    l->b.span = n->at;
    IrExpr *t = val_truth(&l->b, &v);
    l->b.span = save;
    return t;
}

IrExpr *
truth(Lower *l, const Node *n)
{
    return truth_of(l, n);
}

/* ---- and, or, ternary as values -------------------------------------------------------------- */

static Val
choose(Lower *l, IrExpr *cond, const Node *then, const Node *els, const Val *then_val,
       const Type *t)
{
    IrBlock a = {0}, b = {0};
    bool simple_a = true, simple_b;
    Val va = then ? expr_apart(l, then, &a, &simple_a) : *then_val;
    Val vb = expr_apart(l, els, &b, &simple_b);
    if (t->kind == TY_SCALAR && simple_a && simple_b && va.kind == VK_SCALAR)
        return val_scalar(&l->b, t,
                          ir_op(l->cx, OP_select, cond, val_expr(&l->b, &va, t->storage),
                                val_expr(&l->b, &vb, t->storage)));
    Val slot = val_slot(l, t, "t");
    IrBlock *save = l->b.at;
    IrStmt *s = ir_if(&l->b, cond);
    ir_move_all(&s->body, &a);
    ir_move_all(&s->els, &b);
    l->b.at = &s->body;
    slot_store(l, &slot, val_convert(&l->b, va, t));
    l->b.at = &s->els;
    slot_store(l, &slot, val_convert(&l->b, vb, t));
    l->b.at = save;
    return slot;
}

/* a or b: a where it is true, else b; the operands are values, not tests. */
static Val
boolop(Lower *l, const Node *n, const Type *t)
{
    if (t->kind == TY_SCALAR && t->storage == DT_bool)
        return val_scalar(&l->b, t, truth_boolop(l, n, 0));
    for (int i = 0; i + 1 < n->n; i++)
        if (sema_info(l->in, n->kid[i])->truth)
            return boolop_asked(l, n, t, 0);
    Val acc = {0};
    for (int i = 0; i < n->n && !sema_info(l->in, n->kid[i])->dead; i++) {
        const Const *known = sema_info(l->in, n->kid[i])->cst;
        bool last = i + 1 == n->n || sema_info(l->in, n->kid[i + 1])->dead;
        if (!last && known && const_truth(known) == !n->op) {
            known_effects(l, n->kid[i]);
            continue; /* known not to be the result */
        }
        if (!acc.type) {
            acc = pin(l, expr(l, n->kid[i]));
            continue;
        }
        IrExpr *c = val_truth(&l->b, &acc);
        if (n->op == 0)
            c = ir_op(l->cx, OP_inv, c);
        acc = pin(l, choose(l, c, NULL, n->kid[i], &acc, t));
    }
    return val_convert(&l->b, acc, t);
}

static Val
ifexp(Lower *l, const Node *n, const Type *t)
{
    IrExpr *c = truth(l, n->kid[0]);
    int64_t known;
    if (ir_is_const(c, &known)) /* to sema it need not be */
        return val_convert(&l->b, expr(l, n->kid[known ? 1 : 2]), t);
    for (int i = 1; i <= 2; i++) /* decided, though the test may raise before */
        if (sema_info(l->in, n->kid[i])->dead)
            return expr(l, n->kid[3 - i]);
    for (int i = 1; i <= 2; i++)
        if (sema_info(l->in, n->kid[i])->raises) {
            IrBlock *save = l->b.at;
            l->b.at = &ir_if(&l->b, i == 1 ? c : ir_op(l->cx, OP_inv, c))->body;
            expr(l, n->kid[i]);
            l->b.at = save;
            return val_convert(&l->b, expr(l, n->kid[3 - i]), t);
        }
    return choose(l, c, n->kid[1], n->kid[2], NULL, t);
}

/* ---- operators ------------------------------------------------------------------------------- */

Val
np_operator(Lower *l, const Node *at, const Call *c, Val *args, int n, const Type *result)
{
    NpCall call = {.fn = c->fn, .result = result, .n = n, .arg = args, .at = at->at};
    memcpy(call.in, c->in, sizeof call.in);
    memcpy(call.out, c->out, sizeof call.out);
    call.time = c->time;
    return np_call(&l->b, &call);
}

static Val
tuple_binop(Lower *l, int op, Val a, Val r, const Type *t)
{
    int n = t->n;
    Val *elem = NEW_N(&l->cx->arena, Val, n);
    if (op == B_ADD) {
        for (int i = 0; i < n; i++)
            elem[i] = i < a.n ? a.elem[i] : r.elem[i - a.n];
    } else {
        Val *rep = a.kind == VK_TUPLE ? &a : &r;
        for (int i = 0; i < n; i++)
            elem[i] = rep->elem[i % rep->n];
    }
    return val_tuple(&l->b, t, n, elem);
}

/* The k-th of an operation's scalars. What an operation inside it has made is a tree that nobody
 * else has, so a long sum is not copied at each of its signs. */
static IrExpr *
operand(Lower *l, const Node *at, int k, const Val *v, DType d)
{
    bool own = at->kind == N_BinOp && at->kid[k]->kind == N_BinOp && v->kind == VK_SCALAR;
    return own ? ir_cast(l->cx, d, v->e) : val_expr(&l->b, v, d);
}

Val
binop(Lower *l, const Node *at, const Call *c, int op, Val a, Val r, const Type *result)
{
    if (result && result->kind == TY_TUPLE && (a.kind == VK_TUPLE || r.kind == VK_TUPLE))
        return tuple_binop(l, op, a, r, result);
    if (text_is(&a) || text_is(&r))
        return text_operator(l, op, a, r);
    if (!c)
        return a; /* typed as an error before */
    if (op == B_DIV && c->fn == &builtin_table[BI_np_floor_divide])
        op = B_FLOORDIV; /* sema says so */
    if (val_is_arraylike(&a) || val_is_arraylike(&r) || op == B_MATMUL || c->time.op) {
        Val *args = NEW_N(&l->cx->arena, Val, 4);
        args[0] = a;
        args[1] = r;
        return np_operator(l, at, c, args, op == B_MATMUL ? 3 : 2, result);
    }
    DType out = c->out[0];
    bool weak = result->weak;
    DType in0 = c->in[0], in1 = c->in[1];
    if (!weak && !rule_compares(c->fn->rule)) {
        a = np_weak_fits(&l->b, a, in0);
        r = np_weak_fits(&l->b, r, in1);
    }
    bool ints = dtype_kind(val_dtype(&a)) < DK_FLOAT && dtype_kind(val_dtype(&r)) < DK_FLOAT;
    IrExpr *x = operand(l, at, 0, &a, in0), *y = operand(l, at, 1, &r, in1);
    IrExpr *e = scalar_binop(l, op, x, y, in0, !weak ? STRONG : ints ? WEAK_INTS : WEAK);
    return val_scalar(&l->b, result, ir_cast(l->cx, out, e));
}

static Val
unary(Lower *l, const Node *n, const Type *t)
{
    if (n->op == U_NOT)
        return val_scalar(&l->b, t, ir_op(l->cx, OP_inv, truth(l, n->kid[0])));
    Val v = expr(l, n->kid[0]);
    const Call *c = sema_info(l->in, n)->call;
    if (c && (val_is_arraylike(&v) || c->time.op)) {
        Val *args = NEW_N(&l->cx->arena, Val, 4);
        args[0] = v;
        return np_operator(l, n, c, args, 1, t);
    }
    DType in = c ? c->in[0] : t->storage;
    IrExpr *e = val_expr(&l->b, &v, in);
    if (n->op == U_NEG && t->weak && in == DT_i64 && l->cx->opt->debug)
        e = scalar_exact(l, B_SUB, ir_int(l->cx, DT_i64, 0), e);
    else if (n->op == U_NEG)
        e = ir_op(l->cx, OP_neg, e);
    else if (n->op == U_INVERT)
        e = ir_op(l->cx, OP_inv, e);
    return val_scalar(&l->b, t, ir_cast(l->cx, t->storage, e));
}

/* ---- names, attributes, subscripts ----------------------------------------------------------- */

const char *
unbound_text(Lower *l, Sym name)
{
    return arena_printf(&l->cx->arena,
                        "cannot access local variable '%s' where it is not "
                        "associated with a value",
                        name);
}

void
check_bound(Lower *l, const Node *n)
{
    const Info *i = sema_info(l->in, n);
    IrVar *f = i->check_bound && i->var ? map_get(&l->flag, n->name) : NULL;
    if (f)
        check(l, ir_use(l->cx, f), "UnboundLocalError",
              unbound_text(l, ast_shown(&l->cx->arena, n->name)));
}

static Val
name(Lower *l, const Node *n)
{
    const Info *i = sema_info(l->in, n);
    check_bound(l, n);
    const Type *t = type_before(i), *f = t ? type_value(t) : NULL;
    bool function = f && (f->kind == TY_FUNC || f->kind == TY_CHOICE);
    if (function && !(i->var && type_value(i->var->type) == f))
        return closure_or_none(l, t, i);
    bool no_form = i->type && (i->type->kind == TY_STR || i->type->kind == TY_DTYPE ||
                               i->type->kind == TY_BUILTIN || i->type->kind == TY_CLASS ||
                               i->type->kind == TY_ELLIPSIS);
    bool table = i->cst && i->type && i->type->kind == TY_TUPLE && tuple_is_long(i->type);
    if (i->var && !(no_form && i->cst) && !table) { /* what has no run-time form is its constant */
        Val v = narrowed(l, var_val(l, i->var), type_before(i));
        return rebound(l, n->name) ? pin(l, v) : v;
    }
    const Const *c = i->cst ? i->cst : ast_global(l->in->def, n->name);
    if (table)
        return val_convert(&l->b, val_const(&l->b, c), i->type);
    return c ? val_const(&l->b, c) : val_none(&l->b);
}

static Val
attribute(Lower *l, const Node *n, const Type *t)
{
    if (names_field(l, n))
        return record_load(l, n, t);
    Val v = expr(l, n->kid[0]);
    const Type *vt = v.type;
    if (vt->kind == TY_EXC)
        return vt->ref ? caught_attribute(l, n, v, t) : caught_args(l, v, t);
    if (vt->kind == TY_SLICE || vt->kind == TY_RANGE)
        return v.elem[!strcmp(n->name, "start") ? 0 : !strcmp(n->name, "stop") ? 1 : 2];
    if (vt->kind == TY_RECORD)
        return record_shape(l, v, n->name, t);
    if (vt->kind == TY_OBJ && type_class(vt)->dict) /* swathe/lib asks for its values or keys */
        return strcmp(n->name, "KEYS") ? keyed_values(l, v, t)
                                       : val_const(&l->b, sema_info(l->in, n)->cst);
    if (vt->kind == TY_OBJ)
        return object_attr(l, n, v);
    if (vt->kind == TY_KEYED) /* its values */
        return strcmp(n->name, "KEYS") ? val_tuple(&l->b, t, t->n, v.elem)
                                       : val_const(&l->b, sema_info(l->in, n)->cst);
    if (vt->kind == TY_TUPLE && t && t->kind == TY_KEYED && t->n == vt->n) /* swathe/lib asks */
        return val_tuple(&l->b, t, t->n, v.elem);
    if (vt->kind == TY_TUPLE && vt->names)
        for (int i = 0; i < vt->n; i++)
            if (vt->names[i] == n->name)
                return v.elem[i];
    if (v.kind == VK_LAZY && strcmp(n->name, "real") != 0 && strcmp(n->name, "imag") != 0)
        v = np_materialize(&l->b, v, LAY_C);
    return np_attribute(&l->b, v, n->name, t);
}

/* An array, or a list or tuple of numbers that stands where one does. */
static bool
is_index_array(const Type *t, bool nested)
{
    return (t->kind == TY_ARRAY && t->ndim) || t->kind == TY_LIST ||
           (t->kind == TY_TUPLE && (t->listed || nested));
}

/* One of the values of a tuple, or the value of one part. */
static NpIndex
index_value(Lower *l, Val v, const Type *t, bool nested)
{
    if (t->kind == TY_SLICE) {
        NpIndex ix = {.kind = NI_SLICE, .start = v.elem[0], .stop = v.elem[1], .step = v.elem[2]};
        slice_parts(l, &ix.start, &ix.stop, &ix.step);
        return ix;
    }
    if (is_index_array(t, nested))
        return (NpIndex){.kind = NI_ARRAY,
                         .v = v.kind == VK_TUPLE ? np_materialize(&l->b, v, LAY_C) : v};
    return (NpIndex){.kind = t->kind == TY_NONE       ? NI_NEWAXIS
                             : t->kind == TY_ELLIPSIS ? NI_ELLIPSIS
                                                      : NI_INT,
                     .v = v};
}

/* nested: a part of an index that is written as a tuple */
static int
take_one(Lower *l, const Node *n, bool nested, NpIndex *out)
{
    if (n->kind == N_Slice) {
        *out = (NpIndex){.kind = NI_SLICE};
        Val *part[3] = {&out->start, &out->stop, &out->step};
        for (int i = 0; i < 3; i++)
            if (i < n->n && n->kid[i])
                *part[i] = kid_value(l, n, i);
        slice_parts(l, &out->start, &out->stop, &out->step);
        return 1;
    }
    const Type *t = sema_info(l->in, n)->type;
    if (t->kind == TY_ELLIPSIS || t->kind == TY_NONE) {
        if (impure(l, n)) /* a call that yields None, or never returns */
            expr(l, n);
        *out = (NpIndex){.kind = t->kind == TY_NONE ? NI_NEWAXIS : NI_ELLIPSIS};
        return 1;
    }
    Val v = expr(l, n);
    if (t->kind != TY_TUPLE || is_index_array(t, nested)) {
        *out = index_value(l, v, t, nested);
        return 1;
    }
    for (int i = 0; i < v.n; i++)
        out[i] = index_value(l, v.elem[i], v.elem[i].type, true);
    return v.n;
}

/* A list that others may change, of which an array is made. */
static bool
is_list_index(Lower *l, const Node *n)
{
    const Info *i = sema_info(l->in, n);
    return i->need && i->need->table && i->type->kind == TY_ARRAY && n->kind != N_List &&
           type_is_heap(i->need->from, &heap_list);
}

static ListIndex
list_index(Lower *l, const Node *n)
{
    return (ListIndex){pin(l, expr_before(l, n)), sema_info(l->in, n)->need};
}

NpIndex
index_of_list(Lower *l, const ListIndex *x)
{
    return (NpIndex){.kind = NI_ARRAY, .v = needed(l, x->list, x->need)};
}

int
take_index(Lower *l, const Node *index, NpIndex *out, ListIndex *lists)
{
    const Info *whole = sema_info(l->in, index); /* (*t,): only the run tells how many */
    ListIndex own[SW_MAX_NDIM * 2] = {0}, *list = lists ? lists : own;
    if (index->kind != N_Tuple || whole->need) {
        if (!lists || !is_list_index(l, index))
            return take_one(l, index, false, out);
        list[0] = list_index(l, index);
        out[0] = index_of_list(l, list);
        return 1;
    }
    int n = 0, last = last_impure(l, index);
    for (int i = 0; i < index->n && n < SW_MAX_NDIM; i++) {
        int k = n;
        if ((lists || i < last) && is_list_index(l, index->kid[i])) {
            list[n++] = list_index(l, index->kid[i]);
            continue;
        }
        n += take_one(l, index->kid[i], index->kid[i]->kind != N_Starred, out + n);
        for (; k < n && i < last; k++) {
            Val *part[] = {&out[k].v, &out[k].start, &out[k].stop, &out[k].step};
            for (int j = 0; j < SW_LEN(part); j++)
                *part[j] = pin(l, *part[j]);
        }
    }
    for (int k = 0; k < n; k++)
        if (list[k].need)
            out[k] = index_of_list(l, &list[k]);
    return n;
}

static Val
tuple_subscript(Lower *l, const Node *n, Val v, const Type *t)
{
    const Const *c = sema_info(l->in, n->kid[1])->cst;
    if (impure(l, n->kid[1]))
        v = pin(l, v);
    if (t->kind == TY_TUPLE && n->kid[1]->kind == N_Slice) {
        known_effects(l, n->kid[1]);
        int64_t part[3], known[3] = {0};
        for (int i = 0; i < 3; i++) {
            const Node *p = i < n->kid[1]->n ? n->kid[1]->kid[i] : NULL;
            const Const *pc = p ? sema_info(l->in, p)->cst : NULL;
            known[i] = pc && pc->kind != CV_NONE; /* an int, a bool, an integer of NumPy's */
            part[i] = !known[i] ? 0 : pc->kind == CV_BOOL ? pc->b : pc->i;
        }
        int64_t step = known[2] ? part[2] : 1, size = v.n;
        int64_t from = known[0] ? part[0] : step > 0 ? 0 : size - 1;
        if (known[0] && from < 0)
            from += size;
        if (from < 0)
            from = step > 0 ? 0 : -1;
        if (from > size - (step < 0))
            from = size - (step < 0);
        Val *elem = NEW_N(&l->cx->arena, Val, t->n);
        for (int i = 0; i < t->n; i++)
            elem[i] = v.elem[from + i * step];
        return val_tuple(&l->b, t, t->n, elem);
    }
    if (c && (c->kind == CV_INT || c->kind == CV_BOOL || c->kind == CV_NPSCALAR)) {
        int64_t k = c->kind == CV_BOOL ? c->b : c->i;
        known_effects(l, n->kid[1]);
        return v.elem[k < 0 ? k + v.n : k];
    }
    Val iv = expr(l, n->kid[1]);
    IrExpr *i =
        val_int(&l->b, &iv, "IndexError", "cannot fit 'numpy.uint64' into an index-sized integer");
    i = val_freeze(&l->b, i);
    IrExpr *size = ir_int(l->cx, DT_i64, v.n);
    IrExpr *low = ir_op(l->cx, OP_ge, ir_copy_expr(l->cx, i), ir_int(l->cx, DT_i64, -v.n));
    IrExpr *high = ir_op(l->cx, OP_lt, ir_copy_expr(l->cx, i), size);
    check(l, ir_op(l->cx, OP_and, low, high), "IndexError",
          v.type->listed ? "list index out of range" : "tuple index out of range");
    return as_tuple_elem(l, &v, ir_op(l->cx, OP_wrap, i, ir_int(l->cx, DT_i64, v.n)), t);
}

Val
subscript_load(Lower *l, const Node *n)
{
    const Type *t = type_before(sema_info(l->in, n)), *of = sema_info(l->in, n->kid[0])->type;
    if (of && of->kind == TY_EXC)
        return caught_arg(l, n, t);
    if (names_field(l, n))
        return record_load(l, n, t);
    Val v = expr(l, n->kid[0]);
    if (v.type->kind == TY_REF)
        return heap_subscript(l, n, v);
    if (text_is(&v))
        return sema_info(l->in, n)->call ? lower_call(l, n) : text_subscript_load(l, n, v);
    if (v.type->kind == TY_OBJ && type_class(v.type)->dict) {
        if (sema_info(l->in, n)->call)
            return lower_call(l, n);
        known_effects(l, n->kid[1]);
        return object_attr(l, n, v);
    }
    if (v.type->kind == TY_RANGE)
        return range_element(l, v, n->kid[1], t);
    if (v.type->kind == TY_KEYED) {
        known_effects(l, n->kid[1]);
        return v.elem[type_field(v.type, sema_info(l->in, n->kid[1])->cst->str)];
    }
    if (v.kind == VK_TUPLE && v.type->kind != TY_RECORD)
        return tuple_subscript(l, n, v, t);
    if (v.kind == VK_NONE) { /* a function that captures itself by way of a variable, say */
        diag_add(&l->cx->diags, DIAG_types, n->kid[0]->at,
                 "the type of what is indexed here could not be found");
        return v;
    }
    if (v.kind == VK_LAZY)
        v = np_materialize(&l->b, v, LAY_C);
    if (impure(l, n->kid[1]))
        v = pin(l, v);
    NpIndex ix[SW_MAX_NDIM * 2];
    int k = take_index(l, n->kid[1], ix, NULL);
    return record_select(l, v, k, ix, t);
}

/* ---- displays -------------------------------------------------------------------------------- */

static Val
tuple_display(Lower *l, const Node *n, const Type *t)
{
    Vec(Val) elem = {0};
    int last = last_impure(l, n);
    for (int i = 0; i < n->n; i++) {
        const Node *k = n->kid[i];
        Val v = expr(l, k->kind == N_Starred ? k->kid[0] : k);
        if (v.kind == VK_LAZY)
            v = np_materialize(&l->b, v, LAY_C);
        v = i < last ? pin(l, v) : v;
        for (int j = 0; k->kind == N_Starred && j < v.n; j++)
            VEC_PUSH(&l->cx->arena, elem, v.elem[j]);
        if (k->kind != N_Starred)
            VEC_PUSH(&l->cx->arena, elem, v);
    }
    return val_tuple(&l->b, t, elem.n, elem.at);
}

static Val
slice_value(Lower *l, const Node *n, const Type *t)
{
    Val *elem = NEW_N(&l->cx->arena, Val, 3);
    for (int i = 0; i < 3; i++)
        elem[i] = i < n->n && n->kid[i] ? kid_value(l, n, i) : val_none(&l->b);
    return (Val){.kind = VK_TUPLE, .type = t, .n = 3, .elem = elem};
}

/* ---- dispatch -------------------------------------------------------------------------------- */

static Val
binary(Lower *l, const Node *n, const Info *i)
{
    Val a = expr(l, n->kid[0]);
    if (impure(l, n->kid[1]))
        a = pin(l, a);
    Val r = expr(l, n->kid[1]);
    need_operands(l, n->op, false, &a, &r);
    return binop(l, n, i->call, n->op, a, r, i->type);
}

/* A sum or a character of known strings. */
static Val
known_text(Lower *l, const Node *n, const Info *i)
{
    parts_effects(l, n);
    return val_const(&l->b, i->cst);
}

/* str(x), repr(x) as a value. */
static bool
is_text_of(const Info *i)
{
    return i->type->kind == TY_TEXT && !i->cst && i->call && i->call->kind == CALL_BUILTIN &&
           (i->call->fn->id == BI_py_str || i->call->fn->id == BI_py_repr);
}

static Val
expr_inner(Lower *l, const Node *n)
{
    const Info *i = sema_info(l->in, n);
    const Type *t = i->type ? type_before(i) : type_none(l->cx->types);
    bool forks = n->kind == N_BoolOp || n->kind == N_IfExp || (n->kind == N_Compare && n->n > 2);
    if (i->cst && (t->kind == TY_SCALAR || t->kind == TY_DTYPE) && !must_run(l, n) &&
        !(forks && impure(l, n))) {
        parts_effects(l, n);
        Val v = val_const(&l->b, i->cst);
        return v.kind == VK_SCALAR ? val_convert(&l->b, v, t) : v;
    }
    if (i->call && i->call->kind == CALL_BUILTIN && i->call->fn->family == BF_GRID &&
        i->call->fn->rule == GG_VALUE)
        return grid_read(l, n, i->call);
    if (i->call && i->call->kind == CALL_INST &&
        (n->kind == N_BinOp || n->kind == N_UnaryOp || n->kind == N_Compare ||
         n->kind == N_Subscript || n->kind == N_Starred))
        return lower_call(l, n); /* of a list or dict, or of a class's own */
    switch (n->kind) {
    case N_Const:
        if (t->kind == TY_FUNC && t->n)
            return closure(l, t, i->scope);
        return val_const(&l->b, i->cst ? i->cst : n->val);
    case N_Name:
        return name(l, n);
    case N_BinOp:
        return i->cst && i->cst->kind == CV_STR ? known_text(l, n, i) : binary(l, n, i);
    case N_UnaryOp:
        return unary(l, n, t);
    case N_BoolOp:
        return boolop(l, n, t);
    case N_Compare:
        return comparison(l, n, t);
    case N_IfExp:
        return t->kind == TY_STR && !i->cst ? lower_made_string(l, n) : ifexp(l, n, t);
    case N_NamedExpr: {
        Val v = expr(l, n->kid[1]);
        assign_target(l, n->kid[0], v);
        return expr(l, n->kid[0]);
    }
    case N_Call:
        return is_text_of(i) ? text_of_value(l, n, i->call) : lower_call(l, n);
    case N_Attribute:
        if (i->call && i->call->kind == CALL_INST) /* a property */
            return lower_call(l, n);
        if (!i->cst || (t->kind == TY_TUPLE && !object_has_constant(l, n)))
            return attribute(l, n, t);
        parts_effects(l, n);
        return val_const(&l->b, i->cst);
    case N_Subscript:
        return i->cst && t->kind == TY_STR ? known_text(l, n, i) : subscript_load(l, n);
    case N_Slice:
        return slice_value(l, n, t);
    case N_Tuple:
    case N_List:
        return t->kind == TY_REF ? heap_display(l, n, t) : tuple_display(l, n, t);
    case N_ListComp:
        return t->kind == TY_REF ? heap_comprehension(l, n, t)
                                 : list_array(l, n, t->n ? t->elems[0] : t);
    case N_Dict:
        return t->kind == TY_KEYED || t->kind == TY_OBJ ? lower_keyed(l, n, t)
                                                        : heap_dict_display(l, n, t);
    case N_Lambda:
        return closure(l, t, i->scope);
    case N_Starred:
        return expr(l, n->kid[0]);
    case N_JoinedStr:
        return i->cst               ? val_const(&l->b, i->cst)
               : t->kind == TY_TEXT ? text_joined(l, n)
                                    : lower_made_string(l, n);
    default:
        if (i->cst)
            return val_const(&l->b, i->cst);
        diag_add(&l->cx->diags, DIAG_internal, n->at, "expression kind %s reached the lowering",
                 node_kind_name[n->kind]);
        return val_none(&l->b);
    }
}

/* `before`: as it is where it may still be None. */
static Val
expr_as(Lower *l, const Node *n, bool before)
{
    Span save = l->b.span;
    const Val *given = map_get(&l->given, n);
    if (given)
        return *given;
    if (n->at.src)
        l->b.span = n->at;
    Val v = expr_inner(l, n);
    const Info *info = sema_info(l->in, n);
    if (info->need && !before)
        v = needed(l, v, info->need);
    if (info->type && info->type->kind == TY_TEXT && v.kind == VK_CONST)
        v = text_val(l, v);
    l->b.span = save;
    return v;
}

Val
expr(Lower *l, const Node *n)
{
    return expr_as(l, n, false);
}

Val
expr_before(Lower *l, const Node *n)
{
    return expr_as(l, n, true);
}
