/* SPDX-License-Identifier: BSD-3-Clause
 * One compilation, for the files that share the work: job.c answers a request (the cache's key,
 * threads, memory that runs out, the error's text), compile.c is the pipeline, show.c has the texts
 * that people ask for, kernels.c what is kept of a device's kernels. What lives outside the arena
 * hangs on the Job, so that it is freed however it ends. */
#ifndef SWATHE_JOB_H
#define SWATHE_JOB_H
#include "gen/gen.h"
#include "pass/pass.h"
#include "rt/rt.h"
#include "sema/sema.h"

typedef struct Job {
    Cx *cx;
    const SwRequest *rq;
    SwResult *out;
    const SwIrText *ir; /* NULL: from source */
    GenOutput gen, dev; /* dev: the kernels of code that launches them */
    const char *stay;   /* why a device can't run the loops; NULL: it can */
    Remarks remarks;
    GenOutput unit_gen; /* of the unit at hand */
    Unit **units;       /* held until the function is loaded; malloc'ed */
    int n_units;
    uint64_t started;
    volatile int32_t stop; /* a signal's handler has raised */
    const Hash *key;       /* to put it into the cache by; or NULL */
    int ended;             /* 0, or what the arena jumped for */
} Job;

bool job_failed(const Job *j);
bool job_usual(const Job *j); /* nobody has asked to see, to check or to change how it is done */
void job_internal(Job *j, const char *what); /* a bug of ours */

/* ---- compile.c ---- */
SwFunction *compile_job(Job *j); /* NULL: see the diagnostics */
/* out is one of the Job's */
bool compile_generate(Job *j, IrModule *m, int target, int texts, GenOutput *out);
/* NULL: the cache doesn't have j->key, or not right */
SwFunction *compile_cached(Job *j);

/* ---- units.c ---- */
bool units_wanted(const Job *j);
/* those that the module calls are loaded; false: see the diagnostics */
bool units_get(Job *j, IrModule *m);
void units_let_go(Job *j);

/* ---- show.c: dumps for developers, inspection for users ---- */
enum { TEXT_TYPES, TEXT_LOWERED, TEXT_IR, TEXT_LLVM_RAW, TEXT_LLVM, TEXT_ASM, TEXT_NONE };
void show_ast(Job *j);
void show_types(Job *j, const SemaUnit *u);
void show_ir(Job *j, const char *stage, int text, const IrModule *m);
int show_wanted(const Job *j); /* GEN_TEXT_* */
void show_gen(Job *j);

/* ---- kernels.c ---- */
/* a module for a device, or one with kernels for it */
void kernels_keep(Job *j, const IrModule *m, Artifact *a);
#endif
