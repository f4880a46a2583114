/* SPDX-License-Identifier: BSD-3-Clause
 * Arguments as text, and made smaller. "n=3; x=(2,3) 1 2 3 4 5 6; y=(2):(-8)+8 7 9; z=x+8(2):(16)":
 * shape, strides in bytes (those of the layout when left out), offset, values in C order, which are
 * repeated when there are fewer; or a view of the memory of another. */
#include "interp/interp.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

static void
layout_strides(const IrVar *v, const int64_t *dim, int64_t *stride)
{
    int64_t step = dtype_size(v->dtype);
    for (int i = 0; i < v->ndim; i++) {
        int k = v->layout == LAY_F ? i : v->ndim - 1 - i;
        stride[k] = step;
        step *= dim[k] > 0 ? dim[k] : 1;
    }
}

/* ---- printing -------------------------------------------------------------------------------- */

static void
print_ints(StrBuf *out, const int64_t *v, int n)
{
    sb_add(out, "(");
    for (int k = 0; k < n; k++)
        sb_addf(out, "%s%" PRId64, k ? "," : "", v[k]);
    sb_add(out, ")");
}

static void
print_elements(const IrVar *v, const Input *in, const InArg *a, StrBuf *out)
{
    enum { MOST = 40 };
    int64_t idx[64] = {0}, n = 1;
    for (int k = 0; k < v->ndim; k++)
        n *= a->dim[k] > 0 ? a->dim[k] : 0;
    for (int64_t i = 0; i < n && i < MOST; i++) {
        int64_t off = a->offset;
        for (int k = 0; k < v->ndim; k++)
            off += idx[k] * a->stride[k];
        sb_add(out, " ");
        num_print(out, (DType)v->dtype, num_read((DType)v->dtype, in->buf[a->buf].data + off));
        for (int k = v->ndim - 1; k >= 0 && ++idx[k] == a->dim[k]; k--)
            idx[k] = 0;
    }
    sb_add(out, n > MOST ? " ..." : "");
}

static void
print_array(const IrFunc *f, const Input *in, int i, StrBuf *out)
{
    const InArg *a = &in->arg[i];
    const IrVar *v = f->vars.at[i];
    int64_t usual[64] = {0};
    int first = i;
    for (int k = 0; k < i && first == i; k++)
        if (in->arg[k].is_array && in->arg[k].buf == a->buf)
            first = k;
    if (first != i)
        sb_addf(out, "%s%+" PRId64, f->vars.at[first]->name, a->offset - in->arg[first].offset);
    print_ints(out, a->dim, v->ndim);
    layout_strides(v, a->dim, usual);
    if (memcmp(usual, a->stride, sizeof *usual * v->ndim)) {
        sb_add(out, ":");
        print_ints(out, a->stride, v->ndim);
    }
    print_elements(v, in, a, out);
}

void
input_print(const IrFunc *f, const Input *in, StrBuf *out)
{
    for (int i = 0; i < in->n_args; i++) {
        sb_addf(out, "%s%s=", i ? "; " : "", f->vars.at[i]->name);
        if (in->arg[i].object)
            object_print(in, in->arg[i].object, out);
        else if (in->arg[i].is_array)
            print_array(f, in, i, out);
        else
            num_print(out, (DType)f->vars.at[i]->dtype, in->arg[i].v);
    }
}

/* ---- parsing --------------------------------------------------------------------------------- */

typedef struct Reader {
    Arena *a;
    const IrFunc *f;
    const char *s;
    Input *in;
    const char *wrong;
} Reader;

static void
skip(Reader *r)
{
    while (*r->s == ' ' || *r->s == '\n' || *r->s == '\t')
        r->s++;
}

static bool
take(Reader *r, char c)
{
    skip(r);
    if (*r->s != c)
        return false;
    r->s++;
    return true;
}

