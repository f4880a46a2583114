/* SPDX-License-Identifier: BSD-3-Clause
 * Calls of kernels: the very function that compiled code calls, on the run's own buffers. Before
 * it, each element that its row says it touches is tested, and so are the sizes that it takes for
 * equal. */
#include "interp/internal.h"
#include "kernel/kernel.h"

/* To the next element of an array; false: there is none. */
static bool
step(int64_t *at, const Desc *d, int ndim)
{
    for (int k = ndim - 1; k >= 0; k--) {
        if (++at[k] < d->dim[k])
            return true;
        at[k] = 0;
    }
    return false;
}

static bool
touch_all(Interp *in, Frame *fr, IrVar *v, const KernelParam *p)
{
    const Desc *d = &fr->slot[v->id].d;
    int64_t at[KERNEL_AXES] = {0}, n = 1;
    if (!desc_live(in, v, d))
        return false;
    for (int k = 0; k < v->ndim; k++)
        n *= d->dim[k];
    if (!n)
        return true;
    do {
        /* words of a Generator are read-only to others */
        char *e = element(in, fr, v, at, p->writes && !v->readonly ? WRITE : READ);
        if (e && p->reads && bytes_undef(d->of.buf, e, dtype_size((DType)v->dtype)))
            cannot(in, "a kernel of elements of '%s' that were never set", v->name);
        if (!e || in->stop || (p->reads && !touched(in, fr, v, e, READ)) ||
            (p->writes && !touched(in, fr, v, e, WRITE)))
            return false;
        if (p->writes)
            bytes_set(d->of.buf, e, dtype_size((DType)v->dtype), false);
    } while (step(at, d, v->ndim));
    return true;
}

/* The sizes that letters of the row stand for, and the axes before them, by which problems are
 * counted. */
typedef struct Sizes {
    int64_t letter[26];
    const int64_t *outer;
} Sizes;

static bool
sizes_agree(Interp *in, Sizes *z, const IrVar *v, const Desc *d, const KernelParam *p)
{
    int outer = v->ndim - p->core;
    bool same = outer >= 0;
    for (int k = 0; same && z->outer && k < outer; k++)
        same = d->dim[k] == z->outer[k];
    for (int k = 0; same && k < p->core; k++) {
        int64_t *of = &z->letter[p->size[k] - 'a'];
        same = *of < 0 || *of == d->dim[outer + k];
        *of = same ? d->dim[outer + k] : *of;
    }
    z->outer = d->dim;
    if (!same)
        wrong(in, "a kernel is given '%s' of a size that doesn't fit the others", v->name);
    return same;
}

static bool
fill(Interp *in, Frame *fr, const IrStmt *s, KernelArg *arg, SwDesc *desc)
{
    const KernelRow *row = ir_kernel(s->func);
    Sizes z = {.outer = NULL};
    memset(z.letter, -1, sizeof z.letter);
    for (int i = 0; i < s->n_args; i++) {
        IrVar *v = s->args[i].arr;
        if (!v) {
            arg[i] = (KernelArg){NULL, eval_int(in, fr, s->args[i].e, "an argument of a kernel"),
                                 DT_i64};
            continue;
        }
        KernelParam p = kernel_param(row, i);
        const Desc *d = &fr->slot[v->id].d;
        if (!touch_all(in, fr, v, &p) || !sizes_agree(in, &z, v, d, &p))
            return false;
        desc[i] = (SwDesc){d->data, NULL, d->dim, d->stride};
        arg[i] = (KernelArg){&desc[i], v->ndim, v->dtype};
    }
    return !in->stop;
}

static Num
yielded(DType d, int64_t status, int64_t bits)
{
    double f;
    memcpy(&f, &bits, sizeof f);
    return d == DT_COUNT ? (Num){.i = status} : d == DT_f64 ? (Num){.re = f} : (Num){.i = bits};
}

Go
exec_kernel(Interp *in, Frame *fr, const IrStmt *s)
{
    static volatile int32_t never;
    KernelCx cx = {&never};
    KernelArg *arg = NEW_N(in->a, KernelArg, s->n_args + 1);
    SwDesc *desc = NEW_N(in->a, SwDesc, s->n_args + 1);
    Kernel *kernel = kernel_find(ir_kernel(s->func), NULL);
    if (!kernel) {
        cannot(in, "a kernel of " KERNEL_LIBRARY ", which isn't there");
        return GO_STOP;
    }
    if (!fill(in, fr, s, arg, desc))
        return GO_STOP;
    if (in->opt->claims && in->n_levels && kernel_draws(ir_kernel(s->func))) {
        wrong(in, "iterations in parallel draw from one stream");
        return GO_STOP;
    }
    in->stores++;
    in->drawn = in->drawn ? in->drawn : arena_alloc(in->a, KERNEL_RANDOM);
    void *before = kernel_draw_from(in->drawn);
    int64_t status = kernel(&cx, arg);
    kernel_draw_from(before);
    if (status < 0) {
        cannot(in, "a kernel without memory");
        return GO_STOP;
    }
    if (s->n_outs && s->outs[0].out)
        fr->slot[s->outs[0].out->id].v =
            yielded(kernel_result(ir_kernel(s->func)), status, arg[s->n_args].n);
    return went(in, GO_ON);
}
