/* SPDX-License-Identifier: BSD-3-Clause
 * What the files of pass watch share: a kernel whose accesses are to be looked at, and
 * where the arrays in it lie. */
#ifndef SWATHE_PASS_WATCH_H
#define SWATHE_PASS_WATCH_H
#include "pass/grid/grid.h"

/* ---- watch_roots.c: the memory that an array of the kernel looks into ---- */
typedef enum RootKind {
    ROOT_NONE,  /* not assigned yet */
    ROOT_KNOWN, /* memory that other threads see, the thread's own, constants */
    ROOT_OTHER, /* not known */
} RootKind;

typedef struct Root {
    RootKind kind;
    uint8_t space;    /* IrSpace, or SPACE_ANY */
    bool view;        /* its indices are not those of `of` */
    const IrVar *of;  /* a parameter, or what IS_ALLOC has made; NULL: one of several */
    const char *name; /* as people know it */
} Root;

Root *watch_roots(Cx *cx, IrFunc *f, IrBlock *body); /* by variable */

/* ---- watch_launch.c ---- */
typedef struct Watch {
    PassCx *p;
    Cx *cx;
    IrFunc *f;
    Root *root;
    int n_roots;
    IrVar *me; /* the thread's number in its block; NULL in a function: that of its caller */
} Watch;

/* Checks of what the launch gives, at the start of the kernel. */
void watch_sizes(Watch *w, IrBlock *body, IrBlock *to);
#endif
