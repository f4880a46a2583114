/* SPDX-License-Identifier: BSD-3-Clause
 * The half of swc that runs programs: --run prints what one does, --check2 holds each pass against
 * it, for as many modules as the files have. */
#include "interp/interp.h"
#include "swc.h"

#include <stdio.h>
#include <stdlib.h>

/* ---- --run ----------------------------------------------------------------------------------- */

static void
print_memory(const IrFunc *f, const Input *in, const RunResult *r, StrBuf *out)
{
    Input after = *in;
    if (!in->n_args)
        return;
    for (int i = 0; i < in->n_bufs; i++)
        after.buf[i].data = r->buf[i];
    sb_add(out, "after: ");
    input_print(f, &after, out);
    sb_add(out, "\n");
}

static Input *
drawn(Cx *cx, IrModule *m, IrFunc *f, const Command *c)
{
    Input *in = NULL;
    static const int64_t sizes[] = {4, 8, 32, 64};
    for (int t = 0; t < 8; t++) {
        InputPlan p = {.seed = c->seed + 1, .try = t, .n_sizes = SW_LEN(sizes), .sizes = sizes};
        RunOptions o = {.budget = 100000};
        RunResult r;
        in = input_make(&cx->arena, f, &p);
        interp_run(&cx->arena, m, f, in, &o, &r);
        if (r.status == RUN_OK)
            break;
    }
    return in;
}

int
swc_run(Cx *cx, const char *text, const Command *c)
{
    char *why;
    const char *no = NULL;
    IrModule *m = ir_parse(cx, text, &why);
    if (!m || (why = ir_verify(m)))
        return swc_complain(why);
    PassCx p = {.cx = cx, .mod = m, .vector_bytes = c->vector_bytes};
    if ((why = swc_passes(&p, c)))
        return swc_complain(why);
    IrFunc *f = interp_entry(m);
    if (!f)
        return swc_complain("there is no function");
    Input *in = c->args ? input_parse(&cx->arena, f, c->args, &no) : drawn(cx, m, f, c);
    if (!in)
        return swc_complain(no);
    RunOptions o = {.seed = c->seed, .budget = 100000000};
    RunResult r;
    StrBuf out = {0};
    if (!c->args) {
        sb_add(&out, "with ");
        input_print(f, in, &out);
        sb_add(&out, "\n");
    }
    interp_run(&cx->arena, m, f, in, &o, &r);
    interp_print_result(f, &r, &out);
    print_memory(f, in, &r, &out);
    bool bad = r.status == RUN_WRONG || r.status == RUN_STEPS;
    fputs(out.s ? out.s : "", bad ? stderr : stdout);
    sb_free(&out);
    return bad;
}

/* ---- --check2 -------------------------------------------------------------------------------- */

static void
seen(void *arg, const IrModule *m, const char *pass)
{
    check_seen(arg, m, pass);
}

static char *
check_other(Cx *cx, const IrModule *m, const Command *c, InterpCheck *k)
{
    StrBuf text = {0};
    char *why;
    if (!swc_read(c->against, &text))
        return "the other input cannot be read";
    IrModule *other = ir_parse(cx, text.s, &why);
    if (other && !(why = ir_verify(other))) {
        check_seen(k, m, NULL);
        check_seen(k, other, c->against);
    }
    sb_free(&text);
    return why;
}

static char *
check_module(Cx *cx, const char *text, const Command *c, CheckStats *st)
{
    char *why;
    IrModule *m = ir_parse(cx, text, &why);
    if (!m || (why = ir_verify(m)))
        return why;
    InterpCheck *k = check_begin(cx, &c->checking);
    Remarks remarks = {0};
    PassCx p = {.cx = cx,
                .mod = m,
                .remarks = &remarks,
                .vector_bytes = c->vector_bytes,
                .seen = seen,
                .seen_arg = k};
    cx->trace.check = 1;
    if (c->against)
        why = check_other(cx, m, c, k);
    else
        why = swc_passes(&p, c);
    char *differs = check_end(k, st);
    return why ? why : differs;
}

static bool
check_text(const char *name, char *text, const Command *c, CheckStats *st)
{
    Cx *cx = malloc(sizeof *cx);
    jmp_buf oom;
    char *expected = strstr(text, "\n# ---\n"); /* of a golden test */
    if (!cx)
        return false;
    if (expected)
        expected[1] = 0;
    cx_init(cx);
    cx->opt = &c->opt;
    cx->arena.oom = &oom;
    bool ok = false;
    if (setjmp(oom)) {
        printf("%s: out of memory\n", name);
    } else {
        char *why = check_module(cx, text, c, st);
        if (why)
            printf("%s: %s\n", name, why);
        ok = !why;
    }
    cx_free(cx);
    free(cx);
    fflush(stdout);
    return ok;
}

/* Modules below lines "#### name", each for itself; what stands before the first is one, too. The
 * text begins with a newline. */
static int
check_all(const char *name, char *text, const Command *c, CheckStats *st)
{
    int bad = 0;
    for (char *mark = text, *end; text; text = mark ? end + 1 : NULL) {
        mark = strstr(text, "\n#### ");
        if (mark)
            *mark = 0;
        if (text[strspn(text, " \n")])
            bad += !check_text(name, text, c, st);
        if (!mark)
            break;
        name = mark + 6;
        end = strchr(name, '\n');
        if (!end)
            break;
        *end = 0;
    }
    return bad;
}

int
swc_check(const Command *c)
{
    CheckStats st = {0};
    int bad = 0;
    for (int i = 0; i < (c->n_files ? c->n_files : 1); i++) {
        StrBuf text = {0};
        const char *name = c->n_files ? c->files[i] : "stdin";
        if (!swc_read(c->n_files ? c->files[i] : NULL, &text))
            return swc_complain("the input cannot be read");
        char *own = malloc(text.n + 2);
        if (!own)
            return swc_complain("out of memory");
        *own = '\n';
        memcpy(own + 1, text.s, text.n + 1);
        bad += check_all(name, own, c, &st);
        free(own);
        sb_free(&text);
    }
    printf("check: %lld programs, %lld inputs (%lld without an error), %lld runs, %lld refused, %d "
           "different\n",
           (long long)st.programs, (long long)st.inputs, (long long)st.passed, (long long)st.runs,
           (long long)st.refused, bad);
    return bad != 0;
}
