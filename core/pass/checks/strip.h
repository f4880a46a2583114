/* SPDX-License-Identifier: BSD-3-Clause
 * The executors of pass strip: what runs after a look at its checks. */
#ifndef SWATHE_PASS_STRIP_H
#define SWATHE_PASS_STRIP_H
#include "pass/checks/inspect.h"

/* The loop leaves its block; `emit` appends to b what is to stand there. */
typedef void (*StripEmit)(Inspect *s, IrBuilder *b, void *arg);
void strip_replace(Inspect *s, IrBlock *blk, StripEmit emit, void *arg);

/* strip_wide.c: loops that little but memory holds up; all their checks are in s->found */
bool strip_is_wide(const Inspect *s);
void strip_emit_wide(Inspect *s, IrBuilder *b, void *arg);

/* strip_linear.c: all indices go by equal steps */
bool strip_is_linear(const Inspect *s);
void strip_emit_linear(Inspect *s, IrBuilder *b, void *arg);

/* strip_rows.c: false when the loop is no such nest, and has been left alone */
bool strip_rows(PassCx *p, IrFunc *f, IrBlock *blk, IrStmt *loop);
/* Loops in this one whose bounds come from memory: they get `few`. */
void strip_mark_few(IrStmt *loop);
#endif
