/* SPDX-License-Identifier: BSD-3-Clause
 * Memory of a run: takes an access by name and indices, yields its bytes, or stops the run. Each
 * access is tested against the array's dims and against the memory that is really there; memory
 * that lost its last reference stays, marked, so that who still looks at it is seen. What a name
 * without aliases, and an independent iteration, have touched is written down beside the bytes. */
#include "interp/internal.h"

enum { FRESH = 0xCB }; /* what new memory holds: no value that a program has */
#define ANY UINT32_MAX

Buf *
buf_new(Interp *in, int64_t bytes, int item, bool zero)
{
    Buf *b = NEW(in->a, Buf);
    *b = (Buf){
        .bytes = bytes, .refs = 1, .id = in->n_bufs++, .arg = -1, .grain = item < 8 ? item : 8};
    b->data = arena_alloc(in->a, (size_t)bytes + 64);
    b->data += 64 - (uintptr_t)b->data % 64;
    in->made += bytes;
    if (!zero) {
        memset(b->data, FRESH, (size_t)bytes);
        b->undef = arena_alloc(in->a, (size_t)bytes + 1);
        memset(b->undef, 1, (size_t)bytes);
    }
    return b;
}

void
buf_retain(Buf *b)
{
    if (b)
        b->refs++;
}

void
buf_release(Buf *b)
{
    if (!b || --b->refs || b->forever)
        return;
    b->freed = true;
    for (int64_t i = 0; b->held && i < b->bytes / 8; i++)
        if (b->held[i].set)
            buf_release(b->held[i].of.buf);
}

bool
bytes_undef(const Buf *b, const char *p, int n)
{
    bool any = false;
    for (int k = 0; b->undef && k < n; k++)
        any |= b->undef[p - b->data + k] != 0;
    return any;
}

void
bytes_set(Buf *b, const char *p, int n, bool undef)
{
    if (b->undef)
        memset(b->undef + (p - b->data), undef, (size_t)n);
}

bool
desc_live(Interp *in, const IrVar *v, const Desc *d)
{
    if (!d->set)
        wrong(in, "array '%s' is used before it is made", v->name);
    else if (d->stale)
        wrong(in, "array '%s' is used, which another iteration of an independent loop has made",
              v->name);
    else if (d->of.buf && d->of.buf->freed)
        wrong(in, "array '%s' is used after its memory was released", v->name);
    return !in->stop;
}

bool
same_shape(const Desc *a, const Desc *b, int ndim)
{
    for (int k = 0; k < ndim; k++)
        if (a->dim[k] != b->dim[k])
            return false;
    return true;
}

/* ---- who was here --------------------------------------------------------------------------- */

static bool
is_reduced(const Level *l, const Frame *fr, const IrVar *v)
{
    if (l->frame != fr || !l->loop)
        return false;
    for (int i = 0; i < l->loop->n_reds; i++)
        if (l->loop->reds[i].var == v)
            return true;
    return false;
}

static const char *
kind_of(const Level *l)
{
    return !l->loop                  ? "a grid"
           : l->loop->kind == IS_PAR ? "a parallel run"
           : l->loop->independent    ? "an independent loop"
                                     : "a loop without aliases";
}

/* What a loop that is `apart` stores by one parameter is touched by no other (gen/llvm/apart.c). */
static void
touch_apart(Interp *in, Touched *t, int slot, const IrVar *v, bool write)
{
    enum { SEVERAL = -1 };
    int id = v->id + 1, by_w = t->at[slot].by_w, by_r = t->at[slot].by_r;
    if ((by_w && by_w != id) || (write && by_r && by_r != id))
        wrong(in, "'%s' and another array touch one element in a loop whose arrays lie apart",
              v->name);
    if (write)
        t->at[slot].by_w = id;
    else
        t->at[slot].by_r = !by_r || by_r == id ? id : SEVERAL;
}

