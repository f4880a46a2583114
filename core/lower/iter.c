/* SPDX-License-Identifier: BSD-3-Clause
 * The protocol of iteration: begin and next. Takes an iterable; yields an Iter, which for loops,
 * comprehensions, sums and their kin, next(), zip, enumerate and generator expressions all go
 * through. Most know how many there will be and how to get the k-th, so they become counted loops.
 * What has to be asked for the next one (an iterator in a variable, or what is made of one) becomes
 * a while. An iterator in a variable is its parts (type/iter.c); its place is in memory, for it
 * goes on where it stopped, whoever has it. */
#include "lower/internal.h"

static Val
weak_int(Lower *l, IrExpr *e)
{
    return val_scalar(&l->b, type_scalar(l->cx->types, DT_i64, true), e);
}

/* ---- the k-th of those that are counted ------------------------------------------------------ */

static Val
get_range(Lower *l, Iter *it, IrExpr *k)
{
    int64_t one;
    IrExpr *off = ir_is_const(it->step, &one) && one == 1
                      ? k
                      : ir_op(l->cx, OP_mul, k, ir_copy_expr(l->cx, it->step));
    return weak_int(l, ir_op(l->cx, OP_add, ir_copy_expr(l->cx, it->start), off));
}

static Val
get_array(Lower *l, Iter *it, IrExpr *k)
{
    NpIndex ix = {.kind = NI_INT, .v = weak_int(l, k)};
    return np_subscript(&l->b, it->v, 1, &ix, it->type);
}

static Val
get_tuple(Lower *l, Iter *it, IrExpr *k)
{
    return as_tuple_elem(l, &it->v, k, it->type);
}

static Val
get_reversed(Lower *l, Iter *it, IrExpr *k)
{
    IrExpr *last = ir_op(l->cx, OP_sub, ir_copy_expr(l->cx, it->n), i64(l, 1));
    return it->sub->get(l, it->sub, ir_op(l->cx, OP_sub, last, k));
}

static Val
get_enumerate(Lower *l, Iter *it, IrExpr *k)
{
    Val *elem = NEW_N(&l->cx->arena, Val, 2);
    IrExpr *count = ir_op(l->cx, OP_add, ir_copy_expr(l->cx, it->start), ir_copy_expr(l->cx, k));
    elem[0] = weak_int(l, count);
    elem[1] = it->sub->get(l, it->sub, k);
    const Type *t[2] = {elem[0].type, elem[1].type};
    return val_tuple(&l->b, type_tuple(l->cx->types, 2, t), 2, elem);
}

static Val
get_zip(Lower *l, Iter *it, IrExpr *k)
{
    Val *elem = NEW_N(&l->cx->arena, Val, it->n_sub);
    const Type **t = NEW_N(&l->cx->arena, const Type *, it->n_sub);
    for (int i = 0; i < it->n_sub; i++) {
        elem[i] = it->sub[i].get(l, &it->sub[i], ir_copy_expr(l->cx, k));
        t[i] = elem[i].type;
    }
    return val_tuple(&l->b, type_tuple(l->cx->types, it->n_sub, t), it->n_sub, elem);
}

Iter
range_iter(Lower *l, Val v)
{
    Iter it = {.get = get_range, .type = v.elem[0].type};
    it.start = val_freeze(&l->b, v.elem[0].e);
    it.step = val_freeze(&l->b, v.elem[2].e);
    it.n = val_freeze(&l->b, np_range_length(&l->b, ir_copy_expr(l->cx, it.start), v.elem[1].e,
                                             ir_copy_expr(l->cx, it.step)));
    return it;
}

/* ---- where one stands ------------------------------------------------------------------------ */

IrExpr *
iter_place(Lower *l, const Iter *it)
{
    IrExpr *zero = i64(l, 0);
    return it->cell ? ir_load(l->cx, it->cell, 1, &zero) : ir_use(l->cx, it->at);
}

