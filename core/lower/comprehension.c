/* SPDX-License-Identifier: BSD-3-Clause
 * Comprehensions: nested loops over their generators, each of which runs once. An array made of one
 * has its size beforehand where that is known (one generator, no test), else it grows as a vector
 * does. */
#include "lower/internal.h"

static void generator_loop(Lower *l, const Generators *c, int g);

static void
generator_body(Lower *l, const Generators *c, int g, Val v)
{
    const Node *gen = c->comp->kid[g];
    assign_item(l, gen->kid[0], v);
    for (int i = 2; i < gen->n; i++)
        l->b.at = &ir_if(&l->b, truth(l, gen->kid[i]))->body;
    generator_loop(l, c, g + 1);
}

typedef struct Through { /* a generator that goes through another comprehension's several */
    const Generators *c;
    int g;
} Through;

static void
through_begun(Lower *l, void *arg)
{
    const Through *t = arg;
    if (t->g == 1 && t->c->begun)
        t->c->begun(l, t->c->arg);
}

static void
through_body(Lower *l, const Node *elt, void *arg)
{
    const Through *t = arg;
    IrBlock *save = l->b.at;
    generator_body(l, t->c, t->g, expr(l, elt));
    l->b.at = save;
}

/* May what runs for an item of its g-th generator change lists and dicts? */
static bool
runs_changes(const Lower *l, const Generators *c, int g)
{
    bool found = c->changing || heap_changes(l, c->comp->kid[0]);
    for (int k = g; k < c->comp->n && !found; k++)
        for (int i = k == g ? 2 : 0; i < c->comp->kid[k]->n && !found; i++)
            found = heap_changes(l, c->comp->kid[k]->kid[i]);
    return found;
}

static void
generator_loop(Lower *l, const Generators *c, int g)
{
    if (g == c->comp->n) {
        c->body(l, c->comp->kid[0], c->arg);
        return;
    }
    const Node *gen = c->comp->kid[g];
    if (is_generated(gen->kid[1]) && gen->kid[1]->n > 2) {
        Through t = {c, g};
        comprehension(l, &(Generators){.comp = gen->kid[1],
                                       .body = through_body,
                                       .begun = through_begun,
                                       .enough = c->enough,
                                       .arg = &t,
                                       .changing = runs_changes(l, c, g)});
        return;
    }
    int mark = drop_mark(l);
    Iter it = make_iter(l, gen->kid[1], runs_changes(l, c, g));
    if (g == 1 && c->begun)
        c->begun(l, c->arg);
    if (c->count && c->comp->n == 2 && gen->n == 2 && it.n && !it.filters)
        c->count(l, it.n, c->arg);
    IrBlock *save = l->b.at;
    Val v;
    iter_loop(l, &it, LOOP_SEQ, NULL, &v);
    generator_body(l, c, g, v);
    if (c->enough && !(l->b.at->last && ir_does(l->b.at->last, ST_LEAVES))) {
        l->b.at = &ir_if(&l->b, ir_copy_expr(l->cx, c->enough))->body;
        ir_append(&l->b, IS_BREAK);
    }
    l->b.at = save;
    if (iter_ends(&it)) {
        if (c->enough)
            l->b.at = &ir_if(&l->b, ir_op(l->cx, OP_inv, ir_copy_expr(l->cx, c->enough)))->body;
        iter_end(l, &it);
        l->b.at = save;
    }
    drop_temps(l, mark);
}

void
comprehension(Lower *l, const Generators *c)
{
    edge_moves(l, c->comp, EDGE_ENTRY);
    generator_loop(l, c, 1);
}

/* ---- np.array([f(i) for i in ...]) --------------------------------------------------------- */

typedef struct Fill {
    IrVar *arr, *at;  /* the elements so far; how many */
    IrExpr *n;        /* how many there will be, or NULL: the array grows */
    const Type *type; /* of the result */
} Fill;

/* How many axes an element of the comprehension adds, and what dtype holds all of its
 * numbers: Python's ints are int64 to NumPy. With uint64 that would be float64, which
 * holds neither: they must fit. */
