/* SPDX-License-Identifier: BSD-3-Clause
 * What the files of pass inline share, and what pass grid takes from them. */
#ifndef SWATHE_PASS_INLINE_H
#define SWATHE_PASS_INLINE_H
#include "pass/pass.h"

/* ---- inline_return.c: no return is left; where `outs` is given, these get the values ---- */
void inline_cut_returns(IrFunc *f, IrBlock *body, IrArg *outs, int n_outs);
/* The same for the breaks and continues of the loop whose body it is: a break makes `in` false. */
void inline_cut_jumps(IrFunc *f, IrBlock *body, IrVar *in);
bool inline_has(const IrBlock *b, IrStmtKind kind); /* anywhere inside */

/* ---- inline_body.c: what `call`, a statement of f, does, as statements of f ---- */
IrBlock inline_body(IrFunc *f, const IrStmt *call);

/* ---- inline_unset.c: numbers that a copied body may read before it sets them begin as 0, so that
 * no round of a loop around it seems to need the one before. They are those from number `first` on,
 * and outs; its arguments are set before `from`. ---- */
/* Of those and of outs: which. */
IrVar **unset_reads(IrFunc *f, IrBlock *body, int first, const IrArg *outs, int n_outs, int *n);
void inline_set_unset(IrFunc *f, IrBlock *body, IrStmt *from, int first, const IrArg *outs,
                      int n_outs);

/* ---- units.c: whether a function of the library is to be in a unit of its own, if calls to it
 * stay ---- */
bool units_fit(IrFunc *f);
#endif
