/* SPDX-License-Identifier: BSD-3-Clause
 * Drives the passes of pass.def in their order: skip and stop as the trace says, verify after
 * each when checking, dump when asked, time each. */
#include "pass/pass.h"

#include <stdio.h>

#define PASS(id, what) {#id, what, pass_##id},
const PassInfo pass_table[] = {
#include "def/pass.def"
};
#undef PASS
const int pass_count = SW_LEN(pass_table);

void
pass_remark(PassCx *p, const char *pass, const char *what, Span at, const char *fmt, ...)
{
    if (!p->remarks)
        return;
    char buf[300];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(buf, sizeof buf, fmt, ap);
    va_end(ap);
    Arena *a = &p->cx->arena;
    for (int i = 0; i < p->remarks->list.n; i++) {
        const Remark *o = &p->remarks->list.at[i];
        if (o->pass == pass && strcmp(o->what, what) == 0 && strcmp(o->why, buf) == 0 &&
            o->at.line == at.line && o->at.src == at.src && (at.src || !at.line))
            return; /* another access to the same on this line */
    }
    Remark r = {pass, what, arena_str(a, buf), at};
    VEC_PUSH(a, p->remarks->list, r);
}

static char *
run_one(PassCx *p, const PassInfo *pass, bool check)
{
    Trace *t = &p->cx->trace;
    uint64_t since = trace_now();
    pass->run(p);
    trace_stage(t, pass->name, since);
    if (trace_wants(t->dump, pass->name)) {
        StrBuf text = {0};
        ir_print(p->mod, &text);
        trace_dump(t, pass->name, text.s);
        sb_free(&text);
    }
    char *wrong = check ? ir_verify(p->mod) : NULL;
    return wrong ? arena_printf(&p->cx->arena, "after pass %s: %s", pass->name, wrong) : NULL;
}

char *
pass_run_all(PassCx *p)
{
    Trace *t = &p->cx->trace;
    for (int i = 0; i < pass_count; i++) {
        const char *name = pass_table[i].name;
        if (!(t->skip && trace_wants(t->skip, name))) {
            char *wrong = run_one(p, &pass_table[i], t->check);
            if (wrong)
                return wrong;
        }
        if (t->stop && strcmp(t->stop, name) == 0)
            break;
    }
    return NULL;
}

static const PassInfo *
find_pass(const char *name, size_t n)
{
    for (int i = 0; i < pass_count; i++)
        if (strlen(pass_table[i].name) == n && memcmp(pass_table[i].name, name, n) == 0)
            return &pass_table[i];
    return NULL;
}

char *
pass_run_named(PassCx *p, const char *list)
{
    while (*list) {
        size_t n = strcspn(list, ",");
        const PassInfo *pass = find_pass(list, n);
        if (!pass)
            return arena_printf(&p->cx->arena, "there is no pass '%.*s'", (int)n, list);
        char *wrong = run_one(p, pass, true);
        if (wrong)
            return wrong;
        list += n + (list[n] == ',');
    }
    return NULL;
}
