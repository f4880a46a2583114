/* SPDX-License-Identifier: BSD-3-Clause
 * swc: reads IR text from a file or standard input, runs passes over it and prints it, or
 * prints the LLVM IR or assembly that it becomes. The golden tests drive the compiler with it.
 *
 *     swc [--print] [--passes a,b | --pass a | --all] [--verify] [--remarks]
 *         [--target cpu|ptx|opencl] [--triple T] [--cpu C] [--features F] [--arch N] [--fastmath]
 *         [--block X,Y,Z] [--parallel] [--debug] [--units] [--emit-llvm | --asm | --source]
 *         [--sched 'N:threads=4,reduce;M:seq'] [--vector BYTES] [FILE]
 *     swc --run [--args 'n=3; x=(2,2) 1 2 3 4'] [--seed N] [--passes ...] [FILE]
 *     swc --check2 [--seed N] [--passes a,b | --against FILE] [FILE ...]
 *
 * --source is --asm, for OpenCL C. --backend says where LLVM's library is, when it isn't beside
 * swc; --triple and so on are LLVM's names of a processor other than this one.
 * --run interprets the module (after the passes that are asked for); --check2 runs it after each
 * pass, on arguments drawn for it (or what another file says it has become): several modules in one
 * text stand below lines "#### name". Status 1: the text is malformed or the IR is, or a pass has
 * changed what a program does; 2: a wrong command line. */
#include "gen/gen.h"
#include "pass/pass.h"
#include "swc.h"

#include <stdio.h>
#include <stdlib.h>

/* What isn't known becomes TARGET_COUNT, which parse_args refuses. */
static uint8_t
target_asked(const char *s)
{
    int t = target_named(s);
    return (uint8_t)(t < 0 ? TARGET_COUNT : t);
}

static bool
parse_args(int argc, char **argv, Command *c)
{
    for (int i = 1; i < argc; i++) {
        const char *a = argv[i];
        bool more = i + 1 < argc;
        if (strcmp(a, "--print") == 0)
            continue;
        else if (strcmp(a, "--all") == 0)
            c->all = true;
        else if (strcmp(a, "--verify") == 0)
            c->verify_only = true;
        else if (strcmp(a, "--remarks") == 0)
            c->remarks = true;
        else if (strcmp(a, "--emit-llvm") == 0)
            c->text = GEN_TEXT_LLVM_RAW;
        else if (strcmp(a, "--source") == 0)
            c->text = GEN_TEXT_ASM;
        else if (strcmp(a, "--parallel") == 0)
            c->opt.parallel = 1;
        else if (strcmp(a, "--units") == 0)
            c->units = true;
        else if (strcmp(a, "--debug") == 0)
            c->opt.debug = 1;
        else if (strcmp(a, "--offload") == 0 && more)
            c->opt.offload = target_asked(argv[++i]);
        else if (strcmp(a, "--target") == 0 && more)
            c->opt.target = target_asked(argv[++i]);
        else if (strcmp(a, "--block") == 0 && more)
            sscanf(argv[++i], "%d,%d,%d", &c->opt.block[0], &c->opt.block[1], &c->opt.block[2]);
        else if (strcmp(a, "--opt-llvm") == 0)
            c->text = GEN_TEXT_LLVM;
        else if (strcmp(a, "--asm") == 0)
            c->text = GEN_TEXT_ASM;
        else if (strcmp(a, "--triple") == 0 && more)
            c->to.triple = argv[++i];
        else if (strcmp(a, "--cpu") == 0 && more)
            c->to.cpu = argv[++i];
        else if (strcmp(a, "--features") == 0 && more)
            c->to.features = argv[++i];
        else if (strcmp(a, "--arch") == 0 && more)
            c->opt.arch = atoi(argv[++i]);
        else if (strcmp(a, "--vector") == 0 && more)
            c->vector_bytes = atoi(argv[++i]);
        else if (strcmp(a, "--fastmath") == 0)
            c->opt.fastmath = FM_ALL;
        else if ((strcmp(a, "--passes") == 0 || strcmp(a, "--pass") == 0) && more)
            c->passes = argv[++i];
        else if (strcmp(a, "--sched") == 0 && more)
            c->sched = argv[++i];
        else if (strcmp(a, "--backend") == 0 && more)
            c->backend = argv[++i];
        else if (strcmp(a, "--run") == 0)
            c->run = true;
        else if (strcmp(a, "--check2") == 0)
            c->check = true;
        else if (strcmp(a, "--against") == 0 && more)
            c->against = argv[++i];
        else if (strcmp(a, "--args") == 0 && more)
            c->args = argv[++i];
        else if (strcmp(a, "--seed") == 0 && more)
            c->checking.seed = c->seed = strtoull(argv[++i], NULL, 10);
        else if (a[0] != '-') {
            c->file = c->file ? c->file : a;
            c->files[c->n_files++] = argv[i];
        } else
            return false;
    }
    return c->opt.target < TARGET_COUNT && c->opt.offload < TARGET_COUNT;
}

bool
swc_read(const char *path, StrBuf *out)
{
    FILE *f = path ? fopen(path, "rb") : stdin;
    char buf[65536];
    size_t n;
    if (!f)
        return false;
    while ((n = fread(buf, 1, sizeof buf, f)) > 0)
        sb_addn(out, buf, n);
    bool ok = !ferror(f);
    if (path)
        fclose(f);
    sb_add(out, "");
    return ok;
}

