/* SPDX-License-Identifier: BSD-3-Clause
 * Indices that are arrays: a[rows], a[i, :, j], a[mask], read and stored to. Such a subscript is
 * taken apart into a view that leaves the axes of these arrays whole, and, for each of those
 * axes, an array of places; the arrays are broadcast together, and their axes stand where
 * the first of them stood, or in front where something stands between them. A mask is the arrays of
 * the places where it is true (mask.c), but for what needs no places.
 *
 * All places are checked before the first is used, as in NumPy: a read is then one lazy
 * expression that raises nothing, and a store changes either everything or nothing. */
#include "numpy/internal.h"

struct NpPlaces {
    Val base; /* the view */
    Val ix[SW_MAX_NDIM];
    bool found[SW_MAX_NDIM]; /* by a mask: they are there, and count from the start */
    int n_ix;
    int by[SW_MAX_NDIM]; /* of each axis of the view: which of ix, or -1 */
    int to[SW_MAX_NDIM]; /* of those without: which axis of the result */
    int at[SW_MAX_NDIM]; /* of each of ix: its axis in the array that was indexed */
    IrExpr *dim[SW_MAX_NDIM];
    int ndim, first, shared; /* axes of the result; those of ix begin at `first` */
    IrVar *of;               /* the array that is indexed */
    bool checked;
};

/* ---- parts ----------------------------------------------------------------------------------- */

int
np_without_masks(IrBuilder *b, IrVar *a, int n, const NpIndex *ix, NpIndex *out)
{
    int used = 0, axis = 0, k = 0;
    for (int i = 0; i < n; i++)
        used += np_index_axes(&ix[i]);
    for (int i = 0; i < n && k < SW_MAX_NDIM; i++) {
        bool mask = ix[i].kind == NI_ARRAY && val_dtype(&ix[i].v) == DT_bool;
        if (mask) {
            Val place[SW_MAX_NDIM];
            int nd = val_ndim(&ix[i].v);
            np_check_mask(b, a, axis, &ix[i].v);
            np_nonzero(b, ix[i].v, place);
            for (int j = 0; j < nd && k < SW_MAX_NDIM; j++)
                out[k++] = (NpIndex){.kind = NI_ARRAY, .v = place[j], .found = true};
        } else {
            out[k++] = ix[i];
        }
        axis += ix[i].kind == NI_ELLIPSIS ? a->ndim - used : np_index_axes(&ix[i]);
    }
    return k;
}

/* Which axes of the view are which of the result's. */
static void
take_parts(IrBuilder *b, NpPlaces *p, IrVar *a, int n, const NpIndex *ix, NpIndex *basic)
{
    int used = 0, axis = 0, free = 0, first = -1;
    bool apart = false, ended = false;
    int v = 0; /* axes of the view */
    for (int i = 0; i < n; i++)
        used += np_index_axes(&ix[i]);
    for (int i = 0; i < n; i++) {
        bool place = ix[i].kind == NI_ARRAY || ix[i].kind == NI_INT;
        int whole = ix[i].kind == NI_ELLIPSIS ? a->ndim - used : ix[i].kind != NI_INT;
        apart |= place && ended;
        ended |= !place && first >= 0;
        if (place && first < 0)
            first = free;
        basic[i] = ix[i];
        if (ix[i].kind == NI_ARRAY) {
            basic[i] = (NpIndex){.kind = NI_SLICE};
            p->at[p->n_ix] = axis;
            p->found[p->n_ix] = ix[i].found;
            p->by[v++] = p->n_ix;
            p->ix[p->n_ix++] = np_materialize(b, ix[i].v, LAY_C);
        }
        for (int k = 0; !place && k < whole; k++) {
            p->by[v] = -1;
            p->to[v++] = free++;
        }
        axis += ix[i].kind == NI_ELLIPSIS ? whole : np_index_axes(&ix[i]);
    }
    for (; axis < a->ndim; axis++) {
        p->by[v] = -1;
        p->to[v++] = free++;
    }
    p->first = apart ? 0 : first;
    for (int k = 0; k < v; k++)
        p->to[k] += p->by[k] < 0 && p->to[k] >= p->first ? p->shared : 0;
    p->ndim = free + p->shared;
}

