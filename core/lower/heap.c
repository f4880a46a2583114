/* SPDX-License-Identifier: BSD-3-Clause
 * Lists, dicts and sets: objects made, their elements read and written by column (HeapClass in
 * type.h), and loops over lists. Where nothing in a loop can change how long a list is, its length
 * and its columns are looked up once before the loop; inside, an element is one of a plain array,
 * and passes need to know nothing of lists. */
#include "lower/internal.h"

IrVar *
heap_var(Lower *l, const char *name, const Type *t)
{
    IrVar *v = ir_array_var(l->b.f, name, DT_i64, 1, LAY_C);
    v->obj = heap_layout(&l->cx->arena, t);
    return v;
}

/* ---- words and columns ----------------------------------------------------------------------- */

IrExpr *
heap_word(Lower *l, IrVar *o, int k)
{
    IrExpr *idx[1] = {i64(l, k)};
    return ir_load(l->cx, o, 1, idx);
}

void
heap_set_word(Lower *l, IrVar *o, int k, IrExpr *e)
{
    IrExpr *idx[1] = {i64(l, k)};
    ir_store(&l->b, o, 1, idx, e);
}

/* What a loop has looked up before it began. */
Known *
heap_known(Lower *l, const IrVar *o)
{
    for (int i = l->known.n - 1; i >= 0; i--)
        if (l->known.at[i].object == o)
            return &l->known.at[i];
    return NULL;
}

IrVar *
heap_get_column(Lower *l, IrVar *o, int at, const Type *leaf)
{
    bool refs = leaf->kind != TY_SCALAR;
    IrVar *c = ir_array_var(l->b.f, "column", refs ? DT_i64 : (DType)leaf->storage, 1, LAY_C);
    c->obj = refs ? OBJ_ARRAY : NULL;
    ir_get(&l->b, c, o, i64(l, at));
    return c;
}

static IrVar *
first_of(Lower *l, IrVar *c, IrExpr *n)
{
    IrVar *v = ir_var_like(l->b.f, c->name, c);
    IrExpr *dims[1] = {n}, *strides[1] = {ir_stride(l->cx, c, 0)};
    ir_view(&l->b, v, c, i64(l, 0), dims, strides);
    return v;
}

/* The elements of a bytearray, where they are now. */
Val
heap_bytes(Lower *l, const Val *o, const Type *t)
{
    IrVar *c =
        heap_get_column(l, o->arr, heap_column(o->type, 0), heap_held(l->cx->types, o->type, 0));
    return val_array(&l->b, t, first_of(l, c, val_freeze(&l->b, heap_word(l, o->arr, 0))), false);
}

static IrVar *
column_of(Lower *l, IrVar *o, int at, const Type *leaf)
{
    Known *k = heap_known(l, o);
    for (int i = 0; k && i < k->n; i++)
        if (k->at[i] == at)
            return l->beyond ? k->whole[i] : k->column[i];
    return heap_get_column(l, o, at, leaf);
}

IrExpr *
heap_len(Lower *l, const Val *o)
{
    Known *k = heap_known(l, o->arr);
    return k ? again(l, k->len) : heap_word(l, o->arr, 0);
}

/* ---- elements -------------------------------------------------------------------------------- */

static Val
load_at(Lower *l, IrVar *o, int *at, const Type *t, IrExpr *i)
{
    if (type_is_held_apart(t)) {
        Val *elem = NEW_N(&l->cx->arena, Val, t->n);
        for (int k = 0; k < t->n; k++)
            elem[k] = load_at(l, o, at, t->elems[k], i);
        return val_tuple(&l->b, t, t->n, elem);
    }
    if (t->kind == TY_UNKNOWN || t->kind == TY_NONE) { /* nothing is ever there */
        *at += 3;
        return val_none(&l->b);
    }
    IrVar *c = column_of(l, o, *at, t);
    IrExpr *idx[1] = {again(l, i)};
    *at += 3;
    if (t->kind == TY_SCALAR)
        return val_scalar(&l->b, t, ir_load(l->cx, c, 1, idx));
    IrVar *v = heap_var(l, "item", t);
    ir_get(&l->b, v, c, idx[0]);
    if (t->kind == TY_ARRAY) {
        IrVar *box = v;
        v = ir_array_var(l->b.f, "item", (DType)t->storage, t->ndim, (Layout)t->layout);
        v->readonly = t->readonly != RO_NO;
        ir_get(&l->b, v, box, i64(l, 0));
    }
    Val r = val_array(&l->b, t, v, false);
    r.temp = true;
    return r;
}

