/* SPDX-License-Identifier: BSD-3-Clause
 * What the files of pass offload share. */
#ifndef SWATHE_PASS_OFFLOAD_H
#define SWATHE_PASS_OFFLOAD_H
#include "pass/workers.h"

typedef struct Off {
    PassCx *p;
    Cx *cx;
    IrModule *dev;  /* the device's functions */
    Map clones;     /* IrFunc* of the host -> that of the device */
    int kernels;
} Off;

/* ---- offload_can.c ---- */
const char *offload_refuses(Off *w, Outline *o); /* why a device can't run the loop; NULL: it can */
IrFunc *offload_function(Off *w, IrFunc *f);     /* the device's own copy of f */
void offload_adopt(Off *w, IrBlock *b);          /* statements of a copy: they call the device's functions */

/* ---- offload_test.c ---- */
IrStmt *offload_tests(Outline *o, IrBlock *b);   /* put in b around the loop: the test; or NULL */

/* ---- offload_kernel.c ---- */
void offload_make(Off *w, Outline *o);           /* the kernel, its launch, and what comes after it */

/* ---- offload_sync.c ---- */
void offload_sync(Off *w);                       /* what the host's code touches is brought back before */
#endif