void
iter_go(Lower *l, const Iter *it, IrExpr *e)
{
    IrExpr *zero = i64(l, 0);
    if (it->cell)
        ir_store(&l->b, it->cell, 1, &zero, e);
    else
        ir_set(&l->b, it->at, e);
}

void
iter_step(Lower *l, const Iter *it, IrExpr *k, int by)
{
    iter_go(l, it, ir_op(l->cx, OP_add, again(l, k), i64(l, by)));
}

IrVar *
iter_start(Lower *l, IrExpr *e)
{
    IrVar *at = ir_var(l->b.f, "place", DT_i64);
    ir_set(&l->b, at, e);
    return at;
}

/* Is it no more than n and get? */
static bool
is_plain(const Iter *it)
{
    return it->n && !it->filters && !iter_ends(it);
}

void
iter_stand(Lower *l, Iter *it)
{
    if (it->n && !it->at)
        it->at = iter_start(l, i64(l, 0));
}

/* ---- next: has says whether there was one ---------------------------------------------------- */

void
iter_found(Lower *l, Val *slot, Val v, IrVar *has)
{
    if (v.kind == VK_LAZY)
        v = np_materialize(&l->b, v, LAY_C);
    *slot = val_slot(l, v.type, "item");
    slot_store(l, slot, v);
    ir_set(&l->b, has, ir_int(l->cx, DT_bool, 1));
}

static Val
next_counted(Lower *l, Iter *it, IrVar *has)
{
    IrBlock *save = l->b.at;
    IrExpr *more = ir_op(l->cx, OP_lt, iter_place(l, it), again(l, it->n));
    IrStmt *s = it->filters ? ir_while(&l->b) : ir_if(&l->b, more);
    Val slot;
    s->e = more;
    l->b.at = &s->body;
    IrExpr *k = val_freeze(&l->b, iter_place(l, it));
    iter_step(l, it, k, 1);
    iter_found(l, &slot, it->get(l, it, again(l, k)), has);
    if (it->filters)
        ir_append(&l->b, IS_BREAK);
    l->b.at = save;
    if (iter_ends(it)) {
        l->b.at = &ir_if(&l->b, ir_op(l->cx, OP_inv, ir_use(l->cx, has)))->body;
        iter_end(l, it);
        l->b.at = save;
    }
    return slot;
}

Val
iter_next(Lower *l, Iter *it, IrVar *has)
{
    ir_set(&l->b, has, ir_int(l->cx, DT_bool, 0));
    return it->next ? it->next(l, it, has) : next_counted(l, it, has);
}

/* An object of a generator goes on to its next yield, and says whether there was one. */
static Val
next_resumed(Lower *l, Iter *it, IrVar *has)
{
    const Type *t = it->v.type;
    const Inst *in = sema_helper(l->in, "_gi_resume", t);
    IrBlock *save = l->b.at;
    Val slot, found = {0};
    if (!in) {
        diag_add(&l->cx->diags, DIAG_internal, l->b.span, "a generator without its function");
        return it->v;
    }
    found = inst_call(l, in, &it->v);
    l->b.at = &ir_if(&l->b, val_expr(&l->b, &found, DT_bool))->body;
    iter_found(l, &slot, object_load(l, it->v, object_field(t->ref, "_gi_value")), has);
    l->b.at = save;
    return slot;
}

/* iter(x) in a variable. */
static Val
next_source(Lower *l, Iter *it, IrVar *has)
{
    Iter *src = &it->sub[0];
    if (src->next)
        return iter_next(l, src, has);
    if (src->v.type && src->v.type->kind == TY_REF)
        return heap_next(l, it, has);
    IrBlock *save = l->b.at;
    IrExpr *k = val_freeze(&l->b, iter_place(l, it));
    Val slot;
    l->b.at = &ir_if(&l->b, ir_op(l->cx, OP_lt, again(l, k), again(l, src->n)))->body;
    iter_step(l, it, k, 1);
    iter_found(l, &slot, src->get(l, src, again(l, k)), has);
    l->b.at = save;
    return slot;
}

