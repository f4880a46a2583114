/* SPDX-License-Identifier: BSD-3-Clause
 * The walk over problems, and LAPACK's workspaces. */
#include "kernel/lib/problem.h"

#include <math.h>
#include <stdlib.h>

typedef struct Shape {
    int n; /* arrays */
    int core[WALK_ARRAYS];
    bool reads[WALK_ARRAYS], writes[WALK_ARRAYS];
} Shape;

static size_t
item(const KernelArg *a)
{
    return a->dtype == DT_c128 ? 16 : 8;
}

static Shape
shape_of(const char *core)
{
    Shape s = {0};
    for (const char *c = core; *c; c++) {
        s.reads[s.n] |= *c == 'r';
        s.writes[s.n] |= *c == 'w';
        if (*c >= '0' && *c <= '9')
            s.core[s.n++] = *c - '0';
    }
    return s;
}

/* Scratch memory for all of a problem's matrices; NULL: there is none. */
static void *
matrices(Problem *p, const KernelArg *arg, const Shape *s)
{
    int64_t bytes = 8, starts[WALK_ARRAYS];
    for (int i = 0; i < s->n; i++) {
        int64_t size;
        p->rows[i] = s->core[i] ? kernel_dim(arg + i, s->core[i]) : 1;
        p->cols[i] = s->core[i] == 2 ? kernel_dim(arg + i, 1) : 1;
        starts[i] = bytes;
        if (__builtin_mul_overflow(p->rows[i], p->cols[i], &size) ||
            __builtin_mul_overflow(size, (int64_t)item(arg + i), &size) ||
            __builtin_add_overflow(bytes, size, &bytes) || bytes > INT64_MAX / 64)
            return NULL;
    }
    char *all = malloc((size_t)bytes);
    for (int i = 0; all && i < s->n; i++)
        p->of[i] = (double *)(void *)(all + starts[i]);
    return all;
}

static void
copy(const Problem *p, const Walk *w, int i, int axes, bool back)
{
    const KernelArg *a = w->arg + i;
    size_t size = item(a);
    int64_t row = axes ? kernel_stride(a, axes) : 0, col = axes == 2 ? kernel_stride(a, 1) : 0;
    char *at = (char *)p->of[i];
    for (int64_t j = 0; j < p->cols[i]; j++)
        for (int64_t k = 0; k < p->rows[i]; k++, at += size) {
            char *element = w->data[i] + k * row + j * col;
            memcpy(back ? element : at, back ? at : element, size);
        }
}

static void
spoil(const Problem *p, const KernelArg *arg, int i)
{
    int64_t n = p->rows[i] * p->cols[i] * (int64_t)(item(arg + i) / 8);
    for (int64_t k = 0; k < n; k++)
        p->of[i][k] = NAN;
}

int64_t
problems(KernelCx *cx, const KernelArg *arg, const char *core, Solve *solve)
{
    Shape s = shape_of(core);
    Problem p = {.complex = arg->dtype == DT_c128, .option = arg[s.n].n};
    Walk w;
    int64_t status = 0;
    walk_begin(&w, arg, s.n, s.core);
    if (!w.left)
        return 0;
    void *all = matrices(&p, arg, &s);
    if (!all)
        return KERNEL_NO_MEMORY;
    for (; w.left && status >= 0; walk_next(&w)) {
        for (int i = 0; i < s.n; i++)
            if (s.reads[i])
                copy(&p, &w, i, s.core[i], false);
        int64_t now = solve(&p);
        for (int i = 0; i < s.n && now >= 0; i++)
            if (s.writes[i]) {
                if (now)
                    spoil(&p, arg, i);
                copy(&p, &w, i, s.core[i], true);
            }
        status = now ? now : status;
        if (kernel_stops(cx))
            status = KERNEL_STOPPED;
    }
    free(all);
    return status;
}

bool
space_make(Space *s, bool complex, int64_t work, int64_t reals, int64_t ints)
{
    int64_t n = work * (complex ? 2 : 1);
    s->work = malloc((size_t)(n + reals + ints + 3) * 8);
    if (!s->work)
        return false;
    s->real = s->work + n;
    s->ints = (LapackInt *)(void *)(s->real + reals);
    s->n_work = lapack_int(work);
    return true;
}

void
space_free(Space *s)
{
    free(s->work);
}

Space
space_query(Query *q)
{
    return (Space){q->work, q->real, q->ints, lapack_int(-1)};
}
