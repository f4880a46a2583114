/* SPDX-License-Identifier: BSD-3-Clause
 * Statements that make arrays: descriptors with the references that compiled code would hold. What
 * a layout promises of the strides is tested, since the back end looks at the dims alone. */
#include "interp/internal.h"

static void
derive(const IrVar *v, const int64_t *dim, int64_t *stride)
{
    int64_t step = dtype_size(v->dtype);
    for (int i = 0; i < v->ndim; i++) {
        int k = v->layout == LAY_F ? i : v->ndim - 1 - i;
        stride[k] = step;
        step = (int64_t)((uint64_t)step * (uint64_t)dim[k]);
    }
}

/* Of a layout with strides of its own: do these say the same, wherever it can be seen? */
static void
test_layout(Interp *in, const IrVar *v, const int64_t *dim, const int64_t *given,
            const int64_t *derived)
{
    for (int k = 0; k < v->ndim; k++)
        if (dim[k] <= 0)
            return;
    for (int k = 0; k < v->ndim; k++)
        if (dim[k] > 1 && given[k] != derived[k])
            wrong(in, "'%s' is said to be contiguous, and its stride along axis %d is %lld",
                  v->name, k, (long long)given[k]);
}

/* The reference that comes with `of` is the variable's now. */
static void
give(Interp *in, Frame *fr, IrVar *v, Part of, char *data, const int64_t *dim,
     const int64_t *stride)
{
    Desc *d = &fr->slot[v->id].d;
    Buf *old = v->owned && d->set ? d->of.buf : NULL;
    int64_t derived[64], dims[64];
    memcpy(dims, dim, sizeof *dims * v->ndim);
    if (v->layout != LAY_A) {
        derive(v, dims, derived);
        if (stride)
            test_layout(in, v, dims, stride, derived);
        stride = derived;
    }
    memmove(d->stride, stride, sizeof *d->stride * v->ndim);
    memcpy(d->dim, dims, sizeof *dims * v->ndim);
    d->of = of;
    d->data = data;
    d->set = true;
    d->dropped = false;
    d->stale = false;
    buf_release(old);
}

void
desc_put(Interp *in, Frame *fr, IrVar *v, Part of, char *data, const int64_t *dim,
         const int64_t *stride)
{
    give(in, fr, v, of, data, dim, stride);
}

static bool
is_fixed(const IrStmt *s)
{
    for (int i = 0; i < s->n_idx; i++)
        if (!ir_is_const(s->idx[i], NULL))
            return false;
    return true;
}

static Go
alloc(Interp *in, Frame *fr, const IrStmt *s)
{
    IrVar *v = s->var;
    /* bytes, without the dims that are 0 */
    int64_t dim[64], stride[64], spread = dtype_size(v->dtype);
    bool over = false, neg = false, none = false;
    for (int k = 0; k < v->ndim; k++) {
        dim[k] = eval_int(in, fr, s->idx[k], "a size");
        neg |= dim[k] < 0;
        over |= __builtin_mul_overflow(spread, dim[k] ? dim[k] : 1, &spread);
        none |= !dim[k];
    }
    int64_t bytes = none ? 0 : spread;
    if (in->stop)
        return GO_STOP;
    if (neg)
        return fail_code(in, RUN_NEG_DIM, "ValueError", "negative dimensions are not allowed");
    if (over || spread >= (int64_t)1 << 60 || bytes >= (int64_t)1 << 46)
        return fail_code(in, RUN_MEMORY, "MemoryError", "out of memory");
    if (bytes + in->made > MOST_BYTES) {
        cannot(in, "it needs too much memory");
        return GO_STOP;
    }
    IrVar as = *v;
    as.layout = s->order == LAY_F ? LAY_F : LAY_C;
    derive(&as, dim, stride);
    int item = dtype_is_complex((DType)v->dtype) ? dtype_size(v->dtype) / 2 : dtype_size(v->dtype);
    bool shared = in->threads && v->space == SPACE_SHARED;
    Buf *b = shared ? threads_shared(in->threads, s, bytes, item, is_fixed(s))
                    : buf_new(in, bytes, item, s->zero);
    give(in, fr, v, all_of(b), b->data, dim, stride);
    return went(in, GO_ON);
}