Val
heap_load(Lower *l, const Val *o, int group, IrExpr *i)
{
    const Type *t = heap_group(l->cx->types, o->type, group),
               *held = heap_held(l->cx->types, o->type, group);
    int at = heap_column(o->type, group);
    if (heap_leaves(t) > 1)
        i = val_freeze(&l->b, i);
    Val v = load_at(l, o->arr, &at, held, i);
    return held == t ? v : val_convert(&l->b, v, t);
}

/* v with an object in the place of each array, which a column of references takes. */
static Val
boxed(Lower *l, const Type *t, Val v)
{
    if (type_is_held_apart(t)) {
        Val *elem = NEW_N(&l->cx->arena, Val, t->n);
        for (int k = 0; k < t->n; k++)
            elem[k] = boxed(l, t->elems[k], v.elem[k]);
        v.elem = elem;
    } else if (t->kind == TY_ARRAY) {
        IrVar *box = heap_var(l, "box", t);
        IrExpr *dims[1] = {i64(l, (int64_t)strlen(box->obj))};
        ir_alloc(&l->b, box, dims, LAY_C, true);
        ir_put(&l->b, box, i64(l, 0), v.arr);
        v.arr = box;
    }
    return v;
}

/* fresh: nothing has been put there */
static void
store_at(Lower *l, IrVar *o, int *at, const Type *t, IrExpr *i, const Val *v, bool fresh)
{
    if (type_is_held_apart(t)) {
        for (int k = 0; k < t->n; k++)
            store_at(l, o, at, t->elems[k], i, v ? &v->elem[k] : NULL, fresh);
        return;
    }
    bool scalar = t->kind == TY_SCALAR;
    IrVar *c = scalar && !v ? NULL : column_of(l, o, *at, t);
    IrExpr *idx[1] = {again(l, i)};
    *at += 3;
    if (!scalar)
        ir_put(&l->b, c, idx[0], v ? v->arr : NULL)->fresh = fresh;
    else if (v)
        ir_store(&l->b, c, 1, idx, val_expr(&l->b, v, t->storage));
}

/* Is a value given to what is to hold nothing that is known? Its type was never looked at again. */
static bool
is_lost(const Type *t, const Val *v)
{
    if (t->kind == TY_UNKNOWN)
        return v->type && v->type->kind != TY_UNKNOWN && v->type->kind != TY_NONE;
    bool lost = false;
    for (int k = 0; type_is_held_apart(t) && v->kind == VK_TUPLE && k < t->n && k < v->n && !lost;
         k++)
        lost = is_lost(t->elems[k], &v->elem[k]);
    return lost;
}

static void
check_range(Lower *l, const Val *v, int64_t least, int64_t most, const char *error, const char *low,
            const char *high)
{
    if (least != INT64_MIN)
        check(l, ir_op(l->cx, OP_ge, again(l, v->e), i64(l, least)), error, low);
    if (most != INT64_MAX)
        check(l, ir_op(l->cx, OP_le, again(l, v->e), i64(l, most)), error, high);
}

/* A number that is to be an element of a bytearray or an array.array, which CPython takes for one
 * of C's types first. */
static Val
checked_packed(Lower *l, const HeapClass *c, Val v)
{
    static const struct {
        char code;
        int64_t least, most;
        const char *low, *high;
    } all[] = {
        {'b', -32768, 32767, "signed short integer is less than minimum",
         "signed short integer is greater than maximum"},
        {'b', -128, 127, "signed char is less than minimum", "signed char is greater than maximum"},
        {'B', 0, 255, "unsigned byte integer is less than minimum",
         "unsigned byte integer is greater than maximum"},
        {'h', -32768, 32767, "signed short integer is less than minimum",
         "signed short integer is greater than maximum"},
        {'H', INT32_MIN, INT32_MAX, "signed integer is less than minimum",
         "signed integer is greater than maximum"},
        {'H', 0, 65535, "unsigned short is less than minimum",
         "unsigned short is greater than maximum"},
        {'i', INT32_MIN, INT32_MAX, "signed integer is less than minimum",
         "signed integer is greater than maximum"},
        {'I', 0, UINT32_MAX, "can't convert negative value to unsigned int",
         "unsigned int is greater than maximum"},
    };
    if (dtype_is_float(c->held))
        return pin(l, val_convert(&l->b, v, type_scalar(l->cx->types, DT_f64, true)));
    v = pin(l, val_convert(&l->b, v, type_scalar(l->cx->types, DT_i64, true)));
    if (!c->code) {
        const char *text = "byte must be in range(0, 256)";
        check_range(l, &v, 0, 255, "ValueError", text, text);
        return v;
    }
    for (int i = 0; i < SW_LEN(all); i++)
        if (all[i].code == *c->code)
            check_range(l, &v, all[i].least, all[i].most, "OverflowError", all[i].low, all[i].high);
    return v;
}