static Num
read_value(Reader *r, DType d)
{
    char *end;
    Num v = {0};
    skip(r);
    if (d == DT_bool && (!strncmp(r->s, "true", 4) || !strncmp(r->s, "false", 5))) {
        v.i = *r->s == 't';
        r->s += v.i ? 4 : 5;
        return v;
    }
    if (dtype_is_complex(d) && take(r, '(')) {
        v.re = strtod(r->s, &end);
        r->s = end;
        take(r, ',');
        v.im = strtod(r->s, &end);
        r->s = end;
        take(r, ')');
    } else if (dtype_kind(d) >= DK_FLOAT) {
        v.re = strtod(r->s, &end);
        r->wrong = end == r->s ? "a number is missing" : r->wrong;
        r->s = end;
    } else {
        v.i =
            dtype_kind(d) == DK_UINT ? (int64_t)strtoull(r->s, &end, 10) : strtoll(r->s, &end, 10);
        r->wrong = end == r->s ? "an integer is missing" : r->wrong;
        r->s = end;
        v.i = ir_wrap_int(d, v.i);
    }
    if (dtype_kind(d) >= DK_FLOAT) {
        v.re = ir_round_float(d, v.re);
        v.im = ir_round_float(d, v.im);
    }
    return v;
}

static bool
read_ints(Reader *r, int64_t *out, int n)
{
    if (!take(r, '('))
        return false;
    for (int k = 0; k < n; k++) {
        if (k)
            take(r, ',');
        out[k] = read_value(r, DT_i64).i;
    }
    if (!take(r, ')'))
        r->wrong = "the number of axes is another";
    return true;
}

static int
param_named(Reader *r)
{
    size_t n = strcspn(r->s, "=+-(; ");
    for (int i = 0; i < r->f->n_params; i++)
        if (strlen(r->f->vars.at[i]->name) == n && !memcmp(r->f->vars.at[i]->name, r->s, n)) {
            r->s += n;
            return i;
        }
    return -1;
}

static void
extents(const IrVar *v, const InArg *a, int64_t *lo, int64_t *hi)
{
    *lo = *hi = 0;
    for (int k = 0; k < v->ndim; k++) {
        int64_t reach = (a->dim[k] - 1) * a->stride[k];
        if (a->dim[k] <= 0) {
            *lo = *hi = 0;
            return;
        }
        *(reach < 0 ? lo : hi) += reach;
    }
    *hi += dtype_size(v->dtype);
}

static void
fill(Reader *r, const IrVar *v, InArg *a)
{
    int64_t idx[64] = {0}, n = 1;
    Vec(Num) values = {0};
    skip(r);
    while (*r->s && *r->s != ';' && !r->wrong) {
        VEC_PUSH(r->a, values, read_value(r, (DType)v->dtype));
        skip(r);
    }
    for (int k = 0; k < v->ndim; k++)
        n *= a->dim[k] > 0 ? a->dim[k] : 0;
    for (int64_t i = 0; i < n && !r->wrong && values.n; i++) {
        int64_t off = a->offset;
        for (int k = 0; k < v->ndim; k++)
            off += idx[k] * a->stride[k];
        num_write((DType)v->dtype, r->in->buf[a->buf].data + off, values.at[i % values.n]);
        for (int k = v->ndim - 1; k >= 0 && ++idx[k] == a->dim[k]; k--)
            idx[k] = 0;
    }
}

static void
read_array(Reader *r, int i)
{
    const IrVar *v = r->f->vars.at[i];
    InArg *a = &r->in->arg[i];
    int64_t lo, hi;
    skip(r);
    int of = *r->s == '(' ? -1 : param_named(r);
    char *end;
    if (of >= 0 && (!r->in->arg[of].is_array || of >= i)) {
        r->wrong = "a view is of an array before it";
        return;
    }
    if (of >= 0 && (*r->s == '+' || *r->s == '-')) {
        a->offset = strtoll(r->s, &end, 10);
        r->s = end;
    }
    if (!read_ints(r, a->dim, v->ndim))
        r->wrong = "a shape is missing";
    layout_strides(v, a->dim, a->stride);
    if (take(r, ':') && !read_ints(r, a->stride, v->ndim))
        r->wrong = "strides are missing";
    extents(v, a, &lo, &hi);
    if (r->wrong)
        return;
    if (of >= 0) {
        a->buf = r->in->arg[of].buf;
        a->offset += r->in->arg[of].offset;
        if (a->offset + lo < 0 || a->offset + hi > r->in->buf[a->buf].bytes)
            r->wrong = "a view leaves its memory";
    } else {
        a->buf = r->in->n_bufs++;
        a->offset = -lo;
        if (hi - lo > 64 << 20)
            r->wrong = "too much memory";
        else
            r->in->buf[a->buf] =
                (InBuf){hi - lo, arena_alloc(r->a, (size_t)(hi - lo) + 16), v->dtype};
    }
    if (!r->wrong)
        fill(r, v, a);
}

