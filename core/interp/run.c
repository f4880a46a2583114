/* SPDX-License-Identifier: BSD-3-Clause
 * One run: lays the arguments out in memory, runs the entry function, and takes down what it left:
 * results, memory, error. */
#include "interp/internal.h"

#include <inttypes.h>

IrFunc *
interp_entry(const IrModule *m)
{
    for (int i = 0; i < m->funcs.n; i++)
        if (m->funcs.at[i]->entry)
            return m->funcs.at[i];
    return m->funcs.n ? m->funcs.at[0] : NULL;
}

/* ---- arguments ------------------------------------------------------------------------------- */

static int
grain_of(const IrFunc *f, const Input *in, int buf)
{
    int least = 8;
    for (int i = 0; i < in->n_args && i < f->n_params; i++) {
        DType d = (DType)f->vars.at[i]->dtype;
        int size = dtype_is_complex(d) ? dtype_size(d) / 2 : dtype_size(d);
        if (in->arg[i].is_array && in->arg[i].buf == buf && size < least)
            least = size;
    }
    return least;
}

static void
lay_out(Interp *in, const IrFunc *f, const Input *args)
{
    in->arg_buf = NEW_N(in->a, Buf *, args->n_bufs + 1);
    for (int i = 0; i < args->n_bufs; i++) {
        Buf *b = buf_new(in, args->buf[i].bytes, grain_of(f, args, i), true);
        memcpy(b->data, args->buf[i].data, (size_t)b->bytes);
        b->arg = i;
        b->forever = true;
        in->arg_buf[i] = b;
    }
}

static Part
part_of(const IrVar *v, const InArg *a, Buf *b)
{
    Part p = {b, a->offset, a->offset};
    for (int k = 0; k < v->ndim; k++) {
        int64_t reach = (a->dim[k] - 1) * a->stride[k];
        if (a->dim[k] <= 0)
            return (Part){b, a->offset, a->offset};
        *(reach < 0 ? &p.lo : &p.hi) += reach;
    }
    p.hi += dtype_size(v->dtype);
    return p;
}

static void
give_object(Interp *in, Frame *fr, IrVar *v, Buf *b)
{
    int64_t dim[1] = {b->bytes / 8}, stride[1] = {8};
    b->forever = true;
    if (v->owned)
        buf_retain(b);
    desc_put(in, fr, v, all_of(b), b->data, dim, stride);
}

void
run_args(Interp *in, Frame *fr, const Input *args)
{
    Buf **made = NEW_N(in->a, Buf *, args->n_objects + 1);
    in->out->object = NEW_N(in->a, Buf *, args->n_args + 1);
    for (int i = 0; i < args->n_args && i < fr->f->n_params; i++) {
        const InArg *a = &args->arg[i];
        IrVar *v = fr->f->vars.at[i];
        if (a->object) {
            give_object(in, fr, v, in->out->object[i] = object_lay_out(in, args, a->object, made));
            continue;
        }
        if (!a->is_array) {
            fr->slot[i].v = a->v;
            continue;
        }
        Buf *b = in->arg_buf[a->buf];
        if (v->owned)
            buf_retain(b);
        desc_put(in, fr, v, part_of(v, a, b), b->data + a->offset, a->dim, a->stride);
    }
}

/* ---- what is left ---------------------------------------------------------------------------- */

static void
take_elements(Interp *in, RunValue *r, const Desc *d)
{
    int size = dtype_size(r->dtype);
    int64_t idx[64] = {0};
    r->n = 1;
    for (int k = 0; k < r->ndim; k++)
        r->n *= d->dim[k] > 0 ? d->dim[k] : 0;
    r->data = arena_alloc(in->a, (size_t)(r->n * size) + 1);
    r->undef = arena_alloc(in->a, (size_t)r->n + 1);
    for (int64_t i = 0; i < r->n; i++) {
        int64_t off = d->data - d->of.buf->data;
        for (int k = 0; k < r->ndim; k++)
            off += idx[k] * d->stride[k];
        if (off < 0 || off + size > d->of.buf->bytes) {
            wrong(in, "a result leaves its memory");
            return;
        }
        memcpy(r->data + i * size, d->of.buf->data + off, (size_t)size);
        r->undef[i] = bytes_undef(d->of.buf, d->of.buf->data + off, size);
        for (int k = r->ndim - 1; k >= 0 && ++idx[k] == d->dim[k]; k--)
            idx[k] = 0;
    }
}

