/* SPDX-License-Identifier: BSD-3-Clause
 * Frames, calls, returns, parallel runs and the runtime's functions. A chunk of a parallel run has
 * a frame of its own, and chunks run in any order; of several that fail, the first by number
 * counts. */
#include "interp/internal.h"
#include "dev/dev.h"
#include "interp/runtime.h"

#include <stdlib.h>

/* ---- frames ---------------------------------------------------------------------------------- */

static FuncInfo *
info_of(Interp *in, IrFunc *f)
{
    FuncInfo *r = map_get(&in->infos, f);
    if (r)
        return r;
    r = NEW(in->a, FuncInfo);
    r->f = f;
    for (int i = 0; i < f->vars.n; i++)
        r->any_noalias |= f->vars.at[i]->is_array && f->vars.at[i]->noalias;
    map_put(in->a, &in->infos, f, r);
    return r;
}

static Frame *
frame_make(Interp *in, FuncInfo *info)
{
    IrFunc *f = info->f;
    Frame *fr = NEW(in->a, Frame);
    fr->f = f;
    fr->info = info;
    fr->slot = NEW_N(in->a, Slot, f->vars.n + 1);
    fr->ret = NEW_N(in->a, RunValue, f->n_results + 1);
    fr->ret_desc = NEW_N(in->a, Desc, f->n_results + 1);
    for (int i = 0; i < f->n_results; i++) {
        fr->ret_desc[i].dim = NEW_N(in->a, int64_t, f->results[i]->ndim + 1);
        fr->ret_desc[i].stride = NEW_N(in->a, int64_t, f->results[i]->ndim + 1);
    }
    for (int i = 0; i < f->vars.n; i++)
        if (f->vars.at[i]->is_array) {
            fr->slot[i].d.dim = NEW_N(in->a, int64_t, f->vars.at[i]->ndim + 1);
            fr->slot[i].d.stride = NEW_N(in->a, int64_t, f->vars.at[i]->ndim + 1);
        }
    return fr;
}

Frame *
frame_enter(Interp *in, IrFunc *f)
{
    FuncInfo *info = info_of(in, f);
    Frame *fr = info->spare;
    if (fr)
        info->spare = fr->next;
    else
        fr = frame_make(in, info);
    for (int i = 0; i < f->vars.n; i++) {
        if (f->vars.at[i]->is_array)
            fr->slot[i].d.set = fr->slot[i].d.stale = fr->slot[i].d.dropped = false;
        else
            fr->slot[i].v = (Num){.undef = true};
    }
    fr->act = ++in->stamps;
    fr->n_ret = 0;
    in->depth++;
    return fr;
}

/* What the epilogue of compiled code does: each variable that holds a reference gives it back. */
void
frame_leave(Interp *in, Frame *fr)
{
    for (int i = 0; i < fr->f->vars.n; i++) {
        IrVar *v = fr->f->vars.at[i];
        if (v->is_array && v->owned && fr->slot[i].d.set)
            buf_release(fr->slot[i].d.of.buf);
    }
    fr->next = fr->info->spare;
    fr->info->spare = fr;
    in->depth--;
}

/* ---- calls ----------------------------------------------------------------------------------- */

static bool
pass_args(Interp *in, Frame *fr, Frame *to, const IrStmt *s, int first)
{
    for (int i = 0; i < s->n_args && !in->stop; i++) {
        IrVar *p = to->f->vars.at[first + i];
        if (!s->args[i].arr) {
            to->slot[p->id].v = eval(in, fr, s->args[i].e);
            continue;
        }
        const Desc *d = &fr->slot[s->args[i].arr->id].d;
        if (!desc_live(in, s->args[i].arr, d))
            break;
        if (p->owned)
            buf_retain(d->of.buf);
        desc_put(in, to, p, d->of, d->data, d->dim, d->stride);
    }
    return !in->stop;
}

static void
keep_result(Interp *in, Frame *fr, const IrStmt *s, int i)
{
    const IrArg *a = &s->args[i];
    RunValue *r = &fr->ret[i];
    r->dtype = fr->f->results[i]->dtype;
    r->is_array = a->arr != NULL;
    if (!a->arr) {
        r->v = eval(in, fr, a->e);
        return;
    }
    Desc *d = &fr->slot[a->arr->id].d, *to = &fr->ret_desc[i];
    if (!desc_live(in, a->arr, d))
        return;
    buf_retain(d->of.buf); /* the frame gives its own back when it is left */
    to->of = d->of;
    to->data = d->data;
    r->ndim = a->arr->ndim;
    memcpy(to->dim, d->dim, sizeof *d->dim * r->ndim);
    memcpy(to->stride, d->stride, sizeof *d->stride * r->ndim);
}

Go
exec_return(Interp *in, Frame *fr, const IrStmt *s)
{
    for (int i = 0; i < s->n_args && !in->stop; i++)
        keep_result(in, fr, s, i);
    fr->n_ret = s->n_args;
    return went(in, GO_RETURN);
}