int
swc_complain(const char *what)
{
    fprintf(stderr, "swc: %s\n", what);
    return 1;
}

static int
emit(IrModule *m, const Command *c)
{
    GenOutput out = {0};
    StrBuf why = {0};
    if (c->backend || c->to.triple)
        gen_use_library(c->backend ? c->backend : GEN_CROSS_LIBRARY);
    gen_backend(c->opt.target)->emit(m, &c->to, c->text, &out);
    if (!out.error && m->cx->diags.list.n)
        diag_render(&m->cx->diags, &why);
    for (int i = 0; i < SW_LEN(out.text); i++)
        if (!out.error && !why.s && c->text >> i & 1 && out.text[i])
            fputs(out.text[i], stdout);
    int status = out.error ? swc_complain(out.error) : why.s ? swc_complain(why.s) : 0;
    gen_free(&out);
    sb_free(&why);
    return status;
}

static void
print_remarks(const Remarks *r)
{
    for (int i = 0; i < r->list.n; i++) {
        const Remark *k = &r->list.at[i];
        printf("# remark: %s: %s: %s", k->pass, k->what, k->why);
        if (k->at.src)
            printf(" at %d:%d", k->at.line, k->at.col);
        printf("\n");
    }
}

static int
print_module(const IrModule *m, const Remarks *remarks, const Command *c)
{
    StrBuf out = {0};
    ir_print(m, &out);
    if (out.s)
        fputs(out.s, stdout);
    sb_free(&out);
    for (int i = 0; i < m->units.n; i++) {
        printf("\n#### %s\n", m->units.at[i]->unit);
        print_module(m->units.at[i], NULL, c);
    }
    if (c->remarks && remarks)
        print_remarks(remarks);
    return 0;
}

/* One word of a loop's schedule: "threads=4". */
static void
sched_word(SwSched *s, const char *word)
{
    const char *eq = strchr(word, '=');
    int64_t n = eq ? atoll(eq + 1) : 0;
    if (!strcmp(word, "reduce"))
        s->reduce = true;
    else if (!strcmp(word, "seq"))
        s->seq = true;
    else if (!strncmp(word, "threads", 7))
        s->threads = n;
    else if (!strncmp(word, "unroll", 6))
        s->unroll = n;
    else if (!strncmp(word, "tile", 4))
        s->tile[0] = n;
}

/* "N:threads=4,reduce;M:seq" */
static void
parse_sched(Cx *cx, const char *text)
{
    Vec(SwSched) all = {0};
    char *copy = arena_str(&cx->arena, text), *more, *rest;
    for (char *p = strtok_r(copy, ";", &more); p; p = strtok_r(NULL, ";", &more)) {
        SwSched s = {.label = strtok_r(p, ":", &rest)};
        for (char *w; (w = strtok_r(NULL, ",", &rest));)
            sched_word(&s, w);
        VEC_PUSH(&cx->arena, all, s);
    }
    cx->sched = all.at;
    cx->n_sched = all.n;
}

char *
swc_passes(PassCx *p, const Command *c)
{
    if (c->sched)
        parse_sched(p->cx, c->sched);
    return c->all ? pass_run_all(p) : c->passes ? pass_run_named(p, c->passes) : NULL;
}

static int
drive(Cx *cx, const char *text, const Command *c)
{
    if (c->run)
        return swc_run(cx, text, c);
    char *wrong;
    IrModule *m = ir_parse(cx, text, &wrong);
    if (!m || (wrong = ir_verify(m)))
        return swc_complain(wrong);
    Remarks remarks = {0};
    PassCx p = {.cx = cx,
                .mod = m,
                .remarks = &remarks,
                .vector_bytes = c->vector_bytes,
                .units = c->units};
    cx->trace.check = true;
    wrong = swc_passes(&p, c);
    if (wrong)
        return swc_complain(wrong);
    if (c->verify_only)
        return 0;
    return c->text ? emit(m, c) : print_module(m, &remarks, c);
}

int
main(int argc, char **argv)
{
    Command c = {.opt = options_default()};
    StrBuf text = {0};
    c.files = calloc((size_t)argc + 1, sizeof *c.files);
    if (!c.files || !parse_args(argc, argv, &c)) {
        fprintf(stderr,
                "usage: swc [--print] [--passes a,b | --all] [--verify] [--remarks] "
                "[--emit-llvm | --opt-llvm | --asm] [--backend LIB] [--triple T] [--cpu C] "
                "[--features F] "
                "[--target cpu|ptx|opencl] [--block X,Y,Z] [--parallel] [--debug] [--units] "
                "[--sched 'N:threads=4,reduce;M:seq'] [--vector BYTES] "
                "[--run [--args 'n=3; x=(2,2) 1 2 3 4']] [--check2 [--against FILE]] [--seed N] "
                "[FILE ...]\n");
        free(c.files);
        return 2;
    }
    if (c.check) {
        c.all |= !c.passes;
        int bad = swc_check(&c);
        free(c.files);
        return bad;
    }
    if (!swc_read(c.file, &text))
        return swc_complain("the input cannot be read");
    Cx *cx = malloc(sizeof *cx);
    jmp_buf oom;
    if (!cx)
        return swc_complain("out of memory");
    cx_init(cx);
    cx->opt = &c.opt;
    cx->arena.oom = &oom;
    int rc = setjmp(oom) ? swc_complain("out of memory") : drive(cx, text.s, &c);
    cx_free(cx);
    free(cx);
    sb_free(&text);
    free(c.files);
    return rc;
}