/* Its place is how many are left. */
static Val
next_reversed(Lower *l, Iter *it, IrVar *has)
{
    if (it->sub->v.type && it->sub->v.type->kind == TY_REF)
        return heap_next_reversed(l, it, has);
    IrBlock *save = l->b.at;
    IrExpr *left = val_freeze(&l->b, iter_place(l, it));
    IrStmt *s = ir_if(&l->b, ir_op(l->cx, OP_gt, again(l, left), i64(l, 0)));
    Val slot;
    l->b.at = &s->body;
    iter_step(l, it, left, -1);
    iter_found(l, &slot, it->sub->get(l, it->sub, ir_op(l->cx, OP_sub, again(l, left), i64(l, 1))),
               has);
    l->b.at = save;
    return slot;
}

static Val
pair_of(Lower *l, int n, const Val *elem)
{
    const Type **t = NEW_N(&l->cx->arena, const Type *, n + 1);
    for (int i = 0; i < n; i++)
        t[i] = elem[i].type;
    return val_tuple(&l->b, type_tuple(l->cx->types, n, t), n, elem);
}

static Val
next_enumerate(Lower *l, Iter *it, IrVar *has)
{
    IrBlock *save = l->b.at;
    Val elem[2], count;
    elem[1] = iter_next(l, it->sub, has);
    l->b.at = &ir_if(&l->b, ir_use(l->cx, has))->body;
    count = weak_int(l, val_freeze(&l->b, iter_place(l, it)));
    elem[0] = val_slot(l, count.type, "count");
    slot_store(l, &elem[0], count);
    iter_step(l, it, count.e, 1);
    l->b.at = save;
    return pair_of(l, 2, elem);
}

/* Of a generator expression: the functions stand behind what it goes through. */
static Val
map_item(Lower *l, const Iter *it, int k, Val item)
{
    const Val *f = &it->v.elem[(it->cell != NULL) + k];
    const Inst *in = sema_mapper(l->in, it->v.type->elems[k], item.type);
    Val *param = NEW_N(&l->cx->arena, Val, f->n + 1);
    if (!in) {
        diag_add(&l->cx->diags, DIAG_internal, l->b.span, "an iterator without its function");
        return item;
    }
    param[0] = item;
    for (int i = 0; i < f->n; i++)
        param[1 + i] = f->elem[i];
    return inst_call(l, in, param);
}

/* A generator in which something was raised has ended; map and filter go on. */
static Val
next_mapped(Lower *l, Iter *it, IrVar *has)
{
    IrBlock *save = l->b.at;
    IrVar *more = ir_var(l->b.f, "more", DT_bool);
    IrStmt *s;
    Val slot;
    if (it->cell) {
        IrExpr *ready = ir_op(l->cx, OP_eq, iter_place(l, it), i64(l, 0));
        l->b.at = &ir_if(&l->b, ready)->body;
        iter_go(l, it, i64(l, 1));
    }
    IrBlock *inner = l->b.at;
    s = ir_while(&l->b);
    l->b.at = &s->pre;
    Val item = iter_next(l, it->sub, more);
    s->e = ir_use(l->cx, more);
    l->b.at = &s->body;
    if (type_iter_count(it->v.type) + 1 < it->v.type->n) {
        Val passes = map_item(l, it, 2, item);
        IrExpr *no = ir_op(l->cx, OP_inv, val_expr(&l->b, &passes, DT_bool));
        l->b.at = &ir_if(&l->b, no)->body;
        ir_append(&l->b, IS_CONTINUE);
        l->b.at = &s->body;
    }
    iter_found(l, &slot, map_item(l, it, 1, item), has);
    ir_append(&l->b, IS_BREAK);
    l->b.at = inner;
    if (it->cell)
        iter_go(l, it, i64(l, 0));
    l->b.at = save;
    return slot;
}