/* ---- shapes ---------------------------------------------------------------------------------- */

/* The axes that the arrays of places have together; where one is broadcast, it becomes a view. */
static void
broadcast_places(IrBuilder *b, NpPlaces *p)
{
    IrExpr *dims[SW_MAX_NDIM], *ok = NULL;
    int64_t k;
    for (int ax = 0; ax < p->shared; ax++) {
        IrExpr *cur = NULL;
        for (int i = 0; i < p->n_ix; i++) {
            int j = ax - p->shared + val_ndim(&p->ix[i]);
            IrExpr *d = j < 0 ? NULL : val_dim(b, &p->ix[i], j);
            if (!d || (ir_is_const(d, &k) && k == 1) || (cur && ir_expr_equal(cur, d)))
                continue;
            if (!cur) {
                cur = d;
                continue;
            }
            IrExpr *one = np_op2(b, OP_eq, np_cp(b, cur), np_int(b, 1));
            IrExpr *fits = np_op2(b, OP_eq, np_cp(b, cur), np_cp(b, d));
            fits = np_op2(b, OP_or, fits, np_cp(b, one));
            fits = np_op2(b, OP_or, fits, np_op2(b, OP_eq, np_cp(b, d), np_int(b, 1)));
            ok = np_iand(b, ok, fits);
            cur = val_freeze(b, np_op3(b, OP_select, one, d, np_cp(b, cur)));
        }
        dims[ax] = cur ? cur : np_int(b, 1);
    }
    if (ok) {
        Shapes s = {
            .text = "shape mismatch: indexing arrays could not be broadcast together with shapes ",
            .exc = "IndexError"};
        for (int i = 0; i < p->n_ix; i++, shapes_add(&s, " "))
            shapes_add_val(b, &s, &p->ix[i]);
        shapes_check(b, ok, &s);
    }
    for (int ax = 0; ax < p->shared; ax++)
        p->dim[p->first + ax] = dims[ax];
    for (int i = 0; i < p->n_ix; i++) {
        bool same = val_ndim(&p->ix[i]) == p->shared;
        for (int ax = 0; same && ax < p->shared; ax++)
            same = ir_expr_equal(val_dim(b, &p->ix[i], ax), dims[ax]);
        if (!same)
            p->ix[i] = np_broadcast_view(b, &p->ix[i], p->shared, dims);
    }
}

/* Raises IndexError unless all places are there; nothing is looked at where the result has none. */
static void
check_places(IrBuilder *b, NpPlaces *p)
{
    IrBlock *save = b->at;
    if (p->checked || (b->cx->opt && !b->cx->opt->boundscheck))
        return;
    p->checked = true;
    IrExpr *any = np_int(b, 1);
    for (int ax = 0; ax < p->shared && p->n_ix > 1; ax++)
        any = np_op2(b, OP_mul, any, np_cp(b, p->dim[p->first + ax]));
    if (p->n_ix > 1)
        b->at = &ir_if(b, np_op2(b, OP_ne, any, np_int(b, 0)))->body;
    for (int i = 0; i < p->n_ix; i++) {
        NpNest n;
        IrExpr *dims[SW_MAX_NDIM];
        Val v = p->ix[i], flat;
        if (p->found[i])
            continue;
        if (np_flat(b, v, LAY_C, &flat))
            v = flat;
        for (int j = 0; j < val_ndim(&v); j++)
            dims[j] = val_dim(b, &v, j);
        np_nest_open(b, &n, val_ndim(&v), dims, false, LOOP_PAR);
        IrExpr *x = val_freeze(b, ir_cast(b->cx, DT_i64, np_elem(b, &v, n.idx)));
        ir_check_index(b, p->of, p->at[i], x);
        np_nest_close(b, &n);
    }
    b->at = save;
}

