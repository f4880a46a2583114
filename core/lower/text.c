/* SPDX-License-Identifier: BSD-3-Clause
 * Strings as values: an array of code points that nobody changes. A character and a slice are views
 * of it. Operators and comparisons are calls of helpers of swathe/lib/str.py, which sema has asked
 * for, but where a known character tells more. */
#include "lower/internal.h"

static const Type *
text_type(Lower *l)
{
    return type_text(l->cx->types);
}

/* A string, known or not, as its value; bytes are one. */
Val
text_val(Lower *l, Val v)
{
    return v.type && type_is_bytes(v.type) ? v : val_convert(&l->b, v, text_type(l));
}

bool
text_is(const Val *v)
{
    return v->type && (type_is_str(v->type) || type_is_bytes(v->type));
}

static Val
call_helper(Lower *l, const char *name, const Val *a, Val b)
{
    Val first = text_val(l, *a);
    const Inst *in = sema_helper(l->in, name, first.type);
    Val param[2] = {first, b};
    if (in)
        return inst_call(l, in, param);
    diag_add(&l->cx->diags, DIAG_internal, l->b.span, "no function %s for this", name);
    return val_none(&l->b);
}

/* ---- comparisons ----------------------------------------------------------------------------- */

/* The code point of a known string that has one; -1: another. */
static int64_t
one_point(const Val *v)
{
    const Const *c = v->cst ? v->cst : v->type->kind == TY_STR ? v->type->ref : NULL;
    uint32_t *points;
    if (!c || c->kind != CV_STR)
        return -1;
    Arena scratch = {0};
    int64_t n = const_points(&scratch, c, &points), p = n == 1 ? (int64_t)points[0] : -1;
    arena_free(&scratch);
    return p;
}

/* v is one character, point: no load where there is none. */
static IrExpr *
is_point(Lower *l, const Val *v, int64_t point)
{
    Val a = text_val(l, *v);
    IrExpr *zero = i64(l, 0), *one = ir_op(l->cx, OP_eq, val_dim(&l->b, &a.elem[0], 0), i64(l, 1));
    int64_t known;
    if (ir_is_const(one, &known) && known)
        return ir_op(l->cx, OP_eq, ir_load(l->cx, a.elem[0].arr, 1, &zero),
                     ir_int(l->cx, DT_u32, point));
    IrVar *r = ir_temp(&l->b, one);
    IrBlock *save = l->b.at;
    l->b.at = &ir_if(&l->b, ir_use(l->cx, r))->body;
    ir_set(
        &l->b, r,
        ir_op(l->cx, OP_eq, ir_load(l->cx, a.elem[0].arr, 1, &zero), ir_int(l->cx, DT_u32, point)));
    l->b.at = save;
    return ir_use(l->cx, r);
}

IrExpr *
text_equal(Lower *l, const Val *a, const Val *b)
{
    int64_t x = one_point(a), y = one_point(b);
    if (type_is_bytes(a->type) != type_is_bytes(b->type))
        return ir_int(l->cx, DT_bool, 0);
    if (x >= 0 && y >= 0)
        return ir_int(l->cx, DT_bool, x == y);
    if (x >= 0 || y >= 0)
        return is_point(l, x >= 0 ? b : a, x >= 0 ? x : y);
    Val r = call_helper(l, "_str_eq", a, *b);
    return r.kind == VK_SCALAR ? val_truth(&l->b, &r) : ir_int(l->cx, DT_bool, 0);
}

IrExpr *
text_order(Lower *l, IrOp op, const Val *a, const Val *b)
{
    Val r = call_helper(l, "_str_order", a, *b);
    return ir_op(l->cx, op, val_expr(&l->b, &r, DT_i64), i64(l, 0));
}

IrExpr *
text_contains(Lower *l, const Val *a, const Val *b)
{
    if (a->kind == VK_SCALAR) {
        const Type *number = type_scalar(l->cx->types, DT_i64, true);
        const Inst *in = sema_helper(l->in, "_byte_in", number);
        Val param[2] = {val_convert(&l->b, *a, number), *b}, r = inst_call(l, in, param);
        return val_truth(&l->b, &r);
    }
    Val r = call_helper(l, "_str_in", a, *b);
    return val_truth(&l->b, &r);
}