static const char *
zip_text(Lower *l, int k, const char *what)
{
    Arena *a = &l->cx->arena;
    const char *others = k == 1 ? " 1" : arena_printf(a, "s 1-%d", k);
    return arena_printf(a, "zip() argument %d is %s than argument%s", k + 1, what, others);
}

/* The first has ended: all others must have. */
static void
zip_longer(Lower *l, Iter *it)
{
    for (int k = 1; k < it->n_sub; k++) {
        IrVar *more = ir_var(l->b.f, "more", DT_bool);
        iter_next(l, &it->sub[k], more);
        check(l, ir_op(l->cx, OP_inv, ir_use(l->cx, more)), "ValueError", zip_text(l, k, "longer"));
    }
}

/* One after the other, until one has ended. */
static Val
next_zip(Lower *l, Iter *it, IrVar *has)
{
    IrBlock *save = l->b.at;
    Val *elem = NEW_N(&l->cx->arena, Val, it->n_sub + 1);
    for (int k = 0; k < it->n_sub; k++) {
        IrVar *more = ir_var(l->b.f, "more", DT_bool);
        elem[k] = iter_next(l, &it->sub[k], more);
        IrStmt *s = ir_if(&l->b, ir_use(l->cx, more));
        l->b.at = &s->els;
        if (it->strict && k == 0)
            zip_longer(l, it);
        else if (it->strict)
            raise_(l, "ValueError", zip_text(l, k, "shorter"));
        l->b.at = &s->body;
    }
    if (it->n_sub)
        ir_set(&l->b, has, ir_int(l->cx, DT_bool, 1));
    l->b.at = save;
    return pair_of(l, it->n_sub, elem);
}

/* ---- strict=True of what is counted ---------------------------------------------------------- */

bool
iter_ends(const Iter *it)
{
    return it->n && (it->strict || (it->n_sub == 1 && iter_ends(it->sub)));
}

void
iter_end(Lower *l, const Iter *it)
{
    if (!it->strict) {
        iter_end(l, it->sub);
        return;
    }
    IrExpr *first = ir_op(l->cx, OP_eq, again(l, it->sub[0].n), again(l, it->n));
    for (int way = 0; way < 2; way++)
        for (int k = 1; k < it->n_sub; k++) {
            IrExpr *ended = ir_op(l->cx, OP_eq, again(l, it->sub[k].n), again(l, it->n));
            IrExpr *ok = way ? ir_op(l->cx, OP_or, ir_op(l->cx, OP_inv, again(l, first)), ended)
                             : ir_op(l->cx, OP_or, again(l, first), ir_op(l->cx, OP_inv, ended));
            check(l, ok, "ValueError", zip_text(l, k, way ? "longer" : "shorter"));
        }
}

/* ---- generator expressions of one for -------------------------------------------------------- */

bool
is_generated(const Node *n)
{
    return n->kind == N_ListComp && n->op == 1;
}

/* Its element for this item of what it goes through. */
static Val
generate(Lower *l, const Iter *it, Val item)
{
    const Node *gen = it->gen->kid[1];
    assign_item(l, gen->kid[0], item);
    for (int i = 2; i < gen->n; i++) {
        IrBlock *save = l->b.at;
        l->b.at = &ir_if(&l->b, ir_op(l->cx, OP_inv, truth(l, gen->kid[i])))->body;
        ir_append(&l->b, IS_CONTINUE);
        l->b.at = save;
    }
    return expr(l, it->gen->kid[0]);
}

static Val
get_generated(Lower *l, Iter *it, IrExpr *k)
{
    return generate(l, it, it->sub->get(l, it->sub, k));
}