static int
elem_rank(const Type *t, DType *d, bool *python)
{
    if (t->kind == TY_LIST && t->n)
        return 1 + elem_rank(t->elems[0], d, python);
    if (t->kind != TY_TUPLE || !t->n) {
        *d = (DType)t->storage;
        *python = t->kind == TY_SCALAR && t->weak && *d == DT_i64;
        return t->kind == TY_ARRAY ? t->ndim : 0;
    }
    int rank = elem_rank(t->elems[0], d, python);
    for (int i = 1; i < t->n; i++) {
        DType x;
        bool weak;
        elem_rank(t->elems[i], &x, &weak);
        bool fits = (x == DT_u64 && *python) || (*d == DT_u64 && weak);
        *d = fits ? DT_u64 : dtype_promote(*d, x);
        *python &= weak;
    }
    return 1 + rank;
}

/* An element that is a row: an array, or a display to make one of. */
static Val
row_array(Lower *l, const Node *elt, const Fill *f)
{
    Val v = display(l, elt);
    if (v.kind != VK_TUPLE)
        return np_materialize(&l->b, v, LAY_C);
    NpCall call = {.fn = builtin_find("numpy", "array"), .n = 6, .at = elt->at};
    call.result = type_array(l->cx->types, f->type->storage, f->type->ndim - 1, LAY_C, false);
    call.arg = NEW_N(&l->cx->arena, Val, 8);
    call.arg[0] = v;
    return np_materialize(&l->b, np_call(&l->b, &call), LAY_C);
}

/* A new array of `n` rows like those of `row` (NULL: of the array so far). */
static IrVar *
new_rows(Lower *l, const Fill *f, IrExpr *n, const Val *row)
{
    IrExpr *dims[SW_MAX_NDIM] = {n};
    IrVar *fresh = ir_array_var(l->b.f, "rows", f->type->storage, f->type->ndim, LAY_C);
    for (int i = 1; i < f->type->ndim; i++)
        dims[i] = row ? val_dim(&l->b, row, i - 1) : ir_dim(l->cx, f->arr, i);
    ir_alloc(&l->b, fresh, dims, LAY_C, false);
    return fresh;
}

static void
copy_rows(Lower *l, const Fill *f, IrVar *to)
{
    IrBlock *save = l->b.at;
    IrExpr *idx[SW_MAX_NDIM], *same[SW_MAX_NDIM];
    for (int i = 0; i < f->type->ndim; i++) {
        IrVar *k = ir_var(l->b.f, "k", DT_i64);
        IrExpr *n = i ? ir_dim(l->cx, f->arr, i) : ir_use(l->cx, f->at);
        IrStmt *s = ir_loop(&l->b, LOOP_SEQ, k, i64(l, 0), n, 1);
        s->elementwise = s->novec_alias = true;
        l->b.at = &s->body;
        idx[i] = ir_use(l->cx, k);
        same[i] = ir_use(l->cx, k);
    }
    ir_store(&l->b, to, f->type->ndim, idx, ir_load(l->cx, f->arr, f->type->ndim, same));
    l->b.at = save;
}

/* Room for one more: twice as much as before, when all is used up. */
static void
grow(Lower *l, Fill *f)
{
    Cx *cx = l->cx;
    IrBlock *save = l->b.at;
    IrExpr *room = ir_dim(cx, f->arr, 0);
    IrStmt *s = ir_if(&l->b, ir_op(cx, OP_ge, ir_use(cx, f->at), room));
    s->cold = true;
    l->b.at = &s->body;
    IrExpr *twice = ir_op(cx, OP_mul, ir_use(cx, f->at), i64(l, 2));
    IrVar *fresh = new_rows(l, f, ir_op(cx, OP_max, twice, i64(l, 16)), NULL);
    copy_rows(l, f, fresh);
    ir_alias(&l->b, f->arr, fresh);
    l->b.at = save;
}

