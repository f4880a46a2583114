/* SPDX-License-Identifier: BSD-3-Clause
 * Arrays that a loop passes round among its names: `a, b = b, a`, or `old, now, new = now, new,
 * old`. Where those of a group have the same size before the loop, they have it at the start of
 * each iteration, and behind the loop. */
#ifndef SWATHE_PASS_ROTATE_H
#define SWATHE_PASS_ROTATE_H
#include "ir/ir.h"

enum { MAX_ROTATED = 12 };
typedef struct Rotation {
    int n;
    IrVar *var[MAX_ROTATED]; /* that may still have, or keep, what they had before the loop */
    int group[MAX_ROTATED];
} Rotation;

/* Only groups of several names, of one rank, that get nothing but each other's arrays */
const Rotation *rotate_of(Cx *cx, Map *known, IrStmt *loop);
#endif