static Val
next_generated(Lower *l, Iter *it, IrVar *has)
{
    IrBlock *save = l->b.at;
    IrVar *more = ir_var(l->b.f, "more", DT_bool);
    IrStmt *s = ir_while(&l->b);
    Val slot;
    l->b.at = &s->pre;
    Val item = iter_next(l, it->sub, more);
    s->e = ir_use(l->cx, more);
    l->b.at = &s->body;
    iter_found(l, &slot, generate(l, it, item), has);
    ir_append(&l->b, IS_BREAK);
    l->b.at = save;
    return slot;
}

static Iter
generated_iter(Lower *l, const Node *n, bool changing)
{
    Iter it = {.gen = n, .n_sub = 1, .sub = NEW(&l->cx->arena, Iter)};
    if (n->n > 2) {
        Diag *d = diag_add(&l->cx->diags, DIAG_unsupported, n->at,
                           "a generator expression with more than one for here");
        diag_hint(&l->cx->diags, d, "make a list of it: [... for ...]");
    }
    *it.sub = make_iter(l, n->kid[1]->kid[1], changing);
    if (it.sub->n) {
        it.n = again(l, it.sub->n);
        it.get = get_generated;
        it.filters = it.sub->filters || n->kid[1]->n > 2;
    } else {
        it.next = next_generated;
    }
    return it;
}

/* ---- begin: calls ---------------------------------------------------------------------------- */

/* iter(x), enumerate, zip, reversed where they are consumed. What iter makes of a list sees the
 * list change. */
static bool
is_iter_call(const Lower *l, const Node *n)
{
    const Info *i = sema_info(l->in, n);
    const Call *c = n->kind == N_Call ? i->call : NULL;
    if (!c || c->kind != CALL_BUILTIN || !i->type || i->type->kind != TY_ITER ||
        c->fn->id == BI_py_ranges || c->fn->id == BI_py_next || type_iter_maps(i->type))
        return false;
    return c->fn->id != BI_py_iter || sema_info(l->in, c->arg[0])->type->kind != TY_REF;
}

static IrExpr *
shortest(Lower *l, Iter *sub, int n)
{
    IrExpr *len = n ? ir_copy_expr(l->cx, sub[0].n) : i64(l, 0);
    for (int i = 1; i < n; i++)
        len = ir_op(l->cx, OP_min, len, ir_copy_expr(l->cx, sub[i].n));
    return val_freeze(&l->b, len);
}

/* Counted where all are; enumerate may be where some are left out. */
static bool
is_counted(const Iter *it)
{
    bool all = true;
    for (int i = 0; i < it->n_sub; i++)
        all &= is_plain(&it->sub[i]) ||
               (it->n_sub == 1 && it->get == get_enumerate && it->sub[i].n && !it->sub[i].filters);
    return all;
}

static void
pull(Lower *l, Iter *it, Val (*next)(Lower *l, Iter *it, IrVar *has))
{
    it->next = next;
    it->get = NULL;
    for (int i = 0; i < it->n_sub; i++)
        iter_stand(l, &it->sub[i]);
}

static bool
is_strict(const Lower *l, const Node *zip)
{
    return type_iter_strict(sema_info(l->in, zip)->type);
}

static IrExpr *
start_of(Lower *l, const Call *c)
{
    if (c->n_args < 2 || !c->arg[1])
        return i64(l, 0);
    Val from = expr(l, c->arg[1]);
    return val_freeze(&l->b, val_int(&l->b, &from, "OverflowError", VAL_TOO_LARGE));
}

static Iter value_iter(Lower *l, const Node *n, Val v);

static int
first_arg(const Call *c) /* of those gone through: keywords come before them */
{
    return c->fn->id == BI_py_zip ? builtin_params[c->fn->id].n : 0;
}