NpPlaces *
np_places(IrBuilder *b, const Val *arr, int n, const NpIndex *given)
{
    NpPlaces *p = NEW(&b->cx->arena, NpPlaces);
    p->of = arr->arr;
    NpIndex ix[SW_MAX_NDIM], basic[SW_MAX_NDIM];
    n = np_without_masks(b, arr->arr, n, given, ix);
    for (int i = 0; i < n; i++) {
        if (ix[i].kind != NI_ARRAY)
            continue;
        ix[i].v = np_as_array(b, ix[i].v);
        p->shared = val_ndim(&ix[i].v) > p->shared ? val_ndim(&ix[i].v) : p->shared;
    }
    take_parts(b, p, arr->arr, n, ix, basic);
    broadcast_places(b, p);
    int nd = p->ndim - p->shared + p->n_ix;
    p->base = np_view_of(b, *arr, n, basic, np_array_type(b, arr->arr->dtype, nd, LAY_A));
    for (int j = 0; j < nd; j++)
        if (p->by[j] < 0)
            p->dim[p->to[j]] = val_dim(b, &p->base, j);
    return p;
}

/* What the arrays name for element idx of the result, of which their own axes alone are asked. */
static void
named(IrBuilder *b, const NpPlaces *p, IrExpr **idx, IrExpr **at)
{
    for (int j = 0; j < val_ndim(&p->base); j++) {
        if (p->by[j] < 0)
            continue;
        const Val *v = &p->ix[p->by[j]];
        IrExpr *x = ir_cast(b->cx, DT_i64, np_elem(b, v, idx + p->first));
        bool up = dtype_kind(val_dtype(v)) == DK_UINT && val_dtype(v) != DT_u64;
        at[j] = up || p->found[p->by[j]] ? x : np_op2(b, OP_wrap, x, val_dim(b, &p->base, j));
    }
}

/* The other axes of the view. */
static void
unnamed(IrBuilder *b, const NpPlaces *p, IrExpr **idx, IrExpr **at)
{
    for (int j = 0; j < val_ndim(&p->base); j++)
        if (p->by[j] < 0)
            at[j] = np_cp(b, idx[p->to[j]]);
}

/* ---- reading --------------------------------------------------------------------------------- */

static IrExpr *
gathered(IrBuilder *b, Lazy *l, IrExpr **idx)
{
    const NpPlaces *p = l->data;
    IrExpr *at[SW_MAX_NDIM];
    named(b, p, idx, at);
    unnamed(b, p, idx, at);
    return ir_load(b->cx, p->base.arr, val_ndim(&p->base), at);
}

Val
np_places_read(IrBuilder *b, NpPlaces *p)
{
    Val v = np_lazy_new(b, np_array_type(b, p->base.arr->dtype, p->ndim, LAY_C));
    Lazy *l = v.lazy;
    check_places(b, p);
    for (int i = 0; i < p->ndim; i++)
        l->dim[i] = p->dim[i];
    l->elem = gathered;
    l->data = p;
    l->reads = NEW_N(&b->cx->arena, Val, p->n_ix + 1);
    l->reads[l->n_reads++] = p->base;
    for (int i = 0; i < p->n_ix; i++)
        l->reads[l->n_reads++] = p->ix[i];
    return v;
}

/* ---- storing --------------------------------------------------------------------------------- */

/* An array of the same elements that shares memory with none. */
Val
np_copy_of(IrBuilder *b, Val src)
{
    if (src.kind != VK_ARRAY)
        return np_materialize(b, src, LAY_C);
    if (src.fresh)
        return src;
    IrExpr *dims[SW_MAX_NDIM];
    for (int i = 0; i < val_ndim(&src); i++)
        dims[i] = val_dim(b, &src, i);
    Layout l = np_in_f_order(&src) ? LAY_F : LAY_C;
    Val copy = np_new_array(b, src.arr->dtype, val_ndim(&src), dims, l, false);
    IrStmt *c = ir_append(b, IS_COPY);
    c->var = copy.arr;
    c->base = src.arr;
    return copy;
}

