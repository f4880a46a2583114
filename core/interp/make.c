/* SPDX-License-Identifier: BSD-3-Clause
 * Arguments drawn for a function: takes a seed and the sizes that matter to the program, yields
 * memory and scalars. The first tries are such that checks pass (one size for all axes, integers
 * and elements of integer arrays within it); then come shapes that differ, memory that two
 * arguments share, strides of any kind, and values at the ends. */
#include "interp/interp.h"

#include <math.h>

typedef struct Draw {
    Arena *a;
    const IrFunc *f;
    const InputPlan *p;
    uint64_t random;
    int64_t n, m; /* the sizes of this input */
    int shapes, values, aliases, strides;
    Input *in;
} Draw;

static uint64_t
below(Draw *d, uint64_t n)
{
    d->random ^= d->random << 13;
    d->random ^= d->random >> 7;
    d->random ^= d->random << 17;
    return n ? (d->random * 0x9E3779B97F4A7C15u >> 20) % n : 0;
}

#define PICK(d, ...) ((int64_t[]){__VA_ARGS__})[below(d, sizeof((int64_t[]){__VA_ARGS__}) / 8)]

/* ---- sizes ----------------------------------------------------------------------------------- */

static int
most_axes(const IrFunc *f)
{
    int n = 0;
    for (int i = 0; i < f->n_params; i++)
        if (f->vars.at[i]->is_array && !f->vars.at[i]->obj && f->vars.at[i]->ndim > n)
            n = f->vars.at[i]->ndim;
    return n;
}

/* Below what a run of it can take. */
static int64_t
draw_size(Draw *d)
{
    static const int64_t most[] = {3000, 3000, 70, 14, 7, 4, 3};
    int nd = most_axes(d->f);
    int64_t limit = nd < SW_LEN(most) ? most[nd] : 2, n = 0;
    for (int i = 0; d->p->big && i < d->p->n_sizes; i++)
        if (d->p->sizes[i] < limit && d->p->sizes[i] > n && below(d, 3))
            n = d->p->sizes[i];
    if (n)
        return n + PICK(d, 0, 0, 1, 1, 3);
    if (d->p->n_sizes && below(d, 5) < 2)
        n = d->p->sizes[below(d, (uint64_t)d->p->n_sizes)] + PICK(d, -1, 0, 0, 1, 1, 3);
    else
        n = PICK(d, 0, 1, 2, 3, 4, 5, 7, 8, 9, 16, 17, 33);
    return n < 0 ? 0 : n > limit ? PICK(d, 2, 3, 5, 8) % (limit + 1) : n;
}

static int64_t
draw_dim(Draw *d, const IrVar *v, int k)
{
    switch (d->shapes) {
    case 0:
        return d->n;
    case 1: /* the last axes are alike */
        return k == v->ndim - 1 ? d->n : d->m;
    case 2: /* the first */
        return k == 0 ? d->n : d->m;
    case 3:
        return below(d, 2) ? d->n : d->m;
    default:
        return PICK(d, d->n, d->n, d->n, d->m, d->n + 1, 1, d->n > 0 ? d->n - 1 : 0, 0);
    }
}

/* ---- values ---------------------------------------------------------------------------------- */

static double
draw_float(Draw *d)
{
    switch (d->values) {
    case 0:
    case 1: /* sums of these are exact in any order */
        return (double)PICK(d, 0, 1, 2, 3, 4, 5, 6, 7, 8, -1, -2, -3, -4);
    case 2:
        return ((double)below(d, 2000001) - 1000000) / 7919.0;
    default:
        switch (below(d, 12)) {
        case 0:
            return (double)NAN;
        case 1:
            return (double)INFINITY;
        case 2:
            return -(double)INFINITY;
        case 3:
            return -0.0;
        case 4:
            return 5e-324;
        case 5:
            return 1e300;
        case 6:
            return -1e300;
        case 7:
            return 0.5;
        default:
            return (double)below(d, 9) - 4;
        }
    }
}