static Iter
call_iter(Lower *l, const Node *n, bool changing)
{
    const Call *c = sema_info(l->in, n)->call;
    int first = first_arg(c);
    if (c->fn->id == BI_py_iter)
        return make_iter(l, c->arg[0], changing);
    Iter it = {.n_sub = c->fn->id == BI_py_zip ? c->n_args - first : 1};
    if (changing && c->fn->id == BI_py_reversed && heap_watched(l, c->arg[first], true, &it))
        return it;
    it.sub = NEW_N(&l->cx->arena, Iter, it.n_sub + 1);
    Val all = {0}; /* of zip(*all) */
    if (c->splat && !c->splat_n)
        known_effects(l, c->splat);
    for (int i = 0; i < it.n_sub; i++) {
        int e = call_splat_elem(c, first + i);
        if (e == 0)
            all = pin(l, expr(l, c->splat));
        if (e >= 0)
            it.sub[i] = value_iter(l, NULL, all.elem[e]);
        else if (c->fn->id == BI_py_reversed && !is_iter_call(l, c->arg[first + i]))
            it.sub[i] = value_iter(l, c->arg[first + i], expr(l, c->arg[first + i]));
        else
            it.sub[i] = make_iter(l, c->arg[first + i], changing);
    }
    bool count = c->fn->id == BI_py_enumerate;
    it.get = count ? get_enumerate : c->fn->id == BI_py_reversed ? get_reversed : get_zip;
    it.strict = c->fn->id == BI_py_zip && it.n_sub > 1 && is_strict(l, n);
    bool counted = is_counted(&it);
    if (counted)
        it.n = shortest(l, it.sub, it.n_sub);
    if (count)
        it.start = start_of(l, c);
    if (!counted)
        pull(l, &it, count ? next_enumerate : next_zip);
    if (!counted && count)
        it.at = iter_start(l, again(l, it.start));
    return it;
}

/* ---- begin: values --------------------------------------------------------------------------- */

static const Type *
elem_type(Lower *l, const Type *t)
{
    if (t->kind == TY_ARRAY && t->ndim == 1)
        return type_scalar(l->cx->types, t->storage, false);
    if (t->kind == TY_ARRAY)
        return type_row(l->cx->types, t);
    const Type *j = type_unknown(l->cx->types);
    for (int i = 0; i < t->n && j; i++)
        j = type_join(l->cx->types, j, t->elems[i]);
    return j ? j : type_none(l->cx->types);
}

static Val
get_record(Lower *l, Iter *it, IrExpr *k)
{
    NpIndex ix = {.kind = NI_INT,
                  .v = val_scalar(&l->b, type_scalar(l->cx->types, DT_i64, true), k)};
    return record_select(l, it->v, 1, &ix, it->type);
}

static Iter
record_iter(Lower *l, Val v)
{
    Iter it = {.v = pin(l, v), .type = type_record_row(l->cx->types, v.type), .get = get_record};
    Val first = v;
    while (first.kind == VK_TUPLE)
        first = first.elem[0];
    it.n = val_dim(&l->b, &first, 0);
    return it;
}

/* An iterator that is in a variable, or made to be in one. */
static Iter
held_iter(Lower *l, Val v)
{
    int id = ((const Builtin *)v.type->ref)->id;
    int cells = type_iter_has_cell(v.type);
    Iter it = {.v = v, .n_sub = type_iter_count(v.type)};
    it.sub = NEW_N(&l->cx->arena, Iter, it.n_sub + 1);
    it.cell = cells ? v.elem[0].arr : NULL;
    for (int i = 0; i < it.n_sub; i++)
        it.sub[i] = value_iter(l, NULL, v.elem[cells + i]);
    it.strict = id == BI_py_zip && it.n_sub > 1 && type_iter_strict(v.type);
    it.next = id == BI_py_iter         ? next_source
              : id == BI_py_reversed   ? next_reversed
              : id == BI_py_enumerate  ? next_enumerate
              : type_iter_maps(v.type) ? next_mapped
                                       : next_zip;
    return it;
}

