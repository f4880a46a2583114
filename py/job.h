/* SPDX-License-Identifier: BSD-3-Clause
 * One compile of a dispatcher's function: its types come from arguments, a signature, or another
 * specialisation. */
#ifndef SWATHE_PY_JOB_H
#define SWATHE_PY_JOB_H
#include "py.h"

typedef struct Job {
    Dispatcher *d;
    Cx cx;
    In in;
    Deps deps; /* of its own until it is parsed: another thread may drop d's */
    SwResult out;
    const Type **types;
    int n;
    bool keep_text, no_code, lends; /* lends: see Spec */
    const Type *ret;                /* of IR text */
    PyObject *sched;                /* borrowed; NULL: the decorator's */
    int32_t block[3];               /* of a kernel's launch */
    const Frame *call;              /* that waits for it; or NULL */
} Job;

/* Types from text or from another type table: adds to j->types; -1 with an exception. */
typedef int (*JobTypes)(Job *j, const void *arg);

/* ---- spec.c ---------------------------------------------------------------------------------- */
void job_launch(Job *j, const Frame *f);
int job_run(Job *j, Dispatcher *d, PyObject *const *args, int n, JobTypes more, const void *arg);
Spec *job_spec(Job *j, const uint64_t *codes, int n_codes);
void job_end(Job *j);
int job_clone_types(Job *j, const void *fn); /* those of a SwFunction */

/* ---- signature.c ----------------------------------------------------------------------------- */
Spec *signature_match(Dispatcher *d, PyObject *const *args, Py_ssize_t n, const Frame *f);

#endif
