/* SPDX-License-Identifier: BSD-3-Clause
 * Fields of objects of plain classes: what object.c and object_back.c share. */
#ifndef SWATHE_OBJECT_H
#define SWATHE_OBJECT_H
#include "py.h"

struct ObjPlan {
    const ObjClass *c;
    PyObject **name; /* of each field */
    int *first;      /* see object_places */
    ObjPlace *place;
    int n_data;
    PyObject **data; /* names of values of the class, which compiled code takes for constants */
};

/* The name of one that the object has another value for; NULL: none, or an exception. */
PyObject *object_hides(const ObjPlan *p, PyObject *o);

typedef struct Part { /* the next one of a field */
    const ObjPlace *place;
    uint64_t *words;
} Part;

static inline uint64_t *
next_word(Part *p)
{
    return p->words + p->place++->word;
}

static inline Part
object_part(const ObjPlan *p, int k, const SwMem *m)
{
    return (Part){p->place + p->first[k], m->data};
}

const ObjPlan *object_plan(Frame *f, const ObjClass *c); /* NULL: exception */
/* its fields are gone through by whoever has begun; -1: exception */
int object_later(Frame *f, const ObjClass *c, PyObject *o, SwMem *m);
int object_note(Frame *f, const ObjTodo *of); /* what its words are; -1: exception */
bool object_stays(const ObjPlan *p, int k, const HeapHeld *h); /* false: it may not */
/* What an object has itself: a functools.cached_property computes nothing. NULL: exception */
PyObject *object_own(PyObject *o, PyObject *name);
PyObject *object_value(const ObjPlan *p, int k, PyObject *o);  /* NULL: exception, or it has none */
bool object_number(Dispatcher *d, const Type *t, PyObject *o, uint64_t *w);
#endif