static void
store(Lower *l, const Val *o, int group, IrExpr *i, const Val *v, bool fresh)
{
    const Type *t = heap_group(l->cx->types, o->type, group),
               *held = heap_held(l->cx->types, o->type, group);
    int at = heap_column(o->type, group);
    Val x = {0};
    if (v && is_lost(t, v))
        diag_add(&l->cx->diags, DIAG_internal, l->b.span, "a %s is put where nothing is held",
                 v->type->text);
    if (v) /* all boxes are there before the first is put anywhere: there may be no memory
              for one */
        x = boxed(l, t, pin(l, val_convert(&l->b, *v, t)));
    if (v && held != t) {
        x = checked_packed(l, o->type->ref, x);
        x = val_scalar(&l->b, held, ir_cast(l->cx, (DType)held->storage, again(l, x.e)));
    }
    store_at(l, o->arr, &at, held, val_freeze(&l->b, i), v ? &x : NULL, fresh);
}

/* v NULL: it refers to nothing any more. */
void
heap_store(Lower *l, const Val *o, int group, IrExpr *i, const Val *v)
{
    store(l, o, group, i, v, false);
}

/* Where nothing has been put, or what was is gone. */
void
heap_fill(Lower *l, const Val *o, int group, IrExpr *i, const Val *v)
{
    store(l, o, group, i, v, true);
}

static void
move_at(Lower *l, IrVar *to, int *to_at, IrVar *from, int *from_at, const Type *t, IrExpr *i,
        IrExpr *k)
{
    for (int j = 0; type_is_held_apart(t) && j < t->n; j++)
        move_at(l, to, to_at, from, from_at, t->elems[j], i, k);
    if (type_is_held_apart(t))
        return;
    if (t->kind == TY_UNKNOWN || t->kind == TY_NONE) { /* as in load_at */
        *to_at += 3;
        *from_at += 3;
        return;
    }
    IrVar *into = column_of(l, to, *to_at, t), *of = column_of(l, from, *from_at, t);
    IrExpr *at[1] = {again(l, i)}, *idx[1] = {again(l, k)};
    *to_at += 3;
    *from_at += 3;
    if (t->kind == TY_SCALAR) {
        ir_store(&l->b, into, 1, at, ir_load(l->cx, of, 1, idx));
        return;
    }
    IrVar *v = heap_var(l, "item", t);
    ir_get(&l->b, v, of, idx[0]);
    ir_put(&l->b, into, at[0], v);
}

/* An element of one object becomes one of another; what stands for an array goes on to do
 * so, and nothing is made. */
void
heap_move(Lower *l, const Val *to, int group, IrExpr *i, const Val *from, int of, IrExpr *k)
{
    int to_at = heap_column(to->type, group), from_at = heap_column(from->type, of);
    move_at(l, to->arr, &to_at, from->arr, &from_at, heap_held(l->cx->types, to->type, group), i,
            k);
}

/* ---- objects --------------------------------------------------------------------------------- */

Val
heap_new(Lower *l, const Type *t)
{
    return val_object(&l->b, t);
}

/* A tuple whose length is known, as one among others: see val_convert. */
Val
heap_run_of(IrBuilder *b, Val v, const Type *t)
{
    Lower *l = b->owner;
    Val o = heap_new(l, t);
    l->objects = true;
    heap_grow(l, &o, 0, i64(l, v.n));
    for (int i = 0; i < v.n; i++)
        heap_fill(l, &o, 0, i64(l, i), &v.elem[i]);
    heap_set_word(l, o.arr, 0, i64(l, v.n));
    return o;
}

/* ---- displays and comprehensions ------------------------------------------------------------- */

typedef struct Fill {
    Val o;
    bool counted;    /* there is room for what comes */
    bool more;       /* there may be elements before what comes */
    const Inst *set; /* of a dict or set: _dict_setitem */
} Fill;