static void
take_values(Interp *in, Frame *fr, RunResult *out)
{
    out->n_values = fr->n_ret;
    out->value = NEW_N(in->a, RunValue, fr->n_ret + 1);
    for (int i = 0; i < fr->n_ret; i++) {
        RunValue *r = &out->value[i];
        const Desc *d = &fr->ret_desc[i];
        *r = fr->ret[i];
        if (!r->is_array)
            continue;
        r->dim = d->dim;
        r->stride = d->stride;
        r->arg_buf = d->of.buf->arg;
        r->offset = d->of.buf->arg >= 0 ? d->data - d->of.buf->data : 0;
        r->object = fr->f->results[i]->obj ? d->of.buf : NULL;
        if (d->of.buf->freed)
            wrong(in, "result %d is in memory that was released", i);
        else
            take_elements(in, r, d);
    }
}

static void
take_memory(Interp *in, const Input *args, RunResult *out)
{
    out->n_bufs = args->n_bufs;
    out->buf = NEW_N(in->a, char *, args->n_bufs + 1);
    out->undef = NEW_N(in->a, uint8_t *, args->n_bufs + 1);
    for (int i = 0; i < args->n_bufs; i++) {
        out->buf[i] = in->arg_buf[i]->data;
        out->undef[i] = in->arg_buf[i]->undef;
    }
}

void
interp_run(Arena *a, IrModule *m, IrFunc *f, const Input *args, const RunOptions *opt,
           RunResult *out)
{
    Interp *in = NEW(a, Interp);
    *out = (RunResult){.status = RUN_OK};
    in->a = a;
    in->m = m;
    in->opt = opt;
    in->out = out;
    in->random = opt->seed;
    in->consts = NEW_N(a, Buf *, m->consts.n + 1);
    lay_out(in, f, args);
    Frame *fr = frame_enter(in, f);
    in->frame = fr;
    run_args(in, fr, args);
    Go go = in->stop    ? GO_STOP
            : f->kernel ? threads_run(in, f, args)
                        : exec_block(in, fr, &f->body);
    in->at = NULL;
    if (go == GO_BREAK || go == GO_CONTINUE)
        wrong(in, "a break outside of a loop");
    if (go == GO_ERROR && !in->stop) {
        out->status = RUN_ERROR;
        out->err = in->err;
        if (!f->may_raise && !f->kernel)
            wrong(in, "%s raises %s, and is said not to raise", f->name, in->err.exc);
    }
    frame_leave(in, fr);
    if (go != GO_ERROR && !in->stop)
        take_values(in, fr, out);
    take_memory(in, args, out);
    out->printed = arena_str(a, in->printed.s ? in->printed.s : "");
    sb_free(&in->printed);
}

/* ---- as text --------------------------------------------------------------------------------- */

void
interp_error_text(const RunError *e, StrBuf *out)
{
    sb_addf(out, "%s: ", e->exc && *e->exc ? e->exc : "Exception");
    for (const char *s = e->format ? e->format : ""; *s; s++) {
        if (*s == '%' && s[1] >= '0' && s[1] <= '3')
            sb_addf(out, "%" PRId64, e->a[*++s - '0']);
        else
            sb_addn(out, s, 1);
    }
    if (e->line)
        sb_addf(out, " (line %d)", e->line);
}

static void
print_elements(StrBuf *out, DType d, const char *data, const uint8_t *undef, int64_t n)
{
    enum { MOST = 64 };
    for (int64_t i = 0; i < n && i < MOST; i++) {
        Num v = num_read(d, data + i * dtype_size(d));
        v.undef = undef && undef[i];
        sb_add(out, " ");
        num_print(out, d, v);
    }
    if (n > MOST)
        sb_addf(out, " ... (%" PRId64 ")", n);
}

static void
print_value(StrBuf *out, const RunValue *r)
{
    if (!r->is_array) {
        num_print(out, (DType)r->dtype, r->v);
        return;
    }
    sb_add(out, "(");
    for (int k = 0; k < r->ndim; k++)
        sb_addf(out, "%s%" PRId64, k ? "," : "", r->dim[k]);
    sb_add(out, ")");
    print_elements(out, (DType)r->dtype, r->data, r->undef, r->n);
}

void
interp_print_result(const IrFunc *f, const RunResult *r, StrBuf *out)
{
    (void)f;
    sb_add(out, r->printed ? r->printed : "");
    if (r->status == RUN_ERROR) {
        interp_error_text(&r->err, out);
        sb_add(out, "\n");
    } else if (r->status != RUN_OK) {
        sb_addf(out, "%s: %s\n", r->status == RUN_WRONG ? "wrong" : "not run", r->text);
    }
    for (int i = 0; r->status == RUN_OK && i < r->n_values; i++) {
        sb_addf(out, "result %d = ", i);
        print_value(out, &r->value[i]);
        sb_add(out, "\n");
    }
}