static int64_t
draw_int(Draw *d, DType t, bool scalar)
{
    if (t == DT_bool)
        return (int64_t)below(d, 2);
    if (d->values >= 3 && below(d, 4) == 0) {
        int64_t top = dtype_kind(t) == DK_INT ? INT64_MAX >> (64 - dtype_info[t].bits)
                                              : (int64_t)(UINT64_MAX >> (64 - dtype_info[t].bits));
        if (scalar && t == DT_i64)
            top = PICK(d, INT64_MAX, INT64_MAX, INT64_MAX >> 1, (int64_t)1 << 31, (int64_t)1 << 40,
                       -((int64_t)1 << 33));
        return ir_wrap_int(t, PICK(d, top, (int64_t)((uint64_t)top + 1), top - 1, -1, 0, 1));
    }
    if (scalar && d->values == 0)
        return PICK(d, d->n, d->n, d->n, d->n > 0 ? d->n - 1 : 0, 0, 1, 2, 3) % (d->n + 1);
    if (scalar)
        return PICK(d, d->n, d->n - 1, d->n + 1, d->m, 0, 1, 2, 3, 5, -1, -2, d->n / 2);
    if (d->values == 1)
        return (int64_t)below(d, 7) - 3;
    return (int64_t)below(d, (uint64_t)(d->n > 0 ? d->n : 1));
}

static Num
draw_value(Draw *d, DType t, bool scalar)
{
    Num v = {0};
    if (dtype_kind(t) < DK_FLOAT) {
        v.i = ir_wrap_int(t, draw_int(d, t, scalar));
        return v;
    }
    v.re = ir_round_float(t, draw_float(d));
    v.im = dtype_is_complex(t) ? ir_round_float(t, draw_float(d)) : 0;
    return v;
}

/* What a kernel's loops are over. */
static bool
draw_grid(Draw *d, const char *name, Num *v)
{
    if (!strncmp(name, "grid_", 5) && name[5] && !name[6])
        v->i = name[5] == 'x' ? PICK(d, 1, 1, 2, 3) : PICK(d, 1, 1, 1, 2);
    else if (!strncmp(name, "threads_", 8) && name[8] && !name[9])
        v->i = d->p->block && d->p->block[0] ? d->p->block[name[8] - 'x']
               : name[8] == 'x'              ? PICK(d, 32, 32, 64, 1, 5, 33)
                                             : PICK(d, 1, 1, 1, 2);
    else if (!strcmp(name, "shared_bytes"))
        v->i = PICK(d, 0, 1024, 8192);
    else
        return false;
    return true;
}

/* ---- arrays ---------------------------------------------------------------------------------- */

static void
lay_out(Draw *d, const IrVar *v, InArg *a, int64_t *bytes)
{
    int64_t step = dtype_size(v->dtype), lo = 0, hi = 0;
    bool free = v->layout == LAY_A;
    bool f = v->layout == LAY_F || (free && d->strides && below(d, 4) == 0);
    for (int i = 0; i < v->ndim; i++) {
        int k = f ? i : v->ndim - 1 - i;
        int64_t by = free && d->strides ? PICK(d, 1, 1, -1, 2, -2, v->readonly ? 0 : 3) : 1;
        a->stride[k] = step * by;
        if (by) /* else all along it are one: an array to write to is never such */
            step *= (a->dim[k] > 0 ? a->dim[k] : 1) * (by < 0 ? -by : by);
    }
    for (int k = 0; k < v->ndim; k++) {
        int64_t reach = (a->dim[k] > 0 ? a->dim[k] - 1 : 0) * a->stride[k];
        *(reach < 0 ? &lo : &hi) += reach;
    }
    a->offset = -lo;
    *bytes = hi - lo + dtype_size(v->dtype);
}

/* Fields of an array of records, which are arrays of one length, and are not asked for it again. */
static const InArg *
field_before(const Draw *d, int i)
{
    const IrVar *v = d->f->vars.at[i], *u = i ? d->f->vars.at[i - 1] : NULL;
    const char *dot = strchr(v->name, '.');
    bool field = dot && (dot[1] < '0' || dot[1] > '9') && u && u->is_array && !u->obj;
    return field && !strncmp(u->name, v->name, (size_t)(dot - v->name) + 1) ? &d->in->arg[i - 1]
                                                                            : NULL;
}

static void
draw_array(Draw *d, int i)
{
    const IrVar *v = d->f->vars.at[i];
    InArg *a = &d->in->arg[i];
    int64_t bytes;
    int size = dtype_size(v->dtype);
    const InArg *before = field_before(d, i);
    for (int k = 0; k < v->ndim; k++)
        a->dim[k] = before && k < d->f->vars.at[i - 1]->ndim ? before->dim[k] : draw_dim(d, v, k);
    lay_out(d, v, a, &bytes);
    bytes += 3 * size; /* room for views that are shifted */
    a->buf = d->in->n_bufs++;
    InBuf *b = &d->in->buf[a->buf];
    *b = (InBuf){bytes, arena_alloc(d->a, (size_t)bytes + 16), v->dtype};
    for (int64_t k = 0; (k + 1) * size <= bytes; k++)
        num_write((DType)v->dtype, b->data + k * size, draw_value(d, (DType)v->dtype, false));
}