static void
take_results(Interp *in, Frame *fr, Frame *from, const IrStmt *s)
{
    for (int i = 0; i < from->n_ret && !in->stop; i++) {
        const IrArg none = {0}, *o = i < s->n_outs ? &s->outs[i] : &none;
        const Desc *d = &from->ret_desc[i];
        if (!from->ret[i].is_array && o->out)
            fr->slot[o->out->id].v = from->ret[i].v;
        else if (from->ret[i].is_array && o->arr)
            desc_put(in, fr, o->arr, d->of, d->data, d->dim, d->stride);
        else if (from->ret[i].is_array)
            buf_release(d->of.buf);
    }
}

Go
exec_call(Interp *in, Frame *fr, const IrStmt *s)
{
    if (ir_kernel(s->func))
        return exec_kernel(in, fr, s);
    if (s->func->foreign || s->func->kernel) {
        cannot(in, ir_upcall(s->func) >= 0 ? "a block that runs in Python"
                                           : "a function of another language");
        return GO_STOP;
    }
    if (in->depth > MOST_DEPTH)
        return fail_code(in, RUN_RECURSION, "RecursionError", "maximum recursion depth exceeded");
    Frame *to = frame_enter(in, s->func);
    Go go = pass_args(in, fr, to, s, 0) ? exec_block(in, to, &s->func->body) : GO_STOP;
    in->frame = fr;
    if (go == GO_ERROR && !s->func->may_raise) {
        in->at = s;
        wrong(in, "%s raises %s, and is said not to raise", s->func->name, in->err.exc);
    }
    if (go != GO_ERROR && !in->stop)
        take_results(in, fr, to, s);
    frame_leave(in, to);
    return went(in, go == GO_ERROR ? GO_ERROR : GO_ON);
}

static Go
chunk(Interp *in, Frame *fr, const IrStmt *s, int64_t c)
{
    Frame *to = frame_enter(in, s->func);
    to->slot[s->func->vars.at[0]->id].v = (Num){.i = c};
    Go go = pass_args(in, fr, to, s, 1) ? exec_block(in, to, &s->func->body) : GO_STOP;
    frame_leave(in, to);
    in->frame = fr;
    return went(in, go == GO_ERROR ? GO_ERROR : GO_ON);
}

Go
exec_run(Interp *in, Frame *fr, const IrStmt *s)
{
    int64_t n = eval_int(in, fr, s->idx[0], "a number of chunks"), first = INT64_MAX;
    eval_int(in, fr, s->idx[1], "a number of workers");
    Level *l = in->stop ? NULL : level_enter(in, fr, s);
    if (!l)
        return GO_STOP;
    int64_t *order = shuffled(in, n);
    RunError err = {0};
    for (int64_t i = 0; i < n && !in->stop; i++) {
        int64_t c = order ? order[i] : i;
        if (c > first && !order) /* perhaps of 2**62 */
            break;
        if (c > first)
            continue;
        l->iter = (uint32_t)c;
        if (chunk(in, fr, s, c) != GO_ERROR)
            continue;
        first = c;
        err = in->err;
        in->out->unordered = true;
        if (!s->func->may_raise)
            wrong(in, "a chunk raises %s, and is said not to raise", err.exc);
    }
    in->n_levels--;
    in->err = err;
    return went(in, first < INT64_MAX ? GO_ERROR : GO_ON);
}

/* ---- the runtime ----------------------------------------------------------------------------- */

static Num
arg(Interp *in, Frame *fr, const IrStmt *s, int i, DType d)
{
    if (i >= s->n_args || !s->args[i].e)
        return (Num){.undef = true};
    return num_cast(d, (DType)s->args[i].e->dtype, eval(in, fr, s->args[i].e));
}

static int64_t
arg_int(Interp *in, Frame *fr, const IrStmt *s, int i)
{
    Num v = arg(in, fr, s, i, DT_i64);
    if (v.undef && !in->stop)
        wrong(in, "argument %d of %s is not known", i, rt_info[s->rt].name);
    return v.i;
}

/* Each piece of memory has a part of the addresses to itself, wherever it is. */
static char *
address(const Desc *d)
{
    return (char *)((((uintptr_t)d->of.buf->id + 1) << 40) + (uintptr_t)d->data -
                    (uintptr_t)d->of.buf->data);
}

int
desc_overlap(const IrVar *a, const Desc *x, const IrVar *b, const Desc *y)
{
    SwDesc d = {address(x), NULL, x->dim, x->stride}, e = {address(y), NULL, y->dim, y->stride};
    return sw_overlap(&d, a->ndim, dtype_size(a->dtype), &e, b->ndim, dtype_size(b->dtype));
}

static Num
overlap(Interp *in, Frame *fr, const IrStmt *s)
{
    IrVar *a = s->args[0].arr, *b = s->args[1].arr;
    const Desc *x = &fr->slot[a->id].d, *y = &fr->slot[b->id].d;
    if (!x->set || !y->set) /* it asks for addresses alone, and any answer must do */
        return (Num){.i = in->out->steps & 1};
    bool known = (x->dropped || desc_live(in, a, x)) && (y->dropped || desc_live(in, b, y));
    if (!known)
        return (Num){.undef = true};
    return (Num){.i = desc_overlap(a, x, b, y)};
}