static bool
fills_set(const Fill *f)
{
    return f->set && f->set->params[2]->kind == TY_TUPLE && !f->set->params[2]->n;
}

static void
add_pair(Lower *l, const Node *pair, void *arg)
{
    const Fill *f = arg;
    Val v[3] = {f->o, pin(l, expr(l, pair->kid[0]))};
    bool member = fills_set(f) && pair->kid[1]->kind == N_Tuple;
    v[2] = member ? val_tuple(&l->b, f->set->params[2], 0, NULL) : pin(l, expr(l, pair->kid[1]));
    inst_call(l, f->set, v);
}

/* What is merged into a display: a list, of what has no value of its own. */
static Val
merged(Lower *l, const Node *from, const Inst *merge)
{
    const Type *t = merge->params[1];
    bool is = sema_info(l->in, from)->type == t || !type_is_heap(t, &heap_list);
    return is ? expr(l, from) : heap_from(l, from, t, NULL);
}

Val
heap_dict_display(Lower *l, const Node *n, const Type *t)
{
    Fill f = {.o = heap_new(l, t), .set = sema_info(l->in, n)->before->inst};
    if (!f.set && n->n) {
        Diag *d = diag_add(&l->cx->diags, DIAG_types, n->at, "nothing tells what this is to hold");
        diag_hint(&l->cx->diags, d, "make it of values whose types are known");
        return f.o;
    }
    for (int i = 0; i < n->n; i++) {
        const Node *k = n->kid[i];
        const Call *merge = k->kind == N_Starred ? sema_info(l->in, k)->before : NULL;
        if (merge)
            inst_call(l, merge->inst, (Val[]){f.o, pin(l, merged(l, k->kid[0], merge->inst))});
        else if (k->kind == N_Starred) /* of nothing */
            known_effects(l, k->kid[0]);
        else
            add_pair(l, k, &f);
    }
    return f.o;
}

static void
count_known(Lower *l, IrExpr *n, void *arg)
{
    Fill *f = arg;
    f->counted = true;
    n = again(l, n);
    heap_grow(l, &f->o, 0, f->more ? ir_op(l->cx, OP_add, heap_word(l, f->o.arr, 0), n) : n);
}

static void
add_value(Lower *l, const Fill *f, Val v)
{
    v = pin(l, v);
    IrExpr *n = val_freeze(&l->b, heap_word(l, f->o.arr, 0));
    if (!f->counted)
        heap_room(l, &f->o, n);
    heap_fill(l, &f->o, 0, again(l, n), &v);
    heap_set_word(l, f->o.arr, 0, ir_op(l->cx, OP_add, again(l, n), i64(l, 1)));
}

static void
add_elem(Lower *l, const Node *elt, void *arg)
{
    add_value(l, arg, expr(l, elt));
}

/* The object is kept until fill_end: inside, statements come to their end. */
static void
fill_begin(Lower *l, Fill *f, const Type *t)
{
    f->o = heap_new(l, t);
    map_put(&l->cx->arena, &l->kept, f->o.arr, f->o.arr);
}

static Val
fill_end(Lower *l, const Fill *f)
{
    map_put(&l->cx->arena, &l->kept, f->o.arr, NULL);
    return f->o;
}

static void
add_generated(Lower *l, const Node *comp, Fill *f)
{
    comprehension(l, &(Generators){.comp = comp,
                                   .count = f->set ? NULL : count_known,
                                   .body = f->set ? add_pair : add_elem,
                                   .arg = f});
}

Val
heap_comprehension(Lower *l, const Node *n, const Type *t)
{
    Fill f = {.set = type_heap_has(t, HEAP_KEYED) ? sema_info(l->in, n)->before->inst : NULL};
    fill_begin(l, &f, t);
    add_generated(l, n, &f);
    return fill_end(l, &f);
}

static void
add_items(Lower *l, Iter it, Fill *f)
{
    if (it.n && !it.filters && !f->set)
        count_known(l, it.n, f);
    IrBlock *save = l->b.at;
    Val v;
    iter_loop(l, &it, LOOP_SEQ, NULL, &v);
    if (fills_set(f)) {
        Val param[3] = {f->o, pin(l, v), val_tuple(&l->b, f->set->params[2], 0, NULL)};
        inst_call(l, f->set, param);
    } else if (f->set) {
        Val param[3] = {f->o, pin(l, v.elem[0]), pin(l, v.elem[1])};
        inst_call(l, f->set, param);
    } else {
        add_value(l, f, v);
    }
    l->b.at = save;
    if (iter_ends(&it))
        iter_end(l, &it);
}