/* Argument i looks at the memory of one before it, at the same place or some elements further. */
static void
share(Draw *d, int i)
{
    const IrVar *v = d->f->vars.at[i];
    InArg *a = &d->in->arg[i];
    for (int tries = 0; tries < 4 && i; tries++) {
        int k = (int)below(d, (uint64_t)i);
        const IrVar *u = d->f->vars.at[k];
        const InArg *b = &d->in->arg[k];
        if (!u->is_array || u->obj || u->dtype != v->dtype || u->noalias || v->noalias)
            continue;
        int64_t shift = d->aliases == 1 ? 0 : (int64_t)below(d, 4), lo = 0, hi = 0;
        int64_t offset = d->aliases == 1 && u->ndim == v->ndim
                             ? b->offset
                             : a->offset + shift * dtype_size(v->dtype);
        for (int j = 0; j < v->ndim; j++) {
            int64_t reach = (a->dim[j] > 0 ? a->dim[j] - 1 : 0) * a->stride[j];
            *(reach < 0 ? &lo : &hi) += reach;
        }
        if (offset + lo < 0 || offset + hi + dtype_size(v->dtype) > d->in->buf[b->buf].bytes)
            continue;
        a->buf = b->buf;
        a->offset = offset;
        return;
    }
}

static void
choose(Draw *d)
{
    d->n = draw_size(d);
    d->m = below(d, 2) ? d->n : draw_size(d);
    bool first = d->p->try < 2 && !d->p->fail;
    d->shapes = first ? 0 : d->p->fail ? (int)PICK(d, 3, 4, 4) : (int)below(d, 5);
    d->values = d->p->try == 0 && !d->p->fail ? (int)PICK(d, 0, 0, 0, 2, 3) : (int)below(d, 4);
    d->aliases = (int)PICK(d, 0, 0, 0, 1, 2);
    d->strides = (int)below(d, 2);
}

static Num
object_value(void *draw, DType t)
{
    return draw_value(draw, t, false);
}

static int64_t
object_size(void *draw)
{
    Draw *d = draw;
    return PICK(d, d->n, d->n, d->n, d->m, d->n + 1, d->n > 0 ? d->n - 1 : 0, 0, 1, 2, 3);
}

static int64_t
object_below(void *draw, int64_t n)
{
    return (int64_t)below(draw, (uint64_t)n);
}

static void
draw_objects(Draw *d)
{
    ObjectDraw o = {.a = d->a,
                    .in = d->in,
                    .value = object_value,
                    .size = object_size,
                    .below = object_below,
                    .draw = d};
    d->in->length = NEW_N(d->a, int, MOST_OBJECTS);
    for (int i = 0; i < d->f->n_params; i++)
        if (d->f->vars.at[i]->obj)
            d->in->arg[i].object = object_draw(&o, d->f->vars.at[i]->holds);
}

Input *
input_make(Arena *a, const IrFunc *f, const InputPlan *p)
{
    Draw d = {.a = a,
              .f = f,
              .p = p,
              .random =
                  p->seed * 0x2545F4914F6CDD1Du + (uint64_t)p->try * 977 + 88172645463325252u};
    for (int i = 0; i < 4; i++)
        below(&d, 2);
    choose(&d);
    Input *in = d.in = NEW(a, Input);
    in->n_args = f->n_params;
    in->arg = NEW_N(a, InArg, f->n_params + 1);
    in->buf = NEW_N(a, InBuf, f->n_params + MOST_ELEMENT_ARRAYS + 1);
    bool objects = false;
    in->exact = d.values < 2;
    for (int i = 0; i < f->n_params; i++) {
        const IrVar *v = f->vars.at[i];
        InArg *arg = &in->arg[i];
        arg->is_array = v->is_array && !v->obj;
        arg->dim = NEW_N(a, int64_t, v->ndim + 1);
        arg->stride = NEW_N(a, int64_t, v->ndim + 1);
        if (v->obj) {
            objects = true;
        } else if (v->is_array) {
            draw_array(&d, i);
            if (d.aliases)
                share(&d, i);
        } else if (v->dtype != DT_i64 || !draw_grid(&d, v->name, &arg->v)) {
            arg->v = draw_value(&d, (DType)v->dtype, true);
        }
    }
    if (objects)
        draw_objects(&d);
    return in;
}
