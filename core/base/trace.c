/* SPDX-License-Identifier: BSD-3-Clause
 * What a developer of swathe (or a curious user) may ask to see, by environment variables:
 * dumps by stage, times by stage; and the context that one compilation carries. */
#include "base/base.h"
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static const char *
env(const char *name)
{
    const char *s = getenv(name);
    return s && *s ? s : NULL;
}

static clockid_t the_clock = CLOCK_MONOTONIC;
static bool in_steps;
__thread uint64_t trace_work __attribute__((tls_model("initial-exec")));

void
trace_init(Trace *t)
{
    const char *check = env("SWATHE_CHECK"), *time = env("SWATHE_TIME");
    const char *lanes = env("SWATHE_LANES"), *grain = env("SWATHE_GRAIN");
    const char *small = env("SWATHE_SMALL");
    *t = (Trace){.dump = env("SWATHE_DUMP"),
                 .skip = env("SWATHE_SKIP"),
                 .stop = env("SWATHE_STOP"),
                 .check = !check || *check == '0' ? 0
                          : *check == '2'         ? 2
                                                  : 1,
                 .inputs = check && check[0] == '2' && check[1] == ':' ? atoi(check + 2) : 0,
                 .time = time && *time != '0',
                 .lanes = lanes ? atoi(lanes) : 0,
                 .grain = grain ? atoi(grain) : 0,
                 .small = small && *small != '0'};
    t->clock = t->time ? *time : 0;
    trace_clock(t);
}

int
trace_tune(const Trace *t, Tune what)
{
    static const int is[][2] = {
#define TUNE(id, usual, small, what) {usual, small},
#include "def/tune.def"
    };
    return is[what][t->small];
}

void
trace_clock(const Trace *t)
{
    if (t->clock == '2')
        the_clock = CLOCK_PROCESS_CPUTIME_ID;
    in_steps = t->clock == '3';
}

bool
trace_wants(const char *list, const char *name)
{
    size_t n = strlen(name);
    for (const char *s = list; s && *s; s += strspn(s, ",")) {
        size_t len = strcspn(s, ",");
        if ((len == n && memcmp(s, name, n) == 0) || (len == 3 && memcmp(s, "all", 3) == 0))
            return true;
        s += len;
    }
    return false;
}

uint64_t
trace_now(void)
{
    struct timespec ts;
    if (in_steps)
        return trace_work * 1000;
    clock_gettime(the_clock, &ts);
    return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

void
trace_stage(Trace *t, const char *name, uint64_t since)
{
    if (!t->time)
        return;
    int i = 0;
    while (i < t->n_stages && strcmp(t->stage[i].name, name) != 0)
        i++;
    if (i == SW_LEN(t->stage))
        return;
    t->n_stages = i < t->n_stages ? t->n_stages : i + 1;
    t->stage[i].name = name;
    t->stage[i].ns += trace_now() - since;
}

void
trace_report(const Trace *t)
{
    if (!t->time)
        return;
    StrBuf b = {0};
    uint64_t total = 0;
    sb_addf(&b, "swathe: %s:", t->func ? t->func : "?");
    for (int i = 0; i < t->n_stages; i++) {
        sb_addf(&b, " %s %.3f", t->stage[i].name, (double)t->stage[i].ns / 1e6);
        total += t->stage[i].ns;
    }
    sb_addf(&b, " | total %.2f ms\n", (double)total / 1e6);
    if (b.s)
        fputs(b.s, stderr);
    sb_free(&b);
}

void
trace_dump(const Trace *t, const char *stage, const char *text)
{
    if (t->dump && trace_wants(t->dump, stage) && text)
        fprintf(stderr, "# ---- %s: %s\n%s\n", stage, t->func ? t->func : "", text);
}

const RemarkInfo remark_info[REMARK_COUNT] = {
#define REMARK(pass, id, what, kind, margin, level) {#pass, what, #kind, margin, level},
#define LLVM_REMARK(name, why)
#include "def/remark.def"
#undef REMARK
#undef LLVM_REMARK
};

const TargetInfo target_info[TARGET_COUNT] = {
#define TARGET(id, name, device, foreign) {name, device, foreign},
#include "def/target.def"
#undef TARGET
};

int
target_named(const char *name)
{
    for (int i = 0; i < TARGET_COUNT; i++)
        if (!strcmp(target_info[i].name, name))
            return i;
    return -1;
}

const char *const fastmath_names[7] = {"reassoc", "nnan", "ninf", "nsz", "arcp", "contract", "afn"};

static const SwOptions default_options = {.boundscheck = 1, .opt_level = 3, .python = 11};

SwOptions
options_default(void)
{
    return default_options;
}

const char *
text_of_empty(const SwOptions *o, bool least)
{
    if (o->python >= 12)
        return least ? "min() iterable argument is empty" : "max() iterable argument is empty";
    return least ? "min() arg is an empty sequence" : "max() arg is an empty sequence";
}

void
cx_init(Cx *cx)
{
    memset(cx, 0, sizeof *cx);
    arena_init(&cx->arena);
    intern_init(&cx->syms, &cx->arena);
    cx->diags.arena = &cx->arena;
    cx->opt = &default_options;
    trace_init(&cx->trace);
}

void
cx_free(Cx *cx)
{
    arena_free(&cx->arena);
}

const SwSched *
cx_sched(const Cx *cx, const char *label)
{
    for (int i = 0; label && i < cx->n_sched; i++)
        if (!strcmp(cx->sched[i].label, label))
            return &cx->sched[i];
    return NULL;
}