/* `make`: there is no object yet; what the iterable says comes before it. */
static void
add_from(Lower *l, const Node *from, Fill *f, const Type *make)
{
    bool pairs = make && type_heap_has(make, HEAP_MAPS);
    bool generated = is_generated(from) && (!f->set || (pairs && from->kid[0]->kind == N_Tuple));
    Iter it = generated ? (Iter){0} : make_iter(l, from, false);
    if (make)
        fill_begin(l, f, make);
    const Type *of = sema_info(l->in, from)->type;
    if (of && of->kind == TY_TUPLE && !of->n) /* there is no value to be added */
        return;
    if (generated)
        add_generated(l, from, f);
    else
        add_items(l, it, f);
}

/* What an iterable yields, as a list, or by `set` as a dict or set. */
Val
heap_from(Lower *l, const Node *from, const Type *t, const Inst *set)
{
    if (!from)
        return heap_new(l, t);
    Fill f = {.set = set};
    add_from(l, from, &f, t);
    return fill_end(l, &f);
}

/* ---- displays -------------------------------------------------------------------------------- */

/* [a, *x, b]: each in its turn. */
static Val
unpacking_display(Lower *l, const Node *n, const Type *t)
{
    Fill f = {.more = true};
    fill_begin(l, &f, t);
    for (int i = 0; i < n->n; i++) {
        f.counted = false;
        if (n->kid[i]->kind == N_Starred)
            add_from(l, n->kid[i]->kid[0], &f, NULL);
        else
            add_elem(l, n->kid[i], &f);
    }
    return fill_end(l, &f);
}

/* Many elements that are known are a loop over a table of them. */
static void
store_all(Lower *l, const Val *o, int n, Val *elem)
{
    const Type *t = heap_group(l->cx->types, o->type, 0);
    Val all = {.kind = VK_TUPLE, .n = n, .elem = elem};
    if (!tuple_is_table(l, &all, t)) {
        for (int i = 0; i < n; i++)
            heap_fill(l, o, 0, i64(l, i), &elem[i]);
        return;
    }
    IrVar *k = ir_var(l->b.f, "k", DT_i64);
    IrBlock *save = l->b.at;
    l->b.at = &ir_loop(&l->b, LOOP_SEQ, k, i64(l, 0), i64(l, n), 1)->body;
    Val one = as_tuple_elem(l, &all, ir_use(l->cx, k), t);
    heap_fill(l, o, 0, ir_use(l->cx, k), &one);
    l->b.at = save;
}

enum { MANY = 64 }; /* elements that are computed, and would all be live at once */

static bool
computes_many(const Lower *l, int n, const Node *const *e)
{
    int computed = 0;
    for (int i = 0; i < n; i++)
        computed += !sema_info(l->in, e[i])->cst;
    return computed > MANY;
}

/* Each is stored before the next one is computed; an error finds a list of those so far. */
static Val
list_in_turn(Lower *l, const Type *t, int n, const Node *const *e)
{
    Val o = heap_new(l, t);
    heap_grow(l, &o, 0, i64(l, n));
    for (int i = 0; i < n; i++) {
        Val v = expr(l, e[i]);
        heap_fill(l, &o, 0, i64(l, i), &v);
        heap_set_word(l, o.arr, 0, i64(l, i + 1));
    }
    return o;
}

Val
heap_list_of(Lower *l, const Type *t, int n, const Node *const *e)
{
    if (computes_many(l, n, e))
        return list_in_turn(l, t, n, e);
    Val *elem = NEW_N(&l->cx->arena, Val, n + 1);
    for (int i = 0; i < n; i++) {
        elem[i] = expr(l, e[i]);
        if (!sema_info(l->in, e[i])->cst)
            elem[i] = pin(l, elem[i]);
    }
    Val o = heap_new(l, t);
    if (n)
        heap_grow(l, &o, 0, i64(l, n));
    store_all(l, &o, n, elem);
    if (n)
        heap_set_word(l, o.arr, 0, i64(l, n));
    return o;
}

Val
heap_display(Lower *l, const Node *n, const Type *t)
{
    for (int i = 0; i < n->n; i++)
        if (n->kid[i]->kind == N_Starred)
            return unpacking_display(l, n, t);
    return heap_list_of(l, t, n->n, (const Node *const *)n->kid);
}