Val
text_operator(Lower *l, int op, Val a, Val b)
{
    if (op == B_ADD)
        return call_helper(l, "_str_add", &a, b);
    return text_is(&a) ? call_helper(l, "_str_mul", &a, b) : call_helper(l, "_str_mul", &b, a);
}

/* ---- parts ----------------------------------------------------------------------------------- */

/* The k-th character, or byte, which is there. */
static Val
char_at(Lower *l, const Val *v, IrExpr *k)
{
    const Val *points = &v->elem[0];
    if (type_is_bytes(v->type)) {
        IrExpr *byte = ir_cast(l->cx, DT_i64, ir_load(l->cx, points->arr, 1, &k));
        return val_scalar(&l->b, type_scalar(l->cx->types, DT_i64, true), val_freeze(&l->b, byte));
    }
    IrExpr *one = i64(l, 1), *stride = ir_stride(l->cx, points->arr, 0);
    IrExpr *off = ir_op(l->cx, OP_mul, k, again(l, stride));
    IrVar *c_var = ir_array_var(l->b.f, "char", DT_u32, 1, LAY_C);
    IrExpr *dims[1] = {one}, *strides[1] = {stride};
    ir_view(&l->b, c_var, points->arr, off, dims, strides);
    Val c = val_array(&l->b, v->type->elems[0], c_var, false);
    c.temp = true;
    c.ones = 1;
    return val_tuple(&l->b, v->type, 1, &c);
}

Val
text_get(Lower *l, Iter *it, IrExpr *k)
{
    return char_at(l, &it->v, k);
}

Iter
text_iter(Lower *l, Val v)
{
    Iter it = {.v = pin(l, text_val(l, v)), .get = text_get};
    it.type = type_is_bytes(it.v.type) ? type_scalar(l->cx->types, DT_i64, true) : it.v.type;
    Val *points = &it.v.elem[0];
    if (!points->temp) { /* the name may be bound anew in the loop */
        IrVar *held = ir_var_like(l->b.f, "iter", points->arr);
        ir_alias(&l->b, held, points->arr);
        points->arr = held;
    }
    map_put(&l->cx->arena, &l->kept, points->arr, points->arr);
    it.n = val_freeze(&l->b, ir_dim(l->cx, points->arr, 0));
    return it;
}

Val
text_subscript_load(Lower *l, const Node *n, Val v)
{
    v = text_val(l, v);
    if (impure(l, n->kid[1]))
        v = pin(l, v);
    Val iv = expr(l, n->kid[1]);
    IrVar *arr = v.elem[0].arr;
    IrExpr *i = val_freeze(
        &l->b, val_int(&l->b, &iv, "IndexError", "cannot fit 'int' into an index-sized integer"));
    IrStmt *s = ir_check_index(&l->b, arr, 0, again(l, i));
    const char *what = type_is_bytes(v.type) ? "index out of range" : "string index out of range";
    s->site = ir_site(l->b.mod, "IndexError", what, l->b.span);
    int64_t at;
    bool first = ir_is_const(i, &at) && at >= 0;
    return char_at(l, &v, first ? i : ir_op(l->cx, OP_wrap, i, ir_dim(l->cx, arr, 0)));
}

void
text_unpack(Lower *l, Val v, int n, Val *elem)
{
    v = pin(l, text_val(l, v));
    IrExpr *len = val_freeze(&l->b, val_dim(&l->b, &v.elem[0], 0)), *got = again(l, len);
    check(l, ir_op(l->cx, OP_le, again(l, len), i64(l, n)), "ValueError",
          arena_printf(&l->cx->arena, "too many values to unpack (expected %d)", n));
    ir_check(&l->b, ir_op(l->cx, OP_ge, again(l, len), i64(l, n)),
             ir_site(l->b.mod, "ValueError",
                     arena_printf(&l->cx->arena,
                                  "not enough values to unpack (expected %d, got %%0)", n),
                     l->b.span),
             1, &got);
    for (int i = 0; i < n; i++)
        elem[i] = pin(l, char_at(l, &v, i64(l, i)));
}

/* ---- hashes ---------------------------------------------------------------------------------- */