static Input *
input_new(Arena *a, const IrFunc *f)
{
    Input *in = NEW(a, Input);
    in->n_args = f->n_params;
    in->arg = NEW_N(a, InArg, f->n_params + 1);
    in->buf = NEW_N(a, InBuf, f->n_params + MOST_ELEMENT_ARRAYS + 1);
    for (int i = 0; i < f->n_params; i++) {
        in->arg[i].is_array = f->vars.at[i]->is_array && !f->vars.at[i]->obj;
        in->arg[i].dim = NEW_N(a, int64_t, f->vars.at[i]->ndim + 1);
        in->arg[i].stride = NEW_N(a, int64_t, f->vars.at[i]->ndim + 1);
    }
    return in;
}

Input *
input_parse(Arena *a, const IrFunc *f, const char *text, const char **why)
{
    Reader r = {.a = a, .f = f, .s = text, .in = input_new(a, f)};
    bool *given = NEW_N(a, bool, f->n_params + 1);
    for (skip(&r); *r.s && !r.wrong; skip(&r)) {
        int i = param_named(&r);
        if (i < 0 || !take(&r, '=')) {
            r.wrong = "there is no such parameter";
            break;
        }
        given[i] = true;
        if (f->vars.at[i]->obj)
            r.wrong = "a list or dict can't be given as text";
        else if (f->vars.at[i]->is_array)
            read_array(&r, i);
        else
            r.in->arg[i].v = read_value(&r, (DType)f->vars.at[i]->dtype);
        skip(&r);
        if (*r.s && !take(&r, ';') && !r.wrong)
            r.wrong = "what follows an argument is no ';'";
    }
    for (int i = 0; i < f->n_params && !r.wrong; i++)
        if (!given[i])
            r.wrong = arena_printf(a, "parameter '%s' has no value", f->vars.at[i]->name);
    *why = r.wrong;
    return r.wrong ? NULL : r.in;
}

/* ---- smaller --------------------------------------------------------------------------------- */

static Input *
copy_of(Arena *a, const IrFunc *f, const Input *in)
{
    Input *r = input_new(a, f);
    r->n_bufs = in->n_bufs;
    r->n_objects = in->n_objects;
    r->length =
        in->n_objects ? arena_dup(a, in->length, sizeof *in->length * (size_t)in->n_objects) : NULL;
    for (int i = 0; i < in->n_bufs; i++)
        r->buf[i] =
            (InBuf){in->buf[i].bytes, arena_dup(a, in->buf[i].data, (size_t)in->buf[i].bytes),
                    in->buf[i].dtype};
    for (int i = 0; i < in->n_args; i++) {
        InArg *to = &r->arg[i];
        const InArg *from = &in->arg[i];
        to->v = from->v;
        to->object = from->object;
        to->buf = from->buf;
        to->offset = from->offset;
        memcpy(to->dim, from->dim, sizeof *to->dim * f->vars.at[i]->ndim);
        memcpy(to->stride, from->stride, sizeof *to->dim * f->vars.at[i]->ndim);
    }
    return r;
}

/* One axis of one array is shorter by one, as `which` says: an index that was the last is the first
 * beyond the end. */
Input *
input_shorter(Arena *a, const IrFunc *f, const Input *in, uint64_t which)
{
    Input *r = copy_of(a, f, in);
    uint64_t axes = 0;
    for (int way = 0; way < 2; way++) {
        for (int i = 0; i < in->n_args; i++)
            for (int k = 0; in->arg[i].is_array && k < f->vars.at[i]->ndim; k++) {
                InArg *x = &r->arg[i];
                if (x->dim[k] <= 0)
                    continue;
                if (!way) {
                    axes++;
                } else if (which-- == 0) {
                    x->dim[k]--;
                    if (f->vars.at[i]->layout != LAY_A)
                        layout_strides(f->vars.at[i], x->dim, x->stride);
                    return r;
                }
            }
        which = axes ? which % axes : 0;
    }
    return r;
}

