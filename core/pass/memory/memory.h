/* SPDX-License-Identifier: BSD-3-Clause
 * What the passes over memory share. */
#ifndef SWATHE_MEMORY_H
#define SWATHE_MEMORY_H
#include "pass/pass.h"

typedef IrVar *(*NameFn)(IrVar *v, void *arg); /* what to name instead */
/* Each array that s itself mentions; with all that is in it. refcount.c */
void memory_name_stmt(IrStmt *s, NameFn fn, void *arg);
typedef struct Rename {
    IrVar *from, *to;
} Rename;
IrVar *memory_renamed(IrVar *v, void *rename); /* a NameFn of a Rename */
void memory_name_all(IrStmt *s, NameFn fn, void *arg);
void memory_split_apart(Cx *cx, IrFunc *f); /* apart.c: a variable with several lives */
/* borrow.c: which variables hold a reference, where objects are followed; false: where none are */
bool memory_borrow(Cx *cx, IrFunc *f);

#endif