/* ---- subscripts ------------------------------------------------------------------------------ */

/* The index of an element that is there, counted from the start. */
static IrExpr *
checked_index(Lower *l, const Val *o, const Val *iv, const char *text)
{
    const Type *t = heap_held(l->cx->types, o->type, 0);
    while (type_is_held_apart(t))
        t = t->elems[0];
    Known *k = heap_known(l, o->arr);
    IrVar *c = k ? k->column[0]
                 : first_of(l, heap_get_column(l, o->arr, heap_column(o->type, 0), t),
                            val_freeze(&l->b, heap_word(l, o->arr, 0)));
    IrExpr *i = val_freeze(
        &l->b, val_int(&l->b, iv, "IndexError", "cannot fit 'int' into an index-sized integer"));
    IrStmt *s = ir_check_index(&l->b, c, 0, again(l, i));
    s->site = ir_site(l->b.mod, "IndexError", text, l->b.span);
    int64_t at;
    if (ir_is_const(i, &at) && at >= 0)
        return i;
    return ir_op(l->cx, OP_wrap, i, ir_dim(l->cx, c, 0));
}

static const char *
out_of_range(Lower *l, const Val *o, bool stores)
{
    const HeapClass *c = o->type->ref;
    bool says = c == &heap_list || c->code;
    return arena_printf(&l->cx->arena, "%s %sindex out of range", c->code ? c->base->name : c->name,
                        says && stores ? "assignment " : "");
}

Val
heap_subscript(Lower *l, const Node *n, Val o)
{
    if (impure(l, n->kid[1]))
        o = pin(l, o);
    Val iv = expr(l, n->kid[1]);
    return heap_load(l, &o, 0, checked_index(l, &o, &iv, out_of_range(l, &o, false)));
}

/* Of the target x[i]: x itself, of which a loop may know more than of a copy, unless what follows
 * might assign to it. */
static Val
object_of(Lower *l, const Node *t, bool pins)
{
    Val o = expr(l, t->kid[0]);
    return pins ? pin(l, o) : o;
}

void
heap_assign(Lower *l, const Node *t, Val v)
{
    const Info *info = sema_info(l->in, t);
    v = pin(l, v);
    Val o = object_of(l, t, info->call != NULL || impure(l, t->kid[1]));
    if (info->call && t->kid[1]->kind == N_Slice) {
        Val arg[5] = {o, val_none(&l->b), val_none(&l->b), val_none(&l->b), v};
        for (int k = 0; k < t->kid[1]->n && k < 3; k++)
            if (t->kid[1]->kid[k])
                arg[1 + k] = pin(l, expr(l, t->kid[1]->kid[k]));
        inst_call(l, info->call->inst, arg);
        return;
    }
    Val iv = pin(l, expr(l, t->kid[1]));
    if (info->call) {
        Val arg[3] = {o, iv, v};
        inst_call(l, info->call->inst, arg);
    } else {
        if (type_heap_has(o.type, HEAP_BYTES)) /* CPython looks at it before the index */
            v = checked_packed(l, o.type->ref, v);
        heap_store(l, &o, 0, checked_index(l, &o, &iv, out_of_range(l, &o, true)), &v);
    }
}

/* x[i] += v */
void
heap_update(Lower *l, const Node *n)
{
    const Node *t = n->kid[0];
    const Info *info = sema_info(l->in, t);
    const Type *sum = sema_info(l->in, n)->type;
    bool pins = info->before || info->call || impure(l, t->kid[1]) || impure(l, n->kid[1]);
    Val o = object_of(l, t, pins), iv = pin(l, expr(l, t->kid[1])), old;
    IrExpr *i = NULL;
    if (info->before) {
        Val arg[2] = {o, iv};
        old = inst_call(l, info->before->inst, arg);
    } else {
        i = val_freeze(&l->b, checked_index(l, &o, &iv, out_of_range(l, &o, false)));
        old = heap_load(l, &o, 0, again(l, i));
    }
    if (impure(l, n->kid[1]))
        old = pin(l, old);
    Val r = expr(l, n->kid[1]), v;
    need_operands(l, n->op, true, &old, &r);
    if (old.kind == VK_ARRAY) { /* in place, as NumPy does; then it is put where it was */
        np_assign_out(&l->b, &old, binop_into(l, n, sema_info(l->in, n)->call, old, r, sum));
        v = old;
    } else {
        v = binop(l, n, sema_info(l->in, n)->call, n->op, old, r, sum);
    }
    if (info->call) {
        Val arg[3] = {o, iv, val_convert(&l->b, pin(l, v), info->call->inst->params[2])};
        inst_call(l, info->call->inst, arg);
    } else if (v.kind != VK_ARRAY || impure(l, n->kid[1])) {
        if (impure(l, n->kid[1])) { /* the list may be another by now */
            v = pin(l, v);
            i = checked_index(l, &o, &iv, out_of_range(l, &o, true));
        }
        heap_store(l, &o, 0, i, &v);
    }
}