/* A kernel's may be known to the program. */
static bool
is_fixed(const IrVar *v)
{
    return !v->is_array && !strncmp(v->name, "threads_", 8);
}

/* Every size and integer that is `from` becomes `to`. */
static bool
resize(const IrFunc *f, Input *in, int64_t from, int64_t to)
{
    bool any = false;
    for (int i = 0; i < in->n_args; i++) {
        IrVar *v = f->vars.at[i];
        InArg *a = &in->arg[i];
        if (!a->is_array && !a->object && dtype_is_int((DType)v->dtype) && a->v.i == from &&
            !is_fixed(v)) {
            a->v.i = to;
            any = true;
        }
        for (int k = 0; a->is_array && k < v->ndim; k++)
            if (a->dim[k] == from) {
                a->dim[k] = to;
                any = true;
            }
        if (a->is_array && v->layout != LAY_A)
            layout_strides(v, a->dim, a->stride);
    }
    return any;
}

/* The k-th size or integer above 0 among the arguments; 0: none. */
static int64_t
size_number(const IrFunc *f, const Input *in, int k)
{
    for (int i = 0; i < in->n_args; i++) {
        const InArg *a = &in->arg[i];
        if (!a->is_array && dtype_is_int((DType)f->vars.at[i]->dtype) && a->v.i > 0 && k-- == 0)
            return a->v.i;
        for (int j = 0; a->is_array && j < f->vars.at[i]->ndim; j++)
            if (a->dim[j] > 0 && k-- == 0)
                return a->dim[j];
    }
    return 0;
}

static bool
plain_values(const IrFunc *f, Input *in, int i, int64_t mod)
{
    InArg *a = &in->arg[i];
    DType d = (DType)f->vars.at[i]->dtype;
    int size = dtype_size(d);
    if (is_fixed(f->vars.at[i]))
        return false;
    if (a->object)
        return false;
    if (!a->is_array) {
        bool had = a->v.i != 0;
        a->v = (Num){0};
        return had;
    }
    InBuf *b = &in->buf[a->buf];
    bool any = false;
    for (int64_t k = 0; (k + 1) * size <= b->bytes; k++) {
        char old[16];
        memcpy(old, b->data + k * size, (size_t)size);
        Num v = dtype_kind(d) >= DK_FLOAT ? (Num){.re = (double)(k % mod)} : (Num){.i = k % mod};
        num_write(d, b->data + k * size, v);
        any |= memcmp(old, b->data + k * size, (size_t)size) != 0;
    }
    return any;
}

Input *
input_smaller(Arena *a, const IrFunc *f, const Input *in, int step)
{
    enum { SIZES = 24, WAYS = 4 };
    Input *r = copy_of(a, f, in);
    if (step < SIZES * WAYS) {
        int64_t n = size_number(f, in, step / WAYS);
        int64_t to = step % WAYS == 0   ? n / 4
                     : step % WAYS == 1 ? n / 2
                     : step % WAYS == 2 ? n - n / 4
                                        : n - 1;
        return n && to < n && resize(f, r, n, to)
                   ? r
                   : input_smaller(a, f, in, n ? step + 1 : SIZES * WAYS);
    }
    step -= SIZES * WAYS;
    if (step < 2 * in->n_objects) { /* fewer elements in one object */
        int *n = &r->length[step / 2];
        if (*n == 0)
            return input_smaller(a, f, in, step + 1 + SIZES * WAYS);
        *n = step % 2 ? *n - 1 : *n / 2;
        return r;
    }
    step -= 2 * in->n_objects;
    if (step >= 2 * in->n_args)
        return NULL;
    if (plain_values(f, r, step / 2, step % 2 ? 3 : 1))
        return r;
    return input_smaller(a, f, in, step + 1 + SIZES * WAYS + 2 * in->n_objects);
}
