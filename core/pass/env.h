/* SPDX-License-Identifier: BSD-3-Clause
 * Known values of scalar variables; used by the passes that walk forwards. */
#ifndef SWATHE_PASS_ENV_H
#define SWATHE_PASS_ENV_H
#include "ir/ir.h"

typedef struct Env {
    IrFunc *f;
    Arena *arena;
    IrExpr **value;            /* by variable id; NULL: not known */
    int cap;                   /* variables made later are not tracked */
    Vec(const IrVar *) active; /* those with a value */
} Env;
typedef struct EnvMark {
    int n;
    const IrVar **vars;
    IrExpr **values;
} EnvMark;

void env_init(Env *v, IrFunc *f);
IrExpr *env_get(const Env *v, const IrVar *x);
void env_put(Env *v, const IrVar *x, IrExpr *e); /* after env_kill(x); e does not mention x */
void env_kill(Env *v, const IrVar *x);           /* x is assigned */
void env_kill_set(Env *v, const uint64_t *set);  /* these may be assigned */
EnvMark env_save(const Env *v);
void env_restore(Env *v, const EnvMark *m);
#endif
