/* SPDX-License-Identifier: BSD-3-Clause
 * Known values of scalar variables; used by the passes that walk forwards. */
#ifndef SWATHE_PASS_ENV_H
#define SWATHE_PASS_ENV_H
#include "ir/ir.h"

typedef struct EnvVar {
    IrExpr *value;  /* NULL: not known */
    int first;      /* of those whose values mention this one: id + 1, 0: none */
    int prev, next; /* among those that mention what its own value mentions */
    int stamp;
} EnvVar;

typedef struct EnvChange {
    int var;
    IrExpr *before;
} EnvChange;

typedef struct Env {
    IrFunc *f;
    Arena *arena;
    EnvVar *var; /* by id */
    int cap;     /* variables made later are not tracked */
    int stamp;
    Vec(EnvChange) log; /* to be undone */
    Vec(int) touched;   /* whose values changed, undone or not */
} Env;
typedef struct EnvMark {
    int log, touched;
} EnvMark;

void env_init(Env *v, IrFunc *f);
IrExpr *env_get(const Env *v, const IrVar *x);
bool env_is_free(const Env *v, const IrVar *x); /* it has no value, nor is part of another's */
/* After env_kill(x). e is a constant, or mentions one variable, not x. */
void env_put(Env *v, const IrVar *x, IrExpr *e);
void env_kill(Env *v, const IrVar *x);                     /* x is assigned */
void env_kill_set(Env *v, const uint64_t *set, int words); /* these may be assigned */
EnvMark env_save(const Env *v);
void env_restore(Env *v, EnvMark m);
void env_meet(Env *v, EnvMark m); /* to what was known then and no assignment since has changed */
#endif