typedef struct Hashing {
    const Val *points;
    IrVar *h;
} Hashing;

/* As text_box_hash() of py/text.c: a product for each point, and once at the end what is above goes
 * into the low bits, which tables take. Each step is one to one. */
static void
hash_point(IrBuilder *b, IrExpr **idx, void *arg)
{
    Hashing *h = arg;
    IrExpr *x = ir_op(b->cx, OP_xor, ir_use(b->cx, h->h),
                      ir_cast(b->cx, DT_u64, np_elem(b, h->points, idx)));
    ir_set(b, h->h, ir_op(b->cx, OP_mul, x, ir_int(b->cx, DT_u64, (int64_t)0x9e3779b97f4a7c15u)));
}

IrExpr *
text_hashed(Lower *l, IrExpr *seed, const Val *v)
{
    Hashing h = {.points = &v->elem[0], .h = ir_temp(&l->b, seed)};
    IrExpr *n = ir_cast(l->cx, DT_u64, val_dim(&l->b, &v->elem[0], 0));
    np_foreach(&l->b, &v->elem[0], LOOP_SEQ, hash_point, &h);
    IrExpr *high = ir_op(l->cx, OP_shr, ir_use(l->cx, h.h), ir_int(l->cx, DT_u64, 32));
    return ir_op(l->cx, OP_add, ir_op(l->cx, OP_xor, ir_use(l->cx, h.h), high), n);
}

/* ---- texts that are made --------------------------------------------------------------------- */

static Val
call_maker(Lower *l, const char *name, Val v, const Const *spec)
{
    if (v.type->kind == TY_EXC)
        return caught_text(l, &v, strcmp(name, "_str_repr") ? ERR_TEXT_STR : ERR_TEXT_REPR);
    const Type *t = type_stored(l->cx->types, v.type);
    const Inst *in = sema_helper(l->in, name, t);
    Val param[2] = {val_convert(&l->b, v, t)};
    if (spec)
        param[1] = text_val(l, val_const(&l->b, spec));
    if (in)
        return inst_call(l, in, param);
    diag_add(&l->cx->diags, DIAG_internal, l->b.span, "no function %s for this", name);
    return val_none(&l->b);
}

static Val
made_part(Lower *l, const Node *p)
{
    if (p->kind == N_Const)
        return text_val(l, val_const(&l->b, p->val));
    if (p->kind == N_JoinedStr)
        return text_joined(l, p);
    const Need *need = sema_info(l->in, p->kid[0])->need;
    const char *name = text_maker(p, 0, need);
    Val v = pin(l, expr(l, p->kid[0]));
    bool format = !strcmp(name, "_str_format");
    bool done = need && need->shown && need->with; /* by its class's __format__ */
    v = call_maker(l, name, v, format ? p->val : NULL);
    if (!format && !done && p->val && p->val->kind == CV_STR && p->val->str[0])
        v = call_maker(l, "_str_format", pin(l, text_val(l, v)), p->val);
    return v;
}

/* An f-string as a value. */
Val
text_joined(Lower *l, const Node *n)
{
    Val *part = NEW_N(&l->cx->arena, Val, n->n + 1);
    const Type **t = NEW_N(&l->cx->arena, const Type *, n->n + 1);
    for (int i = 0; i < n->n; i++) {
        const Node *p = n->kid[i], *of = p->kind == N_FormattedValue ? p->kid[0] : NULL;
        t[i] = of ? text_part_number(l->cx->types, p, sema_info(l->in, of)) : NULL;
        part[i] =
            pin(l, t[i] ? val_convert(&l->b, expr(l, of), t[i]) : text_val(l, made_part(l, p)));
        t[i] = t[i] ? t[i] : text_type(l);
    }
    const Type *all = type_tuple(l->cx->types, n->n, t);
    return call_maker(l, "_str_concat", val_tuple(&l->b, all, n->n, part), NULL);
}

/* In memory of its own: a constant's ends with the code, and an object may outlive it. */
Val
text_owned(Lower *l, Val v)
{
    return pin(l, call_maker(l, "_str_own", text_val(l, v), NULL));
}

