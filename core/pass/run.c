/* SPDX-License-Identifier: BSD-3-Clause
 * Drives the passes of pass.def in their order: skip and stop as the trace says, verify after
 * each when checking, dump when asked, time each. */
#include "pass/pass.h"

#include <stdio.h>

#define PASS(id, targets, what) {#id, what, targets, pass_##id},
const PassInfo pass_table[] = {
#include "def/pass.def"
};
#undef PASS
const int pass_count = SW_LEN(pass_table);

static bool
same_place(const Span *a, const Span *b)
{
    return a->src == b->src && a->line == b->line && a->col == b->col && (a->src || !a->line);
}

/* On the check of the same array and axis: "x, axis 0: why". A later pass has the last word; within
 * one pass, a copy of a loop for rare cases may keep what the loop itself has lost. */
static bool
remains(const char *what)
{
    return !strcmp(what, "check remains");
}

static bool
same_check(const Remark *o, const char *what, const char *why)
{
    size_t n = strcspn(why, ":");
    return !strncmp(what, "check ", 6) && !strncmp(o->what, "check ", 6) &&
           strcspn(o->why, ":") == n && !strncmp(o->why, why, n);
}

/* Of Remarks.last: places that share one share a list. */
static const void *
place_key(const Span *at)
{
    return (const void *)(((uintptr_t)(unsigned)at->line << 20) + (unsigned)at->col + 1);
}

static int
first_at(const Remarks *r, const Span *at)
{
    intptr_t last = (intptr_t)map_get(&r->last, place_key(at));
    return last ? r->next.at[last - 1] : -1;
}

static int
next_at(const Remarks *r, int i, int first)
{
    return r->next.at[i] == first ? -1 : r->next.at[i];
}

static void
add_remark(Arena *a, Remarks *r, Remark x)
{
    int first = first_at(r, &x.at), n = r->list.n;
    if (first >= 0)
        r->next.at[(intptr_t)map_get(&r->last, place_key(&x.at)) - 1] = n;
    VEC_PUSH(a, r->next, first < 0 ? n : first);
    VEC_PUSH(a, r->list, x);
    map_put(a, &r->last, place_key(&x.at), (void *)(intptr_t)(n + 1));
}

void
pass_remark_of(PassCx *p, const char *pass, RemarkKind kind, Span at, const char *fmt, ...)
{
    if (!p->remarks)
        return;
    char buf[300];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(buf, sizeof buf, fmt, ap);
    va_end(ap);
    Arena *a = &p->cx->arena;
    const char *what = remark_info[kind].what;
    p->remarks->fresh = false;
    int first = first_at(p->remarks, &at);
    for (int i = first; i >= 0; i = next_at(p->remarks, i, first)) {
        Remark *o = &p->remarks->list.at[i];
        if (at.src && same_place(&o->at, &at) && same_check(o, what, buf)) {
            if (strcmp(o->pass, pass) != 0 || remains(o->what))
                *o = (Remark){
                    .pass = pass, .kind = kind, .what = what, .why = arena_str(a, buf), .at = at};
            return;
        }
        if (!strcmp(o->pass, pass) && o->kind == kind && strcmp(o->why, buf) == 0 &&
            same_place(&o->at, &at))
            return;
    }
    p->remarks->fresh = true;
    add_remark(
        a, p->remarks,
        (Remark){.pass = pass, .kind = kind, .what = what, .why = arena_str(a, buf), .at = at});
}

void
pass_remark_also(PassCx *p, Span a, Span b)
{
    if (!p->remarks || !p->remarks->fresh)
        return;
    Remark *r = &p->remarks->list.at[p->remarks->list.n - 1];
    r->also[0] = a;
    r->also[1] = b;
}

IrFunc *
pass_func(PassCx *p, int i)
{
    IrFunc *f = p->mod->funcs.at[i];
    p->cx->opt = f->opt ? f->opt : p->opt;
    return f;
}

static bool
find_strict(IrExpr **e, void *arg)
{
    *(bool *)arg |= (*e)->kind == IX_OP && (*e)->flags & IXF_STRICT;
    return true;
}

static void
find_strict_in(IrBlock *b, IrStmt *s, void *arg)
{
    (void)b;
    ir_walk_stmt_exprs(s, find_strict, arg);
}

bool
pass_may_reorder(const Cx *cx, const IrStmt *loop)
{
    bool strict = false;
    if (!cx->opt || !(cx->opt->fastmath & FM_REASSOC))
        return false;
    ir_walk_block((IrBlock *)(uintptr_t)&loop->body, find_strict_in, &strict);
    return !strict;
}

static char *
run_one(PassCx *p, const PassInfo *pass, bool check)
{
    Trace *t = &p->cx->trace;
    arena_poll(&p->cx->arena);
    uint64_t since = trace_now();
    p->opt = p->cx->opt;
    pass->run(p);
    p->cx->opt = p->opt;
    trace_stage(t, pass->name, since);
    if (trace_wants(t->dump, pass->name)) {
        StrBuf text = {0};
        ir_print(p->mod, &text);
        trace_dump(t, pass->name, text.s);
        sb_free(&text);
    }
    char *wrong = check ? ir_verify(p->mod) : NULL;
    if (p->seen && !wrong)
        p->seen(p->seen_arg, p->mod, pass->name);
    return wrong ? arena_printf(&p->cx->arena, "after pass %s: %s", pass->name, wrong) : NULL;
}

char *
pass_run_all(PassCx *p)
{
    Trace *t = &p->cx->trace;
    int target = p->cx->opt->target == TARGET_CPU ? P_CPU : P_DEV;
    bool done = p->mod->unit != NULL; /* up to the pass that makes units */
    if (p->seen)
        p->seen(p->seen_arg, p->mod, NULL);
    for (int i = 0; i < pass_count; i++) {
        const char *name = pass_table[i].name;
        bool skip = done;
        done &= pass_table[i].run != pass_units;
        if (skip || !(pass_table[i].targets & target))
            continue;
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
    if (p->seen)
        p->seen(p->seen_arg, p->mod, NULL);
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
