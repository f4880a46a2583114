/* SPDX-License-Identifier: BSD-3-Clause
 * What the files of pass offload share. */
#ifndef SWATHE_PASS_OFFLOAD_H
#define SWATHE_PASS_OFFLOAD_H
#include "pass/parallel/outline.h"

typedef struct Off {
    PassCx *p;
    Cx *cx;
    IrModule *dev; /* the device's functions */
    Map clones;    /* IrFunc* of the host -> that of the device */
    int kernels;
} Off;

/* ---- offload/can.c ---- */
const char *offload_refuses(Off *w, Outline *o); /* why a device can't run the loop; NULL: it can */
IrFunc *offload_function(Off *w, IrFunc *f);     /* the device's own copy of f */
/* statements of a copy: they call the device's functions */
void offload_adopt(Off *w, IrBlock *b);

/* ---- offload/array.c: the loop combines into elements of arrays ---- */
/* it may run inside of these loops in it */
bool offload_swaps(const Outline *o, IrStmt *const *inner, int n);
bool offload_atomic(const Outline *o); /* each update can be an atomic operation */
void offload_make_atomic(Outline *o);

/* ---- offload/test.c ---- */
IrStmt *offload_tests(Outline *o, IrBlock *b); /* put in b around the loop: the test; or NULL */

/* ---- offload/kernel.c ---- */
enum { OFFLOAD_NEST = 3, OFFLOAD_WIDEST = 1024 /* threads of a block */ };
int offload_nest(const Outline *o, IrStmt **loop); /* the loop, and those that are all its body */
/* the kernel, its launch, and what comes after it */
void offload_make(Off *w, Outline *o);

/* ---- offload/block.c ---- */
/* threads asked for loops inside of it; 0: none are */
int64_t offload_width(const IrStmt *loop);
/* a nest wider than a block: several kernels */
bool offload_part(IrFunc *f, IrBlock *b, IrStmt *s, IrStmt **again);

/* ---- offload/sync.c ---- */
/* what the host's code touches is brought back before */
void offload_sync(Off *w);
#endif
