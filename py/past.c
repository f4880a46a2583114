/* SPDX-License-Identifier: BSD-3-Clause
 * Specialisations for what globals were before. A number that a function takes from outside is a
 * constant to it; when it changes, all that was compiled for the old one is put aside, and taken up
 * again when it comes back. Only numbers, strings and their like are kept so: what is put aside
 * holds what its code took, and a function that was replaced, or an array, is to be let go. */
#include "py.h"

enum { MOST = 8 }; /* values back */

struct Past {
    SpecTable specs;
    Spec **by_sig;
    int n_by_sig;
    Deps deps;
    PyObject *tuple_classes;
    struct Past *older;
};

static void
free_past(struct Past *p)
{
    for (int i = 0; i < SW_LEN(p->specs.bucket); i++)
        for (Spec *s = p->specs.bucket[i], *next; s; s = next) {
            next = s->next;
            spec_release(s);
        }
    for (int i = 0; i < p->n_by_sig; i++)
        spec_release(p->by_sig[i]);
    PyMem_Free(p->by_sig);
    deps_clear(&p->deps);
    Py_XDECREF(p->tuple_classes);
    PyMem_Free(p);
}

/* The dispatcher begins anew. NULL: no memory, and nothing is kept. */
static struct Past *
put_aside(Dispatcher *d)
{
    struct Past *p = PyMem_Calloc(1, sizeof *p);
    if (!p) {
        spec_drop_all(d);
        return NULL;
    }
    p->specs = d->specs;
    p->by_sig = d->by_sig;
    p->n_by_sig = d->n_by_sig;
    p->deps = d->deps;
    p->tuple_classes = d->tuple_classes;
    memset(&d->specs, 0, sizeof d->specs);
    memset(&d->deps, 0, sizeof d->deps);
    d->last = NULL;
    d->by_sig = NULL;
    d->n_by_sig = 0;
    d->tuple_classes = NULL;
    d->drops++;
    return p;
}

static void
take_up(Dispatcher *d, struct Past *p)
{
    d->specs = p->specs;
    d->by_sig = p->by_sig;
    d->n_by_sig = p->n_by_sig;
    d->deps = p->deps;
    d->tuple_classes = p->tuple_classes;
    PyMem_Free(p);
}

static struct Past *
find_past(Dispatcher *d)
{
    for (struct Past **at = &d->past; *at; at = &(*at)->older) {
        struct Past *p = *at;
        if (deps_recheck(&p->deps))
            continue;
        *at = p->older;
        return p;
    }
    return NULL;
}

void
spec_refresh(Dispatcher *d)
{
    if (d->specs.n == 0 && d->n_by_sig == 0 && d->deps.n == 0)
        return; /* the first compile may be under way */
    bool keep = deps_may_return(&d->deps);
    struct Past *now = put_aside(d), *found = find_past(d);
    if (found)
        take_up(d, found);
    if (now && !keep) {
        free_past(now);
        return;
    }
    if (now) {
        now->older = d->past;
        d->past = now;
    }
    struct Past *p = d->past;
    for (int n = 1; p && n < MOST; n++)
        p = p->older;
    while (p && p->older) {
        struct Past *old = p->older;
        p->older = old->older;
        free_past(old);
    }
}

void
past_clear(Dispatcher *d)
{
    struct Past *p = d->past;
    d->past = NULL; /* first: decrefs may run anything */
    while (p) {
        struct Past *older = p->older;
        free_past(p);
        p = older;
    }
}

int
past_visit(Dispatcher *d, visitproc visit, void *arg)
{
    for (struct Past *p = d->past; p; p = p->older) {
        for (int i = 0; i < p->n_by_sig; i++)
            Py_VISIT(p->by_sig[i]->keep);
        for (int i = 0; i < SW_LEN(p->specs.bucket); i++)
            for (Spec *s = p->specs.bucket[i]; s; s = s->next)
                Py_VISIT(s->keep);
        Py_VISIT(p->tuple_classes);
        int r = deps_visit(&p->deps, visit, arg);
        if (r)
            return r;
    }
    return 0;
}