/* `src`, or a copy of it where it may share memory with what is stored to. */
static Val
apart(IrBuilder *b, Val src, const Val *dst)
{
    if (src.kind != VK_ARRAY || src.fresh)
        return np_copy_of(b, src);
    IrVar *t = ir_array_var(b->f, "apart", src.arr->dtype, val_ndim(&src), src.arr->layout);
    IrBlock *save = b->at;
    IrStmt *s = ir_if(b, np_maybe_overlap(b, dst->arr, src.arr));
    s->cold = true;
    b->at = &s->body;
    ir_alias(b, t, np_copy_of(b, src).arr);
    b->at = &s->els;
    ir_alias(b, t, src.arr);
    b->at = save;
    src.arr = t;
    return src;
}

/* Names are read as soon as they are known: the loops inside, over rows, may store to all that the
 * back end knows of. */
static void
scatter(IrBuilder *b, Val v, void *arg)
{
    const NpPlaces *p = arg;
    IrBlock *outer = b->at, *save;
    IrExpr *idx[SW_MAX_NDIM], *at[SW_MAX_NDIM];
    int known = p->first + p->shared;
    for (int i = 0; i <= p->ndim; i++) { /* in order: the last one of several to a place stays */
        if (i == known)
            named(b, p, idx, at);
        for (int j = 0; i == known && j < val_ndim(&p->base); j++)
            if (p->by[j] >= 0)
                at[j] = val_freeze(b, at[j]);
        if (i < p->ndim)
            np_loop(b, LOOP_SEQ, np_cp(b, p->dim[i]), &idx[i], &save);
    }
    IrExpr *e = ir_cast(b->cx, p->base.arr->dtype, np_elem(b, &v, idx));
    unnamed(b, p, idx, at);
    ir_store(b, p->base.arr, val_ndim(&p->base), at, e);
    b->at = outer;
}

void
np_places_store(IrBuilder *b, NpPlaces *p, Val value, bool full)
{
    DType d = p->base.arr->dtype;
    for (int i = 0; i < p->n_ix; i++)
        p->ix[i] = apart(b, p->ix[i], &p->base);
    if (val_ndim(&value) == 0) {
        IrExpr *e = val_freeze(b, val_expr(b, &value, d));
        check_places(b, p);
        scatter(b, val_scalar(b, type_scalar(b->cx->types, d, false), e), p);
        return;
    }
    Val to = np_lazy_new(b, np_array_type(b, d, p->ndim, LAY_C));
    for (int i = 0; i < p->ndim; i++)
        to.lazy->dim[i] = p->dim[i];
    value = np_fit_indexed(b, &to, apart(b, value, &p->base), full);
    check_places(b, p);
    np_versions(b, value, scatter, p);
}

/* ---- subscripts ------------------------------------------------------------------------------ */

bool
np_has_arrays(int n, const NpIndex *ix)
{
    for (int i = 0; i < n; i++)
        if (ix[i].kind == NI_ARRAY)
            return true;
    return false;
}

bool
np_gather(IrBuilder *b, const Val *arr, int n, const NpIndex *ix, Val *out)
{
    const Val *mask = np_only_mask(n, ix);
    if (!np_has_arrays(n, ix))
        return false;
    *out = mask ? np_compress(b, arr, mask) : np_places_read(b, np_places(b, arr, n, ix));
    return true;
}

bool
np_scatter(IrBuilder *b, const Val *arr, int n, const NpIndex *ix, Val value)
{
    const Val *mask = np_only_mask(n, ix);
    if (!np_has_arrays(n, ix))
        return false;
    bool full = mask && val_ndim(mask) == val_ndim(arr);
    DType d = arr->arr->dtype;
    if (value.kind == VK_TUPLE)
        value = np_from_tuple(b, &value, np_array_type(b, d, 1, LAY_C));
    if (value.kind != VK_SCALAR || value.type->weak) /* NumPy's numbers are cast, as arrays are */
        value = np_check_fits(b, value, d);
    if (mask && val_ndim(&value) == 0)
        np_store_where(b, arr, mask, value);
    else if (full && val_ndim(&value) > 1)
        np_raise(b, "TypeError",
                 arena_printf(&b->cx->arena,
                              "NumPy boolean array indexing assignment requires a 0 or "
                              "1-dimensional input, input has %d dimensions",
                              val_ndim(&value)));
    else
        np_places_store(b, np_places(b, arr, n, ix), value, full);
    return true;
}