/* n: whose value it is; NULL: nobody's, and no dict. */
static Iter
value_iter(Lower *l, const Node *n, Val v)
{
    if (v.type->kind == TY_ITER)
        return held_iter(l, v);
    if (v.type->kind == TY_RANGE)
        return range_iter(l, v);
    if (v.kind == VK_LAZY)
        v = np_materialize(&l->b, v, LAY_C);
    if (v.type->kind == TY_OBJ)
        return (Iter){.v = pin(l, v), .next = next_resumed};
    if (v.type->kind == TY_REF)
        return heap_iter(l, n ? heap_iterable(l, n, v) : v);
    if (v.type->kind == TY_RECORD)
        return record_iter(l, v);
    if (text_is(&v))
        return text_iter(l, v);
    Iter it = {.v = v, .type = elem_type(l, v.type)};
    if (v.kind == VK_ARRAY) {
        if (!v.temp) { /* the name may be bound anew in the loop: iterate over what it was */
            IrVar *held =
                ir_array_var(l->b.f, "iter", v.type->storage, v.type->ndim, v.type->layout);
            held->readonly = v.type->readonly;
            ir_alias(&l->b, held, v.arr);
            it.v.arr = held;
        }
        it.n = ir_dim(l->cx, it.v.arr, 0);
        it.get = get_array;
    } else {
        it.v = pin(l, v);
        it.n = i64(l, v.n);
        it.get = get_tuple;
    }
    return it;
}

Iter
make_iter(Lower *l, const Node *n, bool changing)
{
    Iter it;
    changing = l->objects && (changing || heap_changes_between(l, n));
    if (is_generated(n))
        return generated_iter(l, n, changing);
    if (is_iter_call(l, n))
        return call_iter(l, n, changing);
    if (text_parts(l, n, &it) || flat_iter(l, n, &it))
        return it;
    return changing && heap_watched(l, n, false, &it) ? it : value_iter(l, n, expr(l, n));
}

/* ---- loops ----------------------------------------------------------------------------------- */

IrStmt *
iter_loop(Lower *l, Iter *it, LoopKind kind, IrExpr *from, Val *v)
{
    if (it->n) {
        IrVar *k = ir_var(l->b.f, "k", DT_i64);
        IrStmt *s = ir_loop(&l->b, kind, k, from ? from : i64(l, 0), again(l, it->n), 1);
        l->b.at = &s->body;
        *v = it->get(l, it, ir_use(l->cx, k));
        return s;
    }
    if (it->next == heap_next && !it->cell) { /* that needs no flag */
        IrStmt *s = ir_while(&l->b);
        l->b.at = &s->pre;
        s->e = heap_more(l, it);
        l->b.at = &s->body;
        *v = pin(l, heap_pull(l, it));
        return s;
    }
    IrVar *has = ir_var(l->b.f, "more", DT_bool);
    IrStmt *s = ir_while(&l->b);
    l->b.at = &s->pre;
    *v = iter_next(l, it, has);
    s->e = ir_use(l->cx, has);
    l->b.at = &s->body;
    return s;
}

/* ---- iterators as values --------------------------------------------------------------------- */

static Val
cell_of(Lower *l, IrExpr *start)
{
    IrExpr *one = i64(l, 1), *zero = i64(l, 0);
    IrVar *cell = ir_array_var(l->b.f, "place", DT_i64, 1, LAY_C);
    ir_alloc(&l->b, cell, &one, LAY_C, false);
    ir_store(&l->b, cell, 1, &zero, start);
    return val_array(&l->b, type_array(l->cx->types, DT_i64, 1, LAY_C, false), cell, false);
}

Val
iter_over(Lower *l, Val v)
{
    if (v.type->kind == TY_ITER)
        return pin(l, v);
    Val own = pin(l, v);
    if (v.type->kind == TY_OBJ) /* it knows its place */
        return val_tuple(&l->b, type_iterator(l->cx->types, v.type), 1, &own);
    Val part[2] = {cell_of(l, i64(l, 0)), own};
    return val_tuple(&l->b, type_iterator(l->cx->types, v.type), 2, part);
}