static Go
view(Interp *in, Frame *fr, const IrStmt *s)
{
    IrVar *v = s->var;
    int64_t dim[64], stride[64], off = eval_int(in, fr, s->e, "the offset of a view");
    bool strides = true;
    for (int k = 0; k < v->ndim; k++) {
        dim[k] = eval_int(in, fr, s->idx[k], "a size");
        Num st = eval(in, fr, s->idx[v->ndim + k]);
        strides &= !st.undef;
        stride[k] = st.i;
    }
    const Desc *d = &fr->slot[s->base->id].d;
    if (in->stop || !desc_live(in, s->base, d))
        return GO_STOP;
    if (!strides && v->layout == LAY_A)
        wrong(in, "a stride of '%s' is not known", v->name);
    Part of = d->of;
    if (v->owned)
        buf_retain(of.buf);
    give(in, fr, v, of, (char *)((uintptr_t)d->data + (uintptr_t)off), dim,
         strides ? stride : NULL);
    return went(in, GO_ON);
}

static Go
alias(Interp *in, Frame *fr, const IrStmt *s)
{
    const Desc *d = &fr->slot[s->base->id].d;
    int64_t dim[64], stride[64];
    if (!desc_live(in, s->base, d))
        return GO_STOP;
    memcpy(dim, d->dim, sizeof *dim * s->var->ndim);
    memcpy(stride, d->stride, sizeof *stride * s->var->ndim);
    if (s->var->owned)
        buf_retain(d->of.buf);
    give(in, fr, s->var, d->of, d->data, dim, stride);
    return went(in, GO_ON);
}

static Go
constant(Interp *in, Frame *fr, const IrStmt *s)
{
    const IrConstArray *c = &in->m->consts.at[s->n];
    int64_t stride[64];
    IrVar as = *s->var;
    as.layout = LAY_C;
    derive(&as, c->shape, stride);
    Buf *b = in->consts[s->n];
    if (!b) {
        b = in->consts[s->n] = buf_new(in, (int64_t)c->nbytes, 1, true);
        memcpy(b->data, c->data, c->nbytes);
        b->forever = b->readonly = true;
    }
    give(in, fr, s->var, all_of(b), b->data, c->shape, stride);
    return went(in, GO_ON);
}

static bool
next_index(int64_t *idx, const int64_t *dim, int ndim)
{
    for (int k = ndim - 1; k >= 0; k--) {
        if (++idx[k] < dim[k])
            return true;
        idx[k] = 0;
    }
    return false;
}

static Go
copy(Interp *in, Frame *fr, const IrStmt *s)
{
    Desc *to = &fr->slot[s->var->id].d, *from = &fr->slot[s->base->id].d;
    int64_t idx[64] = {0};
    int nd = s->var->ndim, size = dtype_size(s->var->dtype);
    if (!desc_live(in, s->var, to) || !desc_live(in, s->base, from))
        return GO_STOP;
    if (!same_shape(to, from, nd))
        wrong(in, "a copy between two shapes");
    if (desc_overlap(s->var, to, s->base, from))
        wrong(in, "a copy between two arrays that overlap");
    for (int k = 0; k < nd; k++)
        if (to->dim[k] <= 0)
            return went(in, GO_ON);
    do {
        char *p = in->stop ? NULL : element(in, fr, s->base, idx, READ);
        char *q = p ? element(in, fr, s->var, idx, WRITE) : NULL;
        if (!q || !touched(in, fr, s->base, p, READ) || !touched(in, fr, s->var, q, WRITE))
            return GO_STOP;
        in->out->steps++;
        memmove(q, p, (size_t)size);
        bytes_set(to->of.buf, q, size, bytes_undef(from->of.buf, p, size));
    } while (next_index(idx, to->dim, nd));
    return GO_ON;
}

/* ---- references in objects ---- */

static Desc *
word_of(Interp *in, Frame *fr, const IrStmt *s)
{
    const Desc *d = &fr->slot[s->base->id].d;
    int64_t k = eval_int(in, fr, s->idx[0], "a word");
    if (in->stop || !desc_live(in, s->base, d))
        return NULL;
    if (k < 0 || k >= d->dim[0])
        wrong(in, "'%s' has no word %lld", s->base->name, (long long)k);
    Buf *b = d->of.buf;
    if (!b->held)
        b->held = NEW_N(in->a, Desc, b->bytes / 8 + 1);
    return in->stop ? NULL : &b->held[(d->data - b->data) / 8 + k];
}