void
heap_unpack(Lower *l, Val v, int n, int star, Val *elem)
{
    Arena *a = &l->cx->arena;
    Val o = pin(l, v);
    IrExpr *len = val_freeze(&l->b, heap_word(l, o.arr, 0)), *got = again(l, len);
    const Type *whole = type_scalar(l->cx->types, DT_i64, true);
    int least = star < 0 ? n : n - 1;
    if (star < 0)
        check(l, ir_op(l->cx, OP_le, again(l, len), i64(l, n)), "ValueError",
              arena_printf(a, "too many values to unpack (expected %d)", n));
    const char *few = arena_printf(a, "not enough values to unpack (expected %s%d, got %%0)",
                                   star < 0 ? "" : "at least ", least);
    ir_check(&l->b, ir_op(l->cx, OP_ge, again(l, len), i64(l, least)),
             ir_site(l->b.mod, "ValueError", few, l->b.span), 1, &got);
    for (int i = 0; i < n; i++) {
        Val part[3] = {o, val_scalar(&l->b, whole, i64(l, i)),
                       val_scalar(&l->b, whole, i64(l, n - 1 - i))};
        const Inst *between = i == star ? sema_helper(l->in, "_list_between", o.type) : NULL;
        IrExpr *at =
            star >= 0 && i > star ? ir_op(l->cx, OP_sub, again(l, len), i64(l, n - i)) : i64(l, i);
        elem[i] = between ? pin(l, inst_call(l, between, part)) : pin(l, heap_load(l, &o, 0, at));
        if (between && type_is_heap(o.type, &heap_tuple)) /* a new one, which is a list */
            elem[i].type = type_heap(l->cx->types, &heap_list, o.type->elems);
    }
}

/* ---- loops ----------------------------------------------------------------------------------- */

static void
look_up(Lower *l, IrVar *o, const Type *t)
{
    Known k = {.object = o};
    const Type *elem = heap_held(l->cx->types, t, 0);
    if (!type_heap_has(t, HEAP_ORDERED) || heap_known(l, o) || heap_leaves(elem) > SW_LEN(k.column))
        return;
    k.len = val_freeze(&l->b, heap_word(l, o, 0));
    const Type *flat[SW_LEN(k.column)];
    int n = 0;
    heap_flatten(elem, flat, &n);
    for (int i = 0; i < n; i++) {
        k.at[i] = heap_column(t, 0) + 3 * i;
        k.whole[i] = heap_get_column(l, o, k.at[i], flat[i]);
        k.column[i] = first_of(l, k.whole[i], again(l, k.len));
        map_put(&l->cx->arena, &l->kept, k.whole[i], k.whole[i]);
        map_put(&l->cx->arena, &l->kept, k.column[i], k.column[i]);
    }
    k.n = n;
    VEC_PUSH(&l->cx->arena, l->known, k);
}

static void
look_up_names(Lower *l, const Node *loop, const Node *n)
{
    if (!n)
        return;
    const Info *i = n->kind == N_Name && n->op == CTX_LOAD ? sema_info(l->in, n) : NULL;
    if (i && i->var && i->var->type->kind == TY_REF && !i->check_bound && !assigns(loop, n->name)) {
        Val v = var_val(l, i->var);
        if (v.arr)
            look_up(l, v.arr, v.type);
    }
    for (int k = 0; k < n->n; k++)
        look_up_names(l, loop, n->kid[k]);
}

/* Before a loop: yields what heap_leave takes. */
int
heap_enter(Lower *l, const Node *loop)
{
    int mark = l->known.n;
    if (!l->objects || heap_changes(l, loop))
        return mark;
    look_up_names(l, loop, loop);
    return mark;
}

void
heap_leave(Lower *l, int mark)
{
    l->known.n = mark;
}