static Num
alike(Interp *in, Frame *fr, const IrStmt *s)
{
    IrVar *a = s->args[0].arr, *b = s->args[1].arr;
    int size = dtype_size(a->dtype);
    Num same = {.i = 1};
    if (!desc_live(in, a, &fr->slot[a->id].d) || !desc_live(in, b, &fr->slot[b->id].d))
        return same;
    int64_t n = arg_int(in, fr, s, 2) / size;
    for (int64_t k = 0; k < n && same.i && !same.undef; k++) {
        char *p = in->stop ? NULL : element(in, fr, a, &k, READ);
        char *q = p ? element(in, fr, b, &k, READ) : NULL;
        if (!q || !touched(in, fr, a, p, READ) || !touched(in, fr, b, q, READ))
            break;
        in->out->steps++;
        same.undef = bytes_undef(fr->slot[a->id].d.of.buf, p, size) ||
                     bytes_undef(fr->slot[b->id].d.of.buf, q, size);
        same.i = !memcmp(p, q, (size_t)size);
    }
    return same;
}

static Num
chunk_want(Interp *in, Frame *fr, const IrStmt *s)
{
    int64_t n = arg_int(in, fr, s, 0), most = arg_int(in, fr, s, 3);
    Num ns = arg(in, fr, s, 1, DT_f64), grain = arg(in, fr, s, 2, DT_f64);
    int64_t k = in->opt->chunks;
    if (!k)
        return (Num){.i = sw_chunk_want(n, ns.re, grain.re, most)};
    return (Num){.i = k > most ? most : k}; /* more than iterations: the loop inside is cut, too */
}

static bool
call_rt(Interp *in, Frame *fr, const IrStmt *s, Num *r, DType *d)
{
    *d = DT_i64;
    switch (s->rt) {
    case RT_sw_overlap:
        *r = overlap(in, fr, s);
        return true;
    case RT_sw_alike:
        *r = alike(in, fr, s);
        return true;
    case RT_sw_chunk_want:
        *r = chunk_want(in, fr, s);
        return true;
    case RT_sw_chunk_count:
        r->i = sw_chunk_count(arg_int(in, fr, s, 0), arg_int(in, fr, s, 1));
        return true;
    case RT_sw_chunk_size:
        r->i = sw_chunk_size(arg_int(in, fr, s, 0), arg_int(in, fr, s, 1), arg_int(in, fr, s, 2),
                             arg_int(in, fr, s, 3));
        return true;
    case RT_sw_gcd_i64:
        r->i = sw_gcd_i64(arg_int(in, fr, s, 0), arg_int(in, fr, s, 1));
        return true;
    case RT_sw_pow_i64:
        r->i = sw_pow_i64(arg_int(in, fr, s, 0), arg_int(in, fr, s, 1));
        return true;
    case RT_sw_round_digits: {
        Num x = arg(in, fr, s, 0, DT_f64);
        *d = DT_f64;
        *r = (Num){.re = x.undef ? 0 : sw_round_digits(x.re, arg_int(in, fr, s, 1)),
                   .undef = x.undef};
        return true;
    }
    case RT_sw_grow:
        if (desc_live(in, s->args[0].arr, &fr->slot[s->args[0].arr->id].d))
            grow(in, fr, s->args[0].arr, arg_int(in, fr, s, 1), arg_int(in, fr, s, 2),
                 arg_int(in, fr, s, 3));
        return true;
    case RT_sw_address: /* as good as any: passes move what is allocated */
    case RT_sw_shadow_depth:
        *d = DT_i64;
        *r = (Num){0};
        return true;
    case RT_sw_shadow_back:
    case RT_sw_shadow_begin:
    case RT_sw_shadow_next:
    case RT_sw_shadow_end:
    case RT_sw_watch_begin:
    case RT_sw_watch_block:
    case RT_sw_watch_end:
    case RT_sw_watch_array:
    case RT_sw_watch_thread:
    case RT_sw_watch_arrive:
    case RT_sw_watch_leave:
    case RT_sw_watch_warp:
    case RT_sw_watch_warp_leave:
    case RT_sw_watch_fence:
    case RT_sw_watch_return:
        return true;
    default:
        return false;
    }
}

Go
exec_rt(Interp *in, Frame *fr, const IrStmt *s)
{
    Num r = {0};
    DType d;
    if (!call_rt(in, fr, s, &r, &d)) {
        cannot(in, "a call of %s", rt_info[s->rt].name);
        return GO_STOP;
    }
    if (s->n_outs && s->outs[0].out)
        fr->slot[s->outs[0].out->id].v = num_cast((DType)s->outs[0].out->dtype, d, r);
    return went(in, GO_ON);
}