/* str(x), repr(x) as values */
Val
text_of_value(Lower *l, const Node *n, const Call *c)
{
    return call_maker(l, text_maker(n, c->fn->id, sema_info(l->in, c->arg[0])->need),
                      pin(l, expr(l, c->arg[0])), NULL);
}

/* The number by which a message tells of a string. */
IrExpr *
text_note(Lower *l, const Val *v, bool repr)
{
    Val r = call_maker(l, repr ? "_str_note_repr" : "_str_note", *v, NULL);
    return r.kind == VK_SCALAR ? val_freeze(&l->b, val_expr(&l->b, &r, DT_i64)) : i64(l, 0);
}

/* Of another value; NULL: there is none. */
IrExpr *
text_note_of(Lower *l, const Val *v)
{
    const Type *t = type_stored(l->cx->types, v->type);
    if (!sema_helper(l->in, "_str_note_of", t))
        return NULL;
    Val r = call_maker(l, "_str_note_of", *v, NULL);
    return val_freeze(&l->b, val_expr(&l->b, &r, DT_i64));
}

/* ---- what swathe/lib is written with --------------------------------------------------------- */

Val
text_or_points(Lower *l, const Call *c, const Type *t)
{
    Val v = expr(l, c->arg[0]);
    if (c->fn->id == BI_heap_chars && v.type->kind == TY_REF)
        return heap_bytes(l, &v, t);
    if (c->fn->id == BI_heap_chars)
        return text_val(l, v).elem[0];
    if (v.kind == VK_LAZY)
        v = np_materialize(&l->b, v, LAY_C);
    v = val_convert(&l->b, v, t->elems[0]);
    return val_tuple(&l->b, t, 1, &v);
}

/* A view that reaches beyond what it is a view of, in the same memory. */
Val
text_longer(Lower *l, const Call *c, const Type *t)
{
    Val v = pin(l, val_convert(&l->b, expr(l, c->arg[0]), t)), more = expr(l, c->arg[1]);
    IrVar *arr = ir_array_var(l->b.f, "longer", DT_u32, 1, LAY_C);
    IrExpr *n = ir_op(l->cx, OP_add, val_dim(&l->b, &v, 0), val_expr(&l->b, &more, DT_i64)),
           *stride = i64(l, 4);
    n = val_freeze(&l->b, n);
    ir_view(&l->b, arr, v.arr, i64(l, 0), &n, &stride);
    return val_array(&l->b, t, arr, true);
}

/* Arrays of one dtype, of which the first is contiguous. */
Val
text_paste(Lower *l, const Call *c)
{
    Val to = pin(l, expr(l, c->arg[0])), k = pin(l, expr(l, c->arg[1])),
        from = pin(l, expr(l, c->arg[2]));
    if (from.kind == VK_LAZY)
        from = np_materialize(&l->b, from, LAY_C);
    IrVar *into = ir_array_var(l->b.f, "into", to.arr->dtype, 1, LAY_C);
    IrExpr *n = val_dim(&l->b, &from, 0), *item = i64(l, dtype_size(to.arr->dtype)),
           *first = ir_op(l->cx, OP_mul, val_expr(&l->b, &k, DT_i64), again(l, item));
    ir_view(&l->b, into, to.arr, first, &n, &item);
    IrStmt *s = ir_append(&l->b, IS_COPY);
    s->var = into;
    s->base = from.arr;
    return val_none(&l->b);
}

/* Arrays of one dtype, both contiguous. */
Val
text_alike(Lower *l, const Call *c, const Type *t)
{
    Val a = pin(l, expr(l, c->arg[0])), b = pin(l, expr(l, c->arg[1])), n = expr(l, c->arg[2]);
    IrExpr *item = i64(l, dtype_size(a.arr->dtype));
    IrVar *r = ir_var(l->b.f, "alike", DT_i32);
    IrStmt *s = ir_ask(&l->b, RT_sw_alike, 3, r);
    s->args[0].arr = a.arr;
    s->args[1].arr = b.arr;
    s->args[2].e = ir_op(l->cx, OP_mul, val_expr(&l->b, &n, DT_i64), item);
    return val_scalar(&l->b, t, ir_op(l->cx, OP_ne, ir_use(l->cx, r), ir_int(l->cx, DT_i32, 0)));
}
