/* SPDX-License-Identifier: BSD-3-Clause
 * What pass digits asks of pass index_split. */
#ifndef SWATHE_PASS_DIGITS_H
#define SWATHE_PASS_DIGITS_H
#include "pass/pass.h"

/* Cuts the loops of a function in which there are new ones. */
void index_split_again(PassCx *p, IrFunc *f);
#endif