Val
emit_py_iterator(Lower *l, const Node *at, const Call *c, const Type *t)
{
    int id = c->fn->id, first = first_arg(c), n = id == BI_py_zip ? c->n_args - first : 1,
        parts = id != BI_py_zip;
    Val *part = NEW_N(&l->cx->arena, Val, n + 4);
    (void)at;
    if (id == BI_py_iter)
        return iter_over(l, expr(l, c->arg[0]));
    if (type_iter_maps(t)) {
        int k = 0;
        if (type_iter_has_cell(t))
            part[k++] = cell_of(l, i64(l, 0));
        part[k++] = iter_over(l, expr(l, c->arg[0]));
        for (int i = 1; i < t->n; i++)
            part[k++] = pin(l, expr(l, c->arg[i]));
        return val_tuple(&l->b, t, k, part);
    }
    for (int i = 0; i < n; i++) {
        int e = l->splat_of == c ? call_splat_elem(c, first + i) : -1;
        Val v = e < 0 ? expr(l, c->arg[first + i]) : l->splat.elem[e];
        part[parts + i] = id == BI_py_reversed ? pin(l, v) : iter_over(l, v);
    }
    if (id == BI_py_reversed)
        part[0] = cell_of(l, again(l, value_iter(l, NULL, part[1]).n));
    else if (id == BI_py_enumerate)
        part[0] = cell_of(l, start_of(l, c));
    return val_tuple(&l->b, t, n + parts, part);
}

/* ---- next() ---------------------------------------------------------------------------------- */

typedef struct First {
    const Type *type;
    Val slot;
    IrVar *has;
    const Node *dflt; /* or NULL */
} First;

/* The default is evaluated once the iterator is there. */
static void
take_default(Lower *l, void *arg)
{
    First *f = arg;
    if (f->dflt)
        slot_store(l, &f->slot, val_convert(&l->b, pin(l, expr(l, f->dflt)), f->type));
    f->dflt = NULL;
}

static void
take_first(Lower *l, const Node *elt, void *arg)
{
    First *f = arg;
    slot_store(l, &f->slot, val_convert(&l->b, pin(l, expr(l, elt)), f->type));
    ir_set(&l->b, f->has, ir_int(l->cx, DT_bool, 1));
}

Val
emit_py_next(Lower *l, const Node *at, const Call *c, const Type *t)
{
    First f = {.type = t, .has = ir_var(l->b.f, "more", DT_bool)};
    IrBlock *save = l->b.at;
    bool generated = is_generated(c->arg[0]), dflt = c->n_args > 1 && c->arg[1];
    f.slot = val_slot(l, t, "next");
    f.dflt = dflt ? c->arg[1] : NULL;
    (void)at;
    if (generated) {
        ir_set(&l->b, f.has, ir_int(l->cx, DT_bool, 0));
        comprehension(l, &(Generators){.comp = c->arg[0],
                                       .body = take_first,
                                       .begun = take_default,
                                       .enough = ir_use(l->cx, f.has),
                                       .arg = &f});
        take_default(l, &f); /* an iterable that is surely empty does not begin */
    } else {
        Iter it = make_iter(l, c->arg[0], false);
        take_default(l, &f);
        iter_stand(l, &it);
        Val v = iter_next(l, &it, f.has);
        if (!dflt)
            check(l, ir_use(l->cx, f.has), "StopIteration", "");
        l->b.at = dflt ? &ir_if(&l->b, ir_use(l->cx, f.has))->body : l->b.at;
        slot_store(l, &f.slot, val_convert(&l->b, v, t));
    }
    l->b.at = save;
    if (!dflt && generated)
        check(l, ir_use(l->cx, f.has), "StopIteration", "");
    return f.slot;
}
