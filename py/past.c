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
    Outers outer;
    PyObject *tuple_classes;
    struct Past *older;
};

void
past_drop(struct Past *p)
{
    if (!p)
        return;
    for (int i = 0; i < SW_LEN(p->specs.bucket); i++)
        for (Spec *s = p->specs.bucket[i], *next; s; s = next) {
            next = s->next;
            spec_release(s);
        }
    for (int i = 0; i < p->n_by_sig; i++)
        spec_release(p->by_sig[i]);
    PyMem_Free(p->by_sig);
    deps_clear(&p->deps);
    outer_clear(&p->outer);
    Py_XDECREF(p->tuple_classes);
    PyMem_Free(p);
}

/* The dispatcher begins anew. NULL: no memory, and nothing is kept. */
struct Past *
past_aside(Dispatcher *d)
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
    p->outer = d->outer;
    p->tuple_classes = d->tuple_classes;
    memset(&d->specs, 0, sizeof d->specs);
    memset(&d->deps, 0, sizeof d->deps);
    d->outer = (Outers){.version = d->outer.version + 1};
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
    unsigned version = d->outer.version + 1;
    d->outer = p->outer;
    d->outer.version = version;
    d->tuple_classes = p->tuple_classes;
    PyMem_Free(p);
}

void
past_restore(Dispatcher *d, struct Past *p)
{
    past_drop(past_aside(d));
    if (p)
        take_up(d, p);
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
    if (!d->all_outer && !d->no_all_outer && deps_content_changed(&d->deps))
        d->all_outer = d->outer_changes = true;
    struct Past *now = past_aside(d), *found = find_past(d);
    if (found)
        take_up(d, found);
    if (now && !keep) {
        past_drop(now);
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
        past_drop(old);
    }
}

void
past_clear(Dispatcher *d)
{
    struct Past *p = d->past;
    d->past = NULL; /* first: decrefs may run anything */
    while (p) {
        struct Past *older = p->older;
        past_drop(p);
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
        r = r ? r : outer_visit(&p->outer, visit, arg);
        if (r)
            return r;
    }
    return 0;
}