/* The first row tells the shape; every other must have it. */
static void
first_row(Lower *l, Fill *f, const Val *row)
{
    Cx *cx = l->cx;
    IrBlock *save = l->b.at;
    IrStmt *s = ir_if(&l->b, ir_op(cx, OP_eq, ir_use(cx, f->at), i64(l, 0)));
    l->b.at = &s->body;
    ir_alias(&l->b, f->arr, new_rows(l, f, f->n ? ir_copy_expr(cx, f->n) : i64(l, 4), row));
    l->b.at = save;
    for (int i = 1; i < f->type->ndim; i++)
        check(l, ir_op(cx, OP_eq, val_dim(&l->b, row, i - 1), ir_dim(cx, f->arr, i)), "ValueError",
              "setting an array element with a sequence. The requested array has an "
              "inhomogeneous shape");
}

static void
store_elem(Lower *l, const Node *elt, void *arg)
{
    Fill *f = arg;
    if (f->type->ndim == 1) {
        Val v = expr(l, elt);
        if (!f->n)
            grow(l, f);
        IrExpr *idx[1] = {ir_use(l->cx, f->at)};
        ir_store(&l->b, f->arr, 1, idx, val_expr(&l->b, &v, f->type->storage));
    } else {
        Val row = row_array(l, elt, f);
        first_row(l, f, &row);
        if (!f->n)
            grow(l, f);
        const Type *i64 = type_scalar(l->cx->types, DT_i64, true);
        NpIndex ix = {.kind = NI_INT, .v = val_scalar(&l->b, i64, ir_use(l->cx, f->at))};
        const Type *rt =
            type_array(l->cx->types, f->type->storage, f->type->ndim - 1, LAY_C, false);
        Val to = np_view_of(&l->b, val_array(&l->b, f->type, f->arr, false), 1, &ix, rt);
        np_assign(&l->b, &to, row);
    }
    ir_set(&l->b, f->at, ir_op(l->cx, OP_add, ir_use(l->cx, f->at), ir_int(l->cx, DT_i64, 1)));
}

/* One generator with no test: the number of elements is known before the first. */
static void
count_known(Lower *l, IrExpr *n, void *arg)
{
    Fill *f = arg;
    f->n = n;
    if (f->type->ndim == 1)
        ir_alias(&l->b, f->arr, new_rows(l, f, ir_copy_expr(l->cx, n), NULL));
}

/* The array without the room that is left. */
static IrVar *
filled(Lower *l, const Fill *f)
{
    int ndim = f->type->ndim;
    IrExpr *dims[SW_MAX_NDIM], *strides[SW_MAX_NDIM];
    IrVar *v = ir_array_var(l->b.f, "list", f->type->storage, ndim, LAY_C);
    for (int i = 0; i < ndim; i++) {
        dims[i] = i ? ir_dim(l->cx, f->arr, i) : ir_use(l->cx, f->at);
        strides[i] = ir_stride(l->cx, f->arr, i);
    }
    ir_view(&l->b, v, f->arr, i64(l, 0), dims, strides);
    return v;
}

/* The generators run once, as in Python: what they call may have effects. */
Val
list_array(Lower *l, const Node *comp, const Type *elem)
{
    DType d;
    bool python;
    int ndim = 1 + elem_rank(elem, &d, &python);
    const Type *t = type_array(l->cx->types, d, ndim, LAY_C, false);
    Fill f = {.arr = ir_array_var(l->b.f, "list", d, ndim, LAY_C), .type = t};
    IrExpr *none[SW_MAX_NDIM];
    for (int i = 0; i < ndim; i++)
        none[i] = i64(l, 0);
    ir_alloc(&l->b, f.arr, none, LAY_C, false);
    f.at = ir_temp(&l->b, i64(l, 0));
    comprehension(l,
                  &(Generators){.comp = comp, .count = count_known, .body = store_elem, .arg = &f});
    Val made = val_array(&l->b, t, f.n ? f.arr : filled(l, &f), true);
    made.made_of = elem;
    return made;
}
