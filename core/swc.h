/* SPDX-License-Identifier: BSD-3-Clause
 * What swc was asked to do, and its two halves: swc.c runs passes and prints, swc_run.c runs the
 * program itself. */
#ifndef SWATHE_SWC_H
#define SWATHE_SWC_H
#include "gen/gen.h"
#include "interp/interp.h"
#include "pass/pass.h"

typedef struct Command {
    const char *file, *passes, *backend, *sched;
    bool all, remarks, verify_only, units; /* units: pass units makes some */
    int text;                              /* GEN_TEXT_* or 0 */
    SwOptions opt;
    GenTarget to;
    int vector_bytes;
    /* run: the program, on `args` or on drawn ones; check: it after each pass, see
     * interp/check.c */
    bool run, check;
    const char *args, *against; /* against: a file whose module is to do what the others do */
    uint64_t seed;
    CheckOptions checking;
    char **files; /* all that were named */
    int n_files;
} Command;

bool swc_read(const char *path, StrBuf *out); /* NULL: standard input */
int swc_complain(const char *what);
char *swc_passes(PassCx *p, const Command *c); /* what went wrong, or NULL */
int swc_run(Cx *cx, const char *text, const Command *c);
int swc_check(const Command *c);
#endif