static void
touch_level(Interp *in, Touched *t, int slot, const Level *l, const IrVar *v, Access how)
{
    uint32_t me = l->iter + 1;
    bool write = how != READ;
    if (t->at[slot].stamp != l->stamp) {
        t->at[slot].stamp = l->stamp;
        t->at[slot].wrote = t->at[slot].read = 0;
        t->at[slot].by_w = t->at[slot].by_r = 0;
    }
    if (l->loop && l->loop->apart && in->frame == l->frame && l->frame->f->entry && v->is_param)
        touch_apart(in, t, slot, v, write);
    uint32_t wrote = t->at[slot].wrote, read = t->at[slot].read;
    uint32_t other = wrote && wrote != me ? wrote : write && read && read != me ? read : 0;
    if (how == SAME) /* in any order, all is as it was */
        return;
    if (other)
        wrong(in, "iterations %lld and %lld of %s over '%s' touch one element: '%s' %s it",
              other == ANY ? -1LL : (long long)other - 1, (long long)l->iter, kind_of(l),
              l->loop && l->loop->var ? l->loop->var->name : "c", v->name,
              write ? "writes" : "reads");
    if (write)
        t->at[slot].wrote = me;
    else
        t->at[slot].read = !read || read == me ? me : ANY;
}

static void
touch_name(Interp *in, Touched *t, const Frame *fr, const IrVar *v, bool write)
{
    int id = v->id + 1, other = 0;
    const IrVar *const *vars = (const IrVar *const *)fr->f->vars.at;
    if (t->act_w != fr->act)
        t->act_w = fr->act, t->var_w = 0;
    if (t->act_r != fr->act)
        t->act_r = fr->act, t->var_r = t->var_n = 0;
    if (t->var_w && t->var_w != id && (v->noalias || vars[t->var_w - 1]->noalias))
        other = t->var_w;
    if (write && !other && t->var_n && t->var_n != id)
        other = t->var_n;
    if (write && !other && v->noalias && t->var_r && t->var_r != id)
        other = t->var_r;
    if (other)
        wrong(in, "'%s' and '%s' touch one element, and one of them is said to have no alias",
              v->name, vars[other - 1]->name);
    if (write)
        t->var_w = id;
    else
        *(v->noalias ? &t->var_n : &t->var_r) = id;
}

bool
touched(Interp *in, Frame *fr, const IrVar *v, const char *p, Access how)
{
    Buf *b = fr->slot[v->id].d.of.buf;
    int64_t at = p - b->data;
    int size = dtype_size(v->dtype);
    if ((!in->n_levels && !fr->info->any_noalias) || how == ATOMIC)
        return true;
    if (!b->touched) {
        in->made += (b->bytes / b->grain + 2) * (int64_t)sizeof(Touched);
        b->touched = NEW_N(in->a, Touched, b->bytes / b->grain + 2);
    }
    int first = in->n_levels > MOST_LEVELS ? in->n_levels - MOST_LEVELS : 0;
    for (int64_t k = at / b->grain; k * b->grain < at + size && !in->stop; k++) {
        if (fr->info->any_noalias)
            touch_name(in, &b->touched[k], fr, v, how != READ);
        for (int l = first; l < in->n_levels && !in->stop; l++)
            if (!is_reduced(&in->level[l], fr, v) && !(in->opt->claims && in->update == v))
                touch_level(in, &b->touched[k], l - first, &in->level[l], v, how);
    }
    return !in->stop;
}

char *
element(Interp *in, Frame *fr, IrVar *v, const int64_t *idx, Access how)
{
    const Desc *d = &fr->slot[v->id].d;
    int size = dtype_size(v->dtype);
    if (!desc_live(in, v, d))
        return NULL;
    int64_t off = d->data - d->of.buf->data;
    for (int k = 0; k < v->ndim; k++) {
        if (idx[k] < 0 || idx[k] >= d->dim[k]) {
            wrong(in, "index %lld of axis %d of '%s' is not in 0 .. %lld", (long long)idx[k], k,
                  v->name, (long long)d->dim[k] - 1);
            return NULL;
        }
        off += idx[k] * d->stride[k];
    }
    if (off < d->of.lo || off + size > d->of.hi) {
        wrong(in, "'%s' leaves its memory: byte %lld of %lld", v->name, (long long)(off - d->of.lo),
              (long long)(d->of.hi - d->of.lo));
        return NULL;
    }
    /* who makes an array may fill it */
    if (how != READ && (d->of.buf->readonly || (v->readonly && d->of.buf->arg >= 0))) {
        wrong(in, "'%s' is read-only, and is written", v->name);
        return NULL;
    }
    return d->of.buf->data + off;
}