static Go
get(Interp *in, Frame *fr, const IrStmt *s)
{
    IrVar *v = s->var;
    Desc *h = word_of(in, fr, s);
    int64_t none[64] = {0};
    if (!h)
        return GO_STOP;
    if (!h->set && ir_is_object(v))
        wrong(in, "'%s' refers to nothing there", s->base->name);
    Buf *b = h->set ? h->of.buf : buf_new(in, 0, 8, true);
    if (v->owned && h->set)
        buf_retain(b);
    give(in, fr, v, h->set ? h->of : all_of(b), h->set ? h->data : b->data, h->set ? h->dim : none,
         h->set ? h->stride : none);
    return went(in, GO_ON);
}

static Go
put(Interp *in, Frame *fr, const IrStmt *s)
{
    Desc *h = word_of(in, fr, s);
    Buf *old = h && h->set ? h->of.buf : NULL;
    if (!h || (s->var && !desc_live(in, s->var, &fr->slot[s->var->id].d)))
        return GO_STOP;
    if (s->fresh && old)
        wrong(in, "'%s' refers to something there", s->base->name);
    *h = (Desc){0};
    if (s->var) {
        const Desc *d = &fr->slot[s->var->id].d;
        *h = *d;
        h->dim = arena_dup(in->a, d->dim, sizeof *d->dim * s->var->ndim);
        h->stride = arena_dup(in->a, d->stride, sizeof *d->stride * s->var->ndim);
        buf_retain(d->of.buf);
    }
    buf_release(old);
    return went(in, GO_ON);
}

/* Of one column. item: of its elements; -1: references */
static void
grow_column(Interp *in, Frame *fr, IrVar *object, int64_t at, int64_t item, int64_t n)
{
    const Desc *d = &fr->slot[object->id].d;
    Buf *b = d->of.buf;
    int64_t size = item < 0 ? 8 : item;
    if (n < 0 || n > MOST_BYTES || n * size + in->made > MOST_BYTES) {
        cannot(in, "it needs too much memory");
        return;
    }
    if (!b->held)
        b->held = NEW_N(in->a, Desc, b->bytes / 8 + 1);
    Desc *h = &b->held[(d->data - b->data) / 8 + at], old = *h;
    int64_t had = old.set ? old.dim[0] : 0, keep = had < n ? had : n;
    Buf *m = buf_new(in, n * size, size < 8 ? (int)size : 8, item < 0);
    if (keep) {
        memcpy(m->data, old.data, (size_t)(keep * size));
        if (m->undef)
            for (int64_t k = 0; k < keep * size; k++)
                m->undef[k] = old.of.buf->undef && old.of.buf->undef[k];
    }
    if (item < 0) {
        m->held = NEW_N(in->a, Desc, n + 1);
        for (int64_t i = 0; i < keep && old.of.buf->held; i++) {
            m->held[i] = old.of.buf->held[i];
            if (m->held[i].set)
                buf_retain(m->held[i].of.buf);
        }
    }
    *h = (Desc){.of = all_of(m),
                .data = m->data,
                .set = true,
                .dim = NEW_N(in->a, int64_t, 1),
                .stride = NEW_N(in->a, int64_t, 1)};
    h->dim[0] = n;
    h->stride[0] = size;
    int64_t *word = (int64_t *)(void *)d->data + at;
    word[2] = n;
    if (old.set)
        buf_release(old.of.buf);
}

/* sw_grow of rt.def */
void
grow(Interp *in, Frame *fr, IrVar *object, int64_t at, int64_t items, int64_t n)
{
    for (uint64_t left = (uint64_t)items; left && !in->stop; left >>= 8, at += 3)
        grow_column(in, fr, object, at, (left & 0xff) == IR_REFS ? -1 : (int64_t)(left & 0xff), n);
}

static Go
drop(Interp *in, Frame *fr, const IrStmt *s)
{
    Desc *d = &fr->slot[s->var->id].d;
    (void)in;
    if (s->var->owned && d->set)
        buf_release(d->of.buf);
    d->dropped |= d->set;
    d->set = false;
    return GO_ON;
}

Go
exec_array(Interp *in, Frame *fr, const IrStmt *s)
{
    switch (s->kind) {
    case IS_ALLOC:
        return alloc(in, fr, s);
    case IS_VIEW:
        return view(in, fr, s);
    case IS_ALIAS:
        return alias(in, fr, s);
    case IS_CONSTARR:
        return constant(in, fr, s);
    case IS_COPY:
        return copy(in, fr, s);
    case IS_GET:
        return get(in, fr, s);
    case IS_PUT:
        return put(in, fr, s);
    default:
        return drop(in, fr, s);
    }
}
