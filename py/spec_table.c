/* SPDX-License-Identifier: BSD-3-Clause
 * The table of a dispatcher's specialisations, from codes of arguments to compiled functions. */
#include "py.h"

static uint64_t
hash_codes(const uint64_t *codes, int n)
{
    uint64_t h = 0x9e3779b97f4a7c15u;
    for (int i = 0; i < n; i++)
        h = (h ^ codes[i]) * 0xff51afd7ed558ccdu, h ^= h >> 29;
    return h;
}

Spec *
spec_find(Dispatcher *d, const uint64_t *codes, int n)
{
    uint64_t h = hash_codes(codes, n);
    for (Spec *s = d->specs.bucket[h & 15]; s; s = s->next)
        if (s->hash == h && s->n_codes == n && !memcmp(s->codes, codes, sizeof *codes * (size_t)n))
            return s;
    return NULL;
}

void
spec_release(Spec *s)
{
    if (--s->refs > 0)
        return;
    if (s->fn)
        rt_release(s->fn);
    free(s->error_class);
    free(s->error);
    Py_XDECREF(s->keep);
    Py_XDECREF(s->sched);
    Py_XDECREF(s->sig);
    Py_XDECREF(s->values);
    Py_XDECREF(s->code);
    PyMem_Free(s->codes);
    PyMem_Free(s);
}

void
spec_drop_all(Dispatcher *d)
{
    if (d->specs.n == 0 && d->n_by_sig == 0 && d->deps.n == 0)
        return; /* the first compile may be under way */
    SpecTable t = d->specs;
    Spec **by_sig = d->by_sig;
    int n = d->n_by_sig;
    memset(&d->specs, 0, sizeof d->specs);
    d->last = NULL;
    d->by_sig = NULL;
    d->n_by_sig = 0;
    d->drops++;
    deps_clear(&d->deps);
    outer_clear(&d->outer);
    Py_CLEAR(d->tuple_classes);
    for (int i = 0; i < SW_LEN(t.bucket); i++)
        for (Spec *s = t.bucket[i], *next; s; s = next) {
            next = s->next;
            spec_release(s);
        }
    for (int i = 0; i < n; i++)
        spec_release(by_sig[i]);
    PyMem_Free(by_sig);
}

Spec *
spec_new(const uint64_t *codes, int n)
{
    Spec *s = PyMem_Calloc(1, sizeof *s);
    if (s)
        s->codes = PyMem_Malloc(sizeof *codes * (size_t)(n + 1));
    if (!s || !s->codes) {
        PyMem_Free(s);
        PyErr_NoMemory();
        return NULL;
    }
    if (n)
        memcpy(s->codes, codes, sizeof *codes * (size_t)n);
    s->n_codes = n;
    s->hash = hash_codes(codes, n);
    s->refs = 1;
    return s;
}

void
spec_insert(Dispatcher *d, Spec *s)
{
    s->next = d->specs.bucket[s->hash & 15];
    d->specs.bucket[s->hash & 15] = s;
    d->specs.n++;
    s->refs++;
}
